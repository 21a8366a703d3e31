//! How much content a page draws, forms within forms counted as often as they are drawn.
//!
//! Interpreters follow forms wherever they lead: a form that draws itself is drawn until their stack ends (pdf.js has
//! such a file among its tests, issue19800), and ten forms that each draw the next ten times are 10^10 drawings. So it
//! is counted first, each form once, and where a form is met within itself, that place is given to be cut.

use super::error::DocumentError;
use super::filter;
use super::object::{Dictionary, Object, ObjectId, Stream};
use super::objects::Objects;
use super::{Document, Leaf, Reading};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use std::collections::HashMap;

/// Resources that are forms: a tiling pattern is drawn as one, and a soft mask has one.
const DRAWN_KINDS: [&[u8]; 3] = [b"XObject", b"Pattern", b"ExtGState"];

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

    fn check(self, limits: &Limits) -> Result<(), LimitExceeded> {
        LimitExceeded::check("max_form_draws", self.forms, limits.max_form_draws)?;
        LimitExceeded::check("max_drawn_bytes", self.bytes, limits.max_drawn_bytes)
    }
}

/// Where a form draws one that it is itself drawn by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loop {
    /// The form whose resources lead back.
    pub(super) form: ObjectId,
    /// The kind of resource, as `XObject`.
    pub(super) kind: &'static [u8],
    /// The resource's name.
    pub(super) name: Vec<u8>,
}

impl Document {
    /// Whether what the page draws is bounded, but for the places that are given.
    ///
    /// # Errors
    /// [`DocumentError::Limit`] for forms too deep or too many drawings, and any error of reading them.
    pub(super) fn check_draws(&self, index: PageIndex) -> Result<Draws, DocumentError> {
        self.with_page(index, page_draws, DocumentError::is_worth_another_reader).map(|(draws, _)| draws)
    }
}

/// What a page draws.
#[derive(Debug)]
pub(super) struct Draws {
    /// Where forms lead back to themselves.
    pub(super) loops: Vec<Loop>,
    /// Whether its content names resources, such as fonts and pictures, or it has annotations.
    pub(super) is_something: bool,
    /// Columns of its widest image or mask, as that says itself.
    pub(super) image_columns: u64,
}

fn page_draws(reading: &Reading, leaf: &Leaf) -> Result<Draws, DocumentError> {
    let objects = &*reading.objects;
    let (path, done, loops) = (Vec::new(), HashMap::new(), Vec::new());
    let mut walk = Walk { objects, limits: &reading.limits, path, done, loops, image_columns: 0 };
    let resources = leaf.inherited.resources.clone().unwrap_or(Object::Null);
    let page = leaf.dictionary.as_dictionary();
    let mut cost = Cost::default();
    let named = match page.and_then(|page| page.get(b"Contents")) {
        Some(contents) => walk.page_content(contents, &mut cost)?,
        None => Named::new(),
    };
    walk.add_forms(&mut cost, &resources, &named)?;
    let annotations = page.and_then(|page| page.get(b"Annots")).unwrap_or(&Object::Null);
    // Interpreters look at each of them, whether it draws something or not.
    cost.forms = cost.forms.saturating_add(length(objects.resolve(annotations)?.as_array().unwrap_or_default()));
    cost.check(&reading.limits)?;
    for (appearance, times) in appearances(objects, annotations)? {
        cost.add(walk.form(appearance, &resources)?, times);
    }
    cost.check(&reading.limits)?;
    let is_something = !named.is_empty() || cost.forms > 0;
    Ok(Draws { loops: walk.loops, is_something, image_columns: walk.image_columns })
}

struct Walk<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    path: Vec<ObjectId>,
    /// Forms whose every way down was seen to end; by the form that lends its resources to those without.
    done: HashMap<(ObjectId, Option<ObjectId>), Cost>,
    loops: Vec<Loop>,
    image_columns: u64,
}

