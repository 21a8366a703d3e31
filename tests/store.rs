//! The store on disk keeps its promises across processes, versions and damage; `store_promises` has what all promise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, SystemTime};

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::PageIndex;
use pagewise_store::HashStore as _;
use pagewise_store::{SessionStore as _, SqliteStore, StoreError, StoreWarning, ViewStore, open_or_memory};
use pagewise_view::{
    ConversationId, DeliveryRecord, FileKey, HeldItem, Holding, LineSpan, Moment, PageForm, Principal, Sequence,
    StepKind, Usage, Version,
};

use crate::support::scripted_store::{Changes as _, loaded};

fn id(name: &str) -> ConversationId {
    name.parse().unwrap()
}

/// A moment `seconds` after a fixed one.
fn moment(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn page(file: u8, page: u32, print: u8) -> Holding {
    let what = HeldItem::Page {
        fingerprint: PageFingerprint([print; 32]),
        page: PageIndex(page),
        form: PageForm::Document,
        is_shared: false,
    };
    Holding { content: ContentHash([file; 32]), file: FileKey([file; 32]), what }
}

fn delivery(holdings: &[Holding]) -> DeliveryRecord {
    DeliveryRecord { holdings: holdings.to_vec(), ..DeliveryRecord::default() }
}

fn on_disk(folder: &Path) -> SqliteStore {
    let (store, warning) = SqliteStore::open(folder).unwrap();
    assert!(warning.is_none(), "{warning:?}");
    store
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
    assert_eq!(loaded(&on_disk(folder.path()), &id("a")).len(), 8);
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
        assert_eq!(loaded(&on_disk(folder.path()), &id("a")).len(), 1);
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
    let error = store.load(&id("a"), None).unwrap_err();
    let StoreError::Corrupt { set_aside: Some(set_aside), .. } = error else { panic!("{error:?}") };
    assert!(set_aside.exists());
    store.record(&id("a"), &delivery(&[page(1, 0, 1)]), moment(0)).unwrap();
    assert_eq!(loaded(&store, &id("a")).len(), 1);
}

/// What changed bytes do to a database that SQLite itself does not call corrupt.
#[test]
fn a_database_that_is_not_what_it_should_be_is_set_aside_and_not_kept_for_ever() {
    let damages = [
        "UPDATE sqlite_schema SET sql = replace(sql, 'body BLOB', 'bodi BLOB')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'used_at', 'used_as')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'revision', 'reqision')",
        "DROP TABLE pruning",
        "DELETE FROM pruning",
        "UPDATE conversation SET body = zeroblob(3)",
        "UPDATE conversation SET body = substr(body, 1, length(body) - 1)",
        "UPDATE conversation SET head = x'00'",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 2",
        "PRAGMA user_version = 3",
    ];
    for damage in damages {
        let folder = tempfile::tempdir().unwrap();
        let holding = page(1, 0, 1);
        let full = DeliveryRecord {
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
            store.load(&id("a"), None)?;
            store.list()?;
            store.last_pruned()?;
            store.record(&id("b"), &full, moment(0))?;
            Ok(())
        };
        let told = match (warning, used()) {
            (Some(warning), used) => used.map(|()| warning.to_string()).unwrap(),
            (None, used) => used.unwrap_err().to_string(),
        };
        assert!(told.contains("views.sqlite3.corrupt-1; conversations start anew"), "{damage}: {told}");
        used().unwrap();
        assert_eq!(loaded(&store, &id("b")).len(), 1, "{damage}");
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
    // A row of the index: the name, then the number of the row that has it. The index stands after its table, where a
    // revision, which is any number, follows the name.
    let row = b"the second\x02";
    let at = bytes.windows(row.len()).rposition(|window| window == row).unwrap() + row.len() - 1;
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
    let trigger = "CREATE TRIGGER no BEFORE UPDATE ON conversation BEGIN SELECT RAISE(ABORT, 'no'); END";
    other.execute_batch(trigger).unwrap();
    let error = store.record(&id("a"), &delivery(&[page(1, 1, 2)]), moment(0)).unwrap_err();
    assert!(matches!(error, StoreError::Database { .. }), "{error:?}");
    other.execute_batch("DROP TRIGGER no").unwrap();
    store.record(&id("a"), &delivery(&[page(1, 1, 2)]), moment(0)).unwrap();
    assert_eq!(loaded(&store, &id("a")).len(), 2);
    // A later program may bring the tables further while this one has them open.
    other.execute_batch("PRAGMA user_version = 99; DROP TABLE conversation").unwrap();
    let error = store.load(&id("a"), None).unwrap_err();
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
        other.execute_batch("DROP TABLE file_hash; ALTER TABLE conversation DROP COLUMN head").unwrap();
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
        other.execute_batch("DROP TABLE conversation").unwrap();
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
    std::fs::rename(&data, folder.path().join("elsewhere")).unwrap();
    let after = store.record(&id("a"), &delivery(&[page(1, 1, 2)]), moment(0)).unwrap();
    assert_ne!(after.unwrap().begun, before.unwrap().begun, "it is another conversation");
    drop(store);
    for holdings in [1, 2] {
        assert_eq!(loaded(&other, &id("a")).len(), holdings);
        assert_eq!(loaded(&on_disk(&data), &id("a")).len(), holdings);
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
        let view = loaded(&store, &id(name));
        let held = view.pages_in(&ContentHash([1; 32]), PageForm::Document);
        let acknowledged = last.map_or(0, |last| u64::from(last) + 1);
        assert!(
            (0..acknowledged).all(|at| held.contains(PageIndex(u32::try_from(at).unwrap()))),
            "{last:?} reported, held {held}"
        );
        // One more may be there, whose report was not written any more.
        assert!(held.len() <= acknowledged + 1, "{last:?} reported, held {held}");
        assert_eq!(view.len() as u64, held.len(), "a phantom");
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

/// What the second version added.
const SECOND_SCHEMA: &str = "
ALTER TABLE conversation ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN owner BLOB;
ALTER TABLE conversation ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counter ADD COLUMN pruned_at INTEGER;
CREATE TABLE page_count (content BLOB PRIMARY KEY, pages INTEGER NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = 2;
";

/// What the third version made of them.
const THIRD_SCHEMA: &str = "
CREATE TABLE floor (id INTEGER PRIMARY KEY CHECK (id = 0), sequence INTEGER NOT NULL, pruned_at INTEGER) STRICT;
INSERT INTO floor SELECT id, sequence, pruned_at FROM counter;
DROP TABLE counter;
ALTER TABLE conversation ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
UPDATE conversation SET forgotten =
    max(epoch, (SELECT ifnull(max(sequence), 0) FROM tombstone WHERE tombstone.conversation = conversation.id));
PRAGMA user_version = 3;
";

fn old_database(folder: &Path, statements: &[&str]) -> rusqlite::Connection {
    let old = rusqlite::Connection::open(folder.join("views.sqlite3")).unwrap();
    statements.iter().for_each(|statements| old.execute_batch(statements).unwrap());
    old
}

#[test]
fn a_store_of_any_earlier_version_is_brought_up_to_date_and_keeps_what_it_holds() {
    let schemas = [FIRST_SCHEMA, SECOND_SCHEMA, THIRD_SCHEMA];
    for last in 1..=schemas.len() {
        let folder = tempfile::tempdir().unwrap();
        drop(old_database(folder.path(), &schemas[..last]));
        // Many processes may find it at once.
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| on_disk(folder.path()))));
        });
        let store = on_disk(folder.path());
        let held = page(0, 4, 0);
        assert_eq!(loaded(&store, &id("a")).holdings().collect::<Vec<_>>(), [(&held, Sequence(1000))]);
        let head = store.head(&id("a")).unwrap().unwrap();
        assert_eq!((head.generation, head.owner, head.latest), (0, None, Sequence(1000)));
        assert_eq!(head.sent, Usage { blocks: 3, pages: 0, bytes: 4, tokens: 5 });
        assert!(head.begun > 0);
        assert_eq!((store.last_pruned().unwrap(), store.enter(&id("a"), 1, moment(0)).unwrap()), (None, 1));
        let planned = Version { latest: Sequence(1001), ..head.version() };
        let next =
            store.record(&id("a"), &DeliveryRecord { planned, ..delivery(&[held]) }, moment(0)).unwrap().unwrap();
        assert_eq!((next.begun, next.latest), (head.begun, Sequence(1002)), "it goes on counting");
    }
}

