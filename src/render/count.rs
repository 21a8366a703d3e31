//! What drawing a page comes to, counted by the interpreter that draws it.
//!
//! The page is interpreted once without painting. Each call takes the steps that the engine needs for it, in time or in
//! memory, at most; where the engine begins further content for what it paints (tiles, masks, glyphs), so does this.
//! Where things lie on the canvas hardly matters, so that one tile or glyph tells of all that are the same.

mod geometry;
mod paints;

use crate::document::effort::{Extent, Interruption, Reach, Steps, image_steps, price, whole};
use crate::limits::{Limit, LimitExceeded, Limits};
use geometry::{Outline, Size, factor};
use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask, StrokeProps,
};
use hayro::kurbo::{Affine, BezPath, Rect, Shape};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// Pixels that are covered in a step, those that let what is below shine through, and those that are painted through a mask.
const PIXELS_A_STEP: f64 = 24.0;
const BLENDED_PIXELS_A_STEP: f64 = 3.0;
const MASKED_PIXELS_A_STEP: f64 = 0.9;

/// Pixels that an open group puts into what it is in, in a step.
const GROUPED_PIXELS_A_STEP: f64 = 32.0;

/// Pixels of a picture, which are interpolated, that are painted in a step.
const PICTURE_PIXELS_A_STEP: f64 = 12.0;

/// Pixels of a mask's own canvas for a step: a byte of each is kept.
const MASK_PIXELS_A_STEP: f64 = 5.0;

/// Steps for a glyph that is painted anew: some 1,200 bytes are kept.
const NEW_GLYPH_STEPS: u64 = 200;

/// Steps for an image, however small.
const IMAGE_STEPS: u64 = 600;

/// Pixels of a canvas that is made for a tile, a mask or a gradient, and kept, for a step.
const CANVAS_PIXELS_A_STEP: f64 = 2.0;

/// Steps for a pixel of an image that is kept: four bytes.
const IMAGE_PIXELS_A_STEP: f64 = 1.25;

/// What all counters of a page know.
pub(super) struct Ledger<'l> {
    steps: &'l Steps,
    reach: &'l Reach,
    limits: &'l Limits,
    /// Pieces of content that were begun.
    begun: Cell<u64>,
    /// Outlines of glyphs that were seen.
    outlines: RefCell<HashMap<u128, Outline>>,
    /// Outlines of glyphs that were painted, by their size and direction.
    painted_glyphs: RefCell<HashSet<(u128, [u64; 4])>>,
    /// Steps of glyphs that are content, by their size.
    drawn_glyphs: RefCell<HashMap<(u128, [u64; 4]), u64>>,
    /// Extents of images, and the steps of decoding them.
    images: RefCell<HashMap<u128, (Extent, u64)>>,
}

impl<'l> Ledger<'l> {
    pub(super) fn new(steps: &'l Steps, reach: &'l Reach, limits: &'l Limits) -> Self {
        Self {
            steps,
            reach,
            limits,
            begun: Cell::new(0),
            outlines: RefCell::default(),
            painted_glyphs: RefCell::default(),
            drawn_glyphs: RefCell::default(),
            images: RefCell::default(),
        }
    }

    /// Content begins: a form, a tile, a glyph.
    fn begin(&self) {
        let begun = self.begun.get();
        self.begun.set(begun.saturating_add(1));
        self.steps.take(self.reach.content_steps(begun));
    }
}

/// An open clip.
struct Clip {
    /// Steps that each path within it takes.
    steps: f64,
    /// The size of its box, no larger than that of the clip around it.
    size: Size,
}

/// An open group: what is painted in it is painted once more into what it is in.
struct Group {
    pixels: f64,
    is_masked: bool,
}

/// Counts what is drawn on one canvas: the page's, or that of a tile or mask.
pub(super) struct Counter<'l> {
    ledger: &'l Ledger<'l>,
    canvas: Size,
    /// Content that is painted within other: patterns, masks and glyphs.
    depth: u32,
    /// Groups that are open.
    groups: Vec<Group>,
    /// The clips that are open, which all that is painted is cut with.
    clips: Vec<Clip>,
    /// Masks that were drawn for this canvas.
    masks: HashSet<u128>,
}

