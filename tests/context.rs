//! The context between requests: what changed, what is forgotten, forks, generations, and the limits of a conversation.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::sync::Arc;

use pagewise::context::{
    AnswerSettings, ContextError, ConversationPoint, FileChange, FileRequest, ForgetRequest, RequestBounds,
    RequestedPart, Requester, Updates,
};
use pagewise::tool::{update_text, updates_text};
use pagewise_base::limits::Cancellation;
use pagewise_base::page::PageIndex;
use pagewise_store::{MemoryStore, SqliteStore, ViewStore};
use pagewise_view::{ConversationId, PageForm, Principal, Usage};

use crate::support::context_bench::{Bench, pages, summary};
use crate::support::scripted_store::loaded;

fn c() -> ConversationId {
    "c".parse().unwrap()
}

/// What changed, committed; the folder of the files is left out.
fn told(bench: &Bench) -> String {
    let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    let text = text(bench, &updates);
    updates.delivery.commit().unwrap();
    text
}

fn text(bench: &Bench, updates: &Updates) -> String {
    updates_text(updates).replace(&format!("{}/", bench.folder.path().display()), "")
}

const NOTHING: &str = "No changes that have not been reported.";

fn forget(bench: &Bench, request: ForgetRequest) {
    bench.context.forget(&c(), &request).unwrap();
}

#[test]
fn changed_pages_are_told_once_and_then_sent_as_replacements() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two", "three"]);
    bench.given("a.pdf", pages("1-3"));
    assert_eq!(told(&bench), NOTHING);
    bench.pdf("a.pdf", &["one", "two, revised", "three", "four"]);
    insta::assert_snapshot!(told(&bench), @r#"
    a.pdf: This file has changed since it was given to you.
    The document has 4 pages now, and had 3.
    Changed: page 2.
    Added: page 4.
    Next call: get_file {"filePath":"a.pdf","pages":"2,4"}
    "#);
    assert_eq!(told(&bench), NOTHING);
    let answer = bench.given("a.pdf", pages("1-4"));
    assert_eq!(answer[..2], ["PDF: two, revised", "PDF: four"]);
    let replaces = "Changed since it was given to you: page 2. What is sent now replaces the earlier version.";
    assert!(answer[2].ends_with(replaces), "{answer:?}");
    assert_eq!(told(&bench), NOTHING);
}

#[test]
fn what_was_announced_but_not_delivered_is_announced_again() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    bench.write("b.txt", "b\n");
    bench.given("a.pdf", pages("1"));
    bench.given("b.txt", summary);
    bench.pdf("a.pdf", &["two"]);
    std::fs::remove_file(bench.folder.path().join("b.txt")).unwrap();
    drop(bench.context.updates(&c(), None, &Cancellation::new()).unwrap());
    let updates = bench.context.updates(&c(), None, &Cancellation::new()).unwrap();
    assert_eq!(updates.files.len(), 2);
    assert_eq!(updates.files[1].change, FileChange::Deleted);
    updates.delivery.commit().unwrap();
    assert_eq!(told(&bench), NOTHING);
}

#[test]
fn a_deleted_file_is_announced_once_and_sent_again_when_it_comes_back() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    std::fs::remove_file(bench.folder.path().join("a.pdf")).unwrap();
    assert_eq!(told(&bench), "a.pdf: This file has been deleted and removed from context.");
    assert_eq!(told(&bench), NOTHING);
    bench.pdf("a.pdf", &["one"]);
    assert_eq!(bench.given("a.pdf", pages("1")), ["PDF: one"]);
}

#[test]
fn moved_and_removed_pages_are_held_under_their_new_numbers() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two", "three", "four"]);
    bench.given("a.pdf", pages("1-4"));
    bench.pdf("a.pdf", &["new", "one", "three"]);
    insta::assert_snapshot!(told(&bench), @r#"
    a.pdf: This file has changed since it was given to you.
    The document has 3 pages now, and had 4.
    Added: page 1.
    Removed (by their earlier numbers): pages 2,4.
    Moved: page 1 is now page 2.
    Next call: get_file {"filePath":"a.pdf","pages":"1"}
    "#);
    let answer = bench.given("a.pdf", pages("1-3"));
    assert_eq!(answer[0], "PDF: new");
    assert!(!answer[1].contains("replaces"), "a new page replaces none: {answer:?}");
    assert!(answer[1].starts_with("Pages 2-3 of a.pdf have already been provided"), "{answer:?}");
    bench.pdf("a.pdf", &["new", "one", "three", "four"]);
    assert_eq!(bench.given("a.pdf", pages("4"))[0], "PDF: four", "what was told to be removed is sent again");
}

