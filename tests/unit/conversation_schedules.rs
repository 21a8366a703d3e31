//! Tasks on one process's conversations, in orders that shuttle chooses: at every lock of [`ConversationCache`] and of
//! its recorder, and before and after every call of the store.
//!
//! Half of the schedules are random, half are those of probabilistic concurrency testing (three changes of priority), all
//! from one seed, so that a failure comes again. `PAGEWISE_SCHEDULES=100000` tries more. The map of conversations is the
//! real one, whose guards are no scheduling points: a guard that were held across a call of the store, or across a lock,
//! would hold up the only thread there is, and the test would never end. `tests/interleavings.rs` goes through the same
//! door as a client and tries all orders of few steps one after the other; loom, which tries all orders of all steps,
//! has no end with the store's calls among them, and knows no map of dashmap's either.
#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::thread;
use shuttle::{Config, Runner};

use super::cache::{ConversationCache, Snapshot};
use crate::context::request::Retention;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::PageIndex;
use pagewise_store::{MemoryStore, StoreError, ViewStore};
use pagewise_view::{
    ConversationId, ConversationView, DeliveryRecord, FileKey, ForgetScope, HeldItem, Holding, PageForm, Usage, Version,
};

#[path = "../support/scripted_store.rs"]
mod scripted_store;

use scripted_store::{FAULTS, Hooked, Side, disk_full, loaded};

/// Where all schedules come from.
const SEED: u64 = 0x5eed_0f0d_e1ec;

/// Changes of priority in a schedule of the second kind.
const CHANGES: usize = 3;

fn explore(scenario: impl Fn() + Send + Sync + 'static) {
    explore_with(schedules(), scenario);
}

fn schedules() -> usize {
    std::env::var("PAGEWISE_SCHEDULES").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

fn explore_with(schedules: usize, scenario: impl Fn() + Send + Sync + 'static) {
    let scenario = Arc::new(scenario);
    let config = || {
        let mut config = Config::new();
        config.stack_size = 256 << 10;
        config
    };
    let again = Arc::clone(&scenario);
    Runner::new(RandomScheduler::new_from_seed(SEED, schedules), config()).run(move || again());
    Runner::new(PctScheduler::new_from_seed(SEED, CHANGES, schedules), config()).run(move || scenario());
}

/// One process on a store that is shared, whose calls are scheduling points.
#[derive(Clone)]
struct TestProcess {
    cache: Arc<ConversationCache>,
    /// Whether the store still fails this process.
    is_faulty: Arc<AtomicBool>,
}

impl TestProcess {
    fn new(store: &Arc<MemoryStore>, fails: Option<(&'static str, Side)>) -> Self {
        let is_faulty = Arc::new(AtomicBool::new(true));
        let still_fails = Arc::clone(&is_faulty);
        let hook = move |call: &'static str, side: Side| -> Result<(), StoreError> {
            thread::yield_now();
            let is_fault = fails == Some((call, side)) && still_fails.load(Ordering::SeqCst);
            if is_fault { Err(disk_full()) } else { Ok(()) }
        };
        let store = Arc::new(Hooked::new(Arc::clone(store) as Arc<dyn ViewStore>, hook));
        Self { cache: Arc::new(ConversationCache::new(store, Retention::default())), is_faulty }
    }

    /// The store fails it no more.
    fn recover(&self) {
        self.is_faulty.store(false, Ordering::SeqCst);
    }

    /// What may be left out of an answer: nothing, where the conversation cannot be opened.
    fn open(&self, conversation: &ConversationId) -> Snapshot {
        self.cache.open(conversation).unwrap_or_default()
    }

    fn pages(&self, conversation: &ConversationId) -> BTreeSet<u32> {
        pages(&self.open(conversation).view)
    }

    /// Delivers a page on what was known at `plan`; its version, where it was recorded.
    fn deliver(&self, conversation: &ConversationId, plan: &Snapshot, at: u32) -> Result<Option<Version>, StoreError> {
        let delivery = DeliveryRecord {
            planned: plan.head.version(),
            holdings: vec![page(at)],
            sent: one(),
            ..DeliveryRecord::default()
        };
        self.cache.record(conversation, delivery)
    }

    /// A task that delivers a page on what was known at `plan`.
    fn delivers(&self, plan: &Snapshot, at: u32) -> Task {
        let (process, plan) = (self.clone(), plan.clone());
        Box::new(move || drop(process.deliver(&c(), &plan, at)))
    }

    fn forgets(&self, what: ForgetScope) -> Task {
        let cache = Arc::clone(&self.cache);
        Box::new(move || drop(cache.forget(&c(), &what)))
    }
}

fn c() -> ConversationId {
    "c".parse().unwrap()
}

fn one() -> Usage {
    Usage { blocks: 1, ..Usage::default() }
}

fn page(at: u32) -> Holding {
    let mut print = [0; 32];
    print.iter_mut().zip(at.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    let what = HeldItem::Page {
        fingerprint: PageFingerprint(print),
        page: PageIndex(at),
        form: PageForm::Document,
        is_shared: false,
    };
    Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what }
}

fn pages(view: &ConversationView) -> BTreeSet<u32> {
    let pages = view.holdings().filter_map(|(holding, _)| match holding.what {
        HeldItem::Page { page, .. } => Some(page.0),
        _ => None,
    });
    pages.collect()
}

type Task = Box<dyn FnOnce() + Send>;

fn together(tasks: Vec<Task>) {
    let running: Vec<_> = tasks.into_iter().map(thread::spawn).collect();
    running.into_iter().for_each(|task| task.join().unwrap());
}

/// What tasks tell each other without being held up.
fn noted<T>(notes: &Mutex<T>) -> MutexGuard<'_, T> {
    notes.lock().unwrap()
}

