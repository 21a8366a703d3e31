//! The protocol over standard input and output: one message a line.
//!
//! When the input ends, the requests that were received are still answered, each within its own deadline. Only a closed
//! output ends the work, since nobody can read the answers.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientNotification, ClientRequest, ContentBlock, JsonRpcMessage, RequestId, ResourceContents, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, watch};
use tokio::time::{sleep, timeout};

use super::delivery::{InFlight, OpenBlobs, PendingResponse, PendingResponses, ResultBlobs, take_back};
use super::message::{MalformedMessage, read_message};
use super::stdio::{BlobWriter, is_output_closed};

/// Most bytes of a message. 16 MiB, as the SDK allows its clients.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Time between two looks whether anybody still reads the output, once the input has ended.
const CLOSED_CHECK: Duration = Duration::from_millis(100);

/// Most time for the answers once the input has ended: longer than all deadlines of a call together.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(60 * 60);

/// A transport that fills in the data of responses, records their delivery and obeys cancellations.
pub(super) struct StdioTransport<R, W> {
    input: Lines<R>,
    output: Output<W>,
    pending_responses: PendingResponses,
    in_flight: InFlight,
    warn: fn(&str),
    /// The client's greeting, until it is answered: what follows comes from the client that it names.
    greeting: Option<RequestId>,
}

/// Standard output, which one message at a time is written to.
struct Output<W> {
    writer: Arc<Mutex<BlobWriter<W>>>,
    /// The data of the responses that are being written.
    open: OpenBlobs,
    state: Arc<watch::Sender<OutputState>>,
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self { writer: Arc::clone(&self.writer), open: self.open.clone(), state: Arc::clone(&self.state) }
    }
}

#[derive(Default)]
struct OutputState {
    /// Messages that are not written, or not recorded yet.
    unwritten: usize,
    is_closed: bool,
}

/// Counts as an unwritten message until dropped.
struct Unwritten(Arc<watch::Sender<OutputState>>);

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.0.send_modify(|state| state.unwritten = state.unwritten.saturating_sub(1));
    }
}

impl<W: AsyncWrite + Unpin> Output<W> {
    fn begin(&self) -> Unwritten {
        self.state.send_modify(|state| state.unwritten = state.unwritten.saturating_add(1));
        Unwritten(Arc::clone(&self.state))
    }

    async fn write(&self, message: &impl serde::Serialize) -> io::Result<()> {
        let mut writer = self.writer.lock().await;
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let written = match writer.write_all(&line).await {
            Ok(()) => writer.flush().await,
            Err(error) => Err(error),
        };
        // Data that is no longer kept spoils one message, not the output.
        if written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::InvalidData) {
            close(&self.state);
        }
        written
    }
}

/// Notes that nobody reads the output.
fn close(state: &watch::Sender<OutputState>) {
    state.send_modify(|state| state.is_closed = true);
}

