//! Every setting has an effect: with another value, a command or the server behaves differently.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::fixture;
use crate::support::http::Server;
use crate::support::mcp::Client;
use crate::support::program::{Place, texts};
use crate::support::provider::Provider;
use crate::support::site::{self, Site};

/// A setting, another value of it, and a command that behaves differently with it. `PDF`, `LOCKED`, `PICTURE` and `TEXT` are
/// files, `URL` is a page on a server of this machine and `MOVED` leads there.
const COMMANDS: &[(&str, &str, &[&str])] = &[
    ("data_dir", "elsewhere", &["doctor"]),
    ("store", "postgres://nobody@127.0.0.1:1/none", &["doctor"]),
    ("output_dir", "elsewhere", &["get-file", "PDF", "--pages", "1", "--as", "path"]),
    ("password", "secret", &["info", "LOCKED"]),
    ("form", "text", &["get-file", "PDF", "--pages", "1"]),
    ("no_sandbox", "true", &["doctor"]),
    ("require_sandbox", "true", &["fetch", "URL"]),
    ("max_answer_pages", "1", &["get-file", "PDF", "--pages", "1-2"]),
    ("max_block_bytes", "10", &["get-file", "PDF", "--pages", "1"]),
    ("max_answer_bytes", "10", &["get-file", "PDF", "--pages", "1-2"]),
    ("max_text_characters", "20", &["get-file", "TEXT"]),
    ("max_text_file_bytes", "5", &["get-file", "TEXT"]),
    ("max_index_bytes", "0", &["search", "PDF", "page", "--ranked"]),
    ("max_indexed_text_bytes", "5", &["search", "PDF", "page", "--ranked"]),
    ("max_image_bytes", "5", &["get-file", "PICTURE"]),
    ("max_picture_bytes", "5", &["get-file", "PDF", "--pages", "1", "--as", "image"]),
    ("max_conversation_blocks", "0", &["get-file", "PDF", "--pages", "1", "--conversation", "c"]),
    ("max_conversation_pages", "0", &["get-file", "PDF", "--pages", "1", "--conversation", "c"]),
    ("max_conversation_bytes", "0", &["get-file", "PDF", "--pages", "1", "--conversation", "c"]),
    ("max_file_bytes", "5", &["info", "PDF"]),
    ("max_pages", "1", &["info", "PDF"]),
    ("max_page_cpu_ms", "0", &["text", "PDF"]),
    ("max_pixels", "5", &["render", "PDF", "1", "--out", "out.png"]),
    ("offline", "true", &["fetch", "URL"]),
    ("web_references", "false", &["get-file", "URL"]),
    ("web_allow_hosts", "example.com", &["fetch", "URL"]),
    ("web_deny_hosts", "localhost", &["fetch", "NAMED"]),
    ("web_allow_ranges", "10.0.0.0/8", &["fetch", "URL"]),
    ("web_deny_ranges", "127.0.0.0/8", &["fetch", "URL"]),
    ("web_ca_file", "missing.pem", &["fetch", "URL"]),
    ("web_max_bytes", "5", &["fetch", "URL"]),
    ("web_max_text_bytes", "5", &["fetch", "URL"]),
    ("web_max_redirects", "0", &["fetch", "MOVED"]),
    ("web_deadline_ms", "100", &["fetch", "LATE"]),
];

