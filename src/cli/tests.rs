//! What people see: each command's text in a terminal of 80 columns and in a pipe, with its notes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may stop where it stands")]

use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _};

use super::arguments::CommandLine;
use super::terminal::print::{Output, Report, error_text};
use super::terminal::screen::Screen;
use super::{config, run_command};
use crate::tool::{DatabaseServerState, DoctorResult, LayerState, OcrState, StoreState, ToolError};

const TERMINAL: Screen = Screen { columns: Some(80), has_colors: false };
const COLORS: Screen = Screen { columns: Some(80), has_colors: true };
const PIPE: Screen = Screen { columns: None, has_colors: false };

fn report(words: &[&str], screen: Screen) -> Result<Report, ToolError> {
    let matches = CommandLine::command().try_get_matches_from([&["pagewise"], words].concat()).unwrap();
    let typed = CommandLine::from_arg_matches(&matches).unwrap();
    let mut loaded = config::load(&matches).unwrap();
    loaded.config.no_sandbox = true;
    run_command(&typed.command.unwrap(), &loaded, screen)
}

/// Standard output and, after it, standard error.
fn printed(words: &[&str], screen: Screen) -> String {
    match report(words, screen) {
        Ok(report) => shown(report),
        Err(error) => error_text(&error.for_command_line(super::arguments::parameters::typed_name)),
    }
}

fn shown(report: Report) -> String {
    let Output::Text(text) = report.text else { panic!("no text") };
    let notes = report.notes.iter().map(|note| format!("pagewise: {note}\n")).collect::<String>();
    format!("{text}\n{notes}").replace('\u{1b}', "^")
}

#[test]
fn info_is_aligned_and_wrapped() {
    insta::assert_snapshot!("info", printed(&["info", "fixtures/latex.pdf"], TERMINAL));
    insta::assert_snapshot!("info_colors", printed(&["info", "fixtures/attachments.pdf"], COLORS));
    let folder = tempfile::tempdir().unwrap();
    for name in ["encrypted-password.pdf", "latex.pdf", "scan.pdf", "cjk.pdf"] {
        std::fs::copy(Path::new("fixtures").join(name), folder.path().join(name)).unwrap();
    }
    std::fs::copy("fixtures/latex.pdf", folder.path().join("walk.pdf")).unwrap();
    let path = folder.path().to_str().unwrap();
    insta::assert_snapshot!("info_folder", printed(&["info", path], TERMINAL));
}

#[test]
fn an_outline_is_a_table_of_contents() {
    insta::assert_snapshot!("outline", printed(&["outline", "fixtures/latex.pdf", "--max-items", "9"], TERMINAL));
    insta::assert_snapshot!("outline_colors", printed(&["outline", "fixtures/typst.pdf"], COLORS));
    insta::assert_snapshot!("outline_none", printed(&["outline", "fixtures/scan.pdf"], TERMINAL));
}

#[test]
fn matches_stand_below_their_file_or_on_a_line_each() {
    insta::assert_snapshot!("search", printed(&["search", "fixtures/latex.pdf", "fold"], TERMINAL));
    insta::assert_snapshot!("search_colors", printed(&["search", "fixtures", "fold"], COLORS));
    insta::assert_snapshot!("search_pipe", printed(&["search", "fixtures", "fold"], PIPE));
    let cut = ["search", "fixtures/latex.pdf", "f[aeo]\\w+", "--regex", "--max-results", "3", "--pages", "3-"];
    insta::assert_snapshot!("search_cut", printed(&cut, TERMINAL));
    insta::assert_snapshot!("search_none", printed(&["search", "fixtures/scan.pdf", "fold"], PIPE));
}

#[test]
fn a_quote_is_judged_in_a_word() {
    let quote = |quote: &str, screen| printed(&["search", "fixtures/latex.pdf", "--quote", quote], screen);
    insta::assert_snapshot!("quote", quote("a fold is a small act of arithmetic", TERMINAL));
    insta::assert_snapshot!("quote_altered", quote("a fold is a large act of arithmetic", COLORS));
    insta::assert_snapshot!("quote_absent", quote("nobody ever wrote such words here", TERMINAL));
}

#[test]
fn written_files_are_named_with_their_sizes() {
    let place = tempfile::tempdir().unwrap();
    let shown = |words: &[&str], name: &str| {
        let out = place.path().join(name);
        let text = printed(&[words, &[out.to_str().unwrap()]].concat(), TERMINAL);
        text.replace(place.path().to_str().unwrap(), "OUT")
    };
    let texts = [
        shown(&["page", "fixtures/latex.pdf", "2", "--out"], "page.pdf"),
        shown(&["split", "fixtures/latex.pdf", "7-9", "--out-dir"], "pages"),
        shown(&["split", "fixtures/latex.pdf", "7-8", "--out"], "joined.pdf"),
        shown(&["render", "fixtures/latex.pdf", "2", "--dpi", "72", "--out"], "page.png"),
        shown(&["render", "fixtures/latex.pdf", "2-3", "--dpi", "72", "--out"], "pictures"),
        shown(&["render", "fixtures/latex.pdf", "2-3", "--contact-sheet", "--out"], "sheet.png"),
    ];
    insta::assert_snapshot!("written", texts.join("\n"));
}

