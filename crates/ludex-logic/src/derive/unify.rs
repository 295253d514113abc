//! Most general unifiers (book 13.2) over shared structure.
//!
//! A copy of a clause is a range of variables: terms are the clause's own patterns seen through
//! the number of the range's first variable, so nothing is copied. There is an occurs check and
//! no recursion; ground terms are compared by id.

use crate::budget::{LimitError, Meter};
use crate::ids::{Id, SymbolId, TermId, VariableId};
use crate::program::{Formula, Pattern};
use crate::terms::{TEXT_LIMIT, TermView, Terms};

/// A term of one copy of a clause.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term<'a> {
    Ground(TermId),
    Variable(usize),
    /// Functor, arguments and the number of the first variable of the copy.
    Compound(SymbolId, &'a [Pattern], usize),
}

impl<'a> Term<'a> {
    pub fn new(pattern: &'a Pattern, base: usize) -> Self {
        match pattern {
            Pattern::Ground(term) => Term::Ground(*term),
            Pattern::Variable(v) => Term::Variable(base + v.index()),
            Pattern::Compound(functor, args) => Term::Compound(*functor, args, base),
        }
    }
}

/// The values of variables, with a trail to undo them.
#[derive(Default)]
pub(crate) struct Bindings<'a> {
    /// The number of the first variable.
    first: usize,
    values: Vec<Option<Term<'a>>>,
    trail: Vec<usize>,
}

impl<'a> Bindings<'a> {
    /// Of variables that are numbered from `first` on.
    pub fn starting_at(first: usize) -> Self {
        Self { first, ..Self::default() }
    }

    /// Makes room for new variables and returns the number of the first.
    pub fn allocate(&mut self, count: usize) -> usize {
        let base = self.values.len();
        self.values.resize(base + count, None);
        self.first + base
    }

    /// A moment to come back to with [`Bindings::undo`].
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// The variables that got a value since the mark, in order.
    pub fn since(&self, mark: usize) -> &[usize] {
        &self.trail[mark..]
    }

    /// Takes back all values given since the mark.
    pub fn undo(&mut self, mark: usize) {
        for variable in self.trail.drain(mark..) {
            self.values[variable - self.first] = None;
        }
    }

    /// The value of a term, one level deep.
    pub fn walk(&self, mut term: Term<'a>) -> Term<'a> {
        while let Term::Variable(v) = term
            && let Some(value) = self.values[v - self.first]
        {
            term = value;
        }
        term
    }

    /// Makes two terms equal if that is possible; of two variables the younger gets the value.
    /// After a failure the caller undoes what was bound on the way.
    pub fn unify(
        &mut self,
        terms: &Terms,
        left: Term<'a>,
        right: Term<'a>,
        meter: &mut Meter,
    ) -> Result<bool, LimitError> {
        let mut pairs = vec![(left, right)];
        while let Some((left, right)) = pairs.pop() {
            meter.spend(1)?;
            match (self.walk(left), self.walk(right)) {
                (Term::Variable(x), Term::Variable(y)) => {
                    if x != y {
                        self.bind(x.max(y), Term::Variable(x.min(y)));
                    }
                }
                (Term::Variable(x), term) | (term, Term::Variable(x)) => {
                    if self.has_variable(term, |v| v == x, meter)? {
                        return Ok(false);
                    }
                    self.bind(x, term);
                }
                (Term::Ground(x), Term::Ground(y)) => {
                    if x != y {
                        return Ok(false);
                    }
                }
                (Term::Compound(f, x, b), Term::Compound(g, y, c)) => {
                    if f != g || x.len() != y.len() {
                        return Ok(false);
                    }
                    let args = x.iter().zip(y).rev();
                    pairs.extend(args.map(|(x, y)| (Term::new(x, b), Term::new(y, c))));
                }
                (Term::Ground(x), Term::Compound(g, y, c)) | (Term::Compound(g, y, c), Term::Ground(x)) => {
                    match terms.view(x) {
                        TermView::Compound(f, x) if f == g && x.len() == y.len() => {
                            let args = x.iter().zip(y).rev();
                            pairs.extend(args.map(|(x, y)| (Term::Ground(*x), Term::new(y, c))));
                        }
                        _ => return Ok(false),
                    }
                }
            }
        }
        Ok(true)
    }

    fn bind(&mut self, variable: usize, term: Term<'a>) {
        self.values[variable - self.first] = Some(term);
        self.trail.push(variable);
    }

    /// Whether a variable without a value is among those that are looked for.
    fn has_variable(
        &self,
        term: Term<'a>,
        is_wanted: impl Fn(usize) -> bool,
        meter: &mut Meter,
    ) -> Result<bool, LimitError> {
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            match self.walk(term) {
                Term::Variable(v) if is_wanted(v) => return Ok(true),
                Term::Compound(_, args, base) => {
                    meter.spend(1)?;
                    stack.extend(args.iter().map(|a| Term::new(a, base)));
                }
                Term::Variable(_) | Term::Ground(_) => {}
            }
        }
        Ok(false)
    }

    /// Whether all variables of a term have values.
    pub fn is_ground(&self, term: Term<'a>, meter: &mut Meter) -> Result<bool, LimitError> {
        Ok(!self.has_variable(term, |_| true, meter)?)
    }

