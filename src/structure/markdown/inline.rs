//! Spans: emphasis, code, links, superscripts.

use super::super::block::{SpanPosition, TextSpan};
use super::super::page_structure::has_letter;
use super::escapes;

/// The text of spans with all their marks.
pub(super) fn write(spans: &[TextSpan]) -> String {
    let mut out = String::new();
    match opens_formula(spans) {
        true => push_layer(&mut out, &without_dollars(spans), Layer::Link, None),
        false => push_layer(&mut out, spans, Layer::Link, None),
    }
    out
}

/// Whether a dollar of the text would open a formula, as pandoc and GitHub read it: something follows it, and a later
/// dollar follows something. Those of formulas are such too.
fn opens_formula(spans: &[TextSpan]) -> bool {
    let (mut is_open, mut before) = (false, ' ');
    for span in spans {
        if span.formula.is_some() {
            if is_open {
                return true;
            }
            before = 'x';
            continue;
        }
        let mut signs = span.text.chars().peekable();
        while let Some(sign) = signs.next() {
            if sign == '$' && is_open && !before.is_whitespace() {
                return true;
            }
            is_open |= sign == '$' && signs.peek().is_some_and(|next| !next.is_whitespace());
            before = sign;
        }
    }
    false
}

/// The spans with a mark before each dollar of the text, for which `escapes` writes a backslash.
fn without_dollars(spans: &[TextSpan]) -> Vec<TextSpan> {
    let is_text = |span: &TextSpan| span.formula.is_none() && !span.is_monospace;
    let escaped = |span: &TextSpan| TextSpan { text: span.text.replace('$', escapes::DOLLAR), ..span.clone() };
    spans.iter().map(|span| if is_text(span) { escaped(span) } else { span.clone() }).collect()
}

/// What marks surround a run of spans, from the outermost inwards.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layer {
    Link,
    Bold,
    Italic,
}

impl Layer {
    fn inner(self) -> Option<Self> {
        match self {
            Self::Link => Some(Self::Bold),
            Self::Bold => Some(Self::Italic),
            Self::Italic => None,
        }
    }

    fn is_same(self, a: &TextSpan, b: &TextSpan) -> bool {
        match self {
            Self::Link => a.target == b.target,
            Self::Bold => a.is_bold == b.is_bold,
            Self::Italic => a.is_italic == b.is_italic,
        }
    }

    /// The marks before and after a span's text.
    fn marks(self, span: &TextSpan) -> (&'static str, String) {
        match (self, &span.target) {
            (Self::Link, Some(target)) => ("[", format!("]({})", address(target))),
            (Self::Bold, _) if span.is_bold => ("**", "**".to_owned()),
            (Self::Italic, _) if span.is_italic => ("*", "*".to_owned()),
            _ => ("", String::new()),
        }
    }
}

/// Appends spans, those of the same layer inside common marks. `after` is the character that follows them.
fn push_layer(out: &mut String, spans: &[TextSpan], layer: Layer, after: Option<char>) {
    let mut rest = spans;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|span| layer.is_same(first, span)).count();
        let (run, tail) = rest.split_at(count);
        let next = tail.first().and_then(|span| span.text.chars().next()).or(after);
        let mut inner = String::new();
        match layer.inner() {
            Some(layer) => push_layer(&mut inner, run, layer, next),
            None => run.iter().for_each(|span| push_leaf(&mut inner, span)),
        }
        push_marked(out, &inner, layer, first, next);
        rest = tail;
    }
}

/// Appends text with the marks of a layer. The spaces at its ends stay outside.
fn push_marked(out: &mut String, text: &str, layer: Layer, span: &TextSpan, after: Option<char>) {
    let (open, close) = layer.marks(span);
    let body = text.trim();
    let has_space = text.len() > text.trim_end().len();
    let after = if has_space { Some(' ') } else { after };
    let is_legal = layer == Layer::Link || may_open(body, out.chars().last()) && may_close(body, after);
    if open.is_empty() || !has_letter(body) || !is_legal {
        out.push_str(text);
        return;
    }
    out.push_str(if text.starts_with(' ') { " " } else { "" });
    out.push_str(&format!("{open}{body}{close}"));
    out.push_str(if has_space { " " } else { "" });
}

