//! Requests stay within what providers take.

use serde_json::{Value, json};

use super::{Asking, base64, content_of, data_of};
use crate::support::{file_of, small_pdf};

/// Documents in the last request.
fn documents(asking: &Asking) -> usize {
    let seen = asking.provider.seen();
    content_of(&seen.last().unwrap().body).iter().filter(|block| data_of(block).is_some()).count()
}

fn left(value: &Value) -> (&Value, &Value) {
    (&value["details"]["sent"][0]["left"]["pages"], &value["details"]["sent"][0]["form"])
}

#[test]
fn a_hundred_pages_go_whole_and_one_more_as_pages() {
    let asking = Asking::new([]);
    asking.place.file("100.pdf", small_pdf(100));
    asking.place.file("101.pdf", small_pdf(101));
    let small = ["--model", "anthropic/claude-haiku-4-5"];
    let value = asking.answered(&[&["100.pdf"], &small[..]].concat());
    assert_eq!((left(&value), documents(&asking)), ((&Value::Null, &json!("whole")), 1));
    let value = asking.answered(&[&["101.pdf"], &small[..]].concat());
    assert_eq!((left(&value), documents(&asking)), ((&json!("21-101"), &json!("pages")), 20));
    let value = asking.answered(&["101.pdf", "--model", "anthropic/claude-sonnet-4-6"]);
    assert_eq!((left(&value), documents(&asking)), ((&Value::Null, &json!("whole")), 1));
}

#[test]
fn ten_pdfs_share_the_bytes_of_a_request() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "460000");
    let names = (0..10).map(|at| format!("{at}.pdf")).collect::<Vec<_>>();
    names.iter().for_each(|name| drop(asking.place.file(name, small_pdf(20))));
    let mut arguments = names.iter().map(String::as_str).collect::<Vec<_>>();
    arguments.extend(["--pages", "1-20"]);
    let value = asking.answered(&arguments);
    // A tenth of the bytes each does not do for twenty documents; what the first leave does for the last.
    let sent = value["details"]["sent"].as_array().unwrap();
    let forms = sent.iter().map(|sent| sent["form"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!((forms[0], forms[9]), ("joined", "pages"), "{forms:?}");
    assert!(documents(&asking) < 100);
    assert!(sent.iter().all(|sent| sent["pages"] == "1-20" && sent.get("left").is_none()), "{value}");
}

#[test]
fn a_page_bound_is_shared_too_and_what_is_left_is_named() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_MAX_PAGES", "50");
    let names = (0..4).map(|at| format!("{at}.pdf")).collect::<Vec<_>>();
    names.iter().for_each(|name| drop(asking.place.file(name, small_pdf(30))));
    let mut arguments = names.iter().map(String::as_str).collect::<Vec<_>>();
    arguments.extend(["--pages", "1-30", "--model", "anthropic/claude-haiku-4-5"]);
    let value = asking.answered(&arguments);
    let sent = value["details"]["sent"].as_array().unwrap();
    assert!(sent.iter().all(|sent| sent["form"] == "pages" && sent["left"]["pages"] == "26-30"), "{value}");
    assert_eq!(documents(&asking), 100);
}

