//! Blocks: what the text of a page is made of.

use super::page_structure::Formula;
use pagewise_text::Bounds;

/// The blocks of a page, in reading order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageBlocks {
    /// The page's number, from 1.
    pub number: u32,
    /// In reading order.
    pub blocks: Vec<Block>,
}

impl PageBlocks {
    /// The lines that Markdown leaves out: all other words of the page are in it.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        let left_out = self.blocks.iter().filter(|block| block.kind == BlockKind::Furniture);
        left_out.map(Block::text).collect()
    }

    /// The levels and the texts of its headings.
    pub fn headings(&self) -> impl Iterator<Item = (u8, String)> {
        self.blocks.iter().filter_map(|block| match block.kind {
            BlockKind::Heading { level } => Some((level, block.text())),
            _ => None,
        })
    }
}

/// A unit of text, or a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where it stands on the page where it begins.
    pub bounds: Bounds,
    /// Its text. A table has none.
    pub spans: Vec<TextSpan>,
}

impl Block {
    fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// A title or a section's heading.
    Heading {
        /// 1 is the title.
        level: u8,
    },
    /// Running text.
    Paragraph {
        /// The depth of the list item to which it belongs, 0 for none.
        depth: u8,
    },
    ListItem {
        /// 1 is the outermost list.
        depth: u8,
        /// What precedes it.
        marker: ListMarker,
    },
    /// An entry of a table of contents or of a bibliography, or a label of a chart.
    Entry,
    Table {
        /// Its number among the tables of its page.
        index: usize,
    },
    /// Text of a fixed pitch, with its line ends and indents.
    Code,
    /// Text set apart by indents on both sides.
    Quote,
    /// A line of a side bar or of a note in the margin.
    Aside,
    /// The text of a figure or a table.
    Caption,
    /// A note at the foot of a page to which text of the page refers.
    Footnote {
        /// As printed.
        label: String,
    },
    /// A running head or foot that other pages do not have.
    RunningLine,
    /// Running heads and feet and page numbers that other pages have too, and numbers of lines. The only text that Markdown
    /// leaves out.
    Furniture,
    /// In place of the words that end a paragraph of an earlier page, which has them.
    Continuation {
        /// The number of that page.
        page: u32,
    },
    Figure {
        /// What it shows, by its author or its caption.
        alternate: String,
        /// The link to its file, if it has one.
        target: Option<String>,
    },
}

/// What precedes a list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListMarker {
    /// A sign that all items share.
    Bullet,
    /// A number in digits, and whether a bracket closes it: `1)` and `(1)`, not `1.`.
    Number { number: u32, is_in_brackets: bool },
    /// A letter or a Roman numeral, as printed.
    Letter(String),
}

/// Text in one style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextSpan {
    /// With its spaces.
    pub text: String,
    /// Whether its weight is bold.
    pub is_bold: bool,
    /// Whether it is italic or oblique.
    pub is_italic: bool,
    /// Whether it has a fixed pitch.
    pub is_monospace: bool,
    /// Its place on the line.
    pub position: SpanPosition,
    /// The address that it leads to.
    pub target: Option<String>,
    /// The formula whose text it is.
    pub formula: Option<Box<Formula>>,
}

/// The place of text on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpanPosition {
    #[default]
    Baseline,
    /// A superscript.
    Raised,
    /// The marks of footnotes.
    NoteMark,
}
