//! How a competition stands: points, tie breaks, ranks.

use serde::{Deserialize, Serialize};

use super::encounter::{Decision, Encounter};
use super::field::Field;
use super::result::MatchResult;
use super::standings::{Comparer, Standings};
use crate::ratings::Skill;

/// A player in a competition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedPlayer {
    /// The rank, from 1; players share one where nothing tells them apart.
    pub rank: usize,
    /// The player.
    pub player: String,
    /// What the format counts: 1 for a win and one half for a draw in round robin (matches) and Swiss
    /// rounds (encounters); encounters won in a bracket; goals in cumulative score; the rating in an
    /// open-ended schedule and on a ladder.
    pub points: f64,
    /// The sum of the opponents' points, in Swiss rounds. Where there was no opponent, the player's own
    /// points count for one.
    pub buchholz: Option<f64>,
    /// The sum of the points of opponents who lost to the player, and half of those of opponents with whom
    /// it has drawn; in round robin and Swiss rounds.
    pub sonneborn_berger: Option<f64>,
    /// Matches or encounters in which it got more than each other player, not counting byes.
    pub won: u32,
    /// Those in which nobody got more, but somebody as much.
    pub drawn: u32,
    /// Those in which somebody got more.
    pub lost: u32,
    /// Byes, and what was won because the other player was struck out.
    pub byes: u32,
    /// Whether it was struck out.
    pub struck_out: bool,
    /// How sure its rating is, on a ladder: the standard deviation. Players are ranked by their ratings less twice that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
}

/// What a player took from whom.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// From whom; `None` where there was nobody.
    opponent: Option<usize>,
    /// 2 for a win, 1 for a draw.
    halves: u32,
}

/// What all players took from whom.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    taken: Vec<Vec<Taken>>,
}

impl Ledger {
    pub(super) fn new(players: usize) -> Self {
        Self { taken: vec![Vec::new(); players] }
    }

    /// What players took from each other in matches of two; in games that are played alone, in the
    /// matches of the same round.
    pub(super) fn of_results(field: &Field, results: &[&MatchResult]) -> Self {
        let (players, games) = (&field.tournament().players, field.tournament().game_names());
        let mut comparer = Comparer::new(players, &games);
        let mut ledger = Self::new(players.len());
        let completed = results.iter().filter(|result| result.aborted.is_none());
        for compared in completed.flat_map(|result| comparer.add(result)) {
            let [a, b] = compared.goals;
            let first = if a > b { 2 } else { u32::from(a == b) };
            ledger.add(compared.players, first);
        }
        ledger
    }

    /// The first took so many half points from the second, and the second the rest.
    fn add(&mut self, [a, b]: [usize; 2], halves: u32) {
        self.taken[a].push(Taken { opponent: Some(b), halves });
        self.taken[b].push(Taken { opponent: Some(a), halves: 2 - halves });
    }

    /// A player gets a point without an opponent.
    pub(super) fn give(&mut self, player: usize) {
        self.taken[player].push(Taken { opponent: None, halves: 2 });
    }

    /// What came of an encounter, if it is decided.
    pub(super) fn add_encounter(&mut self, encounter: &Encounter) {
        let Some(verdict) = encounter.verdict() else { return };
        match (verdict.how, verdict.winner) {
            (Decision::Walkover, Some(which)) => self.give(encounter.players[which]),
            (Decision::Walkover, None) => {}
            (_, winner) => {
                self.add(encounter.players, winner.map_or(1, |which| if which == 0 { 2 } else { 0 }))
            }
        }
    }

    /// A player's points in halves.
    pub(super) fn half_points(&self, player: usize) -> u32 {
        self.taken[player].iter().map(|taken| taken.halves).sum()
    }

    fn points(&self, player: usize) -> f64 {
        f64::from(self.half_points(player)) / 2.0
    }

    fn buchholz(&self, player: usize) -> f64 {
        self.taken[player].iter().map(|taken| self.points(taken.opponent.unwrap_or(player))).sum()
    }

    fn sonneborn_berger(&self, player: usize) -> f64 {
        let part =
            |taken: &Taken| f64::from(taken.halves) / 2.0 * self.points(taken.opponent.unwrap_or(player));
        self.taken[player].iter().map(part).sum()
    }

    fn row(&self, field: &Field, player: usize) -> RankedPlayer {
        let met = self.taken[player].iter().filter(|taken| taken.opponent.is_some());
        let [mut won, mut drawn, mut lost] = [0; 3];
        for taken in met {
            *[&mut lost, &mut drawn, &mut won][taken.halves as usize] += 1;
        }
        RankedPlayer {
            rank: 0,
            player: field.name(player).to_owned(),
            points: self.points(player),
            buchholz: None,
            sonneborn_berger: None,
            won,
            drawn,
            lost,
            byes: self.taken[player].len() as u32 - won - drawn - lost,
            struck_out: !field.is_in(player),
            deviation: None,
        }
    }

