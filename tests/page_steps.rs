//! What a page makes an engine do is counted by the engine itself, and refused by the name of a limit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may stop where it stands")]

use std::sync::Arc;

use pagewise::worker::{InProcessReader, PdfError, Reader, RenderOptions};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_base::page::PageIndex;
use pagewise_render::NoFonts;

use super::support::costly_pages::costly_pages;
use super::support::file_of;

/// What is asked of a page.
#[derive(Clone, Copy)]
enum Wanted {
    Picture,
    Text,
}

/// The limit that a picture of the page, or its text, fails with.
fn limit_of(pdf: &[u8], limits: &Limits, wanted: Wanted) -> Option<&'static str> {
    let reader = InProcessReader::new(limits.clone(), Arc::new(NoFonts));
    let document = reader.open(Arc::new(pdf.to_vec()), None, &Cancellation::new()).unwrap();
    let done = match wanted {
        Wanted::Picture => document.picture(PageIndex(0), &RenderOptions::default()).map(|_| ()),
        Wanted::Text => document.page_text(PageIndex(0)).map(|_| ()),
    };
    match done {
        Ok(()) => None,
        Err(PdfError::Limit(limit)) => Some(limit.which.name()),
        Err(error) => panic!("{error}"),
    }
}

fn within(max_page_steps: u64) -> Limits {
    Limits { max_page_steps, ..Limits::default() }
}

/// The fewest steps with which the page is answered.
fn steps_of(pdf: &[u8], wanted: Wanted) -> u64 {
    let (mut refused, mut answered) = (0, Limits::default().max_page_steps);
    while refused + 1 < answered {
        let middle = refused.midpoint(answered);
        match limit_of(pdf, &within(middle), wanted) {
            None => answered = middle,
            Some(_) => refused = middle,
        }
    }
    answered
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
fn every_way_past_a_count_ends_with_an_answer_or_a_limit() {
    let limits = within(250_000);
    for (name, pdf) in costly_pages() {
        for wanted in [Wanted::Picture, Wanted::Text] {
            // Whatever else it fails with panics here.
            let outcome = std::panic::catch_unwind(|| limit_of(&pdf, &limits, wanted));
            let known = ["max_page_steps", "max_nesting", "max_stream_bytes", "max_ratio", "max_form_depth"];
            let limit = outcome.unwrap_or_else(|_| panic!("{name}"));
            assert!(limit.is_none_or(|limit| known.contains(&limit)), "{name}: {limit:?}");
        }
    }
}

#[test]
fn forms_in_forms_are_counted_however_they_are_reached() {
    // The seventh of ten levels would still be within the steps of a picture.
    let reached = [
        "forms in forms",
        "a form whose resources are a number",
        "a form whose resources are null",
        "a form whose resources are not there",
        "a form without resources",
        "resources that are a stream",
        "forms in a dictionary that is a stream",
        "a form named with escapes",
        "transparency groups in groups",
        "an appearance",
        "an appearance without a subtype",
        "an appearance that says it is an image",
        "an appearance of a state",
    ];
    let all = costly_pages();
    for name in reached {
        let (_, pdf) = all.iter().find(|(known, _)| *known == name).unwrap();
        for wanted in [Wanted::Picture, Wanted::Text] {
            assert_eq!(limit_of(pdf, &within(1_000_000), wanted), Some("max_page_steps"), "{name}");
        }
    }
}

#[test]
fn a_page_is_answered_with_as_many_steps_as_it_takes_and_refused_with_one_less() {
    let form = stream("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]", "0 0 9 9 re f");
    let pdf = page_with("/XObject<</F 5 0 R>>", "/F Do /F Do", &[form]);
    for wanted in [Wanted::Picture, Wanted::Text] {
        let steps = steps_of(&pdf, wanted);
        assert_eq!(limit_of(&pdf, &within(steps), wanted), None);
        assert_eq!(limit_of(&pdf, &within(steps - 1), wanted), Some("max_page_steps"));
    }
}

/// What `content` takes more than half of it.
fn picture_steps(resources: &str, content: &str, more: &[String]) -> [u64; 2] {
    [1, 3].map(|times| steps_of(&page_with(resources, &content.repeat(times), more), Wanted::Picture))
}

#[test]
fn what_is_drawn_again_is_counted_again() {
    let image = stream("<</Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceGray/Width 300/Height 200", "x");
    let tile = stream(
        "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>",
        &"0 0 9 9 re f ".repeat(99),
    );
    let group =
        stream("<</Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>", &"0 0 9 9 re f ".repeat(99));
    let font = "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 65/LastChar 65/Widths[9]\
                /Encoding<</Differences[65/a]>>/CharProcs<</a 6 0 R>>/Resources<<>>>>";
    let glyph = stream("<<", &format!("9 0 d0 {}", "0 0 9 9 re f ".repeat(99)));
    let drawn = [
        ("/XObject<</I 5 0 R>>", "/I Do ", vec![image]),
        ("/Pattern<</P 5 0 R>>", "/Pattern cs /P scn 0 0 9 9 re f ", vec![tile]),
        ("/XObject<</X 5 0 R>>", "/X Do ", vec![group]),
        ("/Font<</F 5 0 R>>", "BT /F 9 Tf (A) Tj ET ", vec![font.to_owned(), glyph]),
        ("", "[.01] 0 d 0 0 m 9 9 l S ", Vec::new()),
    ];
    for (resources, content, more) in drawn {
        let [once, thrice] = picture_steps(resources, content, &more);
        assert!(thrice > 2 * once, "{resources} {content}: {once} {thrice}");
    }
}

#[test]
fn a_mask_is_counted_once_for_a_page() {
    let group =
        stream("<</Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>", &"0 0 9 9 re f ".repeat(99));
    let state = "/ExtGState<</G<</SMask<</S/Luminosity/G 5 0 R>>>>>>";
    let [once, thrice] = picture_steps(state, "q /G gs 0 0 9 9 re f Q ", &[group]);
    assert!(thrice < 2 * once, "{once} {thrice}");
}

#[test]
fn patterns_are_drawn_within_each_other_to_a_depth() {
    let tile = "<</PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9";
    let fill = "/Pattern cs /P scn 0 0 9 9 re f";
    let within = |next: usize| stream(&format!("{tile}/Resources<</Pattern<</P {next} 0 R>>>>"), fill);
    let pdf = page_with("/Pattern<</P 5 0 R>>", fill, &[within(6), within(7), stream(tile, "0 0 9 9 re f")]);
    let at = |max_form_depth| limit_of(&pdf, &Limits { max_form_depth, ..Limits::default() }, Wanted::Picture);
    assert_eq!([at(3), at(2)], [None, Some("max_form_depth")]);
}

#[test]
fn whoever_reads_text_is_not_refused_for_what_is_only_painted() {
    let image = stream("<</Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceGray/Width 60000/Height 60000", "x");
    let pdf = page_with("/XObject<</I 5 0 R>>", "/I Do", &[image]);
    let limits = Limits::default();
    assert_eq!(limit_of(&pdf, &limits, Wanted::Text), None);
    assert_eq!(limit_of(&pdf, &limits, Wanted::Picture), Some("max_page_steps"));
}
