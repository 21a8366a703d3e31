//! Numbers of lines: beside the text of a manuscript, and before the lines of a listing.
//!
//! They count down the page at one edge, in another type than the text, which they are no part of.

use super::bounds::quarters;
use super::code_signs::CodeSigns;
use super::page_structure::{Column, Line, LineRole, LineTag, LineWord, Region};
use super::reading::DirectionReader;
use pagewise_text::{Bounds, PageLayout, Script, Word, rows_of};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of lines with numbers: of a text, and of a listing.
const MIN_LINES: usize = 8;
const MIN_LISTED: usize = 3;
/// A ruler, the numbers at equal distances in the margin of a draft, has at least so many.
const MIN_RULER: usize = 20;
/// The distances of its numbers differ by less, in ems. Numbers that differ by less from the baseline of the text beside them are
/// level with it.
const EVEN_EM: f32 = 0.05;
/// The edges of numbers below each other differ by less, in points.
const SAME_EDGE_PT: f32 = 0.5;
/// The most runs of numbers of a page that are looked at.
const MAX_RUNS: usize = 500;
/// Maximum number of digits.
const MAX_DIGITS: usize = 4;
/// Manuscripts number each line, or each fifth.
const STEPS: [u32; 2] = [1, 5];
/// Maximum size of numbers beside a text, as a share of its size: in its font, and in another one.
const SMALLER: f32 = 0.85;
const SMALLER_IN_OTHER_FONT: f32 = 0.95;
/// Minimum gap between the numbers and what they stand beside, in ems.
const GAP_EM: f32 = 0.3;
/// Minimum gap between the numbers of a page and its text, in ems.
const WIDE_GAP_EM: f32 = 1.0;
/// In prose, more than one of so many numbered lines begins with a small letter.
const SMALL_STARTS: usize = 4;
/// In prose, half of the numbered lines have at least so many words.
const MIN_PROSE_WORDS: usize = 4;
/// The rule between the numbers and the text of a page has at least this share of the page's height.
const PAGE_SHARE: f32 = 0.85;
/// In the typed record of a hearing, more than one in so many numbered lines is empty.
const EMPTY_LINES: usize = 5;
/// At most one row in this many may differ from the others.
const ODD_ROWS: usize = 10;
/// A word above the first number, nearer than this many of its ems, is the head of a column of values.
const HEAD_EM: f32 = 3.0;

/// A word of a page with its index.
type Indexed<'p> = (usize, &'p Word);

/// The indices of the words of a page that are numbers of its lines.
pub(crate) fn find(page: &PageLayout) -> BTreeSet<usize> {
    let upright = page.words.iter().enumerate().filter(|(_, word)| word.turn == 0);
    let (numbers, others): (Vec<_>, Vec<_>) = upright.partition(|(_, word)| number(word).is_some());
    if numbers.len() < MIN_LISTED {
        return BTreeSet::new();
    }
    let rows = Rows::of(numbers.iter().chain(&others).copied().collect());
    let mut types: BTreeMap<(u16, i32), Vec<Indexed>> = BTreeMap::new();
    numbers.iter().for_each(|own| types.entry((own.1.font, quarters(own.1.size))).or_default().push(*own));
    let (mut found, mut runs) = (BTreeSet::new(), MAX_RUNS);
    for edge in [|word: &Word| word.bounds.x1, |word: &Word| word.bounds.x0, |word: &Word| word.bounds.center().0] {
        for own in types.values_mut() {
            own.sort_by(|a, b| edge(a.1).total_cmp(&edge(b.1)));
            let columns = own.chunk_by_mut(|a, b| edge(b.1) - edge(a.1) < SAME_EDGE_PT);
            for column in columns.filter(|column| column.len() >= MIN_LISTED) {
                column.sort_by(|a, b| a.1.baseline.total_cmp(&b.1.baseline));
                let counted = column.chunk_by(|a, b| is_next(a.1, b.1)).filter(|run| run.len() >= MIN_LISTED);
                for run in counted.take(runs) {
                    runs -= 1;
                    let are_numbers = rows.are_beside_text(run, page)
                        || rows.are_ruler(run, page)
                        || rows.are_of_page(run, page)
                        || rows.are_before_code(run);
                    if are_numbers {
                        found.extend(run.iter().map(|(index, _)| *index));
                    }
                }
            }
        }
    }
    found
}

