//! Tasks on one manager, in every order of their steps.
//!
//! A step ends where a task is about to ask the store, and where it has its answer. Between two steps a task runs alone,
//! and a choice is made of who goes on. All choices of a scenario are tried one after the other; where there are too many,
//! as many as are asked for, spread by a fixed rule. `PAGEWISE_SCHEDULES=100000` tries more.
//!
//! Who records holds a lock that the others wait for; a task that does is left to wait, so that batches are met too.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use pagewise::context::{
    AnswerSettings, ContextManager, FileAnswer, FileRequest, ForgetRequest, RequestedPart, Requester,
};
use pagewise_base::limits::Cancellation;
use pagewise_base::page::PageIndex;
use pagewise_store::{MemoryStore, StoreError, ViewStore};
use pagewise_view::{ConversationId, PageForm};
use tempfile::TempDir;

use crate::support::context_bench::{Words, reading};
use crate::support::scripted_store::{FAULTS, Hooked, Side, disk_full, loaded};

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Waits to be chosen. Whether it holds the lock of those who record.
    Parked {
        records: bool,
    },
    Running,
    Done,
}

#[derive(Default)]
struct Board {
    tasks: Vec<State>,
    /// Whether nobody is held up any more: the scenario is over, or a task broke.
    is_open: bool,
}

/// Where tasks wait for their turn.
#[derive(Default)]
struct Stage {
    board: Mutex<Board>,
    changed: Condvar,
}

thread_local! {
    static TASK: Cell<Option<usize>> = const { Cell::new(None) };
}

impl Stage {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap()
    }

    /// Ends a step of the task of this thread, where it is one.
    fn step(&self, records: bool) {
        let Some(task) = TASK.get() else { return };
        let mut board = self.board();
        board.tasks[task] = State::Parked { records };
        self.changed.notify_all();
        while !board.is_open && board.tasks[task] != State::Running {
            board = self.changed.wait(board).unwrap();
        }
        board.tasks[task] = State::Running;
    }

    fn set(&self, task: usize, state: State) {
        self.board().tasks[task] = state;
        self.changed.notify_all();
    }

    /// Waits until nobody runs but those that wait for one who records.
    fn settled(&self) -> Vec<State> {
        let mut board = self.board();
        loop {
            let records = board.tasks.contains(&State::Parked { records: true });
            let runs = board.tasks.contains(&State::Running);
            if !runs {
                return board.tasks.clone();
            }
            let (next, waited) = self.changed.wait_timeout(board, Duration::from_millis(2)).unwrap();
            board = next;
            if records && waited.timed_out() {
                return board.tasks.clone();
            }
        }
    }
}

/// A choice that was made: which of how many.
type Choices = Vec<(usize, usize)>;

/// Runs tasks by `prefix`, and then always the first that can go on; the choices that were made.
fn run(stage: &Arc<Stage>, prefix: &[usize], tasks: Vec<Box<dyn FnOnce() + Send + '_>>) -> Choices {
    *stage.board() = Board { tasks: vec![State::Running; tasks.len()], is_open: false };
    let mut choices = Choices::new();
    std::thread::scope(|scope| {
        for (number, task) in tasks.into_iter().enumerate() {
            let stage = Arc::clone(stage);
            scope.spawn(move || {
                TASK.set(Some(number));
                stage.step(false);
                // One that breaks holds up nobody, and its panic is the test's.
                let _opens = Opens(&stage, number);
                task();
            });
        }
        loop {
            let states = stage.settled();
            let parked = |(at, state): (usize, &State)| matches!(state, State::Parked { .. }).then_some(at);
            let ready: Vec<usize> = states.iter().enumerate().filter_map(parked).collect();
            if ready.is_empty() {
                break;
            }
            let choice = prefix.get(choices.len()).copied().unwrap_or(0).min(ready.len() - 1);
            choices.push((choice, ready.len()));
            stage.set(ready[choice], State::Running);
        }
    });
    choices
}

struct Opens<'a>(&'a Stage, usize);

impl Drop for Opens<'_> {
    fn drop(&mut self) {
        let mut board = self.0.board();
        board.tasks[self.1] = State::Done;
        board.is_open |= std::thread::panicking();
        self.0.changed.notify_all();
    }
}

/// The choices after `made` in the order of all of them.
fn next(made: &Choices) -> Option<Vec<usize>> {
    let last = made.iter().rposition(|(choice, of)| choice + 1 < *of)?;
    let mut prefix: Vec<usize> = made[..last].iter().map(|(choice, _)| *choice).collect();
    prefix.push(made[last].0 + 1);
    Some(prefix)
}

/// One world: a file of three pages, a conversation, and a store in which calls may fail.
struct World {
    stage: Arc<Stage>,
    store: Arc<MemoryStore>,
    context: ContextManager,
    folder: TempDir,
}

