//! What fonts say badly is read as far as it is known, and counts as unknown where it is not.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use super::support::file_of;
use super::support::pdf::{pages_of, stream_of};
use super::support::truetype::truetype;
use pagewise_base::limits::Limits;
use pagewise_text::{PageKind, PageText, chunk_text};
use std::fmt::Write as _;

/// The text of a page with `content` in the font F, which is object 5. `others` are the objects from 6 on.
fn text_in(font: &str, content: &str, others: &[Vec<u8>]) -> PageText {
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 300] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            .to_vec(),
        stream_of("", content.as_bytes()),
        font.as_bytes().to_vec(),
    ];
    objects.extend_from_slice(others);
    chunk_text(&file_of(&objects), &Limits::default()).unwrap()
}

fn text_of(content: &str) -> String {
    chunk_text(&pages_of(&[content]), &Limits::default()).unwrap().text
}

fn hexadecimal(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02X}");
        digits
    })
}

/// A character map with these lines.
fn character_map(lines: &[String]) -> Vec<u8> {
    let head = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange";
    let map = format!("{head}\n{} beginbfchar\n{}\nendbfchar endcmap end", lines.len(), lines.join("\n"));
    stream_of("", map.as_bytes())
}

/// The text of a page whose simple font maps the codes of `shown` to other characters.
fn mapped(shown: &str, to: impl Fn(u8) -> u32) -> PageText {
    let mut codes = shown.bytes().collect::<Vec<_>>();
    codes.sort_unstable();
    codes.dedup();
    let lines = codes.iter().map(|code| format!("<{code:02X}> <{:04X}>", if *code == b' ' { 0x20 } else { to(*code) }));
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>";
    let content = format!("BT /F 8 Tf 20 200 Td ({shown}) Tj ET");
    text_in(font, &content, &[character_map(&lines.collect::<Vec<_>>())])
}

const ENGLISH: &str =
    "The committee met in October and agreed on a plan for the coming season, and thanked all members";

#[test]
fn words_of_signs_boxes_and_marks_are_unknown() {
    assert_eq!(mapped(ENGLISH, u32::from).text, ENGLISH);
    for to in [|code: u8| 0x120 - u32::from(code), |_: u8| 0x25A1, |code: u8| 0x300 + u32::from(code) % 60] {
        let page = mapped(ENGLISH, to);
        assert_eq!((page.text.as_str(), page.kind), ("", PageKind::Undecodable));
    }
}

#[test]
fn private_characters_of_symbol_are_its_signs() {
    let lines = [(1, 0xF02D), (2, 0xF06D), (3, 0xF0B0), (4, 0xF0B4), (5, 0xF044), (6, 0xF057)];
    let lines = lines.map(|(code, private)| format!("<{code:02X}> <{private:04X}>"));
    let shown = |name: &str| {
        let font = format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+{name} /FirstChar 1 /LastChar 6 \
             /Widths [500 500 500 500 500 500] /ToUnicode 6 0 R >>"
        );
        text_in(&font, "BT /F 8 Tf 20 200 Td <010203040506> Tj ET", &[character_map(&lines)]).text
    };
    assert_eq!([shown("SymbolMT"), shown("Symbol,Bold")], ["−µ°×ΔΩ", "−µ°×ΔΩ"]);
    assert_eq!(shown("SymbolSet"), "\u{F02D}\u{F06D}\u{F0B0}\u{F0B4}\u{F044}\u{F057}");
}

#[test]
fn codes_that_number_the_glyphs_of_a_font_are_no_characters() {
    // Half of the codes of the second font are letters by chance.
    let shown = |codes: &[u8]| {
        let font = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 0 \
             /LastChar 255 /Widths 6 0 R /CharProcs << >> /Encoding << /Differences [0] >> >>";
        let widths = format!("[{}]", ["500"; 256].join(" ")).into_bytes();
        text_in(font, &format!("BT /F 8 Tf 20 200 Td <{}> Tj ET", hexadecimal(codes.iter().copied())), &[widths])
    };
    assert_eq!(shown(ENGLISH.as_bytes()).text, ENGLISH);
    let page = shown(&(0..64).map(|at| 4 * at).collect::<Vec<_>>());
    assert_eq!((page.text.as_str(), page.kind), ("", PageKind::Undecodable));
}