/// Appends the text of a span, with the marks that concern it alone.
fn push_leaf(out: &mut String, span: &TextSpan) {
    let body = span.text.trim();
    let (head, tail) = (span.text.starts_with(' '), span.text.ends_with(' ') && !body.is_empty());
    let text = match span.position {
        _ if body.is_empty() => String::new(),
        _ if span.formula.is_some() => formula(span),
        SpanPosition::NoteMark => note_marks(body),
        SpanPosition::Raised => format!("<sup>{}</sup>", escapes::inside(body)),
        SpanPosition::Baseline if span.is_monospace => code(body),
        SpanPosition::Baseline if span.target.is_some() => escapes::link_text(body),
        SpanPosition::Baseline => escapes::inside(body),
    };
    out.push_str(if head { " " } else { "" });
    out.push_str(&text);
    out.push_str(if tail { " " } else { "" });
}

/// A formula between dollars.
fn formula(span: &TextSpan) -> String {
    let Some(formula) = &span.formula else { return String::new() };
    let delimiter = if formula.is_displayed { "$$" } else { "$" };
    format!("{delimiter}{}{delimiter}", formula.latex)
}

/// Without emphasis: headings have their own.
pub(super) fn heading(spans: &[TextSpan]) -> String {
    write(&merged(spans.iter().map(|span| TextSpan { is_bold: false, is_italic: false, ..span.clone() })))
}

/// Without italics if all of the text is italic.
pub(super) fn upright(spans: &[TextSpan]) -> String {
    let is_italic = spans.iter().all(|span| span.is_italic || !has_letter(&span.text));
    write(&merged(spans.iter().map(|span| TextSpan { is_italic: span.is_italic && !is_italic, ..span.clone() })))
}

/// The bare text.
pub(super) fn plain(spans: &[TextSpan]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// The length of the longest run of a sign.
pub(super) fn longest_run(text: &str, sign: char) -> usize {
    text.split(|other| other != sign).map(|run| run.chars().count()).max().unwrap_or(0)
}

/// Spans of one style become one.
fn merged(spans: impl Iterator<Item = TextSpan>) -> Vec<TextSpan> {
    let mut out: Vec<TextSpan> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if is_same(last, &span) => last.text.push_str(&span.text),
            _ => out.push(span),
        }
    }
    out
}

fn is_same(a: &TextSpan, b: &TextSpan) -> bool {
    TextSpan { text: String::new(), ..a.clone() } == TextSpan { text: String::new(), ..b.clone() }
}

/// The references to the notes whose labels a text has.
fn note_marks(text: &str) -> String {
    let labels = text.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | '(' | ')' | '[' | ']' | '.'));
    labels.filter(|label| !label.is_empty()).map(|label| format!("[^{label}]")).collect()
}

/// Whether emphasis may begin here (CommonMark: left-flanking).
fn may_open(body: &str, before: Option<char>) -> bool {
    body.chars().next().is_some_and(char::is_alphanumeric) || before.is_none_or(|sign| !sign.is_alphanumeric())
}

/// Whether emphasis may end here (CommonMark: right-flanking).
fn may_close(body: &str, after: Option<char>) -> bool {
    body.chars().last().is_some_and(char::is_alphanumeric) || after.is_none_or(|sign| !sign.is_alphanumeric())
}

fn code(body: &str) -> String {
    let fence = "`".repeat(1 + longest_run(body, '`'));
    let pad = if body.starts_with('`') || body.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{body}{pad}{fence}")
}

/// The address of a link, in angle brackets if it has spaces or brackets.
pub(super) fn address(target: &str) -> String {
    let clean: String = target.chars().filter(|sign| !sign.is_control()).collect();
    if clean.contains([' ', '(', ')', '<', '>']) {
        return format!("<{}>", clean.replace('<', "%3C").replace('>', "%3E"));
    }
    clean
}
