//! What a page holds in reading order: regions of lines, and the places of tables.

use serde::{Deserialize, Serialize};

use pagewise_base::checked_on_arrival;
use pagewise_text::Bounds;

/// The place of a table, and its number among the page's tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TableArea {
    /// Round its text.
    pub bounds: Bounds,
    /// Its number among the page's tables.
    pub index: usize,
}

/// A page in reading order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct PageStructure {
    /// In points.
    pub width: f32,
    /// In points.
    pub height: f32,
    /// In reading order.
    pub regions: Vec<Region>,
    /// Pictures and charts.
    pub figures: Vec<Bounds>,
    /// Horizontal rules.
    pub rules: Vec<Bounds>,
    /// The addresses that words link to.
    pub targets: Vec<String>,
}

/// A part of a page that is read as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Region {
    /// Lines of one column.
    Column(Column),
    /// A table, which another part of the program reads.
    Table(TableArea),
    /// A figure that the structure tree describes.
    Figure(Figure),
}

/// A picture or a chart with its description.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its place.
    pub bounds: Bounds,
    /// What it shows, by its author.
    pub alternate: String,
}

/// Lines below each other. Coordinates are those of its frame: text runs to the right, lines go down.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Column {
    /// The direction of its text in degrees clockwise.
    pub turn: u16,
    /// Whether its lines stand in the given order, for want of a better one.
    pub is_plain: bool,
    /// From top to bottom.
    pub lines: Vec<Line>,
}

/// Words on one baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// In logical order.
    pub words: Vec<LineWord>,
    /// Of all words.
    pub bounds: Bounds,
    /// Its y coordinate.
    pub baseline: f32,
    /// The size of most of its characters.
    pub size: f32,
    /// The smallest box with a filled ground that holds the line.
    pub ground: Option<u32>,
    /// What the structure tree says of it; `None` if it says nothing that is believed.
    pub tag: Option<LineTag>,
}

/// What the structure tree says of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTag {
    /// The object number of the element to which the line belongs.
    pub element: u32,
    /// What the element is.
    pub role: LineRole,
    /// The number of characters of the element's label, if the line begins with it.
    pub label: u16,
}

/// What an element of the structure tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineRole {
    /// A heading of this level.
    Heading(u8),
    /// A paragraph, in a list item of this depth, 0 for none.
    Paragraph(u8),
    /// A list item of this depth, 1 for the outermost.
    Item(u8),
    Code,
    Quote,
    Caption,
    /// A footnote or an endnote.
    Note,
    /// Running heads and feet, page numbers.
    Furniture,
    /// The numbers of the lines of a manuscript or a listing.
    LineNumber,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineWord {
    /// In logical order.
    pub text: String,
    /// In the frame of its column.
    pub bounds: Bounds,
    /// How it looks.
    pub style: Style,
    /// Whether a space precedes it.
    pub is_spaced: bool,
    /// Whether it is smaller than its line and stands above the baseline.
    pub is_raised: bool,
    /// Its address, an index into `targets` of the page.
    pub target: Option<u32>,
}

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Style {
    /// The em.
    pub size: f32,
    /// Whether its weight is bold.
    pub is_bold: bool,
    /// Whether it is italic or oblique.
    pub is_italic: bool,
    /// Whether its font has a fixed pitch.
    pub is_monospace: bool,
    /// Its font, an index without meaning beyond the page.
    pub font: u16,
    /// Its fill colour, RGB.
    pub color: [u8; 3],
}

checked_on_arrival!(PageStructure);

impl PageStructure {
    /// Whether each word's address is listed.
    fn is_valid(&self) -> bool {
        let columns = self.regions.iter().filter_map(|region| match region {
            Region::Column(column) => Some(column),
            Region::Table(_) | Region::Figure(_) => None,
        });
        let mut words = columns.flat_map(|column| &column.lines).flat_map(|line| &line.words);
        let is_listed = |target: u32| usize::try_from(target).is_ok_and(|at| at < self.targets.len());
        words.all(|word| word.target.is_none_or(is_listed))
    }
}

impl Line {
    /// Its text, with spaces.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, word) in self.words.iter().enumerate() {
            if index > 0 && word.is_spaced {
                text.push(' ');
            }
            text.push_str(&word.text);
        }
        text
    }

    /// The number of its characters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.text.chars().count()).sum()
    }

    /// Whether it has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether it is the numbers of other lines.
    #[must_use]
    pub fn is_number(&self) -> bool {
        self.tag.is_some_and(|tag| tag.role == LineRole::LineNumber)
    }

    /// Whether all its words satisfy a condition: those with letters, else those with digits.
    #[must_use]
    pub fn is_all(&self, condition: impl Fn(&Style) -> bool) -> bool {
        let has_word = self.words.iter().any(|word| word.text.chars().any(char::is_alphabetic));
        let counts = |sign: char| if has_word { sign.is_alphabetic() } else { sign.is_alphanumeric() };
        let mut words = self.words.iter().filter(|word| !word.is_raised && word.text.chars().any(counts)).peekable();
        words.peek().is_some() && words.all(|word| condition(&word.style))
    }

    /// Whether all its text is bold.
    #[must_use]
    pub fn is_bold(&self) -> bool {
        self.is_all(|style| style.is_bold)
    }

    /// Whether all its text is italic.
    #[must_use]
    pub fn is_italic(&self) -> bool {
        self.is_all(|style| style.is_italic)
    }

    /// Whether all its text has a fixed pitch.
    #[must_use]
    pub fn is_monospace(&self) -> bool {
        let mut words = self.words.iter();
        !self.words.is_empty() && words.all(|word| word.style.is_monospace)
    }

    /// Whether it is an entry of a table of contents: text, a leader or a wide gap, a page number.
    #[must_use]
    pub fn is_contents_entry(&self) -> bool {
        let [.., before, last] = self.words.as_slice() else { return false };
        let is_number = last.text.chars().all(|sign| sign.is_ascii_digit()) && last.text.len() <= 4;
        let is_far = last.bounds.x0 - before.bounds.x1 > 2.0 * self.size;
        let has_leader = [before, last].iter().any(|word| word.text.ends_with("..."));
        self.words.len() > 2 && (has_leader || is_number && is_far)
    }

    /// Whether all its letters are capitals, four at least.
    #[must_use]
    pub fn is_capitals(&self) -> bool {
        let letters = || self.words.iter().flat_map(|word| word.text.chars()).filter(|sign| sign.is_alphabetic());
        letters().nth(3).is_some() && letters().all(char::is_uppercase)
    }

    /// The colour of its first word.
    #[must_use]
    pub fn color(&self) -> [u8; 3] {
        self.words.first().map_or([0; 3], |word| word.style.color)
    }
}

/// Whether a text has a letter or a digit.
pub(crate) fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
