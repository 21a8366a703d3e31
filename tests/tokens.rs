//! Tokens of an issuer over HTTP: who they stand for, which are refused, and how the keys come.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed test may stop where it stands"
)]

use std::io::{Read, Write};
use std::time::Duration;

use pagewise_issuer::{IssuerSettings, RefreshTimes, TokenError, TokenVerifier};
use pagewise_view::Principal;
use serde_json::{Value, json};

use crate::support::http::{Response, Server, stateless_message};
use crate::support::issuer::{AUDIENCE, Issuer, IssuerKey, encoded, metadata, now};
use crate::support::mutate::Chance;
use crate::support::program::{Place, texts};
use crate::support::site::{ok, raw, status, to};
use crate::support::small_pdf;

/// Times at which keys are fetched whenever one is unknown.
const EAGER: RefreshTimes =
    RefreshTimes { between: Duration::ZERO, stale: Duration::from_secs(3_600), expired: Duration::from_secs(3_600) };

fn settings(issuer: &Issuer) -> IssuerSettings {
    IssuerSettings { issuer: issuer.name(), audience: AUDIENCE.to_owned(), scopes: Vec::new(), ca_file: None }
}

/// What a verifier says of a token.
struct Judge {
    runtime: tokio::runtime::Runtime,
    verifier: TokenVerifier,
}

impl Judge {
    fn new(settings: IssuerSettings, times: RefreshTimes) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let verifier = TokenVerifier::with_times(settings, times, |_| {}).unwrap();
        Self { runtime, verifier }
    }

    fn principal(&self, token: &str) -> Result<Principal, TokenError> {
        self.runtime.block_on(self.verifier.principal(token))
    }
}

fn server(place: &Place, issuer: &Issuer, flags: &[&str]) -> Server {
    let (name, audience) = (format!("http_issuer={}", issuer.name()), format!("http_audience={AUDIENCE}"));
    Server::start(place, &[&["--set", &name, "--set", &audience], flags].concat())
}

fn list(server: &Server, authorization: &str) -> Response {
    let (message, headers) = stateless_message("opencode", "tools/list", json!({}));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    server.post(&message, &[&headers[..], &[("Authorization", authorization)]].concat())
}

#[test]
fn a_subject_of_the_issuer_is_a_principal_beside_those_of_the_settings() {
    let keys = [IssuerKey::rsa("r"), IssuerKey::ecdsa("e"), IssuerKey::ed("d")];
    let issuer = Issuer::start(&keys.each_ref());
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let server = server(&place, &issuer, &["--set", "http_tokens=secret"]);
    let ask = |token: &str, conversation: Option<&str>| {
        let arguments = json!({ "filePath": pdf, "pdfPage": 1, "conversation": conversation });
        let arguments = if conversation.is_some() { arguments } else { json!({ "filePath": pdf, "pdfPage": 1 }) };
        server.call("opencode", "get_file", arguments, &[("Authorization", &format!("Bearer {token}"))])
    };
    let own = ask(&keys[0].token(&issuer.claims("zoë")), None);
    let text = texts(&own).join("\n");
    let start = text.find("conv_").unwrap_or_else(|| panic!("{text}"));
    let conversation = &text[start..start + "conv_".len() + 32];
    for key in &keys {
        let same = ask(&key.token(&issuer.claims("zoë")), Some(conversation));
        assert_eq!(same["isError"], false, "the same subject, by another key: {same}");
    }
    for other in [keys[1].token(&issuer.claims("zoe")), "secret".to_owned()] {
        let foreign = ask(&other, Some(conversation));
        assert_eq!(foreign["_meta"]["io.github.pagewise/error"]["code"], "unknown_conversation");
    }
    assert_eq!(issuer.fetches(), 1);
}

