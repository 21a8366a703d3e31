//! Tables between parallel edges of one width: rules above and below, or shaded rows.

use super::listings::with_listings;
use super::prose::prose_of;
use crate::bounds::median;
use crate::caption_label::is_caption_label;
use crate::list_marks::is_list_mark;
use crate::measures::{FLUSH_EM, NEXT_LINE_EM, SAME_SIZE, WORD_SPACE_EM};
use crate::reading::{is_near_edge, is_slanted};
use crate::tables::Table;
use crate::tables::layout::edges::{Edge, Edges};
use crate::tables::layout::figures::is_figure;
use crate::tables::layout::lines::{Chunk, PageWords, PlacedWord, TextLine, is_inside, table_lines, text_lines, union};
use crate::tables::reading::area::{Area, Proof};
use crate::tables::reading::centred::HALF_PITCH;
use crate::tables::reading::columns::{Column, columns_of};
use crate::tables::reading::head::MAX_HEAD_LINES;
use pagewise_text::{Bounds, PageLayout};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Ends of edges of one stack differ by at most this.
const SAME_END: f32 = 4.0;
/// Pieces of an edge nearer than this are one edge.
pub(super) const PIECE_GAP: f32 = 12.0;
/// An edge shorter than this bounds no table.
const MIN_WIDTH: f32 = 60.0;
/// A page is searched for tables in at most this many areas.
const MAX_AREAS: usize = 300;
/// Minimum number of labels beside rows of values.
const MIN_LABELS: usize = 2;
/// A form has at least so many values with a rule under each, at most `MAX_RULE_EM` ems below the baseline.
const MIN_FIELDS: usize = 3;
const MAX_RULE_EM: f32 = 0.8;
/// The baselines of a label and its values differ by no more than this, in ems. Those of a column of prose beside a table
/// agree by chance.
pub(super) const SAME_LINE: f32 = 0.05;
/// A line above a rule is a head if it has at least this many chunks.
const MIN_HEAD: usize = 4;
/// Rules around heads alone are found if there are at least so many columns, and so many rows below.
const MIN_HEAD_COLUMNS: usize = 3;
const MIN_ROWS: usize = 3;
/// A head stands at most this many ems above the first rule.
const MAX_HEAD_REACH: f32 = 1.25;
/// A line further away than this many ems does not belong to the area above or below it.
const MAX_REACH: f32 = 2.4;
/// The rest of a cell is in a column after the first if it begins further in than this many ems.
const MIN_INDENT: f32 = 2.0;
/// The sizes of rows and of heads beyond a rule, relative to those of the rows of the area.
const ROW_SIZES: RangeInclusive<f32> = 0.9..=1.1;
const HEAD_SIZES: RangeInclusive<f32> = 0.8..=1.1;
/// A line beyond a rule is a row if its chunks are aligned with columns within this many ems.
const OFF_COLUMN: f32 = 0.5;
/// The number and the text of a caption are nearer than this many ems, or than so many if the text has this many words.
const MAX_CAPTION_GAP: f32 = 1.2;
const WIDE_CAPTION_GAP: f32 = 3.0;
const MIN_CAPTION_WORDS: usize = 4;
/// A line between two tables is a sentence if it has at least so many words and is indented by at most so many ems.
const MIN_SENTENCE: usize = 6;
const MAX_INDENT: f32 = 3.2;
/// A paragraph below rows is so many times further from them than they are from each other.
const TEXT_SPACE: f32 = 1.2;
/// A caption has at most so many lines.
const MAX_CAPTION_LINES: usize = 6;
/// A band without text that is higher, in points, stands between two tables.
const MAX_EMPTY_PT: f32 = 18.0;
/// Maximum white space between the lines of a band of shaded rows, in ems.
const MAX_WHITE: f32 = 8.0;
/// The same of a band between rules.
const MAX_RULED_WHITE: f32 = 4.0;
/// White space between a rule and a line of text divides tables only if it is higher than this, in ems. Less may be the empty
/// part of a row.
const MAX_EDGE_WHITE: f32 = 3.0;
/// Maximum number of slanted words of a page that may be heads.
const MAX_SLANTED: usize = 500;

