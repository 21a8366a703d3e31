//! The system calls that a worker may make.

use std::collections::BTreeMap;

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// Calls allowed with any arguments: memory, threads, time, random numbers, and open descriptors.
const FREE: [i64; 40] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_sendto,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_getrusage,
    libc::SYS_getcpu,
    libc::SYS_membarrier,
    libc::SYS_set_tid_address,
    // A separate filter refuses it with ENOSYS: its flags are in memory that filters cannot see.
    libc::SYS_clone3,
];

/// All allowed calls with conditions on their arguments.
pub(super) fn allowed_calls(own_process: u64) -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = FREE.into_iter().map(|call| (call, Vec::new())).collect();
    let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    // No executable memory, so that data cannot become code.
    rules.insert(libc::SYS_mmap, vec![when(2, SeccompCmpOp::MaskedEq(executable), 0)?]);
    rules.insert(libc::SYS_mprotect, vec![when(2, SeccompCmpOp::MaskedEq(executable), 0)?]);
    // Threads, not processes.
    rules.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    // Signals only to itself, which abort needs.
    rules.insert(libc::SYS_tgkill, vec![when(0, SeccompCmpOp::Eq, own_process)?]);
    // The names of threads.
    rules.insert(libc::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, u64::from(libc::PR_SET_NAME.unsigned_abs()))?]);
    Ok(rules)
}

fn when(argument: u8, operation: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operation, value)?;
    SeccompRule::new(vec![condition])
}
