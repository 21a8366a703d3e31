//! Decides which URLs, hosts and addresses may be requested.
//!
//! The check parses a URL with the client's own parser, so `0x7f.1`, `2130706433`, `[::ffff:127.0.0.1]` and full-width
//! digits mean the same address to both. An address in a URL is checked here, since no resolver sees it.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::address::{AddressRange, embedded_ipv4, special_range};
use super::error::WebError;
use super::settings::WebSettings;
use crate::http::Url;

/// The longest URL in characters, which is more than servers accept.
const MAX_URL_CHARS: usize = 8_192;

/// One host, `example.com`, or all hosts below it, `*.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    name: String,
    is_suffix: bool,
}

/// The text does not name a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a host like example.com or *.example.com")]
pub struct NotAHost;

impl FromStr for HostPattern {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let text = text.trim();
        let (name, is_suffix) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        // The URL parser decides what a host is, and normalizes it.
        let url = Url::parse(&format!("http://{name}/")).map_err(|_| NotAHost)?;
        let is_plain = name.starts_with('[') || !name.contains(['*', ':', '/', '@', '?', '#', '\\']);
        match host_of(&url).filter(|_| is_plain) {
            Some(name) => Ok(Self { name, is_suffix }),
            None => Err(NotAHost),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_suffix { "*." } else { "" }, self.name)
    }
}

impl HostPattern {
    fn matches(&self, host: &str) -> bool {
        if !self.is_suffix {
            return host == self.name;
        }
        host.strip_suffix(&self.name).is_some_and(|rest| rest.ends_with('.'))
    }
}

/// The normalized host of a URL.
pub(super) fn host_of(url: &Url) -> Option<String> {
    url.host_str().map(normalize_host).filter(|host| !host.is_empty())
}

/// Makes `Example.com.` and `example.com..` into `example.com`: resolvers accept a trailing dot.
pub(super) fn normalize_host(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Parses a URL and removes its fragment.
pub(super) fn parse_url(text: &str) -> Result<Url, WebError> {
    if text.chars().count() > MAX_URL_CHARS {
        return Err(WebError::NotAUrl { reason: format!("longer than {MAX_URL_CHARS} characters") });
    }
    let mut url = Url::parse(text).map_err(|error| WebError::NotAUrl { reason: error.to_string() })?;
    url.set_fragment(None);
    Ok(url)
}

/// Checks the scheme, the host and, where the host is an address, that address. Returns the host and the address.
pub(super) fn check_url(url: &Url, settings: &WebSettings) -> Result<(String, Option<IpAddr>), WebError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(WebError::Scheme { scheme: url.scheme().to_owned() });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(WebError::Credentials);
    }
    let host = host_of(url).ok_or_else(|| WebError::NotAUrl { reason: "no host".to_owned() })?;
    let blocked = |setting| WebError::BlockedHost { host: host.clone(), setting };
    if settings.deny_hosts.iter().any(|pattern| pattern.matches(&host)) {
        return Err(blocked("web_deny_hosts"));
    }
    if !settings.allow_hosts.is_empty() && !settings.allow_hosts.iter().any(|pattern| pattern.matches(&host)) {
        return Err(blocked("web_allow_hosts"));
    }
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&host).parse().ok();
    if let Some(address) = address {
        check_address(&host, address, settings)?;
    }
    Ok((host, address))
}

/// Whether a URL names an object in object storage.
pub(super) fn is_object(url: &Url) -> bool {
    matches!(url.scheme(), "s3" | "gs" | "az")
}

