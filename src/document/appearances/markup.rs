//! Generates appearances of markup annotations from their entries: shapes, lines and text markup (ISO 32000-2, 12.5.6).

use super::AppearanceGenerator;
use super::field_box::{KAPPA, color};
use super::icons::ICONS;
use lopdf::{Dictionary, Object};

/// The subtypes that are drawn. The standard leaves the look of others to the reader.
pub(super) const KINDS: [&[u8]; 11] = [
    b"Ink",
    b"Line",
    b"PolyLine",
    b"Polygon",
    b"Square",
    b"Circle",
    b"Highlight",
    b"Underline",
    b"StrikeOut",
    b"Squiggly",
    b"FreeText",
];

/// The most numbers of one annotation that are read.
const MAX_NUMBERS: usize = 40_000;

/// Coordinates beyond this are clamped, in points.
const MAX_PT: f64 = 20_000.0;

/// The thickness of an underline, as a share of the line's height.
const UNDERLINE: f64 = 1.0 / 16.0;

type Point = (f64, f64);

/// The generated appearance of an annotation, in page coordinates.
pub(super) struct Markup {
    pub(super) content: String,
    /// Left, bottom, right, top.
    pub(super) bounds: [f64; 4],
    pub(super) state: Dictionary,
}

/// A path under construction.
#[derive(Default)]
struct Path {
    operators: String,
    points: Vec<Point>,
}

impl Path {
    fn line(&mut self, points: &[Point]) {
        for (at, (x, y)) in points.iter().enumerate() {
            self.operators.push_str(&format!("{x} {y} {} ", if at == 0 { 'm' } else { 'l' }));
        }
        self.points.extend(points);
    }

    fn ring(&mut self, points: &[Point]) {
        self.line(points);
        self.operators.push_str("h ");
    }

    fn ellipse(&mut self, [left, bottom, right, top]: [f64; 4]) {
        let (x, y) = (f64::midpoint(left, right), f64::midpoint(bottom, top));
        let (dx, dy) = ((right - x) * KAPPA, (top - y) * KAPPA);
        let quarters = [
            [(right, y + dy), (x + dx, top), (x, top)],
            [(x - dx, top), (left, y + dy), (left, y)],
            [(left, y - dy), (x - dx, bottom), (x, bottom)],
            [(x + dx, bottom), (right, y - dy), (right, y)],
        ];
        self.operators.push_str(&format!("{right} {y} m "));
        for [(x1, y1), (x2, y2), (x3, y3)] in quarters {
            self.operators.push_str(&format!("{x1} {y1} {x2} {y2} {x3} {y3} c "));
        }
        self.points.extend([(left, bottom), (right, top)]);
    }

    fn bounds(&self, beyond: f64) -> Option<[f64; 4]> {
        let mut points = self.points.iter();
        let (x, y) = points.next()?;
        let [left, bottom, right, top] = points.fold([*x, *y, *x, *y], |[left, bottom, right, top], (x, y)| {
            [left.min(*x), bottom.min(*y), right.max(*x), top.max(*y)]
        });
        Some([left - beyond, bottom - beyond, right + beyond, top + beyond])
    }
}

