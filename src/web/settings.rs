//! What may be fetched, and what it may cost.

use std::path::PathBuf;
use std::time::Duration;

use super::address::AddressRange;
use super::guard::HostPattern;

/// Bounds on fetching. Most fields are settings of the same name with `web_` before it, and a time's unit after it.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// Whether nothing is fetched at all: the setting `offline`. What is kept can still be read.
    pub offline: bool,
    /// The same for the setting `require_sandbox`: what fetches is in no sandbox.
    pub is_sandboxed: bool,
    /// Whether tools that take a path take a URL, or the `responseId` of something fetched, as well. Yes.
    pub references: bool,
    /// Hosts that may be asked; empty allows all that `deny_hosts` does not name.
    pub allow_hosts: Vec<HostPattern>,
    /// Hosts that are never asked.
    pub deny_hosts: Vec<HostPattern>,
    /// Blocks of addresses that may be connected to although they are not of the public internet.
    pub allow_ranges: Vec<AddressRange>,
    /// Blocks of addresses that are never connected to.
    pub deny_ranges: Vec<AddressRange>,
    /// A file of certificates of further authorities, in PEM.
    pub ca_file: Option<PathBuf>,
    /// Bytes of a body, as it comes and decompressed. 20 MiB.
    pub max_bytes: u64,
    /// Bytes of text that are kept of one document. 8 MiB; what is over is left out, and that is said.
    pub max_text_bytes: u64,
    /// Bytes of a response's header fields. 64 KiB: servers commonly stop at 8 to 32. No setting.
    pub max_header_bytes: u64,
    /// Redirects that are followed. 5.
    pub max_redirects: u32,
    /// Time for one URL, redirects and waiting for a turn included. 30 s.
    pub deadline: Duration,
    /// Bytes of a body that have to come in a second, on average over [`WebSettings::floor_window`]. 100.
    pub min_bytes_per_second: u64,
    /// The time over which a body's speed is taken. 5 s: shorter pauses are common. No setting.
    pub floor_window: Duration,
    /// Requests at once to one host. 4: browsers make 6. No setting.
    pub host_connections: usize,
    /// How long an answer that says nothing of its age is used without asking again. 60 s.
    pub fresh: Duration,
    /// Bytes of what is kept. 512 MiB; what was not used for longest goes first.
    pub store_bytes: u64,
    /// How long is kept what nobody uses. 7 days.
    pub store_age: Duration,
}

impl WebSettings {
    /// The setting by which nothing is fetched, where there is one.
    #[must_use]
    pub fn switched_off(&self) -> Option<&'static str> {
        let switches = [(self.offline, "offline"), (self.is_sandboxed, "require_sandbox")];
        switches.into_iter().find(|(is_set, _)| *is_set).map(|(_, setting)| setting)
    }
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            offline: false,
            is_sandboxed: false,
            references: true,
            allow_hosts: Vec::new(),
            deny_hosts: Vec::new(),
            allow_ranges: Vec::new(),
            deny_ranges: Vec::new(),
            ca_file: None,
            max_bytes: 20 << 20,
            max_text_bytes: 8 << 20,
            max_header_bytes: 64 << 10,
            max_redirects: 5,
            deadline: Duration::from_secs(30),
            min_bytes_per_second: 100,
            floor_window: Duration::from_secs(5),
            host_connections: 4,
            fresh: Duration::from_secs(60),
            store_bytes: 512 << 20,
            store_age: Duration::from_secs(7 * 24 * 60 * 60),
        }
    }
}
