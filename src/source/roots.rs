//! Where files may be opened, and the opening.
//!
//! A path is not checked and then opened: whatever lay between could be exchanged by then. It is opened beneath the
//! descriptor of a root, and each step that would leave it is refused: by the kernel, or by cap-std on systems that are
//! no Unix.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::SourceError;
use super::beneath::{Folder, open_anywhere};
use super::file::OpenFile;
use super::reference::Reference;

/// The folders beneath which files may be opened.
#[derive(Debug)]
pub struct Roots {
    allowed: Allowed,
}

#[derive(Debug)]
enum Allowed {
    Everything,
    Beneath(Vec<Root>),
}

/// A folder held open, so that it stays the same one when its name is given to another.
#[derive(Debug)]
struct Root {
    /// Its path as configured.
    given: PathBuf,
    /// Its path without links.
    real: PathBuf,
    folder: Folder,
}

/// Why a path was not opened.
#[derive(Debug)]
pub(super) enum NotOpened {
    /// It lies or leads outside.
    Outside,
    /// A socket, or a device without a driver.
    NotAFile,
    /// What the system says.
    Failed(std::io::Error),
}

impl Roots {
    /// No bounds but the system's own: for a command line, whose user could open the file anyway.
    #[must_use]
    pub fn everything() -> Self {
        Self { allowed: Allowed::Everything }
    }

    /// Only what lies beneath these folders. Without any, nothing may be opened.
    ///
    /// # Errors
    /// As for opening a file, where a folder does not exist or is none ([`SourceError::NotFound`]).
    pub fn beneath<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self, SourceError> {
        let roots: Result<_, _> = folders.into_iter().map(|folder| Root::open(folder.as_ref())).collect();
        roots.map(|roots| Self { allowed: Allowed::Beneath(roots) })
    }

    /// The folders as configured; empty where everything is allowed.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        self.roots().iter().map(|root| root.given.clone()).collect()
    }

    /// Opens a file, once.
    ///
    /// Links that stay within a root are followed, absolute ones too.
    ///
    /// # Errors
    /// [`SourceError::NotAllowed`] for what lies or leads outside, whether it exists or not;
    /// [`SourceError::NotFound`], [`SourceError::PermissionDenied`], [`SourceError::IsDirectory`],
    /// [`SourceError::NotAFile`], [`SourceError::Io`].
    pub fn open(&self, reference: &Reference) -> Result<OpenFile, SourceError> {
        let path = reference.path();
        let opened = match &self.allowed {
            Allowed::Everything => open_anywhere(path),
            Allowed::Beneath(roots) => open_beneath_any(roots, path),
        };
        OpenFile::of(path, opened.map_err(|refused| self.refusal(path, refused))?)
    }

    fn refusal(&self, path: &Path, refused: NotOpened) -> SourceError {
        match refused {
            NotOpened::Outside => SourceError::NotAllowed { path: path.to_path_buf(), roots: self.folders() },
            NotOpened::NotAFile => SourceError::NotAFile { path: path.to_path_buf() },
            NotOpened::Failed(error) => SourceError::of(path, error),
        }
    }

    fn roots(&self) -> &[Root] {
        match &self.allowed {
            Allowed::Everything => &[],
            Allowed::Beneath(roots) => roots,
        }
    }
}

/// Opens `path` beneath one of the roots; [`NotOpened::Outside`] where it leaves them all.
fn open_beneath_any(roots: &[Root], path: &Path) -> Result<File, NotOpened> {
    for root in roots {
        let Some(rest) = root.rest_of(path) else { continue };
        match root.folder.open_beneath(rest) {
            Err(NotOpened::Outside) => {}
            decided => return decided,
        }
    }
    // Another spelling of a root, or an absolute link: it may lead inside all the same. What it leads to is opened
    // beneath its root like any other, so an exchange after this line gains nothing.
    let real = std::fs::canonicalize(path).map_err(|_| NotOpened::Outside)?;
    let inside = roots.iter().find_map(|root| Some((root, real.strip_prefix(&root.real).ok()?)));
    let (root, rest) = inside.ok_or(NotOpened::Outside)?;
    root.folder.open_beneath(rest)
}

impl Root {
    fn open(given: &Path) -> Result<Self, SourceError> {
        let real = std::fs::canonicalize(given).map_err(|error| SourceError::of(given, error))?;
        let folder = Folder::open(&real).map_err(|error| SourceError::of(given, error))?;
        Ok(Self { given: given.to_path_buf(), real, folder })
    }

    /// What follows the root in `path`, by whole components.
    fn rest_of<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.given).or_else(|_| path.strip_prefix(&self.real)).ok()
    }
}
