//! The measures: how near an answer is to what is true, each from 0 to 1.

use std::collections::HashMap;

use super::typeset::{Block, Cell, Kind, Table};

/// Texts are the same from this similarity on: a mark more or less is no other text.
const SAME: f64 = 0.9;

/// What was found of what there is: the shared, the given and the true ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) shared: usize,
    pub(super) given: usize,
    pub(super) total: usize,
}

impl std::ops::Add for Found {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { shared: self.shared + other.shared, given: self.given + other.given, total: self.total + other.total }
    }
}

impl Found {
    /// The harmonic mean of precision and recall; 1 where there is nothing and nothing was given.
    pub(super) fn f1(self) -> f64 {
        share(2 * self.shared, self.given + self.total)
    }
}

/// A part of a whole; 1 where there is nothing.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { count(part) / count(whole) }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 1.0 } else { values.iter().sum::<f64>() / count(values.len()) }
}

/// The words of a text without case, marks and hyphens, so that "a-b" and "ab" are the same.
pub(super) fn words(text: &str) -> Vec<String> {
    let letters = |word: &str| word.chars().filter(|mark| mark.is_alphanumeric()).map(on_the_line).collect::<String>();
    let folded = text.split_whitespace().map(letters);
    folded.map(|word| word.to_lowercase()).filter(|word| !word.is_empty()).collect()
}

/// A raised digit as the digit that it is.
fn on_the_line(mark: char) -> char {
    let raised = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit =
        (0..10).zip(raised).find(|(_, other)| *other == mark).and_then(|(digit, _)| char::from_digit(digit, 10));
    digit.unwrap_or(mark)
}

/// How often each item occurs.
fn bag<T: std::hash::Hash + Eq>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut bag = HashMap::new();
    for item in items {
        *bag.entry(item).or_insert(0) += 1;
    }
    bag
}

/// How many items two lists share, as often as both have them.
pub(super) fn common<T: std::hash::Hash + Eq>(
    one: impl IntoIterator<Item = T>,
    other: impl IntoIterator<Item = T>,
) -> usize {
    let other = bag(other);
    bag(one).into_iter().map(|(item, times)| times.min(other.get(&item).copied().unwrap_or(0))).sum()
}

/// 1 less the edit distance as a share of the longer text.
fn similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let (one, other) = (one.chars().collect::<Vec<_>>(), other.chars().collect::<Vec<_>>());
    let longer = one.len().max(other.len());
    1.0 - alignment(&one, &other, |_| 1.0, |a, b| f64::from(u8::from(a != b))) / count(longer)
}

/// Whether two texts are the same but for a tenth. Most pairs are told apart by their letters alone.
fn is_same(one: &str, other: &str) -> bool {
    let longer = one.chars().count().max(other.chars().count());
    one == other || share(common(one.chars(), other.chars()), longer) >= SAME && similarity(one, other) >= SAME
}

/// The cost of the cheapest alignment of two sequences.
fn alignment<T>(one: &[T], other: &[T], single: impl Fn(&T) -> f64, pair: impl Fn(&T, &T) -> f64) -> f64 {
    let mut above = vec![0.0];
    for item in other {
        above.push(above.last().unwrap() + single(item));
    }
    for item in one {
        let mut row = vec![above[0] + single(item)];
        for (at, against) in other.iter().enumerate() {
            let without = (above[at + 1] + single(item)).min(row[at] + single(against));
            row.push(without.min(above[at] + pair(item, against)));
        }
        above = row;
    }
    *above.last().unwrap()
}

// ---- tables

