//! The light of a picture. A scanner lights its page evenly. A photograph has shadows, and a table round the page.

use super::geometry::{brightness, share_of};
use super::gray::GrayImage;

/// The brightness of the paper is measured in squares with sides of this many pixels.
const SQUARE: usize = 32;

/// The paper is as bright as the brightest tenth of a square.
const PAPER: f32 = 0.9;

/// The light is uneven if the darkest quarter of a picture's squares has less than this share of the paper's brightness.
const EVEN: f32 = 0.8;

/// The longer side of the copy on which the light is measured, in pixels.
const SIDE: usize = 1_600;

/// Whether a picture is a photograph rather than a scan.
#[cfg(any(feature = "ocr", test))]
pub(super) fn is_unevenly_lit(picture: &GrayImage) -> bool {
    is_uneven(&papers(picture))
}

fn is_uneven(papers: &[u8]) -> bool {
    let at = |share: f32| f32::from(share_of(papers.to_vec(), share));
    at(0.25) < EVEN * at(0.9)
}

/// A photograph as if its paper were white everywhere; `None` for a scan.
pub(super) fn evenly_lit(image: &GrayImage) -> Option<GrayImage> {
    let factor = image.width().max(image.height()).div_ceil(SIDE);
    let copy = image.reduced(factor);
    let papers = papers(&copy);
    if !is_uneven(&papers) {
        return None;
    }
    let [columns, rows] = [copy.width(), copy.height()].map(|side| side.div_ceil(SQUARE));
    let paper = GrayImage::new(columns, rows, medians(&papers, columns))?;
    let step = (SQUARE * factor) as f32;
    let square = |at: usize| (at as f32 + 0.5) / step - 0.5;
    Some(image.redrawn(|x, y| {
        let light = paper.sample(square(x), square(y)).max(1.0);
        brightness(image.sample(x as f32, y as f32) * 255.0 / light)
    }))
}

/// The brightness of the paper in each square, row by row.
fn papers(picture: &GrayImage) -> Vec<u8> {
    let rows: Vec<&[u8]> = picture.rows().collect();
    let mut papers = Vec::new();
    for rows in rows.chunks(SQUARE) {
        for left in (0..picture.width()).step_by(SQUARE) {
            let pixels = rows.iter().flat_map(|row| row.iter().skip(left).take(SQUARE));
            papers.push(share_of(pixels.copied().collect(), PAPER));
        }
    }
    papers
}

/// For each square the median of itself and its neighbours: a black square of a drawing is no shadow.
fn medians(papers: &[u8], columns: usize) -> Vec<u8> {
    let rows: Vec<&[u8]> = papers.chunks(columns.max(1)).collect();
    let around = |at: usize| (at.saturating_sub(1), at.min(1) + 2);
    let median = |x: usize, y: usize| {
        let ((left, width), (top, height)) = (around(x), around(y));
        let near = rows.iter().skip(top).take(height).flat_map(|row| row.iter().skip(left).take(width));
        share_of(near.copied().collect(), 0.5)
    };
    (0..rows.len()).flat_map(|y| (0..columns).map(move |x| (x, y))).map(|(x, y)| median(x, y)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    /// Whether a picture with this brightness of the paper at each place counts as a photograph. It has dark lines.
    fn is_photograph(paper: impl Fn(usize, usize) -> u8) -> bool {
        let pixel = |at: usize| if (at / 300) % 16 < 5 { 40 } else { paper(at % 300, at / 300) };
        is_unevenly_lit(&GrayImage::new(300, 400, (0..120_000).map(pixel).collect()).unwrap())
    }

    #[test]
    fn a_page_in_a_shadow_or_on_a_table_is_a_photograph() {
        assert!(!is_photograph(|_, _| 255));
        assert!(!is_photograph(|_, _| 120), "gray paper");
        assert!(!is_photograph(|x, _| if x < 20 { 60 } else { 240 }), "a dark edge");
        assert!(is_photograph(|_, y| if y > 200 { 140 } else { 240 }), "a shadow");
        assert!(is_photograph(|x, y| if x < 80 || y < 64 { 60 } else { 230 }), "a table");
        assert!(!is_unevenly_lit(&GrayImage::new(1, 1, vec![0]).unwrap()));
    }

    #[test]
    fn a_shadow_is_taken_away_and_ink_stays() {
        let lit = |x: usize, y: usize| {
            if y > 200 {
                120
            } else if x < 100 {
                160
            } else {
                240
            }
        };
        let is_ink = |x: usize, y: usize| y % 16 < 5 && !x.is_multiple_of(3);
        let page = GrayImage::new(300, 400, vec![0; 120_000]).unwrap();
        let page = page.redrawn(|x, y| if is_ink(x, y) { lit(x, y) / 4 } else { lit(x, y) });
        let even = evenly_lit(&page).unwrap();
        for (x, y) in [(19, 64), (199, 64), (199, 304), (19, 384)] {
            let [ink, gap] = [2, 12].map(|row| even.sample(x as f32, (y + row) as f32));
            assert!(ink < 90.0 && gap > 220.0, "{x} {y}: {ink} {gap}");
        }
        assert_eq!(evenly_lit(&even), None);
    }
}