#[test]
fn get_file_on_a_changed_file_tells_the_rest_of_the_changes() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two", "three"]);
    bench.given("a.pdf", pages("1-3"));
    bench.pdf("a.pdf", &["uno", "dos", "three", "four"]);
    let answer = bench.given("a.pdf", pages("1"));
    assert_eq!(answer[0], "PDF: uno");
    insta::assert_snapshot!(answer[1], @"
    Changed since it was given to you: page 1. What is sent now replaces the earlier version.
    The document has 4 pages now, and had 3.
    Changed since they were given to you, and not in this answer: page 2.
    Added: page 4.
    ");
    assert_eq!(told(&bench), NOTHING, "it was told");
    bench.pdf("a.pdf", &["uno", "dos", "three", "four", "five"]);
    let answer = bench.given("a.pdf", summary);
    insta::assert_snapshot!(answer[1], @"
    This file has changed since it was given to you.
    The document has 5 pages now, and had 4.
    Changed since they were given to you, and not in this answer: page 2.
    Added: page 5.
    These numbers are approximate: you were not given all pages of the earlier version.
    ");
}

#[test]
fn a_regenerated_file_with_the_same_pages_is_no_news() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two"]);
    bench.given("a.pdf", pages("1-2"));
    bench.write("a.pdf", "%PDF-1.4\none\ntwo\n");
    assert_eq!(told(&bench), NOTHING);
    let held = bench.given("a.pdf", pages("1-2")).remove(0);
    assert!(held.starts_with("Pages 1-2 of a.pdf have already been provided"), "{held}");
}

#[test]
fn a_text_comes_as_a_diff_and_is_then_held() {
    let bench = Bench::new();
    let text = (1..=100).map(|line| format!("line {line}\n")).collect::<String>();
    bench.write("a.txt", &text);
    bench.given("a.txt", summary);
    bench.write("a.txt", &text.replace("line 50\n", "line fifty\n"));
    let diff = told(&bench);
    assert!(
        diff.starts_with("a.txt: This file has changed since it was given to you. The changes, as a unified diff:\n")
    );
    assert!(diff.contains("Untrusted content of a.txt") && diff.contains("-line 50\n+line fifty\n"), "{diff}");
    assert!(bench.given("a.txt", summary)[0].starts_with("This file is already part of the thread context."));
    bench.write("a.txt", "another\n");
    let long = told(&bench);
    assert!(long.contains("Its whole text now:\n") && long.ends_with("\nanother\n"), "{long}");
    assert!(bench.given("a.txt", summary)[0].starts_with("This file is already part of the thread context."));
}

#[test]
fn a_file_that_flips_between_two_contents_is_told_each_time() {
    let bench = Bench::new();
    bench.write("a.txt", "one\n");
    bench.given("a.txt", summary);
    bench.write("a.txt", "two\n");
    assert!(told(&bench).contains("has changed"));
    bench.write("a.txt", "one\n");
    let back = told(&bench);
    assert!(back.contains("Its whole text now:\n") && back.ends_with("\none\n"), "{back}");
    assert!(bench.given("a.txt", summary)[0].starts_with("This file is already part of the thread context."));
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    for page in ["two", "one", "two"] {
        bench.pdf("a.pdf", &[page]);
        let news = if page == "two" { "page 1." } else { "a.pdf: This file is again as it was given to you." };
        assert!(told(&bench).contains(news), "{page}");
    }
    assert_eq!(bench.given("a.pdf", pages("1"))[0], "PDF: two");
}

