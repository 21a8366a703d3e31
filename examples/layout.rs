//! Prints the layout of each page of a PDF as JSON: `cargo run --example layout -- FILE`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example is a program")]

use std::io::Write as _;
use std::sync::Arc;

use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, ReadAt};
use pagewise_text::{Bounds, PageLayout, Word};
use serde_json::{Value, json};

fn bounds(bounds: Bounds) -> Value {
    // Through the shortest decimal form, since JSON numbers are of double precision.
    let number = |edge: f32| edge.to_string().parse::<f64>().unwrap_or_default();
    json!(bounds.edges().map(number))
}

fn number(value: f32) -> Value {
    json!(value.to_string().parse::<f64>().unwrap_or_default())
}

fn word(word: &Word) -> Value {
    json!({
        "text": word.text, "bounds": bounds(word.bounds), "baseline": number(word.baseline), "size": number(word.size),
        "is_bold": word.is_bold, "is_italic": word.is_italic, "is_monospace": word.is_monospace, "font": word.font,
        "color": word.color, "turn": word.turn, "is_spaced": word.is_spaced, "line": word.line, "block": word.block,
    })
}

fn layout(page: &PageLayout) -> Value {
    let rules = page.rules.iter();
    let rules = rules
        .map(|rule| json!({ "bounds": bounds(rule.bounds), "is_horizontal": rule.is_horizontal, "color": rule.color }));
    let fills = page.fills.iter().map(|fill| json!({ "bounds": bounds(fill.bounds), "color": fill.color }));
    let links = page.links.iter().map(|link| json!({ "bounds": bounds(link.bounds), "target": link.target }));
    json!({
        "width": number(page.width), "height": number(page.height),
        "words": page.words.iter().map(word).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "fills": fills.collect::<Vec<_>>(),
        "images": page.images.iter().map(|area| bounds(*area)).collect::<Vec<_>>(),
        "drawings": page.drawings.iter().map(|area| bounds(*area)).collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let source: Arc<dyn ReadAt> = Arc::new(std::fs::read(file)?);
    let limits = Limits::default();
    let document = Document::open(source, None, &limits)?;
    let mut pages = Vec::new();
    for page in (0..document.page_count()).map(PageIndex) {
        let found = match pagewise_split::cut(&document, page) {
            Ok(chunk) => pagewise_text::chunk_layout(&chunk.bytes, &limits),
            Err(_) => pagewise_text::page_layout(&document, page, &limits),
        };
        match found {
            Ok((_, page)) => pages.push(layout(&page)),
            Err(error) => {
                eprintln!("page {}: {error}", page.number());
                pages.push(layout(&PageLayout::default()));
            }
        }
    }
    serde_json::to_writer(std::io::stdout().lock(), &pages)?;
    std::io::stdout().flush()?;
    Ok(())
}