/// The tables between stacked edges, each with its area.
pub(crate) fn find(page: &PageLayout, words: &PageWords, edges: &Edges) -> Vec<(Bounds, Table)> {
    let lines = text_lines(words.all());
    let mut stacks = stacks(&joined(&edges.horizontal));
    // The rules of a running head and a running foot bound the page, not a table.
    stacks.retain(|stack| stack.len() > 2 || !stack.iter().all(|edge| is_near_edge(edge.at, page.height)));
    stacks.sort_by_key(|stack| std::cmp::Reverse(stack.len()));
    let slanted: Vec<Bounds> =
        page.words.iter().filter(|w| is_slanted(w)).map(|w| w.bounds).take(MAX_SLANTED).collect();
    let prose = prose_of(&lines);
    let listings = with_listings(&lines, &prose);
    // Wide cells look like prose as well, but are no larger than the rows above them.
    let is_text = |band: &Bounds, may_be_cell: bool| {
        is_text(band, &lines, &listings) && !(may_be_cell && is_text(band, &lines, &prose))
    };
    let areas = stacks.iter().flat_map(|stack| areas(stack, words, &lines, page, &slanted, is_text)).take(MAX_AREAS);
    let extend = |area: Bounds| {
        let area = extended(&area, words, &lines, edges);
        with_labels(&area, &lines, &prose, edges).map_or(area, |area| extended(&area, words, &lines, edges))
    };
    let grown = areas.map(extend).filter(|area| !is_figure(area, page, Proof::Drawn));
    let read_area = |area: Bounds| {
        let proof = if has_label(&area, &lines) { Proof::Labelled } else { Proof::Drawn };
        Some((area, Area::new(&area, &words.inside_drawn(&area), edges, proof).table()?))
    };
    let uprights = Edges::of_rules(page).vertical;
    let read = |area: Bounds| {
        let whole = with_divided_heads(&area, words, &uprights);
        read_area(whole).or_else(|| (whole != area).then(|| read_area(area)).flatten())
    };
    grown.filter_map(read).collect()
}

/// Whether the label of a caption stands close above an area, or above the lines of that caption.
fn has_label(area: &Bounds, lines: &[TextLine]) -> bool {
    let above = lines.iter().rev().filter(|line| line.baseline < area.y0 + 0.5 * line.size);
    let own = above.map(|line| (line, chunks_within(line, area))).filter(|(_, own)| !own.is_empty());
    let mut place = area.y0;
    for (line, own) in own.take(MAX_CAPTION_LINES) {
        if place - line.baseline > MAX_REACH * line.size {
            return false;
        }
        place = line.baseline;
        if is_labelled(own) {
            return true;
        }
    }
    false
}

/// Whether most of what a band holds is marked as prose.
fn is_text(band: &Bounds, lines: &[TextLine], prose: &[Vec<bool>]) -> bool {
    let chunks = lines.iter().zip(prose).flat_map(|(line, marks)| line.chunks.iter().zip(marks));
    let own = chunks.filter(|(chunk, _)| is_inside(&chunk.bounds, band));
    let (text, other): (Vec<_>, Vec<_>) = own.partition(|(_, is_prose)| **is_prose);
    text.len() > other.len()
}

/// Pieces of an edge with small gaps between them, as one edge.
fn joined(edges: &[Edge]) -> Vec<Edge> {
    let mut out: Vec<Edge> = Vec::new();
    for edge in edges {
        match out.last_mut() {
            Some(last)
                if (edge.at - last.at).abs() < 0.5 && edge.start - last.end < PIECE_GAP && edge.start >= last.start =>
            {
                last.end = last.end.max(edge.end);
                last.is_rule |= edge.is_rule;
            }
            _ => out.push(*edge),
        }
    }
    out
}

