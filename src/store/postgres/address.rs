//! PostgreSQL connection URIs ("Connection Strings", 34.1.1.2).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The address of a PostgreSQL database: servers, user, and how the connection is protected.
///
/// `postgres://user:password@host:port,host:port/database?parameter=value`. Reserved characters must be
/// percent-encoded. Its text form omits the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    pub(super) hosts: Vec<(Host, u16)>,
    pub(super) user: Option<String>,
    pub(super) password: Option<DatabasePassword>,
    pub(super) database: Option<String>,
    pub(super) parameters: AddressParameters,
}

/// The parameters after the `?`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AddressParameters {
    pub(super) tls: TlsMode,
    /// `sslrootcert`: root certificates in PEM; `None` for the system's.
    pub(super) root_file: Option<PathBuf>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) application_name: Option<String>,
    pub(super) options: Option<String>,
    pub(super) session: SessionTarget,
    pub(super) channel_binding: ChannelBinding,
}

/// A host name or address, or the folder of a Unix socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    Name(String),
    Folder(PathBuf),
}

/// A password, never shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct DatabasePassword(pub(super) String);

/// `sslmode`, as in libpq (34.19.3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// `target_session_attrs`: which of several servers to use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SessionTarget {
    #[default]
    Any,
    ReadWrite,
}

/// `channel_binding`: whether the password exchange authenticates the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ChannelBinding {
    Disable,
    #[default]
    Prefer,
    Require,
}

/// Why a text is not an address. Never repeats a value: if a password has stray characters, any part may contain some
/// of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It begins otherwise.
    #[error("it must begin with postgres:// or postgresql://")]
    Scheme,
    /// A part is invalid.
    #[error("its {part} must be {expected}")]
    Part {
        /// The name of the part or parameter.
        part: &'static str,
        expected: &'static str,
    },
    /// An unknown parameter.
    #[error("it has an unknown parameter '{name}'; known are {}", PARAMETERS.join(", "))]
    Parameter { name: String },
}

/// The known parameters.
const PARAMETERS: [&str; 11] = [
    "host",
    "port",
    "user",
    "dbname",
    "sslmode",
    "sslrootcert",
    "connect_timeout",
    "application_name",
    "options",
    "target_session_attrs",
    "channel_binding",
];

/// The default port.
const PORT: u16 = 5432;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

impl PostgresAddress {
    /// Whether a text is meant as a PostgreSQL address, valid or not.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        text.trim_start().to_ascii_lowercase().starts_with("postgres")
    }

    /// Sets a password from elsewhere, unless the address has one.
    #[must_use]
    pub fn or_password(mut self, password: Option<String>) -> Self {
        self.password = self.password.or(password.map(DatabasePassword));
        self
    }

    /// Looks up the password in the text of a password file with lines `host:port:database:user:password` ("The
    /// Password File", 34.16). The first matching line counts; `*` matches anything.
    #[must_use]
    pub fn password_in(&self, file: &str) -> Option<String> {
        let (host, port) = self.hosts.first()?;
        let host = match host {
            Host::Name(name) => name.as_str(),
            Host::Folder(_) => "localhost",
        };
        let (user, port) = (self.user.as_deref()?, port.to_string());
        let facts = [host, &port, self.database.as_deref().unwrap_or(user), user];
        let fits = |fields: &Vec<String>| {
            fields.len() == FIELDS && fields.iter().zip(facts).all(|(field, fact)| field == "*" || field == fact)
        };
        let mut lines = file.lines().filter(|line| !line.starts_with('#')).map(fields);
        lines.find(fits)?.get(facts.len()).cloned()
    }

    /// Whether the address itself has a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The servers, without user and password.
    pub(super) fn location(&self) -> String {
        let location = |(host, port): &(Host, u16)| match host {
            Host::Name(name) if name.contains(':') => format!("[{name}]:{port}"),
            Host::Name(name) => format!("{name}:{port}"),
            Host::Folder(folder) => format!("{}/.s.PGSQL.{port}", folder.display()),
        };
        self.hosts.iter().map(location).collect::<Vec<_>>().join(",")
    }
}

