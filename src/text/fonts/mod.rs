//! What the dictionaries of fonts say: their styles, and which font of TeX a bitmap font is.

mod bitmap_fonts;
mod font_dictionaries;
mod font_name;
mod font_style;
mod glyph_styles;
mod page_fonts;
mod stems;

pub(crate) use bitmap_fonts::{BitmapFont, TexEncoding, windows_text};
pub(crate) use font_name::without_tag;
pub(crate) use font_style::{MAX_CODES, base_name, glyph_names};
pub(crate) use glyph_styles::{GlyphStyle, StyleCollector, StyleIndex};
pub(crate) use page_fonts::{PageFontDictionaries, SharedFonts, is_type3};
