//! Notes on damage: what is wrong with a document, what was read, and what is missing. They are written for users, so
//! readers appear in fields and not in the text.

use super::Document;
use super::error::DocumentError;
use super::readers::Tier;
use std::fmt;

/// A note on damage that did not prevent reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file is damaged and was repaired.
    Repaired {
        /// The reader that repaired it.
        tier: Tier,
        /// The damage.
        reason: DocumentError,
    },
    /// `/Count` of the page tree is not the number of its leaves.
    CountWrong {
        /// The number of leaves, which is used.
        pages: u32,
    },
    /// The page tree, or pages in it, are missing.
    PagesLost {
        /// Pages that were found.
        pages: u32,
        /// Whether the file is truncated.
        ends_early: bool,
    },
    /// Two readers find different numbers of pages.
    PagesUncertain {
        /// The reader whose number is not used.
        tier: Tier,
        /// Its number of pages.
        pages: u32,
        /// The number of pages that is used.
        counted: u32,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repaired { reason, .. } if reason.ends_early() => {
                f.write_str("the file ends early; it was repaired for reading, and what came after its end is missing")
            }
            Self::Repaired { reason, .. } => {
                write!(f, "the file is damaged ({reason}); it was repaired for reading, and some of it may be missing")
            }
            Self::CountWrong { pages } => {
                write!(f, "the document gives a wrong number of pages; it has {pages}")
            }
            Self::PagesLost { pages, ends_early } => {
                let damage = if *ends_early { "the file ends early" } else { "the list of its pages is damaged" };
                match pages {
                    0 => write!(f, "{damage}; none of its pages can be read"),
                    _ => write!(f, "{damage}; at most {pages} of its pages can be read"),
                }
            }
            Self::PagesUncertain { pages, counted, .. } => {
                write!(f, "the file is damaged, and its number of pages is uncertain: {counted} or {pages}")
            }
        }
    }
}

impl Document {
    /// Notes on damage found so far. Reading pages may add more.
    ///
    /// Encryption is no damage. If several readers failed, the first one's error is reported.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let damage =
            self.readers.attempts().find_map(|(_, opened)| opened.as_ref().err().filter(|error| is_damage(error)));
        let pages = self.page_count();
        if self.first.tree.has_lost_kids {
            let ends_early = damage.is_some_and(DocumentError::ends_early);
            return vec![Note::PagesLost { pages, ends_early }];
        }
        let tier = self.first.tier;
        let mut notes: Vec<Note> =
            damage.map(|reason| Note::Repaired { tier, reason: reason.clone() }).into_iter().collect();
        notes.extend(self.uncertain());
        if self.first.tree.is_count_wrong {
            notes.push(Note::CountWrong { pages });
        }
        notes
    }

    /// The note for the first reader that finds another number of pages.
    fn uncertain(&self) -> Option<Note> {
        let counted = self.page_count();
        self.readers.attempts().find_map(|(tier, opened)| {
            let pages = opened.as_ref().ok()?.tree.count();
            (pages != counted).then_some(Note::PagesUncertain { tier, pages, counted })
        })
    }
}

fn is_damage(error: &DocumentError) -> bool {
    matches!(error, DocumentError::Damaged { .. } | DocumentError::NotAPdf { .. })
}
