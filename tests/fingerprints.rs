//! Two pages that look or read differently have two fingerprints; one page has one, however its file was saved.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use crate::support::pdf::{file_of, stream_of};
use crate::support::truetype::truetype;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pagewise_base::limits::{Limits, StopReason};
use pagewise_base::page::PageIndex;
use pagewise_document::Document;
use pagewise_split::{CutError, cut};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// A page that uses a resource of each kind, in parts that a test can replace. Object 4 is its content, 5 a form, and
/// the others are numbered from 6 on.
struct Page {
    catalog: String,
    entries: String,
    resources: String,
    content: Vec<u8>,
    others: Vec<Vec<u8>>,
}

const CONTENT: &[u8] =
    b"/Im Do /Fm Do /G gs BT /F 9 Tf (PROFIT+12) Tj ET /Cs cs /P scn 0 0 9 9 re f /Sh sh /OC /MC BDC EMC";

impl Page {
    /// A page whose content names `/Im`, `/F` and the like, with these resources and objects from 6 on.
    fn with(resources: &str, others: Vec<Vec<u8>>) -> Self {
        let content = stream_of("", CONTENT);
        Self { catalog: String::new(), entries: String::new(), resources: resources.to_owned(), content, others }
    }

    fn of(object: Vec<u8>) -> Self {
        Self::with("", vec![object])
    }

    fn image(entries: &str, data: &[u8]) -> Self {
        Self::with("/XObject<</Im 6 0 R>>", vec![image(entries, data)])
    }

    fn content(content: Vec<u8>) -> Self {
        Self { content, ..Self::with("", vec![]) }
    }

    fn annotation(entries: &str, others: &[Vec<u8>]) -> Self {
        let annotation = format!("<</Rect[0 0 9 9]{entries}>>").into_bytes();
        let others = std::iter::once(annotation).chain(others.iter().cloned()).collect();
        Self { entries: "/Annots[6 0 R]".to_owned(), ..Self::with("", others) }
    }

    fn entries(entries: &str) -> Self {
        Self { entries: entries.to_owned(), ..Self::with("", vec![]) }
    }

    fn in_catalog(self, catalog: &str) -> Self {
        Self { catalog: catalog.to_owned(), ..self }
    }

    fn in_resources(self, resources: &str) -> Self {
        Self { resources: resources.to_owned(), ..self }
    }

    fn file(&self) -> Vec<u8> {
        let media_box = if self.entries.contains("/MediaBox") { "" } else { "/MediaBox[0 0 99 99]" };
        let page = format!(
            "<</Type/Page/Parent 2 0 R/Contents 4 0 R{media_box}{}/Resources<<{}>>>>",
            self.entries, self.resources
        );
        let mut objects = vec![
            format!("<</Type/Catalog/Pages 2 0 R{}>>", self.catalog).into_bytes(),
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec(),
            page.into_bytes(),
            self.content.clone(),
            stream_of("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", b"0 0 m"),
        ];
        objects.extend(self.others.iter().cloned());
        file_of(&objects)
    }

    fn fingerprint(&self, limits: &Limits) -> String {
        let document = Document::open(Arc::new(self.file()), None, limits).unwrap();
        cut(&document, PageIndex(0)).unwrap().fingerprint(limits).unwrap().to_string()
    }
}

