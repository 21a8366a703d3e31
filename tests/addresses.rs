//! No spelling of an inner address gets a connection.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;

use pagewise_base::limits::Cancellation;
use pagewise_web::{Lookup, Resolver, Web, WebError, WebSettings, allowed_addresses};
use proptest::prelude::*;

use crate::support::inner_addresses::{check, is_inner};
use crate::support::site::nobody_came;

/// Inner addresses of every range of IPv4, the listener's own first.
const INNER: [&str; 24] = [
    "127.0.0.1",
    "127.1.2.3",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "169.254.1.1",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.0.1",
    "192.168.255.254",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
];

/// Ways to write an address of IPv4 as the host of a URL.
fn spellings(address: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let whole = u32::from(address);
    let tail = whole & 0x00ff_ffff;
    let half = whole & 0xffff;
    let (high, low) = (whole >> 16, half);
    let wide = |text: &str| text.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap()).collect::<String>();
    let percent = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    vec![
        address.to_string(),
        format!("{address}."),
        format!("{whole}"),
        format!("{whole:#x}"),
        format!("0X{whole:X}"),
        format!("0{whole:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0{a:o}.{b}.{c:#x}.{d}"),
        format!("000{a:o}.{b}.{c}.{d}"),
        format!("{a}.{tail}"),
        format!("{a}.{b}.{half}"),
        format!("{a:#x}.{tail:#x}"),
        wide(&address.to_string()),
        address.to_string().replace('.', "\u{3002}"),
        percent(&address.to_string()),
        format!("{a}.{b}.{c}%2e{d}"),
        format!("{a}.{b}.{c}.{d}%2e"),
        format!("[::ffff:{address}]"),
        format!("[::ffff:{high:x}:{low:x}]"),
        format!("[0:0:0:0:0:FFFF:{high:x}:{low:x}]"),
        format!("[0000:0000:0000:0000:0000:ffff:{address}]"),
        format!("[::{address}]"),
        format!("[::{high:x}:{low:x}]"),
        format!("[::ffff:0:{address}]"),
        format!("[64:ff9b::{address}]"),
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b:1::{address}]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[2001:0:4136:e378:8000:63bf:{:x}:{:x}]", !high & 0xffff, !low & 0xffff),
        format!("[2a00:1450::5efe:{high:x}:{low:x}]"),
        format!("user@{address}"),
        format!("1.1.1.1@{address}"),
        format!("1.1.1.1%40{address}"),
        format!("1.1.1.1\\@{address}"),
    ]
}

/// Inner addresses of IPv6.
const INNER_6: [&str; 20] = [
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0001]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[FE80::ABCD]",
    "[febf::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ff0e::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[2001:2::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
];

/// Answers every name with one address.
struct Always(IpAddr);

impl Resolver for Always {
    fn lookup(&self, _: String) -> Lookup {
        let address = self.0;
        Box::pin(async move { Ok(vec![address]) })
    }
}

fn web(settings: WebSettings, address: &str) -> Web {
    Web::with_resolver(settings, None, Arc::new(Always(address.parse().unwrap())))
}

/// What would be read as an inner address by anybody, and what a name of it would be.
fn is_refused(result: &Result<pagewise_web::FetchedFile, WebError>) -> bool {
    matches!(
        result,
        Err(WebError::BlockedAddress { .. }
            | WebError::NotAUrl { .. }
            | WebError::Credentials
            | WebError::Scheme { .. })
    )
}

