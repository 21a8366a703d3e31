//! The text of a page, with facts about its completeness.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::contents_page::lists_pages;
use pagewise_base::checked_on_arrival;

/// The text of a page, with facts about its completeness.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct PageText {
    /// Lines in reading order, without hidden characters.
    pub text: String,
    /// Byte positions in `text` where a hyphen at the end of a line was removed.
    pub joints: Vec<u64>,
    /// The kind of page, judged by its text.
    pub kind: PageKind,
    /// Number of invisible characters in the text, as on scans with recognised text.
    pub invisible: u64,
    /// What is on the page and not seen: in the colour of its ground, covered, not painted, or tiny. It is not in `text`.
    pub hidden: String,
    /// Number of characters outside the visible page, which are left out.
    pub off_page: u64,
    /// Number of glyphs with unknown characters: those left out, and those that U+FFFD and private use characters stand for.
    pub undecoded: u64,
    /// Share of the page covered by images, in percent, at most 100.
    pub picture_percent: u8,
    /// Number of paths and rectangles: table rules, charts, drawings.
    pub paths: u64,
    /// Number of letters that seem to be drawn as paths, and are not in `text` unless invisible letters lie over them.
    pub drawn_letters: u64,
    /// Whether the page has no usable MediaBox, so that its size is assumed.
    pub is_size_assumed: bool,
    /// Whether some of the page's content is damaged. What cannot be read of it is left out.
    pub is_damaged: bool,
    /// The engine that extracted the text.
    pub engine: TextEngine,
}

/// Images that cover less of a page are logos. 3 % is a square of a fifth of the page's width.
const FIGURE_PERCENT: u8 = 3;

/// The most paths on a page of text and tables: a table of 30 rows and a few boxes. Charts have hundreds.
const MAX_RULES: u64 = 60;

/// If one of this many characters is unknown, the text is incomplete. Bullets and odd signs are rarer.
const UNKNOWN_SHARE: u64 = 20;

/// A page with fewer letters and digits has no usable text.
const MIN_USABLE_CHARACTERS: u64 = 10;

/// What is remarked of text that is hidden on a page, with the number of its characters.
pub const HIDDEN_REMARK: &str = "characters hidden on the page and left out";

/// What is remarked of text that was recognised from a picture.
pub const RECOGNISED_REMARK: &str = "read by OCR; may contain errors";

/// What is remarked of letters that are drawn as shapes, with their number.
const DRAWN_REMARK: &str = "letters or more are drawn as shapes and not in this text";

/// The remark on a page without a usable MediaBox.
const SIZE_ASSUMED: &str = "the page has no usable MediaBox, so US Letter is assumed";

/// The remark on a page with damaged content.
const DAMAGED: &str = "some of the page's content is damaged; what cannot be read is left out";

/// Pictures that cover more of a page, in percent, may be what a reader reads.
const COVERING_PERCENT: u8 = 50;

/// A text with fewer letters and digits may be a stamp on a scan.
const SPARSE_CHARACTERS: u64 = 200;

/// A page that draws fewer letters as paths has a logo or a label.
const MIN_DRAWN_LETTERS: u64 = 60;

/// The kind of page, judged by its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PageKind {
    /// The page has text.
    #[default]
    Text,
    /// The page is blank.
    Empty,
    /// The page has images or drawings, and no text.
    Picture,
    /// An image covers the page, and it has no text.
    Scan,
    /// The page has text, but most characters are unknown.
    Undecodable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TextEngine {
    /// The main engine, on hayro-interpret.
    #[default]
    Collector,
    /// The fallback engine, pdf-extract.
    PdfExtract,
    /// The recognition of the page's picture.
    Recognition,
}

/// Whether so many invisible ones of a page's letters are the text layer of a scan.
pub(crate) fn is_hidden_layer(invisible: u64, letters: usize, picture_percent: u8) -> bool {
    picture_percent > COVERING_PERCENT && invisible > u64::try_from(letters / 2).unwrap_or(u64::MAX)
}

checked_on_arrival!(PageText);

impl PageText {
    /// Whether each joint is a place in the text, in order, and the share a percentage.
    fn is_valid(&self) -> bool {
        let is_place = |joint: &u64| usize::try_from(*joint).is_ok_and(|at| self.text.is_char_boundary(at));
        self.joints.is_sorted() && self.joints.iter().all(is_place) && self.picture_percent <= 100
    }
}

impl PageText {
    /// Whether the text alone would be incomplete: the page has figures, or many characters are unknown.
    #[must_use]
    pub fn has_figures(&self) -> bool {
        self.kind != PageKind::Text
            || self.picture_percent >= FIGURE_PERCENT
            || self.paths > MAX_RULES
            || self.lacks_characters()
    }

    /// Whether the text says everything that the page shows, be it that nothing is on it.
    #[must_use]
    pub fn says_all(&self) -> bool {
        self.kind == PageKind::Empty || !self.has_figures()
    }

