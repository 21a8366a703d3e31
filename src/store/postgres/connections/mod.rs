//! The connection pool, and the runtime threads that drive it.

mod clock;
mod error_mapping;
mod tls;

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

use self::error_mapping::connection_error;
use super::address::{ChannelBinding, Host, PostgresAddress, SessionTarget, TlsMode};
use super::error::{AwaitedStep, PostgresError};
use super::schema;
use crate::PoolUsage;

pub(super) use self::clock::DatabaseClock;
pub(super) use self::error_mapping::statement_error;

/// Timeout of a statement that scans all rows.
pub(super) const MAX_LONG_STATEMENT: Duration = Duration::from_secs(60);

/// Additional time for the round trip.
const MAX_TRANSIT: Duration = Duration::from_secs(1);

/// Timeout for connecting, unless the address sets one.
const MAX_CONNECT: Duration = Duration::from_secs(3);

/// How long a call waits for a free connection.
const MAX_POOL_WAIT: Duration = Duration::from_secs(2);

/// How long a call retries while the server is starting or has no connection left.
const MAX_RESTART_WAIT: Duration = Duration::from_secs(2);
const RESTART_PAUSE: Duration = Duration::from_millis(50);

/// How long no call is attempted after a failure.
const OUTAGE: Duration = Duration::from_secs(1);

/// Connections with bytes unacknowledged for this long are closed: a firewall may have dropped them silently.
const MAX_UNACKNOWLEDGED: Duration = Duration::from_secs(2);

/// Idle connections are replaced after this time, before firewalls drop them.
const MAX_IDLE: Duration = Duration::from_secs(180);
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Time for checking the tables.
const MAX_SCHEMA_WAIT: Duration = Duration::from_secs(5);

/// Runtime threads. The work is done by the server.
const THREADS: usize = 1;

/// A call to the database. It owns its arguments, so that it can be repeated once on another connection.
pub(super) trait Operation: Send + Sync + 'static {
    /// What it gives.
    type Output: Send + 'static;

    /// Whether it may scan all rows.
    const IS_LONG: bool = false;

    /// `is_repeat` is true if an earlier attempt may have completed.
    fn run(&self, client: &mut Client, is_repeat: bool) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

/// The connections of one store.
pub(super) struct Connections {
    shared: Arc<SharedConnections>,
    /// `None` during drop.
    runtime: Option<Runtime>,
}

struct SharedConnections {
    address: PostgresAddress,
    pool: Pool,
    clock: Arc<DatabaseClock>,
    /// Whether the tables have been checked.
    has_schema: AtomicBool,
    migration: tokio::sync::Mutex<()>,
    /// When the next attempt may be made.
    outage: Mutex<Option<Instant>>,
}

