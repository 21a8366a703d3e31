//! The keys of an issuer as this process has them: fetched when one is needed, and again after a while.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::{Algorithm, DecodingKey};
use tokio::sync::Mutex;

use super::discovery::IssuerServer;
use super::key_set::KeySet;
use super::token::TokenError;

/// When keys are fetched.
#[derive(Debug, Clone, Copy)]
pub struct RefreshTimes {
    /// The least time between two attempts, whatever tokens name.
    pub between: Duration,
    /// The age from which keys are fetched again, while they go on being used.
    pub stale: Duration,
    /// The age from which keys are not used: an issuer that does not answer may have withdrawn them.
    pub expired: Duration,
}

impl Default for RefreshTimes {
    fn default() -> Self {
        Self {
            between: Duration::from_secs(10),
            stale: Duration::from_secs(5 * 60),
            expired: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// The keys of one issuer.
pub(super) struct FetchedKeys {
    server: IssuerServer,
    times: RefreshTimes,
    latest: RwLock<Option<Arc<KeySetOfTime>>>,
    /// The time of the last attempt. Its lock is held while keys are fetched.
    attempted: Mutex<Option<Instant>>,
    warn: fn(&str),
}

struct KeySetOfTime {
    keys: KeySet,
    fetched: Instant,
}

impl FetchedKeys {
    pub(super) fn new(server: IssuerServer, times: RefreshTimes, warn: fn(&str)) -> Arc<Self> {
        Arc::new(Self { server, times, latest: RwLock::default(), attempted: Mutex::default(), warn })
    }

    /// The key that a token names. An unknown one is looked for at the issuer.
    ///
    /// # Errors
    /// [`TokenError::Invalid`] if the issuer has no such key, [`TokenError::Unavailable`] if it was never reached.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, TokenError> {
        if let Some((key, age)) = self.known(id, algorithm) {
            if age >= self.times.stale {
                let keys = Arc::clone(self);
                tokio::spawn(async move { keys.refresh_if_idle().await });
            }
            return Ok(key);
        }
        let keys = Arc::clone(self);
        // A client that goes away must not interrupt what the others wait for.
        let refreshed = tokio::spawn(async move { keys.refresh().await });
        refreshed.await.map_err(|_| TokenError::Unavailable)?;
        match self.known(id, algorithm) {
            Some((key, _)) => Ok(key),
            None if self.usable().is_some() => Err(TokenError::Invalid),
            None => Err(TokenError::Unavailable),
        }
    }

    /// A key that was fetched, and its age.
    fn known(&self, id: Option<&str>, algorithm: Algorithm) -> Option<(DecodingKey, Duration)> {
        let latest = self.usable()?;
        let key = latest.keys.find(id, algorithm)?;
        Some((key.clone(), latest.fetched.elapsed()))
    }

    fn usable(&self) -> Option<Arc<KeySetOfTime>> {
        let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner).clone();
        latest.filter(|latest| latest.fetched.elapsed() < self.times.expired)
    }

    /// Fetches the keys, unless that was attempted lately. Waits for an attempt that is under way.
    async fn refresh(&self) {
        let mut attempted = self.attempted.lock().await;
        self.attempt(&mut attempted).await;
    }

    async fn refresh_if_idle(&self) {
        if let Ok(mut attempted) = self.attempted.try_lock() {
            self.attempt(&mut attempted).await;
        }
    }

    async fn attempt(&self, attempted: &mut Option<Instant>) {
        if attempted.is_some_and(|attempted| attempted.elapsed() < self.times.between) {
            return;
        }
        let fetched = self.server.fetch_keys().await;
        *attempted = Some(Instant::now());
        match fetched {
            Ok(keys) => {
                let latest = Arc::new(KeySetOfTime { keys, fetched: Instant::now() });
                *self.latest.write().unwrap_or_else(PoisonError::into_inner) = Some(latest);
            }
            Err(error) => (self.warn)(&format!("the keys of http_issuer cannot be fetched: {error}")),
        }
    }
}
