//! Questions that are refused, and PDFs that cannot be sent.

use serde_json::json;

use super::{Asking, data_of, pdf_of};
use crate::support::program::Place;
use crate::support::{fixture, small_pdf};

#[track_caller]
fn check(arguments: &[&str], code: &str, message: &str) {
    let asking = Asking::new([]);
    asking.place.file("one.pdf", small_pdf(1));
    asking.place.file("page.html", "<!DOCTYPE html><html><body>Sign in</body></html>");
    asking.place.copied("encrypted-password.pdf");
    let (status, found, said, _) = asking.refused(arguments);
    assert_eq!((status, found.as_str(), said.as_str()), (1, code, message));
    assert_eq!(asking.provider.seen().len(), 0, "nothing was sent");
}

#[test]
fn bad_arguments_are_refused_in_their_order() {
    let eleven = (0..11).map(|at| format!("{at}.pdf")).collect::<Vec<_>>();
    let eleven = eleven.iter().map(String::as_str).collect::<Vec<_>>();
    check(&[""], "validation_error", "pdf required: provide a path or URL to a PDF document");
    check(&eleven, "too_many_pdfs", "Too many PDFs: 11 given, 10 at most");
    let ftp = "Unsupported PDF reference: ftp://host/a.pdf. Accepted: a path, file://, http:// and https://";
    check(&["one.pdf", "ftp://host/a.pdf", "--max-bytes-mb", "0"], "unsupported_pdf_reference", ftp);
    for megabytes in ["0", "-1"] {
        let arguments = ["missing.pdf", "--max-bytes-mb", megabytes];
        check(&arguments, "validation_error", "--max-bytes-mb must be greater than 0");
    }
    let remote = "Remote PDFs are refused in sandbox mode: https://host/a.pdf";
    check(&["https://host/a.pdf", "--require-sandbox"], "unsupported_pdf_reference", remote);
    let remote = "Remote PDFs are refused offline, because offline is set: https://host/a.pdf";
    check(&["one.pdf", "https://host/a.pdf", "--offline"], "unsupported_pdf_reference", remote);
    let form = "Parameter '--model' must be of the form provider/model, like \"openai/gpt-5-mini\"";
    check(&["one.pdf", "--model", "claude"], "validation_error", form);
    check(
        &["one.pdf", "--model", "nobody/x"],
        "no_model",
        "The model cannot be asked: no provider is called 'nobody'; known are anthropic, google, openai, compatible, \
         openrouter, mistral, groq, xai, deepseek",
    );
    check(
        &["one.pdf", "--model", "mistral/x"],
        "no_model",
        "The model cannot be asked: no key for mistral: set MISTRAL_API_KEY",
    );
}

#[test]
fn bad_files_are_refused_as_everywhere() {
    check(&["missing.pdf"], "file_not_found", "File not found: missing.pdf");
    check(&["."], "permission_denied", "Cannot read file: .");
    let html = "Not a PDF: page.html: no PDF header in the first 1,024 bytes; the file begins with \
                \"<!DOCTYPE html><\"";
    check(&["page.html"], "not_a_pdf", html);
    let locked = "Encrypted PDF: encrypted-password.pdf: a password is needed";
    check(&["encrypted-password.pdf"], "encrypted", locked);
    let wrong = "Encrypted PDF: encrypted-password.pdf: the password is wrong";
    check(&["encrypted-password.pdf", "--password", "x"], "encrypted", wrong);
    check(&["one.pdf", "--pages", "2"], "invalid_page", "Page 2 out of range (document has 1 pages)");
    check(&["one.pdf", "--pages", "5-2"], "invalid_page_range", "Invalid page range: 5-2 (document has 1 pages)");
}

