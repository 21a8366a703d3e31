//! What an agent may forget, and how that is remembered.

use std::collections::BTreeSet;

use super::holding::{FileKey, Held, Holding};
use crate::hash::{ContentHash, PageFingerprint};
use crate::page::{PageIndex, PageSet};

/// What an agent says it no longer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// All of it: a new epoch begins.
    Everything,
    /// All of it, but its files stay followed: a new epoch begins, in which they are [`Held::Known`].
    AllButFiles,
    /// Whatever came from a file, in any of its contents.
    File(FileKey),
    /// Whatever came from a content, under any path.
    Content(ContentHash),
    /// Pages of a file, in any of its contents.
    Pages {
        /// The file.
        file: FileKey,
        /// Its pages.
        pages: PageSet,
    },
    /// Pages by what they show, whatever file they came from.
    Prints(BTreeSet<PageFingerprint>),
    /// Places of a file that show other pages now. What stood there is not forgotten where another file, or another
    /// place of this one, holds it too.
    Places {
        /// The file.
        file: FileKey,
        /// Its places.
        pages: PageSet,
    },
}

impl Forget {
    /// Whether nothing of what was sent before counts any more.
    #[must_use]
    pub fn begins_epoch(&self) -> bool {
        matches!(self, Self::Everything | Self::AllButFiles)
    }

    /// Whether `holding` is named by this request itself.
    pub(crate) fn names(&self, holding: &Holding) -> bool {
        match self {
            Self::Everything | Self::AllButFiles => true,
            Self::File(file) => *file == holding.file,
            Self::Content(content) => *content == holding.content,
            Self::Prints(prints) => holding.what.fingerprint().is_some_and(|print| prints.contains(&print)),
            Self::Pages { file, pages } | Self::Places { file, pages } => {
                let Held::Page { page, .. } = holding.what else { return false };
                *file == holding.file && pages.contains(page)
            }
        }
    }

    /// The request as tombstones, without what it implies for other files.
    pub(crate) fn scopes(&self) -> Vec<Scope> {
        match self {
            Self::Everything | Self::AllButFiles => vec![Scope::Everything],
            Self::File(file) => vec![Scope::File(*file)],
            Self::Content(content) => vec![Scope::Content(*content)],
            Self::Prints(prints) => prints.iter().copied().map(Scope::Page).collect(),
            Self::Pages { file, pages } | Self::Places { file, pages } => {
                pages.runs().map(|(first, last)| Scope::Pages { file: *file, first, last }).collect()
            }
        }
    }
}

/// A tombstone's extent: what it covers is gone if it was recorded at or before the tombstone's sequence. Of what lies
/// within a content or pages it is gone that they were given, and not that their file is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The whole conversation.
    Everything,
    /// A file.
    File(FileKey),
    /// A content.
    Content(ContentHash),
    /// A run of pages of a file.
    Pages {
        /// The file.
        file: FileKey,
        /// The first page.
        first: PageIndex,
        /// The last page, included.
        last: PageIndex,
    },
    /// A page, whatever file it came from.
    Page(PageFingerprint),
}

impl Scope {
    /// Whether `holding` lies within.
    #[must_use]
    pub fn covers(&self, holding: &Holding) -> bool {
        match (*self, holding.what) {
            (Self::Everything, _) => true,
            (Self::File(file), _) => file == holding.file,
            (Self::Content(content), _) => content == holding.content,
            (Self::Pages { file, first, last }, Held::Page { page, .. }) => {
                file == holding.file && (first..=last).contains(&page)
            }
            (Self::Page(print), Held::Page { fingerprint, .. }) => print == fingerprint,
            (Self::Pages { .. } | Self::Page(_), _) => false,
        }
    }
}
