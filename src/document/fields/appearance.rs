//! The content of a form field's appearance, from its value: no file, no objects.

use super::face::Face;
use super::seen::as_seen;

/// A widget's place: its sides in points as its text sees them, and how it is painted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FieldBox {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Quarter turns against the clock.
    pub(super) turns: u8,
    /// Parts of a color: one of gray, three of red, green and blue, four of inks.
    pub(super) ground: Option<Vec<f64>>,
    pub(super) border: Option<Vec<f64>>,
    pub(super) border_width: f64,
}

/// Sides between which a field can be read and is no mistake.
const SIDES_PT: std::ops::RangeInclusive<f64> = 1.0..=20_000.0;

impl FieldBox {
    /// A widget of these sides on the page, turned by so many degrees.
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

    /// From the side of the field to its text.
    fn padding(&self) -> f64 {
        2.0_f64.max(2.0 * self.border_width)
    }
}

/// How a field's text is set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Style {
    /// The font's name.
    pub(super) font: Vec<u8>,
    /// Points; 0 is what fits.
    size: f64,
    /// Operators that set the color.
    color: String,
    /// 0 to the left, 1 in the middle, 2 to the right.
    quadding: i64,
}

impl Style {
    /// From a default appearance string (ISO 32000-2, 12.7.4.3).
    pub(super) fn parse(described: &[u8], quadding: i64) -> Self {
        let described = String::from_utf8_lossy(described);
        let tokens = described.split_whitespace().collect::<Vec<_>>();
        let mut style = Self { font: b"Helv".to_vec(), size: 0.0, color: "0 g".to_owned(), quadding };
        for (at, operator) in tokens.iter().enumerate() {
            let operands = |count: usize| at.checked_sub(count).and_then(|start| tokens.get(start..at));
            let color = match *operator {
                "g" => operands(1),
                "rg" => operands(3),
                "k" => operands(4),
                _ => None,
            };
            if let Some(parts) = color.filter(|parts| parts.iter().all(|part| number(part).is_some())) {
                style.color = format!("{} {operator}", parts.join(" "));
            }
            if let ("Tf", Some([font, size])) = (*operator, operands(2)) {
                style.font = font.trim_start_matches('/').as_bytes().to_vec();
                style.size = number(size).map_or(0.0, f64::abs).min(1_000.0);
            }
        }
        style
    }
}

fn number(token: &str) -> Option<f64> {
    token.parse().ok().filter(|number: &f64| number.is_finite())
}

/// What is shown in a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Look {
    /// One line of text.
    Line { text: String, style: Style },
    /// Text that is broken where it must.
    Lines { text: String, style: Style },
    /// A character a cell.
    Cells { text: String, cells: u32, style: Style },
    /// Options below each other, and whether each is chosen.
    List { items: Vec<(String, bool)>, style: Style },
    /// The text of a button, in its middle.
    Caption { text: String, style: Style },
    /// A glyph of ZapfDingbats, where the button is set.
    Mark { mark: Option<char> },
}

/// An appearance, and the fonts that it names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    pub(super) content: Vec<u8>,
    pub(super) faces: Vec<Face>,
}

/// The appearance of a field; `None` where nothing is to be seen.
pub(super) fn content(frame: &FieldBox, look: &Look) -> Option<Drawn> {
    let (face, text) = match look {
        Look::Line { text, style } => line(frame, text, style, style.quadding),
        Look::Caption { text, style } => line(frame, text, style, 1),
        Look::Lines { text, style } => lines(frame, text, style),
        Look::Cells { text, cells, style } => in_cells(frame, text, *cells, style),
        Look::List { items, style } => list(frame, items, style),
        Look::Mark { mark } => (Face::Dingbats, mark.map(|mark| dingbat(frame, mark)).unwrap_or_default()),
    };
    let painted = painted(frame);
    if painted.is_empty() && text.is_empty() {
        return None;
    }
    let inside = frame.border_width.min(frame.width / 4.0).min(frame.height / 4.0);
    let (width, height) = (frame.width - 2.0 * inside, frame.height - 2.0 * inside);
    let content = format!("{painted}q {inside} {inside} {width} {height} re W n\n{text}Q\n");
    Some(Drawn { content: content.into_bytes(), faces: vec![face] })
}

