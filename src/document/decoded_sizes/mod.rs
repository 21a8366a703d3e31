//! Limits what an engine decodes for a page, before it does.
//!
//! An engine decodes a stream as a whole, and calls nobody while it does. So each stream that the page refers to is measured
//! first. Images are measured when they are drawn ([`check_image`]): extracting text does not decode them.

mod fonts;
mod images;
mod streams;

pub use images::{check_image, coded_data};

use crate::page_budget::{PageBudget, leave_beyond};
use hayro_syntax::object::{Dict, MaybeRef, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Resources};
use pagewise_base::limits::{Limit, Limits};
use std::collections::HashSet;
use streams::DecodedLengths;

/// Keys whose values an engine does not read for drawing a page.
const IGNORED_KEYS: [&[u8]; 10] =
    [b"Parent", b"P", b"A", b"AA", b"B", b"Dest", b"IRT", b"Metadata", b"PieceInfo", b"Thumb"];

/// How an engine uses a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Usage {
    /// By the keys of its dictionary. A stream is decoded.
    Plain,
    /// As a dictionary of named objects (ISO 32000-2, 7.8.3).
    Names,
    /// As a dictionary of named external objects (8.8).
    ExternalObjects,
    /// As an image, if it says that it is one.
    ExternalObject,
}

impl Usage {
    /// The usage of the value of `key`.
    fn of(key: &[u8]) -> Self {
        match key {
            b"XObject" => Self::ExternalObjects,
            b"SMask" | b"Mask" => Self::ExternalObject,
            b"ExtGState" | b"Font" | b"ColorSpace" | b"Pattern" | b"Shading" | b"Properties" | b"CharProcs" | b"N" => {
                Self::Names
            }
            _ => Self::Plain,
        }
    }

    /// The usage of the entries, if the value is a dictionary of named objects.
    fn of_entries(self) -> Option<Self> {
        match self {
            Self::Names => Some(Self::Plain),
            Self::ExternalObjects => Some(Self::ExternalObject),
            Self::Plain | Self::ExternalObject => None,
        }
    }
}

/// Measures what the pages of a document refer to. Each object is measured once for all pages.
#[derive(Debug, Default)]
pub struct DecodedSizes {
    measured: HashSet<(ObjectIdentifier, Usage)>,
    has_many_substitutions: bool,
}

impl DecodedSizes {
    /// Measures all streams that `page` refers to, except images. Leaves the engine if they decode to too much.
    pub fn check(&mut self, page: &Page<'_>, budget: &PageBudget, limits: &Limits) {
        streams::check_contents(page, budget, limits);
        let mut walk = Walk {
            sizes: self,
            budget,
            limits,
            pending: Vec::new(),
            objects: 0,
            lengths: DecodedLengths::default(),
            decoded: 0,
        };
        walk.add_resources(page.resources());
        for key in [b"Annots".as_slice(), b"Group"] {
            walk.pending.extend(page.raw().get_raw::<Object<'_>>(key).map(|value| (value, Usage::Plain)));
        }
        walk.run(page);
    }

    /// Whether a font has so many substitution rules that it must not be hinted.
    #[must_use]
    pub fn has_many_substitutions(&self) -> bool {
        self.has_many_substitutions
    }
}

/// The visit to the objects of one page.
struct Walk<'w, 'a> {
    sizes: &'w mut DecodedSizes,
    budget: &'w PageBudget,
    limits: &'w Limits,
    pending: Vec<(MaybeRef<Object<'a>>, Usage)>,
    objects: u64,
    lengths: DecodedLengths,
    /// The decoded bytes of all streams of the page.
    decoded: u64,
}

impl<'a> Walk<'_, 'a> {
    fn add_resources(&mut self, resources: &Resources<'a>) {
        let Resources { ext_g_states, fonts, properties, color_spaces, x_objects, patterns, shadings } = resources;
        for names in [ext_g_states, fonts, properties, color_spaces, patterns, shadings] {
            self.pending.push((MaybeRef::NotRef(Object::Dict(names.clone())), Usage::Names));
        }
        self.pending.push((MaybeRef::NotRef(Object::Dict(x_objects.clone())), Usage::ExternalObjects));
    }

    fn run(&mut self, page: &Page<'a>) {
        while let Some((value, usage)) = self.pending.pop() {
            self.budget.check();
            let object = match value {
                MaybeRef::NotRef(object) => Some(object),
                MaybeRef::Ref(reference) => {
                    let id = ObjectIdentifier::from(reference);
                    if !self.sizes.measured.insert((id, usage)) {
                        continue;
                    }
                    self.objects = self.objects.saturating_add(1);
                    leave_beyond(Limit::PageObjects, self.objects, self.limits.max_page_objects.into());
                    page.xref().get::<Object<'_>>(id)
                }
            };
            self.visit(object, usage);
        }
    }

    fn visit(&mut self, object: Option<Object<'a>>, usage: Usage) {
        match object {
            Some(Object::Array(items)) => self.pending.extend(items.raw_iter().map(|item| (item, Usage::Plain))),
            Some(Object::Dict(dictionary)) => self.visit_dictionary(&dictionary, usage),
            Some(Object::Stream(stream)) => self.visit_stream(&stream, usage),
            _ => {}
        }
    }

    fn visit_dictionary(&mut self, dictionary: &Dict<'a>, usage: Usage) {
        fonts::check_widths(dictionary, self.limits);
        if !self.sizes.has_many_substitutions {
            self.sizes.has_many_substitutions = fonts::has_many_substitutions(dictionary, self.limits);
        }
        for (key, value) in dictionary.entries() {
            let own = Usage::of(&key);
            match usage.of_entries() {
                Some(named) => {
                    self.pending.push((value, named));
                    // A dictionary may be used in both ways.
                    if own != Usage::Plain {
                        self.pending.extend(dictionary.get_raw(key.as_ref()).map(|value| (value, own)));
                    }
                }
                None if IGNORED_KEYS.contains(&key.as_ref()) => {}
                None => self.pending.push((value, own)),
            }
        }
    }

    /// Where an engine expects a dictionary, it accepts a stream.
    fn visit_stream(&mut self, stream: &Stream<'a>, usage: Usage) {
        self.visit_dictionary(stream.dict(), usage);
        let is_image = stream.dict().get::<Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Image");
        if usage != Usage::ExternalObject || !is_image {
            let length = self.lengths.of(stream, self.budget, self.limits);
            self.decoded = self.decoded.saturating_add(length);
            leave_beyond(Limit::DecodedBytes, self.decoded, self.limits.max_decoded_bytes);
        }
    }
}
