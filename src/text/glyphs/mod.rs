//! The glyphs of a page: their positions, their characters, and whether these are plausible.

mod character_maps;
mod characters;
mod collector;
mod content_marks;
mod drawn_letters;
mod font_map;
mod glyph_list;
mod glyph_names;
mod paint_log;
mod placed_glyph;
mod plausibility;
mod publisher_fonts;
mod replacement_text;
mod run_metrics;

pub(crate) use character_maps::settings;
pub(crate) use characters::CharacterResolver;
pub use collector::is_bracket_piece;
pub(crate) use collector::{GlyphCollector, LayoutCollector, PageGlyphs};
pub(crate) use placed_glyph::{GlyphPlacement, GlyphText, PlacedGlyph, WritingDirection, row_of};
pub(crate) use plausibility::{PageFonts, is_private, is_text};
