//! Reads the file of settings: TOML, at `--config`, `PAGEWISE_CONFIG` or in the user's configuration folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::table::FILE_VARIABLE;
use super::target::RawValue;
use super::{USUAL_FOLDERS, application_folder};
use crate::tool::{ErrorCode, ToolError, reason_of};

/// Bytes of the file. 1 MiB: a larger one is another file, named by mistake.
const MAX_BYTES: u64 = 1 << 20;

/// The values of the file, by the names of settings.
#[derive(Debug, Default)]
pub(super) struct SettingsFile {
    /// The path, if there is a file.
    pub(super) path: Option<PathBuf>,
    pub(super) entries: BTreeMap<String, FileEntry>,
}

/// One value of the file.
#[derive(Debug)]
pub(super) struct FileEntry {
    pub(super) value: RawValue,
    /// Its line, from 1.
    pub(super) line: usize,
    /// Whether it is an empty table, which may name a group of settings.
    pub(super) is_empty_table: bool,
}

impl SettingsFile {
    /// The file and line of `entry`, for errors.
    pub(super) fn location(&self, entry: &FileEntry) -> String {
        let path = self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        format!("{path} line {}", entry.line)
    }
}

/// Reads the file at `flag` or in its usual places. Only a file that was named has to exist.
pub(super) fn read(flag: Option<PathBuf>) -> Result<SettingsFile, ToolError> {
    let variable = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let named = flag.or(variable);
    let usual = || application_folder("XDG_CONFIG_HOME", USUAL_FOLDERS[1]).map(|folder| folder.join("config.toml"));
    let is_named = named.is_some();
    let Some(path) = named.or_else(usual) else { return Ok(SettingsFile::default()) };
    match bytes(&path) {
        Ok(bytes) => parse(&path, &bytes),
        Err(error) if !is_named && error.kind() == ErrorKind::NotFound => Ok(SettingsFile::default()),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> ToolError {
    let code = match error.kind() {
        ErrorKind::NotFound => ErrorCode::FileNotFound,
        _ => ErrorCode::PermissionDenied,
    };
    ToolError::new(code, format!("Cannot read settings: {} ({})", path.display(), reason_of(error.kind())))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<SettingsFile, ToolError> {
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("Cannot read settings: {} has more than {MAX_BYTES} bytes", path.display());
        return Err(ToolError::new(ErrorCode::TooLarge, message).with("limit", json!(MAX_BYTES)));
    }
    let wrong = |line: usize, what: &str| {
        let message = format!("Cannot read settings: {} line {line}: {what}", path.display());
        ToolError::validation(&message).with("file", json!(path.display().to_string())).with("line", json!(line))
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        wrong(line_at(sound, sound.len()), "it is not in UTF-8")
    })?;
    // The error's own text quotes the file, which may contain secrets.
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map(|span| span.start).unwrap_or_default();
        wrong(line_at(bytes, at), error.message())
    })?;
    let mut file = FileEntries { bytes, entries: BTreeMap::new() };
    file.flatten("", table.get_ref()).map_err(|(key, line)| {
        let message =
            format!("Setting '{key}' in {} line {line} has a value of a kind that no setting has", path.display());
        ToolError::validation(&message).with("setting", json!(key)).with("line", json!(line))
    })?;
    Ok(SettingsFile { path: Some(path.to_owned()), entries: file.entries })
}

/// The number of the line with the byte at `at`, from 1.
fn line_at(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or(bytes);
    before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1)
}

/// Flattens the tables of a file.
struct FileEntries<'a> {
    bytes: &'a [u8],
    entries: BTreeMap<String, FileEntry>,
}

impl FileEntries<'_> {
    /// Collects the values of nested tables, with dots between their keys. Fails with the key and line of a date or a
    /// nested array.
    fn flatten(&mut self, prefix: &str, table: &DeTable<'_>) -> Result<(), (String, usize)> {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let line = self.line(key.span());
            match value.get_ref() {
                DeValue::Table(inner) if !inner.is_empty() => self.flatten(&format!("{name}."), inner)?,
                other => {
                    let words = words(other).ok_or_else(|| (name.clone(), line))?;
                    let is_empty_table = matches!(other, DeValue::Table(_));
                    self.entries.insert(name, FileEntry { value: RawValue::Many(words), line, is_empty_table });
                }
            }
        }
        Ok(())
    }

    fn line(&self, span: Range<usize>) -> usize {
        line_at(self.bytes, span.start)
    }
}

/// The words of a value: none for an empty table.
fn words(value: &DeValue<'_>) -> Option<Vec<OsString>> {
    match value {
        DeValue::Table(_) => Some(Vec::new()),
        DeValue::Array(items) => items.iter().map(Spanned::get_ref).map(word).collect(),
        other => Some(vec![word(other)?]),
    }
}

fn word(value: &DeValue<'_>) -> Option<OsString> {
    match value {
        DeValue::String(text) => Some(text.as_ref().into()),
        DeValue::Integer(number) => Some(decimal(number.as_str(), number.radix()).into()),
        DeValue::Float(number) => Some(number.as_str().into()),
        DeValue::Boolean(switch) => Some(switch.to_string().into()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// A number in decimal. One that is too large keeps its digits, and no setting takes it.
fn decimal(digits: &str, radix: u32) -> String {
    i128::from_str_radix(digits, radix).map_or_else(|_| digits.to_owned(), |number| number.to_string())
}
