//! How the tournament player plays open games in which roles choose at the same time, where they are small or become so:
//! by a solution of all that can still come.

use ludex_game::{
    ActionId, Answer, BatchOptions, GameError, Goal, RandomGuide, Rng, RoleId, SampleOptions, Samples, Start,
};
use ludex_logic::LimitError;

use crate::equilibrium::{SolutionLimits, StateSolution, Unsolved};
use crate::introduction::Aim;
use crate::strategy::{Rating, Turn};
use crate::tree::Objective;

/// So many random games show whether roles choose at the same time...
const GAMES: u32 = 64;
/// ... or so many where there are no lanes; of so many steps at most.
const FEW_GAMES: u32 = 2;
const STEPS: u32 = 200;
/// The part of the start clock that this may take.
const LOOK_SHARE: f64 = 0.1;
/// The part of the rest in which a game is solved.
const SOLVING_SHARE: f64 = 0.6;
/// The most states, and joint moves in all of them, of a game that is solved before the first move.
const MOST_STATES: usize = 200_000;
const MOST_JOINT_MOVES: usize = 1 << 21;
/// And of what is left of a larger one in a turn, and the part of the turn for it.
const MOST_STATES_IN_TURN: usize = 1 << 14;
const MOST_JOINT_MOVES_IN_TURN: usize = 1 << 17;
const TURN_SHARE: f64 = 0.2;
/// The part of the memory that a solution may take.
const MEMORY_SHARE: usize = 4;
/// Moves with a smaller part are not made: it is what rounding leaves.
const LEAST_SHARE: f64 = 1e-6;

/// A solution of the game, where there is one.
#[derive(Default)]
pub(super) struct SimultaneousGame {
    solution: Option<StateSolution>,
    /// Why there is none, where roles choose at the same time.
    refusal: Option<Unsolved>,
    /// What is played for, where that is not the own goal.
    aim: Option<Aim>,
}

impl SimultaneousGame {
    /// Tries to solve the game as a whole, where roles choose at the same time; for what it is played for, where that is
    /// not the own goal.
    ///
    /// # Errors
    /// That the turn is called off, or what the machine answers.
    pub fn prepare(&mut self, turn: &Turn<'_>, aim: Option<Aim>) -> Answer<()> {
        self.aim = aim;
        if !choose_together(turn)? {
            return Ok(());
        }
        self.solve(turn, (MOST_STATES, MOST_JOINT_MOVES), SOLVING_SHARE)
    }

