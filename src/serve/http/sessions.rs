//! Sessions of the older protocols: whose each is, how one ends, and how one goes on that another replica opened.
//!
//! The SDK keeps a session in this process. What it needs to begin one anew, the client's `initialize`, is in the store
//! with the session's owner: a replica that does not know a session asks the store, and has the SDK replay that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use rmcp::transport::streamable_http_server::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore as ReplayStore, SessionStoreError};
use serde_json::Value;

use crate::serve::delivery::Recalls;
use crate::serve::lock;
use crate::tool::{ContextManager, Principal, SessionStore, StoreError, StoredSession};

/// The header in which the older protocols name a session.
pub(in crate::serve) const SESSION: &str = "mcp-session-id";

/// How long a session is taken for open without asking the store, which another replica may have told of its end. 10 s.
const ASKED_EVERY: Duration = Duration::from_secs(10);

/// How often sessions that nobody uses are dropped from the store.
const EXPIRED_EVERY: Duration = Duration::from_secs(60);

/// Bytes of an `initialize` that are kept in the store; the session of a larger one is known to this replica alone. 64 KiB.
const MAX_STATE_BYTES: usize = 64 << 10;

/// All sessions of a server.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    open: Arc<Mutex<HashMap<String, McpSession>>>,
    stored: StoreAccess,
    idle: Duration,
    expired: Mutex<Option<Instant>>,
}

/// One session, beside what the SDK keeps of it.
struct McpSession {
    owner: Principal,
    recalls: Recalls,
    /// Whether the store has it; else it is this replica's alone.
    is_stored: bool,
    /// When the store last said that it is open.
    asked: Instant,
}

impl McpSession {
    fn new(owner: Principal, is_stored: bool) -> Self {
        Self { owner, recalls: Recalls::default(), is_stored, asked: Instant::now() }
    }
}

/// Whether a request may name a session.
pub(super) enum Admission {
    /// It may, or names none.
    Admitted,
    /// Nobody's, or another's, which is answered alike.
    Unknown,
    /// The store cannot say now.
    Unavailable,
    /// There is no room for one more here.
    Full,
}

impl Sessions {
    /// Sessions that end after `idle` without a request.
    pub(super) fn new(idle: Duration, context: Option<Arc<ContextManager>>) -> Self {
        let mut session = SessionConfig::default();
        session.keep_alive = Some(idle);
        let mut manager = LocalSessionManager::default();
        manager.session_config = session;
        let (manager, stored) = (Arc::new(manager), StoreAccess(context));
        Self { manager, open: Arc::default(), stored, idle, expired: Mutex::default() }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Where the SDK finds what other replicas opened.
    pub(super) fn replay(&self) -> Arc<dyn ReplayStore> {
        Arc::new(SessionReplay { open: Arc::clone(&self.open), stored: self.stored.clone() })
    }

    /// How many are open here.
    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// Whether a request may name the session that it names. One that another replica opened is known here from then on,
    /// where there are fewer than `most`.
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        principal: Principal,
        method: &Method,
        most: usize,
    ) -> Admission {
        let Some(id) = named(headers) else { return Admission::Admitted };
        let known = lock(&self.open).get(id).map(|session| (session.owner, session.is_due()));
        match known {
            Some((owner, _)) if owner != principal => Admission::Unknown,
            Some((_, false)) => Admission::Admitted,
            Some((_, true)) => self.admit_again(id).await,
            None => self.admit_stored(id, principal, method, most).await,
        }
    }

    /// A session that is open here, unless another replica ended it.
    async fn admit_again(&self, id: &str) -> Admission {
        let name = id.to_owned();
        let touched = self.stored.ask(move |store| store.touch(&name, SystemTime::now())).await;
        if !matches!(touched, Some(Ok(false))) {
            lock(&self.open).get_mut(id).into_iter().for_each(|session| session.asked = Instant::now());
            return Admission::Admitted;
        }
        lock(&self.open).remove(id);
        // Where that fails it ends when it is idle, and nobody gets at it until then.
        let _ = self.manager.close_session(&id.into()).await;
        Admission::Unknown
    }

    /// A session that is not open here.
    async fn admit_stored(&self, id: &str, principal: Principal, method: &Method, most: usize) -> Admission {
        let (name, idle) = (id.to_owned(), self.idle);
        let stored = self.stored.ask(move |store| {
            let session = store.get(&name)?.filter(|session| is_used(session, idle));
            if session.as_ref().is_some_and(|session| session.owner == principal) {
                store.touch(&name, SystemTime::now())?;
            }
            Ok(session)
        });
        match stored.await {
            Some(Ok(Some(session))) if session.owner != principal => Admission::Unknown,
            Some(Ok(Some(_))) if *method != Method::DELETE && self.count().await >= most => Admission::Full,
            Some(Ok(Some(_))) => {
                lock(&self.open).insert(id.to_owned(), McpSession::new(principal, true));
                Admission::Admitted
            }
            Some(Err(_)) => Admission::Unavailable,
            // The protocol knows what a request means that names no session there is; an end of one means nothing.
            Some(Ok(None)) | None if *method != Method::DELETE => Admission::Admitted,
            Some(Ok(None)) | None => Admission::Unknown,
        }
    }

