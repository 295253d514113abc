//! The rule machine: a game run from its rules, bottom-up.

mod atoms;
mod runner;
mod tuning;

use std::sync::Arc;

use ludex_gdl::{GameProgram, Notation, Vocabulary};
use ludex_logic::evaluator::{Evaluator, EvaluatorError, Preparation, SCRATCH_BYTES, TableFeed, TableId};
use ludex_logic::{Budget, RelationId, TEXT_LIMIT, TermId};

use crate::error::{Answer, GameError};
use crate::machine::{Machine, Runner};
use crate::signature::{PropositionId, Signature};
use crate::state::State;
use runner::RuleRunner;

/// How a rule machine is prepared.
#[derive(Clone, Debug)]
pub struct RuleMachineOptions {
    /// Limits on preparing the machine.
    pub budget: Budget,
    /// Whether to choose plans by playing a few random games first. Otherwise the initial state and one
    /// step from it decide which relations are demand-driven, computed for bound arguments instead of
    /// whole: for whoever asks a few questions and wants the first answer soon.
    pub tune: bool,
    /// Without tuning, decides instead of the initial state: relations with more possible rows than this
    /// are demand-driven, where their uses allow it.
    pub demand_threshold: Option<f64>,
    /// How terms are written for people.
    pub notation: Notation,
    /// Bytes of terms that a runner makes on the way before it looks which are still wanted.
    pub scratch: usize,
}

impl Default for RuleMachineOptions {
    fn default() -> Self {
        Self {
            budget: Budget::unlimited(),
            tune: true,
            demand_threshold: None,
            notation: Notation::Prefix,
            scratch: SCRATCH_BYTES,
        }
    }
}

/// The engine that runs every game: each question is answered by computing just the relations it
/// needs (design: flattened relations, plans over registers, semi-naive evaluation).
#[derive(Debug)]
pub struct RuleMachine {
    evaluator: Evaluator,
    vocabulary: Vocabulary,
    tables: KeywordTables,
    signature: Arc<Signature>,
    initial: State,
    sees: bool,
    /// See [`RuleMachine::work_of_step`].
    work: Option<f64>,
}

/// The tables behind the keywords.
#[derive(Debug)]
struct KeywordTables {
    truth: Vec<TableId>,
    /// Per table of `truth` the bytes that a fact takes as text beside the values of its row.
    text_bytes: Vec<u64>,
    legal: Vec<TableId>,
    goal: Vec<TableId>,
    terminal: Vec<TableId>,
    next_to_truth: TableFeed,
    legal_to_does: TableFeed,
}

impl KeywordTables {
    fn new(evaluator: &Evaluator, vocabulary: &Vocabulary) -> Self {
        let truth = evaluator.tables(vocabulary.truth);
        Self {
            text_bytes: truth.iter().map(|&table| evaluator.text_bytes_beside(table)).collect(),
            truth,
            legal: evaluator.tables(vocabulary.legal),
            goal: evaluator.tables(vocabulary.goal),
            terminal: evaluator.tables(vocabulary.terminal),
            next_to_truth: evaluator.feed(vocabulary.next, vocabulary.truth),
            legal_to_does: evaluator.feed(vocabulary.legal, vocabulary.does),
        }
    }
}

/// More moves or propositions than this are not listed beforehand but met one by one.
const LISTED: usize = 40_000;

impl RuleMachine {
    /// Prepares a game to run.
    ///
    /// # Errors
    /// [`GameError::RealTime`] for a game in real time; [`GameError::Unrunnable`] when the rules are unsafe or not
    /// stratified; a limit of the budget.
    pub fn new(game: &GameProgram, options: &RuleMachineOptions) -> Answer<Self> {
        GameError::refuse_real_time(game.dialect)?;
        let preparation = Preparation::new(&game.program, &options.budget).map_err(unrunnable(game))?;
        match options.demand_threshold {
            _ if options.tune => tuning::tuned(game, options, &preparation),
            None => tuning::glanced(game, options, &preparation),
            Some(threshold) => {
                let evaluator = preparation.evaluator(threshold, &options.budget);
                Self::over(game, evaluator.map_err(unrunnable(game))?, options)
            }
        }
    }

    /// Steps of inference for one step of a game, as random games took when the plans were chosen by some
    /// ([`RuleMachineOptions::tune`]); with a look at all relations in some of the states.
    pub fn work_of_step(&self) -> Option<f64> {
        self.work
    }

    fn over(game: &GameProgram, evaluator: Evaluator, options: &RuleMachineOptions) -> Answer<Self> {
        let evaluator = evaluator.with_scratch(options.scratch);
        let vocabulary = game.vocabulary;
        let known = |relations: &[RelationId], domains_of: RelationId, argument: usize| {
            known_terms(&evaluator, relations, domains_of, argument, &options.budget)
        };
        let actions = known(&[vocabulary.input], vocabulary.does, 1)?;
        let propositions = known(&[vocabulary.base, vocabulary.init], vocabulary.truth, 0)?;
        let signature = Arc::new(Signature::new(game, options.notation, actions, propositions));
        let mut machine = Self {
            tables: KeywordTables::new(&evaluator, &vocabulary),
            vocabulary,
            signature,
            initial: State::default(),
            sees: !evaluator.tables(vocabulary.sees).is_empty() && game.dialect.has_percepts(),
            work: None,
            evaluator,
        };
        let mut session = machine.evaluator.session(&options.budget);
        let facts: Vec<TermId> = machine
            .evaluator
            .answers(&mut session, vocabulary.init)?
            .into_iter()
            .filter_map(|args| args.first().copied())
            .collect();
        drop(session);
        machine.initial = machine.state_of(&facts)?;
        Ok(machine)
    }

