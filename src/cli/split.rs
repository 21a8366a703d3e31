//! `pagewise split`.

use super::arguments::Split;
use super::config::Config;
use super::pdf::{as_json, document};
use super::print::{Output, Report};
use super::progress::Terminal;
use super::settings;
use super::watchdog::Watchdog;
use crate::tool::{self, SplitResult, ToolError};

/// Answers `split`.
pub(super) fn run(typed: &Split, config: &Config) -> Result<Report, ToolError> {
    let watchdog = Watchdog::of(&typed.path, typed.json.json, config);
    let pdf = settings::open_pdf_confined(&document(&typed.path, &typed.owner, config), &typed.out_dir, config)?;
    watchdog.step();
    let watcher = Terminal::interruptible(watchdog);
    let result = tool::split(&pdf, typed.pages.as_deref(), &typed.out_dir, &watcher)?;
    watcher.finish();
    let is_failure = result.interrupted || !result.failed.is_empty();
    Ok(Report { text: Output::Text(text(&result)), json: as_json(&result)?, delivery: None, is_failure })
}

fn text(result: &SplitResult) -> String {
    let SplitResult { written, bytes, out_dir, .. } = result;
    let mut lines = vec![format!("{written} pages written to {}: {bytes} bytes", out_dir.display())];
    lines.extend(result.failed.iter().map(|failed| format!("Page {} failed: {}", failed.page, failed.reason)));
    lines.extend(result.interrupted.then(|| "Interrupted: the other pages were not written".to_owned()));
    lines.join("\n")
}
