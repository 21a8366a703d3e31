//! What fonts come to: glyphs that are content, and what engines write out, as widths of ranges.

use super::content::Named;
use super::cost::Cost;
use super::{Loop, Resource, Walk, whole};
use crate::document::error::DocumentError;
use crate::document::filter;
use crate::document::object::{Dictionary, Object, ObjectId};
use memchr::memmem;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A width of a glyph counts as so many bytes of content. Engines keep one for each glyph of a range, however long that is:
/// an array of six numbers took minutes and gigabytes.
const BYTES_OF_WIDTH: u64 = 64;

/// A character map that is named in another counts as so many bytes of content: the engine reads it at each mention, and
/// the largest of those it knows by name have tens of thousands of ranges.
const BYTES_OF_MAP: u64 = 1 << 20;

/// Character maps that lead to another, as many as the engine follows.
const MAX_MAPS: usize = 16;

/// Fonts of one document that are remembered.
const MAX_FONTS: usize = 10_000;

/// What is known of the fonts of a document.
#[derive(Default)]
pub(crate) struct KnownFonts(Mutex<HashMap<ObjectId, Facts>>);

/// What there is to a font wherever it is used.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// What the engine writes out for it, as bytes of content.
    bytes: u64,
    has_rules: bool,
}

impl KnownFonts {
    fn locked(&self) -> MutexGuard<'_, HashMap<ObjectId, Facts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Walk<'_> {
    /// What there is to a font, looked at once in a document.
    fn facts(&self, id: Option<ObjectId>, font: &Dictionary) -> Result<Facts, DocumentError> {
        let known = id.and_then(|id| self.fonts.locked().get(&id).copied());
        if let Some(facts) = known {
            return Ok(facts);
        }
        let maps = self.maps(font)?.saturating_mul(BYTES_OF_MAP);
        let bytes = self.widths(font)?.saturating_mul(BYTES_OF_WIDTH).saturating_add(maps);
        // A program that cannot be read is not fitted to pixels either.
        let facts = Facts { bytes, has_rules: self.has_rules(font).unwrap_or(true) };
        if let Some(id) = id {
            let mut known = self.fonts.locked();
            if known.len() >= MAX_FONTS {
                known.clear();
            }
            known.insert(id, facts);
        }
        Ok(facts)
    }

    /// How often the character maps of a font name another (9.7.5.3).
    fn maps(&self, font: &Dictionary) -> Result<u64, DocumentError> {
        let mut count = 0_u64;
        for key in [b"ToUnicode".as_slice(), b"Encoding"] {
            let mut map = self.objects.get(font, key)?.clone();
            for _ in 0..MAX_MAPS {
                let Object::Stream(stream) = map else { break };
                // What does not decode names nothing.
                let data = self.decoded(&stream).unwrap_or_default();
                count = count.saturating_add(memmem::find_iter(&data, b"usecmap").count() as u64);
                map = self.objects.get(&stream.dictionary, b"UseCMap")?.clone();
            }
        }
        Ok(count)
    }

    /// Adds to `cost` what the font of a resource comes to that content has `named`; it may show all it shows in this font.
    pub(super) fn add_font(
        &mut self,
        cost: &mut Cost,
        Resource { kind, name, value: font }: &Resource,
        above: &Object,
        named: &Named,
    ) -> Result<(), DocumentError> {
        let resolved = self.objects.resolve(font)?;
        let Some(entries) = resolved.as_dictionary() else { return Ok(()) };
        let facts = self.facts(font.as_reference(), entries)?;
        cost.bytes = cost.bytes.saturating_add(facts.bytes);
        cost.picture.has_rules |= facts.has_rules;
        cost.check(self.limits)?;
        if self.objects.get(entries, b"Subtype")?.is_name(b"Type3") {
            let own = entries.get(b"Resources");
            let lender = if own.is_some() { font.as_reference() } else { self.path.last().copied() };
            // A state of graphics chooses a font by another name than content does.
            let shown_as = (*kind == b"Font").then_some(*name);
            let shown = |code| named.shown(shown_as, code);
            if self.add_glyphs(cost, entries, (own.unwrap_or(above), lender), shown)?
                && let Some(form) = self.path.last()
            {
                self.glyph_loops.push(Loop { form: *form, kind, name: name.to_vec() });
            }
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
                count = count.saturating_add(whole(last - first + 1.0));
                items.by_ref().take(numbers).for_each(drop);
            }
        }
        Ok(count)
    }

    /// The glyphs of a Type 3 font (9.6.4), with the resources that they draw with and whose those are; whether one of them
    /// is being drawn already.
    fn add_glyphs(
        &mut self,
        cost: &mut Cost,
        font: &Dictionary,
        (resources, lender): (&Object, Option<ObjectId>),
        shown: impl Fn(u8) -> u64,
    ) -> Result<bool, DocumentError> {
        let mut leads_back = false;
        let objects = self.objects;
        let (glyphs, encoding) = (objects.get(font, b"CharProcs")?, objects.get(font, b"Encoding")?);
        let differences = encoding.as_dictionary().and_then(|encoding| encoding.get(b"Differences"));
        let differences = objects.resolve(differences.unwrap_or(&Object::Null))?;
        for (code, name) in codes(differences.as_array().unwrap_or_default()) {
            self.limits.deadline.check()?;
            let times = shown(code);
            let glyph = glyphs.as_dictionary().filter(|_| times > 0).and_then(|glyphs| glyphs.get(name));
            let Some(id) = glyph.and_then(Object::as_reference) else { continue };
            let object = objects.fetch(id)?;
            let Some(stream) = object.as_stream() else { continue };
            if self.path.contains(&id) {
                leads_back = true;
                continue;
            }
            let drawn = self.content(id, lender, stream, resources)?;
            cost.add(drawn.of_glyph(), times);
            cost.check(self.limits)?;
        }
        Ok(leads_back)
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
