//! The text of `pagewise context updates` and `context watch`.

use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::wording::{command, counted};
use crate::context::{FileChange, FileUpdate, PageChanges, Updates, moved_phrase, one_line, page_or_pages};
use pagewise_base::page::PageSet;

/// The changes, file by file.
pub(crate) fn text(updates: &Updates, conversation: &str, screen: Screen) -> String {
    if updates.files.is_empty() && updates.left == 0 {
        return "Nothing changed".to_owned();
    }
    updates.files.iter().map(|update| file(update, conversation, screen)).collect::<Vec<_>>().join("\n")
}

/// What the changes do not say.
pub(crate) fn notes(updates: &Updates) -> Vec<String> {
    let left = (updates.left > 0)
        .then(|| format!("{} not checked yet, for lack of room: ask again", counted(updates.left, "file")));
    updates.notes.iter().cloned().chain(left).collect()
}

/// One changed file.
pub(crate) fn file(update: &FileUpdate, conversation: &str, screen: Screen) -> String {
    let path = one_line(&update.path);
    let (verb, mut lines) = match &update.change {
        FileChange::Deleted => ("deleted".to_owned(), Vec::new()),
        FileChange::Restored => ("as it was given again".to_owned(), Vec::new()),
        FileChange::Unreadable { reason } => (format!("cannot be read: {}", one_line(reason)), Vec::new()),
        FileChange::Text { diff } => ("changed".to_owned(), diff.lines().map(|line| diff_line(line, screen)).collect()),
        FileChange::WholeText { text } if text.is_empty() => ("empty now".to_owned(), Vec::new()),
        FileChange::WholeText { text } => {
            ("changed, and reads now".to_owned(), text.lines().map(without_controls).collect())
        }
        FileChange::Content { reason, .. } => {
            let reason = reason.as_ref().map(|reason| format!(" ({})", one_line(reason))).unwrap_or_default();
            (format!("changed{reason}"), vec![next(&path, None, conversation)])
        }
        FileChange::Pages(changes) => ("changed".to_owned(), pages(&path, changes, conversation)),
    };
    lines.iter_mut().for_each(|line| line.insert_str(0, "  "));
    let head = format!("{}: {verb}", screen.paint(Part::Path, &path));
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// A line of a diff in its colour, without control characters.
fn diff_line(line: &str, screen: Screen) -> String {
    let line = without_controls(line);
    match line.chars().next() {
        Some('+') => screen.paint(Part::Good, &line),
        Some('-') => screen.paint(Part::Bad, &line),
        Some('@') => screen.paint(Part::Faint, &line),
        _ => line,
    }
}

fn without_controls(line: &str) -> String {
    line.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

fn pages(path: &str, changes: &PageChanges, conversation: &str) -> Vec<String> {
    let mut lines = page_changes(changes);
    let new = [&changes.changed, &changes.added].into_iter().flat_map(PageSet::iter).collect::<PageSet>();
    lines.extend((!new.is_empty()).then(|| next(path, Some(&new), conversation)));
    lines
}

/// Which pages changed, one line for each kind of change.
pub(crate) fn page_changes(changes: &PageChanges) -> Vec<String> {
    let sets = [
        ("changed", &changes.changed),
        ("added", &changes.added),
        ("removed", &changes.removed),
        ("not compared", &changes.not_compared),
    ];
    let sets = sets.into_iter().filter(|(_, pages)| !pages.is_empty());
    let mut lines = sets.map(|(what, pages)| format!("{what}: {}", page_or_pages(pages))).collect::<Vec<_>>();
    lines.extend((!changes.moved.is_empty()).then(|| format!("moved: {}", moved_phrase(&changes.moved))));
    lines.extend(
        changes
            .pages_before
            .filter(|before| *before != changes.pages_now)
            .map(|before| format!("pages now: {}, before: {before}", changes.pages_now)),
    );
    lines.extend(
        (!changes.is_exact).then(|| "these numbers are approximate: not all pages were given before".to_owned()),
    );
    lines
}

/// The command that reads what is new.
fn next(path: &str, pages: Option<&PageSet>, conversation: &str) -> String {
    let mut words: Vec<&dyn std::fmt::Display> = vec![&"get-file", &path];
    if let Some(pages) = &pages {
        words.extend([&"--pages" as &dyn std::fmt::Display, pages]);
    }
    words.extend([&"--conversation" as &dyn std::fmt::Display, &conversation]);
    format!("read it: {}", command(&words))
}
