//! Decimal numbers as managers of all kinds write them.

use ludex_gdl::GameTime;

/// More digits, or a larger exponent, has no number that anybody means.
const LONGEST: usize = 400;

/// Reads a number that is not negative: a decimal, or what others print of a floating-point number, such as
/// `0.30000000000000004` or `1e-05`. It becomes the nearest time; nothing in between is a floating-point number. `None`
/// for what is no number, and above [`GameTime::MAX`].
pub(super) fn decimal(text: &str) -> Option<GameTime> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text.len() > LONGEST {
        return None;
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // So many of the digits make the number in units of 10^-9.
    let kept = i64::try_from(whole.len()).ok()? + i64::from(exponent) + 9;
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some(GameTime::ZERO);
    }
    let kept = kept - i64::try_from(digits.len() - significant.len()).ok()?;
    let Ok(kept) = usize::try_from(kept) else { return Some(GameTime::ZERO) };
    // The longest time has 20 digits.
    if kept > 20 {
        return None;
    }
    let mut units: u64 = 0;
    for digit in significant.bytes().chain(std::iter::repeat(b'0')).take(kept) {
        units = units.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    let is_more = significant.as_bytes().get(kept).is_some_and(|&digit| digit >= b'5');
    GameTime::from_units(units.checked_add(u64::from(is_more))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_the_nearest_time() {
        for (text, time) in [
            ("0", "0"),
            ("0.000", "0"),
            ("+1.50", "1.5"),
            ("007", "7"),
            (".5", "0.5"),
            ("5.", "5"),
            ("0.30000000000000004", "0.3"),
            ("0.29999999999999998", "0.3"),
            ("0.0000000005", "0.000000001"),
            ("0.00000000049", "0"),
            ("1e-05", "0.00001"),
            ("1.25E+1", "12.5"),
            ("1e-400", "0"),
            ("12.345678901234", "12.345678901"),
            ("18446744073.709551614", "18446744073.709551614"),
        ] {
            assert_eq!(decimal(text), GameTime::parse(time).ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["", "+", ".", "-1", "1e", "1.2.3", "nan", "inf", "1e400", "18446744073.709551615", "1,5", "٣"]
        {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}
