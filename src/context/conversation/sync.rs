//! Locks of what tasks share. In this crate's own tests they are a scheduler's, which tries the orders of tasks.

#[cfg(test)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
#[cfg(not(test))]
pub(crate) use std::sync::{Mutex, MutexGuard};