/// A page without some of its words.
pub(crate) fn without(page: &PageLayout, numbers: &BTreeSet<usize>) -> PageLayout {
    let words = page.words.iter().enumerate().filter(|(index, _)| !numbers.contains(index));
    PageLayout { words: words.map(|(_, word)| word.clone()).collect(), ..page.clone() }
}

/// The numbers as one line of a region of its own.
pub(crate) fn region(page: &PageLayout, numbers: &BTreeSet<usize>, reader: &DirectionReader<'_>) -> Option<Region> {
    let words: Vec<&Word> = numbers.iter().filter_map(|index| page.words.get(*index)).collect();
    let lines = reader.lines(&words, &[]);
    let mut words: Vec<LineWord> = lines.iter().flat_map(|line| line.words.iter().cloned()).collect();
    words.iter_mut().for_each(|word| word.is_spaced = true);
    let tag = Some(LineTag { element: 0, role: LineRole::LineNumber, label: 0 });
    let line = Line { words, tag, ..lines.first()?.clone() };
    Some(Region::Column(Column { lines: vec![line], ..Column::default() }))
}

/// The number that a word is, if it may be that of a line. A raised number is the mark of a note.
fn number(word: &Word) -> Option<u32> {
    let is_number = word.text.len() <= MAX_DIGITS
        && word.script != Script::Raised
        && word.text.chars().all(|sign| sign.is_ascii_digit());
    word.text.parse().ok().filter(|_| is_number)
}

fn is_next(above: &Word, below: &Word) -> bool {
    let step = number(above).zip(number(below)).and_then(|(above, below)| below.checked_sub(above));
    step.is_some_and(|step| STEPS.contains(&step)) && below.baseline > above.baseline + 0.5 * below.size
}

/// Whether numbers have equal distances.
fn are_even(run: &[Indexed]) -> bool {
    let baselines = || run.iter().map(|(_, word)| word.baseline);
    let steps = baselines().zip(baselines().skip(1)).map(|(above, below)| below - above);
    let (least, most) = steps.fold((f32::INFINITY, 0.0_f32), |(least, most), step| (least.min(step), most.max(step)));
    run.first().is_some_and(|(_, first)| most - least < EVEN_EM * first.size)
}

/// What stands beside the numbers of lines.
struct NumberedBox<'p> {
    /// The first word of each line, and the number of its words. Values are no lines.
    lines: Vec<(&'p Word, usize)>,
    /// How many lines begin on the other side of the numbers.
    beyond: usize,
    /// Whether a rule as high as the page stands between the numbers and their lines.
    is_divided: bool,
}

/// The words of a page by rows.
struct Rows<'p> {
    rows: Vec<Vec<Indexed<'p>>>,
    /// The row of each word.
    places: BTreeMap<usize, usize>,
}

impl<'p> Rows<'p> {
    fn of(words: Vec<Indexed<'p>>) -> Self {
        let rows = rows_of(words);
        let place = |(at, row): (usize, &Vec<Indexed>)| row.iter().map(|(index, _)| (*index, at)).collect::<Vec<_>>();
        Self { places: rows.iter().enumerate().flat_map(place).collect(), rows }
    }

    /// The words before and after a word on its row.
    fn beside(&self, index: usize) -> (&[Indexed<'p>], &[Indexed<'p>]) {
        let row = self.places.get(&index).and_then(|at| self.rows.get(*at)).map(Vec::as_slice).unwrap_or_default();
        let at = row.iter().position(|(own, _)| *own == index).unwrap_or(0);
        (row.get(..at).unwrap_or_default(), row.get(at + 1..).unwrap_or_default())
    }

