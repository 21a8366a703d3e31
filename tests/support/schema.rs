//! What the providers publish about requests: fields, types, sizes, order. Written from their references.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pagewise_base::limits::Limits;
use pagewise_document::Document;
use serde_json::Value;

use super::provider::{Protocol, Seen};

/// The rules that a request breaks.
pub(crate) fn violations(protocol: Option<Protocol>, seen: &Seen) -> Vec<String> {
    let mut rules = Rules { found: Vec::new() };
    let header = |name: &str| seen.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
    rules.check(header("content-type") == "application/json", "the content type is application/json");
    rules.check(seen.body.is_object(), "the body is a JSON object");
    rules.check(!seen.path.contains("planted"), "no key is in a URL");
    match protocol {
        None => rules.check(false, &format!("there is no path {}", seen.path)),
        Some(Protocol::Messages) => {
            rules.check(header("x-api-key").starts_with("planted-"), "x-api-key holds the key");
            rules.check(header("anthropic-version") == "2023-06-01", "anthropic-version is a known one");
            rules.check(seen.length <= 32_000_000, "a request has at most 32 MB");
            rules.messages(&seen.body);
        }
        Some(Protocol::GenerateContent) => {
            rules.check(header("x-goog-api-key").starts_with("planted-"), "x-goog-api-key holds the key");
            rules.check(seen.length <= 50_000_000, "a request has at most 50 MB");
            rules.generate_content(&seen.body);
        }
        Some(Protocol::Responses) => {
            rules.check(header("authorization").starts_with("Bearer planted-"), "authorization holds the key");
            rules.check(seen.length <= 50_000_000, "a request has at most 50 MB");
            rules.responses(&seen.body);
        }
        Some(Protocol::Chat) => rules.chat(&seen.body),
    }
    rules.found
}

struct Rules {
    found: Vec<String>,
}

impl Rules {
    fn check(&mut self, holds: bool, rule: &str) {
        if !holds {
            self.found.push(rule.to_owned());
        }
    }

    /// Refuses fields that the object may not have, and wants those that it must have.
    fn fields(&mut self, value: &Value, needed: &[&str], allowed: &[&str]) {
        let Some(object) = value.as_object() else { return self.check(false, &format!("an object, not {value}")) };
        for name in needed {
            self.check(object.contains_key(*name), &format!("{name} is needed in {:?}", object.keys()));
        }
        for name in object.keys() {
            let known = needed.contains(&name.as_str()) || allowed.contains(&name.as_str());
            self.check(known, &format!("{name} is not known"));
        }
    }

    fn text(&mut self, value: &Value, what: &str) {
        self.check(value.as_str().is_some_and(|text| !text.trim().is_empty()), &format!("{what} is a text"));
    }

