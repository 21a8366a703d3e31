//! Fetching: what a server may do, and what comes of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::HashMap;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pagewise_base::limits::Cancellation;
use pagewise_web::{FetchedFile, Lookup, Resolver, Web, WebError, WebSettings};
use tempfile::TempDir;

use crate::support::site::{Answer, Site, closed_port, ok, raw, status, to, with_fields};

/// Names of a test, each with one list of addresses after the other; the last stays.
#[derive(Default)]
struct Names {
    known: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    asked: AtomicUsize,
}

impl Names {
    fn with(names: &[(&str, &[&[&str]])]) -> Arc<Self> {
        let parsed = |lists: &[&[&str]]| {
            lists.iter().rev().map(|list| list.iter().map(|text| text.parse().unwrap()).collect()).collect()
        };
        let known = names.iter().map(|(name, lists)| ((*name).to_owned(), parsed(lists))).collect();
        Arc::new(Self { known: Mutex::new(known), asked: AtomicUsize::new(0) })
    }
}

impl Resolver for Names {
    fn lookup(&self, host: String) -> Lookup {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut known = self.known.lock().unwrap();
        let found =
            known.get_mut(&host).map(|lists| if lists.len() > 1 { lists.pop().unwrap() } else { lists[0].clone() });
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}

/// Only the very address of the test's servers.
fn settings() -> WebSettings {
    WebSettings { allow_ranges: vec!["127.0.0.1".parse().unwrap()], ..WebSettings::default() }
}

struct Place {
    web: Web,
    folder: TempDir,
}

impl Place {
    fn new(settings: WebSettings) -> Self {
        Self::with_names(settings, Names::with(&[("site.test", &[&["127.0.0.1"]]), ("other.test", &[&["127.0.0.1"]])]))
    }

    fn with_names(settings: WebSettings, names: Arc<Names>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { web: Web::with_resolver(settings, Some(folder.path().join("fetched")), names), folder }
    }

    fn fetch(&self, url: &str) -> Result<FetchedFile, WebError> {
        self.web.fetch(url, &Cancellation::new())
    }

    fn body(&self, url: &str) -> Vec<u8> {
        std::fs::read(self.fetch(url).unwrap().path).unwrap()
    }

    /// Files that are kept, by folder.
    fn kept(&self, kind: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path().join("fetched").join(kind));
        entries.map(|entries| entries.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
    }
}

fn one(answer: impl Fn() -> Answer + Send + Sync + 'static) -> Site {
    Site::start(move |_| answer())
}

#[test]
fn a_body_comes_whole_and_lies_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let site = one(|| ok("text/plain; charset=utf-8", "hello"));
    let place = Place::new(settings());
    let fetched = place.fetch(&site.at("site.test", "/a#b")).unwrap();
    assert_eq!(fetched.location, site.at("site.test", "/a"));
    assert_eq!(fetched.content_type.as_deref(), Some("text/plain; charset=utf-8"));
    assert_eq!(std::fs::read(&fetched.path).unwrap(), b"hello");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&fetched.path), 0o600);
    assert_eq!(mode(fetched.path.parent().unwrap()), 0o700);
    assert_eq!(mode(&place.kept("urls")[0]), 0o600);
}

#[test]
fn nothing_is_sent_that_was_not_asked_for() {
    let other = one(|| ok("text/plain", "end"));
    let target = other.at("other.test", "/end");
    let site = one(move || {
        with_fields("302 Found", &format!("Location: {target}\r\nSet-Cookie: a=b\r\nETag: \"x\"\r\n"), b"")
    });
    let place = Place::new(settings());
    assert_eq!(place.body(&site.at("site.test", "/start")), b"end");
    let asked = &other.asked()[0];
    let names = asked.fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    for name in names {
        assert!(["accept", "accept-encoding", "user-agent", "host"].contains(&name), "{name}");
    }
    assert!(asked.field("user-agent").unwrap().starts_with("pagewise/"));
}

#[test]
fn redirects_are_followed_to_the_fifth() {
    let site = Site::start(|asked| match asked.path.strip_prefix("/r").and_then(|left| left.parse::<u32>().ok()) {
        Some(0) => ok("text/plain", "arrived"),
        Some(left) => to(&format!("/r{}", left - 1)),
        None => to("/loop"),
    });
    let place = Place::new(settings());
    assert_eq!(place.body(&site.url("/r5")), b"arrived");
    assert_eq!(place.fetch(&site.url("/r6")), Err(WebError::Redirects { limit: 5 }));
    assert_eq!(place.fetch(&site.url("/loop")), Err(WebError::Redirects { limit: 5 }));
    assert_eq!(site.count("/loop"), 6);
}

