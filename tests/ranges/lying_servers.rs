//! Documents by ranges from servers that lie half of the time, the same in every run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pagewise_base::limits::Cancellation;
use pagewise_web::{OpenedUrl, Web, WebSettings};

use crate::support::mutate::Chance;
use crate::support::site::{Answer, Site, raw, status, to, with_fields};

const DOCUMENTS: u64 = 500;

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
