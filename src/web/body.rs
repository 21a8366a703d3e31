//! A body, piece by piece to disk: what it says of its length is a claim, and a kilobyte may decompress to a gigabyte.

use std::io::Write as _;
use std::time::Duration;

use tokio::time::Instant;

use super::error::WebError;
use super::settings::WebSettings;
use super::store::{Body, FetchStore};
use crate::http::{Response, header};

/// Takes the body of `response` into the store.
pub(super) async fn streamed(
    mut response: Response,
    settings: &WebSettings,
    store: &FetchStore,
) -> Result<Body, WebError> {
    let (limit, setting) = (settings.max_bytes, "web_max_bytes");
    let too_large = |found| WebError::TooLarge { found, limit, setting };
    if let Some(declared) = response.content_length().filter(|declared| *declared > limit) {
        return Err(too_large(declared));
    }
    // The client takes the field away where it undoes the coding.
    if let Some(coding) = response.headers().get(header::CONTENT_ENCODING).filter(|coding| *coding != "identity") {
        return Err(WebError::failed(format!("Content-Encoding {coding:?} is not understood")));
    }
    let mut draft = store.draft()?;
    let mut bytes = 0_u64;
    let mut floor = Floor::new(settings);
    loop {
        let piece = tokio::time::timeout_at(floor.due, response.chunk()).await;
        let piece = match piece {
            Ok(piece) => piece.map_err(|error| WebError::of_client(&error))?,
            Err(_) => {
                floor.lapsed()?;
                continue;
            }
        };
        let Some(piece) = piece else { break };
        bytes = bytes.saturating_add(piece.len() as u64);
        if bytes > limit {
            return Err(too_large(bytes));
        }
        floor.came(piece.len() as u64)?;
        draft.write_all(&piece).map_err(|error| WebError::store(&error))?;
    }
    store.keep(draft)
}

/// The least speed, window by window.
struct Floor {
    bytes_a_second: u64,
    window: Duration,
    due: Instant,
    came: u64,
}

impl Floor {
    fn new(settings: &WebSettings) -> Self {
        // A window of nothing would end for ever.
        let window = settings.floor_window.max(Duration::from_millis(1));
        Self { bytes_a_second: settings.min_bytes_per_second, window, due: Instant::now() + window, came: 0 }
    }

    fn came(&mut self, bytes: u64) -> Result<(), WebError> {
        self.came = self.came.saturating_add(bytes);
        if Instant::now() >= self.due { self.lapsed() } else { Ok(()) }
    }

    /// The end of a window: enough came, or it is given up.
    fn lapsed(&mut self) -> Result<(), WebError> {
        let least = u128::from(self.bytes_a_second) * self.window.as_millis() / 1_000;
        if u128::from(self.came) < least {
            return Err(WebError::TooSlow { limit: self.bytes_a_second });
        }
        self.due = Instant::now() + self.window;
        self.came = 0;
        Ok(())
    }
}
