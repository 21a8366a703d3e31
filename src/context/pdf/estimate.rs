//! Estimates what a page costs a model. No provider publishes an exact rule for PDFs.

use super::picture::finest_dpi;
use pagewise_base::provider::{PROVIDER_LIMITS, PictureRule};
use pagewise_document::PageGeometry;

/// The rule for estimates: that of the first provider that publishes one.
fn rule() -> Option<PictureRule> {
    PROVIDER_LIMITS.iter().find_map(|row| row.pictures)
}

/// Tokens of a page's picture, as it is drawn for a model.
#[must_use]
pub fn image_tokens(page: &PageGeometry) -> u64 {
    let scale = f64::from(finest_dpi(page).get()) / 72.0;
    picture_tokens(whole(page.width_pt.abs() * scale), whole(page.height_pt.abs() * scale))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(pixels: f64) -> u32 {
    pixels.floor() as u32
}

/// Tokens of a picture of this many pixels.
#[must_use]
pub fn picture_tokens(width: u32, height: u32) -> u64 {
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    rule().map_or(0, |rule| tokens(&rule, width, height, (rule.max_side_pixels / width.max(height)).min(1.0)))
}

/// Tokens of a picture scaled by `scale`, and further down if it would cost too much.
fn tokens(rule: &PictureRule, width: f64, height: f64, scale: f64) -> u64 {
    let patches = |scale: f64| {
        let side = |length: f64| (length * scale / rule.patch_pixels).ceil().max(1.0);
        side(width) * side(height)
    };
    let requested = patches(scale);
    if requested <= rule.max_tokens {
        return whole_tokens(requested);
    }
    whole_tokens(patches(scale * (rule.max_tokens / requested).sqrt()).min(rule.max_tokens))
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive and at most a rule's max_tokens; the cast saturates"
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
        assert_eq!(image_tokens(&page(612.0, 792.0)), 1_568);
        assert_eq!(image_tokens(&page(7_920.0, 612.0)), 280);
        assert_eq!(image_tokens(&page(0.0, f64::NAN)), 1);
        assert_eq!(picture_tokens(280, 28), 10);
    }
}
