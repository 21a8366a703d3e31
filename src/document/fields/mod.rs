//! Generates missing appearances of form fields (ISO 32000-2, 12.7.4.3) and annotations (12.5.6) before a page is drawn.
//!
//! Forms filled by programs often rely on this (`/NeedAppearances`), and the major readers do it for annotations too.
//! Appearances go into a copy of the file for engines, never into a chunk.

mod appearance;
mod face;
mod frame;
mod groups;
mod icons;
mod markup;
mod metrics;
mod own_font;
mod seen;
mod style;
mod values;

use super::object::{Dictionary as OurDictionary, Object as OurObject};
use super::objects::Objects;
use super::{Document, DocumentError, Leaf, Reading};
use crate::page::PageIndex;
use appearance::Look;
use bytes::Bytes;
use face::{Face, TO_UNICODE};
use frame::{BorderStyle, FieldBox};
use icons::ICONS;
use lopdf::{Dictionary, Object, ObjectId, Stream};
use markup::KINDS;
use own_font::OwnFont;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most fields of one page that get an appearance. The longest real forms have a few hundred.
const MAX_FIELDS: usize = 5_000;

/// The maximum depth of the field hierarchy.
const MAX_DEPTH: usize = 32;

/// The most characters, numbers and states that are read for all appearances of a page. Fields may share long values, so
/// a small file can have many. The longest real forms have some ten thousand.
const MAX_PARTS: usize = 400_000;

/// The number of generated appearances.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Made {
    /// Form fields.
    pub(crate) fields: usize,
    /// Other annotations.
    pub(crate) annotations: usize,
}

/// A copy of the file with generated appearances on the page, and their number; `None` if nothing was generated, or
/// lopdf cannot read the file.
pub(super) fn with_appearances(document: &Document, index: PageIndex, file: &Bytes) -> Option<(Bytes, Made)> {
    let are_groups = any_annotation(document, index, groups::is_group);
    if !are_groups && !are_bare(document, index) {
        return None;
    }
    let mut form = Form::open(file, index)?;
    let mut made = Made::default();
    for (id, is_field) in form.bare() {
        match (is_field, form.dress(id, is_field)) {
            (true, Some(())) => made.fields += 1,
            (false, Some(())) => made.annotations += 1,
            (_, None) => {}
        }
    }
    if form.ungroup() == 0 && made == Made::default() {
        return None;
    }
    let mut out = Vec::with_capacity(file.len());
    form.document.save_to(&mut out).ok()?;
    Some((out.into(), made))
}

/// Whether any field or annotation of the page has no appearance and can get one.
pub(super) fn are_bare(document: &Document, index: PageIndex) -> bool {
    any_annotation(document, index, |objects, annotation| {
        let mut drawn = KINDS.iter().chain(&ICONS);
        let is_ours = |kind: &OurObject| kind.is_name(b"Widget") || drawn.any(|ours| kind.is_name(ours));
        !groups::has_appearance(objects, annotation) && annotation.get(b"Subtype").is_some_and(is_ours)
    })
}

