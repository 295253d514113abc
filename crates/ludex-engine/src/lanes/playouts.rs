//! Random games in all lanes, each lane starting anew when its game is over.
//!
//! How many playouts each start gets is fixed beforehand and all of them are finished: the results do
//! not prefer short games, as those of lanes stopped at some moment would.
//!
//! Goals are looked at rarely: a lane that is over waits, keeping its state, until evaluating the goals
//! costs less than the steps that waiting lanes have missed.

use std::sync::Arc;

use ludex_game::{Answer, AtLimit, Outcomes, PlayoutFault, Policy, RoleId, Start};
use ludex_logic::{Budget, Meter};

use super::choose::ChooseUniform;
use super::decisive::Decisive;
use super::lengths::Lengths;
use super::moves_made::LaneMoves;
use super::profile::{LanePart, Probe};
use super::program::LaneProgram;
use super::queue::Queue;
use super::random::LaneRandom;
use super::role_moves::RoleMoves;
use super::rounds::RoundProgram;
use super::specialising::LaneRounds;
use super::states::{LaneStates, RoundScratch, and, count, or, without};
use super::tally::Gathering;
use super::vector::dispatch;
use crate::kernel::{Block, PhaseKind};

/// Up to so many starts are loaded one by one, and more by transposing, which costs about as much as four.
const FEW_RUNS: usize = 4;

/// After so many steps what was done is told to [`LaneRounds`].
const TOLD_AT_ONCE: u64 = 64;

/// One call of [`playouts`].
struct Run<'r, 's, P, const N: usize> {
    probe: &'r mut P,
    program: &'r Arc<LaneProgram>,
    /// What decides, chooses and advances, by turn of the round: the program itself without rounds.
    turns: Vec<Arc<LaneProgram>>,
    /// What tells the goals: the program itself, after it has decided, without rounds.
    goals: Arc<LaneProgram>,
    /// The turn at which all lanes are that play.
    turn: usize,
    states: &'r mut LaneStates<N>,
    /// The states of the starts.
    words: Vec<&'s [u64]>,
    queue: Queue,
    random: LaneRandom<N>,
    lengths: Lengths<N>,
    /// Per lane the start of its game.
    start_of: Vec<u32>,
    /// Lanes in the middle of a game.
    playing: Block<N>,
    /// Lanes at their end, in a state that has not been assessed.
    waiting: Block<N>,
    /// Those of them whose state is not terminal: they are at the step limit.
    late: Block<N>,
    at_limit: AtLimit,
    /// Lanes to start anew.
    free: Block<N>,
    /// Steps that waiting lanes have missed since goals were last looked at.
    missed: u64,
    results: Gathering,
    /// Which moves were made, where that is noted.
    moves: Option<LaneMoves<N>>,
    /// Scratch of refilling: starts with their lanes.
    runs: Vec<(usize, Block<N>)>,
    stuck: Vec<(RoleId, Block<N>)>,
    /// Where playouts look ahead.
    decisive: Option<Box<Decisive<N>>>,
    /// What choosing keeps at each turn of a round.
    round: Option<RoundScratch<N>>,
    /// What a step costs, and what assessing does.
    step_cost: u64,
    assess_cost: u64,
    /// How the game goes round, where that is used.
    rounds: Option<&'r LaneRounds>,
    /// Steps that were not told to it, and what one costs with the programs that are run.
    untold: u64,
    work: u64,
    meter: Meter,
}

/// Makes all playouts.
pub(super) fn playouts<P: Probe, const N: usize>(
    program: &Arc<LaneProgram>,
    states: &mut LaneStates<N>,
    (from, policy, seed): (&[Start], &Policy, u64),
    (budget, records, probe): (&Budget, bool, &mut P),
    out: &mut Outcomes,
) -> Answer<()> {
    let room = std::mem::take(out);
    let words = from.iter().map(|start| program.words(&start.state)).collect::<Answer<Vec<_>>>()?;
    let decisive = take_decisive(program, states, policy, budget)?;
    let rounds = program.rounds().filter(|_| decisive.is_none());
    let round = rounds.and_then(|rounds| rounds.round_from(&words));
    let rounds = rounds.filter(|_| round.is_some());
    let turn_of = |start: usize| round.as_ref().map_or(0, |round| round.turn_of[start]);
    let costs = rounds.map_or(program.costs, |rounds| rounds.costs);
    let results = Gathering::new(program, from, records, room);
    let mut run = Run {
        probe,
        program,
        goals: Arc::clone(program),
        turns: vec![Arc::clone(program)],
        turn: 0,
        states,
        queue: Queue::new(from, rounds.map_or(1, LaneRounds::turns), turn_of),
        words,
        random: LaneRandom::from_seed(seed),
        lengths: Lengths::new(policy.step_limit),
        start_of: vec![results.single().unwrap_or(0) as u32; Block::<N>::LANES],
        playing: Block::ZERO,
        waiting: Block::ZERO,
        late: Block::ZERO,
        at_limit: policy.at_limit,
        free: Block::ONES,
        missed: 0,
        results,
        moves: policy.notes_moves.then(|| LaneMoves::new(program, from.len())),
        runs: Vec::new(),
        stuck: Vec::new(),
        step_cost: costs.step + decisive.as_ref().map_or(0, |decisive| decisive.program.cost),
        assess_cost: costs.assess,
        decisive,
        round: None,
        rounds,
        untold: 0,
        work: program.costs.step,
        meter: budget.meter(),
    };
    run.meter.check()?;
    if let Some(round) = round.and_then(|round| round.program) {
        run.play_with(&round);
    }
    run.play_all()?;
    run.tell_work();
    out.moves = run.moves.map(|moves| moves.counted).unwrap_or_default();
    run.results.finish(program, policy.at_limit, out);
    run.states.decisive = run.decisive;
    if run.round.is_some() {
        run.states.round = run.round;
    }
    Ok(())
}

