//! The replacement for workers on systems without them: documents are read in this process, within limits and deadline.
//! A reader that hangs in a library, crashes or exhausts memory takes the process down.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine::OcrEngine;
use super::error::WorkerError;
use super::fonts::{FontFiles, LocalFonts};
use super::in_process::InProcessReader;
use super::pages::{Pages, PdfError, PictureFault, ReadablePage, Reader, ReaderMemory};
use super::sandbox::SandboxLayers;
use super::settings::WorkerSettings;
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_document::ReadAt;

/// Reads PDFs in this process, and refuses to if the sandbox is required.
#[derive(Clone)]
pub struct WorkerReader {
    reader: InProcessReader,
    models: Option<PathBuf>,
    require_sandbox: bool,
}

impl WorkerReader {
    /// A reader with these limits. `fonts` provides fonts that are not embedded.
    #[must_use]
    pub fn new(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        let reader = InProcessReader::with_models(limits, Arc::new(LocalFonts::new(fonts)), settings.models.as_deref());
        Self { reader, models: settings.models, require_sandbox: settings.require_sandbox }
    }

    /// The same: there is nothing to start.
    #[must_use]
    pub fn start(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        Self::new(settings, limits, fonts)
    }

    /// Loads the models of the settings, in this process. Returns why they cannot be used; `None` if they can.
    #[must_use]
    pub fn engine_problem(&self) -> Option<String> {
        self.models.as_deref().and_then(OcrEngine::problem_of)
    }

    /// The sandbox layers: none.
    ///
    /// # Errors
    /// [`WorkerError::Unsandboxed`] if the sandbox is required.
    pub fn layers(&self) -> Result<SandboxLayers, WorkerError> {
        let layers = SandboxLayers::default();
        match layers.missing().filter(|_| self.require_sandbox) {
            Some(missing) => Err(WorkerError::Unsandboxed { missing }),
            None => Ok(layers),
        }
    }
}

impl Reader for WorkerReader {
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        self.layers()?;
        self.reader.open(file, password, cancellation)
    }

    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        self.layers()?;
        self.reader.readable(file, content_type, base, cancellation)
    }

    fn picture_fault(&self, file: &dyn ReadAt, cancellation: &Cancellation) -> Result<Option<PictureFault>, PdfError> {
        self.layers()?;
        self.reader.picture_fault(file, cancellation)
    }

    fn memory(&self) -> ReaderMemory {
        self.reader.memory()
    }
}

/// Fails: no program is confined on this system.
#[must_use]
pub fn become_tesseract(_: u64, _: &Path, _: &[OsString]) -> io::Error {
    io::ErrorKind::Unsupported.into()
}

/// Fails: there are no workers on this system.
///
/// # Errors
/// Always.
pub fn run_worker(_: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
