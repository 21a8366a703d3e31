//! Markup annotations (ISO 32000-2, 12.5.6.2): notes, marked words, stamps, and replies to them.

use serde::{Deserialize, Serialize};

use super::rich_text::plain_text;
use super::thread::Review;
use super::words::WordBudget;
use crate::DocumentError;
use crate::object::Dictionary;
use crate::objects::Objects;
use crate::structure::DisplayedArea;
use crate::syntax::date;

/// The most marked areas of one comment: a mark has one for each of its lines.
pub(super) const MAX_MARKED: usize = 500;

/// An annotation with words, or one that marks words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comment {
    pub kind: CommentKind,
    /// `/Contents`, or the words of `/RC`. May be empty for marks and stamps.
    pub contents: String,
    /// `/T`.
    pub author: Option<String>,
    /// `/M`, or else `/CreationDate`, as RFC 3339.
    pub date: Option<String>,
    /// `/Subj`.
    pub subject: Option<String>,
    /// The name of a stamp.
    pub stamp: Option<String>,
    /// The comment of the same page that this replies to, by its index.
    pub reply_to: Option<usize>,
    /// Whether it is one mark with the comment that it replies to (`/RT` is `/Group`), such as the words that a caret replaces.
    pub is_grouped: bool,
    /// The last state that each reviewer gave it.
    pub reviews: Vec<Review>,
    /// Where it stands.
    pub area: DisplayedArea,
    /// The areas of the marked words, one for each line.
    pub marked: Vec<DisplayedArea>,
    /// The marked words, if the page's text was read.
    pub marked_text: Option<String>,
}

macro_rules! comment_kinds {
    ($($(#[$doc:meta])* $kind:ident = $subtype:literal, $name:literal;)*) => {
        /// A kind of markup annotation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum CommentKind {
            $($(#[$doc])* $kind,)*
        }

        impl CommentKind {
            /// The kind with this `/Subtype`.
            pub(super) fn of(subtype: &[u8]) -> Option<Self> {
                [$(($subtype, Self::$kind)),*].iter().find(|(name, _)| name.as_bytes() == subtype).map(|(_, kind)| *kind)
            }

            /// Its name in answers.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

comment_kinds! {
    Note = "Text", "note";
    /// Text on the page.
    FreeText = "FreeText", "free text";
    /// Highlighted words.
    Highlight = "Highlight", "highlight";
    /// Underlined words.
    Underline = "Underline", "underline";
    /// Words with a jagged underline.
    Squiggly = "Squiggly", "squiggly";
    /// Words that are struck out.
    StrikeOut = "StrikeOut", "strikeout";
    /// A mark that says where words are to be inserted.
    Caret = "Caret", "caret";
    /// A rubber stamp.
    Stamp = "Stamp", "stamp";
    /// A freehand drawing.
    Ink = "Ink", "ink";
    Line = "Line", "line";
    /// A rectangle.
    Square = "Square", "square";
    /// An ellipse.
    Circle = "Circle", "circle";
    /// A closed polygon.
    Polygon = "Polygon", "polygon";
    /// An open polygon.
    PolyLine = "PolyLine", "polyline";
    /// An area that is to be removed.
    Redact = "Redact", "redaction";
    FileAttachment = "FileAttachment", "attachment";
    Sound = "Sound", "sound";
}

impl CommentKind {
    /// Whether it marks words of the page.
    #[must_use]
    pub fn is_mark(self) -> bool {
        matches!(self, Self::Highlight | Self::Underline | Self::Squiggly | Self::StrikeOut | Self::Redact)
    }

    /// Whether it says something even without contents.
    pub(super) fn says_something_alone(self) -> bool {
        self.is_mark() || matches!(self, Self::Stamp | Self::Caret)
    }
}

impl Comment {
    /// Reads a markup annotation.
    pub(super) fn read(
        objects: &dyn Objects,
        annotation: &Dictionary,
        kind: CommentKind,
        area: DisplayedArea,
        budget: &WordBudget,
    ) -> Result<Self, DocumentError> {
        let line = |key: &[u8]| budget.line(objects, annotation, key);
        let rich = || Ok::<_, DocumentError>(budget.entry(objects, annotation, b"RC")?.map(|text| plain_text(&text)));
        let contents = match budget.entry(objects, annotation, b"Contents")? {
            Some(contents) => contents,
            None => rich()?.unwrap_or_default(),
        };
        let date = line(b"M")?.as_deref().and_then(date::date);
        let date = match date {
            Some(date) => Some(date),
            None => line(b"CreationDate")?.as_deref().and_then(date::date),
        };
        let (author, subject) = (line(b"T")?, line(b"Subj")?);
        let stamp = if kind == CommentKind::Stamp { line(b"Name")? } else { None };
        Ok(Self { author, date, subject, stamp, ..Self::new(kind, contents, area) })
    }

    /// A comment of which no more is known.
    #[must_use]
    pub fn new(kind: CommentKind, contents: String, area: DisplayedArea) -> Self {
        Self {
            kind,
            contents,
            author: None,
            date: None,
            subject: None,
            stamp: None,
            reply_to: None,
            is_grouped: false,
            reviews: Vec::new(),
            area,
            marked: Vec::new(),
            marked_text: None,
        }
    }

    /// Whether it has words, or says something without them.
    pub(super) fn says_something(&self) -> bool {
        !self.contents.is_empty() || self.kind.says_something_alone()
    }
}
