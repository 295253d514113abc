//! Competitions in which results are decided by the test.

use std::num::NonZeroU32;

use ludex_match::tournament::{
    Fixture, Format, MatchResult, Ongoing, RankedPlayer, RunningTournament, Tournament, TournamentEvent,
    TournamentGame, TournamentSetup,
};

pub fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

/// Players `a`, `b`, ... in games with so many seats.
pub fn tournament(players: usize, seats: &[usize], rounds: u32) -> Tournament {
    let name = |n: usize| if n < 26 { char::from(b'a' + n as u8).to_string() } else { format!("p{n}") };
    let game = |(n, &seats): (usize, &usize)| TournamentGame { name: format!("g{n}"), seats };
    Tournament {
        players: (0..players).map(name).collect(),
        games: seats.iter().enumerate().map(game).collect(),
        rounds,
        seed: 11,
    }
}

pub fn setup(format: Format, players: usize, rounds: u32) -> TournamentSetup {
    TournamentSetup::new(tournament(players, &[2], rounds), format)
}

/// What comes of a match where each player gets so much on each of its seats.
pub fn result(
    competition: &RunningTournament,
    fixture: &Fixture,
    goal: impl Fn(usize) -> u32,
) -> MatchResult {
    let blank = MatchResult::failed(competition.tournament(), fixture, "");
    let goals = fixture.seating.iter().map(|&player| Some(goal(player))).collect();
    MatchResult { goals, steps: 1, aborted: None, ..blank }
}

pub fn aborted(competition: &RunningTournament, fixture: &Fixture) -> TournamentEvent {
    TournamentEvent::Finished(MatchResult::failed(competition.tournament(), fixture, "stopped"))
}

pub fn all_next(competition: &RunningTournament) -> Vec<Fixture> {
    competition.next(&Ongoing::default(), usize::MAX)
}

/// Plays everything that can begin; the player for whom `beats` holds gets 100, the other 0, and both 50
/// where it holds both ways or neither.
pub fn play_wave(competition: &mut RunningTournament, beats: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut played = Vec::new();
    for fixture in all_next(competition) {
        let names = competition.tournament().seated(&fixture);
        let own = |player: usize| {
            let name = &competition.tournament().players[player];
            let other = names.iter().find(|other| *other != name).map_or("", String::as_str);
            match (beats(name, other), beats(other, name)) {
                (true, false) => 100,
                (false, true) => 0,
                _ => 50,
            }
        };
        let event = TournamentEvent::Finished(result(competition, &fixture, own));
        competition.apply(&event).unwrap();
        played.push(names.join("-"));
    }
    played
}

/// Plays to the end.
pub fn play(competition: &mut RunningTournament, beats: impl Fn(&str, &str) -> bool) {
    for _ in 0..10_000 {
        if competition.is_over() {
            return;
        }
        assert!(!play_wave(competition, &beats).is_empty(), "nothing to play, but not over");
    }
    panic!("no end");
}

/// Ranks and names, such as `1 a, 2 b`.
pub fn ranks(rows: &[RankedPlayer]) -> String {
    rows.iter().map(|row| format!("{} {}", row.rank, row.player)).collect::<Vec<_>>().join(", ")
}

pub fn strike(player: &str) -> TournamentEvent {
    TournamentEvent::StruckOut { player: player.into() }
}
