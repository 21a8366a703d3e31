//! What several test modules share: fixtures, the built program, and a client for it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

pub(crate) mod mcp;
pub(crate) mod program;
pub(crate) mod words;

use std::path::PathBuf;

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
    assembled(&objects)
}

fn assembled(objects: &[String]) -> Vec<u8> {
    let mut pdf = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(pdf.len());
        pdf.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).into_bytes());
    }
    let start = pdf.len();
    pdf.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        pdf.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    let trailer = format!("trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    pdf.extend(trailer.into_bytes());
    pdf
}
