//! A file of a conversation, and its pages.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::Call;
use crate::context::NoProgress;
use crate::context::{
    FileInspection, FileState, HeldRun, OpenPdf, PageInspection, TextSegment, compare_versions, compare_words,
    form_name, inspect_page,
};
use crate::tool::{
    Caller, ErrorCode, FoundInDocument, MatchedPage, SearchArguments, SearchResult, ToolError, VersionsResult,
    draw_to_width, result_json, search,
};
use pagewise_base::page::PageIndex;
use pagewise_text::SearchHit;
use pagewise_view::FileKey;

/// The most pixels from left to right of a picture.
const MAX_WIDTH: u64 = 2_400;

/// Matches of a search that are shown.
const MAX_MATCHES: Option<NonZeroU64> = NonZeroU64::new(200);

/// The most bytes of a document that is opened whole.
const MAX_DOCUMENT_BYTES: u64 = 256 << 20;

impl Call<'_> {
    /// What became of a file, and the marks of its pages.
    pub(super) fn file(&self) -> Result<Value, ToolError> {
        let (id, key) = (self.admitted()?, self.arguments.file("key")?);
        let inspected = self.context.inspect_file(&id, key, self.cancellation)?;
        let conversation = self.context.conversation(&id)?.ok_or_else(not_held)?;
        let moments = conversation.history.steps.iter().map(|step| (step.at.0, step.moment.0)).collect();
        Ok(inspection_json(&inspected.ok_or_else(not_held)?, &moments))
    }

    /// A page's text, Markdown and cost.
    pub(super) fn page(&self) -> Result<Value, ToolError> {
        let pdf = self.pdf("key")?;
        Ok(page_json(&inspect_page(&pdf, self.arguments.page("page")?)?))
    }

    /// A page as it is drawn.
    pub(super) fn picture(&self) -> Result<Bytes, ToolError> {
        let (page, query) = (self.arguments.page("page")?, self.arguments.query()?);
        let width = self.arguments.number("width")?.unwrap_or(MAX_WIDTH).clamp(1, MAX_WIDTH);
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        Ok(draw_to_width(&self.pdf("key")?, page, width, query.as_deref())?.png)
    }

    /// What the words of a search match in a file.
    pub(super) fn search(&self) -> Result<Value, ToolError> {
        // Only a PDF on this machine is searched: the tool would fetch a URL.
        let path = self.pdf("key")?.path;
        let query = self.arguments.query()?.ok_or_else(|| ToolError::required("q"))?;
        let caller = Caller { cancellation: self.cancellation.clone(), ..Caller::direct() };
        let (paths, query) = (vec![path], Some(query));
        let arguments = SearchArguments { paths, query, max_results: MAX_MATCHES, ..SearchArguments::default() };
        match search(self.context, &arguments, &caller, &NoProgress)? {
            SearchResult::Document(found) => Ok(found_json(&found)),
            _ => Err(not_drawn()),
        }
    }

    /// A page beside another, with the words that differ.
    pub(super) fn compare(&self) -> Result<Value, ToolError> {
        let left = self.text_of("key", "page")?;
        let right = self.text_of("otherKey", "otherPage")?;
        let compared = compare_words(&left, &right);
        let segments = |segments: &[TextSegment]| {
            segments.iter().map(|segment| json!([segment.text, segment.differs])).collect::<Vec<_>>()
        };
        Ok(json!({
            "left": segments(&compared.left),
            "right": segments(&compared.right),
            "changes": compared.changes,
        }))
    }

    /// How a file differs from another one, as from its earlier version.
    pub(super) fn versions(&self) -> Result<Value, ToolError> {
        let (path, against) = (self.pdf("key")?.path, self.pdf("otherKey")?.path);
        let changes = compare_versions(|| self.pdf("otherKey"), || self.pdf("key"), &NoProgress)?;
        result_json(&VersionsResult::of(changes, &path, &against))
    }

    /// The bytes of a document.
    pub(super) fn document(&self) -> Result<Vec<u8>, ToolError> {
        Ok(self.pdf("key")?.file().read(MAX_DOCUMENT_BYTES, "the limit of a document that is opened whole")?)
    }

    fn text_of(&self, key: &str, page: &str) -> Result<String, ToolError> {
        let pdf = self.pdf(key)?;
        Ok(inspect_page(&pdf, self.arguments.page(page)?)?.text)
    }

    /// The PDF that an argument names, as it is now.
    fn pdf(&self, argument: &str) -> Result<OpenPdf, ToolError> {
        let (id, key): (_, FileKey) = (self.admitted()?, self.arguments.file(argument)?);
        self.context.open_held_pdf(&id, key, self.cancellation)?.ok_or_else(not_drawn)
    }
}

