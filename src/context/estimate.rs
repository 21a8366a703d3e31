//! What a page costs a model, estimated: no provider publishes an exact rule for PDFs.

use crate::document::PageGeometry;

/// How one kind of model charges for pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProviderProfile {
    /// Whose rule it is.
    pub name: &'static str,
    /// Pixels of the side of a square patch, which costs a token.
    pub patch_pixels: f64,
    /// Longer sides are scaled down to this before a model sees a picture.
    pub max_side_pixels: f64,
    /// Tokens of a picture at most; larger ones are scaled down.
    pub max_tokens: f64,
    /// Where the rule is written, and when it was read.
    pub source: &'static str,
}

/// The rules that are known, the one that summaries are computed with first.
pub const PROVIDERS: &[ProviderProfile] = &[
    ProviderProfile {
        name: "anthropic",
        patch_pixels: 28.0,
        max_side_pixels: 1_568.0,
        max_tokens: 1_568.0,
        source: "Claude documentation, \"Images and vision\", 2026-11-21",
    },
    ProviderProfile {
        name: "anthropic, high resolution",
        patch_pixels: 28.0,
        max_side_pixels: 2_576.0,
        max_tokens: 4_784.0,
        source: "Claude documentation, \"Images and vision\", and reports of users, 2026-11-21",
    },
    ProviderProfile {
        name: "openai",
        patch_pixels: 32.0,
        max_side_pixels: 2_048.0,
        max_tokens: 1_536.0,
        source: "OpenAI documentation, \"Images and vision\", 2026-11-21; times a factor of the model",
    },
];

/// Tokens of a page's picture, at the largest that a model of the first profile takes in.
#[must_use]
pub fn image_tokens(page: &PageGeometry) -> u64 {
    let (width, height) = (page.width_pt.abs().max(1.0), page.height_pt.abs().max(1.0));
    PROVIDERS.first().map_or(0, |profile| profile.tokens(width, height, profile.max_side_pixels / width.max(height)))
}

/// Tokens of a picture of this many pixels.
#[must_use]
pub fn picture_tokens(width: u32, height: u32) -> u64 {
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let tokens = |profile: &ProviderProfile| {
        profile.tokens(width, height, (profile.max_side_pixels / width.max(height)).min(1.0))
    };
    PROVIDERS.first().map_or(0, tokens)
}

impl ProviderProfile {
    /// Tokens of a picture that is scaled by `scale`, and further down where it would cost too much.
    fn tokens(&self, width: f64, height: f64, scale: f64) -> u64 {
        let patches = |scale: f64| {
            let side = |length: f64| (length * scale / self.patch_pixels).ceil().max(1.0);
            side(width) * side(height)
        };
        let asked = patches(scale);
        if asked <= self.max_tokens {
            return whole_tokens(asked);
        }
        whole_tokens(patches(scale * (self.max_tokens / asked).sqrt()).min(self.max_tokens))
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive and at most a profile's max_tokens; the cast saturates"
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
        assert_eq!(image_tokens(&page(0.0, f64::NAN)), 1_568);
        assert_eq!(picture_tokens(280, 28), 10);
    }
}
