//! An agent's loop around the context, without any model: what a plugin that embeds pagewise does.
//!
//! `cargo run --example agent_loop`
//!
//! The plugin keeps one [`ContextManager`] for as long as it runs. For each tool call of its model it makes a
//! [`FileRequest`], puts the blocks of the answer into the model's context, and commits the answer's delivery once they
//! are there: a call that was cancelled is not committed, and nothing of it counts as held. Between two turns it asks
//! for updates; when it compacts the context it says so with a new generation.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use pagewise::context::{
    AnswerSettings, Block, ContextConfig, ContextManager, FileRequest, Isolation, RequestedPart, Updates, WebSettings,
    page_change_lines,
};
use pagewise::limits::{Cancellation, Limits};
use pagewise::view::ConversationId;

/// What the model in this example wants, one call after the other.
enum Turn {
    /// `get_file`: the summary, or a selection of pages.
    Read(RequestedPart),
    /// The file is made anew by somebody else meanwhile.
    Edited(&'static str),
    /// The model's context grew too large and was compacted.
    Compacted,
    /// The model is stopped before it sees the answer.
    Cancelled(RequestedPart),
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}

/// Runs the loop over two versions of a report, and tells what happens.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("report.pdf");
    std::fs::copy(fixtures.join("report-v1.pdf"), &report)?;
    let context = open(folder.path())?;
    let conversation = context.mint(None)?;
    let pages = |selection: &str| RequestedPart::Selection(selection.to_owned());
    let script = [
        Turn::Read(RequestedPart::Summary),
        Turn::Read(pages("1-2")),
        Turn::Read(pages("2-3")),
        Turn::Cancelled(pages("4")),
        Turn::Edited("report-v2.pdf"),
        Turn::Read(pages("1-4")),
        Turn::Compacted,
        Turn::Read(pages("1")),
    ];
    let mut generation = 0;
    for turn in script {
        match turn {
            Turn::Read(part) => {
                let answer = context.get_file(&request(&conversation, generation, part.clone()))?;
                writeln!(out, "get_file {}", named(&part))?;
                answer.blocks.iter().try_for_each(|block| show(out, block))?;
                // The blocks are in the model's context now.
                answer.delivery.commit()?;
            }
            Turn::Cancelled(part) => {
                drop(context.get_file(&request(&conversation, generation, part.clone()))?);
                writeln!(out, "get_file {}: cancelled, so nothing is held", named(&part))?;
            }
            Turn::Edited(version) => {
                std::fs::copy(fixtures.join(version), &report)?;
                let updates = context.updates(&conversation, Some(generation), &Cancellation::new())?;
                tell(out, &updates)?;
                updates.delivery.commit()?;
            }
            Turn::Compacted => {
                generation += 1;
                writeln!(out, "compacted: generation {generation}")?;
            }
        }
    }
    let status = context.status(&conversation, Some(generation))?;
    writeln!(out, "in the end: {} file, {} media block since the compaction", status.files.len(), status.sent.blocks)?;
    Ok(())
}

/// A context over one folder, its memory beside the files, PDFs read in this process. A plugin that reads files of
/// strangers names a worker binary in place of that.
fn open(folder: &Path) -> Result<ContextManager, Box<dyn Error>> {
    let surroundings = ContextConfig {
        fetched_directory: None,
        database: None,
        web: WebSettings::default(),
        roots: Some(vec![folder.to_path_buf()]),
        working_directory: folder.to_path_buf(),
        home: None,
        data_directory: Some(folder.join("data")),
        password: None,
        limits: Limits::default(),
        settings: AnswerSettings { output_directory: folder.join("pages"), ..AnswerSettings::default() },
        isolation: Isolation::InProcess,
    };
    let opened = surroundings.open_context()?;
    match opened.warning {
        Some(warning) => Err(warning.into()),
        None => Ok(opened.context),
    }
}

fn request(conversation: &ConversationId, generation: u64, part: RequestedPart) -> FileRequest {
    FileRequest {
        part,
        conversation: Some(conversation.clone()),
        generation: Some(generation),
        ..FileRequest::whole("report.pdf")
    }
}

fn named(part: &RequestedPart) -> String {
    match part {
        RequestedPart::Summary => "report.pdf".to_owned(),
        RequestedPart::Index(index) => format!("report.pdf pdfPage {index}"),
        RequestedPart::Selection(selection) => format!("report.pdf pages {selection}"),
    }
}

fn show(out: &mut dyn Write, block: &Block) -> io::Result<()> {
    match block {
        Block::Text(text) => text.lines().try_for_each(|line| writeln!(out, "  | {line}")),
        Block::Document(page) => writeln!(out, "  [document] {}", page.title),
        Block::Image(image) => writeln!(out, "  [image] {}", image.mime_type),
    }
}

fn tell(out: &mut dyn Write, updates: &Updates) -> io::Result<()> {
    for update in &updates.files {
        let name = Path::new(&update.path).file_name().unwrap_or_default().display();
        writeln!(out, "updates of {name}")?;
        if let pagewise::context::FileChange::Pages(changes) = &update.change {
            page_change_lines(changes).iter().try_for_each(|line| writeln!(out, "  | {line}"))?;
        }
    }
    Ok(())
}
