//! The syntax of PDF files (ISO 32000-2, 7.2 to 7.4 and 7.9): objects, their tokens, stream filters, text strings and
//! dates.

pub(crate) mod date;
pub mod filter;
pub mod lexer;
pub mod object;
pub mod text_string;
