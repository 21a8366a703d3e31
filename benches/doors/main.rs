//! What a call costs at each door, from the request's first byte to the answer's last: processor time of server and
//! workers, median and 99th percentile, cold and warm, beside the engine alone in the same run. Workers on, clients in
//! Rust that keep their connection. `cargo bench --bench doors`
//!
//! Beside it a server made with the protocol's SDK in TypeScript whose tool says the same and does nothing for it, where
//! `DOORS_SDK` names a folder with `node_modules/@modelcontextprotocol/sdk` in it (`DOORS_NODE` names Node, else `node`).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it prints what it measured, and may stop where it stands"
)]

mod book;
mod client;
mod processor;
mod server;
#[path = "../support.rs"]
mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::book::book;
use self::client::{Caller, Era, Pipes};
use self::processor::{processor_time, resident_bytes};
use self::server::{Server, split};
use pagewise::worker::{InProcessReader, Pages, Reader};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_base::page::PageIndex;
use pagewise_render::{NoFonts, RenderOptions};
use serde_json::{Value, json};

/// Pages of the book, each with a picture of 100 KB and a page of text.
const PAGES: u32 = 100;

/// Copies of a book of one page, so that each call reads a document that is new to it.
const COPIES: usize = 100;

/// Connections at once, and how long each calls as fast as it is answered.
const CONNECTIONS: [usize; 4] = [1, 16, 64, 128];
const BUSY: Duration = Duration::from_secs(3);

/// A kind of call, in the `n`th round.
struct Kind {
    name: &'static str,
    tool: &'static str,
    rounds: usize,
    arguments: fn(usize) -> Value,
}

/// The calls that are measured. Warm pages are not the same page each time, but those of a book that was read before.
const KINDS: [Kind; 8] = [
    Kind { name: "small", tool: "pdf_info", rounds: 1_000, arguments: |_| json!({ "path": "book.pdf" }) },
    Kind { name: "page, cold", tool: "get_file", rounds: COPIES, arguments: |n| page(&copy_name(n), 1, "document") },
    Kind { name: "page, new", tool: "get_file", rounds: 100, arguments: |n| page("other.pdf", n, "document") },
    Kind { name: "page, again", tool: "get_file", rounds: 1_000, arguments: |n| page("book.pdf", n, "document") },
    Kind { name: "text, new", tool: "get_file", rounds: 100, arguments: |n| page("other.pdf", n, "text") },
    Kind { name: "text, again", tool: "get_file", rounds: 1_000, arguments: |n| page("book.pdf", n, "text") },
    Kind { name: "picture, new", tool: "get_file", rounds: 20, arguments: |n| page("other.pdf", n, "image") },
    Kind {
        name: "search, again",
        tool: "pdf_search",
        rounds: 100,
        arguments: |_| json!({ "path": "book.pdf", "query": "word 77" }),
    },
];

fn page(file: &str, round: usize, form: &str) -> Value {
    let page = round % usize::try_from(PAGES).unwrap();
    let page = if file.starts_with("copy") { 0 } else { page };
    json!({ "filePath": file, "pdfPage": page, "as": form, "force": true })
}

fn copy_name(round: usize) -> String {
    format!("copy{round}.pdf")
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    write_books(folder.path());
    // What is kept of a file must not have changed just now.
    std::thread::sleep(Duration::from_millis(2_100));
    engine(&folder.path().join("book.pdf"));
    whole_book(folder.path());
    let mut pipes = Pipes::start(folder.path());
    let process = pipes.child.id();
    measure("stdio", process, &mut |tool, arguments| pipes.call(tool, arguments));
    drop(pipes);
    let server = Server::pagewise(folder.path());
    for era in [Era::Stateless, Era::Session] {
        let mut caller = Caller::new(&server.address, era);
        measure(era.name(), server.child.id(), &mut |tool, arguments| caller.call(tool, arguments));
    }
    for connections in CONNECTIONS {
        let small = |_: usize| ("pdf_info", json!({ "path": "book.pdf" }));
        let pages = |round: usize| ("get_file", page("book.pdf", round, "document"));
        println!("{connections:4} connections: small {}", busy(&server, connections, small));
        println!("{connections:4} connections: pages {}", busy(&server, connections, pages));
    }
    println!("resident memory of server and workers: {} MB", resident_bytes(server.child.id()) >> 20);
    beside_sdk(&server, folder.path());
}

fn write_books(folder: &Path) {
    fs::write(folder.join("book.pdf"), book(PAGES, 100_000, 1)).unwrap();
    fs::write(folder.join("other.pdf"), book(PAGES, 100_000, 2)).unwrap();
    for copy in 0..COPIES {
        let seed = u64::try_from(copy).unwrap() + 3;
        fs::write(folder.join(copy_name(copy)), book(1, 100_000, seed)).unwrap();
    }
}

