//! The context while the world around it misbehaves: stores that fail, clocks that jump, files that change as they are read.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::fs::{File, FileTimes};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use pagewise::context::{AnswerSettings, ContextError, FileChange, FileRequest, ForgetRequest, RequestedPart};
use pagewise::source::HashCache;
use pagewise::source::SourceError;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_store::HashStore;
use pagewise_store::{MemoryStore, SqliteStore, StoreError, ViewStore};
use pagewise_view::{ConversationId, DeliveryRecord, FileKey, HeldItem, Holding};
use serde_json::json;
use tempfile::TempDir;

use crate::support::context_bench::{Bench, Words, lines, pages, reading_with, summary};
use crate::support::mcp::Client;
use crate::support::program::{Place, kinds, texts};
use crate::support::scripted_store::{Changes as _, Hooked, Side, disk_full};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn c() -> ConversationId {
    "c".parse().unwrap()
}

fn over(store: impl ViewStore + 'static) -> Bench {
    Bench::over(Arc::new(tempfile::tempdir().unwrap()), Arc::new(store), AnswerSettings::default())
}

/// A store in memory that fails at the calls that are switched on, before they do anything.
fn failing() -> (Bench, Arc<Mutex<Vec<&'static str>>>) {
    let (store, broken) = failing_store();
    (Bench::over(Arc::new(tempfile::tempdir().unwrap()), store, AnswerSettings::default()), broken)
}

fn failing_store() -> (Arc<dyn ViewStore>, Arc<Mutex<Vec<&'static str>>>) {
    let broken = Arc::<Mutex<Vec<&'static str>>>::default();
    let calls = Arc::clone(&broken);
    let store = Hooked::new(Arc::new(MemoryStore::new()), move |call, side| {
        let fails = side == Side::Before && calls.lock().unwrap().contains(&call);
        if fails { Err(disk_full()) } else { Ok(()) }
    });
    (Arc::new(store), broken)
}

#[test]
fn a_generation_that_the_store_knows_is_not_lost_where_it_cannot_be_asked_next() {
    let (bench, broken) = failing();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    *broken.lock().unwrap() = vec!["load"];
    let answer = bench.ask("a.pdf", |request| {
        request.part = RequestedPart::Index(0);
        request.generation = Some(1);
    });
    assert_eq!(lines(&answer), ["PDF: one", NOT_KNOWN], "the context was compacted: the agent has nothing");
    assert_eq!(answer.details.read_so_far, None, "nor is it known what was read");
    drop(answer);
    broken.lock().unwrap().clear();
    assert_eq!(lines(&bench.ask("a.pdf", pages("1"))), ["PDF: one"], "and a call that names none knows it too");
}

/// What an answer says where the store cannot be read.
const NOT_KNOWN: &str = "The memory of this conversation cannot be read (the disk is full: views.sqlite3): nothing \
is left out of this answer, and nothing is recorded.";

#[test]
fn where_the_memory_cannot_be_read_nothing_is_left_out_and_the_answer_says_so() {
    let (bench, broken) = failing();
    bench.pdf("a.pdf", &["one", "two"]);
    bench.write("a.txt", "text\n");
    for (file, part) in
        [("a.pdf", RequestedPart::Index(0)), ("a.pdf", RequestedPart::Summary), ("a.txt", RequestedPart::Summary)]
    {
        bench.given(file, |request| request.part = part.clone());
        *broken.lock().unwrap() = vec!["load"];
        let answer = bench.ask(file, |request| request.part = part.clone());
        let given = lines(&answer);
        assert!(!given[0].contains("already"), "{given:?}");
        assert_eq!(
            (given[1..].to_vec(), answer.details.notes.clone()),
            (vec![NOT_KNOWN.to_owned()], vec![NOT_KNOWN.to_owned()])
        );
        broken.lock().unwrap().clear();
        let before = bench.context.status(&c(), None).unwrap().point;
        answer.delivery.commit().unwrap();
        assert_eq!(bench.context.status(&c(), None).unwrap().point, before, "nothing was recorded");
        assert!(bench.given(file, |request| request.part = part.clone())[0].contains("already"), "it knows again");
    }
}

