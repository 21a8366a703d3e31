//! The form of each page, where pagewise chooses it: what plain text would take apart comes in a form that keeps it.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use super::support::file_of;
use super::support::pdf::stream_of;
use pagewise::{Api, Form, Pagewise, Request};

const CODE: [&str; 4] = ["def leaf(sheet):", "    if sheet.folded:", "        return 2 * sheet.leaves", "    return 1"];

/// What shows a text on a line of the page, in Courier (F) or Times (G).
fn shown((font, size, x, line): (char, u32, u32, usize), text: &str) -> String {
    let text = text.replace('(', "\\(").replace(')', "\\)");
    format!("BT /{font} {size} Tf {x} {} Td ({text}) Tj ET ", 360 - 14 * line)
}

/// The answer about a page with this content.
fn answer(content: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = file_of(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 400]>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R/G 6 0 R>>>>>>".to_vec(),
        stream_of("", content.as_bytes()),
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier>>".to_vec(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>".to_vec(),
    ]);
    std::fs::write(folder.path().join("a.pdf"), file).unwrap();
    let pagewise = Pagewise::builder().root(folder.path()).build().unwrap();
    let answer = pagewise.get_file(&Request::new("a.pdf").pages("1").form(Form::Mixed)).unwrap();
    serde_json::to_string(&answer.to_json(Api::Anthropic)).unwrap()
}

#[test]
fn code_keeps_its_indentation() {
    let prose = |line| shown(('G', 10, 20, line), "A sheet that is folded once has two leaves, and four pages.");
    let code = (8..).zip(CODE).map(|(line, text)| shown(('F', 10, 40, line), text)).collect::<String>();
    let beside_prose = answer(&((0..6).map(prose).collect::<String>() + &code));
    assert!(
        beside_prose.contains("```\\ndef leaf(sheet):\\n    if sheet.folded:\\n        return 2"),
        "{beside_prose}"
    );
    let typed = answer(&code);
    assert!(typed.contains("\\ndef leaf(sheet):\\n    if sheet.folded:\\n        return 2"), "{typed}");
    assert!(
        !typed.contains("```") && !typed.contains("Note:"),
        "a typed page is given as it is, without doubts: {typed}"
    );
}

#[test]
fn titles_of_contents_have_their_pages_without_long_leaders() {
    let leader = ".".repeat(60);
    let titles = ["The fold", "The sheet", "The leaf", "The page", "The line", "The word"];
    let entry = |(at, title): (usize, &str)| shown(('G', 10, 20, at), &format!("{title} {leader} {}", at + 2));
    let said = answer(&titles.into_iter().enumerate().map(entry).collect::<String>());
    assert!(said.contains("The leaf ... 4") && !said.contains("......"), "{said}");
}

#[test]
fn numbers_of_lines_are_no_part_of_the_text() {
    let line = |at: usize| {
        shown(('G', 6, 10, at), &(at + 1).to_string())
            + &shown(('G', 10, 40, at), "a sheet that is folded once has two leaves and four pages in all")
    };
    let said = answer(&(0..12).map(line).collect::<String>());
    assert!(said.contains("four pages in all a sheet"), "{said}");
}
