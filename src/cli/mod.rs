//! The command line: the only room that prints.

mod answers;
mod arguments;
mod commands;
mod config;
mod log;
mod open;
mod terminal;
#[cfg(test)]
mod tests;
mod watchdog;
mod worker;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use serde_json::json;

use self::arguments::flags::ColorWhen;
use self::arguments::parameters::expected_value;
use self::arguments::{Command, CommandLine};
use self::commands::{ask, context, cut, doctor, fetch, generate, get_file, index, pdf, serve, settings};
use self::config::LoadedSettings;
use self::terminal::print::{self, Report};
use self::terminal::screen::Screen;
use crate::context::is_document_name;
use crate::source::is_url;
use crate::tool::{ToolError, restart_once};

/// Exit status of a request that was refused: a bad argument or file.
const REFUSED: u8 = 1;

/// Exit status of a request that failed.
const FAILED: u8 = 2;

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    if let Some(bytes) = worker::memory_bytes(std::env::args_os()) {
        return worker::run(bytes);
    }
    if let Some((bytes, path, arguments)) = worker::tesseract(std::env::args_os()) {
        return worker::run_tesseract(bytes, &path, &arguments);
    }
    ColorWhen::typed(words()).apply();
    let typed = parse(std::env::args_os().collect())
        .and_then(|matches| Ok((CommandLine::from_arg_matches(&matches)?, matches)));
    let (typed, matches) = match typed {
        Ok(typed) => typed,
        Err(error) => return usage_error(&error),
    };
    let is_table = |command: &Command| matches!(command, Command::Tables(tables) if tables.wants_json());
    let is_json = typed.json.json || typed.command.as_ref().is_some_and(is_table);
    match answer(typed, &matches) {
        Ok(report) => print::report(report, is_json),
        Err(error) => print::refusal(&error, is_json),
    }
}

/// Reads a command line. A document in place of a command is one to summarise.
fn parse(mut words: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    CommandLine::command().try_get_matches_from(&words).or_else(|error| {
        if let Some(at) = document_place(&error, &words) {
            words.insert(at, "get-file".into());
        }
        // Help and errors need the arguments of all commands, which are deferred otherwise.
        let mut all = CommandLine::command();
        all.build();
        all.try_get_matches_from(&words)
    })
}

/// Where a document stands that was taken for an unknown command.
fn document_place(error: &clap::Error, words: &[OsString]) -> Option<usize> {
    let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let (container, _) = command.split_once('#').unwrap_or((command, ""));
    let is_document = Path::new(command).exists() || is_url(command) || is_document_name(Path::new(container));
    let place = words.iter().skip(1).position(|word| word.to_string_lossy() == *command);
    place.filter(|_| is_document).map(|place| place + 1)
}

fn answer(typed: CommandLine, matches: &ArgMatches) -> Result<Report, ToolError> {
    let has_no_json = typed.command.as_ref().is_some_and(Command::has_no_json) && !typed.settings.print_config;
    if typed.json.json && has_no_json {
        return Err(ToolError::parameter("--json", "has no effect here: this command prints no result"));
    }
    match &typed.command {
        // These read no settings.
        Some(Command::Completions(arguments)) => return Ok(generate::completions(arguments)),
        Some(Command::Man(arguments)) => return generate::man(arguments),
        _ => {}
    }
    let mut loaded = config::load(matches)?;
    loaded.config.is_json = typed.json.json;
    if typed.settings.print_config {
        return Ok(Report::new(config::as_toml(&loaded), config::as_json(&loaded, None)));
    }
    let is_server = matches!(typed.command, Some(Command::Serve(_)));
    // A server logs its warnings.
    loaded.warnings.iter().filter(|_| !is_server).for_each(|text| print::warning(text));
    let screen = Screen::of_stdout();
    let none = || ToolError::required("COMMAND").hint("pagewise --help shows all commands.");
    let command = typed.command.ok_or_else(none)?;
    restart_once(|| run_command(&command, &loaded, screen))
}

