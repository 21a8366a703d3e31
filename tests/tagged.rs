//! Tagged PDFs: the structure tree is believed where it accounts for the page, and the text is whole in any case.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use super::support::tagged::{Element, TaggedLine as Line, group, leaf, tagged_pdf};
use insta::assert_snapshot;
use pagewise::worker::{InProcessReader, Reader};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::ReadAt;
use pagewise_structure::tables::to_markdown as table_markdown;
use pagewise_structure::{DocumentPage, read_document, to_markdown};
use std::sync::Arc;

/// The Markdown of a file, its pages one after the other.
fn markdown_of(file: Vec<u8>) -> String {
    let source: Arc<dyn ReadAt> = Arc::new(file);
    let reader = InProcessReader::new(Limits::default(), Arc::new(pagewise_render::NoFonts));
    let document = reader.open(source, None, &Cancellation::default()).unwrap();
    let read = (0..document.page_count()).map(|page| document.page_structure(PageIndex(page)).unwrap());
    let read = read.collect::<Vec<_>>();
    let pages = (1..).zip(&read).map(|(number, page)| DocumentPage {
        number,
        label: None,
        structure: page.structure.clone(),
        is_wanted: true,
    });
    let blocks = read_document(&pages.collect::<Vec<_>>(), &[]);
    to_markdown(&blocks, &|page, table| Some(table_markdown(&read[page].tables[table]))).join("\n\n")
}

fn markdown(lines: &[Line], tree: &Element) -> String {
    markdown_of(tagged_pdf(&[lines], Some(tree), ""))
}

fn untagged(lines: &[Line]) -> String {
    markdown_of(tagged_pdf(&[lines], None, ""))
}

/// The words of a text, sorted.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> =
        text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

/// A page in one size of type, which the rules can only take for paragraphs.
const PLAIN: &[Line] = &[
    Line("0", [40, 540, 10], "About apples"),
    Line("1", [40, 526, 10], "Apples are fruit that grow on trees and are eaten in most"),
    Line("2", [40, 514, 10], "countries of the world."),
    Line("3", [40, 500, 10], "Which are the best"),
    Line("4", [40, 486, 10], "those that are red"),
    Line("5", [40, 472, 10], "small ones among them"),
    Line("6", [40, 458, 10], "those that are green"),
    Line("7", [40, 444, 10], "An apple a day keeps the doctor away."),
    Line("8", [40, 430, 10], "eat = apple.bite"),
    Line("9", [40, 416, 10], "The end of it."),
];

/// The tree that says what each line of it is.
fn right_tree() -> Element {
    let item = |id, more: Vec<Element>| group("LI", vec![group("LBody", [vec![leaf("P", id)], more].concat())]);
    let inner = group("L", vec![item(5, Vec::new())]);
    let list = group("L", vec![item(4, vec![inner]), item(6, Vec::new())]);
    let kids = vec![
        leaf("H1", 0),
        leaf("P", 1).and(0, 2),
        group(
            "Sect",
            vec![leaf("H2", 3), list, group("BlockQuote", vec![leaf("P", 7)]), leaf("Code", 8), leaf("P", 9)],
        ),
    ];
    group("Document", kids)
}

