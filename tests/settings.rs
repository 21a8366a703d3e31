//! Settings: four layers, one table, and documentation that agrees with the table.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::small_pdf;

/// The settings in force with these arguments and variables, by name.
fn settings(place: &Place, arguments: &[&str], variables: &[(&str, &str)]) -> BTreeMap<String, Value> {
    let mut command = place.command();
    command.args(["--print-config", "--json"]).args(arguments).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = printed["settings"].as_array().unwrap_or_else(|| panic!("{printed}"));
    rows.iter().map(|row| (row["name"].as_str().unwrap().to_owned(), row.clone())).collect()
}

fn value(rows: &BTreeMap<String, Value>, name: &str) -> (Value, String) {
    (rows[name]["value"].clone(), rows[name]["source"].as_str().unwrap().to_owned())
}

/// The code, message and hint of a refusal.
fn refused(place: &Place, arguments: &[&str]) -> [String; 3] {
    let (status, answer) = place.json(&[&["--print-config"], arguments].concat());
    assert_eq!(status, 1, "{answer}");
    ["code", "message", "hint"].map(|part| answer["error"][part].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let place = Place::new();
    let variable = [("PAGEWISE_MAX_PAGES", "3")];
    assert_eq!(value(&settings(&place, &[], &[]), "max_pages"), (json!(1_000_000), "default".into()));
    place.file("s.toml", "max_pages = 2\n");
    let file = ["--config", "s.toml"];
    assert_eq!(value(&settings(&place, &file, &[]), "max_pages"), (json!(2), "file".into()));
    assert_eq!(value(&settings(&place, &file, &variable), "max_pages"), (json!(3), "environment".into()));
    let all = [&file[..], &["--set", "max_pages=4"]].concat();
    assert_eq!(value(&settings(&place, &all, &variable), "max_pages"), (json!(4), "flag".into()));
    // An empty variable is none.
    assert_eq!(value(&settings(&place, &file, &[("PAGEWISE_MAX_PAGES", "")]), "max_pages"), (json!(2), "file".into()));
}

#[test]
fn a_table_is_set_entry_by_entry() {
    let place = Place::new();
    place.file("s.toml", "[client_forms]\nopencode = \"text\"\n\"a b.c\" = \"image\"\n");
    let forms = |arguments: &[&str], variables: &[(&str, &str)]| {
        value(&settings(&place, &[&["--config", "s.toml"], arguments].concat(), variables), "client_forms")
    };
    assert_eq!(forms(&[], &[]), (json!({ "opencode": "text", "a b.c": "image" }), "file".into()));
    let variable = [("PAGEWISE_CLIENT_FORMS", "opencode=path, x=mixed")];
    let all = json!({ "opencode": "path", "x": "mixed", "a b.c": "image" });
    assert_eq!(forms(&[], &variable), (all, "environment".into()));
    let flags = ["--set", "client_forms.x=document", "--set", "client_forms.a b.c=auto"];
    let all = json!({ "opencode": "path", "x": "document", "a b.c": "auto" });
    assert_eq!(forms(&flags, &variable), (all, "flag".into()));
    let expected = "Setting 'client_forms' must be names of clients, each with auto, document, image, text, markdown, path or mixed";
    for wrong in ["client_forms=opencode", "client_forms=opencode=pdf", "client_forms.opencode=", "client_forms.=text"]
    {
        assert_eq!(refused(&place, &["--set", wrong])[1], expected, "{wrong}");
    }
    assert_eq!(refused(&place, &["--set", "max_pages.x=1"])[1], "Unknown setting 'max_pages.x'");
}

#[test]
fn a_setting_of_the_file_holds() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    place.file("s.toml", "max_pages = 1\n");
    let (code, answer) = place.json(&["info", &pdf, "--config", "s.toml"]);
    assert_eq!((code, &answer["error"]["data"]["setting"]), (1, &json!("max_pages")));
    assert_eq!(place.json(&["info", &pdf, "--config", "s.toml", "--set", "max_pages=2"]).0, 0);
}

#[test]
fn the_file_is_found_in_the_users_folder_and_where_the_variable_says() {
    let place = Place::new();
    let folder = place.path("config/pagewise");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "max_pages = 5\nroots = [\"a\", \"~/b\"]\n").unwrap();
    let home = place.path("config");
    let usual = [("XDG_CONFIG_HOME", home.to_str().unwrap()), ("HOME", "/home/somebody")];
    let rows = settings(&place, &[], &usual);
    assert_eq!(value(&rows, "max_pages"), (json!(5), "file".into()));
    assert_eq!(value(&rows, "roots").0, json!(["a", "/home/somebody/b"]));
    place.file("other.toml", "max_pages = 6\n");
    let rows = settings(&place, &[], &[usual[0], ("PAGEWISE_CONFIG", "other.toml")]);
    assert_eq!(value(&rows, "max_pages"), (json!(6), "file".into()));
}

