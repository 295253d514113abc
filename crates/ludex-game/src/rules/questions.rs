//! Questions about a state, asked one at a time.

use ludex_logic::derive::{Derivations, DeriveError};
use ludex_logic::{Budget, GroundAtom, TermId};

use super::Rules;
use crate::{
    ActionId, Answer, GameError, Goal, PerftRow, Playout, Rng, RoleId, Runner, State, Trace, VerifyReport,
    perft, record_playouts, verify_waiting,
};

/// What a joint move leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The next state.
    pub state: State,
    /// What each role sees on the way (GDL-II), in canonical order.
    pub percepts: Vec<Vec<TermId>>,
}

/// Each question here makes a runner of its own, which is convenient and costs some microseconds;
/// whoever asks millions of them takes a [`Runner`] from [`Rules::runner`].
impl Rules {
    /// A runner in the initial state, within the game's limits on questions.
    pub fn runner(&self) -> Box<dyn Runner + '_> {
        self.machine().runner(self.question_budget())
    }

    /// A runner in this state.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn runner_in(&self, state: &State) -> Answer<Box<dyn Runner + '_>> {
        let mut runner = self.runner();
        runner.set(state)?;
        Ok(runner)
    }

    /// The initial state.
    pub fn initial(&self) -> &State {
        self.machine().initial()
    }

    /// The facts that hold in a state, in canonical order.
    pub fn facts(&self, state: &State) -> Vec<TermId> {
        let mut facts = Vec::new();
        self.machine().facts(state, &mut facts);
        facts
    }

    /// The facts that hold in a state, as texts in canonical order.
    pub fn fact_texts(&self, state: &State) -> Vec<String> {
        self.texts(&self.facts(state))
    }

    /// The state in which exactly these facts hold.
    ///
    /// # Errors
    /// [`GameError::UnknownFact`] for a fact that no state can hold.
    pub fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        self.machine().state_of(facts)
    }

    /// Whether the state is terminal.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn terminal(&self, state: &State) -> Answer<bool> {
        self.runner_in(state)?.terminal()
    }

    /// The legal moves of a role, in canonical order.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn legal(&self, state: &State, role: RoleId) -> Answer<Vec<TermId>> {
        self.legal_in(&mut *self.runner_in(state)?, role)
    }

    /// The legal moves of a role in the state of a runner of this game, in canonical order.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn legal_in(&self, runner: &mut dyn Runner, role: RoleId) -> Answer<Vec<TermId>> {
        let signature = self.signature();
        Ok(runner.legal(role)?.iter().map(|&action| signature.action(action)).collect())
    }

    /// The legal moves of a role, as texts in canonical order.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn legal_texts(&self, state: &State, role: RoleId) -> Answer<Vec<String>> {
        Ok(self.texts(&self.legal(state, role)?))
    }

    /// What the state is worth to each role; `None` where the rules give no value or several.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn goals(&self, state: &State) -> Answer<Vec<Option<Goal>>> {
        let mut runner = self.runner_in(state)?;
        self.roles().map(|role| runner.goal(role)).collect()
    }

    /// What a joint move leads to, one legal move for each role in order.
    ///
    /// # Errors
    /// As [`Runner::step`].
    pub fn successor(&self, state: &State, joint: &[TermId]) -> Answer<Successor> {
        let mut runner = self.runner_in(state)?;
        runner.step(&self.action_ids(joint)?)?;
        let mut state = State::default();
        runner.save(&mut state);
        let percepts = self.roles().map(|role| runner.percepts(role).to_vec()).collect();
        Ok(Successor { state, percepts })
    }

    /// The ids of moves.
    ///
    /// # Errors
    /// [`GameError::UnknownAction`] for a term that was never met as a move.
    pub fn action_ids(&self, joint: &[TermId]) -> Answer<Vec<ActionId>> {
        let id = |&term| {
            let found = self.signature().find_action(term);
            found.ok_or_else(|| GameError::UnknownAction { action: self.text(term) })
        };
        joint.iter().map(id).collect()
    }

    /// Plays at random from a state, at most `limit` steps. The same seed gives the same game on
    /// every engine.
    ///
    /// # Errors
    /// What the machine answers; [`GameError::NoLegalMove`] when a role is stuck.
    pub fn random_playout(&self, state: &State, seed: u64, limit: u32) -> Answer<Playout> {
        self.runner_in(state)?.playout(&mut Rng::from_seed(seed), limit)
    }

    /// Counts joint-move sequences, distinct states and endings at each depth from 0 to `depth`.
    ///
    /// # Errors
    /// As [`crate::perft`].
    pub fn perft(&self, depth: u32, budget: &Budget) -> Answer<Vec<PerftRow>> {
        perft(&**self.machine(), depth, budget)
    }

    /// Records playouts with the seeds `seed`, `seed + 1`... of at most `limit` steps each.
    ///
    /// # Errors
    /// As [`crate::record_playouts`].
    pub fn record_playouts(&self, playouts: u32, seed: u64, limit: u32) -> Answer<Trace> {
        let name = self.short_name();
        let budget = self.question_budget();
        let mut trace = record_playouts(&**self.machine(), name, playouts, seed, limit, budget)?;
        trace.header.sha256 = Some(self.sha256().to_owned());
        Ok(trace)
    }

    /// Compares the game with a trace, state by state.
    pub fn verify(&self, trace: &Trace) -> VerifyReport {
        verify_waiting(&**self.machine(), trace, self.program().waiting, self.question_budget())
    }

    /// A state, and a joint move where one is given, as facts of the program: `true(F)`, `does(R,A)`.
    pub fn given(&self, state: &State, joint: Option<&[TermId]>) -> Vec<GroundAtom> {
        let vocabulary = &self.program().vocabulary;
        let facts = self.facts(state).into_iter();
        let mut given: Vec<GroundAtom> =
            facts.map(|fact| GroundAtom { relation: vocabulary.truth, args: Box::new([fact]) }).collect();
        let moves = self.signature().roles().iter().zip(joint.unwrap_or_default());
        given.extend(moves.map(|(&role, &action)| GroundAtom {
            relation: vocabulary.does,
            args: Box::new([role, action]),
        }));
        given
    }

    /// Derivations, proofs and refutations (book 13) in a state, with a joint move where one is given.
    ///
    /// # Errors
    /// What [`Derivations::new`] answers.
    pub fn derivations(
        &self,
        state: &State,
        joint: Option<&[TermId]>,
    ) -> Result<Derivations<'_>, DeriveError> {
        Derivations::new(&self.program().program, &self.given(state, joint))
    }
}
