//! Rectangles, and their frames in which text runs to the right.

use pagewise_text::Bounds;

/// The median of lengths, the upper one of two; `None` without any.
pub(crate) fn median(lengths: impl Iterator<Item = f32>) -> Option<f32> {
    let mut lengths: Vec<f32> = lengths.collect();
    lengths.sort_by(f32::total_cmp);
    lengths.get(lengths.len() / 2).copied()
}

/// A length in units of a quarter point, for comparison.
pub(crate) fn quarters(length: f32) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "the value is in range after the clamp")]
    let quarters = (length * 4.0).round().clamp(-1e6, 1e6) as i32;
    quarters
}

/// The page as seen by a reader of text in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) turn: u16,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Frame {
    /// A rectangle of the page in this frame.
    pub(crate) fn of_page(self, b: Bounds) -> Bounds {
        match self.turn {
            90 => Bounds { x0: b.y0, y0: self.width - b.x1, x1: b.y1, y1: self.width - b.x0 },
            180 => {
                Bounds { x0: self.width - b.x1, y0: self.height - b.y1, x1: self.width - b.x0, y1: self.height - b.y0 }
            }
            270 => Bounds { x0: self.height - b.y1, y0: b.x0, x1: self.height - b.y0, y1: b.x1 },
            _ => b,
        }
    }

    /// A rectangle of this frame on the page.
    pub(crate) fn to_page(self, b: Bounds) -> Bounds {
        match self.turn {
            90 => Bounds { x0: self.width - b.y1, y0: b.x0, x1: self.width - b.y0, y1: b.x1 },
            270 => Bounds { x0: b.y0, y0: self.height - b.x1, x1: b.y1, y1: self.height - b.x0 },
            _ => self.of_page(b),
        }
    }

    /// The baseline of a word of the page in this frame.
    pub(crate) fn baseline(self, baseline: f32) -> f32 {
        match self.turn {
            90 => self.width - baseline,
            180 => self.height - baseline,
            _ => baseline,
        }
    }
}
