//! One test binary; one module for each promise.

mod reading;
mod support;
mod text;