#[test]
fn a_fork_holds_nothing_that_was_forgotten_while_the_store_failed() {
    for generation in [None, Some(1)] {
        let (bench, broken) = failing();
        bench.pdf("a.pdf", &["one"]);
        bench.given("a.pdf", pages("1"));
        *broken.lock().unwrap() = vec!["swap"];
        match generation {
            None => assert!(bench.context.forget(&c(), &ForgetRequest::default()).is_err()),
            Some(generation) => assert!(bench.context.enter(&c(), generation).is_err()),
        }
        assert!(bench.context.fork(&c(), None).is_err(), "what it would hold is not known");
        broken.lock().unwrap().clear();
        let fork = bench.context.fork(&c(), None).unwrap();
        let answer = bench.ask("a.pdf", |request| {
            request.part = RequestedPart::Index(0);
            request.conversation = Some(fork.clone());
        });
        assert_eq!(lines(&answer), ["PDF: one"]);
    }
}

#[test]
fn what_was_given_while_the_store_failed_is_not_held_and_given_again() {
    let (bench, broken) = failing();
    *broken.lock().unwrap() = vec!["swap"];
    bench.write("a.txt", &numbered("one\n"));
    assert!(bench.ask("a.txt", summary).delivery.commit().is_err());
    assert!(lines(&bench.ask("a.txt", summary))[0].starts_with("[Lines 1-101 of 101]"));
    assert!(bench.context.status(&c(), None).unwrap().files.is_empty());
    broken.lock().unwrap().clear();
    bench.given("a.txt", summary);
    let status = bench.context.status(&c(), None).unwrap();
    assert!(status.files[0].path.as_ref().is_some_and(|path| path.ends_with("/a.txt")), "{status:?}");
}

/// Nothing is passed over in silence, and nothing ends for it.
#[test]
fn files_whose_paths_are_not_known_are_counted() {
    let store: Arc<dyn ViewStore> = Arc::new(MemoryStore::new());
    let holding = Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what: HeldItem::Binary };
    let unnamed = DeliveryRecord { holdings: vec![holding], ..DeliveryRecord::default() };
    store.record(&c(), &unnamed, SystemTime::now()).unwrap();
    let bench = Bench::over(Arc::new(tempfile::tempdir().unwrap()), store, AnswerSettings::default());
    let note = "Not checked: files whose paths are not known (1).";
    assert_eq!(bench.context.updates(&c(), None, &Cancellation::new()).unwrap().notes, [note]);
    let mut watch = bench.context.watch(c());
    assert_eq!(watch.poll().unwrap().notes, [note]);
    assert_eq!(bench.context.status(&c(), None).unwrap().files.len(), 1);
}

/// The process that had the conversation at hand sees no more of what came between than the store still knows.
#[test]
fn a_conversation_that_was_dropped_and_began_anew_is_not_the_former() {
    let (data, folder) = (tempfile::tempdir().unwrap(), Arc::new(tempfile::tempdir().unwrap()));
    let process = || {
        let store = Arc::new(SqliteStore::open(data.path()).unwrap().0);
        Bench::over(Arc::clone(&folder), store, AnswerSettings::default())
    };
    let (one, two) = (process(), process());
    let database = rusqlite::Connection::open(data.path().join("views.sqlite3")).unwrap();
    one.pdf("a.pdf", &["one", "two"]);
    one.given("a.pdf", pages("1"));
    assert!(lines(&one.ask("a.pdf", pages("1")))[0].contains("already been provided"));
    two.context.forget(&c(), &ForgetRequest::default()).unwrap();
    database.execute_batch("DELETE FROM conversation").unwrap();
    two.given("a.pdf", pages("2"));
    assert_eq!(lines(&one.ask("a.pdf", pages("1"))), ["PDF: one"]);
    assert!(lines(&one.ask("a.pdf", pages("2")))[0].contains("already been provided"));
}

