//! `pagewise completions` and `pagewise man`, from the definition of the command line.

use clap::{Command, CommandFactory};
use serde_json::Value;

use crate::cli::arguments::CommandLine;
use crate::cli::arguments::program::{Completions, Man};
use crate::cli::terminal::print::{Output, Report};
use crate::tool::{ErrorCode, ToolError};

/// The completion script of a shell.
pub(crate) fn completions(typed: &Completions) -> Report {
    let mut script = Vec::new();
    clap_complete::generate(typed.shell, &mut CommandLine::command(), "pagewise", &mut script);
    bytes(script)
}

/// The manual page of the program, or of one of its commands.
pub(crate) fn man(typed: &Man) -> Result<Report, ToolError> {
    let mut program = CommandLine::command();
    program.build();
    let command = typed.command.iter().try_fold(program, |command, name| named(&command, name))?;
    let title =
        std::iter::once("pagewise").chain(typed.command.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    let mut page = Vec::new();
    let failed =
        |error: std::io::Error| ToolError::new(ErrorCode::WriteFailed, format!("Cannot write the page: {error}"));
    clap_mangen::Man::new(command).title(title).render(&mut page).map_err(failed)?;
    // clap_mangen has no other heading for the text after the options.
    Ok(bytes(String::from_utf8_lossy(&page).replace("\n.SH EXTRA\n", "\n.SH EXAMPLES\n").into_bytes()))
}

fn named(program: &Command, name: &str) -> Result<Command, ToolError> {
    let found = program.find_subcommand(name).filter(|command| !command.is_hide_set()).cloned();
    found.ok_or_else(|| ToolError::validation(&format!("There is no command '{name}'")))
}

fn bytes(bytes: Vec<u8>) -> Report {
    Report { text: Output::Bytes(bytes), ..Report::new(String::new(), Value::Null) }
}
