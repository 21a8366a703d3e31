//! Sets documents in the standard fonts and keeps the truth about them: blocks, tables, running lines, words of each page.

use std::collections::VecDeque;

use crate::support::file_of;
use crate::support::pdf::stream_of;

#[path = "../../src/document/appearances/font_widths.rs"]
#[allow(dead_code, reason = "not every font is set here")]
mod font_widths;

const PAGE_WIDTH: f64 = 595.0;
const PAGE_HEIGHT: f64 = 842.0;
const MARGIN: f64 = 64.0;
const GUTTER: f64 = 24.0;

/// The distance of two lines, in sizes of their font.
const LEADING: f64 = 1.25;

/// White space on each side of a cell's text, in points.
const CELL_PADDING: f64 = 5.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    Sans,
    SansBold,
    SansOblique,
    Serif,
    SerifBold,
    SerifItalic,
    Mono,
    MonoBold,
    MonoOblique,
}

use Face::{Mono, MonoBold, MonoOblique, Sans, SansBold, SansOblique, Serif, SerifBold, SerifItalic};

const FACES: [Face; 9] = [Sans, SansBold, SansOblique, Serif, SerifBold, SerifItalic, Mono, MonoBold, MonoOblique];

impl Face {
    fn base_font(self) -> &'static str {
        match self {
            Sans => "Helvetica",
            SansBold => "Helvetica-Bold",
            SansOblique => "Helvetica-Oblique",
            Serif => "Times-Roman",
            SerifBold => "Times-Bold",
            SerifItalic => "Times-Italic",
            Mono => "Courier",
            MonoBold => "Courier-Bold",
            MonoOblique => "Courier-Oblique",
        }
    }

    fn widths(self) -> font_widths::Widths {
        match self {
            Sans | SansOblique => font_widths::HELVETICA,
            SansBold => font_widths::HELVETICA_BOLD,
            Serif => font_widths::TIMES_ROMAN,
            SerifBold => font_widths::TIMES_BOLD,
            SerifItalic => font_widths::TIMES_ITALIC,
            Mono | MonoBold | MonoOblique => [600; 224],
        }
    }

    /// The width of a text in ems.
    fn width(self, text: &str) -> f64 {
        let widths = self.widths();
        win_ansi(text).iter().map(|code| f64::from(widths[usize::from(*code) - 32]) / 1000.0).sum()
    }
}

/// A text by its codes in `WinAnsiEncoding`.
fn win_ansi(text: &str) -> Vec<u8> {
    let code = |character| match character {
        '•' => 0x95,
        '–' => 0x96,
        '’' => 0x92,
        _ => u8::try_from(character).unwrap(),
    };
    text.chars().map(code).collect()
}

/// A text as a string object.
fn string(text: &str) -> String {
    let escaped = win_ansi(text).into_iter().map(|code| match code {
        b'(' | b')' | b'\\' => format!("\\{}", char::from(code)),
        0x80.. => format!("\\{code:03o}"),
        _ => char::from(code).to_string(),
    });
    format!("({})", escaped.collect::<String>())
}

/// How a line of several words is written, and brought to the width of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// One string; lines end where they end.
    Ragged,
    /// One string with word spacing.
    Stretched,
    /// Each word at its own position, without spaces.
    Positioned,
    /// One array in which gaps stand for spaces.
    Kerned,
}

/// What distinguishes the typesetting of one document from that of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) body: Face,
    pub(super) bold: Face,
    pub(super) slanted: Face,
    pub(super) size: f64,
    pub(super) columns: usize,
    pub(super) spacing: Spacing,
    pub(super) hyphenates: bool,
    /// Paragraphs begin with an indent, and not after a gap.
    pub(super) indents: bool,
    pub(super) numbers_headings: bool,
    pub(super) bullet: &'static str,
    /// The fonts name their widths, as programs write them; readers know those of the standard fonts.
    pub(super) names_widths: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    Paragraph,
    Item,
    Footnote,
    Code,
    Table,
    /// May come out as any block: an entry of references.
    Free,
}

/// A block of a document, as it was made or as Markdown has it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Of headings and items, from 1.
    pub(super) level: usize,
    pub(super) is_ordered: bool,
}

