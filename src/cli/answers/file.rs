//! What `pagewise get-file` prints.

use crate::cli::answers::{folder, summary, updates};
use crate::cli::arguments::parameters::as_typed;
use crate::cli::terminal::screen::Screen;
use crate::cli::terminal::wording::{command, size};
use crate::context::{
    AnswerDetails, Block, CUT_PAGE, NextCall, PageNotes, grouped, listed_or_counted, page_or_pages, untrusted,
};
use crate::tool::{GetFileAnswer, GetFileArguments, without_tag};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageSet;
use pagewise_text::PageRemark;
use serde_json::json;

/// The MIME type of a PDF.
const PDF: &str = "application/pdf";

/// The answer, without notes.
pub(crate) fn text(answer: &GetFileAnswer, screen: Screen) -> String {
    let facts = &answer.facts;
    match (&answer.summary, &facts.folder) {
        (Some(summary), _) => summary::text(&facts.file, summary, screen),
        (_, Some(listing)) => folder::text(listing, screen),
        _ if has_pages(facts) && !answer.content.is_empty() => {
            let text = readable(answer.blocks.get(answer.content.clone()).unwrap_or_default());
            // A line of content that looks like a header is indented, so these need no tag, and nothing announces one.
            let text = match &answer.tag {
                Some(tag) => without_tag(&text, tag),
                None => text,
            };
            let typed = |line: &str| if line.starts_with(CUT_PAGE) { as_typed(line) } else { line.to_owned() };
            text.split('\n').map(typed).collect::<Vec<_>>().join("\n")
        }
        // Of what is held, it says which and where from.
        _ => for_people(&readable(&answer.blocks), facts),
    }
}

/// The text with commands for calls, but in what the file says.
fn for_people(text: &str, facts: &AnswerDetails) -> String {
    let file = untrusted(&facts.file);
    let (own, content) = text.find(&file).and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
    let own = as_typed(own);
    let Some(NextCall::Lines { first, count }) = &facts.next else { return own + content };
    let mut words: Vec<&dyn std::fmt::Display> = vec![&"get-file", &facts.file, &"--start-line", first];
    words.extend(count.iter().flat_map(|count| [&"--num-lines" as &dyn std::fmt::Display, count]));
    match content.rsplit_once("Next call: ") {
        Some((content, _)) => format!("{own}{content}Next: {}]\n", command(&words)),
        None => own + content,
    }
}

/// Whether pages were requested.
fn has_pages(facts: &AnswerDetails) -> bool {
    !(facts.sent.is_empty() && facts.already_held.is_empty() && facts.deferred.is_empty())
}

/// What the answer does not show.
pub(crate) fn notes(answer: &GetFileAnswer, arguments: &GetFileArguments) -> Vec<String> {
    let facts = &answer.facts;
    if let Some(listing) = &facts.folder {
        return folder::notes(listing);
    }
    if facts.mime_type != PDF {
        return facts.notes.clone();
    }
    let again = "--force gives it again";
    let pages = Some(&facts.already_held).filter(|pages| !pages.is_empty() && !answer.content.is_empty());
    let pages = pages.map(|pages| {
        let again = if pages.len() == 1 { again } else { "--force gives them again" };
        format!("the conversation already holds {}: {again}", page_or_pages(pages))
    });
    let replaced = Some(&facts.replaced).filter(|pages| !pages.is_empty());
    let replaced = replaced.map(|pages| format!("changed since the conversation got them: {}", page_or_pages(pages)));
    let changes = facts.changes.iter().flat_map(updates::page_changes);
    let left = (!facts.deferred.is_empty()).then(|| left(&facts.file, &facts.deferred, arguments));
    let noted = page_notes(facts).sentences();
    let all = noted.into_iter().chain(facts.notes.iter().cloned()).chain(pages).chain(replaced);
    // Where the answer has no pages, its text is printed, and these sentences are part of it.
    let elsewhere = if answer.content.is_empty() { &[] } else { facts.held_elsewhere.as_slice() };
    all.chain(elsewhere.iter().cloned()).chain(changes).chain(left).collect()
}

/// How much the conversation has read, if that is not all. Where the answer has no pages, its text says so.
pub(crate) fn read_so_far(answer: &GetFileAnswer) -> Option<String> {
    let (read, pages) = (answer.facts.read_so_far.as_ref()?, u64::from(answer.facts.pages?));
    let is_part = read.len() < pages && !answer.content.is_empty();
    is_part.then(|| format!("read so far in the conversation: {} of {}", listed_or_counted(read), grouped(pages)))
}

fn page_notes(facts: &AnswerDetails) -> PageNotes {
    let mut notes = PageNotes::default();
    for sent in &facts.sent {
        sent.notes.iter().for_each(|note| notes.add(sent.page.index(), &PageRemark::plain(note.clone())));
    }
    notes
}

/// The command that goes on with the pages that are left, in the same form and within the same bounds.
fn left(file: &str, pages: &PageSet, arguments: &GetFileArguments) -> String {
    let form = arguments.form.map(|form| json!(form).as_str().unwrap_or_default().to_owned());
    let tokens = arguments.max_tokens.map(|tokens| tokens.to_string());
    let given = [("--as", &form), ("--max-tokens", &tokens), ("--conversation", &arguments.held.conversation)];
    let mut words: Vec<&dyn std::fmt::Display> = vec![&"get-file", &file, &"--pages", pages];
    for (flag, value) in &given {
        if let Some(value) = value.as_ref() {
            words.extend([flag as &dyn std::fmt::Display, value]);
        }
    }
    format!("{} did not fit; next: {}", page_or_pages(pages), command(&words))
}

/// Blocks as text for a terminal, with a line for each PDF and image.
pub(crate) fn readable(blocks: &[Block]) -> String {
    let line = |block: &Block| match block {
        Block::Text(text) => text.trim_end_matches('\n').to_owned(),
        Block::Document(page) => data_line("document", &page.title, &page.bytes),
        Block::Image(image) => data_line("image", image.mime_type, &image.bytes),
    };
    blocks.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn data_line(kind: &str, title: &str, bytes: &[u8]) -> String {
    format!("[{kind}] {title}  {}  blake3 {}", size(bytes.len()), ContentHash::of(bytes))
}
