//! Every store keeps the same promises; the one on disk keeps them across processes and damage.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::{Duration, SystemTime};

use pagewise::hash::{ContentHash, PageFingerprint};
use pagewise::page::{PageIndex, PageSet};
use pagewise::source::HashStore as _;
use pagewise::store::{
    Delivery, MemoryStore, Pruned, Sent, SqliteStore, StoreError, StoreWarning, ViewStore, open_or_memory,
};
use pagewise::view::{
    ConversationId, ConversationView, FileKey, Forget, Form, Held, Holding, LineSpan, Principal, Sequence,
};
use proptest::prelude::*;

use crate::view::{forget, holding};

fn id(name: &str) -> ConversationId {
    name.parse().unwrap()
}

/// A moment `seconds` after a fixed one.
fn moment(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn page(file: u8, page: u32, print: u8) -> Holding {
    let what = Held::Page { fingerprint: PageFingerprint([print; 32]), page: PageIndex(page), form: Form::Document };
    Holding { content: ContentHash([file; 32]), file: FileKey([file; 32]), what }
}

fn delivery(holdings: &[Holding]) -> Delivery {
    Delivery { holdings: holdings.to_vec(), ..Delivery::default() }
}

fn on_disk(folder: &Path) -> SqliteStore {
    let (store, warning) = SqliteStore::open(folder).unwrap();
    assert!(warning.is_none(), "{warning:?}");
    store
}

/// The promises of [`ViewStore`], on an empty store.
fn conformance(store: &dyn ViewStore) {
    records_what_was_delivered(store);
    forgets_for_good(store);
    forks_by_value(store);
    keeps_generations_owners_and_late_deliveries_apart(store);
    names_files_and_prunes(store);
}

fn records_what_was_delivered(store: &dyn ViewStore) {
    let (a, unknown) = (id("a"), id("unknown"));
    assert_eq!(store.load(&unknown).unwrap(), ConversationView::new());
    assert_eq!(store.describe(&unknown).unwrap(), None);
    assert_eq!(store.head(&unknown).unwrap(), None);
    assert!(store.create(&a, None, moment(0)).unwrap());
    assert!(!store.create(&a, None, moment(1)).unwrap());

    let every_kind = [
        Held::Summary { supports_page_extraction: true },
        Held::Summary { supports_page_extraction: false },
        Held::Text(LineSpan::new(1, u32::MAX).unwrap()),
        Held::Binary,
    ];
    let mut holdings: Vec<Holding> = every_kind.iter().map(|what| Holding { what: *what, ..page(1, 0, 0) }).collect();
    // Beside what was given of a file it would go without saying.
    holdings.push(Holding { what: Held::Known, ..page(2, 0, 0) });
    for form in Form::ALL {
        let fingerprint = PageFingerprint([9; 32]);
        let what = Held::Page { fingerprint, page: PageIndex(u32::MAX), form };
        holdings.push(Holding { what, ..page(1, 0, 0) });
    }
    let sent = Sent { blocks: 2, pages: 1, bytes: 1_000, tokens: 30 };
    let first = store.record(&a, &Delivery { sent, ..delivery(&holdings) }, moment(2)).unwrap().unwrap();
    let second = store.record(&a, &Delivery { sent, ..delivery(&holdings[..1]) }, moment(3)).unwrap().unwrap();
    assert!(second > first);

    let view = store.load(&a).unwrap();
    let expected: BTreeMap<Holding, Sequence> = holdings.iter().skip(1).map(|holding| (*holding, first)).collect();
    let mut loaded: BTreeMap<Holding, Sequence> = view.holdings().map(|(holding, at)| (*holding, at)).collect();
    assert_eq!(loaded.remove(&holdings[0]), Some(second));
    assert_eq!(loaded, expected);
    assert_eq!(store.load_since(&a, first).unwrap().holdings().count(), 1);

    assert_eq!(store.head(&a).unwrap().unwrap().latest, second);
    let record = store.describe(&a).unwrap().unwrap();
    assert_eq!((record.created, record.used, record.head.latest), (moment(0), moment(3), second));
    assert_eq!((record.holdings, record.head.sent), (9, Sent { blocks: 4, pages: 2, bytes: 2_000, tokens: 60 }));
}

fn forgets_for_good(store: &dyn ViewStore) {
    let a = id("forgetful");
    store.record(&a, &delivery(&[page(1, 0, 1), page(1, 1, 2), page(2, 0, 1), page(2, 5, 3)]), moment(4)).unwrap();
    let old = store.load(&a).unwrap();
    let pages: PageSet = [PageIndex(0)].into_iter().collect();
    store.forget(&a, &Forget::Pages { file: FileKey([1; 32]), pages }, moment(5)).unwrap();
    let held = |view: &ConversationView| -> Vec<Holding> { view.holdings().map(|(holding, _)| *holding).collect() };
    let known = |file| Holding { what: Held::Known, ..page(file, 0, 1) };
    let left = [page(1, 1, 2), page(2, 5, 3)];
    assert_eq!(held(&store.load(&a).unwrap()), left, "the page is gone under both names");
    assert_eq!(store.describe(&a).unwrap().unwrap().holdings, 2, "and takes no more room");
    let mut merged = old.clone();
    merged.union(&store.load_since(&a, old.latest()).unwrap());
    assert_eq!(held(&merged), left, "an old copy learns of it");

    store.forget(&a, &Forget::Content(ContentHash([2; 32])), moment(6)).unwrap();
    store.forget(&a, &Forget::File(FileKey([1; 32])), moment(6)).unwrap();
    assert_eq!(held(&store.load(&a).unwrap()), [known(2)], "a file is followed until it is forgotten by its name");
    store.forget(&a, &Forget::File(FileKey([2; 32])), moment(6)).unwrap();
    assert!(store.load(&a).unwrap().is_empty());
    store.record(&a, &delivery(&[page(1, 0, 1)]), moment(7)).unwrap();
    assert_eq!(held(&store.load(&a).unwrap()), [page(1, 0, 1)], "what is given again is held again");

    let epoch = store.forget(&a, &Forget::Everything, moment(8)).unwrap();
    let view = store.load(&a).unwrap();
    assert_eq!((view.is_empty(), view.epoch(), view.tombstones().count()), (true, epoch, 0));
    assert_eq!(store.describe(&a).unwrap().unwrap().head.sent, Sent::default());
}

fn forks_by_value(store: &dyn ViewStore) {
    let (from, to, early) = (id("origin"), id("fork"), id("early fork"));
    let first = store.record(&from, &delivery(&[page(1, 0, 1)]), moment(9)).unwrap().unwrap();
    store.record(&from, &delivery(&[page(1, 1, 2)]), moment(9)).unwrap();
    store.fork(&from, &to, None, moment(10)).unwrap();
    store.fork(&from, &early, Some(first), moment(10)).unwrap();
    store.forget(&from, &Forget::Everything, moment(11)).unwrap();
    assert_eq!(store.load(&to).unwrap().holdings().count(), 2);
    assert_eq!(store.load(&early).unwrap().holdings().count(), 1);

    let unknown = store.fork(&id("nobody"), &id("x"), None, moment(11)).unwrap_err();
    assert!(matches!(unknown, StoreError::UnknownConversation { .. }), "{unknown:?}");
    let taken = store.fork(&from, &to, None, moment(11)).unwrap_err();
    assert!(matches!(taken, StoreError::ConversationExists { .. }), "{taken:?}");
    assert_eq!(store.describe(&id("x")).unwrap(), None);
}

fn keeps_generations_owners_and_late_deliveries_apart(store: &dyn ViewStore) {
    let (a, owner) = (id("of somebody"), Principal::of("somebody"));
    assert!(store.create(&a, Some(&owner), moment(12)).unwrap());
    assert!(!store.create(&a, Some(&Principal::of("another")), moment(12)).unwrap());
    assert_eq!(store.head(&a).unwrap().unwrap().owner, Some(owner));
    let known = Holding { what: Held::Known, ..page(5, 0, 0) };
    assert_eq!(store.enter(&id("of nobody yet"), 0, moment(12)).unwrap(), 0);
    assert!(
        store.load(&id("of nobody yet")).unwrap().epoch() == Sequence::START,
        "the first generation forgets nothing"
    );
    let planned = store.record(&a, &delivery(&[page(5, 0, 1)]), moment(12)).unwrap();
    assert_eq!(store.enter(&a, 0, moment(12)).unwrap(), 0);
    assert_eq!(store.load(&a).unwrap().holdings().count(), 1, "the same generation forgets nothing");
    assert_eq!(store.enter(&a, 7, moment(12)).unwrap(), 7);
    assert_eq!(store.enter(&a, 6, moment(12)).unwrap(), 7, "an earlier one is told which it is");
    let held = || store.load(&a).unwrap().holdings().map(|(holding, _)| *holding).collect::<Vec<_>>();
    assert_eq!(held(), [known], "files stay followed");
    let late = Delivery { planned, sent: Sent { blocks: 1, ..Sent::default() }, ..delivery(&[page(5, 0, 1)]) };
    assert_eq!(store.record(&a, &late, moment(12)).unwrap(), None);
    assert_eq!((held(), store.head(&a).unwrap().unwrap().sent), (vec![known], Sent::default()));

    let planned = Some(store.head(&a).unwrap().unwrap().latest);
    let gone = Forget::Pages { file: FileKey([5; 32]), pages: [PageIndex(0)].into_iter().collect() };
    let moved = Delivery { planned, forget: vec![gone], ..delivery(&[page(5, 1, 1)]) };
    store.record(&a, &delivery(&[page(5, 0, 1)]), moment(12)).unwrap().unwrap();
    store.record(&a, &moved, moment(12)).unwrap().unwrap();
    assert_eq!(held(), [page(5, 1, 1)], "what a delivery forgets goes before what it gives");
    assert_eq!(store.record(&a, &moved, moment(12)).unwrap(), None, "and another that knew nothing of it is late");

    let counted = Delivery { page_counts: BTreeMap::from([(ContentHash([5; 32]), 9)]), ..delivery(&[known]) };
    let all = [(a.clone(), counted), (id("b"), delivery(&[known])), (a.clone(), delivery(&[known]))];
    let all = store.record_all(&all, moment(12)).unwrap();
    assert!(all.iter().all(Option::is_some) && all[0] < all[2], "{all:?}");
    let counts = store.page_counts(&[ContentHash([5; 32]), ContentHash([6; 32])]).unwrap();
    assert_eq!(counts, BTreeMap::from([(ContentHash([5; 32]), 9)]));
    let fork = id("of somebody too");
    store.fork(&a, &fork, None, moment(12)).unwrap();
    let head = store.head(&fork).unwrap().unwrap();
    assert_eq!((head.owner, head.generation), (Some(owner), 7));
    assert_eq!(store.last_pruned().unwrap(), None);
    let last = store.enter(&a, u64::MAX, moment(12)).unwrap();
    store.record(&a, &delivery(&[page(5, 0, 1)]), moment(12)).unwrap().unwrap();
    assert_eq!(store.enter(&a, u64::MAX, moment(12)).unwrap(), last);
    assert_eq!(held(), [page(5, 0, 1)], "however large it is, it is one generation");
    store.forget(&a, &Forget::Everything, moment(12)).unwrap();
    store.forget(&id("b"), &Forget::Everything, moment(12)).unwrap();
    store.forget(&fork, &Forget::Everything, moment(12)).unwrap();
}

fn names_files_and_prunes(store: &dyn ViewStore) {
    let (old, new) = (FileKey([40; 32]), FileKey([41; 32]));
    let named = |file: FileKey, name: &str, holdings: &[Holding]| {
        let names = BTreeMap::from([(file, name.to_owned())]);
        Delivery { names, ..delivery(holdings) }
    };
    store.record(&id("old"), &named(old, "/old.pdf", &[page(40, 0, 1)]), moment(20)).unwrap();
    store.record(&id("big"), &delivery(&[page(42, 0, 1), page(42, 1, 2), page(42, 2, 3)]), moment(31)).unwrap();
    store.record(&id("new"), &named(new, "/new.pdf", &[page(41, 0, 1)]), moment(32)).unwrap();
    let both = BTreeMap::from([(old, "/old.pdf".to_owned()), (new, "/new.pdf".to_owned())]);
    assert_eq!(store.file_names(&[old, new, FileKey([0; 32])]).unwrap(), both);

    store.prune(moment(30), 1_000, moment(33)).unwrap();
    let names = |store: &dyn ViewStore| -> Vec<String> {
        store.conversations().unwrap().iter().map(|record| record.id.to_string()).collect()
    };
    assert_eq!(names(store), ["new", "big"]);
    assert_eq!(store.file_names(&[old, new]).unwrap(), BTreeMap::from([(new, "/new.pdf".to_owned())]));
    assert_eq!(store.prune(moment(0), 4, moment(33)).unwrap(), Pruned::default(), "four fit");
    assert_eq!(store.prune(moment(0), 3, moment(33)).unwrap(), Pruned { conversations: 1, holdings: 3 });
    assert_eq!(names(store), ["new"]);
    let health = store.health().unwrap();
    assert_eq!((health.conversations, health.holdings), (1, 1));
    assert_eq!(store.last_pruned().unwrap(), Some(moment(33)));
    assert_eq!(store.page_counts(&[ContentHash([5; 32])]).unwrap(), BTreeMap::new());
}

#[test]
fn the_store_in_memory_conforms() {
    conformance(&MemoryStore::new());
}

#[test]
fn the_store_on_disk_conforms() {
    let folder = tempfile::tempdir().unwrap();
    conformance(&on_disk(folder.path()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is done, both stores hold what a plain view holds, and the one on disk still does after a restart.
    #[test]
    fn stores_and_views_agree(steps in prop::collection::vec(
        prop_oneof![3 => prop::collection::vec(holding(), 0..4).prop_map(Ok), 1 => forget().prop_map(Err)], 0..20,
    )) {
        let folder = tempfile::tempdir().unwrap();
        let a = id("a");
        let expected = |store: &dyn ViewStore| {
            let mut view = ConversationView::new();
            for step in &steps {
                match step {
                    Ok(holdings) => {
                        let at = store.record(&a, &delivery(holdings), moment(0)).unwrap().unwrap();
                        holdings.iter().for_each(|holding| view.insert(*holding, at));
                    }
                    Err(what) => drop(view.forget(what, store.forget(&a, what, moment(0)).unwrap())),
                }
            }
            view
        };
        let (memory, disk) = (MemoryStore::new(), on_disk(folder.path()));
        prop_assert_eq!(expected(&memory), memory.load(&a).unwrap());
        let view = expected(&disk);
        prop_assert_eq!(&disk.load(&a).unwrap(), &view);
        drop(disk);
        prop_assert_eq!(&on_disk(folder.path()).load(&a).unwrap(), &view);
    }
}

#[test]
fn four_threads_on_two_handles_lose_nothing() {
    const ROUNDS: u32 = 100;
    let folder = tempfile::tempdir().unwrap();
    let handles = [Arc::new(on_disk(folder.path())), Arc::new(on_disk(folder.path()))];
    let mut sequences: Vec<Sequence> = std::thread::scope(|scope| {
        let write = |handle: Arc<SqliteStore>, file: u8| {
            move || -> Vec<Sequence> {
                let record = |page_at| handle.record(&id("shared"), &delivery(&[page(file, page_at, file)]), moment(0));
                (0..ROUNDS).map(|page_at| record(page_at).unwrap().unwrap()).collect()
            }
        };
        let workers: Vec<_> = (0_u8..8)
            .zip(handles.iter().cycle())
            .map(|(file, handle)| scope.spawn(write(handle.clone(), file)))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let view = on_disk(folder.path()).load(&id("shared")).unwrap();
    assert_eq!(view.holdings().count(), 8 * ROUNDS as usize);
    sequences.sort_unstable();
    assert!(sequences.is_sorted_by(|a, b| a < b), "no sequence is given twice");
}

#[test]
fn many_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for worker in 0_u8..8 {
            let folder = folder.path();
            scope.spawn(move || {
                on_disk(folder).record(&id("a"), &delivery(&[page(worker, 0, worker)]), moment(0)).unwrap()
            });
        }
    });
    assert_eq!(on_disk(folder.path()).load(&id("a")).unwrap().holdings().count(), 8);
}

#[test]
fn folder_and_files_are_the_owners_alone() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data/pagewise");
    let store = on_disk(&folder);
    store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    let database = store.path().to_path_buf();
    drop(store);
    std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
    drop(on_disk(&folder));
    assert_eq!(mode(&database), 0o600);
}

#[test]
fn neither_content_nor_path_is_kept_beside_the_name_table() {
    let folder = tempfile::tempdir().unwrap();
    let store = on_disk(folder.path());
    let file = FileKey::of(Path::new("/secret/plan.pdf"));
    let held = Holding { file, ..page(1, 0, 1) };
    store.record(&id("a"), &delivery(&[held]), moment(0)).unwrap();
    drop(store);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"secret"));
    }
}