impl AppearanceGenerator {
    /// Generates the appearance of an annotation of one of [`KINDS`] or [`ICONS`], except free text; `None` if empty.
    pub(super) fn markup(&self, annotation: &Dictionary) -> Option<Markup> {
        let kind = self.get(annotation, b"Subtype")?.as_name().ok()?;
        if ICONS.contains(&kind) {
            return self.icon(annotation, kind);
        }
        let width = self.line_width(annotation);
        let mut path = Path::default();
        let mut width = width;
        match kind {
            b"Ink" => {
                let strokes = self.get(annotation, b"InkList")?.as_array().ok()?;
                strokes.iter().take(self.parts_left.get()).for_each(|stroke| path.line(&self.points_of(stroke)));
            }
            b"Line" => path.line(&self.points(annotation, b"L")),
            b"PolyLine" => path.line(&self.points(annotation, b"Vertices")),
            b"Polygon" => path.ring(&self.points(annotation, b"Vertices")),
            b"Square" | b"Circle" => {
                let [left, bottom, right, top] = self.inner_rectangle(annotation, width)?;
                match kind {
                    b"Circle" => path.ellipse([left, bottom, right, top]),
                    _ => path.ring(&[(left, bottom), (right, bottom), (right, top), (left, top)]),
                }
            }
            b"Highlight" | b"Underline" | b"StrikeOut" | b"Squiggly" => {
                let points = self.points(annotation, b"QuadPoints");
                for quad in points.as_chunks::<4>().0 {
                    let before = path.points.len();
                    width = mark(&mut path, kind, *quad).clamp(0.1, 20.0);
                    // A squiggly line has more points than the annotation has numbers.
                    if self.take_parts(path.points.len() - before) == 0 {
                        break;
                    }
                }
            }
            _ => return None,
        }
        let bounds = path.bounds(width)?;
        let paint = self.paint(annotation, kind, width)?;
        let content = format!("/G gs {} {width} w 1 j {} {}\n", paint.colors, path.operators, paint.operator);
        Some(Markup { content, bounds, state: self.state(annotation, kind) })
    }

    fn paint(&self, annotation: &Dictionary, kind: &[u8], width: f64) -> Option<Paint> {
        let usual = if kind == b"Highlight" { vec![1.0, 1.0, 0.0] } else { vec![0.0] };
        let parts = self.get(annotation, b"C").map_or(usual, |parts| self.numbers_of(parts));
        if kind == b"Highlight" {
            return Some(Paint { colors: color(&parts, ["g", "rg", "k"])?, operator: "f" });
        }
        let stroke = color(&parts, ["G", "RG", "K"]).filter(|_| width > 0.0);
        let is_filled = matches!(kind, b"Square" | b"Circle" | b"Polygon");
        let fill = self.get(annotation, b"IC").filter(|_| is_filled).map(|parts| self.numbers_of(parts));
        let fill = fill.and_then(|parts| color(&parts, ["g", "rg", "k"]));
        let operator = match (&stroke, &fill) {
            (Some(_), Some(_)) => "B",
            (Some(_), None) => "S",
            (None, Some(_)) => "f",
            (None, None) => return None,
        };
        let dashes = self.dashes(annotation).unwrap_or_default();
        let colors = format!("{} {} {dashes}", stroke.unwrap_or_default(), fill.unwrap_or_default());
        Some(Paint { colors, operator })
    }

    /// The graphics state: opacity, and for highlights a blend mode that keeps the text visible.
    pub(super) fn state(&self, annotation: &Dictionary, kind: &[u8]) -> Dictionary {
        let opacity = self.get(annotation, b"CA").and_then(|opacity| self.number(opacity)).unwrap_or(1.0);
        let opacity = super::numbers(&[opacity.clamp(0.0, 1.0)]);
        let opacity = opacity.as_array().ok().and_then(|numbers| numbers.first().cloned()).unwrap_or(Object::Null);
        let mut state = Dictionary::from_iter([("CA", opacity.clone()), ("ca", opacity)]);
        if kind == b"Highlight" {
            state.set("BM", Object::Name(b"Multiply".to_vec()));
        }
        state
    }

    fn line_width(&self, annotation: &Dictionary) -> f64 {
        let style = self.get(annotation, b"BS").and_then(|style| style.as_dict().ok());
        let styled = style.and_then(|style| self.get(style, b"W")).and_then(|width| self.number(width));
        let border = || self.get(annotation, b"Border").and_then(|border| self.numbers_of(border).get(2).copied());
        styled.or_else(border).unwrap_or(1.0).clamp(0.0, 100.0)
    }