    /// Whether the text says everything that the page shows besides rules and areas of tables.
    #[must_use]
    pub fn says_all_but_rules(&self) -> bool {
        self.kind == PageKind::Text && self.picture_percent < FIGURE_PERCENT && !self.lacks_characters()
    }

    /// Whether too many characters are unknown.
    fn lacks_characters(&self) -> bool {
        let characters = u64::try_from(self.text.chars().count()).unwrap_or(u64::MAX);
        self.undecoded.saturating_mul(UNKNOWN_SHARE) > characters
    }

    /// Whether the text is usable: enough letters and digits, most of them known.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.kind == PageKind::Text && self.letters() >= MIN_USABLE_CHARACTERS
    }

    /// Whether the text may not be what a reader sees: none, garbage, hidden behind a picture, or little beside what
    /// may be other text.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        match self.kind {
            PageKind::Empty => false,
            PageKind::Picture | PageKind::Scan | PageKind::Undecodable => true,
            PageKind::Text => self.has_hidden_layer() || (self.is_sparse() && self.shows_other_text()),
        }
    }

    /// Whether what the page draws may be text besides `text`: a picture covers it, or letters are drawn as paths.
    fn shows_other_text(&self) -> bool {
        self.picture_percent > COVERING_PERCENT || self.draws_letters()
    }

    /// Whether most letters of the page are drawn as paths.
    fn draws_letters(&self) -> bool {
        self.drawn_letters >= MIN_DRAWN_LETTERS && self.drawn_letters > 2 * self.letters()
    }

    /// Whether most of the text is invisible, over a picture: the text layer of a scan.
    #[must_use]
    pub fn has_hidden_layer(&self) -> bool {
        let letters = self.text.chars().filter(|character| !character.is_whitespace()).count();
        self.kind == PageKind::Text && is_hidden_layer(self.invisible, letters, self.picture_percent)
    }

    /// Whether the text has few letters and digits.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.letters() < SPARSE_CHARACTERS
    }

    /// How many letters and digits the text has.
    #[must_use]
    pub fn letters(&self) -> u64 {
        let letters = self.text.chars().filter(|character| character.is_alphanumeric());
        u64::try_from(letters.count()).unwrap_or(u64::MAX)
    }

    /// Whether the text was recognised from the page's picture.
    #[must_use]
    pub fn is_recognised(&self) -> bool {
        self.engine == TextEngine::Recognition
    }

    /// Whether the page lists titles with their page numbers.
    #[must_use]
    pub fn is_contents(&self) -> bool {
        lists_pages(&self.text)
    }

    /// What a user should know of the page and its text.
    #[must_use]
    pub fn remarks(&self) -> Vec<PageRemark> {
        let kind = match self.kind {
            PageKind::Text => None,
            PageKind::Empty => Some("nothing is drawn there"),
            PageKind::Picture => Some("pictures or drawings, and no text"),
            PageKind::Scan => Some("a picture without text, which may be a scan"),
            PageKind::Undecodable => {
                Some("the text cannot be decoded, since its fonts do not say which characters they show")
            }
        };
        let recognised = self.is_recognised().then(|| PageRemark::plain(RECOGNISED_REMARK));
        let hidden = self.hidden.chars().filter(|character| !character.is_whitespace()).count();
        let counts = [
            (u64::try_from(hidden).unwrap_or(u64::MAX), HIDDEN_REMARK),
            (self.invisible, "characters of this text invisible on the page"),
            (self.off_page, "characters outside the visible page left out"),
            (if self.draws_letters() { self.drawn_letters } else { 0 }, DRAWN_REMARK),
            (self.undecoded, "glyphs for unknown characters, shown as � or left out"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let plain = [(self.is_size_assumed, SIZE_ASSUMED), (self.is_damaged, DAMAGED)];
        let plain = plain.into_iter().filter(|(is_so, _)| *is_so).map(|(_, remark)| PageRemark::plain(remark));
        kind.map(PageRemark::plain)
            .into_iter()
            .chain(recognised)
            .chain(plain)
            .chain(counts.map(|(count, what)| PageRemark::counted(count, what)))
            .collect()
    }
}

/// What a user should know of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRemark {
    /// How many of what is named, where something is counted.
    pub count: Option<u64>,
    /// The remark, after the count.
    pub what: Cow<'static, str>,
}

impl PageRemark {
    /// A remark that counts nothing.
    #[must_use]
    pub fn plain(what: impl Into<Cow<'static, str>>) -> Self {
        Self { count: None, what: what.into() }
    }

    /// A remark on `count` of something, which its first word names in the plural.
    #[must_use]
    pub fn counted(count: u64, what: &'static str) -> Self {
        Self { count: Some(count), what: what.into() }
    }
}

impl fmt::Display for PageRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(1) => write!(f, "1 {}", self.what.replacen("s ", " ", 1)),
            Some(count) => write!(f, "{count} {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
