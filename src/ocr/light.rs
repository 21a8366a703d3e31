//! The light of a picture. A scanner lights its page evenly. A photograph has shadows, and a table round the page.

use super::gray::GrayImage;

/// The brightness of the paper is measured in squares with sides of this many pixels.
const SQUARE: usize = 32;

/// The paper is as bright as the brightest tenth of a square.
const PAPER_SHARE: usize = 10;

/// The light is uneven if the darkest quarter of a picture's squares has less than this share of the paper's brightness.
const EVEN: f32 = 0.8;

/// Whether a picture is a photograph rather than a scan.
pub(super) fn is_unevenly_lit(picture: &GrayImage) -> bool {
    let mut papers = papers(picture);
    papers.sort_unstable();
    let at =
        |share: f32| papers.get(super::geometry::whole(share * papers.len() as f32)).copied().map_or(0.0, f32::from);
    at(0.25) < EVEN * at(0.9)
}

/// The brightness of the paper in each square.
fn papers(picture: &GrayImage) -> Vec<u8> {
    let rows: Vec<&[u8]> = picture.rows().collect();
    let mut papers = Vec::new();
    for rows in rows.chunks(SQUARE) {
        for left in (0..picture.width()).step_by(SQUARE) {
            let mut pixels: Vec<u8> = rows.iter().flat_map(|row| row.iter().skip(left).take(SQUARE)).copied().collect();
            let dark = pixels.len() - pixels.len().div_ceil(PAPER_SHARE);
            papers.push(*pixels.select_nth_unstable(dark).1);
        }
    }
    papers
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
}
