//! What may be fetched, from the environment: `PAGEWISE_` and the setting's name in capitals.

use std::env;
use std::str::FromStr;
use std::time::Duration;

use serde_json::json;

use crate::tool::{ToolError, WebSettings};

/// The defaults, with what the environment sets.
pub(super) fn from_environment() -> Result<WebSettings, ToolError> {
    let mut web = WebSettings { ca_file: env::var_os("PAGEWISE_CA_FILE").map(Into::into), ..WebSettings::default() };
    switch("PAGEWISE_OFFLINE", &mut web.offline)?;
    switch("PAGEWISE_WEB_REFERENCES", &mut web.references)?;
    list("PAGEWISE_WEB_ALLOW_HOSTS", &mut web.allow_hosts)?;
    list("PAGEWISE_WEB_DENY_HOSTS", &mut web.deny_hosts)?;
    list("PAGEWISE_WEB_ALLOW_RANGES", &mut web.allow_ranges)?;
    list("PAGEWISE_WEB_DENY_RANGES", &mut web.deny_ranges)?;
    number("PAGEWISE_WEB_MAX_BYTES", &mut web.max_bytes)?;
    number("PAGEWISE_WEB_MAX_TEXT_BYTES", &mut web.max_text_bytes)?;
    number("PAGEWISE_WEB_MAX_HEADER_BYTES", &mut web.max_header_bytes)?;
    number("PAGEWISE_WEB_MAX_REDIRECTS", &mut web.max_redirects)?;
    time("PAGEWISE_WEB_DEADLINE_MS", &mut web.deadline)?;
    number("PAGEWISE_WEB_MIN_BYTES_PER_SECOND", &mut web.min_bytes_per_second)?;
    time("PAGEWISE_WEB_FLOOR_WINDOW_MS", &mut web.floor_window)?;
    number("PAGEWISE_WEB_HOST_CONNECTIONS", &mut web.host_connections)?;
    time("PAGEWISE_WEB_FRESH_MS", &mut web.fresh)?;
    number("PAGEWISE_WEB_STORE_BYTES", &mut web.store_bytes)?;
    time("PAGEWISE_WEB_STORE_AGE_MS", &mut web.store_age)?;
    Ok(web)
}

fn number<N: FromStr>(name: &str, place: &mut N) -> Result<(), ToolError> {
    read(name, place, "a whole number", |text| text.parse().ok())
}

fn time(name: &str, place: &mut Duration) -> Result<(), ToolError> {
    read(name, place, "a whole number of milliseconds", |text| text.parse().ok().map(Duration::from_millis))
}

fn switch(name: &str, place: &mut bool) -> Result<(), ToolError> {
    read(name, place, "true or false", |text| match text {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    })
}

/// Items with commas between them.
fn list<T: FromStr>(name: &str, place: &mut Vec<T>) -> Result<(), ToolError> {
    read(name, place, "a list with commas", |text| {
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(|item| item.parse().ok()).collect()
    })
}

fn read<T>(name: &str, place: &mut T, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Result<(), ToolError> {
    let Some(value) = env::var_os(name) else { return Ok(()) };
    let refused = || {
        let message = format!("Setting '{name}' must be {expected}");
        ToolError::validation(&message).with("value", json!(value.to_string_lossy()))
    };
    *place = value.to_str().and_then(|text| parse(text.trim())).ok_or_else(refused)?;
    Ok(())
}
