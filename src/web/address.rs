//! Decides which IP addresses belong to the public internet.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A block of IP addresses such as `10.0.0.0/8` or `fd00::/8`. A bare address is a block of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRange {
    first: IpAddr,
    prefix: u32,
}

/// The text is not a block of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a block of addresses like 10.0.0.0/8 or fd00::/8")]
pub struct NotARange;

impl AddressRange {
    const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u32) -> Self {
        Self { first: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    const fn v6(segments: [u16; 8], prefix: u32) -> Self {
        let [a, b, c, d, e, f, g, h] = segments;
        Self { first: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), prefix }
    }

    /// Whether the block contains `address`. An IPv4 block contains no IPv6 address, nor the other way round.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let differing = u32::from(first) ^ u32::from(address);
                differing.leading_zeros() >= self.prefix
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let differing = u128::from(first) ^ u128::from(address);
                differing.leading_zeros() >= self.prefix
            }
            _ => false,
        }
    }
}

impl FromStr for AddressRange {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<Self, NotARange> {
        let (address, prefix) = match text.trim().split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text.trim(), None),
        };
        let first: IpAddr = address.parse().map_err(|_| NotARange)?;
        let longest = if first.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse::<u32>().map_err(|_| NotARange))?;
        if prefix > longest { Err(NotARange) } else { Ok(Self { first, prefix }) }
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

/// A block outside the public internet, and its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpecialRange {
    pub(super) range: AddressRange,
    pub(super) purpose: &'static str,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u32, purpose: &'static str) -> SpecialRange {
    SpecialRange { range: AddressRange::v4(a, b, c, d, prefix), purpose }
}

const fn v6(segments: [u16; 8], prefix: u32, purpose: &'static str) -> SpecialRange {
    SpecialRange { range: AddressRange::v6(segments, prefix), purpose }
}

/// The special-purpose registries of IPv4 and IPv6 (RFC 6890 and its successors), multicast, and public addresses that
/// clouds use internally. The narrower of two overlapping blocks comes first.
const SPECIAL: &[SpecialRange] = &[
    v4(0, 0, 0, 0, 8, "this network"),
    v4(10, 0, 0, 0, 8, "private"),
    v4(100, 100, 100, 200, 32, "cloud metadata"),
    v4(100, 64, 0, 0, 10, "carrier-grade NAT"),
    v4(127, 0, 0, 0, 8, "loopback"),
    v4(169, 254, 169, 254, 32, "cloud metadata"),
    v4(169, 254, 0, 0, 16, "link-local"),
    v4(168, 63, 129, 16, 32, "cloud metadata"),
    v4(172, 16, 0, 0, 12, "private"),
    v4(192, 0, 0, 192, 32, "cloud metadata"),
    v4(192, 0, 0, 0, 24, "IETF assignments"),
    v4(192, 0, 2, 0, 24, "documentation"),
    v4(192, 31, 196, 0, 24, "AS112"),
    v4(192, 52, 193, 0, 24, "multicast tunnelling"),
    v4(192, 88, 99, 0, 24, "6to4 relays"),
    v4(192, 168, 0, 0, 16, "private"),
    v4(192, 175, 48, 0, 24, "AS112"),
    v4(198, 18, 0, 0, 15, "benchmarks"),
    v4(198, 51, 100, 0, 24, "documentation"),
    v4(203, 0, 113, 0, 24, "documentation"),
    v4(224, 0, 0, 0, 4, "multicast"),
    v4(240, 0, 0, 0, 4, "reserved"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"),
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "IPv4-mapped"),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, "IPv4-translated"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96, "IPv4-compatible"),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "local NAT64"),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discard"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "Teredo"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "IETF assignments"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation"),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation"),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "private"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "site-local"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
];

/// The part of IPv6 that is allocated for global unicast. The rest is unassigned or special.
const GLOBAL_V6: AddressRange = AddressRange::v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The rest of IPv6.
const UNASSIGNED: SpecialRange = v6([0, 0, 0, 0, 0, 0, 0, 0], 0, "unassigned");

/// The NAT64 prefix, which reaches all of IPv4 from an IPv6-only network (RFC 6052, 2.1). DNS64 returns such addresses
/// for every host without IPv6, so each is as public as the IPv4 address in it.
const NAT64: AddressRange = AddressRange::v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// The special block that contains `address`: `None` for public addresses, and for NAT64, which its IPv4 address decides.
pub(super) fn special_range(address: IpAddr) -> Option<SpecialRange> {
    if NAT64.contains(address) {
        return None;
    }
    let listed = SPECIAL.iter().find(|special| special.range.contains(address)).copied();
    listed.or_else(|| (address.is_ipv6() && !GLOBAL_V6.contains(address)).then_some(UNASSIGNED))
}