impl<'l> Counter<'l> {
    pub(super) fn new(ledger: &'l Ledger<'l>, width: u16, height: u16) -> Self {
        Self::within(ledger, Size { width: width.into(), height: height.into() }, 0)
    }

    fn within(ledger: &'l Ledger<'l>, canvas: Size, depth: u32) -> Self {
        let limit = ledger.limits.max_form_depth;
        if let Err(limit) = LimitExceeded::check(Limit::FormDepth, depth.into(), limit.into()) {
            Interruption::Limit(limit).leave();
        }
        Self { ledger, canvas, depth, groups: Vec::new(), clips: Vec::new(), masks: HashSet::new() }
    }

    fn take(&self, steps: u64) {
        self.ledger.steps.take(steps);
    }

    fn take_share(&self, things: f64, a_step: f64) {
        self.take(whole(things / a_step));
    }

    /// Pixels of `bounds` that can be seen. Only the sizes of the canvas and the clip count: a glyph that is beside the canvas
    /// here tells of those that are not.
    fn visible_pixels(&self, bounds: Rect) -> f64 {
        let size = self.clips.last().map_or(self.canvas, |clip| clip.size);
        bounds.width().min(size.width) * bounds.height().min(size.height)
    }

    /// Takes the steps of painting `pixels` at most within `bounds`.
    fn pixels(&mut self, pixels: f64, bounds: Rect, a_step: f64) {
        let pixels = pixels.min(self.visible_pixels(bounds));
        self.take_share(pixels, a_step);
        self.groups.last_mut().into_iter().for_each(|group| group.pixels += pixels);
        let clips = self.clips.last().map_or(0.0, |clip| clip.steps);
        self.take(whole(clips * (bounds.height() / self.canvas.height).clamp(0.0, 1.0)));
    }

