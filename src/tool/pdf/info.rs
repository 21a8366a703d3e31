//! The tool `pdf_info`.

use std::path::Path;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::arguments::{InfoArguments, selected_pages};
use super::beside::{AttachmentData, CountData, FieldData};
use super::page_map::{MappedPage, Occurrences, PageMap};
use crate::context::{
    ContextManager, FolderListing, GivenForms, OpenPdf, SelectedPages, attachment_line, attachment_path, field_line,
    grouped, image_path, more_fields_note, one_line, page_or_pages, pages_with_hidden_text, points, untrusted,
};
use crate::tool::arguments::ToolArguments as _;
use crate::tool::caller::Caller;
use crate::tool::data_answer::{DataAnswer, result_json, without_blanks};
use crate::tool::error::ToolError;
use crate::tool::{folder_brief, folder_json};
use pagewise_base::page::PageIndex;
use pagewise_document::{Attachments, Form};

/// The facts of a PDF, or the PDFs of a folder.
#[derive(Debug, Clone, PartialEq)]
pub enum InfoAnswer {
    /// Of a PDF.
    Document(Box<InfoResult>),
    /// Of a folder.
    Folder(FolderListing),
}

/// Answers `pdf_info`.
///
/// # Errors
/// Every refusal of the file and of the reader.
pub fn info(context: &ContextManager, asked: &InfoArguments, caller: &Caller) -> Result<InfoAnswer, ToolError> {
    let InfoArguments { document: arguments, pages } = asked;
    let conversation = caller.conversation(arguments.conversation.as_deref())?;
    let requester = caller.requester(conversation.as_ref());
    let pdf = match context.open_pdf_for(&arguments.path, arguments.password.as_deref(), requester) {
        Err(error) if error.is_folder() => {
            let listing = context.list_folder(&arguments.path, None, None, GivenForms::MIXED, &caller.cancellation)?;
            return Ok(InfoAnswer::Folder(listing));
        }
        opened => opened?,
    };
    let mut result = InfoResult::of(&pdf);
    pdf.check()?;
    if pages.is_some() {
        let SelectedPages { pages, note } = selected_pages(&pdf, pages.as_deref())?;
        let PageMap { pages, rest, running, links } = PageMap::of(&pdf, &pages, context.settings())?;
        (result.page_map, result.running_lines, result.link_targets) = (pages, running, links);
        result.notes.extend(note);
        let left =
            [&result.running_lines, &result.link_targets].map(|found| found.len().saturating_sub(MAX_OCCURRENCES));
        let left = left.into_iter().sum::<usize>();
        result.notes.extend((left > 0).then(|| format!("{left} more running lines and links: ask for fewer pages")));
        let next = || match caller.client.is_direct {
            true => format!("Ask for pages {rest}."),
            false => asked.next_call(&[("pages", rest.to_string().into())]),
        };
        let next = (!rest.is_empty()).then(|| format!("{} did not fit. {}", page_or_pages(&rest), next()));
        result.notes.extend(next);
    }
    Ok(InfoAnswer::Document(Box::new(result)))
}

impl InfoAnswer {
    /// The answer as data.
    ///
    /// # Errors
    /// `write_failed` for a path that is not Unicode.
    pub fn structure(&self) -> Result<Value, ToolError> {
        match self {
            Self::Document(result) => result_json(result),
            Self::Folder(listing) => {
                let mut structure = folder_json(listing);
                structure.insert("path".into(), json!(listing.path));
                Ok(Value::Object(structure))
            }
        }
    }

    /// The answer for a client. `next` says how to go on with the PDF of a number.
    ///
    /// # Errors
    /// As [`Self::structure`].
    pub fn data(&self, next: impl Fn(usize) -> String) -> Result<DataAnswer, ToolError> {
        let structure = self.structure()?;
        Ok(match self {
            Self::Document(result) => DataAnswer { text: result.text(), brief: result.brief(&structure), structure },
            Self::Folder(listing) => DataAnswer { text: listing.text(next), structure, brief: folder_brief(listing) },
        })
    }
}