/// A PDF of so many pages, each with a form field; pages of one group have one value.
fn form_pdf(groups: &[u32]) -> Vec<u8> {
    let pages = u32::try_from(groups.len()).unwrap();
    let list = |from: u32| (from..from + pages).map(|number| format!("{number} 0 R")).collect::<Vec<_>>().join(" ");
    let mut objects = vec![
        format!("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{}]>>>>", list(3 + pages)),
        format!("<</Type/Pages/Kids[{}]/Count {pages}>>", list(3)),
    ];
    let annotations = (3 + pages..).take(groups.len());
    objects
        .extend(annotations.map(|field| format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Annots[{field} 0 R]>>")));
    objects.extend(groups.iter().map(|value| format!("<</FT/Tx/T(a)/V({value})/Subtype/Widget/Rect[0 0 9 9]>>")));
    file_of(&objects)
}

/// Titles of the documents in the only request.
fn titles(asking: &Asking) -> Vec<String> {
    let titled = asking.content().into_iter().filter(|block| data_of(block).is_some());
    titled.map(|block| block["title"].as_str().unwrap().to_owned()).collect()
}

/// Fewer bytes than 120 documents take, and more than their pages in one.
fn narrow() -> Asking {
    Asking::new([]).with("PAGEWISE_PDF_MAX_PAGES", "150").with("PAGEWISE_PDF_REQUEST_BYTES", "400000")
}

#[test]
fn a_large_window_takes_more_pages_than_a_small_one() {
    let pages = |model: &str| {
        let asking = Asking::new([]).with("PAGEWISE_PDF_MAX_PAGES", "150");
        asking.place.file("large.pdf", small_pdf(130));
        let value = asking.answered(&["large.pdf", "--pages", "2-121", "--model", model]);
        (documents(&asking), left(&value).0.clone())
    };
    assert_eq!(pages("anthropic/claude-opus-5-5"), (120, Value::Null));
    assert_eq!(pages("anthropic/claude-haiku-4-5"), (100, json!("102-121")));
}

#[test]
fn pages_that_do_not_fit_one_by_one_go_as_one_pdf() {
    let asking = narrow();
    asking.place.file("large.pdf", small_pdf(130));
    let value = asking.answered(&["large.pdf", "--pages", "2-121"]);
    assert_eq!(titles(&asking), ["large.pdf - Pages 2-121"]);
    asking.place.run(&["split", "large.pdf", "--pages", "2-121", "--out", "expected.pdf"]);
    let expected = std::fs::read(asking.place.path("expected.pdf")).unwrap();
    assert_eq!(data_of(&asking.content()[0]).unwrap(), base64(&expected));
    let sent = json!([{ "pdf": "large.pdf", "totalPages": 130, "form": "joined", "pages": "2-121",
        "bytes": expected.len() }]);
    assert_eq!(value["details"]["sent"], sent);
    let remarks = value["content"][1]["text"].as_str().unwrap();
    assert!(!remarks.contains("Only pages"), "{remarks}");
}

#[test]
fn pages_that_cannot_be_one_pdf_go_as_two() {
    let asking = narrow();
    asking.place.file("form.pdf", form_pdf(&[[1; 50].as_slice(), &[2; 70]].concat()));
    let value = asking.answered(&["form.pdf", "--pages", "1-120"]);
    assert_eq!(titles(&asking), ["form.pdf - Pages 1-50", "form.pdf - Pages 51-120"]);
    assert_eq!(left(&value), (&Value::Null, &json!("joined")));
}

#[test]
fn pages_that_cannot_be_joined_go_one_by_one_and_the_rest_is_named() {
    let asking = narrow();
    asking.place.file("form.pdf", form_pdf(&(0..120).collect::<Vec<_>>()));
    let value = asking.answered(&["form.pdf", "--pages", "1-120"]);
    let sent = documents(&asking);
    let rest = format!("{}-120", sent + 1);
    assert!(sent > 40 && sent < 119, "{sent}");
    assert_eq!(left(&value), (&json!(rest), &json!("pages")));
    assert_eq!(data_of(&asking.content()[0]).unwrap(), asking.page("form.pdf", 1));
    let reason = "a request to anthropic/claude-sonnet-4-6 takes at most 400000 bytes (pdf_request_bytes), 600 \
                  pages, 600 documents and pictures; they cannot go as one PDF: the form field \"a\" has different values on two pages";
    assert_eq!(value["details"]["sent"][0]["left"]["reason"], reason);
    let remarks = value["content"][1]["text"].as_str().unwrap();
    let next = format!("For pages {rest}, call pdf with pdf: \"form.pdf\" and pages: \"{rest}\".");
    assert!(
        remarks.contains(&format!("Only pages 1-{sent} of form.pdf reached the model: {reason}. {next}")),
        "{remarks}"
    );
}

#[test]
fn a_file_over_the_bytes_of_a_request_goes_as_pages_that_share_their_fonts() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "300000");
    let pdf = asking.place.copied("latex.pdf");
    let value = asking.answered(&[&pdf]);
    // One by one two would fit.
    assert_eq!((left(&value), documents(&asking)), ((&json!("6-8"), &json!("joined")), 1));
    assert_eq!(titles(&asking), ["latex.pdf - Pages 1-5"]);
    let seen = asking.provider.seen();
    assert!(seen[0].length <= 300_000, "{}", seen[0].length);
    let remarks = value["content"][1]["text"].as_str().unwrap();
    let named = "Only pages 1-5 of latex.pdf reached the model: a request to anthropic/claude-sonnet-4-6 takes at most \
                 300000 bytes (pdf_request_bytes), 600 pages, 600 documents and pictures. For pages 6-8, call pdf";
    assert!(remarks.contains(named), "{remarks}");
}

#[test]
fn a_joined_pdf_names_its_file_for_those_who_want_one() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "300000");
    let pdf = asking.place.copied("latex.pdf");
    asking.answered(&[&pdf, "--pages", "1-2,4", "--model", "openai/gpt-5-mini"]);
    let seen = asking.provider.seen();
    assert!(seen[0].length <= 300_000, "{}", seen[0].length);
    let content = content_of(&seen[0].body);
    let names = content.iter().filter_map(|block| block["filename"].as_str().map(str::to_owned));
    assert_eq!(names.collect::<Vec<_>>(), ["latex-pages-1-2,4.pdf"]);
}

#[test]
fn a_request_that_cannot_fit_is_not_sent() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "20000");
    let pdf = asking.place.copied("latex.pdf");
    let (status, code, message, _) = asking.refused(&[&pdf]);
    assert_eq!((status, code.as_str()), (2, "model_error"));
    let expected = "PDF model failed (anthropic/claude-sonnet-4-6): a request to anthropic/claude-sonnet-4-6 takes at \
                    most 20000 bytes (pdf_request_bytes), 600 pages, 600 documents and pictures";
    assert_eq!(message, expected);
    let prompt = "x".repeat(100_000);
    let small = asking.place.file("one.pdf", small_pdf(1));
    assert_eq!(asking.refused(&[&small, "--prompt", &prompt]).0, 2);
    assert_eq!(asking.provider.seen().len(), 0);
}

#[test]
fn a_small_pdf_leaves_its_share_to_a_large_one() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "350000");
    asking.place.copied("latex.pdf");
    asking.place.file("one.pdf", small_pdf(1));
    let value = asking.answered(&["latex.pdf", "one.pdf"]);
    let forms = value["details"]["sent"].as_array().unwrap().iter().map(|sent| sent["form"].clone());
    assert_eq!(forms.collect::<Vec<_>>(), ["whole", "whole"]);
}