/// The area with the rows that stand right above and below it: lines of several chunks where no rule ends it, and else
/// only lines that stand over its columns.
pub(crate) fn extended(area: &Bounds, words: &PageWords, lines: &[TextLine], edges: &Edges) -> Bounds {
    let is_closed = |at: f32| {
        edges
            .horizontal
            .iter()
            .any(|e| e.is_rule && (e.at - at).abs() < 3.0 && e.start < area.x1 - 10.0 && e.end > area.x0 + 10.0)
    };
    let own = table_lines(&words.inside(area));
    let columns = columns_of(&own);
    let is_over = |line: &TextLine, sizes: &RangeInclusive<f32>| {
        own.iter().any(|row| sizes.contains(&(line.size / row.size))) && is_over(line, area, &columns)
    };
    let mut grown = *area;
    let above = || lines.iter().rev().filter(|line| line.baseline < area.y0);
    if !is_closed(area.y0) || first_row(above()).any(|line| is_head(line, area) || is_over(line, &HEAD_SIZES)) {
        let taken = reachable(above(), area, |line| area.y0 - line.baseline);
        grown.y0 = taken.iter().map(|line| line.y0).fold(grown.y0, f32::min);
    }
    let below = || lines.iter().filter(|line| line.baseline - 0.5 * line.size > area.y1);
    let below_area = |line: &TextLine| line.baseline - line.size - area.y1;
    let has_rows = || {
        let taken = reachable(below(), area, below_area);
        let rows = below().take(taken.len()).map(|line| chunks_within(line, area).len());
        rows.filter(|chunks| *chunks + 1 >= columns.len()).count() >= MIN_ROWS.max(taken.len() / 2)
    };
    let is_headed = are_heads(&own, area, &columns) && has_rows();
    // Upright rules go on from the heads beside all rows.
    let is_through = |e: &&Edge| {
        let is_within = area.x0 < e.at && e.at < area.x1;
        e.is_rule && is_within && area.y0 - SAME_END < e.start && e.start < area.y1 && area.y1 + SAME_END < e.end
    };
    let through = edges.vertical.iter().filter(is_through).map(|e| e.end).fold(area.y1, f32::max);
    if is_headed || !is_closed(area.y1) || first_row(below()).any(|line| is_over(line, &ROW_SIZES)) {
        let taken = reachable(below(), area, below_area);
        let end = if is_headed { through } else { area.y1 };
        grown.y1 = taken.iter().map(|line| line.y1).fold(end, f32::max);
    }
    grown
}

/// Whether lines are the heads of several columns and nothing else: the rows stand below the rule that ends them, and go on
/// on the next page.
fn are_heads(lines: &[TextLine], area: &Bounds, columns: &[Column]) -> bool {
    let mut chunks = lines.iter().flat_map(|line| &line.chunks);
    let is_other = |chunk: &Chunk| chunk.is_value() || is_sentence(chunk, area);
    columns.len() >= MIN_HEAD_COLUMNS && lines.len() <= MAX_HEAD_LINES && !chunks.any(is_other)
}

/// The area with the heads above its first rule, one between each two of the upright rules that end there.
fn with_divided_heads(area: &Bounds, words: &PageWords, uprights: &[Edge]) -> Bounds {
    let is_above = |e: &&Edge| {
        let is_within = area.x0 < e.at && e.at < area.x1;
        is_within && e.start < area.y0 - SAME_END && area.y0 - SAME_END < e.end
    };
    let own = || uprights.iter().filter(is_above);
    let y0 = own().map(|e| e.start).fold(area.y0, f32::min);
    let mut ends: Vec<f32> = own().filter(|e| e.end < area.y0 + SAME_END).map(|e| e.at).collect();
    ends.dedup_by(|b, a| *b - *a < SAME_END);
    if ends.len() < MIN_HEAD {
        return *area;
    }
    let heads = words.inside_drawn(&Bounds { y0, y1: area.y0, ..*area });
    let is_filled = |pair: &[f32]| {
        let is_within = |head: &PlacedWord| matches!(pair, [a, b] if (*a..*b).contains(&head.word.bounds.center().0));
        heads.iter().any(is_within)
    };
    if ends.windows(2).all(is_filled) { Bounds { y0, ..*area } } else { *area }
}

/// The first line, and the next ones that may be of its row: its cells may be centred vertically.
fn first_row<'a, 'p: 'a>(lines: impl Iterator<Item = &'a TextLine<'p>>) -> impl Iterator<Item = &'a TextLine<'p>> {
    let mut lines = lines.peekable();
    let first = lines.peek().map_or(0.0, |line| line.baseline);
    lines.take_while(move |line| (line.baseline - first).abs() < 2.0 * HALF_PITCH * line.size)
}

