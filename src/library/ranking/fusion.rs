//! Joins the orders of several rankings.

use std::collections::BTreeMap;

use super::first_stage::PageAddress;

/// How little the first places count more than those after them.
const SMOOTHING: f32 = 60.0;

/// Another ranking of pages, such as one by meaning.
pub trait CandidateSource {
    /// The best pages for a query, the best first, at most `limit`.
    fn candidates(&self, query: &str, limit: usize) -> Vec<PageAddress>;
}

/// One order of several, by reciprocal rank: each order adds to a page the more, the earlier it names it.
#[must_use]
pub fn fuse(orders: &[Vec<PageAddress>]) -> Vec<(PageAddress, f32)> {
    let mut scores: BTreeMap<PageAddress, f32> = BTreeMap::new();
    for order in orders {
        let mut rank = SMOOTHING;
        for page in order {
            rank += 1.0;
            *scores.entry(*page).or_default() += 1.0 / rank;
        }
    }
    let mut fused = scores.into_iter().collect::<Vec<_>>();
    fused.sort_by(|one, other| other.1.total_cmp(&one.1));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_two_rankings_name_is_before_one_that_one_names_first() {
        let page = |page| PageAddress { segment: 0, page };
        let fused = fuse(&[vec![page(1), page(2)], vec![page(3), page(2)]]);
        let order = fused.into_iter().map(|(address, _)| address.page).collect::<Vec<_>>();
        assert_eq!(order, [2, 1, 3]);
    }
}
