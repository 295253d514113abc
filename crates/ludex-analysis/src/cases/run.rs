//! Cases put to the rules, line by line.

use std::sync::Arc;

use ludex_game::{GameError, Goal, MoveError, Position, RoleId, Rules, State, TextError, perft_from};
use ludex_gdl::{Diagnostic, SYNTAX, Severity, Span};
use ludex_logic::{Budget, TermId};

use super::bless::{Edit, spelled, terms_text};
use super::expectation::{called, compared, listed};
use super::{Case, CaseFile, Joints, Line, OPEN, Quantity, Statement, Subject, Word};
use crate::finding::{Finding, Witness};
use crate::property::{
    Established, FormulaText, Property, PropertyError, PropertyOptions, examine, run_by_rules,
};
use crate::well_formed::{Method, WellFormed, WellFormedOptions};

/// How cases are run.
#[derive(Clone, Debug, Default)]
pub struct CaseOptions {
    /// How properties are looked at.
    pub property: PropertyOptions,
    /// How [`Line::Ends`] and [`Line::Playable`] are.
    pub well_formed: WellFormedOptions,
    /// The limits on finding out one property.
    pub proof_budget: Budget,
    /// Whether a case ends with the first line that is not as expected.
    pub stops_early: bool,
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so.
    Passed,
    /// It is not so.
    Failed {
        /// What should be.
        expected: String,
        /// What is.
        found: String,
    },
    /// It says nothing about the game: a move that cannot be made, a role that is not there.
    Refused(Diagnostic),
}

/// A line that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Where it is written.
    pub span: Span,
    /// What became of it.
    pub verdict: Verdict,
    /// What else there is to say, such as how it is known.
    pub note: Option<String>,
    pub(super) edit: Option<Edit>,
}

/// A case that was run.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// Its lines as far as they were looked at: all, unless one led nowhere.
    pub outcomes: Vec<Outcome>,
    /// The positions that its moves led to, with the way there.
    pub positions: Vec<Position>,
}

impl CaseReport {
    /// Whether all is as expected.
    pub fn passed(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.verdict == Verdict::Passed)
    }

    /// Whether [`super::blessed`] has something to correct.
    pub fn has_corrections(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.edit.is_some())
    }
}

/// Puts a case to the rules. The budget is for counting move sequences; `rules` has one for its own questions.
///
/// ```
/// use std::sync::Arc;
/// use ludex_analysis::cases::{CaseFile, CaseOptions, run_case};
/// use ludex_gdl::Source;
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let text = "case the first move\n  moves mark(2,2)\n  true cell(2,2,x)\n  all legal white noop\n";
/// let file = CaseFile::read(Arc::new(Source::new("tic-tac-toe.cases", text))).unwrap();
/// let report = run_case(&file, &file.cases[0], &rules, &CaseOptions::default(), &Default::default());
/// assert!(report.passed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_case(
    file: &CaseFile,
    case: &Case,
    rules: &Rules,
    options: &CaseOptions,
    budget: &Budget,
) -> CaseReport {
    let mut runner =
        CaseRunner { file, position: rules.start(), after: None, positions: Vec::new(), options, budget };
    let mut outcomes: Vec<Outcome> = Vec::new();
    for statement in &case.statements {
        let outcome = runner.statement(statement);
        let leads = matches!(statement.line, Line::Moves(_) | Line::Facts(_) | Line::Does(_));
        let passed = outcome.verdict == Verdict::Passed;
        outcomes.push(outcome);
        // Where a position is not reached there is nothing more to say.
        if !passed && (leads || options.stops_early) {
            break;
        }
    }
    runner.positions.push(runner.position);
    CaseReport { outcomes, positions: runner.positions }
}

/// What a line comes to, before it has a place.
#[derive(Default)]
struct Answered {
    failure: Option<(String, String)>,
    note: Option<String>,
    edit: Option<Edit>,
}

impl Answered {
    fn failed(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { failure: Some((expected.into(), found.into())), ..Self::default() }
    }

    /// It is so, or what is so in place of it.
    fn of(failure: Option<(String, String)>) -> Self {
        Self { failure, ..Self::default() }
    }
}

type Said = Result<Answered, Box<Diagnostic>>;

struct CaseRunner<'c> {
    file: &'c CaseFile,
    position: Position,
    /// The position after the move of `does`.
    after: Option<Position>,
    /// Positions that are not on the way to the last one.
    positions: Vec<Position>,
    options: &'c CaseOptions,
    budget: &'c Budget,
}

