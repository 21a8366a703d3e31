//! Removes from a chunk's objects the entries that do not affect the page's appearance or text. Tools add, drop or rewrite
//! them when they save a file.

use super::object_digests::hash_tagged;
use blake3::Hasher;
use pagewise_document::DocumentError;
use pagewise_document::object::{Dictionary, Name, Object, ObjectId};
use pagewise_document::objects::Objects;

/// How a dictionary entry contributes to a fingerprint.
pub(super) enum EntryMeaning<'a> {
    /// The entry is left out.
    Ignored,
    /// The entry is a font name, which counts without its subset tag.
    FontName(&'a [u8]),
    /// The value of the entry counts.
    Value,
}

/// How the value of `key` in `dictionary` contributes, in a chunk of `page`.
pub(super) fn classify_entry<'a>(
    dictionary: &Dictionary,
    key: &[u8],
    value: &'a Object,
    page: Option<ObjectId>,
) -> EntryMeaning<'a> {
    match (key, value) {
        // Null is equivalent to a missing entry (7.3.7).
        (_, Object::Null) => EntryMeaning::Ignored,
        (b"BaseFont" | b"FontName", Object::Name(name)) if is_font(dictionary) => {
            EntryMeaning::FontName(without_tag(name))
        }
        // The annotation can be on no other page.
        (b"P", Object::Reference(id)) if page == Some(*id) && is_annotation(dictionary) => EntryMeaning::Ignored,
        (b"M" | b"CreationDate", Object::String(text)) if is_annotation(dictionary) && is_date(text) => {
            EntryMeaning::Ignored
        }
        // Each widget's hash includes the inherited value.
        (b"DA", _) if is_widget(dictionary) || is_field(dictionary) => EntryMeaning::Ignored,
        _ => EntryMeaning::Value,
    }
}

fn is_font(dictionary: &Dictionary) -> bool {
    dictionary.is_type(b"Font") || dictionary.is_type(b"FontDescriptor")
}

/// Whether a dictionary is an annotation (12.5.2), with or without `/Type`.
fn is_annotation(dictionary: &Dictionary) -> bool {
    dictionary.get(b"Rect").is_some() && dictionary.get(b"Subtype").is_some()
}

/// Whether a dictionary is the widget of a field (12.5.6.19).
pub(super) fn is_widget(dictionary: &Dictionary) -> bool {
    dictionary.get(b"Subtype").is_some_and(|kind| kind.is_name(b"Widget"))
}

/// Whether a dictionary is a field with children (12.7.4).
fn is_field(dictionary: &Dictionary) -> bool {
    let has = |key: &[u8]| dictionary.get(key).is_some();
    has(b"Kids") && (has(b"T") || has(b"FT") || has(b"Parent"))
}

/// The most ancestors from which a widget inherits.
const FIELD_DEPTH: usize = 64;

/// The default appearance (12.7.4.3) of a widget, which may be inherited from an ancestor or the form. Some tools copy the
/// inherited one into each widget.
pub(super) fn default_appearance(
    objects: &dyn Objects,
    widget: &Dictionary,
    form: &Object,
) -> Result<Object, DocumentError> {
    let mut above = widget.clone();
    for _ in 0..FIELD_DEPTH {
        objects.limits().deadline.check()?;
        let own = objects.get(&above, b"DA")?;
        if !own.is_null() {
            return Ok((*own).clone());
        }
        let parent = (*objects.get(&above, b"Parent")?).clone();
        let Object::Dictionary(parent) = parent else { break };
        above = parent;
    }
    Ok(form.clone())
}

/// The default appearance in the document's form.
pub(super) fn form_appearance(objects: &dyn Objects, catalog: &Dictionary) -> Result<Object, DocumentError> {
    let form = objects.get(catalog, b"AcroForm")?;
    form.as_dictionary().map_or(Ok(Object::Null), |form| objects.get(form, b"DA").map(|own| (*own).clone()))
}

/// Whether a string is exactly a date (7.9.4).
fn is_date(text: &[u8]) -> bool {
    let is_of_date = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'Z' | b'\'');
    text.strip_prefix(b"D:")
        .is_some_and(|date| date.len() <= b"YYYYMMDDHHmmSS+00'00'".len() && date.iter().all(is_of_date))
}

/// The number of letters in a font subset tag (9.9.2), which a plus sign follows.
const TAG_LETTERS: usize = 6;

