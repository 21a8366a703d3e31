//! The database that the settings name, with its password from where PostgreSQL's own programs look for it.

use std::env;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Config, Secret};
use crate::tool::ToolError;
use pagewise_store::{DatabaseSettings, PostgresAddress, PostgresError};

/// Variables with a password or the path of a password file (PostgreSQL, "Environment Variables", 34.15).
const PASSWORD: &str = "PGPASSWORD";
const PASSWORD_FILE: &str = "PGPASSFILE";

/// Bytes of a password file that are read.
const MAX_PASSWORD_FILE_BYTES: u64 = 1_000_000;

impl Config {
    /// The database for the memory of conversations, if one is set.
    pub(in crate::cli) fn database(&self) -> Result<Option<DatabaseSettings>, ToolError> {
        let Some(address) = self.store.as_ref().map(Secret::reveal) else { return Ok(None) };
        // The text is not repeated: it may contain a password.
        let refused = |reason: String| {
            ToolError::validation(&format!("Setting 'store' is not a database address: {reason}"))
                .with("setting", json!("store"))
        };
        let address = address.trim().parse::<PostgresAddress>().map_err(|error| refused(error.to_string()))?;
        let variable = env::var(PASSWORD).ok().filter(|password| !password.is_empty());
        let address = address.or_password(variable);
        let address = if address.has_password() {
            address
        } else {
            let password = password_in_file(&address).map_err(|error| refused(error.to_string()))?;
            address.or_password(password)
        };
        Ok(Some(DatabaseSettings { address, max_connections: self.store_connections }))
    }
}

/// The password for `address` in the password file, if there is a file.
fn password_in_file(address: &PostgresAddress) -> Result<Option<String>, PostgresError> {
    let named = env::var_os(PASSWORD_FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let usual = || env::home_dir().map(|home| home.join(".pgpass"));
    let Some(path) = named.or_else(usual) else { return Ok(None) };
    let Ok(file) = File::open(&path) else { return Ok(None) };
    let mut text = Vec::new();
    if file.take(MAX_PASSWORD_FILE_BYTES).read_to_end(&mut text).is_err() {
        return Ok(None);
    }
    let password = address.password_in(&String::from_utf8_lossy(&text));
    if password.is_some() && !is_private(&path) {
        return Err(PostgresError::PasswordFile { path });
    }
    Ok(password)
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 == 0)
}

/// Other systems protect a file by its folder.
#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}
