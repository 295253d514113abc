//! All states of a small open game for two roles, with what each joint move leads to.

use ludex_game::{
    Batch, BatchOptions, Expansion, Goal, Jobs, Machine, MachineTag, RoleId, State, StateTable, Wanted,
};
use ludex_logic::{Budget, Meter};

use super::state_solution::{SolutionLimits, Unsolved};

/// So many states are looked at together.
const TOGETHER: usize = 512;
/// So many joint moves are made together, about.
const JOBS: usize = 1 << 14;
/// What a question to a machine counts as, in steps of inference.
const QUESTION_COST: u64 = 64;

/// A state: how many moves each role has, and where the states after the joint moves are noted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stage {
    /// How many legal moves the first and the second role have; none at the end of the game.
    pub counts: [u32; 2],
    /// Where its successors begin: those of the first move of the first role, those of its second...
    pub successors: usize,
    /// At an end of the game, the goal of the first role.
    pub goal: Goal,
}

/// The states, numbered in the order in which they were met.
pub(super) struct StageGraph {
    pub stages: StateTable<Stage>,
    pub successors: Vec<u32>,
    /// What the goals of both roles add up to.
    pub sum: Goal,
}

impl StageGraph {
    /// The states after the joint moves of a state, move by move of the first role.
    pub fn successors(&self, state: u32) -> &[u32] {
        let stage = self.stages.value(state);
        let [first, second] = stage.counts.map(|count| count as usize);
        &self.successors[stage.successors..][..first * second]
    }

    /// The states, each behind all that can come after it; `None` where a state can come again.
    pub fn backwards(&self) -> Option<Vec<u32>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.stages.len()];
        let mut order = Vec::with_capacity(marks.len());
        let mut open = vec![(0u32, 0usize)];
        marks[0] = Mark::Open;
        while let Some((state, next)) = open.last_mut() {
            match self.successors(*state).get(*next) {
                Some(&successor) => {
                    *next += 1;
                    match marks[successor as usize] {
                        Mark::New => {
                            marks[successor as usize] = Mark::Open;
                            open.push((successor, 0));
                        }
                        Mark::Open => return None,
                        Mark::Done => {}
                    }
                }
                None => {
                    marks[*state as usize] = Mark::Done;
                    order.push(*state);
                    open.pop();
                }
            }
        }
        Some(order)
    }
}

/// What the goals of two roles are worth to them.
pub(crate) type Payoffs<'m> = &'m dyn Fn([Goal; 2]) -> [Goal; 2];

/// Finds states, breadth first.
pub(super) struct StageSearch<'m> {
    batch: Box<dyn Batch + 'm>,
    meter: Meter,
    limits: SolutionLimits,
    tag: MachineTag,
    graph: StageGraph,
    /// What ends of the game are worth to the roles.
    payoffs: Payoffs<'m>,
    has_ended: bool,
    jobs: Jobs,
    found: Expansion,
}

impl<'m> StageSearch<'m> {
    /// A search that knows nothing.
    pub fn new(
        machine: &'m dyn Machine,
        payoffs: Payoffs<'m>,
        limits: SolutionLimits,
        budget: &Budget,
    ) -> Self {
        let options = BatchOptions { budget: budget.clone(), ..BatchOptions::default() };
        let batch = machine.batch(&options);
        let limits = if batch.width() > 1 { limits } else { limits.one_by_one() };
        let mut jobs = Jobs::default();
        jobs.want_goals(Wanted::Terminal);
        jobs.want_moves(false);
        Self {
            batch,
            meter: budget.meter(),
            limits,
            tag: machine.signature().tag(),
            graph: StageGraph { stages: StateTable::default(), successors: Vec::new(), sum: 0 },
            payoffs,
            has_ended: false,
            jobs,
            found: Expansion::default(),
        }
    }

    /// All states that can come from one on, which is the first of them.
    pub fn run(mut self, root: &State) -> Result<StageGraph, Unsolved> {
        self.add(root.words())?;
        let mut next = 0;
        while next < self.graph.stages.len() {
            let end = (next + TOGETHER).min(self.graph.stages.len());
            self.expand(next as u32..end as u32)?;
            next = end;
        }
        Ok(self.graph)
    }

    fn add(&mut self, words: &[u64]) -> Result<u32, Unsolved> {
        let too_large = Unsolved::TooLarge { states: self.limits.states };
        let added = self.graph.stages.insert(words, Stage::default());
        let Some((state, _)) = added.filter(|_| self.graph.stages.len() <= self.limits.states) else {
            return Err(too_large);
        };
        Ok(state)
    }

    fn expand(&mut self, states: std::ops::Range<u32>) -> Result<(), Unsolved> {
        let words = states.clone().map(|state| State::new(self.tag, self.graph.stages.words(state)));
        let words: Vec<State> = words.collect();
        self.meter.spend(QUESTION_COST * words.len() as u64)?;
        let mut looked = Expansion::default();
        self.batch.look(&words.iter().collect::<Vec<_>>(), &mut looked)?;
        for (number, state) in states.enumerate() {
            self.graph.stages.value_mut(state).successors = self.graph.successors.len() + self.jobs.len();
            if looked.terminal(number) {
                self.end(state, looked.goals(number))?;
                continue;
            }
            self.add_jobs(state, &looked, number)?;
            if self.jobs.len() >= JOBS {
                self.make()?;
            }
        }
        self.make()
    }

    /// Notes what an end of the game brings.
    fn end(&mut self, state: u32, goals: &[Option<Goal>]) -> Result<(), Unsolved> {
        let &[Some(first), Some(second)] = goals else { return Err(Unsolved::NoGoal) };
        let [first, second] = (self.payoffs)([first, second]);
        let sum = first.saturating_add(second);
        if std::mem::replace(&mut self.has_ended, true) && sum != self.graph.sum {
            return Err(Unsolved::NotConstantSum);
        }
        self.graph.sum = sum;
        self.graph.stages.value_mut(state).goal = first;
        Ok(())
    }

    /// Adds all joint moves of a state to what is to be made.
    fn add_jobs(&mut self, state: u32, looked: &Expansion, number: usize) -> Result<(), Unsolved> {
        let [rows, columns] = [RoleId(0), RoleId(1)].map(|role| looked.legal(number, role));
        let count = rows.len() * columns.len();
        if count == 0 {
            return Err(Unsolved::Stuck);
        }
        if self.graph.successors.len() + self.jobs.len() + count > self.limits.joint_moves {
            return Err(Unsolved::TooLarge { states: self.limits.states });
        }
        self.graph.stages.value_mut(state).counts = [rows.len() as u32, columns.len() as u32];
        let from = self.jobs.add_state(self.graph.stages.words(state));
        for &row in rows {
            columns.iter().for_each(|&column| self.jobs.add(from, &[row, column]));
        }
        Ok(())
    }

    /// Makes the joint moves that wait.
    fn make(&mut self) -> Result<(), Unsolved> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        self.meter.spend(QUESTION_COST * self.jobs.len() as u64)?;
        let mut found = std::mem::take(&mut self.found);
        self.batch.expand(&self.jobs, &mut found)?;
        self.jobs.clear();
        for number in 0..found.len() {
            let successor = self.add(found.state(number))?;
            self.graph.successors.push(successor);
        }
        self.found = found;
        let bytes = self.graph.stages.bytes() + self.graph.successors.capacity() * size_of::<u32>();
        if bytes > self.limits.bytes {
            return Err(Unsolved::TooLarge { states: self.graph.stages.len() });
        }
        Ok(())
    }
}
