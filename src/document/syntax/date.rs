//! Dates (ISO 32000-2, 7.9.4) in RFC 3339.

use std::ops::RangeInclusive;

/// A PDF date as RFC 3339, such as `2024-05-06T07:08:09+02:00`. A text that is no date, or a date that does not exist, is
/// given as it stands; `None` if it says nothing.
///
/// Missing fields default as specified: the first month and day, midnight, Universal Time. ISO 8601 dates are accepted,
/// since they occur in real files.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let fields = text.strip_prefix("D:").unwrap_or(text);
    rfc3339(fields).or_else(|| fields.contains(char::is_alphanumeric).then(|| text.to_owned()))
}

fn rfc3339(text: &str) -> Option<String> {
    let mut fields = DateFields { rest: text.as_bytes() };
    let year = fields.year()?;
    let month = fields.field(b'-', 1..=12)?;
    let day = fields.field_after(month, b'-', 1..=days_of(year, month.unwrap_or(1)))?;
    let hour = fields.field_after(day, b'T', 0..=23)?;
    let minute = fields.field_after(hour, b':', 0..=59)?;
    let second = fields.field_after(minute, b':', 0..=60)?;
    let zone = if hour.is_some() { fields.zone()? } else { "Z".to_owned() };
    Some(format!(
        "{year:04}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
        month.unwrap_or(1),
        day.unwrap_or(1),
        hour.unwrap_or(0),
        minute.unwrap_or(0),
        second.unwrap_or(0),
    ))
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The unread rest of a date.
struct DateFields<'a> {
    rest: &'a [u8],
}

impl DateFields<'_> {
    /// Four digits, or `19` and the years since 1900 in three digits, as some producers wrote after 1999.
    fn year(&mut self) -> Option<u32> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == "19100MMDDHHmmSS".len() && self.rest.starts_with(b"191") {
            let century = self.number(2)?;
            return Some(century * 100 + self.number(3)?);
        }
        self.number(4)
    }

    fn number(&mut self, digits: usize) -> Option<u32> {
        let (token, rest) = self.rest.split_at_checked(digits)?;
        if !token.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.rest = rest;
        Some(token.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    /// Two digits after an optional ISO 8601 separator; `None` if they are out of `range`, `Some(None)` if there are none.
    fn field(&mut self, separator: u8, range: RangeInclusive<u32>) -> Option<Option<u32>> {
        let before = self.rest;
        let separators: &[u8] = if separator == b'T' { b"T " } else { std::slice::from_ref(&separator) };
        if let Some((first, rest)) = self.rest.split_first()
            && separators.contains(first)
        {
            self.rest = rest;
        }
        let value = self.number(2);
        if value.is_none() {
            self.rest = before;
        }
        if value.is_none_or(|value| range.contains(&value)) { Some(value) } else { None }
    }

    /// [`Self::field`], if there is a field before it.
    fn field_after(&mut self, before: Option<u32>, separator: u8, range: RangeInclusive<u32>) -> Option<Option<u32>> {
        if before.is_some() { self.field(separator, range) } else { Some(None) }
    }

    /// The time zone, such as `+HH'mm'`, as `+HH:mm`; `None` if there is no such zone.
    fn zone(&mut self) -> Option<String> {
        // Fractions of a second, as XMP writes them.
        if let Some(fraction) = self.rest.strip_prefix(b".") {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.rest = fraction.get(digits..).unwrap_or_default();
        }
        let Some((sign @ (b'+' | b'-'), rest)) = self.rest.split_first() else { return Some("Z".to_owned()) };
        self.rest = rest;
        let Some(hours) = self.number(2) else { return Some("Z".to_owned()) };
        self.rest = self.rest.strip_prefix(b"'").or_else(|| self.rest.strip_prefix(b":")).unwrap_or(self.rest);
        match (hours, self.number(2).unwrap_or(0)) {
            (0, 0) => Some("Z".to_owned()),
            (0..24, minutes @ 0..60) => Some(format!("{}{hours:02}:{minutes:02}", char::from(*sign))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_of_all_lengths() {
        let cases = [
            ("D:20240506070809+02'00'", "2024-05-06T07:08:09+02:00"),
            ("D:20240506070809-0530", "2024-05-06T07:08:09-05:30"),
            ("D:20240506070809Z00'00'", "2024-05-06T07:08:09Z"),
            ("D:20240506070809", "2024-05-06T07:08:09Z"),
            ("20240506", "2024-05-06T00:00:00Z"),
            ("D:2024", "2024-01-01T00:00:00Z"),
            ("2024-05-06T07:08:09.123+02:00", "2024-05-06T07:08:09+02:00"),
            ("D:20240229", "2024-02-29T00:00:00Z"),
            ("D:191010830172248", "2001-08-30T17:22:48Z"),
        ];
        for (date, expected) in cases {
            assert_eq!(super::date(date).as_deref(), Some(expected), "{date}");
        }
    }

    #[test]
    fn no_date_is_made_of_one_that_cannot_be() {
        let dates =
            ["D:20240230", "D:20241399", "D:20240115256199", "D:20240115101010+99'00'", "Monday", "D:20", "D:+024"];
        for text in dates {
            assert_eq!(date(text).as_deref(), Some(text));
        }
        for text in ["", " ", "D:"] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
