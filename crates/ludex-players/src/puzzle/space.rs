//! The states of a game as one player's moves lead through them, one at a time or many at once.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, Batch, BatchOptions, Expansion, Goal, Jobs, RoleId, Runner, State};
use ludex_logic::{Budget, Meter};

use crate::machine_knowledge::MachineKnowledge;
use crate::strategy::Arena;

/// So many states are expanded at once.
pub(super) const TOGETHER: usize = 2048;
/// A question to a machine takes about as long as this many steps of inference.
const STEPS_PER_STATE: u64 = 64;

/// What there is to know about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Whether the game is over.
    pub(super) terminal: bool,
    /// What the state is worth to the player, over or not.
    pub(super) goal: Goal,
}

/// Asks a machine about states, counts them, and spends the budget.
pub(super) struct Space<'m> {
    runner: Box<dyn Runner + 'm>,
    batch: Box<dyn Batch + 'm>,
    arena: &'m Arena,
    knowledge_of_states: Option<Arc<MachineKnowledge>>,
    roles: u32,
    role: RoleId,
    meter: Meter,
    states: u64,
    /// Whether another role had a choice somewhere: what was found need not come about.
    others_choose: bool,
    state: State,
    joint: Vec<ActionId>,
    legal: Vec<ActionId>,
    jobs: Jobs,
    expansion: Expansion,
}

impl<'m> Space<'m> {
    /// The states of a game within a budget.
    pub(super) fn new(arena: &'m Arena, budget: &Budget) -> Self {
        let options = BatchOptions { budget: budget.clone(), ..BatchOptions::default() };
        Self {
            runner: arena.machine.runner(budget),
            batch: arena.machine.batch(&options),
            arena,
            knowledge_of_states: arena.knowledge_of_states.clone(),
            roles: arena.signature().roles().len() as u32,
            role: arena.role,
            meter: budget.meter(),
            states: 0,
            others_choose: false,
            state: arena.machine.initial().clone(),
            joint: Vec::new(),
            legal: Vec::new(),
            jobs: Jobs::default(),
            expansion: Expansion::default(),
        }
    }

    /// What is known of the game.
    pub(super) fn knowledge_of_states(&self) -> Option<&Arc<MachineKnowledge>> {
        self.knowledge_of_states.as_ref()
    }

    /// Looks whether more is known by now.
    pub(super) fn refresh_knowledge(&mut self) {
        self.knowledge_of_states = self.arena.fresh_knowledge();
    }

    /// The player.
    pub(super) fn role(&self) -> RoleId {
        self.role
    }

    /// How many states were looked at.
    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// Whether another role had a choice somewhere.
    pub(super) fn others_choose(&self) -> bool {
        self.others_choose
    }

    /// Remembers that another role had a choice somewhere, if that is known from before.
    pub(super) fn recall_choice_of_others(&mut self, others_choose: bool) {
        self.others_choose |= others_choose;
    }

    /// Spends the budget for some states.
    fn count(&mut self, states: u64) -> Answer<()> {
        self.states += states;
        Ok(self.meter.spend(STEPS_PER_STATE.saturating_mul(states))?)
    }

    /// Goes to a state and looks at it; [`Space::legal`] has the player's moves there.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers.
    pub(super) fn go_to(&mut self, words: &[u64]) -> Answer<Look> {
        self.set(words)?;
        self.look()
    }

    /// Makes a move in a state, goes to the state it leads to, and looks at it.
    ///
    /// # Errors
    /// As [`Space::go_to`].
    pub(super) fn make_from(&mut self, words: &[u64], action: ActionId) -> Answer<Look> {
        self.set(words)?;
        self.make(action)
    }

    /// Makes a move in the current state, and looks at the state it leads to. Where another role has no
    /// move the state stays, and has no moves for the player either: a dead end.
    ///
    /// # Errors
    /// As [`Space::go_to`].
    pub(super) fn make(&mut self, action: ActionId) -> Answer<Look> {
        if !self.join(action)? {
            self.legal.clear();
            return Ok(Look { terminal: false, goal: 0 });
        }
        self.runner.step_legal(&self.joint)?;
        self.look()
    }

    /// The player's legal moves in the current state; none where the game is over.
    pub(super) fn legal(&self) -> &[ActionId] {
        &self.legal
    }

    /// The words of the current state.
    pub(super) fn save(&mut self) -> &[u64] {
        self.runner.save(&mut self.state);
        self.state.words()
    }

    fn set(&mut self, words: &[u64]) -> Answer<()> {
        self.state.set_words(words);
        self.runner.set(&self.state)
    }

    fn look(&mut self) -> Answer<Look> {
        self.count(1)?;
        self.legal.clear();
        let terminal = self.runner.terminal()?;
        if !terminal {
            self.legal.extend_from_slice(self.runner.legal(self.role)?);
        }
        Ok(Look { terminal, goal: self.runner.goal(self.role)?.unwrap_or(0) })
    }

    /// Makes the joint move of a move in the current state: the others make their only move, or the
    /// first of several. Says whether everybody has a move.
    fn join(&mut self, action: ActionId) -> Answer<bool> {
        self.joint.clear();
        for role in (0..self.roles).map(RoleId) {
            if role == self.role {
                self.joint.push(action);
                continue;
            }
            let moves = self.runner.legal(role)?;
            self.others_choose |= moves.len() > 1;
            match moves.first() {
                Some(&first) => self.joint.push(first),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Forgets which moves were to be tried at once.
    pub(super) fn clear(&mut self) {
        self.jobs.clear();
    }

    /// How many moves are to be tried at once so far.
    pub(super) fn waiting(&self) -> usize {
        self.jobs.len()
    }

    /// Adds a state whose moves are to be tried. Says whether they will be: not where another role has
    /// no move.
    ///
    /// # Errors
    /// What the machine answers.
    pub(super) fn add(&mut self, words: &[u64], moves: &[ActionId]) -> Answer<bool> {
        let Some(&first) = moves.first() else { return Ok(true) };
        if self.roles > 1 {
            self.set(words)?;
            if !self.join(first)? {
                return Ok(false);
            }
        } else {
            self.joint.clear();
            self.joint.push(first);
        }
        let number = self.jobs.add_state(words);
        for &action in moves {
            self.joint[self.role.index()] = action;
            self.jobs.add(number, &self.joint);
        }
        Ok(true)
    }

    /// Tries all moves that were added: what they lead to, in their order.
    ///
    /// # Errors
    /// As [`Space::go_to`].
    pub(super) fn expand(&mut self) -> Answer<Children<'_>> {
        self.count(self.jobs.len() as u64)?;
        self.batch.expand(&self.jobs, &mut self.expansion)?;
        Ok(Children { expansion: &self.expansion, role: self.role })
    }
}

/// What moves led to, in the order of the moves.
#[derive(Clone, Copy)]
pub(super) struct Children<'s> {
    expansion: &'s Expansion,
    role: RoleId,
}

impl<'s> Children<'s> {
    /// The words of a state.
    pub(super) fn words(self, number: usize) -> &'s [u64] {
        self.expansion.state(number)
    }

    /// What there is to know about a state.
    pub(super) fn look(self, number: usize) -> Look {
        let goal = self.expansion.goals(number)[self.role.index()].unwrap_or(0);
        Look { terminal: self.expansion.terminal(number), goal }
    }

    /// The player's legal moves in a state.
    pub(super) fn legal(self, number: usize) -> &'s [ActionId] {
        self.expansion.legal(number, self.role)
    }
}