#[test]
fn a_full_disk_costs_no_reply_and_nothing_forgotten_comes_back() {
    let (bench, broken) = failing();
    bench.pdf("a.pdf", &["one", "two"]);
    bench.given("a.pdf", pages("1"));
    broken.lock().unwrap().extend(["swap"]);
    let answer = bench.ask("a.pdf", pages("2"));
    assert!(matches!(answer.delivery.commit(), Err(StoreError::DiskFull { .. })));
    assert!(lines(&bench.ask("a.pdf", pages("1")))[0].contains("already been provided"), "what it can read it knows");
    let planned = bench.ask("a.pdf", pages("2"));
    assert!(bench.context.forget(&c(), &ForgetRequest::default()).is_err(), "its caller is told");
    planned.delivery.commit().unwrap();
    let all = ["PDF: one", "PDF: two", NOT_KNOWN];
    assert_eq!(lines(&bench.ask("a.pdf", pages("1-2"))), all, "nothing is relied on");
    broken.lock().unwrap().clear();
    assert_eq!(lines(&bench.ask("a.pdf", pages("1-2"))), all[..2], "forgotten as soon as the store could");
    bench.given("a.pdf", pages("1"));
    assert!(bench.given("a.pdf", pages("1"))[0].contains("already been provided"), "and relied on again");
}

/// Each of them is in doubt, and beyond the bound all are.
#[test]
fn more_conversations_in_doubt_than_are_remembered_put_all_in_doubt() {
    const MOST: usize = 1_024;
    let (bench, broken) = failing();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    let held = || lines(&bench.ask("a.pdf", pages("1")))[0].contains("already been provided");
    *broken.lock().unwrap() = vec!["swap"];
    let fails = |number: usize| {
        let conversation = format!("c{number}").parse().unwrap();
        assert!(bench.context.forget(&conversation, &ForgetRequest::default()).is_err());
    };
    (0..MOST).for_each(fails);
    assert!(held(), "another conversation is not in doubt");
    fails(MOST);
    broken.lock().unwrap().clear();
    let answer = lines(&bench.ask("a.pdf", pages("1")));
    assert!(
        answer[0] == "PDF: one" && answer[1].contains("failed to forget more than 1024 conversations"),
        "{answer:?}"
    );
}

#[test]
fn what_was_given_by_an_answer_that_was_cancelled_after_it_is_given_again() {
    for fails in [false, true] {
        let (bench, broken) = failing();
        bench.pdf("a.pdf", &["one", "two"]);
        bench.given("a.pdf", pages("1"));
        let receipt = bench.ask("a.pdf", pages("2")).delivery.commit().unwrap();
        let planned_on_it = bench.ask("a.pdf", pages("1-2"));
        assert!(planned_on_it.details.sent.is_empty());
        let before = bench.context.status(&c(), None).unwrap().sent.blocks;
        if fails {
            *broken.lock().unwrap() = vec!["swap"];
        }
        assert_eq!(receipt.take_back().is_err(), fails);
        assert_eq!(lines(&bench.ask("a.pdf", pages("2")))[0], "PDF: two");
        broken.lock().unwrap().clear();
        assert_eq!(lines(&bench.ask("a.pdf", pages("2"))), ["PDF: two"]);
        planned_on_it.delivery.commit().unwrap();
        assert_eq!(lines(&bench.ask("a.pdf", pages("2"))), ["PDF: two"], "nothing rests on what was taken back");
        if !fails {
            assert_eq!(bench.context.status(&c(), None).unwrap().sent.blocks, before - 1);
            assert!(lines(&bench.ask("a.pdf", pages("1")))[0].contains("already been provided"), "the other stays");
        }
    }
}

#[test]
fn a_deletion_that_was_told_while_the_store_failed_is_not_told_again_and_nothing_of_it_is_held() {
    let (bench, broken) = failing();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    std::fs::remove_file(bench.folder.path().join("a.pdf")).unwrap();
    *broken.lock().unwrap() = vec!["swap"];
    let updates = || bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    let first = updates();
    assert_eq!(first.files.iter().map(|file| &file.change).collect::<Vec<_>>(), [&FileChange::Deleted]);
    assert!(first.delivery.commit().is_err());
    assert!(updates().files.is_empty(), "told once");
    bench.pdf("a.pdf", &["one"]);
    assert_eq!(lines(&bench.ask("a.pdf", pages("1"))), ["PDF: one", NOT_KNOWN]);
    // And the store learns of it as soon as it can.
    broken.lock().unwrap().clear();
    assert_eq!(lines(&bench.ask("a.pdf", pages("1"))), ["PDF: one"]);
    assert!(bench.context.status(&c(), None).unwrap().files.is_empty());
}

