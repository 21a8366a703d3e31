//! Blocks → Markdown, in pieces: what is not divided unless it alone is too long for a part.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::prepare::IMAGE;
use anydoc::model::{Block, Cell, CellSlot, ImageSource, Inline, LinkTarget, List, Note, Style, Table};

/// A piece of a file as Markdown.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarkdownPiece {
    pub(crate) text: String,
    pub(crate) kind: PieceKind,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum PieceKind {
    #[default]
    Block,
    /// A heading of this level, and its text.
    Heading(u8, String),
    /// A row of a table under these lines of its head.
    Row { head: Rc<str>, name: String },
}

/// Writes Markdown. It counts tables and images.
pub(crate) struct MarkdownWriter<'d> {
    /// The number of the first asset.
    first_asset: usize,
    /// Notes by their identifier, with their number.
    notes: BTreeMap<&'d str, (usize, &'d Note)>,
    pub(crate) tables: u64,
    pub(crate) images: u64,
}

impl<'d> MarkdownWriter<'d> {
    pub(crate) fn new(first_asset: usize, notes: &'d [Note]) -> Self {
        let notes = notes.iter().zip(1..).map(|(note, number)| (note.id.as_str(), (number, note))).collect();
        Self { first_asset, notes, tables: 0, images: 0 }
    }

    /// The pieces of a block.
    pub(crate) fn pieces(&mut self, block: &Block) -> Vec<MarkdownPiece> {
        match block {
            Block::Heading { level, content, .. } => {
                let title = self.inlines(content).replace('\n', " ");
                let marks = "#".repeat(usize::from((*level).clamp(1, 6)));
                let kind = PieceKind::Heading(*level, plain(content));
                if title.trim().is_empty() {
                    Vec::new()
                } else {
                    vec![MarkdownPiece { text: format!("{marks} {title}"), kind }]
                }
            }
            Block::Table(table) if table.is_single_cell() => {
                let cells = table.grid.iter().flatten().filter_map(origin);
                cells.flat_map(|cell| &cell.blocks).flat_map(|block| self.pieces(block)).collect()
            }
            Block::Table(table) => self.table(table),
            Block::List(list) => {
                let items = self.list(list);
                items.into_iter().map(|text| MarkdownPiece { text, kind: PieceKind::Block }).collect()
            }
            block => {
                let text = self.block(block);
                if text.trim().is_empty() { Vec::new() } else { vec![MarkdownPiece { text, kind: PieceKind::Block }] }
            }
        }
    }

    /// The notes that a text refers to, as they stand after it.
    pub(crate) fn notes_of(&mut self, text: &str) -> Vec<String> {
        let named = self.notes.values().filter(|(number, _)| text.contains(&format!("[^{number}]")));
        let mut named: Vec<(usize, &'d Note)> = named.copied().collect();
        named.sort_by_key(|(number, _)| *number);
        named.iter().map(|(number, note)| format!("[^{number}]: {}", self.blocks(&note.blocks, " "))).collect()
    }

    fn blocks(&mut self, blocks: &[Block], gap: &str) -> String {
        let texts = blocks.iter().map(|block| self.block(block)).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join(gap)
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Paragraph(content) => literal(&self.inlines(content)),
            Block::List(list) => self.list(list).join("\n"),
            Block::BlockQuote(blocks) => {
                let text = self.blocks(blocks, "\n\n");
                text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
            }
            Block::CodeBlock { lang, text } => code_block(lang.as_deref().unwrap_or_default(), text),
            Block::Rule => "---".to_owned(),
            Block::Math(tex) => format!("$$\n{tex}\n$$"),
            Block::Heading { .. } | Block::Table(_) => {
                let pieces = self.pieces(block);
                let lines = pieces.into_iter().map(|piece| match piece.kind {
                    PieceKind::Row { head, .. } => (head.to_string(), piece.text),
                    _ => (String::new(), piece.text),
                });
                let mut text = String::new();
                for (at, (head, line)) in lines.enumerate() {
                    text.push_str(if at == 0 { &head } else { "" });
                    text.push_str(if text.is_empty() || text.ends_with('\n') { "" } else { "\n" });
                    text.push_str(&line);
                }
                text
            }
        }
    }

    fn list(&mut self, list: &List) -> Vec<String> {
        let mut items = Vec::new();
        for (at, item) in list.items.iter().enumerate() {
            let number = list.start.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
            let marker = item.marker_label.clone().unwrap_or_else(|| list.marker.label(number));
            let text = self.blocks(&item.blocks, "\n");
            let indent = " ".repeat(marker.chars().count().saturating_add(1));
            items.push(format!("{marker} {}", text.replace('\n', &format!("\n{indent}"))));
        }
        items
    }

    fn table(&mut self, table: &Table) -> Vec<MarkdownPiece> {
        self.tables = self.tables.saturating_add(1);
        let rows: Vec<Vec<String>> = table.grid.iter().map(|row| self.cells(row)).collect();
        let Some((first, rest)) = rows.split_first() else { return Vec::new() };
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        row_pieces(&head_lines(first, width), rest.iter().map(|row| (String::new(), table_line(row, width))))
    }

    /// The cells of a row; those that others cover are empty.
    pub(crate) fn cells(&mut self, row: &[CellSlot]) -> Vec<String> {
        row.iter().map(|slot| origin(slot).map_or_else(String::new, |cell| self.cell(cell))).collect()
    }

