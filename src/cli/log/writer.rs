//! Writes the log from a thread of its own, so that a server never waits for whoever reads standard error.
//!
//! A client may start a server and never read its standard error. The pipe fills up, and the next write blocks.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tracing_subscriber::fmt::MakeWriter;

/// Lines that wait to be written. Further lines are dropped and counted.
const MAX_WAITING_LINES: usize = 1_024;

/// How long a flush waits.
const MAX_FLUSH_WAIT: Duration = Duration::from_secs(1);
const FLUSH_PAUSE: Duration = Duration::from_millis(5);

enum Message {
    Line(Vec<u8>),
    /// Is answered when everything before it was written.
    Flush(SyncSender<()>),
}

/// Takes lines without waiting.
#[derive(Clone)]
pub(crate) struct LogWriter {
    messages: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

impl LogWriter {
    /// Starts the thread. `report` gives the line that says how many lines were dropped.
    ///
    /// # Errors
    ///
    /// The system starts no thread.
    pub(crate) fn start(
        output: impl io::Write + Send + 'static,
        report: impl Fn(u64) -> String + Send + 'static,
    ) -> io::Result<Self> {
        let (messages, waiting) = sync_channel(MAX_WAITING_LINES);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = dropped.clone();
        thread::Builder::new()
            .name("pagewise-log".to_owned())
            .spawn(move || write_all(&waiting, output, &counted, report))?;
        Ok(Self { messages, dropped })
    }

    /// Waits until the lines so far were written, or for a second.
    fn wait(&self) {
        let end = Instant::now() + MAX_FLUSH_WAIT;
        let (done, waiting) = sync_channel(1);
        while let Err(TrySendError::Full(_)) = self.messages.try_send(Message::Flush(done.clone())) {
            if Instant::now() >= end {
                return;
            }
            thread::sleep(FLUSH_PAUSE);
        }
        drop(done);
        // Lines that nobody reads are lost with the process.
        let _ = waiting.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

/// Writes the last lines when it is dropped.
#[must_use]
pub(crate) struct FlushGuard(pub(crate) LogWriter);

impl Drop for FlushGuard {
    fn drop(&mut self) {
        self.0.wait();
    }
}

fn write_all(
    waiting: &Receiver<Message>,
    mut output: impl io::Write,
    dropped: &AtomicU64,
    report: impl Fn(u64) -> String,
) {
    for message in waiting {
        let count = dropped.swap(0, Ordering::Relaxed);
        if count > 0 {
            // There is no other place to report a failure.
            let _ = output.write_all(report(count).as_bytes());
        }
        match message {
            Message::Line(line) => drop(output.write_all(&line)),
            Message::Flush(done) => drop(done.try_send(())),
        }
    }
}

impl io::Write for LogWriter {
    /// Takes one event, as one line whatever text of a client is in it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = line.strip_suffix(b"\n").unwrap_or(line).iter();
        let line_bytes = text.map(|byte| if byte.is_ascii_control() { b' ' } else { *byte }).chain([b'\n']);
        if self.messages.try_send(Message::Line(line_bytes.collect())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

    use std::io::Write as _;

    use super::*;

    /// Takes a line only when it is told to.
    struct Slow(Receiver<()>, SyncSender<Vec<u8>>);

    impl io::Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // Afterwards it takes all.
            let _ = self.0.recv();
            let _ = self.1.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_nobody_reads_are_dropped_counted_and_told_of() {
        let (read, reading) = sync_channel(0);
        let (taken, lines) = sync_channel(2 * MAX_WAITING_LINES);
        let mut log = LogWriter::start(Slow(reading, taken), |count| format!("{count} dropped\n")).unwrap();
        let count = MAX_WAITING_LINES + 10;
        for number in 0..count {
            log.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
        drop(read);
        drop(FlushGuard(log));
        let lines = lines.try_iter().map(|line| String::from_utf8(line).unwrap()).collect::<Vec<_>>();
        let dropped = count - (lines.len() - 1);
        assert!((1..=10).contains(&dropped), "{dropped}");
        let told = lines.iter().filter(|line| line.ends_with("dropped\n")).collect::<Vec<_>>();
        assert_eq!(told, [&format!("{dropped} dropped\n")]);
    }

    #[test]
    fn an_event_is_one_line_whatever_is_in_it() {
        let (read, reading) = sync_channel(0);
        let (taken, lines) = sync_channel(1);
        let mut log = LogWriter::start(Slow(reading, taken), |_| String::new()).unwrap();
        log.write_all(b"pagewise: two\nlines\x1b[2J\n").unwrap();
        drop(read);
        drop(FlushGuard(log));
        assert_eq!(lines.try_recv().unwrap(), b"pagewise: two lines [2J\n");
    }

    #[test]
    fn the_end_of_the_log_does_not_wait_for_a_reader_for_ever() {
        let (_read, reading) = sync_channel(0);
        let (taken, lines) = sync_channel(1);
        let mut log = LogWriter::start(Slow(reading, taken), |_| String::new()).unwrap();
        log.write_all(b"a\n").unwrap();
        drop(FlushGuard(log));
        assert!(lines.try_recv().is_err(), "nobody has read the line");
    }
}
