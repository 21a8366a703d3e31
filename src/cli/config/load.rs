//! Reads the four layers of settings, from the weakest to the strongest. A wrong value is an error even if a stronger
//! layer overrides it.
//!
//! This is not left to a layering crate: those merge the layers before they check types, so a wrong value of a weaker layer
//! would pass; and they keep no line of the file, and only UTF-8.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::json;

use super::Config;
use super::file::{self, FileEntry, SettingsFile};
use super::table::{FILE_VARIABLE, Setting, VARIABLES, settings};
use super::target::RawValue;
use crate::tool::ToolError;

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Default,
    File,
    Environment,
    Flag,
}

/// The settings of this process.
#[derive(Debug)]
pub(in crate::cli) struct LoadedSettings {
    /// Their values.
    pub(in crate::cli) config: Config,
    /// The origin of each, in the order of the table.
    pub(super) layers: Vec<Layer>,
    /// The file that was read.
    pub(super) file: Option<PathBuf>,
    /// A sentence for each variable that looks like a setting and is none.
    pub(in crate::cli) warnings: Vec<String>,
}

/// Reads all layers for the command line `matches`.
///
/// # Errors
/// `validation_error` for an unknown setting and for a value of the wrong kind, and errors of reading a named file.
pub(in crate::cli) fn load(matches: &ArgMatches) -> Result<LoadedSettings, ToolError> {
    let commands = commands(matches);
    let file = file::read(commands.iter().find_map(|command| command.get_one::<PathBuf>("config").cloned()))?;
    let set = set_flags(&commands)?;
    check_names(&file, &set)?;
    let mut config = Config::default();
    let sources = SettingSources { file: &file, commands: &commands, set: &set };
    let layers = settings().map(|setting| sources.apply(setting, &mut config)).collect::<Result<Vec<_>, _>>()?;
    config.database()?;
    if config.no_sandbox && config.require_sandbox {
        return Err(ToolError::validation("Settings 'no_sandbox' and 'require_sandbox' exclude each other"));
    }
    let is_set =
        |name: &str| settings().zip(&layers).any(|(setting, layer)| setting.name == name && *layer != Layer::Default);
    config.are_output_bounds_set = is_set("max_output_days") || is_set("max_output_bytes");
    Ok(LoadedSettings { config, layers, file: file.path, warnings: unknown_variables() })
}

/// The command line and its nested subcommands.
fn commands(matches: &ArgMatches) -> Vec<&ArgMatches> {
    std::iter::successors(Some(matches), |command| command.subcommand().map(|(_, inner)| inner)).collect()
}

/// The layers above the defaults.
struct SettingSources<'a> {
    file: &'a SettingsFile,
    commands: &'a [&'a ArgMatches],
    set: &'a BTreeMap<String, RawValue>,
}

impl SettingSources<'_> {
    /// Sets the value from every layer, and returns the strongest layer that has one.
    fn apply(&self, setting: &Setting, config: &mut Config) -> Result<Layer, ToolError> {
        let mut strongest = Layer::Default;
        let mut put = |layer: Layer, origin: &str, raw: &RawValue| -> Result<(), ToolError> {
            strongest = layer;
            (setting.target)(config).set(raw).map_err(|expected| wrong(setting, origin, &expected, raw))
        };
        for (name, entry) in self.file.entries.iter().filter(|(name, _)| setting.is_named_by(name)) {
            let origin = format!("Setting '{}' in {}", setting.name, self.file.location(entry));
            put(Layer::File, &origin, &setting.value_for(name, &entry.value))?;
        }
        if let Some((raw, name)) = setting.variables().find_map(|name| Some((variable(&name)?, name))) {
            put(Layer::Environment, &format!("Setting '{name}'"), &raw)?;
        }
        for (name, raw) in self.set.iter().filter(|(name, _)| setting.is_named_by(name)) {
            put(Layer::Flag, &format!("Setting '{}'", setting.name), &setting.value_for(name, raw))?;
        }
        let own = setting.flag.and_then(|(id, typed)| {
            let raw = self.commands.iter().find_map(|command| flag(command, id))?;
            Some((typed, raw))
        });
        if let Some((typed, raw)) = own {
            put(Layer::Flag, &format!("Parameter '{typed}'"), &raw)?;
        }
        Ok(strongest)
    }
}

impl Setting {
    /// Whether `name` names this setting or an entry of it.
    fn is_named_by(&self, name: &str) -> bool {
        self.name == name || self.entry(name).is_some()
    }

