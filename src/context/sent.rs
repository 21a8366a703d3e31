//! How much an answer is, as it counts against what a provider takes.

use super::answer::Block;
use crate::store::Sent;
use crate::text::estimated_tokens;

/// Tokens that a PDF page is counted with: its picture and a page of text, as a provider charges both.
const TOKENS_OF_A_PAGE: u64 = 2_000;

/// Tokens that a picture is counted with.
const TOKENS_OF_AN_IMAGE: u64 = 1_500;

/// How much an answer is.
pub(super) fn sent(blocks: &[Block]) -> Sent {
    let mut sum = Sent::default();
    blocks.iter().for_each(|block| sum.add(sent_block(block)));
    sum
}

/// How much a block is.
pub(super) fn sent_block(block: &Block) -> Sent {
    match block {
        Block::Text(text) => sent_text(text),
        Block::Document(page) => sent_document(page.bytes.len()),
        Block::Image(image) => sent_image(image.bytes.len()),
    }
}

pub(super) fn sent_text(text: &str) -> Sent {
    Sent { bytes: whole(text.len()), tokens: estimated_tokens(text), ..Sent::default() }
}

pub(super) fn sent_document(bytes: usize) -> Sent {
    Sent { blocks: 1, pages: 1, bytes: in_base64(bytes), tokens: TOKENS_OF_A_PAGE }
}

pub(super) fn sent_image(bytes: usize) -> Sent {
    Sent { blocks: 1, pages: 0, bytes: in_base64(bytes), tokens: TOKENS_OF_AN_IMAGE }
}

fn in_base64(bytes: usize) -> u64 {
    whole(bytes).div_ceil(3).saturating_mul(4)
}

fn whole(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
