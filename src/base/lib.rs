//! The vocabulary of all packages: pages, hashes, limits, and what providers of models accept.

pub mod arrival;
pub mod clean;
pub mod figure_names;
pub mod hash;
pub mod limits;
pub mod page;
pub mod parts;
pub mod provider;
pub mod script;
pub mod share;
