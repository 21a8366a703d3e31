//! A page is recorded as given only after the response that carries it was written and flushed.
//!
//! The SDK's handlers return before their response is written, so a delivery waits. Over standard output it waits in a
//! [`Ledger`] under the id of its request, and the transport takes it out when it writes that response; over HTTP it
//! waits in the request's exchange until the connection was flushed. A cancelled request, a failed write or a lost
//! connection commits nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::watch;

use crate::tool::Delivery;

/// How long a request waits for the answers before it to be recorded. A client that asks before it reads would wait
/// for ever; it gets a page twice instead.
const SETTLING: Duration = Duration::from_millis(500);

/// Answers that were made and are neither recorded nor lost yet, by conversation.
#[derive(Clone)]
pub(super) struct InFlight {
    counts: Arc<Mutex<HashMap<String, usize>>>,
    ended: Arc<watch::Sender<()>>,
}

/// A delivery whose response is not written yet.
pub(super) struct Pending {
    delivery: Delivery,
    _flight: Flight,
}

/// Counts as one answer in flight for as long as it lives.
struct Flight {
    all: InFlight,
    conversation: String,
}

impl Default for InFlight {
    fn default() -> Self {
        Self { counts: Arc::default(), ended: Arc::new(watch::Sender::new(())) }
    }
}

impl InFlight {
    /// A delivery to a conversation that is on its way from now on.
    pub(super) fn pending(&self, conversation: &str, delivery: Delivery) -> Pending {
        *lock(&self.counts).entry(conversation.to_owned()).or_default() += 1;
        Pending { delivery, _flight: Flight { all: self.clone(), conversation: conversation.to_owned() } }
    }

    /// Waits until every answer that was made for a conversation is recorded or lost.
    pub(super) async fn settled(&self, conversation: &str) {
        let mut ended = self.ended.subscribe();
        let is_settled = || !lock(&self.counts).contains_key(conversation);
        let settling = async { while !is_settled() && ended.changed().await.is_ok() {} };
        // A lapse of time means: go on.
        let _ = tokio::time::timeout(SETTLING, settling).await;
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
        self.all.ended.send_replace(());
    }
}

/// Deliveries whose responses are not written yet, by request.
#[derive(Clone, Default)]
pub(super) struct Ledger {
    requests: Arc<Mutex<HashMap<RequestId, Awaited>>>,
}

/// What is kept for the response that a request waits for.
enum Awaited {
    Nothing,
    Delivery(Box<Pending>),
    /// Two requests at once have the same id. One of them is answered, and which cannot be told: nothing is recorded.
    Either,
}

impl Ledger {
    /// Keeps the delivery of a request until its response is written. Nothing is kept of a cancelled request.
    pub(super) fn put(&self, id: &RequestId, pending: Pending) {
        if let Some(awaited @ Awaited::Nothing) = lock(&self.requests).get_mut(id) {
            *awaited = Awaited::Delivery(Box::new(pending));
        }
    }

    fn opened(&self, id: &RequestId) {
        let twice = |awaited: &mut Awaited| *awaited = Awaited::Either;
        lock(&self.requests).entry(id.clone()).and_modify(twice).or_insert(Awaited::Nothing);
    }

    fn take(&self, id: &RequestId) -> Option<Pending> {
        match lock(&self.requests).remove(id)? {
            Awaited::Delivery(pending) => Some(*pending),
            Awaited::Nothing | Awaited::Either => None,
        }
    }
}

/// The content of a mutex, also of one whose holder panicked: what it guards here is whole at any time.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A transport that records deliveries as it writes the responses.
pub(super) struct Recorded<T> {
    inner: T,
    ledger: Ledger,
    warn: fn(&str),
}

impl<T> Recorded<T> {
    pub(super) fn new(inner: T, ledger: Ledger, warn: fn(&str)) -> Self {
        Self { inner, ledger, warn }
    }

    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => self.ledger.opened(&request.id),
            JsonRpcMessage::Notification(notification) => {
                if let Some(id) = cancelled(&notification.notification) {
                    drop(self.ledger.take(id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }
}

fn cancelled(notification: &ClientNotification) -> Option<&RequestId> {
    match notification {
        ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id.as_ref(),
        _ => None,
    }
}

fn answered(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Recorded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let pending = answered(&message).and_then(|id| self.ledger.take(id));
        let sending = self.inner.send(message);
        let warn = self.warn;
        async move {
            sending.await?;
            if let Some(pending) = pending {
                record(pending, warn).await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.inner.receive().await?;
        self.note(&message);
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Records on a thread that may wait for the disk. A failure costs a page sent twice after the end of this process.
pub(super) async fn record(pending: Pending, warn: fn(&str)) {
    let recorded = tokio::task::spawn_blocking(move || {
        let Pending { delivery, _flight } = pending;
        delivery.commit()
    });
    match recorded.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => warn(&format!("what was given could not be recorded: {error}")),
        Err(error) => warn(&format!("what was given could not be recorded: {error}")),
    }
}
