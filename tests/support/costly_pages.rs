//! Pages that draw far more than can be seen of them, each by another path through the engine.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The number of the first of ten forms that each draw the next ten times.
const BOMB: usize = 20;

/// A document under construction: bodies by object number.
struct Page {
    content: Vec<u8>,
    resources: String,
    entries: String,
    catalog: String,
    objects: Vec<(usize, Vec<u8>)>,
}

fn page(resources: &str, content: impl AsRef<[u8]>) -> Page {
    Page {
        content: content.as_ref().to_vec(),
        resources: resources.to_owned(),
        entries: String::new(),
        catalog: String::new(),
        objects: Vec::new(),
    }
}

impl Page {
    fn object(mut self, number: usize, body: impl AsRef<[u8]>) -> Self {
        self.objects.push((number, body.as_ref().to_vec()));
        self
    }

    fn stream(self, number: usize, dictionary: &str, data: impl AsRef<[u8]>) -> Self {
        let body = stream(dictionary, data.as_ref());
        self.object(number, body)
    }

    fn entries(mut self, entries: &str) -> Self {
        self.entries.push_str(entries);
        self
    }

    fn catalog(mut self, entries: &str) -> Self {
        self.catalog.push_str(entries);
        self
    }

    /// The ten forms.
    fn bomb(mut self) -> Self {
        for level in 0..10 {
            let next = format!("/Resources<</XObject<</X {} 0 R>>>>", BOMB + level + 1);
            let content = if level == 9 { "0 0 1 1 re f".to_owned() } else { "/X Do ".repeat(10) };
            self = self.stream(BOMB + level, &format!("{FORM}{next}"), content);
        }
        self
    }

    fn build(self) -> Vec<u8> {
        let Self { content, resources, entries, catalog, mut objects } = self;
        objects.push((1, format!("<</Type/Catalog/Pages 2 0 R{catalog}>>").into_bytes()));
        objects.push((2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec()));
        let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]";
        let contents = if entries.contains("/Contents") { "" } else { "/Contents 4 0 R" };
        objects.push((3, format!("{page}{contents}/Resources<<{resources}>>{entries}>>").into_bytes()));
        objects.push((4, stream("/Filter/FlateDecode", &deflated(&content))));
        objects.sort_by_key(|(number, _)| *number);
        let mut out = b"%PDF-1.7\n".to_vec();
        let mut table = String::new();
        let mut next = 0;
        for (number, body) in &objects {
            for _ in next..*number {
                table.push_str("0000000000 65535 f \n");
            }
            next = number + 1;
            table.push_str(&format!("{:010} 00000 n \n", out.len()));
            out.extend(format!("{number} 0 obj\n").bytes());
            out.extend(body);
            out.extend(b"\nendobj\n");
        }
        let start = out.len();
        out.extend(
            format!("xref\n0 {next}\n{table}trailer\n<</Size {next}/Root 1 0 R>>\nstartxref\n{start}\n").bytes(),
        );
        out.extend(b"%%EOF\n");
        out
    }
}

fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut body = format!("<<{dictionary}/Length {}>>stream\n", data.len()).into_bytes();
    body.extend(data);
    body.extend(b"\nendstream");
    body
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn twice(data: &[u8]) -> Vec<u8> {
    deflated(&deflated(data))
}

const FORM: &str = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]";
const TILE: &str = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 600 800]/XStep 600/YStep 800";
const GROUP: &str = "/Group<</S/Transparency/CS/DeviceGray>>";
const TYPE3: &str = "<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 65/LastChar 65\
                     /Widths[1000]/CharProcs<</A 8 0 R>>";
const HELVETICA: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

