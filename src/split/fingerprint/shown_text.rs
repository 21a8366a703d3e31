//! Hashes a page's content with the glyphs that its texts show in place of their codes.

use super::content_digest::join_contents;
use super::glyph_font::GlyphFont;
use super::object_digests::{ObjectDigests, hash_tagged};
use super::tokens::{TokenKind, Tokens, Unclear};
use blake3::Hasher;
use pagewise_document::DocumentError;
use pagewise_document::object::{Dictionary, Object};
use pagewise_document::objects::Objects;
use std::ops::Range;

/// A font resource of the page.
struct PageFont {
    name: Vec<u8>,
    value: Object,
    /// The font by its glyphs; `None` if it counts whole.
    glyphs: Option<GlyphFont>,
}

/// Hashes the content of `page` and its fonts, and removes both from it. False, with nothing removed, if texts and fonts
/// cannot be told apart from the rest with certainty.
pub(super) fn hash_shown_text(
    digests: &mut ObjectDigests<'_>,
    page: &mut Dictionary,
    hasher: &mut Hasher,
) -> Result<bool, DocumentError> {
    let objects = digests.objects;
    let contents = page.get(b"Contents").cloned().unwrap_or(Object::Null);
    let resources = objects.get(page, b"Resources")?.as_dictionary().cloned();
    let Some(mut resources) = resources else { return Ok(false) };
    if has_font_in_state(objects, &resources)? {
        return Ok(false);
    }
    let mut fonts = page_fonts(digests, &resources)?;
    if fonts.iter().all(|font| font.glyphs.is_none()) {
        return Ok(false);
    }
    let Some(content) = join_contents(digests, &contents)? else { return Ok(false) };
    let Ok(shown) = find_shown(&content, &fonts) else { return Ok(false) };
    let mut rest = 0;
    for Shown { font, string, place } in shown {
        let Some(glyphs) = fonts.get_mut(font).and_then(|font| font.glyphs.as_mut()) else { continue };
        hash_tagged(hasher, b'r', content.get(rest..place.start).unwrap_or_default());
        glyphs.hash_string(&string, digests, hasher)?;
        rest = place.end;
    }
    hash_tagged(hasher, b'r', content.get(rest..).unwrap_or_default());
    for font in &fonts {
        hash_tagged(hasher, b'/', &font.name);
        match &font.glyphs {
            Some(glyphs) => glyphs.hash_frame(digests, hasher)?,
            None => hash_tagged(hasher, b'o', digests.digest_tree(&font.value)?.as_bytes()),
        }
    }
    resources.remove(b"Font");
    page.remove(b"Contents");
    page.set(b"Resources", Object::Dictionary(resources));
    Ok(true)
}

/// Whether a graphics state sets a font (table 57), which no operator names.
fn has_font_in_state(objects: &dyn Objects, resources: &Dictionary) -> Result<bool, DocumentError> {
    let states = objects.get(resources, b"ExtGState")?;
    for (_, state) in states.as_dictionary().into_iter().flat_map(Dictionary::iter) {
        let state = objects.resolve(state)?;
        if state.as_dictionary().is_none_or(|state| state.get(b"Font").is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn page_fonts(digests: &ObjectDigests<'_>, resources: &Dictionary) -> Result<Vec<PageFont>, DocumentError> {
    let fonts = digests.objects.get(resources, b"Font")?;
    let mut found = Vec::new();
    for (name, value) in fonts.as_dictionary().into_iter().flat_map(Dictionary::iter) {
        digests.check_deadline()?;
        let glyphs = GlyphFont::read(digests.objects, &digests.streams, value)?;
        found.push(PageFont { name: name.as_bytes().to_vec(), value: value.clone(), glyphs });
    }
    Ok(found)
}

/// A string that a text shows.
struct Shown {
    font: usize,
    string: Vec<u8>,
    place: Range<usize>,
}

/// The strings that content shows in fonts that count by their glyphs.
fn find_shown(content: &[u8], fonts: &[PageFont]) -> Result<Vec<Shown>, Unclear> {
    let mut shown = Vec::new();
    walk_text(content, |font, strings| {
        let Some(name) = font else { return Err(Unclear) };
        let font = fonts.iter().position(|font| font.name == name).ok_or(Unclear)?;
        if fonts.get(font).is_some_and(|font| font.glyphs.is_some()) {
            shown.extend(strings.drain(..).map(|(string, place)| Shown { font, string, place }));
        }
        Ok(())
    })?;
    Ok(shown)
}

/// Whether every text of a content stream with these resources is set in a font of theirs, and not in one that it inherits
/// or finds elsewhere.
pub(super) fn names_its_fonts(
    objects: &dyn Objects,
    content: &[u8],
    resources: Option<&Dictionary>,
) -> Result<bool, DocumentError> {
    if !may_show_text(content) {
        return Ok(true);
    }
    let fonts = match resources {
        Some(resources) => objects.get(resources, b"Font")?.as_dictionary().cloned().unwrap_or_default(),
        None => Dictionary::new(),
    };
    let is_own = |font: Option<&[u8]>| font.is_some_and(|font| fonts.get(font).is_some());
    Ok(walk_text(content, |font, _| if is_own(font) { Ok(()) } else { Err(Unclear) }).is_ok())
}

/// Whether content may have an operator that shows text (table 107).
pub(super) fn may_show_text(content: &[u8]) -> bool {
    memchr::memchr2(b'\'', b'"', content).is_some()
        || [&b"Tj"[..], b"TJ"].iter().any(|operator| memchr::memmem::find(content, operator).is_some())
}

/// The strings before an operator, with their places.
type Operands = Vec<(Vec<u8>, Range<usize>)>;

/// Calls `show` for each operator that shows text, with the name of the font and the strings.
fn walk_text(
    content: &[u8],
    mut show: impl FnMut(Option<&[u8]>, &mut Operands) -> Result<(), Unclear>,
) -> Result<(), Unclear> {
    let mut tokens = Tokens::of(content);
    let (mut font, mut saved): (Option<Vec<u8>>, Vec<Option<Vec<u8>>>) = (None, Vec::new());
    let (mut name, mut strings) = (None, Operands::new());
    while let Some(token) = tokens.next()? {
        let operator = match token.kind {
            TokenKind::Name(operand) => {
                name = Some(operand);
                continue;
            }
            TokenKind::String(operand) => {
                strings.push((operand, token.place));
                continue;
            }
            TokenKind::Word(word) if !is_operand(&word) => word,
            _ => continue,
        };
        match operator.as_slice() {
            b"Tf" => font = name.clone(),
            b"q" => saved.push(font.clone()),
            b"Q" => font = saved.pop().unwrap_or(font),
            b"Tj" | b"TJ" | b"'" | b"\"" => show(font.as_deref(), &mut strings)?,
            // Only a filter knows where an inline image ends.
            b"BI" | b"ID" | b"EI" => return Err(Unclear),
            _ => {}
        }
        name = None;
        strings.clear();
    }
    Ok(())
}

/// Whether a word is a number or a constant.
fn is_operand(word: &[u8]) -> bool {
    let is_number = word.first().is_some_and(|first| first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.'));
    is_number || matches!(word, b"true" | b"false" | b"null")
}
