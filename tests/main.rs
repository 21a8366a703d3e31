//! The promises of the crate, one module each.

mod reading;
mod selection;
mod source;
mod store;
mod view;
