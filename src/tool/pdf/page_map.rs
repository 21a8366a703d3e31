//! A map of a document's pages: a line for each, with its size, what stands on it, and what it costs.

use serde::Serialize;

use crate::context::{
    AnswerSettings, OpenPdf, PageEstimate, PagePictures, RunningLines, estimated_tokens, image_tokens,
    listed_or_counted, one_line, page_estimates, points, unreadable_page_text,
};
use std::collections::BTreeMap;

use crate::tool::error::ToolError;
use crate::tool::pdf::beside::as_selection;
use crate::worker::{PageWants, Pages, PdfError, StructuredPage};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_base::parts::PartsFault;
use pagewise_document::{LinkTarget, PageAnnotations};
use pagewise_text::PageKind;

/// Maximum number of pages on one map.
const MAX_MAPPED_PAGES: usize = 200;

/// What stands on a page, and what the page costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MappedPage {
    /// The 1-based number.
    pub page: u32,
    /// The printed label, if it differs from the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether the label was read from running lines, since the document names none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub label_inferred: bool,
    /// Width as displayed, in points.
    pub width_pt: f64,
    /// Height as displayed, in points.
    pub height_pt: f64,
    /// `text`, `scan`, `picture`, `unreadable` or `blank`. A picture has drawings or images and no text; the characters of
    /// unreadable text are unknown.
    pub kind: &'static str,
    /// Words of its text.
    pub words: usize,
    /// Tables.
    pub tables: usize,
    /// Images, and figures with a caption: those that can be had as files.
    pub images: usize,
    /// Links.
    pub links: usize,
    /// Comments.
    pub comments: usize,
    /// Form fields.
    pub fields: usize,
    /// Estimated tokens of its text, as it is given.
    pub text_tokens: u64,
    /// Estimated tokens of its picture.
    pub image_tokens: u64,
    /// Estimated tokens in the form that is chosen for it where the client leaves the choice, if it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed_tokens: Option<u64>,
    /// Bytes of the page as a PDF, if it can be cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_bytes: Option<usize>,
    /// Why it could not be read whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The map of some pages, and the pages that did not fit.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PageMap {
    /// The pages, in order.
    pub(super) pages: Vec<MappedPage>,
    /// The selected pages that are left.
    pub(super) rest: PageSet,
    /// The running heads and feet of the pages.
    pub(super) running: Vec<Occurrences>,
    /// What their links lead to.
    pub(super) links: Vec<Occurrences>,
}

/// A running line or the target of a link, and the pages that have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occurrences {
    /// The line, in which `#` stands for the page's own number; or an address, `page 3`, or `file` with its name.
    pub text: String,
    /// The pages, as a selection.
    #[serde(serialize_with = "as_selection")]
    pub pages: PageSet,
}

impl Occurrences {
    /// `https://example.org, on pages 2,5`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}, on {}", one_line(&self.text), listed_or_counted(&self.pages))
    }

    fn of(found: impl IntoIterator<Item = (String, PageSet)>) -> Vec<Self> {
        found.into_iter().map(|(text, pages)| Self { text, pages }).collect()
    }
}

impl PageMap {
    /// The map of `pages`, or of the first of them.
    ///
    /// # Errors
    /// If the call was cancelled, or the document changed.
    pub(super) fn of(pdf: &OpenPdf, pages: &PageSet, settings: &AnswerSettings) -> Result<Self, ToolError> {
        let mut map = Self { rest: pages.iter().skip(MAX_MAPPED_PAGES).collect(), ..Self::default() };
        let (mut read, mut links) = (BTreeMap::new(), BTreeMap::<LinkTarget, PageSet>::new());
        for page in pages.iter().take(MAX_MAPPED_PAGES) {
            pdf.check()?;
            let annotations = pdf.document.annotations(page);
            for link in annotations.iter().flat_map(|found| &found.links) {
                links.entry(link.target.clone()).or_default().insert(page);
            }
            let (mapped, structured) = MappedPage::of(&*pdf.document, page, annotations);
            map.pages.push(mapped);
            read.extend(structured.map(|structured| (page, structured)));
        }
        map.add_costs(&page_estimates(&*pdf.document, read, settings));
        let mapped = pages.iter().take(MAX_MAPPED_PAGES).collect();
        let running = RunningLines::of(&*pdf.document, &mapped);
        map.infer_labels(&running.labels);
        map.running = Occurrences::of(running.lines);
        map.links = Occurrences::of(links.into_iter().map(|(target, pages)| (target_name(&target), pages)));
        pdf.check()?;
        Ok(map)
    }
}

