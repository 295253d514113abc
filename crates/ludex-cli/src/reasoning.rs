//! The rules and the facts that `why` and `query` reason from.

use ludex::gdl::{Checked, GameProgram, Notation};
use ludex::logic::dependency::Dependencies;
use ludex::logic::derive::{
    Answers, Derivations, ExplainOptions, Explanation, Numbering, Query, Reason, Style,
};
use ludex::logic::{
    Atom, ClauseId, Formula, GroundAtom, IdVec, LimitError, Meter, Pattern, Program, RelationId, TermId,
};
use ludex::{Engine, Game, GameOptions, Position, Rules};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use crate::Context;
use crate::console::{Console, table};
use crate::failure::{Failure, say};
use crate::limits::{Limits, grouped};
use crate::moves_text::{play_all, read_joint, text_or_file};
use crate::query_text::read_facts;
use crate::rulesheet::{ReadArguments, read_rules, show_errors};

mod steps;
mod timed;

pub use steps::NO_FACTS_WITH_STEPS;
use steps::Steps;
use timed::Moment;

/// Which state it is about: the initial one unless something else is said.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct StateArguments {
    /// Make these joint moves first: "mark(1,1) noop; noop mark(2,2)", or @FILE
    #[arg(long, value_name = "MOVES", conflicts_with = "facts")]
    pub moves: Option<String>,

    /// Go by the state in which exactly these facts hold, or @FILE
    #[arg(long, value_name = "FACTS")]
    pub facts: Option<String>,

    /// The joint move that is made in that state, which `next` and `sees` depend on
    #[arg(long, value_name = "MOVES")]
    pub does: Option<String>,
}

impl StateArguments {
    /// Whether another state than the initial one is meant, or a move is made.
    pub fn say_something(&self) -> bool {
        self.moves.is_some() || self.facts.is_some() || self.does.is_some()
    }

    /// What holds in the state and who does what there, as atoms of `true` and `does`.
    ///
    /// # Errors
    /// Facts or moves that cannot be read, or are not possible.
    pub fn given(&self, game: &Rules, limits: &Limits) -> Result<Vec<GroundAtom>, Failure> {
        let mut position = game.start();
        let mut given = Vec::new();
        if let Some(facts) = &self.facts {
            let text = text_or_file(facts, limits)?;
            let (facts, moves) = read_facts(game.program(), &text, game.notation())?;
            position = Position::starting_in(game.clone(), game.state_of(&facts)?);
            given = moves;
        } else if let Some(moves) = &self.moves {
            play_all(&mut position, &text_or_file(moves, limits)?)?;
        }
        let joint = self.does.as_ref().map(|does| read_joint(&position, does, limits)).transpose()?;
        given.extend(game.given(position.state(), joint.as_deref()));
        Ok(given)
    }
}

/// Rules with the facts of one state.
pub struct Reasoning {
    program: Arc<GameProgram>,
    /// How the rulesheet is written.
    pub notation: Notation,
    given: Given,
    /// In games in real time, what the rules of an update are asked with.
    update: Option<Given>,
    /// In games in SDL, how far they have come.
    steps: Option<Steps>,
}

/// What the rules are asked with.
#[derive(Clone, Debug, Default)]
struct Given {
    atoms: Vec<GroundAtom>,
    /// What is said of the first of them; of the others that they are given.
    said: Vec<String>,
    /// In games in real time, when that is.
    moment: Option<Moment>,
}

impl Reasoning {
    /// Rules and facts that are there already.
    pub fn of(program: Arc<GameProgram>, notation: Notation, atoms: Vec<GroundAtom>) -> Self {
        Self { program, notation, given: Given { atoms, ..Given::default() }, update: None, steps: None }
    }

