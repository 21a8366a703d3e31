//! The link annotations of a page (ISO 32000-2, 12.5.6.5).

use super::page_layout::{LinkArea, MAX_LINKS};
use hayro_interpret::TransformExt;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, String as PdfString};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Point, Rect};
use pagewise_document::text_string;

/// The most parts of one link: a link has one for each of its lines.
const MAX_PARTS: usize = 32;

/// Longer addresses are left out.
const MAX_ADDRESS_BYTES: usize = 4096;

/// The areas of links on a page with the visible area `shown`.
pub(super) fn link_areas(page: &Page<'_>, shown: Rect) -> Vec<LinkArea> {
    let to_page = page.initial_transform(true).to_kurbo();
    let annotations = page.raw().get::<Array<'_>>(b"Annots");
    let annotations = annotations.iter().flat_map(Array::iter::<Dict<'_>>).take(MAX_LINKS);
    let links =
        annotations.filter(|annotation| annotation.get::<Name<'_>>(b"Subtype").is_some_and(|kind| *kind == *b"Link"));
    let areas = links.flat_map(|link| {
        let target = address(&link).unwrap_or_default();
        let areas = parts(&link).into_iter().map(move |part| to_page.transform_rect_bbox(part).intersect(shown));
        let areas = areas.filter(|area| area.is_finite() && area.area() > 0.0);
        areas.map(move |area| LinkArea { bounds: area.into(), target: target.clone() })
    });
    areas.take(MAX_LINKS).collect()
}

/// The URI that a link leads to.
fn address(link: &Dict<'_>) -> Option<String> {
    let uri = link.get::<Dict<'_>>(b"A")?.get::<PdfString<'_>>(b"URI")?;
    let uri = text_string::decode_whole(uri.as_bytes().get(..=MAX_ADDRESS_BYTES).map_or(uri.as_bytes(), |_| &[]));
    Some(uri.split_whitespace().collect())
}

/// The rectangles of a link: its quadrilaterals, or its rectangle.
fn parts(link: &Dict<'_>) -> Vec<Rect> {
    let numbers = |key: &[u8]| {
        let array = link.get::<Array<'_>>(key);
        array.iter().flat_map(Array::iter::<f64>).take(8 * MAX_PARTS).collect::<Vec<_>>()
    };
    let quads = numbers(b"QuadPoints");
    let (quads, _) = quads.as_chunks::<8>();
    let quads = quads.iter().map(|[x0, y0, x1, y1, x2, y2, x3, y3]| {
        let corners = [Point::new(*x1, *y1), Point::new(*x2, *y2), Point::new(*x3, *y3)];
        corners.into_iter().fold(Rect::from_points((*x0, *y0), (*x0, *y0)), |area, corner| area.union_pt(corner))
    });
    let quads = quads.collect::<Vec<_>>();
    match <[f64; 4]>::try_from(numbers(b"Rect").into_iter().take(4).collect::<Vec<_>>()) {
        Ok([x0, y0, x1, y1]) if quads.is_empty() => vec![Rect::new(x0, y0, x1, y1).abs()],
        _ => quads,
    }
}
