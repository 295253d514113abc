//! Times and lifetimes of games in real time (rtGDL), as exact decimals.
//!
//! Nothing here is a floating-point number: a manager and its players work out the same state for ever only where
//! sums and differences are exact.

use std::fmt;

/// Units of a [`GameTime`] in one unit of game time.
const UNITS: u64 = 1_000_000_000;

/// Digits after the point.
const DIGITS: usize = 9;

/// The name of the lifetime of what never expires.
pub const INFINITY: &str = "infinity";

/// A point in time or a span of time: a whole number of 10^-9 units of game time, up to [`GameTime::MAX`].
///
/// A unit of game time lasts as long as the play clock of a match says (rtGDL paper, section 4.1).
///
/// ```
/// use ludex_gdl::GameTime;
///
/// let half = GameTime::parse("0.50")?;
/// assert_eq!(half.to_string(), "0.5");
/// assert_eq!(half.checked_add(half).map(|time| time.to_string()), Some("1".to_owned()));
/// assert_eq!(half.checked_sub(GameTime::ONE), None);
/// # Ok::<(), ludex_gdl::TimeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameTime(u64);

/// Why a name is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// It is no decimal number: digits without leading zeros, perhaps a point with digits behind it.
    #[error("is no decimal number")]
    NoDecimal,
    /// There are more than nine digits after the point.
    #[error("has more than nine digits after the point")]
    TooFine,
    /// It is above [`GameTime::MAX`].
    #[error("is more than the longest time, {}", GameTime::MAX)]
    TooLarge,
}

impl GameTime {
    /// No time at all; the start of a game.
    pub const ZERO: Self = Self(0);
    /// One unit of game time.
    pub const ONE: Self = Self(UNITS);
    /// The longest time, more than 18 billion units of game time.
    pub const MAX: Self = Self(u64::MAX - 1);

    /// The time of so many 10^-9 units; `None` above [`GameTime::MAX`].
    #[inline]
    pub fn from_units(units: u64) -> Option<Self> {
        (units <= Self::MAX.0).then_some(Self(units))
    }

    /// How many 10^-9 units it is.
    #[inline]
    pub fn units(self) -> u64 {
        self.0
    }

    /// Reads a decimal number, such as `12` or `0.50`. Zeros at the end of the digits after the point count for
    /// nothing, however many there are.
    ///
    /// # Errors
    /// [`TimeError`].
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction.trim_end_matches('0')),
            Some(_) => return Err(TimeError::NoDecimal),
            None => (text, ""),
        };
        if !is_digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(TimeError::NoDecimal);
        }
        if fraction.len() > DIGITS {
            return Err(TimeError::TooFine);
        }
        let whole: u64 = whole.parse().map_err(|_| TimeError::TooLarge)?;
        let mut units = 0;
        for digit in fraction.bytes().chain(std::iter::repeat(b'0')).take(DIGITS) {
            units = units * 10 + u64::from(digit - b'0');
        }
        let units = whole.checked_mul(UNITS).and_then(|whole| whole.checked_add(units));
        units.and_then(Self::from_units).ok_or(TimeError::TooLarge)
    }

    /// The sum; `None` above [`GameTime::MAX`].
    #[inline]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).and_then(Self::from_units)
    }

    /// The difference; `None` below 0.
    #[inline]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The time without its part of a unit of game time.
    #[must_use]
    pub fn floor(self) -> Self {
        Self(self.0 - self.0 % UNITS)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for GameTime {
    /// The shortest decimal number that is exactly this time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / UNITS, self.0 % UNITS);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:0DIGITS$}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// How long a fact goes on to hold: a time greater than 0, or for ever. Nothing lasts longer than
/// [`Lifetime::INFINITE`].
///
/// ```
/// use ludex_gdl::Lifetime;
///
/// let [short, endless] = ["1.50", "infinity"].map(|text| Lifetime::parse(text).expect("a lifetime"));
/// assert!(short < endless && endless == Lifetime::INFINITE);
/// assert_eq!((short.to_string(), endless.to_string()), ("1.5".into(), "infinity".into()));
/// assert!(Lifetime::parse("0.0").is_err() && Lifetime::parse("soon").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lifetime(u64);

/// Why a name is no lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LifetimeError {
    /// It is 0 or less.
    #[error("is not greater than 0")]
    NotPositive,
    /// It is no time.
    #[error("{}", match .0 {
        TimeError::NoDecimal => "is neither a decimal number nor `infinity`".to_owned(),
        other => other.to_string(),
    })]
    NoTime(#[from] TimeError),
}