/// The area with the labels of its rows, where rules stand below several columns of values alone, or below each value.
fn with_labels(area: &Bounds, lines: &[TextLine], prose: &[Vec<bool>], edges: &Edges) -> Option<Bounds> {
    let is_within = |at: f32| area.y0 < at && at < area.y1;
    if edges.horizontal.iter().any(|e| is_within(e.at) && e.start < area.x0 - SAME_END) {
        return None;
    }
    // A rule below a line, as wide as the area.
    let is_ruled = |line: &TextLine| {
        let is_below = |e: &Edge| (0.0..MAX_RULE_EM * line.size).contains(&(e.at - line.baseline));
        edges.horizontal.iter().any(|e| is_below(e) && e.start - area.x0 < SAME_END && area.x1 - e.end < SAME_END)
    };
    let (mut rows, mut ruled, mut several, mut labels, mut apart, mut x0) = (0, 0, 0, 0, 0, area.x0);
    for (line, marks) in lines.iter().zip(prose).filter(|(line, _)| is_within(line.baseline - 0.3 * line.size)) {
        let own = chunks_within(line, area);
        let is_field = own.len() == 1 && is_ruled(line);
        if !is_field && !own.first().is_some_and(|first| first.is_value()) {
            continue;
        }
        let beside = || line.chunks.iter().zip(marks).filter(|(chunk, _)| chunk.bounds.x1 <= area.x0);
        let place = own.first().map_or(line.baseline, |first| baseline_of(first));
        let is_apart = |chunk: &Chunk| (baseline_of(chunk) - place).abs() > SAME_LINE * line.size;
        apart += usize::from(beside().any(|(chunk, is_prose)| *is_prose && is_apart(chunk)));
        x0 = beside().map(|(chunk, _)| chunk.bounds.x0 - 2.0).fold(x0, f32::min);
        rows += 1;
        ruled += usize::from(is_field);
        let are_values = own.iter().filter(|chunk| chunk.is_value()).count() > 1;
        several += usize::from(are_values && own.iter().any(has_digit));
        labels += usize::from(beside().any(|(chunk, _)| !chunk.is_value()));
    }
    let is_list = ruled >= MIN_FIELDS && ruled == rows && labels == rows;
    let is_listed = labels >= MIN_LABELS && 2 * labels >= rows && 2 * several >= rows;
    (4 * apart <= labels && (is_list || is_listed)).then_some(Bounds { x0, ..*area })
}

/// The baseline of the first word of a chunk.
fn baseline_of(chunk: &Chunk) -> f32 {
    chunk.words.first().map_or(chunk.bounds.y1, |word| word.baseline)
}

/// The boxes of lines that follow each other closely, up to the last one of several chunks and what goes on from it.
fn reachable<'a, 'p: 'a>(
    lines: impl Iterator<Item = &'a TextLine<'p>>,
    area: &Bounds,
    distance: impl Fn(&TextLine) -> f32,
) -> Vec<Bounds> {
    let mut taken = Vec::new();
    let (mut whole, mut end) = (0, 0.0);
    let mut last: Vec<&Chunk> = Vec::new();
    for line in lines {
        let own = chunks_within(line, area);
        let Some(bounds) = union(own.iter().map(|c| c.bounds)) else { continue };
        let is_out = bounds.x0 < area.x0 - 3.0 || bounds.x1 > area.x1 + 3.0;
        let gap = distance(line) - end;
        if gap > MAX_REACH * line.size
            || is_out
            || is_one(line) && is_labelled(&line.chunks)
            || own.iter().any(|c| is_sentence(c, area))
        {
            break;
        }
        let is_inner = gap < NEXT_LINE_EM.end * line.size && bounds.x0 > area.x0 + MIN_INDENT * line.size;
        let goes_on = whole > 0 && whole == taken.len() && (is_inner || is_wrapped(&last, &own));
        end = distance(line);
        taken.push(bounds);
        if own.len() > 1 || goes_on {
            whole = taken.len();
            last = own;
        }
    }
    taken.truncate(whole);
    taken
}

/// Whether the label of a row goes on in the line below it: the first word had no room before the next cell of the row.
fn is_wrapped(row: &[&Chunk], below: &[&Chunk]) -> bool {
    let ([label, cell, ..], [rest]) = (row, below) else { return false };
    let Some(first) = rest.words.first().map(|word| word.word) else { return false };
    let end = label.bounds.x1 + WORD_SPACE_EM * first.size + first.bounds.width();
    let is_below = label.bounds.y1 < rest.bounds.y1 && rest.bounds.x1 < cell.bounds.x0;
    let is_same = (label.bounds.x0 - rest.bounds.x0).abs() < FLUSH_EM * first.size
        && (label.size() - first.size).abs() < SAME_SIZE * first.size;
    is_below && is_same && end > cell.bounds.x0
}

/// The chunks of a line that share places with an area.
fn chunks_within<'a, 'p>(line: &'a TextLine<'p>, area: &Bounds) -> Vec<&'a Chunk<'p>> {
    line.chunks.iter().filter(|c| c.bounds.x0 < area.x1 && area.x0 < c.bounds.x1).collect()
}

