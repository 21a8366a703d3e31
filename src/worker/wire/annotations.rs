//! Comments, links, form fields and attachments on the wire.

use serde::{Deserialize, Serialize};

use pagewise_base::page::{PageIndex, PageSet};
use pagewise_document::{
    AnnotationCounts, Attachment, Attachments, ChoiceOption, Comment, CommentKind, DisplayedArea, FieldKind,
    FieldValue, Form, FormField, Link, LinkTarget, PageAnnotations, Signature,
};

/// [`PageAnnotations`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireAnnotations {
    comments: Vec<WireComment>,
    links: Vec<(WireTarget, [f32; 4])>,
    fields: Vec<WireField>,
    left_out: usize,
}

/// [`Form`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireForm {
    fields: Vec<WireField>,
    total: usize,
}

/// [`AnnotationCounts`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireCounts {
    comments: usize,
    pages_with_comments: Vec<(u32, u32)>,
    links: usize,
    pages_with_links: Vec<(u32, u32)>,
    pages_read: u32,
}

/// [`Attachments`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireAttachments {
    items: Vec<WireAttachment>,
    total: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct WireComment {
    kind: String,
    contents: String,
    author: Option<String>,
    date: Option<String>,
    subject: Option<String>,
    state: Option<String>,
    reply_to: Option<usize>,
    area: [f32; 4],
    marked: Vec<[f32; 4]>,
    marked_text: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum WireTarget {
    Uri(String),
    Page(u32),
    File(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct WireField {
    name: String,
    label: Option<String>,
    kind: String,
    value: WireValue,
    /// Export value, displayed text, and whether it is chosen.
    options: Vec<(String, String, bool)>,
    is_read_only: bool,
    is_required: bool,
    area: Option<[f32; 4]>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum WireValue {
    Empty,
    Text(String),
    State { is_on: bool, name: String },
    Secret,
    Signature { signer: Option<String>, date: Option<String>, reason: Option<String> },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct WireAttachment {
    name: String,
    bytes: Option<u64>,
    mime_type: Option<String>,
    description: Option<String>,
    created: Option<String>,
    modified: Option<String>,
    relationship: Option<String>,
    page: Option<u32>,
}

impl WireAnnotations {
    /// About what it takes in memory.
    pub(crate) fn heap_bytes(&self) -> usize {
        let comment = |comment: &WireComment| {
            let marked = comment.marked_text.as_ref().map_or(0, String::len);
            comment.contents.len().saturating_add(marked).saturating_add(comment.marked.len() * 16 + 250)
        };
        let links = self.links.iter().map(|(target, _)| match target {
            WireTarget::Uri(text) | WireTarget::File(text) => text.len().saturating_add(60),
            WireTarget::Page(_) => 60,
        });
        let comments = self.comments.iter().map(comment);
        comments.chain(links).chain(self.fields.iter().map(WireField::heap_bytes)).sum()
    }
}

impl WireForm {
    /// About what it takes in memory.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.fields.iter().map(WireField::heap_bytes).sum()
    }
}

impl WireField {
    fn heap_bytes(&self) -> usize {
        let options = self.options.iter().map(|(export, display, _)| export.len() + display.len() + 60);
        let value = if let WireValue::Text(text) = &self.value { text.len() } else { 100 };
        options.sum::<usize>().saturating_add(value).saturating_add(self.name.len()).saturating_add(250)
    }
}

fn area([left, top, right, bottom]: [f32; 4]) -> DisplayedArea {
    DisplayedArea { left, top, right, bottom }
}

/// Converts each item.
fn all<T: Into<U>, U>(items: Vec<T>) -> Vec<U> {
    items.into_iter().map(Into::into).collect()
}

impl From<PageAnnotations> for WireAnnotations {
    fn from(PageAnnotations { comments, links, fields, left_out }: PageAnnotations) -> Self {
        let links = links.into_iter().map(|link| (link.target.into(), link.area.edges())).collect();
        Self { comments: all(comments), links, fields: all(fields), left_out }
    }
}

impl From<WireAnnotations> for PageAnnotations {
    fn from(WireAnnotations { comments, links, fields, left_out }: WireAnnotations) -> Self {
        let links = links.into_iter().map(|(target, edges)| Link { target: target.into(), area: area(edges) });
        // A comment of a kind that this program does not know cannot come from the same program.
        let comments = comments.into_iter().filter_map(WireComment::comment).collect();
        let fields = fields.into_iter().filter_map(WireField::field).collect();
        Self { comments, links: links.collect(), fields, left_out }
    }
}

impl From<Form> for WireForm {
    fn from(Form { fields, total }: Form) -> Self {
        Self { fields: all(fields), total }
    }
}

impl From<WireForm> for Form {
    fn from(WireForm { fields, total }: WireForm) -> Self {
        Self { fields: fields.into_iter().filter_map(WireField::field).collect(), total }
    }
}

impl From<AnnotationCounts> for WireCounts {
    fn from(counts: AnnotationCounts) -> Self {
        let runs = |pages: &PageSet| pages.runs().map(|(first, last)| (first.0, last.0)).collect();
        Self {
            comments: counts.comments,
            pages_with_comments: runs(&counts.pages_with_comments),
            links: counts.links,
            pages_with_links: runs(&counts.pages_with_links),
            pages_read: counts.pages_read,
        }
    }
}

impl From<WireCounts> for AnnotationCounts {
    fn from(counts: WireCounts) -> Self {
        let pages = |runs: Vec<(u32, u32)>| {
            let mut pages = PageSet::new();
            runs.into_iter().for_each(|(first, last)| pages.insert_run(first, last));
            pages
        };
        Self {
            comments: counts.comments,
            pages_with_comments: pages(counts.pages_with_comments),
            links: counts.links,
            pages_with_links: pages(counts.pages_with_links),
            pages_read: counts.pages_read,
        }
    }
}

impl From<Attachments> for WireAttachments {
    fn from(Attachments { items, total }: Attachments) -> Self {
        Self { items: all(items), total }
    }
}

impl From<WireAttachments> for Attachments {
    fn from(WireAttachments { items, total }: WireAttachments) -> Self {
        Self { items: all(items), total }
    }
}

impl From<Comment> for WireComment {
    fn from(comment: Comment) -> Self {
        let Comment { kind, contents, author, date, subject, state, reply_to, area, marked, marked_text } = comment;
        let marked = marked.into_iter().map(DisplayedArea::edges).collect();
        let (kind, area) = (kind.name().to_owned(), area.edges());
        Self { kind, contents, author, date, subject, state, reply_to, area, marked, marked_text }
    }
}

impl WireComment {
    fn comment(self) -> Option<Comment> {
        let Self { kind, contents, author, date, subject, state, reply_to, area: edges, marked, marked_text } = self;
        let (kind, marked) = (CommentKind::named(&kind)?, marked.into_iter().map(area).collect());
        let area = area(edges);
        Some(Comment { kind, contents, author, date, subject, state, reply_to, area, marked, marked_text })
    }
}

impl From<LinkTarget> for WireTarget {
    fn from(target: LinkTarget) -> Self {
        match target {
            LinkTarget::Uri(address) => Self::Uri(address),
            LinkTarget::Page(page) => Self::Page(page.0),
            LinkTarget::File(name) => Self::File(name),
        }
    }
}

impl From<WireTarget> for LinkTarget {
    fn from(target: WireTarget) -> Self {
        match target {
            WireTarget::Uri(address) => Self::Uri(address),
            WireTarget::Page(page) => Self::Page(PageIndex(page)),
            WireTarget::File(name) => Self::File(name),
        }
    }
}

impl From<FormField> for WireField {
    fn from(field: FormField) -> Self {
        let FormField { name, label, kind, value, options, is_read_only, is_required, area } = field;
        let options = options.into_iter().map(|option| (option.export, option.display, option.is_chosen)).collect();
        let (kind, area) = (kind.name().to_owned(), area.map(DisplayedArea::edges));
        Self { name, label, kind, value: value.into(), options, is_read_only, is_required, area }
    }
}

impl WireField {
    fn field(self) -> Option<FormField> {
        let Self { name, label, kind, value, options, is_read_only, is_required, area: edges } = self;
        let option = |(export, display, is_chosen)| ChoiceOption { export, display, is_chosen };
        let (kind, options) = (FieldKind::named(&kind)?, options.into_iter().map(option).collect());
        let area = edges.map(area);
        Some(FormField { name, label, kind, value: value.into(), options, is_read_only, is_required, area })
    }
}

impl From<FieldValue> for WireValue {
    fn from(value: FieldValue) -> Self {
        match value {
            FieldValue::Empty => Self::Empty,
            FieldValue::Text(text) => Self::Text(text),
            FieldValue::State { is_on, name } => Self::State { is_on, name },
            FieldValue::Secret => Self::Secret,
            FieldValue::Signature(Signature { signer, date, reason }) => Self::Signature { signer, date, reason },
        }
    }
}

impl From<WireValue> for FieldValue {
    fn from(value: WireValue) -> Self {
        match value {
            WireValue::Empty => Self::Empty,
            WireValue::Text(text) => Self::Text(text),
            WireValue::State { is_on, name } => Self::State { is_on, name },
            WireValue::Secret => Self::Secret,
            WireValue::Signature { signer, date, reason } => Self::Signature(Signature { signer, date, reason }),
        }
    }
}

impl From<Attachment> for WireAttachment {
    fn from(attachment: Attachment) -> Self {
        let Attachment { name, bytes, mime_type, description, created, modified, relationship, page } = attachment;
        let page = page.map(|page| page.0);
        Self { name, bytes, mime_type, description, created, modified, relationship, page }
    }
}

impl From<WireAttachment> for Attachment {
    fn from(attachment: WireAttachment) -> Self {
        let WireAttachment { name, bytes, mime_type, description, created, modified, relationship, page } = attachment;
        let page = page.map(PageIndex);
        Self { name, bytes, mime_type, description, created, modified, relationship, page }
    }
}
