//! Files without a name: bytes that are read like any other file.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use super::SourceError;
use super::file::OpenFile;

impl OpenFile {
    /// A file with these bytes that has no name in any folder. `path` is only for messages.
    ///
    /// # Errors
    /// [`SourceError::Io`].
    pub fn anonymous(path: &Path, bytes: &[u8]) -> Result<Self, SourceError> {
        let written = new_file().and_then(|mut file| file.write_all(bytes).map(|()| file));
        Self::from_regular(path, written.map_err(|error| SourceError::from_io(path, error))?)
    }
}

/// A file in memory.
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
fn new_file() -> io::Result<File> {
    Ok(File::from(rustix::fs::memfd_create("attachment", rustix::fs::MemfdFlags::CLOEXEC)?))
}

/// A file in the folder for temporary files, whose name is removed at once where the system allows it.
#[cfg(not(all(target_os = "linux", not(pagewise_portable))))]
fn new_file() -> io::Result<File> {
    use std::hash::{BuildHasher as _, RandomState};
    let name = format!("pagewise-{}-{:016x}", std::process::id(), RandomState::new().hash_one(()));
    let path = std::env::temp_dir().join(name);
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    let _ = std::fs::remove_file(&path);
    Ok(file)
}
