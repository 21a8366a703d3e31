//! Two versions of a document, for `get_file` with `against` and the command `diff`.

use serde::{Serialize, Serializer};

use super::caller::Caller;
use super::error::ToolError;
use super::pdf::DocumentArguments;
use crate::context::{
    ChangedPage, ContextManager, ProgressListener, VersionChanges, WordChange, compare_versions, count_of, image_path,
    moved_phrase, one_line, page_or_pages, untrusted,
};
use pagewise_base::page::{PageIndex, PageSet};

/// Maximum number of changed places that are shown of one page.
const MAX_PLACES: usize = 40;

/// Maximum number of changed places that are shown in all.
const MAX_ALL_PLACES: usize = 200;

/// Maximum number of changed places that are given as data in all.
const MAX_DATA_PLACES: usize = 2_000;

/// Maximum number of words that are given of what was inserted or deleted in one place.
const MAX_WORDS: usize = 80;

/// How a version of a document differs from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionsResult {
    /// The later version, as the request named it.
    pub path: String,
    /// The earlier version.
    pub against: String,
    pub pages_before: u32,
    pub pages_now: u32,
    /// Pages that are the same, as a selection.
    pub unchanged: String,
    /// What moved, such as `page 3 is now page 4`.
    pub moved: String,
    pub added: String,
    /// By their numbers in the earlier version.
    pub removed: String,
    /// Pages with the same words and images that are drawn otherwise.
    pub redrawn: String,
    /// Pages whose words stood on other pages before.
    pub reflowed: String,
    /// Pages that were not compared.
    pub not_compared: String,
    /// Pages with other words or images.
    #[serde(serialize_with = "within_bound")]
    pub changed: Vec<ChangedPageResult>,
    /// Whether time ended before all words were compared: the rest counts as changed.
    pub is_cut_short: bool,
    #[serde(skip)]
    changes: VersionChanges,
}

/// A page with other words or images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPageResult {
    /// Its 1-based number.
    pub page: u32,
    /// Its number in the earlier version.
    pub was: Option<u32>,
    /// The first changes, with the words around them.
    pub words: Vec<WordChange>,
    /// Number of further changes.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_places: usize,
    /// Images that are new, as paths.
    pub new_images: Vec<String>,
    /// Number of images that are gone.
    pub lost_images: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The changed pages with at most [`MAX_DATA_PLACES`] changes.
fn within_bound<S: Serializer>(pages: &[ChangedPageResult], serializer: S) -> Result<S::Ok, S::Error> {
    let mut left = MAX_DATA_PLACES;
    let bounded = pages.iter().map(|page| {
        let words = page.words.iter().take(left).cloned().collect::<Vec<_>>();
        left = left.saturating_sub(words.len());
        let more_places = page.more_places.saturating_add(page.words.len().saturating_sub(words.len()));
        ChangedPageResult { words, more_places, new_images: page.new_images.clone(), ..*page }
    });
    serializer.collect_seq(bounded)
}