    /// One user's turn; its content.
    fn turn<'a>(&mut self, turns: &'a Value, content: &str) -> &'a [Value] {
        let turns = turns.as_array().map_or(&[][..], Vec::as_slice);
        self.check(turns.len() == 1, "there is one turn");
        let Some(turn) = turns.first() else { return &[] };
        self.fields(turn, &["role", content], &[]);
        self.check(turn["role"] == "user", "it is the user's");
        let content = turn[content].as_array().map_or(&[][..], Vec::as_slice);
        self.check(!content.is_empty(), "it has content");
        content
    }

    fn pdf(&mut self, data: &Value) -> u32 {
        let bytes = data.as_str().and_then(|data| STANDARD.decode(data).ok()).unwrap_or_default();
        self.check(bytes.starts_with(b"%PDF-"), "a PDF in base64");
        match Document::open(Arc::new(bytes), None, &Limits::default()) {
            Ok(document) => {
                self.check(!document.info().encrypted, "no encrypted PDF");
                document.page_count()
            }
            Err(error) => {
                self.check(false, &format!("a PDF that can be read: {error}"));
                0
            }
        }
    }

    fn png(&mut self, data: &Value, max_bytes: usize) {
        let bytes = data.as_str().and_then(|data| STANDARD.decode(data).ok()).unwrap_or_default();
        self.check(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "a PNG in base64");
        self.check(bytes.len() <= max_bytes, "a picture within its bound");
    }

    fn data_url(&mut self, value: &Value, mime_type: &str) -> Value {
        let data = value.as_str().and_then(|url| url.strip_prefix(&format!("data:{mime_type};base64,")));
        self.check(data.is_some(), &format!("a data URL of {mime_type}"));
        Value::from(data.unwrap_or_default())
    }

    fn messages(&mut self, body: &Value) {
        self.fields(body, &["model", "max_tokens", "messages"], &["stream", "system", "temperature", "metadata"]);
        self.text(&body["model"], "model");
        self.check(body["max_tokens"].as_u64().is_some_and(|count| count >= 1), "max_tokens is 1 or more");
        self.check(body["stream"].is_boolean(), "stream is true or false");
        let content = self.turn(&body["messages"], "content");
        let (mut pages, mut blocks, mut marks) = (0, 0, 0);
        for block in content {
            marks += u32::from(block.get("cache_control").is_some());
            if let Some(mark) = block.get("cache_control") {
                self.check(mark["type"] == "ephemeral", "cache_control is ephemeral");
            }
            match block["type"].as_str() {
                Some("text") => {
                    self.fields(block, &["type", "text"], &["cache_control", "citations"]);
                    self.text(&block["text"], "text");
                }
                Some(kind @ ("document" | "image")) => {
                    let allowed: &[&str] = if kind == "document" {
                        &["cache_control", "title", "context", "citations"]
                    } else {
                        &["cache_control"]
                    };
                    self.fields(block, &["type", "source"], allowed);
                    self.fields(&block["source"], &["type", "media_type", "data"], &[]);
                    self.check(block["source"]["type"] == "base64", "a source of base64");
                    blocks += 1;
                    if kind == "document" {
                        self.check(block["source"]["media_type"] == "application/pdf", "a document is a PDF");
                        self.check(block["title"].as_str().is_none_or(|title| title.len() <= 500), "a short title");
                        pages += self.pdf(&block["source"]["data"]);
                    } else {
                        self.png(&block["source"]["data"], 5 << 20);
                    }
                }
                other => self.check(false, &format!("no block is of type {other:?}")),
            }
        }
        self.check(content.last().is_some_and(|block| block["type"] == "text"), "the prompt is last");
        self.check(marks <= 4, "at most four marks for the cache");
        let is_large = |model: &str| model.contains("sonnet-4-6") || model.contains("opus-5");
        let most = if body["model"].as_str().is_some_and(is_large) { 600 } else { 100 };
        self.check(blocks <= most, "at most 600 documents and pictures, 100 for some models");
        self.check(pages <= most, "at most 600 pages, 100 for some models");
    }

    fn generate_content(&mut self, body: &Value) {
        self.fields(body, &["contents"], &["generationConfig", "systemInstruction"]);
        let parts = self.turn(&body["contents"], "parts");
        for part in parts {
            self.check(part.as_object().is_some_and(|part| part.len() == 1), "a part has one kind of data");
            if part.get("text").is_some() {
                self.text(&part["text"], "text");
                continue;
            }
            self.fields(&part["inlineData"], &["mimeType", "data"], &[]);
            match part["inlineData"]["mimeType"].as_str() {
                Some("application/pdf") => {
                    let pages = self.pdf(&part["inlineData"]["data"]);
                    self.check(pages <= 1_000, "at most 1,000 pages a PDF");
                }
                Some("image/png") => self.png(&part["inlineData"]["data"], usize::MAX),
                other => self.check(false, &format!("no data is of type {other:?}")),
            }
        }
        self.check(parts.last().is_some_and(|part| part.get("text").is_some()), "the prompt is last");
    }

    fn responses(&mut self, body: &Value) {
        self.fields(body, &["model", "input"], &["stream", "store", "prompt_cache_key", "max_output_tokens"]);
        self.text(&body["model"], "model");
        self.check(body["store"].as_bool() == Some(false), "nothing is to be stored");
        self.check(body["prompt_cache_key"].as_str().is_none_or(|key| key.len() <= 64), "a key of 64 at most");
        let content = self.turn(&body["input"], "content");
        for item in content {
            match item["type"].as_str() {
                Some("input_text") => {
                    self.fields(item, &["type", "text"], &[]);
                    self.text(&item["text"], "text");
                }
                Some("input_file") => {
                    self.fields(item, &["type", "filename", "file_data"], &["detail"]);
                    let name = item["filename"].as_str().unwrap_or_default();
                    self.check(name.ends_with(".pdf"), "a file has the name of a PDF");
                    let data = self.data_url(&item["file_data"], "application/pdf");
                    self.pdf(&data);
                }
                other => self.check(false, &format!("no content is of type {other:?}")),
            }
        }
        self.check(content.last().is_some_and(|item| item["type"] == "input_text"), "the prompt is last");
    }

    fn chat(&mut self, body: &Value) {
        self.fields(body, &["model", "messages"], &["stream", "stream_options"]);
        self.text(&body["model"], "model");
        let options = body.get("stream_options").is_some();
        self.check(!options || body["stream"] == true, "stream_options only with stream");
        let content = self.turn(&body["messages"], "content");
        for part in content {
            match part["type"].as_str() {
                Some("text") => {
                    self.fields(part, &["type", "text"], &[]);
                    self.text(&part["text"], "text");
                }
                Some("image_url") => {
                    self.fields(part, &["type", "image_url"], &[]);
                    self.fields(&part["image_url"], &["url"], &["detail"]);
                    let data = self.data_url(&part["image_url"]["url"], "image/png");
                    self.png(&data, 20 << 20);
                }
                other => self.check(false, &format!("no part is of type {other:?}")),
            }
        }
        self.check(content.last().is_some_and(|part| part["type"] == "text"), "the prompt is last");
    }
}
