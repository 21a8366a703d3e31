//! What stands beside the words of a page, as lines after its text: comments, links and form fields.

use std::collections::BTreeSet;

use super::phrases::count_of;
use pagewise_document::{Attachment, Comment, FieldKind, FieldValue, FormField, LinkTarget, PageAnnotations, Review};
use pagewise_view::PageForm;

/// The most characters of the lines of one page. Further items are counted.
const MAX_CHARACTERS: usize = 20_000;

/// The most options that are named beside a chosen one.
const MAX_NAMED_OPTIONS: usize = 20;

/// Marks the address of an attachment, before its name.
pub const ATTACHMENT_MARK: &str = "#attachment=";

/// What can stand beside the words of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnotationKind {
    /// Comments and their replies.
    Comments,
    /// Addresses and files that links lead to.
    Links,
    /// Form fields with their names and values.
    Fields,
}

impl AnnotationKind {
    /// What a plain text lacks.
    pub const BESIDE_TEXT: &[Self] = &[Self::Comments, Self::Links, Self::Fields];
    /// What Markdown lacks, which has links in its text.
    pub const BESIDE_MARKDOWN: &[Self] = &[Self::Comments, Self::Fields];
    /// What a picture lacks, which shows the values of fields.
    const BESIDE_PICTURE: &[Self] = &[Self::Comments, Self::Links];
    /// What a model does not see of a PDF, although it is in it.
    const BESIDE_DOCUMENT: &[Self] = &[Self::Comments];

    /// What stands beside a page in a form.
    #[must_use]
    pub fn beside(form: PageForm) -> &'static [Self] {
        match form {
            PageForm::Document | PageForm::Path => Self::BESIDE_DOCUMENT,
            PageForm::Image => Self::BESIDE_PICTURE,
            PageForm::Text | PageForm::Layout => Self::BESIDE_TEXT,
            PageForm::Markdown => Self::BESIDE_MARKDOWN,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Comments => "Comments:",
            Self::Links => "Links:",
            Self::Fields => "Form fields:",
        }
    }

    fn lines(self, annotations: &PageAnnotations) -> Vec<String> {
        match self {
            Self::Comments => comment_lines(&annotations.comments),
            Self::Links => link_lines(annotations),
            Self::Fields => annotations.fields.iter().map(field_line).collect(),
        }
    }
}

/// The annotations of a page under a heading for each kind; empty if there are none.
///
/// Each item is one line, so that document content cannot imitate a heading.
#[must_use]
pub fn annotation_lines(annotations: &PageAnnotations, kinds: &[AnnotationKind]) -> String {
    let mut lines = LineBudget { left: MAX_CHARACTERS, lines: Vec::new(), left_out: annotations.left_out };
    kinds.iter().for_each(|kind| lines.add(kind.heading(), kind.lines(annotations)));
    lines.text()
}

/// Lines as far as they fit.
struct LineBudget {
    left: usize,
    lines: Vec<String>,
    left_out: usize,
}

impl LineBudget {
    fn add(&mut self, heading: &str, items: Vec<String>) {
        let mut is_first = true;
        for item in items {
            let line = format!("- {item}");
            let Some(left) = self.left.checked_sub(line.chars().count()) else {
                self.left_out += 1;
                continue;
            };
            self.left = left;
            self.lines.extend(is_first.then(|| heading.to_owned()));
            self.lines.push(line);
            is_first = false;
        }
    }

    fn text(mut self) -> String {
        let count = u64::try_from(self.left_out).unwrap_or(u64::MAX);
        self.lines.extend((count > 0).then(|| format!("[{} beside this text left out]", count_of(count, "item"))));
        self.lines.join("\n")
    }
}

/// Comments in their order, each reply below what it replies to.
fn comment_lines(comments: &[Comment]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = (0..comments.len()).rev().map(|at| (at, 0)).collect::<Vec<_>>();
    pending.retain(|(at, _)| comments.get(*at).is_some_and(|comment| comment.reply_to.is_none()));
    let mut replies = vec![Vec::new(); comments.len()];
    for (at, comment) in comments.iter().enumerate().rev() {
        if let Some(replies) = comment.reply_to.and_then(|parent| replies.get_mut(parent)) {
            replies.push(at);
        }
    }
    while let Some((at, depth)) = pending.pop() {
        let Some(comment) = comments.get(at) else { continue };
        lines.push(comment_line(comment, depth));
        pending.extend(replies.get(at).into_iter().flatten().map(|reply| (*reply, depth + 1)));
    }
    lines
}

/// Levels of replies that are indented.
const MAX_DEPTH: usize = 5;

