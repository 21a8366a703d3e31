//! Which threads read: so that whoever watches over the process sees when one of them is gone without a word.
//!
//! A thread that asks for memory that cannot be had, or overflows its stack, aborts the process; where that is refused
//! (see the sandbox of `page` and `split`) the thread is ended alone, and nothing of it runs any more, no destructor
//! either. That it stays on this list tells it from one that has come to its end.

use std::sync::atomic::{AtomicI32, Ordering};

/// Threads on the list. One that finds no place is not watched. 256: more than a processor has threads.
const PLACES: usize = 256;

/// The system's numbers of threads; 0 is a free place. No lock, which a thread that ends could hold for ever.
static THREADS: [AtomicI32; PLACES] = [const { AtomicI32::new(0) }; PLACES];

/// Keeps this thread on the list.
#[must_use]
pub(crate) struct AtWork {
    place: Option<&'static AtomicI32>,
}

/// Puts this thread on the list, until the result is dropped.
pub(crate) fn at_work() -> AtWork {
    let thread = this_thread();
    let is_taken = |place: &&AtomicI32| place.compare_exchange(0, thread, Ordering::SeqCst, Ordering::Relaxed).is_ok();
    AtWork { place: if thread == 0 { None } else { THREADS.iter().find(is_taken) } }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.place.iter().for_each(|place| place.store(0, Ordering::SeqCst));
    }
}

/// Whether a thread is on the list that `is_gone`.
pub(crate) fn is_one_lost(is_gone: impl Fn(i32) -> bool) -> bool {
    let is_lost = |place: &AtomicI32| {
        let thread = place.load(Ordering::SeqCst);
        // One that ends leaves the list first, so that one that is gone and still on it never got there.
        thread != 0 && is_gone(thread) && place.load(Ordering::SeqCst) == thread
    };
    THREADS.iter().any(is_lost)
}

#[cfg(all(target_os = "linux", not(pagewise_portable)))]
fn this_thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Elsewhere no thread ends alone.
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
        assert!(!is_one_lost(|thread| thread == me));
        let guard = at_work();
        assert!(is_one_lost(|thread| thread == me));
        assert!(!is_one_lost(|_| false));
        drop(guard);
        assert!(!is_one_lost(|thread| thread == me));
    }
}
