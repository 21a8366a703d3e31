//! The place of a quotation as a picture: the words in yellow, cut out of their page with the lines around them.

use super::drawing::Drawing;
use crate::context::{ContextError, ContextManager, OpenPdf, ProgressListener};
use crate::tool::caller::Caller;
use crate::tool::error::{ErrorCode, ToolError};
use crate::tool::pdf::arguments::{RenderArguments, SearchArguments};
use crate::tool::pdf::boxes::box_around;
use crate::tool::pdf::search::{QuoteFindings, check_quote};
use crate::worker::{RecognitionBudget, StructuredPage};
use pagewise_document::PageGeometry;
use pagewise_render::{Dpi, Region};
use pagewise_structure::tables::Table;
use pagewise_structure::{Line, Region as PageRegion};
use pagewise_text::Bounds;

/// Pixels per em at which small print is still read by models that take pictures.
const READABLE_EM: f32 = 24.0;

/// Maximum width of a picture in pixels: providers shrink wider ones.
const MAX_WIDTH: f32 = 1_568.0;

/// The em of a place whose lines are not known, as on a recognised page, in parts of the height of its boxes.
const EM_OF_BOX: f32 = 0.8;

/// What is drawn for the quotation of `arguments`.
///
/// # Errors
/// `validation_error` if nothing like it is there, and the errors of the file, the selection and the quotation.
pub(super) fn drawing_of_quote(
    context: &ContextManager,
    quote: &str,
    arguments: &RenderArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<(OpenPdf, Drawing), ToolError> {
    let document = &arguments.document;
    let search = SearchArguments {
        pages: Some(arguments.page.clone()).filter(|pages| !pages.is_empty()).into(),
        password: document.password.clone(),
        conversation: document.conversation.clone(),
        ..SearchArguments::default()
    };
    let budget = RecognitionBudget::of_search();
    let found = check_quote(context, (quote, &document.path), &search, caller, progress, &budget)?;
    let failed = |error| ContextError::Pdf { path: document.path.clone(), error };
    let Some(page) = found.verdict.page() else { return Err(absent(&found)) };
    // Its own reader is free again by now: a request that kept one while it waits for another could wait for ever.
    let pdf = document.open(context, caller)?;
    let mut drawing = Drawing::of(&pdf, page, arguments)?;
    drawing.notes.extend(found.doubts());
    if let Some(passage) = box_around(&found.boxes) {
        let structured = pdf.document.page_structure(page).ok().filter(|_| !found.is_recognised);
        let place = structured.as_ref().map_or(passage, |page| surroundings(page, &found.boxes, passage));
        let sizes = structured.iter().flat_map(|page| lines_of(page, &found.boxes)).map(|line| line.size);
        let em = sizes.min_by(f32::total_cmp).or_else(|| Some(height(found.boxes.first()?) * EM_OF_BOX));
        let em = em.unwrap_or_default().max(1.0);
        let geometry = pdf.document.page_geometry(page).map_err(failed)?;
        let place = Bounds { x0: place.x0 - em, y0: place.y0 - em, x1: place.x1 + em, y1: place.y1 + em };
        drawing.options.region = drawing.options.region.or_else(|| region_of(place, &geometry));
        if arguments.dpi.is_none() {
            drawing.options.dpi = readable_dpi(place, em);
        }
        drawing.options.highlights.extend(found.boxes.iter().map(|bounds| bounds.edges()));
    }
    Ok((pdf, drawing))
}

fn absent(found: &QuoteFindings) -> ToolError {
    let lines = found.lines().join("\n");
    ToolError::new(ErrorCode::ValidationError, lines)
        .hint("Search for one or two of its words with pdf_search.")
        .command_hint("Search for one or two of its words with `pagewise search`.")
}

/// The whole lines of a passage, the rows of the table in which it stands with its heads, or the figure.
fn surroundings(page: &StructuredPage, boxes: &[Bounds], passage: Bounds) -> Bounds {
    let lines = lines_of(page, boxes);
    let rows = page.tables.iter().filter(|table| meets(table.bounds, passage)).flat_map(|table| rows_of(table, boxes));
    let figures = page.structure.figures.iter().copied().filter(|figure| contains(*figure, passage));
    lines.map(|line| line.bounds).chain(rows).chain(figures).fold(passage, Bounds::union)
}

/// The cells of the rows in which `boxes` stand, and the heads of the columns.
fn rows_of(table: &Table, boxes: &[Bounds]) -> impl Iterator<Item = Bounds> {
    let rows = table.cells.iter().filter(|cell| boxes.iter().any(|one| meets(cell.bounds, *one)));
    let rows = rows.flat_map(|cell| cell.row..cell.row + cell.row_span).collect::<Vec<_>>();
    let is_beside = move |row: usize, span: usize| rows.iter().any(|one| (row..row + span).contains(one));
    let cells = table.cells.iter().filter(move |cell| cell.is_header || is_beside(cell.row, cell.row_span));
    cells.map(|cell| cell.bounds)
}

/// The upright lines on which a passage stands.
fn lines_of<'p>(page: &'p StructuredPage, boxes: &'p [Bounds]) -> impl Iterator<Item = &'p Line> {
    let columns = page.structure.regions.iter().filter_map(|region| match region {
        PageRegion::Column(column) if column.turn == 0 => Some(&column.lines),
        _ => None,
    });
    columns.flatten().filter(|line| boxes.iter().any(|one| meets(line.bounds, *one)))
}

/// Whether two boxes share half of the height of the lower one.
fn meets(a: Bounds, b: Bounds) -> bool {
    let common = a.y1.min(b.y1) - a.y0.max(b.y0);
    a.x0 <= b.x1 && b.x0 <= a.x1 && common > 0.0 && common * 2.0 >= height(&a).min(height(&b))
}

fn contains(outer: Bounds, inner: Bounds) -> bool {
    outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && outer.x1 >= inner.x1 && outer.y1 >= inner.y1
}

fn height(bounds: &Bounds) -> f32 {
    bounds.y1 - bounds.y0
}

/// A place as a part of its page.
fn region_of(place: Bounds, page: &PageGeometry) -> Option<Region> {
    let share = |edge: f32, side: f64| (f64::from(edge) / side).clamp(0.0, 1.0);
    let (width, height) = (page.width_pt, page.height_pt);
    Region::new(share(place.x0, width), share(place.y0, height), share(place.x1, width), share(place.y1, height))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn readable_dpi(place: Bounds, em: f32) -> Dpi {
    let readable = READABLE_EM * 72.0 / em;
    let widest = MAX_WIDTH * 72.0 / (place.x1 - place.x0).max(1.0);
    Dpi::clamped(readable.min(widest).max(f32::from(Dpi::default().get()).min(widest)) as u64)
}
