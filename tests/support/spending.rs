//! PDFs that spend processor time or memory where an engine calls nobody back, or where a reader looks at a thing again for
//! each page.

use super::hostile::{Body, Named, catalog, deflated, file, pages, stream, with};
use super::hostile_pages::drawn;

/// Every one of them, by a name that says what it spends.
pub(crate) fn spending() -> Named {
    [inline_images(), regions(), layers(), images(), paths(), texts(), trees(), shared()].concat()
}

const FORM: &str = "<</Type/XObject/Subtype/Form/BBox[0 0 612 792]";

fn letter(resources: &str, content: &[u8], more: &[Body]) -> Vec<u8> {
    let page = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<{resources}>>/Contents 4 0 R>>");
    let content = stream("<</Filter/FlateDecode", &deflated(content));
    file(&[&[catalog(""), pages(), page.into_bytes(), content], more].concat())
}

fn inline_images() -> Named {
    let begun = b"BI /W 1 /H 1 /BPC 8 /CS /G ID x ";
    let marked = |content: Vec<u8>| letter("", &[b"BT (MARK) Tj ET ".to_vec(), content].concat(), &[]);
    let in_form = stream(&format!("{FORM}/Filter/FlateDecode"), &deflated(&begun.repeat(100_000)));
    let tile =
        "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 99 99]/XStep 99/YStep 99/Resources<<>>/Filter/FlateDecode";
    vec![
        ("two hundred thousand inline images without an end", marked(begun.repeat(200_000))),
        (
            "inline images without an end before one that ends",
            marked([begun.repeat(100_000), b"EI ".to_vec()].concat()),
        ),
        ("ends of inline images without a beginning", marked([begun.to_vec(), b"EI q ".repeat(200_000)].concat())),
        ("inline images that end in a string", marked([begun.repeat(30_000), b"EI (".repeat(30_000)].concat())),
        ("inline images that end in arrays", marked(b"BI /W 1 /H 1 ID x EI [".repeat(60_000))),
        ("inline images of bytes that are none", marked(b"BI /W 1 /H 1 ID \xFF\xFE EI \xFF ".repeat(60_000))),
        ("inline images without an end in a form", letter("/XObject<</F 5 0 R>>", b"/F Do /F Do", &[in_form])),
        (
            "inline images without an end in a tile",
            letter(
                "/Pattern<</P 5 0 R>>",
                b"/Pattern cs /P scn 0 0 612 792 re f",
                &[stream(tile, &deflated(&begun.repeat(50_000)))],
            ),
        ),
    ]
}

/// A JBIG2 page with regions of a side (ISO 14492, 7.4).
fn jbig2(side: u32, regions: u32, kind: u8) -> Vec<u8> {
    let side = side.to_be_bytes();
    let mut data = [&[0, 0, 0, 0, 0x30, 0, 1, 0, 0, 0, 19][..], &side, &side, &[0; 11]].concat();
    for number in 1..=regions {
        data.extend(number.to_be_bytes());
        data.extend([kind, 0]);
        // The page's number is in one byte, as the flags say.
        data.extend([1, 0, 0, 0, 38]);
        data.extend([&side[..], &side, &[0; 9], &[0, 3, 0xFF, 0xFD, 0xFF, 2, 0xFE, 0xFE, 0xFE], &[7; 12]].concat());
    }
    data
}

fn regions() -> Named {
    let scan = |side: u32, regions: u32, kind: u8| {
        let size = format!("/Width {side}/Height {side}/BitsPerComponent 1/ColorSpace/DeviceGray");
        let image =
            stream(&format!("<</Type/XObject/Subtype/Image{size}/Filter/JBIG2Decode"), &jbig2(side, regions, kind));
        letter("/XObject<</I 5 0 R>>", b"612 0 0 792 0 0 cm /I Do", &[image])
    };
    vec![
        ("two hundred regions of eight thousand pixels a side", scan(8_000, 200, 38)),
        ("nine thousand regions of a thousand pixels a side", scan(1_000, 9_000, 38)),
        ("twenty thousand regions of a few pixels", scan(64, 20_000, 38)),
        ("halftone regions of a large page", scan(6_000, 50, 22)),
        ("refinements of a large page", scan(6_000, 50, 42)),
    ]
}

