//! Which characters bytes stand for.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a document a declaration of its charset is looked for, as browsers do.
const DECLARED_WITHIN: usize = 1024;

/// The text of `bytes`: by a byte order mark, else as `content_type` says, else as the document says of itself, else as
/// UTF-8 where it is that, else as windows-1252, which gives every byte a character.
#[must_use]
pub fn decoded(bytes: &[u8], content_type: Option<&str>) -> String {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| labelled(content_type?))
        .or_else(|| declared(bytes))
        .unwrap_or_else(|| if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 });
    encoding.decode(bytes).0.into_owned()
}

/// The encoding of `…charset=label…`.
fn labelled(text: &str) -> Option<&'static Encoding> {
    // Other parameters may have it in their names and values.
    text.to_ascii_lowercase().split("charset").skip(1).find_map(|after| {
        let label = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let is_end = |character: char| matches!(character, '"' | '\'' | ';' | '>' | '/') || character.is_whitespace();
        Encoding::for_label(label.split(is_end).next()?.as_bytes())
    })
}

/// The encoding that a page or an XML document names at its start. One of two bytes a character is none: the
/// declaration could not be read.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARED_WITHIN).unwrap_or(bytes);
    let head = head.iter().map(|byte| char::from(*byte)).collect::<String>().to_ascii_lowercase();
    let encoding = if head.starts_with("<?xml") {
        let (_, label) = head.split_once("?>")?.0.split_once("encoding")?;
        labelled(&format!("charset{label}"))?
    } else {
        head.split("<meta").skip(1).find_map(|tag| labelled(tag.split('>').next()?))?
    };
    Some(encoding.output_encoding())
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn the_first_that_says_a_charset_is_believed() {
        assert_eq!(decoded(b"\xef\xbb\xbf\xc3\xa9", Some("text/plain; charset=latin1")), "é");
        assert_eq!(decoded(b"\xff\xfeh\0i\0", None), "hi");
        assert_eq!(decoded(b"\xe9", Some("text/plain; Charset=\"ISO-8859-1\"")), "é");
        assert_eq!(decoded(b"\xd1", Some("text/plain; x-charset-of=b; charset=koi8-r")), "я");
        assert_eq!(decoded(b"<meta charset=shift_jis>\x92\xeb", Some("text/html")), "<meta charset=shift_jis>庭");
        let old = b"<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=koi8-r\">\xc4";
        assert!(decoded(old, None).ends_with('д'));
        let xml = b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1";
        assert!(decoded(xml, None).ends_with('ą'));
        assert_eq!(decoded("é".as_bytes(), None), "é");
        assert_eq!(decoded(b"\x93a\x94", None), "“a”");
        assert_eq!(decoded(b"\xc3\xa9", Some("text/html; charset=nonsense")), "é");
    }
}
