//! Structure trees against what their pages show.

use super::super::tables::to_markdown as table_markdown;
use super::super::{DocumentPage, read_document, read_tagged_page, to_markdown};
use super::sheet::{BOLD, FULL, Face, MONO, PLAIN, Sheet};
use pagewise_document::{PageTags, StructureElement, StructureType};
use pagewise_text::{ContentMark, Script};
use std::slice;

/// A page with its tree. Elements and their content are added in the order of the tree.
struct TaggedSheet {
    sheet: Sheet,
    tags: PageTags,
}

impl TaggedSheet {
    fn new() -> Self {
        Self { sheet: Sheet::new(), tags: PageTags { elements: Vec::new(), owners: Vec::new(), places: Vec::new() } }
    }

    fn element(&mut self, kind: StructureType, parent: Option<usize>) -> usize {
        let index = self.tags.elements.len();
        let id = u32::try_from(index).unwrap_or(0) + 1;
        self.tags.elements.push(StructureElement { id, kind, parent, spans: [1, 1], alternate: None });
        index
    }

    /// Marked content of an element.
    fn content(&mut self, element: usize, write: impl FnOnce(Sheet) -> Sheet) {
        let (first, id) = (self.sheet.layout.words.len(), self.tags.owners.len());
        self.sheet = write(self.sheet.clone());
        let mark = ContentMark::Sequence(u16::try_from(id).unwrap_or(0));
        self.sheet.layout.words.iter_mut().skip(first).for_each(|word| word.mark = mark);
        self.tags.owners.push(Some(element));
        self.tags.places.push(id);
    }

    fn line(&mut self, element: usize, text: &str) {
        self.content(element, |sheet| sheet.line(text));
    }

    /// A new element with a line.
    fn text(&mut self, kind: StructureType, parent: Option<usize>, text: &str) -> usize {
        let element = self.element(kind, parent);
        self.line(element, text);
        element
    }

    /// A row of a table with a cell for each text, at its place.
    fn row(&mut self, table: usize, cells: &[(f32, &str)]) {
        let row = self.element(StructureType::TableRow, Some(table));
        for (x, text) in cells {
            let cell = self.element(StructureType::DataCell, Some(row));
            if !text.is_empty() {
                self.content(cell, |mut sheet| {
                    sheet.put(*x, PLAIN, text);
                    sheet
                });
            }
        }
        self.sheet.y += 14.0;
    }

    /// The Markdown of the page by its tree; `None` if the tree is not believed.
    fn markdown(&self) -> Option<String> {
        let (structure, tables) = read_tagged_page(&self.sheet.layout, &self.tags)?;
        let page = DocumentPage { number: 1, label: None, structure, is_wanted: true };
        let blocks = read_document(slice::from_ref(&page), &[]);
        Some(to_markdown(&blocks, &|_, table| tables.get(table).map(table_markdown)).concat())
    }
}

#[test]
fn a_paragraph_inside_another_is_a_block_of_its_own() {
    let mut page = TaggedSheet::new();
    let outer = page.text(StructureType::Paragraph, None, "The outer one begins.");
    page.text(StructureType::Paragraph, Some(outer), "The inner one is said.");
    page.text(StructureType::Heading(2), Some(outer), "A heading");
    page.line(outer, "The outer one ends.");
    let expected = "The outer one begins.\n\nThe inner one is said.\n\n## A heading\n\nThe outer one ends.";
    assert_eq!(page.markdown().as_deref(), Some(expected));
}

#[test]
fn the_first_paragraph_of_an_item_is_the_item_unless_text_precedes_it() {
    let markdown = |has_text: bool| {
        let mut page = TaggedSheet::new();
        let list = page.element(StructureType::List, None);
        let item = page.element(StructureType::ListItem, Some(list));
        if has_text {
            page.line(item, "Its text.");
        }
        page.text(StructureType::Paragraph, Some(item), "The first paragraph.");
        page.text(StructureType::Paragraph, Some(item), "The second one.");
        page.markdown()
    };
    assert_eq!(markdown(false).as_deref(), Some("- The first paragraph.\n\n  The second one."));
    assert_eq!(markdown(true).as_deref(), Some("- Its text.\n\n  The first paragraph.\n\n  The second one."));
}

