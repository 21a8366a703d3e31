//! The page that shows what conversations hold: its data, who sees it, and what it refuses.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use pagewise::context::AnswerSettings;
use pagewise::inspect::{ChangeWatch, InspectAnswer, Inspector, Viewer};
use pagewise::tool::ErrorCode;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_store::{MemoryStore, ViewStore};
use pagewise_view::{ConversationId, DeliveryRecord, FileKey, HeldItem, Holding, Principal};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::context_bench::{Bench, pages};
use crate::support::http::{Response, Server, read_response};
use crate::support::program::Place;
use crate::support::scripted_store::{Changes as _, Hooked, Side, disk_full};
use crate::support::{PATIENCE, small_pdf};

const CALLS: [&str; 9] = ["conversation", "file", "page", "picture", "search", "compare", "versions", "forget", "fork"];

fn seconds(moment: SystemTime) -> u64 {
    moment.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

/// An agent and an inspector over the same files and the same store.
struct World {
    folder: Arc<TempDir>,
    store: Arc<dyn ViewStore>,
    agent: Bench,
    inspector: Inspector,
}

impl World {
    fn new() -> Self {
        Self::over(Arc::new(MemoryStore::new()))
    }

    fn over(store: Arc<dyn ViewStore>) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let bench = || Bench::over(Arc::clone(&folder), Arc::clone(&store), AnswerSettings::default());
        let (agent, inspector) = (bench(), Inspector::new(Arc::new(bench().context)));
        Self { folder, store, agent, inspector }
    }

    fn call_as(&self, viewer: Viewer, name: &str, arguments: Value) -> Result<Value, (ErrorCode, String)> {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let answer = self.inspector.answer(name, &viewer, &arguments, &Cancellation::new());
        match answer.unwrap_or_else(|| panic!("no call {name}")) {
            Ok(InspectAnswer::Data(data)) => Ok(data),
            Ok(InspectAnswer::Picture(png)) => Ok(json!(png.len())),
            Err(error) => Err((error.code, error.message)),
        }
    }

    fn call(&self, name: &str, arguments: Value) -> Value {
        self.call_as(Viewer::StoreOwner, name, arguments).unwrap()
    }

    fn conversation(&self) -> Value {
        self.call("conversation", json!({ "id": "c" }))
    }

    /// The key of the file whose path ends so.
    fn key(&self, name: &str) -> String {
        let files = self.conversation()["files"].as_array().unwrap().clone();
        let found = files.iter().find(|file| file["path"].as_str().unwrap().ends_with(name));
        found.unwrap()["key"].as_str().unwrap().to_owned()
    }

    fn file(&self, name: &str) -> Value {
        self.call("file", json!({ "id": "c", "key": self.key(name) }))
    }
}

#[test]
fn a_file_shows_which_pages_were_given_in_which_form_and_what_became_of_them() {
    let world = World::new();
    world.agent.pdf("a.pdf", &["one", "two", "three", "four"]);
    world.agent.given("a.pdf", pages("1-2"));
    world.agent.given("a.pdf", pages("4"));
    let file = world.file("a.pdf");
    assert_eq!((&file["state"], &file["pages"]), (&json!("same"), &json!(4)));
    let marks = file["marks"].as_array().unwrap();
    let marks: Vec<_> = marks.iter().map(|mark| json!(mark.as_array().unwrap()[..4])).collect();
    assert_eq!(marks, [json!([1, 2, "document", 1]), json!([4, 4, "document", 2])]);
    let (now, given) = (seconds(SystemTime::now()), file["marks"][0][4].as_u64().unwrap());
    assert!((now - 100..=now).contains(&given), "{given}");
    world.agent.pdf("a.pdf", &["zero", "one", "other", "three", "four"]);
    let file = world.file("a.pdf");
    assert_eq!((&file["state"], &file["pages"]), (&json!("changed"), &json!(5)));
    assert_eq!(file["moved"], json!([[1, 2], [4, 5]]));
    assert_eq!(file["changed"], json!("3"));
    std::fs::remove_file(world.folder.path().join("a.pdf")).unwrap();
    let file = world.file("a.pdf");
    assert_eq!((&file["state"], &file["pages"]), (&json!("gone"), &json!(0)));
    assert_eq!(world.conversation()["files"][0]["forms"], json!({ "document": "1-2,4" }), "what was given stays");
}

