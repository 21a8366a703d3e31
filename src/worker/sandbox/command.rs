//! Confines a command that reads one document.
//!
//! Starting a worker would nearly double the time of `page` and `split`, so these read in their own process, which keeps
//! access only to the document and the output folder: no network, no other program, no other process. A watchdog thread
//! ends a command that hangs with `timeout`.
//!
//! A thread that exhausts memory or its stack aborts, which would kill the process by a signal. The filter makes the
//! system end only that thread. The watchdog, which is not filtered, notices and ends the command with `limit_exceeded`.
//! Without a filter, the command ends by the signal.

use std::collections::BTreeMap;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};
use seccompiler::{SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule, apply_filter};

use super::linux::{FilterError, enforced_version, program};
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
        seccomp: refuse_calls().is_ok(),
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
        seccomp: refuse_calls_but(&[libc::SYS_execve, libc::SYS_execveat]).is_ok(),
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

/// Refuses the calls that no reader needs, except some.
fn refuse_calls_but(needed: &[i64]) -> Result<(), FilterError> {
    let refused = REFUSED.into_iter().filter(|call| !needed.contains(call)).map(|call| (call, Vec::new()));
    let error = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    apply_filter(&program(refused.collect(), SeccompAction::Allow, error)?)?;
    Ok(())
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

/// Calls that are never needed for reading a document and writing its pages.
const REFUSED: [i64; 29] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept4,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_create,
    libc::SYS_open_by_handle_at,
    libc::SYS_shmat,
];

fn refuse_calls() -> Result<(), FilterError> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let process = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(thread), 0)?;
    refused.insert(libc::SYS_clone, vec![SeccompRule::new(vec![process])?]);
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let aborts = |signal_at: u8| {
        let signal = u64::from(libc::SIGABRT.unsigned_abs());
        let aborts = SeccompCondition::new(signal_at, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, signal)?;
        SeccompRule::new(vec![aborts]).map(|rule| vec![rule])
    };
    let aborting = BTreeMap::from([(libc::SYS_tgkill, aborts(2)?), (libc::SYS_tkill, aborts(1)?)]);
    let errno = |error: i32| SeccompAction::Errno(error.unsigned_abs());
    apply_filter(&program(unknown, SeccompAction::Allow, errno(libc::ENOSYS))?)?;
    apply_filter(&program(aborting, SeccompAction::Allow, SeccompAction::KillThread)?)?;
    apply_filter(&program(refused, SeccompAction::Allow, errno(libc::EPERM))?)?;
    Ok(())
}
