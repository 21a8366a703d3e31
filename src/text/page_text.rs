//! What there is to say about the text of a page.

/// The text of a page, and what is to be known about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageText {
    /// Lines in reading order; what shows nothing is dropped (controls, overrides of direction, tags).
    pub text: String,
    /// Places in `text`, in bytes, where a hyphen at the end of a line was taken out of a word.
    pub joints: Vec<u64>,
    /// What the page is, where it has no text.
    pub kind: PageKind,
    /// Characters that are drawn with nothing to be seen, as on scans that were read by a machine.
    pub invisible: u64,
    /// Characters outside of the visible page, which are left out.
    pub off_page: u64,
    /// Glyphs of which nobody knows the character: those left out of the text, and those of private use in it.
    pub undecoded: u64,
    /// Share of the page that pictures cover, in percent; 100 at most.
    pub picture_percent: u8,
    /// Paths and rectangles that are drawn: rules of tables, charts, drawings.
    pub paths: u64,
    /// The engine that gave the text.
    pub engine: TextEngine,
}

/// Share of a page from which a picture is more than a logo. 3 %: a square of a fifth of the page's width.
const FIGURE_PERCENT: u8 = 3;

/// Paths that a page of text and tables has at most. 60: a table of 30 rows and a few boxes; charts have hundreds.
const MAX_RULES: u64 = 60;

/// One in so many characters that is unknown is missed. 20: lists have fewer bullets, and formulas fewer odd signs.
const UNKNOWN_SHARE: u64 = 20;

/// Letters and digits below which a page counts as one without usable text.
const MIN_USABLE_CHARACTERS: usize = 10;

/// What a page is as far as text is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageKind {
    /// It has text.
    #[default]
    Text,
    /// Nothing is drawn on it.
    Empty,
    /// Pictures or drawings, and no text.
    Picture,
    /// A picture covers it, and it has no text.
    Scan,
    /// It has text, most of whose characters cannot be told.
    Undecodable,
}

/// What text was read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextEngine {
    /// Our own, on the interpreter that draws pages too.
    #[default]
    Collector,
    /// pdf-extract.
    PdfExtract,
}

impl PageText {
    /// Whether its text alone would leave out what there is to see: pictures of some size, or more than the rules and
    /// boxes of a table.
    #[must_use]
    pub fn has_figures(&self) -> bool {
        self.kind != PageKind::Text
            || self.picture_percent >= FIGURE_PERCENT
            || self.paths > MAX_RULES
            || self.lacks_characters()
    }

    /// Whether so many of its characters are unknown that its text is not what the page says.
    fn lacks_characters(&self) -> bool {
        let characters = u64::try_from(self.text.chars().count()).unwrap_or(u64::MAX);
        self.undecoded.saturating_mul(UNKNOWN_SHARE) > characters
    }

    /// Whether its text is of use: letters or digits that are more than a mark, most of them known.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let letters = self.text.chars().filter(|character| character.is_alphanumeric());
        self.kind == PageKind::Text && letters.take(MIN_USABLE_CHARACTERS).count() == MIN_USABLE_CHARACTERS
    }

    /// What to say of the page beside its text, a sentence each.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let kind = match self.kind {
            PageKind::Text => None,
            PageKind::Empty => Some("nothing is drawn on the page".to_owned()),
            PageKind::Picture => Some("the page has pictures or drawings and no text".to_owned()),
            PageKind::Scan => Some("the page is a picture without text: it may be a scan".to_owned()),
            PageKind::Undecodable => {
                Some("the page's text cannot be decoded: its fonts do not say which characters they show".to_owned())
            }
        };
        let counts = [
            (self.invisible, "characters of it are invisible on the page"),
            (self.off_page, "characters outside of the visible page are left out"),
            (self.undecoded, "glyphs are of unknown characters and not in the text"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        kind.into_iter().chain(counts).collect()
    }
}
