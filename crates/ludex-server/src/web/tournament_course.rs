//! In which order players stand in a tournament, who has a bye, who plays next, and what is waited for: in words.

use ludex::tournament::{Decision, EncounterReport, Format, TournamentSetup};

use super::players;
use super::text::moment;
use crate::manager::{MatchWait, TournamentWait};

/// A player with its page.
pub(super) struct PlayerLink {
    pub(super) name: String,
    pub(super) place: String,
}

impl From<String> for PlayerLink {
    fn from(name: String) -> Self {
        Self { place: players::place(&name), name }
    }
}

/// A match that comes next.
pub(super) struct NextLine {
    pub(super) game: String,
    pub(super) players: Vec<PlayerLink>,
}

impl From<(String, Vec<String>)> for NextLine {
    fn from((game, players): (String, Vec<String>)) -> Self {
        Self { game, players: players.into_iter().map(PlayerLink::from).collect() }
    }
}

/// What matches wait for, and where one can see it.
pub(super) struct WaitLine {
    pub(super) text: String,
    pub(super) link: Option<String>,
}

impl WaitLine {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), link: None }
    }
}

impl From<TournamentWait> for WaitLine {
    fn from(wait: TournamentWait) -> Self {
        match wait {
            TournamentWait::Paused => {
                Self::plain("The tournament is paused: no match begins until it is resumed.")
            }
            TournamentWait::Away { player, since: Some(since) } => Self::plain(format!(
                "{player} has not answered since {} (UTC); its matches begin when it does.",
                moment(since)
            )),
            TournamentWait::Away { player, since: None } => {
                Self::plain(format!("{player} has never answered; its matches begin when it does."))
            }
            TournamentWait::Elsewhere { player, other: Some((id, since)) } => Self {
                text: format!(
                    "Waits for {player}, who has been playing match {id} since {} (UTC).",
                    moment(since)
                ),
                link: Some(format!("/matches/{id}")),
            },
            TournamentWait::Elsewhere { player, other: None } => {
                Self::plain(format!("Waits for {player}, who is about to play in another tournament."))
            }
            TournamentWait::Resting { player, until } => {
                Self::plain(format!("{player} rests until {} (UTC).", moment(until)))
            }
            TournamentWait::Room(running, most) => Self::plain(no_room(running, most)),
        }
    }
}

impl From<MatchWait> for WaitLine {
    fn from(wait: MatchWait) -> Self {
        match wait {
            MatchWait::Seats(roles) => Self::plain(format!(
                "The match begins when everybody is here; nobody has come for {} yet.",
                roles.join(", ")
            )),
            MatchWait::Due(due) => Self::plain(format!("The match begins at {} (UTC).", moment(due))),
            MatchWait::Tournament { player, tournament: (id, title), one_match } => Self {
                text: match one_match {
                    true => format!("Waits until {player} has finished its match on the ladder {title}."),
                    false => format!("Waits until {player} has no more to play in the tournament {title}."),
                },
                link: Some(format!("/tournaments/{id}")),
            },
            MatchWait::Room(running, most) => Self::plain(no_room(running, most)),
            MatchWait::Moment => Self::plain("The match begins in a moment."),
        }
    }
}

fn no_room(running: usize, most: usize) -> String {
    format!("Waits until there is room: {running} of {most} matches run.")
}

/// The order of the players, what it decides, and who has a bye.
pub(super) struct PlayerOrder {
    pub(super) rule: &'static str,
    pub(super) players: Vec<PlayerLink>,
    pub(super) byes: Vec<String>,
}

impl PlayerOrder {
    pub(super) fn of(setup: &TournamentSetup, encounters: &[EncounterReport]) -> Self {
        let players = &setup.tournament.players;
        Self {
            rule: rule(setup.format),
            players: players.iter().cloned().map(PlayerLink::from).collect(),
            byes: encounters.iter().filter_map(|report| bye(setup, report)).collect(),
        }
    }
}

/// What the order decides.
fn rule(format: Format) -> &'static str {
    match format {
        Format::RoundRobin => {
            "The order of entry. Everybody meets everybody on every seat; the order only decides which matches begin first."
        }
        Format::Swiss => {
            "The order of entry. In the first round the upper half of the list meets the lower half in the same order; \
             from then on players with as many points meet, and the order decides between equals."
        }
        Format::SingleElimination | Format::DoubleElimination => {
            "The order of entry is the seeding: the first meets the last, and the first two can only meet in the final. \
             Byes go to the first of the list."
        }
        Format::Cumulative => {
            "The order of entry. It decides nothing: who shares a match with whom follows from the seed of the tournament."
        }
        Format::Open => {
            "The order of entry. It decides nothing: whoever is free plays what was played least, and among equals the \
             seed of the tournament decides."
        }
        Format::Ladder => {
            "The order of entry. It decides nothing: whoever is free and has had least plays others who are about as strong."
        }
    }
}

/// Who has a bye in an encounter, and why.
fn bye(setup: &TournamentSetup, report: &EncounterReport) -> Option<String> {
    let decided = report.decided.as_ref().filter(|decided| decided.how == Decision::Bye)?;
    let (player, round) = (decided.winner.as_ref()?, report.round);
    let count = setup.tournament.players.len();
    let why = match setup.format {
        Format::Swiss => "the number of players is odd".to_owned(),
        _ => format!("{count} players do not fill a bracket of {}", count.next_power_of_two()),
    };
    Some(format!("{player} has a bye in round {round}: {why}."))
}

#[cfg(test)]
mod tests {
    use ludex::tournament::{RunningTournament, Tournament, TournamentGame};

    use super::*;

    fn byes(format: Format, players: &[&str]) -> Vec<String> {
        let players = players.iter().map(|&player| player.to_owned()).collect();
        let games = vec![TournamentGame { name: "nim".to_owned(), seats: 2 }];
        let setup = TournamentSetup::new(Tournament { players, games, rounds: 2, seed: 1 }, format);
        // Such a competition can be held.
        let held = RunningTournament::new(setup.clone()).unwrap();
        PlayerOrder::of(&setup, &held.encounters()).byes
    }

    #[test]
    fn byes_have_their_reason() {
        assert_eq!(
            byes(Format::Swiss, &["a", "b", "c"]),
            ["c has a bye in round 1: the number of players is odd."]
        );
        assert_eq!(
            byes(Format::SingleElimination, &["a", "b", "c"]),
            ["a has a bye in round 1: 3 players do not fill a bracket of 4."]
        );
        assert!(byes(Format::RoundRobin, &["a", "b", "c"]).is_empty());
    }

    #[test]
    fn what_is_waited_for_is_said() {
        let since = 1_767_225_540_000;
        let wait = TournamentWait::Elsewhere { player: "Sam".into(), other: Some(("m12".into(), since)) };
        let line = WaitLine::from(wait);
        assert_eq!(line.text, "Waits for Sam, who has been playing match m12 since 2025-12-31 23:59 (UTC).");
        assert_eq!(line.link.as_deref(), Some("/matches/m12"));
        let away = WaitLine::from(TournamentWait::Away { player: "Sam".into(), since: None });
        assert_eq!(away.text, "Sam has never answered; its matches begin when it does.");
        let room = WaitLine::from(MatchWait::Room(4, 4));
        assert_eq!(room.text, "Waits until there is room: 4 of 4 matches run.");
    }
}