fn layers() -> Named {
    let group = format!("{FORM}/Group<</S/Transparency/I true>>");
    let mask = format!("{FORM}/Group<</S/Transparency/CS/DeviceGray>>");
    let state = |group: usize| format!("<</SMask<</S/Luminosity/G {group} 0 R>>>>").into_bytes();
    let masks = |count: usize| {
        let names = (0..count).map(|at| format!("/G{at} {} 0 R", 5 + 2 * at)).collect::<String>();
        let content = (0..count).map(|at| format!("/G{at} gs 0 0 612 792 re f ")).collect::<String>();
        let more = (0..count).flat_map(|at| [state(6 + 2 * at), stream(&mask, b"0 0 300 300 re f")]);
        letter(&format!("/ExtGState<<{names}>>"), content.as_bytes(), &more.collect::<Vec<_>>())
    };
    let nested = {
        let more = (6..46).map(|next| {
            let own = format!("{group}/Resources<</XObject<</F {next} 0 R>>/ExtGState<</G<</ca .9>>>>>>");
            stream(&own, b"/G gs /F Do 0 0 612 792 re f")
        });
        let more = more.chain([stream(FORM, b"0 0 612 792 re f")]).collect::<Vec<_>>();
        letter("/XObject<</F 5 0 R>>", &b"/F Do ".repeat(300), &more)
    };
    let clear = "/ExtGState<</G<</ca .5>>>>";
    vec![
        ("two thousand soft masks", masks(2_000)),
        ("groups of forty levels three hundred times", nested),
        (
            "fifty thousand groups",
            letter("/XObject<</F 5 0 R>>", &b"/F Do ".repeat(50_000), &[stream(&group, b"0 0 612 792 re f")]),
        ),
        (
            "a hundred thousand transparent pages",
            letter(clear, &[b"/G gs ".to_vec(), b"0 0 612 792 re f ".repeat(100_000)].concat(), &[]),
        ),
        ("a million opaque pages", letter("", &b"0 0 612 792 re f ".repeat(1_000_000), &[])),
        (
            "blended pages",
            letter(
                "/ExtGState<</G<</BM/Luminosity/ca .5>>>>",
                &[b"/G gs ".to_vec(), b"0 0 612 792 re f ".repeat(20_000)].concat(),
                &[],
            ),
        ),
        ("two million saved states", letter("", &b"q ".repeat(2_000_000), &[])),
        ("a million clips of paths", letter("", &b"q 0 0 m 600 0 l 300 700 l W n ".repeat(300_000), &[])),
    ]
}

fn images() -> Named {
    let plain = |width: u64, height: u64, entries: &str, data: &[u8]| {
        let size = format!("/Width {width}/Height {height}/BitsPerComponent 8/Filter/FlateDecode");
        stream(&format!("<</Type/XObject/Subtype/Image{size}{entries}"), &deflated(data))
    };
    let rgb = "/ColorSpace/DeviceRGB";
    let page = |image: Body, times: usize| {
        letter("/XObject<</I 5 0 R>>", &b"q 612 0 0 792 0 0 cm /I Do Q ".repeat(times), &[image])
    };
    let matte = {
        let image = plain(9_000, 9_000, &format!("{rgb}/SMask 6 0 R"), &vec![1; 3 * 9_000 * 9_000]);
        let mask = plain(9_000, 9_000, "/ColorSpace/DeviceGray/Matte[0 0 0]", &vec![1; 9_000 * 9_000]);
        letter("/XObject<</I 5 0 R>>", b"612 0 0 792 0 0 cm /I Do", &[image, mask])
    };
    let indexed = "/ColorSpace[/Indexed/DeviceRGB 255<00>]/Decode[0 9]";
    vec![
        ("an image of a hundred million pixels", page(plain(10_000, 10_000, rgb, &vec![9; 300_000_000]), 1)),
        ("an image of three hundred megabytes for a row", page(plain(9_000_000, 11, rgb, &vec![9; 297_000_000]), 1)),
        ("an image with a mask of its own size and a matte", matte),
        ("a small image drawn fifty thousand times on the whole page", page(plain(8, 8, rgb, &[9; 192]), 50_000)),
        ("a middle image drawn a thousand times", page(plain(1_500, 1_500, rgb, &vec![9; 6_750_000]), 1_000)),
        ("an image that decodes to more than it has", page(plain(10, 10, rgb, &vec![0; 400_000_000]), 1)),
        ("a palette of one colour", page(plain(9_000, 9_000, indexed, &vec![3; 81_000_000]), 1)),
    ]
}

