//! Every command that the documentation shows is run here, or named with the reason why not.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::process::Command;

use serde_json::json;

use crate::support::http::Server;
use crate::support::mcp::Client;
use crate::support::program::{Place, texts};
use crate::support::{small_pdf, wait_until};

/// How commands begin that no test runs, and why.
const NOT_RUN: [(&str, &str); 15] = [
    ("pagewise ocr", "it needs an OCR engine"),
    ("cargo test", "it is what runs this"),
    ("cargo install", "it builds a release"),
    ("cargo binstall", "it asks a registry"),
    ("npx ", "it asks a registry"),
    ("uvx ", "it asks a registry"),
    ("brew install", "it asks a registry"),
    ("docker ", "it needs a container engine"),
    ("claude mcp add", "it belongs to the client"),
    ("codex mcp add", "it belongs to the client"),
    ("gemini mcp add", "it belongs to the client"),
    ("qwen mcp add", "it belongs to the client"),
    ("pg_dump", "it belongs to PostgreSQL"),
    ("sqlite3", "a test below copies the store by the same function of SQLite"),
    ("curl", "a test below asks the same of a server"),
];

/// The programs whose names begin a command.
const PROGRAMS: [&str; 13] = [
    "pagewise", "cargo", "npx", "uvx", "docker", "brew", "claude", "codex", "gemini", "qwen", "curl", "sqlite3",
    "pg_dump",
];

/// Commands that the text only names; their help says that they exist.
const NAMED: [&str; 4] = ["pagewise ask", "pagewise index", "pagewise inspect", "pagewise text"];

/// What stands for the words that a reader replaces.
const WORDS: [(&str, &str); 5] =
    [("FILE", "two.pdf"), ("DIR", "."), ("QUERY", "page"), ("WORD", "sandbox"), ("cargo run --", "pagewise")];

/// A command, and the output that is shown below it.
struct Shown {
    command: String,
    output: String,
}

/// The commands in a document: the lines of its `sh` blocks, those behind `$` in its `console` blocks, and its inline code.
fn commands(document: &str) -> Vec<Shown> {
    let (mut shown, mut language, mut prose) = (Vec::<Shown>::new(), None, String::new());
    let mut first_of_block = 0;
    for line in document.lines() {
        match (line.strip_prefix("```"), language) {
            (Some("text"), None) => language = Some("text"),
            (Some(name), None) => {
                first_of_block = shown.len();
                language = Some(name);
            }
            (Some(_), Some(_)) => language = None,
            (None, None) => prose.extend([line, "\n"]),
            (None, Some("sh")) => shown.push(Shown { command: line.to_owned(), output: String::new() }),
            (None, Some("console")) => match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown { command: command.to_owned(), output: String::new() }),
                None => shown.last_mut().unwrap().output.extend([line, "\n"]),
            },
            // A block of text is the output of the first command in the block before it.
            (None, Some("text")) => shown[first_of_block].output.extend([line, "\n"]),
            (None, Some(_)) => {}
        }
    }
    let inline = prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " "));
    let is_command = |code: &String| {
        code.split_once(' ').is_some_and(|(name, rest)| PROGRAMS.contains(&name) && !rest.starts_with('='))
    };
    shown.extend(inline.filter(is_command).map(|command| Shown { command, output: String::new() }));
    shown
}

/// Whether an output is as shown, where a line `…` stands for any lines.
fn is_as_shown(output: &str, shown: &str) -> bool {
    let mut parts = shown.split("…\n");
    let Some(mut rest) = output.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.is_empty() || shown.is_empty() || shown.ends_with("…\n")
}

/// Runs a command as a shell does, in a folder with the fixtures and a few files; its status and all that it printed.
fn run(place: &Place, command: &str) -> (i32, String) {
    let program = place.command();
    let mut shell = Command::new("sh");
    let path = std::env::var("PATH").unwrap_or_default();
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(place.folder());
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("PATH", format!("{}:{path}", place.path("bin").display()));
    let output = shell.stdin(std::process::Stdio::null()).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A folder as a reader has it, with the program on the path.
fn readers_folder() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pagewise"), place.path("bin/pagewise")).unwrap();
    std::os::unix::fs::symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"), place.path("fixtures")).unwrap();
    place.copied("scan.pdf");
    place.file("two.pdf", small_pdf(2));
    place
}

#[track_caller]
fn check(place: &Place, server: &Server, shown: &Shown) {
    let filled = WORDS.iter().fold(shown.command.clone(), |command, (word, value)| command.replace(word, value));
    let filled = filled.replace("URL", &format!("http://{}/mcp", server.address));
    if filled.starts_with("pagewise serve --http") {
        return assert!(server.is_well(), "{filled}");
    }
    let filled = if NAMED.contains(&&*filled) { format!("{filled} --help") } else { filled };
    let (status, output) = run(place, &filled);
    assert_eq!(status, 0, "{filled}\n{output}");
    assert!(is_as_shown(&output, &shown.output), "{filled} is shown with\n{}and prints\n{output}", shown.output);
}

