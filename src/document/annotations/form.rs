//! The interactive form of a document (ISO 32000-2, 12.7.3).

use serde::{Deserialize, Serialize};

use super::field::{FieldReader, FormField};
use super::words::WordBudget;
use crate::object::{Dictionary, Object};
use crate::structure::visit_terminal_fields;
use crate::{Document, DocumentError, ParsedDocument};

/// The fields of a document's form, or the first of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Fields without fields below them, in the order of the form; at most as many as requested. None has an area.
    pub fields: Vec<FormField>,
    /// Number of all of them.
    pub total: usize,
}

impl Document {
    /// Reads the form with at most `max_fields` fields. All fields are counted.
    #[must_use]
    pub fn form(&self, max_fields: usize) -> Form {
        self.ask(|parsed| Form::read(parsed, max_fields)).unwrap_or_default()
    }
}

impl Form {
    fn read(parsed: &ParsedDocument, max_fields: usize) -> Result<Self, DocumentError> {
        let (objects, budget) = (&*parsed.objects, WordBudget::default());
        let reader = FieldReader { objects, budget: &budget };
        let mut form = Self::default();
        visit_terminal_fields(parsed, &mut |field: &Dictionary, _| {
            form.total += 1;
            if form.fields.len() < max_fields
                && let Some(mut read) = reader.read(field)?
            {
                let kids = objects.get(field, b"Kids")?;
                for widget in kids.as_array().unwrap_or_default().iter().take(MAX_WIDGETS) {
                    if let Some(widget) = objects.resolve(widget)?.as_dictionary()
                        && let Some(widget) = reader.read(widget)?
                    {
                        read.add_widget(widget);
                    }
                }
                form.fields.push(read);
            }
            Ok(())
        })?;
        Ok(form)
    }
}

/// The most widgets of a field whose states are read.
const MAX_WIDGETS: usize = 50;

/// Whether the form is an XFA form (annex K of ISO 32000-1), whose own data are not read.
pub(crate) fn is_xfa(parsed: &ParsedDocument) -> Result<bool, DocumentError> {
    let form = parsed.objects.get(&parsed.catalog, b"AcroForm")?;
    let xfa = form.as_dictionary().and_then(|form| form.get(b"XFA")).unwrap_or(&Object::Null);
    Ok(!parsed.objects.resolve(xfa)?.is_null())
}
