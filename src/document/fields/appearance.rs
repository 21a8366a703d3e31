//! Builds the content stream of a form field's appearance from its value.
//!
//! The value is also written as replacement text, with all its spaces and line ends. So text extraction gives the exact
//! value even if the field is too small to show it.

use super::face::{Face, Faces};
use super::frame::FieldBox;
use super::seen::as_seen;
use super::style::{Quadding, Style};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a field shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Look {
    /// One line of text.
    Line { text: String, style: Style },
    /// Several lines of text, with line breaks as needed.
    Lines { text: String, style: Style },
    /// One character for each cell of a comb field.
    Cells { text: String, cells: u32, style: Style },
    /// The options of a list box, and whether each is chosen.
    List { items: Vec<(String, bool)>, style: Style },
    /// The centred caption of a push button.
    Caption { text: String, style: Style },
    /// A glyph of ZapfDingbats; `None` if the button is off.
    Mark { mark: Option<char>, style: Style },
}

/// The content stream of an appearance, and its fonts by resource name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    pub(super) content: Vec<u8>,
    pub(super) faces: BTreeMap<&'static str, Face>,
}

/// Builds the content of a field's appearance; `None` if it shows nothing.
pub(super) fn content(frame: &FieldBox, look: &Look) -> Option<Drawn> {
    let mut pen = Pen::default();
    match look {
        Look::Line { text, style } => line(&mut pen, frame, text, style, style.quadding),
        Look::Caption { text, style } => line(&mut pen, frame, text, style, Quadding::Centered),
        Look::Lines { text, style } => lines(&mut pen, frame, text, style),
        Look::Cells { text, cells, style } => in_cells(&mut pen, frame, text, *cells, style),
        Look::List { items, style } => list(&mut pen, frame, items, style),
        Look::Mark { mark, style } => mark.iter().for_each(|mark| dingbat(&mut pen, frame, *mark, style)),
    }
    let mut painted = frame.painted();
    if let Look::Cells { cells, .. } = look {
        painted.push_str(&frame.dividers(*cells));
    }
    if painted.is_empty() && pen.content.is_empty() {
        return None;
    }
    let inside = frame.edge().min(frame.width / 4.0).min(frame.height / 4.0);
    let (width, height) = (frame.width - 2.0 * inside, frame.height - 2.0 * inside);
    let shown = match look {
        Look::Line { text, .. } | Look::Lines { text, .. } | Look::Cells { text, .. } => {
            with_replacement_text(text, &pen.content)
        }
        Look::List { .. } | Look::Caption { .. } | Look::Mark { .. } => pen.content,
    };
    let content = format!("{painted}q {inside} {inside} {width} {height} re W n\n{shown}Q\n");
    Some(Drawn { content: content.into_bytes(), faces: pen.faces })
}

/// `content` as a marked-content sequence with the replacement text `text` (ISO 32000-2, 14.9.4).
fn with_replacement_text(text: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    let mut said = String::from("/Span <</ActualText <FEFF");
    for unit in text.encode_utf16() {
        // Writing to a String cannot fail.
        let _ = write!(said, "{unit:04X}");
    }
    said.push_str(">>> BDC\n");
    said.push_str(content);
    said.push_str("EMC\n");
    said
}

/// Writes text operators and collects the fonts they use.
#[derive(Default)]
struct Pen {
    content: String,
    faces: BTreeMap<&'static str, Face>,
}

impl Pen {
    fn show(&mut self, faces: &Faces, text: &str, style: &Style, size: f64, [mut x, y]: [f64; 2]) {
        for (face, run) in faces.runs(&as_seen(text)) {
            self.show_run(face, run, style, size, [x, y]);
            x += faces.width(run) * size;
        }
    }

    fn show_run(&mut self, face: &Face, run: &str, style: &Style, size: f64, [x, y]: [f64; 2]) {
        let (name, color, shown) = (face.resource_name(), &style.color, face.shown(run));
        self.content.push_str(&format!("BT {color} /{name} {size} Tf {x} {y} Td {shown} Tj ET\n"));
        self.faces.entry(name).or_insert_with(|| face.clone());
    }
}