    /// Whether numbers stand in the margin of a text: smaller than it, nothing beyond them, and text beside most of them.
    fn are_beside_text(&self, run: &[Indexed], page: &PageLayout) -> bool {
        let Some((_, first)) = run.first().filter(|_| run.len() >= MIN_LINES) else { return false };
        let is_left = first.bounds.x0 < page.width / 2.0;
        let is_free = |(index, own): &&Indexed| {
            let (before, after) = self.beside(*index);
            let (beyond, next) = if is_left { (before, after.first()) } else { (after, before.last()) };
            let is_apart = |(_, other): &Indexed| {
                let gap = (other.bounds.x0 - own.bounds.x1).max(own.bounds.x0 - other.bounds.x1);
                let smaller = if own.font == other.font { SMALLER } else { SMALLER_IN_OTHER_FONT };
                gap > GAP_EM * other.size && own.size < smaller * other.size
            };
            beyond.iter().all(|(_, other)| number(other).is_some()) && next.is_some_and(is_apart)
        };
        let free = run.iter().filter(is_free).count();
        // On a page of two columns, the far column has other baselines, so some numbers have no text beside them.
        2 * free >= run.len() && !self.have_text_beyond(run, is_left) && !self.have_head(run)
    }

    /// Whether numbers are a ruler, as drafts for review have one: in the margin, at equal distances, independent of the lines
    /// beside them, and in another colour or smaller.
    fn are_ruler(&self, run: &[Indexed], page: &PageLayout) -> bool {
        let Some((_, first)) = run.first().filter(|_| run.len() >= MIN_RULER) else { return false };
        let is_left = first.bounds.x0 < page.width / 2.0;
        let next = |(index, _): &Indexed| {
            let (before, after) = self.beside(*index);
            if is_left { after.first() } else { before.last() }.map(|(_, word)| *word)
        };
        let is_level = |own: &&Indexed| {
            next(own).is_some_and(|other| (other.baseline - own.1.baseline).abs() < EVEN_EM * own.1.size)
        };
        let differs = |other: &Word| other.color != first.color || first.size < SMALLER * other.size;
        let level = run.iter().filter(is_level).count();
        are_even(run)
            && run.iter().filter_map(next).all(differs)
            && ODD_ROWS * (run.len() - level) > run.len()
            && !self.have_text_beyond(run, is_left)
            && !self.have_head(run)
    }

    /// Whether numbers in the type of the text count the lines of a page, as in bills, pleadings and records of courts. A sheet
    /// may have several such pages, each in a box. Three things tell them from a numbered list or form, and one is enough: many
    /// lines begin within a sentence, a rule as high as the page divides the numbers from the text, or many lines are empty and
    /// the others typed.
    fn are_of_page(&self, run: &[Indexed], page: &PageLayout) -> bool {
        let Some((_, first)) = run.first().filter(|_| run.len() >= MIN_RULER) else { return false };
        let NumberedBox { lines, beyond, is_divided } = self.box_of(run, page, first.size);
        let is_level = |own: &Word, line: &Word| (line.baseline - own.baseline).abs() < first.size / 2.0;
        let level: Vec<&(&Word, usize)> =
            lines.iter().filter(|(line, _)| run.iter().any(|(_, own)| is_level(own, line))).collect();
        let small = level.iter().filter(|(line, _)| line.text.starts_with(char::is_lowercase)).count();
        let long = level.iter().filter(|(_, words)| *words >= MIN_PROSE_WORDS).count();
        let go_on = 2 * level.len() >= run.len() && SMALL_STARTS * small > level.len() && 2 * long >= level.len();
        let empty = run.iter().filter(|(_, own)| !lines.iter().any(|(line, _)| is_level(own, line))).count();
        let is_typed = 2 * lines.iter().filter(|(line, _)| line.is_monospace).count() > lines.len();
        // Numbers keep the lines of code apart that is not typed.
        let is_code = !is_typed && self.have_code_signs(run);
        let are_ended = is_typed && EMPTY_LINES * empty > run.len() && 4 * lines.len() > run.len();
        let is_divided = is_divided && !lines.is_empty();
        ODD_ROWS * beyond <= run.len() && !is_code && (are_even(run) && (go_on || is_divided) || are_ended)
    }

