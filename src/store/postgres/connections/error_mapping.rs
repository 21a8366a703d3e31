//! Maps client and server errors to [`PostgresError`].

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::postgres::address::PostgresAddress;
use crate::postgres::error::{AwaitedStep, PostgresError};

/// The error of a failed connection attempt.
pub(in crate::postgres) fn connection_error(address: &PostgresAddress, error: &Error) -> PostgresError {
    let location = address.location();
    if let Some(refusal) = error.as_db_error() {
        return refusal_error(address, refusal);
    }
    let cause = error.source().map(ToString::to_string).unwrap_or_else(|| error.to_string());
    // The client crate distinguishes these by message only.
    match cause.as_str() {
        "password missing" => return PostgresError::PasswordMissing { location },
        "server does not support TLS" => return PostgresError::NoTls { location, mode: address.parameters.tls.name() },
        "database does not allow writes" => return PostgresError::ReadOnly { location },
        _ => {}
    }
    match error.source().and_then(|source| source.downcast_ref::<io::Error>()) {
        Some(io) => tls_or_network(address, io),
        None if error.is_closed() => PostgresError::Lost { location },
        None => PostgresError::NotAdmitted { location, message: shorten(&cause) },
    }
}

fn tls_or_network(address: &PostgresAddress, error: &io::Error) -> PostgresError {
    let location = address.location();
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(reason)) => PostgresError::Certificate {
            location,
            mode: address.parameters.tls.name(),
            reason: shorten(&reason.to_string()),
        },
        Some(error) => PostgresError::Tls { location, reason: shorten(&error.to_string()) },
        None => PostgresError::Unreachable { location, source: io::Error::new(error.kind(), error.to_string()) },
    }
}

/// The error of a failed statement.
pub(in crate::postgres) fn statement_error(address: &PostgresAddress, error: &Error) -> PostgresError {
    let location = address.location();
    if let Some(refusal) = error.as_db_error() {
        return refusal_error(address, refusal);
    }
    let is_network = error.source().is_some_and(|source| source.is::<io::Error>());
    if error.is_closed() || is_network {
        return PostgresError::Lost { location };
    }
    let cause = error.source().map(|source| format!("{error}: {source}")).unwrap_or_else(|| error.to_string());
    PostgresError::Protocol { location, reason: shorten(&cause) }
}

fn refusal_error(address: &PostgresAddress, refusal: &DbError) -> PostgresError {
    let location = address.location();
    let user = || address.user.clone().unwrap_or_default();
    let message = || shorten(refusal.message());
    let code = refusal.code();
    if [&SqlState::ADMIN_SHUTDOWN, &SqlState::CRASH_SHUTDOWN, &SqlState::CANNOT_CONNECT_NOW].contains(&code) {
        return PostgresError::Restart { location };
    }
    if [&SqlState::QUERY_CANCELED, &SqlState::LOCK_NOT_AVAILABLE].contains(&code) {
        return PostgresError::TimedOut {
            location,
            what: AwaitedStep::Answer,
            limit: crate::postgres::schema::MAX_STATEMENT,
        };
    }
    if [&SqlState::UNDEFINED_TABLE, &SqlState::UNDEFINED_COLUMN, &SqlState::INVALID_SCHEMA_NAME].contains(&code) {
        return PostgresError::Foreign { what: message() };
    }
    match code.code() {
        "28P01" => PostgresError::Password { location, user: user() },
        "28000" => PostgresError::NotAdmitted { location, message: message() },
        "3D000" => PostgresError::NoDatabase { location, database: address.database.clone().unwrap_or_else(user) },
        "42501" => PostgresError::NoRight { user: user(), message: message() },
        "25006" => PostgresError::ReadOnly { location },
        "53100" => PostgresError::DiskFull { location },
        "53300" => PostgresError::TooManyConnections { location },
        // Idle timeouts, inside and outside a transaction.
        "25P03" | "57P05" => PostgresError::Lost { location },
        code => PostgresError::Refused { location, code: code.to_owned(), message: message() },
    }
}

/// A single line of bounded length, for logs.
pub(in crate::postgres) fn shorten(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE).collect()
}

/// Characters kept of a server message.
const MAX_MESSAGE: usize = 300;
