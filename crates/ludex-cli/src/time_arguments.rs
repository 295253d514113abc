//! What time is worth in matches beside clocks, as options.

use std::time::Duration;

use ludex::game::TimeBank;

use crate::failure::Failure;
use crate::limits::duration;

/// Where they stand in the help.
const HEADING: &str = "Time beside clocks";

/// Time that is limited for all moves together, and what it costs.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct TimeArguments {
    /// The time for all moves of a match together, beside that for each; players are told
    #[arg(long, value_name = "TIME", value_parser = time_in_match, help_heading = HEADING)]
    pub bank: Option<Duration>,

    /// What is added to --bank after each move
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = time_in_match, requires = "bank",
          help_heading = HEADING)]
    pub increment: Duration,

    /// Points of the goal that a second of thinking costs; players are told
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true, value_parser = time_cost,
          help_heading = HEADING)]
    pub time_cost: Option<f64>,
}

impl TimeArguments {
    /// The cumulative clock, if there is one.
    pub fn bank(&self) -> Option<TimeBank> {
        self.bank.map(|total| TimeBank { total, increment: self.increment })
    }

    /// Refuses them for games in real time, in which nobody has to move.
    ///
    /// # Errors
    /// Where one was given.
    pub fn refuse_in_time(&self) -> Result<(), Failure> {
        let given = [("--bank", self.bank.is_some()), ("--time-cost", self.time_cost.is_some())];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Failure::Usage(format!("{option} means nothing in a game in real time")))
            }
            None => Ok(()),
        }
    }
}

/// No time of a match is longer, nor is it with a Game Manager.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Reads a time that belongs to a match.
fn time_in_match(text: &str) -> Result<Duration, String> {
    let time = duration(text)?;
    if time > LONGEST {
        return Err(format!("`{text}` is too long: a day is the most"));
    }
    Ok(time)
}

/// Reads what a second costs.
fn time_cost(text: &str) -> Result<f64, String> {
    let points = text.parse().ok().filter(|points: &f64| points.is_finite() && *points >= 0.0);
    points.ok_or_else(|| format!("a second of thinking cannot cost `{text}` points"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_of_a_match_is_longer_than_a_day() {
        assert_eq!((time_in_match("24h"), time_in_match("0s")), (Ok(LONGEST), Ok(Duration::ZERO)));
        for text in ["25h", "1e15s", "1e99h", "-1s"] {
            assert!(time_in_match(text).is_err(), "{text}");
        }
    }

    #[test]
    fn costs_are_numbers_that_are_not_negative() {
        assert_eq!((time_cost("2.5"), time_cost("0")), (Ok(2.5), Ok(0.0)));
        for text in ["-1", "inf", "nan", "", "much"] {
            assert!(time_cost(text).is_err(), "{text}");
        }
    }
}
