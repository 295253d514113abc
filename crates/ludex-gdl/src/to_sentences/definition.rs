//! What the clauses of a relation say, and that nothing else makes it hold (Clark's completion).

use ludex_logic::relational::Sentence;
use ludex_logic::{Atom, Clause, Id, Pattern, RelationId, Terms, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::{
    Draft, FALSE, Scope, TRUE, Variables, and, body, equal, iff, implies, not, or, quantified, substituted,
};
use super::forget::Forgotten;
use super::shape::{Group, Part, Shape, differences};

/// The names of arguments that nobody has named, as in the book.
const NAMES: [&str; 6] = ["X", "Y", "Z", "U", "V", "W"];

/// The first variables of a sentence, with these names; where one has none, it has a letter that is no name of another.
pub(super) fn arguments(
    names: &[Option<String>],
    variables: &mut Variables,
    scope: &mut Scope,
) -> Vec<VariableId> {
    let is_free = |letter: &&&str| !names.iter().flatten().any(|name| name.eq_ignore_ascii_case(letter));
    let letters = NAMES.iter().filter(is_free).map(|&letter| letter.to_owned());
    let mut letters = letters.chain((NAMES.len()..).map(|number| format!("X{number}")));
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let wanted = name.clone().or_else(|| letters.next()).unwrap_or_default();
        all.push(variables.add(&wanted, scope));
    }
    all
}

/// An atom as a sentence.
pub(super) fn atom(relation: RelationId, args: Box<[Pattern]>) -> Sentence {
    Sentence::Atom(Atom { relation, args })
}

/// What the terms of a shape have to be so that an instance of it is one of other arguments.
pub(super) struct Condition {
    /// By variable of the others: the term of the shape that it is.
    pub values: Vec<Option<Pattern>>,
    /// Variables of the others that are no term of the shape.
    pub others: Vec<VariableId>,
    /// What has to be the same.
    pub equations: Vec<Sentence>,
}

impl Condition {
    /// Holes are the first variables of a sentence. The variables of the others have names; what is no term of the shape
    /// becomes a variable of the sentence within a scope.
    pub fn new(
        terms: &Terms,
        pairs: &[(Part<'_>, Part<'_>)],
        names: &[String],
        variables: &mut Variables,
        scope: &mut Scope,
    ) -> Self {
        let mut values: Vec<Option<Pattern>> = vec![None; names.len()];
        for (one, other) in pairs {
            if let Some(variable) = other.variable() {
                values[variable.index()].get_or_insert_with(|| one.pattern());
            }
        }
        let mut others = Vec::new();
        for (value, name) in values.iter_mut().zip(names) {
            value.get_or_insert_with(|| {
                others.push(variables.add(name, scope));
                Pattern::Variable(others[others.len() - 1])
            });
        }
        let equation = |(one, other): &(Part<'_>, Part<'_>)| {
            equal(one.pattern(), substituted(terms, &other.pattern(), &values))
        };
        let equations = pairs.iter().map(equation).filter(|equation| *equation != TRUE).collect();
        Self { values, others, equations }
    }
}

/// The clauses of one group as a sentence: the shape of their heads holds where one of the bodies does.
pub(super) fn definition(terms: &Terms, clauses: &[&Clause], group: &Group) -> Draft {
    let shape = &group.shape;
    let mut variables = Variables::default();
    let mut scope = Scope::default();
    arguments(&hole_names(terms, clauses, group), &mut variables, &mut scope);
    let disjuncts = group.heads.iter().map(|&number| {
        let clause = clauses[number];
        let pairs = differences(terms, &shape.args, &clause.head.args).unwrap_or_default();
        let names = names(terms, clause);
        let condition = Condition::new(terms, &pairs, &names, &mut variables, &mut scope.clone());
        let mut parts = condition.equations;
        parts.push(body(terms, &clause.body, &condition.values));
        quantified(&condition.others, and(parts), false)
    });
    let disjuncts = or(disjuncts.collect());
    let relation = clauses[group.heads[0]].head.relation;
    Draft { sentence: iff(atom(relation, shape.args.clone()), disjuncts), variables }
}

/// The names of a clause's variables.
fn names(terms: &Terms, clause: &Clause) -> Vec<String> {
    clause.variables.iter().map(|&name| terms.name(name).to_owned()).collect()
}

/// What the author calls the holes of a group: each has the first name that a clause gives it and no other hole has.
fn hole_names(terms: &Terms, clauses: &[&Clause], group: &Group) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = vec![None; group.shape.holes];
    let mut taken = FxHashSet::default();
    for &number in &group.heads {
        let clause = clauses[number];
        let pairs = differences(terms, &group.shape.args, &clause.head.args).unwrap_or_default();
        for (one, other) in pairs {
            let (Some(hole), Some(variable)) = (one.variable(), other.variable()) else { continue };
            let name = clause.variables[variable];
            if found[hole.index()].is_none() && taken.insert(name) {
                found[hole.index()] = Some(terms.name(name).to_owned());
            }
        }
    }
    found
}

