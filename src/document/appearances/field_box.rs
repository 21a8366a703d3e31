//! The box of a form field: size, background and border (ISO 32000-2, 12.5.4 and 12.5.6.19).

/// The box of a widget. Width and height are in points and follow the direction of its text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FieldBox {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Counterclockwise quarter turns.
    pub(super) turns: u8,
    /// Colour components: one for gray, three for RGB, four for CMYK.
    pub(super) background: Option<Vec<f64>>,
    pub(super) border: Option<Vec<f64>>,
    pub(super) border_width: f64,
    pub(super) border_style: BorderStyle,
    /// Whether the box is a circle, as for radio buttons with a dot.
    pub(super) is_round: bool,
}

/// `/S` of a border style dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum BorderStyle {
    #[default]
    Solid,
    Dashed,
    Beveled,
    Inset,
    Underline,
}

impl BorderStyle {
    /// The style with this name; solid if the name is unknown.
    pub(super) fn of_name(name: &[u8]) -> Self {
        match name {
            b"D" => Self::Dashed,
            b"B" => Self::Beveled,
            b"I" => Self::Inset,
            b"U" => Self::Underline,
            _ => Self::Solid,
        }
    }
}

/// Plausible widths and heights of a field, in points.
const SIDES_PT: std::ops::RangeInclusive<f64> = 1.0..=20_000.0;

impl FieldBox {
    /// A box with this size on the page, turned by `degrees`; `None` if the size is not plausible.
    pub(super) fn new(width: f64, height: f64, degrees: i64) -> Option<Self> {
        if !SIDES_PT.contains(&width) || !SIDES_PT.contains(&height) {
            return None;
        }
        let turns = u8::try_from(degrees.rem_euclid(360) / 90).unwrap_or(0);
        let (width, height) = if turns % 2 == 1 { (height, width) } else { (width, height) };
        Some(Self { width, height, turns, ..Self::default() })
    }

