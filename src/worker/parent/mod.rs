//! The parent's side: the pool of worker processes, and documents that they read.

mod pool;
mod process;
mod session;

pub use session::WorkerReader;
