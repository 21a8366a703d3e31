//! What an engine does for a page, counted in steps before it is too much.
//!
//! One unit for all: a step is 50 nanoseconds of the engine's time or 6 bytes of its memory, whichever is more;
//! [`price`] says what each thing costs. The engine itself counts: whatever it draws comes to a device as a call, and a
//! device of ours takes the price of it ([`Steps::take`]) before the engine that paints sees anything. So nothing has to be
//! guessed of what a dictionary of the wrong type or a name that is inherited leads to. Past the budget the device leaves the
//! engine by unwinding, and `run_contained` turns that into an error.
//!
//! What makes no call is bounded by [`Reach`], which looks once at each object that the page leads to, by the key that it
//! hangs on: how long content is and which operators it has, what fonts, functions, colour spaces and meshes come to
//! when they are built. Fetching an object costs steps too ([`CountedFile`]), so that operators that lead to nothing end.

mod build;
mod content;
mod data;
mod fonts;
mod reach;
mod role;
mod steps;

pub(crate) use data::{Extent, image_steps};
pub(crate) use fonts::LoadedFonts;
pub(crate) use reach::Reach;
pub(crate) use steps::{CountedFile, Interruption, Steps};

/// What things cost, in steps.
pub(crate) mod price {
    /// An object that is looked up in the file and parsed.
    pub(crate) const FETCH: u64 = 15;
    /// An item of an array, which the engine reads once more.
    pub(crate) const ITEM: u64 = 4;
    /// A call of the device: an operator that draws, clips or opens a group.
    pub(crate) const CALL: u64 = 20;
    /// An image, where it is not painted.
    pub(crate) const IMAGE: u64 = 60;
    /// Content that is begun: a form, a tile, a glyph that is content, the group of a mask.
    pub(crate) const CONTENT: u64 = 40;
    /// A segment of a path.
    pub(crate) const SEGMENT: u64 = 2;
    /// A glyph that is placed.
    pub(crate) const GLYPH: u64 = 24;
    /// An operator that only changes the state.
    pub(crate) const OPERATOR: u64 = 4;
    /// Bytes that are parsed, decoded or hashed for one step.
    pub(crate) const BYTES_A_STEP: u64 = 16;
    /// An annotation, whether it is drawn or not.
    pub(crate) const ANNOTATION: u64 = 300;
    /// A standard font that is made because content names none that there is.
    pub(crate) const STANDARD_FONT: u64 = 300;
    /// Bytes that are kept for one step.
    pub(crate) const HELD_BYTES_A_STEP: u64 = 6;
    /// A width of a glyph that is written out for a range.
    pub(crate) const WIDTH: u64 = 8;
    /// A predefined character map that another names and that is read for it.
    pub(crate) const NAMED_MAP: u64 = 100_000;
}

/// A number of things as steps; what is negative or no number is none.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// The length of a slice.
pub(crate) fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

/// Steps for so many bytes that are looked at once.
pub(crate) fn bytes(count: u64) -> u64 {
    count / price::BYTES_A_STEP
}
