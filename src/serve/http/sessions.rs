//! Sessions of the older protocol versions: who owns each, how it ends, and how another replica continues it.
//!
//! The SDK keeps a session in this process. The store keeps its owner and the client's `initialize`. A replica that
//! does not know a session asks the store, and the SDK replays `initialize`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use rmcp::transport::streamable_http_server::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore as ReplayStore, SessionStoreError};
use serde_json::Value;

use crate::context::ContextManager;
use crate::serve::delivery::Recalls;
use crate::serve::lock::lock;
use pagewise_base::share::{Full, Place, Share, Sharer};
use pagewise_store::{SessionStore, StoreError, StoredSession};
use pagewise_view::Principal;

/// The header in which the older protocol versions name a session.
pub(in crate::serve) const SESSION_HEADER: &str = "mcp-session-id";

/// How long a session counts as open before the store is asked again: another replica may have ended it. 10 s.
const CONFIRM_EVERY: Duration = Duration::from_secs(10);

/// How often idle sessions are removed from the store.
const EXPIRE_EVERY: Duration = Duration::from_secs(60);

/// Most bytes of an `initialize` in the store. The session of a larger one stays on this replica. 64 KiB.
const MAX_STATE_BYTES: usize = 64 << 10;

/// All sessions of a server.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    open: Arc<Mutex<HashMap<String, McpSession>>>,
    stored: StoreAccess,
    idle: Duration,
    last_expiry: Mutex<Option<Instant>>,
    share: Arc<Share>,
}

/// One session, besides what the SDK keeps of it.
struct McpSession {
    owner: Principal,
    recalls: Recalls,
    /// Whether the store has it. If not, only this replica knows it.
    is_stored: bool,
    /// When the store last said that it is open.
    confirmed: Instant,
    /// Its place among the sessions of this server; a session that is about to end may have none.
    _place: Option<Place>,
}

impl McpSession {
    fn new(owner: Principal, is_stored: bool, place: Option<Place>) -> Self {
        Self { owner, recalls: Recalls::default(), is_stored, confirmed: Instant::now(), _place: place }
    }
}

/// Whether a request may use the session that it names.
pub(super) enum Admission {
    /// It may, or it names none.
    Admitted,
    /// The session does not exist or has another owner; the answer is the same.
    Unknown,
    /// The store does not answer.
    Unavailable,
    /// This server has too many sessions.
    Full,
}

impl Sessions {
    /// At most `most` sessions, which end after `idle` without a request.
    pub(super) fn new(idle: Duration, most: usize, context: Option<Arc<ContextManager>>) -> Self {
        let mut session = SessionConfig::default();
        session.keep_alive = Some(idle);
        let mut manager = LocalSessionManager::default();
        manager.session_config = session;
        let (manager, stored) = (Arc::new(manager), StoreAccess(context));
        let share = Share::new(most, most);
        Self { manager, open: Arc::default(), stored, idle, last_expiry: Mutex::default(), share }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// The store from which the SDK replays sessions of other replicas.
    pub(super) fn replay(&self) -> Arc<dyn ReplayStore> {
        Arc::new(SessionReplay { open: Arc::clone(&self.open), stored: self.stored.clone() })
    }

    /// The number of sessions open here.
    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// A place for one more session.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn place(&self, sharer: Sharer) -> Result<Place, Full> {
        if let Ok(place) = self.share.take(sharer) {
            return Ok(place);
        }
        self.forget_ended().await;
        self.share.take(sharer)
    }

    /// Forgets the sessions that the SDK has ended.
    async fn forget_ended(&self) {
        let kept = self.manager.sessions.read().await;
        // An admitted session may not be restored yet.
        lock(&self.open)
            .retain(|id, session| kept.contains_key(id.as_str()) || session.confirmed.elapsed() < CONFIRM_EVERY);
    }

