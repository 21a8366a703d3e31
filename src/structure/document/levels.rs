//! The levels of headings: by their numbers, the document's outline, or the rank of their looks.

use super::super::page_structure::{has_letter, roman_value};
use super::OutlineHeading;
use super::drafts::{Draft, DraftKind};
use super::headings::{Flow, MUCH_LARGER, draft_depth, has_lines, heading_size, is_capitals, is_small, size_key};
use super::type_statistics::TypeStatistics;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The level of the sections of a document with a title.
const SECTION: usize = 2;
/// Markdown has so many levels.
const MAX_LEVEL: usize = 6;
const LOWEST: u8 = 6;

/// What the number of a section is. Sections numbered in letters often stand in sections numbered otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    /// With digits, in one part or several.
    Digits,
    Letter,
    Roman,
}

pub(super) fn number_kind(draft: &Draft) -> NumberKind {
    let first = draft.lines.first().and_then(|line| line.words.first()).map_or("", |word| word.text.as_str());
    let head = first.trim_end_matches(['.', ')']);
    match head.chars().find(|sign| !sign.is_alphabetic()) {
        Some(_) => NumberKind::Digits,
        None if roman_value(head).is_some() => NumberKind::Roman,
        None => NumberKind::Letter,
    }
}

/// The look of a heading. The smaller value is the higher rank.
pub(super) type Rank = (Reverse<i32>, bool, bool, bool);

pub(super) fn rank(draft: &Draft) -> Rank {
    let is_bold = draft.share(|style| style.is_bold) > 0.5;
    let is_italic = draft.share(|style| style.is_italic) > 0.5;
    (Reverse(size_key(heading_size(draft))), !is_bold, is_italic, !is_capitals(draft))
}

/// A heading with what tells its level.
struct Heading<'d> {
    draft: &'d Draft<'d>,
    rank: Rank,
    number: NumberKind,
    depth: Option<usize>,
    /// Its depth in the outline.
    entry: Option<usize>,
    /// Whether lines of text stand right below it.
    has_text: bool,
    /// Whether it stands right below the heading before.
    follows: bool,
}

impl Heading<'_> {
    /// The highest level that its number allows. A section is below the title, and below its chapter even if the page of the
    /// chapter was not read.
    fn least_level(&self, has_title: bool) -> usize {
        self.depth.filter(|_| self.number == NumberKind::Digits).map_or(1, |depth| depth + usize::from(has_title))
    }
}

/// The levels of headings, whose indices are in the order of the text.
pub(super) fn levels(flow: Flow, headings: &[usize], outline: &Outline, statistics: &TypeStatistics) -> Vec<u8> {
    let mut before = None;
    let mut own: Vec<Heading> = Vec::new();
    for index in headings {
        let Some(draft) = flow.draft(*index) else { continue };
        own.push(Heading {
            draft,
            rank: rank(draft),
            number: number_kind(draft),
            depth: draft_depth(draft),
            entry: outline.depth(draft),
            has_text: flow.next(*index).is_some_and(has_lines),
            follows: before.and_then(|before| flow.next_index(before)) == Some(*index),
        });
        before = Some(*index);
    }
    let ranks = section_ranks(&own);
    let by_rank = |rank: Rank| 1 + ranks.partition_point(|other| *other < rank).min(MAX_LEVEL - 1);
    let has_title = has_title(&own);
    let known = known_levels(&own, has_title, &by_rank);
    let mut looks: BTreeMap<Rank, Vec<usize>> = BTreeMap::new();
    for (heading, level) in own.iter().zip(&known) {
        looks.entry(heading.rank).or_default().extend(level);
    }
    let by_look: BTreeMap<Rank, usize> =
        looks.into_iter().filter_map(|(rank, levels)| Some((rank, most(levels.into_iter())?))).collect();
    let mut levels = Vec::new();
    let mut part = SmallPart::default();
    let mut above = 1;
    for (heading, known) in own.iter().zip(known) {
        let is_small = is_small(heading.draft, statistics);
        let by_place = || match is_small {
            true => part.level(heading, above, by_rank(heading.rank)),
            false => by_rank(heading.rank),
        };
        above = known.or_else(|| by_look.get(&heading.rank).copied()).unwrap_or_else(by_place).clamp(1, MAX_LEVEL);
        part.add(heading.rank, above, is_small);
        levels.push(above);
    }
    without_gaps(&own, &levels, has_title).into_iter().map(|level| u8::try_from(level).unwrap_or(1)).collect()
}

