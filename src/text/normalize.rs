//! Plain text without hidden characters.

use super::layout::hyphens::SOFT_HYPHEN;
use pagewise_base::clean::is_hidden;

/// Normalises text: no hidden characters, `\n` for every line end, no trailing spaces, at most one empty line in a row.
#[must_use]
pub fn normalize_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{B}', '\u{C}', '\u{2028}', '\u{2029}'], "\n");
    let mut out = String::with_capacity(text.len());
    let mut empty_lines = 0;
    for line in text.split('\n') {
        let line: String = line
            .chars()
            .filter(|character| matches!(*character, '\t' | SOFT_HYPHEN) || !is_hidden(*character))
            .collect();
        let line = line.trim_end();
        if line.is_empty() {
            empty_lines += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if empty_lines > 0 { "\n\n" } else { "\n" });
        }
        empty_lines = 0;
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::normalize_text;

    #[test]
    fn lines_stay_and_hidden_characters_go() {
        let text = "\n\n a\u{202E}b \r\n\u{200B}\r\n\n\tc\u{E0041}\u{0}\u{9B}d\re\n";
        assert_eq!(normalize_text(text), " ab\n\n\tcd\ne");
        assert_eq!(normalize_text(" \n\u{FEFF}"), "");
        assert_eq!(normalize_text("م\u{200C}ن"), "م\u{200C}ن");
    }
}
