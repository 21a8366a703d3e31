//! `pagewise index`.

use crate::cli::arguments::index::{IndexAdd, IndexCommand};
use crate::cli::arguments::parameters::as_typed;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::progress::TerminalProgress;
use crate::tool::{self, Caller, ToolError};

/// Answers `index …`.
pub(crate) fn run(typed: &IndexCommand, config: &Config) -> Result<Report, ToolError> {
    match typed {
        IndexCommand::Status => Ok(report(tool::index_status(&open::index_context(config)?))),
        IndexCommand::Add(typed) => add(typed, config),
        IndexCommand::Clear => Ok(report(tool::clear_index(&open::index_context(config)?)?)),
    }
}

fn add(typed: &IndexAdd, config: &Config) -> Result<Report, ToolError> {
    let context = open::index_context(config)?;
    let watcher = TerminalProgress::new();
    let answer = tool::add_to_index(&context, &typed.paths, &Caller::direct(), &watcher)?;
    watcher.finish();
    Ok(report(answer))
}

fn report(answer: tool::DataAnswer) -> Report {
    Report::new(as_typed(&answer.text), answer.structure)
}