/// Which cells stand beside and below each other: the pairs of neighbours that are not empty.
fn neighbours(table: &Table) -> Vec<(String, String, bool)> {
    let mut places = HashMap::new();
    for (at, cell) in table.cells.iter().enumerate().filter(|(_, cell)| !words(&cell.text).is_empty()) {
        for row in cell.row..cell.row + cell.row_span {
            places.extend((cell.column..cell.column + cell.column_span).map(|column| ((row, column), at)));
        }
    }
    let mut order = places.keys().copied().collect::<Vec<_>>();
    order.sort_unstable();
    let (mut last_in_row, mut last_in_column, mut pairs) = (HashMap::new(), HashMap::new(), Vec::new());
    for (row, column) in order {
        let own = places[&(row, column)];
        let before = [(last_in_row.insert(row, own), true), (last_in_column.insert(column, own), false)];
        pairs.extend(
            before.into_iter().filter_map(|(last, is_row)| Some((last.filter(|last| *last != own)?, own, is_row))),
        );
    }
    pairs.sort_unstable();
    pairs.dedup();
    let text = |at: usize| words(&table.cells[at].text).concat();
    pairs.into_iter().map(|(one, other, is_row)| (text(one), text(other), is_row)).collect()
}

/// 1 less the edit distance of two tables as trees of rows and cells, as a share of the larger.
fn tree_similarity(one: &Table, other: &Table) -> f64 {
    let (one, other) = (rows(one), rows(other));
    let nodes = |rows: &[Vec<&Cell>]| 1 + rows.iter().map(|row| 1 + row.len()).sum::<usize>();
    let cells = |one: &&Cell, other: &&Cell| {
        let spans = |cell: &Cell| (cell.row_span, cell.column_span);
        if spans(one) == spans(other) { 1.0 - similarity(&one.text, &other.text) } else { 1.0 }
    };
    let rows = |one: &Vec<&Cell>, other: &Vec<&Cell>| alignment(one, other, |_| 1.0, cells);
    1.0 - alignment(&one, &other, |row| 1.0 + count(row.len()), rows) / count(nodes(&one).max(nodes(&other)))
}

/// The cells of each row from the left.
fn rows(table: &Table) -> Vec<Vec<&Cell>> {
    let mut rows = vec![Vec::new(); table.cells.iter().map(|cell| cell.row + 1).max().unwrap_or(0)];
    for cell in &table.cells {
        rows[cell.row].push(cell);
    }
    rows.iter_mut().for_each(|row| row.sort_by_key(|cell| cell.column));
    rows
}

/// The area that two rectangles share, as a share of what they cover together.
fn overlap([left, top, right, bottom]: [f64; 4], other: [f64; 4]) -> f64 {
    let width = right.min(other[2]) - left.max(other[0]);
    let height = bottom.min(other[3]) - top.max(other[1]);
    let both = width.max(0.0) * height.max(0.0);
    both / ((right - left) * (bottom - top) + (other[2] - other[0]) * (other[3] - other[1]) - both)
}

/// What was found of the tables of a document.
#[derive(Debug, Default)]
pub(super) struct TableScore {
    pub(super) neighbours: Found,
    pub(super) headers: Found,
    /// Of each true table; 0 where it was not found.
    pub(super) trees: Vec<f64>,
    /// True tables whose area was found with an overlap of a half or more.
    pub(super) placed: usize,
    /// Given tables beyond the true ones.
    pub(super) invented: usize,
}

pub(super) fn tables(truth: &[Table], given: &[Table]) -> TableScore {
    let mut left = given.iter().collect::<Vec<_>>();
    let mut score = TableScore { invented: given.len().saturating_sub(truth.len()), ..TableScore::default() };
    score.neighbours.given = given.iter().map(|table| neighbours(table).len()).sum();
    for table in truth {
        let pairs = neighbours(table);
        score.neighbours.total += pairs.len();
        let shared = |other: &Table| if other.page == table.page { common(&pairs, &neighbours(other)) } else { 0 };
        let best = (0..left.len()).max_by_key(|at| shared(left[*at])).filter(|at| shared(left[*at]) > 0);
        let Some(found) = best.map(|at| left.remove(at)) else {
            score.trees.push(0.0);
            continue;
        };
        score.neighbours.shared += shared(found);
        score.trees.push(tree_similarity(table, found));
        score.placed += usize::from(overlap(table.area, found.area) >= 0.5);
        let headers = |table: &Table| {
            table.cells.iter().filter(|cell| cell.is_header).map(|cell| words(&cell.text)).collect::<Vec<_>>()
        };
        let (own, others) = (headers(table), headers(found));
        score.headers = score.headers + Found { given: others.len(), total: own.len(), shared: common(own, others) };
    }
    score
}

