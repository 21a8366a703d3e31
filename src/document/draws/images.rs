//! How large images are, as they say themselves and as their data says, before an engine makes room for them.

use super::content::is_delimiter;
use crate::document::object::{Dictionary, Object};
use memchr::memmem;

/// The size of one image, or of several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Columns of the widest.
    pub(super) columns: u64,
    /// Pixels of all.
    pub(super) pixels: u64,
}

impl Extent {
    fn of(columns: u64, rows: u64) -> Self {
        Self { columns, pixels: columns.saturating_mul(rows) }
    }

    /// Both.
    pub(super) fn and(self, other: Self) -> Self {
        Self { columns: self.columns.max(other.columns), pixels: self.pixels.saturating_add(other.pixels) }
    }

    /// The larger: two opinions on one image.
    pub(super) fn or(self, other: Self) -> Self {
        Self { columns: self.columns.max(other.columns), pixels: self.pixels.max(other.pixels) }
    }
}

/// What an image's dictionary says; `get` gives a resolved value of it, `parameters` those of its last filter.
pub(super) fn said(get: impl Fn(&[u8]) -> Option<i64>, parameters: Option<&Dictionary>) -> Extent {
    let size = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
    let of_filter = |key: &[u8]| size(parameters.and_then(|entries| entries.get(key)).and_then(Object::as_integer));
    let (width, height) = (size(get(b"Width")).unwrap_or(0), size(get(b"Height")));
    let columns = of_filter(b"Columns").unwrap_or(0).max(width);
    Extent::of(columns, height.or(of_filter(b"Rows")).unwrap_or(0))
}

/// What data says of itself that `filter` decodes, as far as it is an image codec.
pub(super) fn coded(filter: &[u8], data: &[u8]) -> Extent {
    match filter {
        b"DCTDecode" | b"DCT" => jpeg(data),
        b"JPXDecode" => jpeg_2000(data),
        b"JBIG2Decode" => jbig2(data),
        _ => None,
    }
    .unwrap_or_default()
}

/// Whether [`coded`] knows the filter.
pub(super) fn is_codec(filter: &[u8]) -> bool {
    matches!(filter, b"DCTDecode" | b"DCT" | b"JPXDecode" | b"JBIG2Decode")
}

/// Segments and markers that are looked at.
const MAX_SEGMENTS: usize = 10_000;

fn half(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from(u16::from_be_bytes(*bytes)))
}

fn word(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from(u32::from_be_bytes(*bytes)))
}

/// The frame of a JPEG (ITU-T T.81, B.2.2).
fn jpeg(data: &[u8]) -> Option<Extent> {
    let mut rest = data;
    for _ in 0..MAX_SEGMENTS {
        let at = memchr::memchr(0xFF, rest)?;
        let kind = *rest.get(at + 1)?;
        let after = rest.get(at + 2..)?;
        rest = match kind {
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some(Extent::of(half(after, 5)?, half(after, 3)?));
            }
            // Those without a length, and padding.
            0x00 | 0x01 | 0xD0..=0xD9 => after,
            0xFF => rest.get(at + 1..)?,
            _ => after.get(usize::try_from(half(after, 0)?).ok()?..)?,
        };
    }
    None
}

/// The first segment of a JPEG 2000 codestream (ISO 15444-1, A.5.1), wherever it begins. Four components are as many as
/// there are bytes in a pixel elsewhere.
fn jpeg_2000(data: &[u8]) -> Option<Extent> {
    let sizes = data.get(memmem::find(data, &[0xFF, 0x4F, 0xFF, 0x51])? + 8..)?;
    let side = |end, start| Some(word(sizes, end)?.saturating_sub(word(sizes, start)?));
    let Extent { columns, pixels } = Extent::of(side(0, 8)?, side(4, 12)?);
    Some(Extent { columns, pixels: pixels.saturating_mul(half(sizes, 32)?.div_ceil(4).max(1)) })
}

/// The largest page or region of embedded JBIG2 data (ISO 14492, 7.2 to 7.4).
fn jbig2(data: &[u8]) -> Option<Extent> {
    let (mut rest, mut extent) = (data, Extent::default());
    for _ in 0..MAX_SEGMENTS {
        let Some((segment, after)) = jbig2_segment(rest) else { break };
        extent = extent.or(segment);
        rest = after;
    }
    Some(extent)
}

/// The size that one segment tells, and what follows it.
fn jbig2_segment(data: &[u8]) -> Option<(Extent, &[u8])> {
    let (number, flags) = (word(data, 0)?, *data.get(4)?);
    let count = u64::from(data.get(5)? >> 5);
    // More than four other segments are counted in a longer form, with a bit for each.
    let (count, after_count) = match count {
        7 => {
            let count = word(data, 5)? & 0x1FFF_FFFF;
            (count, 9 + usize::try_from(count.div_ceil(8)).ok()?.checked_add(usize::from(count.is_multiple_of(8)))?)
        }
        _ => (count, 6),
    };
    let bytes_each = if number <= 256 { 1 } else { 2 + 2 * u64::from(number > 65_536) };
    let referred = usize::try_from(count.checked_mul(bytes_each)?).ok()?;
    let page = if flags & 0x40 == 0 { 1 } else { 4 };
    let at = after_count.checked_add(referred)?.checked_add(page)?;
    let length = word(data, at)?;
    let body = data.get(at + 4..)?;
    let tells = matches!(flags & 0x3F, 48 | 4 | 6 | 7 | 20 | 22 | 23 | 36 | 38 | 39 | 40 | 42 | 43);
    let (columns, rows) = (word(body, 0).unwrap_or(0), word(body, 4).unwrap_or(0));
    // Pages of a height that is not known yet say so.
    let extent =
        if tells { Extent::of(columns, if rows == 0xFFFF_FFFF { 0 } else { rows }) } else { Extent::default() };
    // A length that is not known belongs to a region at the end.
    let after = usize::try_from(length).ok().and_then(|length| body.get(length..)).unwrap_or_default();
    Some((extent, after))
}

