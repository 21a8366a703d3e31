//! Sorts what a page draws besides text into rules, filled areas, images and other drawings.

mod outline;
mod shape_collector;

pub(crate) use outline::outlines;
pub(crate) use shape_collector::{ShapeCollector, Shapes, color_of};
