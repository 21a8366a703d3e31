//! The text of `pagewise info`.

use std::path::Path;

use crate::cli::terminal::layout::Facts;
use crate::cli::terminal::screen::Screen;
use crate::cli::terminal::wording::{counted, date, page_size, path};
use crate::context::{file_size, grouped, one_line};
use crate::tool::{CountData, InfoResult};

/// The facts of a PDF, one a line.
pub(crate) fn text(info: &InfoResult, screen: Screen) -> String {
    let quoted = |value: &Option<String>| value.as_deref().map(one_line);
    let yes = |is_so: bool| is_so.then_some("yes");
    let count = |count: usize, noun: &str| (count > 0).then(|| counted(count, noun));
    let several = (!info.page_sizes.is_empty()).then(|| info.sizes_text()).flatten();
    let size = several.or_else(|| info.page_size.map(|size| page_size(size.width_pt, size.height_pt)));
    let mut facts = Facts::default();
    facts.add("File", path(Path::new(&info.path)));
    facts.add_some("Title", quoted(&info.title));
    facts.add_some("Author", quoted(&info.author));
    facts.add_some("Subject", quoted(&info.subject));
    facts.add_some("Keywords", quoted(&info.keywords));
    facts.add_some("Creator", quoted(&info.creator));
    facts.add_some("Producer", quoted(&info.producer));
    facts.add_some("Created", info.created.as_deref().map(date));
    facts.add_some("Modified", info.modified.as_deref().map(date));
    facts.add_some("Type", info.file_type.clone());
    facts.add("Pages", grouped(info.pages.into()));
    facts.add_some("Page size", size);
    facts.add("File size", file_size(info.file_size));
    facts.add_some("PDF version", Some(one_line(&info.pdf_version)).filter(|version| !version.is_empty()));
    facts.add_some("Encrypted", yes(info.encrypted));
    facts.add_some("Signed", yes(info.signed));
    facts.add_some("Tagged", yes(info.tagged));
    facts.add_some("Form", count(info.form_fields, "field"));
    info.field_lines().iter().for_each(|field| facts.add("", field.clone()));
    facts.add_some("Attachments", count(info.attachments, "file"));
    info.attachment_lines().iter().for_each(|file| facts.add("", file.clone()));
    facts.add_some("Comments", info.comments.as_ref().map(CountData::phrase));
    facts.add_some("Links", info.links.as_ref().map(CountData::phrase));
    facts.add_some("Hidden text", info.hidden_text.as_ref().map(|pages| format!("on {pages}; it is left out")));
    facts.add_some("Outline", (info.outline_entries > 0).then(|| entries(info.outline_entries)));
    let map = info.page_map.iter().map(|page| format!("\n{}", page.line())).collect::<String>();
    let lists = info.lists_of_pages().iter().map(|line| format!("\n{line}")).collect::<String>();
    if map.is_empty() { facts.text(screen) } else { format!("{}\n{map}{lists}", facts.text(screen)) }
}

/// `1 entry`, `2 entries`.
pub(crate) fn entries(count: usize) -> String {
    if count == 1 {
        "1 entry".to_owned()
    } else {
        format!("{} entries", grouped(u64::try_from(count).unwrap_or(u64::MAX)))
    }
}
