//! Documents that workers keep open, and answers that are kept: never those of other bytes, nor for another password.
//!
//! The sources here lie about their identity, so that an answer that was kept can be told from one that was read.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use pagewise::worker::{Pages, PdfError, Reader, WorkerReader, WorkerSettings};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::ReadAt;
use pagewise_render::NoFonts;

use super::support::{fixture, small_pdf};

/// Bytes with an identity of their own choice.
struct Source {
    bytes: Vec<u8>,
    identity: u8,
    is_settled: bool,
}

impl ReadAt for Source {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.bytes.read_at(offset, buffer)
    }

    fn identity(&self) -> Option<[u8; 32]> {
        Some([self.identity; 32])
    }

    fn is_settled(&self) -> bool {
        self.is_settled
    }
}

/// A reader with one worker.
fn reader(cache_bytes: u64) -> WorkerReader {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_pagewise"));
    let settings = WorkerSettings { workers: Some(NonZeroUsize::MIN), cache_bytes, ..WorkerSettings::new(program) };
    WorkerReader::start(settings, Limits::default(), Arc::new(NoFonts))
}

fn open(reader: &WorkerReader, bytes: Vec<u8>, identity: u8, is_settled: bool) -> Result<Box<dyn Pages>, PdfError> {
    reader.open(Arc::new(Source { bytes, identity, is_settled }), None, &Cancellation::new())
}

/// The number of pages of a document, after its first page was read.
fn pages_after_reading(reader: &WorkerReader, pages: usize, identity: u8, is_settled: bool) -> u32 {
    pages_read_by(&Cancellation::new(), reader, small_pdf(pages), identity, is_settled)
}

/// The same for the principal of a request.
fn pages_read_by(request: &Cancellation, reader: &WorkerReader, bytes: Vec<u8>, identity: u8, is_settled: bool) -> u32 {
    let document = reader.open(Arc::new(Source { bytes, identity, is_settled }), None, request).unwrap();
    document.page_text(PageIndex(0)).unwrap();
    document.page_count()
}

#[test]
fn an_answer_is_kept_for_the_same_bytes_alone() {
    let reader = reader(1 << 20);
    assert_eq!(pages_after_reading(&reader, 1, 1, true), 1);
    // These are other bytes under the same identity: what was kept shows.
    assert_eq!(pages_after_reading(&reader, 2, 1, true), 1);
    assert_eq!(pages_after_reading(&reader, 2, 2, true), 2);
}

#[test]
fn a_worker_keeps_its_document_open_until_another_takes_its_place() {
    let reader = reader(0);
    assert_eq!(pages_after_reading(&reader, 1, 1, true), 1);
    assert_eq!(pages_after_reading(&reader, 9, 1, true), 1, "it is open");
    assert_eq!(pages_after_reading(&reader, 2, 2, true), 2);
    assert_eq!(pages_after_reading(&reader, 9, 1, true), 9);
}

#[test]
fn what_one_principal_read_stays_while_another_reads_much() {
    let reader = reader(32 << 10);
    let [one, other] = [1, 2].map(|principal| Cancellation::of(Some([principal; 32])));
    let read = |request, pages, identity| pages_read_by(request, &reader, small_pdf(pages), identity, true);
    assert_eq!((read(&one, 1, 1), read(&other, 1, 2)), (1, 1));
    (3..=u8::MAX).for_each(|identity| assert_eq!(read(&other, 1, identity), 1));
    // These are other bytes under the same identities: what was kept shows.
    assert_eq!((read(&one, 9, 1), read(&other, 9, 2)), (1, 9));
}

#[test]
fn nothing_is_kept_of_a_file_that_may_have_changed() {
    for cache_bytes in [0, 1 << 20] {
        let reader = reader(cache_bytes);
        assert_eq!(pages_after_reading(&reader, 1, 1, false), 1);
        assert_eq!(pages_after_reading(&reader, 2, 1, true), 2);
    }
}

#[test]
fn nothing_is_kept_of_a_damaged_document() {
    for cache_bytes in [0, 1 << 20] {
        let reader = reader(cache_bytes);
        let mut damaged = small_pdf(1);
        let end = damaged.windows(9).rposition(|word| word == b"startxref").unwrap();
        damaged.truncate(end);
        let document = open(&reader, damaged, 1, true).unwrap();
        document.page_text(PageIndex(0)).unwrap();
        assert!(!document.notes().is_empty());
        drop(document);
        assert_eq!(pages_after_reading(&reader, 2, 1, true), 2);
    }
}

#[test]
fn who_lacks_the_password_gets_nothing_that_another_read_with_it() {
    let bytes = std::fs::read(fixture("encrypted-password.pdf")).unwrap();
    for cache_bytes in [0, 1 << 20] {
        let reader = reader(cache_bytes);
        let opened = |password| {
            let source = Source { bytes: bytes.clone(), identity: 1, is_settled: true };
            let document = reader.open(Arc::new(source), password, &Cancellation::new())?;
            document.page_text(PageIndex(0))
        };
        assert!(opened(Some("secret")).is_ok());
        assert!(opened(Some("secret")).is_ok());
        assert!(matches!(opened(None), Err(PdfError::Encrypted { password_given: false })));
        assert!(matches!(opened(Some("wrong")), Err(PdfError::Encrypted { password_given: true })));
    }
}

#[test]
fn every_kind_of_answer_is_the_same_a_second_time() {
    let reader = reader(1 << 20);
    let bytes = std::fs::read(fixture("form.pdf")).unwrap();
    let answers = || {
        let document = open(&reader, bytes.clone(), 1, true).unwrap();
        let page = PageIndex(0);
        let facts = format!(
            "{:?} {:?} {:?} {:?}",
            document.info(),
            document.outline(100),
            document.page_label(page),
            document.page_geometry(page).unwrap()
        );
        let (chunk, fingerprint) = document.cut_and_identify(page).unwrap();
        assert_eq!((document.cut(page).unwrap(), document.fingerprint(page).ok()), (chunk.clone(), fingerprint));
        (facts, chunk, fingerprint, document.page_text(page).unwrap(), document.notes())
    };
    assert_eq!(answers(), answers());
}
