//! Private files, and file identity.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Device and inode.
#[cfg(all(unix, not(pagewise_portable)))]
pub(crate) type FileIdentity = (u64, u64);

/// On other systems, the creation time.
#[cfg(any(not(unix), pagewise_portable))]
pub(crate) type FileIdentity = std::time::SystemTime;

#[cfg(all(unix, not(pagewise_portable)))]
pub(crate) fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(any(not(unix), pagewise_portable))]
pub(crate) fn identity(path: &Path) -> Option<FileIdentity> {
    std::fs::metadata(path).and_then(|metadata| metadata.created()).ok()
}

#[cfg(all(unix, not(pagewise_portable)))]
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// On other systems, a folder is as private as its parent.
#[cfg(any(not(unix), pagewise_portable))]
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

/// Opens a private file; creates it if missing.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(all(unix, not(pagewise_portable)))]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create(true).truncate(false).open(path)
}

/// Removes permissions of other users.
#[cfg(all(unix, not(pagewise_portable)))]
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if file.metadata()?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(any(not(unix), pagewise_portable))]
pub(crate) fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}
