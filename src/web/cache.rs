//! HTTP caching (RFC 9111): how long a response stays fresh, and the validators that revalidate it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::http::header::{self, HeaderMap, HeaderName};

/// The validators of a response, which identify its version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Validators {
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

impl Validators {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::to_owned);
        Self { etag: text(header::ETAG), last_modified: text(header::LAST_MODIFIED) }
    }

    /// The request header fields that ask whether the stored response is current.
    pub(super) fn fields(&self) -> impl Iterator<Item = (HeaderName, &str)> {
        let etag = self.etag.as_deref().map(|etag| (header::IF_NONE_MATCH, etag));
        let date = self.last_modified.as_deref().map(|date| (header::IF_MODIFIED_SINCE, date));
        etag.into_iter().chain(date)
    }
}

/// The longest time for which a response is fresh. Servers often declare a year for content that changes sooner.
const MAX_FRESHNESS: Duration = Duration::from_secs(24 * 60 * 60);

/// The time until which a response with `headers` is fresh, in milliseconds since 1970. Without a `max-age`, it is fresh
/// for `default_freshness`.
pub(super) fn fresh_until(headers: &HeaderMap, default_freshness: Duration) -> u64 {
    let directives = headers.get_all(header::CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let directives = directives.flat_map(|value| value.split(',')).map(str::trim).collect::<Vec<_>>();
    let says = |name: &str| directives.iter().any(|directive| directive.eq_ignore_ascii_case(name));
    let age = directives.iter().find_map(|directive| {
        let (name, seconds) = directive.split_once('=')?;
        let seconds = seconds.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("max-age").then_some(Duration::from_secs(seconds))
    });
    let fresh = match age {
        _ if says("no-cache") || says("no-store") => Duration::ZERO,
        Some(age) => age.min(MAX_FRESHNESS),
        None => default_freshness,
    };
    now().saturating_add(milliseconds(fresh))
}

/// Whether a response is fresh at `now`. One that claims to be fresh for longer than is allowed was fetched while the
/// clock was wrong.
pub(super) fn is_fresh(until: u64, now: u64, default_freshness: Duration) -> bool {
    until > now && until - now <= milliseconds(MAX_FRESHNESS.max(default_freshness))
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, milliseconds)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::header::HeaderValue;

    fn fresh_seconds(cache_control: &'static str) -> u64 {
        let mut headers = HeaderMap::new();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
        fresh_until(&headers, Duration::from_secs(5_000)).saturating_sub(now()) / 1_000
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_nothing_fresh_for_ever() {
        let minute = Duration::from_secs(60);
        assert!(is_fresh(101, 100, minute) && is_fresh(86_400_100, 100, minute));
        assert!(!is_fresh(100, 100, minute) && !is_fresh(99, 100, minute));
        assert!(!is_fresh(86_400_101, 100, minute) && !is_fresh(u64::MAX, 100, minute));
        assert!(is_fresh(90_000_100, 100, Duration::from_secs(90_000)), "as the settings say");
    }

    #[test]
    fn less_than_a_second_is_some_time() {
        let before = now();
        let until = fresh_until(&HeaderMap::new(), Duration::from_millis(999));
        assert!(until >= before + 999 && until <= now() + 999);
        let half = Duration::from_millis(500);
        assert!(is_fresh(1_500, 1_499, half) && !is_fresh(1_500, 1_500, half));
    }

    #[test]
    fn what_the_server_says_of_age_holds_up_to_a_day() {
        // A second may begin between the two looks at the clock.
        let near = |cache_control, seconds: u64| fresh_seconds(cache_control).abs_diff(seconds) <= 60;
        assert!(near("public, max-age=600", 600));
        assert!(near("Max-Age=\"600\"", 600));
        assert!(near("max-age=31536000", 86_400));
        assert!(near("public", 5_000));
        assert!(near("max-age=x", 5_000));
        assert_eq!(fresh_seconds("no-store, max-age=600"), 0);
        assert_eq!(fresh_seconds("no-cache"), 0);
    }
}