/// The name of a font without its subset tag.
fn without_tag(name: &Name) -> &[u8] {
    let name = name.as_bytes();
    match name.split_at_checked(TAG_LETTERS) {
        Some((tag, [b'+', name @ ..])) if tag.iter().all(u8::is_ascii_uppercase) => name,
        _ => name,
    }
}

/// The value of a number. Reals are reduced to single precision, because some tools write them back so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CanonicalNumber {
    Integer(i64),
    /// The bits of a real in single precision.
    Single(u32),
    /// The bits of a real outside the range of single precision.
    Double(u64),
}

/// Below these bounds, a real in double or single precision represents each integer exactly.
const DOUBLE_INTEGERS: f64 = 9_007_199_254_740_992.0;
const SINGLE_INTEGERS: f32 = 16_777_216.0;

impl CanonicalNumber {
    /// The value of the number `object`.
    pub(super) fn of(object: &Object) -> Self {
        object.as_integer().map_or_else(|| Self::of_real(object.as_number().unwrap_or(0.0)), Self::Integer)
    }

    #[expect(clippy::cast_possible_truncation, reason = "integers within the bounds, and digits that tools lose")]
    fn of_real(value: f64) -> Self {
        let single = value as f32;
        if value.fract() == 0.0 && value.abs() < DOUBLE_INTEGERS {
            Self::Integer(value as i64)
        } else if single.fract() == 0.0 && single.abs() < SINGLE_INTEGERS {
            Self::Integer(single as i64)
        } else if single.is_finite() {
            Self::Single(single.to_bits())
        } else {
            Self::Double(value.to_bits())
        }
    }

    pub(super) fn hash(self, hasher: &mut Hasher) {
        match self {
            Self::Integer(value) => hash_tagged(hasher, b'#', &value.to_le_bytes()),
            Self::Single(bits) => hash_tagged(hasher, b'.', &bits.to_le_bytes()),
            Self::Double(bits) => hash_tagged(hasher, b'.', &bits.to_le_bytes()),
        }
    }
}

/// The page's dictionary without `/Type`, `/Parent` and entries with default values (table 31).
pub(super) fn reduce_page(objects: &dyn Objects, page: &Dictionary) -> Result<Dictionary, DocumentError> {
    let mut kept = page.clone();
    kept.remove(b"Type");
    kept.remove(b"Parent");
    // The tab order of annotations is not visible.
    kept.remove(b"Tabs");
    let number = |key: &[u8]| {
        objects.get(page, key).map(|value| value.as_number().is_some().then(|| CanonicalNumber::of(&value)))
    };
    for (key, default) in [(&b"Rotate"[..], 0), (b"UserUnit", 1)] {
        if number(key)? == Some(CanonicalNumber::Integer(default)) {
            kept.remove(key);
        }
    }
    let crop_box = rectangle(objects, page, b"CropBox")?;
    if crop_box.is_some() && crop_box == rectangle(objects, page, b"MediaBox")? {
        kept.remove(b"CropBox");
    }
    if objects.get(page, b"Annots")?.as_array().is_some_and(<[Object]>::is_empty) {
        kept.remove(b"Annots");
    }
    Ok(kept)
}

fn rectangle(
    objects: &dyn Objects,
    page: &Dictionary,
    key: &[u8],
) -> Result<Option<Vec<CanonicalNumber>>, DocumentError> {
    let corners = objects.get(page, key)?;
    let Some(corners) = corners.as_array().filter(|corners| corners.len() == 4) else { return Ok(None) };
    let number = |corner: &Object| corner.as_number().is_some().then(|| CanonicalNumber::of(corner));
    Ok(corners.iter().map(number).collect())
}

/// The catalog entries that affect a page: the form, the output intents, and optional content if any can be hidden.
pub(super) fn reduce_catalog(
    objects: &dyn Objects,
    catalog: &Dictionary,
    has_hiding_membership: bool,
) -> Result<Dictionary, DocumentError> {
    let mut kept = Dictionary::new();
    if let Some(intents) = catalog.get(b"OutputIntents") {
        kept.set(b"OutputIntents", intents.clone());
    }
    if let Some(form) = objects.get(catalog, b"AcroForm")?.as_dictionary() {
        let mut form = form.clone();
        form.remove(b"DA");
        form.remove(b"SigFlags");
        kept.set(b"AcroForm", Object::Dictionary(form));
    }
    if let Some(layers) = reduce_optional_content(objects, catalog, has_hiding_membership)? {
        kept.set(b"OCProperties", Object::Dictionary(layers));
    }
    Ok(kept)
}