/// Settings with tests of their own: the file, and a word that the test contains.
const TESTED: &[(&str, &str, &str)] = &[
    ("store_connections", "tests/postgres.rs", "store_connections"),
    ("index", "tests/library.rs", "index=disk"),
    ("ocr_models", "tests/ocr.rs", "ocr_models"),
    ("ocr_tesseract", "tests/ocr.rs", "ocr_tesseract"),
    ("ocr_max_pages", "tests/ocr.rs", "ocr_max_pages=1"),
    ("ocr_search_ms", "tests/ocr.rs", "ocr_search_ms=0"),
    ("ocr_max_ms", "tests/ocr.rs", "ocr_max_ms=0"),
    ("ocr_language", "tests/ocr.rs", "ocr_language"),
    ("object_storage", "tests/ranges.rs", "object_storage=s3://"),
    ("max_output_days", "tests/cli.rs", "max_output_days"),
    ("max_output_bytes", "tests/setting_effects.rs", "fn bounds_that_are_set_hold_in_a_named_folder"),
    ("max_unused_days", "tests/support/scripted_store.rs", "max_holdings"),
    ("max_holdings", "tests/support/scripted_store.rs", "max_holdings"),
    ("max_stream_bytes", "tests/limits.rs", "max_stream_bytes"),
    ("max_decoded_bytes", "tests/limits.rs", "max_decoded_bytes"),
    ("max_ratio", "tests/limits.rs", "max_ratio"),
    ("max_image_pixels", "tests/pictures.rs", "max_image_pixels"),
    ("workers", "tests/worker.rs", "workers"),
    ("worker_deadline_ms", "tests/cancellation.rs", "PAGEWISE_WORKER_DEADLINE_MS"),
    ("worker_memory_bytes", "tests/hostile.rs", "PAGEWISE_WORKER_MEMORY_BYTES"),
    ("worker_cache_bytes", "tests/worker_cache.rs", "cache_bytes"),
    ("max_waiting", "tests/worker.rs", "max_waiting"),
    ("pdf_model.primary", "tests/ask/chain.rs", "PAGEWISE_PDF_MODEL_PRIMARY"),
    ("pdf_model.fallbacks", "tests/ask/chain.rs", "PAGEWISE_PDF_MODEL_FALLBACKS"),
    ("image_model.primary", "tests/ask/chain.rs", "PAGEWISE_IMAGE_MODEL_PRIMARY"),
    ("image_model.fallbacks", "tests/ask/chain.rs", "PAGEWISE_IMAGE_MODEL_FALLBACKS"),
    ("text_only_models", "tests/ask/fallback.rs", "PAGEWISE_TEXT_ONLY_MODELS"),
    ("pdf_max_bytes_mb", "tests/ask/refused.rs", "PAGEWISE_PDF_MAX_BYTES_MB"),
    ("pdf_max_pages", "tests/ask/limits.rs", "PAGEWISE_PDF_MAX_PAGES"),
    ("strict_native_pages", "tests/ask/refused.rs", "PAGEWISE_STRICT_NATIVE_PAGES"),
    ("pdf_request_bytes", "tests/ask/limits.rs", "PAGEWISE_PDF_REQUEST_BYTES"),
    ("pdf_max_text_chars", "tests/ask/fallback.rs", "PAGEWISE_PDF_MAX_TEXT_CHARS"),
    ("pdf_max_answer_bytes", "tests/ask/chain.rs", "PAGEWISE_PDF_MAX_ANSWER_BYTES"),
    ("pdf_idle_timeout_ms", "tests/ask/chain.rs", "PAGEWISE_PDF_IDLE_TIMEOUT_MS"),
    ("pdf_timeout_ms", "tests/ask/chain.rs", "PAGEWISE_PDF_TIMEOUT_MS"),
    ("pdf_max_output_tokens", "tests/setting_effects.rs", "fn questions_to_models_have_what_is_set"),
    ("pdf_image_dpi", "tests/setting_effects.rs", "fn questions_to_models_have_what_is_set"),
    ("pdf_retries", "tests/setting_effects.rs", "fn questions_to_models_have_what_is_set"),
    ("web_fresh_ms", "tests/setting_effects.rs", "fn what_was_fetched_is_fresh_for_milliseconds"),
    ("web_store_seconds", "tests/setting_effects.rs", "fn what_was_fetched_goes_when_it_is_old_or_too_much"),
    ("web_store_bytes", "tests/setting_effects.rs", "fn what_was_fetched_goes_when_it_is_old_or_too_much"),
    ("web_min_bytes_per_second", "tests/web.rs", "min_bytes_per_second"),
    ("roots", "tests/setting_effects.rs", "fn a_server_goes_by_its_settings"),
    ("client_forms", "tests/mcp.rs", "client_forms"),
    ("tools", "tests/answer_cost.rs", "fn a_server_lists_the_tools_that_it_was_told_to"),
    ("max_result_bytes", "tests/result_size.rs", "max_result_bytes"),
    ("http_tokens", "tests/http.rs", "http_tokens"),
    ("http_issuer", "tests/tokens.rs", "http_issuer"),
    ("http_audience", "tests/tokens.rs", "http_audience"),
    ("http_scopes", "tests/tokens.rs", "http_scopes"),
    ("http_max_requests_per_principal", "tests/tokens.rs", "http_max_requests_per_principal"),
    ("http_upload_storage", "tests/uploads.rs", "http_upload_storage"),
    ("http_max_upload_bytes", "tests/uploads.rs", "http_max_upload_bytes"),
    ("http_max_kept_bytes", "tests/uploads.rs", "http_max_kept_bytes"),
    ("http_upload_seconds", "tests/uploads.rs", "http_upload_seconds"),
    ("push_token", "tests/uploads.rs", "PAGEWISE_PUSH_TOKEN"),
    ("http_session_is_conversation", "tests/http.rs", "http_session_is_conversation"),
    ("log_level", "tests/http.rs", "log_level"),
    ("log_format", "tests/support/http.rs", "log_format"),
    ("http_log", "tests/http_hostile.rs", "http_log"),
    ("http_max_body_bytes", "tests/http.rs", "http_max_body_bytes"),
    ("http_max_requests", "tests/http.rs", "http_max_requests"),
    ("http_max_sessions", "tests/http.rs", "http_max_sessions"),
    ("http_read_timeout_seconds", "tests/http.rs", "http_read_timeout_seconds"),
    ("http_write_timeout_seconds", "tests/http.rs", "http_write_timeout_seconds"),
    ("http_max_header_bytes", "tests/setting_effects.rs", "fn a_head_has_at_most_the_bytes_that_are_set"),
    ("http_allowed_hosts", "tests/setting_effects.rs", "fn a_server_over_http_goes_by_its_settings"),
    ("http_allowed_origins", "tests/setting_effects.rs", "fn a_server_over_http_goes_by_its_settings"),
    ("http_max_connections", "tests/setting_effects.rs", "fn a_server_over_http_goes_by_its_settings"),
    ("http_address", "tests/support/http.rs", "--http"),
];

