//! One test binary; one module for each promise.

mod reading;
