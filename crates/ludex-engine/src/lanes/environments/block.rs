//! One block of environments.

use ludex_game::{BitRows, EnvironmentArrays, EnvironmentError, RoleId};

use super::super::choose::ChooseUniform;
use super::super::expand::{first_lanes, take_bits};
use super::super::lengths::Lengths;
use super::super::random::LaneRandom;
use super::super::spread::write_rows;
use super::super::states::{LaneStates, and, has, lanes, or, without};
use super::super::vector::dispatch;
use super::plan::{Plan, SeatPlan};
use super::survey::{AnyOf, ComputeFacts, CountLegal, MaskOfMovers, MoveOthers};
use crate::kernel::{Block, PhaseKind};
use crate::stream::{Output, Slot, Stream};

/// As many environments as there are lanes, or fewer at the end.
pub(super) struct EnvironmentBlock<const N: usize> {
    /// How many.
    pub count: usize,
    states: LaneStates<N>,
    random: LaneRandom<N>,
    lengths: Lengths<N>,
    /// Environments that are over and do not begin anew.
    over: Block<N>,
    /// Per seat, where it is in turn.
    movers: Vec<Block<N>>,
    /// Who is in turn, by lane.
    players: Vec<u8>,
    /// What is legal, by lane and row, in whole words.
    legal: Vec<u64>,
    /// Scratch: per role where it has a legal move, and where several.
    some: Vec<Block<N>>,
    several: Vec<Block<N>>,
    /// Scratch: what is observed, by lane.
    observed: Vec<u64>,
}

/// What the legal moves say of lanes.
struct Survey<const N: usize> {
    terminal: Block<N>,
    /// Somebody has no legal move, and the game is not over.
    stuck: Block<N>,
    /// Several players have a choice.
    contested: Block<N>,
}

impl<const N: usize> EnvironmentBlock<N> {
    pub fn new(plan: &Plan, count: usize, seed: u64) -> Self {
        let mut states = LaneStates::new(&plan.program);
        states.slots.resize(plan.slots, Block::ZERO);
        let roles = plan.program.roles.len();
        let mut block = Self {
            count,
            states,
            random: LaneRandom::from_seed(seed),
            lengths: Lengths::new(plan.options.step_limit.unwrap_or(0)),
            over: Block::ZERO,
            movers: vec![Block::ZERO; plan.seats.len()],
            players: vec![0; count],
            legal: Vec::new(),
            some: vec![Block::ZERO; roles],
            several: vec![Block::ZERO; roles],
            observed: Vec::new(),
        };
        block.reset(plan, seed);
        block
    }

    /// Begins all games anew.
    pub fn reset(&mut self, plan: &Plan, seed: u64) {
        self.random = LaneRandom::from_seed(seed);
        self.over = Block::ZERO;
        self.begin(plan, Block::ONES);
    }

    /// Begins the games of these lanes anew.
    fn begin(&mut self, plan: &Plan, lanes: Block<N>) {
        self.states.load_same(&plan.program, lanes, &plan.initial);
        self.forget(plan, lanes);
    }

    /// Lets these lanes have no past.
    fn forget(&mut self, plan: &Plan, lanes: Block<N>) {
        self.lengths.reset(lanes);
        for &(_, slot) in &*plan.percepts {
            let kept = &mut self.states.slots[slot as usize];
            *kept = without(*kept, lanes);
        }
    }

    /// The states of all lanes.
    pub fn save(&self, plan: &Plan) -> Vec<u64> {
        let mut words = Vec::new();
        self.states.save(&plan.program, self.count, &mut words);
        words
    }

    /// Puts lanes into states.
    pub fn set_states(
        &mut self,
        plan: &Plan,
        first: usize,
        of: &[(usize, &[u64])],
    ) -> Result<(), EnvironmentError> {
        let (mut lanes, mut words) = (Block::ZERO, vec![&plan.initial[..]; Block::<N>::LANES]);
        for &(lane, state) in of {
            lanes.0[lane / 64] |= 1 << (lane % 64);
            words[lane] = state;
        }
        self.states.load(&plan.program, lanes, |lane| words[lane]);
        self.over = without(self.over, lanes);
        self.forget(plan, lanes);
        let survey = self.look(plan);
        self.take_legal(plan);
        self.contested(first, &survey)
    }

