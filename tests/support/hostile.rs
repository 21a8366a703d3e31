//! PDFs that mean harm, by class. Each is small: what it claims, nests or expands to is not.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// An indirect object: what stands between `obj` and `endobj`.
pub(super) type Body = Vec<u8>;

/// Every hostile document, by a name that says what it does.
pub(crate) fn documents() -> Vec<(&'static str, Vec<u8>)> {
    [nesting(), loops(), lies(), bombs(), fan_out(), sizes(), fonts(), encryption(), references()].concat()
}

/// Pages that share content of 70 MB, which is within every limit but that of a small memory.
pub(crate) fn heavy(pages: usize) -> Vec<u8> {
    let kids = (0..pages).map(|page| format!("{} 0 R ", page + 5)).collect::<String>();
    let content = stream("<</Filter/FlateDecode", &deflated(&vec![b' '; 70_000_000]));
    let mut bodies = vec![
        catalog(""),
        format!("<</Type/Pages/Count {pages}/Kids[{kids}]>>").into_bytes(),
        content,
        b"<</Type/Font>>".to_vec(),
    ];
    let page = with("/Resources<</Font<</F 4 0 R>>>>/Contents 3 0 R");
    bodies.extend(std::iter::repeat_n(page, pages));
    file(&bodies)
}

pub(super) type Named = Vec<(&'static str, Vec<u8>)>;

fn nesting() -> Named {
    let nested = |open: &str, close: &str, times: usize| format!("{}{}", open.repeat(times), close.repeat(times));
    let deep_tree = |depth: usize| {
        let node = |at: usize| format!("<</Type/Pages/Count 1/Kids[{} 0 R]>>", at + 3);
        let mut bodies = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec()];
        bodies.extend((0..depth).map(|at| node(at).into_bytes()));
        bodies.push(b"<</Type/Page/MediaBox[0 0 9 9]>>".to_vec());
        file(&bodies)
    };
    vec![
        ("arrays in arrays", with_page_entry(&format!("/Group {}", nested("[", "]", 100_000)))),
        ("dictionaries in dictionaries", with_page_entry(&format!("/Group {}", nested("<</A", ">>", 100_000)))),
        ("an array that never closes", with_page_entry(&format!("/Group {}", "[".repeat(1 << 20)))),
        ("parentheses in a string", with_page_entry(&format!("/Lang {}", nested("(", ")", 200_000)))),
        ("arrays in content", with_content(nested("[", "]", 200_000).as_bytes())),
        ("saved states in content", with_content("q ".repeat(500_000).as_bytes())),
        ("dictionaries in content", with_content(format!("/A {} BDC", nested("<</A", ">>", 50_000)).as_bytes())),
        ("a page tree 100,000 levels deep", deep_tree(100_000)),
    ]
}

