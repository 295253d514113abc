//! Comparing a machine with a trace, state by state.

use std::borrow::Cow;
use std::fmt;

use ludex_logic::{Budget, TermId, Terms};
use rustc_hash::FxHashSet;
use serde::{Serialize, Serializer};

use crate::error::GameError;
use crate::machine::{Machine, Runner};
use crate::signature::{ActionId, Goal, RoleId};
use crate::state::State;
use crate::trace::format::{Trace, TraceStep};
use crate::trace::term_text::{find_term, read_term};

/// What was compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The roles and their order.
    Roles,
    /// The facts of the state: in the initial state, or after the joint move before.
    State,
    /// Whether the state is terminal.
    Terminal,
    /// The legal moves of a role.
    Legal(String),
    /// The canonical order of the legal moves of a role.
    Order(String),
    /// The goal value of a role.
    Goal(String),
    /// The move of a role, to be made.
    Move(String),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Roles => f.write_str("roles"),
            Question::State => f.write_str("state"),
            Question::Terminal => f.write_str("terminal"),
            Question::Legal(role) => write!(f, "legal {role}"),
            Question::Order(role) => write!(f, "order of legal {role}"),
            Question::Goal(role) => write!(f, "goal {role}"),
            Question::Move(role) => write!(f, "move {role}"),
        }
    }
}

impl Serialize for Question {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One answer that differs from the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The playout, from 0.
    pub playout: u32,
    /// The step in it, from 0.
    pub step: u32,
    /// What was compared.
    pub what: Question,
    /// What the trace says; of sets only what the machine has not.
    pub expected: String,
    /// What the machine says; of sets only what the trace has not; or why it gave no answer.
    pub found: String,
}

/// How a machine compares with a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// The states compared.
    pub steps: u64,
    /// All differences.
    pub mismatches: Vec<Mismatch>,
}

/// Replays a trace and compares every state, terminality, set of legal moves and goal value.
///
/// Each playout starts in the machine's initial state and follows the recorded joint moves; after a wrong
/// state it goes on from the recorded one, so that one difference is not reported again and again. A
/// question that the machine cannot answer counts as a difference. Names that are not found as they are
/// written are looked for in lower case, because prefix notation is case-independent. What a line does not
/// record of a role is not compared.
///
/// ```
/// use ludex_game::{RuleMachine, Trace, record_playouts, verify};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
/// #     (<= (next (at 3)) (true (at 2))) (<= terminal (true (at 3))) (goal you 50)";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = RuleMachine::new(&game, &Default::default())?;
/// let mut trace = record_playouts(&machine, "walk", 3, 1, 100, &Default::default())?;
/// assert_eq!(Trace::read(trace.lines())?, trace);
/// assert_eq!(verify(&machine, &trace, &Default::default()).mismatches, []);
///
/// trace.steps[1].state = vec!["(at 7)".to_owned()];
/// assert!(!verify(&machine, &trace, &Default::default()).mismatches.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(machine: &dyn Machine, trace: &Trace, budget: &Budget) -> VerifyReport {
    verify_waiting(machine, trace, None, budget)
}

/// As [`verify`], of a game in which roles that are not in control wait, by a move of their own (Epilog): a trace that has no
/// move for them agrees with it.
pub fn verify_waiting(
    machine: &dyn Machine,
    trace: &Trace,
    waiting: Option<TermId>,
    budget: &Budget,
) -> VerifyReport {
    let mut runner = machine.runner(budget);
    let mut verifier = Verifier {
        machine,
        terms: machine.signature().terms(),
        runner: &mut *runner,
        waiting: waiting.and_then(|term| machine.signature().find_action(term)),
        roles: Vec::new(),
        report: VerifyReport { steps: 0, mismatches: Vec::new() },
        place: (0, 0),
    };
    verifier.roles(&trace.header.roles);
    let mut before: Option<&TraceStep> = None;
    let mut on_course = false;
    for step in &trace.steps {
        verifier.place = (step.playout, step.step);
        verifier.report.steps += 1;
        let follows = before.is_some_and(|b| b.playout == step.playout && b.step + 1 == step.step);
        if !follows {
            on_course = step.step == 0 && verifier.restart();
        }
        on_course = verifier.state(step, on_course);
        if on_course {
            verifier.questions(step);
            on_course = match &step.joint {
                Some(joint) => verifier.joint(joint),
                None => false,
            };
        }
        before = Some(step);
    }
    verifier.report
}