#[test]
fn a_corrupt_database_is_set_aside_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let database = on_disk(folder.path()).path().to_path_buf();
    for (round, junk) in (1..).zip(["not a database ".repeat(300), "x".repeat(99), "SQLite format 3\0".repeat(64)]) {
        std::fs::write(&database, &junk).unwrap();
        let (store, warning) = SqliteStore::open(folder.path()).unwrap();
        let Some(StoreWarning::SetAside { set_aside }) = warning else { panic!("{warning:?}") };
        assert!(set_aside.to_str().unwrap().ends_with(&format!(".corrupt-{round}")));
        assert_eq!(std::fs::read_to_string(set_aside).unwrap(), junk);
        store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
        drop(store);
        assert_eq!(on_disk(folder.path()).load(&id("a")).unwrap().holdings().count(), 1);
    }
}

#[test]
fn journals_go_aside_with_their_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("views.sqlite3");
    std::fs::write(&database, "junk".repeat(100)).unwrap();
    std::fs::write(folder.path().join("views.sqlite3-wal"), "its journal").unwrap();
    let (store, _) = SqliteStore::open(folder.path()).unwrap();
    assert_eq!(store.path(), database);
    let aside = std::fs::read_to_string(folder.path().join("views.sqlite3.corrupt-1-wal")).unwrap();
    assert_eq!(aside, "its journal");
}