#[test]
fn a_page_is_read_searched_and_compared_as_it_is_now() {
    let world = World::new();
    world.agent.pdf("a.pdf", &["the budget is four", "mute"]);
    world.agent.pdf("b.pdf", &["the budget is five"]);
    world.agent.given("a.pdf", pages("1"));
    world.agent.given("b.pdf", pages("1"));
    let (a, b) = (world.key("a.pdf"), world.key("b.pdf"));
    let page = world.call("page", json!({ "id": "c", "key": a, "page": 1 }));
    assert_eq!(page["text"], json!("The text of the budget is four"));
    assert_eq!(page["cost"]["document"]["size"], json!(24), "18 bytes in base64");
    let found = world.call("search", json!({ "id": "c", "key": a, "q": "BUDGET" }));
    assert_eq!(found["hits"][0]["parts"][1], json!(["budget", true]));
    let other = json!({ "id": "c", "key": a, "page": 1, "otherKey": b, "otherPage": 1 });
    let compared = world.call("compare", other);
    assert_eq!(compared["left"][1], json!(["four", true]));
    assert_eq!(compared["right"][1], json!(["five", true]));
    for page in [json!(0), json!(3), json!("1"), json!(-1), json!(1e40)] {
        let refused = world.call_as(Viewer::StoreOwner, "page", json!({ "id": "c", "key": a, "page": page }));
        assert!(refused.is_err_and(|(code, _)| code.is_refusal()), "{page}");
    }
}

#[test]
fn a_file_is_compared_with_another_as_with_its_earlier_version() {
    let world = World::new();
    world.agent.pdf("old.pdf", &["title", "the budget is four", "end"]);
    world.agent.pdf("new.pdf", &["title", "the budget is five", "annex", "end"]);
    world.agent.given("old.pdf", pages("1"));
    world.agent.given("new.pdf", pages("1"));
    let (old, new) = (world.key("old.pdf"), world.key("new.pdf"));
    let found = world.call("versions", json!({ "id": "c", "key": new, "otherKey": old }));
    assert_eq!((&found["unchanged"], &found["moved"]), (&json!("1"), &json!("page 3 is now page 4")), "{found}");
    let word = &found["changed"][0]["words"][0];
    assert_eq!((&found["changed"][0]["page"], &word["old"], &word["new"]), (&json!(2), &json!("four"), &json!("five")));
    assert_eq!(found["added"], "3");
    // What the conversation does not hold is not compared.
    world.agent.pdf("secret.pdf", &["one"]);
    let secret = FileKey::of(&world.folder.path().canonicalize().unwrap().join("secret.pdf")).to_string();
    for (key, other) in [(&secret, &old), (&new, &secret)] {
        let arguments = json!({ "id": "c", "key": key, "otherKey": other });
        assert_eq!(world.call_as(Viewer::StoreOwner, "versions", arguments).unwrap_err().0, ErrorCode::FileNotFound);
    }
}

#[test]
fn pages_files_and_all_are_forgotten_and_a_fork_keeps_what_was_held_before() {
    let world = World::new();
    world.agent.pdf("a.pdf", &["one", "two"]);
    world.agent.given("a.pdf", pages("1"));
    world.agent.given("a.pdf", pages("2"));
    let fork = world.call("fork", json!({ "id": "c", "point": 1 }));
    world.call("forget", json!({ "id": "c", "key": world.key("a.pdf"), "pages": "2" }));
    assert_eq!(world.conversation()["files"][0]["forms"], json!({ "document": "1" }));
    assert_eq!(world.file("a.pdf")["forgotten"], "2");
    world.agent.given("a.pdf", pages("2"));
    assert_eq!(world.file("a.pdf")["forgotten"], "", "it was given again");
    world.call("forget", json!({ "id": "c" }));
    let files = world.conversation()["files"].clone();
    assert_eq!((files.as_array().unwrap().len(), &files[0]["type"]), (1, &json!("forgotten")));
    assert_eq!(world.file("a.pdf")["forgotten"], "1-2");
    let forked = world.call("conversation", json!({ "id": fork["id"] }));
    assert_eq!(forked["files"][0]["forms"], json!({ "document": "1" }));
    for pages in ["label:iv", "section:One", "0", "x"] {
        world.agent.given("a.pdf", self::pages("1"));
        let arguments = json!({ "id": "c", "key": world.key("a.pdf"), "pages": pages });
        let refused = world.call_as(Viewer::StoreOwner, "forget", arguments).unwrap_err();
        assert_eq!(refused.0, ErrorCode::ValidationError, "{pages}");
    }
}

