//! The marked-content sequences that are open (ISO 32000-2, 14.6).

use crate::ContentMark;
use hayro_interpret::hayro_syntax::object::Dict;

/// Sequences inside each other, at most. Deeper ones count as part of those around them.
const MAX_DEPTH: usize = 256;

/// The open sequences of a page.
#[derive(Debug, Default)]
pub(super) struct ContentMarks {
    open: Vec<ContentMark>,
    /// The number of open sequences that are too deep.
    deeper: usize,
}

impl ContentMarks {
    /// The mark of what is drawn now.
    pub(super) fn current(&self) -> ContentMark {
        self.open.last().copied().unwrap_or_default()
    }

    pub(super) fn begin(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        if self.open.len() >= MAX_DEPTH {
            self.deeper = self.deeper.saturating_add(1);
            return;
        }
        let id = properties.and_then(|properties| properties.get::<i32>(b"MCID")).and_then(|id| u16::try_from(id).ok());
        self.open.push(match (self.current(), id) {
            (ContentMark::Artifact, _) => ContentMark::Artifact,
            _ if tag == b"Artifact" => ContentMark::Artifact,
            (_, Some(id)) => ContentMark::Sequence(id),
            (outer, None) => outer,
        });
    }

    pub(super) fn end(&mut self) {
        match self.deeper.checked_sub(1) {
            Some(left) => self.deeper = left,
            None => drop(self.open.pop()),
        }
    }
}
