//! Random games: plans and strategies are compared with a plain search over the rules.

use std::collections::BTreeMap;

use ludex_game::{ActionId, Goal, RoleId, Rules, Runner, State};
use ludex_logic::Budget;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{playable, seeds};

use super::*;
use crate::Subject;

/// A plain search, as deep as the games last.
struct Plain<'r> {
    rules: &'r Rules,
    runner: Box<dyn Runner + 'r>,
    role: RoleId,
    least: Goal,
    /// The states it may still look at.
    left: u32,
    strategies: BTreeMap<(State, u32), bool>,
}

/// The game is too large for a plain search.
struct TooLarge;

impl<'r> Plain<'r> {
    fn new(rules: &'r Rules, role: RoleId, least: Goal) -> Self {
        let runner = rules.machine().runner(&Budget::unlimited());
        Self { rules, runner, role, least, left: 30_000, strategies: BTreeMap::new() }
    }

    fn look(&mut self, state: &State) -> Result<Option<bool>, TooLarge> {
        self.left = self.left.checked_sub(1).ok_or(TooLarge)?;
        self.runner.set(state).unwrap();
        if !self.runner.terminal().unwrap() {
            return Ok(None);
        }
        Ok(Some(self.runner.goal(self.role).unwrap().is_some_and(|goal| goal >= self.least)))
    }

    /// The joint moves with the states they lead to.
    fn successors(&mut self, state: &State) -> Vec<(Vec<ActionId>, State)> {
        let legal: Vec<Vec<ActionId>> = self
            .rules
            .roles()
            .map(|role| {
                self.runner.set(state).unwrap();
                self.runner.legal(role).unwrap().to_vec()
            })
            .collect();
        let mut joints = vec![Vec::new()];
        for moves in legal {
            joints = joints
                .iter()
                .flat_map(|joint: &Vec<ActionId>| {
                    moves.iter().map(|&action| joint.iter().copied().chain([action]).collect())
                })
                .collect();
        }
        let mut after = |joint: Vec<ActionId>| {
            self.runner.set(state).unwrap();
            self.runner.step(&joint).unwrap();
            let mut next = State::default();
            self.runner.save(&mut next);
            (joint, next)
        };
        joints.into_iter().map(&mut after).collect()
    }

    /// The number of steps of a shortest plan along which the others have no choice.
    fn shortest(&mut self) -> Result<Option<usize>, TooLarge> {
        let mut states = vec![self.rules.machine().initial().clone()];
        let mut length = 0;
        while !states.is_empty() {
            let mut next = Vec::new();
            for state in &states {
                match self.look(state)? {
                    Some(true) => return Ok(Some(length)),
                    Some(false) => {}
                    None => {
                        let all = self.successors(state);
                        let role = self.role.index();
                        let mut others: Vec<Vec<ActionId>> = all.iter().map(|(j, _)| j.clone()).collect();
                        for joint in &mut others {
                            joint.remove(role);
                        }
                        others.dedup();
                        if others.len() == 1 {
                            next.extend(all.into_iter().map(|(_, state)| state));
                        }
                    }
                }
            }
            next.sort();
            next.dedup();
            (states, length) = (next, length + 1);
        }
        Ok(None)
    }

    /// Whether the role can force it within so many steps.
    fn forces(&mut self, state: &State, steps: u32) -> Result<bool, TooLarge> {
        if let Some(won) = self.look(state)? {
            return Ok(won);
        }
        if steps == 0 {
            return Ok(false);
        }
        if let Some(&known) = self.strategies.get(&(state.clone(), steps)) {
            return Ok(known);
        }
        let mut by_move: BTreeMap<ActionId, bool> = BTreeMap::new();
        for (joint, next) in self.successors(state) {
            let wins =
                by_move.get(&joint[self.role.index()]) != Some(&false) && self.forces(&next, steps - 1)?;
            by_move.insert(joint[self.role.index()], wins);
        }
        let forced = by_move.values().any(|&wins| wins);
        self.strategies.insert((state.clone(), steps), forced);
        Ok(forced)
    }
}

/// The games of the seeds that are small, with a goal of each role that is worth looking for.
fn games(round: u64) -> impl Iterator<Item = (u64, Subject, RoleId, Goal)> {
    seeds(round).flat_map(|seed| {
        let knobs = Knobs { sees: false, random: false, size: 1, steps: 4, ..Knobs::from_seed(seed) };
        let rules = playable("random.kif", &generate(seed, &knobs).to_string()).unwrap();
        let subject = Subject::new(&rules);
        let of_role = move |role: RoleId| {
            let faithful = subject.faithful(&Budget::unlimited()).unwrap();
            let values: Vec<Goal> = faithful.circuit.goals[role.index()].iter().map(|goal| goal.0).collect();
            let subject = subject.clone();
            values.into_iter().skip(1).map(move |least| (seed, subject.clone(), role, least))
        };
        rules.roles().collect::<Vec<_>>().into_iter().flat_map(of_role)
    })
}

#[test]
fn plans_of_random_games_are_as_short_as_can_be() {
    let (mut found, mut none) = (0, 0);
    for (seed, subject, role, least) in games(40) {
        let Ok(shortest) = Plain::new(subject.rules(), role, least).shortest() else { continue };
        for search in [Search::Shortest, Search::Any] {
            let options = PlanOptions { target: Target::AtLeast(least), search, ..PlanOptions::default() };
            let report = plan(&subject, role, &options, &Budget::unlimited());
            match (&report.outcome, shortest) {
                (Outcome::Found(plan), Some(length)) => {
                    assert!(plan.goal >= least, "seed {seed}");
                    assert!(plan.witness.steps.len() >= length, "seed {seed}");
                    assert!(search == Search::Any || plan.witness.steps.len() == length, "seed {seed}");
                    found += 1;
                }
                (Outcome::None(_), None) => none += 1,
                (other, _) => panic!("seed {seed}, {search:?}: {other:?} but {shortest:?}"),
            }
        }
    }
    assert!(found > 8 && none > 8, "{found} plans, {none} times none");
}

#[test]
fn what_is_forced_in_random_games_is_what_minimax_finds() {
    let (mut forced, mut not) = (0, 0);
    for (seed, subject, role, least) in games(40) {
        let rules = subject.rules();
        let mut plain = Plain::new(rules, role, least);
        let initial = rules.machine().initial().clone();
        let Ok(values) = (0..=5).map(|steps| plain.forces(&initial, steps)).collect::<Result<Vec<_>, _>>()
        else {
            continue;
        };
        let first = values.iter().position(|&wins| wins);
        for force in [force, force::force_by_solver] {
            let report = force(&subject, role, Target::AtLeast(least), 5, &Budget::unlimited());
            match (&report.outcome, first) {
                (ForceOutcome::Forced { strategy, .. }, Some(steps)) => {
                    let within = strategy.nodes.first().map_or(0, |node| node.within as usize);
                    assert_eq!(within, steps, "seed {seed}");
                    forced += 1;
                }
                (ForceOutcome::Never | ForceOutcome::NotWithin { .. }, None) => not += 1,
                (other, _) => panic!("seed {seed}: {other:?} but {first:?}"),
            }
        }
    }
    assert!(forced > 4 && not > 4, "{forced} times forced, {not} times not");
}