/// What lanes need to play with the decisive moves of a policy, if there is one and they can.
fn take_decisive<const N: usize>(
    program: &LaneProgram,
    states: &mut LaneStates<N>,
    policy: &Policy,
    budget: &Budget,
) -> Answer<Option<Box<Decisive<N>>>> {
    let Some(decisive_moves) = &policy.decisive_moves else { return Ok(None) };
    let Some(found) = program.decisive_moves(decisive_moves, budget)? else { return Ok(None) };
    let mut decisive = match states.decisive.take() {
        Some(last) if Arc::ptr_eq(&last.program, &found) => last,
        _ => Box::new(Decisive::new(&found, program.stream.bases.len())),
    };
    decisive.reset();
    if states.slots.len() < found.slots {
        states.slots.resize(found.slots, Block::ZERO);
    }
    // Inputs may be set that are read nowhere else.
    states.choice.mark_dirty();
    Ok(Some(decisive))
}

impl<P: Probe, const N: usize> Run<'_, '_, P, N> {
    /// Begins and ends all games.
    fn play_all(&mut self) -> Answer<()> {
        loop {
            if self.playing == Block::ZERO && self.waiting == Block::ZERO {
                // Nobody is at any turn.
                let Some(turn) = self.queue.next_turn(self.turn) else { return Ok(()) };
                self.turn = turn;
                self.refill();
            }
            self.meter.spend(self.step_cost)?;
            self.step()?;
            self.untold += 1;
            if self.untold == TOLD_AT_ONCE {
                self.tell_work();
            }
        }
    }

    /// Runs these programs from now on.
    fn play_with(&mut self, program: &Arc<RoundProgram>) {
        self.turns.clone_from(&program.turns);
        self.goals = Arc::clone(&program.goals);
        self.work = program.step_cost();
        self.round = Some(self.states.begin_round(program));
        if let Some(moves) = &mut self.moves {
            moves.made_by(self.program, &self.turns);
        }
    }

    /// Says what was done, and takes a program that does it with less work, if there is one.
    fn tell_work(&mut self) {
        let Some(rounds) = self.rounds else { return };
        let steps = std::mem::take(&mut self.untold);
        let budget = self.meter.budget().clone();
        let made = rounds.note_work(self.program, (steps, steps * self.work), &budget);
        let fits =
            |program: &Arc<RoundProgram>| self.words.iter().all(|words| program.turn_of(words).is_some());
        if let Some(program) = made.filter(fits) {
            self.play_with(&program);
        }
    }

    /// One joint move in every lane that plays.
    fn step(&mut self) -> Answer<()> {
        self.states.run(&self.turns[self.turn], PhaseKind::Decide);
        self.probe.note(LanePart::Decide);
        self.end_games();
        self.probe.note(LanePart::End);
        if self.is_time_to_assess() {
            self.meter.spend(self.assess_cost)?;
            self.states.run(&self.goals, PhaseKind::Assess);
            self.probe.note(LanePart::Assess);
            let ended = (self.waiting, self.late);
            self.results.ended(&self.goals, self.states, ended, &self.lengths, &self.start_of);
            if let Some(moves) = &mut self.moves {
                moves.end(&self.goals, self.states, self.waiting, &self.start_of);
            }
            self.free = or(self.free, self.waiting);
            self.waiting = Block::ZERO;
            self.late = Block::ZERO;
            self.missed = 0;
            self.probe.note(LanePart::Gather);
        }
        if self.playing != Block::ZERO {
            self.make_moves();
            self.turn = (self.turn + 1) % self.turns.len();
        }
        if self.free != Block::ZERO {
            self.refill();
        }
        self.probe.note(LanePart::Refill);
        Ok(())
    }

