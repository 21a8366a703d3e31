//! The world of one command: folders, limits, the store.

use std::env;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::arguments::Sandbox;
use super::limits;
use super::print::warning;
use super::web;
use crate::tool::{
    AnswerSettings, ContextManager, ConversationId, Isolation, OpenPdf, Surroundings, ToolError, WorkerSettings,
};

/// Opens a PDF and nothing else: no store, no runtime, no hash of the file.
pub(super) fn open_pdf(path: &str, password: Option<&str>, sandbox: Sandbox) -> Result<OpenPdf, ToolError> {
    Ok(one_document(sandbox)?.open_pdf(path, password)?)
}

/// The same in this process, which can then write beneath `folder` and nowhere else.
pub(super) fn open_pdf_confined(
    path: &str,
    password: Option<&str>,
    folder: &Path,
    sandbox: Sandbox,
) -> Result<OpenPdf, ToolError> {
    let isolation = match isolation(sandbox)? {
        Isolation::Workers(settings) => Isolation::Confined { folder: folder.to_path_buf(), settings },
        other => other,
    };
    Ok(surroundings(isolation)?.open_pdf(path, password)?)
}

/// The context of a command; the store is opened only where a conversation is named.
pub(super) fn context(
    remembers: bool,
    output_directory: Option<&Path>,
    sandbox: Sandbox,
) -> Result<ContextManager, ToolError> {
    let data_directory = data_directory().filter(|_| remembers);
    opened(Surroundings { data_directory, settings: settings(output_directory), ..one_document(sandbox)? })
}

/// The context of a command that fetches: what is kept outlives it.
pub(super) fn web_context(sandbox: Sandbox) -> Result<ContextManager, ToolError> {
    opened(Surroundings { data_directory: data_directory(), ..one_document(sandbox)? })
}

/// What is remembered, where no PDF is read.
pub(super) fn memory() -> Result<ContextManager, ToolError> {
    opened(Surroundings { data_directory: data_directory(), ..surroundings(Isolation::InProcess)? })
}

/// The context of a server: files beneath the working directory and `roots`.
pub(super) fn server_context(
    roots: Vec<PathBuf>,
    output_directory: Option<&Path>,
    sandbox: Sandbox,
) -> Result<ContextManager, ToolError> {
    opened(server_surroundings(roots, output_directory, sandbox)?)
}

/// The surroundings of a server.
pub(super) fn server_surroundings(
    roots: Vec<PathBuf>,
    output_directory: Option<&Path>,
    sandbox: Sandbox,
) -> Result<Surroundings, ToolError> {
    let folders = std::iter::once(working_directory()).chain(roots.iter().map(|root| working_directory().join(root)));
    Ok(Surroundings {
        roots: Some(folders.collect()),
        data_directory: data_directory(),
        settings: settings(output_directory),
        ..surroundings(isolation(sandbox)?)?
    })
}

/// The surroundings of a command that reads one document: one worker.
fn one_document(sandbox: Sandbox) -> Result<Surroundings, ToolError> {
    let isolation = match isolation(sandbox)? {
        Isolation::Workers(settings) => Isolation::Workers(WorkerSettings { workers: NonZeroUsize::MIN, ..settings }),
        other => other,
    };
    surroundings(isolation)
}

fn isolation(sandbox: Sandbox) -> Result<Isolation, ToolError> {
    if sandbox.no_sandbox {
        return Ok(Isolation::InProcess);
    }
    let settings = limits::workers_from_environment(WorkerSettings::new(this_program()))?;
    Ok(Isolation::Workers(WorkerSettings { require_sandbox: sandbox.require_sandbox, ..settings }))
}

/// This very program, whatever has been put in its place since it was started.
fn this_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    env::current_exe().unwrap_or_else(|_| PathBuf::from("pagewise"))
}

/// A handle that nobody can guess: the hasher's keys come from the system's source of random numbers.
pub(super) fn new_conversation() -> ConversationId {
    let mut random = [0; 16];
    for half in random.as_chunks_mut::<8>().0 {
        *half = RandomState::new().build_hasher().finish().to_le_bytes();
    }
    ConversationId::mint(random)
}

fn opened(surroundings: Surroundings) -> Result<ContextManager, ToolError> {
    let opened = surroundings.open_context()?;
    if let Some(problem) = &opened.warning {
        warning(problem);
    }
    Ok(opened.context)
}

/// Every file of the system, and no memory.
fn surroundings(isolation: Isolation) -> Result<Surroundings, ToolError> {
    Ok(Surroundings {
        roots: None,
        working_directory: working_directory(),
        home: env::home_dir(),
        data_directory: None,
        limits: limits::from_environment()?,
        settings: AnswerSettings::default(),
        isolation,
        web: web::from_environment()?,
    })
}

fn settings(output_directory: Option<&Path>) -> AnswerSettings {
    let output_directory = output_directory.map_or_else(default_output_directory, Path::to_path_buf);
    AnswerSettings { output_directory, ..AnswerSettings::default() }
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