fn loops() -> Named {
    let page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_vec();
    let tree = |pages: &str| file(&[catalog(""), pages.as_bytes().to_vec(), page.clone()]);
    let prev = |file: &[u8], at: usize| {
        let text = String::from_utf8_lossy(file).replace("trailer\n<< ", &format!("trailer\n<< /Prev {at} "));
        text.into_bytes()
    };
    let sound = tree("<</Type/Pages/Count 1/Kids[3 0 R]>>");
    let start = String::from_utf8_lossy(&sound).rfind("xref\n0").unwrap();
    let outline = b"<</Type/Outlines/First 5 0 R/Last 5 0 R/Count 1>>".to_vec();
    let item = b"<</Title(a)/Next 5 0 R/First 5 0 R/Parent 5 0 R/Dest[3 0 R/Fit]>>".to_vec();
    let form = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>";
    vec![
        ("a page tree that is its own kid", tree("<</Type/Pages/Count 9/Kids[2 0 R 2 0 R 3 0 R]>>")),
        ("a page tree without end by two nodes", tree("<</Type/Pages/Count 9/Kids[4 0 R]>>")),
        ("cross references that lead to themselves", prev(&sound, start)),
        ("a reference to itself", file(&[catalog(""), pages(), with("/Contents 4 0 R"), b"4 0 R".to_vec()])),
        (
            "references in a circle",
            file(&[catalog(""), pages(), with("/Contents 4 0 R"), b"5 0 R".to_vec(), b"4 0 R".to_vec()]),
        ),
        ("an outline in a circle", file(&[catalog("/Outlines 4 0 R"), pages(), with(""), outline, item])),
        (
            "a form that draws itself",
            file(&[
                catalog(""),
                pages(),
                with("/Resources<</XObject<</F 5 0 R>>>>/Contents 4 0 R"),
                stream("<<", b"/F Do"),
                stream(form, b"/F Do /F Do"),
            ]),
        ),
        ("a length that is itself", file(&[catalog(""), pages(), with("/Contents 4 0 R"), self_length()])),
        (
            "labels in a circle",
            file(&[catalog("/PageLabels 4 0 R"), pages(), with(""), b"<</Kids[4 0 R 4 0 R]>>".to_vec()]),
        ),
        (
            "names in a circle",
            file(&[catalog("/Names<</Dests 4 0 R>>"), pages(), with(""), b"<</Kids[4 0 R]>>".to_vec()]),
        ),
        (
            "a field that is its own parent",
            file(&[
                catalog("/AcroForm<</Fields[4 0 R]>>"),
                pages(),
                with("/Annots[4 0 R]"),
                b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[0 0 9 9]/Parent 4 0 R/Kids[4 0 R]>>".to_vec(),
            ]),
        ),
    ]
}

fn lies() -> Named {
    let count =
        |count: &str| file(&[catalog(""), format!("<</Type/Pages/Count {count}/Kids[3 0 R]>>").into_bytes(), with("")]);
    let small = String::from_utf8(file(&[catalog(""), pages(), with("")])).unwrap();
    vec![
        ("ten thousand million pages", count("9999999999")),
        ("as many pages as there are numbers", count("4294967295")),
        ("fewer than no pages", count("-1")),
        ("a table of four thousand million entries", small.replace("xref\n0 4", "xref\n0 4294967295").into_bytes()),
        ("a size beyond all numbers", small.replace("/Size 4", "/Size 99999999999999999999").into_bytes()),
        ("cross references past the end", small.replace("startxref\n", "startxref\n9").into_bytes()),
        ("a length beyond the file", file(&[catalog(""), pages(), with("/Contents 4 0 R"), long_stream()])),
        (
            "an object stream of a million million objects",
            file(&[
                catalog(""),
                pages(),
                with("/Contents 4 0 R"),
                stream("<</Type/ObjStm/N 999999999999/First 999999999999", b"1 0 2 0"),
            ]),
        ),
        ("nothing but a header", b"%PDF-1.7\n".to_vec()),
        ("a header and then zeros", [b"%PDF-1.7\n".to_vec(), vec![0; 1 << 20]].concat()),
        ("a million objects that are none", [b"%PDF-1.7\n".to_vec(), b"1 0 obj\n".repeat(100_000)].concat()),
    ]
}

fn bombs() -> Named {
    let zeros = |bytes: usize| deflated(&vec![b' '; bytes]);
    let content = |entries: &str, data: &[u8]| {
        file(&[catalog(""), pages(), with("/Contents 4 0 R"), stream(&format!("<<{entries}"), data)])
    };
    let twice = deflated(&zeros(200 << 20));
    let runs = [129_u8, b' '].repeat(1 << 20);
    let many = {
        let bomb = stream("<</Filter/FlateDecode", &zeros(70_000_000));
        let parts = (4..24).map(|number| format!("{number} 0 R ")).collect::<String>();
        let mut bodies = vec![catalog(""), pages(), with(&format!("/Contents[{parts}]"))];
        bodies.extend(std::iter::repeat_n(bomb, 20));
        file(&bodies)
    };
    let filters = "/FlateDecode ".repeat(1_000);
    let wide = "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 999999999/Colors 32/BitsPerComponent 16>>";
    vec![
        ("a Flate bomb of 200 MB", content("/Filter/FlateDecode", &zeros(200 << 20))),
        ("a Flate bomb in a Flate bomb", content("/Filter[/FlateDecode/FlateDecode]", &twice)),
        ("a RunLength bomb in a Flate bomb", content("/Filter[/FlateDecode/RunLengthDecode]", &deflated(&runs))),
        ("twenty bombs below the bound each", many),
        ("a thousand filters", content(&format!("/Filter[{filters}]"), &zeros(10))),
        ("a predictor of a thousand million columns", content(wide, &zeros(1 << 20))),
        ("an LZW stream of garbage", content("/Filter/LZWDecode", &[0x80, 0x0B].repeat(1 << 19))),
        ("a cross-reference stream that is a bomb", bomb_of_references()),
        (
            "an object stream that is a bomb",
            file(&[
                catalog(""),
                pages(),
                with("/Contents 4 0 R"),
                stream("<</Type/ObjStm/N 1/First 4/Filter/FlateDecode", &zeros(200 << 20)),
            ]),
        ),
    ]
}

