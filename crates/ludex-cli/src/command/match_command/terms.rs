//! What is agreed before the match.

use ludex::game::{RoleId, TimedRules};
use ludex::gdl::Notation;
use ludex::matches::message::Given;
use ludex::matches::referee::real_time::TimedSetup;
use ludex::matches::referee::{Clocks, Patience, RefereeSetup, SeatNotation, SeatSetup};
use ludex::{Game, MatchSetup};

use super::MatchArguments;
use crate::clock::unix_milliseconds;
use crate::failure::Failure;
use crate::timed_text::role_text;

/// Reads `keep`, `replace:3` or `abort:3`.
pub fn patience(text: &str) -> Result<Patience, String> {
    let wrong = || format!("`{text}` is not keep, replace:N or abort:N");
    let (what, times) = text.split_once(':').map_or((text, None), |(what, times)| (what, Some(times)));
    let times = match times {
        Some(digits) => Some(digits.parse().ok().filter(|&times| times > 0).ok_or_else(wrong)?),
        None => None,
    };
    match (what, times) {
        ("keep", None) => Ok(Patience::Keep),
        ("replace", Some(times)) => Ok(Patience::Replace(times)),
        ("abort", Some(times)) => Ok(Patience::Abort(times)),
        _ => Err(wrong()),
    }
}

/// The terms of a new match.
///
/// # Errors
/// Not as many players, names or notations as the game has roles.
pub fn agreed(
    arguments: &MatchArguments,
    game: &Game,
    sheets: Vec<Option<String>>,
) -> Result<RefereeSetup, Failure> {
    let roles = game.seats();
    let names: Vec<String> = roles.iter().map(|&role| game.role_name(role)).collect();
    let now = unix_milliseconds();
    let seed = arguments.seed.unwrap_or(now);
    Ok(RefereeSetup {
        given: Vec::new(),
        records: None,
        id: match_id(game.short_name(), now),
        seed,
        clocks: Clocks {
            start: arguments.start_clock,
            play: arguments.play_clock,
            bank: arguments.time.bank(),
            grace: arguments.grace,
        },
        seats: with_sheets(seats(arguments, &roles, &names, seed)?, sheets),
        patience: arguments.patience,
        step_limit: Some(arguments.step_limit),
        time_cost: arguments.time.time_cost,
        told: arguments.introduce.then(Vec::new),
        start_time: Some(now),
    })
}

/// The seats with a description of their own where there is one.
fn with_sheets(mut seats: Vec<SeatSetup>, sheets: Vec<Option<String>>) -> Vec<SeatSetup> {
    for (seat, sheet) in seats.iter_mut().zip(sheets) {
        seat.rulesheet = sheet;
    }
    seats
}

/// The terms of a new match in real time.
///
/// # Errors
/// As [`agreed`], and terms that mean nothing in real time.
pub fn agreed_in_time(arguments: &MatchArguments, rules: &TimedRules) -> Result<TimedSetup, Failure> {
    arguments.time.refuse_in_time()?;
    let given = [
        ("--patience", arguments.patience != Patience::Keep),
        ("--sheet", !arguments.sheets.is_empty()),
        ("--blind", arguments.blind.is_some()),
        ("--records", !arguments.records.is_empty()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!("{option} means nothing in a game in real time")));
    }
    let machine = rules.machine();
    let roles = rules.seats();
    let names: Vec<String> = roles.iter().map(|&role| role_text(&**machine, role)).collect();
    let now = unix_milliseconds();
    let seed = arguments.seed.unwrap_or(now);
    Ok(TimedSetup {
        id: match_id(rules.short_name(), now),
        seed,
        start: arguments.start_clock,
        unit: arguments.play_clock,
        grace: arguments.grace,
        seats: seats(arguments, &roles, &names, seed)?,
        told: arguments.introduce.then(Vec::new),
        start_time: Some(now),
    })
}