impl PageMap {
    fn add_costs(&mut self, estimates: &[PageEstimate]) {
        for page in &mut self.pages {
            let Some(cost) = estimates.iter().find(|cost| cost.page.get() == page.page) else { continue };
            page.text_tokens = cost.text_tokens.unwrap_or(page.text_tokens);
            // A part of an office file has no picture to choose.
            page.mixed_tokens = cost.mixed_tokens.filter(|_| page.image_tokens > 0);
        }
    }

    fn infer_labels(&mut self, printed: &BTreeMap<PageIndex, PageLabel>) {
        for page in &mut self.pages {
            let label = printed.get(&PageIndex(page.page.saturating_sub(1))).map(|label| label.0.clone());
            if let Some(label) = label.filter(|label| page.label.is_none() && *label != page.page.to_string()) {
                (page.label, page.label_inferred) = (Some(label), true);
            }
        }
    }
}

impl MappedPage {
    /// What cannot be read of the page is none, and `error` says why.
    fn of(
        document: &dyn Pages,
        page: PageIndex,
        annotations: Result<PageAnnotations, PdfError>,
    ) -> (Self, Option<StructuredPage>) {
        let geometry = document.page_geometry(page);
        let read = document.page_structure(page);
        let pictures = PagePictures::of(document, page);
        let chunk = document.page(page, &PageWants { chunk: true, ..PageWants::default() });
        let errors =
            [geometry.as_ref().err(), read.as_ref().err(), annotations.as_ref().err(), pictures.as_ref().err()];
        let errors = errors.into_iter().chain([chunk.as_ref().err()]);
        // A part of an office file has no size and cannot be cut: that is no fault.
        let is_fault =
            |error: &&PdfError| !matches!(error, PdfError::Parts(error) if error.fault == PartsFault::OnlyText);
        let error = errors.flatten().find(is_fault).map(|error| unreadable_page_text(page.number(), error));
        let label = document.page_label(page).map(|label| label.0).filter(|label| *label != page.number().to_string());
        let text = read.as_ref().map(|read| read.text.text.as_str()).unwrap_or_default();
        let annotations = annotations.unwrap_or_default();
        let mapped = Self {
            page: page.number().get(),
            label,
            label_inferred: false,
            width_pt: geometry.as_ref().map_or(0.0, |page| page.width_pt),
            height_pt: geometry.as_ref().map_or(0.0, |page| page.height_pt),
            kind: read.as_ref().map_or("unreadable", |read| kind_name(read.text.kind)),
            words: text.split_whitespace().count(),
            tables: read.as_ref().map_or(0, |read| read.tables.len()),
            images: pictures.map_or(0, |found| found.pictures.len().saturating_add(found.unlisted)),
            links: annotations.links.len(),
            comments: annotations.comments.len(),
            fields: annotations.fields.len(),
            text_tokens: estimated_tokens(text),
            image_tokens: geometry.as_ref().map_or(0, image_tokens),
            mixed_tokens: None,
            document_bytes: chunk.ok().and_then(|facts| Some(facts.chunk.as_ref()?.bytes.len())),
            error,
        };
        (mapped, read.ok())
    }

