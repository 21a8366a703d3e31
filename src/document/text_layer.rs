//! Adds invisible text to pages, as an update appended to the file (ISO 32000-2, 7.5.6).
//!
//! The bytes of the file stay as they are, and the update has no date, so the same text gives the same bytes. The text is
//! in rendering mode 3 (9.3.6), in a font without glyphs whose codes are UTF-16.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use lopdf::{Dictionary, IncrementalDocument, Object, ObjectId, Stream, dictionary};

use super::structure::PagePlacement;
use super::{Document, DocumentError};
use pagewise_base::page::PageIndex;

/// A word of a text layer, in points from the top left of the page as displayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerWord {
    pub text: String,
    /// The start of its baseline.
    pub origin: [f64; 2],
    /// The direction of its text in degrees clockwise.
    pub turn: f64,
    /// Its length along the text.
    pub length: f64,
    /// The em.
    pub size: f64,
}

pub type PageLayer = (PageIndex, Vec<LayerWord>);

/// The name of the font in the resources of pages.
const FONT: &str = "PagewiseLayer";

/// The width of each character, in thousandths of an em.
const WIDTH: f64 = 500.0;

/// The graphics state of the page's own content does not reach the layer.
const SAVE: &[u8] = b"q\n";
const RESTORE: &[u8] = b"\nQ\n";

impl Document {
    /// The file with a layer of invisible text on each of these pages.
    ///
    /// # Errors
    /// [`DocumentError::UnsupportedEncryption`] for an encrypted file, [`DocumentError::Damaged`] for one that only repairs
    /// make readable, [`DocumentError::PageOutOfRange`].
    pub fn with_text_layer(&self, layers: &[PageLayer]) -> Result<Vec<u8>, DocumentError> {
        if self.is_encrypted() {
            return Err(DocumentError::UnsupportedEncryption);
        }
        let file = self.readers.file().whole()?;
        if layers.is_empty() {
            return Ok(file.to_vec());
        }
        let parsed = lopdf::Document::load_mem(&file).map_err(|_| damaged())?;
        let pages: Vec<ObjectId> = parsed.page_iter().collect();
        if u32::try_from(pages.len()) != Ok(self.page_count()) {
            return Err(damaged());
        }
        let mut update = LayerUpdate::new(IncrementalDocument::create_from(file.to_vec(), parsed));
        for (index, words) in layers {
            let placement = self.page_placement(*index)?;
            let at = usize::try_from(index.0).unwrap_or(usize::MAX);
            let page_count = self.page_count();
            let out_of_range = DocumentError::PageOutOfRange { page: index.number().get(), page_count };
            let page = *pages.get(at).ok_or(out_of_range)?;
            update.add_page(page, &content(words, &placement)).map_err(|_| damaged())?;
        }
        let mut out = Vec::with_capacity(file.len());
        update.document.save_to(&mut out).map_err(|_| damaged())?;
        Ok(out)
    }
}

fn damaged() -> DocumentError {
    DocumentError::damaged("a document to which nothing can be appended")
}

/// The update of a file.
struct LayerUpdate {
    document: IncrementalDocument,
    save: ObjectId,
    font: ObjectId,
}

