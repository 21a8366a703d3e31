//! The files of a search, with their stats.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::context::ContextManager;
use crate::context::error::ContextError;
use crate::context::files::source_error;
use crate::context::folder::{is_pdf_name, why_not_opened};
use crate::library::date_of_moment;
use crate::source::{OpenFile, SourceError, Stat, is_url};

/// A file of a search.
#[derive(Debug)]
pub(super) struct ScopeFile {
    /// As the request reaches it.
    shown: PathBuf,
    /// The absolute path, or the reference of an upload.
    pub(super) path: PathBuf,
    /// Its stat, or why it cannot be opened.
    pub(super) stat: Result<Stat, &'static str>,
    /// The hash of its stat, as the index knows it.
    pub(super) stat_key: [u8; 32],
}

impl ScopeFile {
    /// As the request reaches it.
    pub(super) fn shown(&self) -> String {
        self.shown.display().to_string()
    }

    /// Its path as the index knows it.
    pub(super) fn key(&self) -> Cow<'_, str> {
        self.path.to_string_lossy()
    }

    /// The date of its last change, as a number like 20240301.
    pub(super) fn date(&self) -> u32 {
        self.stat.as_ref().map_or(0, |stat| date_of_moment(stat.modified_ns))
    }
}

/// The files of a search.
#[derive(Debug, Default)]
pub(super) struct SearchFiles {
    pub(super) files: Vec<ScopeFile>,
    /// Folders that were listed whole: a file that the index has beneath one, and that is not listed, is gone.
    pub(super) folders: Vec<PathBuf>,
    /// Whether a folder has more files than a walk reads.
    pub(super) is_cut: bool,
}

impl ContextManager {
    /// The PDFs that `paths` name, and those in folders that they name.
    pub(super) fn search_files(&self, paths: &[String]) -> Result<SearchFiles, ContextError> {
        let mut found = SearchFiles::default();
        for path in paths {
            if is_url(path) {
                let error = SourceError::UnsupportedReference { reference: path.clone() };
                return Err(source_error(path, error));
            }
            if let Some(opened) = self.sources.uploaded(path).transpose() {
                found.files.push(scope_file(PathBuf::from(path), PathBuf::from(path), opened.map(|file| file.stat())));
                continue;
            }
            let resolved = self.sources.resolve(path)?.path().components().collect::<PathBuf>();
            match self.sources.roots.stat(&resolved) {
                Err(SourceError::IsDirectory { .. }) => self.add_folder(path, &resolved, &mut found)?,
                stat => found.files.push(scope_file(PathBuf::from(path), resolved, stat)),
            }
        }
        Ok(found)
    }

    pub(super) fn open_scope_file(&self, file: &ScopeFile) -> Result<OpenFile, SourceError> {
        match self.sources.uploaded(&file.shown())? {
            Some(upload) => Ok(upload),
            None => self.sources.roots.open_path(&file.path),
        }
    }

    fn add_folder(&self, shown: &str, folder: &Path, found: &mut SearchFiles) -> Result<(), ContextError> {
        let walk = self.sources.roots.walk(folder, Some(is_pdf_name));
        let walk = walk.map_err(|error| source_error(shown, error))?;
        let shown = Path::new(shown);
        for file in walk.files.iter().filter(|file| is_pdf_name(&file.path)) {
            let path = folder.join(&file.path);
            let stat = file.stat.map_or_else(|| self.sources.roots.stat(&path), Ok);
            found.files.push(scope_file(shown.join(&file.path), path, stat));
        }
        found.is_cut |= walk.is_cut;
        found.folders.extend((!walk.is_cut).then(|| folder.to_path_buf()));
        Ok(())
    }
}

fn scope_file(shown: PathBuf, path: PathBuf, stat: Result<Stat, SourceError>) -> ScopeFile {
    let stat = stat.map_err(|error| why_not_opened(&error));
    let stat_key = stat.as_ref().map(Stat::key).unwrap_or_default();
    ScopeFile { shown, path, stat, stat_key }
}
