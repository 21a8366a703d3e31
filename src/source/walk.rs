//! Lists the files beneath a folder, within bounds.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::SourceError;
use super::file::Stat;
use super::folder_entry::{EntryType, FolderEntry, Listing};
use super::pattern::PathPattern;
use super::roots::Roots;

/// Names that one walk reads.
pub const MAX_WALKED_NAMES: usize = 20_000;

/// Levels of folders that one walk enters.
pub(super) const MAX_WALKED_LEVELS: usize = 8;

/// Time of one walk. A folder on a slow network may take it up.
const WALK_TIME: Duration = Duration::from_millis(500);

/// What a walk reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct WalkScope<'a> {
    /// Whose stats are read too.
    pub stat_of: Option<fn(&Path) -> bool>,
    /// Only files that it matches; all if there is none.
    pub pattern: Option<&'a PathPattern>,
}

impl WalkScope<'_> {
    fn levels(&self) -> usize {
        self.pattern.map_or(MAX_WALKED_LEVELS, PathPattern::levels)
    }

    fn contains(&self, file: &Path) -> bool {
        self.pattern.is_none_or(|pattern| pattern.matches(file))
    }
}

/// The files beneath a folder.
#[derive(Debug, Clone, Default)]
pub struct FolderWalk {
    /// Those of the folder first, then those of its folders. Files and links, no hidden ones.
    pub files: Vec<WalkedFile>,
    /// Whether a bound ended the walk.
    pub is_cut: bool,
}

/// A file beneath a folder.
#[derive(Debug, Clone)]
pub struct WalkedFile {
    /// Relative to the folder.
    pub path: PathBuf,
    /// Its stat, if the walk read it. Never that of a link.
    pub stat: Option<Stat>,
}

impl Roots {
    /// Lists the files beneath `folder`. Links are listed, but never followed.
    ///
    /// # Errors
    /// As [`Roots::open`]; [`SourceError::NotFound`] if `folder` is a file. Folders inside that cannot be read are left
    /// out.
    pub fn walk(&self, folder: &Path, scope: WalkScope<'_>) -> Result<FolderWalk, SourceError> {
        let start = Instant::now();
        let mut walk = FolderWalk::default();
        let mut left = MAX_WALKED_NAMES;
        let mut folders = VecDeque::from([(PathBuf::new(), 0)]);
        while let Some((inside, level)) = folders.pop_front() {
            let listed = match self.list(&folder.join(&inside), &Listing { max: left, stat_of: scope.stat_of }) {
                Err(error) if level == 0 => return Err(error),
                listed => listed.unwrap_or_default(),
            };
            left -= listed.len();
            for FolderEntry { name, kind, stat } in visible(listed) {
                match kind {
                    EntryType::Folder if level < scope.levels() => folders.push_back((inside.join(name), level + 1)),
                    EntryType::Folder => walk.is_cut |= level >= MAX_WALKED_LEVELS,
                    EntryType::File | EntryType::Link => {
                        let path = inside.join(name);
                        walk.files.extend(scope.contains(&path).then_some(WalkedFile { path, stat }));
                    }
                    EntryType::Other => {}
                }
            }
            if left == 0 || start.elapsed() > WALK_TIME {
                walk.is_cut |= left == 0 || !folders.is_empty();
                break;
            }
        }
        Ok(walk)
    }
}

/// The entries that are not hidden, sorted by name.
fn visible(mut entries: Vec<FolderEntry>) -> Vec<FolderEntry> {
    entries.retain(|entry| !entry.name.as_encoded_bytes().starts_with(b"."));
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    entries
}
