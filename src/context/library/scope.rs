//! The files of a search, with their stats.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::context::ContextManager;
use crate::context::error::ContextError;
use crate::context::files::source_error;
use crate::context::folder::{NamedPdf, NamedPdfs, why_not_opened};
use crate::source::{OpenFile, PathPattern, SourceError, Stat, is_url};
use pagewise_library::{Index, date_of_moment};

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
    fn new(shown: PathBuf, path: PathBuf, stat: Result<Stat, &'static str>) -> Self {
        let stat_key = stat.as_ref().map(Stat::key).unwrap_or_default();
        Self { shown, path, stat, stat_key }
    }

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

#[derive(Debug, Default)]
pub(super) struct SearchFiles {
    pub(super) files: Vec<ScopeFile>,
    /// What was listed whole: a file that the index has of it, and that is not listed, is gone.
    pub(super) listed: Vec<ListedScope>,
    /// Whether a folder has more files than a walk reads.
    pub(super) is_cut: bool,
}

/// A folder, or what a pattern matches in it.
#[derive(Debug)]
pub(super) struct ListedScope {
    folder: PathBuf,
    pattern: Option<PathPattern>,
}

impl ListedScope {
    /// The paths of its files that the index has.
    pub(super) fn known_files(&self, index: &Index) -> Vec<String> {
        let mut files = index.files_beneath(&self.folder);
        files.retain(|file| {
            let inside = || Path::new(file).strip_prefix(&self.folder);
            self.pattern.as_ref().is_none_or(|pattern| inside().is_ok_and(|inside| pattern.matches(inside)))
        });
        files
    }
}

impl ContextManager {
    /// The PDFs that `paths` name, and those in folders and of patterns.
    ///
    /// # Errors
    /// Every refusal of a folder. If no path can be opened, the error of the first.
    pub(super) fn search_files(&self, paths: &[String]) -> Result<SearchFiles, ContextError> {
        let mut found = SearchFiles::default();
        let mut failure = None;
        for path in paths {
            if is_url(path) {
                let error = SourceError::UnsupportedReference { reference: path.clone() };
                return Err(source_error(path, error));
            }
            if let Some(opened) = self.sources.uploaded(path).transpose() {
                found.files.push(scope_file(PathBuf::from(path), PathBuf::from(path), opened.map(|file| file.stat())));
                continue;
            }
            if let Some(named) = self.named_pdfs(path)? {
                self.add_named(named, &mut found);
                continue;
            }
            let resolved = self.sources.resolve(path)?.path().components().collect::<PathBuf>();
            let stat = self.sources.roots.stat(&resolved).map_err(|error| {
                let why = why_not_named(&error);
                failure.get_or_insert(source_error(path, error));
                why
            });
            found.files.push(ScopeFile::new(PathBuf::from(path), resolved, stat));
        }
        match failure.filter(|_| found.listed.is_empty() && found.files.iter().all(|file| file.stat.is_err())) {
            Some(failure) => Err(self.sources.explain(failure)),
            None => Ok(found),
        }
    }

    pub(super) fn open_scope_file(&self, file: &ScopeFile) -> Result<OpenFile, SourceError> {
        match self.sources.uploaded(&file.shown())? {
            Some(upload) => Ok(upload),
            None => self.sources.roots.open_path(&file.path),
        }
    }

    fn add_named(&self, named: NamedPdfs, found: &mut SearchFiles) {
        let NamedPdfs { files, folder, pattern, is_cut } = named;
        for NamedPdf { shown, path, stat } in files {
            let path = folder.join(path);
            let stat = stat.map_or_else(|| self.sources.roots.stat(&path), Ok);
            found.files.push(scope_file(shown, path, stat));
        }
        found.is_cut |= is_cut;
        found.listed.extend((!is_cut).then_some(ListedScope { folder, pattern }));
    }
}

/// A file that was found, not named.
fn scope_file(shown: PathBuf, path: PathBuf, stat: Result<Stat, SourceError>) -> ScopeFile {
    ScopeFile::new(shown, path, stat.map_err(|error| why_not_opened(&error)))
}

fn why_not_named(error: &SourceError) -> &'static str {
    match error {
        SourceError::NotFound { .. } => "no such file",
        error => why_not_opened(error),
    }
}
