//! The command line: the only room that prints, and the only one that names clap.

mod arguments;
mod ask;
mod doctor;
mod get_file;
mod limits;
mod memory;
mod models;
mod pdf;
mod print;
mod progress;
mod serve;
mod settings;
mod split;
mod worker;

use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::json;

use self::arguments::{Command, CommandLine, ContextCommand, Sandbox};
use self::print::Report;
use crate::tool::ToolError;

/// Exit status when a request was refused for what it asked or named.
const REFUSED: u8 = 1;

/// Exit status when a request failed.
const FAILED: u8 = 2;

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let typed = match CommandLine::try_parse() {
        Ok(typed) => typed,
        Err(error) => return misunderstood(&error),
    };
    let is_json = wants_json(&typed.command);
    match answer(typed.command, typed.sandbox) {
        Ok(report) => print::report(report, is_json),
        Err(error) => print::refusal(&error, is_json),
    }
}

fn answer(command: Command, sandbox: Sandbox) -> Result<Report, ToolError> {
    match command {
        Command::GetFile(arguments) => get_file::run(&arguments, sandbox),
        Command::Page(arguments) => pdf::page(&arguments, sandbox),
        Command::Split(arguments) => split::run(&arguments, sandbox),
        Command::Info(arguments) => pdf::info(&arguments, sandbox),
        Command::Text(arguments) => pdf::text(&arguments, sandbox),
        Command::Render(arguments) => pdf::render(&arguments, sandbox),
        Command::Search(arguments) => pdf::search(&arguments, sandbox),
        Command::Outline(arguments) => pdf::outline(&arguments, sandbox),
        Command::Ask(arguments) => ask::run(&arguments, sandbox),
        Command::Context(arguments) => match arguments.command {
            ContextCommand::Status(arguments) => memory::status(&arguments),
            ContextCommand::Forget(arguments) => memory::forget(arguments),
        },
        Command::Doctor(_) => doctor::run(sandbox),
        Command::Serve(arguments) => serve::run(arguments, sandbox),
        Command::Worker(arguments) => worker::run(&arguments),
    }
}

fn wants_json(command: &Command) -> bool {
    match command {
        Command::GetFile(arguments) => arguments.json.json,
        Command::Page(arguments) => arguments.json.json,
        Command::Split(arguments) => arguments.json.json,
        Command::Info(arguments) => arguments.json.json,
        Command::Text(arguments) => arguments.json.json,
        Command::Render(arguments) => arguments.json.json,
        Command::Search(arguments) => arguments.json.json,
        Command::Outline(arguments) => arguments.json.json,
        Command::Ask(arguments) => arguments.json.json,
        Command::Context(arguments) => match &arguments.command {
            ContextCommand::Status(arguments) => arguments.json.json,
            ContextCommand::Forget(arguments) => arguments.json.json,
        },
        Command::Doctor(arguments) => arguments.json.json,
        Command::Serve(_) | Command::Worker(_) => false,
    }
}

/// What clap refuses, it explains itself; help and version are no refusals.
fn misunderstood(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return print::clap_text(error, ExitCode::SUCCESS);
    }
    if std::env::args().any(|argument| argument == "--json") {
        return print::refusal(&as_tool_error(error), true);
    }
    print::clap_text(error, ExitCode::from(REFUSED))
}

/// The first missing argument by its name; any other misunderstanding in clap's words.
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
