//! What answers and their records wait for where a database of many machines keeps them, on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pagewise_store::{PostgresStore, ViewStore as _};
use pagewise_view::{ConversationId, DeliveryRecord, Version};

use super::{Kept, OTHERS, delivery, print, record, timed};

#[path = "../tests/support/postgres.rs"]
#[allow(dead_code, clippy::indexing_slicing, reason = "what tests need besides")]
mod server;

const ROUNDS: u32 = 2_000;

/// Alone, and beside seven others that record every 5 ms; on a server that waits for the disk.
pub(crate) fn measure() {
    let Some(server) = server::Server::start_durable() else { return };
    let address = server.database();
    let open = || PostgresStore::open(address.parse().unwrap(), 2).unwrap().0;
    time("alone", &open());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for other in 0..OTHERS {
            let (is_over, store) = (&is_over, open());
            scope.spawn(move || write_until(is_over, &store, &other.to_string().parse().unwrap()));
        }
        time("beside seven, each every 5 ms", &open());
        is_over.store(true, Ordering::Relaxed);
    });
}

fn time(name: &str, store: &PostgresStore) {
    let conversation: ConversationId = "measured".parse().unwrap();
    let kept = Kept::default();
    let (mut reads, mut records) = (Vec::new(), Vec::new());
    for at in 0..ROUNDS {
        std::thread::sleep(Duration::from_millis(1));
        let known = store.load(&conversation, None).unwrap();
        reads.push(timed(|| store.load(&conversation, Some(Arc::clone(&known))).unwrap()).1);
        let delivery = DeliveryRecord { planned: known.head.version(), ..delivery(at % 200) };
        records.push(timed(|| record(store, &kept, &conversation, delivery)).1);
    }
    print(&format!("PostgreSQL, {name}: a reading"), reads);
    print(&format!("PostgreSQL, {name}: a recording"), records);
}

fn write_until(is_over: &AtomicBool, store: &PostgresStore, conversation: &ConversationId) {
    let kept = Kept::default();
    for at in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let delivery = DeliveryRecord { planned: Version::default(), ..delivery(at % 200) };
        record(store, &kept, conversation, delivery);
        std::thread::sleep(Duration::from_millis(5));
    }
}
