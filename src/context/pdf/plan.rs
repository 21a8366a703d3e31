//! Decides which of the requested pages to send. A pure function.

use pagewise_base::page::{PageIndex, PageSet};

/// What a conversation holds of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldStatus {
    /// Nothing.
    NotHeld,
    /// The current version, in the requested form.
    Current,
    /// An earlier version of the page.
    Superseded,
}

/// One page to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedPage {
    /// The page.
    pub page: PageIndex,
    /// Whether it replaces an earlier version that was delivered.
    pub replaces: bool,
}

/// What happens to each requested page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PagePlan {
    /// Sent, in page order.
    pub send: Vec<PlannedPage>,
    /// Not sent, because they are held.
    pub held: PageSet,
    /// Not sent, because the answer would be too long.
    pub deferred: PageSet,
}

/// Pages compared with what is held in one answer. Each comparison reads the page.
const MAX_COMPARED: usize = 500;

/// Plans an answer of at most `max_pages` pages out of `wanted`.
///
/// Calls `status` once per page, in page order, but not for deferred pages.
pub fn plan_pages(wanted: &PageSet, max_pages: usize, mut status: impl FnMut(PageIndex) -> HeldStatus) -> PagePlan {
    let mut plan = PagePlan::default();
    for (compared, page) in wanted.iter().enumerate() {
        if plan.send.len() >= max_pages || compared >= MAX_COMPARED {
            plan.deferred = rest_of(wanted, page);
            break;
        }
        match status(page) {
            HeldStatus::Current => plan.held.insert(page),
            HeldStatus::NotHeld => plan.send.push(PlannedPage { page, replaces: false }),
            HeldStatus::Superseded => plan.send.push(PlannedPage { page, replaces: true }),
        }
    }
    plan
}

/// The pages of `wanted` from `first` on. Works on runs, since there may be a million pages.
pub(crate) fn rest_of(wanted: &PageSet, first: PageIndex) -> PageSet {
    let mut rest = PageSet::new();
    for (start, end) in wanted.runs() {
        rest.insert_run(start.0.max(first.0), end.0);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(wanted: &PageSet, max_pages: usize, held: impl Fn(u32) -> HeldStatus) -> PagePlan {
        plan_pages(wanted, max_pages, |page| held(page.0))
    }

    #[test]
    fn held_pages_do_not_count_against_the_limit() {
        let plan = plan(&PageSet::all(10), 3, |page| if page < 4 { HeldStatus::Current } else { HeldStatus::NotHeld });
        assert_eq!(plan.held.to_string(), "1-4");
        assert_eq!(plan.send.iter().map(|sent| sent.page.0).collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(plan.deferred.to_string(), "8-10");
    }

    #[test]
    fn exactly_the_limit_defers_nothing() {
        let plan = plan(&PageSet::all(20), 20, |_| HeldStatus::NotHeld);
        assert_eq!(plan.send.len(), 20);
        assert!(plan.deferred.is_empty());
    }

    #[test]
    fn a_changed_page_replaces() {
        let plan =
            plan(&PageSet::all(2), 20, |page| if page == 0 { HeldStatus::Superseded } else { HeldStatus::Current });
        assert_eq!(plan.send, [PlannedPage { page: PageIndex(0), replaces: true }]);
    }

    #[test]
    fn comparing_stops_at_its_bound() {
        let plan = plan(&PageSet::all(1_000_000), 20, |_| HeldStatus::Current);
        assert_eq!(plan.held.len(), 500);
        assert_eq!(plan.deferred.to_string(), "501-1000000");
    }
}
