//! The engine of last resort gives the words of a page, and an error where it fails.

use pagewise_base::limits::{Limit, LimitExceeded, Limits, ProcessorClock};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, ReadAt};
use pagewise_split::cut;
use pagewise_text::{DocumentTexts, Extent, TextError, chunk_layout, chunk_text, page_text};
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

/// Pages that are asked for before a document is read as a whole.
const ONE_BY_ONE: usize = 8;

#[test]
fn many_pages_are_read_at_once_and_have_the_same_words_in_the_same_places() -> Outcome {
    let (document, limits) = (open("latex.pdf")?, Limits::default());
    let texts = DocumentTexts::default();
    let read = |page, extent, limits: &Limits| texts.read_page(&document, PageIndex(page), extent, limits);
    for page in [3; ONE_BY_ONE] {
        assert_eq!(read(page, Extent::Text, &limits), None);
    }
    for page in (0..document.page_count()).rev().chain([5, 5, 0]) {
        let alone = chunk_text(&cut(&document, PageIndex(page))?.bytes, &limits)?;
        assert_eq!(read(page, Extent::Text, &limits).map(|(text, _)| text), Some(alone), "{page}");
        let layout = chunk_layout(&cut(&document, PageIndex(page))?.bytes, &limits)?;
        assert_eq!(read(page, Extent::Layout, &limits), Some(layout), "{page}");
    }
    assert_eq!(read(8, Extent::Text, &limits), None);
    let bounded = Limits { max_text_bytes: 100, ..limits.clone() };
    assert_eq!(read(2, Extent::Text, &bounded), None);
    Ok(())
}

#[test]
fn what_is_odd_is_not_read_as_a_whole() -> Outcome {
    // Encrypted; with a form field that has no appearance; with a space between a stream's keyword and its data; blank.
    let bare = super::support::file_of(&[
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [4 0 R] >>".to_owned(),
        "<< /Type /Annot /Subtype /Widget /FT /Tx /V (value) /T (name) /Rect [0 0 90 20] >>".to_owned(),
    ]);
    let page = |stream: &str| {
        super::support::file_of(&[
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>".to_owned(),
            stream.to_owned(),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        ])
    };
    let spaced = page("<</Length 35>>\nstream \nBT /F 9 Tf 9 50 Td (a spaced) Tj ET \nendstream");
    let blank = page("<</Length 0>>\nstream\n\nendstream");
    let opened = [bare, spaced, blank].map(|file| {
        let file: Arc<dyn ReadAt> = Arc::new(file);
        Ok(Document::open(file, None, &Limits::default())?)
    });
    for document in [open("encrypted-empty.pdf")].into_iter().chain(opened) {
        let document = document?;
        let texts = DocumentTexts::default();
        for _ in 0..2 * ONE_BY_ONE {
            assert_eq!(texts.read_page(&document, PageIndex(0), Extent::Text, &Limits::default()), None);
        }
    }
    Ok(())
}

#[test]
fn text_is_bounded() -> Outcome {
    let chunk = cut(&open("libreoffice.pdf")?, PageIndex(0))?.bytes;
    let limits = Limits { max_text_bytes: 100, ..Limits::default() };
    let limit = LimitExceeded { which: Limit::TextBytes, limit: 100, found: 101 };
    assert_eq!(chunk_text(&chunk, &limits), Err(TextError::Limit(limit)));
    Ok(())
}

#[test]
fn an_encrypted_file_is_decrypted_before_an_engine_sees_it() -> Outcome {
    let document = open("encrypted-empty.pdf")?;
    let whole = page_text(&document, PageIndex(0), &Limits::default());
    if cfg!(feature = "qpdf") {
        assert_eq!(whole?, chunk_text(&cut(&document, PageIndex(0))?.bytes, &Limits::default())?);
    } else {
        assert_eq!(whole, Err(TextError::Document(DocumentError::UnsupportedEncryption)));
    }
    Ok(())
}

#[test]
fn what_the_engine_must_not_read_is_refused() -> Outcome {
    let limits = Limits::default();
    let past_the_end = page_text(&open("cairo.pdf")?, PageIndex(2), &limits);
    assert!(matches!(past_the_end, Err(TextError::Document(DocumentError::PageOutOfRange { .. }))));
    let no_pdf = chunk_text(b"no PDF", &limits);
    assert!(matches!(no_pdf, Err(TextError::Document(DocumentError::NotAPdf { .. }))));
    Ok(())
}