#[test]
fn what_is_told_of_a_file_builds_on_nothing_that_the_same_answer_takes_away() {
    let bench = Bench::new();
    for name in ["b.txt", "c.txt"] {
        bench.write(name, &numbered("same\n"));
        bench.given(name, summary);
    }
    bench.write("b.txt", &numbered("other\n"));
    std::fs::remove_file(bench.folder.path().join("c.txt")).unwrap();
    let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    let changes: Vec<_> = updates.files.iter().map(|file| &file.change).collect();
    // The agent may have read it as c.txt, which it is told to do without.
    assert!(matches!(changes[..], [FileChange::Content { .. }, FileChange::Deleted]), "{changes:?}");
    updates.delivery.commit().unwrap();
    assert!(bench.given("b.txt", summary)[0].starts_with("[Lines 1-101 of 101]"));
    // Nor is a diff made to what was given before that.
    bench.write("c.txt", &numbered("other\n"));
    bench.given("c.txt", summary);
    std::fs::remove_file(bench.folder.path().join("c.txt")).unwrap();
    bench.context.updates(&c(), None, &Cancellation::new()).unwrap().delivery.commit().unwrap();
    bench.write("b.txt", &numbered("a third\n"));
    assert!(bench.given("b.txt", summary)[0].starts_with("[Lines 1-101 of 101]"));
}

/// The store goes back while something planned before it waits, and then fails.
#[test]
fn what_was_planned_before_a_store_was_lost_is_not_held_after_a_forgetting() {
    let (bench, broken) = failing();
    bench.pdf("a.pdf", &["one", "two"]);
    let late = bench.ask("a.pdf", pages("2"));
    bench.context.forget(&c(), &ForgetRequest::default()).unwrap();
    broken.lock().unwrap().push("load");
    assert!(late.delivery.commit().is_err());
    broken.lock().unwrap().clear();
    assert_eq!(lines(&bench.ask("a.pdf", pages("2"))), ["PDF: two"]);
}

#[test]
fn a_server_that_knows_more_conversations_than_it_keeps_at_hand_forgets_none() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    let give = |number: usize| {
        let mut request = FileRequest::whole("a.pdf");
        (request.part, request.conversation) = (RequestedPart::Index(0), Some(format!("c{number}").parse().unwrap()));
        let answer = bench.context.get_file(&request).unwrap();
        let sent = answer.details.sent.len();
        answer.delivery.commit().unwrap();
        sent
    };
    const MANY: usize = 1_600;
    assert!((0..MANY).all(|number| give(number) == 1));
    assert!((0..MANY).all(|number| give(number) == 0));
}

/// When the store says that it was pruned last, and whether it is pruned at the next commit.
#[test]
fn a_store_is_pruned_once_a_day_whatever_the_clock_did() {
    let now = SystemTime::now();
    for (last, is_due) in [
        (None, true),
        (Some(now - DAY * 2), true),
        (Some(now - DAY / 2), false),
        // Written under a clock that was ahead by years.
        (Some(now + DAY * 3_650), true),
        (Some(SystemTime::UNIX_EPOCH), true),
    ] {
        let (store, prunings) = (Arc::new(MemoryStore::new()), Arc::new(AtomicUsize::new(0)));
        if let Some(last) = last {
            store.prune(SystemTime::UNIX_EPOCH, u64::MAX, last).unwrap();
        }
        let counted = Arc::clone(&prunings);
        let bench = over(Hooked::new(store, move |call, side| {
            if (call, side) == ("prune", Side::Before) {
                counted.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        }));
        bench.pdf("a.pdf", &["one", "two"]);
        bench.given("a.pdf", pages("1"));
        assert_eq!(prunings.load(Ordering::SeqCst), usize::from(is_due), "{last:?}");
        bench.given("a.pdf", pages("2"));
        assert_eq!(prunings.load(Ordering::SeqCst), usize::from(is_due), "and not again: {last:?}");
    }
}

#[test]
fn a_pruning_drops_no_conversation_that_lives_when_the_clock_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn ViewStore>; 2] =
        [Arc::new(MemoryStore::new()), Arc::new(SqliteStore::open(folder.path()).unwrap().0)];
    for store in stores {
        let now = SystemTime::now();
        let (late, early): (ConversationId, ConversationId) = ("late".parse().unwrap(), "early".parse().unwrap());
        store.record(&late, &DeliveryRecord::default(), now).unwrap();
        // The clock goes back by a year, and both are used.
        let back = now - DAY * 365;
        store.record(&late, &DeliveryRecord::default(), back).unwrap();
        store.record(&early, &DeliveryRecord::default(), back).unwrap();
        assert_eq!(store.prune(back - DAY * 90, 1_000, back).unwrap().conversations, 0);
        let head = store.head(&late).unwrap().unwrap();
        assert_eq!(head.used, head.created);
        // It is set right again: what was used since lives, whatever it was made under.
        store.record(&early, &DeliveryRecord::default(), now).unwrap();
        assert_eq!(store.prune(now - DAY * 90, 1_000, now).unwrap().conversations, 0);
        // Before 1970 there is no time: nothing is old.
        assert_eq!(store.prune(SystemTime::UNIX_EPOCH - DAY, 1_000, now).unwrap().conversations, 0);
    }
}

