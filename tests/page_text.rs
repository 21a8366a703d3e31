//! A text is what the page says: whole, joined where a line divides it, and none where its fonts say nothing.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_text::{Case, PageKind, PageText, Pattern, QuerySyntax, TextError, chunk_text};
use std::io::Write as _;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A page that draws `content` with the fonts and other resources given.
fn page(resources: &str, content: &str) -> Vec<u8> {
    super::support::file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << {resources} /Font << /F \
             << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ])
}

fn read(content: &str) -> Result<PageText, TextError> {
    chunk_text(&page("", &format!("BT /F 12 Tf 14 TL 50 700 Td {content} ET")), &Limits::default())
}

#[test]
fn replacement_text_is_whole() -> Outcome {
    let words = (0..3_000).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    let text = read(&format!("(a ) Tj /Span << /ActualText ({words}) >> BDC (x) Tj EMC ( z) Tj"))?.text;
    assert_eq!(text, format!("a {words} z"));
    for (content, expected) in [
        // In the encodings of text strings, with a name of a language.
        ("/Span << /ActualText <FEFF00E9D83DDE00> >> BDC (x) Tj EMC", "é😀"),
        ("/Span << /ActualText <EFBBBFC3A9> >> BDC (x) Tj EMC", "é"),
        ("/Span << /ActualText <E980> >> BDC (x) Tj EMC", "é•"),
        ("/Span << /ActualText <FEFF001B0065006E001B0041> >> BDC (x) Tj EMC", "A"),
        // The outer of two; one of nothing; one that is left open; one of several lines.
        (
            "/Span << /ActualText (one) >> BDC (x) Tj /Span << /ActualText (two) >> BDC (y) Tj EMC (z) Tj EMC (!) Tj",
            "one!",
        ),
        ("(a) Tj /Span << /ActualText () >> BDC (x) Tj EMC (b) Tj", "a b"),
        // White space replaces nothing.
        ("/Span << /ActualText <FEFF00090009> >> BDC (a line) Tj EMC", "a line"),
        // Some programs take the hyphen of every line end for one that divides a word.
        ("(pages 25) Tj /Span << /ActualText <FEFF> >> BDC (-) Tj EMC T* (30 are) Tj", "pages 25-\n30 are"),
        ("(we di) Tj /Span << /ActualText <FEFF> >> BDC (-) Tj EMC T* (vide a word) Tj", "we divide a word"),
        ("(a ) Tj /Span << /ActualText (b) >> BDC (x) Tj", "a b"),
        ("(a ) Tj /Span << /ActualText (long) >> BDC (lo) Tj T* (ng) Tj EMC ( word) Tj", "a long\nword"),
        ("/Span << /ActualText (a\\nb  c ) >> BDC (xxxxxxxxxxxxx) Tj EMC (d) Tj", "a\nb  c d"),
        // Neither the meaning of an abbreviation nor a description is text.
        ("/Span << /E (Doctor) /Alt (picture) >> BDC (Dr.) Tj EMC", "Dr."),
    ] {
        assert_eq!(read(content)?.text, expected, "{content}");
    }
    Ok(())
}

#[test]
fn text_after_damaged_instructions_is_read_with_a_remark() -> Outcome {
    for damage in [")", "} ] >", "[(x) 3.25x\u{16}) 7 (y)] TJ", "5 l", "0 0 m 1 (2) re", "<4x> Tj", &"1 ".repeat(40)] {
        let read = read(&format!("(before) Tj T* {damage} (after) Tj"))?;
        let remarks: Vec<String> = read.remarks().iter().map(ToString::to_string).collect();
        assert!(read.text.starts_with("before") && read.text.ends_with("after"), "{damage}: {}", read.text);
        assert_eq!(remarks, ["some of the page's content is damaged; what cannot be read is left out"], "{damage}");
    }
    assert!(!read("(before) Tj T* (after) Tj")?.is_damaged);
    Ok(())
}

#[test]
fn what_is_drawn_as_a_path_has_its_replacement_text() -> Outcome {
    let content = "/Span << /ActualText (Logo) >> BDC 50 50 40 20 re f EMC";
    assert_eq!(chunk_text(&page("", content), &Limits::default())?.text, "Logo");
    let covered = format!("{content} 40 40 80 60 re f");
    assert_eq!(chunk_text(&page("", &covered), &Limits::default())?.hidden, "Logo");
    Ok(())
}

