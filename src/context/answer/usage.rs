//! The size of an answer as it counts against provider limits.

use super::Block;
use crate::context::picture_tokens;
use crate::context::token_estimate::estimated_tokens;
use pagewise_view::Usage;

/// Estimated tokens of a PDF page: providers charge for its picture and its text.
const TOKENS_OF_A_PAGE: u64 = 2_000;

/// Estimated tokens of a picture file whose size in pixels is not read.
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
        Block::Image(image) => image_usage(&image.bytes),
    }
}

pub(crate) fn text_usage(text: &str) -> Usage {
    Usage { bytes: to_u64(text.len()), tokens: estimated_tokens(text), ..Usage::default() }
}

pub(crate) fn document_usage(bytes: usize) -> Usage {
    Usage { blocks: 1, pages: 1, bytes: base64_length(bytes), tokens: TOKENS_OF_A_PAGE }
}

/// The usage of a picture. What is drawn of a page costs what its estimate says.
pub(crate) fn image_usage(file: &[u8]) -> Usage {
    let tokens =
        pagewise_render::png_size(file).map_or(TOKENS_OF_AN_IMAGE, |(width, height)| picture_tokens(width, height));
    Usage { blocks: 1, pages: 0, bytes: base64_length(file.len()), tokens }
}

fn base64_length(bytes: usize) -> u64 {
    to_u64(bytes).div_ceil(3).saturating_mul(4)
}

fn to_u64(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_costs_by_its_pixels() {
        let png = std::fs::read("fixtures/picture.png").unwrap_or_default();
        let size = pagewise_render::png_size(&png);
        assert_eq!(size.map(|(width, height)| picture_tokens(width, height)), Some(image_usage(&png).tokens));
        assert_ne!(image_usage(&png).tokens, TOKENS_OF_AN_IMAGE);
        assert_eq!(image_usage(b"\xff\xd8\xff").tokens, TOKENS_OF_AN_IMAGE);
    }
}
