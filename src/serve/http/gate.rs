//! The checks before the protocol sees a request, and the pages for operators.

mod access;
mod document_body;
mod documents;
mod events;
mod inspect;
mod media_types;
mod protected_resource;

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router, routing};
use rmcp::ServerHandler;
use rmcp::model::RequestId;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::time::timeout;

pub(in crate::serve) use self::inspect::InspectAccess;

use self::access::Access;
use self::documents::{DOCUMENTS, UPLOADS_AT_ONCE, upload};
use self::inspect::InspectDoor;
use self::media_types::AcceptedTypes;
use self::protected_resource::{WELL_KNOWN, protected_resource};
use super::exchange::{AwaitingFlush, BodyTracking, Exchange, RequestSlot, TrackedBody};
use super::head::head_bytes;
use super::log::RequestLogEntry;
use super::metrics::{Gauge, Metrics, reader_text, store_text};
use super::responses::{SERVER_ERROR, busy_response, error_response, malformed_response};
use super::sessions::{Admission, SESSION_HEADER, Sessions};
use super::settings::HttpSettings;
use super::state::HttpState;
use crate::inspect::Inspector;
use crate::serve::delivery::{OpenBlobs, Recalls, take_back};
use crate::serve::message::read_message;
use pagewise_base::share::{Full, Place, Share, Sharer};
use pagewise_store::{CallTally, StoreTally};
use pagewise_view::Principal;

/// Who sent a request, and where its handler leaves data for its connection.
#[derive(Clone)]
pub(in crate::serve) struct HttpCaller {
    pub(in crate::serve) principal: Principal,
    pub(in crate::serve) sharer: Sharer,
    pub(in crate::serve) exchange: Arc<Exchange>,
    pub(in crate::serve) session_is_conversation: bool,
}

/// The protocol behind the gate, with any handler.
struct ProtocolService {
    answer: Box<dyn Fn(Request) -> ResponseFuture + Send + Sync>,
    /// Ends sessions and streams that would stay open.
    end: Box<dyn Fn() + Send + Sync>,
}

type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The state of one HTTP server.
pub(super) struct Gate {
    protocol: ProtocolService,
    sessions: Sessions,
    settings: HttpSettings,
    access: Access,
    state: HttpState,
    warn: fn(&str),
    requests: Arc<Share>,
    uploads: Arc<Share>,
    streams: Arc<Share>,
    /// The data of all responses that are being written.
    open: OpenBlobs,
    is_draining: AtomicBool,
    /// The page that shows conversations; `None` without a store.
    inspect: Option<InspectDoor>,
}

/// The notification with which a client of the older protocol versions cancels a request.
const CANCELLED: &str = "notifications/cancelled";

/// How long a health check waits for the store.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

