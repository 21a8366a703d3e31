//! Fonts that a page names and does not carry.
//!
//! The fourteen standard fonts come with the engine and stand in for all Latin ones. The scripts of East Asia need a
//! font from outside: this room asks for it by script, reads no file, and says which font it did not get.

use crate::document::object::{Dictionary, Object};
use crate::document::objects::Objects;
use crate::document::{Document, DocumentError, Leaf, Reading};
use crate::page::PageIndex;
use hayro::hayro_interpret::FontResolverFn;
use hayro::hayro_interpret::font::{FallbackFontQuery, FontData, FontQuery};
use hayro::hayro_interpret::hayro_cmap::CidFamily;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The scripts of the predefined character collections (ISO 32000-2, 9.7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WantedScript {
    /// Adobe-Japan1.
    Japanese,
    /// Adobe-GB1.
    SimplifiedChinese,
    /// Adobe-CNS1.
    TraditionalChinese,
    /// Adobe-Korea1.
    Korean,
}

/// A font that is wanted from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Fonts of a page's resources that are looked at.
const MAX_FONTS: usize = 1_000;

/// Names of fonts that a page lacks, by script.
pub(super) type Needs = BTreeMap<WantedScript, Vec<String>>;

/// The fonts of East Asian scripts that the page's own resources name and that are not embedded.
pub(super) fn needs(document: &Document, index: PageIndex) -> Result<Needs, DocumentError> {
    let needs = |reading: &Reading, leaf: &Leaf| {
        let objects = &*reading.objects;
        let mut needs = Needs::new();
        let resources = leaf.inherited.resources.clone().unwrap_or(Object::Null);
        let resources = objects.resolve(&resources)?;
        let Some(resources) = resources.as_dictionary() else { return Ok(needs) };
        let fonts = objects.get(resources, b"Font")?;
        for (_, font) in fonts.as_dictionary().into_iter().flat_map(Dictionary::iter).take(MAX_FONTS) {
            let font = objects.resolve(font)?;
            if let Some((script, name)) = font.as_dictionary().map(|font| missing(objects, font)).transpose()?.flatten()
            {
                needs.entry(script).or_default().push(name);
            }
        }
        Ok(needs)
    };
    document.with_page(index, needs, DocumentError::is_worth_another_reader).map(|(needs, _)| needs)
}

/// Script and name of a CID font without a font program.
fn missing(objects: &dyn Objects, font: &Dictionary) -> Result<Option<(WantedScript, String)>, DocumentError> {
    let descendants = objects.get(font, b"DescendantFonts")?;
    let Some(descendant) = descendants.as_array().and_then(|fonts| fonts.first()) else { return Ok(None) };
    let descendant = objects.resolve(descendant)?;
    let Some(descendant) = descendant.as_dictionary() else { return Ok(None) };
    let descriptor = objects.get(descendant, b"FontDescriptor")?;
    let programs = [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"];
    let is_embedded =
        descriptor.as_dictionary().is_some_and(|descriptor| programs.iter().any(|key| descriptor.get(key).is_some()));
    let info = objects.get(descendant, b"CIDSystemInfo")?;
    let Some(info) = info.as_dictionary().filter(|_| !is_embedded) else { return Ok(None) };
    let ordering = objects.get(info, b"Ordering")?;
    let script = match &*ordering {
        Object::String(ordering) => script_of(ordering),
        _ => None,
    };
    let name = match &*objects.get(font, b"BaseFont")? {
        Object::Name(name) => crate::document::text_string::decode(name.as_bytes()),
        _ => "without a name".to_owned(),
    };
    Ok(script.map(|script| (script, name)))
}

fn script_of(ordering: &[u8]) -> Option<WantedScript> {
    match ordering {
        b"Japan1" => Some(WantedScript::Japanese),
        b"GB1" => Some(WantedScript::SimplifiedChinese),
        b"CNS1" => Some(WantedScript::TraditionalChinese),
        b"Korea1" => Some(WantedScript::Korean),
        _ => None,
    }
}

/// What the source had of what the page needs.
pub(super) struct Supplied {
    fonts: Arc<BTreeMap<WantedScript, FontFile>>,
    missing: Vec<String>,
}

impl Supplied {
    pub(super) fn from(source: &dyn FontSource, needs: &Needs) -> Self {
        let mut fonts = BTreeMap::new();
        let mut missing = Vec::new();
        for (script, names) in needs {
            let is_serif = names.iter().any(|name| is_serif(name));
            match source.font(WantedFont { script: *script, is_serif }) {
                Some(font) => {
                    fonts.insert(*script, font);
                }
                None => missing.extend(names.iter().cloned()),
            }
        }
        missing.sort();
        missing.dedup();
        Self { fonts: Arc::new(fonts), missing }
    }

    /// Which fonts are neither embedded nor at hand.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |name: &String| {
            format!("the font {name} is not embedded, and no font for its script was found: its text is not drawn")
        };
        self.missing.iter().map(note).collect()
    }

    /// Answers the engine: a font of the script, else a standard font.
    pub(super) fn resolver(&self) -> FontResolverFn {
        let fonts = Arc::clone(&self.fonts);
        Arc::new(move |query| match query {
            FontQuery::Standard(standard) => Some(standard.get_font_data()),
            FontQuery::Fallback(fallback) => {
                let script = script_of_query(fallback);
                let font = script.and_then(|script| fonts.get(&script)).or_else(|| fonts.values().next());
                let supplied = font.filter(|_| script.is_some()).map(|font| {
                    let data: FontData = Arc::new(Shared(Arc::clone(&font.bytes)));
                    (data, font.index)
                });
                supplied.or_else(|| Some(fallback.pick_standard_font().get_font_data()))
            }
        })
    }
}

/// Font bytes that several pages share.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn script_of_query(query: &FallbackFontQuery) -> Option<WantedScript> {
    match query.character_collection.as_ref()?.family {
        CidFamily::AdobeJapan1 => Some(WantedScript::Japanese),
        CidFamily::AdobeGB1 => Some(WantedScript::SimplifiedChinese),
        CidFamily::AdobeCNS1 => Some(WantedScript::TraditionalChinese),
        CidFamily::AdobeKorea1 => Some(WantedScript::Korean),
        CidFamily::AdobeIdentity | CidFamily::Custom { .. } => None,
    }
}

/// Whether a name is one of the common fonts with serifs.
fn is_serif(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["ming", "mincho", "song", "sun", "serif", "batang", "ryumin", "kaiti", "myungjo", "mj"]
        .iter()
        .any(|part| name.contains(part))
}