#[test]
fn many_that_find_it_corrupt_set_it_aside_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("views.sqlite3"), "junk".repeat(100)).unwrap();
        let start = Barrier::new(4);
        let set_aside: usize = std::thread::scope(|scope| {
            let open = || {
                start.wait();
                SqliteStore::open(folder.path()).unwrap().1
            };
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            workers.into_iter().filter_map(|worker| worker.join().unwrap()).count()
        });
        assert_eq!(set_aside, 1);
        assert!(!folder.path().join("views.sqlite3.corrupt-2").exists());
    }
}

#[test]
fn a_database_that_is_corrupt_within_is_set_aside_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let store = on_disk(folder.path());
    let pages: Vec<Holding> = (0..2_000).map(|at| page(1, at, 1)).collect();
    store.record(&id("a"), &delivery(&pages), moment(0)).unwrap();
    let database = store.path().to_path_buf();
    drop(store);
    let mut bytes = std::fs::read(&database).unwrap();
    // The first pages stay: the schema reads well, and the rows do not.
    bytes[12 * 4096..].fill(0xa5);
    std::fs::write(&database, bytes).unwrap();

    let store = on_disk(folder.path());
    let error = store.load(&id("a")).unwrap_err();
    let StoreError::Corrupt { set_aside: Some(set_aside), .. } = error else { panic!("{error:?}") };
    assert!(set_aside.exists());
    store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
    assert_eq!(store.load(&id("a")).unwrap().holdings().count(), 1);
}

