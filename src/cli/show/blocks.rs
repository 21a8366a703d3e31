//! Pictures of half blocks: each cell of the terminal shows two pixels, one above the other.

use super::resample::{Raster, Rgb};

/// The upper half of a cell, in the colour of text; the lower half has that of the ground.
const UPPER_HALF: char = '▀';

/// The colours of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// All of them.
    True,
    /// The 256 of xterm.
    Palette,
}

/// The picture as lines of text, each with its line end.
pub(super) fn draw(raster: &Raster, depth: Depth) -> String {
    let mut text = String::new();
    for pair in raster.rows.chunks(2) {
        let upper = pair.first().map(Vec::as_slice).unwrap_or_default();
        let lower = pair.get(1).map(Vec::as_slice).unwrap_or_default();
        let (mut ink, mut ground) = (None, None);
        for (at, color) in upper.iter().enumerate() {
            set(&mut text, 38, &mut ink, Some(*color), depth);
            set(&mut text, 48, &mut ground, lower.get(at).copied(), depth);
            text.push(UPPER_HALF);
        }
        text.push_str("\u{1b}[0m\n");
    }
    text
}

/// Changes the colour of text (38) or of the ground (48), if it is another.
fn set(text: &mut String, what: u8, now: &mut Option<Rgb>, next: Option<Rgb>, depth: Depth) {
    let Some(color) = next.filter(|_| *now != next) else { return };
    *now = next;
    match depth {
        Depth::True => {
            let [red, green, blue] = color;
            text.push_str(&format!("\u{1b}[{what};2;{red};{green};{blue}m"));
        }
        Depth::Palette => text.push_str(&format!("\u{1b}[{what};5;{}m", nearest(color))),
    }
}

/// The nearest of xterm's colours 16 to 255: a cube of 6 × 6 × 6, and 24 grays.
fn nearest(color: Rgb) -> u8 {
    let step = |channel: u8| match channel {
        0..=47 => 0,
        48..=114 => 1,
        _ => (channel - 35) / 40,
    };
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    let [red, green, blue] = color.map(step);
    let in_cube = [red, green, blue].map(level);
    let brightness = color.iter().map(|channel| u16::from(*channel)).sum::<u16>() / 3;
    let gray = u8::try_from(brightness.saturating_sub(3) / 10).unwrap_or(23).min(23);
    let in_grays = [8 + 10 * gray; 3];
    if distance(in_grays, color) < distance(in_cube, color) { 232 + gray } else { 16 + 36 * red + 6 * green + blue }
}

fn distance(one: Rgb, other: Rgb) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_shows_two_pixels_and_colours_are_set_once() {
        let (black, white) = ([0; 3], [255; 3]);
        let raster = Raster { width: 3, rows: vec![vec![black, black, white], vec![white; 3], vec![black; 3]] };
        let expected = "^[38;2;0;0;0m^[48;2;255;255;255m▀▀^[38;2;255;255;255m▀^[0m\n^[38;2;0;0;0m▀▀▀^[0m\n";
        assert_eq!(draw(&raster, Depth::True).replace('\u{1b}', "^"), expected);
    }

    #[test]
    fn the_nearest_of_256_colours_is_taken() {
        let colors = [[0; 3], [255; 3], [128; 3], [255, 0, 0], [0, 95, 135]];
        assert_eq!(colors.map(nearest), [16, 231, 244, 196, 24]);
    }
}
