//! Object streams: a dictionary, then data (7.5.7).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| pagewise_document::fuzzing::object_stream(data));
