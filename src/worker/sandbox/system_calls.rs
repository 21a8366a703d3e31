//! The system calls that a confined process may make: lists of what is allowed, so that what is not known is refused.
//!
//! The numbers of another calling convention, such as x32, are on no list.

use std::collections::BTreeMap;

use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// Calls with conditions on their arguments; no condition means any arguments.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls of every process: memory, threads, time, random numbers, and open descriptors.
const COMMON: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    // A separate filter refuses it with ENOSYS: its flags are in memory that filters cannot see.
    libc::SYS_clone3,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Calls of a worker: its socket.
const MESSAGES: &[i64] = &[libc::SYS_recvfrom, libc::SYS_recvmsg, libc::SYS_sendto];

/// Calls for reading and writing files where Landlock allows it, and for waiting for an interrupt. None changes modes,
/// owners or extended attributes, or makes links.
const FILES: &[i64] = &[
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_faccessat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getuid,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_ppoll,
    libc::SYS_pwrite64,
    libc::SYS_readlinkat,
    libc::SYS_recvfrom,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_sendto,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_unlinkat,
];

/// The same by the older names, which other processors do not have.
#[cfg(target_arch = "x86_64")]
const OLDER_FILES: &[i64] = &[
    libc::SYS_access,
    libc::SYS_epoll_wait,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_stat,
    libc::SYS_unlink,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER_FILES: &[i64] = &[];

/// Calls for becoming an installed program and loading its libraries.
const STARTING: &[i64] = &[
    libc::SYS_execve,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
];

/// Whether a descriptor is a terminal, and its size, on all processors that have this sandbox.
const TCGETS: u64 = 0x5401;
const TIOCGWINSZ: u64 = 0x5413;

pub(super) fn worker_calls(own_process: u64) -> Result<Rules, BackendError> {
    let mut rules = free(&[COMMON, MESSAGES]);
    rules.extend(without_new_code()?);
    rules.extend(within(own_process)?);
    Ok(rules)
}

/// The calls of a command that reads one document and writes its pages.
pub(super) fn command_calls(own_process: u64) -> Result<Rules, BackendError> {
    let mut rules = free(&[COMMON, FILES, OLDER_FILES]);
    rules.extend(without_new_code()?);
    rules.extend(within(own_process)?);
    // Nothing that types into a terminal.
    rules.insert(libc::SYS_ioctl, vec![when(1, TCGETS)?, when(1, TIOCGWINSZ)?]);
    // Two ends within the process, for interrupts.
    rules.insert(libc::SYS_socketpair, vec![when(0, signed(libc::AF_UNIX))?]);
    // To end by a signal if nothing else helps.
    rules.insert(libc::SYS_kill, vec![when(0, own_process)?]);
    Ok(rules)
}

/// The calls of an installed program.
pub(super) fn program_calls(own_process: u64) -> Result<Rules, BackendError> {
    let mut rules = free(&[COMMON, FILES, OLDER_FILES, STARTING]);
    rules.extend(within(own_process)?);
    rules.insert(libc::SYS_ioctl, vec![when(1, TCGETS)?, when(1, TIOCGWINSZ)?]);
    Ok(rules)
}

fn free(lists: &[&[i64]]) -> Rules {
    lists.iter().copied().flatten().map(|call| (*call, Vec::new())).collect()
}

/// No executable memory, so that data cannot become code.
fn without_new_code() -> Result<Rules, BackendError> {
    let executable = signed(libc::PROT_EXEC);
    let rule = || Ok(vec![compare(2, SeccompCmpOp::MaskedEq(executable), 0)?]);
    Ok(BTreeMap::from([(libc::SYS_mmap, rule()?), (libc::SYS_mprotect, rule()?)]))
}

/// Threads, not processes; signals only to itself, which abort needs; the names of threads.
fn within(own_process: u64) -> Result<Rules, BackendError> {
    let thread = signed(libc::CLONE_THREAD);
    Ok(BTreeMap::from([
        (libc::SYS_clone, vec![compare(0, SeccompCmpOp::MaskedEq(thread), thread)?]),
        (libc::SYS_tgkill, vec![when(0, own_process)?]),
        (libc::SYS_prctl, vec![when(0, signed(libc::PR_SET_NAME))?]),
    ]))
}

/// The calls by which a thread of this process aborts.
pub(super) fn aborts() -> Result<Rules, BackendError> {
    Ok(BTreeMap::from([(libc::SYS_tgkill, vec![when(2, signed(libc::SIGABRT))?])]))
}

fn when(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    compare(argument, SeccompCmpOp::Eq, value)
}

fn compare(argument: u8, operation: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operation, value)?;
    SeccompRule::new(vec![condition])
}

fn signed(value: i32) -> u64 {
    u64::from(value.unsigned_abs())
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;

    #[test]
    fn what_changes_more_than_a_file_of_its_own_is_on_no_list() -> Result<(), BackendError> {
        let refused = [
            libc::SYS_fork,
            libc::SYS_vfork,
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_ptrace,
            libc::SYS_process_vm_writev,
            libc::SYS_chmod,
            libc::SYS_fchmod,
            libc::SYS_fchmodat,
            libc::SYS_chown,
            libc::SYS_setxattr,
            libc::SYS_fsetxattr,
            libc::SYS_link,
            libc::SYS_symlink,
            libc::SYS_io_uring_setup,
            libc::SYS_memfd_create,
            libc::SYS_execveat,
        ];
        let lists = [worker_calls(1)?, command_calls(1)?, program_calls(1)?];
        for call in refused {
            assert!(lists.iter().all(|allowed| !allowed.contains_key(&call)), "{call}");
        }
        assert!(lists.iter().take(2).all(|allowed| !allowed.contains_key(&libc::SYS_execve)));
        Ok(())
    }
}
