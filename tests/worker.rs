//! Readers that die: each costs one typed error, at once, and nobody else.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a failed test may stop where it stands, and says what it measured where it is asked to"
)]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pagewise::worker::{
    Drill, InProcessReader, Pages, PdfError, Reader, RenderOptions, WorkerError, WorkerReader, WorkerSettings,
};
use pagewise_base::limits::{Cancellation, Limits, StopReason};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_document::ReadAt;
use pagewise_render::NoFonts;

use super::support::hostile::with_content;
use super::support::{fixture, program::Place, small_pdf, wait_until};

fn settings() -> WorkerSettings {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_pagewise"));
    let workers = NonZeroUsize::new(2);
    WorkerSettings { workers, deadline: Duration::from_secs(30), ..WorkerSettings::new(program) }
}

fn reader(settings: WorkerSettings) -> WorkerReader {
    WorkerReader::start(settings, Limits::default(), Arc::new(NoFonts))
}

fn in_process() -> InProcessReader {
    InProcessReader::new(Limits::default(), Arc::new(NoFonts))
}

fn open(reader: &dyn Reader, bytes: Vec<u8>) -> Box<dyn Pages> {
    reader.open(Arc::new(bytes), None, &Cancellation::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// The bytes of a document with an identity, as an open file has one.
struct Identified(Vec<u8>);

impl ReadAt for Identified {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.0.read_at(offset, buffer)
    }

    fn identity(&self) -> Option<[u8; 32]> {
        Some(*blake3::hash(&self.0).as_bytes())
    }
}

#[test]
fn a_worker_reads_what_this_process_reads() {
    let (here, there) = (in_process(), reader(settings()));
    for name in
        ["latex.pdf", "form.pdf", "scan.pdf", "cjk.pdf", "encrypted-empty.pdf", "annotations.pdf", "attachments.pdf"]
    {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let (here, there) = (open(&here, bytes.clone()), open(&there, bytes));
        assert_eq!(here.page_count(), there.page_count(), "{name}");
        assert_eq!(here.info(), there.info(), "{name}");
        assert_eq!(here.outline(100), there.outline(100), "{name}");
        for page in (0..here.page_count()).map(PageIndex) {
            assert_eq!(here.page_label(page), there.page_label(page), "{name}");
            assert_eq!(here.page_geometry(page).unwrap(), there.page_geometry(page).unwrap(), "{name}");
            assert_eq!(here.annotations(page).unwrap(), there.annotations(page).unwrap(), "{name}");
            assert_eq!(here.fingerprint(page).unwrap(), there.fingerprint(page).unwrap(), "{name}");
            assert_eq!(here.cut(page).unwrap(), there.cut(page).unwrap(), "{name}");
            assert_eq!(here.page_text(page).unwrap(), there.page_text(page).unwrap(), "{name}");
            assert_eq!(here.page_structure(page).unwrap(), there.page_structure(page).unwrap(), "{name}");
        }
        assert_eq!(here.annotation_counts(), there.annotation_counts(), "{name}");
        assert_eq!(here.form(100), there.form(100), "{name}");
        assert_eq!(here.attachments(100), there.attachments(100), "{name}");
        for file in here.attachments(100).items {
            assert_eq!(here.attachment(&file.name).unwrap(), there.attachment(&file.name).unwrap(), "{name}");
        }
        let all = PageSet::all(here.page_count());
        assert_eq!(here.join(&all).unwrap(), there.join(&all).unwrap(), "{name}");
        assert_eq!(here.notes(), there.notes(), "{name}");
    }
}

#[test]
fn refusals_come_through_whole() {
    let there = reader(settings());
    let refused = |bytes: Vec<u8>| {
        there.open(Arc::new(bytes), None, &Cancellation::new()).err().map(|error| format!("{error:?}"))
    };
    let here = |bytes: Vec<u8>| {
        in_process().open(Arc::new(bytes), None, &Cancellation::new()).err().map(|error| format!("{error:?}"))
    };
    for bytes in [b"no PDF".to_vec(), Vec::new(), std::fs::read(fixture("encrypted-password.pdf")).unwrap()] {
        assert_eq!(refused(bytes.clone()), here(bytes));
    }
    let small = Limits { max_pages: 2, ..Limits::default() };
    let limited = WorkerReader::start(settings(), small, Arc::new(NoFonts));
    let limited = limited.open(Arc::new(small_pdf(3)), None, &Cancellation::new());
    let Err(PdfError::Limit(limit)) = limited else { panic!("no limit") };
    assert_eq!((limit.which.name(), limit.limit, limit.found), ("max_pages", 2, 3));
    // A reader that refuses is as good as before.
    assert_eq!(open(&there, small_pdf(2)).page_count(), 2);
}

type IsExpected = fn(&WorkerError) -> bool;

/// What a worker dies of, and the error that tells.
fn deaths() -> [(Drill, IsExpected); 5] {
    [
        (Drill::Abort, |error| matches!(error, WorkerError::Died { how } if how == "signal 6")),
        (Drill::Panic, |error| matches!(error, WorkerError::Died { how } if how == "status 101")),
        (Drill::StackOverflow, |error| *error == WorkerError::StackOverflow),
        (Drill::OutOfMemory, |error| matches!(error, WorkerError::OutOfMemory { .. })),
        (Drill::EndlessLoop, |error| matches!(error, WorkerError::Stopped(StopReason::Timeout { deadline_ms: 50 }))),
    ]
}

#[test]
fn each_death_is_one_typed_error_and_the_next_request_goes_on() {
    let times = std::env::var("PAGEWISE_TEST_DEATHS").ok().and_then(|times| times.parse().ok()).unwrap_or(8);
    let memory_bytes = 256 << 20;
    let deadline = Duration::from_millis(50);
    let patient = reader(WorkerSettings { memory_bytes, ..settings() });
    let hasty = reader(WorkerSettings { deadline, ..settings() });
    let bystander = open(&patient, small_pdf(3));
    let (mut slowest, mut died) = (Duration::ZERO, 0);
    for at in 0..times {
        let (drill, is_expected) = deaths()[at % 5];
        let reader = if drill == Drill::EndlessLoop { &hasty } else { &patient };
        let start = Instant::now();
        let error = reader.drill(drill, &Cancellation::new()).expect_err("it must die");
        assert!(is_expected(&error), "{drill:?}: {error:?}");
        let over = if drill == Drill::EndlessLoop { start.elapsed().saturating_sub(deadline) } else { Duration::ZERO };
        slowest = slowest.max(over);
        died += 1;
        assert_eq!(
            bystander.cut(PageIndex(1)).unwrap().bytes,
            open(&patient, small_pdf(3)).cut(PageIndex(1)).unwrap().bytes
        );
    }
    assert_eq!(died, times);
    // The promise is 100 ms, on a machine that has nothing else to do.
    if times > 100 {
        eprintln!("{died} deaths, the slowest answer {slowest:?} after its deadline");
    }
}

#[test]
fn what_a_worker_must_not_do_is_refused() {
    let reader = reader(settings());
    assert_eq!(reader.layers().unwrap().missing(), None, "this system has all layers");
    let outcome = |drill| reader.drill(drill, &Cancellation::new()).unwrap().0;
    for drill in
        [Drill::OpenFile, Drill::WriteFile, Drill::StatFile, Drill::ConnectTcp, Drill::SendUdp, Drill::RunProgram]
    {
        assert_eq!(outcome(drill), "refused: PermissionDenied", "{drill:?}");
    }
    assert_eq!(outcome(Drill::StartThread), "done");
}

/// Whether each thread of a process is confined: its number, and whether it has a filter and gains no privileges.
#[cfg(target_os = "linux")]
fn threads_of(process: u32) -> Vec<(u32, bool)> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let state = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let has = |line: &str| status.lines().any(|known| known == line);
        let number = task.file_name().to_str()?.parse().ok()?;
        // A thread that ends has no status.
        status.contains("Seccomp:").then(|| (number, has("Seccomp:\t2") && has("NoNewPrivs:\t1")))
    };
    tasks.filter_map(state).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn every_thread_of_a_confined_process_is_confined() {
    let reader = one_worker();
    let worker = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap().1;
    let threads = threads_of(worker);
    assert!(!threads.is_empty() && threads.iter().all(|(_, is_confined)| *is_confined), "{threads:?}");
    let place = Place::new();
    let pdf = place.file("many.pdf", small_pdf(4_000));
    let mut command = place.command();
    let split = command.args(["split", &pdf, "--out-dir", "out"]).stdout(std::process::Stdio::null());
    let mut split = split.stderr(std::process::Stdio::null()).spawn().unwrap();
    let (mut others, mut seen) = (0, Vec::new());
    while split.try_wait().unwrap().is_none() {
        // The first thread is confined before it starts another.
        let threads = threads_of(split.id()).into_iter().filter(|(thread, _)| *thread != split.id());
        for (thread, is_confined) in threads {
            others += 1;
            seen.extend((!is_confined).then_some(thread));
        }
    }
    assert!(others > 0 && seen.is_empty(), "{others} looks, not confined: {seen:?}");
}

