//! The four layers, from the weakest to the strongest: each is read whole, so that what is wrong in one is told even
//! where another overrides it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::json;

use super::Config;
use super::file::{self, SettingsFile};
use super::slot::Given;
use super::table::{FILE_VARIABLE, SETTINGS, Setting, VARIABLES};
use crate::tool::ToolError;

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Default,
    File,
    Environment,
    Flag,
}

/// The settings of this process.
#[derive(Debug)]
pub(in crate::cli) struct Loaded {
    /// Their values.
    pub(in crate::cli) config: Config,
    /// Where each came from, in the order of the table.
    pub(super) layers: Vec<Layer>,
    /// The file that was read.
    pub(super) file: Option<PathBuf>,
    /// Variables that look like settings and are none, in sentences.
    pub(in crate::cli) warnings: Vec<String>,
}

/// Reads all layers for the command line `matches`.
///
/// # Errors
/// `validation_error` for an unknown setting and for a value of the wrong kind; what a named file cannot be read for.
pub(in crate::cli) fn load(matches: &ArgMatches) -> Result<Loaded, ToolError> {
    let commands = commands(matches);
    let file = file::read(commands.iter().find_map(|command| command.get_one::<PathBuf>("config").cloned()))?;
    let set = set_flags(&commands)?;
    check_names(&file, &set)?;
    let mut loaded = Loaded {
        config: Config::default(),
        layers: Vec::new(),
        file: file.path.clone(),
        warnings: unknown_variables(),
    };
    for setting in SETTINGS {
        let layer = place(setting, &mut loaded.config, &file, &commands, &set)?;
        loaded.layers.push(layer);
    }
    loaded.config.database()?;
    if loaded.config.no_sandbox && loaded.config.require_sandbox {
        return Err(ToolError::validation("Settings 'no_sandbox' and 'require_sandbox' exclude each other"));
    }
    Ok(loaded)
}

/// The command line, its subcommand, and that one's.
fn commands(matches: &ArgMatches) -> Vec<&ArgMatches> {
    std::iter::successors(Some(matches), |command| command.subcommand().map(|(_, inner)| inner)).collect()
}

/// Puts the values of every layer in their place; the strongest that had one.
fn place(
    setting: &Setting,
    config: &mut Config,
    file: &SettingsFile,
    commands: &[&ArgMatches],
    set: &BTreeMap<String, Given>,
) -> Result<Layer, ToolError> {
    let mut strongest = Layer::Default;
    let mut put = |layer: Layer, said: &str, given: Option<&Given>| -> Result<(), ToolError> {
        let Some(given) = given else { return Ok(()) };
        strongest = layer;
        (setting.slot)(config).put(given).map_err(|expected| wrong(setting, said, expected, given))
    };
    put(Layer::File, setting.name, file.values.get(setting.name))?;
    put(Layer::File, setting.name, entries(setting, &file.values).as_ref())?;
    let variables = std::iter::once(setting.variable()).chain(setting.also.iter().map(|name| (*name).to_owned()));
    let variable = variables.filter_map(|name| Some((variable(&name)?, name))).next();
    if let Some((given, name)) = variable {
        put(Layer::Environment, &name, Some(&given))?;
    }
    put(Layer::Flag, setting.name, set.get(setting.name))?;
    put(Layer::Flag, setting.name, entries(setting, set).as_ref())?;
    let own = setting.flag.and_then(|(id, _)| commands.iter().find_map(|command| flag(command, id)));
    put(Layer::Flag, setting.name, own.as_ref())?;
    Ok(strongest)
}

/// The entries of a table, each set by its own name: as words that say the same.
fn entries(setting: &Setting, values: &BTreeMap<String, Given>) -> Option<Given> {
    let entry = |(name, given): (&String, &Given)| {
        let entry = setting.entry(name)?;
        Some(OsString::from(format!("{entry}={}", words(given))))
    };
    let words = values.iter().filter_map(entry).collect::<Vec<_>>();
    (!words.is_empty()).then_some(Given::Many(words))
}

/// An empty variable is none: that is how a shell takes one away.
fn variable(name: &str) -> Option<Given> {
    env::var_os(name).filter(|value| !value.is_empty()).map(Given::One)
}

/// What was typed for the flag `id`, and not what clap put there.
fn flag(command: &ArgMatches, id: &str) -> Option<Given> {
    if !command.try_contains_id(id).unwrap_or(false) || command.value_source(id) != Some(ValueSource::CommandLine) {
        return None;
    }
    let words = command.try_get_raw(id).ok().flatten()?;
    Some(Given::Many(words.map(OsStr::to_owned).collect()))
}

/// The values of `--set`, by name.
fn set_flags(commands: &[&ArgMatches]) -> Result<BTreeMap<String, Given>, ToolError> {
    let typed = commands.iter().find_map(|command| command.get_many::<String>("set"));
    let pair = |word: &String| {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            ToolError::validation("Parameter '--set' must be a setting's name and its value, as in max_pages=500")
        })?;
        Ok((name.trim().to_owned(), Given::One(OsString::from(value))))
    };
    typed.into_iter().flatten().map(pair).collect()
}

fn check_names(file: &SettingsFile, set: &BTreeMap<String, Given>) -> Result<(), ToolError> {
    let place = file.path.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
    let of_file = file.values.keys().map(|name| (name, place.as_str()));
    let mut all = of_file.chain(set.keys().map(|name| (name, "")));
    let is_known = |name: &str| SETTINGS.iter().any(|setting| setting.name == name || setting.entry(name).is_some());
    let unknown = all.find(|(name, _)| !is_known(name));
    let Some((name, place)) = unknown else { return Ok(()) };
    let error = ToolError::validation(&format!("Unknown setting '{name}'{place}")).with("setting", json!(name));
    let names = SETTINGS.iter().map(|setting| setting.name.to_owned());
    Err(match nearest(name, names) {
        Some(near) => error.hint(&format!("The nearest setting is '{near}'.")),
        None => error.hint("pagewise --print-config shows all settings."),
    })
}

fn unknown_variables() -> Vec<String> {
    let known = || SETTINGS.iter().map(Setting::variable).chain([FILE_VARIABLE.to_owned()]);
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| name.starts_with(VARIABLES) && !known().any(|known| known == *name));
    let told = unknown.map(|name| match nearest(&name, known()) {
        Some(near) => format!("{name} is no setting; the nearest is {near}"),
        None => format!("{name} is no setting"),
    });
    told.collect()
}

/// The name that was probably meant.
fn nearest(typed: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let alike = names.map(|name| (strsim::jaro_winkler(typed, &name), name)).filter(|(alike, _)| *alike > 0.8);
    alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

fn wrong(setting: &Setting, said: &str, expected: &str, given: &Given) -> ToolError {
    let error =
        ToolError::validation(&format!("Setting '{said}' must be {expected}")).with("setting", json!(setting.name));
    let is_secret = (setting.slot)(&mut Config::default()).is_secret();
    if is_secret { error } else { error.with("value", json!(words(given))) }
}

fn words(given: &Given) -> String {
    match given {
        Given::One(word) => word.to_string_lossy().into_owned(),
        Given::Many(words) => words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(", "),
    }
}
