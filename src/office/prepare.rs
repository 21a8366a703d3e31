//! Writes what the reader does not tell into a copy of the file, before it is read.
//!
//! Comments stand as `{>>Ada: why?<<}` where they refer to, insertions as `{++…++}` and deletions as `{--…--}`: CriticMarkup.
//! Noncharacters, which no text has, enclose hidden text and begin slides.

use std::collections::{BTreeMap, BTreeSet};

use pagewise_base::parts::{OfficeFormat, PartsFault};

use crate::archive::Archive;
use crate::sheets::{self, Sheet};
use crate::{opendocument, slides, word};

/// Begins hidden text.
pub(crate) const HIDDEN: char = '\u{FDD0}';
/// Ends it.
pub(crate) const SHOWN: char = '\u{FDD1}';
/// Begins a slide.
pub(crate) const SLIDE: char = '\u{FDD2}';
/// Begins a slide that is not shown.
pub(crate) const HIDDEN_SLIDE: char = '\u{FDD3}';
/// Begins a comment.
pub(crate) const COMMENT: char = '\u{FDD4}';
/// Encloses the number of an image.
pub(crate) const IMAGE: char = '\u{FDD5}';

/// A copy of a file with what the reader does not tell.
#[derive(Debug, Default)]
pub(crate) struct MarkedCopies {
    /// What the entries of the copies are, if they are not those of the file: a copy for each stretch of a large workbook,
    /// and else one. None if the file itself is read.
    pub(crate) copies: Vec<BTreeMap<String, Vec<u8>>>,
    /// The sheets of a workbook. Of a large one, the stretch of a sheet in each copy.
    pub(crate) sheets: Vec<Sheet>,
    /// The texts of headers and footers.
    pub(crate) running: BTreeSet<String>,
    /// What the summary says of it.
    pub(crate) remarks: Vec<String>,
}

impl MarkedCopies {
    pub(crate) fn of(archive: &mut Archive<'_>, format: OfficeFormat) -> Result<Self, PartsFault> {
        let mut prepared = Self::default();
        let mut changes = Changes::default();
        if format == OfficeFormat::Xlsx {
            sheets::prepare(archive, &mut prepared)?;
            return Ok(prepared);
        }
        let changed = match format {
            OfficeFormat::Docx => word::prepare(archive, &mut prepared, &mut changes),
            OfficeFormat::Pptx => slides::prepare(archive, &mut prepared),
            OfficeFormat::Odt | OfficeFormat::Odp | OfficeFormat::Ods => {
                opendocument::prepare(archive, &mut prepared, &mut changes)
            }
            _ => BTreeMap::new(),
        };
        prepared.remarks.extend(changes.remark());
        prepared.copies = vec![changed];
        Ok(prepared)
    }
}

/// Tracked changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) count: usize,
    pub(crate) authors: BTreeSet<String>,
}

impl Changes {
    pub(crate) fn add(&mut self, author: Option<String>) {
        self.count = self.count.saturating_add(1);
        self.authors.extend(author.filter(|author| !author.is_empty()));
    }

    fn remark(&self) -> Option<String> {
        let authors = self.authors.iter().cloned().collect::<Vec<_>>().join(", ");
        let by = if authors.is_empty() { String::new() } else { format!(" by {authors}") };
        let text = format!("Tracked changes{by}: {}, marked {{++inserted++}} and {{--deleted--}}", self.count);
        (self.count > 0).then_some(text)
    }
}

/// A comment as it stands in the text.
pub(crate) fn comment(author: &str, text: &str) -> String {
    let by = if author.is_empty() { String::new() } else { format!("{author}: ") };
    format!("{COMMENT}{{>>{by}{text}<<}}")
}