    /// The value for `name`, as the target reads it: an entry becomes `entry=value`.
    fn value_for(&self, name: &str, raw: &RawValue) -> RawValue {
        match self.entry(name) {
            Some(entry) => RawValue::Many(vec![OsString::from(format!("{entry}={}", words(raw)))]),
            None => raw.clone(),
        }
    }

    /// The variables that set it, its own first.
    fn variables(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.variable()).chain(self.env_aliases.iter().map(|name| (*name).to_owned()))
    }
}

/// The value of a variable. An empty one counts as unset, as shells have it.
fn variable(name: &str) -> Option<RawValue> {
    env::var_os(name).filter(|value| !value.is_empty()).map(RawValue::One)
}

/// What was typed for the flag `id`, without clap's defaults.
fn flag(command: &ArgMatches, id: &str) -> Option<RawValue> {
    if !command.try_contains_id(id).unwrap_or(false) || command.value_source(id) != Some(ValueSource::CommandLine) {
        return None;
    }
    let words = command.try_get_raw(id).ok().flatten()?;
    Some(RawValue::Many(words.map(OsStr::to_owned).collect()))
}

/// The values of `--set`, by name.
fn set_flags(commands: &[&ArgMatches]) -> Result<BTreeMap<String, RawValue>, ToolError> {
    let typed = commands.iter().find_map(|command| command.get_many::<String>("set"));
    let pair = |word: &String| {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            ToolError::validation("Parameter '--set' must be a setting's name and its value, as in max_pages=500")
        })?;
        Ok((name.trim().to_owned(), RawValue::One(OsString::from(value))))
    };
    typed.into_iter().flatten().map(pair).collect()
}

fn check_names(file: &SettingsFile, set: &BTreeMap<String, RawValue>) -> Result<(), ToolError> {
    let is_known = |name: &str| settings().any(|setting| setting.is_named_by(name));
    let holds_settings = |name: &str| settings().any(|setting| is_within(setting.name, name));
    let is_fine = |name: &str, entry: &FileEntry| is_known(name) || (entry.is_empty_table && holds_settings(name));
    let unknown = |(name, entry): &(&String, &FileEntry)| !is_fine(name, entry);
    if let Some((name, entry)) = file.entries.iter().filter(unknown).min_by_key(|(_, entry)| entry.line) {
        let message = format!("Unknown setting '{name}' in {}", file.location(entry));
        return Err(unknown_setting(name, &message).with("line", json!(entry.line)));
    }
    match set.keys().find(|name| !is_known(name)) {
        Some(name) => Err(unknown_setting(name, &format!("Unknown setting '{name}'"))),
        None => Ok(()),
    }
}

/// Whether `name` is a setting in the table `table`.
fn is_within(name: &str, table: &str) -> bool {
    name.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
}

fn unknown_setting(name: &str, message: &str) -> ToolError {
    let error = ToolError::validation(message).with("setting", json!(name));
    match nearest(name, settings().map(|setting| setting.name.to_owned())) {
        Some(near) => error.hint(&format!("The nearest setting is '{near}'.")),
        None => error.hint("pagewise settings shows them all."),
    }
}

fn unknown_variables() -> Vec<String> {
    let known = || settings().map(Setting::variable).chain([FILE_VARIABLE.to_owned()]);
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| name.starts_with(VARIABLES) && !known().any(|known| known == *name));
    let sentences = unknown.map(|name| match nearest(&name, known()) {
        Some(near) => format!("{name} is not a setting; the nearest is {near}"),
        None => format!("{name} is not a setting"),
    });
    sentences.collect()
}

/// The most similar name.
fn nearest(typed: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let similar = names.map(|name| (strsim::jaro_winkler(typed, &name), name)).filter(|(score, _)| *score > 0.8);
    similar.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

fn wrong(setting: &Setting, origin: &str, expected: &str, raw: &RawValue) -> ToolError {
    let error = ToolError::validation(&format!("{origin} must be {expected}")).with("setting", json!(setting.name));
    let is_secret = (setting.target)(&mut Config::default()).is_secret();
    if is_secret { error } else { error.with("value", json!(words(raw))) }
}

fn words(raw: &RawValue) -> String {
    match raw {
        RawValue::One(word) => word.to_string_lossy().into_owned(),
        RawValue::Many(words) => words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(", "),
    }
}
