//! The error type of all tools: a stable code, a message for the agent, and a hint.

mod attachment;
mod code;
mod file_type;
mod restart;
mod result_size;
mod stopped;
mod unreadable;
mod web;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};

pub use self::code::ErrorCode;
pub use self::restart::restart_once;
pub use self::web::upload_not_found;
pub(super) use self::web::{content_not_found, web_error};

use self::attachment::{no_attachment, no_picture, too_deep};
use self::file_type::{attachment_writer, converter, named_type};
use self::unreadable::{io_error, unreadable};
use self::web::{fetched_pdf, unsupported_content};
use super::arguments::PAGES_FORM;
use crate::context::{BoundExceeded, ContextError, FOLDER, MissingFile, count_of, grouped, one_line};
use crate::source::{PathPattern, Reference, SourceError, is_url};
use crate::worker::{PdfError, WorkerError};
use pagewise_base::clean::{CleanText, MAX_REPEATED_CHARACTERS, repeated};
use pagewise_base::limits::{Limit, LimitExceeded};
use pagewise_base::parts::{PartsError, PartsFault};
use pagewise_render::{MAX_PICTURE_SIDE, PictureFault};

/// A refusal or failure, as `cli` and `serve` show it.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What happened, for programs.
    pub code: ErrorCode,
    /// What happened, for the agent.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The hint for the command line, if it differs.
    #[serde(skip)]
    pub command_hint: Option<String>,
    /// Whether a remote document had a new version while it was read.
    #[serde(skip)]
    pub is_change: bool,
    /// The facts of it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl ToolError {
    /// An error without a hint or data.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = CleanText::of(message.into()).into_string();
        Self { code, message, hint: None, command_hint: None, is_change: false, data: Map::new() }
    }

    /// An invalid parameter.
    #[must_use]
    pub fn validation(message: &str) -> Self {
        Self::new(ErrorCode::ValidationError, message)
    }

    /// A missing parameter.
    #[must_use]
    pub fn required(parameter: &str) -> Self {
        Self::parameter(parameter, "is required")
    }

    /// An error about one parameter.
    #[must_use]
    pub fn parameter(name: &str, what: &str) -> Self {
        Self::validation(&format!("Parameter '{name}' {what}")).with("parameter", json!(name))
    }

    /// Two parameters that exclude each other.
    #[must_use]
    pub fn one_of(one: &str, other: &str) -> Self {
        let message = format!("Parameters '{one}' and '{other}' cannot be given together");
        Self::validation(&message).with("parameters", json!([one, other]))
    }

    /// Adds a hint on what to do next.
    #[must_use]
    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(CleanText::of(hint).into_string());
        self
    }

    /// Adds a hint for the command line, which has neither tools nor parameters.
    #[must_use]
    pub fn command_hint(mut self, hint: &str) -> Self {
        self.command_hint = Some(CleanText::of(hint).into_string());
        self
    }

    /// The same error for the command line. `typed` maps parameter names to what the user typed.
    #[must_use]
    pub fn for_command_line(&self, typed: impl Fn(&str) -> String) -> Self {
        let one = self.data.get("parameter").into_iter();
        let several = self.data.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let names = one.chain(several).filter_map(Value::as_str);
        let quoted = |name: &str| format!("'{name}'");
        let message = names.fold(self.message.clone(), |text, name| match text.strip_prefix(name) {
            Some(rest) => format!("{}{rest}", typed(name)),
            None => text.replace(&quoted(name), &quoted(&typed(name))),
        });
        let hint = self.command_hint.clone().or_else(|| self.hint.clone());
        Self { message, hint, ..self.clone() }
    }

    /// With one fact.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.data.insert(name.to_owned(), value);
        self
    }

    /// The same error, which repeats no argument at length.
    #[must_use]
    pub fn repeating_briefly<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        for argument in arguments.into_iter().filter(|argument| argument.len() > MAX_REPEATED_CHARACTERS) {
            let brief = repeated(argument);
            // Some errors repeat an argument on one line, or in quotes.
            let forms = [
                argument.to_owned(),
                one_line(argument),
                CleanText::line(argument).into_string(),
                format!("{argument:?}"),
            ];
            let shorten = |text: &mut String| {
                for form in forms.iter().filter(|form| form.chars().count() > MAX_REPEATED_CHARACTERS) {
                    *text = text.replace(form, &brief);
                }
            };
            shorten(&mut self.message);
            self.hint.iter_mut().chain(&mut self.command_hint).for_each(shorten);
            self.data.values_mut().for_each(|value| for_each_text(value, &shorten));
        }
        self
    }

    /// Message and hint as one text.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\n{hint}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A value with clean texts alone, the names of its fields included.
