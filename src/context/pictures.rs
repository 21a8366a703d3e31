//! The pictures of a page, each of which can be asked for as a file: images that the page paints, and figures that are drawn
//! by paths.
//!
//! `report.pdf#image=3.1` is the first picture of page 3: images in the order of painting, then figures from top to bottom.
//! A group of paths is a figure if it has a caption or the structure tree describes it; it is cut out of the drawn page.

use bytes::Bytes;
use pagewise_base::page::PageIndex;
use pagewise_document::PageGeometry;
use pagewise_render::{Dpi, PageImage, Region};
use pagewise_structure::{Block, BlockKind, DocumentPage, PageBlocks, Region as PageRegion, read_document};
use pagewise_text::Bounds;

use crate::worker::{Pages, PdfError, RenderOptions, StructuredPage};

/// Marks the path of a picture, before its page and its number there.
pub(super) const IMAGE_MARK: &str = "#image=";

/// Maximum gap in points between paths of one figure.
const PATH_GAP_PT: f32 = 18.0;

/// Minimum width and height of a figure in points.
const MIN_FIGURE_PT: f32 = 36.0;

/// Maximum distance in points between a figure and its caption.
const CAPTION_GAP_PT: f32 = 40.0;

/// Distance in points up to which small print belongs to a figure: labels of axes and legends.
const LABEL_GAP_PT: f32 = 8.0;

/// Ground left around a figure, in points.
const MARGIN_PT: f32 = 4.0;

/// Minimum share of a figure that its images cover for it to be known by them.
const COVERING: f32 = 0.8;

/// Maximum share of the page that a part of a figure covers. Larger ones are backgrounds.
const MAX_PAGE_SHARE: f32 = 0.8;

/// Maximum number of groups of paths that are considered on a page.
const MAX_GROUPS: usize = 500;

/// The resolution of a figure that is cut out of its page.
const FIGURE_DPI: u64 = 200;

/// The longest side of such a picture in pixels: providers shrink larger ones.
const MAX_FIGURE_SIDE: f32 = 2_000.0;

/// A picture of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PagePicture {
    /// Where it stands, in points from the upper left corner of the page as displayed.
    pub place: Bounds,
    /// The text of its caption, or what it shows by its author.
    pub caption: Option<String>,
    /// The image that is painted; `None` for a figure that is drawn by paths.
    pub image: Option<PageImage>,
}

impl PagePicture {
    /// Its place on the page. `None` in office files: they have no pages, and the text of a part names its images.
    #[must_use]
    pub fn known_place(&self) -> Option<Bounds> {
        Some(self.place).filter(|place| *place != Bounds::default())
    }
}

/// The pictures of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PagePictures {
    /// Those that can be asked for, by their number from 1.
    pub pictures: Vec<PagePicture>,
    /// Images beyond the number that is listed of a page.
    pub unlisted: usize,
}

impl PagePictures {
    /// The pictures of a page.
    ///
    /// # Errors
    /// The page cannot be read.
    pub fn of(document: &dyn Pages, page: PageIndex) -> Result<Self, PdfError> {
        let images = document.images(page)?;
        // Without its structure a page has no figures, and its images no captions.
        let structured = document.page_structure(page).ok();
        Ok(Self::with_structure(images.images, images.total, page, structured.as_ref()))
    }

    fn with_structure(
        images: Vec<PageImage>,
        total: usize,
        page: PageIndex,
        structured: Option<&StructuredPage>,
    ) -> Self {
        let unlisted = total.saturating_sub(images.len());
        let painted = |image: PageImage| PagePicture { place: image.place.into(), caption: None, image: Some(image) };
        let mut pictures = images.into_iter().map(painted).collect::<Vec<_>>();
        if let Some(structured) = structured {
            let figures = FigureFinder::new(structured, page).find(&mut pictures);
            pictures.extend(figures);
        }
        Self { pictures, unlisted }
    }

    /// The file of picture `number`, from 1: a JPEG or a PNG. `None` if the page has fewer.
    ///
    /// # Errors
    /// It cannot be decoded or drawn.
    pub fn file(&self, document: &dyn Pages, page: PageIndex, number: usize) -> Result<Option<Bytes>, PdfError> {
        let Some(picture) = number.checked_sub(1).and_then(|at| self.pictures.get(at)) else { return Ok(None) };
        if picture.image.is_some() {
            return document.image(page, number);
        }
        let options = figure_options(picture.place, &document.page_geometry(page)?);
        document.picture(page, &options).map(|picture| Some(picture.png))
    }
}

