//! Fonts by the glyphs that a page shows, so that the rest of a subset does not count.
//!
//! A glyph is its outline, its width and its characters. Its code does not count: producers number the glyphs of a subset
//! anew. Where a glyph cannot be found with certainty, the whole font counts in its place.

use super::canonical::CanonicalNumber;
use super::object_digests::{ObjectDigests, hash_tagged};
use super::stream_data::{StreamData, StreamReader};
use super::to_unicode::ToUnicode;
use blake3::{Hash, Hasher};
use pagewise_document::DocumentError;
use pagewise_document::fast_hash::FastMap;
use pagewise_document::object::{Dictionary, Object};
use pagewise_document::objects::Objects;
use skrifa::font::Kind;
use skrifa::{DrawMemory, Font, GlyphId, PathSink, ScalerFont};

/// Maximum widths in `/W` that are looked up by glyph. A font has at most 65,536 glyphs.
const MAX_WIDTHS: usize = 1 << 16;

/// A font whose glyphs can be told apart.
pub(super) struct GlyphFont {
    program: ScalerFont,
    codes: CodeMap,
    widths: FastMap<u32, CanonicalNumber>,
    /// `None` if the names of glyphs are all that tells their characters.
    to_unicode: Option<ToUnicode>,
    /// The font dictionary without what its glyphs say.
    frame: Vec<Dictionary>,
    whole: Object,
    glyphs: FastMap<u32, Hash>,
}

/// How codes lead to glyphs.
enum CodeMap {
    /// Two bytes of `Identity-H`, whose CID is the glyph, its number in the program, or leads there.
    Cid { is_keyed: bool, to_glyph: Option<Vec<u8>> },
    /// One byte, by glyph name or the encoding of the program.
    Simple { names: FastMap<u8, Vec<u8>>, is_built_in: bool },
}

