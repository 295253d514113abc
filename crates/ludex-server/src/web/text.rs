//! Times and numbers as people read them.

/// Milliseconds as seconds.
pub(super) fn seconds(milliseconds: u64) -> String {
    format!("{:.1} s", milliseconds as f64 / 1000.0)
}

/// What is left on a clock: `58:40` from a minute on, else `42 s`.
pub(super) fn clock(milliseconds: &u64) -> String {
    match milliseconds / 1000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{}:{:02}", seconds / 60, seconds % 60),
    }
}

/// A moment, in milliseconds since 1970, as a date and a time (UTC).
pub(super) fn moment(milliseconds: u64) -> String {
    let minutes = milliseconds / 60_000;
    let (days, minute) = (minutes / 1440, minutes % 1440);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minute / 60, minute % 60)
}

/// The date so many days after the first of January 1970. The calendar repeats itself every 400 years, and
/// is simpler where years begin in March.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + later, month, date)
}

/// The days since 1970 of a date, the other way round; `None` where there is no such date.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (shifted, of_year) = if month > 2 { (month - 3, year) } else { (month + 9, year - 1) };
    let (era, in_era) = (of_year / 400, of_year % 400);
    let of_days = (153 * shifted + 2) / 5 + day - 1;
    let total = era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + of_days - 719_468;
    (date(total) == (year, month, day)).then_some(total)
}

/// The moment that a field for date and time holds, such as `2026-01-31T18:30`, taken as UTC.
pub(super) fn read_moment(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let number = |text: &str| text.parse::<u64>().ok();
    let mut parts = date.split('-').map(number);
    let days = days(parts.next()??, parts.next()??, parts.next()??)?;
    let mut parts = time.split(':').map(number);
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let valid = hour < 24 && minute < 60 && second < 60;
    valid.then_some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000)
}

/// A number with one decimal where it has any.
pub(super) fn decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read() {
        assert_eq!(moment(0), "1970-01-01 00:00");
        assert_eq!(moment(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(moment(1_767_225_540_000), "2025-12-31 23:59");
        for text in ["2024-02-29T23:59", "1999-12-31T00:00", "2100-03-01T12:30"] {
            assert_eq!(moment(read_moment(text).unwrap()), text.replace('T', " "));
        }
        for text in
            ["", "2023-02-29T00:00", "2024-13-01T00:00", "2024-01-01T24:00", "x-y-zT1:2", "2024-01-01"]
        {
            assert_eq!(read_moment(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_are_short() {
        let clocks = [0, 9_999, 59_999, 60_000, 3_520_400].map(|left| clock(&left));
        assert_eq!(clocks, ["0 s", "9 s", "59 s", "1:00", "58:40"]);
    }

    #[test]
    fn numbers_have_no_decimals_that_say_nothing() {
        assert_eq!([decimal(3.0), decimal(2.5), decimal(0.0)], ["3", "2.5", "0"]);
    }
}
