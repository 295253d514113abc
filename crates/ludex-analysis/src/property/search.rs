//! States that break a property: in random games, and among all states.

use ludex_game::{ActionId, Answer, GameError, JointMoves, Rng, Rules, Runner, State, StateTable};
use ludex_logic::{Budget, LimitError, Meter};

use super::{Established, MARKED, PropertyOptions};
use crate::finding::Witness;

/// A random game is broken off after so many joint moves.
const LONGEST_GAME: usize = 2_000;

/// What a search came to.
pub(super) enum Searched {
    /// These moves lead to a state that breaks it.
    Broken(Witness),
    /// No state that can be reached breaks it.
    All {
        /// How many there are.
        states: usize,
    },
    /// No state that was looked at breaks it.
    Some,
}

pub(super) struct Search<'r> {
    rules: &'r Rules,
    start: State,
    runner: Box<dyn Runner + 'r>,
    meter: Meter,
    games: u32,
    states: u64,
}

/// How a state was reached: from which one, by which joint move.
pub(crate) type Way = Option<(u32, Box<[ActionId]>)>;

impl<'r> Search<'r> {
    pub(super) fn new(rules: &'r Rules, start: &State, budget: &Budget) -> Self {
        let runner = rules.machine().runner(budget);
        Self { rules, start: start.clone(), runner, meter: budget.meter(), games: 0, states: 0 }
    }

    /// What the random games say that were played.
    pub(super) fn tried(&self) -> Established {
        Established::Games { games: self.games, states: self.states }
    }

    fn is_broken(&mut self) -> Answer<bool> {
        Ok(self.runner.goal(MARKED)? == Some(100))
    }

    /// Plays random games. At a limit those count that were played, unless there are none.
    pub(super) fn random_games(&mut self, options: &PropertyOptions) -> Answer<Searched> {
        let mut rng = Rng::from_seed(options.seed);
        for _ in 0..options.games.max(1) {
            match self.random_game(&mut rng) {
                Ok(Some(witness)) => return Ok(Searched::Broken(witness)),
                Ok(None) => self.games += 1,
                Err(GameError::Limit(_)) if self.games > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Searched::Some)
    }

    fn random_game(&mut self, rng: &mut Rng) -> Answer<Option<Witness>> {
        let mut made: Vec<Vec<ActionId>> = Vec::new();
        self.runner.set(&self.start)?;
        loop {
            self.meter.spend(1)?;
            self.states += 1;
            if self.is_broken()? {
                return Ok(Some(self.witness(&made)));
            }
            if made.len() >= LONGEST_GAME || self.runner.terminal()? {
                return Ok(None);
            }
            let mut joint = Vec::new();
            for role in self.rules.roles() {
                match rng.pick(self.runner.legal(role)?) {
                    Some(&action) => joint.push(action),
                    // A role that is stuck ends the game.
                    None => return Ok(None),
                }
            }
            self.runner.step_legal(&joint)?;
            made.push(joint);
        }
    }

    /// Goes through all states, unless there are too many.
    pub(super) fn all_states(&mut self, options: &PropertyOptions) -> Answer<Searched> {
        let full = |limit: usize| GameError::from(LimitError::Memory { limit, what: "the states".into() });
        let mut table: StateTable<Way> = StateTable::default();
        table.insert(self.start.words(), None).ok_or_else(|| full(options.most_states))?;
        let (mut state, mut after) = (self.start.clone(), State::default());
        let (mut at, mut moves) = (0u32, 0usize);
        while (at as usize) < table.len() {
            self.meter.spend(1)?;
            state.set_words(table.words(at));
            self.runner.set(&state)?;
            if self.is_broken()? {
                return Ok(Searched::Broken(self.witness(&way_to(&table, at))));
            }
            let joints = if self.runner.terminal()? {
                None
            } else {
                match JointMoves::new(&mut *self.runner, self.rules.signature()) {
                    Ok(joints) => Some(joints),
                    Err(GameError::NoLegalMove { .. }) => None,
                    Err(error) => return Err(error),
                }
            };
            if let Some(mut joints) = joints {
                while let Some(joint) = joints.next() {
                    self.meter.spend(1)?;
                    moves += 1;
                    if moves > options.most_moves || table.len() > options.most_states {
                        return Ok(Searched::Some);
                    }
                    self.runner.set(&state)?;
                    self.runner.step_legal(joint)?;
                    self.runner.save(&mut after);
                    // The way is kept for new states only.
                    if table.find(after.words()).is_none() {
                        table
                            .insert(after.words(), Some((at, joint.into())))
                            .ok_or_else(|| full(options.most_states))?;
                    }
                }
                self.meter.check_memory(table.bytes(), || "the states".into())?;
            }
            at += 1;
        }
        Ok(Searched::All { states: table.len() })
    }

    fn witness(&self, joints: &[Vec<ActionId>]) -> Witness {
        let signature = self.rules.signature();
        let terms = |joint: &Vec<ActionId>| joint.iter().map(|&action| signature.action(action)).collect();
        Witness { steps: joints.iter().map(terms).collect() }
    }
}

/// The joint moves that lead to a state.
pub(crate) fn way_to(table: &StateTable<Way>, mut at: u32) -> Vec<Vec<ActionId>> {
    let mut joints = Vec::new();
    while let Some((before, joint)) = table.value(at) {
        joints.push(joint.to_vec());
        at = *before;
    }
    joints.reverse();
    joints
}
