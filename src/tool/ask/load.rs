//! Opens the PDFs of a question one after another. No reader stays open while a model answers.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use serde_json::json;

use super::arguments::{AskArguments, ReferenceOrigin, origin, unsupported};
use super::ask_context::AskContext;
use crate::context::{ContextError, ContextManager, OpenPdf, PdfFile, SelectedPages, one_line, select_from};
use crate::tool::error::{ErrorCode, ToolError};
use crate::tool::pdf::DocumentArguments;
use crate::worker::OcrMode;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_model::RemoteReferences;

/// One PDF that a question names.
pub(super) struct RequestedPdf {
    /// Its name in texts and details.
    pub(super) path: String,
    /// The reference as given, if it differs from `path`.
    pub(super) rewritten_from: Option<String>,
    pub(super) origin: ReferenceOrigin,
    /// The loaded PDF, or why it could not be loaded.
    pub(super) loaded: Result<LoadedPdf, ToolError>,
}

/// A PDF before a model is chosen.
pub(super) struct LoadedPdf {
    /// The path, or the URL that it was fetched from.
    path: String,
    password: Option<String>,
    pub(super) file_bytes: u64,
    pub(super) page_count: u32,
    /// The requested pages; `None` for all.
    pub(super) selection: Option<PageSet>,
    /// How they were found, unless they are just those that were named.
    pub(super) selection_note: Option<String>,
    /// Whether a provider can read the file unchanged: neither encrypted nor damaged.
    pub(super) is_sound: bool,
    file: PdfFile,
    pub(super) kept: PreparedParts,
}

/// Parts prepared for one model, which the next may reuse.
#[derive(Default)]
pub(super) struct PreparedParts {
    whole: Option<Bytes>,
    pub(super) pages: BTreeMap<PageIndex, Result<Bytes, String>>,
    /// Several pages as one PDF, by page numbers.
    pub(super) joined: BTreeMap<String, Result<Bytes, String>>,
    /// Texts of pages, and whether scans were recognised for them.
    pub(super) texts: BTreeMap<(PageIndex, OcrMode), Result<String, String>>,
    /// What a reader should know of the recognised ones.
    pub(super) ocr_notes: Vec<String>,
    pub(super) pictures: BTreeMap<PageIndex, Result<Bytes, String>>,
}

/// The parameter that overrides the size setting.
pub(super) const MAX_BYTES: &str = "maxBytesMb";

/// Bounds on loading.
pub(super) struct LoadBounds {
    pub(super) max_bytes: u64,
    /// The setting or parameter behind the bound.
    pub(super) setting: &'static str,
    pub(super) remote: RemoteReferences,
}

/// Refuses remote references in sandbox mode or offline, before anything is loaded.
pub(super) fn check_remote(
    context: &ContextManager,
    arguments: &AskArguments,
    bounds: &LoadBounds,
) -> Result<(), ToolError> {
    let why = match (bounds.remote, context.disabling_setting()) {
        (RemoteReferences::Refused, _) => "in sandbox mode".to_owned(),
        (RemoteReferences::Allowed, Some(setting)) => format!("offline, because {setting} is set"),
        (RemoteReferences::Allowed, None) => return Ok(()),
    };
    for reference in &arguments.pdfs {
        if origin(reference)? == ReferenceOrigin::Remote {
            let message = format!("Remote PDFs are refused {why}: {reference}");
            return Err(unsupported(reference, &message).hint("Give the path of a local file."));
        }
    }
    Ok(())
}

/// The PDFs that `arguments` name, deduplicated by resolved location.
pub(super) fn named_pdfs(context: &ContextManager, arguments: &AskArguments) -> Result<Vec<PdfReference>, ToolError> {
    let mut loaded: Vec<PdfReference> = Vec::new();
    for reference in &arguments.pdfs {
        let origin = origin(reference)?;
        let reference = PdfReference::of(context, reference, origin);
        if !loaded.iter().any(|known| known.resolved == reference.resolved) {
            loaded.push(reference);
        }
    }
    Ok(loaded)
}

/// A reference, resolved.
pub(super) struct PdfReference {
    given: String,
    origin: ReferenceOrigin,
    resolved: String,
}

impl PdfReference {
    fn of(context: &ContextManager, given: &str, origin: ReferenceOrigin) -> Self {
        let path = match origin {
            ReferenceOrigin::Local => context.path_of(given).ok().map(|path| path.display().to_string()),
            ReferenceOrigin::Remote => None,
        };
        Self { given: given.to_owned(), origin, resolved: path.unwrap_or_else(|| given.to_owned()) }
    }

