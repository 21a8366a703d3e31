//! Requests stay within what providers take.

use serde_json::{Value, json};

use super::{Asking, content_of, data_of};
use crate::support::small_pdf;

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
fn ten_pdfs_share_the_hundred_documents() {
    let asking = Asking::new([]);
    let names = (0..10).map(|at| format!("{at}.pdf")).collect::<Vec<_>>();
    names.iter().for_each(|name| drop(asking.place.file(name, small_pdf(20))));
    let mut arguments = names.iter().map(String::as_str).collect::<Vec<_>>();
    arguments.extend(["--pages", "1-20"]);
    let value = asking.answered(&arguments);
    assert_eq!(documents(&asking), 100);
    let pages = value["details"]["sent"].as_array().unwrap().iter().map(|sent| sent["pages"].clone());
    assert_eq!(pages.collect::<Vec<_>>(), vec![json!("1-10"); 10]);
    let reason = value["details"]["sent"][9]["left"]["reason"].as_str().unwrap();
    assert!(reason.contains("100 documents and pictures"), "{reason}");
}

#[test]
fn a_file_over_the_bytes_of_a_request_goes_as_pages() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "300000");
    let pdf = asking.place.copied("latex.pdf");
    let value = asking.answered(&[&pdf]);
    assert_eq!(left(&value), (&json!("3-8"), &json!("pages")));
    let seen = asking.provider.seen();
    assert!(seen[0].length <= 300_000, "{}", seen[0].length);
}

#[test]
fn a_request_that_cannot_fit_is_not_sent() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_REQUEST_BYTES", "20000");
    let pdf = asking.place.copied("latex.pdf");
    let (status, code, message, _) = asking.refused(&[&pdf]);
    assert_eq!((status, code.as_str()), (2, "model_error"));
    let expected = "PDF model failed (anthropic/claude-sonnet-4-6): a request to anthropic/claude-sonnet-4-6 takes at \
                    most 20000 bytes, 600 pages, 100 documents and pictures";
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
