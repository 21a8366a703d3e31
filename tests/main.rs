//! The promises of the crate, one module each, in one binary.

mod addresses;
mod architecture;
mod cli;
mod closure;
mod contracts;
mod fetch;
mod get_file;
mod hostile;
mod lies;
mod limits;
mod mcp;
mod pages;
mod reading;
mod selection;
mod source;
mod split;
mod store;
mod support;
mod text;
mod tools;
mod view;
mod web;
#[cfg(debug_assertions)]
mod worker;
