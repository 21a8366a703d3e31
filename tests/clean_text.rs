//! Whatever place of a file holds characters that nobody sees, and whatever form and door its text goes through, they are gone.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use serde_json::{Value, json};

use super::support::mcp::Client;
use super::support::pdf::{file_of, stream_of};
use super::support::program::{Place, texts as texts_of};
use pagewise_base::clean::is_hidden;

/// Overrides, controls of terminals, tags, zero widths and breaks, between the halves of a word that is seen.
const HIDDEN: &str = "\u{202E}\u{1B}[31m\u{9B}2J\u{E0041}\u{200B}\u{2066}\u{FEFF}\u{115F}\u{180E}\u{2028}\r\n";

/// The words by which each place is known again.
const PLACES: [&str; 14] = [
    "TITLE", "AUTHOR", "OUTLINE", "LABEL", "ATTACHED", "COMMENT", "REVIEWER", "FIELD", "VALUE", "OPTION", "WORD",
    "CELL", "ACTUAL", "PICTURED",
];

/// A text string of this word with hidden characters before and after it.
fn text_string(word: &str) -> String {
    let text = format!("\u{FEFF}{HIDDEN}{word}{HIDDEN}");
    let digits = text.encode_utf16().map(|unit| format!("{unit:04X}"));
    format!("<{}>", digits.collect::<String>())
}

/// A page with every place in which a document has text. The codes `x` and `y` of its font are hidden characters.
fn document() -> Vec<u8> {
    let [title, author, outline, label, attached, comment, reviewer, field, value, option, _, _, actual, pictured] =
        PLACES.map(text_string);
    let cells = (0..2).flat_map(|row| (0..2).map(move |column| (50 + 100 * column, 300 - 30 * row)));
    let cells = cells.map(|(x, y)| format!("BT /F 12 Tf {} {} Td (xCELLy) Tj ET {x} {y} 100 30 re S ", x + 10, y + 10));
    let content = format!(
        "BT /F 12 Tf 50 500 Td (plain xWORDy words on a line) Tj ET {} \
         /Span << /ActualText {actual} >> BDC BT /F 12 Tf 50 450 Td (seen) Tj ET EMC",
        cells.collect::<String>()
    );
    let tagged = "/P << /MCID 0 >> BDC BT /F 12 Tf 50 500 Td (words above a figure) Tj ET EMC /Figure << /MCID 1 >> BDC 50 \
                  400 40 20 re f EMC";
    let map = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n\
               2 beginbfchar <78> <202E001B005B> <79> <DB40DC41200B009B> endbfchar endcmap end";
    let objects = [
        format!(
            "<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels << /Nums [0 << /P {label} >>] >> /Names << \
             /EmbeddedFiles << /Names [{attached} 8 0 R] >> >> /AcroForm << /Fields [10 0 R 11 0 R] >> /MarkInfo << \
             /Marked true >> /StructTreeRoot 13 0 R >>"
        )
        .into_bytes(),
        b"<< /Type /Pages /Kids [3 0 R 18 0 R] /Count 2 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 600] /Contents 4 0 R /Annots [9 0 R 10 0 R 11 0 \
          R] /Resources << /Font << /F 5 0 R >> >> >>"
            .to_vec(),
        stream_of("", content.as_bytes()),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 12 0 R >>".to_vec(),
        b"<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>".to_vec(),
        format!("<< /Title {outline} /Parent 6 0 R /Dest [3 0 R /Fit] >>").into_bytes(),
        format!("<< /Type /Filespec /F (a.txt) /UF {attached} /Desc {comment} /EF << /F 17 0 R >> >>").into_bytes(),
        format!("<< /Type /Annot /Subtype /Text /Rect [10 10 30 30] /Contents {comment} /T {reviewer} >>").into_bytes(),
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /Rect [200 10 300 30] /T {field} /TU {field} /V {value} /P 3 0 R >>"
        )
        .into_bytes(),
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /Rect [200 50 300 70] /T (choice) /Opt [{option} (b)] /V \
             {option} /P 3 0 R >>"
        )
        .into_bytes(),
        stream_of("", map.as_bytes()),
        b"<< /Type /StructTreeRoot /K [14 0 R 15 0 R] /ParentTree << /Nums [0 [14 0 R 15 0 R]] >> >>".to_vec(),
        b"<< /Type /StructElem /S /P /P 13 0 R /Pg 18 0 R /K 0 >>".to_vec(),
        format!("<< /Type /StructElem /S /Figure /P 13 0 R /Pg 18 0 R /K 1 /Alt {pictured} >>").into_bytes(),
        format!("<< /Title {title} /Author {author} /Subject {title} /Keywords {title} /Producer {title} >>").into_bytes(),
        stream_of("/Type /EmbeddedFile", format!("an attached {HIDDEN} text").as_bytes()),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 600] /Contents 19 0 R /StructParents 0 /Resources << /Font << /F 5 \
          0 R >> >> >>"
            .to_vec(),
        stream_of("", tagged.as_bytes()),
    ];
    let file = file_of(&objects);
    let at = file.windows(5).rposition(|bytes| bytes == b"/Root").unwrap();
    [&file[..at], b"/Info 16 0 R ", &file[at..]].concat()
}

