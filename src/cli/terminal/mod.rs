//! What a person sees: results, errors, warnings and progress.

pub(super) mod layout;
pub(super) mod print;
pub(super) mod progress;
pub(super) mod screen;
pub(super) mod table;
pub(super) mod wording;