/// The engine alone: every page of the book in this process, the document opened once.
fn engine(path: &Path) {
    let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
    let document = reader.open(Arc::new(fs::read(path).unwrap()), None, &Cancellation::new()).unwrap();
    let each = |what: &str, pages: u32, run: &dyn Fn(&dyn Pages, PageIndex)| {
        let start = Instant::now();
        (0..pages).for_each(|page| run(&*document, PageIndex(page)));
        println!("engine alone      {what:14} {:>9.1?} a page", start.elapsed() / pages);
    };
    each("cut", PAGES, &|document, page| drop(document.cut(page).unwrap()));
    each("fingerprint", PAGES, &|document, page| drop(document.cut_and_identify(page).unwrap()));
    each("text", PAGES, &|document, page| drop(document.page_text(page).unwrap()));
    each("picture", 20, &|document, page| drop(document.picture(page, &RenderOptions::default()).unwrap()));
}

/// The same pages by the command that splits a book, with its start and its files.
fn whole_book(folder: &Path) {
    const ROUNDS: u32 = 5;
    let before = processor_time(std::process::id());
    (0..ROUNDS).for_each(|round| split(&folder.join("book.pdf"), &folder.join(format!("pages{round}"))));
    let each = (processor_time(std::process::id()) - before) / (ROUNDS * PAGES);
    println!("pagewise split    {:14} {each:>9.1?} a page", "cut");
}

/// A tool call: the length of its answer, which must be none of an error.
type Call<'a> = dyn FnMut(&str, Value) -> usize + 'a;

fn measure(door: &str, process: u32, call: &mut Call<'_>) {
    // The book is read once, so that it is warm.
    (0..usize::try_from(PAGES).unwrap()).for_each(|page_index| {
        call("get_file", page("book.pdf", page_index, "document"));
        call("get_file", page("book.pdf", page_index, "text"));
    });
    call("pdf_search", json!({ "path": "book.pdf", "query": "word 77" }));
    for kind in &KINDS {
        let (before, mut times) = (processor_time(process), Vec::new());
        for round in 0..kind.rounds {
            let start = Instant::now();
            call(kind.tool, (kind.arguments)(round));
            times.push(start.elapsed());
        }
        let processor = (processor_time(process) - before) / u32::try_from(kind.rounds).unwrap();
        let (median, late) = percentiles(&mut times);
        println!(
            "{door:15} {:14} processor {processor:>9.1?} a call, median {median:>9.1?}, 99 % {late:>9.1?}",
            kind.name
        );
    }
}

/// The median and the 99th percentile.
fn percentiles(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |hundredths: usize| times.get(times.len() * hundredths / 100).copied().unwrap_or_default();
    (at(50), at(99))
}

/// Calls a second of many connections, and how long they take.
fn busy(server: &Server, connections: usize, call: impl Fn(usize) -> (&'static str, Value) + Sync) -> String {
    let before = processor_time(server.child.id());
    let mut times = std::thread::scope(|scope| {
        let clients = (0..connections).map(|client| {
            let call = &call;
            scope.spawn(move || {
                let mut caller = Caller::new(&server.address, Era::Session);
                let (start, mut times) = (Instant::now(), Vec::new());
                while start.elapsed() < BUSY {
                    let (tool, arguments) = call(client + times.len());
                    let began = Instant::now();
                    caller.call(tool, arguments);
                    times.push(began.elapsed());
                }
                times
            })
        });
        let clients = clients.collect::<Vec<_>>();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect::<Vec<_>>()
    });
    let calls = u32::try_from(times.len()).unwrap();
    let processor = (processor_time(server.child.id()) - before) / calls;
    let (median, late) = percentiles(&mut times);
    let rate = f64::from(calls) / BUSY.as_secs_f64();
    format!("{rate:>6.0}/s, processor {processor:>8.1?} a call, median {median:>8.1?}, 99 % {late:>8.1?}")
}

fn beside_sdk(server: &Server, folder: &Path) {
    match Server::sdk(folder) {
        Ok(sdk) => {
            let small = |_: usize| ("pdf_info", json!({ "path": "book.pdf" }));
            println!("64 connections, small: pagewise     {}", busy(server, 64, small));
            println!("64 connections, small: SDK's server {}", busy(&sdk, 64, small));
        }
        Err(why) => println!("SKIPPED, NOT COMPARED with a server of the SDK: {why}"),
    }
}
