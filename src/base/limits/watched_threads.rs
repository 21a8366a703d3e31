//! The threads that read, so that a watchdog notices when one is gone without having returned.
//!
//! A failed allocation or a stack overflow aborts the process. Where the sandbox of `page` and `split` refuses the abort,
//! the thread alone ends, and no destructor runs: it stays on this list.

use std::sync::atomic::{AtomicI32, Ordering};

/// Threads on the list; further ones are not watched. 256: more than a processor has threads.
const PLACES: usize = 256;

/// The system's thread numbers; 0 is a free place. No lock: a thread that ends could hold it for ever.
static THREADS: [AtomicI32; PLACES] = [const { AtomicI32::new(0) }; PLACES];

/// Keeps this thread on the list until it is dropped.
#[must_use]
pub struct WatchedThread {
    place: Option<&'static AtomicI32>,
}

/// Puts this thread on the list.
pub fn watch_this_thread() -> WatchedThread {
    let thread = this_thread();
    let take = |place: &&AtomicI32| place.compare_exchange(0, thread, Ordering::SeqCst, Ordering::Relaxed).is_ok();
    WatchedThread { place: if thread == 0 { None } else { THREADS.iter().find(take) } }
}

impl Drop for WatchedThread {
    fn drop(&mut self) {
        self.place.iter().for_each(|place| place.store(0, Ordering::SeqCst));
    }
}

/// Whether `is_gone` holds for a thread on the list.
pub fn has_lost_thread(is_gone: impl Fn(i32) -> bool) -> bool {
    let is_lost = |place: &AtomicI32| {
        let thread = place.load(Ordering::SeqCst);
        // Read twice: a thread that returns leaves the list before it ends.
        thread != 0 && is_gone(thread) && place.load(Ordering::SeqCst) == thread
    };
    THREADS.iter().any(is_lost)
}

#[cfg(all(target_os = "linux", not(pagewise_portable)))]
fn this_thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// On other systems the whole process ends.
#[cfg(not(all(target_os = "linux", not(pagewise_portable))))]
fn this_thread() -> i32 {
    0
}

#[cfg(test)]
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_lost_only_while_it_is_at_work() {
        let me = this_thread();
        assert!(!has_lost_thread(|thread| thread == me));
        let guard = watch_this_thread();
        assert!(has_lost_thread(|thread| thread == me));
        assert!(!has_lost_thread(|_| false));
        drop(guard);
        assert!(!has_lost_thread(|thread| thread == me));
    }
}
