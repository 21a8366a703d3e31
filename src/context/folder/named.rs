//! A folder, or a path with wildcards, in place of a file: the PDFs that it names.

use std::path::{Path, PathBuf};

use super::is_document_name;
use crate::context::ContextManager;
use crate::context::error::ContextError;
use crate::context::files::source_error;
use crate::source::{PathPattern, Reference, SourceError, Stat, WalkScope, is_url};

/// The PDFs of a folder, or those that a pattern matches: those of the folder itself first, by name.
#[derive(Debug)]
pub struct NamedPdfs {
    /// The PDFs, by their names. There may be none in a folder.
    pub files: Vec<NamedPdf>,
    /// The folder that was read, absolute.
    pub folder: PathBuf,
    /// What its files had to match.
    pub pattern: Option<PathPattern>,
    /// Whether there are more files than a walk reads.
    pub is_cut: bool,
}

/// One of these PDFs.
#[derive(Debug)]
pub struct NamedPdf {
    /// As a call may give it.
    pub shown: PathBuf,
    /// Relative to the folder.
    pub path: PathBuf,
    /// Its stat, if it was read with its name.
    pub stat: Option<Stat>,
}

impl ContextManager {
    /// The PDFs that `reference` names; `None` if it is neither a folder nor a pattern that matches any. A file may have the
    /// name of a pattern.
    ///
    /// # Errors
    /// Every refusal of the folder.
    pub fn named_pdfs(&self, reference: &str) -> Result<Option<NamedPdfs>, ContextError> {
        if is_url(reference) {
            return Ok(None);
        }
        let resolved = self.sources.resolve(reference)?;
        match self.sources.roots.stat(resolved.path()) {
            Ok(_) => Ok(None),
            Err(SourceError::IsDirectory { .. }) => {
                let listed = self.listed_pdfs(&resolved, Path::new(reference), None);
                listed.map(Some).map_err(|error| source_error(reference, error))
            }
            Err(_) => PathPattern::parse(reference).map_or(Ok(None), |pattern| self.matched_pdfs(reference, pattern)),
        }
    }

    fn matched_pdfs(&self, reference: &str, pattern: PathPattern) -> Result<Option<NamedPdfs>, ContextError> {
        let folder = self.pattern_folder(&pattern)?;
        let shown = pattern.folder().to_path_buf();
        match self.listed_pdfs(&folder, &shown, Some(pattern)) {
            Ok(named) => Ok(Some(named).filter(|named| !named.files.is_empty())),
            Err(SourceError::NotFound { .. }) => Ok(None),
            Err(error) => Err(source_error(reference, error)),
        }
    }

    /// The folder that a pattern begins with.
    pub(in crate::context) fn pattern_folder(&self, pattern: &PathPattern) -> Result<Reference, ContextError> {
        let folder = pattern.folder().to_string_lossy();
        self.sources.resolve(if folder.is_empty() { "." } else { &folder })
    }

    fn listed_pdfs(
        &self,
        folder: &Reference,
        shown: &Path,
        pattern: Option<PathPattern>,
    ) -> Result<NamedPdfs, SourceError> {
        let folder = folder.path().components().collect::<PathBuf>();
        let scope = WalkScope { stat_of: Some(is_document_name), pattern: pattern.as_ref() };
        let walk = self.sources.roots.walk(&folder, scope)?;
        let pdfs = walk.files.into_iter().filter(|file| is_document_name(&file.path));
        let files = pdfs.map(|file| NamedPdf { shown: shown.join(&file.path), path: file.path, stat: file.stat });
        Ok(NamedPdfs { files: files.collect(), folder, pattern, is_cut: walk.is_cut })
    }
}