    /// One joint move in every lane that plays, or one taken back.
    fn make_moves(&mut self) {
        let Some(mut decisive) = self.decisive.take() else {
            self.choose(None);
            self.probe.note(LanePart::Choose);
            self.states.advance(&self.turns[self.turn], self.waiting);
            self.probe.note(LanePart::Advance);
            self.lengths.count_step(self.playing);
            return;
        };
        let back = decisive.look(self.program, self.states, self.playing);
        self.playing = without(self.playing, back);
        self.choose(Some(&decisive.program.roles));
        self.probe.note(LanePart::Choose);
        decisive.advance(self.program, self.states, self.waiting);
        self.probe.note(LanePart::Advance);
        self.lengths.count_step(self.playing);
        self.lengths.take_back(back);
        self.playing = or(self.playing, back);
        self.decisive = Some(decisive);
    }

    /// Takes out lanes whose game is over.
    fn end_games(&mut self) {
        let ended = and(self.playing, self.states.output(self.turns[self.turn].stream.terminal));
        self.playing = without(self.playing, ended);
        self.waiting = or(self.waiting, ended);
        let late = self.lengths.at_limit(self.playing);
        if late != Block::ZERO {
            self.playing = without(self.playing, late);
            match self.at_limit {
                AtLimit::Fault => self.fail(PlayoutFault::OverLimit, late),
                AtLimit::Goals => {
                    self.waiting = or(self.waiting, late);
                    self.late = or(self.late, late);
                }
            }
        }
    }

    fn fail(&mut self, fault: PlayoutFault, lanes: Block<N>) {
        self.results.failed(fault, lanes, &self.lengths, &self.start_of);
        if let Some(moves) = &mut self.moves {
            moves.forget(lanes);
        }
        self.free = or(self.free, lanes);
    }

    fn is_time_to_assess(&mut self) -> bool {
        if self.waiting == Block::ZERO {
            return false;
        }
        self.missed += u64::from(count(self.waiting));
        self.playing == Block::ZERO
            || self.missed * self.step_cost >= self.assess_cost * Block::<N>::LANES as u64
    }

    /// Writes a random joint move to the inputs of every lane that plays, of the legal moves or of other
    /// candidates.
    fn choose(&mut self, candidates: Option<&[RoleMoves]>) {
        let Self { turns, turn, states, random, stuck, playing: active, round, .. } = self;
        let program = &turns[*turn];
        let roles = candidates.unwrap_or(&program.roles);
        let scratch = match round {
            Some(round) => &mut round.choices[*turn],
            None => &mut states.choice,
        };
        let slots = &mut states.slots[..];
        let kernel = ChooseUniform { roles, first: 0, slots, active, random, scratch, stuck };
        dispatch::<N, _>(program.set, kernel);
        for (role, lanes) in std::mem::take(&mut self.stuck) {
            self.fail(PlayoutFault::Stuck(role), lanes);
        }
        if let Some(moves) = &mut self.moves {
            moves.note(self.program, self.turn, self.states, self.playing);
        }
    }

    /// Begins the next playouts at this turn in the free lanes, as long as there are any.
    fn refill(&mut self) {
        let turn = self.turn;
        if !self.queue.has(turn) {
            return;
        }
        let free = self.free;
        let mut filled = Block::ZERO;
        // Lanes that follow each other often come from one start.
        let mut runs: Vec<(usize, Block<N>)> = std::mem::take(&mut self.runs);
        runs.clear();
        if self.results.single().is_some() && self.queue.take(turn, count(free)) {
            // All lanes come from one start, which `start_of` holds already.
            filled = free;
            runs.extend(self.results.single().map(|start| (start, free)));
        } else {
            for lane in super::states::lanes(free) {
                let Some(start) = self.queue.next(turn) else { break };
                self.start_of[lane] = start as u32;
                filled.0[lane / 64] |= 1 << (lane % 64);
                match runs.last_mut() {
                    Some((last, lanes)) if *last == start => lanes.0[lane / 64] |= 1 << (lane % 64),
                    _ => {
                        let mut lanes = Block::ZERO;
                        lanes.0[lane / 64] |= 1 << (lane % 64);
                        runs.push((start, lanes));
                    }
                }
            }
        }
        if runs.len() <= FEW_RUNS {
            for &(start, lanes) in &runs {
                self.states.load_same(self.program, lanes, self.words[start]);
            }
        } else {
            let (words, start_of) = (&self.words, &self.start_of);
            self.states.load(self.program, filled, |lane| words[start_of[lane] as usize]);
        }
        self.runs = runs;
        self.free = without(free, filled);
        self.lengths.reset(filled);
        if let Some(decisive) = &mut self.decisive {
            decisive.begin(filled);
        }
        self.playing = or(self.playing, filled);
    }
}
