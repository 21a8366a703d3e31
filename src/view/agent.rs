//! What a conversation holds of one content.

use super::conversation::ConversationView;
use super::holding::{Form, Held, Holding, LineSpan};
use crate::hash::ContentHash;
use crate::page::PageSet;

/// What a conversation holds of one content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentView {
    /// A text file.
    Text {
        /// Its content.
        content: ContentHash,
        /// The lines held, joined and in order.
        lines: Vec<LineSpan>,
    },
    /// A file given whole, such as a picture.
    Binary {
        /// Its content.
        content: ContentHash,
    },
    /// A PDF.
    Pdf {
        /// Whether the summary is held.
        summary: bool,
        /// The pages held, in any form.
        pages: PageSet,
        /// Whether single pages can be cut from it; true until a summary says otherwise.
        supports_page_extraction: bool,
    },
}

impl ConversationView {
    /// Whether the summary of a content is held.
    #[must_use]
    pub fn holds_summary(&self, content: &ContentHash) -> bool {
        self.holdings_of(content).any(|(holding, _)| matches!(holding.what, Held::Summary { .. }))
    }

    /// Whether every line of `span` of a text file is held.
    #[must_use]
    pub fn holds_lines(&self, content: &ContentHash, span: LineSpan) -> bool {
        let within = |held: &LineSpan| held.first() <= span.first() && span.last() <= held.last();
        self.lines_of(content).iter().any(within)
    }

    /// Whether a file that is given whole is held.
    #[must_use]
    pub fn holds_binary(&self, content: &ContentHash) -> bool {
        self.holdings_of(content).any(|(holding, _)| holding.what == Held::Binary)
    }

    /// What is held of a content, or `None` where nothing is, though the agent may know of it.
    #[must_use]
    pub fn agent_view(&self, content: &ContentHash) -> Option<AgentView> {
        let kind = self.holdings_of(content).map(|(holding, _)| holding.what).find(|what| *what != Held::Known)?;
        Some(match kind {
            Held::Text(_) => AgentView::Text { content: *content, lines: self.lines_of(content) },
            Held::Binary | Held::Known => AgentView::Binary { content: *content },
            Held::Summary { .. } | Held::Page { .. } => self.pdf_view(content),
        })
    }

    /// The pages of a content that are held in a form.
    #[must_use]
    pub fn pages_in(&self, content: &ContentHash, form: Form) -> PageSet {
        self.pages_where(content, |held| held == form)
    }

    fn pdf_view(&self, content: &ContentHash) -> AgentView {
        let mut summaries = self.holdings_of(content).filter_map(|(holding, _)| match holding.what {
            Held::Summary { supports_page_extraction } => Some(supports_page_extraction),
            _ => None,
        });
        let first = summaries.next();
        AgentView::Pdf {
            summary: first.is_some(),
            pages: self.pages_where(content, |_| true),
            // The content is the same: where two summaries differ, a later reader could do more.
            supports_page_extraction: first.is_none_or(|first| first || summaries.any(|other| other)),
        }
    }

    fn pages_where(&self, content: &ContentHash, wanted: impl Fn(Form) -> bool) -> PageSet {
        let page = |holding: &Holding| match holding.what {
            Held::Page { page, form, .. } if wanted(form) => Some(page),
            _ => None,
        };
        self.holdings_of(content).filter_map(|(holding, _)| page(holding)).collect()
    }

    fn lines_of(&self, content: &ContentHash) -> Vec<LineSpan> {
        let spans = self.holdings_of(content).filter_map(|(holding, _)| match holding.what {
            Held::Text(span) => Some(span),
            _ => None,
        });
        LineSpan::joined(spans.collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use crate::hash::PageFingerprint;
    use crate::page::PageIndex;
    use crate::view::{FileKey, Sequence};

    const CONTENT: ContentHash = ContentHash([7; 32]);

    fn held(what: Held) -> Holding {
        Holding { content: CONTENT, file: FileKey([1; 32]), what }
    }

    fn page(at: u32) -> Held {
        let fingerprint = PageFingerprint([9; 32]);
        Held::Page { fingerprint, page: PageIndex(at), form: Form::Document }
    }

    #[test]
    fn the_agent_view_gathers_one_content() {
        let mut view = ConversationView::new();
        assert_eq!(view.agent_view(&CONTENT), None);
        view.insert(held(page(0)), Sequence(1));
        view.insert(Holding { file: FileKey([2; 32]), ..held(page(1)) }, Sequence(1));
        view.insert(held(Held::Summary { supports_page_extraction: false }), Sequence(1));
        let pages = [PageIndex(0), PageIndex(1)].into_iter().collect();
        let pdf = AgentView::Pdf { summary: true, pages, supports_page_extraction: false };
        assert_eq!(view.agent_view(&CONTENT), Some(pdf));
    }

    #[test]
    fn lines_given_in_parts_join() {
        let mut view = ConversationView::new();
        let span = |first, last| LineSpan::new(first, last).unwrap();
        for part in [span(1, 10), span(11, 20), span(30, 40)] {
            view.insert(held(Held::Text(part)), Sequence(1));
        }
        assert!(view.holds_lines(&CONTENT, span(5, 20)));
        assert!(!view.holds_lines(&CONTENT, span(15, 30)));
        let lines = vec![span(1, 20), span(30, 40)];
        assert_eq!(view.agent_view(&CONTENT), Some(AgentView::Text { content: CONTENT, lines }));
    }
}
