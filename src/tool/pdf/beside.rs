//! What stands beside the text of a page, as data: comments, links and form fields with their boxes.

use serde::{Serialize, Serializer};

use super::arguments::TextFormat;
use crate::context::{AnnotationKind, annotation_lines, attachment_path, listed_or_counted};
use pagewise_base::page::PageSet;
use pagewise_document::{
    AnnotationCounts, Attachment, Comment, DisplayedArea, FieldValue, FormField, Link, LinkTarget, PageAnnotations,
    Review,
};

/// What stands beside the text of a page. Boxes are left, top, right and bottom in points from the top left of the page as
/// displayed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BesideText {
    /// Comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentData>,
    /// Links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkData>,
    /// Form fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldData>,
    /// The same as text.
    #[serde(skip)]
    pub(super) lines: String,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentData {
    /// Its kind.
    pub kind: &'static str,
    /// What it says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub contents: String,
    /// The marked words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked_text: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The name of a stamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The last state of each reviewer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ReviewData>,
    /// The comment that this replies to, by its index on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<usize>,
    /// Whether it is one mark with the comment that it replies to.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub grouped: bool,
    /// Where it stands.
    pub bbox: [f64; 4],
    /// The marked areas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<[f64; 4]>,
}

/// The state that a reviewer gave a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewData {
    /// Such as `Accepted`.
    pub state: String,
    /// Who gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// When, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What the reviewer wrote beside it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remark: String,
}

/// A link: to a `uri`, to a 1-based `page` of this document, or to another `file`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LinkData {
    /// An address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// A page of this document, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it stands.
    pub bbox: [f64; 4],
}

/// A form field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldData {
    /// The full name.
    pub name: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The text of a text field, the export value of a choice, or the name of a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether a check box or radio buttons are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_on: Option<bool>,
    /// What can be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionData>,
    /// Who signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// When it was signed, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_at: Option<String>,
    /// Why it was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person may not change it.
    pub read_only: bool,
    /// Whether it must have a value.
    pub required: bool,
    /// Where it stands on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bbox: Option<[f64; 4]>,
}

/// An option of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptionData {
    /// The exported value.
    pub export: String,
    /// The displayed text.
    pub display: String,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// An attachment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentData {
    /// Its name.
    pub name: String,
    /// The path to ask for it.
    pub path: String,
    /// Bytes, as the document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its MIME type, as the document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When it was created, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// When it was last changed, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// What it is to the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationship: Option<String>,
    /// The page that it is attached to, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

/// How many comments or links a document has, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CountData {
    /// Their number.
    pub count: usize,
    /// Their pages, as a selection.
    #[serde(serialize_with = "as_selection")]
    pub pages: PageSet,
    /// Pages that were looked at, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_read: Option<u32>,
}

impl BesideText {
    /// What `annotations` say. The lines have no links where the text itself has them.
    pub(super) fn of(annotations: &PageAnnotations, format: TextFormat) -> Self {
        let kinds = match format {
            TextFormat::Text | TextFormat::Layout => AnnotationKind::BESIDE_TEXT,
            TextFormat::Markdown => AnnotationKind::BESIDE_MARKDOWN,
        };
        Self {
            comments: annotations.comments.iter().map(CommentData::of).collect(),
            links: annotations.links.iter().map(LinkData::of).collect(),
            fields: annotations.fields.iter().map(FieldData::of).collect(),
            lines: annotation_lines(annotations, kinds),
        }
    }

    /// The lines that follow `text`, with the gap to it.
    pub(super) fn after(&self, text: &str) -> String {
        let gap = if text.is_empty() || self.lines.is_empty() { "" } else { "\n\n" };
        format!("{gap}{}", self.lines)
    }
}

pub(super) fn as_selection<S: Serializer>(pages: &PageSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(pages)
}

/// The edges of an area in hundredths of a point, without the digits that a narrower number brings along.
fn bbox(area: DisplayedArea) -> [f64; 4] {
    area.edges().map(|edge| (f64::from(edge) * 100.0).round() / 100.0)
}