impl FromStr for PostgresAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).ok_or(AddressError::Scheme)?;
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let (authority, database) = rest.split_once('/').map_or((rest, None), |(at, name)| (at, Some(name)));
        // Only an unencoded password puts these characters here.
        let is_stray = |text: &str| text.contains(['@', '#']);
        if query.is_some_and(is_stray) || database.is_some_and(is_stray) || authority.contains('#') {
            return Err(UNENCODED);
        }
        let (credentials, hosts) = authority.rsplit_once('@').map_or((None, authority), |(who, at)| (Some(who), at));
        let mut address = Self {
            hosts: Vec::new(),
            user: None,
            password: None,
            database: database.filter(|name| !name.is_empty()).map(|name| decoded("database", name)).transpose()?,
            parameters: AddressParameters::default(),
        };
        address.set_credentials(credentials)?;
        address.hosts =
            hosts.split(',').filter(|host| !host.is_empty()).map(host_and_port).collect::<Result<_, _>>()?;
        address.set_parameters(query)?;
        if address.hosts.is_empty() {
            return Err(AddressError::Part { part: "host", expected: "a host name or the folder of a socket" });
        }
        Ok(address)
    }
}

/// The error for a password with unencoded reserved characters.
const UNENCODED: AddressError =
    AddressError::Part { part: "password", expected: "percent-encoded where it has one of : / ? # [ ] @ %" };

impl PostgresAddress {
    fn set_credentials(&mut self, credentials: Option<&str>) -> Result<(), AddressError> {
        let Some(credentials) = credentials else { return Ok(()) };
        let (user, password) =
            credentials.split_once(':').map_or((credentials, None), |(user, password)| (user, Some(password)));
        if credentials.contains('@') || password.is_some_and(|password| password.contains([':', '[', ']'])) {
            return Err(UNENCODED);
        }
        self.user = (!user.is_empty()).then(|| decoded("user", user)).transpose()?;
        let password = password.filter(|password| !password.is_empty());
        self.password = password.map(|password| decoded("password", password).map(DatabasePassword)).transpose()?;
        Ok(())
    }

    fn set_parameters(&mut self, query: Option<&str>) -> Result<(), AddressError> {
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let mut port = None;
        for pair in pairs {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "host" => self.hosts.extend(value.split(',').map(host).collect::<Result<Vec<_>, _>>()?),
                "port" => port = Some(port_of(value)?),
                "user" => self.user = Some(decoded("user", value)?),
                "dbname" => self.database = Some(decoded("dbname", value)?),
                "password" => return Err(PASSWORD_AT_THE_END),
                _ => self.parameters.set(name, value)?,
            }
        }
        if let Some(port) = port {
            self.hosts.iter_mut().for_each(|(_, own)| *own = port);
        }
        Ok(())
    }
}

const PASSWORD_AT_THE_END: AddressError = AddressError::Part {
    part: "password",
    expected: "before the host, in PGPASSWORD or in a password file, and not among the parameters",
};

impl AddressParameters {
    fn set(&mut self, name: &str, value: &str) -> Result<(), AddressError> {
        let wrong = |part, expected| AddressError::Part { part, expected };
        match name {
            "sslmode" => self.tls = TlsMode::parse(value).ok_or_else(|| wrong("sslmode", TlsMode::EXPECTED))?,
            "sslrootcert" => {
                let file = decoded("sslrootcert", value)?;
                self.root_file = (file != "system").then(|| PathBuf::from(file));
            }
            "connect_timeout" => {
                let seconds = value.parse().ok().filter(|seconds| *seconds > 0);
                let seconds =
                    seconds.ok_or_else(|| wrong("connect_timeout", "a whole number of seconds, 1 or more"))?;
                self.connect_timeout = Some(Duration::from_secs(seconds));
            }
            "application_name" => self.application_name = Some(decoded("application_name", value)?),
            "options" => self.options = Some(decoded("options", value)?),
            "target_session_attrs" => {
                self.session = match value {
                    "any" => SessionTarget::Any,
                    "read-write" | "primary" => SessionTarget::ReadWrite,
                    _ => return Err(wrong("target_session_attrs", "any or read-write")),
                }
            }
            "channel_binding" => {
                self.channel_binding = match value {
                    "disable" => ChannelBinding::Disable,
                    "prefer" => ChannelBinding::Prefer,
                    "require" => ChannelBinding::Require,
                    _ => return Err(wrong("channel_binding", "disable, prefer or require")),
                }
            }
            _ => return Err(AddressError::Parameter { name: name.chars().take(MAX_SHOWN).collect() }),
        }
        Ok(())
    }
}

