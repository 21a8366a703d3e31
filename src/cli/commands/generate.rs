//! `pagewise completions` and `pagewise man`, from the definition of the command line.

use std::io::{self, Write as _};

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
    let failed = |error: io::Error| ToolError::new(ErrorCode::WriteFailed, format!("Cannot write the page: {error}"));
    page(command, title).map(bytes).map_err(failed)
}

/// A manual page. clap_mangen fills examples, and has one heading for all that stands after the options.
fn page(mut command: Command, title: String) -> io::Result<Vec<u8>> {
    let usage = command.render_usage().to_string();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (has_commands, has_version) = (command.has_subcommands(), command.get_version().is_some());
    let manual = clap_mangen::Man::new(command).title(title);
    let mut page = Vec::new();
    manual.render_title(&mut page)?;
    manual.render_name_section(&mut page)?;
    let usage = usage.trim_start_matches("Usage: ").lines().map(|line| format!("  {}", line.trim()));
    section(&mut page, "SYNOPSIS", usage)?;
    manual.render_description_section(&mut page)?;
    manual.render_options_section(&mut page)?;
    if has_commands {
        manual.render_subcommands_section(&mut page)?;
    }
    for part in after.split("\n\n").filter(|part| !part.is_empty()) {
        let (heading, text) = part.split_once(':').unwrap_or(("Notes", part));
        let heading = if heading == "Example" { "EXAMPLES".to_owned() } else { heading.to_uppercase() };
        section(&mut page, &heading, text.lines().map(str::to_owned))?;
    }
    if has_version {
        manual.render_version_section(&mut page)?;
    }
    Ok(page)
}

/// A section, whose indented lines are printed as they are.
fn section(page: &mut Vec<u8>, heading: &str, lines: impl Iterator<Item = String>) -> io::Result<()> {
    writeln!(page, ".SH {heading}")?;
    lines.filter(|line| !line.trim().is_empty()).try_for_each(|line| match line.strip_prefix("  ") {
        Some(command) => writeln!(page, ".nf\n{}\n.fi", escaped(command)),
        None => writeln!(page, "{}", escaped(line.trim())),
    })
}

/// `text` as roff prints it: its own characters, which a shell can read back.
fn escaped(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('~', "\\(ti");
    if escaped.starts_with('.') { format!("\\&{escaped}") } else { escaped }
}

fn named(program: &Command, name: &str) -> Result<Command, ToolError> {
    let found = program.find_subcommand(name).filter(|command| !command.is_hide_set()).cloned();
    found.ok_or_else(|| ToolError::validation(&format!("There is no command '{name}'")))
}

fn bytes(bytes: Vec<u8>) -> Report {
    Report { text: Output::Bytes(bytes), ..Report::new(String::new(), Value::Null) }
}