impl Block {
    pub(super) fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), level: 1, is_ordered: false }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) row_span: usize,
    pub(super) column_span: usize,
    pub(super) text: String,
    pub(super) is_header: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    /// From 1.
    pub(super) page: usize,
    /// Left, top, right and bottom in points, from the top left of the page.
    pub(super) area: [f64; 4],
    pub(super) cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// Round every cell.
    Grid,
    /// Above and below the header and at the end.
    Three,
    /// None; every other row is shaded.
    Shades,
    None,
}

/// What is true of a document.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) blocks: Vec<Block>,
    pub(super) tables: Vec<Table>,
    /// Running heads and page numbers, one for each line of each page.
    pub(super) running: Vec<String>,
    /// The words of each page without its running lines; a word is on the page where it begins.
    pub(super) pages: Vec<Vec<String>>,
    /// Words that were divided over two lines.
    pub(super) hyphenated: Vec<String>,
}

/// A document under construction.
pub(super) struct Typesetter {
    look: Look,
    contents: Vec<String>,
    column: usize,
    /// The baseline of the next line.
    y: f64,
    /// Where the notes of this page begin.
    bottom: f64,
    notes: Vec<String>,
    head: Option<String>,
    sections: [usize; 2],
    truth: Truth,
}

impl Typesetter {
    /// Begins a document; `head` runs over its pages.
    pub(super) fn new(look: Look, head: Option<String>) -> Self {
        let mut sheet = Self {
            look,
            contents: Vec::new(),
            column: 0,
            y: 0.0,
            bottom: MARGIN,
            notes: Vec::new(),
            head,
            sections: [0; 2],
            truth: Truth::default(),
        };
        sheet.begin_page();
        sheet
    }

    /// The page that is being set, from 1.
    pub(super) fn page(&self) -> usize {
        self.contents.len()
    }

    fn leading(&self) -> f64 {
        self.look.size * LEADING
    }

    fn column_width(&self) -> f64 {
        let columns = f64::from(u8::try_from(self.look.columns).unwrap());
        (PAGE_WIDTH - 2.0 * MARGIN - (columns - 1.0) * GUTTER) / columns
    }

    fn left(&self) -> f64 {
        MARGIN + f64::from(u8::try_from(self.column).unwrap()) * (self.column_width() + GUTTER)
    }

    fn begin_page(&mut self) {
        self.end_page();
        self.contents.push(String::new());
        self.truth.pages.push(Vec::new());
        (self.column, self.y, self.bottom) = (0, PAGE_HEIGHT - MARGIN - self.look.size, MARGIN);
        let (size, number) = (self.look.size * 0.85, self.page().to_string());
        if let Some(head) = self.head.clone() {
            self.show_text(self.look.slanted, size, MARGIN, PAGE_HEIGHT - MARGIN / 2.0, &head);
            self.truth.running.push(head);
        }
        let middle = (PAGE_WIDTH - size * self.look.body.width(&number)) / 2.0;
        self.show_text(self.look.body, size, middle, MARGIN / 2.0, &number);
        self.truth.running.push(number);
    }

    fn end_page(&mut self) {
        let (notes, size) = (std::mem::take(&mut self.notes), self.look.size * 0.8);
        if notes.is_empty() {
            return;
        }
        (self.column, self.y) = (0, self.bottom - size * LEADING);
        self.draw(&format!("{MARGIN} {:.2} 80 .5 re f", self.bottom - size * 0.2));
        self.bottom = 0.0;
        for note in notes {
            self.set(self.look.body, size, [0.0; 2], &note, false);
            self.truth.blocks.push(Block::new(Kind::Footnote, note));
        }
    }

    fn next_column(&mut self) {
        self.column += 1;
        self.y = PAGE_HEIGHT - MARGIN - self.look.size;
        if self.column == self.look.columns {
            self.begin_page();
        }
    }

    /// Goes on in the next column where less than `height` is left.
    fn need(&mut self, height: f64) {
        if self.y - height < self.bottom {
            self.next_column();
        }
    }

