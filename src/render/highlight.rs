//! Paints highlights over a drawn page.

use super::size::Canvas;

/// The most boxes that are painted.
const MAX_HIGHLIGHTS: usize = 1_000;

/// What is left of red, green and blue under a highlight, of 255: black text stays black on yellow.
const YELLOW: [u16; 3] = [255, 240, 90];

/// A part of a page in user space units from the top left of the page as displayed: left, top, right, bottom.
pub type HighlightBox = [f32; 4];

/// Paints `boxes` over RGBA pixels in a translucent yellow.
pub(super) fn paint_highlights(pixels: &mut [u8], canvas: &Canvas, boxes: &[HighlightBox]) {
    let width = usize::from(canvas.width);
    for [left, top, right, bottom] in boxes.iter().take(MAX_HIGHLIGHTS) {
        let (first, last) = span(*left, *right, canvas.scale, canvas.left, canvas.width);
        let (upper, lower) = span(*top, *bottom, canvas.scale, canvas.top, canvas.height);
        let rows = pixels.chunks_exact_mut(width.saturating_mul(4).max(4));
        for row in rows.skip(upper).take(lower.saturating_sub(upper)) {
            let (row, _) = row.as_chunks_mut::<4>();
            row.iter_mut().take(last).skip(first).for_each(tint);
        }
    }
}

/// The first pixel of a span, and the one after its last.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the casts saturate, and NaN is 0")]
fn span(from: f32, to: f32, scale: f64, offset: f64, pixels: u16) -> (usize, usize) {
    let place = |at: f32| f64::from(at) * scale - offset;
    let (first, last) = (place(from).floor() as usize, place(to).ceil() as usize);
    (first.min(pixels.into()), last.min(pixels.into()))
}

fn tint(pixel: &mut [u8; 4]) {
    for (channel, left) in pixel.iter_mut().zip(YELLOW) {
        *channel = u8::try_from(u16::from(*channel) * left / 255).unwrap_or(u8::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_yellow_and_its_text_stays_black() {
        let canvas = Canvas { width: 4, height: 2, scale: 2.0, left: 2.0, top: 0.0 };
        let mut pixels = [[255; 4]; 8].concat();
        pixels.iter_mut().take(3).for_each(|channel| *channel = 0);
        paint_highlights(&mut pixels, &canvas, &[[0.0, 0.0, 2.0, 0.5], [90.0, 0.0, 99.0, 1.0], [3.0, 1.0, 2.0, 0.0]]);
        let (pixels, _) = pixels.as_chunks::<4>();
        let blue = pixels.iter().map(|[_, _, blue, _]| *blue).collect::<Vec<_>>();
        assert_eq!(blue, [0, 90, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn boxes_beyond_every_number_are_cut() {
        let canvas = Canvas { width: 1, height: 1, scale: 1.0, left: 0.0, top: 0.0 };
        let mut pixels = vec![255; 4];
        paint_highlights(&mut pixels, &canvas, &[[f32::NEG_INFINITY, f32::NAN, f32::INFINITY, f32::MAX]]);
        assert_eq!(pixels, [255, 240, 90, 255]);
    }
}
