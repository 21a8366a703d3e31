//! The names that content uses.
//!
//! Every `/Name` token counts, even inside strings and image data: a superset is safe and needs no interpreter. Readers
//! disagree about `#` in names, so content with one uses all names.

use pagewise_document::fast_hash::FastSet;
use pagewise_document::lexer::is_regular;
use pagewise_document::object::Name;

/// Names that content uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UsedNames {
    /// Any name may be used: the content could not be read to its end.
    All,
    /// Only these names are used.
    Only(FastSet<Name>),
}

impl Default for UsedNames {
    fn default() -> Self {
        Self::Only(FastSet::default())
    }
}

impl UsedNames {
    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Only(names) => names.len().saturating_mul(2 * size_of::<Name>()),
        }
    }

    /// Whether `name` may be used.
    pub(crate) fn contains(&self, name: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }

    /// Adds the names of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::All, _) => {}
            (_, Self::All) => *self = Self::All,
            (Self::Only(names), Self::Only(more)) => names.extend(more.iter().cloned()),
        }
    }

    /// Keeps the names for which `keep` is true; [`All`](Self::All) stays.
    pub(crate) fn retain(&mut self, keep: impl Fn(&[u8]) -> bool) {
        if let Self::Only(names) = self {
            names.retain(|name| keep(name.as_bytes()));
        }
    }

    /// Whether no name is used.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Only(names) if names.is_empty())
    }

    /// Adds the names in decoded content or in a default appearance string.
    pub(crate) fn scan(&mut self, content: &[u8]) {
        let mut rest = content;
        while let Self::Only(names) = self {
            let Some(slash) = memchr::memchr(b'/', rest) else { return };
            rest = rest.get(slash + 1..).unwrap_or_default();
            let length = rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(rest.len());
            let name = rest.get(..length).unwrap_or_default();
            if name.contains(&b'#') {
                *self = Self::All;
            } else if !names.contains(name) {
                names.insert(Name::new(name));
            }
        }
    }

    /// Adds the names in content that is split over several streams, including names that continue in the next stream.
    pub(crate) fn scan_parts(&mut self, parts: &[impl AsRef<[u8]>]) {
        for part in parts {
            self.scan(part.as_ref());
        }
        // The unfinished token at the end of a part.
        let mut open = Vec::new();
        for part in parts.iter().map(AsRef::as_ref) {
            let head = part.iter().position(|byte| !is_regular(*byte));
            open.extend(part.get(..head.unwrap_or(part.len())).unwrap_or_default());
            if head.is_some() {
                self.scan(&open);
                let tail = part.iter().rposition(|byte| !is_regular(*byte)).unwrap_or(0);
                open = part.get(tail..).unwrap_or_default().to_vec();
            }
        }
        self.scan(&open);
    }
}
