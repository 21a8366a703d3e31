//! Counts the steps of drawing a page with the interpreter that draws it.
//!
//! The page is interpreted once without painting. Each call of the device takes an upper bound of the steps that the engine
//! needs for it. Where the engine interprets further content for painting (tiles, masks, glyphs), so does this. Positions on
//! the canvas hardly matter, so each tile or glyph is counted once and its steps are reused.

mod geometry;
mod paints;

use geometry::{CanvasSize, PathMeasure, factor};
use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask, StrokeProps,
};
use hayro::kurbo::{Affine, BezPath, Rect, Shape};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::effort::{ImageSize, Interruption, PageCost, Steps, price, take_image_steps, to_steps};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// The pixels that are painted in one step: opaque ones, blended ones, and those under a mask.
const PIXELS_PER_STEP: f64 = 24.0;
const BLENDED_PIXELS_PER_STEP: f64 = 3.0;
const MASKED_PIXELS_PER_STEP: f64 = 0.9;

/// The pixels of a transparency group that are composited in one step.
const GROUPED_PIXELS_PER_STEP: f64 = 32.0;

/// The interpolated pixels of an image that are painted in one step.
const PICTURE_PIXELS_PER_STEP: f64 = 12.0;

/// The pixels of a soft mask's canvas for one step. The engine keeps a byte of each.
const MASK_PIXELS_PER_STEP: f64 = 5.0;

/// The steps for the first painting of a glyph, which the engine keeps.
const NEW_GLYPH_STEPS: u64 = 200;

/// The least steps for an image.
const IMAGE_STEPS: u64 = 600;

/// The pixels of a canvas that is kept for a tile, a mask or a gradient, for one step.
const CANVAS_PIXELS_PER_STEP: f64 = 2.0;

/// The pixels of an image that is kept, for one step. Each has four bytes.
const IMAGE_PIXELS_PER_STEP: f64 = 1.25;

/// The state that all counters of a page share.
pub(super) struct SharedCounts<'l> {
    steps: &'l Steps,
    cost: &'l PageCost,
    limits: &'l Limits,
    /// The number of content streams started so far.
    started: Cell<u64>,
    /// The outlines of glyphs so far.
    outlines: RefCell<HashMap<u128, PathMeasure>>,
    /// The outlines of glyphs that were painted, with their size and direction.
    painted_glyphs: RefCell<HashSet<(u128, [u64; 4])>>,
    /// The steps of Type 3 glyphs, by size and direction.
    drawn_glyphs: RefCell<HashMap<(u128, [u64; 4]), u64>>,
    /// The sizes of images, and the steps of decoding them.
    images: RefCell<HashMap<u128, (ImageSize, u64)>>,
}

impl<'l> SharedCounts<'l> {
    pub(super) fn new(steps: &'l Steps, cost: &'l PageCost, limits: &'l Limits) -> Self {
        Self {
            steps,
            cost,
            limits,
            started: Cell::new(0),
            outlines: RefCell::default(),
            painted_glyphs: RefCell::default(),
            drawn_glyphs: RefCell::default(),
            images: RefCell::default(),
        }
    }

    /// Takes the steps for starting a content stream: a form, a tile or a Type 3 glyph.
    fn start_content(&self) {
        let begun = self.started.get();
        self.started.set(begun.saturating_add(1));
        self.steps.take(self.cost.content_steps(begun));
    }
}

/// A clipping path that is in effect.
struct OpenClip {
    /// The steps that it adds to each painted path.
    steps: f64,
    /// The size of its bounding box, within that of the outer clip.
    size: CanvasSize,
}

/// An open transparency group, whose pixels are painted again when it is composited.
struct OpenGroup {
    pixels: f64,
    is_masked: bool,
}

/// Counts the steps for one canvas: the page's, a tile's or a mask's.
pub(super) struct StepCounter<'l> {
    counts: &'l SharedCounts<'l>,
    canvas: CanvasSize,
    /// The nesting of patterns, masks and Type 3 glyphs.
    depth: u32,
    /// The open transparency groups.
    groups: Vec<OpenGroup>,
    /// The clipping paths that are in effect.
    clips: Vec<OpenClip>,
    /// The soft masks that were drawn for this canvas.
    masks: HashSet<u128>,
}

