//! `pagewise split`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use super::arguments::{Sandbox, Split};
use super::pdf::as_json;
use super::print::{Output, Report, warning};
use super::settings;
use crate::tool::{self, SplitResult, ToolError, Watcher};

/// Answers `split`.
pub(super) fn run(typed: &Split, sandbox: Sandbox) -> Result<Report, ToolError> {
    let pdf = settings::open_pdf_confined(&typed.path, typed.password.get().as_deref(), &typed.out_dir, sandbox)?;
    let watcher = Terminal { bar: bar(), stopped: stop_flag() };
    let result = tool::split(&pdf, typed.pages.as_deref(), &typed.out_dir, &watcher)?;
    watcher.bar.finish_and_clear();
    let is_failure = result.interrupted || !result.failed.is_empty();
    Ok(Report { text: Output::Text(text(&result)), json: as_json(&result)?, delivery: None, is_failure })
}

struct Terminal {
    bar: ProgressBar,
    stopped: Arc<AtomicBool>,
}

impl Watcher for Terminal {
    fn starts(&self, pages: u64) {
        self.bar.set_length(pages);
    }

    fn page_done(&self) {
        self.bar.inc(1);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Shown on standard error where that is a terminal, and nowhere else.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pages, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Set at the first interrupt; without a handler the process would end between a file and its rename.
fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&flag);
    let waiting = std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if runtime.is_ok_and(|runtime| runtime.block_on(tokio::signal::ctrl_c()).is_ok()) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    if let Err(error) = waiting {
        warning(&format!("an interrupt may leave a temporary file: {error}"));
    }
    flag
}

fn text(result: &SplitResult) -> String {
    let SplitResult { written, bytes, out_dir, .. } = result;
    let mut lines = vec![format!("{written} pages written to {}: {bytes} bytes", out_dir.display())];
    lines.extend(result.failed.iter().map(|failed| format!("Page {} failed: {}", failed.page, failed.reason)));
    lines.extend(result.interrupted.then(|| "Interrupted: the other pages were not written".to_owned()));
    lines.join("\n")
}
