//! Whether a structure tree says what the page shows.

use super::blocks::BlockMap;
use super::cells::TreeTable;
use super::pieces::{Owner, WordOwners};
use super::regions::extent;
use crate::document::marker;
use crate::list_marks::{is_bullet_sign, is_weak_bullet};
use crate::measures::{MARGIN, NEXT_LINE_EM, SAME_LINE_EM};
use crate::page_structure::{Figure, Line, LineRole, Region, TableArea};
use pagewise_text::{Bounds, ContentMark, HYPHENS, PageLayout};

/// The tree claims this share of the letters and digits that are no running lines.
const MIN_CLAIMED: f32 = 0.95;
/// This share of them is in blocks, not in groups alone.
const MIN_IN_BLOCKS: f32 = 0.1;
/// A page with more parts is not compared.
const MAX_PARTS: usize = 1_000;
/// One of so many parts of the body may stand above the one before, as a box at the side of a form does.
const ODD_PARTS: usize = 30;
/// One of so many parts may stand above the one before, as running heads do, or lie over others.
const LOOSE_PARTS: usize = 10;
/// A float whose notes follow the text returns above it once, and a page whose columns are mixed does so often.
const MIN_RETURNS: usize = 2;
/// Parts overlap if they share so much of the smaller one.
const MAX_SHARED: f32 = 0.3;
/// One of so many ends of paragraphs may stand within a sentence.
const BROKEN_PARTS: usize = 6;
/// So many lines of a page show that its tree was guessed. A line leaves more room than this, in ems, for the first word of
/// the next if another paragraph begins there.
const MIN_GUESSED: usize = 3;
const ROOM_EM: f32 = 3.0;

/// Maximum number of lines of a heading.
const MAX_HEADING_LINES: usize = 2;

/// A piece of the tree as it stands on the page.
pub(super) enum Part {
    /// Lines of a block in one column, in the frame of their direction.
    Lines {
        turn: u16,
        role: LineRole,
        lines: Vec<Line>,
    },
    /// What the rules read.
    Open {
        regions: Vec<Region>,
    },
    Table(TableArea),
    Figure(Figure),
}

/// Whether the tree claims nearly all letters and digits of the page, but for artifacts: running lines and side bars. A
/// tree that has them in groups, without tables and figures, says nothing of their order.
pub(super) fn accounts_for(page: &PageLayout, owners: &WordOwners, blocks: &BlockMap) -> bool {
    let (mut claimed, mut grouped, mut artifacts, mut rest) = (0_f32, 0_f32, 0_f32, 0_f32);
    for (word, owner) in page.words.iter().zip(&owners.0) {
        // Leaders and rules of dots are often artifacts in the middle of a line.
        let length = word.text.chars().filter(|sign| sign.is_alphanumeric()).map(|_| 1.0).sum::<f32>();
        match owner {
            Owner::Element(element) if blocks.context(*element).is_group() => grouped += length,
            Owner::Element(_) | Owner::Taken => claimed += length,
            Owner::Margin => artifacts += length,
            Owner::Nobody if word.mark == ContentMark::Artifact => artifacts += length,
            Owner::Nobody => rest += length,
        }
    }
    let all = claimed + grouped;
    let has_blocks = claimed >= MIN_IN_BLOCKS * all || blocks.has_tables_or_figures();
    all > artifacts && all >= MIN_CLAIMED * (all + rest) && has_blocks
}