    /// Whether all actions can be made, as far as lanes are not over.
    pub fn check(&self, plan: &Plan, first: usize, actions: &[i32]) -> Result<(), EnvironmentError> {
        let (rows, words) = (plan.layout.rows(), plan.legal_words());
        let is_legal = |at: usize, number: i32| {
            let word = self.legal.get(at * words + number as usize / 64);
            (number as usize) < plan.layout.actions && word.is_some_and(|word| word >> (number % 64) & 1 == 1)
        };
        let wrong = |&(at, &number): &(usize, &i32)| !is_legal(at, number) && !has(&self.over, at / rows);
        let Some((at, &number)) = actions.iter().enumerate().find(wrong) else { return Ok(()) };
        let seat = if plan.layout.in_turns { usize::from(self.players[at]) } else { at % rows };
        let (signature, role) = (&plan.program.signature, RoleId(plan.seats[seat].role as u32));
        Err(EnvironmentError::of_action(signature, first + at / rows, role, number))
    }

    /// Tells what is the case.
    pub fn observe(
        &mut self,
        plan: &Plan,
        first: usize,
        arrays: EnvironmentArrays<'_>,
    ) -> Result<(), EnvironmentError> {
        arrays.rewards.fill(0.0);
        let survey = self.look(plan);
        write_lanes::<N>(arrays.terminated, and(self.over, survey.terminal));
        write_lanes::<N>(arrays.truncated, without(self.over, survey.terminal));
        self.write(plan, arrays.observations, arrays.legal, arrays.players);
        self.contested(first, &survey)
    }

    /// Decides what is legal, after states have been changed from outside; games that are over stay so.
    fn look(&mut self, plan: &Plan) -> Survey<N> {
        self.states.run(&plan.program, PhaseKind::Decide);
        let survey = self.survey(plan);
        let used = first_lanes(self.count);
        self.over = or(self.over, and(or(survey.terminal, survey.stuck), used));
        survey
    }

    /// Makes a step: the actions of all rows, which are legal, or random ones.
    pub fn step(
        &mut self,
        plan: &Plan,
        first: usize,
        actions: Option<&[i32]>,
        arrays: EnvironmentArrays<'_>,
    ) -> Result<(), EnvironmentError> {
        let used = first_lanes(self.count);
        let active = without(used, self.over);
        self.make_moves(plan, active, actions);
        self.states.advance(&plan.program, without(Block::ONES, active));
        for &(percept, slot) in &*plan.percepts {
            let (seen, kept) = (self.states.output(percept), self.states.slots[slot as usize]);
            self.states.slots[slot as usize] = or(and(seen, active), without(kept, active));
        }
        if plan.options.step_limit.is_some() {
            self.lengths.count_step(active);
        }
        self.states.run(&plan.program, PhaseKind::Decide);
        let mut survey = self.survey(plan);
        let ended = and(survey.terminal, active);
        let mut broken_off = and(survey.stuck, active);
        if plan.options.step_limit.is_some() {
            broken_off = or(broken_off, self.lengths.at_limit(without(active, ended)));
        }
        arrays.rewards.fill(0.0);
        if ended != Block::ZERO {
            self.write_rewards(plan, ended, arrays.rewards);
        }
        let ends = or(ended, broken_off);
        if ends != Block::ZERO && arrays.last_observations.is_wanted() {
            self.write_last_observations(plan, ends, arrays.last_observations);
        }
        if !plan.options.begins_anew {
            self.over = or(self.over, ends);
        } else if or(ends, self.over) != Block::ZERO {
            let anew = or(ends, std::mem::replace(&mut self.over, Block::ZERO));
            self.begin(plan, anew);
            // Where a game is over from the start, it stays so.
            survey = self.look(plan);
        }
        write_lanes::<N>(arrays.terminated, or(ended, and(self.over, survey.terminal)));
        write_lanes::<N>(arrays.truncated, without(or(broken_off, self.over), or(ended, survey.terminal)));
        self.write(plan, arrays.observations, arrays.legal, arrays.players);
        self.contested(first, &survey)
    }

