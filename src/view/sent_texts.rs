//! Texts that were sent, kept for diffs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pagewise_base::hash::ContentHash;

/// Texts by content, in memory and within a bound. The oldest are dropped first.
///
/// A text here does not mean that a conversation holds it: check the conversation's view first.
///
/// They end with the process, since stores keep hashes and numbers but never content. After a restart a changed text is
/// sent whole instead of as a diff.
#[derive(Debug)]
pub struct SentTexts {
    max_bytes: usize,
    bytes: usize,
    texts: BTreeMap<ContentHash, Arc<str>>,
    /// Contents in order of insertion.
    order: VecDeque<ContentHash>,
}

impl SentTexts {
    /// Creates an empty collection of at most `max_bytes`.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, bytes: 0, texts: BTreeMap::new(), order: VecDeque::new() }
    }

    /// Keeps a text. A text larger than the bound is not kept; its file is later sent whole.
    pub fn insert(&mut self, content: ContentHash, text: Arc<str>) {
        if text.len() > self.max_bytes || self.texts.contains_key(&content) {
            return;
        }
        self.bytes = self.bytes.saturating_add(text.len());
        self.texts.insert(content, text);
        self.order.push_back(content);
        while self.bytes > self.max_bytes {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.order.pop_front() else {
            self.bytes = 0;
            return;
        };
        let freed = self.texts.remove(&oldest).map_or(0, |text| text.len());
        self.bytes = self.bytes.saturating_sub(freed);
    }

    /// The text of a content, if it is still here.
    #[must_use]
    pub fn get(&self, content: &ContentHash) -> Option<Arc<str>> {
        self.texts.get(content).cloned()
    }

    /// Bytes of text kept.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(letter: &str, bytes: usize) -> (ContentHash, Arc<str>) {
        let text = letter.repeat(bytes);
        (ContentHash::of(text.as_bytes()), text.into())
    }

    #[test]
    fn the_oldest_text_leaves_when_the_bound_is_passed() {
        let mut texts = SentTexts::new(10);
        let [(a, a_text), (b, b_text), (c, c_text)] = [text("a", 5), text("b", 5), text("c", 1)];
        texts.insert(a, a_text.clone());
        texts.insert(a, a_text);
        texts.insert(b, b_text.clone());
        assert_eq!((texts.bytes(), texts.get(&b)), (10, Some(b_text)));
        assert!(texts.get(&a).is_some());
        texts.insert(c, c_text);
        assert_eq!((texts.bytes(), texts.get(&a)), (6, None));
    }

    #[test]
    fn a_text_above_the_bound_is_not_kept() {
        let mut texts = SentTexts::new(10);
        let (large, large_text) = text("x", 11);
        texts.insert(large, large_text);
        assert_eq!((texts.bytes(), texts.get(&large)), (0, None));
    }
}
