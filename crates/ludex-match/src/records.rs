//! Records of matches as players are sent them in place of rules (book 20.3).
//!
//! Each match is one term. It has its roles in order, and its states in order; of each state the facts, the moves that were
//! legal where they are known, what it is worth where that is known, whether it is terminal, and the moves that were made:
//!
//! ```text
//! (match (roles white black)
//!   (step (state (cell 1 1 b) (control white)) (legal white (mark 1 1)) (legal black noop)
//!         (goal white 50) (goal black 50) (moves (mark 1 1) noop))
//!   (step (state (cell 1 1 x) (control black)) terminal (goal white 100) (goal black 0)))
//! ```

use std::collections::BTreeSet;

use ludex_game::{ByRole, Goal, Trace, TraceHeader, TraceStep, read_terms};
use ludex_logic::{TermId, TermView, Terms};

/// The most bytes of records that are sent (4 MiB): players of others read no message of any length.
pub const RECORDS_LIMIT: usize = 4 << 20;

/// Why a text is no records of matches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// It is no list of terms.
    #[error("the records are no terms")]
    Terms,
    /// Something in it is none of what there is in records.
    #[error("match {number}: `{text}` is none of what there is in a record")]
    Part {
        /// Which match, from 1.
        number: usize,
        /// What it is.
        text: String,
    },
    /// There is no match with a state in it.
    #[error("there is no state in the records")]
    Empty,
    /// They are too long.
    #[error("the records are {length} bytes, more than {RECORDS_LIMIT}: send fewer")]
    Long {
        /// How long.
        length: usize,
    },
    /// The matches are of games with other roles.
    #[error("match {number} has other roles than the first")]
    Roles {
        /// Which match, from 1.
        number: usize,
    },
}

/// The records of matches as a text of terms in prefix notation, one match on each line.
///
/// ```
/// use ludex_match::records::{read_records, records_text};
///
/// let text = "(match (roles robot) (step (state (lamp off)) (goal robot 0) (moves press)) \
///     (step (state (lamp on)) terminal (goal robot 100)))";
/// let traces = read_records(text)?;
/// assert_eq!(traces[0].steps[0].joint.as_deref(), Some(&["press".to_owned()][..]));
/// assert_eq!(records_text(&traces), text);
/// # Ok::<(), ludex_match::records::RecordsError>(())
/// ```
pub fn records_text(traces: &[Trace]) -> String {
    records_text_in(traces, &str::to_owned)
}

/// The same in other words, as `words` has them for a term.
pub(crate) fn records_text_in(traces: &[Trace], words: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for trace in traces {
        for steps in trace.steps.chunk_by(|step, next| step.playout == next.playout) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&listed("(match (roles", &trace.header.roles, words));
            for step in steps {
                text.push(' ');
                write_step(step, words, &mut text);
            }
            text.push(')');
        }
    }
    text
}

/// Terms after the beginning of one, and its end.
fn listed(begin: &str, terms: &[String], words: &dyn Fn(&str) -> String) -> String {
    let mut text = begin.to_owned();
    for term in terms {
        text.push(' ');
        text.push_str(&words(term));
    }
    text.push(')');
    text
}

fn write_step(step: &TraceStep, words: &dyn Fn(&str) -> String, text: &mut String) {
    text.push_str("(step ");
    // A term without arguments is a name.
    text.push_str(&if step.state.is_empty() {
        "state".to_owned()
    } else {
        listed("(state", &step.state, words)
    });
    if step.terminal {
        text.push_str(" terminal");
    }
    for (role, legal) in &step.legals.0 {
        text.push(' ');
        text.push_str(&listed(&format!("(legal {}", words(role)), legal, words));
    }
    for (role, goal) in &step.goals.0 {
        if let Some(goal) = goal {
            text.push_str(&format!(" (goal {} {goal})", words(role)));
        }
    }
    if let Some(joint) = &step.joint {
        text.push(' ');
        text.push_str(&listed("(moves", joint, words));
    }
    text.push(')');
}

/// Reads what [`records_text`] wrote, or somebody else.
///
/// # Errors
/// [`RecordsError`].
pub fn read_records(text: &str) -> Result<Vec<Trace>, RecordsError> {
    if text.len() > RECORDS_LIMIT {
        return Err(RecordsError::Long { length: text.len() });
    }
    let terms = Terms::new();
    let matches = read_terms(&terms, &format!("({text})")).map_err(|_| RecordsError::Terms)?;
    let mut traces: Vec<Trace> = Vec::with_capacity(matches.len());
    for (number, term) in (1..).zip(matches) {
        let trace = Reader { terms: &terms, number }.trace(term)?;
        if traces.first().is_some_and(|first| first.header.roles != trace.header.roles) {
            return Err(RecordsError::Roles { number });
        }
        traces.push(trace);
    }
    if traces.iter().all(|trace| trace.steps.is_empty()) {
        return Err(RecordsError::Empty);
    }
    Ok(traces)
}