    /// Takes note of the session that a response with these headers opened; those that went idle are forgotten.
    /// `initialize` are the parameters of the request.
    pub(super) async fn opened(&self, headers: &HeaderMap, owner: Principal, initialize: Option<&Value>) {
        let Some(id) = named(headers) else { return };
        let is_stored = self.put(id, owner, initialize).await;
        let kept = self.manager.sessions.read().await;
        let mut open = lock(&self.open);
        // One that was just admitted is not restored yet.
        open.retain(|id, session| kept.contains_key(id.as_str()) || session.asked.elapsed() < ASKED_EVERY);
        open.insert(id.to_owned(), McpSession::new(owner, is_stored));
    }

    /// Puts a session into the store, and drops from it what nobody uses; whether the session is there.
    async fn put(&self, id: &str, owner: Principal, initialize: Option<&Value>) -> bool {
        let state = initialize.map(|parameters| parameters.to_string().into_bytes());
        let Some(state) = state.filter(|state| state.len() <= MAX_STATE_BYTES) else { return false };
        let (id, now) = (id.to_owned(), SystemTime::now());
        let unused_since = now.checked_sub(self.idle).filter(|_| self.is_expiry_due());
        let stored = self.stored.ask(move |store| {
            store.put(&id, &StoredSession { owner, state, used: now }, now)?;
            unused_since.map_or(Ok(0), |since| store.expire(since))
        });
        matches!(stored.await, Some(Ok(_)))
    }

    fn is_expiry_due(&self) -> bool {
        let mut expired = lock(&self.expired);
        let is_due = expired.is_none_or(|expired| expired.elapsed() >= EXPIRED_EVERY);
        if is_due {
            *expired = Some(Instant::now());
        }
        is_due
    }

    /// The requests of the session that `headers` name, by which their answers can be cancelled.
    pub(super) fn recalls(&self, headers: &HeaderMap) -> Option<Recalls> {
        lock(&self.open).get(named(headers)?).map(|session| session.recalls.clone())
    }

    /// The response to the end of the session that `headers` name: nothing is left that would be accepted, and some
    /// clients take 202 for a failure.
    pub(super) async fn ended(&self, mut response: Response, headers: &HeaderMap) -> Response {
        if response.status() == StatusCode::ACCEPTED {
            if let Some(id) = named(headers).map(str::to_owned) {
                lock(&self.open).remove(&id);
                // Where the store fails, the session ends there when it is idle.
                let _ = self.stored.ask(move |store| store.remove(&id)).await;
            }
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }
}

impl McpSession {
    /// Whether the store is to be asked again.
    fn is_due(&self) -> bool {
        self.is_stored && self.asked.elapsed() >= ASKED_EVERY
    }
}

/// A session that is not yet idle. One that was used in the future was so under another clock.
fn is_used(session: &StoredSession, idle: Duration) -> bool {
    SystemTime::now().duration_since(session.used).map_or(true, |unused| unused <= idle)
}

fn named(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// The sessions of the store.
#[derive(Clone)]
struct StoreAccess(Option<Arc<ContextManager>>);

impl StoreAccess {
    /// Has the store do something, on a thread that may wait for it; `None` where it keeps no sessions.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SessionStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Option<Result<T, StoreError>> {
        let context = self.0.clone()?;
        tokio::task::spawn_blocking(move || context.sessions().map(work)).await.ok().flatten()
    }
}

/// What the SDK asks for sessions that it does not know, once a request was admitted to one. The door itself puts them
/// into the store and removes them.
struct SessionReplay {
    open: Arc<Mutex<HashMap<String, McpSession>>>,
    stored: StoreAccess,
}

#[async_trait::async_trait]
impl ReplayStore for SessionReplay {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        if !lock(&self.open).contains_key(id) {
            return Ok(None);
        }
        let id = id.to_owned();
        let Some(stored) = self.stored.ask(move |store| store.get(&id)).await else { return Ok(None) };
        let parameters = stored?.map(|session| serde_json::from_slice(&session.state)).transpose()?;
        Ok(parameters.map(SessionState::new))
    }

    async fn store(&self, _id: &str, _state: &SessionState) -> Result<(), SessionStoreError> {
        Ok(())
    }

    async fn delete(&self, _id: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}
