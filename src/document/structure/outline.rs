//! The document outline (ISO 32000-2, 12.3.3).

use serde::{Deserialize, Serialize};

use super::destination::Destinations;
use crate::ParsedDocument;
use crate::error::DocumentError;
use crate::object::{Dictionary, Object, ObjectId};
use crate::text_string;
use pagewise_base::checked_on_arrival;
use pagewise_base::page::PageIndex;
use std::collections::HashSet;

/// The outline of a document, or its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Outline {
    /// Items in reading order, parents before children; at most as many as requested.
    pub items: Vec<OutlineItem>,
    /// Number of items in the whole outline, up to `max_outline_items`.
    pub total: usize,
    /// Whether items are unreadable, occur twice, or exceed `max_outline_items`.
    pub is_incomplete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineItem {
    /// The item's level; 0 at the top.
    pub depth: u32,
    /// `/Title` on one line, without hidden characters.
    pub title: String,
    /// The page that it leads to; `None` if that is no page of this document.
    pub page: Option<PageIndex>,
}

checked_on_arrival!(Outline);

impl Outline {
    /// Whether the items are among all.
    fn is_valid(&self) -> bool {
        self.items.len() <= self.total
    }
}

impl Outline {
    /// Reads `/Outlines` of the catalog. All items are counted, the first `max_items` are returned.
    pub(crate) fn read(parsed: &ParsedDocument, max_items: usize) -> Result<Self, DocumentError> {
        let mut walk = OutlineWalk {
            parsed,
            destinations: Destinations::new(parsed),
            max_items,
            seen: HashSet::new(),
            pending: Vec::new(),
            outline: Self::default(),
        };
        let root = parsed.objects.get(&parsed.catalog, b"Outlines")?;
        if let Some(root) = root.as_dictionary() {
            walk.push(root.get(b"First"), 0);
        }
        let max_total = usize::try_from(parsed.limits.max_outline_items).unwrap_or(usize::MAX);
        while let Some((item, depth)) = walk.pending.pop() {
            parsed.limits.deadline.check()?;
            if walk.outline.total >= max_total {
                walk.outline.is_incomplete = true;
                break;
            }
            walk.visit(&item, depth)?;
        }
        Ok(walk.outline)
    }
}

struct OutlineWalk<'a> {
    parsed: &'a ParsedDocument,
    destinations: Destinations<'a>,
    max_items: usize,
    seen: HashSet<ObjectId>,
    /// Items to visit, the next one last.
    pending: Vec<(Object, u32)>,
    outline: Outline,
}

impl OutlineWalk<'_> {
    fn push(&mut self, item: Option<&Object>, depth: u32) {
        match item {
            None | Some(Object::Null) => {}
            Some(Object::Reference(id)) if !self.seen.insert(*id) => self.outline.is_incomplete = true,
            Some(item) => self.pending.push((item.clone(), depth)),
        }
    }

    fn visit(&mut self, item: &Object, depth: u32) -> Result<(), DocumentError> {
        let item = self.parsed.objects.resolve(item)?;
        let Some(item) = item.as_dictionary() else {
            self.outline.is_incomplete = true;
            return Ok(());
        };
        self.outline.total += 1;
        if self.outline.items.len() < self.max_items {
            let item = self.item(item, depth)?;
            self.outline.items.push(item);
        }
        self.push(item.get(b"Next"), depth);
        self.push(item.get(b"First"), depth.saturating_add(1));
        Ok(())
    }

    fn item(&self, item: &Dictionary, depth: u32) -> Result<OutlineItem, DocumentError> {
        let title = self.parsed.objects.get(item, b"Title")?;
        let title = title.as_string().map(text_string::decode).unwrap_or_default();
        Ok(OutlineItem { depth, title, page: self.destinations.page_of(item)? })
    }
}
