//! Looks over what a page draws, before it is drawn.
//!
//! The page is interpreted once without painting, within its budget. So damaged dictionaries and inherited names are seen as
//! the engine sees them. Images that are too large to decode are refused, and so is what the engine would keep in memory
//! until the page is painted, and strokes that it would not finish. Tiles, masks and glyphs are interpreted once each.

use super::scan::SampleFinder;
use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::pattern::{Pattern, ShadingPattern};
use hayro::hayro_interpret::shading::ShadingType;
use hayro::hayro_interpret::util::x_y_advances;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask, StrokeProps,
};
use hayro::hayro_syntax::object::Dict;
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};
use pagewise_base::limits::{Limit, Limits};
use pagewise_document::{PageBudget, check_image, leave_beyond};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// The most dashes of one stroke. A page has room for some thousand.
const MAX_DASHES: f64 = 1e6;

/// Maximum number of points that the engine tests for one mesh. It takes some seconds for them.
const MAX_MESH_POINTS: f64 = 5e8;

/// Bytes that the engine keeps for each point of a mesh.
const MESH_POINT_BYTES: f64 = 40.0;

/// The points beyond which the engine samples no mesh.
const MESH_RANGE: Rect = Rect::new(0.0, 0.0, 65_535.0, 65_535.0);

/// What all surveys of a page share.
struct PageSurvey<'l> {
    budget: &'l PageBudget,
    limits: &'l Limits,
    /// The pixels, of four bytes each, that the engine keeps until the page is painted.
    kept_pixels: Cell<u64>,
    /// Tiles, masks and glyphs that were interpreted.
    seen: RefCell<HashSet<u128>>,
}

/// Looks over the content of one canvas: the page's, a tile's or a mask's.
pub(super) struct Survey<'s, 'l> {
    page: &'s PageSurvey<'l>,
    canvas: Rect,
    /// The nesting of patterns, masks and Type 3 glyphs.
    depth: u32,
    /// Looks for the one picture of the page's own canvas.
    finder: Option<&'s mut SampleFinder>,
}

/// Interprets a page by `interpret`, for a canvas of this size.
pub(super) fn survey(
    budget: &PageBudget,
    limits: &Limits,
    canvas: Rect,
    finder: Option<&mut SampleFinder>,
    interpret: impl FnOnce(&mut Survey<'_, '_>),
) {
    let page = PageSurvey { budget, limits, kept_pixels: Cell::default(), seen: RefCell::default() };
    interpret(&mut Survey { page: &page, canvas, depth: 0, finder });
}

impl<'s, 'l> Survey<'s, 'l> {
    /// A survey of content that is drawn within this one, unless it was surveyed.
    fn within(&self, key: u128) -> Option<Survey<'_, 'l>> {
        self.page.budget.check();
        let depth = self.depth.saturating_add(1);
        leave_beyond(Limit::FormDepth, depth.into(), self.page.limits.max_form_depth.into());
        let within = Survey { page: self.page, canvas: self.canvas, depth, finder: None };
        self.page.seen.borrow_mut().insert(key).then_some(within)
    }

    fn find(&mut self, look: impl FnOnce(&mut SampleFinder)) {
        if let Some(finder) = self.finder.as_deref_mut() {
            look(finder);
        }
    }

    /// Counts an area of the canvas that the engine keeps, where a pixel takes `bytes`.
    fn keep(&self, area: f64, bytes: f64) {
        let kept = self.page.kept_pixels.get().saturating_add(whole(area.max(0.0) * bytes / 4.0));
        self.page.kept_pixels.set(kept);
        leave_beyond(Limit::ImagePixels, kept, self.page.limits.max_image_pixels);
    }

    /// The part of the canvas in `bounds`.
    fn visible_area(&self, bounds: Rect) -> f64 {
        let visible = bounds.intersect(self.canvas);
        visible.width().max(0.0) * visible.height().max(0.0)
    }

    /// The engine draws a mask once per canvas, at the size of the canvas, and keeps a byte for each pixel.
    fn look_at_mask(&self, mask: Option<&SoftMask<'_>>) {
        if let Some(mask) = mask
            && let Some(mut within) = self.within(mask.cache_key())
        {
            self.keep(self.canvas.area(), 1.0);
            mask.interpret(&mut within);
        }
    }

    /// The engine paints a pattern into a picture for each object that is painted with it.
    fn look_at_paint(&self, paint: &Paint<'_>, bounds: impl FnOnce() -> Rect, is_stroke: bool) {
        let Paint::Pattern(pattern) = paint else { return };
        self.keep(self.visible_area(bounds()), 4.0);
        if let Pattern::Shading(shading) = &**pattern {
            self.look_at_mesh(shading);
        }
        if let Pattern::Tiling(tiling) = &**pattern
            && let Some(mut within) = self.within(pattern.cache_key())
        {
            tiling.interpret(&mut within, Affine::IDENTITY, is_stroke);
        }
    }

