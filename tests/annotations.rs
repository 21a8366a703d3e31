//! What stands beside the words of a page: comments, links, form fields and attachments.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::sync::Arc;

use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, FieldKind, FieldValue, LinkTarget, PageAnnotations};

use crate::support::pdf::stream_of;
use crate::support::program::{Place, texts};
use crate::support::{file_of, fixture};

fn open(bytes: Vec<u8>) -> Document {
    Document::open(Arc::new(bytes), None, &Limits::default()).unwrap()
}

fn annotations_of_fixture(name: &str, page: u32) -> PageAnnotations {
    open(std::fs::read(fixture(name)).unwrap()).page_annotations(PageIndex(page)).unwrap()
}

/// A document of one page of 200 by 100 points; object 4 on are `more`.
fn one_page(catalog: &str, page: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>").into_bytes(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] {page} >>").into_bytes(),
    ];
    objects.extend(more.iter().cloned());
    file_of(&objects)
}

fn bodies(objects: &[&str]) -> Vec<Vec<u8>> {
    objects.iter().map(|object| object.as_bytes().to_vec()).collect()
}

#[test]
fn comments_have_their_author_date_words_and_place() {
    let comments = annotations_of_fixture("annotations.pdf", 0).comments;
    let facts = comments.iter().map(|comment| (comment.kind.name(), comment.contents.as_str()));
    let expected = [
        ("highlight", "Which words?"),
        ("note", "Check the width of this margin."),
        ("free text", "Free text on page one"),
        ("ink", "A wavy line"),
    ];
    assert_eq!(facts.collect::<Vec<_>>(), expected);
    let highlight = &comments[0];
    assert_eq!(highlight.author.as_deref(), Some("Proof reader"));
    assert_eq!(highlight.date.as_deref(), Some("2024-03-01T12:00:00Z"));
    assert_eq!(highlight.area.edges(), [49.0, 153.28, 290.0, 170.28]);
    assert_eq!(highlight.marked, [highlight.area]);
}

#[test]
fn links_lead_to_addresses_and_pages() {
    let target = |page: u32| annotations_of_fixture("annotations.pdf", page).links.into_iter().map(|link| link.target);
    let page = |index: u32| LinkTarget::Page(PageIndex(index));
    let second = [page(2), page(0), page(2), LinkTarget::Uri("https://example.org/notes".into())];
    assert_eq!(target(1).collect::<Vec<_>>(), second);
    assert_eq!(target(2).collect::<Vec<_>>(), [page(1), page(2)]);
}

#[test]
fn fields_have_their_full_name_type_and_value() {
    let page = |page: u32| annotations_of_fixture("form.pdf", page).fields;
    let first = page(0);
    let state = |is_on: bool, name: &str| FieldValue::State { is_on, name: name.to_owned() };
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let facts = first.iter().map(|field| (field.name.as_str(), field.kind, field.value.clone()));
    let expected = [
        ("name", FieldKind::Text, text("Ada Printwright")),
        ("town", FieldKind::Text, text("Inkford")),
        ("laid", FieldKind::CheckBox, state(true, "Yes")),
        ("gilt", FieldKind::CheckBox, state(false, "Off")),
        ("reference", FieldKind::Text, text("PW-2024-017")),
    ];
    assert_eq!(facts.collect::<Vec<_>>(), expected);
    let second = page(1);
    assert_eq!((second[0].name.as_str(), &second[0].value), ("carrier", &state(true, "barge")));
    let options = second[0].options.iter().map(|option| (option.export.as_str(), option.is_chosen));
    assert_eq!(options.collect::<Vec<_>>(), [("cart", false), ("barge", true), ("mule", false)]);
    let form = open(std::fs::read(fixture("form.pdf")).unwrap()).form(3);
    assert_eq!((form.total, form.fields.len(), form.fields[0].name.as_str()), (9, 3, "name"));
}

