//! Checks filter parameters (ISO 32000-2, tables 6 and 8).

use crate::object::Object;

/// Whether the specification defines all parameters of `filter`, with these values. Others may mean something to another
/// reader.
pub(super) fn are_known(filter: &[u8], parameters: &Object) -> bool {
    match parameters {
        Object::Null => true,
        Object::Dictionary(entries) => entries.iter().all(|(key, value)| is_known(filter, key.as_bytes(), value)),
        _ => false,
    }
}

fn is_known(filter: &[u8], key: &[u8], value: &Object) -> bool {
    let Some(value) = value.as_integer() else { return false };
    let is_lzw = matches!(filter, b"LZWDecode" | b"LZW");
    let has_predictor = is_lzw || matches!(filter, b"FlateDecode" | b"Fl");
    match key {
        b"Predictor" => has_predictor && matches!(value, 1 | 2 | 10..=15),
        b"Colors" | b"Columns" => has_predictor && value > 0,
        b"BitsPerComponent" => has_predictor && matches!(value, 1 | 2 | 4 | 8 | 16),
        b"EarlyChange" => is_lzw && matches!(value, 0 | 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::Lexer;

    #[test]
    fn what_the_specification_does_not_have_is_unknown() {
        let known = |filter: &[u8], parameters: &[u8]| {
            Lexer::new(parameters, 9).object().is_ok_and(|parameters| are_known(filter, &parameters))
        };
        assert!(known(b"FlateDecode", b"<</Predictor 15/Colors 3/BitsPerComponent 8/Columns 9>>"));
        assert!(known(b"LZWDecode", b"<</EarlyChange 0>>"));
        assert!(known(b"ASCII85Decode", b"<<>>"));
        for (filter, parameters) in [
            (&b"FlateDecode"[..], &b"<</Predictor 3>>"[..]),
            (b"FlateDecode", b"<</Predictor 12.0>>"),
            (b"FlateDecode", b"<</Columns 0>>"),
            (b"FlateDecode", b"<</Columns 5 0 R>>"),
            (b"FlateDecode", b"<</EarlyChange 0>>"),
            (b"FlateDecode", b"<</Secret 1>>"),
            (b"ASCII85Decode", b"<</Columns 9>>"),
            (b"FlateDecode", b"[]"),
        ] {
            assert!(!known(filter, parameters), "{}", parameters.escape_ascii());
        }
    }
}
