//! What the conversation of one request holds of one file; nothing, where there is no conversation.

use super::plan::Standing;
use super::request::form_name;
use super::words::page_or_pages;
use crate::hash::{ContentHash, PageFingerprint};
use crate::page::PageIndex;
use crate::view::{ConversationView, FileKey, Form, Held, LineSpan};

/// A conversation's view of one file at the start of a request.
pub(super) struct Memory {
    known: Option<Known>,
}

struct Known {
    view: ConversationView,
    content: ContentHash,
    file: FileKey,
}

impl Memory {
    /// Without a conversation: nothing is held and nothing is recorded.
    pub(super) fn off() -> Self {
        Self { known: None }
    }

    pub(super) fn of(view: ConversationView, content: ContentHash, file: FileKey) -> Self {
        Self { known: Some(Known { view, content, file }) }
    }

    pub(super) fn is_on(&self) -> bool {
        self.known.is_some()
    }

    pub(super) fn holds_summary(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.view.holds_summary(&known.content))
    }

    pub(super) fn holds_binary(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.view.holds_binary(&known.content))
    }

    pub(super) fn holds_lines(&self, span: LineSpan) -> bool {
        self.known.as_ref().is_some_and(|known| known.view.holds_lines(&known.content, span))
    }

    /// Whether this very holding is recorded for this content and file.
    pub(super) fn holds_here(&self, held: &Held) -> bool {
        self.known.as_ref().is_some_and(|known| known.holds_at_file(held))
    }

    /// The content last given of this file, where it is not the one that is there now.
    pub(super) fn earlier_content(&self) -> Option<ContentHash> {
        let known = self.known.as_ref()?;
        known.view.previous_content(&known.file).filter(|previous| *previous != known.content)
    }

    /// Whether all of `span` of another content is held.
    pub(super) fn holds_lines_of(&self, content: &ContentHash, span: LineSpan) -> bool {
        self.known.as_ref().is_some_and(|known| known.view.holds_lines(content, span))
    }

    pub(super) fn standing(&self, page: PageIndex, fingerprint: PageFingerprint, form: Form) -> Standing {
        self.known.as_ref().map_or(Standing::No, |known| known.standing(page, fingerprint, form))
    }

    /// The pages held of this content, one line a form.
    pub(super) fn held_lines(&self) -> Vec<String> {
        let Some(known) = &self.known else { return Vec::new() };
        let line = |form: Form| {
            let pages = known.view.pages_in(&known.content, form);
            (!pages.is_empty()).then(|| format!("{} as {}", page_or_pages(&pages), form_name(form)))
        };
        Form::ALL.into_iter().filter_map(line).collect()
    }
}

impl Known {
    fn holds_at_file(&self, held: &Held) -> bool {
        let same = |what: &Held| what == held;
        self.view.holdings_of(&self.content).any(|(holding, _)| holding.file == self.file && same(&holding.what))
    }

    fn standing(&self, page: PageIndex, fingerprint: PageFingerprint, form: Form) -> Standing {
        let previous = self.view.previous_at(&self.file, page).filter(|previous| *previous != fingerprint);
        match (previous, self.view.holds_page(&fingerprint, form)) {
            (None, true) => Standing::Same,
            (None, false) => Standing::No,
            (Some(_), false) => Standing::Earlier,
            // The file went back to what it was: the last version given from here is another.
            (Some(_), true) if self.stood_here(page, fingerprint) => Standing::Earlier,
            // Pages were added or removed before it: the same page, now under another number.
            (Some(_), true) => Standing::Same,
        }
    }

    fn stood_here(&self, page: PageIndex, fingerprint: PageFingerprint) -> bool {
        let here = |what: Held| match what {
            Held::Page { fingerprint: print, page: place, .. } => print == fingerprint && place == page,
            Held::Summary { .. } | Held::Text(_) | Held::Binary => false,
        };
        self.view.holdings().any(|(holding, _)| holding.file == self.file && here(holding.what))
    }
}
