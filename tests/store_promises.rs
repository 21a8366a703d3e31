//! What every store promises: one suite, run against each.
//!
//! A store takes part with one line of [`conformance`]: a way to make an empty place, which gives handles on it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_store::{MemoryStore, PruneCounts, SqliteStore, Swap, ViewStore, fork};
use pagewise_view::{
    Conversation, ConversationHistory, ConversationId, ConversationView, DeliveryRecord, FileKey, ForgetScope,
    HeldItem, HistoryStep, Holding, LineSpan, Moment, PageForm, Principal, Revision, Sequence, StepKind, Usage,
    Version,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::scripted_store::{Changes as _, loaded};
use crate::view::{forget, holding};

/// A place of a store's own, empty at first: each call is another handle on it, as another process has.
pub(crate) type Place = Box<dyn Fn() -> Arc<dyn ViewStore>>;

fn memory() -> Option<Place> {
    let store = Arc::new(MemoryStore::new());
    Some(Box::new(move || Arc::clone(&store) as Arc<dyn ViewStore>))
}

fn sqlite() -> Option<Place> {
    let folder = tempfile::tempdir().unwrap();
    Some(Box::new(move || {
        let (store, warning) = SqliteStore::open(folder.path()).unwrap();
        assert!(warning.is_none(), "{warning:?}");
        Arc::new(store)
    }))
}

/// `None` where there is no server, which is said aloud.
#[cfg(feature = "postgres")]
fn postgres() -> Option<Place> {
    let address = crate::support::postgres::shared()?.database();
    Some(Box::new(move || Arc::new(crate::postgres::store_at(&address))))
}

macro_rules! conformance {
    ($($place:ident),*: $promises:tt) => { $(conformance!(@ $place $promises);)* };
    (@ $place:ident { $($promise:ident,)* }) => {
        mod $place {
            $(
                #[test]
                fn $promise() {
                    let Some(place) = super::$place() else { return };
                    super::$promise(&place);
                }
            )*
        }
    };
}

macro_rules! every_promise {
    ($($place:ident),*) => {
        conformance!($($place),*: {
            an_unknown_conversation_holds_nothing,
            every_kind_is_held_under_the_sequence_of_its_last_recording,
            a_reader_is_given_what_it_does_not_have,
            a_swap_replaces_only_what_is_expected,
            what_is_forgotten_is_held_nowhere,
            a_delivery_rests_on_what_was_not_forgotten,
            a_batch_is_recorded_whole,
            what_is_taken_back_was_never_given,
            a_history_has_the_steps_that_were_not_taken_back_and_the_pages_that_were_forgotten,
            a_history_ends_with_its_conversation,
            the_latest_forgotten_pages_are_kept,
            a_fork_goes_its_own_way,
            a_later_generation_forgets_all_but_files,
            what_began_anew_is_another,
            names_and_page_counts_leave_with_their_last_conversation,
            the_least_recently_used_are_pruned_first,
            stores_and_views_agree,
            four_threads_on_two_handles_lose_nothing,
        });
    };
}

every_promise!(memory, sqlite);
#[cfg(feature = "postgres")]
every_promise!(postgres);

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

fn known(file: u8) -> Holding {
    Holding { what: HeldItem::Followed, ..page(file, 0, 0) }
}

fn pages(file: u8, page: u32) -> ForgetScope {
    ForgetScope::Pages { file: FileKey([file; 32]), pages: [PageIndex(page)].into_iter().collect() }
}

fn version(store: &dyn ViewStore, conversation: &ConversationId) -> Version {
    store.head(conversation).unwrap().map(|head| head.version()).unwrap_or_default()
}

fn delivery(planned: Version, holdings: &[Holding]) -> DeliveryRecord {
    DeliveryRecord { planned, holdings: holdings.to_vec(), ..DeliveryRecord::default() }
}

/// Records what was planned on what is there now.
fn give(store: &dyn ViewStore, conversation: &ConversationId, holdings: &[Holding], now: SystemTime) -> Version {
    let planned = version(store, conversation);
    store.record(conversation, &delivery(planned, holdings), now).unwrap().unwrap()
}

fn held(store: &dyn ViewStore, conversation: &ConversationId) -> Vec<Holding> {
    loaded(store, conversation).holdings().map(|(holding, _)| *holding).collect()
}

fn sent(blocks: u64) -> Usage {
    Usage { blocks, pages: blocks, bytes: 1_000 * blocks, tokens: 30 * blocks }
}

fn an_unknown_conversation_holds_nothing(place: &Place) {
    let (store, a) = (place(), id("a"));
    let copy = Conversation { revision: Revision { number: 1, server: 0 }, ..Conversation::default() };
    for copy in [None, Some(Arc::new(copy))] {
        let unknown = store.load(&a, copy).unwrap();
        assert!(!unknown.is_known() && unknown.revision.number == 0, "{unknown:?}");
    }
    assert_eq!(store.list().unwrap(), []);
    assert_eq!(store.last_pruned().unwrap(), None);
    let owner = Principal::of("somebody");
    assert!(store.create(&a, Some(&owner), moment(0)).unwrap());
    assert!(!store.create(&a, Some(&Principal::of("another")), moment(1)).unwrap());
    let Conversation { head, view, .. } = (*store.load(&a, None).unwrap()).clone();
    assert_eq!((head.owner, head.latest, head.sent, view.len()), (Some(owner), Sequence::START, Usage::default(), 0));
    assert!(head.begun > 0 && head.begun <= i64::MAX.unsigned_abs());
}

fn every_kind_is_held_under_the_sequence_of_its_last_recording(place: &Place) {
    let (store, a) = (place(), id("a"));
    let every_kind = [
        HeldItem::Summary { supports_page_extraction: true },
        HeldItem::Summary { supports_page_extraction: false },
        HeldItem::Text(LineSpan::new(1, u32::MAX).unwrap()),
        HeldItem::Binary,
        HeldItem::Followed,
    ];
    let mut holdings: Vec<Holding> = every_kind.iter().map(|what| Holding { what: *what, ..page(1, 0, 0) }).collect();
    for (form, is_shared) in PageForm::ALL.into_iter().flat_map(|form| [(form, false), (form, true)]) {
        let fingerprint = PageFingerprint([9; 32]);
        let what = HeldItem::Page { fingerprint, page: PageIndex(u32::MAX), form, is_shared };
        holdings.push(Holding { what, ..page(1, 0, 0) });
    }
    let first = DeliveryRecord { sent: sent(2), ..delivery(Version::default(), &holdings) };
    let first = store.record(&a, &first, moment(2)).unwrap().unwrap();
    let second = DeliveryRecord { sent: sent(1), ..delivery(first, &holdings[..1]) };
    let second = store.record(&a, &second, moment(3)).unwrap().unwrap();
    assert_eq!((first.latest, second.latest), (Sequence(1), Sequence(2)), "they count up by one");
    assert_eq!(first.begun, second.begun);
    let at = |holding: &Holding| if *holding == holdings[0] { second.latest } else { first.latest };
    let expected: ConversationView = holdings.iter().map(|holding| (*holding, at(holding))).collect();
    // Another handle, such as after the end of the process.
    let store = place();
    assert_eq!(loaded(&*store, &a), expected);
    assert_eq!(store.head(&a).unwrap().unwrap().version(), second);
    let [record] = &store.list().unwrap()[..] else { panic!("one conversation") };
    assert_eq!((record.head.created, record.head.used, record.holdings), (moment(2).into(), moment(3).into(), 17));
    assert_eq!((record.head.sent, record.head.forgotten), (sent(3), Sequence::START));
}

fn a_reader_is_given_what_it_does_not_have(place: &Place) {
    let (store, a) = (place(), id("a"));
    give(&*store, &a, &[page(1, 0, 1)], moment(0));
    let first = store.load(&a, None).unwrap();
    assert!(Arc::ptr_eq(&store.load(&a, Some(Arc::clone(&first))).unwrap(), &first), "the copy is current");
    give(&*store, &a, &[page(1, 1, 2)], moment(0));
    let second = store.load(&a, None).unwrap();
    assert_ne!(first.revision, second.revision);
    assert_eq!(second.view.len(), 2);
    for copy in [Some(first), Some(Arc::default()), None] {
        assert_eq!(store.load(&a, copy).unwrap(), second);
    }
}

/// Whatever is compared, one of several that saw the same value replaces it.
fn a_swap_replaces_only_what_is_expected(place: &Place) {
    let (store, a, b) = (place(), id("a"), id("b"));
    let unknown = store.load(&a, None).unwrap();
    let expected = unknown.revision;
    let numbered = |number: u64, known: &Conversation| {
        let mut new = known.clone();
        (new.head.begun, new.revision.number) = (7, number);
        Arc::new(new)
    };
    let swap = |id: &ConversationId, expected, new: &Arc<Conversation>| Swap {
        id: id.clone(),
        expected,
        new: Arc::clone(new),
        is_durable: false,
    };
    let (first, second) = (numbered(1, &unknown), numbered(2, &unknown));
    assert_eq!(store.swap(&[swap(&a, expected, &first)]).unwrap(), [true]);
    assert_eq!(store.swap(&[swap(&a, expected, &second)]).unwrap(), [false], "it exists");
    let both = [swap(&a, expected, &second), swap(&b, expected, &first)];
    assert_eq!(store.swap(&both).unwrap(), [false, true], "one that is lost delays no other");
    assert_eq!(store.swap(&[swap(&a, first.revision, &second)]).unwrap(), [true]);
    assert_eq!(store.swap(&[swap(&a, first.revision, &first)]).unwrap(), [false], "it was replaced");
    assert_eq!(place().load(&a, None).unwrap(), second);
    assert_eq!(store.swap(&[]).unwrap(), [] as [bool; 0]);
}

fn what_is_forgotten_is_held_nowhere(place: &Place) {
    let (store, a) = (place(), id("a"));
    give(&*store, &a, &[page(1, 0, 1), page(1, 1, 2), page(2, 0, 1), page(2, 5, 3)], moment(4));
    let forgotten = store.forget(&a, &pages(1, 0), moment(5)).unwrap();
    assert_eq!(store.head(&a).unwrap().unwrap().forgotten, forgotten.latest);
    let both_known = [page(1, 1, 2), known(1), page(2, 5, 3), known(2)];
    assert_eq!(held(&*store, &a), both_known, "the page is gone under both names, and both are followed");
    store.forget(&a, &ForgetScope::File(FileKey([1; 32])), moment(6)).unwrap();
    assert_eq!(held(&*store, &a), both_known[2..]);
    store.forget(&a, &ForgetScope::File(FileKey([2; 32])), moment(6)).unwrap();
    assert_eq!(held(&*store, &a), []);
    let given = DeliveryRecord { sent: sent(1), ..delivery(version(&*store, &a), &[page(1, 0, 1)]) };
    store.record(&a, &given, moment(7)).unwrap().unwrap();
    assert_eq!(held(&*store, &a), [page(1, 0, 1)], "what is given again is held again");
    store.forget(&a, &pages(1, 0), moment(8)).unwrap();
    assert_eq!(store.head(&a).unwrap().unwrap().sent, sent(1), "it was sent all the same");
    give(&*store, &a, &[page(1, 0, 1)], moment(7));
    store.forget(&a, &ForgetScope::AllButFiles, moment(8)).unwrap();
    assert_eq!((held(&*store, &a), store.head(&a).unwrap().unwrap().sent), (vec![known(1)], Usage::default()));
    store.forget(&a, &ForgetScope::Everything, moment(8)).unwrap();
    assert_eq!(held(&*store, &a), []);
    // One that nobody knew begins with it: what was planned before is late.
    store.forget(&id("b"), &ForgetScope::Everything, moment(8)).unwrap();
    assert_eq!(store.record(&id("b"), &delivery(Version::default(), &[page(1, 0, 1)]), moment(8)).unwrap(), None);
}

fn a_delivery_rests_on_what_was_not_forgotten(place: &Place) {
    let (store, a) = (place(), id("a"));
    let unknown = DeliveryRecord { sent: sent(1), ..delivery(Version::default(), &[page(1, 0, 1)]) };
    let first = store.record(&a, &unknown, moment(0)).unwrap().unwrap();
    assert!(store.record(&a, &unknown, moment(0)).unwrap().is_some(), "two may begin a conversation together");
    let planned = version(&*store, &a);
    let moved = DeliveryRecord { forget: vec![pages(1, 0)], ..delivery(planned, &[page(1, 1, 1)]) };
    let moved_at = store.record(&a, &moved, moment(0)).unwrap().unwrap();
    assert_eq!(held(&*store, &a), [page(1, 1, 1), known(1)], "what a delivery forgets goes before what it gives");
    let head = store.head(&a).unwrap().unwrap();
    assert_eq!((head.latest, head.forgotten), (planned.latest.next(), planned.latest.next()), "in one step");
    let late = DeliveryRecord { sent: sent(1), ..delivery(planned, &[page(1, 2, 3)]) };
    for late in [late.clone(), DeliveryRecord { planned: first, ..late.clone() }, unknown.clone()] {
        assert_eq!(store.record(&a, &late, moment(1)).unwrap(), None);
    }
    let head = store.head(&a).unwrap().unwrap();
    assert_eq!((head.version(), head.sent), (moved_at, sent(5)), "nothing is recorded, but it was sent");
    store.forget(&a, &ForgetScope::Everything, moment(1)).unwrap();
    assert_eq!(store.record(&a, &late, moment(1)).unwrap(), None);
    assert_eq!(store.head(&a).unwrap().unwrap().sent, Usage::default(), "before all was forgotten");
    let elsewhere = Version { begun: planned.begun ^ 1, latest: Sequence(99) };
    for (conversation, planned) in [(a.clone(), elsewhere), (id("gone"), planned)] {
        let other = DeliveryRecord { sent: sent(1), ..delivery(planned, &[page(1, 0, 1)]) };
        assert_eq!(store.record(&conversation, &other, moment(1)).unwrap(), None, "planned on another conversation");
    }
    assert_eq!((held(&*store, &a), store.head(&a).unwrap().unwrap().sent), (vec![], Usage::default()));
    assert_eq!(store.head(&id("gone")).unwrap(), None, "which it does not make");
}

fn a_batch_is_recorded_whole(place: &Place) {
    let (store, a, b) = (place(), id("a"), id("b"));
    let counted = DeliveryRecord {
        page_counts: BTreeMap::from([(ContentHash([5; 32]), 9)]),
        ..delivery(Version::default(), &[known(5)])
    };
    let other = delivery(Version::default(), &[page(5, 0, 1)]);
    let all = [(a.clone(), counted), (b.clone(), other.clone()), (a.clone(), other)];
    let all: Vec<Version> = store.record_all(&all, moment(0)).unwrap().into_iter().map(Option::unwrap).collect();
    assert_eq!(all.iter().map(|version| version.latest.0).collect::<Vec<_>>(), [1, 1, 2], "each counts for itself");
    assert_eq!(all[0].begun, all[2].begun);
    assert_ne!(all[0].begun, all[1].begun);
    assert_eq!((held(&*store, &a).len(), held(&*store, &b).len()), (2, 1));
    assert_eq!(store.load(&a, None).unwrap().page_counts, BTreeMap::from([(ContentHash([5; 32]), 9)]));
    let late = delivery(Version { latest: Sequence::START, ..all[0] }, &[page(5, 1, 2)]);
    store.forget(&a, &pages(5, 0), moment(0)).unwrap();
    let mixed =
        store.record_all(&[(a.clone(), late), (b.clone(), delivery(all[1], &[page(5, 1, 2)]))], moment(0)).unwrap();
    assert_eq!(
        mixed.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, true],
        "one that is late delays no other"
    );
    assert_eq!(store.record_all(&[], moment(0)).unwrap(), []);
}

