//! The PDFs of a folder, as a table.

use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::table::{Column, Table};
use crate::cli::terminal::wording::{command, counted};
use crate::tool::{FolderListing, ListedPages, ListedPdf, file_size, grouped, one_line};

/// The PDFs, a line each.
pub(crate) fn text(listing: &FolderListing, screen: Screen) -> String {
    if listing.documents.is_empty() {
        return format!("No PDFs in {}", one_line(&listing.path));
    }
    let mut table = Table::new([
        Column::right("PAGES").of(Part::Page),
        Column::right("SIZE"),
        Column::left("FILE").of(Part::Path),
        Column::left("TITLE"),
    ]);
    listing.documents.iter().for_each(|pdf| table.add(row(pdf)));
    table.text(screen)
}

fn row(pdf: &ListedPdf) -> [String; 4] {
    let size = pdf.bytes.map(file_size).unwrap_or_default();
    let (pages, title) = match &pdf.pages {
        ListedPages::Counted { count, title } => (grouped((*count).into()), title.clone().unwrap_or_default()),
        ListedPages::NotCounted => ("?".to_owned(), String::new()),
        ListedPages::Unreadable(why) => ("-".to_owned(), format!("({why})")),
    };
    [pages, size, one_line(&pdf.name), title]
}

/// What the listing leaves out.
pub(crate) fn notes(listing: &FolderListing) -> Vec<String> {
    let last = listing.first.saturating_sub(1) + listing.documents.len();
    let more = (last < listing.total).then(|| {
        let next = command(&[&"get-file", &listing.path, &"--start-line", &(last + 1)]);
        format!("{} to {last} of {} are listed; the next: {next}", listing.first, counted(listing.total, "PDF"))
    });
    let is_uncounted = listing.documents.iter().any(|pdf| pdf.pages == ListedPages::NotCounted);
    let uncounted = is_uncounted.then(|| "the pages of some PDFs were not counted, for lack of time".to_owned());
    let cut =
        listing.is_cut.then(|| "the folder has more files than one listing reads: name a folder in it".to_owned());
    [more, uncounted, cut].into_iter().flatten().collect()
}