impl Connections {
    /// Creates a pool. Connections open on demand.
    pub(super) fn new(address: PostgresAddress, max_connections: usize) -> Result<Self, PostgresError> {
        let clock = Arc::new(DatabaseClock::default());
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("pagewise-postgres")
            .enable_all()
            .build()
            .map_err(|source| PostgresError::Start { source })?;
        let pool = pool(&address, max_connections, clock.clone())?;
        let shared = SharedConnections {
            address,
            pool,
            clock,
            has_schema: AtomicBool::new(false),
            migration: tokio::sync::Mutex::default(),
            outage: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared), runtime: Some(runtime) })
    }

    pub(super) fn address(&self) -> &PostgresAddress {
        &self.shared.address
    }

    pub(super) fn clock(&self) -> &Arc<DatabaseClock> {
        &self.shared.clock
    }

    /// Current pool usage.
    pub(super) fn usage(&self) -> PoolUsage {
        let status = self.shared.pool.status();
        PoolUsage { open: status.size, idle: status.available, waiting: status.waiting, max: status.max_size }
    }

    /// Runs an operation and blocks until it is done. May be called from any thread.
    pub(super) fn run<O: Operation>(&self, operation: O) -> Result<O::Output, PostgresError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let shared = self.shared.clone();
        let ended = || PostgresError::Lost { location: self.address().location() };
        let runtime = self.runtime.as_ref().ok_or_else(ended)?;
        runtime.spawn(async move {
            // Fails only if the caller has gone.
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

impl SharedConnections {
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
            *self.lock_outage() = Some(Instant::now() + OUTAGE);
        }
        Err(failure)
    }

    fn lock_outage(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After an outage, one call tests the server while the others fail at once.
    fn check_outage(&self) -> Result<(), PostgresError> {
        let mut outage = self.lock_outage();
        match *outage {
            Some(until) if Instant::now() < until => Err(PostgresError::Outage { location: self.address.location() }),
            Some(_) => {
                *outage = Some(Instant::now() + OUTAGE);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Drops state that a failure has invalidated.
    fn discard(&self, failure: &PostgresError) {
        if matches!(failure, PostgresError::Foreign { .. }) {
            self.has_schema.store(false, Ordering::Relaxed);
        }
        // If the server ended one connection, it ended them all.
        self.pool.retain(|_, _| false);
    }

    async fn attempt<O: Operation>(&self, operation: &O, is_repeat: bool) -> Result<O::Output, PostgresError> {
        let mut lease = ConnectionLease::new(self.client().await?);
        let to_error = |error: Error| statement_error(&self.address, &error);
        let Some(client) = lease.client.as_mut() else { return Err(self.lost_error()) };
        if !self.has_schema.load(Ordering::Relaxed) {
            self.ensure_schema(client).await?;
        }
        let limit = MAX_TRANSIT + if O::IS_LONG { MAX_LONG_STATEMENT } else { schema::MAX_STATEMENT };
        let output = self.within(limit, operation.run(client, is_repeat)).await?.map_err(to_error)?;
        lease.is_sound = true;
        *self.lock_outage() = None;
        Ok(output)
    }

    /// Creates or migrates the tables, and checks them once per process.
    async fn ensure_schema(&self, client: &mut Client) -> Result<(), PostgresError> {
        let _turn = self.within(schema::MAX_MIGRATION, self.migration.lock()).await?;
        if self.has_schema.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !self.within(MAX_SCHEMA_WAIT, schema::is_current(client, &self.address)).await?? {
            self.within(schema::MAX_MIGRATION, schema::migrate(client, &self.address)).await??;
        }
        self.within(MAX_SCHEMA_WAIT, schema::check(client, &self.address)).await??;
        self.has_schema.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Result<T, PostgresError> {
        let late = |_| PostgresError::TimedOut { location: self.address.location(), what: AwaitedStep::Answer, limit };
        tokio::time::timeout(limit, work).await.map_err(late)
    }

    /// Takes a connection. Retries while the server is starting or has none left.
    async fn client(&self) -> Result<Client, PostgresError> {
        let until = Instant::now() + MAX_RESTART_WAIT;
        loop {
            let failure = match self.pool.get().await {
                Ok(client) => return Ok(client),
                Err(error) => self.pool_error(error),
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

    fn pool_error(&self, error: PoolError) -> PostgresError {
        let location = self.address.location();
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                connection_error(&self.address, &error)
            }
            PoolError::Timeout(TimeoutType::Wait) => {
                PostgresError::TimedOut { location, what: AwaitedStep::Pool, limit: MAX_POOL_WAIT }
            }
            PoolError::Timeout(_) => PostgresError::TimedOut {
                location,
                what: AwaitedStep::Connection,
                limit: max_connect_any(&self.address),
            },
            PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(HookError::Message(_)) => {
                self.lost_error()
            }
        }
    }

    fn lost_error(&self) -> PostgresError {
        PostgresError::Lost { location: self.address.location() }
    }
}

/// Whether repeating the call may succeed.
fn is_worth_repeating(failure: &PostgresError) -> bool {
    match failure {
        PostgresError::Lost { .. } | PostgresError::Restart { .. } | PostgresError::Foreign { .. } => true,
        // Serialization failure, deadlock.
        PostgresError::Refused { code, .. } => ["40001", "40P01"].contains(&code.as_str()),
        _ => false,
    }
}

/// A connection in use. Unless the call succeeds, the connection is closed, because its state is unknown.
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

/// Timeout for connecting to one server.
fn max_connect(address: &PostgresAddress) -> Duration {
    address.parameters.connect_timeout.unwrap_or(MAX_CONNECT)
}

/// Timeout for connecting to any of several servers.
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
        // Use the newest connections first, so that surplus ones become idle and are closed.
        .queue_mode(QueueMode::Lifo)
        .post_create(begin)
        .pre_recycle(is_fresh)
        .build();
    built.map_err(|error| PostgresError::Start { source: std::io::Error::other(error) })
}

/// Converts the address to the client's configuration.
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
        // As in libpq, Unix sockets use no TLS.
        _ if address.hosts.iter().all(|(host, _)| matches!(host, Host::Folder(_))) => SslMode::Disable,
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