/// Times that a test would have to wait for. They are read like all other times.
const WAITED_FOR: &[&str] = &["http_session_idle_seconds", "http_drain_seconds"];

/// Providers whose key and address are settings.
const PROVIDERS: &[&str] =
    &["anthropic", "google", "openai", "compatible", "openrouter", "mistral", "groq", "xai", "deepseek"];

/// A folder and a web server for the commands.
struct Stage {
    place: Place,
    site: Site,
}

impl Stage {
    fn new() -> Self {
        let place = Place::new();
        place.file("text.txt", format!("{}\n", "a line of words ".repeat(4)).repeat(20));
        let site = Site::start(|asked| match asked.path.as_str() {
            "/moved" => site::to("/page"),
            "/late" => {
                std::thread::sleep(Duration::from_millis(600));
                site::ok("text/plain", "late\n")
            }
            path => site::ok("text/plain", format!("what is at {path}\n")),
        });
        Self { place, site }
    }

    fn word(&self, word: &str) -> String {
        match word {
            "PDF" => fixture("latex.pdf"),
            "LOCKED" => fixture("encrypted-password.pdf"),
            "PICTURE" => fixture("picture.png"),
            "TEXT" => "text.txt".to_owned(),
            "URL" => self.site.url("/page"),
            "MOVED" => self.site.url("/moved"),
            "LATE" => self.site.url("/late"),
            "NAMED" => format!("http://localhost:{}/page", self.site.port()),
            other => other.to_owned(),
        }
    }

    /// The exit status and output of a command with these flags, in a data folder of its own.
    fn outcome(&self, data: &str, words: &[&str], flags: &[&str]) -> (i32, String) {
        let words = words.iter().map(|word| self.word(word)).collect::<Vec<_>>();
        let mut command = self.place.command();
        command.env("PAGEWISE_DATA_DIR", self.place.path(data)).args(words).args(flags).arg("--json");
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).replace(data, "DATA");
        // Ids are made anew by each call.
        let id = printed.find("fetch_").and_then(|at| printed.get(at..at + 38)).unwrap_or("fetch_").to_owned();
        (output.status.code().unwrap(), printed.replace(&id, "ID"))
    }
}

