//! Object streams: a dictionary, then data (7.5.7).
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::document;

fuzz_target!(|data: &[u8]| document::fuzzing::object_stream(data));