/// What tombstones of the third version cover, in a conversation of three files of two pages, and what is left of it:
/// pages as file and place, files that are only followed as their name.
#[test]
fn what_tombstones_covered_is_deleted_and_all_else_is_kept() {
    let blob = |byte: u8| format!("x'{}'", format!("{byte:02x}").repeat(32));
    let tombstone = |kind: u8, subject: u8, first: u32, last: u32, at: u32| {
        format!("INSERT INTO tombstone VALUES (1, {kind}, {}, {first}, {last}, {at});", blob(subject))
    };
    let cases = [
        (String::new(), "1/0 1/1 2/0 2/1 3/0 3/1"),
        (tombstone(0, 1, 0, 0, 20), "2/0 2/1 3/0 3/1"),
        (tombstone(0, 1, 0, 0, 10), "1/1 2/0 2/1 3/0 3/1"),
        (tombstone(1, 2, 0, 0, 20), "1/0 1/1 2 3/0 3/1"),
        (tombstone(2, 2, 1, 7, 20), "1/0 1/1 2/0 2 3/0 3/1"),
        (tombstone(2, 2, 1, 7, 10), "1/0 1/1 2/0 2/1 3/0 3/1"),
        // The first pages of all show the same.
        (tombstone(3, 9, 0, 0, 20), "1/1 1 2/1 2 3/1 3"),
        (tombstone(3, 9, 0, 0, 9), "1/0 1/1 2/0 2/1 3/0 3/1"),
        (tombstone(0, 1, 0, 0, 20) + &tombstone(3, 9, 0, 0, 20), "2/1 2 3/1 3"),
        (tombstone(77, 0, 0, 0, 10), "1/1 2/1 3/1"),
        ("UPDATE conversation SET epoch = 10;".to_owned(), "1/1 2/1 3/1"),
        ("UPDATE conversation SET epoch = 20;".to_owned(), ""),
    ];
    for (covers, left) in cases {
        let folder = tempfile::tempdir().unwrap();
        let old = old_database(folder.path(), &[FIRST_SCHEMA, SECOND_SCHEMA, THIRD_SCHEMA, "DELETE FROM holding"]);
        for file in 1..=3_u8 {
            // The first page at 10, and the second at 20.
            for (place, print, at) in [(0, 9, 10), (1, file, 20)] {
                let (file, print) = (blob(file), blob(print));
                let row =
                    format!("INSERT INTO holding VALUES (1, {file}, {file}, 2, {place}, {place}, 0, {print}, {at})");
                old.execute_batch(&row).unwrap();
            }
        }
        old.execute_batch(&covers).unwrap();
        drop(old);
        let view = loaded(&on_disk(folder.path()), &id("a"));
        let name = |holding: &Holding| match holding.what {
            HeldItem::Page { page, .. } => format!("{}/{}", holding.file.0[0], page.0),
            _ => holding.file.0[0].to_string(),
        };
        let mut held: Vec<String> = view.holdings().map(|(holding, _)| name(holding)).collect();
        held.sort();
        let mut left: Vec<&str> = left.split_whitespace().collect();
        left.sort_unstable();
        assert_eq!(held, left, "{covers}");
        let followed = Holding { what: HeldItem::Followed, ..page(2, 0, 0) };
        assert!(view.recorded_at(&followed).is_none_or(|at| at == Sequence(10) || at == Sequence(20)), "{covers}");
    }
}

