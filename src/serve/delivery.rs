//! A page is recorded as given only after the response that carries it was written and flushed.
//!
//! The SDK's handlers return before their response is written, so a delivery waits, and with it the data that the
//! response has marks for. Over standard output it waits in a [`Ledger`] under the id of its request, and the transport
//! takes it out when it writes that response; over HTTP it waits in the request's exchange until the connection was
//! flushed. A cancelled request, a failed write or a lost connection commits nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientNotification, ContentBlock, JsonRpcMessage, RequestId, ResourceContents, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::watch;

use super::enclosures::{Enclosures, Open};
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

/// What goes with a response that is not written yet.
#[derive(Default)]
pub(super) struct Outgoing {
    pub(super) enclosures: Enclosures,
    pub(super) pending: Option<Pending>,
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
    One(Box<Outgoing>),
    /// Two requests at once have the same id. One of them is answered, and which cannot be told: nothing is recorded.
    Either(Enclosures),
}

impl Ledger {
    /// Keeps what goes with the response to a request until that is written. Nothing is kept of a cancelled request, whose
    /// response is dropped.
    pub(super) fn put(&self, id: &RequestId, outgoing: Outgoing) {
        match lock(&self.requests).get_mut(id) {
            Some(Awaited::One(awaited)) => **awaited = outgoing,
            Some(Awaited::Either(enclosures)) => enclosures.append(outgoing.enclosures),
            None => {}
        }
    }

    fn opened(&self, id: &RequestId) {
        let mut requests = lock(&self.requests);
        let awaited = match requests.remove(id) {
            None => Awaited::One(Box::default()),
            Some(Awaited::One(first)) => Awaited::Either(first.enclosures),
            Some(either @ Awaited::Either(_)) => either,
        };
        requests.insert(id.clone(), awaited);
    }

    fn take(&self, id: &RequestId) -> Outgoing {
        match lock(&self.requests).remove(id) {
            Some(Awaited::One(outgoing)) => *outgoing,
            Some(Awaited::Either(enclosures)) => Outgoing { enclosures, pending: None },
            None => Outgoing::default(),
        }
    }
}

/// The content of a mutex, also of one whose holder panicked: what it guards here is whole at any time.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A transport that records deliveries as it writes the responses, and has their data written with them.
pub(super) struct Recorded<T> {
    inner: T,
    ledger: Ledger,
    /// Data of the responses that `inner` is writing.
    open: Open,
    warn: fn(&str),
}

impl<T> Recorded<T> {
    pub(super) fn new(inner: T, ledger: Ledger, open: Open, warn: fn(&str)) -> Self {
        Self { inner, ledger, open, warn }
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

/// Whether a response has a mark whose data is not there.
fn lacks_data(message: &TxJsonRpcMessage<RoleServer>, enclosures: &Enclosures) -> bool {
    let JsonRpcMessage::Response(response) = message else { return false };
    let is_lacking = |contents: &ResourceContents| match contents {
        ResourceContents::BlobResourceContents { blob, .. } => enclosures.lacks(blob),
        _ => false,
    };
    match &response.result {
        ServerResult::CallToolResult(result) => result.content.iter().any(|block| match block {
            ContentBlock::Image(image) => enclosures.lacks(&image.data),
            ContentBlock::Resource(embedded) => is_lacking(&embedded.resource),
            _ => false,
        }),
        ServerResult::ReadResourceResult(result) => result.contents.iter().any(is_lacking),
        _ => false,
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Recorded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let Outgoing { enclosures, pending } = answered(&message).map(|id| self.ledger.take(id)).unwrap_or_default();
        // The SDK drops the responses whose data is kept no more; were that ever to change, no mark may pass for data.
        let (message, pending) = if lacks_data(&message, &enclosures) {
            (
                JsonRpcMessage::error(
                    ErrorData::internal_error("the answer was lost", None),
                    answered(&message).cloned(),
                ),
                None,
            )
        } else {
            (message, pending)
        };
        let opened = self.open.opened(enclosures);
        let sending = self.inner.send(message);
        let warn = self.warn;
        async move {
            sending.await?;
            drop(opened);
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
        Ok(Ok(_)) => {}
        Ok(Err(error)) => warn(&format!("what was given could not be recorded: {error}")),
        Err(error) => warn(&format!("what was given could not be recorded: {error}")),
    }
}
