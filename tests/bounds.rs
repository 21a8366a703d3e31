//! What engines would make room for, repeat or write out is counted first, and refused by the name of a limit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may stop where it stands")]

use std::sync::Arc;

use pagewise::limits::{Cancellation, Limits};
use pagewise::page::PageIndex;
use pagewise::render::NoFonts;
use pagewise::worker::{InProcess, PdfError, Reader, RenderOptions};

use super::support::file_of;

/// The limit that a picture of the page, or its text, fails with.
fn limit_of(pdf: &[u8], limits: &Limits, is_picture: bool) -> Option<(&'static str, u64)> {
    let reader = InProcess::new(limits.clone(), Arc::new(NoFonts));
    let document = reader.open(Arc::new(pdf.to_vec()), None, &Cancellation::new()).unwrap();
    let done = match is_picture {
        true => document.picture(PageIndex(0), &RenderOptions::default()).map(|_| ()),
        false => document.page_text(PageIndex(0)).map(|_| ()),
    };
    match done {
        Ok(()) => None,
        Err(PdfError::Limit(limit)) => Some((limit.which, limit.found)),
        Err(error) => panic!("{error}"),
    }
}

/// A page with this content, and resources that may name the objects from 5 on.
fn page_with(resources: &str, content: &str, more: &[String]) -> Vec<u8> {
    let own = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<{resources}>>/Contents 4 0 R>>"),
        stream("<<", content),
    ];
    file_of(&[&own[..], more].concat())
}

/// A stream; `dictionary` lacks its length and its end.
fn stream(dictionary: &str, data: &str) -> String {
    format!("{dictionary}/Length {}>>stream\n{data}\nendstream", data.len())
}

#[test]
fn the_pixels_of_all_images_are_counted_as_often_as_they_are_drawn() {
    let image =
        stream("<</Type/XObject/Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceGray/Width 30/Height 20", "x");
    let inline = "BI /W 30 /H 10 /BPC 8 /CS /G ID x EI";
    let form = stream("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I 5 0 R>>>>", "/I Do /I Do");
    let pdf = page_with("/XObject<</I 5 0 R/F 6 0 R>>", &format!("/I Do /F Do /F Do {inline}"), &[image, form]);
    let at = |max_image_pixels: u64| limit_of(&pdf, &Limits { max_image_pixels, ..Limits::default() }, true);
    let pixels = 5 * 30 * 20 + 30 * 10;
    assert_eq!(at(pixels), None);
    assert_eq!(at(pixels - 1), Some(("max_image_pixels", pixels)));
    let limits = Limits { max_image_pixels: 1, ..Limits::default() };
    assert_eq!(limit_of(&pdf, &limits, false), None, "whoever reads text needs no pixels");
}

#[test]
fn images_are_as_large_as_their_data_says() {
    let frame = "ff d8 ff c0 0011 08 ffff ffff 03 011100 021100 031100 >";
    let image = "<</Type/XObject/Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceRGB/Width 9/Height 9";
    let coded = stream(&format!("{image}/Filter[/ASCIIHexDecode/DCTDecode]"), frame);
    let pdf = page_with("/XObject<</I 5 0 R>>", "/I Do", &[coded]);
    assert_eq!(limit_of(&pdf, &Limits::default(), true), Some(("max_image_pixels", 65_535 * 65_535)));
    let inline = page_with("", "BI /W 4294967295 /H 1 /BPC 8 /CS /G ID x EI", &[]);
    assert_eq!(limit_of(&inline, &Limits::default(), true), Some(("max_image_columns", 4_294_967_295)));
}

