//! What a conversation holds of one content.

use super::conversation_view::ConversationView;
use super::holding::{HeldItem, LineSpan, PageForm};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageSet;

/// What a conversation holds of one content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentView {
    /// A text file.
    Text {
        content: ContentHash,
        /// The held lines, merged and in order.
        lines: Vec<LineSpan>,
    },
    /// A file given whole, such as an image.
    Binary { content: ContentHash },
    Pdf {
        /// Whether the summary is held.
        has_summary: bool,
        /// The pages held, in any form.
        pages: PageSet,
        /// Whether single pages can be cut. True until a summary says otherwise.
        supports_page_extraction: bool,
    },
}

impl ConversationView {
    /// Whether the summary of a content is held.
    #[must_use]
    pub fn holds_summary(&self, content: &ContentHash) -> bool {
        self.whole_items_of(*content).any(|what| matches!(what, HeldItem::Summary { .. }))
    }

    /// Whether every line of `span` of a text file is held.
    #[must_use]
    pub fn holds_lines(&self, content: &ContentHash, span: LineSpan) -> bool {
        self.index.holds_lines(content, span)
    }

    /// The held lines of a text file, as disjoint runs in order.
    pub fn lines_of(&self, content: ContentHash) -> impl Iterator<Item = LineSpan> + '_ {
        self.index.lines_of(content)
    }

    /// Whether a file given whole is held.
    #[must_use]
    pub fn holds_binary(&self, content: &ContentHash) -> bool {
        self.whole_items_of(*content).any(|what| what == HeldItem::Binary)
    }

    /// The held items of a content other than pages: its summary, the whole file, or merged lines.
    pub fn whole_items_of(&self, content: ContentHash) -> impl Iterator<Item = HeldItem> + '_ {
        self.index.whole_items_of(content).chain(self.index.lines_of(content).map(HeldItem::Text))
    }

    /// What is held of a content; `None` if nothing is, even if the agent knows of the file.
    #[must_use]
    pub fn agent_view(&self, content: &ContentHash) -> Option<AgentView> {
        let lines: Vec<LineSpan> = self.index.lines_of(*content).collect();
        if !lines.is_empty() {
            return Some(AgentView::Text { content: *content, lines });
        }
        if self.holds_binary(content) {
            return Some(AgentView::Binary { content: *content });
        }
        self.pdf_view(content)
    }

    /// The pages of a content held in a form.
    #[must_use]
    pub fn pages_in(&self, content: &ContentHash, form: PageForm) -> PageSet {
        self.index.pages_in(content, form)
    }

    /// The pages of a content held in any form.
    #[must_use]
    pub fn pages_held(&self, content: &ContentHash) -> PageSet {
        let mut pages = PageSet::new();
        PageForm::ALL.iter().for_each(|form| pages.union(&self.pages_in(content, *form)));
        pages
    }

    /// The pages of a content that are held, or were given by another tool than `get_file`.
    #[must_use]
    pub fn pages_read(&self, content: &ContentHash) -> PageSet {
        let mut pages = self.pages_held(content);
        pages.union(&self.index.pages_read(content));
        pages
    }

    fn pdf_view(&self, content: &ContentHash) -> Option<AgentView> {
        let pages = self.pages_held(content);
        let summaries = self.whole_items_of(*content).filter_map(|what| match what {
            HeldItem::Summary { supports_page_extraction } => Some(supports_page_extraction),
            _ => None,
        });
        // Two summaries of one content may differ if a later reader could do more.
        let supports = summaries.reduce(|one, other| one || other);
        let is_held = supports.is_some() || !pages.is_empty();
        is_held.then(|| AgentView::Pdf {
            has_summary: supports.is_some(),
            pages,
            supports_page_extraction: supports.unwrap_or(true),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use crate::{FileKey, Holding, Sequence};
    use pagewise_base::hash::PageFingerprint;
    use pagewise_base::page::PageIndex;

    const CONTENT: ContentHash = ContentHash([7; 32]);

    fn held(what: HeldItem) -> Holding {
        Holding { content: CONTENT, file: FileKey([1; 32]), what }
    }

    fn page(at: u32) -> HeldItem {
        let fingerprint = PageFingerprint([9; 32]);
        HeldItem::Page { fingerprint, page: PageIndex(at), form: PageForm::Document, is_shared: false }
    }

    #[test]
    fn the_agent_view_gathers_one_content() {
        let mut view = ConversationView::new();
        assert_eq!(view.agent_view(&CONTENT), None);
        view.insert(held(page(0)), Sequence(1));
        view.insert(Holding { file: FileKey([2; 32]), ..held(page(1)) }, Sequence(1));
        view.insert(held(HeldItem::Summary { supports_page_extraction: false }), Sequence(1));
        let pages = [PageIndex(0), PageIndex(1)].into_iter().collect();
        let pdf = AgentView::Pdf { has_summary: true, pages, supports_page_extraction: false };
        assert_eq!(view.agent_view(&CONTENT), Some(pdf));
    }

    #[test]
    fn lines_given_in_parts_join() {
        let mut view = ConversationView::new();
        let span = |first, last| LineSpan::new(first, last).unwrap();
        for part in [span(1, 10), span(11, 20), span(30, 40)] {
            view.insert(held(HeldItem::Text(part)), Sequence(1));
        }
        assert!(view.holds_lines(&CONTENT, span(5, 20)));
        assert!(!view.holds_lines(&CONTENT, span(15, 30)));
        let lines = vec![span(1, 20), span(30, 40)];
        assert_eq!(view.agent_view(&CONTENT), Some(AgentView::Text { content: CONTENT, lines }));
    }
}