    /// Reads the rules and finds the state. Rules that are no whole game will do, as long as they
    /// can be read and no moves are to be made. The seed decides what chance does in games in real time.
    ///
    /// # Errors
    /// Bad rules, facts or moves.
    pub fn new(
        file: &str,
        read: &ReadArguments,
        state: &StateArguments,
        seed: u64,
        context: &Context,
    ) -> Result<Self, Failure> {
        let checked = read_rules(file, read, context)?;
        if checked.dialect.is_timed() {
            return Self::in_time(checked, state, seed, context);
        }
        if checked.dialect.has_steps() {
            return Self::in_steps(checked, read, state, context);
        }
        let Some(program) = checked.game.clone() else { return Err(Failure::Reported) };
        let budget = context.limits.budget();
        let notation = checked.rulesheet.notation;
        let mut reasoning = Self::of(Arc::new(program), notation, Vec::new());
        if let Some(facts) = &state.facts {
            let text = text_or_file(facts, &context.limits)?;
            let (facts, moves) = read_facts(&reasoning.program, &text, notation)?;
            reasoning.give_state(facts.into_iter().map(|fact| [fact].into()));
            reasoning.given.atoms.extend(moves);
        } else if state.moves.is_none() {
            let facts = reasoning.initial(&mut budget.meter())?;
            reasoning.give_state(facts);
        }
        if state.moves.is_some() || state.does.is_some() {
            reasoning.make_moves(checked, read, state, context)?;
        }
        Ok(reasoning)
    }

    fn give_state(&mut self, facts: impl IntoIterator<Item = Box<[TermId]>>) {
        let relation = self.program.vocabulary.truth;
        self.given.atoms.extend(facts.into_iter().map(|args| GroundAtom { relation, args }));
    }

    /// What the rules say of the initial state: facts, with their lifetimes before them in games in real time.
    fn initial(&self, meter: &mut Meter) -> Result<Vec<Box<[TermId]>>, Failure> {
        let program = &self.program.program;
        let relation = self.program.vocabulary.init;
        let mut variables = IdVec::new();
        let names = ["first", "second"].into_iter().take(program.relations[relation].arity);
        let variable = |name| Pattern::Variable(variables.push(program.terms.symbol(name)));
        let args = names.map(variable).collect();
        let formula = Formula::Atom(Atom { relation, args });
        let mut derivations = Derivations::new(program, &[])?;
        // The variables stand in the order of the arguments, and so do their values.
        Ok(derivations.answers(&Query { formula, variables }, meter)?.rows)
    }

    fn make_moves(
        &mut self,
        checked: Checked,
        read: &ReadArguments,
        state: &StateArguments,
        context: &Context,
    ) -> Result<(), Failure> {
        let game = run_rules(checked, read, context)?;
        // The rules were cloned with their table of terms: its ids mean the same in both.
        self.given.atoms = state.given(game.rules(), &context.limits)?;
        Ok(())
    }

    /// The rules as a logic program.
    pub fn program(&self) -> &Program {
        &self.program.program
    }

    /// The game of the rules.
    pub fn game(&self) -> &GameProgram {
        &self.program
    }

    /// Gets ready for a query: it may be about an update and not about the state that the update made. What people
    /// should know of the query is said.
    pub fn turn_to(&mut self, query: &Query) {
        if self.program.dialect.is_timed() {
            self.turn_to_moment(query);
        } else if !self.program.dialect.has_steps() && self.lacks_moves(query) {
            say("note: this depends on moves, and none is made here: `--does` makes some");
        }
    }

    /// Whether a query is about what moves lead to, but none is made.
    fn lacks_moves(&self, query: &Query) -> bool {
        let does = self.program.vocabulary.does;
        !self.given.atoms.iter().any(|atom| atom.relation == does) && self.depends_on(query, &[does])
    }

    /// Whether some relation of a query is one of these, or depends on one.
    fn depends_on(&self, query: &Query, relations: &[RelationId]) -> bool {
        let dependents = Dependencies::new(self.program()).dependents(relations.iter().copied());
        let mut depends = false;
        query.formula.atoms(&mut |atom, _| depends |= dependents[atom.relation]);
        depends
    }

