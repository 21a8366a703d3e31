//! One HTTP request and its response: whether it was written, and what to record then.
//!
//! The HTTP library gets the response in pieces of at most [`MAX_PIECE_BYTES`], each with its own memory, with data in
//! place of the marks. So a client that does not read holds only its own response, which counts as open meanwhile; once
//! the library takes the last piece, the rest is freed.
//!
//! The library keeps the frames of a body until the socket takes them, so a taken frame is not yet delivered. Once it
//! takes the frame with the answer's mark, the delivery waits for the connection's next flush. The library flushes only
//! when it has written all its frames.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::log::{LoggedCall, RequestLogEntry};
use super::metrics::{Gauge, Metrics};
use crate::serve::delivery::{
    BlobLease, BlobStream, MessagePart, OpenBlobs, PIECE_BYTES, PendingResponse, ResponseParts,
};
use crate::serve::lock::lock;
use crate::tool::Recall;
use pagewise_base::share::Place;

/// The state that a request's handler shares with its connection.
pub(in crate::serve) struct Exchange {
    open: OpenBlobs,
    /// Whether another exchange may write the response: a client of the older protocol versions that lost its
    /// connection asks for the missed response in a new request.
    is_in_session: bool,
    recall: Recall,
    /// The response, until its handler knows the answer's mark.
    pending: Mutex<Option<PendingResponse>>,
    /// The data of the response, until it is written.
    lease: Mutex<Option<BlobLease>>,
    call: Mutex<LoggedCall>,
}

/// How long the data of an unwritten response waits for a client that may come back to its session.
const RECONNECT_TIME: Duration = Duration::from_secs(30);

impl Exchange {
    /// An exchange whose response takes its data from `open`.
    pub(super) fn new(open: OpenBlobs, is_in_session: bool) -> Self {
        let pending = PendingResponse::open();
        let recall = pending.recall();
        let pending = Mutex::new(Some(pending));
        Self { open, is_in_session, recall, pending, lease: Mutex::default(), call: Mutex::default() }
    }

    /// A handle that cancels the response.
    pub(super) fn recall(&self) -> Recall {
        self.recall.clone()
    }

    /// Keeps the data and the delivery until the response is written. `mark` is the number of the answer's mark;
    /// without one nothing is recorded.
    pub(in crate::serve) fn put(&self, parts: ResponseParts, mark: Option<u64>) {
        let ResponseParts { blobs, delivery, ignores_late_notice } = parts;
        let pending = lock(&self.pending).take().map(|mut pending| {
            pending.put(delivery, ignores_late_notice);
            pending
        });
        *lock(&self.lease) = Some(self.open.lease(blobs, mark.zip(pending)));
    }

    /// Sets what was called.
    pub(in crate::serve) fn set_call(&self, call: LoggedCall) {
        *lock(&self.call) = call;
    }

    /// Frees the data of the response.
    fn release(&self) {
        drop(lock(&self.lease).take());
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let unwritten = lock(&self.lease).take().filter(|_| self.is_in_session);
        if let (Some(data), Ok(runtime)) = (unwritten.and_then(BlobLease::retain), Handle::try_current()) {
            runtime.spawn(async move {
                sleep(RECONNECT_TIME).await;
                drop(data);
            });
        }
    }
}

/// How long the head of an event stream waits for the first frames.
const HEAD_TIME: Duration = Duration::from_millis(5);

/// The frames that a head waits for: the event with which a client can resume, and the answer.
const HELD_FRAMES: usize = 2;

/// Responses, and the slots of their requests, that wait for a connection's next flush.
#[derive(Clone, Default)]
pub(super) struct AwaitingFlush(Arc<Mutex<(Vec<PendingResponse>, Vec<RequestSlot>)>>);

/// Bytes of a response that may wait for a slow client without occupying a request slot. The system buffers this much
/// anyway.
const MAX_PIECE_BYTES: usize = 64 << 10;

impl AwaitingFlush {
    /// The responses written by the flush that just ended, and the gauges that count their requests until these are
    /// recorded. Their slots are free.
    pub(super) fn take(&self) -> (Vec<PendingResponse>, Vec<Gauge>) {
        let (pending, slots) = std::mem::take(&mut *lock(&self.0));
        (pending, slots.into_iter().map(|slot| slot.gauge).collect())
    }

    fn add(&self, pending: PendingResponse) {
        lock(&self.0).0.push(pending);
    }

    fn hold(&self, slot: RequestSlot) {
        lock(&self.0).1.push(slot);
    }
}