#[test]
fn two_files_of_one_content_are_followed_each() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    bench.pdf("b.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    assert!(bench.given("b.pdf", pages("1"))[0].contains("which you already have"));
    bench.pdf("b.pdf", &["two"]);
    assert!(told(&bench).starts_with("b.pdf: This file has changed"));
    assert!(bench.given("a.pdf", pages("1"))[0].contains("already been provided"));
    assert_eq!(bench.given("b.pdf", pages("1"))[0], "PDF: two");
}

#[test]
fn a_file_that_turned_into_another_kind_is_told() {
    let bench = Bench::new();
    bench.pdf("a", &["one"]);
    bench.given("a", pages("1"));
    bench.write("a", "just text\n");
    assert_eq!(told(&bench), "a: This file has changed since it was given to you. Call get_file to read it.");
}

#[test]
fn pages_past_the_end_after_a_shrink_are_refused_and_told() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two", "three"]);
    bench.given("a.pdf", pages("1-3"));
    bench.pdf("a.pdf", &["one"]);
    let mut request = FileRequest::whole("a.pdf");
    (request.part, request.conversation) = (RequestedPart::Selection("2-3".into()), Some(c()));
    let refused = bench.context.get_file(&request).unwrap_err();
    assert!(matches!(refused, ContextError::PageOutOfRange { page_count: 1, .. }), "{refused:?}");
    assert!(told(&bench).contains("Removed (by their earlier numbers): pages 2-3."));
}

#[test]
fn forgetting_all_but_the_files_keeps_them_followed() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two"]);
    bench.given("a.pdf", pages("1-2"));
    forget(&bench, ForgetRequest { keep_files: true, ..ForgetRequest::default() });
    let status = bench.context.status(&c(), None).unwrap();
    assert_eq!((status.files.len(), status.sent), (1, Usage::default()));
    assert!(status.files[0].view.is_none() && status.files[0].pages.is_empty());
    bench.pdf("a.pdf", &["one"]);
    insta::assert_snapshot!(told(&bench), @"
    a.pdf: This file has changed since it was given to you.
    The document has 1 page now, and had 2.
    Removed (by their earlier numbers): page 2.
    These numbers are approximate: you were not given all pages of the earlier version.
    ");
    assert_eq!(bench.given("a.pdf", pages("1")), ["PDF: one"]);
    forget(&bench, ForgetRequest::default());
    bench.pdf("a.pdf", &["three"]);
    assert_eq!(told(&bench), NOTHING, "a file that is forgotten is not followed");
}

#[test]
fn a_delivery_from_before_a_forgetting_is_not_recorded() {
    for keep_files in [false, true] {
        let bench = Bench::new();
        bench.pdf("a.pdf", &["one"]);
        let answer = bench.ask("a.pdf", pages("1"));
        forget(&bench, ForgetRequest { keep_files, ..ForgetRequest::default() });
        answer.delivery.commit().unwrap();
        assert_eq!(bench.given("a.pdf", pages("1")), ["PDF: one"]);
    }
}

/// Pages 1 of a.pdf in a generation.
fn in_generation(bench: &Bench, generation: u64) -> String {
    let ask = |request: &mut FileRequest| {
        request.part = RequestedPart::Index(0);
        request.generation = Some(generation);
    };
    bench.given("a.pdf", ask).remove(0)
}

#[test]
fn a_new_generation_forgets_and_an_old_one_neither_suppresses_nor_records() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    assert_eq!(in_generation(&bench, 1), "PDF: one");
    assert!(in_generation(&bench, 1).contains("already been provided"));
    assert_eq!(in_generation(&bench, 0), "PDF: one", "an earlier generation is sent all");
    assert_eq!(bench.context.status(&c(), Some(2)).unwrap().generation, 2);
    assert_eq!(in_generation(&bench, 1), "PDF: one", "and nothing of it is recorded");
    assert_eq!(in_generation(&bench, 2), "PDF: one");
    assert!(in_generation(&bench, 2).contains("already been provided"));
    bench.pdf("a.pdf", &["two"]);
    drop(bench.context.status(&c(), Some(3)).unwrap());
    let stale = bench.context.updates(&c(), Some(2), &Cancellation::new()).unwrap();
    assert_eq!(stale.generation, 3);
    assert!(stale.notes[0].starts_with("Generation 2 is earlier than the conversation's, which is 3"));
    stale.delivery.commit().unwrap();
    assert!(told(&bench).contains("has changed"), "files are followed over a compaction");
}

