//! `pagewise doctor`.

use crate::cli::answers;
use crate::cli::arguments::program::Doctor;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::screen::Screen;
use crate::tool::{DoctorResult, ToolError, result_json};

/// Answers `doctor`, which fails if something that a server needs does not work.
pub(crate) fn run(arguments: &Doctor, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let context_config = open::server_config(config)?;
    let mut result = DoctorResult::of(&context_config.diagnose());
    if arguments.store {
        result.add_store(context_config.inspect_store());
    }
    let is_failure = !result.is_healthy();
    Ok(Report { is_failure, ..Report::new(answers::doctor::text(&result, screen), result_json(&result)?) })
}