/// Ground and border.
fn painted(frame: &FieldBox) -> String {
    let (width, height, line) = (frame.width, frame.height, frame.border_width);
    let ground = frame.ground.as_ref().and_then(|parts| color(parts, ["g", "rg", "k"]));
    let ground = ground.map(|color| format!("q {color} 0 0 {width} {height} re f Q\n"));
    let border = frame.border.as_ref().filter(|_| line > 0.0).and_then(|parts| color(parts, ["G", "RG", "K"]));
    let border = border.map(|color| {
        let (x, width, height) = (line / 2.0, width - line, height - line);
        format!("q {color} {line} w {x} {x} {width} {height} re S Q\n")
    });
    [ground, border].into_iter().flatten().collect()
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

/// Half the height of a capital, in ems: what is centered is centered by its capitals.
const HALF_CAPITAL: f64 = 0.35;

fn line(frame: &FieldBox, text: &str, style: &Style, quadding: i64) -> (Face, String) {
    let text = text.replace(['\r', '\n', '\t'], " ");
    let face = Face::for_text(&text, &style.font);
    let size = if style.size > 0.0 { style.size } else { fitting_size(frame, face.width(&text)) };
    let x = start(frame, face.width(&text) * size, quadding);
    (face, show(face, &text, style, size, [x, frame.height / 2.0 - size * HALF_CAPITAL]))
}

/// Points at which a line of so many ems fills the field.
fn fitting_size(frame: &FieldBox, ems: f64) -> f64 {
    let by_height = (frame.height - 2.0 * frame.border_width) * 0.72;
    let by_width = (frame.width - 2.0 * frame.padding()) / ems.max(0.1);
    by_height.min(by_width).max(4.0)
}

fn start(frame: &FieldBox, width: f64, quadding: i64) -> f64 {
    match quadding {
        1 => (frame.width - width) / 2.0,
        2 => frame.width - frame.padding() - width,
        _ => frame.padding(),
    }
}

fn show(face: Face, text: &str, style: &Style, size: f64, [x, y]: [f64; 2]) -> String {
    if text.is_empty() {
        return String::new();
    }
    let (name, color, shown) = (face.resource_name(), &style.color, face.shown(&as_seen(text)));
    format!("BT {color} /{name} {size} Tf {x} {y} Td {shown} Tj ET\n")
}

/// Points of text without a size that has more than one line.
const USUAL_SIZE: f64 = 12.0;

/// From line to line, in ems.
const LEADING: f64 = 1.15;

fn lines(frame: &FieldBox, text: &str, style: &Style) -> (Face, String) {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ");
    let face = Face::for_text(&text, &style.font);
    let size = if style.size > 0.0 { style.size } else { USUAL_SIZE.min(frame.height) };
    let room = (frame.width - 2.0 * frame.padding()) / size;
    let broken = text.split('\n').flat_map(|paragraph| broken(face, paragraph, room));
    let mut y = frame.height - frame.padding() - size * 0.8;
    let mut content = String::new();
    for line in broken {
        if y < -size {
            break;
        }
        let x = start(frame, face.width(&line) * size, style.quadding);
        content.push_str(&show(face, &line, style, size, [x, y]));
        y -= size * LEADING;
    }
    (face, content)
}

/// The lines of a paragraph that are at most `room` ems wide, where its words are.
fn broken(face: Face, paragraph: &str, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut width = 0.0;
    for word in paragraph.split_inclusive(|character: char| character == ' ' || character >= '\u{2E80}') {
        let line = lines.last_mut().filter(|line| line.is_empty() || width + face.width(word.trim_end()) <= room);
        match line {
            Some(line) => line.push_str(word),
            None => {
                lines.push(word.to_owned());
                width = 0.0;
            }
        }
        width += face.width(word);
    }
    lines
}

fn in_cells(frame: &FieldBox, text: &str, cells: u32, style: &Style) -> (Face, String) {
    let face = Face::for_text(text, &style.font);
    let cell = frame.width / f64::from(cells);
    let size = if style.size > 0.0 { style.size } else { fitting_size(frame, 0.1).min(cell * 1.4) };
    let y = frame.height / 2.0 - size * HALF_CAPITAL;
    let taken = usize::try_from(cells).unwrap_or(usize::MAX);
    let mut x = 0.0;
    let mut content = String::new();
    for character in text.chars().take(taken) {
        let indent = (cell - face.width_of(character) * size) / 2.0;
        content.push_str(&show(face, character.encode_utf8(&mut [0; 4]), style, size, [x + indent, y]));
        x += cell;
    }
    (face, content)
}

/// The ground of an option that is chosen.
const CHOSEN: &str = "0.6 0.75686 0.8549 rg";

fn list(frame: &FieldBox, items: &[(String, bool)], style: &Style) -> (Face, String) {
    let whole = items.iter().map(|(text, _)| text.as_str()).collect::<String>();
    let face = Face::for_text(&whole, &style.font);
    let size = if style.size > 0.0 { style.size } else { USUAL_SIZE.min(frame.height) };
    let row = size * LEADING;
    let mut top = frame.height - frame.border_width;
    let mut content = String::new();
    for (text, is_chosen) in items {
        if top <= 0.0 {
            break;
        }
        if *is_chosen {
            content.push_str(&format!("q {CHOSEN} 0 {} {} {row} re f Q\n", top - row, frame.width));
        }
        let x = start(frame, face.width(text) * size, style.quadding);
        content.push_str(&show(face, text, style, size, [x, top - size * 0.9]));
        top -= row;
    }
    (face, content)
}

fn dingbat(frame: &FieldBox, mark: char) -> String {
    let size = frame.width.min(frame.height) * 0.8;
    let (x, y) = ((frame.width - size * 0.77) / 2.0, frame.height / 2.0 - size * HALF_CAPITAL);
    format!("BT 0 g /Z {size} Tf {x} {y} Td {} Tj ET\n", Face::Dingbats.shown(mark.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn frame(width: f64, height: f64) -> FieldBox {
        FieldBox::new(width, height, 0).unwrap()
    }

    fn style(described: &str) -> Style {
        Style::parse(described.as_bytes(), 0)
    }

    fn text_of(look: &Look) -> String {
        String::from_utf8(content(&frame(100.0, 20.0), look).unwrap().content).unwrap()
    }

    #[test]
    fn a_default_appearance_gives_font_size_and_color() {
        let style = style("1 0 0 rg /TiRo 9.5 Tf");
        assert_eq!((style.font.as_slice(), style.size, style.color.as_str()), (b"TiRo".as_slice(), 9.5, "1 0 0 rg"));
        assert_eq!(Style::parse(b"x y rg Tf /F g", 0).color, "0 g");
    }

    #[test]
    fn a_line_is_set_in_winansi_and_cannot_leave_its_string() {
        let look = Look::Line { text: "Aé)€".to_owned(), style: style("/Helv 10 Tf") };
        assert!(text_of(&look).contains("/T 10 Tf 2 6.5 Td <41E92980> Tj"), "{}", text_of(&look));
    }

    #[test]
    fn other_scripts_take_a_font_from_outside() {
        let look = Look::Line { text: "漢字".to_owned(), style: style("/Helv 10 Tf") };
        let drawn = content(&frame(100.0, 20.0), &look).unwrap();
        assert_eq!(drawn.faces, [Face::Wide("GB1")]);
        assert!(String::from_utf8(drawn.content).unwrap().contains("<6F225B57> Tj"));
    }

    #[test]
    fn long_text_is_broken_between_words() {
        let face = Face::Standard("Courier");
        assert_eq!(broken(face, "one two three", 0.6 * 8.0), ["one two ", "three"]);
        assert_eq!(broken(face, "unbreakable", 0.6), ["unbreakable"]);
        assert_eq!(broken(face, "", 1.0), [""]);
    }

    #[test]
    fn a_field_without_value_border_and_ground_has_no_appearance() {
        assert_eq!(content(&frame(9.0, 9.0), &Look::Mark { mark: None }), None);
        let grounded = FieldBox { ground: Some(vec![1.0, 1.0, 0.0]), ..frame(9.0, 9.0) };
        assert!(content(&grounded, &Look::Mark { mark: None }).is_some());
    }

    #[test]
    fn sides_that_are_none_have_no_box() {
        assert_eq!(FieldBox::new(0.0, 9.0, 0), None);
        assert_eq!(FieldBox::new(f64::NAN, 9.0, 0), None);
        assert_eq!(FieldBox::new(9.0, 20.0, 90).map(|turned| (turned.width, turned.height)), Some((20.0, 9.0)));
    }
}