#[test]
fn errors_say_what_to_type() {
    let errors = [
        printed(&["info", "fixtures/latx.pdf"], TERMINAL),
        printed(&["info", "fixtures/encrypted-password.pdf"], TERMINAL),
        printed(&["text", "fixtures/latex.pdf", "9"], TERMINAL),
        printed(&["text", "fixtures/latex.pdf", "section:sheep"], TERMINAL),
        printed(&["search", "fixtures/latex.pdf", "(", "--regex"], TERMINAL),
        printed(&["render", "fixtures/notes.txt"], TERMINAL),
        printed(&["settings", "nothing-like-it"], TERMINAL),
    ];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    insta::assert_snapshot!("errors", errors.join("\n").replace(root, ""));
}

#[test]
fn settings_fit_the_terminal() {
    insta::assert_snapshot!("settings", printed(&["settings", "sandbox"], TERMINAL));
    insta::assert_snapshot!("settings_colors", printed(&["settings", "max_answer_pages"], COLORS));
}

/// A printed summary without its estimates, which rest on as many pages as were read in time.
fn summary(file: &str, screen: Screen) -> String {
    let printed = printed(&["get-file", file], screen);
    printed.lines().filter(|line| !line.contains("Tokens:")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_summary_ends_with_commands_that_can_be_pasted() {
    insta::assert_snapshot!("summary", summary("fixtures/latex.pdf", TERMINAL));
    insta::assert_snapshot!("summary_colors", summary("fixtures/scan.pdf", COLORS));
}

#[test]
fn the_doctor_says_what_works_in_columns() {
    let server = DatabaseServerState {
        tls: None,
        user: "pagewise".to_owned(),
        clock_ahead_seconds: 2,
        max_pool: 8,
        max_connections: "100".to_owned(),
        synchronous_commit: "on".to_owned(),
    };
    let store = StoreState {
        engine: "PostgreSQL 15".to_owned(),
        place: "db.example".to_owned(),
        schema: 5,
        read_us: 1_210,
        record_us: 18,
        conversations: 1,
        holdings: 1_400,
        server: Some(server),
    };
    let result = DoctorResult {
        version: "0.0.0",
        system: "linux x86_64".to_owned(),
        workers: true,
        layers: vec![LayerState { name: "landlock", active: true }, LayerState { name: "seccomp", active: false }],
        landlock_abi: Some(7),
        worker_problem: None,
        data_directory: None,
        store_problem: Some("disk full".to_owned()),
        ocr: OcrState { engine: "tesseract", languages: vec!["eng".to_owned()], ..OcrState::default() },
        store: Some(store),
    };
    insta::assert_snapshot!("doctor", super::answers::doctor::text(&result, TERMINAL));
    let colored = super::answers::doctor::text(&DoctorResult { store: None, ..result }, COLORS);
    insta::assert_snapshot!("doctor_colors", colored.replace('\u{1b}', "^"));
}

/// The words of a line as a shell divides them, without a redirection or a remark at its end.
fn typed_words(line: &str) -> Vec<String> {
    let line = line.split("   ").next().unwrap().split(" > ").next().unwrap().split(" | ").next().unwrap();
    let (mut words, mut quote) = (vec![String::new()], None);
    for character in line.chars() {
        match (character, quote) {
            ('"' | '\'', None) => quote = Some(character),
            (end, Some(begin)) if end == begin => quote = None,
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().unwrap().push(character),
        }
    }
    words
}

#[test]
fn every_example_of_the_help_is_a_command() {
    fn examples(command: &clap::Command, found: &mut Vec<String>) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines =
            text.lines().filter_map(|line| Some(format!("pagewise {}", line.trim().split_once("pagewise ")?.1)));
        found.extend(lines.filter(|line| !line.contains("pagewise -- ")));
        command.get_subcommands().for_each(|inner| examples(inner, found));
    }
    let mut program = CommandLine::command();
    program.build();
    let mut found = Vec::new();
    examples(&program, &mut found);
    assert!(found.len() >= 50, "{}", found.len());
    for example in found {
        let parsed = super::parse(typed_words(&example).into_iter().map(Into::into).collect());
        assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
    }
}
