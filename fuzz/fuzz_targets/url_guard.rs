//! Any URL, and any addresses of its host: no address that is connected to is an inner one.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../../tests/support/inner_addresses.rs"]
mod inner_addresses;

fuzz_target!(|text: &str| inner_addresses::check(text));
