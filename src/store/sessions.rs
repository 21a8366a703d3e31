//! MCP sessions of older protocol versions, stored so that any process that shares the store can continue them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::StoreError;
use pagewise_view::Principal;

/// Stores sessions. All methods block.
pub trait SessionStore: Send + Sync {
    /// Saves a session, replacing one with the same id.
    ///
    /// # Errors
    /// [`StoreError`]
    fn put(&self, id: &str, session: &StoredSession, now: SystemTime) -> Result<(), StoreError>;

    /// The session with an id; `None` if unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn get(&self, id: &str) -> Result<Option<StoredSession>, StoreError>;

    /// Marks a session as used. Returns false if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn touch(&self, id: &str, now: SystemTime) -> Result<bool, StoreError>;

    /// Removes a session. Returns false if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn remove(&self, id: &str) -> Result<bool, StoreError>;

    /// Removes sessions last used before `unused_since`. Returns how many.
    ///
    /// # Errors
    /// [`StoreError`]
    fn expire(&self, unused_since: SystemTime) -> Result<u64, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// Whose it is.
    pub owner: Principal,
    /// The data that the server needs to continue it.
    pub state: Vec<u8>,
    /// Last use, to the second.
    pub used: SystemTime,
}

/// Keeps sessions in memory.
#[derive(Debug, Default)]
pub struct MemorySessions(Mutex<HashMap<String, StoredSession>>);

impl MemorySessions {
    fn locked(&self) -> MutexGuard<'_, HashMap<String, StoredSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemorySessions {
    fn put(&self, id: &str, session: &StoredSession, now: SystemTime) -> Result<(), StoreError> {
        self.locked().insert(id.to_owned(), StoredSession { used: now, ..session.clone() });
        Ok(())
    }

    fn get(&self, id: &str) -> Result<Option<StoredSession>, StoreError> {
        Ok(self.locked().get(id).cloned())
    }

    fn touch(&self, id: &str, now: SystemTime) -> Result<bool, StoreError> {
        let mut sessions = self.locked();
        let session = sessions.get_mut(id).map(|session| session.used = session.used.max(now));
        Ok(session.is_some())
    }

    fn remove(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.locked().remove(id).is_some())
    }

    fn expire(&self, unused_since: SystemTime) -> Result<u64, StoreError> {
        let mut sessions = self.locked();
        let before = sessions.len();
        sessions.retain(|_, session| session.used >= unused_since);
        Ok(before.saturating_sub(sessions.len()) as u64)
    }
}
