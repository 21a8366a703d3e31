//! A map of a document's pages: a line for each, with its size, what stands on it, and what it costs.

use serde::Serialize;

use crate::context::{OpenPdf, estimated_tokens, image_tokens, one_line, points, unreadable_page_text};
use crate::tool::error::ToolError;
use crate::worker::{PageFacts, PageWants};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_text::PageKind;

/// Maximum number of pages on one map.
const MAX_MAPPED_PAGES: usize = 200;

/// What stands on a page, and what the page costs.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MappedPage {
    /// The 1-based number.
    pub page: u32,
    /// The printed label, if it differs from the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Width as displayed, in points.
    pub width_pt: f64,
    /// Height as displayed, in points.
    pub height_pt: f64,
    /// `text`, `scan`, `picture` (drawings or images without text), `unreadable` (text whose characters are unknown) or
    /// `blank`.
    pub kind: &'static str,
    /// Words of its text.
    pub words: usize,
    /// Tables.
    pub tables: usize,
    /// Images and charts.
    pub images: usize,
    /// Links.
    pub links: usize,
    /// Comments.
    pub comments: usize,
    /// Form fields.
    pub fields: usize,
    /// Estimated tokens of its text.
    pub text_tokens: u64,
    /// Estimated tokens of its picture.
    pub image_tokens: u64,
    /// Bytes of the page as a PDF.
    pub document_bytes: usize,
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
}

impl PageMap {
    /// The map of `pages`, or of the first of them.
    ///
    /// # Errors
    /// If the call was cancelled, or the document changed.
    pub(super) fn of(pdf: &OpenPdf, pages: &PageSet) -> Result<Self, ToolError> {
        let mut map = Self { rest: pages.iter().skip(MAX_MAPPED_PAGES).collect(), ..Self::default() };
        for page in pages.iter().take(MAX_MAPPED_PAGES) {
            pdf.check()?;
            map.pages.push(MappedPage::of(pdf, page));
        }
        Ok(map)
    }
}

impl MappedPage {
    fn of(pdf: &OpenPdf, page: PageIndex) -> Self {
        let all = PageWants { geometry: true, annotations: true, structure: true, chunk: true, ..PageWants::default() };
        let facts = pdf.document.page(page, &all);
        let error = facts.as_ref().err().map(|error| unreadable_page_text(page.number(), error));
        // A page that cannot be cut or read still has a size.
        let facts = facts.or_else(|_| pdf.document.page(page, &PageWants { geometry: true, ..PageWants::default() }));
        let label = pdf.document.page_label(page).map(|label| label.0);
        Self {
            page: page.number().get(),
            label: label.filter(|label| *label != page.number().to_string()),
            error,
            ..facts
                .as_ref()
                .map_or_else(|_| Self { kind: "unreadable", ..Self::default() }, |facts| Self::of_facts(facts))
        }
    }

    fn of_facts(facts: &PageFacts) -> Self {
        let text = facts.text.as_ref();
        let words = text.map_or(0, |text| text.text.split_whitespace().count());
        let regions = facts.structure.as_ref();
        let annotations = facts.annotations.as_ref();
        Self {
            width_pt: facts.geometry.as_ref().map_or(0.0, |page| page.width_pt),
            height_pt: facts.geometry.as_ref().map_or(0.0, |page| page.height_pt),
            kind: text.map_or("unreadable", |text| kind_name(text.kind)),
            words,
            tables: regions.map_or(0, |regions| regions.tables.len()),
            images: regions.map_or(0, |regions| regions.structure.figures.len()),
            links: annotations.map_or(0, |found| found.links.len()),
            comments: annotations.map_or(0, |found| found.comments.len()),
            fields: annotations.map_or(0, |found| found.fields.len()),
            text_tokens: text.map_or(0, |text| estimated_tokens(&text.text)),
            image_tokens: facts.geometry.as_ref().map_or(0, image_tokens),
            document_bytes: facts.chunk.as_ref().map_or(0, |chunk| chunk.bytes.len()),
            ..Self::default()
        }
    }

    /// The page as a line: `3 (label iv): 595 x 842 pt, text, 412 words, 1 table; 530 tokens as text, …`.
    #[must_use]
    pub fn line(&self) -> String {
        let label = self.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
        let direction = if self.width_pt > self.height_pt { " landscape" } else { "" };
        let mut facts =
            vec![format!("{} x {} pt{direction}", points(self.width_pt), points(self.height_pt)), self.kind.to_owned()];
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
        let cost = format!(
            "{} tokens as text, {} as image, {} bytes as document",
            self.text_tokens, self.image_tokens, self.document_bytes
        );
        let error = self.error.as_deref().map(|error| format!("; {}", one_line(error))).unwrap_or_default();
        format!("{}{label}: {}; {cost}{error}", self.page, facts.join(", "))
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
