//! Where files may be opened, and the opening.
//!
//! A path is not checked and then opened: whatever lay between could be exchanged by then. It is opened beneath the
//! descriptor of a root, and the kernel refuses each step that would leave it (`openat2`, `RESOLVE_BENEATH`: about a
//! microsecond). Where the kernel has no such call, the path is resolved first and then opened step by step from the
//! root, no step following a link.

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::SourceError;
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
    folder: OwnedFd,
}

/// Not blocking: opening a pipe would otherwise wait for its writer.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// How often an opening is tried again when a rename on the way made its outcome unsure.
#[cfg(target_os = "linux")]
const MAX_TRIES: usize = 16;

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
            Allowed::Everything => rustix::fs::open(path, READ, Mode::empty()),
            Allowed::Beneath(roots) => open_beneath_any(roots, path),
        };
        OpenFile::of(path, opened.map_err(|errno| self.refusal(path, errno))?.into())
    }

    fn refusal(&self, path: &Path, errno: Errno) -> SourceError {
        match errno {
            Errno::XDEV => SourceError::NotAllowed { path: path.to_path_buf(), roots: self.folders() },
            // A socket, or a device without a driver.
            Errno::NXIO | Errno::NODEV => SourceError::NotAFile { path: path.to_path_buf() },
            _ => SourceError::of(path, errno.into()),
        }
    }

    fn roots(&self) -> &[Root] {
        match &self.allowed {
            Allowed::Everything => &[],
            Allowed::Beneath(roots) => roots,
        }
    }
}

/// Opens `path` beneath one of the roots; `XDEV` where it leaves them all.
fn open_beneath_any(roots: &[Root], path: &Path) -> Result<OwnedFd, Errno> {
    for root in roots {
        let Some(rest) = root.rest_of(path) else { continue };
        match root.open_beneath(rest) {
            Err(Errno::XDEV) => {}
            decided => return decided,
        }
    }
    // Another spelling of a root, or an absolute link: it may lead inside all the same. What it leads to is opened
    // beneath its root like any other, so an exchange after this line gains nothing.
    let real = std::fs::canonicalize(path).map_err(|_| Errno::XDEV)?;
    let inside = roots.iter().find_map(|root| Some((root, real.strip_prefix(&root.real).ok()?)));
    let (root, rest) = inside.ok_or(Errno::XDEV)?;
    root.open_beneath(rest)
}

impl Root {
    fn open(given: &Path) -> Result<Self, SourceError> {
        let real = std::fs::canonicalize(given).map_err(|error| SourceError::of(given, error))?;
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = rustix::fs::open(&real, flags, Mode::empty());
        let folder = folder.map_err(|errno| SourceError::of(given, errno.into()))?;
        Ok(Self { given: given.to_path_buf(), real, folder })
    }

    /// What follows the root in `path`, by whole components.
    fn rest_of<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.strip_prefix(&self.given).or_else(|_| path.strip_prefix(&self.real)).ok()
    }

    #[cfg(target_os = "linux")]
    fn open_beneath(&self, rest: &Path) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..MAX_TRIES {
            match rustix::fs::openat2(&self.folder, or_itself(rest), READ, Mode::empty(), resolve) {
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
    fn open_beneath(&self, rest: &Path) -> Result<OwnedFd, Errno> {
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
        let mut opened = rustix::io::fcntl_dupfd_cloexec(&self.folder, 0)?;
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
    fn folder() -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::create_dir(folder.path().join("root-evil")).unwrap();
        std::fs::write(root.join("sub/in.txt"), "in").unwrap();
        std::fs::write(folder.path().join("root-evil/out.txt"), "out").unwrap();
        symlink("sub/in.txt", root.join("relative")).unwrap();
        symlink("../root-evil/out.txt", root.join("escape")).unwrap();
        symlink("../root-evil", root.join("escape-folder")).unwrap();
        let root = Root::open(&root).unwrap();
        (folder, root)
    }

    #[test]
    fn both_ways_of_opening_agree() {
        let (_folder, root) = folder();
        type Way = fn(&Root, &Path) -> Result<OwnedFd, Errno>;
        let ways: [(&str, Way); 2] = [("kernel", Root::open_beneath), ("steps", Root::open_by_steps)];
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
