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

/// A file of these objects, the first of which is the catalog.
pub(crate) fn file_of(objects: &[Vec<u8>]) -> Vec<u8> {
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
