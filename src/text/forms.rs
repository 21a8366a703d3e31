//! Form XObjects that draw themselves.
//!
//! pdf-extract follows them until its stack ends, and that aborts the whole process: no thread contains it. pdf.js has
//! such a file among its tests (issue19800).

use crate::document::filter;
use crate::document::object::{Dictionary, Object, ObjectId, Stream};
use crate::document::objects::Objects;
use crate::document::{Document, DocumentError, Leaf, Reading};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use std::collections::HashSet;

/// Forms within forms; the engine's stack holds many times more.
const MAX_FORM_DEPTH: u64 = 100;

/// Forms that are looked into for one page.
const MAX_FORMS: u64 = 10_000;

/// Whether no form that the page draws leads back to itself.
///
/// # Errors
/// [`DocumentError::Damaged`] where one does, [`DocumentError::Limit`] for forms too deep or too many, and any error
/// of reading them.
pub(super) fn check(document: &Document, index: PageIndex) -> Result<(), DocumentError> {
    let walk = |reading: &Reading, leaf: &Leaf| {
        let resources = leaf.inherited.resources.clone().unwrap_or(Object::Null);
        let mut walk =
            Walk { objects: &*reading.objects, limits: &reading.limits, path: Vec::new(), done: HashSet::new() };
        // What a page draws is not searched: a form that nobody draws does no harm by being looked into.
        walk.forms_of(&resources, None)
    };
    document.with_page(index, walk, DocumentError::is_worth_another_reader).map(|_| ())
}

struct Walk<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    path: Vec<ObjectId>,
    /// Forms whose every way down was seen to end.
    done: HashSet<(ObjectId, Option<ObjectId>)>,
}

impl Walk<'_> {
    /// Looks into the forms of `resources` that `content` names; into all without a content.
    fn forms_of(&mut self, resources: &Object, content: Option<&[u8]>) -> Result<(), DocumentError> {
        let objects = self.objects;
        let resources_here = objects.resolve(resources)?;
        let Some(entries) = resources_here.as_dictionary() else { return Ok(()) };
        let forms = objects.get(entries, b"XObject")?;
        let Some(forms) = forms.as_dictionary() else { return Ok(()) };
        for (name, form) in forms.iter() {
            if let Some(id) = form.as_reference()
                && content.is_none_or(|content| is_named(content, name.as_bytes()))
            {
                self.form(id, resources)?;
            }
        }
        Ok(())
    }

    /// Looks into one form, which borrows `above` where it has no resources of its own.
    fn form(&mut self, id: ObjectId, above: &Object) -> Result<(), DocumentError> {
        if self.path.contains(&id) {
            return Err(DocumentError::damaged("a form XObject that draws itself"));
        }
        let form = self.objects.fetch(id)?;
        let Some(stream) = form.as_stream().filter(|stream| is_form(&stream.dictionary)) else { return Ok(()) };
        let own = stream.dictionary.get(b"Resources");
        let borrows_from = if own.is_none() { self.path.last().copied() } else { None };
        if self.done.contains(&(id, borrows_from)) {
            return Ok(());
        }
        LimitExceeded::check("max_form_depth", self.path.len() as u64 + 1, MAX_FORM_DEPTH)?;
        LimitExceeded::check("max_forms", self.done.len() as u64 + 1, MAX_FORMS)?;
        let content = self.decoded(stream)?;
        self.path.push(id);
        self.forms_of(own.unwrap_or(above), Some(&content))?;
        self.path.pop();
        self.done.insert((id, borrows_from));
        Ok(())
    }

    fn decoded(&self, stream: &Stream) -> Result<Vec<u8>, DocumentError> {
        let mut resolve = |value: &Object| self.objects.resolve(value).map(|value| value.clone());
        let filters = filter::filters_of(&stream.dictionary, &mut resolve)?;
        filter::decode(&stream.data, &filters, self.limits).map(|decoded| decoded.bytes)
    }
}

fn is_form(dictionary: &Dictionary) -> bool {
    dictionary.get(b"Subtype").is_some_and(|subtype| subtype.is_name(b"Form"))
}

/// Whether `content` has the bytes of `name` after a slash, or escapes names, so that nobody knows.
fn is_named(content: &[u8], name: &[u8]) -> bool {
    let slashes = content.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let mut names = slashes.filter_map(|(at, _)| content.get(at + 1..));
    names.any(|rest| rest.starts_with(name) || rest.iter().take(name.len() * 3).any(|byte| *byte == b'#'))
}