#[test]
fn a_home_that_cannot_be_written_costs_one_warning_and_no_reply() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    place.file("data", "a file where the folder belongs");
    let run = place.run(&["get-file", &pdf, "--pages", "1", "--as", "text", "--conversation", "c"]);
    assert_eq!(run.status, 0);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    assert!(run.stderr.contains("conversations are kept only until this process ends"), "{}", run.stderr);
    assert!(run.stderr.contains("read so far in the conversation: page 1 of 8"), "{}", run.stderr);
    let mut client = Client::start(&place, "opencode");
    let mut page = || client.call("get_file", json!({ "filePath": pdf, "pages": "1", "as": "document" }));
    assert_eq!(kinds(&page()), ["text", "resource", "text"]);
    assert!(texts(&page())[0].contains("has already been provided"), "as long as it runs it remembers");
    assert_eq!(client.end(), 0);
}

#[test]
fn a_database_that_breaks_is_told_and_the_reply_stands() {
    let data = tempfile::tempdir().unwrap();
    let bench = over(SqliteStore::open(data.path()).unwrap().0);
    bench.pdf("a.pdf", &["one"]);
    let answer = bench.ask("a.pdf", pages("1"));
    // Another program takes the tables away.
    let other = rusqlite::Connection::open(data.path().join("views.sqlite3")).unwrap();
    other.execute_batch("DROP TABLE conversation").unwrap();
    assert_eq!(lines(&answer), ["PDF: one"]);
    assert!(answer.delivery.commit().is_err());
    assert!(!lines(&bench.ask("a.pdf", pages("1"))).is_empty());
}

#[test]
fn a_database_that_breaks_while_it_is_pruned_is_told() {
    let (data, folder) = (tempfile::tempdir().unwrap(), Arc::new(tempfile::tempdir().unwrap()));
    let process = || {
        let store = Arc::new(SqliteStore::open(data.path()).unwrap().0);
        Bench::over(Arc::clone(&folder), store, AnswerSettings::default())
    };
    let breaks = ["DELETE FROM pruning", "UPDATE pruning SET pruned_at = NULL; DROP TABLE file_hash"];
    for (round, breaks) in (1..).zip(breaks) {
        let bench = process();
        bench.pdf("a.pdf", &["one", "two"]);
        bench.given("a.pdf", pages("1"));
        let other = rusqlite::Connection::open(data.path().join("views.sqlite3")).unwrap();
        other.execute_batch(breaks).unwrap();
        let told = process().ask("a.pdf", pages("2")).delivery.commit().unwrap_err().to_string();
        assert!(told.contains(&format!(".corrupt-{round}; conversations start anew")), "{breaks}: {told}");
    }
}

/// Has a file written to between the look at its stat and the reading of its bytes.
struct Writing {
    path: std::path::PathBuf,
    is_armed: AtomicBool,
}

