//! Dithered pictures: dots of black on white that stand for shades of gray.

use super::gray::GrayImage;

/// Minimum difference between a dot and each pixel beside, above and below it.
const DOT: u8 = 128;

/// Minimum share of dots among the pixels of a dithered picture. Text and the specks of a fax have far fewer.
const DOT_SHARE: f32 = 0.02;

impl GrayImage {
    /// The picture, in the shades of gray that its dots stand for, if it is dithered.
    #[must_use]
    pub fn without_dither(self) -> Self {
        let is_dithered = dots(&self) as f32 > DOT_SHARE * self.pixels().len() as f32;
        if is_dithered { self.averaged() } else { self }
    }
}

/// The number of pixels that stand alone.
fn dots(image: &GrayImage) -> usize {
    let rows: Vec<&[u8]> = image.rows().collect();
    let triples = rows.windows(3).filter_map(|rows| <[&[u8]; 3]>::try_from(rows).ok());
    triples.map(|[above, row, below]| dots_of_row(above, row, below)).sum()
}

fn dots_of_row(above: &[u8], row: &[u8], below: &[u8]) -> usize {
    let columns = row.windows(3).zip(above.iter().skip(1)).zip(below.iter().skip(1));
    let is_dot = |((beside, above), below): &((&[u8], &u8), &u8)| match beside {
        [left, pixel, right] => {
            let around = [*left, *right, **above, **below];
            let is_far = |is_brighter: bool| {
                around.iter().all(|other| (other > pixel) == is_brighter && other.abs_diff(*pixel) >= DOT)
            };
            is_far(true) || is_far(false)
        }
        _ => false,
    };
    columns.filter(is_dot).count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn picture(pixel: impl Fn(usize, usize) -> bool) -> GrayImage {
        let black = GrayImage::new(300, 300, vec![0; 90_000]).unwrap();
        black.redrawn(|x, y| if pixel(x, y) { 0 } else { 255 })
    }

    #[test]
    fn dots_become_the_gray_that_they_stand_for_and_other_black_and_white_stays() {
        let is_line = |x: usize, y: usize| y % 20 < 3 && x % 12 < 9;
        let text = picture(is_line);
        assert_eq!(text.clone().without_dither(), text);
        let specks = picture(|x, y| is_line(x, y) != (x * y % 997 == 1));
        assert_eq!(specks.clone().without_dither(), specks, "of a fax");
        let dithered = picture(|x, y| is_line(x, y) || (x % 3 == 0 && y % 3 == 0)).without_dither();
        let pixels = dithered.pixels();
        assert!(pixels.iter().filter(|pixel| **pixel == 226).count() > 40_000, "a ninth is black");
        assert!(pixels.iter().filter(|pixel| **pixel == 0).count() > 2_000, "lines stay black");
    }
}
