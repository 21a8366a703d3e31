//! Tables that nothing draws.

use super::super::finders::alignment::headed_parts;
use super::super::layout::cell_text::cell_text;
use super::super::layout::lines::{PageWords, PlacedWord};
use super::{find_tables, page, rule, tables_of, word};
use pagewise_text::{Bounds, PageLayout};

#[test]
fn columns_are_found_by_white_space() {
    let sketch = "
Town        2010      2011   Income
Oakham        12   345,678   $1,204
Selkirk    1,204        88      $40
Kelso         66         7     $512";
    assert_eq!(
        tables_of(sketch),
        "^Town | ^2010 | ^2011 | ^Income\nOakham | 12 | 345,678 | $1,204\nSelkirk | 1,204 | 88 | $40\n\
         Kelso | 66 | 7 | $512"
    );
}

#[test]
fn such_a_table_is_not_certain() {
    let tables = find_tables(&page(
        "Town        Red  Blue\nOakham       12    34\nSelkirk       4    88\nKelso         6     7",
    ));
    assert_eq!(tables.iter().map(|table| table.is_certain).collect::<Vec<_>>(), [false]);
}

#[test]
fn empty_cells_stay_in_their_column() {
    let sketch = "
Town        Red   Blue   Green
Oakham       12             34
Selkirk       4     88
Kelso               77      12";
    assert_eq!(
        tables_of(sketch),
        "^Town | ^Red | ^Blue | ^Green\nOakham | 12 |  | 34\nSelkirk | 4 | 88 | \nKelso |  | 77 | 12"
    );
}

#[test]
fn a_head_over_two_columns_spans_them() {
    let sketch = "
Town          First          Second

            Red   Blue     Red   Blue
Oakham       12     34       5      6
Selkirk       4     88       7      8
Kelso         6     77       9     12";
    assert_eq!(
        tables_of(sketch),
        "^1x2 Town | ^2x1 First | ^2x1 Second\n^Red | ^Blue | ^Red | ^Blue\nOakham | 12 | 34 | 5 | 6\n\
         Selkirk | 4 | 88 | 7 | 8\nKelso | 6 | 77 | 9 | 12"
    );
}

#[test]
fn a_label_in_small_letters_goes_on() {
    let sketch = "
Town             Red   Blue
Oakham and its    12     34
surroundings
Selkirk            4     88
Kelso              6     77";
    assert_eq!(
        tables_of(sketch),
        "^Town | ^Red | ^Blue\nOakham and its surroundings | 12 | 34\nSelkirk | 4 | 88\nKelso | 6 | 77"
    );
}

#[test]
fn a_label_without_values_is_a_row_of_its_own() {
    let sketch = "
Town             Red   Blue
Oakham            12     34
North
Selkirk            4     88
Kelso              6     77";
    assert_eq!(
        tables_of(sketch),
        "^Town | ^Red | ^Blue\nOakham | 12 | 34\nNorth |  | \nSelkirk | 4 | 88\nKelso | 6 | 77"
    );
}

#[test]
fn a_hyphen_at_the_end_of_a_line_is_repaired() {
    let sketch = "
--------------------------
Town       Remarks
--------------------------
Oakham     a long settle-
           ment by a river
--------------------------
Selkirk    nothing
--------------------------";
    let found = tables_of(sketch);
    assert!(found.contains("a long settlement by a river"), "{found}");
}

#[test]
fn two_tables_beside_each_other_are_two() {
    let sketch = "
Town      Red  Blue        Name       One   Two
Oakham     12    34        Alpha        1     2

Selkirk     4    88        Beta         3     4
                           Gamma        5     6
Kelso       6    77
                           Delta        7     8
Jarrow      9    10
                           Epsilon      9    10
Moreton     9    10";
    let found = tables_of(sketch);
    assert_eq!(found.split("\n\n").count(), 2, "{found}");
    assert!(found.contains("Jarrow | 9 | 10") && found.contains("Delta | 7 | 8"), "{found}");
}

/// The page with all its text and rules turned.
fn turned(page: &PageLayout) -> PageLayout {
    let place = |b: Bounds| Bounds { x0: 600.0 - b.y1, y0: b.x0, x1: 600.0 - b.y0, y1: b.x1 };
    let mut turned = page.clone();
    for word in &mut turned.words {
        (word.turn, word.bounds, word.baseline) = (90, place(word.bounds), 600.0 - word.baseline);
    }
    for rule in &mut turned.rules {
        (rule.bounds, rule.is_horizontal) = (place(rule.bounds), !rule.is_horizontal);
    }
    turned
}

