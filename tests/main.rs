//! The promises of the crate, one module each, in one binary.

mod support;

// Reading files: what opens, what is damaged, what means harm, and what bounds it.
mod damaged_files;
mod documents;
mod hostile;
mod incremental_updates;
mod limits;
mod mutants;
mod page_time;
mod selection;

// Pages as PDFs.
mod chunk_streams;
mod closure;
mod fingerprints;
mod join;
mod split;

// What pages say and show.
mod annotations;
mod characters;
mod clean_text;
mod hidden_text;
mod images;
mod last_resort_text;
mod layouts;
mod many_pictures;
mod mixed_forms;
mod ocr;
mod page_text;
mod pictures;
mod structured_text;
mod tagged;

// Workers.
mod cancellation;
#[cfg(debug_assertions)]
mod worker;
mod worker_cache;

// What conversations hold, and where that is kept.
mod cluster;
mod context;
mod context_faults;
mod context_machine;
mod delivery;
mod interleavings;
#[cfg(feature = "postgres")]
mod postgres;
mod sessions;
mod store;
mod store_promises;
mod versions;
mod view;

// Files of clients, the web, and search over many documents.
mod addresses;
mod fetch;
mod file_lookup;
mod library;
#[cfg(feature = "office")]
mod office;
mod ranges;
mod source;
mod uploads;
mod web;
mod web_pages;

// What clients see.
mod answer_cost;
mod ask;
mod contracts;
mod get_file;
mod held;
mod large_answers;
mod result_size;
mod search;
mod tools;

// The doors: the library, the command line, and servers.
mod cli;
mod embed;
mod http;
mod http_hostile;
mod inspect;
mod mcp;
mod terminal;
mod tokens;

// The program as a whole.
mod architecture;
mod documented;
mod measures;
mod message_names;
mod packaging;
mod setting_effects;
mod settings;
