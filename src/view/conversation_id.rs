//! Conversation handles and their owners.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use pagewise_base::clean::{is_hidden, is_joiner};
use serde::{Deserialize, Serialize};

/// The handle of a conversation: 1 to [`ConversationId::MAX_CHARS`] printable characters.
///
/// Handles are client arguments that appear in answers and logs. So control characters, invisible characters and
/// direction marks are refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(String);

/// Why a text is not a conversation handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConversationIdError {
    /// No character at all.
    #[error("a conversation handle is empty")]
    Empty,
    /// More characters than [`ConversationId::MAX_CHARS`].
    #[error("a conversation handle has at most {limit} characters")]
    TooLong {
        /// The maximum.
        limit: usize,
    },
    /// A control or invisible character.
    #[error("a conversation handle has printable characters only, and character {at} (from 0) is not")]
    NotPrintable {
        /// Position in characters, 0-based.
        at: usize,
    },
}

impl ConversationId {
    /// Maximum length in characters.
    pub const MAX_CHARS: usize = 128;

    /// A new handle from 128 random bits: `conv_` and 32 hexadecimal digits.
    #[must_use]
    pub fn mint(random: [u8; 16]) -> Self {
        let mut handle = String::from("conv_");
        for byte in random {
            // Writing to a string cannot fail.
            let _ = write!(handle, "{byte:02x}");
        }
        Self(handle)
    }

    /// A handle derived from a name that is not a valid handle, such as one that is too long. Equal names give equal
    /// handles.
    #[must_use]
    pub fn standing_for(name: &str) -> Self {
        let mut hash = [0; 16];
        let mut hasher = blake3::Hasher::new_derive_key("pagewise conversation by a name that is no handle");
        hasher.update(name.as_bytes()).finalize_xof().fill(&mut hash);
        Self::mint(hash)
    }

    /// The handle as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ConversationId {
    type Err = ConversationIdError;

    /// Checks a handle. Nothing is trimmed or case-folded, so two spellings are two conversations.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(ConversationIdError::Empty);
        }
        if text.chars().count() > Self::MAX_CHARS {
            return Err(ConversationIdError::TooLong { limit: Self::MAX_CHARS });
        }
        match text.chars().position(|character| !is_printable(character)) {
            Some(at) => Err(ConversationIdError::NotPrintable { at }),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The owner of a conversation on a server with several users: a hash of the credential.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Principal(pub [u8; 32]);

impl Principal {
    /// The principal of `credential`, which cannot be recovered from it.
    #[must_use]
    pub fn of(credential: &str) -> Self {
        Self(blake3::derive_key("pagewise principal of a conversation", credential.as_bytes()))
    }

    /// The principal of a subject of an issuer. No credential has the same.
    #[must_use]
    pub fn of_subject(issuer: &str, subject: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("pagewise principal of an issuer's subject");
        // Hashes have one length, so no two pairs are written alike.
        hasher.update(blake3::hash(issuer.as_bytes()).as_bytes()).update(subject.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Principal(…)")
    }
}

fn is_printable(character: char) -> bool {
    !is_hidden(character) && !is_joiner(character)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_minted_handle_is_a_valid_one() {
        let minted = ConversationId::mint([0xab; 16]);
        assert_eq!(minted.as_str(), format!("conv_{}", "ab".repeat(16)));
        assert_eq!(minted.as_str().parse::<ConversationId>().unwrap(), minted);
    }

    #[test]
    fn a_name_that_is_no_handle_has_one_of_its_own() {
        let [long, other] = ["x".repeat(129), "y".repeat(129)].map(|name| ConversationId::standing_for(&name));
        assert_eq!(ConversationId::standing_for(&"x".repeat(129)), long);
        assert_ne!(long, other);
        assert_eq!(long.as_str().parse::<ConversationId>().unwrap(), long);
    }

    #[test]
    fn the_length_counts_characters_and_holds_at_the_limit() {
        assert!("é".repeat(128).parse::<ConversationId>().is_ok());
        let too_long = "é".repeat(129).parse::<ConversationId>();
        assert_eq!(too_long.unwrap_err(), ConversationIdError::TooLong { limit: 128 });
        assert_eq!("".parse::<ConversationId>().unwrap_err(), ConversationIdError::Empty);
    }

    #[test]
    fn what_cannot_be_seen_is_refused() {
        for text in ["a\nb", "a\0b", "a\u{202e}b", "a\u{200b}b", "a\u{7f}b", "a\u{e0041}b"] {
            let refused = text.parse::<ConversationId>();
            assert_eq!(refused.unwrap_err(), ConversationIdError::NotPrintable { at: 1 }, "{text:?}");
        }
        assert!("notes for Tuesday, Zoë's".parse::<ConversationId>().is_ok());
    }
}
