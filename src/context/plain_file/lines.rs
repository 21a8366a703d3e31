//! Excerpts and diffs of text files.

use std::time::Duration;

use similar::TextDiff;

use crate::context::phrases::{count_of, grouped};
use crate::context::request::AnswerSettings;
use pagewise_view::LineSpan;

/// The lines of one answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineExcerpt {
    /// The lines, each with its line end. Long lines are abridged.
    pub(crate) text: String,
    /// First line, 1-based; 0 for an empty file.
    pub(crate) first: u64,
    /// Last line.
    pub(crate) last: u64,
    /// Lines in the file.
    pub(crate) total: u64,
    /// Whether requested lines did not fit.
    pub(crate) is_cut: bool,
    /// The lines among them that are abridged.
    abridged: Vec<u64>,
}

/// Which lines are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineRange {
    pub(crate) start: Option<u64>,
    pub(crate) count: Option<u64>,
}

impl LineExcerpt {
    /// The lines that are whole, as runs. An empty file counts as one line.
    pub(crate) fn whole_lines(&self) -> Vec<LineSpan> {
        let ends = self.abridged.iter().map(|line| line.saturating_sub(1)).chain([self.last.max(1)]);
        let starts = [self.first.max(1)].into_iter().chain(self.abridged.iter().map(|line| line.saturating_add(1)));
        let span = |(first, last): (u64, u64)| LineSpan::new(u32::try_from(first).ok()?, u32::try_from(last).ok()?);
        starts.zip(ends).filter_map(span).collect()
    }
}

/// The lines of `range` that fit; `None` if `range` begins past the end.
pub(crate) fn excerpt(text: &str, range: LineRange, settings: &AnswerSettings) -> Option<LineExcerpt> {
    let total = count(text.lines());
    let start = range.start.unwrap_or(1).max(1);
    if start > total.max(1) {
        return None;
    }
    let wanted = range.count.unwrap_or(u64::MAX).min(total.saturating_sub(start - 1));
    let lines = text.lines().skip(to_usize(start - 1)).take(to_usize(wanted));
    let first = if total == 0 { 0 } else { start };
    let mut excerpt =
        LineExcerpt { text: String::new(), first, last: start - 1, total, is_cut: false, abridged: Vec::new() };
    excerpt.is_cut = excerpt.add_lines(lines, settings) < wanted;
    Some(excerpt)
}

impl LineExcerpt {
    /// Adds the lines that fit, and returns their number.
    fn add_lines<'a>(&mut self, lines: impl Iterator<Item = &'a str>, settings: &AnswerSettings) -> u64 {
        let (mut characters, mut taken) = (0_usize, 0);
        for line in lines {
            let shortened = shorten_line(line, settings.max_line_characters);
            let given = shortened.as_deref().unwrap_or(line);
            characters = characters.saturating_add(given.chars().count()).saturating_add(1);
            if taken > 0 && characters > settings.max_text_characters {
                break;
            }
            self.text.push_str(given);
            self.text.push('\n');
            self.last = self.last.saturating_add(1);
            self.abridged.extend(shortened.map(|_| self.last));
            taken += 1;
        }
        taken
    }
}

/// From the first to the last line of more than `max` characters.
pub(crate) fn abridged_lines(text: &str, max: usize) -> Option<LineSpan> {
    let is_long = |line: &str| line.len() > max && line.chars().count() > max;
    let mut long = (1_u32..).zip(text.lines()).filter(|(_, line)| is_long(line)).map(|(number, _)| number);
    let first = long.next()?;
    LineSpan::new(first, long.last().unwrap_or(first))
}

/// A line of more than `max` characters with its middle replaced by a note; `None` if it is shorter.
fn shorten_line(line: &str, max: usize) -> Option<String> {
    let length = line.chars().count();
    let left_out = length.checked_sub(max).filter(|left_out| *left_out > 0)?;
    let start = line.chars().take(max / 2).collect::<String>();
    let end = line.chars().skip(max / 2 + left_out).collect::<String>();
    Some(format!(
        "{start}[… {} left out: lines are read up to {} characters …]{end}",
        count_of(count(0..left_out), "character"),
        grouped(count(0..max))
    ))
}

