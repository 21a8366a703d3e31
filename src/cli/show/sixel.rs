//! Pictures as sixels: bands of six rows, in a palette of at most 256 colours.

use super::palette::Palette;
use super::resample::Raster;

/// Rows of a band.
const BAND: usize = 6;

/// The picture as a control string of DEC's VT340, with a line end.
pub(super) fn draw(raster: &Raster) -> String {
    let palette = Palette::of(raster);
    let mut text = format!("\u{1b}P0;1;0q\"1;1;{};{}", raster.width, raster.rows.len());
    for (number, color) in palette.colors.iter().enumerate() {
        let [red, green, blue] = color.map(|channel| (u32::from(channel) * 100 + 127) / 255);
        text.push_str(&format!("#{number};2;{red};{green};{blue}"));
    }
    for band in raster.rows.chunks(BAND) {
        let rows = band.iter().map(|row| row.iter().map(|color| palette.number(*color)).collect::<Vec<_>>());
        draw_band(&mut text, &rows.collect::<Vec<_>>(), raster.width);
        text.push('-');
    }
    text.push_str("\u{1b}\\\n");
    text
}

/// Each colour of a band goes over its whole width, one after the other.
fn draw_band(text: &mut String, rows: &[Vec<u8>], width: usize) {
    let mut is_used = [false; 256];
    for number in rows.iter().flatten() {
        if let Some(used) = is_used.get_mut(usize::from(*number)) {
            *used = true;
        }
    }
    let used = (0..=u8::MAX).filter(|number| is_used.get(usize::from(*number)).copied().unwrap_or_default());
    for number in used {
        text.push_str(&format!("#{number}"));
        let bits = |x: usize| {
            let in_row = |(bit, row): (usize, &Vec<u8>)| u8::from(row.get(x) == Some(&number)) << bit;
            rows.iter().take(BAND).enumerate().map(in_row).sum::<u8>()
        };
        draw_runs(text, (0..width).map(bits));
        text.push('$');
    }
}

/// Sixels, with the length before those that repeat.
fn draw_runs(text: &mut String, sixels: impl Iterator<Item = u8>) {
    let mut runs: Vec<(u8, usize)> = Vec::new();
    for sixel in sixels {
        match runs.last_mut().filter(|run| run.0 == sixel) {
            Some(run) => run.1 += 1,
            None => runs.push((sixel, 1)),
        }
    }
    // What is not drawn at the end needs no characters.
    if runs.last().is_some_and(|run| run.0 == 0) {
        runs.pop();
    }
    for (sixel, length) in runs {
        let character = char::from(b'?'.saturating_add(sixel));
        match length {
            1..=3 => (0..length).for_each(|_| text.push(character)),
            _ => text.push_str(&format!("!{length}{character}")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn bands_of_six_rows_are_drawn_colour_by_colour() {
        let (black, white) = ([0; 3], [255; 3]);
        let mut rows = vec![vec![black; 5]; 7];
        rows[1] = vec![white; 5];
        let text = draw(&Raster { width: 5, rows });
        let expected = "^P0;1;0q\"1;1;5;7#0;2;0;0;0#1;2;100;100;100#0!5|$#1!5A$-#0!5@$-^\\\n";
        assert_eq!(text.replace('\u{1b}', "^"), expected);
    }

    #[test]
    fn a_gap_is_kept_and_an_end_is_not() {
        let mut text = String::new();
        draw_runs(&mut text, [1, 0, 0, 1, 0, 0].into_iter());
        assert_eq!(text, "@??@");
    }
}