/// Tokens that are refused, by what is wrong with them.
fn refused(issuer: &Issuer, key: &IssuerKey, stranger: &IssuerKey) -> Vec<(String, String)> {
    let good = issuer.claims("ann");
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        (format!("{name}: {}", claims[name]), key.token(&claims))
    };
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        (format!("without {name}"), key.token(&claims))
    };
    let headed = |header: Value| (header.to_string(), key.signed(&header, &good));
    let token = key.token(&good);
    let parts = token.split('.').collect::<Vec<_>>();
    let none = encoded(json!({ "alg": "none", "typ": "JWT" }).to_string());
    // A signature with the public key as the secret, as attackers of mixed algorithms make it.
    let public = key.public()["x"].as_str().unwrap_or_default().to_owned();
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, public.as_bytes());
    let symmetric = format!("{}.{}", encoded(json!({ "alg": "HS256", "kid": "k" }).to_string()), parts[1]);
    let symmetric = format!("{symmetric}.{}", encoded(ring::hmac::sign(&secret, symmetric.as_bytes())));
    let own_key = json!({ "alg": "ES256", "kid": "k", "jwk": stranger.public() });
    let mut cases = vec![
        with("iss", json!("https://login.example")),
        with("iss", json!([issuer.name()])),
        with("aud", json!("https://other.example")),
        with("aud", json!([])),
        with("aud", json!({ "a": AUDIENCE })),
        with("sub", json!("")),
        with("sub", json!(7)),
        with("sub", json!("x".repeat(2_000))),
        with("exp", json!(now() - 60)),
        with("exp", json!((now() + 60).to_string())),
        with("exp", json!(-1)),
        with("exp", json!(null)),
        with("nbf", json!(now() + 120)),
        with("nbf", json!("0")),
        without("iss"),
        without("aud"),
        without("sub"),
        without("exp"),
        headed(json!({ "alg": "RS256", "kid": "k" })),
        headed(json!({ "alg": "ES384", "kid": "k" })),
        headed(json!({ "alg": "HS256", "kid": "k" })),
        headed(json!({ "alg": "none" })),
        headed(json!({ "kid": "k" })),
        headed(json!({ "alg": "ES256", "kid": "k", "crit": ["exp"] })),
        headed(json!({ "alg": "ES256", "kid": "k", "typ": "logout+jwt" })),
        headed(json!({ "alg": "ES256", "kid": "unknown" })),
        headed(json!({ "alg": "ES256", "kid": "../k" })),
        ("another's key".into(), stranger.signed(&json!({ "alg": "ES256", "kid": "k" }), &good)),
        ("a key in the token".into(), stranger.signed(&own_key, &good)),
        ("the public key as a secret".into(), symmetric),
        ("no algorithm and no signature".into(), format!("{none}.{}.", parts[1])),
        ("no signature".into(), format!("{}.{}.", parts[0], parts[1])),
        ("two parts".into(), format!("{}.{}", parts[0], parts[1])),
        ("five parts".into(), format!("{token}.{}.{}", parts[1], parts[2])),
        ("empty parts".into(), "..".into()),
        ("a long one".into(), format!("{}.{}.{}", parts[0], "A".repeat(17_000), parts[2])),
        ("a deep one".into(), format!("{}.{}.{}", encoded("[".repeat(9_000)), parts[1], parts[2])),
        ("padding".into(), format!("{}=.{}.{}", parts[0], parts[1], parts[2])),
    ];
    let twice = |claims: &str| {
        let text = claims.replacen('{', &format!("{{\"sub\":\"root\",\"exp\":{},", now() + 600), 1);
        key.signed_text(&json!({ "alg": "ES256", "kid": "k" }), &text)
    };
    cases.push(("claims twice".into(), twice(&good.to_string())));
    cases
}

#[test]
fn a_token_with_anything_wrong_is_refused() {
    let (key, stranger) = (IssuerKey::ecdsa("k"), IssuerKey::ecdsa("k"));
    let issuer = Issuer::start(&[&key]);
    let judge = Judge::new(settings(&issuer), EAGER);
    assert!(judge.principal(&key.token(&issuer.claims("ann"))).is_ok());
    for (what, token) in refused(&issuer, &key, &stranger) {
        assert_eq!(judge.principal(&token), Err(TokenError::Invalid), "{what}");
    }
    let several = json!({ "iss": issuer.name(), "aud": ["x", AUDIENCE], "sub": "ann", "exp": now() + 60 });
    assert_eq!(judge.principal(&key.token(&several)), judge.principal(&key.token(&issuer.claims("ann"))));
    let late = |seconds: u64| {
        let mut claims = issuer.claims("ann");
        claims["exp"] = json!(now() - seconds);
        judge.principal(&key.token(&claims)).is_ok()
    };
    assert_eq!([late(10), late(60)], [true, false], "clocks may differ a little");
}

