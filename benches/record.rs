//! What it costs to record a delivery and to read what is held: alone, and with seven other processes that record on the
//! same store; and what an answer waits for because deliveries are recorded.
//!
//! `cargo bench --bench record`. The other processes are this program again; each records as fast as it can, or, as a
//! server does, once every few milliseconds. A door records once the answer was written, so the answer itself waits for
//! no more than what the store is asked while it is planned: its time is given over a store on disk and over one in
//! memory, in turn.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and stops when it cannot go on"
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use criterion::Criterion;
use pagewise::context::{AnswerSettings, ContextConfig, ContextManager, FileRequest, Isolation};
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_store::{ConversationCopies, SqliteStore, ViewStore, change};
use pagewise_view::{
    Conversation, ConversationChange, ConversationId, DeliveryRecord, FileKey, HeldItem, Holding, LineSpan, PageForm,
    Sequence, Usage, Version,
};
use pagewise_web::WebSettings;

/// Where another process of this program records, and how long it rests between two.
const FOLDER: &str = "PAGEWISE_BENCH_FOLDER";
const REST: &str = "PAGEWISE_BENCH_REST_US";

const OTHERS: usize = 7;
const COMMITS: u32 = 5_000;

fn delivery(at: u32) -> DeliveryRecord {
    let mut print = [0; 32];
    print.iter_mut().zip(at.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    let what = HeldItem::Page {
        fingerprint: PageFingerprint(print),
        page: PageIndex(at),
        form: PageForm::Document,
        is_shared: false,
    };
    let holding = Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what };
    // As the context records a page: on a plan, with the name of the file.
    DeliveryRecord {
        planned: Version { begun: 0, latest: Sequence(u64::MAX) },
        holdings: vec![holding],
        names: BTreeMap::from([(holding.file, "/home/someone/project/documents/report.pdf".to_owned())]),
        sent: Usage { blocks: 1, pages: 1, bytes: 20_000, tokens: 2_000 },
        ..DeliveryRecord::default()
    }
}

/// The copies of one thread.
#[derive(Default)]
pub(crate) struct Kept(RefCell<BTreeMap<ConversationId, Arc<Conversation>>>);

impl ConversationCopies for Kept {
    fn take(&self, id: &ConversationId) -> Option<Arc<Conversation>> {
        self.0.borrow_mut().remove(id)
    }

    fn keep(&self, id: &ConversationId, conversation: Arc<Conversation>) {
        self.0.borrow_mut().insert(id.clone(), conversation);
    }
}

/// Records as the context does: on the copy that it has at hand.
pub(crate) fn record(store: &dyn ViewStore, kept: &Kept, conversation: &ConversationId, delivery: DeliveryRecord) {
    let record = ConversationChange::Record(delivery);
    assert!(change(store, kept, conversation, record, SystemTime::now()).unwrap().version.is_some());
}

