//! The media types that a client accepts (RFC 9110, 12.5.1).
//!
//! The SDK wants both of its types named, and answers in either. Here a client gets what it accepts.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::body::Body as _;
use serde_json::Value;

use crate::serve::http::responses::{SERVER_ERROR, error_response};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Whether a client accepts JSON, and events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AcceptedTypes {
    json: bool,
    events: bool,
}

impl AcceptedTypes {
    /// Reads the header `Accept`. Without one, everything is accepted.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges = values.flat_map(|value| value.split(',')).map(str::trim).filter(|range| !range.is_empty());
        let ranges = ranges.map(MediaRange::of).collect::<Vec<_>>();
        Self { json: accepts(&ranges, JSON), events: accepts(&ranges, EVENTS) }
    }

    /// Names both types to the SDK if one of them is accepted.
    pub(super) fn name_both(self, headers: &mut HeaderMap) {
        if self.json || self.events {
            headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        }
    }

    /// The answer to a message, in a type that is accepted.
    pub(super) async fn convert(self, answer: Response) -> Response {
        let (head, body) = answer.into_parts();
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_of = |name: &str| kind.starts_with(name) && head.status == StatusCode::OK;
        if is_of(EVENTS) && !self.events {
            let failed = || error_response(StatusCode::INTERNAL_SERVER_ERROR, SERVER_ERROR, "The request failed.");
            final_message(body).await.map_or_else(failed, |json| with_body(head, JSON, json))
        } else if is_of(JSON) && !self.json {
            let json = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
            with_body(head, EVENTS, [b"data: ", json.as_ref(), b"\n\n"].concat())
        } else {
            Response::from_parts(head, body)
        }
    }
}

/// A media range, and whether it is accepted.
struct MediaRange<'a> {
    name: &'a str,
    is_accepted: bool,
}

impl<'a> MediaRange<'a> {
    fn of(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        // A weight that is no number is none.
        Self {
            name,
            is_accepted: weight.and_then(|weight| weight.parse::<f32>().ok()).is_none_or(|weight| weight > 0.0),
        }
    }

    /// How closely the range names a type: the closest one counts.
    fn closeness(&self, kind: &str) -> Option<u8> {
        let group = kind.split('/').next().unwrap_or_default();
        match self.name.split_once('/') {
            _ if self.name.eq_ignore_ascii_case(kind) => Some(2),
            Some((name, "*")) if name.eq_ignore_ascii_case(group) => Some(1),
            Some(("*", "*")) => Some(0),
            // Some clients write it so.
            None if self.name == "*" => Some(0),
            _ => None,
        }
    }
}

fn accepts(ranges: &[MediaRange], kind: &str) -> bool {
    let closest = ranges.iter().filter_map(|range| Some((range.closeness(kind)?, range.is_accepted))).max();
    closest.map_or(ranges.is_empty(), |(_, is_accepted)| is_accepted)
}

/// The response at the end of a stream of events. What comes before it are notifications, which nobody has to read.
async fn final_message(mut body: Body) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(data) = frame.into_data() else { continue };
        read.extend_from_slice(&data);
        while let Some(end) = memchr::memmem::find(&read, b"\n\n") {
            let rest = read.split_off(end.saturating_add(2));
            let event = std::mem::replace(&mut read, rest);
            let lines = event.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
            let message = lines.map(<[u8]>::trim_ascii_start).collect::<Vec<_>>().concat();
            let parsed = serde_json::from_slice::<Value>(&message).ok();
            if parsed.is_some_and(|message| message.get("result").or_else(|| message.get("error")).is_some()) {
                return Some(message);
            }
        }
    }
    None
}

fn with_body(mut head: axum::http::response::Parts, kind: &'static str, body: Vec<u8>) -> Response {
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Response::from_parts(head, Body::from(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_accepts_is_read_as_http_has_it() {
        let accepted = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            values.iter().for_each(|value| {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            });
            let AcceptedTypes { json, events } = AcceptedTypes::of(&headers);
            (json, events)
        };
        for both in [
            &[][..],
            &[""],
            &["*/*"],
            &["*"],
            &["application/json, text/event-stream"],
            &["application/json", "text/event-stream;q=0.1"],
            &["application/*, TEXT/*"],
            &["text/html, */*;q=0.1"],
        ] {
            assert_eq!(accepted(both), (true, true), "{both:?}");
        }
        assert_eq!(accepted(&["application/json"]), (true, false));
        assert_eq!(accepted(&["application/json; charset=utf-8; q=1"]), (true, false));
        assert_eq!(accepted(&["text/event-stream"]), (false, true));
        assert_eq!(accepted(&["application/json;q=0, */*"]), (false, true), "the closest range counts");
        assert_eq!(accepted(&["text/html"]), (false, false));
        assert_eq!(accepted(&["*/*;q=0"]), (false, false));
    }
}