    fn outline<'a>(&mut self, outline: &Outline, props: &DrawProps<'a>, mode: &DrawMode) {
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

    fn fill<'a>(&mut self, outline: &Outline, props: &DrawProps<'a>) {
        self.take(outline.fill_steps(factor(&props.transform), self.canvas));
        let bounds = props.transform.transform_rect_bbox(outline.bounds);
        self.painted(props, outline.filled_pixels(&props.transform), bounds, false);
    }

    fn stroke<'a>(&mut self, outline: &Outline, props: &DrawProps<'a>, stroke: &StrokeProps) {
        let factor = factor(&props.transform);
        self.take(outline.stroke_steps(stroke, factor, self.canvas));
        let width = f64::from(stroke.line_width).abs();
        let bounds = props.transform.transform_rect_bbox(outline.bounds.inflate(width, width));
        self.painted(props, outline.stroked_pixels(width, factor), bounds, true);
    }

    /// Something of so many pixels at most is painted within `bounds`.
    fn painted<'a>(&mut self, props: &DrawProps<'a>, pixels: f64, bounds: Rect, is_stroke: bool) {
        if let Some(mask) = &props.soft_mask {
            self.mask(mask);
        }
        self.pixels(pixels, bounds, self.pixels_a_step(props));
        self.take(self.ledger.reach.function);
        self.paint(&props.paint, bounds, is_stroke);
    }

    fn pixels_a_step(&self, props: &DrawProps<'_>) -> f64 {
        match &props.paint {
            _ if props.soft_mask.is_some() => MASKED_PIXELS_A_STEP,
            Paint::Pattern(_) => BLENDED_PIXELS_A_STEP,
            _ if props.blend_mode != BlendMode::Normal => BLENDED_PIXELS_A_STEP,
            // Asked only where it can be: it takes as long as a colour takes.
            Paint::Color(color) if self.ledger.reach.has_opacity => {
                let [.., alpha] = color.to_rgba().components();
                if alpha < 1.0 { BLENDED_PIXELS_A_STEP } else { PIXELS_A_STEP }
            }
            Paint::Color(_) => PIXELS_A_STEP,
        }
    }

    /// A mask is drawn once for a canvas, as large as that is, and kept.
    fn mask(&mut self, mask: &SoftMask<'_>) {
        if self.masks.insert(mask.cache_key()) {
            self.take_share(self.canvas.width * self.canvas.height, MASK_PIXELS_A_STEP);
            self.take(self.ledger.reach.function.saturating_mul(256));
            let mut counter = Counter::within(self.ledger, self.canvas, self.depth + 1);
            mask.interpret(&mut counter);
        }
    }

    fn glyphs<'a>(&mut self, run: &GlyphRun<'_, 'a>, props: &DrawProps<'a>, mode: &DrawMode) {
        let (mut bounds, mut pixels): (Option<Rect>, f64) = (None, 0.0);
        for glyph in run.glyphs() {
            self.take(price::GLYPH);
            match &**glyph {
                Glyph::Outline(outline) => {
                    let key = outline.identifier().cache_key();
                    let outline = self.known_outline(key, || outline.outline());
                    let to_canvas = props.transform * glyph.transform();
                    self.glyph(key, &outline, mode, &to_canvas);
                    if self.ledger.reach.is_clipped_by_text {
                        self.take(outline.held_steps());
                    }
                    let own = to_canvas.transform_rect_bbox(outline.bounds);
                    pixels += own.area();
                    bounds = Some(bounds.map_or(own, |bounds| bounds.union(own)));
                }
                Glyph::Type3(drawn) if !matches!(mode, DrawMode::Invisible) => {
                    let to_canvas = props.transform * glyph.transform();
                    self.drawn_glyph(drawn.cache_key(), &to_canvas, |counter| {
                        drawn.interpret(counter, props.transform, glyph.transform(), &props.paint);
                    });
                }
                Glyph::Type3(_) => {}
            }
        }
        if let Some(bounds) = bounds.filter(|_| !matches!(mode, DrawMode::Invisible)) {
            self.painted(props, pixels, bounds, !matches!(mode, DrawMode::Fill(_)));
        }
    }

    /// A small glyph is painted once for each of its sizes and directions, and copied from then on.
    fn glyph(&self, key: u128, outline: &Outline, mode: &DrawMode, to_canvas: &Affine) {
        let [a, b, c, d, ..] = to_canvas.as_coeffs().map(f64::to_bits);
        if matches!(mode, DrawMode::Fill(_)) && self.ledger.painted_glyphs.borrow_mut().insert((key, [a, b, c, d])) {
            self.take(NEW_GLYPH_STEPS);
        }
        self.take(outline.glyph_steps(mode, factor(to_canvas), self.canvas));
    }

    fn known_outline(&self, key: u128, outline: impl FnOnce() -> BezPath) -> Outline {
        if let Some(known) = self.ledger.outlines.borrow().get(&key) {
            return *known;
        }
        let outline = Outline::of(&outline());
        // It is made once, and painted for each place between pixels.
        self.take(outline.held_steps().saturating_mul(4));
        self.ledger.outlines.borrow_mut().insert(key, outline);
        outline
    }

    /// A glyph that is content, interpreted once for each of its sizes.
    fn drawn_glyph(&mut self, key: u128, to_canvas: &Affine, interpret: impl FnOnce(&mut Counter<'l>)) {
        let [a, b, c, d, ..] = to_canvas.as_coeffs().map(f64::to_bits);
        let known = self.ledger.drawn_glyphs.borrow().get(&(key, [a, b, c, d])).copied();
        if let Some(steps) = known {
            self.take(steps);
            return;
        }
        let before = self.ledger.steps.taken();
        self.ledger.begin();
        interpret(&mut Counter::within(self.ledger, self.canvas, self.depth + 1));
        let steps = self.ledger.steps.taken().saturating_sub(before);
        self.ledger.drawn_glyphs.borrow_mut().insert((key, [a, b, c, d]), steps);
    }

    fn image(&mut self, image: &Image<'_, '_>, transform: &Affine) {
        let (width, height) = (f64::from(image.width()), f64::from(image.height()));
        let bounds = transform.transform_rect_bbox(Rect::new(0.0, 0.0, width, height));
        // What lies beside the canvas is not decoded.
        if !bounds.overlaps(Rect::new(0.0, 0.0, self.canvas.width, self.canvas.height)) {
            return;
        }
        let extent = self.known_image(image);
        let scaled = geometry::scaled(extent, transform);
        self.take_share(scaled, IMAGE_PIXELS_A_STEP);
        self.pixels(f64::INFINITY, bounds, PICTURE_PIXELS_A_STEP);
        self.stencil(image, bounds);
    }

    /// A stencil says with what it is painted only where it is decoded.
    fn stencil(&mut self, image: &Image<'_, '_>, bounds: Rect) {
        let Image::Stencil(stencil) = image else { return };
        if self.ledger.reach.has_patterns {
            let mut paint = None;
            stencil.with_stencil(|_, painted| paint = Some(painted.clone()), None);
            if let Some(paint @ Paint::Pattern(_)) = &paint {
                self.take_share(self.canvas.width * self.canvas.height, CANVAS_PIXELS_A_STEP);
                self.paint(paint, bounds, false);
            }
        }
    }

    fn known_image(&self, image: &Image<'_, '_>) -> Extent {
        let key = image.cache_key();
        let known = self.ledger.images.borrow().get(&key).copied();
        if let Some((extent, steps)) = known {
            self.take(steps);
            return extent;
        }
        let said = Extent { columns: image.width().into(), rows: image.height().into() };
        let before = self.ledger.steps.taken();
        let stream = match image {
            Image::Stencil(stencil) => stencil.stream(),
            Image::Raster(raster) => raster.stream(),
        };
        let extent = image_steps(stream, said, self.ledger.steps, self.ledger.limits);
        let steps = self.ledger.steps.taken().saturating_sub(before);
        self.ledger.images.borrow_mut().insert(key, (extent, steps));
        extent
    }

    fn clip(&mut self, steps: u64, bounds: Rect) {
        self.take(price::CALL.saturating_add(steps));
        self.pixels(0.0, bounds, PIXELS_A_STEP);
        // Each keeps the rows that it is cut to, and those that it is in.
        let rows = geometry::rows(bounds, self.canvas);
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let depth = 1.0 + self.clips.len() as f64 / 4.0;
        self.take(whole(rows * depth));
        let around = self.clips.last().map_or(self.canvas, |clip| clip.size);
        let size = Size { width: bounds.width().min(around.width), height: bounds.height().min(around.height) };
        self.clips.push(Clip { steps: geometry::clip_steps(steps, rows), size });
    }
}