struct Verifier<'a> {
    machine: &'a dyn Machine,
    terms: &'a Terms,
    runner: &'a mut dyn Runner,
    /// What roles do of whose moves the trace says nothing.
    waiting: Option<ActionId>,
    /// The machine's roles in the order of the trace.
    roles: Vec<(String, RoleId)>,
    report: VerifyReport,
    place: (u32, u32),
}

impl Verifier<'_> {
    fn differ(&mut self, what: Question, expected: impl Into<String>, found: impl Into<String>) {
        let (playout, step) = self.place;
        let (expected, found) = (expected.into(), found.into());
        self.report.mismatches.push(Mismatch { playout, step, what, expected, found });
    }

    fn find(&self, text: &str) -> Option<TermId> {
        let text = prefix_of(text);
        let found = find_term(self.terms, &text).ok().flatten();
        found.or_else(|| find_term(self.terms, &text.to_lowercase()).ok().flatten())
    }

    fn roles(&mut self, names: &[String]) {
        let signature = self.machine.signature();
        let found: Vec<_> = names.iter().map(|n| self.find(n)).collect();
        if found.iter().copied().ne(signature.roles().iter().map(|&r| Some(r))) {
            let ours: Vec<_> = signature.roles().iter().map(|&r| self.terms.prefix(r)).collect();
            self.differ(Question::Roles, names.join(" "), ours.join(" "));
        }
        let named = names.iter().zip(found);
        self.roles = named.filter_map(|(n, t)| Some((n.clone(), signature.find_role(t?)?))).collect();
    }

    fn restart(&mut self) -> bool {
        match self.runner.set(self.machine.initial()) {
            Ok(()) => true,
            Err(error) => {
                self.differ(Question::State, "the initial state", error.to_string());
                false
            }
        }
    }

    /// Compares the current state, and makes the recorded one current where it differs and the machine
    /// can hold it.
    fn state(&mut self, step: &TraceStep, on_course: bool) -> bool {
        if on_course {
            let (mut state, mut facts) = (State::default(), Vec::new());
            self.runner.save(&mut state);
            self.machine.facts(&state, &mut facts);
            if self.same_set(Question::State, &step.state, &facts) {
                return true;
            }
        }
        let read = |text: &String| self.find(text).or_else(|| read_term(self.terms, &prefix_of(text)).ok());
        let facts: Vec<TermId> = step.state.iter().filter_map(read).collect();
        let state = self.machine.state_of(&facts);
        if on_course && state.is_err() {
            // The difference is told; from here on the machine's own state is as good as any.
            return true;
        }
        let set = state.and_then(|state| self.runner.set(&state));
        if let Err(error) = set {
            self.differ(Question::State, step.state.join(" "), error.to_string());
            return false;
        }
        true
    }

    fn same_set(&mut self, what: Question, expected: &[String], found: &[TermId]) -> bool {
        let ours: FxHashSet<TermId> = found.iter().copied().collect();
        let theirs: Vec<Option<TermId>> = expected.iter().map(|text| self.find(text)).collect();
        let missing: Vec<&str> = expected
            .iter()
            .zip(&theirs)
            .filter(|(_, term)| term.is_none_or(|t| !ours.contains(&t)))
            .map(|(text, _)| text.as_str())
            .collect();
        let theirs: FxHashSet<TermId> = theirs.into_iter().flatten().collect();
        let added: Vec<String> =
            found.iter().filter(|f| !theirs.contains(f)).map(|&f| self.terms.prefix(f)).collect();
        if missing.is_empty() && added.is_empty() {
            return true;
        }
        self.differ(what, missing.join(" "), added.join(" "));
        false
    }

    fn questions(&mut self, step: &TraceStep) {
        match self.runner.terminal() {
            Ok(terminal) if terminal == step.terminal => {}
            Ok(terminal) => self.differ(Question::Terminal, step.terminal.to_string(), terminal.to_string()),
            Err(error) => self.differ(Question::Terminal, step.terminal.to_string(), error.to_string()),
        }
        for (name, role) in self.roles.clone() {
            if let Some(expected) = step.legals.get(&name) {
                self.legal_moves(&name, role, expected);
            }
            let Some(&expected) = step.goals.get(&name) else { continue };
            let text = |goal: Option<Goal>| goal.map_or("not exactly one".to_owned(), |g| g.to_string());
            match self.runner.goal(role) {
                Ok(goal) if goal == expected => {}
                Ok(goal) => self.differ(Question::Goal(name), text(expected), text(goal)),
                Err(error) => self.differ(Question::Goal(name), text(expected), error.to_string()),
            }
        }
    }

    fn legal_moves(&mut self, name: &str, role: RoleId, expected: &[String]) {
        match self.legal(role) {
            Ok(found) => {
                let waits = self.waiting.map(|action| self.machine.signature().action(action));
                if expected.is_empty() && found.len() == 1 && found.first().copied() == waits {
                    return;
                }
                self.same_set(Question::Legal(name.to_owned()), expected, &found);
                let wrong = found.windows(2).find(|w| self.terms.compare(w[0], w[1]).is_ge());
                if let Some(&[a, b]) = wrong {
                    let text = |x, y| format!("{} {}", self.terms.prefix(x), self.terms.prefix(y));
                    let (expected, found) = (text(b, a), text(a, b));
                    self.differ(Question::Order(name.to_owned()), expected, found);
                }
            }
            Err(error) => {
                self.differ(Question::Legal(name.to_owned()), expected.join(" "), error.to_string());
            }
        }
    }

    fn legal(&mut self, role: RoleId) -> Result<Vec<TermId>, GameError> {
        let signature = self.machine.signature();
        Ok(self.runner.legal(role)?.iter().map(|&a| signature.action(a)).collect())
    }

    fn joint(&mut self, moves: &[String]) -> bool {
        let signature = self.machine.signature();
        let mut joint: Vec<Option<ActionId>> = vec![None; signature.roles().len()];
        for ((name, role), text) in self.roles.clone().into_iter().zip(moves) {
            let waits = self.waiting.filter(|_| text.is_empty());
            match waits.or_else(|| self.find(text).and_then(|term| signature.find_action(term))) {
                Some(action) => joint[role.index()] = Some(action),
                None => self.differ(Question::Move(name), text, "no such move was met"),
            }
        }
        let Some(joint) = joint.into_iter().collect::<Option<Vec<_>>>() else { return false };
        match self.runner.step(&joint) {
            Ok(()) => true,
            Err(GameError::IllegalMove { role, action }) => {
                self.differ(Question::Move(role), action, "not legal");
                false
            }
            Err(error) => {
                self.differ(Question::State, "the next state", error.to_string());
                false
            }
        }
    }
}

/// A term in prefix notation, which may be written in infix without blanks: `cell(1,1,b)` is `(cell 1 1 b)`.
fn prefix_of(text: &str) -> Cow<'_, str> {
    if text.starts_with(['(', '|']) || !text.contains('(') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    let mut name = 0;
    for c in text.chars() {
        match c {
            '(' => {
                out.insert(name, '(');
                out.push(' ');
                name = out.len();
            }
            ',' => {
                out.push(' ');
                name = out.len();
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_in_infix_are_read() {
        for (text, expected) in [
            ("cell(1,1,b)", "(cell 1 1 b)"),
            ("p(f(a,g(b)),c)", "(p (f a (g b)) c)"),
            ("p", "p"),
            ("(cell 1 1)", "(cell 1 1)"),
            ("é(a)", "(é a)"),
        ] {
            assert_eq!(prefix_of(text), expected);
        }
    }
}