/// Whether a line right above a rule is the head of the columns below it.
fn is_head(line: &TextLine, area: &Bounds) -> bool {
    chunks_within(line, area).len() >= MIN_HEAD && area.y0 - line.baseline < MAX_HEAD_REACH * line.size
}

/// Whether the chunks of a line stand over columns of their own, at least half of them. Signs of currencies stand beside
/// their values.
fn is_over(line: &TextLine, area: &Bounds, columns: &[Column]) -> bool {
    let is_sign = |chunk: &&Chunk| {
        let mut signs = chunk.words.iter().flat_map(|word| word.word.text.chars());
        matches!((signs.next(), signs.next()), (Some(sign), None) if !sign.is_alphanumeric())
    };
    let own: Vec<&Chunk> = chunks_within(line, area).into_iter().filter(|chunk| !is_sign(chunk)).collect();
    let is_sum = own.iter().skip(1).all(|chunk| chunk.is_value() && has_digit(chunk));
    let host = |chunk: &Chunk| {
        let mut under = (0..).zip(columns).filter(|(_, c)| c.lo < chunk.bounds.x1 && chunk.bounds.x0 < c.hi);
        // The label of a sum may be indented.
        let is_in = |at: usize, column: &Column| is_sum && at == 0 || column.is_aligned(chunk, OFF_COLUMN);
        let (at, _) = under.next().filter(|(at, column)| is_in(*at, column))?;
        under.next().is_none().then_some(at)
    };
    let hosts: Option<BTreeSet<usize>> = own.iter().map(|chunk| host(chunk)).collect();
    own.len() > 1 && (is_sum || 2 * own.len() >= columns.len()) && hosts.is_some_and(|hosts| hosts.len() == own.len())
}

fn has_digit(chunk: &&Chunk) -> bool {
    chunk.words.iter().any(|word| word.word.text.contains(char::is_numeric))
}

/// Whether a chunk of several words takes most of the width.
fn is_sentence(chunk: &Chunk, area: &Bounds) -> bool {
    chunk.words.len() > 4 && chunk.bounds.width() > 0.5 * area.width()
}

/// Edges with the same ends, from top to bottom.
fn stacks(edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut sorted: Vec<Edge> = edges.iter().filter(|e| e.len() >= MIN_WIDTH).copied().collect();
    sorted.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut stacks: Vec<Vec<Edge>> = Vec::new();
    for near in sorted.chunk_by(|a, b| b.start - a.start <= SAME_END) {
        let mut near = near.to_vec();
        near.sort_by(|a, b| a.end.total_cmp(&b.end));
        stacks.extend(near.chunk_by(|a, b| b.end - a.end <= SAME_END).map(<[Edge]>::to_vec));
    }
    for stack in &mut stacks {
        stack.sort_by(|a, b| a.at.total_cmp(&b.at));
    }
    stacks.retain(|s| s.len() >= 2);
    stacks
}

/// Runs of bands that hold rows. Empty bands divide tables, and are those between the lines of a chart. A band of prose
/// begins none: it is columns of text, as between the rules at the head and the foot of a page.
fn areas(
    stack: &[Edge],
    words: &PageWords,
    page_lines: &[TextLine],
    page: &PageLayout,
    slanted: &[Bounds],
    is_text: impl Fn(&Bounds, bool) -> bool,
) -> Vec<Bounds> {
    let mut areas: Vec<Bounds> = Vec::new();
    let mut open: Option<Bounds> = None;
    let mut rows_size: Option<f32> = None;
    let mut empty: Option<Bounds> = None;
    for pair in stack.windows(2) {
        let [a, b] = pair else { continue };
        let band =
            Bounds { x0: a.start.min(b.start) - 2.0, x1: a.end.max(b.end) + 2.0, y0: a.at - 1.0, y1: b.at + 1.0 };
        let (band, is_started) = without_caption(band, words, page_lines, open.is_none());
        if is_started {
            areas.extend(open.take());
            rows_size = None;
        }
        let mut lines = table_lines(&words.inside(&band));
        let whole = band;
        let rows = rows_above_text(&lines, &band);
        let text = lines.split_off(rows);
        let end = lines.last().filter(|_| !text.is_empty()).map_or(band.y1, |last| last.baseline + 0.3 * last.size);
        let band = Bounds { y1: end, ..band };
        // A rule far below several lines is that of a foot or a box, unless rows stand above them.
        let is_apart = a.is_rule && b.is_rule && (open.is_some() || lines.len() <= 2);
        let band = if is_apart { without_white(band, &lines, page) } else { band };
        if band.y0 > whole.y0 {
            areas.extend(open.take());
        }
        let is_empty = lines.is_empty() && band.y1 - band.y0 > MAX_EMPTY_PT;
        if is_empty {
            empty = Some(empty.map_or(band, |all| all.union(band)));
        }
        // A sentence below the rows is a note, and a paragraph is no row.
        let is_note = is_paragraph(&lines, &band);
        let size = median(lines.iter().map(|line| line.size));
        let are_rows = rows_size.is_some_and(|own| size.is_none_or(|size| size <= (1.0 + SAME_SIZE) * own));
        let is_sentence = lines.len() == 1 && is_sentence_apart(&lines, 0, &band);
        let is_prose = is_text(&band, are_rows && !is_note) || is_short_paragraph(&lines, &band) || is_sentence;
        let is_rows = is_tabular(&band, &lines, a.is_rule || b.is_rule, slanted) && !is_prose;
        if is_empty || !is_rows {
            areas.extend(open.take());
            rows_size = None;
        } else {
            rows_size = size.or(rows_size);
            open = Some(open.map_or(band, |all| Bounds { y1: band.y1, ..all.union(band) }));
        }
        if band.y1 < whole.y1 {
            areas.extend(open.take());
        }
    }
    areas.extend(open);
    let is_chart = empty.is_some_and(|empty| is_figure(&empty, page, Proof::Drawn));
    if is_chart { Vec::new() } else { areas }
}

