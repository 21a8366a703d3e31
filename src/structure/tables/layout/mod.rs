//! What a page shows, made ready for reading tables: lines of chunks, long edges, upright pages.

pub(crate) mod cell_text;
pub(crate) mod edges;
pub(crate) mod figures;
pub(crate) mod lines;
pub(crate) mod signs;
pub(crate) mod table_text;
pub(crate) mod turned;