/// The IPv4 addresses that an IPv6 address may reach, because a router or the system extracts them from it.
pub(super) fn embedded_ipv4(address: IpAddr) -> Vec<Ipv4Addr> {
    let IpAddr::V6(v6) = address else { return Vec::new() };
    let [_, second, third, _, _, isatap, high, low] = v6.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match special_range(address).map(|special| special.purpose) {
        _ if NAT64.contains(address) => vec![v4(high, low)],
        Some("IPv4-mapped" | "IPv4-translated" | "IPv4-compatible") => vec![v4(high, low)],
        Some("local NAT64") => local_nat64(v6),
        // RFC 3056: the 32 bits after the prefix.
        Some("6to4") => vec![v4(second, third)],
        // RFC 4380: the client's address with every bit inverted.
        Some("Teredo") => vec![v4(!high, !low)],
        // RFC 5214: ISATAP has the address after 0:5efe or 200:5efe, in any prefix.
        _ if isatap == 0x5efe => vec![v4(high, low)],
        _ => Vec::new(),
    }
}

/// The network chooses where the IPv4 address stands: at the end, or around the ninth byte (RFC 6052, 2.2). All positions
/// are read. A first byte of zero belongs to the prefix and is skipped.
fn local_nat64(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let [.., a, b, _, c, d, e, w, x, y, z] = address.octets();
    let by_prefix = [[a, b, c, d], [b, c, d, e], [c, d, e, w]].map(Ipv4Addr::from);
    let others = by_prefix.into_iter().filter(|other| other.octets().first() != Some(&0));
    std::iter::once(Ipv4Addr::from([w, x, y, z])).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(address: &str) -> Vec<Ipv4Addr> {
        address.parse().map(embedded_ipv4).unwrap_or_default()
    }

    fn purpose(address: &str) -> Option<&'static str> {
        address.parse().ok().and_then(special_range).map(|special| special.purpose)
    }

    #[test]
    fn blocks_end_where_they_end() {
        for (inside, outside) in [
            ("0.255.255.255", "1.0.0.0"),
            ("10.255.255.255", "11.0.0.0"),
            ("100.127.255.255", "100.128.0.0"),
            ("127.255.255.255", "128.0.0.0"),
            ("172.31.255.255", "172.32.0.0"),
            ("192.168.255.255", "192.169.0.0"),
            ("198.19.255.255", "198.20.0.0"),
            ("239.255.255.255", "223.255.255.255"),
            ("2001:1ff:ffff::", "2001:200::1"),
            ("2002:ffff::", "2003::1"),
            ("64:ff9b:1::1.1.1.1", "2a00:1450::1"),
            ("64:ff9a:ffff::1", "64:ff9b::a00:1"),
            ("1fff::", "2000::1"),
            ("4000::", "3ffe::1"),
        ] {
            assert!(purpose(inside).is_some(), "{inside}");
            assert_eq!(purpose(outside), None, "{outside}");
        }
    }

    #[test]
    fn addresses_within_addresses_are_found() {
        for address in [
            "::ffff:10.0.0.1",
            "::10.0.0.1",
            "64:ff9b::10.0.0.1",
            "2002:a00:1::",
            "2001:0:4136:e378:8000:63bf:f5ff:fffe",
            "::ffff:0:10.0.0.1",
            "2a00:1450::5efe:10.0.0.1",
            "2a00:1450::200:5efe:10.0.0.1",
        ] {
            assert_eq!(inner(address), [Ipv4Addr::new(10, 0, 0, 1)], "{address}");
        }
        assert!(inner("2a00:1450::1").is_empty());
    }

    /// Each case expects the last four bytes first, then the positions by prefix length.
    #[test]
    fn a_network_may_have_the_address_in_four_places() {
        for (address, expected) in [
            ("64:ff9b:1::10.0.0.1", vec![[10, 0, 0, 1]]),
            ("64:ff9b:1:a02:3:400:101:101", vec![[1, 1, 1, 1], [10, 2, 3, 4], [2, 3, 4, 0], [3, 4, 0, 1]]),
            ("64:ff9b:1:0a:1:203:101:101", vec![[1, 1, 1, 1], [10, 1, 2, 3], [1, 2, 3, 1]]),
            ("64:ff9b:1:0:a:102:301:101", vec![[3, 1, 1, 1], [10, 1, 2, 3]]),
        ] {
            assert_eq!(inner(address), expected.into_iter().map(Ipv4Addr::from).collect::<Vec<_>>(), "{address}");
        }
    }

    #[test]
    fn a_range_is_read_and_written() {
        let written = |text: &str| text.parse::<AddressRange>().map(|range| range.to_string());
        assert_eq!(written("10.0.0.0/8"), Ok("10.0.0.0/8".to_owned()));
        assert_eq!(written(" ::1 "), Ok("::1/128".to_owned()));
        for text in ["", "10.0.0.0/33", "10/8", "a/8", "10.0.0.0/", "::/129", "10.0.0.0/-1"] {
            assert_eq!(written(text), Err(NotARange), "{text}");
        }
        let everything: Option<AddressRange> = "0.0.0.0/0".parse().ok();
        assert!(everything.is_some_and(|range| range.contains(IpAddr::V4(Ipv4Addr::BROADCAST))));
    }
}