#[test]
fn redirects_lead_to_no_inner_address_and_no_other_scheme() {
    let listener = std::net::TcpListener::bind("[::]:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let place = Place::with_names(settings(), Names::with(&[("inner.test", &[&["127.0.0.2"]])]));
    for target in [
        format!("http://127.0.0.2:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://0x7f.2:{port}/"),
        format!("http://inner.test:{port}/"),
        format!("//127.0.0.2:{port}/"),
    ] {
        let site = one(move || to(&target));
        let refused = place.fetch(&site.url("/"));
        assert!(matches!(refused, Err(WebError::BlockedAddress { setting: "web_allow_ranges", .. })), "{refused:?}");
    }
    for target in ["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,a"] {
        let site = one(move || to(target));
        assert!(matches!(place.fetch(&site.url("/")), Err(WebError::Scheme { .. })), "{target}");
    }
    let site = one(move || to(&format!("http://user:secret@127.0.0.1:{port}/")));
    assert_eq!(place.fetch(&site.url("/")), Err(WebError::Credentials));
    assert!(crate::support::site::nobody_came(&listener));
}

#[test]
fn a_name_with_one_inner_address_is_refused() {
    let site = one(|| ok("text/plain", "never"));
    let names = Names::with(&[
        ("both.test", &[&["127.0.0.1", "10.0.0.1"]]),
        ("mapped.test", &[&["::ffff:127.0.0.1"]]),
        ("none.test", &[&[]]),
    ]);
    let place = Place::with_names(settings(), names);
    for host in ["both.test", "mapped.test"] {
        let refused = place.fetch(&site.at(host, "/"));
        assert!(matches!(refused, Err(WebError::BlockedAddress { .. })), "{host}: {refused:?}");
    }
    assert!(matches!(place.fetch(&site.at("none.test", "/")), Err(WebError::Failed { .. })));
    assert!(matches!(place.fetch(&site.at("unknown.test", "/")), Err(WebError::Failed { .. })));
    assert!(site.asked().is_empty());
}

/// The name answers with an address that may be asked, and at any second look with another.
#[test]
fn a_name_is_looked_up_once_for_a_request() {
    let site = one(|| ok("text/plain", "first"));
    let names = Names::with(&[("turns.test", &[&["127.0.0.1"], &["10.0.0.1"]])]);
    let place = Place::with_names(WebSettings { fresh: Duration::ZERO, ..settings() }, Arc::clone(&names));
    assert_eq!(place.body(&site.at("turns.test", "/")), b"first");
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    let second = place.fetch(&site.at("turns.test", "/"));
    assert!(matches!(second, Err(WebError::BlockedAddress { .. })), "{second:?}");
    assert_eq!(site.asked().len(), 1);
}

#[test]
fn anything_but_a_whole_answer_is_an_error() {
    let place = Place::new(settings());
    for (code, text) in
        [(404, "404 Not Found"), (500, "500 Internal Server Error"), (204, "204 No Content"), (304, "304 Not Modified")]
    {
        let site = one(move || status(text));
        assert_eq!(place.fetch(&site.url("/")), Err(WebError::Status { status: text.to_owned(), code }));
    }
    let failures: [fn() -> Answer; 4] = [
        || raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
        || raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"),
        || raw("this is no HTTP\r\n\r\n"),
        || with_fields("200 OK", "Content-Encoding: deflate\r\n", b"x"),
    ];
    for (at, failure) in failures.into_iter().enumerate() {
        let site = one(failure);
        let refused = place.fetch(&site.url("/"));
        assert!(matches!(refused, Err(WebError::Failed { .. })), "{at}: {refused:?}");
    }
    let refused = place.fetch(&format!("http://127.0.0.1:{}/", closed_port()));
    assert!(matches!(refused, Err(WebError::Failed { .. })), "{refused:?}");
    assert!(place.kept("documents").is_empty(), "nothing half is left");
}

#[test]
fn a_body_is_taken_to_its_bound_and_no_further() {
    let place = Place::new(settings());
    let max = usize::try_from(place.web.settings().max_bytes).unwrap();
    assert_eq!(max, 20 << 20);
    let whole = one(move || ok("text/plain", vec![b'a'; max]));
    assert_eq!(place.body(&whole.url("/")).len(), max);
    let larger = one(move || ok("text/plain", vec![b'a'; max + 1]));
    let (found, limit) = (max as u64 + 1, max as u64);
    let refused = WebError::TooLarge { found, limit, setting: "web_max_bytes" };
    assert_eq!(place.fetch(&larger.url("/")), Err(refused));
    // Without a length: the server would go on for ever.
    let endless = one(|| {
        Box::new(|stream| {
            let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while sent.is_ok() {
                sent = stream.write_all(&[b'a'; 65_536]);
            }
        })
    });
    assert!(matches!(place.fetch(&endless.url("/")), Err(WebError::TooLarge { setting: "web_max_bytes", .. })));
    assert_eq!(place.kept("documents").len(), 1);
}

#[test]
fn a_small_body_that_unpacks_to_much_is_counted_as_it_unpacks() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..64).for_each(|_| packed.write_all(&vec![0; 1 << 20]).unwrap());
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 1 << 17);
    let site = one(move || with_fields("200 OK", "Content-Encoding: gzip\r\n", &packed));
    let place = Place::new(settings());
    assert!(matches!(place.fetch(&site.url("/")), Err(WebError::TooLarge { setting: "web_max_bytes", .. })));
    let mut small = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    small.write_all(b"unpacked").unwrap();
    let small = small.finish().unwrap();
    let site = one(move || with_fields("200 OK", "Content-Encoding: gzip\r\n", &small));
    assert_eq!(place.body(&site.url("/")), b"unpacked");
}