pub(crate) type CostlyPages = Vec<(&'static str, Vec<u8>)>;

/// All of them, by a name that says what is odd.
pub(crate) fn costly_pages() -> CostlyPages {
    [
        forms(),
        annotations(),
        glyphs(),
        patterns(),
        masks(),
        functions(),
        strokes(),
        operators(),
        images(),
        fonts(),
        contents(),
    ]
    .concat()
}

fn forms() -> CostlyPages {
    let drawn =
        |form: &str| page("/XObject<</X 6 0 R/B 20 0 R>>", "/X Do").stream(6, &format!("{FORM}{form}"), "/B Do").bomb();
    let named = |resources: &str| page(resources, "/X Do").bomb();
    let groups = |level: usize| format!("{FORM}{GROUP}/Resources<</XObject<</X {} 0 R>>>>", BOMB + level + 1);
    let mut nested_groups = page("/XObject<</X 20 0 R>>", "/X Do");
    for level in 0..10 {
        nested_groups = nested_groups.stream(BOMB + level, &groups(level), "/X Do ".repeat(10));
    }
    let itself = format!("{FORM}/Resources<</XObject<</X 6 0 R>>>>");
    let quiet = page("/XObject<</X 6 0 R>>", "/X Do ".repeat(10_000));
    let wide = (0..20_000).map(|at| format!("/N{at} {at} ")).collect::<String>();
    vec![
        ("forms in forms", named("/XObject<</X 20 0 R>>").build()),
        ("a form whose resources are a number", drawn("/Resources 0").build()),
        ("a form whose resources are null", drawn("/Resources null").build()),
        ("a form whose resources are not there", drawn("/Resources 99 0 R").build()),
        ("a form without resources", drawn("").build()),
        (
            "a form behind three references",
            page("/XObject<</X 6 0 R>>", "/X Do")
                .object(6, "7 0 R")
                .object(7, "8 0 R")
                .object(8, "20 0 R")
                .bomb()
                .build(),
        ),
        (
            "resources that are a stream",
            page("/XObject<</X 6 0 R>>", "/X Do")
                .stream(6, &format!("{FORM}/Resources 7 0 R"), "/B Do")
                .stream(7, "/XObject<</B 20 0 R>>", "")
                .bomb()
                .build(),
        ),
        (
            "forms in a dictionary that is a stream",
            page("/XObject 7 0 R", "/X Do").stream(7, "/X 20 0 R", "").bomb().build(),
        ),
        ("a form named with escapes", page("/XObject<</#58 20 0 R>>", "/#58 Do").bomb().build()),
        (
            "a form that draws itself twice",
            page("/XObject<</X 6 0 R>>", "/X Do").stream(6, &itself, "/X Do /X Do").build(),
        ),
        ("transparency groups in groups", nested_groups.build()),
        (
            "forms without bounds",
            page("/XObject<</X 6 0 R>>", "/X Do ".repeat(2_000_000)).stream(6, "/Subtype/Form", "0 0 1 1 re f").build(),
        ),
        (
            "a form of operators that draw nothing",
            quiet.stream(6, &format!("{FORM}/Filter/FlateDecode"), deflated(&b"q Q ".repeat(250_000))).build(),
        ),
        (
            "a form with many resources",
            page("/XObject<</X 6 0 R>>", "/X Do ".repeat(20_000))
                .stream(6, &format!("{FORM}/Resources<</XObject<<{wide}>>>>"), "q")
                .build(),
        ),
        (
            "forms in optional content that is off",
            page("/XObject<</X 6 0 R>>", "/X Do ".repeat(1_000_000))
                .stream(6, &format!("{FORM}/OC 7 0 R"), "")
                .object(7, "<</Type/OCG/Name(a)>>")
                .catalog("/OCProperties<</OCGs[7 0 R]/D<</OFF[7 0 R]>>>>")
                .build(),
        ),
    ]
}

fn annotations() -> CostlyPages {
    let form = |entries: &str| format!("{entries}/BBox[0 0 600 800]/Resources<</XObject<</X 20 0 R>>>>");
    let annotation = |appearance: &str| format!("<</Type/Annot/Subtype/Square/Rect[0 0 600 800]{appearance}>>");
    let one = |appearance: &str, kind: &str| {
        page("", "").entries("/Annots[7 0 R]").object(7, annotation(appearance)).stream(6, &form(kind), "/X Do").bomb()
    };
    let many = format!("/Annots[{}]", "7 0 R ".repeat(200_000));
    let busy = "0 0 1 1 re f ".repeat(1_000);
    vec![
        ("an appearance", one("/AP<</N 6 0 R>>", "/Subtype/Form").build()),
        ("an appearance without a subtype", one("/AP<</N 6 0 R>>", "").build()),
        ("an appearance that says it is an image", one("/AP<</N 6 0 R>>", "/Subtype/Image/Width 1/Height 1").build()),
        ("an appearance of a state", one("/AP<</N<</On 6 0 R>>>>/AS/On", "/Subtype/Form").build()),
        ("an appearance of no state", one("/AP<</N<</Off 6 0 R>>>>/AS/Other", "/Subtype/Form").build()),
        (
            "an annotation in its array 200,000 times",
            page("", "")
                .entries(&many)
                .object(7, annotation("/AP<</N 6 0 R>>"))
                .stream(6, "/BBox[0 0 9 9]", &busy)
                .build(),
        ),
        ("annotations without appearances", page("", "").entries(&many).object(7, annotation("")).build()),
    ]
}

fn glyphs() -> CostlyPages {
    let font = |entries: &str| format!("{TYPE3}{entries}>>");
    let own = "/Resources<</XObject<</B 20 0 R>>>>";
    let shown = |entries: &str, glyph: &str| {
        page("/Font<</F 7 0 R>>", "BT /F 100 Tf (A) Tj ET")
            .object(7, font(entries))
            .stream(8, glyph, "1000 0 d0 /B Do")
            .bomb()
    };
    let a = "/Encoding<</Differences[65/A]>>";
    let times = |text: String, glyph: &str, resources: &str| {
        page("/Font<</F 7 0 R>>", text).object(7, font(&format!("{a}/Resources<<{resources}>>"))).stream(8, "", glyph)
    };
    let heavy = format!("1000 0 0 0 1000 1000 d1 {} S", "0 0 m 900 900 l ".repeat(2_000));
    let clipped = format!("BT /F 9 Tf 7 Tr ({}) Tj {} ET", "A".repeat(200_000), "q 1 Tw ".repeat(60_000));
    vec![
        ("a glyph", shown(&format!("{a}{own}"), "").build()),
        ("a glyph with resources of its own", shown(&format!("{a}/Resources<<>>"), own).build()),
        ("a glyph by a base encoding", shown(&format!("/Encoding/WinAnsiEncoding{own}"), "").build()),
        (
            "a glyph by an encoding without differences",
            shown(&format!("/Encoding<</BaseEncoding/WinAnsiEncoding>>{own}"), "").build(),
        ),
        ("a glyph without an encoding", shown(own, "").build()),
        ("a glyph whose code is no integer", shown(&format!("/Encoding<</Differences[65.0/A]>>{own}"), "").build()),
        (
            "a glyph whose code is a reference",
            shown(&format!("/Encoding<</Differences[9 0 R/A]>>{own}"), "").object(9, "65").build(),
        ),
        (
            "a glyph whose name is a reference",
            shown(&format!("/Encoding<</Differences[65 9 0 R]>>{own}"), "").object(9, "/A").build(),
        ),
        (
            "a glyph of a graphics state's font",
            page("/ExtGState<</G<</Font[7 0 R 100]>>>>", "BT /G gs (A) Tj ET")
                .object(7, font(&format!("{a}{own}")))
                .stream(8, "", "1000 0 d0 /B Do")
                .bomb()
                .build(),
        ),
        (
            "a glyph that shows itself",
            times("BT /F 1 Tf (A) Tj ET".to_owned(), "1000 0 d0 BT /F 1 Tf (A) Tj ET", "/Font<</F 7 0 R>>").build(),
        ),
        (
            "a glyph that shows itself twice",
            times("BT /F 1 Tf (A) Tj ET".to_owned(), "1000 0 d0 BT /F 1 Tf (AA) Tj ET", "/Font<</F 7 0 R>>").build(),
        ),
        (
            "a heavy glyph again and again",
            times(format!("BT /F 9 Tf [{}] TJ ET", "(AAAAAAAAAA)1 ".repeat(10_000)), &heavy, "").build(),
        ),
        ("outlines that clip", page("/Font<</F 7 0 R>>", clipped).object(7, HELVETICA).build()),
        (
            "large letters",
            page("/Font<</F 7 0 R>>", format!("BT /F 900 Tf ({}) Tj ET", "g".repeat(300_000)))
                .object(7, HELVETICA)
                .build(),
        ),
        (
            "stroked letters",
            page("/Font<</F 7 0 R>>", format!("1 Tr BT /F 90 Tf ({}) Tj ET", "g".repeat(300_000)))
                .object(7, HELVETICA)
                .build(),
        ),
    ]
}

/// A mesh of triangles with one byte for each flag, coordinate and colour (ISO 32000-2, 8.7.4.5.5).
const MESH: &str = "/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8\
    /Decode[0 100000 -100000 0 0 1]";

fn patterns() -> CostlyPages {
    let of = |tile: &str, content: &str, times: usize| {
        let fill = "0 0 600 800 re f ".repeat(times);
        page("/Pattern<</P 6 0 R>>", format!("/Pattern cs /P scn {fill}")).stream(6, tile, content)
    };
    let busy = "0 0 9 9 re f ".repeat(2_000);
    let nested = {
        let mut nested = page("/Pattern<</P 20 0 R>>", "/Pattern cs /P scn 0 0 600 800 re f");
        for level in 0..10 {
            let next = format!("{TILE}/Resources<</Pattern<</P {} 0 R>>>>", BOMB + level + 1);
            nested =
                nested.stream(BOMB + level, &next, format!("/Pattern cs /P scn {}", "0 0 600 800 re f ".repeat(10)));
        }
        nested
    };
    let itself = format!("{TILE}/Resources<</Pattern<</P 6 0 R>>>>");
    let small = |bounds: &str, step: &str| {
        format!("/PatternType 1/PaintType 1/TilingType 1/BBox[{bounds}]/XStep {step}/YStep {step}")
    };
    let text = format!("/Pattern cs /P scn BT /F 30 Tf {} ET", "(abc) Tj ".repeat(3_000));
    let stencil = "BI /W 9 /H 9 /IM true ID 123456789012345678 EI ".repeat(5_000);
    let inline = "BI /W 9 /H 9 /BPC 8 /CS /G ID 123456789 EI ".repeat(300);
    vec![
        ("a pattern filled 3,000 times", of(TILE, &busy, 3_000).build()),
        ("a pattern of forms", of(&format!("{TILE}/Resources<</XObject<</B 20 0 R>>>>"), "/B Do", 1).bomb().build()),
        ("patterns in patterns", nested.build()),
        (
            "a mesh of triangles far larger than the page",
            page("/Shading<</S 6 0 R>>", "/S sh")
                .stream(6, MESH, "\0\0\0A\0~~A\0\0~A".repeat(2_000))
                .build(),
        ),
        ("a pattern in itself", of(&itself, "/Pattern cs /P scn 0 0 600 800 re f", 1).build()),
        ("tiles that lie over each other", of(&small("0 0 9000 9000", "1"), "0 0 9 9 re f", 1).build()),
        ("a tile as high as all paper", of(&small("0 0 8 9223372036854775807", "8"), "0 0 9 9 re f", 1).build()),
        ("tiles of negative steps", of(&small("-9000 -9000 9000 9000", "-1"), "0 0 9 9 re f", 1).build()),
        ("tiles beyond measure", of(&format!("{}/Matrix[1e9 0 0 1e9 0 0]", small("0 0 9 9", "9")), "0 0 9 9 re f", 1).build()),
        ("a pattern without colour", of(&TILE.replace("/PaintType 1", "/PaintType 2"), &busy, 3_000).build()),
        ("a pattern that is stroked", page("/Pattern<</P 6 0 R>>", format!("/Pattern CS /P SCN {}", "0 0 m 600 800 l S ".repeat(3_000))).stream(6, TILE, &busy).build()),
        ("letters filled with a pattern", page("/Pattern<</P 6 0 R>>/Font<</F 7 0 R>>", text).stream(6, TILE, &busy).object(7, HELVETICA).build()),
        ("stencils filled with a pattern", page("/Pattern<</P 6 0 R>>", format!("/Pattern cs /P scn {stencil}")).stream(6, TILE, &busy).build()),
        ("inline images in a pattern", of(TILE, &inline, 1_000).build()),
        ("gradients over each other", page("/Shading<</S<</ShadingType 3/ColorSpace/DeviceRGB/Coords[300 400 0 300 400 99]/Function<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1.5>>>>>>", "/S sh ".repeat(5_000)).build()),
        ("a triangle beyond the page", page("/Shading<</S 6 0 R>>", "/S sh ".repeat(50)).stream(6, "/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 60000 0 60000 0 1]", [0, 0, 0, 9, 0, 255, 0, 9, 0, 0, 255, 9].repeat(20)).build()),
        ("patches without end", page("/Shading<</S 6 0 R>>", "/S sh").stream(6, "/Filter/FlateDecode/ShadingType 6/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 600 0 800 0 1]", deflated(&[&[0_u8][..], &[7; 28]].concat().repeat(30_000))).build()),
    ]
}

fn masks() -> CostlyPages {
    let state = |group: &str| format!("/ExtGState<</G<</SMask<</S/Luminosity/G {group}>>>>>>");
    let mask = |resources: &str| format!("{FORM}{GROUP}/Resources<<{resources}>>");
    let chain = |times: usize, fills: usize| {
        let mut chain = page(&state("20 0 R"), "/G gs 0 0 600 800 re f");
        for level in 0..times {
            let next = state(&format!("{} 0 R", BOMB + level + 1));
            let content = format!("/G gs {}", "0 0 600 800 re f ".repeat(fills));
            chain = chain.stream(BOMB + level, &mask(&next), content);
        }
        chain.build()
    };
    let different = (0..2_000).map(|at| format!("1 0 0 1 {at} 0 cm /G gs 0 0 600 800 re f ")).collect::<String>();
    vec![
        (
            "a mask of forms",
            page(&state("6 0 R"), "/G gs 0 0 600 800 re f")
                .stream(6, &mask("/XObject<</X 20 0 R>>"), "/X Do")
                .bomb()
                .build(),
        ),
        ("masks in masks", chain(60, 1)),
        ("many masks in masks", chain(10, 10)),
        ("a mask at 2,000 places", page(&state("6 0 R"), different).stream(6, &mask(""), "0 0 600 800 re f").build()),
        (
            "a mask on 50,000 paths",
            page(&state("6 0 R"), format!("/G gs {}", "0 0 600 800 re f ".repeat(50_000)))
                .stream(6, &mask(""), "0 0 9 9 re f")
                .build(),
        ),
        (
            "a mask that is chosen again and again",
            page(&state("6 0 R"), "/G gs ".repeat(300_000)).stream(6, &mask(""), "0 0 9 9 re f ".repeat(5_000)).build(),
        ),
    ]
}

fn functions() -> CostlyPages {
    let stitched = |next: usize| {
        let bounds = (1..10).map(|at| format!(".{at} ")).collect::<String>();
        let (parts, encode) = (format!("{next} 0 R ").repeat(10), "0 1 ".repeat(10));
        format!("<</FunctionType 3/Domain[0 1]/Bounds[{bounds}]/Encode[{encode}]/Functions[{parts}]>>")
    };
    let with = |resources: &str, content: &str| {
        let mut page = page(resources, content);
        for level in 0..9 {
            page = page.object(40 + level, stitched(41 + level));
        }
        page.object(49, "<</FunctionType 2/Domain[0 1]/N 1>>")
    };
    let state = |entries: &str| format!("/ExtGState<</G<<{entries}>>>>");
    let fill = "/G gs 0 0 600 800 re f";
    let space = "[/Separation/S/DeviceGray 40 0 R]";
    let group = format!("/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS {space}>>");
    let image = format!("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace {space}");
    let samples =
        format!("/FunctionType 0/Domain[{}]/Range[0 1]/Size[{}]/BitsPerSample 8", "0 1 ".repeat(16), "2 ".repeat(16));
    let names = (0..16).map(|at| format!("/N{at}")).collect::<String>();
    let deep_colors =
        (0..3_000).map(|at| format!("{} scn 9 9 9 9 re f ", format!(".{at:04} ").repeat(16))).collect::<String>();
    let program = format!("{{ {} pop pop .5 }}", "1 add ".repeat(20_000));
    let based = "<</ShadingType 1/ColorSpace/DeviceGray/Domain[0 1 0 1]/Matrix[600 0 0 800 0 0]/Function 6 0 R>>";
    vec![
        ("a transfer function of functions", with(&state("/TR 40 0 R"), fill).build()),
        ("transfer functions of functions", with(&state("/TR2[40 0 R 40 0 R 40 0 R 40 0 R]"), fill).build()),
        (
            "black generation by functions",
            with(&state("/BG 40 0 R/UCR 40 0 R/HT<</TransferFunction 40 0 R>>"), fill).build(),
        ),
        (
            "a mask's transfer function",
            with(&state("/SMask<</S/Luminosity/TR 40 0 R/G 6 0 R>>"), fill)
                .stream(6, &format!("{FORM}{GROUP}"), "")
                .build(),
        ),
        (
            "a group's colour space of functions",
            with(&state("/SMask<</S/Luminosity/BC[0]/G 6 0 R>>"), fill).stream(6, &group, "").build(),
        ),
        (
            "a colour space of functions",
            with(&format!("/ColorSpace<</C {space}>>"), "/C cs 1 scn 0 0 9 9 re f").build(),
        ),
        ("an image's colour space of functions", with("/XObject<</X 6 0 R>>", "/X Do").stream(6, &image, "a").build()),
        (
            "a shading of functions",
            with("/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function 40 0 R>>>>", "/S sh")
                .build(),
        ),
        (
            "a function of sixteen inputs",
            page(&format!("/ColorSpace<</C[/DeviceN[{names}]/DeviceGray 6 0 R]>>"), format!("/C cs {deep_colors}"))
                .stream(6, &samples, [7; 1 << 16])
                .build(),
        ),
        (
            "a long program for each pixel",
            page(&format!("/Shading<</S {based}>>"), "/S sh")
                .stream(6, "/FunctionType 4/Domain[0 1 0 1]/Range[0 1]", program)
                .build(),
        ),
        ("functions in a chain of a thousand", {
            let mut page = page("/ExtGState<</G<</TR 40 0 R>>>>", fill);
            for level in 0..1_000 {
                page = page.object(
                    40 + level,
                    format!("<</FunctionType 3/Domain[0 1]/Bounds[]/Encode[0 1]/Functions[{} 0 R]>>", 41 + level),
                );
            }
            page.build()
        }),
    ]
}

fn strokes() -> CostlyPages {
    let line = |dash: &str, times: usize| page("", format!("{dash} d {}", "0 0 m 600 800 l S ".repeat(times))).build();
    let curves = (0..200_000).map(|at| format!("{} {} {} {} 9 9 c ", at % 97, at % 89, at % 83, at % 79));
    let clips = |clip: &str| page("", clip.repeat(100_000)).build();
    let zigzag = (0..30_000).map(|at| format!("{} {} l ", (at * 7) % 600, (at * 13) % 800)).collect::<String>();
    let far = "0 0 m 1000000000 1 l S ".repeat(20);
    let many = format!("[{}] 0 d {}", "1 ".repeat(100_000), "q 2 w ".repeat(20_000));
    vec![
        ("a dash of next to nothing", line("[.0001] 0", 1)),
        ("a dash of nothing", line("[0 0] 0", 50)),
        ("a dash that goes back", line("[3 -3] 0", 1)),
        ("a dash that goes back more", line("[1 -3] 0", 1)),
        ("a dash without measure", line("[1e39 1] 1e39", 1)),
        ("a line that is dashed far away", page("", format!("[1 1] 0 d {far}")).build()),
        ("many dashes in many states", page("", many).build()),
        ("dashes of a graphics state", page("/ExtGState<</G<</D[[.00001] 0]>>>>", "/G gs 0 0 m 600 800 l S").build()),
        ("curves without end", page("", format!("1 J 1 j 3 w 0 0 m {} S", curves.collect::<String>())).build()),
        ("clips in clips", clips("q 0 0 600 800 re 1 1 598 798 re W n ")),
        ("clips of boxes", clips("q 1 0 0 1 .01 .01 cm 0 0 600 800 re W n ")),
        (
            "many paths in a clip of many edges",
            page("", format!("0 0 m {zigzag} W n {}", "0 0 600 800 re f ".repeat(5_000))).build(),
        ),
        (
            "a hundred thousand full pages",
            page("", format!("/G gs {}", "0 0 m 600 0 l 300 800 l f ".repeat(100_000))).build(),
        ),
        ("edges all over the page", page("", format!("0 0 m {} f", zigzag.repeat(10))).build()),
    ]
}

fn operators() -> CostlyPages {
    let content = |content: Vec<u8>| page("/Font<</F 7 0 R>>", content).object(7, HELVETICA).build();
    let numbers = "9 ".repeat(500_000);
    let state = format!("<</LW 1/X[{numbers}]>>");
    let font = format!("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/X[{numbers}]>>");
    let groups = (0..50_000).map(|_| "9 0 R ").collect::<String>();
    let optional = format!("/OCProperties<</OCGs[{groups}]/D<</OFF[{groups}]>>>>");
    vec![
        ("twenty million states", content(b"q Q ".repeat(10_000_000))),
        ("twenty million widths", content(b"1 w ".repeat(18_000_000))),
        (
            "ten million texts",
            content([b"BT /F 9 Tf ".to_vec(), b"(a) Tj ".repeat(10_000_000), b"ET".to_vec()].concat()),
        ),
        ("texts of nothing", content([b"BT /F 9 Tf ".to_vec(), b"() Tj ".repeat(10_000_000), b"ET".to_vec()].concat())),
        (
            "one text of five million letters",
            content([b"BT /F 9 Tf (".to_vec(), b"a".repeat(5_000_000), b") Tj ET".to_vec()].concat()),
        ),
        (
            "invisible letters",
            content([b"BT 3 Tr /F 9 Tf (".to_vec(), b"a".repeat(5_000_000), b") Tj ET".to_vec()].concat()),
        ),
        ("a path that is never painted", content(b"0 0 9 9 re ".repeat(5_000_000))),
        (
            "a path of millions of edges",
            content([b"0 0 m ".to_vec(), b"9 9 l 0 0 l ".repeat(4_000_000), b"f".to_vec()].concat()),
        ),
        ("inline images that do not end", content([b"BI /W 1 /H 1 ID ".to_vec(), b"EI (".repeat(100_000)].concat())),
        ("inline images of nothing", content(b"BI /W 1 /H 1 /BPC 8 /CS /G ID x EI ".repeat(300_000))),
        ("marked content", content(b"/A BMC EMC ".repeat(3_000_000))),
        ("marked content within itself", content(b"/A BMC ".repeat(5_000_000))),
        (
            "a large graphics state again and again",
            page("/ExtGState<</G 6 0 R>>", "/G gs ".repeat(500_000)).object(6, state).build(),
        ),
        ("a large font again and again", page("/Font<</F 6 0 R>>", "/F 1 Tf ".repeat(500_000)).object(6, font).build()),
        (
            "optional content for each glyph",
            page("/Font<</F 7 0 R>>", format!("BT /F 9 Tf {} ET", "(A) Tj ".repeat(20_000)))
                .object(7, format!("{TYPE3}/Encoding<</Differences[65/A]>>>>"))
                .stream(8, "", "1000 0 d0")
                .object(9, "<</Type/OCG>>")
                .catalog(&optional)
                .build(),
        ),
        ("fonts that are not there", content(b"/G 9 Tf ".repeat(2_000_000))),
    ]
}

fn images() -> CostlyPages {
    let image = |entries: &str, data: &[u8], content: &str| {
        page("/XObject<</X 6 0 R>>", content).stream(6, &format!("/Subtype/Image/BitsPerComponent 8{entries}"), data)
    };
    let frame =
        [&[0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0xFF, 0xFF, 0xFF, 0xFF, 3][..], &[1, 17, 0, 2, 17, 0, 3, 17, 0]].concat();
    let gray = "/ColorSpace/DeviceGray";
    let zeros = vec![0; 60_000_000];
    let flat = "600 0 0 800 0 0 cm /X Do ";
    vec![
        ("an image of more pixels than data", image(&format!("{gray}/Width 4000000000/Height 9"), b"x", flat).build()),
        (
            "an image drawn again and again",
            image(
                &format!("{gray}/Filter/FlateDecode/Width 3000/Height 3000"),
                &deflated(&vec![9; 9_000_000]),
                &flat.repeat(3_000),
            )
            .build(),
        ),
        (
            "an image stretched without end",
            image(&format!("{gray}/Width 32767/Height 1"), &[9; 32767], "600 0 0 900000 0 0 cm /X Do ").build(),
        ),
        (
            "a photograph of all pixels",
            image("/ColorSpace/DeviceRGB/Width 9/Height 9/Filter/DCTDecode", &frame, flat).build(),
        ),
        (
            "a fax of all columns",
            image(
                &format!(
                    "{gray}/Width 9/Height 9/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 1000000000/Rows 9>>"
                ),
                &[9; 64],
                flat,
            )
            .build(),
        ),
        (
            "a mask of all columns",
            image(&format!("{gray}/Width 9/Height 9/SMask 7 0 R"), &[9; 81], flat)
                .stream(7, &format!("/Subtype/Image/BitsPerComponent 8{gray}/Width 4000000000/Height 9"), "x")
                .build(),
        ),
        (
            "an image that expands twice",
            image(&format!("{gray}/Width 9/Height 9/Filter[/FlateDecode/FlateDecode]"), &twice(&zeros.repeat(8)), flat)
                .build(),
        ),
        (
            "content that expands twice",
            page("/XObject<</X 6 0 R>>", "/X Do")
                .stream(6, &format!("{FORM}/Filter[/FlateDecode/FlateDecode]"), twice(&zeros.repeat(8)))
                .build(),
        ),
        (
            "images without a size",
            page("/XObject<</X 6 0 R>>", "/X Do ".repeat(2_000_000)).stream(6, "/Subtype/Image", "x").build(),
        ),
        (
            "images beside the page",
            image(&format!("{gray}/Width 1/Height 1"), b"x", &"q 1 0 0 1 9000 9000 cm /X Do Q ".repeat(500_000))
                .build(),
        ),
    ]
}

fn fonts() -> CostlyPages {
    let composite = |entries: &str, more: &str| {
        format!(
            "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H{more}/DescendantFonts[<</Type/Font/Subtype/CIDFontType2\
             /BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>{entries}>>]>>"
        )
    };
    let shown = "BT /F 9 Tf <00010002> Tj ET";
    let of = |font: &str| page("/Font<</F 7 0 R>>", shown).object(7, font);
    let wide = "/W[7 [9 9] 0 2147483647 500]";
    let descriptor = "/FontDescriptor<</Type/FontDescriptor/FontFile2 9 0 R>>";
    let bomb = twice(&vec![0; 400_000_000]);
    let chain = "/Filter[/FlateDecode/FlateDecode]";
    let many = (0..3_000).map(|at| format!("/F{at} {} 0 R ", 100 + at)).collect::<String>();
    let choose = (0..3_000).map(|at| format!("/F{at} 9 Tf ")).collect::<String>();
    let mut shared = page(&format!("/Font<<{many}>>"), choose).object(9, "[0 65535 500 0 65535 400]");
    for at in 0..3_000 {
        shared = shared.object(100 + at, composite(&format!("/W 9 0 R/X {at}"), ""));
    }
    let in_form =
        page("/XObject<</X 6 0 R>>", "/X Do").stream(6, &format!("{FORM}/Resources<</Font<</F 7 0 R>>>>"), shown);
    let in_state = page("/ExtGState<</G<</Font[7 0 R 9]>>>>", "BT /G gs <00010002> Tj ET");
    let in_glyph = page("/Font<</F 6 0 R>>", "BT /F 9 Tf (A) Tj ET")
        .object(6, format!("{TYPE3}/Encoding<</Differences[65/A]>>/Resources<</Font<</F 7 0 R>>>>>>"))
        .stream(8, "", format!("1000 0 d0 {shown}"));
    vec![
        ("widths of all ranges", of(&composite(wide, "")).build()),
        (
            "widths by references",
            of(&composite("/W[10 0 R 11 0 R 500]", "")).object(10, "0").object(11, "4000000000").build(),
        ),
        ("vertical widths", of(&composite("/W2[7 [9 9 9] 0 2147483647 500 9 9]", "")).build()),
        (
            "widths that begin late",
            of("<</Type/Font/Subtype/TrueType/BaseFont/Arial/FirstChar 2147483646/LastChar 2147483647/Widths[9 9]>>")
                .build(),
        ),
        ("widths in a form's font", in_form.object(7, composite(wide, "")).build()),
        ("widths in a state's font", in_state.object(7, composite(wide, "")).build()),
        ("widths in a glyph's font", in_glyph.object(7, composite(wide, "")).build()),
        ("widths that 3,000 fonts share", shared.build()),
        ("a font that expands twice", of(&composite(descriptor, "")).stream(9, chain, &bomb).build()),
        ("a map that expands twice", of(&composite("", "/ToUnicode 9 0 R")).stream(9, chain, &bomb).build()),
        (
            "maps in a map",
            of(&composite("", "/ToUnicode 9 0 R"))
                .stream(9, "/Type/CMap", "/UniJIS-UTF16-H usecmap\n".repeat(3_000))
                .build(),
        ),
    ]
}

fn contents() -> CostlyPages {
    let spaces = vec![b' '; 480_000_000];
    let many = format!("/Contents[{}]", "6 0 R ".repeat(2_000));
    let of = |entries: &str, filters: &str, data: &[u8]| page("", "").entries(entries).stream(6, filters, data).build();
    vec![
        ("a page that expands twice", of("/Contents 6 0 R", "/Filter[/FlateDecode/FlateDecode]", &twice(&spaces))),
        (
            "one part of a page again and again",
            of(&many, "/Filter/FlateDecode", &deflated(spaces.get(..4_000_000).unwrap())),
        ),
    ]
}
