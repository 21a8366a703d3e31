//! Writes blocks as Markdown (CommonMark with GitHub's tables and footnotes).

mod escapes;
mod inline;

use super::block::{Block, BlockKind, ListMarker, PageBlocks};

/// The Markdown of each page. `table` gives the Markdown of a table by the index of the page and that of the table.
///
/// A list that goes on from the page before keeps its indents, so that the pages can be joined.
#[must_use]
pub fn to_markdown(pages: &[PageBlocks], table: &dyn Fn(usize, usize) -> Option<String>) -> Vec<String> {
    let mut writer = Writer::default();
    let mut markdown = Vec::with_capacity(pages.len());
    for (index, page) in pages.iter().enumerate() {
        writer.text.clear();
        for block in &page.blocks {
            writer.write(block, &|number| table(index, number));
        }
        (writer.is_item, writer.run) = (false, None);
        markdown.push(writer.text.clone());
    }
    markdown
}

#[derive(Default)]
struct Writer {
    text: String,
    /// The widths of the marks of the open items, the outermost first.
    indents: Vec<usize>,
    /// Whether the last block was a list item.
    is_item: bool,
    /// What the last block was, if the next line of the same kind follows it after a hard line break.
    run: Option<BlockKind>,
}

impl Writer {
    fn write(&mut self, block: &Block, table: &dyn Fn(usize) -> Option<String>) {
        let text = match &block.kind {
            BlockKind::Furniture => return,
            BlockKind::Continuation { page } => return self.continuation(*page),
            BlockKind::Code => fenced(&inline::plain(&block.spans)),
            BlockKind::Table { index } => table(*index).unwrap_or_default(),
            BlockKind::Figure { alternate, target } => {
                let target = target.as_deref().map(inline::address).unwrap_or_default();
                format!("![{}]({target})", escapes::link_text(alternate))
            }
            BlockKind::Heading { .. } => inline::heading(&block.spans),
            BlockKind::Quote | BlockKind::Caption => inline::upright(&block.spans),
            _ => inline::write(&block.spans),
        };
        let text = text.trim_end();
        // A number without a text is a number of the page.
        let is_numbered = matches!(&block.kind, BlockKind::ListItem { marker, .. } if *marker != ListMarker::Bullet);
        if text.trim().is_empty() && !is_numbered {
            return;
        }
        let is_next = self.run.as_ref() == Some(&block.kind);
        self.run = Some(block.kind.clone())
            .filter(|kind| matches!(kind, BlockKind::Entry | BlockKind::Aside | BlockKind::RunningLine));
        match &block.kind {
            BlockKind::Entry | BlockKind::RunningLine if is_next => self.next_line("", text),
            BlockKind::Aside if is_next => self.next_line("> ", text),
            BlockKind::Aside => self.block(&format!("> {}", escapes::line_start(text))),
            BlockKind::ListItem { depth, marker } => self.item(usize::from(*depth), marker, text),
            BlockKind::Paragraph { depth } if *depth > 0 => self.inner_paragraph(usize::from(*depth), text),
            BlockKind::Heading { level } => {
                self.block(&format!("{} {text}", "#".repeat(usize::from(*level).clamp(1, 6))))
            }
            BlockKind::Quote => self.block(&format!("> {text}")),
            BlockKind::Footnote { label } => self.block(&format!("[^{label}]: {text}")),
            BlockKind::Code | BlockKind::Table { .. } | BlockKind::Figure { .. } => self.block(text),
            _ => self.block(&escapes::line_start(text)),
        }
    }

    /// Appends a block at the margin.
    fn block(&mut self, text: &str) {
        self.indents.clear();
        self.is_item = false;
        self.separate("\n\n");
        self.text.push_str(text);
    }

    /// Appends a line to a block, after a hard line break.
    fn next_line(&mut self, mark: &str, text: &str) {
        self.separate("  \n");
        self.text.push_str(mark);
        self.text.push_str(&escapes::line_start(text));
    }

    fn item(&mut self, depth: usize, marker: &ListMarker, text: &str) {
        self.indents.truncate(depth.saturating_sub(1));
        while self.indents.len() + 1 < depth {
            self.indents.push(2);
        }
        let (mark, letter) = match marker {
            ListMarker::Bullet => ("-".to_owned(), String::new()),
            ListMarker::Number { number, is_in_brackets } => {
                (format!("{number}{}", if *is_in_brackets { ')' } else { '.' }), String::new())
            }
            ListMarker::Letter(letter) => ("-".to_owned(), format!("{letter} ")),
        };
        self.separate(if self.is_item { "\n" } else { "\n\n" });
        self.text.push_str(&" ".repeat(self.indents.iter().sum()));
        self.indents.push(mark.len() + 1);
        let text = if letter.is_empty() { escapes::line_start(text) } else { letter + text };
        self.text.push_str(format!("{mark} {text}").trim_end());
        self.is_item = true;
    }

    /// Appends a paragraph to the item of a depth.
    fn inner_paragraph(&mut self, depth: usize, text: &str) {
        self.indents.truncate(depth);
        self.separate("\n\n");
        self.text.push_str(&" ".repeat(self.indents.iter().sum()));
        self.text.push_str(&escapes::line_start(text));
    }

    /// Says where the words are that stand here on the page.
    fn continuation(&mut self, page: u32) {
        (self.is_item, self.run) = (false, None);
        self.separate("\n\n");
        self.text.push_str(&format!("<!-- The text that goes on here is given at the end of page {page}. -->"));
    }

    fn separate(&mut self, by: &str) {
        if !self.text.is_empty() {
            self.text.push_str(by);
        }
    }
}

/// Code between fences that it does not contain.
fn fenced(code: &str) -> String {
    let fence = "`".repeat(3.max(1 + inline::longest_run(code, '`')));
    format!("{fence}\n{}\n{fence}", code.trim_end())
}