/// Half the height of a capital letter, in ems. Text is centred by its capitals.
const HALF_CAPITAL: f64 = 0.35;

/// The smallest automatic text size, in points.
const MIN_SIZE: f64 = 4.0;

fn line(pen: &mut Pen, frame: &FieldBox, text: &str, style: &Style, quadding: Quadding) {
    let text = text.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
    let faces = Faces::new(&text, style);
    let size = if style.size > 0.0 { style.size } else { fitting_size(frame, faces.width(&text)) };
    let x = start(frame, faces.width(&text) * size, quadding);
    pen.show(&faces, &text, style, size, [x, frame.height / 2.0 - size * HALF_CAPITAL]);
}

/// The size, in points, at which a line of `ems` fills the field.
fn fitting_size(frame: &FieldBox, ems: f64) -> f64 {
    let by_height = (frame.height - 2.0 * frame.edge()) * 0.72;
    let by_width = (frame.width - 2.0 * frame.padding()) / ems.max(0.1);
    by_height.min(by_width).max(MIN_SIZE)
}

/// The x coordinate of a line of this width. A line that is too long begins at the left, whatever the quadding.
fn start(frame: &FieldBox, width: f64, quadding: Quadding) -> f64 {
    let room = frame.width - 2.0 * frame.padding() - width;
    let indent = match quadding {
        Quadding::Left => 0.0,
        Quadding::Centered => room / 2.0,
        Quadding::Right => room,
    };
    frame.padding() + indent.max(0.0)
}

/// The largest automatic size of multi-line text, in points.
const USUAL_SIZE: f64 = 12.0;

/// The distance between lines, in ems.
const LEADING: f64 = 1.15;

fn lines(pen: &mut Pen, frame: &FieldBox, text: &str, style: &Style) {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n").replace('\t', " ");
    let faces = Faces::new(&text, style);
    let size = if style.size > 0.0 { style.size } else { size_of_lines(&faces, frame, &text) };
    let mut y = frame.height - frame.padding() - size * 0.8;
    for line in break_lines(&faces, frame, &text, size) {
        if y < -size {
            break;
        }
        let x = start(frame, faces.width(line.trim_end()) * size, style.quadding);
        pen.show(&faces, line, style, size, [x, y]);
        y -= size * LEADING;
    }
}

/// The largest automatic size, in whole points, at which all lines fit.
fn size_of_lines(faces: &Faces, frame: &FieldBox, text: &str) -> f64 {
    let height = frame.height - 2.0 * frame.padding();
    let mut size = USUAL_SIZE.min(frame.height);
    while size > MIN_SIZE {
        let count = break_lines(faces, frame, text, size).fold(0.0, |count, _| count + 1.0);
        if count * size * LEADING <= height {
            break;
        }
        size -= 1.0;
    }
    size.max(MIN_SIZE.min(frame.height))
}

fn break_lines<'t>(faces: &Faces, frame: &FieldBox, text: &'t str, size: f64) -> impl Iterator<Item = &'t str> {
    let room = (frame.width - 2.0 * frame.padding()) / size;
    text.split('\n').flat_map(move |paragraph| break_paragraph(faces, paragraph, room))
}

/// Breaks a paragraph into lines of at most `room` ems: between words, and within words that are longer.
fn break_paragraph<'t>(faces: &Faces, paragraph: &'t str, room: f64) -> Vec<&'t str> {
    let mut lines = Vec::new();
    let (mut rest, mut width, mut end, mut last_break) = (paragraph, 0.0, 0, 0);
    while let Some(character) = rest.get(end..).and_then(|more| more.chars().next()) {
        width += faces.of(character).width_of(character);
        if width > room && character != ' ' && end > 0 {
            let at = if last_break > 0 { last_break } else { end };
            let Some((line, more)) = rest.split_at_checked(at) else { break };
            lines.push(line);
            (rest, width, end, last_break) = (more, 0.0, 0, 0);
            continue;
        }
        end += character.len_utf8();
        if character == ' ' || character >= '\u{2E80}' {
            last_break = end;
        }
    }
    lines.push(rest);
    lines
}

