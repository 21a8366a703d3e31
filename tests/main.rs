//! The promises of the crate, one module each, in one binary.

mod addresses;
mod architecture;
mod ask;
mod bounds;
mod cancellation;
mod cli;
mod closure;
mod context;
mod context_faults;
mod context_machine;
mod contracts;
mod fetch;
mod get_file;
mod hostile;
mod http;
mod http_hostile;
mod interleavings;
mod join;
mod large;
mod lies;
mod limits;
mod mcp;
mod mutants;
mod packaging;
mod pages;
mod pictures;
#[cfg(feature = "postgres")]
mod postgres;
mod reading;
mod result_size;
mod selection;
mod settings;
mod source;
mod split;
mod store;
mod store_promises;
mod streams;
mod support;
mod text;
mod tools;
mod view;
mod web;
#[cfg(debug_assertions)]
mod worker;