fn run_command(command: &Command, loaded: &LoadedSettings, screen: Screen) -> Result<Report, ToolError> {
    let config = &loaded.config;
    if let Some((document, out)) = command.document() {
        open::check_conversation(document)?;
        out.map_or(Ok(()), |out| open::spare_source(&document.path, out, config))?;
    }
    match command {
        Command::GetFile(arguments) => get_file::run(arguments, config, screen),
        Command::Page(arguments) => {
            watchdog::catch_panic(&arguments.arguments.document.path, || cut::page(arguments, config))
        }
        Command::Split(arguments) => {
            watchdog::catch_panic(&arguments.arguments.document.path, || cut::split(arguments, config))
        }
        Command::Info(command) => pdf::info(command, config, screen),
        Command::Text(arguments) => pdf::text(arguments, config),
        Command::Tables(arguments) => pdf::tables(arguments, config),
        Command::Images(arguments) => pdf::images(arguments, config),
        Command::Attachments(arguments) => pdf::attachments(arguments, config),
        Command::Diff(arguments) => pdf::diff(arguments, config),
        Command::Ocr(arguments) => pdf::ocr(arguments, config),
        Command::Render(arguments) => pdf::render(arguments, config),
        Command::Search(command) => pdf::search(&command.arguments, config, screen),
        Command::Outline(command) => pdf::outline(&command.arguments, config, screen),
        Command::Ask(command) => ask::run(&command.arguments, config),
        Command::Fetch(command) => fetch::fetch(&command.arguments, config),
        Command::Content(command) => fetch::content(&command.arguments, config),
        Command::Push(arguments) => commands::push::run(arguments, config),
        Command::Context(arguments) => context::run(&arguments.command, config, screen),
        Command::Index(arguments) => index::run(&arguments.command, config),
        Command::Inspect(arguments) => commands::inspect::run(arguments, config),
        Command::Doctor(arguments) => doctor::run(arguments, config, screen),
        Command::Settings(arguments) => settings::run(arguments, loaded, screen),
        Command::Serve(_) => serve::run(loaded),
        Command::Completions(arguments) => Ok(generate::completions(arguments)),
        Command::Man(arguments) => generate::man(arguments),
    }
}

/// Prints clap's explanation. Help and version count as success.
fn usage_error(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return print::clap_text(error, ExitCode::SUCCESS);
    }
    let is_json = words().any(|argument| argument == "--json");
    if let Some(refusal) = wrong_value(error) {
        return print::refusal(&refusal, is_json);
    }
    if is_json {
        return print::refusal(&as_tool_error(error), true);
    }
    print::clap_text(error, ExitCode::from(REFUSED))
}

/// What was typed, up to `--`.
fn words() -> impl Iterator<Item = String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.take_while(|word| word != "--")
}

/// A value of the wrong type, refused as every door refuses it.
fn wrong_value(error: &clap::Error) -> Option<ToolError> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let typed = argument_name(argument);
    let (name, expected) = expected_value(typed).filter(|_| error.kind() == ErrorKind::ValueValidation)?;
    Some(ToolError::parameter(name, &format!("must be {expected}")))
}

/// Names the first missing argument; other errors keep clap's words.
fn as_tool_error(error: &clap::Error) -> ToolError {
    let explanation = error.render().to_string();
    let missing = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(names))) => names.first(),
        _ => None,
    };
    let refusal = match missing {
        Some(name) => ToolError::required(argument_name(name)),
        None => {
            let first = explanation.lines().next().unwrap_or_default();
            ToolError::validation(first.trim_start_matches("error: "))
        }
    };
    refusal.with("explanation", json!(explanation.trim_end()))
}

/// `PATH` of `<PATH>`, `--out` of `--out <FILE>`.
fn argument_name(usage: &str) -> &str {
    usage.split_whitespace().next().unwrap_or(usage).trim_matches(['<', '>'])
}