fn in_cells(pen: &mut Pen, frame: &FieldBox, text: &str, cells: u32, style: &Style) {
    let faces = Faces::new(text, style);
    let cell = frame.width / f64::from(cells);
    let size = if style.size > 0.0 { style.size } else { fitting_size(frame, 0.1).min(cell * 1.4) };
    let y = frame.height / 2.0 - size * HALF_CAPITAL;
    let taken = usize::try_from(cells).unwrap_or(usize::MAX);
    let count = u32::try_from(text.chars().take(taken).count()).unwrap_or(u32::MAX);
    let free = f64::from(cells.saturating_sub(count));
    let mut x = cell
        * match style.quadding {
            Quadding::Left => 0.0,
            Quadding::Centered => (free / 2.0).floor(),
            Quadding::Right => free,
        };
    for character in as_seen(text).chars().take(taken) {
        let face = faces.of(character);
        let indent = (cell - face.width_of(character) * size) / 2.0;
        if !character.is_whitespace() {
            pen.show_run(face, character.encode_utf8(&mut [0; 4]), style, size, [x + indent, y]);
        }
        x += cell;
    }
}

/// The background colour of a chosen option.
const CHOSEN: &str = "0.6 0.75686 0.8549 rg";

fn list(pen: &mut Pen, frame: &FieldBox, items: &[(String, bool)], style: &Style) {
    let whole = items.iter().map(|(text, _)| text.as_str()).collect::<String>();
    let faces = Faces::new(&whole, style);
    let size = if style.size > 0.0 { style.size } else { USUAL_SIZE.min(frame.height) };
    let row = size * LEADING;
    let mut top = frame.height - frame.edge();
    for (text, is_chosen) in items {
        if top <= 0.0 {
            break;
        }
        if *is_chosen {
            pen.content.push_str(&format!("q {CHOSEN} 0 {} {} {row} re f Q\n", top - row, frame.width));
        }
        let x = start(frame, faces.width(text) * size, style.quadding);
        pen.show(&faces, text, style, size, [x, top - size * 0.9]);
        top -= row;
    }
}

