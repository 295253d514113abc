//! A solver for propositional formulas with clause learning (BatSat, a MiniSat in Rust), under a budget.
//!
//! Whatever Ludex proves by a solver, of games or of sentences, is asked here.

use std::cell::RefCell;
use std::ops::Not;

use crate::budget::{LimitError, Meter};
use batsat::{Callbacks, ClauseKind, Lit, Solver as BatSat, SolverInterface, SolverOpts, Var, lbool};

/// Groups up to this size are encoded by pairs.
const PAIRS: usize = 5;
/// Steps of the budget that one look of the solver at its limits stands for: it looks once for each
/// decision.
const STEPS_PER_LOOK: u64 = 16;
/// Bytes that a literal of a clause costs, with the clause's head and its watchers.
const BYTES_PER_LITERAL: usize = 16;
/// The share of variables that are guessed where models are to differ.
const GUESSED: f64 = 0.05;

/// A variable of one [`Solver`], or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(Lit);

impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// What the solver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a model; [`Solver::value`] reads it.
    Satisfiable,
    /// There is none; [`Solver::is_in_core`] says which assumptions that needs.
    Unsatisfiable,
    /// More conflicts than were allowed.
    TooHard,
}

/// Counts conflicts and looks at the budget.
struct Limiter {
    conflicts: u64,
    allowed: u64,
    meter: RefCell<Meter>,
    stopped: RefCell<Option<LimitError>>,
}

impl Callbacks for Limiter {
    fn on_new_clause(&mut self, _literals: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        if let Err(limit) = self.meter.borrow_mut().spend(STEPS_PER_LOOK) {
            *self.stopped.borrow_mut() = Some(limit);
            return true;
        }
        self.conflicts >= self.allowed
    }
}

/// An incremental solver: clauses can be added between questions, and each question may assume some
/// literals.
pub struct Solver {
    solver: BatSat<Limiter>,
    truth: Literal,
    literals: usize,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver")
            .field("variables", &self.solver.num_vars())
            .field("clauses", &self.solver.num_clauses())
            .finish_non_exhaustive()
    }
}

impl Solver {
    /// A solver without clauses, which spends from `meter`'s budget.
    pub fn new(meter: Meter) -> Self {
        Self::with_options(SolverOpts::default(), meter)
    }

    /// A solver that guesses values at random, and sometimes variables, too: its models differ by the seed, and one
    /// after the other. For samples; proofs take longer so.
    pub fn varied(seed: u64, meter: Meter) -> Self {
        // Its generator (Park and Miller) wants a number from 1 to 2^31 - 2.
        let random_seed = (1 + seed % 2_147_483_646) as f64;
        let options =
            SolverOpts { random_seed, random_var_freq: GUESSED, rnd_pol: true, ..SolverOpts::default() };
        Self::with_options(options, meter)
    }

    fn with_options(options: SolverOpts, meter: Meter) -> Self {
        let limiter = Limiter {
            conflicts: 0,
            allowed: u64::MAX,
            meter: RefCell::new(meter),
            stopped: RefCell::new(None),
        };
        let mut solver = BatSat::new(options, limiter);
        let truth = Literal(Lit::new(solver.new_var_default(), true));
        solver.add_clause_reuse(&mut vec![truth.0]);
        Self { solver, truth, literals: 1 }
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Literal {
        self.truth
    }

    /// The literal of a constant.
    pub fn constant(&self, value: bool) -> Literal {
        if value { self.truth } else { !self.truth }
    }

    /// The constant that a literal is, if it is [`Solver::truth`] or its negation.
    pub fn as_constant(&self, literal: Literal) -> Option<bool> {
        (literal.0.var() == self.truth.0.var()).then_some(literal == self.truth)
    }

    /// A new variable.
    pub fn variable(&mut self) -> Literal {
        Literal(Lit::new(self.solver.new_var_default(), true))
    }

    /// The number of variables.
    pub fn variable_count(&self) -> u64 {
        u64::from(self.solver.num_vars())
    }

    /// The number of literals in all clauses that were added.
    pub fn literal_count(&self) -> usize {
        self.literals
    }

    /// The number of conflicts of all questions so far.
    pub fn conflict_count(&self) -> u64 {
        self.solver.num_conflicts()
    }

    /// What all questions so far took, told by counts: literals of clauses and propagations.
    pub fn work(&self) -> u64 {
        self.literals as u64 + self.solver.num_propagations()
    }

    /// Demands that one of these is true.
    ///
    /// # Errors
    /// When the budget is spent, or clauses take more memory than it has.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = Literal>) -> Result<(), LimitError> {
        let mut clause: Vec<Lit> = literals.into_iter().map(|literal| literal.0).collect();
        self.literals += clause.len();
        let meter = self.solver.cb_mut().meter.get_mut();
        meter.spend(clause.len() as u64)?;
        meter.check_memory(self.literals.saturating_mul(BYTES_PER_LITERAL), || "clauses".to_owned())?;
        self.solver.add_clause_reuse(&mut clause);
        Ok(())
    }

