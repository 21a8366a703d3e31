//! The diagnosis for people who set pagewise up.

use std::path::PathBuf;

use serde::Serialize;

use crate::context::Diagnosis;
use crate::worker::{OcrEngine, WorkerError};
use pagewise_store::{ServerReport, StoreError, StoreReport};

/// What works here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorResult {
    /// This program's version.
    pub version: &'static str,
    /// The operating system and architecture.
    pub system: String,
    /// Whether PDFs are read in worker processes.
    pub workers: bool,
    /// The sandbox layers around workers.
    pub layers: Vec<LayerState>,
    /// The Landlock ABI version in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landlock_abi: Option<u32>,
    /// Why no worker started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker_problem: Option<String>,
    /// Where conversations are remembered.
    pub data_directory: Option<PathBuf>,
    /// Why conversations cannot be stored there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_problem: Option<String>,
    /// What recognises the text of scans.
    pub ocr: OcrState,
    /// The store, if it was to be tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreState>,
}

/// What keeps conversations, tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreState {
    /// The database engine and its version.
    pub engine: String,
    /// Where it is.
    pub place: String,
    /// The schema version.
    pub schema: i64,
    /// Median time of a read, in microseconds.
    pub read_us: u64,
    /// Median time of a record, in microseconds.
    pub record_us: u64,
    /// Conversations that it knows.
    pub conversations: u64,
    /// What they hold.
    pub holdings: u64,
    /// The database server, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<DatabaseServerState>,
}

/// The database server and the connection to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseServerState {
    /// TLS protocol and cipher; `null` without TLS.
    pub tls: Option<String>,
    /// The database user, who may read and write every table.
    pub user: String,
    /// Seconds that its clock is ahead of this machine's.
    pub clock_ahead_seconds: i64,
    /// Maximum connections of this process.
    pub max_pool: usize,
    /// Maximum connections of the server over all clients.
    pub max_connections: String,
    /// What a commit waits for.
    pub synchronous_commit: String,
}

impl From<StoreReport> for StoreState {
    fn from(report: StoreReport) -> Self {
        let microseconds = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Self {
            engine: report.engine,
            place: report.location,
            schema: report.schema,
            read_us: microseconds(report.read),
            record_us: microseconds(report.record),
            conversations: report.conversations,
            holdings: report.holdings,
            server: report.server.map(DatabaseServerState::from),
        }
    }
}

impl From<ServerReport> for DatabaseServerState {
    fn from(report: ServerReport) -> Self {
        Self {
            tls: report.tls,
            user: report.user,
            clock_ahead_seconds: report.clock_ahead_seconds,
            max_pool: report.pool.max,
            max_connections: report.max_connections,
            synchronous_commit: report.durability,
        }
    }
}

/// What recognises the text of scans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OcrState {
    /// `models`, `tesseract` or `none`.
    pub engine: &'static str,
    /// The folder of models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The languages of `tesseract`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Why the engine cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Why `tesseract` is not used, if it may not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<&'static str>,
    /// How to get an engine on this system, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
}

impl OcrState {
    fn of(engine: &OcrEngine) -> Self {
        match engine {
            OcrEngine::Models(folder, problem) => {
                Self { engine: "models", folder: Some(folder.clone()), problem: problem.clone(), ..Self::default() }
            }
            OcrEngine::Tesseract(languages, problem) => {
                let (languages, problem) = (languages.clone(), problem.clone());
                Self { engine: "tesseract", languages, problem, ..Self::default() }
            }
            OcrEngine::None { folder, off, remedy } => {
                Self { engine: "none", folder: folder.clone(), off: *off, remedy: Some(remedy), ..Self::default() }
            }
        }
    }
}

/// One sandbox layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerState {
    /// Its name.
    pub name: &'static str,
    /// Whether it holds.
    pub active: bool,
}

impl DoctorResult {
    /// Converts a diagnosis.
    #[must_use]
    pub fn of(diagnosis: &Diagnosis) -> Self {
        let layers = diagnosis.layers.as_ref().and_then(|layers| layers.as_ref().ok());
        let failure = diagnosis.layers.as_ref().and_then(|layers| layers.as_ref().err());
        let each = layers.into_iter().flat_map(|layers| layers.each());
        Self {
            version: env!("CARGO_PKG_VERSION"),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            workers: layers.is_some(),
            layers: each.map(|(name, active)| LayerState { name, active }).collect(),
            landlock_abi: layers.and_then(|layers| layers.landlock),
            worker_problem: failure.map(WorkerError::to_string),
            data_directory: diagnosis.data_directory.clone(),
            store_problem: diagnosis.store_problem.clone(),
            ocr: OcrState::of(&diagnosis.ocr),
            store: None,
        }
    }

    /// Adds the result of testing the store; `None` if conversations end with the process.
    pub fn add_store(&mut self, tried: Result<Option<StoreReport>, StoreError>) {
        match tried {
            Ok(report) => self.store = report.map(StoreState::from),
            Err(error) => self.store_problem = Some(error.to_string()),
        }
    }

    /// Whether everything configured works. A layer that the system lacks is shown, but is no failure.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.worker_problem.is_none() && self.store_problem.is_none() && self.ocr.problem.is_none()
    }
}