/// Whether a reader could follow the parts: each stands below or beside the ones before, and none lies over others.
pub(super) fn is_readable(parts: &[Part], page: &PageLayout) -> bool {
    if parts.len() > MAX_PARTS {
        return false;
    }
    let flow: Vec<(u16, Bounds)> = parts.iter().filter_map(place_in_flow).collect();
    let is_odd =
        |before: &(u16, Bounds), after: (u16, Bounds)| is_in_column(after, *before) && is_above(after, *before);
    let pairs = flow.windows(2);
    let pairs = pairs.filter_map(|pair| if let [before, after] = pair { Some((before, *after)) } else { None });
    let odd: Vec<(u16, Bounds)> =
        pairs.filter(|(before, after)| is_odd(before, *after)).map(|(_, after)| after).collect();
    let returns = (0..flow.len()).filter(|at| returns_above(&flow, *at)).count();
    let in_body = odd.iter().filter(|part| !is_head(**part, page)).count();
    let over = (0..flow.len()).map(|at| laid_over(&flow, at)).sum::<usize>();
    let is_ordered = (in_body == 0 || ODD_PARTS * in_body < flow.len()) && LOOSE_PARTS * odd.len() < flow.len().max(1);
    let is_steady = returns < MIN_RETURNS || LOOSE_PARTS * returns < flow.len();
    is_ordered && is_steady && LOOSE_PARTS * over <= flow.len() && !is_broken(parts) && !are_guessed(parts)
}

/// Whether a part stands in the top margin, where running heads do.
fn is_head((turn, place): (u16, Bounds), page: &PageLayout) -> bool {
    let height = if turn % 180 == 0 { page.height } else { page.width };
    place.center().1 < MARGIN * height
}

/// The direction and the place of a part. Notes, captions and running lines may stand anywhere.
pub(super) fn place_in_flow(part: &Part) -> Option<(u16, Bounds)> {
    match part {
        Part::Lines { role: LineRole::Note | LineRole::Caption | LineRole::Furniture, .. } => None,
        Part::Open { .. } | Part::Figure(_) => None,
        Part::Lines { turn, lines, .. } => (!lines.is_empty()).then(|| (*turn, extent(lines))),
        Part::Table(area) => Some((0, area.bounds)),
    }
}

/// Whether a part stands above the part that came before it in the same column. Parts of other columns may come between the
/// two in the order of the tree.
fn returns_above(flow: &[(u16, Bounds)], at: usize) -> bool {
    let Some(own) = flow.get(at) else { return false };
    let before = flow.iter().take(at).rev().find(|other| is_in_column(*own, **other));
    before.is_some_and(|before| is_above(*own, *before))
}

/// Whether parts stand below each other.
fn is_in_column((turn, own): (u16, Bounds), (other_turn, other): (u16, Bounds)) -> bool {
    turn == other_turn && own.shared_width(other) > 0.5 * own.width().min(other.width())
}

/// Whether a part stands above another of its column.
fn is_above((_, own): (u16, Bounds), (_, other): (u16, Bounds)) -> bool {
    own.y1 <= other.y0 + 0.3 * own.height()
}

/// The number of later parts that lie over the one at an index.
fn laid_over(parts: &[(u16, Bounds)], at: usize) -> usize {
    let Some((turn, own)) = parts.get(at) else { return 0 };
    let area = |b: Bounds| (b.width() * b.height()).max(0.1);
    let is_over = |other: Bounds| {
        let height = own.y1.min(other.y1) - own.y0.max(other.y0);
        let shared = own.shared_width(other).max(0.0) * height.max(0.0);
        shared > MAX_SHARED * area(*own).min(area(other))
    };
    parts.iter().skip(at + 1).filter(|(other_turn, other)| turn == other_turn && is_over(*other)).count()
}

/// Whether paragraphs end within sentences: the elements are lines, not paragraphs.
fn is_broken(parts: &[Part]) -> bool {
    let paragraphs =
        parts.iter().filter(|part| matches!(part, Part::Lines { role: LineRole::Paragraph(0), .. })).count();
    let broken = parts.windows(2).filter(|pair| matches!(pair, [before, after] if reads_on(before, after))).count();
    BROKEN_PARTS * broken > paragraphs
}

/// Whether a tree of paragraphs alone was guessed from the page, and worse than the rules of `reading` do it: its
/// paragraphs are rows, end within words, or are several.
fn are_guessed(parts: &[Part]) -> bool {
    let mut guessed = 0;
    for part in parts {
        match part {
            Part::Lines { role: LineRole::Furniture, .. } => (),
            Part::Lines { role: LineRole::Paragraph(0), lines, .. } => {
                guessed += rows(lines) + usize::from(is_guessed(lines));
            }
            _ => return false,
        }
    }
    guessed >= MIN_GUESSED
}