    /// The page as a line: `3 (label iv): 595 x 842 pt, text, 412 words, 1 table; 530 tokens as text, …`.
    #[must_use]
    pub fn line(&self) -> String {
        let inferred = if self.label_inferred { ", as printed" } else { "" };
        let label = self.label.as_deref().map(|label| format!(" (label {}{inferred})", one_line(label)));
        let label = label.unwrap_or_default();
        let direction = if self.width_pt > self.height_pt { " landscape" } else { "" };
        let size = format!("{} x {} pt{direction}", points(self.width_pt), points(self.height_pt));
        let mut facts = Vec::from_iter(Some(size).filter(|_| self.width_pt > 0.0));
        facts.push(self.kind.to_owned());
        let counts = [
            (self.words, "word", "words"),
            (self.tables, "table", "tables"),
            (self.images, "image", "images"),
            (self.links, "link", "links"),
            (self.comments, "comment", "comments"),
            (self.fields, "field", "fields"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        facts.extend(counts.map(|(count, one, more)| format!("{count} {}", if count == 1 { one } else { more })));
        let document = self.document_bytes.map(|bytes| format!(", {bytes} bytes as document")).unwrap_or_default();
        let picture = Some(format!(", {} as image", self.image_tokens)).filter(|_| self.image_tokens > 0);
        let mixed = self.mixed_tokens.map(|tokens| format!(", {tokens} as mixed")).unwrap_or_default();
        let cost = format!("{} tokens as text{}{mixed}{document}", self.text_tokens, picture.unwrap_or_default());
        let error = self.error.as_deref().map(|error| format!("; {}", one_line(error))).unwrap_or_default();
        format!("{}{label}: {}; {cost}{error}", self.page, facts.join(", "))
    }
}

fn target_name(target: &LinkTarget) -> String {
    match target {
        LinkTarget::Uri(address) => address.clone(),
        LinkTarget::Page(page) => format!("page {}", page.number()),
        LinkTarget::File(name) => format!("file {name}"),
    }
}

fn kind_name(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Text => "text",
        PageKind::Empty => "blank",
        PageKind::Picture => "picture",
        PageKind::Scan => "scan",
        PageKind::Undecodable => "unreadable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::{
        DocumentFacts, DocumentWants, FileJob, PageFacts, PageRegions, PdfChunk, PdfError, RecognitionLimits,
    };
    use pagewise_text::PageText;
    use std::sync::Arc;

    /// A document whose page can be read, and not cut.
    struct Uncut;

    impl Pages for Uncut {
        fn page(&self, _: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
            if wants.chunk || wants.geometry {
                return Err(PdfError::missing());
            }
            let text = PageText { text: "three words here".to_owned(), ..PageText::default() };
            Ok(Arc::new(PageFacts {
                text: Some(text),
                structure: Some(PageRegions::default()),
                annotations: Some(PageAnnotations::default()),
                ..PageFacts::default()
            }))
        }

        fn page_count(&self) -> u32 {
            1
        }

        fn is_remote(&self) -> bool {
            false
        }

        fn recognition_limits(&self) -> RecognitionLimits {
            RecognitionLimits::from(&pagewise_base::limits::Limits::default())
        }

        fn facts(&self, _: &DocumentWants) -> DocumentFacts {
            DocumentFacts::default()
        }

        fn make(&self, _: &FileJob) -> Result<Option<PdfChunk>, PdfError> {
            Ok(None)
        }

        fn notes(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn a_page_that_cannot_be_cut_is_mapped_as_far_as_it_is_read() {
        let (page, _) = MappedPage::of(&Uncut, PageIndex(0), Ok(PageAnnotations::default()));
        assert_eq!((page.kind, page.words, page.document_bytes), ("text", 3, None));
        assert!(page.error.is_some() && page.line().contains(", 3 words; "), "{}", page.line());
        assert!(!page.line().contains("as document"), "{}", page.line());
    }
}
