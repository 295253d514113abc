//! How players did against each other.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::rating::{Comparisons, Rating};
use super::result::{FaultCounts, MatchResult};
use super::share::Share;

/// What results say about players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// The players, best rating first.
    pub players: Vec<PlayerStanding>,
    /// Each player against each other, in the order of the players.
    pub pairings: Vec<Pairing>,
    /// The same for each game.
    pub games: Vec<GameStandings>,
    /// Matches that were played to the end.
    pub completed: usize,
    /// Matches that were not. They count in no mean and no share.
    pub aborted: usize,
}

/// A player among others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerStanding {
    /// The player.
    pub player: String,
    /// Its strength.
    pub rating: Rating,
    /// How many matches it completed.
    pub matches: usize,
    /// Its mean goal value; null without matches.
    pub goals: Option<f64>,
    /// What its matches brought on average where thinking cost something, which then counts in place of goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewards: Option<f64>,
    /// How many seconds it thought in a match on average, where that was noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Its share against all others; null without matches.
    pub share: Option<Share>,
    /// Its matches that ended early.
    pub aborted: usize,
    /// What it did wrong in all its matches.
    pub faults: FaultCounts,
}

/// A player against another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The player.
    pub player: String,
    /// The other one.
    pub opponent: String,
    /// How often they were compared.
    pub matches: usize,
    /// The player's mean goal value.
    pub goals: f64,
    /// The other's.
    pub opponent_goals: f64,
    /// The player's share.
    pub share: Share,
}

/// How players did in one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameStandings {
    /// The game.
    pub game: String,
    /// How many matches were played to the end.
    pub matches: usize,
    /// Their mean length in steps; null without matches.
    pub steps: Option<f64>,
    /// Each player against each other.
    pub pairings: Vec<Pairing>,
}

/// What two players got where they can be compared.
#[derive(Clone, Debug)]
pub(super) struct Comparison<'r> {
    game: &'r str,
    pub(super) players: [usize; 2],
    pub(super) goals: [f64; 2],
    /// The share of the first.
    share: f64,
}

impl Comparison<'_> {
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// The same as the other one sees it.
    fn turned(&self) -> Self {
        Self {
            game: self.game,
            players: [self.players[1], self.players[0]],
            goals: [self.goals[1], self.goals[0]],
            share: 1.0 - self.share,
        }
    }
}

impl Standings {
    /// What these results say about these players; results of others are passed over.
    ///
    /// Where a player has several seats, its goal is the mean over them. In games with one seat two
    /// players are compared by what each got in the same round.
    pub fn of<'r>(
        players: &[String],
        games: &[String],
        results: impl IntoIterator<Item = &'r MatchResult>,
    ) -> Self {
        let mut comparer = Comparer::new(players, games);
        let results: Vec<&MatchResult> = results.into_iter().filter(|r| comparer.knows(r)).collect();
        let completed: Vec<&MatchResult> = results.iter().copied().filter(|r| r.aborted.is_none()).collect();
        let compared: Vec<Comparison<'_>> =
            completed.iter().flat_map(|result| comparer.add(result)).collect();
        let mut comparisons = Comparisons::new(players.len());
        for comparison in &compared {
            comparisons.add(comparison.players[0], comparison.players[1], comparison.share());
        }
        let ratings = comparisons.ratings();
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
        let standing =
            |&number: &usize| player_standing(&players[number], number, ratings[number], &results, &compared);
        Self {
            players: order.iter().map(standing).collect(),
            pairings: pairings(players, &order, &compared),
            games: games
                .iter()
                .map(|game| game_standings(game, players, &order, &completed, &compared))
                .collect(),
            completed: completed.len(),
            aborted: results.len() - completed.len(),
        }
    }

    /// A player against another one, if they met.
    pub fn pairing(&self, player: &str, opponent: &str) -> Option<&Pairing> {
        self.pairings.iter().find(|pairing| pairing.player == player && pairing.opponent == opponent)
    }
}

/// Compares players by results as they come: matches with two players, and for games with one seat what each two got
/// in the same round.
pub(super) struct Comparer<'a, 'r> {
    numbers: FxHashMap<&'a str, usize>,
    games: &'a [String],
    /// What players got alone, by game and round.
    alone: FxHashMap<(&'r str, u32), Vec<(usize, f64)>>,
}

impl<'a, 'r> Comparer<'a, 'r> {
    pub(super) fn new(players: &'a [String], games: &'a [String]) -> Self {
        let numbers = players.iter().map(String::as_str).zip(0..).collect();
        Self { numbers, games, alone: FxHashMap::default() }
    }

