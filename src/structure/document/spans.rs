//! The lines of a draft become spans of text: lines joined, hyphens repaired.

use super::super::block::{BlockKind, SpanPosition, TextSpan};
use super::super::page_structure::{Line, LineWord};
use super::DocumentPage;
use super::drafts::{Draft, DraftKind, Marker};
use super::notes::marks;
use super::type_statistics::TypeStatistics;
use crate::line_end::LineEnd;
use crate::reading::pitch;
use pagewise_text::{Bounds, Vocabulary};
use std::collections::BTreeSet;

/// A raised number before it is the numerator of a fraction.
const FRACTION_SLASH: char = '\u{2044}';

/// Letters that are drawn as one sign. Some programs take that sign from another font, which does not say that it is bold.
const LIGATURES: [&str; 5] = ["ff", "fi", "fl", "ffi", "ffl"];

/// The words of further lines are not looked up when hyphens are repaired.
const MAX_VOCABULARY: usize = 20_000;
/// So much of the word before a line end is looked at.
const MAX_LAST_WORD: usize = 100;
/// The indent and the empty lines of code, at most.
const MAX_CODE_INDENT: usize = 200;
const MAX_EMPTY_LINES: usize = 3;

/// Writes the text of drafts.
pub(super) struct SpanWriter<'a> {
    pages: &'a [DocumentPage],
    vocabulary: Vocabulary,
    /// The pages of the notes, by index, and their labels.
    notes: BTreeSet<(usize, &'a str)>,
    statistics: &'a TypeStatistics,
}

impl<'a> SpanWriter<'a> {
    pub(super) fn new(pages: &'a [DocumentPage], drafts: &'a [Draft], statistics: &'a TypeStatistics) -> Self {
        let notes = drafts.iter().filter_map(|draft| match &draft.kind {
            DraftKind::Footnote { label } => Some((draft.place.page, label.as_str())),
            _ => None,
        });
        Self { pages, vocabulary: vocabulary(pages), notes: notes.collect(), statistics }
    }

    /// The text of a draft without its mark.
    pub(super) fn text(&self, draft: &Draft, kind: &BlockKind) -> Vec<TextSpan> {
        let mut spans: Vec<TextSpan> = Vec::new();
        let mut skip = match kind {
            BlockKind::ListItem { .. } => draft.marker.as_ref().map_or(0, Marker::hidden_length),
            BlockKind::Footnote { .. } => first_length(draft),
            _ => 0,
        };
        for (index, line) in draft.lines.iter().enumerate() {
            let page = draft.page_of(index);
            let has_note = |label: &String| self.notes.contains(&(page, label.as_str()));
            let marks = marks(&line.words).into_iter().filter(|mark| mark.labels.iter().all(has_note));
            let marks: BTreeSet<usize> = marks.flat_map(|mark| mark.words).collect();
            for (position, word) in line.words.iter().enumerate() {
                let text: String = word.text.chars().skip(skip).collect();
                skip = skip.saturating_sub(word.text.chars().count());
                if text.is_empty() {
                    continue;
                }
                let mut span = self.span(text, word, page, marks.contains(&position));
                let is_first = position == 0;
                let is_spaced = if is_first && index > 0 { self.join_line(&mut spans, &span) } else { word.is_spaced };
                if word.is_raised {
                    let host = spans.last().filter(|_| !is_spaced);
                    (span.is_bold, span.is_italic) = host.map_or((false, false), |host| (host.is_bold, host.is_italic));
                }
                let is_numerator =
                    line.words.get(position + 1).is_some_and(|next| next.text.starts_with(FRACTION_SLASH));
                if is_numerator && is_spaced {
                    span.position = SpanPosition::Baseline;
                }
                push(&mut spans, is_spaced, span);
            }
        }
        spans
    }

    fn span(&self, text: String, word: &LineWord, page: usize, is_mark: bool) -> TextSpan {
        let targets = self.pages.get(page).map(|page| &page.structure.targets);
        let target = word.target.and_then(|target| targets?.get(usize::try_from(target).ok()?));
        let position = match word.is_raised {
            true if is_mark => SpanPosition::NoteMark,
            true => SpanPosition::Raised,
            false => SpanPosition::Baseline,
        };
        TextSpan {
            is_bold: word.style.is_bold && !self.statistics.is_bold,
            is_italic: word.style.is_italic,
            is_monospace: word.style.is_monospace && !self.statistics.is_monospace,
            position,
            target: target.filter(|target| !target.is_empty()).cloned(),
            formula: if text == word.text { word.formula.clone() } else { None },
            text,
        }
    }

