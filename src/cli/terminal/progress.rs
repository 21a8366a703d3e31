//! The progress of long work, in a terminal.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::Poll;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::terminal::print::warning;
use crate::cli::watchdog::Watchdog;
use crate::context::ProgressListener;

/// A progress bar on standard error.
pub(crate) struct TerminalProgress {
    bar: ProgressBar,
    /// Watches work in this process.
    watchdog: Option<Watchdog>,
    stopped: Arc<AtomicBool>,
}

impl TerminalProgress {
    /// For work that writes no files: an interrupt ends the process.
    pub(crate) fn new() -> Self {
        Self { bar: bar(), watchdog: None, stopped: Arc::default() }
    }

    /// For work of workers that writes files: an interrupt stops it between two files.
    pub(crate) fn writing() -> Self {
        Self { bar: bar(), watchdog: None, stopped: stop_flag() }
    }

    /// The same for work in this process.
    pub(crate) fn interruptible(watchdog: Watchdog) -> Self {
        Self { bar: bar(), watchdog: Some(watchdog), stopped: stop_flag() }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl ProgressListener for TerminalProgress {
    fn starts(&self, pages: u64) {
        start(&self.bar, pages, "pages");
    }

    fn starts_documents(&self, documents: u64) {
        start(&self.bar, documents, "PDFs");
    }

    fn page_done(&self) {
        self.bar.inc(1);
        self.watchdog.iter().for_each(Watchdog::step);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Invisible until it is known how much there is to do.
fn bar() -> ProgressBar {
    ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
}

/// Shows the bar if standard error is a terminal, and there is more than one thing to do.
fn start(bar: &ProgressBar, total: u64, noun: &str) {
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {noun}{{left}}"));
    let left = |state: &ProgressState, line: &mut dyn std::fmt::Write| {
        // Nothing is known of the time before the first is done.
        if state.pos() > 0 {
            let _ = write!(line, ", {:#} left", indicatif::HumanDuration(state.eta()));
        }
    };
    bar.set_style(style.map_or_else(|_| ProgressStyle::default_bar(), |style| style.with_key("left", left)));
    bar.set_length(total);
    if total > 1 {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
}

/// A flag that the first interrupt sets. Without a handler the process could end between writing a file and renaming it,
/// so the handler is in place before this returns.
fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&flag);
    let (in_place, is_in_place) = mpsc::channel();
    let waiting = std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        let mut interrupt = pin!(tokio::signal::ctrl_c());
        // The first poll puts the handler in place.
        let first = runtime.block_on(poll_fn(|context| Poll::Ready(interrupt.as_mut().poll(context))));
        if matches!(first, Poll::Ready(Err(_))) {
            return;
        }
        let _ = in_place.send(());
        if first.is_ready() || runtime.block_on(interrupt).is_ok() {
            stop.store(true, Ordering::Relaxed);
        }
    });
    // A thread that fails drops its sender.
    if waiting.is_err() || is_in_place.recv().is_err() {
        warning("an interrupt may leave a temporary file: its handler could not be installed");
    }
    flag
}
