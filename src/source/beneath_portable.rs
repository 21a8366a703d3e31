//! Opening beneath a folder where there are no descriptors to open from: through cap-std, which resolves a path component
//! by component from an open handle.

use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::roots::NotOpened;

/// Opens a file wherever it lies.
pub(super) fn open_anywhere(path: &Path) -> Result<File, NotOpened> {
    refuse_others(&std::fs::metadata(path)?.file_type().into())?;
    Ok(File::open(path)?)
}

/// A folder held open, so that it stays the same one when its name is given to another.
#[derive(Debug)]
pub(super) struct Folder {
    handle: Dir,
}

impl Folder {
    /// Opens the folder that has this path without links.
    pub(super) fn open(real: &Path) -> io::Result<Self> {
        Ok(Self { handle: Dir::open_ambient_dir(real, ambient_authority())? })
    }

    /// Opens what lies at `rest`, which may be empty, and does not leave the folder.
    pub(super) fn open_beneath(&self, rest: &Path) -> Result<File, NotOpened> {
        let rest = if rest.as_os_str().is_empty() { Path::new(".") } else { rest };
        refuse_others(&self.handle.metadata(rest)?.file_type().into())?;
        Ok(self.handle.open(rest)?.into_std())
    }
}

/// What a path leads to.
enum Kind {
    File,
    Folder,
    Other,
}

impl From<std::fs::FileType> for Kind {
    fn from(kind: std::fs::FileType) -> Self {
        Self::of(kind.is_file(), kind.is_dir())
    }
}

impl From<cap_std::fs::FileType> for Kind {
    fn from(kind: cap_std::fs::FileType) -> Self {
        Self::of(kind.is_file(), kind.is_dir())
    }
}

impl Kind {
    fn of(is_file: bool, is_folder: bool) -> Self {
        match (is_file, is_folder) {
            (true, _) => Self::File,
            (_, true) => Self::Folder,
            _ => Self::Other,
        }
    }
}

/// Looked at before it is opened only because to open a pipe is to wait for its writer, and a folder cannot be opened
/// everywhere; what may be read is decided by the opening.
fn refuse_others(kind: &Kind) -> Result<(), NotOpened> {
    match kind {
        Kind::File => Ok(()),
        Kind::Folder => Err(NotOpened::Failed(io::ErrorKind::IsADirectory.into())),
        Kind::Other => Err(NotOpened::NotAFile),
    }
}

impl From<io::Error> for NotOpened {
    /// cap-std refuses what leads outside with an error of its own, which has no number of the system.
    fn from(error: io::Error) -> Self {
        let is_outside = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
        if is_outside { Self::Outside } else { Self::Failed(error) }
    }
}
