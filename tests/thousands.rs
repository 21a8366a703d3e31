//! Thousands of hostile requests, the same in every run: heads and bodies of callers, and ranges of servers that lie. With
//! the tokens of `tokens.rs` they are ten thousand. None is answered wrongly.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::io::{BufReader, Write as _};
use std::net::Shutdown;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pagewise_base::limits::Cancellation;
use pagewise_web::{OpenedUrl, Web, WebSettings};

use crate::support::http::{Response, Server, read_response};
use crate::support::mutate::Chance;
use crate::support::program::Place;
use crate::support::site::{Answer, Site, raw, status, to, with_fields};
use crate::support::small_pdf;

const HEADS: u64 = 1_500;
const BODIES: u64 = 1_000;
const DOCUMENTS: u64 = 500;

/// What attackers put into heads.
const PIECES: [&[u8]; 16] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\0",
    b" ",
    b":",
    b"Authorization: Bearer ",
    b"Authorization: Basic c2VjcmV0\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 3\r\n",
    b"Content-Length: 18446744073709551616\r\n",
    b"Host: evil.example\r\n",
    b"X-Conversation-Id: \xff\xfe\r\n",
    b"Expect: 100-continue\r\n",
    b"POST /documents HTTP/1.1\r\n",
    b"0\r\n\r\n",
];

/// Bytes with up to four changes: bytes altered, left out or put twice, and pieces put in.
fn changed(bytes: &[u8], chance: &mut Chance, pieces: &[&[u8]]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(changed.len());
        let end = (at + 1 + chance.below(40)).min(changed.len());
        match chance.below(5) {
            0 => changed[at] = u8::try_from(chance.below(256)).unwrap(),
            1 => drop(changed.drain(at..end)),
            2 => drop(changed.splice(at..at, bytes[at.min(bytes.len())..end.min(bytes.len())].to_vec())),
            3 => changed.truncate(at.max(1)),
            _ => drop(changed.splice(at..at, pieces[chance.below(pieces.len())].to_vec())),
        }
    }
    changed
}

/// Sends a request and ends; the response, if there is one.
fn send(server: &Server, bytes: &[u8]) -> Option<Response> {
    let mut stream = server.connect();
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    read_response(&mut BufReader::new(stream))
}

#[test]
fn no_change_of_a_head_lets_a_stranger_in() {
    let place = Place::new();
    let flags = ["--set", "http_tokens=a-secret-of-some-length", "--set", "http_log=false"];
    let server = Server::start(&place, &[&flags[..], &["--set", "http_read_timeout_seconds=1"]].concat());
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let requests = ["/mcp", "/documents", "/metrics", "/inspect/api/conversations"].map(|path| {
        let method = if path == "/metrics" { "GET" } else { "POST" };
        server.bytes(method, path, &[("Authorization", "Bearer a-guess-that-is-wrong")], message)
    });
    for seed in 0..HEADS {
        let mut chance = Chance::new(seed);
        let request = changed(&requests[chance.below(requests.len())], &mut chance, &PIECES);
        let status = send(&server, &request).map(|response| response.status);
        let is_refused = status.is_none_or(|status| (400..500).contains(&status));
        assert!(is_refused, "{seed}: {status:?} {}", String::from_utf8_lossy(&request));
    }
    assert!(server.is_well());
}

/// The uploads beneath a folder: their names and their bytes.
fn uploads(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => uploads(&path),
        false => vec![(path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())],
    });
    found.collect()
}

#[test]
fn no_body_is_kept_that_did_not_come_whole() {
    let place = Place::new();
    let bounds = ["--set", "http_max_upload_bytes=2000", "--set", "http_max_kept_bytes=20000"];
    let quiet = ["--set", "http_read_timeout_seconds=1", "--set", "http_log=false"];
    let server = Server::start(&place, &[&["--set", "http_tokens=one"], &bounds[..], &quiet].concat());
    let pdf = small_pdf(2);
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let chunked = [chunk(&pdf[..100]), chunk(&pdf[100..]), b"0\r\n\r\n".to_vec()].concat();
    let token = ("Authorization", "Bearer one");
    let plain = server.bytes("POST", "/documents", &[token], b"");
    let head = plain.len();
    let sized = server.bytes("POST", "/documents", &[token], &pdf);
    let coded = [("Content-Length", ""), ("Transfer-Encoding", "chunked"), token];
    let coded_head = server.bytes("POST", "/documents", &coded, b"");
    let sized_head = sized.len() - pdf.len();
    assert!(sized_head >= head);
    let pieces: [&[u8]; 6] = [b"\r\n", b"ffffffffffffffff\r\n", b"-1\r\n", b"0\r\n\r\n", b"7d1\r\n", b";a=\0\r\n"];
    let mut taken = 0;
    for seed in 0..BODIES {
        let mut chance = Chance::new(seed);
        let request = match chance.below(2) {
            0 => [&sized[..sized_head], &changed(&pdf, &mut chance, &pieces)].concat(),
            _ => [&coded_head[..], &changed(&chunked, &mut chance, &pieces)].concat(),
        };
        let Some(response) = send(&server, &request) else { continue };
        let is_taken = response.status == 201;
        taken += usize::from(is_taken);
        assert!(is_taken || (400..500).contains(&response.status), "{seed}: {response:?}");
    }
    let kept = uploads(&place.path("data").join("fetched").join("uploads"));
    assert!(taken > 10 && !kept.is_empty(), "{taken} of {BODIES} taken, {} kept", kept.len());
    assert!(kept.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() <= 20_000);
    for (name, bytes) in &kept {
        assert!(blake3::hash(bytes).to_hex().starts_with(name.as_str()), "{name}");
    }
    assert!(server.is_well());
}

