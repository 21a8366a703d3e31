//! Files on disk: the only room that opens them.
//!
//! A URL is fetched by the room `web`, and what it keeps is opened here like any file.
//!
//! A [`Reference`] is what a client typed, made absolute. [`Roots`] says where files may be opened, and opens one
//! once, beneath a root by descriptor, so that nothing can be exchanged between the check and the use. What comes
//! out is an [`OpenFile`]: every later question (size, hash, bytes) goes to that one descriptor, never to the path.

#[cfg(all(unix, not(pagewise_portable)))]
mod beneath;
#[cfg(any(not(unix), pagewise_portable))]
#[path = "beneath_portable.rs"]
mod beneath;
mod file;
mod fonts;
mod hashes;
mod kind;
mod positioned;
mod reference;
mod remote;
mod roots;

use std::path::PathBuf;

use crate::web::WebError;

pub use file::{OpenFile, Stat};
pub use fonts::system_font;
pub use hashes::{HashCache, HashStore};
pub use kind::{HEAD_BYTES, ImageFormat, Kind, TextEncoding, detect_kind};
pub use reference::Reference;
pub use remote::{Kept, is_url, kept_reference, open_kept, open_url};
pub use roots::Roots;

/// Why a file could not be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Nothing has this name.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// The path asked for.
        path: PathBuf,
    },
    /// The system does not let this process read it.
    #[error("not readable: {}", path.display())]
    PermissionDenied {
        /// The path asked for.
        path: PathBuf,
    },
    /// It lies outside the roots, or a link on the way leads out of them.
    #[error("outside the allowed folders: {}", path.display())]
    NotAllowed {
        /// The path asked for.
        path: PathBuf,
        /// Where files may be opened.
        roots: Vec<PathBuf>,
    },
    /// The reference has another form than those of [`Reference::ACCEPTED`].
    #[error("not a reference to a file: {reference} (accepted: {})", Reference::ACCEPTED)]
    UnsupportedReference {
        /// The reference as given.
        reference: String,
    },
    /// It is a folder.
    #[error("a folder: {}", path.display())]
    IsDirectory {
        /// The path asked for.
        path: PathBuf,
    },
    /// It is a pipe, a device, a socket, or made up by the kernel as it is read.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The path asked for.
        path: PathBuf,
    },
    /// It has more bytes than a setting allows.
    #[error("{size} bytes, and {setting} is {limit}: {}", path.display())]
    TooLarge {
        /// The path asked for.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The bound in bytes.
        limit: u64,
        /// The setting's name.
        setting: &'static str,
    },
    /// The bytes did not stay the same while they were read.
    #[error("changed while it was read: {}", path.display())]
    Changed {
        /// The path asked for.
        path: PathBuf,
    },
    /// It is of the web, and could not be fetched.
    #[error(transparent)]
    Web(#[from] WebError),
    /// Any other failure of the system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl SourceError {
    /// The error for `path` that the system's own says.
    fn of(path: &std::path::Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            // A file in the middle of the path: nothing of the whole name exists.
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Self::NotFound { path },
            std::io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            std::io::ErrorKind::IsADirectory => Self::IsDirectory { path },
            _ => Self::Io { path, source },
        }
    }
}
