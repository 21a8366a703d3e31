//! Rows of words: what stands on one baseline across a page.

/// Baselines that differ by no more than this share of the smaller em are one. Fonts that stand side by side differ by a
/// tenth, the columns of a form by a quarter; lines of text are an em apart. Superscripts have the baseline of their line.
const BASELINE_EM: f32 = 0.3;

/// Groups words by their baselines, from top to bottom. `place` gives the baseline and the em of a word.
pub fn rows_of<W>(mut words: Vec<W>, place: impl Fn(&W) -> (f32, f32)) -> Vec<Vec<W>> {
    words.sort_by(|one, other| place(one).0.total_cmp(&place(other).0));
    let mut rows: Vec<Vec<W>> = Vec::new();
    for word in words {
        let (baseline, size) = place(&word);
        let is_beside = |first: &W| baseline - place(first).0 <= BASELINE_EM * size.min(place(first).1);
        match rows.last_mut().filter(|row| row.first().is_some_and(is_beside)) {
            Some(row) => row.push(word),
            None => rows.push(vec![word]),
        }
    }
    rows
}