#[test]
fn thousands_of_damaged_tokens_are_refused_and_the_good_one_goes_on() {
    let key = IssuerKey::ed("k");
    let issuer = Issuer::start(&[&key]);
    let never = RefreshTimes { between: Duration::from_secs(3_600), ..EAGER };
    let judge = Judge::new(settings(&issuer), never);
    let token = key.token(&issuer.claims("ann"));
    let ann = judge.principal(&token);
    assert!(ann.is_ok());
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=\"\\ {}\x7f";
    let mut chance = Chance::new(7);
    for round in 0..7_000 {
        let mut bytes = token.clone().into_bytes();
        let at = chance.below(bytes.len());
        match round % 4 {
            0 => bytes[at] = alphabet[chance.below(alphabet.len())],
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, alphabet[chance.below(alphabet.len())]),
            _ => bytes.truncate(at),
        }
        let damaged = String::from_utf8(bytes).unwrap();
        let expected = if damaged == token { ann } else { Err(TokenError::Invalid) };
        assert_eq!(judge.principal(&damaged), expected, "{damaged}");
    }
    assert_eq!(judge.principal(&token), ann);
    assert_eq!(issuer.fetches(), 1);
}

#[test]
fn keys_are_rotated_without_a_restart() {
    let (first, second) = (IssuerKey::ecdsa("1"), IssuerKey::ed("2"));
    let issuer = Issuer::start(&[&first]);
    let judge = Judge::new(settings(&issuer), EAGER);
    let claims = issuer.claims("ann");
    let ann = judge.principal(&first.token(&claims));
    assert!(ann.is_ok());
    assert_eq!(judge.principal(&second.token(&claims)), Err(TokenError::Invalid), "not published");
    issuer.publish(&[&first, &second]);
    assert_eq!(judge.principal(&second.token(&claims)), ann);
    issuer.publish(&[&second]);
    // A withdrawn key counts until the keys are fetched again, which any unknown key causes.
    assert_eq!(judge.principal(&IssuerKey::ed("3").token(&claims)), Err(TokenError::Invalid));
    assert_eq!(judge.principal(&first.token(&claims)), Err(TokenError::Invalid));
    assert_eq!(judge.principal(&second.token(&claims)), ann);
}

#[test]
fn unknown_keys_ask_the_issuer_once_in_a_while() {
    let key = IssuerKey::ecdsa("k");
    let issuer = Issuer::start(&[&key]);
    let judge = Judge::new(settings(&issuer), RefreshTimes { between: Duration::from_secs(3_600), ..EAGER });
    for id in 0..100 {
        let token = key.signed(&json!({ "alg": "ES256", "kid": id.to_string() }), &issuer.claims("ann"));
        assert_eq!(judge.principal(&token), Err(TokenError::Invalid));
    }
    assert_eq!(issuer.fetches(), 1);
    assert!(judge.principal(&key.token(&issuer.claims("ann"))).is_ok());
}

