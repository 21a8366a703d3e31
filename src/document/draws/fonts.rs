//! What fonts come to: glyphs that are content, and widths of ranges that engines write out.

use super::Walk;
use super::content::Named;
use super::cost::{Cost, ENDLESS};
use crate::document::error::DocumentError;
use crate::document::filter;
use crate::document::object::{Dictionary, Object, ObjectId};

/// A width of a glyph counts as so many bytes of content. Engines keep one for each glyph of a range, however long that is:
/// an array of six numbers took minutes and gigabytes.
const BYTES_OF_WIDTH: u64 = 64;

impl Walk<'_> {
    /// Adds to `cost` what a font comes to that content has `named`; it may show all it shows in this font.
    pub(super) fn add_font(
        &mut self,
        cost: &mut Cost,
        font: &Object,
        above: &Object,
        named: &Named,
    ) -> Result<(), DocumentError> {
        let resolved = self.objects.resolve(font)?;
        let Some(entries) = resolved.as_dictionary() else { return Ok(()) };
        let bytes = self.widths(entries)?.saturating_mul(BYTES_OF_WIDTH);
        cost.bytes = cost.bytes.saturating_add(bytes);
        cost.check(self.limits)?;
        cost.picture.has_rules |= self.has_rules(entries).unwrap_or(false);
        if self.objects.get(entries, b"Subtype")?.is_name(b"Type3") {
            let own = entries.get(b"Resources");
            let lender = if own.is_some() { font.as_reference() } else { self.path.last().copied() };
            self.add_glyphs(cost, entries, (own.unwrap_or(above), lender), named)?;
        }
        Ok(())
    }

    /// Whether the font's program has a table of rules that is long enough to matter (OpenType, GSUB).
    fn has_rules(&self, font: &Dictionary) -> Result<bool, DocumentError> {
        let objects = self.objects;
        let descendants = objects.get(font, b"DescendantFonts")?;
        let descendant = descendants.as_array().and_then(<[Object]>::first).unwrap_or(&Object::Null);
        let descendant = objects.resolve(descendant)?;
        let descriptor = objects.get(descendant.as_dictionary().unwrap_or(font), b"FontDescriptor")?;
        let Some(descriptor) = descriptor.as_dictionary() else { return Ok(false) };
        for key in [b"FontFile2", b"FontFile3"] {
            let program = objects.get(descriptor, key)?;
            if let Some(program) = program.as_stream() {
                let beginning = filter::beginning(&program.data, &self.filters(program)?, self.limits)?;
                return Ok(rule_bytes(&beginning) > MAX_RULE_BYTES);
            }
        }
        Ok(false)
    }

    /// The widths that are not there: those before the first of a simple font, and those that the ranges of a composite one
    /// stand for (9.7.4.3).
    fn widths(&self, font: &Dictionary) -> Result<u64, DocumentError> {
        let objects = self.objects;
        let first = objects.get(font, b"FirstChar")?.as_integer().and_then(|first| u64::try_from(first).ok());
        let descendants = objects.get(font, b"DescendantFonts")?;
        let descendant = descendants.as_array().and_then(<[Object]>::first).unwrap_or(&Object::Null);
        let descendant = objects.resolve(descendant)?;
        let mut count = first.unwrap_or(0);
        let Some(descendant) = descendant.as_dictionary() else { return Ok(count) };
        for (key, numbers) in [(b"W".as_slice(), 1), (b"W2", 3)] {
            let ranges = objects.get(descendant, key)?;
            let mut items = ranges.as_array().unwrap_or_default().iter();
            while let (Some(first), Some(second)) = (items.next(), items.next()) {
                self.limits.deadline.check()?;
                let second = objects.resolve(second)?;
                // An array of widths is as long as it is.
                if second.as_array().is_some() {
                    continue;
                }
                let first = objects.resolve(first)?;
                let (first, last) = (first.as_number().unwrap_or(0.0), second.as_number().unwrap_or(0.0));
                count = count.saturating_add(between(first, last));
                items.by_ref().take(numbers).for_each(drop);
            }
        }
        Ok(count)
    }

    /// The glyphs of a Type 3 font (9.6.4), with the resources that they draw with and whose those are.
    fn add_glyphs(
        &mut self,
        cost: &mut Cost,
        font: &Dictionary,
        (resources, lender): (&Object, Option<ObjectId>),
        named: &Named,
    ) -> Result<(), DocumentError> {
        let objects = self.objects;
        let (glyphs, encoding) = (objects.get(font, b"CharProcs")?, objects.get(font, b"Encoding")?);
        let differences = encoding.as_dictionary().and_then(|encoding| encoding.get(b"Differences"));
        let differences = objects.resolve(differences.unwrap_or(&Object::Null))?;
        for (code, name) in codes(differences.as_array().unwrap_or_default()) {
            let times = named.shown(code);
            let glyph = glyphs.as_dictionary().filter(|_| times > 0).and_then(|glyphs| glyphs.get(name));
            let Some(id) = glyph.and_then(Object::as_reference) else { continue };
            let object = objects.fetch(id)?;
            let Some(stream) = object.as_stream() else { continue };
            let drawn = if self.path.contains(&id) { ENDLESS } else { self.content(id, lender, stream, resources)? };
            cost.add(drawn.of_glyph(), times);
            cost.check(self.limits)?;
        }
        Ok(())
    }
}

/// Bytes of rules with which they come to no more than some million, however they lie: the third power of a third of them.
const MAX_RULE_BYTES: u32 = 4 << 10;

/// Tables of a font that are looked at.
const MAX_TABLES: usize = 64;

/// The length of a font's table of rules, by the directory at its beginning.
fn rule_bytes(program: &[u8]) -> u32 {
    let (tables, _) = program.get(12..).unwrap_or_default().as_chunks::<16>();
    let rules = tables.iter().take(MAX_TABLES).find(|table| table.starts_with(b"GSUB"));
    let length = rules.and_then(|table| table.last_chunk::<4>());
    length.map_or(0, |length| u32::from_be_bytes(*length))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn between(first: f64, last: f64) -> u64 {
    (last - first + 1.0).max(0.0) as u64
}

/// The codes of a simple font and the names of their glyphs (9.6.5): numbers and the names from there on.
fn codes(differences: &[Object]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut next = 0;
    differences.iter().filter_map(move |item| {
        if let Some(code) = item.as_integer() {
            next = code;
            return None;
        }
        let code = u8::try_from(next).ok();
        next = next.saturating_add(1);
        Some((code?, item.as_name()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_count_on_from_each_number() {
        let name = |name: &[u8]| Object::name(name);
        let items = [Object::Integer(65), name(b"A"), name(b"B"), Object::Integer(255), name(b"C"), name(b"beyond")];
        assert_eq!(codes(&items).collect::<Vec<_>>(), [(65, b"A".as_slice()), (66, b"B"), (255, b"C")]);
        assert_eq!(codes(&[name(b"first")]).collect::<Vec<_>>(), [(0, b"first".as_slice())]);
    }
}
