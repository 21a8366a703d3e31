//! A stream of events about changed conversations (WHATWG HTML, 9.2, server-sent events).

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use serde_json::json;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::inspect::ChangeWatch;
use pagewise_base::share::Place;

/// Time between two looks for changes.
const INTERVAL: Duration = Duration::from_secs(1);

/// Time without an event after which something is sent, so that nobody between takes the connection for dead.
const PING_INTERVAL: Duration = Duration::from_secs(15);

/// Events that may wait for a slow client. Then no more are looked for.
const MAX_WAITING: usize = 4;

/// The body of the stream.
pub(super) struct EventBody(Receiver<Bytes>);

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

/// Events about what `watch` sees, until the client is gone or `is_over`.
pub(super) fn event_stream(watch: ChangeWatch, place: Place, is_over: impl Fn() -> bool + Send + 'static) -> EventBody {
    let (sender, receiver) = channel(MAX_WAITING);
    tokio::spawn(async move {
        send_events(watch, &sender, is_over).await;
        drop(place);
    });
    EventBody(receiver)
}

async fn send_events(mut watch: ChangeWatch, sender: &Sender<Bytes>, is_over: impl Fn() -> bool) {
    // The browser learns at once that it is connected.
    let mut last_sent: Option<Instant> = None;
    let mut has_failed = false;
    while !is_over() {
        let polled = spawn_blocking(move || {
            let polled = watch.poll();
            (watch, polled)
        });
        let Ok((same_watch, polled)) = polled.await else { return };
        watch = same_watch;
        let event = match &polled {
            // After a failure, everything may have changed.
            Ok(ids) if !ids.is_empty() || has_failed => Some(event("change", &json!({ "ids": ids }))),
            Err(error) if !has_failed => Some(event("trouble", &json!({ "message": error.message }))),
            _ => None,
        };
        has_failed = polled.is_err();
        let is_silent = last_sent.is_none_or(|sent| sent.elapsed() > PING_INTERVAL);
        if let Some(event) = event.or_else(|| is_silent.then(|| Bytes::from_static(b": \n\n"))) {
            if sender.send(event).await.is_err() {
                return;
            }
            last_sent = Some(Instant::now());
        }
        tokio::select! {
            () = sleep(INTERVAL) => {}
            () = sender.closed() => return,
        }
    }
}

fn event(name: &str, data: &serde_json::Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
