//! Definition 1 of the rtGDL paper by plain enumeration, with a representation of rules, terms and times of its own.
//!
//! Rules are in strata: a relation may use itself, what is listed before it, and what is given.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A term; variables stand for what their first letter says: T a time, X a symbol, R a role, F a fact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// A variable.
    Variable(String),
    /// Any constant but times.
    Constant(String),
    /// A time in units of 10^-9; `None` is infinity.
    Time(Option<u64>),
    /// A functor with arguments.
    Compound(String, Vec<Term>),
}

/// A relation with arguments.
pub type Atom = (String, Vec<Term>);

/// A subgoal.
#[derive(Clone, Debug)]
pub enum Literal {
    /// The atom holds.
    Holds(Atom),
    /// It does not.
    Fails(Atom),
    /// The terms are different.
    Differ(Term, Term),
}

/// A rule, or a fact where the body is empty.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What is derived.
    pub head: Atom,
    /// From what.
    pub body: Vec<Literal>,
}

/// The rules by relation, in an order in which each relation uses only what comes before it, and itself.
#[derive(Clone, Debug, Default)]
pub struct Rules(pub Vec<Rule>);

/// Facts with their lifetimes in units of 10^-9; `None` is infinity.
pub type Facts = BTreeSet<(Option<u64>, Term)>;

/// What holds, with what expired when it came to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What holds.
    pub facts: Facts,
    /// What expired.
    pub expired: BTreeSet<Term>,
}

/// What variables may stand for.
struct Domains {
    times: Vec<Term>,
    facts: Vec<Term>,
}

const SYMBOLS: [&str; 2] = ["a", "b"];
/// The roles of all random games.
pub const ROLES: [&str; 2] = ["one", "two"];

/// A constant.
pub fn symbol(name: &str) -> Term {
    Term::Constant(name.to_owned())
}

impl Rules {
    /// All atoms that follow from the rules and what is given.
    fn model(&self, given: &BTreeSet<Atom>) -> BTreeSet<Atom> {
        let domains = self.domains(given);
        let mut model = given.clone();
        let mut relations: Vec<&str> = Vec::new();
        for rule in &self.0 {
            if !relations.contains(&rule.head.0.as_str()) {
                relations.push(&rule.head.0);
            }
        }
        for relation in relations {
            loop {
                let mut derived = BTreeSet::new();
                for rule in self.0.iter().filter(|rule| rule.head.0 == relation) {
                    derive(rule, &domains, &model, &mut derived);
                }
                let before = model.len();
                model.extend(derived);
                if model.len() == before {
                    break;
                }
            }
        }
        model
    }

    /// All times that there are anywhere, and all facts that are given.
    fn domains(&self, given: &BTreeSet<Atom>) -> Domains {
        fn times(term: &Term, found: &mut BTreeSet<Term>) {
            match term {
                Term::Time(_) => drop(found.insert(term.clone())),
                Term::Compound(_, args) => args.iter().for_each(|arg| times(arg, found)),
                _ => {}
            }
        }
        let mut found = BTreeSet::new();
        let mut in_atom = |atom: &Atom| atom.1.iter().for_each(|arg| times(arg, &mut found));
        given.iter().for_each(&mut in_atom);
        for rule in &self.0 {
            in_atom(&rule.head);
            for literal in &rule.body {
                if let Literal::Holds(atom) | Literal::Fails(atom) = literal {
                    in_atom(atom);
                }
            }
        }
        let facts = given.iter().filter(|atom| ["true", "expired"].contains(&atom.0.as_str()));
        let facts: BTreeSet<Term> = facts.filter_map(|atom| atom.1.last().cloned()).collect();
        Domains { times: found.into_iter().collect(), facts: facts.into_iter().collect() }
    }

    fn asked(&self, state: &State) -> BTreeSet<Atom> {
        let truth = state.facts.iter().map(|(time, fact)| truth(*time, fact));
        let expired = state.expired.iter().map(|fact| ("expired".to_owned(), vec![fact.clone()]));
        self.model(&truth.chain(expired).collect())
    }

    /// The initial state.
    pub fn initial(&self) -> State {
        State { facts: facts(&self.model(&BTreeSet::new()), "init"), expired: BTreeSet::new() }
    }

    /// Whether a state is terminal.
    pub fn terminal(&self, state: &State) -> bool {
        self.asked(state).iter().any(|atom| atom.0 == "terminal")
    }

    /// The second arguments of a relation about roles.
    pub fn of_role(&self, state: &State, relation: &str, role: &str) -> BTreeSet<Term> {
        second(&self.asked(state), relation, role)
    }

    /// The update, and by role what is seen with it and without.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    pub fn update(
        &self,
        elapsed: u64,
        moves: &[(&str, Term)],
        state: &State,
    ) -> (State, BTreeMap<&'static str, (BTreeSet<Term>, BTreeSet<Term>)>) {
        let mut given = BTreeSet::new();
        let mut over = BTreeSet::new();
        for (time, fact) in &state.facts {
            match time {
                Some(time) if *time <= elapsed => drop(over.insert(fact.clone())),
                Some(time) => drop(given.insert(truth(Some(time - elapsed), fact))),
                None => drop(given.insert(truth(None, fact))),
            }
        }
        let without = self.model(&given);
        given.extend(over.iter().map(|fact| ("expired".to_owned(), vec![fact.clone()])));
        given.extend(
            moves.iter().map(|(role, action)| ("does".to_owned(), vec![symbol(role), action.clone()])),
        );
        let with = self.model(&given);
        let seen = ROLES.map(|role| (role, (second(&with, "sees", role), second(&without, "sees", role))));
        (State { facts: facts(&with, "next"), expired: over }, seen.into_iter().collect())
    }
}

