//! Opens what a command works with: a PDF, or a context with its folders, limits and store.

use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::config::Config;
use super::log;
use super::print::warning;
use crate::limits::{Deadline, Limits};
use crate::tool::{
    AnswerSettings, ContextConfig, ContextManager, DocumentArguments, Isolation, OpenPdf, OutputBounds, PdfPassword,
    ToolError, WebSettings, WorkerSettings,
};

/// Opens a PDF and nothing else: no store, no runtime, no hash of the file.
pub(super) fn pdf(document: &DocumentArguments, config: &Config) -> Result<OpenPdf, ToolError> {
    document.open_alone(&one_document(config))
}

/// The same in this process, which can then write beneath `folder` and nowhere else.
pub(super) fn pdf_confined(document: &DocumentArguments, folder: &Path, config: &Config) -> Result<OpenPdf, ToolError> {
    let isolation = match isolation(config) {
        Isolation::Workers(settings) => Isolation::Confined { folder: folder.to_path_buf(), settings },
        other => other,
    };
    document.open_alone(&surroundings(config, isolation))
}

/// The context of a command; the store is opened only where a conversation is named.
pub(super) fn context(remembers: bool, config: &Config) -> Result<ContextManager, ToolError> {
    let data_directory = config.data_dir.clone().filter(|_| remembers);
    let database = if remembers { config.database()? } else { None };
    opened(ContextConfig { data_directory, database, ..one_document(config) })
}

/// The context of a command that fetches: what is kept outlives it, and no conversation is remembered.
pub(super) fn web_context(config: &Config) -> Result<ContextManager, ToolError> {
    opened(one_document(config))
}

/// What is remembered, where no PDF is read.
pub(super) fn memory(config: &Config) -> Result<ContextManager, ToolError> {
    let data_directory = config.data_dir.clone();
    let database = config.database()?;
    opened(ContextConfig { data_directory, database, ..surroundings(config, Isolation::InProcess) })
}

/// The context of a server: files beneath the working directory and `roots`.
pub(super) fn server_context(config: &Config) -> Result<ContextManager, ToolError> {
    opened_telling(server_surroundings(config)?, log::warn)
}

/// The surroundings of a server.
pub(super) fn server_surroundings(config: &Config) -> Result<ContextConfig, ToolError> {
    let roots = config.roots.iter().map(|root| working_directory().join(root));
    let settings = AnswerSettings { output_bounds: config.answers.output_bounds, ..answers(config) };
    Ok(ContextConfig {
        roots: Some(std::iter::once(working_directory()).chain(roots).collect()),
        data_directory: config.data_dir.clone(),
        database: config.database()?,
        settings,
        ..surroundings(config, isolation(config))
    })
}

/// The surroundings of a command that reads one document: one worker.
fn one_document(config: &Config) -> ContextConfig {
    let isolation = match isolation(config) {
        Isolation::Workers(settings) => {
            Isolation::Workers(WorkerSettings { workers: Some(NonZeroUsize::MIN), ..settings })
        }
        other => other,
    };
    surroundings(config, isolation)
}

fn isolation(config: &Config) -> Isolation {
    if config.no_sandbox {
        return Isolation::InProcess;
    }
    Isolation::Workers(WorkerSettings { require_sandbox: config.require_sandbox, ..config.workers.clone() })
}

/// This very program, whatever has been put in its place since it was started.
pub(super) fn this_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    env::current_exe().unwrap_or_else(|_| PathBuf::from("pagewise"))
}

fn opened(surroundings: ContextConfig) -> Result<ContextManager, ToolError> {
    opened_telling(surroundings, warning)
}

fn opened_telling(surroundings: ContextConfig, warn: fn(&str)) -> Result<ContextManager, ToolError> {
    let opened = surroundings.open_context()?;
    opened.warning.iter().for_each(|problem| warn(problem));
    Ok(opened.context)
}

/// Says what went wrong with the memory since.
pub(super) fn warn_of(context: &ContextManager) {
    if let Some(problem) = context.take_warning() {
        warning(&problem);
    }
}

/// Every file of the system, and no memory.
fn surroundings(config: &Config, isolation: Isolation) -> ContextConfig {
    ContextConfig {
        roots: None,
        working_directory: working_directory(),
        home: env::home_dir(),
        data_directory: None,
        password: config.password.as_ref().map(|password| PdfPassword::new(password.reveal().to_owned())),
        database: None,
        // Workers are told theirs; this one is for reading in this process.
        limits: Limits { deadline: Deadline::after(config.workers.deadline), ..config.limits.clone() },
        settings: answers(config),
        isolation,
        web: WebSettings { is_sandboxed: config.require_sandbox, ..config.web.clone() },
        fetched_directory: config.data_dir.as_ref().map(|folder| folder.join("fetched")),
    }
}

/// What a command writes to a folder that its user named is the user's, and stays unless bounds were set; elsewhere it
/// stays within bounds.
fn answers(config: &Config) -> AnswerSettings {
    let named = config.output_dir.clone();
    let is_the_users = named.is_some() && !config.are_output_bounds_set;
    let output_bounds = if is_the_users { OutputBounds::NONE } else { config.answers.output_bounds };
    let usual = || config.data_dir.as_ref().map(|folder| folder.join("pages"));
    let output_directory = named.or_else(usual).unwrap_or_else(|| env::temp_dir().join("pagewise"));
    AnswerSettings { output_directory, output_bounds, ..config.answers.clone() }
}

/// A folder that was deleted under the process leaves only absolute paths, which are joined to anything.
fn working_directory() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}
