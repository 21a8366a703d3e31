//! Servers that share one store, behind a balancer: some are killed, ended one by one as in an upgrade, and cut off, while
//! clients of both eras of the protocol go on. On PostgreSQL, the database has its troubles too.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed test may stop where it stands"
)]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{scope, sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::http::{Server, read_response, stateless_message};
#[cfg(feature = "postgres")]
use crate::support::postgres;
use crate::support::program::{Place, kinds, texts};

const SERVERS: usize = 3;
const CLIENTS: usize = 4;

/// Names how many calls the clients make together, where it is not [`CALLS`].
const CALLS_VARIABLE: &str = "PAGEWISE_TEST_CLUSTER_CALLS";
const CALLS: usize = 200;

/// How long the clients are waited for between two troubles.
const CALM: Duration = Duration::from_secs(60);

/// How long a client waits before it makes a failed call once more, after the trouble.
const PAUSE: Duration = Duration::from_secs(1);

/// How long the store is out of reach.
const OUTAGE: Duration = Duration::from_millis(300);

/// What an answer says whose server could not reach the store.
const WITHOUT_MEMORY: &str = "The memory of this conversation cannot be read";

/// Passes connections on to whichever server takes them, one after the other.
#[derive(Clone, Default)]
struct Balancer {
    address: String,
    servers: Arc<Mutex<Vec<String>>>,
    open: Arc<Mutex<BTreeMap<usize, [TcpStream; 2]>>>,
    next: Arc<AtomicUsize>,
    /// Whether a server is told that its client has ended. A connection that is cut off has to be reset instead.
    tells_end: bool,
    /// Calls that each client has finished.
    finished: Arc<[AtomicUsize; CLIENTS]>,
    /// Held while there is trouble.
    trouble: Arc<Mutex<()>>,
}

impl Balancer {
    fn start(servers: Vec<String>) -> Self {
        Self::started(Self { servers: Arc::new(Mutex::new(servers)), ..Self::default() })
    }

    /// A network before one server.
    #[cfg(feature = "postgres")]
    fn network(server: String) -> Self {
        Self::started(Self { servers: Arc::new(Mutex::new(vec![server])), tells_end: true, ..Self::default() })
    }

    fn started(balancer: Self) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let balancer = Self { address, ..balancer };
        let accepting = balancer.clone();
        spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let balancer = accepting.clone();
                spawn(move || balancer.pass(client));
            }
        });
        balancer
    }

    fn pass(&self, client: TcpStream) -> Option<()> {
        let servers = self.servers.lock().unwrap().clone();
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        // Nobody is behind it during a partition.
        let _ = servers.first()?;
        let ordered = (0..servers.len()).map(|at| &servers[(first + at) % servers.len()]);
        let server = ordered.into_iter().find_map(|address| TcpStream::connect(address).ok())?;
        self.open.lock().unwrap().insert(first, [client.try_clone().ok()?, server.try_clone().ok()?]);
        let (mut from, mut to) = (client.try_clone().ok()?, server.try_clone().ok()?);
        let tells_end = self.tells_end;
        let asking = spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            if tells_end {
                let _ = to.shutdown(Shutdown::Write);
            }
        });
        let (mut from, mut to) = (server, client);
        if io::copy(&mut from, &mut to).is_err() {
            reset(&from);
        }
        let _ = to.shutdown(Shutdown::Both);
        self.open.lock().unwrap().remove(&first);
        asking.join().ok()
    }

    /// Breaks all connections off, as a network does that comes apart.
    fn cut(&self) {
        for stream in std::mem::take(&mut *self.open.lock().unwrap()).into_values().flatten() {
            reset(&stream);
            // Wakes who reads; nothing of it is sent.
            let _ = stream.shutdown(Shutdown::Read);
        }
    }

    /// Waits until each client has finished two calls: one that the last trouble may have hit, and one after it.
    fn wait_for_calm(&self) {
        let counts = || self.finished.each_ref().map(|count| count.load(Ordering::SeqCst));
        let (before, end) = (counts(), Instant::now() + CALM);
        let is_calm = || counts().iter().zip(before).all(|(now, before)| *now >= before + 2);
        while !is_calm() && Instant::now() < end {
            sleep(Duration::from_millis(20));
        }
    }

    /// Calls that all clients have finished.
    fn calls(&self) -> usize {
        self.finished.iter().map(|count| count.load(Ordering::SeqCst)).sum()
    }

    fn replace(&self, at: usize, address: &str) {
        self.servers.lock().unwrap()[at] = address.to_owned();
    }
}

