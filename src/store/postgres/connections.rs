//! Connections to the database, and threads of their own that speak on them.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, QueueMode, RecyclingMethod, TimeoutType,
};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{ChannelBinding as Binding, SslMode, TargetSessionAttrs};
use tokio_postgres::{Config, Error};

use super::address::{ChannelBinding, Host, PostgresAddress, SessionTarget, TlsMode};
use super::clock::DatabaseClock;
use super::error::{AwaitedStep, PostgresError};
use super::error_mapping::{connection_error, statement_error};
use super::{schema, tls};
use crate::store::PoolUsage;

/// Time for one statement, at the server. Longer than any takes that waits for no other.
pub(super) const MAX_STATEMENT: Duration = Duration::from_secs(2);

/// Time for one statement that looks at every row there is.
pub(super) const MAX_LONG_STATEMENT: Duration = Duration::from_secs(60);

/// What the way there and back may take besides.
const MAX_TRANSIT: Duration = Duration::from_secs(1);

/// Time for a new connection, where the address says none.
const MAX_CONNECT: Duration = Duration::from_secs(3);

/// How long a call waits for a connection that others use.
const MAX_POOL_WAIT: Duration = Duration::from_secs(2);

/// How long a call tries to connect to a server that is starting, or has no connection left.
const MAX_RESTART_WAIT: Duration = Duration::from_secs(2);
const RESTART_PAUSE: Duration = Duration::from_millis(50);

/// How long nobody asks a server that failed a call.
const OUTAGE: Duration = Duration::from_secs(1);

/// Unacknowledged bytes end a connection after this time: a firewall that forgot it says nothing.
const MAX_UNACKNOWLEDGED: Duration = Duration::from_secs(2);

/// Connections without use are replaced after this time: firewalls forget them a little later.
const MAX_IDLE: Duration = Duration::from_secs(180);
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Threads that speak on the connections; the work is the server's.
const THREADS: usize = 1;

/// A call with all that it needs. What fails for want of a connection is run again on another, once.
pub(super) trait Operation: Send + Sync + 'static {
    /// What it gives.
    type Output: Send + 'static;

    /// Whether it may look at every row there is.
    const IS_LONG: bool = false;

    /// `is_repeat`: it was run before, and whether that came to an end is not known.
    fn run(&self, client: &mut Client, is_repeat: bool) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// The connections of one store.
pub(super) struct Connections {
    shared: Arc<ConnectionState>,
    /// `None` once it was dropped.
    runtime: Option<Runtime>,
}

struct ConnectionState {
    address: PostgresAddress,
    pool: Pool,
    clock: Arc<DatabaseClock>,
    /// Whether the tables are known to be this program's.
    has_schema: AtomicBool,
    migration: tokio::sync::Mutex<()>,
    /// Until when nobody asks.
    outage: Mutex<Option<Instant>>,
}

