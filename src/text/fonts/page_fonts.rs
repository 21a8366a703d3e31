//! The fonts of a page, loaded once more to find the dictionaries of glyphs.
//!
//! The interpreter does not say which font dictionary a glyph comes from, and shows the program of some fonts only. For its
//! style, the dictionary is found by the name that the program has; else it is the one whose glyph for the same code has
//! the same outline. For its characters, the outlines, widths and characters of a whole run have to match. The glyphs of Type 3 fonts have no outlines: there, the characters and widths of a run have to match, and
//! the key of a glyph decides between fonts that do. It is made of the font, the glyph and the clip.

use super::font_dictionaries::font_dictionaries;
use super::font_name::without_tag;
use super::font_style::{FontStyle, base_name};
use hayro_font::{Font, FontCache, FontGlyph};
use hayro_interpret::font::{Glyph, GlyphRun, OutlineGlyph};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::object::{Dict, Name, ObjectIdentifier};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{CacheKey, InterpreterSettings};
use pagewise_document::PageBudget;
use std::collections::HashMap;

/// The most glyphs of a run that are compared with those of a Type 3 font.
const MAX_COMPARED: usize = 16;

/// What identifies a font on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FontKey {
    /// The hash of its program.
    Program(u128),
    /// The position of its dictionary.
    Dictionary(usize),
}

/// The fonts that the pages of a document share, each loaded once.
pub(crate) struct SharedFonts<'p> {
    settings: InterpreterSettings,
    cache: FontCache<'p>,
    styles: HashMap<ObjectIdentifier, FontStyle>,
}

impl<'p> SharedFonts<'p> {
    /// Without fonts. They are loaded with the interpreter's settings.
    pub(crate) fn new(settings: InterpreterSettings) -> Self {
        Self { settings, cache: FontCache::new(), styles: HashMap::new() }
    }

    fn load(&mut self, font: &Dict<'p>) -> Option<Font<'p>> {
        self.cache.font(font, &self.settings.font_resolver, &self.settings.cmap_resolver)
    }

    fn style(&mut self, font: &Dict<'p>) -> FontStyle {
        match font.obj_id() {
            Some(id) => *self.styles.entry(id).or_insert_with(|| FontStyle::of_dictionary(font)),
            None => FontStyle::of_dictionary(font),
        }
    }
}

pub(crate) struct PageFontDictionaries<'c, 'p> {
    page: &'c Page<'p>,
    budget: &'c PageBudget,
    /// Searched for on first use.
    dictionaries: Option<Vec<Dict<'p>>>,
    shared: &'c mut SharedFonts<'p>,
    /// By position in `dictionaries`, as far as they are loaded.
    loaded: HashMap<usize, Option<Font<'p>>>,
    /// The font of the last run whose dictionary was searched for.
    last_found: usize,
    /// The Type 3 font of the last run.
    last_type3: usize,
    /// What [`Self::key`] gave, by the position of the font and the code.
    keys: HashMap<(usize, u32), Option<GlyphKey>>,
}

/// What identifies a glyph of a simple font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GlyphKey {
    Outline(u128),
    /// Of a Type 3 font, without the clip.
    Type3(u128),
}

/// The key of a glyph of a Type 3 font, without the clip.
struct Type3Key(u128);

impl CacheKey for Type3Key {
    fn cache_key(&self) -> u128 {
        self.0
    }
}

impl<'c, 'p> PageFontDictionaries<'c, 'p> {
    pub(crate) fn new(page: &'c Page<'p>, budget: &'c PageBudget, shared: &'c mut SharedFonts<'p>) -> Self {
        let (loaded, keys) = (HashMap::new(), HashMap::new());
        Self { page, budget, dictionaries: None, shared, loaded, last_found: 0, last_type3: 0, keys }
    }

    fn dictionaries(&mut self) -> &[Dict<'p>] {
        let (page, budget) = (self.page, self.budget);
        self.dictionaries.get_or_insert_with(|| font_dictionaries(page, budget))
    }

    /// Whether the page has a font whose name passes a test.
    pub(crate) fn has_named(&mut self, is_it: impl Fn(&str) -> bool) -> bool {
        self.dictionaries().iter().any(|font| is_it(&base_name(font)))
    }