/// What changed bytes do to a database that SQLite itself does not call corrupt.
#[test]
fn a_database_that_is_not_what_it_should_be_is_set_aside_and_not_kept_for_ever() {
    let damages = [
        "UPDATE sqlite_schema SET sql = replace(sql, 'fingerprint BLOB', 'fingeqprint BLOB')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'used_at', 'used_as')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'generation', 'geneqation')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'path TEXT', 'pach TEXT')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'REFERENCES conversation', 'REFERENCES conversatioo')",
        "DROP TABLE floor",
        "DELETE FROM floor",
        "DROP TABLE tombstone",
        "UPDATE holding SET content = zeroblob(31)",
        "UPDATE conversation SET owner = x'00'",
        "UPDATE file_name SET path = CAST(x'ff' AS TEXT)",
        "UPDATE page_count SET pages = -1",
        "INSERT INTO tombstone VALUES (1, 0, x'00', 0, 0, 1000)",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 2",
    ];
    for damage in damages {
        let folder = tempfile::tempdir().unwrap();
        let holding = page(1, 0, 1);
        let full = Delivery {
            names: [(holding.file, "/a.pdf".to_owned())].into(),
            page_counts: [(holding.content, 1)].into(),
            ..delivery(&[holding])
        };
        on_disk(folder.path()).record(&id("a"), &full, moment(0)).unwrap();
        let database = rusqlite::Connection::open(folder.path().join("views.sqlite3")).unwrap();
        database.execute_batch(&format!("PRAGMA writable_schema = ON; {damage}")).unwrap();
        drop(database);
        let (store, warning) = SqliteStore::open(folder.path()).unwrap();
        let used = || -> Result<(), StoreError> {
            store.head(&id("a"))?;
            store.load(&id("a"))?;
            store.file_names(&[holding.file])?;
            store.page_counts(&[holding.content])?;
            store.record(&id("b"), &full, moment(0))?;
            Ok(())
        };
        let told = match (warning, used()) {
            (Some(warning), used) => used.map(|()| warning.to_string()).unwrap(),
            (None, used) => used.unwrap_err().to_string(),
        };
        assert!(told.contains("views.sqlite3.corrupt-1; conversations start anew"), "{damage}: {told}");
        used().unwrap();
        assert_eq!(store.load(&id("b")).unwrap().holdings().count(), 1, "{damage}");
        assert!(!folder.path().join("views.sqlite3.corrupt-2").exists(), "{damage}");
    }
}