impl GlyphFont {
    /// The font of a dictionary; `None` if its glyphs cannot be told apart.
    pub(super) fn read(
        objects: &dyn Objects,
        streams: &StreamReader<'_>,
        font: &Object,
    ) -> Result<Option<Self>, DocumentError> {
        let resolved = objects.resolve(font)?;
        let Some(dictionary) = resolved.as_dictionary() else { return Ok(None) };
        let reader = FontReader { objects, streams };
        let parts = match objects.get(dictionary, b"Subtype")?.as_name() {
            Some(b"Type0") => reader.composite(dictionary)?,
            Some(b"TrueType" | b"Type1") => reader.simple(dictionary)?,
            _ => None,
        };
        let Some((program, codes, widths, frame)) = parts else { return Ok(None) };
        let to_unicode = objects.get(dictionary, b"ToUnicode")?;
        let to_unicode = match &*to_unicode {
            Object::Null => None,
            Object::Stream(stream) => match streams.read(stream)? {
                StreamData::Decoded(bytes) => match ToUnicode::read(&bytes) {
                    None => return Ok(None),
                    map => map,
                },
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let program = ScalerFont::unhinted(program, None);
        let (whole, glyphs) = (font.clone(), FastMap::default());
        Ok(Some(Self { program, codes, widths, to_unicode, frame, whole, glyphs }))
    }

    /// What the font is apart from its glyphs.
    pub(super) fn hash_frame(&self, digests: &mut ObjectDigests<'_>, hasher: &mut Hasher) -> Result<(), DocumentError> {
        for dictionary in &self.frame {
            hash_tagged(hasher, b'o', digests.digest_tree(&Object::Dictionary(dictionary.clone()))?.as_bytes());
        }
        Ok(())
    }

    /// Adds the glyphs that a string shows.
    pub(super) fn hash_string(
        &mut self,
        string: &[u8],
        digests: &mut ObjectDigests<'_>,
        hasher: &mut Hasher,
    ) -> Result<(), DocumentError> {
        let bytes = match self.codes {
            CodeMap::Cid { .. } => 2,
            CodeMap::Simple { .. } => 1,
        };
        let codes = string.chunks(bytes);
        hash_tagged(hasher, b'g', &(codes.len() as u64).to_le_bytes());
        for code in codes {
            let is_complete = code.len() == bytes;
            let code = code.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            let known = self.glyphs.get(&code).copied().filter(|_| is_complete);
            let glyph = match known {
                Some(glyph) => glyph,
                None => {
                    digests.check_deadline()?;
                    let glyph = self.glyph(code).filter(|_| is_complete);
                    let glyph = glyph.map_or_else(|| self.glyph_of_whole(code, digests), Ok)?;
                    self.glyphs.extend(is_complete.then_some((code, glyph)));
                    glyph
                }
            };
            hasher.update(glyph.as_bytes());
        }
        Ok(())
    }

    fn glyph_of_whole(&self, code: u32, digests: &mut ObjectDigests<'_>) -> Result<Hash, DocumentError> {
        let mut hasher = Hasher::new();
        hash_tagged(&mut hasher, b'w', digests.digest_tree(&self.whole)?.as_bytes());
        hash_tagged(&mut hasher, b'c', &code.to_le_bytes());
        Ok(hasher.finalize())
    }

    /// A glyph by its outline, width and characters; `None` if one of them is not certain.
    fn glyph(&self, code: u32) -> Option<Hash> {
        let mut hasher = Hasher::new();
        let font = self.program.font();
        let glyphs = match &self.codes {
            CodeMap::Cid { is_keyed, to_glyph } => vec![cid_glyph(font, *is_keyed, to_glyph.as_deref(), code)?],
            CodeMap::Simple { names, is_built_in } => {
                let byte = u8::try_from(code).ok()?;
                let name = names.get(&byte);
                name.iter().for_each(|name| hash_tagged(&mut hasher, b'n', name));
                // Word spacing applies to this code (9.3.3).
                hash_tagged(&mut hasher, b's', &[u8::from(byte == b' ')]);
                let glyphs = match name {
                    Some(name) => vec![font.glyph_by_name(std::str::from_utf8(name).ok()?)?],
                    None if *is_built_in => built_in_glyphs(font, byte),
                    None => return None,
                };
                if self.to_unicode.is_none() && name.is_none() {
                    hash_tagged(&mut hasher, b'n', program_name(font, *glyphs.first()?)?.as_bytes());
                }
                glyphs
            }
        };
        // No glyph at all is not certain either.
        glyphs.first()?;
        for glyph in glyphs {
            self.hash_outline(glyph, &mut hasher)?;
        }
        if let Some(width) = self.widths.get(&code) {
            width.hash(&mut hasher);
        }
        match (&self.to_unicode, &self.codes) {
            (Some(to_unicode), _) => hash_tagged(&mut hasher, b'u', to_unicode.get(code)?),
            (None, CodeMap::Simple { .. }) => {}
            (None, CodeMap::Cid { .. }) => return None,
        }
        Some(hasher.finalize())
    }

    fn hash_outline(&self, glyph: GlyphId, hasher: &mut Hasher) -> Option<()> {
        let outline = self.program.outline(glyph)?;
        hash_tagged(hasher, b'm', &self.program.font().units_per_em().to_le_bytes());
        outline.draw(DrawMemory::Scratch, &mut OutlineHasher(hasher)).ok()?;
        hasher.update(b"e");
        Some(())
    }
}

/// The glyph of a CID (9.7.4.2).
fn cid_glyph(font: &Font, is_keyed: bool, to_glyph: Option<&[u8]>, cid: u32) -> Option<GlyphId> {
    let Some(map) = to_glyph else {
        return if is_keyed { font.glyph_by_cid(cid) } else { Some(GlyphId::new(cid)) };
    };
    let at = usize::try_from(cid).ok()?.checked_mul(2)?;
    let entry = map.get(at..at.checked_add(2)?)?;
    Some(GlyphId::new(entry.iter().fold(0, |glyph, byte| glyph << 8 | u32::from(*byte))))
}

/// Every glyph that a reader may take for a code without an encoding (9.6.5.4): readers prefer different tables.
fn built_in_glyphs(font: &Font, code: u8) -> Vec<GlyphId> {
    match font.kind() {
        Kind::Type1(program) => program.encoding().and_then(|encoding| encoding.map(code)).into_iter().collect(),
        Kind::Cff(program, _) => program.encoding().and_then(|encoding| encoding.map(code)).into_iter().collect(),
        Kind::Sfnt(..) => {
            let charmap = font.charmap();
            // A symbol font has its codes in a private area.
            let codes = [0, 0xF000, 0xF100, 0xF200].map(|area| area + u32::from(code));
            let glyphs = charmap.encodings().flat_map(|encoding| codes.map(|code| charmap.map_code(encoding, code)));
            glyphs.flatten().collect()
        }
    }
}

/// The name of a glyph in a program that is encoded by names.
fn program_name(font: &Font, glyph: GlyphId) -> Option<String> {
    let is_named = !matches!(font.kind(), Kind::Sfnt(..));
    font.glyph_name(glyph).filter(|_| is_named).map(|name| name.to_string())
}

/// Hashes an outline as it is drawn.
struct OutlineHasher<'h>(&'h mut Hasher);

impl OutlineHasher<'_> {
    fn put(&mut self, tag: u8, coordinates: &[f32]) {
        self.0.update(&[tag]);
        for coordinate in coordinates {
            self.0.update(&coordinate.to_bits().to_le_bytes());
        }
    }
}

