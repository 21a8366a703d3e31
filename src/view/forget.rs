//! What an agent may forget.

use std::collections::BTreeSet;

use super::holding::{FileKey, HeldItem, Holding};
use crate::hash::PageFingerprint;
use crate::page::PageSet;

/// What an agent says it no longer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgetScope {
    /// All of it.
    Everything,
    /// All of it, but its files stay followed: they are [`HeldItem::Followed`].
    AllButFiles,
    /// Whatever came from a file, in any of its contents.
    File(FileKey),
    /// Pages of a file, in any of its contents.
    Pages {
        /// The file.
        file: FileKey,
        /// Its pages.
        pages: PageSet,
    },
    /// Pages by what they show, whatever file they came from.
    Fingerprints(BTreeSet<PageFingerprint>),
    /// Places of a file that show other pages now. What stood there is not forgotten where another file, or another
    /// place of this one, holds it too.
    Positions {
        /// The file.
        file: FileKey,
        /// Its places.
        pages: PageSet,
    },
}

impl ForgetScope {
    /// Whether nothing of what was sent before counts any more.
    #[must_use]
    pub fn forgets_everything(&self) -> bool {
        matches!(self, Self::Everything | Self::AllButFiles)
    }

    /// Whether `holding` is named by this request itself.
    pub(crate) fn names(&self, holding: &Holding) -> bool {
        match self {
            Self::Everything | Self::AllButFiles => true,
            Self::File(file) => *file == holding.file,
            Self::Fingerprints(prints) => holding.what.fingerprint().is_some_and(|print| prints.contains(&print)),
            Self::Pages { file, pages } | Self::Positions { file, pages } => {
                let HeldItem::Page { page, .. } = holding.what else { return false };
                *file == holding.file && pages.contains(page)
            }
        }
    }
}
