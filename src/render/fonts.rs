//! Fonts that a page names and does not carry.
//!
//! The fourteen standard fonts come with the engine and stand in for all Latin ones. Other scripts need a font from
//! outside: this room asks for it by script when the engine asks for it by name, reads no file, and says which font it
//! did not get. So it is asked for every font that text is set in, wherever the page, a form or an annotation names it.

use crate::document::text_string::is_hidden;
use hayro::hayro_interpret::FontResolverFn;
use hayro::hayro_interpret::font::{FallbackFontQuery, FontData, FontQuery};
use hayro::hayro_interpret::hayro_cmap::CidFamily;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What a font must have glyphs for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WantedScript {
    /// Adobe-Japan1, as the other three a predefined character collection (ISO 32000-2, 9.7.3).
    Japanese,
    /// Adobe-GB1.
    SimplifiedChinese,
    /// Adobe-CNS1.
    TraditionalChinese,
    /// Adobe-Korea1.
    Korean,
    /// As many scripts as a font can have: nothing says which.
    Any,
}

/// A font that is wanted from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedFont {
    /// The script that it must have.
    pub script: WantedScript,
    /// Whether serifs are wanted.
    pub is_serif: bool,
}

/// A font file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontFile {
    /// TrueType or OpenType, or a collection of them.
    pub bytes: Arc<Vec<u8>>,
    /// The font's place in a collection.
    pub index: u32,
}

/// Where fonts come from.
pub trait FontSource: Send + Sync {
    /// A font with the glyphs of a script.
    fn font(&self, wanted: WantedFont) -> Option<FontFile>;
}

/// No fonts but those that come with the engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFonts;

impl FontSource for NoFonts {
    fn font(&self, _: WantedFont) -> Option<FontFile> {
        None
    }
}

/// Characters of a font's name that a note quotes.
const MAX_NAME_CHARACTERS: usize = 80;

/// Answers the engine, and remembers which fonts nobody had.
pub(super) struct Resolver {
    source: Arc<dyn FontSource>,
    missing: Mutex<BTreeSet<String>>,
}

impl Resolver {
    pub(super) fn new(source: &Arc<dyn FontSource>) -> Arc<Self> {
        Arc::new(Self { source: Arc::clone(source), missing: Mutex::default() })
    }

    /// Which fonts are neither embedded nor at hand, a sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// What the engine calls: a font of the script, else a standard font.
    pub(super) fn answers(self: &Arc<Self>) -> FontResolverFn {
        let this = Arc::clone(self);
        Arc::new(move |query| match query {
            FontQuery::Standard(standard) => Some(standard.get_font_data()),
            FontQuery::Fallback(wanted) => {
                Some(this.found(wanted).unwrap_or_else(|| wanted.pick_standard_font().get_font_data()))
            }
        })
    }

    fn found(&self, query: &FallbackFontQuery) -> Option<(FontData, u32)> {
        let script = script_of(query);
        let is_serif = query.is_serif || name_of(query).is_some_and(is_serif);
        let font = self.source.font(WantedFont { script, is_serif });
        if font.is_none() {
            self.missing.lock().unwrap_or_else(PoisonError::into_inner).insert(note(query, script));
        }
        font.map(|font| {
            let data: FontData = Arc::new(Shared(font.bytes));
            (data, font.index)
        })
    }
}

fn note(query: &FallbackFontQuery, script: WantedScript) -> String {
    let clean = |name: &str| name.chars().filter(|letter| !is_hidden(*letter)).take(MAX_NAME_CHARACTERS).collect();
    let name: String = name_of(query).map_or_else(|| "without a name".to_owned(), clean);
    let outcome = match script {
        WantedScript::Any => "a standard font stands in for it, and its text may be wrong or not drawn",
        _ => "no font for its script was found: its text is not drawn",
    };
    format!("the font {name} is not embedded, and {outcome}")
}

fn name_of(query: &FallbackFontQuery) -> Option<&str> {
    query.post_script_name.as_deref().or(query.font_name.as_deref())
}

/// Font bytes that several pages share.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
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

/// Whether a name is one of the common fonts with serifs.
fn is_serif(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["ming", "mincho", "song", "sun", "serif", "batang", "ryumin", "kaiti", "myungjo", "mj"]
        .iter()
        .any(|part| name.contains(part))
}