    /// Tries to solve what can still come from the state of a turn on.
    fn solve(
        &mut self,
        turn: &Turn<'_>,
        (states, joint_moves): (usize, usize),
        share_of_time: f64,
    ) -> Answer<()> {
        let bytes = turn.arena.resources.memory / MEMORY_SHARE;
        let limits = SolutionLimits { states, joint_moves, bytes };
        let budget = turn.budget.clone().with_share_of_time(share_of_time);
        let objective = match self.aim {
            Some(Aim::Win { lead }) if turn.arena.role == RoleId(0) => Objective::Win { by: lead },
            Some(Aim::Win { lead }) => Objective::Win { by: lead.saturating_neg() },
            Some(Aim::Ahead) => Objective::Ahead,
            Some(Aim::Goals) | None => Objective::Own,
        };
        let payoffs = |goals: [Goal; 2]| {
            let worth = objective.goals(&goals.map(Some));
            [0, 1].map(|role| worth.get(role).copied().flatten().unwrap_or(0))
        };
        match StateSolution::new(&turn.arena.machine, turn.state, &payoffs, limits, &budget) {
            Ok(solution) => (self.solution, self.refusal) = (Some(solution), None),
            Err(Unsolved::Game(GameError::Limit(LimitError::Cancelled))) => {
                return Err(GameError::Limit(LimitError::Cancelled));
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
        Ok(())
    }

    /// Tries to solve what is left of a game that was too large before.
    ///
    /// # Errors
    /// That the turn is called off.
    pub fn look_again(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let limits = (MOST_STATES_IN_TURN, MOST_JOINT_MOVES_IN_TURN);
        match self.refusal {
            Some(Unsolved::TooLarge { .. } | Unsolved::Game(GameError::Limit(_))) => {
                self.solve(turn, limits, TURN_SHARE)
            }
            _ => Ok(()),
        }
    }

    /// Whether the game is solved.
    pub fn is_solved(&self) -> bool {
        self.solution.is_some()
    }

    /// Says why the game is not solved, where that was tried.
    pub fn tell_refusal(&self, turn: &mut Turn<'_>) {
        if let Some(refusal) = &self.refusal {
            turn.note("not solved as a whole", refusal);
        }
    }

    /// Plays by the solution, where there is one. Whether it did.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn play(&self, turn: &mut Turn<'_>) -> Answer<bool> {
        let Some(solution) = &self.solution else { return Ok(false) };
        let (arena, legal) = (turn.arena, turn.legal);
        let found = solution.of_state(&arena.machine, turn.state, arena.role)?;
        let Some(found) = found.filter(|found| found.strategy.len() == legal.len()) else {
            return Ok(false);
        };
        let parts = legal.iter().copied().zip(found.strategy.iter().copied());
        let policy: Vec<(ActionId, f64)> = parts.filter(|&(_, part)| part > LEAST_SHARE).collect();
        let drawn = Rng::from_seed(turn.seed).weighted(policy.iter().map(|&(_, part)| part));
        let Some(action) = drawn.map(|place| policy[place].0) else { return Ok(false) };
        turn.note("the roles' goals", "constant sum");
        turn.note("solved as a whole", format_args!("{} states", solution.states()));
        turn.note("exploitability", format_args!("{:.4}", found.exploitability));
        turn.note("value of the game", format_args!("{:.3}", found.value));
        for ((&action, &value), part) in legal.iter().zip(&found.values).zip(&found.strategy) {
            turn.rate(Rating { action, value, visits: (part * 1_000.0).round() as u64, proven: None });
        }
        turn.advise(action);
        turn.mix(&policy);
        Ok(true)
    }
}

/// Whether random games come to a state in which two roles have a choice at the same time, chance not counted.
pub(crate) fn choose_together(turn: &Turn<'_>) -> Answer<bool> {
    let (machine, signature) = (&turn.arena.machine, turn.arena.signature());
    let budget = turn.budget.clone().with_share_of_time(LOOK_SHARE);
    let mut batch = machine.batch(&BatchOptions { budget, ..BatchOptions::default() });
    let playouts = if batch.width() > 1 { GAMES } else { FEW_GAMES };
    let start = Start { state: turn.state.clone(), playouts };
    let options = SampleOptions { seed: turn.seed, step_limit: STEPS };
    let mut games = Samples::default();
    match batch.sample(&[start], &options, &mut RandomGuide, &mut games) {
        // What was played until then shows as much.
        Err(GameError::Limit(limit)) if limit != LimitError::Cancelled => {}
        played => played?,
    }
    let players: Vec<RoleId> =
        signature.role_ids().filter(|&role| Some(role) != signature.random()).collect();
    let choosing = |row: usize| players.iter().filter(|&&role| games.legal(row, role).len() > 1).count();
    Ok((0..games.rows()).any(|row| choosing(row) > 1))
}

#[cfg(test)]
mod tests {
    use ludex_game::{find_term, read_term};
    use ludex_logic::Budget;

    use super::*;
    use crate::strategy::{Arena, Resources};

    /// How much the first role bets in the last round of the game of bets, both having as much, for an aim.
    fn betting(aim: Option<Aim>) -> Option<f64> {
        let rules = ludex_testkit::playable_bundled("bets").unwrap();
        let machine = rules.machine();
        let terms = machine.signature().terms();
        let facts = ["(round 7)", "(points left 35)", "(points right 35)"]
            .map(|fact| read_term(terms, fact).unwrap());
        let state = machine.state_of(&facts).unwrap();
        let budget = Budget::unlimited();
        let legal = {
            let mut runner = machine.runner(&budget);
            runner.set(&state).unwrap();
            runner.legal(RoleId(0)).unwrap().to_vec()
        };
        let arena = Arena::new(machine.clone(), RoleId(0), Resources::default());
        let mut turn = Turn::new(&arena, &state, &legal, &budget, 1);
        let mut game = SimultaneousGame { aim, ..SimultaneousGame::default() };
        game.solve(&turn, (MOST_STATES, MOST_JOINT_MOVES), 1.0).unwrap();
        if !game.play(&mut turn).unwrap() {
            return None;
        }
        let none =
            ["heads", "tails"].map(|call| find_term(terms, &format!("(play none {call})")).unwrap().unwrap());
        let policy = turn.into_report().policy;
        Some(policy.iter().filter(|(action, _)| !none.contains(action)).map(|(_, part)| part).sum())
    }

    #[test]
    fn who_is_behind_takes_a_risk_and_who_is_ahead_does_not() {
        assert_eq!(betting(None), None, "goals have no constant sum");
        let win = |lead| betting(Some(Aim::Win { lead })).unwrap();
        assert!(win(-6) > 0.999, "to have as much more as others is not enough: {}", win(-6));
        assert!(win(6) < 0.001, "nothing can happen to who does not bet: {}", win(6));
    }
}
