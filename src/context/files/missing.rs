//! Explains that a file is missing: the folders that were searched, and the most similar names in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use similar::get_close_matches;

use super::Sources;
use crate::context::error::ContextError;
use crate::source::{SourceError, WalkScope};

/// Names in an error.
const MAX_NEAREST: usize = 3;

/// Names that are tried, since some may be links that lead nowhere.
const MAX_COMPARED: usize = 20;

/// The least similarity of a name, from 0 to 1. Below it, names have only single letters in common.
const MIN_SIMILARITY: f32 = 0.6;

/// Bytes of a path that is compared. No file system has names of more than 255, and comparing takes their product.
const MAX_WANTED_BYTES: usize = 4_096;

/// Where a missing file was looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingFile {
    /// The folders.
    pub folders: Vec<PathBuf>,
    /// The names beneath them that are most like the missing one, as a call may give them.
    pub nearest: Vec<String>,
    /// Whether there were too many names to compare all.
    pub is_cut: bool,
}

impl Sources {
    /// Adds to the error for a missing file what lies near it. Other errors stay as they are.
    ///
    /// It walks through folders, so it is only for files that a client names.
    pub(crate) fn explain(&self, error: ContextError) -> ContextError {
        match error {
            ContextError::Source { path, error: SourceError::NotFound { .. } } => {
                let missing = self.missing(&path);
                ContextError::NotFound { path, missing }
            }
            error => error,
        }
    }

    fn missing(&self, reference: &str) -> MissingFile {
        let Ok(wanted) = self.resolve(reference) else { return MissingFile::default() };
        let roots = self.roots.folders();
        let folders = if roots.is_empty() { vec![self.existing_folder(wanted.path())] } else { roots };
        let mut found = Vec::new();
        let mut is_cut = false;
        for folder in &folders {
            let walk = self.roots.walk(folder, WalkScope::default()).unwrap_or_default();
            is_cut |= walk.is_cut;
            found.extend(walk.files.into_iter().map(|file| folder.join(file.path)));
        }
        let nearest = nearest(wanted.path(), &found).into_iter();
        // A link may lead nowhere, or out of the roots.
        let nearest = nearest.filter(|path| self.roots.open_path(path).is_ok()).take(MAX_NEAREST);
        let nearest = nearest.map(|path| self.shortest_name(path)).collect();
        MissingFile { folders, nearest, is_cut }
    }

    /// The folder of a missing file or, if that is missing too, the working directory.
    fn existing_folder(&self, wanted: &Path) -> PathBuf {
        let parent = wanted.parent().filter(|parent| parent.is_dir());
        parent.map_or_else(|| self.working_directory.clone(), Path::to_path_buf)
    }

    /// The path relative to the working directory, if it lies there.
    fn shortest_name(&self, path: &Path) -> String {
        path.strip_prefix(&self.working_directory).unwrap_or(path).display().to_string()
    }
}

/// The paths whose names are most like that of `wanted`, the best first.
fn nearest<'a>(wanted: &Path, found: &'a [PathBuf]) -> Vec<&'a PathBuf> {
    if wanted.as_os_str().len() > MAX_WANTED_BYTES {
        return Vec::new();
    }
    let mut by_stem = BTreeMap::<String, Vec<&PathBuf>>::new();
    for path in found {
        by_stem.entry(stem(path)).or_default().push(path);
    }
    let (wanted_stem, stems) = (stem(wanted), by_stem.keys().map(String::as_str).collect::<Vec<_>>());
    let close = get_close_matches(wanted_stem.as_str(), &stems, MAX_COMPARED, MIN_SIMILARITY);
    let mut nearest = Vec::new();
    for stem in close {
        let mut paths = by_stem.get(stem).cloned().unwrap_or_default();
        paths.sort_by_key(|path| (path.extension() != wanted.extension(), path.components().count()));
        nearest.extend(paths);
    }
    nearest
}

/// The name without its extension, in lower case: most names of a folder share their extension.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_those_that_a_typing_error_or_a_wrong_folder_leads_away_from() {
        let found = ["b/report.docx", "a/Report.pdf", "reprot-2.pdf", "invoice.pdf", "x.pdf"].map(PathBuf::from);
        let names = |wanted: &str| {
            let nearest = nearest(Path::new(wanted), &found);
            nearest.into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("/c/report.pdf"), ["a/Report.pdf", "b/report.docx", "reprot-2.pdf"]);
        assert_eq!(names("invoices.pdf"), ["invoice.pdf"]);
        assert_eq!(names("zebra.pdf"), [""; 0]);
    }
}