impl World {
    fn new(fails: Option<(&'static str, Side)>) -> Self {
        let (stage, store) = (Arc::<Stage>::default(), Arc::new(MemoryStore::new()));
        let steps = Arc::clone(&stage);
        let hook = move |call: &'static str, side: Side| -> Result<(), StoreError> {
            if ["load", "swap"].contains(&call) {
                // Those who change a conversation take turns, also where they load it.
                steps.step(true);
            }
            let is_task = TASK.get().is_some();
            if is_task && fails == Some((call, side)) { Err(disk_full()) } else { Ok(()) }
        };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pdf"), "%PDF-1.7\none\ntwo\nthree\n").unwrap();
        let hooked = Arc::new(Hooked::new(Arc::clone(&store) as Arc<dyn ViewStore>, hook));
        let context = reading(folder.path(), Arc::new(Words), hooked, AnswerSettings::default());
        let world = Self { stage, store, context, folder };
        // The daily pruning is over, and the view is at hand.
        let first = world.ask(&c(), 2);
        assert!(commits(first));
        world.context.forget(&c(), &ForgetRequest::default()).unwrap();
        world
    }

    fn ask(&self, conversation: &ConversationId, page: u32) -> FileAnswer {
        let mut request = FileRequest::whole("a.pdf");
        (request.part, request.conversation) = (RequestedPart::Index(page.into()), Some(conversation.clone()));
        self.context.get_file(&request).unwrap()
    }

    fn forget(&self, conversation: &ConversationId) {
        // Where that fails this process relies on nothing of it.
        let _ = self.context.forget(conversation, &ForgetRequest::default());
    }

    /// What the manager leaves out, by page; and that the store knows nothing more.
    fn held(&self, conversation: &ConversationId) -> Vec<u32> {
        let left_out = |page: &u32| self.ask(conversation, *page).details.sent.is_empty();
        let held: Vec<u32> = (0..3).filter(left_out).collect();
        let view = loaded(&*self.store, conversation);
        let content = view.files().next().map(|(_, content)| content);
        let stored = content.map(|content| view.pages_in(&content, PageForm::Document)).unwrap_or_default();
        for page in stored.iter() {
            assert!(held.contains(&page.0), "the store holds page {} and the manager does not", page.number());
        }
        held
    }
}

fn c() -> ConversationId {
    "c".parse().unwrap()
}

fn commits(answer: FileAnswer) -> bool {
    answer.delivery.commit().is_ok()
}

