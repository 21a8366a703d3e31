//! Where tables are: drawn grids, stacked edges, aligned text.

pub(crate) mod alignment;
mod components;
mod drawn_grid;
pub(crate) mod lattice;
mod listings;
mod prose;
mod row_splits;
pub(crate) mod stacks;