#[test]
fn bitmap_fonts_of_tex_have_its_ligatures_dashes_and_quotes() {
    let shown = |fi: u32| {
        let width = |code: u32| match code {
            0x0C => fi,
            0x69 => 250,
            _ => 500,
        };
        let widths = (0..128).map(|code| width(code).to_string()).collect::<Vec<_>>().join(" ");
        let font = format!(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 0 \
             /LastChar 127 /Widths [{widths}] /CharProcs << >> /Encoding << /Differences [0] >> >>"
        );
        let codes = b"\\e\x0Bects\", the \x0Crst o\x0Ece{hours".iter().copied();
        text_in(&font, &format!("BT /F 8 Tf 20 200 Td <{}> Tj ET", hexadecimal(codes)), &[]).text
    };
    assert_eq!(shown(500), "“effects”, the first office–hours");
    assert!(shown(470).ends_with("ce{hours"));
}

#[test]
fn bitmap_fonts_of_tex_have_the_letters_of_its_other_encoding() {
    let shown = |accented: u32| {
        let width = |code: u32| match code {
            0x69 => 250,
            0x0C | 0x1C => 480,
            0x80.. => accented,
            _ => 500,
        };
        let widths = (0..256).map(|code| width(code).to_string()).collect::<Vec<_>>().join(" ");
        let font = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 0 \
             /LastChar 255 /Widths 6 0 R /CharProcs << >> /Encoding << /Differences [0] >> >>";
        let codes = b"\x12odleg\xAAo\xB1\xA2\x11 \xA6 \xAE \xB9".iter().copied();
        let content = format!("BT /F 8 Tf 20 200 Td <{}> Tj ET", hexadecimal(codes));
        text_in(font, &content, &[format!("[{widths}]").into_bytes()]).text
    };
    assert_eq!(shown(500), "„odległość” ę ő ź");
    assert!(!shown(430).contains('ł'));
}

/// What a Type 3 font with these widths shows for `codes`. `others` are the entries of its dictionary besides.
fn shown_in_bitmaps(widths: &[(u32, u32)], others: &str, codes: &[u8]) -> String {
    let width = |code: u32| widths.iter().find(|(own, _)| *own == code).map_or(0, |(_, width)| *width);
    let widths = (0..256).map(|code| width(code).to_string()).collect::<Vec<_>>().join(" ");
    let font = format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 0 \
         /LastChar 255 /Widths [{widths}] {others} >>"
    );
    text_in(&font, &format!("BT /F 8 Tf 20 200 Td <{}> Tj ET", hexadecimal(codes.iter().copied())), &[]).text
}

const WITHOUT_NAMES: &str = "/CharProcs << >> /Encoding << /Differences [0] >>";

#[test]
fn bitmap_fonts_of_formulas_are_told_by_their_widths() {
    let letters = [(0x0B, 640), (0x3B, 278), (0x3D, 500), (0x61, 529), (0x78, 572)];
    // Of another size, and rounded.
    let smaller = letters.map(|(code, width)| (code, width * 3 / 4));
    for widths in [letters, smaller] {
        assert_eq!(shown_in_bitmaps(&widths, WITHOUT_NAMES, b"\x0B=a;x"), "α/a,x");
    }
    let symbols = [(0x00, 778), (0x14, 778), (0x31, 1000), (0x32, 667)];
    assert_eq!(shown_in_bitmaps(&symbols, WITHOUT_NAMES, b"\x002\x141"), "−∈≤∞");
    // Those of a font of text.
    let text = [(0x0B, 583), (0x3B, 278), (0x3D, 778), (0x61, 500), (0x78, 528)];
    assert_eq!(shown_in_bitmaps(&text, WITHOUT_NAMES, b"=a;x"), "=a;x");
}

#[test]
fn a_flat_sign_alone_in_a_bitmap_font_is_a_minus() {
    let with_height = |height: u32| {
        let glyph = "/CharProcs << /a0 6 0 R >> /Encoding << /Differences [0 /a0] >>";
        let font = format!(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 0 \
             /LastChar 0 /Widths [778] {glyph} >>"
        );
        let drawn = format!("778 0 50 230 700 {} d1 50 230 650 {height} re f", 230 + height);
        text_in(&font, "BT /F 8 Tf 20 200 Td <00> Tj ET", &[stream_of("", drawn.as_bytes())]).text
    };
    assert_eq!(with_height(40), "−");
    assert_ne!(with_height(600), "−");
}