#[test]
fn every_setting_has_a_proof_that_it_acts() {
    let (_, printed) = Place::new().json(&["--print-config"]);
    let table = printed["settings"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned());
    let endpoints = PROVIDERS.iter().flat_map(|name| [format!("{name}_api_key"), format!("{name}_base_url")]);
    let commands = COMMANDS.iter().map(|(name, ..)| (*name).to_owned());
    let tested = TESTED.iter().map(|(name, ..)| (*name).to_owned());
    let waited = WAITED_FOR.iter().map(|name| (*name).to_owned());
    let proofs = commands.chain(tested).chain(endpoints).chain(waited).collect::<BTreeSet<_>>();
    assert_eq!(proofs, table.collect::<BTreeSet<_>>(), "proofs, and the table of settings");
    for (name, file, word) in TESTED {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        let rows = format!("(\"{name}\", \"{file}\"");
        let without_rows = text.lines().filter(|line| !line.contains(&rows)).collect::<Vec<_>>().join("\n");
        assert!(without_rows.contains(word), "{file} shows nothing of {name}: {word}");
    }
}

#[test]
fn a_command_does_something_else_with_another_value() {
    let stage = Stage::new();
    for (at, (name, value, words)) in COMMANDS.iter().enumerate() {
        let usual = stage.outcome(&format!("usual{at}"), words, &[]);
        let set = stage.outcome(&format!("set{at:04}"), words, &["--set", &format!("{name}={value}")]);
        assert_ne!(usual, set, "{name} = {value} changes nothing for {words:?}");
    }
}

#[test]
fn a_value_acts_alike_from_every_source() {
    let place = Place::new();
    let pdf = fixture("latex.pdf");
    place.file("s.toml", "form = \"text\"\n");
    let given = |flags: &[&str], variable: &str| {
        let mut command = place.command();
        command.args(["get-file", &pdf, "--pages", "3"]).args(flags).env("PAGEWISE_FORM", variable);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let typed = given(&["--as", "text"], "");
    assert!(typed.contains("--- Page 3"), "{typed}");
    assert_eq!(given(&["--config", "s.toml"], ""), typed);
    assert_eq!(given(&["--set", "form=text"], ""), typed);
    assert_eq!(given(&[], "text"), typed);
    assert!(given(&["--config", "s.toml", "--as", "document"], "image").starts_with("[document]"));
    let into = place.path("out");
    let named = given(&["--config", "s.toml", "--out-dir", into.to_str().unwrap()], "");
    assert!(named.contains("out") && std::fs::read_dir(&into).unwrap().count() == 1, "{named}");
}

#[test]
fn every_provider_is_asked_where_and_with_what_is_set() {
    let place = Place::new();
    let pdf = fixture("latex.pdf");
    for name in PROVIDERS {
        let provider = Provider::start([]);
        let prefix = if matches!(*name, "anthropic" | "google") { "" } else { "/v1" };
        let address = format!("{name}_base_url={}{prefix}", provider.address());
        let (key, model) = (format!("{name}_api_key=planted-{name}"), format!("{name}/m"));
        let flags = ["ask", &pdf, "--pages", "1", "--model", &model, "--set", &address, "--set", &key];
        let run = place.run(&flags);
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        let seen = provider.seen();
        let is_key = |(_, value): &(String, String)| value.contains(&format!("planted-{name}"));
        assert!(seen[0].headers.iter().any(is_key), "{name}");
    }
}

#[test]
fn questions_to_models_have_what_is_set() {
    let place = Place::new();
    let asked = |model: &str, file: &str, set: &[&str]| {
        let provider = Provider::start([]);
        let mut command = place.command();
        command.args(["ask", &fixture(file), "--pages", "1", "--model", model]);
        command.args([
            "--set",
            &format!("anthropic_base_url={}", provider.address()),
            "--set",
            "anthropic_api_key=planted-anthropic",
        ]);
        command.args(["--set", &format!("compatible_base_url={}/v1", provider.address())]);
        for set in set {
            command.args(["--set", set]);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        provider.seen()[0].body.clone()
    };
    let body = asked("anthropic/m", "latex.pdf", &["pdf_max_output_tokens=77"]);
    assert_eq!(body["max_tokens"], json!(77));
    let drawn = |set: &[&str]| asked("compatible/m", "scan.pdf", set).to_string().len();
    assert!(drawn(&["pdf_image_dpi=20"]) < drawn(&[]));
    let refused = |retries: &str| {
        let status = crate::support::provider::Say::Status(503, &[("Retry-After", "0")], "{}".into());
        let provider = Provider::start(vec![status; 9]);
        let mut command = place.command();
        command.args(["ask", &fixture("latex.pdf"), "--pages", "1", "--model", "compatible/m"]);
        command.args(["--set", &format!("compatible_base_url={}/v1", provider.address()), "--set", retries]);
        assert!(!command.output().unwrap().status.success());
        provider.seen().len()
    };
    assert_eq!([refused("pdf_retries=0"), refused("pdf_retries=1")], [1, 2]);
}

#[test]
fn what_was_fetched_is_fresh_for_milliseconds() {
    let stage = Stage::new();
    let url = stage.site.url("/page");
    let fetch = |fresh: &str| {
        assert_eq!(stage.place.run(&["fetch", &url, "--set", fresh]).status, 0);
        stage.site.count("/page")
    };
    // A minute less one millisecond is no whole number of seconds.
    assert_eq!([fetch("web_fresh_ms=59999"), fetch("web_fresh_ms=59999")], [1, 1]);
    let short = |place: &Place| {
        let before = stage.site.count("/page");
        assert_eq!(place.run(&["fetch", &url, "--set", "web_fresh_ms=1"]).status, 0);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(place.run(&["fetch", &url, "--set", "web_fresh_ms=1"]).status, 0);
        stage.site.count("/page") - before
    };
    assert_eq!(short(&Place::new()), 2);
}

/// Sets the times of all files in a folder back by an hour.
fn age(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            age(&entry.path());
        } else {
            let file = std::fs::File::options().append(true).open(entry.path()).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
        }
    }
}

