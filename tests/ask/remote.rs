//! PDFs from elsewhere.

use serde_json::json;

use super::{Asking, base64, data_of, pdf_of};
use crate::support::site::{Site, ok, to};

fn site() -> Site {
    Site::start(|asked| match asked.path.as_str() {
        "/a.pdf" => ok("application/pdf", pdf_of(&["a"], [200, 200])),
        "/moved" => to("/a.pdf"),
        _ => ok("text/html", "<html><body>Sign in</body></html>"),
    })
}

fn asking() -> Asking {
    Asking::new([]).with("PAGEWISE_WEB_ALLOW_RANGES", "127.0.0.0/8")
}

#[test]
fn a_pdf_from_a_url_is_sent_and_marked_as_such() {
    let (asking, site) = (asking(), site());
    let url = site.url("/a.pdf");
    let details = asking.answered(&[&url])["details"].clone();
    let data = asking.content().iter().filter_map(data_of).collect::<Vec<_>>();
    assert_eq!(data, [base64(&pdf_of(&["a"], [200, 200]))]);
    assert_eq!((&details["pdf"], &details["resultContentSource"]), (&json!(url), &json!("network")));
    assert_eq!(site.count("/a.pdf"), 1, "fetched once");
}

#[test]
fn a_page_where_a_pdf_was_promised_does_not_lose_the_others() {
    let (asking, site) = (asking(), site());
    asking.place.file("b.pdf", pdf_of(&["b"], [200, 200]));
    let page = site.url("/login.pdf");
    let value = asking.answered(&[&page, "b.pdf"]);
    assert_eq!(value["details"]["pdfs"][0]["error"]["code"], "not_a_pdf", "{value}");
    assert_eq!(asking.content().iter().filter_map(data_of).count(), 1);
    assert!(value["details"].get("resultContentSource").is_none(), "what came from elsewhere was not sent");
}

#[test]
fn what_a_conversation_fetched_is_asked_about_in_it_alone() {
    let (asking, site) = (asking(), site());
    let run = |arguments: &[&str]| asking.place.json(arguments).1;
    let fetched = run(&["fetch", &site.url("/a.pdf"), "--conversation", "mine"]);
    let id = fetched["details"]["responseId"].as_str().unwrap();
    let value = asking.answered(&[id, "--conversation", "mine"]);
    assert_eq!(value["details"]["rewrittenFrom"], json!(id), "{value}");
    assert_eq!(asking.content().iter().filter_map(data_of).count(), 1);
    for others in [&[id, "--conversation", "yours"][..], &[id]] {
        let (status, code, ..) = asking.refused(others);
        assert_eq!((status, code.as_str()), (1, "content_not_found"));
    }
    let (_, code, ..) = asking.refused(&["missing.pdf", "--conversation", "a\nb"]);
    assert_eq!(code, "validation_error");
    assert_eq!(site.count("/a.pdf"), 1);
}

#[test]
fn inner_addresses_are_refused() {
    let site = site();
    let asking = Asking::new([]).with("PAGEWISE_WEB_ALLOW_RANGES", "");
    let (status, code, ..) = asking.refused(&[&site.url("/a.pdf")]);
    assert_eq!((status, code.as_str(), site.asked().len()), (1, "blocked_address", 0));
}
