//! Generates missing appearances of form fields (ISO 32000-2, 12.7.4.3) and annotations (12.5.6) before a page is drawn.
//!
//! Forms filled by programs often rely on this (`/NeedAppearances`), and the major readers do it for annotations too.
//! Appearances go into a copy of the file for engines, never into a chunk.

mod content;
mod field_box;
mod field_value;
mod font_widths;
mod fonts;
mod form_font;
mod groups;
mod icons;
mod markup;
mod text_style;
mod visual_order;

use super::object::{Dictionary as OurDictionary, Object as OurObject};
use super::objects::Objects;
use super::{Document, DocumentError, Leaf, ParsedDocument};
use bytes::Bytes;
use content::Appearance;
use field_box::{BorderStyle, FieldBox};
use fonts::{AppearanceFont, TO_UNICODE};
use form_font::FormFont;
use icons::ICONS;
use lopdf::{Dictionary, Object, ObjectId, Stream};
use markup::KINDS;
use pagewise_base::page::PageIndex;
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
pub struct GeneratedAppearances {
    /// Form fields.
    pub fields: usize,
    /// Other annotations.
    pub annotations: usize,
}

/// A copy of the file with generated appearances on the page, and their number; `None` if nothing was generated, or
/// lopdf cannot read the file.
pub(super) fn generate_appearances(
    document: &Document,
    index: PageIndex,
    file: &Bytes,
) -> Option<(Bytes, GeneratedAppearances)> {
    let are_groups = any_annotation(document, index, groups::is_group);
    if !are_groups && !lack_appearances(document, index) {
        return None;
    }
    let mut form = AppearanceGenerator::open(file, index)?;
    let mut generated = GeneratedAppearances::default();
    for (id, is_field) in form.without_appearance() {
        match (is_field, form.generate_appearance(id, is_field)) {
            (true, Some(())) => generated.fields += 1,
            (false, Some(())) => generated.annotations += 1,
            (_, None) => {}
        }
    }
    if form.remove_blending_groups() == 0 && generated == GeneratedAppearances::default() {
        return None;
    }
    let mut out = Vec::with_capacity(file.len());
    form.document.save_to(&mut out).ok()?;
    Some((out.into(), generated))
}

/// Whether any field or annotation of the page has no appearance and can get one.
pub(super) fn lack_appearances(document: &Document, index: PageIndex) -> bool {
    any_annotation(document, index, |objects, annotation| {
        let mut drawn = KINDS.iter().chain(&ICONS);
        let is_ours = |kind: &OurObject| kind.is_name(b"Widget") || drawn.any(|ours| kind.is_name(ours));
        !groups::has_appearance(objects, annotation) && annotation.get(b"Subtype").is_some_and(is_ours)
    })
}

