//! What goes with a response until it is written, and the transport that delivers over standard output.
//!
//! The SDK's handlers return before their response is written, so a delivery waits, and with it the data that the
//! response has marks for. Over standard output it waits in a [`PendingResponses`] under the id of its request, and the transport
//! takes it out when it writes that response; over HTTP it waits in the request's exchange for whoever writes the
//! answer's mark. Both hand what their writing came to to [`deliver`].

mod blobs;
mod in_flight;
mod recalls;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use rmcp::model::{ClientNotification, ContentBlock, JsonRpcMessage, RequestId, ResourceContents, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};

pub(super) use self::blobs::{BlobLease, BlobStream, MessagePart, OpenBlobs, PIECE_BYTES, ResultBlobs};
pub(super) use self::in_flight::InFlight;
pub(super) use self::recalls::{Recalls, take_back};

use self::in_flight::Flight;
use super::lock;
use crate::tool::{DeliverError, Delivery, Dispatch, Recall, deliver};

/// The response to one request, while it is made and written.
pub(super) struct PendingResponse {
    dispatch: Dispatch,
    flight: Option<Flight>,
}

/// What a handler leaves for whoever writes its response.
pub(super) struct ResponseParts {
    pub(super) enclosures: ResultBlobs,
    /// What is recorded once the response is written, which the next request of the conversation waits for.
    pub(super) delivery: Option<(Delivery, Flight)>,
}

impl PendingResponse {
    /// A response that is to be made.
    pub(super) fn open() -> Self {
        Self { dispatch: Dispatch::open(), flight: None }
    }

    pub(super) fn recall(&self) -> Recall {
        self.dispatch.recall()
    }

    /// Notes that the client may have the response from now on.
    pub(super) fn begin_writing(&self) {
        self.dispatch.begin_writing();
    }

    pub(super) fn put(&mut self, delivery: Option<(Delivery, Flight)>) {
        if let Some((delivery, flight)) = delivery {
            self.dispatch.put(delivery);
            self.flight = Some(flight);
        }
    }

    /// Records the response on a thread that may wait for the store, where it was written. A failure of the store costs a
    /// page sent twice.
    pub(super) async fn deliver<E: Send + 'static>(self, written: Result<(), E>, warn: fn(&str)) -> Result<(), E> {
        let Self { dispatch, flight } = self;
        let delivering = tokio::task::spawn_blocking(move || {
            let delivered = deliver(dispatch, || written);
            drop(flight);
            delivered
        });
        match delivering.await {
            Ok(Ok(_)) => {}
            Ok(Err(DeliverError::Write(error))) => return Err(error),
            Ok(Err(DeliverError::Store(error))) => warn(&format!("what was given could not be recorded: {error}")),
            Err(error) => warn(&format!("what was given could not be recorded: {error}")),
        }
        Ok(())
    }

    /// The same for a response that was written.
    pub(super) async fn record(self, warn: fn(&str)) {
        let Ok(()) = self.deliver::<Infallible>(Ok(()), warn).await;
    }
}

/// Responses that are not written yet, by request.
#[derive(Clone, Default)]
pub(super) struct PendingResponses {
    requests: Arc<Mutex<HashMap<RequestId, AwaitedResponse>>>,
    recalls: Recalls,
}

/// What is kept for the response that a request waits for.
enum AwaitedResponse {
    One(Box<(PendingResponse, ResultBlobs)>),
    /// Two requests at once have the same id. One of them is answered, and which cannot be told: nothing is recorded.
    Either(ResultBlobs),
}

impl PendingResponses {
    /// Keeps what goes with the response to a request until that is written. Nothing is kept of a cancelled request, whose
    /// response is dropped.
    pub(super) fn put(&self, id: &RequestId, answer: ResponseParts) {
        match lock(&self.requests).get_mut(id) {
            Some(AwaitedResponse::One(awaited)) => {
                awaited.0.put(answer.delivery);
                awaited.1 = answer.enclosures;
            }
            Some(AwaitedResponse::Either(enclosures)) => enclosures.append(answer.enclosures),
            None => {}
        }
    }

    fn begin(&self, id: &RequestId) {
        let mut requests = lock(&self.requests);
        let awaited = match requests.remove(id) {
            None => {
                let pending = PendingResponse::open();
                self.recalls.begin(id, pending.recall());
                AwaitedResponse::One(Box::new((pending, ResultBlobs::default())))
            }
            Some(AwaitedResponse::One(first)) => AwaitedResponse::Either(first.1),
            Some(either @ AwaitedResponse::Either(_)) => either,
        };
        requests.insert(id.clone(), awaited);
    }

    fn take(&self, id: &RequestId) -> (Option<PendingResponse>, ResultBlobs) {
        match lock(&self.requests).remove(id) {
            Some(AwaitedResponse::One(awaited)) => (Some(awaited.0), awaited.1),
            Some(AwaitedResponse::Either(enclosures)) => (None, enclosures),
            None => (None, ResultBlobs::default()),
        }
    }
}

/// A transport that delivers responses with their data, and obeys cancellations.
pub(super) struct DeliveringTransport<T> {
    inner: T,
    ledger: PendingResponses,
    /// Data of the responses that `inner` is writing.
    open: OpenBlobs,
    in_flight: InFlight,
    warn: fn(&str),
}

impl<T> DeliveringTransport<T> {
    pub(super) fn new(
        inner: T,
        ledger: PendingResponses,
        open: OpenBlobs,
        in_flight: InFlight,
        warn: fn(&str),
    ) -> Self {
        Self { inner, ledger, open, in_flight, warn }
    }

    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => self.ledger.begin(&request.id),
            JsonRpcMessage::Notification(notification) => {
                if let Some(id) = cancelled_id(&notification.notification) {
                    take_back(self.ledger.recalls.cancel(id), &self.in_flight, self.warn);
                    drop(self.ledger.take(id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }
}

fn cancelled_id(notification: &ClientNotification) -> Option<&RequestId> {
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
fn lacks_data(message: &TxJsonRpcMessage<RoleServer>, enclosures: &ResultBlobs) -> bool {
    let JsonRpcMessage::Response(response) = message else { return false };
    let is_lacking = |contents: &ResourceContents| match contents {
        ResourceContents::BlobResourceContents { blob, .. } => enclosures.lacks_data_for(blob),
        _ => false,
    };
    match &response.result {
        ServerResult::CallToolResult(result) => result.content.iter().any(|block| match block {
            ContentBlock::Image(image) => enclosures.lacks_data_for(&image.data),
            ContentBlock::Resource(embedded) => is_lacking(&embedded.resource),
            _ => false,
        }),
        ServerResult::ReadResourceResult(result) => result.contents.iter().any(is_lacking),
        _ => false,
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for DeliveringTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (pending, enclosures) = answered(&message).map(|id| self.ledger.take(id)).unwrap_or_default();
        // The SDK drops the responses whose data is kept no more; were that ever to change, no mark may pass for data.
        let (message, pending) = if lacks_data(&message, &enclosures) {
            let lost = ErrorData::internal_error("the answer was lost", None);
            (JsonRpcMessage::error(lost, answered(&message).cloned()), None)
        } else {
            (message, pending)
        };
        pending.iter().for_each(PendingResponse::begin_writing);
        let lease = self.open.lease(enclosures, None);
        let sending = self.inner.send(message);
        let warn = self.warn;
        async move {
            let written = sending.await;
            drop(lease);
            match pending {
                Some(pending) => pending.deliver(written, warn).await,
                None => written,
            }
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