#[must_use]
pub fn clean_json(mut value: Value) -> Value {
    let clean = |text: &mut String| *text = CleanText::of(std::mem::take(text)).into_string();
    for_each_text(&mut value, &clean);
    value
}

/// Calls `change` for each text in a value.
fn for_each_text(value: &mut Value, change: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| for_each_text(value, change)),
        Value::Object(fields) => {
            for (mut name, mut value) in std::mem::take(fields) {
                change(&mut name);
                for_each_text(&mut value, change);
                fields.insert(name, value);
            }
        }
        _ => {}
    }
}

impl From<ContextError> for ToolError {
    fn from(error: ContextError) -> Self {
        match error {
            ContextError::Source { path, error } => source_error(&path, &error),
            ContextError::NotFound { path, missing } => not_found(&path, &missing),
            ContextError::NoAttachment { path, name, names, total } => no_attachment(&path, &name, &names, total),
            ContextError::NoPicture { path, name, page, pictures } => no_picture(&path, &name, page, pictures),
            ContextError::AttachmentDepth { path, max } => too_deep(&path, max),
            ContextError::Pdf { path, error } => pdf_error(&path, &error),
            ContextError::FetchedPdf { url, error } => fetched_pdf(pdf_error(&url, &error), &error),
            ContextError::UnsupportedContent { url, mime_type } => unsupported_content(&url, &mime_type),
            ContextError::PageOutOfRange { number, page_count, is_zero_based } => {
                page_out_of_range(number, page_count, is_zero_based)
            }
            ContextError::Selection { selection, page_count, hint } => selection_error(&selection, page_count, hint),
            ContextError::NoPagesIn { path, mime_type } => no_pages_in(&path, mime_type),
            ContextError::UnsupportedType { path, mime_type } => unsupported_type(&path, &mime_type),
            ContextError::Picture { path, fault } => picture_error(&path, &fault),
            ContextError::StartLine { path, start_line, lines } => {
                past_the_end(start_line, lines, &format!("{path} has {}", count_of(lines, "line")))
            }
            ContextError::StartDocument { path, start, documents } => {
                past_the_end(start, documents, &format!("{path} lists {}", count_of(documents, "document")))
            }
            ContextError::Output { path, kind } => write_failed(Path::new(&path), kind),
            ContextError::ConversationFull { path, full } => conversation_full(&path, &full),
            ContextError::UnknownConversation => unknown_conversation(),
            ContextError::Random { reason } => {
                ToolError::new(ErrorCode::StoreFailed, format!("Cannot make a name for a conversation: {reason}"))
            }
            ContextError::Database(error) => {
                ToolError::new(ErrorCode::StoreFailed, format!("Cannot open the memory of conversations: {error}"))
                    .hint("Setting 'store' names it; pagewise doctor --store tries it.")
            }
            ContextError::Store(error) => {
                let reason = error.without_address();
                ToolError::new(ErrorCode::StoreFailed, format!("Cannot read what the conversation holds: {reason}"))
            }
        }
    }
}

/// A `startLine` of more than `last`, for the reason `why`.
fn past_the_end(start: u64, last: u64, why: &str) -> ToolError {
    ToolError::parameter("startLine", &format!("must be at most {last}: {why}, and {start} was given"))
}

/// A file that could not be written.
pub(super) fn write_failed(path: &Path, kind: ErrorKind) -> ToolError {
    ToolError::new(ErrorCode::WriteFailed, format!("Cannot write file: {} ({})", path.display(), reason_of(kind)))
}

/// Why the system refused a path.
pub(crate) fn reason_of(kind: ErrorKind) -> String {
    match kind {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => "a file is where a folder is needed".to_owned(),
        ErrorKind::IsADirectory => IS_FOLDER.to_owned(),
        kind => kind.to_string(),
    }
}

/// The one answer for every handle that is not a conversation of the caller.
fn unknown_conversation() -> ToolError {
    ToolError::new(ErrorCode::UnknownConversation, "Unknown conversation: this name is not known, or no longer known")
        .hint("Leave conversation out to start a new one; the answer gives its name.")
        .command_hint("Name one that was used before with --conversation.")
}

fn conversation_full(path: &str, full: &BoundExceeded) -> ToolError {
    let message = format!(
        "Conversation limit reached: {} is {}, {} were sent, and {path} needs {} more",
        full.which, full.limit, full.sent, full.more
    );
    ToolError::new(ErrorCode::LimitExceeded, message)
        .hint(&full.next())
        .command_hint(&format!(
            "{} pagewise context forget makes room; so does a larger setting of {}.",
            BoundExceeded::WHY,
            full.which
        ))
        .with("setting", json!(full.which))
        .with("limit", json!(full.limit))
        .with("sent", json!(full.sent))
}