/// A response's body, followed to its end.
pub(super) struct TrackedBody {
    inner: Body,
    /// The rest of the current frame, and of the data in it.
    frame: Bytes,
    data: Option<BlobStream>,
    /// The response, if the current frame has its mark.
    pending: Option<PendingResponse>,
    /// Frames that came while the head waited for them.
    held: VecDeque<Option<Result<Frame<Bytes>, axum::Error>>>,
    exchange: Arc<Exchange>,
    awaiting: AwaitingFlush,
    bytes: u64,
    /// The length of the whole body, if known.
    length: Option<u64>,
    entry: Option<RequestLogEntry>,
    began: Instant,
    metrics: Arc<Metrics>,
    slot: Option<RequestSlot>,
    _stream: Option<Place>,
}

/// What a body needs besides its content.
pub(super) struct BodyTracking {
    pub(super) exchange: Arc<Exchange>,
    pub(super) awaiting: AwaitingFlush,
    pub(super) entry: RequestLogEntry,
    pub(super) began: Instant,
    pub(super) metrics: Arc<Metrics>,
    /// Held until the response is written or the connection is gone, because unread data stays in memory.
    pub(super) slot: Option<RequestSlot>,
    /// The place of an event stream, held as long as the stream is open.
    pub(super) stream: Option<Place>,
}

/// The slot that an open request occupies.
pub(super) struct RequestSlot {
    pub(super) place: Option<Place>,
    pub(super) gauge: Gauge,
}

impl TrackedBody {
    pub(super) fn new(inner: Body, tracking: BodyTracking) -> Self {
        let BodyTracking { exchange, awaiting, entry, began, metrics, slot, stream } = tracking;
        let length = inner.size_hint().exact();
        let filled = |length| lock(&exchange.lease).as_ref().map_or(length, |lease| lease.written_length(length));
        let length = length.map(filled);
        Self {
            inner,
            frame: Bytes::new(),
            data: None,
            pending: None,
            held: VecDeque::new(),
            exchange,
            awaiting,
            bytes: 0,
            length,
            entry: Some(entry),
            began,
            metrics,
            slot,
            _stream: stream,
        }
    }

    /// Waits up to [`HEAD_TIME`] for the first frames: the head and a quick answer then leave in one packet.
    pub(super) async fn hold_head(&mut self) {
        let hold = async {
            while self.held.len() < HELD_FRAMES && !matches!(self.held.back(), Some(None | Some(Err(_)))) {
                let frame = poll_fn(|cx| Pin::new(&mut self.inner).poll_frame(cx)).await;
                self.held.push_back(frame);
            }
        };
        // What did not come in time goes when it comes.
        let _ = timeout(HEAD_TIME, hold).await;
    }

    /// The next piece of the current frame.
    fn next_piece(&mut self) -> Result<Option<Bytes>, axum::Error> {
        if self.data.is_none() && !self.frame.is_empty() {
            match self.exchange.open.first_part(&self.frame, MAX_PIECE_BYTES) {
                MessagePart::Text(length) if length == self.frame.len() => {
                    return Ok(Some(std::mem::take(&mut self.frame)));
                }
                // A copy, because a slice would keep the whole text in memory.
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

    /// Hands a piece to the library.
    fn give(&mut self, piece: Bytes) -> Frame<Bytes> {
        self.bytes = self.bytes.saturating_add(piece.len() as u64);
        if self.is_given()
            && let Some(pending) = self.pending.take()
        {
            // This piece completes the answer, and its reader may ask again at once: the slot is free. The gauge counts
            // the request until the answer is recorded.
            if let Some(slot) = self.slot.take() {
                self.awaiting.hold(RequestSlot { place: None, ..slot });
            }
            self.exchange.release();
            self.awaiting.add(pending);
        }
        Frame::data(piece)
    }

    /// Whether all of the frames so far are handed over.
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
        let frame = match self.held.pop_front() {
            Some(frame) => frame,
            None => ready!(Pin::new(&mut self.inner).poll_frame(cx)),
        };
        match frame {
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
        let has_ended = self.held.front().map_or_else(|| self.inner.is_end_stream(), Option::is_none);
        self.is_given() && has_ended
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, |length| SizeHint::with_exact(length.saturating_sub(self.bytes)))
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        if let Some(mut slot) = self.slot.take() {
            slot.place = slot.place.filter(|_| self.bytes > MAX_PIECE_BYTES as u64);
            self.awaiting.hold(slot);
        }
        if let Some(entry) = self.entry.take() {
            self.metrics.record_response(entry.status);
            entry.write(&lock(&self.exchange.call), self.bytes, self.began.elapsed());
        }
    }
}
