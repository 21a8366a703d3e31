//! Fonts: the widths that an engine keeps, and whether glyphs may be hinted.

use super::streams::named;
use crate::filter;
use crate::page_budget::leave_beyond;
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Object, Stream};
use pagewise_base::limits::{Limit, Limits};

/// Checks the number of widths of a font, of which an engine keeps one for each code.
pub(super) fn check_widths(font: &Dict<'_>, limits: &Limits) {
    let first = font.get::<usize>(b"FirstChar").map_or(0, |first| first as u64);
    let widths = [(b"W".as_slice(), 1), (b"W2", 3)].into_iter().fold(first, |sum, (key, values)| {
        let ranges = font.get::<Array<'_>>(key);
        sum.saturating_add(ranges.map_or(0, |ranges| count_widths(&ranges, values)))
    });
    leave_beyond(Limit::ObjectValues, widths, limits.max_object_values.into());
}

/// The number of widths in ranges (ISO 32000-2, 9.7.4.3).
fn count_widths(ranges: &Array<'_>, values: usize) -> u64 {
    let (mut items, mut count) = (ranges.iter::<Object<'_>>(), 0_u64);
    while let Some(first) = items.next() {
        let Some(second) = items.next() else { break };
        match (first, second) {
            (_, Object::Array(each)) => count = count.saturating_add(each.raw_iter().count() as u64),
            (Object::Number(first), Object::Number(last)) => {
                count = count.saturating_add(whole(last.as_f64() - first.as_f64() + 1.0));
                items.by_ref().take(values).for_each(drop);
            }
            // The engine stops at an invalid item.
            _ => break,
        }
    }
    count
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// The most bytes of substitution rules with which their number stays harmless, even if they overlap.
const MAX_RULE_BYTES: u32 = 4 << 10;

/// The most tables of a font that are read.
const MAX_TABLES: usize = 64;

/// Whether the font program of a font descriptor has many glyph substitution rules (OpenType, GSUB).
///
/// The engine reads these rules for hinting, and follows each from one to the next. In a damaged font, the rules can overlap,
/// which takes seconds.
pub(super) fn has_many_substitutions(descriptor: &Dict<'_>, limits: &Limits) -> bool {
    let programs = [b"FontFile2".as_slice(), b"FontFile3", b"FontFile"];
    let Some(program) = programs.iter().find_map(|key| descriptor.get::<Stream<'_>>(key)) else { return false };
    let raw = program.raw_data();
    let start = match program.filters().as_slice() {
        [Filter::FlateDecode] => filter::inflated_beginning(&raw),
        filters => match filter::decode(&raw, &named(filters, program.dict()), limits) {
            Ok(decoded) => decoded.bytes.into_owned(),
            Err(_) => return false,
        },
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