fn source_error(path: &str, error: &SourceError) -> ToolError {
    match error {
        SourceError::NotFound { .. } => ToolError::new(ErrorCode::FileNotFound, format!("File not found: {path}")),
        SourceError::PermissionDenied { .. } => unreadable(path, "the system denies it"),
        SourceError::IsDirectory { .. } => is_folder(path),
        SourceError::NotAFile { .. } => unreadable(path, "it is not a regular file"),
        SourceError::Changed { .. } => {
            ToolError { is_change: is_url(path), ..unreadable(path, "it changed while it was read") }
        }
        SourceError::Io { source, .. } => unreadable(path, &source.to_string()),
        SourceError::NotAllowed { roots, .. } => not_allowed(path, roots),
        SourceError::UnsupportedReference { .. } => ToolError::new(
            ErrorCode::UnsupportedReference,
            format!("Unsupported reference: {path}. Accepted: {}", Reference::ACCEPTED),
        ),
        SourceError::Web(error) => web_error(path, error),
        SourceError::TooLarge { size, limit, setting, .. } => too_large(path, *size, *limit, setting),
    }
}

fn not_found(path: &str, missing: &MissingFile) -> ToolError {
    let folders = missing.folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>();
    let named = folders.join(", ");
    let nearest = missing.nearest.iter().map(|name| one_line(name)).collect::<Vec<_>>();
    let similar = match nearest.as_slice() {
        _ if PathPattern::parse(path).is_some() => "No file matches this pattern.".to_owned(),
        [] => format!("No file beneath {named} has a similar name."),
        [one] => format!("The nearest name beneath {named} is {one}."),
        several => format!("The nearest names beneath {named} are {}.", several.join(", ")),
    };
    let compared = if missing.is_cut { " Not all names were compared: there are too many." } else { "" };
    ToolError::new(ErrorCode::FileNotFound, format!("File not found: {path}"))
        .hint(&format!("{similar}{compared}"))
        .with("roots", json!(folders))
        .with("nearest", json!(missing.nearest))
}

fn not_allowed(path: &str, roots: &[PathBuf]) -> ToolError {
    let roots = roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>();
    let message = format!("Path not allowed: {path} is outside {}", roots.join(", "));
    ToolError::new(ErrorCode::PathNotAllowed, message)
        .hint("Files can be read below these folders; add more with the server's --root.")
        .with("roots", json!(roots))
}

fn pdf_error(path: &str, error: &PdfError) -> ToolError {
    match error {
        PdfError::NotAPdf { beginning } => not_a_pdf(path, beginning),
        PdfError::Damaged { what, offset } => damaged(path, what, *offset),
        PdfError::Encrypted { password_given } => encrypted(path, *password_given),
        PdfError::Limit(limit) => limit_exceeded(path, *limit),
        PdfError::Stopped(stopped) => ToolError::stopped(path, *stopped),
        PdfError::Worker(error) => worker_error(path, error),
        PdfError::Io(error) => io_error(path, error),
        PdfError::Parts(error) => parts_error(path, error),
        PdfError::NotJoinable { reason } => {
            ToolError::new(ErrorCode::PdfError, format!("Failed to join PDF pages: {reason}"))
                .hint("Take these pages one by one, or fewer at once.")
        }
        PdfError::Failed { action, reason } => {
            ToolError::new(ErrorCode::PdfError, format!("Failed to {}: {reason}", action.phrase()))
        }
    }
}

fn parts_error(path: &str, PartsError { format, fault }: &PartsError) -> ToolError {
    let name = format.name();
    match fault {
        PartsFault::OnlyText => {
            let message =
                format!("{name}: {path} has no page layout: its parts can be read as text, not as pictures or PDFs");
            let error = ToolError::new(ErrorCode::UnsupportedFileType, message).with("mimeType", json!(format.mime()));
            let pages = converter(format.mime(), path);
            let pages = pages.map(|command| format!(" For pages convert it to a PDF: {command}")).unwrap_or_default();
            error
                .hint(&format!("Ask for its parts as text: get_file with pages and as: \"text\".{pages}"))
                .command_hint(&format!("Its parts are given by pagewise text.{pages}"))
        }
        PartsFault::Encrypted => ToolError::new(ErrorCode::Encrypted, format!("Encrypted {name}: {path}: {fault}"))
            .hint("Ask for a copy without a password."),
        PartsFault::TooLarge(_) => {
            ToolError::new(ErrorCode::LimitExceeded, format!("Limit exceeded while reading {path}: {fault}"))
                .hint("This limit is fixed. Ask for a part of it as a file of its own.")
        }
        PartsFault::Damaged(_) => ToolError::new(ErrorCode::Damaged, format!("Damaged {name}: {path}: {fault}"))
            .hint("This file cannot be repaired. Ask for another copy of it."),
    }
}