/// Closes gaps in the levels: a heading comes one level below the heading above it in rank, or deeper if its section number
/// says so. Headings that had one level and look alike stay on one: the level that most of them get.
fn without_gaps(headings: &[Heading], levels: &[usize], has_title: bool) -> Vec<usize> {
    let mut above: Vec<(usize, usize)> = Vec::new();
    let mut nested: BTreeMap<(usize, Rank), Vec<usize>> = BTreeMap::new();
    for (heading, level) in headings.iter().zip(levels) {
        above.truncate(above.partition_point(|(other, _)| other < level));
        let own = above.last().map_or(*level, |(_, own)| (own + 1).max(heading.least_level(has_title)).min(*level));
        above.push((*level, own));
        nested.entry((*level, heading.rank)).or_default().push(own);
    }
    let own = |(heading, level): (&Heading, &usize)| {
        let nested = nested.get(&(*level, heading.rank)).into_iter().flatten();
        most(nested.copied()).unwrap_or(*level)
    };
    headings.iter().zip(levels).map(own).collect()
}

/// The levels that numbers and the outline tell.
fn known_levels(headings: &[Heading], has_title: bool, by_rank: &dyn Fn(Rank) -> usize) -> Vec<Option<usize>> {
    // Sections numbered in letters often stand in sections numbered otherwise.
    let offset = |kind: NumberKind| {
        let own = || headings.iter().filter(|heading| heading.number == kind);
        // If sections `1` and `1.1` look alike, the level of their look is that of `1`.
        let mut highest: BTreeMap<Rank, usize> = BTreeMap::new();
        for (rank, depth) in own().filter_map(|heading| Some((heading.rank, heading.depth?))) {
            highest.entry(rank).and_modify(|own| *own = depth.min(*own)).or_insert(depth);
        }
        let numbered = own().filter(|heading| heading.depth.is_some());
        most(numbered.filter_map(|heading| Some(by_rank(heading.rank).saturating_sub(*highest.get(&heading.rank)?))))
    };
    let offsets = [NumberKind::Digits, NumberKind::Letter, NumberKind::Roman].map(|kind| (kind, offset(kind)));
    let offset = |kind: NumberKind| offsets.iter().find(|(other, _)| *other == kind).and_then(|(_, offset)| *offset);
    let outlined = headings.iter().filter_map(|heading| Some((heading.entry?, by_rank(heading.rank))));
    let entries = entry_offset(&outlined.collect::<Vec<_>>());
    let level = |heading: &Heading| {
        let numbered = heading.depth.zip(offset(heading.number));
        let numbered = numbered.map(|(depth, offset)| (depth + offset).max(heading.least_level(has_title)));
        numbered.or_else(|| Some(heading.entry? + entries?))
    };
    headings.iter().map(level).collect()
}

/// Whether the first page has a title: a heading without a number that ranks above all sections with numbers.
fn has_title(headings: &[Heading]) -> bool {
    let (sections, others): (Vec<&Heading>, Vec<&Heading>) =
        headings.iter().partition(|heading| heading.depth.is_some());
    let highest = sections.iter().map(|heading| heading.rank).min();
    others.iter().any(|heading| heading.draft.place.page == 0 && highest.is_some_and(|highest| heading.rank < highest))
}

/// How far the levels of headings are below their depths in the outline: by one if it lacks the title, as that of a paper
/// does. `None` if it has one depth for headings that look different, and so does not tell their levels. Takes pairs of the
/// depth of a heading and the level that its look has.
fn entry_offset(pairs: &[(usize, usize)]) -> Option<usize> {
    let (depth, level) = *pairs.iter().min()?;
    let is_flat = pairs.iter().all(|(other, _)| *other == depth) && pairs.iter().any(|(_, other)| *other != level);
    (!is_flat).then(|| usize::from(level > depth))
}

/// The most frequent value, the smallest of several.
fn most(values: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().max_by_key(|(value, count)| (*count, Reverse(*value))).map(|(value, _)| value)
}