/// Waits until the output is closed.
async fn until_closed(mut state: watch::Receiver<OutputState>) {
    // It is closed, too, if nobody can say so any more.
    let _ = state.wait_for(|state| state.is_closed).await;
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> StdioTransport<R, W> {
    pub(super) fn new(
        input: R,
        output: W,
        pending_responses: PendingResponses,
        in_flight: InFlight,
        warn: fn(&str),
    ) -> Self {
        let open = OpenBlobs::default();
        let writer = Arc::new(Mutex::new(BlobWriter::new(output, open.clone())));
        let output = Output { writer, open, state: Arc::new(watch::Sender::default()) };
        Self { input: Lines::new(input), output, pending_responses, in_flight, warn, greeting: None }
    }

    /// Waits until the output is closed.
    pub(super) fn closed(&self) -> impl Future<Output = ()> + use<R, W> {
        until_closed(self.output.state.subscribe())
    }

    fn track_request(&mut self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.pending_responses.begin(&request.id);
                if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    self.greeting = Some(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let Some(id) = cancelled_id(&notification.notification) {
                    take_back(self.pending_responses.cancel(id), &self.in_flight, self.warn);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Waits until the output is closed, or `is_done` after some message was written.
    fn until<F>(&self, is_done: F) -> impl Future<Output = ()> + Send + use<R, W, F>
    where
        F: Fn(&OutputState, &PendingResponses) -> bool + Send + Sync,
    {
        let (mut state, pending) = (self.output.state.subscribe(), self.pending_responses.clone());
        async move {
            let _ = state.wait_for(|state| state.is_closed || is_done(state, &pending)).await;
        }
    }

    /// Waits until all requests are answered, or nobody reads the answers.
    fn until_answered(&self) -> impl Future<Output = ()> + Send + use<R, W> {
        let answered = self.until(|state, pending| state.unwritten == 0 && pending.is_empty());
        let state = Arc::clone(&self.output.state);
        async move {
            let closed = async {
                while !is_output_closed() {
                    sleep(CLOSED_CHECK).await;
                }
                close(&state);
            };
            tokio::select! {
                _ = timeout(MAX_ANSWER_TIME, answered) => {}
                () = closed => {}
            }
        }
    }

    /// Answers a message that is not one of the protocol.
    fn refuse(&self, malformed: &MalformedMessage) {
        let (response, output, unwritten) = (malformed.response(), self.output.clone(), self.output.begin());
        tokio::spawn(async move {
            // A failure closes the output.
            let _ = output.write(&response).await;
            drop(unwritten);
        });
    }
}

fn cancelled_id(notification: &ClientNotification) -> Option<&RequestId> {
    match notification {
        ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id.as_ref(),
        _ => None,
    }
}

fn answered_id(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

/// Whether a response contains a mark without data.
fn lacks_data(message: &TxJsonRpcMessage<RoleServer>, blobs: &ResultBlobs) -> bool {
    let JsonRpcMessage::Response(response) = message else { return false };
    let is_lacking = |contents: &ResourceContents| match contents {
        ResourceContents::BlobResourceContents { blob, .. } => blobs.lacks_data_for(blob),
        _ => false,
    };
    match &response.result {
        ServerResult::CallToolResult(result) => result.content.iter().any(|block| match block {
            ContentBlock::Image(image) => blobs.lacks_data_for(&image.data),
            ContentBlock::Resource(embedded) => is_lacking(&embedded.resource),
            _ => false,
        }),
        ServerResult::ReadResourceResult(result) => result.contents.iter().any(is_lacking),
        _ => false,
    }
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer>
    for StdioTransport<R, W>
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let unwritten = self.output.begin();
        let (pending, blobs) = answered_id(&message).map(|id| self.pending_responses.take(id)).unwrap_or_default();
        // The SDK drops the response of a cancelled request. If it did not, the client must not take a mark for data.
        let (message, pending) = if lacks_data(&message, &blobs) {
            let lost = ErrorData::internal_error("the answer was lost", None);
            (JsonRpcMessage::error(lost, answered_id(&message).cloned()), None)
        } else {
            (message, pending)
        };
        pending.iter().for_each(PendingResponse::begin_writing);
        let lease = self.output.open.lease(blobs, None);
        let (output, warn) = (self.output.clone(), self.warn);
        async move {
            let written = output.write(&message).await;
            drop(lease);
            let outcome = match pending {
                Some(pending) => pending.deliver(written, warn).await,
                None => written,
            };
            drop(unwritten);
            outcome
        }
    }

    /// The next message. It may be dropped at any time: only reading waits, and what was read is kept.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(greeting) = self.greeting.clone() {
                self.until(move |_, pending| !pending.contains(&greeting)).await;
                self.greeting = None;
            }
            let line = tokio::select! {
                line = self.input.next() => line,
                () = until_closed(self.output.state.subscribe()) => return None,
            };
            let read = match line {
                Some(Line::Whole(line)) if line.trim_ascii().is_empty() => continue,
                Some(Line::Whole(line)) => read_message(&line),
                Some(Line::TooLong) => Err(MalformedMessage::too_long(MAX_MESSAGE_BYTES)),
                None => {
                    self.until_answered().await;
                    return None;
                }
            };
            match read {
                Ok(Some(message)) => {
                    self.track_request(&message.parsed);
                    return Some(message.parsed);
                }
                Ok(None) => {}
                Err(malformed) => self.refuse(&malformed),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The lines of an input.
struct Lines<R> {
    input: BufReader<R>,
    /// The beginning of a line.
    line: Vec<u8>,
    is_too_long: bool,
}

enum Line {
    /// With its end, if it has one: the last line of an input may have none.
    Whole(Vec<u8>),
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), is_too_long: false }
    }

    /// The next line. It may be dropped while it waits: what was read is kept.
    async fn next(&mut self) -> Option<Line> {
        loop {
            // An input that fails has ended.
            let read = self.input.fill_buf().await.unwrap_or_default();
            let (end, has_ended) = (memchr::memchr(b'\n', read), read.is_empty());
            let taken = end.map_or(read.len(), |end| end.saturating_add(1));
            self.is_too_long |= self.line.len().saturating_add(taken) > MAX_MESSAGE_BYTES;
            if self.is_too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(read.get(..taken).unwrap_or(read));
            }
            self.input.consume(taken);
            if end.is_some() || has_ended {
                let line = std::mem::take(&mut self.line);
                return match std::mem::take(&mut self.is_too_long) {
                    true => Some(Line::TooLong),
                    false if line.is_empty() => None,
                    false => Some(Line::Whole(line)),
                };
            }
        }
    }
}