#[test]
fn an_answer_planned_in_the_generation_before_is_not_recorded() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    let first = |generation| {
        bench.ask("a.pdf", |request| {
            request.part = RequestedPart::Index(0);
            request.generation = Some(generation);
        })
    };
    let late = first(1);
    drop(first(2));
    late.delivery.commit().unwrap();
    assert_eq!(in_generation(&bench, 2), "PDF: one");
}

#[test]
fn a_fork_holds_what_was_held_and_goes_its_own_way() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two"]);
    bench.given("a.pdf", pages("1"));
    let point = bench.context.status(&c(), None).unwrap().point;
    bench.given("a.pdf", pages("2"));
    let held = |conversation: &ConversationId| {
        let pages = bench.context.pages_held("a.pdf", Requester::of(conversation, &Cancellation::new()));
        pages.unwrap().to_string()
    };
    let (all, early) = (bench.context.fork(&c(), None).unwrap(), bench.context.fork(&c(), Some(point)).unwrap());
    assert_eq!((held(&all).as_str(), held(&early).as_str()), ("1-2", "1"));
    bench.context.forget(&all, &ForgetRequest::default()).unwrap();
    assert_eq!((held(&all).as_str(), held(&c()).as_str(), held(&early).as_str()), ("", "1-2", "1"));
    assert_eq!(held(&bench.context.fork(&c(), Some(ConversationPoint(0))).unwrap()), "");
    let unknown = bench.context.fork(&"nobody".parse().unwrap(), None).unwrap_err();
    assert!(matches!(unknown, ContextError::UnknownConversation));
    let answer = bench.ask("a.pdf", pages("1"));
    assert!(answer.details.point.is_some_and(|now| now > point), "an answer names the point before it");
}

#[test]
fn handles_of_every_shape_are_one_and_the_same_error() {
    for store in [Arc::new(MemoryStore::new()) as Arc<dyn ViewStore>, on_disk()] {
        let bench = Bench::over(Arc::new(tempfile::tempdir().unwrap()), store, AnswerSettings::default());
        let (mine, theirs) = (Principal::of("mine"), Principal::of("theirs"));
        let handle = bench.context.mint(Some(&mine)).unwrap();
        assert_eq!(bench.context.admit(handle.as_str(), &mine).unwrap(), handle);
        let long = "x".repeat(129);
        let shapes = [
            "",
            " ",
            "c",
            "conv_",
            &long,
            "a\nb",
            "\u{202e}",
            "'; DROP TABLE conversation; --",
            "../../etc",
            "conv_0\0",
        ];
        for shape in shapes.into_iter().chain([handle.as_str()]) {
            let refused = bench.context.admit(shape, &theirs).unwrap_err();
            assert!(matches!(refused, ContextError::UnknownConversation), "{shape:?}: {refused:?}");
        }
        let fork = bench.context.fork(&handle, None).unwrap();
        assert!(bench.context.admit(fork.as_str(), &mine).is_ok(), "a fork has the same owner");
        assert!(bench.context.admit(fork.as_str(), &theirs).is_err());
    }
}

fn on_disk() -> Arc<dyn ViewStore> {
    let folder = tempfile::tempdir().unwrap();
    Arc::new(SqliteStore::open(&folder.keep()).unwrap().0)
}

