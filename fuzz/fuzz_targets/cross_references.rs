//! Chains of cross-reference tables and streams (7.5.4, 7.5.8).
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::document;

fuzz_target!(|data: &[u8]| document::fuzzing::cross_references(data));