/// An equivalence for a relation without clauses of its own: its arguments are one of these lists.
pub(super) fn listed(relation: RelationId, names: &[Option<String>], instances: &[Shape]) -> Draft {
    let mut variables = Variables::default();
    let args = arguments(names, &mut variables, &mut Scope::default());
    let args: Box<[Pattern]> = args.into_iter().map(Pattern::Variable).collect();
    let equations = |instance: &Shape| {
        let pairs = args.iter().zip(&instance.args);
        and(pairs.map(|(arg, value)| equal(arg.clone(), value.clone())).collect())
    };
    let other = or(instances.iter().map(equations).collect());
    Draft { sentence: iff(atom(relation, args), other), variables }
}

/// That nothing else is so: what none of these shapes matches does not hold; of what is forgotten, nothing is said. None
/// where nothing is left to say.
pub(super) fn closure(
    terms: &Terms,
    relation: RelationId,
    arity: usize,
    shapes: &[Shape],
    forgotten: &[&Forgotten],
) -> Option<Draft> {
    let mut variables = Variables::default();
    let mut scope = Scope::default();
    let args = arguments(&vec![None; arity], &mut variables, &mut scope);
    let mut writing = Closure { variables: &mut variables, args: &args, scope: &scope };
    let all: Vec<&Shape> = shapes.iter().collect();
    let mut parts = vec![if arity > NAMES.len() { writing.one_by_one(&all) } else { writing.none(&all, 0) }];
    let args: Box<[Pattern]> = args.into_iter().map(Pattern::Variable).collect();
    let general = Shape { holes: arity, args };
    for what in forgotten {
        if !shapes.iter().any(|shape| shape.covers(terms, &what.args)) {
            parts.push(what.exception(terms, &general, &mut variables, &scope)?);
        }
    }
    let antecedent = and(parts);
    if antecedent == FALSE {
        return None;
    }
    Some(Draft { sentence: implies(antecedent, not(atom(relation, general.args))), variables })
}

struct Closure<'a> {
    variables: &'a mut Variables,
    /// One for each argument.
    args: &'a [VariableId],
    scope: &'a Scope,
}

impl Closure<'_> {
    /// That the arguments from one on are none of the shapes': shapes with the same argument there are taken together, as in
    /// `X!=robot | Y!=a & Y!=b`.
    fn none(&mut self, shapes: &[&Shape], at: usize) -> Sentence {
        if shapes.is_empty() {
            return TRUE;
        }
        let Some(&arg) = self.args.get(at) else { return FALSE };
        let mut alike: Vec<(Shape, Vec<&Shape>)> = Vec::new();
        let mut places = FxHashMap::default();
        for shape in shapes {
            let own = Shape::of(std::slice::from_ref(&shape.args[at]));
            let place = *places.entry(own.clone()).or_insert(alike.len());
            if place == alike.len() {
                alike.push((own, Vec::new()));
            }
            alike[place].1.push(shape);
        }
        let parts = alike.iter().map(|(own, shapes)| {
            let differs = self.differs(arg, own);
            let rest = self.none(shapes, at + 1);
            or(vec![differs, rest])
        });
        and(parts.collect())
    }

    /// The same where arguments are too many to go by.
    fn one_by_one(&mut self, shapes: &[&Shape]) -> Sentence {
        let mut parts = Vec::with_capacity(shapes.len());
        for shape in shapes {
            let own = shape.args.iter().map(|arg| Shape::of(std::slice::from_ref(arg)));
            let differ = own.zip(self.args).map(|(own, &arg)| self.differs(arg, &own));
            parts.push(or(differ.collect()));
        }
        and(parts)
    }

    /// That a variable is no instance of a term.
    fn differs(&mut self, variable: VariableId, own: &Shape) -> Sentence {
        if own.is_general() {
            return FALSE;
        }
        let mut scope = if own.holes == 0 { Scope::default() } else { self.scope.clone() };
        let wanted = ["M", "N", "I", "J", "K", "L"].iter().cycle().take(own.holes);
        let holes: Vec<VariableId> = wanted.map(|wanted| self.variables.add(wanted, &mut scope)).collect();
        let Some(arg) = own.args.first() else { return FALSE };
        let unequal = not(Sentence::Equal(Pattern::Variable(variable), renumbered(arg, &holes)));
        quantified(&holes, unequal, true)
    }
}

/// The pattern with these variables as its holes.
fn renumbered(pattern: &Pattern, holes: &[VariableId]) -> Pattern {
    match pattern {
        Pattern::Ground(_) => pattern.clone(),
        Pattern::Variable(hole) => Pattern::Variable(holes[hole.index()]),
        Pattern::Compound(functor, args) => {
            Pattern::Compound(*functor, args.iter().map(|arg| renumbered(arg, holes)).collect())
        }
    }
}