#[test]
fn paragraphs_that_are_rows_are_read_as_the_page_shows_them() {
    let page = |kind: StructureType| {
        let mut page = TaggedSheet::new();
        page.text(kind, None, "What is sold");
        for (name, other) in [("One thing", "Another thing"), ("Two things", "Four things"), ("It all", "No more")] {
            let row = page.element(StructureType::Paragraph, None);
            page.content(row, |mut sheet| {
                sheet.put(50.0, PLAIN, name);
                sheet.at(300.0, PLAIN, other)
            });
        }
        page.markdown()
    };
    assert!(page(StructureType::Heading(1)).is_some());
    assert_eq!(page(StructureType::Paragraph), None);
}

#[test]
fn the_notes_of_one_element_are_notes_of_their_own() {
    let mut page = TaggedSheet::new();
    let raised = Face { size: 6.0, ..PLAIN };
    let text = page.element(StructureType::Paragraph, None);
    page.content(text, |mut sheet| {
        sheet.put(50.0, PLAIN, "This was measured");
        sheet.put_script(135.5, raised, "1", Script::Raised);
        sheet.put(145.0, PLAIN, "twice (weighed)");
        sheet.put_script(220.5, raised, "2", Script::Raised);
        sheet.go_to(600.0)
    });
    let notes = page.element(StructureType::Paragraph, None);
    for (mark, note) in [("1", "On two days."), ("2", "In the morning.")] {
        page.content(notes, |mut sheet| {
            sheet.put_script(50.0, raised, mark, Script::Raised);
            sheet.at(55.0, Face { size: 8.0, ..PLAIN }, note)
        });
    }
    let expected = "This was measured[^1] twice (weighed)[^2]\n\n[^1]: On two days.\n\n[^2]: In the morning.";
    assert_eq!(page.markdown().as_deref(), Some(expected));
}

#[test]
fn an_entry_of_contents_is_one_line_with_its_leader() {
    let mut page = TaggedSheet::new();
    for (title, number) in [("The first chapter", "7"), ("Another one", "15")] {
        let entry = page.element(StructureType::ContentsItem, None);
        let text = page.element(StructureType::Paragraph, Some(entry));
        page.content(text, |mut sheet| {
            sheet.put(50.0, PLAIN, title);
            sheet
        });
        (0_u8..20).for_each(|dot| page.sheet.put(150.0 + 6.0 * f32::from(dot), PLAIN, "."));
        let end = page.element(StructureType::Inline, Some(entry));
        page.content(end, |sheet| sheet.at(300.0, PLAIN, number));
    }
    let expected = "The first chapter ... 7  \nAnother one ... 15";
    assert_eq!(page.markdown().as_deref(), Some(expected));
}

#[test]
fn the_words_of_a_figure_are_no_part_of_the_paragraph_round_it() {
    let mut page = TaggedSheet::new();
    let caption = page.text(StructureType::Paragraph, None, "Figure 1. The parts of the device.");
    let figure = page.element(StructureType::Figure, Some(caption));
    let parts = [(60.0, "pump"), (200.0, "valve"), (90.0, "inlet"), (220.0, "outlet")];
    for (x, part) in parts {
        page.content(figure, |sheet| sheet.space(20.0).at(x, PLAIN, part));
    }
    page.text(StructureType::Paragraph, None, "The text goes on.");
    let found = page.markdown().unwrap_or_default();
    assert!(found.starts_with("Figure 1. The parts of the device.\n\n"), "{found}");
    assert!(found.contains("pump") && found.ends_with("\n\nThe text goes on."), "{found}");
}

#[test]
fn an_element_whose_lines_begin_with_bullets_is_no_paragraph() {
    let mut page = TaggedSheet::new();
    let paragraph = page.text(StructureType::Paragraph, None, "The device has parts:");
    page.line(paragraph, "• a pump");
    page.line(paragraph, "• a valve");
    assert_eq!(page.markdown().as_deref(), Some("The device has parts:\n\n- a pump\n- a valve"));
}

#[test]
fn items_that_are_headings_are_left_to_the_rules() {
    let page = |mark: &str| {
        let mut page = TaggedSheet::new();
        for title in ["Theory of it", "Use of it"] {
            let list = page.element(StructureType::List, None);
            let item = page.element(StructureType::ListItem, Some(list));
            page.content(item, |sheet| sheet.at(50.0, BOLD, &format!("{mark}{title}")).space(4.0));
            page.text(StructureType::Paragraph, Some(item), "What is to be said of it is said here.");
            page.sheet.y += 14.0;
            let inner = page.element(StructureType::List, Some(item));
            page.text(StructureType::ListItem, Some(inner), "one");
            page.text(StructureType::ListItem, Some(inner), "two");
            page.sheet.y += 14.0;
        }
        page.markdown().unwrap_or_default()
    };
    let text = "What is to be said of it is said here.\n\n- one\n- two";
    assert_eq!(page(""), format!("# Theory of it\n\n{text}\n\n# Use of it\n\n{text}"));
    let text = "  What is to be said of it is said here.\n  - one\n  - two";
    assert_eq!(page("• "), format!("- **Theory of it**\n\n{text}\n- **Use of it**\n\n{text}"));
}

