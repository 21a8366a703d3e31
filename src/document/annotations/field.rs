//! Fields of the interactive form (ISO 32000-2, 12.7.4 and 12.7.5): names, types and values.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::field_chain::FieldChain;
use super::words::WordBudget;
use crate::DocumentError;
use crate::object::{Dictionary, Object};
use crate::objects::{Objects, ResolvedObject};
use crate::structure::DisplayedArea;
use crate::syntax::date;

/// The most options of a choice field, and states of a button.
const MAX_OPTIONS: usize = 200;

/// Field flags (tables 227, 229 and 231).
const READ_ONLY: i64 = 1;
const REQUIRED: i64 = 1 << 1;
const PASSWORD: i64 = 1 << 13;
const RADIO: i64 = 1 << 15;
const PUSHBUTTON: i64 = 1 << 16;

/// A form field with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormField {
    /// The fully qualified name: the partial names from the root with periods between them.
    pub name: String,
    /// `/TU`: the name for people.
    pub label: Option<String>,
    pub kind: FieldKind,
    pub value: FieldValue,
    /// What can be chosen: the options of a choice field, or the states of its buttons on the page.
    pub options: Vec<ChoiceOption>,
    /// Whether a person may not change it.
    pub is_read_only: bool,
    /// Whether it must have a value.
    pub is_required: bool,
    /// Where its first widget on the page stands.
    pub area: Option<DisplayedArea>,
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldKind {
    /// A text field.
    Text,
    /// A list box or a combo box.
    Choice,
    CheckBox,
    RadioButton,
    /// A push button, which has no value.
    PushButton,
    /// A signature field.
    Signature,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldValue {
    /// None.
    Empty,
    /// The text of a text field, or export values that are chosen, with line ends between them.
    Text(String),
    /// The state of a check box or of radio buttons.
    State {
        /// Whether it is on.
        is_on: bool,
        /// The name of the state, such as `Yes`.
        name: String,
    },
    /// A value that may not be shown: the field is for passwords.
    Secret,
    /// A signature. It is not validated.
    Signature(Signature),
}

/// The facts of a signature (12.8.1).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// `/Name`: who signed.
    pub signer: Option<String>,
    /// `/M` as RFC 3339: when, by the signer's own clock.
    pub date: Option<String>,
    /// `/Reason`.
    pub reason: Option<String>,
}

/// An option of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    /// The value that is exported.
    pub export: String,
    /// The text that is displayed.
    pub display: String,
    pub is_chosen: bool,
}

impl FieldKind {
    /// Its name in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Choice => "choice",
            Self::CheckBox => "check box",
            Self::RadioButton => "radio buttons",
            Self::PushButton => "push button",
            Self::Signature => "signature",
        }
    }

    fn of(kind: &[u8], flags: i64) -> Option<Self> {
        Some(match kind {
            b"Tx" => Self::Text,
            b"Ch" => Self::Choice,
            b"Btn" if flags & PUSHBUTTON != 0 => Self::PushButton,
            b"Btn" if flags & RADIO != 0 => Self::RadioButton,
            b"Btn" => Self::CheckBox,
            b"Sig" => Self::Signature,
            _ => return None,
        })
    }
}

impl FormField {
    /// Adds the button of another widget of the same field.
    pub(super) fn add_widget(&mut self, widget: Self) {
        // All widgets of a choice field have the same options.
        if self.options == widget.options {
            return;
        }
        for option in widget.options {
            if self.options.len() < MAX_OPTIONS && self.options.iter().all(|known| known.export != option.export) {
                self.options.push(option);
            }
        }
    }
}

pub(super) struct FieldReader<'a> {
    pub(super) objects: &'a dyn Objects,
    pub(super) budget: &'a WordBudget,
}