#[test]
fn a_conversation_that_is_full_refuses_before_the_cliff_and_says_what_to_do() {
    let bounds = RequestBounds { max_media_blocks: 3, ..RequestBounds::default() };
    let bench = Bench::with(AnswerSettings { request_bounds: bounds, ..AnswerSettings::default() });
    bench.pdf("a.pdf", &["one", "two", "three", "four"]);
    bench.given("a.pdf", pages("1-2"));
    let answer = bench.given("a.pdf", pages("3-4"));
    assert_eq!(answer[0], "PDF: three");
    insta::assert_snapshot!(answer[1], @r#"
        Limit reached, so without page 4: max_conversation_blocks is 3, and 3 were sent. With more, a provider would refuse every later request of this conversation. Ask with as: "text" or as: "path"; or call context_forget once your context has been compacted, and ask again.
    "#);
    let mut request = FileRequest::whole("a.pdf");
    (request.part, request.conversation) = (RequestedPart::Index(3), Some(c()));
    let refused = pagewise::tool::ToolError::from(bench.context.get_file(&request).unwrap_err());
    assert_eq!(
        refused.message,
        "Conversation limit reached: max_conversation_blocks is 3, 3 were sent, and a.pdf needs 1 more"
    );
    request.form = PageForm::Text;
    assert!(bench.context.get_file(&request).is_ok(), "text is no media block");
    forget(&bench, ForgetRequest { keep_files: true, ..ForgetRequest::default() });
    assert_eq!(bench.given("a.pdf", pages("4")), ["PDF: four"]);
}

#[test]
fn texts_and_summaries_are_refused_where_the_bytes_of_a_request_are_used_up() {
    let bounds = RequestBounds { max_request_bytes: 2_000, ..RequestBounds::default() };
    let bench = Bench::with(AnswerSettings { request_bounds: bounds, ..AnswerSettings::default() });
    bench.write("a.txt", &"line\n".repeat(310));
    bench.write("b.txt", &"line\n".repeat(200));
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.txt", summary);
    for file in ["b.txt", "a.pdf"] {
        let mut request = FileRequest::whole(file);
        request.conversation = Some(c());
        let refused = pagewise::tool::ToolError::from(bench.context.get_file(&request).unwrap_err());
        assert!(
            refused.message.starts_with("Conversation limit reached: max_conversation_bytes is 2000"),
            "{refused:?}"
        );
        let hint = refused.hint.unwrap();
        assert!(hint.contains("context_forget") && !hint.contains("as: \"text\""), "a text has bytes too: {hint}");
        request.conversation = None;
        assert!(bench.context.get_file(&request).is_ok(), "nobody's request grows");
    }
    // A diff fits where the lines would not.
    bench.write("a.txt", &format!("{}last\n", "line\n".repeat(310)));
    assert!(bench.given("a.txt", summary)[0].contains("+last"));
    assert!(bench.given("a.txt", summary)[0].starts_with("This file is already part"), "what is held is still said");
}

#[test]
fn what_was_sent_counts_in_base64_and_by_kind() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["four", "seven77"]);
    bench.given("a.pdf", pages("1-2"));
    std::fs::copy(crate::support::fixture("picture.png"), bench.folder.path().join("a.png")).unwrap();
    bench.given("a.png", summary);
    let sent = bench.context.status(&c(), None).unwrap().sent;
    let picture = std::fs::metadata(bench.folder.path().join("a.png")).unwrap().len();
    assert_eq!((sent.blocks, sent.pages, sent.bytes), (3, 2, 8 + 12 + picture.div_ceil(3) * 4));
}

#[test]
fn two_processes_on_one_store_know_each_other_and_their_forgetting() {
    let data = tempfile::tempdir().unwrap();
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let process = || {
        let store = Arc::new(SqliteStore::open(data.path()).unwrap().0);
        Bench::over(Arc::clone(&folder), store, AnswerSettings::default())
    };
    let (one, two) = (process(), process());
    one.pdf("a.pdf", &["one", "two"]);
    one.given("a.pdf", pages("1"));
    assert!(two.given("a.pdf", pages("1"))[0].contains("already been provided"));
    let planned = two.ask("a.pdf", pages("2"));
    forget(&one, ForgetRequest::default());
    planned.delivery.commit().unwrap();
    assert_eq!(two.given("a.pdf", pages("1-2")), ["PDF: one", "PDF: two"]);
    assert_eq!(in_generation(&one, 1), "PDF: one");
    assert_eq!(two.given("a.pdf", pages("2")), ["PDF: two"]);
    one.pdf("a.pdf", &["one"]);
    assert!(told(&two).contains("Removed (by their earlier numbers): page 2."));
    assert_eq!(told(&one), NOTHING);
}

