//! What time is worth in a match, among what a start message tells beside rules and clocks (book 20.2).
//!
//! The two clocks of the protocol say nothing of time that is limited for all moves together, nor of time that costs
//! points. Where that was agreed every player is told so: who does not know of it loses on time, or pays for what it
//! does not need. Matches by the protocol alone have neither, so that players of others get no pairs there.

use std::time::Duration;

use ludex_game::{TimeBank, TimeTerms};

use super::seconds::decimal;
use super::{StartMessage, match_key};

/// The name of the pair with the seconds that are left for all moves together, a decimal number.
const BANK: &str = "time_bank";
/// The name of the pair with the seconds that are added to that after each move.
const INCREMENT: &str = "time_increment";
/// The name of the pair with the points of the goal that a second of thinking costs.
const COST: &str = "time_cost";

/// What a start message says of what is left for all moves together, and of what time costs.
pub(crate) fn time_pairs(bank: Option<TimeBank>, cost: Option<f64>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut tell = |name: &str, value: String| pairs.push((name.to_owned(), value));
    if let Some(bank) = bank {
        tell(BANK, seconds_text(bank.total));
        tell(INCREMENT, seconds_text(bank.increment));
    }
    if let Some(cost) = cost {
        tell(COST, cost.to_string());
    }
    pairs
}

/// Seconds as a decimal number, to the millisecond; never more than there are.
fn seconds_text(time: Duration) -> String {
    let text = format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl StartMessage {
    /// What time is worth in the match, as far as the message says so. What is no number is passed over.
    pub fn time_terms(&self) -> TimeTerms {
        let value = |wanted: &str| {
            let told = self.more.iter().find(|(name, _)| match_key(name) == match_key(wanted));
            told.map(|(_, value)| value.as_str())
        };
        let time =
            |wanted: &str| value(wanted).and_then(decimal).map(|time| Duration::from_nanos(time.units()));
        let bank = time(BANK).map(|total| TimeBank { total, increment: time(INCREMENT).unwrap_or_default() });
        let cost = value(COST)
            .and_then(|cost| cost.parse().ok())
            .filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
        TimeTerms { bank, cost: cost.unwrap_or(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Request, read_request, write_request};
    use ludex_gdl::Notation;

    fn told(pairs: Vec<(String, String)>, notation: Notation) -> TimeTerms {
        let start = StartMessage {
            id: "m1".into(),
            role: "white".into(),
            rules: "(role white)".to_owned().into(),
            more: pairs.into(),
            ..StartMessage::default()
        };
        let text = write_request(&Request::Start(Box::new(start)), notation);
        match read_request(&text).map(|read| read.request) {
            Ok(Request::Start(read)) => read.time_terms(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_time_is_worth_comes_through_a_message() {
        let milliseconds = Duration::from_millis;
        let bank = TimeBank { total: milliseconds(1_250), increment: milliseconds(50) };
        let pairs = time_pairs(Some(bank), Some(0.25));
        let values: Vec<&str> = pairs.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["1.25", "0.05", "0.25"]);
        let expected = TimeTerms { bank: Some(bank), cost: 0.25 };
        for notation in [Notation::Prefix, Notation::Infix] {
            assert_eq!(told(pairs.clone(), notation), expected);
            assert_eq!(told(Vec::new(), notation), TimeTerms::default());
        }
    }

    #[test]
    fn what_is_no_number_says_nothing() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let odd = vec![pair("time_bank", "soon"), pair("time_cost", "(f 1)"), pair("time_increment", "3")];
        assert_eq!(told(odd, Notation::Prefix), TimeTerms::default());
        for cost in ["inf", "nan"] {
            assert_eq!(told(vec![pair("time_cost", cost)], Notation::Prefix).cost, 0.0);
        }
    }
}
