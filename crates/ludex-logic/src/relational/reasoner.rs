//! Questions about what sentences entail, to a solver.

use super::formulas::Node;
use super::{Edge, Grounding, Root};
use crate::budget::{LimitError, Meter};
use crate::ids::{AtomId, Id};
use crate::sat::{Literal, Solver, Verdict};

/// What follows from premises about a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It is true in all models.
    Entailed,
    /// It is false in all models.
    Refuted,
    /// It is true in some models and false in others.
    Unknown,
    /// There is no model: the premises contradict each other.
    Contradictory,
}

impl Answer {
    /// The value, where there is one.
    pub fn value(self) -> Option<bool> {
        match self {
            Self::Entailed => Some(true),
            Self::Refuted => Some(false),
            Self::Unknown | Self::Contradictory => None,
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Entailed => "entailed",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
            Self::Contradictory => "contradictory",
        })
    }
}

crate::define_id!(
    /// Something that a [`Reasoner`] takes for granted: a sentence, with the same number, or what was added.
    pub PremiseId
);

crate::define_id!(
    /// A moment at which all sentences hold ([`Reasoner::add_moment`]).
    pub Moment
);

/// Sentences in a solver, at one moment or at several.
///
/// The sentences hold at every moment. The atoms that are *fixed* have one value for all moments; the others have
/// values of their own at each.
#[derive(Debug)]
pub struct Reasoner {
    solver: Solver,
    /// For each node of the formulas, whether it is the same at all moments.
    fixed: Vec<bool>,
    fixed_literals: Vec<Option<Literal>>,
    moments: Vec<Vec<Option<Literal>>>,
    /// None where all are granted for good.
    premises: Vec<Literal>,
    grants_all: bool,
}

impl Reasoner {
    /// The sentences of a grounding at no moment yet; `is_fixed` says which atoms do not change. Each sentence is a premise that a
    /// contradiction may rely on or not.
    pub fn new(
        grounding: &Grounding,
        sentences: usize,
        is_fixed: impl Fn(AtomId) -> bool,
        meter: Meter,
    ) -> Self {
        let mut reasoner = Self { grants_all: false, ..Self::granting_all(grounding, is_fixed, meter) };
        reasoner.premises.extend((0..sentences).map(|_| reasoner.solver.variable()));
        reasoner
    }

    /// As [`Reasoner::new`], but nobody asks for reasons: all premises are granted for good. What follows from them by itself is then
    /// found once, and not again for each question.
    pub fn granting_all(grounding: &Grounding, is_fixed: impl Fn(AtomId) -> bool, meter: Meter) -> Self {
        let fixed = grounding.formulas.only_of(is_fixed);
        Self {
            solver: Solver::new(meter),
            fixed_literals: vec![None; fixed.len()],
            fixed,
            moments: Vec::new(),
            premises: Vec::new(),
            grants_all: true,
        }
    }

    /// The solver, to demand more of it.
    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// The literal of one more premise, which means nothing by itself: clauses may be demanded where it is true. The premise has the
    /// number after that of the last one.
    pub fn add_premise(&mut self) -> Literal {
        if self.grants_all {
            return self.solver.truth();
        }
        let literal = self.solver.variable();
        self.premises.push(literal);
        literal
    }

    /// The literals that grant all premises; none where they are granted for good.
    pub fn premises(&self) -> &[Literal] {
        &self.premises
    }

    /// One more moment, at which all sentences hold.
    ///
    /// # Errors
    /// A limit.
    pub fn add_moment(&mut self, grounding: &Grounding) -> Result<Moment, LimitError> {
        self.moments.push(vec![None; self.fixed.len()]);
        let moment = Moment::from_index(self.moments.len() - 1);
        for root in &grounding.roots {
            self.demand(grounding, moment, *root)?;
        }
        Ok(moment)
    }

    fn demand(&mut self, grounding: &Grounding, moment: Moment, root: Root) -> Result<(), LimitError> {
        let Root { sentence, edge, .. } = root;
        if moment.index() > 0 && self.fixed[edge.node()] {
            return Ok(());
        }
        let granted = self.premises.get(sentence.index()).copied().unwrap_or(self.solver.truth());
        if let (Node::And(parts), true) = (grounding.formulas.node(edge), edge.is_negated()) {
            // A disjunction is a clause.
            let mut clause = vec![!granted];
            for &part in parts {
                clause.push(!self.literal(grounding, moment, part)?);
            }
            return self.solver.clause(clause);
        }
        let literal = self.literal(grounding, moment, edge)?;
        self.solver.clause([!granted, literal])
    }

    /// The literal that is true exactly where a formula is, at a moment.
    ///
    /// # Errors
    /// A limit.
    pub fn literal(
        &mut self,
        grounding: &Grounding,
        moment: Moment,
        edge: Edge,
    ) -> Result<Literal, LimitError> {
        let mut open = vec![edge.node()];
        // Parts have smaller numbers, so this ends.
        while let Some(&number) = open.last() {
            if self.known(moment, number).is_some() {
                open.pop();
                continue;
            }
            let node = &grounding.formulas.nodes()[number];
            let missing = |edge: &&Edge| self.known(moment, edge.node()).is_none();
            let before = open.len();
            match node {
                Node::And(parts) => open.extend(parts.iter().filter(missing).map(|part| part.node())),
                Node::Iff(one, other) => {
                    open.extend([one, other].into_iter().filter(missing).map(|part| part.node()));
                }
                Node::True | Node::Atom(_) => {}
            }
            if open.len() == before {
                let literal = self.encode(moment, node)?;
                let memo = if self.fixed[number] {
                    &mut self.fixed_literals
                } else {
                    &mut self.moments[moment.index()]
                };
                memo[number] = Some(literal);
                open.pop();
            }
        }
        Ok(self.of_edge(moment, edge))
    }

