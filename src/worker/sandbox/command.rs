//! Confines a command that reads one document.
//!
//! Starting a worker would nearly double the time of `page` and `split`, so these read in their own process, which keeps
//! access only to the document and the output folder: no network, no other program, no other process. It confines itself
//! before it starts a thread, since threads share memory. A watchdog thread ends a command that hangs with `timeout`.
//!
//! A thread that exhausts memory or its stack aborts, which would kill the process by a signal. The filter makes the
//! system end only that thread. The watchdog notices and ends the command with `limit_exceeded`. Without a filter, the
//! command ends by the signal.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};
use seccompiler::{SeccompAction, apply_filter};

use super::linux::{FilterError, allow, enforced_version, own_process, program};
use super::system_calls;
use super::{SandboxLayers, limit_all};
use crate::worker::settings::CPU_SECONDS;
use rustix::process::{Resource, Signal, set_parent_process_death_signal};

/// Confines this process to reading `document` and writing in `folder`.
pub(crate) fn confine_command(document: &Path, folder: &Path, memory_bytes: u64) -> SandboxLayers {
    let limits = [(Resource::As, memory_bytes), (Resource::Cpu, CPU_SECONDS), (Resource::Core, 0)];
    SandboxLayers {
        resource_limits: limit_all(&limits),
        // A command may outlive its shell, like any other command.
        dies_with_parent: true,
        no_new_privileges: rustix::thread::set_no_new_privs(true).is_ok(),
        landlock: leave_files(document, folder),
        seccomp: filter_calls().is_ok(),
    }
}

/// Where systems install programs, their libraries and their data.
const INSTALLED: [&str; 7] = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/opt", "/nix/store"];

/// Confines this process to become an installed program that reads its standard input and writes its standard output.
pub(crate) fn confine_program(memory_bytes: u64) -> SandboxLayers {
    let limits =
        [(Resource::As, memory_bytes), (Resource::Cpu, CPU_SECONDS), (Resource::Fsize, 0), (Resource::Core, 0)];
    SandboxLayers {
        resource_limits: limit_all(&limits),
        dies_with_parent: set_parent_process_death_signal(Some(Signal::KILL)).is_ok(),
        no_new_privileges: rustix::thread::set_no_new_privs(true).is_ok(),
        landlock: leave_all_but_installed(),
        seccomp: filter_program_calls().is_ok(),
    }
}

/// Restricts file access to reading and starting what is installed.
fn leave_all_but_installed() -> Option<u32> {
    let newest = ABI::V7;
    let ruleset = Ruleset::default().handle_access(AccessFs::from_all(newest)).ok()?;
    let ruleset = ruleset.handle_access(AccessNet::from_all(newest)).ok()?;
    let mut ruleset = ruleset.scope(Scope::from_all(newest)).ok()?.create().ok()?;
    let uses = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    for folder in INSTALLED.into_iter().filter_map(|folder| PathFd::new(folder).ok()) {
        ruleset = ruleset.add_rule(PathBeneath::new(folder, uses)).ok()?;
    }
    enforced_version(&ruleset.restrict_self().ok()?)
}

/// Restricts file access. Folders can still be listed, since opening a path traverses them.
fn leave_files(document: &Path, folder: &Path) -> Option<u32> {
    let newest = ABI::V7;
    let handled = AccessFs::from_all(newest) & !BitFlags::from(AccessFs::ReadDir);
    let writes =
        AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::RemoveFile;
    let ruleset = Ruleset::default().handle_access(handled).ok()?;
    let ruleset = ruleset.handle_access(AccessNet::from_all(newest)).ok()?;
    let mut ruleset = ruleset.scope(Scope::from_all(newest)).ok()?.create().ok()?;
    // The watchdog looks whether threads are alive.
    let threads = PathFd::new("/proc/self/task").ok()?;
    ruleset = ruleset.add_rule(PathBeneath::new(threads, AccessFs::ReadFile)).ok()?;
    // A missing document is reported when it is opened.
    if let Ok(document) = PathFd::new(document) {
        ruleset = ruleset.add_rule(PathBeneath::new(document, AccessFs::ReadFile)).ok()?;
    }
    let existing = folder.ancestors().map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    if let Some(folder) = existing.filter_map(|above| PathFd::new(above).ok()).next() {
        ruleset = ruleset.add_rule(PathBeneath::new(folder, writes)).ok()?;
    }
    enforced_version(&ruleset.restrict_self().ok()?)
}

/// Allows the calls of a command. If one of its threads aborts, that thread alone is killed.
fn filter_calls() -> Result<(), FilterError> {
    let aborts = program(system_calls::aborts()?, SeccompAction::Allow, SeccompAction::KillThread)?;
    apply_filter(&aborts)?;
    allow(system_calls::command_calls(own_process())?)
}

/// Allows the calls of an installed program, and of becoming one.
fn filter_program_calls() -> Result<(), FilterError> {
    allow(system_calls::program_calls(own_process())?)
}