fn image(entries: &str, data: &[u8]) -> Vec<u8> {
    let common = "/Type/XObject/Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace/DeviceGray";
    stream_of(&format!("{common}{entries}"), data)
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Data that compresses badly, another for each seed.
fn noise(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    (0..length).map(|_| next()).collect()
}

fn flipped(mut data: Vec<u8>, at: usize) -> Vec<u8> {
    data[at] ^= 1;
    data
}

const FLATE: &str = "/Filter/FlateDecode";

/// Limits that a test of a few kilobytes can pass.
fn small() -> Limits {
    Limits { max_stream_bytes: 200_000, max_filters: 3, ..Limits::default() }
}

/// Data of a stream and its entries that are not decoded, or not to the last byte, in pairs.
fn streams() -> Vec<(&'static str, String, [Vec<u8>; 2])> {
    let sound = deflated(&noise(1, 9_000));
    let with = |rest: &[u8]| [&sound, rest].concat();
    let hole = |tail: u32| [&sound[..3_000], &[0xFF; 60], &noise(tail, 900)].concat();
    let parameters = |parameters: &str| format!("{FLATE}/DecodeParms<<{parameters}>>");
    let sized = |last: u8| deflated(&[noise(3, 300_000), vec![last]].concat());
    let rows = |last: &[u8]| deflated(&[&[2_u8, 1, 2, 3, 4, 2, 1, 1, 1, 1][..], last].concat());
    vec![
        ("no filter", String::new(), [noise(1, 99), flipped(noise(1, 99), 50)]),
        ("Flate", FLATE.into(), [deflated(&noise(1, 99)), deflated(&flipped(noise(1, 99), 98))]),
        ("damaged at its beginning", FLATE.into(), [b"\0garbage one".to_vec(), b"\0garbage two".to_vec()]),
        ("damaged in the middle", FLATE.into(), [hole(1), hole(2)]),
        ("cut off", FLATE.into(), [sound[..8_000].to_vec(), sound[..8_001].to_vec()]),
        ("another checksum", FLATE.into(), [sound.clone(), flipped(sound.clone(), sound.len() - 1)]),
        ("data after the end", FLATE.into(), [with(b"one"), with(b"two")]),
        ("data after the end or none", FLATE.into(), [sound.clone(), with(b"one")]),
        (
            "data after the end that ends like it",
            FLATE.into(),
            [with(&sound[8_000..]), with(&[b"x", &sound[8_000..]].concat())],
        ),
        ("past max_stream_bytes", FLATE.into(), [sized(1), sized(2)]),
        ("past max_filters", format!("/Filter[{}]", "/ASCIIHexDecode ".repeat(4)), [b"61".to_vec(), b"62".to_vec()]),
        ("unknown filter", "/Filter/XyzDecode".into(), [b"one".to_vec(), b"two".to_vec()]),
        ("unknown filter after Flate", "/Filter[/FlateDecode/Xyz]".into(), [deflated(b"one"), deflated(b"two")]),
        ("crypt filter", "/Filter[/Crypt/FlateDecode]".into(), [deflated(b"one"), deflated(b"two")]),
        ("no name for a filter", "/Filter 5".into(), [b"one".to_vec(), b"two".to_vec()]),
        ("impossible predictor", parameters("/Predictor 15/Colors 0"), [deflated(b"one"), deflated(b"two")]),
        ("a row cut short", parameters("/Predictor 15/Columns 4"), [rows(b"\x02\x01"), rows(b"\x02\x02")]),
        (
            "a row of an unknown type",
            parameters("/Predictor 15/Columns 4"),
            [rows(b"\x07\x01111"), rows(b"\x08\x01111")],
        ),
        ("a row of TIFF cut short", parameters("/Predictor 2/Columns 4"), [deflated(b"12345"), deflated(b"12346")]),
        ("LZW, after its end", "/Filter/LZWDecode".into(), [lzw(b"one"), lzw(b"two")]),
        (
            "LZW without an end",
            "/Filter/LZWDecode".into(),
            [lzw(b"")[..6].to_vec(), flipped(lzw(b"")[..6].to_vec(), 5)],
        ),
        ("ASCII85, after its end", "/Filter/ASCII85Decode".into(), [b"87cUR~>one".to_vec(), b"87cUR~>two".to_vec()]),
        ("ASCIIHex, after its end", "/Filter/ASCIIHexDecode".into(), [b"41>42".to_vec(), b"41>43".to_vec()]),
        ("ASCIIHex, damaged", "/Filter/ASCIIHexDecode".into(), [b"41x42".to_vec(), b"41x43".to_vec()]),
        (
            "RunLength, after its end",
            "/Filter/RunLengthDecode".into(),
            [b"\x00a\x80one".to_vec(), b"\x00a\x80two".to_vec()],
        ),
        ("RunLength, cut off", "/Filter/RunLengthDecode".into(), [b"\x05ab".to_vec(), b"\x05ac".to_vec()]),
        ("DCT", "/Filter/DCTDecode".into(), [noise(1, 99), flipped(noise(1, 99), 98)]),
        (
            "DCT in Flate",
            "/Filter[/FlateDecode/DCTDecode]".into(),
            [deflated(&noise(1, 99)), deflated(&flipped(noise(1, 99), 1))],
        ),
        ("JPX", "/Filter/JPXDecode".into(), [noise(1, 99), flipped(noise(1, 99), 50)]),
        ("JBIG2", "/Filter/JBIG2Decode".into(), [noise(1, 99), flipped(noise(1, 99), 50)]),
        ("CCITT", "/Filter/CCITTFaxDecode/DecodeParms<</K -1>>".into(), [noise(1, 99), flipped(noise(1, 99), 50)]),
    ]
}

/// LZW codes of nine bits for `PROFIT`, the end code, and `rest`.
fn lzw(rest: &[u8]) -> Vec<u8> {
    let codes = [256, 80, 82, 79, 70, 73, 84, 257];
    let bits: Vec<u32> = codes.iter().flat_map(|code: &u32| (0..9).rev().map(move |bit| code >> bit & 1)).collect();
    let bytes = bits.chunks(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit).to_le_bytes()[0]);
    bytes.chain(rest.iter().copied()).collect()
}

/// Makes a page with a stream of this data.
type Make<'a> = &'a dyn Fn(&[u8]) -> Page;

