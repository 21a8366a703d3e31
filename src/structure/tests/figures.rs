//! The labels of charts and diagrams.

use super::sheet::{BOLD, FULL, Face, PLAIN, Sheet, markdown_of};
use pagewise_text::{Bounds, Fill, Rule};

const SMALL: Face = Face { size: 8.0, ..PLAIN };
/// What a chart says: the numbers of its axes, and their names.
const LABELS: &str = "300  \n200  \n100  \n10 20 30 40  \nTime (min)  \nLevel";

fn rule(x0: f32, y0: f32, x1: f32, y1: f32) -> Rule {
    Rule { bounds: Bounds { x0, y0, x1, y1 }, is_horizontal: x1 - x0 > y1 - y0, color: [0; 3] }
}

impl Sheet {
    /// Two axes with their numbers and names, 110 points high.
    fn axes(mut self) -> Self {
        let top = self.y;
        self.layout.rules.push(rule(80.0, top, 81.0, top + 80.0));
        self.layout.rules.push(rule(80.0, top + 79.0, 240.0, top + 80.0));
        for (value, y) in [("300", 8.0), ("200", 30.0), ("100", 55.0)] {
            self = self.go_to(top + y).at(64.0, SMALL, value);
        }
        for (value, x) in [("10", 110.0), ("20", 150.0), ("30", 190.0), ("40", 230.0)] {
            self = self.go_to(top + 90.0);
            self.put(x, SMALL, value);
        }
        self = self.go_to(top + 100.0).at(140.0, SMALL, "Time (min)");
        self.turned(60.0, top + 20.0, "Level");
        self.go_to(top + 110.0)
    }

    /// A word that runs up the page.
    fn turned(&mut self, x: f32, y: f32, text: &str) {
        self.put(x, SMALL, text);
        let bounds = Bounds { x0: x - 7.0, y0: y, x1: x + 1.0, y1: y + 30.0 };
        self.layout
            .words
            .last_mut()
            .into_iter()
            .for_each(|word| (word.bounds, word.turn, word.baseline) = (bounds, 270, x));
    }

    /// Axes with a curve of several parts.
    fn chart(mut self) -> Self {
        for x in [90.0_f32, 130.0, 170.0, 210.0] {
            let bounds = Bounds { x0: x, y0: self.y + 10.0 + 0.2 * x, x1: x + 35.0, y1: self.y + 20.0 + 0.2 * x };
            self.layout.drawings.push(bounds);
        }
        self.axes()
    }

    /// A box of four rules with these left, top, right and bottom edges.
    fn framed(mut self, [x0, y0, x1, y1]: [f32; 4]) -> Self {
        let sides = [[x0, y0, x1, y0 + 1.0], [x0, y1, x1, y1 + 1.0], [x0, y0, x0 + 1.0, y1], [x1, y0, x1 + 1.0, y1]];
        self.layout.rules.extend(sides.map(|[x0, y0, x1, y1]| rule(x0, y0, x1, y1)));
        self
    }
}

/// The Markdown of a page with a text, a figure, a caption and a text.
fn markdown(figure: impl Fn(Sheet) -> Sheet) -> String {
    let page = figure(Sheet::new().line(FULL).line("It is flat.").space(20.0)).space(20.0);
    markdown_of(&[page.at(50.0, SMALL, "Figure 3a. What was seen.").space(20.0).line(FULL).line("It ends.")]).concat()
}

/// The same Markdown, with these labels in one block.
fn expected(labels: &str) -> String {
    format!("{FULL} It is flat.\n\n{labels}\n\nFigure 3a. What was seen.\n\n{FULL} It ends.")
}

#[test]
fn the_labels_of_a_chart_are_one_block_where_it_stands() {
    assert_eq!(markdown(Sheet::chart), expected(LABELS));
    // The name of an axis is proof enough, and so are bars across the lines of a chart.
    assert_eq!(markdown(Sheet::axes), expected(LABELS));
    let bars = |sheet: Sheet| {
        let mut chart = sheet.clone().axes();
        chart.layout.words.pop();
        chart.layout.rules.extend([20.0, 40.0, 60.0].map(|y| rule(80.0, sheet.y + y, 240.0, sheet.y + y + 0.5)));
        let bar = |x: f32, height: f32| Bounds { x0: x, y0: sheet.y + 79.0 - height, x1: x + 20.0, y1: sheet.y + 79.0 };
        let bars = [bar(110.0, 65.0), bar(160.0, 45.0), bar(200.0, 25.0)];
        chart.layout.fills.extend(bars.map(|bounds| Fill { bounds, color: [90; 3] }));
        chart
    };
    assert_eq!(markdown(bars), expected(LABELS.trim_end_matches("  \nLevel")));
}

#[test]
fn a_frame_round_the_page_is_no_part_of_a_chart() {
    assert_eq!(markdown(|sheet| sheet.framed([30.0, 50.0, 370.0, 560.0]).chart()), expected(LABELS));
}