/// Whatever a process had at hand, it is what the store says.
fn agree(process: &TestProcess, store: &Arc<MemoryStore>) {
    process.recover();
    assert_eq!(process.open(&c()).view, loaded(&**store, &c()));
}

#[test]
fn sixty_four_tasks_that_record_at_once_are_durable_when_they_return() {
    let largest = Arc::new(AtomicUsize::new(0));
    let most = Arc::clone(&largest);
    // So many tasks take as long as twenty times as many schedules of three.
    explore_with(schedules().div_ceil(20), move || {
        let store = Arc::new(MemoryStore::new());
        let batches = Arc::clone(&most);
        let inner = Arc::clone(&store);
        let hook = move |call: &'static str, side: Side| -> Result<(), StoreError> {
            if (call, side) == ("swap", Side::After) {
                batches.fetch_max(loaded(&*inner, &c()).len(), Ordering::Relaxed);
            }
            thread::yield_now();
            Ok(())
        };
        let hooked = Arc::new(Hooked::new(Arc::clone(&store) as _, hook));
        let cache = Arc::new(ConversationCache::new(hooked, Retention::default()));
        let process = TestProcess { cache, is_faulty: Arc::default() };
        let records = |at: u32| -> Task {
            let (process, store) = (process.clone(), Arc::clone(&store));
            Box::new(move || {
                let plan = process.open(&c());
                assert!(process.deliver(&c(), &plan, at).unwrap().is_some());
                assert!(loaded(&*store, &c()).contains(&page(at)), "page {at} is reported, and not there");
            })
        };
        together((0..64).map(records).collect());
        assert_eq!(process.pages(&c()).len(), 64);
        assert_eq!(process.open(&c()).head.sent.blocks, 64);
        agree(&process, &store);
    });
    assert_eq!(largest.load(Ordering::Relaxed), 64);
}

#[test]
fn what_was_planned_before_a_forgetting_is_not_held_after_it() {
    for fails in FAULTS {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            let process = TestProcess::new(&store, fails);
            let plan = process.open(&c());
            let forgets = process.forgets(ForgetScope::Everything);
            together(vec![process.delivers(&plan, 0), forgets, process.delivers(&plan, 1)]);
            assert_eq!(process.pages(&c()), BTreeSet::new(), "{fails:?}");
            process.recover();
            assert_eq!(process.pages(&c()), BTreeSet::new(), "{fails:?}: the store works again");
            agree(&process, &store);
        });
    }
}

