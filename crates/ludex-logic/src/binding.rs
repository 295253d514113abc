//! Binding and demand: which variables a body binds, in which order its subgoals pass them on, and by
//! which arguments relations are asked for.
//!
//! The terms are those of the magic-set literature (Bancilhon, Maier, Sagiv, Ullman 1986; Beeri,
//! Ramakrishnan 1991). An *adornment* names the arguments of a relation that are bound wherever it is
//! asked for; a *sideways information passing strategy* ([`Sips`]) decides which subgoal comes next, and so
//! which variables are bound for those after it. The evaluator computes adorned relations for one key at a
//! time, the grounder rewrites their rules; both choose adornments by [`adorn`].

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::budget::{LimitError, Meter};
use crate::evaluator::body::{FlatAtom, FlatId, FlatLiteral, Literal, Rule};
use crate::ids::{Id, IdVec, VariableId};
use crate::program::{Atom, Pattern};

/// A set of variables of one rule.
pub(crate) type Variables = FxHashSet<VariableId>;

/// What has variables in it.
pub(crate) trait HasVariables {
    /// Calls `visit` for each occurrence of a variable.
    fn each_variable(&self, visit: &mut dyn FnMut(VariableId));

    /// Whether all variables are among these.
    fn is_bound(&self, bound: &Variables) -> bool {
        let mut all = true;
        self.each_variable(&mut |v| all &= bound.contains(&v));
        all
    }

    /// The variables.
    fn variable_set(&self) -> Variables {
        let mut found = Variables::default();
        found.bind(self);
        found
    }
}

impl HasVariables for Pattern {
    fn each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        self.variables(&mut |v| visit(v));
    }

    fn is_bound(&self, bound: &Variables) -> bool {
        match self {
            Pattern::Variable(v) => bound.contains(v),
            Pattern::Ground(_) => true,
            Pattern::Compound(_, args) => args.is_bound(bound),
        }
    }
}

impl<R> HasVariables for Atom<R> {
    fn each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        self.args.each_variable(visit);
    }

    fn is_bound(&self, bound: &Variables) -> bool {
        self.args.is_bound(bound)
    }
}

impl<T: HasVariables> HasVariables for [T] {
    fn each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        self.iter().for_each(|part| part.each_variable(visit));
    }

    fn is_bound(&self, bound: &Variables) -> bool {
        self.iter().all(|part| part.is_bound(bound))
    }
}

/// Questions about what is bound.
pub(crate) trait Binding {
    /// Adds the variables of `part`.
    fn bind(&mut self, part: &(impl HasVariables + ?Sized));
    /// Whether all variables of `part` are bound.
    fn binds(&self, part: &(impl HasVariables + ?Sized)) -> bool;
}

impl Binding for Variables {
    fn bind(&mut self, part: &(impl HasVariables + ?Sized)) {
        part.each_variable(&mut |v| {
            self.insert(v);
        });
    }

    fn binds(&self, part: &(impl HasVariables + ?Sized)) -> bool {
        part.is_bound(self)
    }
}

/// `X = t` binds the variables of one side once those of the other are bound.
pub(crate) fn close_equalities<'a, R: 'a>(
    body: impl Iterator<Item = &'a Literal<R>> + Clone,
    bound: &mut Variables,
) {
    loop {
        let before = bound.len();
        for literal in body.clone() {
            if let Literal::Equal(a, b) = literal
                && (bound.binds(a) || bound.binds(b))
            {
                bound.bind(a);
                bound.bind(b);
            }
        }
        if bound.len() == before {
            return;
        }
    }
}

/// The columns of a relation that are bound wherever it is asked for, ascending; `None` for a relation that
/// is computed whole.
pub(crate) type Adornments = IdVec<FlatId, Option<Box<[u32]>>>;

/// The bound arguments of an atom.
pub(crate) fn key_of<R>(atom: &Atom<R>, adornment: &[u32]) -> Box<[Pattern]> {
    adornment.iter().map(|&column| atom.args[column as usize].clone()).collect()
}

/// How many bound columns of an adornment have their arguments bound.
pub(crate) fn met<R>(atom: &Atom<R>, adornment: &[u32], bound: &Variables) -> usize {
    adornment.iter().filter(|&&column| bound.binds(&atom.args[column as usize])).count()
}

/// A subgoal of a rule, over flat relations unless others are named.
pub(crate) trait HasLiteral<R = FlatId> {
    /// What it says.
    fn literal(&self) -> &Literal<R>;
}