fn document(name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The session in README's picture, as a block of a document.
fn session() -> String {
    let picture = document(".github/session.svg");
    let tags = regex::Regex::new("<[^>]*>").unwrap();
    let rows = picture.lines().filter(|line| line.trim_start().starts_with("<text "));
    let lines = rows.map(|row| tags.replace_all(row.trim_start(), "").into_owned()).collect::<Vec<_>>();
    format!("```console\n{}\n```\n", lines.join("\n"))
}

#[test]
fn the_commands_that_the_documentation_shows_run_and_print_what_it_shows() {
    let place = readers_folder();
    let server = Server::start(&place, &[]);
    let is_known = |command: &str| NOT_RUN.iter().any(|(begins, _)| command.starts_with(begins));
    let names = ["README.md", "examples/server/README.md", "examples/nvim/README.md", ".packaging/README.md"];
    let documents = names.map(document).into_iter().chain([session()]);
    let shown: Vec<Shown> = documents.flat_map(|document| commands(&document)).collect();
    let run: Vec<&Shown> = shown.iter().filter(|shown| !is_known(&shown.command)).collect();
    assert!(run.len() >= 15, "{}", run.len());
    run.into_iter().for_each(|shown| check(&place, &server, shown));
}

/// A path within the repository stands in inline code, and begins with one of its folders.
#[test]
fn the_files_that_the_documentation_names_are_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for name in ["README.md", ".github/CONTRIBUTING.md", ".packaging/README.md", "examples/nvim/README.md"] {
        let text = document(name);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let codes =
            text.split('`').skip(1).step_by(2).filter(|code| code.contains('/') && !code.contains([' ', '*', '\n']));
        let is_ours =
            |path: &&str| path.split('/').next().is_some_and(|first| !first.is_empty() && root.join(first).is_dir());
        for path in links.chain(codes).filter(is_ours) {
            assert!(root.join(path).exists(), "{name} names {path}");
            found += 1;
        }
    }
    assert!(found >= 15, "{found}");
}

#[test]
fn every_command_that_is_not_run_is_shown() {
    let documents = ["README.md", "examples/server/README.md"].map(document);
    let shown: Vec<String> = documents.iter().flat_map(|text| commands(text)).map(|shown| shown.command).collect();
    for (begins, why) in NOT_RUN {
        assert!(shown.iter().any(|command| command.starts_with(begins)), "{begins} ({why})");
    }
}

#[test]
fn an_output_is_compared_around_what_is_left_out() {
    let prints = |output: &str, shown: &str| is_as_shown(output, shown);
    assert!(prints("a\nb\nc\n", "a\n…\nc\n") && prints("a\nb\n", "a\n…\n") && prints("a\n", ""));
    assert!(!prints("a\nb\nc\n", "a\nc\n") && !prints("a\nb\n", "b\n") && !prints("a\nb\nc\n", "a\n…\nb\n"));
}

/// The scripts of the packages say themselves how they are called.
#[test]
fn the_scripts_of_the_packages_are_called_as_they_say() {
    let text = document(".packaging/README.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(call, _)| call));
    let calls: Vec<&str> = rows.filter(|call| call.contains(".sh ")).collect();
    assert!(calls.len() >= 5, "{calls:?}");
    for call in calls {
        let (script, _) = call.split_once(' ').unwrap();
        let head = document(&format!(".packaging/{script}"));
        let called = call.rsplit_once('/').map_or(call, |(_, name)| name);
        let usage = head.lines().nth(1).unwrap_or_default();
        assert!(usage.starts_with(&format!("# {called}")), "{call}: {usage}");
    }
}

/// `curl -f …/readyz`
#[test]
fn a_server_says_whether_it_takes_calls() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    assert_eq!(server.request("GET", "/readyz", &[("Host", &server.address)], b"").status, 200);
}

/// `sqlite3 views.sqlite3 ".backup copy.sqlite3"` while the server runs.
#[test]
fn a_copy_of_the_store_holds_what_was_sent() {
    let read = |client: &mut Client| {
        let arguments = json!({ "filePath": "latex.pdf", "pages": "3", "as": "text", "conversation": "c" });
        texts(&client.call("get_file", arguments)).join("\n")
    };
    let [place, restored] = [Place::new(), Place::new()];
    for place in [&place, &restored] {
        place.copied("latex.pdf");
    }
    let mut client = Client::start(&place, "tester");
    assert!(read(&mut client).contains("From sheet to page"));
    std::fs::create_dir(restored.path("data")).unwrap();
    let running = rusqlite::Connection::open(place.path("data/views.sqlite3")).unwrap();
    wait_until("the page is recorded", || {
        let count = running.query_row("SELECT count(*) FROM conversation", [], |row| row.get::<_, i64>(0));
        count.is_ok_and(|count| count > 0)
    });
    running.backup("main", restored.path("data/views.sqlite3"), None::<fn(_)>).unwrap();
    let again = read(&mut Client::start(&restored, "tester"));
    assert!(again.starts_with("Page 3 of latex.pdf as text is the same as page 3 of"), "{again}");
}

/// An earlier program's store, this program on it, and an earlier program after it.
#[test]
fn an_upgrade_keeps_what_was_sent() {
    let place = Place::new();
    std::fs::create_dir(place.path("data")).unwrap();
    let path = place.path("data/views.sqlite3");
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(include_str!("support/schema_6.sql")).unwrap();
    drop(old);
    let (status, held) = place.json(&["context", "status", "--conversation", "b"]);
    assert_eq!(status, 0, "{held}");
    let files = held["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap());
    assert_eq!(files.collect::<Vec<_>>(), ["/home/three.png", "/home/one.pdf"]);
    let upgraded = rusqlite::Connection::open(&path).unwrap();
    let schema: i64 = upgraded.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert!(schema > 6, "{schema}");
    // To this program, a store of a later one is what this store is to an earlier one.
    upgraded.execute_batch(&format!("PRAGMA user_version = {}", schema + 1)).unwrap();
    drop(upgraded);
    let told = place.run(&["doctor"]);
    assert_eq!(told.status, 2, "{}", told.stdout);
    assert!(told.stdout.contains(&format!("the database has schema {}", schema + 1)), "{}", told.stdout);
}