#[test]
fn the_history_tells_what_each_step_cost() {
    let world = World::new();
    world.agent.pdf("a.pdf", &["one", "two"]);
    world.agent.given("a.pdf", pages("1"));
    world.call("forget", json!({ "id": "c", "key": world.key("a.pdf"), "pages": "1" }));
    world.agent.given("a.pdf", pages("1-2"));
    world.call("forget", json!({ "id": "c" }));
    let history = world.conversation()["history"].clone();
    let steps: Vec<_> = history.as_array().unwrap().iter().map(|step| (&step["kind"], &step["blocks"])).collect();
    let expected = [("given", 1), ("forgotten", 0), ("given", 2), ("emptied", 0)];
    let expected = expected.map(|(kind, blocks)| (json!(kind), json!(blocks)));
    assert_eq!(steps, expected.iter().map(|(kind, blocks)| (kind, blocks)).collect::<Vec<_>>());
    let fork = world.call("fork", json!({ "id": "c", "point": 1 }));
    let forked = world.call("conversation", json!({ "id": fork["id"] }));
    assert_eq!(forked["history"].as_array().unwrap().len(), 1);
}

#[test]
fn a_principal_sees_its_own_conversations_and_files_only() {
    let world = World::new();
    let (one, two) = (Principal::of("one"), Principal::of("two"));
    world.store.create(&"c".parse().unwrap(), Some(&one), SystemTime::now()).unwrap();
    world.agent.pdf("a.pdf", &["one"]);
    world.agent.given("a.pdf", pages("1"));
    let mut arguments = json!({ "id": "c", "key": world.key("a.pdf"), "page": 1, "q": "one" });
    arguments["otherKey"] = arguments["key"].clone();
    arguments["otherPage"] = json!(1);
    let seen = |viewer| world.call_as(viewer, "conversations", json!({})).unwrap()["total"].clone();
    let viewers = [Viewer::StoreOwner, Viewer::Principal(one), Viewer::Principal(two)];
    assert_eq!(viewers.map(seen), [1, 1, 0].map(|count| json!(count)));
    for name in CALLS {
        let foreign = world.call_as(Viewer::Principal(two), name, arguments.clone()).unwrap_err();
        let unknown = json!({ "id": "nobody", "key": arguments["key"], "page": 1, "q": "one" });
        assert_eq!(Err(foreign), world.call_as(Viewer::Principal(two), name, unknown), "{name}");
    }
    assert!(world.call_as(Viewer::Principal(one), "page", arguments.clone()).is_ok());
    // A file that the conversation was never given is no file of it, whatever its key.
    arguments["key"] = json!(FileKey::of(std::path::Path::new("/etc/hostname")).to_string());
    for name in ["file", "page", "picture", "search"] {
        let refused = world.call_as(Viewer::StoreOwner, name, arguments.clone()).unwrap_err();
        assert_eq!(refused.0, ErrorCode::FileNotFound, "{name}");
    }
}

fn named(path: &str) -> DeliveryRecord {
    let (content, file) = (ContentHash([1; 32]), FileKey::of(std::path::Path::new(path)));
    let holdings = vec![Holding { content, file, what: HeldItem::Binary }];
    DeliveryRecord { holdings, names: BTreeMap::from([(file, path.to_owned())]), ..DeliveryRecord::default() }
}

#[test]
fn names_are_given_as_they_are_and_files_of_a_long_list_are_counted() {
    let world = World::new();
    let c: ConversationId = "c".parse().unwrap();
    let hostile = ["/<img src=x onerror=alert(1)>.pdf".to_owned(), "/a\u{202e}fdp.exe".into(), "x".repeat(10_000)];
    for path in &hostile {
        world.store.record(&c, &named(path), SystemTime::now()).unwrap();
    }
    let files = world.conversation()["files"].clone();
    let paths: Vec<_> = files.as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, hostile.iter().rev().map(String::as_str).collect::<Vec<_>>());
    let many: Vec<_> = (0..2_000).map(|at| (c.clone(), named(&format!("/{at}.pdf")))).collect();
    world.store.record_all(&many, SystemTime::now()).unwrap();
    assert_eq!(world.conversation()["more"], json!(3));
}

#[test]
fn a_conversation_is_named_by_its_folder_and_first_file() {
    let world = World::new();
    for name in ["a.pdf", "b.pdf"] {
        world.agent.pdf(name, &["one"]);
        world.agent.ask(name, |request| request.client = Some("an agent".to_owned())).delivery.commit().unwrap();
    }
    let title = world.call("conversations", json!({}))["conversations"][0]["title"].clone();
    let folder = world.folder.path().file_name().unwrap().display();
    assert_eq!(title, format!("an agent · {folder} · a.pdf"));
}

