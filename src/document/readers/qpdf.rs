//! The fourth reader: libqpdf repairs or decrypts the whole file, and the direct reader reads the result.
//!
//! The result is kept only while the document is open. Few files need this reader, and a cache on disk would store
//! decrypted documents in plain.

use super::direct::DirectReader;
use crate::bytes::FileBytes;
use crate::error::DocumentError;
use pagewise_base::limits::Limits;
use qpdf::{ObjectStreamMode, QPdf, QPdfError, QPdfErrorCode, StreamDataMode, StreamDecodeLevel};
use std::sync::Arc;

/// Repairs and decrypts the file, and opens the result.
///
/// # Errors
/// [`DocumentError::Encrypted`] if the password is missing or wrong, [`DocumentError::Damaged`] if libqpdf finds no
/// document, or the direct reader refuses its output.
pub(crate) fn open(file: &FileBytes, password: Option<&str>, limits: &Limits) -> Result<DirectReader, DocumentError> {
    let repaired = decrypt(file, password)?;
    DirectReader::open(Arc::new(FileBytes::new(Arc::new(repaired))?), limits)
}

/// The whole file, repaired and decrypted.
///
/// # Errors
/// As [`open`].
pub(crate) fn decrypt(file: &FileBytes, password: Option<&str>) -> Result<Vec<u8>, DocumentError> {
    repair(&file.whole()?, password).map_err(|error| document_error(&error, password.is_some()))
}

/// The file without damage, encryption and object streams. Stream data stays encoded.
///
/// The libqpdf handle must not leave this function: it is neither `Send` nor `Sync`.
fn repair(bytes: &[u8], password: Option<&str>) -> Result<Vec<u8>, QPdfError> {
    let document = match password {
        Some(password) => QPdf::read_from_memory_encrypted(bytes, password)?,
        None => QPdf::read_from_memory(bytes)?,
    };
    let mut writer = document.writer();
    writer
        .preserve_encryption(false)
        .object_stream_mode(ObjectStreamMode::Disable)
        .stream_data_mode(StreamDataMode::Preserve)
        .stream_decode_level(StreamDecodeLevel::None)
        .compress_streams(false)
        .static_id(true);
    writer.write_to_memory()
}

fn document_error(error: &QPdfError, password_given: bool) -> DocumentError {
    match error.error_code() {
        QPdfErrorCode::InvalidPassword => DocumentError::Encrypted { password_given },
        QPdfErrorCode::Unsupported => DocumentError::UnsupportedEncryption,
        _ => DocumentError::damaged("no document that can be repaired"),
    }
}