#[test]
fn items_that_are_lines_of_code_are_a_listing() {
    let mut page = TaggedSheet::new();
    page.text(StructureType::Paragraph, None, "This is the code of the device.");
    page.sheet.y += 12.0;
    let list = page.element(StructureType::List, None);
    for code in ["int pump = 0;", "int valve = 1;"] {
        let item = page.element(StructureType::ListItem, Some(list));
        page.content(item, |sheet| sheet.at(50.0, MONO, code));
    }
    let expected = "This is the code of the device.\n\n```\nint pump = 0;\nint valve = 1;\n```";
    assert_eq!(page.markdown().as_deref(), Some(expected));
}

#[test]
fn text_that_stands_above_the_text_before_it_is_a_doubt_unless_it_is_a_running_head() {
    let is_believed = |y: f32| {
        let mut page = TaggedSheet::new();
        page.sheet.y = 200.0;
        for _ in 0..12 {
            page.text(StructureType::Paragraph, None, "A sentence of the text.");
        }
        page.sheet.y = y;
        page.text(StructureType::Paragraph, None, "The annual report");
        page.markdown().is_some()
    };
    assert!(is_believed(50.0) && is_believed(400.0) && !is_believed(150.0));
}

#[test]
fn text_that_goes_back_to_the_top_of_an_earlier_column_is_a_doubt() {
    let is_believed = |tops: [f32; 6]| {
        let mut page = TaggedSheet::new();
        for (x, y) in [50.0, 220.0, 50.0, 220.0, 50.0, 220.0].into_iter().zip(tops) {
            page.sheet.y = y;
            let text = page.element(StructureType::Paragraph, None);
            page.content(text, |sheet| sheet.at(x, PLAIN, "A sentence of the text."));
        }
        page.markdown().is_some()
    };
    assert!(is_believed([100.0, 100.0, 200.0, 200.0, 300.0, 300.0]));
    assert!(!is_believed([200.0, 100.0, 100.0, 300.0, 300.0, 200.0]));
}

#[test]
fn an_item_without_a_mark_among_marked_ones_is_a_paragraph() {
    let mut page = TaggedSheet::new();
    let list = page.element(StructureType::List, None);
    for (marked, text) in [("1. A right of the owner", "It has no number."), ("2. A duty", "Nor has this.")] {
        page.text(StructureType::ListItem, Some(list), marked);
        let inner = page.element(StructureType::List, Some(list));
        page.text(StructureType::ListItem, Some(inner), text);
    }
    let text = page.markdown().unwrap_or_default();
    assert!(text.contains("A right of the owner\n\n   It has no number.\n2. A duty"), "{text}");
}

#[test]
fn cells_of_a_row_stand_in_the_order_of_the_other_rows() {
    let markdown = |places: [f32; 2]| {
        let mut page = TaggedSheet::new();
        let table = page.element(StructureType::Table, None);
        for [first, second] in [["Fruit", "Price"], ["Apples", "12"], ["Pears", "15"], ["Plums", "18"]] {
            page.row(table, &[(50.0, first), (150.0, second), (250.0, "x")]);
        }
        page.row(table, &[(50.0, "Figs"), (places[0], "20"), (places[1], "x")]);
        page.markdown().unwrap_or_default()
    };
    assert!(markdown([150.0, 250.0]).contains("| Figs | 20 | x |"));
    assert!(markdown([250.0, 150.0]).contains("| Figs | x | 20 |"));
}

#[test]
fn the_first_row_of_a_table_without_tagged_heads_is_its_head() {
    let mut page = TaggedSheet::new();
    let table = page.element(StructureType::Table, None);
    for [region, first, second] in [["Region", "12/01", "13/01"], ["North", "8", "9"], ["South", "7", "1"]] {
        page.row(table, &[(50.0, region), (150.0, first), (250.0, second)]);
    }
    let found = page.markdown().unwrap_or_default();
    assert!(found.starts_with("| Region | 12/01 | 13/01 |\n| --- | --- | --- |\n| North | 8 | 9 |"), "{found}");
}

