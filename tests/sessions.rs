//! What every store of sessions promises.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may stop where it stands")]

use std::time::{Duration, SystemTime};

use pagewise_store::{MemorySessions, SessionStore, SqliteStore, StoredSession};
use pagewise_view::Principal;

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
}

fn session(owner: &str, used: u64) -> StoredSession {
    StoredSession { owner: Principal::of(owner), state: owner.repeat(3).into_bytes(), used: at(used) }
}

fn keeps_its_promises(store: &dyn SessionStore) {
    assert_eq!(store.get("a").unwrap(), None);
    assert!(!store.touch("a", at(1)).unwrap() && !store.remove("a").unwrap());
    store.put("a", &session("one", 0), at(5)).unwrap();
    store.put("b", &session("two", 0), at(6)).unwrap();
    assert_eq!(store.get("a").unwrap(), Some(session("one", 5)), "it was used when it was put");
    assert!(store.touch("a", at(20)).unwrap());
    assert!(store.touch("a", at(10)).unwrap(), "a clock that goes back ages nothing");
    assert_eq!(store.get("a").unwrap(), Some(session("one", 20)));
    store.put("a", &session("three", 0), at(21)).unwrap();
    assert_eq!(store.get("a").unwrap(), Some(session("three", 21)));
    assert_eq!(store.expire(at(6)).unwrap(), 0, "one used at that moment stays");
    assert_eq!(store.expire(at(7)).unwrap(), 1);
    assert_eq!(store.get("b").unwrap(), None);
    assert!(store.remove("a").unwrap());
    assert_eq!(store.get("a").unwrap(), None);
}

#[cfg(feature = "postgres")]
#[test]
fn sessions_in_a_database_of_many_machines() {
    let Some(server) = crate::support::postgres::shared() else { return };
    let address = server.database();
    let [store, other] = [0, 1].map(|_| crate::postgres::store_at(&address));
    keeps_its_promises(&store);
    store.put("c", &session("one", 0), at(30)).unwrap();
    assert_eq!(SessionStore::get(&other, "c").unwrap(), Some(session("one", 30)), "any machine goes on with it");
}

#[test]
fn sessions_in_memory() {
    keeps_its_promises(&MemorySessions::default());
}

#[test]
fn sessions_in_a_database_which_outlive_it() {
    let folder = tempfile::tempdir().unwrap();
    keeps_its_promises(&SqliteStore::open(folder.path()).unwrap().0);
    SqliteStore::open(folder.path()).unwrap().0.put("c", &session("one", 0), at(30)).unwrap();
    let again = SqliteStore::open(folder.path()).unwrap().0;
    assert_eq!(SessionStore::get(&again, "c").unwrap(), Some(session("one", 30)));
}