#[test]
fn glyphs_that_are_content_are_counted_as_often_as_they_are_shown() {
    let font = |resources: &str| {
        format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 65/LastChar 66/Widths[9 9]\
             /Encoding<</Differences[65/a/b]>>/CharProcs<</a 6 0 R/b 7 0 R>>/Resources<<{resources}>>>>"
        )
    };
    let drawn = |resources: &str, text: &str, glyph: &str| {
        let glyphs = [font(resources), stream("<<", glyph), stream("<<", "9 0 d0")];
        page_with("/Font<</F 5 0 R>>", &format!("BT /F 9 Tf {text} Tj ET"), &glyphs)
    };
    let at = |pdf: &[u8], max_form_draws| limit_of(pdf, &Limits { max_form_draws, ..Limits::default() }, true);
    let pdf = drawn("", "(AAB\\101) Tj <4142>", "9 0 d0 0 0 9 9 re f");
    assert_eq!((at(&pdf, 6), at(&pdf, 5)), (None, Some(("max_form_draws", 6))));
    let itself = drawn("/Font<</F 5 0 R>>", "(A)", "9 0 d0 BT /F 1 Tf (AA) Tj ET");
    assert_eq!(at(&itself, 200_000), Some(("max_form_draws", u64::MAX)));
    assert_eq!(limit_of(&itself, &Limits::default(), false), None, "text is read without drawing it");
    let other = drawn("/Font<</F 5 0 R>>", "(A)", "9 0 d0 BT /F 1 Tf (BB) Tj ET");
    assert_eq!(at(&other, 200_000), None, "another glyph of its own font");
}

#[test]
fn letters_of_other_fonts_are_not_counted_as_drawn_glyphs() {
    let font = "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 65/LastChar 65/Widths[9]\
                /Encoding<</Differences[65/a]>>/CharProcs<</a 6 0 R>>/Resources<<>>>>";
    let other = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
    let at = |content: &str, max_form_draws| {
        let glyph = stream("<<", "9 0 d0 0 0 9 9 re f");
        let more = [font.to_owned(), glyph, other.to_owned()];
        let pdf = page_with("/Font<</F 5 0 R/G 7 0 R>>", content, &more);
        limit_of(&pdf, &Limits { max_form_draws, ..Limits::default() }, true)
    };
    let text = "BT /F 9 Tf (AA) Tj q /G 9 Tf (AAAAAAA) Tj Q (A) Tj ET";
    assert_eq!((at(text, 3), at(text, 2)), (None, Some(("max_form_draws", 3))));
    // In the data of an image may stand what is none of the content.
    let hidden = "BT /F 9 Tf BI /W 1 /H 1 /CS /G /BPC 8 ID /G 9 Tf EI (AAAAAAA) Tj ET";
    assert_eq!(at(hidden, 6), Some(("max_form_draws", 7)));
}

#[test]
fn widths_of_ranges_are_counted_before_they_are_written_out() {
    let font = |widths: &str| {
        format!(
            "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2\
             /BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>{widths}>>]>>"
        )
    };
    let simple = "<</Type/Font/Subtype/TrueType/BaseFont/Arial/FirstChar 2147483646/LastChar 2147483647/Widths[9 9]>>";
    let page = |font: &str| page_with("/Font<</F 5 0 R>>", "BT /F 9 Tf <00010002> Tj ET", &[font.to_owned()]);
    let hostile =
        ["/W[7 [9 9] 0 2147483647 500]", "/W2[7 [9 9 9] 0 2147483647 500 9 9]"].map(|widths| page(&font(widths)));
    for pdf in hostile.iter().chain([&page(simple)]) {
        for is_picture in [true, false] {
            let Some((which, _)) = limit_of(pdf, &Limits::default(), is_picture) else { panic!("read") };
            assert_eq!(which, "max_drawn_bytes");
        }
    }
    assert_eq!(limit_of(&page(&font("/W[0 65535 500 0 65535 400]")), &Limits::default(), true), None);
}

