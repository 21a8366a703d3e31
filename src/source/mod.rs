//! Opens files. No other room opens the files of a client.
//!
//! A [`Reference`] is the client's text as an absolute path. [`Roots`] limits where files may be opened and opens each
//! once, relative to a root's descriptor, so that the file cannot be replaced between the check and the use. Later reads
//! use the [`OpenFile`], never the path.
//!
//! The room `web` fetches URLs into files, which are opened here too, or reads large documents where they are.

mod anonymous_file;
mod container;
mod file;
mod file_kind;
mod folder_entry;
mod hash_cache;
mod pattern;
mod positioned_file;
mod reference;
mod remote;
#[cfg(all(unix, not(pagewise_portable)))]
mod root_folder;
#[cfg(any(not(unix), pagewise_portable))]
#[path = "root_folder_portable.rs"]
mod root_folder;
mod roots;
mod system_fonts;
mod walk;

use std::path::PathBuf;

use pagewise_web::WebError;

pub use file::{OpenFile, Stat};
pub use file_kind::{FileKind, HEAD_BYTES, ImageFormat, UNKNOWN_TYPE, detect_kind};
pub use hash_cache::HashCache;
pub use pattern::PathPattern;
pub(crate) use reference::percent_decode;
pub use reference::{Reference, linked_page};
pub use remote::{
    StoredFetch, is_upload, is_url, open_document, open_stored_fetch, open_upload, open_url, parse_fetch_reference,
};
pub use roots::Roots;
pub use system_fonts::system_font;
pub use walk::{FolderWalk, MAX_WALKED_NAMES, WalkScope, WalkedFile};

/// A file cannot be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The path does not exist.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// The path asked for.
        path: PathBuf,
    },
    /// This process may not read the file.
    #[error("not readable: {}", path.display())]
    PermissionDenied {
        /// The path asked for.
        path: PathBuf,
    },
    /// The path or a link in it leads out of the roots.
    #[error("outside the allowed folders: {}", path.display())]
    NotAllowed {
        /// The path asked for.
        path: PathBuf,
        /// The folders in which files may be opened.
        roots: Vec<PathBuf>,
    },
    /// The reference has none of the forms in [`Reference::ACCEPTED`].
    #[error("not a reference to a file: {reference} (accepted: {})", Reference::ACCEPTED)]
    UnsupportedReference {
        /// The reference as given.
        reference: String,
    },
    /// The path is a folder.
    #[error("a folder: {}", path.display())]
    IsDirectory {
        /// The path asked for.
        path: PathBuf,
    },
    /// The path is a pipe, a device, a socket, or a file that the kernel generates.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The path asked for.
        path: PathBuf,
    },
    /// The file has more bytes than a setting allows.
    #[error("{size} bytes, and {setting} is {limit}: {}", path.display())]
    TooLarge {
        /// The path asked for.
        path: PathBuf,
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
        /// The setting's name.
        setting: &'static str,
    },
    /// The file changed while it was read.
    #[error("changed while it was read: {}", path.display())]
    Changed {
        /// The path asked for.
        path: PathBuf,
    },
    /// The URL cannot be fetched.
    #[error(transparent)]
    Web(#[from] WebError),
    /// Another error of the operating system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path asked for.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

impl SourceError {
    /// Converts an error of the operating system for `path`.
    fn from_io(path: &std::path::Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            // A file in the middle of the path means that the path does not exist.
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Self::NotFound { path },
            std::io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            std::io::ErrorKind::IsADirectory => Self::IsDirectory { path },
            _ => Self::Io { path, source },
        }
    }
}