/// Tries the orders of one scenario. `tasks` makes its tasks over a world, `check` looks at what came of it.
fn every_order<P>(
    fails: Option<(&'static str, Side)>,
    prepare: impl Fn(&World) -> P,
    tasks: impl for<'w> Fn(&'w World, &'w P) -> Vec<Box<dyn FnOnce() + Send + 'w>>,
    check: impl Fn(&World, &P, &Choices),
) -> usize {
    let most: usize = std::env::var("PAGEWISE_SCHEDULES").ok().and_then(|most| most.parse().ok()).unwrap_or(200);
    let mut prefix = Vec::new();
    let mut tried = 0;
    loop {
        let world = World::new(fails);
        let prepared = prepare(&world);
        let choices = run(&world.stage, &prefix, tasks(&world, &prepared));
        check(&world, &prepared, &choices);
        tried += 1;
        match next(&choices) {
            Some(following) if tried < most => prefix = following,
            None => return tried,
            Some(_) => return tried + spread(most, &choices, fails, &prepare, &tasks, &check),
        }
    }
}

/// Orders beyond those that were tried in turn: each choice by a hash of its number.
fn spread<P>(
    most: usize,
    first: &Choices,
    fails: Option<(&'static str, Side)>,
    prepare: &impl Fn(&World) -> P,
    tasks: &impl for<'w> Fn(&'w World, &'w P) -> Vec<Box<dyn FnOnce() + Send + 'w>>,
    check: &impl Fn(&World, &P, &Choices),
) -> usize {
    for number in 0..most {
        let choice = |at: usize| usize::from(blake3::hash(format!("{number} {at}").as_bytes()).as_bytes()[0]);
        // Of three tasks at most.
        let prefix: Vec<usize> = (0..first.len() * 2).map(|at| choice(at) % 3).collect();
        let world = World::new(fails);
        let prepared = prepare(&world);
        let choices = run(&world.stage, &prefix, tasks(&world, &prepared));
        check(&world, &prepared, &choices);
    }
    most
}

/// An answer that waits to be committed by one task.
type Waiting = Mutex<Option<FileAnswer>>;

fn waiting(answer: FileAnswer) -> Waiting {
    Mutex::new(Some(answer))
}

fn commit(answer: &Waiting) {
    let answer = answer.lock().unwrap().take().unwrap();
    // A store that fails is told of; what matters is what is held then.
    let _ = answer.delivery.commit();
}

#[test]
fn what_was_planned_before_a_forgetting_is_not_held_after_it() {
    let tried: usize = FAULTS
        .into_iter()
        .map(|fails| {
            every_order(
                fails,
                |world| [waiting(world.ask(&c(), 0)), waiting(world.ask(&c(), 1))],
                |world, [one, two]| {
                    vec![
                        Box::new(move || commit(one)),
                        Box::new(move || world.forget(&c())),
                        Box::new(move || commit(two)),
                    ]
                },
                |world, _, choices| {
                    let held = world.context.pages_held("a.pdf", Requester::of(&c(), &Cancellation::new())).unwrap();
                    assert!(held.is_empty(), "{fails:?} {choices:?}: {held}");
                    assert!(world.held(&c()).is_empty(), "{fails:?} {choices:?}");
                },
            )
        })
        .sum();
    assert!(tried >= 300, "{tried}");
}

#[test]
fn a_new_generation_wins_over_what_was_planned_in_the_old_one() {
    for fails in FAULTS {
        every_order(
            fails,
            |world| waiting(world.ask(&c(), 0)),
            |world, answer| {
                let enter = || drop(world.context.enter(&c(), 1));
                vec![Box::new(move || commit(answer)), Box::new(enter)]
            },
            |world, _, choices| {
                // Asked for as the client would, in its generation.
                let mut request = FileRequest::whole("a.pdf");
                (request.part, request.conversation, request.generation) =
                    (RequestedPart::Index(0), Some(c()), Some(1));
                let sent = world.context.get_file(&request).unwrap().details.sent.len();
                assert_eq!(sent, 1, "{fails:?} {choices:?}");
            },
        );
    }
}

#[test]
fn nothing_is_held_that_no_task_delivered() {
    every_order(
        None,
        |_| Mutex::new(Vec::<u32>::new()),
        |world, delivered| {
            let deliver = move |page: u32| {
                let answer = world.ask(&c(), page);
                delivered.lock().unwrap().push(page);
                assert!(commits(answer));
            };
            let asks_and_drops = move || drop(world.ask(&c(), 2));
            vec![Box::new(move || deliver(0)), Box::new(move || deliver(1)), Box::new(asks_and_drops)]
        },
        |world, _, choices| assert_eq!(world.held(&c()), [0, 1], "{choices:?}"),
    );
}

#[test]
fn a_fork_is_independent_of_what_happens_to_either() {
    every_order(
        None,
        |world| {
            assert!(commits(world.ask(&c(), 0)));
            (waiting(world.ask(&c(), 1)), Mutex::new(None))
        },
        |world, (answer, fork)| {
            let forks = move || {
                let made = world.context.fork(&c(), None).unwrap();
                assert!(commits(world.ask(&made, 2)));
                *fork.lock().unwrap() = Some(made);
            };
            vec![Box::new(move || commit(answer)), Box::new(move || world.forget(&c())), Box::new(forks)]
        },
        |world, (_, fork), choices| {
            let fork = fork.lock().unwrap().take().unwrap();
            assert!(world.held(&c()).is_empty(), "{choices:?}: forgotten, and what a fork was given is not here");
            let held = world.held(&fork);
            let possible: [&[u32]; 3] = [&[0, 2], &[0, 1, 2], &[2]];
            assert!(possible.contains(&held.as_slice()), "{choices:?}: {held:?}");
            assert!(world.folder.path().exists());
            let before = held.clone();
            world.forget(&c());
            assert_eq!(world.held(&fork), before, "{choices:?}");
            world.forget(&fork);
            assert!(world.held(&fork).is_empty());
        },
    );
}

#[test]
fn a_page_asked_for_while_all_is_forgotten_is_held_only_if_it_was_planned_after() {
    every_order(
        None,
        |world| assert!(commits(world.ask(&c(), 0))),
        |world, ()| {
            let deliver = move || assert!(commits(world.ask(&c(), 1)));
            vec![Box::new(deliver), Box::new(move || world.forget(&c()))]
        },
        |world, (), choices| {
            let held = world.held(&c());
            assert!(held.is_empty() || held == [1], "{choices:?}: {held:?}");
            let forgets_last = choices.last().is_some_and(|(_, of)| *of == 1);
            assert!(forgets_last || held == [1] || held.is_empty(), "{choices:?}");
            let pages = world.context.pages_held("a.pdf", Requester::of(&c(), &Cancellation::new())).unwrap();
            assert!(!pages.contains(PageIndex(0)), "{choices:?}");
        },
    );
}