    /// Leaves space after what stands above; none at the top of a column.
    fn skip(&mut self, height: f64) {
        if self.y < PAGE_HEIGHT - MARGIN - self.look.size {
            self.y -= height;
        }
    }

    fn draw(&mut self, operators: &str) {
        let content = self.contents.last_mut().unwrap();
        content.push_str(operators);
        content.push('\n');
    }

    fn show_text(&mut self, face: Face, size: f64, x: f64, y: f64, text: &str) {
        self.draw(&format!("BT /{face:?} {size:.2} Tf {x:.2} {y:.2} Td {} Tj ET", string(text)));
    }

    /// Shows words from `x` on; over the whole of `width` if it is given.
    fn show_words(&mut self, face: Face, size: f64, x: f64, words: &[String], width: Option<f64>) {
        let (y, text) = (self.y, words.join(" "));
        let gaps = f64::from(u32::try_from(words.len().saturating_sub(1).max(1)).unwrap());
        let more = width.map_or(0.0, |width| (width - size * face.width(&text)) / gaps);
        let space = size * face.width(" ") + more;
        match self.look.spacing {
            Spacing::Ragged => self.show_text(face, size, x, y, &text),
            Spacing::Stretched => {
                self.draw(&format!(
                    "BT /{face:?} {size:.2} Tf {more:.3} Tw {x:.2} {y:.2} Td {} Tj 0 Tw ET",
                    string(&text)
                ));
            }
            Spacing::Positioned => {
                let mut x = x;
                for word in words {
                    self.show_text(face, size, x, y, word);
                    x += size * face.width(word) + space;
                }
            }
            Spacing::Kerned => {
                let gap = format!(" {:.0} ", -space / size * 1000.0);
                let parts = words.iter().map(|word| string(word)).collect::<Vec<_>>().join(&gap);
                self.draw(&format!("BT /{face:?} {size:.2} Tf {x:.2} {y:.2} Td [{parts}] TJ ET"));
            }
        }
    }

    /// Sets words in lines from column to column; returns where the last one ends. `indents` are those of the first and of
    /// all other lines.
    fn set(&mut self, face: Face, size: f64, indents: [f64; 2], text: &str, may_fill: bool) -> f64 {
        let mut words = text.split_whitespace().map(str::to_owned).collect::<VecDeque<_>>();
        let (mut indent, mut is_tail, mut end) = (indents[0], false, 0.0);
        while !words.is_empty() {
            self.need(0.0);
            let width = self.column_width() - indent;
            let free =
                |line: &[String], word: &str| width - size * face.width(&[line, &[word.to_owned()]].concat().join(" "));
            let mut line = Vec::<String>::new();
            while words.front().is_some_and(|word| line.is_empty() || free(&line, word) >= 0.0) {
                line.extend(words.pop_front());
            }
            let on_page = self.truth.pages.last_mut().unwrap();
            on_page.extend(line.iter().skip(usize::from(is_tail)).cloned());
            let is_last = words.is_empty();
            is_tail = false;
            if let Some(word) = words.front_mut().filter(|word| self.look.hyphenates && is_divisible(word)) {
                let (head, tail) = word.split_at(word.len() / 2);
                let head = format!("{head}-");
                if free(&line, &head) >= 0.0 {
                    on_page.push(word.clone());
                    self.truth.hyphenated.push(word.clone());
                    line.push(head);
                    *word = tail.to_owned();
                    is_tail = true;
                }
            }
            let fills = may_fill && !is_last && self.look.spacing != Spacing::Ragged;
            self.show_words(face, size, self.left() + indent, &line, fills.then_some(width));
            end = self.left() + indent + size * face.width(&line.join(" "));
            self.y -= size * LEADING;
            indent = indents[1];
        }
        end
    }

    pub(super) fn heading(&mut self, level: usize, text: &str) {
        let Look { size, bold, slanted, .. } = self.look;
        let (face, size) = match level {
            1 => (bold, size * 1.9),
            2 => (bold, size * 1.4),
            _ => (if size > 10.0 { slanted } else { bold }, size * 1.15),
        };
        let text = format!("{}{text}", self.section_number(level));
        self.skip(size * 0.8);
        self.need(size * LEADING + 3.0 * self.leading());
        self.set(face, size, [0.0; 2], &text, false);
        self.y -= size * 0.4;
        self.truth.blocks.push(Block { level, ..Block::new(Kind::Heading, text) });
    }

