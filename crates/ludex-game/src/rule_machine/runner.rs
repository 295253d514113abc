//! One thread's current state of a game run by its rules.

use std::cell::RefCell;
use std::convert::Infallible;

use ludex_logic::evaluator::{Evaluator, Row, Session, TableId};
use ludex_logic::{Budget, LimitError, Meter, TEXT_LIMIT, TermId};

use super::atoms::RowCache;
use super::{RuleMachine, decode_state, encode_state};
use crate::error::{Answer, GameError};
use crate::machine::{Joint, Playout, Runner};
use crate::rng::Rng;
use crate::signature::{ActionId, Goal, PropositionId, RoleId, Signature};
use crate::state::State;

/// What naming a fact takes: a place in the signature, in the cache of rows, and the row itself.
const FACT_BYTES: usize = 160;

/// A runner that lists moves looks at the clock and the cancel flag after so many of them.
const MOVES_BETWEEN_CHECKS: usize = 4096;

/// A role's move, and `None` for rows whose first argument is no role.
type Move = (Option<RoleId>, ActionId);

/// What a row of `goal` says to a role; `None` for what is no role or no goal value.
type Value = (Option<RoleId>, Option<Goal>);

/// The value of a state for a role: anything but one number is no value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GoalFound {
    None,
    One(Goal),
    Several,
}

/// A [`Runner`] over a session of the evaluator.
pub(super) struct RuleRunner<'m> {
    machine: &'m RuleMachine,
    session: Session,
    /// For what takes no step of inference: it spends nothing and looks at the clock and the cancel flag.
    watch: Meter,
    legal_rows: Vec<(TableId, RowCache<Move>)>,
    fact_rows: RefCell<Vec<(TableId, RowCache<PropositionId>)>>,
    /// Per role and move, the row of `does`.
    does_rows: Vec<Vec<Option<(TableId, Row)>>>,
    /// Per proposition, the row of `true`.
    truth_rows: Vec<Option<(TableId, Row)>>,
    legal: Vec<Vec<ActionId>>,
    legal_ready: bool,
    goal_rows: Vec<(TableId, RowCache<Value>)>,
    goals: Vec<GoalFound>,
    goals_ready: bool,
    percepts: Vec<Vec<TermId>>,
    ids: Vec<PropositionId>,
    joint: Vec<ActionId>,
    /// Why the runner could not take the last state it was set to: then it has none.
    no_state: Option<GameError>,
}

impl<'m> RuleRunner<'m> {
    pub(super) fn new(machine: &'m RuleMachine, budget: &Budget) -> Self {
        let evaluator = &machine.evaluator;
        let roles = machine.signature.roles().len();
        let mut runner = Self {
            session: evaluator.session(budget),
            watch: budget.meter(),
            legal_rows: machine.tables.legal.iter().map(|&r| (r, RowCache::new(evaluator, r))).collect(),
            fact_rows: RefCell::new(
                machine.tables.truth.iter().map(|&r| (r, RowCache::new(evaluator, r))).collect(),
            ),
            does_rows: vec![Vec::new(); roles],
            truth_rows: Vec::new(),
            legal: vec![Vec::new(); roles],
            legal_ready: false,
            goal_rows: machine.tables.goal.iter().map(|&r| (r, RowCache::new(evaluator, r))).collect(),
            goals: vec![GoalFound::None; roles],
            goals_ready: false,
            percepts: vec![Vec::new(); roles],
            ids: Vec::new(),
            joint: Vec::new(),
            no_state: None,
            machine,
        };
        // The initial state was built from facts that fit, so that this cannot fail but for a limit;
        // every question repeats it until another state is set.
        runner.no_state = runner.load(machine.initial_state()).err();
        runner
    }

