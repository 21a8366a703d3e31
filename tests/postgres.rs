//! The store that machines share keeps its promises when connections end, servers restart and replicas begin at once, and
//! says what is wrong with a database without its password. `store_promises` has what all stores promise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::PageIndex;
use pagewise_store::{
    ConversationCopies, PostgresAddress, PostgresError, PostgresStore, StoreError, ViewStore as _, fork,
};
use pagewise_view::{
    Conversation, ConversationChange, ConversationId, DeliveryRecord, FileKey, ForgetScope, HeldItem, Holding,
    PageForm, StepKind, Usage, Version,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::support::PATIENCE;
use crate::support::postgres::{Server, query, shared};
use crate::support::scripted_store::{Changes as _, loaded};

/// A store, which is there at once.
pub(crate) fn store_at(address: &str) -> PostgresStore {
    let (store, away) = opened(address).unwrap();
    assert!(away.is_none(), "{away:?}");
    store
}

fn opened(address: &str) -> Result<(PostgresStore, Option<PostgresError>), PostgresError> {
    PostgresStore::open(address.parse::<PostgresAddress>().unwrap(), PostgresStore::MAX_CONNECTIONS)
}

fn id(name: &str) -> ConversationId {
    name.parse().unwrap()
}

fn page(file: u8, page: u32) -> Holding {
    let what = HeldItem::Page {
        fingerprint: PageFingerprint([file; 32]),
        page: PageIndex(page),
        form: PageForm::Document,
        is_shared: false,
    };
    Holding { content: ContentHash([file; 32]), file: FileKey([file; 32]), what }
}

fn delivery(holdings: &[Holding]) -> DeliveryRecord {
    let sent = Usage { blocks: 1, pages: 1, bytes: 10, tokens: 1 };
    DeliveryRecord { holdings: holdings.to_vec(), sent, ..DeliveryRecord::default() }
}

fn record(store: &PostgresStore, conversation: &ConversationId, holding: Holding) -> Result<Version, StoreError> {
    store.record(conversation, &delivery(&[holding]), SystemTime::now()).map(Option::unwrap)
}

/// Whatever passes is tried until it has passed.
fn patiently<T>(call: impl Fn() -> Result<T, StoreError>) -> T {
    let start = Instant::now();
    loop {
        match call() {
            Ok(value) => return value,
            Err(StoreError::Postgres(error)) if error.is_passing() && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn replicas_that_begin_at_once_make_the_tables_once() {
    let Some(server) = shared() else { return };
    let address = server.database();
    std::thread::scope(|scope| {
        for replica in 0_u8..6 {
            let address = &address;
            scope.spawn(move || record(&store_at(address), &id("a"), page(replica, 0)).unwrap());
        }
    });
    assert_eq!(loaded(&store_at(&address), &id("a")).holdings().count(), 6);
    assert_eq!(query(&address, "SELECT number FROM pagewise.version").unwrap(), ["5"]);
}

#[test]
fn neither_content_nor_path_is_kept_beside_the_name_table() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let file = FileKey::of(std::path::Path::new("/secret/plan.pdf"));
    record(&store_at(&address), &id("a"), Holding { file, ..page(1, 0) }).unwrap();
    let rows = query(&address, "SELECT encode(head, 'escape') || encode(body, 'escape') FROM pagewise.conversation");
    assert!(rows.unwrap().iter().all(|row| !row.contains("secret")));
}

/// What a thread did: the pages that it recorded, the versions it was told, and calls of which it was told nothing.
#[derive(Default)]
struct Deeds {
    recorded: BTreeSet<u32>,
    untold: BTreeSet<u32>,
    versions: Vec<Version>,
}

/// What the threads of a test share: whether they are to end, and how many recordings came through.
#[derive(Default)]
struct Trial {
    is_over: AtomicBool,
    told: AtomicUsize,
}

/// Records pages of a file of its own until it is told to end; every tenth time it forgets the last ten.
fn write_until(trial: &Trial, store: &PostgresStore, conversation: &ConversationId, file: u8) -> Deeds {
    let mut deeds = Deeds::default();
    for at in 0.. {
        if trial.is_over.load(Ordering::Relaxed) {
            break;
        }
        match record_planned(store, conversation, page(file, at)) {
            Ok(Some(version)) => {
                deeds.recorded.insert(at);
                deeds.versions.push(version);
                trial.told.fetch_add(1, Ordering::Relaxed);
            }
            Ok(None) => {}
            Err(_) => {
                deeds.untold.insert(at);
            }
        }
        if at % 10 == 9 {
            let what = ForgetScope::File(FileKey([file; 32]));
            deeds.versions.push(patiently(|| store.forget(conversation, &what, SystemTime::now())));
            deeds.recorded.clear();
            deeds.untold.clear();
        }
    }
    deeds
}

fn record_planned(
    store: &PostgresStore,
    conversation: &ConversationId,
    holding: Holding,
) -> Result<Option<Version>, StoreError> {
    let planned = store.head(conversation)?.map(|head| head.version()).unwrap_or_default();
    store.record(conversation, &DeliveryRecord { planned, ..delivery(&[holding]) }, SystemTime::now())
}

/// Eight threads on four handles, while `trouble` goes on; then the rows are what the threads were told.
fn nothing_is_lost_or_made_up(address: &str, trouble: impl FnOnce()) {
    let handles: Vec<_> = (0..4).map(|_| store_at(address)).collect();
    let (trial, conversation) = (Trial::default(), id("shared"));
    let deeds: Vec<(u8, Deeds)> = std::thread::scope(|scope| {
        let write = |(file, store)| {
            let (trial, conversation) = (&trial, &conversation);
            scope.spawn(move || (file, write_until(trial, store, conversation, file)))
        };
        let workers: Vec<_> = (1_u8..9).zip(handles.iter().cycle()).map(write).collect();
        trouble();
        let (start, told) = (Instant::now(), trial.told.load(Ordering::Relaxed));
        // After the trouble they go on.
        while trial.told.load(Ordering::Relaxed) < told + 20 && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        trial.is_over.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let store = store_at(address);
    let view = loaded(&store, &conversation);
    let mut all = Vec::new();
    for (file, deeds) in &deeds {
        let held: BTreeSet<u32> = view.pages_at(FileKey([*file; 32])).map(|(page, _)| page.0).collect();
        assert!(held.is_superset(&deeds.recorded), "lost: {:?}", deeds.recorded.difference(&held));
        let made_up: Vec<_> =
            held.iter().filter(|at| !deeds.recorded.contains(at) && !deeds.untold.contains(at)).collect();
        assert!(made_up.is_empty(), "made up: {made_up:?}");
        assert!(deeds.versions.is_sorted_by(|one, next| one.latest < next.latest), "each is later than the last");
        all.extend(deeds.versions.iter().copied());
    }
    let distinct: BTreeSet<_> = all.iter().map(|version| (version.begun, version.latest)).collect();
    assert_eq!(distinct.len(), all.len(), "no version stands for two states");
    assert!(all.len() > 20, "only {} calls came through", all.len());
}

#[test]
fn eight_writers_lose_nothing_while_their_connections_are_ended() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let name = address.rsplit('/').next().unwrap().to_owned();
    nothing_is_lost_or_made_up(&address, || {
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(100));
            server.end_connections(&name);
        }
    });
}

#[test]
fn eight_writers_lose_nothing_while_the_server_restarts_and_crashes() {
    let Some(server) = Server::start_own() else { return };
    let address = server.database();
    nothing_is_lost_or_made_up(&address, || {
        for round in 0..4 {
            std::thread::sleep(Duration::from_millis(500));
            server.restart(round % 2 == 1);
        }
    });
}

#[test]
fn no_number_of_a_server_that_failed_stands_for_two_states() {
    let Some(server) = Server::start_own() else { return };
    let address = server.database();
    let store = store_at(&address);
    let a = id("a");
    let before = record(&store, &a, page(1, 0)).unwrap();
    query(&address, "CREATE TABLE kept AS SELECT * FROM pagewise.conversation").unwrap();
    // A commit that the server promised and lost, as one does that followed a failed one from afar.
    let lost = record(&store, &a, page(1, 1)).unwrap();
    query(&address, "DELETE FROM pagewise.conversation; INSERT INTO pagewise.conversation SELECT * FROM kept").unwrap();
    server.restart(true);
    let after = patiently(|| record(&store, &a, page(1, 2)));
    assert_eq!((before.latest.next(), after.begun), (lost.latest, before.begun));
    assert!(after.latest > lost.latest, "{after:?}");
    let held: Vec<_> = loaded(&store, &a).pages_at(FileKey([1; 32])).map(|(page, _)| page.0).collect();
    assert_eq!(held, [0, 2]);
}

#[test]
fn a_store_that_is_away_fails_at_once_and_comes_back() {
    let Some(server) = Server::start_own() else { return };
    let address = server.database();
    let store = store_at(&address);
    record(&store, &id("a"), page(1, 0)).unwrap();
    server.stop();
    let gone = store.head(&id("a")).unwrap_err();
    assert!(matches!(&gone, StoreError::Postgres(error) if error.is_passing()), "{gone:?}");
    let next = store.head(&id("a")).unwrap_err();
    assert!(matches!(next, StoreError::Postgres(PostgresError::Outage { .. })), "{next:?}");
    // A process that begins now waits for nobody, and remembers once it can.
    let (late, away) = opened(&address).unwrap();
    assert!(away.unwrap().is_passing());
    server.start_again();
    for store in [&store, &late] {
        assert_eq!(patiently(|| store.head(&id("a"))).unwrap().sent.blocks, 1);
    }
}

/// Forwards to a server, and at a sign ends the connection in place of the next answer.
struct LossyProxy {
    port: u16,
    loses_next: Arc<AtomicBool>,
}

impl LossyProxy {
    fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, loses_next) = (listener.local_addr().unwrap().port(), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&loses_next);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { return };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || forward(from, to, &AtomicBool::new(false)));
                let flag = Arc::clone(&flag);
                std::thread::spawn(move || forward(server, client, &flag));
            }
        });
        Self { port, loses_next }
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, loses_next: &AtomicBool) {
    let mut bytes = [0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if loses_next.swap(false, Ordering::SeqCst) || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

#[test]
fn a_call_whose_answer_was_lost_counts_once() {
    let Some(server) = Server::start_own() else { return };
    let direct = server.database();
    let proxy = LossyProxy::before(server.port());
    let store = store_at(&direct.replace(&server.port().to_string(), &proxy.port.to_string()));
    let (a, b, now) = (id("a"), id("b"), SystemTime::now());
    // Every statement is prepared and every value is at hand, so that the next answer is that of the swap.
    let copies = Copies::default();
    let change = |name: &ConversationId, change| pagewise_store::change(&store, &copies, name, change, now).unwrap();
    let given = |at: u32| ConversationChange::Record(delivery(&[page(1, at)]));
    let warm = |name: &str| {
        let first = change(&id(name), given(0)).version.unwrap();
        change(&id(name), given(1));
        change(&id(name), ConversationChange::TakeBack(first, Usage::default()));
        assert!(fork(&store, &id(name), &id(&format!("{name} too")), None, now).unwrap());
    };
    warm("warm");
    let lose = || proxy.loses_next.store(true, Ordering::SeqCst);
    change(&a, given(0));
    lose();
    let second = change(&a, given(1)).version.unwrap();
    assert_eq!(second.latest.0, 2);
    assert!(!proxy.loses_next.load(Ordering::SeqCst), "an answer was lost");
    let sent = |conversation| store.head(conversation).unwrap().unwrap().sent.blocks;
    assert_eq!(sent(&a), 2);
    change(&b, given(0));
    warm("warm again");
    lose();
    let both = [(b.clone(), given(1)), (a.clone(), given(2))];
    let both = pagewise_store::change_all(&store, &copies, &both, now).unwrap();
    assert_eq!(both.iter().map(|outcome| outcome.version.unwrap().latest.0).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((sent(&a), sent(&b)), (3, 2));
    warm("warm once more");
    lose();
    change(&a, ConversationChange::TakeBack(second, delivery(&[]).sent));
    assert_eq!((sent(&a), store.head(&a).unwrap().unwrap().latest.0), (2, 4));
    warm("and again");
    lose();
    assert!(fork(&store, &a, &id("fork"), None, now).unwrap(), "it was this call that made it");
    warm("and once more");
    lose();
    assert!(store.create(&id("new"), None, now).unwrap(), "it was this call that made it");
}

/// Copies of all conversations, as a process has them at hand.
#[derive(Default)]
struct Copies(Mutex<BTreeMap<ConversationId, Arc<Conversation>>>);

impl ConversationCopies for Copies {
    fn take(&self, id: &ConversationId) -> Option<Arc<Conversation>> {
        self.0.lock().unwrap().remove(id)
    }

    fn keep(&self, id: &ConversationId, conversation: Arc<Conversation>) {
        self.0.lock().unwrap().insert(id.clone(), conversation);
    }
}

#[test]
fn a_table_that_vanished_is_made_again() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let store = store_at(&address);
    record(&store, &id("a"), page(1, 0)).unwrap();
    query(&address, "DROP SCHEMA pagewise CASCADE").unwrap();
    assert_eq!(store.head(&id("a")).unwrap(), None);
    record(&store, &id("a"), page(1, 1)).unwrap();
    assert_eq!(loaded(&store, &id("a")).holdings().count(), 1);
}

#[test]
fn a_full_disk_is_told_and_what_was_recorded_stays() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let store = store_at(&address);
    record(&store, &id("a"), page(1, 0)).unwrap();
    // As the server fails that cannot extend a table (PostgreSQL, Appendix A, class 53).
    let full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE UPDATE ON pagewise.conversation EXECUTE FUNCTION full_disk()";
    query(&address, full).unwrap();
    let refused = record(&store, &id("a"), page(1, 1)).unwrap_err().to_string();
    assert!(refused.contains("is full"), "{refused}");
    query(&address, "DROP TRIGGER full_disk ON pagewise.conversation").unwrap();
    let held = || loaded(&store, &id("a")).holdings().count();
    assert_eq!(patiently(|| store.head(&id("a"))).unwrap().sent.pages, 1);
    assert_eq!(held(), 1);
    patiently(|| store.record(&id("a"), &delivery(&[page(1, 1)]), SystemTime::now()));
    assert_eq!(held(), 2);
}

#[test]
fn a_caller_of_any_kind_may_wait_for_it() {
    let Some(server) = shared() else { return };
    let store = Arc::new(store_at(&server.database()));
    for workers in [1, 2] {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap();
        let tasks: Vec<_> = (0..20)
            .map(|at| {
                let store = Arc::clone(&store);
                runtime.spawn(async move { record(&store, &id("a"), page(1, at)).unwrap() })
            })
            .collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
    }
    assert_eq!(loaded(&*store, &id("a")).holdings().count(), 20);
}

#[test]
fn more_callers_than_connections_wait_for_each_other() {
    let Some(server) = shared() else { return };
    let address = server.database();
    let (store, _) = PostgresStore::open(address.parse().unwrap(), 2).unwrap();
    let recorded = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for caller in 0_u8..16 {
            let (store, recorded) = (&store, &recorded);
            scope.spawn(move || {
                for at in 0..10 {
                    record(store, &id(&caller.to_string()), page(caller, at)).unwrap();
                    recorded.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((recorded.into_inner(), store.pool().open), (160, 2));
    assert_eq!(store.health().unwrap().conversations, 16);
}

#[test]
fn tables_of_earlier_versions_are_migrated_with_what_they_hold() {
    let Some(server) = shared() else { return };
    for (version, tables) in [(1, ""), (2, include_str!("support/postgres_2.sql"))] {
        let address = server.database();
        query(&address, include_str!("support/postgres_1.sql")).unwrap();
        query(&address, tables).unwrap();
        query(&address, &format!("UPDATE pagewise.version SET number = {version}")).unwrap();
        let store = store_at(&address);
        let a = store.load(&id("a"), None).unwrap();
        let held: Vec<_> = a.view.holdings().map(|(holding, at)| (*holding, at.0)).collect();
        let followed = Holding { what: HeldItem::Followed, ..page(2, 0) };
        assert_eq!(
            held,
            [(page(1, 0), 1), (page(1, 1), 4), (followed, 2)],
            "rows of a dropped conversation are not its"
        );
        assert_eq!((a.head.begun, a.head.latest.0 % 1_024, a.head.forgotten.0), (70, 4, 3));
        assert_eq!((a.head.created.0, a.head.used.0, a.head.sent.tokens), (1_000, 2_000, 13));
        assert_eq!((a.names.len(), a.page_counts.len()), (1, 1));
        let steps: Vec<_> = a.history.steps.iter().map(|step| (step.at.0, step.kind)).collect();
        let expected = [(3, StepKind::Forget), (4, StepKind::Delivery)];
        assert_eq!(steps, if version == 1 { &[][..] } else { &expected });
        let forgotten = a.history.forgotten_pages(FileKey([2; 32])).map(ToString::to_string);
        assert_eq!(forgotten, (version == 2).then(|| "6".to_owned()));
        store.forget(&id("a"), &ForgetScope::Everything, SystemTime::now()).unwrap();
        assert!(loaded(&store, &id("a")).is_empty());
    }
}

/// What opening an address is refused with; no secret may stand in it.
fn refusal(address: &str) -> String {
    let error = opened(address).map(|(_, away)| away.unwrap()).unwrap_or_else(|error| error);
    let told = format!("{error} {error:?}");
    assert!(!told.contains("s3cret"), "{told}");
    error.to_string()
}

/// The text without what differs from run to run.
fn settled(text: &str, server: &Server) -> String {
    text.replace(&server.port().to_string(), "PORT").replace(&server.folder().display().to_string(), "FOLDER")
}

#[test]
fn what_is_wrong_with_a_database_is_said() {
    let Some(server) = Server::start_own() else { return };
    let port = server.port();
    server.run(
        "postgres",
        "CREATE ROLE guest LOGIN PASSWORD 'right'; CREATE ROLE poor LOGIN; CREATE ROLE single LOGIN CONNECTION LIMIT 0",
    );
    server.configure("pg_hba.conf", "host all guest 127.0.0.1/32 scram-sha-256\nhost all stranger 127.0.0.1/32 reject");
    let prepared = |statements: &str| {
        let address = server.database();
        query(&address, statements).unwrap();
        address
    };
    server.run("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    let late = prepared("SELECT 1");
    drop(store_at(&late));
    query(&late, "UPDATE pagewise.version SET number = 99").unwrap();
    let half = prepared("SELECT 1");
    drop(store_at(&half));
    query(&half, "ALTER TABLE pagewise.conversation DROP COLUMN body").unwrap();
    let read_only = prepared("SELECT 1");
    drop(store_at(&read_only));
    let name = read_only.rsplit('/').next().unwrap();
    query(&read_only, &format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).unwrap();
    let addresses = [
        "postgres://owner:s3cret@127.0.0.1:1/postgres".to_owned(),
        format!("postgres://guest:s3cret@127.0.0.1:{port}/postgres"),
        format!("postgres://guest@127.0.0.1:{port}/postgres"),
        format!("postgres://stranger:s3cret@127.0.0.1:{port}/postgres"),
        format!("postgres://owner:s3cret@127.0.0.1:{port}/nowhere"),
        format!("postgres://poor@127.0.0.1:{port}/postgres"),
        format!("postgres://single@127.0.0.1:{port}/postgres"),
        server.address("latin"),
        prepared("CREATE SCHEMA pagewise; CREATE TABLE pagewise.conversation (id int)"),
        prepared("CREATE SCHEMA pagewise; CREATE TABLE pagewise.version (word text)"),
        late,
        half,
        read_only,
        format!("postgres://owner@127.0.0.1:{port}/postgres?sslmode=require"),
        format!("postgres://owner@127.0.0.1:{port}/postgres?sslmode=verify-full&sslrootcert=/nowhere.pem"),
    ];
    let told: Vec<_> = addresses.iter().map(|address| settled(&refusal(address), &server)).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    no database answers at 127.0.0.1:1: Connection refused (os error 111)
    the database at 127.0.0.1:PORT refused the password of user 'guest'
    the database at 127.0.0.1:PORT asks for a password: put it into PGPASSWORD or a password file
    the database at 127.0.0.1:PORT refuses this way of signing in: pg_hba.conf rejects connection for host "127.0.0.1", user "stranger", database "postgres", no encryption
    there is no database 'nowhere' at 127.0.0.1:PORT: createdb nowhere
    user 'poor' lacks a privilege in the database: permission denied for database postgres; as the database's owner: CREATE SCHEMA IF NOT EXISTS pagewise AUTHORIZATION "poor"
    the database at 127.0.0.1:PORT has no connection left: raise its max_connections, or lower 'store_connections'
    the database has encoding LATIN1, and must have UTF8: createdb --encoding=UTF8 --template=template0
    schema 'pagewise' of the database is not as this program made it (there is a table 'conversation', and none that says its version); rename it, or name another database
    schema 'pagewise' of the database is not as this program made it (column "number" does not exist); rename it, or name another database
    the database has schema 99, and this program knows 5: use a later version of it
    schema 'pagewise' of the database is not as this program made it (column c.body does not exist); rename it, or name another database
    the database at 127.0.0.1:PORT cannot be written; name its primary, or all servers and target_session_attrs=read-write
    the database at 127.0.0.1:PORT offers no TLS, which sslmode=require needs
    the certificates of authorities cannot be read (sslrootcert=/nowhere.pem): I/O error: No such file or directory (os error 2)
    "#);
    let nowhere = refusal("postgres://owner:s3cret@nowhere.invalid/postgres");
    assert!(nowhere.starts_with("no database answers at nowhere.invalid:5432: "), "{nowhere}");
}

/// An authority, and a server's certificate of it for a name: certificate of the authority, the server's, its key.
fn certificates(name: &str) -> [String; 3] {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    [authority.pem(), certificate.pem(), key.serialize_pem()]
}

#[test]
fn tls_is_what_its_mode_says() {
    let Some(server) = Server::start_own() else { return };
    let [authority, certificate, key] = certificates("localhost");
    let [other_authority, ..] = certificates("localhost");
    server.hand_over("server.crt", &certificate);
    server.hand_over("server.key", &key);
    server.configure("postgresql.conf", "ssl = on");
    let files = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (ours, others, garbage) = (file("ours", &authority), file("others", &other_authority), file("garbage", "x"));
    let database = server.database().rsplit('/').next().unwrap().to_owned();
    let port = server.port();
    let outcome = |host: &str, parameters: String| {
        let address = format!("postgres://owner:s3cret@{host}:{port}/{database}?{parameters}");
        match opened(&address) {
            Ok((store, None)) => {
                store.inspect().unwrap().server.unwrap().tls.map_or("without TLS", |_| "TLS").to_owned()
            }
            _ => settled(&refusal(&address), &server).replace(&files.path().display().to_string(), "FILES"),
        }
    };
    let told = [
        outcome("127.0.0.1", "sslmode=disable".to_owned()),
        outcome("127.0.0.1", "sslmode=prefer".to_owned()),
        outcome("127.0.0.1", "sslmode=require".to_owned()),
        outcome("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={ours}")),
        outcome("127.0.0.1", format!("sslmode=verify-full&sslrootcert={ours}")),
        outcome("localhost", format!("sslmode=verify-full&sslrootcert={ours}")),
        outcome("localhost", format!("sslmode=verify-full&sslrootcert={others}")),
        outcome("localhost", format!("sslmode=require&sslrootcert={others}")),
        outcome("localhost", "sslmode=verify-full".to_owned()),
        outcome("localhost", format!("sslmode=verify-full&sslrootcert={garbage}")),
    ];
    insta::assert_snapshot!(told.join("\n"), @r#"
    without TLS
    TLS
    TLS
    TLS
    the certificate of the database at 127.0.0.1:PORT is not valid for sslmode=verify-full: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("localhost")
    TLS
    the certificate of the database at localhost:PORT is not valid for sslmode=verify-full: BadSignature
    the certificate of the database at localhost:PORT is not valid for sslmode=require: BadSignature
    the certificate of the database at localhost:PORT is not valid for sslmode=verify-full: UnknownIssuer
    the certificates of authorities cannot be read (sslrootcert=FILES/garbage): no root trust anchors were provided
    "#);
    let socket =
        format!("postgres:///{database}?host={}&port={port}&user=owner&sslmode=require", server.folder().display());
    assert_eq!(store_at(&socket).inspect().unwrap().server.unwrap().tls, None, "there is none on a Unix socket");
}