/// Who has the seats of these roles.
fn seats(
    arguments: &MatchArguments,
    roles: &[RoleId],
    names: &[String],
    seed: u64,
) -> Result<Vec<SeatSetup>, Failure> {
    let count = roles.len();
    let too_many_or_few = |what: &str, given: usize| {
        let plural = if count == 1 { "role" } else { "roles" };
        let roles = names.join(", ");
        Failure::Usage(format!(
            "the game has {count} {plural} to play ({roles}), but there are {given} {what}"
        ))
    };
    if arguments.players.len() != count {
        return Err(too_many_or_few("players", arguments.players.len()));
    }
    if !arguments.names.is_empty() && arguments.names.len() != count {
        return Err(too_many_or_few("names", arguments.names.len()));
    }
    let notations = match &arguments.messages[..] {
        [one] => vec![*one; count],
        several if several.len() == count => several.to_vec(),
        several => return Err(too_many_or_few("notations", several.len())),
    };
    let given = given(arguments, names)?;
    for (opponent, given) in arguments.players.iter().zip(&given) {
        if let Some(name) = opponent.without_rules_only().filter(|_| *given != Given::Structure) {
            return Err(Failure::Usage(format!(
                "`{name}` plays without rules only: `--blind` gives it none"
            )));
        }
    }
    // One number decides the words of each seat, too.
    let seeds = MatchSetup { seed, ..MatchSetup::default() };
    let seats = roles.iter().zip(notations).enumerate().map(|(number, (&role, notation))| SeatSetup {
        player: match arguments.names.get(number) {
            Some(name) => name.clone(),
            None => arguments.players[number].to_string(),
        },
        notation: match notation {
            Notation::Prefix => SeatNotation::Prefix,
            Notation::Infix => SeatNotation::Infix,
        },
        rulesheet: None,
        clocks: None,
        scramble: arguments.scramble.then(|| seeds.player_seed(role)),
        given: given[number],
    });
    Ok(seats.collect())
}

/// What the player of each role is told of the game.
fn given(arguments: &MatchArguments, names: &[String]) -> Result<Vec<Given>, Failure> {
    let place = |role: &str| {
        names.iter().position(|name| name == role).ok_or_else(|| {
            Failure::Usage(format!("there is no role `{role}` to play; the roles are {}", names.join(", ")))
        })
    };
    let all_others = if arguments.records.is_empty() || !arguments.learners.is_empty() {
        Given::Rules
    } else {
        Given::Records
    };
    let mut given = vec![all_others; names.len()];
    for role in &arguments.learners {
        given[place(role)?] = Given::Records;
    }
    match arguments.blind.as_deref() {
        Some("") => given.fill(Given::Structure),
        Some(roles) => {
            for role in roles.split(',') {
                given[place(role.trim())?] = Given::Structure;
            }
        }
        None => {}
    }
    Ok(given)
}

/// A name of letters and digits that begins with a small letter, as the book has it (3.3).
fn match_id(game: &str, now: u64) -> String {
    let letters: String = game.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    let letters = letters.to_ascii_lowercase();
    let begin = if letters.starts_with(|c: char| c.is_ascii_lowercase()) { "" } else { "m" };
    format!("{begin}{letters}{now}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_read() {
        assert_eq!(patience("keep"), Ok(Patience::Keep));
        assert_eq!(patience("replace:3"), Ok(Patience::Replace(3)));
        assert_eq!(patience("abort:1"), Ok(Patience::Abort(1)));
        for text in ["", "keep:1", "replace", "abort:0", "abort:x", "leave:2"] {
            assert!(patience(text).is_err(), "{text}");
        }
    }

    #[test]
    fn matches_have_names_that_can_be_sent() {
        assert_eq!(match_id("tic-tac-toe", 12), "tictactoe12");
        assert_eq!(match_id("3x3 Go", 12), "m3x3go12");
        assert_eq!(match_id("", 12), "m12");
    }
}
