//! Supplies the fonts that a page uses without embedding them.
//!
//! The engine brings the fourteen standard fonts, which replace all Latin ones. Other scripts need an external font. When
//! the engine asks for one by name, this module requests it by script from a [`FontSource`] and notes a missing one. It
//! reads no files itself.

use serde::{Deserialize, Serialize};

use hayro::hayro_interpret::FontResolverFn;
use hayro::hayro_interpret::font::{FallbackFontQuery, FontData, FontQuery};
use hayro::hayro_interpret::hayro_cmap::CidFamily;
use pagewise_base::clean::is_hidden;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The script that a font must have glyphs for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WantedScript {
    /// Adobe-Japan1. Like the next three, it is a predefined character collection (ISO 32000-2, 9.7.3).
    Japanese,
    /// Adobe-GB1.
    SimplifiedChinese,
    /// Adobe-CNS1.
    TraditionalChinese,
    /// Adobe-Korea1.
    Korean,
    /// Unknown, so the font should cover as many scripts as possible.
    Any,
}

/// A request for an external font.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WantedFont {
    /// The script that the font must have.
    pub script: WantedScript,
    /// Whether the font should have serifs.
    pub is_serif: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontFile {
    /// A TrueType or OpenType font, or a collection of them.
    pub bytes: Arc<Vec<u8>>,
    /// The font's index in a collection.
    pub index: u32,
}

/// Supplies external fonts.
pub trait FontSource: Send + Sync {
    /// A font with the glyphs of a script.
    fn font(&self, wanted: WantedFont) -> Option<FontFile>;
}

/// Supplies no external fonts, so only those of the engine are used.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFonts;

impl FontSource for NoFonts {
    fn font(&self, _: WantedFont) -> Option<FontFile> {
        None
    }
}

/// The most characters of a font's name that a note quotes.
const MAX_NAME_CHARACTERS: usize = 80;

/// Answers the engine's font queries and records missing fonts.
pub(super) struct FontResolver {
    source: Arc<dyn FontSource>,
    missing: Mutex<BTreeSet<String>>,
}

impl FontResolver {
    pub(super) fn new(source: &Arc<dyn FontSource>) -> Arc<Self> {
        Arc::new(Self { source: Arc::clone(source), missing: Mutex::default() })
    }

    /// One sentence for each font that is neither embedded nor available.
    pub(super) fn notes(&self) -> Vec<String> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The engine's callback: it returns a font for the script, or a standard font.
    pub(super) fn engine_callback(self: &Arc<Self>) -> FontResolverFn {
        let this = Arc::clone(self);
        Arc::new(move |query| match query {
            FontQuery::Standard(standard) => Some(standard.get_font_data()),
            FontQuery::Fallback(wanted) => {
                Some(this.find_font(wanted).unwrap_or_else(|| wanted.pick_standard_font().get_font_data()))
            }
        })
    }

    fn find_font(&self, query: &FallbackFontQuery) -> Option<(FontData, u32)> {
        let script = script_of(query);
        let is_serif = query.is_serif || name_of(query).is_some_and(is_serif);
        let font = self.source.font(WantedFont { script, is_serif });
        if font.is_none() {
            self.missing.lock().unwrap_or_else(PoisonError::into_inner).insert(note(query, script));
        }
        font.map(|font| {
            let data: FontData = Arc::new(SharedFontBytes(font.bytes));
            (data, font.index)
        })
    }
}

fn note(query: &FallbackFontQuery, script: WantedScript) -> String {
    let clean = |name: &str| name.chars().filter(|letter| !is_hidden(*letter)).take(MAX_NAME_CHARACTERS).collect();
    let name: String = name_of(query).map_or_else(|| "without a name".to_owned(), clean);
    let outcome = match script {
        WantedScript::Any => "a standard font replaces it, and its text may be wrong or missing",
        _ => "no font for its script was found: its text is not drawn",
    };
    format!("the font {name} is not embedded, and {outcome}")
}

fn name_of(query: &FallbackFontQuery) -> Option<&str> {
    query.post_script_name.as_deref().or(query.font_name.as_deref())
}

/// The bytes of a font, shared by several pages.
struct SharedFontBytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for SharedFontBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn script_of(query: &FallbackFontQuery) -> WantedScript {
    match query.character_collection.as_ref().map(|collection| &collection.family) {
        Some(CidFamily::AdobeJapan1) => WantedScript::Japanese,
        Some(CidFamily::AdobeGB1) => WantedScript::SimplifiedChinese,
        Some(CidFamily::AdobeCNS1) => WantedScript::TraditionalChinese,
        Some(CidFamily::AdobeKorea1) => WantedScript::Korean,
        Some(CidFamily::AdobeIdentity | CidFamily::Custom { .. }) | None => WantedScript::Any,
    }
}

/// Whether the name resembles that of a common font with serifs.
fn is_serif(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["ming", "mincho", "song", "sun", "serif", "batang", "ryumin", "kaiti", "myungjo", "mj"]
        .iter()
        .any(|part| name.contains(part))
}