#[test]
fn every_byte_of_a_stream_counts_whatever_the_stream_is_for() {
    let limits = small();
    let fonts =
        "/Font<</F<</Type/Font/Subtype/TrueType/BaseFont/A/FontDescriptor<</Type/FontDescriptor/FontFile2 6 0 R>>>>>>";
    for (what, entries, data) in streams() {
        let users: [(&str, Make<'_>); 4] = [
            ("image", &|data| Page::image(&entries, data)),
            ("content", &|data| Page::content(stream_of(&entries, data))),
            ("form", &|data| {
                let form = stream_of(&format!("/Type/XObject/Subtype/Form/BBox[0 0 9 9]{entries}"), data);
                Page::of(form).in_resources("/XObject<</Fm 6 0 R>>")
            }),
            ("font", &|data| Page::of(stream_of(&entries, data)).in_resources(fonts)),
        ];
        for (user, page) in users {
            let [one, other] = [0, 1].map(|at| page(&data[at]).fingerprint(&limits));
            assert_ne!(one, other, "{what} of a {user}");
            assert_eq!(one, page(&data[0]).fingerprint(&limits), "{what} of a {user}, twice");
        }
    }
}

/// What differs, and the two pages.
type Pair = (&'static str, [Page; 2]);

/// Pages of which only one thing differs, in pairs.
fn differing() -> Vec<Pair> {
    let kinds =
        [differing_content, differing_fonts, differing_paint, differing_layers, differing_annotations, differing_pages];
    kinds.into_iter().flat_map(|pairs| pairs()).collect()
}

fn differing_content() -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |what, make: &dyn Fn(&str) -> Page, values: [&str; 2]| pairs.push((what, values.map(make)));
    let text = |value: &str| Page::content(stream_of("", format!("BT /F 9 Tf ({value}) Tj ET").as_bytes()));
    add("a string like a subset tag", &text, ["PROFIT+12", "LOSSES+12"]);
    add("the place of a string", &text, ["a", "a "]);
    let inline =
        |data: &str| Page::content(stream_of("", format!("BI /W 3 /H 1 /BPC 8 /CS /G ID {data} EI Q").as_bytes()));
    add("an inline image", &inline, ["abc", "abd"]);
    add("data after an inline image", &inline, ["abc EI x", "abc EI y"]);
    let drawn = |entries: &str| Page::image(entries, &[9; 64]);
    add("/Decode", &drawn, ["/Decode[0 1]", "/Decode[1 0]"]);
    add("a colour-key mask", &drawn, ["/Mask[1 2]", "/Mask[1 9]"]);
    add("an interpolated image", &drawn, ["/Interpolate true", "/Interpolate false"]);
    add("the rendering intent", &drawn, ["/Intent/Perceptual", "/Intent/Saturation"]);
    let masked = |mask: &str| {
        let [entries, data] = [mask.split('|').next(), mask.split('|').nth(1)].map(Option::unwrap);
        let others = vec![image("/SMask 7 0 R", &[9; 64]), image(entries, data.as_bytes())];
        Page::with("/XObject<</Im 6 0 R>>", others)
    };
    add("a soft mask", &masked, ["|one", "|two"]);
    add("/Matte of a soft mask", &masked, ["/Matte[0]|a", "/Matte[1]|a"]);
    let globals = |data: &str| {
        let picture = image("/Filter/JBIG2Decode/DecodeParms<</JBIG2Globals 7 0 R>>", b"picture");
        Page::with("/XObject<</Im 6 0 R>>", vec![picture, stream_of("", data.as_bytes())])
    };
    add("JBIG2 globals", &globals, ["one", "two"]);
    let fax = |parameters: &str| Page::image(&format!("/Filter/CCITTFaxDecode/DecodeParms<<{parameters}>>"), b"fax");
    add("parameters of CCITT", &fax, ["/K 0/Columns 8", "/K -1/Columns 8"]);
    let unknown = |parameters: &str| Page::image(&format!("{FLATE}/DecodeParms<<{parameters}>>"), &deflated(b"abcdef"));
    add("an unknown parameter", &unknown, ["/Secret 1", "/Secret 2"]);
    add("the width of a predictor's rows", &unknown, ["/Predictor 2/Columns 2", "/Predictor 2/Columns 3"]);
    let spare =
        |parameters: &str| Page::image(&format!("/Filter[/FlateDecode]/DecodeParms[{parameters}]"), &deflated(b"ab"));
    add("parameters of no filter", &spare, ["null <</Predictor 2>>", "null <</Predictor 12>>"]);
    pairs
}

fn differing_fonts() -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |what, make: &dyn Fn(&str) -> Page, values: [&str; 2]| pairs.push((what, values.map(make)));
    let font = |entries: &str| {
        let font = format!("<</Type/Font/Subtype/Type1/BaseFont/Helvetica{entries}>>");
        Page::of(font.into_bytes()).in_resources("/Font<</F 6 0 R>>")
    };
    add("widths", &font, ["/FirstChar 65/Widths[500]", "/FirstChar 65/Widths[501]"]);
    add("an encoding", &font, ["/Encoding<</Differences[65/A]>>", "/Encoding<</Differences[65/B]>>"]);
    add("a font", &font, ["", "/BaseFont/Courier"]);
    let name = |name: &str| {
        let font = format!("<</Type/Font/Subtype/Type1/BaseFont/{name}>>");
        Page::of(font.into_bytes()).in_resources("/Font<</F 6 0 R>>")
    };
    add("a font's name after its tag", &name, ["ABCDEF+Arial", "ABCDEF+Courier"]);
    add("a tag of small letters", &name, ["abcdef+Arial", "ghijkl+Arial"]);
    add("a tag of five letters", &name, ["ABCDE+Arial", "FGHIJ+Arial"]);
    let in_font = |key: &'static str| {
        move |data: &str| {
            let font = format!("<</Type/Font/Subtype/Type1/BaseFont/A{}>>", key.replace("STREAM", "7 0 R"));
            Page::with("/Font<</F 6 0 R>>", vec![font.into_bytes(), stream_of("", data.as_bytes())])
        }
    };
    let file = in_font("/FontDescriptor<</Type/FontDescriptor/FontFile STREAM>>");
    add("a font program", &file, ["%!PS one", "%!PS two"]);
    add("a name in a font program", &file, ["/FontName /ABCDEF+A def", "/FontName /GHIJKL+A def"]);
    add("a map to Unicode", &in_font("/ToUnicode STREAM"), ["<41> <0041>", "<41> <0042>"]);
    let type3 = |glyph: &str| {
        let font = b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a 7 0 R>>>>";
        Page::with("/Font<</F 6 0 R>>", vec![font.to_vec(), stream_of("", glyph.as_bytes())])
    };
    add("a glyph of a Type 3 font", &type3, ["9 0 d0 0 0 m", "9 0 d0 0 1 m"]);
    pairs
}