#[test]
fn a_word_that_the_tree_leaves_out_stands_once_in_a_table() {
    let mut page = TaggedSheet::new();
    for [first, second] in [["Fruit", "Price"], ["Apples", "12"], ["Pears", "15"], ["Plums", "18"], ["Figs", "20"]] {
        for (x, text) in [(50.0, first), (150.0, second), (250.0, "x")] {
            let element = page.element(StructureType::Paragraph, None);
            page.content(element, |mut sheet| {
                sheet.put(x, PLAIN, text);
                sheet
            });
        }
        page.sheet.y += 14.0;
    }
    page.sheet.y -= 14.0;
    page.sheet.put(165.0, PLAIN, "kg");
    let found = page.markdown().unwrap_or_default();
    assert!(found.contains("| Figs | 20 kg | x |"), "{found}");
    assert_eq!(found.matches("kg").count(), 1, "{found}");
}

#[test]
fn a_tree_of_groups_alone_says_nothing_of_the_order() {
    let markdown = |kind: StructureType| {
        let mut page = TaggedSheet::new();
        let element = page.element(kind, None);
        page.line(element, FULL);
        page.line(element, "and end.");
        page.markdown()
    };
    assert_eq!(markdown(StructureType::Paragraph), Some(format!("{FULL} and end.")));
    assert_eq!(markdown(StructureType::Group), None);
    assert_eq!(markdown(StructureType::Section), None);
}

#[test]
fn a_table_that_lays_out_text_is_none() {
    let text = "This sentence goes over the whole width of the table, as text does and as values never do: it is long.";
    let mut page = TaggedSheet::new();
    let table = page.element(StructureType::Table, None);
    page.row(table, &[(50.0, "Name:"), (150.0, "A. Smith")]);
    page.row(table, &[(50.0, text)]);
    assert_eq!(page.markdown(), Some(format!("Name: A. Smith\n\n{text}")));
    let mut page = TaggedSheet::new();
    let table = page.element(StructureType::Table, None);
    for text in ["One", "Two", "Three"] {
        page.row(table, &[(50.0, text), (50.0, "")]);
        page.row(table, &[(50.0, ""), (50.0, text)]);
    }
    assert!(!page.markdown().unwrap_or_default().contains('|'));
}

#[test]
fn sections_stand_below_a_title_of_their_level_in_much_larger_type() {
    let headings = |size: f32| {
        let mut page = TaggedSheet::new();
        let title = page.element(StructureType::Heading(1), None);
        page.content(title, |sheet| sheet.at(50.0, Face { size, ..BOLD }, "The rivers of the north"));
        for section in ["First part", "Second part"] {
            let heading = page.element(StructureType::Heading(1), None);
            page.content(heading, |sheet| sheet.space(12.0).at(50.0, BOLD, section));
            page.text(StructureType::Paragraph, None, "Words of this part of the text.");
        }
        page.markdown().unwrap_or_default()
    };
    assert!(headings(20.0).contains("\n\n## First part"), "{}", headings(20.0));
    assert!(headings(BOLD.size).contains("\n\n# First part"), "{}", headings(BOLD.size));
}

#[test]
fn elements_that_are_the_lines_of_one_large_heading_are_joined() {
    let headings = |second: &str, space: f32| {
        let mut page = TaggedSheet::new();
        for (text, above) in [("The rivers of the", 0.0), (second, space)] {
            let heading = page.element(StructureType::Heading(1), None);
            page.content(heading, |sheet| sheet.space(above).at(50.0, Face { size: 20.0, ..BOLD }, text));
        }
        (0..4).for_each(|_| _ = page.text(StructureType::Paragraph, None, FULL));
        page.markdown().unwrap_or_default()
    };
    assert!(headings("north and their fish", 0.0).starts_with("# The rivers of the north and their fish\n\n"));
    assert!(headings("north and their fish", 30.0).starts_with("# The rivers of the\n\n# north and their fish\n\n"));
    assert!(!headings("2.1 Fish", 0.0).starts_with("# The rivers of the 2.1 Fish"));
}

#[test]
fn a_level_of_headings_that_is_mostly_text_is_none() {
    let mut page = TaggedSheet::new();
    let title = page.element(StructureType::Heading(1), None);
    page.content(title, |sheet| sheet.at(50.0, Face { is_italic: true, ..PLAIN }, "The issues").space(12.0));
    for lines in [5, 5, 1] {
        let clause = page.element(StructureType::Heading(1), None);
        let text = |sheet: Sheet| (0..lines).fold(sheet, |sheet, _| sheet.line("Words of a clause:"));
        page.content(clause, |sheet| text(sheet).space(12.0));
    }
    let text = page.markdown().unwrap_or_default();
    assert!(text.starts_with("# The issues\n\n") && text.matches('#').count() == 1, "{text}");
}

