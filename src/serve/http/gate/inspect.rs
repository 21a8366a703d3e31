//! The page `/inspect`: who may see it, and its calls to the room `inspect`.
//!
//! A browser shows a cookie, which it got for a token and which its scripts cannot read. A call needs a header that forms
//! and pages of other sites cannot send.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::access::FORBIDDEN_HOST;
use super::document_body::DocumentBody;
use super::events::event_stream;
use super::{Gate, method_name};
use crate::inspect::{self, ChangeWatch, InspectAnswer, Inspector, OneTimeAccess, Viewer};
use crate::serve::handler::CancelOnDrop;
use crate::serve::http::exchange::RequestSlot;
use crate::serve::http::log::{LoggedCall, RequestLogEntry};
use crate::tool::{ErrorCode, ToolError};
use pagewise_base::limits::Cancellation;
use pagewise_base::share::{Share, Sharer};
use pagewise_view::Principal;

/// Who may see the page.
#[derive(Clone, Default)]
pub(in crate::serve) enum InspectAccess {
    /// Each principal of the server, its own conversations.
    #[default]
    Principals,
    /// The owner of the store, all conversations.
    StoreOwner(Arc<OneTimeAccess>),
}

/// The state of the page.
pub(super) struct InspectDoor {
    inspector: Inspector,
    access: InspectAccess,
    /// Cookies of the server's tokens.
    cookies: Vec<(String, Principal)>,
    /// Browsers keep cookies by host, not by port.
    cookie_name: String,
    streams: Arc<Share>,
    documents: Arc<Share>,
}

/// Pages that may be open at once and be told of changes.
const MAX_STREAMS: usize = 64;

/// Documents that may be in memory at once, on their way out, and those of one principal. Further requests wait.
const MAX_DOCUMENTS: usize = 4;
const MAX_OWN_DOCUMENTS: usize = 2;

/// Time between two looks for a place among them.
const PLACE_CHECK: Duration = Duration::from_millis(50);

/// The header that a call needs.
const CALL_HEADER: &str = "x-pagewise-inspect";

/// What the page may load: its own files alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// The policy of a PDF, which the browser's viewer shows.
const PDF_POLICY: &str = "frame-ancestors 'none'";

const PDF: &str = "application/pdf";

impl InspectDoor {
    pub(super) fn new(inspector: Inspector, access: InspectAccess, tokens: &[String], port: u16) -> Self {
        let cookies = tokens.iter().map(|token| (inspect::cookie_of(token), Principal::of(token)));
        Self {
            inspector,
            access,
            cookies: cookies.collect(),
            cookie_name: format!("pagewise_inspect_{port}"),
            streams: Share::new(MAX_STREAMS, MAX_STREAMS),
            documents: Share::new(MAX_DOCUMENTS, MAX_OWN_DOCUMENTS),
        }
    }

    /// Whether the server is there for the page alone.
    pub(super) fn is_alone(&self) -> bool {
        matches!(self.access, InspectAccess::StoreOwner(_))
    }

    fn shown_cookie<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = all.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie_name).map(|(_, value)| value)
    }

    /// The answer to a browser without a cookie, with what the page asks for then.
    fn refuse_stranger(&self) -> Response {
        let message = match self.access {
            InspectAccess::Principals => "A token is needed.",
            InspectAccess::StoreOwner(_) => "The address opens once, in one browser. Run pagewise inspect again.",
        };
        let body = json!({ "message": message, "signIn": !self.is_alone() });
        data_response(StatusCode::UNAUTHORIZED, &body)
    }

    fn cookie(&self, value: &str) -> (header::HeaderName, String) {
        let name = &self.cookie_name;
        (header::SET_COOKIE, format!("{name}={value}; Path=/inspect; HttpOnly; SameSite=Strict"))
    }
}

impl Gate {
    /// Whose conversations a request may see.
    async fn viewer(&self, door: &InspectDoor, headers: &HeaderMap) -> Option<Viewer> {
        let cookie = door.shown_cookie(headers);
        match &door.access {
            InspectAccess::StoreOwner(access) => {
                cookie.filter(|cookie| access.knows(cookie)).map(|_| Viewer::StoreOwner)
            }
            InspectAccess::Principals => {
                let by_cookie = || {
                    let shown = cookie?;
                    let known = door.cookies.iter().find(|(cookie, _)| inspect::is_same(cookie, shown));
                    known.map(|(_, principal)| *principal)
                };
                self.access.principal(headers).await.ok().or_else(by_cookie).map(Viewer::Principal)
            }
        }
    }

