//! How much content a page draws, forms within forms counted as often as they are drawn.
//!
//! Interpreters follow forms wherever they lead: a form that draws itself ends their stack, which aborts the process
//! (pdf.js has such a file among its tests, issue19800), and ten forms that each draw the next ten times are 10^10
//! drawings. So it is counted first, each form once.

use super::error::DocumentError;
use super::filter;
use super::object::{Dictionary, Object, ObjectId, Stream};
use super::objects::Objects;
use super::{Document, Leaf, Reading};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use std::collections::HashMap;

/// Forms within forms; no real page has more than a few.
const MAX_FORM_DEPTH: u64 = 45;

/// Drawings of forms on one page; maps have tens of thousands of symbols.
const MAX_FORM_DRAWS: u64 = 200_000;

/// Bytes of content that one page may draw, repeated forms counted again.
const MAX_DRAWN_BYTES: u64 = 256_000_000;

/// What drawing something comes to.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    forms: u64,
    bytes: u64,
}

impl Cost {
    fn add(&mut self, other: Self, times: u64) {
        self.forms = self.forms.saturating_add(other.forms.saturating_mul(times));
        self.bytes = self.bytes.saturating_add(other.bytes.saturating_mul(times));
    }

    fn check(self) -> Result<(), LimitExceeded> {
        LimitExceeded::check("max_form_draws", self.forms, MAX_FORM_DRAWS)?;
        LimitExceeded::check("max_drawn_bytes", self.bytes, MAX_DRAWN_BYTES)
    }
}

impl Document {
    /// Whether what the page draws is bounded.
    ///
    /// # Errors
    /// [`DocumentError::Damaged`] where a form draws itself, [`DocumentError::Limit`] for forms too deep or too many
    /// drawings, and any error of reading them.
    pub(crate) fn check_draws(&self, index: PageIndex) -> Result<(), DocumentError> {
        self.with_page(index, page_cost, DocumentError::is_worth_another_reader).map(|_| ())
    }
}

fn page_cost(reading: &Reading, leaf: &Leaf) -> Result<(), DocumentError> {
    let objects = &*reading.objects;
    let mut walk = Walk { objects, limits: &reading.limits, path: Vec::new(), done: HashMap::new() };
    let resources = leaf.inherited.resources.clone().unwrap_or(Object::Null);
    let content = match leaf.dictionary.as_dictionary().and_then(|page| page.get(b"Contents")) {
        Some(contents) => walk.page_content(contents)?,
        None => Vec::new(),
    };
    let mut cost = Cost { forms: 0, bytes: length(&content) };
    walk.add_forms(&mut cost, &resources, &content)?;
    let page = leaf.dictionary.as_dictionary();
    let annotations = page.and_then(|page| page.get(b"Annots")).unwrap_or(&Object::Null);
    for appearance in appearances(objects, annotations)? {
        cost.add(walk.form(appearance, &resources)?, 1);
    }
    Ok(cost.check()?)
}

struct Walk<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    path: Vec<ObjectId>,
    /// Forms whose every way down was seen to end; by the form that lends its resources to those without.
    done: HashMap<(ObjectId, Option<ObjectId>), Cost>,
}

