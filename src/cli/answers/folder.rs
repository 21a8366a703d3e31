//! The documents of a folder, as a table.

use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::table::{Column, Table};
use crate::cli::terminal::wording::{command, counted};
use crate::context::{FolderListing, Glance, ListedPages, ListedPdf, file_size, grouped, one_line};
use pagewise_library::date_text;

/// The documents, a line each.
pub(crate) fn text(listing: &FolderListing, screen: Screen) -> String {
    if listing.documents.is_empty() {
        return format!("No documents in {}", one_line(&listing.path));
    }
    let mut table = Table::new([
        Column::right("PAGES").of(Part::Page),
        Column::right("SIZE"),
        Column::left("DATE"),
        Column::left("FILE").of(Part::Path),
        Column::left("ABOUT"),
    ]);
    listing.documents.iter().for_each(|pdf| table.add(row(pdf)));
    table.text(screen)
}

fn row(pdf: &ListedPdf) -> [String; 5] {
    let size = pdf.bytes.map(file_size).unwrap_or_default();
    let (pages, date, words) = match &pdf.pages {
        ListedPages::Seen(glance) => {
            (grouped(glance.pages.into()), glance.date.map(date_text).unwrap_or_default(), about(pdf, glance))
        }
        ListedPages::NotSeen => ("?".to_owned(), String::new(), String::new()),
        ListedPages::Unreadable(why) => ("-".to_owned(), String::new(), format!("({why})")),
    };
    [pages, size, date, one_line(&pdf.name), words]
}

/// The title and what the document is about, or what a reader should know before opening it.
fn about(pdf: &ListedPdf, glance: &Glance) -> String {
    if let Some(first) = &pdf.same_as {
        return format!("(the same as {})", one_line(first));
    }
    let scan = glance.is_scan.then(|| "(scan)".to_owned());
    let words = [glance.title.as_deref(), glance.subject.as_deref()];
    let words = words.into_iter().flatten().collect::<Vec<_>>().join(": ");
    scan.into_iter().chain(Some(words).filter(|words| !words.is_empty())).collect::<Vec<_>>().join(" ")
}

/// What the listing leaves out.
pub(crate) fn notes(listing: &FolderListing) -> Vec<String> {
    let last = listing.first.saturating_sub(1) + listing.documents.len();
    let more = (last < listing.total).then(|| {
        let next = command(&[&"get-file", &listing.path, &"--start-line", &(last + 1)]);
        let listed = if listing.first == last { format!("{last}") } else { format!("{} to {last}", listing.first) };
        format!("{listed} of {} are listed; the next: {next}", counted(listing.total, "document"))
    });
    let is_uncounted = listing.documents.iter().any(|pdf| pdf.pages == ListedPages::NotSeen);
    let uncounted = is_uncounted.then(|| "some documents were not opened within the time limit".to_owned());
    let cut =
        listing.is_cut.then(|| "the folder has more files than one listing reads: list one of its folders".to_owned());
    [more, uncounted, cut].into_iter().flatten().collect()
}