#[test]
fn an_index_that_leads_nowhere_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = on_disk(folder.path());
    for name in ["the first", "the second"] {
        store.create(&id(name), None, moment(0)).unwrap();
    }
    let database = store.path().to_path_buf();
    drop(store);
    let mut bytes = std::fs::read(&database).unwrap();
    // A row of the index: the name, then the number of the row that has it.
    let row = b"the second\x02";
    let at = bytes.windows(row.len()).position(|window| window == row).unwrap() + row.len() - 1;
    bytes[at] = 7;
    std::fs::write(&database, bytes).unwrap();
    let store = on_disk(folder.path());
    let error = store.head(&id("the second")).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { set_aside: Some(_), .. }), "{error:?}");
    assert!(store.create(&id("the second"), None, moment(0)).unwrap());
}

/// An error that has another reason than the file: it is looked into, found sound, and stays.
#[test]
fn a_sound_database_is_never_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let store = on_disk(folder.path());
    store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
    let other = rusqlite::Connection::open(store.path()).unwrap();
    let trigger = "CREATE TRIGGER no BEFORE INSERT ON holding BEGIN SELECT RAISE(ABORT, 'no'); END";
    other.execute_batch(trigger).unwrap();
    let error = store.record(&id("a"), &delivery(&[page(1, 1, 2)]), moment(0)).unwrap_err();
    assert!(matches!(error, StoreError::Database { .. }), "{error:?}");
    other.execute_batch("DROP TRIGGER no").unwrap();
    store.record(&id("a"), &delivery(&[page(1, 1, 2)]), moment(0)).unwrap();
    assert_eq!(store.load(&id("a")).unwrap().holdings().count(), 2);
    // A later program may bring the tables further while this one has them open.
    other.execute_batch("PRAGMA user_version = 99; DROP TABLE holding").unwrap();
    let error = store.load(&id("a")).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 99, .. }), "{error:?}");
    assert_eq!(store.take_warning().map(|warning| warning.to_string()), None);
}

