//! Counts the steps of patterns, which the engine builds again for each painted object.

use super::geometry::CanvasSize;
use super::{CANVAS_PIXELS_PER_STEP, StepCounter};
use hayro::hayro_interpret::Paint;
use hayro::hayro_interpret::pattern::{Pattern, ShadingPattern, TilingPattern};
use hayro::hayro_interpret::shading::{ShadingType, Triangle};
use hayro::hayro_interpret::util::x_y_advances;
use hayro::kurbo::{Affine, Rect};
use pagewise_document::effort::{price, to_steps};

/// The steps for a triangle of a mesh.
const TRIANGLE_STEPS: u64 = 8;

/// The additional steps for keeping a triangle of 240 bytes.
const HELD_TRIANGLE_STEPS: u64 = 40;

/// The number of patches whose triangles take little memory.
const FEW_PATCHES: usize = 300;

/// The triangles of a patch.
const TRIANGLES_OF_PATCH: u64 = 722;

/// The steps for a pixel of a gradient without its function, and for a pixel of a mesh triangle.
const GRADIENT_PIXEL_STEPS: f64 = 1.0;
const MESH_PIXEL_STEPS: f64 = 0.3;

/// The steps for keeping a pixel of a mesh, 48 bytes, beyond the number of pixels of a page.
const HELD_PIXEL_STEPS: f64 = 8.0;
const FEW_PIXELS: f64 = 2_000_000.0;

impl StepCounter<'_> {
    /// Takes the steps of preparing a paint that covers `bounds` of the canvas.
    pub(super) fn paint(&mut self, paint: &Paint<'_>, bounds: Rect, is_stroke: bool) {
        let Paint::Pattern(pattern) = paint else { return };
        self.take(price::CALL);
        let canvas = Rect::new(0.0, 0.0, self.canvas.width, self.canvas.height);
        let seen = bounds.intersect(canvas);
        match &**pattern {
            Pattern::Shading(shading) => self.shading(shading, seen),
            Pattern::Tiling(tiling) => self.tiles(tiling, seen, is_stroke),
        }
    }

    fn shading(&mut self, pattern: &ShadingPattern, seen: Rect) {
        let pixels = seen.width().max(1.0) * seen.height().max(1.0);
        self.take_share(pixels, CANVAS_PIXELS_PER_STEP);
        let function_steps = self.counts.cost.function.saturating_add(1);
        self.take(to_steps(pixels * GRADIENT_PIXEL_STEPS).saturating_mul(function_steps));
        let all = match &*pattern.shading.shading_type {
            ShadingType::TriangleMesh { triangles, .. } => self.triangles(triangles, pattern.matrix),
            ShadingType::CoonsPatchMesh { patches, .. } => {
                self.held_patches(patches.len());
                let each = patches.iter().map(|patch| self.patch(pattern.matrix, |all| patch.to_triangles(all)));
                each.reduce(|all, one| all.union(one)).unwrap_or(Rect::ZERO)
            }
            ShadingType::TensorProductPatchMesh { patches, .. } => {
                self.held_patches(patches.len());
                let each = patches.iter().map(|patch| self.patch(pattern.matrix, |all| patch.to_triangles(all)));
                each.reduce(|all, one| all.union(one)).unwrap_or(Rect::ZERO)
            }
            ShadingType::FunctionBased { .. } | ShadingType::RadialAxial { .. } | ShadingType::Dummy => Rect::ZERO,
        };
        // The engine keeps a table of all pixels, including those outside the canvas, until it has painted.
        self.take(to_steps((all.area() - FEW_PIXELS).max(0.0) * HELD_PIXEL_STEPS));
    }

    /// Takes the steps for the memory of triangles, which the engine keeps for all patches until it has painted.
    fn held_patches(&self, count: usize) {
        let many = u64::try_from(count.saturating_sub(FEW_PATCHES)).unwrap_or(u64::MAX);
        self.take(many.saturating_mul(TRIANGLES_OF_PATCH.saturating_mul(HELD_TRIANGLE_STEPS)));
    }

    fn patch(&self, to_canvas: Affine, triangles_of: impl FnOnce(&mut Vec<Triangle>)) -> Rect {
        self.take(TRIANGLES_OF_PATCH.saturating_mul(TRIANGLE_STEPS));
        let mut triangles = Vec::new();
        triangles_of(&mut triangles);
        self.triangles(&triangles, to_canvas)
    }

    /// Takes the steps of triangles, and returns their bounding box. The engine visits every pixel of each triangle's box,
    /// including those outside the canvas.
    fn triangles(&self, triangles: &[Triangle], to_canvas: Affine) -> Rect {
        let mut all: Option<Rect> = None;
        for triangle in triangles {
            let [first, second, third] =
                [triangle.p0.point, triangle.p1.point, triangle.p2.point].map(|point| to_canvas * point);
            let bounds = Rect::from_points(first, second).union_pt(third).expand();
            let bounds = bounds.intersect(Rect::new(0.0, 0.0, 65_535.0, 65_535.0));
            self.take(to_steps(bounds.area() * MESH_PIXEL_STEPS).saturating_add(1));
            all = Some(all.map_or(bounds, |all| all.union(bounds)));
        }
        all.unwrap_or(Rect::ZERO)
    }

    /// Takes the steps of the tiles that the engine paints into one picture for each painted object.
    fn tiles(&mut self, pattern: &TilingPattern<'_>, seen: Rect, is_stroke: bool) {
        let seen = pattern.matrix.inverse().transform_rect_bbox(seen);
        let (x, y) = x_y_advances(&pattern.matrix);
        let bounds = pattern.bbox;
        let columns = TileAxis::new(x.length(), (bounds.x0, bounds.x1), pattern.x_step, (seen.x0, seen.x1));
        let rows = TileAxis::new(y.length(), (bounds.y0, bounds.y1), pattern.y_step, (seen.y0, seen.y1));
        let canvas = CanvasSize { width: columns.pixels, height: rows.pixels };
        self.take_share(canvas.width * canvas.height, CANVAS_PIXELS_PER_STEP);
        let copies = to_steps(columns.copies * rows.copies);
        if copies == 0 {
            return;
        }
        let before = self.counts.steps.taken();
        let mut counter = StepCounter::within(self.counts, canvas, self.depth + 1);
        pattern.interpret(&mut counter, Affine::scale_non_uniform(columns.scale, rows.scale), is_stroke);
        let one = self.counts.steps.taken().saturating_sub(before);
        self.take(one.saturating_mul(copies - 1));
    }
}

/// The tiles in one direction, as the engine arranges them.
struct TileAxis {
    scale: f64,
    pixels: f64,
    copies: f64,
}

impl TileAxis {
    fn new(scale: f64, cell: (f64, f64), step: f32, seen: (f64, f64)) -> Self {
        let step = f64::from(step.abs());
        let scale = (step * scale).round().max(1.0) / step;
        let most = f64::from(u16::MAX);
        if (seen.1 - seen.0).max(0.0) >= step {
            // The engine paints one tile and those that reach into it.
            let copies = -((-(cell.1 - cell.0) / step).floor());
            return Self { scale, pixels: (step * scale).round().clamp(1.0, most), copies: copies.max(1.0) };
        }
        let (first, last) = (((seen.0 - cell.1) / step).ceil(), ((seen.1 - cell.0) / step).floor());
        let pixels = ((seen.1 - seen.0) * scale).ceil() + 1.0;
        Self { scale, pixels: pixels.clamp(1.0, most), copies: (last - first + 1.0).max(0.0) }
    }
}
