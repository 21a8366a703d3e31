//! Form fields that have a value and no appearance, and annotations that say what they look like and have none: they
//! get one before the page is drawn (ISO 32000-2, 12.7.4.3 and 12.5.6).
//!
//! Readers are to make these for fields when `/NeedAppearances` says so, and forms that programs fill often rely on it;
//! for annotations the large readers do as well. What is made goes into a copy of the file for engines, never into a page
//! that is given away.

mod appearance;
mod face;
mod groups;
mod icons;
mod markup;
mod seen;

use super::object::{Dictionary as OurDictionary, Object as OurObject};
use super::objects::Objects;
use super::{Document, DocumentError, Leaf, Reading, text_string};
use crate::page::PageIndex;
use appearance::{FieldBox, Look};
use bytes::Bytes;
use face::{Face, TO_UNICODE};
use icons::ICONS;
use lopdf::{Dictionary, Object, ObjectId, Stream};
use markup::KINDS;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Fields of one page that get an appearance; the longest real forms have a few hundred.
const MAX_FIELDS: usize = 5_000;

/// Fields above each other.
const MAX_DEPTH: usize = 32;

/// Characters of a value that are drawn.
const MAX_CHARACTERS: usize = 10_000;

/// Characters, numbers and states that are looked at for all appearances of a page: fields may share what they say, so
/// that 5,000 of 10,000 characters each are a file of 200 kB. The longest real forms have some ten thousand.
const MAX_PARTS: usize = 400_000;

/// Bytes of a default appearance that are looked at: a font, a size and a colour.
const MAX_STYLE_BYTES: usize = 1_000;

/// `/Ff` of text fields: several lines; what is typed is secret; one cell a character (12.7.5.3).
const MULTILINE: i64 = 1 << 12;
const PASSWORD: i64 = 1 << 13;
const COMB: i64 = 1 << 24;
/// Of buttons: one of several; pushed and not set (12.7.5.2).
const RADIO: i64 = 1 << 15;
const PUSHBUTTON: i64 = 1 << 16;
/// Of choices: folded up (12.7.5.4).
const COMBO: i64 = 1 << 17;

/// What was given an appearance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Made {
    /// Form fields.
    pub(crate) fields: usize,
    /// Other annotations.
    pub(crate) annotations: usize,
}

/// The file with appearances for what has none on the page, and how much this is; `None` where there is nothing, or lopdf
/// cannot read the file.
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

