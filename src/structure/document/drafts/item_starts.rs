//! Whether a line begins an item of a list.

use super::markers::Marker;
use super::splitting::Splitter;
use crate::bounds::quarters;
use crate::list_marks::MarkerKind;
use crate::page_structure::Line;
use std::collections::{BTreeMap, VecDeque};

/// A sign of formulas, or a letter, is a mark if the same stands below or above it, at most so many lines away.
const NEAR_LINES: usize = 6;
/// The number of an entry has at most so many digits, and stands at least so many ems before its text.
const MAX_DIGITS: usize = 3;
const APART_EM: f32 = 0.65;
/// A number without a closing sign stands at least so many ems before the text of its item, which has at most so many lines.
const BARE_EM: f32 = 0.3;
const MAX_ITEM_LINES: usize = 12;
/// So many marks are remembered, for items that continue an outer list.
const MAX_RECENT: usize = 16;

/// The marks of the last items, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct RecentMarkers {
    kinds: VecDeque<MarkerKind>,
}

impl RecentMarkers {
    pub(super) fn add(&mut self, marker: &Marker) {
        self.kinds.push_back(marker.kind.clone());
        if self.kinds.len() > MAX_RECENT {
            self.kinds.pop_front();
        }
    }

    fn is_next(&self, marker: &Marker) -> bool {
        self.kinds.iter().any(|kind| marker.kind.follows(kind))
    }
}

/// The index of a line, its number, and that as a mark.
type BareNumber = (usize, u32, Marker);

/// Gives numbers without a closing sign as marks, if each is the next of the one before and a text begins at the same place
/// beside all of them. Entries of contents have numbers that rise by more.
pub(super) fn add_bare_numbers(lines: &[&Line], markers: &mut [Option<Marker>]) {
    let mut places: BTreeMap<(i32, i32), Vec<BareNumber>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some((number, marker)) = bare_number(line) {
            let place = |x: f32| quarters(x / line.size);
            places.entry((place(line.bounds.x0), place(marker.text_left))).or_default().push((at, number, marker));
        }
    }
    for entries in places.values() {
        let is_near = |one: &BareNumber, next: &BareNumber| next.0 - one.0 <= MAX_ITEM_LINES;
        for near in entries.chunk_by(is_near).filter(|near| near.len() > 1) {
            let are_items = near
                .windows(2)
                .all(|pair| matches!(pair, [(_, one, _), (_, next, _)] if *next == one + 1 || *next == 1));
            for (at, _, marker) in near.iter().filter(|_| are_items) {
                if let Some(slot) = markers.get_mut(*at).filter(|slot| slot.is_none()) {
                    *slot = Some(marker.clone());
                }
            }
        }
    }
}

fn bare_number(line: &Line) -> Option<(u32, Marker)> {
    let [first, second, ..] = line.words.as_slice() else { return None };
    let is_number = is_number(&first.text) && !first.text.starts_with('0');
    let is_item = is_number && !first.is_raised && second.text.starts_with(char::is_alphabetic);
    let number =
        first.text.parse().ok().filter(|_| is_item && second.bounds.x0 - first.bounds.x1 > BARE_EM * line.size)?;
    let kind = MarkerKind::Number(number, ' ');
    Some((number, Marker { kind, length: first.text.len(), text_left: second.bounds.x0 }))
}

fn is_number(text: &str) -> bool {
    text.len() <= MAX_DIGITS && text.chars().all(|sign| sign.is_ascii_digit())
}

/// Where the number and the text of an entry begin, in quarter ems.
fn entry_places(line: &Line) -> Option<(i32, i32)> {
    let [number, text, ..] = line.words.as_slice() else { return None };
    let is_apart = text.bounds.x0 - number.bounds.x1 > APART_EM * line.size;
    let place = |x: f32| quarters(x / line.size);
    (is_number(&number.text) && is_apart).then(|| (place(number.bounds.x0), place(text.bounds.x0)))
}

impl Splitter<'_, '_> {
    /// The mark with which a line begins.
    fn marker(&self, index: usize) -> Option<&Marker> {
        self.markers.get(index).and_then(Option::as_ref)
    }