/// Characters of an unknown parameter's name in an error.
const MAX_SHOWN: usize = 32;

impl TlsMode {
    const EXPECTED: &str = "disable, prefer, require, verify-ca or verify-full";

    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        }
    }
}

/// The fields of a password file line. A backslash escapes a colon or a backslash.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let (is_end, character) = match character {
            // The password is the last field, colons included.
            ':' => (fields.len() < FIELDS, ':'),
            '\\' => (false, characters.next().unwrap_or('\\')),
            other => (false, other),
        };
        match fields.last_mut() {
            Some(field) if !is_end => field.push(character),
            _ => fields.push(String::new()),
        }
    }
    fields
}

/// Host, port, database, user, password.
const FIELDS: usize = 5;

fn host_and_port(text: &str) -> Result<(Host, u16), AddressError> {
    let expected = AddressError::Part { part: "host", expected: "a name, an address, or an IPv6 address in brackets" };
    let (name, port) = match text.strip_prefix('[') {
        Some(text) => {
            let (name, rest) = text.split_once(']').ok_or_else(|| expected.clone())?;
            let port = rest.strip_prefix(':');
            if port.is_none() && !rest.is_empty() {
                return Err(expected);
            }
            (name, port)
        }
        None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
    };
    let port = port.filter(|port| !port.is_empty()).map_or(Ok(PORT), port_of)?;
    Ok((host(name)?.0, port))
}

fn host(text: &str) -> Result<(Host, u16), AddressError> {
    let name = decoded("host", text)?;
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    if !is_name {
        return Err(AddressError::Part { part: "host", expected: "a host name or the folder of a socket" });
    }
    let host = if name.starts_with('/') { Host::Folder(PathBuf::from(name)) } else { Host::Name(name) };
    Ok((host, PORT))
}

fn port_of(text: &str) -> Result<u16, AddressError> {
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or(AddressError::Part { part: "port", expected: "a number from 1 to 65535" })
}

/// Percent-decodes a part (RFC 3986, 2.1).
fn decoded(part: &'static str, text: &str) -> Result<String, AddressError> {
    let wrong = AddressError::Part { part, expected: "UTF-8 without NUL, with two hexadecimal digits after each %" };
    let is_encoded = |at: &str| at.get(..2).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    if !text.split('%').skip(1).all(is_encoded) {
        return Err(wrong);
    }
    let text = percent_encoding::percent_decode_str(text).decode_utf8().map_err(|_| wrong.clone())?;
    if text.contains('\0') { Err(wrong) } else { Ok(text.into_owned()) }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = &self.user {
            let password = if self.has_password() { ":(not shown)" } else { "" };
            write!(f, "{user}{password}@")?;
        }
        write!(f, "{}/{}", self.location(), self.database.as_deref().unwrap_or_default())?;
        write!(f, "?sslmode={}", self.parameters.tls.name())
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresAddress({self})")
    }
}