    /// What stands beside numbers in their box: in the page, or between its upright rules that are higher than they are.
    fn box_of(&self, run: &[Indexed], page: &PageLayout, em: f32) -> NumberedBox<'p> {
        let numbers = Bounds::around(run.iter().map(|(_, word)| word.bounds));
        let is_high = |own: &Bounds| own.y0 < numbers.y0 && own.y1 > numbers.y1;
        let sides = || page.rules.iter().map(|rule| rule.bounds).filter(is_high);
        let left = sides().map(|own| own.x1).filter(|x| *x < numbers.x0).fold(f32::NEG_INFINITY, f32::max);
        let heights = numbers.y0..numbers.y1 + em;
        let lines = |is_own: &dyn Fn(Bounds) -> bool| -> Vec<(&'p Word, usize)> {
            let words = |row: &Vec<Indexed<'p>>| {
                let mut own =
                    row.iter().map(|(_, word)| *word).filter(|word| number(word).is_none() && is_own(word.bounds));
                let first = own
                    .next()
                    .filter(|word| heights.contains(&word.baseline) && word.text.contains(char::is_alphabetic))?;
                Some((first, 1 + own.count()))
            };
            self.rows.iter().filter_map(words).collect()
        };
        let near = lines(&|own| own.x0 - numbers.x1 > WIDE_GAP_EM * em);
        let edge = near.iter().map(|(word, _)| word.bounds.x0).fold(page.width, f32::min);
        let right = sides().map(|own| own.x0).filter(|x| *x > edge).fold(page.width, f32::min);
        NumberedBox {
            lines: lines(&|own| (edge..right).contains(&own.x0)),
            beyond: lines(&|own| left < own.x0 && own.x1 < numbers.x0).len(),
            is_divided: sides()
                .any(|own| (numbers.x1..edge).contains(&own.x0) && own.height() > PAGE_SHARE * page.height),
        }
    }

    /// Whether a word stands directly above the numbers.
    fn have_head(&self, run: &[Indexed]) -> bool {
        let column = Bounds::around(run.iter().map(|(_, word)| word.bounds));
        let Some((_, first)) = run.first() else { return false };
        let is_head = |word: &Word| {
            let distance = (first.baseline - word.baseline) / first.size;
            (0.5..HEAD_EM).contains(&distance) && word.bounds.shared_width(column) > 0.0
        };
        self.rows.iter().flatten().any(|(_, word)| is_head(word))
    }

    /// Whether words stand beyond the numbers, at the height of some of them.
    fn have_text_beyond(&self, run: &[Indexed], is_left: bool) -> bool {
        let (Some((_, first)), Some((_, last))) = (run.first(), run.last()) else { return true };
        let edge = run.iter().map(|(_, word)| if is_left { word.bounds.x0 } else { -word.bounds.x1 });
        let edge = edge.fold(f32::INFINITY, f32::min);
        let is_beyond = |word: &Word| if is_left { word.bounds.x1 < edge } else { -word.bounds.x0 < edge };
        let rows = self.rows.iter().flatten().map(|(_, word)| *word);
        let between = rows.filter(|word| word.baseline >= first.baseline && word.baseline <= last.baseline);
        ODD_ROWS * between.filter(|word| is_beyond(word) && number(word).is_none()).count() > run.len()
    }

    /// Whether what stands after numbers on their rows has the signs of code.
    fn have_code_signs(&self, run: &[Indexed]) -> bool {
        let mut code = CodeSigns::default();
        let words = run.iter().flat_map(|(index, _)| self.beside(*index).1);
        words.for_each(|(_, word)| code.add(&word.text));
        code.are_many()
    }

    /// Whether numbers stand before the lines of a listing, in another type, or from 1 on before what has the signs of code.
    fn are_before_code(&self, run: &[Indexed]) -> bool {
        let Some((_, first)) = run.first().filter(|_| run.len() >= MIN_LISTED) else { return false };
        let lines: Vec<&[Indexed]> = run.iter().map(|(index, _)| self.beside(*index).1).collect();
        let starts = || lines.iter().filter_map(|line| line.first()).map(|(_, word)| *word);
        let is_code = |line: &&&[Indexed]| line.iter().all(|(_, word)| word.is_monospace);
        let differs = |word: &Word| word.font != first.font || word.size > first.size / SMALLER;
        let right = run.iter().map(|(_, word)| word.bounds.x1).fold(0.0, f32::max);
        starts().count() >= MIN_LISTED
            && lines.iter().filter(is_code).count() == lines.len()
            && run.iter().all(|(index, _)| self.beside(*index).0.is_empty())
            && starts().all(|word| word.bounds.x0 - right > GAP_EM * word.size)
            && (starts().all(differs)
                || number(first) == Some(1) && run.len() >= MIN_LINES && self.have_code_signs(run))
    }
}