/// Removes and returns the form's fields. Tools reorder them, and the order of drawing is that of the page's annotations.
pub(super) fn take_fields(objects: &dyn Objects, catalog: &mut Dictionary) -> Result<Vec<Object>, DocumentError> {
    let Some(Object::Dictionary(mut form)) = catalog.remove(b"AcroForm") else { return Ok(Vec::new()) };
    let fields = objects.get(&form, b"Fields")?.as_array().map(<[Object]>::to_vec);
    if fields.is_some() {
        form.remove(b"Fields");
    }
    catalog.set(b"AcroForm", Object::Dictionary(form));
    Ok(fields.unwrap_or_default())
}

/// The optional content properties (8.11.4) without entries for a viewer's panel; `None` if every group is on.
fn reduce_optional_content(
    objects: &dyn Objects,
    catalog: &Dictionary,
    has_hiding_membership: bool,
) -> Result<Option<Dictionary>, DocumentError> {
    let properties = objects.get(catalog, b"OCProperties")?;
    let Some(properties) = properties.as_dictionary() else { return Ok(None) };
    let default = objects.get(properties, b"D")?;
    let default = default.as_dictionary().cloned().unwrap_or_default();
    if !has_hiding_membership && shows_all(objects, &default)? {
        return Ok(None);
    }
    let mut state = Dictionary::new();
    for key in [&b"AS"[..], b"BaseState", b"Intent", b"OFF", b"ON"] {
        if let Some(value) = default.get(key) {
            state.set(key, value.clone());
        }
    }
    let mut kept = properties.clone();
    kept.set(b"D", Object::Dictionary(state));
    Ok(Some(kept))
}

/// Whether every group is on in a configuration (8.11.4.3).
fn shows_all(objects: &dyn Objects, configuration: &Dictionary) -> Result<bool, DocumentError> {
    let is_default = |key: &[u8], default: &[u8]| -> Result<bool, DocumentError> {
        let value = objects.get(configuration, key)?;
        Ok(value.is_null() || value.is_name(default))
    };
    let is_empty = |key: &[u8]| -> Result<bool, DocumentError> {
        let value = objects.get(configuration, key)?;
        Ok(value.is_null() || value.as_array().is_some_and(<[Object]>::is_empty))
    };
    let applications = objects.get(configuration, b"AS")?;
    Ok(is_default(b"BaseState", b"ON")?
        && is_default(b"Intent", b"View")?
        && is_empty(b"OFF")?
        && hides_nothing(objects, &applications)?)
}

/// Whether the usage applications (8.11.4.4) turn no group off.
fn hides_nothing(objects: &dyn Objects, applications: &Object) -> Result<bool, DocumentError> {
    for application in applications.as_array().unwrap_or_default() {
        let application = objects.resolve(application)?;
        let Some(application) = application.as_dictionary() else { return Ok(false) };
        let groups = objects.get(application, b"OCGs")?;
        for group in groups.as_array().unwrap_or_default() {
            if !is_always_on(objects, group)? {
                return Ok(false);
            }
        }
    }
    Ok(applications.is_null() || applications.as_array().is_some())
}

/// Whether no usage of a group (table 100) turns it off.
fn is_always_on(objects: &dyn Objects, group: &Object) -> Result<bool, DocumentError> {
    let group = objects.resolve(group)?;
    let Some(group) = group.as_dictionary() else { return Ok(false) };
    let usage = objects.get(group, b"Usage")?;
    for (key, value) in usage.as_dictionary().into_iter().flat_map(Dictionary::iter) {
        let state: &[u8] = match key.as_bytes() {
            b"View" => b"ViewState",
            b"Print" => b"PrintState",
            b"Export" => b"ExportState",
            b"CreatorInfo" | b"PageElement" => continue,
            _ => return Ok(false),
        };
        let value = objects.resolve(value)?;
        let asks = value.as_dictionary().and_then(|value| value.get(state));
        if asks.is_some_and(|asks| !asks.is_name(b"ON")) {
            return Ok(false);
        }
    }
    Ok(usage.is_null() || usage.as_dictionary().is_some())
}

/// Whether a membership dictionary (8.11.2.2) may hide its content although all groups are on.
pub(super) fn is_hiding_membership(dictionary: &Dictionary) -> bool {
    let shows = |policy: &Object| policy.is_null() || policy.is_name(b"AllOn") || policy.is_name(b"AnyOn");
    dictionary.is_type(b"OCMD") && (dictionary.get(b"VE").is_some() || !dictionary.get(b"P").is_none_or(shows))
}
