//! The size of an answer as it counts against provider limits.

use super::Block;
use crate::context::token_estimate::estimated_tokens;
use pagewise_view::Usage;

/// Estimated tokens of a PDF page: providers charge for its picture and its text.
const TOKENS_OF_A_PAGE: u64 = 2_000;

/// Estimated tokens of a picture.
const TOKENS_OF_AN_IMAGE: u64 = 1_500;

/// The usage of several blocks.
pub(crate) fn usage_of(blocks: &[Block]) -> Usage {
    let mut sum = Usage::default();
    blocks.iter().for_each(|block| sum.add(block_usage(block)));
    sum
}

pub(crate) fn block_usage(block: &Block) -> Usage {
    match block {
        Block::Text(text) => text_usage(text),
        Block::Document(page) => document_usage(page.bytes.len()),
        Block::Image(image) => image_usage(image.bytes.len()),
    }
}

pub(crate) fn text_usage(text: &str) -> Usage {
    Usage { bytes: to_u64(text.len()), tokens: estimated_tokens(text), ..Usage::default() }
}

pub(crate) fn document_usage(bytes: usize) -> Usage {
    Usage { blocks: 1, pages: 1, bytes: base64_length(bytes), tokens: TOKENS_OF_A_PAGE }
}

pub(crate) fn image_usage(bytes: usize) -> Usage {
    Usage { blocks: 1, pages: 0, bytes: base64_length(bytes), tokens: TOKENS_OF_AN_IMAGE }
}

fn base64_length(bytes: usize) -> u64 {
    to_u64(bytes).div_ceil(3).saturating_mul(4)
}

fn to_u64(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
