//! When a search ends before its time, and when it goes on beyond it, where time that is not used is worth something.
//!
//! Three questions are asked of the moves at the root after each batch. Whether what is left of the usual time can still
//! change which move was visited most (Baier and Winands, 2016: "Time Management for Monte Carlo Tree Search", STOP).
//! Whether it is open at the end of that time which move is best (ibid., UNST and CLOSE): then it goes on. And where time
//! costs points, whether to think as long again promises to bring more than it costs (the value of computation: Russell
//! and Wefald, 1991).

use std::time::Duration;

use super::descent::Tree;
use crate::allotment::Allotment;

/// Moves end early where they matter little, and games where they are solved: so much more than an even share is the usual
/// time of a move.
const AHEAD: f64 = 1.5;
/// Where time costs something, a move that is behind does not get more than this part of the visits that are still to come.
const CATCHING_UP: f64 = 0.6;
/// Which move is best is open where the second was visited so often, compared with the best.
const CLOSE: f64 = 0.75;
/// A move says that the best is another one only where it was visited so often, compared with the one visited most.
const HEARD: f64 = 0.2;
/// Means of visits differ from what moves are worth by so many times what chance alone would make of them: visits see
/// little of what is behind them.
const DRIFT: f64 = 3.0;

/// What ends a search that has time to save.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopping {
    allotment: Allotment,
}

/// What a search knows of the moves at its root, as far as any of them may be best.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Candidates {
    /// How often each was visited, and what it brought on average, 0 to 1; the one that would be played first.
    moves: Vec<(f64, f64)>,
    /// How much values of leaves differ.
    deviation: f64,
}

impl Stopping {
    /// By what a move was allotted.
    pub fn new(allotment: Allotment) -> Self {
        let usual = allotment.usual.mul_f64(AHEAD).min(allotment.most);
        Self { allotment: Allotment { usual, ..allotment } }
    }

    /// Whether what is known is to be answered at once, and nobody is to be hoped to err: where time costs something.
    pub fn has_price(&self) -> bool {
        self.allotment.cost > 0.0
    }

    /// Whether so much is more time than a turn usually takes.
    pub fn is_beyond(&self, elapsed: Duration) -> bool {
        elapsed >= self.allotment.usual
    }

    /// Whether to end the search after so much time, in which so many descents were made.
    pub fn is_due(&self, elapsed: Duration, descents: u64, candidates: &Candidates) -> bool {
        let Some((&(best, _), others)) = candidates.moves.split_first() else { return false };
        let Some(second) = others.iter().map(|&(visits, _)| visits).reduce(f64::max) else { return true };
        let Allotment { usual, most, cost } = self.allotment;
        if cost > 0.0 && 100.0 * candidates.gain() < cost * elapsed.as_secs_f64() {
            return true;
        }
        if elapsed >= usual {
            return elapsed >= most || !candidates.is_open(best, second);
        }
        let rate = descents as f64 / elapsed.as_secs_f64().max(1e-6);
        let coming = rate * usual.saturating_sub(elapsed).as_secs_f64();
        let part = if cost > 0.0 { CATCHING_UP } else { 1.0 };
        best - second > part * coming
    }
}

impl Candidates {
    /// The moves at the root of a tree.
    pub fn of(tree: &Tree) -> Self {
        let Some(best) = tree.best_at_root() else { return Self::default() };
        let edges = tree.graph.edges(tree.root, tree.role);
        let sure = tree.graph.bounds(tree.root)[tree.role].lower;
        let facts = |number: u32| {
            let edge = &edges[number as usize];
            let known = tree.known_value(edge, tree.role);
            (f64::from(edge.visits), known.or_else(|| edge.mean()).unwrap_or(0.0))
        };
        let others = (0..edges.len() as u32).filter(|&number| {
            let edge = &edges[number as usize];
            number != best && !tree.is_left_out(tree.root, edge, tree.role, sure)
        });
        let moves = std::iter::once(best).chain(others).map(facts).collect();
        Self { moves, deviation: tree.statistics.deviation.standard() }
    }

