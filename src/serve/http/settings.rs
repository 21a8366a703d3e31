//! The settings of a server over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a server over HTTP.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The address to listen on; port 0 picks any free port.
    pub address: SocketAddr,
    /// Bearer tokens, one for each principal. Without tokens and an issuer the address must be loopback, and everybody is served.
    pub tokens: Vec<String>,
    /// The issuer of JSON Web Tokens, whose subjects are principals too. It needs an audience.
    pub issuer: Option<String>,
    /// The audience that such tokens must name: the URL of this server as its clients know it, or another name.
    pub audience: Option<String>,
    /// Scopes that such tokens must have.
    pub scopes: Vec<String>,
    /// A PEM file with further certificate authorities for the issuer's server.
    pub ca_file: Option<PathBuf>,
    /// Allowed values of `Host`, with or without a port. The address itself and, on loopback, its other names are
    /// always allowed.
    pub allowed_hosts: Vec<String>,
    /// Allowed origins of web pages, such as `https://app.example:443`.
    pub allowed_origins: Vec<String>,
    /// Most bytes of a request's body. 4 MiB.
    pub max_body_bytes: usize,
    /// Most bytes of a request's head. 32 KiB.
    pub max_header_bytes: usize,
    /// Connections at once. 4,096.
    pub max_connections: usize,
    /// Most requests at once; one more is answered `busy`. 256.
    pub max_requests: usize,
    /// Most requests of one principal at once, where there are several. 64.
    pub max_requests_per_principal: usize,
    /// Most sessions of the older protocol versions. 4,096.
    pub max_sessions: usize,
    /// How long such a session stays open without a request. 30 min.
    pub session_idle: Duration,
    /// Time for a request's head, and again for its body. 30 s.
    pub read_timeout: Duration,
    /// How long a client may read next to nothing of an answer. 30 s.
    pub write_timeout: Duration,
    /// Time for open requests to finish at shutdown. 10 s.
    pub drain: Duration,
    /// Whether a session is a conversation. If several chats share one session, pages given to one are withheld from
    /// the others.
    pub session_is_conversation: bool,
    /// Whether each request writes a log event.
    pub log: bool,
    /// Called with a sentence when the server listens and when it ends.
    pub announce: fn(&str),
}

impl HttpSettings {
    /// The allowed values of `Host` at `address`: those that are set, the address, and on loopback all its names.
    pub(super) fn all_allowed_hosts(&self, address: SocketAddr) -> Vec<String> {
        let loopback = ["localhost", "127.0.0.1", "::1"].into_iter().filter(|_| address.ip().is_loopback());
        let named = self.allowed_hosts.iter().cloned().chain(loopback.map(str::to_owned));
        named.chain((!address.ip().is_unspecified()).then(|| address.ip().to_string())).collect()
    }

    /// The allowed origins: those that are set, and pages of this machine if only it can connect.
    pub(super) fn all_allowed_origins(&self) -> Vec<String> {
        let local = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        let local = local.into_iter().filter(|_| self.address.ip().is_loopback()).map(str::to_owned);
        self.allowed_origins.iter().cloned().chain(local).collect()
    }

    /// The defaults, for `address`.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            tokens: Vec::new(),
            issuer: None,
            audience: None,
            scopes: Vec::new(),
            ca_file: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_body_bytes: 4 << 20,
            max_header_bytes: 32 << 10,
            max_connections: 4_096,
            max_requests: 256,
            max_requests_per_principal: 64,
            max_sessions: 4_096,
            session_idle: Duration::from_secs(30 * 60),
            read_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(10),
            session_is_conversation: false,
            log: false,
            announce: |_| {},
        }
    }
}