    /// The `/Matrix` of the appearance.
    pub(super) fn matrix(&self) -> [f64; 6] {
        match self.turns {
            1 => [0.0, 1.0, -1.0, 0.0, self.height, 0.0],
            2 => [-1.0, 0.0, 0.0, -1.0, self.width, self.height],
            3 => [0.0, -1.0, 1.0, 0.0, 0.0, self.width],
            _ => [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        }
    }

    /// The distance from the side of the box to its text, in points.
    pub(super) fn padding(&self) -> f64 {
        2.0_f64.max(2.0 * self.border_width)
    }

    /// The width of the border, including the inner edge of beveled and inset styles.
    pub(super) fn edge(&self) -> f64 {
        match self.border_style {
            BorderStyle::Beveled | BorderStyle::Inset => 2.0 * self.border_width,
            _ => self.border_width,
        }
    }

    /// Operators that paint background and border.
    pub(super) fn paint(&self) -> String {
        let background = self.background.as_ref().and_then(|parts| color(parts, ["g", "rg", "k"]));
        let background = background.map(|color| format!("q {color} {} f Q\n", self.outline(0.0)));
        let border = self.border.as_ref().filter(|_| self.border_width > 0.0);
        let border = border.and_then(|parts| color(parts, ["G", "RG", "K"])).map(|color| self.line(&color));
        [background, self.edges(), border].into_iter().flatten().collect()
    }

    fn line(&self, color: &str) -> String {
        let (width, half) = (self.border_width, self.border_width / 2.0);
        match self.border_style {
            BorderStyle::Underline => format!("q {color} {width} w 0 {half} m {} {half} l S Q\n", self.width),
            BorderStyle::Dashed => format!("q {color} {width} w [3] 0 d {} S Q\n", self.outline(half)),
            _ => format!("q {color} {width} w {} S Q\n", self.outline(half)),
        }
    }

    /// Operators for the lines between the cells of a comb field, in the colour of its border.
    pub(super) fn dividers(&self, cells: u32) -> String {
        let cell = self.width / f64::from(cells.max(1));
        let stroke = self.border.as_ref().filter(|_| self.border_width > 0.0 && cell >= MIN_CELL_PT);
        let Some(color) = stroke.and_then(|parts| color(parts, ["G", "RG", "K"])) else { return String::new() };
        let lines = (1..cells).map(|at| {
            let x = cell * f64::from(at);
            format!("{x} 0 m {x} {} l ", self.height)
        });
        format!("q {color} {} w {}S Q\n", self.border_width, lines.collect::<String>())
    }

    /// The path of the rectangle or circle, reduced by `inset` on each side.
    fn outline(&self, inset: f64) -> String {
        if self.is_round {
            let radius = self.width.min(self.height) / 2.0 - inset;
            return circle([self.width / 2.0, self.height / 2.0], radius);
        }
        let (width, height) = (self.width - 2.0 * inset, self.height - 2.0 * inset);
        format!("{inset} {inset} {width} {height} re")
    }

    /// Operators for the light and dark inner edges of beveled and inset styles.
    fn edges(&self) -> Option<String> {
        let [upper, lower] = match self.border_style {
            BorderStyle::Beveled => ["1 g", "0.5 g"],
            BorderStyle::Inset => ["0.5 g", "0.75 g"],
            _ => return None,
        };
        let (line, edge) = (self.border_width, 2.0 * self.border_width);
        let (right, top) = (self.width - line, self.height - line);
        let (inner_right, inner_top) = (self.width - edge, self.height - edge);
        let ends = format!("{inner_right} {inner_top} l {right} {top} l");
        Some(format!(
            "q {upper} {line} {line} m {line} {top} l {right} {top} l {inner_right} {inner_top} l {edge} {inner_top} l \
             {edge} {edge} l f {lower} {line} {line} m {edge} {edge} l {inner_right} {edge} l {ends} {right} {line} l f Q\n"
        ))
        .filter(|_| !self.is_round && inner_right > edge && inner_top > edge)
    }
}

/// The smallest plausible width of a comb cell, in points.
const MIN_CELL_PT: f64 = 2.0;

/// The distance of the control points of a quarter circle, as a share of the radius.
pub(super) const KAPPA: f64 = 0.552_284_75;

fn circle([x, y]: [f64; 2], radius: f64) -> String {
    let (left, right, low, high) = (x - radius, x + radius, y - radius, y + radius);
    let bend = radius * KAPPA;
    let (bend_left, bend_right, bend_low, bend_high) = (x - bend, x + bend, y - bend, y + bend);
    format!(
        "{right} {y} m {right} {bend_high} {bend_right} {high} {x} {high} c {bend_left} {high} {left} {bend_high} \
         {left} {y} c {left} {bend_low} {bend_left} {low} {x} {low} c {bend_right} {low} {right} {bend_low} {right} {y} c"
    )
}

pub(super) fn color(parts: &[f64], operators: [&str; 3]) -> Option<String> {
    let [gray, rgb, inks] = operators;
    let operator = match parts.len() {
        1 => gray,
        3 => rgb,
        4 => inks,
        _ => return None,
    };
    let parts = parts.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    Some(format!("{parts} {operator}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn sides_that_are_none_have_no_box() {
        assert_eq!(FieldBox::new(0.0, 9.0, 0), None);
        assert_eq!(FieldBox::new(f64::NAN, 9.0, 0), None);
        assert_eq!(FieldBox::new(9.0, 20.0, 90).map(|turned| (turned.width, turned.height)), Some((20.0, 9.0)));
    }

    #[test]
    fn borders_are_painted_by_their_style() {
        let field_box =
            FieldBox { border: Some(vec![0.0]), border_width: 2.0, ..FieldBox::new(40.0, 20.0, 0).unwrap() };
        let painted = |border_style| FieldBox { border_style, ..field_box.clone() }.paint();
        assert_eq!(painted(BorderStyle::Solid), "q 0 G 2 w 1 1 38 18 re S Q\n");
        assert_eq!(painted(BorderStyle::Underline), "q 0 G 2 w 0 1 m 40 1 l S Q\n");
        assert!(painted(BorderStyle::of_name(b"D")).contains("[3] 0 d"));
        assert!(painted(BorderStyle::Beveled).starts_with("q 1 g 2 2 m"));
        assert_eq!(field_box.dividers(4), "q 0 G 2 w 10 0 m 10 20 l 20 0 m 20 20 l 30 0 m 30 20 l S Q\n");
        assert_eq!(field_box.dividers(40), "");
        assert!(FieldBox { is_round: true, ..field_box.clone() }.paint().contains(" c S Q"));
    }
}
