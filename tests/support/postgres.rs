//! A PostgreSQL server for tests: one that they start and end themselves, or the one that a variable names.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// Names a server in whose place tests start none: the address of a database whose user may make databases.
const VARIABLE: &str = "PAGEWISE_TEST_POSTGRES";

/// Who runs the server where the tests run as root, which it refuses: nobody.
const NOBODY: u32 = 65_534;

/// A server.
pub(crate) struct Server {
    /// An address up to the name of a database.
    base: String,
    own: Option<OwnServer>,
}

/// A server that ends with the tests, however they end.
struct OwnServer {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    /// Waits for the end of its input, and then ends the server.
    _keeper: Child,
}

/// The server that all tests share, or `None`, loudly, where there is none.
pub(crate) fn shared() -> Option<&'static Server> {
    static SHARED: OnceLock<Option<Server>> = OnceLock::new();
    SHARED.get_or_init(Server::start).as_ref()
}

impl Server {
    /// A server of a test's own, which it may end.
    pub(crate) fn start_own() -> Option<Self> {
        // Data outlives the server, which is all that tests end.
        Self::start_with("fsync = off\nfull_page_writes = off")
    }

    /// A server that waits for the disk, to be timed.
    #[allow(dead_code, reason = "a benchmark's alone")]
    pub(crate) fn start_durable() -> Option<Self> {
        Self::start_with("")
    }

    fn start_with(settings: &str) -> Option<Self> {
        let own = OwnServer::start(settings)?;
        Some(Self { base: own.base(), own: Some(own) })
    }

    fn start() -> Option<Self> {
        if let Ok(address) = std::env::var(VARIABLE) {
            let base = address.rsplit_once('/').unwrap().0.to_owned();
            return Some(Self { base: format!("{base}/"), own: None });
        }
        Self::start_own()
    }

    /// The address of a new, empty database.
    pub(crate) fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        self.run("postgres", &format!("CREATE DATABASE {name}"));
        self.address(&name)
    }

    /// The address of a database.
    pub(crate) fn address(&self, database: &str) -> String {
        format!("{}{database}", self.base)
    }

    /// Runs statements in a database; the first column of what they give.
    pub(crate) fn run(&self, database: &str, statements: &str) -> Vec<String> {
        query(&self.address(database), statements).unwrap()
    }

    /// Ends every connection to a database but the one that says so.
    pub(crate) fn end_connections(&self, database: &str) {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = ";
        self.run("postgres", &format!("{end}'{database}'"));
    }

    /// Ends the server, as by a crash where `is_crash`, and starts it again.
    pub(crate) fn restart(&self, is_crash: bool) {
        let own = self.own.as_ref().unwrap();
        own.control(&["restart", "-m", if is_crash { "immediate" } else { "fast" }]);
    }

    /// Ends the server.
    pub(crate) fn stop(&self) {
        self.own.as_ref().unwrap().control(&["stop", "-m", "fast"]);
    }

    /// Starts a server that was ended.
    pub(crate) fn start_again(&self) {
        self.own.as_ref().unwrap().control(&["start"]);
    }

    /// The folder of its socket and settings.
    pub(crate) fn folder(&self) -> &Path {
        self.own.as_ref().unwrap().folder.path()
    }

    /// Its port on loopback.
    pub(crate) fn port(&self) -> u16 {
        self.own.as_ref().unwrap().port
    }

    /// Adds lines to a file of its settings, and has it read them.
    pub(crate) fn configure(&self, file: &str, lines: &str) {
        let path = self.folder().join("data").join(file);
        let before = std::fs::read_to_string(&path).unwrap();
        // The first line of `pg_hba.conf` that fits counts, and the last of `postgresql.conf`.
        let text = if file == "pg_hba.conf" { format!("{lines}\n{before}") } else { format!("{before}\n{lines}\n") };
        std::fs::write(&path, text).unwrap();
        self.own.as_ref().unwrap().control(&["reload"]);
    }

    /// Gives a file to whom the server runs as, and to nobody else.
    pub(crate) fn hand_over(&self, name: &str, content: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.folder().join("data").join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        give_away(&path);
    }
}

/// Runs statements; the first column of what they give, or the error's SQLSTATE.
pub(crate) fn query(address: &str, statements: &str) -> Result<Vec<String>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let failed =
        |error: tokio_postgres::Error| error.code().map_or_else(|| error.to_string(), |code| code.code().to_owned());
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await.map_err(failed)?;
        let talk = tokio::spawn(connection);
        let answers = client.simple_query(statements).await.map_err(failed)?;
        drop(client);
        drop(talk.await);
        let first = |answer| match answer {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        };
        Ok(answers.into_iter().filter_map(first).collect())
    })
}

impl OwnServer {
    fn start(settings: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            let line =
                "SKIPPED: nothing was tried on PostgreSQL, for want of initdb; PAGEWISE_TEST_POSTGRES names a server\n";
            // Past the harness, which shows nothing of tests that pass.
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        };
        let folder = TempDir::with_prefix("pagewise-postgres-").unwrap();
        give_away(folder.path());
        let data = folder.path().join("data");
        let data = data.to_str().unwrap();
        let initdb = ["-D", data, "-U", "owner", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"];
        succeed(program(&programs, "initdb", folder.path()).args(initdb));
        let port = free_port();
        let socket = folder.path().display();
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = '{socket}'\n\
             max_connections = 200\n{settings}\n"
        );
        std::fs::write(folder.path().join("data/postgresql.auto.conf"), settings).unwrap();
        give_away(&folder.path().join("data/postgresql.auto.conf"));
        let end = "read line; \"$1\" -D \"$2\" -m immediate stop >/dev/null 2>&1; rm -rf \"$3\"";
        let keeper = unprivileged(Command::new("/bin/sh").args(["-c", end, "sh"]).arg(programs.join("pg_ctl")))
            .arg(data)
            .arg(folder.path())
            .current_dir("/")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let own = Self { folder, programs, port, _keeper: keeper };
        own.control(&["start"]);
        Some(own)
    }

    fn base(&self) -> String {
        format!("postgres://owner@127.0.0.1:{}/", self.port)
    }

    fn control(&self, arguments: &[&str]) {
        let [data, log] = ["data", "log"].map(|name| self.folder.path().join(name));
        let mut command = program(&self.programs, "pg_ctl", self.folder.path());
        succeed(command.arg("-D").arg(data).arg("-l").arg(log).args(["-w", "-s"]).args(arguments));
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        self.control(&["stop", "-m", "immediate"]);
    }
}

/// Where the server's programs are: on the path, or where Debian has them.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().rfind(|folder| ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).is_file()))
}

fn program(programs: &Path, name: &str, folder: &Path) -> Command {
    let mut command = Command::new(programs.join(name));
    unprivileged(&mut command).current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
    command
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn unprivileged(command: &mut Command) -> &mut Command {
    if is_root() { command.uid(NOBODY).gid(NOBODY) } else { command }
}

fn give_away(path: &Path) {
    if is_root() {
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

fn succeed(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
