//! Names and colours in content (7.8.2).
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::split;

fuzz_target!(|data: &[u8]| split::fuzzing::content(data));
