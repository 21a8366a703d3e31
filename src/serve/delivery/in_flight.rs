//! Answers that are neither recorded nor lost yet, by conversation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use crate::serve::lock::lock;

/// How long a request waits for earlier answers to be recorded. A client that asks before it reads would wait forever;
/// after this time it may get a page twice.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(500);

/// Counts the answers in flight.
#[derive(Clone)]
pub(crate) struct InFlight {
    /// By conversation; `None` counts for all conversations.
    counts: Arc<Mutex<HashMap<Option<String>, usize>>>,
    landings: Arc<watch::Sender<()>>,
}

/// Counts as one answer in flight until dropped.
pub(crate) struct Flight {
    all: InFlight,
    conversation: Option<String>,
}

impl Default for InFlight {
    fn default() -> Self {
        Self { counts: Arc::default(), landings: Arc::new(watch::Sender::new(())) }
    }
}

impl InFlight {
    /// Starts an answer to one conversation.
    pub(crate) fn begin(&self, conversation: &str) -> Flight {
        self.begin_flight(Some(conversation.to_owned()))
    }

    /// Starts something that the requests of all conversations wait for.
    pub(crate) fn begin_for_all(&self) -> Flight {
        self.begin_flight(None)
    }

    fn begin_flight(&self, conversation: Option<String>) -> Flight {
        *lock(&self.counts).entry(conversation.clone()).or_default() += 1;
        Flight { all: self.clone(), conversation }
    }

    /// Waits until every answer to a conversation is recorded or lost.
    pub(crate) async fn wait_until_settled(&self, conversation: &str) {
        let mut landings = self.landings.subscribe();
        let key = Some(conversation.to_owned());
        let is_settled = || {
            let counts = lock(&self.counts);
            !counts.contains_key(&key) && !counts.contains_key(&None)
        };
        let settling = async { while !is_settled() && landings.changed().await.is_ok() {} };
        // After the time limit the request goes on.
        let _ = tokio::time::timeout(SETTLE_TIMEOUT, settling).await;
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut counts = lock(&self.all.counts);
        match counts.get_mut(&self.conversation) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                counts.remove(&self.conversation);
            }
        }
        drop(counts);
        self.all.landings.send_replace(());
    }
}
