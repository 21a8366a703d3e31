//! The tables of a PDF's pages, for the command `tables`.

use serde::Serialize;

use super::arguments::selected_pages;
use super::boxes::edges_of;
use crate::context::{
    ContextError, MarkdownPages, OpenPdf, ProgressListener, SelectedPages, UNREAD_ROWS, page_or_pages, read_markdown,
    unreadable_page_text,
};
use crate::tool::error::ToolError;
use pagewise_base::page::PageIndex;
use pagewise_base::parts::PartsFault;
use pagewise_structure::tables::{
    Cell as TableCell, ColumnsBy, Table, join_continued, to_csv as table_csv, to_html as table_html,
    to_markdown as table_markdown,
};

/// The tables of the selected pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TablesResult {
    /// The file, as the request named it.
    pub path: String,
    /// Pages of the document.
    pub total_pages: u32,
    /// The tables, page by page.
    pub tables: Vec<TableOnPage>,
    /// Notes on pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A table, or the part of it that is on one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TableOnPage {
    /// The 1-based number of its page.
    pub page: u32,
    /// Its box in points from the top left of the page as displayed: left, top, right, bottom.
    pub bbox: [f64; 4],
    /// How many rows it has.
    pub rows: usize,
    /// How many columns it has.
    pub columns: usize,
    /// Whether lines or areas divide its columns. Otherwise they are a guess from white space.
    pub is_certain: bool,
    /// What divides its columns.
    pub columns_by: ColumnsBy,
    /// Its cells, row by row.
    pub cells: Vec<CellOfTable>,
    /// For the other formats.
    #[serde(skip)]
    table: Table,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CellOfTable {
    /// Its first row, from 0.
    pub row: usize,
    /// Its first column, from 0.
    pub column: usize,
    /// How many rows it covers.
    pub row_span: usize,
    /// How many columns it covers.
    pub column_span: usize,
    /// Its text.
    pub text: String,
    /// Whether it is a head of columns.
    pub is_header: bool,
}

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated values.
    Csv,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
}

impl TableFormat {
    const ALL: [Self; 3] = [Self::Csv, Self::Markdown, Self::Html];

    /// The ending of files in this format.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }

    /// The format of files with this ending.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.ending().eq_ignore_ascii_case(ending))
    }
}

/// Finds the tables of the selected pages.
///
/// # Errors
/// `invalid_page` and `invalid_page_range` for the selection. If no page can be read, the first page's error.
pub fn find_tables(
    pdf: &OpenPdf,
    selection: Option<&str>,
    progress: &dyn ProgressListener,
) -> Result<TablesResult, ToolError> {
    // The tables of a part are in its text, as Markdown.
    if let Some(format) = pdf.office() {
        let error = PartsFault::OnlyText.of(format).into();
        return Err(ContextError::Pdf { path: pdf.path.clone(), error }.into());
    }
    let SelectedPages { mut pages, note } = selected_pages(pdf, selection)?;
    progress.starts(pages.len());
    let mut result = TablesResult {
        path: pdf.path.clone(),
        total_pages: pdf.document.page_count(),
        tables: Vec::new(),
        notes: note.into_iter().collect(),
    };
    let (mut failure, mut is_readable) = (None, false);
    while !pages.is_empty() && !progress.is_stopped() {
        let goes_on = || !progress.is_stopped() && pdf.check().is_ok();
        let read: MarkdownPages = read_markdown(&*pdf.document, &mut pages, goes_on);
        pdf.check()?;
        for (page, read) in read {
            progress.page_done();
            match read {
                Ok(read) => {
                    is_readable = true;
                    if read.has_unread_rows {
                        result.notes.push(format!("Page {}: {UNREAD_ROWS}", page.number()));
                    }
                    result.tables.extend(read.tables.into_iter().map(|table| TableOnPage::new(page, table)));
                }
                Err(error) => {
                    result.notes.push(unreadable_page_text(page.number(), &error));
                    failure.get_or_insert(error);
                }
            }
        }
    }
    match failure.filter(|_| !is_readable) {
        Some(error) => Err(ContextError::Pdf { path: pdf.path.clone(), error }.into()),
        None => Ok(result),
    }
}

impl TableOnPage {
    fn new(page: PageIndex, table: Table) -> Self {
        Self {
            page: page.number().get(),
            bbox: edges_of(table.bounds),
            rows: table.rows,
            columns: table.columns,
            is_certain: table.is_certain,
            columns_by: table.columns_by,
            cells: table.cells.iter().map(CellOfTable::from).collect(),
            table,
        }
    }
}

impl From<&TableCell> for CellOfTable {
    fn from(cell: &TableCell) -> Self {
        let TableCell { row, column, row_span, column_span, ref text, is_header, .. } = *cell;
        Self { row, column, row_span, column_span, text: text.clone(), is_header }
    }
}

impl TablesResult {
    /// The tables as text, an empty line between them. A table that goes on over a page break is one.
    #[must_use]
    pub fn text(&self, format: TableFormat) -> String {
        self.texts(format).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n\n")
    }

    /// Each table as text, with the 1-based number of the page on which it begins.
    #[must_use]
    pub fn texts(&self, format: TableFormat) -> Vec<(u32, String)> {
        let write = match format {
            TableFormat::Csv => table_csv,
            TableFormat::Markdown => table_markdown,
            TableFormat::Html => table_html,
        };
        let tables = join_continued(self.tables.iter().map(|found| (found.page, found.table.clone())).collect());
        tables.iter().map(|(page, table)| (*page, write(table).trim_end_matches('\n').to_owned())).collect()
    }

    /// What a person should know of the tables.
    #[must_use]
    pub fn notes_for_people(&self) -> Vec<String> {
        let on = |is_wanted: &dyn Fn(&TableOnPage) -> bool| {
            let found = self.tables.iter().filter(|table| is_wanted(table));
            found.map(|table| PageIndex(table.page.saturating_sub(1))).collect()
        };
        let (all, guessed) = (on(&|_| true), on(&|table| !table.is_certain));
        let found = match self.tables.len() {
            0 => "no tables found".to_owned(),
            1 => format!("1 table, on {}", page_or_pages(&all)),
            count => format!("{count} tables, on {}", page_or_pages(&all)),
        };
        let guessed =
            (!guessed.is_empty()).then(|| format!("columns guessed from white space on {}", page_or_pages(&guessed)));
        std::iter::once(found).chain(guessed).chain(self.notes.iter().cloned()).collect()
    }
}