impl CaseRunner<'_> {
    fn statement(&mut self, statement: &Statement) -> Outcome {
        let span = statement.span;
        match self.line(statement) {
            Ok(Answered { failure, note, edit }) => {
                let verdict = match failure {
                    None => Verdict::Passed,
                    Some((expected, found)) => Verdict::Failed { expected, found },
                };
                // What is as expected stays as it is written.
                let edit = edit.filter(|_| verdict != Verdict::Passed);
                Outcome { span, verdict, note, edit }
            }
            Err(diagnostic) => {
                Outcome { span, verdict: Verdict::Refused(*diagnostic), note: None, edit: None }
            }
        }
    }

    fn line(&mut self, statement: &Statement) -> Said {
        let span = statement.span;
        match &statement.line {
            Line::Moves(joints) => {
                self.after = None;
                play(&mut self.position, joints)?;
                Ok(Answered::default())
            }
            Line::Facts(facts) => self.facts(facts, span),
            Line::Does(joint) => {
                let mut after = self.position.clone();
                play(&mut after, std::slice::from_ref(joint))?;
                self.positions.push(after.clone());
                self.after = Some(after);
                Ok(Answered::default())
            }
            Line::Terms(subject, quantity, terms) => self.terms(subject, *quantity, terms, span),
            Line::Terminal(expected) => self.terminal(*expected, span),
            Line::Goal { role, value } => self.goal(role, value, span),
            Line::Perft { depth, count } => self.perft(*depth, count, span),
            Line::Wins(role, joints) => self.wins(role, joints, span),
            Line::Always(formula) => self.property(Property::Always(text_of(formula)), span),
            Line::Never(formula) => self.property(Property::Never(text_of(formula)), span),
            Line::After { when, then } => self.property(Property::After(text_of(when), text_of(then)), span),
            Line::Ends | Line::Playable => self.well_formed(&statement.line, span),
        }
    }

    fn rules(&self) -> &Rules {
        self.position.rules()
    }

    fn facts(&mut self, facts: &[Word], span: Span) -> Said {
        let rules = self.rules().clone();
        if rules.dialect().has_steps() {
            let message = "in SDL a state is what the steps before it made";
            return Err(refused(span, message).hint("`moves` leads there").into());
        }
        let (rules, state) = match state_by_facts(&rules, facts) {
            // A net has no states that nobody can reach: the rules have.
            Err(fault) => {
                let plain = run_by_rules(&rules, Arc::clone(rules.program()), rules.question_budget());
                let plain = plain.map_err(|error| game_fault(span, &error))?;
                let state = state_by_facts(&plain, facts).map_err(|_| fault)?;
                (plain, state)
            }
            Ok(state) => (rules, state),
        };
        let there = Position::starting_in(rules, state);
        self.positions.push(std::mem::replace(&mut self.position, there));
        self.after = None;
        Ok(Answered::default())
    }

    fn role(&self, role: &Word) -> Result<RoleId, Box<Diagnostic>> {
        self.rules().find_role(&role.text).ok_or_else(|| {
            let hint = format!("the roles are {}", self.rules().role_names().join(", "));
            refused(role.span, format!("there is no role `{}`", role.text)).hint(hint).into()
        })
    }

    fn terms(&self, subject: &Subject, quantity: Quantity, words: &[Word], span: Span) -> Said {
        let present = self.present(subject, span)?;
        let rules = self.rules();
        let texts: Vec<String> = present.iter().map(|&term| spelled(rules, term)).collect();
        let (mut wanted, mut unknown) = (Vec::new(), Vec::new());
        for word in words.iter().filter(|word| word.text != OPEN) {
            let found = rules.find_term(&word.text).map_err(|error| text_fault(word.span, &error))?;
            match found {
                Some(term) => wanted.push(spelled(rules, term)),
                None => {
                    wanted.push(word.text.clone());
                    unknown.push(word.text.clone());
                }
            }
        }
        let is_open = words.iter().any(|word| word.text == OPEN);
        let failure = if is_open {
            Some((format!("the {} are to be filled in", called(subject)), listed(&texts)))
        } else {
            compared(subject, quantity, &wanted, &texts)
        };
        // What the game never met may well be misspelt.
        let note = (!unknown.is_empty()).then(|| format!("the game never has {}", listed(&unknown)));
        let edit = (quantity == Quantity::All).then(|| self.all_terms(subject, &texts, span));
        Ok(Answered { failure, note, edit })
    }

    /// What there is of what a line speaks of.
    fn present(&self, subject: &Subject, span: Span) -> Result<Vec<TermId>, Box<Diagnostic>> {
        match subject {
            Subject::Legal(role) => {
                let role = self.role(role)?;
                self.position.legal(role).map_err(|error| game_fault(span, &error))
            }
            Subject::Facts => Ok(self.position.facts()),
            Subject::Next => match &self.after {
                Some(after) => Ok(after.facts()),
                None => Err(refused(span, "`next` is about a move, and none is looked at")
                    .hint("a line `does JOINT MOVE` before it says which")
                    .into()),
            },
            Subject::Percepts(role) => {
                let role = self.role(role)?;
                Ok(self.after.as_ref().unwrap_or(&self.position).percepts(role).to_vec())
            }
        }
    }

    /// The line with all terms there are.
    fn all_terms(&self, subject: &Subject, texts: &[String], span: Span) -> Edit {
        let source = &self.file.source;
        let start = match subject {
            Subject::Legal(role) | Subject::Percepts(role) => role.span.end,
            // The terms follow the second word.
            Subject::Facts | Subject::Next => {
                let text = source.slice(span);
                let all = text.find(char::is_whitespace).unwrap_or(text.len());
                let keyword =
                    text[all..].find(|c: char| !c.is_whitespace()).map_or(text.len(), |at| all + at);
                let end = text[keyword..].find(char::is_whitespace).map_or(text.len(), |at| keyword + at);
                span.start + end as u32
            }
        };
        let column = source.position(start as usize).column;
        Edit { span: Span { start, end: span.end }, text: terms_text(texts, column) }
    }

    fn terminal(&self, expected: bool, span: Span) -> Said {
        let found = self.position.terminal().map_err(|error| game_fault(span, &error))?;
        if found == expected {
            return Ok(Answered::default());
        }
        let word = |terminal: bool| if terminal { "the game is over" } else { "the game goes on" };
        let text = if found { "terminal" } else { "not terminal" }.to_owned();
        Ok(Answered { edit: Some(Edit { span, text }), ..Answered::failed(word(expected), word(found)) })
    }

    fn goal(&self, role: &Word, value: &Word, span: Span) -> Said {
        let id = self.role(role)?;
        let goals = self.position.goals().map_err(|error| game_fault(span, &error))?;
        let found = goal_text(goals.get(id.index()).copied().flatten());
        let failure = (value.text != found).then(|| {
            let value = if value.text == OPEN { "to be filled in" } else { &value.text };
            let expected = format!("goal of {}: {value}", role.text);
            (expected, found.clone())
        });
        Ok(Answered { failure, note: None, edit: Some(Edit { span: value.span, text: found }) })
    }

    fn perft(&self, depth: u32, count: &Word, span: Span) -> Said {
        let machine = self.rules().machine();
        let rows = perft_from(&**machine, self.position.state(), depth, self.budget);
        let rows = rows.map_err(|error| game_fault(span, &error))?;
        let found = rows.get(depth as usize).map_or(0, |row| row.paths).to_string();
        let failure = (count.text != found).then(|| {
            let count = if count.text == OPEN { "a number, to be filled in, of" } else { &count.text };
            (format!("{count} sequences of {depth} joint moves"), found.clone())
        });
        Ok(Answered { failure, note: None, edit: Some(Edit { span: count.span, text: found }) })
    }

    fn wins(&mut self, role: &Word, joints: &Joints, span: Span) -> Said {
        let id = self.role(role)?;
        let mut end = self.position.clone();
        play(&mut end, joints)?;
        self.positions.push(end.clone());
        let expected = format!("the moves end the game with goal 100 for {}", role.text);
        if !end.terminal().map_err(|error| game_fault(span, &error))? {
            return Ok(Answered::failed(expected, "the game goes on after them"));
        }
        let goals = end.goals().map_err(|error| game_fault(span, &error))?;
        let found = goals.get(id.index()).copied().flatten();
        let failure = (found != Some(100)).then(|| (expected, format!("goal {}", goal_text(found))));
        Ok(Answered::of(failure))
    }

    fn property(&self, property: Property<'_>, span: Span) -> Said {
        let established =
            examine(&self.position, property, &self.options.property, &self.options.proof_budget);
        let established = established.map_err(|error| match error {
            // There is at least one.
            PropertyError::Formula(errors) => errors
                .into_iter()
                .next()
                .map_or_else(|| refused(span, "the formula cannot be read"), Box::new),
            PropertyError::Game(error) => game_fault(span, &error),
        })?;
        let note = match &established {
            Established::AllStates(1) => "proved: so in the one state there is".to_owned(),
            Established::AllStates(states) => format!("proved: so in all {states} states"),
            Established::Induction(steps) => format!("proved{}", induction_text(*steps)),
            Established::Games { games, states } => {
                let games = plural(*games as usize, "random game");
                format!("not proved: so in {games} with {}", plural(*states as usize, "state"))
            }
            Established::Refuted(witness) => return Ok(self.refuted(witness, &property)),
        };
        Ok(Answered { note: Some(note), ..Answered::default() })
    }

    fn refuted(&self, witness: &Witness, property: &Property<'_>) -> Answered {
        let expected = match property {
            Property::Always(_) => "so in every position that can come",
            Property::Never(_) => "so in no position that can come",
            Property::After(..) => "so after every such move",
        };
        Answered::failed(expected, format!("not so {}", self.course(witness)))
    }

    /// The moves of a witness, as they can be copied into a case.
    fn course(&self, witness: &Witness) -> String {
        if witness.steps.is_empty() {
            return "here".to_owned();
        }
        let joints: Vec<String> = witness.texts(self.rules()).iter().map(|joint| joint.join(" ")).collect();
        format!("after moves {}", joints.join("; "))
    }

    fn well_formed(&self, line: &Line, span: Span) -> Said {
        if self.position.state() != self.rules().initial() {
            return Err(refused(span, "this is about the whole game")
                .hint("it stands in a case of its own, before any moves")
                .into());
        }
        let subject = crate::Subject::new(self.rules());
        let found = WellFormed::find(&subject, &self.options.well_formed, &self.options.proof_budget);
        let mut judged = Vec::new();
        match line {
            Line::Ends => {
                let termination = found.termination;
                judged.push((
                    termination.finding.map(|_| ()),
                    termination.by,
                    "every course ends".to_owned(),
                ));
            }
            _ => judged.extend(found.playable.into_iter().map(|(role, playable)| {
                let role = self.rules().role_name(role);
                (playable.finding, playable.by, format!("{role} has a legal move until the game is over"))
            })),
        }
        let mut notes: Vec<String> = Vec::new();
        for (finding, by, expected) in judged {
            let note = match finding {
                Finding::Refuted(witness) => {
                    return Ok(Answered::failed(expected, format!("not so {}", self.course(&witness))));
                }
                Finding::Proved(()) => {
                    format!("proved{}", by.map_or_else(String::new, |by| method_text(&by)))
                }
                Finding::Undecided(reason) => format!("not proved: {reason}"),
            };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        Ok(Answered { note: Some(notes.join("; ")), ..Answered::default() })
    }
}

