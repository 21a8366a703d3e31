//! An open file, and the metadata that identifies its state.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::SourceError;
use super::positioned_file::PositionedFile;
use pagewise_base::hash::ContentHash;
use pagewise_web::{RangedFile, WebError};

/// A file's identity, size and last change, as the system reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stat {
    /// The device that contains the file.
    pub device: u64,
    /// The inode number on that device.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The last change of the bytes, in nanoseconds since 1970.
    pub modified_ns: i128,
    /// The last change of the bytes or the attributes, in nanoseconds since 1970. No program can set it back.
    pub changed_ns: i128,
}

impl Stat {
    #[cfg(all(unix, not(pagewise_portable)))]
    fn of(_: &Path, metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Without inode numbers, the path identifies the file.
    #[cfg(any(not(unix), pagewise_portable))]
    fn of(path: &Path, metadata: &std::fs::Metadata) -> Self {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        let since = |moment: io::Result<SystemTime>| {
            let since = moment.ok().and_then(|moment| moment.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.and_then(|since| i128::try_from(since.as_nanos()).ok()).unwrap_or(0)
        };
        Self {
            device: 0,
            inode: hasher.finish(),
            size: metadata.len(),
            modified_ns: since(metadata.modified()),
            changed_ns: since(metadata.created()),
        }
    }

    /// The stat of a remote document: its identity in place of an inode, and no times.
    fn of_version(file: &RangedFile) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = file.identity().0;
        let inode = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        Self { device: u64::MAX, inode, size: file.len(), modified_ns: 0, changed_ns: 0 }
    }

    /// The stat of the file at `path`.
    pub(super) fn at(path: &Path) -> Result<Self, SourceError> {
        let metadata = std::fs::metadata(path).map_err(|error| SourceError::from_io(path, error))?;
        match metadata.file_type() {
            kind if kind.is_dir() => Err(SourceError::IsDirectory { path: path.to_path_buf() }),
            kind if kind.is_file() => Ok(Self::of(path, &metadata)),
            _ => Err(SourceError::NotAFile { path: path.to_path_buf() }),
        }
    }

    /// A hash of all fields.
    #[must_use]
    pub fn key(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for number in [self.device, self.inode, self.size] {
            hasher.update(&number.to_le_bytes());
        }
        for moment in [self.modified_ns, self.changed_ns] {
            hasher.update(&moment.to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// Whether the file changed so recently that another change could leave the same stat.
    ///
    /// Always true on systems without a change time that programs cannot set back.
    #[must_use]
    pub fn is_recent(&self, now: SystemTime) -> bool {
        if cfg!(any(not(unix), pagewise_portable)) {
            return true;
        }
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        let settled = i128::try_from(now).unwrap_or(i128::MAX).saturating_sub(RECENT_NS);
        self.modified_ns.max(self.changed_ns) > settled
    }
}

#[cfg(all(unix, not(pagewise_portable)))]
impl From<&rustix::fs::Stat> for Stat {
    #[allow(clippy::useless_conversion, reason = "the types of the fields differ between systems")]
    fn from(stat: &rustix::fs::Stat) -> Self {
        Self {
            device: device_number(stat.st_dev),
            inode: stat.st_ino.into(),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified_ns: nanoseconds(stat.st_mtime.into(), i64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            changed_ns: nanoseconds(stat.st_ctime.into(), i64::try_from(stat.st_ctime_nsec).unwrap_or(0)),
        }
    }
}

/// Two seconds: the coarsest file system clock in use (FAT), and git's margin.
const RECENT_NS: i128 = 2_000_000_000;

/// A device number as the standard library gives it. On macOS it has a sign.
#[cfg(all(unix, not(pagewise_portable)))]
fn device_number(number: impl Into<i128>) -> u64 {
    u64::try_from(number.into() & i128::from(u64::MAX)).unwrap_or_default()
}

#[cfg(all(unix, not(pagewise_portable)))]
fn nanoseconds(seconds: i64, rest: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}

/// A regular file, opened once, or a document that is read by ranges. A file is read by position and never mapped, so
/// truncation by another process causes an error instead of a signal.
#[derive(Debug)]
pub struct OpenFile {
    path: PathBuf,
    storage: Storage,
    stat: Stat,
}

/// Where the bytes are.
#[derive(Debug)]
enum Storage {
    Local(PositionedFile),
    Remote(Box<RangedFile>),
}

impl OpenFile {
    /// Checks that an open file is regular.
    ///
    /// # Errors
    /// [`SourceError::IsDirectory`], [`SourceError::NotAFile`] and [`SourceError::Io`].
    pub(super) fn from_regular(path: &Path, file: File) -> Result<Self, SourceError> {
        let metadata = file.metadata().map_err(|error| SourceError::from_io(path, error))?;
        if metadata.is_dir() {
            return Err(SourceError::IsDirectory { path: path.to_path_buf() });
        }
        if !metadata.is_file() || is_virtual(&file) {
            return Err(SourceError::NotAFile { path: path.to_path_buf() });
        }
        let storage = Storage::Local(PositionedFile::from(file));
        Ok(Self { path: path.to_path_buf(), stat: Stat::of(path, &metadata), storage })
    }

    /// A document that is read by ranges. `path` is its reference.
    pub(super) fn from_remote(path: &Path, file: RangedFile) -> Self {
        let stat = Stat::of_version(&file);
        Self { path: path.to_path_buf(), stat, storage: Storage::Remote(Box::new(file)) }
    }

    /// The path as requested.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The stat at the time of opening.
    #[must_use]
    pub fn stat(&self) -> Stat {
        self.stat
    }

    /// The size in bytes at the time of opening.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.stat.size
    }

    /// Whether the file was empty at the time of opening.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stat.size == 0
    }

    /// The open file, which a worker can be given. `None` for a remote document, which has none.
    #[must_use]
    pub fn file(&self) -> Option<&File> {
        match &self.storage {
            Storage::Local(file) => Some(file.as_file()),
            Storage::Remote(_) => None,
        }
    }

    /// The identity of a remote document, which is not a hash of its bytes; `None` for a file.
    #[must_use]
    pub fn remote_identity(&self) -> Option<ContentHash> {
        match &self.storage {
            Storage::Local(_) => None,
            Storage::Remote(file) => Some(file.identity()),
        }
    }

    /// Identifies the bytes without reading them: by the validator of a remote document, or a file's metadata.
    #[must_use]
    pub fn identity(&self) -> [u8; 32] {
        self.remote_identity().map_or_else(|| self.stat.key(), |identity| identity.0)
    }

    /// Reads at `offset` until `buffer` is full or the file ends. Returns the number of bytes read.
    ///
    /// # Errors
    /// [`SourceError::Io`]; [`SourceError::Web`] and [`SourceError::Changed`] for a remote document.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        self.read_within(Duration::MAX, offset, buffer)
    }

    /// Like [`Self::read_at`]. A remote document is waited for no longer than `time`.
    ///
    /// # Errors
    /// As [`Self::read_at`].
    pub fn read_within(&self, time: Duration, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        match &self.storage {
            Storage::Local(file) => self.read_local(file, offset, buffer),
            Storage::Remote(file) => file.read_at(offset, buffer, time).map_err(|error| match error {
                WebError::Changed => SourceError::Changed { path: self.path.clone() },
                error => error.into(),
            }),
        }
    }

    fn read_local(&self, file: &PositionedFile, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, offset.saturating_add(filled as u64)) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SourceError::from_io(&self.path, error)),
            }
        }
        Ok(filled)
    }

    /// The first `count` bytes, or all bytes of a shorter file.
    ///
    /// # Errors
    /// [`SourceError::Io`].
    pub fn head(&self, count: usize) -> Result<Vec<u8>, SourceError> {
        let mut head = vec![0; count.min(usize::try_from(self.len()).unwrap_or(count))];
        let read = self.read_at(0, &mut head)?;
        head.truncate(read);
        Ok(head)
    }

    /// Refuses a file of more than `limit` bytes. `setting` names the limit.
    ///
    /// # Errors
    /// [`SourceError::TooLarge`].
    pub fn check_size(&self, limit: u64, setting: &'static str) -> Result<(), SourceError> {
        if self.len() > limit {
            return Err(SourceError::TooLarge { path: self.path.clone(), size: self.len(), limit, setting });
        }
        Ok(())
    }

    /// Reads all bytes, at most `limit`. `setting` names the limit.
    ///
    /// # Errors
    /// [`SourceError::TooLarge`], [`SourceError::Io`], and [`SourceError::Changed`] if another process writes to the file
    /// meanwhile.
    pub fn read_all(&self, limit: u64, setting: &'static str) -> Result<Vec<u8>, SourceError> {
        self.check_size(limit, setting)?;
        let len = usize::try_from(self.len()).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        let too_little_memory = |_| SourceError::from_io(&self.path, io::ErrorKind::OutOfMemory.into());
        bytes.try_reserve_exact(len).map_err(too_little_memory)?;
        bytes.resize(len, 0);
        if self.read_at(0, &mut bytes)? < len || !self.is_unchanged()? {
            return Err(SourceError::Changed { path: self.path.clone() });
        }
        Ok(bytes)
    }

    /// Whether the size and the modification time are those at the time of opening.
    ///
    /// A renamed or replaced file counts as unchanged, because its bytes stay readable here.
    ///
    /// # Errors
    /// [`SourceError::Io`].
    pub fn is_unchanged(&self) -> Result<bool, SourceError> {
        if let Storage::Remote(file) = &self.storage {
            return Ok(!file.has_changed());
        }
        let now = self.stat_now()?;
        Ok((now.size, now.modified_ns) == (self.stat.size, self.stat.modified_ns))
    }

    /// Whether the file has certainly not changed since it was opened: its stat is the same, and not recent.
    #[must_use]
    pub fn is_settled(&self, now: SystemTime) -> bool {
        if let Storage::Remote(file) = &self.storage {
            return !file.has_changed();
        }
        !self.stat.is_recent(now) && self.stat_now().is_ok_and(|stat| stat == self.stat)
    }

    /// The current stat.
    ///
    /// # Errors
    /// [`SourceError::Io`].
    pub fn stat_now(&self) -> Result<Stat, SourceError> {
        let Some(file) = self.file() else { return Ok(self.stat) };
        let metadata = file.metadata().map_err(|error| SourceError::from_io(&self.path, error))?;
        Ok(Stat::of(&self.path, &metadata))
    }
}

/// Whether the file is in `/proc` or `/sys`, where the kernel generates the bytes. Such files report a wrong size, and
/// some expose the environment or memory of a process.
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
fn is_virtual(file: &File) -> bool {
    const SYSFS_MAGIC: rustix::fs::FsWord = 0x6265_6572;
    let kind = rustix::fs::fstatfs(file).map(|system| system.f_type);
    kind.is_ok_and(|kind| [rustix::fs::PROC_SUPER_MAGIC, SYSFS_MAGIC].contains(&kind))
}

#[cfg(not(all(target_os = "linux", not(pagewise_portable))))]
fn is_virtual(_: &File) -> bool {
    false
}

#[cfg(all(test, unix, not(pagewise_portable)))]
mod tests {
    use super::device_number;

    #[test]
    fn a_device_number_may_have_a_sign() {
        assert_eq!(device_number(7_i32), device_number(7_u64));
        assert_eq!(device_number(-1_i32), u64::MAX);
        assert_eq!(device_number(u64::MAX), u64::MAX);
    }
}
