//! A page with matches, as text and as data.

use serde_json::{Map, Value, json};

use crate::context::{SearchHit, json_length, one_line};
use crate::page::PageIndex;

/// A page with matches.
pub(super) struct MatchedPage {
    pub(super) page: PageIndex,
    /// The printed label, if it differs from the number.
    pub(super) label: Option<String>,
    pub(super) count: usize,
    pub(super) is_held: bool,
    pub(super) hits: Vec<SearchHit>,
}

/// `1 match` or `2 matches`.
pub(super) fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

impl MatchedPage {
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
        let hits = self.hits.iter().map(|hit| {
            let mut entry = json!({ "match": hit.matched, "excerpt": hit.excerpt });
            if let (Value::Object(members), true) = (&mut entry, hit.matches > 1) {
                members.insert("matches".to_owned(), json!(hit.matches));
            }
            entry
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
