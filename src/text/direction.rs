//! Right-to-left text: from the order in which it stands to the order in which it is read.
//!
//! Producers draw it in either order, so that only the places of the glyphs tell. Letters are put in the order of
//! their places and each run is turned, numbers and words of other scripts kept as they stand. This is less than the
//! whole of UAX 9, which goes the other way; nested embeddings cannot be told from places.

use super::lines::{Piece, is_space};
use std::collections::HashSet;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Left,
    Right,
    /// Reads to the right, but does not make its surroundings do so.
    Number,
    Neutral,
}

/// Whether a letter is of a script that is read from right to left.
pub(super) fn is_right_to_left(character: Option<char>) -> bool {
    character.is_some_and(|character| class(character) == Class::Right)
}

fn class(character: char) -> Class {
    match character {
        '0'..='9' | '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Class::Number,
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' => {
            Class::Right
        }
        letter if letter.is_alphabetic() => Class::Left,
        _ => Class::Neutral,
    }
}

/// The pieces of a line in the order in which they are read.
pub(super) fn logical(pieces: &[Piece]) -> Vec<Piece> {
    let placed = placed(pieces);
    let classes = placed.iter().map(|piece| piece.mark.said.first().map_or(Class::Neutral, class)).collect::<Vec<_>>();
    let count = |wanted: Class| classes.iter().filter(|class| **class == wanted).count();
    let is_right = count(Class::Right) >= count(Class::Left);
    let kept = if is_right { [Class::Left, Class::Number] } else { [Class::Right, Class::Right] };
    let mut runs = runs(&classes, kept);
    if is_right {
        runs.reverse();
    }
    let mut logical = Vec::with_capacity(placed.len());
    for run in runs {
        let inner = placed.get(run.clone()).unwrap_or_default();
        let is_kept = classes.get(run.start).is_some_and(|class| kept.contains(class));
        // In a line to the left, what is kept reads to the right; in a line to the right, what is kept is turned.
        if is_kept == is_right { logical.extend_from_slice(inner) } else { logical.extend(turned(inner)) }
    }
    spaced(&logical, pieces)
}

/// The pieces from left to right, spaces between them by their distance.
fn placed(pieces: &[Piece]) -> Vec<Piece> {
    let mut placed = pieces.to_vec();
    placed.sort_by(|a, b| a.mark.start.total_cmp(&b.mark.start));
    placed
}

/// Runs of the `kept` classes with what is neutral inside them, and everything else one by one.
fn runs(classes: &[Class], kept: [Class; 2]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(class) = classes.get(at) {
        let end = if kept.contains(class) { end_of_run(classes, kept, at) } else { at + 1 };
        runs.push(at..end);
        at = end;
    }
    runs
}

fn end_of_run(classes: &[Class], kept: [Class; 2], start: usize) -> usize {
    let rest = classes.iter().enumerate().skip(start);
    let inside = rest.take_while(|(_, class)| kept.contains(class) || **class == Class::Neutral);
    inside.filter(|(_, class)| kept.contains(class)).last().map_or(start + 1, |(last, _)| last + 1)
}

fn turned(pieces: &[Piece]) -> Vec<Piece> {
    pieces.iter().rev().cloned().collect()
}

/// `logical` with spaces where neighbours are apart, or a space was drawn between them.
fn spaced(logical: &[Piece], drawn: &[Piece]) -> Vec<Piece> {
    let parted = drawn.windows(2).filter_map(|pair| match pair {
        [before, after] if after.is_spaced => Some(places(before, after)),
        _ => None,
    });
    let parted = parted.collect::<HashSet<_>>();
    let mut spaced = Vec::with_capacity(logical.len());
    let mut before: Option<&Piece> = None;
    for piece in logical {
        let is_spaced = before.is_some_and(|before| {
            let (left, right) = if before.mark.start <= piece.mark.start { (before, piece) } else { (piece, before) };
            parted.contains(&places(left, right)) || is_space(right.mark.start - left.mark.end, right.mark.size)
        });
        spaced.push(Piece { is_spaced, ..piece.clone() });
        before = Some(piece);
    }
    spaced
}

/// What tells two neighbours from all others, whichever comes first.
fn places(one: &Piece, other: &Piece) -> (u64, u64) {
    let (one, other) = (one.mark.start.to_bits(), other.mark.start.to_bits());
    (one.min(other), one.max(other))
}
