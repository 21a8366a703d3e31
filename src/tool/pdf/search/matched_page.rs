//! A page with matches, as text and as data.

use serde_json::{Map, Value, json};

use crate::context::{json_length, one_line};
use crate::tool::pdf::boxes::{boxes_of, edges_of};
use crate::worker::Pages;
use pagewise_base::page::PageIndex;
use pagewise_text::{Bounds, SearchHit};

/// A page with matches.
pub struct MatchedPage {
    /// The page.
    pub page: PageIndex,
    /// The printed label, if it differs from the number.
    pub label: Option<String>,
    /// Its matches, also those that are not shown.
    pub count: usize,
    /// Whether the conversation holds the page.
    pub is_held: bool,
    /// The matches that are shown.
    pub hits: Vec<SearchHit>,
    /// The boxes of each hit's matches, where they were asked for.
    pub boxes: Vec<Vec<Bounds>>,
}

/// `1 match` or `2 matches`.
pub(super) fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

impl MatchedPage {
    /// Reads the boxes of the matches.
    pub(super) fn read_boxes(&mut self, document: &dyn Pages) {
        let places = self.hits.iter().flat_map(|hit| hit.places.iter().cloned()).collect::<Vec<_>>();
        let mut boxes = boxes_of(document, self.page, &places).into_iter();
        let of_hit = |hit: &SearchHit| boxes.by_ref().take(hit.places.len()).flatten().collect();
        self.boxes = self.hits.iter().map(of_hit).collect();
    }

    /// Bytes of a page in the text and the structure, without its matches.
    pub(super) fn head_cost(&self) -> u64 {
        const NAMES: u64 = 128;
        json_length(&self.label).saturating_mul(2).saturating_add(NAMES)
    }

    /// Bytes of a match in both.
    pub(super) fn hit_cost(hit: &SearchHit) -> u64 {
        const NAMES: u64 = 16;
        json_length(&hit.excerpt).saturating_mul(2).saturating_add(NAMES)
    }

    pub(super) fn shown_count(&self) -> usize {
        self.hits.iter().map(|hit| hit.matches).sum()
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let label = self.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
        let matches = counted(self.count, "match", "matches");
        let shown = self.shown_count();
        let shown = if shown < self.count { format!(", {shown} shown") } else { String::new() };
        let head = format!("Page {}{label}: {matches}{shown}", self.page.number());
        std::iter::once(head).chain(self.hits.iter().map(|hit| format!("  {}", hit.excerpt))).collect()
    }

    pub(super) fn structure(&self) -> Value {
        let mut boxes = self.boxes.iter();
        let hits = self.hits.iter().map(|hit| {
            let mut entry = Map::new();
            entry.insert("match".into(), json!(hit.matched));
            entry.insert("excerpt".into(), json!(hit.excerpt));
            if hit.matches > 1 {
                entry.insert("matches".into(), json!(hit.matches));
            }
            if let Some(boxes) = boxes.next().filter(|boxes| !boxes.is_empty()) {
                entry.insert("boxes".into(), boxes.iter().map(|bounds| json!(edges_of(*bounds))).collect());
            }
            Value::Object(entry)
        });
        let mut page = Map::new();
        page.insert("page".into(), json!(self.page.number().get()));
        if let Some(label) = &self.label {
            page.insert("label".into(), json!(label));
        }
        page.insert("count".into(), json!(self.count));
        page.insert("held".into(), json!(self.is_held));
        page.insert("hits".into(), Value::Array(hits.collect()));
        Value::Object(page)
    }
}
