//! Merges stacks of upright East Asian glyphs into lines of vertical writing.
//!
//! Programs without vertical writing stack glyphs by hand, so each glyph is a line of its own. Glyphs are a stack if they
//! are closer to those above and below than to those beside them. Ordinary lines of one glyph are more than 1.25 em
//! apart, and list labels have text beside them; these are no stacks.

use super::lines::{LineGlyph, PART_EM, SIZE_RATIO, TextLine};
use super::word_gaps::SPACE_EM;
use crate::glyphs::{PlacedGlyph, WritingDirection, row_of};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most glyphs side by side in a stack, such as a year.
const MAX_ABREAST: usize = 4;

/// The largest width of a cell, in ems: three digits are wider than the column.
const WIDTH_EM: f64 = 1.75;

/// Ruby is smaller than the sign that it stands beside by this factor.
const RUBY_FACTOR: f64 = 0.65;

/// The largest gap between the parts of a column: a space has an em. Stacks of so many cells are parts of one, and a number may
/// stand above them.
const SPACE_GAP_EM: f64 = 1.2;
/// Beside a sign of such a script a narrower gap is no space.
const WIDE_SPACE_EM: f64 = 0.6;
const MIN_PART: usize = 3;

/// The height of a glyph above its baseline, as a share of an em; the rest is below.
const ASCENT_EM: f64 = 0.88;

/// The largest gap between a glyph and the next one below, as a share of an em.
const GAP_EM: f64 = 0.25;

/// The largest overlap of two glyphs, as a share of an em.
const OVERLAP_EM: f64 = 0.15;

/// The largest difference of the middles of two glyphs, as a share of an em.
const MIDDLE_EM: f64 = 0.25;

/// The same for rotated words in a column, which are positioned by their baseline.
const LYING_EM: f64 = 0.5;

/// The largest distance from a list label to its text, in ems.
const LABEL_EM: f64 = 3.0;

/// The grid in which columns and baselines are looked up, in points.
const GRID_PT: f64 = 4.0;

/// The most stacks that a cell is compared with.
const MAX_COMPARED: usize = 32;

/// A line that may be part of a stack, in coordinates of the column.
#[derive(Debug, Clone, Copy)]
struct StackCell {
    line: usize,
    column: WritingDirection,
    top: f64,
    bottom: f64,
    /// The middle of the column, across columns.
    middle: f64,
    size: f64,
    kind: CellKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    /// One upright East Asian glyph.
    EastAsian,
    /// Upright glyphs of another script.
    Other,
    /// Rotated text in the direction of the column.
    Lying,
}

impl StackCell {
    fn upright(at: usize, line: &TextLine) -> Option<Self> {
        let is_narrow = line.glyphs.len() <= MAX_ABREAST && line.end - line.start <= WIDTH_EM * line.size;
        let (first, rest) = line.glyphs.split_first().filter(|_| is_narrow)?;
        let is_east_asian = rest.is_empty() && first.glyph.text.first().is_some_and(is_upright);
        Some(Self {
            line: at,
            column: line.direction.after_quarter_turn(),
            top: line.across - ASCENT_EM * line.size,
            bottom: line.across + (1.0 - ASCENT_EM) * line.size,
            middle: -f64::midpoint(line.start, line.end),
            size: line.size,
            kind: if is_east_asian { CellKind::EastAsian } else { CellKind::Other },
        })
    }

    fn lying(at: usize, line: &TextLine) -> Self {
        let (column, top, bottom) = (line.direction, line.start, line.end);
        Self { line: at, column, top, bottom, middle: line.across, size: line.size, kind: CellKind::Lying }
    }

    /// Whether this cell is below `above`, after a gap of at most so many ems.
    fn follows(&self, above: &Self, gap: f64) -> bool {
        let (small, large) = (self.size.min(above.size), self.size.max(above.size));
        let off = if self.kind == above.kind { MIDDLE_EM } else { LYING_EM };
        self.column == above.column
            && large <= small * SIZE_RATIO
            && (self.middle - above.middle).abs() <= off * small
            && (-OVERLAP_EM * small..=gap * small).contains(&(self.top - above.bottom))
    }

    /// The glyphs of the cell, arranged along the column.
    fn glyphs(&self, line: &TextLine) -> Vec<LineGlyph> {
        if self.kind == CellKind::Lying {
            return line.glyphs.clone();
        }
        let count = line.glyphs.iter().map(|_| 1.0).sum::<f64>();
        let height = (self.bottom - self.top) / count;
        let mut start = self.top;
        let mut glyphs = Vec::with_capacity(line.glyphs.len());
        for LineGlyph { glyph, .. } in &line.glyphs {
            let glyph = PlacedGlyph {
                direction: self.column,
                start,
                end: start + height,
                across: self.middle,
                ..glyph.clone()
            };
            start += height;
            glyphs.push(LineGlyph::new(glyph, false));
        }
        glyphs
    }
}

