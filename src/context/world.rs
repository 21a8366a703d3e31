//! A context over the real world: files on disk, readers in this process, a store on disk or in memory.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::ContextError;
use super::file::{OpenPdf, Sources};
use super::in_process::InProcess;
use super::request::AnswerSettings;
use super::{ContextManager, ContextWorld};
use crate::limits::Limits;
use crate::source::{HashCache, Roots};
use crate::store::{MemoryStore, OpenedStore, open_or_memory};

/// What a door knows of the world it runs in.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// Folders beneath which files may be opened; `None` allows every file that the system does.
    pub roots: Option<Vec<PathBuf>>,
    /// Where relative paths start.
    pub working_directory: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// Where conversations are remembered; `None` remembers them until the process ends.
    pub data_directory: Option<PathBuf>,
    /// Bounds on reading.
    pub limits: Limits,
    /// Bounds on answers.
    pub settings: AnswerSettings,
}

/// A context, and what its user should know about how it came about.
pub struct OpenedContext {
    /// The context.
    pub context: ContextManager,
    /// What went wrong on the way, in a sentence.
    pub warning: Option<String>,
}

impl Surroundings {
    /// A context over these surroundings. A store that cannot be opened is a warning: answers must not fail for it.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a root that is no folder.
    pub fn open_context(self) -> Result<OpenedContext, ContextError> {
        let store = self.data_directory.as_deref().map_or_else(in_memory, open_or_memory);
        let sources = self.sources()?;
        let context = ContextManager::new(ContextWorld {
            sources,
            reader: Arc::new(InProcess::new(self.limits.clone())),
            hashes: HashCache::new(store.hashes),
            store: store.views,
            limits: self.limits,
            settings: self.settings,
        });
        Ok(OpenedContext { context, warning: store.warning.map(|warning| warning.to_string()) })
    }

    /// Opens a PDF and nothing else: no store, no hash of the file.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf(&self, reference: &str, password: Option<&str>) -> Result<OpenPdf, ContextError> {
        let reader = InProcess::new(self.limits.clone());
        self.sources()?.open_pdf(reference, password, &reader, &self.limits)
    }

    fn sources(&self) -> Result<Sources, ContextError> {
        let roots = match &self.roots {
            None => Roots::everything(),
            Some(folders) => Roots::beneath(folders).map_err(|error| root_refused(folders, error))?,
        };
        Ok(Sources { roots, working_directory: self.working_directory.clone(), home: self.home.clone() })
    }
}

fn root_refused(folders: &[PathBuf], error: crate::source::SourceError) -> ContextError {
    let path = folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    ContextError::Source { path, error }
}

fn in_memory() -> OpenedStore {
    OpenedStore { views: Arc::new(MemoryStore::new()), hashes: None, warning: None }
}
