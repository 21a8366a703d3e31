//! More PDFs that mean harm: what is claimed, nested or repeated in places that only one reader of a page looks at.

#![allow(clippy::cast_possible_truncation, reason = "lengths of what is written here")]

use super::hostile::{Body, Named, catalog, deflated, file, pages, stream, with, with_content};

/// Every one of them, by a name that says what it does.
pub(crate) fn hostile_pages() -> Named {
    let drawn = [cascades(), streams(), images(), painting(), functions(), glyphs(), layout()].concat();
    let around = [labels(), outlines(), fields(), annotations(), encryption(), entities()].concat();
    [drawn, around].concat()
}

/// A page with these resources and this content; `more` are the objects from 5 on.
pub(super) fn drawn(resources: &str, content: &[u8], more: &[Body]) -> Vec<u8> {
    let page = with(&format!("/Resources<<{resources}>>/Contents 4 0 R"));
    let content = stream("<</Filter/FlateDecode", &deflated(content));
    file(&[&[catalog(""), pages(), page, content], more].concat())
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

fn lzw(bytes: &[u8]) -> Vec<u8> {
    weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8).encode(bytes).unwrap()
}

fn cascades() -> Named {
    let content = |filters: &str, data: &[u8]| {
        file(&[catalog(""), pages(), with("/Contents 4 0 R"), stream(&format!("<</Filter[{filters}]"), data)])
    };
    let runs = [129_u8, b' '].repeat(4 << 20);
    let cascade = deflated(&hexadecimal(&lzw(&runs)));
    let many = (0..12).fold(vec![b' '; 70_000_000], |data, _| deflated(&data));
    vec![
        ("a bomb of four filters", content("/FlateDecode/ASCIIHexDecode/LZWDecode/RunLengthDecode", &cascade)),
        ("a bomb twelve times deflated", content(&"/FlateDecode".repeat(12), &many)),
        ("a bomb of zs", content("/FlateDecode/ASCII85Decode/FlateDecode", &deflated(&vec![b'z'; 18_000_000]))),
    ]
}

