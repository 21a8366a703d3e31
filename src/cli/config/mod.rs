//! The settings. A flag wins over an environment variable, that over the file, that over the default.
//!
//! [`GROUPS`](table::GROUPS) is the one table: a row is a setting's name, unit, meaning and place in [`Config`]. The name
//! is the key of the TOML file; `PAGEWISE_` and the name in capitals is the variable; `--set name=value` is the flag that
//! every setting has. A setting that is a table has entries of any name: one is set as `name.entry`, several as
//! `entry=value,entry=value`.

mod file;
mod load;
mod models;
mod show;
mod store;
mod table;
mod target;

use std::collections::BTreeMap;
use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;

use self::models::ModelConfig;
use crate::cli::log::{LevelFilter, LogFormat};
use crate::cli::open::this_program;
use crate::context::AnswerSettings;
use crate::serve::HttpSettings;
use crate::tool::{FormArgument, ToolSet};
use crate::worker::WorkerSettings;
use pagewise_base::limits::Limits;
use pagewise_web::WebSettings;

pub(super) use self::load::{LoadedSettings, load};
pub(super) use self::show::{as_json, as_list, as_toml};

/// Every setting's value.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// The folder of the memory; `None` if the system names no home folder.
    pub(super) data_dir: Option<PathBuf>,
    /// The address of the database that replaces it.
    pub(super) store: Option<Secret>,
    /// Largest number of connections to it.
    pub(super) store_connections: usize,
    /// The folder for pages that are given as a path.
    pub(super) output_dir: Option<PathBuf>,
    /// Folders that a server may read besides its working directory.
    pub(super) roots: Vec<PathBuf>,
    /// The password for encrypted PDFs.
    pub(super) password: Option<Secret>,
    /// The form of pages for calls that name none.
    pub(super) form: FormArgument,
    /// The form of pages by the name of a server's client.
    pub(super) client_forms: BTreeMap<String, FormArgument>,
    /// The tools that a server's clients see.
    pub(super) tools: ToolSet,
    /// Read PDFs in this process.
    pub(super) no_sandbox: bool,
    /// Refuse to read if a layer of the sandbox is missing.
    pub(super) require_sandbox: bool,
    /// The folder of the models that recognise text.
    pub(super) ocr_models: Option<PathBuf>,
    /// Where the texts of ranked searches are kept.
    pub(super) index: IndexPlace,
    /// Bounds on answers.
    pub(super) answers: AnswerSettings,
    /// Whether a bound on the output folder was set.
    pub(super) are_output_bounds_set: bool,
    /// Whether answers are printed as JSON, which is typed with each command and no setting.
    pub(super) is_json: bool,
    /// Bounds on reading.
    pub(super) limits: Limits,
    /// The worker processes.
    pub(super) workers: WorkerSettings,
    /// Models that are asked about PDFs.
    pub(super) models: ModelConfig,
    /// Bounds on fetching.
    pub(super) web: WebSettings,
    /// The address for HTTP; `None` serves standard input and output.
    pub(super) http_address: Option<SocketAddr>,
    /// Bearer tokens of callers over HTTP.
    pub(super) http_tokens: Vec<Secret>,
    /// The bearer token of `pagewise push`.
    pub(super) push_token: Option<Secret>,
    /// Whether each request over HTTP is logged.
    pub(super) http_log: bool,
    pub(super) log_level: LevelFilter,
    pub(super) log_format: LogFormat,
    /// Bounds of the HTTP server. Its address, tokens and log are the fields above.
    pub(super) http: HttpSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: application_folder("XDG_DATA_HOME", USUAL_FOLDERS[0]),
            store: None,
            store_connections: 8,
            output_dir: None,
            roots: Vec::new(),
            password: None,
            form: FormArgument::Auto,
            client_forms: BTreeMap::new(),
            tools: ToolSet::default(),
            no_sandbox: false,
            require_sandbox: false,
            ocr_models: None,
            index: IndexPlace::default(),
            answers: AnswerSettings::default(),
            are_output_bounds_set: false,
            is_json: false,
            limits: Limits::default(),
            workers: WorkerSettings::new(this_program()),
            models: ModelConfig::default(),
            web: WebSettings::default(),
            http_address: None,
            http_tokens: Vec::new(),
            push_token: None,
            http_log: true,
            log_level: LevelFilter::INFO,
            log_format: LogFormat::default(),
            http: HttpSettings::new(SocketAddr::from(([127, 0, 0, 1], 0))),
        }
    }
}

/// Where the texts of ranked searches are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum IndexPlace {
    /// In memory, until the process ends.
    #[default]
    Memory,
    /// In the data folder.
    Disk,
}

impl IndexPlace {
    const ALL: [Self; 2] = [Self::Memory, Self::Disk];

    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "disk",
        }
    }
}

/// A value that is never printed.
#[derive(Clone)]
pub(super) struct Secret(String);

impl Secret {
    /// The value.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The usual folders of data and of settings: each where the system has those of applications.
#[cfg(windows)]
pub(super) const USUAL_FOLDERS: [&str; 2] = ["~/AppData/Local/pagewise", "~/AppData/Roaming/pagewise"];
#[cfg(target_os = "macos")]
pub(super) const USUAL_FOLDERS: [&str; 2] = ["~/Library/Application Support/pagewise"; 2];
#[cfg(not(any(windows, target_os = "macos")))]
pub(super) const USUAL_FOLDERS: [&str; 2] = ["~/.local/share/pagewise", "~/.config/pagewise"];

/// `pagewise` in the folder that `variable` names, or the usual folder.
fn application_folder(variable: &str, usual: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let in_home = || Some(env::home_dir()?.join(usual.strip_prefix("~/")?));
    named.map(|folder| folder.join("pagewise")).or_else(in_home)
}
