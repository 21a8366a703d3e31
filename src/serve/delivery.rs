//! A page is recorded as given only after the response that carries it was written and flushed.
//!
//! The SDK's handlers return before their response is written, so the deliveries wait in a [`Ledger`] under the id of
//! their request, and the transport takes them out when it writes that response. A cancelled request, a failed
//! write or a lost connection commits nothing.

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

/// Deliveries whose responses are not written yet.
#[derive(Clone)]
pub(super) struct Ledger {
    requests: Arc<Mutex<HashMap<RequestId, Option<Pending>>>>,
    in_flight: Arc<watch::Sender<usize>>,
}

struct Pending {
    delivery: Delivery,
    _in_flight: InFlight,
}

/// Counts as one answer in flight for as long as it lives.
struct InFlight(Arc<watch::Sender<usize>>);

impl InFlight {
    fn new(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self { requests: Arc::default(), in_flight: Arc::new(watch::Sender::new(0)) }
    }
}

impl Ledger {
    /// Keeps the delivery of a request until its response is written. Nothing is kept of a cancelled request.
    pub(super) fn put(&self, id: &RequestId, delivery: Delivery) {
        if let Some(slot) = self.lock().get_mut(id) {
            *slot = Some(Pending { delivery, _in_flight: InFlight::new(&self.in_flight) });
        }
    }

    /// Waits until every answer that was made is recorded or lost.
    pub(super) async fn settled(&self) {
        let mut in_flight = self.in_flight.subscribe();
        // Both a lapse of time and a closed channel mean: go on.
        let _ = tokio::time::timeout(SETTLING, in_flight.wait_for(|count| *count == 0)).await;
    }

    fn opened(&self, id: &RequestId) {
        self.lock().insert(id.clone(), None);
    }

    fn take(&self, id: &RequestId) -> Option<Pending> {
        self.lock().remove(id).flatten()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Option<Pending>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
async fn record(pending: Pending, warn: fn(&str)) {
    let recorded = tokio::task::spawn_blocking(move || {
        let Pending { delivery, _in_flight } = pending;
        delivery.commit()
    });
    match recorded.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => warn(&format!("what was given could not be recorded: {error}")),
        Err(error) => warn(&format!("what was given could not be recorded: {error}")),
    }
}
