//! Tasks on one process's conversations, in orders that shuttle chooses: at every lock of [`Live`] and of its recorder,
//! and before and after every call of the store.
//!
//! Half of the schedules are random, half are those of probabilistic concurrency testing (three changes of priority), all
//! from one seed, so that a failure comes again. `PAGEWISE_SCHEDULES=100000` tries more. The map of conversations is the
//! real one, whose guards are no scheduling points: a guard that were held across a call of the store, or across a lock,
//! would hold up the only thread there is, and the test would never end. `tests/interleavings.rs` goes through the same
//! door as a client and tries all orders of few steps one after the other; loom, which tries all orders of all steps,
//! has no end with the store's calls among them, and knows no map of dashmap's either.
#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::thread;
use shuttle::{Config, Runner};

use super::live::{Live, Opened, Record};
use super::request::Retention;
use crate::hash::{ContentHash, PageFingerprint};
use crate::page::PageIndex;
use crate::store::{Delivery, MemoryStore, StoreError, ViewStore};
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Form, Held, Holding};

#[path = "../../tests/support/stores.rs"]
mod stores;

use stores::{FAULTS, Hooked, Side, disk_full};

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

/// A store whose calls are scheduling points, and may fail.
fn stepping(store: &Arc<MemoryStore>, fails: Option<(&'static str, Side)>) -> Arc<dyn ViewStore> {
    let hook = move |call: &'static str, side: Side| -> Result<(), StoreError> {
        thread::yield_now();
        if fails == Some((call, side)) { Err(disk_full()) } else { Ok(()) }
    };
    Arc::new(Hooked::new(Arc::clone(store) as Arc<dyn ViewStore>, hook))
}

fn process(store: &Arc<MemoryStore>, fails: Option<(&'static str, Side)>) -> Arc<Live> {
    Arc::new(Live::new(stepping(store, fails), Retention::default()))
}

fn c() -> ConversationId {
    "c".parse().unwrap()
}

fn page(at: u32) -> Holding {
    let mut print = [0; 32];
    print.iter_mut().zip(at.to_le_bytes()).for_each(|(byte, part)| *byte = part);
    let what = Held::Page { fingerprint: PageFingerprint(print), page: PageIndex(at), form: Form::Document };
    Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what }
}

fn opened(live: &Live, conversation: &ConversationId) -> Opened {
    live.open(conversation).0
}

/// Delivers a page on what was known at `plan`; whether that is durable or was refused, and not that it failed.
fn deliver(live: &Live, conversation: &ConversationId, plan: &Opened, at: u32) -> bool {
    let delivery = Delivery { planned: Some(plan.moment.planned), holdings: vec![page(at)], ..Delivery::default() };
    let record = Record { conversation: conversation.clone(), delivery, moment: plan.moment, texts: Vec::new() };
    live.record(record).is_ok()
}

/// A task that delivers a page on what was known at `plan`.
fn delivers(live: &Arc<Live>, plan: &Opened, at: u32) -> Task {
    let (live, plan) = (Arc::clone(live), plan.clone());
    Box::new(move || {
        deliver(&live, &c(), &plan, at);
    })
}

fn pages(view: &ConversationView) -> BTreeSet<u32> {
    let pages = view.holdings().filter_map(|(holding, _)| match holding.what {
        Held::Page { page, .. } => Some(page.0),
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
            if (call, side) == ("record_all", Side::After) {
                let held = inner.load(&c()).unwrap().holdings().count();
                batches.fetch_max(held, Ordering::Relaxed);
            }
            thread::yield_now();
            Ok(())
        };
        let live = Arc::new(Live::new(Arc::new(Hooked::new(Arc::clone(&store) as _, hook)), Retention::default()));
        let records = |at: u32| -> Task {
            let (live, store) = (Arc::clone(&live), Arc::clone(&store));
            Box::new(move || {
                let plan = opened(&live, &c());
                assert!(deliver(&live, &c(), &plan, at));
                assert!(store.load(&c()).unwrap().contains(&page(at)), "page {at} is reported, and not there");
            })
        };
        together((0..64).map(records).collect());
        assert_eq!(pages(&store.load(&c()).unwrap()).len(), 64);
        assert_eq!(pages(&opened(&live, &c()).view).len(), 64);
    });
    assert_eq!(largest.load(Ordering::Relaxed), 64);
}

