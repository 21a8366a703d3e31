//! Builds the content stream of a form field's appearance from its value.
//!
//! The value is also written as replacement text, with all its spaces and line ends. So text extraction gives the exact
//! value even if the field is too small to show it.

use super::field_box::FieldBox;
use super::fonts::{AppearanceFont, FontSet};
use super::text_style::{Quadding, TextStyle};
use super::visual_order::visual_order;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The visible content of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Appearance {
    Line {
        text: String,
        style: TextStyle,
    },
    /// Several lines of text, with line breaks as needed.
    Lines {
        text: String,
        style: TextStyle,
    },
    /// One character for each cell of a comb field.
    Cells {
        text: String,
        cells: u32,
        style: TextStyle,
    },
    /// The options of a list box, and whether each is chosen.
    List {
        items: Vec<(String, bool)>,
        style: TextStyle,
    },
    /// The centred caption of a push button.
    Caption {
        text: String,
        style: TextStyle,
    },
    /// A glyph of ZapfDingbats; `None` if the button is off.
    Dingbat {
        mark: Option<char>,
        style: TextStyle,
    },
}

/// The content stream of an appearance, and its fonts by resource name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AppearanceContent {
    pub(super) content: Vec<u8>,
    pub(super) fonts: BTreeMap<&'static str, AppearanceFont>,
}

/// Builds the content of a field's appearance; `None` if it shows nothing.
pub(super) fn build_content(field_box: &FieldBox, appearance: &Appearance) -> Option<AppearanceContent> {
    let mut pen = Pen::default();
    match appearance {
        Appearance::Line { text, style } => line(&mut pen, field_box, text, style, style.quadding),
        Appearance::Caption { text, style } => line(&mut pen, field_box, text, style, Quadding::Centered),
        Appearance::Lines { text, style } => lines(&mut pen, field_box, text, style),
        Appearance::Cells { text, cells, style } => in_cells(&mut pen, field_box, text, *cells, style),
        Appearance::List { items, style } => list(&mut pen, field_box, items, style),
        Appearance::Dingbat { mark, style } => mark.iter().for_each(|mark| dingbat(&mut pen, field_box, *mark, style)),
    }
    let mut painted = field_box.paint();
    if let Appearance::Cells { cells, .. } = appearance {
        painted.push_str(&field_box.dividers(*cells));
    }
    if painted.is_empty() && pen.content.is_empty() {
        return None;
    }
    let inside = field_box.edge().min(field_box.width / 4.0).min(field_box.height / 4.0);
    let (width, height) = (field_box.width - 2.0 * inside, field_box.height - 2.0 * inside);
    let shown = match appearance {
        Appearance::Line { text, .. } | Appearance::Lines { text, .. } | Appearance::Cells { text, .. } => {
            with_replacement_text(text, &pen.content)
        }
        Appearance::List { .. } | Appearance::Caption { .. } | Appearance::Dingbat { .. } => pen.content,
    };
    let content = format!("{painted}q {inside} {inside} {width} {height} re W n\n{shown}Q\n");
    Some(AppearanceContent { content: content.into_bytes(), fonts: pen.fonts })
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
    fonts: BTreeMap<&'static str, AppearanceFont>,
}

impl Pen {
    fn show(&mut self, fonts: &FontSet, text: &str, style: &TextStyle, size: f64, [mut x, y]: [f64; 2]) {
        for (font, run) in fonts.runs(&visual_order(text)) {
            self.show_run(font, run, style, size, [x, y]);
            x += fonts.width(run) * size;
        }
    }

    fn show_run(&mut self, font: &AppearanceFont, run: &str, style: &TextStyle, size: f64, [x, y]: [f64; 2]) {
        let (name, color, shown) = (font.resource_name(), &style.color, font.hex_string(run));
        self.content.push_str(&format!("BT {color} /{name} {size} Tf {x} {y} Td {shown} Tj ET\n"));
        self.fonts.entry(name).or_insert_with(|| font.clone());
    }
}

