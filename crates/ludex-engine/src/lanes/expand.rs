//! Joint moves in many states at once.
//!
//! `decide` runs in the states that moves are made in, as `advance` goes on with what it computed; that
//! the moves are legal is then a look at one bit each.

use ludex_game::{Answer, Expansion, GameError, Goal, Jobs, RoleId, State, Wanted};
use ludex_logic::{Budget, Meter};

use super::count_moves::count_moves;
use super::program::LaneProgram;
use super::states::{LaneStates, and, has, without};
use super::transpose::TakeRows;
use super::vector::dispatch;
use crate::kernel::{Block, PhaseKind};
use crate::stream::Output;

/// What expanding keeps between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpandScratch {
    words: Vec<u64>,
    /// Per lane, the legal moves or the percepts of all roles: a bit each, in whole words for each role.
    bits: Vec<u64>,
    /// Per lane and role.
    goals: Vec<Option<Goal>>,
    /// Per lane and role, how many moves it has.
    counts: Vec<usize>,
    /// Words of inputs that are set: slot, and word of the block.
    set: Vec<(u32, u32)>,
}

impl ExpandScratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * (self.words.capacity() + self.bits.capacity() + self.counts.capacity() + self.set.capacity())
            + self.goals.capacity() * size_of::<Option<Goal>>()
    }
}

/// Makes each joint move in its state.
pub(super) fn expand<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    jobs: &Jobs,
    budget: &Budget,
    out: &mut Expansion,
) -> Answer<()> {
    out.clear(&program.signature);
    let mut scratch = std::mem::take(&mut states.expanding);
    let expanded = expand_all(program, states, (jobs, budget), &mut scratch, out);
    states.expanding = scratch;
    if expanded.is_err() {
        out.clear(&program.signature);
    }
    expanded
}

fn expand_all<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    (jobs, budget): (&Jobs, &Budget),
    scratch: &mut ExpandScratch,
    out: &mut Expansion,
) -> Answer<()> {
    let mut meter = budget.meter();
    meter.check()?;
    clear_inputs(program, states);
    scratch.set.clear();
    for first in (0..jobs.len()).step_by(Block::<N>::LANES) {
        meter.spend(2 * program.costs.step)?;
        let count = (jobs.len() - first).min(Block::<N>::LANES);
        for job in first..first + count {
            if job == first || jobs.state_number(job) != jobs.state_number(job - 1) {
                program.check_words(jobs.state(job))?;
            }
        }
        let used = first_lanes(count);
        states.load(program, used, |lane| jobs.state(first + lane));
        states.run(program, PhaseKind::Decide);
        if and(used, states.output(program.stream.terminal)) != Block::ZERO {
            return Err(GameError::Over);
        }
        for lane in 0..count {
            make_moves(program, states, lane, (jobs, first + lane), &mut scratch.set)?;
        }
        states.run(program, PhaseKind::Advance);
        if jobs.percepts() {
            // A percept may be an input, which is cleared below.
            add_percepts(program, states, count, &mut scratch.bits, out);
        }
        for (slot, word) in scratch.set.drain(..) {
            states.slots[slot as usize].0[word as usize] = 0;
        }
        states.save(program, count, &mut scratch.words);
        let wanted = (jobs.goals(), jobs.moves(), jobs.turn());
        describe(program, states, count, wanted, &mut meter, (scratch, out))?;
    }
    Ok(())
}

/// Looks at states.
pub(super) fn look<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    from: &[&State],
    budget: &Budget,
    out: &mut Expansion,
) -> Answer<()> {
    out.clear(&program.signature);
    let words = from.iter().map(|state| program.words(state)).collect::<Answer<Vec<_>>>()?;
    let mut scratch = std::mem::take(&mut states.expanding);
    let looked = look_all(program, states, (&words, budget), &mut scratch, out);
    states.expanding = scratch;
    if looked.is_err() {
        out.clear(&program.signature);
    }
    looked
}

fn look_all<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    (words, budget): (&[&[u64]], &Budget),
    scratch: &mut ExpandScratch,
    out: &mut Expansion,
) -> Answer<()> {
    let mut meter = budget.meter();
    meter.check()?;
    for words in words.chunks(Block::<N>::LANES) {
        meter.spend(program.costs.step)?;
        states.load(program, first_lanes(words.len()), |lane| words[lane]);
        scratch.words.clear();
        words.iter().for_each(|words| scratch.words.extend_from_slice(words));
        let wanted = (Wanted::All, true, &[][..]);
        describe(program, states, words.len(), wanted, &mut meter, (scratch, out))?;
    }
    Ok(())
}

/// Appends the states of the first `count` lanes, whose words are in the scratch, with the goals and moves that are
/// wanted.
fn describe<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    count: usize,
    (goals, moves, turn): (Wanted, bool, &[u64]),
    meter: &mut Meter,
    (scratch, out): (&mut ExpandScratch, &mut Expansion),
) -> Answer<()> {
    let used = first_lanes(count);
    states.run(program, PhaseKind::Decide);
    let terminal = and(used, states.output(program.stream.terminal));
    let valued = if goals == Wanted::All { used } else { terminal };
    if valued != Block::ZERO {
        meter.spend(program.costs.assess)?;
        states.run(program, PhaseKind::Assess);
    }
    let length = program.stream.bases.len().div_ceil(64);
    out.add_states(&scratch.words, length, (0..count).map(|lane| has(&terminal, lane)));
    add_goals(program, states, (count, valued), &mut scratch.goals, out);
    let going_on = without(used, terminal);
    if moves {
        add_legal(program, states, (count, going_on), &mut scratch.bits, out);
    } else {
        (0..count * program.stream.goals.len()).for_each(|_| out.end_legal());
    }
    if !turn.is_empty() {
        meter.spend(program.costs.step)?;
        let counts = &mut scratch.counts;
        counts.clear();
        counts.resize(count * program.roles.len(), 0);
        count_moves(program, states, going_on, counts);
        states.turn(program, turn);
        states.run(program, PhaseKind::Decide);
        count_moves(program, states, going_on, counts);
        counts.iter().for_each(|&count| out.add_move_count(count));
    }
    Ok(())
}

