//! A place of [`Config`](super::Config) by its type: how it is read from words, and how it is shown.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use toml::Value;

use super::super::log::{LogFormat, LogLevel};
use super::Secret;
use crate::tool::{AddressRange, FormArgument, HostPattern};

/// Where a setting's value lies.
pub(super) enum Slot<'a> {
    U64(&'a mut u64),
    U32(&'a mut u32),
    Usize(&'a mut usize),
    /// A number that is not 0.
    Count(&'a mut Option<NonZeroUsize>),
    /// Whole milliseconds, 1 or more: nothing could be waited for.
    Milliseconds(&'a mut Duration),
    /// Whole seconds, 1 or more.
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
    /// A table of forms; entries of a weaker layer stay.
    Forms(&'a mut BTreeMap<String, FormArgument>),
    LogLevel(&'a mut LogLevel),
    LogFormat(&'a mut LogFormat),
    Hosts(&'a mut Vec<HostPattern>),
    Ranges(&'a mut Vec<AddressRange>),
}

/// A value as it was given: a word, or several.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// From a variable or `--set`; a list stands in it with its own separator.
    One(OsString),
    /// From an array of the file, or a flag given several times.
    Many(Vec<OsString>),
}

impl Given {
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

    /// Several in one word have commas between them.
    fn items<T: std::str::FromStr>(&self) -> Option<Vec<T>> {
        let words = match self {
            Self::One(word) => word.to_str()?.split(',').collect(),
            Self::Many(words) => words.iter().map(|word| word.to_str()).collect::<Option<Vec<_>>>()?,
        };
        words.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
    }

    fn number<N: std::str::FromStr>(&self) -> Option<N> {
        // TOML allows them between digits, and so do we everywhere.
        self.text()?.replace('_', "").parse().ok()
    }
}

impl Slot<'_> {
    /// Puts a value in its place; what was expected, where it is none.
    pub(super) fn put(self, given: &Given) -> Result<(), &'static str> {
        match self {
            Self::U64(place) => put(place, given.number(), "a whole number"),
            Self::U32(place) => put(place, given.number(), "a whole number"),
            Self::Usize(place) => put(place, given.number(), "a whole number"),
            Self::Count(place) => put(place, given.number().map(Some), "a whole number, 1 or more"),
            Self::Milliseconds(place) => {
                let time = given.number().filter(|number| *number > 0).map(Duration::from_millis);
                put(place, time, "a whole number of milliseconds, 1 or more")
            }
            Self::Seconds(place) => {
                let time = given.number().filter(|number| *number > 0).map(Duration::from_secs);
                put(place, time, "a whole number of seconds, 1 or more")
            }
            Self::Switch(place) => put(place, given.text().and_then(switch), "true or false"),
            Self::Secret(place) => put(place, given.one().and_then(secret).map(Some), "text"),
            Self::Text(place) => put(place, given.text().map(|text| Some(text.to_owned())), "text"),
            Self::Secrets(place) => {
                put(place, texts(given).map(|all| all.into_iter().map(Secret).collect()), "a list of texts")
            }
            Self::Texts(place) => put(place, texts(given), "a list of texts"),
            Self::Address(place) => put(
                place,
                given.text().and_then(|text| text.parse().ok()).map(Some),
                "an address and a port, such as 127.0.0.1:8700",
            ),
            Self::Folder(place) => put(place, given.one().map(folder).map(Some), "a folder"),
            Self::Folders(place) => put(place, Some(folders(given)), "a list of folders"),
            Self::Hosts(place) => put(place, given.items(), "a list of hosts like example.com and *.example.com"),
            Self::Ranges(place) => put(place, given.items(), "a list of blocks of addresses like 10.0.0.0/8"),
            Self::LogLevel(place) => {
                let named = |name| LogLevel::ALL.into_iter().find(|level| level.name() == name);
                put(place, given.text().and_then(named), "off, error, warn or info")
            }
            Self::LogFormat(place) => {
                let named = |name| LogFormat::ALL.into_iter().find(|format| format.name() == name);
                put(place, given.text().and_then(named), "text or json")
            }
            Self::Form(place) => put(place, given.text().and_then(FormArgument::parse), FORMS),
            Self::Forms(place) => {
                place.extend(forms(given).ok_or(CLIENT_FORMS)?);
                Ok(())
            }
        }
    }

    /// The value as TOML has it; `None` where there is none.
    pub(super) fn shown(&self) -> Option<Value> {
        match self {
            Self::U64(number) => Some(integer(**number)),
            Self::U32(number) => Some(integer(u64::from(**number))),
            Self::Usize(number) => Some(integer(wide(**number))),
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
            Self::LogLevel(level) => Some(Value::String(level.name().to_owned())),
            Self::LogFormat(format) => Some(Value::String(format.name().to_owned())),
            Self::Form(form) => Some(Value::String(form.name().to_owned())),
            Self::Forms(forms) => {
                let entry = |(name, form): (&String, &FormArgument)| (name.clone(), Value::from(form.name()));
                Some(Value::Table(forms.iter().map(entry).collect()))
            }
        }
    }

    /// Whether it is a table, with entries of any name.
    pub(super) fn is_table(&self) -> bool {
        matches!(self, Self::Forms(_))
    }

    /// Whether the value must not be repeated, not even where it is wrong.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_) | Self::Secrets(_))
    }
}

/// Stands for a secret that is set.
const MASKED: &str = "(set, not shown)";

const FORMS: &str = "auto, document, image, text, path or mixed";
const CLIENT_FORMS: &str = "names of clients, each with auto, document, image, text, path or mixed";

fn put<T>(place: &mut T, value: Option<T>, expected: &'static str) -> Result<(), &'static str> {
    *place = value.ok_or(expected)?;
    Ok(())
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

/// Several texts in one word are separated by commas.
fn texts(given: &Given) -> Option<Vec<String>> {
    let trimmed = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    match given {
        Given::One(word) => Some(word.to_str()?.split(',').filter_map(trimmed).collect()),
        Given::Many(words) => words.iter().map(|word| word.to_str().map(str::to_owned)).collect(),
    }
}

/// Entries of a table, each `name=form`.
fn forms(given: &Given) -> Option<Vec<(String, FormArgument)>> {
    let entry = |word: String| {
        let (name, form) = word.rsplit_once('=')?;
        let name = Some(name.trim()).filter(|name| !name.is_empty())?;
        Some((name.to_owned(), FormArgument::parse(form.trim())?))
    };
    texts(given)?.into_iter().map(entry).collect()
}

/// Several folders in one word are separated as in `PATH`.
fn folders(given: &Given) -> Vec<PathBuf> {
    match given {
        Given::One(word) => env::split_paths(word).map(|path| folder(path.as_os_str())).collect(),
        Given::Many(words) => words.iter().map(|word| folder(word)).collect(),
    }
}

/// A path, in which a leading `~/` is the home folder: no shell stands between a file and its reader.
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
