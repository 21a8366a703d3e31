//! A file of a conversation, compared with what was given of it.

use std::collections::BTreeMap;

use crate::context::conversation::{ConversationPoint, Snapshot};
use crate::context::files::RequestedFile;
use crate::context::pdf::{PageIdentities, RevisionDiff};
use crate::context::updates::is_not_found;
use crate::context::{ContextError, ContextManager, PageChanges};
use crate::source::is_url;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::limits::Cancellation;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{ConversationId, ConversationView, FileKey, HeldItem, Holding, PageForm, Sequence};

/// A file of a conversation, as it is now.
#[derive(Debug, Clone)]
pub struct FileInspection {
    /// What became of it.
    pub state: FileState,
    /// Its content; the content last reported, if it cannot be read.
    pub content: Option<ContentHash>,
    /// Its pages; `None` if it is no PDF, or cannot be read.
    pub page_count: Option<u32>,
    /// The pages held, by their numbers now.
    pub held: Vec<HeldRun>,
    /// How its pages changed since they were given.
    pub changes: PageChanges,
    /// Pages of an earlier version that are not among `held`, by their earlier numbers.
    pub earlier: PageSet,
    /// Pages that were forgotten and not given again, by their numbers then.
    pub forgotten: PageSet,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It is as it was given.
    Same,
    /// Its content is another.
    Changed,
    /// It does not exist any more.
    Gone,
    /// It is from the web, and was not looked for.
    Remote,
    /// It cannot be read.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// Neighbouring pages that were given in the same form at the same point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldRun {
    /// The first page.
    pub first: PageIndex,
    /// The last page.
    pub last: PageIndex,
    /// How they were given.
    pub form: PageForm,
    /// When they were given.
    pub point: ConversationPoint,
}

impl ContextManager {
    /// Compares a file with what a conversation holds of it. `None` if the conversation never had the file.
    ///
    /// # Errors
    /// [`ContextError::Store`]. A file that cannot be read is a [`FileState`].
    pub fn inspect_file(
        &self,
        conversation: &ConversationId,
        file: FileKey,
        cancellation: &Cancellation,
    ) -> Result<Option<FileInspection>, ContextError> {
        let snapshot = self.cache.open(conversation)?;
        let content = snapshot.view.last_reported_content(&file);
        let forgotten = snapshot.history.forgotten_pages(file).cloned();
        if content.is_none() && forgotten.is_none() {
            return Ok(None);
        }
        let without_pages = |state| FileInspection {
            state,
            content,
            page_count: None,
            held: Vec::new(),
            changes: PageChanges::default(),
            earlier: PageSet::new(),
            forgotten: PageSet::new(),
        };
        let path = snapshot.names.get(&file);
        let opened = match path {
            None => return Ok(Some(without_pages(unreadable("its path is not known")))),
            Some(path) if is_url(path) => return Ok(Some(without_pages(FileState::Remote))),
            Some(path) => self.reopen(path, file, cancellation),
        };
        let inspected = opened.and_then(|requested| self.compare_with_held(&snapshot, &requested, cancellation));
        let inspected = inspected.map(|inspected| inspected.with_forgotten(forgotten.unwrap_or_default()));
        Ok(Some(inspected.unwrap_or_else(|error| match error {
            error if is_not_found(&error) => without_pages(FileState::Gone),
            error => without_pages(unreadable(&error.to_string())),
        })))
    }

    fn compare_with_held(
        &self,
        snapshot: &Snapshot,
        requested: &RequestedFile,
        cancellation: &Cancellation,
    ) -> Result<FileInspection, ContextError> {
        let (view, file) = (&snapshot.view, requested.key);
        let content = requested.content_hash(&self.hashes)?;
        let given = view.last_given_content(&file).or_else(|| view.last_reported_content(&file));
        let state = if given.is_none_or(|given| given == content) { FileState::Same } else { FileState::Changed };
        if !requested.kind.has_pages() {
            let changes = PageChanges::default();
            let (held, earlier, forgotten) = (Vec::new(), PageSet::new(), PageSet::new());
            let content = Some(content);
            return Ok(FileInspection { state, content, page_count: None, held, changes, earlier, forgotten });
        }
        let document = self.document(requested, None, cancellation)?;
        let is_all_current = pages_of(view, file).all(|(holding, ..)| holding.content == content);
        let changes = if is_all_current {
            PageChanges::default()
        } else {
            let before = given.and_then(|given| snapshot.page_counts.get(&given).copied());
            RevisionDiff::of(view, file, before, &PageIdentities::of(&*document)).changes
        };
        let placed = place_pages(view, file, content, &changes);
        let mut earlier: PageSet = view.pages_at(file).map(|(page, _)| page).collect();
        placed.found.iter().for_each(|page| earlier.remove(page));
        Ok(FileInspection {
            state,
            content: Some(content),
            page_count: Some(document.page_count()),
            held: runs(placed.pages),
            changes,
            earlier,
            forgotten: PageSet::new(),
        })
    }
}

