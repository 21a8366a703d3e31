//! Drafts: lines that belong together, before it is known what they are.

mod algorithms;
mod dividers;
mod formulas;
mod item_starts;
mod markers;
mod room;
mod spacing;
mod splitting;

pub(super) use dividers::Dividers;
pub(super) use item_starts::RecentMarkers;
pub(super) use markers::Marker;
pub(crate) use markers::marker;
pub(super) use room::Room;
pub(super) use spacing::{hangs_below, is_long, labelled_text};
pub(super) use splitting::{Evidence, is_labelled, split};

use super::furniture::RunningRow;
use super::mirror::mirror;
use crate::page_structure::{Figure, Line, LineRole, LineTag, PageStructure, Region, Style, TableArea};
use pagewise_text::Bounds;

/// Where a draft begins: indices of a page and of a region of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) page: usize,
    pub(super) region: usize,
}

/// What a draft is taken for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DraftKind {
    Paragraph {
        depth: u8,
    },
    Heading {
        level: u8,
    },
    Item {
        depth: u8,
    },
    Entry,
    /// A label of a chart or a diagram.
    Label,
    Code,
    Quote,
    Aside,
    Caption,
    Footnote {
        label: String,
    },
    /// A running line that stays.
    Running,
    /// A running line that is left out.
    LeftOut,
    Table(TableArea),
    Figure(Figure),
    /// Its lines have become part of an earlier draft, which begins on the page of this index.
    Joined {
        page: usize,
    },
}

impl DraftKind {
    /// What the structure tree takes an element for. Notes are found by their label.
    fn of_role(role: LineRole) -> Self {
        match role {
            LineRole::Heading(level) => Self::Heading { level },
            LineRole::Paragraph(depth) => Self::Paragraph { depth },
            LineRole::Item(depth) => Self::Item { depth },
            LineRole::Code => Self::Code,
            LineRole::Quote => Self::Quote,
            LineRole::Caption => Self::Caption,
            LineRole::Note => Self::Paragraph { depth: 0 },
            LineRole::Furniture => Self::Running,
            LineRole::LineNumber => Self::LeftOut,
        }
    }
}

