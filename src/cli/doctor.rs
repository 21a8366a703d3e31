//! `pagewise doctor`.

use super::arguments::Sandbox;
use super::pdf::as_json;
use super::print::Report;
use super::settings;
use crate::tool::{DoctorResult, ToolError};

/// Answers `doctor`. It fails where something that a server needs does not work.
pub(super) fn run(sandbox: Sandbox) -> Result<Report, ToolError> {
    let result = DoctorResult::of(&settings::server_surroundings(Vec::new(), None, sandbox)?.diagnose());
    let is_failure = !result.is_healthy();
    Ok(Report { is_failure, ..Report::new(result.text(), as_json(&result)?) })
}
