//! One thread's current state of a game in real time, run by its rules.

use ludex_gdl::{GameTime, Lifetime};
use ludex_logic::evaluator::Session;
use ludex_logic::{Budget, GroundAtom, RelationId, TEXT_LIMIT, TermId};

use super::error::{TimedAnswer, TimedError};
use super::given::timed_given;
use super::machine::{TimedMachine, TimedRunner, check_update};
use super::playout::{PlayoutStart, TimedPlayout, TimedPlayoutOptions, timed_playout};
use super::rule_machine::TimedRuleMachine;
use super::rule_place::rule_place;
use super::state::TimedState;
use crate::error::GameError;
use crate::rng::Rng;
use crate::signature::{Goal, RoleId};

/// A [`TimedRunner`] over a session of the evaluator. Between questions the session holds the current state.
pub(super) struct TimedRuleRunner<'m> {
    machine: &'m TimedRuleMachine,
    session: Session,
    state: TimedState,
    /// By role, where they were asked for in this state.
    legal: Option<Vec<Vec<TermId>>>,
    goals: Option<Vec<Option<Goal>>>,
    /// By role, what it was told of the last update.
    percepts: Vec<Option<Vec<TermId>>>,
    /// What was given at the last update.
    given: Vec<GroundAtom>,
    /// Why the runner could not take the last state: then it has none.
    no_state: Option<TimedError>,
}

impl<'m> TimedRuleRunner<'m> {
    pub(super) fn new(machine: &'m TimedRuleMachine, budget: &Budget) -> Self {
        let mut runner = Self {
            session: machine.evaluator.session(budget),
            state: machine.initial().clone(),
            legal: None,
            goals: None,
            percepts: vec![None; machine.roles().len()],
            given: Vec::new(),
            no_state: None,
            machine,
        };
        runner.no_state = runner.load().err();
        runner
    }

    /// Starts a question.
    fn start(&mut self) -> TimedAnswer<()> {
        self.session.restart_meter();
        self.no_state.clone().map_or(Ok(()), Err)
    }

    /// Gives the session the current state.
    fn load(&mut self) -> TimedAnswer<()> {
        (self.legal, self.goals) = (None, None);
        self.session.restart_meter();
        let (facts, expired) = (self.state.facts().to_vec(), self.state.expired().to_vec());
        self.give(&facts, &expired, &[])?;
        Ok(())
    }

    /// Makes these facts, and nothing else, what the session is given; the same as atoms.
    fn give(
        &mut self,
        facts: &[(Lifetime, TermId)],
        expired: &[TermId],
        moves: &[(RoleId, TermId)],
    ) -> TimedAnswer<Vec<GroundAtom>> {
        let machine = self.machine;
        for feed in [&machine.tables.truth, &machine.tables.expired, &machine.tables.does] {
            self.session.clear(feed);
        }
        let given = timed_given(&machine.game, facts, expired, moves);
        for atom in &given {
            let known = match machine.evaluator.encode(atom.relation, &atom.args) {
                Some((table, row)) => self.session.insert_row(table, &row)?,
                None => false,
            };
            // No rule reads a fact of `expired` or `does` that has no place.
            if !known && atom.relation == machine.game.vocabulary.truth {
                return Err(GameError::UnknownFact { fact: machine.terms().shown(atom.args[1]) }.into());
            }
        }
        Ok(given)
    }

    /// What two-place relations say to each role of the second argument, in canonical order.
    fn by_role(&mut self, relation: RelationId) -> TimedAnswer<Vec<Vec<TermId>>> {
        let machine = self.machine;
        let mut found = vec![Vec::new(); machine.roles().len()];
        for row in machine.evaluator.answers(&mut self.session, relation)? {
            if let Some(place) = machine.roles().iter().position(|&role| role == row[0]) {
                found[place].push(row[1]);
            }
        }
        Ok(found)
    }

    fn find_legal(&mut self) -> TimedAnswer<&[Vec<TermId>]> {
        if self.legal.is_none() {
            self.start()?;
            let found = self.by_role(self.machine.game.vocabulary.legal)?;
            for moves in &found {
                self.machine.terms().charge_moves(moves.iter().copied())?;
            }
            self.legal = Some(found);
        }
        Ok(self.legal.as_deref().unwrap_or_default())
    }

