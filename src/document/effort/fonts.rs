//! What fonts come to when the engine loads them, and whether their glyphs may be fitted to pixels.

use super::data::{check_length, decoded};
use super::{Steps, bytes, length, price, whole};
use crate::document::filter;
use crate::limits::Limits;
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Object, ObjectIdentifier, Stream};
use memchr::memmem;
use std::collections::HashSet;

/// Fonts whose loading was counted already, for documents that are read page by page.
pub(crate) type LoadedFonts = HashSet<ObjectIdentifier>;

/// Takes the steps of loading a font, as the engine does it once for each dictionary of one.
pub(super) fn load(font: &Dict<'_>, steps: &Steps, limits: &Limits) {
    steps.take(bytes(length(font.data())));
    let first = font.get::<usize>(b"FirstChar").unwrap_or(0);
    steps.take(u64::try_from(first).unwrap_or(u64::MAX).saturating_mul(price::WIDTH));
    for key in [b"ToUnicode".as_slice(), b"Encoding"] {
        if let Some(map) = font.get::<Stream<'_>>(key) {
            character_map(&map, steps, limits);
        }
    }
    let descendant = font.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    if let Some(descendant) = &descendant {
        for (key, values) in [(b"W".as_slice(), 1), (b"W2", 3)] {
            if let Some(ranges) = descendant.get::<Array<'_>>(key) {
                steps.take(widths(&ranges, values).saturating_mul(price::WIDTH));
            }
        }
    }
    if let Some(map) = descendant.as_ref().and_then(|font| font.get::<Stream<'_>>(b"CIDToGIDMap")) {
        check_length(&map, steps, limits);
    }
    if let Some(program) = program(descendant.as_ref().unwrap_or(font)) {
        check_length(&program, steps, limits);
    }
}

/// A character map (9.7.5): the engine keeps some 50 bytes for each of its own, and reads each that it names.
fn character_map(map: &Stream<'_>, steps: &Steps, limits: &Limits) {
    let Some(data) = decoded(map, steps, limits) else { return };
    let named = memmem::find_iter(&data, b"usecmap").count();
    steps.take(length(&data).saturating_mul(2));
    steps.take(u64::try_from(named).unwrap_or(u64::MAX).saturating_mul(price::NAMED_MAP));
}

/// The widths that ranges stand for (9.7.4.3): the engine keeps one for each glyph of a range, however long that is.
fn widths(ranges: &Array<'_>, values: usize) -> u64 {
    let (mut items, mut count) = (ranges.iter::<Object<'_>>(), 0_u64);
    while let Some(first) = items.next() {
        let Some(second) = items.next() else { break };
        match (first, second) {
            (_, Object::Array(each)) => count = count.saturating_add(length(each.data()) / 2),
            (Object::Number(first), Object::Number(last)) => {
                count = count.saturating_add(whole(last.as_f64() - first.as_f64() + 1.0));
                items.by_ref().take(values).for_each(drop);
            }
            // The engine stops at what is none.
            _ => break,
        }
    }
    count
}

fn program<'a>(font: &Dict<'a>) -> Option<Stream<'a>> {
    let descriptor = font.get::<Dict<'_>>(b"FontDescriptor")?;
    [b"FontFile2".as_slice(), b"FontFile3", b"FontFile"].iter().find_map(|key| descriptor.get::<Stream<'_>>(key))
}

/// Bytes of rules with which they come to no more than some million, however they lie: the third power of a third of them.
const MAX_RULE_BYTES: u32 = 4 << 10;

/// Tables of a font that are looked at.
const MAX_TABLES: usize = 64;

/// Whether the font's program has many rules of its own for putting glyphs in the place of others (OpenType, GSUB).
///
/// The engine goes through them to fit glyphs to pixels, all of them for each that leads to another, and rules may lie over
/// each other: one changed byte of a real font took it 3.4 seconds.
pub(super) fn has_rules(font: &Dict<'_>, steps: &Steps, limits: &Limits) -> bool {
    let descendant = font.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let Some(program) = program(descendant.as_ref().unwrap_or(font)) else { return false };
    let beginning = match program.filters().as_slice() {
        [Filter::FlateDecode] => filter::inflated_beginning(&program.raw_data()),
        _ => decoded(&program, steps, limits).map(|data| data.into_owned()).unwrap_or_default(),
    };
    rule_bytes(&beginning) > MAX_RULE_BYTES
}

/// The length of a font's table of rules, by the directory at its beginning.
fn rule_bytes(program: &[u8]) -> u32 {
    let (tables, _) = program.get(12..).unwrap_or_default().as_chunks::<16>();
    let rules = tables.iter().take(MAX_TABLES).find(|table| table.starts_with(b"GSUB"));
    let length = rules.and_then(|table| table.last_chunk::<4>());
    length.map_or(0, |length| u32::from_be_bytes(*length))
}
