//! Determines what a form field shows from its type, flags and value (ISO 32000-2, 12.7.5).

use super::content::Appearance;
use super::text_style::{Quadding, TextStyle};
use super::{AppearanceGenerator, MAX_DEPTH, MAX_FIELDS};
use crate::text_string;
use lopdf::{Dictionary, Object, ObjectId};
use std::collections::BTreeSet;

/// The most characters of a value that are drawn.
const MAX_CHARACTERS: usize = 10_000;

/// The most bytes of a value: four for each character, and three for a byte order mark.
const MAX_BYTES: usize = 4 * MAX_CHARACTERS + 3;

/// The most bytes of a default appearance string that are read.
const MAX_STYLE_BYTES: usize = 1_000;

/// Field flags of text fields (12.7.5.3).
const MULTILINE: i64 = 1 << 12;
const PASSWORD: i64 = 1 << 13;
const COMB: i64 = 1 << 24;
/// Field flags of buttons (12.7.5.2).
const RADIO: i64 = 1 << 15;
const PUSHBUTTON: i64 = 1 << 16;
/// Field flags of choice fields (12.7.5.4).
const COMBO: i64 = 1 << 17;

impl AppearanceGenerator {
    /// The visible content of a widget; `None` if its field type has no generated appearance.
    pub(super) fn appearance(&self, id: ObjectId, widget: &Dictionary) -> Option<Appearance> {
        let kind = self.find_inherited(widget, b"FT")?.as_name().ok()?;
        let flags = self.find_inherited(widget, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
        match kind {
            b"Tx" => Some(self.text_appearance(widget, flags)),
            b"Ch" => Some(self.choice_appearance(widget, flags)),
            b"Btn" if flags & PUSHBUTTON != 0 => {
                Some(Appearance::Caption { text: self.caption(widget).unwrap_or_default(), style: self.style(widget) })
            }
            b"Btn" => Some(self.button_appearance(id, widget, flags)),
            _ => None,
        }
    }

    fn text_appearance(&self, widget: &Dictionary, flags: i64) -> Appearance {
        let text = self.find_inherited(widget, b"V").and_then(|value| self.text(value)).unwrap_or_default();
        let style = self.style(widget);
        let cells = self.find_inherited(widget, b"MaxLen").and_then(|cells| cells.as_i64().ok());
        let cells = cells.and_then(|cells| u32::try_from(cells).ok()).filter(|cells| *cells > 0 && flags & COMB != 0);
        let is_secret = flags & PASSWORD != 0;
        let text = if is_secret { "*".repeat(text.chars().count()) } else { text };
        match cells {
            Some(cells) if flags & MULTILINE == 0 => Appearance::Cells { text, cells, style },
            _ if flags & MULTILINE != 0 && !is_secret => Appearance::Lines { text, style },
            _ => Appearance::Line { text, style },
        }
    }

    fn choice_appearance(&self, widget: &Dictionary, flags: i64) -> Appearance {
        let style = self.style(widget);
        let options = self.find_inherited(widget, b"Opt").and_then(|options| options.as_array().ok());
        let options = options.into_iter().flatten().take(MAX_FIELDS).map(|option| self.option(option));
        let options = options.collect::<Vec<_>>();
        let chosen = self.chosen(widget);
        let shown = |value: &String| {
            let named = options.iter().flatten().find(|(export, _)| export == value);
            named.map_or_else(|| value.clone(), |(_, shown)| shown.clone())
        };
        if flags & COMBO != 0 {
            return Appearance::Line { text: chosen.iter().next().map(shown).unwrap_or_default(), style };
        }
        let indices = if chosen.is_empty() { self.chosen_indices(widget) } else { BTreeSet::new() };
        let top = self.find_inherited(widget, b"TI").and_then(|top| top.as_i64().ok());
        let top = top.and_then(|top| usize::try_from(top).ok()).unwrap_or(0);
        let items = options.into_iter().enumerate().skip(top).filter_map(|(at, option)| {
            let (export, shown) = option?;
            let is_chosen = chosen.contains(&export) || chosen.contains(&shown) || indices.contains(&at);
            Some((shown, is_chosen))
        });
        Appearance::List { items: items.collect(), style }
    }

    /// The chosen values.
    fn chosen(&self, widget: &Dictionary) -> BTreeSet<String> {
        match self.find_inherited(widget, b"V") {
            Some(Object::Array(values)) => {
                values.iter().take(MAX_FIELDS).filter_map(|value| self.text(value)).collect()
            }
            Some(value) => self.text(value).into_iter().collect(),
            None => BTreeSet::new(),
        }
    }

    /// The indices of the chosen options (`/I`), for fields without a value.
    fn chosen_indices(&self, widget: &Dictionary) -> BTreeSet<usize> {
        let indices = self.find_inherited(widget, b"I").and_then(|indices| indices.as_array().ok());
        let indices = indices.into_iter().flatten().take(MAX_FIELDS);
        indices.filter_map(|at| usize::try_from(self.document.dereference(at).ok()?.1.as_i64().ok()?).ok()).collect()
    }

    /// The export value and the display text of an option.
    fn option(&self, option: &Object) -> Option<(String, String)> {
        let option = self.document.dereference(option).ok()?.1;
        let Ok(pair) = option.as_array() else { return self.text(option).map(|text| (text.clone(), text)) };
        let [export, shown] = pair.first_chunk::<2>()?;
        Some((self.text(export)?, self.text(shown)?))
    }

    fn button_appearance(&self, id: ObjectId, widget: &Dictionary, flags: i64) -> Appearance {
        let usual = if flags & RADIO != 0 { 'l' } else { '4' };
        let mark = self.caption(widget).and_then(|caption| caption.chars().next()).filter(char::is_ascii_graphic);
        let mark = self.is_set(id, widget).then(|| mark.unwrap_or(usual));
        Appearance::Dingbat { mark, style: self.style(widget) }
    }

    /// Whether a widget is a radio button with a dot, which has a round box.
    pub(super) fn is_round(&self, widget: &Dictionary) -> bool {
        let flags = self.find_inherited(widget, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
        let is_button =
            self.find_inherited(widget, b"FT").is_some_and(|kind| kind.as_name().is_ok_and(|kind| kind == b"Btn"));
        is_button && flags & RADIO != 0 && self.caption(widget).is_none_or(|caption| caption == "l")
    }

    /// Whether a check box or a radio button is on.
    fn is_set(&self, id: ObjectId, widget: &Dictionary) -> bool {
        let is_on = |state: &Object| state.as_name().is_ok_and(|state| state != b"Off" && !state.is_empty());
        if let Some(state) = self.get(widget, b"AS") {
            return is_on(state);
        }
        let Some(value) = self.find_inherited(widget, b"V").filter(|value| is_on(value)) else { return false };
        match self.position(id, widget) {
            None => true,
            // The value selects one of several widgets by its index or its option.
            Some(at) => {
                let value = self.text(value);
                let options = self.find_inherited(widget, b"Opt").and_then(|options| options.as_array().ok());
                let option = options.and_then(|options| options.get(at)).and_then(|option| self.text(option));
                value.is_some_and(|value| value == at.to_string() || Some(value) == option)
            }
        }
    }

    /// The widget's index among those of its field, if there are several.
    fn position(&self, id: ObjectId, widget: &Dictionary) -> Option<usize> {
        let field = self.get(widget, b"Parent")?.as_dict().ok()?;
        let kids = self.get(field, b"Kids")?.as_array().ok().filter(|kids| kids.len() > 1)?;
        let kids = kids.get(..self.take_parts(kids.len())).unwrap_or(kids);
        kids.iter().position(|kid| kid.as_reference().is_ok_and(|kid| kid == id))
    }

    fn caption(&self, widget: &Dictionary) -> Option<String> {
        let details = self.get(widget, b"MK")?.as_dict().ok()?;
        self.text(self.get(details, b"CA")?)
    }

    pub(super) fn style(&self, widget: &Dictionary) -> TextStyle {
        let described = self.find_inherited(widget, b"DA").or_else(|| self.form_entry(b"DA"));
        let described = described.and_then(|described| described.as_str().ok()).unwrap_or_default();
        let described = described.get(..described.len().min(MAX_STYLE_BYTES)).unwrap_or_default();
        let quadding = self.find_inherited(widget, b"Q").or_else(|| self.form_entry(b"Q"));
        let quadding = quadding.and_then(|quadding| quadding.as_i64().ok()).map(Quadding::of_number);
        let mut style = TextStyle::parse(described, quadding.unwrap_or_default());
        style.form_font = self.form_font(&style.font);
        if let Some(name) = self.base_font(&style.font) {
            style.font = name;
        }
        style
    }

    /// The `/BaseFont` of a font that default appearances call `resource`.
    fn base_font(&self, resource: &[u8]) -> Option<Vec<u8>> {
        Some(self.get(self.default_font(resource)?, b"BaseFont")?.as_name().ok()?.to_vec())
    }

    pub(super) fn default_font(&self, resource: &[u8]) -> Option<&Dictionary> {
        let fonts = self.get(self.form_entry(b"DR")?.as_dict().ok()?, b"Font")?.as_dict().ok()?;
        self.get(fonts, resource)?.as_dict().ok()
    }

    /// An inheritable entry of a field.
    fn find_inherited<'a>(&'a self, widget: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        let mut field = widget;
        for _ in 0..MAX_DEPTH {
            if let Some(value) = self.get(field, key) {
                return Some(value);
            }
            field = self.get(field, b"Parent")?.as_dict().ok()?;
        }
        None
    }

    /// The text of a string, a name or a text stream, with spaces and line ends.
    pub(super) fn text(&self, value: &Object) -> Option<String> {
        let text = match self.document.dereference(value).ok()?.1 {
            Object::String(bytes, _) | Object::Name(bytes) => decode_value(bytes),
            Object::Stream(stream) if stream.dict.has(b"Filter") => {
                decode_value(&stream.decompressed_content_with_limit(MAX_BYTES).ok()?)
            }
            Object::Stream(stream) => decode_value(&stream.content),
            _ => return None,
        };
        let granted = self.take_parts(text.chars().take(MAX_CHARACTERS).count());
        Some(text.chars().take(granted).collect())
    }
}

fn decode_value(bytes: &[u8]) -> String {
    text_string::decode_whole(bytes.get(..bytes.len().min(MAX_BYTES)).unwrap_or_default())
}