impl<'a> Device<'a> for Counter<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.take(price::CALL);
        self.outline(&Outline::of(path), &props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.take(price::CALL);
        self.outline(&Outline::of(&rect.to_path(0.1)), &props, mode);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.take(price::CALL);
        self.glyphs(run, &props, mode);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.take(IMAGE_STEPS);
        if let Some(mask) = &props.soft_mask {
            self.mask(mask);
        }
        self.image(&image, &props.transform);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        if geometry::is_box(&clip.path) {
            self.ledger.begin();
        }
        let outline = Outline::of(&clip.path);
        self.clip(outline.fill_steps(1.0, self.canvas), outline.bounds);
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.clip(price::CALL, *rect);
    }

    fn pop_clip(&mut self) {
        self.take(price::CALL);
        self.clips.pop();
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.take(price::CALL);
        if let Some(mask) = &mask {
            self.mask(mask);
        }
        self.groups.push(Group { pixels: 0.0, is_masked: mask.is_some() });
    }

    fn pop_transparency_group(&mut self) {
        self.take(price::CALL);
        let Some(Group { pixels, is_masked }) = self.groups.pop() else { return };
        let pixels = pixels.min(self.canvas.width * self.canvas.height);
        self.take_share(pixels, if is_masked { MASKED_PIXELS_A_STEP } else { GROUPED_PIXELS_A_STEP });
        self.groups.last_mut().into_iter().for_each(|group| group.pixels += pixels);
    }

    fn begin_marked_content(&mut self, _: &[u8], _: Option<&hayro::hayro_syntax::object::Dict<'_>>) {
        self.take(price::OPERATOR);
    }
}