/// A file with a cross-reference stream; `entries` are its rows of three fields.
pub(crate) fn streamed(bodies: &[Body], entries: &[(u64, u64, u64)], dictionary: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut rows = vec![(0, 0, 0)];
    for (number, body) in (1..).zip(bodies) {
        rows.push((1, file.len() as u64, 0));
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(body);
        file.extend(b"\nendobj\n");
    }
    rows.extend(entries);
    let start = file.len();
    let data = rows.iter().flat_map(|(kind, place, index)| {
        let place = place.to_be_bytes();
        let index = index.to_be_bytes();
        [&[*kind as u8][..], &place[4..], &index[6..]].concat()
    });
    let data = data.collect::<Vec<_>>();
    file.extend(format!("{} 0 obj\n", bodies.len() + 90).bytes());
    file.extend(stream(&format!("<</Type/XRef/Root 1 0 R{dictionary}"), &data));
    file.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

fn streams() -> Named {
    let contents = with("/Contents 5 0 R");
    let sound = [catalog(""), pages(), contents];
    // Object 4 is an object stream that holds 5; 5 is said to be an object stream that holds 6, and so on.
    let nested = {
        let outer = stream("<</Type/ObjStm/N 1/First 4", b"5 0 <</Type/ObjStm/N 1/First 4/Length 9>> stream\n6 0 (a)");
        let entries = (4..60).map(|holder| (2, holder, 0)).collect::<Vec<_>>();
        streamed(&[&sound[..], &[outer]].concat(), &entries, "/W[1 4 2]/Size 64")
    };
    let itself = {
        let outer = stream("<</Type/ObjStm/N 1/First 4/Extends 4 0 R", b"5 0 5 0 R");
        streamed(&[&sound[..], &[outer]].concat(), &[(2, 5, 0), (2, 6, 0), (2, 5, 0)], "/W[1 4 2]/Size 8")
    };
    // Every object in a stream of its own, each of 2 MB of spaces: to read them all is to decode 2 MB each time.
    let many = {
        let holder = stream(
            "<</Type/ObjStm/N 1/First 8/Filter/FlateDecode",
            &deflated(&{
                let mut data = vec![b' '; 2_000_000];
                data[..12].copy_from_slice(b"900 0   null");
                data
            }),
        );
        let kids = (0..300).map(|at| format!("{} 0 R ", 400 + at)).collect::<String>();
        let tree = format!("<</Type/Pages/Count 301/Kids[3 0 R {kids}]>>").into_bytes();
        let mut bodies = vec![catalog(""), tree, with("")];
        bodies.extend(std::iter::repeat_n(holder, 300));
        let gap = (304..400).map(|_| (0, 0, 0));
        let entries = gap.chain((0..300).map(|at| (2, 4 + at, 0))).collect::<Vec<_>>();
        streamed(&bodies, &entries, "/W[1 4 2]/Size 700")
    };
    let numbers = {
        // Not all the same, which would be refused for its ratio.
        let digit = |at: u64| if at.is_multiple_of(97) { b'0' + (at * 7919 % 10) as u8 } else { b'0' };
        let digits = (0..12 << 20).flat_map(|at| [digit(at), b' ']).collect::<Vec<_>>();
        let data = deflated(&[&b"5 0 ["[..], &digits, b"]"].concat());
        let holder = stream("<</Type/ObjStm/N 1/First 4/Filter/FlateDecode", &data);
        streamed(&[catalog(""), pages(), with("/Annots 5 0 R"), holder], &[(2, 4, 0)], "/W[1 4 2]/Size 6")
    };
    let lie = |dictionary: &str| streamed(&sound, &[], dictionary);
    vec![
        ("object streams within object streams", nested),
        ("an object stream that extends and holds itself", itself),
        ("three hundred object streams of two megabytes", many),
        ("an array of twelve million numbers", numbers),
        ("fields of no bytes in cross references", lie("/W[0 0 0]/Size 999999999999")),
        ("fields of fewer than no bytes in cross references", lie("/W[1 -4 2]/Size 8")),
        ("fields of a thousand million bytes in cross references", lie("/W[1 1000000000 2]/Size 8")),
        ("an index of a million million entries", lie("/W[1 4 2]/Size 8/Index[0 1000000000000 5 9223372036854775807]")),
        (
            "an index of a hundred thousand runs",
            lie(&format!("/W[0 0 1]/Size 8/Index[{}]", "0 1000000 ".repeat(100_000))),
        ),
    ]
}

fn image(entries: &str, data: &[u8]) -> Vec<u8> {
    let image = stream(&format!("<</Type/XObject/Subtype/Image{entries}"), data);
    drawn("/XObject<</I 5 0 R>>", b"90 0 0 90 0 0 cm /I Do", &[image])
}

/// A JPEG 2000 codestream's beginning (ISO 15444-1, A.5): sizes and nothing else.
fn jpx(side: u32, components: u16) -> Vec<u8> {
    let mut data = vec![0xFF, 0x4F, 0xFF, 0x51];
    data.extend((38 + 3 * components).to_be_bytes());
    data.extend([0, 0]);
    for number in [side, side, 0, 0, side, side, 0, 0] {
        data.extend(number.to_be_bytes());
    }
    data.extend(components.to_be_bytes());
    data.extend([7, 1, 1].repeat(components.into()));
    data.extend([0xFF, 0x52, 0, 12, 0, 0, 0, 1, 0, 5, 4, 4, 0, 0]);
    data.extend([0xFF, 0x5C, 0, 19, 0x40]);
    data.extend([0x48; 16]);
    data.extend([0xFF, 0x90, 0, 10, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0x93]);
    data.extend([0; 64]);
    data.extend([0xFF, 0xD9]);
    data
}

/// A JPEG's beginning: a frame of so many pixels and one scan of nothing.
fn dct(side: u16) -> Vec<u8> {
    let mut data = vec![0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0];
    data.extend([1; 64]);
    data.extend([0xFF, 0xC2, 0, 17, 8]);
    data.extend(side.to_be_bytes());
    data.extend(side.to_be_bytes());
    data.extend([3, 1, 0x44, 0, 2, 0x11, 0, 3, 0x11, 0]);
    data.extend([0xFF, 0xC4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for _ in 0..50 {
        data.extend([0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0, 1, 2, 3]);
    }
    data.extend([0xFF, 0xD9]);
    data
}

/// A JBIG2 page and a generic region that is as large (ISO 14492, 7.2).
fn jbig2(side: u32) -> Vec<u8> {
    let side = side.to_be_bytes();
    let mut data = vec![0, 0, 0, 0, 0x30, 0, 1, 0, 0, 0, 19];
    data.extend([side, side, [0; 4], [0; 4]].concat());
    data.extend([0, 0, 0]);
    data.extend([0, 0, 0, 1, 0x26, 0, 1, 0, 0, 0, 60]);
    data.extend([side, side, [0; 4], [0; 4]].concat());
    data.extend([0, 0, 3, 0xFF, 0xFD, 0xFF, 2, 0xFE, 0xFE, 0xFE]);
    data.extend([0; 40]);
    data
}

fn images() -> Named {
    let sized = |width: u64, height: u64| format!("/Width {width}/Height {height}");
    let coded = |side: u64, filter: &str, data: &[u8]| {
        image(&format!("{}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/{filter}", sized(side, side)), data)
    };
    let fax = |columns: u64, k: i32, data: &[u8]| {
        let size = sized(columns, 1_000_000);
        image(
            &format!(
                "{size}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode\
                 /DecodeParms<</K {k}/Columns {columns}/Rows 1000000000>>"
            ),
            data,
        )
    };
    let mask = {
        let image = stream(
            &format!(
                "<</Type/XObject/Subtype/Image{}/ColorSpace/DeviceGray/BitsPerComponent 8/SMask 6 0 R",
                sized(1, 1)
            ),
            b"a",
        );
        let mask = format!(
            "<</Type/XObject/Subtype/Image{}/ColorSpace/DeviceGray/BitsPerComponent 1",
            sized(900_000, 900_000)
        );
        drawn("/XObject<</I 5 0 R>>", b"90 0 0 90 0 0 cm /I Do", &[image, stream(&mask, b"")])
    };
    let inline = |width: &str, height: &str| {
        let content = format!("q 90 0 0 90 0 0 cm BI /W {width} /H {height} /BPC 8 /CS /RGB ID aaaaaaaaaaaaaaaa EI Q");
        with_content(content.as_bytes())
    };
    let many = {
        let entries = format!(
            "<</Type/XObject/Subtype/Image{}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode",
            sized(4_000, 4_000)
        );
        let data = deflated(&vec![7; 48_000_000]);
        drawn(
            "/XObject<</I 5 0 R>>",
            b"q 90 0 0 90 0 0 cm /I Do Q ".repeat(2_000).as_slice(),
            &[stream(&entries, &data)],
        )
    };
    vec![
        ("a JPEG 2000 picture of a side of four thousand million", coded(9, "JPXDecode", &jpx(u32::MAX, 3))),
        ("a JPEG 2000 picture of sixty thousand", coded(60_000, "JPXDecode", &jpx(60_000, 3))),
        ("a JPEG 2000 picture of sixteen thousand components", coded(64, "JPXDecode", &jpx(64, 16_000))),
        ("a progressive JPEG of the largest side", coded(65_535, "DCTDecode", &dct(65_535))),
        ("a JBIG2 page of the largest side", coded(65_535, "JBIG2Decode", &jbig2(65_535))),
        ("a JBIG2 page of a side of four thousand million", coded(9, "JBIG2Decode", &jbig2(u32::MAX))),
        ("fax lines without end", fax(900_000, -1, &vec![0xFF; 100_000])),
        ("fax lines of one dimension without end", fax(900_000, 0, &vec![0x35; 100_000])),
        ("fax lines of nothing", fax(60_000, -1, b"")),
        ("a mask of a million million pixels", mask),
        ("an inline picture of four thousand million columns", inline("4294967295", "1")),
        ("an inline picture of two thousand million rows", inline("1", "2147483647")),
        ("an inline picture of a million million pixels", inline("900000", "900000")),
        ("a large picture drawn two thousand times", many),
        (
            "colours of a palette beyond all numbers",
            image(
                &format!("{}/BitsPerComponent 8/ColorSpace[/Indexed/DeviceRGB 2147483647(abc)]", sized(9, 9)),
                &[255; 81],
            ),
        ),
    ]
}

fn painting() -> Named {
    let tile = |entries: &str, content: &[u8], painted: &[u8]| {
        let pattern = format!("<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/Resources<<>>{entries}");
        drawn("/Pattern<</P 5 0 R>>", painted, &[stream(&pattern, content)])
    };
    let dashes = format!("[{}] 0 d 0 0 m 99 99 l S", "0.001 ".repeat(100_000));
    let mesh = |kind: u8, data: &[u8]| {
        let entries = format!(
            "<</ShadingType {kind}/ColorSpace/DeviceRGB/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8\
             /Decode[0 99 0 99 0 1 0 1 0 1]/VerticesPerRow 2"
        );
        drawn("/Shading<</S 5 0 R>>", b"/S sh", &[stream(&format!("{entries}/Filter/FlateDecode"), &deflated(data))])
    };
    let triangle = [0, 0, 0, 9, 9, 9, 0, 255, 0, 99, 9, 9, 0, 0, 255, 9, 99, 9];
    let patch = [
        0, 0, 0, 0, 80, 0, 160, 0, 255, 80, 255, 160, 255, 255, 255, 255, 160, 255, 80, 255, 0, 160, 0, 80, 0, 9, 99,
        200, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ];
    let groups = {
        let mut more = Vec::new();
        for next in 6..45 {
            let form = format!(
                "<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Group<</S/Transparency/I true/K true>>\
                 /Resources<</XObject<</F {next} 0 R>>/ExtGState<</G<</ca .9/BM/Luminosity>>>>>>"
            );
            more.push(stream(&form, b"/G gs /F Do"));
        }
        more.push(stream("<</Type/XObject/Subtype/Form/BBox[0 0 99 99]", b"0 0 9 9 re f"));
        drawn("/XObject<</F 5 0 R>>", b"/F Do ".repeat(100).as_slice(), &more)
    };
    let masks = {
        let group = "<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Group<</S/Transparency/CS/DeviceGray>>\
                     /Resources<</ExtGState<</G 6 0 R>>>>";
        let state = b"<</SMask<</S/Luminosity/G 5 0 R>>>>".to_vec();
        drawn("/ExtGState<</G 6 0 R>>", b"/G gs 0 0 9 9 re f", &[stream(group, b"/G gs 0 0 9 9 re f"), state])
    };
    vec![
        (
            "tiles of a point on all paper",
            tile("/BBox[0 0 1 1]/XStep 1/YStep 1", b"0 0 .5 .5 re f", b"/Pattern cs /P scn -1e9 -1e9 2e9 2e9 re f"),
        ),
        (
            "tiles of nothing",
            tile("/BBox[0 0 0 0]/XStep 0/YStep 0", b"0 0 9 9 re f", b"/Pattern cs /P scn 0 0 99 99 re f"),
        ),
        (
            "a tile beyond all paper",
            tile("/BBox[-1e9 -1e9 1e9 1e9]/XStep 1/YStep 1", b"0 0 9 9 re f", b"/Pattern cs /P scn 0 0 99 99 re f"),
        ),
        ("a hundred thousand dashes", with_content(dashes.as_bytes())),
        ("dashes that nobody sees on a long line", with_content(b"[.001] 0 d 0 0 m 1e6 1e6 l S")),
        (
            "lines of all widths beyond all paper",
            with_content("1e30 w 0 0 m 1e30 -1e30 l 5 5 l S ".repeat(20_000).as_bytes()),
        ),
        ("a mesh of three hundred thousand triangles", mesh(4, &triangle.repeat(300_000))),
        ("a lattice of a million points", mesh(5, &[1, 2, 3, 4, 5, 250, 240, 3, 4, 5].repeat(500_000))),
        ("a mesh of a hundred thousand patches", mesh(6, &patch.repeat(100_000))),
        ("forty groups within each other a hundred times", groups),
        ("a soft mask that masks itself", masks),
    ]
}

/// What would keep an engine busy for many seconds with things that a page may well have, though fewer of them.
pub(crate) fn busy() -> Named {
    let clips = "q 0 0 99 99 re 1 1 98 98 re W n ".repeat(100_000);
    let curves = (0..200_000).map(|at| format!("{} {} {} {} 9 9 c ", at % 97, at % 89, at % 83, at % 79));
    let curves = format!("1 J 1 j 3 w 0 0 m {} S", curves.collect::<String>());
    let many_masks = {
        let group = "<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Group<</S/Transparency/CS/DeviceGray>>";
        let state = b"<</SMask<</S/Luminosity/G 5 0 R>>>>".to_vec();
        let content = b"/G gs 0 0 99 99 re f ".repeat(50_000);
        drawn("/ExtGState<</G 6 0 R>>", &content, &[stream(group, b"0 0 9 9 re f"), state])
    };
    vec![
        ("a hundred thousand clips", with_content(clips.as_bytes())),
        ("curves without end", with_content(curves.as_bytes())),
        ("fifty thousand soft masks", many_masks),
    ]
}

fn functions() -> Named {
    let shaded = |function: &str, more: &[Body]| {
        let shading = format!(
            "<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]/Matrix[99 0 0 99 0 0]/Function {function}>>"
        );
        drawn(&format!("/Shading<</S {shading}>>"), b"/S sh", more)
    };
    let sampled = |inputs: usize, size: &str| {
        let (domain, size) = ("0 1 ".repeat(inputs), size.repeat(inputs));
        stream(&format!("<</FunctionType 0/Domain[{domain}]/Range[0 1 0 1 0 1]/Size[{size}]/BitsPerSample 8"), &[7; 64])
    };
    // Ten functions, each made of the next ten times: ten thousand million.
    let stitched = {
        let bounds = (1..10).map(|at| format!(".{at} ")).collect::<String>();
        let parts = |next: usize| format!("{next} 0 R ").repeat(10);
        let mut more = Vec::new();
        for next in 6..16 {
            let encode = "0 1 ".repeat(10);
            more.push(
                format!("<</FunctionType 3/Domain[0 1]/Bounds[{bounds}]/Encode[{encode}]/Functions[{}]>>", parts(next))
                    .into_bytes(),
            );
        }
        more.push(b"<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1>>".to_vec());
        let shading = "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 99 99]/Function 5 0 R>>";
        drawn(&format!("/Shading<</S {shading}>>"), b"/S sh", &more)
    };
    let itself = b"<</FunctionType 3/Domain[0 1]/Bounds[]/Encode[0 1]/Functions[5 0 R]>>".to_vec();
    let program = |code: &str| stream("<</FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]", code.as_bytes());
    let braces = format!("{}{}", "{".repeat(100_000), "}".repeat(100_000));
    let long = format!("{{ pop dup dup {} }}", "1 add 1 sub ".repeat(200_000));
    let copies = format!("{{ {} }}", "100 copy ".repeat(100_000));
    let spaces = {
        let mut more =
            (6..40).map(|next| format!("[/Separation/A {next} 0 R 41 0 R]").into_bytes()).collect::<Vec<_>>();
        more.push(b"[/Separation/A 5 0 R 41 0 R]".to_vec());
        more.push(b"<</FunctionType 2/Domain[0 1]/C0[0]/C1[1]/N 1>>".to_vec());
        drawn("/ColorSpace<</C 5 0 R>>", b"/C cs 1 scn 0 0 9 9 re f", &more)
    };
    let colorants = format!("[/DeviceN[{}]/DeviceRGB 6 0 R]", "/A".repeat(100_000));
    let nested_palette = b"[/Indexed 5 0 R 255 (abc)]".to_vec();
    vec![
        ("samples of a million million places", shaded("5 0 R", &[sampled(2, "1000000 ")])),
        ("samples of thirty-two dimensions", shaded("5 0 R", &[sampled(32, "2 ")])),
        ("a hundred samplings of samples", shaded("[5 0 R 5 0 R 5 0 R]", &[sampled(2, "2147483647 ")])),
        ("functions of ten thousand million functions", stitched),
        ("a function that is made of itself", shaded("5 0 R", &[itself])),
        ("a program of braces", shaded("5 0 R", &[program(&braces)])),
        ("a long program for each pixel", shaded("5 0 R", &[program(&long)])),
        ("a program that copies its stack", shaded("5 0 R", &[program(&copies)])),
        ("colour spaces in a circle", spaces),
        (
            "a hundred thousand colorants",
            drawn("/ColorSpace<</C 5 0 R>>", b"/C cs 1 scn 0 0 9 9 re f", &[colorants.into_bytes(), b"<<>>".to_vec()]),
        ),
        ("a palette of itself", drawn("/ColorSpace<</C 5 0 R>>", b"/C cs 1 sc 0 0 9 9 re f", &[nested_palette])),
    ]
}

/// Tables of a font program in a TrueType wrapping.
fn sfnt(tables: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = [&[0, 1, 0, 0][..], &(tables.len() as u16).to_be_bytes(), &[0; 6]].concat();
    let mut at = 12 + 16 * tables.len();
    for (tag, table) in tables {
        out.extend(tag.bytes());
        out.extend([0; 4]);
        out.extend((at as u32).to_be_bytes());
        out.extend((table.len() as u32).to_be_bytes());
        at += table.len().next_multiple_of(4);
    }
    for (_, table) in tables {
        out.extend(table);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A font of `glyphs`, with further tables.
fn font(glyphs: &[Vec<u8>], more: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let count = glyphs.len() as u16;
    let mut at = 0_u32;
    let mut places = vec![0_u32];
    for glyph in glyphs {
        at += glyph.len() as u32;
        places.push(at);
    }
    let loca = places.iter().flat_map(|place| place.to_be_bytes()).collect();
    let head = [
        &words(&[1, 0, 0, 0, 0, 0, 0x5F0F, 0x3CF5, 0, 1000])[..],
        &[0; 16],
        &words(&[0, 0, 1000, 1000, 0, 8, 2, 1, 0]),
    ]
    .concat();
    let hhea = words(&[1, 0, 800, 0, 0, 1000, 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    let maxp = words(&[1, 0, count, 64, 8, 64, 8, 1, 0, 0, 0, 0, 0, 0, 64, 64]);
    let hmtx = [words(&[1000, 0]), vec![0; 2 * glyphs.len()]].concat();
    let cmap = {
        let table = words(&[4, 32, 0, 4, 4, 1, 0, 0x41, 0xFFFF, 0, 0x41, 0xFFFF, 0xFFBF, 1, 0, 0]);
        [words(&[0, 1, 3, 1, 0, 12]), table].concat()
    };
    let mut tables = vec![
        ("cmap", cmap),
        ("glyf", glyphs.concat()),
        ("head", head),
        ("hhea", hhea),
        ("hmtx", hmtx),
        ("loca", loca),
        ("maxp", maxp),
    ];
    tables.extend(more.iter().cloned());
    tables.sort_by_key(|table| table.0);
    sfnt(&tables)
}

fn simple_glyph() -> Vec<u8> {
    [words(&[1, 0, 0, 500, 500, 3, 0]), vec![1, 1, 1, 1], words(&[0, 500, 0, 0xFE0C, 0, 0, 500, 0])].concat()
}

/// One that is made of `parts` of another.
fn composite(of: u16, parts: usize) -> Vec<u8> {
    let mut out = words(&[0xFFFF, 0, 0, 500, 500]);
    for part in 0..parts {
        out.extend(words(&[if part + 1 < parts { 0x23 } else { 0x03 }, of, 1, 1]));
    }
    out
}

fn with_font(program: &[u8]) -> Vec<u8> {
    let font = b"<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 65/LastChar 65/Widths[600]/Encoding/WinAnsiEncoding\
                 /FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 32/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9/Descent 0\
                 /CapHeight 9/StemV 9/FontFile2 6 0 R>>>>";
    let program = stream("<</Filter/FlateDecode", &deflated(program));
    drawn("/Font<</F 5 0 R>>", b"BT /F 12 Tf 9 9 Td (AAAA) Tj ET", &[font.to_vec(), program])
}

fn glyphs() -> Named {
    let fan = {
        let mut glyphs = vec![simple_glyph()];
        glyphs.extend((2..9).map(|next| composite(next, 40)));
        glyphs.push(simple_glyph());
        font(&glyphs, &[])
    };
    let itself = font(&[simple_glyph(), composite(1, 40)], &[]);
    // One lookup, whose rules all lie over each other: 12,000 sets of 12,000 rules of 12,000 records.
    let rules = {
        let mut gsub = words(&[1, 0, 10, 30, 44]);
        gsub.extend(words(&[1, 0x6C61, 0x746E, 8, 4, 0, 0, 0xFFFF, 1, 0]));
        gsub.extend(words(&[1, 0x736D, 0x6370, 8, 0, 1, 0]));
        gsub.extend(words(&[1, 4, 6, 0, 1, 8]));
        gsub.extend(words(&[2, 12, 12, 12, 12]));
        gsub.extend(words(&vec![12_000; 100_000]));
        font(&[simple_glyph(), simple_glyph()], &[("GSUB", gsub)])
    };
    let wide = |widths: &str| {
        let font = format!(
            "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2\
             /BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>{widths}>>]>>"
        );
        drawn("/Font<</F 5 0 R>>", b"BT /F 9 Tf <00010002> Tj ET", &[font.into_bytes()])
    };
    let mapped = |map: &[u8], dictionary: &str| {
        let font = "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2\
                    /BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>";
        let map = stream(&format!("<</Type/CMap/CMapName/A{dictionary}"), map);
        drawn("/Font<</F 5 0 R>>", b"BT /F 9 Tf <0001000200030004> Tj ET", &[font.as_bytes().to_vec(), map])
    };
    let ranges = b"1 begincodespacerange <00000000> <ffffffff> endcodespacerange\n\
                   1 begincidrange <00000000> <ffffffff> 0 endcidrange\n";
    let type3 = |proc: &[u8], resources: &str, text: &[u8]| {
        let font = format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 65/LastChar 65/Widths[9]\
             /Encoding<</Differences[65/A]>>/CharProcs<</A 6 0 R>>/Resources<<{resources}>>>>"
        );
        drawn("/Font<</F 5 0 R>>", text, &[font.into_bytes(), stream("<<", proc)])
    };
    let letters = [&b"BT /F 9 Tf ("[..], &vec![b'A'; 1 << 20], b") Tj ET"].concat();
    let widths = format!(
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar -2147483648/LastChar 2147483647/Widths[{}]\
         /Encoding<</Differences[{}]>>>>",
        "9 ".repeat(1_000_000),
        "0/A ".repeat(300_000)
    );
    vec![
        ("a glyph of forty to the seventh parts", with_font(&fan)),
        ("a glyph that is made of itself", with_font(&itself)),
        ("rules of a font that lie over each other", with_font(&rules)),
        ("a first glyph of two thousand million", drawn("/Font<</F 5 0 R>>", b"BT /F 9 Tf (AAAA) Tj ET", &[b"<</Type/Font/Subtype/TrueType/BaseFont/Arial/FirstChar 2147483646/LastChar 2147483647/Widths[9 9]/FontDescriptor<</Type/FontDescriptor/Flags 32>>>>".to_vec()])),
        ("widths of two thousand million glyphs", wide("/W[0 2147483647 500 0 4294967295 9]")),
        ("widths of all glyphs a hundred thousand times", wide(&format!("/W[{}]", "0 65535 500 ".repeat(100_000)))),
        ("upright widths of all glyphs", wide(&format!("/W2[{}]", "0 65535 500 9 9 ".repeat(50_000)))),
        ("a character map over everything", mapped(&ranges.repeat(10_000), "")),
        ("a character map that uses itself", mapped(ranges, "/UseCMap 6 0 R")),
        ("a glyph that is drawn with its own font", type3(b"9 0 d0 BT /F 1 Tf (AAAAAAAAAA) Tj ET", "/Font<</F 5 0 R>>", b"BT /F 9 Tf (A) Tj ET")),
        ("a million drawn glyphs of ten thousand operators", type3(&b"0 0 9 9 re f ".repeat(10_000), "", &letters)),
        ("a million widths and differences", drawn("/Font<</F 5 0 R>>", b"BT /F 9 Tf (AAAA) Tj ET", &[widths.into_bytes()])),
    ]
}

fn layout() -> Named {
    let helvetica = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
    let text = |content: &[u8]| drawn(helvetica, &[b"BT /F 9 Tf ", content, b" ET"].concat(), &[]);
    let scattered =
        (0..50_000_u64).map(|at| format!("1 0 0 1 {} {} Tm (ab) Tj ", at * 7919 % 99, at * 104_729 % 9_900 / 100));
    let scattered = scattered.collect::<String>();
    let turned = (0..50_000_u64).map(|at| format!("1 .{:05} -.{:05} 1 {} {} Tm (ab) Tj ", at, at, at % 99, at % 97));
    let turned = turned.collect::<String>();
    let lines = (0..50_000_u64).map(|at| format!("1 0 0 1 9 {}.{} Tm (a) Tj ", at % 99, at)).collect::<String>();
    let array = format!("[{}] TJ", "(a)-1 ".repeat(400_000));
    let parts = {
        let page = with(&format!("/Contents[{}]", "4 0 R ".repeat(240_000)));
        file(&[catalog(""), pages(), page, stream("<<", &b"0 0 m ".repeat(50))])
    };
    vec![
        ("content in two hundred thousand parts", parts),
        ("a megabyte of letters in one place", text(&[b"0 Tz (", vec![b'a'; 1 << 20].as_slice(), b") Tj"].concat())),
        ("letters everywhere", text(scattered.as_bytes())),
        ("letters in every direction", text(turned.as_bytes())),
        ("letters each on a line of its own", text(lines.as_bytes())),
        ("letters each in a string of its own", text(array.as_bytes())),
        (
            "letters of all sizes",
            text("1e30 0 0 1e-30 9 9 Tm (ab) Tj 1e-30 0 0 1e30 9 9 Tm (ab) Tj ".repeat(50_000).as_bytes()),
        ),
        ("letters of spaces", text(&[b"(", vec![b' '; 1 << 20].as_slice(), b") Tj"].concat())),
        ("marked content within itself", text("/Span <</ActualText(abc)>> BDC (a) Tj ".repeat(100_000).as_bytes())),
        ("saved states each with a letter", text("q (a) Tj ".repeat(300_000).as_bytes())),
        (
            "one replacement of ten megabytes",
            text(&[b"/Span <</ActualText(", vec![b'x'; 10 << 20].as_slice(), b")>> BDC (a) Tj EMC"].concat()),
        ),
    ]
}

fn labels() -> Named {
    let labelled = |label: &str| file(&[catalog(&format!("/PageLabels<</Nums[0{label}]>>")), pages(), with("")]);
    let many = "3 0 R ".repeat(1_000);
    let labelled_many = file(&[
        catalog("/PageLabels<</Nums[0<</S/r/St 2000000000>>]>>"),
        format!("<</Type/Pages/Count 1000/Kids[{many}]>>").into_bytes(),
        with(""),
    ]);
    let prefix = "t".repeat(1 << 20);
    vec![
        ("a Roman page number of two million letters", labelled("<</S/r/St 2147483647>>")),
        ("a page number of eighty million letters", labelled("<</S/A/St 2147483647>>")),
        ("a thousand Roman page numbers", labelled_many),
        ("a page label of a megabyte", labelled(&format!("<</S/D/P({prefix})>>"))),
    ]
}

fn outlines() -> Named {
    let title = "t".repeat(1 << 20);
    let outline = {
        let root = b"<</Type/Outlines/First 5 0 R/Last 5 0 R/Count 100>>".to_vec();
        let mut bodies = vec![catalog("/Outlines 4 0 R"), pages(), with(""), root];
        for at in 5..25 {
            bodies.push(format!("<</Title({title})/Parent 4 0 R/Next {} 0 R/Dest[3 0 R/Fit]>>", at + 1).into_bytes());
        }
        file(&bodies)
    };
    let fan_outline = {
        let root = b"<</Type/Outlines/First 5 0 R/Last 5 0 R>>".to_vec();
        let mut bodies = vec![catalog("/Outlines 4 0 R"), pages(), with(""), root];
        for at in 5..50_000 {
            bodies.push(
                format!("<</Title(a)/Parent 4 0 R/First {} 0 R/Next {} 0 R/Dest(n)>>", at + 1, at + 1).into_bytes(),
            );
        }
        file(&bodies)
    };
    let names =
        {
            let names = (0..100_000).map(|at| format!("({at:06})[3 0 R/Fit]")).collect::<String>();
            let root = b"<</Type/Outlines/First 5 0 R/Last 5 0 R>>".to_vec();
            let mut bodies =
                vec![catalog(&format!("/Outlines 4 0 R/Names<</Dests<</Names[{names}]>>>>")), pages(), with(""), root];
            bodies.extend((5..3_000).map(|at| {
                format!("<</Title(a)/Parent 4 0 R/Next {} 0 R/Dest(09999{})>>", at + 1, at % 10).into_bytes()
            }));
            file(&bodies)
        };
    vec![
        ("titles of a megabyte", outline),
        ("an outline whose entries are their own kin", fan_outline),
        ("a hundred thousand names", names),
    ]
}

fn fields() -> Named {
    let field = |entries: &str, annotations: &str| {
        let field = format!("<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[0 0 99 99]/F 4/DA(/Helv 1 Tf){entries}>>");
        file(&[
            catalog(
                "/AcroForm<</Fields[4 0 R]/DA(/Helv 1 Tf)/DR<</Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
            ),
            pages(),
            with(&format!("/Annots[{annotations}]")),
            field.into_bytes(),
        ])
    };
    let value = "word ".repeat(1 << 20);
    let form = |fields: usize, shared: &[&str]| {
        let kids = (0..fields).map(|at| format!("{} 0 R ", at + 10)).collect::<String>();
        let mut bodies =
            vec![catalog("/AcroForm<</Fields[4 0 R]/DA(/Helv 9 Tf)>>"), pages(), with(&format!("/Annots[{kids}]"))];
        bodies.extend(shared.iter().map(|body| body.as_bytes().to_vec()));
        bodies.resize(9, b"null".to_vec());
        bodies.extend((0..fields).map(|_| b"<</Type/Annot/Subtype/Widget/Parent 4 0 R/Rect[0 0 99 99]/F 4>>".to_vec()));
        file(&bodies)
    };
    let values = (0..5_000).map(|at| format!("(v{at})")).collect::<String>();
    let choices = form(
        5_000,
        &[
            "<</FT/Ch/Ff 2097152/T(a)/DA(/Helv 9 Tf)/Opt 5 0 R/V 6 0 R>>",
            &format!("[{values}]"),
            &format!("[{}]", "(none)".repeat(100_000)),
        ],
    );
    let wordy =
        form(5_000, &["<</FT/Tx/Ff 4096/T(a)/DA(/Helv 1 Tf)/V 5 0 R>>", &format!("({})", "wo rd ".repeat(10_000))]);
    vec![
        ("a field of five megabytes", field(&format!("/Ff 4096/V({value})"), "4 0 R")),
        ("a field with a comb of two thousand million teeth", field("/Ff 16777216/MaxLen 2147483647/V(abc)", "4 0 R")),
        ("a field of size nothing", field("/DA(/Helv 0 Tf)/Ff 4096/V(abc def)/MK<</R 90>>", &"4 0 R ".repeat(5_000))),
        ("a choice of a million", field(&format!("/FT/Ch/Ff 0/TI 9/Opt[{}]", "(a)".repeat(1_000_000)), "4 0 R")),
        ("five thousand choices of five thousand", choices),
        ("five thousand fields of ten thousand letters", wordy),
    ]
}

fn annotations() -> Named {
    let annotation = |entries: &str| {
        file(&[
            catalog(""),
            pages(),
            with("/Annots[4 0 R]"),
            format!("<</Type/Annot/Rect[0 0 99 99]{entries}>>").into_bytes(),
        ])
    };
    let ink = format!("/Subtype/Ink/C[1 0 0]/InkList[[{}]]", "1 2 98 97 ".repeat(200_000));
    let quads = format!("/Subtype/Highlight/C[1 1 0]/QuadPoints[{}]", "1 2 98 2 1 97 98 97 ".repeat(50_000));
    let free = format!("/Subtype/FreeText/DA(/Helv 1 Tf)/Contents({})", "word ".repeat(1 << 20));
    let states = {
        let states = (0..50_000).map(|at| format!("/S{at} 5 0 R")).collect::<String>();
        let annotation = format!("<</Type/Annot/Subtype/Stamp/Rect[0 0 99 99]/AP<</N<<{states}>>>>>>");
        let form = stream("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]", b"0 0 9 9 re f");
        file(&[catalog(""), pages(), with("/Annots[4 0 R 4 0 R]"), annotation.into_bytes(), form])
    };
    vec![
        ("ink of four hundred thousand strokes", annotation(&ink)),
        ("fifty thousand highlights", annotation(&quads)),
        ("a note of five megabytes", annotation(&free)),
        ("appearances of fifty thousand states", states),
    ]
}

fn encryption() -> Named {
    let encrypted = |dictionary: &str| {
        let text = String::from_utf8(file(&[catalog(""), pages(), with("")])).unwrap();
        text.replace("trailer\n<< ", &format!("trailer\n<< /ID[(a)(b)]/Encrypt {dictionary} ")).into_bytes()
    };
    let filters = (0..50_000).map(|at| format!("/F{at}<</CFM/AESV3/Length 32>>")).collect::<String>();
    let r6 = format!(
        "/O({})/U({})/OE({})/UE({})/Perms({})/P -1",
        "o".repeat(48),
        "u".repeat(48),
        "e".repeat(32),
        "e".repeat(32),
        "p".repeat(16)
    );
    vec![
        (
            "fifty thousand crypt filters",
            encrypted(&format!("<</Filter/Standard/V 5/R 6/Length 256/CF<<{filters}>>/StmF/F49999/StrF/F1{r6}>>")),
        ),
        (
            "a hash of the newest revision",
            encrypted(&format!(
                "<</Filter/Standard/V 5/R 6/Length 256/CF<</StdCF<</CFM/AESV3>>>>/StmF/StdCF/StrF/StdCF{r6}>>"
            )),
        ),
    ]
}

fn entities() -> Named {
    let laughs = (1..10).map(|at| format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10)));
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY l0 \"ha\">{}]><x:xmpmeta xmlns:x=\"adobe:ns:meta/\">&l9;</x:xmpmeta>",
        laughs.collect::<String>()
    );
    let form = file(&[catalog("/AcroForm<</XFA 4 0 R/Fields[]>>"), pages(), with(""), stream("<<", laughs.as_bytes())]);
    vec![
        (
            "metadata that laughs a thousand million times",
            file(&[
                catalog("/Metadata 4 0 R"),
                pages(),
                with(""),
                stream("<</Type/Metadata/Subtype/XML", laughs.as_bytes()),
            ]),
        ),
        ("a form that laughs a thousand million times", form),
        (
            "a form in another file",
            drawn(
                "/XObject<</F 5 0 R>>",
                b"/F Do",
                &[stream(
                    "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Ref<</F(/etc/passwd)/Page 0>>/F(/etc/passwd)",
                    b"",
                )],
            ),
        ),
        (
            "a picture on a server",
            image(
                "/Width 9/Height 9/ColorSpace/DeviceGray/BitsPerComponent 8/F<</FS/URL/F(http://127.0.0.1:1/a)>>/FFilter/DCTDecode",
                b"",
            ),
        ),
    ]
}
