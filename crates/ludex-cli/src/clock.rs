//! The date, and the time of what is measured.

/// Milliseconds since 1970, for records that carry dates.
#[expect(clippy::disallowed_methods, reason = "a leaf: only a record's date comes from here")]
pub fn unix_milliseconds() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

/// Now, for what is measured of processes on this machine.
#[cfg(feature = "server")]
#[expect(clippy::disallowed_methods, reason = "a leaf: no result depends on it but what is measured")]
pub fn now() -> std::time::Instant {
    std::time::Instant::now()
}