fn truth(time: Option<u64>, fact: &Term) -> Atom {
    ("true".to_owned(), vec![Term::Time(time), fact.clone()])
}

fn facts(model: &BTreeSet<Atom>, relation: &str) -> Facts {
    let rows = model.iter().filter(|atom| atom.0 == relation);
    rows.map(|atom| match &atom.1[0] {
        Term::Time(time) => (*time, atom.1[1].clone()),
        other => panic!("{other} is no lifetime"),
    })
    .collect()
}

fn second(model: &BTreeSet<Atom>, relation: &str, role: &str) -> BTreeSet<Term> {
    let rows = model.iter().filter(|atom| atom.0 == relation && atom.1[0] == symbol(role));
    rows.map(|atom| atom.1[1].clone()).collect()
}

/// Tries all values of all variables.
fn derive(rule: &Rule, domains: &Domains, model: &BTreeSet<Atom>, derived: &mut BTreeSet<Atom>) {
    let mut variables = BTreeSet::new();
    let atoms = rule.body.iter().filter_map(|literal| match literal {
        Literal::Holds(atom) => Some(atom),
        _ => None,
    });
    atoms.for_each(|atom| atom.1.iter().for_each(|arg| collect(arg, &mut variables)));
    let variables: Vec<String> = variables.into_iter().collect();
    let values: Vec<Vec<Term>> = variables
        .iter()
        .map(|name| match &name[..1] {
            "T" => domains.times.clone(),
            "X" => SYMBOLS.map(symbol).to_vec(),
            "R" => ROLES.map(symbol).to_vec(),
            _ => domains.facts.clone(),
        })
        .collect();
    let mut chosen = vec![0; variables.len()];
    if values.iter().any(Vec::is_empty) {
        return;
    }
    loop {
        let binding: BTreeMap<&str, &Term> = variables
            .iter()
            .zip(values.iter().zip(&chosen))
            .map(|(v, (of, &at))| (v.as_str(), &of[at]))
            .collect();
        if rule.body.iter().all(|literal| holds(literal, &binding, model)) {
            derived.insert(put(&rule.head, &binding));
        }
        // The next choice, as an odometer counts.
        let Some(wheel) = (0..chosen.len()).find(|&wheel| chosen[wheel] + 1 < values[wheel].len()) else {
            return;
        };
        chosen[wheel] += 1;
        chosen[..wheel].fill(0);
    }
}

fn collect(term: &Term, variables: &mut BTreeSet<String>) {
    match term {
        Term::Variable(name) => drop(variables.insert(name.clone())),
        Term::Compound(_, args) => args.iter().for_each(|arg| collect(arg, variables)),
        Term::Constant(_) | Term::Time(_) => {}
    }
}

fn holds(literal: &Literal, binding: &BTreeMap<&str, &Term>, model: &BTreeSet<Atom>) -> bool {
    match literal {
        Literal::Holds(atom) => model.contains(&put(atom, binding)),
        Literal::Fails(atom) => !model.contains(&put(atom, binding)),
        Literal::Differ(a, b) => put_term(a, binding) != put_term(b, binding),
    }
}

fn put(atom: &Atom, binding: &BTreeMap<&str, &Term>) -> Atom {
    (atom.0.clone(), atom.1.iter().map(|arg| put_term(arg, binding)).collect())
}

fn put_term(term: &Term, binding: &BTreeMap<&str, &Term>) -> Term {
    match term {
        Term::Variable(name) => binding[name.as_str()].clone(),
        Term::Compound(name, args) => {
            Term::Compound(name.clone(), args.iter().map(|arg| put_term(arg, binding)).collect())
        }
        Term::Constant(_) | Term::Time(_) => term.clone(),
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Variable(name) | Term::Constant(name) => f.write_str(name),
            Term::Time(None) => f.write_str("infinity"),
            Term::Time(Some(units)) => {
                // All digits, so that the machine has something to shorten.
                let text = format!("{units:010}");
                let (whole, fraction) = text.split_at(text.len() - 9);
                let fraction = fraction.trim_end_matches('0');
                f.write_str(whole)?;
                if fraction.is_empty() { Ok(()) } else { write!(f, ".{fraction}") }
            }
            Term::Compound(name, args) => {
                let args: Vec<String> = args.iter().map(Term::to_string).collect();
                write!(f, "{name}({})", args.join(","))
            }
        }
    }
}

fn atom_text(atom: &Atom) -> String {
    if atom.1.is_empty() {
        atom.0.clone()
    } else {
        Term::Compound(atom.0.clone(), atom.1.clone()).to_string()
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.0 {
            f.write_str(&atom_text(&rule.head))?;
            for (number, literal) in rule.body.iter().enumerate() {
                f.write_str(if number == 0 { " :- " } else { " & " })?;
                match literal {
                    Literal::Holds(atom) => f.write_str(&atom_text(atom))?,
                    Literal::Fails(atom) => write!(f, "~{}", atom_text(atom))?,
                    Literal::Differ(a, b) => write!(f, "distinct({a},{b})")?,
                }
            }
            writeln!(f, ".")?;
        }
        Ok(())
    }
}
