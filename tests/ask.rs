//! Questions to models: what is sent to each provider, what is said of the answer, and what of every failure.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

mod chain;
mod fallback;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
mod native;
mod refused;
mod remote;
mod server;

use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::file_of;
use crate::support::program::Place;
use crate::support::provider::{Provider, Say};

/// A place to ask from, and a provider to be asked.
pub(crate) struct Asking {
    pub(crate) place: Place,
    pub(crate) provider: Provider,
    variables: Vec<(String, String)>,
}

impl Asking {
    pub(crate) fn new(script: impl IntoIterator<Item = Say>) -> Self {
        Self { place: Place::new(), provider: Provider::start(script), variables: Vec::new() }
    }

    /// With a variable set.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The program, with keys for all providers, which are all the one on loopback.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.place.command();
        let address = self.provider.address();
        command
            .env("ANTHROPIC_BASE_URL", address)
            .env("ANTHROPIC_API_KEY", "planted-anthropic")
            .env("GOOGLE_GEMINI_BASE_URL", address)
            .env("GEMINI_API_KEY", "planted-google")
            .env("OPENAI_BASE_URL", format!("{address}/v1"))
            .env("OPENAI_API_KEY", "planted-openai")
            .env("PAGEWISE_COMPATIBLE_BASE_URL", format!("{address}/v1/"))
            .env("PAGEWISE_COMPATIBLE_API_KEY", "planted-compatible");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `ask`. No key is in what it prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command().arg("ask").args(arguments).output().unwrap();
        for printed in [&output.stdout, &output.stderr] {
            let printed = String::from_utf8_lossy(printed);
            assert!(!printed.contains("planted"), "{printed}");
        }
        output
    }

    /// Asks with `--json`: the status and the object.
    pub(crate) fn ask(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.run(&[arguments, &["--json"]].concat());
        let value = serde_json::from_slice(&output.stdout);
        (output.status.code().unwrap(), value.unwrap_or_else(|_| panic!("{output:?}")))
    }

    /// Asks and is answered.
    pub(crate) fn answered(&self, arguments: &[&str]) -> Value {
        let (status, value) = self.ask(arguments);
        assert_eq!(status, 0, "{value}");
        value
    }

    /// Asks and is refused: status, code, message and data.
    pub(crate) fn refused(&self, arguments: &[&str]) -> (i32, String, String, Value) {
        let (status, value) = self.ask(arguments);
        let error = &value["error"];
        let text = |name: &str| error[name].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
        (status, text("code"), text("message"), error["data"].clone())
    }

    /// The content of the only request, in any protocol.
    pub(crate) fn content(&self) -> Vec<Value> {
        let seen = self.provider.seen();
        assert_eq!(seen.len(), 1);
        content_of(&seen[0].body)
    }

    /// The page that `get_file` gives, as base64.
    pub(crate) fn page(&self, file: &str, number: u32) -> String {
        let (_, value) = self.place.json(&["get-file", file, "--pages", &number.to_string()]);
        value["content"][0]["source"]["data"].as_str().unwrap().to_owned()
    }
}

/// The content of a request, in any protocol.
pub(crate) fn content_of(body: &Value) -> Vec<Value> {
    let turns = ["messages", "contents", "input"].iter().find_map(|name| body.get(*name)).unwrap();
    let turn = &turns[0];
    turn.get("content").or_else(|| turn.get("parts")).unwrap().as_array().unwrap().clone()
}

/// The base64 of a block, in any protocol; `None` for a text.
pub(crate) fn data_of(block: &Value) -> Option<String> {
    let places = ["/source/data", "/inlineData/data", "/file_data", "/image_url/url", "/image_url"];
    let text = places.iter().find_map(|place| block.pointer(place).and_then(Value::as_str))?;
    Some(text.rsplit(',').next().unwrap().to_owned())
}

/// The text of a block, in any protocol.
pub(crate) fn text_of(block: &Value) -> Option<&str> {
    block["text"].as_str()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Width and height of the PNG in a block.
pub(crate) fn size_of(block: &Value) -> (u32, u32) {
    let png = STANDARD.decode(data_of(block).unwrap()).unwrap();
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// A PDF whose pages have these texts, on pages of this size.
pub(crate) fn pdf_of(texts: &[&str], size: [u32; 2]) -> Vec<u8> {
    let kids = (0..texts.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect::<Vec<_>>().join(" ");
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", texts.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (page, text) in texts.iter().enumerate() {
        let lines = text.as_bytes().chunks(250).map(|line| format!("({}) Tj 0 -14 Td ", String::from_utf8_lossy(line)));
        let content = format!("BT /F 12 Tf 20 {} Td {}ET", size[1].saturating_sub(30), lines.collect::<String>());
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents {} 0 R /Resources << /Font << /F 3 0 R >> >> >>",
            size[0],
            size[1],
            5 + 2 * page
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    file_of(&objects)
}

/// An attempt as `details` list it.
pub(crate) fn attempt(provider: &str, model: &str, error: &str) -> Value {
    json!({ "provider": provider, "model": model, "error": error })
}