#[test]
fn what_was_fetched_goes_when_it_is_old_or_too_much() {
    let stage = Stage::new();
    let id = || {
        let (_, answer) = stage.place.json(&["fetch", &stage.site.url("/page")]);
        let printed = answer.to_string();
        let at = printed.find("fetch_").unwrap();
        printed.get(at..at + 38).unwrap().to_owned()
    };
    let kept = |id: &str, set: &str| stage.place.run(&["content", id, "--set", set]).status == 0;
    let first = id();
    age(&stage.place.path("data/fetched"));
    assert!(!kept(&first, "web_store_seconds=60"));
    assert!(kept(&first, "web_store_seconds=7200"));
    age(&stage.place.path("data/fetched"));
    let fetched = stage.place.run(&["fetch", &stage.site.url("/other"), "--set", "web_store_bytes=0"]);
    assert_eq!(fetched.status, 0, "{}", fetched.stderr);
    assert!(!kept(&first, "web_store_bytes=1000000"));
}

#[test]
fn bounds_that_are_set_hold_in_a_named_folder() {
    let place = Place::new();
    let folder = place.path("out");
    let pdf = fixture("latex.pdf");
    let pages = |page: &str, flags: &[&str]| {
        let arguments = ["get-file", &pdf, "--pages", page, "--out-dir", folder.to_str().unwrap()];
        assert_eq!(place.run(&[&arguments[..], flags].concat()).status, 0);
        std::fs::read_dir(&folder).unwrap().count()
    };
    assert_eq!(pages("1", &[]), 1);
    age(&folder);
    assert_eq!(pages("2", &[]), 2, "the folder is its user's");
    age(&folder);
    assert_eq!(pages("3", &["--set", "max_output_bytes=1"]), 1, "but for what its user says");
}