/// The state in which exactly these facts hold.
fn state_by_facts(rules: &Rules, facts: &[Word]) -> Result<State, Box<Diagnostic>> {
    let mut terms = Vec::with_capacity(facts.len());
    for fact in facts {
        let term = rules.read_term(&fact.text).map_err(|error| text_fault(fact.span, &error))?;
        rules.state_of(&[term]).map_err(|error| refused(fact.span, error.to_string()))?;
        terms.push(term);
    }
    let whole = facts.first().zip(facts.last()).map_or(Span::default(), |(a, b)| a.span.to(b.span));
    rules.state_of(&terms).map_err(|error| refused(whole, error.to_string()))
}

fn induction_text(steps: usize) -> String {
    match steps {
        0 => " by induction".to_owned(),
        steps => format!(" by induction over {}", plural(steps, "step")),
    }
}

fn method_text(method: &Method) -> String {
    match method {
        Method::Search { states } => format!(": so in all {states} states"),
        Method::Induction { steps } => induction_text(*steps),
        _ => String::new(),
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn goal_text(goal: Option<Goal>) -> String {
    goal.map_or_else(|| "none".to_owned(), |goal| goal.to_string())
}

fn text_of(word: &Word) -> FormulaText<'_> {
    FormulaText { text: &word.text, span: word.span }
}

/// Makes joint moves.
fn play(position: &mut Position, joints: &[Vec<Word>]) -> Result<(), Box<Diagnostic>> {
    for joint in joints {
        let texts: Vec<&str> = joint.iter().map(|word| word.text.as_str()).collect();
        position.play_joint(&texts).map_err(|error| {
            let span = match (joint.first(), joint.last()) {
                (Some(first), Some(last)) => first.span.to(last.span),
                _ => Span::default(),
            };
            let fault = refused(span, error.to_string());
            match position.advice(&error, joint.len()) {
                Some(advice) => fault.hint(advice).into(),
                None if error == MoveError::Over => fault.hint("the case ends before this move").into(),
                None => fault,
            }
        })?;
    }
    Ok(())
}

fn refused(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(SYNTAX, Severity::Error, span, message))
}

fn text_fault(span: Span, error: &TextError) -> Box<Diagnostic> {
    refused(span, error.to_string())
}

fn game_fault(span: Span, error: &GameError) -> Box<Diagnostic> {
    refused(span, error.to_string())
}
