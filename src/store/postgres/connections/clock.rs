//! Converts between this machine's clock and the database's. Machines that share a database need not agree on the time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use pagewise_view::Moment;

/// Seconds that the database's clock is ahead of this machine's.
#[derive(Debug, Default)]
pub(in crate::postgres) struct DatabaseClock {
    ahead: AtomicI64,
}

/// Differences up to this many seconds are measurement noise.
const MAX_AGREEMENT: i64 = 2;

impl DatabaseClock {
    /// Updates the difference from a reading of the database's clock.
    pub(in crate::postgres) fn set(&self, database: i64, now: SystemTime) {
        let ahead = database.saturating_sub(unix_seconds(now));
        let ahead = if ahead.abs() <= MAX_AGREEMENT { 0 } else { ahead };
        self.ahead.store(ahead, Ordering::Relaxed);
    }

    /// Seconds that the database's clock is ahead; 0 if they agree.
    pub(in crate::postgres) fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::Relaxed)
    }

    /// Converts a local time to the database's, in seconds since 1970.
    pub(in crate::postgres) fn to_database(&self, moment: SystemTime) -> i64 {
        unix_seconds(moment).saturating_add(self.ahead())
    }

    /// Converts a database time to local time.
    pub(in crate::postgres) fn moment_of(&self, seconds: i64) -> SystemTime {
        let seconds = u64::try_from(seconds.saturating_sub(self.ahead())).unwrap_or(0);
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

fn unix_seconds(moment: SystemTime) -> i64 {
    i64::try_from(Moment::from(moment).0).unwrap_or(i64::MAX)
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
