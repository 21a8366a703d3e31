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
        assert!(text.contains(expected), "{name}: {text}");
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
    assert!(matches!(chunk_text(b"no PDF", &limits), Err(TextError::Unreadable { .. })));
    Ok(())
}
