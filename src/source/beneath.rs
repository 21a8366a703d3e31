//! Opening by descriptor, which the kernel keeps beneath a folder.
//!
//! `openat2` with `RESOLVE_BENEATH` takes about a microsecond. Where the kernel has no such call, the path is resolved
//! first and then opened step by step from the folder, no step following a link.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::roots::NotOpened;

/// Not blocking: opening a pipe would otherwise wait for its writer.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// How often an opening is tried again when a rename on the way made its outcome unsure.
#[cfg(target_os = "linux")]
const MAX_TRIES: usize = 16;

impl From<Errno> for NotOpened {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::XDEV => Self::Outside,
            // A socket, or a device without a driver.
            Errno::NXIO | Errno::NODEV => Self::NotAFile,
            _ => Self::Failed(errno.into()),
        }
    }
}

/// Opens a file wherever it lies.
pub(super) fn open_anywhere(path: &Path) -> Result<File, NotOpened> {
    Ok(rustix::fs::open(path, READ, Mode::empty())?.into())
}

/// A folder held open, so that it stays the same one when its name is given to another.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its path without links.
    real: PathBuf,
    descriptor: OwnedFd,
}

impl Folder {
    /// Opens the folder that has this path without links.
    pub(super) fn open(real: &Path) -> std::io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let descriptor = rustix::fs::open(real, flags, Mode::empty())?;
        Ok(Self { real: real.to_path_buf(), descriptor })
    }

    /// Opens what lies at `rest`, which may be empty, and does not leave the folder.
    pub(super) fn open_beneath(&self, rest: &Path) -> Result<File, NotOpened> {
        Ok(self.descriptor_beneath(rest)?.into())
    }

    #[cfg(target_os = "linux")]
    fn descriptor_beneath(&self, rest: &Path) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..MAX_TRIES {
            match rustix::fs::openat2(&self.descriptor, or_itself(rest), READ, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                // An old kernel, or a sandbox that does not know the call.
                Err(Errno::NOSYS | Errno::PERM) => return self.open_by_steps(rest),
                // A link of /proc, which leads where its text does not say.
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

    /// Resolves all links, and then follows none.
    fn open_by_steps(&self, rest: &Path) -> Result<OwnedFd, Errno> {
        let climbs = rest.components().any(|part| part == Component::ParentDir);
        let real = std::fs::canonicalize(self.real.join(rest));
        // What lies outside must not be told from what does not exist.
        let real = real.map_err(|error| if climbs { Errno::XDEV } else { errno_of(&error) })?;
        self.open_without_links(real.strip_prefix(&self.real).map_err(|_| Errno::XDEV)?)
    }

    /// Opens each component beneath the one before it, and refuses one that is a link by now.
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
fn or_itself(rest: &Path) -> &Path {
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

    /// A root with links, beside a folder that must stay out of reach.
    fn folder() -> (tempfile::TempDir, Folder) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::create_dir(folder.path().join("root-evil")).unwrap();
        std::fs::write(root.join("sub/in.txt"), "in").unwrap();
        std::fs::write(folder.path().join("root-evil/out.txt"), "out").unwrap();
        symlink("sub/in.txt", root.join("relative")).unwrap();
        symlink("../root-evil/out.txt", root.join("escape")).unwrap();
        symlink("../root-evil", root.join("escape-folder")).unwrap();
        let root = Folder::open(&std::fs::canonicalize(&root).unwrap()).unwrap();
        (folder, root)
    }

    #[test]
    fn both_ways_of_opening_agree() {
        let (_folder, root) = folder();
        type Way = fn(&Folder, &Path) -> Result<OwnedFd, Errno>;
        let ways: [(&str, Way); 2] = [("kernel", Folder::descriptor_beneath), ("steps", Folder::open_by_steps)];
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
