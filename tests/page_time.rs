//! What a page makes an engine do ends in time, and is refused by the name of a limit.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagewise::worker::{InProcessReader, PdfError, Reader, RenderOptions};
use pagewise_base::limits::{Cancellation, Limits, ProcessorClock};
use pagewise_base::page::PageIndex;
use pagewise_render::NoFonts;
use serde_json::Value;

use super::support::costly_pages::costly_pages;
use super::support::file_of;
use super::support::program::Place;
use super::support::spending::spending;

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

/// A budget of so much processor time for a page.
fn within(max_page_cpu_ms: u64) -> Limits {
    Limits { max_page_cpu_ms, processor_clock: ProcessorClock::of_thread(), ..Limits::default() }
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

/// The settings that a page may exceed. Limits that are no settings say what they count.
const SETTINGS: [&str; 6] = [
    "max_page_cpu_ms",
    "max_image_pixels",
    "max_stream_bytes",
    "max_decoded_bytes",
    "max_ratio",
    "worker_memory_bytes",
];

#[test]
fn every_way_to_spend_time_or_memory_ends_with_an_answer_or_a_limit() {
    let place = Place::new();
    let costly = [costly_pages(), spending()].concat();
    let kept = std::env::var_os("PAGEWISE_TEST_FILES");
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((name, pdf)) = costly.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file_name = format!("{}.pdf", name.replace(' ', "-"));
            // For whoever wants to measure them.
            if let Some(folder) = &kept {
                std::fs::write(std::path::Path::new(folder).join(&file_name), pdf).unwrap();
                continue;
            }
            let pdf = place.file(&file_name, pdf);
            let picture = format!("{pdf}.png");
            let render = ["render", &pdf, "1", "--out", &picture, "--json"];
            for command in [&["info", &pdf, "--json"][..], &["text", &pdf, "--pages", "1", "--json"], &render] {
                let mut program = place.command();
                program.args(command).env("PAGEWISE_MAX_PAGE_CPU_MS", "300");
                let answer = String::from_utf8(program.output().unwrap().stdout).unwrap();
                let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{name}: {answer:?}"));
                let error = &answer["error"];
                if error.is_null() {
                    continue;
                }
                let data = &error["data"];
                let is_known = data["counted"].is_string()
                    || data["setting"].as_str().is_some_and(|setting| SETTINGS.contains(&setting));
                // On a busy machine the deadline may come before the page's time is spent.
                let is_late = error["code"] == "timeout" && data["setting"] == "worker_deadline_ms";
                assert!(is_late || error["code"] == "limit_exceeded" && is_known, "{name}: {command:?} {answer}");
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn forms_in_forms_are_left_however_they_are_reached() {
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
            assert_eq!(limit_of(pdf, &within(100), wanted), Some("max_page_cpu_ms"), "{name}");
        }
    }
}

#[test]
fn a_page_without_time_is_refused() {
    let form = stream("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]", "0 0 9 9 re f");
    let pdf = page_with("/XObject<</F 5 0 R>>", "/F Do /F Do", &[form]);
    for wanted in [Wanted::Picture, Wanted::Text] {
        assert_eq!(limit_of(&pdf, &within(u64::MAX), wanted), None);
        assert_eq!(limit_of(&pdf, &within(0), wanted), Some("max_page_cpu_ms"));
    }
}

#[test]
fn strokes_without_end_are_refused_before_they_are_drawn() {
    for content in ["[.000001] 0 d 0 0 m 9 9 l S", "[.000001] 0 d 0 0 9 9 re S"] {
        let pdf = page_with("", content, &[]);
        assert_eq!(limit_of(&pdf, &Limits::default(), Wanted::Picture), Some("max_page_cpu_ms"), "{content}");
        assert_eq!(limit_of(&pdf, &Limits::default(), Wanted::Text), None);
    }
    let dashed = page_with("", "[1 2] 0 d 0 0 m 9 9 l S", &[]);
    assert_eq!(limit_of(&dashed, &Limits::default(), Wanted::Picture), None);
}

#[test]
fn a_mesh_is_refused_before_more_of_it_is_sampled_than_memory_holds() {
    let mesh = |reach: u32, triangles: usize| {
        let head = format!(
            "<</ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 {reach} \
             -{reach} 0 0 1]"
        );
        page_with("/Shading<</S 5 0 R>>", "/S sh", &[stream(&head, &"\0\0\0A\0~~A\0\0~A".repeat(triangles))])
    };
    let limit = |pdf: &[u8], wanted| limit_of(pdf, &Limits::default(), wanted);
    assert_eq!(limit(&mesh(100, 10), Wanted::Picture), None);
    assert_eq!(limit(&mesh(20_000, 1), Wanted::Picture), Some("max_image_pixels"));
    assert_eq!(limit(&mesh(20_000, 10), Wanted::Picture), Some("max_page_cpu_ms"));
    assert_eq!(limit(&mesh(20_000, 10), Wanted::Text), None);
}

#[test]
fn what_the_engine_keeps_until_it_paints_is_limited() {
    let image = stream("<</Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceGray/Width 2/Height 3", "abcdef");
    let pdf = |times: usize| page_with("/XObject<</I 5 0 R>>", &"/I Do ".repeat(times), std::slice::from_ref(&image));
    let limits = Limits { max_image_pixels: 10, ..Limits::default() };
    assert_eq!(limit_of(&pdf(2), &limits, Wanted::Picture), None);
    assert_eq!(limit_of(&pdf(3), &limits, Wanted::Picture), Some("max_image_pixels"));
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
    assert_eq!(limit_of(&pdf, &limits, Wanted::Picture), Some("max_image_pixels"));
}
