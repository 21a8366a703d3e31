//! The promises of the crate, one module each.

mod get_file;
mod reading;
mod selection;
mod source;
mod store;
mod support;
mod view;