#[test]
fn names_of_codes_that_are_names_of_controls_are_none() {
    let names = "/CharProcs << >> /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [93 /CL 97 /CP 99 /CR] >> \
                 /ToUnicode 6 0 R";
    let font = format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 93 \
         /LastChar 99 /Widths [278 0 0 0 500 0 444] {names} >>"
    );
    let map = character_map(&["<63> <000D>".to_owned(), "<5D> <2104>".to_owned()]);
    assert_eq!(text_in(&font, "BT /F 8 Tf 20 200 Td (ac]) Tj ET", &[map]).text, "ac]");
}

#[test]
fn bitmap_fonts_of_postscript_text_have_its_ligatures_and_quotes() {
    let widths = [(0x02, 556), (0x93, 444), (0x94, 444), (0x66, 333), (0x69, 278), (0x6E, 500), (0x65, 444)];
    assert_eq!(shown_in_bitmaps(&widths, WITHOUT_NAMES, b"\x93\x02ne\x94"), "“fine”");
}

#[test]
fn the_codes_of_publishers_fonts_of_signs_are_no_letters() {
    let shown = |name: &str, codes: &str| {
        let font = format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>");
        text_in(&font, &format!("BT /F 8 Tf 20 200 Td <{codes}> Tj ET"), &[]).text
    };
    assert_eq!(shown("ABCDEF+AdvP4C4E74", "F030DEBC21"), "(′)=→");
    assert_eq!(shown("ABCDEF+TeX_CM_Maths_Italic", "403B78"), "∂,x");
    assert_eq!(shown("ABCDEF+Helvetica", "F030DEBC21"), "ð0Þ¼!");
    assert_eq!(shown("ABCDEF+AdvTT454a7a89", "62204E"), "< >");
    // Another map than that of the codes is right.
    let mapped = "<< /Type /Font /Subtype /Type1 /BaseFont /AdvP4C4E74 /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>";
    let map = character_map(&["<F0> <0028>".to_owned(), "<BC> <003D>".to_owned()]);
    assert_eq!(text_in(mapped, "BT /F 8 Tf 20 200 Td <F0BC> Tj ET", &[map]).text, "(=");
    // One that was made of the names says no more than these.
    let named = "<< /Type /Font /Subtype /Type1 /BaseFont /AdvP4C4E74 /Encoding << /Differences [1 /eth /onequarter /C0] >> \
                 /ToUnicode 6 0 R >>";
    let map = character_map(&["<01> <00F0>".to_owned(), "<02> <00BC>".to_owned()]);
    assert_eq!(text_in(named, "BT /F 8 Tf 20 200 Td <010203> Tj ET", &[map]).text, "(=−");
    let pi = "<< /Type /Font /Subtype /Type1 /BaseFont /MathematicalPi-One /Encoding << /Differences [1 /H11001 /H9262] >> >>";
    assert_eq!(text_in(pi, "BT /F 8 Tf 20 200 Td <0102> Tj ET", &[]).text, "+μ");
}

#[test]
fn a_word_of_unknown_glyphs_leaves_a_mark() {
    let font = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 0 \
         /LastChar 255 /Widths 6 0 R /CharProcs << >> /Encoding << /Differences [0] >> >>";
    let shown = |widths: [u32; 256], shown: &str| {
        let widths = widths.map(|width| width.to_string()).join(" ");
        text_in(font, &format!("BT /F 8 Tf 20 200 Td ({shown}) Tj ET"), &[format!("[{widths}]").into_bytes()])
    };
    let page = shown([500; 256], "at most \\201\\202\\203 a year");
    assert_eq!((page.text.as_str(), page.undecoded), ("at most \u{FFFD} a year", 3));
    let mut narrow = [500; 256];
    narrow[0o201] = 0;
    assert_eq!(shown(narrow, "x \\201> y").text, "x > y");
    let page = shown([500; 256], "a \\201\\202");
    assert_eq!((page.text.as_str(), page.kind), ("a", PageKind::Undecodable));
}

