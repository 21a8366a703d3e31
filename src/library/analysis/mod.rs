//! What the index knows of a page's text: its tokens, headings, running lines and terms.

mod characters;
mod language;
mod marked_text;
mod page_terms;
mod scanner;
mod tokens;

pub(super) use language::Stemmer;
pub use language::language_of;
pub(super) use marked_text::{LineKind, RunningLines, mark_lines, marked_lines, plain};
pub(super) use page_terms::{Occurrence, PageTerms};
pub(super) use scanner::{TokenKind, TokenPlace, token_places};
pub(super) use tokens::{Initials, key_and_word, tokens};
