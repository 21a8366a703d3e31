//! The cost of loading fonts, and whether their glyphs may be hinted.

use super::data::{check_length, decode_stream};
use super::{Steps, length, price, reading_steps, to_steps};
use crate::filter;
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Object, Stream};
use memchr::memmem;
use pagewise_base::limits::Limits;

/// Takes the steps of loading a font. The engine loads each font dictionary once.
pub fn take_loading_steps(font: &Dict<'_>, steps: &Steps, limits: &Limits) {
    steps.take(reading_steps(length(font.data())));
    let first = font.get::<usize>(b"FirstChar").unwrap_or(0);
    steps.take(u64::try_from(first).unwrap_or(u64::MAX).saturating_mul(price::WIDTH));
    for key in [b"ToUnicode".as_slice(), b"Encoding"] {
        if let Some(map) = font.get::<Stream<'_>>(key) {
            take_cmap_steps(&map, steps, limits);
        }
    }
    let descendant = font.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    if let Some(descendant) = &descendant {
        for (key, values) in [(b"W".as_slice(), 1), (b"W2", 3)] {
            if let Some(ranges) = descendant.get::<Array<'_>>(key) {
                steps.take(count_widths(&ranges, values).saturating_mul(price::WIDTH));
            }
        }
    }
    if let Some(map) = descendant.as_ref().and_then(|font| font.get::<Stream<'_>>(b"CIDToGIDMap")) {
        check_length(&map, steps, limits);
    }
    if let Some(program) = font_program(descendant.as_ref().unwrap_or(font)) {
        check_length(&program, steps, limits);
    }
}

/// Takes the steps of a CMap (9.7.5). The engine keeps its entries, and reads every CMap that it uses.
fn take_cmap_steps(map: &Stream<'_>, steps: &Steps, limits: &Limits) {
    let Some(data) = decode_stream(map, steps, limits) else { return };
    let named = memmem::find_iter(&data, b"usecmap").count();
    steps.take(length(&data).saturating_mul(2));
    steps.take(u64::try_from(named).unwrap_or(u64::MAX).saturating_mul(price::NAMED_MAP));
}

/// The number of widths in ranges (9.7.4.3). The engine keeps one for each glyph of a range.
fn count_widths(ranges: &Array<'_>, values: usize) -> u64 {
    let (mut items, mut count) = (ranges.iter::<Object<'_>>(), 0_u64);
    while let Some(first) = items.next() {
        let Some(second) = items.next() else { break };
        match (first, second) {
            (_, Object::Array(each)) => count = count.saturating_add(length(each.data()) / 2),
            (Object::Number(first), Object::Number(last)) => {
                count = count.saturating_add(to_steps(last.as_f64() - first.as_f64() + 1.0));
                items.by_ref().take(values).for_each(drop);
            }
            // The engine stops at an invalid item.
            _ => break,
        }
    }
    count
}

fn font_program<'a>(font: &Dict<'a>) -> Option<Stream<'a>> {
    let descriptor = font.get::<Dict<'_>>(b"FontDescriptor")?;
    [b"FontFile2".as_slice(), b"FontFile3", b"FontFile"].iter().find_map(|key| descriptor.get::<Stream<'_>>(key))
}

/// The most bytes of substitution rules with which their number stays harmless, even if they overlap.
const MAX_RULE_BYTES: u32 = 4 << 10;

/// The most tables of a font that are read.
const MAX_TABLES: usize = 64;

/// Whether the font program has many glyph substitution rules (OpenType, GSUB).
///
/// The engine reads these rules for hinting, and follows each from one to the next. In a damaged font, the rules can overlap,
/// which takes seconds.
pub(super) fn has_many_substitutions(font: &Dict<'_>, steps: &Steps, limits: &Limits) -> bool {
    let descendant = font.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let Some(program) = font_program(descendant.as_ref().unwrap_or(font)) else { return false };
    let start = match program.filters().as_slice() {
        [Filter::FlateDecode] => filter::inflated_beginning(&program.raw_data()),
        _ => decode_stream(&program, steps, limits).map(|data| data.into_owned()).unwrap_or_default(),
    };
    rule_bytes(&start) > MAX_RULE_BYTES
}

/// The length of the table of substitution rules, by the font's table directory.
fn rule_bytes(program: &[u8]) -> u32 {
    let (tables, _) = program.get(12..).unwrap_or_default().as_chunks::<16>();
    let rules = tables.iter().take(MAX_TABLES).find(|table| table.starts_with(b"GSUB"));
    let length = rules.and_then(|table| table.last_chunk::<4>());
    length.map_or(0, |length| u32::from_be_bytes(*length))
}
