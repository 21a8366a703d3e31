//! Remembers what a page paints besides glyphs, to tell which glyphs are not seen.
//!
//! A glyph is hidden if it has the colour of its ground, if something opaque is painted over it later, if it is clipped
//! away, or if it is not painted at all and no letter is drawn in its place. What is not certain counts as seen: the
//! ground of a picture, a pattern, a group with transparency.

use super::drawn_letters::count_drawn_letters;
use super::placed_glyph::{PlacedGlyph, row_of};
use crate::shapes::outlines;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{BlendMode, DrawProps, Image, ImageDrawProps, Paint};
use std::collections::BTreeMap;

/// The most areas of a page that are remembered. On pages with more, every ground is unknown and nothing is covered.
const MAX_AREAS: usize = 2_000;

/// The most areas that a glyph's ground or cover is searched in, over a whole page.
const MAX_SEARCHED: usize = 20_000_000;

/// Smaller areas are no ground of text, and cover none.
const MIN_SIDE_PT: f64 = 3.0;

/// Clipping paths are taken to be wider by this: some programs clip a single character, such as a hyphen at the edge of a
/// column, to its ink in whole points.
const CLIP_ROUNDING_PT: f64 = 1.0;

/// The most colours that are remembered.
const MAX_COLORS: usize = 32;

/// The largest difference of a channel of two colours that look the same.
const SAME_COLOR: u8 = 6;

/// The colour of paper.
const WHITE: [u8; 3] = [255; 3];

/// Parts of letters that are drawn as paths are shorter than this, in points. Others are rules and frames.
const MAX_STROKE_PT: f64 = 72.0;

/// The most subpaths that are remembered as parts of letters.
const MAX_STROKES: usize = 50_000;

/// The height of the rows in which they are looked up, in points.
const STROKE_ROW_PT: f64 = 8.0;

/// A letter that is drawn reaches from so many ems above the baseline to so many below, and no further.
const LETTER_EM: (f64, f64) = (1.1, 0.4);

/// An image that covers at least this share of a page is a scan. Text beneath it is the scan's own.
const SCAN_SHARE: f64 = 0.5;

/// When something is painted, relative to everything else on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct PaintOrder(u32);

#[derive(Debug)]
struct PaintedArea {
    order: PaintOrder,
    area: Rect,
    /// Its colour, if it is one, and nothing shows through it.
    color: Option<[u8; 3]>,
    /// Whether nothing shows through it.
    is_opaque: bool,
    is_image: bool,
}

/// An open clipping path.
#[derive(Debug)]
struct Clip {
    extent: Rect,
    /// Whether it is the same as its extent.
    is_rectangle: bool,
}

/// What hides a place of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    None,
    /// The picture of the page. The text beneath it is what was recognised in it.
    Scan,
    Opaque,
}

/// What a page has painted so far.
#[derive(Debug)]
pub(super) struct PaintLog {
    page: Rect,
    next: u32,
    areas: Vec<PaintedArea>,
    /// The colours of areas and of paper, each once; `None` if they are too many.
    colors: Option<Vec<[u8; 3]>>,
    clips: Vec<Clip>,
    /// Whether each open transparency group shows its content as it is.
    groups: Vec<bool>,
    /// The extents of small subpaths.
    strokes: Vec<Rect>,
    /// These by row, once they are looked up.
    stroke_rows: Option<BTreeMap<i64, Vec<Rect>>>,
    searched: usize,
    is_full: bool,
}

impl PaintLog {
    pub(super) fn new(page: Rect) -> Self {
        Self {
            page,
            next: 0,
            areas: Vec::new(),
            colors: Some(vec![WHITE]),
            clips: Vec::new(),
            groups: Vec::new(),
            strokes: Vec::new(),
            stroke_rows: None,
            searched: 0,
            is_full: false,
        }
    }

    /// The order of what is painted now.
    pub(super) fn advance(&mut self) -> PaintOrder {
        self.next = self.next.saturating_add(1);
        PaintOrder(self.next)
    }