    /// Whether a space stands between a line and the one before. Takes away a hyphen that only divides a word.
    fn join_line(&self, spans: &mut [TextSpan], next: &TextSpan) -> bool {
        let Some(last) = spans.last_mut() else { return true };
        let tail: Vec<char> = last.text.chars().rev().take(MAX_LAST_WORD).take_while(|sign| *sign != ' ').collect();
        let before: String = tail.into_iter().rev().collect();
        let is_one_link = last.target == next.target;
        let is_word_of = |target: &String| {
            // Some addresses are titles written without spaces. If one also joins the two words before, it does not tell whether
            // the word goes on in the next line.
            let above = last.text.strip_suffix(before.as_str()).and_then(|above| above.strip_suffix(' '));
            let above = above.and_then(|above| above.split(' ').next_back());
            has_word(target, &before, &next.text) && !above.is_some_and(|above| has_word(target, above, &before))
        };
        if is_one_link && last.target.as_ref().is_some_and(is_word_of) {
            return false;
        }
        match LineEnd::between(&before, &next.text, || &self.vocabulary) {
            LineEnd::Space => true,
            // An address that ends with a slash, before other text.
            LineEnd::Nothing => before.ends_with('/') && !is_one_link,
            LineEnd::Divided => {
                last.text.pop();
                false
            }
        }
    }

    /// The text of code, with its line ends, indents and empty lines.
    pub(super) fn code(&self, draft: &Draft) -> Vec<TextSpan> {
        let lefts = left_edges(draft);
        let words = draft.lines.iter().flat_map(|line| &line.words);
        let widths = words.map(|word| (word.text.as_str(), word.bounds.width() / word.style.size));
        // In type of other pitches, only the indent of a line, and of what follows its number, says something.
        let is_fixed = draft.is_all(Line::is_monospace);
        let pitch_em = pitch(widths).filter(|_| is_fixed).unwrap_or(0.5);
        let step = draft.lines.windows(2).filter_map(|pair| Some(pair.get(1)?.baseline - pair.first()?.baseline));
        let step = step.filter(|step| *step > 0.0).fold(f32::INFINITY, f32::min);
        let mut text = String::new();
        let mut above: Option<&Line> = None;
        let mut lefts = lefts.into_iter();
        let are_level = |a: &Line, b: &Line| a.baseline.total_cmp(&b.baseline).is_eq();
        for row in draft.lines.chunk_by(|a, b| are_level(a, b)) {
            let Some(line) = row.first() else { continue };
            let left = lefts.by_ref().take(row.len()).fold(line.bounds.x0, f32::min);
            if let Some(above) = above.replace(line) {
                let lines = count((line.baseline - above.baseline) / step).clamp(1, 1 + MAX_EMPTY_LINES);
                text.extend(std::iter::repeat_n('\n', lines));
            }
            let words = row.iter().flat_map(|line| line.words.iter().enumerate());
            let mut column = 0;
            let mut is_placed = true;
            let pitch = pitch_em * if is_fixed { line.size } else { draft.size() };
            for (index, word) in words {
                let is_spaced = column > 0 && (index == 0 || word.is_spaced);
                let begin = line.words.first().map_or(left, |first| first.bounds.x0);
                let shift = count((begin - left) / pitch) + count((word.bounds.x0 - begin) / pitch);
                let wanted = shift.min(MAX_CODE_INDENT + column);
                let least = column + usize::from(is_spaced);
                let at = if is_placed || is_fixed && is_spaced { wanted.max(least) } else { least };
                text.extend(std::iter::repeat_n(' ', at.saturating_sub(column)));
                let shown = word.formula.as_ref().map_or(&word.text, |formula| &formula.latex);
                text.push_str(shown);
                is_placed = column == 0 && is_step_number(shown);
                column = at + shown.chars().count();
            }
        }
        vec![TextSpan { text, is_monospace: true, ..TextSpan::default() }]
    }
}

