//! `pagewise doctor`.

use super::config::Config;
use super::pdf::as_json;
use super::print::Report;
use super::settings;
use crate::tool::{DoctorResult, ToolError};

/// Answers `doctor`. It fails where something that a server needs does not work.
pub(super) fn run(config: &Config) -> Result<Report, ToolError> {
    let result = DoctorResult::of(&settings::server_surroundings(config).diagnose());
    let is_failure = !result.is_healthy();
    Ok(Report { is_failure, ..Report::new(result.text(), as_json(&result)?) })
}
