//! Progress notifications of long calls.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::context::ProgressListener;
use pagewise_base::limits::Cancellation;

/// Least time between two notifications.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// The progress of one call, and its cancellation.
pub(super) struct ToolProgress {
    state: watch::Sender<(u64, u64)>,
    pages: AtomicU64,
    cancellation: Cancellation,
}

impl ToolProgress {
    pub(super) fn new(cancellation: Cancellation) -> Self {
        Self { state: watch::Sender::new((0, 0)), pages: AtomicU64::new(0), cancellation }
    }

    /// A notifier for the client; it sends nothing if the client gave no progress token.
    pub(super) fn notifier(&self, context: &RequestContext<RoleServer>) -> ProgressNotifier {
        let token = context.meta.get_progress_token();
        ProgressNotifier { changes: self.state.subscribe(), to: token.map(|token| (token, context.peer.clone())) }
    }
}

impl ProgressListener for ToolProgress {
    fn starts(&self, pages: u64) {
        self.pages.store(pages, Ordering::Relaxed);
    }

    fn page_done(&self) {
        let pages = self.pages.load(Ordering::Relaxed);
        self.state.send_modify(|(done, total)| (*done, *total) = (done.saturating_add(1), pages));
    }

    fn is_stopped(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

/// Sends progress notifications to a client.
pub(super) struct ProgressNotifier {
    changes: watch::Receiver<(u64, u64)>,
    to: Option<(ProgressToken, Peer<RoleServer>)>,
}

impl ProgressNotifier {
    /// Sends the latest progress until the work ends. It finishes a notification it began, because none may follow the
    /// answer.
    pub(super) async fn run(mut self) {
        let Some((token, peer)) = self.to.take() else { return };
        while self.changes.changed().await.is_ok() {
            let (done, pages) = *self.changes.borrow_and_update();
            let params = ProgressNotificationParam::new(token.clone(), as_float(done)).with_total(as_float(pages));
            if peer.notify_progress(params.with_message(format!("page {done} of {pages}"))).await.is_err() {
                return;
            }
            self.pause().await;
        }
    }

    /// Waits until the pause is over or the work has ended.
    async fn pause(&mut self) {
        let mut pause = std::pin::pin!(sleep(MIN_INTERVAL));
        let mut is_late = false;
        loop {
            tokio::select! {
                () = pause.as_mut() => break,
                changed = self.changes.changed() => match changed {
                    Ok(()) => is_late = true,
                    Err(_) => return,
                },
            }
        }
        if is_late {
            self.changes.mark_changed();
        }
    }
}

/// A count as a JSON number. No document has more pages than fit.
fn as_float(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