#[test]
fn a_new_generation_wins_over_what_was_planned_in_the_old_one() {
    for fails in FAULTS {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            let process = TestProcess::new(&store, fails);
            let plan = process.open(&c());
            let enters = process.clone();
            let enters: Task = Box::new(move || drop(enters.cache.open_in(&c(), Some(1))));
            together(vec![process.delivers(&plan, 0), enters, process.delivers(&plan, 1)]);
            assert_eq!(process.pages(&c()), BTreeSet::new(), "{fails:?}");
            process.recover();
            assert_eq!(process.pages(&c()), BTreeSet::new(), "{fails:?}: the store works again");
            agree(&process, &store);
        });
    }
}

#[test]
fn two_processes_see_what_was_delivered_and_not_forgotten() {
    for fails in FAULTS {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            // The store fails one of them only.
            let processes = [TestProcess::new(&store, None), TestProcess::new(&store, fails)];
            let before = processes[0].open(&c());
            assert!(processes[0].deliver(&c(), &before, 0).unwrap().is_some());
            let delivered: Arc<Mutex<BTreeSet<u32>>> = Arc::default();
            let delivers = |process: &TestProcess, at: u32| -> Task {
                let (process, delivered) = (process.clone(), Arc::clone(&delivered));
                Box::new(move || {
                    let Ok(plan) = process.cache.open(&c()) else { return };
                    noted(&delivered).insert(at);
                    drop(process.deliver(&c(), &plan, at));
                })
            };
            let forgets = processes[1].forgets(ForgetScope::AllButFiles);
            together(vec![delivers(&processes[0], 1), delivers(&processes[1], 2), forgets]);
            let who_forgot = processes[1].pages(&c());
            assert!(!who_forgot.contains(&0), "{fails:?}: who forgot it holds it");
            processes[1].recover();
            let views = [&processes[1], &processes[0]].map(|process| process.pages(&c()));
            assert_eq!(views[0], views[1], "{fails:?}");
            assert!(!views[0].contains(&0), "{fails:?}: {views:?}");
            assert!(views[0].is_subset(&noted(&delivered)), "{fails:?}: {views:?}");
            processes.iter().for_each(|process| agree(process, &store));
        });
    }
}

#[test]
fn what_is_taken_back_is_not_held_and_nothing_rests_on_it() {
    for fails in FAULTS {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            let (sound, process) = (TestProcess::new(&store, None), TestProcess::new(&store, fails));
            let first = sound.deliver(&c(), &Snapshot::default(), 0).unwrap().unwrap();
            let plan = sound.open(&c());
            let late = process.clone();
            let takes_back: Task = Box::new(move || drop(late.cache.take_back(&c(), first, one())));
            together(vec![process.delivers(&plan, 1), takes_back, process.delivers(&plan, 2)]);
            let held = process.pages(&c());
            assert!(!held.contains(&0), "{fails:?}: {held:?}");
            agree(&process, &store);
            let opened = process.open(&c());
            // What was refused was written all the same, and counts.
            assert!(fails.is_some() || opened.head.sent.blocks == 2, "{:?}", opened.head);
            assert!(!opened.view.contains(&page(0)));
        });
    }
}

#[test]
fn a_fork_made_while_others_record_and_forget_is_one_moment_of_them() {
    explore(|| {
        let store = Arc::new(MemoryStore::new());
        let process = TestProcess::new(&store, None);
        let plan = process.open(&c());
        assert!(process.deliver(&c(), &plan, 0).unwrap().is_some());
        let fork: ConversationId = "fork".parse().unwrap();
        let delivers = process.delivers(&process.open(&c()), 1);
        let forks = {
            let (process, fork) = (process.clone(), fork.clone());
            move || {
                assert!(process.cache.fork(&c(), &fork, None).unwrap());
                let plan = process.open(&fork);
                assert!(process.deliver(&fork, &plan, 2).unwrap().is_some());
            }
        };
        together(vec![delivers, process.forgets(ForgetScope::Everything), Box::new(forks)]);
        let held = process.pages(&fork);
        let possible = [vec![2], vec![0, 2], vec![0, 1, 2]];
        assert!(possible.contains(&held.iter().copied().collect()), "{held:?}");
        assert_eq!(process.pages(&c()), BTreeSet::new());
        process.cache.forget(&fork, &ForgetScope::Everything).unwrap();
        assert_eq!(process.pages(&fork), BTreeSet::new());
        agree(&process, &store);
    });
}