/// Time to search for the shortest diff. After that, a longer one is accepted: unrelated texts take quadratic time.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// The diff from `old` to `new`, if it is shorter than `new`.
pub(crate) fn shorter_diff(old: &str, new: &str) -> Option<String> {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    let text = diff.unified_diff().context_radius(3).header("provided earlier", "now").to_string();
    (!text.is_empty() && text.len() < new.len()).then_some(text)
}

fn count(items: impl Iterator) -> u64 {
    u64::try_from(items.count()).unwrap_or(u64::MAX)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str, start: Option<u64>, wanted: Option<u64>) -> Option<(u64, u64, u64, bool)> {
        let settings = AnswerSettings { max_text_characters: 20, max_line_characters: 8, ..AnswerSettings::default() };
        excerpt(text, LineRange { start, count: wanted }, &settings)
            .map(|excerpt| (excerpt.first, excerpt.last, excerpt.total, excerpt.is_cut))
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(taken("a\nb\nc", None, None), Some((1, 3, 3, false)));
        assert_eq!(taken("a\nb\nc\n", Some(2), Some(1)), Some((2, 2, 3, false)));
        assert_eq!(taken("a\nb\nc", Some(3), Some(9)), Some((3, 3, 3, false)));
        assert_eq!(taken("a\nb\nc", Some(4), None), None);
        assert_eq!(taken("", None, None), Some((0, 0, 0, false)));
    }

    #[test]
    fn an_answer_ends_at_a_line() {
        assert_eq!(taken("1234567\n1234\n123456\n", None, None), Some((1, 3, 3, false)));
        assert_eq!(taken("1234567\n1234\n1234567\n", None, None), Some((1, 2, 3, true)));
    }

    #[test]
    fn long_lines_lose_their_middle_and_say_so() {
        assert_eq!(shorten_line("12345678", 8), None);
        assert_eq!(
            shorten_line("äbcdefghi", 8).as_deref(),
            Some("äbcd[… 1 character left out: lines are read up to 8 characters …]fghi")
        );
    }

    #[test]
    fn abridged_lines_do_not_count_as_given() {
        let long = "x".repeat(9);
        let whole = |text: &str| {
            let settings = AnswerSettings { max_line_characters: 8, ..AnswerSettings::default() };
            let lines = excerpt(text, LineRange::default(), &settings).map(|excerpt| excerpt.whole_lines());
            let lines = lines.unwrap_or_default().into_iter();
            lines.map(|span| format!("{}-{}", span.first(), span.last())).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(whole(""), "1-1");
        assert_eq!(whole("a\nb\n"), "1-2");
        assert_eq!(whole(&long), "");
        assert_eq!(whole(&format!("{long}\na\nb\n{long}\n{long}\nc\n")), "2-3 6-6");
    }

    #[test]
    fn a_diff_is_used_only_where_it_is_shorter() {
        let old = (0..100).map(|line| format!("line {line}\n")).collect::<String>();
        let diff = shorter_diff(&old, &old.replace("line 50\n", "line fifty\n")).unwrap_or_default();
        assert!(diff.contains("-line 50\n+line fifty\n"), "{diff}");
        assert_eq!(shorter_diff("a\n", "b\n"), None);
        assert_eq!(shorter_diff("a\n", "a\n"), None);
    }

    /// Finding the shortest diff of these would take hours.
    #[test]
    fn texts_without_a_line_in_common_have_no_diff_and_take_no_time() {
        let text = |of: &str| (0..600_000).map(|line| format!("{of}{line}\n")).collect::<String>();
        assert_eq!(shorter_diff(&text("a"), &text("b")), None);
        let shuffled = |step: u64| (0..100_003).map(|line| format!("{}\n", line * step % 100_003)).collect::<String>();
        let diff = shorter_diff(&shuffled(1), &shuffled(50_021));
        assert!(diff.is_none_or(|diff| diff.starts_with("--- provided earlier")));
    }
}