fn differing_paint() -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |what, make: &dyn Fn(&str) -> Page, values: [&str; 2]| pairs.push((what, values.map(make)));
    let state = |entries: &str| {
        let group = |data: &[u8]| stream_of("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency>>", data);
        let state = format!("<</Type/ExtGState{entries}>>").into_bytes();
        Page::with("/ExtGState<</G 6 0 R>>", vec![state, group(b"0 g"), group(b"1 g")])
    };
    add("an opacity", &state, ["/ca .5", "/ca .25"]);
    add("a blend mode", &state, ["/BM/Multiply", "/BM/Screen"]);
    add("the group of a soft mask", &state, ["/SMask<</S/Alpha/G 7 0 R>>", "/SMask<</S/Alpha/G 8 0 R>>"]);
    let transfer = |function: &str| state(&format!("/TR<</FunctionType 2/Domain[0 1]/N {function}>>"));
    add("a transfer function", &transfer, ["1", "2"]);
    let space = |space: &str| {
        let others = vec![stream_of("/N 3", b"profile one"), stream_of("/N 3", b"profile two")];
        Page::with(&format!("/ColorSpace<</Cs {space}>>"), others)
    };
    add("an ICC profile", &space, ["[/ICCBased 6 0 R]", "[/ICCBased 7 0 R]"]);
    add("a palette", &space, ["[/Indexed/DeviceRGB 0(abc)]", "[/Indexed/DeviceRGB 0(abd)]"]);
    let ink =
        |function: &str| format!("[/Separation/Ink/DeviceGray<</FunctionType 2/Domain[0 1]/C1[{function}]/N 1>>]");
    add("the function of an ink", &|value| space(&ink(value)), ["0", "0.5"]);
    let sampled = |data: &str| {
        let function = stream_of("/FunctionType 0/Domain[0 1]/Range[0 1]/Size[2]/BitsPerSample 8", data.as_bytes());
        Page::with("/ColorSpace<</Cs[/Separation/Ink/DeviceGray 6 0 R]>>", vec![function])
    };
    add("the samples of a function", &sampled, ["ab", "ac"]);
    let pattern = |matrix: &str| {
        let entries = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9";
        let pattern = stream_of(&format!("{entries}/Matrix[{matrix}]"), b"0 0 m");
        Page::of(pattern).in_resources("/Pattern<</P 6 0 R>>")
    };
    add("the matrix of a pattern", &pattern, ["1 0 0 1 0 0", "2 0 0 1 0 0"]);
    let shading = |coordinates: &str| {
        let function = "<</FunctionType 2/Domain[0 1]/N 1>>";
        Page::with(
            &format!(
                "/Shading<</Sh<</ShadingType 2/ColorSpace/DeviceGray/Coords[{coordinates}]/Function{function}>>>>"
            ),
            vec![],
        )
    };
    add("the axis of a shading", &shading, ["0 0 9 9", "0 0 9 8"]);
    let mesh = |data: &str| {
        let entries = "/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 1 0 1 0 1]";
        Page::of(stream_of(entries, data.as_bytes())).in_resources("/Shading<</Sh 6 0 R>>")
    };
    add("a mesh", &mesh, ["0abc", "0abd"]);
    pairs
}

fn differing_layers() -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |what, make: &dyn Fn(&str) -> Page, values: [&str; 2]| pairs.push((what, values.map(make)));
    for (what, configurations) in [
        ("a layer that is off", ["", "/OFF[6 0 R]"]),
        ("layers that are off by themselves", ["", "/BaseState/OFF"]),
        ("a layer that is on where others are off", ["/BaseState/OFF", "/BaseState/OFF/ON[6 0 R]"]),
        ("layers for designers", ["", "/Intent/Design"]),
    ] {
        add(
            what,
            &|configuration| layered("6 0 R", &format!("/OCProperties<</OCGs[6 0 R]/D<<{configuration}>>>>")),
            configurations,
        );
    }
    let member = |policy: &str| layered(&format!("<</Type/OCMD/OCGs[6 0 R]{policy}>>"), LAYERS);
    add("what is shown where a layer is off", &member, ["/P/AnyOn", "/P/AllOff"]);
    let shown_by = |layers: &str| layered("<</Type/OCMD/OCGs[6 0 R]/P/AllOff>>", layers);
    add("no layers where one has to be off", &shown_by, ["", LAYERS]);
    let applied = "/AS[<</Event/View/Category[/View]/OCGs[6 0 R]>>]";
    add("the usage of a layer", &|state| used(state, applied), ["ON", "OFF"]);
    add("usage that is applied", &|configuration| used("OFF", configuration), ["", applied]);
    pairs
}

const LAYERS: &str = "/OCProperties<</OCGs[6 0 R]/D<<>>>>";

