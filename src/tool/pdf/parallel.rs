//! Works on many pages at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::context::ProgressListener;
use pagewise_base::limits::watch_this_thread;
use pagewise_base::page::PageIndex;

/// Has threads take pages from a shared counter until none is left, each with a document that `open` gives it. A thread
/// without a document leaves its share to the others; so does one that cannot be started. Returns whether the work was
/// stopped early.
pub(super) fn for_each_page<D>(
    pages: &[PageIndex],
    progress: &dyn ProgressListener,
    open: impl Fn() -> Option<D> + Sync,
    work: impl Fn(&D, PageIndex) + Sync,
) -> bool {
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take_pages = || {
        let _watched = watch_this_thread();
        let Some(document) = open() else { return };
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            if progress.is_stopped() {
                is_stopped.store(true, Ordering::Relaxed);
                return;
            }
            work(&document, *page);
            progress.page_done();
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(pages.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if std::thread::Builder::new().spawn_scoped(scope, take_pages).is_err() {
                break;
            }
        }
        take_pages();
    });
    is_stopped.into_inner()
}
