//! Joint moves in many states at once.

use ludex_game::{Answer, Job, State, Successor};
use ludex_logic::Budget;

use super::program::LaneProgram;
use super::states::{LaneStates, and, has, lanes, without};
use crate::kernel::{Block, PhaseKind};

/// Makes each joint move in its state.
pub(super) fn expand<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    jobs: &[Job],
    budget: &Budget,
    out: &mut Vec<Successor>,
) -> Answer<()> {
    out.clear();
    let mut meter = budget.meter();
    meter.check()?;
    let mut joint = Vec::new();
    let mut words = Vec::new();
    for jobs in jobs.chunks(Block::<N>::LANES) {
        meter.spend(2 * program.costs.step + program.costs.assess)?;
        let state_words = jobs.iter().map(|job| program.words(&job.state)).collect::<Answer<Vec<_>>>()?;
        let used = first_lanes(jobs.len());
        states.load(program, used, |lane| state_words[lane]);
        states.run(program, PhaseKind::Decide);
        clear_inputs(program, states);
        for (lane, job) in jobs.iter().enumerate() {
            program.positions_of(&job.joint, &mut joint)?;
            make_moves(program, states, lane, job, &joint)?;
        }
        states.run(program, PhaseKind::Advance);
        states.save(program, jobs.len(), &mut words);
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
    job: &Job,
    joint: &[usize],
) -> Answer<()> {
    for (role, &at) in joint.iter().enumerate() {
        let legal = program.stream.legal[role].get(at);
        if !legal.is_some_and(|&legal| has(&states.output(legal), lane)) {
            return Err(program.not_legal(role, job.joint[role]));
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
    out: &mut Vec<Successor>,
) {
    let stream = &program.stream;
    let first = out.len();
    let terminal = states.output(stream.terminal);
    let length = stream.bases.len().div_ceil(64);
    out.extend(lanes(used).map(|lane| Successor {
        state: State::from_words(&words[lane * length..][..length]),
        terminal: has(&terminal, lane),
        goals: vec![None; stream.goals.len()],
        legal: vec![Vec::new(); stream.legal.len()],
    }));
    let found = &mut out[first..];
    states.goals(program, used, |lane, role, goal| found[lane].goals[role] = Some(goal));
    let going_on = without(used, terminal);
    for (role, (legal, actions)) in stream.legal.iter().zip(&program.actions).enumerate() {
        for (&output, &action) in legal.iter().zip(actions) {
            for lane in lanes(and(going_on, states.output(output))) {
                found[lane].legal[role].push(action);
            }
        }
    }
}
