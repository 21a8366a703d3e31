//! What goes: what is old, and then what was not used for longest.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::files::DRAFT;
use super::{DOCUMENTS, RESPONSES, TEXTS, URLS};

/// After this a file that is not complete belongs to a process that is no more: no fetch takes so long.
const MAX_DRAFT_AGE: Duration = Duration::from_secs(60 * 60);

/// What was used so recently is being read, however much there is of it.
const IN_USE: Duration = Duration::from_secs(60);

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
    is_draft: bool,
}

/// Brings a folder within its bounds. What cannot be removed now is tried again the next time.
pub(super) fn sweep(folder: &Path, max_bytes: u64, max_age: Duration) {
    let now = SystemTime::now();
    let age = |entry: &Entry| now.duration_since(entry.used).unwrap_or(Duration::ZERO);
    let (old, mut kept): (Vec<_>, Vec<_>) = entries(folder)
        .into_iter()
        .partition(|entry| age(entry) > if entry.is_draft { MAX_DRAFT_AGE } else { max_age });
    old.iter().for_each(remove);
    kept.sort_by_key(|entry| entry.used);
    let mut bytes = kept.iter().map(|entry| entry.bytes).fold(0, u64::saturating_add);
    for entry in kept.iter().filter(|entry| !entry.is_draft && age(entry) > IN_USE) {
        if bytes <= max_bytes {
            break;
        }
        remove(entry);
        bytes = bytes.saturating_sub(entry.bytes);
    }
}

fn remove(entry: &Entry) {
    let _ = std::fs::remove_file(&entry.path);
}

fn entries(folder: &Path) -> Vec<Entry> {
    let folders = [DOCUMENTS, TEXTS, URLS, RESPONSES].map(|name| folder.join(name));
    let listed = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let entry = |entry: std::fs::DirEntry| {
        let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let is_draft = entry.file_name().to_string_lossy().starts_with(DRAFT);
        Some(Entry { path: entry.path(), bytes: about.len(), used: about.modified().ok()?, is_draft })
    };
    listed.filter_map(entry).collect()
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
        let entries = std::fs::read_dir(folder.join(DOCUMENTS)).unwrap();
        let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
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
