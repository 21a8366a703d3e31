//! Metrics in the Prometheus text format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::serve::lock::lock;
use crate::worker::ReaderMemory;
use pagewise_store::StoreTally;

/// Upper bounds of the histogram of call times, in seconds.
const BUCKET_BOUNDS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 20.0];

/// What a server counts.
#[derive(Default)]
pub(in crate::serve) struct Metrics {
    responses: Mutex<BTreeMap<u16, u64>>,
    calls: Mutex<BTreeMap<&'static str, ToolMetrics>>,
    /// Connections that are open.
    pub(super) connections: Arc<AtomicUsize>,
    /// Requests whose responses are not written yet.
    pub(super) in_flight: Arc<AtomicUsize>,
    /// Requests and connections refused because there were too many.
    pub(super) turned_away: AtomicU64,
}

#[derive(Default)]
struct ToolMetrics {
    failed: u64,
    count: u64,
    seconds: f64,
    buckets: [u64; BUCKET_BOUNDS.len()],
}

/// Counts one until dropped.
pub(super) struct Gauge(Arc<AtomicUsize>);

impl Gauge {
    pub(super) fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Metrics {
    /// Counts a response that was written or given up.
    pub(super) fn record_response(&self, status: u16) {
        *lock(&self.responses).entry(status).or_default() += 1;
    }

    pub(in crate::serve) fn record_call(&self, tool: &'static str, took: Duration, is_error: bool) {
        let mut calls = lock(&self.calls);
        let calls = calls.entry(tool).or_default();
        let seconds = took.as_secs_f64();
        calls.count += 1;
        calls.seconds += seconds;
        calls.failed += u64::from(is_error);
        let above = BUCKET_BOUNDS.iter().zip(&mut calls.buckets).filter(|(bound, _)| seconds <= **bound);
        above.for_each(|(_, bucket)| *bucket += 1);
    }

    /// All metrics. `sessions` counts those of the older protocol versions.
    pub(super) fn text(&self, sessions: usize) -> String {
        let mut out = String::new();
        let gauges = [
            ("pagewise_http_connections", "Open connections.", self.connections.load(Ordering::SeqCst)),
            ("pagewise_http_requests_in_flight", "Requests not answered yet.", self.in_flight.load(Ordering::SeqCst)),
            ("pagewise_mcp_sessions", "Open sessions of the older protocols.", sessions),
        ];
        for (name, help, value) in gauges {
            line(&mut out, format_args!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}"));
        }
        let turned_away = self.turned_away.load(Ordering::SeqCst);
        line(
            &mut out,
            format_args!(
                "# HELP pagewise_http_turned_away_total Requests and connections refused because there were too many.\n# TYPE pagewise_http_turned_away_total counter\npagewise_http_turned_away_total {turned_away}"
            ),
        );
        line(
            &mut out,
            format_args!(
                "# HELP pagewise_http_responses_total Responses by status.\n# TYPE pagewise_http_responses_total counter"
            ),
        );
        for (status, count) in lock(&self.responses).iter() {
            line(&mut out, format_args!("pagewise_http_responses_total{{status=\"{status}\"}} {count}"));
        }
        self.calls_text(&mut out);
        out
    }

    fn calls_text(&self, out: &mut String) {
        line(
            out,
            format_args!(
                "# HELP pagewise_tool_errors_total Calls answered with an error.\n# TYPE pagewise_tool_errors_total counter"
            ),
        );
        let calls = lock(&self.calls);
        for (tool, calls) in calls.iter() {
            line(out, format_args!("pagewise_tool_errors_total{{tool=\"{tool}\"}} {}", calls.failed));
        }
        line(out, format_args!("# HELP pagewise_tool_seconds Time of calls.\n# TYPE pagewise_tool_seconds histogram"));
        for (tool, calls) in calls.iter() {
            for (bound, count) in BUCKET_BOUNDS.iter().zip(&calls.buckets) {
                line(out, format_args!("pagewise_tool_seconds_bucket{{tool=\"{tool}\",le=\"{bound}\"}} {count}"));
            }
            let ToolMetrics { count, seconds, .. } = calls;
            line(out, format_args!("pagewise_tool_seconds_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {count}"));
            line(out, format_args!("pagewise_tool_seconds_sum{{tool=\"{tool}\"}} {seconds}"));
            line(out, format_args!("pagewise_tool_seconds_count{{tool=\"{tool}\"}} {count}"));
        }
    }
}

/// The metrics of the store; `tally` is `None` if it did not answer in time. `in_doubt` counts conversations that are not
/// relied on.
pub(super) fn store_text(tally: Option<StoreTally>, in_doubt: usize) -> String {
    let mut out = String::new();
    let StoreTally { reads, writes } = tally.unwrap_or_default();
    let is_failing = tally.is_none() || reads.is_failing || writes.is_failing;
    let rows = [
        ("pagewise_store_reads_total", "counter", "Reads of the store.", reads.calls),
        ("pagewise_store_read_failures_total", "counter", "Failed reads of the store.", reads.failures),
        ("pagewise_store_writes_total", "counter", "Writes to the store.", writes.calls),
        ("pagewise_store_write_failures_total", "counter", "Failed writes to the store.", writes.failures),
        ("pagewise_store_failing", "gauge", "Whether the store is failing now.", u64::from(is_failing)),
        ("pagewise_conversations_in_doubt", "gauge", "Conversations whose record is not trusted.", in_doubt as u64),
    ];
    for (name, kind, help, value) in rows {
        line(&mut out, format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"));
    }
    out
}

/// The metrics of the reader of PDFs.
pub(super) fn reader_text(memory: ReaderMemory) -> String {
    let mut out = String::new();
    let ReaderMemory { workers, worker_bytes, open_documents, cached_bytes } = memory;
    let rows = [
        ("pagewise_workers", "Workers that run.", workers as u64),
        ("pagewise_worker_resident_bytes", "Resident memory of idle workers.", worker_bytes),
        ("pagewise_open_documents", "Documents that idle workers keep open.", open_documents as u64),
        ("pagewise_cached_bytes", "Answers about documents that are kept.", cached_bytes),
    ];
    for (name, help, value) in rows {
        line(&mut out, format_args!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}"));
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
