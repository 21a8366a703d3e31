//! Documents of a size that is asked for.

#[allow(dead_code, reason = "not every bench reads a page of one size")]
/// One page whose content is as long as it says and cannot be made shorter.
pub(crate) fn page_of(bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    });
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</I 4 0 R>>>>/Contents 5 0 R>>".to_vec(),
        [
            format!("<</Subtype/Image/Filter/DCTDecode/Length {bytes}>>stream\n").into_bytes(),
            noise.take(bytes).collect(),
            b"\nendstream".to_vec(),
        ]
        .concat(),
        b"<</Length 5>>stream\n/I Do\nendstream".to_vec(),
    ];
    file_of(&objects)
}

/// A document whose pages each have an image of `bytes` that cannot be made shorter, and 40 lines of text. Another `seed`
/// makes another document of the same size.
#[allow(dead_code, reason = "not every bench reads a book")]
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
        let image = format!(
            "<</Subtype/Image/Width {width}/Height 100/BitsPerComponent 8/ColorSpace/DeviceRGB/Length {}>>stream\n",
            width * 300
        );
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {} 0 R/Resources<</Font<</F 3 0 R>>/XObject<</I {} 0 R>>>>>>",
                own + 1,
                own + 2
            )
            .into_bytes(),
        );
        objects.push(format!("<</Length {}>>stream\n{text}\nendstream", text.len()).into_bytes());
        objects
            .push([image.into_bytes(), noise.by_ref().take(width * 300).collect(), b"\nendstream".to_vec()].concat());
    }
    file_of(&objects)
}

/// A file of these objects, the first of which is the catalog.
fn file_of(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n").bytes().chain(object.iter().copied()).chain(*b"\nendobj\n"));
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
    offsets.iter().for_each(|offset| file.extend(format!("{offset:010} 00000 n \n").bytes()));
    file.extend(format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}
