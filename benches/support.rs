//! Documents of a size that is asked for.

/// One page whose content is as long as it says and cannot be made shorter.
pub(crate) fn page_of(bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    });
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
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
    for (number, object) in (1..).zip(objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n").bytes().chain(object).chain(*b"\nendobj\n"));
    }
    let start = file.len();
    file.extend(b"xref\n0 6\n0000000000 65535 f \n");
    offsets.iter().for_each(|offset| file.extend(format!("{offset:010} 00000 n \n").bytes()));
    file.extend(format!("trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}
