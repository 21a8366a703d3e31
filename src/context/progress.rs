//! Progress reports of long work.

/// Receives progress, and may stop the work.
pub trait ProgressListener: Sync {
    /// Called once, with the number of pages to be done.
    fn starts(&self, pages: u64);
    /// Called instead if whole documents are counted.
    fn starts_documents(&self, documents: u64) {
        self.starts(documents);
    }
    /// Called after each page or document.
    fn page_done(&self);
    /// Whether to stop. A file being written is still completed or not created at all.
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