#[test]
fn a_page_that_takes_too_long_ends_its_reader_and_is_not_read_again() {
    let limits = Limits { max_page_cpu_ms: 10, ..Limits::default() };
    let reader = WorkerReader::start(settings(), limits, Arc::new(NoFonts));
    let ended = reader.drill(Drill::EndlessLoop, &Cancellation::new());
    assert!(matches!(ended, Err(WorkerError::Limit(limit)) if limit.which.name() == "max_page_cpu_ms"), "{ended:?}");
    let document = open(&reader, with_content("q 0 0 99 99 re W n ".repeat(200_000).as_bytes()));
    let refused = document.picture(PageIndex(0), &RenderOptions::default()).err();
    assert!(matches!(&refused, Some(PdfError::Limit(limit)) if limit.limit == 10), "{refused:?}");
    assert!(matches!(document.page_text(PageIndex(0)), Err(PdfError::Limit(_))), "the page is not read again");
    assert_eq!(open(&reader, small_pdf(1)).page_count(), 1, "others are read");
}

#[test]
fn a_worker_whose_process_is_killed_is_replaced() {
    let reader = reader(WorkerSettings { workers: Some(NonZeroUsize::MIN), ..settings() });
    let (_, first) = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap();
    let document = open(&reader, small_pdf(2));
    kill(first);
    // In the middle of a document: the question that met the death fails, the next is answered by another worker.
    let Err(PdfError::Worker(WorkerError::Died { .. })) = document.cut(PageIndex(0)) else { panic!("no death") };
    assert!(document.cut(PageIndex(1)).is_ok());
    drop(document);
    let (_, second) = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap();
    assert_ne!(first, second);
    // While it waits: nobody notices.
    kill(second);
    wait_for_the_end_of(second);
    assert!(open(&reader, small_pdf(1)).cut(PageIndex(0)).is_ok());
}