impl Gate {
    pub(super) fn new<H: ServerHandler + Clone>(
        handler: H,
        state: HttpState,
        settings: HttpSettings,
        address: SocketAddr,
        warn: fn(&str),
    ) -> io::Result<Arc<Self>> {
        let access = Access::new(&settings, address, warn)?;
        let sessions = Sessions::new(settings.session_idle, settings.max_sessions, state.context.clone());
        let allowed_origins = settings.all_allowed_origins();
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(access.allowed_hosts().to_vec())
            .with_allowed_origins(allowed_origins)
            .enforce_origin_validation()
            .with_json_response(true)
            .with_max_request_body_bytes(settings.max_body_bytes);
        config.session_store = Some(sessions.replay());
        let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions.manager(), config);
        let ending = service.config.cancellation_token.clone();
        let answer = move |request: Request| {
            let service = service.clone();
            Box::pin(async move { service.handle(request).await.map(Body::new) }) as ResponseFuture
        };
        let protocol = ProtocolService { answer: Box::new(answer), end: Box::new(move || ending.cancel()) };
        let inspector = state.context.clone().map(Inspector::new);
        let inspect = inspector
            .map(|inspector| InspectDoor::new(inspector, state.inspect.clone(), &settings.tokens, address.port()));
        Ok(Arc::new(Self {
            protocol,
            sessions,
            access,
            state,
            warn,
            requests: Share::new(settings.max_requests, settings.max_requests_per_principal),
            uploads: Share::new(usize::MAX, UPLOADS_AT_ONCE),
            // A session has one.
            streams: Share::new(settings.max_sessions, settings.max_sessions),
            open: OpenBlobs::default(),
            is_draining: AtomicBool::new(false),
            inspect,
            settings,
        }))
    }

    pub(super) fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.state.metrics
    }

    pub(super) fn state(&self) -> &HttpState {
        &self.state
    }

    /// Takes no further requests.
    pub(super) fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
    }

    /// Ends sessions and event streams, which would stay open.
    pub(super) fn end_sessions(&self) {
        (self.protocol.end)();
    }

    /// The state of the store; `None` if it does not answer in time. A server without a store has nothing that can
    /// fail.
    async fn store_tally(&self) -> Option<StoreTally> {
        let Some(context) = self.state.context.clone() else { return Some(StoreTally::default()) };
        let probing = tokio::task::spawn_blocking(move || context.probe_store());
        timeout(PROBE_TIMEOUT, probing).await.ok()?.ok()
    }

    /// The principal of a request, and its slot if it `counts`.
    ///
    /// # Errors
    /// The response to a request that is not answered.
    async fn admit(&self, headers: &HeaderMap, counts: bool) -> Result<(Principal, Option<RequestSlot>), Response> {
        let principal = self.access.admit(headers).await?;
        let slot = counts.then(|| self.slot(principal)).transpose();
        Ok((principal, slot.map_err(busy_response)?))
    }

    /// A slot for a request of a principal.
    ///
    /// # Errors
    /// Why there is none.
    fn slot(&self, principal: Principal) -> Result<RequestSlot, &'static str> {
        let place = self.requests.take(self.sharer(principal)).map_err(|full| match full {
            Full::Own => "Too many of your requests are open (http_max_requests_per_principal).",
            Full::Total => "Too many requests are open (http_max_requests).",
        });
        if place.is_err() {
            self.state.metrics.turned_away.fetch_add(1, Ordering::Relaxed);
        }
        Ok(RequestSlot { place: Some(place?), gauge: Gauge::new(&self.state.metrics.in_flight) })
    }

    /// A principal as resources tell it apart. Everybody is one principal of a server without tokens.
    fn sharer(&self, principal: Principal) -> Sharer {
        (!self.access.is_open()).then_some(principal.0)
    }

    /// A place for the event stream of a session.
    ///
    /// # Errors
    /// Why there is none.
    fn stream(&self, principal: Principal) -> Result<Place, &'static str> {
        self.streams.take(self.sharer(principal)).map_err(|_| {
            self.state.metrics.turned_away.fetch_add(1, Ordering::Relaxed);
            "Too many event streams are open (http_max_sessions)."
        })
    }

    async fn answer(&self, request: Request, principal: Principal, exchange: &Arc<Exchange>) -> Response {
        if self.is_draining.load(Ordering::SeqCst) {
            return busy_response("This server is shutting down.");
        }
        let session_is_conversation = self.settings.session_is_conversation;
        let sharer = self.sharer(principal);
        let http_caller = HttpCaller { principal, sharer, exchange: Arc::clone(exchange), session_is_conversation };
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(http_caller);
        let accepted = AcceptedTypes::of(&parts.headers);
        accepted.name_both(&mut parts.headers);
        if let Some(refusal) = self.refuse_session(&parts.headers, principal, &parts.method).await {
            return refusal;
        }
        if parts.method != Method::POST {
            let ends = (parts.method == Method::DELETE).then(|| parts.headers.clone());
            let response = (self.protocol.answer)(Request::from_parts(parts, body)).await;
            return match ends {
                Some(headers) => self.sessions.end(response, &headers).await,
                None => response,
            };
        }
        let bytes = match self.body(body).await {
            Ok(bytes) => bytes,
            Err(refusal) => return refusal,
        };
        let message = match read_message(&bytes) {
            Ok(Some(message)) => message.json,
            Ok(None) => return StatusCode::ACCEPTED.into_response(),
            Err(malformed) => return accepted.convert(malformed_response(&malformed)).await,
        };
        let opens = message.get("method").is_some_and(|method| method == "initialize");
        let place = match opens.then_some(self.sessions.place(sharer)) {
            Some(place) => Some(place.await),
            None => None,
        };
        let Ok(place) = place.transpose() else { return self.too_many_sessions() };
        if let Some(recalls) = self.sessions.recalls(&parts.headers) {
            self.track_request(&recalls, &message, exchange);
        }
        let is_in_session = parts.headers.contains_key(SESSION_HEADER);
        parts.headers.remove(header::CONTENT_LENGTH);
        let answer = (self.protocol.answer)(Request::from_parts(parts, Body::from(message.to_string())));
        let response = if is_in_session { uninterrupted(answer).await } else { answer.await };
        if let Some(place) = place {
            self.sessions.add(response.headers(), principal, message.get("params"), place).await;
        }
        accepted.convert(response).await
    }

    /// The response to a request that may not use its session.
    async fn refuse_session(&self, headers: &HeaderMap, principal: Principal, method: &Method) -> Option<Response> {
        match self.sessions.admit(headers, principal, method, self.sharer(principal)).await {
            Admission::Admitted => None,
            Admission::Unknown => Some(error_response(StatusCode::NOT_FOUND, SERVER_ERROR, "Session not found")),
            Admission::Unavailable => Some(busy_response("The session store does not answer.")),
            Admission::Full => Some(self.too_many_sessions()),
        }
    }

    fn too_many_sessions(&self) -> Response {
        self.state.metrics.turned_away.fetch_add(1, Ordering::Relaxed);
        busy_response("Too many sessions are open (http_max_sessions).")
    }

    /// Adds a request to its session, or obeys a cancellation.
    fn track_request(&self, recalls: &Recalls, message: &Value, exchange: &Exchange) {
        let id = |id: Option<&Value>| id.and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        if message.get("method").is_some_and(|method| method == CANCELLED) {
            if let Some(id) = id(message.pointer("/params/requestId")) {
                take_back(recalls.cancel(&id), &self.state.in_flight, self.warn);
            }
        } else if let (Some(id), true) = (id(message.get("id")), message.get("method").is_some()) {
            recalls.begin(&id, exchange.recall());
        }
    }

    async fn body(&self, body: Body) -> Result<Bytes, Response> {
        let limit = self.settings.max_body_bytes;
        let too_large = || {
            let message = format!("The body is larger than {limit} bytes (http_max_body_bytes).");
            error_response(StatusCode::PAYLOAD_TOO_LARGE, SERVER_ERROR, &message)
        };
        // `to_bytes` checks both the announced and the actual length.
        match timeout(self.settings.read_timeout, axum::body::to_bytes(body, limit)).await {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(error)) if is_of_connection(&error) => Err(error_response(
                StatusCode::BAD_REQUEST,
                SERVER_ERROR,
                "The body cannot be read: it ends early, or its chunked encoding is invalid.",
            )),
            Ok(Err(_)) => Err(too_large()),
            Err(_) => Err(error_response(
                StatusCode::REQUEST_TIMEOUT,
                SERVER_ERROR,
                "The body did not come in time (http_read_timeout_seconds).",
            )),
        }
    }
}