#[test]
fn a_store_that_lost_its_past_is_believed_only_for_what_it_says() {
    let data = tempfile::tempdir().unwrap();
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let (store, _) = SqliteStore::open(data.path()).unwrap();
    let bench = Bench::over(folder, Arc::new(store), AnswerSettings::default());
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    // As a pruning by another process, or a database put in the place of this one.
    rusqlite::Connection::open(data.path().join("views.sqlite3"))
        .unwrap()
        .execute("DELETE FROM conversation", [])
        .unwrap();
    assert_eq!(bench.given("a.pdf", pages("1")), ["PDF: one"]);
}

/// What a poll tells, nothing committed.
fn polled(bench: &Bench, watch: &mut pagewise::context::FileWatch<'_>) -> Vec<String> {
    let updates = watch.poll().unwrap();
    let folder = format!("{}/", bench.folder.path().display());
    updates.files.iter().map(|file| update_text(file).replace(&folder, "").lines().next().unwrap().to_owned()).collect()
}

#[test]
fn a_watch_tells_of_a_change_once_it_rests_and_records_nothing() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    let mut watch = bench.context.watch(c());
    assert!(polled(&bench, &mut watch).is_empty());
    bench.pdf("a.pdf", &["two"]);
    assert!(polled(&bench, &mut watch).is_empty(), "it may still be written to");
    bench.pdf("a.pdf", &["two", "three"]);
    assert!(polled(&bench, &mut watch).is_empty());
    let changed = "a.pdf: This file has changed since it was given to you.";
    assert_eq!(polled(&bench, &mut watch), [changed]);
    assert!(polled(&bench, &mut watch).is_empty());
    bench.pdf("a.pdf", &["one"]);
    polled(&bench, &mut watch);
    assert_eq!(polled(&bench, &mut watch), ["a.pdf: This file is again as it was given to you."]);
    bench.pdf("a.pdf", &["two"]);
    polled(&bench, &mut watch);
    polled(&bench, &mut watch);
    assert!(told(&bench).starts_with(changed), "the agent itself was not told");
}

#[test]
fn a_watch_survives_replacing_by_rename_and_knows_a_deletion() {
    let bench = Bench::new();
    bench.write("a.txt", &"line\n".repeat(100));
    bench.given("a.txt", summary);
    // Another process, which did not send the text itself.
    let other = Bench::over(Arc::clone(&bench.folder), Arc::new(MemoryStore::new()), AnswerSettings::default());
    other.given("a.txt", summary);
    let path = |name: &str| bench.folder.path().join(name);
    let mut watch = bench.context.watch(c());
    assert!(polled(&bench, &mut watch).is_empty());
    std::fs::remove_file(path("a.txt")).unwrap();
    assert!(polled(&bench, &mut watch).is_empty(), "an editor may be about to put another in its place");
    bench.write("a.new", &format!("{}last\n", "line\n".repeat(100)));
    std::fs::rename(path("a.new"), path("a.txt")).unwrap();
    polled(&bench, &mut watch);
    let updates = watch.poll().unwrap();
    assert!(matches!(&updates.files[0].change, FileChange::Text { diff } if diff.contains("+last")), "{updates:?}");
    updates.delivery.commit().unwrap();
    std::fs::remove_file(path("a.txt")).unwrap();
    polled(&bench, &mut watch);
    let gone = ["a.txt: This file has been deleted and removed from context."];
    assert_eq!(polled(&bench, &mut watch), gone);
    assert!(polled(&bench, &mut watch).is_empty());
}

#[test]
fn a_watch_that_told_of_a_deletion_tells_that_the_file_is_back() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", pages("1"));
    let mut watch = bench.context.watch(c());
    assert!(polled(&bench, &mut watch).is_empty());
    std::fs::remove_file(bench.folder.path().join("a.pdf")).unwrap();
    polled(&bench, &mut watch);
    assert_eq!(polled(&bench, &mut watch), ["a.pdf: This file has been deleted and removed from context."]);
    bench.pdf("a.pdf", &["one"]);
    polled(&bench, &mut watch);
    assert_eq!(polled(&bench, &mut watch), ["a.pdf: This file is again as it was given to you."]);
    assert!(polled(&bench, &mut watch).is_empty());
}

