//! The same as `root_folder` on systems that are not Unix: cap-std resolves a path component by component from an open handle.

use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::folder_entry::{EntryType, FolderEntry, Listing};
use super::roots::OpenError;

/// Opens a file in any folder.
pub(super) fn open_anywhere(path: &Path) -> Result<File, OpenError> {
    refuse_others(&std::fs::metadata(path)?.file_type().into())?;
    Ok(File::open(path)?)
}

/// The names in any folder, in the order of the file system.
pub(super) fn list_anywhere(path: &Path, listing: &Listing) -> Result<Vec<FolderEntry>, OpenError> {
    let entry = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry?;
        Ok(FolderEntry { name: entry.file_name(), kind: EntryType::from(&entry.file_type()?), stat: None })
    };
    std::fs::read_dir(path)?.take(listing.max).map(entry).collect()
}

/// An open folder. It stays the same folder even if its name is given to another.
#[derive(Debug)]
pub(super) struct RootFolder {
    handle: Dir,
}

impl RootFolder {
    /// Opens a folder by its path with all links resolved.
    pub(super) fn open(real: &Path) -> io::Result<Self> {
        Ok(Self { handle: Dir::open_ambient_dir(real, ambient_authority())? })
    }

    /// Opens the relative path `rest`, which may be empty and must not leave the folder.
    pub(super) fn open_beneath(&self, rest: &Path) -> Result<File, OpenError> {
        let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
        refuse_others(&self.handle.metadata(rest)?.file_type().into())?;
        Ok(self.handle.open(rest)?.into_std())
    }

    /// The names in the folder `rest`, in the order of the file system.
    pub(super) fn list_beneath(&self, rest: &Path, listing: &Listing) -> Result<Vec<FolderEntry>, OpenError> {
        let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
        let entry = |entry: io::Result<cap_std::fs::DirEntry>| {
            let entry = entry?;
            Ok(FolderEntry { name: entry.file_name(), kind: EntryType::from(&entry.file_type()?), stat: None })
        };
        self.handle.read_dir(rest)?.take(listing.max).map(entry).collect()
    }
}

impl From<&std::fs::FileType> for EntryType {
    fn from(kind: &std::fs::FileType) -> Self {
        Self::of(kind.is_file(), kind.is_dir(), kind.is_symlink())
    }
}

impl From<&cap_std::fs::FileType> for EntryType {
    fn from(kind: &cap_std::fs::FileType) -> Self {
        Self::of(kind.is_file(), kind.is_dir(), kind.is_symlink())
    }
}

impl EntryType {
    fn of(is_file: bool, is_folder: bool, is_link: bool) -> Self {
        match (is_file, is_folder, is_link) {
            (true, _, _) => Self::File,
            (_, true, _) => Self::Folder,
            (_, _, true) => Self::Link,
            _ => Self::Other,
        }
    }
}

/// What a path refers to.
enum PathType {
    File,
    Folder,
    Other,
}

impl From<std::fs::FileType> for PathType {
    fn from(kind: std::fs::FileType) -> Self {
        Self::of(kind.is_file(), kind.is_dir())
    }
}

impl From<cap_std::fs::FileType> for PathType {
    fn from(kind: cap_std::fs::FileType) -> Self {
        Self::of(kind.is_file(), kind.is_dir())
    }
}

impl PathType {
    fn of(is_file: bool, is_folder: bool) -> Self {
        match (is_file, is_folder) {
            (true, _) => Self::File,
            (_, true) => Self::Folder,
            _ => Self::Other,
        }
    }
}

/// Refuses all but files before they are opened: opening a pipe waits for its writer, and some systems cannot open a
/// folder. Access is decided when the file is opened.
fn refuse_others(kind: &PathType) -> Result<(), OpenError> {
    match kind {
        PathType::File => Ok(()),
        PathType::Folder => Err(OpenError::Failed(io::ErrorKind::IsADirectory.into())),
        PathType::Other => Err(OpenError::NotAFile),
    }
}

impl From<io::Error> for OpenError {
    /// cap-std's own error for a path that leaves the folder has no error number of the system.
    fn from(error: io::Error) -> Self {
        let is_outside = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
        if is_outside { Self::Outside } else { Self::Failed(error) }
    }
}