/// A document of some blocks, and another version of it.
fn version(which: u8) -> Vec<u8> {
    let numbers = (0..50_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes());
    b"%PDF-1.7\n".iter().copied().chain(numbers.map(|byte| byte ^ which)).collect()
}

fn part(bytes: &[u8], (sent, said): (Range<usize>, Range<usize>), total: usize, etag: &str) -> Answer {
    let (first, last) = (said.start, said.end.saturating_sub(1));
    let fields = format!("{etag}Content-Type: application/pdf\r\nContent-Range: bytes {first}-{last}/{total}\r\n");
    with_fields("206 Partial Content", &fields, bytes.get(sent).unwrap_or_default())
}

/// The answer of a server that tells the truth half of the time.
fn lie(chance: &mut Chance, asked: Range<usize>, versions: &[Vec<u8>; 2]) -> Answer {
    let [own, other] = versions;
    let total = own.len();
    let range = asked.start.min(total)..asked.end.min(total);
    let (one, two, weak) = ("ETag: \"one\"\r\n", "ETag: \"two\"\r\n", "ETag: W/\"one\"\r\n");
    let (middle, shifted) = ((range.start + range.end) / 2, range.start / 2..range.end);
    let exact = (range.clone(), range.clone());
    match chance.below(28) {
        0 => part(other, exact, total, two),
        1 => part(own, exact, total, weak),
        2 => part(own, exact, total, ""),
        3 => part(own, (range.start..middle, range.clone()), total, one),
        4 => part(own, (range.start..middle, range.start..middle), total, one),
        5 => part(own, (shifted.clone(), shifted), total, one),
        6 => part(own, (middle..range.end, range.clone()), total, one),
        7 => part(own, exact, total - 1, one),
        8 => part(own, exact, usize::MAX, one),
        9 => with_fields("200 OK", &format!("{two}Content-Type: application/pdf\r\n"), other),
        10 => status("412 Precondition Failed"),
        11 => status("416 Range Not Satisfiable"),
        12 => status("500 Internal Server Error"),
        13 => with_fields("206 Partial Content", "Content-Type: multipart/byteranges; boundary=x\r\n", b"--x\r\n\r\n"),
        14 => {
            raw("HTTP/1.1 206 Partial Content\r\nContent-Length: 70000\r\nContent-Range: bytes 0-69999/*\r\n\r\n%PDF")
        }
        15 => raw("HTTP/1.1 206"),
        16 => to("/elsewhere"),
        17 => status("206 Partial Content"),
        _ => part(own, exact, total, one),
    }
}

#[test]
fn no_document_is_put_together_from_what_lying_servers_send() {
    let versions = Arc::new([version(0), version(0xa5)]);
    let (served, chance) = (Arc::clone(&versions), Mutex::new(Chance::new(25)));
    let site = Site::start(move |asked| {
        let range = asked.field("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
        let range = range.and_then(|(first, last)| Some(first.parse().ok()?..last.parse::<usize>().ok()? + 1));
        match (range, asked.path.as_str()) {
            (Some(range), "/elsewhere") => {
                part(&served[1], (range.clone(), range), served[1].len(), "ETag: \"two\"\r\n")
            }
            (Some(range), _) => lie(&mut chance.lock().unwrap(), range, &served),
            (None, _) => with_fields("200 OK", "ETag: \"one\"\r\nContent-Type: application/pdf\r\n", &served[0]),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let settings = WebSettings { allow_ranges: vec!["127.0.0.1".parse().unwrap()], ..WebSettings::default() };
    let web = Arc::new(Web::new(settings, Some(folder.path().to_path_buf())));
    let (mut chance, mut right, mut refused) = (Chance::new(1), 0, 0);
    for number in 0..DOCUMENTS {
        let opened = match web.open(&site.url(&format!("/{number}")), &Cancellation::new()) {
            Ok(OpenedUrl::Ranged(file)) => file,
            Ok(OpenedUrl::Whole(file)) => {
                let bytes = std::fs::read(&file.path).unwrap();
                assert!(versions.contains(&bytes), "{number}: {} bytes", bytes.len());
                continue;
            }
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        let mut can_be = [true, true];
        for _ in 0..4 {
            let (offset, mut buffer) = (chance.below(200_000), vec![0; 1 + chance.below(30_000)]);
            match opened.read_at(offset as u64, &mut buffer, Duration::from_secs(5)) {
                Ok(read) => {
                    let is_of = |bytes: &Vec<u8>| bytes.get(offset..offset + read) == buffer.get(..read);
                    can_be = [can_be[0] && is_of(&versions[0]), can_be[1] && is_of(&versions[1])];
                    assert!(can_be[0] || can_be[1], "{number}: {read} bytes at {offset}");
                    right += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(right > 100 && refused > 100, "{right} reads are right, {refused} refused");
}
