//! What type a document is set in: size, leading, margins.

use super::super::bounds::quarters;
use super::super::code_signs::CodeSigns;
use super::super::page_structure::{Line, Region};
use super::DocumentPage;
use super::drafts::Place;
use super::furniture::Furniture;
use super::headings::MUCH_LARGER;
use crate::measures::SAME_SIZE;
use std::collections::BTreeMap;

/// Further lines are not counted.
const MAX_LINES: usize = 200_000;
/// Leadings are between these multiples of the size.
const LEADING_RANGE: std::ops::Range<f32> = 0.85..2.6;
/// Lines further apart than 1.6 times their size, which is not that of the body, show a leading if so many have it.
const MIN_STEPS: usize = 3;
/// A leading counts if it has this share of the votes of the most frequent one.
const LEADING_SHARE: usize = 3;
/// If less than one in so many characters of the body is regular, its type is bold.
const REGULAR_SHARE: usize = 5;
/// If less than one in so many characters is outside code, a document has no prose but headings between its code. Then the
/// statistics are those of all its text.
const BODY_SHARE: usize = 10;

/// What type most of a document is set in.
#[derive(Debug, Clone, Default)]
pub(super) struct TypeStatistics {
    /// The size of most characters of the body.
    pub(super) body_size: f32,
    /// Whether its prose has a fixed pitch: most characters have, and they are no code.
    pub(super) is_monospace: bool,
    /// Whether nearly all characters of the body are bold.
    pub(super) is_bold: bool,
    /// Whether most lines are all capitals.
    pub(super) is_capitals: bool,
    /// The colour of most characters of the body.
    pub(super) color: [u8; 3],
    /// For each page the font of most of its words in the size of the body.
    fonts: Vec<Option<u16>>,
    /// The usual distance of baselines by size, in quarter points.
    leadings: BTreeMap<i32, f32>,
    /// Left edges of columns in points, with the number of lines that begin there.
    origins: BTreeMap<i32, usize>,
    /// The number of lines at the most frequent of them.
    most_at_origin: usize,
}

impl TypeStatistics {
    pub(super) fn of(pages: &[DocumentPage], furniture: &Furniture) -> Self {
        let mut votes = Votes::default();
        let mut count = 0;
        for (page_index, page) in pages.iter().enumerate() {
            let mut columns: Vec<Vec<&Line>> = Vec::new();
            for (region_index, region) in page.structure.regions.iter().enumerate() {
                let Region::Column(column) = region else { continue };
                let place = Place { page: page_index, region: region_index };
                let kept = |index: usize| !furniture.contains(place, index);
                let lines = column.lines.iter().enumerate().filter(|(index, _)| kept(*index)).map(|(_, line)| line);
                columns.push(lines.take(MAX_LINES.saturating_sub(count)).collect());
                count += columns.last().map_or(0, Vec::len);
            }
            leave_out_title(&mut columns);
            columns.iter().for_each(|lines| votes.add(lines));
        }
        let mut statistics = votes.statistics();
        statistics.fonts = pages.iter().map(|page| body_font(page, statistics.body_size)).collect();
        statistics
    }

    /// The font of most of a page's text.
    pub(super) fn font(&self, page: usize) -> Option<u16> {
        self.fonts.get(page).copied().flatten()
    }

    /// The usual distance of baselines of text of a size.
    pub(super) fn leading(&self, size: f32) -> f32 {
        let key = quarters(size);
        let near = self.leadings.range(key - 1..=key + 1).min_by_key(|(other, _)| (**other - key).abs());
        near.map_or(1.25 * size, |(_, leading)| *leading)
    }

    /// The left edge of the column in which text that begins at `left` stands.
    pub(super) fn origin(&self, left: f32, em: f32) -> f32 {
        let key = quarters(left);
        let is_common = |count: usize| 5 * count >= self.most_at_origin;
        let near = self.origins.range(key - quarters(12.0 * em)..=key + 4).rev();
        let common = near.filter(|(_, count)| is_common(**count)).map(|(edge, _)| *edge).next();
        #[expect(clippy::cast_precision_loss, reason = "page coordinates are small")]
        common.map_or(left, |edge| (edge as f32 / 4.0).min(left))
    }
}

/// The looks of text, as counted.
type Look = (i32, bool, bool, [u8; 3]);

#[derive(Default)]
struct Votes {
    looks: BTreeMap<Look, usize>,
    leadings: BTreeMap<i32, BTreeMap<i32, usize>>,
    origins: BTreeMap<i32, usize>,
    lines: usize,
    capital_lines: usize,
    /// What has a fixed pitch.
    code: CodeSigns,
}

