//! What became of a quotation since a conversation was given it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::ContextError;
use super::files::{OpenPdf, Requester};
use super::pdf::{PageIdentities, RevisionDiff};
use super::{ContextManager, phrases};
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_text::{PageText, QuoteSearch, QuoteVerdict};

/// What became of a quotation, if the file has changed since the conversation was given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuoteHistory {
    /// It was on another page.
    Moved { then: PageIndex, now: PageIndex },
    /// It was word for word on this page, and is not there any more.
    Lost { then: PageIndex },
    /// These pages changed or went. What they said is not known any more.
    Unknown { changed: PageSet },
}

impl QuoteHistory {
    /// The history as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Moved { then, now } => format!(
                "moved: it was on page {} when it was given to this conversation, and is on page {} now",
                then.number(),
                now.number()
            ),
            Self::Lost { then } => format!(
                "When page {} was given to this conversation, it had the quote word for word. The file has changed since.",
                then.number()
            ),
            Self::Unknown { changed } => format!(
                "Changed since they were given to this conversation, by their earlier numbers: {}. The quote may have stood there.",
                phrases::page_or_pages(changed)
            ),
        }
    }
}

/// The key under which the text of a page that was given is kept.
pub(super) fn text_key(given: PageFingerprint) -> ContentHash {
    ContentHash(given.0)
}

impl ContextManager {
    /// What became of a quotation since the requester's conversation was given pages of another version of the file. `None`
    /// if it was given none, or the passage stands where it stood.
    ///
    /// # Errors
    /// Every refusal of the file.
    pub fn quote_history(
        &self,
        pdf: &OpenPdf,
        (quote, verdict): (&str, &QuoteVerdict),
        requester: Requester<'_>,
    ) -> Result<Option<QuoteHistory>, ContextError> {
        let Some(conversation) = requester.conversation else { return Ok(None) };
        let snapshot = self.cache.open(conversation).unwrap_or_default();
        let requested = self.open_file(&pdf.path, requester, None)?;
        let Some(given) = snapshot.view.last_given_content(&requested.key) else { return Ok(None) };
        if given == requested.content_hash(&self.hashes)? {
            return Ok(None);
        }
        let mut texts: BTreeMap<PageIndex, Arc<str>> = BTreeMap::new();
        for (page, (_, print)) in snapshot.view.pages_at(requested.key) {
            texts.extend(self.contents.text(&text_key(print)).map(|text| (page, text)));
        }
        if let Some(then) = pages_with(quote, &texts) {
            return Ok(since_given(&then, verdict));
        }
        let before = snapshot.page_counts.get(&given).copied();
        let identities = PageIdentities::of(&*pdf.document);
        let changes = RevisionDiff::of(&snapshot.view, requested.key, before, &identities).changes;
        let pages_now = pages_of(verdict);
        if pages_now.iter().any(|page| changes.unchanged.contains(page)) {
            return Ok(None);
        }
        if let Some((then, now)) = changes.moved.iter().find(|(_, now)| pages_now.contains(*now)) {
            return Ok(Some(QuoteHistory::Moved { then: *then, now: *now }));
        }
        let mut changed: PageSet = snapshot.view.pages_at(requested.key).map(|(page, _)| page).collect();
        let stays = changes.unchanged.iter().chain(changes.moved.iter().map(|(then, _)| *then));
        stays.chain(texts.into_keys()).for_each(|page| changed.remove(page));
        let is_unknown = !changed.is_empty() && !is_verbatim(verdict);
        Ok(is_unknown.then_some(QuoteHistory::Unknown { changed }))
    }
}

fn is_verbatim(verdict: &QuoteVerdict) -> bool {
    matches!(verdict, QuoteVerdict::Verbatim { .. })
}

/// The pages where the passage begins.
fn pages_of(verdict: &QuoteVerdict) -> PageSet {
    match verdict {
        QuoteVerdict::Verbatim { pages, .. } => pages.clone(),
        QuoteVerdict::Altered { page, .. } => PageSet::from_iter([*page]),
        QuoteVerdict::Absent => PageSet::new(),
    }
}

/// What became of a quotation that was word for word on the pages `given`.
fn since_given(given: &PageSet, verdict: &QuoteVerdict) -> Option<QuoteHistory> {
    let then = given.iter().next()?;
    if !is_verbatim(verdict) {
        return Some(QuoteHistory::Lost { then });
    }
    let (pages, now) = (pages_of(verdict), verdict.page()?);
    let stayed = given.iter().any(|page| pages.contains(page));
    (!stayed).then_some(QuoteHistory::Moved { then, now })
}

/// The pages among those that were given that have the quotation word for word.
fn pages_with(quote: &str, given: &BTreeMap<PageIndex, Arc<str>>) -> Option<PageSet> {
    let mut search = QuoteSearch::new(quote).ok()?;
    for (page, text) in given {
        search.add_page(*page, &PageText { text: text.to_string(), ..PageText::default() });
    }
    match search.finish() {
        QuoteVerdict::Verbatim { pages, .. } => Some(pages),
        QuoteVerdict::Altered { .. } | QuoteVerdict::Absent => None,
    }
}
