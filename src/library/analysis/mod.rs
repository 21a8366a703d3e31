//! What the index knows of a page's text: its tokens, headings, running lines and keys.

mod characters;
mod language;
mod marked_text;
mod page_words;
mod scanner;
mod tokens;

pub(super) use language::Stemmer;
pub use language::{is_language, language_of};
pub(super) use marked_text::{LineKind, RunningLines, mark_lines, marked_lines, plain, without_marks};
pub(super) use page_words::{KEY_MARKS, PageWords};
pub(super) use scanner::{TokenKind, TokenPlace, token_places};
pub(super) use tokens::{Token, key_and_word, tokens};
