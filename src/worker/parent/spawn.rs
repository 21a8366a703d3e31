//! Starts worker processes.

use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use super::supervision::PAUSE;
use crate::worker::error::WorkerError;
use crate::worker::settings::WorkerSettings;

/// Tells glibc's allocator to keep 16 MiB of freed memory. Otherwise every large page causes page faults on fresh memory.
const ALLOCATOR: [(&str, &str); 1] = [(
    "GLIBC_TUNABLES",
    "glibc.malloc.mmap_threshold=16777216:glibc.malloc.trim_threshold=16777216:glibc.malloc.top_pad=1048576",
)];

/// Starts a worker. Returns the process, its socket and its standard error.
pub(super) fn spawn(settings: &WorkerSettings) -> io::Result<(Child, UnixStream, PipeReader)> {
    let (ours, theirs) = UnixStream::pair()?;
    let (stderr_tail, child_stderr) = io::pipe()?;
    // A worker that writes more than the pipe holds must not block.
    rustix::fs::fcntl_setfl(&child_stderr, rustix::fs::OFlags::NONBLOCK)?;
    rustix::fs::fcntl_setfl(&stderr_tail, rustix::fs::OFlags::NONBLOCK)?;
    let child = Command::new(&settings.program)
        .arg0("pagewise")
        .args(["worker", &settings.memory_bytes.to_string()])
        // No secrets from the environment.
        .env_clear()
        .envs(ALLOCATOR)
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::from(OwnedFd::from(child_stderr)))
        .spawn()?;
    ours.set_write_timeout(Some(settings.deadline))?;
    ours.set_read_timeout(Some(PAUSE))?;
    Ok((child, ours, stderr_tail))
}

/// The error of a worker that could not be started.
pub(super) fn start_error(error: &io::Error) -> WorkerError {
    WorkerError::NotStarted { reason: error.to_string() }
}