fn dingbat(pen: &mut Pen, frame: &FieldBox, mark: char, style: &Style) {
    let fitting = (frame.width.min(frame.height) - 2.0 * frame.edge()).max(1.0) * 0.9;
    let size = if style.size > 0.0 { style.size } else { fitting };
    let width = Face::Dingbats.width_of(mark) * size;
    let place = [(frame.width - width) / 2.0, frame.height / 2.0 - size * HALF_CAPITAL];
    pen.show_run(&Face::Dingbats, mark.encode_utf8(&mut [0; 4]), style, size, place);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn frame(width: f64, height: f64) -> FieldBox {
        FieldBox::new(width, height, 0).unwrap()
    }

    fn style(described: &str) -> Style {
        Style::parse(described.as_bytes(), Quadding::Left)
    }

    fn drawn(frame: &FieldBox, look: &Look) -> String {
        String::from_utf8(content(frame, look).unwrap().content).unwrap()
    }

    /// The shown strings with their positions.
    fn places(content: &str) -> Vec<(f64, f64, String)> {
        let shown = content.lines().filter(|line| line.starts_with("BT"));
        let words = shown.map(|line| line.split(' ').collect::<Vec<_>>());
        let at = |words: &[&str], name: &str| words.iter().position(|word| *word == name).unwrap();
        let number = |word: &str| word.parse::<f64>().unwrap();
        words
            .map(|words| {
                let td = at(&words, "Td");
                let [x, y, _, shown] = words.get(td - 2..td + 2).unwrap() else { return (0.0, 0.0, String::new()) };
                (number(x), number(y), (*shown).to_owned())
            })
            .collect()
    }

    #[test]
    fn a_line_is_set_in_winansi_and_cannot_leave_its_string() {
        let look = Look::Line { text: "Aé)€".to_owned(), style: style("/Helv 10 Tf") };
        let content = drawn(&frame(100.0, 20.0), &look);
        assert!(content.contains("/T 10 Tf 2 6.5 Td <41E92980> Tj"), "{content}");
        assert!(content.contains("/ActualText <FEFF004100E9002920AC>"), "{content}");
    }

    #[test]
    fn other_scripts_take_a_font_from_outside_and_latin_letters_keep_theirs() {
        let look = Look::Line { text: "WW漢字W".to_owned(), style: style("/Helv 10 Tf") };
        let drawn = content(&frame(100.0, 20.0), &look).unwrap();
        assert_eq!(drawn.faces.get("W"), Some(&Face::Wide("GB1")));
        let places = places(&String::from_utf8(drawn.content).unwrap());
        let expected = [(2.0, "<5757>"), (2.0 + 18.88, "<6F225B57>"), (2.0 + 38.88, "<57>")];
        assert_eq!(places.len(), 3);
        for ((x, _, shown), (expected_x, expected)) in places.iter().zip(expected) {
            assert!((x - expected_x).abs() < 1e-9 && shown == expected, "{places:?}");
        }
    }

    #[test]
    fn long_text_is_broken_between_words_and_within_those_that_are_too_long() {
        let faces = Faces::new("", &style("/Cour 10 Tf"));
        assert_eq!(break_paragraph(&faces, "one two three", 0.6 * 8.0), ["one two ", "three"]);
        assert_eq!(break_paragraph(&faces, "unbreakable", 0.6 * 4.0), ["unbr", "eaka", "ble"]);
        assert_eq!(break_paragraph(&faces, "  a", 9.0), ["  a"]);
        assert_eq!(break_paragraph(&faces, "a", 0.1), ["a"]);
        assert_eq!(break_paragraph(&faces, "", 1.0), [""]);
    }

    #[test]
    fn lines_end_where_the_value_says() {
        for text in ["a\nb\n\nc", "a\rb\r\rc", "a\r\nb\r\n\r\nc"] {
            let look = Look::Lines { text: text.to_owned(), style: style("/Helv 10 Tf") };
            let shown = places(&drawn(&frame(100.0, 100.0), &look));
            let rows = shown.iter().map(|(_, y, shown)| (y.round(), shown.as_str())).collect::<Vec<_>>();
            assert_eq!(rows, [(90.0, "<61>"), (79.0, "<62>"), (56.0, "<63>")].map(|(y, shown)| (y, shown)), "{text:?}");
        }
    }

    #[test]
    fn text_without_a_size_becomes_smaller_until_it_fits() {
        let faces = Faces::new("", &style(""));
        let of = |text: &str| size_of_lines(&faces, &frame(100.0, 40.0), text);
        assert_eq!([of("short"), of("a\nb\nc"), of(&"word ".repeat(500))], [12.0, 10.0, 4.0]);
    }

    #[test]
    fn a_character_has_a_cell_and_a_space_has_one_too() {
        let cells = |quadding: Quadding, text: &str| {
            let style = Style { quadding, ..style("/Cour 10 Tf") };
            let look = Look::Cells { text: text.to_owned(), cells: 10, style };
            let places = places(&drawn(&frame(300.0, 20.0), &look));
            places.into_iter().map(|(x, ..)| (x + 3.0).round()).collect::<Vec<_>>()
        };
        assert_eq!(cells(Quadding::Left, "AB  CD"), [15.0, 45.0, 135.0, 165.0]);
        assert_eq!(cells(Quadding::Right, "AB"), [255.0, 285.0]);
        assert_eq!(cells(Quadding::Centered, "ABC"), [105.0, 135.0, 165.0]);
        assert_eq!(cells(Quadding::Left, "0123456789ABC").len(), 10);
    }

    #[test]
    fn text_that_is_too_long_begins_at_the_side() {
        let style = Style { quadding: Quadding::Right, ..style("/Helv 10 Tf") };
        let look = Look::Line { text: "W".repeat(50), style };
        assert_eq!(places(&drawn(&frame(100.0, 20.0), &look)).first().map(|place| place.0), Some(2.0));
    }

    #[test]
    fn a_field_without_value_border_and_ground_has_no_appearance() {
        let look = Look::Mark { mark: None, style: style("") };
        assert_eq!(content(&frame(9.0, 9.0), &look), None);
        let grounded = FieldBox { ground: Some(vec![1.0, 1.0, 0.0]), ..frame(9.0, 9.0) };
        assert!(content(&grounded, &look).is_some());
    }
}