    /// The term with all values put in; variables are numbered over all copies.
    pub fn resolve(&self, terms: &Terms, term: Term<'a>, meter: &mut Meter) -> Result<Pattern, LimitError> {
        enum Job<'a> {
            Read(Term<'a>),
            Make(SymbolId, usize),
        }
        let mut jobs = vec![Job::Read(term)];
        let mut done: Vec<Pattern> = Vec::new();
        let mut parts = 0u64;
        while let Some(job) = jobs.pop() {
            meter.spend(1)?;
            // With variables in it a term shares nothing: it is as large as it is long.
            parts += 1;
            if parts > TEXT_LIMIT / 16 {
                let (bytes, limit) = (parts.saturating_mul(16), TEXT_LIMIT);
                return Err(LimitError::Text { what: "a term with variables", bytes, limit });
            }
            match job {
                Job::Read(term) => match self.walk(term) {
                    Term::Ground(term) => done.push(Pattern::Ground(term)),
                    Term::Variable(v) => done.push(Pattern::Variable(VariableId::from_index(v))),
                    Term::Compound(functor, args, base) => {
                        jobs.push(Job::Make(functor, args.len()));
                        jobs.extend(args.iter().rev().map(|a| Job::Read(Term::new(a, base))));
                    }
                },
                Job::Make(functor, count) => {
                    let args = done.split_off(done.len() - count);
                    done.push(match args.iter().map(Pattern::ground).collect::<Option<Vec<_>>>() {
                        Some(args) => {
                            Pattern::Ground(terms.try_compound(functor, &args, meter.budget().memory())?)
                        }
                        None => Pattern::Compound(functor, args.into()),
                    });
                }
            }
        }
        // The first job always leaves exactly one pattern behind.
        Ok(done.pop().unwrap_or(Pattern::Compound(SymbolId::from_index(0), Box::default())))
    }

    /// A formula with all values put in. The formula's nesting is bounded by the caller.
    pub fn resolve_formula(
        &self,
        terms: &Terms,
        formula: &Formula,
        base: usize,
        meter: &mut Meter,
    ) -> Result<Formula, LimitError> {
        formula.map(&mut |term| self.resolve(terms, Term::new(term, base), meter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::clause_text::program;

    /// Unifies the heads of the two clauses of a program; the second is the clause.
    fn unify(text: &str) -> Option<Vec<(usize, Pattern)>> {
        let p = program(text);
        let heads: Vec<_> = p.clauses.iter().map(|c| (&c.head, c.variables.len())).collect();
        let mut bindings = Bindings::default();
        let mut meter = Budget::unlimited().meter();
        let bases = [bindings.allocate(heads[0].1), bindings.allocate(heads[1].1)];
        for (x, y) in heads[0].0.args.iter().zip(&heads[1].0.args) {
            let (x, y) = (Term::new(x, bases[0]), Term::new(y, bases[1]));
            if !bindings.unify(&p.terms, x, y, &mut meter).unwrap() {
                return None;
            }
        }
        let bound = bindings.since(0).to_vec();
        let value = |v: usize| bindings.resolve(&p.terms, Term::Variable(v), &mut meter.clone()).unwrap();
        Some(bound.into_iter().map(|v| (v, value(v))).collect())
    }

    #[test]
    fn the_book_s_most_general_unifier() {
        // Variables: L is 0 in the query; P, X, N are 1, 2, 3 in the clause.
        let unifier = unify("legal(white,L) legal(P,reduce(X,N))").unwrap();
        assert_eq!(unifier[0].0, 1);
        assert_eq!(unifier[1].0, 0);
        let Pattern::Compound(_, args) = &unifier[1].1 else { panic!() };
        assert_eq!(**args, [2, 3].map(|v| Pattern::Variable(VariableId::from_index(v))));
    }

    #[test]
    fn failures_and_the_occurs_check() {
        assert!(unify("p(a) p(b)").is_none());
        assert!(unify("p(f(X)) p(f(X,Y))").is_none());
        assert!(unify("p(a) p(f(X))").is_none());
        assert!(unify("p(X,X) p(Y,f(Y))").is_none());
        assert!(unify("p(X,f(X)) p(f(Y),Y)").is_none());
        assert!(unify("p(f(a,b)) p(f(X,X))").is_none());
        assert_eq!(unify("p(X,X) p(Y,Y)").unwrap().len(), 1);
        assert_eq!(unify("p(f(a,X)) p(f(Y,g(Y)))").unwrap().len(), 2);
    }

    #[test]
    fn terms_that_double_at_every_step_cost_work_and_not_the_stack() {
        let args = |c: char| (0..60).map(|i| format!("{c}{i}")).collect::<Vec<_>>();
        let x = args('X');
        let doubled: Vec<_> = (1..60).map(|i| format!("f(X{0},X{0})", i - 1)).collect();
        let p = program(&format!("p({}) p({},Z)", x[1..].join(","), doubled.join(",")));
        let heads: Vec<_> = p.clauses.iter().map(|c| (&c.head, c.variables.len())).collect();
        let mut bindings = Bindings::default();
        let mut meter = Budget::unlimited().with_work(100_000).meter();
        let bases = [bindings.allocate(heads[0].1), bindings.allocate(heads[1].1)];
        let mut last = None;
        for (x, y) in heads[0].0.args.iter().zip(&heads[1].0.args) {
            let term = Term::new(x, bases[0]);
            bindings.unify(&p.terms, term, Term::new(y, bases[1]), &mut meter).unwrap();
            last = Some(term);
        }
        assert!(bindings.is_ground(last.unwrap(), &mut meter).is_ok_and(|g| !g));
        // Linked to one chain, the last term has 2^59 leaves: writing it out must hit the limit.
        for i in 0..58 {
            let (older, newer) = (Term::Variable(bases[0] + i), Term::Variable(bases[1] + 1 + i));
            let _ = bindings.unify(&p.terms, older, newer, &mut meter);
        }
        assert!(bindings.resolve(&p.terms, last.unwrap(), &mut meter).is_err());
    }
}
