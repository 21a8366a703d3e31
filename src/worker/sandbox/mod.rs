//! The sandbox: what a worker gives up before it reads the first byte of a request.
//!
//! | layer | what it prevents | systems |
//! |---|---|---|
//! | resource limits | unlimited memory and processor time, growing files, many descriptors, core dumps | Unix |
//! | parent's death | outliving the parent | Linux |
//! | no new privileges | setuid programs | Linux |
//! | Landlock, without any path | all files, TCP, abstract sockets and signals of other processes | Linux 5.13, all from 6.12 |
//! | seccomp | all system calls except a few: no `open`, `socket`, `execve`, `fork` | Linux |
//!
//! Landlock allows UDP, and seccomp cannot see paths, so both are needed. A refused call returns `EPERM` instead of a
//! signal: a library that tries it gets an error, and the request continues.
//!
//! No `unsafe` code is needed: a worker is started like any program and confines itself.

#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod command;
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod linux;
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
mod system_calls;

#[cfg(all(target_os = "linux", not(pagewise_portable)))]
pub(crate) use command::{confine_command, confine_program};

#[cfg(all(unix, not(pagewise_portable)))]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

#[cfg(all(unix, not(pagewise_portable)))]
use super::settings::CPU_SECONDS;

/// The sandbox layers in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxLayers {
    /// Whether resource limits are set.
    pub resource_limits: bool,
    /// Whether the worker ends with its parent.
    pub dies_with_parent: bool,
    /// Whether the process can gain no new privileges.
    pub no_new_privileges: bool,
    /// The enforced version of the Landlock interface.
    pub landlock: Option<u32>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
}

impl SandboxLayers {
    /// The name of each layer, and whether it is in force.
    #[must_use]
    pub fn each(&self) -> [(&'static str, bool); 5] {
        [
            ("resource limits", self.resource_limits),
            ("end with the program", self.dies_with_parent),
            ("no new privileges", self.no_new_privileges),
            ("landlock", self.landlock.is_some()),
            ("seccomp", self.seccomp),
        ]
    }

    /// The missing layers as text; `None` if all are in force.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let missing = self.each().into_iter().filter(|layer| !layer.1).map(|layer| layer.0).collect::<Vec<_>>();
        (!missing.is_empty()).then(|| missing.join(", "))
    }
}

/// Confines this process for good.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) fn confine(memory_bytes: u64) -> SandboxLayers {
    let resource_limits = limit_resources(memory_bytes);
    let layers = SandboxLayers { resource_limits, ..SandboxLayers::default() };
    #[cfg(target_os = "linux")]
    let layers = linux::confine(layers);
    layers
}

/// On systems other than Linux, a command has only resource limits.
#[cfg(all(unix, not(target_os = "linux"), not(pagewise_portable)))]
pub(crate) fn confine_command(_: &std::path::Path, _: &std::path::Path, memory_bytes: u64) -> SandboxLayers {
    let limits = [(Resource::As, memory_bytes), (Resource::Cpu, CPU_SECONDS), (Resource::Core, 0)];
    SandboxLayers { resource_limits: limit_all(&limits), ..SandboxLayers::default() }
}

/// On systems other than Linux, a program has only resource limits.
#[cfg(all(unix, not(target_os = "linux"), not(pagewise_portable)))]
pub(crate) fn confine_program(memory_bytes: u64) -> SandboxLayers {
    let limits = [(Resource::As, memory_bytes), (Resource::Cpu, CPU_SECONDS), (Resource::Core, 0)];
    SandboxLayers { resource_limits: limit_all(&limits), ..SandboxLayers::default() }
}

/// On other systems, a command is not confined.
#[cfg(any(not(unix), pagewise_portable))]
pub(crate) fn confine_command(_: &std::path::Path, _: &std::path::Path, _: u64) -> SandboxLayers {
    SandboxLayers::default()
}

/// The most open descriptors: socket, standard output and error, the document, and a few for libraries.
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

/// Sets all limits, and returns whether all could be set. macOS has no limit on the address space.
#[cfg(all(unix, not(pagewise_portable)))]
fn limit_all(limits: &[(Resource, u64)]) -> bool {
    limits.iter().filter(|(resource, most)| limit(*resource, *most).is_err()).count() == 0
}

/// Lowers a limit. A lower limit stays.
#[cfg(all(unix, not(pagewise_portable)))]
fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let now = getrlimit(resource);
    let lower = |current: Option<u64>| Some(current.map_or(most, |current| current.min(most)));
    setrlimit(resource, Rlimit { current: lower(now.current), maximum: lower(now.maximum) })
}