#[test]
fn a_tree_that_accounts_for_the_page_is_believed() {
    assert_snapshot!(markdown(PLAIN, &right_tree()), @"
    # About apples

    Apples are fruit that grow on trees and are eaten in most countries of the world.

    ## Which are the best

    - those that are red
      - small ones among them
    - those that are green

    > An apple a day keeps the doctor away.

    ```
    eat = apple.bite
    ```

    The end of it.
    ");
}

#[test]
fn types_of_the_author_are_known_by_the_role_map() {
    let tree = group("Story", vec![leaf("Headline", 0), leaf("Body", 1).and(0, 2), leaf("Body", 3)]);
    let roles = "/RoleMap << /Story /Art /Headline /Title2 /Title2 /H2 /Body /P /Loop /Loop >>";
    let found = markdown_of(tagged_pdf(&[&PLAIN[..4]], Some(&tree), roles));
    assert!(found.starts_with("## About apples\n\nApples are fruit"), "{found}");
}

#[test]
fn a_paragraph_of_two_pages_is_one() {
    let first = [Line("0", [40, 540, 10], "This sentence goes on."), Line("1", [40, 520, 10], "Another begins here.")];
    let second = [Line("0", [60, 540, 10], "And ends there."), Line("1", [40, 520, 10], "The last one.")];
    let tree = group("Document", vec![leaf("P", 0), leaf("P", 1).and(1, 0), group("P", Vec::new()).and(1, 1)]);
    let found = markdown_of(tagged_pdf(&[&first, &second], Some(&tree), ""));
    assert_snapshot!(found, @"
    This sentence goes on.

    Another begins here. And ends there.

    <!-- The text that goes on here is given at the end of page 1. -->

    The last one.
    ");
}

#[test]
fn a_table_has_the_cells_of_the_tree_with_their_spans_even_empty_ones() {
    let lines = [
        Line("0", [40, 540, 10], "Fruit"),
        Line("1", [140, 540, 10], "Sold in the year"),
        Line("2", [140, 526, 10], "2024"),
        Line("3", [240, 526, 10], "2025"),
        Line("4", [40, 512, 10], "Apples"),
        Line("5", [240, 512, 10], "12"),
        Line("6", [40, 490, 10], "Both years are good."),
    ];
    let cell = |kind, id| group(kind, vec![leaf("P", id)]);
    let tree = group(
        "Document",
        vec![
            group(
                "Table",
                vec![
                    group(
                        "TR",
                        vec![
                            cell("TH", 0).with("/A << /O /Table /RowSpan 2 >>"),
                            cell("TH", 1).with("/A [<< /O /Layout /ColSpan 7 >> << /O /Table /ColSpan 2 >>]"),
                        ],
                    ),
                    group("TR", vec![cell("TH", 2), cell("TH", 3)]),
                    group("TR", vec![cell("TD", 4), group("TD", Vec::new()), cell("TD", 5)]),
                ],
            ),
            leaf("P", 6),
        ],
    );
    assert_snapshot!(markdown(&lines, &tree), @r"
    | Fruit | Sold in the year |  |
    | --- | --- | --- |
    |  | 2024 | 2025 |
    | Apples |  | 12 |

    Both years are good.
    ");
}

#[test]
fn a_row_that_lacks_its_first_cell_is_not_moved_to_the_left() {
    let lines = [
        Line("0", [140, 540, 10], "2024"),
        Line("1", [240, 540, 10], "2025"),
        Line("2", [40, 526, 10], "Apples"),
        Line("3", [140, 526, 10], "1100"),
        Line("4", [240, 526, 10], "1200"),
        Line("5", [40, 512, 10], "Pears"),
        Line("6", [140, 512, 10], "2100"),
        Line("7", [240, 512, 10], "2200"),
    ];
    let row = |ids: std::ops::Range<usize>| group("TR", ids.map(|id| leaf("TD", id)).collect());
    let tree = group("Document", vec![group("Table", vec![row(0..2), row(2..5), row(5..8)])]);
    assert!(!markdown(&lines, &tree).contains("| 2024 | 2025 |  |"));
    assert_eq!(words(&markdown(&lines, &tree)), words(&untagged(&lines)));
}

#[test]
fn labels_are_the_marks_of_items_and_of_notes() {
    let lines = [
        Line("0", [40, 540, 10], "Rule A"),
        Line("1", [90, 540, 10], "Be short."),
        Line("2", [40, 526, 10], "Rule B"),
        Line("3", [90, 526, 10], "Be plain."),
        Line("4", [40, 512, 10], "Rules have a source."),
        Line("5", [40, 100, 10], "1"),
        Line("6", [60, 100, 10], "An old book of rules."),
    ];
    let item = |label, body| group("LI", vec![leaf("Lbl", label), leaf("LBody", body)]);
    let note = group("Note", vec![leaf("Lbl", 5), leaf("P", 6)]);
    let tree = group("Document", vec![group("L", vec![item(0, 1), item(2, 3)]), leaf("P", 4), note]);
    assert_snapshot!(markdown(&lines, &tree), @"
    - Rule A Be short.
    - Rule B Be plain.

    Rules have a source.

    [^1]: An old book of rules.
    ");
}

#[test]
fn a_bullet_that_the_tree_leaves_out_stands_before_its_item() {
    // Character 225 octal is a bullet in the encoding of the page.
    let lines = [
        Line("Artifact", [40, 540, 10], "\\225"),
        Line("Artifact", [40, 514, 10], "\\225"),
        Line("0", [55, 539, 10], "An item of two lines"),
        Line("0", [55, 527, 10], "that goes on."),
        Line("1", [55, 513, 10], "Another item."),
        Line("2", [40, 480, 10], "The text goes on below the list, and says so once more."),
    ];
    let item = |body| group("LI", vec![leaf("LBody", body)]);
    let tree = group("Document", vec![group("L", vec![item(0), item(1)]), leaf("P", 2)]);
    assert_snapshot!(markdown(&lines, &tree), @"
    - An item of two lines that goes on.
    - Another item.

    The text goes on below the list, and says so once more.
    ");
}

#[test]
fn the_description_of_a_figure_is_given_if_the_figure_is_drawn() {
    let figure = |id, entries| leaf("Figure", id).with(entries);
    let file = |more: Vec<Element>| {
        let lines = [
            Line("0", [40, 540, 10], "The sales are shown here."),
            Line("1", [40, 440, 0], ""),
            Line("2", [40, 360, 0], ""),
            Line("3", [40, 340, 10], "They grow."),
        ];
        let kids = [vec![leaf("P", 0)], more, vec![leaf("P", 3)]].concat();
        markdown(&lines, &group("Document", kids))
    };
    let found = file(vec![
        figure(1, "/Alt (Sales by year [in thousands])"),
        figure(2, "/Alt (chart.png)"),
        figure(9, "/Alt (A figure that is not there)"),
    ]);
    assert_snapshot!(found, @r"
    The sales are shown here.

    ![Sales by year \[in thousands\]]()

    They grow.
    ");
    assert_eq!(file(Vec::new()), "The sales are shown here.\n\nThey grow.");
}

#[test]
fn a_tree_of_paragraphs_leaves_headings_to_the_rules() {
    let lines = [
        Line("0", [40, 540, 18], "A large line"),
        Line("1", [40, 500, 10], "Body text that follows the large line and is long enough"),
        Line("2", [40, 488, 10], "to fill two lines of the page."),
    ];
    let tree = group("Document", vec![leaf("P", 0), leaf("P", 1).and(0, 2)]);
    assert!(markdown(&lines, &tree).starts_with("# A large line\n\n"));
}

#[test]
fn a_tree_against_the_order_of_the_page_is_not_believed() {
    let reversed = group("Document", (0..PLAIN.len()).rev().map(|id| leaf("H1", id)).collect());
    let crossed = group(
        "Document",
        vec![
            leaf("P", 0).and(0, 4).and(0, 8),
            leaf("H1", 1).and(0, 5).and(0, 9),
            leaf("H2", 2).and(0, 3).and(0, 6).and(0, 7),
        ],
    );
    for tree in [reversed, crossed] {
        assert_eq!(markdown(PLAIN, &tree), untagged(PLAIN));
    }
}

#[test]
fn a_tree_of_lines_is_not_believed() {
    let lines = [
        Line("0", [40, 540, 10], "A paragraph has several lines, of which none but the last"),
        Line("1", [40, 528, 10], "one ends with a sentence, since its words are only set so"),
        Line("2", [40, 516, 10], "that they fill the width of the column in which they are"),
        Line("3", [40, 504, 10], "printed on the page."),
    ];
    let tree = group("Document", (0..4).map(|id| leaf("P", id)).collect());
    assert_eq!(markdown(&lines, &tree), untagged(&lines));
    assert_eq!(untagged(&lines).lines().count(), 1);
}

#[test]
fn body_text_that_is_tagged_as_a_heading_is_none() {
    let long = "This whole sentence is set in the type of the body and is no heading.";
    let lines =
        [Line("0", [40, 540, 10], "Title"), Line("1", [40, 520, 10], long), Line("2", [40, 500, 10], "More text.")];
    let tree = group("Document", vec![leaf("H1", 0), leaf("H2", 1), leaf("P", 2)]);
    assert_eq!(markdown(&lines, &tree), format!("# Title\n\n{long}\n\nMore text."));
}

#[test]
fn text_that_the_tree_does_not_claim_stands_where_it_is_printed() {
    let mut lines: Vec<Line> = PLAIN.iter().map(|Line(id, place, text)| Line(id, *place, text)).collect();
    lines.push(Line("", [40, 402, 10], "extra"));
    lines.push(Line("77", [40, 390, 10], "lost"));
    let found = markdown(&lines, &right_tree());
    assert!(found.contains("## Which are the best") && found.ends_with("lost"), "{found}");
    assert_eq!(words(&found), words(&untagged(&lines)));
}

#[test]
fn a_tree_that_claims_little_is_not_believed() {
    let tree = group("Document", vec![leaf("H1", 0), leaf("H3", 1)]);
    assert_eq!(markdown(PLAIN, &tree), untagged(PLAIN));
}

#[test]
fn artifacts_of_a_single_page_keep_their_words() {
    let mut lines: Vec<Line> = PLAIN.iter().map(|Line(id, place, text)| Line(id, *place, text)).collect();
    lines.push(Line("Artifact", [40, 580, 10], "Apple news"));
    lines.push(Line("Artifact", [40, 300, 10], "seen"));
    let found = markdown(&lines, &right_tree());
    assert!(found.contains("Apple news") && found.contains("seen") && found.contains("# About"), "{found}");
}

#[test]
fn leaders_that_are_artifacts_are_no_doubt() {
    let lines = [
        Line("0", [40, 440, 10], "One"),
        Line("Artifact", [80, 440, 10], ". . . . . . . . . . . . . . . ."),
        Line("1", [240, 440, 10], "1"),
        Line("2", [40, 420, 10], "Two"),
    ];
    let tree = group("Document", vec![leaf("TOCI", 0).and(0, 1), leaf("H3", 2)]);
    assert!(markdown(&lines, &tree).contains("### Two"));
}

#[test]
fn a_damaged_tree_is_none() {
    let deep = (0..300).fold(leaf("P", 0), |inner, _| group("Div", vec![inner]));
    let rest = (1..PLAIN.len()).map(|id| leaf("H1", id));
    let deep = group("Document", std::iter::once(deep).chain(rest).collect());
    assert_eq!(markdown(PLAIN, &deep), untagged(PLAIN));
    // The same with a cycle of parents, and with an element that its parent does not know.
    let file = String::from_utf8(tagged_pdf(&[PLAIN], Some(&right_tree()), "")).unwrap();
    let document = "/S /Document /P 3 0 R";
    for (from, to) in [(document, "/S /Document /P 7 0 R"), ("/K [8 0 R ", "/K [6 0 R "), ("/S /H1", "/S (H1)")] {
        let broken = file.replacen(from, to, 1);
        assert_ne!(broken, file, "{from}");
        assert_eq!(markdown_of(broken.into_bytes()), untagged(PLAIN), "{to}");
    }
}

#[test]
fn no_word_is_lost_or_doubled() {
    let kinds = ["P", "H1", "LI", "TD", "Code", "Note", "Figure", "Artifact", "Span", "TOCI", "Caption", "L", "Table"];
    for outer in kinds {
        for inner in kinds {
            let kids = (0..PLAIN.len()).map(|id| group(outer, vec![leaf(inner, id)]));
            let tree = group("Document", kids.collect());
            assert_eq!(words(&markdown(PLAIN, &tree)), words(&untagged(PLAIN)), "{outer} {inner}");
        }
    }
}

#[test]
fn content_is_in_the_order_of_the_tree_and_not_of_its_identifiers() {
    let ids = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    let line = |(at, id): (u32, &'static str)| Line(id, [40, 560 - 20 * at, 10], "Apples are eaten in most countries.");
    let mut lines = (0..).zip(ids).map(line).collect::<Vec<_>>();
    lines.push(Line("14", [40, 316, 10], "Many of them are grown in the north and sold in the south of the"));
    lines.push(Line("12", [40, 304, 10], "continent, where it is too hot for them, or are pressed for cider"));
    lines.push(Line("13", [40, 292, 10], "alone."));
    let mut kids = (0..ids.len()).map(|id| leaf("P", id)).collect::<Vec<_>>();
    kids.push(leaf("P", 14).and(0, 12).and(0, 13));
    // One odd paragraph among many does not make the tree unbelievable.
    let text = markdown(&lines, &group("Document", kids));
    let end = "Many of them are grown in the north and sold in the south of the continent, where it is too hot for \
        them, or are pressed for cider alone.";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_side_bar_that_is_an_artifact_leaves_the_tree_believable() {
    let lines = [
        Line("0", [200, 540, 10], "About apples"),
        Line("1", [200, 526, 10], "Apples are fruit."),
        Line("2", [200, 512, 10], "They grow on trees, and are eaten in most countries."),
        Line("Artifact", [40, 300, 10], "Of the fruit council,"),
        Line("Artifact", [40, 288, 10], "in the capital"),
    ];
    let tree = group("Document", vec![leaf("H1", 0), leaf("P", 1), leaf("P", 2)]);
    let text = markdown(&lines, &tree);
    assert!(text.contains("# About apples\n\nApples are fruit.\n\nThey grow"), "{text}");
    assert!(text.contains("Of the fruit council"), "{text}");
}
