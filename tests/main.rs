//! The promises of the crate, one module each, in one binary.

mod architecture;
mod ask;
mod cli;
mod closure;
mod contracts;
mod get_file;
mod hostile;
mod lies;
mod limits;
mod mcp;
mod reading;
mod selection;
mod source;
mod split;
mod store;
mod support;
mod text;
mod tools;
mod view;
#[cfg(debug_assertions)]
mod worker;
