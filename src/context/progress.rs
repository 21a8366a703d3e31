//! Who is told how far long work is.

/// What watches, and may stop, work on pages.
pub trait ProgressListener: Sync {
    /// Called once, with the number of pages to be done.
    fn starts(&self, pages: u64);
    /// Called after each page.
    fn page_done(&self);
    /// Whether to stop; files being written are then finished or never appear.
    fn is_stopped(&self) -> bool;
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl ProgressListener for NoProgress {
    fn starts(&self, _: u64) {}

    fn page_done(&self) {}

    fn is_stopped(&self) -> bool {
        false
    }
}
