//! Workers that start when the first document is opened.

use std::sync::{Arc, OnceLock};

use super::WorkerReader;
use super::fonts::FontFiles;
use super::pages::{Pages, PdfError, ReadablePage, Reader, ReaderMemory};
use super::settings::WorkerSettings;
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_document::ReadAt;

/// A [`WorkerReader`] that starts when it is first needed.
pub struct DelayedReader {
    settings: WorkerSettings,
    limits: Limits,
    fonts: Arc<dyn FontFiles>,
    reader: OnceLock<WorkerReader>,
}

impl DelayedReader {
    /// As [`WorkerReader::start`], later.
    #[must_use]
    pub fn new(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        Self { settings, limits, fonts, reader: OnceLock::new() }
    }

    fn reader(&self) -> &WorkerReader {
        let start = || WorkerReader::start(self.settings.clone(), self.limits.clone(), Arc::clone(&self.fonts));
        self.reader.get_or_init(start)
    }
}

impl Reader for DelayedReader {
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        self.reader().open(file, password, cancellation)
    }

    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        self.reader().readable(file, content_type, base, cancellation)
    }

    fn memory(&self) -> ReaderMemory {
        self.reader.get().map(Reader::memory).unwrap_or_default()
    }
}