#[test]
fn a_caption_and_large_type_in_the_frame_of_a_chart_are_no_labels() {
    let title = Face { size: 16.0, ..BOLD };
    let framed = |sheet: Sheet| {
        let top = sheet.y;
        let chart = sheet.space(20.0).at(150.0, title, "Growth").chart();
        let chart = chart.space(20.0).at(60.0, SMALL, "Figure 2a. What grew").at(60.0, SMALL, "from day to day.");
        let bottom = chart.y;
        chart.framed([45.0, top, 260.0, bottom])
    };
    let found = markdown(framed);
    assert!(found.contains(&format!("# Growth\n\n{LABELS}\n\nFigure 2a. What grew from day to day.\n\n")), "{found}");
}

#[test]
fn sentences_among_curves_are_text_with_and_without_spaces() {
    let boxed = |sheet: Sheet, texts: &[&str]| {
        let top = sheet.y;
        let mut boxed = texts.iter().fold(sheet, |sheet, text| sheet.at(60.0, PLAIN, text).space(12.0));
        let curve = |x: f32| Bounds { x0: x, y0: top, x1: x + 60.0, y1: top + 90.0 };
        boxed.layout.drawings.extend([60.0, 120.0, 180.0].map(curve));
        boxed
    };
    for texts in [
        [
            "Each line of this box has many words.",
            "So has this one, which says more.",
            "It is the third one.",
            "It ends.",
        ],
        [
            "图中的每一行都有很多字而且没有空格",
            "第二行也是这样说了别的一些事情",
            "第三行还是一个很长的句子",
            "到此为止",
        ],
    ] {
        let found = markdown(|sheet| boxed(sheet, &texts));
        assert!(found.contains(&texts.join("\n\n")), "{found}");
    }
}

#[test]
fn curves_round_words_and_buttons_of_a_form_are_no_chart() {
    let form = |sheet: Sheet| {
        let top = sheet.y;
        let mut sheet = sheet.framed([50.0, top - 12.0, 300.0, top + 70.0]);
        for (name, value) in [("Name", "Alan"), ("Town", "London"), ("Land", "Britain"), ("Sex", "male")] {
            sheet.put(60.0, PLAIN, name);
            sheet = sheet.row(&[(160.0, value)]).space(6.0);
        }
        for x in [160.0, 200.0, 240.0] {
            sheet.layout.drawings.push(Bounds { x0: x, y0: top + 60.0, x1: x + 7.0, y1: top + 67.0 });
        }
        // A highlight round each value.
        for row in [0.0, 18.0, 36.0] {
            sheet.layout.drawings.push(Bounds { x0: 158.0, y0: top + row - 9.0, x1: 200.0, y1: top + row + 3.0 });
        }
        sheet
    };
    let found = markdown(form);
    assert!(found.contains("Alan") && !found.contains("  \n"), "{found}");
}

#[test]
fn a_list_goes_on_behind_a_chart() {
    let page = Sheet::new().line("- It begins.").line("- It goes on.").space(20.0).chart().space(20.0);
    let found = markdown_of(&[page.line("- It ends.")]).concat();
    assert_eq!(found, format!("- It begins.\n- It goes on.\n\n{LABELS}\n\n- It ends."));
}

#[test]
fn large_labels_in_a_figure_with_a_caption_are_no_headings() {
    let large = Face { size: 14.0, ..BOLD };
    let page = |caption: &str, more: &[&str]| {
        let sheet = Sheet::new().line(FULL).line(FULL).line("It ends.").space(20.0);
        let top = sheet.y;
        let mut sheet = sheet.space(30.0).at(100.0, large, "Fold").space(30.0).at(200.0, large, "Core").space(10.0);
        sheet = more.iter().fold(sheet, |sheet, line| sheet.at(100.0, SMALL, line)).space(20.0);
        sheet.layout.images.push(Bounds { x0: 50.0, y0: top, x1: 350.0, y1: sheet.y - 10.0 });
        let sheet = sheet.space(6.0).at(50.0, SMALL, caption).space(20.0).line(FULL).line(FULL).line("It ends.");
        let text = markdown_of(&[sheet]).concat();
        text.lines().filter(|line| line.starts_with('#')).count()
    };
    assert_eq!(page("Figure 2. What a fold is made of", &["x"]), 0);
    // Without a caption, or around text, they are headings.
    assert_eq!(page("What a fold is made of", &["x"]), 2);
    assert_eq!(page("Figure 2. What a fold is made of", &["a text of", "two lines"]), 2);
}

#[test]
fn a_caption_in_two_columns_goes_on_in_the_second_and_stands_before_both_columns_of_the_text() {
    let line = "words fill this line of text";
    let mut sheet = Sheet::new().go_to(200.0);
    let top = sheet.y;
    let small = Face { size: 8.0, ..PLAIN };
    for (x, first) in [(50.0, "Figure 2. The fold has of its"), (220.0, "parts the most that are seen.")] {
        sheet = sheet.go_to(top).at(x, small, first).at(x, small, line).at(x, small, "and words fill this line too");
        sheet = sheet.space(12.0);
        (0..12).for_each(|_| {
            sheet.put(x, PLAIN, line);
            sheet.y += 12.0;
        });
    }
    sheet.layout.images.push(Bounds { x0: 50.0, y0: 60.0, x1: 360.0, y1: 185.0 });
    let text = markdown_of(&[sheet]).concat();
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.starts_with("![")).collect();
    assert_eq!(blocks.len(), 2, "{text}");
    assert!(blocks.first().is_some_and(|caption| caption.contains("seen.")), "{text}");
}
