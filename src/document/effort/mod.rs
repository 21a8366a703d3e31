//! Limits the work and the memory of an engine for a page, by counting steps.
//!
//! A step is 50 nanoseconds of the engine's time or 6 bytes of its memory, whichever is more. [`price`] lists the costs.
//! The engine first interprets the page without painting: it calls a device for everything it draws, and the device takes
//! the steps ([`Steps::take`]). So damaged dictionaries and inherited names are counted as the engine sees them. When the
//! budget is spent, the device unwinds out of the engine, and `run_contained` turns that into an error.
//!
//! [`PageCost`] limits the work between these calls. It visits each object that the page refers to, and counts the length and
//! the operators of content, and the cost of building fonts, functions, colour spaces and meshes. Fetching an object costs
//! steps too ([`CountedFile`]), so that operators without effect are limited as well.

mod content_operators;
mod content_role;
mod data;
mod font_cost;
mod page_cost;
mod page_walk;
mod resource_cost;
mod steps;

pub use data::{ImageSize, take_image_steps};
pub use font_cost::take_loading_steps as take_font_steps;
pub use page_cost::{LoadedFonts, PageCost};
pub use steps::{CountedFile, Interruption, Steps};

/// Costs in steps.
pub mod price {
    /// Looking up and parsing an object.
    pub(crate) const FETCH: u64 = 15;
    /// An item of an array, which the engine reads twice.
    pub const ITEM: u64 = 8;
    /// A call of the device: an operator that draws, clips or opens a group.
    pub const CALL: u64 = 20;
    /// An image that is not painted.
    pub const IMAGE: u64 = 60;
    /// The start of a content stream: a form, a tile, a Type 3 glyph or the group of a mask.
    pub(crate) const CONTENT: u64 = 40;
    /// A segment of a path.
    pub const SEGMENT: u64 = 2;
    /// A placed glyph.
    pub const GLYPH: u64 = 24;
    /// An operator that only changes the graphics state.
    pub const OPERATOR: u64 = 4;
    /// The bytes that are parsed, decoded or hashed in one step.
    pub(crate) const BYTES_PER_STEP: u64 = 16;
    /// An annotation, drawn or not.
    pub(crate) const ANNOTATION: u64 = 300;
    /// A standard font that replaces a missing one.
    pub(crate) const STANDARD_FONT: u64 = 300;
    /// The bytes that are kept for one step.
    pub(crate) const HELD_BYTES_PER_STEP: u64 = 6;
    /// The width of one glyph of a range.
    pub(crate) const WIDTH: u64 = 8;
    /// A predefined CMap that another CMap uses.
    pub(crate) const NAMED_MAP: u64 = 100_000;
}

/// Converts a number into steps. Negative numbers and NaN become 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
pub fn to_steps(number: f64) -> u64 {
    number as u64
}

/// The length of a slice.
pub(crate) fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

/// The steps for reading `count` bytes once.
pub(crate) fn reading_steps(count: u64) -> u64 {
    count / price::BYTES_PER_STEP
}