#[test]
fn turned_tables_are_read_in_their_direction() {
    let texts = |page: &PageLayout| find_tables(page).iter().map(super::shape).collect::<Vec<_>>();
    let aligned = "Town        Red  Blue\nOakham       12    34\nSelkirk       4    88\nKelso         6     7";
    let drawn = "
-------------------------
| Town     | Red | Blue |
-------------------------
| Oakham   | 12  | 34   |
-------------------------
| Selkirk  | 4   | 88   |
-------------------------
| Kelso    | 6   | 7    |
-------------------------";
    for upright in [page(aligned), page(drawn)] {
        assert_eq!(texts(&turned(&upright)), texts(&upright));
        assert_eq!(texts(&upright).len(), 1);
    }
}

#[test]
fn cells_of_arabic_are_read_from_the_right() {
    let words = [
        word("\u{628}", 100.0, 100.0),
        word("ab", 120.0, 100.0),
        word("cd", 140.0, 100.0),
        word("\u{627}", 160.0, 100.0),
    ];
    let placed = words.iter().enumerate().map(|(index, word)| PlacedWord { index, word, baseline: word.baseline });
    assert_eq!(cell_text(&placed.clone().take(1).chain(placed.clone().skip(3)).collect::<Vec<_>>()), "\u{627} \u{628}");
    let mixed: Vec<PlacedWord> = placed.collect();
    assert_eq!(cell_text(&mixed), "\u{628} ab cd \u{627}", "most letters run to the right");
}

#[test]
fn the_first_column_of_a_table_that_runs_to_the_left_is_at_the_right() {
    let sketch = "
אבגד        הוזח      טיכל
מנסע          12    345
פצקר           4     88
שתאב          77      7";
    assert_eq!(tables_of(sketch), "^טיכל | ^הוזח | ^אבגד\n345 | 12 | מנסע\n88 | 4 | פצקר\n7 | 77 | שתאב");
}

#[test]
fn short_lines_on_both_sides_of_a_gutter_are_no_table() {
    let prose = "Words of the left column here      Words of the right column here";
    let prose = [prose; 7].join("\n");
    let short = "
The first line must be             4    Body

  article of one                   4.1  Notes

To load it in review               Notes are made with notes

  review of all                    4.2  Tables";
    assert_eq!(tables_of(&format!("{prose}\n{short}")), "");
}

const TERMS: &str = "
*Term*          *Meaning*

Amortisation    The spreading of the cost of an asset over the years in which it is used,
                in equal parts

Covenant        A promise in a loan agreement, for example to keep debt below a limit

Goodwill        What a buyer pays above the fair value of what is bought; it is tested
                once a year

Hedge           A contract whose gains offset the losses of another contract";

#[test]
fn terms_beside_their_meanings_are_a_table_below_a_bold_head() {
    assert_eq!(
        tables_of(TERMS),
        "^Term | ^Meaning\n\
         Amortisation | The spreading of the cost of an asset over the years in which it is used, in equal parts\n\
         Covenant | A promise in a loan agreement, for example to keep debt below a limit\n\
         Goodwill | What a buyer pays above the fair value of what is bought; it is tested once a year\n\
         Hedge | A contract whose gains offset the losses of another contract"
    );
    assert_eq!(tables_of(&TERMS.replace('*', " ")), "");
    let names = ["Amortisation", "Covenant", "Goodwill", "Hedge"];
    let bullets =
        names.iter().fold(TERMS.to_owned(), |all, name| all.replace(name, &format!("{:1$}", "¢", name.len())));
    assert_eq!(tables_of(&bullets), "");
}

#[test]
fn wide_text_between_labels_and_values_is_no_prose() {
    let sketch = "
*Time*   *Event*                                                              *Place*

09:00    Registration                                                         Foyer

09:30    Why maps lie, and why we need them to: an introduction for all who    Hall
         build roads

11:20    A workshop on drawing borders where nobody agrees on them, with       Hall
         examples

12:30    Lunch                                                                Canteen";
    assert_eq!(
        tables_of(sketch),
        "^Time | ^Event | ^Place\n09:00 | Registration | Foyer\n\
         09:30 | Why maps lie, and why we need them to: an introduction for all who build roads | Hall\n\
         11:20 | A workshop on drawing borders where nobody agrees on them, with examples | Hall\n\
         12:30 | Lunch | Canteen"
    );
}

#[test]
fn a_head_and_one_row_of_values_are_a_table_where_all_agree() {
    let sketch = "
Start       End         Shows     Amount
12/20/24    12/31/24       48     $2,500";
    assert_eq!(tables_of(sketch), "^Start | ^End | ^Shows | ^Amount\n12/20/24 | 12/31/24 | 48 | $2,500");
    assert_eq!(tables_of(&sketch.replace("   48", "48   ").replace("Shows", "Shown")).lines().count(), 2);
    let words = sketch.replace("12/31/24", "in words").replace("$2,500", "mostly").replace("48", "so");
    assert_eq!(tables_of(&words), "", "two lines of words");
    assert_eq!(tables_of(&sketch.replace("   48  ", "48     ").replace("Amount", "    Amount")), "", "off its head");
}