fn fan_out() -> Named {
    // Ten forms, each of which draws the next ten times: ten thousand million drawings.
    let mut bodies =
        vec![catalog(""), pages(), with("/Resources<</XObject<</F 5 0 R>>>>/Contents 4 0 R"), stream("<<", b"/F Do")];
    for next in 6..16 {
        let form = format!("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {next} 0 R>>>>");
        bodies.push(stream(&form, "/F Do ".repeat(10).as_bytes()));
    }
    bodies.push(stream("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]", b"BT (x) Tj ET"));
    let kids = "3 0 R ".repeat(200_000);
    let same = file(&[catalog(""), format!("<</Type/Pages/Count 200000/Kids[{kids}]>>").into_bytes(), with("")]);
    let annotations = format!("/Annots[{}]", "4 0 R ".repeat(300_000));
    let annotation = b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]>>".to_vec();
    vec![
        ("forms that draw ten thousand million forms", file(&bodies)),
        ("one page two hundred thousand times", same),
        ("one annotation three hundred thousand times", file(&[catalog(""), pages(), with(&annotations), annotation])),
        ("ten million operators", with_content("0 0 m ".repeat(1_500_000).as_bytes())),
    ]
}

fn sizes() -> Named {
    let page =
        |entries: &str| file(&[catalog(""), pages(), format!("<</Type/Page/Parent 2 0 R{entries}>>").into_bytes()]);
    let drawn = |dictionary: &str, content: &[u8], resources: &str| {
        let entries = format!("/Resources<<{resources}>>/Contents 4 0 R");
        file(&[catalog(""), pages(), with(&entries), stream("<<", content), stream(dictionary, b"")])
    };
    let image =
        "<</Type/XObject/Subtype/Image/Width 2147483647/Height 2147483647/BitsPerComponent 16/ColorSpace/DeviceRGB";
    let tile =
        "<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.0001/YStep 0.0001/Resources<<>>";
    vec![
        ("a box beyond all paper", page("/MediaBox[-1e30 -1e30 1e30 1e30]")),
        ("a box of no numbers", page("/MediaBox[(a)/b null true]")),
        ("a user unit beyond all paper", page("/MediaBox[0 0 9 9]/UserUnit 1e300")),
        ("an image of four million million million pixels", drawn(image, b"/I Do", "/XObject<</I 5 0 R>>")),
        ("tiles without end", drawn(tile, b"/Pattern cs /P scn 0 0 1e9 1e9 re f", "/Pattern<</P 5 0 R>>")),
        ("dashes without end", with_content(b"[1e-30] 0 d 0 0 m 1e30 1e30 l S")),
    ]
}

fn fonts() -> Named {
    let text = |map: &[u8]| {
        let font = "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</Type/Font\
            /Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>";
        file(&[
            catalog(""),
            pages(),
            with("/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R"),
            stream("<<", b"BT /F 9 Tf <00010002> Tj ET"),
            font.as_bytes().to_vec(),
            stream("<<", map),
        ])
    };
    let range =
        b"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange";
    vec![
        ("a map of four thousand million characters", text(range)),
        ("a map that uses itself", text(&b"/Identity-H usecmap ".repeat(100_000))),
        ("a map of a million ranges", text(&b"1 beginbfrange <0000> <ffff> <0041> endbfrange\n".repeat(20_000))),
    ]
}

