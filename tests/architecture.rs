//! The rooms name only whom the map in `src/lib.rs` lets them name.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A row of the map.
struct Room {
    /// Types that the row names.
    types: BTreeSet<String>,
    may_name: BTreeSet<String>,
    crates: BTreeSet<String>,
}

/// Rooms that everybody may name.
const VOCABULARY: [&str; 4] = ["page", "hash", "limits", "provider"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn map() -> BTreeMap<String, Room> {
    let library = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let rows = library.lines().filter_map(|line| line.strip_prefix("//! | `"));
    let listed =
        |cell: &str| cell.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let name = cells[0].trim().trim_end_matches('`').to_owned();
        let quoted = cells[1].split('`').skip(1).step_by(2).map(str::to_owned);
        (name, Room { types: quoted.collect(), may_name: listed(cells[2]), crates: listed(cells[3]) })
    })
    .collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
    out
}

/// The room that a file belongs to.
fn room_of(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// Lines of code, without comments, which may speak of any room, and without the file's tests.
fn code(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.map(|line| line.split("//").next().unwrap_or_default().to_owned()).collect()
}

/// Identifiers that follow `prefix` in a line.
fn named_after<'a>(line: &'a str, prefix: &str) -> Vec<&'a str> {
    let identifier = |rest: &'a str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    line.match_indices(prefix).map(|(at, _)| identifier(line.get(at + prefix.len()..).unwrap_or_default())).collect()
}

/// The sources of rooms: all but the crate's roots.
fn rooms() -> Vec<(PathBuf, String)> {
    let all = sources(&root().join("src")).into_iter().map(|path| (path.clone(), room_of(&path)));
    all.filter(|(_, room)| room != "lib" && room != "main").collect()
}

#[test]
fn every_type_on_the_map_lives_in_its_room() {
    let mut found = 0;
    for (name, room) in map() {
        let sources = rooms().into_iter().filter(|(_, room)| *room == name);
        let text = sources.map(|(path, _)| code(&path).join("\n")).collect::<Vec<_>>().join("\n");
        for kind in &room.types {
            found += 1;
            let is_declared =
                ["struct", "enum", "trait"].iter().any(|word| text.contains(&format!("pub {word} {kind}")));
            assert!(is_declared, "{name} has no type {kind}");
        }
    }
    assert!(found > 15, "only {found} types were found: this test has lost sight of them");
}

#[test]
fn every_room_is_on_the_map_and_every_row_is_a_room() {
    let found: BTreeSet<String> = rooms().into_iter().map(|(_, room)| room).collect();
    let mapped: BTreeSet<String> = map().into_keys().collect();
    assert_eq!(found, mapped);
}

#[test]
fn rooms_name_only_whom_the_map_lets_them_name() {
    let map = map();
    let mut arrows = 0;
    for (path, room) in rooms() {
        for line in code(&path) {
            for named in named_after(&line, "crate::") {
                if named == room || !map.contains_key(named) {
                    continue;
                }
                arrows += 1;
                let allowed = VOCABULARY.contains(&named) || map[&room].may_name.contains(named);
                assert!(allowed, "{} names {named}: {line}", path.display());
            }
        }
    }
    assert!(arrows > 100, "only {arrows} arrows were found: this test has lost sight of them");
}

#[test]
fn a_crate_with_an_owner_is_named_by_its_owner_alone() {
    let map = map();
    let owner: BTreeMap<&str, &str> =
        map.iter().flat_map(|(room, row)| row.crates.iter().map(move |name| (name.as_str(), room.as_str()))).collect();
    let mut used = BTreeSet::new();
    for (path, room) in rooms() {
        for line in code(&path) {
            for (name, owner) in &owner {
                if line.contains(&format!("{name}::")) || line.contains(&format!("use {name} ")) {
                    assert_eq!(room, **owner, "{} names {name}: {line}", path.display());
                    used.insert(*name);
                }
            }
        }
    }
    let unused: Vec<_> = owner.keys().filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "crates on the map that nobody names: {unused:?}");
}

#[test]
fn rooms_that_read_pdfs_do_no_io_and_know_no_clock() {
    for (path, room) in rooms() {
        if !["document", "split", "text", "structure", "render", "view"].contains(&room.as_str()) {
            continue;
        }
        for line in code(&path) {
            for banned in [
                "std::fs",
                "std::net",
                "std::process",
                "SystemTime",
                "time::Instant",
                "Instant::now",
                "async fn",
                "println!",
                "eprintln!",
            ] {
                assert!(!line.contains(banned), "{} has {banned}: {line}", path.display());
            }
        }
    }
}

#[test]
fn serde_derives_stand_where_shapes_are_promised() {
    for (path, room) in rooms() {
        if ["tool", "store", "worker"].contains(&room.as_str()) {
            continue;
        }
        for line in code(&path) {
            let derives = line.contains("derive(") && (line.contains("Serialize") || line.contains("Deserialize"));
            assert!(!derives, "{}: {line}", path.display());
        }
    }
}

#[test]
fn files_and_functions_stay_readable() {
    for (path, _) in rooms() {
        let code = code(&path);
        assert!(code.len() <= 400, "{} has {} lines of its own", path.display(), code.len());
        let mut start = None;
        for (number, line) in code.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            if start.is_none() && line.contains("fn ") && line.trim_end().ends_with('{') {
                start = Some((number, indent));
            } else if let Some((first, depth)) = start
                && line.trim_end() == format!("{}}}", " ".repeat(depth))
            {
                assert!(
                    number - first <= 60,
                    "{}:{} is a function of {} lines",
                    path.display(),
                    first + 1,
                    number - first
                );
                start = None;
            }
        }
    }
}
