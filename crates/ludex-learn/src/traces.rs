//! Records of playouts as observations.

use ludex_game::{Mismatch, Question, TermTextError, Trace, TraceStep, read_term, read_terms};
use ludex_logic::Terms;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::background::{add_closures, orders, possible_moves, sums};
use crate::columns::are_alike;
use crate::observations::{Facts, Observations, Target};
use crate::vocabulary::{Constant, Part, RelationId, Shape, Tuple, Vocabulary};

/// Atoms that could hold are all combinations of what was seen in the columns of a relation, where these are so many
/// at most; and else those that ever held.
const MOST_ATOMS: usize = 4096;

/// So many texts of one kind are remembered.
const MOST_KNOWN: usize = 1 << 18;

/// The columns of all relations are compared with each other: a limit on time and memory.
const MOST_COLUMNS: usize = 4096;

/// Why records are no observations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObservationError {
    /// A fact, a move or a role is no ground term.
    #[error("playout {playout}, step {step}: `{text}`: {reason}")]
    Term {
        /// Which playout of its trace.
        playout: u32,
        /// Which step of it.
        step: u32,
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: TermTextError,
    },
    /// What is to hold in all states is no list of ground facts.
    #[error("the background is no list of ground facts: {0}")]
    Background(TermTextError),
    /// The records are of games with other roles.
    #[error("one record is of a game of {0}, another of {1}")]
    Roles(String, String),
    /// There are too many kinds of facts and moves to be compared.
    #[error(
        "facts and moves have {0} arguments in all, by their names; more than {MOST_COLUMNS} are not learned from"
    )]
    Large(usize),
    /// There is no state at all.
    #[error("there is no state in the records")]
    Empty,
}

/// Collects what traces of one game show. `background` is a list of facts in prefix notation that are known to hold in
/// all its states; without it, the moves that were ever legal are such facts. Orders of numbers and letters are added
/// where there is none.
///
/// # Errors
/// [`ObservationError`].
pub fn observe(
    traces: &[Trace],
    background: Option<&str>,
    vocabulary: &mut Vocabulary,
) -> Result<Observations, ObservationError> {
    let roles = roles(traces)?;
    let mut reader = Reader::new(vocabulary);
    // First, so that the numbers of constants keep their order.
    let mut statics = Vec::new();
    for role in roles {
        statics.push(reader.literal("role", None, role).map_err(ObservationError::Background)?);
    }
    if let Some(text) = background {
        statics.extend(reader.background(text)?);
    }
    reader.read(traces, roles)?;
    let columns =
        (0..reader.vocabulary.relations()).map(|relation| reader.vocabulary.columns(relation)).sum();
    if columns > MOST_COLUMNS {
        return Err(ObservationError::Large(columns));
    }
    let mut observed = Observations { statics: Facts::new(statics), ..Observations::default() };
    let legal = reader.held.iter().flat_map(|held| held.literals.iter().chain(&held.made));
    let mut found = orders(&observed.statics, reader.vocabulary);
    if background.is_none() {
        found.extend(possible_moves(legal, reader.vocabulary));
    }
    observed.statics.extend(Facts::new(found));
    add_closures(&mut observed, reader.vocabulary);
    if let Some((relation, sums)) = sums(reader.vocabulary) {
        observed.statics.extend(Facts::new(sums));
        observed.sums = Some(relation);
    }
    Ok(reader.finish(observed))
}

/// Collects what other traces of the same game show: what could hold is what could before, and what they show.
///
/// # Errors
/// [`ObservationError`].
pub fn observe_others(
    traces: &[Trace],
    before: &Observations,
    vocabulary: &mut Vocabulary,
) -> Result<Observations, ObservationError> {
    let roles = roles(traces)?;
    let mut reader = Reader::new(vocabulary);
    reader.read(traces, roles)?;
    let others = Observations { states: Vec::new(), ..before.clone() };
    Ok(reader.finish(others))
}