    /// Demands that two literals are equal where `condition` is true.
    ///
    /// # Errors
    /// As [`Solver::clause`].
    pub fn equal_if(&mut self, condition: Literal, one: Literal, other: Literal) -> Result<(), LimitError> {
        self.clause([!condition, !one, other])?;
        self.clause([!condition, one, !other])
    }

    /// Demands that at most one of these is true.
    ///
    /// # Errors
    /// As [`Solver::clause`].
    pub fn at_most_one(&mut self, literals: &[Literal]) -> Result<(), LimitError> {
        self.at_most_one_if(self.truth, literals)
    }

    /// Demands that at most one of these is true where `condition` is: by pairs where they are few, else
    /// by a chain of variables that say whether one of those so far is true (Sinz, 2005).
    ///
    /// # Errors
    /// As [`Solver::clause`].
    pub fn at_most_one_if(&mut self, condition: Literal, literals: &[Literal]) -> Result<(), LimitError> {
        let possible = literals.iter().filter(|&&literal| literal != !self.truth);
        let literals: Vec<Literal> = possible.copied().collect();
        if literals.len() <= PAIRS {
            for (at, &one) in literals.iter().enumerate() {
                for &other in &literals[at + 1..] {
                    self.clause([!condition, !one, !other])?;
                }
            }
            return Ok(());
        }
        let mut some: Option<Literal> = None;
        for literal in literals {
            let more = self.variable();
            self.clause([!literal, more])?;
            if let Some(some) = some {
                self.clause([!some, more])?;
                self.clause([!condition, !some, !literal])?;
            }
            some = Some(more);
        }
        Ok(())
    }

    /// The literal that is true exactly if at least two of these are.
    ///
    /// # Errors
    /// As [`Solver::clause`].
    pub fn two_of(&mut self, literals: &[Literal]) -> Result<Literal, LimitError> {
        let mut none_so_far = self.truth;
        let mut no_pair = Vec::with_capacity(literals.len());
        for &literal in literals {
            no_pair.push(!self.conjunction(&[literal, !none_so_far])?);
            none_so_far = self.conjunction(&[none_so_far, !literal])?;
        }
        Ok(!self.conjunction(&no_pair)?)
    }

    /// The literal that is true exactly if all of these are.
    ///
    /// # Errors
    /// As [`Solver::clause`].
    pub fn conjunction(&mut self, literals: &[Literal]) -> Result<Literal, LimitError> {
        let mut parts: Vec<Literal> = Vec::with_capacity(literals.len());
        for &literal in literals {
            match self.as_constant(literal) {
                Some(true) => {}
                Some(false) => return Ok(!self.truth),
                None => parts.push(literal),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        // A literal and its negation stand side by side once sorted.
        if parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Ok(!self.truth);
        }
        match parts[..] {
            [] => Ok(self.truth),
            [only] => Ok(only),
            _ => {
                let all = self.variable();
                for &part in &parts {
                    self.clause([!all, part])?;
                }
                self.clause(parts.iter().map(|&part| !part).chain([all]))?;
                Ok(all)
            }
        }
    }

    /// Whether all clauses and assumptions can be true together, found with at most so many conflicts.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Verdict, LimitError> {
        let limiter = self.solver.cb_mut();
        limiter.meter.get_mut().check()?;
        (limiter.conflicts, limiter.allowed) = (0, conflicts);
        let assumptions: Vec<Lit> = assumptions.iter().map(|literal| literal.0).collect();
        let answer = self.solver.solve_limited(&assumptions);
        if answer == lbool::TRUE {
            return Ok(Verdict::Satisfiable);
        }
        if answer == lbool::FALSE {
            return Ok(Verdict::Unsatisfiable);
        }
        match self.solver.cb_mut().stopped.get_mut().take() {
            Some(limit) => Err(limit),
            None => Ok(Verdict::TooHard),
        }
    }

    /// The value of a literal in the model that the last question found; a variable that no clause
    /// mentions is false.
    pub fn value(&self, literal: Literal) -> bool {
        let variable: Var = literal.0.var();
        let value = self.solver.value_var(variable) == lbool::TRUE;
        value == literal.0.sign()
    }

    /// Whether the last answer, that there is no model, relies on this assumption.
    pub fn is_in_core(&self, assumption: Literal) -> bool {
        self.solver.unsat_core_contains_var(assumption.0.var())
    }
}
