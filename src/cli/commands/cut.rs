//! `pagewise page` and `pagewise split`: pages as PDFs, cut in this process.

use std::path::Path;

use crate::cli::answers;
use crate::cli::arguments::flags::PagesWord;
use crate::cli::arguments::pages::{Page, Split};
use crate::cli::commands::pdf::out_path;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::progress::TerminalProgress;
use crate::cli::watchdog::Watchdog;
use crate::context::OpenPdf;
use crate::tool::{self, DocumentArguments, TablesArguments, ToolArguments as _, ToolError, result_json};

/// Answers `page`.
pub(crate) fn page(typed: &Page, config: &Config) -> Result<Report, ToolError> {
    let arguments = read(&typed.pages, &typed.arguments)?;
    let (pages, path) = (arguments.pages.as_deref(), &arguments.document.path);
    let named = typed.out.as_deref();
    // Whether there will be a file or a folder is known once the document is open.
    let folder = named.and_then(Path::parent).unwrap_or(Path::new(""));
    let opened = OpenForCutting::open(&arguments.document, config.is_json, folder, config)?;
    let selected = tool::selected_pages(&opened.pdf, pages)?.pages;
    let is_one_file = named.and_then(Path::extension).is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
    if typed.join || is_one_file && selected.len() > 1 {
        let end = format!("pages{}.pdf", selected.to_string().replace(',', "_"));
        return opened.join(pages, &out_path(path, named, &end));
    }
    match selected.iter().next().filter(|_| selected.len() == 1) {
        Some(page) => opened.write(pages, &out_path(path, named, &format!("page{}.pdf", page.number()))),
        None => opened.split(pages, &out_path(path, named, "pages")),
    }
}

/// Answers `split`.
pub(crate) fn split(typed: &Split, config: &Config) -> Result<Report, ToolError> {
    let arguments = read(&typed.pages, &typed.arguments)?;
    let (pages, document) = (arguments.pages.as_deref(), &arguments.document);
    match &typed.out {
        Some(out) => {
            let folder = out.parent().unwrap_or(out);
            OpenForCutting::open(document, config.is_json, folder, config)?.join(pages, out)
        }
        None => {
            let out_dir = typed.out_dir.clone().unwrap_or_else(|| out_path(&document.path, None, "pages"));
            OpenForCutting::open(document, config.is_json, &out_dir, config)?.split(pages, &out_dir)
        }
    }
}

fn read(word: &PagesWord, typed: &TablesArguments) -> Result<TablesArguments, ToolError> {
    TablesArguments { pages: word.or(&typed.pages), ..typed.clone() }.typed()
}

/// A PDF that is open in this process, which is confined.
struct OpenForCutting {
    pdf: OpenPdf,
    watchdog: Watchdog,
}

impl OpenForCutting {
    fn open(document: &DocumentArguments, is_json: bool, folder: &Path, config: &Config) -> Result<Self, ToolError> {
        // Confined first: the watchdog is a thread, which would keep what the process gives up.
        let surroundings = open::confined(document, folder, config)?;
        let watchdog = Watchdog::start(&document.path, is_json, config);
        let pdf = document.open_alone(&surroundings)?;
        watchdog.step();
        Ok(Self { pdf, watchdog })
    }

    /// One page in a file.
    fn write(self, page: Option<&str>, out: &Path) -> Result<Report, ToolError> {
        let result = tool::write_page(&self.pdf, page.unwrap_or("1"), out)?;
        Ok(Report::new(answers::pages::page(&result), result_json(&result)?).with_notes(result.notes))
    }

    /// All pages in one file.
    fn join(self, pages: Option<&str>, out: &Path) -> Result<Report, ToolError> {
        let result = tool::write_joined(&self.pdf, pages, out)?;
        Ok(Report::new(answers::pages::joined(&result), result_json(&result)?).with_notes(result.notes))
    }

    /// Each page in a file of its own.
    fn split(self, pages: Option<&str>, out_dir: &Path) -> Result<Report, ToolError> {
        let watcher = TerminalProgress::interruptible(self.watchdog);
        let result = tool::split(&self.pdf, pages, out_dir, &watcher)?;
        watcher.finish();
        let is_failure = result.interrupted || !result.failed.is_empty();
        let report = Report::new(answers::pages::split(&result), result_json(&result)?);
        Ok(Report { is_failure, ..report.with_notes(answers::pages::split_notes(&result)) })
    }
}
