//! Escapes: a backslash before signs that Markdown would read otherwise, and nowhere else.

/// Stands for a dollar that would open a formula. Text has no such character.
pub(super) const DOLLAR: &str = "\u{fdd0}";

/// Escapes signs inside a paragraph.
pub(super) fn inside(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 8);
    for (index, sign) in signs.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| signs.get(at)).copied();
        let after = signs.get(index + 1).copied();
        let is_text = *sign == '&' && !begins_entity(signs.get(index + 1..).unwrap_or_default());
        if DOLLAR.contains(*sign) {
            out.push_str("\\$");
            continue;
        }
        if !is_text && needs_escape(*sign, before, after) {
            out.push('\\');
        }
        out.push(*sign);
    }
    out
}

fn needs_escape(sign: char, before: Option<char>, after: Option<char>) -> bool {
    let is_space = |sign: Option<char>| sign.is_none_or(char::is_whitespace);
    let is_word = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    match sign {
        '\\' => after.is_some_and(|sign| sign.is_ascii_punctuation()),
        '`' => true,
        // At the ends of a text in one style there may be the marks of another one.
        '*' => !(before.is_some_and(char::is_whitespace) && after.is_some_and(char::is_whitespace)),
        '_' => !(is_word(before) && is_word(after) || is_space(before) && is_space(after)),
        '~' => before == Some('~') || after == Some('~'),
        '<' => after.is_some_and(|sign| sign.is_ascii_alphabetic() || matches!(sign, '/' | '!' | '?')),
        '&' => after.is_some_and(|sign| sign.is_ascii_alphabetic() || sign == '#'),
        '[' => after == Some('^'),
        ']' => after == Some('('),
        _ => false,
    }
}

/// Whether signs after an ampersand end with a semicolon, as those of an entity do.
fn begins_entity(signs: &[char]) -> bool {
    let name = signs.iter().take_while(|sign| sign.is_ascii_alphanumeric() || **sign == '#').count();
    signs.get(name) == Some(&';')
}

/// Escapes brackets too, for the text of a link.
pub(super) fn link_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    for sign in inside(text).chars() {
        if matches!(sign, '[' | ']') && !out.ends_with('\\') {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

/// Escapes what would make a paragraph something else by its first signs.
pub(super) fn line_start(text: &str) -> String {
    let mut signs = text.chars();
    let Some(first) = signs.next() else { return String::new() };
    let second = signs.next();
    let is_cut = second.is_none_or(char::is_whitespace);
    let is_marked = match first {
        '#' => is_cut || text.trim_start_matches('#').starts_with(' '),
        '-' | '+' | '=' => is_cut || is_rule(text, first),
        '*' | '_' => is_cut,
        '>' | '|' => true,
        '~' => text.starts_with("~~~"),
        '[' => text.starts_with("[ ] ") || text.starts_with("[x] ") || text.starts_with("[X] ") || text.contains("]:"),
        _ => false,
    };
    if is_marked { format!("\\{text}") } else { enumeration(text) }
}

fn is_rule(text: &str, sign: char) -> bool {
    text.chars().filter(|other| *other == sign).count() >= 2 && text.chars().all(|other| other == sign || other == ' ')
}

/// Escapes the sign after a number that would begin a list.
fn enumeration(text: &str) -> String {
    let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let (number, mut after) = (text.len() - rest.len(), rest.chars());
    let is_closed = matches!(after.next(), Some('.' | ')')) && after.next().is_none_or(char::is_whitespace);
    match (1..=9).contains(&number) && is_closed {
        true => format!("{}\\{rest}", text.strip_suffix(rest).unwrap_or_default()),
        false => text.to_owned(),
    }
}