#[test]
fn a_web_page_s_file_is_not_fetched() {
    let world = World::new();
    let path = "https://pages.invalid/a.pdf";
    world.store.record(&"c".parse().unwrap(), &named(path), SystemTime::now()).unwrap();
    assert_eq!(world.file("a.pdf")["state"], "remote");
    for name in ["page", "picture", "search"] {
        let arguments = json!({ "id": "c", "key": world.key("a.pdf"), "page": 1, "q": "one" });
        let refused = world.call_as(Viewer::StoreOwner, name, arguments).unwrap_err();
        assert_eq!(refused.0, ErrorCode::FileNotFound, "{name}");
    }
}

#[test]
fn a_store_that_fails_is_an_error_of_every_call() {
    let broken = Arc::new(Mutex::new(false));
    let fails = Arc::clone(&broken);
    let hook = move |_: &'static str, side| {
        if side == Side::Before && *fails.lock().unwrap() { Err(disk_full()) } else { Ok(()) }
    };
    let world = World::over(Arc::new(Hooked::new(Arc::new(MemoryStore::new()), hook)));
    world.agent.pdf("a.pdf", &["one"]);
    world.agent.given("a.pdf", pages("1"));
    let key = world.key("a.pdf");
    let arguments =
        json!({ "id": "c", "key": key, "page": 1, "q": "one", "otherKey": key, "otherPage": 1, "pages": "1" });
    *broken.lock().unwrap() = true;
    for name in CALLS.iter().chain(&["conversations"]) {
        let failed = world.call_as(Viewer::StoreOwner, name, arguments.clone()).unwrap_err();
        assert_eq!(failed.0, ErrorCode::StoreFailed, "{name}");
    }
    *broken.lock().unwrap() = false;
    assert!(world.call_as(Viewer::StoreOwner, "file", arguments).is_ok());
}

#[test]
fn a_watch_names_the_conversations_that_changed() {
    let world = World::new();
    world.agent.pdf("a.pdf", &["one", "two"]);
    world.agent.given("a.pdf", pages("1"));
    let mut watch = ChangeWatch::new(world.inspector.clone(), Viewer::StoreOwner);
    let mut poll = || watch.poll().unwrap();
    assert!(poll().is_empty() && poll().is_empty());
    world.agent.given("a.pdf", pages("2"));
    assert_eq!(poll(), ["c"]);
    let fork = world.call("fork", json!({ "id": "c" }))["id"].as_str().unwrap().to_owned();
    assert_eq!(poll(), [fork]);
    assert!(poll().is_empty());
}

/// `pagewise inspect`, and the address that it printed.
struct Shown {
    child: Child,
    address: String,
    token: String,
}

