//! What it costs to record a delivery: alone, and with seven other processes that record on the same store.
//!
//! `cargo bench --bench record`. The other processes are this program again; each records as fast as it can, or, as a
//! server does, once every few milliseconds.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and stops when it cannot go on"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use criterion::Criterion;
use pagewise::hash::{ContentHash, PageFingerprint};
use pagewise::page::PageIndex;
use pagewise::store::{Delivery, Sent, SqliteStore, ViewStore};
use pagewise::view::{ConversationId, FileKey, Form, Held, Holding, Sequence};

/// Where another process of this program records, and how long it rests between two.
const FOLDER: &str = "PAGEWISE_BENCH_FOLDER";
const REST: &str = "PAGEWISE_BENCH_REST_US";

const OTHERS: usize = 7;
const COMMITS: u32 = 5_000;

fn delivery(at: u32) -> Delivery {
    let mut print = [0; 32];
    print.iter_mut().zip(at.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    let what = Held::Page { fingerprint: PageFingerprint(print), page: PageIndex(at), form: Form::Document };
    let holding = Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what };
    // As the context records a page: on a plan, with the name of the file.
    Delivery {
        planned: Some(Sequence(u64::MAX)),
        holdings: vec![holding],
        names: BTreeMap::from([(holding.file, "/home/someone/project/documents/report.pdf".to_owned())]),
        sent: Sent { blocks: 1, pages: 1, bytes: 20_000, tokens: 2_000 },
        ..Delivery::default()
    }
}

fn record(store: &SqliteStore, conversation: &ConversationId, at: u32) {
    store.record(conversation, &delivery(at), SystemTime::now()).unwrap();
}

/// Records until it is killed.
fn other(folder: &Path) {
    let rest = Duration::from_micros(std::env::var(REST).unwrap().parse().unwrap());
    let store = SqliteStore::open(folder).unwrap().0;
    let conversation: ConversationId = std::process::id().to_string().parse().unwrap();
    for at in 0.. {
        record(&store, &conversation, at % 1_000);
        if !rest.is_zero() {
            std::thread::sleep(rest);
        }
    }
}

fn start_others(folder: &Path, rest: Duration) -> Vec<Child> {
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .env(FOLDER, folder)
            .env(REST, rest.as_micros().to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    (0..OTHERS).map(|_| start()).collect()
}

/// Median, 99th and highest of single commits; this process rests between them as the others do.
fn measure(name: &str, others: usize, rest: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap().0;
    let mut children = if others == 0 { Vec::new() } else { start_others(folder.path(), rest) };
    std::thread::sleep(Duration::from_millis(200));
    let conversation: ConversationId = "measured".parse().unwrap();
    let mut times: Vec<Duration> = (0..COMMITS)
        .map(|at| {
            std::thread::sleep(rest);
            let start = Instant::now();
            record(&store, &conversation, at);
            start.elapsed()
        })
        .collect();
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 1_000).copied().unwrap_or_default();
    println!("{name:<44} median {:>9.1?}  p99 {:>9.1?}  highest {:>9.1?}", at(500), at(990), at(999));
}

fn main() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        other(Path::new(&folder));
        return;
    }
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap().0;
    let conversation: ConversationId = "alone".parse().unwrap();
    let mut at = 0_u32;
    criterion.bench_function("one page recorded", |bencher| {
        bencher.iter(|| {
            at = (at + 1) % 1_000;
            record(&store, &conversation, at);
        });
    });
    criterion.final_summary();
    measure("alone", 0, Duration::ZERO);
    measure("alone, every 5 ms", 0, Duration::from_millis(5));
    measure("8 processes, each every 5 ms", OTHERS, Duration::from_millis(5));
    measure("8 processes, each as fast as it can", OTHERS, Duration::ZERO);
}