#[test]
fn replacement_text_is_bounded_also_where_it_is_shared_and_shows_nothing() {
    let limits = Limits { max_text_bytes: 1_000, ..Limits::default() };
    let of = |length: usize, times: usize| {
        let properties = format!("/Properties << /P << /ActualText ({}) >> >>", "\u{7}".repeat(length));
        let content = "/Span /P BDC EMC ".repeat(times);
        chunk_text(&page(&properties, &content), &limits).map(|page| page.text)
    };
    let limit = LimitExceeded { which: Limit::TextBytes, limit: 1_000, found: 1_001 };
    assert_eq!(of(400, 10), Ok(String::new()));
    assert_eq!(of(400, 11), Err(TextError::Limit(limit)));
}

#[test]
fn a_soft_hyphen_joins_and_both_readings_are_found() -> Outcome {
    let hyphen = "/Span << /ActualText <FEFF00AD> >> BDC (-) Tj EMC";
    let page =
        read(&format!("(The interna) Tj {hyphen} T* (tional com) Tj {hyphen} (mission of co-) Tj T* (operation) Tj"))?;
    assert_eq!(page.text, "The international commission of cooperation");
    for query in ["international", "interna-tional", "cooperation", "co-operation", "commission of co-operation"] {
        let (_, count) = Pattern::new(query, QuerySyntax::Literal, Case::Sensitive)?.hits(&page, 9);
        assert_eq!(count, 1, "{query}");
    }
    Ok(())
}

#[test]
fn addresses_keep_their_hyphens() -> Outcome {
    let text = read(
        "(see https://example.org/very-) Tj T* (long-) Tj T* (name or write to some-) Tj T* (one@example.org) Tj",
    )?;
    assert_eq!(text.text, "see https://example.org/very-\nlong-\nname or write to some-\none@example.org");
    Ok(())
}

/// A page in a font of drawn glyphs, whose codes are those of `text` moved by `by` and whose names say nothing.
fn drawn(text: &str, by: u8) -> Vec<u8> {
    let codes = text.bytes().map(|code| if code == b' ' { code } else { code.wrapping_sub(by) });
    let shown = codes.map(|code| format!("{code:02X}")).collect::<String>();
    let names = (33..127).map(|code| format!("/g{code}")).collect::<String>();
    let glyphs = (33..127).map(|code| format!("/g{code} 5 0 R ")).collect::<String>();
    let widths = "500 ".repeat(95);
    let content = format!("BT /F 12 Tf 50 700 Td <{shown}> Tj ET");
    let glyph = "500 0 0 0 400 700 d1 0 0 400 700 re f";
    super::support::file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 6000 800] /Contents 4 0 R /Resources << /Font << /F << /Type /Font \
             /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << {glyphs} >> \
             /Encoding << /Differences [33 {names}] >> /FirstChar 32 /LastChar 126 /Widths [{widths}] >> >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        format!("<< /Length {} >>\nstream\n{glyph}\nendstream", glyph.len()),
    ])
}

#[test]
fn many_drawn_glyphs_are_read_although_the_bounds_of_their_lengths_are_large_together() -> Outcome {
    let glyph = format!("500 0 d0{}", " ".repeat(1_000));
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(glyph.as_bytes())?;
    let hex = encoder.finish()?.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let glyphs = (0..300).map(|glyph| format!("/g{glyph} {} 0 R ", glyph + 5)).collect::<String>();
    let content = "BT /F 12 Tf 50 700 Td (a) Tj ET";
    let stream =
        format!("<< /Length {} /Filter [/ASCIIHexDecode /FlateDecode] >>\nstream\n{hex}\nendstream", hex.len());
    let head = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F << /Type /Font \
             /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a 5 0 R {glyphs} >> \
             /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [500] >> >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    let file = super::support::file_of(&[head.as_slice(), vec![stream; 300].as_slice()].concat());
    assert_eq!(chunk_text(&file, &Limits::default())?.text, "a");
    Ok(())
}

