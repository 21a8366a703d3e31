//! The size of an answer as it counts against provider limits.

use super::Block;
use crate::context::picture_tokens;
use crate::context::token_estimate::estimated_tokens;
use pagewise_view::Usage;

/// Estimated tokens of a PDF page: providers charge for its picture and its text.
const TOKENS_OF_A_PAGE: u64 = 2_000;

/// Estimated tokens of a picture file whose size in pixels is not read.
const TOKENS_OF_AN_IMAGE: u64 = 1_500;

/// The beginning of a PNG file, before its width and height.
const PNG_HEAD: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

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
    let tokens = png_size(file).map_or(TOKENS_OF_AN_IMAGE, |(width, height)| picture_tokens(width, height));
    Usage { blocks: 1, pages: 0, bytes: base64_length(file.len()), tokens }
}

fn png_size(file: &[u8]) -> Option<(u32, u32)> {
    let (size, _) = file.strip_prefix(PNG_HEAD)?.split_first_chunk::<8>()?;
    let [a, b, c, d, e, f, g, h] = *size;
    Some((u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])))
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
        let png = |width: u32, height: u32| {
            [PNG_HEAD, width.to_be_bytes().as_slice(), height.to_be_bytes().as_slice(), &[8, 0]].concat()
        };
        for (width, height) in [(280, 28), (1_224, 1_584)] {
            assert_eq!(image_usage(&png(width, height)).tokens, picture_tokens(width, height));
        }
        assert_eq!(image_usage(b"\xff\xd8\xff").tokens, TOKENS_OF_AN_IMAGE);
        assert_eq!(image_usage(PNG_HEAD).tokens, TOKENS_OF_AN_IMAGE);
    }
}