/// For each line of code the left edge of the code. In the next column of a page it is another one.
fn left_edges(draft: &Draft) -> Vec<f32> {
    let part = |at: usize| draft.joints.partition_point(|(first, _)| *first <= at);
    let lines: Vec<(usize, Bounds)> =
        draft.lines.iter().enumerate().map(|(at, line)| (part(at), line.bounds)).collect();
    let parts = lines.chunk_by(|a, b| a.0 == b.0);
    let bounds: Vec<Bounds> = parts.map(|own| Bounds::around(own.iter().map(|(_, bounds)| *bounds))).collect();
    let left = |own: &Bounds| {
        let column = bounds.iter().filter(|other| other.shared_width(*own) > 0.0);
        column.map(|other| other.x0).fold(own.x0, f32::min)
    };
    let lefts: Vec<f32> = bounds.iter().map(left).collect();
    lines.iter().map(|(part, own)| lefts.get(*part).copied().unwrap_or(own.x0)).collect()
}

fn is_step_number(text: &str) -> bool {
    let digits = text.trim_end_matches([':', '.']);
    !digits.is_empty() && digits.chars().all(|sign| sign.is_ascii_digit())
}

fn count(ratio: f32) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is in range after the clamp"
    )]
    let count = ratio.round().clamp(0.0, 10_000.0) as usize;
    count
}

fn first_length(draft: &Draft) -> usize {
    let first = draft.lines.first().and_then(|line| line.words.first());
    first.map_or(0, |word| word.text.chars().count())
}

/// Appends a span, to the last one if the style is the same.
fn push(spans: &mut Vec<TextSpan>, is_spaced: bool, span: TextSpan) {
    let Some(last) = spans.last_mut() else { return spans.push(span) };
    // Two labels that touch each other are two references.
    let are_marks = [last.position, span.position] == [SpanPosition::NoteMark; 2];
    last.text.push_str(if is_spaced || are_marks { " " } else { "" });
    let mut is_one = is_same_style(last, &span);
    // A formula that is broken at a line end, or whose parts stand beside each other, is one.
    if let (Some(formula), Some(next)) = (last.formula.as_mut(), span.formula.as_ref())
        && !formula.is_displayed
        && !next.is_displayed
    {
        formula.latex.push_str(&format!(" {}", next.latex));
        is_one = true;
    }
    if is_one {
        last.text.push_str(&span.text);
    } else if let [.., before, sign] = spans.as_mut_slice()
        && is_sign_within(before, sign, &span)
    {
        before.text.push_str(&sign.text);
        before.text.push_str(&span.text);
        spans.pop();
    } else {
        spans.push(span);
    }
}

/// Whether a sign or a ligature of another font touches the words before and after it, which are of one style. Brackets and
/// punctuation stand between what has its own style.
fn is_sign_within(before: &TextSpan, sign: &TextSpan, after: &TextSpan) -> bool {
    let is_upright = |span: &TextSpan| span.position == SpanPosition::Baseline && !span.is_monospace;
    let divides = |sign: char| sign.is_alphanumeric() || sign.is_whitespace() || "()[]{},;:.".contains(sign);
    let is_sign = !sign.text.contains(divides) || LIGATURES.contains(&sign.text.as_str());
    is_sign
        && !before.text.ends_with(' ')
        && [before, sign, after].into_iter().all(is_upright)
        && is_same_style(before, after)
        && sign.target == before.target
        && sign.formula.is_none()
}

/// Whether spans are written with the same marks. The signs of a superscript often come from several fonts.
fn is_same_style(a: &TextSpan, b: &TextSpan) -> bool {
    let are_alike = (a.is_bold, a.is_italic, a.is_monospace) == (b.is_bold, b.is_italic, b.is_monospace);
    a.position == b.position
        && (are_alike || a.position == SpanPosition::Raised)
        && a.target == b.target
        && a.formula.is_none()
        && b.formula.is_none()
}

/// Whether an address has a word of two parts.
fn has_word(address: &str, before: &str, next: &str) -> bool {
    let is_sign = |sign: char| !sign.is_alphanumeric();
    let (before, next) = (before.trim_start_matches(is_sign), next.trim_end_matches(is_sign));
    !before.is_empty() && !next.is_empty() && address.to_lowercase().contains(&format!("{before}{next}").to_lowercase())
}

/// The words of the document.
fn vocabulary(pages: &[DocumentPage]) -> Vocabulary {
    let lines = pages.iter().flat_map(|page| page.structure.lines());
    Vocabulary::of(lines.take(MAX_VOCABULARY).map(Line::text))
}
