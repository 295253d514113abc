//! What the heads of clauses have in common.

use ludex_logic::{Id, Pattern, SymbolId, TermId, TermView, Terms, VariableId};

use crate::check::instance::may_be_equal;

/// So many comparisons of terms are made to find which heads have common instances; then all are taken to have some.
const COMPARISONS: usize = 20_000_000;

/// Arguments of a relation with holes in them. A hole is a variable that stands nowhere else; holes are numbered from 0,
/// from left to right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub args: Box<[Pattern]>,
    pub holes: usize,
}

impl Shape {
    /// The shape of arguments, with a hole wherever a variable stands.
    pub fn of(args: &[Pattern]) -> Self {
        let mut holes = 0;
        let args = args.iter().map(|arg| with_holes(arg, &mut holes)).collect();
        Self { args, holes }
    }

    /// Arguments without variables.
    pub fn ground(args: &[TermId]) -> Self {
        Self { args: args.iter().map(|&arg| Pattern::Ground(arg)).collect(), holes: 0 }
    }

    /// Whether everything is an instance of it.
    pub fn is_general(&self) -> bool {
        self.args.iter().all(|arg| matches!(arg, Pattern::Variable(_)))
    }

    /// Whether all instances of some arguments are instances of it.
    pub fn covers(&self, terms: &Terms, args: &[Pattern]) -> bool {
        self.join(terms, &Self::of(args)) == *self
    }

    /// The least general shape of all instances of two.
    fn join(&self, terms: &Terms, other: &Shape) -> Shape {
        let pairs = self.args.iter().zip(&other.args);
        let args: Vec<Pattern> = pairs.map(|(one, other)| join(terms, one, other)).collect();
        Self::of(&args)
    }
}

fn with_holes(pattern: &Pattern, holes: &mut usize) -> Pattern {
    match pattern {
        Pattern::Ground(_) => pattern.clone(),
        Pattern::Variable(_) => {
            *holes += 1;
            hole(*holes - 1)
        }
        Pattern::Compound(functor, args) => {
            Pattern::Compound(*functor, args.iter().map(|arg| with_holes(arg, holes)).collect())
        }
    }
}

fn hole(number: usize) -> Pattern {
    Pattern::Variable(VariableId::from_index(number))
}

/// What two terms have in common, with the same hole wherever they differ.
fn join(terms: &Terms, one: &Pattern, other: &Pattern) -> Pattern {
    match (one, other) {
        (Pattern::Ground(term), Pattern::Ground(other)) if term == other => one.clone(),
        (Pattern::Compound(functor, args), Pattern::Compound(own, others))
            if functor == own && args.len() == others.len() =>
        {
            let pairs = args.iter().zip(others);
            Pattern::Compound(*functor, pairs.map(|(one, other)| join(terms, one, other)).collect())
        }
        (Pattern::Ground(term), Pattern::Compound(functor, args))
        | (Pattern::Compound(functor, args), Pattern::Ground(term)) => match terms.view(*term) {
            TermView::Compound(own, parts) if own == *functor && parts.len() == args.len() => {
                let pairs = args.iter().zip(parts);
                let joined = pairs.map(|(arg, &part)| join(terms, arg, &Pattern::Ground(part)));
                Pattern::Compound(own, joined.collect())
            }
            _ => hole(0),
        },
        _ => hole(0),
    }
}

/// Heads that have common instances, directly or through others.
pub(super) struct Group {
    pub shape: Shape,
    /// The numbers of the heads, ascending.
    pub heads: Vec<usize>,
}

/// Sorts heads of one relation by whether they have common instances; no two groups have any.
pub(super) fn groups<'p>(terms: &Terms, heads: impl IntoIterator<Item = &'p [Pattern]>) -> Vec<Group> {
    let mut left = COMPARISONS;
    let mut groups: Vec<Group> = Vec::new();
    for (number, head) in heads.into_iter().enumerate() {
        let mut new = Group { shape: Shape::of(head), heads: vec![number] };
        // What is joined is more general, so that more may have to be joined.
        while let Some(at) =
            groups.iter().position(|group| may_be_equal(terms, &group.shape.args, &new.shape.args, &mut left))
        {
            let old = groups.remove(at);
            new.shape = old.shape.join(terms, &new.shape);
            new.heads.extend(old.heads);
        }
        groups.push(new);
    }
    groups.iter_mut().for_each(|group| group.heads.sort_unstable());
    groups.sort_by_key(|group| group.heads[0]);
    groups
}

/// What makes an instance of a shape an instance of other arguments: pairs of terms that have to be the same, one of the
/// shape and one of the others; none where nothing makes it one.
pub(super) fn differences<'a>(
    terms: &Terms,
    shape: &'a [Pattern],
    others: &'a [Pattern],
) -> Option<Vec<(Part<'a>, Part<'a>)>> {
    let mut pairs = Vec::new();
    let mut all = shape.iter().zip(others);
    all.all(|(one, other)| different(terms, Part::Of(one), Part::Of(other), &mut pairs)).then_some(pairs)
}

/// A term, perhaps one inside a term without variables.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    Of(&'a Pattern),
    Inside(TermId),
}

impl Part<'_> {
    pub fn pattern(self) -> Pattern {
        match self {
            Self::Of(pattern) => pattern.clone(),
            Self::Inside(term) => Pattern::Ground(term),
        }
    }

    /// The variable that it is.
    pub fn variable(self) -> Option<VariableId> {
        if let Self::Of(Pattern::Variable(variable)) = self { Some(*variable) } else { None }
    }

    fn ground(self) -> Option<TermId> {
        match self {
            Self::Of(pattern) => pattern.ground(),
            Self::Inside(term) => Some(term),
        }
    }
}

fn different<'a>(
    terms: &Terms,
    one: Part<'a>,
    other: Part<'a>,
    pairs: &mut Vec<(Part<'a>, Part<'a>)>,
) -> bool {
    if let (Some(one), Some(other)) = (one.ground(), other.ground()) {
        return one == other;
    }
    let (Some((functor, parts)), Some((own, others))) = (parts(terms, one), parts(terms, other)) else {
        pairs.push((one, other));
        return true;
    };
    functor == own
        && parts.len() == others.len()
        && parts.into_iter().zip(others).all(|(one, other)| different(terms, one, other, pairs))
}

/// The functor and the arguments; none for a variable.
fn parts<'a>(terms: &Terms, part: Part<'a>) -> Option<(SymbolId, Vec<Part<'a>>)> {
    let ground = match part {
        Part::Of(Pattern::Variable(_)) => return None,
        Part::Of(Pattern::Compound(functor, args)) => {
            return Some((*functor, args.iter().map(Part::Of).collect()));
        }
        Part::Of(Pattern::Ground(term)) => *term,
        Part::Inside(term) => term,
    };
    Some(match terms.view(ground) {
        TermView::Constant(name) => (name, Vec::new()),
        TermView::Compound(functor, args) => (functor, args.iter().map(|&arg| Part::Inside(arg)).collect()),
    })
}