    fn dashes(&self, annotation: &Dictionary) -> Option<String> {
        let style = self.get(annotation, b"BS")?.as_dict().ok()?;
        self.get(style, b"S")?.as_name().ok().filter(|name| *name == b"D")?;
        let dashes = self.get(style, b"D").map_or_else(|| vec![3.0], |dashes| self.numbers_of(dashes));
        let dashes = dashes.iter().take(8).filter(|dash| **dash > 0.0).map(f64::to_string).collect::<Vec<_>>();
        (!dashes.is_empty()).then(|| format!("[{}] 0 d", dashes.join(" ")))
    }

    /// `/Rect` reduced by `/RD` and half the border width.
    fn inner_rectangle(&self, annotation: &Dictionary, width: f64) -> Option<[f64; 4]> {
        let corners = self.numbers_of(self.get(annotation, b"Rect")?);
        let [a, b, c, d] = *corners.first_chunk::<4>()?;
        let inset = self.get(annotation, b"RD").map(|inset| self.numbers_of(inset)).unwrap_or_default();
        let [left, bottom, right, top] = inset.first_chunk::<4>().copied().unwrap_or_default();
        let half = width / 2.0;
        let inner = [a.min(c) + left + half, b.min(d) + bottom + half, a.max(c) - right - half, b.max(d) - top - half];
        Some(inner).filter(|[left, bottom, right, top]| left < right && bottom < top)
    }

    fn points(&self, annotation: &Dictionary, key: &[u8]) -> Vec<Point> {
        self.get(annotation, key).map(|list| self.points_of(list)).unwrap_or_default()
    }

    fn points_of(&self, list: &Object) -> Vec<Point> {
        let numbers = self.numbers_of(list);
        numbers.as_chunks::<2>().0.iter().map(|[x, y]| (*x, *y)).collect()
    }

    pub(super) fn numbers_of(&self, list: &Object) -> Vec<f64> {
        let list = self.document.dereference(list).ok().and_then(|(_, list)| list.as_array().ok());
        let list = list.map(Vec::as_slice).unwrap_or_default();
        let granted = self.take_parts(list.len().min(MAX_NUMBERS));
        let numbers = list.iter().take(granted).filter_map(|number| self.number(number));
        numbers.map(|number| number.clamp(-MAX_PT, MAX_PT)).collect()
    }
}

struct Paint {
    colors: String,
    operator: &'static str,
}

/// Adds the markup of one quadrilateral of text, given from the upper left to the lower right corner. Returns the line
/// width.
fn mark(path: &mut Path, kind: &[u8], [upper_left, upper_right, lower_left, lower_right]: [Point; 4]) -> f64 {
    let height = (upper_left.0 - lower_left.0).hypot(upper_left.1 - lower_left.1);
    let between = |share: f64| {
        let at = |low: Point, high: Point| (low.0 + (high.0 - low.0) * share, low.1 + (high.1 - low.1) * share);
        [at(lower_left, upper_left), at(lower_right, upper_right)]
    };
    match kind {
        b"Highlight" => path.ring(&[upper_left, upper_right, lower_right, lower_left]),
        b"StrikeOut" => path.line(&between(0.5)),
        b"Squiggly" => path.line(&zigzag(between(UNDERLINE), between(UNDERLINE * 2.5), height / 8.0)),
        _ => path.line(&between(UNDERLINE)),
    }
    height * UNDERLINE
}

/// A zigzag between two lines.
fn zigzag([start, end]: [Point; 2], [upper_start, upper_end]: [Point; 2], step: f64) -> Vec<Point> {
    /// More corners than the smallest print across a wide page needs.
    const MAX_CORNERS: u32 = 2_000;
    let length = (end.0 - start.0).hypot(end.1 - start.1);
    let wanted = length / step.max(0.1);
    let corners = (1..=MAX_CORNERS).find(|corners| f64::from(*corners) >= wanted).unwrap_or(MAX_CORNERS);
    let at = |corner: u32| {
        let (from, to) = if corner.is_multiple_of(2) { (start, end) } else { (upper_start, upper_end) };
        let share = f64::from(corner) / f64::from(corners);
        (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
    };
    (0..=corners).map(at).collect()
}