/// Adds that a step of a match that was not played correctly is none of the game: of its moves, those that were never
/// legal or made in the same state are not; where there are none, what they led to does not follow. Whether there was
/// anything in it that correct records do not say, too.
///
/// # Errors
/// [`ObservationError`].
pub fn deny(
    step: &TraceStep,
    next: &TraceStep,
    roles: &[String],
    observed: &mut Observations,
    vocabulary: &mut Vocabulary,
) -> Result<bool, ObservationError> {
    let mut reader = Reader::new(vocabulary);
    reader.step(step, Some(next), roles)?;
    let (Some(state), Some(held)) = (reader.states.pop(), reader.held.pop()) else { return Ok(false) };
    let alike = observed.states_like(&state, vocabulary);
    let is_known = |literal: &Literal| {
        let target = observed.targets.iter().find(|target| target.relation == literal.0);
        let atom = target.and_then(|target| target.atoms.iter().position(|atom| *atom == literal.1));
        let seen = target.into_iter().flat_map(|target| &target.seen);
        atom.is_some_and(|atom| {
            seen.filter(|(state, _)| alike.contains(state))
                .any(|(_, held)| held.binary_search(&(atom as u32)).is_ok())
        })
    };
    let mut wrong: Vec<Literal> = held.made.iter().filter(|literal| !is_known(literal)).cloned().collect();
    if wrong.is_empty() {
        let is_next = |literal: &&Literal| vocabulary.get(literal.0).shape.keyword() == "next";
        wrong = held.literals.iter().filter(is_next).filter(|literal| !is_known(literal)).cloned().collect();
    }
    let number = observed.states.len();
    let mut is_new = false;
    for (relation, tuple) in wrong {
        let Some(target) = observed.targets.iter_mut().find(|target| target.relation == relation) else {
            continue;
        };
        let atom = target.atoms.iter().position(|atom| *atom == tuple).unwrap_or_else(|| {
            target.atoms.push(tuple);
            target.atoms.len() - 1
        }) as u32;
        is_new = true;
        match target.denied.last_mut().filter(|(state, _)| *state == number) {
            Some((_, atoms)) => atoms.push(atom),
            None => target.denied.push((number, vec![atom])),
        }
    }
    if is_new {
        observed.states.push(state);
    }
    Ok(is_new)
}

/// Adds facts that rules said come next, or moves that they said are legal, and that nobody thought of: they could hold,
/// and what is learned from now on is to say that they did not. Whether there are any; of other differences there are none.
///
/// # Errors
/// [`TermTextError`] where what the rules said are no terms: it can be why they gave no answer.
pub fn add_possible(
    said: &Mismatch,
    observed: &mut Observations,
    vocabulary: &mut Vocabulary,
) -> Result<bool, TermTextError> {
    let (keyword, role) = match &said.what {
        Question::State => ("next", None),
        Question::Legal(role) => ("legal", Some(role.as_str())),
        _ => return Ok(false),
    };
    let terms = Terms::new();
    let mut reader = Reader::new(vocabulary);
    let mut is_new = false;
    for term in read_terms(&terms, &format!("({})", said.found))? {
        let (relation, tuple) = reader.literal(keyword, role, &terms.prefix(term))?;
        let target = observed.targets.iter_mut().find(|target| target.relation == relation);
        if let Some(target) = target.filter(|target| !target.atoms.contains(&tuple)) {
            target.atoms.push(tuple);
            is_new = true;
        }
    }
    Ok(is_new)
}

/// The roles of traces of one game.
fn roles(traces: &[Trace]) -> Result<&[String], ObservationError> {
    let mut all = traces.iter().filter(|trace| !trace.steps.is_empty()).map(|trace| &trace.header.roles);
    let first = all.next().ok_or(ObservationError::Empty)?;
    match all.find(|roles| *roles != first) {
        Some(other) => Err(ObservationError::Roles(first.join(" "), other.join(" "))),
        None => Ok(first),
    }
}

type Literal = (RelationId, Tuple);