#[test]
fn tiles_that_lie_over_each_other_are_counted() {
    let at = |bounds: &str, steps: &str| {
        let pattern = format!("<</PatternType 1/PaintType 1/TilingType 3/Resources<<>>/BBox[{bounds}]{steps}");
        let content = "/Pattern cs /P scn 0 0 9 9 re f";
        let pdf = page_with("/Pattern<</P 5 0 R>>", content, &[stream(&pattern, "0 0 8 8 re f")]);
        limit_of(&pdf, &Limits::default(), true).map(|(which, _)| which)
    };
    assert_eq!(at("0 0 8 9223372036854775807", "/XStep 8/YStep 8"), Some("max_form_draws"));
    assert_eq!(at("-4000 -4000 4000 4000", "/XStep -8/YStep 8"), Some("max_form_draws"));
    assert_eq!(at("-40 -40 40 40", "/XStep 8/YStep -8"), None);
    assert_eq!(at("0 0 8 8", "/XStep 0/YStep 0"), None);
}

#[test]
fn maps_that_a_map_names_are_counted() {
    let font = "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2\
                /BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>";
    let at = |times: usize, uses: &str| {
        let map =
            |uses: &str| stream(&format!("<</Type/CMap/CMapName/A{uses}"), &"/Identity-H usecmap\n".repeat(times));
        let objects = [font.to_owned(), map(uses), map("")];
        let pdf = page_with("/Font<</F 5 0 R>>", "BT /F 9 Tf <00010002> Tj ET", &objects);
        [true, false].map(|is_picture| limit_of(&pdf, &Limits::default(), is_picture).map(|(which, _)| which))
    };
    assert_eq!(at(1, ""), [None, None]);
    assert_eq!(at(300, ""), [Some("max_drawn_bytes"), Some("max_drawn_bytes")]);
    assert_eq!([at(130, ""), at(130, "/UseCMap 7 0 R")], [[None, None], [Some("max_drawn_bytes"); 2]]);
}

#[test]
fn functions_are_counted_as_often_as_they_are_met() {
    let stitched = |parts: &str| {
        let encode = "0 1 ".repeat(10);
        format!(
            "<</FunctionType 3/Domain[0 1]/Bounds[.1 .2 .3 .4 .5 .6 .7 .8 .9]/Encode[{encode}]/Functions[{parts}]>>"
        )
    };
    let functions = |depth: usize| {
        let mut functions = (6..6 + depth).map(|next| stitched(&format!("{next} 0 R ").repeat(10))).collect::<Vec<_>>();
        functions.push("<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1>>".to_owned());
        functions
    };
    let shading = "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 9 9]/Function 5 0 R>>";
    for resources in [
        format!("/Shading<</S {shading}>>"),
        format!("/Pattern<</S<</PatternType 2/Shading {shading}>>>>"),
        "/ColorSpace<</S[/Separation/A/DeviceRGB 5 0 R]>>".to_owned(),
    ] {
        let page = |depth: usize| page_with(&resources, "/S sh /S cs /Pattern cs /S scn", &functions(depth));
        let limit = limit_of(&page(10), &Limits::default(), true);
        assert!(
            limit.is_some_and(|(which, found)| which == "max_page_objects" && found > 10_000_000_000),
            "{resources}"
        );
        assert_eq!(limit_of(&page(2), &Limits::default(), true), None, "{resources}");
    }
    let deep = |depth: usize| {
        let spaces = (6..6 + depth).map(|next| format!("{}{next} 0 R{}", "[".repeat(90), "]".repeat(90)));
        page_with("/ColorSpace<</S 5 0 R>>", "/S cs", &spaces.collect::<Vec<_>>())
    };
    let limit = limit_of(&deep(100), &Limits::default(), true);
    assert_eq!(limit, Some(("max_nesting", 101)), "an array in an array behind a reference is as deep");
    let program = |length: usize| {
        let code = format!("{{ {} pop 0 0 0 }}", "1 add ".repeat(length / 6));
        let function = stream("<</FunctionType 4/Domain[0 1]/Range[0 1 0 1 0 1]", &code);
        limit_of(&page_with(&format!("/Shading<</S {shading}>>"), "/S sh", &[function]), &Limits::default(), true)
    };
    assert_eq!(program(2_000), None);
    assert_eq!(program(60_000).map(|(which, _)| which), Some("max_drawn_bytes"));
}