impl Votes {
    /// Whether text of a size is bold but for exceptions. If both weights are usual, the bold one says something.
    fn is_bold(&self, size: f32) -> bool {
        let is_body = |own: i32| (quarters(size) - own).abs() <= quarters(SAME_SIZE * size);
        let count = |is_meant: &dyn Fn(&Look) -> bool| -> usize {
            let meant = self.looks.iter().filter(|(look, _)| is_body(look.0) && is_meant(look));
            meant.map(|(_, count)| *count).sum()
        };
        REGULAR_SHARE * count(&|look| !look.2) < count(&|_| true)
    }

    fn add(&mut self, lines: &[&Line]) {
        for line in lines {
            for word in &line.words {
                let style = &word.style;
                let look = (quarters(style.size), style.is_monospace, style.is_bold, style.color);
                *self.looks.entry(look).or_default() += word.text.chars().count();
                if style.is_monospace {
                    self.code.add(&word.text);
                }
            }
        }
        self.lines += lines.len();
        self.capital_lines += lines.iter().filter(|line| line.is_capitals()).count();
        for pair in lines.windows(2) {
            if let [above, below] = pair {
                self.add_leading(above, below);
            }
        }
        let left = lines.iter().map(|line| quarters(line.bounds.x0)).min().unwrap_or(0);
        let at_left = lines.iter().filter(|line| quarters(line.bounds.x0) <= left + 4).count();
        *self.origins.entry(left).or_default() += at_left;
    }

    fn add_leading(&mut self, above: &Line, below: &Line) {
        let (size, step) = (quarters(above.size), below.baseline - above.baseline);
        if size == quarters(below.size) && LEADING_RANGE.contains(&(step / above.size)) {
            *self.leadings.entry(size).or_default().entry(quarters(step)).or_default() += 1;
        }
    }

    fn statistics(self) -> TypeStatistics {
        let all: usize = self.looks.values().sum();
        let is_monospace = 2 * self.code.characters > all && !self.code.are_many();
        let body = if is_monospace { self.code.characters } else { all - self.code.characters };
        let is_small = BODY_SHARE * body < all;
        let most = |key: &dyn Fn(&Look) -> i64| {
            let mut sums: BTreeMap<i64, usize> = BTreeMap::new();
            let own = self.looks.iter().filter(|(look, _)| is_small || look.1 == is_monospace);
            own.for_each(|(look, count)| *sums.entry(key(look)).or_default() += count);
            sums.into_iter().max_by_key(|(_, count)| *count).map_or(0, |(value, _)| value)
        };
        let color = most(&|look| look.3.iter().fold(0, |sum, part| sum * 256 + i64::from(*part)));
        let byte = |shift: i64| u8::try_from((color >> shift) & 255).unwrap_or(0);
        let size = i16::try_from(most(&|look| i64::from(look.0))).unwrap_or(48);
        let body_size = (f32::from(size) / 4.0).max(0.25);
        TypeStatistics {
            body_size,
            is_monospace,
            is_bold: self.is_bold(body_size),
            is_capitals: 2 * self.capital_lines > self.lines,
            color: [byte(16), byte(8), byte(0)],
            leadings: self
                .leadings
                .iter()
                .filter_map(|(own, steps)| Some((*own, leading(*own, i32::from(size), steps)?)))
                .collect(),
            most_at_origin: self.origins.values().copied().max().unwrap_or(0),
            origins: self.origins,
            fonts: Vec::new(),
        }
    }
}

/// Takes out the first line of a page if it is much larger than all others: on a page with little text it would be the body. One
/// with marks of notes is.
fn leave_out_title(columns: &mut [Vec<&Line>]) {
    let largest = columns.iter().flatten().skip(1).map(|line| line.size).reduce(f32::max);
    let Some(first) = columns.iter_mut().find(|lines| !lines.is_empty()) else { return };
    let is_larger = |line: &Line| largest.is_some_and(|size| line.size >= MUCH_LARGER * size);
    let is_title = |line: &&Line| is_larger(line) && !line.words.iter().any(|word| word.is_raised);
    if first.first().is_some_and(is_title) {
        first.remove(0);
    }
}

/// The font of most words of a page that have the size of the body.
fn body_font(page: &DocumentPage, size: f32) -> Option<u16> {
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    let words = page.structure.lines().flat_map(|line| &line.words);
    for word in words.filter(|word| quarters(word.style.size) == quarters(size)) {
        *counts.entry(word.style.font).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(font, _)| font)
}

/// The smallest frequent distance. A few lines in another size than the body show none if they stand far apart.
fn leading(size: i32, body_size: i32, steps: &BTreeMap<i32, usize>) -> Option<f32> {
    let most = steps.values().copied().max().unwrap_or(0);
    let usual = steps.iter().find(|(_, count)| LEADING_SHARE * **count >= most).map_or(0, |(step, _)| *step);
    let is_shown = size == body_size || most >= MIN_STEPS || 5 * usual <= 8 * size;
    is_shown.then_some(f32::from(i16::try_from(usual).unwrap_or(i16::MAX)) / 4.0)
}
