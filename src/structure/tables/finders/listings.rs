//! Listings: lines of a fixed pitch between prose of another type. What is aligned in them is aligned by spaces.

use super::alignment::MAX_PITCH;
use crate::code_signs::CodeSigns;
use crate::measures::SAME_SIZE;
use crate::reading::{is_whole_shift, pitch};
use crate::tables::layout::lines::{PlacedWord, TextLine};
use pagewise_text::Word;

/// A listing that looks like a table has at least so many lines.
const MIN_LINES: usize = 3;

/// For each chunk of each line whether it is a line of prose, which is known, or of a listing.
pub(super) fn with_listings(lines: &[TextLine], prose: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let mut marks = prose.to_vec();
    if is_typewritten(lines) {
        return marks;
    }
    let open: Vec<usize> = (0..lines.len()).filter(|at| free(lines, prose, *at).next().is_some()).collect();
    let is_next = |above: &usize, below: &usize| match (lines.get(*above), lines.get(*below)) {
        (Some(above), Some(below)) => below.baseline - above.baseline < MAX_PITCH * below.size,
        _ => false,
    };
    let is_alike = |above: &usize, below: &usize| {
        is_next(above, below) && is_typed(lines, prose, *above) && is_typed(lines, prose, *below)
    };
    let runs = open.chunk_by(is_alike).filter(|run| run.len() >= MIN_LINES && is_listing(lines, prose, run));
    let listed: Vec<usize> = runs.flatten().copied().collect();
    for at in listed {
        marks.get_mut(at).into_iter().flatten().for_each(|mark| *mark = true);
    }
    marks
}

/// Whether a page looks typewritten: most of its characters have a fixed pitch, and they are no code. Its tables are typed as
/// well.
fn is_typewritten(lines: &[TextLine]) -> bool {
    let (mut typed, mut all) = (CodeSigns::default(), 0);
    for word in lines.iter().flat_map(|line| &line.chunks).flat_map(|chunk| &chunk.words) {
        all += word.word.text.chars().count();
        if word.word.is_monospace {
            typed.add(&word.word.text);
        }
    }
    2 * typed.characters > all && !typed.are_many()
}

/// The words of a line that are no prose.
fn free<'a, 'p>(
    lines: &'a [TextLine<'p>],
    prose: &'a [Vec<bool>],
    at: usize,
) -> impl Iterator<Item = &'a PlacedWord<'p>> {
    let chunks = lines.get(at).map(|line| line.chunks.as_slice()).unwrap_or_default();
    let own = chunks.iter().zip(prose.get(at).into_iter().flatten()).filter(|(_, is_prose)| !**is_prose);
    own.flat_map(|(chunk, _)| &chunk.words)
}

/// Whether a line has one pitch and one size.
fn is_typed(lines: &[TextLine], prose: &[Vec<bool>], at: usize) -> bool {
    let size = lines.get(at).map_or(0.0, |line| line.size);
    let is_own = |word: &Word| word.is_monospace && size - word.size < SAME_SIZE * size;
    free(lines, prose, at).all(|own| is_own(own.word))
}

/// Whether all words of these lines stand whole characters from each other.
fn is_listing(lines: &[TextLine], prose: &[Vec<bool>], run: &[usize]) -> bool {
    let words = || run.iter().flat_map(|at| free(lines, prose, *at)).map(|own| own.word);
    let Some(pitch) = pitch(words().map(|word| (word.text.as_str(), word.bounds.width()))) else { return false };
    run.iter().all(|at| {
        let own: Vec<&PlacedWord> = free(lines, prose, *at).collect();
        own.windows(2).all(|pair| matches!(pair, [a, b] if is_whole_shift(a.word.bounds, b.word.bounds, pitch)))
    })
}
