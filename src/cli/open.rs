//! Opens what a command works with: a PDF, or a context with its folders, limits and store.

use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::config::{Config, IndexPlace};
use super::log;
use super::terminal::print::warning;
use crate::context::{AnswerSettings, ContextConfig, ContextManager, Isolation, OpenPdf, OutputBounds, PdfPassword};
use crate::source::parse_fetch_reference;
use crate::tool::{DocumentArguments, ToolError};
use crate::worker::WorkerSettings;
use pagewise_web::WebSettings;

/// Opens a PDF alone: no store, and no hash of the file.
pub(super) fn pdf(document: &DocumentArguments, config: &Config) -> Result<OpenPdf, ToolError> {
    document.open_alone(&one_document(config))
}

/// Refuses a conversation for a document that none owns: nothing would be recorded.
///
/// # Errors
/// `validation_error`.
pub(super) fn check_conversation(document: &DocumentArguments) -> Result<(), ToolError> {
    let named = document.conversation.as_deref().is_some_and(|name| !name.trim().is_empty());
    if !named || parse_fetch_reference(&document.path).is_some() {
        return Ok(());
    }
    Err(ToolError::parameter("conversation", "is only for a responseId here: this command records nothing")
        .hint("pagewise get-file records what it gives in a conversation."))
}

/// Refuses to write to the file that is read, or to a file that is called `-`.
///
/// # Errors
/// `validation_error`.
pub(super) fn spare_source(path: &str, out: &Path, config: &Config) -> Result<(), ToolError> {
    if out == Path::new("-") {
        return Err(ToolError::parameter("--out", "must name a file or folder, not standard output")
            .hint("pagewise text prints without --out, and pagewise get-file --emit raw prints the bytes of a page."));
    }
    if !context_config(config, Isolation::InProcess).is_source(path, out) {
        return Ok(());
    }
    Err(ToolError::parameter("--out", "names the file that is read, which is never replaced")
        .hint("Name another file."))
}

/// What opens a PDF in this process, which is confined at once and can write only in `folder`.
pub(super) fn confined(
    document: &DocumentArguments,
    folder: &Path,
    config: &Config,
) -> Result<ContextConfig, ToolError> {
    Ok(context_config(config, isolation(config)).confined_to(&document.path, folder)?)
}

/// The context of a command. Opens the store only if the command names a conversation.
pub(super) fn context(remembers: bool, config: &Config) -> Result<ContextManager, ToolError> {
    let data_directory = config.data_dir.clone().filter(|_| remembers);
    let database = if remembers { config.database()? } else { None };
    open(ContextConfig { data_directory, database, ..one_document(config) })
}

/// The context of a command that draws many pages: as many workers as there are processors.
pub(super) fn drawing_context(config: &Config) -> Result<ContextManager, ToolError> {
    open(context_config(config, isolation(config)))
}

/// The context of a command that reads many documents, if its index does not have them: workers start when one is read.
pub(super) fn library_context(remembers: bool, config: &Config) -> Result<ContextManager, ToolError> {
    let data_directory = config.data_dir.clone().filter(|_| remembers);
    let database = if remembers { config.database()? } else { None };
    open(ContextConfig { data_directory, database, ..context_config(config, isolation(config).on_demand()) })
}

/// The same for commands about the index itself: that on disk, whatever the setting says.
pub(super) fn index_context(config: &Config) -> Result<ContextManager, ToolError> {
    library_context(false, &Config { index: IndexPlace::Disk, ..config.clone() })
}

/// The context of a command that fetches. Responses are kept; conversations are not.
pub(super) fn web_context(config: &Config) -> Result<ContextManager, ToolError> {
    open(one_document(config))
}

/// The memory of conversations, for commands that read no PDF.
pub(super) fn memory(config: &Config) -> Result<ContextManager, ToolError> {
    let data_directory = config.data_dir.clone();
    let database = config.database()?;
    open(ContextConfig { data_directory, database, ..context_config(config, Isolation::InProcess) })
}

/// The context of a server: files in the working directory and in `roots`.
pub(super) fn server_context(config: &Config) -> Result<ContextManager, ToolError> {
    open_with(server_config(config)?, log::warn)
}

