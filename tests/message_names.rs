//! Each name in a message exists: settings, variables, flags, tools and their parameters.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pagewise_base::limits::Limit;
use regex::Regex;
use serde_json::{Value, json};

use crate::support::mcp::Client;
use crate::support::program::Place;

/// Every name that may occur in a message.
struct Names {
    /// Settings, tools and parameters.
    words: BTreeSet<String>,
    flags: BTreeSet<String>,
    variables: BTreeSet<String>,
}

/// Words that look like our names and belong to others.
const OTHERS: &[&str] = &[
    // Fields of protocols.
    "structuredContent",
    "inlineData",
    "input_file",
    "input_image",
    // What a client declares of itself.
    "maxResultBytes",
    // A setting of PostgreSQL.
    "synchronous_commit",
];

impl Names {
    fn of(place: &Place) -> Self {
        let (_, printed) = place.json(&["--print-config"]);
        let rows = printed["settings"].as_array().unwrap().clone();
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let settings = rows.iter().map(|row| text(row, "name"));
        // A table is named as a whole too.
        let tables = rows.iter().filter_map(|row| Some(text(row, "name").split_once('.')?.0.to_owned()));
        let (tools, parameters) = tools(place);
        let words = settings.chain(tables).chain(tools).chain(parameters).collect::<BTreeSet<_>>();
        let last = words.iter().filter_map(|name| Some(name.split_once('.')?.1.to_owned())).collect::<Vec<_>>();
        let words = words.into_iter().chain(last).chain(OTHERS.iter().map(|name| (*name).to_owned())).collect();
        let providers = ["ANTHROPIC", "GEMINI", "GOOGLE", "OPENAI", "OPENROUTER", "MISTRAL", "GROQ", "XAI", "DEEPSEEK"];
        let providers = providers.map(|name| format!("{name}_API_KEY"));
        let variables = rows.iter().map(|row| text(row, "variable")).chain(providers);
        let own = ["PAGEWISE_CONFIG", "PAGEWISE_NAME", "PAGEWISE_"].map(str::to_owned);
        Self { words, flags: flags(place), variables: variables.chain(own).collect() }
    }
}

/// The names of all tools, and of all their parameters.
fn tools(place: &Place) -> (Vec<String>, Vec<String>) {
    // A model that can be asked, so that all tools are there.
    let set = ["--set", "compatible_base_url=http://127.0.0.1:9", "--set", "pdf_model.primary=compatible/m"];
    let mut client = Client::start_with(place, &[&set[..], &["--tools", "all"]].concat(), "tester", json!({}));
    let list = client.request("tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    let keys =
        |tool: &Value| tool["inputSchema"]["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    (names, tools.iter().flat_map(keys).collect())
}

/// All flags, from the completions.
fn flags(place: &Place) -> BTreeSet<String> {
    let script = place.run(&["completions", "bash"]).stdout;
    let flag = Regex::new("--[a-z][a-z-]*").unwrap();
    flag.find_iter(&script).map(|found| found.as_str().to_owned()).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The sentences of a source: its literals that have a space, without comments and without the file's tests.
fn sentences(text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("reason = \""));
    let code = lines.collect::<Vec<_>>().join("\n").replace("'\"'", "' '").replace("'\\\"'", "' '");
    let literal = Regex::new(r#"(?s)"((?:[^"\\]|\\.)*)""#).unwrap();
    let found = literal.captures_iter(&code).map(|found| found[1].to_owned());
    // Placeholders are no words.
    let holes = Regex::new(r"\{[^}]*\}").unwrap();
    let sentence = |text: String| holes.replace_all(&text.replace("\\n", " "), "{}").into_owned();
    found.filter(|text| text.contains(' ')).map(sentence).collect()
}

#[test]
fn every_name_in_a_message_exists() {
    let place = Place::new();
    let names = Names::of(&place);
    let word = Regex::new(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b").unwrap();
    let flag = Regex::new(r"(?:^|[ '`(])(--[a-z][a-z-]*)").unwrap();
    let variable = Regex::new(r"\b(?:PAGEWISE_[A-Z_]*|[A-Z]+_API_KEY)").unwrap();
    let (mut unknown, mut found) = (Vec::new(), 0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&root) {
        let room = path.strip_prefix(&root).unwrap().components().next().unwrap().as_os_str().to_owned();
        // Statements of a database, what is written of PDFs and office files, and commands of other programs.
        if path.ends_with("tool/error/file_type.rs")
            || ["store", "library", "document", "office", "split", "text"].iter().any(|other| room == *other)
        {
            continue;
        }
        for sentence in sentences(&std::fs::read_to_string(&path).unwrap()) {
            // Metrics have names of their own, and so has what was fetched.
            let is_ours = |word: &&str| !word.starts_with("pagewise_") && !word.starts_with("fetch_0");
            let words = word.find_iter(&sentence).map(|found| found.as_str()).filter(is_ours);
            let words = words.filter(|word| !names.words.contains(*word));
            let flags = flag.captures_iter(&sentence).map(|found| found.get(1).unwrap().as_str());
            let flags = flags.filter(|flag| !names.flags.contains(*flag));
            let variables = variable.find_iter(&sentence).map(|found| found.as_str());
            let variables = variables.filter(|name| !names.variables.contains(*name));
            found += word.find_iter(&sentence).count();
            unknown.extend(words.chain(flags).chain(variables).map(|name| format!("{}: {name}", path.display())));
        }
    }
    assert!(found > 60, "only {found} names were found: this test has lost sight of them");
    assert!(unknown.is_empty(), "names in messages that nothing has:\n{}", unknown.join("\n"));
}

#[test]
fn every_limit_is_a_setting() {
    let names = Names::of(&Place::new()).words;
    let limit = Regex::new(r#"(?:which: |setting: |check_size\([^"\n]*|read_all\([^"\n]*)"([a-zA-Z_.]+)""#);
    let limit = limit.unwrap();
    for limit in Limit::ALL {
        assert_eq!(names.contains(limit.name()), limit.is_setting(), "{limit}");
    }
    let mut found = 0;
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for name in limit.captures_iter(text.split("\n#[cfg(test)]\nmod tests").next().unwrap()) {
            found += 1;
            assert!(names.contains(&name[1]), "{} names the limit {}", path.display(), &name[1]);
        }
    }
    assert!(found > 5, "only {found} limits were found: this test has lost sight of them");
}
