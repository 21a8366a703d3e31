//! The font dictionaries that a page can use: its own and those of its forms and appearances.

use hayro_interpret::hayro_syntax::object::{Array, Dict, ObjectIdentifier, Stream};
use hayro_interpret::hayro_syntax::page::Page;
use pagewise_document::PageBudget;
use std::collections::HashSet;

/// The most font dictionaries of a page. Fonts beyond have no known style, unless their program tells it.
const MAX_FONTS: usize = 256;

/// The most resource dictionaries of a page that are searched for fonts.
const MAX_RESOURCES: usize = 256;

/// The font dictionaries that `page` can use.
pub(super) fn font_dictionaries<'p>(page: &Page<'p>, budget: &PageBudget) -> Vec<Dict<'p>> {
    let mut search = FontSearch { budget, fonts: Vec::new(), seen: HashSet::new(), pending: Vec::new() };
    let resources = page.resources();
    search.add_fonts(&resources.fonts);
    search.add_forms(&resources.x_objects);
    let annotations = page.raw().get::<Array<'p>>(b"Annots");
    for annotation in annotations.iter().flat_map(Array::iter::<Dict<'p>>).take(MAX_RESOURCES) {
        search.add_appearance(&annotation);
    }
    search.visit_pending();
    search.fonts
}

struct FontSearch<'p, 's> {
    budget: &'s PageBudget,
    fonts: Vec<Dict<'p>>,
    seen: HashSet<ObjectIdentifier>,
    /// Streams whose resources are to be searched.
    pending: Vec<Stream<'p>>,
}

impl<'p> FontSearch<'p, '_> {
    fn is_new(&mut self, id: Option<ObjectIdentifier>) -> bool {
        self.budget.check();
        id.is_none_or(|id| self.seen.insert(id))
    }

    fn add_fonts(&mut self, fonts: &Dict<'p>) {
        for name in fonts.keys() {
            if self.fonts.len() >= MAX_FONTS {
                return;
            }
            if let Some(font) = fonts.get::<Dict<'p>>(name)
                && self.is_new(font.obj_id())
            {
                self.fonts.push(font);
            }
        }
    }

    fn add_forms(&mut self, x_objects: &Dict<'p>) {
        for name in x_objects.keys() {
            if self.pending.len() >= MAX_RESOURCES {
                return;
            }
            if let Some(form) = x_objects.get::<Stream<'p>>(name)
                && form.dict().contains_key(b"Resources")
                && self.is_new(form.dict().obj_id())
            {
                self.pending.push(form);
            }
        }
    }

    /// Adds the normal appearance of an annotation, or one of its states.
    fn add_appearance(&mut self, annotation: &Dict<'p>) {
        let Some(appearances) = annotation.get::<Dict<'p>>(b"AP") else { return };
        match appearances.get::<Stream<'p>>(b"N") {
            Some(form) if self.is_new(form.dict().obj_id()) => self.pending.push(form),
            Some(_) => {}
            None => appearances.get::<Dict<'p>>(b"N").iter().for_each(|states| self.add_forms(states)),
        }
    }

    fn visit_pending(&mut self) {
        for _ in 0..MAX_RESOURCES {
            let Some(form) = self.pending.pop() else { return };
            let Some(resources) = form.dict().get::<Dict<'p>>(b"Resources") else { continue };
            resources.get::<Dict<'p>>(b"Font").iter().for_each(|fonts| self.add_fonts(fonts));
            resources.get::<Dict<'p>>(b"XObject").iter().for_each(|forms| self.add_forms(forms));
        }
    }
}