pub(super) fn server_config(config: &Config) -> Result<ContextConfig, ToolError> {
    let roots = config.roots.iter().map(|root| working_directory().join(root)).collect::<Vec<_>>();
    if let Some(file) = roots.iter().find(|root| root.exists() && !root.is_dir()) {
        return Err(ToolError::validation(&format!("Not a folder: {}", file.display())));
    }
    let settings = AnswerSettings { output_bounds: config.answers.output_bounds, ..answers(config) };
    Ok(ContextConfig {
        roots: Some(std::iter::once(working_directory()).chain(roots).collect()),
        data_directory: config.data_dir.clone(),
        database: config.database()?,
        settings,
        ..context_config(config, isolation(config))
    })
}

/// The configuration of a command that reads one document: one worker.
fn one_document(config: &Config) -> ContextConfig {
    let isolation = match isolation(config) {
        Isolation::Workers(settings) => {
            Isolation::Workers(WorkerSettings { workers: Some(NonZeroUsize::MIN), ..settings })
        }
        other => other,
    };
    context_config(config, isolation)
}

fn isolation(config: &Config) -> Isolation {
    if config.no_sandbox {
        return Isolation::InProcess;
    }
    Isolation::Workers(WorkerSettings { require_sandbox: config.require_sandbox, ..config.workers.clone() })
}

/// This very program, even if its file was replaced since the start.
pub(super) fn this_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    env::current_exe().unwrap_or_else(|_| PathBuf::from("pagewise"))
}

fn open(configuration: ContextConfig) -> Result<ContextManager, ToolError> {
    open_with(configuration, warning)
}

fn open_with(configuration: ContextConfig, warn: fn(&str)) -> Result<ContextManager, ToolError> {
    let opened = configuration.open_context()?;
    opened.warning.iter().for_each(|problem| warn(problem));
    Ok(opened.context)
}

/// Prints what went wrong with the memory since the last call.
pub(super) fn warn_about(context: &ContextManager) {
    if let Some(problem) = context.take_warning() {
        warning(&problem);
    }
}

/// Every file of the system, and no memory of conversations.
fn context_config(config: &Config, isolation: Isolation) -> ContextConfig {
    ContextConfig {
        roots: None,
        working_directory: working_directory(),
        home: env::home_dir(),
        data_directory: None,
        password: config.password.as_ref().map(|password| PdfPassword::new(password.reveal().to_owned())),
        database: None,
        // Workers get the same time with each request; this is for reading in this process.
        limits: config.limits.clone().for_operations_of(config.workers.deadline),
        settings: answers(config),
        isolation,
        web: WebSettings { is_sandboxed: config.require_sandbox, ..config.web.clone() },
        fetched_directory: config.data_dir.as_ref().map(|folder| folder.join("fetched")),
        ocr_models: ocr_models(config),
    }
}

/// The folder of the models that recognise text.
pub(super) fn ocr_models(config: &Config) -> Option<PathBuf> {
    config.ocr_models.clone().or_else(|| Some(config.data_dir.as_ref()?.join("ocr")))
}

/// Files in a folder that the user named are kept, unless bounds were set. Files in the usual folder stay within bounds.
fn answers(config: &Config) -> AnswerSettings {
    let named = config.output_dir.clone();
    let is_named_by_user = named.is_some() && !config.are_output_bounds_set;
    let output_bounds = if is_named_by_user { OutputBounds::NONE } else { config.answers.output_bounds };
    let usual = || config.data_dir.as_ref().map(|folder| folder.join("pages"));
    let output_directory = named.or_else(usual).unwrap_or_else(|| env::temp_dir().join("pagewise"));
    let index_folder = config.data_dir.as_ref().filter(|_| config.index == IndexPlace::Disk);
    let index_folder = index_folder.map(|folder| folder.join("index"));
    AnswerSettings { output_directory, output_bounds, index_folder, ..config.answers.clone() }
}

/// The root, if the working directory was deleted: absolute paths still work then.
fn working_directory() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}