    /// The engine samples a mesh at every point, whether the point is on the canvas or not (ISO 32000-2, 8.7.4.5.5).
    fn look_at_mesh(&self, pattern: &ShadingPattern) {
        let (mut tested, mut sampled) = (0.0, 0.0);
        let mut add = |points: &[Point], share: f64| {
            let placed = points.iter().map(|point| Rect::from_points(pattern.matrix * *point, pattern.matrix * *point));
            let bounds = placed.reduce(|all, point| all.union(point)).unwrap_or_default().intersect(MESH_RANGE);
            tested += bounds.area().max(0.0);
            sampled += bounds.area().max(0.0) * share;
        };
        match &*pattern.shading.shading_type {
            // Half of the box around a triangle is within it at most.
            ShadingType::TriangleMesh { triangles, .. } => {
                triangles.iter().for_each(|it| add(&[it.p0.point, it.p1.point, it.p2.point], 0.5));
            }
            ShadingType::CoonsPatchMesh { patches, .. } => {
                patches.iter().for_each(|patch| add(&patch.control_points, 1.0));
            }
            ShadingType::TensorProductPatchMesh { patches, .. } => {
                patches.iter().for_each(|patch| add(&patch.control_points, 1.0));
            }
            _ => {}
        }
        if tested > MAX_MESH_POINTS {
            self.page.budget.leave_endless();
        }
        let kept = whole(sampled * MESH_POINT_BYTES / 4.0);
        leave_beyond(Limit::ImagePixels, kept, self.page.limits.max_image_pixels);
    }

    fn look_at_path(&self, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode) {
        self.page.budget.check();
        self.look_at_mask(props.soft_mask.as_ref());
        let is_stroke = matches!(mode, DrawMode::Stroke(_));
        self.look_at_paint(&props.paint, || props.transform.transform_rect_bbox(path.control_box()), is_stroke);
        if let DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) = mode {
            self.look_at_dashes(path, stroke);
        }
    }

    /// Leaves the engine before a stroke of too many dashes (ISO 32000-2, 8.4.3.6).
    fn look_at_dashes(&self, path: &BezPath, stroke: &StrokeProps) {
        if stroke.dash_array.is_empty() {
            return;
        }
        let period = stroke.dash_array.iter().map(|dash| f64::from(*dash)).sum::<f64>();
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let dashes = length_of(path) / period * stroke.dash_array.len() as f64;
        if period <= 0.0 || dashes > MAX_DASHES {
            self.page.budget.leave_endless();
        }
    }
}

/// The length of a path, with curves measured along their control points.
fn length_of(path: &BezPath) -> f64 {
    let (mut start, mut last, mut length) = (Point::ZERO, Point::ZERO, 0.0);
    for element in path.elements() {
        let points: &[Point] = match element {
            PathEl::MoveTo(point) => {
                (start, last) = (*point, *point);
                &[]
            }
            PathEl::LineTo(point) => &[*point],
            PathEl::QuadTo(control, point) => &[*control, *point],
            PathEl::CurveTo(first, second, point) => &[*first, *second, *point],
            PathEl::ClosePath => &[start],
        };
        for point in points {
            length += point.distance(last);
            last = *point;
        }
    }
    length
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(number: f64) -> u64 {
    number as u64
}

impl<'a> Device<'a> for Survey<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.look_at_path(path, &props, mode);
        self.find(|finder| finder.mix(mode));
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        match mode {
            DrawMode::Fill(_) => {
                self.page.budget.check();
                self.look_at_mask(props.soft_mask.as_ref());
                self.look_at_paint(&props.paint, || props.transform.transform_rect_bbox(*rect), false);
            }
            _ => self.look_at_path(&rect.to_path(0.1), &props, mode),
        }
        self.find(|finder| finder.mix(mode));
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        if matches!(mode, DrawMode::Invisible) {
            return;
        }
        self.find(|finder| finder.mix(mode));
        self.look_at_mask(props.soft_mask.as_ref());
        self.look_at_paint(&props.paint, || self.canvas, !matches!(mode, DrawMode::Fill(_)));
        for glyph in run.glyphs() {
            self.page.budget.check();
            match &**glyph {
                Glyph::Outline(outline) => {
                    if let DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) = mode
                        && !stroke.dash_array.is_empty()
                    {
                        self.look_at_dashes(&outline.outline(), stroke);
                    }
                }
                Glyph::Type3(drawn) => {
                    if let Some(mut within) = self.within(drawn.cache_key()) {
                        drawn.interpret(&mut within, props.transform, glyph.transform(), &props.paint);
                    }
                }
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.look_at_mask(props.soft_mask.as_ref());
        let (width, height) = (f64::from(image.width()), f64::from(image.height()));
        let bounds = props.transform.transform_rect_bbox(Rect::new(0.0, 0.0, width, height));
        // The engine does not decode images outside the canvas. Tiles are surveyed at another place than they are drawn.
        if self.depth == 0 && !bounds.overlaps(self.canvas) {
            return self.find(|finder| finder.add_image(&image, &props));
        }
        let stream = match &image {
            Image::Stencil(stencil) => stencil.stream(),
            Image::Raster(raster) => raster.stream(),
        };
        check_image(stream, self.page.budget, self.page.limits);
        // It keeps an image at the size at which it is drawn, or at its own if that is smaller.
        let (x, y) = x_y_advances(&props.transform);
        self.keep(width * x.length().min(1.0) * height * y.length().min(1.0), 4.0);
        self.find(|finder| finder.add_image(&image, &props));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.page.budget.check();
        self.find(|finder| finder.clip(clip.path.bounding_box()));
    }

    fn push_clip_rect(&mut self, clip: &Rect) {
        self.page.budget.check();
        self.find(|finder| finder.clip(*clip));
    }

    fn pop_clip(&mut self) {}

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, mode: BlendMode) {
        self.page.budget.check();
        self.look_at_mask(mask.as_ref());
        // The engine puts each image into a group of its own.
        let is_plain = opacity >= 1.0 && mask.is_none() && mode == BlendMode::Normal;
        self.find(|finder| {
            if !is_plain {
                finder.refuse()
            }
        });
    }

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], _: Option<&Dict<'_>>) {
        self.page.budget.check();
    }
}
