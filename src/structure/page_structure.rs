//! What a page holds in reading order: regions of lines, and the places of tables.

use serde::{Deserialize, Serialize};

use crate::bounds::Frame;
use crate::list_marks::is_list_mark;
use pagewise_base::checked_on_arrival;
use pagewise_base::script::is_ideograph;
use pagewise_text::{Bounds, Word};

/// A page number has at most so many digits.
const MAX_DIGITS: usize = 5;
/// Minimum gap between the cells of a row in ems, and between two words that are all of it.
const CELL_GAP_EM: f32 = 2.0;
const LONE_GAP_EM: f32 = 6.0;
/// The smallest gap, in ems, between the heads of columns.
const HEAD_GAP_EM: f32 = 0.9;
/// A leader is wider, in ems.
const LEADER_EM: f32 = 1.1;
/// Maximum characters of the number of a section.
const MAX_MARK: usize = 5;

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
    /// Whether rows of values stand outside the tables that were found.
    pub has_unread_rows: bool,
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
    /// Whether its lines are the labels of a chart or a diagram.
    pub is_figure: bool,
    /// Whether x is measured from the right edge of the page. Set for text that runs to the left, when pages are read together.
    #[serde(skip)]
    pub is_mirrored: bool,
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
    /// Whether a heading ends with it, and the next line is the text after that heading, on the same baseline.
    pub is_run_in: bool,
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

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// The formula whose text it is.
    pub formula: Option<Box<Formula>>,
}

/// What a word stands for, where the places of its signs decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Formula {
    /// Without delimiters.
    pub latex: String,
    /// Whether it stands alone between lines of text.
    pub is_displayed: bool,
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

impl Style {
    /// The style of a word. Ideographs have a fixed pitch in every font, and are not code for that.
    pub(crate) fn of(word: &Word) -> Self {
        Self {
            size: if word.size.is_finite() { word.size.clamp(0.1, 10_000.0) } else { 1.0 },
            is_bold: word.is_bold,
            is_italic: word.is_italic,
            is_monospace: word.is_monospace && !word.text.chars().any(is_ideograph),
            font: word.font,
            color: word.color,
        }
    }
}

checked_on_arrival!(PageStructure);

impl Region {
    pub(crate) fn column(&self) -> Option<&Column> {
        if let Self::Column(column) = self { Some(column) } else { None }
    }
}

impl PageStructure {
    /// Whether each word's address is listed.
    fn is_valid(&self) -> bool {
        let is_listed = |target: u32| usize::try_from(target).is_ok_and(|at| at < self.targets.len());
        self.lines().flat_map(|line| &line.words).all(|word| word.target.is_none_or(is_listed))
    }

    /// The page as seen by a reader of text in a direction.
    pub(crate) fn frame(&self, turn: u16) -> Frame {
        Frame { turn, width: self.width, height: self.height }
    }

    /// The lines of its columns.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line> + Clone {
        self.regions.iter().filter_map(Region::column).flat_map(|column| &column.lines)
    }
}

/// Whether the first letter of these words is a small one, also behind an opening bracket.
pub(crate) fn begin_small(words: &[LineWord]) -> bool {
    words.first().is_some_and(|word| {
        let inner = word.text.trim_start_matches(['(', '[']);
        inner.starts_with(char::is_lowercase) && (inner.len() == word.text.len() || !is_list_mark(&word.text))
    })
}

impl Line {
    /// Whether its first letter is a small one, also behind an opening bracket.
    pub(crate) fn begins_small(&self) -> bool {
        begin_small(&self.words)
    }

    /// Whether it is a displayed formula.
    #[must_use]
    pub fn is_formula(&self) -> bool {
        self.words.iter().any(|word| word.formula.as_ref().is_some_and(|formula| formula.is_displayed))
    }

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

    /// Whether it is a row of cells: text and a leader, or a wide gap after a label or before a value.
    #[must_use]
    pub fn is_row(&self) -> bool {
        // An ellipsis is narrower.
        let is_leader = |word: &LineWord| {
            word.text.ends_with("...") && !has_letter(&word.text) && word.bounds.width() > LEADER_EM * self.size
        };
        let has_leader = self.words.iter().rev().take(2).any(is_leader);
        let cells = self.last_cell().and_then(|at| self.words.split_at_checked(at));
        let is_pair = |(before, last): (&[LineWord], &[LineWord])| ends_label(before) || is_cell_value(last);
        self.words.len() > 2 && has_leader || cells.is_some_and(is_pair)
    }

    /// Whether a wide gap divides it.
    #[must_use]
    pub fn has_cells(&self) -> bool {
        self.last_cell().is_some()
    }

    /// Whether gaps wider than those between words divide it into three parts or more, as the heads of columns. The gap after
    /// the mark of an item does not count.
    #[must_use]
    pub fn has_heads(&self) -> bool {
        let marks = usize::from(self.words.first().is_some_and(|word| is_mark(&word.text)));
        let pairs = self.words.iter().zip(self.words.iter().skip(1)).skip(marks);
        pairs.filter(|(a, b)| b.bounds.x0 - a.bounds.x1 > HEAD_GAP_EM * self.size).nth(1).is_some()
    }

