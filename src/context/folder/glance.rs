//! What a PDF of a listing is about, from its first pages and its outline.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::context::library::document_date;
use crate::context::pdf::{FormChooser, sample};
use crate::context::phrases::one_line;
use crate::worker::{Pages, PdfError};
use pagewise_base::page::PageIndex;
use pagewise_library::language_of;
use pagewise_text::PageText;

/// Pages whose text is read: the first ones.
const READ_PAGES: u32 = 3;

/// Pages of a sample for what the pages cost: a listing has many documents.
const MAX_SAMPLE: u32 = 12;

/// Pages that are looked at whatever the time.
const MIN_SAMPLE: usize = 4;

/// Time for the rest of this sample.
const TIME_BUDGET: Duration = Duration::from_millis(40);

/// Titles of the outline that are read.
const MAX_TITLES: usize = 12;

/// Characters of what a document is about.
const MAX_SUBJECT: usize = 60;

/// Characters of the text that the first page begins with, of which the subject is taken.
const MAX_OPENING: usize = 400;

/// A PDF at a glance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Glance {
    /// Its pages.
    pub pages: u32,
    /// `/Title`, where it is not blank.
    pub title: Option<String>,
    /// The date that it gives, as a number like 20240301.
    pub date: Option<u32>,
    /// The language of its first pages, as ISO 639-3 has it.
    pub language: Option<&'static str>,
    /// What it is about: its chapters, or what its first page begins with.
    pub subject: Option<String>,
    /// About how many tokens its pages cost in the form that the client gets, judged by a sample.
    pub tokens: u64,
    /// The value of `as` for that form.
    pub form: &'static str,
    /// Whether none of its first pages has usable text.
    pub is_scan: bool,
}

impl Glance {
    /// Reads the first pages of a document, and a sample for what its pages cost.
    pub(super) fn of(chooser: &FormChooser<'_>) -> Result<Self, PdfError> {
        let document = chooser.document;
        let info = document.info();
        let date = document_date(&info);
        let title = info.title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
        let pages = document.page_count();
        let read = (0..pages.min(READ_PAGES)).map(|page| document.page_text(PageIndex(page)));
        let read = read.filter(|page| !matches!(page, Err(error) if !matches!(error, PdfError::Stopped(_))));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        let usable = read.iter().filter(|page| page.is_usable()).map(|page| page.text.as_str()).collect::<Vec<_>>();
        let text = usable.join("\n");
        Ok(Self {
            pages,
            date,
            language: language_of(&text),
            subject: chapters(document).or_else(|| opening(&text, title.as_deref())),
            tokens: tokens(chooser),
            form: chooser.given.name(),
            is_scan: usable.is_empty() && read.iter().any(has_something),
            title,
        })
    }
}

fn has_something(page: &PageText) -> bool {
    page.kind != pagewise_text::PageKind::Empty
}

/// The tokens of all pages, if they are like those of a sample.
fn tokens(chooser: &FormChooser<'_>) -> u64 {
    let (start, pages) = (Instant::now(), chooser.document.page_count());
    let mut read = BTreeMap::new();
    for page in sample(pages, if chooser.document.is_remote() { 1 } else { MAX_SAMPLE }) {
        if read.len() >= MIN_SAMPLE && start.elapsed() > TIME_BUDGET {
            break;
        }
        read.extend(chooser.document.page_structure(page).map(|found| (page, found)));
    }
    let of_a_page = chooser.given.mean_tokens(&chooser.estimates(read)).unwrap_or_default();
    of_a_page.saturating_mul(u64::from(pages))
}

/// The titles of the outline's first level, or of the second if the first has but one.
fn chapters(document: &dyn Pages) -> Option<String> {
    let items = document.outline(MAX_TITLES).items;
    let of_depth = |depth| items.iter().filter(move |item| item.depth == depth).map(|item| one_line(&item.title));
    let mut titles = of_depth(0).collect::<Vec<_>>();
    if titles.len() < 2 {
        titles = of_depth(1).collect();
    }
    titles.retain(|title| !title.is_empty());
    (titles.len() > 1).then(|| shortened(&titles.join("; ")))
}

/// What the text begins with, after the title.
fn opening(text: &str, title: Option<&str>) -> Option<String> {
    let start = one_line(&text.chars().take(MAX_OPENING).collect::<String>());
    let rest = title.and_then(|title| start.strip_prefix(title)).unwrap_or(&start);
    let rest = rest.trim_start_matches(|character: char| !character.is_alphanumeric());
    (!rest.is_empty()).then(|| shortened(rest))
}

/// The first characters, cut between words.
fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_SUBJECT) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let words = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    format!("{} …", words.trim_end_matches([';', ',', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_cut_between_words_and_does_not_repeat_the_title() {
        assert_eq!(
            opening("The Fold\nHow sheets become leaves", Some("The Fold")).as_deref(),
            Some("How sheets become leaves")
        );
        assert_eq!(opening("The Fold", Some("The Fold")), None);
        let long = "leaf ".repeat(40);
        assert_eq!(shortened(&long), format!("{}leaf …", "leaf ".repeat(11)));
    }
}
