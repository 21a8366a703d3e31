//! Renders a page as a PNG, and gives the images on it as files.
//!
//! hayro draws on a separate thread, where a panic becomes a typed error. Sizes are checked first, because the engine
//! truncates lengths to sixteen bits silently. The same interpreter looks over a page before anything is painted.

mod draw;
mod fonts;
mod highlight;
mod images;
mod picture_file;
mod png;
mod scan;
mod sheet;
mod size;
mod survey;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use fonts::{FontFile, FontSource, NoFonts, WantedFont, WantedScript};
pub use highlight::HighlightBox;
pub use images::{MAX_PAGE_IMAGES, PageImage, PageImages, page_image, page_images};
pub use picture_file::{MAX_PICTURE_SIDE, PictureFault, picture_fault, picture_size};
pub use png::{Pixels, decode, png_size};
pub use scan::{Scan, page_scan};
pub use sheet::{MAX_SHEET_PAGES, SheetLayout, contact_sheet};
pub use size::{Dpi, Region};

use pagewise_base::limits::LimitExceeded;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, EngineFailure, EngineFile, run_contained};
use std::sync::Arc;

/// The options for drawing a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RenderOptions {
    /// Pixels per inch.
    pub dpi: Dpi,
    /// The part of the page; `None` for the whole page.
    pub region: Option<Region>,
    /// The most pixels of the picture, in addition to the limit of this name. A larger picture is refused.
    pub max_pixels: u64,
    /// Parts that are painted over in yellow.
    pub highlights: Vec<HighlightBox>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { dpi: Dpi::default(), region: None, max_pixels: u64::MAX, highlights: Vec::new() }
    }
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    #[serde(with = "pagewise_base::arrival::byte_string")]
    pub png: Bytes,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// One sentence for each thing that could not be drawn.
    pub notes: Vec<String>,
}

/// A page cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// The document could not be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The picture would have too many pixels.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The engine cannot read the file or the page.
    #[error("the engine cannot read the page")]
    Unreadable,
    /// The engine failed while drawing.
    #[error(transparent)]
    Engine(EngineFailure),
    /// The samples of an image cannot be decoded.
    #[error("the image cannot be decoded")]
    Undecodable,
    /// The picture cannot be encoded as a PNG.
    #[error("the picture cannot be written: {reason}")]
    Encoding {
        /// The encoder's error.
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

/// Draws a page on a white background, with its annotations and form fields.
///
/// # Errors
/// [`RenderError::Limit`] for too many pixels, before anything is drawn, and for too much work;
/// [`DocumentError::PageOutOfRange`], and [`DocumentError::UnsupportedEncryption`] for a file that is encrypted in a way that
/// cannot be decrypted first; the others if the engine fails.
pub fn page_picture(
    document: &Document,
    index: PageIndex,
    options: &RenderOptions,
    fonts: &Arc<dyn FontSource>,
) -> Result<Picture, RenderError> {
    let geometry = document.page_geometry(index)?;
    let canvas = size::Canvas::of(&geometry, options, document.limits())?;
    let EngineFile { file, is_damaged, generated } = document.engine_file(index)?;
    let resolver = fonts::FontResolver::new(fonts);
    let mut drawn = run_contained(|| draw::draw_page(&file, index, &canvas, &resolver, document.limits()))??;
    let is_blank = drawn.may_draw && options.region.is_none() && is_one_color(&drawn.pixels);
    highlight::paint_highlights(&mut drawn.pixels, &canvas, &options.highlights);
    let png = png::encode(drawn.pixels, canvas.width, canvas.height)?.into();
    let generated = [
        (
            generated.fields,
            "form field has no appearance and is drawn from its value",
            "form fields have no appearance and are drawn from their values",
        ),
        (
            generated.annotations,
            "annotation has no appearance and is drawn from its properties",
            "annotations have no appearance and are drawn from their properties",
        ),
    ];
    let generated = generated.into_iter().filter(|(count, ..)| *count > 0);
    let generated =
        generated.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }));
    let damaged = is_damaged.then(|| DAMAGED.to_owned());
    let mut notes = damaged
        .into_iter()
        .chain(generated)
        .chain(resolver.notes())
        .chain(drawn.notes.iter().cloned())
        .collect::<Vec<_>>();
    if notes.is_empty() && is_blank {
        notes.push(BLANK_PICTURE.to_owned());
    }
    Ok(Picture { png, width: canvas.width.into(), height: canvas.height.into(), notes })
}

/// The note for a page with damaged content.
const DAMAGED: &str = "some of the page's content is damaged; what cannot be read is not drawn";

/// The note for a blank picture, because the engine does not report every picture or font that it cannot read.
const BLANK_PICTURE: &str = "nothing can be seen in this picture, though the page has fonts, pictures or annotations: they \
                            may be white, hidden or damaged";

fn is_one_color(pixels: &[u8]) -> bool {
    let (pixels, _) = pixels.as_chunks::<4>();
    pixels.windows(2).all(|pair| matches!(pair, [one, other] if one == other))
}
