//! Decodes bytes into text.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::{Charset, Extent};

/// A charset declaration must be within this many bytes, as in browsers.
const DECLARED_WITHIN: usize = 1024;

/// Decodes `bytes`. The charset is the first that is known: the byte order mark's, that of `content_type`, the one that the
/// document declares, or the detected one. If none is known, it is windows-1252, which accepts every byte.
#[must_use]
pub fn decode_text(bytes: &[u8], content_type: Option<&str>) -> String {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| label_encoding(content_type?))
        .or_else(|| declared_encoding(bytes))
        .or_else(|| Charset::detect(bytes, Extent::Whole).map(|charset| charset.0))
        .unwrap_or(WINDOWS_1252);
    encoding.decode(bytes).0.into_owned()
}

/// The encoding of `…charset=label…`.
fn label_encoding(text: &str) -> Option<&'static Encoding> {
    // Other parameters may contain the word in their names and values.
    text.to_ascii_lowercase().split("charset").skip(1).find_map(|after| {
        let label = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let is_end = |character: char| matches!(character, '"' | '\'' | ';' | '>' | '/') || character.is_whitespace();
        Encoding::for_label(label.split(is_end).next()?.as_bytes())
    })
}

/// The encoding that an HTML or XML document declares. UTF-16 becomes UTF-8, because the declaration was readable as ASCII.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARED_WITHIN).unwrap_or(bytes);
    let head = head.iter().map(|byte| char::from(*byte)).collect::<String>().to_ascii_lowercase();
    let encoding = if head.starts_with("<?xml") {
        let (_, label) = head.split_once("?>")?.0.split_once("encoding")?;
        label_encoding(&format!("charset{label}"))?
    } else {
        head.split("<meta").skip(1).find_map(|tag| label_encoding(tag.split('>').next()?))?
    };
    Some(encoding.output_encoding())
}

#[cfg(test)]
mod tests {
    use super::decode_text;

    #[test]
    fn the_first_that_says_a_charset_is_believed() {
        assert_eq!(decode_text(b"\xef\xbb\xbf\xc3\xa9", Some("text/plain; charset=latin1")), "é");
        assert_eq!(decode_text(b"\xff\xfeh\0i\0", None), "hi");
        assert_eq!(decode_text(b"\xe9", Some("text/plain; Charset=\"ISO-8859-1\"")), "é");
        assert_eq!(decode_text(b"\xd1", Some("text/plain; x-charset-of=b; charset=koi8-r")), "я");
        assert_eq!(decode_text(b"<meta charset=shift_jis>\x92\xeb", Some("text/html")), "<meta charset=shift_jis>庭");
        let old = b"<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=koi8-r\">\xc4";
        assert!(decode_text(old, None).ends_with('д'));
        let xml = b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1";
        assert!(decode_text(xml, None).ends_with('ą'));
        assert_eq!(decode_text("é".as_bytes(), None), "é");
        assert_eq!(decode_text(b"\x93a\x94", None), "“a”");
        assert_eq!(decode_text(b"\x92\xeb\x82\xcc\x89\xd4", None), "庭の花");
        assert_eq!(decode_text(b"\x01\xe9", None), "\x01é");
        assert_eq!(decode_text(b"\xc3\xa9", Some("text/html; charset=nonsense")), "é");
    }
}
