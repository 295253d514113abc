//! The courses of a game that fit what is known of them.

use ludex_logic::Meter;

use super::unrolling::{Origin, UnrollError, Unrolling};
use crate::{Circuit, Edge};
use ludex_logic::sat::{Literal, Solver, Verdict};

/// What is known of one step, by positions in the circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CircuitStep {
    /// Roles with the move that each made: a position in [`Circuit::moves`].
    pub moves: Vec<(usize, usize)>,
    /// A role with all that it saw: positions in [`Circuit::percepts`].
    pub seen: Option<(usize, Vec<usize>)>,
    /// Whether the moves were only made where they are legal: where not, any other may have been made.
    pub is_doubtful: bool,
}

/// The courses from the initial state on that fit what is known of their steps: moves are legal, and no state but the
/// last one is terminal.
#[derive(Debug)]
pub struct Courses<'c> {
    unrolling: Unrolling<'c>,
    steps: usize,
    /// The bases of the last state, once somebody wants ends to differ.
    end: Vec<Literal>,
}

impl<'c> Courses<'c> {
    /// The course without steps. With a seed, the courses that are found differ by it, and among each other.
    pub fn new(circuit: &'c Circuit, seed: Option<u64>, meter: Meter) -> Self {
        let solver = match seed {
            Some(seed) => Solver::varied(seed, meter),
            None => Solver::new(meter),
        };
        Self { unrolling: Unrolling::over(solver, circuit, Origin::Initial), steps: 0, end: Vec::new() }
    }

    /// Lets all courses go on for a step of which this is known.
    ///
    /// # Errors
    /// [`UnrollError`]; nothing is to be asked then.
    pub fn add_step(&mut self, known: &CircuitStep) -> Result<(), UnrollError> {
        let frame = self.steps;
        let circuit = self.unrolling.circuit();
        if !known.is_doubtful {
            known.moves.iter().for_each(|&(role, number)| self.unrolling.fix_move(frame, role, number));
        }
        self.unrolling.demand_step(frame)?;
        if known.is_doubtful {
            for &(role, number) in &known.moves {
                let legal = self.unrolling.literal(frame, circuit.legal[role][number])?;
                let made = self.unrolling.made(frame, role, number);
                self.unrolling.solver().clause([!legal, made])?;
            }
        }
        if let Some((role, seen)) = &known.seen {
            for (number, &(_, edge)) in circuit.percepts[*role].iter().enumerate() {
                let shown = self.unrolling.literal(frame, edge)?;
                let fits = if seen.contains(&number) { shown } else { !shown };
                self.unrolling.solver().clause([fits])?;
            }
        }
        self.steps += 1;
        self.end.clear();
        Ok(())
    }

    /// The value of an edge in the last state: `legal`, `goals`, `terminal` or `values` of the circuit.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn at_end(&mut self, edge: Edge) -> Result<Literal, UnrollError> {
        self.unrolling.literal(self.steps, edge)
    }

    /// The literal that is always true.
    pub fn truth(&mut self) -> Literal {
        self.unrolling.solver().truth()
    }

    /// Whether there is a course in which one of each of these lists holds, found with at most so many conflicts.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn find(&mut self, demands: &[Vec<Literal>], conflicts: u64) -> Result<Verdict, UnrollError> {
        let mut assumptions = Vec::with_capacity(demands.len());
        for demand in demands {
            if let [only] = demand[..] {
                assumptions.push(only);
                continue;
            }
            let solver = self.unrolling.solver();
            let one_of = solver.variable();
            solver.clause(demand.iter().copied().chain([!one_of]))?;
            assumptions.push(one_of);
        }
        Ok(self.unrolling.solve(&assumptions, conflicts)?)
    }

    /// The joint moves of the course that was found, per role a position in [`Circuit::moves`].
    pub fn joint_moves(&self) -> Vec<Vec<u32>> {
        self.unrolling.joint_moves(self.steps)
    }

    /// Makes ready for [`Courses::exclude_end`], which is asked for before a course is found.
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn watch_ends(&mut self) -> Result<(), UnrollError> {
        if self.end.is_empty() {
            let bases = 0..self.unrolling.circuit().bases.len() as u32;
            let end: Result<_, _> = bases.map(|base| self.unrolling.base(self.steps, base)).collect();
            self.end = end?;
        }
        Ok(())
    }

    /// Leaves out all courses to the state to which the course led that was found last, after
    /// [`Courses::watch_ends`].
    ///
    /// # Errors
    /// [`UnrollError`].
    pub fn exclude_end(&mut self) -> Result<(), UnrollError> {
        let solver = self.unrolling.solver();
        let different: Vec<Literal> =
            self.end.iter().map(|&base| if solver.value(base) { !base } else { base }).collect();
        Ok(solver.clause(different)?)
    }
}