    /// The number of the next section of a level, where headings have one.
    fn section_number(&mut self, level: usize) -> String {
        let [sections, parts] = &mut self.sections;
        match level {
            2 => (*sections, *parts) = (*sections + 1, 0),
            _ => *parts += 1,
        }
        match level {
            2 if self.look.numbers_headings => format!("{sections} "),
            3 if self.look.numbers_headings => format!("{sections}.{parts} "),
            _ => String::new(),
        }
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.begin_paragraph(text);
        self.truth.blocks.push(Block::new(Kind::Paragraph, text));
    }

    fn begin_paragraph(&mut self, text: &str) -> f64 {
        let indent = if self.look.indents { self.look.size * 1.5 } else { 0.0 };
        self.skip(if self.look.indents { 0.0 } else { self.leading() * 0.6 });
        self.set(self.look.body, self.look.size, [indent, 0.0], text, true)
    }

    /// An entry of a list of references: all lines but the first are indented.
    pub(super) fn reference(&mut self, text: &str) {
        self.skip(self.leading() * 0.3);
        self.set(self.look.body, self.look.size, [0.0, self.look.size * 1.6], text, true);
        self.truth.blocks.push(Block::new(Kind::Free, text));
    }

    /// A drawing without words, and its caption.
    pub(super) fn figure(&mut self, caption: &str) {
        let (width, height) = (self.column_width() * 0.8, 90.0);
        self.skip(self.leading());
        self.need(height + 3.0 * self.leading());
        let (left, below) = (self.left(), self.y + self.look.size - height);
        self.draw(&format!("{left:.2} {below:.2} {width:.2} {height:.2} re S {left:.2} {below:.2} m"));
        for (step, share) in (1_u8..).zip([0.4, 0.2, 0.7, 0.5, 0.9]) {
            self.draw(&format!("{:.2} {:.2} l", left + width * f64::from(step) / 5.0, below + height * share));
        }
        self.draw("S");
        self.y = below - self.leading();
        self.set(self.look.slanted, self.look.size * 0.9, [0.0; 2], caption, false);
        self.y -= self.leading();
        self.truth.blocks.push(Block::new(Kind::Paragraph, caption));
    }

    /// A paragraph that ends with the mark of a note at the foot of its page.
    pub(super) fn paragraph_with_note(&mut self, text: &str, mark: &str, note: &str) {
        let size = self.look.size;
        let lines =
            |text: &str| (f64::from(u32::try_from(text.len()).unwrap()) * size * 0.6 / self.column_width()).ceil();
        let height = (lines(note) + 1.0) * size * LEADING;
        self.need(height + (lines(text) + 1.0) * self.leading());
        self.bottom += height;
        self.notes.push(format!("{mark} {note}"));
        let end = self.begin_paragraph(text);
        self.show_text(self.look.body, size * 0.65, end, self.y + self.leading() + size * 0.35, mark);
        self.truth.pages.last_mut().unwrap().last_mut().unwrap().push_str(mark);
        self.truth.blocks.push(Block::new(Kind::Paragraph, format!("{text}{mark}")));
    }

    /// A list; each item has its level, from 1.
    pub(super) fn list(&mut self, is_ordered: bool, items: &[(usize, String)]) {
        let size = self.look.size;
        let mut numbers = [0; 3];
        self.skip(self.leading() * 0.4);
        for (level, text) in items {
            numbers[*level..].fill(0);
            numbers[*level - 1] += 1;
            let mark = if is_ordered { format!("{}.", numbers[*level - 1]) } else { self.look.bullet.to_owned() };
            let at = f64::from(u8::try_from(*level).unwrap()) * size * 1.6;
            self.need(0.0);
            let width = size * (self.look.body.width(&mark) + 0.5);
            self.show_text(self.look.body, size, self.left() + at - width, self.y, &mark);
            self.truth.pages.last_mut().unwrap().push(mark);
            self.set(self.look.body, size, [at; 2], text, false);
            self.truth.blocks.push(Block { level: *level, is_ordered, ..Block::new(Kind::Item, text) });
        }
    }

