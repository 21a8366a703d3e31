//! The text of `pagewise context status`.

use crate::cli::terminal::layout::Facts;
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::table::{Column, Table};
use crate::cli::terminal::wording::{command, counted};
use crate::context::{RequestBounds, file_size, grouped, one_line};
use crate::tool::{StatusResult, held_file_name, held_words};
use pagewise_view::Usage;

/// What a conversation holds, and what it cost.
pub(crate) fn text(result: &StatusResult, screen: Screen) -> String {
    let head = format!("Conversation {} holds {}", result.conversation, counted(result.status.files.len(), "file"));
    let mut table = Table::new([Column::left("").of(Part::Path), Column::left("")]);
    let row = |(file, unread)| [one_line(&held_file_name(file)), held_words(file, unread)];
    result.files().map(row).for_each(|row| table.add(row));
    let parts = [screen.paint(Part::Heading, &head), table.text(screen), sent(result, screen)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn sent(result: &StatusResult, screen: Screen) -> String {
    let (Usage { blocks, pages, bytes, tokens, .. }, bounds) = (&result.status.sent, &result.bounds);
    let RequestBounds { max_media_blocks, max_pdf_pages, max_request_bytes, .. } = bounds;
    let of = |count: &u64, max: &u64| format!("{} of at most {}", grouped(*count), grouped(*max));
    let point = result.status.point.0;
    let mut facts = Facts::default();
    facts.add("Pictures and PDFs", of(blocks, max_media_blocks));
    facts.add("PDF pages", of(pages, max_pdf_pages));
    facts.add("Sent", format!("{} of at most {}", file_size(*bytes), file_size(*max_request_bytes)));
    facts.add("Tokens", format!("about {}", grouped(*tokens)));
    facts.add("Compactions", grouped(result.status.generation));
    let conversation = result.conversation.as_str();
    let fork = command(&[&"context", &"fork", &"--conversation", &conversation, &"--as-of", &point]);
    facts.add("Point", format!("{point}, for {fork}"));
    facts.text(screen)
}