#[test]
fn a_glyph_has_no_more_words_than_it_has_room_for() {
    let shown = |width: u32, text: &str| {
        let units = text.encode_utf16().fold(String::new(), |mut units, unit| {
            let _ = write!(units, "{unit:04X}");
            units
        });
        let font = format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /Signs /FirstChar 1 /LastChar 1 /Widths [{width}] \
             /ToUnicode 6 0 R >>"
        );
        text_in(&font, "BT /F 8 Tf 20 200 Td <01> Tj ET", &[character_map(&[format!("<01> <{units}>")])]).text
    };
    assert_eq!(shown(1200, "📞 +33"), "📞");
    assert_eq!(shown(2400, "☎ +33"), "☎ +33");
    assert_eq!(shown(1200, "by the"), "by the");
}

#[test]
fn glyph_names_that_are_codes_are_read() {
    for name in [|code: u8| format!("/G{code:02X}"), |code: u8| format!("/a{code}")] {
        let mut codes = ENGLISH.bytes().collect::<Vec<_>>();
        codes.sort_unstable();
        codes.dedup();
        let names = codes.iter().map(|code| name(*code)).collect::<Vec<_>>().join(" ");
        let shown = ENGLISH.bytes().map(|byte| codes.iter().position(|code| *code == byte).unwrap() + 1);
        let shown = hexadecimal(shown.map(|code| u8::try_from(code).unwrap()));
        let widths = vec!["500"; codes.len()].join(" ");
        let font = format!(
            "<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Old /FirstChar 1 /LastChar {} /Widths [{widths}] \
             /Encoding << /Type /Encoding /Differences [1 {names}] >> >>",
            codes.len()
        );
        assert_eq!(text_in(&font, &format!("BT /F 8 Tf 20 200 Td <{shown}> Tj ET"), &[]).text, ENGLISH);
    }
}

#[test]
fn the_name_of_a_ligature_has_the_letters_that_its_map_lacks() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R /FirstChar 1 /LastChar 4 \
        /Widths [500 700 500 500] /Encoding << /Type /Encoding /Differences [1 /f_i /f_f_i /f /T_h] >> >>";
    let lines =
        ["<01> <0066>", "<02> <0066>", "<03> <0066>", "<04> <0054>", "<6C> <006C>", "<65> <0065>", "<78> <0078>"];
    let map = character_map(&lines.map(str::to_owned));
    let content = "BT /F 12 Tf 20 200 Td <016C65> Tj 0 -40 Td <6502786578> Tj 0 -40 Td <0365> Tj 0 -40 Td <0465> Tj ET";
    let text = text_in(font, content, &[map]).text;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["file", "effixex", "fe", "The"]);
}

#[test]
fn the_two_forms_of_greek_letters_are_those_of_tex() {
    let shown = |base_font: &str, map: &str| {
        let font = format!(
            "<< /Type /Font /Subtype /Type1 /BaseFont /{base_font} {map} /FirstChar 15 /LastChar 39 /Widths [{}] \
             /Encoding << /Type /Encoding /Differences [15 /epsilon1 30 /phi 34 /epsilon 39 /phi1] >> >>",
            vec!["500"; 25].join(" ")
        );
        let lines = ["<0F> <03B5>", "<1E> <03C6>", "<22> <03B5>", "<27> <03D5>"].map(str::to_owned);
        text_in(&font, "BT /F 12 Tf 20 200 Td <1E272227> Tj ET", &[character_map(&lines)]).text
    };
    assert_eq!(shown("ABCDEF+CMMI10", ""), "ϕφεφ");
    assert_eq!(shown("ABCDEF+CMMI10", "/ToUnicode 6 0 R"), "φϕεϕ");
    assert_eq!(shown("ABCDEF+Symbol", ""), "φϕεϕ");
}

/// A composite font without a program, with this encoding and these entries.
fn composite(encoding: &str, ordering: &str, entries: &str, descendant: &str) -> String {
    format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /{encoding} {entries} /DescendantFonts [<< /Type /Font \
         /Subtype /CIDFontType2 /BaseFont /X /DW 1000 {descendant} /CIDSystemInfo << /Registry (Adobe) \
         /Ordering ({ordering}) /Supplement 1 >> /FontDescriptor << /Type /FontDescriptor /FontName /X /Flags 4 >> >>] >>"
    )
}