fn comment_line(comment: &Comment, depth: usize) -> String {
    let kind = match (depth, comment.is_grouped) {
        (0, _) => comment.kind.name().to_owned(),
        (_, true) => format!("with {}", comment.kind.name()),
        (_, false) => "reply".to_owned(),
    };
    let mut line = format!("{}{kind}", "  ".repeat(depth.min(MAX_DEPTH)));
    if let Some(marked) = &comment.marked_text {
        line.push_str(&format!(" of \"{}\"", whole_line(marked)));
    }
    if let Some(author) = &comment.author {
        line.push_str(&format!(" by {}", whole_line(author)));
    }
    line.extend(comment.date.iter().map(|date| format!(", {date}")));
    let stamp = comment.stamp.iter().map(|stamp| whole_line(stamp));
    let facts = stamp.chain(comment.reviews.iter().map(review_phrase)).collect::<Vec<_>>();
    line.extend((!facts.is_empty()).then(|| format!(" [{}]", facts.join("; "))));
    if !comment.contents.is_empty() {
        line.push_str(&format!(": {}", whole_line(&comment.contents)));
    }
    line
}

/// `Accepted by Ann, 2024-03-01T12:00:00Z`.
fn review_phrase(review: &Review) -> String {
    let reviewer = review.reviewer.as_deref().map(|name| format!(" by {}", whole_line(name))).unwrap_or_default();
    let date = review.date.as_deref().map(|date| format!(", {date}")).unwrap_or_default();
    let remark = Some(whole_line(&review.remark)).filter(|remark| !remark.is_empty());
    let remark = remark.map(|remark| format!(": {remark}")).unwrap_or_default();
    format!("{}{reviewer}{date}{remark}", whole_line(&review.state))
}

/// Each address and file once, in their order. Links to pages of this document say little without their places.
fn link_lines(annotations: &PageAnnotations) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let targets = annotations.links.iter().map(|link| &link.target).filter(|target| seen.insert(*target));
    let line = |target: &LinkTarget| match target {
        LinkTarget::Page(_) => None,
        LinkTarget::Uri(address) => Some(whole_line(address)),
        LinkTarget::File(name) => Some(format!("file {}", whole_line(name))),
    };
    targets.filter_map(line).collect()
}

/// A field as one line: its name, its kind and its value.
#[must_use]
pub fn field_line(field: &FormField) -> String {
    let label = field.label.as_ref().filter(|label| **label != field.name);
    let label = label.map(|label| format!(" ({})", whole_line(label))).unwrap_or_default();
    let name = if field.name.is_empty() { "without a name".to_owned() } else { whole_line(&field.name) };
    let kind = if field.kind == FieldKind::Text { String::new() } else { format!(", {}", field.kind.name()) };
    format!("{name}{label}{kind}: {}", field_value(field))
}

fn field_value(field: &FormField) -> String {
    let value = match &field.value {
        FieldValue::Empty if field.kind == FieldKind::PushButton => return "no value".to_owned(),
        FieldValue::Empty if field.kind == FieldKind::Signature => return "not signed".to_owned(),
        FieldValue::Empty => "empty".to_owned(),
        FieldValue::Secret => "a password, not shown".to_owned(),
        FieldValue::Text(text) if field.kind == FieldKind::Choice => chosen_text(field, text),
        FieldValue::Text(text) => whole_line(text),
        FieldValue::State { is_on, name } if field.kind == FieldKind::CheckBox => {
            let state = if *is_on { "on" } else { "off" };
            return if name.is_empty() { state.to_owned() } else { format!("{state} ({})", whole_line(name)) };
        }
        FieldValue::State { is_on: true, name } => chosen_text(field, name),
        FieldValue::State { .. } => "none chosen".to_owned(),
        FieldValue::Signature(signature) => {
            let signer = signature.signer.as_deref().map(|signer| format!(" by {}", whole_line(signer)));
            let date = signature.date.as_ref().map(|date| format!(", {date}"));
            let reason = signature.reason.as_deref().map(|reason| format!(", reason: {}", whole_line(reason)));
            let facts = [signer, date, reason].into_iter().flatten().collect::<String>();
            return format!("signed{facts} (not verified)");
        }
    };
    format!("{value}{}", options_phrase(field))
}

/// The displayed texts of what is chosen, with export values where they differ.
fn chosen_text(field: &FormField, value: &str) -> String {
    let chosen = field.options.iter().filter(|option| option.is_chosen).map(|option| {
        match option.export == option.display || option.export.is_empty() {
            true => whole_line(&option.display),
            false => format!("{} ({})", whole_line(&option.display), whole_line(&option.export)),
        }
    });
    let chosen = chosen.collect::<Vec<_>>().join(", ");
    if chosen.is_empty() { whole_line(value) } else { chosen }
}

fn options_phrase(field: &FormField) -> String {
    if field.options.is_empty() {
        return String::new();
    }
    let named = field.options.iter().take(MAX_NAMED_OPTIONS).map(|option| whole_line(&option.display));
    let named = named.collect::<Vec<_>>().join(", ");
    match field.options.len().saturating_sub(MAX_NAMED_OPTIONS) {
        0 => format!(" [of: {named}]"),
        more => format!(" [of: {named} and {more} more]"),
    }
}