impl FieldReader<'_> {
    /// The field of a widget or a terminal field; `None` if it has no type.
    pub(super) fn read(&self, widget: &Dictionary) -> Result<Option<FormField>, DocumentError> {
        let chain = FieldChain::of(self.objects, widget)?;
        let flags = self.resolved(&chain, b"Ff")?.as_integer().unwrap_or(0);
        let kind = self.resolved(&chain, b"FT")?;
        let Some(kind) = kind.as_name().and_then(|kind| FieldKind::of(kind, flags)) else { return Ok(None) };
        let mut options = match kind {
            FieldKind::Choice => self.options(&chain)?,
            FieldKind::CheckBox | FieldKind::RadioButton => self.states(widget, &chain)?,
            _ => Vec::new(),
        };
        let value = self.value(&chain, kind, flags)?;
        choose(&mut options, &value);
        Ok(Some(FormField {
            name: self.full_name(&chain)?,
            label: self.budget.line(self.objects, chain.field(), b"TU")?,
            kind,
            value,
            options,
            is_read_only: flags & READ_ONLY != 0,
            is_required: flags & REQUIRED != 0,
            area: None,
        }))
    }

    /// The value of an entry that may be inherited, without a copy: thousands of widgets may share a long array.
    fn resolved<'c>(&self, chain: &'c FieldChain<'_>, key: &[u8]) -> Result<ResolvedObject<'c>, DocumentError> {
        self.objects.resolve(chain.find(key).unwrap_or(&Object::Null))
    }

    fn full_name(&self, chain: &FieldChain<'_>) -> Result<String, DocumentError> {
        let mut parts = Vec::new();
        for node in chain.dictionaries().rev() {
            parts.extend(self.budget.line(self.objects, node, b"T")?);
        }
        Ok(parts.join("."))
    }

    fn value(&self, chain: &FieldChain<'_>, kind: FieldKind, flags: i64) -> Result<FieldValue, DocumentError> {
        let value = self.resolved(chain, b"V")?;
        Ok(match kind {
            FieldKind::PushButton => FieldValue::Empty,
            FieldKind::Signature => self.signature(&value)?.map_or(FieldValue::Empty, FieldValue::Signature),
            FieldKind::Text if flags & PASSWORD != 0 && !value.is_null() => FieldValue::Secret,
            FieldKind::Text | FieldKind::Choice => match self.chosen(&value)? {
                text if text.is_empty() => FieldValue::Empty,
                text => FieldValue::Text(text),
            },
            FieldKind::CheckBox | FieldKind::RadioButton => {
                let state = if value.is_null() { self.resolved(chain, b"AS")? } else { value };
                let name = self.budget.text(self.objects, &state)?;
                FieldValue::State { is_on: !name.is_empty() && name != "Off", name }
            }
        })
    }

    /// A text, or several with line ends between them.
    fn chosen(&self, value: &Object) -> Result<String, DocumentError> {
        let Some(values) = value.as_array() else { return self.budget.text(self.objects, value) };
        let texts = values.iter().take(MAX_OPTIONS).map(|value| self.budget.text(self.objects, value));
        Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
    }

    fn signature(&self, value: &Object) -> Result<Option<Signature>, DocumentError> {
        let Some(signature) = value.as_dictionary() else { return Ok(None) };
        let line = |key: &[u8]| self.budget.line(self.objects, signature, key);
        let date = line(b"M")?.as_deref().and_then(date::date);
        Ok(Some(Signature { signer: line(b"Name")?, date, reason: line(b"Reason")? }))
    }

    /// `/Opt` of a choice field: texts, or pairs of an export value and a displayed text.
    fn options(&self, chain: &FieldChain<'_>) -> Result<Vec<ChoiceOption>, DocumentError> {
        let options = self.resolved(chain, b"Opt")?;
        let mut read = Vec::new();
        for option in options.as_array().unwrap_or_default().iter().take(MAX_OPTIONS) {
            let option = self.objects.resolve(option)?;
            let (export, display) = match option.as_array() {
                Some([export, display, ..]) => (export, display),
                Some([both]) => (both, both),
                _ => (&*option, &*option),
            };
            let export = self.budget.text(self.objects, export)?;
            let display = self.budget.text(self.objects, display)?;
            read.push(ChoiceOption { export, display, is_chosen: false });
        }
        Ok(read)
    }

    /// The states of a widget other than `Off`: the names of its normal appearances (12.7.5.2.3). `/Opt` of the field may
    /// say what a number stands for.
    fn states(&self, widget: &Dictionary, chain: &FieldChain<'_>) -> Result<Vec<ChoiceOption>, DocumentError> {
        let appearances = self.objects.get(widget, b"AP")?;
        let Some(appearances) = appearances.as_dictionary() else { return Ok(Vec::new()) };
        let normal = self.objects.get(appearances, b"N")?;
        let Object::Dictionary(normal) = &*normal else { return Ok(Vec::new()) };
        let texts = self.resolved(chain, b"Opt")?;
        let mut states = Vec::new();
        for (name, _) in normal.iter().filter(|(name, _)| name.as_bytes() != b"Off").take(MAX_OPTIONS) {
            let export = self.budget.text(self.objects, &Object::Name(name.clone()))?;
            let at = export.parse::<usize>().ok();
            let text = at.and_then(|at| texts.as_array()?.get(at)).map(|text| self.budget.text(self.objects, text));
            let display = text.transpose()?.filter(|text| !text.is_empty()).unwrap_or_else(|| export.clone());
            states.push(ChoiceOption { export, display, is_chosen: false });
        }
        Ok(states)
    }
}

/// Marks the options that `value` names, by export value or displayed text.
fn choose(options: &mut [ChoiceOption], value: &FieldValue) {
    let chosen = match value {
        FieldValue::Text(text) => text.split('\n').collect::<HashSet<_>>(),
        FieldValue::State { is_on: true, name } => HashSet::from([name.as_str()]),
        _ => return,
    };
    for option in options {
        option.is_chosen = [&option.export, &option.display].iter().any(|text| chosen.contains(text.as_str()));
    }
}