fn any_annotation(document: &Document, index: PageIndex, is: fn(&dyn Objects, &OurDictionary) -> bool) -> bool {
    let any = |reading: &Reading, leaf: &Leaf| {
        let objects = &*reading.objects;
        let page = leaf.dictionary.as_dictionary();
        let annotations = page.and_then(|page| page.get(b"Annots")).unwrap_or(&OurObject::Null);
        let annotations = objects.resolve(annotations)?;
        for annotation in annotations.as_array().unwrap_or_default().iter().take(MAX_FIELDS) {
            let annotation = objects.resolve(annotation)?;
            if annotation.as_dictionary().is_some_and(|annotation| is(objects, annotation)) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    document.with_page(index, any, DocumentError::is_worth_another_reader).is_ok_and(|(any, _)| any)
}

struct Form {
    document: lopdf::Document,
    page: ObjectId,
    /// How much of [`MAX_PARTS`] is left.
    left: Cell<usize>,
    /// Requested fonts of the form's default resources.
    fonts: RefCell<BTreeMap<Vec<u8>, Option<Rc<OwnFont>>>>,
}

impl Form {
    fn open(file: &Bytes, index: PageIndex) -> Option<Self> {
        let document = lopdf::Document::load_mem(file).ok()?;
        let page = document.page_iter().nth(usize::try_from(index.0).ok()?)?;
        Some(Self { document, page, left: Cell::new(MAX_PARTS), fonts: RefCell::default() })
    }

    /// Takes up to `parts` from the budget. Returns how many were left; at least one is always used up.
    fn spend(&self, parts: usize) -> usize {
        let left = self.left.get();
        self.left.set(left.saturating_sub(parts.max(1)));
        parts.min(left)
    }

    fn annotations(&self) -> impl Iterator<Item = &Object> {
        let page = self.document.get_dictionary(self.page).ok();
        let annotations = page.and_then(|page| self.get(page, b"Annots")).and_then(|list| list.as_array().ok());
        annotations.into_iter().flatten().take(MAX_FIELDS)
    }

    /// The page's widgets and annotations without an appearance; the flag marks widgets.
    fn bare(&self) -> Vec<(ObjectId, bool)> {
        let ids = self.annotations().filter_map(|annotation| annotation.as_reference().ok());
        let bare = ids.filter_map(|id| {
            let annotation =
                self.document.get_dictionary(id).ok().filter(|annotation| !self.has_appearance(annotation))?;
            let kind = annotation.get(b"Subtype").and_then(Object::as_name).ok()?;
            let is_ours = kind == b"Widget" || KINDS.contains(&kind) || ICONS.contains(&kind);
            is_ours.then_some((id, kind == b"Widget"))
        });
        bare.collect()
    }

    /// Generates the appearance of a widget or an annotation; `None` if it shows nothing.
    fn dress(&mut self, id: ObjectId, is_field: bool) -> Option<()> {
        if self.left.get() == 0 {
            return None;
        }
        let annotation = self.document.get_dictionary(id).ok()?;
        if is_field {
            let (frame, look) = (self.frame(annotation)?, self.look(id, annotation)?);
            let frame = FieldBox { is_round: self.is_round(annotation), ..frame };
            return self.dress_in_text(id, &frame, &look);
        }
        if let Some(text) = self.free_text(annotation) {
            let ground = self.get(annotation, b"C").map(|parts| self.numbers_of(parts));
            let frame = FieldBox { ground: ground.filter(|parts| !parts.is_empty()), ..self.frame(annotation)? };
            let look = Look::Lines { text, style: self.style(annotation) };
            return self.dress_in_text(id, &frame, &look);
        }
        let markup = self.markup(annotation)?;
        let states = Dictionary::from_iter([("G", Object::Dictionary(markup.state))]);
        let mut form = form_of(&markup.bounds);
        form.set("Resources", Dictionary::from_iter([("ExtGState", Object::Dictionary(states))]));
        let form = self.document.add_object(Stream::new(form, markup.content.into_bytes()));
        let annotation = self.document.get_object_mut(id).ok()?.as_dict_mut().ok()?;
        annotation.set("Rect", numbers(&markup.bounds));
        annotation.set("AP", Dictionary::from_iter([("N", Object::Reference(form))]));
        Some(())
    }

    fn free_text(&self, annotation: &Dictionary) -> Option<String> {
        let kind = self.get(annotation, b"Subtype")?.as_name().ok()?;
        self.text(self.get(annotation, b"Contents")?).filter(|_| kind == b"FreeText")
    }

    fn dress_in_text(&mut self, id: ObjectId, frame: &FieldBox, look: &Look) -> Option<()> {
        let drawn = appearance::content(frame, look)?;
        let mut fonts = Dictionary::new();
        for (name, face) in &drawn.faces {
            let font = self.font(face);
            fonts.set(*name, font);
        }
        let mut form = form_of(&[0.0, 0.0, frame.width, frame.height]);
        form.set("Matrix", numbers(&frame.matrix()));
        form.set("Resources", Dictionary::from_iter([("Font", Object::Dictionary(fonts))]));
        let form = self.document.add_object(Stream::new(form, drawn.content));
        let appearances = Dictionary::from_iter([("N", Object::Reference(form))]);
        let widget = self.document.get_object_mut(id).ok()?.as_dict_mut().ok()?;
        widget.set("AP", appearances);
        Some(())
    }

    fn font(&mut self, face: &Face) -> Object {
        let to_unicode = self.document.add_object(Stream::new(Dictionary::new(), TO_UNICODE.to_vec()));
        Object::Dictionary(face.font(Object::Reference(to_unicode)))
    }

    fn frame(&self, widget: &Dictionary) -> Option<FieldBox> {
        let rectangle = self.get(widget, b"Rect")?.as_array().ok()?;
        let corners = rectangle.iter().filter_map(|corner| self.number(corner)).collect::<Vec<_>>();
        let [a, b, c, d] = corners.first_chunk::<4>()?;
        let (width, height) = ((c - a).abs(), (d - b).abs());
        let details = self.get(widget, b"MK").and_then(|details| details.as_dict().ok());
        let entry = |key: &[u8]| details.and_then(|details| self.get(details, key));
        let color = |key: &[u8]| {
            let parts = entry(key)?.as_array().ok()?;
            Some(parts.iter().filter_map(|part| self.number(part)).collect::<Vec<_>>())
                .filter(|parts| !parts.is_empty())
        };
        let style = self.get(widget, b"BS").and_then(|style| style.as_dict().ok());
        let border = self.get(widget, b"Border").and_then(|border| border.as_array().ok());
        let border_width = style.and_then(|style| self.get(style, b"W")).or_else(|| border?.get(2));
        let border_width = border_width.and_then(|width| self.number(width));
        let border_style = style.and_then(|style| self.get(style, b"S")).and_then(|name| name.as_name().ok());
        let turn = entry(b"R").and_then(|turn| turn.as_i64().ok()).unwrap_or(0);
        FieldBox::new(width, height, turn).map(|frame| FieldBox {
            ground: color(b"BG"),
            border: color(b"BC"),
            border_width: border_width.unwrap_or(1.0).clamp(0.0, 20.0),
            border_style: border_style.map(BorderStyle::of_name).unwrap_or_default(),
            ..frame
        })
    }

    fn form_entry(&self, key: &[u8]) -> Option<&Object> {
        self.get(self.get(self.document.catalog().ok()?, b"AcroForm")?.as_dict().ok()?, key)
    }

    fn get<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        self.document.dereference(dictionary.get(key).ok()?).ok().map(|(_, object)| object)
    }

    fn number(&self, value: &Object) -> Option<f64> {
        let value = self.document.dereference(value).ok()?.1.as_float().ok()?;
        Some(f64::from(value)).filter(|number| number.is_finite())
    }
}

/// The dictionary of a form XObject.
fn form_of(bounds: &[f64]) -> Dictionary {
    let mut form = Dictionary::new();
    form.set("Type", Object::Name(b"XObject".to_vec()));
    form.set("Subtype", Object::Name(b"Form".to_vec()));
    form.set("BBox", numbers(bounds));
    form
}

#[allow(clippy::cast_possible_truncation, reason = "lengths on a page; PDF numbers have no more digits than that")]
fn numbers(values: &[f64]) -> Object {
    Object::Array(values.iter().map(|value| Object::Real(*value as f32)).collect())
}