#[test]
fn a_watch_after_a_restart_still_has_diffs() {
    let data = tempfile::tempdir().unwrap();
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let process = || {
        let store = Arc::new(SqliteStore::open(data.path()).unwrap().0);
        Bench::over(Arc::clone(&folder), store, AnswerSettings::default())
    };
    let first = process();
    first.write("a.txt", &"line\n".repeat(100));
    first.given("a.txt", summary);
    let second = process();
    let mut watch = second.context.watch(c());
    watch.poll().unwrap().delivery.commit().unwrap();
    second.write("a.txt", &format!("{}last\n", "line\n".repeat(100)));
    watch.poll().unwrap().delivery.commit().unwrap();
    let updates = watch.poll().unwrap();
    assert!(matches!(&updates.files[0].change, FileChange::Text { diff } if diff.contains("+last")), "{updates:?}");
}

#[test]
fn sixty_four_at_once_lose_nothing_and_see_nobody_elses() {
    const TASKS: u32 = 64;
    let data = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(data.path()).unwrap().0);
    let bounds = RequestBounds { max_media_blocks: 1_000, max_pdf_pages: 1_000, ..RequestBounds::default() };
    let settings = AnswerSettings { request_bounds: bounds, ..AnswerSettings::default() };
    let bench = Bench::over(Arc::new(tempfile::tempdir().unwrap()), store, settings);
    let all: Vec<String> = (0..TASKS).map(|page| format!("page {page}")).collect();
    bench.write("a.pdf", &format!("%PDF-1.7\n{}\n", all.join("\n")));
    let give = |conversation: &str, page: u32| {
        let mut request = FileRequest::whole("a.pdf");
        (request.part, request.conversation) = (RequestedPart::Index(page.into()), Some(conversation.parse().unwrap()));
        let answer = bench.context.get_file(&request).unwrap();
        let sent = answer.details.sent.len();
        answer.delivery.commit().unwrap();
        sent
    };
    std::thread::scope(|scope| {
        for task in 0..TASKS {
            let (give, bench) = (&give, &bench);
            scope.spawn(move || {
                let own = format!("own-{task}");
                assert_eq!((give(&own, task), give("shared", task)), (1, 1));
                assert_eq!((give(&own, task), give("shared", task)), (0, 0));
                let fork = bench.context.fork(&own.parse().unwrap(), None).unwrap();
                bench.context.forget(&own.parse().unwrap(), &ForgetRequest::default()).unwrap();
                assert_eq!((give(&own, (task + 1) % TASKS), give(fork.as_str(), task)), (1, 0));
            });
        }
    });
    let store = SqliteStore::open(data.path()).unwrap().0;
    let held = |conversation: &str| {
        let view = loaded(&store, &conversation.parse().unwrap());
        let (_, content) = view.files().next().unwrap();
        view.pages_in(&content, PageForm::Document)
    };
    assert_eq!(held("shared").len(), u64::from(TASKS));
    for task in 0..TASKS {
        let expected = [PageIndex((task + 1) % TASKS)].into_iter().collect();
        assert_eq!(held(&format!("own-{task}")), expected);
    }
}

#[allow(dead_code, reason = "its main is for those who run it alone")]
#[path = "../examples/agent_loop.rs"]
mod agent_loop;

#[test]
fn the_example_does_what_it_says() {
    let mut out = Vec::new();
    agent_loop::run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    insta::assert_snapshot!(told, @r#"
    {"filePath":"report.pdf"}: text
      sent [], held []
    {"filePath":"report.pdf","pages":"1-2"}: document, document, text
      sent [1, 2], held []
    {"filePath":"report.pdf","pages":"2-3"}: document, text
      sent [3], held [2]
    {"filePath":"report.pdf","pages":"99"}: text
    the file changes
    {"filePath":"report.pdf","pages":"1-4"}: document, document, text
      sent [2, 4], held [1, 3]
    "#);
}
