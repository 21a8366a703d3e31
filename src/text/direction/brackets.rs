//! Brackets in right-to-left text, whose shapes are mirrored (UAX 9, L4).

use super::super::lines::{Line, Piece};
use super::super::mark::Said;
use super::reordered;

/// How a page's fonts name brackets in right-to-left text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Brackets {
    /// By meaning: an opening bracket is read first.
    Meant,
    /// By the shape on the page.
    Shaped,
}

impl Brackets {
    /// The naming on the page with these lines. Shape if undecided: font tables know only shapes.
    pub(in super::super) fn of<'l>(lines: impl Iterator<Item = &'l Line>) -> Self {
        let mixed = lines.filter(|line| line.pieces.iter().any(is_candidate) && line.is_mixed());
        let strays = mixed.map(|line| strays(&line.pieces)).fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1));
        if strays.0 < strays.1 { Self::Meant } else { Self::Shaped }
    }

    pub(super) fn apply(self, said: &mut Said) {
        if let (Self::Shaped, Said::One(shape)) = (self, &*said)
            && let Some(meant) = mirrored(*shape)
        {
            *said = Said::One(meant);
        }
    }
}

fn is_candidate(piece: &Piece) -> bool {
    piece.mark.said.first().and_then(mirrored).is_some()
}

/// The number of unmatched brackets in reversed runs: as named, and mirrored.
fn strays(pieces: &[Piece]) -> (usize, usize) {
    let turned = reordered(pieces).into_iter().filter(|read| read.is_turned);
    let brackets = turned.filter_map(|read| read.piece.mark.said.first()).filter_map(opens).collect::<Vec<_>>();
    let closed_before_opened = |closing: bool| {
        brackets.iter().fold((0_usize, 0_usize), |(open, strays), opens| {
            match (*opens != closing, open.checked_sub(1)) {
                (true, _) => (open + 1, strays),
                (false, Some(open)) => (open, strays),
                (false, None) => (open, strays + 1),
            }
        })
    };
    let ((left, strays), (turned_left, turned_strays)) = (closed_before_opened(false), closed_before_opened(true));
    (left + strays, turned_left + turned_strays)
}

fn opens(bracket: char) -> Option<bool> {
    match bracket {
        '(' | '[' | '{' => Some(true),
        ')' | ']' | '}' => Some(false),
        _ => None,
    }
}

fn mirrored(shape: char) -> Option<char> {
    Some(match shape {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        '‹' => '›',
        '›' => '‹',
        _ => return None,
    })
}
