//! Boxes of text, from the marks that a detection model sets on a picture.
//!
//! The model gives each pixel a probability that it lies in the core of a line. Connected pixels are one region. Its
//! moments give its direction, and its core is widened to the whole letters (DB, section 3.4).

use super::geometry::{Direction, median};

/// Pixels that are more probable than this belong to a core.
const CORE: f32 = 0.3;

/// The least mean probability of a region.
const MIN_MEAN: f32 = 0.5;

/// The least thickness of a core in pixels of the model.
const MIN_THICKNESS: f32 = 2.0;

/// How far a core is widened: its area by its perimeter, times this.
const WIDENING: f32 = 1.6;

/// The most regions of a page. Further ones are left out.
const MAX_REGIONS: usize = 4_000;

/// Regions less elongated than this have no direction of their own.
const ELONGATION: f32 = 2.0;

/// A part of a line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextRegion {
    /// Its middle.
    pub(super) center: [f32; 2],
    /// Along its longer side.
    pub(super) direction: Direction,
    /// Its longer side.
    pub(super) length: f32,
    /// Its shorter side.
    pub(super) thickness: f32,
}

impl TextRegion {
    /// Whether its longer side shows the direction of its text.
    pub(super) fn is_elongated(&self) -> bool {
        self.length > ELONGATION * self.thickness
    }

    /// The region read along `direction`: turned by half if it points the other way, and by a quarter if it is short.
    pub(super) fn along(self, direction: Direction) -> Self {
        let cosine = self.direction.dot(direction);
        let is_across = cosine.abs() < std::f32::consts::FRAC_1_SQRT_2;
        match is_across {
            true if self.is_elongated() => self,
            true => Self { direction, length: self.thickness, thickness: self.length, ..self },
            false if cosine < 0.0 => Self { direction: self.direction.reverse(), ..self },
            false => self,
        }
    }

    /// The region of a picture that is larger by these factors.
    pub(super) fn scaled(self, [x, y]: [f32; 2]) -> Self {
        let [center_x, center_y] = self.center;
        let (along, across) = match self.direction.x.abs() > self.direction.y.abs() {
            true => (x, y),
            false => (y, x),
        };
        Self {
            center: [(center_x + 0.5) * x, (center_y + 0.5) * y],
            length: self.length * along,
            thickness: self.thickness * across,
            ..self
        }
    }
}

/// The regions of a map of probabilities with rows of `width` pixels.
pub(super) fn find_regions(probabilities: &[f32], width: usize) -> Vec<TextRegion> {
    let mut is_open: Vec<bool> = probabilities.iter().map(|probability| *probability > CORE).collect();
    let mut regions = Vec::new();
    let mut core = Core::default();
    for start in 0..probabilities.len() {
        if !is_open.get(start).copied().unwrap_or(false) || regions.len() >= MAX_REGIONS {
            continue;
        }
        core.fill(start, width, probabilities, &mut is_open);
        regions.extend(core.region());
    }
    regions
}

/// The median thickness of elongated regions.
pub(super) fn usual_thickness(regions: &[TextRegion]) -> Option<f32> {
    median(regions.iter().filter(|region| region.is_elongated()).map(|region| region.thickness).collect())
}

/// Connected pixels.
#[derive(Default)]
struct Core {
    points: Vec<[f32; 2]>,
    sum: f32,
    waiting: Vec<usize>,
}

impl Core {
    /// Collects the open pixels that are connected with `start`, and closes them.
    fn fill(&mut self, start: usize, width: usize, probabilities: &[f32], is_open: &mut [bool]) {
        self.points.clear();
        self.sum = 0.0;
        self.enter(start, is_open);
        while let Some(at) = self.waiting.pop() {
            self.sum += probabilities.get(at).copied().unwrap_or(0.0);
            let (row, column) = (at / width, at % width);
            self.points.push([column as f32, row as f32]);
            let left = at - usize::from(column > 0);
            let right = at + usize::from(column + 1 < width);
            for middle in [left, at, right] {
                self.enter(middle, is_open);
                self.enter(middle + width, is_open);
                if row > 0 {
                    self.enter(middle - width, is_open);
                }
            }
        }
    }

    fn enter(&mut self, at: usize, is_open: &mut [bool]) {
        if let Some(open) = is_open.get_mut(at).filter(|open| **open) {
            *open = false;
            self.waiting.push(at);
        }
    }

