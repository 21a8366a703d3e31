//! Counts the comments and links of a document.

use serde::{Deserialize, Serialize};

use super::thread::{Role, Threads};
use super::{MAX_ANNOTATIONS, annotations_of, is_displayed};
use crate::object::{Dictionary, Object};
use crate::{Document, DocumentError, Leaf, ParsedDocument};
use pagewise_base::page::{PageIndex, PageSet};

/// The most pages that are read. Each takes as long as finding a page does.
const MAX_PAGES: u32 = 1_000;

/// How many comments and links a document has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnotationCounts {
    /// Annotations with words, or that mark words.
    pub comments: usize,
    pub pages_with_comments: PageSet,
    pub links: usize,
    pub pages_with_links: PageSet,
    /// Pages that were looked at, from the first.
    pub pages_read: u32,
}

impl Document {
    /// Counts the annotations of the first [`MAX_PAGES`] pages, at most [`MAX_ANNOTATIONS`]; of a remote document fewer. Unreadable pages count none.
    #[must_use]
    pub fn annotation_counts(&self) -> AnnotationCounts {
        let mut counts = AnnotationCounts::default();
        let mut read = 0;
        for page in self.first_pages(self.scanned_pages(MAX_PAGES)) {
            if read >= MAX_ANNOTATIONS {
                break;
            }
            let counted = self.with_page(page, count, |_| false).map(|(counted, _)| counted).unwrap_or_default();
            counts.add(page, counted);
            read = read.saturating_add(counted.read);
        }
        counts
    }
}

/// The annotations of one page.
#[derive(Debug, Clone, Copy, Default)]
struct PageCount {
    comments: usize,
    links: usize,
    read: usize,
}

impl AnnotationCounts {
    fn add(&mut self, page: PageIndex, count: PageCount) {
        self.pages_read += 1;
        self.comments += count.comments;
        self.links += count.links;
        if count.comments > 0 {
            self.pages_with_comments.insert(page);
        }
        if count.links > 0 {
            self.pages_with_links.insert(page);
        }
    }
}

fn count(parsed: &ParsedDocument, leaf: &Leaf) -> Result<PageCount, DocumentError> {
    let objects = &*parsed.objects;
    let list = annotations_of(objects, leaf)?;
    let threads = Threads::of(objects, &list)?;
    let mut count = PageCount { read: list.len(), ..PageCount::default() };
    for (at, annotation) in list.iter().enumerate() {
        objects.limits().deadline.check()?;
        let annotation = objects.resolve(annotation)?;
        let Some(annotation) = annotation.as_dictionary() else { continue };
        match threads.role(at) {
            Some(Role::Review { .. }) => {}
            Some(Role::Comment { kind, .. }) => {
                let has_words = || [&b"Contents"[..], b"RC"].iter().any(|key| has_text(annotation, key));
                count.comments += usize::from(kind.says_something_alone() || has_words() || threads.is_target(at));
            }
            None => {
                let is_link = objects.get(annotation, b"Subtype")?.as_name() == Some(b"Link");
                count.links += usize::from(is_link && is_displayed(objects, annotation)?);
            }
        }
    }
    Ok(count)
}

/// Whether there is a text that is not blank, or one elsewhere in the file.
fn has_text(annotation: &Dictionary, key: &[u8]) -> bool {
    match annotation.get(key) {
        Some(Object::String(text)) => !text.is_empty(),
        Some(Object::Reference(_)) => true,
        _ => false,
    }
}
