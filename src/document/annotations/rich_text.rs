//! The words of a rich text string (ISO 32000-2, 12.7.4.4): XHTML of which only the text is wanted.

/// The text of `markup`: tags are dropped, paragraphs and breaks end lines, character references are resolved.
pub(super) fn plain_text(markup: &str) -> String {
    let mut text = String::new();
    let mut pieces = markup.split('<');
    push_characters(&mut text, pieces.next().unwrap_or_default());
    for piece in pieces {
        let (tag, after) = piece.split_once('>').unwrap_or((piece, ""));
        if ["/p", "br", "/div", "/li"].iter().any(|end| tag.trim_end_matches('/').trim().eq_ignore_ascii_case(end)) {
            text.push('\n');
        }
        push_characters(&mut text, after);
    }
    text.trim().to_owned()
}

/// Appends `content` with its character references resolved. Unknown ones stay as they are.
fn push_characters(text: &mut String, content: &str) {
    let mut parts = content.split('&');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let reference = part.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
        match reference {
            Some((character, rest)) => {
                text.push(character);
                text.push_str(rest);
            }
            None => {
                text.push('&');
                text.push_str(part);
            }
        }
    }
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|character| !pagewise_base::clean::is_hidden(*character))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn only_the_words_are_left_of_markup() {
        let markup = "<?xml version=\"1.0\"?><body><p dir=\"ltr\">Fish &amp; <b>chips</b></p><p>&#x41;&#66;&#8238;<br/>2 &lt; 3 &c</p></body>";
        assert_eq!(plain_text(markup), "Fish & chips\nAB&#8238;\n2 < 3 &c");
        assert_eq!(plain_text("no markup"), "no markup");
        assert_eq!(plain_text("cut <b"), "cut");
    }
}