/// Records until it is killed.
fn other(folder: &Path) {
    let rest = Duration::from_micros(std::env::var(REST).unwrap().parse().unwrap());
    let store = SqliteStore::open(folder).unwrap().0;
    let conversation: ConversationId = std::process::id().to_string().parse().unwrap();
    let kept = Kept::default();
    for at in 0.. {
        record(&store, &kept, &conversation, delivery(at % 1_000));
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

/// Does `work` while `others` record on the store in `folder`.
fn beside<T>(folder: &Path, others: usize, rest: Duration, work: impl FnOnce() -> T) -> T {
    let mut children = if others == 0 { Vec::new() } else { start_others(folder, rest) };
    std::thread::sleep(Duration::from_millis(200));
    let done = work();
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    done
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

/// Median, 99th and highest.
fn print(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 1_000).copied().unwrap_or_default();
    println!("{name:<52} median {:>9.1?}  p99 {:>9.1?}  highest {:>9.1?}", at(500), at(990), at(999));
}

/// Single commits; this process rests between them as the others do.
fn commits(name: &str, others: usize, rest: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap().0;
    let conversation: ConversationId = "measured".parse().unwrap();
    let kept = Kept::default();
    let one = |at| {
        std::thread::sleep(rest);
        timed(|| record(&store, &kept, &conversation, delivery(at % 200))).1
    };
    print(name, beside(folder.path(), others, rest, || (0..COMMITS).map(one).collect()));
}

/// What a request asks first, of a conversation that holds 20 pages and did not change since; and where it did.
fn readings(name: &str, others: usize, rest: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap().0;
    let conversation: ConversationId = "measured".parse().unwrap();
    (0..20).for_each(|at| record(&store, &Kept::default(), &conversation, delivery(at)));
    let known = store.load(&conversation, None).unwrap();
    let one = |known: Option<Arc<Conversation>>| {
        std::thread::sleep(rest);
        timed(|| store.load(&conversation, known).unwrap()).1
    };
    let each = |_| (one(Some(Arc::clone(&known))), one(None));
    let times: Vec<_> = beside(folder.path(), others, rest, || (0..COMMITS).map(each).collect());
    let (unchanged, all) = times.into_iter().unzip();
    print(&format!("{name}: read, nothing new"), unchanged);
    print(&format!("{name}: read, all of 20 pages"), all);
}

/// Answers in a conversation that holds 5,000 pages as text and 4,999 pieces of texts, each from a file of its own.
fn large() {
    const MANY: u32 = 5_000;
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap().0;
    let conversation: ConversationId = "large".parse().unwrap();
    let holding = |at: u32| {
        let what = HeldItem::Text(LineSpan::new(1 + at * 2, 1 + at * 2).unwrap());
        let page = delivery(at).holdings.remove(0);
        let text = Holding {
            content: ContentHash::of(&at.to_le_bytes()),
            file: FileKey::of(Path::new(&at.to_string())),
            what,
        };
        [page, Holding { content: ContentHash([2; 32]), ..text }]
    };
    let planned = Version { begun: 0, latest: Sequence(u64::MAX) };
    let holdings = (0..MANY).flat_map(holding).skip(1).collect();
    record(&store, &Kept::default(), &conversation, DeliveryRecord { planned, holdings, ..DeliveryRecord::default() });
    let context = context(folder.path(), Some(folder.path().to_path_buf()));
    let request = FileRequest { conversation: Some(conversation), ..FileRequest::whole("notes.txt") };
    let given = |force: bool| {
        let request = FileRequest { force, ..request.clone() };
        let (answer, waited) = timed(|| context.get_file(&request).unwrap());
        let (_, recorded) = timed(|| answer.delivery.commit().unwrap());
        (waited, recorded)
    };
    let (first, _) = given(false);
    println!("a large conversation: the first answer {first:.1?}");
    let (given, held): (Vec<_>, Vec<_>) = (0..500).map(|_| (given(true), given(false))).unzip();
    print("a large conversation: the answer", given.iter().map(|(waited, _)| *waited).collect());
    print("a large conversation: its record", given.iter().map(|(_, recorded)| *recorded).collect());
    print("a large conversation: what is held", held.iter().map(|(waited, _)| *waited).collect());
}

fn context(folder: &Path, data: Option<PathBuf>) -> ContextManager {
    let surroundings = ContextConfig {
        fetched_directory: None,
        ocr_models: None,
        database: None,
        web: WebSettings::default(),
        roots: None,
        working_directory: Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"),
        home: None,
        data_directory: data,
        password: None,
        limits: Limits::default(),
        settings: AnswerSettings { output_directory: folder.to_path_buf(), ..AnswerSettings::default() },
        isolation: Isolation::InProcess,
    };
    let opened = surroundings.open_context().unwrap();
    assert!(opened.warning.is_none(), "{:?}", opened.warning);
    opened.context
}

/// Answers that give a small file, and what is recorded of each after it; over a store on disk and one in memory, in turn.
fn answers(name: &str, others: usize, rest: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let stores = [("in memory", None), ("on disk", Some(folder.path().to_path_buf()))];
    let contexts = stores.map(|(place, data)| (place, context(folder.path(), data)));
    let conversation: ConversationId = "measured".parse().unwrap();
    let request = FileRequest { force: true, conversation: Some(conversation), ..FileRequest::whole("notes.txt") };
    let one = |context: &ContextManager| {
        std::thread::sleep(rest);
        let (answer, waited) = timed(|| context.get_file(&request).unwrap());
        let (_, recorded) = timed(|| answer.delivery.commit().unwrap());
        (waited, recorded)
    };
    let each = || contexts.each_ref().map(|(_, context)| one(context));
    let times: Vec<_> = beside(folder.path(), others, rest, || (0..COMMITS).map(|_| each()).collect());
    for (at, (place, _)) in contexts.iter().enumerate() {
        let (waited, recorded) = times.iter().filter_map(|both| both.get(at).copied()).unzip();
        print(&format!("{name}, {place}: the answer"), waited);
        print(&format!("{name}, {place}: its record"), recorded);
    }
}

#[cfg(feature = "postgres")]
mod postgres;

fn main() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        other(Path::new(&folder));
        return;
    }
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap().0;
    let conversation: ConversationId = "alone".parse().unwrap();
    let (mut at, kept) = (0_u32, Kept::default());
    criterion.bench_function("one page recorded", |bencher| {
        bencher.iter(|| {
            at = (at + 1) % 200;
            record(&store, &kept, &conversation, delivery(at));
        });
    });
    criterion.final_summary();
    let rest = Duration::from_millis(5);
    commits("alone", 0, Duration::ZERO);
    commits("alone, every 5 ms", 0, rest);
    commits("8 processes, each every 5 ms", OTHERS, rest);
    commits("8 processes, each as fast as it can", OTHERS, Duration::ZERO);
    readings("alone", 0, Duration::ZERO);
    readings("8 processes", OTHERS, rest);
    large();
    answers("alone", 0, Duration::ZERO);
    answers("8 processes", OTHERS, rest);
    #[cfg(feature = "postgres")]
    postgres::measure();
}