/// The part of a band that holds its lines, if the white space above or below them lies between two tables. That space has
/// nothing in it and is much higher than the one on the other side: in a high row, text is in the middle.
fn without_white(band: Bounds, lines: &[TextLine], page: &PageLayout) -> Bounds {
    let y0 = lines.iter().map(|line| line.baseline - line.size).fold(band.y1, f32::min);
    let y1 = lines.iter().map(|line| line.baseline + 0.3 * line.size).fold(y0, f32::max);
    let (above, below) = (y0 - band.y0, band.y1 - y1);
    let (part, white) = if above > below {
        (Bounds { y0, ..band }, Bounds { y1: y0, ..band })
    } else {
        (Bounds { y1, ..band }, Bounds { y0: y1, ..band })
    };
    let size = lines.iter().map(|line| line.size).fold(0.0, f32::max);
    let is_between = white.height() > MAX_EDGE_WHITE * size && white.height() > 2.0 * above.min(below);
    let mut own = page.words.iter().map(|word| &word.bounds).chain(&page.images).chain(&page.drawings);
    let uprights = page.rules.iter().filter(|rule| !rule.is_horizontal).map(|rule| rule.bounds);
    let mut drawn = uprights.chain(page.fills.iter().map(|fill| fill.bounds));
    let middle = white.center().1;
    let is_crossed = |b: Bounds| b.y0 < middle && middle < b.y1 && b.x0 < white.x1 && white.x0 < b.x1;
    let is_apart = is_between && !lines.is_empty();
    if is_apart && !own.any(|own| is_inside(own, &white)) && !drawn.any(is_crossed) { part } else { band }
}

/// The band below the caption, the full lines or the sentence at its top, and whether there were any. `is_first` says that no rows stand
/// above it.
fn without_caption(band: Bounds, words: &PageWords, page_lines: &[TextLine], is_first: bool) -> (Bounds, bool) {
    let lines = table_lines(&words.inside(&band));
    let is_caption = |line: &TextLine| is_caption(line, &band, page_lines, is_first);
    let label = lines.iter().rposition(is_caption);
    // Heads may stand as close as words, or the number of a title and its text.
    let is_numbered = |line: &TextLine| line.chunks.first().is_some_and(|first| is_mark(&first.words));
    let is_head =
        |line: &TextLine| line.chunks.len() > 1 && line.chunks.iter().all(Chunk::is_bold) && !is_numbered(line);
    let full = lines.iter().rposition(|line| is_full(line, &band) && !is_head(line));
    let apart = (0..lines.len()).rfind(|at| is_sentence_apart(&lines, *at, &band));
    let Some(last) = label.max(full).max(apart) else { return (band, false) };
    let is_title = label.is_some() || apart.is_some_and(|at| at + 1 < lines.len());
    let min_rows = usize::from(!is_title);
    let mut end = last;
    while let (Some(line), Some(next)) = (lines.get(end), lines.get(end + 1)) {
        let is_last = end + 1 + min_rows >= lines.len();
        let reach = if is_label_alone(line) { MAX_REACH } else { NEXT_LINE_EM.end };
        let is_far = next.baseline - line.baseline > reach * line.size;
        if next.chunks.len() > 1 && !is_spread(next) || is_far || is_last {
            break;
        }
        end += 1;
    }
    if end + 1 + min_rows >= lines.len() && !is_title {
        return (band, false);
    }
    let y0 = lines.get(end).map_or(band.y0, |l| l.baseline + 0.3 * l.size);
    (Bounds { y0, ..band }, true)
}

