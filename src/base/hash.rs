//! Hashes that identify the content of a file and of a page.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The blake3 hash of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

/// The blake3 hash of a page's canonical form.
///
/// It stays equal if a file is rewritten with other object numbers, `/ID`, annotation dates, font subsets or compression.
/// It differs after any visible or textual change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageFingerprint(pub [u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The first eight hexadecimal digits, for file names.
    #[must_use]
    pub fn short(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().chars().take(8).collect()
    }
}

macro_rules! hexadecimal {
    ($type:ident) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), self)
            }
        }

        impl FromStr for $type {
            type Err = blake3::HexError;

            /// Parses 64 hexadecimal digits.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes()))
            }
        }
    };
}

hexadecimal!(ContentHash);
hexadecimal!(PageFingerprint);