    /// Says where several players have a choice who should take turns.
    fn contested(&self, first: usize, survey: &Survey<N>) -> Result<(), EnvironmentError> {
        let contested = and(without(survey.contested, self.over), first_lanes(self.count));
        match lanes(contested).next() {
            Some(lane) => Err(EnvironmentError::Several { environment: first + lane }),
            None => Ok(()),
        }
    }

    /// Writes the inputs of all lanes; lanes that are not active make no move that counts.
    fn make_moves(&mut self, plan: &Plan, mut active: Block<N>, actions: Option<&[i32]>) {
        let program = &*plan.program;
        let (from, to) = match actions {
            None => (0, program.roles.len()),
            Some(_) => plan.chance.map_or((0, 0), |chance| (chance, chance + 1)),
        };
        if actions.is_none() {
            // What was given last time may be set.
            self.states.choice.mark_dirty();
        }
        let kernel = ChooseUniform {
            roles: &program.roles[from..to],
            first: from,
            slots: &mut self.states.slots,
            active: &mut active,
            random: &mut self.random,
            scratch: &mut self.states.choice,
            stuck: &mut Vec::new(),
        };
        dispatch::<N, _>(program.set, kernel);
        let Some(actions) = actions else { return };
        let slots = &mut self.states.slots;
        if plan.layout.in_turns {
            let movers = &self.movers;
            dispatch::<N, _>(program.set, MoveOthers { seats: &plan.seats, movers, lanes: active, slots });
        } else {
            for &(_, input) in plan.seats.iter().flat_map(|seat| &seat.inputs) {
                slots[input as usize] = Block::ZERO;
            }
        }
        let rows = plan.layout.rows();
        for (lane, actions) in actions.chunks_exact(rows).enumerate() {
            if !has(&active, lane) {
                continue;
            }
            for (row, &number) in actions.iter().enumerate() {
                let seat = if plan.layout.in_turns { usize::from(self.players[lane]) } else { row };
                // It was checked.
                if let Some(made) = plan.seats[seat].actions[number as usize] {
                    slots[made.input as usize].0[lane / 64] |= 1 << (lane % 64);
                }
            }
        }
    }

    /// Looks at what is legal, and who is in turn.
    fn survey(&mut self, plan: &Plan) -> Survey<N> {
        let program = &*plan.program;
        let Self { states, some, several, movers, .. } = self;
        let kernel = CountLegal { roles: &program.roles, slots: &states.slots, some, several };
        dispatch::<N, _>(program.set, kernel);
        let terminal = states.output(program.stream.terminal);
        let all = some.iter().fold(Block::ONES, |all, some| and(all, *some));
        let stuck = without(without(Block::ONES, terminal), all);
        let mut contested = Block::ZERO;
        if plan.layout.in_turns {
            let mut claimed = Block::ZERO;
            for (seat, mover) in plan.seats.iter().zip(&mut *movers) {
                *mover = without(several[seat.role], claimed);
                contested = or(contested, and(several[seat.role], claimed));
                claimed = or(claimed, *mover);
            }
            for (seat, mover) in plan.seats.iter().zip(&mut *movers) {
                let waits = AnyOf { outputs: &seat.waits, slots: &states.slots };
                let waits = dispatch::<N, _>(program.set, waits);
                let acts = without(without(some[seat.role], waits), claimed);
                *mover = or(*mover, acts);
                claimed = or(claimed, acts);
            }
            // Nobody does anything but wait.
            movers[0] = or(movers[0], without(Block::ONES, claimed));
            contested = without(contested, or(terminal, stuck));
        }
        Survey { terminal, stuck, contested }
    }