/// Every text of a value, and the names of its members.
fn texts_in(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts_in(value, texts)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            texts.push(name.clone());
            texts_in(value, texts);
        }),
        _ => {}
    }
}

#[track_caller]
fn assert_clean(what: &str, texts: &[String]) {
    for text in texts {
        let found = text.find(|character| is_hidden(character) && !matches!(character, '\n' | '\t' | '\u{c}'));
        assert_eq!(found, None, "{what}: {text:?}");
    }
}

/// Texts for a reader, to whom a name could pass for a header.
#[track_caller]
fn assert_unforged(what: &str, texts: &[String]) {
    assert_clean(what, texts);
    for text in texts {
        assert!(!text.lines().any(|line| line.starts_with("--- Page 9")), "{what}: {text:?}");
    }
}

#[test]
fn nothing_hidden_leaves_by_any_door() {
    let place = Place::new();
    let name = place.file("a\u{202E}b\u{1B}[31m\u{200B}\n--- Page 9 ---.pdf", document());
    let mut seen = Vec::new();
    let mut client = Client::start(&place, "somebody");
    let forms = ["text", "markdown", "mixed", "image", "document", "path"];
    let file = |more: Value| {
        let mut arguments = json!({ "path": name, "conversation": "c" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let mut calls = vec![
        ("get_file", file(json!({}))),
        ("get_file", file(json!({ "pages": "label:nowhere\u{202E}\u{1B}" }))),
        ("get_file", file(json!({ "pages": "section:nowhere\u{202E}\u{1B}" }))),
        ("get_file", json!({ "path": "." })),
        ("get_file", json!({ "path": "missing\u{202E}\u{1B}[31m.pdf" })),
        ("get_file", json!({ "path": format!("{name}#attachment=ATTACHED") })),
        ("get_file", json!({ "path": format!("{name}#attachment=none\u{202E}") })),
        ("pdf_info", file(json!({}))),
        ("pdf_outline", file(json!({}))),
        ("pdf_render_page", file(json!({ "page": "1", "dpi": 72 }))),
        ("pdf_search", file(json!({ "query": "WORD" }))),
        ("pdf_search", file(json!({ "query": "absent\u{202E} WORD\u{1B}" }))),
        ("pdf_search", file(json!({ "query": "CELL", "ranked": true }))),
        ("pdf_search", json!({ "path": ".", "query": "CELL" })),
        ("pdf_search", file(json!({ "quote": "plain WORD words on the line" }))),
        ("context_status", json!({ "conversation": "c" })),
        ("context_updates", json!({ "conversation": "c" })),
    ];
    calls.extend(forms.map(|form| ("get_file", file(json!({ "pages": "1-2", "as": form, "force": true })))));
    calls.extend(
        ["text", "layout", "markdown"]
            .map(|format| ("pdf_extract_text", file(json!({ "format": format, "hidden": true })))),
    );
    for (tool, arguments) in calls {
        let mut texts = Vec::new();
        let result = client.call(tool, arguments.clone());
        assert_unforged(&format!("{tool} {arguments}"), &texts_of(&result));
        texts_in(&result, &mut texts);
        assert_clean(&format!("{tool} {arguments}"), &texts);
        seen.extend(texts);
    }
    let commands: [&[&str]; 12] = [
        &["get-file"],
        &["get-file", "--pages", "1-2", "--as", "text"],
        &["get-file", "--pages", "1-2", "--as", "markdown"],
        &["get-file", "--pages", "1-2", "--as", "mixed"],
        &["info"],
        &["outline"],
        &["text"],
        &["text", "--format", "layout"],
        &["text", "--format", "markdown"],
        &["tables", "--format", "csv"],
        &["tables", "--format", "html"],
        &["search", "CELL"],
    ];
    for command in commands {
        let mut words = command.to_vec();
        words.insert(1, &name);
        let run = place.run(&words);
        assert_unforged(&format!("{command:?}"), &[run.stdout.clone(), run.stderr]);
        let mut texts = vec![run.stdout];
        texts_in(&place.json(&words).1, &mut texts);
        assert_clean(&format!("{command:?} --json"), &texts);
        seen.extend(texts);
    }
    for place in PLACES {
        assert!(seen.iter().any(|text| text.contains(place)), "{place} is nowhere");
    }
}
