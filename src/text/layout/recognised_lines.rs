//! Lines that an engine recognised in a picture, here or before the page was made. The sizes and baselines of their words
//! are guesses, which differ by what a word happens to contain.

use super::lines::TextLine;
use super::scripts::Script;

/// Sizes within this share of the usual one count as usual.
const USUAL_RANGE: f64 = 0.2;

/// Gives all words of a line its median size and baseline. A line that is nearly as large as most lines gets their size.
pub(crate) fn settle(lines: &mut [TextLine]) {
    let sizes: Vec<f64> = lines.iter().map(|line| median(line.glyphs.iter().map(|own| own.glyph.size))).collect();
    let usual = median(sizes.iter().copied());
    for (line, size) in lines.iter_mut().zip(sizes) {
        line.size = if (size - usual).abs() < USUAL_RANGE * usual { usual } else { size };
        line.across = median(line.glyphs.iter().map(|own| own.glyph.across));
        let (size, across) = (line.size, line.across);
        line.glyphs.iter_mut().for_each(|own| own.glyph.size = size);
        line.measure();
        line.glyphs.iter_mut().for_each(|own| (own.script, own.baseline) = (Script::Baseline, across));
    }
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
