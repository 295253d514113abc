//! The relations that are built into Epilog, and their numbers.

use std::fmt;

/// A relation whose last argument is worked out from the others, or that compares its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BuiltIn {
    /// `plus(X,Y,Z)`, with any number of summands.
    Plus,
    /// `minus(X,Y,Z)`: Z is X less Y.
    Minus,
    /// `times(X,Y,Z)`, with any number of factors.
    Times,
    /// `max(X,Y,Z)`.
    Maximum,
    /// `min(X,Y,Z)`.
    Minimum,
    /// `abs(X,Y)`.
    Absolute,
    /// `leq(X,Y)`: X is at most Y.
    AtMost,
}

/// So many arguments a built-in relation may have.
const MOST_ARGUMENTS: usize = 16;

impl BuiltIn {
    /// The relation of a name, where it takes so many arguments.
    pub fn find(name: &str, arity: usize) -> Option<Self> {
        Some(match (name, arity) {
            ("plus", 3..=MOST_ARGUMENTS) => Self::Plus,
            ("minus", 3) => Self::Minus,
            ("times", 3..=MOST_ARGUMENTS) => Self::Times,
            ("max", 3..=MOST_ARGUMENTS) => Self::Maximum,
            ("min", 3..=MOST_ARGUMENTS) => Self::Minimum,
            ("abs", 2) => Self::Absolute,
            ("leq", 2) => Self::AtMost,
            _ => return None,
        })
    }

    /// Whether one of these has this name.
    pub fn is_named(name: &str) -> bool {
        (2..=3).any(|arity| Self::find(name, arity).is_some())
    }

    /// Whether Epilog has such a relation, which is none of these.
    pub fn is_unsupported(name: &str) -> bool {
        matches!(
            name,
            "evaluate"
                | "member"
                | "setofall"
                | "countofall"
                | "symleq"
                | "matches"
                | "submatches"
                | "same"
                | "mutex"
        )
    }

    /// Whether the last argument is worked out from the others.
    pub fn has_result(self) -> bool {
        self != Self::AtMost
    }

    /// What is worked out from these numbers; `None` where that is no number of at most so many digits.
    pub fn value(self, arguments: &[Number]) -> Option<Number> {
        let (first, rest) = arguments.split_first()?;
        match self {
            Self::Plus => rest.iter().try_fold(*first, |sum, number| sum.plus(*number)),
            Self::Minus => rest.first().and_then(|number| first.minus(*number)),
            Self::Times => rest.iter().try_fold(*first, |product, number| product.times(*number)),
            Self::Maximum => arguments.iter().max().copied(),
            Self::Minimum => arguments.iter().min().copied(),
            Self::Absolute => Some(Number(first.0.abs())),
            Self::AtMost => None,
        }
    }
}

/// A decimal number with at most nine digits behind its point, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Number(i128);

/// So many units are one.
const ONE: i128 = 1_000_000_000;
/// The largest number, in units: what is larger is no number of a game.
const LARGEST: i128 = ONE * ONE;

impl Number {
    /// The number that a constant is.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) || whole.len() > 9 || fraction.len() > 9 {
            return None;
        }
        let whole: i128 = whole.parse().ok()?;
        let padded = format!("{fraction:0<9}");
        let units = whole * ONE + padded.parse::<i128>().ok()?;
        Some(Self(if digits.len() < text.len() { -units } else { units }))
    }

    fn within(units: i128) -> Option<Self> {
        (units.abs() < LARGEST).then_some(Self(units))
    }

    fn plus(self, other: Self) -> Option<Self> {
        Self::within(self.0 + other.0)
    }

    fn minus(self, other: Self) -> Option<Self> {
        Self::within(self.0 - other.0)
    }

    fn times(self, other: Self) -> Option<Self> {
        // Both are less than 10^18, so that their product is less than 10^36.
        let product = self.0 * other.0;
        if product % ONE != 0 { None } else { Self::within(product / ONE) }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let (whole, fraction) = (self.0.abs() / ONE, self.0.abs() % ONE);
        write!(f, "{whole}")?;
        if fraction != 0 {
            let digits = format!("{fraction:09}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_read_and_written() {
        for text in ["0", "7", "-3", "2.5", "-0.125", "999999999.999999999"] {
            assert_eq!(number(text).to_string(), text);
        }
        assert_eq!(number("1.50").to_string(), "1.5");
        for text in ["", "-", "a", "1a", "1.", ".5", "1.2.3", "1234567890", "0.1234567891", "--1", "+1"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn results_come_last() {
        let value = |name: &str, arguments: &[&str]| {
            let built_in = BuiltIn::find(name, arguments.len() + 1)?;
            let numbers: Vec<Number> = arguments.iter().map(|text| number(text)).collect();
            built_in.value(&numbers).map(|value| value.to_string())
        };
        for (name, arguments, expected) in [
            ("plus", &["1", "2"][..], Some("3")),
            ("plus", &["1", "2", "3.5"], Some("6.5")),
            ("minus", &["1", "2"], Some("-1")),
            ("times", &["1.5", "1.5"], Some("2.25")),
            ("times", &["999999999", "999999999"], None),
            ("times", &["0.000000001", "0.5"], None),
            ("max", &["1", "-2"], Some("1")),
            ("min", &["1", "-2"], Some("-2")),
            ("abs", &["-2"], Some("2")),
            ("plus", &["1"], None),
            ("double", &["1", "2"], None),
        ] {
            assert_eq!(value(name, arguments).as_deref(), expected, "{name} {arguments:?}");
        }
    }
}