/// How a figure is cut out of its page.
fn figure_options(place: Bounds, page: &PageGeometry) -> RenderOptions {
    let share = |edge: f32, side: f64| (f64::from(edge) / side.max(1.0)).clamp(0.0, 1.0);
    let (width, height) = (page.width_pt, page.height_pt);
    let region =
        Region::new(share(place.x0, width), share(place.y0, height), share(place.x1, width), share(place.y1, height));
    let side = (place.x1 - place.x0).max(place.y1 - place.y0).max(1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
    let fitting = (MAX_FIGURE_SIDE * 72.0 / side) as u64;
    RenderOptions { dpi: Dpi::at_most(fitting.min(FIGURE_DPI)), region, ..RenderOptions::default() }
}

/// Finds the figures of a page.
struct FigureFinder<'p> {
    page: &'p StructuredPage,
    blocks: Vec<Block>,
}

impl<'p> FigureFinder<'p> {
    fn new(page: &'p StructuredPage, index: PageIndex) -> Self {
        let structure = page.structure.clone();
        let alone = DocumentPage { number: index.number().get(), label: None, structure, is_wanted: true };
        let blocks = read_document(&[alone], &[]).into_iter().flat_map(|page: PageBlocks| page.blocks).collect();
        Self { page, blocks }
    }

    /// The figures beside `images`, from top to bottom. Images get their captions.
    fn find(&self, images: &mut [PagePicture]) -> Vec<PagePicture> {
        let places = images.iter().map(|image| image.place).collect::<Vec<_>>();
        let groups = self.groups(&places);
        let mut figures = self.described();
        // A caption mostly stands below its figure, and what stands above it may be a label.
        let mut captions = self.captions().collect::<Vec<_>>();
        captions.sort_by(|a, b| b.bounds.y0.total_cmp(&a.bounds.y0));
        for caption in captions {
            let place = match self.figure_of(caption.bounds, &groups, &places) {
                Some(place) if !figures.iter().any(|(known, _)| share_within(place, *known) > 0.5) => place,
                _ => continue,
            };
            figures.push((place, text_of(caption)));
        }
        figures.sort_by(|(a, _), (b, _)| a.y0.total_cmp(&b.y0).then(a.x0.total_cmp(&b.x0)));
        let mut drawn = Vec::new();
        for (place, caption) in figures {
            let covered = places.iter().map(|image| share_within(place, *image)).sum::<f32>();
            for image in images.iter_mut().filter(|image| share_within(image.place, place) > 0.5) {
                image.caption.get_or_insert_with(|| caption.clone());
            }
            if covered < COVERING && is_large(place) {
                drawn.push(PagePicture { place: grown(place, MARGIN_PT), caption: Some(caption), image: None });
            }
        }
        drawn
    }

    /// The figures that the structure tree describes.
    fn described(&self) -> Vec<(Bounds, String)> {
        let figures = self.page.structure.regions.iter().filter_map(|region| match region {
            PageRegion::Figure(figure) => Some((figure.bounds, figure.alternate.clone())),
            _ => None,
        });
        figures.collect()
    }

    /// The captions that do not stand beside a table.
    fn captions(&self) -> impl Iterator<Item = &Block> {
        let is_of_table =
            |caption: &&Block| self.page.tables.iter().any(|table| distance(caption.bounds, table.bounds).is_some());
        self.blocks.iter().filter(|block| block.kind == BlockKind::Caption).filter(move |block| !is_of_table(block))
    }

    /// Paths that stand together, without those of tables.
    fn groups(&self, images: &[Bounds]) -> Vec<Bounds> {
        let structure = &self.page.structure;
        let whole = Bounds { x0: 0.0, y0: 0.0, x1: structure.width, y1: structure.height };
        let is_image = |path: &Bounds| images.iter().any(|image| share_within(*path, *image) > 0.95);
        let is_ground = |path: &Bounds| share_within(whole, *path) > MAX_PAGE_SHARE;
        let paths = structure.figures.iter().copied().filter(|path| !is_ground(path) && !is_image(path));
        let mut groups: Vec<Bounds> = Vec::new();
        for path in paths {
            let mut group = path;
            // What a grown group reaches may reach further ones.
            while let Some(at) = groups.iter().position(|other| meets(grown(group, PATH_GAP_PT), *other)) {
                group = group.union(groups.swap_remove(at));
            }
            if groups.len() < MAX_GROUPS {
                groups.push(group);
            }
        }
        let tables = &self.page.tables;
        groups.retain(|group| !tables.iter().any(|table| share_within(*group, table.bounds) > 0.5));
        groups
    }

