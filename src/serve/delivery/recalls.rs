//! Cancellation of answers by the ids of their requests, even after they were written and recorded.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;

use super::in_flight::InFlight;
use crate::context::Receipt;
use crate::serve::lock::lock;
use crate::tool::Recall;

/// Most requests of one client whose answers can be cancelled. 64: a client leaves few answers unread.
const MAX_REQUESTS: usize = 64;

/// How long a record can be taken back. 5 min: clients give up on an answer sooner.
const MAX_AGE: Duration = Duration::from_secs(5 * 60);

/// The last requests of one client: of one connection, or of one session of the older protocol versions.
#[derive(Clone, Default)]
pub(crate) struct Recalls(Arc<Mutex<VecDeque<RecallableRequest>>>);

struct RecallableRequest {
    id: RequestId,
    began: Instant,
    recall: Recall,
}

impl Recalls {
    /// Adds a request. Its id no longer names an answered request from before.
    pub(crate) fn begin(&self, id: &RequestId, recall: Recall) {
        let mut requests = lock(&self.0);
        let now = Instant::now();
        requests.retain(|request| {
            let is_reused = request.id == *id && request.recall.is_answered();
            !is_reused && !request.recall.is_over() && now.duration_since(request.began) < MAX_AGE
        });
        if requests.len() >= MAX_REQUESTS {
            requests.pop_front();
        }
        requests.push_back(RecallableRequest { id: id.clone(), began: now, recall });
    }

    /// Cancels the requests with this id, and returns the receipts to take back.
    pub(crate) fn cancel(&self, id: &RequestId) -> Vec<Receipt> {
        let mut requests = lock(&self.0);
        let named = requests.iter().filter(|request| request.id == *id && request.began.elapsed() < MAX_AGE);
        let receipts = named.filter_map(|request| request.recall.cancel_by_notice()).collect();
        requests.retain(|request| request.id != *id);
        receipts
    }
}

/// Takes records back on a thread that may block. Later requests wait for it.
pub(crate) fn take_back(receipts: Vec<Receipt>, in_flight: &InFlight, warn: fn(&str)) {
    if receipts.is_empty() {
        return;
    }
    let flight = in_flight.begin_for_all();
    tokio::task::spawn_blocking(move || {
        for receipt in receipts {
            if let Err(error) = receipt.take_back() {
                warn(&format!("a cancelled answer is still recorded: {error}"));
            }
        }
        drop(flight);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Dispatch;

    fn id(number: usize) -> RequestId {
        RequestId::Number(number as i64)
    }

    /// Whether the first of `count` requests can still be cancelled.
    fn is_first_kept(count: usize) -> bool {
        let recalls = Recalls::default();
        let requests = (0..count).map(|number| (id(number), Dispatch::open())).collect::<Vec<_>>();
        requests.iter().for_each(|(id, dispatch)| recalls.begin(id, dispatch.recall()));
        assert!(recalls.cancel(&id(0)).is_empty(), "nothing was recorded");
        requests.first().is_some_and(|(_, dispatch)| dispatch.recall().is_over())
    }

    #[test]
    fn the_last_requests_can_be_cancelled() {
        assert!(is_first_kept(1) && is_first_kept(MAX_REQUESTS) && !is_first_kept(MAX_REQUESTS + 1));
    }

    #[test]
    fn requests_that_are_over_take_no_place() {
        let recalls = Recalls::default();
        let first = Dispatch::open();
        recalls.begin(&id(0), first.recall());
        for number in 1..10 * MAX_REQUESTS {
            recalls.begin(&id(number), Dispatch::open().recall());
        }
        assert!(recalls.cancel(&id(0)).is_empty() && first.recall().is_over());
    }

    #[test]
    fn of_two_at_once_with_one_id_both_are_cancelled() {
        let recalls = Recalls::default();
        let requests = [Dispatch::open(), Dispatch::open()];
        requests.iter().for_each(|dispatch| recalls.begin(&id(7), dispatch.recall()));
        assert!(recalls.cancel(&id(7)).is_empty());
        assert!(requests.iter().all(|dispatch| dispatch.recall().is_over()));
    }
}