/// Refuses folders, and objects that are beneath no prefix of the setting `object_storage`. A prefix names whole path
/// segments.
pub(super) fn check_object(url: &Url, settings: &WebSettings) -> Result<(), WebError> {
    let is_beneath = |prefix: &String| {
        let rest = url.as_str().strip_prefix(prefix.trim().trim_end_matches('/'));
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let is_plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    let is_allowed = is_plain && url.query().is_none() && settings.object_storage.iter().any(is_beneath);
    match is_allowed {
        false => Err(WebError::BlockedObject),
        true if url.path().ends_with('/') => Err(WebError::ObjectFolder),
        true => Ok(()),
    }
}

/// The addresses that may be connected to for `url`, whose host resolves to `found`. A host that is itself an address
/// ignores `found`.
///
/// # Errors
/// The URL, its host or one of its addresses is not allowed. One forbidden address refuses the host, because the network
/// decides which of them is used.
pub fn allowed_addresses(url: &str, found: &[IpAddr], settings: &WebSettings) -> Result<Vec<IpAddr>, WebError> {
    let (host, literal) = check_url(&parse_url(url)?, settings)?;
    let addresses = literal.map_or_else(|| found.to_vec(), |address| vec![address]);
    check_addresses(&host, &addresses, settings)?;
    Ok(addresses)
}

/// Refuses a host if any of its addresses is refused.
pub(super) fn check_addresses(host: &str, addresses: &[IpAddr], settings: &WebSettings) -> Result<(), WebError> {
    addresses.iter().try_for_each(|address| check_address(host, *address, settings))
}

/// Refuses an address outside the public internet, or one that the settings deny.
pub(super) fn check_address(host: &str, address: IpAddr, settings: &WebSettings) -> Result<(), WebError> {
    check_one(host, address, settings)?;
    // An allowed IPv6 block must not bypass the check of the IPv4 address in it.
    embedded_ipv4(address).into_iter().try_for_each(|inner| check_one(host, IpAddr::V4(inner), settings))
}

fn check_one(host: &str, address: IpAddr, settings: &WebSettings) -> Result<(), WebError> {
    let blocked = |purpose: &str, range: AddressRange, setting| WebError::BlockedAddress {
        host: host.to_owned(),
        purpose: purpose.to_owned(),
        range: range.to_string(),
        setting,
    };
    if let Some(range) = settings.deny_ranges.iter().find(|range| range.contains(address)) {
        return Err(blocked("denied", *range, "web_deny_ranges"));
    }
    match special_range(address) {
        Some(special) if !settings.allow_ranges.iter().any(|range| range.contains(address)) => {
            Err(blocked(special.purpose, special.range, "web_allow_ranges"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(url: &str, settings: &WebSettings) -> Result<(), WebError> {
        parse_url(url).and_then(|url| check_url(&url, settings)).map(|_| ())
    }

    fn patterns(texts: &[&str]) -> Vec<HostPattern> {
        texts.iter().filter_map(|text| text.parse().ok()).collect()
    }

    #[test]
    fn lists_of_hosts_decide_and_are_named() {
        let settings = WebSettings {
            allow_hosts: patterns(&["example.com", "*.example.com"]),
            deny_hosts: patterns(&["bad.example.com"]),
            ..WebSettings::default()
        };
        for url in ["http://example.com/", "https://EXAMPLE.com./x", "http://a.b.example.com"] {
            assert_eq!(verdict(url, &settings), Ok(()), "{url}");
        }
        for (url, named) in [
            ("http://bad.example.com/", "web_deny_hosts"),
            ("http://bad.example.com../", "web_deny_hosts"),
            ("http://notexample.com/", "web_allow_hosts"),
            ("http://example.com.evil.net/", "web_allow_hosts"),
        ] {
            let refused = verdict(url, &settings);
            assert!(matches!(refused, Err(WebError::BlockedHost { setting, .. }) if setting == named), "{url}");
        }
    }

    #[test]
    fn only_objects_beneath_a_prefix_pass() {
        let settings = |prefix: &str| WebSettings { object_storage: vec![prefix.to_owned()], ..WebSettings::default() };
        let passes =
            |url: &str, prefix: &str| parse_url(url).is_ok_and(|url| check_object(&url, &settings(prefix)).is_ok());
        for url in ["s3://bucket/reports/a.pdf", "s3://bucket/reports/b/c%20d.pdf", "S3://bucket/reports/./a.pdf"] {
            assert!(passes(url, "s3://bucket/reports") && passes(url, "s3://bucket/reports/ "), "{url}");
            assert!(passes(url, "s3://bucket") && !passes(url, "gs://bucket") && !passes(url, ""), "{url}");
        }
        for url in [
            "s3://bucket/reports",
            "s3://bucket/reportsx/a.pdf",
            "s3://bucket/reports/../a.pdf",
            "s3://bucket/reports/%2e%2e/a.pdf",
            "s3://bucket2/reports/a.pdf",
            "s3://u@bucket/reports/a.pdf",
            "s3://bucket:1/reports/a.pdf",
            "s3://bucket/reports/a.pdf?versionId=1",
            "s3:///reports/a.pdf",
        ] {
            assert!(!passes(url, "s3://bucket/reports"), "{url}");
        }
    }

    #[test]
    fn only_plain_urls_of_the_web_pass() {
        let settings = WebSettings::default();
        for url in ["ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript:1", "data:,a"] {
            assert!(matches!(verdict(url, &settings), Err(WebError::Scheme { .. })), "{url}");
        }
        for url in ["http://u@example.com/", "http://u:p@example.com/", "http://:p@example.com/"] {
            assert_eq!(verdict(url, &settings), Err(WebError::Credentials), "{url}");
        }
        for url in ["", "http://", "//example.com", "http://[::1", "http://a b/", "http://1.2.3.4.5/", "http://%/"] {
            assert!(matches!(verdict(url, &settings), Err(WebError::NotAUrl { .. })), "{url}");
        }
        let long = format!("http://example.com/{}", "a".repeat(MAX_URL_CHARS));
        assert!(matches!(verdict(&long, &settings), Err(WebError::NotAUrl { .. })));
    }

    #[test]
    fn what_names_no_host_is_no_pattern() {
        for text in ["", "*", "*.", "a b", "http://a", "a/b", "a:80", "u@a"] {
            assert_eq!(text.parse::<HostPattern>(), Err(NotAHost), "{text}");
        }
        assert_eq!(patterns(&["*.Example.COM"]).iter().map(ToString::to_string).collect::<String>(), "*.example.com");
    }

    #[test]
    fn an_allowed_block_of_addresses_allows_no_address_within_an_address() {
        let allow =
            |range: &str| WebSettings { allow_ranges: range.parse().into_iter().collect(), ..WebSettings::default() };
        assert_eq!(verdict("http://10.1.2.3/", &allow("10.0.0.0/8")), Ok(()));
        assert_eq!(verdict("http://[64:ff9b:1::1.1.1.1]/", &allow("64:ff9b:1::/48")), Ok(()));
        assert!(verdict("http://[64:ff9b:1::10.1.2.3]/", &allow("64:ff9b:1::/48")).is_err());
        assert!(verdict("http://[64:ff9b:1:a01:2:300:101:101]/", &allow("64:ff9b:1::/48")).is_err());
        let denied = WebSettings { deny_ranges: "1.1.1.0/24".parse().into_iter().collect(), ..WebSettings::default() };
        let refused = verdict("http://1.1.1.1/", &denied);
        assert!(matches!(refused, Err(WebError::BlockedAddress { setting: "web_deny_ranges", .. })));
    }

    #[test]
    fn what_leads_to_ipv4_is_as_public_as_that() {
        let settings = WebSettings::default();
        assert_eq!(verdict("http://[64:ff9b::1.1.1.1]/", &settings), Ok(()));
        for inner in ["10.1.2.3", "127.0.0.1", "169.254.169.254", "192.0.0.192", "0.0.0.0", "224.0.0.1"] {
            assert!(verdict(&format!("http://[64:ff9b::{inner}]/"), &settings).is_err(), "{inner}");
        }
        // Tunnels that no public host uses any more (RFC 7526), and other notations of IPv4 addresses.
        for url in ["[2002:101:101::1]", "[2001:0:101:101::fefe:fefe]", "[::ffff:1.1.1.1]", "[64:ff9b:1::1.1.1.1]"] {
            assert!(verdict(&format!("http://{url}/"), &settings).is_err(), "{url}");
        }
        let ranges = |range: &str| range.parse().into_iter().collect::<Vec<_>>();
        let allowed = WebSettings { allow_ranges: ranges("10.0.0.0/8"), ..WebSettings::default() };
        assert_eq!(verdict("http://[64:ff9b::10.1.2.3]/", &allowed), Ok(()));
        for denied in ["1.1.1.0/24", "64:ff9b::/96"] {
            let settings = WebSettings { deny_ranges: ranges(denied), ..WebSettings::default() };
            let refused = verdict("http://[64:ff9b::1.1.1.1]/", &settings);
            assert!(matches!(refused, Err(WebError::BlockedAddress { setting: "web_deny_ranges", .. })), "{denied}");
        }
    }
}
