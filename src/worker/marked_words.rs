//! Finds the words that comments mark.

use pagewise_document::{Comment, DisplayedArea, PageAnnotations};
use pagewise_text::{PageWords, PlacedWord};

/// The most comparisons of a word with a marked area on one page. A page has some hundred words and a few marks.
const MAX_COMPARISONS: usize = 20_000_000;

/// Whether a comment marks words.
pub(super) fn marks_words(annotations: &PageAnnotations) -> bool {
    annotations.comments.iter().any(is_mark)
}

/// Adds to each mark the words in its areas, in reading order.
pub(super) fn add_marked_words(annotations: &mut PageAnnotations, page: &PageWords) {
    let mut left = MAX_COMPARISONS;
    for comment in annotations.comments.iter_mut().filter(|comment| is_mark(comment)) {
        let Some(rest) = left.checked_sub(page.words.len().saturating_mul(comment.marked.len())) else { break };
        left = rest;
        let text = marked_text(&comment.marked, &page.words);
        comment.marked_text = Some(text).filter(|text| !text.is_empty());
    }
}

fn is_mark(comment: &Comment) -> bool {
    comment.kind.is_mark() && !comment.marked.is_empty()
}

fn marked_text(areas: &[DisplayedArea], words: &[PlacedWord]) -> String {
    let mut text = String::new();
    for word in words.iter().filter(|word| areas.iter().any(|area| is_marked(word, area))) {
        if word.is_spaced && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}

/// Whether at least half of the word lies in the area: marks often end within a neighbour.
fn is_marked(word: &PlacedWord, area: &DisplayedArea) -> bool {
    let [left, top, right, bottom] = word.bounds.edges();
    let overlap = |from: f32, to: f32, area_from: f32, area_to: f32| to.min(area_to) - from.max(area_from);
    let (width, height) = (right - left, bottom - top);
    overlap(left, right, area.left, area.right) >= width / 2.0
        && overlap(top, bottom, area.top, area.bottom) >= height / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_text::Bounds;

    #[test]
    fn a_word_is_marked_if_half_of_it_lies_in_an_area() {
        let word = |text: &str, x0: f32, is_spaced: bool| PlacedWord {
            text: text.to_owned(),
            bounds: Bounds { x0, y0: 10.0, x1: x0 + 20.0, y1: 20.0 },
            is_spaced,
            ..PlacedWord::default()
        };
        let words =
            [word("one", 0.0, true), word("two", 20.0, true), word("fold", 40.0, false), word("far", 60.0, true)];
        let area = DisplayedArea { left: 9.0, top: 8.0, right: 65.0, bottom: 21.0 };
        assert_eq!(marked_text(&[area], &words), "one twofold");
        let below = DisplayedArea { top: 16.0, ..area };
        assert_eq!(marked_text(&[below], &words), "");
    }
}
