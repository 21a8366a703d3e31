//! Scales a picture down: each new pixel is the mean of the pixels that it covers.

use crate::tool::Pixels;

/// A colour without transparency.
pub(super) type Rgb = [u8; 3];

/// Rows of colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Raster {
    pub(super) width: usize,
    pub(super) rows: Vec<Vec<Rgb>>,
}

impl Raster {
    /// The colours of `pixels`, which stand on white.
    pub(super) fn of(pixels: &Pixels) -> Self {
        let width = usize::from(pixels.width);
        let colors = pixels.rgba.as_chunks().0.iter().map(on_white).collect::<Vec<_>>();
        let rows = colors.chunks(width.max(1)).take(usize::from(pixels.height)).map(<[Rgb]>::to_vec);
        Self { width, rows: rows.collect() }
    }

    /// The same picture with `width` times `height` pixels.
    pub(super) fn scaled(&self, width: usize, height: usize) -> Self {
        let rows = (0..height).map(|y| {
            let rows = self.rows.get(share(y, height, self.rows.len())).unwrap_or_default();
            (0..width).map(|x| mean(rows, share(x, width, self.width))).collect()
        });
        Self { width, rows: rows.collect() }
    }
}

fn on_white([red, green, blue, alpha]: &[u8; 4]) -> Rgb {
    let blend = |channel: &u8| {
        let sum = u32::from(*channel) * u32::from(*alpha) + 255 * (255 - u32::from(*alpha));
        u8::try_from(sum / 255).unwrap_or(u8::MAX)
    };
    [blend(red), blend(green), blend(blue)]
}

/// The positions among `all` that the part `at` of `parts` covers; at least one if there are any.
fn share(at: usize, parts: usize, all: usize) -> std::ops::Range<usize> {
    let parts = parts.max(1);
    let start = at.saturating_mul(all) / parts;
    let end = (at + 1).saturating_mul(all).div_ceil(parts);
    start.min(all)..end.clamp(start, all)
}

/// The mean colour of the pixels `columns` of `rows`; white if there are none.
fn mean(rows: &[Vec<Rgb>], columns: std::ops::Range<usize>) -> Rgb {
    let covered = rows.iter().filter_map(|row| row.get(columns.clone())).flatten();
    let (mut sums, mut count) = ([0_u64; 3], 0_u64);
    for color in covered {
        sums.iter_mut().zip(color).for_each(|(sum, channel)| *sum += u64::from(*channel));
        count += 1;
    }
    if count == 0 {
        return [u8::MAX; 3];
    }
    sums.map(|sum| u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_the_mean_of_what_it_covers() {
        let black = [0, 0, 0, 255];
        let clear = [9, 9, 9, 0];
        let pixels = Pixels { width: 4, height: 1, rgba: [black, black, black, clear].concat() };
        let raster = Raster::of(&pixels);
        assert_eq!(raster.rows, [vec![[0; 3], [0; 3], [0; 3], [255; 3]]]);
        assert_eq!(raster.scaled(2, 1).rows, [vec![[0; 3], [128; 3]]]);
        assert_eq!(raster.scaled(8, 2).rows.len(), 2, "a larger picture repeats pixels");
    }
}