fn what_is_taken_back_was_never_given(place: &Place) {
    let (store, a) = (place(), id("a"));
    give(&*store, &a, &[page(1, 0, 1), page(1, 1, 2)], moment(0));
    let again =
        DeliveryRecord { sent: sent(2), ..delivery(version(&*store, &a), &[page(1, 1, 2), page(1, 2, 3), known(2)]) };
    let again = store.record(&a, &again, moment(0)).unwrap().unwrap();
    let planned_on_it = delivery(again, &[page(1, 3, 4)]);
    let other = DeliveryRecord { sent: sent(1), ..delivery(again, &[page(1, 4, 5)]) };
    store.record(&a, &other, moment(0)).unwrap().unwrap();
    store.take_back(&a, again, sent(2), moment(0)).unwrap();
    assert_eq!(held(&*store, &a), [page(1, 0, 1), page(1, 4, 5)]);
    assert_eq!(store.head(&a).unwrap().unwrap().sent, sent(1));
    assert_eq!(store.record(&a, &planned_on_it, moment(0)).unwrap(), None, "it may have left out what was taken back");
    // One that was given again since stays, and what was sent before all was forgotten is not counted twice.
    let given = DeliveryRecord { sent: sent(3), ..delivery(version(&*store, &a), &[page(1, 4, 5)]) };
    let given = store.record(&a, &given, moment(0)).unwrap().unwrap();
    give(&*store, &a, &[page(1, 4, 5)], moment(0));
    store.take_back(&a, given, sent(3), moment(0)).unwrap();
    assert_eq!((held(&*store, &a).len(), store.head(&a).unwrap().unwrap().sent), (2, sent(1)));
    let last = DeliveryRecord { sent: sent(3), ..delivery(version(&*store, &a), &[page(1, 7, 7)]) };
    let last = store.record(&a, &last, moment(0)).unwrap().unwrap();
    store.forget(&a, &ForgetScope::AllButFiles, moment(0)).unwrap();
    store
        .record(&a, &DeliveryRecord { sent: sent(5), ..delivery(version(&*store, &a), &[]) }, moment(0))
        .unwrap()
        .unwrap();
    store.take_back(&a, last, sent(3), moment(0)).unwrap();
    assert_eq!(store.head(&a).unwrap().unwrap().sent, sent(5));
    // A conversation that began anew gave nothing of it.
    let before = version(&*store, &a);
    store.take_back(&a, Version { begun: last.begun ^ 1, ..before }, sent(5), moment(0)).unwrap();
    store.take_back(&id("nobody"), last, sent(5), moment(0)).unwrap();
    assert_eq!((version(&*store, &a), store.head(&id("nobody")).unwrap()), (before, None));
}