#[test]
fn a_file_over_its_bound_names_the_setting() {
    let asking = Asking::new([]).with("PAGEWISE_PDF_MAX_BYTES_MB", "1");
    let mut bytes = small_pdf(1);
    let padding = (1 << 20) + 1 - bytes.len();
    bytes.extend(vec![b'\n'; padding]);
    asking.place.file("large.pdf", &bytes);
    let message = "File too large: large.pdf has 1048577 bytes, and pdf_max_bytes_mb is 1 MiB";
    let (status, code, said, _) = asking.refused(&["large.pdf"]);
    assert_eq!((status, code.as_str(), said.as_str()), (1, "too_large", message));
    bytes.pop();
    asking.place.file("large.pdf", &bytes);
    asking.answered(&["large.pdf"]);
    bytes.push(b'\n');
    asking.place.file("large.pdf", &bytes);
    asking.answered(&["large.pdf", "--max-bytes-mb", "1.5"]);
    let (_, _, said, _) = asking.refused(&["large.pdf", "--max-bytes-mb", "0.5"]);
    assert_eq!(said, "File too large: large.pdf has 1048577 bytes, and '--max-bytes-mb' is 0.5 MiB");
}

#[test]
fn without_any_model_nothing_is_asked() {
    let place = Place::new();
    place.file("one.pdf", small_pdf(1));
    let (status, code, message) = place.refused(&["ask", "one.pdf"]);
    assert_eq!((status, code.as_str()), (1, "no_model"));
    assert_eq!(message, "No model is set up to answer questions about PDFs");
}

#[test]
fn a_bad_pdf_does_not_lose_the_good_ones() {
    let asking = Asking::new([]);
    asking.place.file("a.pdf", pdf_of(&["a"], [200, 200]));
    asking.place.file("b.pdf", pdf_of(&["b", "b"], [200, 200]));
    asking.place.file("page.html", "<html></html>");
    let files = ["missing.pdf", "a.pdf", "page.html", &fixture("encrypted-password.pdf"), "b.pdf"];
    let value = asking.answered(&[&files[..], &["--pages", "2"]].concat());
    assert_eq!(asking.content().iter().filter_map(data_of).collect::<Vec<_>>(), [asking.page("b.pdf", 2)]);
    let entries = value["details"]["pdfs"].as_array().unwrap();
    let codes = entries.iter().map(|entry| entry["error"]["code"].as_str().unwrap_or("sent")).collect::<Vec<_>>();
    assert_eq!(codes, ["file_not_found", "invalid_page", "not_a_pdf", "encrypted", "sent"]);
    let remarks = value["content"][1]["text"].as_str().unwrap();
    assert!(remarks.starts_with("Untrusted content of b.pdf: "), "{remarks}");
    assert!(remarks.contains("\nNot sent: missing.pdf: File not found: missing.pdf\n"), "{remarks}");
}

#[test]
fn where_no_pdf_is_good_the_first_is_told_and_all_are_named() {
    let asking = Asking::new([]);
    let (status, code, message, data) = asking.refused(&["missing.pdf", "."]);
    assert_eq!((status, code.as_str(), message.as_str()), (1, "file_not_found", "File not found: missing.pdf"));
    assert_eq!(data["pdfs"][1]["error"], json!({ "code": "permission_denied", "message": "Cannot read file: ." }));
}

#[test]
fn the_strict_rule_refuses_pages_to_models_that_take_pdfs() {
    let asking = Asking::new([]).with("PAGEWISE_STRICT_NATIVE_PAGES", "true");
    asking.place.file("one.pdf", small_pdf(1));
    let (status, code, message, _) = asking.refused(&["one.pdf", "--pages", "1"]);
    assert_eq!((status, code.as_str()), (1, "validation_error"));
    assert_eq!(message, "pages is not supported with native PDF providers");
    asking.answered(&["one.pdf"]);
    asking.answered(&["one.pdf", "--pages", "1", "--model", "compatible/x"]);
}

#[test]
fn settings_of_the_wrong_form_are_named() {
    for (name, value, form) in [
        ("PDF_MODEL_PRIMARY", "claude", "'pdf_model.primary' must be of the form provider/model"),
        ("PDF_MAX_PAGES", "many", "'PAGEWISE_PDF_MAX_PAGES' must be a whole number"),
        ("STRICT_NATIVE_PAGES", "perhaps", "'PAGEWISE_STRICT_NATIVE_PAGES' must be true or false"),
    ] {
        let asking = Asking::new([]).with(&format!("PAGEWISE_{name}"), value);
        asking.place.file("one.pdf", small_pdf(1));
        let (status, code, message, _) = asking.refused(&["one.pdf"]);
        assert_eq!((status, code.as_str()), (1, "validation_error"));
        assert_eq!(message, format!("Setting {form}"));
    }
}
