//! Regret matching: moves are chosen as much as they were missed so far, and the average of what was chosen goes
//! towards an equilibrium between two roles whose goals have a constant sum (Hart and Mas-Colell, A simple adaptive
//! procedure leading to correlated equilibrium, 2000).
//!
//! Regrets never go below 0, and what is chosen later counts more in the average (regret matching+: Tammelin, Solving
//! large imperfect information games using CFR+, 2014). What moves would have brought is found out by whoever asks:
//! by what was sampled ([`sampled`]), or by what is known of all of them.

use ludex_game::Rng;

/// What is remembered of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MoveRegret {
    /// By how much more it would have brought than what was chosen, summed up and never below 0.
    regret: f64,
    /// Its parts in what was chosen, summed up.
    chosen: f64,
}

impl MoveRegret {
    /// By how much more it would have brought.
    pub fn regret(self) -> f64 {
        self.regret
    }

    /// Its parts in what was chosen.
    pub fn chosen(self) -> f64 {
        self.chosen
    }

    /// Notes one step: what the move would have brought beyond what is brought on average by what was chosen, and its
    /// part in that.
    pub fn note(&mut self, missed: f64, part: f64, weight: f64) {
        self.regret = (self.regret + missed).max(0.0);
        self.chosen += weight * part;
    }
}

/// Makes parts of a whole out of regrets: in proportion to them, and equal ones where there are none.
pub(crate) fn match_regrets(parts: &mut [f64], whole: f64) {
    let total: f64 = parts.iter().sum();
    if total > 0.0 {
        let share = whole / total;
        parts.iter_mut().for_each(|part| *part *= share);
    } else {
        parts.fill(whole / parts.len().max(1) as f64);
    }
}

/// Draws a move from a strategy, of which a part is left to chance, so that all moves are tried: its place, and how
/// likely it was.
pub(crate) fn draw(strategy: &[f64], exploration: f64, rng: &mut Rng) -> (usize, f64) {
    let even = exploration / strategy.len().max(1) as f64;
    let odds = |part: f64| (1.0 - exploration) * part + even;
    let chosen = rng.weighted(strategy.iter().map(|&part| odds(part))).unwrap_or_default();
    (chosen, strategy.get(chosen).map_or(1.0, |&part| odds(part)))
}

/// What a move would have brought, as far as a sample shows: as much as is expected of it, and where it was the one
/// that was drawn, more by what it brought beyond that over how likely it was (a baseline: Schmid and others, Variance
/// reduction in Monte Carlo counterfactual regret minimization, 2019). So a sample changes regrets by what it tells
/// only.
pub(crate) fn sampled(expected: f64, drawn: Option<(f64, f64)>) -> f64 {
    drawn.map_or(expected, |(brought, odds)| expected + (brought - expected) / odds)
}

/// What a strategy brings where its moves bring these values.
pub(crate) fn expected(strategy: &[f64], values: &[f64]) -> f64 {
    strategy.iter().zip(values).map(|(part, value)| part * value).sum()
}

/// The average of what was chosen, without parts below `least`, which are mostly those of early steps (purification:
/// Ganzfried and Sandholm, Tartanian5, 2012); the largest stays in any case. Equal parts where nothing was chosen.
pub(crate) fn average(chosen: &mut [f64], least: f64) {
    let whole: f64 = chosen.iter().sum();
    let largest = chosen.iter().copied().fold(0.0, f64::max);
    let bound = (least * whole).min(largest);
    chosen.iter_mut().filter(|part| **part < bound).for_each(|part| *part = 0.0);
    match_regrets(chosen, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matching pennies where one coin is worth three: who hides shows it one time in four.
    #[test]
    fn averages_go_to_the_equilibrium() {
        let payoffs = [[3.0, -1.0], [-1.0, 1.0]];
        let mut moves = [[MoveRegret::default(); 2]; 2];
        let mut rng = Rng::from_seed(5);
        for step in 1..20_000u32 {
            let strategies = moves.map(|moves| {
                let mut parts = moves.map(MoveRegret::regret);
                match_regrets(&mut parts, 1.0);
                parts
            });
            let drawn = [0, 1].map(|role| draw(&strategies[role], 0.2, &mut rng));
            let [(row, _), (column, _)] = drawn;
            let brought = [payoffs[row][column], -payoffs[row][column]];
            for role in [0, 1] {
                let (chosen, odds) = drawn[role];
                let values = [0, 1].map(|at| sampled(0.0, (at == chosen).then_some((brought[role], odds))));
                let mean = expected(&strategies[role], &values);
                for (at, known) in moves[role].iter_mut().enumerate() {
                    known.note(values[at] - mean, strategies[role][at], f64::from(step));
                }
            }
        }
        for role in moves {
            let mut parts = role.map(MoveRegret::chosen);
            average(&mut parts, 0.0);
            assert!((parts[0] - 1.0 / 3.0).abs() < 0.05, "{parts:?}");
        }
    }

    #[test]
    fn small_parts_are_left_out_and_the_largest_stays() {
        let mut parts = [8.0, 0.5, 1.5];
        average(&mut parts, 0.1);
        assert_eq!(parts, [8.0 / 9.5, 0.0, 1.5 / 9.5]);
        let mut even = [1.0; 4];
        average(&mut even, 0.9);
        assert_eq!(even, [0.25; 4]);
        let mut nothing = [0.0; 2];
        average(&mut nothing, 0.1);
        assert_eq!(nothing, [0.5; 2]);
    }
}
