//! Joint moves in many states at once.

use ludex_game::{ActionId, Answer, Expansion, Goal, Jobs};
use ludex_logic::Budget;

use super::program::LaneProgram;
use super::states::{LaneStates, and, has, lanes, without};
use crate::kernel::{Block, PhaseKind};

/// Makes each joint move in its state.
pub(super) fn expand<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    jobs: &Jobs,
    budget: &Budget,
    out: &mut Expansion,
) -> Answer<()> {
    let roles = program.stream.goals.len();
    out.clear(roles);
    let expanded = expand_all(program, states, jobs, budget, out);
    if expanded.is_err() {
        out.clear(roles);
    }
    expanded
}

fn expand_all<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    jobs: &Jobs,
    budget: &Budget,
    out: &mut Expansion,
) -> Answer<()> {
    let mut meter = budget.meter();
    meter.check()?;
    let mut joint = Vec::new();
    let mut words = Vec::new();
    for first in (0..jobs.len()).step_by(Block::<N>::LANES) {
        meter.spend(2 * program.costs.step + program.costs.assess)?;
        let count = (jobs.len() - first).min(Block::<N>::LANES);
        for job in first..first + count {
            program.check_words(jobs.state(job))?;
        }
        let used = first_lanes(count);
        states.load(program, used, |lane| jobs.state(first + lane));
        states.run(program, PhaseKind::Decide);
        clear_inputs(program, states);
        for lane in 0..count {
            program.positions_of(jobs.joint(first + lane), &mut joint)?;
            make_moves(program, states, lane, jobs.joint(first + lane), &joint)?;
        }
        states.run(program, PhaseKind::Advance);
        states.save(program, count, &mut words);
        states.run(program, PhaseKind::Decide);
        states.run(program, PhaseKind::Assess);
        collect(program, states, used, &words, out);
    }
    Ok(())
}

/// The first `count` lanes.
fn first_lanes<const N: usize>(count: usize) -> Block<N> {
    Block(std::array::from_fn(|word| match count.saturating_sub(word * 64) {
        0 => 0,
        some if some >= 64 => u64::MAX,
        some => (1 << some) - 1,
    }))
}

/// Makes no move in any lane.
fn clear_inputs<const N: usize>(program: &LaneProgram, states: &mut LaneStates<N>) {
    for slot in program.stream.inputs.iter().flatten().flatten() {
        states.slots[slot.0 as usize] = Block::ZERO;
    }
    states.choice.soil();
}

/// Writes a joint move to the inputs of a lane, if it is legal there.
fn make_moves<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    lane: usize,
    actions: &[ActionId],
    joint: &[usize],
) -> Answer<()> {
    for (role, &at) in joint.iter().enumerate() {
        let legal = program.stream.legal[role].get(at);
        if !legal.is_some_and(|&legal| has(&states.output(legal), lane)) {
            return Err(program.not_legal(role, actions[role]));
        }
        if let Some(slot) = program.stream.inputs[role][at] {
            states.slots[slot.0 as usize].0[lane / 64] |= 1 << (lane % 64);
        }
    }
    Ok(())
}

/// Appends what is known of the states that were led to.
fn collect<const N: usize>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    used: Block<N>,
    words: &[u64],
    out: &mut Expansion,
) {
    let stream = &program.stream;
    let roles = stream.goals.len();
    let terminal = states.output(stream.terminal);
    let length = stream.bases.len().div_ceil(64);
    let mut goals: Vec<Option<Goal>> = vec![None; roles * Block::<N>::LANES];
    states.goals(program, used, |lane, role, goal| goals[lane * roles + role] = Some(goal));
    let mut legal: Vec<Vec<ActionId>> = vec![Vec::new(); roles * Block::<N>::LANES];
    let going_on = without(used, terminal);
    for (role, (outputs, actions)) in stream.legal.iter().zip(&program.actions).enumerate() {
        for (&output, &action) in outputs.iter().zip(actions) {
            for lane in lanes(and(going_on, states.output(output))) {
                legal[lane * roles + role].push(action);
            }
        }
    }
    for lane in lanes(used) {
        out.add_state(&words[lane * length..][..length], has(&terminal, lane));
        for role in 0..roles {
            out.add_goal(goals[lane * roles + role]);
            legal[lane * roles + role].iter().for_each(|&action| out.add_legal(action));
            out.end_legal();
        }
    }
}
