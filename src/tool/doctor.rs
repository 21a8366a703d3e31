//! What works here, for whoever sets pagewise up.

use std::path::PathBuf;

use serde::Serialize;

use crate::context::{Diagnosis, WorkerError};

/// What works here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorResult {
    /// This program's version.
    pub version: &'static str,
    /// The system it was built for.
    pub system: String,
    /// Whether PDFs are read in processes of their own.
    pub workers: bool,
    /// Each layer of the sandbox around them.
    pub layers: Vec<LayerState>,
    /// The version of Landlock's interface in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landlock_abi: Option<u32>,
    /// Why no worker could be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker_problem: Option<String>,
    /// Where conversations are remembered.
    pub data_directory: Option<PathBuf>,
    /// Why they cannot be remembered there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_problem: Option<String>,
}

/// One layer of the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerState {
    /// Its name.
    pub name: &'static str,
    /// Whether it holds.
    pub active: bool,
}

impl DoctorResult {
    /// A diagnosis, as it is told.
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
        }
    }

    /// Whether all that was asked for works; a layer that the system lacks is told, and is no failure.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.worker_problem.is_none() && self.store_problem.is_none()
    }

    /// The same as lines of text.
    #[must_use]
    pub fn text(&self) -> String {
        let reading = match (&self.worker_problem, self.workers) {
            (Some(problem), _) => problem.clone(),
            (None, true) => "in processes of their own".to_owned(),
            (None, false) => "in this process, without a sandbox".to_owned(),
        };
        let layer = |layer: &LayerState| {
            let state = match (layer.name, layer.active, self.landlock_abi) {
                ("landlock", true, Some(version)) => format!("active (version {version})"),
                (_, true, _) => "active".to_owned(),
                (_, false, _) => "missing on this system".to_owned(),
            };
            format!("  {}: {state}", layer.name)
        };
        let folder = self.data_directory.as_ref().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
        let head = [format!("pagewise {} on {}", self.version, self.system), format!("PDFs are read: {reading}")];
        let memory = self.store_problem.as_deref().unwrap_or("works");
        let tail = [format!("Data folder: {folder}"), format!("Memory of conversations: {memory}")];
        head.into_iter().chain(self.layers.iter().map(layer)).chain(tail).collect::<Vec<_>>().join("\n")
    }
}