    /// Whether it is open which move is best: the one that was visited most does not look best, or another one was
    /// visited nearly as often.
    fn is_open(&self, best: f64, second: f64) -> bool {
        let heard = |&&(visits, _): &&(f64, f64)| visits >= HEARD * best;
        let highest = self.moves.iter().filter(heard).map(|&(_, mean)| mean).fold(0.0, f64::max);
        second >= CLOSE * best || self.moves.first().is_some_and(|&(_, mean)| mean < highest)
    }

    /// What as many visits again are expected to bring, 0 to 1: by how much a move that looks worse now is on average
    /// better than the best, where the difference is normally distributed about what is known of it.
    fn gain(&self) -> f64 {
        let Some((&(visits, mean), others)) = self.moves.split_first() else { return 0.0 };
        let of_other = |&(tried, value): &(f64, f64)| {
            // Half of the variance that is left after these visits goes with as many again.
            let variance = (1.0 / visits.max(1.0) + 1.0 / tried.max(1.0)) / 2.0;
            let scale = DRIFT * self.deviation * variance.sqrt();
            expected_excess(value - mean, scale)
        };
        others.iter().map(of_other).fold(0.0, f64::max)
    }
}

/// The mean of what a normally distributed number is above 0 by, and 0 where it is below.
fn expected_excess(mean: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return mean.max(0.0);
    }
    let z = mean / deviation;
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    (deviation * density + mean * normal_below(z)).max(0.0)
}

/// How likely a normally distributed number is below `z` (Abramowitz and Stegun, 1964: 26.2.17).
fn normal_below(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let polynomial = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let above = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * polynomial;
    if z >= 0.0 { 1.0 - above } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn stopping(cost: f64) -> Stopping {
        Stopping::new(Allotment { usual: SECOND, most: 3 * SECOND, cost })
    }

    fn candidates(moves: &[(f64, f64)]) -> Candidates {
        Candidates { moves: moves.to_vec(), deviation: 0.2 }
    }

    #[test]
    fn a_lead_that_cannot_be_caught_up_ends_a_search() {
        let stopping = stopping(0.0);
        // After 0.6 s with 900 visits, 600 are still to come.
        let after = |moves: &[(f64, f64)]| stopping.is_due(SECOND * 6 / 10, 900, &candidates(moves));
        assert!(after(&[(650.0, 0.6), (250.0, 0.5)]));
        assert!(!after(&[(500.0, 0.6), (400.0, 0.5)]));
        assert!(after(&[(1.0, 0.5)]), "where nothing else may be best");
        assert!(!after(&[]), "where nothing is known");
    }

    #[test]
    fn what_is_open_goes_on() {
        let stopping = stopping(0.0);
        let after =
            |seconds: u32, moves: &[(f64, f64)]| stopping.is_due(SECOND * seconds, 1000, &candidates(moves));
        assert!(after(1, &[(600.0, 0.6), (400.0, 0.5)]));
        assert!(!after(1, &[(600.0, 0.6), (500.0, 0.5)]), "nearly as often");
        assert!(!after(1, &[(600.0, 0.5), (300.0, 0.6)]), "the other looks better");
        assert!(after(1, &[(600.0, 0.5), (10.0, 0.6)]), "but was hardly tried");
        assert!(after(3, &[(600.0, 0.6), (500.0, 0.5)]), "not for ever");
    }

    #[test]
    fn who_pays_for_time_thinks_as_long_as_it_pays() {
        let close = candidates(&[(110.0, 0.52), (100.0, 0.51)]);
        let clear = candidates(&[(190.0, 0.9), (20.0, 0.2)]);
        let early = SECOND / 100;
        assert!(!stopping(1.0).is_due(early, 210, &close));
        assert!(stopping(1.0).is_due(early, 210, &clear));
        assert!(stopping(1000.0).is_due(early, 210, &close), "where it is dear");
        let more = candidates(&[(11_000.0, 0.52), (10_000.0, 0.51)]);
        assert!(more.gain() < close.gain() / 5.0, "{} {}", more.gain(), close.gain());
    }

    #[test]
    fn known_values_of_the_normal_distribution() {
        for (z, below) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.96, 0.024_997_9)] {
            assert!((normal_below(z) - below).abs() < 1e-6, "{z}");
        }
        assert!((expected_excess(0.0, 1.0) - 0.398_942_3).abs() < 1e-6);
        assert_eq!((expected_excess(0.3, 0.0), expected_excess(-0.3, 0.0)), (0.3, 0.0));
    }
}
