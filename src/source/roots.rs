//! Limits where files may be opened, and opens them.
//!
//! A path that is checked first and opened later could change in between. Instead it is opened relative to the descriptor
//! of a root, and the kernel refuses each step that would leave the root. On systems that are not Unix, cap-std does so.

use std::path::{Component, Path, PathBuf};

use super::SourceError;
use super::file::{OpenFile, Stat};
use super::folder_entry::{FolderEntry, Listing};
use super::reference::Reference;
use super::root_folder::{RootFolder, list_anywhere, open_anywhere};
use super::walk::MAX_WALKED_NAMES;
use pagewise_base::clean::folded_name;

/// The folders in which files may be opened.
#[derive(Debug)]
pub struct Roots {
    allowed: AllowedRoots,
}

#[derive(Debug)]
enum AllowedRoots {
    Everything,
    Beneath(Vec<Root>),
}

/// One of the allowed folders.
#[derive(Debug)]
struct Root {
    /// The path as configured.
    given: PathBuf,
    /// The path with all links resolved.
    real: PathBuf,
    folder: RootFolder,
}

/// A path cannot be opened.
#[derive(Debug)]
pub(super) enum OpenError {
    /// The path leads out of the folder.
    Outside,
    /// The path is a socket, or a device without a driver.
    NotAFile,
    /// The operating system reports an error.
    Failed(std::io::Error),
}

impl Roots {
    /// Allows every file, for a command line whose user could open it anyway.
    #[must_use]
    pub fn everything() -> Self {
        Self { allowed: AllowedRoots::Everything }
    }

    /// Allows only the files in these folders. An empty list allows none.
    ///
    /// # Errors
    /// [`SourceError::NotFound`] if a folder does not exist or is a file, and the other errors of opening.
    pub fn beneath<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self, SourceError> {
        let roots: Result<_, _> = folders.into_iter().map(|folder| Root::open(folder.as_ref())).collect();
        roots.map(|roots| Self { allowed: AllowedRoots::Beneath(roots) })
    }

    /// The folders as configured; empty if every file is allowed.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        self.roots().iter().map(|root| root.given.clone()).collect()
    }

    /// Opens a file.
    ///
    /// Links that stay within a root are followed, including absolute ones.
    ///
    /// # Errors
    /// [`SourceError::NotAllowed`] for a path that leads outside, whether it exists or not;
    /// [`SourceError::NotFound`], [`SourceError::PermissionDenied`], [`SourceError::IsDirectory`],
    /// [`SourceError::NotAFile`], [`SourceError::Io`].
    pub fn open(&self, reference: &Reference) -> Result<OpenFile, SourceError> {
        self.open_path(reference.path())
    }

    /// Opens the file at an absolute path.
    ///
    /// # Errors
    /// As [`Roots::open`].
    pub fn open_path(&self, path: &Path) -> Result<OpenFile, SourceError> {
        let opened = match &self.allowed {
            AllowedRoots::Everything => open_anywhere(path),
            AllowedRoots::Beneath(roots) => beneath_any(roots, path, RootFolder::open_beneath),
        };
        OpenFile::from_regular(path, opened.map_err(|refused| self.refusal(path, refused))?)
    }

    /// The stat of the file at an absolute path, without reading it.
    ///
    /// # Errors
    /// As [`Roots::open`].
    pub fn stat(&self, path: &Path) -> Result<Stat, SourceError> {
        match &self.allowed {
            AllowedRoots::Everything => Stat::at(path),
            AllowedRoots::Beneath(_) => self.open_path(path).map(|file| file.stat()),
        }
    }

    /// The one path that differs from `path` only in how its names are spelled (see [`folded_name`]). `None` if there is no
    /// such path, or more than one.
    #[must_use]
    pub fn respelled(&self, path: &Path) -> Option<PathBuf> {
        let one = Listing { max: 1, stat_of: None };
        let folder = path.ancestors().skip(1).find(|folder| self.list(folder, &one).is_ok())?;
        let mut found = folder.to_path_buf();
        for name in path.strip_prefix(folder).ok()?.components() {
            let Component::Normal(name) = name else { return None };
            let wanted = folded_name(&name.to_string_lossy());
            let names = self.list(&found, &Listing { max: MAX_WALKED_NAMES, stat_of: None }).ok()?;
            // Of a longer list, one name more may be alike.
            let is_whole = names.len() < MAX_WALKED_NAMES;
            let mut alike = names.into_iter().filter(|other| folded_name(&other.name.to_string_lossy()) == wanted);
            let only = alike.next().filter(|_| is_whole && alike.next().is_none())?;
            found.push(only.name);
        }
        Some(found)
    }

    /// The names in a folder.
    pub(super) fn list(&self, path: &Path, listing: &Listing) -> Result<Vec<FolderEntry>, SourceError> {
        let listed = match &self.allowed {
            AllowedRoots::Everything => list_anywhere(path, listing),
            AllowedRoots::Beneath(roots) => beneath_any(roots, path, |folder, rest| folder.list_beneath(rest, listing)),
        };
        listed.map_err(|refused| self.refusal(path, refused))
    }

    fn refusal(&self, path: &Path, refused: OpenError) -> SourceError {
        match refused {
            OpenError::Outside => SourceError::NotAllowed { path: path.to_path_buf(), roots: self.folders() },
            OpenError::NotAFile => SourceError::NotAFile { path: path.to_path_buf() },
            OpenError::Failed(error) => SourceError::from_io(path, error),
        }
    }

    fn roots(&self) -> &[Root] {
        match &self.allowed {
            AllowedRoots::Everything => &[],
            AllowedRoots::Beneath(roots) => roots,
        }
    }
}

/// Has `open` open `path` relative to one of the roots; [`OpenError::Outside`] if it leaves all of them.
fn beneath_any<T>(
    roots: &[Root],
    path: &Path,
    open: impl Fn(&RootFolder, &Path) -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    for root in roots {
        let Some(rest) = root.rest_of(path) else { continue };
        match open(&root.folder, rest) {
            Err(OpenError::Outside) => {}
            decided => return decided,
        }
    }
    // A path through another link to a root may still lead inside. Its target is opened relative to that root too, so
    // replacing the file after this line gains nothing.
    let real = std::fs::canonicalize(path).map_err(|_| OpenError::Outside)?;
    let inside = roots.iter().find_map(|root| Some((root, real.strip_prefix(&root.real).ok()?)));
    let (root, rest) = inside.ok_or(OpenError::Outside)?;
    open(&root.folder, rest)
}

impl Root {
    fn open(given: &Path) -> Result<Self, SourceError> {
        let real = std::fs::canonicalize(given).map_err(|error| SourceError::from_io(given, error))?;
        let folder = RootFolder::open(&real).map_err(|error| SourceError::from_io(given, error))?;
        Ok(Self { given: given.to_path_buf(), real, folder })
    }

    /// The part of `path` after the root, by whole components.
    fn rest_of<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.given).or_else(|_| path.strip_prefix(&self.real)).ok()
    }
}