fn any_annotation(document: &Document, index: PageIndex, is: fn(&dyn Objects, &OurDictionary) -> bool) -> bool {
    let any = |parsed: &ParsedDocument, leaf: &Leaf| {
        let objects = &*parsed.objects;
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

struct AppearanceGenerator {
    document: lopdf::Document,
    page: ObjectId,
    /// How much of [`MAX_PARTS`] is left.
    parts_left: Cell<usize>,
    /// Requested fonts of the form's default resources.
    fonts: RefCell<BTreeMap<Vec<u8>, Option<Rc<FormFont>>>>,
}

impl AppearanceGenerator {
    fn open(file: &Bytes, index: PageIndex) -> Option<Self> {
        let document = lopdf::Document::load_mem(file).ok()?;
        let page = document.page_iter().nth(usize::try_from(index.0).ok()?)?;
        let mut generator = Self { document, page, parts_left: Cell::new(MAX_PARTS), fonts: RefCell::default() };
        generator.number_direct_annotations();
        Some(generator)
    }

    /// Makes the annotations that stand in `/Annots` itself indirect objects, as the others are.
    fn number_direct_annotations(&mut self) -> Option<()> {
        let mut annotations = self.annotation_list()?.clone();
        let is_direct = |annotation: &Object| annotation.as_reference().is_err();
        if !annotations.iter().any(is_direct) {
            return None;
        }
        for annotation in annotations.iter_mut().take(MAX_FIELDS).filter(|annotation| is_direct(annotation)) {
            let direct = std::mem::replace(annotation, Object::Null);
            *annotation = self.document.add_object(direct).into();
        }
        let page = self.document.get_object_mut(self.page).ok()?.as_dict_mut().ok()?;
        page.set("Annots", annotations);
        Some(())
    }

    /// Takes up to `parts` from the budget. Returns how many were left; at least one is always used up.
    fn take_parts(&self, parts: usize) -> usize {
        let parts_left = self.parts_left.get();
        self.parts_left.set(parts_left.saturating_sub(parts.max(1)));
        parts.min(parts_left)
    }

    fn annotation_list(&self) -> Option<&Vec<Object>> {
        self.get(self.document.get_dictionary(self.page).ok()?, b"Annots")?.as_array().ok()
    }

    fn annotations(&self) -> impl Iterator<Item = &Object> {
        self.annotation_list().into_iter().flatten().take(MAX_FIELDS)
    }

    /// The page's widgets and annotations without an appearance; the flag marks widgets.
    fn without_appearance(&self) -> Vec<(ObjectId, bool)> {
        let ids = self.annotations().filter_map(|annotation| annotation.as_reference().ok());
        let without_appearance = ids.filter_map(|id| {
            let annotation =
                self.document.get_dictionary(id).ok().filter(|annotation| !self.has_appearance(annotation))?;
            let kind = annotation.get(b"Subtype").and_then(Object::as_name).ok()?;
            let is_ours = kind == b"Widget" || KINDS.contains(&kind) || ICONS.contains(&kind);
            is_ours.then_some((id, kind == b"Widget"))
        });
        without_appearance.collect()
    }

    /// Generates the appearance of a widget or an annotation; `None` if it shows nothing.
    fn generate_appearance(&mut self, id: ObjectId, is_field: bool) -> Option<()> {
        if self.parts_left.get() == 0 {
            return None;
        }
        let annotation = self.document.get_dictionary(id).ok()?;
        if is_field {
            let (field_box, appearance) = (self.field_box(annotation)?, self.appearance(id, annotation)?);
            let field_box = FieldBox { is_round: self.is_round(annotation), ..field_box };
            return self.set_text_appearance(id, &field_box, &appearance);
        }
        if let Some(text) = self.free_text(annotation) {
            let background = self.get(annotation, b"C").map(|parts| self.numbers_of(parts));
            let field_box =
                FieldBox { background: background.filter(|parts| !parts.is_empty()), ..self.field_box(annotation)? };
            let appearance = Appearance::Lines { text, style: self.style(annotation) };
            return self.set_text_appearance(id, &field_box, &appearance);
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

    fn set_text_appearance(&mut self, id: ObjectId, field_box: &FieldBox, appearance: &Appearance) -> Option<()> {
        let drawn = content::build_content(field_box, appearance)?;
        let mut fonts = Dictionary::new();
        for (name, font) in &drawn.fonts {
            let font = self.font(font);
            fonts.set(*name, font);
        }
        let mut form = form_of(&[0.0, 0.0, field_box.width, field_box.height]);
        form.set("Matrix", numbers(&field_box.matrix()));
        form.set("Resources", Dictionary::from_iter([("Font", Object::Dictionary(fonts))]));
        let form = self.document.add_object(Stream::new(form, drawn.content));
        let appearances = Dictionary::from_iter([("N", Object::Reference(form))]);
        let widget = self.document.get_object_mut(id).ok()?.as_dict_mut().ok()?;
        widget.set("AP", appearances);
        Some(())
    }

    fn font(&mut self, font: &AppearanceFont) -> Object {
        let to_unicode = self.document.add_object(Stream::new(Dictionary::new(), TO_UNICODE.to_vec()));
        Object::Dictionary(font.font(Object::Reference(to_unicode)))
    }

    fn field_box(&self, widget: &Dictionary) -> Option<FieldBox> {
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
        FieldBox::new(width, height, turn).map(|field_box| FieldBox {
            background: color(b"BG"),
            border: color(b"BC"),
            border_width: border_width.unwrap_or(1.0).clamp(0.0, 20.0),
            border_style: border_style.map(BorderStyle::of_name).unwrap_or_default(),
            ..field_box
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
