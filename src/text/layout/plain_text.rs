//! Writes blocks as plain text.

use super::bidi::BracketNaming;
use super::hyphens::{SOFT_HYPHEN, divides};
use super::reading_order::TextBlock;

/// The text of `blocks`: an empty line between blocks, and a soft hyphen where a line end divides a word.
pub(crate) fn write_blocks(blocks: &[TextBlock]) -> String {
    let brackets = BracketNaming::of(blocks.iter().flat_map(|block| &block.lines));
    let mut text = String::new();
    for block in blocks {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        for (at, line) in block.lines.iter().enumerate() {
            let line = line.text(brackets);
            if at > 0 {
                end_line(&mut text, &line);
            }
            text.push_str(&line);
        }
    }
    text
}

/// Ends the last line of `text`, before the line `next`.
fn end_line(text: &mut String, next: &str) {
    if divides(text, next) {
        text.pop();
        text.push(SOFT_HYPHEN);
    }
    text.push('\n');
}
