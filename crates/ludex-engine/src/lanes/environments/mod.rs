//! Environments in lanes: a block of lanes is stepped by arrays of actions, and its bits become rows of arrays.
//!
//! Between steps the legal moves of all lanes are decided. A step writes the inputs, advances, decides again, and takes
//! lanes that are over back to the initial state. All of it but writing the actions works on blocks of bits; rows come
//! out by transposing.

mod block;
mod plan;
mod survey;

use std::sync::{Arc, Mutex, PoisonError};

use ludex_game::{
    Actions, EnvironmentArrays, EnvironmentError, EnvironmentLayout, EnvironmentOptions, Environments,
    GameError, State,
};
use ludex_logic::begin_threads;

use super::executor::LaneWidth;
use super::program::LaneProgram;
use super::random::splitmix;
use crate::kernel::Block;
use block::EnvironmentBlock;
use plan::Plan;

/// Fewer environments than this are not worth a thread.
const LEAST_FOR_A_THREAD: usize = 4096;
/// So many parts for each thread, so that all of them are done at about the same time.
const PARTS: usize = 4;

/// Environments of a game that runs in lanes, [`LaneWidth`] of them in a block.
///
/// What comes out depends on the seed and the number of lanes, not on the backend or on how many threads there are.
pub struct LaneEnvironments {
    plan: Arc<Plan>,
    blocks: Blocks,
}

enum Blocks {
    W64(Vec<EnvironmentBlock<1>>),
    W256(Vec<EnvironmentBlock<4>>),
    W512(Vec<EnvironmentBlock<8>>),
}

/// The same for blocks of any width.
macro_rules! with_blocks {
    ($of:expr, $blocks:ident => $result:expr) => {
        match $of {
            Blocks::W64($blocks) => $result,
            Blocks::W256($blocks) => $result,
            Blocks::W512($blocks) => $result,
        }
    };
}

impl LaneEnvironments {
    /// Environments of a program. `None` where something that is observed cannot be computed in lanes.
    ///
    /// # Errors
    /// [`EnvironmentError::NoPlayers`], and a limit on memory.
    pub fn new(
        program: &Arc<LaneProgram>,
        options: EnvironmentOptions,
    ) -> Result<Option<Self>, EnvironmentError> {
        let Some(plan) = Plan::new(program, options)? else { return Ok(None) };
        let seed = plan.options.seed;
        Ok(Some(Self::of_plan(Arc::new(plan), seed)))
    }

    fn of_plan(plan: Arc<Plan>, seed: u64) -> Self {
        let blocks = match plan.program.width() {
            LaneWidth::W64 => Blocks::W64(make_blocks(&plan, seed)),
            LaneWidth::W256 => Blocks::W256(make_blocks(&plan, seed)),
            LaneWidth::W512 => Blocks::W512(make_blocks(&plan, seed)),
        };
        Self { plan, blocks }
    }
}

fn make_blocks<const N: usize>(plan: &Plan, seed: u64) -> Vec<EnvironmentBlock<N>> {
    let mut counter = seed;
    let firsts = (0..plan.layout.count).step_by(Block::<N>::LANES);
    let count = |first: usize| (plan.layout.count - first).min(Block::<N>::LANES);
    firsts.map(|first| EnvironmentBlock::new(plan, count(first), splitmix(&mut counter))).collect()
}

/// Blocks that follow each other: the number of their first environment, and their part of the arrays.
type Part<'a, const N: usize> = (usize, &'a mut [EnvironmentBlock<N>], EnvironmentArrays<'a>);

/// Does this with each block and its part of the arrays, on several threads. The error of the first environment counts.
fn each_block<const N: usize>(
    plan: &Plan,
    blocks: &mut [EnvironmentBlock<N>],
    mut arrays: EnvironmentArrays<'_>,
    work: &(
         impl Fn(usize, &mut EnvironmentBlock<N>, EnvironmentArrays<'_>) -> Result<(), EnvironmentError> + Sync
     ),
) -> Result<(), EnvironmentError> {
    let threads = plan.options.threads.min(plan.layout.count / LEAST_FOR_A_THREAD).max(1);
    let size = if threads == 1 { blocks.len() } else { blocks.len().div_ceil(PARTS * threads) };
    let mut parts = Vec::new();
    let mut first = 0;
    for blocks in blocks.chunks_mut(size.max(1)) {
        let environments = blocks.iter().map(|block| block.count).sum();
        parts.push((first, blocks, arrays.take_first(environments, &plan.layout)));
        first += environments;
    }
    let waiting = Mutex::new(parts.into_iter());
    let errors = Mutex::new(Vec::new());
    let go = || {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((mut first, blocks, mut arrays)): Option<Part<'_, N>> = next else { return };
            for block in blocks {
                let own = arrays.take_first(block.count, &plan.layout);
                if let Err(error) = work(first, block, own) {
                    errors.lock().unwrap_or_else(PoisonError::into_inner).push((first, error));
                }
                first += block.count;
            }
        }
    };
    if threads == 1 {
        go();
    } else {
        std::thread::scope(|scope| {
            begin_threads(scope, (1..threads).map(|_| go));
            go();
        });
    }
    let errors = errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    errors.into_iter().min_by_key(|&(first, _)| first).map_or(Ok(()), |(_, error)| Err(error))
}

