//! The words in annotations and fields: bounded, since a small file may share one long text between many.

use super::super::filter;
use super::super::object::{Dictionary, Object, Stream};
use super::super::objects::Objects;
use super::super::text_string;
use crate::DocumentError;
use std::cell::Cell;

/// The most characters of one text. Longer ones are cut and end in `…`.
const MAX_CHARACTERS: usize = 20_000;

/// The most characters of all texts of one page, or of one form.
const MAX_CHARACTERS_IN_ALL: usize = 500_000;

/// What is left of [`MAX_CHARACTERS_IN_ALL`].
pub(super) struct WordBudget(Cell<usize>);

impl Default for WordBudget {
    fn default() -> Self {
        Self(Cell::new(MAX_CHARACTERS_IN_ALL))
    }
}

impl WordBudget {
    /// The text of a string, a name or a stream, with its line ends; empty for other objects.
    pub(super) fn text(&self, objects: &dyn Objects, value: &Object) -> Result<String, DocumentError> {
        let value = objects.resolve(value)?;
        Ok(match &*value {
            Object::String(bytes) => self.bounded(bytes),
            Object::Name(name) => self.bounded(name.as_bytes()),
            Object::Stream(stream) => self.bounded(&stream_bytes(objects, stream)?),
            _ => String::new(),
        })
    }

    /// The text at `key`, without surrounding spaces; `None` if it is blank.
    pub(super) fn entry(
        &self,
        objects: &dyn Objects,
        dictionary: &Dictionary,
        key: &[u8],
    ) -> Result<Option<String>, DocumentError> {
        let Some(value) = dictionary.get(key) else { return Ok(None) };
        let text = self.text(objects, value)?;
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// The text at `key` on one line.
    pub(super) fn line(
        &self,
        objects: &dyn Objects,
        dictionary: &Dictionary,
        key: &[u8],
    ) -> Result<Option<String>, DocumentError> {
        let text = self.entry(objects, dictionary, key)?;
        Ok(text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// The text of `bytes`, as far as the budget goes.
    fn bounded(&self, bytes: &[u8]) -> String {
        let max = MAX_CHARACTERS.min(self.0.get());
        // No encoding takes more than four bytes for a character, and language codes are rare.
        let bytes = bytes.get(..max.saturating_mul(4).saturating_add(64)).unwrap_or(bytes);
        let text = text_string::decode_whole(bytes).replace("\r\n", "\n").replace('\r', "\n");
        let length = text.chars().count();
        self.0.set(self.0.get().saturating_sub(length.min(max)));
        if length <= max {
            return text;
        }
        text.chars().take(max).chain(['…']).collect()
    }
}

/// The decoded data of a stream; those before the damage of a damaged one.
fn stream_bytes(objects: &dyn Objects, stream: &Stream) -> Result<Vec<u8>, DocumentError> {
    let filters = filter::filters_of(&stream.dictionary, &mut |value| Ok(objects.resolve(value)?.clone()))?;
    Ok(filter::decode(&stream.data, &filters, objects.limits())?.bytes.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_each_and_in_all() {
        let budget = WordBudget::default();
        let long = vec![b'x'; MAX_CHARACTERS + 1];
        assert_eq!(budget.bounded(&long).chars().count(), MAX_CHARACTERS + 1);
        assert!(budget.bounded(&long).ends_with('…'));
        for _ in 0..MAX_CHARACTERS_IN_ALL / MAX_CHARACTERS {
            budget.bounded(&long);
        }
        assert_eq!(budget.bounded(b"more"), "…");
        assert_eq!(budget.bounded(b""), "");
    }
}
