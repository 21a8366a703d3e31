//! Locks for shared state. In unit tests they come from shuttle, which explores schedules.

#[cfg(test)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
#[cfg(not(test))]
pub(crate) use std::sync::{Mutex, MutexGuard};