    /// The last word that follows a wide gap. The gap after a mark or a number is none.
    pub(crate) fn last_cell(&self) -> Option<usize> {
        let gap = self.size * if self.words.len() > 2 { CELL_GAP_EM } else { LONE_GAP_EM };
        let marks = usize::from(self.words.first().is_some_and(|word| is_mark(&word.text)));
        let is_far = |a: Bounds, b: Bounds| (b.x0 - a.x1).max(a.x0 - b.x1) > gap;
        let is_cell = |pair: &[LineWord]| matches!(pair, [a, b] if is_far(a.bounds, b.bounds));
        self.words.windows(2).rposition(is_cell).filter(|at| *at >= marks).map(|at| at + 1)
    }

    /// Whether all its letters are capitals, four at least and more than its digits.
    #[must_use]
    pub fn is_capitals(&self) -> bool {
        let texts = || self.words.iter().map(|word| word.text.as_str());
        let letters = || texts().flat_map(str::chars).filter(|sign| sign.is_alphabetic());
        letters().nth(3).is_some() && letters().all(char::is_uppercase) && !is_value(texts())
    }

    /// The least width that a line needs for its first word: up to the first space, or in Chinese and Japanese one sign, since a
    /// line may end after each.
    pub(crate) fn first_width(&self) -> f32 {
        self.width_of(self.words_up_to_space(0))
    }

    /// The same, with the number after a word with a capital, since no line ends within a label such as `Table 2`.
    pub(crate) fn first_width_with_number(&self) -> f32 {
        let first = self.words_up_to_space(0);
        let is_name = |word: &LineWord| {
            let is_long = word.text.chars().nth(2).is_some();
            word.text.starts_with(char::is_uppercase) && is_long && word.text.chars().all(char::is_alphabetic)
        };
        let is_number = |word: &LineWord| word.text.starts_with(|sign: char| sign.is_ascii_digit());
        let is_label = self.words.first().is_some_and(is_name) && self.words.get(first).is_some_and(is_number);
        self.width_of(if is_label { self.words_up_to_space(first) } else { first })
    }

    /// The index of the first word after `from` that follows a space.
    fn words_up_to_space(&self, from: usize) -> usize {
        from + 1 + self.words.iter().skip(from + 1).take_while(|word| !word.is_spaced).count()
    }

    fn width_of(&self, count: usize) -> f32 {
        let Some(first) = self.words.first() else { return 0.0 };
        if first.text.starts_with(is_ideograph) {
            return self.size;
        }
        self.words.iter().take(count).map(|word| word.bounds.x1).fold(first.bounds.x0, f32::max) - first.bounds.x0
    }

    /// The colour of its first word.
    #[must_use]
    pub fn color(&self) -> [u8; 3] {
        self.words.first().map_or([0; 3], |word| word.style.color)
    }
}

/// Whether a text is a value: at least as many digits as letters.
pub(crate) fn is_value<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    let (mut digits, mut letters, mut others) = (0_usize, 0_usize, 0_usize);
    for c in texts.flat_map(str::chars) {
        match c {
            _ if c.is_numeric() => digits += 1,
            _ if c.is_alphabetic() => letters += 1,
            _ => others += 1,
        }
    }
    digits + letters + others > 0 && digits >= letters
}

/// Whether words are the label of what follows.
pub(crate) fn ends_label(words: &[LineWord]) -> bool {
    words.last().is_some_and(|word| word.text.ends_with(':'))
}

/// Whether words are the value of a row: mostly digits or the number of a page, not the number of a formula and not the
/// end of a sentence.
pub(crate) fn is_cell_value(words: &[LineWord]) -> bool {
    let texts = || words.iter().map(|word| word.text.as_str());
    let is_formula = matches!(words, [only] if only.text.starts_with('(') && only.text.ends_with(')'));
    let is_end = words.last().is_some_and(|last| last.text.ends_with(['.', ',', ';', ':']));
    !is_formula && !is_end && (is_value(texts()) || matches!(words, [only] if page_number(&only.text).is_some()))
}

/// Whether a word may be the mark of an item or the number of a section: it is short, with a letter at most.
fn is_mark(text: &str) -> bool {
    text.chars().count() <= MAX_MARK && text.chars().filter(|sign| sign.is_alphabetic()).count() < 2
}

/// The value of a Roman numeral up to 39.
pub(crate) fn roman_value(text: &str) -> Option<u32> {
    let text = text.to_ascii_lowercase();
    let tens = text.chars().take_while(|c| *c == 'x').count();
    let rest: String = text.chars().skip(tens).collect();
    let units = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let unit = units.iter().position(|unit| *unit == rest)?;
    let value = u32::try_from(10 * tens + unit).ok()?;
    (tens <= 3 && value > 0).then_some(value)
}

/// The value of what may be printed as the number of a page, and whether it is a Roman numeral.
pub(crate) fn page_number(text: &str) -> Option<(u32, bool)> {
    let is_number = (1..=MAX_DIGITS).contains(&text.len()) && text.chars().all(|sign| sign.is_ascii_digit());
    let roman = || roman_value(text).map(|value| (value, true));
    if is_number { text.parse().ok().map(|value| (value, false)) } else { roman() }
}

/// Whether a text has a letter or a digit.
pub(crate) fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
