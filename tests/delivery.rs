//! How an answer becomes a record, whichever door writes it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may stop where it stands")]

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use pagewise::context::AnswerSettings;
use pagewise::tool::{DeliverError, DeliveryOutcome, Dispatch, Recall, deliver};
use pagewise_store::MemoryStore;

use crate::support::context_bench::{Bench, pages};
use crate::support::scripted_store::{Hooked, Side, disk_full};

const ANSWER: &[u8] = b"an answer of some bytes";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two"]);
    bench
}

/// An answer with page 1.
fn answer(bench: &Bench) -> Dispatch {
    Dispatch::of(Some(bench.ask("a.pdf", pages("1")).delivery))
}

fn is_held(bench: &Bench) -> bool {
    let status = bench.context.status(&"c".parse().unwrap(), None).unwrap();
    status.files.iter().any(|file| !file.pages.is_empty())
}

/// A client that takes so many bytes, and perhaps no flush.
struct Client {
    left: usize,
    takes_flush: bool,
}

impl Write for Client {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(1).min(self.left);
        self.left -= taken;
        if taken == 0 { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.takes_flush { Ok(()) } else { Err(io::ErrorKind::ConnectionReset.into()) }
    }
}

fn write_to(mut client: Client) -> impl FnOnce() -> io::Result<()> {
    move || {
        client.write_all(ANSWER)?;
        client.flush()
    }
}

#[test]
fn an_answer_is_recorded_only_when_all_of_it_was_written_and_flushed() {
    let bench = bench();
    for left in 0..ANSWER.len() {
        let delivered = deliver(answer(&bench), write_to(Client { left, takes_flush: true }));
        assert!(matches!(delivered, Err(DeliverError::Write(_))), "{left}: {delivered:?}");
        assert!(!is_held(&bench), "after {left} bytes");
    }
    let delivered = deliver(answer(&bench), write_to(Client { left: ANSWER.len(), takes_flush: false }));
    assert!(matches!(delivered, Err(DeliverError::Write(_))), "{delivered:?}");
    assert!(!is_held(&bench), "without a flush");
    let delivered = deliver(answer(&bench), write_to(Client { left: ANSWER.len(), takes_flush: true }));
    assert_eq!(delivered.unwrap(), DeliveryOutcome::Recorded);
    assert!(is_held(&bench));
}

#[test]
fn an_answer_that_nobody_writes_is_not_recorded() {
    let bench = bench();
    let dispatch = answer(&bench);
    let recall = dispatch.recall();
    drop(dispatch);
    assert!(!is_held(&bench) && recall.is_over());
    assert!(recall.cancel().is_none());
}

/// When a client cancels, and what came of the answer then.
#[test]
fn a_cancelled_answer_leaves_no_record_whenever_the_cancellation_comes() {
    let cancel = |recall: &Recall| assert!(recall.cancel().is_none(), "nothing was recorded yet");
    type Moment = fn(&Bench, &dyn Fn(&Recall)) -> DeliveryOutcome;
    let moments: [(&str, Moment); 4] = [
        ("before the answer was made", |bench, cancel| {
            let dispatch = Dispatch::open();
            cancel(&dispatch.recall());
            dispatch.put(bench.ask("a.pdf", pages("1")).delivery);
            deliver(dispatch, || Ok::<_, ()>(())).unwrap()
        }),
        ("before it was written", |bench, cancel| {
            let dispatch = answer(bench);
            cancel(&dispatch.recall());
            deliver(dispatch, || Ok::<_, ()>(())).unwrap()
        }),
        ("while it was written", |bench, cancel| {
            let dispatch = answer(bench);
            let recall = dispatch.recall();
            deliver(dispatch, || {
                cancel(&recall);
                Ok::<_, ()>(())
            })
            .unwrap()
        }),
        ("while it was written and not flushed", |bench, cancel| {
            let dispatch = answer(bench);
            let recall = dispatch.recall();
            let written = deliver(dispatch, || {
                cancel(&recall);
                Err(())
            });
            assert!(matches!(written, Err(DeliverError::Write(()))));
            DeliveryOutcome::Cancelled
        }),
    ];
    for (moment, run) in moments {
        let bench = bench();
        assert_eq!(run(&bench, &cancel), DeliveryOutcome::Cancelled, "{moment}");
        assert!(!is_held(&bench), "{moment}");
        bench.given("a.pdf", pages("1"));
        assert!(is_held(&bench), "{moment}: another answer is recorded");
    }
}

#[test]
fn a_record_is_taken_back_by_a_later_cancellation_and_only_once() {
    let bench = bench();
    let dispatch = answer(&bench);
    let recall = dispatch.recall();
    assert_eq!(deliver(dispatch, || Ok::<_, ()>(())).unwrap(), DeliveryOutcome::Recorded);
    assert!(is_held(&bench) && recall.is_answered());
    recall.cancel().unwrap().take_back().unwrap();
    assert!(!is_held(&bench));
    assert!(recall.is_over() && recall.cancel().is_none());
}

#[test]
fn a_cancellation_while_the_store_records_takes_the_record_back() {
    let recall: Arc<Mutex<Option<Recall>>> = Arc::default();
    for side in [Side::Before, Side::After] {
        let hooked = Arc::clone(&recall);
        let hook = move |call: &str, now| {
            if call == "swap" && now == side {
                hooked.lock().unwrap().iter().for_each(|recall| assert!(recall.cancel().is_none()));
            }
            Ok(())
        };
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let store = Arc::new(Hooked::new(Arc::new(MemoryStore::new()), hook));
        let bench = Bench::over(folder, store, AnswerSettings::default());
        bench.pdf("a.pdf", &["one", "two"]);
        let dispatch = answer(&bench);
        *recall.lock().unwrap() = Some(dispatch.recall());
        assert_eq!(deliver(dispatch, || Ok::<_, ()>(())).unwrap(), DeliveryOutcome::Cancelled, "{side:?}");
        *recall.lock().unwrap() = None;
        assert!(!is_held(&bench), "{side:?}");
    }
}

#[test]
fn a_store_that_fails_is_told_of_and_the_answer_was_written() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let hook = |call: &str, side| if (call, side) == ("swap", Side::Before) { Err(disk_full()) } else { Ok(()) };
    let store = Arc::new(Hooked::new(Arc::new(MemoryStore::new()), hook));
    let bench = Bench::over(folder, store, AnswerSettings::default());
    bench.pdf("a.pdf", &["one", "two"]);
    let written = Cell::new(false);
    let delivered = deliver(answer(&bench), || {
        written.set(true);
        Ok::<_, ()>(())
    });
    assert!(matches!(delivered, Err(DeliverError::Store(_))), "{delivered:?}");
    assert!(written.get());
}

#[test]
fn an_answer_without_anything_to_record_is_written_all_the_same() {
    let delivered = deliver(Dispatch::of(None), || Ok::<_, ()>(()));
    assert_eq!(delivered.unwrap(), DeliveryOutcome::Nothing);
    assert!(matches!(deliver(Dispatch::open(), || Err(7)), Err(DeliverError::Write(7))));
}
