//! The commands, one file each but for those that read one PDF and record nothing, in `pdf`.

pub(super) mod ask;
pub(super) mod context;
pub(super) mod cut;
pub(super) mod doctor;
pub(super) mod fetch;
pub(super) mod generate;
pub(super) mod get_file;
pub(super) mod index;
pub(super) mod inspect;
pub(super) mod pdf;
pub(super) mod push;
pub(super) mod serve;
pub(super) mod settings;