#[test]
fn a_header_has_a_bound() {
    let place = Place::new(settings());
    let field = |bytes: usize| format!("X: {}\r\n", "a".repeat(bytes));
    let (small, large) = (field(60 << 10), field(70 << 10));
    let site = one(move || with_fields("200 OK", &small, b"x"));
    assert_eq!(place.body(&site.url("/")), b"x");
    let site = one(move || with_fields("200 OK", &large, b"x"));
    let too_large = Err(WebError::HeaderTooLarge { limit: 64 << 10 });
    assert_eq!(place.fetch(&site.url("/")), too_large);
    let megabyte = field(1 << 20);
    let site = one(move || with_fields("200 OK", &megabyte, b"x"));
    assert_eq!(place.fetch(&site.url("/")), too_large);
    let fields = |count: usize| (0..count).map(|at| format!("X-{at}: a\r\n")).collect::<String>();
    // Two more are of the site itself.
    let (most, more) = (fields(98), fields(99));
    let site = one(move || with_fields("200 OK", &most, b"y"));
    assert_eq!(place.body(&site.url("/")), b"y");
    let site = one(move || with_fields("200 OK", &more, b"y"));
    assert_eq!(place.fetch(&site.url("/")), too_large);
}

/// How much of an endless head was taken: what the client reads, and what sockets hold.
const MOST_TAKEN: usize = 16 << 20;

#[test]
fn a_head_without_end_is_given_up_early() {
    let pieces = ["X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", "a", "X-a"];
    for (piece, beginning) in pieces.into_iter().zip(["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 "])
    {
        let taken = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&taken);
        let endless = one(move || {
            let counted = Arc::clone(&counted);
            Box::new(move |stream| {
                let block = piece.repeat(1_024);
                let mut sent = stream.write_all(beginning.as_bytes());
                while sent.is_ok() {
                    sent = stream.write_all(block.as_bytes());
                    counted.fetch_add(block.len(), Ordering::SeqCst);
                }
            })
        });
        let refused = Place::new(settings()).fetch(&endless.url("/"));
        assert_eq!(refused, Err(WebError::HeaderTooLarge { limit: 64 << 10 }), "{piece}");
        assert!(taken.load(Ordering::SeqCst) < MOST_TAKEN, "{piece}");
    }
}

/// Each is thrown away, so that only time is a bound.
#[test]
fn interim_answers_without_end_are_given_up_in_time() {
    let endless = one(|| {
        Box::new(|stream| {
            let mut sent = Ok(());
            while sent.is_ok() {
                sent = stream.write_all("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(64).as_bytes());
            }
        })
    });
    let limit = Duration::from_millis(300);
    let refused = Place::new(WebSettings { deadline: limit, ..settings() }).fetch(&endless.url("/"));
    assert_eq!(refused, Err(WebError::Timeout { limit, setting: "web_deadline_ms" }));
}

#[test]
fn two_dots_at_the_end_are_no_other_host() {
    let site = one(|| ok("text/plain", "x"));
    let place = Place::new(WebSettings { deny_hosts: vec!["other.test".parse().unwrap()], ..settings() });
    for dots in ["", ".", ".."] {
        assert_eq!(place.body(&site.at(&format!("site.test{dots}"), "/")), b"x");
        let refused = place.fetch(&site.at(&format!("other.test{dots}"), "/"));
        assert!(matches!(refused, Err(WebError::BlockedHost { setting: "web_deny_hosts", .. })), "{refused:?}");
    }
}

/// Nothing can be written where records of URLs belong.
#[test]
fn what_cannot_be_noted_is_fetched_all_the_same() {
    let site = one(|| ok("text/plain", "x"));
    let place = Place::new(settings());
    let folder = place.folder.path().join("fetched");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("urls"), "in the way").unwrap();
    for _ in 0..2 {
        assert_eq!(place.body(&site.url("/")), b"x");
    }
    assert_eq!(site.asked().len(), 2, "so it is asked for again");
}

