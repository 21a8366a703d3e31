//! Pictures in shades of gray.

#[cfg(feature = "ocr")]
use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};

use super::geometry::{brightness, whole};

/// A picture in shades of gray, row by row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrayImage {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GrayImage {
    /// A picture; `None` if it has no pixels, or not as many as its size says.
    #[must_use]
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        let is_whole = width > 0 && height > 0 && width.checked_mul(height) == Some(pixels.len());
        is_whole.then_some(Self { width, height, pixels })
    }

    /// Pixels from left to right.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The pixels, 0 is black.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks_exact(self.width)
    }

    /// The brightness at a point, interpolated between the four nearest pixels. Outside, that of the nearest edge.
    #[must_use]
    pub fn sample(&self, x: f32, y: f32) -> f32 {
        let (x, y) = (x.clamp(0.0, (self.width - 1) as f32), y.clamp(0.0, (self.height - 1) as f32));
        let (left, top) = (whole(x), whole(y));
        let (beside, below) = (usize::from(left + 1 < self.width), usize::from(top + 1 < self.height));
        let at = top * self.width + left;
        let pixel = |at: usize| self.pixels.get(at).copied().map_or(255.0, f32::from);
        let (right_share, lower_share) = (x - left as f32, y - top as f32);
        let mix = |at: usize| pixel(at) * (1.0 - right_share) + pixel(at + beside) * right_share;
        mix(at) * (1.0 - lower_share) + mix(at + below * self.width) * lower_share
    }

    /// A smaller picture. Each of its pixels is the mean of a square of `factor` by `factor` pixels.
    #[must_use]
    pub fn reduced(&self, factor: usize) -> Self {
        let factor = factor.clamp(1, self.width.min(self.height));
        if factor == 1 {
            return self.clone();
        }
        let (width, height) = (self.width / factor, self.height / factor);
        let area = u32::try_from(factor * factor).unwrap_or(u32::MAX);
        let mut pixels = Vec::with_capacity(width * height);
        for rows in self.pixels.chunks_exact(self.width * factor) {
            let mut sums = vec![0_u32; width];
            for row in rows.chunks_exact(self.width) {
                for (sum, part) in sums.iter_mut().zip(row.chunks_exact(factor)) {
                    *sum += part.iter().copied().map(u32::from).sum::<u32>();
                }
            }
            pixels.extend(sums.into_iter().map(|sum| u8::try_from(sum / area).unwrap_or(u8::MAX)));
        }
        Self { width, height, pixels }
    }

    /// A smaller picture, whose pixels are the means of the areas that they cover.
    #[must_use]
    pub fn shrunk(&self, width: usize, height: usize) -> Self {
        let (width, height) = (width.clamp(1, self.width), height.clamp(1, self.height));
        let columns = shares(self.width, width);
        let mut sums = vec![0.0_f32; width * height];
        for (row, (top, shares)) in self.rows().zip(self::shares(self.height, height)) {
            // One more takes the rest of the last pixel.
            let mut narrow = vec![0.0_f32; width + 1];
            for (pixel, (left, [own, rest])) in row.iter().zip(&columns) {
                if let Some([one, next]) = narrow.get_mut(*left..*left + 2) {
                    *one += f32::from(*pixel) * own;
                    *next += f32::from(*pixel) * rest;
                }
            }
            for (sums, share) in sums.chunks_exact_mut(width).skip(top).zip(shares) {
                sums.iter_mut().zip(&narrow).for_each(|(sum, pixel)| *sum += pixel * share);
            }
        }
        Self { width, height, pixels: sums.into_iter().map(brightness).collect() }
    }

    /// A picture of the same size, whose pixels are drawn by their column and row.
    #[must_use]
    pub fn redrawn(&self, pixel: impl Fn(usize, usize) -> u8) -> Self {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        Self { pixels: places.map(|(x, y)| pixel(x, y)).collect(), ..*self }
    }

    /// A picture of the same size: each pixel is the mean of the three by three around it. Pixels at the edge are repeated.
    #[must_use]
    pub(super) fn averaged(&self) -> Self {
        let rows: Vec<&[u8]> = self.rows().collect();
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for (at, row) in rows.iter().enumerate() {
            let beside = |at: usize| rows.get(at).unwrap_or(row).iter().copied().map(u16::from);
            let columns = beside(at.wrapping_sub(1)).zip(beside(at)).zip(beside(at + 1));
            let sums: Vec<u16> = columns.map(|((above, own), below)| above + own + below).collect();
            let ends = |at: usize| sums.get(at).copied();
            let mean = |at: usize, own: u16| {
                let around = ends(at.wrapping_sub(1)).unwrap_or(own) + own + ends(at + 1).unwrap_or(own);
                u8::try_from(around / 9).unwrap_or(u8::MAX)
            };
            pixels.extend(sums.iter().enumerate().map(|(at, own)| mean(at, *own)));
        }
        Self { pixels, ..*self }
    }

    /// The rows, side by side, in which dark and bright change most often, as they do in text. `share` says how many rows:
    /// a share of the height.
    #[must_use]
    pub fn busiest_strip(&self, share: f32) -> Self {
        let count = whole(share * self.height as f32).clamp(1, self.height);
        let busy: Vec<usize> = self.rows().map(changes).collect();
        let mut inside = busy.iter().take(count).sum::<usize>();
        let mut best = (inside, 0);
        for (at, (gone, new)) in busy.iter().zip(busy.iter().skip(count)).enumerate() {
            inside = inside + new - gone;
            best = if inside > best.0 { (inside, at + 1) } else { best };
        }
        let pixels = self.rows().skip(best.1).take(count).flatten().copied().collect();
        Self { width: self.width, height: count, pixels }
    }

    /// The picture with white boxes. A box is its columns and rows.
    #[must_use]
    pub fn without(mut self, boxes: impl IntoIterator<Item = [Range<usize>; 2]>) -> Self {
        for [columns, rows] in boxes {
            let columns = columns.start.min(self.width)..columns.end.min(self.width);
            for row in self.pixels.chunks_exact_mut(self.width).take(rows.end).skip(rows.start) {
                row.get_mut(columns.clone()).unwrap_or_default().fill(u8::MAX);
            }
        }
        self
    }

    /// What looks like level lines of text of these heights, from the top: runs of rows in which dark and bright change often,
    /// between rows in which they do not. A place is its columns and rows.
    #[must_use]
    pub fn text_lines(&self, heights: RangeInclusive<usize>) -> Vec<[Range<usize>; 2]> {
        let busy: Vec<bool> = self.rows().map(|row| changes(row) >= MIN_LINE_CHANGES).collect();
        let mut lines = Vec::new();
        let mut top = 0;
        for run in busy.chunk_by(|one, next| one == next) {
            let rows = top..top + run.len();
            top = rows.end;
            if run.first() == Some(&true) && heights.contains(&run.len()) {
                let columns = self.rows().skip(rows.start).take(run.len()).filter_map(changing_columns);
                let columns = columns.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
                lines.extend(columns.map(|columns| [columns, rows]));
            }
        }
        lines
    }

    /// Whether there is anything like letters, be it some words: strokes, as opposed to the noise of a blank page.
    #[must_use]
    pub fn has_strokes(&self) -> bool {
        let copy = self.reduced(self.width.div_ceil(NOISELESS_WIDTH));
        let strip = copy.busiest_strip(STROKE_STRIP);
        strip.rows().map(changes).sum::<usize>() as f32 >= STROKES * strip.pixels.len() as f32
    }

    /// The picture after clockwise quarter turns.
    #[must_use]
    pub fn turned(&self, quarters: usize) -> Self {
        let pixels = match quarters % 4 {
            0 => return self.clone(),
            2 => self.pixels.iter().rev().copied().collect(),
            odd => {
                let column = |at: usize| self.pixels.iter().skip(at).step_by(self.width);
                let upwards = |at: usize| column(at).rev().copied();
                match odd {
                    1 => (0..self.width).flat_map(upwards).collect(),
                    _ => (0..self.width).rev().flat_map(|at| column(at).copied()).collect(),
                }
            }
        };
        match quarters % 2 {
            0 => Self { pixels, ..*self },
            _ => Self { width: self.height, height: self.width, pixels },
        }
    }

    /// The part with a level line, which begins at the middle of its left edge.
    #[must_use]
    pub fn cut_line(&self, [left, middle]: [f32; 2], length: f32, thickness: f32) -> Self {
        let top = middle - thickness / 2.0;
        let (first, rows) = (whole(top).min(self.height - 1), whole(thickness).max(1));
        let (left, columns) = (whole(left).min(self.width - 1), whole(length).max(1));
        let rows = rows.min(self.height - first);
        let columns = columns.min(self.width - left);
        let part = self.rows().skip(first).take(rows).flat_map(|row| row.iter().skip(left).take(columns));
        Self { width: columns, height: rows, pixels: part.copied().collect() }
    }

    /// The picture in another size.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let factor = (self.width / width.max(1)).min(self.height / height.max(1)).max(1);
        let source = if factor > 1 { &self.reduced(factor) } else { self };
        let (x_step, y_step) = (source.width as f32 / width as f32, source.height as f32 / height as f32);
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            let y = (row as f32 + 0.5) * y_step - 0.5;
            pixels.extend((0..width).map(|column| {
                let x = (column as f32 + 0.5) * x_step - 0.5;
                brightness(source.sample(x, y))
            }));
        }
        Self { width, height, pixels }
    }
}

