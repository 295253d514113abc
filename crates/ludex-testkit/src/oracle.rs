//! The model of a program by enumeration: slow, and simple enough to be believed.
//!
//! Specification Def. 13, literally: stratum by stratum, apply every clause under every substitution
//! until nothing is added. A body is brought into disjunctive normal form; of each conjunction the
//! positive literals are enumerated first, in the order they are written, and then the `distinct`
//! and negative literals are tested. Nothing here is shared with the evaluator it is to judge, not
//! even the strata.

use ludex_logic::{
    Atom, Clause, Formula, GroundAtom, Id, IdVec, Pattern, Program, RelationId, TermId, TermView, Terms,
};
use rustc_hash::FxHashSet;

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// A relation depends on its own negation.
    #[error("the program is not stratified at `{relation}`")]
    Unstratified {
        /// A relation of the cycle.
        relation: String,
    },
    /// A variable of a head, a negative literal or a `distinct` is bound by no positive literal.
    #[error("`{clause}` is unsafe")]
    Unsafe {
        /// The name of the head's relation.
        clause: String,
    },
    /// More matches than allowed.
    #[error("more than {0} matches")]
    Limit(u64),
}

/// The true atoms of a program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Model {
    atoms: FxHashSet<GroundAtom>,
    by_relation: IdVec<RelationId, Vec<Box<[TermId]>>>,
}

impl Model {
    /// All true atoms.
    pub fn atoms(&self) -> &FxHashSet<GroundAtom> {
        &self.atoms
    }

    /// The arguments for which a relation holds, in the order they were found.
    pub fn rows(&self, relation: RelationId) -> &[Box<[TermId]>] {
        self.by_relation.get(relation).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, atom: GroundAtom) -> bool {
        let new = self.atoms.insert(atom.clone());
        if new {
            self.by_relation[atom.relation].push(atom.args);
        }
        new
    }
}

/// The unique stratified model of a program with these given facts, after at most `limit` matches of
/// literals with facts.
///
/// # Errors
/// [`OracleError`] where the program has no such model, or it takes too long.
pub fn model(program: &Program, given: &[GroundAtom], limit: u64) -> Result<Model, OracleError> {
    let strata = strata(program)?;
    let mut model = Model {
        atoms: FxHashSet::default(),
        by_relation: program.relations.iter().map(|_| Vec::new()).collect(),
    };
    for atom in given {
        model.add(atom.clone());
    }
    let mut work = Work { left: limit, limit };
    for stratum in 0..=strata.iter().copied().max().unwrap_or(0) {
        let clauses: Vec<(&Clause, Vec<Conjunction>)> = program
            .clauses
            .iter()
            .filter(|c| strata[c.head.relation] == stratum)
            .map(|c| (c, conjunctions(&c.body, false)))
            .collect();
        loop {
            let mut found = Vec::new();
            for (clause, bodies) in &clauses {
                for body in bodies {
                    apply(program, clause, body, &model, &mut work, &mut found)?;
                }
            }
            let mut grew = false;
            for atom in found {
                grew |= model.add(atom);
            }
            if !grew {
                break;
            }
        }
    }
    Ok(model)
}

struct Work {
    left: u64,
    limit: u64,
}

impl Work {
    fn spend(&mut self) -> Result<(), OracleError> {
        self.left = self.left.checked_sub(1).ok_or(OracleError::Limit(self.limit))?;
        Ok(())
    }
}

