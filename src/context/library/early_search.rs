//! A search that does not wait until all files are looked at: most searches find them as the index has them.

use std::path::PathBuf;

use super::{FoundDocuments, RankedRequest};
use crate::context::ContextManager;
use pagewise_library::{DocumentSet, Index, RankedPage};

/// What the index answers if no file has changed.
pub(super) struct EarlySearch {
    documents: DocumentSet,
    pages: Vec<RankedPage>,
}

impl EarlySearch {
    /// The pages, if these are the documents of the answer.
    pub(super) fn pages_of(self, documents: &FoundDocuments<'_>) -> Option<Vec<RankedPage>> {
        let is_same = self.documents.len() == documents.len()
            && self.documents.iter().all(|document| documents.contains_key(document));
        is_same.then_some(self.pages)
    }
}

impl ContextManager {
    /// Searches the documents that the index has of the request's paths. `None` if that cannot be told without their files.
    pub(super) fn search_early(&self, request: &RankedRequest, index: &Index) -> Option<EarlySearch> {
        // A document without a date has that of its file.
        if request.dates.is_some() {
            return None;
        }
        let mut documents = DocumentSet::default();
        for path in &request.paths {
            let single = self.sources.resolve(path).ok()?.path().components().collect::<PathBuf>();
            let scope = self.known_scope(path).ok()?;
            let known = scope.known_files(index).filter_map(|file| index.file(file));
            documents.extend(known.chain(index.file(&single.to_string_lossy())).map(|file| file.content));
        }
        documents.retain(|content| index.document(content).is_some_and(|document| document.problem.is_none()));
        let pages = request.search(index, documents.clone())?;
        Some(EarlySearch { documents, pages })
    }
}