/// The ranks that show the level of a heading, the highest first. A line that looks like no other and is followed by no
/// text, such as a subtitle, a motto or the thanks at the end, stands between two levels and is none, unless it is the title.
/// So is one before the first numbered section: an abstract holds no sections, in whatever capitals its name is set.
fn section_ranks(headings: &[Heading]) -> Vec<Rank> {
    let first = headings.iter().map(|heading| heading.draft.place.page).min();
    let title =
        headings.iter().filter(|heading| Some(heading.draft.place.page) == first).map(|heading| heading.rank).min();
    let mut counts: BTreeMap<Rank, (usize, bool)> = BTreeMap::new();
    let first_section = headings.iter().position(|heading| heading.depth == Some(1)).unwrap_or(0);
    for (at, heading) in headings.iter().enumerate() {
        let (count, is_section) = counts.entry(heading.rank).or_default();
        *count += 1;
        *is_section |= heading.depth.is_some() || heading.has_text && at >= first_section;
    }
    let is_level =
        |(rank, (count, is_section)): &(Rank, (usize, bool))| *is_section || *count > 1 || Some(*rank) == title;
    counts.into_iter().filter(is_level).map(|(rank, _)| rank).collect()
}

/// A part of a document in type smaller than the body, such as what follows the text of a paper. Its first headings are those
/// of sections, although they are smaller than other headings.
#[derive(Default)]
struct SmallPart {
    levels: Vec<(Rank, usize)>,
}

impl SmallPart {
    /// The level of a heading of the part; `above` is that of the heading before.
    fn level(&self, heading: &Heading, above: usize, by_rank: usize) -> usize {
        let alike = self.levels.iter().find(|(rank, _)| *rank == heading.rank);
        match (alike, self.levels.first()) {
            (Some((_, level)), _) => *level,
            (None, _) if heading.follows => above + 1,
            (None, Some((_, first))) => *first,
            (None, None) => by_rank.min(SECTION),
        }
    }

    fn add(&mut self, rank: Rank, level: usize, is_small: bool) {
        match is_small {
            true => self.levels.push((rank, level)),
            false => self.levels.clear(),
        }
    }
}

/// Sets the headings of the structure tree one level lower if their highest stand below a title that the tree takes for a
/// paragraph, as that of a paper.
pub(super) fn set_below(drafts: &mut [Draft], title: usize) {
    let Some(own) = drafts.get(title).map(rank) else { return };
    let highest = drafts.iter().enumerate().filter(|(_, draft)| draft.kind == DraftKind::Heading { level: 1 });
    let are_below: Vec<bool> = highest.map(|(at, draft)| at > title && rank(draft) > own).collect();
    if are_below.len() > 1 && !are_below.contains(&false) {
        for draft in drafts.iter_mut() {
            if let DraftKind::Heading { level } = &mut draft.kind {
                *level = level.saturating_add(1).min(LOWEST);
            }
        }
    }
}

/// Sets the headings of the structure tree one level lower after a title of their highest level: it stands on the first page,
/// in much larger type than all others of this level.
pub(super) fn set_below_tagged_title(drafts: &mut [Draft]) {
    let highest: Vec<(usize, f32)> = (drafts.iter().enumerate())
        .filter(|(_, draft)| draft.kind == DraftKind::Heading { level: 1 })
        .map(|(at, draft)| (at, heading_size(draft)))
        .collect();
    let Some((title, size)) = highest.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let is_on_first = drafts.get(title).is_some_and(|draft| draft.place.page == 0);
    let is_alone = highest.iter().all(|(at, own)| *at == title || MUCH_LARGER * own <= size);
    if is_on_first && is_alone && highest.iter().filter(|(at, _)| *at > title).count() > 1 {
        for draft in drafts.iter_mut().skip(title + 1) {
            if let DraftKind::Heading { level } = &mut draft.kind {
                *level = level.saturating_add(1).min(LOWEST);
            }
        }
    }
}

/// The titles of the document's outline.
pub(super) struct Outline {
    depths: BTreeMap<String, usize>,
}

impl Outline {
    pub(super) fn new(entries: &[OutlineHeading]) -> Self {
        let entries = entries.iter().filter(|entry| has_letter(&entry.title));
        Self { depths: entries.map(|entry| (plain(&entry.title), usize::from(entry.depth))).collect() }
    }

    pub(super) fn depth(&self, draft: &Draft) -> Option<usize> {
        self.depths.get(&plain(&draft.text())).copied()
    }
}

/// Letters and digits only, in small letters.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