    pub(super) fn code(&mut self, lines: &[String]) {
        let (size, height) = (self.look.size * 0.9, f64::from(u8::try_from(lines.len()).unwrap()) * self.leading());
        self.skip(self.leading() * 0.6);
        self.need(height);
        for line in lines {
            self.show_text(Face::Mono, size, self.left() + size, self.y, line);
            self.y -= size * LEADING;
            self.truth.pages.last_mut().unwrap().extend(line.split_whitespace().map(str::to_owned));
        }
        self.truth.blocks.push(Block::new(Kind::Code, lines.join("\n")));
    }

    /// Sets a table: its cells by rows and then columns. Cells wrap at `wrap` points. Where it `breaks`, its header is
    /// repeated on the next page.
    pub(super) fn table(&mut self, cells: &[Cell], rules: Rules, wrap: f64, breaks: bool) {
        let face = |cell: &Cell| if cell.is_header { self.look.bold } else { self.look.body };
        let size = self.look.size * 0.9;
        let lines = cells.iter().map(|cell| wrapped(face(cell), size, &cell.text, wrap)).collect::<Vec<_>>();
        let (rows, columns) = extent(cells);
        let mut widths = vec![0.0_f64; columns];
        let mut heights = vec![0.0_f64; rows];
        let (one, more) =
            cells.iter().zip(&lines).partition::<Vec<_>, _>(|(cell, _)| cell.row_span * cell.column_span == 1);
        for (cell, lines) in one.into_iter().chain(more) {
            let widest =
                lines.iter().map(|line| size * face(cell).width(line)).fold(0.0, f64::max) + 2.0 * CELL_PADDING;
            let height = f64::from(u8::try_from(lines.len().max(1)).unwrap()) * size * LEADING + CELL_PADDING;
            grow(&mut widths[cell.column..cell.column + cell.column_span], widest);
            grow(&mut heights[cell.row..cell.row + cell.row_span], height);
        }
        assert!(widths.iter().sum::<f64>() <= self.column_width(), "a table is too wide for its column: {widths:?}");
        self.skip(self.leading() * 0.8);
        if !breaks {
            self.need(heights.iter().sum());
        }
        let headers =
            cells.iter().filter(|cell| cell.is_header).map(|cell| cell.row + cell.row_span).max().unwrap_or(0);
        let mut from = 0;
        while from < rows {
            let repeated = if from > 0 { 0..headers } else { 0..0 };
            let mut chosen = repeated.collect::<Vec<_>>();
            let mut left = self.y - self.bottom - chosen.iter().map(|row| heights[*row]).sum::<f64>();
            while from < rows && (!breaks || left >= heights[from]) {
                left -= heights[from];
                chosen.push(from);
                from += 1;
            }
            self.part_of_table(cells, &lines, &chosen, (&widths, &heights), rules);
            if from < rows {
                self.next_column();
            }
        }
        self.y -= self.leading();
    }

