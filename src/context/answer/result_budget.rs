//! The serialized size of a whole result.

use std::io::{self, Write};

use serde::Serialize;

use crate::context::request::AnswerSettings;

/// Bytes of a result beside its blocks: the header, footer and notes.
const FRAME_BYTES: u64 = 8_192;

/// Bytes of a block beside its content, including its entry in the details.
const BLOCK_BYTES: u64 = 2_048;

/// The quotes around a text and around base64 data.
const QUOTES: u64 = 4;

/// The smallest budget: no useful result fits into less.
const LEAST_BYTES: u64 = 16_384;

/// Maximum bytes of a character in JSON: a control character takes six.
const CHARACTER_BYTES: u64 = 6;

/// The bytes that a serialized result may still use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultBudget {
    bytes: u64,
}

impl ResultBudget {
    /// The budget for a result of at most `bytes`, but never less than 16 KiB.
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        Self { bytes: bytes.max(LEAST_BYTES) - FRAME_BYTES }
    }

    /// Bytes left for serialized blocks.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// Characters of text that fit, whatever they are.
    #[must_use]
    pub fn characters(self) -> u64 {
        self.bytes.saturating_sub(BLOCK_BYTES + QUOTES) / CHARACTER_BYTES
    }

    /// Bytes of data that fit as base64.
    #[must_use]
    pub fn data_bytes(self) -> u64 {
        self.bytes.saturating_sub(BLOCK_BYTES + QUOTES) / 4 * 3
    }

    /// Takes the cost of a block. If it does not fit, takes all that is left and returns `false`.
    pub(crate) fn try_take(&mut self, data_bytes: u64, text: &str) -> bool {
        let data = data_bytes.div_ceil(3).saturating_mul(4);
        let cost = data.saturating_add(json_length(text)).saturating_add(BLOCK_BYTES);
        let left = self.bytes.checked_sub(cost);
        self.bytes = left.unwrap_or(0);
        left.is_some()
    }

    /// Bytes of a picture that comes with text: each may use half of the budget.
    pub(crate) fn picture_bytes(self) -> u64 {
        self.half().data_bytes()
    }

    fn half(self) -> Self {
        Self { bytes: self.bytes / 2 }
    }

    /// `settings` with bounds lowered so that a single page fits the budget.
    pub(crate) fn bound_settings(self, settings: AnswerSettings) -> AnswerSettings {
        let half = self.half();
        let characters = usize::try_from(half.characters()).unwrap_or(usize::MAX);
        AnswerSettings {
            max_block_bytes: settings.max_block_bytes.min(self.data_bytes()),
            max_picture_bytes: settings.max_picture_bytes.min(self.picture_bytes()),
            max_text_characters: settings.max_text_characters.min(characters),
            max_line_characters: settings.max_line_characters.min(characters),
            ..settings
        }
    }
}

/// Bytes of `value` as JSON.
#[must_use]
pub fn json_length(value: &(impl Serialize + ?Sized)) -> u64 {
    let mut count = ByteCounter(0);
    // A value that cannot be serialized never becomes part of a result.
    serde_json::to_writer(&mut count, value).map_or(u64::MAX, |()| count.0)
}

/// Counts what is written.
struct ByteCounter(u64);

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_within_its_bounds_fits_into_the_room_that_set_them() {
        for bytes in [0, 16_384, 100_000, 30_000_000] {
            let mut budget = ResultBudget::of(bytes);
            let settings = budget.bound_settings(AnswerSettings::default());
            let text = "\u{1}".repeat(settings.max_text_characters);
            assert!(budget.try_take(0, &text) && budget.try_take(settings.max_picture_bytes, ""), "{bytes}");
            assert!(ResultBudget::of(bytes).try_take(settings.max_block_bytes, ""), "{bytes}");
        }
    }

    #[test]
    fn an_answer_as_large_as_the_settings_allow_stays_below_the_bound() {
        let settings = AnswerSettings::default();
        let mut budget = ResultBudget::of(settings.max_result_bytes);
        assert!(budget.try_take(settings.max_answer_bytes, &"\u{1}".repeat(settings.max_text_characters)));
        let bounded = ResultBudget::of(settings.max_result_bytes).bound_settings(settings.clone());
        assert_eq!(bounded.max_block_bytes, settings.max_block_bytes);
    }

    #[test]
    fn json_is_counted_as_it_is_written() {
        assert_eq!(json_length("a\"\u{1}\u{e9}"), 13);
        assert_eq!(json_length(&serde_json::json!({ "a": [1, null] })), 14);
    }
}
