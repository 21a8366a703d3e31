//! Which addresses no stranger may lead a client to: written apart from the program's own list, to be compared with it.
//! Shared with the fuzz target `url_guard`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use pagewise_web::{HostPattern, WebSettings, allowed_addresses};

/// Whatever is typed for a URL, and whatever a resolver answers for its host, no inner address is connected to, and a host
/// that is denied is denied however it is spelled. The first line is the URL, each further one an address.
pub(crate) fn check(text: &str) {
    let mut lines = text.lines();
    let url = lines.next().unwrap_or_default();
    let found: Vec<IpAddr> = lines.filter_map(|line| line.parse().ok()).collect();
    for url in [url.to_owned(), format!("http://{url}/"), format!("https://{url}:8443/a?b#c")] {
        let connected = allowed_addresses(&url, &found, &WebSettings::default()).unwrap_or_default();
        assert!(!connected.iter().any(|address| is_inner(*address)), "{url}: {connected:?}");
        let Ok(pattern) = url.parse::<HostPattern>() else { continue };
        let denied = WebSettings { deny_hosts: vec![pattern], ..WebSettings::default() };
        assert!(allowed_addresses(&format!("http://{url}/"), &found, &denied).is_err(), "{url}");
    }
}

/// Whether `address` is of this system, of a network within, or leads there.
pub(crate) fn is_inner(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_inner_4(address),
        IpAddr::V6(address) => is_inner_6(address),
    }
}

fn is_inner_4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || matches!((a, b, c), (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18 | 19, _) | (240.., ..))
        || address == Ipv4Addr::new(168, 63, 129, 16)
}

fn is_inner_6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let last = Ipv4Addr::from(u32::try_from(u128::from(address) & 0xffff_ffff).unwrap_or(0));
    let is_nat64 = segments.starts_with(&[0x64, 0xff9b, 0, 0, 0, 0]);
    let is_isatap = segments.get(5) == Some(&0x5efe);
    // Of all that is not handed out to the public (2000::/3), only NAT64 leads there.
    let is_outside = u128::from(address) >> 125 != 1 && !is_nat64;
    let is_special =
        matches!(segments, [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..]);
    is_outside || is_special || ((is_nat64 || is_isatap) && is_inner_4(last))
}
