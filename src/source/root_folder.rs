//! Opens files relative to a folder's descriptor, so that the kernel confines them to that folder.
//!
//! `openat2` with `RESOLVE_BENEATH` does this in one call. On systems without it, the path is resolved first and then
//! opened component by component from the folder, without following links.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::file::Stat;
use super::folder_entry::{EntryType, FolderEntry, Listing};
use super::roots::OpenError;

/// Non-blocking, because opening a pipe would otherwise wait for its writer.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// The number of attempts when a concurrent rename interferes.
#[cfg(target_os = "linux")]
const MAX_TRIES: usize = 16;

impl From<Errno> for OpenError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::XDEV => Self::Outside,
            // A socket, or a device without a driver.
            Errno::NXIO | Errno::NODEV => Self::NotAFile,
            _ => Self::Failed(errno.into()),
        }
    }
}

/// Opens a file in any folder.
pub(super) fn open_anywhere(path: &Path) -> Result<File, OpenError> {
    Ok(rustix::fs::open(path, READ, Mode::empty())?.into())
}

/// The names in any folder, in the order of the file system.
pub(super) fn list_anywhere(path: &Path, listing: &Listing) -> Result<Vec<FolderEntry>, OpenError> {
    list(open_anywhere(path)?, listing)
}

/// The names in an open folder, without `.` and `..`.
fn list(folder: File, listing: &Listing) -> Result<Vec<FolderEntry>, OpenError> {
    let mut names = Dir::new(OwnedFd::from(folder))?;
    let mut entries = Vec::new();
    while let Some(entry) = names.read().filter(|_| entries.len() < listing.max) {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            let (kind, stat) = kind_and_stat(&names, &entry, listing.needs_stat(name));
            entries.push(FolderEntry { name: name.to_owned(), kind, stat });
        }
    }
    Ok(entries)
}

/// What a name stands for, with the stat of a file if that is needed. The listings of some file systems have no types.
fn kind_and_stat(folder: &Dir, entry: &DirEntry, needs_stat: bool) -> (EntryType, Option<Stat>) {
    let listed = entry.file_type();
    if listed != FileType::Unknown && !(needs_stat && listed == FileType::RegularFile) {
        return (listed.into(), None);
    }
    let stat = folder.fd().and_then(|folder| rustix::fs::statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW));
    let Ok(stat) = stat else { return (listed.into(), None) };
    let kind = FileType::from_raw_mode(stat.st_mode);
    (kind.into(), (kind == FileType::RegularFile).then(|| Stat::from(&stat)))
}

impl From<FileType> for EntryType {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// An open folder. It stays the same folder even if its name is given to another.
#[derive(Debug)]
pub(super) struct RootFolder {
    /// The path with all links resolved.
    real: PathBuf,
    descriptor: OwnedFd,
}

impl RootFolder {
    /// Opens a folder by its path with all links resolved.
    pub(super) fn open(real: &Path) -> std::io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let descriptor = rustix::fs::open(real, flags, Mode::empty())?;
        Ok(Self { real: real.to_path_buf(), descriptor })
    }

    /// Opens the relative path `rest`, which may be empty and must not leave the folder.
    pub(super) fn open_beneath(&self, rest: &Path) -> Result<File, OpenError> {
        Ok(self.descriptor_beneath(rest)?.into())
    }

    /// The names in the folder `rest`, in the order of the file system.
    pub(super) fn list_beneath(&self, rest: &Path, listing: &Listing) -> Result<Vec<FolderEntry>, OpenError> {
        list(self.open_beneath(rest)?, listing)
    }