impl HashStore for Writing {
    fn load_hash(&self, _: &[u8; 32]) -> Option<ContentHash> {
        if self.is_armed.swap(false, Ordering::SeqCst) {
            std::fs::write(&self.path, "a fourth, and longer\n").unwrap();
        }
        None
    }

    fn save_hash(&self, _: &[u8; 32], _: ContentHash, _: SystemTime) {}
}

#[test]
fn a_watch_says_nothing_of_a_file_that_is_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let writing = Arc::new(Writing { path: path.clone(), is_armed: AtomicBool::new(false) });
    let hashes = HashCache::new(Some(Arc::clone(&writing) as Arc<dyn HashStore>));
    let store = Arc::new(MemoryStore::new());
    let context = reading_with(folder.path(), Arc::new(Words), store, AnswerSettings::default(), hashes);
    let request = FileRequest { conversation: Some(c()), ..FileRequest::whole("a.txt") };
    std::fs::write(&path, "one\n").unwrap();
    context.get_file(&request).unwrap().delivery.commit().unwrap();
    let mut watch = context.watch(c());
    let mut twice = |text: &str| {
        if !text.is_empty() {
            std::fs::write(&path, text).unwrap();
        }
        watch.poll().unwrap();
        if text == "three\n" {
            // Until its stat is old enough to be believed, and so is asked for in the store of hashes.
            std::thread::sleep(Duration::from_millis(2_100));
            writing.is_armed.store(true, Ordering::SeqCst);
        }
        let files = watch.poll().unwrap().files.into_iter();
        files.map(|update| format!("{:?}", update.change)).collect::<Vec<_>>()
    };
    assert!(twice("").is_empty());
    assert_eq!(twice("two\n").len(), 1);
    assert!(twice("three\n").is_empty(), "neither as it was given nor anything that is known");
    assert!(twice("")[0].starts_with("WholeText"), "it rests now");
    assert!(twice("one\n")[0].starts_with("Restored"));
}

/// A bench in which `change` happens once to the files, after they were hashed and before they are read.
fn changing(change: impl Fn(&std::path::Path) + Send + Sync + 'static) -> (Bench, Arc<AtomicBool>) {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let armed = Arc::new(AtomicBool::new(false));
    let (path, is_armed): (Arc<TempDir>, _) = (Arc::clone(&folder), Arc::clone(&armed));
    let store = Hooked::new(Arc::new(MemoryStore::new()), move |call, side| {
        if (call, side) == ("load", Side::Before) && is_armed.swap(false, Ordering::SeqCst) {
            change(path.path());
        }
        Ok(())
    });
    (Bench::over(folder, Arc::new(store), AnswerSettings::default()), armed)
}

