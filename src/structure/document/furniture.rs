//! Furniture: running heads, running feet and page numbers, by repetition and place.

use super::super::bounds::{Frame, quarters};
use super::super::page_structure::{Line, Region};
use super::DocumentPage;
use super::drafts::roman_value;
use std::collections::{BTreeMap, BTreeSet};

/// So many rows at the top and at the bottom of a page may be furniture.
const MAX_ROWS: usize = 4;
/// Furniture stands in this share of the height, at the top or at the bottom.
const ZONE: f32 = 0.14;
/// The margin is this share of the height, and a running line in it has at most so many words.
const MARGIN: f32 = 0.055;
const MAX_MARGINAL_WORDS: usize = 8;
/// Rows at the same height differ by less, in points.
const TOLERANCE_PT: f32 = 3.0;
/// Furniture has this space towards the text, in ems.
const SPACE_EM: f32 = 1.4;
/// A foot of a single page has this space above it, in ems.
const FOOT_SPACE_EM: f32 = 4.0;

/// The lines that are furniture, by page, region and line.
#[derive(Debug, Default)]
pub(super) struct Furniture {
    lines: BTreeSet<(usize, usize, usize)>,
}

impl Furniture {
    pub(super) fn contains(&self, page: usize, region: usize, line: usize) -> bool {
        self.lines.contains(&(page, region, line))
    }
}

/// Lines on one height of a page.
struct Row<'a> {
    lines: Vec<(usize, usize, &'a Line)>,
    /// The distance of its baseline from the top or from the bottom of the page.
    distance: f32,
    /// The space between it and the next row towards the middle of the page, in ems.
    space: f32,
    size: f32,
    is_in_zone: bool,
    is_in_margin: bool,
    parts: Vec<String>,
    /// What numbers that stand alone on it are more than the number of the page.
    offsets: Vec<i64>,
}

/// Finds the furniture of the pages.
pub(super) fn find(pages: &[DocumentPage]) -> Furniture {
    let body = body_size(pages);
    let mut furniture = Furniture::default();
    let offsets = offsets(pages);
    for is_top in [true, false] {
        let rows: Vec<Vec<Row>> = pages.iter().map(|page| outer_rows(page, is_top)).collect();
        let votes = Votes::of(&rows, offsets.clone());
        for (page, rows) in rows.iter().enumerate() {
            // A foot of the only page and a head of a later page have no others to be compared with.
            let is_unique = if is_top { page > 0 } else { pages.len() == 1 };
            let count = rows.iter().take_while(|row| is_furniture(row, &votes, body, is_unique)).count();
            let count = rows.iter().take(count).rposition(|row| row.space > SPACE_EM).map_or(0, |last| last + 1);
            let own = rows.iter().take(count);
            furniture
                .lines
                .extend(own.flat_map(|row| row.lines.iter().map(move |(region, line, _)| (page, *region, *line))));
        }
    }
    furniture
}

/// What the numbers that stand alone in the outer rows are more than the numbers of their pages, by frequency.
fn offsets(pages: &[DocumentPage]) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    for page in pages {
        let rows = [true, false].into_iter().flat_map(|is_top| outer_rows(page, is_top));
        let own: BTreeSet<i64> = rows.filter(|row| row.is_in_zone).flat_map(|row| row.offsets).collect();
        own.into_iter().for_each(|offset| *counts.entry(offset).or_default() += 1);
    }
    counts
}

/// The size of most characters.
fn body_size(pages: &[DocumentPage]) -> f32 {
    let mut sizes: BTreeMap<i32, usize> = BTreeMap::new();
    for region in pages.iter().flat_map(|page| &page.structure.regions) {
        let Region::Column(column) = region else { continue };
        for line in &column.lines {
            *sizes.entry(quarters(line.size)).or_default() += line.len();
        }
    }
    let most = sizes.into_iter().max_by_key(|(_, count)| *count).map_or(40, |(size, _)| size);
    f32::from(i16::try_from(most).unwrap_or(40)) / 4.0
}

/// The outermost rows of a page, the outermost first.
fn outer_rows(page: &DocumentPage, is_top: bool) -> Vec<Row<'_>> {
    let structure = &page.structure;
    let mut lines: Vec<(f32, usize, usize, &Line)> = Vec::new();
    for (region_index, region) in structure.regions.iter().enumerate() {
        let Region::Column(column) = region else { continue };
        let frame = Frame { turn: column.turn, width: structure.width, height: structure.height };
        for (line_index, line) in column.lines.iter().enumerate().filter(|_| column.turn % 180 == 0) {
            let bounds = frame.to_page(line.bounds);
            lines.push((if is_top { bounds.y1 } else { structure.height - bounds.y1 }, region_index, line_index, line));
        }
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rows: Vec<Row> = Vec::new();
    for (distance, region, index, line) in lines {
        let count = rows.len();
        match rows.last_mut() {
            Some(row) if distance - row.distance < 0.4 * line.size.min(row.size) => {
                row.lines.push((region, index, line))
            }
            _ if count > MAX_ROWS => break,
            _ => rows.push(Row {
                lines: vec![(region, index, line)],
                distance,
                space: f32::INFINITY,
                size: line.size,
                is_in_zone: distance < ZONE * structure.height,
                is_in_margin: distance < MARGIN * structure.height,
                parts: Vec::new(),
                offsets: Vec::new(),
            }),
        }
    }
    finish(rows, page.number)
}