/// Lines of one column that belong together.
#[derive(Debug, Clone)]
pub(super) struct Draft<'a> {
    pub(super) place: Place,
    pub(super) turn: u16,
    /// Whether its column is mirrored.
    pub(super) is_mirrored: bool,
    pub(super) lines: Vec<&'a Line>,
    /// The number of its own lines. Those after are joined from other columns.
    pub(super) own_lines: usize,
    /// For joined lines: the first line, and its page.
    pub(super) joints: Vec<(usize, usize)>,
    pub(super) kind: DraftKind,
    /// What the structure tree says of its first line.
    pub(super) tag: Option<LineTag>,
    pub(super) marker: Option<Marker>,
    /// The left edge of the text of the column in which it ends, and the right one.
    pub(super) origin: f32,
    pub(super) right: f32,
    /// The distance from the baseline above, in leadings. Infinite for the first of a column.
    pub(super) space_above: f32,
    /// Whether it is a displayed formula of several rows.
    pub(super) is_formula: bool,
    /// Whether its last line leaves room for the word that follows.
    pub(super) ends_early: bool,
    pub(super) opens_column: bool,
    pub(super) closes_column: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new(place: Place, kind: DraftKind, lines: Vec<&'a Line>) -> Self {
        Self {
            place,
            turn: 0,
            is_mirrored: false,
            own_lines: lines.len(),
            lines,
            joints: Vec::new(),
            kind,
            tag: None,
            marker: None,
            origin: 0.0,
            right: 0.0,
            space_above: f32::INFINITY,
            is_formula: false,
            ends_early: false,
            opens_column: false,
            closes_column: false,
        }
    }

    pub(super) fn of_table(place: Place, table: TableArea) -> Self {
        Self::new(place, DraftKind::Table(table), Vec::new())
    }

    pub(super) fn of_figure(place: Place, figure: &Figure) -> Self {
        Self::new(place, DraftKind::Figure(figure.clone()), Vec::new())
    }

    /// A row of running lines.
    pub(super) fn of_running(page: usize, structure: &'a PageStructure, row: &RunningRow) -> Option<Self> {
        let column = |region: usize| structure.regions.get(region).and_then(Region::column);
        let lines = row.lines.iter().filter_map(|(region, line)| column(*region)?.lines.get(*line)).collect();
        let (region, _) = row.lines.first()?;
        let own = column(*region)?;
        let kind = if row.is_left_out { DraftKind::LeftOut } else { DraftKind::Running };
        let place = Place { page, region: *region };
        Some(Self { turn: own.turn, is_mirrored: own.is_mirrored, ..Self::new(place, kind, lines) })
    }

    /// Makes it a label of a chart. What looks like the marker of an item is part of the label.
    pub(super) fn make_label(&mut self) {
        self.kind = DraftKind::Label;
        self.marker = None;
    }

    /// Whether text follows on the baseline of its last line, so that it is a heading in the first line of its section.
    pub(super) fn is_run_in(&self) -> bool {
        self.lines.last().is_some_and(|line| line.is_run_in)
    }

    /// Whether it is a running line or a note.
    pub(super) fn is_outside_text(&self) -> bool {
        matches!(self.kind, DraftKind::Running | DraftKind::LeftOut | DraftKind::Footnote { .. })
    }

    pub(super) fn is_paragraph(&self) -> bool {
        matches!(self.kind, DraftKind::Paragraph { .. })
    }

    /// Whether it is a paragraph that may be anything else.
    pub(super) fn is_free(&self) -> bool {
        self.kind == DraftKind::Paragraph { depth: 0 }
    }

    /// Whether the structure tree takes it for a note.
    pub(super) fn is_tagged_note(&self) -> bool {
        self.tag.is_some_and(|tag| tag.role == LineRole::Note)
    }

    /// Whether both are parts of one element of the structure tree.
    pub(super) fn is_same_element(&self, other: &Self) -> bool {
        self.tag.is_some() && self.tag.map(|tag| tag.element) == other.tag.map(|tag| tag.element)
    }

    pub(super) fn size(&self) -> f32 {
        self.lines.first().map_or(1.0, |line| line.size)
    }

    pub(super) fn len(&self) -> usize {
        self.lines.iter().map(|line| line.len()).sum()
    }

    /// Of the lines on its own page, in the frame of its column.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds::around(self.lines.iter().take(self.own_lines).map(|line| line.bounds))
    }

    /// Where they are on their page.
    pub(super) fn bounds_on(&self, page: &PageStructure) -> Bounds {
        let own = self.bounds();
        page.frame(self.turn).to_page(if self.is_mirrored { mirror(own, page.width) } else { own })
    }

    /// The lines of the column in which it ends.
    pub(super) fn last_part(&self) -> &[&'a Line] {
        let first = self.joints.last().map_or(0, |(first, _)| *first);
        self.lines.get(first..).unwrap_or_default()
    }

    /// The index of the page on which it ends.
    pub(super) fn last_page(&self) -> usize {
        self.page_of(self.lines.len().saturating_sub(1))
    }

    pub(super) fn page_of(&self, line: usize) -> usize {
        let joint = self.joints.partition_point(|(first, _)| *first <= line).checked_sub(1);
        joint.and_then(|joint| self.joints.get(joint)).map_or(self.place.page, |(_, page)| *page)
    }

    pub(super) fn first_left(&self) -> f32 {
        self.lines.first().map_or(0.0, |line| line.bounds.x0)
    }

    /// The left edge of its text: of the lines after the first, else after the marker.
    pub(super) fn text_left(&self) -> f32 {
        let rest = self.lines.iter().skip(1).map(|line| line.bounds.x0).fold(f32::INFINITY, f32::min);
        let first = self.marker.as_ref().map_or(self.first_left(), |marker| marker.text_left);
        if rest.is_finite() { rest } else { first }
    }

    pub(super) fn is_all(&self, condition: impl Fn(&Line) -> bool) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| condition(line))
    }

    /// The share of its letters and digits whose style satisfies a condition.
    pub(super) fn share(&self, condition: impl Fn(&Style) -> bool) -> f32 {
        let (mut all, mut some) = (0.0, 0.0);
        for word in self.lines.iter().flat_map(|line| &line.words) {
            let length = word.text.chars().filter(|sign| sign.is_alphanumeric()).map(|_| 1.0_f32).sum::<f32>();
            all += length;
            some += if condition(&word.style) { length } else { 0.0 };
        }
        if all > 0.0 { some / all } else { 0.0 }
    }

    pub(super) fn has_raised_word(&self) -> bool {
        self.lines.iter().any(|line| line.words.iter().any(|word| word.is_raised))
    }

    /// Its text, without line ends.
    pub(super) fn text(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|line| line.text()).collect();
        lines.join(" ")
    }

    /// The last character that is not a closing quote or bracket.
    pub(super) fn last_sign(&self) -> Option<char> {
        let text = self.lines.last()?.words.last().map(|word| word.text.as_str())?;
        text.chars().rev().find(|c| !matches!(c, '"' | '”' | '’' | '\'' | ')' | ']' | '»' | '“'))
    }

    pub(super) fn ends_sentence(&self) -> bool {
        self.last_sign()
            .is_some_and(|sign| matches!(sign, '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？' | '؟' | '۔'))
    }

    /// Whether it begins with a small letter.
    pub(super) fn begins_small(&self) -> bool {
        self.lines.first().is_some_and(|line| line.begins_small())
    }
}