    fn write_rewards(&mut self, plan: &Plan, ended: Block<N>, rewards: &mut [f32]) {
        self.states.run(&plan.program, PhaseKind::Assess);
        let seats = plan.seats.len();
        for lane in lanes(ended) {
            rewards[lane * seats..][..seats].fill(plan.options.reward(None));
        }
        for (at, seat) in plan.seats.iter().enumerate() {
            let goals = &plan.program.stream.goals[seat.role];
            let one = and(ended, self.states.one_goal(goals));
            for &(goal, output) in goals {
                let reward = plan.options.reward(Some(goal));
                lanes(and(one, self.states.output(output)))
                    .for_each(|lane| rewards[lane * seats + at] = reward);
            }
        }
    }

    /// The bits that are observed in some lanes, by lane.
    fn take_observed(&mut self, plan: &Plan, of: Block<N>) {
        let (set, slots) = (plan.program.set, &mut self.states.slots);
        dispatch::<N, _>(set, ComputeFacts { gates: &plan.gates, slots });
        let outputs = std::iter::once(plan.observed.iter().copied());
        take_bits(&plan.program, &self.states, (self.count, of), outputs, &mut self.observed);
    }

    fn write_last_observations(&mut self, plan: &Plan, ends: Block<N>, mut rows: BitRows<'_>) {
        self.take_observed(plan, ends);
        let words = plan.layout.observed.div_ceil(64);
        for lane in lanes(ends) {
            rows.write(lane, plan.layout.observed, &self.observed[lane * words..][..words]);
        }
    }

    /// Writes what is the case, after the survey.
    fn write(&mut self, plan: &Plan, observations: BitRows<'_>, legal: BitRows<'_>, players: &mut [u8]) {
        let used = first_lanes(self.count);
        let set = plan.program.set;
        if observations.is_wanted() {
            self.take_observed(plan, used);
            write_rows::<N>(set, &self.observed, plan.layout.observed, observations);
        }
        self.take_legal(plan);
        players.copy_from_slice(if plan.layout.in_turns { &self.players } else { &[] });
        write_rows::<N>(set, &self.legal, plan.layout.actions, legal);
    }

    /// Notes what is legal, and who is in turn, after the survey.
    fn take_legal(&mut self, plan: &Plan) {
        let going_on = without(first_lanes(self.count), self.over);
        if plan.layout.in_turns {
            self.take_legal_in_turns(plan, going_on);
            self.players.fill(0);
            for (seat, mover) in self.movers.iter().enumerate().skip(1) {
                lanes(and(*mover, going_on)).for_each(|lane| self.players[lane] = seat as u8);
            }
            return;
        }
        let none = Output { slot: Stream::ZERO, complemented: false };
        let of_seat = |seat: &SeatPlan| -> Vec<Output> {
            seat.actions.iter().map(|action| action.map_or(none, |action| action.legal)).collect()
        };
        let outputs: Vec<Vec<Output>> = plan.seats.iter().map(of_seat).collect();
        let outputs = outputs.iter().map(|outputs| outputs.iter().copied());
        take_bits(&plan.program, &self.states, (self.count, going_on), outputs, &mut self.legal);
    }

    fn take_legal_in_turns(&mut self, plan: &Plan, going_on: Block<N>) {
        let actions = plan.layout.actions;
        let kernel = MaskOfMovers {
            seats: &plan.seats,
            movers: &self.movers,
            slots: &mut self.states.slots,
            first: plan.mask,
            actions,
        };
        dispatch::<N, _>(plan.program.set, kernel);
        let mask =
            (0..actions).map(|action| Output { slot: Slot(plan.mask + action as u32), complemented: false });
        take_bits(
            &plan.program,
            &self.states,
            (self.count, going_on),
            std::iter::once(mask),
            &mut self.legal,
        );
    }
}

/// A byte of 0 or 1 for each of the first lanes.
fn write_lanes<const N: usize>(bytes: &mut [u8], of: Block<N>) {
    bytes.fill(0);
    lanes(of).for_each(|lane| bytes[lane] = 1);
}
