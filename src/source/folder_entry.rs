//! A name in a folder.

use std::ffi::OsString;

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FolderEntry {
    pub(super) name: OsString,
    pub(super) kind: EntryType,
}

/// What a name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryType {
    File,
    Folder,
    Link,
    Other,
}