/// Has a connection reset when it is closed: what it holds is not delivered.
fn reset(stream: &TcpStream) {
    let _ = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
}

/// A client of one conversation, and what it was given.
struct Client<'a> {
    balancer: &'a Balancer,
    number: usize,
    /// Of the older protocols; the newest has none.
    session: Option<String>,
    conversation: String,
    pages: BTreeSet<u64>,
    /// Pages that the servers said are held.
    confirmed: BTreeSet<u64>,
    faults: Vec<String>,
    next_id: Cell<u64>,
}

impl<'a> Client<'a> {
    fn start(balancer: &'a Balancer, number: usize, has_session: bool) -> Self {
        let (pages, confirmed, faults) = <_>::default();
        let (session, conversation, next_id) = (None, String::new(), Cell::new(1));
        let mut client = Self { balancer, number, session, conversation, pages, confirmed, faults, next_id };
        if has_session {
            let parameters = json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "opencode", "version": "1" },
            });
            let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters });
            let opened = client.twice(|client| client.exchange(&hello, &[])).unwrap();
            client.session = opened.0;
        }
        let summary = client.call("get_file", json!({ "filePath": "latex.pdf" })).unwrap();
        let text = texts(&summary).join("\n");
        let (_, handle) = text.split_once("conv_").unwrap_or_else(|| panic!("{text}"));
        client.conversation = format!("conv_{}", &handle[..32]);
        client
    }

    /// One request and its response: the session that it opened, and the message; or why it failed.
    fn exchange(&self, message: &Value, headers: &[(&str, String)]) -> Result<(Option<String>, Value), String> {
        let said = |error: io::Error| error.to_string();
        let body = message.to_string();
        let head = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
        let length = body.len();
        let mut stream = TcpStream::connect(&self.balancer.address).map_err(said)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(said)?;
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).map_err(said)?;
        let began = Instant::now();
        let no_response = || format!("no response after {:?}", began.elapsed());
        let response = read_response(&mut BufReader::new(stream)).ok_or_else(no_response)?;
        let session = response.header("mcp-session-id").map(str::to_owned);
        let is_done = |message: &Value| message["result"].is_object() && message["result"]["isError"] != json!(true);
        let message = response.json().filter(is_done);
        message.map(|message| (session, message)).ok_or_else(|| format!("{}: {}", response.status, response.text()))
    }

    /// A call that failed is made once more.
    fn twice<T>(&self, call: impl Fn(&Self) -> Result<T, String>) -> Result<T, String> {
        call(self).or_else(|first| {
            drop(self.balancer.trouble.lock());
            sleep(PAUSE);
            call(self).map_err(|second| format!("{first}; then {second}"))
        })
    }

    fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let parameters = json!({ "name": tool, "arguments": arguments });
        let answer = self.twice(|client| {
            let (message, headers) = client.request(parameters.clone());
            client.exchange(&message, &headers)
        });
        self.balancer.finished[self.number].fetch_add(1, Ordering::SeqCst);
        answer.map(|(_, message)| message["result"].clone())
    }

    /// A call, each with an id of its own (Base Protocol, Requests), and the headers that go with it.
    fn request(&self, parameters: Value) -> (Value, Vec<(&'static str, String)>) {
        let Some(session) = &self.session else { return stateless_message("opencode", "tools/call", parameters) };
        let id = self.next_id.replace(self.next_id.get() + 1);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters });
        let version = ("MCP-Protocol-Version", "2025-11-25".to_owned());
        (message, vec![("Mcp-Session-Id", session.clone()), version])
    }

    fn read(&mut self, page: u64) {
        let arguments =
            json!({ "filePath": "latex.pdf", "pages": page.to_string(), "conversation": self.conversation });
        let answer = match self.call("get_file", arguments) {
            Ok(answer) => answer,
            Err(why) => return self.faults.push(format!("page {page}: the call failed twice: {why}")),
        };
        let is_given = kinds(&answer).contains(&"resource");
        let knows_marks = !texts(&answer).join("\n").contains(WITHOUT_MEMORY);
        if is_given && knows_marks && self.confirmed.contains(&page) {
            self.faults.push(format!("page {page}: its mark was lost"));
        }
        if !is_given && !self.pages.contains(&page) {
            self.faults.push(format!("page {page} is withheld and was not given: {answer}"));
        }
        self.pages.insert(page);
        self.confirm();
    }

    fn confirm(&mut self) {
        let status = match self.call("context_status", json!({ "conversation": self.conversation })) {
            Ok(status) => status,
            Err(why) => return self.faults.push(format!("the status failed twice: {why}")),
        };
        let held = status["structuredContent"]["files"][0]["pages"]["document"].as_str().unwrap_or_default();
        let held = held.split(',').filter(|span| !span.is_empty()).flat_map(|span| {
            let (first, last) = span.split_once('-').unwrap_or((span, span));
            first.parse::<u64>().unwrap()..=last.parse::<u64>().unwrap()
        });
        self.confirmed = held.collect();
        let made_up = self.confirmed.difference(&self.pages).collect::<Vec<_>>();
        if !made_up.is_empty() {
            self.faults.push(format!("pages {made_up:?} are held and were not given"));
        }
    }

    fn forget(&mut self) {
        if let Err(why) = self.call("context_forget", json!({ "conversation": self.conversation })) {
            self.faults.push(format!("the forgetting failed twice: {why}"));
        }
        self.pages.clear();
        self.confirmed.clear();
    }
}