    /// The viewer of a request that no other site made.
    async fn admit_viewer(&self, headers: &HeaderMap) -> Result<(&InspectDoor, Viewer), Box<Response>> {
        let door = self.inspect.as_ref().ok_or_else(|| Box::new(not_found()))?;
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        if !site.is_none_or(|site| ["same-origin", "none"].contains(&site)) {
            return Err(Box::new(refusal(StatusCode::FORBIDDEN, "Another site may not ask for this.")));
        }
        let viewer = self.viewer(door, headers).await;
        viewer.map(|viewer| (door, viewer)).ok_or_else(|| Box::new(door.refuse_stranger()))
    }

    /// A slot for a call of the page.
    fn viewer_slot(&self, viewer: &Viewer) -> Result<RequestSlot, &'static str> {
        match viewer {
            Viewer::Principal(principal) => self.slot(*principal),
            Viewer::StoreOwner => self.slot(Principal::of("")),
        }
    }

    fn viewer_sharer(&self, viewer: &Viewer) -> Sharer {
        match viewer {
            Viewer::Principal(principal) => self.sharer(*principal),
            Viewer::StoreOwner => None,
        }
    }
}

/// The routes of the page.
pub(super) fn routes() -> Router<Arc<Gate>> {
    Router::new()
        .route("/inspect", get(page))
        .route("/inspect/api/sign-in", post(sign_in))
        .route("/inspect/events", get(events))
        .route("/inspect/api/{call}", post(call))
        .route("/inspect/document/{conversation}/{key}", get(document))
        .route("/inspect/{asset}", get(asset))
}

/// Checks the host, and sets the headers of every answer.
pub(super) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let (began, method) = (Instant::now(), method_name(request.method()));
    // Paths that no route has come here too.
    let path = if request.uri().path().starts_with("/inspect") { "/inspect" } else { "unknown" };
    let mut response = match gate.access.has_allowed_host(request.headers()) {
        true => next.run(request).await,
        false => refusal(StatusCode::FORBIDDEN, FORBIDDEN_HOST),
    };
    let headers = response.headers_mut();
    let is_pdf = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == PDF);
    let policy = if is_pdf { PDF_POLICY } else { POLICY };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let (is_logged, status) = (gate.settings.log, response.status().as_u16());
    let bytes = response.body().size_hint().exact().unwrap_or(0);
    let entry = RequestLogEntry { is_logged, method, path, status };
    entry.write(&LoggedCall::default(), bytes, began.elapsed());
    response
}

/// The page itself is the same for everybody. A one-time token in its address is exchanged here.
async fn page(State(gate): State<Arc<Gate>>, uri: Uri) -> Response {
    let Some(door) = &gate.inspect else { return not_found() };
    let html = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], inspect::page());
    let token = uri.query().and_then(|query| query.strip_prefix("token="));
    match (token, &door.access) {
        (Some(token), InspectAccess::StoreOwner(access)) => match access.exchange(token) {
            Some(cookie) => ([door.cookie(cookie)], html).into_response(),
            None => html.into_response(),
        },
        _ => html.into_response(),
    }
}

async fn asset(Path(name): Path<String>) -> Response {
    let Some(asset) = inspect::asset(&name) else { return not_found() };
    ([(header::CONTENT_TYPE, asset.mime_type)], asset.text).into_response()
}

/// Gives the cookie of a bearer token.
async fn sign_in(State(gate): State<Arc<Gate>>, headers: HeaderMap) -> Response {
    let Some(door) = &gate.inspect else { return not_found() };
    let principal = gate.access.principal(&headers).await.ok().filter(|_| headers.contains_key(CALL_HEADER));
    let cookie = principal.and_then(|principal| door.cookies.iter().find(|(_, known)| *known == principal));
    match cookie {
        Some((cookie, _)) => (StatusCode::NO_CONTENT, [door.cookie(cookie)]).into_response(),
        None => refusal(StatusCode::UNAUTHORIZED, "This token is not known."),
    }
}

