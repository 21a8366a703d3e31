//! The layout of a page: lines, blocks, and their reading order.

mod accents;
mod attach_scripts;
mod bidi;
mod column_sides;
mod columns;
pub(crate) mod hyphens;
mod initials;
mod join_lines;
mod lines;
mod plain_text;
mod reading_order;
mod recognised_lines;
mod rows;
mod scripts;
mod tilt;
mod vertical_stacks;
mod word_gaps;
mod words;

pub(crate) use attach_scripts::attach_scripts;
pub use columns::{ColumnPart, SMALLER, columns_of};
pub(crate) use hyphens::join_words;
pub use hyphens::{HYPHENS, Vocabulary, divides};
pub(crate) use initials::attach_initials;
pub(crate) use join_lines::join_lines;
pub(crate) use lines::{TextLine, group_into_lines};
pub(crate) use plain_text::write_blocks;
pub(crate) use reading_order::{TextBlock, order_blocks};
pub(crate) use recognised_lines::{median, settle};
pub use rows::{
    COLUMN_GAP_EM, HasPlace, SAME_LINE_EM, WordPlace, are_apart, are_boxes_overprinted, are_level, parts, rows_of,
    strands,
};
pub(crate) use scripts::is_script_of;
pub use scripts::{SCRIPT_GAP_EM, Script, push_run};
pub use tilt::MAX_TILT;
pub(crate) use tilt::level;
pub(crate) use vertical_stacks::merge_stacks;
pub(crate) use words::words_of;
