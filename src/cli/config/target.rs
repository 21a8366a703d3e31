//! The types of settings: how a value is read from words, and how it is printed.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toml::Value;

use super::{IndexPlace, Secret};
use crate::cli::log::{LOG_LEVELS, LevelFilter, LogFormat};
use crate::tool::{FormArgument, ToolSet};
use pagewise_web::{AddressRange, HostPattern};

/// The field of [`Config`](super::Config) that a setting sets.
pub(super) enum SettingTarget<'a> {
    U64(&'a mut u64),
    U32(&'a mut u32),
    Usize(&'a mut usize),
    /// A number in a range.
    Bounded(&'a mut u64, RangeInclusive<u64>),
    /// A number, 1 or more.
    Positive(&'a mut usize),
    /// A number, 1 or more, with no default of its own.
    Count(&'a mut Option<NonZeroUsize>),
    /// Whole milliseconds, from 1 to [`MAX_SECONDS`].
    Milliseconds(&'a mut Duration),
    /// Whole seconds, from 1 to [`MAX_SECONDS`].
    Seconds(&'a mut Duration),
    Switch(&'a mut bool),
    Text(&'a mut Option<String>),
    Texts(&'a mut Vec<String>),
    Secret(&'a mut Option<Secret>),
    Secrets(&'a mut Vec<Secret>),
    Address(&'a mut Option<SocketAddr>),
    Folder(&'a mut Option<PathBuf>),
    Folders(&'a mut Vec<PathBuf>),
    Form(&'a mut FormArgument),
    /// A table of forms. Entries of weaker layers stay.
    Forms(&'a mut BTreeMap<String, FormArgument>),
    Tools(&'a mut ToolSet),
    LogLevel(&'a mut LevelFilter),
    LogFormat(&'a mut LogFormat),
    Index(&'a mut IndexPlace),
    Hosts(&'a mut Vec<HostPattern>),
    Ranges(&'a mut Vec<AddressRange>),
}

/// A value before it is read: one word or several.
#[derive(Debug, Clone)]
pub(super) enum RawValue {
    /// From a variable or `--set`. A list has separators in it.
    One(OsString),
    /// From an array of the file, or a repeated flag.
    Many(Vec<OsString>),
}

impl RawValue {
    /// Whether it is blank, which unsets the value of a weaker layer.
    fn is_blank(&self) -> bool {
        self.one().is_some_and(|word| word.to_str().is_some_and(|text| text.trim().is_empty()))
    }

    fn one(&self) -> Option<&OsStr> {
        match self {
            Self::One(word) => Some(word),
            Self::Many(words) => match words.as_slice() {
                [word] => Some(word),
                _ => None,
            },
        }
    }

    fn text(&self) -> Option<&str> {
        self.one()?.to_str().map(str::trim)
    }

    /// A list; in one word it has commas.
    fn items<T: std::str::FromStr>(&self) -> Option<Vec<T>> {
        let words = match self {
            Self::One(word) => word.to_str()?.split(',').collect(),
            Self::Many(words) => words.iter().map(|word| word.to_str()).collect::<Option<Vec<_>>>()?,
        };
        words.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
    }

    /// A number that TOML can hold, so that printed settings can be read back.
    fn number<N: TryFrom<i64>>(&self) -> Option<N> {
        // As in TOML, underscores may stand between digits.
        self.text()?.replace('_', "").parse::<i64>().ok()?.try_into().ok()
    }

    fn number_within<N: TryFrom<i64> + PartialOrd>(&self, range: &RangeInclusive<N>) -> Option<N> {
        self.number().filter(|number| range.contains(number))
    }

    /// The value that `read` returns; `None` for a blank one.
    fn optional<T>(&self, read: impl FnOnce(&Self) -> Option<T>) -> Option<Option<T>> {
        if self.is_blank() { Some(None) } else { read(self).map(Some) }
    }
}

/// The longest time: 100 years, which every clock can add to the present.
const MAX_SECONDS: u64 = 100 * 366 * 24 * 60 * 60;

impl SettingTarget<'_> {
    /// Sets the field. Fails with a description of the values that it takes.
    pub(super) fn set(self, raw: &RawValue) -> Result<(), String> {
        let expected = self.expected();
        self.read(raw).ok_or(expected)
    }

    fn read(self, raw: &RawValue) -> Option<()> {
        match self {
            Self::U64(place) => put(place, raw.number()),
            Self::U32(place) => put(place, raw.number()),
            Self::Usize(place) => put(place, raw.number()),
            Self::Bounded(place, range) => put(place, raw.number_within(&range)),
            Self::Positive(place) => put(place, raw.number_within(&(1..=usize::MAX))),
            Self::Count(place) => put(place, raw.optional(|raw| NonZeroUsize::new(raw.number()?))),
            Self::Milliseconds(place) => {
                put(place, raw.number_within(&(1..=MAX_SECONDS * 1_000)).map(Duration::from_millis))
            }
            Self::Seconds(place) => put(place, raw.number_within(&(1..=MAX_SECONDS)).map(Duration::from_secs)),
            Self::Switch(place) => put(place, raw.text().and_then(switch)),
            Self::Secret(place) => {
                // Blanks may be part of a secret.
                let raw = raw.one().and_then(secret);
                put(place, raw.map(|secret| Some(secret).filter(|secret| !secret.0.is_empty())))
            }
            Self::Text(place) => put(place, raw.optional(|raw| raw.text().map(str::to_owned))),
            Self::Secrets(place) => put(place, texts(raw).map(|all| all.into_iter().map(Secret).collect())),
            Self::Texts(place) => put(place, texts(raw)),
            Self::Address(place) => put(place, raw.optional(|raw| raw.text()?.parse().ok())),
            Self::Folder(place) => put(place, raw.optional(|raw| raw.one().map(folder))),
            Self::Folders(place) => put(place, Some(folders(raw))),
            Self::Hosts(place) => put(place, raw.items()),
            Self::Ranges(place) => put(place, raw.items()),
            Self::Form(place) => put(place, raw.text().and_then(FormArgument::parse)),
            Self::Tools(place) => put(place, texts(raw).and_then(|words| words.join(",").parse().ok())),
            Self::LogLevel(place) => {
                let named = |name: &str| LOG_LEVELS.into_iter().find(|level| level.to_string() == name);
                put(place, raw.text().and_then(named))
            }
            Self::LogFormat(place) => {
                let named = |name| LogFormat::ALL.into_iter().find(|format| format.name() == name);
                put(place, raw.text().and_then(named))
            }
            Self::Index(place) => {
                let named = |name| IndexPlace::ALL.into_iter().find(|index| index.name() == name);
                put(place, raw.text().and_then(named))
            }
            Self::Forms(place) => {
                place.extend(forms(raw)?);
                Some(())
            }
        }
    }

    /// A description of its values.
    fn expected(&self) -> String {
        let words = match self {
            Self::Bounded(_, range) => return format!("a whole number from {} to {}", range.start(), range.end()),
            Self::U64(_) | Self::U32(_) | Self::Usize(_) => "a whole number",
            Self::Count(_) | Self::Positive(_) => "a whole number, 1 or more",
            Self::Milliseconds(_) => "a whole number of milliseconds, 1 or more, and at most 100 years",
            Self::Seconds(_) => "a whole number of seconds, 1 or more, and at most 100 years",
            Self::Switch(_) => "true or false",
            Self::Secret(_) | Self::Text(_) => "text",
            Self::Secrets(_) | Self::Texts(_) => "a list of texts",
            Self::Address(_) => "an address and a port, such as 127.0.0.1:8700",
            Self::Folder(_) => "a folder",
            Self::Folders(_) => "a list of folders",
            Self::Hosts(_) => "a list of hosts like example.com and *.example.com",
            Self::Ranges(_) => "a list of blocks of addresses like 10.0.0.0/8",
            Self::Tools(_) => "core, all, or names of tools",
            Self::LogLevel(_) => "off, error, warn, info or debug",
            Self::LogFormat(_) => "text or json",
            Self::Index(_) => "memory or disk",
            Self::Form(_) => FORMS,
            Self::Forms(_) => CLIENT_FORMS,
        };
        words.to_owned()
    }

    /// The value as TOML; `None` if there is none.
    pub(super) fn to_toml(&self) -> Option<Value> {
        match self {
            Self::U64(number) => Some(integer(**number)),
            Self::U32(number) => Some(integer(u64::from(**number))),
            Self::Usize(number) | Self::Positive(number) => Some(integer(wide(**number))),
            Self::Bounded(number, _) => Some(integer(**number)),
            Self::Count(number) => number.map(|number| integer(wide(number.get()))),
            Self::Milliseconds(time) => Some(integer(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))),
            Self::Seconds(time) => Some(integer(time.as_secs())),
            Self::Switch(switch) => Some(Value::Boolean(**switch)),
            Self::Secret(secret) => secret.as_ref().map(|_| Value::String(MASKED.to_owned())),
            Self::Text(text) => text.as_ref().map(|text| Value::String(text.clone())),
            Self::Secrets(secrets) => (!secrets.is_empty()).then(|| Value::String(MASKED.to_owned())),
            Self::Texts(texts) => Some(Value::Array(texts.iter().cloned().map(Value::String).collect())),
            Self::Address(address) => address.map(|address| Value::String(address.to_string())),
            Self::Folder(folder) => folder.as_deref().map(path),
            Self::Folders(folders) => Some(Value::Array(folders.iter().map(|folder| path(folder)).collect())),
            Self::Hosts(hosts) => Some(listed(hosts)),
            Self::Ranges(ranges) => Some(listed(ranges)),
            Self::LogLevel(level) => Some(Value::String(level.to_string())),
            Self::LogFormat(format) => Some(Value::String(format.name().to_owned())),
            Self::Index(index) => Some(Value::String(index.name().to_owned())),
            Self::Form(form) => Some(Value::String(form.name().to_owned())),
            Self::Tools(tools) => Some(Value::String(tools.words())),
            Self::Forms(forms) => {
                let entry = |(name, form): (&String, &FormArgument)| (name.clone(), Value::from(form.name()));
                Some(Value::Table(forms.iter().map(entry).collect()))
            }
        }
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self, Self::Forms(_))
    }

    /// Whether the value must not be printed, not even in an error.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_) | Self::Secrets(_))
    }
}

/// Printed in place of a secret.
const MASKED: &str = "(set, not shown)";

const FORMS: &str = "auto, document, image, text, markdown, path or mixed";
const CLIENT_FORMS: &str = "names of clients, each with auto, document, image, text, markdown, path or mixed";

fn put<T>(place: &mut T, value: Option<T>) -> Option<()> {
    *place = value?;
    Some(())
}

fn switch(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

fn secret(text: &OsStr) -> Option<Secret> {
    text.to_str().map(|text| Secret(text.to_owned()))
}

/// A list of texts; in one word it has commas.
fn texts(raw: &RawValue) -> Option<Vec<String>> {
    let trimmed = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    match raw {
        RawValue::One(word) => Some(word.to_str()?.split(',').filter_map(trimmed).collect()),
        RawValue::Many(words) => {
            let words = words.iter().map(|word| word.to_str()).collect::<Option<Vec<_>>>()?;
            Some(words.into_iter().filter_map(trimmed).collect())
        }
    }
}

/// The entries of a table, each `name=form`.
fn forms(raw: &RawValue) -> Option<Vec<(String, FormArgument)>> {
    let entry = |word: String| {
        let (name, form) = word.rsplit_once('=')?;
        let name = Some(name.trim()).filter(|name| !name.is_empty())?;
        Some((name.to_owned(), FormArgument::parse(form.trim())?))
    };
    texts(raw)?.into_iter().map(entry).collect()
}

/// A list of folders; in one word it is separated as in `PATH`.
fn folders(raw: &RawValue) -> Vec<PathBuf> {
    let paths = match raw {
        RawValue::One(word) => env::split_paths(word).collect::<Vec<_>>(),
        RawValue::Many(words) => words.iter().map(PathBuf::from).collect(),
    };
    let named = paths.iter().filter(|path| !path.as_os_str().is_empty());
    named.map(|path| folder(path.as_os_str())).collect()
}

/// A path, in which a leading `~/` is the home folder: no shell expands the values of a file.
fn folder(word: &OsStr) -> PathBuf {
    let path = PathBuf::from(word);
    match (path.strip_prefix("~"), env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

fn path(path: &std::path::Path) -> Value {
    Value::String(path.display().to_string())
}

fn listed<T: ToString>(items: &[T]) -> Value {
    Value::Array(items.iter().map(|item| Value::String(item.to_string())).collect())
}

fn integer(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
