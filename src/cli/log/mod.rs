//! The log of a server, on standard error: one line for each event, as text or JSON.
//!
//! Only events of this program are logged: those of its libraries contain whole requests and answers.

mod writer;

use std::fmt::{self, Debug};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::writer::{FlushGuard, LogWriter};

/// The least level of events that are logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    #[default]
    Info,
}

/// The format of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// `pagewise: message field=value`
    #[default]
    Text,
    /// One object.
    Json,
}

impl LogLevel {
    pub(crate) const ALL: [Self; 4] = [Self::Off, Self::Error, Self::Warn, Self::Info];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
        }
    }

    fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
        }
    }
}

impl LogFormat {
    pub(crate) const ALL: [Self; 2] = [Self::Text, Self::Json];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Starts to log, until the guard is dropped. A second call has no effect.
///
/// # Errors
///
/// The system starts no thread.
pub(crate) fn start(level: LogLevel, format: LogFormat) -> io::Result<FlushGuard> {
    let writer = LogWriter::start(io::stderr(), move |count| dropped_line(format, count))?;
    let lines = tracing_subscriber::fmt::layer().with_writer(writer.clone()).event_format(LineFormat(format));
    let ours = Targets::new().with_target("pagewise", level.filter());
    let _ = tracing_subscriber::registry().with(lines).with(ours).try_init();
    Ok(FlushGuard(writer))
}

/// The line that says how many lines were dropped.
fn dropped_line(format: LogFormat, count: u64) -> String {
    let message = "log lines were dropped, since standard error was not read in time".to_owned();
    let fields = Fields { message, others: Map::from_iter([("count".to_owned(), json!(count))]) };
    format!("{}\n", fields.line(format, "warn"))
}

/// Logs a problem, in a sentence.
pub(crate) fn warn(text: &str) {
    tracing::warn!("{text}");
}

/// Logs an event that an operator expects, in a sentence.
pub(crate) fn info(text: &str) {
    tracing::info!("{text}");
}

struct LineFormat(LogFormat);

impl<S, N> FormatEvent<S, N> for LineFormat
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, _context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        writeln!(writer, "{}", fields.line(self.0, event.metadata().level().as_str()))
    }
}

/// The fields of an event.
#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn line(self, format: LogFormat, level: &str) -> String {
        match format {
            LogFormat::Text => self.text(),
            LogFormat::Json => self.json(level).to_string(),
        }
    }

    fn text(&self) -> String {
        let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), one_word);
        let others = self.others.iter().map(|(name, found)| format!(" {name}={}", value(found)));
        format!("pagewise: {}{}", one_line(&self.message), others.collect::<String>())
    }

    fn json(self, level: &str) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
        let mut object = Map::new();
        object.insert("time".to_owned(), json!(now));
        object.insert("level".to_owned(), json!(level.to_ascii_lowercase()));
        object.insert("event".to_owned(), json!(self.message));
        object.extend(self.others);
        Value::Object(object)
    }
}

/// Replaces control characters, so that no text of a client starts a line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Quotes a value that has spaces or quotes in it.
fn one_word(text: &str) -> String {
    let is_plain = !text.is_empty() && text.chars().all(|c| !c.is_whitespace() && !c.is_control() && c != '"');
    if is_plain { text.to_owned() } else { json!(text).to_string() }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, json!(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, json!(format!("{value:?}")));
    }
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            (name, value) => {
                self.others.insert(name.to_owned(), value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_whatever_is_in_it() {
        let mut fields = Fields { message: "request".to_owned(), ..Fields::default() };
        fields.others.insert("client".to_owned(), json!("a b\npagewise: listening"));
        fields.others.insert("status".to_owned(), json!(200));
        assert_eq!(fields.text(), "pagewise: request client=\"a b\\npagewise: listening\" status=200");
        fields.message = "two\nlines".to_owned();
        assert!(!fields.text().contains('\n'));
        let json = fields.json("WARN").to_string();
        assert!(json.contains("\"level\":\"warn\"") && !json.contains('\n'), "{json}");
    }
}
