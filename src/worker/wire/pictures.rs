//! Wire types for texts, pictures and fonts. Their bytes are message bodies or descriptors.

use serde::{Deserialize, Serialize};

use pagewise_render::{Dpi, Region, RenderOptions, WantedFont, WantedScript};
use pagewise_text::{PageKind, PageText, TextEngine};

/// [`PageText`] without its text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireText {
    joints: Vec<u64>,
    kind: WireKind,
    invisible: u64,
    hidden: String,
    off_page: u64,
    undecoded: u64,
    picture_percent: u8,
    paths: u64,
    engine: WireEngine,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum WireKind {
    Text,
    Empty,
    Picture,
    Scan,
    Undecodable,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum WireEngine {
    Collector,
    PdfExtract,
    Recognition,
}

impl From<&PageText> for WireText {
    fn from(text: &PageText) -> Self {
        let kind = match text.kind {
            PageKind::Text => WireKind::Text,
            PageKind::Empty => WireKind::Empty,
            PageKind::Picture => WireKind::Picture,
            PageKind::Scan => WireKind::Scan,
            PageKind::Undecodable => WireKind::Undecodable,
        };
        let engine = match text.engine {
            TextEngine::Collector => WireEngine::Collector,
            TextEngine::PdfExtract => WireEngine::PdfExtract,
            TextEngine::Recognition => WireEngine::Recognition,
        };
        let PageText { invisible, off_page, undecoded, picture_percent, paths, .. } = *text;
        let (joints, hidden) = (text.joints.clone(), text.hidden.clone());
        Self { joints, kind, invisible, hidden, off_page, undecoded, picture_percent, paths, engine }
    }
}

impl WireText {
    /// The page's text, with the message body `text`.
    pub(crate) fn with(self, text: String) -> PageText {
        let kind = match self.kind {
            WireKind::Text => PageKind::Text,
            WireKind::Empty => PageKind::Empty,
            WireKind::Picture => PageKind::Picture,
            WireKind::Scan => PageKind::Scan,
            WireKind::Undecodable => PageKind::Undecodable,
        };
        let engine = match self.engine {
            WireEngine::Collector => TextEngine::Collector,
            WireEngine::PdfExtract => TextEngine::PdfExtract,
            WireEngine::Recognition => TextEngine::Recognition,
        };
        let Self { joints, invisible, hidden, off_page, undecoded, picture_percent, paths, .. } = self;
        PageText { text, joints, kind, invisible, hidden, off_page, undecoded, picture_percent, paths, engine }
    }
}

/// [`RenderOptions`]. Region and highlights are sent as bits of floating point numbers, to keep every value exact.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireOptions {
    dpi: u16,
    region: Option<[u64; 4]>,
    max_pixels: u64,
    highlights: Vec<[u32; 4]>,
}

impl From<&RenderOptions> for WireOptions {
    fn from(options: &RenderOptions) -> Self {
        let region = options.region.map(|region| region.corners().map(f64::to_bits));
        let highlights = options.highlights.iter().map(|edges| edges.map(f32::to_bits)).collect();
        Self { dpi: options.dpi.get(), region, max_pixels: options.max_pixels, highlights }
    }
}

impl From<WireOptions> for RenderOptions {
    fn from(options: WireOptions) -> Self {
        let region = options.region.and_then(|corners| {
            let [left, top, right, bottom] = corners.map(f64::from_bits);
            Region::new(left, top, right, bottom)
        });
        let highlights = options.highlights.into_iter().map(|edges| edges.map(f32::from_bits)).collect();
        Self { dpi: Dpi::at_most(options.dpi.into()), region, max_pixels: options.max_pixels, highlights }
    }
}

/// [`WantedFont`].
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct WireFontRequest {
    #[serde(with = "WireScript")]
    script: WantedScript,
    is_serif: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "WantedScript")]
enum WireScript {
    Japanese,
    SimplifiedChinese,
    TraditionalChinese,
    Korean,
    Any,
}

/// An open font file. Its descriptor is attached to the message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WireFont {
    pub(crate) length: u64,
    pub(crate) name: String,
    pub(crate) index: u32,
}

impl From<WantedFont> for WireFontRequest {
    fn from(WantedFont { script, is_serif }: WantedFont) -> Self {
        Self { script, is_serif }
    }
}

impl From<WireFontRequest> for WantedFont {
    fn from(WireFontRequest { script, is_serif }: WireFontRequest) -> Self {
        Self { script, is_serif }
    }
}
