//! A segment that cannot be read or written.

use std::io;

/// A segment cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// The bytes are not as they were written.
    #[error("the index is damaged")]
    Damaged,
    /// The segment is of another version of this program.
    #[error("the index is of version {version}")]
    Version {
        /// The version that it names.
        version: u32,
    },
    /// It would have more bytes than its offsets can name.
    #[error("a part of the index would be too large")]
    TooLarge,
    /// An error of the file.
    #[error(transparent)]
    Io(#[from] io::Error),
}