    /// Checks the session that a request names. A session of another replica is known here from then on, if there is a
    /// place for it.
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        principal: Principal,
        method: &Method,
        sharer: Sharer,
    ) -> Admission {
        let Some(id) = session_id(headers) else { return Admission::Admitted };
        let known = lock(&self.open).get(id).map(|session| (session.owner, session.is_due()));
        match known {
            Some((owner, _)) if owner != principal => Admission::Unknown,
            Some((_, false)) => Admission::Admitted,
            Some((_, true)) => self.admit_again(id).await,
            None => self.admit_stored(id, principal, method, sharer).await,
        }
    }

    /// Admits a session that is open here, unless another replica ended it.
    async fn admit_again(&self, id: &str) -> Admission {
        let name = id.to_owned();
        let touched = self.stored.run(move |store| store.touch(&name, SystemTime::now())).await;
        if !matches!(touched, Some(Ok(false))) {
            lock(&self.open).get_mut(id).into_iter().for_each(|session| session.confirmed = Instant::now());
            return Admission::Admitted;
        }
        lock(&self.open).remove(id);
        // If closing fails, the session ends when it is idle; nobody can use it until then.
        let _ = self.manager.close_session(&id.into()).await;
        Admission::Unknown
    }

    /// Admits a session that is not open here.
    async fn admit_stored(&self, id: &str, principal: Principal, method: &Method, sharer: Sharer) -> Admission {
        let (name, idle) = (id.to_owned(), self.idle);
        let stored = self.stored.run(move |store| {
            let session = store.get(&name)?.filter(|session| is_in_use(session, idle));
            if session.as_ref().is_some_and(|session| session.owner == principal) {
                store.touch(&name, SystemTime::now())?;
            }
            Ok(session)
        });
        match stored.await {
            Some(Ok(Some(session))) if session.owner != principal => Admission::Unknown,
            Some(Ok(Some(_))) => {
                let place = self.place(sharer).await.ok();
                if place.is_none() && *method != Method::DELETE {
                    return Admission::Full;
                }
                lock(&self.open).insert(id.to_owned(), McpSession::new(principal, true, place));
                Admission::Admitted
            }
            Some(Err(_)) => Admission::Unavailable,
            // The SDK answers a request whose session does not exist. It would accept the end of one, so that is
            // refused here.
            Some(Ok(None)) | None if *method != Method::DELETE => Admission::Admitted,
            Some(Ok(None)) | None => Admission::Unknown,
        }
    }

    /// Adds the session that a response with these headers opened, and drops idle ones. `initialize` are the parameters
    /// of the request.
    pub(super) async fn add(&self, headers: &HeaderMap, owner: Principal, initialize: Option<&Value>, place: Place) {
        let Some(id) = session_id(headers) else { return };
        let is_stored = self.put(id, owner, initialize).await;
        self.forget_ended().await;
        lock(&self.open).insert(id.to_owned(), McpSession::new(owner, is_stored, Some(place)));
    }

    /// Stores a session, and removes idle ones from the store. Returns whether the session is stored.
    async fn put(&self, id: &str, owner: Principal, initialize: Option<&Value>) -> bool {
        let state = initialize.map(|parameters| parameters.to_string().into_bytes());
        let Some(state) = state.filter(|state| state.len() <= MAX_STATE_BYTES) else { return false };
        let (id, now) = (id.to_owned(), SystemTime::now());
        let unused_since = now.checked_sub(self.idle).filter(|_| self.is_expiry_due());
        let stored = self.stored.run(move |store| {
            store.put(&id, &StoredSession { owner, state, used: now }, now)?;
            unused_since.map_or(Ok(0), |since| store.expire(since))
        });
        matches!(stored.await, Some(Ok(_)))
    }

    fn is_expiry_due(&self) -> bool {
        let mut last_expiry = lock(&self.last_expiry);
        let is_due = last_expiry.is_none_or(|last_expiry| last_expiry.elapsed() >= EXPIRE_EVERY);
        if is_due {
            *last_expiry = Some(Instant::now());
        }
        is_due
    }

    /// The requests of a session, by which their answers can be cancelled.
    pub(super) fn recalls(&self, headers: &HeaderMap) -> Option<Recalls> {
        lock(&self.open).get(session_id(headers)?).map(|session| session.recalls.clone())
    }

    /// The response to the end of a session: 204, because some clients take 202 for a failure.
    pub(super) async fn end(&self, mut response: Response, headers: &HeaderMap) -> Response {
        if response.status() == StatusCode::ACCEPTED {
            if let Some(id) = session_id(headers).map(str::to_owned) {
                lock(&self.open).remove(&id);
                // If the store fails, it drops the session once it is idle.
                let _ = self.stored.run(move |store| store.remove(&id)).await;
            }
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }
}

impl McpSession {
    /// Whether to ask the store again.
    fn is_due(&self) -> bool {
        self.is_stored && self.confirmed.elapsed() >= CONFIRM_EVERY
    }
}

/// Whether a session is not idle yet. A time in the future comes from another replica's clock.
fn is_in_use(session: &StoredSession, idle: Duration) -> bool {
    SystemTime::now().duration_since(session.used).map_or(true, |unused| unused <= idle)
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok()
}

/// Access to the sessions in the store.
#[derive(Clone)]
struct StoreAccess(Option<Arc<ContextManager>>);

impl StoreAccess {
    /// Uses the store on a thread that may block; `None` if it keeps no sessions.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SessionStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Option<Result<T, StoreError>> {
        let context = self.0.clone()?;
        tokio::task::spawn_blocking(move || context.sessions().map(work)).await.ok().flatten()
    }
}

/// Gives the SDK sessions that it does not know, once they are admitted. [`Sessions`] itself stores and removes them.
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
        let Some(stored) = self.stored.run(move |store| store.get(&id)).await else { return Ok(None) };
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