/// Reads pages in an order of its own, and forgets now and then, until `is_over`; what went wrong.
fn reader(balancer: &Balancer, number: usize, is_over: &AtomicBool) -> Vec<String> {
    let mut client = Client::start(balancer, number, number.is_multiple_of(2));
    for call in 0_u64.. {
        client.read((call * 5 + number as u64 * 3) % 8 + 1);
        if call % 10 == 9 {
            client.forget();
        }
        if is_over.load(Ordering::SeqCst) {
            break;
        }
    }
    client.faults
}

/// What happens to servers that share a store.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    Kill,
    CutOff,
    Upgrade,
    RestartDatabase,
    CrashDatabase,
    EndConnections,
    UseUpConnections,
    PartFromDatabase,
}

const OF_SERVERS: [Trouble; 3] = [Trouble::Kill, Trouble::CutOff, Trouble::Upgrade];

/// Servers of one store, and the balancer before them.
struct Cluster<'a> {
    place: &'a Place,
    database: Option<&'a Database>,
    balancer: Balancer,
    servers: Vec<Option<Server>>,
}

impl<'a> Cluster<'a> {
    /// Starts all servers at once, on a store that is not there yet.
    fn start(place: &'a Place, database: Option<&'a Database>) -> Self {
        let servers: Vec<_> = scope(|scope| {
            let starting = [(); SERVERS].map(|()| scope.spawn(|| start(place, database)));
            starting.into_iter().map(|server| Some(server.join().unwrap())).collect()
        });
        let addresses = servers.iter().flatten().map(|server| server.address.clone()).collect();
        Self { place, database, balancer: Balancer::start(addresses), servers }
    }

    fn trouble(&mut self, trouble: Trouble, at: usize) {
        match trouble {
            Trouble::Kill => {
                drop(self.servers[at].take());
                self.replace(at);
            }
            Trouble::CutOff => self.balancer.cut(),
            Trouble::Upgrade => {
                let ended = self.servers[at].take().unwrap();
                let other = self.balancer.servers.lock().unwrap()[(at + 1) % SERVERS].clone();
                // No further connections first.
                self.balancer.replace(at, &other);
                ended.terminate();
                assert_eq!(ended.ended().0, 0);
                self.replace(at);
            }
            of_database => self.database.unwrap().trouble(of_database),
        }
    }

    fn replace(&mut self, at: usize) {
        let server = start(self.place, self.database);
        self.balancer.replace(at, &server.address);
        self.servers[at] = Some(server);
    }
}

fn start(place: &Place, database: Option<&Database>) -> Server {
    let store = database.map(Database::setting);
    let flags = store.iter().flat_map(|store| ["--set", store.as_str()]).collect::<Vec<_>>();
    Server::start(place, &flags)
}