#[test]
fn a_store_of_the_sixth_version_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    drop(old_database(folder.path(), &[include_str!("support/schema_6.sql")]));
    let store = on_disk(folder.path());
    let whole = |file: u8, what| Holding { what, ..page(file, 0, 0) };
    let given = |file: u8, at: u32, print: u8, form, is_shared| {
        let fingerprint = PageFingerprint([print; 32]);
        whole(file, HeldItem::Page { fingerprint, page: PageIndex(at), form, is_shared })
    };
    let lines = |first, last| HeldItem::Text(LineSpan::new(first, last).unwrap());
    let a = store.load(&id("a"), None).unwrap();
    let held: Vec<_> = a.view.holdings().map(|(holding, at)| (*holding, at.0)).collect();
    let expected = [
        (whole(1, HeldItem::Summary { supports_page_extraction: true }), 1),
        (given(1, 0, 1, PageForm::Document, false), 1),
        (given(1, 1, 2, PageForm::Markdown, false), 1),
        (given(1, 4, 2, PageForm::Markdown, true), 1),
        (whole(2, lines(1, 40)), 2),
        (whole(2, lines(90, 91)), 2),
        (whole(3, HeldItem::Binary), 2),
        (whole(4, HeldItem::Summary { supports_page_extraction: false }), 3),
        (given(4, 6, 7, PageForm::Text, false), 3),
        (given(4, 7, 8, PageForm::Path, false), 3),
        (whole(4, HeldItem::Followed), 3),
    ];
    assert_eq!(held, expected);
    assert_eq!((a.head.begun, a.head.latest.0, a.head.forgotten.0), (9_210_877_602_474_040_680, 8, 8));
    assert_eq!((a.head.owner, a.head.generation, a.head.emptied), (Some(Principal([7; 32])), 0, Sequence(0)));
    assert_eq!(a.head.sent, Usage { blocks: 8, pages: 12, bytes: 16_000, tokens: 2_000 });
    assert_eq!((a.head.created, a.head.used), (moment(1).into(), moment(56).into()));
    let names: Vec<&str> = a.names.values().map(String::as_str).collect();
    let expected = ["/home/one.pdf", "/home/two.txt", "/home/three.png", "/home/four.pdf", "/home/five.pdf"];
    assert_eq!(names, expected, "also of a file that was forgotten");
    assert!((1..=4).all(|file| a.page_counts[&ContentHash([file; 32])] == 9));
    let steps: Vec<_> = a.history.steps.iter().map(|step| (step.at.0, step.moment, step.kind)).collect();
    let step = |at, seconds, kind| (at, Moment::from(moment(seconds)), kind);
    use StepKind::{Delivery, Emptying, Forget};
    let times = [(10, Delivery), (20, Delivery), (30, Delivery), (40, Forget), (45, Delivery), (50, Forget)];
    let expected: Vec<_> = (1..).zip(times).map(|(at, (seconds, kind))| step(at, seconds, kind)).collect();
    assert_eq!(steps, expected);
    let forgotten: Vec<_> = a.history.forgotten.iter().map(|(file, pages)| (file.0[0], pages.to_string())).collect();
    assert_eq!(forgotten, [(4, "6".to_owned()), (5, "1".to_owned())]);
    let b = store.load(&id("b"), None).unwrap();
    assert_eq!((b.head.generation, b.head.emptied, b.head.owner), (3, Sequence(2), None));
    assert_eq!((b.view.len(), b.history.steps[1].kind), (2, Emptying));
    assert_eq!(store.last_pruned().unwrap(), Some(moment(71)));
    assert_eq!(store.get("session").unwrap().unwrap().state, b"state");
    assert_eq!(store.load_hash(&[5; 32]), Some(ContentHash([6; 32])));
    assert_eq!(store.record(&id("a"), &delivery(&[]), moment(80)).unwrap(), None, "something was forgotten since");
}

#[test]
fn a_program_of_the_third_version_that_has_the_database_open_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let old = old_database(folder.path(), &[FIRST_SCHEMA, SECOND_SCHEMA, THIRD_SCHEMA]);
    let mut reads = old.prepare("SELECT latest, epoch FROM conversation").unwrap();
    reads.query_row([], |_| Ok(())).unwrap();
    let mut forgets = old.prepare("INSERT INTO tombstone VALUES (1, 0, zeroblob(32), 0, 0, 900)").unwrap();
    drop(on_disk(folder.path()));
    assert!(reads.query_row([], |_| Ok(())).is_err());
    assert!(forgets.execute([]).is_err());
}

#[test]
fn a_later_schema_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let database = on_disk(folder.path()).path().to_path_buf();
    let later = rusqlite::Connection::open(&database).unwrap();
    later.pragma_update(None, "user_version", 99).unwrap();
    drop(later);
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 99, known: 9, .. }), "{error:?}");
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
    assert!(loaded(&store, &id("a")).is_empty(), "reading goes on");
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
