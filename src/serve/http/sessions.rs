//! Sessions of the older protocols: whose each is, and how one ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};

use crate::serve::lock;
use crate::serve::recalls::Recalls;
use crate::tool::Principal;

/// The header in which the older protocols name a session.
pub(in crate::serve) const SESSION: &str = "mcp-session-id";

/// All sessions of a server.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    open: Mutex<HashMap<String, Session>>,
}

/// One session, beside what the SDK keeps of it.
struct Session {
    owner: Principal,
    recalls: Recalls,
}

impl Sessions {
    /// Sessions that end after `idle` without a request.
    pub(super) fn new(idle: Duration) -> Self {
        let mut session = SessionConfig::default();
        session.keep_alive = Some(idle);
        let mut manager = LocalSessionManager::default();
        manager.session_config = session;
        Self { manager: Arc::new(manager), open: Mutex::default() }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// How many are open.
    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// Whether a request may name the session that it names: another's is answered like none. What is to be ended must be
    /// known here; in all else the protocol itself knows which sessions there are.
    pub(super) fn may_name(&self, headers: &HeaderMap, principal: Principal, method: &Method) -> bool {
        let Some(session) = named(headers) else { return true };
        match lock(&self.open).get(session) {
            Some(session) => session.owner == principal,
            None => method != Method::DELETE,
        }
    }

    /// Takes note of the session that a response with these headers opened; those that went idle are forgotten.
    pub(super) async fn opened(&self, headers: &HeaderMap, owner: Principal) {
        let Some(session) = named(headers) else { return };
        let kept = self.manager.sessions.read().await;
        let mut open = lock(&self.open);
        open.retain(|session, _| kept.contains_key(session.as_str()));
        open.insert(session.to_owned(), Session { owner, recalls: Recalls::default() });
    }

    /// The requests of the session that `headers` name, by which their answers can be cancelled.
    pub(super) fn recalls(&self, headers: &HeaderMap) -> Option<Recalls> {
        lock(&self.open).get(named(headers)?).map(|session| session.recalls.clone())
    }

    /// The response to the end of the session that `headers` name: nothing is left that would be accepted, and some
    /// clients take 202 for a failure.
    pub(super) fn ended(&self, mut response: Response, headers: &HeaderMap) -> Response {
        if response.status() == StatusCode::ACCEPTED {
            named(headers).map(|session| lock(&self.open).remove(session));
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }
}

fn named(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}
