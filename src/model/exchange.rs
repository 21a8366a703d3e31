//! One request to a provider and its response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::error::ModelError;
use super::name::ModelName;
use super::protocol::{ModelRequest, PartialReply, ProviderProtocol, is_passing, message_of};
use super::question::{ModelReply, Question, ReplyListener};
use super::settings::{Endpoint, ModelSettings};
use super::sse::EventParser;
use pagewise_web::http::{Client, HttpError, RequestBuilder, Response, header, stream_body};

/// Bytes read of an error response.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// Characters kept of an error message.
const MAX_MESSAGE_CHARACTERS: usize = 400;

/// Bytes of one event, or of an answer's JSON around its text.
const MAX_EVENT_BYTES: usize = 4 << 20;

/// One request and what it needs.
pub(super) struct ModelExchange<'a> {
    pub(super) client: &'a Client,
    pub(super) settings: &'a ModelSettings,
    pub(super) endpoint: &'a Endpoint,
    pub(super) name: &'a ModelName,
    pub(super) question: &'a Question,
    pub(super) listener: &'a dyn ReplyListener,
    /// Notified on cancellation.
    pub(super) stop: &'a Notify,
    /// The deadline for all models together.
    pub(super) deadline: Instant,
}

impl ModelExchange<'_> {
    /// Asks once.
    pub(super) async fn run(&self) -> Result<ModelReply, ModelError> {
        let wire = self.endpoint.provider.wire;
        let activity = Activity::new();
        let request = self.request(wire, &activity)?;
        let response =
            self.await_in_time(&activity, request.send()).await?.map_err(|error| self.unreachable(&error))?;
        activity.touch();
        if !response.status().is_success() {
            return Err(self.refusal(response, &activity).await?);
        }
        let mut reading = PartialReply::default();
        let read = if is_json(&response) {
            self.read_reply(wire, response, &activity, &mut reading).await
        } else {
            self.read_events(wire, response, &activity, &mut reading).await
        };
        if read.is_err() && !reading.text.is_empty() {
            self.listener.discard();
        }
        read.and_then(|()| reply(reading))
    }

    fn request(&self, wire: ProviderProtocol, activity: &Activity) -> Result<RequestBuilder, ModelError> {
        let max_output_tokens = self.settings.pdf_max_output_tokens;
        let body = wire.body(&ModelRequest { model: &self.name.model, question: self.question, max_output_tokens });
        let limit = request_bytes(self.settings, self.name);
        if body.len() > limit {
            let which = self.name.clone();
            return Err(ModelError::OverLimit { unit: "bytes", which, limit, found: body.len() });
        }
        let mut request = self
            .client
            .post(wire.url(&self.endpoint.base_url, &self.name.model))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream, application/json")
            // A compressing proxy might hold back a stream.
            .header(header::ACCEPT_ENCODING, "identity");
        for (name, value) in wire.headers(self.endpoint.key.as_ref()) {
            let reason = format!("the key of {} cannot be sent in a header", self.name.provider);
            let mut value = header::HeaderValue::from_str(&value).map_err(|_| ModelError::Unusable { reason })?;
            value.set_sensitive(name != "anthropic-version");
            request = request.header(name, value);
        }
        let (length, activity) = (body.len(), activity.clone());
        Ok(request.body(stream_body(body.pieces().inspect(move |_| activity.touch()), length)))
    }

    /// The error of a response with an error status.
    async fn refusal(&self, response: Response, activity: &Activity) -> Result<ModelError, ModelError> {
        let status = response.status().as_u16();
        let retry_after = retry_after(&response, SystemTime::now());
        let text = self.read_text(response, activity, MAX_REFUSAL_BYTES).await.or_else(|error| match error {
            ModelError::Cancelled | ModelError::Timeout { .. } => Err(error),
            // The body is lost, but the refusal is known.
            _ => Ok(String::new()),
        })?;
        let (message, kind) = message_of(&text).unwrap_or_else(|| (text, String::new()));
        Ok(ModelError::Refused {
            status,
            message: self.sanitized(&message),
            retry_after,
            is_passing: is_passing(status, &kind),
        })
    }

    /// A server's message without keys, on one line, truncated.
    fn sanitized(&self, message: &str) -> String {
        let safe = self.settings.redact(message);
        let words = safe.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.collect::<Vec<_>>().join(" ");
        if line.is_empty() { "no explanation".to_owned() } else { line.chars().take(MAX_MESSAGE_CHARACTERS).collect() }
    }

    async fn read_reply(
        &self,
        wire: ProviderProtocol,
        response: Response,
        activity: &Activity,
        reading: &mut PartialReply,
    ) -> Result<(), ModelError> {
        let text = self.read_text(response, activity, MAX_EVENT_BYTES).await?;
        wire.read_reply(&text, reading).map_err(|error| self.sanitized_error(error))?;
        self.report_text(reading, 0)?;
        Ok(())
    }

    async fn read_events(
        &self,
        wire: ProviderProtocol,
        mut response: Response,
        activity: &Activity,
        reading: &mut PartialReply,
    ) -> Result<(), ModelError> {
        let mut events = EventParser::default();
        let mut reported = 0;
        while let Some(bytes) = self.next_chunk(&mut response, activity).await? {
            let fed = events.feed(&bytes, |data| wire.read_event(data, reading));
            // Report what came before an error, too.
            reported = self.report_text(reading, reported)?;
            fed.map_err(|error| self.sanitized_error(error))?;
            if events.waiting() > MAX_EVENT_BYTES {
                return Err(ModelError::Nonsense { what: "an event without end".to_owned() });
            }
        }
        // Some chat completion servers do not send the final event.
        if reading.is_complete || (wire == ProviderProtocol::ChatCompletions && reading.stop.is_some()) {
            return Ok(());
        }
        Err(ModelError::Broken { reason: "it ended early".to_owned() })
    }

    /// Reports the text after the first `reported` bytes. Fails if the answer is too long. Returns how much has been reported.
    fn report_text(&self, reading: &PartialReply, reported: usize) -> Result<usize, ModelError> {
        let limit = self.settings.pdf_max_answer_bytes;
        if reading.text.len() as u64 > limit {
            return Err(ModelError::TooLong { setting: "pdf_max_answer_bytes", limit });
        }
        let more = reading.text.get(reported..).unwrap_or_default();
        if !more.is_empty() {
            self.listener.text(more);
        }
        Ok(reading.text.len())
    }

    /// The text of a response, at most `max` bytes.
    async fn read_text(&self, mut response: Response, activity: &Activity, max: usize) -> Result<String, ModelError> {
        let mut text = Vec::new();
        while let Some(bytes) = self.next_chunk(&mut response, activity).await? {
            if text.len().saturating_add(bytes.len()) > max {
                return Err(ModelError::Nonsense { what: format!("more than {max} bytes where fewer are expected") });
            }
            text.extend_from_slice(&bytes);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    async fn next_chunk(
        &self,
        response: &mut Response,
        activity: &Activity,
    ) -> Result<Option<bytes::Bytes>, ModelError> {
        let chunk = self.await_in_time(activity, response.chunk()).await?;
        activity.touch();
        chunk.map_err(|error| ModelError::Broken { reason: self.sanitized(&root_cause(&error)) })
    }

    /// Awaits `future`, unless it is cancelled, idle for too long, or past the deadline.
    async fn await_in_time<F: Future>(&self, activity: &Activity, future: F) -> Result<F::Output, ModelError> {
        let mut future = std::pin::pin!(future);
        loop {
            let idle = activity.last() + self.settings.pdf_idle_timeout;
            tokio::select! {
                biased;
                () = self.stop.notified() => return Err(ModelError::Cancelled),
                done = &mut future => return Ok(done),
                () = sleep_until(self.deadline.min(idle)) => {}
            }
            if Instant::now() >= self.deadline {
                return Err(total_timeout(self.settings));
            }
            if Instant::now() >= activity.last() + self.settings.pdf_idle_timeout {
                let limit_ms = milliseconds(self.settings.pdf_idle_timeout);
                let what = "nothing arrived in that time";
                return Err(ModelError::Timeout { setting: "pdf_idle_timeout_ms", limit_ms, what });
            }
        }
    }

    fn unreachable(&self, error: &HttpError) -> ModelError {
        let reason = self.sanitized(&root_cause(error));
        let address = self.sanitized(&display_address(&self.endpoint.base_url));
        if error.is_builder() {
            return ModelError::Unusable { reason: format!("{address} is not a valid address: {reason}") };
        }
        if error.is_connect() {
            return ModelError::Unreachable { base_url: address, reason };
        }
        ModelError::Broken { reason }
    }

    /// An error out of a response, with keys masked and bounded length.
    fn sanitized_error(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::Refused { status, message, retry_after, is_passing } => {
                ModelError::Refused { status, message: self.sanitized(&message), retry_after, is_passing }
            }
            other => other,
        }
    }
}