fn picture_error(path: &str, fault: &PictureFault) -> ToolError {
    match fault {
        PictureFault::Damaged { reason } => {
            ToolError::new(ErrorCode::Damaged, format!("Damaged picture: {path}: {reason}"))
                .hint("It is not sent, since model APIs reject such images. Ask for another copy of it.")
        }
        PictureFault::TooLarge { width, height } => {
            let most = grouped(MAX_PICTURE_SIDE.into());
            let message =
                format!("Picture too large: {path} has {width} x {height} pixels, and models take {most} a side");
            ToolError::new(ErrorCode::LimitExceeded, message)
                .hint("Make a smaller copy of it, and ask for that.")
                .with("width", json!(width))
                .with("height", json!(height))
                .with("limit", json!(MAX_PICTURE_SIDE))
        }
    }
}

fn limit_exceeded(path: &str, limit: LimitExceeded) -> ToolError {
    let error = ToolError::new(ErrorCode::LimitExceeded, format!("Limit exceeded while reading {path}: {limit}"))
        .hint(&larger_limit(limit.which, "dpi", "region"))
        .command_hint(&larger_limit(limit.which, "--dpi", "--region"))
        .with("limit", json!(limit.limit))
        .with("found", json!(limit.found));
    match limit.which.counted() {
        None => error.with("setting", json!(limit.which.name())),
        Some(counted) => error.with("counted", json!(counted)),
    }
}

/// What helps against a limit: a coarser picture, or a larger setting if the limit is one.
fn larger_limit(which: Limit, dpi: &str, region: &str) -> String {
    match which {
        Limit::Pixels => format!("Draw it with a smaller {dpi}, or a part of it with {region}; {which} is a setting."),
        Limit::SidePixels => format!("Draw it with a smaller {dpi}, or a part of it with {region}."),
        Limit::PageCpu => {
            format!(
                "A larger {which} may be enough to read it; beyond a quarter of worker_deadline_ms, raise that too."
            )
        }
        which if which.is_setting() => format!("A larger {which} may be enough to read it."),
        _ => "This limit is fixed: sound documents stay far below it.".to_owned(),
    }
}

fn worker_error(path: &str, error: &WorkerError) -> ToolError {
    let while_reading = |code, what: &str| ToolError::new(code, format!("{what} while reading {path}: {error}"));
    match error {
        WorkerError::Stopped(stopped) => ToolError::stopped(path, *stopped),
        WorkerError::Limit(limit) => limit_exceeded(path, *limit),
        WorkerError::OutOfMemory { limit_bytes } => while_reading(ErrorCode::LimitExceeded, "Limit exceeded")
            .hint("A larger worker_memory_bytes may be enough to read it.")
            .with("setting", json!("worker_memory_bytes"))
            .with("limit", json!(limit_bytes)),
        WorkerError::Busy { waiting, retry_after_ms } => ToolError::new(ErrorCode::Busy, format!("Busy: {error}"))
            .with("waiting", json!(waiting))
            .with("retryAfterMs", json!(retry_after_ms)),
        WorkerError::Unsandboxed { missing } => reading_failed(error)
            .hint("Start without --require-sandbox to read with the layers that this system has.")
            .with("missing", json!(missing)),
        WorkerError::Quarantined { deaths } => reading_failed(error).with("deaths", json!(deaths)),
        WorkerError::StackOverflow
        | WorkerError::Died { .. }
        | WorkerError::NotStarted { .. }
        | WorkerError::Nonsense => reading_failed(error),
    }
}

fn reading_failed(error: &WorkerError) -> ToolError {
    ToolError::new(ErrorCode::PdfError, format!("Failed to read PDF: {error}"))
}

fn not_a_pdf(path: &str, beginning: &str) -> ToolError {
    let found = if beginning.is_empty() {
        "the file is empty".to_owned()
    } else {
        format!("no PDF header in the first 1,024 bytes; the file begins with \"{beginning}\"")
    };
    ToolError::new(ErrorCode::NotAPdf, format!("Not a PDF: {path}: {found}"))
        .hint("If it is text or a picture, read it with get_file without pages.")
        .command_hint("If it is text or a picture, read it with pagewise get-file, without --pages.")
        .with("offset", json!(0))
}

