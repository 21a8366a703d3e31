//! Removes old files from the store, then the least recently used ones until the store is within its size limit.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::files::DRAFT_PREFIX;
use super::{BLOCKS, DOCUMENTS, RANGED, RESPONSES, TEXTS, URLS};

/// The age after which an incomplete file belongs to a dead process, since no fetch takes that long.
const MAX_DRAFT_AGE: Duration = Duration::from_secs(60 * 60);

/// A file that was used this recently may still be read, so it is kept even over the size limit.
const IN_USE: Duration = Duration::from_secs(60);

struct StoredFile {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
    is_draft: bool,
}

/// Brings a folder within its limits. A file that cannot be removed is tried again at the next sweep.
pub(super) fn sweep(folder: &Path, max_bytes: u64, max_age: Duration) {
    let now = SystemTime::now();
    let age = |file: &StoredFile| now.duration_since(file.used).unwrap_or(Duration::ZERO);
    let (old, mut kept): (Vec<_>, Vec<_>) = list_files(folder)
        .into_iter()
        .partition(|file| age(file) > if file.is_draft { MAX_DRAFT_AGE } else { max_age });
    old.iter().for_each(remove);
    kept.sort_by_key(|file| file.used);
    let mut bytes = kept.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
    for file in kept.iter().filter(|file| !file.is_draft && age(file) > IN_USE) {
        if bytes <= max_bytes {
            break;
        }
        remove(file);
        bytes = bytes.saturating_sub(file.bytes);
    }
}

fn remove(file: &StoredFile) {
    let _ = std::fs::remove_file(&file.path);
}

fn list_files(folder: &Path) -> Vec<StoredFile> {
    let folders = [DOCUMENTS, TEXTS, URLS, RESPONSES, RANGED, BLOCKS].map(|name| folder.join(name));
    let listed = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let file = |file: std::fs::DirEntry| {
        let about = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let is_draft = file.file_name().to_string_lossy().starts_with(DRAFT_PREFIX);
        Some(StoredFile { path: file.path(), bytes: about.len(), used: about.modified().ok()?, is_draft })
    };
    listed.filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use std::fs::{File, FileTimes};

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn put(folder: &Path, name: &str, bytes: usize, days_ago: u32) {
        let path = folder.join(DOCUMENTS).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, vec![0; bytes]).unwrap();
        let used = FileTimes::new().set_modified(SystemTime::now() - DAY * days_ago);
        File::options().append(true).open(path).unwrap().set_times(used).unwrap();
    }

    fn left(folder: &Path) -> Vec<String> {
        let listed = std::fs::read_dir(folder.join(DOCUMENTS)).unwrap();
        let mut names = listed.map(|file| file.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
        names.sort();
        names
    }

    #[test]
    fn the_old_go_and_then_the_least_used() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, days) in [("a", 10, 9), ("b", 10, 3), ("c", 10, 2), ("d", 10, 1), (".draft-e", 1, 1)] {
            put(folder.path(), name, bytes, days);
        }
        sweep(folder.path(), 100, DAY * 7);
        assert_eq!(left(folder.path()), ["b", "c", "d"]);
        sweep(folder.path(), 30, DAY * 7);
        assert_eq!(left(folder.path()), ["b", "c", "d"]);
        sweep(folder.path(), 29, DAY * 7);
        assert_eq!(left(folder.path()), ["c", "d"]);
        put(folder.path(), "now", 100, 0);
        sweep(folder.path(), 0, DAY * 7);
        assert_eq!(left(folder.path()), ["now"], "what was just fetched is about to be read");
    }
}
