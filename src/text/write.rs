//! Blocks → plain text.

use super::direction::Brackets;
use super::order::Block;

/// The text of `blocks`: a line for each line, an empty line between blocks, words joined that a line end divides.
pub(super) fn text(blocks: &[Block]) -> String {
    let brackets = Brackets::of(blocks.iter().flat_map(|block| &block.lines));
    let mut text = String::new();
    for block in blocks {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        for (at, line) in block.lines.iter().enumerate() {
            let line = line.text(brackets);
            if at > 0 && !joins(&mut text, &line) {
                text.push('\n');
            }
            text.push_str(&line);
        }
    }
    text
}

/// Takes the hyphen off the end of `text` where `next` goes on with the divided word.
fn joins(text: &mut String, next: &str) -> bool {
    let Some(before) = text.strip_suffix(['-', '\u{2010}']) else { return false };
    let divides = before.chars().next_back().is_some_and(char::is_lowercase);
    let goes_on = next.chars().next().is_some_and(char::is_lowercase);
    let kept = before.len();
    if divides && goes_on {
        text.truncate(kept);
    }
    divides && goes_on
}
