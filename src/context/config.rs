//! Builds a context from a configuration: files on disk, readers in worker processes, a store on disk or in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::annotations::ATTACHMENT_MARK;
use super::answer::is_same_file;
use super::error::ContextError;
use super::files::{FallbackPasswordReader, OpenPdf, PdfPassword, Requester, Sources, SystemFonts};
use super::request::AnswerSettings;
use super::{ContextManager, ContextParts};
use crate::source::{HashCache, Roots, SourceError, is_url, parse_fetch_reference};
use crate::worker::{
    HAS_PROCESSES, InProcessReader, LocalFonts, OcrEngine, Reader, SandboxLayers, WorkerError, WorkerReader,
    WorkerSettings, confine_command,
};
use pagewise_base::limits::Limits;
use pagewise_store::{
    DatabaseSettings, MemoryStore, OpenedStore, StoreError, StoreReport, inspect_database, inspect_folder,
    open_database, open_or_memory,
};
use pagewise_web::{Web, WebSettings};

/// The configuration of a context.
#[derive(Debug, Clone)]
pub struct ContextConfig {
    /// Folders beneath which files may be opened; `None` allows every file that the system allows.
    pub roots: Option<Vec<PathBuf>>,
    /// Where relative paths start.
    pub working_directory: PathBuf,
    /// The folder of `~`.
    pub home: Option<PathBuf>,
    /// Where conversations are stored; `None` keeps them in memory until the process ends.
    pub data_directory: Option<PathBuf>,
    /// The password for encrypted PDFs when a call gives none.
    pub password: Option<PdfPassword>,
    /// A database that stores conversations in place of the data directory.
    pub database: Option<DatabaseSettings>,
    /// Bounds on reading.
    pub limits: Limits,
    /// Bounds on answers.
    pub settings: AnswerSettings,
    /// Where PDFs are read.
    pub isolation: Isolation,
    /// What may be fetched.
    pub web: WebSettings,
    /// Where fetched content is kept; `None` keeps it until the process ends.
    pub fetched_directory: Option<PathBuf>,
    /// The folder of the models that recognise text.
    pub ocr_models: Option<PathBuf>,
}

/// Where PDFs are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// In this process; a crash of a reader may end it.
    InProcess,
    /// In confined worker processes.
    Workers(WorkerSettings),
    /// The same; they start when the first document is opened, which may be never.
    WorkersOnDemand(WorkerSettings),
}

impl Isolation {
    /// Starts no worker before it is needed.
    #[must_use]
    pub fn on_demand(self) -> Self {
        match self {
            Self::Workers(settings) => Self::WorkersOnDemand(settings),
            other => other,
        }
    }
}

/// Which parts of the configuration work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The sandbox layers of a worker, or why none started; `None` if PDFs are read in this process.
    pub layers: Option<Result<SandboxLayers, WorkerError>>,
    /// Where conversations are remembered.
    pub data_directory: Option<PathBuf>,
    /// Why conversations cannot be stored there.
    pub store_problem: Option<String>,
    /// What recognises the text of scans.
    pub ocr: OcrEngine,
}

/// A context, and a warning about how it was opened.
pub struct OpenedContext {
    /// The context.
    pub context: ContextManager,
    /// What went wrong while opening, in one sentence.
    pub warning: Option<String>,
}

impl ContextConfig {
    /// Opens a context. If the data directory is unusable, conversations stay in memory and the result carries a
    /// warning.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a root that is not a folder, [`ContextError::Database`] for a configured database
    /// that cannot be used.
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

    /// The configuration for reading the file `reference` in this process instead of a worker. The process is confined to
    /// reading that file and writing in `folder`, for good.
    ///
    /// To be called before the process starts a thread: only this thread and its descendants are confined, and threads
    /// share their memory.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a file that is not there, and [`ContextError::Pdf`] if the sandbox is required and lacks
    /// a layer.
    pub fn confined_to(self, reference: &str, folder: &Path) -> Result<Self, ContextError> {
        let Isolation::Workers(settings) = &self.isolation else { return Ok(self) };
        if is_web_reference(reference) || reference.contains(ATTACHMENT_MARK) {
            // The confinement allows neither fetching nor files in memory.
            return Ok(self);
        }
        let refused = |error: WorkerError| ContextError::Pdf { path: reference.to_owned(), error: error.into() };
        let sources = self.sources()?;
        let document = sources.resolve(reference)?;
        // A confined process cannot look for similar names.
        if let Err(error @ SourceError::NotFound { .. }) = sources.roots.stat(document.path()) {
            return Err(sources.explain(ContextError::Source { path: reference.to_owned(), error }));
        }
        confine(document.path(), folder, settings).map_err(refused)?;
        Ok(Self { isolation: Isolation::InProcess, ..self })
    }