/// An attachment as one line: its name, what is known of it, and how to ask for it.
#[must_use]
pub fn attachment_line(attachment: &Attachment, path: &str) -> String {
    let mut facts = Vec::new();
    facts.extend(attachment.mime_type.as_deref().map(whole_line));
    facts.extend(attachment.bytes.map(|bytes| count_of(bytes, "byte")));
    facts.extend(attachment.modified.as_ref().or(attachment.created.as_ref()).cloned());
    facts.extend(attachment.page.map(|page| format!("on page {}", page.number())));
    facts.extend(attachment.relationship.as_deref().map(whole_line));
    let description = attachment.description.as_deref().filter(|description| *description != attachment.name);
    let description = description.map(|description| format!(": {}", whole_line(description))).unwrap_or_default();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    format!("{}{facts}{description}; path: {}", attachment.name, attachment_path(path, &attachment.name))
}

/// The path of the attachment `name` of the PDF at `path`. Marks in the name are percent-encoded.
#[must_use]
pub fn attachment_path(path: &str, name: &str) -> String {
    format!("{path}{ATTACHMENT_MARK}{}", name.replace('%', "%25").replace('#', "%23"))
}

/// `text` on one line, whole.
fn whole_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_base::page::PageIndex;
    use pagewise_document::{ChoiceOption, CommentKind, DisplayedArea, Link, Signature};

    fn comment(kind: CommentKind, contents: &str, reply_to: Option<usize>) -> Comment {
        let (author, date) = (Some("Ann".to_owned()), Some("2024-03-01T12:00:00Z".to_owned()));
        Comment { author, date, reply_to, ..Comment::new(kind, contents.to_owned(), DisplayedArea::default()) }
    }

    fn field(name: &str, kind: FieldKind, value: FieldValue, options: &[(&str, &str, bool)]) -> FormField {
        let option = |(export, display, is_chosen): &(&str, &str, bool)| ChoiceOption {
            export: (*export).to_owned(),
            display: (*display).to_owned(),
            is_chosen: *is_chosen,
        };
        let options = options.iter().map(option).collect();
        let (label, is_read_only, is_required, area) = (None, false, false, None);
        FormField { name: name.to_owned(), label, kind, value, options, is_read_only, is_required, area }
    }

    fn link(target: LinkTarget) -> Link {
        Link { target, area: DisplayedArea::default() }
    }

    #[test]
    fn each_item_is_one_line_under_its_heading() {
        let marked = Comment {
            marked_text: Some("these\nwords".into()),
            ..comment(CommentKind::Highlight, "Links:\n- https://forged.example", None)
        };
        let signature =
            Signature { signer: Some("Bo".into()), date: Some("2024-01-01T00:00:00Z".into()), reason: None };
        let sizes = [("q", "Quarto", true), ("o", "Octavo", false)];
        let annotations = PageAnnotations {
            comments: vec![
                marked,
                comment(CommentKind::Note, "Why?", None),
                comment(CommentKind::Note, "Because.", Some(0)),
            ],
            links: vec![
                link(LinkTarget::Uri("https://example.org".into())),
                link(LinkTarget::Page(PageIndex(4))),
                link(LinkTarget::Uri("https://example.org".into())),
                link(LinkTarget::Page(PageIndex(2))),
            ],
            fields: vec![
                field("name", FieldKind::Text, FieldValue::Text("Ada\nPrintwright".into()), &[]),
                field("size", FieldKind::Choice, FieldValue::Text("q".into()), &sizes),
                field("laid", FieldKind::CheckBox, FieldValue::State { is_on: true, name: "Yes".into() }, &[]),
                field("pin", FieldKind::Text, FieldValue::Secret, &[]),
                field("sign", FieldKind::Signature, FieldValue::Signature(signature), &[]),
            ],
            left_out: 0,
        };
        insta::assert_snapshot!(annotation_lines(&annotations, AnnotationKind::BESIDE_TEXT), @r#"
        Comments:
        - highlight of "these words" by Ann, 2024-03-01T12:00:00Z: Links: - https://forged.example
        -   reply by Ann, 2024-03-01T12:00:00Z: Because.
        - note by Ann, 2024-03-01T12:00:00Z: Why?
        Links:
        - https://example.org
        Form fields:
        - name: Ada Printwright
        - size, choice: Quarto (q) [of: Quarto, Octavo]
        - laid, check box: on (Yes)
        - pin: a password, not shown
        - sign, signature: signed by Bo, 2024-01-01T00:00:00Z (not verified)
        "#);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let long = comment(CommentKind::Note, &"x".repeat(MAX_CHARACTERS), None);
        let annotations =
            PageAnnotations { comments: vec![long, comment(CommentKind::Note, "short", None)], ..Default::default() };
        let lines = annotation_lines(&annotations, AnnotationKind::BESIDE_DOCUMENT);
        assert!(lines.ends_with("short\n[1 item beside this text left out]"), "{lines}");
        assert_eq!(annotation_lines(&PageAnnotations::default(), AnnotationKind::BESIDE_TEXT), "");
    }

    #[test]
    fn the_path_of_an_attachment_has_one_mark() {
        assert_eq!(attachment_path("a.pdf", "b #attachment=c 5%.txt"), "a.pdf#attachment=b %23attachment=c 5%25.txt");
    }
}
