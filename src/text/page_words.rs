//! The words of a page in their places.

use serde::{Deserialize, Serialize};

use super::layout::Script;
use super::page_layout::{Bounds, PageLayout, Word};

/// The words of a page in reading order, in their places.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PageWords {
    /// The width of the page.
    pub width: f32,
    /// The height of the page.
    pub height: f32,
    /// In reading order.
    pub words: Vec<PlacedWord>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlacedWord {
    /// In logical order.
    pub text: String,
    /// Its box where it is seen.
    pub bounds: Bounds,
    /// The y coordinate of its line's baseline, or the x coordinate if `turn` is 90 or 270.
    pub baseline: f32,
    /// The em.
    pub size: f32,
    /// The direction of its line in degrees clockwise.
    pub turn: u16,
    /// Whether it is the first of its line, or follows a space.
    pub is_spaced: bool,
    /// Whether it is a superscript or a subscript.
    pub script: Script,
    /// Its line, numbered in reading order.
    pub line: u32,
    /// How far its line was moved to be level, as that of [`Word`].
    pub shift: [f32; 2],
}

impl PlacedWord {
    /// The word on a level line.
    pub(crate) fn on_level_line(&self) -> Self {
        let [x, y] = self.shift;
        Self { shift: [0.0; 2], ..self.clone().moved([x, y]) }
    }

    fn moved(self, [x, y]: [f32; 2]) -> Self {
        let baseline = self.baseline + if matches!(self.turn, 46..=135 | 226..=315) { x } else { y };
        Self { bounds: self.bounds.moved([x, y]), baseline, ..self }
    }
}

impl From<PageLayout> for PageWords {
    fn from(PageLayout { width, height, words, .. }: PageLayout) -> Self {
        Self { width, height, words: words.into_iter().map(PlacedWord::from).collect() }
    }
}

impl From<Word> for PlacedWord {
    fn from(Word { text, bounds, baseline, size, turn, is_spaced, script, line, shift, .. }: Word) -> Self {
        let [x, y] = shift;
        Self { text, bounds, baseline, size, turn, is_spaced, script, line, shift }.moved([-x, -y])
    }
}
