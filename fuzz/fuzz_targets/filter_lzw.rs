//! The filter LZW, with a predictor by the first bytes (7.4).
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::document;

fuzz_target!(|data: &[u8]| document::fuzzing::filter("LZWDecode", data));