/// Half the height of a capital letter, in ems. Text is centred by its capitals.
const HALF_CAPITAL: f64 = 0.35;

/// The smallest automatic text size, in points.
const MIN_SIZE: f64 = 4.0;

fn line(pen: &mut Pen, field_box: &FieldBox, text: &str, style: &TextStyle, quadding: Quadding) {
    let text = text.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
    let fonts = FontSet::new(&text, style);
    let size = if style.size > 0.0 { style.size } else { fitting_size(field_box, fonts.width(&text)) };
    let x = start(field_box, fonts.width(&text) * size, quadding);
    pen.show(&fonts, &text, style, size, [x, field_box.height / 2.0 - size * HALF_CAPITAL]);
}

/// The size, in points, at which a line of `ems` fills the field.
fn fitting_size(field_box: &FieldBox, ems: f64) -> f64 {
    let by_height = (field_box.height - 2.0 * field_box.edge()) * 0.72;
    let by_width = (field_box.width - 2.0 * field_box.padding()) / ems.max(0.1);
    by_height.min(by_width).max(MIN_SIZE)
}

/// The x coordinate of a line of this width. A line that is too long begins at the left, whatever the quadding.
fn start(field_box: &FieldBox, width: f64, quadding: Quadding) -> f64 {
    let room = field_box.width - 2.0 * field_box.padding() - width;
    let indent = match quadding {
        Quadding::Left => 0.0,
        Quadding::Centered => room / 2.0,
        Quadding::Right => room,
    };
    field_box.padding() + indent.max(0.0)
}

/// The largest automatic size of multi-line text, in points.
const USUAL_SIZE: f64 = 12.0;

/// The distance between lines, in ems.
const LEADING: f64 = 1.15;

fn lines(pen: &mut Pen, field_box: &FieldBox, text: &str, style: &TextStyle) {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n").replace('\t', " ");
    let fonts = FontSet::new(&text, style);
    let size = if style.size > 0.0 { style.size } else { size_of_lines(&fonts, field_box, &text) };
    let mut y = field_box.height - field_box.padding() - size * 0.8;
    for line in break_lines(&fonts, field_box, &text, size) {
        if y < -size {
            break;
        }
        let x = start(field_box, fonts.width(line.trim_end()) * size, style.quadding);
        pen.show(&fonts, line, style, size, [x, y]);
        y -= size * LEADING;
    }
}

/// The largest automatic size, in whole points, at which all lines fit.
fn size_of_lines(fonts: &FontSet, field_box: &FieldBox, text: &str) -> f64 {
    let height = field_box.height - 2.0 * field_box.padding();
    let mut size = USUAL_SIZE.min(field_box.height);
    while size > MIN_SIZE {
        let count = break_lines(fonts, field_box, text, size).fold(0.0, |count, _| count + 1.0);
        if count * size * LEADING <= height {
            break;
        }
        size -= 1.0;
    }
    size.max(MIN_SIZE.min(field_box.height))
}

fn break_lines<'t>(fonts: &FontSet, field_box: &FieldBox, text: &'t str, size: f64) -> impl Iterator<Item = &'t str> {
    let room = (field_box.width - 2.0 * field_box.padding()) / size;
    text.split('\n').flat_map(move |paragraph| break_paragraph(fonts, paragraph, room))
}