#[test]
fn what_was_planned_before_a_forgetting_is_not_held_after_it() {
    for fails in FAULTS {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            let live = process(&store, fails);
            let plan = opened(&live, &c());
            let forgets = Arc::clone(&live);
            let forgets: Task = Box::new(move || drop(forgets.forget(&c(), &Forget::Everything)));
            together(vec![delivers(&live, &plan, 0), forgets, delivers(&live, &plan, 1)]);
            assert_eq!(pages(&opened(&live, &c()).view), BTreeSet::new(), "{fails:?}");
        });
    }
}

#[test]
fn a_new_generation_wins_over_what_was_planned_in_the_old_one() {
    for fails in [None, Some(("enter", Side::Before)), Some(("enter", Side::After)), Some(("head", Side::Before))] {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            let live = process(&store, fails);
            let plan = opened(&live, &c());
            let enters = Arc::clone(&live);
            let enters: Task = Box::new(move || drop(enters.enter(&c(), 1)));
            together(vec![delivers(&live, &plan, 0), enters, delivers(&live, &plan, 1)]);
            assert_eq!(pages(&opened(&live, &c()).view), BTreeSet::new(), "{fails:?}");
        });
    }
}

#[test]
fn two_processes_merge_into_what_was_delivered_and_not_forgotten() {
    for fails in FAULTS {
        explore(move || {
            let store = Arc::new(MemoryStore::new());
            // The store fails one of them only.
            let lives = [process(&store, None), process(&store, fails)];
            let before = opened(&lives[0], &c());
            assert!(deliver(&lives[0], &c(), &before, 0));
            let delivered: Arc<Mutex<BTreeSet<u32>>> = Arc::default();
            let delivers = |live: &Arc<Live>, at: u32| -> Task {
                let (live, delivered) = (Arc::clone(live), Arc::clone(&delivered));
                Box::new(move || {
                    let plan = opened(&live, &c());
                    noted(&delivered).insert(at);
                    deliver(&live, &c(), &plan, at);
                })
            };
            let forgets = Arc::clone(&lives[1]);
            let forgets: Task = Box::new(move || drop(forgets.forget(&c(), &Forget::AllButFiles)));
            together(vec![delivers(&lives[0], 1), delivers(&lives[1], 2), forgets]);
            for live in &lives {
                let _ = opened(live, &c());
            }
            let views = lives.each_ref().map(|live| pages(&opened(live, &c()).view));
            let delivered = noted(&delivered).clone();
            let is_forgotten_everywhere = !matches!(fails, Some(("forget" | "head" | "load_since", _)));
            for view in &views {
                assert!(!is_forgotten_everywhere || !view.contains(&0), "{fails:?}: {views:?}");
                assert!(view.iter().all(|at| *at == 0 || delivered.contains(at)), "{fails:?}: {views:?}");
            }
            assert!(!views[1].contains(&0), "{fails:?}: who forgot it holds it");
            if fails.is_none() {
                assert_eq!(views[0], views[1]);
                assert_eq!(views[0], pages(&store.load(&c()).unwrap()));
            }
        });
    }
}

#[test]
fn a_fork_made_while_others_record_and_forget_is_one_moment_of_them() {
    explore(|| {
        let store = Arc::new(MemoryStore::new());
        let live = process(&store, None);
        let plan = opened(&live, &c());
        assert!(deliver(&live, &c(), &plan, 0));
        let fork: ConversationId = "fork".parse().unwrap();
        let delivers = {
            let (live, plan) = (Arc::clone(&live), opened(&live, &c()));
            Box::new(move || {
                deliver(&live, &c(), &plan, 1);
            })
        };
        let forgets = Arc::clone(&live);
        let forks = {
            let (live, fork) = (Arc::clone(&live), fork.clone());
            move || {
                live.store().fork(&c(), &fork, None, std::time::SystemTime::UNIX_EPOCH).unwrap();
                let plan = opened(&live, &fork);
                assert!(deliver(&live, &fork, &plan, 2));
            }
        };
        together(vec![delivers, Box::new(move || forgets.forget(&c(), &Forget::Everything).unwrap()), Box::new(forks)]);
        let held = pages(&opened(&live, &fork).view);
        let possible = [vec![2], vec![0, 2], vec![0, 1, 2]];
        assert!(possible.contains(&held.iter().copied().collect()), "{held:?}");
        assert_eq!(pages(&opened(&live, &c()).view), BTreeSet::new());
        live.forget(&fork, &Forget::Everything).unwrap();
        assert_eq!(pages(&opened(&live, &fork).view), BTreeSet::new());
    });
}