    /// The state after an update, with what it lets each role see. The session is left somewhere in between.
    fn next_state(
        &mut self,
        elapsed: GameTime,
        moves: &[(RoleId, TermId)],
    ) -> TimedAnswer<(TimedState, Vec<Option<Vec<TermId>>>)> {
        let machine = self.machine;
        let v = machine.game.vocabulary;
        self.session.restart_meter();
        let left = self.state.after(elapsed);
        let given = self.give(&left.facts, &left.expired, moves)?;
        let rows = machine.evaluator.answers(&mut self.session, v.next)?;
        let facts =
            rows.iter().map(|row| machine.lifetime_of(row, &given)).collect::<TimedAnswer<Vec<_>>>()?;
        let mut percepts = vec![None; machine.roles().len()];
        if machine.tables.sees {
            let with = self.by_role(v.sees)?;
            self.session.clear(&machine.tables.expired);
            self.session.clear(&machine.tables.does);
            let without = self.by_role(v.sees)?;
            for (told, (with, without)) in percepts.iter_mut().zip(with.into_iter().zip(without)) {
                machine.terms().charge_text("what a role sees", with.iter().copied(), TEXT_LIMIT)?;
                *told = (with != without).then_some(with);
            }
        }
        let state = TimedState::new(machine.terms(), facts, left.expired);
        machine.charge(&state)?;
        self.session.account(size_of_val(state.facts()))?;
        self.given = given;
        Ok((state, percepts))
    }
}

impl TimedRunner for TimedRuleRunner<'_> {
    fn set(&mut self, state: &TimedState) -> TimedAnswer<()> {
        self.state = state.clone();
        self.percepts.fill(None);
        self.given.clear();
        self.no_state = self.load().err();
        self.no_state.clone().map_or(Ok(()), Err)
    }

    fn state(&self) -> &TimedState {
        &self.state
    }

    fn terminal(&mut self) -> TimedAnswer<bool> {
        self.start()?;
        for &table in &self.machine.tables.terminal {
            if self.session.count(table)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn legal(&mut self, role: RoleId) -> TimedAnswer<&[TermId]> {
        Ok(self.find_legal()?.get(role.index()).map_or(&[], Vec::as_slice))
    }

    fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>> {
        if self.goals.is_none() {
            self.start()?;
            let terms = self.machine.terms();
            let value = |values: &Vec<TermId>| match values[..] {
                [value] => terms.integer(value).and_then(|value| Goal::try_from(value).ok()),
                _ => None,
            };
            self.goals = Some(self.by_role(self.machine.game.vocabulary.goal)?.iter().map(value).collect());
        }
        Ok(self.goals.as_ref().and_then(|goals| *goals.get(role.index())?))
    }

    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        check_update(self.machine, self, elapsed, moves)?;
        let next = self.next_state(elapsed, moves);
        let result = next.map(|(state, percepts)| (self.state, self.percepts) = (state, percepts));
        self.no_state = self.load().err();
        result?;
        self.no_state.clone().map_or(Ok(()), Err)
    }

    fn percepts(&self, role: RoleId) -> Option<&[TermId]> {
        self.percepts.get(role.index())?.as_deref()
    }

    fn playout(
        &mut self,
        start: PlayoutStart,
        options: &TimedPlayoutOptions,
        rng: &mut Rng,
    ) -> TimedAnswer<TimedPlayout> {
        let played = timed_playout(self.machine, self, start, options, rng, |_, _| {});
        self.percepts.fill(None);
        self.given.clear();
        played
    }

    fn rule_of_next_expiry(&self) -> Option<String> {
        let first = self.state.facts().iter().filter(|(lifetime, _)| lifetime.time().is_some()).min()?;
        let v = &self.machine.game.vocabulary;
        let relation = if self.given.is_empty() { v.init } else { v.next };
        let args = Box::new([self.machine.lifetime_term(first.0), first.1]);
        rule_place(&self.machine.game, &self.given, &GroundAtom { relation, args })
    }

    fn rule_of_move(&self, role: RoleId, action: TermId) -> Option<String> {
        let args = Box::new([*self.machine.roles().get(role.index())?, action]);
        let given = timed_given(&self.machine.game, self.state.facts(), self.state.expired(), &[]);
        let relation = self.machine.game.vocabulary.legal;
        rule_place(&self.machine.game, &given, &GroundAtom { relation, args })
    }
}
