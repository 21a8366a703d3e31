//! What drawing comes to, and the limits on it.

use super::images::Extent;
use crate::limits::{LimitExceeded, Limits};

/// What drawing something comes to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    pub(super) forms: u64,
    pub(super) bytes: u64,
    /// What one colour space, shading or pattern comes to, the largest of them: these are kept from one use to the next.
    pub(super) unfolded: Unfolded,
    pub(super) picture: PictureCost,
}

/// What a colour space, shading or function consists of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unfolded {
    pub(super) objects: u64,
    /// Programs that are run for each pixel, as bytes of content.
    pub(super) programs: u64,
}

/// What only those who paint go through: glyphs that are content, and images.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PictureCost {
    forms: u64,
    bytes: u64,
    /// Columns of the widest image or mask, as that says itself.
    columns: u64,
    pixels: u64,
    /// Whether a font has many rules of its own for putting glyphs in the place of others.
    pub(super) has_rules: bool,
}

impl Cost {
    pub(super) fn add(&mut self, other: Self, times: u64) {
        let more = |sum: &mut u64, each: u64| *sum = sum.saturating_add(each.saturating_mul(times));
        more(&mut self.forms, other.forms);
        more(&mut self.bytes, other.bytes);
        more(&mut self.picture.forms, other.picture.forms);
        more(&mut self.picture.bytes, other.picture.bytes);
        more(&mut self.picture.pixels, other.picture.pixels);
        self.unfolded.objects = self.unfolded.objects.max(other.unfolded.objects);
        self.unfolded.programs = self.unfolded.programs.max(other.unfolded.programs);
        self.picture.columns = self.picture.columns.max(other.picture.columns);
        self.picture.has_rules |= other.picture.has_rules;
    }

    pub(super) fn add_images(&mut self, images: Extent) {
        self.add(
            Self { picture: PictureCost { pixels: images.pixels, ..PictureCost::default() }, ..Self::default() },
            1,
        );
        self.picture.columns = self.picture.columns.max(images.columns);
    }

    /// The same for a glyph: text is read without drawing it.
    pub(super) fn of_glyph(self) -> Self {
        let Self { forms, bytes, unfolded, picture } = self;
        let (forms, bytes) = (forms.saturating_add(picture.forms), bytes.saturating_add(picture.bytes));
        Self { forms: 1, bytes: 0, unfolded, picture: PictureCost { forms, bytes, ..picture } }
    }

    pub(super) fn check(self, limits: &Limits) -> Result<(), LimitExceeded> {
        LimitExceeded::check("max_form_draws", self.forms, limits.max_form_draws)?;
        LimitExceeded::check("max_page_objects", self.unfolded.objects, limits.max_page_objects.into())?;
        LimitExceeded::check("max_drawn_bytes", self.unfolded.programs, limits.max_drawn_bytes)?;
        LimitExceeded::check("max_drawn_bytes", self.bytes, limits.max_drawn_bytes)
    }
}

impl PictureCost {
    /// What is painted without end: a glyph that shows itself.
    pub(crate) const ENDLESS: Self = Self { forms: u64::MAX, bytes: u64::MAX, columns: 0, pixels: 0, has_rules: false };

    /// Whether glyphs may be fitted to the pixels. The engine goes through a font's rules for that, all of them for each that
    /// leads to another, and rules may lie over each other: one changed byte of a real font took it 3.4 seconds.
    pub(crate) fn allows_hinting(self) -> bool {
        !self.has_rules
    }

    /// Whether an engine may paint it.
    ///
    /// # Errors
    /// Which limit it passes.
    pub(crate) fn check(self, limits: &Limits) -> Result<(), LimitExceeded> {
        LimitExceeded::check("max_form_draws", self.forms, limits.max_form_draws)?;
        LimitExceeded::check("max_drawn_bytes", self.bytes, limits.max_drawn_bytes)?;
        LimitExceeded::check("max_image_columns", self.columns, limits.max_image_columns)?;
        LimitExceeded::check("max_image_pixels", self.pixels, limits.max_image_pixels)
    }
}