/// Inline JPEGs whose data is looked at; pages with more of them are not drawn.
const MAX_INLINE_JPEGS: u32 = 100;

/// All inline images in content (ISO 32000-2, 8.9.7). Each goes from what looks like its beginning to the first that looks
/// like the beginning of its data: nothing is looked at twice, and what only looks so hides nothing.
pub(super) fn inline_images(content: &[u8]) -> Extent {
    let (mut all, mut jpegs, mut rest) = (Extent::default(), 0, content);
    while let Some((_, after)) = around(rest, b"BI")
        && let Some((head, data)) = around(after, b"ID")
    {
        let (said, is_jpeg) = inline_image(head);
        jpegs += u32::from(is_jpeg);
        let coded = match is_jpeg {
            true if jpegs > MAX_INLINE_JPEGS => Extent { columns: 0, pixels: u64::MAX },
            true => jpeg(data).unwrap_or_default(),
            false => Extent::default(),
        };
        all = all.and(said.or(coded));
        rest = data;
    }
    all
}

/// What is before and after the first `operator` that stands by itself.
fn around<'a>(content: &'a [u8], operator: &[u8; 2]) -> Option<(&'a [u8], &'a [u8])> {
    let stands_alone = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| content.get(before));
        before.copied().is_none_or(is_delimiter) && content.get(at + 2).copied().is_none_or(is_delimiter)
    };
    let at = memmem::find_iter(content, operator).find(stands_alone)?;
    Some((content.get(..at)?, content.get(at + 2..)?))
}

/// What the dictionary of an inline image says, and whether its data is a JPEG.
fn inline_image(dictionary: &[u8]) -> (Extent, bool) {
    let (mut columns, mut rows, mut is_jpeg) = (0, 0, false);
    for entry in dictionary.split(|byte| *byte == b'/') {
        let name = entry.iter().position(|byte| is_delimiter(*byte)).unwrap_or(entry.len());
        let (name, value) = entry.split_at_checked(name).unwrap_or_default();
        match name {
            b"W" | b"Width" | b"Columns" => columns = integer(value).max(columns),
            b"H" | b"Height" | b"Rows" => rows = integer(value).max(rows),
            b"DCT" | b"DCTDecode" => is_jpeg = true,
            _ => {}
        }
    }
    (Extent::of(columns, rows), is_jpeg)
}

/// The number without sign that `value` begins with; the largest where it has more digits.
fn integer(value: &[u8]) -> u64 {
    let digits = value.trim_ascii_start().iter().skip_while(|byte| **byte == b'+');
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    digits.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_images_are_as_large_as_they_say() {
        let extent = |content: &[u8]| inline_images(content);
        assert_eq!(extent(b"q BI /W 30/H 20 /BPC 8 ID abc EI Q"), Extent { columns: 30, pixels: 600 });
        let two = b"BI/Width 4294967295/Height 2 ID a EI BI /W +3 /H 1 ID a EI";
        assert_eq!(extent(two), Extent { columns: 4_294_967_295, pixels: 8_589_934_593 });
        assert_eq!(extent(b"/BIG gs (ABI /W 9) Tj /ID Do"), Extent::default());
        let fax = b"BI /W 8/H 2/F/CCF/DP<</K -1/Columns 900000>> ID a EI";
        assert_eq!(extent(fax), Extent { columns: 900_000, pixels: 1_800_000 });
    }

    #[test]
    fn data_tells_its_size() {
        let frame = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 9, 9, 0xFF, 0xC2, 0, 17, 8, 0x01, 0x00, 0x02, 0x00, 3];
        assert_eq!(coded(b"DCTDecode", &frame), Extent { columns: 512, pixels: 512 * 256 });
        let inline = [b"BI /W 1 /H 1 /F /DCT ID ".as_slice(), &frame, b" EI"].concat();
        assert_eq!(inline_images(&inline), Extent { columns: 512, pixels: 512 * 256 });
        let numbers = [70_000_u32, 10, 0, 0, 1, 1, 0, 0].map(u32::to_be_bytes).concat();
        let codestream = [&[0, 0, 0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0][..], &numbers, &[0, 9]].concat();
        assert_eq!(coded(b"JPXDecode", &codestream), Extent { columns: 70_000, pixels: 2_100_000 });
        assert_eq!(coded(b"JPXDecode", b"nothing"), Extent::default());
    }

    #[test]
    fn regions_of_jbig2_tell_their_size() {
        let segment = |number: u32, kind: u8, referred: &[u8], side: u32| {
            let mut out = number.to_be_bytes().to_vec();
            out.extend([kind, u8::try_from(referred.len()).unwrap_or(0) << 5]);
            out.extend(referred);
            out.extend([1, 0, 0, 0, 19]);
            out.extend([side.to_be_bytes(), [0, 0, 0, 2], [0; 4], [0; 4]].concat());
            out.extend([0; 3]);
            out
        };
        let data = [segment(0, 48, &[], 9), segment(2, 0, &[0], 1_000_000), segment(3, 6, &[0, 1], 40_000)].concat();
        assert_eq!(coded(b"JBIG2Decode", &data), Extent { columns: 40_000, pixels: 80_000 });
        assert_eq!(coded(b"JBIG2Decode", data.get(..20).unwrap_or_default()), Extent { columns: 9, pixels: 18 });
    }
}