/// Whoever notices: a look for a file's hash has no error to tell it with.
#[test]
fn a_database_that_was_set_aside_by_a_reading_is_told_once() {
    for notices in ["hash", "head"] {
        let folder = tempfile::tempdir().unwrap();
        let store = on_disk(folder.path());
        store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
        let other = rusqlite::Connection::open(store.path()).unwrap();
        other
            .execute_batch("DROP TABLE file_hash; DROP TABLE holding; ALTER TABLE conversation DROP COLUMN owner")
            .unwrap();
        match notices {
            "hash" => assert_eq!(store.load_hash(&[1; 32]), None),
            _ => assert!(store.head(&id("a")).is_err()),
        }
        store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
        let warning = store.take_warning().unwrap().to_string();
        assert!(warning.contains("views.sqlite3.corrupt-1; conversations start anew"), "{warning}");
        assert!(store.take_warning().is_none());
        // What a writing finds is its own error.
        let other = rusqlite::Connection::open(store.path()).unwrap();
        other.execute_batch("DROP TABLE holding").unwrap();
        let error = store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap_err();
        assert!(error.to_string().contains("views.sqlite3.corrupt-2"), "{error}");
        assert!(store.take_warning().is_none());
    }
}

#[test]
fn a_database_that_another_took_away_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (store, other) = (on_disk(&data), on_disk(&data));
    let before = store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
    std::thread::sleep(Duration::from_millis(1_100));
    std::fs::rename(&data, folder.path().join("elsewhere")).unwrap();
    let after = store.record(&id("a"), &delivery(&[page(1, 1, 2)]), moment(0)).unwrap();
    assert!(after > before, "a new database goes on after the old one");
    drop(store);
    for holdings in [1, 2] {
        assert_eq!(other.load(&id("a")).unwrap().holdings().count(), holdings);
        assert_eq!(on_disk(&data).load(&id("a")).unwrap().holdings().count(), holdings);
        other.record(&id("a"), &delivery(&[page(1, 2, 3)]), moment(0)).unwrap();
    }
}

