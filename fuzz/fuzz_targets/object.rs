//! Objects out of any bytes (ISO 32000-2, 7.3).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| pagewise_document::fuzzing::objects(data));