fn a_history_has_the_steps_that_were_not_taken_back_and_the_pages_that_were_forgotten(place: &Place) {
    let (store, c, copy, file) = (place(), id("a"), id("b"), FileKey([1; 32]));
    assert_eq!(history(&*store, &c), ConversationHistory::default());
    let given = DeliveryRecord { sent: sent(7), ..delivery(Version::default(), &[page(1, 3, 9)]) };
    store.record(&c, &given, moment(10)).unwrap();
    let taken = give(&*store, &c, &[page(1, 4, 8)], moment(20));
    store.take_back(&c, taken, Usage::default(), moment(21)).unwrap();
    assert!(fork(&*store, &c, &copy, Some(Sequence(1)), moment(25)).unwrap());
    store.forget(&c, &ForgetScope::File(file), moment(30)).unwrap();
    store.forget(&c, &ForgetScope::Everything, moment(40)).unwrap();
    let first = step(1, StepKind::Delivery, 7, 10);
    let all = [first, step(4, StepKind::Forget, 0, 30), step(5, StepKind::Emptying, 0, 40)];
    assert_eq!(history(&*store, &c).steps, all);
    assert_eq!(history(&*store, &copy).steps, [first]);
    assert_eq!(history(&*store, &c).forgotten_pages(file).unwrap().to_string(), "4");
    let moved = ForgetScope::Positions { file, pages: PageSet::all(9) };
    store.forget(&copy, &moved, moment(50)).unwrap();
    assert!(history(&*store, &copy).forgotten.is_empty(), "a page that moved is not forgotten");
    let again = DeliveryRecord { forget: vec![pages(2, 6)], ..delivery(version(&*store, &c), &[page(2, 6, 5)]) };
    give(&*store, &c, &[page(2, 6, 7)], moment(60));
    store.record(&c, &DeliveryRecord { planned: version(&*store, &c), ..again }, moment(70)).unwrap();
    assert_eq!(history(&*store, &c).forgotten_pages(FileKey([2; 32])).unwrap().to_string(), "7");
    assert_eq!(history(&*store, &c).steps.len(), 5);
}

