//! The default password for encrypted PDFs.

use std::fmt;
use std::sync::Arc;

use crate::worker::{Pages, PdfError, PictureFault, ReadablePage, Reader, ReaderMemory};
use pagewise_base::limits::Cancellation;
use pagewise_document::ReadAt;

/// A password. Its debug output is masked.
#[derive(Clone, PartialEq, Eq)]
pub struct PdfPassword(String);

impl PdfPassword {
    /// Takes a password.
    #[must_use]
    pub fn new(password: String) -> Self {
        Self(password)
    }
}

impl fmt::Debug for PdfPassword {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

/// A reader that tries a default password if a call gives none and the document needs one.
pub(crate) struct FallbackPasswordReader {
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) password: PdfPassword,
}

impl Reader for FallbackPasswordReader {
    fn memory(&self) -> ReaderMemory {
        self.reader.memory()
    }

    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        let opened = self.reader.open(Arc::clone(&file), password, cancellation);
        // Try without a password first: most documents need none.
        match opened {
            Err(PdfError::Encrypted { .. }) if password.is_none() => {
                self.reader.open(file, Some(&self.password.0), cancellation)
            }
            opened => opened,
        }
    }

    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        self.reader.readable(file, content_type, base, cancellation)
    }

    fn picture_fault(&self, file: &dyn ReadAt, cancellation: &Cancellation) -> Result<Option<PictureFault>, PdfError> {
        self.reader.picture_fault(file, cancellation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        assert_eq!(format!("{:?}", PdfPassword::new("hush".into())), "***");
    }
}
