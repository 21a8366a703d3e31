//! The document that is asked for.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::support::file_of;

/// A document whose pages each have an image of `bytes` that cannot be made shorter, and 40 lines of text, stored with
/// Flate as real documents do. Another `seed` makes another document of the same size.
pub(crate) fn book(pages: u32, bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut noise = std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    });
    let kids = (0..pages).map(|page| format!("{} 0 R ", 4 + 3 * page)).collect::<String>();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Count {pages}/Kids[{kids}]>>").into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    for page in 0..pages {
        let own = 4 + 3 * page;
        let lines = (0..40_u32)
            .map(|line| format!("(line {line} of page {page} has word {} and more of it) Tj T*\n", page * 40 + line));
        let text =
            format!("q 100 0 0 100 50 50 cm /I Do Q BT /F 11 Tf 14 TL 50 780 Td\n{}ET", lines.collect::<String>());
        let width = bytes / 3 / 100;
        let image = noise.by_ref().take(width * 300).collect::<Vec<_>>();
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {} 0 R/Resources<</Font<</F 3 0 R>>/XObject<</I {} 0 R>>>>>>",
                own + 1,
                own + 2
            )
            .into_bytes(),
        );
        objects.push(flate_stream("", text.as_bytes()));
        let entries = format!("/Subtype/Image/Width {width}/Height 100/BitsPerComponent 8/ColorSpace/DeviceRGB");
        objects.push(flate_stream(&entries, &image));
    }
    file_of(&objects)
}

/// A compressed stream with these entries in its dictionary.
fn flate_stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    let data = encoder.finish().unwrap();
    let head = format!("<<{entries}/Filter/FlateDecode/Length {}>>stream\n", data.len());
    [head.into_bytes(), data, b"\nendstream".to_vec()].concat()
}