/// Whether fields or annotations of the page have no appearance and can get one.
pub(super) fn are_bare(document: &Document, index: PageIndex) -> bool {
    any_annotation(document, index, |_, annotation| {
        let mut drawn = KINDS.iter().chain(&ICONS);
        let is_ours = |kind: &OurObject| kind.is_name(b"Widget") || drawn.any(|ours| kind.is_name(ours));
        annotation.get(b"AP").is_none() && annotation.get(b"Subtype").is_some_and(is_ours)
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
    /// What is left of [`MAX_PARTS`].
    left: Cell<usize>,
}

impl Form {
    fn open(file: &Bytes, index: PageIndex) -> Option<Self> {
        let document = lopdf::Document::load_mem(file).ok()?;
        let page = document.page_iter().nth(usize::try_from(index.0).ok()?)?;
        Some(Self { document, page, left: Cell::new(MAX_PARTS) })
    }

    /// Takes up to so many parts from those that are left, and gives how many; one at least is gone.
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

    /// The page's fields and annotations without an appearance, and which of the two each is.
    fn bare(&self) -> Vec<(ObjectId, bool)> {
        let ids = self.annotations().filter_map(|annotation| annotation.as_reference().ok());
        let bare = ids.filter_map(|id| {
            let annotation = self.document.get_dictionary(id).ok().filter(|annotation| !annotation.has(b"AP"))?;
            let kind = annotation.get(b"Subtype").and_then(Object::as_name).ok()?;
            let is_ours = kind == b"Widget" || KINDS.contains(&kind) || ICONS.contains(&kind);
            is_ours.then_some((id, kind == b"Widget"))
        });
        bare.collect()
    }

    /// Gives a field or an annotation an appearance; `None` where it has nothing to show.
    fn dress(&mut self, id: ObjectId, is_field: bool) -> Option<()> {
        if self.left.get() == 0 {
            return None;
        }
        let annotation = self.document.get_dictionary(id).ok()?;
        if is_field {
            let (frame, look) = (self.frame(annotation)?, self.look(annotation)?);
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
        for face in &drawn.faces {
            let font = self.font(face);
            fonts.set(face.resource_name(), font);
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
        let border_width = style.and_then(|style| self.get(style, b"W")).and_then(|width| self.number(width));
        let turn = entry(b"R").and_then(|turn| turn.as_i64().ok()).unwrap_or(0);
        FieldBox::new(width, height, turn).map(|frame| FieldBox {
            ground: color(b"BG"),
            border: color(b"BC"),
            border_width: border_width.unwrap_or(1.0).clamp(0.0, 20.0),
            ..frame
        })
    }

    fn look(&self, widget: &Dictionary) -> Option<Look> {
        let kind = self.inherited(widget, b"FT")?.as_name().ok()?;
        let flags = self.inherited(widget, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
        match kind {
            b"Tx" => self.text_look(widget, flags),
            b"Ch" => self.choice_look(widget, flags),
            b"Btn" if flags & PUSHBUTTON != 0 => {
                Some(Look::Caption { text: self.caption(widget).unwrap_or_default(), style: self.style(widget) })
            }
            b"Btn" => Some(self.button_look(widget, flags)),
            _ => None,
        }
    }

    fn text_look(&self, widget: &Dictionary, flags: i64) -> Option<Look> {
        let text = self.inherited(widget, b"V").and_then(|value| self.text(value)).unwrap_or_default();
        let style = self.style(widget);
        let cells = self.inherited(widget, b"MaxLen").and_then(|cells| cells.as_i64().ok());
        let cells = cells.and_then(|cells| u32::try_from(cells).ok()).filter(|cells| *cells > 0 && flags & COMB != 0);
        Some(match cells {
            _ if flags & PASSWORD != 0 => Look::Line { text: "*".repeat(text.chars().count()), style },
            _ if flags & MULTILINE != 0 => Look::Lines { text, style },
            Some(cells) => Look::Cells { text, cells, style },
            None => Look::Line { text, style },
        })
    }

    fn choice_look(&self, widget: &Dictionary, flags: i64) -> Option<Look> {
        let style = self.style(widget);
        let options = self.inherited(widget, b"Opt").and_then(|options| options.as_array().ok());
        let options = options.into_iter().flatten().take(MAX_FIELDS).filter_map(|option| self.option(option));
        let options = options.collect::<Vec<_>>();
        let chosen = self.chosen(widget);
        let shown = |value: &String| {
            let named = options.iter().find(|(export, _)| export == value);
            named.map_or_else(|| value.clone(), |(_, shown)| shown.clone())
        };
        if flags & COMBO != 0 {
            return Some(Look::Line { text: chosen.first().map(shown).unwrap_or_default(), style });
        }
        let top = self.inherited(widget, b"TI").and_then(|top| top.as_i64().ok());
        let top = top.and_then(|top| usize::try_from(top).ok()).unwrap_or(0);
        let items = options.iter().skip(top);
        let items = items.map(|(export, shown)| (shown.clone(), chosen.contains(export) || chosen.contains(shown)));
        Some(Look::List { items: items.collect(), style })
    }

    /// The values that are chosen.
    fn chosen(&self, widget: &Dictionary) -> BTreeSet<String> {
        match self.inherited(widget, b"V") {
            Some(Object::Array(values)) => {
                values.iter().take(MAX_FIELDS).filter_map(|value| self.text(value)).collect()
            }
            Some(value) => self.text(value).into_iter().collect(),
            None => BTreeSet::new(),
        }
    }

    /// What an option is called outside and on the page.
    fn option(&self, option: &Object) -> Option<(String, String)> {
        let option = self.document.dereference(option).ok()?.1;
        let Ok(pair) = option.as_array() else { return self.text(option).map(|text| (text.clone(), text)) };
        let [export, shown] = pair.first_chunk::<2>()?;
        Some((self.text(export)?, self.text(shown)?))
    }

    fn button_look(&self, widget: &Dictionary, flags: i64) -> Look {
        let state = self.get(widget, b"AS").or_else(|| self.inherited(widget, b"V"));
        let is_set = state.and_then(|state| state.as_name().ok()).is_some_and(|state| state != b"Off");
        let usual = if flags & RADIO != 0 { 'l' } else { '4' };
        let mark = self.caption(widget).and_then(|caption| caption.chars().next()).filter(char::is_ascii_graphic);
        Look::Mark { mark: is_set.then(|| mark.unwrap_or(usual)) }
    }

    fn caption(&self, widget: &Dictionary) -> Option<String> {
        let details = self.get(widget, b"MK")?.as_dict().ok()?;
        self.text(self.get(details, b"CA")?)
    }

    fn style(&self, widget: &Dictionary) -> appearance::Style {
        let described = self.inherited(widget, b"DA").or_else(|| self.form_entry(b"DA"));
        let described = described.and_then(|described| described.as_str().ok()).unwrap_or_default();
        let described = described.get(..described.len().min(MAX_STYLE_BYTES)).unwrap_or_default();
        let quadding = self.inherited(widget, b"Q").or_else(|| self.form_entry(b"Q"));
        let quadding = quadding.and_then(|quadding| quadding.as_i64().ok()).unwrap_or(0);
        let mut style = appearance::Style::parse(described, quadding);
        if let Some(name) = self.base_font(&style.font) {
            style.font = name;
        }
        style
    }

    /// The font that a default appearance names, by its own name.
    fn base_font(&self, resource: &[u8]) -> Option<Vec<u8>> {
        let fonts = self.get(self.form_entry(b"DR")?.as_dict().ok()?, b"Font")?.as_dict().ok()?;
        let font = self.get(fonts, resource)?.as_dict().ok()?;
        Some(self.get(font, b"BaseFont")?.as_name().ok()?.to_vec())
    }

    fn form_entry(&self, key: &[u8]) -> Option<&Object> {
        self.get(self.get(self.document.catalog().ok()?, b"AcroForm")?.as_dict().ok()?, key)
    }

    fn get<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        self.document.dereference(dictionary.get(key).ok()?).ok().map(|(_, object)| object)
    }

    /// An entry of the field, or of one above it.
    fn inherited<'a>(&'a self, widget: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        let mut field = widget;
        for _ in 0..MAX_DEPTH {
            if let Some(value) = self.get(field, key) {
                return Some(value);
            }
            field = self.get(field, b"Parent")?.as_dict().ok()?;
        }
        None
    }

    fn text(&self, value: &Object) -> Option<String> {
        let bytes = match self.document.dereference(value).ok()?.1 {
            Object::String(bytes, _) | Object::Name(bytes) => bytes,
            _ => return None,
        };
        // No encoding has more bytes for a character, and none more than three before the first.
        let bytes = bytes.get(..bytes.len().min(4 * MAX_CHARACTERS + 3)).unwrap_or_default();
        let text = text_string::decode(bytes);
        let granted = self.spend(text.chars().take(MAX_CHARACTERS).count());
        Some(text.chars().take(granted).collect())
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
