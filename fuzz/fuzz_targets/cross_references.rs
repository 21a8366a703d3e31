//! Chains of cross-reference tables and streams (7.5.4, 7.5.8).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| pagewise_document::fuzzing::cross_references(data));