impl fmt::Debug for DatabasePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn shown(text: &str) -> String {
        text.parse::<PostgresAddress>().map_or_else(|error| error.to_string(), |address| address.to_string())
    }

    #[test]
    fn an_address_says_where_and_never_the_password() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text}");
        check("postgres://db.example", "postgres://db.example:5432/?sslmode=prefer");
        check("postgresql://me@db/mine", "postgres://me@db:5432/mine?sslmode=prefer");
        let all = "postgres://me:s%40cret@a:1,[::1]:2,c/mine?sslmode=verify-full";
        check(all, "postgres://me:(not shown)@a:1,[::1]:2,c:5432/mine?sslmode=verify-full");
        assert_eq!(format!("{:?}", all.parse::<PostgresAddress>().unwrap()).matches("cret").count(), 0);
        assert_eq!(all.parse::<PostgresAddress>().unwrap().password, Some(DatabasePassword("s@cret".to_owned())));
        check(
            "postgres:///mine?host=/run/postgresql&port=7&user=me",
            "postgres://me@/run/postgresql/.s.PGSQL.7/mine?sslmode=prefer",
        );
        check("postgres://%2Frun%2Fpg/mine", "postgres:///run/pg/.s.PGSQL.5432/mine?sslmode=prefer");
    }

    #[test]
    fn a_part_that_is_wrong_is_named_and_not_repeated() {
        let texts = [
            "mysql://db",
            "postgres://",
            "postgres://me:hidden@db:port/mine",
            "postgres://me:hidden@db:0/mine",
            "postgres://me:hid@den@db/mine",
            "postgres://me:hid/den@db/mine",
            "postgres://me:hid?den@db/mine",
            "postgres://me:hid#den@db/mine",
            "postgres://me:hid%zzden@db/mine",
            "postgres://me:hidden%00@db/mine",
            "postgres://me:hidden@[::1/mine",
            "postgres://me:hidden@d b/mine",
            "postgres://db/mine?password=hid&den=1",
            "postgres://db/mine?sslmod=require",
            "postgres://db/mine?sslmode=yes",
            "postgres://db/mine?connect_timeout=0",
            "postgres://db/mine?target_session_attrs=best",
            "postgres://db/mine?channel_binding=maybe",
        ];
        let told = texts.map(shown);
        assert!(told.iter().all(|text| !text.contains("hid") && !text.contains("den")), "{told:#?}");
        insta::assert_snapshot!(told.join("\n"), @r"
        it must begin with postgres:// or postgresql://
        its host must be a host name or the folder of a socket
        its port must be a number from 1 to 65535
        its port must be a number from 1 to 65535
        its password must be percent-encoded where it has one of : / ? # [ ] @ %
        its password must be percent-encoded where it has one of : / ? # [ ] @ %
        its password must be percent-encoded where it has one of : / ? # [ ] @ %
        its password must be percent-encoded where it has one of : / ? # [ ] @ %
        its password must be UTF-8 without NUL, with two hexadecimal digits after each %
        its password must be UTF-8 without NUL, with two hexadecimal digits after each %
        its host must be a name, an address, or an IPv6 address in brackets
        its host must be a host name or the folder of a socket
        its password must be before the host, in PGPASSWORD or in a password file, and not among the parameters
        it has an unknown parameter 'sslmod'; known are host, port, user, dbname, sslmode, sslrootcert, connect_timeout, application_name, options, target_session_attrs, channel_binding
        its sslmode must be disable, prefer, require, verify-ca or verify-full
        its connect_timeout must be a whole number of seconds, 1 or more
        its target_session_attrs must be any or read-write
        its channel_binding must be disable, prefer or require
        ");
    }

    #[test]
    fn the_first_line_of_a_password_file_that_fits_says_the_password() {
        let file = "# a:b\nother:*:*:*:1\ndb:5433:*:*:2\ndb:*:mine:m\\:e:3\\\\:4\n*:*:*:*:5\n";
        let password = |text: &str| text.parse::<PostgresAddress>().unwrap().password_in(file);
        assert_eq!(password("postgres://me@db:5433/mine").as_deref(), Some("2"));
        assert_eq!(password("postgres://m%3Ae@db/mine").as_deref(), Some("3\\:4"));
        assert_eq!(password("postgres://me@elsewhere/mine").as_deref(), Some("5"));
        assert_eq!(password("postgres://db/mine"), None, "whose it is must be known");
    }
}