fn history(store: &dyn ViewStore, conversation: &ConversationId) -> ConversationHistory {
    store.load(conversation, None).unwrap().history.clone()
}

fn step(at: u64, kind: StepKind, blocks: u64, seconds: u64) -> HistoryStep {
    HistoryStep { at: Sequence(at), moment: Moment::from(moment(seconds)), kind, sent: sent(blocks) }
}

fn a_history_ends_with_its_conversation(place: &Place) {
    let (store, c) = (place(), id("a"));
    give(&*store, &c, &[page(1, 3, 9)], moment(10));
    store.forget(&c, &pages(1, 3), moment(20)).unwrap();
    assert_eq!(history(&*store, &c).steps.len(), 2);
    store.prune(moment(30), u64::MAX, moment(30)).unwrap();
    assert_eq!(history(&*store, &c), ConversationHistory::default());
    give(&*store, &c, &[page(1, 3, 9)], moment(40));
    assert_eq!(history(&*store, &c).steps.len(), 1);
    assert!(history(&*store, &c).forgotten.is_empty());
}

fn the_latest_forgotten_pages_are_kept(place: &Place) {
    let (store, c) = (place(), id("a"));
    let held: Vec<_> = (0..6_000).map(|number| page(1, number, 9)).collect();
    let others: Vec<_> = (0..6_000).map(|number| page(2, number, 9)).collect();
    for (file, held) in [(1, &held), (2, &others)] {
        give(&*store, &c, held, moment(10));
        store.forget(&c, &ForgetScope::File(FileKey([file; 32])), moment(20)).unwrap();
    }
    let forgotten = history(&*store, &c).forgotten;
    let counts: Vec<_> = forgotten.iter().map(|(_, pages)| pages.len()).collect();
    assert_eq!(counts.iter().sum::<u64>(), 10_000);
    assert_eq!(counts.last(), Some(&6_000), "the pages that were forgotten first are dropped");
}