impl Connections {
    /// Connections that are made when they are needed.
    pub(super) fn new(address: PostgresAddress, max_connections: usize) -> Result<Self, PostgresError> {
        let clock = Arc::new(DatabaseClock::default());
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("pagewise-postgres")
            .enable_all()
            .build()
            .map_err(|source| PostgresError::Start { source })?;
        let pool = pool(&address, max_connections, clock.clone())?;
        let shared = ConnectionState {
            address,
            pool,
            clock,
            has_schema: AtomicBool::new(false),
            migration: tokio::sync::Mutex::default(),
            outage: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared), runtime: Some(runtime) })
    }

    /// The address.
    pub(super) fn address(&self) -> &PostgresAddress {
        &self.shared.address
    }

    /// How far the database's clock is from this one.
    pub(super) fn clock(&self) -> &Arc<DatabaseClock> {
        &self.shared.clock
    }

    /// Connections in use, idle, and at most.
    pub(super) fn usage(&self) -> PoolUsage {
        let status = self.shared.pool.status();
        PoolUsage { open: status.size, idle: status.available, waiting: status.waiting, max: status.max_size }
    }

    /// Runs a call, and blocks until it is done. From whatever thread: that of another runtime only waits.
    pub(super) fn run<O: Operation>(&self, operation: O) -> Result<O::Output, PostgresError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let shared = self.shared.clone();
        let ended = || PostgresError::Lost { place: self.address().place() };
        let runtime = self.runtime.as_ref().ok_or_else(ended)?;
        runtime.spawn(async move {
            // Nobody waits any more where this fails.
            let _ = sender.send(shared.perform(&operation).await);
        });
        receiver.recv().map_err(|_| ended())?
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl ConnectionState {
    async fn perform<O: Operation>(&self, operation: &O) -> Result<O::Output, PostgresError> {
        self.check_outage()?;
        let failure = match self.attempt(operation, false).await {
            Err(failure) if is_worth_repeating(&failure) => {
                self.discard(&failure);
                match self.attempt(operation, true).await {
                    Err(failure) => failure,
                    done => return done,
                }
            }
            Err(failure) => failure,
            done => return done,
        };
        self.discard(&failure);
        if failure.is_passing() {
            *self.outage() = Some(Instant::now() + OUTAGE);
        }
        Err(failure)
    }

    fn outage(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One call finds out whether the outage is over; the others need not wait for it.
    fn check_outage(&self) -> Result<(), PostgresError> {
        let mut outage = self.outage();
        match *outage {
            Some(until) if Instant::now() < until => Err(PostgresError::Outage { place: self.address.place() }),
            Some(_) => {
                *outage = Some(Instant::now() + OUTAGE);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Drops what a failure says is of no use any more.
    fn discard(&self, failure: &PostgresError) {
        if matches!(failure, PostgresError::Foreign { .. }) {
            self.has_schema.store(false, Ordering::Relaxed);
        }
        // A server that ended one connection has ended them all.
        self.pool.retain(|_, _| false);
    }

    async fn attempt<O: Operation>(&self, operation: &O, is_repeat: bool) -> Result<O::Output, PostgresError> {
        let mut lease = ConnectionLease::new(self.client().await?);
        let asked = |error: Error| statement_error(&self.address, &error);
        let Some(client) = lease.client.as_mut() else { return Err(self.lost()) };
        if !self.has_schema.load(Ordering::Relaxed) {
            self.ensure_schema(client).await?;
        }
        let limit = MAX_TRANSIT + if O::IS_LONG { MAX_LONG_STATEMENT } else { MAX_STATEMENT };
        let answer = tokio::time::timeout(limit, operation.run(client, is_repeat)).await;
        let late = |_| PostgresError::TimedOut { place: self.address.place(), what: AwaitedStep::Answer, limit };
        let output = answer.map_err(late)?.map_err(asked)?;
        lease.is_sound = true;
        *self.outage() = None;
        Ok(output)
    }

    /// Makes the tables once, whoever of this process comes first.
    async fn ensure_schema(&self, client: &mut Client) -> Result<(), PostgresError> {
        let _turn = self.migration.lock().await;
        if !self.has_schema.load(Ordering::Relaxed) {
            schema::ensure(client, &self.address).await?;
            self.has_schema.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A connection; a server that is starting, or has none left for the moment, is asked again.
    async fn client(&self) -> Result<Client, PostgresError> {
        let until = Instant::now() + MAX_RESTART_WAIT;
        loop {
            let failure = match self.pool.get().await {
                Ok(client) => return Ok(client),
                Err(error) => self.failure(error),
            };
            let is_passing = matches!(
                failure,
                PostgresError::Restart { .. }
                    | PostgresError::Unreachable { .. }
                    | PostgresError::Lost { .. }
                    | PostgresError::TooManyConnections { .. }
            );
            if !is_passing || Instant::now() + RESTART_PAUSE > until {
                return Err(failure);
            }
            tokio::time::sleep(RESTART_PAUSE).await;
        }
    }

    fn failure(&self, error: PoolError) -> PostgresError {
        let place = self.address.place();
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                connection_error(&self.address, &error)
            }
            PoolError::Timeout(TimeoutType::Wait) => {
                PostgresError::TimedOut { place, what: AwaitedStep::Pool, limit: MAX_POOL_WAIT }
            }
            PoolError::Timeout(_) => {
                PostgresError::TimedOut { place, what: AwaitedStep::Connection, limit: max_connect_any(&self.address) }
            }
            PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(HookError::Message(_)) => {
                self.lost()
            }
        }
    }

    fn lost(&self) -> PostgresError {
        PostgresError::Lost { place: self.address.place() }
    }
}

/// Whether another connection may do better, or another moment.
fn is_worth_repeating(failure: &PostgresError) -> bool {
    match failure {
        PostgresError::Lost { .. } | PostgresError::Restart { .. } | PostgresError::Foreign { .. } => true,
        // Serialization failure, deadlock.
        PostgresError::Refused { code, .. } => ["40001", "40P01"].contains(&code.as_str()),
        _ => false,
    }
}

/// A connection in use. Whatever ends the use but a sound answer ends the connection: nobody knows what stands in it.
struct ConnectionLease {
    client: Option<Client>,
    is_sound: bool,
}

impl ConnectionLease {
    fn new(client: Client) -> Self {
        Self { client: Some(client), is_sound: false }
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(|_| !self.is_sound) {
            drop(Client::take(client));
        }
    }
}

/// Time for a new connection to one server.
fn max_connect(address: &PostgresAddress) -> Duration {
    address.parameters.connect_timeout.unwrap_or(MAX_CONNECT)
}

/// Time for a new connection, whichever of several servers takes it.
fn max_connect_any(address: &PostgresAddress) -> Duration {
    let servers = u32::try_from(address.hosts.len()).unwrap_or(u32::MAX);
    max_connect(address).saturating_mul(servers).saturating_add(MAX_TRANSIT)
}

fn pool(address: &PostgresAddress, max_connections: usize, clock: Arc<DatabaseClock>) -> Result<Pool, PostgresError> {
    let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config(address), tls::connector(address)?, manager_config);
    let begin = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
        let clock = clock.clone();
        Box::pin(async move { schema::begin_session(client, &clock).await.map_err(HookError::Backend) })
    });
    let is_fresh = Hook::sync_fn(|_, metrics| {
        if metrics.last_used() > MAX_IDLE { Err(HookError::message("idle for too long")) } else { Ok(()) }
    });
    let built = Pool::builder(manager)
        .max_size(max_connections.max(1))
        .wait_timeout(Some(MAX_POOL_WAIT))
        .create_timeout(Some(max_connect_any(address)))
        .recycle_timeout(Some(MAX_TRANSIT))
        .runtime(deadpool_postgres::Runtime::Tokio1)
        // The rest grow old and leave.
        .queue_mode(QueueMode::Lifo)
        .post_create(begin)
        .pre_recycle(is_fresh)
        .build();
    built.map_err(|error| PostgresError::Start { source: std::io::Error::other(error) })
}

/// The address in the words of the client.
fn config(address: &PostgresAddress) -> Config {
    let mut config = Config::new();
    for (host, port) in &address.hosts {
        match host {
            Host::Name(name) => config.host(name),
            Host::Folder(folder) => config.host(folder.display().to_string()),
        };
        config.port(*port);
    }
    let parameters = &address.parameters;
    config.application_name(parameters.application_name.as_deref().unwrap_or("pagewise"));
    config.ssl_mode(match parameters.tls {
        // As in libpq, no TLS on a Unix socket.
        _ if address.is_local() => SslMode::Disable,
        TlsMode::Disable => SslMode::Disable,
        TlsMode::Prefer => SslMode::Prefer,
        TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
    });
    config.target_session_attrs(match parameters.session {
        SessionTarget::Any => TargetSessionAttrs::Any,
        SessionTarget::ReadWrite => TargetSessionAttrs::ReadWrite,
    });
    config.channel_binding(match parameters.channel_binding {
        ChannelBinding::Disable => Binding::Disable,
        ChannelBinding::Prefer => Binding::Prefer,
        ChannelBinding::Require => Binding::Require,
    });
    config.connect_timeout(max_connect(address)).tcp_user_timeout(MAX_UNACKNOWLEDGED);
    config.keepalives_idle(KEEPALIVE).keepalives_interval(MAX_UNACKNOWLEDGED).keepalives_retries(3);
    address.user.as_ref().map(|user| config.user(user));
    address.password.as_ref().map(|password| config.password(&password.0));
    address.database.as_ref().map(|database| config.dbname(database));
    parameters.options.as_ref().map(|options| config.options(options));
    config
}