#[test]
fn a_body_larger_than_all_that_is_kept_can_still_be_read() {
    let site = one(|| ok("text/plain", "larger"));
    let place = Place::new(WebSettings { store_bytes: 1, ..settings() });
    assert_eq!(place.body(&site.url("/")), b"larger");
}

#[test]
fn processes_that_begin_together_share_one_folder() {
    let site = one(|| ok("text/plain", "shared"));
    let (folder, url) = (tempfile::tempdir().unwrap(), site.url("/"));
    for round in 0..8 {
        let shared = folder.path().join(round.to_string());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let web = Web::with_resolver(settings(), Some(shared.clone()), Names::with(&[]));
                    let fetched = web.fetch(&url, &Cancellation::new()).unwrap();
                    assert!(fetched.path.starts_with(&shared), "{}", fetched.path.display());
                });
            }
        });
    }
}

/// Sends the beginning of an answer, and then nothing for as long as the client stays.
fn stalls(beginning: &'static str) -> Answer {
    Box::new(move |stream| {
        let mut sent = stream.write_all(beginning.as_bytes()).and_then(|()| stream.flush());
        while sent.is_ok() {
            std::thread::sleep(Duration::from_millis(20));
            sent = stream.write_all(b"a").and_then(|()| stream.flush());
        }
    })
}

#[test]
fn a_drip_is_given_up() {
    let drip = || stalls("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    let site = one(drip);
    let floor = WebSettings {
        min_bytes_per_second: 1_000_000,
        floor_window: Duration::from_millis(100),
        deadline: Duration::from_secs(3_600),
        ..settings()
    };
    assert_eq!(Place::new(floor).fetch(&site.url("/")), Err(WebError::TooSlow { limit: 1_000_000 }));
    let limit = Duration::from_millis(200);
    let deadline = WebSettings { deadline: limit, min_bytes_per_second: 0, ..settings() };
    let timeout = Err(WebError::Timeout { limit, setting: "web_deadline_ms" });
    assert_eq!(Place::new(deadline.clone()).fetch(&site.url("/")), timeout);
    let silent = one(|| stalls("HTTP/1.1 200 OK\r\nX: "));
    assert_eq!(Place::new(deadline).fetch(&silent.url("/")), timeout);
}

#[test]
fn who_does_not_wait_any_more_gets_no_answer() {
    let site = one(|| stalls("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"));
    let place = Place::new(WebSettings { min_bytes_per_second: 0, ..settings() });
    let cancellation = Cancellation::new();
    let stopped = std::thread::scope(|scope| {
        let fetch = scope.spawn(|| place.web.fetch(&site.url("/"), &cancellation));
        while site.asked().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancellation.cancel();
        fetch.join().unwrap()
    });
    assert_eq!(stopped, Err(WebError::Cancelled));
    assert_eq!(place.web.fetch(&site.url("/"), &cancellation), Err(WebError::Cancelled));
}

#[test]
fn what_is_kept_is_asked_about_and_not_fetched_again() {
    let site = Site::start(|asked| match asked.field("if-none-match") {
        Some("\"v1\"") => with_fields("304 Not Modified", "ETag: \"v1\"\r\n", b""),
        _ => with_fields("200 OK", "ETag: \"v1\"\r\nLast-Modified: Mon, 02 Mar 2026 10:00:00 GMT\r\n", b"body"),
    });
    let place = Place::new(WebSettings { fresh: Duration::ZERO, ..settings() });
    let first = place.fetch(&site.url("/a")).unwrap();
    let second = place.fetch(&site.url("/a")).unwrap();
    assert_eq!((first.was_stored, second.was_stored), (false, true));
    assert_eq!(first.content, second.content);
    let asked = site.asked();
    assert_eq!(asked[0].field("if-none-match"), None);
    assert_eq!(asked[1].field("if-modified-since"), Some("Mon, 02 Mar 2026 10:00:00 GMT"));
    // Also by another process over the same folder.
    let names = Names::with(&[]);
    let again = Web::with_resolver(place.web.settings().clone(), Some(place.folder.path().join("fetched")), names);
    assert!(again.fetch(&site.url("/a"), &Cancellation::new()).unwrap().was_stored);
    // What went is fetched anew.
    std::fs::remove_file(&first.path).unwrap();
    let fourth = place.fetch(&site.url("/a")).unwrap();
    assert!(!fourth.was_stored);
    assert_eq!(site.asked()[3].field("if-none-match"), None);
}

#[test]
fn what_is_fresh_is_not_asked_about() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/old" => with_fields("200 OK", "Cache-Control: no-cache\r\n", b"x"),
        "/moved" => to("/young"),
        _ => ok("text/plain", "x"),
    });
    let place = Place::new(settings());
    for path in ["/old", "/old", "/moved", "/moved", "/young"] {
        place.fetch(&site.url(path)).unwrap();
    }
    assert_eq!([site.count("/old"), site.count("/moved"), site.count("/young")], [2, 1, 1]);
    // The same bytes are one file.
    assert_eq!(place.kept("documents").len(), 1);
}