fn layered(member: &str, catalog: &str) -> Page {
    Page::of(b"<</Type/OCG/Name(a)>>".to_vec())
        .in_resources(&format!("/Properties<</MC {member}>>"))
        .in_catalog(catalog)
}

fn appearance(data: &str) -> Vec<u8> {
    stream_of("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", data.as_bytes())
}

fn differing_annotations() -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut add = |what, make: &dyn Fn(&str) -> Page, values: [&str; 2]| pairs.push((what, values.map(make)));
    let note =
        |entries: &str| Page::annotation(&format!("/Subtype/Text{entries}"), &[appearance("0 g"), appearance("1 g")]);
    add("what a note says", &note, ["/Contents(PROFIT+12)", "/Contents(LOSSES+12)"]);
    add("flags of a note", &note, ["/F 4", "/F 6"]);
    add("the colour of a note", &note, ["/C[1 0 0]", "/C[0 1 0]"]);
    add("the appearance of a note", &note, ["/AP<</N 7 0 R>>", "/AP<</N 8 0 R>>"]);
    add("no date of a note", &note, ["/M(D:2024 PROFIT)", "/M(D:2024 LOSSES)"]);
    add("a date that is none", &note, ["/M(yesterday)", "/M(today)"]);
    let state = "/AP<</N<</On 7 0 R/Off 8 0 R>>>>";
    add("the state of a note", &note, [&format!("{state}/AS/On"), &format!("{state}/AS/Off")]);
    let link = |action: &str| Page::annotation(&format!("/Subtype/Link/A<</S/URI/URI({action})>>"), &[]);
    add("where a link leads", &link, ["http://a/", "http://b/"]);
    let form = "/AcroForm<</Fields[6 0 R]/DA(/Helv 9 Tf)>>";
    let field = |entries: &str| Page::annotation(&format!("/Subtype/Widget/T(a){entries}"), &[]).in_catalog(form);
    add("the value of a field", &field, ["/FT/Tx/V(one)", "/FT/Tx/V(two)"]);
    add("flags of a field beyond single precision", &field, ["/FT/Tx/Ff 33554432", "/FT/Tx/Ff 33554433"]);
    add("the cells of a comb", &field, ["/FT/Tx/MaxLen 5", "/FT/Tx/MaxLen 6"]);
    add("when a field was signed", &field, ["/FT/Sig/V<</Type/Sig/M(D:2024)>>", "/FT/Sig/V<</Type/Sig/M(D:2025)>>"]);
    let in_form = |entries: &str| {
        Page::annotation("/Subtype/Widget/T(a)/FT/Tx", &[]).in_catalog(&format!("/AcroForm<</Fields[6 0 R]{entries}>>"))
    };
    add("the default appearance of fields", &in_form, ["/DA(/Helv 9 Tf)", "/DA(/Helv 12 Tf)"]);
    add("whether appearances are made anew", &in_form, ["/NeedAppearances true", "/NeedAppearances false"]);
    let popup = |parent: &str| {
        let popups = |parent: &str| format!("<</Subtype/Popup/Rect[0 0 9 9]/Parent {parent}>>").into_bytes();
        let note = |popup: &str| {
            format!("<</Subtype/Text/Rect[0 0 9 9]/Contents({popup})/Popup {popup}/IRT 6 0 R>>").into_bytes()
        };
        let others = vec![note("8 0 R"), note("8 0 R"), popups(parent)];
        Page { entries: "/Annots[7 0 R 6 0 R 8 0 R]".to_owned(), ..Page::with("", others) }
    };
    add("what is above in a cycle", &popup, ["6 0 R", "7 0 R"]);
    pairs
}

fn differing_pages() -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut add = |what, values: [&str; 2]| pairs.push((what, values.map(Page::entries)));
    add("the media box", ["/MediaBox[0 0 99 99]", "/MediaBox[0 0 99 98]"]);
    add("the crop box", ["", "/CropBox[0 0 50 50]"]);
    add("the rotation", ["", "/Rotate 90"]);
    add("the unit", ["", "/UserUnit 2"]);
    add("the group", ["/Group<</S/Transparency>>", "/Group<</S/Transparency/K true>>"]);
    let intent = |catalog: &str| {
        let others = vec![stream_of("/N 1", b"profile one"), stream_of("/N 1", b"profile two")];
        Page { content: stream_of("", b"0 g 0 0 9 9 re f"), ..Page::with("", others) }.in_catalog(catalog)
    };
    let with = |profile: &str| format!("/OutputIntents[<</S/GTS_PDFX/DestOutputProfile {profile}>>]");
    pairs.push(("an output intent", [intent(&with("6 0 R")), intent(&with("7 0 R"))]));
    pairs.push(("an output intent or none", [intent(&with("6 0 R")), intent("")]));
    pairs
}

#[test]
fn what_is_too_dense_to_be_decoded_counts_as_it_is_stored() {
    let [one, other] = [1, 2].map(|byte| Page::image(FLATE, &deflated(&vec![byte; 11_000_000])));
    let dense = Limits { max_ratio: 100, ..Limits::default() };
    assert_ne!(one.fingerprint(&dense), other.fingerprint(&dense));
    assert_ne!(one.fingerprint(&dense), one.fingerprint(&Limits { max_ratio: 2_000, ..Limits::default() }));
}