impl<'l> StepCounter<'l> {
    pub(super) fn new(counts: &'l SharedCounts<'l>, width: u16, height: u16) -> Self {
        Self::within(counts, CanvasSize { width: width.into(), height: height.into() }, 0)
    }

    fn within(counts: &'l SharedCounts<'l>, canvas: CanvasSize, depth: u32) -> Self {
        let limit = counts.limits.max_form_depth;
        if let Err(limit) = LimitExceeded::check(Limit::FormDepth, depth.into(), limit.into()) {
            Interruption::Limit(limit).leave();
        }
        Self { counts, canvas, depth, groups: Vec::new(), clips: Vec::new(), masks: HashSet::new() }
    }

    fn take(&self, steps: u64) {
        self.counts.steps.take(steps);
    }

    fn take_share(&self, things: f64, per_step: f64) {
        self.take(to_steps(things / per_step));
    }

    /// The largest number of visible pixels in `bounds`. Positions are ignored, because the steps of a glyph outside the
    /// canvas are reused for the same glyph inside.
    fn visible_pixels(&self, bounds: Rect) -> f64 {
        let size = self.clips.last().map_or(self.canvas, |clip| clip.size);
        bounds.width().min(size.width) * bounds.height().min(size.height)
    }

    /// Takes the steps of painting at most `pixels` pixels in `bounds`.
    fn take_pixels(&mut self, pixels: f64, bounds: Rect, per_step: f64) {
        let pixels = pixels.min(self.visible_pixels(bounds));
        self.take_share(pixels, per_step);
        self.groups.last_mut().into_iter().for_each(|group| group.pixels += pixels);
        let clips = self.clips.last().map_or(0.0, |clip| clip.steps);
        self.take(to_steps(clips * (bounds.height() / self.canvas.height).clamp(0.0, 1.0)));
    }

