//! The file of settings: TOML, at `--config`, else at `PAGEWISE_CONFIG`, else in the user's configuration folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::json;
use toml::{Table, Value};

use super::home_folder;
use super::slot::Given;
use super::table::FILE_VARIABLE;
use crate::tool::{ErrorCode, ToolError};

/// Values by the names of their settings, and the file that they are from.
#[derive(Debug, Default)]
pub(super) struct SettingsFile {
    pub(super) path: Option<PathBuf>,
    pub(super) values: BTreeMap<String, Given>,
}

/// Reads the file at `flag`, or where it is looked for otherwise. Only one that was named must be there.
pub(super) fn read(flag: Option<PathBuf>) -> Result<SettingsFile, ToolError> {
    let variable = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let named = flag.or(variable);
    let usual = || home_folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("config.toml"));
    let is_named = named.is_some();
    let Some(path) = named.or_else(usual) else { return Ok(SettingsFile::default()) };
    match fs::read_to_string(&path) {
        Ok(text) => parse(&path, &text),
        Err(error) if !is_named && error.kind() == ErrorKind::NotFound => Ok(SettingsFile::default()),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ToolError {
    let code = match error.kind() {
        ErrorKind::NotFound => ErrorCode::FileNotFound,
        ErrorKind::InvalidData => ErrorCode::ValidationError,
        _ => ErrorCode::PermissionDenied,
    };
    ToolError::new(code, format!("Cannot read settings: {} ({})", path.display(), error.kind()))
}

fn parse(path: &Path, text: &str) -> Result<SettingsFile, ToolError> {
    // The error's own text quotes the file, in which secrets may stand.
    let table = text.parse::<Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.lines().count().max(1);
        let message = format!("Cannot read settings: {} line {line}: {}", path.display(), error.message());
        ToolError::validation(&message).with("line", json!(line))
    })?;
    let mut values = BTreeMap::new();
    flatten("", &table, &mut values).map_err(|key| {
        ToolError::validation(&format!(
            "Setting '{key}' in {} has a value of a kind that no setting has",
            path.display()
        ))
    })?;
    Ok(SettingsFile { path: Some(path.to_owned()), values })
}

/// Keys of tables within tables, joined by dots; the key of a value that cannot be one.
fn flatten(prefix: &str, table: &Table, values: &mut BTreeMap<String, Given>) -> Result<(), String> {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        match value {
            Value::Table(inner) => flatten(&format!("{name}."), inner, values)?,
            Value::Array(items) => {
                let words = items.iter().map(word).collect::<Option<_>>().ok_or_else(|| name.clone())?;
                values.insert(name, Given::Many(words));
            }
            other => {
                let word = word(other).ok_or_else(|| name.clone())?;
                values.insert(name, Given::Many(vec![word]));
            }
        }
    }
    Ok(())
}

fn word(value: &Value) -> Option<OsString> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Integer(number) => Some(number.to_string().into()),
        Value::Float(number) => Some(number.to_string().into()),
        Value::Boolean(switch) => Some(switch.to_string().into()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}