#[test]
fn an_identity_map_to_unicode_says_that_codes_are_characters() {
    let text = "Toto je žluťoučký kůň";
    let shown = hexadecimal(text.encode_utf16().flat_map(u16::to_be_bytes));
    let content = format!("BT /F 12 Tf 20 200 Td <{shown}> Tj ET");
    let glyphs = stream_of("", &[0, 1].repeat(0x180));
    let named = composite("Identity-H", "Identity", "/ToUnicode /Identity-H", "");
    assert_eq!(text_in(&named, &content, &[]).text, text);
    let empty = composite("Identity-H", "Identity", "/ToUnicode 6 0 R", "/CIDToGIDMap 7 0 R");
    assert_eq!(text_in(&empty, &content, &[stream_of("", b""), glyphs]).text, text);
    // Without a map of glyphs, codes are glyphs.
    let unknown = text_in(&composite("Identity-H", "Identity", "", ""), &content, &[]);
    assert_eq!((unknown.text.as_str(), unknown.kind), ("", PageKind::Undecodable));
}

#[test]
fn codes_of_a_true_type_font_that_says_nothing_of_them_are_those_of_windows() {
    let font = |entries: &str| {
        format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /X {entries} /FirstChar 32 /LastChar 255 /FontDescriptor \
             << /Type /FontDescriptor /FontName /X /Flags 4 /FontFile2 6 0 R >> >>"
        )
    };
    let glyphs = stream_of(&format!("/Length1 {} ", truetype(&[400]).len()), &truetype(&[400]));
    let text = |entries: &str| {
        text_in(
            &font(entries),
            "BT /F 12 Tf 20 200 Td <D3634C6520706C61696E93E994> Tj ET",
            std::slice::from_ref(&glyphs),
        )
        .text
    };
    assert_eq!(text(""), "ÓcLe plain“é”");
    assert_eq!(text("/Encoding /MacRomanEncoding"), "”cLe plainìÈî");
}

#[test]
fn a_bad_line_of_a_character_map_costs_only_itself() {
    let lines = ["<0041> <0061>", "<0042> <>", "<0043> <0063>"].map(str::to_owned);
    let font = composite("Identity-H", "Identity", "/ToUnicode 6 0 R", "");
    let page = text_in(&font, "BT /F 12 Tf 20 200 Td <004100420043> Tj ET", &[character_map(&lines)]);
    assert_eq!((page.text.as_str(), page.undecoded), ("a\u{FFFD}c", 1));
}

#[test]
fn maps_of_collections_are_read_in_each_form_of_unicode() {
    let cases = [
        ("UniGB-UTF16-H", "GB1", "统一码", "统一码".encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()),
        ("UniGB-UTF8-H", "GB1", "编码八位", "编码八位".bytes().collect()),
        ("UniKS-UTF32-H", "Korea1", "한국어", "한국어".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect()),
    ];
    for (encoding, ordering, text, codes) in cases {
        let content = format!("BT /F 12 Tf 20 200 Td <{}> Tj ET", hexadecimal(codes));
        assert_eq!(text_in(&composite(encoding, ordering, "", ""), &content, &[]).text, text, "{encoding}");
    }
    let content = "BT /F 12 Tf 20 200 Td <4E004E01> Tj ET";
    let unknown = text_in(&composite("Lost-H", "GB1", "", ""), content, &[]);
    assert_eq!((unknown.text.as_str(), unknown.undecoded), ("", 2));
}

#[test]
fn marks_over_arabic_letters_divide_no_word() {
    // From the left: alef, ta, a mark, kaf.
    let lines = [(0x41, 0x627), (0x42, 0x62A), (0x43, 0xFC60), (0x44, 0x643)];
    let lines = lines.map(|(code, character)| format!("<{code:02X}> <{character:04X}>"));
    let font = "<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 65 /LastChar 68 \
                /Widths [500 500 0 500] /ToUnicode 6 0 R >>";
    let page = text_in(font, "BT /F 12 Tf 20 200 Td <41424344> Tj ET", &[character_map(&lines)]);
    assert_eq!(page.text, "\u{643}\u{64E}\u{651}\u{62A}\u{627}");
}

