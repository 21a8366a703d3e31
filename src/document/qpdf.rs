//! The fourth reader: libqpdf repairs or decrypts the whole file once, and the direct reader reads the result.
//!
//! The result is kept while the document is open, and nowhere else. Of 2,240 real files 17 come to this reader, the largest
//! of 378 kB, and a page of one costs a process of its own 8 to 14 ms in all. A cache between processes would save a few
//! of them, and would keep in a folder what the 8 among them that are encrypted say in plain; a confined worker could not
//! write to it.

use super::bytes::FileBytes;
use super::direct::DirectReader;
use super::error::DocumentError;
use crate::limits::Limits;
use qpdf::{ObjectStreamMode, QPdf, QPdfError, QPdfErrorCode, StreamDataMode, StreamDecodeLevel};
use std::sync::Arc;

/// Repairs and decrypts the file, and opens what comes out.
///
/// # Errors
/// [`DocumentError::Encrypted`] where libqpdf asks for another password, [`DocumentError::Damaged`] where it finds no
/// document or where even its output is refused by the direct reader.
pub(crate) fn open(file: &FileBytes, password: Option<&str>, limits: &Limits) -> Result<DirectReader, DocumentError> {
    let repaired = decrypted(file, password)?;
    DirectReader::open(Arc::new(FileBytes::new(Arc::new(repaired))?), limits)
}

/// The whole file, repaired and decrypted.
///
/// # Errors
/// As [`open`].
pub(crate) fn decrypted(file: &FileBytes, password: Option<&str>) -> Result<Vec<u8>, DocumentError> {
    repaired(&file.whole()?, password).map_err(|error| document_error(&error, password.is_some()))
}

/// The file without damage, encryption and object streams; stream data stays as it is stored.
///
/// The handle lives in this function alone: it is neither `Send` nor `Sync`.
fn repaired(bytes: &[u8], password: Option<&str>) -> Result<Vec<u8>, QPdfError> {
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
