//! The promises of the crate, one module each, in one binary.

mod cli;
mod contracts;
mod get_file;
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