fn finish(mut rows: Vec<Row>, page: u32) -> Vec<Row> {
    let distances: Vec<f32> = rows.iter().skip(1).map(|row| row.distance).collect();
    for (row, next) in rows.iter_mut().zip(distances) {
        row.space = (next - row.distance) / row.size.max(1.0);
    }
    for row in &mut rows {
        let parts: Vec<String> = row.lines.iter().flat_map(|(_, _, line)| parts(line)).collect();
        let numbers = parts.iter().filter_map(|part| part.parse::<u16>().ok());
        row.offsets = numbers.map(|number| i64::from(number) - i64::from(page)).collect();
        row.parts = parts.iter().map(|part| signature_of_part(part)).collect();
    }
    rows.truncate(MAX_ROWS);
    rows
}

/// A text with `0` for its numbers.
fn signature_of_part(part: &str) -> String {
    part.split(' ').map(signature).collect::<Vec<_>>().join(" ")
}

/// The texts of a line between wide gaps.
fn parts(line: &Line) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut right = f32::INFINITY;
    for word in &line.words {
        let is_far = word.bounds.x0 - right > 1.5 * line.size;
        match parts.last_mut() {
            Some(part) if !is_far => {
                part.push(' ');
                part.push_str(&word.text);
            }
            _ => parts.push(word.text.clone()),
        }
        right = word.bounds.x1;
    }
    parts
}

/// A word with `0` for its digits, and for Roman numerals.
fn signature(word: &str) -> String {
    if roman_value(word).is_some() {
        return "0".to_owned();
    }
    let mut text = String::new();
    for sign in word.chars() {
        let sign = if sign.is_numeric() { '0' } else { sign };
        if sign != '0' || !text.ends_with('0') {
            text.push(sign);
        }
    }
    text
}

/// How many pages have a text, and how many a row of a size, at a height.
struct Votes<'r> {
    texts: BTreeMap<&'r str, Vec<f32>>,
    places: Vec<(f32, f32, f32)>,
    /// How many pages have a number that is so much more than their own.
    offsets: BTreeMap<i64, usize>,
    pages: usize,
}

impl<'r> Votes<'r> {
    fn of(pages: &'r [Vec<Row>], offsets: BTreeMap<i64, usize>) -> Self {
        let mut votes = Self { texts: BTreeMap::new(), places: Vec::new(), offsets, pages: pages.len() };
        for row in pages.iter().flatten().filter(|row| row.is_in_zone) {
            row.parts.iter().for_each(|part| votes.texts.entry(part).or_default().push(row.distance));
            votes.places.push((row.distance, row.size, row.space));
        }
        votes.texts.values_mut().for_each(|distances| distances.sort_by(f32::total_cmp));
        votes.places.sort_by(|a, b| a.0.total_cmp(&b.0));
        votes
    }

    /// Whether another page has the text at the height.
    fn repeats(&self, text: &str, distance: f32) -> bool {
        let Some(distances) = self.texts.get(text) else { return false };
        let from = distances.partition_point(|other| *other < distance - TOLERANCE_PT);
        let to = distances.partition_point(|other| *other <= distance + TOLERANCE_PT);
        to - from >= 2
    }

    /// Whether a row has a page number: another page counts from the same number.
    fn has_page_number(&self, row: &Row) -> bool {
        row.offsets.iter().any(|offset| self.offsets.get(offset).is_some_and(|count| *count > 1))
    }

    /// Whether a good part of the pages has a row of the same size at the height, with space towards the text.
    fn has_place(&self, row: &Row) -> bool {
        let from = self.places.partition_point(|(other, ..)| *other < row.distance - 1.0);
        let near = self.places.iter().skip(from).take_while(|(other, ..)| *other <= row.distance + 1.0);
        let like = near.filter(|(_, size, space)| (size - row.size).abs() < 0.3 && *space > SPACE_EM).count();
        like >= 3 && 3 * like >= self.pages
    }
}

fn is_furniture(row: &Row, votes: &Votes, body: f32, is_unique: bool) -> bool {
    if !row.is_in_zone || row.size > 1.15 * body {
        return false;
    }
    let has_number = row.parts.iter().any(|part| is_page_number(part));
    let is_small = row.size < 0.95 * body;
    let is_repeated = row.parts.iter().any(|part| part != "0" && votes.repeats(part, row.distance) && part.len() > 1);
    let is_apart = row.space > SPACE_EM;
    is_repeated
        || (has_number
            && is_apart
            && row.parts.iter().all(|part| is_page_number(part) && (votes.pages == 1 || !has_word(part))))
        || (is_apart && votes.has_place(row) && (is_small || has_number))
        || (is_unique && (is_small || is_marginal(row, body)) && row.space > FOOT_SPACE_EM)
        || (is_apart && votes.has_page_number(row))
}

/// Whether a short plain text stands in the margin of the page.
fn is_marginal(row: &Row, body: f32) -> bool {
    let is_plain = |line: &Line| !line.is_bold() && line.words.len() <= MAX_MARGINAL_WORDS;
    row.is_in_margin && row.size < 1.02 * body && row.lines.iter().all(|(_, _, line)| is_plain(line))
}

/// Whether a text is a page number: one or two numbers, and hardly a word besides.
fn is_page_number(part: &str) -> bool {
    let words = part.split(' ').filter(|word| has_word(word));
    let (count, longest) = words.fold((0, 0), |(count, longest), word| (count + 1, word.len().max(longest)));
    (1..=2).contains(&part.matches('0').count())
        && count <= 2
        && longest <= 10
        && !part.contains(['.', ',', '$', '€', '%'])
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}