impl Walk<'_> {
    /// The names in the page's content; what does not decode is not drawn either. No token goes on from one part to the
    /// next, so that no two parts are held at once.
    fn page_content(&self, contents: &Object, cost: &mut Cost) -> Result<Named, DocumentError> {
        let resolved = self.objects.resolve(contents)?;
        let parts = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
        let mut named = Named::new();
        for part in parts {
            self.limits.deadline.check()?;
            if let Some(stream) = self.objects.resolve(part)?.as_stream() {
                let content = self.decoded(stream)?;
                cost.bytes = cost.bytes.saturating_add(length(&content));
                cost.check(self.limits)?;
                names(&content, &mut named);
            }
        }
        Ok(named)
    }

    /// Adds to `cost` the forms of `resources`, as often as content has `named` them.
    fn add_forms(&mut self, cost: &mut Cost, resources: &Object, named: &Named) -> Result<(), DocumentError> {
        let objects = self.objects;
        let resources_here = objects.resolve(resources)?;
        let Some(entries) = resources_here.as_dictionary() else { return Ok(()) };
        if named.is_empty() {
            return Ok(());
        }
        for kind in DRAWN_KINDS {
            let drawn = objects.get(entries, kind)?;
            for (name, value) in drawn.as_dictionary().into_iter().flat_map(Dictionary::iter) {
                let times = named.get(name.as_bytes()).copied().unwrap_or(0);
                if times > 0
                    && let Some(id) = self.form_of(value)?
                    && !self.leads_back(id, kind, name.as_bytes())
                {
                    cost.add(self.form(id, resources)?, times);
                    cost.check(self.limits)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the form is being drawn already; notes the place where it is named then.
    fn leads_back(&mut self, id: ObjectId, kind: &'static [u8], name: &[u8]) -> bool {
        let leads_back = self.path.contains(&id);
        if let Some(form) = self.path.last().filter(|_| leads_back) {
            self.loops.push(Loop { form: *form, kind, name: name.to_vec() });
        }
        leads_back
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
        let form = self.objects.fetch(id)?;
        let Some(stream) = form.as_stream().filter(|stream| has_content(&stream.dictionary)) else {
            self.look_at_image(form.as_dictionary());
            return Ok(Cost::default());
        };
        let own = stream.dictionary.get(b"Resources");
        let borrows_from = if own.is_none() { self.path.last().copied() } else { None };
        if let Some(cost) = self.done.get(&(id, borrows_from)) {
            return Ok(*cost);
        }
        LimitExceeded::check(
            "max_form_depth",
            length(&self.path).saturating_add(1),
            self.limits.max_form_depth.into(),
        )?;
        let content = self.decoded(stream)?;
        let mut cost = Cost { forms: 1, bytes: length(&content) };
        let mut named = Named::new();
        names(&content, &mut named);
        drop(content);
        self.path.push(id);
        self.add_forms(&mut cost, own.unwrap_or(above), &named)?;
        self.path.pop();
        self.done.insert((id, borrows_from), cost);
        Ok(cost)
    }

    /// The engine makes room for a whole row of an image and of its masks, however little data there is: 25 bytes a column.
    fn look_at_image(&mut self, image: Option<&Dictionary>) {
        let objects = self.objects;
        let Some(image) = image else { return };
        let masks = [b"SMask".as_slice(), b"Mask"].map(|key| objects.get(image, key).ok());
        let masks = masks.iter().flatten().filter_map(|mask| mask.as_dictionary());
        for one in std::iter::once(image).chain(masks) {
            let columns = objects.get(one, b"Width").ok().and_then(|columns| columns.as_integer());
            let columns = columns.and_then(|columns| u64::try_from(columns).ok()).unwrap_or(0);
            self.image_columns = self.image_columns.max(columns);
        }
    }

    fn decoded(&self, stream: &Stream) -> Result<Vec<u8>, DocumentError> {
        let mut resolve = |value: &Object| self.objects.resolve(value).map(|value| value.clone());
        let filters = filter::filters_of(&stream.dictionary, &mut resolve)?;
        filter::decode(&stream.data, &filters, self.limits).map(|decoded| decoded.bytes.into_owned())
    }
}

/// The normal appearances of annotations, of all states (ISO 32000-2, 12.5.5), and how often each is drawn.
fn appearances(objects: &dyn Objects, annotations: &Object) -> Result<Vec<(ObjectId, u64)>, DocumentError> {
    let annotations = objects.resolve(annotations)?;
    let annotations = annotations.as_array().unwrap_or_default();
    let mut counts = HashMap::new();
    annotations.iter().filter_map(Object::as_reference).for_each(|id| *counts.entry(id).or_insert(0) += 1);
    let mut forms = Vec::new();
    for annotation in annotations {
        // One that stands in the array many times is looked at once.
        let Some(times) = annotation.as_reference().map_or(Some(1), |id| counts.remove(&id)) else { continue };
        objects.limits().deadline.check()?;
        let annotation = objects.resolve(annotation)?;
        let Some(annotation) = annotation.as_dictionary() else { continue };
        let by_kind = objects.get(annotation, b"AP")?;
        let Some(normal) = by_kind.as_dictionary().and_then(|by_kind| by_kind.get(b"N")) else { continue };
        let resolved = objects.resolve(normal)?;
        // A stream has a dictionary too.
        match resolved.as_dictionary().filter(|_| resolved.as_stream().is_none()) {
            Some(by_state) => {
                forms.extend(by_state.iter().filter_map(|(_, state)| Some((state.as_reference()?, times))))
            }
            None => forms.extend(normal.as_reference().map(|form| (form, times))),
        }
    }
    Ok(forms)
}

fn has_content(dictionary: &Dictionary) -> bool {
    dictionary.get(b"PatternType").is_some() || dictionary.get(b"Subtype").is_some_and(|kind| kind.is_name(b"Form"))
}

/// How often each name stands in content: no less often than it is drawn.
type Named = HashMap<Vec<u8>, u64>;

/// Adds the names in `content`.
fn names(content: &[u8], names: &mut Named) {
    for at in memchr::memchr_iter(b'/', content) {
        let rest = content.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|byte| is_delimiter(*byte)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        *names.entry(unescaped(name)).or_insert(0) += 1;
    }
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
    use super::{Named, names};

    #[test]
    fn names_are_counted_with_their_escapes() {
        let mut named = Named::new();
        names(b"/Fm1 Do /Fm1 Do/F#6d2 Do", &mut named);
        assert_eq!(named.get(b"Fm1".as_slice()), Some(&2));
        assert_eq!(named.get(b"Fm2".as_slice()), Some(&1));
    }
}
