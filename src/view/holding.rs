//! The facts that a conversation's view is made of.

use std::fmt;

use crate::hash::{ContentHash, PageFingerprint};
use crate::page::PageIndex;

/// The order in which things were recorded, given by the store; later is larger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// Before everything.
    pub const START: Self = Self(0);

    /// The sequence after this one; stays at the largest.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A file by its path: the blake3 hash of the absolute path, without its `.` and doubled slashes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey(pub [u8; 32]);

impl FileKey {
    /// The key of an absolute path.
    #[must_use]
    pub fn of(path: &std::path::Path) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in path.components() {
            // No component holds a NUL.
            hasher.update(part.as_os_str().as_encoded_bytes()).update(b"\0");
        }
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileKey({})", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// The form in which a page was given. A page held in one form may still be asked for in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageForm {
    /// A PDF of one page.
    Document,
    /// A picture of the page.
    Image,
    /// The page's text.
    Text,
    /// The path of a one-page PDF written to disk.
    Path,
}

impl PageForm {
    /// Every form.
    pub const ALL: [Self; 4] = [Self::Document, Self::Image, Self::Text, Self::Path];
}

/// Lines of a text file, 1-based, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineSpan {
    first: u32,
    last: u32,
}

impl LineSpan {
    /// The lines `first..=last`, or `None` when `first` is 0 or after `last`. An empty file counts as one line.
    #[must_use]
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (first >= 1 && first <= last).then_some(Self { first, last })
    }

    /// The first line.
    #[must_use]
    pub fn first(self) -> u32 {
        self.first
    }

    /// The last line.
    #[must_use]
    pub fn last(self) -> u32 {
        self.last
    }
}

/// What was given of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeldItem {
    /// A PDF's summary.
    Summary {
        /// Whether single pages can be cut from it. Where not, the summary was the extracted text.
        supports_page_extraction: bool,
    },
    /// A page of a PDF.
    Page {
        /// The page by what it shows.
        fingerprint: PageFingerprint,
        /// Where it stood in the file.
        page: PageIndex,
        /// How it was given.
        form: PageForm,
    },
    /// Lines of a text file.
    Text(LineSpan),
    /// A file given whole, such as a picture.
    Binary,
    /// Nothing of the file, but the agent was told of it in this content: it is followed, and later changes are told. The
    /// last of these, in their order.
    Followed,
}

impl HeldItem {
    /// The page by what it shows, where this is one.
    #[must_use]
    pub fn fingerprint(&self) -> Option<PageFingerprint> {
        match self {
            Self::Page { fingerprint, .. } => Some(*fingerprint),
            Self::Summary { .. } | Self::Text(_) | Self::Binary | Self::Followed => None,
        }
    }
}

/// One thing that a conversation holds.
///
/// Where a page is answered with "already provided" because another file gave it, record a holding for the asked
/// file too: forgetting that file then forgets the page as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holding {
    /// The content of the file it came from.
    pub content: ContentHash,
    /// The file it came from.
    pub file: FileKey,
    /// What was given.
    pub what: HeldItem,
}
