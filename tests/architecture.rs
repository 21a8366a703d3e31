//! What the packages' manifests cannot hold: the order of the root package's rooms, who owns a crate, and which rooms do
//! no I/O.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms of the root package. Each may name those before it, and no other.
const ORDER: [&str; 8] = ["worker", "source", "context", "tool", "embed", "inspect", "serve", "cli"];

/// Rooms that read PDFs, or decide what a conversation holds: bytes, limits and moments are given to them.
const PURE: [&str; 9] = ["base", "document", "split", "text", "structure", "render", "library", "office", "view"];

/// Crates of the root package that belong to one of its rooms.
const OWNERS: [(&str, &[&str]); 8] = [
    ("worker", &["landlock", "seccompiler", "libc"]),
    ("source", &["globset", "cap_std"]),
    ("context", &["similar", "getrandom"]),
    ("tool", &["schemars", "unicode_segmentation"]),
    ("embed", &[]),
    ("inspect", &[]),
    ("serve", &["rmcp", "axum", "hyper", "hyper_util", "async_trait"]),
    ("cli", &["anstream", "anstyle", "clap_complete", "clap_mangen", "indicatif", "strsim", "terminal_size", "toml"]),
];

/// Crates that several packages may depend on, each with the reason.
const SHARED: [(&str, &str); 21] = [
    ("base64", "the model's requests, and the answers at the doors"),
    ("blake3", "hashes of files, pages, addresses and owners"),
    ("bytes", "bodies that are shared and not copied"),
    ("foldhash", "hashes of short keys"),
    ("lopdf", "the last check of a chunk"),
    ("libdeflater", "object streams and texts of the index"),
    ("memchr", "searches in bytes"),
    ("hayro", "fonts that stand in for those a document lacks"),
    ("postcard", "messages of workers, and stored conversations"),
    ("roxmltree", "XMP metadata, and small files in office documents"),
    ("rusqlite", "what conversations hold, and the index of documents"),
    ("rustix", "files, clocks and processes of Unix"),
    ("rustls", "connections to databases and servers"),
    ("serde", "types that cross to a worker"),
    ("serde_json", "protocols"),
    ("skrifa", "characters and outlines of embedded fonts"),
    ("tempfile", "tests"),
    ("insta", "tests"),
    ("thiserror", "errors"),
    ("tokio", "the doors and those who wait for them"),
    ("unicode-normalization", "forms of letters"),
];

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    all.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The lines of a room's code, with the file that each stands in: no comments, and no tests.
fn code(room: &str) -> Vec<(PathBuf, String)> {
    let files = sources(&source_folder().join(room));
    let lines = files.into_iter().flat_map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        let own = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        own.map(|line| (path.clone(), line.split("//").next().unwrap_or_default().to_owned())).collect::<Vec<_>>()
    });
    lines.filter(|(path, _)| !path.components().any(|part| part.as_os_str() == "tests")).collect()
}

/// Fails with the lines of `room` that contain one of `banned`.
fn assert_names_none_of(room: &str, banned: &[String]) {
    for (path, line) in code(room) {
        for name in banned {
            assert!(!line.contains(name.as_str()), "{} names {name}: {line}", path.display());
        }
    }
}