/// Whether reading a body failed for the connection, and not for the body's length.
fn is_of_connection(error: &axum::Error) -> bool {
    std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source())
        .any(|error| error.is::<hyper::Error>())
}

/// The routes of a server.
pub(super) fn router(gate: &Arc<Gate>) -> Router {
    let is_inspect_alone = gate.inspect.as_ref().is_some_and(InspectDoor::is_alone);
    let protocol = Router::new()
        .route("/mcp", routing::any(mcp))
        .route(DOCUMENTS, routing::post(upload))
        .route(WELL_KNOWN, routing::get(protected_resource))
        .route(&format!("{WELL_KNOWN}/{{*path}}"), routing::get(protected_resource))
        .route("/healthz", routing::get(|| async { "ok\n" }))
        .route("/readyz", routing::get(ready))
        .route("/metrics", routing::get(metrics));
    let pages = inspect::routes().layer(middleware::from_fn_with_state(Arc::clone(gate), inspect::guard));
    let routes = if is_inspect_alone { pages } else { protocol.merge(pages) };
    routes.layer(middleware::from_fn_with_state(Arc::clone(gate), within_header_bytes)).with_state(Arc::clone(gate))
}

/// Refuses a request whose head is too large.
async fn within_header_bytes(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let limit = gate.settings.max_header_bytes;
    if head_bytes(&request) <= limit {
        return next.run(request).await;
    }
    let message = format!("The head of the request is larger than {limit} bytes (http_max_header_bytes).");
    error_response(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, SERVER_ERROR, &message)
}

