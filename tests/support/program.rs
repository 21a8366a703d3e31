//! The built program, with a data folder and a working directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Variables that would lead a test to a model of whoever runs it.
const MODEL_VARIABLES: [&str; 9] = [
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "PAGEWISE_COMPATIBLE_BASE_URL",
    "PAGEWISE_PDF_MODEL_PRIMARY",
    "PAGEWISE_IMAGE_MODEL_PRIMARY",
    "PAGEWISE_TEXT_ONLY_MODELS",
];

/// A folder for one test: the program runs in it and keeps its data in it.
pub(crate) struct Place {
    folder: TempDir,
}

/// What a run of the program came to.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A text with `0000` in place of the tag in the headers of its pages.
pub(crate) fn with_fixed_tag(text: &str) -> String {
    let tag = regex::Regex::new("(· |carry the tag )[0-9a-f]{4,}( ---|\\.)").unwrap();
    tag.replace_all(text, "${1}0000${2}").into_owned()
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file; returns its name, which the program finds in its working directory.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), bytes).unwrap();
        name.to_owned()
    }

    /// A copy of a fixture under its own name.
    pub(crate) fn copied(&self, fixture: &str) -> String {
        self.file(fixture, std::fs::read(super::fixture(fixture)).unwrap())
    }

    /// The program, not yet run.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagewise"));
        command
            .current_dir(self.folder())
            .env("PAGEWISE_DATA_DIR", self.path("data"))
            // The servers of tests; everything else of this machine stays refused.
            .env("PAGEWISE_WEB_ALLOW_RANGES", "127.0.0.1")
            // Whether the system has the program must not decide what is read.
            .env("PAGEWISE_OCR_TESSERACT", "false")
            .env_remove("PAGEWISE_PASSWORD")
            .env_remove("COLUMNS");
        // What is said to the tests is no setting.
        let of_tests = std::env::vars_os().map(|(name, _)| name);
        for variable in of_tests.filter(|name| name.to_string_lossy().starts_with("PAGEWISE_TEST_")) {
            command.env_remove(variable);
        }
        for variable in MODEL_VARIABLES {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command().args(arguments).output().unwrap())
    }

    /// Runs with `--json`; the status and the one object on standard output.
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let run = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(
            run.stdout.lines().count(),
            1,
            "one object on one line: {} {} {}",
            run.status,
            run.stdout,
            run.stderr
        );
        (run.status, serde_json::from_str(&run.stdout).unwrap())
    }

    /// Runs with `--json` and expects a refusal: status, code and message.
    pub(crate) fn refused(&self, arguments: &[&str]) -> (i32, String, String) {
        let (status, value) = self.json(arguments);
        let error = |name: &str| value["error"][name].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
        (status, error("code"), error("message"))
    }
}

impl Run {
    fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The texts of a result's content blocks, in order.
pub(crate) fn texts(result: &Value) -> Vec<String> {
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
    blocks.iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
}

/// The types of a result's content blocks, in order.
pub(crate) fn kinds(result: &Value) -> Vec<&str> {
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
    blocks.iter().filter_map(|block| block["type"].as_str()).collect()
}