    /// Derivations in the state.
    ///
    /// # Errors
    /// Facts that do not fit.
    pub fn derivations(&self) -> Result<Derivations<'_>, Failure> {
        Ok(Derivations::new(&self.program.program, &self.given.atoms)?)
    }

    /// The answers to a query, as far as they were found within the limits; in SDL about steps that were reached.
    ///
    /// # Errors
    /// Facts that do not fit, or a step that is still to come.
    pub fn answers(
        &self,
        query: &Query,
        meter: &mut Meter,
    ) -> Result<(Answers, Option<LimitError>), Failure> {
        self.refuse_later_steps(query)?;
        let (mut answers, stopped) = self.derivations()?.answers_within(query, meter)?;
        if let Some(steps) = &self.steps {
            steps.keep_reached(query, &mut answers);
        }
        Ok((answers, stopped))
    }

    /// In games in real time, when it is that is asked about; `None` for facts that somebody wrote down.
    pub fn moment(&self) -> Option<&Moment> {
        self.given.moment.as_ref()
    }

    /// The book's style in the notation of the rulesheet, rules numbered by their lines.
    pub fn style(&self) -> Style<'_> {
        let mut style = Style { given: &self.given.said, ..style_of(&self.program.program, self.notation) };
        if self.one_rule_a_line() {
            style.numbering = Numbering::new(&self.program.program, |clause| self.line(clause));
        }
        style
    }

    /// The line a clause begins in.
    pub fn line(&self, clause: ClauseId) -> usize {
        self.program
            .spans
            .get(clause)
            .map_or(0, |span| self.program.source.position(span.start as usize).line)
    }

    fn one_rule_a_line(&self) -> bool {
        let program = &self.program.program;
        let rules = program.clauses.entries().filter(|(_, clause)| !clause.is_fact());
        let mut lines = BTreeSet::new();
        rules.map(|(id, _)| id).all(|id| lines.insert(self.line(id)))
    }

    /// The text of some clauses with their numbers, for reading below a derivation. Facts speak for
    /// themselves and are left out.
    pub fn rules_text(&self, clauses: &BTreeSet<ClauseId>, style: &Style<'_>) -> String {
        let program = &self.program.program;
        let mut out = String::new();
        for &clause in clauses.iter().filter(|&&c| !program.clauses[c].is_fact()) {
            let Some(&span) = self.program.spans.get(clause) else { continue };
            let text = self.program.source.slice(span);
            let number = style.numbering.of(Reason::Clause(clause));
            let text: Vec<&str> = text.lines().map(str::trim_end).collect();
            out.push_str(&format!("{number:6}  {}\n", text.join("\n        ")));
        }
        out
    }

    /// Explains an atom, or why another query has no answer: the explanation itself, and as text.
    ///
    /// # Errors
    /// The query has answers and is no atom; a limit.
    pub fn explanation_of(
        &self,
        query: &Query,
        options: &ExplainOptions,
        meter: &mut Meter,
    ) -> Result<(Explanation, String), Failure> {
        self.refuse_later_steps(query)?;
        let explanation = self.derivations()?.explain(query, options, meter)?;
        let text = explanation.text(&self.style());
        Ok((explanation, text))
    }

    /// The clauses that are no facts with their lines, for programs.
    pub fn rules_json(&self, clauses: &BTreeSet<ClauseId>) -> Vec<Value> {
        let style = self.style();
        let rules = clauses.iter().filter(|&&c| !self.program().clauses[c].is_fact());
        let object = |&clause: &ClauseId| {
            let text = self.rules_text(&BTreeSet::from([clause]), &style);
            let text = text.trim_start().split_once("  ").map_or("", |(_, rule)| rule).trim_end();
            json!({"line": self.line(clause), "text": text})
        };
        rules.map(object).collect()
    }

    /// Explains an atom, or the atom below negations: the explanation itself, and as text.
    ///
    /// # Errors
    /// The query is no atom; a limit.
    pub fn explanation(
        &self,
        query: Query,
        options: &ExplainOptions,
        meter: &mut Meter,
    ) -> Result<(Explanation, String), Failure> {
        // What explains a negation is what there is to say about the atom.
        let mut formula = query.formula;
        while let Formula::Not(inner) = formula {
            formula = *inner;
        }
        if !matches!(formula, Formula::Atom(_)) {
            return Err(Failure::input("`why` explains one atom").hint("`query` takes several literals"));
        }
        self.explanation_of(&Query { formula, ..query }, options, meter)
    }

    /// Explains an atom: the text, and the rules it speaks of.
    ///
    /// # Errors
    /// As [`Reasoning::explanation`].
    pub fn explain(
        &self,
        query: Query,
        options: &ExplainOptions,
        meter: &mut Meter,
    ) -> Result<(String, String), Failure> {
        let (explanation, text) = self.explanation(query, options, meter)?;
        Ok((text, self.rules_text(&explanation.clauses(), &self.style())))
    }

    /// Answers as a table, or as yes or no.
    pub fn answers_text(
        &self,
        query: &Query,
        answers: &Answers,
        is_complete: bool,
        console: &Console,
    ) -> String {
        let name = |v| self.program.program.terms.name(query.variables[v]).to_owned();
        if answers.variables.is_empty() || !answers.is_yes() {
            return if answers.is_yes() { "yes\n".into() } else { "no\n".into() };
        }
        let mut rows = vec![answers.variables.iter().map(|&v| name(v)).collect::<Vec<_>>()];
        rows.extend(answers.rows.iter().map(|row| row.iter().map(|&t| self.text(t)).collect()));
        let count = answers.rows.len();
        let least = if is_complete { "" } else { "at least " };
        let line = format!("{least}{} answer{}", grouped(count as u128), if count == 1 { "" } else { "s" });
        format!("{}{}\n", table(console, &rows, &[]), console.dim(&line))
    }

    /// A ground term as the rulesheet writes it, for programs.
    pub fn whole_text(&self, term: TermId) -> String {
        self.program.program.terms.written_within(term, self.notation, u64::MAX)
    }

    /// A ground term as the rulesheet writes it, cut where it is long.
    pub fn text(&self, term: TermId) -> String {
        self.program.program.terms.shown_in(term, self.notation)
    }
}

