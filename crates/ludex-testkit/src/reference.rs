//! A machine over any way of answering queries, with nothing clever in it.

use std::fmt;
use std::sync::Arc;

use ludex_game::{
    ActionId, Answer, GameError, Goal, Joint, Machine, Playout, Rng, RoleId, Runner, Signature, State,
};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, GroundAtom, LimitError, RelationId, TermId};

use crate::oracle::{self, OracleError};

/// A way of answering queries about a program.
pub trait Semantics: Send + Sync {
    /// All argument lists for which `relation` holds, in any order, when `given` holds.
    ///
    /// # Errors
    /// [`GameError`] where there is no answer within the method's limits.
    fn rows(
        &self,
        game: &GameProgram,
        given: &[GroundAtom],
        relation: RelationId,
    ) -> Answer<Vec<Box<[TermId]>>>;
}

/// The answers of the [`oracle`].
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    /// How many matches one query may take.
    pub limit: u64,
}

impl Semantics for Enumeration {
    fn rows(
        &self,
        game: &GameProgram,
        given: &[GroundAtom],
        relation: RelationId,
    ) -> Answer<Vec<Box<[TermId]>>> {
        match oracle::model(&game.program, given, self.limit) {
            Ok(model) => Ok(model.rows(relation).to_vec()),
            Err(OracleError::Limit(limit)) => Err(GameError::Limit(LimitError::Work { limit })),
            Err(error) => Err(GameError::Unrunnable { reason: error.to_string() }),
        }
    }
}

/// A game played by asking a [`Semantics`] every question anew.
pub struct ReferenceMachine<S> {
    game: GameProgram,
    semantics: S,
    signature: Arc<Signature>,
    initial: State,
}

impl<S> fmt::Debug for ReferenceMachine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceMachine").field("initial", &self.initial).finish_non_exhaustive()
    }
}

/// A machine by enumeration; `limit` is the number of matches one question may take.
///
/// # Errors
/// [`GameError`] where the initial state cannot be found.
pub fn oracle_machine(game: &GameProgram, limit: u64) -> Answer<ReferenceMachine<Enumeration>> {
    ReferenceMachine::new(game, Enumeration { limit })
}

impl<S: Semantics> ReferenceMachine<S> {
    /// A machine that asks `semantics`.
    ///
    /// # Errors
    /// [`GameError`] where the initial state cannot be found.
    pub fn new(game: &GameProgram, semantics: S) -> Answer<Self> {
        let signature = Arc::new(Signature::new(game, Notation::Prefix, Vec::new(), Vec::new()));
        let rows = semantics.rows(game, &[], game.vocabulary.init)?;
        let facts: Vec<TermId> = rows.iter().map(|row| row[0]).collect();
        let initial = encode(&signature, &facts);
        Ok(Self { game: game.clone(), semantics, signature, initial })
    }
}

fn encode(signature: &Signature, facts: &[TermId]) -> State {
    let mut words: Vec<u64> = facts.iter().map(|&f| u64::from(signature.proposition_id(f).0)).collect();
    words.sort_unstable();
    words.dedup();
    State::new(signature.tag(), &words)
}

impl<S: Semantics> Machine for ReferenceMachine<S> {
    fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn runner(&self, _budget: &Budget) -> Box<dyn Runner + '_> {
        let percepts = vec![Vec::new(); self.game.roles.len()];
        Box::new(ReferenceRunner { machine: self, state: self.initial.clone(), legal: Vec::new(), percepts })
    }

    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        let terms = self.signature.terms();
        let ids = state.words().iter().map(|&w| ludex_game::PropositionId(w as u32));
        out.extend(ids.map(|id| self.signature.proposition(id)));
        out.sort_by(|&a, &b| terms.compare(a, b));
    }

    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        Ok(encode(&self.signature, facts))
    }
}

struct ReferenceRunner<'a, S> {
    machine: &'a ReferenceMachine<S>,
    state: State,
    legal: Vec<ActionId>,
    percepts: Vec<Vec<TermId>>,
}

impl<S: Semantics> ReferenceRunner<'_, S> {
    fn rows(&self, joint: Option<Joint<'_>>, relation: RelationId) -> Answer<Vec<Box<[TermId]>>> {
        let game = &self.machine.game;
        let mut facts = Vec::new();
        self.machine.facts(&self.state, &mut facts);
        let truth = game.vocabulary.truth;
        let mut given: Vec<GroundAtom> =
            facts.into_iter().map(|f| GroundAtom { relation: truth, args: [f].into() }).collect();
        for (&role, &action) in game.roles.iter().zip(joint.unwrap_or_default()) {
            let args = [role, self.machine.signature.action(action)].into();
            given.push(GroundAtom { relation: game.vocabulary.does, args });
        }
        self.machine.semantics.rows(game, &given, relation)
    }

    /// The second arguments that go with a role, in canonical order and each once.
    fn of_role(&self, rows: &[Box<[TermId]>], role: RoleId) -> Vec<TermId> {
        let terms = self.machine.signature.terms();
        let role = self.machine.game.roles[role.index()];
        let mut values: Vec<TermId> = rows.iter().filter(|r| r[0] == role).map(|r| r[1]).collect();
        values.sort_by(|&a, &b| terms.compare(a, b));
        values.dedup();
        values
    }
}

impl<S: Semantics> Runner for ReferenceRunner<'_, S> {
    fn signature(&self) -> &Signature {
        &self.machine.signature
    }

    fn set(&mut self, state: &State) -> Answer<()> {
        self.state = state.clone();
        self.percepts.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn save(&self, out: &mut State) {
        out.clone_from(&self.state);
    }

    fn terminal(&mut self) -> Answer<bool> {
        Ok(!self.rows(None, self.machine.game.vocabulary.terminal)?.is_empty())
    }

    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]> {
        let rows = self.rows(None, self.machine.game.vocabulary.legal)?;
        let signature = &self.machine.signature;
        self.legal = self.of_role(&rows, role).into_iter().map(|a| signature.action_id(a)).collect();
        Ok(&self.legal)
    }

    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>> {
        let rows = self.rows(None, self.machine.game.vocabulary.goal)?;
        let terms = self.machine.signature.terms();
        Ok(match *self.of_role(&rows, role) {
            [value] => terms.integer(value).and_then(|v| Goal::try_from(v).ok()),
            _ => None,
        })
    }

    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()> {
        let vocabulary = self.machine.game.vocabulary;
        let facts: Vec<TermId> = self.rows(Some(joint), vocabulary.next)?.iter().map(|row| row[0]).collect();
        let seen = self.rows(Some(joint), vocabulary.sees)?;
        for role in self.machine.signature.role_ids() {
            self.percepts[role.index()] = self.of_role(&seen, role);
        }
        self.state = encode(&self.machine.signature, &facts);
        Ok(())
    }

    fn percepts(&self, role: RoleId) -> &[TermId] {
        &self.percepts[role.index()]
    }

    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout> {
        let signature = Arc::clone(&self.machine.signature);
        let mut steps = 0;
        let mut terminal = self.terminal()?;
        while !terminal && steps < limit {
            let mut joint = Vec::new();
            for role in signature.role_ids() {
                let stuck =
                    || GameError::NoLegalMove { role: signature.text(signature.roles()[role.index()]) };
                joint.push(*rng.pick(self.legal(role)?).ok_or_else(stuck)?);
            }
            self.step_legal(&joint)?;
            steps += 1;
            terminal = self.terminal()?;
        }
        let goals = signature.role_ids().map(|r| self.goal(r)).collect::<Answer<_>>()?;
        Ok(Playout { steps, terminal, goals })
    }
}
