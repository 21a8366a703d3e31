//! Cutting pages: cold and warm, first, middle and last, as documents grow; beside lopdf and libqpdf in the same run.
//!
//! `cargo bench` runs all and prints, after the figures, how many times longer the peers took for the same page.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and stops when it cannot go on"
)]

use criterion::{BenchmarkId, Criterion};
use lopdf::{Document as Lopdf, Object, dictionary};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::Document;
use pagewise_split::cut;
use qpdf::{ObjectStreamMode, QPdf};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn fixture(name: &str) -> Arc<Vec<u8>> {
    Arc::new(std::fs::read(format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap())
}

/// The fixture's pages over and over, `copies` times, in one flat tree.
fn grown(name: &str, copies: usize, objects: ObjectStreamMode) -> Arc<Vec<u8>> {
    let grown = QPdf::empty();
    for _ in 0..copies {
        let source = QPdf::read_from_memory(fixture(name).as_slice()).unwrap();
        for page in source.get_pages().unwrap() {
            grown.add_page(&page, false).unwrap();
        }
    }
    Arc::new(grown.writer().object_stream_mode(objects).write_to_memory().unwrap())
}

/// Without a copy of the file: that would be what grows with its bytes.
fn open(source: &Arc<Vec<u8>>) -> Document {
    Document::open(Arc::clone(source) as _, None, &Limits::default()).unwrap()
}

fn ours(source: &Arc<Vec<u8>>, index: u32) -> usize {
    cut(&open(source), PageIndex(index)).unwrap().bytes.len()
}

/// lopdf's own way: load, delete the other pages, prune, save.
fn by_lopdf(source: &Arc<Vec<u8>>, index: u32) -> usize {
    let mut document = Lopdf::load_mem(source).unwrap();
    let others: Vec<u32> =
        (1..=u32::try_from(document.get_pages().len()).unwrap()).filter(|page| *page != index + 1).collect();
    document.delete_pages(&others);
    document.prune_objects();
    let mut out = Vec::new();
    document.save_to(&mut out).unwrap();
    out.len()
}

fn by_libqpdf(source: &Arc<Vec<u8>>, index: u32) -> usize {
    let document = QPdf::read_from_memory(source.as_slice()).unwrap();
    let page = document.get_page(index).unwrap();
    let chunk = QPdf::empty();
    chunk.add_page(&page, false).unwrap();
    chunk.writer().object_stream_mode(ObjectStreamMode::Generate).write_to_memory().unwrap().len()
}

/// A document of `pages` pages that share one font, with a classic cross-reference table.
fn plain(pages: u32) -> Arc<Vec<u8>> {
    let mut document = Lopdf::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let kids: Vec<Object> = (0..pages)
        .map(|number| {
            let text = format!("BT /F1 12 Tf 72 720 Td (page {number}) Tj ET");
            let contents = document.add_object(lopdf::Stream::new(dictionary! {}, text.into_bytes()));
            let resources = dictionary! { "Font" => dictionary! { "F1" => font } };
            let page = dictionary! {
                "Type" => "Page", "Parent" => tree, "Contents" => contents, "Resources" => resources,
                "MediaBox" => vec![0.into(), 0.into(), 612.into(), 792.into()],
            };
            document.add_object(page).into()
        })
        .collect();
    let root = dictionary! { "Type" => "Pages", "Count" => i64::from(pages), "Kids" => kids };
    document.objects.insert(tree, root.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut out = Vec::new();
    document.save_to(&mut out).unwrap();
    Arc::new(out)
}

fn cold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cold page");
    for name in ["latex.pdf", "form.pdf", "shared-resources.pdf", "encrypted-empty.pdf"] {
        let source = fixture(name);
        let last = open(&source).page_count() - 1;
        for (which, index) in [("first", 0), ("middle", last / 2), ("last", last)] {
            group.bench_function(BenchmarkId::new(name, which), |bench| bench.iter(|| black_box(ours(&source, index))));
        }
    }
    group.finish();
}

fn warm(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("warm page");
    for name in ["latex.pdf", "form.pdf", "shared-resources.pdf", "chromium.pdf"] {
        let document = open(&fixture(name));
        group.bench_function(name, |bench| bench.iter(|| black_box(cut(&document, PageIndex(1)).unwrap())));
    }
    group.finish();
}

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cold page of a growing document");
    for pages in [10, 100, 1_000, 10_000] {
        let source = plain(pages);
        group.bench_function(BenchmarkId::new("pages", pages), |bench| {
            bench.iter(|| black_box(ours(&source, pages / 2)))
        });
    }
    for copies in [1, 10, 100] {
        for (kind, objects) in [("classic", ObjectStreamMode::Disable), ("object streams", ObjectStreamMode::Generate)]
        {
            let source = grown("latex.pdf", copies, objects);
            let label = BenchmarkId::new(kind, format!("{} kB", source.len() / 1000));
            group.bench_function(label, |bench| bench.iter(|| black_box(ours(&source, 1))));
        }
    }
    group.finish();
}

/// The median time of nine calls.
fn median(work: impl Fn() -> usize) -> Duration {
    let mut times: Vec<Duration> = (0..9)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(4).copied().unwrap_or_default()
}

fn beside_peers() {
    println!("\n{:<40}{:>12}{:>16}{:>16}", "one page, cold", "pagewise", "lopdf", "libqpdf");
    let cases = [
        ("latex.pdf", fixture("latex.pdf")),
        ("shared-resources.pdf", fixture("shared-resources.pdf")),
        ("latex.pdf x 100, classic", grown("latex.pdf", 100, ObjectStreamMode::Disable)),
        ("latex.pdf x 100, object streams", grown("latex.pdf", 100, ObjectStreamMode::Generate)),
        ("10,000 plain pages", plain(10_000)),
    ];
    for (name, source) in cases {
        let own = median(|| ours(&source, 1));
        let times = |peer: Duration| format!("{:.0}x", peer.as_secs_f64() / own.as_secs_f64());
        let (lopdf, libqpdf) = (median(|| by_lopdf(&source, 1)), median(|| by_libqpdf(&source, 1)));
        println!("{name:<40}{:>12}{:>16}{:>16}", format!("{own:.2?}"), times(lopdf), times(libqpdf));
    }
}

fn main() {
    let mut criterion =
        Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2)).configure_from_args();
    cold(&mut criterion);
    warm(&mut criterion);
    growth(&mut criterion);
    criterion.final_summary();
    beside_peers();
}