    fn cell(&mut self, cell: &Cell) -> String {
        // A cell of Markdown has no headings.
        let texts = cell.blocks.iter().map(|block| match block {
            Block::Heading { content, .. } => self.inlines(content),
            block => self.block(block),
        });
        let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        text.trim().replace('|', "\\|").replace('\n', "<br>")
    }

    fn inlines(&mut self, inlines: &[Inline]) -> String {
        let mut text = String::new();
        let mut styled: Option<(Style, String)> = None;
        for inline in inlines {
            if let Inline::Text { text: run, style } = inline {
                match &mut styled {
                    Some((known, so_far)) if *known == *style || run.trim().is_empty() => so_far.push_str(run),
                    _ => {
                        text.extend(styled.take().map(|(style, run)| emphasised(&run, style)));
                        styled = Some((*style, run.clone()));
                    }
                }
                continue;
            }
            text.extend(styled.take().map(|(style, run)| emphasised(&run, style)));
            match inline {
                Inline::Text { .. } | Inline::Anchor(_) => {}
                Inline::Link { content, target } => text.push_str(&self.link(content, target)),
                Inline::Image { alt, source } => text.push_str(&self.image(alt, source)),
                Inline::NoteRef(id) => {
                    text.extend(self.notes.get(id.as_str()).map(|(number, _)| format!("[^{number}]")));
                }
                Inline::LineBreak => text.push('\n'),
                Inline::Math(tex) => text.push_str(&format!("${}$", tex.trim())),
                Inline::Checkbox(is_checked) => text.push_str(if *is_checked { "[x] " } else { "[ ] " }),
            }
        }
        text.extend(styled.map(|(style, run)| emphasised(&run, style)));
        text
    }

    fn link(&mut self, content: &[Inline], target: &LinkTarget) -> String {
        let text = self.inlines(content);
        match target {
            LinkTarget::External(address) | LinkTarget::Relative(address)
                if !address.is_empty() && *address != text =>
            {
                format!("[{text}]({address})")
            }
            _ => text,
        }
    }

    /// Names a picture. The address of one elsewhere is a link, so that nothing that shows Markdown fetches it.
    fn image(&mut self, alt: &str, source: &ImageSource) -> String {
        self.images = self.images.saturating_add(1);
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        match source {
            ImageSource::External(address) => format!("[image: {alt}]({address})"),
            ImageSource::Asset(id) => format!("![{alt}]({})", image_mark(self.first_asset.saturating_add(id.0))),
            ImageSource::Unavailable => format!("![{alt}]()"),
        }
    }
}

/// A mark for an image, which gets its name once its place in the part is known.
pub(crate) fn image_mark(number: usize) -> String {
    format!("{IMAGE}{number}{IMAGE}")
}

fn origin(slot: &CellSlot) -> Option<&Cell> {
    match slot {
        CellSlot::Origin(cell) => Some(cell),
        CellSlot::Covered { .. } => None,
    }
}

/// The text of a heading on one line.
fn plain(content: &[Inline]) -> String {
    let text = anydoc::model::inlines_to_plain_text(content);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The head of a table of so many columns, with the line under it.
pub(crate) fn head_lines(cells: &[String], width: usize) -> String {
    format!("{}\n|{}", table_line(cells, width), " --- |".repeat(width))
}

/// A line of a table.
pub(crate) fn table_line(cells: &[String], width: usize) -> String {
    let missing = width.saturating_sub(cells.len());
    let cells = cells.iter().map(|cell| format!(" {cell} |")).collect::<String>();
    format!("|{cells}{}", "  |".repeat(missing))
}

/// The rows of a table with their names. A table without rows is its head.
pub(crate) fn row_pieces(head: &str, rows: impl Iterator<Item = (String, String)>) -> Vec<MarkdownPiece> {
    let shared: Rc<str> = head.into();
    let rows = rows.map(|(name, text)| MarkdownPiece { text, kind: PieceKind::Row { head: Rc::clone(&shared), name } });
    let rows: Vec<MarkdownPiece> = rows.collect();
    if rows.is_empty() { vec![MarkdownPiece { text: head.to_owned(), kind: PieceKind::Block }] } else { rows }
}

/// A text between fences that it does not contain.
pub(crate) fn code_block(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A run with the marks of its style; white space stays outside of them.
fn emphasised(run: &str, style: Style) -> String {
    let inner = run.trim();
    if inner.is_empty() || style == Style::PLAIN {
        return run.to_owned();
    }
    let mark = match style {
        Style { code: true, .. } => "`",
        Style { bold: true, italic: true, .. } => "***",
        Style { bold: true, .. } => "**",
        Style { italic: true, .. } => "*",
        _ => "",
    };
    let strike = if style.strike { "~~" } else { "" };
    let (before, after) = run.split_once(inner).unwrap_or_default();
    format!("{before}{strike}{mark}{inner}{mark}{strike}{after}")
}

/// A paragraph that no reader of Markdown takes for a heading, a list or a quotation.
fn literal(text: &str) -> String {
    let text = text.trim();
    let rest = text.trim_start_matches('#');
    let is_heading = rest.len() < text.len() && (rest.is_empty() || rest.starts_with(' '));
    let is_list = ["- ", "+ ", "* ", "> "].iter().any(|mark| text.starts_with(mark));
    if is_heading || is_list { format!("\\{text}") } else { text.to_owned() }
}
