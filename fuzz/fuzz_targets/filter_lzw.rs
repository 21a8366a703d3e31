//! The filter LZW, with a predictor by the first bytes (7.4).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| pagewise_document::fuzzing::filter("LZWDecode", data));