impl LayerUpdate {
    fn new(mut document: IncrementalDocument) -> Self {
        let new = &mut document.new_document;
        let save = new.add_object(Stream::new(Dictionary::new(), SAVE.to_vec()));
        let map = new.add_object(Stream::new(Dictionary::new(), to_unicode().into_bytes()));
        let descriptor = new.add_object(dictionary! {
            "Type" => "FontDescriptor", "FontName" => FONT, "Flags" => 4, "ItalicAngle" => 0, "Ascent" => 800,
            "Descent" => -200, "CapHeight" => 700, "StemV" => 80,
            "FontBBox" => vec![0.into(), (-200).into(), 500.into(), 800.into()],
        });
        let descendant = new.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => FONT, "DW" => 500, "FontDescriptor" => descriptor,
            "CIDToGIDMap" => "Identity",
            "CIDSystemInfo" => dictionary! {
                "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"),
                "Supplement" => 0,
            },
        });
        let font = new.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => FONT, "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()], "ToUnicode" => map,
        });
        Self { document, save, font }
    }

    /// Appends `content` to a page, whose own content keeps its graphics state.
    fn add_page(&mut self, page: ObjectId, content: &str) -> lopdf::Result<()> {
        let content = [RESTORE, content.as_bytes()].concat();
        let layer = self.document.new_document.add_object(Stream::new(Dictionary::new(), content));
        let resources = self.document.get_or_create_resources(page)?.as_dict_mut()?;
        let mut fonts = resources.get(b"Font").ok().cloned();
        if let Some(Object::Reference(id)) = fonts {
            fonts = Some(self.document.get_prev_documents().get_object(id)?.clone());
        }
        let mut fonts = fonts.and_then(|fonts| fonts.as_dict().ok().cloned()).unwrap_or_default();
        fonts.set(FONT, self.font);
        self.document.get_or_create_resources(page)?.as_dict_mut()?.set("Font", fonts);
        let dictionary = self.document.new_document.get_object_mut(page)?.as_dict_mut()?;
        let own = match dictionary.get(b"Contents").ok().cloned() {
            Some(Object::Reference(id)) => self.contents(id)?,
            Some(Object::Array(parts)) => parts,
            _ => Vec::new(),
        };
        let parts = std::iter::once(self.save.into()).chain(own).chain(std::iter::once(layer.into()));
        let parts: Vec<Object> = parts.collect();
        self.document.new_document.get_object_mut(page)?.as_dict_mut()?.set("Contents", parts);
        Ok(())
    }

    /// The parts of a page's content: a stream, or an array that is an object of its own.
    fn contents(&self, id: ObjectId) -> lopdf::Result<Vec<Object>> {
        Ok(match self.document.get_prev_documents().get_object(id)? {
            Object::Array(parts) => parts.clone(),
            _ => vec![Object::Reference(id)],
        })
    }
}

fn content(words: &[LayerWord], placement: &PagePlacement) -> String {
    let mut content = String::from("BT\n3 Tr\n");
    for word in words {
        let codes: Vec<u16> = word.text.chars().filter(|letter| u32::from(*letter) < 0x1_0000).map(code).collect();
        let natural = codes.len() as f64 * WIDTH / 1000.0 * word.size;
        if codes.is_empty() || natural <= 0.0 || !natural.is_finite() || !word.length.is_finite() {
            continue;
        }
        let (sin, cos) = word.turn.to_radians().sin_cos();
        let [x, y] = word.origin;
        let origin = placement.in_user_space(x, y);
        let along = placement.in_user_space(x + cos, y + sin);
        let up = placement.in_user_space(x + sin, y - cos);
        let hex = codes.iter().fold(String::new(), |mut hex, code| {
            let _ = write!(hex, "{code:04X}");
            hex
        });
        let _ = writeln!(
            content,
            "/{FONT} {:.2} Tf {:.2} Tz {:.5} {:.5} {:.5} {:.5} {:.2} {:.2} Tm <{hex}> Tj",
            word.size,
            (word.length / natural * 100.0).clamp(1.0, 10_000.0),
            along.0 - origin.0,
            along.1 - origin.1,
            up.0 - origin.0,
            up.1 - origin.1,
            origin.0,
            origin.1
        );
    }
    content.push_str("ET\n");
    content
}

fn code(letter: char) -> u16 {
    u16::try_from(u32::from(letter)).unwrap_or(u16::MAX)
}

/// A CMap that maps each code to the character of the same number, a range for each first byte (9.10.3).
fn to_unicode() -> String {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapType 2 def\n/CMapName /Layer def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    // Surrogates are no characters, and a block has at most 100 ranges.
    let rows: Vec<u32> = (0..=0xFF).filter(|row| !(0xD8..=0xDF).contains(row)).collect();
    for block in rows.chunks(100) {
        let _ = writeln!(map, "{} beginbfrange", block.len());
        for row in block {
            let _ = writeln!(map, "<{row:02X}00> <{row:02X}FF> <{row:02X}00>");
        }
        map.push_str("endbfrange\n");
    }
    map.push_str("endcmap\nend\nend\n");
    map
}
