//! Sandbox layers of Linux.

use std::collections::BTreeMap;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr, RulesetStatus, Scope,
};
use rustix::process::{Signal, getpid, set_parent_process_death_signal};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use super::SandboxLayers;
use super::system_calls::{self, Rules};

/// Applies the remaining layers, in an order in which each step is still allowed.
pub(super) fn confine(layers: SandboxLayers) -> SandboxLayers {
    SandboxLayers {
        dies_with_parent: set_parent_process_death_signal(Some(Signal::KILL)).is_ok(),
        no_new_privileges: rustix::thread::set_no_new_privs(true).is_ok(),
        landlock: forbid_files(),
        seccomp: filter_calls().is_ok(),
        ..layers
    }
}

/// Enters a Landlock domain without rules: no path, no TCP port, no other process.
fn forbid_files() -> Option<u32> {
    let newest = ABI::V7;
    let ruleset = Ruleset::default().handle_access(AccessFs::from_all(newest)).ok()?;
    let ruleset = ruleset.handle_access(AccessNet::from_all(newest)).ok()?;
    let ruleset = ruleset.scope(Scope::from_all(newest)).ok()?;
    enforced_version(&ruleset.create().ok()?.restrict_self().ok()?)
}

/// The enforced version of the Landlock interface.
pub(super) fn enforced_version(status: &RestrictionStatus) -> Option<u32> {
    match (&status.ruleset, &status.landlock) {
        (RulesetStatus::NotEnforced, _) => None,
        (_, LandlockStatus::Available { effective_abi, .. }) => Some(*effective_abi as u32),
        (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => None,
    }
}

/// System calls could not be filtered. The worker reports this and runs without the filter.
pub(super) struct FilterError;

impl<E: std::error::Error> From<E> for FilterError {
    fn from(_: E) -> Self {
        Self
    }
}

fn filter_calls() -> Result<(), FilterError> {
    allow(system_calls::worker_calls(own_process())?)
}

/// The number of this process, as arguments of system calls have it.
pub(super) fn own_process() -> u64 {
    u64::from(getpid().as_raw_nonzero().get().unsigned_abs())
}

/// Refuses all system calls but these. No filter can be added afterwards.
pub(super) fn allow(rules: Rules) -> Result<(), FilterError> {
    let refused = |error: i32| SeccompAction::Errno(error.unsigned_abs());
    // The C library tries clone3, and falls back to clone.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let unknown = program(unknown, SeccompAction::Allow, refused(libc::ENOSYS))?;
    let allowed = program(rules, refused(libc::EPERM), SeccompAction::Allow)?;
    // The stricter result of both filters applies.
    apply_filter(&unknown)?;
    apply_filter(&allowed)?;
    Ok(())
}

/// A filter that answers the calls of `rules` with `listed`, and all others with `otherwise`.
pub(super) fn program(
    rules: Rules,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<BpfProgram, FilterError> {
    let filter = SeccompFilter::new(rules, otherwise, listed, std::env::consts::ARCH.try_into()?)?;
    Ok(filter.try_into()?)
}