    /// Whether a line begins with the mark of an item. `start` is the first line of the draft before.
    pub(super) fn is_marked(&self, index: usize, start: usize, recent: &RecentMarkers) -> bool {
        let Some(marker) = self.marker(index) else { return false };
        let begins_list = marker.kind.is_first() && self.is_over_next(index);
        let is_number = marker.kind.is_ordered() || marker.kind == MarkerKind::Reference;
        if start < index && is_number && !begins_list && self.is_continuation(start, index) {
            return false;
        }
        let open = self.marker(start).filter(|_| start < index);
        let is_next = recent.is_next(marker) || open.is_some_and(|open| marker.kind.follows(&open.kind));
        match marker.kind {
            MarkerKind::Bullet(_) => true,
            MarkerKind::Reference => is_next || self.is_apart(index, start) || self.hangs(index),
            MarkerKind::WeakBullet('>' | '+' | '⇒' | 'o') if !self.has_neighbour(index) => false,
            MarkerKind::WeakBullet('*') if !is_next && !self.has_successor(index) => false,
            MarkerKind::WeakBullet(_) => is_next || self.is_apart(index, start) || self.hangs(index),
            MarkerKind::Number(..) => {
                is_next
                    || self.is_apart(index, start) && (marker.kind.is_first() || self.is_set_in(index))
                    || begins_list
                    || self.hangs(index)
            }
            MarkerKind::Letter { .. } if self.follows_comma(index, start) => false,
            MarkerKind::Letter { .. } => {
                let is_list = is_next || marker.kind.is_first() && (self.has_successor(index) || self.is_set_in(index));
                is_list && (begins_list || self.is_apart(index, start) || self.hangs(index) || is_next)
            }
        }
    }

    /// Whether the line above ends with a comma, and its text begins with no mark: then a letter is that of a name.
    fn follows_comma(&self, index: usize, start: usize) -> bool {
        let above = index.checked_sub(1).and_then(|above| self.line(above)).and_then(|line| line.words.last());
        let is_text = start < index && self.marker(start).is_none();
        is_text && above.is_some_and(|word| word.text.ends_with(','))
    }

    /// Whether a line stands where the text of a draft goes on, after a full line, and not where its mark stands.
    pub(super) fn is_continuation(&self, start: usize, index: usize) -> bool {
        let (Some(first), Some(line)) = (self.line(start), self.line(index)) else { return false };
        let is_at = |x: f32| (line.bounds.x0 - x).abs() < 0.3 * line.size;
        let is_marked = self.marker(start).is_some();
        let is_below_mark = is_marked && is_at(first.bounds.x0);
        let is_below_text =
            is_at(self.text_left(start, index - 1)) || (index - start == 1 && !is_marked && is_at(first.bounds.x0));
        is_below_text && !is_below_mark && !self.is_spaced(start, index) && !self.ends_early(index - 1, index)
    }

    /// Whether a line is separate from the one before: by space, by indent, or since that ended early.
    pub(super) fn is_apart(&self, index: usize, start: usize) -> bool {
        let Some(before) = index.checked_sub(1) else { return true };
        if start >= index {
            return true;
        }
        self.is_spaced(start, index) || self.is_set_in(index) || self.ends_early(before, index)
    }

    /// Whether the next line begins where the text after the mark does.
    pub(super) fn hangs(&self, index: usize) -> bool {
        let Some(marker) = self.marker(index) else { return false };
        let (Some(line), Some(next)) = (self.line(index), self.line(index + 1)) else { return false };
        let is_below = (next.bounds.x0 - marker.text_left).abs() < 0.3 * line.size;
        is_below && marker.text_left - line.bounds.x0 > 0.5 * line.size && !self.is_spaced(index, index + 1)
    }

    /// Whether the next line begins at its left edge with the mark that follows.
    fn is_over_next(&self, index: usize) -> bool {
        let left = |index: usize| self.line(index).map_or(f32::INFINITY, |line| line.bounds.x0);
        let follows =
            self.marker(index).zip(self.marker(index + 1)).is_some_and(|(own, next)| next.kind.follows(&own.kind));
        follows && (left(index) - left(index + 1)).abs() < 1.0
    }

    /// Whether a line near it has the same mark at the same place. Some marks are signs of formulas or letters too.
    fn has_neighbour(&self, index: usize) -> bool {
        let (Some(own), Some(line)) = (self.marker(index), self.line(index)) else { return false };
        let near = index.saturating_sub(NEAR_LINES)..=index.saturating_add(NEAR_LINES);
        let is_like = |other: usize| {
            let left = self.line(other).map_or(f32::INFINITY, |other| other.bounds.x0);
            let kind = self.marker(other).map(|marker| &marker.kind);
            kind == Some(&own.kind) && (left - line.bounds.x0).abs() < 0.3 * line.size
        };
        near.filter(|other| *other != index).any(is_like)
    }

    /// Whether a line is an entry: a number and a text apart from it, like a line near it at the same places.
    pub(super) fn is_entry(&self, index: usize) -> bool {
        let Some(places) = self.line(index).and_then(entry_places) else { return false };
        let near = index.saturating_sub(NEAR_LINES)..=index.saturating_add(NEAR_LINES);
        near.filter(|other| *other != index)
            .filter_map(|other| entry_places(self.line(other)?))
            .any(|other| other == places)
    }

    /// Whether one of the next lines has the mark that follows.
    pub(super) fn has_successor(&self, index: usize) -> bool {
        let Some(own) = self.marker(index) else { return false };
        let next = self.markers.iter().skip(index + 1).take(40).flatten();
        next.into_iter().any(|other| other.kind.follows(&own.kind))
    }
}