impl<R> HasLiteral<R> for Literal<R> {
    fn literal(&self) -> &Literal<R> {
        self
    }
}

/// A sideways information passing strategy: which positive subgoal comes next.
pub(crate) trait Sips {
    /// The subgoal of the least rank is next; of several the one that was written first.
    type Rank: PartialOrd;
    /// The rank of a subgoal in the body of a rule for `head`, given what is bound before it; `None` where
    /// none can be less.
    fn rank(
        &self,
        head: FlatId,
        atom: &FlatAtom,
        adornment: Option<&[u32]>,
        bound: &Variables,
    ) -> Option<Self::Rank>;
}

/// The positive subgoals of a body in the order in which they pass their variables on. `visit` gets each
/// with what is bound before it; what comes back is bound after the last.
pub(crate) fn pass<S: Sips>(
    sips: &S,
    head: FlatId,
    body: &[impl HasLiteral],
    adornments: &Adornments,
    mut bound: Variables,
    mut visit: impl FnMut(usize, &FlatAtom, &Variables),
) -> Variables {
    let literals = body.iter().map(HasLiteral::literal);
    let equalities: Vec<&FlatLiteral> =
        literals.clone().filter(|literal| matches!(literal, Literal::Equal(..))).collect();
    let positive = literals.enumerate().filter_map(|(at, literal)| match literal {
        Literal::Positive(atom) => Some((at, atom)),
        _ => None,
    });
    let mut waiting: VecDeque<(usize, &FlatAtom)> = positive.collect();
    close_equalities(equalities.iter().copied(), &mut bound);
    while !waiting.is_empty() {
        let mut best: (usize, Option<S::Rank>) = (0, None);
        for (position, (_, atom)) in waiting.iter().enumerate() {
            let adornment = adornments.get(atom.relation).and_then(Option::as_deref);
            let rank = sips.rank(head, atom, adornment, &bound);
            if position == 0 || rank < best.1 {
                best = (position, rank);
            }
            if best.1.is_none() {
                break;
            }
        }
        let Some((at, atom)) = waiting.remove(best.0) else { break };
        visit(at, atom, &bound);
        bound.bind(atom);
        close_equalities(equalities.iter().copied(), &mut bound);
    }
    bound
}

/// Narrows adornments to the columns that are bound in every use, the alternatives of blocks included;
/// relations of which no column is left are computed whole. Relations of one group are adorned together or
/// not at all.
pub(crate) fn adorn<G: HasLiteral>(
    rules: &[Rule<FlatId, G>],
    groups: &[Vec<usize>],
    sips: &impl Sips,
    mut adornments: Adornments,
    meter: &mut Meter,
) -> Result<Adornments, LimitError> {
    loop {
        let mut used = adornments.clone();
        for rule in rules {
            let length = rule.body.len() as u64;
            meter.spend(1 + length + length * length / 256)?;
            let head = rule.head.relation;
            let bound = adornments[head].as_deref().map(|key| key_of(&rule.head, key).variable_set());
            narrow(sips, head, &rule.body, bound.unwrap_or_default(), &adornments, &mut used);
        }
        for members in groups {
            let is_whole = |&member: &usize| used[FlatId::from_index(member)].is_none();
            if members.iter().any(is_whole) {
                members.iter().for_each(|&member| used[FlatId::from_index(member)] = None);
            }
        }
        if used == adornments {
            return Ok(used);
        }
        adornments = used;
    }
}

fn narrow(
    sips: &impl Sips,
    head: FlatId,
    body: &[impl HasLiteral],
    bound: Variables,
    adornments: &Adornments,
    used: &mut Adornments,
) {
    let bound = pass(sips, head, body, adornments, bound, |_, atom, bound| {
        if let Some(columns) = &mut used[atom.relation]
            && met(atom, columns, bound) < columns.len()
        {
            let is_bound = |&column: &u32| bound.binds(&atom.args[column as usize]);
            let kept: Box<[u32]> = columns.iter().copied().filter(is_bound).collect();
            used[atom.relation] = (!kept.is_empty()).then_some(kept);
        }
    });
    for subgoal in body {
        if let Literal::Block { alternatives, .. } = subgoal.literal() {
            alternatives.iter().for_each(|body| narrow(sips, head, body, bound.clone(), adornments, used));
        }
    }
}
