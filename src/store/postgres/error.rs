//! Errors of a PostgreSQL database.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a PostgreSQL database could not be used. Contains no password and no row values.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// This program was built without the feature `postgres`.
    #[error("this program was built without PostgreSQL: build it with the feature 'postgres'")]
    NotBuilt,
    /// The runtime for database connections could not be started.
    #[error("the connections to the database could not be started: {source}")]
    Start { source: io::Error },
    /// No server answered.
    #[error("no database answers at {location}: {source}")]
    Unreachable { location: String, source: io::Error },
    /// The server is starting or shutting down.
    #[error("the database at {location} is starting or shutting down")]
    Restart { location: String },
    /// A recent call failed, so the server is not called for a moment.
    #[error("the database at {location} failed a moment ago")]
    Outage { location: String },
    /// It took longer than [`PostgresError::TimedOut::limit`].
    #[error("the database at {location} did not {what} within {} ms", limit.as_millis())]
    TimedOut { location: String, what: AwaitedStep, limit: Duration },
    /// The connection was lost during a call.
    #[error("the connection to the database at {location} was lost")]
    Lost { location: String },
    /// The server has no connection left.
    #[error(
        "the database at {location} has no connection left: raise its max_connections, or lower 'store_connections'"
    )]
    TooManyConnections { location: String },
    /// The password is wrong.
    #[error("the database at {location} refused the password of user '{user}'")]
    Password { location: String, user: String },
    /// The server needs a password and there is none.
    #[error("the database at {location} asks for a password: put it into PGPASSWORD or a password file")]
    PasswordMissing { location: String },
    /// The password file is readable by others.
    #[error("{} may be read by others: chmod 600", path.display())]
    PasswordFile { path: PathBuf },
    /// The server does not admit this user from this host.
    #[error("the database at {location} refuses this way of signing in: {message}")]
    NotAdmitted { location: String, message: String },
    /// The database does not exist.
    #[error("there is no database '{database}' at {location}: createdb {database}")]
    NoDatabase { location: String, database: String },
    /// The user lacks a privilege.
    #[error("user '{user}' lacks a privilege in the database: {message}; {}", remedy(user))]
    NoRight { user: String, message: String },
    /// The database is read-only: a standby, or set so.
    #[error(
        "the database at {location} cannot be written; name its primary, or all servers and target_session_attrs=read-write"
    )]
    ReadOnly { location: String },
    /// The server's disk is full.
    #[error("the disk of the database at {location} is full")]
    DiskFull { location: String },
    /// A later version of this program created the tables. They are left unchanged.
    #[error("the database has schema {found}, and this program knows {known}: use a later version of it")]
    NewerSchema {
        /// The version of its tables.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// The schema `pagewise` is incomplete, or belongs to something else.
    #[error(
        "schema 'pagewise' of the database is not as this program made it ({what}); rename it, or name another database"
    )]
    Foreign {
        /// What was found, or is missing.
        what: String,
    },
    /// The database's encoding cannot represent all names.
    #[error("the database has encoding {encoding}, and must have UTF8: createdb --encoding=UTF8 --template=template0")]
    Encoding { encoding: String },
    /// The server does not support TLS.
    #[error("the database at {location} offers no TLS, which sslmode={mode} needs")]
    NoTls { location: String, mode: &'static str },
    /// The server's certificate does not satisfy the mode.
    #[error("the certificate of the database at {location} is not valid for sslmode={mode}: {reason}")]
    Certificate { location: String, mode: &'static str, reason: String },
    /// TLS failed otherwise.
    #[error("TLS with the database at {location} failed: {reason}")]
    Tls { location: String, reason: String },
    /// The root certificates could not be loaded.
    #[error("the certificates of authorities cannot be read (sslrootcert{}): {reason}", file(path.as_ref()))]
    Authorities {
        /// The file; `None` for the system's certificates.
        path: Option<PathBuf>,
        reason: String,
    },
    /// Any other error of the server.
    #[error("the database at {location} refused ({code}): {message}")]
    Refused {
        location: String,
        /// The SQLSTATE (PostgreSQL, appendix A).
        code: String,
        message: String,
    },
    /// The server's response was not understood.
    #[error("the database at {location} was not understood: {reason}")]
    Protocol { location: String, reason: String },
}

/// What was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwaitedStep {
    /// A new connection.
    Connection,
    /// A free connection of the pool.
    Pool,
    Answer,
}

impl std::fmt::Display for AwaitedStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connection => "take a connection",
            Self::Pool => "have a free connection",
            Self::Answer => "answer",
        })
    }
}

/// The statement that grants a user what this program needs.
fn remedy(user: &str) -> String {
    format!("as the database's owner: CREATE SCHEMA IF NOT EXISTS pagewise AUTHORIZATION \"{user}\"")
}

fn file(path: Option<&PathBuf>) -> String {
    path.map(|path| format!("={}", path.display())).unwrap_or_default()
}

impl PostgresError {
    /// Whether the call may succeed later without a change of settings.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Restart { .. }
                | Self::Outage { .. }
                | Self::TimedOut { .. }
                | Self::Lost { .. }
                | Self::TooManyConnections { .. }
                | Self::DiskFull { .. }
        )
    }
}