struct Reader<'a> {
    terms: &'a Terms,
    /// Which match is read.
    number: usize,
}

impl Reader<'_> {
    fn wrong(&self, term: TermId) -> RecordsError {
        let text = self.terms.prefix(term).chars().take(80).collect();
        RecordsError::Part { number: self.number, text }
    }

    /// The name and the arguments of a term; a name alone has none.
    fn parts(&self, term: TermId) -> (String, Vec<TermId>) {
        match self.terms.view(term) {
            TermView::Constant(name) => (self.terms.name(name).to_lowercase(), Vec::new()),
            TermView::Compound(name, arguments) => (self.terms.name(name).to_lowercase(), arguments.to_vec()),
        }
    }

    fn texts(&self, terms: &[TermId]) -> Vec<String> {
        terms.iter().map(|&term| self.terms.prefix(term)).collect()
    }

    fn trace(&self, term: TermId) -> Result<Trace, RecordsError> {
        let (name, parts) = self.parts(term);
        let [roles, steps @ ..] = &parts[..] else { return Err(self.wrong(term)) };
        let (keyword, roles_of) = self.parts(*roles);
        if name != "match" || keyword != "roles" {
            return Err(self.wrong(if name == "match" { *roles } else { term }));
        }
        let roles = self.texts(&roles_of);
        let known = roles.iter().map(String::as_str).collect();
        let steps = (0..).zip(steps).map(|(number, &step)| self.step(number, step, &known));
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        let header = TraceHeader { game: String::new(), file: None, sha256: None, roles };
        Ok(Trace { header, steps })
    }

    fn step(&self, step: u32, term: TermId, known: &BTreeSet<&str>) -> Result<TraceStep, RecordsError> {
        let (name, parts) = self.parts(term);
        if name != "step" {
            return Err(self.wrong(term));
        }
        let mut read = TraceStep {
            playout: 0,
            step,
            state: Vec::new(),
            terminal: false,
            legals: ByRole::default(),
            goals: ByRole::default(),
            joint: None,
        };
        for part in parts {
            let (keyword, arguments) = self.parts(part);
            let role = || {
                let role = arguments.first().map(|&role| self.terms.prefix(role));
                role.filter(|role| known.contains(role.as_str())).ok_or_else(|| self.wrong(part))
            };
            match (keyword.as_str(), &arguments[..]) {
                ("state", facts) => read.state = self.texts(facts),
                ("terminal", []) => read.terminal = true,
                ("legal", [_, moves @ ..]) => read.legals.0.push((role()?, self.texts(moves))),
                ("goal", [_, value]) => {
                    let goal: Goal = self.terms.prefix(*value).parse().map_err(|_| self.wrong(part))?;
                    read.goals.0.push((role()?, Some(goal)));
                }
                ("moves", moves) if moves.len() == known.len() => read.joint = Some(self.texts(moves)),
                _ => return Err(self.wrong(part)),
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_record_is_refused() {
        let wrong = |text: &str| read_records(text).unwrap_err();
        assert_eq!(wrong("(match"), RecordsError::Terms);
        assert_eq!(wrong(""), RecordsError::Empty);
        assert_eq!(wrong("(match (roles a))"), RecordsError::Empty);
        let two = "(match (roles a) (step state)) (match (roles b) (step state))";
        assert_eq!(wrong(two), RecordsError::Roles { number: 2 });
        for text in [
            "(game (roles a))",
            "(match (step state))",
            "(match (roles a) (step (state (lamp on)) (legal b x)))",
            "(match (roles a) (step (state (lamp on)) (goal a high)))",
            "(match (roles a) (step (state (lamp on)) (moves x y)))",
            "(match (roles a) (step (facts (lamp on))))",
            "match",
        ] {
            assert!(matches!(read_records(text), Err(RecordsError::Part { number: 1, .. })), "{text}");
        }
        let long = " ".repeat(RECORDS_LIMIT + 1);
        assert_eq!(wrong(&long), RecordsError::Long { length: RECORDS_LIMIT + 1 });
    }

    #[test]
    fn a_state_may_be_empty_and_legal_moves_unknown() {
        let text = "(match (roles a b) (step state (legal a) (legal b x) (moves y x)) (step state terminal))";
        let traces = read_records(text).unwrap();
        let step = &traces[0].steps[0];
        assert!(step.state.is_empty());
        assert_eq!(step.legals.get("a"), Some(&Vec::new()));
        assert_eq!(records_text(&traces), text);
    }
}