async fn call(State(gate): State<Arc<Gate>>, Path(name): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (door, viewer) = match gate.admit_viewer(&parts.headers).await {
        Ok(admitted) => admitted,
        Err(refusal) => return *refusal,
    };
    if !parts.headers.contains_key(CALL_HEADER) {
        return refusal(StatusCode::FORBIDDEN, "A call needs the header x-pagewise-inspect.");
    }
    let _slot = match gate.viewer_slot(&viewer) {
        Ok(slot) => slot,
        Err(why) => return refusal(StatusCode::SERVICE_UNAVAILABLE, why),
    };
    let bytes = match gate.body(body).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    let Ok(arguments) = serde_json::from_slice::<Map<String, Value>>(&bytes) else {
        return refusal(StatusCode::BAD_REQUEST, "The body of a call is an object.");
    };
    let (inspector, cancellation) = (door.inspector.clone(), Cancellation::new());
    let _cancel = CancelOnDrop(cancellation.clone());
    match spawn_blocking(move || inspector.answer(&name, &viewer, &arguments, &cancellation)).await {
        Ok(Some(Ok(InspectAnswer::Data(data)))) => data_response(StatusCode::OK, &data),
        Ok(Some(Ok(InspectAnswer::Picture(png)))) => ([(header::CONTENT_TYPE, "image/png")], png).into_response(),
        Ok(Some(Err(error))) => error_answer(&error),
        Ok(None) => not_found(),
        Err(_) => failed(),
    }
}

async fn document(
    State(gate): State<Arc<Gate>>,
    Path((conversation, key)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let (door, viewer) = match gate.admit_viewer(&headers).await {
        Ok(admitted) => admitted,
        Err(refusal) => return *refusal,
    };
    let Some(id) = text_of_hex(&conversation) else { return not_found() };
    let sharer = gate.viewer_sharer(&viewer);
    let waiting = async {
        loop {
            match door.documents.take(sharer) {
                Ok(place) => break place,
                Err(_) => sleep(PLACE_CHECK).await,
            }
        }
    };
    let Ok(place) = timeout(gate.settings.read_timeout, waiting).await else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "Too many documents are being sent.");
    };
    let arguments = Map::from_iter([("id".to_owned(), json!(id)), ("key".to_owned(), json!(key))]);
    let inspector = door.inspector.clone();
    match spawn_blocking(move || inspector.document(&viewer, &arguments)).await {
        Ok(Ok(bytes)) => ([(header::CONTENT_TYPE, PDF)], Body::new(DocumentBody::new(bytes, place))).into_response(),
        Ok(Err(error)) => error_answer(&error),
        Err(_) => failed(),
    }
}

/// Tells of changes, until the page is closed or the server ends.
async fn events(State(gate): State<Arc<Gate>>, headers: HeaderMap) -> Response {
    let (door, viewer) = match gate.admit_viewer(&headers).await {
        Ok(admitted) => admitted,
        Err(refusal) => return *refusal,
    };
    let Ok(place) = door.streams.take(gate.viewer_sharer(&viewer)) else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "Too many of these pages are open.");
    };
    let watch = ChangeWatch::new(door.inspector.clone(), viewer);
    let draining = Arc::clone(&gate);
    let body = event_stream(watch, place, move || draining.is_draining.load(Ordering::SeqCst));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::new(body)).into_response()
}

/// The text of hexadecimal digits.
fn text_of_hex(digits: &str) -> Option<String> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_hex {
        return None;
    }
    let pairs = digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    String::from_utf8(pairs.collect::<Option<Vec<_>>>()?).ok()
}

fn data_response(status: StatusCode, data: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], data.to_string()).into_response()
}

fn refusal(status: StatusCode, message: &str) -> Response {
    data_response(status, &json!({ "message": message }))
}

fn not_found() -> Response {
    refusal(StatusCode::NOT_FOUND, "There is nothing at this address.")
}

fn failed() -> Response {
    refusal(StatusCode::INTERNAL_SERVER_ERROR, "The request failed.")
}

/// A failure in the words of the command line.
fn error_answer(error: &ToolError) -> Response {
    let error = error.for_command_line(str::to_owned);
    let status = match error.code {
        ErrorCode::UnknownConversation | ErrorCode::FileNotFound => StatusCode::NOT_FOUND,
        ErrorCode::StoreFailed => StatusCode::SERVICE_UNAVAILABLE,
        code if code.is_refusal() => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let hint = match error.code {
        ErrorCode::UnknownConversation => Some("Choose one from the list."),
        _ => error.hint.as_deref(),
    };
    data_response(status, &json!({ "message": error.message, "hint": hint }))
}

#[cfg(test)]
mod tests {
    use super::text_of_hex;

    #[test]
    fn a_name_is_written_in_hexadecimal_digits() {
        assert_eq!(text_of_hex("5a6fc3ab").as_deref(), Some("Zoë"));
        for wrong in ["5", "zz", "c3", "+1", "é"] {
            assert_eq!(text_of_hex(wrong), None, "{wrong}");
        }
    }
}