fn paths() -> Named {
    let zigzag = (0..400_000_u64).map(|at| format!("{} {} l ", (at * 7_919) % 612, (at * 104_729) % 792));
    let zigzag = format!("0 0 m {} ", zigzag.collect::<String>());
    let tile = "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 600 700]/XStep 600/YStep 700/Resources<<>>";
    let small = "<</PatternType 1/PaintType 1/TilingType 1/BBox[-300 -300 300 300]/XStep 1/YStep 1/Resources<<>>";
    vec![
        ("a star of four hundred thousand edges", letter("", format!("{zigzag} f*").as_bytes(), &[])),
        ("a thick star of round joins", letter("", format!("40 w 1 j 1 J {zigzag} S").as_bytes(), &[])),
        ("a star of dashes", letter("", format!("[1 1] 0 d {zigzag} S").as_bytes(), &[])),
        (
            "a tile for each of ten thousand boxes",
            letter(
                "/Pattern<</P 5 0 R>>",
                &[b"/Pattern cs /P scn ".to_vec(), b"0 0 612 792 re f ".repeat(10_000)].concat(),
                &[stream(tile, b"0 0 300 300 re f")],
            ),
        ),
        (
            "tiles of which each lies over all others",
            letter(
                "/Pattern<</P 5 0 R>>",
                b"/Pattern cs /P scn 0 0 612 792 re f",
                &[stream(small, b"0 0 m 300 300 l 9 9 l f")],
            ),
        ),
        (
            "gradients for ten thousand boxes",
            letter(
                "/Pattern<</P<</PatternType 2/Shading<</ShadingType 3/ColorSpace/DeviceRGB/Coords[300 400 0 300 400 900]\
                 /Function<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1.5>>>>>>>>",
                &[b"/Pattern cs /P scn ".to_vec(), b"0 0 612 792 re f ".repeat(10_000)].concat(),
                &[],
            ),
        ),
    ]
}

fn texts() -> Named {
    let font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
    let glyph = "<</Filter/FlateDecode";
    let type3 = "<</Type/Font/Subtype/Type3/FontBBox[0 0 999 999]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 65/LastChar 65\
                 /Widths[999]/Encoding<</Differences[65/a]>>/CharProcs<</a 6 0 R>>/Resources<<>>>>";
    let letters = |times: usize| {
        [b"BT /F 9 Tf ".to_vec(), b"1 0 0 1 9 9 Tm (AAAAAAAAAA) Tj ".repeat(times), b"ET".to_vec()].concat()
    };
    let large = [b"BT /F 900 Tf ".to_vec(), b"1 0 0 1 9 9 Tm (@@@@@) Tj ".repeat(100_000), b"ET".to_vec()].concat();
    let clipping =
        [b"BT /F 90 Tf 7 Tr ".to_vec(), b"(@@@@@@@@) Tj ".repeat(60_000), b"ET 0 0 612 792 re f".to_vec()].concat();
    vec![
        ("a million letters", letter(font, &letters(100_000), &[])),
        ("letters as large as the page", letter(font, &large, &[])),
        ("letters that clip", letter(font, &clipping, &[])),
        (
            "letters that are pages",
            letter(
                "/Font<</F 5 0 R>>",
                &letters(20_000),
                &[type3.as_bytes().to_vec(), stream(glyph, &deflated(&b"0 0 999 999 re f ".repeat(3_000)))],
            ),
        ),
        (
            "a first character beyond all fonts",
            letter(
                "/Font<</F 5 0 R>>",
                b"BT /F 9 Tf (A) Tj ET",
                &[b"<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 2000000000/LastChar 2000000001/Widths[9 9]>>"
                    .to_vec()],
            ),
        ),
    ]
}

