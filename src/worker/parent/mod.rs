//! The parent's side: the pool of worker processes, and documents that they read.
//!
//! A request for a document goes to the worker that has it open, and one that was answered before goes to none. Both need
//! the same bytes and the same password: the parent opens the file for each request, so its permissions are checked each
//! time, and takes the identity of its content, or of its metadata if these did not change just now. A document of which a
//! reader noted damage is closed after its request.

mod deadline_reader;
mod engine_offer;
#[cfg(test)]
mod lies;
mod pool;
mod process;
mod reader;
mod reply_cache;
mod session;
mod spawn;
mod supervision;
mod supplies;

pub use reader::WorkerReader;