impl CommentData {
    fn of(comment: &Comment) -> Self {
        Self {
            kind: comment.kind.name(),
            contents: comment.contents.clone(),
            marked_text: comment.marked_text.clone(),
            author: comment.author.clone(),
            date: comment.date.clone(),
            subject: comment.subject.clone(),
            state: comment.stamp.clone(),
            reviews: comment.reviews.iter().map(ReviewData::of).collect(),
            reply_to: comment.reply_to,
            grouped: comment.is_grouped,
            bbox: bbox(comment.area),
            marked: comment.marked.iter().map(|area| bbox(*area)).collect(),
        }
    }
}

impl ReviewData {
    fn of(Review { state, reviewer, date, remark }: &Review) -> Self {
        let (state, remark) = (state.clone(), remark.clone());
        Self { state, reviewer: reviewer.clone(), date: date.clone(), remark }
    }
}

impl LinkData {
    fn of(link: &Link) -> Self {
        let bare = Self { bbox: bbox(link.area), ..Self::default() };
        match &link.target {
            LinkTarget::Uri(address) => Self { uri: Some(address.clone()), ..bare },
            LinkTarget::Page(page) => Self { page: Some(page.number().get()), ..bare },
            LinkTarget::File(name) => Self { file: Some(name.clone()), ..bare },
        }
    }
}

impl FieldData {
    /// A field as data.
    pub(super) fn of(field: &FormField) -> Self {
        let (mut value, mut is_on, mut signature) = (None, None, None);
        match &field.value {
            FieldValue::Empty | FieldValue::Secret => {}
            FieldValue::Text(text) => value = Some(text.clone()),
            FieldValue::State { is_on: on, name } => {
                is_on = Some(*on);
                value = Some(name.clone()).filter(|name| !name.is_empty());
            }
            FieldValue::Signature(signed) => signature = Some(signed.clone()),
        }
        let option = |option: &pagewise_document::ChoiceOption| OptionData {
            export: option.export.clone(),
            display: option.display.clone(),
            chosen: option.is_chosen,
        };
        let signature = signature.unwrap_or_default();
        Self {
            name: field.name.clone(),
            label: field.label.clone(),
            kind: field.kind.name(),
            value,
            is_on,
            options: field.options.iter().map(option).collect(),
            signer: signature.signer,
            signed_at: signature.date,
            reason: signature.reason,
            read_only: field.is_read_only,
            required: field.is_required,
            bbox: field.area.map(bbox),
        }
    }
}

impl AttachmentData {
    /// An attachment of the PDF at `path` as data.
    pub(super) fn of(attachment: &Attachment, path: &str) -> Self {
        Self {
            path: attachment_path(path, &attachment.name),
            name: attachment.name.clone(),
            bytes: attachment.bytes,
            mime_type: attachment.mime_type.clone(),
            description: attachment.description.clone(),
            created: attachment.created.clone(),
            modified: attachment.modified.clone(),
            relationship: attachment.relationship.clone(),
            page: attachment.page.map(|page| page.number().get()),
        }
    }
}

impl CountData {
    /// The count and the pages: `5 on pages 2-4`.
    #[must_use]
    pub fn phrase(&self) -> String {
        let read = self.pages_read.map(|read| format!(", of the first {read} pages")).unwrap_or_default();
        format!("{} on {}{read}", self.count, listed_or_counted(&self.pages))
    }

    /// The comments and the links of a document of `pages` pages; `None` where there are none.
    pub(super) fn of(counts: &AnnotationCounts, pages: u32) -> [Option<Self>; 2] {
        let pages_read = Some(counts.pages_read).filter(|read| *read < pages);
        let comments = (counts.comments, &counts.pages_with_comments);
        [comments, (counts.links, &counts.pages_with_links)]
            .map(|(count, pages)| (count > 0).then(|| Self { count, pages: pages.clone(), pages_read }))
    }
}
