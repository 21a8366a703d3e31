//! The log event of each request: what was called and how it went, never its content.

use std::time::Duration;

/// What was called, for the log.
#[derive(Default, Clone)]
pub(in crate::serve) struct LoggedCall {
    pub(in crate::serve) tool: Option<&'static str>,
    pub(in crate::serve) client: Option<String>,
    pub(in crate::serve) trace: Option<String>,
}

/// What the log event says besides the outcome.
pub(super) struct RequestLogEntry {
    pub(super) is_logged: bool,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) status: u16,
}

impl RequestLogEntry {
    /// Tells of the request.
    pub(super) fn write(&self, call: &LoggedCall, bytes: u64, took: Duration) {
        if self.is_logged {
            tracing::info!(
                method = self.method,
                path = self.path,
                status = self.status,
                tool = call.tool,
                client = call.client.as_deref(),
                trace = call.trace.as_deref(),
                bytes,
                ms = f64::from(u32::try_from(took.as_micros()).unwrap_or(u32::MAX)) / 1000.0,
                "request"
            );
        }
    }
}

/// The trace context, if it has the form of W3C Trace Context.
pub(in crate::serve) fn trace_parent(text: &str) -> Option<String> {
    let parts = text.split('-').collect::<Vec<_>>();
    let is_hex = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    match parts.as_slice() {
        [version, trace, parent, flags]
            if is_hex(version, 2) && is_hex(trace, 32) && is_hex(parent, 16) && is_hex(flags, 2) =>
        {
            Some(text.to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_context_has_four_parts_of_hexadecimal_digits() {
        let right = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
        assert_eq!(trace_parent(right).as_deref(), Some(right));
        for wrong in ["", "00-0af7-00f0-01", &right.replace('0', "\n"), &format!("{right}-00")] {
            assert_eq!(trace_parent(wrong), None, "{wrong}");
        }
    }
}
