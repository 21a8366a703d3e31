//! Drafts become blocks.

use super::super::block::{Block, BlockKind, ListMarker, PageBlocks};
use super::DocumentPage;
use super::drafts::{Draft, DraftKind};
use super::spans::SpanWriter;
use super::type_statistics::TypeStatistics;
use crate::list_marks::MarkerKind;
use std::collections::BTreeMap;

/// The blocks of the wanted pages.
pub(super) fn pages(pages: &[DocumentPage], drafts: &[Draft], statistics: &TypeStatistics) -> Vec<PageBlocks> {
    let mut blocks: BTreeMap<usize, Vec<Block>> = BTreeMap::new();
    let writer = SpanWriter::new(pages, drafts, statistics);
    for draft in drafts {
        if pages.get(draft.place.page).is_some_and(|page| page.is_wanted) {
            let own = blocks.entry(draft.place.page).or_default();
            // The parts of a paragraph in several columns of a page have one mark.
            let is_marked =
                |next: &Block| own.last().is_some_and(|last| is_continuation(last) && last.kind == next.kind);
            let next = block(draft, pages, &writer).filter(|next| !is_marked(next));
            own.extend(next);
        }
    }
    let wanted = pages.iter().enumerate().filter(|(_, page)| page.is_wanted);
    wanted
        .map(|(index, page)| PageBlocks { number: page.number, blocks: blocks.remove(&index).unwrap_or_default() })
        .collect()
}

fn is_continuation(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Continuation { .. })
}

fn block(draft: &Draft, pages: &[DocumentPage], writer: &SpanWriter) -> Option<Block> {
    let kind = kind(draft, pages)?;
    let own = draft.bounds_on(&pages.get(draft.place.page)?.structure);
    let (bounds, spans) = match (&draft.kind, &kind) {
        (DraftKind::Table(table), _) => (table.bounds, Vec::new()),
        (DraftKind::Figure(figure), _) => (figure.bounds, Vec::new()),
        (DraftKind::Joined { .. }, _) => (own, Vec::new()),
        (_, BlockKind::Code) => (own, writer.code(draft)),
        _ => (own, writer.text(draft, &kind)),
    };
    Some(Block { kind, bounds, spans })
}

fn kind(draft: &Draft, pages: &[DocumentPage]) -> Option<BlockKind> {
    Some(match &draft.kind {
        DraftKind::Joined { page } => {
            let first = pages.get(*page).filter(|_| *page != draft.place.page)?;
            BlockKind::Continuation { page: first.number }
        }
        DraftKind::Paragraph { depth } => BlockKind::Paragraph { depth: *depth },
        DraftKind::Heading { level } => BlockKind::Heading { level: *level },
        DraftKind::Item { depth } => BlockKind::ListItem { depth: *depth, marker: marker(draft) },
        DraftKind::Entry | DraftKind::Label => BlockKind::Entry,
        DraftKind::Code => BlockKind::Code,
        DraftKind::Quote => BlockKind::Quote,
        DraftKind::Aside => BlockKind::Aside,
        DraftKind::Caption => BlockKind::Caption,
        DraftKind::Footnote { label } => BlockKind::Footnote { label: label.clone() },
        DraftKind::Running => BlockKind::RunningLine,
        DraftKind::LeftOut => BlockKind::Furniture,
        DraftKind::Table(table) => BlockKind::Table { index: table.index },
        DraftKind::Figure(figure) => BlockKind::Figure { alternate: figure.alternate.clone(), target: None },
    })
}

fn marker(draft: &Draft) -> ListMarker {
    match draft.marker.as_ref().map(|marker| &marker.kind) {
        Some(MarkerKind::Number(number, close)) => {
            ListMarker::Number { number: *number, is_in_brackets: *close == ')' }
        }
        Some(MarkerKind::Letter { text, .. }) => ListMarker::Letter(text.clone()),
        _ => ListMarker::Bullet,
    }
}