    /// The figure of a caption: the nearest group of paths or image, what stands beside it, and their labels.
    fn figure_of(&self, caption: Bounds, groups: &[Bounds], images: &[Bounds]) -> Option<Bounds> {
        let parts = || groups.iter().chain(images).copied();
        let near = parts().filter(|part| is_large(*part)).filter_map(|part| Some((distance(caption, part)?, part)));
        let (_, nearest) = near.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let is_beside = |part: &Bounds| part.y0 < nearest.y1 && nearest.y0 < part.y1 && overlaps_across(caption, *part);
        let figure = parts().filter(is_beside).fold(nearest, Bounds::union);
        Some(self.labels(caption, figure).fold(figure, Bounds::union))
    }

    /// The short lines within a figure and around it.
    fn labels(&self, caption: Bounds, figure: Bounds) -> impl Iterator<Item = Bounds> {
        let columns = self.page.structure.regions.iter().filter_map(|region| match region {
            PageRegion::Column(column) if column.turn == 0 => Some(&column.lines),
            _ => None,
        });
        let width = figure.x1 - figure.x0;
        let is_label = move |bounds: &Bounds| {
            meets(grown(figure, LABEL_GAP_PT), *bounds)
                && !meets(caption, *bounds)
                && bounds.x1 - bounds.x0 < 0.6 * width
        };
        columns.flatten().map(|line| line.bounds).filter(is_label)
    }
}

fn text_of(block: &Block) -> String {
    block.spans.iter().map(|span| span.text.as_str()).collect()
}

fn is_large(place: Bounds) -> bool {
    place.x1 - place.x0 >= MIN_FIGURE_PT && place.y1 - place.y0 >= MIN_FIGURE_PT
}

/// How far a caption stands below or above a figure; `None` if it does not.
fn distance(caption: Bounds, figure: Bounds) -> Option<f32> {
    let gap = (caption.y0 - figure.y1).max(figure.y0 - caption.y1);
    let is_near = (-LABEL_GAP_PT..CAPTION_GAP_PT).contains(&gap);
    (is_near && overlaps_across(caption, figure)).then_some(gap)
}

fn overlaps_across(a: Bounds, b: Bounds) -> bool {
    a.x0 < b.x1 && b.x0 < a.x1
}

fn meets(a: Bounds, b: Bounds) -> bool {
    overlaps_across(a, b) && a.y0 < b.y1 && b.y0 < a.y1
}

fn grown(bounds: Bounds, by: f32) -> Bounds {
    Bounds { x0: bounds.x0 - by, y0: bounds.y0 - by, x1: bounds.x1 + by, y1: bounds.y1 + by }
}

/// The share of `inner` that lies within `outer`.
fn share_within(inner: Bounds, outer: Bounds) -> f32 {
    let side = |from: f32, to: f32| (to - from).max(0.1);
    let common = |from: f32, to: f32| (to - from).max(0.0);
    let shared =
        common(inner.x0.max(outer.x0), inner.x1.min(outer.x1)) * common(inner.y0.max(outer.y0), inner.y1.min(outer.y1));
    shared / (side(inner.x0, inner.x1) * side(inner.y0, inner.y1))
}

/// The path of picture `number` of a page of the document at `path`.
#[must_use]
pub fn image_path(path: &str, page: PageIndex, number: usize) -> String {
    format!("{path}{IMAGE_MARK}{}.{number}", page.number())
}

/// The page and the number in the path of a picture; `None` if it has another form.
pub(super) fn parse_picture(text: &str) -> Option<(PageIndex, usize)> {
    let (page, number) = text.split_once('.')?;
    let page = page.parse::<u32>().ok()?.checked_sub(1)?;
    let number = number.parse::<usize>().ok().filter(|number| *number > 0)?;
    Some((PageIndex(page), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_named_by_its_page_and_its_number() {
        assert_eq!(parse_picture("3.1"), Some((PageIndex(2), 1)));
        for wrong in ["3", "0.1", "3.0", "3.", ".1", "-1.1", "3.1.1", "3,1", "99999999999.1"] {
            assert_eq!(parse_picture(wrong), None, "{wrong}");
        }
        assert_eq!(image_path("a.pdf", PageIndex(2), 1), "a.pdf#image=3.1");
    }
}