#[test]
fn choices_signatures_and_passwords_are_told_as_what_they_are() {
    let annots = "/Annots [4 0 R 5 0 R 6 0 R 7 0 R]";
    let more = bodies(&[
        "<< /Subtype /Widget /Rect [0 0 9 9] /FT /Ch /T (size) /V (q) /Opt [[(q) (Quarto)] [(o) (Octavo)]] >>",
        "<< /Subtype /Widget /Rect [0 0 9 9] /FT /Sig /T (sign) /V << /Name (Bo) /M (D:20240102030405Z) >> >>",
        "<< /Subtype /Widget /Rect [0 0 9 9] /FT /Tx /Ff 8192 /T (pin) /V (1234) >>",
        "<< /Subtype /Widget /Rect [0 0 9 9] /T (street) /Parent 8 0 R /V (High) >>",
        "<< /T (home) /FT /Tx /Parent 9 0 R >>",
        "<< /T (address) /Parent 8 0 R >>",
    ]);
    let fields = open(one_page("", annots, &more)).page_annotations(PageIndex(0)).unwrap().fields;
    let chosen = fields[0].options.iter().filter(|option| option.is_chosen).map(|option| option.display.as_str());
    assert_eq!(chosen.collect::<Vec<_>>(), ["Quarto"]);
    let FieldValue::Signature(signature) = &fields[1].value else { panic!("{:?}", fields[1]) };
    assert_eq!((signature.signer.as_deref(), signature.date.as_deref()), (Some("Bo"), Some("2024-01-02T03:04:05Z")));
    assert_eq!(fields[2].value, FieldValue::Secret);
    // The parents lead to each other: the name ends somewhere, and the type is still found.
    assert!(fields[3].name.ends_with("address.home.street"), "{}", fields[3].name);
}

#[test]
fn replies_know_what_they_reply_to_and_rich_text_is_read() {
    let annots = "/Annots [4 0 R 5 0 R 6 0 R 7 0 R]";
    let more = bodies(&[
        "<< /Subtype /Text /Rect [0 0 9 9] /Contents (First) /IRT 5 0 R >>",
        "<< /Subtype /Text /Rect [0 0 9 9] /RC (<body><p>Second &amp; rich</p></body>) /IRT 4 0 R >>",
        "<< /Subtype /Text /Rect [0 0 9 9] /Contents (Hidden) /F 2 >>",
        "<< /Subtype /Text /Rect [0 0 9 9] /Contents (Accepted) /State (Accepted) /IRT 4 0 R >>",
    ]);
    let comments = open(one_page("", annots, &more)).page_annotations(PageIndex(0)).unwrap().comments;
    // The first two reply to each other.
    let facts = comments.iter().map(|comment| (comment.contents.as_str(), comment.reply_to, comment.reviews.len()));
    assert_eq!(facts.collect::<Vec<_>>(), [("First", None, 1), ("Second & rich", Some(0), 0)]);
}