/// The part of [`what_was_reported_as_recorded_survives_a_kill`] that is killed.
#[test]
#[ignore = "runs as a process of its own, and ends only by being killed"]
fn records_until_killed() {
    let (Some(folder), Ok(name)) = (std::env::var_os("PAGEWISE_TEST_FOLDER"), std::env::var("PAGEWISE_TEST_NAME"))
    else {
        return;
    };
    let store = on_disk(Path::new(&folder));
    let name = id(&name);
    let mut output = std::io::stdout();
    for at in 0.. {
        store.record(&name, &delivery(&[page(1, at, 1)]), moment(0)).unwrap();
        output.write_all(format!("recorded {at}.\n").as_bytes()).unwrap();
        output.flush().unwrap();
    }
}

/// Processes that record on one store at a time.
const PROCESSES: u64 = 8;

fn recorder(folder: &Path, name: &str) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::records_until_killed", "--ignored", "--nocapture"])
        .env("PAGEWISE_TEST_FOLDER", folder)
        .env("PAGEWISE_TEST_NAME", name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// 32 kills in each run; `PAGEWISE_KILLS=5000` makes more.
#[test]
fn what_was_reported_as_recorded_survives_a_kill() {
    let kills: u64 = std::env::var("PAGEWISE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(32);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..kills.div_ceil(PROCESSES) {
        kill_eight(folder.path(), round);
        let store = on_disk(folder.path());
        store.prune(moment(1), 0, moment(1)).unwrap();
    }
}

/// Starts eight recorders, kills each after another time, and compares what they reported with what is there.
fn kill_eight(folder: &Path, round: u64) {
    let names: Vec<String> = (0..PROCESSES).map(|process| format!("{round}-{process}")).collect();
    let mut children: Vec<_> = names.iter().map(|name| recorder(folder, name)).collect();
    let outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap()).lines()).collect();
    // Another time each, some before the first record and some long after.
    let hash = |process: u64| blake3::hash(&(round * PROCESSES + process).to_le_bytes());
    for (process, child) in (0..).zip(&mut children) {
        let spread = u64::from(hash(process).as_bytes()[0]);
        std::thread::sleep(Duration::from_micros(spread * 60));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let store = on_disk(folder);
    for (name, output) in names.iter().zip(outputs) {
        // What stands in the pipe was reported too; its last line may be cut.
        let last = output.map_while(Result::ok).filter_map(|line| reported(&line)).last();
        let view = store.load(&id(name)).unwrap();
        let held = view.pages_in(&ContentHash([1; 32]), Form::Document);
        let acknowledged = last.map_or(0, |last| u64::from(last) + 1);
        assert!(
            (0..acknowledged).all(|at| held.contains(PageIndex(u32::try_from(at).unwrap()))),
            "{last:?} reported, held {held}"
        );
        // One more may be there, whose report was not written any more.
        assert!(held.len() <= acknowledged + 1, "{last:?} reported, held {held}");
        assert_eq!(view.holdings().count() as u64, held.len(), "a phantom");
    }
}

fn reported(line: &str) -> Option<u32> {
    // The first line of a test's output follows the test's name.
    line.split_once("recorded ")?.1.strip_suffix('.')?.parse().ok()
}

/// The tables of the first version, as it made them.
const FIRST_SCHEMA: &str = "
CREATE TABLE counter (id INTEGER PRIMARY KEY CHECK (id = 0), sequence INTEGER NOT NULL) STRICT;
INSERT INTO counter VALUES (0, 1000);
CREATE TABLE conversation (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 0, latest INTEGER NOT NULL DEFAULT 0,
    blocks INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO conversation VALUES (1, 'a', 1, 2, 0, 1000, 3, 4, 5);
CREATE TABLE holding (conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    content BLOB NOT NULL, file BLOB NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    form INTEGER NOT NULL, fingerprint BLOB NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (conversation, content, file, kind, first, last, form, fingerprint)) STRICT, WITHOUT ROWID;
INSERT INTO holding VALUES (1, zeroblob(32), zeroblob(32), 2, 4, 4, 0, zeroblob(32), 1000);
CREATE TABLE tombstone (conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    kind INTEGER NOT NULL, subject BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    sequence INTEGER NOT NULL, PRIMARY KEY (conversation, kind, subject, first, last)) STRICT, WITHOUT ROWID;
CREATE TABLE file_name (file BLOB PRIMARY KEY, path TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE file_hash (stat BLOB PRIMARY KEY, content BLOB NOT NULL, used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;
";

#[test]
fn a_store_of_the_first_version_is_brought_up_to_date_and_keeps_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let old = rusqlite::Connection::open(folder.path().join("views.sqlite3")).unwrap();
    old.execute_batch(FIRST_SCHEMA).unwrap();
    drop(old);
    // Many processes may find it at once.
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| on_disk(folder.path()))));
    });
    let store = on_disk(folder.path());
    let held = page(0, 4, 0);
    assert_eq!(store.load(&id("a")).unwrap().holdings().map(|(holding, _)| *holding).collect::<Vec<_>>(), [held]);
    let head = store.head(&id("a")).unwrap().unwrap();
    assert_eq!((head.generation, head.owner, head.latest), (0, None, Sequence(1000)));
    assert_eq!(head.sent, Sent { blocks: 3, pages: 0, bytes: 4, tokens: 5 });
    assert_eq!((store.last_pruned().unwrap(), store.enter(&id("a"), 1, moment(0)).unwrap()), (None, 1));
    assert_eq!(store.record(&id("a"), &delivery(&[held]), moment(0)).unwrap(), Some(Sequence(1003)));
}