/// Whether a line is a sentence apart from the lines above and below: it says what the next table is about.
fn is_sentence_apart(lines: &[TextLine], at: usize, band: &Bounds) -> bool {
    let Some(line @ TextLine { baseline, size, .. }) = lines.get(at) else { return false };
    let mut words = line.chunks.iter().flat_map(|chunk| &chunk.words);
    let above = at.checked_sub(1).and_then(|above| lines.get(above)).map_or(band.y0, |above| above.baseline);
    let below = lines.get(at + 1).map_or(band.y1 + size, |below| below.baseline);
    let is_far = |from: f32, to: f32| to - from > NEXT_LINE_EM.end * size;
    let is_left = line.chunks.first().is_some_and(|first| first.bounds.x0 - band.x0 < MAX_INDENT * size);
    let is_sentence = (is_one(line) || is_spread(line)) && words.clone().count() >= MIN_SENTENCE;
    let ends = words.next_back().is_some_and(|last| last.word.text.ends_with([':', '.']));
    is_left && is_sentence && ends && is_far(above, *baseline) && is_far(*baseline, below)
}

/// The number of lines above the paragraph that ends a band: it stands below rows, further from them than they and its own
/// lines are from each other.
fn rows_above_text(lines: &[TextLine], band: &Bounds) -> usize {
    let Some((last, above)) = lines.split_last() else { return 0 };
    let rows = above.iter().rposition(|line| !is_full(line, band)).map_or(0, |row| row + 1);
    let step = |at: usize| lines.get(at).zip(lines.get(at + 1)).map_or(0.0, |(own, next)| next.baseline - own.baseline);
    let is_apart = rows > 1 && step(rows - 1) > TEXT_SPACE * step(rows - 2).max(step(rows));
    if rows < above.len() && is_one(last) && is_flush(last, band) && is_apart { rows } else { lines.len() }
}

/// Whether full lines are all that a band holds. The first one may be indented.
fn is_paragraph(lines: &[TextLine], band: &Bounds) -> bool {
    let is_first = |at: usize, line: &TextLine| at == 0 && is_one(line) && is_wide(line, band);
    !lines.is_empty() && lines.iter().enumerate().all(|(at, line)| is_full(line, band) || is_first(at, line))
}

/// Whether a band holds one paragraph of several lines. All are as wide as the band but the last, which ends a sentence.
fn is_short_paragraph(lines: &[TextLine], band: &Bounds) -> bool {
    let [first, .., last] = lines else { return false };
    let is_line = |line: &TextLine| is_one(line) || is_spread(line);
    let ends = |line: &TextLine| {
        let end =
            line.chunks.last().and_then(|chunk| chunk.words.last()).and_then(|word| word.word.text.chars().last());
        matches!(end, Some('.' | '!' | '?' | '。'))
    };
    let left = |line: &TextLine| line.chunks.first().map_or(band.x1, |chunk| chunk.bounds.x0);
    let is_flush = left(last) <= left(first) && left(last) - band.x0 < MIN_INDENT * last.size + 2.0;
    lines.iter().all(is_line) && lines.iter().rev().skip(1).all(|line| is_wide(line, band)) && is_flush && ends(last)
}

/// Whether a line is one text from the left edge over most of the width. The rest of a cell in a later column begins
/// further in.
fn is_full(line: &TextLine, band: &Bounds) -> bool {
    is_one(line) && is_flush(line, band) && is_wide(line, band)
}

/// Whether a line begins at the left edge.
fn is_flush(line: &TextLine, band: &Bounds) -> bool {
    line.chunks.first().is_some_and(|chunk| chunk.bounds.x0 - band.x0 < MIN_INDENT * line.size + 2.0)
}

/// Whether a text is but the mark of an item.
fn is_mark(words: &[PlacedWord]) -> bool {
    matches!(words, [mark] if is_list_mark(&mark.word.text))
}