/// For each of `length` pixels the first of `count` that cover it, and its shares of that and of the next.
fn shares(length: usize, count: usize) -> Vec<(usize, [f32; 2])> {
    let step = count as f64 / length as f64;
    let share = |at: usize| {
        let (from, to) = (at as f64 * step, (at + 1) as f64 * step);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is less than `count`")]
        let first = (from as usize).min(count - 1);
        let edge = (first + 1) as f64;
        #[allow(clippy::cast_possible_truncation, reason = "shares are small")]
        let shares = [to.min(edge) - from, (to - edge).max(0.0)].map(|share| share as f32);
        (first, shares)
    };
    (0..length).map(share).collect()
}

/// The difference between ink and paper.
const CHANGE: u8 = 60;

/// The width of a copy in which noise has become even, and small letters still differ from the paper.
const NOISELESS_WIDTH: usize = 800;

/// The part of the height that letters are looked for in, and the share of its pixels at which dark and bright change, if
/// there are any.
const STROKE_STRIP: f32 = 0.05;
const STROKES: f32 = 0.001;

/// Minimum number of changes of a row of a line of text: those of a few letters.
const MIN_LINE_CHANGES: usize = 16;

/// How often dark and bright change.
fn changes(row: &[u8]) -> usize {
    row.windows(2).filter(|pair| is_change(pair)).count()
}

