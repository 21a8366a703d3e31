//! Everything that is asked of a document, asked of any bytes.

use std::sync::Arc;

use pagewise::worker::{DEFAULT_DEADLINE, InProcessReader, Reader, RenderOptions};
use pagewise_base::limits::{Cancellation, Deadline, Limits};
use pagewise_base::page::PageIndex;
use pagewise_render::{Dpi, NoFonts};

/// Asks everything; `step` is told before each question what it is.
pub(crate) fn ask_everything(file: &[u8], pictures: bool, mut step: impl FnMut(&'static str)) {
    step("open");
    // As the doors have it: what one operation decodes is counted only where it has a deadline.
    let limits = Limits { deadline: Deadline::after(DEFAULT_DEADLINE), ..Limits::default() };
    let reader = InProcessReader::new(limits, Arc::new(NoFonts));
    let Ok(document) = reader.open(Arc::new(file.to_vec()), None, &Cancellation::new()) else { return };
    step("info");
    document.info();
    step("outline");
    document.outline(50);
    let last = document.page_count().saturating_sub(1);
    for page in [0, last].into_iter().take(if last == 0 { 1 } else { 2 }).map(PageIndex) {
        step("label");
        document.page_label(page);
        step("cut");
        let chunk = document.cut(page);
        if let Ok(chunk) = &chunk {
            assert_eq!(document.cut(page).ok().as_ref(), Some(chunk), "the same page, the same bytes");
        }
        step("fingerprint");
        let _ = document.fingerprint(page);
        step("text");
        let _ = document.page_text(page);
        step("structure");
        let _ = document.page_structure(page);
        if pictures {
            step("picture");
            let options = RenderOptions { dpi: Dpi::clamped(72), max_pixels: 4_000_000, ..RenderOptions::default() };
            let _ = document.picture(page, &options);
        }
    }
    step("notes");
    document.notes();
}