    /// Opens a clipping path with this bounding box.
    pub(super) fn push_clip(&mut self, extent: Rect, is_rectangle: bool) {
        let (outer, is_outer_rectangle) = self.clip();
        self.clips.push(Clip { extent: outer.intersect(extent), is_rectangle: is_rectangle && is_outer_rectangle });
    }

    pub(super) fn pop_clip(&mut self) {
        self.clips.pop();
    }

    pub(super) fn push_group(&mut self, opacity: f32, has_mask: bool, blend: BlendMode) {
        self.groups.push(opacity >= 1.0 && !has_mask && blend == BlendMode::Normal);
    }

    pub(super) fn pop_group(&mut self) {
        self.groups.pop();
    }

    /// The bounding box of the open part of the page, and whether that is all of it.
    pub(super) fn clip(&self) -> (Rect, bool) {
        self.clips.last().map_or((self.page, true), |clip| (clip.extent, clip.is_rectangle))
    }

    /// Remembers a filled path. `is_whole` says that it fills its bounding box.
    pub(super) fn add_path(&mut self, area: Rect, is_whole: bool, props: &DrawProps<'_>) {
        let is_plain = props.soft_mask.is_none() && props.blend_mode == BlendMode::Normal && is_whole;
        let color = opaque_color(&props.paint).filter(|_| is_plain);
        self.add(area, color, color.is_some(), false);
    }

    /// Remembers the subpaths that may be parts of letters. One path may hold a whole line of them.
    pub(super) fn add_strokes(&mut self, path: &BezPath, to_page: Affine) {
        let room = MAX_STROKES.saturating_sub(self.strokes.len());
        if room > 0 {
            let is_small = |extent: &Rect| extent.width() <= MAX_STROKE_PT && extent.height() <= MAX_STROKE_PT;
            let extents = outlines(path, to_page).into_iter().map(|outline| outline.extent());
            self.strokes.extend(extents.filter(is_small).take(room));
        }
    }

    /// The number of letters that seem to be drawn as paths.
    pub(super) fn drawn_letters(&self) -> u64 {
        count_drawn_letters(&self.strokes)
    }

    /// Whether something is drawn in the place of a glyph, and no larger than it is high: a letter that is made of paths.
    pub(super) fn has_drawing(&mut self, glyph: &PlacedGlyph) -> bool {
        let (above, below) = LETTER_EM;
        let corner = |along: f64, across: f64| glyph.direction.point(along, across);
        let (top, bottom) = (glyph.across - above * glyph.size, glyph.across + below * glyph.size);
        let place = Rect::from_points(corner(glyph.start, top), corner(glyph.end, bottom));
        let is_part = |stroke: &Rect| {
            let is_within = stroke.y0 >= place.y0 && stroke.y1 <= place.y1 && stroke.width() <= 2.0 * place.height();
            is_within && stroke.x0 <= place.x1 && stroke.x1 >= place.x0
        };
        if !place.is_finite() || self.searched > MAX_SEARCHED {
            return true;
        }
        let rows = self.stroke_rows.get_or_insert_with(|| rows_of(&self.strokes));
        let mut near = rows.range(row_of(place.y0, STROKE_ROW_PT)..=row_of(place.y1, STROKE_ROW_PT));
        near.any(|(_, row)| {
            self.searched = self.searched.saturating_add(row.len());
            row.iter().any(is_part)
        })
    }

    /// Whether the glyph is outside of the clipping path.
    pub(super) fn is_clipped(&self, glyph: &PlacedGlyph) -> bool {
        let is_outside = |extent: Rect| !glyph.is_within(extent.inflate(CLIP_ROUNDING_PT, CLIP_ROUNDING_PT));
        self.clips.last().is_some_and(|clip| clip.extent.area() <= 0.0 || is_outside(clip.extent))
    }

    /// Counts a search of all areas. Returns whether they say nothing, since they are too many.
    fn search_all(&mut self) -> bool {
        self.searched = self.searched.saturating_add(self.areas.len());
        self.is_full || self.searched > MAX_SEARCHED
    }

    /// Whether something is painted at `point` after `order`.
    pub(super) fn is_painted(&mut self, point: Point, order: PaintOrder) -> bool {
        let is_unknown = self.search_all();
        let mut later = self.areas.iter().rev().take_while(|painted| painted.order > order);
        is_unknown || later.any(|painted| painted.area.contains(point))
    }