/// Facts about a document. Blank values are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InfoResult {
    /// The file's name.
    pub file: String,
    /// The file, as the request named it.
    pub path: String,
    /// What it is if it is no PDF, and what stands for a page.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub file_type: Option<String>,
    /// Pages.
    pub pages: u32,
    /// Bytes of the file.
    pub file_size: u64,
    /// `/Title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `/Author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// `/Subject`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// `/Keywords`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keywords: Option<String>,
    /// `/Creator`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// `/Producer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
    /// `/CreationDate`, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// `/ModDate`, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// The PDF version.
    pub pdf_version: String,
    /// The first page's size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<PageSize>,
    /// The different sizes of the pages that were looked at, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub page_sizes: Vec<PageSize>,
    /// Whether it is encrypted.
    pub encrypted: bool,
    /// Whether it is signed.
    pub signed: bool,
    /// Whether it has a structure tree.
    pub tagged: bool,
    /// Fields of its form.
    pub form_fields: usize,
    /// The first fields of its form, with their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldData>,
    /// Whether its form is an XFA form.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub xfa: bool,
    /// Attached files.
    pub attachments: usize,
    /// The first attached files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attached_files: Vec<AttachmentData>,
    /// Comments, and their pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<CountData>,
    /// Links, and their pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<CountData>,
    /// Entries of its outline.
    pub outline_entries: usize,
    /// Whether its pages have printed labels.
    pub has_page_labels: bool,
    /// Pages with text that is not seen, as a selection: of a long document, those among the pages looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_text: Option<String>,
    /// The pages that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub page_map: Vec<MappedPage>,
    /// The running heads and feet of these pages.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "first_occurrences")]
    pub running_lines: Vec<Occurrences>,
    /// What the links of these pages lead to, each once.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "first_occurrences")]
    pub link_targets: Vec<Occurrences>,
    /// Notes on damage and repairs.
    pub notes: Vec<String>,
    /// The fields and the attached files, one line each.
    #[serde(skip)]
    lists: [Vec<String>; 2],
}

/// Fields and attached files that are listed, each.
const MAX_LISTED: usize = 50;

/// Sizes of pages that are named beside the first.
const MAX_SIZES: usize = 3;

/// Characters of each list.
const MAX_LIST_CHARACTERS: usize = 4_000;

/// Maximum number of running lines and of targets of links that are given as data, each.
const MAX_OCCURRENCES: usize = 2_000;

fn first_occurrences<S: Serializer>(found: &[Occurrences], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(found.iter().take(MAX_OCCURRENCES))
}

/// The size of the first page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageSize {
    /// Width as displayed, in points.
    pub width_pt: f64,
    /// Height as displayed, in points.
    pub height_pt: f64,
    /// The clockwise rotation included in these, in degrees.
    pub rotate: u16,
}

impl InfoResult {
    /// The facts of `pdf`.
    #[must_use]
    pub fn of(pdf: &OpenPdf) -> Self {
        let info = pdf.document.info();
        let form = if info.form_fields > 0 { pdf.document.form(MAX_LISTED) } else { Form::default() };
        let attachments =
            if info.attachments > 0 { pdf.document.attachments(MAX_LISTED) } else { Attachments::default() };
        let sizes = page_sizes(pdf);
        let [comments, links] = CountData::of(&pdf.document.annotation_counts(), pdf.document.page_count());
        let file =
            Path::new(&pdf.path).file_name().map_or_else(|| pdf.path.as_str().into(), |name| name.to_string_lossy());
        Self {
            file: file.into_owned(),
            path: pdf.path.clone(),
            file_type: info.parts.map(|parts| format!("{}; each page is {}", parts.format.name(), parts.part)),
            pages: pdf.document.page_count(),
            file_size: pdf.file_bytes,
            title: not_blank(info.title),
            author: not_blank(info.author),
            subject: not_blank(info.subject),
            keywords: not_blank(info.keywords),
            creator: not_blank(info.creator),
            producer: not_blank(info.producer),
            created: info.created,
            modified: info.modified,
            pdf_version: info.pdf_version,
            page_size: sizes.first().copied(),
            page_sizes: if sizes.len() > 1 { sizes } else { Vec::new() },
            encrypted: info.encrypted,
            signed: info.signed,
            tagged: info.tagged,
            form_fields: info.form_fields,
            fields: form.fields.iter().map(FieldData::of).collect(),
            xfa: info.is_xfa,
            attachments: info.attachments,
            attached_files: attachments.items.iter().map(|file| AttachmentData::of(file, &pdf.path)).collect(),
            comments,
            links,
            outline_entries: info.outline_entries,
            has_page_labels: !info.label_ranges.is_empty(),
            hidden_text: hidden_text(pdf),
            page_map: Vec::new(),
            running_lines: Vec::new(),
            link_targets: Vec::new(),
            notes: pdf.document.notes().into_iter().chain(more_fields_note(&*pdf.document, info.form_fields)).collect(),
            lists: [
                form.fields.iter().map(field_line).collect(),
                attachments.items.iter().map(|file| attachment_line(file, &pdf.path)).collect(),
            ],
        }
    }