fn reply(reading: PartialReply) -> Result<ModelReply, ModelError> {
    if reading.text.trim().is_empty() {
        return Err(ModelError::NoText { reason: reading.stop });
    }
    Ok(ModelReply { text: reading.text, usage: reading.usage, is_cut: reading.is_cut })
}

/// The byte limit of a request.
pub(super) fn request_bytes(settings: &ModelSettings, name: &ModelName) -> u64 {
    settings.limits(name).max_request_bytes
}

/// The error when the deadline for all models has passed.
pub(super) fn total_timeout(settings: &ModelSettings) -> ModelError {
    let limit_ms = milliseconds(settings.pdf_timeout);
    ModelError::Timeout { setting: "pdf_timeout_ms", limit_ms, what: "the answer had not arrived by then" }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn is_json(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|value| value.trim_start().starts_with("application/json"))
}

/// The wait that the server asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110, 10.2.3).
fn retry_after(response: &Response, now: SystemTime) -> Option<Duration> {
    let value = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = value("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let text = value("retry-after")?;
    let seconds = text.parse().ok().map(Duration::from_secs);
    let until = || httpdate::parse_http_date(text).ok();
    seconds.or_else(|| until().map(|date| date.duration_since(now).unwrap_or_default()))
}

/// Scheme, host and port of a URL, without credentials.
fn display_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{}", authority.rsplit('@').next().unwrap_or_default())
}

/// The innermost error: the outer ones only say that a request failed.
fn root_cause(error: &HttpError) -> String {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause.and_then(std::error::Error::source) {
        cause = Some(inner);
    }
    cause.map_or_else(|| "the connection failed".to_owned(), ToString::to_string)
}

/// The time of the last data sent or received.
#[derive(Debug, Clone)]
struct Activity {
    start: Instant,
    last_ms: Arc<AtomicU64>,
}

impl Activity {
    fn new() -> Self {
        Self { start: Instant::now(), last_ms: Arc::default() }
    }

    fn touch(&self) {
        self.last_ms.store(milliseconds(self.start.elapsed()), Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.last_ms.load(Ordering::Relaxed))
    }
}