    /// Whether a result is of these games and players.
    pub(super) fn knows(&self, result: &MatchResult) -> bool {
        self.games.contains(&result.game)
            && result.players.iter().all(|player| self.numbers.contains_key(player.as_str()))
    }

    /// What a completed match of known players compares; nothing where more than two have its seats, or one plays
    /// against itself.
    pub(super) fn add(&mut self, result: &'r MatchResult) -> Vec<Comparison<'r>> {
        let mut names: Vec<&str> = Vec::new();
        for name in &result.players {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let got = |name: &str| (self.numbers[name], result.worth_to(name).unwrap_or(0.0));
        let of = |(a, goals_a): (usize, f64), (b, goals_b): (usize, f64)| Comparison {
            game: &result.game,
            players: [a, b],
            goals: [goals_a, goals_b],
            share: result.share(goals_a, goals_b),
        };
        match names[..] {
            [one] if result.players.len() == 1 => {
                let own = got(one);
                let others = self.alone.entry((&result.game, result.round)).or_default();
                let compared = others.iter().filter(|other| other.0 != own.0).map(|&other| of(other, own));
                let compared = compared.collect();
                others.push(own);
                compared
            }
            [a, b] => vec![of(got(a), got(b))],
            _ => Vec::new(),
        }
    }
}

fn player_standing(
    name: &str,
    number: usize,
    rating: Rating,
    results: &[&MatchResult],
    compared: &[Comparison<'_>],
) -> PlayerStanding {
    let (mut matches, mut aborted, mut sum) = (0, 0, 0.0);
    let mut faults = FaultCounts::default();
    for result in results {
        let Some(goals) = result.goals_of(name) else { continue };
        match result.aborted {
            None => (matches, sum) = (matches + 1, sum + goals),
            Some(_) => aborted += 1,
        }
        let own = result.players.iter().zip(&result.faults).filter(|(player, _)| *player == name);
        own.for_each(|(_, counts)| faults.add(*counts));
    }
    let mean = |of_result: &dyn Fn(&MatchResult) -> Option<f64>| {
        let played = results.iter().filter(|result| result.aborted.is_none());
        let values: Vec<f64> = played.filter_map(|result| of_result(result)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let shares = compared.iter().filter_map(|comparison| match comparison.players {
        [first, _] if first == number => Some(comparison.share()),
        [_, second] if second == number => Some(comparison.turned().share()),
        _ => None,
    });
    PlayerStanding {
        player: name.to_owned(),
        rating,
        matches,
        goals: (matches > 0).then(|| sum / matches as f64),
        rewards: mean(&|result| result.rewards.as_ref().and_then(|_| result.worth_to(name))),
        seconds: mean(&|result| result.seconds_of(name)),
        share: Share::of(shares),
        aborted,
        faults,
    }
}

fn pairings(players: &[String], order: &[usize], compared: &[Comparison<'_>]) -> Vec<Pairing> {
    let mut met: FxHashMap<[usize; 2], Vec<Comparison<'_>>> = FxHashMap::default();
    for comparison in compared {
        met.entry(comparison.players).or_default().push(comparison.clone());
        let turned = comparison.turned();
        met.entry(turned.players).or_default().push(turned);
    }
    let mut out = Vec::new();
    for &a in order {
        for &b in order {
            let Some(list) = met.get(&[a, b]) else { continue };
            let Some(share) = Share::of(list.iter().map(Comparison::share)) else { continue };
            let mean = |which: usize| list.iter().map(|e| e.goals[which]).sum::<f64>() / list.len() as f64;
            out.push(Pairing {
                player: players[a].clone(),
                opponent: players[b].clone(),
                matches: list.len(),
                goals: mean(0),
                opponent_goals: mean(1),
                share,
            });
        }
    }
    out
}

fn game_standings(
    game: &str,
    players: &[String],
    order: &[usize],
    completed: &[&MatchResult],
    compared: &[Comparison<'_>],
) -> GameStandings {
    let lengths: Vec<f64> = completed.iter().filter(|r| r.game == game).map(|r| f64::from(r.steps)).collect();
    let here: Vec<Comparison<'_>> = compared.iter().filter(|e| e.game == game).cloned().collect();
    GameStandings {
        game: game.to_owned(),
        matches: lengths.len(),
        steps: (!lengths.is_empty()).then(|| lengths.iter().sum::<f64>() / lengths.len() as f64),
        pairings: pairings(players, order, &here),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(game: &str, round: u32, players: &[&str], goals: &[u32]) -> MatchResult {
        MatchResult {
            game: game.into(),
            round,
            players: players.iter().map(|&p| p.to_owned()).collect(),
            goals: goals.iter().map(|&g| Some(g)).collect(),
            steps: 10,
            faults: vec![FaultCounts::default(); players.len()],
            ..MatchResult::default()
        }
    }

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&t| t.to_owned()).collect()
    }

    #[test]
    fn goals_and_shares_are_those_of_either_seat() {
        let results = [
            result("g", 1, &["a", "b"], &[100, 0]),
            result("g", 1, &["b", "a"], &[50, 50]),
            result("h", 1, &["a", "b"], &[0, 0]),
            result("h", 1, &["x", "b"], &[0, 100]),
        ];
        let standings = Standings::of(&names(&["b", "a"]), &names(&["g", "h"]), &results);
        assert_eq!((standings.completed, standings.aborted), (3, 0), "others are passed over");
        assert_eq!(standings.players[0].player, "a");
        let pairing = standings.pairing("a", "b").unwrap();
        assert_eq!((pairing.matches, pairing.goals, pairing.opponent_goals), (3, 50.0, 50.0 / 3.0));
        assert!((pairing.share.mean - 2.0 / 3.0).abs() < 1e-12);
        let back = standings.pairing("b", "a").unwrap();
        assert!((pairing.share.mean + back.share.mean - 1.0).abs() < 1e-12);
        assert!((pairing.share.low + back.share.high - 1.0).abs() < 1e-12);
        assert_eq!(standings.players[0].share, Some(pairing.share));
        assert_eq!((standings.games[0].pairings[0].share.mean, standings.games[1].matches), (0.75, 1));
    }

    #[test]
    fn several_seats_count_by_their_mean() {
        let results = [result("g", 1, &["a", "b", "b"], &[60, 20, 40])];
        let standings = Standings::of(&names(&["a", "b"]), &names(&["g"]), &results);
        let pairing = standings.pairing("a", "b").unwrap();
        assert_eq!((pairing.goals, pairing.opponent_goals), (60.0, 30.0));
        assert!((pairing.share.mean - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn puzzles_are_compared_round_by_round() {
        let results = [
            result("p", 1, &["a"], &[100]),
            result("p", 1, &["b"], &[100]),
            result("p", 1, &["c"], &[0]),
            result("p", 2, &["a"], &[100]),
            result("p", 2, &["b"], &[0]),
        ];
        let standings = Standings::of(&names(&["a", "b", "c"]), &names(&["p"]), &results);
        let pairing = |a, b| standings.pairing(a, b).map(|p| (p.matches, p.share.mean));
        assert_eq!(pairing("a", "b"), Some((2, 0.75)));
        assert_eq!((pairing("a", "c"), pairing("c", "b")), (Some((1, 1.0)), Some((1, 0.0))));
        assert_eq!(standings.completed, 5);
        assert_eq!(standings.players.iter().find(|p| p.player == "a").unwrap().matches, 2);
    }

    #[test]
    fn aborted_matches_and_faults_are_counted_and_nothing_else() {
        let mut stopped = result("g", 1, &["a", "b"], &[100, 0]);
        stopped.aborted = Some("stopped after 3 steps".into());
        stopped.faults[1] = FaultCounts { late: 2, illegal: 1, failed: 0 };
        let standings = Standings::of(&names(&["a", "b"]), &names(&["g"]), &[stopped]);
        assert_eq!((standings.completed, standings.aborted, standings.pairings.len()), (0, 1, 0));
        let b = standings.players.iter().find(|p| p.player == "b").unwrap();
        assert_eq!((b.aborted, b.faults.late, b.faults.illegal, b.matches), (1, 2, 1, 0));
        assert_eq!((b.goals, b.share), (None, None));
    }
}