/// Merges each stack into one line, at the position of its first glyph.
pub(crate) fn merge_stacks(lines: Vec<TextLine>) -> Vec<TextLine> {
    if find_stacks(cells(&lines), &lines).is_empty() {
        return lines;
    }
    let lines: Vec<TextLine> = lines.into_iter().flat_map(without_ruby).collect();
    let stacks = find_stacks(cells(&lines), &lines);
    let mut merged = HashMap::new();
    let mut used_lines = BTreeSet::new();
    for stack in stacks {
        used_lines.extend(stack.iter().map(|cell| cell.line));
        if let Some((first, line)) = stack.iter().map(|cell| cell.line).min().zip(column(&stack, &lines)) {
            merged.insert(first, line);
        }
    }
    let kept = lines.into_iter().enumerate();
    kept.filter_map(|(at, line)| merged.remove(&at).or_else(|| (!used_lines.contains(&at)).then_some(line))).collect()
}

/// A glyph of a column and the ruby beside it as lines of their own.
fn without_ruby(line: TextLine) -> Vec<TextLine> {
    let is_alike = |one: &LineGlyph, other: &LineGlyph| {
        let (one, other) = (one.glyph.size, other.glyph.size);
        one.min(other) > RUBY_FACTOR * one.max(other)
    };
    if line.glyphs.len() > MAX_ABREAST
        || line.glyphs.iter().zip(line.glyphs.iter().skip(1)).all(|(a, b)| is_alike(a, b))
    {
        return vec![line];
    }
    line.glyphs.chunk_by(is_alike).filter_map(TextLine::of).collect()
}

/// The lines that may be cells of stacks, from top to bottom.
fn cells(lines: &[TextLine]) -> Vec<StackCell> {
    let mut cells = lines.iter().enumerate().filter_map(|(at, line)| StackCell::upright(at, line)).collect::<Vec<_>>();
    let columns =
        cells.iter().filter(|cell| cell.kind == CellKind::EastAsian).map(|cell| cell.column).collect::<BTreeSet<_>>();
    cells.retain(|cell| columns.contains(&cell.column));
    if columns.is_empty() {
        return cells;
    }
    let lying = lines.iter().enumerate().filter(|(_, line)| columns.contains(&line.direction));
    cells.extend(lying.map(|(at, line)| StackCell::lying(at, line)));
    cells.sort_by(|a, b| a.top.total_cmp(&b.top));
    cells
}

fn find_stacks(cells: Vec<StackCell>, lines: &[TextLine]) -> Vec<Vec<StackCell>> {
    let touches = |above: &[StackCell], below: &[StackCell]| match (above.last(), below.first()) {
        (Some(above), Some(below)) => below.follows(above, GAP_EM),
        _ => false,
    };
    let mut stacks = joined(cells.into_iter().map(|cell| vec![cell]).collect(), touches);
    if !stacks.iter().any(|stack| is_east_asian(stack)) {
        return Vec::new();
    }
    let rows = BaselineRows::of(lines);
    let is_stack = |stack: &[StackCell]| is_east_asian(stack) && !rows.contain_most_of(stack, lines);
    stacks.retain(|stack| stack.len() == 1 || is_stack(stack));
    let mut stacks = joined(stacks, is_after_space);
    stacks.retain(|stack| is_east_asian(stack));
    stacks
}

/// Whether a stack goes on below a space, or below the number with which it begins.
fn is_after_space(above: &[StackCell], below: &[StackCell]) -> bool {
    let (Some(last), Some(first)) = (above.last(), below.first()) else { return false };
    let is_number = above.len() == 1 && last.kind == CellKind::Other;
    let is_part = below.len() >= MIN_PART && (above.len() > 1 || is_number)
        || above.len() >= MIN_PART && first.kind == CellKind::EastAsian;
    is_part && first.follows(last, SPACE_GAP_EM)
}