    /// The first fields, one a line.
    #[must_use]
    pub fn field_lines(&self) -> &[String] {
        let [fields, _] = &self.lists;
        fields
    }

    /// The first attached files, one a line.
    #[must_use]
    pub fn attachment_lines(&self) -> &[String] {
        let [_, files] = &self.lists;
        files
    }

    /// The facts as lines of text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = self.known_lines();
        let quotes = [&self.title, &self.author, &self.subject, &self.keywords, &self.creator, &self.producer];
        if quotes.into_iter().any(Option::is_some) || self.form_fields > 0 || self.attachments > 0 {
            lines.push(untrusted(&self.path));
        }
        let [fields, attachments] = &self.lists;
        lines.extend(counted("Form fields", self.form_fields));
        lines.extend(listed(fields, self.form_fields, "pdf_extract_text names those of each page"));
        lines.extend(
            self.xfa.then(|| "XFA: yes; some of the form may show only in viewers that support XFA".to_owned()),
        );
        lines.extend(counted("Attachments", self.attachments));
        let all = format!("get_file with {} names all", attachment_path(&self.path, ""));
        lines.extend(listed(attachments, self.attachments, &all));
        lines.extend(self.comments.as_ref().map(|count| format!("Comments: {}", count.phrase())));
        lines.extend(self.links.as_ref().map(|count| format!("Links: {}", count.phrase())));
        lines.extend(counted("Outline entries", self.outline_entries));
        lines.extend(self.page_map.iter().map(|page| format!("Page {}", page.line())));
        lines.extend(self.lists_of_pages());
        let with_images = self.page_map.iter().find(|page| page.images > 0);
        let first = |page: &MappedPage| image_path(&self.path, PageIndex(page.page.saturating_sub(1)), 1);
        lines
            .extend(with_images.map(|page| format!("Each image can be read as a file: get_file with {}", first(page))));
        lines.extend(self.notes.iter().map(|note| format!("Note: {note}")));
        lines.join("\n")
    }

    /// The running lines and the targets of links of the mapped pages.
    #[must_use]
    pub fn lists_of_pages(&self) -> Vec<String> {
        let list = |head: &str, found: &[Occurrences]| {
            let all = found.iter().map(Occurrences::line).collect::<Vec<_>>();
            let head = (!all.is_empty()).then(|| head.to_owned());
            head.into_iter().chain(listed(&all, all.len(), "ask for fewer pages to see them")).collect::<Vec<_>>()
        };
        let running = list("Headers and footers, with # for the page's own number:", &self.running_lines);
        running.into_iter().chain(list("Links lead to:", &self.link_targets)).collect()
    }

    /// The parts of `structure` that the text has too.
    #[must_use]
    pub fn brief(&self, structure: &Value) -> Value {
        let mut brief = without_blanks(structure.clone());
        if let Value::Object(members) = &mut brief {
            let beside_text =
                ["file", "hasPageLabels", "tagged", "fields", "attachedFiles", "runningLines", "linkTargets"];
            beside_text.iter().for_each(|name| drop(members.remove(*name)));
            let counts = [("comments", &self.comments), ("links", &self.links)];
            let phrase =
                |(name, count): (&str, &Option<CountData>)| Some((name.to_owned(), json!(count.as_ref()?.phrase())));
            members.extend(counts.into_iter().filter_map(phrase));
            let size = self.page_size.map(|size| json!([points(size.width_pt), points(size.height_pt)].join(" x ")));
            members.extend(size.map(|size| ("pageSize".to_owned(), size)));
            if !self.page_map.is_empty() {
                let lines = self.page_map.iter().map(MappedPage::line);
                members.insert("pageMap".to_owned(), lines.collect());
            }
        }
        brief
    }

    /// The size of the first page, with those of others that differ.
    #[must_use]
    pub fn sizes_text(&self) -> Option<String> {
        let others = self.page_sizes.iter().skip(1).take(MAX_SIZES).map(|size| size.text());
        let more = (self.page_sizes.len() > MAX_SIZES + 1).then(|| "and others".to_owned());
        let sizes = self.page_size.map(PageSize::text).into_iter().chain(others).chain(more);
        let text = sizes.collect::<Vec<_>>().join(", ");
        (!text.is_empty()).then_some(text)
    }

    fn known_lines(&self) -> Vec<String> {
        let quoted = |value: &Option<String>| value.as_deref().map(one_line);
        let yes = |flag: bool| flag.then(|| "yes".to_owned());
        let lines = [
            ("File", Some(self.file.clone())),
            ("Path", Some(self.path.clone())),
            ("Type", self.file_type.clone()),
            ("Pages", Some(self.pages.to_string())),
            ("File size", Some(format!("{} bytes", self.file_size))),
            ("Title", quoted(&self.title)),
            ("Author", quoted(&self.author)),
            ("Subject", quoted(&self.subject)),
            ("Keywords", quoted(&self.keywords)),
            ("Creator", quoted(&self.creator)),
            ("Producer", quoted(&self.producer)),
            ("Created", self.created.clone()),
            ("Modified", self.modified.clone()),
            ("PDF version", not_blank(Some(self.pdf_version.clone()))),
            ("Page size", self.sizes_text()),
            ("Encrypted", yes(self.encrypted)),
            ("Signed", yes(self.signed)),
            (
                "Hidden text",
                self.hidden_text
                    .as_ref()
                    .map(|pages| format!("on {pages}; pdf_extract_text gives it with hidden: true")),
            ),
        ];
        lines.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?))).collect()
    }
}