impl LaneEnvironments {
    /// Whether all actions can be made.
    fn check(&self, actions: &[i32]) -> Result<(), EnvironmentError> {
        let plan = &*self.plan;
        plan.layout.check_actions(actions)?;
        let rows = plan.layout.rows();
        let lanes = plan.program.width().lanes();
        with_blocks!(&self.blocks, blocks => {
            let mut of_blocks = blocks.iter().zip(actions.chunks(lanes * rows)).enumerate();
            of_blocks.try_for_each(|(at, (block, actions))| block.check(plan, at * lanes, actions))
        })
    }
}

impl Environments for LaneEnvironments {
    fn layout(&self) -> &EnvironmentLayout {
        &self.plan.layout
    }

    fn reset(&mut self, seed: u64, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError> {
        let plan = &*self.plan;
        let mut counter = seed;
        with_blocks!(&mut self.blocks, blocks => {
            blocks.iter_mut().for_each(|block| block.reset(plan, splitmix(&mut counter)));
        });
        self.observe(arrays)
    }

    fn step(&mut self, actions: Actions<'_>, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError> {
        arrays.check(&self.plan.layout)?;
        if let Actions::Given(actions) = actions {
            self.check(actions)?;
        }
        let plan = &*self.plan;
        let rows = plan.layout.rows();
        with_blocks!(&mut self.blocks, blocks => {
            each_block(plan, blocks, arrays, &|first, block, arrays| {
                let given = match actions {
                    Actions::Random => None,
                    Actions::Given(actions) => Some(&actions[first * rows..][..block.count * rows]),
                };
                block.step(plan, first, given, arrays)
            })
        })
    }

    fn observe(&mut self, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError> {
        arrays.check(&self.plan.layout)?;
        let plan = &*self.plan;
        with_blocks!(&mut self.blocks, blocks => {
            each_block(plan, blocks, arrays, &|first, block, arrays| block.observe(plan, first, arrays))
        })
    }

    fn states(&self, environments: &[usize]) -> Vec<State> {
        let plan = &*self.plan;
        let length = plan.program.stream.bases.len().div_ceil(64);
        with_blocks!(&self.blocks, blocks => {
            let saved: Vec<Vec<u64>> = blocks.iter().map(|block| block.save(plan)).collect();
            let lanes = plan.program.width().lanes();
            let words = |&at: &usize| &saved[at / lanes][at % lanes * length..][..length];
            environments.iter().map(|at| State::new(plan.program.signature.tag(), words(at))).collect()
        })
    }

    fn set_states(&mut self, environments: &[usize], states: &[State]) -> Result<(), EnvironmentError> {
        let plan = &*self.plan;
        let words =
            states.iter().map(|state| plan.program.words(state)).collect::<Result<Vec<_>, GameError>>()?;
        let lanes = plan.program.width().lanes();
        let mut contested = Ok(());
        with_blocks!(&mut self.blocks, blocks => {
            for (number, block) in blocks.iter_mut().enumerate() {
                let own = environments.iter().zip(&words).filter(|&(at, _)| at / lanes == number);
                let own: Vec<(usize, &[u64])> = own.map(|(at, &words)| (at % lanes, words)).collect();
                if !own.is_empty() {
                    contested = contested.and(block.set_states(plan, number * lanes, &own));
                }
            }
        });
        contested
    }

    fn select(&self, environments: &[usize], seed: u64) -> Box<dyn Environments> {
        let plan = self.plan.of_others(environments.len());
        let mut selected = Self::of_plan(Arc::new(plan), seed);
        let numbers: Vec<usize> = (0..environments.len()).collect();
        // They are states of this machine; where several have a choice, whoever observes is told.
        let _ = selected.set_states(&numbers, &self.states(environments));
        Box::new(selected)
    }
}