    fn dictionary(&mut self, at: usize) -> Option<Dict<'p>> {
        self.dictionaries().get(at).cloned()
    }

    fn style_at(&mut self, at: usize) -> FontStyle {
        self.dictionary(at).map(|font| self.shared.style(&font)).unwrap_or_default()
    }

    /// The dictionary of a run's font. `clip` is the open part of the page.
    pub(crate) fn dictionary_of(&mut self, run: &GlyphRun<'_, '_>, clip: Rect) -> Option<Dict<'p>> {
        if is_type3(run) {
            let (at, _) = self.type3_font(run, clip)?;
            return self.dictionary(at);
        }
        let others = 0..self.dictionaries().len();
        let at = std::iter::once(self.last_found).chain(others).find(|at| self.is_font_of(*at, run))?;
        self.last_found = at;
        self.dictionary(at)
    }

    /// Whether a font has the glyphs of a run: the same outlines, widths and characters.
    fn is_font_of(&mut self, at: usize, run: &GlyphRun<'_, '_>) -> bool {
        self.budget.check();
        let Some(font) = self.load(at) else { return false };
        let has_long_codes = self.dictionary(at).is_some_and(|font| !is_simple(&font));
        run.glyphs().iter().take(MAX_COMPARED).all(|glyph| {
            let code = glyph.char_code();
            (code <= 0xFF || has_long_codes)
                && match (&**glyph, font.glyph(font.map_code(code), code)) {
                    (Glyph::Outline(drawn), FontGlyph::Outline(known)) => {
                        drawn.identifier() == known.identifier()
                            && drawn.advance_width() == known.advance_width()
                            && is_same(drawn.as_unicode(), known.as_unicode())
                    }
                    (Glyph::Type3(drawn), FontGlyph::Type3(known)) => {
                        drawn.advance_width() == Some(known.advance_width())
                            && is_same(drawn.as_unicode(), known.as_unicode())
                    }
                    _ => false,
                }
        })
    }

    /// The font of a run of Type 3 glyphs, its style, and whether other fonts match too.
    pub(super) fn type3_style(&mut self, run: &GlyphRun<'_, '_>, clip: Rect) -> Option<(FontKey, FontStyle, bool)> {
        let (at, is_guess) = self.type3_font(run, clip)?;
        Some((FontKey::Dictionary(at), self.style_at(at), is_guess))
    }

    pub(super) fn outline_style(&mut self, run: &GlyphRun<'_, '_>) -> Option<(FontKey, FontStyle)> {
        let outline = run.glyphs().iter().find_map(|glyph| match &**glyph {
            Glyph::Outline(outline) => Some(outline),
            Glyph::Type3(_) => None,
        })?;
        if let Some(program) = outline.font_data() {
            let name = program.postscript_name.as_deref().map(without_tag);
            let font = self.dictionaries().iter().find(|font| name == Some(without_tag(&base_name(font)))).cloned();
            let style = font.map(|font| self.shared.style(&font)).unwrap_or_default();
            return Some((FontKey::Program(program.cache_key), FontStyle::of_program(&program).or(style)));
        }
        let at = self.outline_font(outline)?;
        Some((FontKey::Dictionary(at), self.style_at(at)))
    }

    /// The position of the font of a glyph.
    fn outline_font(&mut self, glyph: &OutlineGlyph) -> Option<usize> {
        let (key, code) = (GlyphKey::Outline(glyph.identifier().cache_key()), glyph.char_code() & 0xFF);
        (0..self.dictionaries().len()).find(|at| self.key(*at, code) == Some(key))
    }

    /// The position of the Type 3 font of a run, and whether others match too. Then it is that of the run before.
    fn type3_font(&mut self, run: &GlyphRun<'_, '_>, clip: Rect) -> Option<(usize, bool)> {
        let last = Some(self.last_type3).filter(|at| self.is_type3_font(*at, run));
        let mut others = 0..self.dictionaries().len();
        let other = others.find(|at| Some(*at) != last && self.is_type3_font(*at, run));
        let found = last.or(other)?;
        let is_guess = match last {
            Some(_) => other.is_some(),
            None => others.any(|at| self.is_type3_font(at, run)),
        };
        let known = is_guess.then(|| self.font_of_key(run, clip)).flatten();
        self.last_type3 = known.unwrap_or(found);
        Some((self.last_type3, is_guess && known.is_none()))
    }

    /// Finds the Type 3 font that drew the first glyph of a run, by the key of that glyph.
    fn font_of_key(&mut self, run: &GlyphRun<'_, '_>, clip: Rect) -> Option<usize> {
        let first = run.glyphs().first()?;
        let Glyph::Type3(drawn) = &**first else { return None };
        let (code, key) = (first.char_code() & 0xFF, drawn.cache_key());
        let has_key = |own: GlyphKey| matches!(own, GlyphKey::Type3(own) if (Type3Key(own), clip).cache_key() == key);
        (0..self.dictionaries().len()).find(|at| self.key(*at, code).is_some_and(has_key))
    }

    /// The key of the glyph that a font has for a code, if the font is simple. Of all others the interpreter gives the font
    /// program.
    fn key(&mut self, at: usize, code: u32) -> Option<GlyphKey> {
        self.budget.check();
        if let Some(known) = self.keys.get(&(at, code)) {
            return *known;
        }
        let font = if self.is_simple_at(at) { self.load(at) } else { None };
        let key = font.map(|font| match font.glyph(font.map_code(code), code) {
            FontGlyph::Outline(glyph) => GlyphKey::Outline(glyph.identifier().cache_key()),
            FontGlyph::Type3(glyph) => GlyphKey::Type3(glyph.cache_key()),
        });
        self.keys.insert((at, code), key);
        key
    }

    fn is_type3_font(&mut self, at: usize, run: &GlyphRun<'_, '_>) -> bool {
        self.is_simple_at(at) && self.is_font_of(at, run)
    }

    fn is_simple_at(&mut self, at: usize) -> bool {
        self.dictionaries().get(at).is_some_and(is_simple)
    }

    /// The font at a position.
    fn load(&mut self, at: usize) -> Option<Font<'p>> {
        if !self.loaded.contains_key(&at) {
            let font = self.dictionary(at)?;
            let font = self.shared.load(&font);
            self.loaded.insert(at, font);
        }
        self.loaded.get(&at)?.clone()
    }
}

/// Whether the glyphs of a run are those of a Type 3 font.
pub(crate) fn is_type3(run: &GlyphRun<'_, '_>) -> bool {
    run.glyphs().first().is_some_and(|glyph| matches!(&**glyph, Glyph::Type3(_)))
}

fn is_same(one: Option<BfString>, other: Option<BfString>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Whether a font is a simple font (ISO 32000-2, 9.6).
fn is_simple(font: &Dict<'_>) -> bool {
    font.get::<Name<'_>>(b"Subtype")
        .is_some_and(|kind| matches!(&*kind, b"Type1" | b"MMType1" | b"TrueType" | b"Type3"))
}