    /// By points, then by Buchholz's sum where it is wanted, then by Sonneborn's and Berger's.
    pub(super) fn ranking(&self, field: &Field, buchholz: bool) -> Vec<RankedPlayer> {
        let row = |player: usize| RankedPlayer {
            buchholz: buchholz.then(|| self.buchholz(player)),
            sonneborn_berger: Some(self.sonneborn_berger(player)),
            ..self.row(field, player)
        };
        let rows = (0..field.size()).map(row).map(|row| {
            let key = [row.points, row.buchholz.unwrap_or(0.0), row.sonneborn_berger.unwrap_or(0.0)];
            (key, row)
        });
        ranked(rows.collect())
    }

    /// By some other number, higher ones first; points are wins and byes.
    pub(super) fn ranking_by(&self, field: &Field, key: impl Fn(usize) -> f64) -> Vec<RankedPlayer> {
        let rows = (0..field.size()).map(|player| ([key(player), 0.0, 0.0], self.row(field, player)));
        ranked(rows.collect())
    }

    /// By what the ratings are for sure; the points are the ratings.
    pub(super) fn ranking_by_skill(
        &self,
        field: &Field,
        skill: impl Fn(usize) -> Skill,
    ) -> Vec<RankedPlayer> {
        let rated = (0..field.size()).map(|player| {
            let skill = skill(player);
            let (points, deviation) = (skill.rating, Some(skill.deviation));
            ([skill.low(), 0.0, 0.0], RankedPlayer { points, deviation, ..self.row(field, player) })
        });
        ranked(rated.collect())
    }

    /// By rating, which is also what the points are.
    pub(super) fn ranking_by_rating(&self, field: &Field, standings: &Standings) -> Vec<RankedPlayer> {
        let rated = standings.players.iter().filter_map(|standing| {
            let player = field.number(&standing.player)?;
            let points = standing.rating.elo;
            Some(([points, 0.0, 0.0], RankedPlayer { points, ..self.row(field, player) }))
        });
        ranked(rated.collect())
    }
}

/// Ranks by the sum of goals. Players have each seat equally often, so that sums can be compared; what a
/// player `missed` because others were struck out counts with the mean of its other seats.
pub(super) fn rank_by_goals(field: &Field, results: &[&MatchResult], missed: &[usize]) -> Vec<RankedPlayer> {
    let mut rows: Vec<RankedPlayer> =
        (0..field.size()).map(|player| Ledger::new(field.size()).row(field, player)).collect();
    let mut seats = vec![0usize; field.size()];
    for result in results {
        let own = |name: &String| result.worth_to(name).unwrap_or(0.0);
        for (seat, name) in result.players.iter().enumerate() {
            let Some(player) = field.number(name) else { continue };
            seats[player] += 1;
            if result.aborted.is_none() {
                rows[player].points += result.worth_of_seat(seat);
            }
        }
        if result.aborted.is_some() {
            continue;
        }
        for (place, name) in result.players.iter().enumerate() {
            let Some(player) = field.number(name).filter(|_| !result.players[..place].contains(name)) else {
                continue;
            };
            let others = result.players.iter().filter(|other| *other != name).map(own);
            let Some(best) = others.reduce(f64::max) else { continue };
            let row = &mut rows[player];
            match own(name).total_cmp(&best) {
                std::cmp::Ordering::Greater => row.won += 1,
                std::cmp::Ordering::Equal => row.drawn += 1,
                std::cmp::Ordering::Less => row.lost += 1,
            }
        }
    }
    for (player, row) in rows.iter_mut().enumerate() {
        row.byes = u32::try_from(missed[player]).unwrap_or(u32::MAX);
        if seats[player] > 0 {
            row.points += row.points / seats[player] as f64 * missed[player] as f64;
        }
    }
    ranked(rows.into_iter().map(|row| ([row.points, 0.0, 0.0], row)).collect())
}

/// Numbers so near to each other are the same: what is between them comes from rounding.
const SAME: f64 = 1e-9;

/// Sorts by keys, higher ones first; equal ones stay in the order of the players and share a rank.
fn ranked(mut rows: Vec<([f64; 3], RankedPlayer)>) -> Vec<RankedPlayer> {
    rows.sort_by(|(a, _), (b, _)| {
        let parts = a.iter().zip(b).map(|(a, b)| b.total_cmp(a));
        parts.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    let (mut rank, mut before) = (0, None::<[f64; 3]>);
    let mut out = Vec::with_capacity(rows.len());
    for (place, (key, row)) in rows.into_iter().enumerate() {
        let same = before.is_some_and(|known| known.iter().zip(&key).all(|(a, b)| (a - b).abs() < SAME));
        if !same {
            rank = place + 1;
        }
        before = Some(key);
        out.push(RankedPlayer { rank, ..row });
    }
    out
}