    fn set_evaluator(&mut self, evaluator: Evaluator) {
        self.tables = KeywordTables::new(&evaluator, &self.vocabulary);
        self.evaluator = evaluator;
    }

    /// The evaluator behind the machine, for questions about other relations.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    fn new_runner(&self, budget: &Budget) -> RuleRunner<'_> {
        RuleRunner::new(self, budget)
    }
}

impl Machine for RuleMachine {
    fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        Box::new(self.new_runner(budget))
    }

    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        out.clear();
        let mut ids = Vec::new();
        if self.signature.check_state(state).is_err() {
            return;
        }
        decode_state(&self.signature, state, &mut ids);
        // What was read from bytes may be anything.
        let count = self.signature.proposition_count();
        out.extend(ids.iter().filter(|id| id.index() < count).map(|&id| self.signature.proposition(id)));
        let terms = self.signature.terms();
        out.sort_by(|&a, &b| terms.compare(a, b));
    }

    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        self.signature.terms().charge_text("the state", facts.iter().copied(), TEXT_LIMIT)?;
        let mut ids = Vec::with_capacity(facts.len());
        let mut session = self.evaluator.session(&Budget::unlimited());
        for &fact in facts {
            let unknown = || GameError::UnknownFact { fact: self.signature.terms().shown(fact) };
            let (relation, row) =
                self.evaluator.encode(self.vocabulary.truth, &[fact]).ok_or_else(unknown)?;
            if !session.insert_row(relation, &row)? {
                return Err(unknown());
            }
            ids.push(self.signature.proposition_id(fact));
        }
        let mut state = State::default();
        encode_state(&self.signature, &mut ids, &mut state);
        Ok(state)
    }
}

/// States with up to this many known propositions start with one bit for each.
const BITS: usize = 4096;

fn bit_words(signature: &Signature) -> usize {
    let known = signature.known_propositions();
    if known <= BITS { known.div_ceil(64) } else { 0 }
}

/// Known propositions as bits, others as ascending ids, two to a word. `ids` is left sorted.
fn encode_state(signature: &Signature, ids: &mut Vec<PropositionId>, out: &mut State) {
    ids.sort_unstable();
    ids.dedup();
    let bits = bit_words(signature);
    let split = ids.partition_point(|id| id.index() < bits * 64);
    let is_local = ids.last().is_some_and(|last| last.index() >= signature.known_propositions());
    let tag = if is_local { signature.tag().local() } else { signature.tag() };
    let words = out.begin(tag, bits + (ids.len() - split).div_ceil(2));
    for id in &ids[..split] {
        words[id.index() / 64] |= 1 << (id.index() % 64);
    }
    for (word, pair) in words[bits..].iter_mut().zip(ids[split..].chunks(2)) {
        // One is added so that a missing second id differs from id 0.
        let second = pair.get(1).map_or(0, |id| u64::from(id.0) + 1);
        *word = (u64::from(pair[0].0) + 1) | (second << 32);
    }
}

fn decode_state(signature: &Signature, state: &State, ids: &mut Vec<PropositionId>) {
    ids.clear();
    let bits = bit_words(signature).min(state.words().len());
    for (at, &word) in state.words()[..bits].iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            ids.push(PropositionId((at * 64) as u32 + rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }
    for &word in &state.words()[bits..] {
        ids.push(PropositionId((word as u32).wrapping_sub(1)));
        if word >> 32 != 0 {
            ids.push(PropositionId((word >> 32) as u32 - 1));
        }
    }
}

/// The terms in one argument of these relations, or where they say nothing, all that the columns
/// of `domains_of` allow; nothing when that is too many to list.
fn known_terms(
    evaluator: &Evaluator,
    relations: &[RelationId],
    domains_of: RelationId,
    argument: usize,
    budget: &Budget,
) -> Answer<Vec<TermId>> {
    let mut session = evaluator.session(budget);
    let mut found = Vec::new();
    let (main, others) = relations.split_at(1);
    let mut count = 0;
    for table in main.iter().chain(others).flat_map(|&r| evaluator.tables(r)) {
        count += session.count(table)? as usize;
    }
    if count > LISTED {
        return Ok(found);
    }
    let listed = evaluator.answers(&mut session, main[0])?;
    if listed.is_empty() {
        found.extend(evaluator.possible(domains_of, argument, LISTED));
    }
    found.extend(listed.iter().filter_map(|args| args.get(argument).copied()));
    for &other in others {
        found.extend(evaluator.answers(&mut session, other)?.iter().filter_map(|a| a.get(argument).copied()));
    }
    Ok(found)
}

pub(crate) fn unrunnable(game: &GameProgram) -> impl Fn(EvaluatorError) -> GameError {
    move |error| match error {
        EvaluatorError::Limit(limit) => GameError::Limit(limit),
        EvaluatorError::Unsafe { clause } => {
            let place = game.spans.get(clause).map(|s| game.source.position(s.start as usize));
            let reason = match place {
                Some(place) => {
                    format!("the clause at {place} has a variable that no positive subgoal binds")
                }
                None => error.to_string(),
            };
            GameError::Unrunnable { reason }
        }
        other => GameError::Unrunnable { reason: other.to_string() },
    }
}