#[test]
fn a_named_file_must_be_there_and_readable_as_toml() {
    let place = Place::new();
    assert_eq!(
        refused(&place, &["--config", "none.toml"])[..2],
        ["file_not_found", "Cannot read settings: none.toml (there is no such file or folder)"]
    );
    place.file("bad.toml", "max_pages = 1\npassword = \"hush\" hush\n");
    let [code, message, _] = refused(&place, &["--config", "bad.toml"]);
    assert_eq!(code, "validation_error");
    assert!(message.starts_with("Cannot read settings: bad.toml line 2: ") && !message.contains("hush"), "{message}");
}

#[test]
fn unknown_settings_are_refused_and_the_nearest_is_named() {
    let place = Place::new();
    place.file("s.toml", "max_page = 1\n");
    assert_eq!(
        refused(&place, &["--config", "s.toml"]),
        ["validation_error", "Unknown setting 'max_page' in s.toml line 1", "The nearest setting is 'max_pages'."]
    );
    assert_eq!(
        refused(&place, &["--set", "max_pagse=1"])[1..],
        ["Unknown setting 'max_pagse'", "The nearest setting is 'max_pages'."]
    );
    assert_eq!(refused(&place, &["--set", "colour=red"])[2], "pagewise settings shows them all.");
    let output = place.command().args(["--print-config"]).env("PAGEWISE_MAX_PAGE", "1").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("# PAGEWISE_MAX_PAGE is not a setting; the nearest is PAGEWISE_MAX_PAGES"), "{printed}");
}

#[test]
fn values_of_the_wrong_kind_are_refused_in_every_layer() {
    let place = Place::new();
    let message = |setting: &str, expected: &str| format!("Setting '{setting}' must be {expected}");
    place.file("s.toml", "workers = 0\n");
    let of_file = "Setting 'workers' in s.toml line 1 must be a whole number, 1 or more";
    assert_eq!(refused(&place, &["--config", "s.toml"])[1], of_file);
    // Also where a flag overrides it.
    assert_eq!(refused(&place, &["--config", "s.toml", "--set", "workers=1"])[1], of_file);
    for wrong in ["max_pages=-1", "max_pages=1.5", "max_pages=many", "max_pages=4294967296"] {
        assert_eq!(refused(&place, &["--set", wrong])[1], message("max_pages", "a whole number"), "{wrong}");
    }
    assert_eq!(refused(&place, &["--set", "no_sandbox=maybe"])[1], message("no_sandbox", "true or false"));
    place.file("t.toml", "max_pages = [1, 2]\n");
    let several = "Setting 'max_pages' in t.toml line 1 must be a whole number";
    assert_eq!(refused(&place, &["--config", "t.toml"])[1], several);
    place.file("u.toml", "max_pages = 2026-01-01\n");
    assert!(refused(&place, &["--config", "u.toml"])[1].contains("'max_pages' in u.toml line 1 has a value of a kind"));
    let output = place.command().args(["info", "x.pdf", "--json"]).env("PAGEWISE_MAX_PAGES", "x").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"]["message"], message("PAGEWISE_MAX_PAGES", "a whole number"));
    assert_eq!(answer["error"]["data"], json!({ "setting": "max_pages", "value": "x" }));
    assert!(
        refused(&place, &["--set", "no_sandbox=1", "--set", "require_sandbox=1"])[1].contains("exclude each other")
    );
}

#[test]
fn a_damaged_file_is_refused_by_file_line_and_key() {
    let place = Place::new();
    let message = |text: &[u8]| {
        place.file("s.toml", text);
        refused(&place, &["--config", "s.toml"])[1].clone()
    };
    assert_eq!(message(b"# \n[max_pages]\n"), "Setting 'max_pages' in s.toml line 2 must be a whole number");
    assert_eq!(message(b"\n[colours]\n"), "Unknown setting 'colours' in s.toml line 2");
    assert_eq!(message(b"[web]\nfresh_ms = 1\n"), "Unknown setting 'web.fresh_ms' in s.toml line 2");
    assert_eq!(
        message(b"form = \"text\"\npages = \"\xff\"\n"),
        "Cannot read settings: s.toml line 2: it is not in UTF-8"
    );
    assert!(message(b"form = \"text\"\nform = \"image\"\n").starts_with("Cannot read settings: s.toml line 2: "));
    assert!(message(b"form = [[\"text\"]]\n").contains("'form' in s.toml line 1 has a value of a kind"));
    let long = [b"#".repeat(1 << 20), b"\n".to_vec()].concat();
    assert_eq!(message(&long), "Cannot read settings: s.toml has more than 1048576 bytes");
    // Tables that may have settings may have none.
    place.file("s.toml", "[client_forms]\n[pdf_model]\n");
    assert_eq!(place.run(&["--print-config", "--config", "s.toml"]).status, 0);
    assert_eq!(refused(&place, &["--config", "."])[0], "permission_denied");
}

