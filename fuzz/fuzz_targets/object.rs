//! Objects out of any bytes (ISO 32000-2, 7.3).
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::document;

fuzz_target!(|data: &[u8]| document::fuzzing::objects(data));
