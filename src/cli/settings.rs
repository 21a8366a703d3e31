//! The world of one command: folders, limits, the store.

use std::env;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::limits;
use super::print::warning;
use crate::context::{AnswerSettings, ContextError, ContextManager, ContextWorld, InProcess, OpenPdf, Sources};
use crate::source::{HashCache, Roots};
use crate::store::{MemoryStore, OpenedStore, open_or_memory};
use crate::tool::ToolError;
use crate::view::ConversationId;

/// Opens a PDF and nothing else: no store, no runtime, no hash of the file.
pub(super) fn open_pdf(path: &str, password: Option<&str>) -> Result<OpenPdf, ToolError> {
    let limits = limits::from_environment()?;
    let reader = InProcess::new(limits.clone());
    Ok(sources(Roots::everything()).open_pdf(path, password, &reader, &limits)?)
}

/// The context of a command; the store is opened only where a conversation is named.
pub(super) fn context(remembers: bool, output_directory: Option<&Path>) -> Result<ContextManager, ToolError> {
    manager(Roots::everything(), remembers, output_directory)
}

/// The context of a server: files beneath the working directory and `roots`.
pub(super) fn server_context(
    roots: Vec<PathBuf>,
    output_directory: Option<&Path>,
) -> Result<ContextManager, ToolError> {
    let folders = std::iter::once(working_directory()).chain(roots.iter().map(|root| working_directory().join(root)));
    let failed = |error| ContextError::Source { path: "--root".to_owned(), error };
    let roots = Roots::beneath(folders).map_err(failed)?;
    manager(roots, true, output_directory)
}

/// A handle that nobody can guess: the hasher's keys come from the system's source of random numbers.
pub(super) fn new_conversation() -> ConversationId {
    let mut random = [0; 16];
    for half in random.as_chunks_mut::<8>().0 {
        *half = RandomState::new().build_hasher().finish().to_le_bytes();
    }
    ConversationId::mint(random)
}

fn manager(roots: Roots, remembers: bool, output_directory: Option<&Path>) -> Result<ContextManager, ToolError> {
    let store = if remembers { opened_store() } else { forgetful_store() };
    let limits = limits::from_environment()?;
    let output_directory = output_directory.map_or_else(default_output_directory, Path::to_path_buf);
    Ok(ContextManager::new(ContextWorld {
        sources: sources(roots),
        reader: Arc::new(InProcess::new(limits.clone())),
        hashes: HashCache::new(store.hashes),
        store: store.views,
        limits,
        settings: AnswerSettings { output_directory, ..AnswerSettings::default() },
    }))
}

fn opened_store() -> OpenedStore {
    let store = match data_directory() {
        Some(folder) => open_or_memory(&folder),
        None => forgetful_store(),
    };
    if let Some(problem) = &store.warning {
        warning(&problem.to_string());
    }
    store
}

fn forgetful_store() -> OpenedStore {
    OpenedStore { views: Arc::new(MemoryStore::new()), hashes: None, warning: None }
}

fn sources(roots: Roots) -> Sources {
    Sources { roots, working_directory: working_directory(), home: env::home_dir() }
}

/// A folder that was deleted under the process leaves only absolute paths, which are joined to anything.
fn working_directory() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

fn default_output_directory() -> PathBuf {
    data_directory().map_or_else(|| env::temp_dir().join("pagewise"), |folder| folder.join("pages"))
}

/// `PAGEWISE_DATA_DIR`, else `pagewise` in `XDG_DATA_HOME`, else in `~/.local/share`.
fn data_directory() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("PAGEWISE_DATA_DIR")
        .or_else(|| named("XDG_DATA_HOME").map(|folder| folder.join("pagewise")))
        .or_else(|| env::home_dir().map(|home| home.join(".local/share/pagewise")))
}
