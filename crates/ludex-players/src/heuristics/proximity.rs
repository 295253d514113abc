//! Goal proximity by likeness to desirable terminal states (book 7.3).

use std::sync::Arc;

use ludex_game::{Answer, Goal, Machine, Rng, RoleId, State};
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;

use super::random_games::play_random_games;
use super::{Feature, LearnedFrom, Whose};
use crate::explorer::{Explorer, OpenedState};
use crate::strategy::Arena;

/// The share of the time for gathering terminal states.
const SHARE: f64 = 0.8;

/// How many of the propositions that hold in a state hold in a desirable terminal state too, in percent:
/// the mean over all those that were met in random games. Desirable to a role are the terminal states
/// that were worth the most to it of all. 0 as long as none is known.
#[derive(Clone, Default)]
pub struct Proximity {
    whose: Whose,
    machine: Option<Arc<dyn Machine>>,
    /// Per role.
    desirable: Vec<Desirable>,
    facts: Vec<TermId>,
}

/// The terminal states of the highest goal so far, added up.
#[derive(Clone, Debug, Default)]
struct Desirable {
    goal: Goal,
    states: u32,
    /// In how many of them each proposition holds.
    holds: FxHashMap<TermId, u32>,
}

impl Proximity {
    /// Likeness to what is desirable to the role itself or to the others.
    pub fn new(whose: Whose) -> Self {
        Self { whose, ..Self::default() }
    }

    /// How many desirable terminal states are known for a role.
    pub fn desirable(&self, role: RoleId) -> u32 {
        self.desirable.get(role.index()).map_or(0, |found| found.states)
    }
}

impl Feature for Proximity {
    fn sit(&mut self, arena: &Arena) {
        // What is known is kept: propositions are terms, which no machine changes.
        self.machine = Some(Arc::clone(&arena.machine));
    }

    fn learn(&mut self, arena: &Arena, budget: &Budget, seed: u64) -> Answer<LearnedFrom> {
        self.sit(arena);
        let part = budget.clone().with_share_of_time(SHARE);
        let games = play_random_games(arena, &part, &mut Rng::from_seed(seed), &mut |_, game, _| {
            if game.end.terminal {
                self.analysis(&game.end.state, &game.goals);
            }
            Ok(())
        })?;
        Ok(LearnedFrom { games, examples: 0 })
    }

    fn analysis(&mut self, end: &State, goals: &[Goal]) {
        let Some(machine) = &self.machine else { return };
        machine.facts(end, &mut self.facts);
        self.desirable.resize(goals.len(), Desirable::default());
        for (found, &goal) in self.desirable.iter_mut().zip(goals) {
            if goal > found.goal {
                *found = Desirable { goal, ..Desirable::default() };
            }
            if goal == found.goal {
                found.states += 1;
                for &fact in &self.facts {
                    *found.holds.entry(fact).or_default() += 1;
                }
            }
        }
    }

    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        let Some(machine) = &self.machine else { return Ok(0.0) };
        machine.facts(&position.state, &mut self.facts);
        let facts = &self.facts;
        self.whose.mean(explorer, role, |_, role| {
            let Some(found) = self.desirable.get(role.index()).filter(|found| found.states > 0) else {
                return Ok(0.0);
            };
            let both: f64 =
                facts.iter().filter_map(|fact| found.holds.get(fact)).copied().map(f64::from).sum();
            Ok(both / f64::from(found.states) / facts.len().max(1) as f64 * 100.0)
        })
    }
}
