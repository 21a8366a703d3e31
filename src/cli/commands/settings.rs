//! `pagewise settings`.

use crate::cli::arguments::program::Settings;
use crate::cli::config::{LoadedSettings, as_json, as_list};
use crate::cli::terminal::print::Report;
use crate::cli::terminal::screen::Screen;
use crate::tool::ToolError;

/// Answers `settings`.
pub(crate) fn run(arguments: &Settings, loaded: &LoadedSettings, screen: Screen) -> Result<Report, ToolError> {
    let word = arguments.word.as_deref();
    let list = as_list(loaded, word, screen);
    match word {
        Some(word) if list.is_empty() => {
            let message = format!("There is no setting with '{word}' in its name or meaning");
            Err(ToolError::validation(&message).hint("pagewise settings shows them all."))
        }
        _ => Ok(Report::new(list, as_json(loaded, word))),
    }
}
