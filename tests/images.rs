//! The images and figures of a document as files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::fs;

use serde_json::{Value, json};

use crate::support::fixture;
use crate::support::pdf::{file_of, stream_of};
use crate::support::program::{Place, kinds};

/// A document with these content streams as pages. Object 4 on are `images`, named `I4` on.
fn with_images(contents: &[&str], images: &[Vec<u8>]) -> Vec<u8> {
    let first = 4 + images.len();
    let kids = (0..contents.len()).map(|at| format!("{} 0 R ", first + 2 * at)).collect::<String>();
    let names = (4..first).map(|number| format!("/I{number} {number} 0 R ")).collect::<String>();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", contents.len()).into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    objects.extend(images.iter().cloned());
    for (number, content) in (first + 1..).step_by(2).zip(contents) {
        let resources = format!("/Font << /F 3 0 R >> /XObject << {names}>>");
        let page = format!("/MediaBox [0 0 400 300] /Contents {number} 0 R /Resources << {resources} >>");
        objects.push(format!("<< /Type /Page /Parent 2 0 R {page} >>").into_bytes());
        objects.push(stream_of("", content.as_bytes()));
    }
    file_of(&objects)
}

fn image(entries: &str, data: &[u8]) -> Vec<u8> {
    stream_of(&format!("/Type /XObject /Subtype /Image {entries} "), data)
}

fn show(name: &str) -> String {
    format!("q 100 0 0 100 20 20 cm /{name} Do Q\n")
}

/// The pixels of a PNG file.
fn pixels(bytes: &[u8]) -> Vec<u8> {
    pagewise_render::decode(bytes, (100, 100)).unwrap().rgba
}

fn paths(result: &Value) -> Vec<&str> {
    result["images"].as_array().unwrap().iter().map(|image| image["path"].as_str().unwrap()).collect()
}

#[test]
fn each_image_is_one_file_and_a_jpeg_is_kept_as_it_is() {
    let place = Place::new();
    let jpeg = fs::read(fixture("picture.jpg")).unwrap();
    let size = "/Width 2 /Height 1 /BitsPerComponent 8";
    let images = [
        image("/Width 64 /Height 48 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", &jpeg),
        image(&format!("{size} /ColorSpace /DeviceRGB /SMask 6 0 R"), &[255, 0, 0, 0, 255, 0]),
        image(&format!("{size} /ColorSpace /DeviceGray"), &[255, 0]),
        image("/Width 2 /Height 1 /ImageMask true /BitsPerComponent 1", &[0b0100_0000]),
        // The same indices with two palettes.
        image(&format!("{size} /ColorSpace [/Indexed /DeviceRGB 1 <000000FF0000>]"), &[0, 1]),
        image(&format!("{size} /ColorSpace [/Indexed /DeviceRGB 1 <0000000000FF>]"), &[0, 1]),
    ];
    let all = ["I4", "I5", "I5", "I7", "I8", "I9"].map(show).concat();
    let pdf = place.file("a.pdf", with_images(&[&all, "", &show("I4")], &images));
    let (status, result) = place.json(&["images", &pdf, "--out-dir", "found"]);
    assert_eq!(status, 0, "{result}");
    assert_eq!(paths(&result), [1, 2, 3, 4, 5].map(|number| format!("a.pdf#image=1.{number}")));
    let listed = &result["images"];
    assert_eq!((&listed[0]["pages"], &listed[0]["storedAs"]), (&json!([1, 3]), &json!("JPEG")));
    let files = listed.as_array().unwrap().iter().map(|image| {
        let name = image["file"].as_str().unwrap();
        (name.to_owned(), fs::read(place.path(name)).unwrap())
    });
    let files = files.collect::<Vec<_>>();
    assert_eq!(files[0], ("found/page1-image1.jpg".to_owned(), jpeg));
    assert_eq!(files[1].0, "found/page1-image2.png");
    assert_eq!(pixels(&files[1].1), [255, 0, 0, 255, 0, 255, 0, 0], "the mask is applied");
    assert_eq!(pixels(&files[2].1), [0, 0, 0, 255, 255, 255, 255, 255], "ink is black on white");
    assert_eq!(pixels(&files[3].1), [0, 0, 0, 255, 255, 0, 0, 255]);
    assert_eq!(pixels(&files[4].1), [0, 0, 0, 255, 0, 0, 255, 255]);
    assert_eq!(fs::read_dir(place.path("found")).unwrap().count(), 5);
    let listing = place.run(&["images", &pdf, "1"]).stdout;
    assert!(listing.starts_with("a.pdf#image=1.1: 64 x 48, JPEG\n"), "{listing}");
}

#[test]
fn an_image_is_a_path_everywhere() {
    let place = Place::new();
    let jpeg = fs::read(fixture("picture.jpg")).unwrap();
    let stored = image("/Width 64 /Height 48 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", &jpeg);
    let pdf = place.file("a.pdf", with_images(&["", &show("I4")], &[stored]));
    let (status, result) = place.json(&["get-file", &format!("{pdf}#image=2.1")]);
    assert_eq!((status, kinds(&result)), (0, vec!["image"]), "{result}");
    assert_eq!(result["content"][0]["source"]["media_type"], "image/jpeg");
    let refused = |asked: &str| {
        let (_, code, message) = place.refused(&["get-file", &format!("{pdf}#image={asked}")]);
        (code, message)
    };
    let (code, message) = refused("2.2");
    assert_eq!((code.as_str(), message.as_str()), ("file_not_found", "No image 2.2 in a.pdf: page 2 has 1 image"));
    assert_eq!(refused("9.1").0, "invalid_page");
    for malformed in ["2", "0.1", "../2.1", ""] {
        assert_eq!(refused(malformed).0, "validation_error", "{malformed}");
    }
}

