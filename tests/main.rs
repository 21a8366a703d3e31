//! The promises of the crate, one module each, in one binary.

mod closure;
mod lies;
mod reading;
mod selection;
mod source;
mod split;
mod store;
mod support;
mod text;
mod view;