#[test]
fn the_folders_of_the_root_package_are_its_rooms() {
    let folders = std::fs::read_dir(source_folder()).unwrap().map(|entry| entry.unwrap().path());
    let rooms = folders.filter(|path| path.is_dir() && !path.join("Cargo.toml").exists());
    let mut found: Vec<String> = rooms.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    found.sort();
    let mut expected = ORDER.map(str::to_owned);
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_room_names_only_rooms_before_it() {
    for (at, room) in ORDER.iter().enumerate() {
        assert!(code(room).len() > 100, "{room} has no code");
        let later = ORDER.iter().skip(at + 1);
        assert_names_none_of(room, &later.map(|later| format!("crate::{later}::")).collect::<Vec<_>>());
    }
}

#[test]
fn a_crate_of_the_root_package_is_named_by_its_owner_alone() {
    let rooms = ORDER.map(|room| (room, code(room)));
    for (owner, crates) in OWNERS {
        for name in crates {
            let paths = [" ", "(", "<", "["].map(|before| format!("{before}{name}::"));
            let names = |(_, line): &(PathBuf, String)| paths.iter().any(|path| line.contains(path.as_str()));
            let users = rooms.iter().filter(|(_, code)| code.iter().any(names)).map(|(room, _)| *room);
            assert_eq!(users.collect::<Vec<_>>(), [owner], "who names {name}");
        }
    }
}

#[test]
fn clap_is_named_by_the_command_line_and_by_what_it_derives_for_the_tools() {
    for room in ORDER.into_iter().filter(|room| *room != "cli") {
        for (path, line) in code(room) {
            let is_derive = room == "tool" && line.contains("feature = \"program\", derive(clap::");
            assert!(is_derive || !line.contains("clap::"), "{} names clap: {line}", path.display());
        }
    }
}

/// The files that a change of a parameter touches: the struct that declares it, and what acts on it. A door is among them only
/// if it shows people a command with the parameter.
const PARAMETERS: [(&str, &[&str]); 5] = [
    ("case_sensitive", &["cli/answers/search.rs", "tool/pdf/arguments.rs"]),
    ("num_lines", &["cli/answers/file.rs", "tool/get_file/arguments.rs", "tool/get_file/mod.rs"]),
    ("start_document", &["tool/pdf/arguments.rs", "tool/pdf/search/documents.rs"]),
    ("start_file", &["tool/context/arguments.rs", "tool/context/mod.rs"]),
    ("url_index", &["cli/commands/fetch.rs", "tool/fetch/arguments.rs", "tool/fetch/mod.rs"]),
];

#[test]
fn a_parameter_is_written_where_it_is_declared_and_used() {
    for (parameter, expected) in PARAMETERS {
        let words = parameter.split('_').collect::<Vec<_>>();
        let kebab = words.join("-");
        let lines = ORDER.iter().flat_map(|room| code(room));
        let lines = lines.filter(|(_, line)| {
            line.contains(parameter) || line.contains(&format!("\"{kebab}")) || line.contains(&format!("--{kebab}"))
        });
        let files = lines.map(|(path, _)| path.strip_prefix(source_folder()).unwrap().to_str().unwrap().to_owned());
        assert_eq!(Vec::from_iter(files.collect::<BTreeSet<_>>()), expected, "{parameter}");
    }
}

#[test]
fn a_crate_belongs_to_one_package() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let manifests = std::fs::read_dir(source_folder()).unwrap().map(|entry| entry.unwrap().path().join("Cargo.toml"));
    for manifest in manifests.filter(|path| path.exists()) {
        let text = std::fs::read_to_string(&manifest).unwrap();
        let (_, dependencies) = text.split_once("dependencies]").unwrap();
        for line in
            dependencies.lines().filter(|line| line.contains("workspace = true") && !line.starts_with("workspace"))
        {
            let name = line.split(['.', ' ']).next().unwrap().to_owned();
            owners.entry(name).or_default().push(manifest.display().to_string());
        }
    }
    assert!(owners.len() > 30, "only {} dependencies were found", owners.len());
    for (name, packages) in owners {
        let is_shared = name.starts_with("pagewise-") || SHARED.iter().any(|(shared, _)| *shared == name);
        assert!(is_shared || packages.len() == 1, "{name} is a dependency of {packages:?}");
    }
}

#[test]
fn rooms_that_read_do_no_io_and_know_no_clock() {
    let banned = ["std::fs", "std::net", "std::process", "Instant::now", "SystemTime::now", "async fn"];
    // The deadline is where the clock is read for all of them; the index reads and writes files through its own folder.
    let excused = |room: &str, name: &str| match room {
        "base" => name == "Instant::now" || name == "SystemTime::now",
        "library" => name == "std::fs",
        _ => false,
    };
    for room in PURE {
        let banned = banned.iter().filter(|name| !excused(room, name)).map(|name| (*name).to_owned());
        assert_names_none_of(room, &banned.collect::<Vec<_>>());
    }
}

#[test]
fn only_the_command_line_prints() {
    let printing = ["println!", "print!(", "stdout()", "eprintln!"].map(str::to_owned);
    for room in ORDER.into_iter().filter(|room| !["cli", "serve", "worker"].contains(room)).chain(PURE) {
        assert_names_none_of(room, &printing);
    }
}

/// What only the doors need, and most of the time of a build.
const DOORS_ALONE: [&str; 13] = [
    "anydoc",
    "axum",
    "clap",
    "hyper",
    "indicatif",
    "jsonwebtoken",
    "object_store",
    "pdf-extract",
    "qpdf",
    "reqwest",
    "rmcp",
    "tokio-postgres",
    "tracing-subscriber",
];

/// Third-party crates that a program with the library alone may have to build.
const MAX_LIBRARY_CRATES: usize = 200;

#[test]
fn the_library_alone_builds_without_the_doors() {
    let crates = |features: &[&str]| {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.args(["tree", "--offline", "--package", "pagewise", "--edges", "normal", "--prefix", "none"]);
        let output = cargo.args(["--format", "{p}"]).args(features).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        let named = lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned());
        named.filter(|line| !line.starts_with("pagewise")).collect::<BTreeSet<_>>()
    };
    let has = |crates: &BTreeSet<String>, name: &str| crates.iter().any(|line| line.split(' ').next() == Some(name));
    let (all, alone) = (crates(&[]), crates(&["--no-default-features"]));
    for name in DOORS_ALONE {
        assert!(has(&all, name) && !has(&alone, name), "{name}: {alone:#?}");
    }
    assert!(alone.len() <= MAX_LIBRARY_CRATES, "{} crates: {alone:#?}", alone.len());
}
