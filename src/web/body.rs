//! Writes a response body to the store in pieces. Bytes are counted as they arrive, because a declared length may be
//! wrong and a kilobyte may decompress to a gigabyte.

use std::io::Write as _;
use std::time::Duration;

use tokio::time::Instant;

use super::error::WebError;
use super::settings::WebSettings;
use super::store::{FetchStore, StoredBody};
use crate::http::{Response, header};

/// Writes the body of `response` to the store.
pub(super) async fn write_body(
    mut response: Response,
    settings: &WebSettings,
    store: &FetchStore,
) -> Result<StoredBody, WebError> {
    let (limit, setting) = (settings.max_bytes, "web_max_bytes");
    let too_large = |found| WebError::TooLarge { found, limit, setting };
    if let Some(declared) = response.content_length().filter(|declared| *declared > limit) {
        return Err(too_large(declared));
    }
    // The HTTP client removes this field when it decodes the body.
    if let Some(coding) = response.headers().get(header::CONTENT_ENCODING).filter(|coding| *coding != "identity") {
        return Err(WebError::failed(format!("Content-Encoding {coding:?} is not understood")));
    }
    let mut draft = store.create_draft()?;
    let mut bytes = 0_u64;
    let mut floor = SpeedFloor::new(settings);
    loop {
        let piece = tokio::time::timeout_at(floor.due, response.chunk()).await;
        let piece = match piece {
            Ok(piece) => piece.map_err(|error| WebError::from_client(&error))?,
            Err(_) => {
                floor.end_window()?;
                continue;
            }
        };
        let Some(piece) = piece else { break };
        bytes = bytes.saturating_add(piece.len() as u64);
        if bytes > limit {
            return Err(too_large(bytes));
        }
        floor.count(piece.len() as u64)?;
        draft.write_all(&piece).map_err(|error| WebError::store(&error))?;
    }
    store.keep_body(draft)
}

/// Checks the minimum speed over consecutive time windows.
struct SpeedFloor {
    bytes_a_second: u64,
    window: Duration,
    due: Instant,
    bytes: u64,
}

impl SpeedFloor {
    fn new(settings: &WebSettings) -> Self {
        // An empty window would make the loop above spin.
        let window = settings.floor_window.max(Duration::from_millis(1));
        Self { bytes_a_second: settings.min_bytes_per_second, window, due: Instant::now() + window, bytes: 0 }
    }

    fn count(&mut self, bytes: u64) -> Result<(), WebError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if Instant::now() >= self.due { self.end_window() } else { Ok(()) }
    }

    /// Ends a window: fails if too few bytes arrived in it, or starts the next.
    fn end_window(&mut self) -> Result<(), WebError> {
        let least = u128::from(self.bytes_a_second) * self.window.as_millis() / 1_000;
        if u128::from(self.bytes) < least {
            return Err(WebError::TooSlow { limit: self.bytes_a_second });
        }
        self.due = Instant::now() + self.window;
        self.bytes = 0;
        Ok(())
    }
}