/// Refuses to run rules that have errors.
fn refuse_errors(checked: &Checked, context: &Context) -> Result<(), Failure> {
    if !checked.has_errors() {
        return Ok(());
    }
    show_errors(checked, context);
    let failure = Failure::input("rules with errors cannot make moves");
    // In SDL there is no state without the steps before it.
    let takes_facts = !checked.dialect.has_steps();
    Err(if takes_facts {
        failure.hint("`--facts` asks about a state without running the game")
    } else {
        failure
    })
}

/// The game of some rules, to make moves in.
fn run_rules(checked: Checked, read: &ReadArguments, context: &Context) -> Result<Game, Failure> {
    refuse_errors(&checked, context)?;
    let budget = context.limits.budget().clone();
    let options = GameOptions {
        load: read.options()?,
        engine: Engine::Rules,
        question_budget: budget.clone(),
        budget,
        hasty: true,
        ..GameOptions::default()
    };
    Game::from_checked(checked, &options).map_err(|error| Failure::input(error.to_string()))
}

/// The book's style in a notation, rules numbered from 1.
pub fn style_of(program: &Program, notation: Notation) -> Style<'_> {
    Style { notation, ..Style::new(program) }
}

/// Says when it is that is asked about, where that is a question.
///
/// # Errors
/// The output cannot be written.
pub fn show_moment(reasoning: &Reasoning, console: &mut Console) -> Result<(), Failure> {
    if let Some(moment) = reasoning.moment() {
        writeln!(console, "{}", console.dim(&moment.text))?;
    }
    Ok(())
}
