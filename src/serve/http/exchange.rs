//! One request and its response: what became of it, and what to record when the response was written.
//!
//! The HTTP library takes frames of a body and keeps them until the socket takes them, so that the end of a body is not
//! yet its delivery. When a body has ended whose answer was in it, its delivery waits for the connection's next flush,
//! which the library asks for only when it has written all that it kept.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use super::log::Entry;
use super::metrics::{Gauge, Metrics};
use crate::serve::delivery::{Pending, lock};

/// How far into a frame an answer must have begun: the fields before it are the version and the id.
const HEAD: usize = 512;

/// What the handler of a request tells its connection.
#[derive(Default)]
pub(in crate::serve) struct Exchange {
    pending: Mutex<Option<Pending>>,
    call: Mutex<Called>,
}

/// What was called, for the log.
#[derive(Default, Clone)]
pub(in crate::serve) struct Called {
    pub(in crate::serve) tool: Option<&'static str>,
    pub(in crate::serve) client: Option<String>,
    pub(in crate::serve) trace: Option<String>,
}

impl Exchange {
    /// Keeps a delivery until the response is written.
    pub(in crate::serve) fn put(&self, pending: Pending) {
        *lock(&self.pending) = Some(pending);
    }

    /// Takes note of what was called.
    pub(in crate::serve) fn called(&self, called: Called) {
        *lock(&self.call) = called;
    }
}

/// What waits for a connection's next flush: deliveries, and the places of their requests.
#[derive(Clone, Default)]
pub(super) struct Written(Arc<Mutex<(Vec<Pending>, Vec<Place>)>>);

/// What of a response the system takes at once, whether its client reads or not: more is kept here until it does, and so
/// long it counts against the bound on requests.
const TAKEN_AT_ONCE: u64 = 64 << 10;

impl Written {
    /// The deliveries that were written with the flush that just ended, and their requests, which are under way until
    /// these are recorded; their places are free.
    pub(super) fn take(&self) -> (Vec<Pending>, Vec<Gauge>) {
        let (pending, places) = std::mem::take(&mut *lock(&self.0));
        (pending, places.into_iter().map(|place| place.gauge).collect())
    }

    fn add(&self, pending: Pending) {
        lock(&self.0).0.push(pending);
    }

    fn hold(&self, place: Place) {
        lock(&self.0).1.push(place);
    }
}

/// A response's body, watched to its end.
pub(super) struct Watched {
    inner: Body,
    exchange: Arc<Exchange>,
    written: Written,
    is_answered: bool,
    bytes: u64,
    entry: Option<Entry>,
    began: Instant,
    metrics: Arc<Metrics>,
    place: Option<Place>,
}

/// What a body is watched for.
pub(super) struct Watch {
    pub(super) exchange: Arc<Exchange>,
    pub(super) written: Written,
    pub(super) entry: Entry,
    pub(super) began: Instant,
    pub(super) metrics: Arc<Metrics>,
    /// Kept until the response is written, or the connection gone: what a client does not take is kept in memory.
    pub(super) place: Option<Place>,
}

/// The place of a request among those that may be under way.
pub(super) struct Place {
    pub(super) permit: Option<OwnedSemaphorePermit>,
    pub(super) gauge: Gauge,
}

impl Watched {
    pub(super) fn new(inner: Body, watch: Watch) -> Self {
        let Watch { exchange, written, entry, began, metrics, place } = watch;
        let entry = Some(entry);
        Self { inner, exchange, written, is_answered: false, bytes: 0, entry, began, metrics, place }
    }

    fn note(&mut self, data: &Bytes) {
        self.bytes = self.bytes.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
        let head = data.get(..HEAD).unwrap_or(data);
        self.is_answered |= head.windows(ANSWER.len()).any(|window| window == ANSWER);
    }

    fn ended(&mut self) {
        if let (true, Some(pending)) = (self.is_answered, lock(&self.exchange.pending).take()) {
            self.written.add(pending);
        }
    }
}

/// Stands in every response that is one, and in no notification that this server sends.
const ANSWER: &[u8] = b"\"result\":";

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                frame.data_ref().into_iter().for_each(|data| self.note(data));
                if self.inner.is_end_stream() {
                    self.ended();
                }
            }
            Poll::Ready(None) => self.ended(),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(mut place) = self.place.take() {
            place.permit = place.permit.filter(|_| self.bytes > TAKEN_AT_ONCE);
            self.written.hold(place);
        }
        if let Some(entry) = self.entry.take() {
            self.metrics.responded(entry.status);
            entry.write(&lock(&self.exchange.call), self.bytes, self.began.elapsed());
        }
    }
}