impl Shown {
    fn start(place: &Place) -> Self {
        Self::of(place.command().args(["inspect", "--no-open", "--no-sandbox"]))
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
        let (address, token) = rest.split_once("/inspect?token=").unwrap();
        Self { address: address.to_owned(), token: token.to_owned(), child }
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        request(&self.address, method, path, headers, body)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_address_is_printed_where_no_browser_can_be_started() {
    use std::os::unix::fs::PermissionsExt as _;
    let (place, programs) = (Place::new(), tempfile::tempdir().unwrap());
    let opener = programs.path().join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\nexit 3\n").unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let shown = Shown::of(place.command().args(["inspect", "--no-sandbox"]).env("PATH", programs.path()));
    assert!(!shown.token.is_empty());
}

fn request(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    use std::io::Write as _;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    if !given("Host") {
        head += &format!("Host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    read_response(&mut BufReader::new(stream)).unwrap()
}

/// The cookie that a response sets, as a request shows it.
fn cookie(response: &Response) -> String {
    let set = response.header("set-cookie").unwrap_or_else(|| panic!("{response:?}"));
    assert!(
        set.contains("; HttpOnly") && set.contains("; SameSite=Strict") && set.contains("; Path=/inspect"),
        "{set}"
    );
    set.split(';').next().unwrap().to_owned()
}

const CALL: (&str, &str) = ("X-Pagewise-Inspect", "1");

#[test]
fn the_printed_address_opens_the_page_once_and_its_cookie_shows_all_conversations() {
    let place = Place::new();
    place.file("three.pdf", small_pdf(3));
    place.run(&["get-file", "three.pdf", "--pages", "2", "--as", "document", "--conversation", "review", "--json"]);
    let shown = Shown::start(&place);
    let closed = shown.request("POST", "/inspect/api/conversations", &[CALL], "{}");
    assert_eq!(closed.status, 401);
    let guess = shown.request("GET", "/inspect?token=0123", &[], "");
    assert_eq!(guess.header("set-cookie"), None);
    let opened = shown.request("GET", &format!("/inspect?token={}", shown.token), &[], "");
    assert!(opened.status == 200 && opened.text().contains("<title>pagewise</title>"), "{opened:?}");
    let policy = opened.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    let cookie = cookie(&opened);
    let again = shown.request("GET", &format!("/inspect?token={}", shown.token), &[], "");
    assert_eq!(again.header("set-cookie"), None, "a token is good for one browser");
    let known = ("Cookie", cookie.as_str());
    let call = |name: &str, arguments: Value, headers: &[(&str, &str)]| {
        shown.request("POST", &format!("/inspect/api/{name}"), headers, &arguments.to_string())
    };
    let all = call("conversations", json!({}), &[known, CALL]).json().unwrap();
    assert_eq!(all["conversations"][0]["id"], "review");
    let one = call("conversation", json!({ "id": "review" }), &[known, CALL]).json().unwrap();
    let key = one["files"][0]["key"].as_str().unwrap();
    let wanted = json!({ "id": "review", "key": key, "page": 2, "width": 60 });
    let picture = call("picture", wanted.clone(), &[known, CALL]);
    assert!(picture.body.starts_with(b"\x89PNG"), "{picture:?}");
    assert_eq!(picture.header("cache-control"), Some("no-store"), "content is not kept");
    // "review" in hexadecimal digits.
    let document = shown.request("GET", &format!("/inspect/document/726576696577/{key}"), &[known], "");
    assert!(document.body.starts_with(b"%PDF-"), "{document:?}");
    // What a page of another site can send is refused, and so is another host.
    let header = |name, value| [known, CALL, (name, value)];
    assert_eq!(call("forget", json!({ "id": "review" }), &[known]).status, 403);
    assert_eq!(call("picture", wanted.clone(), &header("Sec-Fetch-Site", "cross-site")).status, 403);
    assert_eq!(call("picture", wanted, &header("Host", "rebound.example")).status, 403);
    assert_eq!(call("nothing", json!({}), &[known, CALL]).status, 404);
    assert_eq!(shown.request("POST", "/inspect/api/forget", &[known, CALL], "[]").status, 400);
    assert_eq!(shown.request("POST", "/mcp", &[known], "{}").status, 404, "the page alone is served");
}

#[test]
fn a_server_shows_each_token_its_own_conversations() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let server = Server::start(&place, &["--set", "http_tokens=one,two"]);
    let bearer = [("Authorization", "Bearer one")];
    server.call("opencode", "get_file", json!({ "filePath": pdf, "pdfPage": 0 }), &bearer);
    let stranger = request(&server.address, "POST", "/inspect/api/conversations", &[CALL], "{}");
    assert_eq!((stranger.status, &stranger.json().unwrap()["signIn"]), (401, &json!(true)));
    let sign_in = |headers: &[(&str, &str)]| request(&server.address, "POST", "/inspect/api/sign-in", headers, "");
    assert_eq!(sign_in(&[CALL, ("Authorization", "Bearer three")]).status, 401);
    assert_eq!(sign_in(&[("Authorization", "Bearer one")]).status, 401, "a form can send no such header");
    let total = |token: &str| {
        let cookie = cookie(&sign_in(&[CALL, ("Authorization", &format!("Bearer {token}"))]));
        assert!(!cookie.contains(token));
        let shown = [CALL, ("Cookie", cookie.as_str())];
        request(&server.address, "POST", "/inspect/api/conversations", &shown, "{}").json().unwrap()["total"].clone()
    };
    assert_eq!([total("one"), total("two")], [json!(1), json!(0)]);
    assert!(server.is_well(), "the protocol is served beside the page");
}

#[test]
fn changes_are_told_while_they_happen() {
    let place = Place::new();
    place.file("three.pdf", small_pdf(3));
    let shown = Shown::start(&place);
    let cookie = cookie(&shown.request("GET", &format!("/inspect?token={}", shown.token), &[], ""));
    let mut stream = std::net::TcpStream::connect(&shown.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("GET /inspect/events HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", shown.address);
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    lines.find(|line| line == ": ").unwrap();
    place.run(&["get-file", "three.pdf", "--pages", "2", "--as", "document", "--conversation", "live", "--json"]);
    let told = lines.find(|line| line.starts_with("data: ")).unwrap();
    assert_eq!(told, "data: {\"ids\":[\"live\"]}");
}
