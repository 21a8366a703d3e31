//! Texts and pictures of pages and the fonts for them, as they go over the socket beside their bytes.

use serde::{Deserialize, Serialize};

use crate::render::{Dpi, Region, RenderOptions, WantedFont, WantedScript};
use crate::text::{PageKind, PageText, TextEngine};

/// [`PageText`] without its text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TextOnWire {
    joints: Vec<u64>,
    kind: KindOnWire,
    invisible: u64,
    off_page: u64,
    undecoded: u64,
    picture_percent: u8,
    paths: u64,
    engine: EngineOnWire,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum KindOnWire {
    Text,
    Empty,
    Picture,
    Scan,
    Undecodable,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum EngineOnWire {
    Collector,
    PdfExtract,
}

impl From<&PageText> for TextOnWire {
    fn from(text: &PageText) -> Self {
        let kind = match text.kind {
            PageKind::Text => KindOnWire::Text,
            PageKind::Empty => KindOnWire::Empty,
            PageKind::Picture => KindOnWire::Picture,
            PageKind::Scan => KindOnWire::Scan,
            PageKind::Undecodable => KindOnWire::Undecodable,
        };
        let engine = match text.engine {
            TextEngine::Collector => EngineOnWire::Collector,
            TextEngine::PdfExtract => EngineOnWire::PdfExtract,
        };
        let PageText { invisible, off_page, undecoded, picture_percent, paths, .. } = *text;
        Self { joints: text.joints.clone(), kind, invisible, off_page, undecoded, picture_percent, paths, engine }
    }
}

impl TextOnWire {
    /// The page's text, whole again.
    pub(super) fn with(self, text: String) -> PageText {
        let kind = match self.kind {
            KindOnWire::Text => PageKind::Text,
            KindOnWire::Empty => PageKind::Empty,
            KindOnWire::Picture => PageKind::Picture,
            KindOnWire::Scan => PageKind::Scan,
            KindOnWire::Undecodable => PageKind::Undecodable,
        };
        let engine = match self.engine {
            EngineOnWire::Collector => TextEngine::Collector,
            EngineOnWire::PdfExtract => TextEngine::PdfExtract,
        };
        let Self { joints, invisible, off_page, undecoded, picture_percent, paths, .. } = self;
        PageText { text, joints, kind, invisible, off_page, undecoded, picture_percent, paths, engine }
    }
}

/// [`RenderOptions`]; the corners of the region by their bits, which are the same on both sides whatever they are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct OptionsOnWire {
    dpi: u16,
    region: Option<[u64; 4]>,
    max_pixels: u64,
}

impl From<&RenderOptions> for OptionsOnWire {
    fn from(options: &RenderOptions) -> Self {
        let region = options.region.map(|region| region.corners().map(f64::to_bits));
        Self { dpi: options.dpi.get(), region, max_pixels: options.max_pixels }
    }
}

impl From<OptionsOnWire> for RenderOptions {
    fn from(options: OptionsOnWire) -> Self {
        let region = options.region.and_then(|corners| {
            let [left, top, right, bottom] = corners.map(f64::from_bits);
            Region::new(left, top, right, bottom)
        });
        Self { dpi: Dpi::at_most(options.dpi.into()), region, max_pixels: options.max_pixels }
    }
}

/// [`WantedFont`].
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct WantedOnWire {
    #[serde(with = "ScriptOnWire")]
    script: WantedScript,
    is_serif: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "WantedScript")]
enum ScriptOnWire {
    Japanese,
    SimplifiedChinese,
    TraditionalChinese,
    Korean,
    Any,
}

/// An open font file without its descriptor, which goes beside.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FontOnWire {
    pub(super) length: u64,
    pub(super) name: String,
    pub(super) index: u32,
}

impl From<WantedFont> for WantedOnWire {
    fn from(WantedFont { script, is_serif }: WantedFont) -> Self {
        Self { script, is_serif }
    }
}

impl From<WantedOnWire> for WantedFont {
    fn from(WantedOnWire { script, is_serif }: WantedOnWire) -> Self {
        Self { script, is_serif }
    }
}
