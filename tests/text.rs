//! The engine of last resort gives the words of a page, and an error where it fails.

use pagewise::document::{Document, DocumentError, ReadAt};
use pagewise::limits::{LimitExceeded, Limits};
use pagewise::page::PageIndex;
use pagewise::split::cut;
use pagewise::text::{TextError, chunk_text, page_text};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn open(name: &str) -> Result<Document, Box<dyn std::error::Error>> {
    let bytes = fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name))?;
    let source: Arc<dyn ReadAt> = Arc::new(bytes);
    Ok(Document::open(source, None, &Limits::default())?)
}

#[test]
fn a_cut_page_and_the_whole_file_give_the_same_words() -> Outcome {
    for (name, expected) in [("typst.pdf", "Leaf 2 of 4"), ("libreoffice.pdf", "Letter page 2 of 3")] {
        let (document, index) = (open(name)?, PageIndex(1));
        let text = chunk_text(&cut(&document, index)?.bytes, &Limits::default())?;
        assert!(text.text.contains(expected), "{name}: {text:?}");
        assert_eq!(page_text(&document, index, &Limits::default())?, text, "{name}");
    }
    Ok(())
}

#[test]
fn text_is_bounded() -> Outcome {
    let chunk = cut(&open("libreoffice.pdf")?, PageIndex(0))?.bytes;
    let limits = Limits { max_text_bytes: 100, ..Limits::default() };
    let limit = LimitExceeded { which: "max_text_bytes", limit: 100, found: 101 };
    assert_eq!(chunk_text(&chunk, &limits), Err(TextError::Limit(limit)));
    Ok(())
}

#[test]
fn what_the_engine_must_not_read_is_refused() -> Outcome {
    let limits = Limits::default();
    let encrypted = page_text(&open("encrypted-empty.pdf")?, PageIndex(0), &limits);
    assert_eq!(encrypted, Err(TextError::Document(DocumentError::UnsupportedEncryption)));
    let past_the_end = page_text(&open("cairo.pdf")?, PageIndex(2), &limits);
    assert!(matches!(past_the_end, Err(TextError::Document(DocumentError::PageOutOfRange { .. }))));
    let no_pdf = chunk_text(b"no PDF", &limits);
    assert!(matches!(no_pdf, Err(TextError::Document(DocumentError::NotAPdf { .. }))));
    Ok(())
}

/// A page that draws form 4; 4 draws `drawn_by_first`, and 5 draws 4.
fn page_with_forms(drawn_by_first: &str) -> Vec<u8> {
    let form = |content: &str| {
        let head = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 4 0 R /B 5 0 R >> >>";
        format!("<< {head} /Length {} >>\nstream\n{content}\nendstream", content.len())
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 6 0 R /Resources << /XObject << /A 4 0 R >> >> >>"
            .to_owned(),
        form(drawn_by_first),
        form("/A Do"),
        "<< /Length 5 >>\nstream\n/A Do\nendstream".to_owned(),
    ];
    super::support::file_of(&objects)
}

#[test]
fn forms_that_draw_themselves_are_refused() -> Outcome {
    let limits = Limits::default();
    let endless =
        Err(TextError::Document(DocumentError::Damaged { what: "a form XObject that draws itself", offset: None }));
    assert_eq!(chunk_text(&page_with_forms("/A Do"), &limits), endless);
    assert_eq!(chunk_text(&page_with_forms("/B Do"), &limits), endless);
    // Its resources name the form, but its content does not.
    assert_eq!(chunk_text(&page_with_forms("q Q"), &limits)?.text, "");
    Ok(())
}
