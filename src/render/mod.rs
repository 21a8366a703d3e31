//! A page → pixels → PNG.
//!
//! hayro draws, on a thread of its own, where a panic costs a typed error. Sizes are checked before anything is
//! allocated: the engine cuts lengths to sixteen bits without a word. What drawing a page comes to is counted by the same
//! interpreter before anything is painted.

mod count;
mod draw;
mod fonts;
mod png;
mod size;

pub use fonts::{FontFile, FontSource, NoFonts, WantedFont, WantedScript};
pub use size::{Dpi, Region};

use crate::document::{Document, DocumentError, EngineFailure, EngineFile, ReadAt, run_contained};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use std::sync::Arc;

/// How a page is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderOptions {
    /// Pixels per inch.
    pub dpi: Dpi,
    /// The part of the page; `None` is all of it.
    pub region: Option<Region>,
    /// Pixels of the picture at most, where that is less than the limit of this name; what would be larger is refused.
    pub max_pixels: u64,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { dpi: Dpi::default(), region: None, max_pixels: u64::MAX }
    }
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The PNG.
    pub png: Vec<u8>,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// What could not be drawn, a sentence each.
    pub notes: Vec<String>,
}

/// Why a page could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// The document could not be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The picture would have too many pixels.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The engine's own reader refused the file or the page.
    #[error("the engine cannot read the page")]
    Unreadable,
    /// The engine gave up inside.
    #[error(transparent)]
    Engine(EngineFailure),
    /// The picture could not be written as a PNG.
    #[error("the picture cannot be written: {reason}")]
    Encoding {
        /// Why.
        reason: String,
    },
}

impl From<EngineFailure> for RenderError {
    fn from(failure: EngineFailure) -> Self {
        match failure {
            EngineFailure::Limit(limit) => Self::Limit(limit),
            EngineFailure::Stopped(stopped) => Self::Document(stopped.into()),
            EngineFailure::Panicked { .. } | EngineFailure::NoThread => Self::Engine(failure),
        }
    }
}

/// Draws a one-page PDF, as the room `split` cuts them, on white ground, with its annotations and form fields.
///
/// # Errors
/// [`RenderError::Limit`] for a picture of too many pixels, before it is drawn; [`RenderError::Document`] where the
/// chunk is no PDF, is encrypted, or draws without end; the others where the engine fails.
pub fn chunk_picture(
    chunk: &[u8],
    options: &RenderOptions,
    fonts: &Arc<dyn FontSource>,
    limits: &Limits,
) -> Result<Picture, RenderError> {
    let source: Arc<dyn ReadAt> = Arc::new(chunk.to_vec());
    page_picture(&Document::open(source, None, limits)?, PageIndex(0), options, fonts)
}

/// Draws a page out of the whole file, for a page that cannot be cut. As [`chunk_picture`] otherwise.
///
/// # Errors
/// As [`chunk_picture`]; also [`RenderError::Document`] with [`DocumentError::PageOutOfRange`] past the end, and with
/// [`DocumentError::UnsupportedEncryption`] for encrypted files that are not decrypted first.
pub fn page_picture(
    document: &Document,
    index: PageIndex,
    options: &RenderOptions,
    fonts: &Arc<dyn FontSource>,
) -> Result<Picture, RenderError> {
    let geometry = document.page_geometry(index)?;
    let canvas = size::Canvas::of(&geometry, options, document.limits())?;
    let EngineFile { file, generated } = document.engine_file(index)?;
    let resolver = fonts::Resolver::new(fonts);
    let drawn = run_contained(|| draw::page(&file, index, &canvas, &resolver, document.limits()))??;
    let png = png::encode(&drawn.pixels, canvas.width, canvas.height)?;
    let generated = [
        (
            generated.fields,
            "form field has no appearance and is drawn from its value",
            "form fields have no appearance and are drawn from their values",
        ),
        (
            generated.annotations,
            "annotation has no appearance and is drawn from what it says of itself",
            "annotations have no appearance and are drawn from what they say of themselves",
        ),
    ];
    let generated = generated.into_iter().filter(|(count, ..)| *count > 0);
    let generated =
        generated.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }));
    let mut notes = generated.chain(resolver.notes()).chain(drawn.notes.iter().cloned()).collect::<Vec<_>>();
    if drawn.is_something && notes.is_empty() && options.region.is_none() && is_one_color(&drawn.pixels) {
        notes.push(NOTHING_SEEN.to_owned());
    }
    Ok(Picture { png, width: canvas.width.into(), height: canvas.height.into(), notes })
}

/// The engine does not say of every picture or font that it cannot read it.
const NOTHING_SEEN: &str = "nothing can be seen in this picture, though the page has fonts, pictures or annotations: they \
                            may be white, hidden or damaged";

fn is_one_color(pixels: &[u8]) -> bool {
    let (pixels, _) = pixels.as_chunks::<4>();
    pixels.windows(2).all(|pair| matches!(pair, [one, other] if one == other))
}