    fn take_outline<'a>(&mut self, outline: &PathMeasure, props: &DrawProps<'a>, mode: &DrawMode) {
        match mode {
            DrawMode::Fill(_) => self.fill(outline, props),
            DrawMode::Stroke(stroke) => self.stroke(outline, props, stroke),
            DrawMode::FillAndStroke(_, stroke) => {
                self.fill(outline, props);
                self.stroke(outline, props, stroke);
            }
            DrawMode::Invisible => {}
        }
    }

    fn fill<'a>(&mut self, outline: &PathMeasure, props: &DrawProps<'a>) {
        self.take(outline.fill_steps(factor(&props.transform), self.canvas));
        let bounds = props.transform.transform_rect_bbox(outline.bounds);
        self.take_painting(props, outline.filled_pixels(&props.transform), bounds, false);
    }

    fn stroke<'a>(&mut self, outline: &PathMeasure, props: &DrawProps<'a>, stroke: &StrokeProps) {
        let factor = factor(&props.transform);
        self.take(outline.stroke_steps(stroke, factor, self.canvas));
        let width = f64::from(stroke.line_width).abs();
        let bounds = props.transform.transform_rect_bbox(outline.bounds.inflate(width, width));
        self.take_painting(props, outline.stroked_pixels(width, factor), bounds, true);
    }

    /// Takes the steps of painting at most `pixels` pixels in `bounds` with a paint and a mask.
    fn take_painting<'a>(&mut self, props: &DrawProps<'a>, pixels: f64, bounds: Rect, is_stroke: bool) {
        if let Some(mask) = &props.soft_mask {
            self.take_mask(mask);
        }
        self.take_pixels(pixels, bounds, self.pixels_per_step(props));
        self.take(self.counts.cost.function);
        self.paint(&props.paint, bounds, is_stroke);
    }

    fn pixels_per_step(&self, props: &DrawProps<'_>) -> f64 {
        match &props.paint {
            _ if props.soft_mask.is_some() => MASKED_PIXELS_PER_STEP,
            Paint::Pattern(_) => BLENDED_PIXELS_PER_STEP,
            _ if props.blend_mode != BlendMode::Normal => BLENDED_PIXELS_PER_STEP,
            // Converting the colour takes time, so it is skipped on pages without opacity.
            Paint::Color(color) if self.counts.cost.has_opacity => {
                let [.., alpha] = color.to_rgba().components();
                if alpha < 1.0 { BLENDED_PIXELS_PER_STEP } else { PIXELS_PER_STEP }
            }
            Paint::Color(_) => PIXELS_PER_STEP,
        }
    }

    /// Takes the steps of a soft mask. The engine draws it once per canvas, at the size of the canvas, and keeps it.
    fn take_mask(&mut self, mask: &SoftMask<'_>) {
        if self.masks.insert(mask.cache_key()) {
            self.take_share(self.canvas.width * self.canvas.height, MASK_PIXELS_PER_STEP);
            self.take(self.counts.cost.function.saturating_mul(256));
            let mut counter = StepCounter::within(self.counts, self.canvas, self.depth + 1);
            mask.interpret(&mut counter);
        }
    }

    fn take_glyphs<'a>(&mut self, run: &GlyphRun<'_, 'a>, props: &DrawProps<'a>, mode: &DrawMode) {
        let (mut bounds, mut pixels): (Option<Rect>, f64) = (None, 0.0);
        for glyph in run.glyphs() {
            self.take(price::GLYPH);
            match &**glyph {
                Glyph::Outline(outline) => {
                    let key = outline.identifier().cache_key();
                    let outline = self.measure_of(key, || outline.outline());
                    let to_canvas = props.transform * glyph.transform();
                    self.take_glyph(key, &outline, mode, &to_canvas);
                    if self.counts.cost.is_clipped_by_text {
                        self.take(outline.held_steps());
                    }
                    let own = to_canvas.transform_rect_bbox(outline.bounds);
                    pixels += own.area();
                    bounds = Some(bounds.map_or(own, |bounds| bounds.union(own)));
                }
                Glyph::Type3(drawn) if !matches!(mode, DrawMode::Invisible) => {
                    let to_canvas = props.transform * glyph.transform();
                    self.take_type3_glyph(drawn.cache_key(), &to_canvas, |counter| {
                        drawn.interpret(counter, props.transform, glyph.transform(), &props.paint);
                    });
                }
                Glyph::Type3(_) => {}
            }
        }
        if let Some(bounds) = bounds.filter(|_| !matches!(mode, DrawMode::Invisible)) {
            self.take_painting(props, pixels, bounds, !matches!(mode, DrawMode::Fill(_)));
        }
    }

    /// Takes the steps of a glyph. The engine paints a small one once for each size and direction, and then copies it.
    fn take_glyph(&self, key: u128, outline: &PathMeasure, mode: &DrawMode, to_canvas: &Affine) {
        let [a, b, c, d, ..] = to_canvas.as_coeffs().map(f64::to_bits);
        if matches!(mode, DrawMode::Fill(_)) && self.counts.painted_glyphs.borrow_mut().insert((key, [a, b, c, d])) {
            self.take(NEW_GLYPH_STEPS);
        }
        self.take(outline.glyph_steps(mode, factor(to_canvas), self.canvas));
    }

    fn measure_of(&self, key: u128, outline: impl FnOnce() -> BezPath) -> PathMeasure {
        if let Some(known) = self.counts.outlines.borrow().get(&key) {
            return *known;
        }
        let outline = PathMeasure::of(&outline());
        // The engine keeps a copy for each position between pixels.
        self.take(outline.held_steps().saturating_mul(4));
        self.counts.outlines.borrow_mut().insert(key, outline);
        outline
    }

    /// Takes the steps of a Type 3 glyph, which is interpreted once for each size and direction.
    fn take_type3_glyph(&mut self, key: u128, to_canvas: &Affine, interpret: impl FnOnce(&mut StepCounter<'l>)) {
        let [a, b, c, d, ..] = to_canvas.as_coeffs().map(f64::to_bits);
        let known = self.counts.drawn_glyphs.borrow().get(&(key, [a, b, c, d])).copied();
        if let Some(steps) = known {
            self.take(steps);
            return;
        }
        let before = self.counts.steps.taken();
        self.counts.start_content();
        interpret(&mut StepCounter::within(self.counts, self.canvas, self.depth + 1));
        let steps = self.counts.steps.taken().saturating_sub(before);
        self.counts.drawn_glyphs.borrow_mut().insert((key, [a, b, c, d]), steps);
    }

    fn take_image(&mut self, image: &Image<'_, '_>, transform: &Affine) {
        let (width, height) = (f64::from(image.width()), f64::from(image.height()));
        let bounds = transform.transform_rect_bbox(Rect::new(0.0, 0.0, width, height));
        // The engine does not decode images outside the canvas.
        if !bounds.overlaps(Rect::new(0.0, 0.0, self.canvas.width, self.canvas.height)) {
            return;
        }
        let size = self.image_size(image);
        let scaled = geometry::stored_pixels(size, transform);
        self.take_share(scaled, IMAGE_PIXELS_PER_STEP);
        self.take_pixels(f64::INFINITY, bounds, PICTURE_PIXELS_PER_STEP);
        self.take_stencil(image, bounds);
    }

    /// Takes the steps of a stencil mask's pattern. The paint is known only after decoding.
    fn take_stencil(&mut self, image: &Image<'_, '_>, bounds: Rect) {
        let Image::Stencil(stencil) = image else { return };
        if self.counts.cost.has_patterns {
            let mut paint = None;
            stencil.with_stencil(|_, painted| paint = Some(painted.clone()), None);
            if let Some(paint @ Paint::Pattern(_)) = &paint {
                self.take_share(self.canvas.width * self.canvas.height, CANVAS_PIXELS_PER_STEP);
                self.paint(paint, bounds, false);
            }
        }
    }

    fn image_size(&self, image: &Image<'_, '_>) -> ImageSize {
        let key = image.cache_key();
        let known = self.counts.images.borrow().get(&key).copied();
        if let Some((size, steps)) = known {
            self.take(steps);
            return size;
        }
        let declared = ImageSize { columns: image.width().into(), rows: image.height().into() };
        let before = self.counts.steps.taken();
        let stream = match image {
            Image::Stencil(stencil) => stencil.stream(),
            Image::Raster(raster) => raster.stream(),
        };
        let size = take_image_steps(stream, declared, self.counts.steps, self.counts.limits);
        let steps = self.counts.steps.taken().saturating_sub(before);
        self.counts.images.borrow_mut().insert(key, (size, steps));
        size
    }

    fn take_clip(&mut self, steps: u64, bounds: Rect) {
        self.take(price::CALL.saturating_add(steps));
        self.take_pixels(0.0, bounds, PIXELS_PER_STEP);
        // Each clip keeps its own rows and those of the outer clips.
        let rows = geometry::rows(bounds, self.canvas);
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let depth = 1.0 + self.clips.len() as f64 / 4.0;
        self.take(to_steps(rows * depth));
        let around = self.clips.last().map_or(self.canvas, |clip| clip.size);
        let size = CanvasSize { width: bounds.width().min(around.width), height: bounds.height().min(around.height) };
        self.clips.push(OpenClip { steps: geometry::clip_steps(steps, rows), size });
    }
}