    #[cfg(target_os = "linux")]
    fn descriptor_beneath(&self, rest: &Path) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..MAX_TRIES {
            match rustix::fs::openat2(&self.descriptor, or_current_folder(rest), READ, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                // An old kernel or a sandbox rejects the call.
                Err(Errno::NOSYS | Errno::PERM) => return self.open_by_steps(rest),
                // A magic link of /proc, whose target differs from its text.
                Err(Errno::LOOP) => return Err(Errno::XDEV),
                decided => return decided,
            }
        }
        Err(Errno::AGAIN)
    }

    #[cfg(not(target_os = "linux"))]
    fn descriptor_beneath(&self, rest: &Path) -> Result<OwnedFd, Errno> {
        self.open_by_steps(rest)
    }

    /// Resolves all links first and follows none afterwards.
    fn open_by_steps(&self, rest: &Path) -> Result<OwnedFd, Errno> {
        let climbs = rest.components().any(|part| part == Component::ParentDir);
        let real = std::fs::canonicalize(self.real.join(rest));
        // The error must not reveal whether a file outside the folder exists.
        let real = real.map_err(|error| if climbs { Errno::XDEV } else { errno_of(&error) })?;
        self.open_without_links(real.strip_prefix(&self.real).map_err(|_| Errno::XDEV)?)
    }

    /// Opens each component relative to the one before it, and refuses links.
    fn open_without_links(&self, inside: &Path) -> Result<OwnedFd, Errno> {
        let mut opened = rustix::io::fcntl_dupfd_cloexec(&self.descriptor, 0)?;
        let mut parts = inside.components().peekable();
        while let Some(part) = parts.next() {
            let kind = if parts.peek().is_some() { OFlags::DIRECTORY } else { OFlags::empty() };
            opened = rustix::fs::openat(&opened, part.as_os_str(), READ | OFlags::NOFOLLOW | kind, Mode::empty())
                .map_err(|errno| if errno == Errno::LOOP { Errno::XDEV } else { errno })?;
        }
        Ok(opened)
    }
}

#[cfg(target_os = "linux")]
fn or_current_folder(rest: &Path) -> &Path {
    if rest.as_os_str().is_empty() { Path::new(".") } else { rest }
}

fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use std::fs::File;
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A root with links, next to a folder that must stay unreachable.
    fn folder() -> (tempfile::TempDir, RootFolder) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::create_dir(folder.path().join("root-evil")).unwrap();
        std::fs::write(root.join("sub/in.txt"), "in").unwrap();
        std::fs::write(folder.path().join("root-evil/out.txt"), "out").unwrap();
        symlink("sub/in.txt", root.join("relative")).unwrap();
        symlink("../root-evil/out.txt", root.join("escape")).unwrap();
        symlink("../root-evil", root.join("escape-folder")).unwrap();
        let root = RootFolder::open(&std::fs::canonicalize(&root).unwrap()).unwrap();
        (folder, root)
    }

    #[test]
    fn both_ways_of_opening_agree() {
        let (_folder, root) = folder();
        type Way = fn(&RootFolder, &Path) -> Result<OwnedFd, Errno>;
        let ways: [(&str, Way); 2] = [("kernel", RootFolder::descriptor_beneath), ("steps", RootFolder::open_by_steps)];
        for (name, way) in ways {
            for path in ["sub/in.txt", "relative", "sub/../sub/./in.txt"] {
                let mut text = String::new();
                File::from(way(&root, Path::new(path)).unwrap()).read_to_string(&mut text).unwrap();
                assert_eq!(text, "in", "{name}: {path}");
            }
            for path in ["escape", "escape-folder/out.txt", "../root-evil/out.txt", "../none", "/etc/passwd"] {
                assert_eq!(way(&root, Path::new(path)).unwrap_err(), Errno::XDEV, "{name}: {path}");
            }
            assert_eq!(way(&root, Path::new("sub/none")).unwrap_err(), Errno::NOENT, "{name}");
            assert!(File::from(way(&root, Path::new("")).unwrap()).metadata().unwrap().is_dir());
        }
    }

    #[test]
    fn a_link_that_came_after_resolving_is_refused() {
        let (_folder, root) = folder();
        assert!(root.open_without_links(Path::new("sub/in.txt")).is_ok());
        assert_eq!(root.open_without_links(Path::new("escape")).unwrap_err(), Errno::XDEV);
        assert_eq!(root.open_without_links(Path::new("escape-folder/out.txt")).unwrap_err(), Errno::NOTDIR);
    }
}
