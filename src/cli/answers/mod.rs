//! Texts for people: what each command prints to standard output without `--json`.
//!
//! They are written from the results of the tools. On a terminal they have its width and colours; elsewhere each value
//! stands whole on its line, without colours.

pub(super) mod doctor;
pub(super) mod file;
pub(super) mod folder;
pub(super) mod info;
pub(super) mod outline;
pub(super) mod pages;
pub(super) mod quote;
pub(super) mod ranked;
pub(super) mod search;
pub(super) mod status;
pub(super) mod summary;
pub(super) mod updates;
pub(super) mod written;