fn a_fork_goes_its_own_way(place: &Place) {
    let (store, from, to, early) = (place(), id("origin"), id("fork"), id("early fork"));
    let owner = Principal::of("somebody");
    store.create(&from, Some(&owner), moment(9)).unwrap();
    store.enter(&from, 7, moment(9)).unwrap();
    let first = give(&*store, &from, &[page(1, 0, 1)], moment(9));
    let second = DeliveryRecord { sent: sent(1), ..delivery(first, &[page(1, 1, 2)]) };
    let second = store.record(&from, &second, moment(9)).unwrap().unwrap();
    assert!(fork(&*store, &from, &to, None, moment(10)).unwrap());
    assert!(fork(&*store, &from, &early, Some(first.latest), moment(10)).unwrap());
    store.forget(&from, &ForgetScope::Everything, moment(11)).unwrap();
    assert_eq!((held(&*store, &to).len(), held(&*store, &early)), (2, vec![page(1, 0, 1)]));
    let head = store.head(&to).unwrap().unwrap();
    assert_eq!((head.owner, head.generation, head.sent, head.latest), (Some(owner), 7, sent(1), second.latest));
    assert_ne!(head.begun, second.begun);
    assert!(give(&*store, &to, &[page(1, 2, 3)], moment(12)).latest > second.latest, "points go on from the origin's");
    assert_eq!(held(&*store, &from), []);
    assert!(!fork(&*store, &id("nobody"), &id("x"), None, moment(11)).unwrap(), "there is no such conversation");
    assert!(!fork(&*store, &from, &to, None, moment(11)).unwrap(), "the handle is taken");
    assert_eq!(store.head(&id("x")).unwrap(), None);
}

