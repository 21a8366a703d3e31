//! Holdings: what a conversation was given.

use std::fmt;
use std::str::FromStr;

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::PageIndex;
use serde::{Deserialize, Serialize};

/// The order of recordings in a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Sequence(pub u64);

impl Sequence {
    /// Before everything.
    pub const START: Self = Self(0);

    /// The next sequence, saturating.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The key of a file: the blake3 hash of its normalised absolute path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileKey(pub [u8; 32]);

impl FileKey {
    /// The key of an absolute path.
    #[must_use]
    pub fn of(path: &std::path::Path) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in path.components() {
            // No path component contains a NUL.
            hasher.update(part.as_os_str().as_encoded_bytes()).update(b"\0");
        }
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileKey({self})")
    }
}

impl fmt::Display for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl FromStr for FileKey {
    type Err = FileKeyError;

    /// Reads the 64 hexadecimal digits that `Display` writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| FileKeyError)
    }
}

/// A text that is no key of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key of a file has 64 hexadecimal digits")]
pub struct FileKeyError;

/// The form in which a page was given. A page held in one form may still be requested in another.
///
/// Stored by the order of its variants: new ones come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PageForm {
    /// A PDF of one page.
    Document,
    /// A picture of the page.
    Image,
    /// The page's text.
    Text,
    /// The path of a one-page PDF written to disk.
    Path,
    /// The page as Markdown.
    Markdown,
    /// The page's text, with its columns kept by spaces.
    Layout,
}

impl PageForm {
    /// Every form, in order.
    pub const ALL: [Self; 6] = [Self::Document, Self::Image, Self::Text, Self::Path, Self::Markdown, Self::Layout];

    /// Whether it is text, which is identified by itself.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Markdown | Self::Layout)
    }
}

/// Lines of a text file, 1-based and inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "(u32, u32)", into = "(u32, u32)")]
pub struct LineSpan {
    first: u32,
    last: u32,
}

impl LineSpan {
    /// The lines `first..=last`; `None` if `first` is 0 or after `last`. An empty file counts as one line.
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

/// Lines that are counted from 0, or backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("lines {0} to {1}")]
pub struct InvalidLines(u32, u32);

impl TryFrom<(u32, u32)> for LineSpan {
    type Error = InvalidLines;

    fn try_from((first, last): (u32, u32)) -> Result<Self, InvalidLines> {
        Self::new(first, last).ok_or(InvalidLines(first, last))
    }
}

impl From<LineSpan> for (u32, u32) {
    fn from(span: LineSpan) -> Self {
        (span.first, span.last)
    }
}

/// One item that was given of a file.
///
/// Stored by the order of its variants: a new one comes last, and needs a new schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HeldItem {
    /// A PDF's summary.
    Summary {
        /// Whether single pages can be cut. If not, the summary was the extracted text.
        supports_page_extraction: bool,
    },
    /// A page of a PDF.
    Page {
        /// The identity of what was given: of the text in a text form, of the page otherwise.
        fingerprint: PageFingerprint,
        /// Its position in the file.
        page: PageIndex,
        /// How it was given.
        form: PageForm,
        /// Whether another page with this identity was given instead, and the agent was told that this one is the same.
        is_shared: bool,
    },
    /// Lines of a text file.
    Text(LineSpan),
    /// A file given whole, such as an image.
    Binary,
    /// Nothing was given, but the agent was told of this content: the file is followed.
    Followed,
    /// Pages of a PDF whose text or picture a tool other than `get_file` gave. They count as read, not as held.
    Read { first: PageIndex, last: PageIndex },
}

impl HeldItem {
    /// The identity of what was given of the page, if this is a page.
    #[must_use]
    pub fn fingerprint(&self) -> Option<PageFingerprint> {
        match self {
            Self::Page { fingerprint, .. } => Some(*fingerprint),
            Self::Summary { .. } | Self::Text(_) | Self::Binary | Self::Followed | Self::Read { .. } => None,
        }
    }
}

/// One thing that a conversation holds.
///
/// When a page counts as provided because another position gave it, record a shared holding for the requested one too.
/// Forgetting that file then forgets the page as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holding {
    /// The content of that file.
    pub content: ContentHash,
    /// The file it came from.
    pub file: FileKey,
    /// What was given.
    pub what: HeldItem,
}