    /// The box round the core, widened; `None` if it is too faint or too thin.
    fn region(&self) -> Option<TextRegion> {
        let count = self.points.len() as f32;
        if self.sum < MIN_MEAN * count {
            return None;
        }
        let direction = self.direction(count);
        let (mut along, mut across) = (Span::EMPTY, Span::EMPTY);
        for [x, y] in &self.points {
            along.include(x * direction.x + y * direction.y);
            across.include(y * direction.x - x * direction.y);
        }
        let (length, thickness) = (along.length(), across.length());
        if thickness < MIN_THICKNESS || length < MIN_THICKNESS {
            return None;
        }
        let margin = WIDENING * length * thickness / (2.0 * (length + thickness));
        Some(TextRegion {
            center: direction.point([0.0, 0.0], along.middle(), across.middle()),
            direction,
            length: length + 2.0 * margin,
            thickness: thickness + 2.0 * margin,
        })
    }

    /// The direction of the longer axis; one of the page's if the core is hardly longer than wide.
    fn direction(&self, count: f32) -> Direction {
        let mean = |axis: fn(&[f32; 2]) -> f32| self.points.iter().map(|point| f64::from(axis(point))).sum::<f64>();
        let count = f64::from(count);
        let (x, y) = (mean(|[x, _]| *x) / count, mean(|[_, y]| *y) / count);
        let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
        for [column, row] in &self.points {
            let [dx, dy] = [f64::from(*column) - x, f64::from(*row) - y];
            xx += dx * dx;
            yy += dy * dy;
            xy += dx * dy;
        }
        let spread = (xx - yy).hypot(2.0 * xy);
        // The axes of the ellipse with the same moments, squared.
        let (long, short) = (xx + yy + spread, (xx + yy - spread).max(count / 4.0));
        if long > f64::from(ELONGATION * ELONGATION) * short {
            let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
            return Direction { x: narrow(angle.cos()), y: narrow(angle.sin()) };
        }
        if xx >= yy { Direction::RIGHT } else { Direction::RIGHT.quarter_turn() }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a sine or cosine; the cast rounds")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// A range of coordinates of pixels.
#[derive(Clone, Copy)]
struct Span {
    low: f32,
    high: f32,
}

impl Span {
    const EMPTY: Self = Self { low: f32::MAX, high: f32::MIN };

    fn include(&mut self, at: f32) {
        self.low = self.low.min(at);
        self.high = self.high.max(at);
    }

    /// From the outer edges of its pixels.
    fn length(self) -> f32 {
        self.high - self.low + 1.0
    }

    fn middle(self) -> f32 {
        f32::midpoint(self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    /// The regions of a map of 60 × 60 pixels. `is_marked` says which pixels are text.
    fn regions(is_marked: impl Fn(f32, f32) -> bool) -> Vec<TextRegion> {
        let map = (0..3600_u16).map(|at| {
            let (x, y) = (f32::from(at % 60), f32::from(at / 60));
            if is_marked(x, y) { 0.9 } else { 0.1 }
        });
        find_regions(&map.collect::<Vec<_>>(), 60)
    }

    #[test]
    fn a_bar_becomes_a_wider_box() {
        let found = regions(|x, y| (10.0..50.0).contains(&x) && (20.0..24.0).contains(&y));
        let region = found.first().unwrap();
        assert_eq!((found.len(), region.center, region.direction), (1, [29.5, 21.5], Direction::RIGHT));
        assert!(region.length > 44.0 && (8.0..12.0).contains(&region.thickness), "{region:?}");
    }

    #[test]
    fn a_slanted_bar_keeps_its_direction() {
        let found = regions(|x, y| (5.0..55.0).contains(&x) && (y - 20.0 - x * 0.1).abs() < 2.5);
        let angle = found.first().unwrap().direction.angle();
        assert!((angle - 0.1).abs() < 0.02, "{angle}");
    }

    #[test]
    fn bars_apart_are_two_and_faint_or_thin_marks_are_none() {
        assert_eq!(
            regions(|x, y| (10.0..50.0).contains(&x) && ((y - 10.0).abs() < 3.0 || (y - 40.0).abs() < 3.0)).len(),
            2
        );
        assert_eq!(regions(|_, y| y == 10.0).len(), 0);
        assert_eq!(find_regions(&[0.4; 400], 20).len(), 0);
    }

    #[test]
    fn a_region_is_read_along_the_page() {
        let down = Direction::RIGHT.quarter_turn();
        let word = TextRegion { center: [0.0, 0.0], direction: Direction::RIGHT, length: 30.0, thickness: 20.0 };
        assert_eq!(word.along(down), TextRegion { direction: down, length: 20.0, thickness: 30.0, ..word });
        let line = TextRegion { length: 300.0, ..word };
        assert_eq!(line.along(Direction::RIGHT.reverse()).direction, Direction::RIGHT.reverse());
        assert_eq!(line.along(down), line);
    }
}