fn a_later_generation_forgets_all_but_files(place: &Place) {
    let (store, a) = (place(), id("a"));
    assert_eq!(store.enter(&id("of nobody yet"), 0, moment(12)).unwrap(), 0);
    assert_eq!(version(&*store, &id("of nobody yet")).latest, Sequence::START, "the first generation forgets nothing");
    let given = give(&*store, &a, &[page(5, 0, 1)], moment(12));
    assert_eq!(store.enter(&a, 0, moment(12)).unwrap(), 0);
    assert_eq!(held(&*store, &a), [page(5, 0, 1)], "the same generation forgets nothing");
    assert_eq!(store.enter(&a, 7, moment(12)).unwrap(), 7);
    assert_eq!(store.enter(&a, 6, moment(12)).unwrap(), 7, "an earlier one is told which it is");
    assert_eq!(held(&*store, &a), [known(5)], "files stay followed");
    assert_eq!(store.record(&a, &delivery(given, &[page(5, 0, 1)]), moment(12)).unwrap(), None);
    let last = store.enter(&a, u64::MAX, moment(12)).unwrap();
    give(&*store, &a, &[page(5, 0, 1)], moment(12));
    assert_eq!(store.enter(&a, u64::MAX, moment(12)).unwrap(), last);
    assert_eq!(held(&*store, &a), [page(5, 0, 1), known(5)], "however large it is, it is one generation");
    assert_eq!(store.enter(&id("new"), 3, moment(12)).unwrap(), 3);
    assert_eq!(store.head(&id("new")).unwrap().unwrap().generation, 3);
}