impl<'a> Device<'a> for StepCounter<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.take(price::CALL);
        self.take_outline(&PathMeasure::of(path), &props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.take(price::CALL);
        self.take_outline(&PathMeasure::of(&rect.to_path(0.1)), &props, mode);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.take(price::CALL);
        self.take_glyphs(run, &props, mode);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.take(IMAGE_STEPS);
        if let Some(mask) = &props.soft_mask {
            self.take_mask(mask);
        }
        self.take_image(&image, &props.transform);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        if geometry::is_box(&clip.path) {
            self.counts.start_content();
        }
        let outline = PathMeasure::of(&clip.path);
        self.take_clip(outline.fill_steps(1.0, self.canvas), outline.bounds);
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.take_clip(price::CALL, *rect);
    }

    fn pop_clip(&mut self) {
        self.take(price::CALL);
        self.clips.pop();
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.take(price::CALL);
        if let Some(mask) = &mask {
            self.take_mask(mask);
        }
        self.groups.push(OpenGroup { pixels: 0.0, is_masked: mask.is_some() });
    }

    fn pop_transparency_group(&mut self) {
        self.take(price::CALL);
        let Some(OpenGroup { pixels, is_masked }) = self.groups.pop() else { return };
        let pixels = pixels.min(self.canvas.width * self.canvas.height);
        self.take_share(pixels, if is_masked { MASKED_PIXELS_PER_STEP } else { GROUPED_PIXELS_PER_STEP });
        self.groups.last_mut().into_iter().for_each(|group| group.pixels += pixels);
    }

    fn begin_marked_content(&mut self, _: &[u8], _: Option<&hayro::hayro_syntax::object::Dict<'_>>) {
        self.take(price::OPERATOR);
    }
}