fn not_held() -> ToolError {
    ToolError::new(ErrorCode::FileNotFound, "The conversation does not hold this file")
}

fn not_drawn() -> ToolError {
    ToolError::new(ErrorCode::FileNotFound, "The conversation holds no PDF on this machine under this key")
}

/// `moments` are those of the points that are known.
fn inspection_json(inspection: &FileInspection, moments: &BTreeMap<u64, u64>) -> Value {
    let FileInspection { state, content, page_count, held, changes, earlier, forgotten } = inspection;
    let (state, why) = match state {
        FileState::Same => ("same", None),
        FileState::Changed => ("changed", None),
        FileState::Gone => ("gone", None),
        FileState::Remote => ("remote", None),
        FileState::Unreadable { reason } => ("unreadable", Some(reason)),
    };
    let pairs = |(then, now): &(PageIndex, PageIndex)| json!([then.number().get(), now.number().get()]);
    json!({
        "state": state,
        "why": why,
        "content": content.map(|content| content.to_string()),
        "pages": page_count.unwrap_or(0),
        "marks": held.iter().map(|run| run_json(run, moments)).collect::<Vec<_>>(),
        "changed": changes.changed.to_string(),
        "moved": changes.moved.iter().map(pairs).collect::<Vec<_>>(),
        "removed": changes.removed.to_string(),
        "earlier": earlier.to_string(),
        "forgotten": forgotten.to_string(),
    })
}

fn run_json(run: &HeldRun, moments: &BTreeMap<u64, u64>) -> Value {
    json!([
        run.first.number().get(),
        run.last.number().get(),
        form_name(run.form),
        run.point.0,
        moments.get(&run.point.0)
    ])
}

fn page_json(page: &PageInspection) -> Value {
    let cost = page.costs.iter().map(|(form, usage)| {
        let size = Some(usage.bytes).filter(|bytes| *bytes > 0);
        (form_name(*form).to_owned(), json!({ "tokens": usage.tokens, "size": size }))
    });
    json!({
        "label": page.label,
        "text": page.text,
        "markdown": page.markdown,
        "notes": page.notes,
        "cost": cost.collect::<Map<_, _>>(),
    })
}

fn found_json(found: &FoundInDocument) -> Value {
    let hits = |page: &MatchedPage| page.hits.iter().map(|hit| hit_json(page.page, hit)).collect::<Vec<_>>();
    json!({ "total": found.total(), "hits": found.pages().iter().flat_map(hits).collect::<Vec<_>>() })
}

/// A match with the text around it: the parts of the excerpt, and whether each matches.
fn hit_json(page: PageIndex, hit: &SearchHit) -> Value {
    let mut parts = Vec::new();
    let mut end = 0;
    for span in &hit.spans {
        parts.push(json!([hit.excerpt.get(end..span.start).unwrap_or_default(), false]));
        parts.push(json!([hit.excerpt.get(span.clone()).unwrap_or_default(), true]));
        end = span.end;
    }
    parts.push(json!([hit.excerpt.get(end..).unwrap_or_default(), false]));
    json!({ "page": page.number().get(), "matches": hit.matches, "parts": parts })
}