/// The columns from the first change of a row to the last.
fn changing_columns(row: &[u8]) -> Option<Range<usize>> {
    let first = row.windows(2).position(is_change)?;
    let last = row.windows(2).rposition(is_change)?;
    Some(first..last + 2)
}

fn is_change(pair: &[u8]) -> bool {
    matches!(pair, [one, other] if one.abs_diff(*other) > CHANGE)
}

/// The largest factor of a reduced copy.
#[cfg(feature = "ocr")]
const MAX_FACTOR: usize = 4;

/// A picture with copies reduced by whole factors, which are made when they are first needed.
#[cfg(feature = "ocr")]
pub(super) struct Pyramid<'i> {
    image: &'i GrayImage,
    /// Reduced by 2 and more.
    copies: [OnceCell<GrayImage>; MAX_FACTOR - 1],
}

#[cfg(feature = "ocr")]
impl<'i> Pyramid<'i> {
    pub(super) fn new(image: &'i GrayImage) -> Self {
        Self { image, copies: Default::default() }
    }

    /// The copy for sampling at steps of `step` pixels, and its factor.
    pub(super) fn at_step(&self, step: f32) -> (&GrayImage, f32) {
        let factor = whole(step).clamp(1, MAX_FACTOR);
        match factor.checked_sub(2).and_then(|at| self.copies.get(at)) {
            Some(copy) => (copy.get_or_init(|| self.image.reduced(factor)), factor as f32),
            None => (self.image, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::GrayImage;

    #[test]
    fn a_picture_has_as_many_pixels_as_its_size_says() {
        assert!(GrayImage::new(2, 2, vec![0; 4]).is_some());
        assert!(GrayImage::new(2, 2, vec![0; 3]).is_none());
        assert!(GrayImage::new(0, 2, Vec::new()).is_none());
    }

    #[test]
    fn samples_lie_between_pixels_and_end_at_the_edges() {
        let image = GrayImage::new(2, 2, vec![0, 100, 200, 100]).unwrap();
        assert_eq!(image.sample(0.5, 0.0), 50.0);
        assert_eq!(image.sample(0.5, 0.5), 100.0);
        assert_eq!(image.sample(9.0, -3.0), 100.0);
    }

    #[test]
    fn a_reduced_picture_has_the_means_of_squares() {
        let image = GrayImage::new(4, 2, vec![0, 100, 10, 10, 100, 0, 10, 30]).unwrap();
        assert_eq!(image.reduced(2), GrayImage::new(2, 1, vec![50, 15]).unwrap());
        assert_eq!(image.reduced(9).width(), 2);
    }

    #[test]
    fn a_shrunk_picture_has_the_means_of_areas() {
        let image = GrayImage::new(3, 2, vec![0, 90, 210, 60, 90, 30]).unwrap();
        assert_eq!(image.shrunk(2, 1), GrayImage::new(2, 1, vec![50, 110]).unwrap());
        assert_eq!(image.shrunk(3, 2), image);
        assert_eq!(image.shrunk(9, 0), GrayImage::new(3, 1, vec![30, 90, 120]).unwrap());
        let white = GrayImage::new(1_000, 700, vec![255; 700_000]).unwrap();
        assert!(white.shrunk(667, 467).pixels().iter().all(|pixel| *pixel == 255));
    }

    #[test]
    fn parts_and_turns_of_a_picture() {
        let image = GrayImage::new(3, 2, vec![1, 2, 3, 4, 5, 6]).unwrap();
        let pixels = |image: GrayImage| (image.width(), image.pixels().to_vec());
        assert_eq!(pixels(image.turned(1)), (2, vec![4, 1, 5, 2, 6, 3]));
        assert_eq!(pixels(image.turned(2)), (3, vec![6, 5, 4, 3, 2, 1]));
        assert_eq!(pixels(image.turned(3)), (2, vec![3, 6, 2, 5, 1, 4]));
        assert_eq!(pixels(image.cut_line([1.0, 0.5], 9.0, 1.0)), (2, vec![2, 3]));
    }

    #[test]
    fn the_busiest_strip_is_where_text_stands() {
        let rows = [[9, 9, 9], [9, 200, 9], [200, 9, 200], [9, 9, 9], [0, 0, 200]];
        let image = GrayImage::new(3, 5, rows.concat()).unwrap();
        assert_eq!(image.busiest_strip(0.4), GrayImage::new(3, 2, vec![9, 200, 9, 200, 9, 200]).unwrap());
        assert_eq!(image.busiest_strip(0.0).height(), 1);
        assert_eq!(image.busiest_strip(9.0), image);
    }

    #[test]
    fn noise_is_no_stroke() {
        // A linear congruential generator gives the same noise each time.
        let noise = (0..960_000_u32).scan(7_u32, |state, _| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some(u8::try_from(state.leading_zeros() * 4 + 200).unwrap_or(u8::MAX))
        });
        let blank = GrayImage::new(800, 1_200, noise.collect()).unwrap();
        assert!(!blank.has_strokes());
        let is_letter = |x: usize, y: usize| (100..130).contains(&y) && (100..200).contains(&x) && x % 10 < 4;
        let word = blank.redrawn(|x, y| if is_letter(x, y) { 20 } else { 230 });
        assert!(word.has_strokes());
    }

    #[test]
    fn lines_of_text_are_found_beside_boxes_that_are_left_out() {
        let blank = GrayImage::new(600, 400, vec![230; 240_000]).unwrap();
        let is_letter = |x: usize, y: usize| (100..400).contains(&x) && y % 50 >= 30 && x % 10 < 4;
        let page = blank.redrawn(|x, y| if is_letter(x, y) { 20 } else { 230 });
        let lines = page.text_lines(10..=30);
        assert_eq!(lines.len(), 8);
        assert_eq!(lines.first(), Some(&[99..395, 30..50]));
        assert!(page.text_lines(21..=30).is_empty());
        assert!(page.text_lines(10..=19).is_empty());
        let rest = page.without([[0..usize::MAX, 0..200], [90..600, 320..usize::MAX]]);
        assert_eq!(rest.text_lines(10..=30), [[99..395, 230..250], [99..395, 280..300]]);
    }

    #[test]
    fn a_resized_picture_has_the_size_that_was_asked_for() {
        let image = GrayImage::new(4, 4, vec![7; 16]).unwrap();
        assert_eq!(image.resized(3, 5), GrayImage::new(3, 5, vec![7; 15]).unwrap());
    }
}
