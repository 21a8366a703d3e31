//! An index that cannot be read or written.

use std::io;

use rusqlite::ErrorCode;

/// An index cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The bytes are not as they were written.
    #[error("it is damaged")]
    Damaged,
    /// The index is of another version of this program.
    #[error("it is of another version")]
    Version,
    /// A page has more text than can be stored.
    #[error("a part of the index would be too large")]
    TooLarge,
    #[error(transparent)]
    Database(rusqlite::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<rusqlite::Error> for IndexError {
    /// Only the file system and other processes can make a sound database fail.
    fn from(error: rusqlite::Error) -> Self {
        let is_passing = error.sqlite_error_code().is_some_and(|code| {
            matches!(
                code,
                ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
                    | ErrorCode::DiskFull
                    | ErrorCode::ReadOnly
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::CannotOpen
                    | ErrorCode::PermissionDenied
                    | ErrorCode::OutOfMemory
            )
        });
        if is_passing { Self::Database(error) } else { Self::Damaged }
    }
}
