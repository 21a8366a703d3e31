//! What an agent can forget.

use std::collections::BTreeSet;

use super::holding::{FileKey, HeldItem, Holding};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::page::PageSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgetScope {
    /// All of it.
    Everything,
    /// Everything, but files stay followed as [`HeldItem::Followed`].
    AllButFiles,
    /// Everything that came from a file, in any of its versions.
    File(FileKey),
    /// Pages of a file, in any of its versions.
    Pages { file: FileKey, pages: PageSet },
    /// Pages by fingerprint, from any file.
    Fingerprints(BTreeSet<PageFingerprint>),
    /// Positions of a file that now show other pages. The pages that were there stay held where another file or
    /// position has them.
    Positions {
        file: FileKey,
        /// Its places.
        pages: PageSet,
    },
}

impl ForgetScope {
    /// Whether this forgets everything sent so far.
    #[must_use]
    pub fn forgets_everything(&self) -> bool {
        matches!(self, Self::Everything | Self::AllButFiles)
    }

    /// Whether the scope names `holding` itself.
    pub fn names(&self, holding: &Holding) -> bool {
        match self {
            Self::Everything | Self::AllButFiles => true,
            Self::File(file) => *file == holding.file,
            Self::Fingerprints(prints) => holding.what.fingerprint().is_some_and(|print| prints.contains(&print)),
            Self::Pages { file, pages } | Self::Positions { file, pages } => {
                let is_among = match holding.what {
                    HeldItem::Page { page, .. } => pages.contains(page),
                    HeldItem::Read { first, last } => !pages.within(first.0, last.0).is_empty(),
                    _ => false,
                };
                is_among && *file == holding.file
            }
        }
    }

    /// The pages of its file, if it names some.
    pub(crate) fn pages(&self) -> Option<&PageSet> {
        match self {
            Self::Pages { pages, .. } | Self::Positions { pages, .. } => Some(pages),
            _ => None,
        }
    }
}
