//! The settings of fetching: what is allowed, and the limits.

use std::path::PathBuf;
use std::time::Duration;

use super::address::AddressRange;
use super::error::WebError;
use super::guard::{self, HostPattern};

/// Settings and limits of fetching. Most fields are settings of the same name, with the prefix `web_` and the unit of a
/// time as a suffix.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// Whether fetching is switched off by the setting `offline`. Stored content can still be read.
    pub offline: bool,
    /// Whether fetching is switched off by the setting `require_sandbox`, because fetching runs in no sandbox.
    pub is_sandboxed: bool,
    /// Whether tools that take a path also take a URL or a `responseId`. Default: yes.
    pub references: bool,
    /// Hosts that may be requested. An empty list allows all hosts that `deny_hosts` does not name.
    pub allow_hosts: Vec<HostPattern>,
    /// Hosts that are never requested.
    pub deny_hosts: Vec<HostPattern>,
    /// Blocks of addresses outside the public internet that are allowed.
    pub allow_ranges: Vec<AddressRange>,
    /// Blocks of addresses that are always refused.
    pub deny_ranges: Vec<AddressRange>,
    /// Prefixes of object storage that may be read, such as `s3://bucket/reports`.
    pub object_storage: Vec<String>,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<PathBuf>,
    /// The largest body in bytes, both as transferred and decompressed. Default: 20 MiB.
    pub max_bytes: u64,
    /// The most bytes of text that are stored per document; a note reports a cut. Default: 8 MiB.
    pub max_text_bytes: u64,
    /// The most bytes of header fields. Always 64 KiB, since servers commonly send at most 8 to 32.
    pub max_header_bytes: u64,
    /// The most redirects that are followed. Default: 5.
    pub max_redirects: u32,
    /// The time limit for one URL, including redirects and waiting for other requests. Default: 30 s.
    pub deadline: Duration,
    /// The minimum speed of a body in bytes per second, averaged over [`WebSettings::floor_window`]. Default: 100.
    pub min_bytes_per_second: u64,
    /// The window for measuring speed. Always 5 s, since shorter pauses are common.
    pub floor_window: Duration,
    /// The most simultaneous requests to one host. Always 4, since browsers send 6.
    pub host_connections: usize,
    /// How long a response without a `max-age` is fresh. Default: 60 s.
    pub fresh: Duration,
    /// The size limit of the store in bytes; the least recently used files are removed first. Default: 512 MiB.
    pub store_bytes: u64,
    /// How long unused files are kept. Default: 7 days.
    pub store_age: Duration,
    /// Where uploads are kept on object storage, such as `s3://bucket/uploads`: the setting `http_upload_storage`.
    pub upload_storage: Option<String>,
    /// The largest upload in bytes: the setting `http_max_upload_bytes`. Default: 128 MiB.
    pub max_upload_bytes: u64,
    /// The most bytes of uploads of one owner: the setting `http_max_kept_bytes`. Default: 1 GiB.
    pub max_kept_bytes: u64,
    /// How long an upload is kept: the setting `http_upload_seconds`. Default: 7 days.
    pub upload_age: Duration,
}

impl WebSettings {
    /// The setting that switches fetching off, if any.
    #[must_use]
    pub fn switched_off(&self) -> Option<&'static str> {
        let switches = [(self.offline, "offline"), (self.is_sandboxed, "require_sandbox")];
        switches.into_iter().find(|(is_set, _)| *is_set).map(|(_, setting)| setting)
    }

    /// Whether this build and these settings allow fetching.
    pub(super) fn check_network(&self) -> Result<(), WebError> {
        match self.switched_off() {
            _ if !cfg!(feature = "client") => Err(WebError::NoClient),
            Some(setting) => Err(WebError::Offline { setting }),
            None => Ok(()),
        }
    }

    /// Whether uploads can be kept where the settings say, as far as their text tells.
    #[must_use]
    pub fn has_usable_upload_storage(&self) -> bool {
        let is_usable = |storage: &String| {
            let url = guard::parse_url(storage).ok().filter(guard::is_object);
            cfg!(feature = "cloud") && url.is_some_and(|url| url.host_str().is_some() && url.query().is_none())
        };
        self.upload_storage.as_ref().is_none_or(is_usable)
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
            object_storage: Vec::new(),
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
            upload_storage: None,
            max_upload_bytes: 128 << 20,
            max_kept_bytes: 1 << 30,
            upload_age: Duration::from_secs(7 * 24 * 60 * 60),
        }
    }
}