fn what_began_anew_is_another(place: &Place) {
    let (store, a) = (place(), id("a"));
    let before = give(&*store, &a, &[page(1, 0, 1)], moment(0));
    store.prune(moment(1), 0, moment(1)).unwrap();
    assert_eq!(store.record(&a, &delivery(before, &[page(1, 1, 2)]), moment(2)).unwrap(), None, "it is gone");
    let after = give(&*store, &a, &[page(1, 2, 3)], moment(2));
    assert_eq!((after.latest, after.begun == before.begun), (before.latest, false));
    assert_eq!(held(&*store, &a), [page(1, 2, 3)]);
    assert_eq!(store.record(&a, &delivery(before, &[page(1, 1, 2)]), moment(2)).unwrap(), None);
}

fn names_and_page_counts_leave_with_their_last_conversation(place: &Place) {
    let store = place();
    let (old, new) = (FileKey([40; 32]), FileKey([41; 32]));
    let named = |file: FileKey, name: &str, holding: Holding| DeliveryRecord {
        names: BTreeMap::from([(file, name.to_owned())]),
        page_counts: BTreeMap::from([(holding.content, 9)]),
        ..delivery(Version::default(), &[holding])
    };
    store.record(&id("old"), &named(old, "/an older.pdf", page(40, 0, 1)), moment(20)).unwrap();
    store.record(&id("old"), &named(old, "/old.pdf", page(40, 0, 1)), moment(20)).unwrap();
    store.record(&id("new"), &named(new, "/new.pdf", page(41, 0, 1)), moment(32)).unwrap();
    let both = BTreeMap::from([(old, "/old.pdf".to_owned()), (new, "/new.pdf".to_owned())]);
    assert_eq!(names(&*store), both);
    store.prune(moment(30), 1_000, moment(33)).unwrap();
    assert_eq!(names(&*store), BTreeMap::from([(new, "/new.pdf".to_owned())]));
    let kept = store.load(&id("new"), None).unwrap();
    assert_eq!(kept.page_counts, BTreeMap::from([(ContentHash([41; 32]), 9)]));
    store.forget(&id("new"), &ForgetScope::File(new), moment(34)).unwrap();
    assert_eq!(names(&*store), BTreeMap::from([(new, "/new.pdf".to_owned())]), "people see what was forgotten");
    assert!(store.load(&id("new"), None).unwrap().page_counts.is_empty());
}

