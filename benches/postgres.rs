//! What answers and their records wait for where a database of many machines keeps them, on this machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use pagewise_store::{DeliveryRecord, PostgresStore, Version, ViewStore as _};
use pagewise_view::ConversationId;

use super::{OTHERS, delivery, print, timed};

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
    let mut planned = Version::default();
    let (mut reads, mut records) = (Vec::new(), Vec::new());
    for at in 0..ROUNDS {
        std::thread::sleep(Duration::from_millis(1));
        planned = store.head(&conversation).unwrap().map_or(planned, |head| head.version());
        reads.push(timed(|| store.read(&conversation, Some(planned)).unwrap()).1);
        let delivery = DeliveryRecord { planned, ..delivery(at % 1_000) };
        records.push(timed(|| store.record(&conversation, &delivery, SystemTime::now()).unwrap()).1);
    }
    print(&format!("PostgreSQL, {name}: a reading"), reads);
    print(&format!("PostgreSQL, {name}: a recording"), records);
}

fn write_until(is_over: &AtomicBool, store: &PostgresStore, conversation: &ConversationId) {
    for at in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let delivery = DeliveryRecord { planned: Version::default(), ..delivery(at % 1_000) };
        store.record(conversation, &delivery, SystemTime::now()).unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
}