fn encryption() -> Named {
    let encrypted = |dictionary: &str| {
        let text = String::from_utf8(file(&[catalog(""), pages(), with("")])).unwrap();
        text.replace("trailer\n<< ", &format!("trailer\n<< /ID[(a)(b)]/Encrypt {dictionary} ")).into_bytes()
    };
    let strings = format!("/O({})/U({})/P -1", "o".repeat(32), "u".repeat(32));
    let long = format!("/O({})/U({})/P -1", "o".repeat(1 << 20), "u".repeat(1 << 20));
    vec![
        (
            "a key of a thousand million bits",
            encrypted(&format!("<</Filter/Standard/V 2/R 3/Length 999999999{strings}>>")),
        ),
        ("a key of less than no bits", encrypted(&format!("<</Filter/Standard/V 1/R 2/Length -8{strings}>>"))),
        ("strings of a million bytes", encrypted(&format!("<</Filter/Standard/V 5/R 6/Length 256{long}>>"))),
        ("strings that are too short", encrypted("<</Filter/Standard/V 5/R 6/O()/U()/OE()/UE()/Perms()/P -1>>")),
        ("a revision that is none", encrypted(&format!("<</Filter/Standard/V 99/R 99{strings}>>"))),
    ]
}

fn references() -> Named {
    let metadata = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>";
    let action = "<</S/Launch/F(/bin/sh)/Next<</S/JavaScript/JS(app.alert\\(1\\))>>>>";
    vec![
        (
            "content in another file",
            file(&[
                catalog(""),
                pages(),
                with("/Contents 4 0 R"),
                stream("<</F(/etc/passwd)/FFilter/FlateDecode", b""),
            ]),
        ),
        (
            "metadata with entities",
            file(&[
                catalog("/Metadata 4 0 R"),
                pages(),
                with(""),
                stream("<</Type/Metadata/Subtype/XML", metadata.as_bytes()),
            ]),
        ),
        ("an action that runs a program", file(&[catalog(&format!("/OpenAction {action}")), pages(), with("")])),
    ]
}

pub(crate) fn catalog(entries: &str) -> Body {
    format!("<</Type/Catalog/Pages 2 0 R{entries}>>").into_bytes()
}

pub(crate) fn pages() -> Body {
    b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec()
}

/// A page with further entries.
pub(crate) fn with(entries: &str) -> Body {
    format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]{entries}>>").into_bytes()
}

fn with_page_entry(entry: &str) -> Vec<u8> {
    file(&[catalog(""), pages(), with(entry)])
}

pub(crate) fn with_content(content: &[u8]) -> Vec<u8> {
    file(&[catalog(""), pages(), with("/Contents 4 0 R"), stream("<<", content)])
}

/// A stream; `dictionary` lacks its length and its end.
pub(crate) fn stream(dictionary: &str, data: &[u8]) -> Body {
    let head = format!("{dictionary}/Length {}>>\nstream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

fn self_length() -> Body {
    b"<</Length 4 0 R>>\nstream\nabc\nendstream".to_vec()
}

fn long_stream() -> Body {
    b"<</Length 99999999999>>\nstream\nabc\nendstream".to_vec()
}

pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bomb_of_references() -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let start = file.len();
    let dictionary = "<</Type/XRef/W[1 8 8]/Size 12000000/Root 1 0 R/Filter/FlateDecode";
    file.extend(b"1 0 obj\n");
    file.extend(stream(dictionary, &deflated(&vec![0; 200 << 20])));
    file.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

/// A file of objects numbered from 1, with a sound table; object 1 is the catalog.
pub(super) fn file(bodies: &[Body]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", bodies.len() + 1);
    for (number, body) in (1..).zip(bodies) {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(body);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    file.extend(table.bytes());
    file.extend(format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", bodies.len() + 1).bytes());
    file
}