#[test]
fn offline_refuses_before_anything_is_looked_up() {
    let names = Names::with(&[("site.test", &[&["127.0.0.1"]])]);
    let off = [
        (WebSettings { offline: true, ..settings() }, "offline"),
        (WebSettings { is_sandboxed: true, ..settings() }, "require_sandbox"),
    ];
    for (settings, setting) in off {
        let place = Place::with_names(settings, Arc::clone(&names));
        for url in ["http://site.test/", "http://10.0.0.1/", "http://127.0.0.1/"] {
            assert_eq!(place.fetch(url), Err(WebError::Offline { setting }), "{url}");
        }
    }
    assert_eq!(names.asked.load(Ordering::SeqCst), 0);
}

#[test]
fn certificates_are_checked_against_known_authorities() {
    let (site, authority) = Site::start_tls("site.test", |asked| match asked.path.as_str() {
        "/down" => to("http://user:secret@site.test/"),
        _ => ok("text/plain", "over TLS"),
    });
    let stranger = Place::new(settings()).fetch(&site.at("site.test", "/"));
    assert!(matches!(stranger, Err(WebError::Failed { .. })), "{stranger:?}");
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, authority).unwrap();
    let place = Place::new(WebSettings { ca_file: Some(ca_file.clone()), ..settings() });
    assert_eq!(place.body(&site.at("site.test", "/")), b"over TLS");
    let other_name = place.fetch(&site.at("other.test", "/"));
    assert!(matches!(other_name, Err(WebError::Failed { .. })), "{other_name:?}");
    let down = place.fetch(&site.at("site.test", "/down"));
    assert_eq!(down, Err(WebError::Downgrade { to: "http://site.test/".to_owned() }));
    std::fs::write(&ca_file, "no certificate").unwrap();
    let unreadable = Place::new(WebSettings { ca_file: Some(ca_file), ..settings() }).fetch(&site.at("site.test", "/"));
    assert!(matches!(unreadable, Err(WebError::Failed { .. })), "{unreadable:?}");
}

#[test]
fn a_host_is_asked_so_often_at_once() {
    let at_once = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (counted, peak) = (Arc::clone(&at_once), Arc::clone(&most));
    let site = Site::start(move |_| {
        peak.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(30));
        counted.fetch_sub(1, Ordering::SeqCst);
        ok("text/plain", "x")
    });
    let place = Place::new(WebSettings { host_connections: 2, ..settings() });
    std::thread::scope(|scope| {
        for number in 0..8 {
            let url = site.url(&format!("/{number}"));
            let place = &place;
            scope.spawn(move || place.fetch(&url).unwrap());
        }
    });
    assert_eq!(site.asked().len(), 8);
    assert!(most.load(Ordering::SeqCst) <= 2);
}

#[test]
fn a_folder_that_cannot_be_written_is_replaced_for_a_while() {
    let site = one(|| ok("text/plain", "kept elsewhere"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let web = Web::with_resolver(settings(), Some(file.join("fetched")), Names::with(&[]));
    let fetched = web.fetch(&site.url("/"), &Cancellation::new()).unwrap();
    assert_eq!(std::fs::read(&fetched.path).unwrap(), b"kept elsewhere");
    drop(web);
    assert!(!fetched.path.exists());
}