#[test]
fn headings_part_tables_close_below_each_other() {
    let sketch = "
Start Date    End Date      Shows           Gross Amount    Net Amount
12/20/24      12/31/24      48              $12,500.00      $11,250.00

Totals
Month               Shows           Gross Amount        Net Amount          Share
December 2024       48              $12,500.00          $11,250.00          85%
Sum                 48              $12,500.00          $11,250.00          85%

Account Representatives
Representative    Territory       Region      Start Date / End Date   Commission
Sarah Johnson     NYC Metro       NORTHEAST   12/20/24 - 12/31/24     100%";
    let page = page(sketch);
    let words = PageWords::of(&page);
    let parts = headed_parts(words.all());
    let first = |part: &Vec<PlacedWord>| part.first().map(|word| word.word.text.clone());
    assert_eq!(parts.iter().filter_map(first).collect::<Vec<_>>(), ["Start", "Totals", "Account"]);
}

#[test]
fn a_bold_row_of_values_is_no_head_of_the_title_below_it() {
    let sketch = "
*Total*        *217.27*
*Expenses*
Insurance       943.00
Licences         20.00
Permits          12.00";
    assert_eq!(
        tables_of(sketch),
        "^Total | ^217.27\nExpenses | \nInsurance | 943.00\nLicences | 20.00\nPermits | 12.00"
    );
}

#[test]
fn rows_of_fewer_cells_that_begin_in_small_letters_stay_apart() {
    let sketch = "
Field      Type of the field            Use
conn       connection flag of it
sock       connection socket here
ipad       address of the remote end
port       port to listen at, local";
    assert_eq!(
        tables_of(sketch),
        "^Field | ^Type of the field | ^Use\nconn | connection flag of it | \nsock | connection socket here | \n\
         ipad | address of the remote end | \nport | port to listen at, local | "
    );
}

#[test]
fn heads_as_long_as_their_columns_are_wide_begin_where_these_do() {
    let sketch = "
*Tube* *Pure* *Water* *Sugar* *Mix* *Live* *Yeast*
2      24 ml          0 ml          4 ml
3      12 ml          12 ml         4 ml
4      4 ml           12 ml         12 ml";
    let heads = "^Tube | ^Pure Water | ^Sugar Mix | ^Live Yeast\n";
    assert!(tables_of(sketch).starts_with(heads), "{}", tables_of(sketch));
}

#[test]
fn further_lines_of_an_item_belong_to_its_row() {
    let item = |number: u8| {
        format!(
            "{number}      Hosting of mail in May     3,89     3,89\n       Price of a unit\n       By the name of one\n       As from May\n"
        )
    };
    let sketch = format!("Pos.   Text                       Price    Sum\n{}", (1..4).map(item).collect::<String>());
    let row = "Hosting of mail in May Price of a unit By the name of one As from May | 3,89 | 3,89";
    assert_eq!(tables_of(&sketch), format!("^Pos. | ^Text | ^Price | ^Sum\n1 | {row}\n2 | {row}\n3 | {row}"));
}

#[test]
fn a_running_head_above_a_rule_is_no_row() {
    let mut sketched = page("Tube   Water   Sugar\n2      24 ml   0 ml\n3      12 ml   12 ml\n4      4 ml    12 ml");
    sketched.words.push(word("COLLEGE", 60.0, 70.0));
    sketched.words.push(word("BIO181", 400.0, 70.0));
    let without = super::shapes(&sketched);
    sketched.rules.push(rule(60.0, 78.5, 540.0, 79.0));
    assert_eq!(
        super::shapes(&sketched),
        "^Tube | ^Water | ^Sugar\n2 | 24 ml | 0 ml\n3 | 12 ml | 12 ml\n4 | 4 ml | 12 ml"
    );
    assert!(without.contains("COLLEGE"), "{without}");
}

#[test]
fn the_end_of_a_caption_above_the_heads_is_no_row() {
    let sketch = "
                   concentrations.
Tube     Water     Sugar     Yeast
1        8 ml      6 ml      0 ml
2        12 ml     0 ml      2 ml
3        6 ml      6 ml      2 ml";
    assert!(tables_of(sketch).starts_with("^Tube | ^Water | ^Sugar | ^Yeast\n1 |"), "{}", tables_of(sketch));
}
