//! TrueType programs made by hand, of glyphs that are boxes.

/// A program whose glyphs are boxes as high as the number says; 0 is a glyph without an outline.
pub(crate) fn truetype(heights: &[u16]) -> Vec<u8> {
    let (mut glyf, mut loca) = (Vec::new(), vec![0_u32]);
    for height in heights {
        glyf.extend(if *height == 0 { Vec::new() } else { box_glyph(*height) });
        loca.push(u32::try_from(glyf.len()).unwrap_or_default());
    }
    let count = u16::try_from(heights.len()).unwrap_or_default();
    let tables: [(&[u8; 4], Vec<u8>); 6] = [
        (b"glyf", glyf),
        (
            b"head",
            [
                words(&[1, 0, 1, 0]),
                words(&[0, 0, 0x5F0F, 0x3CF5, 3, 1000]),
                vec![0; 16],
                words(&[0, 0, 600, 800, 0, 8, 2, 1, 0]),
            ]
            .concat(),
        ),
        (b"hhea", words(&[1, 0, 800, 0xFF38, 0, 600, 0, 0, 600, 1, 0, 0, 0, 0, 0, 0, 0, count])),
        (b"hmtx", [600, 60].repeat(heights.len()).iter().flat_map(|word: &u16| word.to_be_bytes()).collect()),
        (b"loca", loca.iter().flat_map(|offset| offset.to_be_bytes()).collect()),
        (b"maxp", words(&[1, 0, count, 64, 8, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])),
    ];
    let mut file = words(&[1, 0, 6, 64, 2, 32]);
    let mut body = Vec::new();
    for (tag, data) in &tables {
        file.extend(*tag);
        let offset = 12 + 16 * tables.len() + body.len();
        for number in [0, offset, data.len()] {
            file.extend(u32::try_from(number).unwrap_or_default().to_be_bytes());
        }
        body.extend(data);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    [file, body].concat()
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// One contour of four points from the base line to `height`.
fn box_glyph(height: u16) -> Vec<u8> {
    let head = words(&[1, 60, 0, 500, height, 3, 0]);
    let [across, points] = [words(&[60, 440, 0, 0_u16.wrapping_sub(440)]), words(&[0, 0, height, 0])];
    [head, vec![1; 4], across, points].concat()
}
