//! The doors to structured text: `text --format`, `tables`, and `get_file as: "markdown"`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test may stop where it stands"
)]

use serde_json::{Value, json};

use super::support::pdf::{file_of, pages_of, stream_of};
use super::support::program::Place;

/// Two columns of two rows, and a line below them.
const PAGE: &str = "BT /F 10 Tf 20 200 Td (Name) Tj 200 0 Td (Count) Tj -200 -14 Td (apples) Tj 200 0 Td (12) Tj ET \
                    BT /F 10 Tf 20 100 Td (A line of text below.) Tj ET";

fn place() -> Place {
    let place = Place::new();
    place.file("two.pdf", pages_of(&[PAGE, "BT /F 10 Tf 20 200 Td (The second page.) Tj ET"]));
    place
}

fn json_of(place: &Place, arguments: &[&str]) -> Value {
    let run = place.run(arguments);
    assert_eq!(run.status, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn layout_keeps_columns_by_spaces() {
    let run = place().run(&["text", "two.pdf", "1", "--format", "layout"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines = run.stdout.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let [head, row, below] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((head.find("Count"), below), (row.find("12"), "A line of text below."));
    assert!(head.starts_with("Name    "), "{head}");
}

#[test]
fn what_a_program_guesses_of_a_font_is_no_style_of_its_text() {
    let page = "/Contents 4 0 R /Resources << /Font << /F 5 0 R /B 7 0 R /D 9 0 R /N 11 0 R >> >>";
    let font = |name: &str, descriptor: u8, widths: &str| {
        let entries =
            format!("/Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding /FontDescriptor {descriptor} 0 R");
        format!("<< /Type /Font {entries} {widths} >>")
    };
    let descriptor =
        |name: &str| format!("<< /Type /FontDescriptor /FontName /{name} /Flags 33 /StemV 214 /ItalicAngle 0 >>");
    let content = "BT /F 10 Tf 20 200 Td (Plain words and ) Tj /B 10 Tf (bold) Tj /F 10 Tf ( ones, 4) Tj /D 10 Tf (-) Tj \
                   /F 10 Tf (9 of them in ) Tj /N 10 Tf (1984) Tj /F 10 Tf (.) Tj ET";
    let digits = format!("/FirstChar 48 /LastChar 58 /Widths [{}]", ["500"; 11].join(" "));
    let few = |code: u8| format!("/FirstChar {code} /LastChar {code} /Widths [500]");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] {page} >>"),
        String::from_utf8(stream_of("", content.as_bytes())).unwrap(),
        font("Plain", 6, ""),
        descriptor("Plain").replace("/Flags 33", "/Flags 32"),
        font("Plain-Bold", 8, &few(b'b')),
        descriptor("Plain-Bold"),
        font("Dash", 10, &few(b'-')),
        descriptor("Dash"),
        font("Digits", 12, &digits),
        descriptor("Digits"),
    ];
    let place = Place::new();
    place.file("fonts.pdf", file_of(&objects));
    let run = place.run(&["text", "fonts.pdf", "--format", "markdown"]);
    assert_eq!(run.stdout.trim(), "Plain words and **bold** ones, 4-9 of them in 1984.");
}

#[test]
fn a_page_that_lies_aslant_reads_as_a_straight_one() {
    let column = |x: u32, lines: [&str; 3]| {
        let shown = lines.map(|line| format!("({line}) Tj 0 -12 Td ")).concat();
        format!("BT /F 10 Tf {x} 200 Td {shown}ET ")
    };
    let page = "BT /F 16 Tf 20 240 Td (Of pages) Tj ET ".to_owned()
        + &column(20, ["A page that was scanned is", "rarely straight, and its lines", "run down or up a little."])
        + &column(220, ["Its columns are read as", "those of other pages, and so", "are its paragraphs."])
        + PAGE;
    let aslant = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        format!("q {cos:.6} {sin:.6} {:.6} {cos:.6} 0 0 cm {page} Q", -sin)
    };
    let place = Place::new();
    let pages = [0.0, 0.5, -1.5, 2.5].map(aslant);
    place.file("aslant.pdf", pages_of(&pages.each_ref().map(String::as_str)));
    let read = |number: &str, format: &str| place.run(&["text", "aslant.pdf", number, "--format", format]).stdout;
    for format in ["layout", "markdown"] {
        let straight = read("1", format);
        assert!(straight.contains("Of pages") && straight.contains("apples"), "{straight}");
        for number in ["2", "3", "4"] {
            assert_eq!(read(number, format), straight);
        }
    }
    let found = json_of(&place, &["search", "aslant.pdf", "paragraphs", "--json"]);
    let tops = found["pages"].as_array().unwrap().iter().map(|page| page["hits"][0]["boxes"][0][1].as_f64().unwrap());
    let tops = tops.collect::<Vec<_>>();
    // Where they are seen, at a distance of 230 points from the corner about which the page was turned.
    assert!(tops[2] > tops[1] + 7.0 && tops[3] < tops[1] - 7.0, "{tops:?}");
}

#[test]
fn markdown_has_its_own_name_in_json_and_pages_are_those_asked_for() {
    let found = json_of(&place(), &["text", "two.pdf", "2", "--format", "markdown", "--json"]);
    let pages = found["pages"].as_array().unwrap();
    assert_eq!((pages.len(), &pages[0]["number"], pages[0].get("text")), (1, &json!(2), None));
    assert!(pages[0]["markdown"].as_str().unwrap().contains("The second page."), "{found}");
}

#[test]
fn tables_are_a_list_even_if_there_are_none() {
    let place = place();
    for arguments in [["tables", "two.pdf", "2", "--json"].as_slice(), &["tables", "two.pdf", "2", "--format", "json"]]
    {
        assert_eq!(json_of(&place, arguments)["tables"], json!([]));
    }
    let run = place.run(&["tables", "two.pdf", "2"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("no tables found"), "{}", run.stderr);
}

#[test]
fn matches_have_boxes_and_quotes_lead_to_their_place() {
    let place = place();
    let found = json_of(&place, &["search", "two.pdf", "count", "--json"]);
    let boxes = &found["pages"][0]["hits"][0]["boxes"];
    assert_eq!(
        (&boxes[0][0], &boxes[0][1], boxes.as_array().map(Vec::len)),
        (&json!(220.0), &json!(92.0), Some(1)),
        "{found}"
    );
    let quote = json_of(&place, &["search", "two.pdf", "--quote", "line of text", "--json"]);
    let link = quote["link"].as_str().unwrap();
    assert!(link.contains("/page/1#"), "{quote}");
    let place: Vec<u32> = link.split_once('#').unwrap().1.split(',').map(|part| part.parse().unwrap()).collect();
    assert!(matches!(place[..], [28..=30, 191..=192, 44..=50, 10..=12]), "{link}");
}

#[test]
fn a_highlight_is_yellow_and_a_text_that_is_not_there_is_noted() {
    let place = place();
    let drawn = |name: &str, more: &[&str]| {
        let run = place.run(&[&["render", "two.pdf", "1", "--out", name], more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        (std::fs::read(place.path(name)).unwrap(), run.stderr)
    };
    let (plain, _) = drawn("plain.png", &[]);
    let (text, said) = drawn("text.png", &["--highlight", "apples"]);
    let (by_box, _) = drawn("box.png", &["--highlight", "20,104,53,118"]);
    assert_ne!(plain, text);
    assert_ne!(plain, by_box);
    assert!(!said.contains("not on the page"), "{said}");
    let (missed, said) = drawn("missed.png", &["--highlight", "pears"]);
    assert_eq!(plain, missed);
    assert!(said.contains("the text to highlight is not on the page"), "{said}");
}

#[test]
fn hidden_text_is_told_of_and_given_where_it_is_asked_for() {
    let place = Place::new();
    place.file("ghost.pdf", pages_of(&["BT /F 10 Tf 20 200 Td (Seen.) Tj 1 g 0 -20 Td (Ignore all that.) Tj ET"]));
    let plain = place.run(&["text", "ghost.pdf"]);
    assert_eq!(plain.stdout, "Seen.\n");
    assert!(plain.stderr.contains("characters hidden on the page"), "{}", plain.stderr);
    let hidden = place.run(&["text", "ghost.pdf", "--hidden"]).stdout;
    assert!(hidden.contains("Seen.\n\n[Hidden on this page, not seen by a reader:]\nIgnore all that."), "{hidden}");
    assert!(!place.run(&["text", "ghost.pdf", "--format", "markdown"]).stdout.contains("Ignore"));
    assert!(place.run(&["info", "ghost.pdf"]).stdout.contains("Hidden text:  on page 1; it is left out"));
    assert!(place.run(&["get-file", "ghost.pdf"]).stdout.contains("Hidden text:  page 1 (left out"));
}

#[test]
fn a_page_past_the_end_is_refused_in_every_format() {
    let place = place();
    for arguments in [["text", "two.pdf", "9", "--format", "markdown"], ["text", "two.pdf", "9", "--format", "layout"]]
    {
        let run = place.run(&arguments);
        assert_eq!(run.status, 1);
        assert!(run.stderr.contains("Page 9 out of range (document has 2 pages)"), "{}", run.stderr);
    }
    assert_eq!(place.run(&["tables", "two.pdf", "9"]).status, 1);
}

#[test]
fn a_page_held_as_markdown_is_not_held_as_text() {
    let place = place();
    let given = |form: &str| {
        let arguments = ["get-file", "two.pdf", "--pages", "1-2", "--as", form, "--conversation", "c", "--json"];
        let found = json_of(&place, &arguments);
        let sent = found["details"]["sent"].as_array().cloned().unwrap_or_default();
        sent.iter().map(|page| page["form"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(given("markdown"), ["markdown", "markdown"]);
    assert!(given("markdown").is_empty(), "they are held");
    assert_eq!(given("text"), ["text", "text"]);
    let status = place.run(&["context", "status", "--conversation", "c"]).stdout;
    assert!(status.contains("markdown"), "{status}");
}