    /// Opens a PDF alone: no store, no content hash.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf(
        &self,
        reference: &str,
        password: Option<&str>,
        requester: Requester<'_>,
    ) -> Result<OpenPdf, ContextError> {
        self.sources()?.open_pdf(reference, password, &*self.reader(), &self.limits, requester)
    }

    /// Checks which parts of this configuration work.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        let settings = match &self.isolation {
            Isolation::InProcess => None,
            Isolation::Workers(settings) | Isolation::WorkersOnDemand(settings) => Some(self.with_models(settings)),
        };
        let workers = || {
            let settings = settings.clone()?;
            Some(WorkerReader::start(settings, self.limits.clone(), Arc::new(SystemFonts)))
        };
        let has_layers = settings.as_ref().is_some_and(|settings| HAS_PROCESSES || settings.require_sandbox);
        let layers = has_layers.then(workers).flatten().map(|workers| workers.layers());
        let engine_problem = |folder: &Path| match workers() {
            Some(workers) => workers.engine_problem(),
            None => OcrEngine::problem_of(folder),
        };
        let ocr = OcrEngine::find(self.ocr_models.as_deref(), settings.as_ref(), engine_problem);
        let store_problem = match self.open_store() {
            Ok(store) => store.warning.map(|warning| warning.to_string()),
            Err(error) => Some(error.to_string()),
        };
        Diagnosis { layers, data_directory: self.data_directory.clone(), store_problem, ocr }
    }

    /// Inspects the store; `None` if conversations end with the process.
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
            (None, None) => Ok(open_in_memory()),
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
            Isolation::InProcess => {
                let fonts = Arc::new(LocalFonts::new(Arc::new(SystemFonts)));
                Arc::new(InProcessReader::with_models(self.limits.clone(), fonts, self.ocr_models.as_deref()))
            }
            Isolation::Workers(settings) => {
                Arc::new(WorkerReader::start(self.with_models(settings), self.limits.clone(), Arc::new(SystemFonts)))
            }
            Isolation::WorkersOnDemand(settings) => {
                Arc::new(WorkerReader::new(self.with_models(settings), self.limits.clone(), Arc::new(SystemFonts)))
            }
        }
    }

    fn with_models(&self, settings: &WorkerSettings) -> WorkerSettings {
        WorkerSettings { models: self.ocr_models.clone(), ..settings.clone() }
    }

    /// Whether `file` is the file that `reference` names, or the one that contains what it names.
    #[must_use]
    pub fn is_source(&self, reference: &str, file: &Path) -> bool {
        let source = self.sources().ok().and_then(|sources| sources.local_file(reference));
        source.is_some_and(|source| is_same_file(&source, file))
    }

    fn sources(&self) -> Result<Sources, ContextError> {
        let roots = match &self.roots {
            None => Roots::everything(),
            Some(folders) => Roots::beneath(folders).map_err(|error| root_error(folders, error))?,
        };
        let web = Some(Arc::new(Web::new(self.web.clone(), self.fetched_directory.clone())));
        Ok(Sources { roots, working_directory: self.working_directory.clone(), home: self.home.clone(), web })
    }
}

/// Whether the reference is a URL or the `responseId` of fetched content.
fn is_web_reference(reference: &str) -> bool {
    is_url(reference) || parse_fetch_reference(reference).is_some()
}

fn confine(document: &Path, folder: &Path, settings: &WorkerSettings) -> Result<(), WorkerError> {
    let layers = confine_command(document, folder, settings.memory_bytes);
    let missing = layers.missing().filter(|_| settings.require_sandbox);
    missing.map_or(Ok(()), |missing| Err(WorkerError::Unsandboxed { missing }))
}

fn root_error(folders: &[PathBuf], error: SourceError) -> ContextError {
    let missing = folders.iter().filter(|folder| !folder.is_dir());
    let path = missing.map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    ContextError::Source { path, error }
}

fn open_in_memory() -> OpenedStore {
    OpenedStore { views: Arc::new(MemoryStore::new()), hashes: None, warning: None }
}