#[test]
fn a_figure_of_paths_is_cut_out_with_its_labels_if_it_has_a_caption() {
    let place = Place::new();
    let curve = "1 0 0 RG 100 120 m 160 280 220 60 300 250 c S 100 120 m 300 250 l S\n";
    let label = "BT /F 7 Tf 150 112 Td (time in hours) Tj ET\n";
    let caption = "BT /F 8 Tf 100 95 Td (Figure 1: A curve and a line.) Tj ET\n";
    let body = (0..4).map(|at| {
        format!(
            "BT /F 11 Tf 20 {} Td (Words of the text below it, wide enough to be a paragraph.) Tj ET\n",
            70 - 14 * at
        )
    });
    let body = body.collect::<String>();
    let with = [curve, label, caption, &body].concat();
    let without = [curve, &body].concat();
    let pdf = place.file("a.pdf", with_images(&[&with, &without], &[]));
    let (_, result) = place.json(&["images", &pdf, "--out-dir", "found"]);
    assert_eq!(paths(&result), ["a.pdf#image=1.1"], "{result}");
    let figure = &result["images"][0];
    assert_eq!(figure["caption"], "Figure 1: A curve and a line.");
    assert_eq!((&figure["storedAs"], &figure["width"]), (&json!("paths"), &Value::Null));
    let [left, top, right, bottom] = [0, 1, 2, 3].map(|edge| figure["bbox"][edge].as_f64().unwrap());
    // The curve and its label are in it, the caption is not.
    assert!(left < 100.0 && right > 300.0 && top < 60.0 && bottom > 187.0 && bottom < 200.0, "{figure}");
    let png = fs::read(place.path("found/page1-image1.png")).unwrap();
    assert_eq!(pagewise_render::picture_fault(&png), None);
    assert_eq!(place.json(&["get-file", "a.pdf#image=1.1"]).0, 0);
}

#[test]
fn a_document_becomes_markdown_with_its_pictures_beside_it() {
    let place = Place::new();
    let picture = |gray: u8| image("/Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", &[gray]);
    let text = |top: u32, words: &str| format!("BT /F 12 Tf 20 {top} Td ({words} ![a]\\(b\\).) Tj ET\n");
    let page = [text(260, "Above."), show("I4"), show("I5"), text(10, "Below")].concat();
    let logo = [text(260, "Next"), show("I5")].concat();
    let pdf = place.file("a.pdf", with_images(&[&page, &logo, "", &logo], &[picture(1), picture(2)]));
    fs::create_dir(place.path("made")).unwrap();
    let arguments = ["text", &pdf, "--format", "markdown", "--images", "pictures (1)", "--out", "made/a.md"];
    let run = place.run(&arguments);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("2 images written to pictures (1)/: "), "{}", run.stderr);
    let markdown = fs::read_to_string(place.path("made/a.md")).unwrap();
    let links = markdown.lines().filter(|line| line.starts_with("![")).collect::<Vec<_>>();
    let link = |number: u32| format!("![](<../pictures (1)/page1-image{number}.png>)");
    // Once on pages that follow each other.
    assert_eq!(links, [link(1), link(2), link(2)], "{markdown}");
    let order = ["Above", &link(1), "Below", "Next"].map(|part| markdown.find(part).unwrap());
    assert!(order.is_sorted(), "{markdown}");
    assert_eq!(fs::read_dir(place.path("pictures (1)")).unwrap().count(), 2);
    assert_eq!(place.refused(&["text", &pdf, "--images", "p"]).1, "validation_error");
    place.file("taken", b"a file");
    let refused = place.refused(&["text", &pdf, "--format", "markdown", "--images", "taken", "--out", "b.md"]);
    assert_eq!((refused.1.as_str(), place.path("b.md").exists()), ("write_failed", false));
}

#[test]
fn images_without_end_and_without_data_are_bounded_and_named() {
    let place = Place::new();
    let small = |at: usize| format!("BI /W 2 /H 2 /BPC 8 /CS /G ID {at:04} EI\n");
    let many = (0..3_000).map(small).chain((0..3_000).map(small)).collect::<String>();
    let huge =
        image("/Width 65536 /Height 32768 /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode", b"?");
    let kept = image("/Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", b"\x80");
    let pdf = place.file("a.pdf", with_images(&[&[show("I4"), show("I5")].concat(), &many], &[huge, kept]));
    let (status, result) = place.json(&["images", &pdf, "1", "--out-dir", "found"]);
    assert_eq!((status, paths(&result)), (0, vec!["a.pdf#image=1.2"]), "{result}");
    let note = result["notes"][0].as_str().unwrap();
    assert!(note.contains("a.pdf#image=1.1") && note.contains("max_image_pixels"), "{note}");
    assert_eq!(place.refused(&["get-file", "a.pdf#image=1.1"]).1, "limit_exceeded");
    let (_, result) = place.json(&["images", &pdf, "2"]);
    assert_eq!((paths(&result).len(), &result["left"]), (1_000, &json!(2_000)));
}

#[test]
fn files_are_written_to_the_folder_or_nowhere() {
    let place = Place::new();
    let pdf = place.copied("shared-resources.pdf");
    place.file("taken", b"a file");
    assert_eq!(place.refused(&["images", &pdf, "--out", "taken"]).1, "write_failed");
    #[cfg(unix)]
    {
        place.file("other.txt", b"untouched");
        fs::create_dir(place.path("found")).unwrap();
        std::os::unix::fs::symlink(place.path("other.txt"), place.path("found/page1-image1.png")).unwrap();
        let (status, result) = place.json(&["images", &pdf, "--out-dir", "found"]);
        assert_eq!(status, 0, "{result}");
        assert_eq!(fs::read(place.path("other.txt")).unwrap(), b"untouched");
    }
}
