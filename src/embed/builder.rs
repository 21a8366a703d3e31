//! How the library is set up.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Pagewise;
use super::api::Api;
use super::error::Error;
use crate::context::RequestBounds;
use crate::context::{AnswerSettings, ContextConfig, Isolation, PdfPassword};
use crate::tool::{ErrorCode, FormArgument, ToolError};
use crate::worker::{DEFAULT_DEADLINE, WorkerSettings};
use pagewise_base::limits::Limits;
use pagewise_web::WebSettings;

/// Sets up a [`Pagewise`].
#[derive(Debug, Clone)]
pub struct Builder {
    roots: Vec<PathBuf>,
    data_folder: Option<PathBuf>,
    form: FormArgument,
    password: Option<String>,
    limits: Limits,
    deadline: Duration,
    bounds: RequestBounds,
    worker: Option<PathBuf>,
    is_web_allowed: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            data_folder: None,
            form: FormArgument::Auto,
            password: None,
            limits: Limits::default(),
            deadline: DEFAULT_DEADLINE,
            bounds: RequestBounds::default(),
            worker: None,
            is_web_allowed: false,
        }
    }
}

impl Builder {
    /// Adds a folder whose files may be read. Relative paths start at the first one. Default: the working directory.
    #[must_use]
    pub fn root(mut self, folder: impl AsRef<Path>) -> Self {
        self.roots.push(folder.as_ref().to_owned());
        self
    }

    /// Remembers conversations in a database in this folder, which processes may share: hashes, page numbers and file
    /// names, never content. Pages in the form [`Path`](FormArgument::Path) are written there too. Default: conversations
    /// are remembered until this value is dropped.
    #[must_use]
    pub fn data_folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.data_folder = Some(folder.as_ref().to_owned());
        self
    }

    /// How pages come where a request does not say. Default: PDFs.
    #[must_use]
    pub fn form(mut self, form: FormArgument) -> Self {
        self.form = form;
        self
    }

    /// Opens encrypted PDFs for requests that bring no password.
    #[must_use]
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Limits on reading PDFs.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Time for one operation on a PDF. Default: 20 seconds.
    #[must_use]
    pub fn deadline(mut self, time: Duration) -> Self {
        self.deadline = time;
        self
    }

    /// Limits each conversation to what one request to this model may contain. Beyond it, requests are refused until
    /// [`Pagewise::forget`]. Default: what the models of all providers with published limits accept.
    #[must_use]
    pub fn model(mut self, api: Api, model: &str) -> Self {
        self.bounds = api.request_bounds(model);
        self
    }

    /// Reads PDFs in confined processes, started as `{program} worker`, where `program` is the command `pagewise` of the
    /// same version. Default: in this process.
    #[must_use]
    pub fn workers(mut self, program: impl AsRef<Path>) -> Self {
        self.worker = Some(program.as_ref().to_owned());
        self
    }

    /// Fetches URLs of the public internet. Default: URLs are refused.
    #[must_use]
    pub fn web(mut self) -> Self {
        self.is_web_allowed = true;
        self
    }

    /// Opens the memory and the folders. Blocks while it does.
    ///
    /// # Errors
    /// A root that is no folder, and a data folder that cannot be used.
    pub fn build(self) -> Result<Pagewise, Error> {
        let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let mut roots = self.roots.iter().map(|root| here.join(root)).collect::<Vec<_>>();
        if roots.is_empty() {
            roots.push(here.clone());
        }
        let data_folder = self.data_folder.map(|folder| here.join(folder));
        let output_directory =
            data_folder.as_ref().map_or_else(|| env::temp_dir().join("pagewise"), |folder| folder.join("pages"));
        let isolation = match self.worker {
            Some(program) => {
                Isolation::Workers(WorkerSettings { deadline: self.deadline, ..WorkerSettings::new(program) })
            }
            None => Isolation::InProcess,
        };
        let config = ContextConfig {
            working_directory: roots.first().cloned().unwrap_or(here),
            roots: Some(roots),
            home: env::home_dir(),
            fetched_directory: data_folder.as_ref().map(|folder| folder.join("fetched")),
            ocr_models: data_folder.as_ref().map(|folder| folder.join("ocr")),
            data_directory: data_folder,
            password: self.password.map(PdfPassword::new),
            database: None,
            limits: self.limits.for_operations_of(self.deadline),
            settings: AnswerSettings { request_bounds: self.bounds, output_directory, ..AnswerSettings::default() },
            isolation,
            web: WebSettings { offline: !self.is_web_allowed, ..WebSettings::default() },
        };
        let opened = config.open_context().map_err(ToolError::from)?;
        match opened.warning {
            Some(problem) => Err(ToolError::new(ErrorCode::StoreFailed, problem).into()),
            None => Ok(Pagewise { context: opened.context, form: self.form }),
        }
    }
}