#[test]
fn a_server_goes_by_its_settings() {
    let place = Place::new();
    place.file("s.toml", format!("roots = [{:?}]\npassword = \"secret\"\nform = \"text\"\n", root()));
    let mut client = Client::start_with(&place, &["--config", "s.toml"], "tester", json!({}));
    let locked = fixture("encrypted-password.pdf");
    let page = client.call("get_file", json!({ "filePath": locked, "pages": "1" }));
    assert!(texts(&page).join("\n").contains("--- Page 1"), "{page}");
    let text = client.call("pdf_extract_text", json!({ "path": locked }));
    assert_ne!(text["isError"], json!(true), "{text}");
    let wrong = client.call("pdf_info", json!({ "path": locked, "password": "other" }));
    assert!(texts(&wrong)[0].contains("the password is wrong"), "{wrong}");
    // A document that wants no password does not mind one.
    let open = client.call("pdf_info", json!({ "path": fixture("latex.pdf") }));
    assert_ne!(open["isError"], json!(true), "{open}");
    let mut plain = Client::start(&place, "tester");
    let outside = plain.call("pdf_info", json!({ "path": locked }));
    assert!(texts(&outside)[0].starts_with("Path not allowed"), "{outside}");
}

fn root() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures").to_owned()
}

#[test]
fn a_head_has_at_most_the_bytes_that_are_set() {
    let place = Place::new();
    let server = Server::start(&place, &["--set", "http_max_header_bytes=1000"]);
    // The line, the host and what else the client of the tests sends are counted with it.
    let with = |bytes: usize| server.request("GET", "/healthz", &[("X-Padding", &"x".repeat(bytes))], b"");
    let status = |bytes| with(bytes).status;
    let least = (0..1_000).find(|bytes| status(*bytes) != 200).unwrap();
    assert!(least > 800, "{least}");
    assert_eq!([status(least - 1), status(least), status(5_000)], [200, 431, 431]);
    assert!(with(least).text().contains("larger than 1000 bytes (http_max_header_bytes)"));
}

#[test]
fn a_server_over_http_goes_by_its_settings() {
    let place = Place::new();
    let sets = ["http_allowed_hosts=proxy.example", "http_allowed_origins=https://app.example:443"];
    let flags = sets.iter().flat_map(|set| ["--set", *set]).collect::<Vec<_>>();
    let (usual, server) = (Server::start(&place, &[]), Server::start(&place, &flags));
    let head = |server: &Server, host: &str, origin: &str| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        server.raw(request.as_bytes()).unwrap().status
    };
    let origin = "Origin: https://app.example:443\r\n";
    assert_eq!([&usual, &server].map(|server| head(server, "proxy.example", "") == 403), [true, false]);
    assert_eq!([&usual, &server].map(|server| head(server, "127.0.0.1", origin) == 403), [true, false]);
    let narrow = Server::start(&place, &["--set", "http_max_connections=1"]);
    // Connections are taken in their order.
    let _held = narrow.connect();
    assert!(narrow.raw(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").is_none());
}

#[test]
fn a_blank_conversation_is_none_on_every_door() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &[]);
    let session = crate::support::http::Session::start(&server, "tester");
    let mut client = Client::start(&place, "tester");
    for blank in ["", " ", "\t"] {
        let arguments = || json!({ "filePath": pdf, "pages": "1", "as": "text", "conversation": blank, "force": true });
        let answers: [(&str, Value); 3] = [
            ("stdio", client.call("get_file", arguments())),
            ("session", session.call("get_file", arguments())),
            ("stateless", server.call("tester", "get_file", arguments(), &[])),
        ];
        for (door, answer) in answers {
            assert!(texts(&answer).join("\n").contains("--- Page 1"), "{door}: {answer}");
        }
        for command in [&["get-file", &pdf, "--pages", "1"][..], &["info", &pdf], &["search", &pdf, "the"]] {
            let run = place.run(&[command, &["--conversation", blank]].concat());
            assert_eq!(run.status, 0, "{command:?}: {}", run.stderr);
        }
        let (status, refusal) = place.json(&["context", "status", "--conversation", blank]);
        assert_eq!((status, &refusal["error"]["message"]), (1, &json!("Parameter '--conversation' is required")));
    }
}