fn trees() -> Named {
    let tree = |count: usize, kids: &str, more: &[Body]| {
        let root = format!("<</Type/Pages/Count {count}/Kids[{kids}]>>").into_bytes();
        file(&[&[catalog(""), root], more].concat())
    };
    let node = |count: usize, kids: &str| format!("<</Type/Pages/Count {count}/Kids[{kids}]>>").into_bytes();
    let page = with("");
    let million = "3 0 R ".repeat(1_000_000);
    let levels = (4..204).map(|next| node(400, &format!("{next} 0 R {}", "3 0 R ".repeat(200))));
    let levels = [vec![page.clone()], levels.collect::<Vec<_>>(), vec![page.clone()]].concat();
    vec![
        ("a million entries for one page", tree(1_000_000, &million, std::slice::from_ref(&page))),
        ("a million entries and another number", tree(999_999, &million, std::slice::from_ref(&page))),
        (
            "a million entries for nothing",
            tree(1, &format!("3 0 R {}", "null ".repeat(999_999)), std::slice::from_ref(&page)),
        ),
        (
            "a thousand nodes of a thousand pages",
            tree(999_999, &"4 0 R ".repeat(1_000), &[page.clone(), node(1_000, &"3 0 R ".repeat(1_000))]),
        ),
        ("two hundred levels of two hundred pages", tree(40_000, "4 0 R", &levels)),
    ]
}

fn shared() -> Named {
    let many = |entries: &str, more: &[Body]| {
        let kids = (0..1_000).map(|at| format!("{} 0 R ", at + 3 + more.len())).collect::<String>();
        let root = format!("<</Type/Pages/Count 1000/Kids[{kids}]>>").into_bytes();
        let pages = vec![with(entries); 1_000];
        file(&[&[catalog(""), root], more, &pages].concat())
    };
    let names = (0..300_000).map(|at| format!("/N{at} {at}")).collect::<String>();
    let list = "null ".repeat(1_000_000);
    vec![
        (
            "resources of five megabytes for each of a thousand pages",
            many("/Resources 3 0 R", &[format!("<<{names}>>").into_bytes()]),
        ),
        (
            "annotations of five megabytes for each of a thousand pages",
            many("/Annots 3 0 R", &[format!("[{list}]").into_bytes()]),
        ),
        (
            "three large objects for each of a thousand pages",
            many(
                "/Resources 3 0 R/Annots 4 0 R/Group 5 0 R",
                &[
                    format!("<<{names}>>").into_bytes(),
                    format!("[{list}]").into_bytes(),
                    format!("<<{names}>>").into_bytes(),
                ],
            ),
        ),
        ("content of a hundred streams of the same five megabytes", {
            let page = with(&format!("/Contents[{}]", "4 0 R ".repeat(100)));
            file(&[catalog(""), pages(), page, stream("<</Filter/FlateDecode", &deflated(&b"0 0 m ".repeat(900_000)))])
        }),
        (
            "a form of ten megabytes a thousand times",
            drawn(
                "/XObject<</F 5 0 R>>",
                &b"/F Do ".repeat(1_000),
                &[stream(&format!("{FORM}/Filter/FlateDecode"), &deflated(&b"0 0 m ".repeat(1_700_000)))],
            ),
        ),
    ]
}
