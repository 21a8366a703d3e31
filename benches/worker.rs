//! What a worker costs beside reading in this process: a small answer, and one of a megabyte.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "it prints what it measured, and may stop where it stands"
)]

mod support;

use std::fs::File;
use std::hint::black_box;
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::support::page_of;
use pagewise::worker::{InProcessReader, Pages, Reader, WorkerReader, WorkerSettings};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::ReadAt;
use pagewise_render::NoFonts;

/// Measurements of each, of which the middle one counts.
const ROUNDS: usize = 2_000;

struct Opened(File);

impl ReadAt for Opened {
    fn len(&self) -> u64 {
        self.0.metadata().unwrap().len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }
}

fn open(reader: &dyn Reader, path: &Path) -> Box<dyn Pages> {
    let file = Arc::new(Opened(File::open(path).unwrap()));
    reader.open(file, None, &Cancellation::new()).unwrap()
}

/// The middle of many measurements, taken in turn so that what else the machine does befalls both alike.
fn medians(mut one: impl FnMut(), mut other: impl FnMut()) -> (Duration, Duration) {
    let timed = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let mut times = (0..ROUNDS).map(|_| (timed(&mut one), timed(&mut other))).collect::<Vec<_>>();
    let middle = |times: &mut Vec<(Duration, Duration)>, key: fn(&(Duration, Duration)) -> Duration| {
        times.sort_by_key(key);
        times.get(ROUNDS / 2).map(key).unwrap_or_default()
    };
    (middle(&mut times, |pair| pair.0), middle(&mut times, |pair| pair.1))
}

fn report(what: &str, (here, there): (Duration, Duration)) {
    let ratio = there.as_secs_f64() / here.as_secs_f64();
    let more = there.saturating_sub(here);
    println!(
        "{what:24} in this process {here:>10.1?}, by a worker {there:>10.1?}: {more:>10.1?} more, {ratio:.1} times"
    );
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let settings = WorkerSettings {
        workers: NonZeroUsize::new(2),
        ..WorkerSettings::new(PathBuf::from(env!("CARGO_BIN_EXE_pagewise")))
    };
    let here = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
    let there = WorkerReader::start(settings, Limits::default(), Arc::new(NoFonts));
    println!("medians of {ROUNDS}");
    for (what, bytes) in [("a page of 1 KB", 1_000), ("a page of 1 MB", 1_000_000)] {
        let path = folder.path().join("page.pdf");
        std::fs::write(&path, page_of(bytes)).unwrap();
        let (one, other) = (open(&here, &path), open(&there, &path));
        let cut = |document: &dyn Pages| drop(black_box(document.cut(PageIndex(0)).unwrap()));
        report(what, medians(|| cut(&*one), || cut(&*other)));
    }
    let path = folder.path().join("page.pdf");
    std::fs::write(&path, page_of(1_000)).unwrap();
    let (one, other) = (open(&here, &path), open(&there, &path));
    let label = |document: &dyn Pages| drop(black_box(document.page_label(PageIndex(0))));
    report("a question", medians(|| label(&*one), || label(&*other)));
    drop((one, other));
    let opened = |reader: &dyn Reader| drop(black_box(open(reader, &path)));
    report("opening", medians(|| opened(&here), || opened(&there)));
}