    /// Looks into it.
    pub(super) fn load(self, ask: &AskContext<'_>, arguments: &AskArguments, bounds: &LoadBounds) -> RequestedPdf {
        let loaded = LoadedPdf::of(ask, &self.given, arguments, bounds);
        let fetched = loaded.as_ref().ok().map(|loaded| &loaded.path).filter(|path| **path != self.given).cloned();
        let origin = if fetched.is_some() { ReferenceOrigin::Remote } else { self.origin };
        let is_url = |prefix: &str| self.given.get(..prefix.len()).is_some_and(|s| s.eq_ignore_ascii_case(prefix));
        let local = (self.given.starts_with('~') || is_url("file:")).then_some(self.resolved);
        let (path, rewritten_from) = match fetched.or(local) {
            Some(path) => (path, Some(self.given)),
            None => (self.given, None),
        };
        RequestedPdf { path, rewritten_from, origin, loaded }
    }
}

impl LoadedPdf {
    fn of(
        ask: &AskContext<'_>,
        reference: &str,
        arguments: &AskArguments,
        bounds: &LoadBounds,
    ) -> Result<Self, ToolError> {
        let document = DocumentArguments {
            path: reference.to_owned(),
            password: arguments.password.clone(),
            conversation: arguments.conversation.clone(),
        };
        let pdf = document.open(ask.context, ask.caller)?;
        if pdf.file_bytes > bounds.max_bytes {
            return Err(too_large(reference, pdf.file_bytes, bounds));
        }
        let page_count = pdf.document.page_count();
        if page_count == 0 {
            return Err(ContextError::PageOutOfRange { number: 1, page_count, is_zero_based: false }.into());
        }
        let selected = arguments.pages.as_deref().map(|pages| select_from(pages, &*pdf.document)).transpose()?;
        let (selection, selection_note) = match selected {
            Some(SelectedPages { pages, note }) => (Some(pages), note),
            None => (None, None),
        };
        Ok(Self {
            path: pdf.path.clone(),
            password: arguments.password.password.clone(),
            file_bytes: pdf.file_bytes,
            page_count,
            selection,
            selection_note,
            is_sound: !pdf.document.info().encrypted && pdf.document.notes().is_empty(),
            file: pdf.file(),
            kept: PreparedParts::default(),
        })
    }

    /// The pages that may be cut, read or rendered: the first `max` of the requested ones.
    pub(super) fn candidates(&self, max: u32) -> PageSet {
        let all = || PageSet::all(self.page_count);
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        self.selection.clone().unwrap_or_else(all).iter().take(max).collect()
    }

    /// The pages asked for.
    pub(super) fn requested_pages(&self) -> PageSet {
        self.selection.clone().unwrap_or_else(|| PageSet::all(self.page_count))
    }

    /// Parses it again. Drop the result soon: readers are few.
    pub(super) fn open(&self, ask: &AskContext<'_>) -> Result<OpenPdf, ToolError> {
        let cancellation = &ask.caller.cancellation;
        Ok(ask.context.open_pdf_again(&self.file, self.password.as_deref(), cancellation)?)
    }

    /// The file's bytes.
    pub(super) fn whole(&mut self, max_bytes: u64) -> Result<Bytes, ToolError> {
        if let Some(bytes) = &self.kept.whole {
            return Ok(bytes.clone());
        }
        let bytes = Bytes::from(self.file.read(max_bytes, "pdf_max_bytes_mb")?);
        Ok(self.kept.whole.insert(bytes).clone())
    }

    /// The file name that the model is given.
    pub(super) fn file_name(&self) -> String {
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        one_line(&name.unwrap_or_else(|| "document.pdf".to_owned()))
    }
}

/// The error for a file over a bound in MiB. It names the parameter if that was given, else the setting.
fn too_large(path: &str, bytes: u64, bounds: &LoadBounds) -> ToolError {
    let (LoadBounds { max_bytes, setting, .. }, megabytes) = (bounds, mebibytes(bounds.max_bytes));
    let is_parameter = *setting == MAX_BYTES;
    let named = if is_parameter { format!("'{setting}'") } else { (*setting).to_owned() };
    let message = format!("File too large: {path} has {bytes} bytes, and {named} is {megabytes} MiB");
    let refusal = ToolError::new(ErrorCode::TooLarge, message)
        .hint("Pass a larger maxBytesMb, or cut the pages you need with get_file.")
        .command_hint("Pass a larger --max-bytes-mb, or cut the pages you need with pagewise split.")
        .with("bytes", json!(bytes))
        .with("limit", json!(megabytes))
        .with("limitBytes", json!(max_bytes));
    refusal.with(if is_parameter { "parameter" } else { "setting" }, json!(setting))
}

#[allow(clippy::cast_precision_loss, reason = "a size for a message")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