#[test]
fn codes_that_are_no_characters_are_no_text() -> Outcome {
    let words = "It was the best of times and it was the worst of times it was the age of wisdom and the age of folly \
                 it was the epoch of belief it was the epoch of incredulity it was the season of light and of darkness";
    let honest = chunk_text(&drawn(words, 0), &Limits::default())?;
    assert_eq!((honest.text.as_str(), honest.kind, honest.undecoded), (words, PageKind::Text, 0));
    assert!(honest.is_usable() && !honest.has_figures());
    let garbage = chunk_text(&drawn(words, 29), &Limits::default())?;
    assert_eq!((garbage.text.as_str(), garbage.kind), ("", PageKind::Undecodable));
    assert!(garbage.undecoded > 70 && !garbage.is_usable() && garbage.has_figures());
    Ok(())
}

#[test]
fn the_value_of_a_field_is_its_text() -> Outcome {
    for (entries, expected) in [
        ("/Ff 4096 /V (first\\nsecond  line\\r\\nthird)", "first\nsecond  line\nthird"),
        ("/Ff 16777216 /MaxLen 10 /V (AB  CD)", "AB  CD"),
        ("/Ff 8192 /V (secret)", "******"),
        ("/V <FEFF0057005705E9>", "WWש"),
        (
            "/V (what does not fit into the field is said all the same)",
            "what does not fit into the field is said all the same",
        ),
    ] {
        let file = super::support::file_of(&[
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /DA (/Helv 12 Tf 0 g) >> >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 99] /Annots [4 0 R] >>".to_owned(),
            format!("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [10 10 90 60] {entries} >>"),
        ]);
        let page = chunk_text(&file, &Limits::default())?;
        assert_eq!((page.text.as_str(), page.off_page), (expected, 0), "{entries}");
    }
    Ok(())
}

/// Letters that are drawn one by one, with `gap` between them in thousandths of an em.
fn set_apart(word: &str, gap: u32) -> String {
    let letters: Vec<String> = word.chars().map(|letter| format!("({letter})")).collect();
    letters.join(&format!(" -{gap} "))
}

#[test]
fn letters_that_are_set_apart_are_a_word() -> Outcome {
    let heading = |word: &str, gap: u32| format!("[{}] TJ", set_apart(word, gap));
    assert_eq!(read(&heading("SUMMARY", 350))?.text, "SUMMARY");
    assert_eq!(read(&heading("abstract", 560))?.text, "abstract");
    let within = format!("[(the word ) {} ( stands out)] TJ", set_apart("emphasis", 250));
    assert_eq!(read(&within)?.text, "the word emphasis stands out");
    let between = format!("[(FIG) -900 {} -900 (1)] TJ", set_apart("TABLE", 400));
    assert_eq!(read(&between)?.text, "FIG TABLE 1");
    // Labels, words as close as letters, and values are none.
    assert_eq!(read(&heading("ABCDE", 350))?.text, "A B C D E");
    assert_eq!(read(&heading("1701", 350))?.text, "1 7 0 1");
    let choice = format!("[(one) -350 {} -350 (two)] TJ", set_apart("WALK", 350));
    assert_eq!(read(&choice)?.text, "one W A L K two");
    Ok(())
}

/// A large letter beside the first two lines of a paragraph of three.
fn initial(letter: &str, first: &str) -> String {
    format!(
        "/F 34 Tf 0 -24 Td ({letter}) Tj /F 10 Tf 28 17 Td ({first}) Tj 0 -12 Td (with a walk to the sea) Tj \
         -28 -12 Td (and back.) Tj"
    )
}

#[test]
fn a_large_initial_is_the_first_letter_of_its_line() -> Outcome {
    assert_eq!(read(&initial("O", "nce the day began"))?.text, "Once the day began\nwith a walk to the sea\nand back.");
    assert_eq!(read(&initial("O", "NCE the day began"))?.text, "ONCE the day began\nwith a walk to the sea\nand back.");
    assert_eq!(
        read(&initial("A", "walk began the day"))?.text,
        "A walk began the day\nwith a walk to the sea\nand back."
    );
    // A letter that marks a question is none.
    assert!(!read(&initial("Q", "What began the day"))?.text.contains("QWhat"));
    Ok(())
}