#[test]
fn clauses_that_the_tree_takes_for_headings_are_items() {
    let mut page = TaggedSheet::new();
    for number in 81..84 {
        let clause = page.element(StructureType::Heading(1), None);
        let first = format!("{number}. Words of a clause fill its first line and");
        let text = |sheet: Sheet| (0..4).fold(sheet.line(&first), |sheet, _| sheet.at(65.0, PLAIN, "go on and"));
        page.content(clause, |sheet| text(sheet).at(65.0, PLAIN, "end.").space(12.0));
    }
    let text = page.markdown().unwrap_or_default();
    assert!(text.starts_with("81. Words of") && text.contains("\n82. Words of") && !text.contains('#'), "{text}");
}

#[test]
fn a_date_stands_at_the_line_of_the_entry_beside_which_it_is_set() {
    let mut page = TaggedSheet::new();
    for (place, date) in [("First place", "May 2018"), ("Second place", "June 2020")] {
        let top = page.sheet.y;
        page.text(StructureType::Paragraph, None, place);
        let list = page.element(StructureType::List, None);
        for item in ["• One duty", "• Another duty"] {
            page.text(StructureType::ListItem, Some(list), item);
        }
        let below = std::mem::replace(&mut page.sheet.y, top);
        let right = page.element(StructureType::Paragraph, None);
        page.content(right, |sheet| sheet.at(300.0, PLAIN, date));
        page.sheet.y = below + 12.0;
    }
    let entry = |place: &str, date: &str| format!("{place}\n\n{date}\n\n- One duty\n- Another duty");
    let expected = [entry("First place", "May 2018"), entry("Second place", "June 2020")].join("\n\n");
    assert_eq!(page.markdown(), Some(expected));
}

#[test]
fn lines_of_a_column_stay_in_it() {
    let mut page = TaggedSheet::new();
    let mut column = |x: f32, texts: &[&str]| {
        page.sheet.y = 80.0;
        for text in texts {
            let element = page.element(StructureType::Paragraph, None);
            page.content(element, |sheet| sheet.at(x, PLAIN, text));
        }
    };
    column(50.0, &["Left one.", "Left two.", "Left three."]);
    column(220.0, &["Right one.", "Right two."]);
    let expected = "Left one.\n\nLeft two.\n\nLeft three.\n\nRight one.\n\nRight two.";
    assert_eq!(page.markdown().as_deref(), Some(expected));
}

#[test]
fn lines_of_an_element_that_end_on_purpose_stay_apart() {
    let mut sheet = TaggedSheet::new();
    sheet.text(StructureType::Paragraph, None, FULL);
    let quarters = ["First: 3 million", "Second: 3 million", "Third: 3 million", "Fourth: 2 million"];
    let element = sheet.element(StructureType::Paragraph, None);
    quarters.iter().for_each(|quarter| sheet.line(element, quarter));
    assert_eq!(sheet.markdown(), Some(format!("{FULL}\n\n{}", quarters.join("\n\n"))));
}

#[test]
fn an_element_that_begins_within_a_sentence_ends_no_paragraph() {
    let mut page = TaggedSheet::new();
    let first = page.text(StructureType::Paragraph, None, FULL);
    page.line(first, FULL);
    let list = page.element(StructureType::List, None);
    let second =
        page.text(StructureType::ListItem, Some(list), "54. It goes on as if nothing had been there at all in");
    page.line(second, "this line.");
    let expected = format!("{FULL} {FULL} 54. It goes on as if nothing had been there at all in this line.");
    assert_eq!(page.markdown(), Some(expected));
}

#[test]
fn items_of_one_list_that_are_set_in_are_inner_items() {
    let mut page = TaggedSheet::new();
    let list = page.element(StructureType::List, None);
    for (x, text) in [(50.0, "• First"), (80.0, "– Inner"), (80.0, "– Another"), (50.0, "• Second")] {
        let item = page.element(StructureType::ListItem, Some(list));
        page.content(item, |sheet| sheet.at(x, PLAIN, text));
    }
    assert_eq!(page.markdown().as_deref(), Some("- First\n  - Inner\n  - Another\n- Second"));
}
