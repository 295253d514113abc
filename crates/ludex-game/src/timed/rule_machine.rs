//! The rule machine for games in real time.

use std::sync::Arc;

use ludex_gdl::{GameProgram, Lifetime, LifetimeError, Notation, TimeError};
use ludex_logic::evaluator::{Evaluator, EvaluatorError, Preparation, TableFeed, TableId};
use ludex_logic::{Budget, GroundAtom, TEXT_LIMIT, TermId, TermView, Terms};

use super::error::{TimedAnswer, TimedError};
use super::machine::{TimedMachine, TimedRunner};
use super::program::TimedProgram;
use super::rule_place::rule_place;
use super::runner::TimedRuleRunner;
use super::state::TimedState;
use crate::rule_machine::unrunnable;
use crate::signature::RoleId;

/// How a [`TimedRuleMachine`] is prepared.
#[derive(Clone, Debug)]
pub struct TimedRuleMachineOptions {
    /// Limits on preparing the machine.
    pub budget: Budget,
    /// How terms are written for people.
    pub notation: Notation,
}

impl Default for TimedRuleMachineOptions {
    fn default() -> Self {
        Self { budget: Budget::unlimited(), notation: Notation::Infix }
    }
}

/// The machine that runs every game in real time: each question is answered by computing the relations that it needs.
///
/// Terms are never forgotten, those for points in time among them: what a game holds in memory grows with the number of
/// different lifetimes that it met, within the limits of its runners.
#[derive(Debug)]
pub struct TimedRuleMachine {
    pub(super) game: GameProgram,
    pub(super) evaluator: Evaluator,
    pub(super) tables: Tables,
    notation: Notation,
    random: Option<RoleId>,
    initial: TimedState,
}

/// What is given and how it is cleared, and what is asked.
#[derive(Debug)]
pub(super) struct Tables {
    pub truth: TableFeed,
    pub expired: TableFeed,
    pub does: TableFeed,
    pub terminal: Vec<TableId>,
    /// Whether anybody is told anything.
    pub sees: bool,
}

impl TimedRuleMachine {
    /// Prepares a game to run.
    ///
    /// # Errors
    /// [`TimedError::NotTimed`]; [`TimedError::Lifetime`] where `init` gives a lifetime that is none;
    /// [`GameError::Unrunnable`](crate::GameError::Unrunnable) where the rules are unsafe or not stratified; a limit of the budget.
    pub fn new(game: &GameProgram, options: &TimedRuleMachineOptions) -> TimedAnswer<Self> {
        let v = &game.vocabulary;
        let Some(expired) = v.expired else {
            return Err(TimedError::NotTimed { dialect: game.dialect.to_string() });
        };
        let timed = TimedProgram::new(game, expired);
        let evaluator = Preparation::new(&timed.program, &options.budget)
            .and_then(|preparation| preparation.evaluator(f64::INFINITY, &options.budget));
        let evaluator = evaluator.map_err(|error: EvaluatorError| unrunnable(game)(error))?;
        let tables = Tables {
            truth: evaluator.feed(v.next, v.truth),
            expired: evaluator.feed(timed.ending, expired),
            does: evaluator.feed(v.legal, v.does),
            terminal: evaluator.tables(v.terminal),
            sees: game.dialect.has_percepts() && !evaluator.tables(v.sees).is_empty(),
        };
        let mut machine = Self {
            game: game.clone(),
            evaluator,
            tables,
            notation: options.notation,
            random: game.random_role().map(|place| RoleId(place as u32)),
            initial: TimedState::default(),
        };
        let mut session = machine.evaluator.session(&options.budget);
        let rows = machine.evaluator.answers(&mut session, v.init)?;
        let facts = rows.iter().map(|row| machine.lifetime_of(row, &[])).collect::<TimedAnswer<Vec<_>>>()?;
        machine.initial = TimedState::new(machine.terms(), facts, Vec::new());
        machine.charge(&machine.initial)?;
        Ok(machine)
    }

    /// The fact of a row of `init`, or of `next` with what was given, and its lifetime.
    pub(super) fn lifetime_of(
        &self,
        row: &[TermId],
        given: &[GroundAtom],
    ) -> TimedAnswer<(Lifetime, TermId)> {
        // Both relations have two arguments.
        let (time, fact) = (row[0], row[1]);
        read_lifetime(self.terms(), time).map(|lifetime| (lifetime, fact)).map_err(|cause| {
            let v = &self.game.vocabulary;
            let relation = if given.is_empty() { v.init } else { v.next };
            let atom = GroundAtom { relation, args: row.into() };
            TimedError::Lifetime {
                fact: self.terms().shown(fact),
                lifetime: self.terms().shown(time),
                cause,
                rule: rule_place(&self.game, given, &atom),
            }
        })
    }

    /// Refuses a state that is too long to be written.
    pub(super) fn charge(&self, state: &TimedState) -> TimedAnswer<()> {
        let facts = state.facts().iter().map(|&(_, fact)| fact);
        self.terms().charge_text("the state", facts, TEXT_LIMIT)?;
        Ok(())
    }

    /// The term of a lifetime.
    pub(super) fn lifetime_term(&self, lifetime: Lifetime) -> TermId {
        self.terms().constant(&lifetime.to_string())
    }
}

fn read_lifetime(terms: &Terms, term: TermId) -> Result<Lifetime, LifetimeError> {
    match terms.view(term) {
        TermView::Constant(name) => Lifetime::parse(terms.name(name)),
        TermView::Compound(..) => Err(LifetimeError::NoTime(TimeError::NoDecimal)),
    }
}

impl TimedMachine for TimedRuleMachine {
    fn terms(&self) -> &Arc<Terms> {
        self.evaluator.terms()
    }

    fn notation(&self) -> Notation {
        self.notation
    }

    fn roles(&self) -> &[TermId] {
        &self.game.roles
    }

    fn random(&self) -> Option<RoleId> {
        self.random
    }

    fn initial(&self) -> &TimedState {
        &self.initial
    }

    fn runner(&self, budget: &Budget) -> Box<dyn TimedRunner + '_> {
        Box::new(TimedRuleRunner::new(self, budget))
    }
}
