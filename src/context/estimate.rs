//! What a page costs a model, estimated: no provider publishes an exact rule for PDFs.

use crate::document::PageGeometry;

/// Longer sides are scaled down to this before a model sees a picture.
const MAX_IMAGE_SIDE: f64 = 1_568.0;

/// Pictures are scaled down to this many pixels before a model sees them.
const MAX_IMAGE_PIXELS: f64 = 1_150_000.0;

/// Pixels of a picture that cost one token.
const PIXELS_PER_TOKEN: f64 = 750.0;

/// Tokens of a page's picture, scaled to the largest that a model takes in.
#[must_use]
pub fn image_tokens(page: &PageGeometry) -> u64 {
    let (width, height) = (page.width_pt.abs().max(1.0), page.height_pt.abs().max(1.0));
    let by_side = MAX_IMAGE_SIDE / width.max(height);
    let by_area = (MAX_IMAGE_PIXELS / (width * height)).sqrt();
    let scale = by_side.min(by_area);
    whole_tokens(width * height * scale * scale / PIXELS_PER_TOKEN)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive and at most MAX_IMAGE_PIXELS / PIXELS_PER_TOKEN; the cast saturates"
)]
fn whole_tokens(tokens: f64) -> u64 {
    tokens.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_page_costs_what_its_scaled_picture_costs() {
        let page = |width_pt, height_pt| PageGeometry { width_pt, height_pt, rotate: 0, user_unit: 1.0 };
        assert_eq!(image_tokens(&page(612.0, 792.0)), 1_534);
        assert_eq!(image_tokens(&page(7_920.0, 612.0)), 254);
        assert_eq!(image_tokens(&page(0.0, f64::NAN)), 1_534);
    }
}
