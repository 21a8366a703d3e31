//! Dates of documents, as numbers like 20240301, and ranges of them.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The date of an RFC 3339 text; `None` if it begins with none.
#[must_use]
pub fn date_of_text(text: &str) -> Option<u32> {
    let mut parts = text.get(..10)?.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    Some(year * 10_000 + month * 100 + day)
}

/// The date of a moment in nanoseconds since 1970, in UTC. The algorithm is Howard Hinnant's `civil_from_days`.
#[must_use]
pub fn date_of_moment(nanoseconds: i128) -> u32 {
    let seconds = i64::try_from(nanoseconds.div_euclid(1_000_000_000)).unwrap_or(0);
    // Years begin in March, so that the leap day is the last.
    let days = seconds.div_euclid(DAY) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    u32::try_from(year * 10_000 + month * 100 + day).unwrap_or(0)
}

/// `2024-03-01` for 20240301.
#[must_use]
pub fn date_text(date: u32) -> String {
    format!("{:04}-{:02}-{:02}", date / 10_000, date / 100 % 100, date % 100)
}

/// The dates that a search asks for, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    first: u32,
    last: u32,
}

impl DateRange {
    /// Reads `2023`, `2023-05`, `2023-05-17`, and two of these with `..` between or at one end; `None` if it is no range.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        let (from, to) = (from.trim(), to.trim());
        let first = if from.is_empty() { Some(0) } else { padded(from, 0) };
        let last = if to.is_empty() { Some(u32::MAX) } else { padded(to, 99) };
        let range = Self { first: first?, last: last? };
        (range.first <= range.last && !(from.is_empty() && to.is_empty())).then_some(range)
    }

    /// Whether `date` lies in it.
    #[must_use]
    pub fn contains(self, date: u32) -> bool {
        (self.first..=self.last).contains(&date)
    }
}

/// A date whose missing month and day are `missing`.
fn padded(text: &str, missing: u32) -> Option<u32> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4).and_then(number)?;
    let mut part = |most: u32| match parts.next() {
        None => Some(missing),
        Some(part) => number(part).filter(|part| (1..=most).contains(part)),
    };
    let (month, day) = (part(12)?, part(31)?);
    parts.next().is_none().then_some(year * 10_000 + month * 100 + day)
}

/// A number of digits alone.
fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends_and_parts_of_dates_are_whole_years_and_months() {
        let has = |range: &str, date| DateRange::parse(range).is_some_and(|range| range.contains(date));
        assert!(has("2023", 20230101) && has("2023", 20231231) && !has("2023", 20240101));
        assert!(has("2023-02..2023-03", 20230331) && !has("2023-02..2023-03", 20230401));
        assert!(has("2023-05-17", 20230517) && !has("2023-05-17", 20230518));
        assert!(has("2023..", 29991231) && has("..2023-05", 19991231) && !has("..2023-05", 20230601));
        for wrong in ["", "..", "23", "2023-13", "2023-00", "2023-01-32", "2024..2023", "2023-01-01-01", "+202", "next"]
        {
            assert_eq!(DateRange::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn texts_and_moments_are_dates() {
        assert_eq!(date_of_text("2024-03-01T12:00:00Z"), Some(20240301));
        assert_eq!(date_of_text("2024"), None);
        let of = |seconds: i128| date_of_moment(seconds * 1_000_000_000);
        assert_eq!((of(0), of(951_782_400), of(1_735_689_599)), (19700101, 20000229, 20241231));
        assert_eq!((of(-1), date_text(20240301)), (19691231, "2024-03-01".to_owned()));
    }
}