/// Compares the document of `arguments` with the earlier version at `against`.
///
/// # Errors
/// Those of opening either, and if the call was cancelled.
pub fn diff(
    context: &ContextManager,
    arguments: &DocumentArguments,
    against: &str,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<VersionsResult, ToolError> {
    let earlier = DocumentArguments { path: against.to_owned(), ..arguments.clone() };
    let changes = compare_versions(|| earlier.open(context, caller), || arguments.open(context, caller), progress)?;
    Ok(VersionsResult::of(changes, &arguments.path, against))
}

impl ChangedPageResult {
    fn of(changed: &ChangedPage, path: &str) -> Self {
        Self {
            page: changed.page.number().get(),
            was: changed.was.map(|was| was.number().get()),
            words: changed.words.iter().take(MAX_PLACES).map(abridged_change).collect(),
            more_places: changed.words.len().saturating_sub(MAX_PLACES),
            new_images: changed.new_images.iter().map(|number| image_path(path, changed.page, *number)).collect(),
            lost_images: changed.lost_images,
        }
    }

    fn lines(&self, places: usize) -> Vec<String> {
        let was = self.was.filter(|was| *was != self.page).map(|was| format!(" (was page {was})")).unwrap_or_default();
        let shown = self.words.iter().take(places).map(change_line);
        let left = self.more_places.saturating_add(self.words.len().saturating_sub(places));
        let left = (left > 0).then(|| format!("  {} more on this page", count_of(left as u64, "place")));
        let new = self.new_images.iter().map(|path| format!("  New image: {path}"));
        let lost = (self.lost_images > 0).then(|| format!("  {} gone", count_of(self.lost_images as u64, "image")));
        let head = format!("Page {}{was}:", self.page);
        std::iter::once(head).chain(shown).chain(left).chain(new).chain(lost).collect()
    }
}

fn abridged_change(change: &WordChange) -> WordChange {
    WordChange { old: abridged(&change.old), new: abridged(&change.new), ..change.clone() }
}

/// `… costs [-4-] {+5+} million …`
fn change_line(change: &WordChange) -> String {
    let marked = |open: &str, words: &str, close: &str| (!words.is_empty()).then(|| format!("{open}{words}{close}"));
    let old = marked("[-", &change.old, "-]");
    let new = marked("{+", &change.new, "+}");
    let before = Some(one_line(&change.before)).filter(|words| !words.is_empty());
    let after = Some(one_line(&change.after)).filter(|words| !words.is_empty());
    let parts = [before, old, new, after].into_iter().flatten().collect::<Vec<_>>();
    format!("  … {} …", parts.join(" "))
}

/// Words on one line; of many, the first and the last.
fn abridged(words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>();
    let left = words.len().saturating_sub(MAX_WORDS);
    let (first, last) = words.split_at(if left > 0 { MAX_WORDS / 2 } else { words.len() });
    let last = last.get(left..).unwrap_or_default();
    let middle = (left > 0).then(|| format!("… ({}) …", count_of(left as u64, "more word")));
    let parts =
        first.iter().map(|word| (*word).to_owned()).chain(middle).chain(last.iter().map(|word| (*word).to_owned()));
    parts.collect::<Vec<_>>().join(" ")
}

impl VersionsResult {
    /// The changes of the document at `path` since the version at `against`.
    #[must_use]
    pub fn of(changes: VersionChanges, path: &str, against: &str) -> Self {
        let text = |pages: &PageSet| pages.to_string();
        Self {
            path: path.to_owned(),
            against: against.to_owned(),
            pages_before: changes.pages_before,
            pages_now: changes.pages_now,
            unchanged: text(&changes.unchanged),
            moved: moved_phrase(&changes.moved),
            added: text(&changes.added),
            removed: text(&changes.removed),
            redrawn: text(&changes.redrawn),
            reflowed: text(&changes.reflowed),
            not_compared: text(&changes.not_compared),
            changed: changes.changed.iter().map(|page| ChangedPageResult::of(page, path)).collect(),
            is_cut_short: changes.is_cut_short,
            changes,
        }
    }

    /// The pages that an agent has to read again.
    #[must_use]
    pub fn pages_to_read(&self) -> PageSet {
        self.changes.pages_to_read()
    }

    /// What differs, of `pages` alone if some are asked for.
    #[must_use]
    pub fn text(&self, pages: Option<&PageSet>) -> String {
        let is_asked = |page: u32| {
            pages.is_none_or(|pages| page.checked_sub(1).is_some_and(|page| pages.contains(PageIndex(page))))
        };
        let mut lines = vec![self.head()];
        let named =
            |what: &str, pages: &PageSet| (!pages.is_empty()).then(|| format!("{what}: {}.", page_or_pages(pages)));
        if pages.is_none() {
            let moved = (!self.moved.is_empty()).then(|| format!("Moved: {}.", self.moved));
            lines.extend(named("Unchanged", &self.changes.unchanged));
            lines.extend(moved);
            lines.extend(named("Added", &self.changes.added));
            lines.extend(named("Removed (by their earlier numbers)", &self.changes.removed));
            lines.extend(named("Same words and images, drawn otherwise", &self.changes.redrawn));
            lines.extend(named("Same words, which stood on other pages", &self.changes.reflowed));
            lines.extend(named("Not compared", &self.changes.not_compared));
        }
        let mut changed = self.changed.iter().filter(|page| is_asked(page.page)).peekable();
        if changed.peek().is_some() {
            // An answer with pages says it of all their content.
            lines.extend(pages.is_none().then(|| untrusted(&self.path)));
            lines.push("Changed, as [-old-] {+new+}:".to_owned());
        }
        let (mut left, mut unshown) = (MAX_ALL_PLACES, PageSet::new());
        for page in changed {
            if left == 0 {
                page.page.checked_sub(1).into_iter().for_each(|page| unshown.insert(PageIndex(page)));
                continue;
            }
            lines.extend(page.lines(left));
            left = left.saturating_sub(page.words.len());
        }
        lines.extend(named("Changed too, and not shown here; ask for them with pages", &unshown));
        let note = "Time ended before all words were compared: some may be called changed that are not.";
        lines.extend(self.is_cut_short.then(|| note.to_owned()));
        lines.join("\n")
    }

    fn head(&self) -> String {
        let count = match self.pages_before == self.pages_now {
            true => count_of(self.pages_now.into(), "page"),
            false => format!("{} now, {} before", count_of(self.pages_now.into(), "page"), self.pages_before),
        };
        let same = if self.changes.is_empty() { " No page differs." } else { "" };
        format!("{} against {}: {count}.{same}", self.path, self.against)
    }
}