impl FileInspection {
    /// With the pages among `forgotten` that are not held.
    fn with_forgotten(mut self, mut forgotten: PageSet) -> Self {
        self.held.iter().flat_map(|run| run.first.0..=run.last.0).for_each(|page| forgotten.remove(PageIndex(page)));
        self.earlier.iter().for_each(|page| forgotten.remove(page));
        self.forgotten = forgotten;
        self
    }
}

fn unreadable(reason: &str) -> FileState {
    FileState::Unreadable { reason: reason.to_owned() }
}

/// The pages held of a file.
fn pages_of(
    view: &ConversationView,
    file: FileKey,
) -> impl Iterator<Item = (&Holding, PageIndex, PageFingerprint, PageForm, Sequence)> {
    view.holdings().filter(move |(holding, _)| holding.file == file).filter_map(|(holding, at)| match holding.what {
        HeldItem::Page { fingerprint, page, form, .. } => Some((holding, page, fingerprint, form, at)),
        _ => None,
    })
}

/// Pages by form and number now.
type PlacedPages = BTreeMap<(PageForm, PageIndex), Sequence>;

struct Placement {
    pages: PlacedPages,
    /// The earlier numbers of the pages that were found.
    found: PageSet,
}

/// Where the pages held are now. A changed page is at the number of the one that replaced it.
fn place_pages(view: &ConversationView, file: FileKey, content: ContentHash, changes: &PageChanges) -> Placement {
    let moved: BTreeMap<PageIndex, PageIndex> = changes.moved.iter().copied().collect();
    let now = |page: PageIndex| {
        let stays = changes.unchanged.contains(page) || changes.changed.contains(page);
        moved.get(&page).copied().or(stays.then_some(page))
    };
    let mut placement = Placement { pages: PlacedPages::new(), found: PageSet::new() };
    for (holding, page, fingerprint, form, at) in pages_of(view, file) {
        let is_last = view.last_page_in(file, page, form) == Some(fingerprint);
        let place = match holding.content == content {
            true => Some(page),
            false => now(page).filter(|_| is_last),
        };
        let Some(place) = place else { continue };
        placement.found.insert(page);
        let known = placement.pages.entry((form, place)).or_insert(at);
        *known = at.max(*known);
    }
    placement
}

/// Joins neighbours of one form and point.
fn runs(pages: PlacedPages) -> Vec<HeldRun> {
    let mut runs: Vec<HeldRun> = Vec::new();
    for ((form, page), at) in pages {
        let point = ConversationPoint(at.0);
        let follows =
            |run: &&mut HeldRun| run.form == form && run.point == point && run.last.0.checked_add(1) == Some(page.0);
        match runs.last_mut().filter(follows) {
            Some(run) => run.last = page,
            None => runs.push(HeldRun { first: page, last: page, form, point }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileKey = FileKey([1; 32]);
    const NOW: ContentHash = ContentHash([8; 32]);

    fn page(content: ContentHash, at: u32, print: u8, form: PageForm) -> Holding {
        let what =
            HeldItem::Page { fingerprint: PageFingerprint([print; 32]), page: PageIndex(at), form, is_shared: false };
        Holding { content, file: FILE, what }
    }

    #[test]
    fn neighbours_given_together_are_one_run() {
        let pages = (0..3).map(|at| ((PageForm::Text, PageIndex(at)), Sequence(4)));
        let image = [((PageForm::Image, PageIndex(3)), Sequence(4)), ((PageForm::Text, PageIndex(3)), Sequence(5))];
        let found = runs(pages.chain(image).collect());
        let found: Vec<_> = found.iter().map(|run| (run.first.0, run.last.0, run.form, run.point.0)).collect();
        let expected = [(3, 3, PageForm::Image, 4), (0, 2, PageForm::Text, 4), (3, 3, PageForm::Text, 5)];
        assert_eq!(found, expected);
    }

    #[test]
    fn pages_of_an_earlier_version_are_placed_where_they_are_now() {
        let before = ContentHash([7; 32]);
        let form = PageForm::Document;
        let given = (0..4).map(|at| (page(before, at, u8::try_from(at).unwrap_or(0), form), Sequence(1)));
        let view: ConversationView = given.chain([(page(NOW, 9, 9, form), Sequence(2))]).collect();
        let changes = PageChanges {
            unchanged: [PageIndex(0)].into_iter().collect(),
            changed: [PageIndex(1)].into_iter().collect(),
            moved: vec![(PageIndex(2), PageIndex(5))],
            removed: [PageIndex(3)].into_iter().collect(),
            ..PageChanges::default()
        };
        let placed = place_pages(&view, FILE, NOW, &changes);
        let pages: Vec<_> = placed.pages.keys().map(|(_, page)| page.0).collect();
        assert_eq!(pages, [0, 1, 5, 9]);
        assert_eq!(placed.found.to_string(), "1-3,10");
    }
}