/// The least numbers that do not fall from body to head and rise through negation.
fn strata(program: &Program) -> Result<IdVec<RelationId, usize>, OracleError> {
    let mut strata: IdVec<RelationId, usize> = program.relations.iter().map(|_| 0).collect();
    loop {
        let mut changed = None;
        for clause in program.clauses.iter() {
            let head = clause.head.relation;
            clause.body.atoms(&mut |atom, negative| {
                let least = strata[atom.relation] + usize::from(negative);
                if strata[head] < least {
                    strata[head] = least;
                    changed = Some(head);
                }
            });
        }
        let Some(relation) = changed else { return Ok(strata) };
        if strata[relation] > program.relations.len() {
            let relation = program.relation_name(relation).to_owned();
            return Err(OracleError::Unstratified { relation });
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Conjunction {
    positive: Vec<Atom>,
    negative: Vec<Atom>,
    distinct: Vec<(Pattern, Pattern)>,
    equal: Vec<(Pattern, Pattern)>,
}

impl Conjunction {
    fn join(&self, other: &Conjunction) -> Conjunction {
        let mut both = self.clone();
        both.positive.extend(other.positive.iter().cloned());
        both.negative.extend(other.negative.iter().cloned());
        both.distinct.extend(other.distinct.iter().cloned());
        both.equal.extend(other.equal.iter().cloned());
        both
    }
}

/// The formula, or its negation, in disjunctive normal form.
fn conjunctions(formula: &Formula, negated: bool) -> Vec<Conjunction> {
    match (formula, negated) {
        (Formula::Atom(atom), false) => {
            vec![Conjunction { positive: vec![atom.clone()], ..Conjunction::default() }]
        }
        (Formula::Atom(atom), true) => {
            vec![Conjunction { negative: vec![atom.clone()], ..Conjunction::default() }]
        }
        (Formula::Distinct(a, b), false) => {
            vec![Conjunction { distinct: vec![(a.clone(), b.clone())], ..Conjunction::default() }]
        }
        (Formula::Distinct(a, b), true) => {
            vec![Conjunction { equal: vec![(a.clone(), b.clone())], ..Conjunction::default() }]
        }
        (Formula::Not(inner), _) => conjunctions(inner, !negated),
        (Formula::And(parts), false) | (Formula::Or(parts), true) => {
            parts.iter().fold(vec![Conjunction::default()], |so_far, part| {
                let more = conjunctions(part, negated);
                so_far.iter().flat_map(|a| more.iter().map(|b| a.join(b))).collect()
            })
        }
        (Formula::Or(parts), false) | (Formula::And(parts), true) => {
            parts.iter().flat_map(|part| conjunctions(part, negated)).collect()
        }
    }
}

type Binding = Vec<Option<TermId>>;

fn apply(
    program: &Program,
    clause: &Clause,
    body: &Conjunction,
    model: &Model,
    work: &mut Work,
    found: &mut Vec<GroundAtom>,
) -> Result<(), OracleError> {
    let terms = &program.terms;
    let mut bindings: Vec<Binding> = vec![vec![None; clause.variables.len()]];
    for atom in &body.positive {
        let mut extended = Vec::new();
        for binding in &bindings {
            for row in model.rows(atom.relation) {
                work.spend()?;
                let mut binding = binding.clone();
                if atom.args.iter().zip(row).all(|(p, &t)| matches(terms, p, t, &mut binding)) {
                    extended.push(binding);
                }
            }
        }
        bindings = extended;
    }
    let unsafe_clause =
        || OracleError::Unsafe { clause: program.relation_name(clause.head.relation).to_owned() };
    'binding: for binding in bindings {
        work.spend()?;
        let ground = |p: &Pattern| ground(terms, p, &binding).ok_or_else(unsafe_clause);
        let ground_atom = |atom: &Atom| -> Result<GroundAtom, OracleError> {
            let args = atom.args.iter().map(ground).collect::<Result<_, _>>()?;
            Ok(GroundAtom { relation: atom.relation, args })
        };
        for (a, b) in &body.distinct {
            if ground(a)? == ground(b)? {
                continue 'binding;
            }
        }
        for (a, b) in &body.equal {
            if ground(a)? != ground(b)? {
                continue 'binding;
            }
        }
        for atom in &body.negative {
            if model.atoms.contains(&ground_atom(atom)?) {
                continue 'binding;
            }
        }
        found.push(ground_atom(&clause.head)?);
    }
    Ok(())
}

fn matches(terms: &Terms, pattern: &Pattern, term: TermId, binding: &mut Binding) -> bool {
    match pattern {
        Pattern::Ground(expected) => *expected == term,
        Pattern::Variable(variable) => *binding[variable.index()].get_or_insert(term) == term,
        Pattern::Compound(functor, args) => match terms.view(term) {
            TermView::Compound(f, parts) if f == *functor && parts.len() == args.len() => {
                args.iter().zip(parts).all(|(p, &t)| matches(terms, p, t, binding))
            }
            _ => false,
        },
    }
}

fn ground(terms: &Terms, pattern: &Pattern, binding: &Binding) -> Option<TermId> {
    match pattern {
        Pattern::Ground(term) => Some(*term),
        Pattern::Variable(variable) => binding[variable.index()],
        Pattern::Compound(functor, args) => {
            let args: Option<Vec<TermId>> = args.iter().map(|a| ground(terms, a, binding)).collect();
            Some(terms.compound(*functor, &args?))
        }
    }
}