#[test]
fn pages_that_look_or_read_differently_are_two() {
    let pairs = differing();
    assert!(pairs.len() >= 60, "{}", pairs.len());
    for (what, [one, other]) in pairs {
        assert_ne!(one.fingerprint(&Limits::default()), other.fingerprint(&Limits::default()), "{what}");
    }
}

#[test]
fn a_page_that_is_written_otherwise_is_the_same() {
    let tagged = |tag: &str| {
        let font = format!(
            "<</Type/Font/Subtype/Type1/BaseFont/{tag}A/FontDescriptor<</Type/FontDescriptor/FontName/{tag}A>>>>"
        );
        Page::of(font.into_bytes()).in_resources("/Font<</F 6 0 R>>")
    };
    let note = |entries: &str| Page::annotation(&format!("/Subtype/Text{entries}"), &[]);
    let in_form = |form: &str, field: &str| {
        Page::annotation(&format!("/Subtype/Widget/T(a)/FT/Tx{field}"), &[])
            .in_catalog(&format!("/AcroForm<</Fields[6 0 R]{form}>>"))
    };
    let fields = |fields: &str| {
        let field = |name: &str| format!("<</Subtype/Widget/FT/Tx/T({name})/Rect[0 0 9 9]>>").into_bytes();
        Page { entries: "/Annots[6 0 R 7 0 R]".to_owned(), ..Page::with("", vec![field("a"), field("b")]) }
            .in_catalog(&format!("/AcroForm<</Fields[{fields}]>>"))
    };
    for (what, one, other) in [
        ("the order of fields", fields("6 0 R 7 0 R"), fields("7 0 R 6 0 R")),
        ("another tag", tagged("ABCDEF+"), tagged("GHIJKL+")),
        ("no tag", tagged("ABCDEF+"), tagged("")),
        ("numbers", Page::entries("/MediaBox[0 0 99 99]"), Page::entries("/MediaBox[0.0 -.0 +99 99.00]")),
        ("digits", note("/C[0.123456789012 0 1]"), note("/C[.12345679 0 1.0]")),
        ("the order of keys", note("/F 4/C[1]"), note("/C[1]/F 4")),
        ("null", note("/C null"), note("")),
        ("an escaped name", note("/Name/Help"), note("/Name/H#65lp")),
        ("a string in digits", note("/Contents(abc)"), note("/Contents<616263>")),
        ("a date", note("/M(D:20240506)"), note("/M(D:20250506070809+02'00')")),
        ("the page of a note", note(""), note("/P 3 0 R")),
        ("defaults", Page::entries(""), Page::entries("/Rotate 0/UserUnit 1.0/CropBox[0 0 99 99]/Annots[]/Tabs/S")),
        ("a default appearance that is inherited", in_form("/DA(/F 9 Tf)/SigFlags 3", ""), in_form("", "/DA(/F 9 Tf)")),
        (
            "the usage of a layer that is on",
            used("ON", ""),
            used("ON", "/AS[<</Event/View/Category[/View]/OCGs[6 0 R]>>]"),
        ),
        (
            "the language",
            Page::entries(""),
            Page::entries("").in_catalog("/Lang(en)/Extensions<</ADBE<</BaseVersion/1.7>>>>"),
        ),
        (
            "layers that are all on",
            layered("6 0 R", ""),
            layered("6 0 R", "/OCProperties<</OCGs[6 0 R]/D<</BaseState/ON/Order[6 0 R]/OFF[]>>>>"),
        ),
    ] {
        assert_eq!(one.fingerprint(&Limits::default()), other.fingerprint(&Limits::default()), "{what}");
    }
}

#[test]
fn data_that_is_encoded_otherwise_is_the_same() {
    let text = |contents: &str, parts: &[&str]| {
        Page::with("", parts.iter().map(|part| stream_of("", part.as_bytes())).collect()).with_contents(contents)
    };
    let drawn = |filter: &str, data: &[u8]| Page::image(filter, data);
    let pixels = noise(5, 64);
    let hexadecimal = pixels.iter().map(|byte| format!("{byte:02X} ")).collect::<String>() + ">\n";
    let up = [vec![2], pixels[..32].to_vec(), vec![0], pixels[32..].to_vec()].concat();
    for (what, one, other) in [
        ("deflated", drawn("", &pixels), drawn(FLATE, &deflated(&pixels))),
        (
            "white space after data",
            drawn(FLATE, &deflated(&pixels)),
            drawn(FLATE, &[&deflated(&pixels)[..], b"\r\n"].concat()),
        ),
        (
            "another filter",
            drawn("/Filter/ASCIIHexDecode", hexadecimal.as_bytes()),
            drawn("/Filter[/FlateDecode]/DecodeParms[null]", &deflated(&pixels)),
        ),
        ("nothing, deflated by name", drawn("", b""), drawn(FLATE, b"")),
        (
            "predicted",
            drawn("", &predicted(&up, 32)),
            drawn(&format!("{FLATE}/DecodeParms<</Predictor 15/Columns 32>>"), &deflated(&up)),
        ),
        (
            "content in parts",
            text("6 0 R", &["q 1 0 0 1 0 0 cm\nBT (a) Tj ET\nQ"]),
            text("[6 0 R 7 0 R 8 0 R]", &["q 1 0 0 1 0 0 cm\n", "BT (a) Tj ET\n", "Q"]),
        ),
    ] {
        assert_eq!(one.fingerprint(&Limits::default()), other.fingerprint(&Limits::default()), "{what}");
    }
}