/// Parts of stacks, from top to bottom, and those that follow them.
fn joined(parts: Vec<Vec<StackCell>>, follows: impl Fn(&[StackCell], &[StackCell]) -> bool) -> Vec<Vec<StackCell>> {
    let mut stacks: Vec<Vec<StackCell>> = Vec::new();
    let mut by_middle: HashMap<(WritingDirection, i64), Vec<usize>> = HashMap::new();
    for part in parts {
        let Some(first) = part.first() else { continue };
        let grid = grid(first.middle);
        let near = [grid, grid - 1, grid + 1].into_iter().filter_map(|grid| by_middle.get(&(first.column, grid)));
        let mut near = near.flat_map(|stacks| stacks.iter().rev().take(MAX_COMPARED)).copied();
        let above = near.find(|at| stacks.get(*at).is_some_and(|above| follows(above, &part)));
        match above.and_then(|at| stacks.get_mut(at)) {
            Some(stack) => stack.extend(part),
            None => {
                by_middle.entry((first.column, grid)).or_default().push(stacks.len());
                stacks.push(part);
            }
        }
    }
    stacks
}

fn is_east_asian(stack: &[StackCell]) -> bool {
    let count = |kind| stack.iter().filter(|cell| cell.kind == kind).count();
    let (east_asian, other) = (count(CellKind::EastAsian), count(CellKind::Other));
    east_asian >= 2 && east_asian >= 2 * other
}

fn column(stack: &[StackCell], lines: &[TextLine]) -> Option<TextLine> {
    let (first, last) = (stack.first()?, stack.last()?);
    let mut glyphs: Vec<LineGlyph> = Vec::new();
    for cell in stack {
        let mut more = cell.glyphs(lines.get(cell.line)?);
        if let (Some(last), Some(next)) = (glyphs.last(), more.first_mut()) {
            let is_beside_upright = [last, &*next].iter().any(|own| own.glyph.text.first().is_some_and(is_upright));
            next.is_spaced = next.gap_after(last) > if is_beside_upright { WIDE_SPACE_EM } else { SPACE_EM };
        }
        glyphs.append(&mut more);
    }
    let upright = stack.iter().find(|cell| cell.kind == CellKind::EastAsian)?;
    let (direction, across, size) = (first.column, upright.middle, upright.size);
    // Words that lie in the column stand beside its middle, on a baseline of their own.
    glyphs.iter_mut().for_each(|own| own.baseline = across);
    let (start, end) = (first.top, last.bottom);
    Some(TextLine { direction, start, end, across, size, least_space: SPACE_EM, glyphs, is_among_left: false })
}

/// Lines by baseline, sorted from left to right.
struct BaselineRows(BTreeMap<(WritingDirection, i64), Vec<(f64, usize)>>);

