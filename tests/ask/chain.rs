//! Models that fail: asked again, passed over, named.

use serde_json::{Value, json};

use super::{Asking, attempt};
use crate::support::provider::Say;
use crate::support::small_pdf;

const AT_ONCE: &[(&str, &str)] = &[("retry-after", "0")];

fn refusal(kind: &str, message: &str) -> String {
    json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string()
}

fn asking(script: Vec<Say>) -> Asking {
    let asking = Asking::new(script);
    asking.place.file("one.pdf", small_pdf(1));
    asking
}

/// The one model that is asked fails so.
#[track_caller]
fn check_fails(say: Say, requests: usize, code: &str, why: &str) -> Value {
    for model in ["anthropic/claude-sonnet-4-6", "google/gemini-x", "openai/gpt-x", "compatible/x"] {
        let mut asking = asking(vec![say.clone(); 4]).with("PAGEWISE_PDF_MAX_ANSWER_BYTES", "1000");
        // Whoever answers is given time to do so.
        if code == "timeout" {
            asking = asking.with("PAGEWISE_PDF_IDLE_TIMEOUT_MS", "300");
        }
        // A document for those that take one, a page for the other.
        let (status, found, message, data) = asking.refused(&["one.pdf", "--model", model]);
        assert_eq!((status, found.as_str()), (if code == "limit_exceeded" { 1 } else { 2 }, code), "{message}");
        assert_eq!(message, format!("PDF model failed ({model}): {why}"));
        let (provider, name) = model.split_once('/').unwrap();
        assert_eq!(data["attempts"], json!([attempt(provider, name, why)]));
        assert_eq!(asking.provider.seen().len(), requests, "{model}");
    }
    Value::Null
}

#[test]
fn refusals_that_do_not_pass_are_told_at_once() {
    for status in [400, 401, 403, 404, 413, 422] {
        let say = Say::Status(status, &[], refusal("invalid_request_error", "No\n such  thing"));
        check_fails(say, 1, "model_error", &format!("{status}: No such thing"));
    }
}

#[test]
fn refusals_that_may_pass_are_asked_again_three_times() {
    for status in [429, 500, 529] {
        let say = Say::Status(status, AT_ONCE, refusal("overloaded_error", "Overloaded"));
        check_fails(say, 4, "model_error", &format!("{status}: Overloaded"));
    }
}

#[test]
fn what_passes_has_no_attempts() {
    let busy = |status| Say::Status(status, AT_ONCE, refusal("rate_limit_error", "Slow down"));
    let asking = asking(vec![busy(429), busy(500), busy(529), Say::Text("At last.")]);
    let value = asking.answered(&["one.pdf"]);
    assert_eq!((&value["content"][0]["text"], &value["details"]["attempts"]), (&json!("At last."), &json!([])));
    let bodies = asking.provider.seen().into_iter().map(|seen| seen.body).collect::<Vec<_>>();
    assert!(bodies.iter().all(|body| *body == bodies[0]) && bodies.len() == 4);
}

#[test]
fn a_long_wait_or_a_used_up_quota_is_not_waited_for() {
    let wait = Say::Status(429, &[("retry-after", "3600")], refusal("rate_limit_error", "Slow down"));
    check_fails(wait, 1, "model_error", "429: Slow down");
    let date =
        Say::Status(529, &[("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT")], refusal("overloaded_error", "Full"));
    check_fails(date, 1, "model_error", "529: Full");
    let quota = Say::Status(429, AT_ONCE, refusal("insufficient_quota", "Pay"));
    check_fails(quota, 1, "model_error", "429: Pay");
}

#[test]
fn a_key_in_a_refusal_is_masked_and_a_long_one_abridged() {
    let asking =
        asking(vec![Say::Status(401, &[], refusal("x", &format!("Bad key planted-anthropic {}", "y".repeat(900))))]);
    let (_, _, message, _) = asking.refused(&["one.pdf"]);
    assert!(message.contains("401: Bad key *** yyy") && message.len() < 500, "{message}");
}

#[test]
fn refusals_without_a_shape_are_quoted() {
    check_fails(
        Say::Status(502, AT_ONCE, "<html>Bad\tGateway</html>".into()),
        4,
        "model_error",
        "502: <html>Bad Gateway</html>",
    );
    check_fails(Say::Status(400, &[], String::new()), 1, "model_error", "400: no explanation");
    check_fails(
        Say::Status(302, &[("location", "http://127.0.0.1:1/")], String::new()),
        1,
        "model_error",
        "302: no explanation",
    );
}

#[test]
fn silence_ends_with_the_idle_timeout() {
    let why = "pdf_idle_timeout_ms is 300 ms, and nothing arrived in that time";
    check_fails(Say::Silence, 1, "timeout", why);
    check_fails(Say::Stall("It beg"), 1, "timeout", why);
}

#[test]
fn all_models_together_have_their_time() {
    let asking = asking(vec![Say::Silence]).with("PAGEWISE_PDF_TIMEOUT_MS", "400");
    let (status, code, message, data) = asking.refused(&["one.pdf"]);
    assert_eq!((status, code.as_str()), (2, "timeout"));
    assert!(message.ends_with("pdf_timeout_ms is 400 ms, and the answer had not arrived by then"), "{message}");
    assert_eq!((&data["setting"], &data["limit"]), (&json!("pdf_timeout_ms"), &json!(400)));
}