#[test]
fn a_value_that_could_not_be_honoured_is_refused() {
    let place = Place::new();
    for (wrong, expected) in [
        ("pdf_image_dpi=301", "a whole number from 1 to 300"),
        ("pdf_image_dpi=0", "a whole number from 1 to 300"),
        ("http_max_connections=0", "a whole number, 1 or more"),
        ("http_max_requests=0", "a whole number, 1 or more"),
        ("http_drain_seconds=9223372036854775807", "a whole number of seconds, 1 or more, and at most 100 years"),
        ("web_fresh_ms=0", "a whole number of milliseconds, 1 or more, and at most 100 years"),
        ("max_file_bytes=9223372036854775808", "a whole number"),
    ] {
        let name = wrong.split_once('=').unwrap().0;
        assert_eq!(refused(&place, &["--set", wrong])[1], format!("Setting '{name}' must be {expected}"), "{wrong}");
    }
    let refused = place.run(&["serve", "--http", "nowhere"]);
    let message = "pagewise: Parameter '--http' must be an address and a port, such as 127.0.0.1:8700\n";
    assert_eq!((refused.status, refused.stderr.as_str()), (1, message));
}

#[test]
fn an_empty_value_takes_away_what_a_weaker_layer_set() {
    let place = Place::new();
    place.file(
        "s.toml",
        "password = \"hush\"\nhttp_address = \"127.0.0.1:1\"\nhttp_tokens = [\"\", \"a\"]\nroots = [\"/a\"]\n",
    );
    let set = ["--config", "s.toml", "--set", "password=", "--set", "http_address=", "--set", "roots="];
    let rows = settings(&place, &set, &[]);
    assert_eq!(["password", "http_address"].map(|name| rows[name]["value"].clone()), [json!(null), json!(null)]);
    assert_eq!(rows["roots"]["value"], json!([]));
}

#[test]
fn a_variable_that_is_no_setting_is_named_once() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let mut command = place.command();
    let output = command.args(["info", &pdf, "--json"]).env("PAGEWISE_MAX_PAGE", "1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "pagewise: PAGEWISE_MAX_PAGE is not a setting; the nearest is PAGEWISE_MAX_PAGES\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn secrets_are_not_printed() {
    let place = Place::new();
    for json in [&["--json"][..], &[]] {
        let output =
            place.command().arg("--print-config").args(json).env("PAGEWISE_PASSWORD", "hush").output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("(set, not shown)") && !printed.contains("hush"), "{printed}");
    }
}

#[test]
fn what_is_printed_can_be_read_back() {
    let place = Place::new();
    let set = ["--set", "max_pages=7", "--set", "form=text", "--set", "roots=/a:/b", "--set", "client_forms.a b=path"];
    let printed = place.run(&[&["--print-config"], &set[..]].concat());
    place.file("printed.toml", &printed.stdout);
    let again = settings(&place, &["--config", "printed.toml"], &[]);
    for (name, row) in settings(&place, &set, &[]) {
        assert_eq!(again[&name]["value"], row["value"], "{name}");
    }
    assert_eq!(value(&again, "roots"), (json!(["/a", "/b"]), "file".into()));
}

#[test]
fn the_readme_has_the_table() {
    let place = Place::new();
    let printed = place.json(&["settings"]).1;
    let row = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let default = format!("{} {}", text("default"), text("unit"));
        format!("| `{}` | {} | {} |", text("name"), default.trim(), text("meaning"))
    };
    let table = printed["settings"].as_array().unwrap().iter().map(row).collect::<Vec<_>>();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let after_head = readme.lines().skip_while(|line| *line != "| setting | default | meaning |").skip(2);
    let shown = after_head.take_while(|line| line.starts_with('|')).collect::<Vec<_>>();
    assert!(shown.len() >= 10, "only {} settings are shown", shown.len());
    for row in shown {
        assert!(table.iter().any(|known| known == row), "{row}\nis no row of\n{}", table.join("\n"));
    }
}

#[test]
fn settings_lists_all_and_finds_by_a_word() {
    let place = Place::new();
    let all = place.run(&["settings"]).stdout;
    let rows = settings(&place, &[], &[]);
    for (name, row) in &rows {
        let line =
            all.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap_or_else(|| panic!("{name}"));
        assert!(line.contains(row["meaning"].as_str().unwrap()), "{line}");
        assert_eq!(
            row["unit"] != "",
            row["value"].is_number() || name == "workers",
            "{name} has a unit if it is a number"
        );
    }
    let names = |word: &str| {
        let (_, found) = place.json(&["settings", word]);
        let rows = found["settings"].as_array().unwrap().clone();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("max_pages"), ["max_pages"], "a whole name is that setting's alone");
    assert_eq!(names("SANDBOX"), ["no_sandbox", "require_sandbox"]);
    assert_eq!(names("PAGEWISE_MAX_PIXELS"), ["max_pixels"]);
    let set = place.run(&["settings", "max_pages", "--set", "max_pages=7"]).stdout;
    assert!(set.contains("1000000 pages") && set.contains("(now 7, from the flag)"), "{set}");
    let none = place.run(&["settings", "no such thing"]);
    assert_eq!((none.status, none.stdout.as_str()), (1, ""));
}

#[test]
fn a_command_is_asked_for() {
    let place = Place::new();
    let run = place.run(&["--no-sandbox"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("pagewise: Parameter 'COMMAND' is required"), "{}", run.stderr);
}
