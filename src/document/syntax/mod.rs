//! The syntax of PDF files (ISO 32000-2, 7.2 to 7.4 and 7.9): objects, their tokens, stream filters, text strings and
//! dates.

pub(crate) mod date;
pub(crate) mod filter;
pub(crate) mod lexer;
pub(crate) mod object;
pub(crate) mod text_string;
