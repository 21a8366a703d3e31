//! Any URL, and any addresses of its host: no address that is connected to is an inner one.
//!
//! A line of text is the URL; each further line is an address that a resolver answers with.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::web::{HostPattern, WebSettings, judged};
use std::net::IpAddr;

#[path = "../../tests/support/inner.rs"]
mod inner;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let url = lines.next().unwrap_or_default();
    let found: Vec<IpAddr> = lines.filter_map(|line| line.parse().ok()).collect();
    let settings = WebSettings::default();
    for url in [url.to_owned(), format!("http://{url}/"), format!("https://{url}:8443/a?b#c")] {
        let connected = judged(&url, &found, &settings).unwrap_or_default();
        assert!(!connected.iter().any(|address| inner::is_inner(*address)), "{url}: {connected:?}");
        // What is denied is denied, however it is spelled.
        let Ok(pattern) = url.parse::<HostPattern>() else { continue };
        let denied = WebSettings { deny_hosts: vec![pattern], ..WebSettings::default() };
        assert!(judged(&format!("http://{url}/"), &found, &denied).is_err(), "{url}");
    }
});
