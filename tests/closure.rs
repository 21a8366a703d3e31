//! What a chunk takes along and what it leaves behind, one small document for each thing.
//!
//! In these documents every name and string that must survive begins with `Keep`, and every one that must not begins
//! with `Drop`; object 3 is the page, object 4 another page, and further objects are numbered from 5.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use super::support::file_of;
use lopdf::{Document as Chunk, Object, ObjectId};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, Tier};
use pagewise_split::{CutNote, PageChunk, cut};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A document whose catalog and page have these entries.
fn document(catalog: &str, page: &str, objects: &[String]) -> Vec<u8> {
    let mut all = vec![
        format!("<</Type/Catalog/Pages 2 0 R {catalog}>>"),
        "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]{page}>>"),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 7 7]/DropOtherPage true>>".to_owned(),
    ];
    all.extend_from_slice(objects);
    file_of(&all)
}

fn stream(dictionary: &str, data: &str) -> String {
    format!("<<{dictionary}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

fn of<const N: usize>(objects: [&str; N]) -> Vec<String> {
    objects.map(str::to_owned).to_vec()
}

fn cut_first(file: Vec<u8>) -> PageChunk {
    let document = Document::open(Arc::new(file), None, &Limits::default()).unwrap();
    cut(&document, PageIndex(0)).unwrap()
}

/// The chunk of the first page, read back.
fn chunk(catalog: &str, page: &str, objects: &[String]) -> Chunk {
    let chunk = cut_first(document(catalog, page, objects));
    assert_eq!(chunk.tier, Tier::Direct, "the document of the test is not sound");
    Chunk::load_mem(&chunk.bytes).unwrap()
}

/// Follows `path`, keys and indices, from the catalog (`Root`) or the page (`Page`).
fn at(chunk: &Chunk, path: &str) -> Option<Object> {
    let mut steps = path.split('/');
    let mut here = match steps.next()? {
        "Page" => chunk.get_object(chunk.page_iter().next()?).ok()?,
        _ => chunk.dereference(chunk.trailer.get(b"Root").ok()?).ok()?.1,
    };
    for step in steps {
        let next = match here {
            Object::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            Object::Stream(stream) => stream.dict.get(step.as_bytes()).ok()?,
            other => other.as_dict().ok()?.get(step.as_bytes()).ok()?,
        };
        here = chunk.dereference(next).ok()?.1;
    }
    Some(here.clone())
}

/// All that can be reached in a file: keys, names, strings and decoded data.
fn everything(chunk: &Chunk) -> String {
    fn walk(chunk: &Chunk, object: &Object, seen: &mut BTreeSet<ObjectId>, out: &mut Vec<u8>) {
        let mut entries = |dictionary: &lopdf::Dictionary, out: &mut Vec<u8>| {
            for (key, value) in dictionary {
                out.extend(key);
                out.push(b' ');
                walk(chunk, value, seen, out);
            }
        };
        match object {
            Object::Name(bytes) | Object::String(bytes, _) => out.extend(bytes),
            Object::Array(elements) => elements.iter().for_each(|element| walk(chunk, element, seen, out)),
            Object::Dictionary(dictionary) => entries(dictionary, out),
            Object::Stream(stream) => {
                entries(&stream.dict, out);
                out.extend(stream.decompressed_content().unwrap_or_else(|_| stream.content.clone()));
            }
            Object::Reference(id) if seen.insert(*id) => walk(chunk, chunk.get_object(*id).unwrap(), seen, out),
            _ => {}
        }
        out.push(b' ');
    }
    let mut out = Vec::new();
    walk(chunk, &Object::Dictionary(chunk.trailer.clone()), &mut BTreeSet::new(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The words of `text` that begin with `prefix`.
fn words<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with(prefix)).collect()
}

/// Cuts the page and holds it to the names in the document.
fn check(what: &str, catalog: &str, page: &str, objects: &[String]) -> Chunk {
    let chunk = chunk(catalog, page, objects);
    let found = everything(&chunk);
    let source = format!("{catalog} {page} {}", objects.join(" "));
    assert_eq!(words(&source, "Keep"), words(&found, "Keep"), "{what}: lost what is to be kept");
    assert_eq!(words(&found, "Drop"), BTreeSet::new(), "{what}: kept what is to be dropped");
    assert_eq!(chunk.get_pages().len(), 1, "{what}");
    chunk
}

#[test]
fn the_page_keeps_its_own_attributes() {
    let page = "/ArtBox[1 1 9 9]/BleedBox[2 2 9 9]/CropBox[3 3 9 9]/TrimBox[4 4 9 9]/Rotate 90/UserUnit 2.50/Tabs/S
        /Group<</S/Transparency/CS/DeviceRGB/KeepGroup 1>>/VP[<</Type/Viewport/Name(KeepViewport)>>]
        /BoxColorInfo<</CropBox<</KeepGuide 1>>>>/Metadata 5 0 R/PieceInfo<</DropTool 1>>/Thumb 6 0 R/LastModified(Drop)
        /AA<</O<</S/JavaScript/JS(DropScript)>>>>/B[7 0 R]/StructParents 0/Dur 5/Trans<</DropTransition 1>>/ID(DropId)
        /AF[8 0 R]/PresSteps<</DropStep 1>>/TemplateInstantiated/DropTemplate/SeparationInfo<</DropPlate 1>>";
    let objects = [
        stream("/Type/Metadata/Subtype/XML", "DropXmp"),
        stream("/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "D"),
        "<</Type/Bead/T(DropThread)>>".to_owned(),
        "<</Type/Filespec/F(DropAssociated)/EF<</F 9 0 R>>>>".to_owned(),
        stream("/Type/EmbeddedFile", "DropFile"),
    ];
    let chunk = check("page", "", page, &objects);
    for (key, corner) in [("ArtBox", 1), ("BleedBox", 2), ("CropBox", 3), ("TrimBox", 4)] {
        assert_eq!(at(&chunk, &format!("Page/{key}/0")).unwrap().as_i64().unwrap(), corner, "{key}");
    }
    assert_eq!(at(&chunk, "Page/Rotate").unwrap().as_i64().unwrap(), 90);
    assert_eq!(at(&chunk, "Page/Tabs").unwrap().as_name().unwrap(), b"S");
    assert!((at(&chunk, "Page/UserUnit").unwrap().as_float().unwrap() - 2.5).abs() < 1e-6);
    for key in ["Thumb", "StructParents", "Dur", "LastModified"] {
        assert_eq!(at(&chunk, &format!("Page/{key}")), None, "{key}");
    }
}

#[test]
fn the_document_stays_behind() {
    let catalog = "/Lang(KeepLanguage)/Extensions<</KeepPrefix<</BaseVersion/1.7/ExtensionLevel 3>>>>
        /Outlines 5 0 R/Names<</JavaScript<</Names[(DropName) 6 0 R]>>/EmbeddedFiles<</Names[(DropFile) 7 0 R]>>
        /Dests<</Names[(DropPlace)[4 0 R/Fit]]>>>>/Dests<</DropOld[4 0 R/Fit]>>/StructTreeRoot 8 0 R/MarkInfo<</Marked true>>
        /Metadata 9 0 R/OpenAction 6 0 R/AA<</WC 6 0 R>>/Threads[10 0 R]/Perms<</DocMDP 10 0 R>>/DSS<</DropDss 1>>
        /PieceInfo<</DropTool 1>>/Collection<</DropPortfolio 1>>/Legal<</DropLegal 1>>/SpiderInfo<</DropSpider 1>>
        /URI<</Base(DropBase)>>/ViewerPreferences<</DropPreference 1>>/Requirements[<</DropRequirement 1>>]";
    let objects = [
        "<</Type/Outlines/First<</Title(DropTitle)>>>>".to_owned(),
        "<</S/JavaScript/JS(DropScript)>>".to_owned(),
        "<</Type/Filespec/F(DropSpec)>>".to_owned(),
        "<</Type/StructTreeRoot/K<</Type/StructElem/S/DropElement>>>>".to_owned(),
        stream("/Type/Metadata/Subtype/XML", "DropXmp"),
        "<</DropThread 1>>".to_owned(),
        "<</Title(DropTitle)>>".to_owned(),
    ];
    let chunk = check("catalog", catalog, "/StructParents 0", &objects);
    assert!(chunk.catalog().unwrap().get(b"MarkInfo").is_err());

    let file = document("", "", &objects);
    let file =
        String::from_utf8(file).unwrap().replace("/Root 1 0 R", "/Info 11 0 R /Root 1 0 R /ID[(DropId)(DropId)]");
    let chunk = cut_first(file.into_bytes());
    assert_eq!(chunk.tier, Tier::Direct);
    let chunk = Chunk::load_mem(&chunk.bytes).unwrap();
    assert_eq!(words(&everything(&chunk), "Drop"), BTreeSet::new());
    assert!(chunk.trailer.get(b"Info").is_err());
}

#[test]
fn annotations_of_every_kind_keep_their_appearances() {
    let kinds = [
        "3D",
        "Caret",
        "Circle",
        "FileAttachment",
        "FreeText",
        "Highlight",
        "Ink",
        "Line",
        "Link",
        "Movie",
        "PolyLine",
        "Polygon",
        "Popup",
        "PrinterMark",
        "Projection",
        "Redact",
        "RichMedia",
        "Screen",
        "Sound",
        "Square",
        "Squiggly",
        "Stamp",
        "StrikeOut",
        "Text",
        "TrapNet",
        "Underline",
        "Unheard-of",
        "Watermark",
        "Widget",
    ];
    let form = |data: &str| stream("/Type/XObject/Subtype/Form/BBox[0 0 1 1]", data);
    let objects = [form("%KeepOn"), form("%KeepOff"), form("%KeepDown"), form("%KeepRollover")];
    for kind in kinds {
        let page = format!(
            "/Annots[<</Type/Annot/Subtype/{kind}/Rect[0 0 9 9]/AS/On/Contents(KeepContents)/NM(KeepName)/T(KeepTitle)
            /C[1 0 0]/F 4/AP<</N<</On 5 0 R/Off 6 0 R>>/D 7 0 R/R 8 0 R>>/AA<</E<</S/Named/N/DropEnter>>>>
            /StructParent 1/PieceInfo<</DropTool 1>>>>]"
        );
        let chunk = check(kind, "", &page, &objects);
        assert_eq!(at(&chunk, "Page/Annots/0/Subtype").unwrap().as_name().unwrap(), kind.as_bytes());
        assert_eq!(at(&chunk, "Page/Annots/0/AS").unwrap().as_name().unwrap(), b"On");
    }
}

#[test]
fn annotations_refer_to_those_of_their_page_alone() {
    let objects = of([
        "<</Subtype/Text/Popup 6 0 R/P 3 0 R/Contents(KeepNote)>>",
        "<</Subtype/Popup/Parent 5 0 R/P 4 0 R/Contents(KeepPopup)>>",
        "<</Subtype/Text/IRT 5 0 R/RT/Group/Popup 9 0 R/Contents(KeepReply)>>",
        "<</Subtype/Text/IRT 10 0 R/Contents(KeepReplyElsewhere)>>",
        "<</Subtype/Popup/Parent 7 0 R/P 4 0 R/Contents(DropPopup)>>",
        "<</Subtype/Text/P 4 0 R/Contents(DropElsewhere)>>",
    ]);
    let chunk = check("annotations", "", "/Annots[5 0 R 6 0 R 7 0 R 8 0 R]", &objects);
    let contents =
        |path: &str| at(&chunk, &format!("Page/Annots/{path}/Contents")).map(|text| text.as_str().unwrap().to_vec());
    assert_eq!(contents("0/Popup").unwrap(), b"KeepPopup");
    assert_eq!(contents("1/Parent").unwrap(), b"KeepNote");
    assert_eq!(contents("2/IRT").unwrap(), b"KeepNote");
    assert_eq!((contents("2/Popup"), contents("3/IRT")), (None, None));
    let page = chunk.page_iter().next().unwrap();
    let own = chunk.get_dictionary(page).unwrap().get(b"Annots").and_then(Object::as_array).unwrap()[0].clone();
    let own = chunk.dereference(&own).unwrap().1.as_dict().unwrap();
    assert_eq!(own.get(b"P").and_then(Object::as_reference).unwrap(), page);
}

#[test]
fn links_lead_within_the_page_or_out_of_the_document() {
    let kept = [
        "/Dest[3 0 R/XYZ 0 0/KeepZoom]",
        "/Dest(KeepNamed)",
        "/Dest/KeepNamed",
        "/Dest 6 0 R",
        "/A<</S/GoTo/D[3 0 R/KeepFit]>>",
        "/A<</S/GoTo/D(KeepNamed)>>",
        "/A<</S/URI/URI(KeepUri)/Next<</S/JavaScript/JS(DropNext)>>>>",
        "/A<</S/URI/URI(KeepUri)>>/PA<</S/URI/URI(DropCaptured)>>",
        "/A 5 0 R",
        "/A<</S/GoToR/F(KeepFile)/D[0/Fit]>>",
        "/A<</S/GoToR/F<</F(KeepFile)/EF<</F 7 0 R>>>>/D[0/Fit]>>",
        "/A<</S/Named/N/KeepNextPage>>",
    ];
    let dropped = [
        "/Dest[4 0 R/DropFit]",
        "/Dest 8 0 R",
        "/A<</S/GoTo/D[4 0 R/DropFit]>>",
        "/A<</S/GoTo/D 8 0 R/Next[<</S/URI/URI(DropUri)>>]>>",
        "/A<</S/JavaScript/JS(DropScript)>>",
        "/A<</S/JavaScript/JS 7 0 R>>",
        "/A<</S/Launch/F(DropProgram)>>",
        "/A<</S/SubmitForm/F(DropUrl)>>",
        "/A<</S/ImportData/F(DropData)>>",
        "/A<</S/Rendition/JS(DropScript)/R<</DropMedia 1>>>>",
        "/A<</S/Movie/T(DropMovie)>>",
        "/A<</S/Sound/Sound 7 0 R>>",
        "/A<</S/Hide/T(DropField)>>",
        "/A<</S/ResetForm/Fields[(DropField)]>>",
        "/A<</S/Thread/D(DropThread)>>",
        "/A<</S/GoToE/T<</R/C/N(DropEmbedded)>>>>",
        "/A<</S/RichMediaExecute/CMD<</C(DropCommand)>>>>",
        "/A<</Next<</S/JavaScript/JS(DropScript)>>>>",
        "/AA<</D<</S/JavaScript/JS(DropScript)>>>>",
    ];
    for link in kept.into_iter().chain(dropped) {
        let mut objects = of(["<</S/URI/URI(KeepUri)>>", "[3 0 R/KeepFit]"]);
        objects.push(stream("", "DropStream"));
        objects.push("[4 0 R/DropFit]".to_owned());
        let unused = [("5 0 R", 0), ("6 0 R", 1)];
        for (reference, index) in unused {
            if !link.contains(reference) {
                objects[index] = "null".to_owned();
            }
        }
        let page = format!("/Annots[<</Subtype/Link/Rect[0 0 9 9]/Contents(KeepLink){link}>>]");
        check(link, "", &page, &objects);
    }
}

#[test]
fn attached_files_stay_behind() {
    let file = stream("/Type/EmbeddedFile", "DropFile");
    for specification in [
        "<</Type/Filespec/F(KeepName)/EF<</F 6 0 R/UF 6 0 R>>/RF<</F[(DropRelated) 6 0 R]>>>>",
        "<</UF(KeepName)/EF<</UF 6 0 R>>>>",
        "<</Desc(KeepName)/EF<</F 6 0 R>>>>",
    ] {
        let objects = [specification.to_owned(), file.clone()];
        let page = "/Annots[<</Subtype/FileAttachment/Rect[0 0 9 9]/FS 5 0 R/Contents(KeepContents)>>]";
        check(specification, "", page, &objects);
    }
    let assets = "<</Assets<</Names[(KeepClip) 7 0 R]>>>>".to_owned();
    let objects = [assets, file, "<</Type/Filespec/F(KeepName)/EF<</F 6 0 R>>>>".to_owned()];
    check("RichMedia", "", "/Annots[<</Subtype/RichMedia/RichMediaContent 5 0 R>>]", &objects);
}

#[test]
fn scripts_of_three_dimensional_art_do_not_run() {
    let objects = [stream("/Type/3D/Subtype/U3D/OnInstantiate 6 0 R", "KeepArt"), stream("", "DropScript")];
    check("3D", "", "/Annots[<</Subtype/3D/3DD 5 0 R>>]", &objects);
}

#[test]
fn default_fonts_that_are_not_in_the_file_leave_nothing() {
    let catalog = "/AcroForm<</DA(/Lost 9 Tf)/Fields[5 0 R]/DR<</Font<</Lost 9 0 R>>>>>>";
    let objects = ["<</T(KeepName)/FT/Tx/Subtype/Widget/Rect[0 0 9 9]>>".to_owned()];
    let chunk = check("lost font", catalog, "/Annots[5 0 R]", &objects);
    assert!(at(&chunk, "Root/AcroForm/DR/Font").is_none());
    assert_eq!(at(&chunk, "Root/AcroForm/DA").unwrap().as_str().unwrap(), b"/Lost 9 Tf");
}

#[test]
fn fields_keep_what_they_inherit() {
    let catalog = "/AcroForm<</DA(/KeepFormFont 9 Tf)/Q 1/NeedAppearances true/SigFlags 3/XFA 9 0 R/CO[5 0 R]
        /Fields[5 0 R 8 0 R]/DR<</Font<</KeepFormFont 10 0 R/KeepFieldFont 11 0 R/DropFont 12 0 R>>
        /XObject<</DropForm 9 0 R>>>>>>";
    let objects = [
        "<</T(KeepTop)/FT/Tx/Ff 4096/V(KeepValue)/DV(KeepDefault)/DA(/KeepFieldFont 7 Tf)/MaxLen 40/Kids[6 0 R 13 0 R]
            /AA<</K<</S/JavaScript/JS(DropScript)>>>>/Parent 1 0 R>>"
            .to_owned(),
        "<</T(KeepMiddle)/Opt[(KeepOption)]/TU(KeepTooltip)/Parent 5 0 R/Kids[7 0 R 14 0 R]>>".to_owned(),
        "<</Subtype/Widget/Rect[0 0 9 9]/Parent 6 0 R/MK<</CA(KeepCaption)>>>>".to_owned(),
        "<</T(DropField)/FT/Tx/V(DropValue)/Kids[14 0 R]>>".to_owned(),
        stream("", "DropXfa"),
        "<</Type/Font/BaseFont/KeepFormBase>>".to_owned(),
        "<</Type/Font/BaseFont/KeepFieldBase>>".to_owned(),
        "<</Type/Font/BaseFont/DropBase>>".to_owned(),
        "<</T(DropSibling)/Parent 5 0 R/Subtype/Widget/P 4 0 R>>".to_owned(),
        "<</Subtype/Widget/Parent 6 0 R/P 4 0 R/V(DropElsewhere)>>".to_owned(),
    ];
    let chunk = check("field chain", catalog, "/Annots[7 0 R]", &objects);
    let top = "Root/AcroForm/Fields/0";
    assert_eq!(at(&chunk, &format!("{top}/Kids/0/Kids/0/Subtype")).unwrap().as_name().unwrap(), b"Widget");
    assert_eq!(at(&chunk, "Page/Annots/0/Parent/Parent/V").unwrap().as_str().unwrap(), b"KeepValue");
    assert_eq!(at(&chunk, &format!("{top}/Ff")).unwrap().as_i64().unwrap(), 4096);
    assert_eq!(at(&chunk, &format!("{top}/MaxLen")).unwrap().as_i64().unwrap(), 40);
    for absent in ["Root/AcroForm/CO", "Root/AcroForm/Fields/1", &format!("{top}/Parent"), &format!("{top}/Kids/1")] {
        assert_eq!(at(&chunk, absent), None, "{absent}");
    }
}

#[test]
fn widgets_are_found_from_above_and_where_they_stand_directly() {
    let catalog = "/AcroForm<</Fields[5 0 R]>>";
    let objects = of([
        "<</T(KeepField)/FT/Tx/V(KeepValue)/Kids[6 0 R 7 0 R]>>",
        "<</Subtype/Widget/Contents(KeepWidget)>>",
        "<</Subtype/Widget/Contents(DropWidget)>>",
    ]);
    let chunk = check("without /Parent", catalog, "/Annots[6 0 R]", &objects);
    assert!(at(&chunk, "Root/AcroForm/Fields/0/Kids/0").is_some());

    let objects = of(["<</T(KeepField)/FT/Tx/V(KeepValue)>>"]);
    let page = "/Annots[<</Subtype/Widget/Contents(KeepWidget)/Parent 5 0 R>>]";
    let chunk = check("direct widget", catalog, page, &objects);
    assert!(at(&chunk, "Root/AcroForm/Fields/0/T").is_some());
    assert_eq!(at(&chunk, "Page/Annots/0/Parent/V").unwrap().as_str().unwrap(), b"KeepValue");
}

#[test]
fn signatures_are_left_unsigned() {
    let signature = "<</Type/Sig/Filter/KeepHandler/SubFilter/KeepFormat/Name(KeepSigner)/M(D:2024)/Reason(KeepReason)
        /Contents(DropSignature)/ByteRange[0 1 2 3]/Cert(DropCertificate)/Reference[<</DropReference 1>>]
        /Prop_Build<</DropBuild 1>>>>";
    let form = "/AcroForm<</Fields[5 0 R]/SigFlags 3>>";
    let merged = of(["<</FT/Sig/T(KeepField)/Subtype/Widget/V 6 0 R>>", signature]);
    let chunk = check("merged", form, "/Annots[5 0 R]", &merged);
    assert_eq!(at(&chunk, "Page/Annots/0/V/ByteRange"), None);
    let split = of(["<</FT/Sig/T(KeepField)/V 6 0 R/Kids[7 0 R]>>", signature, "<</Parent 5 0 R/Subtype/Widget>>"]);
    check("split", form, "/Annots[7 0 R]", &split);
    let inherited = of(["<</FT/Sig/T(KeepField)/Kids[7 0 R]>>", signature, "<</Parent 5 0 R/Subtype/Widget/V 6 0 R>>"]);
    check("type inherited", form, "/Annots[7 0 R]", &inherited);
}

#[test]
fn layers_are_reduced_to_those_that_the_page_reaches() {
    let catalog = "/OCProperties<</OCGs[10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R]/D<</Name(KeepName)/BaseState/ON
        /ON[10 0 R 15 0 R]/OFF[11 0 R 15 0 R]/Locked[12 0 R 15 0 R]/ListMode/AllPages/RBGroups[[10 0 R 15 0 R][15 0 R]]
        /Order[10 0 R[(KeepHeading) 11 0 R 15 0 R][(DropHeading) 15 0 R] 16 0 R]
        /AS[<</Event/View/OCGs[13 0 R 15 0 R]/Category[/KeepCategory]>>]>>/Configs[<</Name(DropConfiguration)>>]>>";
    let form = |entries: &str| stream(&format!("/Type/XObject/Subtype/Form/BBox[0 0 1 1]{entries}"), "q Q");
    let objects = [
        stream("", "/A Do /OC /P BDC EMC"),
        form("/OC 10 0 R"),
        "<</Subtype/Text/OC 11 0 R/Contents(KeepNote)>>".to_owned(),
        "<</Type/OCMD/OCGs[12 0 R]/P/AnyOn/VE[/And[/Not 13 0 R]14 0 R]>>".to_owned(),
        form("/OC 15 0 R/DropUnused 1"),
        "<</Type/OCG/Name(KeepByObject)/Usage<</Print<</KeepUsage 1>>>>>>".to_owned(),
        "<</Type/OCG/Name(KeepByAnnotation)>>".to_owned(),
        "<</Type/OCG/Name(KeepByMembership)>>".to_owned(),
        "<</Type/OCG/Name(KeepByExpression)>>".to_owned(),
        "<</Type/OCG/Name(KeepByExpressionToo)>>".to_owned(),
        "<</Type/OCG/Name(DropLayer)>>".to_owned(),
        "[(KeepIndirectHeading) 13 0 R 15 0 R]".to_owned(),
    ];
    let page = "/Contents 5 0 R/Annots[7 0 R]
        /Resources<</XObject<</A 6 0 R/B 9 0 R>>/Properties<</P 8 0 R/Q 15 0 R>>>>";
    let chunk = check("layers", catalog, page, &objects);
    let length = |path: &str| at(&chunk, &format!("Root/OCProperties/{path}")).unwrap().as_array().unwrap().len();
    assert_eq!(length("OCGs"), 5);
    for (key, expected) in [("ON", 1), ("OFF", 1), ("Locked", 1), ("RBGroups", 1), ("RBGroups/0", 1), ("Order", 3)] {
        assert_eq!(length(&format!("D/{key}")), expected, "{key}");
    }
    assert_eq!(length("D/AS/0/OCGs"), 1);
    assert_eq!(at(&chunk, "Root/OCProperties/D/OFF/0/Name").unwrap().as_str().unwrap(), b"KeepByAnnotation");
    let without = self::chunk(catalog, "", &objects);
    assert_eq!(at(&without, "Root/OCProperties"), None);
}

#[test]
fn orders_of_layers_that_contain_themselves_end() {
    let catalog = "/OCProperties<</OCGs[5 0 R]/D<</Order[6 0 R]>>>>";
    let objects = of(["<</Type/OCG/Name(KeepLayer)>>", "[5 0 R 6 0 R 6 0 R 7 0 R]", "[6 0 R 5 0 R 6 0 R]"]);
    check("order", catalog, "/Annots[<</Subtype/Text/OC 5 0 R>>]", &objects);
}

#[test]
fn output_intents_stay_where_their_device_colour_is_used() {
    let image = |space: &str| {
        let data = "0".repeat(12);
        stream(&format!("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace{space}"), &data)
    };
    let form = |content: &str| stream("/Subtype/Form/BBox[0 0 1 1]", content);
    let shading = |space: &str| format!("<</ShadingType 2/ColorSpace{space}/Coords[0 0 1 1]>>");
    let cases = [
        ("0 g 0 0 1 1 re f", "null".to_owned(), 1),
        ("0 G", "null".to_owned(), 1),
        ("0 0 0 rg", "null".to_owned(), 3),
        ("0 0 0 RG", "null".to_owned(), 3),
        ("0 0 0 1 k", "null".to_owned(), 4),
        ("0 0 0 1 K", "null".to_owned(), 4),
        ("/DeviceCMYK cs", "null".to_owned(), 4),
        ("BI /W 1/H 1/BPC 8/CS/RGB ID 000 EI", "null".to_owned(), 3),
        ("BI /W 1/H 1/BPC 8/CS/CMYK ID 0000 EI", "null".to_owned(), 4),
        ("/X Do", image("/DeviceRGB"), 3),
        ("/X Do", image("[/Indexed/DeviceCMYK 1(01234567)]"), 4),
        ("/X Do", image("/DeviceGray"), 1),
        ("/X Do", form("0 0 0 1 k"), 4),
        ("/X Do", form("0 0 0 rg"), 3),
        ("/X Do", image("[/CalRGB<</WhitePoint[1 1 1]>>]"), 0),
        ("/X Do", image("[/Separation/Spot/DeviceCMYK 7 0 R]"), 4),
        ("/S sh", shading("/DeviceRGB"), 3),
        ("/S sh", shading("/DeviceCMYK"), 4),
        ("/P scn", format!("<</PatternType 2/Shading {}>>", shading("/DeviceCMYK")), 4),
        ("q Q", "null".to_owned(), 0),
    ];
    for (content, object, components) in cases {
        let mut objects = vec![stream("", content), object, "<</FunctionType 2/N 1/Domain[0 1]>>".to_owned()];
        for count in [1, 3, 4] {
            objects.push(stream(&format!("/N {count}"), "profile"));
        }
        let catalog = "/OutputIntents[<</S/GTS_PDFX/DestOutputProfile 8 0 R>><</S/GTS_PDFX/DestOutputProfile 9 0 R>>
            <</S/GTS_PDFX/DestOutputProfile 10 0 R>>]";
        let page = "/Contents 5 0 R/Resources<</XObject<</X 6 0 R>>/Shading<</S 6 0 R>>/Pattern<</P 6 0 R>>>>";
        let chunk = chunk(catalog, page, &objects);
        let kept: Vec<i64> = (0..3)
            .filter_map(|index| at(&chunk, &format!("Root/OutputIntents/{index}/DestOutputProfile/N")))
            .map(|n| n.as_i64().unwrap())
            .collect();
        let expected: Vec<i64> = [components].into_iter().filter(|components| *components > 0).collect();
        assert_eq!(kept, expected, "{content} {}", objects[1]);
    }
}

/// A page with this content and these resources, and objects from 6 on.
fn drawn(what: &str, content: &str, resources: &str, objects: &[String]) -> Chunk {
    let mut all = vec![stream("", content)];
    all.extend_from_slice(objects);
    check(what, "", &format!("/Contents 5 0 R/Resources<<{resources}>>"), &all)
}

fn font(name: &str) -> String {
    format!("<</Type/Font/Subtype/Type1/BaseFont/{name}>>")
}

fn form(entries: &str, content: &str) -> String {
    stream(&format!("/Type/XObject/Subtype/Form/BBox[0 0 1 1]{entries}"), content)
}

#[test]
fn resources_are_pruned_to_the_names_in_use() {
    let objects = [font("KeepUsed"), font("DropUnused"), form("", "%DropForm"), "<</DropState 1>>".to_owned()];
    let resources = "/ProcSet[/PDF]/Font<</A 6 0 R/B 7 0 R>>/XObject<</C 8 0 R>>/ExtGState<</D 9 0 R>>";
    drawn("page", "/A 1 Tf", resources, &objects);
    drawn("in a string", "(/A) Tj", resources, &objects);
    drawn("in an array", "[/A]0 d", resources, &objects);
}

#[test]
fn soft_masks_patterns_and_fonts_keep_what_they_draw_with() {
    let cases = [
        (
            "soft mask",
            "/G gs",
            "/ExtGState<</G<</SMask<</S/Luminosity/G 6 0 R/TR/Identity>>>>>>",
            form("/Group<</S/Transparency/CS/DeviceGray>>/Resources<</Font<</A 7 0 R/B 8 0 R>>>>", "/A 1 Tf %KeepMask"),
        ),
        (
            "soft mask without resources",
            "/G gs",
            "/ExtGState<</G<</SMask<</S/Alpha/G 6 0 R>>>>>>/Font<</A 7 0 R/B 8 0 R>>",
            form("/Group<</S/Transparency>>", "/A 1 Tf %KeepMask"),
        ),
        (
            "tiling pattern",
            "/Pattern cs /P scn",
            "/Pattern<</P 6 0 R>>",
            stream("/PatternType 1/PaintType 1/Resources<</Font<</A 7 0 R/B 8 0 R>>>>", "/A 1 Tf %KeepTile"),
        ),
        (
            "Type 3 font with resources",
            "/T 1 Tf",
            "/Font<</T<</Subtype/Type3/CharProcs<</KeepGlyph 6 0 R>>/Resources 9 0 R>>>>",
            stream("", "/A 1 Tf %KeepProcedure"),
        ),
        (
            "Type 3 font without resources",
            "/T 1 Tf",
            "/Font<</T<</Subtype/Type3/CharProcs<</KeepGlyph 6 0 R>>>>/A 7 0 R/B 8 0 R>>",
            stream("", "/A 1 Tf %KeepProcedure"),
        ),
        ("form that borrows", "/X Do", "/XObject<</X 6 0 R>>/Font<</A 7 0 R/B 8 0 R>>", form("", "/A 1 Tf %KeepForm")),
        (
            "form that looks around it",
            "/X Do",
            "/XObject<</X 6 0 R>>/Font<</A 7 0 R/B 8 0 R>>",
            form("/Resources<</ProcSet[/PDF]>>", "/A 1 Tf %KeepForm"),
        ),
        (
            "shading pattern",
            "/Pattern cs /P scn",
            "/Pattern<</P<</PatternType 2/Shading<</ShadingType 1/ColorSpace/KeepSpace/Function 6 0 R>>>>>>/Font<</B 8 0 R>>",
            stream("/FunctionType 4/Domain[0 1]/Range[0 1]/KeepFont 7 0 R", "{}"),
        ),
    ];
    for (what, content, resources, object) in cases {
        let mut objects = vec![object, font("KeepUsed"), font("DropUnused")];
        objects.push("<</Font<</A 7 0 R/B 8 0 R>>>>".to_owned());
        if what != "Type 3 font with resources" {
            objects.pop();
        }
        let chunk = drawn(what, content, resources, &objects);
        assert!(everything(&chunk).contains("KeepUsed"), "{what}");
    }
}

#[test]
fn nested_forms_name_resources_of_all_around_them() {
    let objects = [
        form("/Resources<</XObject<</Y 7 0 R>>/Font<</M 9 0 R/N 10 0 R>>>>", "/Y Do"),
        form("/Resources<</ProcSet[/PDF]>>", "/A 1 Tf /M 1 Tf /Z Do"),
        form("", "/S 1 Tf"),
        font("KeepOfTheFormAround"),
        font("DropOfTheFormAround"),
        font("KeepOfThePage"),
        font("DropOfThePage"),
        font("KeepOfThePageByTheInnermost"),
    ];
    let resources = "/XObject<</X 6 0 R/Z 8 0 R>>/Font<</A 11 0 R/B 12 0 R/S 13 0 R>>";
    drawn("nested", "/X Do", resources, &objects);

    let objects = [
        form("/Resources<</XObject<</Y 7 0 R>>/Font<</A 8 0 R/B 9 0 R>>>>", "/Y Do"),
        form("", "/A 1 Tf"),
        font("KeepOfTheFormAround"),
        font("DropOfTheFormAround"),
    ];
    drawn("inner form without resources", "/X Do", "/XObject<</X 6 0 R>>", &objects);
    let objects = [
        form("/Resources<</Font<</T<</Subtype/Type3/CharProcs<</G 7 0 R>>>>/A 8 0 R/B 9 0 R>>>>", "/T 1 Tf"),
        stream("", "/A 1 Tf"),
        font("KeepOfTheFormAround"),
        font("DropOfTheFormAround"),
    ];
    drawn("Type 3 font without resources in a form", "/X Do", "/XObject<</X 6 0 R>>", &objects);
}

#[test]
fn what_streams_and_fonts_refer_to_goes_along() {
    let objects = [
        stream(
            "/Subtype/Image/Width 1/Height 1/Filter/JBIG2Decode/DecodeParms<</JBIG2Globals 7 0 R>>/SMask 13 0 R",
            "x",
        ),
        stream("", "KeepGlobals"),
        "<</Subtype/Type0/Encoding 9 0 R/ToUnicode 10 0 R/DescendantFonts[12 0 R]>>".to_owned(),
        stream("/Type/CMap/UseCMap 11 0 R", "KeepEncoding"),
        stream("/Type/CMap/UseCMap/KeepPredefined", "KeepUnicode"),
        stream("/Type/CMap", "KeepParent"),
        "<</Subtype/CIDFontType2/BaseFont/KeepDescendant/CIDToGIDMap 13 0 R/FontDescriptor<</FontFile2 14 0 R>>>>"
            .to_owned(),
        stream("", "KeepMap"),
        stream("/Length1 8/Metadata 15 0 R", "KeepProgram"),
        stream("/Type/Metadata/Subtype/XML", "DropXmp"),
    ];
    drawn("references", "/I Do /F 1 Tf", "/XObject<</I 6 0 R>>/Font<</F 8 0 R>>", &objects);
}

#[test]
fn colour_spaces_that_work_unnamed_are_kept() {
    let objects = of([
        "[/CalGray<</KeepGray 1>>]",
        "[/Separation/KeepInk/DeviceCMYK 9 0 R]",
        "[/DeviceN[/KeepOrange/KeepGreen]/DeviceCMYK 9 0 R]",
        "<</FunctionType 2/N 1/Domain[0 1]/KeepFunction 1>>",
        "[/CalRGB<</DropSpace 1>>]",
    ]);
    let spaces = "/ColorSpace<</DefaultGray 6 0 R/DefaultRGB[/CalRGB<</KeepRgb 1>>]/DefaultCMYK[/KeepCmyk]
        /A 7 0 R/B 8 0 R/C 10 0 R>>";
    drawn("spaces", "q Q", spaces, &objects);
    let objects = of(["[/Indexed/DeviceRGB 0(KeepPalette)]", "[/Indexed/DeviceRGB 0(DropPalette)]"]);
    let content = "BI/W 1/H 1/BPC 8/CS/N/F/AHx ID 00> EI";
    drawn("inline image", content, "/ColorSpace<</N 6 0 R/M 7 0 R>>", &objects);
}

#[test]
fn names_go_on_in_the_next_content_stream() {
    for parts in [["/A", "1 Tf", " "], ["/Ab", "cd", "ef 1 Tf"], ["/", "Abcdef", " 1 Tf"], ["q /A ", "", "Q"]] {
        let mut objects: Vec<String> = parts.iter().map(|part| stream("", part)).collect();
        objects.extend([font("KeepUsed"), font("DropUnused")]);
        let name = ["A1", "Abcdef"].into_iter().find(|name| parts.concat().contains(name)).unwrap_or("A");
        let page = format!("/Contents[5 0 R 6 0 R 7 0 R]/Resources<</Font<</{name} 8 0 R/Unused 9 0 R>>>>");
        check(&format!("{parts:?}"), "", &page, &objects);
    }
}

#[test]
fn nothing_is_pruned_by_content_that_cannot_be_trusted() {
    let fonts = [font("KeepUsed"), font("KeepPerhaps")];
    let resources = "/Font<</A#20B 6 0 R/C 7 0 R>>";
    drawn("escaped name", "/A#20B 1 Tf", resources, &fonts);
    let page = format!("/Contents 5 0 R/Resources<<{resources}>>");
    for (what, content) in [
        ("damaged", stream("/Filter/FlateDecode", "/C 1 Tf")),
        ("unknown filter", stream("/Filter/NoSuchDecode", "/C 1 Tf")),
        ("image codec", stream("/Filter[/ASCIIHexDecode/DCTDecode]", "00>")),
    ] {
        let objects = [vec![content], fonts.to_vec()].concat();
        let file = document("", &page, &objects);
        let chunk = cut_first(file);
        assert_eq!(chunk.notes, [CutNote::ContentDamaged], "{what}");
        check(what, "", &page, &objects);
    }
    let damaged = form("/Filter/FlateDecode", "/C 1 Tf");
    let objects = [vec![damaged], vec![font("KeepUsed"), font("KeepPerhaps")]].concat();
    drawn("damaged form", "/X Do", "/XObject<</X 6 0 R>>/Font<</A 7 0 R/B 8 0 R>>", &objects);
}

#[test]
fn category_dictionaries_serve_all_that_share_them() {
    let objects = [
        form("/Resources<</Font 7 0 R>>", "/B 1 Tf"),
        "<</A 8 0 R/B 9 0 R/C 10 0 R>>".to_owned(),
        font("KeepOfThePage"),
        font("KeepOfTheForm"),
        font("DropUnused"),
    ];
    drawn("shared by page and form", "/A 1 Tf /X Do", "/Font 7 0 R/XObject<</X 6 0 R>>", &objects);
    let objects = [
        stream("", "/A 1 Tf"),
        "<</Font<</A 8 0 R/B 9 0 R/C 10 0 R>>>>".to_owned(),
        form("/Resources 6 0 R", "/B 1 Tf"),
        font("KeepOfThePage"),
        font("KeepOfTheAppearance"),
        font("DropUnused"),
    ];
    let page = "/Contents 5 0 R/Resources 6 0 R/Annots[<</Subtype/Stamp/AP<</N 7 0 R>>>>]";
    check("shared by page and appearance", "", page, &objects);
    let icon = [
        form("/Resources<</Font<</A 6 0 R/B 7 0 R>>>>", "/A 1 Tf %KeepIcon"),
        font("KeepOfTheIcon"),
        font("DropUnused"),
    ];
    check("icon", "", "/Annots[<</Subtype/Widget/MK<</I 5 0 R>>>>]", &icon);
}

#[test]
fn metadata_and_private_data_stay_behind_at_every_level() {
    let objects = [
        stream(
            "/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Metadata 9 0 R/PieceInfo<</DropA 1>>",
            "K",
        ),
        form("/Metadata 9 0 R/PieceInfo<</DropB 1>>/LastModified(DropDate)/StructParents 3/AF[10 0 R]", "%KeepForm"),
        "<</Type/Font/BaseFont/KeepFont/Metadata 9 0 R>>".to_owned(),
        stream("/Type/Metadata/Subtype/XML", "DropXmp"),
        "<</Type/Filespec/F(DropAssociated)>>".to_owned(),
        "<</KeepProperty 1/Metadata 9 0 R>>".to_owned(),
    ];
    let resources = "/XObject<</I 6 0 R/X 7 0 R>>/Font<</F 8 0 R>>/Properties<</P 11 0 R>>";
    drawn("metadata", "/I Do /X Do /F 1 Tf /S /P BDC EMC", resources, &objects);
}

#[test]
fn stray_references_do_not_drag_in_the_document() {
    let catalog = "/DropCatalog 1/StructTreeRoot 9 0 R";
    for stray in ["1 0 R", "2 0 R", "4 0 R", "9 0 R", "10 0 R", "11 0 R", "12 0 R"] {
        let objects = of([
            "<</Subtype/Text/Contents(KeepNote)>>",
            "null",
            "null",
            "null",
            "<</Type/StructTreeRoot/DropTree 1>>",
            "<</Type/StructElem/DropElement 1>>",
            "<</Parent 2 0 R/MediaBox[0 0 1 1]/DropUntypedPage 1>>",
            "<</Kids[4 0 R]/Count 1/DropUntypedNode 1>>",
        ]);
        let mut objects = objects;
        objects[0] =
            format!("<</Subtype/Text/Contents(KeepNote)/Parent {stray}/Stray {stray}/Nested[<</A {stray}>>]>>");
        let page = format!("/Annots[5 0 R]/Group<</S/Transparency/Parent {stray}/KeepGroup 1>>");
        check(stray, catalog, &page, &objects);
    }
}

#[test]
fn external_data_is_not_fetched_and_parameters_do_not_outlive_their_filter() {
    let objects = [form("/F(DropFile)/FFilter/DropFilter/FDecodeParms<</DropParameters 1>>/DL 9", "%KeepForm")];
    drawn("external", "/X Do", "/XObject<</X 6 0 R>>", &objects);

    // Long enough for the writer to deflate it.
    let content = format!("%KeepContent{}", " ".repeat(500));
    let parameters = "/DecodeParms<</Predictor 12/Columns 7>>";
    for dictionary in [parameters.to_owned(), format!("{parameters}/Filter null"), format!("{parameters}/Filter 6 0 R")]
    {
        let objects = [stream(&dictionary, &content), "null".to_owned()];
        let chunk = check(&dictionary, "", "/Contents 5 0 R", &objects);
        assert_eq!(at(&chunk, "Page/Contents/Filter").unwrap().as_name().unwrap(), b"FlateDecode");
        assert_eq!(at(&chunk, "Page/Contents/DecodeParms"), None);
    }
}

#[test]
fn a_page_has_as_many_annotations_as_it_has() {
    const ANNOTATIONS: usize = 5_000;
    let fields: Vec<String> = (0..ANNOTATIONS).map(|index| format!("{} 0 R", index + 5)).collect();
    let fields = fields.join(" ");
    let objects: Vec<String> =
        (0..ANNOTATIONS).map(|index| format!("<</Subtype/Widget/FT/Tx/T(Keep{index})/P 3 0 R>>")).collect();
    let chunk = check("many", &format!("/AcroForm<</Fields[{fields}]>>"), &format!("/Annots[{fields}]"), &objects);
    assert_eq!(at(&chunk, "Page/Annots").unwrap().as_array().unwrap().len(), ANNOTATIONS);
    assert_eq!(at(&chunk, "Root/AcroForm/Fields").unwrap().as_array().unwrap().len(), ANNOTATIONS);
}

#[test]
fn empty_names_stay_apart_from_what_follows() {
    let objects = of(["<</Subtype/Text/Border[/ 1 / true / null]/ 7/Contents(KeepNote)>>"]);
    let chunk = check("empty names", "", "/Annots[5 0 R]", &objects);
    assert_eq!(at(&chunk, "Page/Annots/0/Border").unwrap().as_array().unwrap().len(), 6);
}

#[test]
fn resources_that_are_not_in_the_file_make_a_note() {
    let content = stream("", "/A 1 Tf /X Do");
    let notes = |resources: &str, objects: &[&str]| {
        let objects = [vec![content.clone()], objects.iter().map(|object| (*object).to_owned()).collect()].concat();
        cut_first(document("", &format!("/Contents 5 0 R/Resources {resources}"), &objects)).notes
    };
    assert_eq!(notes("<</Font<</A 6 0 R/B 7 0 R>>>>", &["<</Type/Font>>", "null"]), []);
    for lost in ["<</Font<</A 7 0 R>>>>", "<</Font 7 0 R>>", "7 0 R", "<</XObject<</X 99 0 R>>>>"] {
        assert_eq!(notes(lost, &["<</Type/Font>>", "null"]), [CutNote::ContentLost], "{lost}");
    }
}
