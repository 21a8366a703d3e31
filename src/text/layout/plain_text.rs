//! Writes blocks as plain text.

use super::bidi::BracketNaming;
use super::hyphens::{SOFT_HYPHEN, Vocabulary, divides};
use super::reading_order::TextBlock;
use std::cell::LazyCell;

/// The text of `blocks`: an empty line between blocks, and a soft hyphen where a line end divides a word.
pub(crate) fn write_blocks(blocks: &[TextBlock]) -> String {
    let brackets = BracketNaming::of(blocks.iter().flat_map(|block| &block.lines));
    let lines = |block: &TextBlock| block.lines.iter().map(|line| line.text(brackets)).collect::<Vec<_>>();
    let blocks = blocks.iter().map(lines).collect::<Vec<_>>();
    let vocabulary = LazyCell::new(|| Vocabulary::of(blocks.iter().flatten()));
    let mut text = String::new();
    for block in &blocks {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        for (at, line) in block.iter().enumerate() {
            if at > 0 {
                if divides(&text, line, || &vocabulary) {
                    text.pop();
                    text.push(SOFT_HYPHEN);
                }
                text.push('\n');
            }
            text.push_str(line);
        }
    }
    text
}