/// A page with a layer that asks for this state when it is seen.
fn used(state: &str, configuration: &str) -> Page {
    Page::of(format!("<</Type/OCG/Name(a)/Usage<</View<</ViewState/{state}>>>>>>").into_bytes())
        .in_resources("/Properties<</MC 6 0 R>>")
        .in_catalog(&format!("/OCProperties<</OCGs[6 0 R]/D<<{configuration}>>>>"))
}

/// Rows whose types are 2 and 0 without their predictor.
fn predicted(rows: &[u8], row: usize) -> Vec<u8> {
    rows.chunks(row + 1).flat_map(|line| line[1..].to_vec()).collect()
}

impl Page {
    fn with_contents(mut self, contents: &str) -> Self {
        self.entries = format!("/Annots[]/Contents {contents}");
        self
    }
}

#[test]
fn a_fingerprint_keeps_the_limits_and_the_deadline_of_its_caller() {
    let file = Page::image(FLATE, &deflated(&noise(1, 9_000))).file();
    let document = Document::open(Arc::new(file), None, &Limits::default()).unwrap();
    let chunk = cut(&document, PageIndex(0)).unwrap();
    let with = |limits: Limits| chunk.fingerprint(&limits).map_err(|error| error.to_string());
    // The picture, the content and the object stream.
    let most = |max_decoded_bytes: u64| with(Limits { max_decoded_bytes, ..Limits::default() });
    assert!(most(20_000).is_ok());
    assert!(most(9_000).unwrap_err().contains("max_decoded_bytes"));
    let fewest = (0..9)
        .find(|max_page_objects| with(Limits { max_page_objects: *max_page_objects, ..Limits::default() }).is_ok());
    let fewest = fewest.unwrap();
    let below = with(Limits { max_page_objects: fewest - 1, ..Limits::default() });
    assert!(below.unwrap_err().contains("objects of one page"));
    let deadline = pagewise_base::limits::Deadline::after(Duration::ZERO);
    let late = chunk.fingerprint(&Limits { deadline, ..Limits::default() });
    assert!(matches!(
        late,
        Err(CutError::Document(pagewise_document::DocumentError::Stopped(StopReason::Timeout { .. })))
    ));
}

/// A page that shows the glyphs of `codes` in a composite font, whose parts a test can replace.
#[derive(Clone)]
struct Subset {
    /// The glyphs of the program, each a box of this height.
    heights: Vec<u16>,
    codes: Vec<u16>,
    characters: Vec<(u16, char)>,
    widths: String,
    map: Option<Vec<u8>>,
    name: &'static str,
    descendant: &'static str,
    program: Option<Vec<u8>>,
    content: &'static str,
    resources: &'static str,
    others: Vec<Vec<u8>>,
}

impl Subset {
    /// Shows two letters, whose glyphs are boxes of 100 and 200.
    fn of_two() -> Self {
        Self {
            heights: vec![50, 100, 200],
            codes: vec![1, 2],
            characters: vec![(1, 'a'), (2, 'b')],
            widths: "1[500 600]".to_owned(),
            map: None,
            name: "ABCDEF+Sample",
            descendant: "",
            program: None,
            content: "BT /F 9 Tf <TEXT> Tj ET",
            resources: "",
            others: Vec::new(),
        }
    }

    fn with(change: impl FnOnce(&mut Self)) -> Self {
        let mut subset = Self::of_two();
        change(&mut subset);
        subset
    }

    fn page(&self) -> Page {
        let text = self.codes.iter().map(|code| format!("{code:04X}")).collect::<String>();
        let characters = self.characters.iter();
        let characters = characters.map(|(code, letter)| format!("<{code:04X}> <{:04X}> ", u32::from(*letter)));
        let characters = characters.collect::<String>();
        let (map, name) = (if self.map.is_some() { "10 0 R" } else { "/Identity" }, self.name);
        let program = self.program.clone().unwrap_or_else(|| truetype(&self.heights));
        let mut others = vec![
            format!("<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 9 0 R>>").into_bytes(),
            format!("<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/CIDToGIDMap {map}/W[{}]/FontDescriptor<</Type/FontDescriptor/FontName/{name}/FontFile2 8 0 R>>{}>>", self.widths, self.descendant).into_bytes(),
            stream_of("", &program),
            stream_of("", format!("1 beginbfchar {characters} endbfchar").as_bytes()),
            stream_of("", self.map.as_deref().unwrap_or_default()),
        ];
        others.extend(self.others.iter().cloned());
        let content = stream_of("", self.content.replace("TEXT", &text).as_bytes());
        let resources = format!("/Font<</F 6 0 R>>{}", self.resources);
        Page { content, ..Page::with(&resources, others) }
    }

    fn fingerprint(&self) -> String {
        self.page().fingerprint(&Limits::default())
    }
}