async fn mcp(
    State(gate): State<Arc<Gate>>,
    Extension(awaiting): Extension<AwaitingFlush>,
    request: Request,
) -> Response {
    let began = Instant::now();
    let is_in_session = request.headers().contains_key(SESSION_HEADER);
    let exchange = Arc::new(Exchange::new(gate.open.clone(), is_in_session));
    let method = method_name(request.method());
    // An event stream is no open request.
    let counts = request.method() == Method::POST;
    let is_stream = *request.method() == Method::GET;
    let (slot, stream, response) = match gate.admit(request.headers(), counts).await {
        Ok((principal, slot)) => match is_stream.then(|| gate.stream(principal)).transpose() {
            Ok(stream) => (slot, stream, gate.answer(request, principal, &exchange).await),
            Err(reason) => (None, None, busy_response(reason)),
        },
        Err(refusal) => (None, None, refusal),
    };
    let entry =
        RequestLogEntry { is_logged: gate.settings.log, method, path: "/mcp", status: response.status().as_u16() };
    let metrics = Arc::clone(&gate.state.metrics);
    let tracking = BodyTracking { exchange, awaiting, entry, began, metrics, slot, stream };
    let (head, body) = response.into_parts();
    let mut body = TrackedBody::new(body, tracking);
    if counts {
        body.hold_head().await;
    }
    Response::from_parts(head, Body::new(body))
}

async fn ready(State(gate): State<Arc<Gate>>) -> Response {
    if gate.is_draining.load(Ordering::SeqCst) {
        return (StatusCode::SERVICE_UNAVAILABLE, "ending\n").into_response();
    }
    match gate.store_tally().await {
        Some(StoreTally {
            reads: CallTally { is_failing: false, .. },
            writes: CallTally { is_failing: false, .. },
        }) => "ready\n".into_response(),
        Some(StoreTally { reads: CallTally { is_failing: false, .. }, .. }) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the store records nothing\n").into_response()
        }
        _ => (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n").into_response(),
    }
}

async fn metrics(State(gate): State<Arc<Gate>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = gate.access.admit(&headers).await {
        return refusal;
    }
    let mut text = gate.state.metrics.text(gate.sessions.count().await);
    if let Some(context) = &gate.state.context {
        let tally = gate.store_tally().await;
        text.push_str(&store_text(tally, context.conversations_in_doubt()));
        text.push_str(&reader_text(context.reader_memory()));
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// Lets a request of a session go on until it has a response, although its client may be gone. If the SDK were interrupted
/// while it restores a session of another replica, the session would answer nothing until it times out.
async fn uninterrupted(answer: impl Future<Output = Response> + Send + 'static) -> Response {
    let failed = |_| error_response(StatusCode::INTERNAL_SERVER_ERROR, SERVER_ERROR, "The request failed.");
    tokio::spawn(answer).await.unwrap_or_else(failed)
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::POST => "POST",
        Method::GET => "GET",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}
