//! The log, on standard error: one line for each event, as text or JSON.
//!
//! Only events of this program are logged: those of its libraries contain whole requests and answers.

mod writer;

use std::fmt;
use std::io;

use serde_json::json;
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{Format, Full, Writer, format};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, layer};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

pub(super) use tracing_subscriber::filter::LevelFilter;

use self::writer::{FlushGuard, LogWriter};
use crate::tool::{ErrorCode, ToolError};
use pagewise_base::clean::CleanText;

/// What the setting `log_level` may be.
pub(super) const LOG_LEVELS: [LevelFilter; 5] =
    [LevelFilter::OFF, LevelFilter::ERROR, LevelFilter::WARN, LevelFilter::INFO, LevelFilter::DEBUG];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// `pagewise: message field=value`
    #[default]
    Text,
    Json,
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
pub(crate) fn start(level: LevelFilter, format: LogFormat) -> io::Result<FlushGuard> {
    let writer = LogWriter::start(io::stderr(), move |count| dropped_line(format, count))?;
    let lines = layer().with_writer(writer.clone()).with_ansi(false);
    let lines = match format {
        LogFormat::Text => lines.event_format(TextFormat::new()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).with_target(false).boxed(),
    };
    let ours = Targets::new().with_target("pagewise", level);
    let _ = tracing_subscriber::registry().with(lines).with(ours).try_init();
    Ok(FlushGuard(writer))
}

/// Starts the log of a command, which has one at level debug alone.
///
/// # Errors
///
/// `busy` if the system starts no thread.
pub(crate) fn start_for_command(level: LevelFilter, format: LogFormat) -> Result<Option<FlushGuard>, ToolError> {
    let failed = |error: io::Error| ToolError::new(ErrorCode::Busy, format!("Cannot start the log: {error}"));
    (level == LevelFilter::DEBUG).then(|| start(level, format)).transpose().map_err(failed)
}

/// The line that says how many lines were dropped.
fn dropped_line(format: LogFormat, count: u64) -> String {
    let message = "log lines were dropped, since standard error was not read in time";
    match format {
        LogFormat::Text => format!("pagewise: {message} count={count}\n"),
        LogFormat::Json => format!("{}\n", json!({ "level": "WARN", "message": message, "count": count })),
    }
}

/// Logs a problem, in a sentence.
pub(crate) fn warn(text: &str) {
    tracing::warn!("{}", CleanText::line(text));
}

/// Logs an event that an operator expects, in a sentence.
pub(crate) fn info(text: &str) {
    tracing::info!("{text}");
}

/// The usual format without time, level and target, after the program's name.
struct TextFormat(Format<Full, ()>);

impl TextFormat {
    fn new() -> Self {
        Self(format().without_time().with_level(false).with_target(false))
    }
}

impl<S, N> FormatEvent<S, N> for TextFormat
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        write!(writer, "pagewise: ")?;
        self.0.format_event(context, writer, event)
    }
}