#[test]
fn a_font_counts_by_the_glyphs_that_the_page_shows() {
    let one = Subset::of_two().fingerprint();
    let more = |subset: &mut Subset| {
        subset.heights.push(300);
        subset.characters.push((3, 'c'));
        subset.widths = "1[500 600 700]".to_owned();
    };
    let renumbered = |subset: &mut Subset| {
        (subset.heights, subset.codes) = (vec![50, 300, 200, 100], vec![3, 2]);
        (subset.characters, subset.widths) = (vec![(1, 'c'), (2, 'b'), (3, 'a')], "1[700 600 500]".to_owned());
    };
    let mapped = |subset: &mut Subset| {
        (subset.heights, subset.map) = (vec![50, 200, 100], Some(vec![0, 0, 0, 2, 0, 1]));
    };
    for (what, same) in [
        ("one letter more", Subset::with(more)),
        ("another subset tag", Subset::with(|subset| subset.name = "GHIJKL+Sample")),
        ("glyphs that are numbered anew", Subset::with(renumbered)),
        ("glyphs in another order with a map", Subset::with(mapped)),
        ("another glyph that is not shown", Subset::with(|subset| subset.heights[0] = 60)),
        (
            "a string that is written otherwise",
            Subset::with(|subset| subset.content = "BT /F 9 Tf (\\000\\001\\000\\002) Tj ET"),
        ),
        ("another width that is not shown", Subset::with(|subset| subset.widths = "1[500 600] 9[1]".to_owned())),
    ] {
        assert_eq!(same.fingerprint(), one, "{what}");
    }
}

#[test]
fn what_the_shown_glyphs_are_counts() {
    let one = Subset::of_two().fingerprint();
    let form = |entries: &str, data: &str| {
        stream_of(&format!("/Type/XObject/Subtype/Form/BBox[0 0 9 9]{entries}"), data.as_bytes())
    };
    for (what, other) in [
        ("an outline", Subset::with(|subset| subset.heights[1] = 110)),
        ("a width", Subset::with(|subset| subset.widths = "1[500 610]".to_owned())),
        ("a default width", Subset::with(|subset| subset.descendant = "/DW 900")),
        ("a character", Subset::with(|subset| subset.characters[0].1 = 'x')),
        ("the order of glyphs", Subset::with(|subset| subset.codes = vec![2, 1])),
        ("one glyph less", Subset::with(|subset| subset.codes = vec![1])),
        ("glyphs that a map exchanges", Subset::with(|subset| subset.map = Some(vec![0, 0, 0, 2, 0, 1]))),
        ("the name of the font", Subset::with(|subset| subset.name = "ABCDEF+Other")),
        ("the size of the text", Subset::with(|subset| subset.content = "BT /F 8 Tf <TEXT> Tj ET")),
    ] {
        assert_ne!(other.fingerprint(), one, "{what}");
    }
    // Where glyphs cannot be told apart, the bytes of the font count.
    let whole = |change: &dyn Fn(&mut Subset)| {
        let subset = Subset::with(|subset| change(subset));
        let mut other = subset.clone();
        other.heights.push(300);
        (subset.fingerprint(), other.fingerprint())
    };
    type Change<'a> = &'a dyn Fn(&mut Subset);
    let cases: [(&str, Change<'_>); 9] = [
        ("a code without a character", &|subset| subset.characters.truncate(1)),
        ("a glyph that the program lacks", &|subset| subset.codes = vec![1, 9]),
        ("an inline image", &|subset| subset.content = "BI /W 1 /H 1 /BPC 8 /CS /G ID x EI BT /F 9 Tf <TEXT> Tj ET"),
        ("a text without its font", &|subset| subset.content = "BT <TEXT> Tj /F 9 Tf ET"),
        ("a state that sets a font", &|subset| {
            subset.resources = "/ExtGState<</G<</Font[6 0 R 9]>>>>";
            subset.content = "/G gs BT /F 9 Tf <TEXT> Tj ET";
        }),
        ("a form that shows text in the font before it", &|subset| {
            (subset.resources, subset.others) =
                ("/XObject<</Fm 11 0 R>>", vec![form("/Resources<<>>", "BT <0001> Tj ET")]);
            subset.content = "BT /F 9 Tf <TEXT> Tj ET /Fm Do";
        }),
        ("a form that uses the font of the page", &|subset| {
            (subset.resources, subset.others) = ("/XObject<</Fm 11 0 R>>", vec![form("", "BT /F 9 Tf <0001> Tj ET")]);
            subset.content = "BT /F 9 Tf <TEXT> Tj ET /Fm Do";
        }),
        ("a form that does not decode", &|subset| {
            (subset.resources, subset.others) =
                ("/XObject<</Fm 11 0 R>>", vec![form("/Resources<<>>/Filter/Xyz", "x")]);
            subset.content = "BT /F 9 Tf <TEXT> Tj ET /Fm Do";
        }),
        ("a font in a form of its own", &|subset| {
            (subset.resources, subset.others) =
                ("/XObject<</Fm 11 0 R>>", vec![form("/Resources<</Font<</F 6 0 R>>>>", "BT /F 9 Tf <0001> Tj ET")]);
            subset.content = "BT /F 9 Tf <TEXT> Tj ET /Fm Do";
        }),
    ];
    for (what, change) in cases {
        let (one, other) = whole(change);
        assert_ne!(one, other, "{what}");
    }
    let broken = |byte: u8| Subset::with(|subset| subset.program = Some(vec![byte; 40])).fingerprint();
    assert_ne!(broken(1), broken(2), "a program that cannot be read");
}
