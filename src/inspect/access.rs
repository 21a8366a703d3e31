//! How a browser shows who it is: by a cookie, which it gets for a token.

use std::sync::{Mutex, PoisonError};

use crate::context::random_secret;
use crate::tool::ToolError;

/// A token that can be exchanged for a cookie once.
#[derive(Debug)]
pub struct OneTimeAccess {
    /// `None` once it was exchanged.
    token: Mutex<Option<String>>,
    cookie: String,
}

impl OneTimeAccess {
    /// A new token, and a new cookie.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> Result<Self, ToolError> {
        Ok(Self { token: Mutex::new(Some(random_secret()?)), cookie: random_secret()? })
    }

    /// The token, unless it was exchanged.
    #[must_use]
    pub fn token(&self) -> Option<String> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The cookie for the token. The token is not accepted again.
    #[must_use]
    pub fn exchange(&self, token: &str) -> Option<&str> {
        let mut expected = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        expected.take_if(|expected| is_same(expected, token)).map(|_| self.cookie.as_str())
    }

    /// Whether this is the cookie.
    #[must_use]
    pub fn knows(&self, cookie: &str) -> bool {
        is_same(&self.cookie, cookie)
    }
}

/// The cookie of a bearer token, which cannot be recovered from it. It is the same at every replica of a server.
#[must_use]
pub fn cookie_of(token: &str) -> String {
    blake3::Hash::from_bytes(blake3::derive_key("pagewise inspect cookie of a bearer token", token.as_bytes()))
        .to_string()
}

/// Compares secrets in a time that does not depend on them.
#[must_use]
pub fn is_same(secret: &str, shown: &str) -> bool {
    blake3::hash(secret.as_bytes()) == blake3::hash(shown.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_token_is_exchanged_once() {
        let access = OneTimeAccess::new().unwrap();
        let token = access.token().unwrap();
        assert_eq!(access.exchange("guess"), None);
        let cookie = access.exchange(&token).unwrap().to_owned();
        assert!(access.knows(&cookie) && !access.knows(&token));
        assert_eq!((access.exchange(&token), access.token()), (None, None));
    }

    #[test]
    fn tokens_have_cookies_of_their_own() {
        assert_ne!(cookie_of("a"), cookie_of("b"));
        assert_eq!(cookie_of("a").len(), 64);
    }
}