impl Lifetime {
    /// Of what never expires.
    pub const INFINITE: Self = Self(u64::MAX);

    /// The lifetime that ends after this time; `None` for [`GameTime::ZERO`].
    pub fn finite(time: GameTime) -> Option<Self> {
        (time > GameTime::ZERO).then_some(Self(time.0))
    }

    /// The time after which it ends; `None` where it never does.
    pub fn time(self) -> Option<GameTime> {
        GameTime::from_units(self.0)
    }

    /// What is left of it after some time; `None` where it is over.
    pub fn after(self, elapsed: GameTime) -> Option<Self> {
        match self.time() {
            None => Some(self),
            Some(time) => time.checked_sub(elapsed).and_then(Self::finite),
        }
    }

    /// Reads `infinity` or a decimal number greater than 0.
    ///
    /// # Errors
    /// [`LifetimeError`].
    pub fn parse(text: &str) -> Result<Self, LifetimeError> {
        if text == INFINITY {
            return Ok(Self::INFINITE);
        }
        if text.strip_prefix('-').is_some_and(|positive| GameTime::parse(positive).is_ok()) {
            return Err(LifetimeError::NotPositive);
        }
        Self::finite(GameTime::parse(text)?).ok_or(LifetimeError::NotPositive)
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time() {
            Some(time) => write!(f, "{time}"),
            None => f.write_str(INFINITY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_and_written_shortly() {
        for (text, units, written) in [
            ("0", 0, "0"),
            ("0.0", 0, "0"),
            ("1.0", UNITS, "1"),
            ("0.50", UNITS / 2, "0.5"),
            ("120.0", 120 * UNITS, "120"),
            ("10.000000001", 10 * UNITS + 1, "10.000000001"),
            ("0.1000000000000", UNITS / 10, "0.1"),
            ("18446744073.709551614", u64::MAX - 1, "18446744073.709551614"),
        ] {
            let time = GameTime::parse(text).unwrap();
            assert_eq!((time.units(), time.to_string().as_str()), (units, written), "{text}");
            assert_eq!(GameTime::parse(written), Ok(time));
        }
    }

    #[test]
    fn what_is_no_time_is_told_apart() {
        for text in ["", ".", "1.", ".5", "01", "00.5", "1.5.2", "-1", "+1", "1e3", "one", " 1", "1,5", "٣"]
        {
            assert_eq!(GameTime::parse(text), Err(TimeError::NoDecimal), "{text}");
        }
        assert_eq!(GameTime::parse("0.0000000001"), Err(TimeError::TooFine));
        for text in ["18446744073.709551615", "18446744074", "99999999999999999999999", "20000000000.5"] {
            assert_eq!(GameTime::parse(text), Err(TimeError::TooLarge), "{text}");
        }
        assert_eq!(GameTime::MAX.checked_add(GameTime(1)), None);
    }

    #[test]
    fn lifetimes_are_positive_and_end() {
        for text in ["0", "0.000", "-1", "-0.5"] {
            assert_eq!(Lifetime::parse(text), Err(LifetimeError::NotPositive), "{text}");
        }
        let error = Lifetime::parse("soon").unwrap_err();
        assert_eq!(error.to_string(), "is neither a decimal number nor `infinity`");
        let lifetime = Lifetime::parse("1.5").unwrap();
        let left = |time: &str| lifetime.after(GameTime::parse(time).unwrap()).map(|l| l.to_string());
        assert_eq!(
            [left("0"), left("1.25"), left("1.5"), left("2")].map(|l| l.unwrap_or_default()),
            ["1.5", "0.25", "", ""]
        );
        assert_eq!(Lifetime::INFINITE.after(GameTime::MAX), Some(Lifetime::INFINITE));
        assert_eq!(
            (lifetime.time().map(GameTime::floor), Lifetime::INFINITE.time()),
            (Some(GameTime::ONE), None)
        );
    }
}
