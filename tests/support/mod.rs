//! What several test modules share: fixtures, the built program, and a client for it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

#[cfg(feature = "cloud")]
pub(crate) mod bucket;
pub(crate) mod context_bench;
pub(crate) mod costly_pages;
pub(crate) mod every_question;
pub(crate) mod hostile;
pub(crate) mod hostile_pages;
pub(crate) mod http;
pub(crate) mod inner_addresses;
pub(crate) mod issuer;
pub(crate) mod mcp;
pub(crate) mod mutate;
pub(crate) mod pdf;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
pub(crate) mod program;
pub(crate) mod provider;
pub(crate) mod schema;
pub(crate) mod scripted_store;
pub(crate) mod site;
pub(crate) mod spending;
pub(crate) mod tagged;
pub(crate) mod truetype;

pub(crate) use pdf::file_of;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a test waits for what must happen. On a busy machine that takes a while; only a fault takes as long as this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until something has happened.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !has_happened() {
        assert!(start.elapsed() < PATIENCE, "{what}: not after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The path of a file in `fixtures/`.
pub(crate) fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    path.to_str().unwrap().to_owned()
}

/// A PDF of `pages` empty pages, in classic form.
pub(crate) fn small_pdf(pages: usize) -> Vec<u8> {
    let kids = (0..pages).map(|page| format!("{} 0 R", page + 3)).collect::<Vec<_>>().join(" ");
    let mut objects =
        vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned(), format!("<</Type/Pages/Kids[{kids}]/Count {pages}>>")];
    let page = |number: usize| format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {} 100]>>", 100 + number);
    objects.extend((1..=pages).map(page));
    file_of(&objects)
}