/// What is known of one state: literals of targets, by what was recorded of it.
#[derive(Default)]
struct Held {
    /// The literals that held.
    literals: Vec<Literal>,
    /// The keywords of which it is known what held.
    known: Vec<&'static str>,
    /// The moves that were made, as literals of legal moves.
    made: Vec<Literal>,
}

impl Held {
    /// The literals of a relation, where all are in order.
    fn of(&self, relation: RelationId) -> &[Literal] {
        let begin = self.literals.partition_point(|(of, _)| *of < relation);
        let count = self.literals[begin..].partition_point(|(of, _)| *of == relation);
        &self.literals[begin..begin + count]
    }
}

struct Reader<'a> {
    terms: Terms,
    vocabulary: &'a mut Vocabulary,
    held: Vec<Held>,
    states: Vec<Facts>,
    /// Literals by keyword and role, and by the text that they were read from.
    known: FxHashMap<(&'static str, Option<Constant>), FxHashMap<String, Literal>>,
}

impl<'a> Reader<'a> {
    fn new(vocabulary: &'a mut Vocabulary) -> Self {
        Self {
            terms: Terms::new(),
            vocabulary,
            held: Vec::new(),
            states: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn background(&mut self, text: &str) -> Result<Vec<Literal>, ObservationError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let facts = read_terms(&self.terms, &format!("({text})")).map_err(ObservationError::Background)?;
        let facts: Vec<String> = facts.into_iter().map(|fact| self.terms.prefix(fact)).collect();
        Ok(facts.iter().map(|fact| self.normal("", None, fact, Part::Static)).collect())
    }

    /// `(keyword role term)` as a relation and constants, where the term is checked.
    fn literal(
        &mut self,
        keyword: &'static str,
        role: Option<&str>,
        term: &str,
    ) -> Result<Literal, TermTextError> {
        // Of all that is recorded, most was recorded before.
        let role_name = role.map(|role| self.vocabulary.constant(role));
        let known = self.known.get(&(keyword, role_name)).and_then(|known| known.get(term));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let read = read_term(&self.terms, term)?;
        let text = self.terms.prefix(read);
        let part = match keyword {
            "true" => Part::State,
            "does" => Part::Moves,
            "role" => Part::Static,
            _ => Part::Target,
        };
        let literal = self.normal(keyword, role, &text, part);
        let known = self.known.entry((keyword, role_name)).or_default();
        if known.len() < MOST_KNOWN {
            known.insert(term.to_owned(), literal.clone());
        }
        Ok(literal)
    }

    /// A literal whose last term is in normal form. A constant fact is a relation of its own; a constant move is not.
    fn normal(&mut self, keyword: &str, role: Option<&str>, term: &str, part: Part) -> Literal {
        let mut pieces = vec![if keyword.is_empty() { String::new() } else { format!("({keyword} ") }];
        let mut tuple = Tuple::new();
        let hole = |word: &str, pieces: &mut Vec<String>, tuple: &mut Tuple, vocabulary: &mut Vocabulary| {
            tuple.push(vocabulary.constant(word));
            pieces.push(String::new());
        };
        if let Some(role) = role {
            hole(role, &mut pieces, &mut tuple, self.vocabulary);
            pieces.last_mut().into_iter().for_each(|piece| piece.push(' '));
        }
        let is_fact = role.is_none() && keyword != "role";
        let mut is_name = is_fact && !term.starts_with('(');
        for word in words(term) {
            match word {
                "(" | ")" | " " => pieces.last_mut().into_iter().for_each(|piece| piece.push_str(word)),
                name if is_name => pieces.last_mut().into_iter().for_each(|piece| piece.push_str(name)),
                constant => hole(constant, &mut pieces, &mut tuple, self.vocabulary),
            }
            is_name = word == "(";
        }
        if !keyword.is_empty() {
            pieces.last_mut().into_iter().for_each(|piece| piece.push(')'));
        }
        (self.vocabulary.relation(Shape::new(pieces), part), tuple)
    }

    fn step(
        &mut self,
        step: &TraceStep,
        next: Option<&TraceStep>,
        roles: &[String],
    ) -> Result<(), ObservationError> {
        let wrong = |text: &str, reason| ObservationError::Term {
            playout: step.playout,
            step: step.step,
            text: text.to_owned(),
            reason,
        };
        let mut facts = Vec::new();
        let mut held = Held::default();
        for fact in &step.state {
            facts.push(self.literal("true", None, fact).map_err(|reason| wrong(fact, reason))?);
        }
        if let Some(joint) = &step.joint {
            for (role, action) in roles.iter().zip(joint) {
                facts.push(self.literal("does", Some(role), action).map_err(|reason| wrong(action, reason))?);
            }
            if let Some(next) = next {
                held.known.push("next");
                for fact in &next.state {
                    held.literals
                        .push(self.literal("next", None, fact).map_err(|reason| wrong(fact, reason))?);
                }
            }
        }
        held.known.push("terminal");
        if step.terminal {
            held.literals.push((
                self.vocabulary.relation(Shape::new(vec!["terminal".to_owned()]), Part::Target),
                Tuple::new(),
            ));
        }
        if !step.legals.0.is_empty() {
            held.known.push("legal");
            for (role, action) in
                step.legals.0.iter().flat_map(|(role, all)| all.iter().map(move |one| (role, one)))
            {
                held.literals
                    .push(self.literal("legal", Some(role), action).map_err(|reason| wrong(action, reason))?);
            }
        }
        for (role, action) in roles.iter().zip(step.joint.iter().flatten()) {
            held.made
                .push(self.literal("legal", Some(role), action).map_err(|reason| wrong(action, reason))?);
        }
        // What is true of legal moves and ends may be why they end, and what it is worth.
        let of_state = |(relation, _): &&Literal| self.vocabulary.get(*relation).shape.keyword() != "next";
        facts.extend(held.literals.iter().filter(of_state).cloned());
        if !step.goals.0.is_empty() {
            held.known.push("goal");
        }
        for (role, goal) in &step.goals.0 {
            // Where there are several values or none, none is learned.
            let Some(goal) = goal.map(|goal| goal.to_string()) else { continue };
            let literal = self.literal("goal", Some(role), &goal);
            held.literals.push(literal.map_err(|reason| wrong(&goal, reason))?);
        }
        self.states.push(Facts::new(facts));
        self.held.push(held);
        Ok(())
    }

    fn read(&mut self, traces: &[Trace], roles: &[String]) -> Result<(), ObservationError> {
        for trace in traces {
            for (number, step) in trace.steps.iter().enumerate() {
                let next = trace.steps.get(number + 1);
                // Where a line is missing, what came next is not known.
                let next = next.filter(|next| next.playout == step.playout && next.step == step.step + 1);
                self.step(step, next, roles)?;
            }
        }
        Ok(())
    }

    /// Whether legal moves were recorded of any state.
    fn tells_legal(&self) -> bool {
        self.held.iter().any(|held| held.known.contains(&"legal"))
    }

    /// Where nobody recorded which moves were legal, those that were made are all that is known of them.
    fn take_moves_for_legal(&mut self) {
        if !self.tells_legal() {
            for held in &mut self.held {
                held.literals.append(&mut held.made);
            }
        }
    }

    /// Adds the states, and what held in them, to what is known.
    fn finish(mut self, mut observed: Observations) -> Observations {
        self.vocabulary.relation(Shape::new(vec!["terminal".to_owned()]), Part::Target);
        self.take_moves_for_legal();
        self.held.iter_mut().for_each(|held| held.literals.sort_unstable());
        observed.states = std::mem::take(&mut self.states);
        observed.tells_legal = self.held.iter().all(|held| held.known.contains(&"legal"));
        let before = std::mem::take(&mut observed.targets);
        let mut values = observed.column_values(self.vocabulary);
        // Sums are of numbers of all kinds, and do not make one kind of them.
        if let Some(sums) = observed.sums.and_then(|sums| values.get_mut(sums)) {
            sums.clear();
        }
        let relations = 0..self.vocabulary.relations();
        for relation in relations.filter(|&relation| self.vocabulary.get(relation).part == Part::Target) {
            let known = before.iter().find(|target| target.relation == relation);
            let target = self.target(relation, known, &observed.states, &values);
            observed.targets.push(target);
        }
        observed
    }

    fn target(
        &self,
        relation: RelationId,
        known: Option<&Target>,
        states: &[Facts],
        values: &[Vec<Vec<Constant>>],
    ) -> Target {
        let shape = &self.vocabulary.get(relation).shape;
        let keyword = shape.keyword();
        let all = self.held.iter().flat_map(|held| held.of(relation));
        let mut met: FxHashSet<Tuple> = all.map(|(_, tuple)| tuple.clone()).collect();
        // What held in the first states alone could have come next, too.
        let before = shape.under("next", "true").and_then(|shape| self.vocabulary.find(&shape));
        if let (Some(before), false) = (before, met.is_empty()) {
            met.extend(states.iter().flat_map(|state| state.of(before)).cloned());
        }
        match known {
            Some(known) => met.extend(known.atoms.iter().cloned()),
            None => met = possible(met, self.vocabulary.columns(relation), values),
        }
        let mut atoms: Vec<Tuple> = met.into_iter().collect();
        atoms.sort_unstable();
        let places: FxHashMap<&Tuple, u32> = atoms.iter().zip(0..).collect();
        let is_seen = |held: &Held| match keyword {
            "legal" if !self.tells_legal() => held.known.contains(&"next"),
            _ => held.known.contains(&keyword),
        };
        let held = self.held.iter().enumerate().filter(|(_, held)| is_seen(held));
        let seen = held.map(|(state, held)| {
            let of = held.of(relation).iter();
            let mut numbers: Vec<u32> = of.filter_map(|(_, tuple)| places.get(tuple).copied()).collect();
            numbers.sort_unstable();
            numbers.dedup();
            (state, numbers)
        });
        let seen = seen.collect();
        Target { seen, is_whole: keyword != "legal" || self.tells_legal(), ..Target::new(relation, atoms) }
    }
}

/// What could hold, if these did: all combinations of what stands in their columns, and those with one column from
/// what else is of its kind, as far as they are not too many.
fn possible(met: FxHashSet<Tuple>, columns: usize, values: &[Vec<Vec<Constant>>]) -> FxHashSet<Tuple> {
    let seen: Vec<Vec<Constant>> = (0..columns)
        .map(|column| {
            let mut values: Vec<Constant> = met.iter().map(|tuple| tuple[column]).collect();
            values.sort_unstable();
            values.dedup();
            values
        })
        .collect();
    let Some(combined) = combinations(&seen, MOST_ATOMS) else { return met };
    let mut all: FxHashSet<Tuple> = combined.into_iter().collect();
    for column in 0..columns {
        let mut wider = seen.clone();
        for other in values.iter().flatten().filter(|other| are_alike(&seen[column], other)) {
            wider[column].extend(other);
        }
        wider[column].sort_unstable();
        wider[column].dedup();
        let room = (2 * MOST_ATOMS).saturating_sub(all.len());
        all.extend(combinations(&wider, room).unwrap_or_default());
    }
    all
}

/// All combinations of these values of columns, unless they are more than `most`.
fn combinations(columns: &[Vec<Constant>], most: usize) -> Option<Vec<Tuple>> {
    let mut all = vec![Tuple::new()];
    for values in columns {
        if all.len() * values.len() > most {
            return None;
        }
        all = all
            .iter()
            .flat_map(|before| {
                values.iter().map(move |&value| before.iter().copied().chain([value]).collect())
            })
            .collect();
    }
    Some(all)
}

/// The brackets, spaces and names of a term in normal form.
fn words(term: &str) -> impl Iterator<Item = &str> {
    let mut rest = term;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = match first {
            '(' | ')' | ' ' => 1,
            _ => rest.find(['(', ')', ' ']).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(word)
    })
}