/// A PostgreSQL server, reached over a network that can come apart.
#[cfg(feature = "postgres")]
struct Database {
    server: postgres::Server,
    name: String,
    network: Balancer,
}

#[cfg(feature = "postgres")]
impl Database {
    fn start() -> Option<Self> {
        let server = postgres::Server::start_own()?;
        let name = server.database().rsplit('/').next().unwrap().to_owned();
        server.run("postgres", &format!("CREATE ROLE replica LOGIN; GRANT CREATE ON DATABASE {name} TO replica"));
        let network = Balancer::network(format!("127.0.0.1:{}", server.port()));
        Some(Self { server, name, network })
    }

    fn setting(&self) -> String {
        format!("store=postgres://replica@{}/{}", self.network.address, self.name)
    }

    fn trouble(&self, trouble: Trouble) {
        match trouble {
            Trouble::EndConnections => self.server.end_connections(&self.name),
            Trouble::UseUpConnections => {
                self.server.run("postgres", "ALTER ROLE replica CONNECTION LIMIT 0");
                self.server.end_connections(&self.name);
                sleep(OUTAGE);
                self.server.run("postgres", "ALTER ROLE replica CONNECTION LIMIT -1");
            }
            Trouble::PartFromDatabase => {
                let servers = std::mem::take(&mut *self.network.servers.lock().unwrap());
                self.network.cut();
                sleep(OUTAGE);
                *self.network.servers.lock().unwrap() = servers;
            }
            Trouble::RestartDatabase => self.server.restart(false),
            Trouble::CrashDatabase => self.server.restart(true),
            Trouble::Kill | Trouble::CutOff | Trouble::Upgrade => unreachable!("a trouble of servers"),
        }
    }
}

/// There is none in a build without PostgreSQL.
#[cfg(not(feature = "postgres"))]
enum Database {}

#[cfg(not(feature = "postgres"))]
impl Database {
    fn setting(&self) -> String {
        match *self {}
    }

    fn trouble(&self, _trouble: Trouble) {
        match *self {}
    }
}

/// Has clients read while one trouble follows the other, at each server in turn; what went wrong.
fn faults_under(troubles: &[Trouble], database: Option<&Database>) -> Vec<String> {
    let most = std::env::var(CALLS_VARIABLE).map_or(CALLS, |calls| calls.parse().unwrap());
    let place = Place::new();
    place.copied("latex.pdf");
    let mut cluster = Cluster::start(&place, database);
    let balancer = cluster.balancer.clone();
    let is_over = AtomicBool::new(false);
    scope(|scope| {
        let (balancer, is_over) = (&balancer, &is_over);
        let readers = (0..CLIENTS).map(|number| scope.spawn(move || reader(balancer, number, is_over)));
        let readers = readers.collect::<Vec<_>>();
        let rounds = (0..SERVERS).flat_map(|at| troubles.iter().map(move |trouble| (*trouble, at)));
        // A trouble that fails is told of when the readers have ended.
        let troubled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for (round, (trouble, at)) in rounds.cycle().enumerate() {
                balancer.wait_for_calm();
                if round >= troubles.len() * SERVERS && balancer.calls() >= most {
                    break;
                }
                let _trouble = balancer.trouble.lock();
                cluster.trouble(trouble, at);
            }
        }));
        is_over.store(true, Ordering::SeqCst);
        let faults = readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect();
        assert!(troubled.is_ok(), "{faults:?}");
        faults
    })
}

#[test]
fn conversations_and_sessions_go_on_while_servers_come_and_go() {
    assert_eq!(faults_under(&OF_SERVERS, None), Vec::<String>::new());
}

#[cfg(feature = "postgres")]
#[test]
fn conversations_and_sessions_go_on_while_the_database_they_share_has_troubles() {
    let Some(database) = Database::start() else { return };
    let of_database = [
        Trouble::RestartDatabase,
        Trouble::EndConnections,
        Trouble::CrashDatabase,
        Trouble::UseUpConnections,
        Trouble::PartFromDatabase,
    ];
    let troubles = [&OF_SERVERS[..], &of_database].concat();
    assert_eq!(faults_under(&troubles, Some(&database)), Vec::<String>::new());
}