    fn known(&self, moment: Moment, number: usize) -> Option<Literal> {
        if self.fixed[number] { self.fixed_literals[number] } else { self.moments[moment.index()][number] }
    }

    /// The literal of a formula whose node is known.
    fn of_edge(&self, moment: Moment, edge: Edge) -> Literal {
        let literal = self.known(moment, edge.node()).unwrap_or(self.solver.truth());
        if edge.is_negated() { !literal } else { literal }
    }

    fn encode(&mut self, moment: Moment, node: &Node) -> Result<Literal, LimitError> {
        match node {
            Node::True => Ok(self.solver.truth()),
            Node::Atom(_) => Ok(self.solver.variable()),
            Node::And(parts) => {
                let parts: Vec<Literal> = parts.iter().map(|&part| self.of_edge(moment, part)).collect();
                self.solver.conjunction(&parts)
            }
            Node::Iff(one, other) => {
                let (one, other) = (self.of_edge(moment, *one), self.of_edge(moment, *other));
                let both = self.solver.variable();
                self.solver.equal_if(both, one, other)?;
                self.solver.equal_if(!both, one, !other)?;
                Ok(both)
            }
        }
    }

    /// Whether there is a model with all premises and assumptions; [`Solver::value`] reads it.
    ///
    /// # Errors
    /// A limit.
    pub fn is_possible(&mut self, assumptions: &[Literal]) -> Result<bool, LimitError> {
        let mut all = self.premises.clone();
        all.extend_from_slice(assumptions);
        Ok(self.solver.solve(&all, u64::MAX)? == Verdict::Satisfiable)
    }

    /// What the premises say of something, under assumptions.
    ///
    /// # Errors
    /// A limit.
    pub fn answer(&mut self, of: Literal, assumptions: &[Literal]) -> Result<Answer, LimitError> {
        let mut with = assumptions.to_vec();
        with.push(of);
        let can_be_true = self.is_possible(&with)?;
        *with.last_mut().unwrap_or(&mut { of }) = !of;
        let can_be_false = self.is_possible(&with)?;
        Ok(match (can_be_true, can_be_false) {
            (true, false) => Answer::Entailed,
            (false, true) => Answer::Refuted,
            (true, true) => Answer::Unknown,
            (false, false) => Answer::Contradictory,
        })
    }

    /// Premises that have no model together under assumptions, none of which can be left out; `None` where there is
    /// a model with all. Premises that were granted for good are not among them.
    ///
    /// # Errors
    /// A limit.
    pub fn contradiction(&mut self, assumptions: &[Literal]) -> Result<Option<Vec<PremiseId>>, LimitError> {
        let all: Vec<usize> = (0..self.premises.len()).collect();
        let Some(mut needed) = self.core(&all, assumptions)? else { return Ok(None) };
        let mut at = 0;
        while at < needed.len() {
            let mut fewer = needed.clone();
            fewer.remove(at);
            match self.core(&fewer, assumptions)? {
                // What the answer does not rely on can go, too. Those that were found necessary stay in any core.
                Some(core) => needed = core,
                None => at += 1,
            }
        }
        Ok(Some(needed.into_iter().map(PremiseId::from_index).collect()))
    }

    /// Those of some premises that a contradiction relies on.
    fn core(&mut self, of: &[usize], assumptions: &[Literal]) -> Result<Option<Vec<usize>>, LimitError> {
        let mut all: Vec<Literal> = of.iter().map(|&premise| self.premises[premise]).collect();
        all.extend_from_slice(assumptions);
        if self.solver.solve(&all, u64::MAX)? == Verdict::Satisfiable {
            return Ok(None);
        }
        let relied = of.iter().copied().filter(|&premise| self.solver.is_in_core(self.premises[premise]));
        Ok(Some(relied.collect()))
    }

    /// Calls `visit` for every combination of values that some literals can have together, at most `most` times;
    /// whether those were all.
    ///
    /// # Errors
    /// A limit.
    pub fn combinations(
        &mut self,
        of: &[Literal],
        assumptions: &[Literal],
        most: usize,
        mut visit: impl FnMut(&[bool]),
    ) -> Result<bool, LimitError> {
        // Forbids what was found, for as long as this question lasts.
        let during = self.solver.variable();
        let mut with = assumptions.to_vec();
        with.push(during);
        let mut found = 0;
        let mut values = Vec::with_capacity(of.len());
        let complete = loop {
            if !self.is_possible(&with)? {
                break true;
            }
            if found == most {
                break false;
            }
            found += 1;
            values.clear();
            values.extend(of.iter().map(|&literal| self.solver.value(literal)));
            visit(&values);
            let other =
                of.iter().zip(&values).map(|(&literal, &value)| if value { !literal } else { literal });
            let clause: Vec<Literal> = [!during].into_iter().chain(other).collect();
            self.solver.clause(clause)?;
        };
        self.solver.clause([!during])?;
        Ok(complete)
    }
}
