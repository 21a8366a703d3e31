//! The cost of a page's objects.

use super::Steps;
use super::page_walk::PageWalk;
use hayro_syntax::object::ObjectIdentifier;
use hayro_syntax::page::Page;
use pagewise_base::limits::Limits;
use std::collections::HashSet;

/// The fonts whose loading was counted, for all pages of a document.
pub type LoadedFonts = HashSet<ObjectIdentifier>;

/// The cost of a page's objects.
#[derive(Debug, Default)]
pub struct PageCost {
    /// The steps of the page's own content, without the content that it invokes.
    pub page_steps: u64,
    /// The steps of each content stream that the page can invoke, the most expensive first, and how often at most.
    pub(super) contents: Vec<(u64, u64)>,
    /// The steps of starting a content stream, which looks up the optional content each time.
    pub(crate) start_steps: u64,
    /// The steps of the most expensive function for one colour.
    pub function: u64,
    /// Whether text may be part of the clipping path, so that its outlines are kept.
    pub is_clipped_by_text: bool,
    /// Whether a graphics state sets a constant opacity (11.6.4.4).
    pub has_opacity: bool,
    /// Whether content paints with patterns.
    pub has_patterns: bool,
    /// Whether a font has so many substitution rules that hinting is switched off.
    pub has_many_substitutions: bool,
    /// Whether the page's content names resources, or the page has annotations.
    pub may_draw: bool,
}

impl PageCost {
    /// Visits all objects of `page` and takes the steps for what the engine builds once. `loaded` are the fonts that it has.
    pub fn of<'a>(page: &Page<'a>, steps: &Steps, limits: &Limits, loaded: &mut LoadedFonts) -> Self {
        let mut walk = PageWalk::new(page.xref(), steps, limits, loaded);
        let own = walk.visit_page(page);
        walk.visit_pending();
        walk.into_cost(&own)
    }

    /// The steps of the next content stream after `begun` others. The device does not learn which one it is, so this assumes
    /// the most expensive that may remain.
    pub fn content_steps(&self, begun: u64) -> u64 {
        let mut before = 0_u64;
        for (steps, times) in &self.contents {
            before = before.saturating_add(*times);
            if begun < before {
                return self.start_steps.saturating_add(*steps);
            }
        }
        self.start_steps
    }
}