    fn load(&mut self, state: &State) -> Answer<()> {
        let evaluator = self.evaluator();
        let signature = &self.machine.signature;
        self.session.restart_meter();
        self.session.clear(&self.machine.tables.legal_to_does);
        self.session.clear(&self.machine.tables.next_to_truth);
        self.legal_ready = false;
        self.goals_ready = false;
        signature.check_state(state)?;
        let mut ids = std::mem::take(&mut self.ids);
        decode_state(signature, state, &mut ids);
        for &id in &ids {
            if self.truth_rows.len() <= id.index() {
                if id.index() >= signature.proposition_count() {
                    return Err(GameError::UnknownFact { fact: format!("proposition {}", id.index()) });
                }
                self.truth_rows.resize(id.index() + 1, None);
            }
            let slot = &mut self.truth_rows[id.index()];
            if slot.is_none() {
                *slot = evaluator.encode(self.machine.vocabulary.truth, &[signature.proposition(id)]);
            }
            if let Some((relation, row)) = slot {
                self.session.insert_row(*relation, row)?;
            }
        }
        self.ids = ids;
        Ok(())
    }

    /// Starts a question.
    fn start(&mut self) -> Answer<()> {
        self.session.restart_meter();
        match &self.no_state {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    fn evaluator(&self) -> &'m Evaluator {
        &self.machine.evaluator
    }

    fn find_legal(&mut self) -> Answer<()> {
        if self.legal_ready {
            return Ok(());
        }
        self.start()?;
        let evaluator = &self.machine.evaluator;
        let signature = &self.machine.signature;
        self.legal.iter_mut().for_each(Vec::clear);
        let (watch, mut noted) = (&mut self.watch, 0usize);
        for (relation, cache) in &mut self.legal_rows {
            self.session.count(*relation)?;
            let session = &self.session;
            let note = |row: &[u32]| {
                noted += 1;
                if noted.is_multiple_of(MOVES_BETWEEN_CHECKS) {
                    watch.check()?;
                }
                let (role, action) = cache.get(evaluator, session, *relation, row, || {
                    let args = evaluator.decode(session, *relation, row)?;
                    Ok::<_, LimitError>((signature.find_role(args[0]), signature.action_id(args[1])))
                })?;
                if let Some(role) = role {
                    self.legal[role.index()].push(action);
                }
                Ok::<(), LimitError>(())
            };
            session.each_known_row(*relation).try_for_each(note)?;
        }
        let terms = signature.terms();
        for list in &self.legal {
            terms.charge_moves(list.iter().map(|&action| signature.action(action)))?;
        }
        let known = signature.known_actions();
        for list in &mut self.legal {
            if list.len() >= MOVES_BETWEEN_CHECKS {
                self.watch.check()?;
            }
            if list.iter().all(|a| a.index() < known) {
                list.sort_unstable();
            } else {
                let mut named: Vec<(TermId, ActionId)> =
                    list.iter().map(|&a| (signature.action(a), a)).collect();
                named.sort_by(|x, y| terms.compare(x.0, y.0));
                list.clear();
                list.extend(named.into_iter().map(|n| n.1));
            }
        }
        self.legal_ready = true;
        Ok(())
    }

    fn find_goals(&mut self) -> Answer<()> {
        if self.goals_ready {
            return Ok(());
        }
        self.start()?;
        let evaluator = &self.machine.evaluator;
        let signature = &self.machine.signature;
        self.goals.fill(GoalFound::None);
        for (relation, cache) in &mut self.goal_rows {
            self.session.count(*relation)?;
            let session = &self.session;
            let note = |row: &[u32]| {
                let value = cache.get(evaluator, session, *relation, row, || {
                    // A term that is new is no role and no number.
                    let args = evaluator.look(session, *relation, row);
                    let value = args[1].and_then(|term| signature.terms().integer(term));
                    let role = args[0].and_then(|term| signature.find_role(term));
                    Ok::<_, Infallible>((role, value.and_then(|n| Goal::try_from(n).ok())))
                });
                let Ok((role, value)) = value;
                if let Some(role) = role {
                    let found = &mut self.goals[role.index()];
                    *found = match (*found, value) {
                        (GoalFound::None, Some(value)) => GoalFound::One(value),
                        _ => GoalFound::Several,
                    };
                }
            };
            session.each_known_row(*relation).for_each(note);
        }
        self.goals_ready = true;
        Ok(())
    }

    /// Takes the joint move and computes the next state without going there.
    pub(super) fn prepare_step(&mut self, joint: Joint<'_>) -> Answer<()> {
        let evaluator = self.evaluator();
        self.start()?;
        self.session.clear(&self.machine.tables.legal_to_does);
        let roles = self.machine.signature.roles();
        for (role, &action) in joint.iter().enumerate().take(roles.len()) {
            let list = &mut self.does_rows[role];
            if list.len() <= action.index() {
                if action.index() >= self.machine.signature.action_count() {
                    return Err(GameError::UnknownAction { action: format!("move {}", action.index()) });
                }
                list.resize(action.index() + 1, None);
            }
            if list[action.index()].is_none() {
                let term = self.machine.signature.action(action);
                list[action.index()] = evaluator.encode(self.machine.vocabulary.does, &[roles[role], term]);
            }
            let inserted = match &list[action.index()] {
                Some((relation, row)) => self.session.insert_row(*relation, row)?,
                None => false,
            };
            if !inserted {
                let signature = &self.machine.signature;
                let action = signature.terms().shown(signature.action(action));
                return Err(GameError::UnknownAction { action });
            }
        }
        Ok(())
    }

    fn find_percepts(&mut self) -> Answer<()> {
        self.percepts.iter_mut().for_each(Vec::clear);
        let evaluator = self.evaluator();
        for args in evaluator.answers(&mut self.session, self.machine.vocabulary.sees)? {
            if let Some(role) = self.machine.signature.find_role(args[0]) {
                self.percepts[role.index()].push(args[1]);
            }
        }
        let terms = self.machine.signature.terms();
        for percepts in &self.percepts {
            terms.charge_text("what a role sees", percepts.iter().copied(), TEXT_LIMIT)?;
        }
        Ok(())
    }

    /// Refuses a state that is too long to be written, without writing it.
    fn charge_state(&mut self) -> Answer<()> {
        let evaluator = self.evaluator();
        let tables = self.machine.tables.truth.iter().zip(&self.machine.tables.text_bytes);
        let largest = self.session.largest_text();
        let most = tables.clone().map(|(&table, beside)| {
            let columns = (evaluator.arity(table) as u64).saturating_mul(largest);
            columns.saturating_add(beside + 1).saturating_mul(u64::from(self.session.known_count(table)))
        });
        if most.fold(0, u64::saturating_add) <= TEXT_LIMIT {
            return Ok(());
        }
        let mut bytes = 0u64;
        for (&table, beside) in tables {
            let facts = u64::from(self.session.known_count(table));
            bytes = bytes.saturating_add((beside + 1).saturating_mul(facts));
            if evaluator.arity(table) > 0 {
                let values = self.session.known_rows(table).iter();
                let values = values.map(|&value| self.session.text_bytes(value));
                bytes = values.fold(bytes, u64::saturating_add);
            }
        }
        if bytes <= TEXT_LIMIT {
            return Ok(());
        }
        let error = GameError::from(LimitError::Text { what: "the state", bytes, limit: TEXT_LIMIT });
        self.no_state = Some(error.clone());
        Err(error)
    }

    /// Counts what the runner remembers towards the limit on memory.
    fn account(&mut self) -> Answer<()> {
        let legal: usize = self.legal_rows.iter().map(|(_, cache)| cache.bytes()).sum();
        let facts: usize = self.fact_rows.borrow().iter().map(|(_, cache)| cache.bytes()).sum();
        let rows = self.truth_rows.capacity() + self.does_rows.iter().map(Vec::capacity).sum::<usize>();
        let rows = rows * size_of::<Option<(TableId, Row)>>();
        // Saving the state will name the facts that were not met yet, and put their terms into the table of all.
        let held: usize =
            self.machine.tables.truth.iter().map(|&table| self.session.known_count(table) as usize).sum();
        let unnamed = held.saturating_sub(self.machine.signature.proposition_count()) * FACT_BYTES;
        let truth = &self.machine.tables.truth;
        let is_passing = truth.iter().any(|&table| self.session.is_passing(self.session.known_rows(table)));
        let unkept = if is_passing { self.session.bytes_in_table() } else { 0 };
        self.session.account(legal + facts + rows + unnamed + unkept + self.machine.signature.bytes())?;
        Ok(())
    }

    /// Goes to the next state.
    pub(super) fn go(&mut self) -> Answer<()> {
        self.session.follow(&self.machine.tables.next_to_truth)?;
        self.session.clear(&self.machine.tables.legal_to_does);
        self.legal_ready = false;
        self.goals_ready = false;
        Ok(())
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Computes everything of the next state that the game can be asked for.
    pub(super) fn compute_all(&mut self) -> Answer<()> {
        let evaluator = self.evaluator();
        let vocabulary = &self.machine.vocabulary;
        for relation in [vocabulary.terminal, vocabulary.legal, vocabulary.next] {
            for table in evaluator.tables(relation) {
                self.session.count(table)?;
            }
        }
        Ok(())
    }
}

impl Runner for RuleRunner<'_> {
    fn signature(&self) -> &Signature {
        &self.machine.signature
    }

    fn set(&mut self, state: &State) -> Answer<()> {
        self.percepts.iter_mut().for_each(Vec::clear);
        self.no_state = self.load(state).err();
        self.no_state.clone().map_or(Ok(()), Err)
    }

    fn save(&self, out: &mut State) {
        let evaluator = self.evaluator();
        let signature = &self.machine.signature;
        let mut ids = Vec::new();
        for (relation, cache) in self.fact_rows.borrow_mut().iter_mut() {
            for row in self.session.each_known_row(*relation) {
                let Ok(id) = cache.get(evaluator, &self.session, *relation, row, || {
                    let fact = evaluator.decode_surely(&self.session, *relation, row)[0];
                    Ok::<_, Infallible>(signature.proposition_id(fact))
                });
                ids.push(id);
            }
        }
        encode_state(signature, &mut ids, out);
    }

    fn terminal(&mut self) -> Answer<bool> {
        self.start()?;
        for &table in &self.machine.tables.terminal {
            if self.session.count(table)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]> {
        self.find_legal()?;
        Ok(&self.legal[role.index()])
    }

    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>> {
        self.find_goals()?;
        Ok(match self.goals[role.index()] {
            GoalFound::One(value) => Some(value),
            GoalFound::None | GoalFound::Several => None,
        })
    }

    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()> {
        self.prepare_step(joint)?;
        if self.machine.sees {
            self.find_percepts()?;
        }
        self.go()?;
        self.account()?;
        self.charge_state()
    }

    fn percepts(&self, role: RoleId) -> &[TermId] {
        &self.percepts[role.index()]
    }

    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout> {
        let roles = self.machine.signature.roles().len();
        let mut steps = 0;
        let mut terminal = self.terminal()?;
        while !terminal && steps < limit {
            if steps.is_multiple_of(64) {
                self.account()?;
                self.session.check_limits()?;
            }
            self.find_legal()?;
            let mut joint = std::mem::take(&mut self.joint);
            joint.clear();
            for (role, list) in self.legal.iter().enumerate() {
                match rng.pick(list) {
                    Some(&action) => joint.push(action),
                    None => {
                        let signature = &self.machine.signature;
                        let role = signature.text(signature.roles()[role]);
                        return Err(GameError::NoLegalMove { role });
                    }
                }
            }
            let done = self.prepare_step(&joint).and_then(|()| self.go());
            self.joint = joint;
            done?;
            steps += 1;
            terminal = self.terminal()?;
        }
        let goals = (0..roles).map(|r| self.goal(RoleId(r as u32))).collect::<Answer<_>>()?;
        Ok(Playout { steps, terminal, goals })
    }
}

impl RuleMachine {
    fn initial_state(&self) -> &'_ State {
        &self.initial
    }
}
