//! What a person sees: results, errors, warnings and progress.

pub(super) mod print;
pub(super) mod progress;
