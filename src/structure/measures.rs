//! Measures of type that hold wherever a page is read. What holds for one rule alone stands beside that rule.

use std::ops::Range;

pub(crate) use pagewise_text::{SAME_LINE_EM, SMALLER};

/// The width of a word space, in ems.
pub(crate) const WORD_SPACE_EM: f32 = 0.3;
/// Values that begin at one edge differ by less, in ems, and the ends of justified lines.
pub(crate) const FLUSH_EM: f32 = 0.1;
pub(crate) const JUSTIFIED_EM: f32 = 0.15;
/// Left edges that differ by less, in ems, are the same: paragraphs and items begin there.
pub(crate) const SAME_EDGE_EM: f32 = 0.6;
/// The next line of a text is so far below, in ems, from baseline to baseline.
pub(crate) const NEXT_LINE_EM: Range<f32> = 0.6..1.6;
/// Sizes that differ by a smaller share are the same.
pub(crate) const SAME_SIZE: f32 = 0.1;
/// Notes and captions are smaller than the body by this factor.
pub(crate) const SET_SMALLER: f32 = 0.97;
/// Headings and titles are larger than the body by this factor.
pub(crate) const LARGER: f32 = 1.1;
/// Indices and exponents are smaller than what they belong to by this factor at least.
pub(crate) const SCRIPT_SIZE: f32 = 0.87;
/// What covers more than this share of a page is its background, or a frame round it.
pub(crate) const BACKGROUND: f32 = 0.5;
/// The height of the top margin, and of the bottom margin, as a share of the height of the page. Running heads and feet stand
/// there.
pub(crate) const MARGIN: f32 = 0.14;
