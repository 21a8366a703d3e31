//! How an area divides into rows and columns.

pub(crate) mod area;
pub(crate) mod centred;
pub(crate) mod columns;
pub(crate) mod compaction;
pub(crate) mod grid;
pub(crate) mod head;
mod head_groups;
pub(crate) mod likeness;
mod rivers;
pub(crate) mod rows;
mod spans;
