//! Directions, points and numbers of pictures.

/// A unit vector: the direction of a line of text, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

impl Direction {
    pub const RIGHT: Self = Self { x: 1.0, y: 0.0 };

    /// The direction at an angle in radians, clockwise.
    #[must_use]
    pub fn at_angle(radians: f32) -> Self {
        Self { x: radians.cos(), y: radians.sin() }
    }

    /// Its angle in radians, clockwise.
    #[must_use]
    pub fn angle(self) -> f32 {
        self.y.atan2(self.x)
    }

    /// The direction after a clockwise quarter turn: from one line to the next.
    #[must_use]
    pub fn quarter_turn(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// The opposite direction.
    #[must_use]
    pub fn reverse(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }

    /// The cosine of the angle between both.
    #[must_use]
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    /// The point at the distance `along` this direction, and `across` it, from `origin`.
    #[must_use]
    pub fn point(self, origin: [f32; 2], along: f32, across: f32) -> [f32; 2] {
        let [x, y] = origin;
        [x + along * self.x - across * self.y, y + along * self.y + across * self.x]
    }
}

/// A length in whole pixels. Negative numbers and NaN become 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
pub(super) fn whole(length: f32) -> usize {
    length as usize
}

/// A brightness from 0 to 255.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
pub(super) fn brightness(value: f32) -> u8 {
    (value + 0.5) as u8
}

/// The median of `values`; `None` if there are none.
#[cfg(feature = "ocr")]
pub(super) fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The value that is greater than this share of the others; 0 if there are none.
pub(super) fn share_of(mut values: Vec<u8>, share: f32) -> u8 {
    let at = whole(share * values.len() as f32).min(values.len().saturating_sub(1));
    if values.is_empty() { 0 } else { *values.select_nth_unstable(at).1 }
}
