//! One request and its response: what became of it, and what to record when the response was written.
//!
//! A response is given to the HTTP library in pieces of at most [`TAKEN_AT_ONCE`], each in memory of its own, with data in
//! the places of its marks. So a client that does not read makes nothing but its response's data and text wait here, which
//! counts as under way for as long; and when the last piece is taken, the rest of the response is no longer kept for it.
//!
//! The HTTP library takes frames of a body and keeps them until the socket takes them, so that the end of a frame is not
//! yet its delivery. When the frame with the answer's mark was taken whole, its delivery waits for the connection's next
//! flush, which the library asks for only when it has written all that it kept.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use super::log::RequestLogEntry;
use super::metrics::{Gauge, Metrics};
use crate::serve::delivery::{
    BlobLease, BlobStream, MessagePart, OpenBlobs, PIECE_BYTES, PendingResponse, ResponseParts,
};
use crate::serve::lock;
use crate::tool::Recall;

/// What the handler of a request tells its connection.
pub(in crate::serve) struct Exchange {
    open: OpenBlobs,
    /// Whether another exchange may write the response: a client of the older protocols that lost its connection asks for
    /// what it missed in another.
    is_in_session: bool,
    recall: Recall,
    /// The response, until its handler knows the mark by which it is recognised.
    pending: Mutex<Option<PendingResponse>>,
    /// Data of the response, until that is written.
    lease: Mutex<Option<BlobLease>>,
    call: Mutex<LoggedCall>,
}

/// How long the data of a response that was not written waits for a client that came back to its session: its response
/// is on the way there, or nowhere.
const COMES_BACK: Duration = Duration::from_secs(30);

/// What was called, for the log.
#[derive(Default, Clone)]
pub(in crate::serve) struct LoggedCall {
    pub(in crate::serve) tool: Option<&'static str>,
    pub(in crate::serve) client: Option<String>,
    pub(in crate::serve) trace: Option<String>,
}

impl Exchange {
    /// One whose response is written with what is open.
    pub(super) fn new(open: OpenBlobs, is_in_session: bool) -> Self {
        let pending = PendingResponse::open();
        let recall = pending.recall();
        let pending = Mutex::new(Some(pending));
        Self { open, is_in_session, recall, pending, lease: Mutex::default(), call: Mutex::default() }
    }

    /// The right to cancel the response.
    pub(super) fn recall(&self) -> Recall {
        self.recall.clone()
    }

    /// Keeps what goes with the response until that is written. `mark` is the number of the mark in it by which whoever
    /// writes it recognises it; without one nothing is recorded.
    pub(in crate::serve) fn put(&self, ResponseParts { enclosures, delivery }: ResponseParts, mark: Option<u64>) {
        let pending = lock(&self.pending).take().map(|mut pending| {
            pending.put(delivery);
            pending
        });
        *lock(&self.lease) = Some(self.open.lease(enclosures, mark.zip(pending)));
    }

    /// Takes note of what was called.
    pub(in crate::serve) fn called(&self, called: LoggedCall) {
        *lock(&self.call) = called;
    }

    /// Keeps the data of the response no longer.
    fn release(&self) {
        drop(lock(&self.lease).take());
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let unwritten = lock(&self.lease).take().filter(|_| self.is_in_session);
        if let (Some(data), Ok(runtime)) = (unwritten.and_then(BlobLease::waiting), Handle::try_current()) {
            runtime.spawn(async move {
                sleep(COMES_BACK).await;
                drop(data);
            });
        }
    }
}

/// What waits for a connection's next flush: responses, and the places of their requests.
#[derive(Clone, Default)]
pub(super) struct AwaitingFlush(Arc<Mutex<(Vec<PendingResponse>, Vec<RequestSlot>)>>);

/// What of a response may wait for a client that does not read without counting against the bound on requests: the
/// system takes as much at once, whether the client reads or not.
const TAKEN_AT_ONCE: usize = 64 << 10;

impl AwaitingFlush {
    /// The responses that were written with the flush that just ended, and their requests, which are under way until
    /// these are recorded; their places are free.
    pub(super) fn take(&self) -> (Vec<PendingResponse>, Vec<Gauge>) {
        let (pending, places) = std::mem::take(&mut *lock(&self.0));
        (pending, places.into_iter().map(|place| place.gauge).collect())
    }

    fn add(&self, pending: PendingResponse) {
        lock(&self.0).0.push(pending);
    }

    fn hold(&self, place: RequestSlot) {
        lock(&self.0).1.push(place);
    }
}

