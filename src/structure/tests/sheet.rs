//! A page, sketched line by line.

use super::super::{DocumentPage, OutlineHeading, TableArea, read_document, read_page, to_markdown};
use pagewise_text::{Bounds, Fill, LinkArea, PageLayout, Script, Word};

/// The width of each character, in ems.
const PITCH: f32 = 0.5;

/// How the words of a line look.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) size: f32,
    pub(super) is_bold: bool,
    pub(super) is_italic: bool,
    pub(super) is_monospace: bool,
}

/// Body type.
pub(super) const PLAIN: Face = Face { size: 10.0, is_bold: false, is_italic: false, is_monospace: false };
/// Bold type in the size of the body.
pub(super) const BOLD: Face = Face { is_bold: true, ..PLAIN };
/// Code.
pub(super) const MONO: Face = Face { is_monospace: true, ..PLAIN };

/// A page that is written from top to bottom.
#[derive(Clone)]
pub(super) struct Sheet {
    pub(super) layout: PageLayout,
    pub(super) y: f32,
}

impl Sheet {
    pub(super) fn new() -> Self {
        let layout = PageLayout { width: 400.0, height: 600.0, ..PageLayout::default() };
        Self { layout, y: 80.0 }
    }

    /// A line of body type at the left margin.
    pub(super) fn line(self, text: &str) -> Self {
        self.at(50.0, PLAIN, text)
    }

    /// A line in any type.
    pub(super) fn at(mut self, x: f32, face: Face, text: &str) -> Self {
        self.put(x, face, text);
        self.y += 1.2 * face.size;
        self
    }

    /// Texts in body type on one baseline.
    pub(super) fn row(mut self, cells: &[(f32, &str)]) -> Self {
        cells.iter().for_each(|(x, text)| self.put(*x, PLAIN, text));
        self.space(1.2 * PLAIN.size)
    }

    /// White space.
    pub(super) fn space(mut self, height: f32) -> Self {
        self.y += height;
        self
    }

    /// Goes to a height.
    pub(super) fn go_to(mut self, y: f32) -> Self {
        self.y = y;
        self
    }

    /// Words on the current baseline. Each space is a gap of one character.
    pub(super) fn put(&mut self, x: f32, face: Face, text: &str) {
        let mut left = x;
        for part in text.split(' ') {
            let width = f32::from(u16::try_from(part.chars().count()).unwrap_or(0)) * PITCH * face.size;
            if !part.is_empty() {
                self.word(left, width, face, part);
            }
            left += width + PITCH * face.size;
        }
    }

    /// A word on the current baseline.
    pub(super) fn word(&mut self, x: f32, width: f32, face: Face, text: &str) {
        let bounds = Bounds { x0: x, y0: self.y - 0.8 * face.size, x1: x + width, y1: self.y + 0.2 * face.size };
        self.layout.words.push(Word {
            text: text.to_owned(),
            bounds,
            baseline: self.y,
            size: face.size,
            is_bold: face.is_bold,
            is_italic: face.is_italic,
            is_monospace: face.is_monospace,
            font: u16::from(face.is_bold) + 2 * u16::from(face.is_italic) + 4 * u16::from(face.is_monospace),
            is_spaced: true,
            ..Word::default()
        });
    }

    /// A superscript or a subscript of the current baseline, without a space before it.
    pub(super) fn put_script(&mut self, x: f32, face: Face, text: &str, script: Script) {
        let rise = if script == Script::Raised { 4.0 } else { -2.5 };
        let first = self.layout.words.len();
        self.put(x, face, text);
        for word in self.layout.words.iter_mut().skip(first) {
            word.bounds = Bounds { y0: word.bounds.y0 - rise, y1: word.bounds.y1 - rise, ..word.bounds };
            (word.script, word.is_spaced) = (script, false);
        }
    }

    /// A link over part of the current line.
    pub(super) fn link(mut self, x0: f32, x1: f32, target: &str) -> Self {
        let bounds = Bounds { x0, y0: self.y - 8.0, x1, y1: self.y + 2.0 };
        self.layout.links.push(LinkArea { bounds, target: target.to_owned() });
        self
    }

    /// The page as it is read.
    pub(super) fn page(&self, number: u32) -> DocumentPage {
        DocumentPage { number, label: None, structure: read_page(&self.layout, &[]), is_wanted: true }
    }

    /// A drawn bullet on the current baseline.
    pub(super) fn bullet(mut self, x: f32) -> Self {
        let bounds = Bounds { x0: x, y0: self.y - 5.0, x1: x + 3.0, y1: self.y - 2.0 };
        self.layout.fills.push(Fill { bounds, color: [0; 3] });
        self
    }
}

/// The Markdown of pages that are read together.
pub(super) fn markdown_of(sheets: &[Sheet]) -> Vec<String> {
    markdown_with(sheets, &[])
}

/// With tables on the first page.
pub(super) fn markdown_with(sheets: &[Sheet], tables: &[TableArea]) -> Vec<String> {
    let pages: Vec<DocumentPage> = (1..)
        .zip(sheets)
        .map(|(number, sheet)| {
            let tables = if number == 1 { tables } else { &[] };
            DocumentPage { structure: read_page(&sheet.layout, tables), ..sheet.page(number) }
        })
        .collect();
    to_markdown(&read_document(&pages, &[]), &|_, index| Some(format!("| table {index} |")))
}

/// The Markdown of one page in a document with an outline.
pub(super) fn markdown_outlined(sheet: &Sheet, outline: &[OutlineHeading]) -> String {
    to_markdown(&read_document(&[sheet.page(1)], outline), &|_, _| None).concat()
}

/// The Markdown of one page.
pub(super) fn markdown(sheet: Sheet) -> String {
    markdown_of(&[sheet]).concat()
}

/// Asserts that the Markdown of a page has a part.
#[track_caller]
pub(super) fn assert_has(sheet: Sheet, part: &str) {
    let text = markdown(sheet);
    assert!(text.contains(part), "{text}");
}

/// Fifty-six characters of body type: a full line.
pub(super) const FULL: &str = "Words fill this line from the left edge to the right one";