/// The rows of cells among lines. Far cells are lines of their own.
fn rows(lines: &[Line]) -> usize {
    let is_level = |pair: &&[Line]| matches!(pair, [a, b] if (a.baseline - b.baseline).abs() < SAME_LINE_EM * a.size);
    lines.iter().filter(|line| line.has_cells()).count() + lines.windows(2).filter(is_level).count()
}

/// Whether a paragraph ends with a hyphen, or the first word of one of its lines would have fitted on the line above.
fn is_guessed(lines: &[Line]) -> bool {
    let right = lines.iter().map(|line| line.bounds.x1).fold(f32::NEG_INFINITY, f32::max);
    let is_end = |above: &Line, below: &Line| {
        NEXT_LINE_EM.contains(&((below.baseline - above.baseline) / above.size))
            && below.bounds.x0 < above.bounds.x1
            && right - above.bounds.x1 > below.first_width() + ROOM_EM * above.size
    };
    lines.last().and_then(|last| last.words.last()).is_some_and(|word| word.text.ends_with(HYPHENS))
        || lines.windows(2).any(|pair| matches!(pair, [above, below] if is_end(above, below)))
}

/// Whether an item without a bullet is a heading, short and bold, or code. Some producers make a list of each section and
/// of each listing.
pub(super) fn is_no_item(lines: &[Line]) -> bool {
    let is_heading = lines.len() <= MAX_HEADING_LINES && lines.iter().all(Line::is_bold);
    !has_bullet(lines) && (is_heading || lines.iter().all(Line::is_monospace))
}

/// Whether an item begins with a mark, or with what the tree takes for its label.
pub(super) fn has_mark(lines: &[Line]) -> bool {
    let has_label = |line: &Line| line.tag.is_some_and(|tag| tag.label > 0);
    lines.first().is_some_and(|line| has_label(line) || marker(line).is_some()) || has_bullet(lines)
}

fn has_bullet(lines: &[Line]) -> bool {
    let mark = lines.first().and_then(|line| line.words.first()).and_then(|word| word.text.chars().next());
    mark.is_some_and(|sign| is_bullet_sign(sign) || is_weak_bullet(sign))
}

/// Whether a paragraph goes on in the next one, on its line or on the one below.
fn reads_on(before: &Part, after: &Part) -> bool {
    let (
        Part::Lines { role: LineRole::Paragraph(0), lines: above, .. },
        Part::Lines { role: LineRole::Paragraph(0), lines: below, .. },
    ) = (before, after)
    else {
        return false;
    };
    let (Some(last), Some(first)) = (above.last(), below.first()) else { return false };
    if last.tag.is_some() && last.tag.map(|tag| tag.element) == first.tag.map(|tag| tag.element) {
        return false;
    }
    let step = first.baseline - last.baseline;
    if step.abs() < SAME_LINE_EM * last.size {
        let gap = first.bounds.x0 - last.bounds.x1;
        return (-last.size..last.size).contains(&gap);
    }
    let ends_open = |sign: char| sign.is_lowercase() || matches!(sign, ',' | '-');
    let is_open = last.words.last().and_then(|word| word.text.chars().last()).is_some_and(ends_open);
    let is_below = NEXT_LINE_EM.contains(&(step / last.size));
    is_open && first.begins_small() && is_below && (last.bounds.x0 - first.bounds.x0).abs() < last.size
}

/// Whether the rows of a table stand below each other.
pub(super) fn is_table(table: &TreeTable) -> bool {
    let mut tops: Vec<f32> = vec![f32::INFINITY; table.table.rows];
    for cell in table.table.cells.iter().filter(|cell| !cell.text.is_empty()) {
        if let Some(top) = tops.get_mut(cell.row) {
            *top = top.min(cell.bounds.y0);
        }
    }
    tops.retain(|top| top.is_finite());
    tops.windows(2).all(|pair| matches!(pair, [above, below] if above <= below))
}