/// Breaks a paragraph into lines of at most `room` ems: between words, and within words that are longer.
fn break_paragraph<'t>(fonts: &FontSet, paragraph: &'t str, room: f64) -> Vec<&'t str> {
    let mut lines = Vec::new();
    let (mut rest, mut width, mut end, mut last_break) = (paragraph, 0.0, 0, 0);
    while let Some(character) = rest.get(end..).and_then(|more| more.chars().next()) {
        width += fonts.of(character).width_of(character);
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

fn in_cells(pen: &mut Pen, field_box: &FieldBox, text: &str, cells: u32, style: &TextStyle) {
    let fonts = FontSet::new(text, style);
    let cell = field_box.width / f64::from(cells);
    let size = if style.size > 0.0 { style.size } else { fitting_size(field_box, 0.1).min(cell * 1.4) };
    let y = field_box.height / 2.0 - size * HALF_CAPITAL;
    let taken = usize::try_from(cells).unwrap_or(usize::MAX);
    let count = u32::try_from(text.chars().take(taken).count()).unwrap_or(u32::MAX);
    let free = f64::from(cells.saturating_sub(count));
    let mut x = cell
        * match style.quadding {
            Quadding::Left => 0.0,
            Quadding::Centered => (free / 2.0).floor(),
            Quadding::Right => free,
        };
    for character in visual_order(text).chars().take(taken) {
        let font = fonts.of(character);
        let indent = (cell - font.width_of(character) * size) / 2.0;
        if !character.is_whitespace() {
            pen.show_run(font, character.encode_utf8(&mut [0; 4]), style, size, [x + indent, y]);
        }
        x += cell;
    }
}

/// The background colour of a chosen option.
const CHOSEN: &str = "0.6 0.75686 0.8549 rg";

fn list(pen: &mut Pen, field_box: &FieldBox, items: &[(String, bool)], style: &TextStyle) {
    let whole = items.iter().map(|(text, _)| text.as_str()).collect::<String>();
    let fonts = FontSet::new(&whole, style);
    let size = if style.size > 0.0 { style.size } else { USUAL_SIZE.min(field_box.height) };
    let row = size * LEADING;
    let mut top = field_box.height - field_box.edge();
    for (text, is_chosen) in items {
        if top <= 0.0 {
            break;
        }
        if *is_chosen {
            pen.content.push_str(&format!("q {CHOSEN} 0 {} {} {row} re f Q\n", top - row, field_box.width));
        }
        let x = start(field_box, fonts.width(text) * size, style.quadding);
        pen.show(&fonts, text, style, size, [x, top - size * 0.9]);
        top -= row;
    }
}

fn dingbat(pen: &mut Pen, field_box: &FieldBox, mark: char, style: &TextStyle) {
    let fitting = (field_box.width.min(field_box.height) - 2.0 * field_box.edge()).max(1.0) * 0.9;
    let size = if style.size > 0.0 { style.size } else { fitting };
    let width = AppearanceFont::Dingbats.width_of(mark) * size;
    let place = [(field_box.width - width) / 2.0, field_box.height / 2.0 - size * HALF_CAPITAL];
    pen.show_run(&AppearanceFont::Dingbats, mark.encode_utf8(&mut [0; 4]), style, size, place);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn field_box(width: f64, height: f64) -> FieldBox {
        FieldBox::new(width, height, 0).unwrap()
    }

    fn style(described: &str) -> TextStyle {
        TextStyle::parse(described.as_bytes(), Quadding::Left)
    }

    fn drawn(field_box: &FieldBox, appearance: &Appearance) -> String {
        String::from_utf8(build_content(field_box, appearance).unwrap().content).unwrap()
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
        let appearance = Appearance::Line { text: "Aé)€".to_owned(), style: style("/Helv 10 Tf") };
        let content = drawn(&field_box(100.0, 20.0), &appearance);
        assert!(content.contains("/T 10 Tf 2 6.5 Td <41E92980> Tj"), "{content}");
        assert!(content.contains("/ActualText <FEFF004100E9002920AC>"), "{content}");
    }

    #[test]
    fn other_scripts_take_a_font_from_outside_and_latin_letters_keep_theirs() {
        let appearance = Appearance::Line { text: "WW漢字W".to_owned(), style: style("/Helv 10 Tf") };
        let drawn = build_content(&field_box(100.0, 20.0), &appearance).unwrap();
        assert_eq!(drawn.fonts.get("W"), Some(&AppearanceFont::Composite("GB1")));
        let places = places(&String::from_utf8(drawn.content).unwrap());
        let expected = [(2.0, "<5757>"), (2.0 + 18.88, "<6F225B57>"), (2.0 + 38.88, "<57>")];
        assert_eq!(places.len(), 3);
        for ((x, _, shown), (expected_x, expected)) in places.iter().zip(expected) {
            assert!((x - expected_x).abs() < 1e-9 && shown == expected, "{places:?}");
        }
    }

    #[test]
    fn long_text_is_broken_between_words_and_within_those_that_are_too_long() {
        let fonts = FontSet::new("", &style("/Cour 10 Tf"));
        assert_eq!(break_paragraph(&fonts, "one two three", 0.6 * 8.0), ["one two ", "three"]);
        assert_eq!(break_paragraph(&fonts, "unbreakable", 0.6 * 4.0), ["unbr", "eaka", "ble"]);
        assert_eq!(break_paragraph(&fonts, "  a", 9.0), ["  a"]);
        assert_eq!(break_paragraph(&fonts, "a", 0.1), ["a"]);
        assert_eq!(break_paragraph(&fonts, "", 1.0), [""]);
    }

    #[test]
    fn lines_end_where_the_value_says() {
        for text in ["a\nb\n\nc", "a\rb\r\rc", "a\r\nb\r\n\r\nc"] {
            let appearance = Appearance::Lines { text: text.to_owned(), style: style("/Helv 10 Tf") };
            let shown = places(&drawn(&field_box(100.0, 100.0), &appearance));
            let rows = shown.iter().map(|(_, y, shown)| (y.round(), shown.as_str())).collect::<Vec<_>>();
            assert_eq!(rows, [(90.0, "<61>"), (79.0, "<62>"), (56.0, "<63>")].map(|(y, shown)| (y, shown)), "{text:?}");
        }
    }

    #[test]
    fn text_without_a_size_becomes_smaller_until_it_fits() {
        let fonts = FontSet::new("", &style(""));
        let of = |text: &str| size_of_lines(&fonts, &field_box(100.0, 40.0), text);
        assert_eq!([of("short"), of("a\nb\nc"), of(&"word ".repeat(500))], [12.0, 10.0, 4.0]);
    }

    #[test]
    fn a_character_has_a_cell_and_a_space_has_one_too() {
        let cells = |quadding: Quadding, text: &str| {
            let style = TextStyle { quadding, ..style("/Cour 10 Tf") };
            let appearance = Appearance::Cells { text: text.to_owned(), cells: 10, style };
            let places = places(&drawn(&field_box(300.0, 20.0), &appearance));
            places.into_iter().map(|(x, ..)| (x + 3.0).round()).collect::<Vec<_>>()
        };
        assert_eq!(cells(Quadding::Left, "AB  CD"), [15.0, 45.0, 135.0, 165.0]);
        assert_eq!(cells(Quadding::Right, "AB"), [255.0, 285.0]);
        assert_eq!(cells(Quadding::Centered, "ABC"), [105.0, 135.0, 165.0]);
        assert_eq!(cells(Quadding::Left, "0123456789ABC").len(), 10);
    }

    #[test]
    fn text_that_is_too_long_begins_at_the_side() {
        let style = TextStyle { quadding: Quadding::Right, ..style("/Helv 10 Tf") };
        let appearance = Appearance::Line { text: "W".repeat(50), style };
        assert_eq!(places(&drawn(&field_box(100.0, 20.0), &appearance)).first().map(|place| place.0), Some(2.0));
    }

    #[test]
    fn a_field_without_value_border_and_ground_has_no_appearance() {
        let appearance = Appearance::Dingbat { mark: None, style: style("") };
        assert_eq!(build_content(&field_box(9.0, 9.0), &appearance), None);
        let grounded = FieldBox { background: Some(vec![1.0, 1.0, 0.0]), ..field_box(9.0, 9.0) };
        assert!(build_content(&grounded, &appearance).is_some());
    }
}