#[test]
fn an_issuer_that_misbehaves_yields_no_keys() {
    let key = IssuerKey::ecdsa("k");
    let public = key.public();
    type Change = fn(&crate::support::site::Asked) -> Option<crate::support::site::Answer>;
    let changes: [(&str, Change); 6] = [
        ("another's metadata", |asked| {
            let of_another = json!({ "issuer": "https://login.example", "jwks_uri": metadata(asked)["jwks_uri"] });
            (asked.path.starts_with("/.well-known")).then(|| ok("application/json", of_another.to_string()))
        }),
        ("keys without TLS", |asked| {
            let changed = json!({ "issuer": metadata(asked)["issuer"], "jwks_uri": "http://login.example/keys" });
            (asked.path.starts_with("/.well-known")).then(|| ok("application/json", changed.to_string()))
        }),
        ("a redirect", |asked| (asked.path == "/keys").then(|| to("/other"))),
        ("too much", |asked| (asked.path == "/keys").then(|| ok("application/json", vec![b' '; (1 << 20) + 1]))),
        ("garbage", |asked| (asked.path == "/keys").then(|| ok("application/json", "keys"))),
        ("a broken answer", |asked| {
            (asked.path == "/keys").then(|| raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"))
        }),
    ];
    for (what, change) in changes {
        let issuer = Issuer::start_with(&[&key], change);
        let judge = Judge::new(settings(&issuer), EAGER);
        assert_eq!(judge.principal(&key.token(&issuer.claims("ann"))), Err(TokenError::Unavailable), "{what}");
    }
    let whole = Issuer::start_with(&[], move |asked| {
        (asked.path == "/keys").then(|| ok("text/plain", json!({ "keys": [7, {}, public] }).to_string()))
    });
    let judge = Judge::new(settings(&whole), EAGER);
    assert!(judge.principal(&key.token(&whole.claims("ann"))).is_ok(), "keys of other kinds are passed over");
}

#[test]
fn only_an_issuer_that_can_be_trusted_is_accepted() {
    for wrong in ["", "login.example", "http://login.example", "https://a.example?b", "https://a.example#b"] {
        let settings = IssuerSettings {
            issuer: wrong.to_owned(),
            audience: AUDIENCE.to_owned(),
            scopes: Vec::new(),
            ca_file: None,
        };
        assert!(TokenVerifier::new(settings, |_| {}).is_err(), "{wrong}");
    }
    let place = Place::new();
    let run = place.run(&["serve", "--http", "127.0.0.1:0", "--set", "http_issuer=https://login.example"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("Setting 'http_audience' is required"), "{}", run.stderr);
}

#[test]
fn a_refusal_leads_a_client_to_the_issuer() {
    let key = IssuerKey::ecdsa("k");
    let issuer = Issuer::start(&[&key]);
    let place = Place::new();
    let server = server(&place, &issuer, &["--set", "http_scopes=pdf:read"]);
    let challenge = |authorization: &str| {
        let refused = list(&server, authorization);
        (refused.status, refused.header("www-authenticate").unwrap_or_default().to_owned())
    };
    let where_to = "resource_metadata=\"https://pdf.example/.well-known/oauth-protected-resource/mcp\"";
    let scope = "scope=\"pdf:read\"";
    assert_eq!(challenge(""), (401, format!("Bearer {scope}, {where_to}")));
    let invalid = (401, format!("Bearer error=\"invalid_token\", {scope}, {where_to}"));
    assert_eq!(challenge("Bearer x"), invalid);
    let token = key.token(&issuer.claims("ann"));
    let insufficient = (403, format!("Bearer error=\"insufficient_scope\", {scope}, {where_to}"));
    assert_eq!(challenge(&format!("Bearer {token}")), insufficient);
    for granted in [json!({ "scope": "openid pdf:read" }), json!({ "scp": ["pdf:read"] })] {
        let mut claims = issuer.claims("ann");
        claims.as_object_mut().unwrap().extend(granted.as_object().unwrap().clone());
        assert_eq!(list(&server, &format!("Bearer {}", key.token(&claims))).status, 200);
    }
    let known = "/.well-known/oauth-protected-resource";
    for path in [known.to_owned(), format!("{known}/mcp")] {
        let metadata = server.request("GET", &path, &[], b"").json().unwrap();
        assert_eq!(metadata["resource"], AUDIENCE);
        assert_eq!(metadata["authorization_servers"], json!([issuer.name()]));
        assert_eq!(metadata["scopes_supported"], json!(["pdf:read"]));
    }
    assert_eq!(server.request("GET", &format!("{known}/other"), &[], b"").status, 404);
    assert_eq!(server.request("GET", known, &[("Host", "evil.example")], b"").status, 403);
}

#[test]
fn a_server_without_an_issuer_names_none() {
    let place = Place::new();
    let server = Server::start(&place, &["--set", "http_tokens=secret"]);
    assert_eq!(server.request("GET", "/.well-known/oauth-protected-resource", &[], b"").status, 404);
    assert_eq!(list(&server, "").header("www-authenticate"), Some("Bearer"));
    assert_eq!(list(&server, "Bearer x").header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
}

#[test]
fn without_keys_a_client_is_told_to_try_again_and_no_token_is_logged() {
    let key = IssuerKey::ecdsa("k");
    let issuer = Issuer::start_with(&[&key], |_| Some(status("503 Service Unavailable")));
    let place = Place::new();
    let server = server(&place, &issuer, &["--set", "http_tokens=hush"]);
    let token = key.token(&issuer.claims("ann"));
    let refused = list(&server, &format!("Bearer {token}"));
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(list(&server, "Bearer hush").status, 200, "tokens of the settings need no issuer");
    server.terminate();
    let (_, log) = server.ended();
    assert!(log.contains("http_issuer"), "{log}");
    for secret in ["hush", &token, token.rsplit('.').next().unwrap()] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn one_principal_does_not_take_the_requests_of_another() {
    let place = Place::new();
    let flags = ["--set", "http_tokens=one,two", "--set", "http_max_requests_per_principal=1"];
    let server = Server::start(&place, &flags);
    // A request whose body does not come. It is in the server's hands when the body is asked for.
    let headers = [("Authorization", "Bearer one"), ("Content-Length", "100"), ("Expect", "100-continue")];
    let mut stream = server.connect();
    stream.write_all(&server.bytes("POST", "/mcp", &headers, b"")).unwrap();
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    let refused = list(&server, "Bearer one");
    assert_eq!(refused.status, 503);
    assert!(refused.text().contains("http_max_requests_per_principal"), "{}", refused.text());
    assert_eq!(list(&server, "Bearer two").status, 200);
}
