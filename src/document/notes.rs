//! What was odd about a document and how it was read all the same.

use super::Document;
use super::error::DocumentError;
use super::ladder::Tier;
use std::fmt;

/// Something that was repaired or is odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A reader could not read the document, and one after it did.
    Refused {
        /// The reader.
        tier: Tier,
        /// Why.
        reason: DocumentError,
    },
    /// `/Count` of the page tree is not the number of its leaves.
    CountWrong {
        /// The number of leaves, which counts.
        pages: u32,
    },
    /// The page tree names pages that are not there, or is not there itself: more pages may have been.
    PagesLost {
        /// Pages that were found.
        pages: u32,
    },
    /// Two readers find another number of pages.
    ReadersDisagree {
        /// The reader that is not followed.
        tier: Tier,
        /// Its number of pages.
        pages: u32,
        /// The number of pages that counts here.
        counted: u32,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { tier, reason } => write!(f, "the reader {tier} could not read the document: {reason}"),
            Self::CountWrong { pages } => write!(f, "the page tree's /Count is wrong; it has {pages} pages"),
            Self::PagesLost { pages } => write!(f, "the page tree is damaged; {pages} pages were found in it"),
            Self::ReadersDisagree { tier, pages, counted } => {
                write!(f, "the reader {tier} finds {pages} pages where {counted} are counted")
            }
        }
    }
}

impl Document {
    /// What was repaired or odd so far; reading pages may add to it.
    ///
    /// That the direct reader leaves an encrypted document to the next is no note.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        for (tier, opened) in self.ladder.tried() {
            match opened {
                Err(DocumentError::Encrypted { .. }) if tier == Tier::Direct => {}
                Err(reason) => notes.push(Note::Refused { tier, reason: reason.clone() }),
                Ok(reading) if reading.tree.count() != self.page_count() => {
                    let (pages, counted) = (reading.tree.count(), self.page_count());
                    notes.push(Note::ReadersDisagree { tier, pages, counted });
                }
                Ok(_) => {}
            }
        }
        let pages = self.page_count();
        if self.first.tree.lost_kids {
            notes.push(Note::PagesLost { pages });
        } else if self.first.tree.count_was_wrong {
            notes.push(Note::CountWrong { pages });
        }
        notes
    }
}
