//! Names and colours in content (7.8.2).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| pagewise_split::fuzzing::content(data));