#[test]
fn an_exclamation_mark_without_ink_is_a_space() {
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /Boxes /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [7 0 R] >>";
    let descendant = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Boxes /DW 600 /FontDescriptor 8 0 R \
                       /CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>";
    let descriptor = b"<< /Type /FontDescriptor /FontName /Boxes /Flags 4 /FontFile2 9 0 R /ItalicAngle 0 /Ascent 800 \
                       /Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 0 1000 1000] >>";
    let map = b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange \
                3 beginbfchar <0001> <0021> <0002> <0041> <0003> <0021> endbfchar endcmap";
    let program = truetype(&[0, 0, 700, 700]);
    let others = [stream_of("", map), descendant.to_vec(), descriptor.to_vec(), stream_of("", &program)];
    let shown = |codes: &str| text_in(font, &format!("BT /F 12 Tf 20 200 Td <{codes}> Tj ET"), &others).text;
    assert_eq!(shown("000200010002"), "A A");
    assert_eq!(shown("000200030002"), "A!A");
}

#[test]
fn letters_that_are_set_apart_are_words() {
    for spacing in [2, 4, 6, 9] {
        let content = format!("BT /F 12 Tf {spacing} Tc 20 200 Td (ANNUAL REPORT) Tj ET");
        assert_eq!(text_of(&content), "ANNUAL REPORT", "{spacing}");
        // A gap is a space where none is drawn.
        let content = format!("BT /F 12 Tf {spacing} Tc 20 200 Td [(ANNUAL) -500 (REPORT)] TJ ET");
        assert_eq!(text_of(&content), "ANNUAL REPORT", "{spacing}");
    }
    assert_eq!(text_of("BT /F 12 Tf 20 200 Td [(a) -700 (b) -700 (c) -700 (d)] TJ ET"), "a b c d");
}

#[test]
fn narrow_gaps_of_a_full_line_are_spaces() {
    let line = |gap: u32| format!("BT /F 10 Tf 20 200 Td [(words) -{gap} (that) -{gap} (stand) -{gap} (close)] TJ ET");
    for gap in [110, 130, 250, 400] {
        assert_eq!(text_of(&line(gap)), "words that stand close", "{gap}");
    }
    assert_eq!(text_of(&line(40)), "wordsthatstandclose");
}

#[test]
fn a_superscript_is_no_digit_of_the_number_before_it() {
    let raised = |base: &str, run: &str, after: &str| {
        text_of(&format!("BT /F 11 Tf 20 200 Td ({base}) Tj /F 7 Tf 4 Ts ({run}) Tj /F 11 Tf 0 Ts ({after}) Tj ET"))
    };
    assert_eq!(raised("less than 2", "64", " of them"), "less than 2⁶⁴ of them");
    assert_eq!(raised("7 x 10", "-6", "."), "7 x 10⁻⁶.");
    assert_eq!(raised("about 2", "n+1", " steps"), "about 2^(n+1) steps");
    assert_eq!(raised("on the 5", "th", " of May"), "on the 5th of May");
    assert_eq!(raised("a word", "3", " and more"), "a word³ and more");
    assert_eq!(raised("", "1", "2020 was"), "¹2020 was");
}

#[test]
fn a_run_over_another_one_stays_whole() {
    // The first and the last digit of the number fall on the same digits of the line below it.
    let line = "BT /C 10 Tf 20 200 Td (1741159) Tj ET BT /C 10 Tf 20 200 Td (1207639) Tj ET";
    let content = line.replace("/C", "/F");
    let text = text_of(&content);
    assert!(text.contains("1741159") && text.contains("1207639"), "{text}");
}

#[test]
fn what_stands_higher_at_the_right_comes_first() {
    let text = "BT /F 12 Tf 20 120 Td (Dear reader,) Tj 0 -14 Td (we write to you.) Tj ET \
                BT /F 12 Tf 280 250 Td (Our address) Tj 0 -14 Td (Our town) Tj ET";
    assert_eq!(text_of(text), "Our address\nOur town\n\nDear reader,\nwe write to you.");
    let columns = "BT /F 12 Tf 20 250 Td (left one) Tj 0 -14 Td (left two) Tj ET \
                   BT /F 12 Tf 280 250 Td (right one) Tj 0 -14 Td (right two) Tj ET";
    assert_eq!(text_of(columns), "left one\nleft two\n\nright one\nright two");
}