    /// Remembers an image.
    pub(super) fn add_image(&mut self, area: Rect, image: &Image<'_, '_>, props: &ImageDrawProps<'_>) {
        let is_plain = props.soft_mask.is_none() && props.blend_mode == BlendMode::Normal && is_opaque(image);
        self.add(area, None, is_plain, true);
    }

    fn add(&mut self, area: Rect, color: Option<[u8; 3]>, is_opaque: bool, is_image: bool) {
        let (clip, is_rectangle) = self.clip();
        let area = area.abs().intersect(clip);
        if area.width() < MIN_SIDE_PT || area.height() < MIN_SIDE_PT || !area.is_finite() {
            return;
        }
        if self.areas.len() >= MAX_AREAS {
            self.is_full = true;
            return;
        }
        let is_certain = is_rectangle && !self.groups.contains(&false);
        let (color, is_opaque) = (color.filter(|_| is_certain), is_opaque && is_certain);
        if let (Some(colors), Some(color)) = (&mut self.colors, color)
            && !colors.contains(&color)
        {
            colors.push(color);
        }
        self.colors.take_if(|colors| colors.len() > MAX_COLORS);
        let order = self.advance();
        self.areas.push(PaintedArea { order, area, color, is_opaque, is_image });
    }

    /// Whether text of this colour is not seen at `point`, by what is painted there so far.
    pub(super) fn is_ground(&mut self, color: [u8; 3], point: Point) -> bool {
        if self.colors.as_ref().is_some_and(|colors| !colors.iter().any(|known| is_same(*known, color))) {
            return false;
        }
        if self.search_all() || self.groups.contains(&false) {
            return false;
        }
        let ground = self.areas.iter().rev().find(|painted| painted.area.contains(point));
        ground.map_or(Some(WHITE), |painted| painted.color).is_some_and(|ground| is_same(ground, color))
    }

    /// Whether an image shows at `point`, so that text that is not painted there is what was recognised in it.
    pub(super) fn has_image(&mut self, point: Point) -> bool {
        self.search_all() || self.areas.iter().any(|painted| painted.is_image && painted.area.contains(point))
    }

    /// What is painted over `point` after `order`.
    pub(super) fn cover_of(&mut self, point: Point, order: PaintOrder) -> Cover {
        let mut cover = Cover::None;
        if self.is_full || self.searched > MAX_SEARCHED {
            return cover;
        }
        for painted in self.areas.iter().rev().take_while(|painted| painted.order > order) {
            self.searched = self.searched.saturating_add(1);
            if painted.is_opaque && painted.area.contains(point) {
                let is_scan = painted.is_image && painted.area.area() >= self.page.area() * SCAN_SHARE;
                cover = if is_scan { Cover::Scan } else { Cover::Opaque };
            }
            if cover == Cover::Opaque {
                break;
            }
        }
        cover
    }
}

fn rows_of(strokes: &[Rect]) -> BTreeMap<i64, Vec<Rect>> {
    let mut rows: BTreeMap<i64, Vec<Rect>> = BTreeMap::new();
    for stroke in strokes {
        rows.entry(row_of(stroke.y0, STROKE_ROW_PT)).or_default().push(*stroke);
    }
    rows
}

/// The colour of a paint, if nothing shows through it.
fn opaque_color(paint: &Paint<'_>) -> Option<[u8; 3]> {
    match paint {
        Paint::Color(color) => match color.to_rgba().to_rgba8() {
            [red, green, blue, 255] => Some([red, green, blue]),
            _ => None,
        },
        Paint::Pattern(_) => None,
    }
}

fn is_opaque(image: &Image<'_, '_>) -> bool {
    let Image::Raster(image) = image else { return false };
    let entries = image.stream().dict();
    ![b"SMask".as_slice(), b"Mask", b"SMaskInData"].iter().any(|key| entries.contains_key(key))
}

fn is_same(one: [u8; 3], other: [u8; 3]) -> bool {
    one.into_iter().zip(other).all(|(one, other)| one.abs_diff(other) <= SAME_COLOR)
}
