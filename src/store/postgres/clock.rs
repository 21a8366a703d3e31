//! The database's clock: the machines that share it need not agree on the time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use crate::store::seconds_since_1970;

/// How many seconds the database's clock is ahead of this machine's.
#[derive(Debug, Default)]
pub(super) struct DatabaseClock {
    ahead: AtomicI64,
}

/// A difference of so few seconds is that of two readings, and no difference.
const MAX_AGREEMENT: i64 = 2;

impl DatabaseClock {
    /// Takes note of what the database's clock says now.
    pub(super) fn set(&self, database: i64, now: SystemTime) {
        let ahead = database.saturating_sub(unix_seconds(now));
        let ahead = if ahead.abs() <= MAX_AGREEMENT { 0 } else { ahead };
        self.ahead.store(ahead, Ordering::Relaxed);
    }

    /// How many seconds the database's clock is ahead; 0 where they agree.
    pub(super) fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::Relaxed)
    }

    /// A moment of this machine in seconds since 1970 of the database.
    pub(super) fn to_database(&self, moment: SystemTime) -> i64 {
        unix_seconds(moment).saturating_add(self.ahead())
    }

    /// A moment of the database as one of this machine.
    pub(super) fn moment_of(&self, seconds: i64) -> SystemTime {
        let seconds = u64::try_from(seconds.saturating_sub(self.ahead())).unwrap_or(0);
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

fn unix_seconds(moment: SystemTime) -> i64 {
    i64::try_from(seconds_since_1970(moment)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_two_clocks_are_the_same_moments() {
        let clock = DatabaseClock::default();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (database, ahead) in [(1_000_002, 0), (999_998, 0), (1_000_003, 3), (996_400, -3_600)] {
            clock.set(database, now);
            assert_eq!(clock.ahead(), ahead);
            assert_eq!(clock.to_database(now), 1_000_000 + ahead);
            assert_eq!(clock.moment_of(clock.to_database(now)), now);
        }
    }
}
