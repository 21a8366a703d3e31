//! A name in a folder.

use std::ffi::OsString;
use std::path::Path;

use super::file::Stat;

/// A name in a folder.
#[derive(Debug, Clone)]
pub(super) struct FolderEntry {
    pub(super) name: OsString,
    pub(super) kind: EntryType,
    /// The stat of a regular file, if it was read.
    pub(super) stat: Option<Stat>,
}

/// What a name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryType {
    File,
    Folder,
    Link,
    Other,
}

/// What is read of a folder.
pub(super) struct Listing {
    /// The most names.
    pub(super) max: usize,
    /// Whose stats are read with the names, since that is cheap while the folder is open.
    #[cfg_attr(any(not(unix), pagewise_portable), allow(dead_code, reason = "there, a stat opens the file again"))]
    pub(super) stat_of: Option<fn(&Path) -> bool>,
}

impl Listing {
    /// Whether the stat of the file `name` is read.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn needs_stat(&self, name: &std::ffi::OsStr) -> bool {
        self.stat_of.is_some_and(|is_needed| is_needed(Path::new(name)))
    }
}