/// Whether the text of a line takes most of the width.
fn is_wide(line: &TextLine, band: &Bounds) -> bool {
    let width: f32 = line.chunks.iter().map(|chunk| chunk.bounds.x1 - chunk.bounds.x0).sum();
    width > 0.6 * (band.x1 - band.x0)
}

/// Whether a line is a label alone: its caption stands below it.
fn is_label_alone(line: &TextLine) -> bool {
    is_labelled(&line.chunks) && line.chunks.iter().map(|chunk| chunk.words.len()).sum::<usize>() == 2
}

/// Whether the gaps of a line are as even as those of a justified line.
fn is_spread(line: &TextLine) -> bool {
    let words: Vec<PlacedWord> = line.chunks.iter().flat_map(|chunk| &chunk.words).copied().collect();
    matches!(text_lines(&words).as_slice(), [only] if only.chunks.len() == 1)
}

/// Whether a line is one text: its number may stand apart from it.
fn is_one(line: &TextLine) -> bool {
    match line.chunks.as_slice() {
        [_] => true,
        [a, b] => b.bounds.x0 - a.bounds.x1 < MAX_CAPTION_GAP * line.size,
        _ => false,
    }
}

/// Whether a line is the caption of the table below it, which begins with heads. The title of a group of rows has values
/// below it, and is short.
fn is_caption(line: &TextLine, area: &Bounds, page_lines: &[TextLine], is_first: bool) -> bool {
    if is_first && is_long_caption(line) {
        return true;
    }
    if !is_one(line) || !is_labelled(&line.chunks) {
        return false;
    }
    let below = page_lines.iter().filter(|other| other.baseline > line.baseline + 0.5 * line.size);
    let mut rows = below.map(|line| chunks_within(line, area)).filter(|own| own.len() > 1);
    let is_value = |chunk: &&&Chunk| chunk.is_value() && has_digit(chunk);
    rows.next().is_some_and(|own| 2 * own.iter().filter(is_value).count() < own.len())
}

/// Whether a line is a label and the words of its caption, which may stand apart from it.
fn is_long_caption(line: &TextLine) -> bool {
    let [label, text] = line.chunks.as_slice() else { return false };
    label.words.len() == 2
        && is_labelled([label])
        && text.words.len() >= MIN_CAPTION_WORDS
        && text.bounds.x0 - label.bounds.x1 < WIDE_CAPTION_GAP * line.size
}

/// Whether these texts of a line begin with the label of a caption.
fn is_labelled<'c, 'p: 'c>(chunks: impl IntoIterator<Item = &'c Chunk<'p>>) -> bool {
    is_caption_label(chunks.into_iter().flat_map(|chunk| &chunk.words).map(|word| word.word.text.as_str()))
}

/// Whether a band can hold rows: its lines have several chunks, or are few and short, and no large space is white.
fn is_tabular(band: &Bounds, lines: &[TextLine], is_ruled: bool, slanted: &[Bounds]) -> bool {
    let size = lines.iter().map(|line| line.size).fold(0.0, f32::max);
    let limit =
        |a: &TextLine, b: &TextLine| if is_ruled { MAX_RULED_WHITE * a.size.max(b.size) } else { MAX_WHITE * size };
    // Heads may be slanted to stand over narrow columns.
    let is_empty = |a: &TextLine, b: &TextLine| {
        let space = Bounds { y0: a.baseline, y1: b.baseline, ..*band };
        !slanted.iter().any(|word| is_inside(word, &space))
    };
    let is_white =
        |pair: &[TextLine]| matches!(pair, [a, b] if b.baseline - a.baseline > limit(a, b) && is_empty(a, b));
    // Nor is there space below the last of several rows: a rule far below is that of a foot or a box.
    let has_foot = |last: &TextLine| lines.len() > 2 && band.y1 - last.baseline > limit(last, last);
    if lines.windows(2).any(is_white) || lines.last().is_some_and(has_foot) {
        return false;
    }
    let full_lines = || lines.iter().filter(|line| is_full(line, band));
    let full = full_lines().count();
    let words: usize = full_lines().flat_map(|l| &l.chunks).map(|c| c.words.len()).sum();
    let has_values = lines
        .last()
        .is_some_and(|line| line.chunks.iter().filter(|chunk| chunk.is_value() && has_digit(chunk)).count() > 1);
    full <= 1
        && lines.len() <= 2
        && (has_values || words < 10 || band.y1 - band.y0 < 2.0 * lines.first().map_or(0.0, |l| l.size))
        || 4 * full <= lines.len()
}