/// A comment that is reviewed and answered, a replacement of words, and a drawing that is only reviewed. Replies and states
/// stand before what they reply to, and some are hidden, as some editors write them.
fn reviewed() -> Vec<u8> {
    let annots =
        "/Annots [5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 4 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R 16 0 R 17 0 R]";
    let text = "/Subtype /Text /Rect [0 0 9 9]";
    let state = |model: &str, state: &str, by: &str, of: u32| {
        format!(
            "<< {text} /F 30 /T ({by}) /StateModel ({model}) /State ({state}) /IRT {of} 0 R /Contents ({state} set by {by}) >>"
        )
    };
    let more = [
        format!("<< {text} /T (Ann) /Contents (Is this right?) >>"),
        format!("<< {text} /T (Bo) /F 30 /Contents (Yes.) /IRT 4 0 R /RT /R >>"),
        format!("<< {text} /T (Ann) /F 30 /Contents (Thanks.) /IRT 5 0 R >>"),
        state("Review", "Rejected", "Bo", 4),
        state("Review", "Completed", "Bo", 7),
        state("Marked", "Marked", "Bo", 4),
        "<< /Subtype /Popup /Parent 4 0 R /Rect [0 0 9 9] /Contents (Is this right?) >>".to_owned(),
        "<< /Subtype /Caret /Rect [0 0 9 9] /T (Cy) /Contents (new words) >>".to_owned(),
        "<< /Subtype /StrikeOut /Rect [0 0 9 9] /T (Cy) /IRT 11 0 R /RT /Group >>".to_owned(),
        "<< /Subtype /Square /Rect [0 0 9 9] >>".to_owned(),
        state("Review", "Accepted", "Ann", 13),
        state("Review", "None", "Ann", 14),
        format!("<< {text} /StateModel (Review) /State (Cancelled) /IRT 13 0 R /Contents (Too late) >>"),
        state("Review", "Accepted", "Nobody", 99),
    ];
    one_page("", annots, &bodies(&more.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[test]
fn comments_stand_with_their_replies_and_the_last_states_of_their_reviewers() {
    let place = Place::new();
    place.file("reviewed.pdf", reviewed());
    let text = place.run(&["text", "reviewed.pdf"]).stdout;
    insta::assert_snapshot!(text, @"
    Comments:
    - note by Ann [Completed by Bo; Marked by Bo]: Is this right?
    -   reply by Bo: Yes.
    -     reply by Ann: Thanks.
    - caret by Cy: new words
    -   with strikeout by Cy
    - square [Cancelled: Too late]
    ");
    let (_, found) = place.json(&["text", "reviewed.pdf"]);
    let comments = found["pages"][0]["comments"].as_array().unwrap();
    let by_author = |author: &str| comments.iter().filter(|one| one["author"] == author).collect::<Vec<_>>();
    assert_eq!(by_author("Cy")[1]["grouped"], true);
    let reviews = serde_json::json!([
        {"state": "Completed", "reviewer": "Bo"},
        {"state": "Marked", "reviewer": "Bo"},
    ]);
    assert_eq!(by_author("Ann")[1]["reviews"], reviews);
    // The state that belongs to no comment is hidden.
    let (_, info) = place.json(&["info", "reviewed.pdf"]);
    assert_eq!((comments.len(), &info["comments"]["count"]), (6, &6.into()), "{info}");
}

#[test]
fn long_threads_and_many_states_come_to_an_end() {
    let reply =
        |at: u32| format!("<< /Subtype /Text /Rect [0 0 9 9] /Contents (r) /State (Accepted) /IRT {} 0 R >>", at - 1);
    let more = std::iter::once("<< /Subtype /Text /Rect [0 0 9 9] /Contents (first) >>".to_owned())
        .chain((5..20_000).map(reply))
        .collect::<Vec<_>>();
    let annots = (4..20_000).map(|at| format!("{at} 0 R ")).collect::<String>();
    let document = open(one_page(
        "",
        &format!("/Annots [{annots}]"),
        &bodies(&more.iter().map(String::as_str).collect::<Vec<_>>()),
    ));
    let annotations = document.page_annotations(PageIndex(0)).unwrap();
    let comments = annotations.comments.len();
    assert_eq!((comments, annotations.left_out), (5_000, 14_796), "the first has 200 states");
    assert_eq!(annotations.comments[0].reviews.len(), 1);
}

#[test]
fn lists_that_contain_themselves_and_long_ones_come_to_an_end() {
    let annotation = "<< /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://a.example) >> >>";
    let many = format!("/Annots [{}]", "4 0 R ".repeat(60_000));
    let document = open(one_page("", &many, &bodies(&[annotation])));
    let annotations = document.page_annotations(PageIndex(0)).unwrap();
    assert_eq!((annotations.links.len(), annotations.left_out), (5_000, 45_000));
    assert_eq!(document.annotation_counts().links, 50_000);
    let names = "<< /Kids [4 0 R 5 0 R 4 0 R] /Names [(a) 4 0 R (b) 6 0 R (c) 6 0 R] >>";
    let file = "<< /Type /Filespec /F (a.txt) /EF << /F 7 0 R >> >>";
    let more = [bodies(&[names, names, file]), vec![stream_of("", b"words")]].concat();
    let document = open(one_page("/Names << /EmbeddedFiles 4 0 R >>", "/Annots 4 0 R", &more));
    assert_eq!(document.attachments(9).total, 1);
    assert_eq!(document.attachment("a.txt").unwrap().as_deref(), Some(&b"words"[..]));
}

/// A document with these attachments: names in PDF syntax, and bytes.
fn with_attachments(files: &[(&str, &[u8])]) -> Vec<u8> {
    let specification = |at: usize| 4 + 2 * at;
    let names = (0..files.len()).map(|at| format!("({at}) {} 0 R ", specification(at))).collect::<String>();
    let mut more = Vec::new();
    for (at, (name, bytes)) in files.iter().enumerate() {
        let stream = specification(at) + 1;
        more.push(format!("<< /Type /Filespec /F {name} /EF << /F {stream} 0 R >> >>").into_bytes());
        more.push(stream_of("", bytes));
    }
    one_page(&format!("/Names << /EmbeddedFiles << /Names [{names}] >> >>"), "", &more)
}

#[test]
fn attachments_of_one_name_are_told_apart_and_names_are_no_paths() {
    let document =
        open(with_attachments(&[("(a)", b"1"), ("(a)", b"2"), ("(a \\(2\\))", b"3"), ("<FEFF202E002F0061>", b"4")]));
    let names = document.attachments(9).items.into_iter().map(|file| file.name).collect::<Vec<_>>();
    assert_eq!(names, ["a", "a (2)", "a (2) (2)", "/a"]);
    for (name, bytes) in names.iter().zip([b"1", b"2", b"3", b"4"]) {
        assert_eq!(document.attachment(name).unwrap().as_deref(), Some(&bytes[..]), "{name}");
    }
    assert_eq!(document.attachment("b").unwrap(), None);
}

#[test]
fn an_attachment_is_a_file_like_any_other() {
    let place = Place::new();
    let inner = with_attachments(&[("(note.txt)", b"deep words\n")]);
    let outer = place.file("outer.pdf", with_attachments(&[("(in/../ner.pdf)", &inner), ("(page.txt)", b"words\n")]));
    let shown = |path: &str| {
        let (status, value) = place.json(&["get-file", path]);
        assert_eq!(status, 0, "{path}: {value}");
        texts(&value).concat()
    };
    assert!(shown(&format!("{outer}#attachment=page.txt")).ends_with("words\n"));
    let nested = format!("{outer}#attachment=in/../ner.pdf");
    assert!(shown(&nested).starts_with(&format!("PDF Document: {nested}\nPages: 1\n")));
    assert!(shown(&format!("{nested}#attachment=note.txt")).ends_with("deep words\n"));
    assert!(
        shown(&format!("file://{}#attachment=in%2F..%2Fner.pdf", place.path(&outer).display())).contains("note.txt")
    );
    let (status, value) = place.json(&["info", &nested]);
    assert_eq!((status, &value["attachedFiles"][0]["name"]), (0, &"note.txt".into()));
    let (status, _) = place.json(&["page", &nested, "1", "--out", "cut.pdf"]);
    assert_eq!(status, 0);
    let deep = format!("{outer}{}", "#attachment=a".repeat(5));
    assert_eq!(place.refused(&["get-file", &deep]).1, "limit_exceeded");
}

#[test]
fn an_attachment_that_is_larger_than_a_stream_may_be_is_refused() {
    let place = Place::new();
    let zeros = vec![0; 3_000];
    let pdf = place.file("a.pdf", with_attachments(&[("(zeros)", &zeros)]));
    let asked = format!("{pdf}#attachment=zeros");
    let mut refused = place.command();
    refused.args(["get-file", &asked, "--json"]).env("PAGEWISE_MAX_STREAM_BYTES", "2999");
    let output = String::from_utf8(refused.output().unwrap().stdout).unwrap();
    assert!(output.contains("limit_exceeded") && output.contains("max_stream_bytes"), "{output}");
    assert_eq!(place.refused(&["get-file", &asked]).1, "unsupported_file_type");
}

#[test]
fn a_file_of_that_name_wins_and_a_missing_attachment_names_those_that_are_there() {
    let place = Place::new();
    let pdf = place.file("a.pdf", with_attachments(&[("(b.txt)", b"attached\n")]));
    let named = format!("{pdf}#attachment=b.txt");
    let (_, _, message) = place.refused(&["get-file", &format!("{pdf}#attachment=c.txt")]);
    assert!(message.starts_with("No attachment c.txt in "), "{message}");
    let text = |path: &str| texts(&place.json(&["get-file", path]).1).concat();
    assert!(text(&named).contains("attached"), "{}", text(&named));
    place.file("a.pdf#attachment=b.txt", b"a real file\n");
    assert!(text(&named).contains("a real file"), "{}", text(&named));
}

#[test]
fn the_texts_for_clients_name_what_stands_beside_the_text() {
    let place = Place::new();
    let text = |arguments: &[&str]| place.run(arguments).stdout.replace(&fixture(""), "");
    insta::assert_snapshot!(text(&["text", &fixture("annotations.pdf"), "--pages", "1"]), @r#"
    Marks
    Annotated page 1 of 3

    The proof reader owns three colours and one opinion.

    The yellow words of this line are highlighted.

    A note waits in the margin, an ink stroke runs below.

    Free text on page one

    Comments:
    - highlight of "The yellow words of this line are highlighted." by Proof reader, 2024-03-01T12:00:00Z: Which words?
    - note by Proof reader, 2024-03-01T12:00:00Z: Check the width of this margin.
    - free text by Proof reader, 2024-03-01T12:00:00Z: Free text on page one
    - ink by Proof reader, 2024-03-01T12:00:00Z: A wavy line
    "#);
    insta::assert_snapshot!(text(&["text", &fixture("form.pdf"), "--pages", "2"]), @r"
    Delivery
    Form page 2 of 3

    Carried by cart barge mule

    Size

    Quarto

    Marks

    Crown
    Pot
    Foolscap

    Remarks

    Mind the step

    Form fields:
    - carrier, radio buttons: barge [of: cart, barge, mule]
    - size, choice: Quarto [of: Folio, Quarto, Octavo]
    - marks, choice: Crown [of: Crown, Pot, Foolscap]
    - remarks: Mind the step
    ");
    let (_, value) = place.json(&["text", &fixture("annotations.pdf"), "--pages", "1"]);
    let page = &value["pages"][0];
    assert!(!page["text"].as_str().unwrap().contains("Comments:"), "{page}");
    assert_eq!(page["comments"][0]["bbox"], serde_json::json!([49.0, 153.28, 290.0, 170.28]));
    let (_, value) = place.json(&["info", &fixture("form.pdf")]);
    assert_eq!((&value["formFields"], &value["fields"][0]["value"]), (&9.into(), &"Ada Printwright".into()));
}

#[test]
fn comments_come_with_a_page_in_every_form() {
    let place = Place::new();
    let pages = |file: &str, form: &str| {
        let answer = place.json(&["get-file", &fixture(file), "--pages", "1-2", "--as", form]).1;
        texts(&answer).join("\n")
    };
    for form in ["text", "markdown", "image", "mixed", "document", "path"] {
        let given = pages("annotations.pdf", form);
        assert!(given.contains("- note by Proof reader, 2024-03-01T12:00:00Z: Check the width"), "{form}: {given}");
    }
    let address = "https://example.org/notes";
    let has_address = |form| pages("annotations.pdf", form).contains(address);
    assert!(has_address("image") && has_address("text") && !has_address("document"));
    assert!(!pages("form.pdf", "image").contains("Form fields:"), "a picture shows what was filled in");
}