/// What the second version added.
const SECOND_SCHEMA: &str = "
ALTER TABLE conversation ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN owner BLOB;
ALTER TABLE conversation ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counter ADD COLUMN pruned_at INTEGER;
CREATE TABLE page_count (content BLOB PRIMARY KEY, pages INTEGER NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = 2;
";

#[test]
fn a_store_of_the_second_version_knows_what_it_forgot_and_goes_on_counting() {
    let folder = tempfile::tempdir().unwrap();
    let old = rusqlite::Connection::open(folder.path().join("views.sqlite3")).unwrap();
    old.execute_batch(FIRST_SCHEMA).unwrap();
    old.execute_batch(SECOND_SCHEMA).unwrap();
    // Under a clock of the next century.
    let future = 4_000_000_000_000_000_u64;
    let late =
        format!("UPDATE counter SET sequence = {future}, pruned_at = 7; UPDATE conversation SET latest = {future};");
    old.execute_batch(&late).unwrap();
    old.execute_batch("INSERT INTO tombstone VALUES (1, 0, zeroblob(32), 0, 0, 900)").unwrap();
    let mut counts = old.prepare("UPDATE counter SET sequence = sequence + 1").unwrap();
    counts.execute([]).unwrap();

    let store = on_disk(folder.path());
    assert!(counts.execute([]).is_err(), "a program of that version that has it open is refused");
    assert_eq!(store.last_pruned().unwrap(), Some(SystemTime::UNIX_EPOCH + Duration::from_secs(7)));
    let planned = |at| Delivery { planned: Some(Sequence(at)), ..delivery(&[page(1, 2, 3)]) };
    assert_eq!(store.record(&id("a"), &planned(899), moment(8)).unwrap(), None);
    assert_eq!(store.record(&id("a"), &planned(900), moment(8)).unwrap(), Some(Sequence(future + 1)));
    store.prune(moment(9), 0, moment(9)).unwrap();
    let again = store.record(&id("a"), &delivery(&[page(1, 2, 3)]), moment(10)).unwrap().unwrap();
    assert!(again > Sequence(future + 1), "what is pruned and comes back is no younger: {again:?}");
}

#[test]
fn a_later_schema_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let database = on_disk(folder.path()).path().to_path_buf();
    let later = rusqlite::Connection::open(&database).unwrap();
    later.pragma_update(None, "user_version", 99).unwrap();
    drop(later);
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 99, known: 3, .. }), "{error:?}");
    assert!(database.exists());
}

#[test]
fn without_a_usable_folder_views_are_kept_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    for unusable in [file.join("data"), "/proc/pagewise".into()] {
        let opened = open_or_memory(&unusable);
        let reason = opened.warning.unwrap();
        assert!(matches!(reason, StoreWarning::MemoryOnly { reason: StoreError::Folder { .. } }), "{reason:?}");
        opened.views.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
        assert_eq!(opened.views.health().unwrap().database, None);
    }
    assert!(open_or_memory(folder.path()).warning.is_none());
}

#[test]
fn a_lock_held_too_long_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let store = on_disk(folder.path());
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error:?}");
    assert!(store.load(&id("a")).unwrap().is_empty(), "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
}

#[test]
fn content_hashes_outlive_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let (key, content) = ([5; 32], ContentHash::of(b"content"));
    on_disk(folder.path()).save_hash(&key, content, moment(0));
    let store = on_disk(folder.path());
    assert_eq!((store.load_hash(&key), store.load_hash(&[6; 32])), (Some(content), None));
    store.prune(moment(1), 10, moment(1)).unwrap();
    assert_eq!(store.load_hash(&key), None);
}
