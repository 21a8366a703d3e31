//! Thousands of damaged requests, the same in every run: none lets a stranger in, and no body is kept in part.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::io::{BufReader, Write as _};
use std::net::Shutdown;
use std::path::Path;

use crate::support::http::{Response, Server, read_response};
use crate::support::mutate::Chance;
use crate::support::program::Place;
use crate::support::small_pdf;

const HEADS: u64 = 1_500;
const BODIES: u64 = 1_000;

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