impl PathSink for OutlineHasher<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.put(b'M', &[x, y]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.put(b'L', &[x, y]);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.put(b'Q', &[cx, cy, x, y]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.put(b'C', &[cx0, cy0, cx1, cy1, x, y]);
    }

    fn close(&mut self) {
        self.put(b'Z', &[]);
    }
}

/// A program, how codes lead to its glyphs, widths by code, and the rest of the dictionaries.
type FontParts = (Font, CodeMap, FastMap<u32, CanonicalNumber>, Vec<Dictionary>);

/// Reads the dictionaries of a font.
struct FontReader<'a> {
    objects: &'a dyn Objects,
    streams: &'a StreamReader<'a>,
}

impl FontReader<'_> {
    fn composite(&self, font: &Dictionary) -> Result<Option<FontParts>, DocumentError> {
        let descendants = self.objects.get(font, b"DescendantFonts")?;
        let Some([descendant]) = descendants.as_array() else { return Ok(None) };
        let descendant = self.objects.resolve(descendant)?;
        let Some(descendant) = descendant.as_dictionary() else { return Ok(None) };
        let is_horizontal = self.objects.get(font, b"Encoding")?.is_name(b"Identity-H");
        let Some((program, descriptor)) = self.program(descendant)?.filter(|_| is_horizontal) else { return Ok(None) };
        let to_glyph = self.objects.get(descendant, b"CIDToGIDMap")?;
        let is_sfnt = matches!(program.kind(), Kind::Sfnt(..));
        let to_glyph = match &*to_glyph {
            Object::Null => None,
            name if name.is_name(b"Identity") => None,
            Object::Stream(stream) if is_sfnt => match self.streams.read(stream)? {
                StreamData::Decoded(bytes) => Some(bytes.into_owned()),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(widths) = self.cid_widths(descendant)? else { return Ok(None) };
        let codes = CodeMap::Cid { is_keyed: program.is_cid_keyed(), to_glyph };
        let font = without(font, &[b"DescendantFonts", b"ToUnicode"]);
        let descendant = without(descendant, &[b"CIDToGIDMap", b"FontDescriptor", b"W"]);
        Ok(Some((program, codes, widths, vec![font, descendant, descriptor])))
    }

    fn simple(&self, font: &Dictionary) -> Result<Option<FontParts>, DocumentError> {
        let Some((program, descriptor)) = self.program(font)? else { return Ok(None) };
        let encoding = self.objects.get(font, b"Encoding")?;
        let is_built_in = encoding.is_null();
        let mut frame =
            without(font, &[b"Encoding", b"FirstChar", b"FontDescriptor", b"LastChar", b"ToUnicode", b"Widths"]);
        let mut names = FastMap::default();
        match &*encoding {
            Object::Dictionary(encoding) => {
                frame.set(b"Encoding", Object::Dictionary(without(encoding, &[b"Differences"])));
                let Some(found) = self.differences(encoding)? else { return Ok(None) };
                names = found;
            }
            other => frame.set(b"Encoding", other.clone()),
        }
        let first = self.objects.get(font, b"FirstChar")?.as_integer().unwrap_or(0);
        let array = self.objects.get(font, b"Widths")?;
        let mut widths = FastMap::default();
        for (code, width) in (first..).zip(array.as_array().unwrap_or_default().iter().take(MAX_WIDTHS)) {
            let width = self.objects.resolve(width)?;
            let code = u8::try_from(code).ok().filter(|_| width.as_number().is_some());
            widths.extend(code.map(|code| (u32::from(code), CanonicalNumber::of(&width))));
        }
        let codes = CodeMap::Simple { names, is_built_in };
        Ok(Some((program, codes, widths, vec![frame, descriptor])))
    }

    /// The embedded program, and the font descriptor without it.
    fn program(&self, font: &Dictionary) -> Result<Option<(Font, Dictionary)>, DocumentError> {
        let descriptor = self.objects.get(font, b"FontDescriptor")?;
        let Some(descriptor) = descriptor.as_dictionary() else { return Ok(None) };
        let keys: [&[u8]; 3] = [b"FontFile", b"FontFile2", b"FontFile3"];
        let mut programs = keys.iter().filter(|key| descriptor.get(key).is_some());
        // Readers prefer different ones.
        let (Some(key), None) = (programs.next(), programs.next()) else { return Ok(None) };
        let stream = self.objects.get(descriptor, key)?;
        let Some(stream) = stream.as_stream() else { return Ok(None) };
        let StreamData::Decoded(bytes) = self.streams.read(stream)? else { return Ok(None) };
        let rest = without(descriptor, &[b"CIDSet", b"CharSet", b"FontFile", b"FontFile2", b"FontFile3"]);
        Ok(Font::new(bytes.into_owned(), 0).map(|program| (program, rest)))
    }

    /// The glyph names of `/Differences` (table 112); `None` if it is malformed.
    fn differences(&self, encoding: &Dictionary) -> Result<Option<FastMap<u8, Vec<u8>>>, DocumentError> {
        let array = self.objects.get(encoding, b"Differences")?;
        let (mut names, mut code) = (FastMap::default(), 0_i64);
        for element in array.as_array().unwrap_or_default() {
            let element = self.objects.resolve(element)?;
            match (&*element, u8::try_from(code)) {
                (Object::Integer(next), _) => code = *next,
                (Object::Name(name), Ok(byte)) => {
                    names.insert(byte, name.as_bytes().to_vec());
                    code = code.saturating_add(1);
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(names))
    }

    /// The widths of `/W` (9.7.4.3) by CID; `None` if it is malformed or too long.
    fn cid_widths(&self, font: &Dictionary) -> Result<Option<FastMap<u32, CanonicalNumber>>, DocumentError> {
        let array = self.objects.get(font, b"W")?;
        let mut elements = array.as_array().unwrap_or_default().iter();
        let mut widths = FastMap::default();
        while let Some(first) = elements.next() {
            let (Some(first), Some(next)) = (cid(&*self.objects.resolve(first)?), elements.next()) else {
                return Ok(None);
            };
            let next = self.objects.resolve(next)?;
            if let Some(each) = next.as_array() {
                for (cid, width) in (first..).zip(each) {
                    widths.insert(cid, CanonicalNumber::of(&*self.objects.resolve(width)?));
                }
            } else {
                let (Some(last), Some(width)) = (cid(&next), elements.next()) else { return Ok(None) };
                let width = CanonicalNumber::of(&*self.objects.resolve(width)?);
                widths.extend((first..=last).map(|cid| (cid, width)));
            }
            if widths.len() > MAX_WIDTHS {
                return Ok(None);
            }
        }
        Ok(Some(widths))
    }
}

/// A CID (9.7.4).
fn cid(object: &Object) -> Option<u32> {
    object.as_integer().and_then(|cid| u16::try_from(cid).ok()).map(u32::from)
}

fn without(dictionary: &Dictionary, keys: &[&[u8]]) -> Dictionary {
    let mut rest = dictionary.clone();
    keys.iter().for_each(|key| drop(rest.remove(key)));
    rest
}
