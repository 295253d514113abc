//! Random steps that fit what a role was told, in all lanes at once: lanes that saw something else are dropped.

use ludex_game::{Answer, Observation, Start, Survivors};
use ludex_logic::Budget;

use super::choose::ChooseUniform;
use super::expand::{clear_inputs, first_lanes};
use super::program::LaneProgram;
use super::random::LaneRandom;
use super::role_moves::RoleMoves;
use super::states::{LaneStates, and, lanes, without};
use super::vector::dispatch;
use crate::kernel::{Block, PhaseKind};

/// Makes the steps, and keeps the states of lanes that fit.
pub(super) fn follow<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    (from, observed, seed): (&[Start], &Observation<'_>, u64),
    budget: &Budget,
    out: &mut Survivors,
) -> Answer<()> {
    out.clear(program.signature.tag());
    let mut meter = budget.meter();
    meter.check()?;
    let words = from.iter().map(|start| program.words(&start.state)).collect::<Answer<Vec<_>>>()?;
    // A move that the role never has fits nowhere.
    let Ok(own) = program.position(observed.role, observed.action) else { return Ok(()) };
    let mut roles = program.roles.clone();
    let role = observed.role.index();
    let legal = program.stream.legal[role][own];
    roles[role] = RoleMoves::new(&[legal], &[program.stream.inputs[role][own]], program.stream.slots);
    clear_inputs(program, states);
    let mut random = LaneRandom::from_seed(seed);
    let mut queue =
        from.iter().enumerate().flat_map(|(at, start)| std::iter::repeat_n(at, start.playouts as usize));
    let (mut start_of, mut saved) = (Vec::with_capacity(Block::<N>::LANES), Vec::new());
    loop {
        start_of.clear();
        start_of.extend(queue.by_ref().take(Block::<N>::LANES));
        let (Some(&first), Some(&last)) = (start_of.first(), start_of.last()) else { return Ok(()) };
        meter.spend(program.costs.step)?;
        let mut active = first_lanes(start_of.len());
        if first == last {
            states.load_same(program, active, words[first]);
        } else {
            states.load(program, active, |lane| words[start_of[lane]]);
        }
        states.run(program, PhaseKind::Decide);
        active = without(active, states.output(program.stream.terminal));
        let mut stuck = Vec::new();
        let LaneStates { slots, choice, .. } = &mut *states;
        let choose = ChooseUniform {
            roles: &roles,
            first: 0,
            slots,
            active: &mut active,
            random: &mut random,
            scratch: choice,
            stuck: &mut stuck,
        };
        dispatch::<N, _>(program.set, choose);
        states.run(program, PhaseKind::Advance);
        let fitting = fitting(program, states, observed, active);
        if fitting != Block::ZERO {
            states.save(program, start_of.len(), &mut saved);
            let length = program.stream.bases.len().div_ceil(64);
            for lane in lanes(fitting) {
                out.add(&saved[lane * length..][..length], start_of[lane] as u32);
            }
        }
    }
}

/// Those of the lanes in which the role has seen just what it saw, after advancing.
fn fitting<const N: usize>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    observed: &Observation<'_>,
    mut lanes: Block<N>,
) -> Block<N> {
    let known = &program.stream.percepts[observed.role.index()];
    if observed.percepts.iter().any(|seen| !known.iter().any(|(percept, _)| percept == seen)) {
        return Block::ZERO;
    }
    for (percept, output) in known {
        let seen = states.output(*output);
        lanes = if observed.percepts.contains(percept) { and(lanes, seen) } else { without(lanes, seen) };
    }
    lanes
}
