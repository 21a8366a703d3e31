//! What a worker takes from itself before it reads the first byte of a request.
//!
//! | layer | what it takes | systems |
//! |---|---|---|
//! | resource limits | memory and processor time without end, files that grow, more than a few descriptors, core dumps | Unix |
//! | parent's death | a life after its parent | Linux |
//! | no new privileges | programs that would run as someone else | Linux |
//! | Landlock, without one path | every file, TCP, other processes' abstract sockets and signals to them | Linux 5.13, whole from 6.12 |
//! | seccomp | every system call but those of [`calls`](linux::calls): no `open`, `socket`, `execve`, `fork` | Linux |
//!
//! Landlock lets UDP through and seccomp cannot see paths, so that neither makes the other needless. A refused call gives
//! `EPERM` rather than a signal: a library that tries its luck gets an error, and its request goes on.
//!
//! It needs neither `unsafe` nor code between fork and exec: a worker is started as any program and confines itself.

#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod calls;
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod command;
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod linux;

#[cfg(all(target_os = "linux", not(pagewise_portable)))]
pub(crate) use command::confine_command;

#[cfg(all(unix, not(pagewise_portable)))]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

#[cfg(all(unix, not(pagewise_portable)))]
use super::settings::CPU_SECONDS;

/// The layers of the sandbox that hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    /// Resource limits.
    pub resource_limits: bool,
    /// The worker ends with its parent.
    pub dies_with_parent: bool,
    /// No new privileges.
    pub no_new_privileges: bool,
    /// The version of Landlock's interface that is enforced.
    pub landlock: Option<u32>,
    /// System calls are filtered.
    pub seccomp: bool,
}

impl Layers {
    /// Each layer with whether it holds.
    #[must_use]
    pub fn each(&self) -> [(&'static str, bool); 5] {
        [
            ("resource limits", self.resource_limits),
            ("death with the parent", self.dies_with_parent),
            ("no new privileges", self.no_new_privileges),
            ("landlock", self.landlock.is_some()),
            ("seccomp", self.seccomp),
        ]
    }

    /// The layers that do not hold, as one text; `None` where all do.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let missing = self.each().into_iter().filter(|layer| !layer.1).map(|layer| layer.0).collect::<Vec<_>>();
        (!missing.is_empty()).then(|| missing.join(", "))
    }
}

/// Confines this process for the rest of its life.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) fn confine(memory_bytes: u64) -> Layers {
    let resource_limits = limit_resources(memory_bytes);
    let layers = Layers { resource_limits, ..Layers::default() };
    #[cfg(target_os = "linux")]
    let layers = linux::confine(layers);
    layers
}

/// Elsewhere than on Linux a command has resource limits alone.
#[cfg(all(unix, not(target_os = "linux"), not(pagewise_portable)))]
pub(crate) fn confine_command(_: &std::path::Path, _: &std::path::Path, memory_bytes: u64) -> Layers {
    let limits = [(Resource::As, memory_bytes), (Resource::Cpu, CPU_SECONDS), (Resource::Core, 0)];
    Layers { resource_limits: limit_all(&limits), ..Layers::default() }
}

/// Nothing is taken from the process where there is no way to.
#[cfg(any(not(unix), pagewise_portable))]
pub(crate) fn confine_command(_: &std::path::Path, _: &std::path::Path, _: u64) -> Layers {
    Layers::default()
}

/// Descriptors: the socket, standard output and error, the document, and some that libraries hold for a moment.
#[cfg(all(unix, not(pagewise_portable)))]
const MAX_DESCRIPTORS: u64 = 16;

#[cfg(all(unix, not(pagewise_portable)))]
fn limit_resources(memory_bytes: u64) -> bool {
    let limits = [
        (Resource::As, memory_bytes),
        (Resource::Cpu, CPU_SECONDS),
        (Resource::Fsize, 0),
        (Resource::Nofile, MAX_DESCRIPTORS),
        (Resource::Core, 0),
    ];
    limit_all(&limits)
}

/// Whether all could be set. Each is tried: macOS knows no bound on the address space, and the others hold all the same.
#[cfg(all(unix, not(pagewise_portable)))]
fn limit_all(limits: &[(Resource, u64)]) -> bool {
    limits.iter().filter(|(resource, most)| limit(*resource, *most).is_err()).count() == 0
}

/// Lowers a limit; one that is lower already stays.
#[cfg(all(unix, not(pagewise_portable)))]
fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let now = getrlimit(resource);
    let lower = |current: Option<u64>| Some(current.map_or(most, |current| current.min(most)));
    setrlimit(resource, Rlimit { current: lower(now.current), maximum: lower(now.maximum) })
}