#[test]
fn an_answer_that_breaks_off_is_no_answer() {
    check_fails(Say::End("It beg"), 1, "model_error", "the answer broke off: it ended early");
    let asking = asking(vec![Say::Drop("It beg")]);
    let (_, code, message, _) = asking.refused(&["one.pdf"]);
    assert_eq!(code, "model_error");
    assert!(message.contains("the answer broke off: "), "{message}");
}

#[test]
fn errors_within_an_answer_count_as_refusals() {
    check_fails(Say::Fail("It beg", "invalid_request_error"), 1, "model_error", "400: It went wrong");
    let asking = asking(vec![Say::Fail("", "overloaded_error"), Say::Text("At last.")]);
    assert_eq!(asking.answered(&["one.pdf"])["content"][0]["text"], "At last.");
}

#[test]
fn answers_that_make_no_sense() {
    let nonsense = "the answer cannot be understood: no JSON object where one is expected";
    check_fails(Say::Body("text/event-stream", "data: }{\n\n".into()), 1, "model_error", nonsense);
    check_fails(Say::Body("application/json", "}{".into()), 1, "model_error", nonsense);
    check_fails(
        Say::Body("application/json", "{}".into()),
        1,
        "model_error",
        "the answer cannot be understood: JSON that is not an answer",
    );
    check_fails(Say::Body("text/html", "<html>".into()), 1, "model_error", "the answer broke off: it ended early");
    let endless = Say::Body("text/event-stream", format!("data: {}", "x".repeat(5 << 20)));
    check_fails(endless, 1, "model_error", "the answer cannot be understood: an event without end");
}

#[test]
fn an_answer_without_text_is_none() {
    let asking = asking(vec![Say::Text("")]);
    let (_, code, message, _) = asking.refused(&["one.pdf"]);
    assert_eq!(code, "model_error");
    let expected = "PDF model failed (anthropic/claude-sonnet-4-6): the model returned no text (end_turn)";
    assert_eq!(message, expected);
}

#[test]
fn an_answer_over_its_bound_is_refused() {
    let long: &'static str = Box::leak("x".repeat(1_001).into_boxed_str());
    check_fails(Say::Text(long), 1, "limit_exceeded", "pdf_max_answer_bytes is 1000, and the answer is longer");
}

#[test]
fn a_server_that_is_not_there() {
    let asking = asking(Vec::new()).with("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
    let (_, code, message, _) = asking.refused(&["one.pdf"]);
    assert_eq!(code, "model_error");
    assert!(
        message.starts_with("PDF model failed (anthropic/claude-sonnet-4-6): cannot reach http://127.0.0.1:1: "),
        "{message}"
    );
}

#[test]
fn an_address_with_a_password_is_not_repeated_whole() {
    let asking = asking(Vec::new()).with("ANTHROPIC_BASE_URL", "http://me:planted-password@127.0.0.1:1/x");
    let (_, _, message, _) = asking.refused(&["one.pdf"]);
    assert!(message.contains("cannot reach http://127.0.0.1:1: "), "{message}");
    let asking = self::asking(Vec::new()).with("ANTHROPIC_BASE_URL", "not a URL");
    let (_, _, message, _) = asking.refused(&["one.pdf"]);
    assert!(message.contains("not a URL is not a valid address: "), "{message}");
}

#[test]
fn a_failing_model_falls_through_to_the_next() {
    let asking = asking(vec![Say::Status(400, &[], refusal("x", "No")), Say::Text("Second.")])
        .with("PAGEWISE_PDF_MODEL_PRIMARY", "anthropic/claude-a")
        .with("PAGEWISE_PDF_MODEL_FALLBACKS", "mistral/b, openai/gpt-c, google/never");
    let value = asking.answered(&["one.pdf"]);
    assert_eq!(value["details"]["model"], "openai/gpt-c");
    let attempts = json!([
        attempt("anthropic", "claude-a", "400: No"),
        attempt("mistral", "b", "no key for mistral: set MISTRAL_API_KEY"),
    ]);
    assert_eq!(value["details"]["attempts"], attempts);
    let remarks = value["content"][1]["text"].as_str().unwrap();
    assert!(remarks.contains("\nanthropic/claude-a failed: 400: No\n"), "{remarks}");
}

#[test]
fn where_all_fail_all_are_named() {
    let asking = asking(vec![Say::Status(400, &[], refusal("x", "No")), Say::Status(403, &[], refusal("x", "Never"))])
        .with("PAGEWISE_IMAGE_MODEL_PRIMARY", "anthropic/claude-a")
        .with("PAGEWISE_IMAGE_MODEL_FALLBACKS", "compatible/b");
    let (status, code, message, data) = asking.refused(&["one.pdf"]);
    assert_eq!((status, code.as_str()), (2, "model_error"));
    assert_eq!(message, "All PDF models failed. anthropic/claude-a: 400: No. compatible/b: 403: Never");
    let attempts = json!([attempt("anthropic", "claude-a", "400: No"), attempt("compatible", "b", "403: Never")]);
    assert_eq!(data["attempts"], attempts);
}

#[test]
fn what_a_failed_model_had_said_is_void() {
    let asking = asking(vec![Say::End("It beg"), Say::Text("Anew.")])
        .with("PAGEWISE_PDF_MODEL_PRIMARY", "anthropic/claude-a")
        .with("PAGEWISE_PDF_MODEL_FALLBACKS", "openai/gpt-c");
    let output = asking.run(&["one.pdf"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected =
        "It beg\n[The answer broke off here. The text above does not belong to the next one.]\nAnew.\n\nUntrusted";
    assert!(printed.starts_with(expected), "{printed}");
}