/// The names of all files of all conversations.
fn names(store: &dyn ViewStore) -> BTreeMap<FileKey, String> {
    let records = store.list().unwrap();
    records.iter().flat_map(|record| store.load(&record.id, None).unwrap().names.clone()).collect()
}

fn the_least_recently_used_are_pruned_first(place: &Place) {
    let store = place();
    give(&*store, &id("old"), &[page(40, 0, 1)], moment(20));
    give(&*store, &id("big"), &[page(42, 0, 1), page(42, 1, 2), page(42, 2, 3)], moment(31));
    give(&*store, &id("new"), &[page(41, 0, 1)], moment(32));
    let names = || -> Vec<String> { store.list().unwrap().iter().map(|record| record.id.to_string()).collect() };
    store.prune(moment(30), 1_000, moment(33)).unwrap();
    assert_eq!(names(), ["new", "big"]);
    assert_eq!(store.prune(moment(0), 4, moment(33)).unwrap(), PruneCounts::default(), "four fit");
    assert_eq!(store.prune(moment(0), 3, moment(33)).unwrap(), PruneCounts { conversations: 1, holdings: 3 });
    assert_eq!(names(), ["new"]);
    let health = store.health().unwrap();
    assert_eq!((health.conversations, health.holdings), (1, 1));
    assert_eq!(place().last_pruned().unwrap(), Some(moment(33)));
}

/// Whatever is done, a store holds what a plain view holds, also for another handle; and so does a reader that takes only
/// what it does not have.
fn stores_and_views_agree(place: &Place) {
    let step = prop_oneof![3 => prop::collection::vec(holding(), 0..4).prop_map(Ok), 1 => forget().prop_map(Err)];
    let steps = prop::collection::vec((step, any::<bool>()), 0..20);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) };
    let number = std::cell::Cell::new(0);
    let run = TestRunner::new(config).run(&steps, |steps| {
        let (store, a) = (place(), id(&number.replace(number.get() + 1).to_string()));
        let (mut view, mut reader) = (ConversationView::new(), Arc::<Conversation>::default());
        for (step, reads) in steps {
            match step {
                Ok(holdings) => {
                    let at = give(&*store, &a, &holdings, moment(0)).latest;
                    view.extend(holdings.into_iter().map(|holding| (holding, at)));
                }
                Err(what) => {
                    store.forget(&a, &what, moment(0)).unwrap();
                    view.forget(&what);
                }
            }
            if reads {
                catch_up(&*store, &a, &mut reader);
                prop_assert_eq!(&reader.view, &view);
            }
        }
        prop_assert_eq!(&loaded(&*place(), &a), &view);
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

fn catch_up(store: &dyn ViewStore, conversation: &ConversationId, known: &mut Arc<Conversation>) {
    *known = store.load(conversation, Some(Arc::clone(known))).unwrap();
}

fn four_threads_on_two_handles_lose_nothing(place: &Place) {
    const ROUNDS: u32 = 50;
    let handles = [place(), place()];
    let shared = id("shared");
    let mut sequences: Vec<Sequence> = std::thread::scope(|scope| {
        let write = |handle: Arc<dyn ViewStore>, file: u8| {
            let shared = shared.clone();
            move || -> Vec<Sequence> {
                let record = |at| delivery(Version::default(), &[page(file, at, file)]);
                let record = |at| handle.record(&shared, &record(at), moment(0)).unwrap().unwrap();
                (0..ROUNDS).map(|at| record(at).latest).collect()
            }
        };
        let workers: Vec<_> = (0_u8..8)
            .zip(handles.iter().cycle())
            .map(|(file, handle)| scope.spawn(write(Arc::clone(handle), file)))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(held(&*place(), &shared).len(), 8 * ROUNDS as usize);
    sequences.sort_unstable();
    let all: Vec<Sequence> = (1..=8 * u64::from(ROUNDS)).map(Sequence).collect();
    assert_eq!(sequences, all, "no sequence is given twice, and none is left out");
}