impl PageSize {
    fn text(self) -> String {
        format!("{} x {} pt", points(self.width_pt), points(self.height_pt))
    }
}

/// `name: count`, unless it is none.
fn counted(name: &str, count: usize) -> Option<String> {
    (count > 0).then(|| format!("{name}: {count}"))
}

/// The beginning of a list, and how to go on with the rest of `total`.
fn listed(lines: &[String], total: usize, rest: &str) -> Vec<String> {
    let mut left = MAX_LIST_CHARACTERS;
    let fits = |line: &&String| {
        let rest = left.checked_sub(line.chars().count());
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let mut listed = lines.iter().take_while(fits).map(|line| format!("- {line}")).collect::<Vec<_>>();
    let more = total.saturating_sub(listed.len());
    listed
        .extend((more > 0).then(|| format!("- and {} more; {rest}", grouped(u64::try_from(more).unwrap_or(u64::MAX)))));
    listed
}

fn not_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// The pages with hidden text, among those that are looked at.
fn hidden_text(pdf: &OpenPdf) -> Option<String> {
    let (pages, looked_at) = pages_with_hidden_text(&*pdf.document);
    let is_sample = looked_at < u64::from(pdf.document.page_count());
    let scope = if is_sample { format!(", of {looked_at} pages examined") } else { String::new() };
    (!pages.is_empty()).then(|| format!("{}{scope}", page_or_pages(&pages)))
}

/// Pages whose sizes are looked at: enough for what has covers, plans or slides among its pages.
const MAX_MEASURED_PAGES: u32 = 30;

/// The different sizes of the first pages, in order.
fn page_sizes(pdf: &OpenPdf) -> Vec<PageSize> {
    let mut sizes: Vec<PageSize> = Vec::new();
    for page in (0..pdf.document.page_count().min(MAX_MEASURED_PAGES)).map(PageIndex) {
        let Ok(page) = pdf.document.page_geometry(page) else { continue };
        let size = PageSize { width_pt: page.width_pt, height_pt: page.height_pt, rotate: page.rotate };
        if !sizes.iter().any(|other| other.text() == size.text()) {
            sizes.push(size);
        }
    }
    sizes
}