    /// Sets the `chosen` rows of a table. No cell spans a row that is chosen and one that is not.
    fn part_of_table(
        &mut self,
        cells: &[Cell],
        lines: &[Vec<String>],
        chosen: &[usize],
        sizes: (&[f64], &[f64]),
        rules: Rules,
    ) {
        let (widths, heights) = sizes;
        let (size, left, top) = (self.look.size * 0.9, self.left(), self.y + self.look.size);
        let x = |column: usize| left + widths[..column].iter().sum::<f64>();
        let y = |at: usize| top - chosen[..at].iter().map(|row| heights[*row]).sum::<f64>();
        let (right, end) = (x(widths.len()), y(chosen.len()));
        let mut own = Vec::new();
        for (at, row) in chosen.iter().enumerate() {
            if rules == Rules::Shades && at % 2 == 1 {
                self.draw(&format!(
                    ".9 g {left:.2} {:.2} {:.2} {:.2} re f 0 g",
                    y(at + 1),
                    right - left,
                    heights[*row]
                ));
            }
            for (cell, lines) in cells.iter().zip(lines).filter(|(cell, _)| cell.row == *row) {
                let face = if cell.is_header { self.look.bold } else { self.look.body };
                let (from, to) = (x(cell.column), x(cell.column + cell.column_span));
                if rules == Rules::Grid {
                    let below = y(at + cell.row_span);
                    self.draw(&format!("{from:.2} {below:.2} {:.2} {:.2} re S", to - from, y(at) - below));
                }
                let is_number = cell.text.starts_with(|first: char| first.is_ascii_digit());
                for (number, line) in (1_u8..).zip(lines) {
                    let width = size * face.width(line);
                    let start = match (cell.column_span > 1, is_number) {
                        (true, _) => (from + to - width) / 2.0,
                        (_, true) => to - CELL_PADDING - width,
                        _ => from + CELL_PADDING,
                    };
                    self.show_text(face, size, start, y(at) - f64::from(number) * size * LEADING, line);
                }
                self.truth.pages.last_mut().unwrap().extend(cell.text.split_whitespace().map(str::to_owned));
                own.push(Cell { row: at, ..cell.clone() });
            }
        }
        if rules == Rules::Three {
            let header =
                own.iter().filter(|cell| cell.is_header).map(|cell| cell.row + cell.row_span).max().unwrap_or(0);
            for at in [0, header, chosen.len()] {
                self.draw(&format!("{left:.2} {0:.2} m {right:.2} {0:.2} l S", y(at)));
            }
        }
        let text =
            own.iter().map(|cell| cell.text.as_str()).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        self.truth.blocks.push(Block::new(Kind::Table, text));
        let area = [left, PAGE_HEIGHT - top, right, PAGE_HEIGHT - end];
        self.truth.tables.push(Table { page: self.contents.len(), area, cells: own });
        self.y = end - self.look.size;
    }

    /// The document and what is true of it.
    pub(super) fn finish(mut self) -> (Vec<u8>, Truth) {
        self.end_page();
        let first = 3 + FACES.len();
        let fonts = FACES.iter().zip(3..).map(|(face, number)| format!("/{face:?} {number} 0 R")).collect::<String>();
        let kids = (0..self.contents.len()).map(|page| format!("{} 0 R ", first + 2 * page)).collect::<String>();
        let mut objects = vec![
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            format!("<</Type/Pages/Kids[{kids}]/Count {}>>", self.contents.len()).into_bytes(),
        ];
        objects.extend(FACES.map(|face| font(face, self.look.names_widths).into_bytes()));
        for (page, content) in self.contents.iter().enumerate() {
            let entries = format!("/MediaBox[0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]/Contents {} 0 R", first + 2 * page + 1);
            objects.push(format!("<</Type/Page/Parent 2 0 R{entries}/Resources<</Font<<{fonts}>>>>>>").into_bytes());
            objects.push(stream_of("", content.as_bytes()));
        }
        (file_of(&objects), self.truth)
    }
}

/// The number of rows and columns.
fn extent(cells: &[Cell]) -> (usize, usize) {
    let last = |end: fn(&Cell) -> usize| cells.iter().map(end).max().unwrap_or(0);
    (last(|cell| cell.row + cell.row_span), last(|cell| cell.column + cell.column_span))
}

/// Makes the last of these sizes so large that all have at least `least`.
fn grow(sizes: &mut [f64], least: f64) {
    let missing = least - sizes.iter().sum::<f64>();
    if let Some(last) = sizes.last_mut().filter(|_| missing > 0.0) {
        *last += missing;
    }
}

fn is_divisible(word: &str) -> bool {
    word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The lines of a text that are at most `most` points wide, if its words are.
fn wrapped(face: Face, size: f64, text: &str, most: f64) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if size * face.width(&format!("{line} {word}")) <= most => *line = format!("{line} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn font(face: Face, names_widths: bool) -> String {
    let widths = face.widths().map(|width| width.to_string()).join(" ");
    let widths = if names_widths { format!("/FirstChar 32/LastChar 255/Widths[{widths}]") } else { String::new() };
    format!("<</Type/Font/Subtype/Type1/BaseFont/{}/Encoding/WinAnsiEncoding{widths}>>", face.base_font())
}