#[test]
fn a_document_that_killed_two_workers_is_refused_and_others_are_not() {
    let reader = reader(WorkerSettings { workers: Some(NonZeroUsize::MIN), ..settings() });
    let open_it = || reader.open(Arc::new(Identified(small_pdf(2))), None, &Cancellation::new());
    for _ in 0..2 {
        let (_, process) = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap();
        let document = open_it().unwrap();
        kill(process);
        assert!(document.cut(PageIndex(0)).is_err());
    }
    let Err(PdfError::Worker(error)) = open_it() else { panic!("not refused") };
    assert_eq!(error, WorkerError::Quarantined { deaths: 2 });
    assert!(reader.open(Arc::new(Identified(small_pdf(3))), None, &Cancellation::new()).is_ok());
}

#[test]
fn a_full_queue_is_answered_at_once() {
    let reader = reader(WorkerSettings { workers: Some(NonZeroUsize::MIN), max_waiting: 1, ..settings() });
    let busy = open(&reader, small_pdf(1));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (tell, reader) = (tell.clone(), &reader);
            scope.spawn(move || tell.send(reader.layers()).unwrap());
        }
        // One of the two waits, and so the other cannot.
        assert_eq!(told.recv().unwrap(), Err(WorkerError::Busy { waiting: 1, retry_after_ms: 200 }));
        drop(busy);
        assert!(told.recv().unwrap().is_ok());
    });
}

#[test]
fn a_principal_keeps_the_worker_that_was_started_for_it_while_another_has_all() {
    let reader = reader(WorkerSettings { workers: Some(NonZeroUsize::MIN), ..settings() });
    let [one, other] = [1, 2].map(|principal| Cancellation::of(Some([principal; 32])));
    let busy = reader.open(Arc::new(small_pdf(1)), None, &one).ok();
    assert!(busy.is_some());
    let process = || reader.drill(Drill::StartThread, &other).unwrap().1;
    let first = process();
    assert_eq!([process(), process()], [first, first]);
    drop(busy);
    assert_eq!(reader.memory().workers, 1, "there is one too many when the other comes back");
}

#[test]
fn a_program_that_is_none_is_named() {
    let reader = reader(WorkerSettings::new("/nonexistent/pagewise".into()));
    let Err(PdfError::Worker(WorkerError::NotStarted { reason })) =
        reader.open(Arc::new(small_pdf(1)), None, &Cancellation::new())
    else {
        panic!("started")
    };
    assert!(reason.contains("No such file"), "{reason}");
}