/// A page that draws form 4; 4 draws `drawn_by_first`, and 5 draws 4.
fn page_with_forms(drawn_by_first: &str) -> Vec<u8> {
    let form = |content: &str| {
        let head = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 4 0 R /B 5 0 R >> \
                    /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
        format!("<< {head} /Length {} >>\nstream\n{content}\nendstream", content.len())
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 6 0 R /Resources << /XObject << /A 4 0 R >> >> >>"
            .to_owned(),
        form(drawn_by_first),
        form("BT /F 1 Tf 2 2 Td (word) Tj ET /A Do"),
        "<< /Length 5 >>\nstream\n/A Do\nendstream".to_owned(),
    ];
    super::support::file_of(&objects)
}

#[test]
fn forms_that_draw_themselves_are_drawn_once() -> Outcome {
    let limits = Limits::default();
    assert_eq!(chunk_text(&page_with_forms("/A Do /A Do"), &limits)?.text, "");
    assert_eq!(chunk_text(&page_with_forms("/B Do"), &limits)?.text, "word");
    // Its resources name the form, but its content does not.
    assert_eq!(chunk_text(&page_with_forms("q Q"), &limits)?.text, "");
    Ok(())
}

#[test]
fn lines_that_are_drawn_twice_are_read_once() -> Outcome {
    let line = "eve sees the sea, even here where ebbs are seen, ever deeper";
    let lines = format!("9 70 Td ({line}) Tj 0 -12 Td ({line}) Tj");
    let content = format!("BT /F 6 Tf {lines} ET BT /F 6 Tf 0.3 0 Td {lines} ET");
    let pdf = super::support::file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 99] /Contents 4 0 R /Resources << /Font << /F \
         << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ]);
    assert_eq!(chunk_text(&pdf, &Limits::default())?.text, format!("{line}\n{line}"));
    Ok(())
}

/// The text of a page of 400 by 300 points with this content.
fn text_of(content: &str) -> Result<String, TextError> {
    Ok(chunk_text(&super::support::pdf::pages_of(&[content]), &Limits::default())?.text)
}

#[test]
fn spaces_that_are_drawn_twice_divide_no_word() -> Outcome {
    // A filled and stroked run is drawn twice before the rest of its last word.
    let content = "BT /F 12 Tf 2 Tr 20 150 Td (the use of the app) Tj (lication) Tj ET";
    assert_eq!(text_of(content)?, "the use of the application");
    let content = "BT /F 12 Tf 2 Tr 20 150 Td (a) Tj ( use of) Tj (ten) Tj ET";
    assert_eq!(text_of(content)?, "a use often");
    Ok(())
}

#[test]
fn a_letter_at_the_edge_of_the_page_is_read_if_enough_of_it_is_there() -> Outcome {
    let letter = |x: &str| text_of(&format!("BT /F 12 Tf {x} 150 Td (H) Tj ET"));
    assert_eq!(letter("396.5")?, "H");
    assert_eq!(letter("398.5")?, "");
    assert_eq!(letter("-5")?, "H");
    assert_eq!(letter("-8")?, "");
    Ok(())
}

#[test]
fn two_codes_that_are_one_character_are_read_so() -> Outcome {
    let chinese = "C8CBC8CBC9FAB6F8D7D4D3C9A3ACD4DAD7F0D1CFBACDC8A8C0FBC9CFD2BBC2C9C6BDB5C8A1A3";
    let content = format!("BT /F 12 Tf 20 250 Td <{chinese}> Tj 0 -20 Td (page ) Tj <D2BB> Tj ET");
    assert_eq!(text_of(&content)?, "人人生而自由，在尊严和权利上一律平等。\npage 一");
    // French in the same font is what the file says.
    let french = "<6372E86D65206272FB6CE9652C2064E96AE02076752C206E61EF7665206661E761646520E0206C27E974E9>";
    assert_eq!(
        text_of(&format!("BT /F 12 Tf 20 250 Td {french} Tj ET"))?,
        "crème brûlée, déjà vu, naïve façade à l'été"
    );
    Ok(())
}

#[test]
fn what_a_page_draws_is_bounded() -> Outcome {
    let chunk = page_with_forms("/B Do");
    let of = |max_page_cpu_ms| {
        let limits = Limits { max_page_cpu_ms, processor_clock: ProcessorClock::of_thread(), ..Limits::default() };
        chunk_text(&chunk, &limits).map(|page| page.text)
    };
    assert_eq!(of(u64::MAX), Ok("word".to_owned()));
    let Err(TextError::Limit(limit)) = of(0) else { return Err("it took no time".into()) };
    assert_eq!(limit.which.name(), "max_page_cpu_ms");
    Ok(())
}