impl Walk<'_> {
    /// The page's content; what does not decode is not drawn either.
    fn page_content(&self, contents: &Object) -> Result<Vec<u8>, DocumentError> {
        let resolved = self.objects.resolve(contents)?;
        let parts = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
        let mut content = Vec::new();
        for part in parts {
            if let Some(stream) = self.objects.resolve(part)?.as_stream() {
                content.extend(self.decoded(stream)?);
                content.push(b'\n');
            }
        }
        Ok(content)
    }

    /// Adds to `cost` the forms of `resources`, as often as `content` names them.
    fn add_forms(&mut self, cost: &mut Cost, resources: &Object, content: &[u8]) -> Result<(), DocumentError> {
        let objects = self.objects;
        let resources_here = objects.resolve(resources)?;
        let Some(entries) = resources_here.as_dictionary() else { return Ok(()) };
        let named = names(content);
        if named.is_empty() {
            return Ok(());
        }
        // A tiling pattern is drawn as a form is, and a soft mask has one.
        for kind in [b"XObject".as_slice(), b"Pattern", b"ExtGState"] {
            let drawn = objects.get(entries, kind)?;
            for (name, value) in drawn.as_dictionary().into_iter().flat_map(Dictionary::iter) {
                let times = named.get(name.as_bytes()).copied().unwrap_or(0);
                if times > 0
                    && let Some(id) = self.form_of(value)?
                {
                    cost.add(self.form(id, resources)?, times);
                    cost.check()?;
                }
            }
        }
        Ok(())
    }

    /// The form behind a resource: itself, or the group of its soft mask.
    fn form_of(&self, resource: &Object) -> Result<Option<ObjectId>, DocumentError> {
        let resolved = self.objects.resolve(resource)?;
        let Some(state) = resolved.as_dictionary().filter(|_| resolved.as_stream().is_none()) else {
            return Ok(resource.as_reference());
        };
        let mask = self.objects.get(state, b"SMask")?;
        Ok(mask.as_dictionary().and_then(|mask| mask.get(b"G")).and_then(Object::as_reference))
    }

    /// What one form comes to, which borrows `above` where it has no resources of its own.
    fn form(&mut self, id: ObjectId, above: &Object) -> Result<Cost, DocumentError> {
        self.limits.deadline.check()?;
        if self.path.contains(&id) {
            return Err(DocumentError::damaged("a form XObject that draws itself"));
        }
        let form = self.objects.fetch(id)?;
        let Some(stream) = form.as_stream().filter(|stream| has_content(&stream.dictionary)) else {
            return Ok(Cost::default());
        };
        let own = stream.dictionary.get(b"Resources");
        let borrows_from = if own.is_none() { self.path.last().copied() } else { None };
        if let Some(cost) = self.done.get(&(id, borrows_from)) {
            return Ok(*cost);
        }
        LimitExceeded::check("max_form_depth", length(&self.path).saturating_add(1), MAX_FORM_DEPTH)?;
        let content = self.decoded(stream)?;
        let mut cost = Cost { forms: 1, bytes: length(&content) };
        self.path.push(id);
        self.add_forms(&mut cost, own.unwrap_or(above), &content)?;
        self.path.pop();
        self.done.insert((id, borrows_from), cost);
        Ok(cost)
    }

    fn decoded(&self, stream: &Stream) -> Result<Vec<u8>, DocumentError> {
        let mut resolve = |value: &Object| self.objects.resolve(value).map(|value| value.clone());
        let filters = filter::filters_of(&stream.dictionary, &mut resolve)?;
        filter::decode(&stream.data, &filters, self.limits).map(|decoded| decoded.bytes)
    }
}

/// The normal appearances of annotations, of all states (ISO 32000-2, 12.5.5).
fn appearances(objects: &dyn Objects, annotations: &Object) -> Result<Vec<ObjectId>, DocumentError> {
    let annotations = objects.resolve(annotations)?;
    let mut forms = Vec::new();
    for annotation in annotations.as_array().unwrap_or_default() {
        objects.limits().deadline.check()?;
        let annotation = objects.resolve(annotation)?;
        let Some(annotation) = annotation.as_dictionary() else { continue };
        let by_kind = objects.get(annotation, b"AP")?;
        let Some(normal) = by_kind.as_dictionary().and_then(|by_kind| by_kind.get(b"N")) else { continue };
        let resolved = objects.resolve(normal)?;
        // A stream has a dictionary too.
        match resolved.as_dictionary().filter(|_| resolved.as_stream().is_none()) {
            Some(by_state) => forms.extend(by_state.iter().filter_map(|(_, state)| state.as_reference())),
            None => forms.extend(normal.as_reference()),
        }
    }
    Ok(forms)
}

fn has_content(dictionary: &Dictionary) -> bool {
    dictionary.get(b"PatternType").is_some() || dictionary.get(b"Subtype").is_some_and(|kind| kind.is_name(b"Form"))
}

/// How often each name stands in `content`: no less often than it is drawn.
fn names(content: &[u8]) -> HashMap<Vec<u8>, u64> {
    let mut names = HashMap::new();
    for at in memchr::memchr_iter(b'/', content) {
        let rest = content.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|byte| is_delimiter(*byte)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        *names.entry(unescaped(name)).or_insert(0) += 1;
    }
    names
}

fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, 0 | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// A name with its `#xx` as bytes (7.3.5).
fn unescaped(name: &[u8]) -> Vec<u8> {
    let digit =
        |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16)).and_then(|d| u8::try_from(d).ok());
    let mut bytes = Vec::with_capacity(name.len());
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        match (byte, digit(name.get(at + 1)), digit(name.get(at + 2))) {
            (b'#', Some(high), Some(low)) => {
                bytes.push(high * 16 + low);
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    bytes
}

fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_are_counted_with_their_escapes() {
        let names = names(b"/Fm1 Do /Fm1 Do/F#6d2 Do");
        assert_eq!(names.get(b"Fm1".as_slice()), Some(&2));
        assert_eq!(names.get(b"Fm2".as_slice()), Some(&1));
    }
}