fn numbered(last: &str) -> String {
    (0..100).map(|line| format!("line {line}\n")).collect::<String>() + last
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_given_as_it_was_and_its_successor_is_told() {
    let (bench, armed) = changing(|folder| {
        std::fs::write(folder.join("beside"), numbered("new\n")).unwrap();
        std::fs::rename(folder.join("beside"), folder.join("a.txt")).unwrap();
        std::fs::write(folder.join("beside"), "%PDF-1.7\nnew one\nnew two\n").unwrap();
        std::fs::rename(folder.join("beside"), folder.join("a.pdf")).unwrap();
    });
    bench.write("a.txt", &numbered("old\n"));
    bench.pdf("a.pdf", &["old one", "old two"]);
    armed.store(true, Ordering::SeqCst);
    let answer = bench.given("a.txt", summary);
    assert!(answer[0].ends_with("line 99\nold\n"), "{answer:?}");
    // The same in the middle of a PDF's answer.
    bench.pdf("a.pdf", &["old one", "old two"]);
    armed.store(true, Ordering::SeqCst);
    assert_eq!(bench.given("a.pdf", pages("1-2")), ["PDF: old one", "PDF: old two"]);
    let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    assert!(matches!(&updates.files[0].change, FileChange::Pages(changes) if changes.changed.to_string() == "1-2"));
    assert!(
        matches!(&updates.files[1].change, FileChange::Text { diff } if diff.contains("-old\n+new")),
        "{updates:?}"
    );
    updates.delivery.commit().unwrap();
    assert_eq!(bench.given("a.pdf", pages("1-2"))[..2], ["PDF: new one", "PDF: new two"]);
    assert!(bench.given("a.txt", summary)[0].starts_with("This file is already part of the thread context."));
}

/// In place, with as many bytes and under the old time: nothing but the bytes tells.
#[test]
fn a_file_that_is_rewritten_while_it_is_read_is_never_half_given() {
    let rewritten = |folder: &std::path::Path, name: &str, from: &str, to: &str, times_too: bool| {
        let path = folder.join(name);
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap().replace(from, to)).unwrap();
        let time = if times_too { before } else { before + Duration::from_secs(5) };
        File::options().append(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
    };
    for times_too in [true, false] {
        let (bench, armed) = changing(move |folder| {
            rewritten(folder, "a.txt", "old", "new", times_too);
            rewritten(folder, "a.pdf", "one", "two", times_too);
        });
        for file in ["a.txt", "a.pdf"] {
            bench.write("a.txt", "some old text\n");
            bench.pdf("a.pdf", &["one"]);
            armed.store(true, Ordering::SeqCst);
            let mut request = FileRequest::whole(file);
            request.conversation = Some(c());
            let answered = bench.context.get_file(&request);
            // Of a PDF whose time was set back too nobody can tell; its pages have their own identity.
            if file == "a.pdf" && times_too {
                continue;
            }
            let is_changed =
                |error: &ContextError| matches!(error, ContextError::Source { error: SourceError::Changed { .. }, .. });
            assert!(answered.as_ref().is_err_and(is_changed), "{file}: {answered:?}");
        }
        assert_eq!(bench.context.status(&c(), None).unwrap().files.len(), 0, "nothing was recorded");
        assert!(bench.given("a.txt", summary)[0].ends_with("some new text\n"));
    }
}

#[test]
fn a_file_that_goes_back_and_forth_is_held_in_the_version_that_is_there() {
    let bench = Bench::new();
    let versions = [numbered("a\n"), numbered("b\n")];
    bench.write("a.txt", &versions[0]);
    bench.given("a.txt", summary);
    for at in [1, 0, 1, 0] {
        bench.write("a.txt", &versions[at]);
        let answer = bench.given("a.txt", summary)[0].clone();
        let (from, to) = if at == 1 { ("-a", "+b") } else { ("-b", "+a") };
        assert!(answer.contains(&format!("{from}\n{to}")), "the agent has the other one: {answer}");
        assert!(bench.given("a.txt", summary)[0].starts_with("This file is already part"));
        // What the agent was told last is what is there.
        let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
        assert!(updates.files.is_empty(), "{updates:?}");
    }
    bench.pdf("a.pdf", &["a", "same"]);
    bench.given("a.pdf", pages("1-2"));
    for page in ["b", "a", "b", "a"] {
        bench.pdf("a.pdf", &[page, "same"]);
        let answer = bench.given("a.pdf", pages("1-2"));
        assert_eq!(answer[0], format!("PDF: {page}"), "it replaces what stood there: {answer:?}");
        assert!(answer[1].contains("What is sent now replaces the earlier version."), "{answer:?}");
    }
}

#[test]
fn two_texts_of_one_content_are_held_and_followed_each() {
    let bench = Bench::new();
    for name in ["a.txt", "b.txt"] {
        bench.write(name, &numbered("same\n"));
    }
    bench.given("a.txt", summary);
    assert!(bench.given("b.txt", summary)[0].starts_with("This file is already part of the thread context."));
    bench.write("a.txt", &numbered("other\n"));
    let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    assert_eq!(updates.files.len(), 1, "{updates:?}");
    updates.delivery.commit().unwrap();
    assert!(bench.given("b.txt", summary)[0].starts_with("This file is already part of the thread context."));
    bench.write("a.txt", &numbered("same\n"));
    bench.given("a.txt", summary);
    // The agent no longer sees it, whatever it was called.
    bench.context.forget(&c(), &ForgetRequest { file: Some("b.txt".into()), ..ForgetRequest::default() }).unwrap();
    assert!(bench.given("b.txt", summary)[0].starts_with("[Lines 1-101 of 101]"));
    bench.write("b.txt", &numbered("changed\n"));
    let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    let is_told = updates.files.iter().any(|file| file.path.ends_with("/b.txt"));
    assert!(is_told, "it is followed under its own name: {updates:?}");
}

#[test]
fn a_copy_is_followed_whatever_becomes_of_the_others() {
    let numbered = numbered("same\n");
    type Change = fn(&mut FileRequest);
    let kinds: [(&str, Vec<u8>, Change); 4] = [
        ("pages", b"%PDF-1.7\none\ntwo\n".to_vec(), |request| request.part = RequestedPart::Selection("1-2".into())),
        ("summary", b"%PDF-1.7\none\ntwo\n".to_vec(), summary),
        ("text", numbered.into_bytes(), summary),
        ("picture", std::fs::read(crate::support::fixture("picture.png")).unwrap(), summary),
    ];
    for (kind, bytes, part) in kinds {
        let bench = Bench::new();
        let path = |copy: usize| bench.folder.path().join(format!("copy-{copy}"));
        let told = || {
            let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
            updates.delivery.commit().unwrap();
            let name = |path: &str| path.rsplit_once("copy-").unwrap().1.parse::<usize>().unwrap();
            updates.files.iter().map(|file| (name(&file.path), file.change.clone())).collect::<Vec<_>>()
        };
        for copy in 0..6 {
            std::fs::write(path(copy), &bytes).unwrap();
            bench.given(&format!("copy-{copy}"), part);
        }
        std::fs::remove_file(path(0)).unwrap();
        assert_eq!(told(), [(0, FileChange::Deleted)], "{kind}");
        std::fs::write(path(1), "%PDF-1.7\nanother\n").unwrap();
        assert_eq!(told().iter().map(|(copy, _)| *copy).collect::<Vec<_>>(), [1], "{kind}");
        // Pages and whole files that are forgotten under one name.
        let forget = ForgetRequest { file: Some("copy-2".into()), ..ForgetRequest::default() };
        bench.context.forget(&c(), &forget).unwrap();
        std::fs::remove_file(path(3)).unwrap();
        assert_eq!(told(), [(3, FileChange::Deleted)], "{kind}");
        let given = bench.given("copy-4", part);
        assert!(!given[0].contains("already"), "what was taken away with a name is given again: {given:?}");
        std::fs::remove_file(path(4)).unwrap();
        std::fs::remove_file(path(5)).unwrap();
        assert_eq!(told(), [(4, FileChange::Deleted), (5, FileChange::Deleted)], "{kind}");
        assert_eq!(told(), []);
    }
}

#[test]
fn a_summary_is_given_again_where_another_was_given_since() {
    let bench = Bench::new();
    let is_held = |answer: &[String]| answer[0].starts_with("The summary information for a.pdf has already been");
    for (page, held) in [("a", false), ("a", true), ("b", false), ("a", false), ("a", true)] {
        bench.pdf("a.pdf", &[page]);
        let answer = bench.given("a.pdf", summary);
        assert_eq!(is_held(&answer), held, "{page}: {answer:?}");
    }
    bench.pdf("copy.pdf", &["a"]);
    assert!(bench.given("copy.pdf", summary)[0].contains("has already been provided"));
    bench.context.forget(&c(), &ForgetRequest { file: Some("copy.pdf".into()), ..ForgetRequest::default() }).unwrap();
    assert!(bench.given("copy.pdf", summary)[0].starts_with("PDF Document: copy.pdf"));
}

#[test]
fn a_document_of_a_million_empty_pages_has_an_answer_of_one_size() {
    let bench = Bench::new();
    let empty = vec!["uncut mute"; 20_000];
    bench.pdf("a.pdf", &empty);
    let answer = bench.given("a.pdf", summary);
    assert!(answer[0].len() < 60_000, "{}", answer[0].len());
    assert!(answer[0].contains("[The text ends here: 40000 characters per answer. Next call: get_file {"));
    bench.pdf("a.pdf", &vec!["uncut unread"; 20_000]);
    let mut request = FileRequest::whole("a.pdf");
    request.conversation = Some(c());
    assert!(bench.context.get_file(&request).is_ok_and(|answer| lines(&answer)[0].len() < 60_000));
}
