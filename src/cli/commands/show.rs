//! `pagewise show`.

use std::io;

use serde_json::{Value, json};

use crate::cli::arguments::parameters::tool_arguments;
use crate::cli::arguments::show::Show;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::show::{DrawingOptions, PageDrawer};
use crate::cli::terminal::print::{self, Report};
use crate::cli::terminal::screen::{Part, Screen};
use crate::tool::{self, ErrorCode, OpenPdf, PageNotes, PageRemark, RenderArguments, ToolError, one_line};
use pagewise_base::page::PageIndex;

/// Answers `show`: each page is printed once it is drawn.
pub(crate) fn run(typed: &Show, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    if typed.document.json.json {
        let refused = ToolError::validation("--json cannot be combined with pictures in the terminal");
        return Err(refused.hint("pagewise render --json writes pictures to files."));
    }
    let arguments = RenderArguments::parse(&tool_arguments([
        ("path", json!(typed.path)),
        ("conversation", json!(typed.document.conversation)),
        ("page", json!(typed.pages.as_deref().unwrap_or("1"))),
        ("dpi", json!(typed.dpi)),
        ("region", json!(typed.region)),
    ]))?;
    let options = DrawingOptions {
        protocol: typed.protocol,
        dpi: typed.dpi.is_some().then_some(arguments.dpi),
        region: arguments.region,
        fits_width: typed.fit_width,
    };
    let drawer = PageDrawer::new(options)?;
    let pdf = open::pdf(&arguments.document, config)?;
    let pages = tool::select_pages(&pdf, arguments.page.as_deref())?;
    let mut notes = PageNotes::default();
    for page in pages.iter() {
        let drawn = drawer.draw(&pdf, page)?;
        drawn.notes.into_iter().for_each(|note| notes.add(page, &PageRemark::plain(note)));
        let heading = if pages.len() > 1 { heading(&pdf, page, screen) } else { String::new() };
        match print::part(&format!("{heading}{}", drawn.text)) {
            Ok(()) => {}
            // Nobody looks any more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(error) => return Err(ToolError::new(ErrorCode::WriteFailed, format!("Cannot draw: {error}"))),
        }
    }
    Ok(Report::new(String::new(), Value::Null).with_notes(notes.sentences()))
}

fn heading(pdf: &OpenPdf, page: PageIndex, screen: Screen) -> String {
    let number = page.number();
    let label = pdf.document.page_label(page).filter(|label| label.0 != number.to_string());
    let label = label.map(|label| format!(" (label {})", one_line(&label.0))).unwrap_or_default();
    let text = format!("Page {number}{label} of {}", pdf.document.page_count());
    format!("{}\n", screen.paint(Part::Heading, &text))
}