fn damaged(path: &str, what: &str, offset: Option<u64>) -> ToolError {
    let place = offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
    let error = ToolError::new(ErrorCode::Damaged, format!("Damaged PDF: {path}: {what}{place}"))
        .hint("This file cannot be repaired. Ask for another copy of it.");
    match offset {
        Some(offset) => error.with("offset", json!(offset)),
        None => error,
    }
}

fn encrypted(path: &str, password_given: bool) -> ToolError {
    let (what, pass) = if password_given {
        ("the password is wrong", "Pass the right one")
    } else {
        ("a password is needed", "Pass it")
    };
    ToolError::new(ErrorCode::Encrypted, format!("Encrypted PDF: {path}: {what}"))
        .hint(&format!("{pass} in 'password'."))
        .command_hint(&format!("{pass} with --password, or better in PAGEWISE_PASSWORD."))
        .with("passwordGiven", json!(password_given))
}

fn page_out_of_range(number: i128, page_count: u32, is_zero_based: bool) -> ToolError {
    let message = format!("Page {number} out of range (document has {page_count} pages)");
    let error = ToolError::new(ErrorCode::InvalidPage, message).with("pages", json!(page_count));
    let index = number.saturating_sub(1);
    match page_count.checked_sub(1) {
        None => error.hint("The document has no pages to read."),
        Some(last) if is_zero_based => error
            .hint(&format!("pdfPage is 0-based, and {index} was given: use 0 to {last}."))
            .command_hint(&format!("--pdf-page is 0-based, and {index} was given: use 0 to {last}.")),
        Some(_) => error.hint(&format!("Pages are numbered 1 to {page_count}.")),
    }
}

fn selection_error(selection: &str, page_count: u32, hint: Option<String>) -> ToolError {
    let message = format!("Invalid page range: {selection} (document has {page_count} pages)");
    let known = format!("Pages are counted from 1: {PAGES_FORM}.");
    let hint = hint.as_deref().unwrap_or(&known);
    ToolError::new(ErrorCode::InvalidPageRange, message)
        .hint(hint)
        .command_hint(&hint.replace("pdf_search", "pagewise search").replace("pdf_outline", "pagewise outline"))
        .with("pages", json!(page_count))
}

/// The reason of an error where a folder was named in place of a file.
pub(crate) const IS_FOLDER: &str = "it is a folder";

/// A folder in place of a file.
fn is_folder(path: &str) -> ToolError {
    unreadable(path, IS_FOLDER)
        .hint("It is a folder: get_file with its path alone lists the documents in it.")
        .command_hint("It is a folder: pagewise info lists the documents in it.")
}

fn no_pages_in(path: &str, mime_type: &'static str) -> ToolError {
    if mime_type == FOLDER {
        return is_folder(path);
    }
    ToolError::new(ErrorCode::NotAPdf, format!("Not a PDF: {path}: no PDF header; the file is {mime_type}"))
        .hint("Call get_file without pdfPage and pages to read it.")
        .command_hint("Read it with pagewise get-file, without --pdf-page and --pages.")
        .with("mimeType", json!(mime_type))
}

/// The types that `get_file` reads, as named in errors.
const SUPPORTED_TYPES: [&str; 6] = ["text/*", "application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp"];

fn unsupported_type(path: &str, mime_type: &str) -> ToolError {
    let supported = SUPPORTED_TYPES.join(", ");
    let kind = named_type(mime_type);
    let message =
        format!("Unsupported file type: {path} is {kind}. Supported: {supported}, office files, EPUBs and notebooks");
    let error = ToolError::new(ErrorCode::UnsupportedFileType, message)
        .with("mimeType", json!(mime_type))
        .with("supported", json!(SUPPORTED_TYPES));
    let written = attachment_writer(path).map(|command| format!("Write the attachment to a file: {command}"));
    let converter = converter(mime_type, path);
    let converted = converter.as_ref().map(|command| match written {
        Some(_) => format!("Then convert that: {command}"),
        None => format!("Convert it first: {command}"),
    });
    let hint = written.into_iter().chain(converted).collect::<Vec<_>>().join("\n");
    let error = if hint.is_empty() { error } else { error.hint(&hint) };
    match converter {
        Some(command) => error.with("converter", json!(command)),
        None => error,
    }
}

fn too_large(path: &str, bytes: u64, limit: u64, setting: &str) -> ToolError {
    let message = format!("File too large: {path} has {bytes} bytes, and {setting} is {limit} bytes");
    ToolError::new(ErrorCode::TooLarge, message)
        .with("bytes", json!(bytes))
        .with("limit", json!(limit))
        .with("setting", json!(setting))
}