/// The first `count` lanes.
pub(super) fn first_lanes<const N: usize>(count: usize) -> Block<N> {
    Block(std::array::from_fn(|word| match count.saturating_sub(word * 64) {
        0 => 0,
        some if some >= 64 => u64::MAX,
        some => (1 << some) - 1,
    }))
}

/// Makes no move in any lane.
pub(super) fn clear_inputs<const N: usize>(program: &LaneProgram, states: &mut LaneStates<N>) {
    for slot in program.stream.inputs.iter().flatten().flatten() {
        states.slots[slot.0 as usize] = Block::ZERO;
    }
    states.choice.mark_dirty();
}

/// Writes the joint move of a job to the inputs of a lane, if it is legal there.
fn make_moves<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    lane: usize,
    (jobs, job): (&Jobs, usize),
    set: &mut Vec<(u32, u32)>,
) -> Answer<()> {
    let joint = jobs.joint(job);
    let roles = program.stream.legal.len();
    if joint.len() != roles {
        return Err(GameError::MoveCount { roles, moves: joint.len() });
    }
    let (word, bit) = (lane / 64, lane % 64);
    for (role, outputs) in program.stream.legal.iter().enumerate() {
        let at = program.position_of(role, joint)?;
        let legal = outputs[at];
        let mask = states.slots[legal.slot.0 as usize].0[word];
        if (mask >> bit & 1 == 1) == legal.complemented {
            return Err(program.signature.not_legal(RoleId(role as u32), joint[role]));
        }
        if let Some(slot) = program.stream.inputs[role][at] {
            states.slots[slot.0 as usize].0[word] |= 1 << bit;
            set.push((slot.0, word as u32));
        }
    }
    Ok(())
}

/// Appends what each role sees in the first `count` lanes, after advancing.
fn add_percepts<const N: usize>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    count: usize,
    bits: &mut Vec<u64>,
    out: &mut Expansion,
) {
    let percepts = &program.stream.percepts;
    let outputs = percepts.iter().map(|known| known.iter().map(|&(_, output)| output));
    let length = take_bits(program, states, (count, first_lanes(count)), outputs, bits);
    for lane in 0..count {
        let mut rest = &bits[lane * length..][..length];
        for known in percepts {
            let (own, others) = rest.split_at(known.len().div_ceil(64));
            rest = others;
            let seen = own.iter().zip(known.chunks(64));
            out.add_percepts(seen.flat_map(|(&word, known)| Bits(word).map(|bit| known[bit].0)));
        }
    }
}

/// Puts the outputs of each role in order of lanes: whole words for each role, all of a lane together. How many words a
/// lane has.
pub(super) fn take_bits<const N: usize, O: ExactSizeIterator<Item = Output> + Clone>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    (count, lanes): (usize, Block<N>),
    outputs: impl Iterator<Item = O> + Clone,
    bits: &mut Vec<u64>,
) -> usize {
    let length: usize = outputs.clone().map(|outputs| outputs.len().div_ceil(64)).sum();
    bits.resize(count * length, 0);
    let mut rows = [Block::ZERO; 64];
    let mut place = 0;
    for mut outputs in outputs {
        while outputs.len() > 0 {
            let some = outputs.clone().take(64);
            let take = TakeRows { slots: &states.slots, outputs: some, lanes, rows: &mut rows };
            if dispatch::<N, _>(program.set, take) {
                for (lane, bits) in bits.chunks_exact_mut(length).enumerate() {
                    bits[place] = rows[lane % 64].0[lane / 64];
                }
            } else {
                bits.iter_mut().skip(place).step_by(length).for_each(|word| *word = 0);
            }
            outputs.by_ref().take(64).for_each(drop);
            place += 1;
        }
    }
    length
}

/// Appends the goals of the first `count` lanes, where they are known in `valued`.
fn add_goals<const N: usize>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    (count, valued): (usize, Block<N>),
    goals: &mut Vec<Option<Goal>>,
    out: &mut Expansion,
) {
    let roles = program.stream.goals.len();
    goals.clear();
    goals.resize(count * roles, None);
    if valued != Block::ZERO {
        states.goals(program, valued, |lane, role, goal| goals[lane * roles + role] = Some(goal));
    }
    out.extend_goals(goals);
}

/// Appends the legal moves of the first `count` lanes, where they go on.
fn add_legal<const N: usize>(
    program: &LaneProgram,
    states: &LaneStates<N>,
    (count, going_on): (usize, Block<N>),
    bits: &mut Vec<u64>,
    out: &mut Expansion,
) {
    let outputs = program.stream.legal.iter().map(|outputs| outputs.iter().copied());
    let length = take_bits(program, states, (count, going_on), outputs, bits);
    for lane in 0..count {
        let mut rest = &bits[lane * length..][..length];
        for actions in &program.actions {
            let (own, others) = rest.split_at(actions.len().div_ceil(64));
            rest = others;
            for (&word, actions) in own.iter().zip(actions.chunks(64)) {
                out.extend_legal(Bits(word).map(|bit| actions[bit]));
            }
            out.end_legal();
        }
    }
}

/// The bits of a word, lowest first.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}