#[test]
fn the_doctor_names_each_layer() {
    let place = Place::new();
    let (status, told) = place.json(&["doctor"]);
    assert_eq!(status, 0, "{told}");
    assert_eq!(told["workers"], true);
    let layers = told["layers"].as_array().unwrap();
    let names = ["resource limits", "end with the program", "no new privileges", "landlock", "seccomp"];
    assert_eq!(layers.iter().map(|layer| layer["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    assert_eq!(place.json(&["doctor", "--no-sandbox"]).1["workers"], false);
}

fn kill(process: u32) {
    let killed = std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap();
    assert!(killed.success());
}

/// Returns once the process has ended, and leaves its status to the pool.
fn wait_for_the_end_of(process: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let process = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
}

#[test]
fn a_command_that_confined_itself_writes_where_it_was_told() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let folder = place.path("new/pages");
    let folder = folder.to_str().unwrap();
    for out in ["a.pdf", "./b.pdf", place.path("c.pdf").to_str().unwrap()] {
        assert_eq!(place.json(&["page", &pdf, "2", "--out", out, "--require-sandbox"]).0, 0, "{out}");
    }
    let (status, split) = place.json(&["split", &pdf, "--out-dir", folder, "--require-sandbox"]);
    assert_eq!((status, split["written"].as_u64()), (0, Some(8)), "{split}");
    assert_eq!(place.json(&["split", &pdf, "--out-dir", ".", "--pages", "1"]).0, 0);
    // Written over what is there, as a file, and read back: the same bytes without a sandbox.
    assert_eq!(place.json(&["page", &pdf, "2", "--out", "d.pdf", "--no-sandbox"]).0, 0);
    assert_eq!(place.json(&["page", &pdf, "2", "--out", "a.pdf"]).0, 0);
    assert_eq!(std::fs::read(place.path("a.pdf")).unwrap(), std::fs::read(place.path("d.pdf")).unwrap());
}

fn one_worker() -> WorkerReader {
    reader(WorkerSettings { workers: Some(NonZeroUsize::MIN), ..settings() })
}

/// Cancels from another thread, a moment from now.
fn cancelled_soon() -> Cancellation {
    cancelled_after(|| std::thread::sleep(Duration::from_millis(30)))
}

fn cancelled_after(wait: impl FnOnce() + Send + 'static) -> Cancellation {
    let cancellation = Cancellation::new();
    let canceller = cancellation.clone();
    std::thread::spawn(move || {
        wait();
        canceller.cancel();
    });
    cancellation
}

/// The processor time that a process has used, in ticks; nothing where it has ended.
fn processor_ticks(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(11)?.parse().ok()
}

#[test]
fn a_cancelled_reader_is_killed_and_replaced() {
    let reader = one_worker();
    let before = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap().1;
    let used = processor_ticks(before).unwrap();
    let once_it_loops = cancelled_after(move || wait_until("it loops", || processor_ticks(before) > Some(used + 2)));
    let error = reader.drill(Drill::EndlessLoop, &once_it_loops).expect_err("it never ends");
    assert_eq!(error, WorkerError::Stopped(StopReason::Cancelled));
    let after = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap().1;
    assert_ne!(before, after, "it is another one");
    assert!(!std::path::Path::new(&format!("/proc/{before}")).exists(), "the first has ended");
}

#[test]
fn a_cancelled_request_waits_for_no_reader() {
    let reader = one_worker();
    let leased = open(&reader, small_pdf(1));
    let refused = reader.open(Arc::new(small_pdf(1)), None, &cancelled_soon());
    assert!(matches!(refused.err(), Some(PdfError::Stopped(StopReason::Cancelled))));
    assert!(leased.cut(PageIndex(0)).is_ok(), "the other goes on");
    drop(leased);
    open(&reader, small_pdf(1));
}

#[test]
fn a_document_is_not_blamed_for_its_callers() {
    let reader = one_worker();
    for _ in 0..3 {
        let worker = reader.drill(Drill::StartThread, &Cancellation::new()).unwrap().1;
        let worker = rustix::process::Pid::from_raw(i32::try_from(worker).unwrap()).unwrap();
        rustix::process::kill_process(worker, rustix::process::Signal::STOP).unwrap();
        let opened = reader.open(Arc::new(Identified(small_pdf(2))), None, &cancelled_soon());
        assert!(matches!(opened.err(), Some(PdfError::Stopped(StopReason::Cancelled))));
        // It still exists if the request was cancelled before it reached the worker.
        let _ = rustix::process::kill_process(worker, rustix::process::Signal::CONT);
    }
    let document = reader.open(Arc::new(Identified(small_pdf(2))), None, &Cancellation::new());
    assert_eq!(document.map(|document| document.page_count()).ok(), Some(2));
}