// ---- structure

/// What was found of the structure of a document.
#[derive(Debug, Default)]
pub(super) struct StructureScore {
    /// Headings with their text and level.
    pub(super) headings: Found,
    /// Items with their text, level and kind of list.
    pub(super) items: Found,
    pub(super) paragraphs: Found,
    pub(super) footnotes: Found,
    pub(super) code: Found,
    /// Twice the longest common sequence of words as a share of all words.
    pub(super) order: f64,
    /// Words of running lines that were left out, as a share of them.
    pub(super) clean: f64,
}

pub(super) fn structure(truth: &[Block], running: &[String], given: &[Block]) -> StructureScore {
    let whole = |block: &Block| words(&block.text).join(" ");
    let free = truth.iter().filter(|block| block.kind == Kind::Free).map(whole).collect::<Vec<_>>();
    let found = |kind, is_right: fn(&Block, &Block) -> bool| {
        let counts = |block: &&Block| block.kind == kind && !free.iter().any(|free| is_same(free, &whole(block)));
        let of = |blocks: &[Block]| blocks.iter().filter(counts).cloned().collect::<Vec<_>>();
        matched(&of(truth), &of(given), is_right)
    };
    let text = |blocks: &[Block]| {
        // A note stands at the foot of its page or behind its document; its place is free.
        let in_order = blocks.iter().filter(|block| block.kind != Kind::Footnote);
        in_order.flat_map(|block| words(&block.text)).collect::<Vec<_>>()
    };
    let (true_words, given_words) = (text(truth), text(given));
    let running = running.iter().map(|line| words(line).concat()).collect::<Vec<_>>();
    let lines = given.iter().map(|block| words(&block.text).concat()).collect::<Vec<_>>();
    // The title of a document runs over its pages and stands there once.
    let own = truth.iter().map(|block| words(&block.text).concat()).collect::<Vec<_>>();
    let left_in = common(&running, &lines).saturating_sub(common(&running, &own));
    StructureScore {
        headings: found(Kind::Heading, |one, other| one.level == other.level),
        items: found(Kind::Item, |one, other| one.level == other.level && one.is_ordered == other.is_ordered),
        paragraphs: found(Kind::Paragraph, |_, _| true),
        footnotes: found(Kind::Footnote, |_, _| true),
        code: found(Kind::Code, |_, _| true),
        order: share(2 * longest_common(&true_words, &given_words), true_words.len() + given_words.len()),
        clean: 1.0 - share(left_in, running.len().max(1)),
    }
}

/// Pairs blocks of the same text, each once, and counts those that are right in other ways too.
fn matched(truth: &[Block], given: &[Block], is_right: fn(&Block, &Block) -> bool) -> Found {
    let text = |block: &Block| words(&block.text).join(" ");
    let mut left = given.iter().map(|block| (text(block), block)).collect::<Vec<_>>();
    let mut found = Found { shared: 0, given: given.len(), total: truth.len() };
    for block in truth {
        let own = text(block);
        let at = left.iter().position(|(other, _)| own == *other);
        let at = at.or_else(|| left.iter().position(|(other, _)| is_same(&own, other)));
        found.shared += at.map_or(0, |at| usize::from(is_right(block, left.remove(at).1)));
    }
    found
}

/// The length of the longest sequence that two lists have in common.
fn longest_common(one: &[String], other: &[String]) -> usize {
    let mut above = vec![0; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (at, against) in other.iter().enumerate() {
            let without = above[at].max(above[at + 1]);
            let with = if word == against { diagonal + 1 } else { 0 };
            diagonal = above[at + 1];
            above[at + 1] = without.max(with);
        }
    }
    above[other.len()]
}