#[test]
fn three_hundred_spellings_of_inner_addresses_reach_no_socket() {
    // Both families, every address of this machine.
    let listener = TcpListener::bind("[::]:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // What the parser takes for a name leads inside too.
    // One of the spellings is of a public address, to be read so and still not asked.
    let settings = WebSettings { deny_ranges: vec!["1.1.1.1".parse().unwrap()], ..WebSettings::default() };
    let web = web(settings, "127.0.0.1");
    let v4 = INNER.iter().flat_map(|address| spellings(address.parse().unwrap()));
    let hosts = v4.chain(INNER_6.iter().map(|host| (*host).to_owned()));
    let names = [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "localhost.localdomain",
        "127.0.0.1.nip.test",
        "xn--a",
        "1.1.1.1.inner",
    ];
    let urls = hosts
        .chain(names.map(str::to_owned))
        .flat_map(|host| [format!("http://{host}:{port}/"), format!("https://{host}:{port}/x?y#z")]);
    let urls = urls.collect::<BTreeSet<_>>();
    assert!(urls.len() >= 600, "{}", urls.len());
    for url in &urls {
        let result = web.fetch(url, &Cancellation::new());
        assert!(is_refused(&result), "{url}: {result:?}");
    }
    for odd in [
        format!("http:\\\\127.0.0.1:{port}\\"),
        format!("http:/127.0.0.1:{port}/"),
        format!("http:127.0.0.1:{port}"),
        format!("http:////127.0.0.1:{port}/"),
        format!(" \thttp://127.0.0.1:{port}/ "),
        format!("ht\ntp://127.0.0.1:{port}/"),
        format!("http://127.0.0.1\t:{port}/"),
        format!("http://127.0.\n0.1:{port}/"),
        format!("http://①②⑦.0.0.1:{port}/"),
        format!("http://127。0。0。1:{port}/"),
        format!("gopher://127.0.0.1:{port}/"),
        format!("ws://127.0.0.1:{port}/"),
    ] {
        let result = web.fetch(&odd, &Cancellation::new());
        assert!(is_refused(&result), "{odd:?}: {result:?}");
    }
    assert!(nobody_came(&listener), "a connection was made");
}

#[test]
fn names_that_lead_inside_reach_no_socket() {
    let listener = TcpListener::bind("[::]:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let inner_6 =
        ["::1", "::", "fc00::1", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1"];
    for address in INNER.iter().chain(&inner_6) {
        let result =
            web(WebSettings::default(), address).fetch(&format!("http://public.test:{port}/"), &Cancellation::new());
        assert!(matches!(result, Err(WebError::BlockedAddress { .. })), "{address}: {result:?}");
    }
    assert!(nobody_came(&listener));
}

/// A number as one part of an address may be written.
fn number() -> impl Strategy<Value = String> {
    let small = prop_oneof![3 => any::<u8>().prop_map(u32::from), 1 => any::<u32>(), 2 => prop::sample::select(vec![0, 10, 127, 169, 172, 192])];
    (small, 0_u8..4).prop_map(|(number, base)| match base {
        0 => format!("{number:#x}"),
        1 => format!("0{number:o}"),
        _ => number.to_string(),
    })
}

/// A group of an address of IPv6, those that mean something more often than others.
fn group() -> impl Strategy<Value = u16> {
    let known = vec![0, 0x64, 0xff9b, 0x2001, 0x2002, 0x5efe, 0xffff, 0xfe80, 0xfc00, 0x7f00, 0xa00, 0xc0a8, 1, 0x2a00];
    prop_oneof![2 => prop::sample::select(known), 1 => any::<u16>()]
}

fn address() -> impl Strategy<Value = IpAddr> {
    let v6 = prop::array::uniform8(group()).prop_map(|groups| IpAddr::V6(groups.into()));
    let v4 = any::<[u8; 4]>().prop_map(IpAddr::from);
    let inner = prop::sample::select(INNER.to_vec()).prop_map(|address| address.parse().unwrap());
    let within = (prop::sample::select(vec!["64:ff9b::", "::ffff:", "2a00::5efe:", "::"]), any::<[u8; 4]>());
    let within = within.prop_map(|(before, v4)| format!("{before}{}", Ipv4Addr::from(v4)).parse().unwrap());
    prop_oneof![2 => v6, 2 => v4, 1 => inner, 2 => within]
}

/// A host as it may be typed: numbers with dots, addresses in brackets, names, and pieces of all of them.
fn host() -> impl Strategy<Value = String> {
    let numbers = prop::collection::vec(number(), 1..6).prop_map(|parts| parts.join("."));
    let spelled = any::<[u8; 4]>().prop_flat_map(|v4| prop::sample::select(spellings(Ipv4Addr::from(v4))));
    let whole =
        address().prop_map(|address| if address.is_ipv6() { format!("[{address}]") } else { address.to_string() });
    let name = "[a-z]{1,4}(\\.[a-z]{1,4}){0,2}\\.{0,2}";
    let odd = "[0-9a-fx.:\\[\\]%@/\\\\。①-⑨]{1,24}";
    prop_oneof![2 => numbers, 2 => spelled, 2 => whole, 1 => name, 1 => odd]
}

/// Neither inner nor, by itself or by the address in it, of a block with a use of its own that no host is in.
fn is_public(address: IpAddr) -> bool {
    let last = match address {
        IpAddr::V4(v4) => Some(v4),
        IpAddr::V6(v6) => {
            let [.., w, x, y, z] = v6.octets();
            let leads = v6.segments()[5] == 0x5efe || v6.segments()[..2] == [0x64, 0xff9b];
            leads.then_some(Ipv4Addr::new(w, x, y, z))
        }
    };
    let reserved = ["192.31.196.0", "192.52.193.0", "192.88.99.0", "192.175.48.0"];
    let mut reserved = reserved.iter().map(|block| block.parse::<Ipv4Addr>().unwrap().octets());
    !is_inner(address) && last.is_none_or(|last| !reserved.any(|block| block[..3] == last.octets()[..3]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// The list of the program against one that was written apart from it.
    #[test]
    fn whatever_is_spelled_no_inner_address_is_connected_to(
        host in host(),
        found in prop::collection::vec(address(), 0..3),
        scheme in prop::sample::select(vec!["http://", "https://", "HTTP:\\\\", "http:", "https:///"]),
    ) {
        let connected = allowed_addresses(&format!("{scheme}{host}:8080/"), &found, &WebSettings::default()).unwrap_or_default();
        let inner: Vec<&IpAddr> = connected.iter().filter(|address| is_inner(**address)).collect();
        prop_assert!(inner.is_empty(), "{host}: {inner:?}");
    }

    /// The property of the fuzz target, over what is likely to break it.
    #[test]
    fn the_door_of_the_fuzz_target_takes_any_text(
        host in prop_oneof![3 => host(), 1 => "\\PC{0,40}"],
        found in prop::collection::vec(address(), 0..3),
    ) {
        let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
        check(&format!("{host}\n{}", lines.join("\n")));
    }

    /// A public address is no inner one for being so strict with the others.
    #[test]
    fn whatever_is_public_is_connected_to(address in address().prop_filter("public", |address| is_public(*address))) {
        let connected = allowed_addresses("https://public.test/", &[address], &WebSettings::default());
        prop_assert_eq!(connected, Ok(vec![address]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever is typed, it is refused by its text or by its address; and nothing breaks.
    #[test]
    fn no_text_gets_anywhere(text in "\\PC{0,40}", scheme in prop::sample::select(vec!["", "http://", "https://", "http:", "HTTP:\\\\"])) {
        let everywhere = ["0.0.0.0/0", "::/0"].map(|range| range.parse().unwrap());
        let web = web(WebSettings { deny_ranges: everywhere.to_vec(), ..WebSettings::default() }, "10.0.0.1");
        let result = web.fetch(&format!("{scheme}{text}"), &Cancellation::new());
        prop_assert!(is_refused(&result), "{result:?}");
    }
}
