//! A context over the real world: files on disk, readers in processes of their own, a store on disk or in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::ContextError;
use super::files::{FallbackPasswordReader, OpenPdf, PdfPassword, Requester, Sources, SystemFonts};
use super::request::AnswerSettings;
use super::{ContextManager, ContextParts};
use crate::limits::Limits;
use crate::source::{HashCache, Roots, is_url, kept_reference};
use crate::store::{
    DatabaseSettings, MemoryStore, OpenedStore, StoreError, StoreReport, inspect_database, inspect_folder,
    open_database, open_or_memory,
};
use crate::web::{Web, WebSettings};
use crate::worker::{
    HAS_PROCESSES, InProcess, Layers, ReadFonts, Reader, WorkerError, WorkerReader, WorkerSettings, confine_command,
};

/// What a door knows of the world it runs in.
#[derive(Debug, Clone)]
pub struct ContextConfig {
    /// Folders beneath which files may be opened; `None` allows every file that the system does.
    pub roots: Option<Vec<PathBuf>>,
    /// Where relative paths start.
    pub working_directory: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// Where conversations are remembered; `None` remembers them until the process ends.
    pub data_directory: Option<PathBuf>,
    /// Opens encrypted PDFs for calls that bring no password.
    pub password: Option<PdfPassword>,
    /// A database in which conversations are remembered in place of the data directory; where that says that they are.
    pub database: Option<DatabaseSettings>,
    /// Bounds on reading.
    pub limits: Limits,
    /// Bounds on answers.
    pub settings: AnswerSettings,
    /// Where PDFs are read.
    pub isolation: Isolation,
    /// What may be fetched.
    pub web: WebSettings,
    /// Where is kept what was fetched; `None` keeps it until the process ends.
    pub fetched_directory: Option<PathBuf>,
}

/// Where PDFs are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// In this process: a reader that breaks may end it.
    InProcess,
    /// In this process, which first takes from itself all but the document and a folder. For [`ContextConfig::open_pdf`]
    /// alone: nothing else can be opened afterwards.
    Confined {
        /// Where files may still be written.
        folder: PathBuf,
        /// As of workers.
        settings: WorkerSettings,
    },
    /// In confined processes of their own.
    Workers(WorkerSettings),
}

/// What of a process's surroundings works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The layers around a worker, or why none could be started; `None` where PDFs are read in this process.
    pub layers: Option<Result<Layers, WorkerError>>,
    /// Where conversations are remembered.
    pub data_directory: Option<PathBuf>,
    /// Why the memory there cannot be used.
    pub store_problem: Option<String>,
}

/// A context, and what its user should know about how it came about.
pub struct OpenedContext {
    /// The context.
    pub context: ContextManager,
    /// What went wrong on the way, in a sentence.
    pub warning: Option<String>,
}

impl ContextConfig {
    /// A context over these surroundings. A data directory that cannot be used is a warning: answers must not fail for it.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a root that is no folder, [`ContextError::Database`] for a database that cannot be used
    /// as it was named.
    pub fn open_context(self) -> Result<OpenedContext, ContextError> {
        let store = self.open_store().map_err(ContextError::Database)?;
        let sources = self.sources()?;
        let context = ContextManager::new(ContextParts {
            sources,
            reader: self.reader(),
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
    pub fn open_pdf(
        &self,
        reference: &str,
        password: Option<&str>,
        asking: Requester<'_>,
    ) -> Result<OpenPdf, ContextError> {
        if let Isolation::Confined { settings, .. } = &self.isolation
            && is_of_the_web(reference)
        {
            // What fetches has threads that the confinement would not reach.
            let isolation = Isolation::Workers(settings.clone());
            return Self { isolation, ..self.clone() }.open_pdf(reference, password, asking);
        }
        let sources = self.sources()?;
        if let Isolation::Confined { folder, settings } = &self.isolation {
            let refused = |error: WorkerError| ContextError::Pdf { path: reference.to_owned(), error: error.into() };
            confine(sources.resolve(reference)?.path(), folder, settings).map_err(refused)?;
        }
        sources.open_pdf(reference, password, &*self.reader(), &self.limits, asking)
    }

    /// What of these surroundings works.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        let layers = match &self.isolation {
            Isolation::InProcess | Isolation::Confined { .. } => None,
            Isolation::Workers(settings) if !HAS_PROCESSES && !settings.require_sandbox => None,
            Isolation::Workers(settings) => {
                Some(WorkerReader::start(settings.clone(), self.limits.clone(), Arc::new(SystemFonts)).layers())
            }
        };
        let store_problem = match self.open_store() {
            Ok(store) => store.warning.map(|warning| warning.to_string()),
            Err(error) => Some(error.to_string()),
        };
        Diagnosis { layers, data_directory: self.data_directory.clone(), store_problem }
    }

    /// What the store is like; `None` where conversations end with the process.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn inspect_store(&self) -> Result<Option<StoreReport>, StoreError> {
        match (&self.database, &self.data_directory) {
            (Some(database), _) => inspect_database(database).map(Some),
            (None, Some(folder)) => inspect_folder(folder).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn open_store(&self) -> Result<OpenedStore, StoreError> {
        match (&self.database, self.data_directory.as_deref()) {
            (Some(database), folder) => open_database(database, folder),
            (None, Some(folder)) => Ok(open_or_memory(folder)),
            (None, None) => Ok(in_memory()),
        }
    }

    fn reader(&self) -> Arc<dyn Reader> {
        let reader = self.reader_without_password();
        match &self.password {
            Some(password) => Arc::new(FallbackPasswordReader { reader, password: password.clone() }),
            None => reader,
        }
    }

    fn reader_without_password(&self) -> Arc<dyn Reader> {
        match &self.isolation {
            Isolation::InProcess | Isolation::Confined { .. } => {
                Arc::new(InProcess::new(self.limits.clone(), Arc::new(ReadFonts::new(Arc::new(SystemFonts)))))
            }
            Isolation::Workers(settings) => {
                Arc::new(WorkerReader::start(settings.clone(), self.limits.clone(), Arc::new(SystemFonts)))
            }
        }
    }

    fn sources(&self) -> Result<Sources, ContextError> {
        let roots = match &self.roots {
            None => Roots::everything(),
            Some(folders) => Roots::beneath(folders).map_err(|error| root_refused(folders, error))?,
        };
        let web = Some(Arc::new(Web::new(self.web.clone(), self.fetched_directory.clone())));
        Ok(Sources { roots, working_directory: self.working_directory.clone(), home: self.home.clone(), web })
    }
}

/// What is fetched, or was.
fn is_of_the_web(reference: &str) -> bool {
    is_url(reference) || kept_reference(reference).is_some()
}

fn confine(document: &Path, folder: &Path, settings: &WorkerSettings) -> Result<(), WorkerError> {
    let layers = confine_command(document, folder, settings.memory_bytes);
    let missing = layers.missing().filter(|_| settings.require_sandbox);
    missing.map_or(Ok(()), |missing| Err(WorkerError::Unsandboxed { missing }))
}

fn root_refused(folders: &[PathBuf], error: crate::source::SourceError) -> ContextError {
    let path = folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    ContextError::Source { path, error }
}

fn in_memory() -> OpenedStore {
    OpenedStore { views: Arc::new(MemoryStore::new()), hashes: None, warning: None }
}