/// A response's body, tracked to its end.
pub(super) struct TrackedBody {
    inner: Body,
    /// What is left of the frame that is being given, and of data in it.
    frame: Bytes,
    data: Option<BlobStream>,
    /// The answer, where the frame that is being given has its mark.
    pending: Option<PendingResponse>,
    exchange: Arc<Exchange>,
    awaiting: AwaitingFlush,
    bytes: u64,
    /// Bytes of the whole, where that is known.
    length: Option<u64>,
    entry: Option<RequestLogEntry>,
    began: Instant,
    metrics: Arc<Metrics>,
    place: Option<RequestSlot>,
}

/// What a body is tracked for.
pub(super) struct BodyTracking {
    pub(super) exchange: Arc<Exchange>,
    pub(super) awaiting: AwaitingFlush,
    pub(super) entry: RequestLogEntry,
    pub(super) began: Instant,
    pub(super) metrics: Arc<Metrics>,
    /// Kept until the response is written, or the connection gone: what a client does not take is kept in memory.
    pub(super) place: Option<RequestSlot>,
}

/// The place of a request among those that may be under way.
pub(super) struct RequestSlot {
    pub(super) permit: Option<OwnedSemaphorePermit>,
    pub(super) gauge: Gauge,
}

impl TrackedBody {
    pub(super) fn new(inner: Body, tracking: BodyTracking) -> Self {
        let BodyTracking { exchange, awaiting, entry, began, metrics, place } = tracking;
        let length = inner.size_hint().exact();
        let filled = |length| lock(&exchange.lease).as_ref().map_or(length, |lease| lease.written_length(length));
        let length = length.map(filled);
        Self {
            inner,
            frame: Bytes::new(),
            data: None,
            pending: None,
            exchange,
            awaiting,
            bytes: 0,
            length,
            entry: Some(entry),
            began,
            metrics,
            place,
        }
    }

    /// The next piece of the frame that is being given.
    fn next_piece(&mut self) -> Result<Option<Bytes>, axum::Error> {
        if self.data.is_none() && !self.frame.is_empty() {
            match self.exchange.open.first_part(&self.frame, TAKEN_AT_ONCE) {
                MessagePart::Text(length) if length == self.frame.len() => {
                    return Ok(Some(std::mem::take(&mut self.frame)));
                }
                // Else the last piece of a long text would keep all of it.
                MessagePart::Text(length) => return Ok(Some(Bytes::copy_from_slice(&self.frame.split_to(length)))),
                MessagePart::Data { mark, data, pending } => {
                    drop(self.frame.split_to(mark));
                    self.data = Some(data);
                    pending.iter().for_each(PendingResponse::begin_writing);
                    self.pending = pending.or(self.pending.take());
                }
                MessagePart::Lost => return Err(axum::Error::new(io::Error::from(io::ErrorKind::InvalidData))),
            }
        }
        let Some(data) = &mut self.data else { return Ok(None) };
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        data.push_piece(&mut piece);
        self.data.take_if(|data| data.is_written());
        Ok(Some(piece.into()))
    }

    /// Gives a piece of the response away.
    fn give(&mut self, piece: Bytes) -> Frame<Bytes> {
        self.bytes = self.bytes.saturating_add(piece.len() as u64);
        if self.is_given()
            && let Some(pending) = self.pending.take()
        {
            // What is left of the answer is in this piece: who has it may ask again at once. The request is under way
            // until the answer is recorded.
            if let Some(place) = self.place.take() {
                self.awaiting.hold(RequestSlot { permit: None, ..place });
            }
            self.exchange.release();
            self.awaiting.add(pending);
        }
        Frame::data(piece)
    }

    /// Whether all that came of the response was given away.
    fn is_given(&self) -> bool {
        self.frame.is_empty() && self.data.is_none()
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        match self.next_piece() {
            Ok(Some(piece)) => return Poll::Ready(Some(Ok(self.give(piece)))),
            Ok(None) => {}
            Err(error) => return Poll::Ready(Some(Err(error))),
        }
        match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => {
                    self.frame = data;
                    let piece = self.next_piece();
                    Poll::Ready(Some(piece.map(|piece| self.give(piece.unwrap_or_default()))))
                }
                Err(trailers) => Poll::Ready(Some(Ok(trailers))),
            },
            Some(Err(error)) => Poll::Ready(Some(Err(error))),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_given() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, |length| SizeHint::with_exact(length.saturating_sub(self.bytes)))
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        if let Some(mut place) = self.place.take() {
            place.permit = place.permit.filter(|_| self.bytes > TAKEN_AT_ONCE as u64);
            self.awaiting.hold(place);
        }
        if let Some(entry) = self.entry.take() {
            self.metrics.record_response(entry.status);
            entry.write(&lock(&self.exchange.call), self.bytes, self.began.elapsed());
        }
    }
}