impl BaselineRows {
    fn of(lines: &[TextLine]) -> Self {
        let mut rows: BTreeMap<(WritingDirection, i64), Vec<(f64, usize)>> = BTreeMap::new();
        for (at, line) in lines.iter().enumerate() {
            rows.entry((line.direction, grid(line.across))).or_default().push((line.start, at));
        }
        for row in rows.values_mut() {
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Self(rows)
    }

    /// Whether most glyphs of a stack belong to rows instead.
    fn contain_most_of(&self, stack: &[StackCell], lines: &[TextLine]) -> bool {
        let gaps = stack.windows(2).filter_map(|pair| match pair {
            [above, below] => Some(below.top - above.bottom),
            _ => None,
        });
        let gap = gaps.fold(0.0, f64::max);
        let upright = stack.iter().filter(|cell| cell.kind != CellKind::Lying);
        let (in_rows, all) = upright.fold((0_usize, 0_usize), |(in_rows, all), cell| {
            let is_in_row = lines.get(cell.line).is_some_and(|line| self.has_neighbour(cell, line, gap, lines));
            (in_rows + usize::from(is_in_row), all + 1)
        });
        in_rows * 2 > all
    }

    /// Whether a cell belongs to text beside it, which is closer than the next cell, or the text of a list label.
    fn has_neighbour(&self, cell: &StackCell, line: &TextLine, gap: f64, lines: &[TextLine]) -> bool {
        let row = grid(line.across);
        let rows = [row, row - 1, row + 1].into_iter().filter_map(|row| self.0.get(&(line.direction, row)));
        let mut beside = rows.flat_map(|row| {
            let at = row.partition_point(|(start, _)| *start < line.start);
            let after = row.get(at..).unwrap_or_default().iter().take(2);
            row.get(..at).unwrap_or_default().iter().rev().take(1).chain(after)
        });
        beside.any(|(_, at)| {
            let Some(other) = lines.get(*at).filter(|_| *at != cell.line) else { return false };
            let apart = (other.start - line.end).max(line.start - other.end);
            let is_label = other.glyphs.len() > 1 && apart <= LABEL_EM * line.size;
            let is_near = apart < gap - PART_EM * line.size.min(other.size);
            line.is_level_with(other) && (is_label || is_near)
        })
    }
}

fn grid(place: f64) -> i64 {
    row_of(place, GRID_PT)
}

/// Whether a character is East Asian and upright in vertical writing (UAX 50, roughly).
pub(super) fn is_upright(character: char) -> bool {
    matches!(
        character,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{A4CF}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FAFF}' | '\u{FE10}'..='\u{FE1F}' | '\u{FE30}'..='\u{FE6F}' | '\u{FF00}'..='\u{FFEF}'
            | '\u{1B000}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::lines::group_into_lines;
    use crate::layout::{plain_text, reading_order};

    /// Glyphs of an em of 10 at `x` and `y`, as they are drawn, from the top down.
    fn glyphs(text: &str, x: f64, y: f64, step: [f64; 2]) -> Vec<PlacedGlyph> {
        let mut at = [x, y];
        let mut glyphs = Vec::new();
        for character in text.chars() {
            let advance = if character.is_ascii() { 5.0 } else { 10.0 };
            glyphs.push(PlacedGlyph::character(character, at[0], at[0] + advance, at[1], 10.0));
            at = [at[0] + step[0], at[1] + step[1]];
        }
        glyphs
    }

    fn read(glyphs: Vec<PlacedGlyph>) -> String {
        plain_text::write_blocks(&reading_order::order_blocks(merge_stacks(group_into_lines(glyphs))))
    }

    #[test]
    fn glyphs_under_each_other_are_a_column_and_columns_go_to_the_left() {
        let column = |text, x| glyphs(text, x, 0.0, [0.0, 11.0]);
        assert_eq!(read(column("活字は歩く", 50.0)), "活字は歩く");
        let drawn_to_the_left = [column("上から下へ。", 50.0), column("右から左へ。", 32.0)].concat();
        assert_eq!(read(drawn_to_the_left), "上から下へ。\n右から左へ。");
        let drawn_to_the_right = [column("右から左へ。", 32.0), column("上から下へ。", 50.0)].concat();
        assert_eq!(read(drawn_to_the_right), "上から下へ。\n\n右から左へ。");
    }

    #[test]
    fn a_number_abreast_belongs_to_its_column() {
        let year = [
            glyphs("平成", 50.0, 0.0, [0.0, 10.0]),
            glyphs("25", 50.0, 20.0, [5.0, 0.0]),
            glyphs("年", 50.0, 30.0, [0.0, 10.0]),
        ];
        assert_eq!(read(year.concat()), "平成25年");
    }

    #[test]
    fn numbers_of_three_digits_spaces_and_ruby_leave_a_column_whole() {
        let mut small = glyphs("へ", 61.0, 21.0, [0.0, 5.0]);
        small.iter_mut().for_each(|glyph| (glyph.size, glyph.end) = (5.0, glyph.start + 5.0));
        let column = [
            glyphs("1", 52.0, -20.0, [0.0, 10.0]),
            glyphs("約", 50.0, 0.0, [0.0, 10.0]),
            glyphs("144", 47.5, 10.0, [5.0, 0.0]),
            glyphs("部", 50.0, 20.0, [0.0, 10.0]),
            small,
            glyphs("屋を見て", 50.0, 30.0, [0.0, 10.0]),
            glyphs("回る", 50.0, 80.0, [0.0, 10.0]),
        ];
        let text = read(column.concat());
        assert!(text.contains("1 約144部屋を見て 回る"), "{text}");
        assert!(text.contains('へ'), "{text}");
    }

    #[test]
    fn lists_and_tables_are_no_columns() {
        let apart = glyphs("一二三", 50.0, 0.0, [0.0, 15.0]);
        assert_eq!(read(apart), "一\n二\n三");
        let latin = glyphs("abc", 50.0, 0.0, [0.0, 10.0]);
        assert_eq!(read(latin), "a\nb\nc");
        let digits = glyphs("123", 50.0, 0.0, [0.0, 10.0]);
        assert_eq!(read(digits), "1\n2\n3");
        let labels = ["赤い", "青い", "黒い"].into_iter().zip([0.0, 12.0, 24.0]);
        let texts = labels.flat_map(|(text, y)| glyphs(text, 75.0, y, [10.0, 0.0]));
        let list = glyphs("一二三", 50.0, 0.0, [0.0, 12.0]).into_iter().chain(texts).collect();
        assert_eq!(read(list), "一\n二\n三\n\n赤い\n青い\n黒い");
        // Rows drawn in columns: glyphs are closer within rows.
        let rows = [glyphs("右左", 50.0, 0.0, [0.0, 12.0]), glyphs("手足", 60.0, 0.0, [0.0, 12.0])];
        assert_eq!(merge_stacks(group_into_lines(rows.concat())).len(), 4);
    }
}
