//! `POST /documents`: files that callers hand over, written to disk as they come.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::{Gate, method_name};
use crate::context::{ContextManager, UploadError, UploadResult};
use crate::serve::http::log::{LoggedCall, RequestLogEntry};
use crate::serve::http::responses::busy_response;
use pagewise_view::Principal;
use pagewise_web::WebError;

/// The path of uploads.
pub(super) const DOCUMENTS: &str = "/documents";

/// Uploads of one principal at once. Each may take as much disk as a file may have, before it is counted.
pub(super) const UPLOADS_AT_ONCE: usize = 2;

/// Time for an upload as a whole. Between two pieces there is less: the setting `http_read_timeout_seconds`.
const MAX_UPLOAD_TIME: Duration = Duration::from_secs(10 * 60);

/// Pieces that wait for the disk.
const WAITING_PIECES: usize = 4;

/// Why an upload is refused.
enum Refusal {
    /// The response of the gate.
    Response(Box<Response>),
    /// The bytes stopped coming.
    Interrupted,
    Upload(UploadError),
    /// The server failed.
    Failed,
}

/// Answers an upload.
pub(super) async fn upload(State(gate): State<Arc<Gate>>, request: Request) -> Response {
    let (began, method) = (Instant::now(), method_name(request.method()));
    let response = match gate.take_upload(request).await {
        Ok(upload) => created(&upload),
        Err(refusal) => refusal.response(),
    };
    let entry =
        RequestLogEntry { is_logged: gate.settings.log, method, path: DOCUMENTS, status: response.status().as_u16() };
    let bytes = response.body().size_hint().exact().unwrap_or(0);
    entry.write(&LoggedCall::default(), bytes, began.elapsed());
    response
}

impl Gate {
    async fn take_upload(&self, request: Request) -> Result<UploadResult, Refusal> {
        let (parts, body) = request.into_parts();
        let refused = |response| Refusal::Response(Box::new(response));
        self.check_origin(&parts.headers).map_err(|why| refused(refusal(StatusCode::FORBIDDEN, why)))?;
        let (principal, _slot) = self.admit(&parts.headers, true).await.map_err(refused)?;
        if self.is_draining.load(Ordering::SeqCst) {
            return Err(refused(busy_response("This server is shutting down.")));
        }
        let too_many = || refused(busy_response("Too many of your uploads are under way."));
        let _place = self.uploads.take(Some(principal.0)).map_err(|_| too_many())?;
        let context = self.state.context.clone().ok_or(Refusal::Failed)?;
        let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let (sender, receiver) = channel(WAITING_PIECES);
        let writing = spawn_blocking(move || write(&context, &principal, declared, receiver));
        let sent = timeout(MAX_UPLOAD_TIME, self.send_pieces(body, sender)).await;
        let written = writing.await.map_err(|_| Refusal::Failed)?;
        match (sent, written) {
            // Where the writer gave up, its reason counts.
            (_, Some(Err(error))) => Err(Refusal::Upload(error)),
            (_, Some(Ok(upload))) => Ok(upload),
            (_, None) => Err(Refusal::Interrupted),
        }
    }

    /// Hands the pieces of a body to the writer. It keeps the file only if the end was sent too.
    async fn send_pieces(&self, mut body: Body, sender: Sender<Option<Bytes>>) {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            let Ok(frame) = timeout(self.settings.read_timeout, frame).await else { return };
            let piece = match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => Some(data),
                    // Trailers say nothing here.
                    Err(_) => continue,
                },
                Some(Err(_)) => return,
                None => None,
            };
            let is_end = piece.is_none();
            if sender.send(piece).await.is_err() || is_end {
                return;
            }
        }
    }

    /// Refuses pages of other sites, which may send files without asking.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
        let is_allowed = |origin: &str| self.settings.allowed_origins.iter().any(|allowed| allowed == origin);
        if origin.is_none_or(is_allowed) {
            Ok(())
        } else {
            Err("Forbidden: Origin header is not allowed (setting http_allowed_origins)")
        }
    }
}

/// Writes pieces as they come. `None` if the end did not come.
fn write(
    context: &ContextManager,
    owner: &Principal,
    declared: Option<u64>,
    mut pieces: Receiver<Option<Bytes>>,
) -> Option<Result<UploadResult, UploadError>> {
    let mut input = match context.begin_upload(owner, declared) {
        Ok(input) => input,
        Err(error) => return Some(Err(error)),
    };
    loop {
        match pieces.blocking_recv()? {
            None => return Some(input.keep()),
            Some(piece) => {
                if let Err(error) = input.write(&piece) {
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Refusal {
    fn response(self) -> Response {
        let (status, message) = match self {
            Self::Response(response) => return *response,
            Self::Interrupted => (StatusCode::REQUEST_TIMEOUT, "The file did not come whole and in time.".to_owned()),
            Self::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "The request failed.".to_owned()),
            Self::Upload(error) => (status_of(&error), error.to_string()),
        };
        let mut response = refusal(status, &message);
        // What is left of the body is not read.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

fn status_of(error: &UploadError) -> StatusCode {
    match error {
        UploadError::Unsupported { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        UploadError::Empty => StatusCode::BAD_REQUEST,
        UploadError::Web(WebError::TooLarge { .. } | WebError::TooManyUploads { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
        UploadError::Web(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn created(upload: &UploadResult) -> Response {
    let UploadResult { reference, bytes, kind, expires } = upload;
    let body = json!({ "reference": reference, "bytes": bytes, "kind": kind, "expires": expires });
    (StatusCode::CREATED, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn refusal(status: StatusCode, message: &str) -> Response {
    let body = json!({ "message": message });
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
