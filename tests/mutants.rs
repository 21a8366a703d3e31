//! Changed files, many of each fixture: nothing panics, and a page is the same page twice.
//!
//! The targets of `fuzz/` run here over their seeds and some mutants too, so that none of them is forgotten.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use std::panic::catch_unwind;
use std::path::PathBuf;

use super::support::every_question::ask_everything;
use super::support::mutate::mutant;

/// Mutants of each file. `PAGEWISE_TEST_MUTANTS` sets another number.
const MUTANTS: u64 = 6;

/// Larger fixtures are left to longer runs.
const MAX_BYTES: usize = 100_000;

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    paths.sort();
    let pdfs = paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    pdfs.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

fn mutants() -> u64 {
    std::env::var("PAGEWISE_TEST_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(MUTANTS)
}

#[test]
fn mutants_of_every_fixture_are_read_or_refused() {
    let files = fixtures().into_iter().filter(|(_, bytes)| bytes.len() <= MAX_BYTES).collect::<Vec<_>>();
    assert!(files.len() > 10, "the fixtures are not where they were");
    for (name, bytes) in files {
        for seed in 0..mutants() {
            let file = mutant(&bytes, seed);
            let outcome = catch_unwind(|| ask_everything(&file, seed == 0, |_| {}));
            assert!(outcome.is_ok(), "{name}, mutant {seed}");
        }
    }
}

#[test]
#[cfg(debug_assertions)]
fn the_doors_of_fuzz_targets_take_any_bytes() {
    use pagewise_document::fuzzing;
    use pagewise_split as split;
    for (name, bytes) in fixtures() {
        for seed in 0..mutants() {
            let mutant = mutant(&bytes, seed);
            // From somewhere inside: targets begin with an object, a section or data.
            let data = mutant.get(mutant.len() / 2..).unwrap_or_default();
            let data = data.get(..data.len().min(20_000)).unwrap_or_default();
            let run = || {
                fuzzing::objects(data);
                fuzzing::cross_references(data);
                fuzzing::object_stream(data);
                split::fuzzing::content(data);
                for filter in ["FlateDecode", "LZWDecode", "ASCII85Decode", "ASCIIHexDecode", "RunLengthDecode"] {
                    fuzzing::filter(filter, data);
                }
            };
            assert!(catch_unwind(run).is_ok(), "{name}, mutant {seed}");
        }
    }
}
