//! The promises of the crate, one module each.

mod selection;
mod source;
mod store;
mod view;
