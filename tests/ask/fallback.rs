//! PDFs to models that take none: text, and pictures where there is next to no text.

use serde_json::json;

use super::{Asking, data_of, pdf_of, size_of, text_of};
use crate::support::provider::Say;

const MODEL: [&str; 2] = ["--model", "compatible/local-model"];

/// A text of so many characters without spaces at its ends.
fn words(characters: usize) -> String {
    "wordx".chars().cycle().take(characters).collect()
}

#[test]
fn two_hundred_characters_are_text_and_fewer_are_pictures() {
    for (characters, pictures) in [(200, 0), (199, 1)] {
        let asking = Asking::new([Say::Text("Words.")]);
        let text = words(characters);
        let pdf = asking.place.file("words.pdf", pdf_of(&[&text], [1_900, 300]));
        let value = asking.answered(&[&[pdf.as_str(), "--prompt", "What?"], &MODEL[..]].concat());
        let content = asking.content();
        let sent = text_of(&content[0]).unwrap().strip_prefix("[PDF text]\n--- Page 1 ---\n").unwrap();
        assert!(sent.starts_with("wordx"), "{sent}");
        assert_eq!(content.iter().filter(|part| data_of(part).is_some()).count(), pictures);
        assert_eq!(content.len(), 2 + pictures);
        assert_eq!(text_of(content.last().unwrap()), Some("What?"));
        let details = &value["details"];
        assert_eq!((&details["model"], &details["native"]), (&json!("compatible/local-model"), &json!(false)));
        assert_eq!(details["sent"][0]["form"], if pictures == 0 { "text" } else { "images" });
        assert_eq!(details["usage"]["cachedTokens"], 1_000);
    }
}

#[test]
fn pictures_are_a_pixel_a_point_and_bounded() {
    for (size, expected) in [([500, 300], (500, 300)), ([3_000, 3_000], (2_000, 2_000)), ([14_000, 72], (9_916, 51))] {
        let asking = Asking::new([]);
        let pdf = asking.place.file("scan.pdf", pdf_of(&[""], size));
        asking.answered(&[&[pdf.as_str()], &MODEL[..]].concat());
        let (width, height) = size_of(&asking.content()[0]);
        assert!(u64::from(width) * u64::from(height) <= 4_000_000 && width <= 10_000, "{width} x {height}");
        assert_eq!((width, height), expected);
    }
}

#[test]
fn several_pdfs_have_their_numbers() {
    let asking = Asking::new([]);
    asking.place.file("a.pdf", pdf_of(&[&words(300)], [1_900, 300]));
    asking.place.file("b.pdf", pdf_of(&["few"], [500, 300]));
    asking.place.file("c.pdf", pdf_of(&[""], [500, 300]));
    let value = asking.answered(&[&["a.pdf", "b.pdf", "c.pdf", "--prompt", "Compare."], &MODEL[..]].concat());
    let content = asking.content();
    let shape = content.iter().map(|part| text_of(part).map_or("picture", |text| text.split('\n').next().unwrap()));
    assert_eq!(shape.collect::<Vec<_>>(), ["[PDF 1 text]", "[PDF 2 text]", "picture", "picture", "Compare."]);
    assert_eq!(value["details"]["pdfs"], json!([{ "pdf": "a.pdf" }, { "pdf": "b.pdf" }, { "pdf": "c.pdf" }]));
}

#[test]
fn pages_are_chosen_and_counted() {
    let asking = Asking::new([]);
    let texts = (1..=30).map(|page| format!("page{page:02}{}", words(50))).collect::<Vec<_>>();
    let texts = texts.iter().map(String::as_str).collect::<Vec<_>>();
    let pdf = asking.place.file("long.pdf", pdf_of(&texts, [500, 300]));
    let value = asking.answered(&[&[pdf.as_str()], &MODEL[..]].concat());
    let sent = &value["details"]["sent"][0];
    assert_eq!((&sent["pages"], &sent["totalPages"]), (&json!("1-20"), &json!(30)));
    assert_eq!(sent["left"], json!({ "pages": "21-30", "reason": "pdf_max_pages is 20" }));
    let remarks = value["content"][1]["text"].as_str().unwrap();
    let expected = "Only pages 1-20 of long.pdf reached the model: pdf_max_pages is 20. For pages 21-30, call pdf with \
                    pdf: \"long.pdf\" and pages: \"21-30\".";
    assert!(remarks.contains(expected), "{remarks}");
    let value = asking.answered(&[&[pdf.as_str(), "--pages", "3,5-9"], &MODEL[..]].concat());
    assert_eq!(value["details"]["sent"][0]["pages"], "3,5-9");
}

#[test]
fn a_model_without_eyes_gets_the_text_that_there_is() {
    let asking = Asking::new([]).with("PAGEWISE_TEXT_ONLY_MODELS", "compatible/local");
    asking.place.file("few.pdf", pdf_of(&["few"], [500, 300]));
    asking.place.file("none.pdf", pdf_of(&[""], [500, 300]));
    asking.answered(&[&["few.pdf"], &MODEL[..]].concat());
    assert_eq!(asking.content().len(), 2);
    let (status, code, message, data) = asking.refused(&[&["none.pdf"], &MODEL[..]].concat());
    let why = "compatible/local-model takes no pictures, and the PDF has no extractable text";
    assert_eq!((status, code.as_str()), (2, "model_error"));
    assert_eq!(message, format!("PDF model failed (compatible/local-model): {why}"));
    assert_eq!(data["attempts"], json!([super::attempt("compatible", "local-model", why)]));
    assert_eq!(asking.provider.seen().len(), 1, "nothing was sent");
}

#[test]
fn text_over_its_bound_is_cut_between_pages_and_says_so() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_MAX_TEXT_CHARS", "700");
    let text = words(300);
    let pdf = asking.place.file("long.pdf", pdf_of(&[&text, &text, &text], [1_900, 300]));
    let value = asking.answered(&[&[pdf.as_str()], &MODEL[..]].concat());
    let left = &value["details"]["sent"][0]["left"];
    assert_eq!(left["pages"], "3");
    assert_eq!(left["reason"], "pdf_max_text_chars is 700 for all PDFs together");
}
