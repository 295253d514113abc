//! The results of playouts as they come in.

use ludex_game::{AtLimit, Outcomes, PlayoutFault, PlayoutRecord, Tally};

use super::lengths::{Lengths, SumLengths};
use super::program::LaneProgram;
use super::states::{LaneStates, and, count, has, lanes, without};
use super::vector::dispatch;
use crate::kernel::Block;

/// What the playouts of one start came to.
#[derive(Clone, Debug, Default)]
struct Sums {
    tally: Tally,
    /// Per role and entry of the stream's goals how often it was the one that held.
    goals: Vec<Vec<u32>>,
}

/// Gathers results by start.
pub(super) struct Gathering<'p> {
    program: &'p LaneProgram,
    starts: Vec<Sums>,
    /// The one start with playouts, if there is only one.
    single: Option<usize>,
    records: Option<Vec<PlayoutRecord>>,
}

impl<'p> Gathering<'p> {
    /// For starts with these numbers of playouts.
    pub fn new(program: &'p LaneProgram, playouts: impl Iterator<Item = u32>, records: bool) -> Self {
        let goals: Vec<Vec<u32>> = program.stream.goals.iter().map(|goals| vec![0; goals.len()]).collect();
        let mut played = Vec::new();
        let starts = playouts.enumerate().map(|(number, playouts)| {
            if playouts > 0 {
                played.push(number);
            }
            Sums { tally: Tally::default(), goals: if playouts > 0 { goals.clone() } else { Vec::new() } }
        });
        let starts = starts.collect();
        let single = if let [only] = played[..] { Some(only) } else { None };
        Self { program, starts, single, records: records.then(Vec::new) }
    }

    /// Whether all lanes come from one start.
    pub fn single(&self) -> Option<usize> {
        self.single
    }

    /// Notes lanes whose goals count, after assessing: those in `late` are at the step limit, the others
    /// in terminal states.
    pub fn ended<const N: usize>(
        &mut self,
        states: &LaneStates<N>,
        (ended, late): (Block<N>, Block<N>),
        lengths: &Lengths<N>,
        start_of: &[u32],
    ) {
        if let (Some(start), None) = (self.single, &self.records) {
            let sums = &mut self.starts[start];
            sums.tally.finished += count(without(ended, late));
            sums.tally.over_limit += count(late);
            add_lengths(self.program, &mut sums.tally, ended, lengths);
            for (counts, goals) in sums.goals.iter_mut().zip(&self.program.stream.goals) {
                let one = and(ended, states.one_goal(goals));
                for (times, &(_, output)) in counts.iter_mut().zip(goals) {
                    *times += count(and(one, states.output(output)));
                }
            }
            return;
        }
        for lane in lanes(ended) {
            let tally = &mut self.starts[start_of[lane] as usize].tally;
            if has(&late, lane) {
                tally.over_limit += 1;
            } else {
                tally.finished += 1;
            }
            add_length(tally, lengths.of(lane));
        }
        for (role, goals) in self.program.stream.goals.iter().enumerate() {
            let one = and(ended, states.one_goal(goals));
            for (entry, &(_, output)) in goals.iter().enumerate() {
                for lane in lanes(and(one, states.output(output))) {
                    self.starts[start_of[lane] as usize].goals[role][entry] += 1;
                }
            }
        }
        if let Some(records) = &mut self.records {
            let first = records.len();
            let roles = self.program.stream.goals.len();
            let mut place = vec![0; Block::<N>::LANES];
            for lane in lanes(ended) {
                place[lane] = records.len();
                records.push(PlayoutRecord {
                    start: start_of[lane],
                    steps: lengths.of(lane),
                    goals: vec![None; roles],
                    fault: has(&late, lane).then_some(PlayoutFault::OverLimit),
                });
            }
            debug_assert_eq!(records.len() - first, count(ended) as usize);
            states
                .goals(self.program, ended, |lane, role, goal| records[place[lane]].goals[role] = Some(goal));
        }
    }

    /// Notes lanes that cannot go on.
    pub fn failed<const N: usize>(
        &mut self,
        fault: PlayoutFault,
        ended: Block<N>,
        lengths: &Lengths<N>,
        start_of: &[u32],
    ) {
        for lane in lanes(ended) {
            let start = self.single.unwrap_or(start_of[lane] as usize);
            let steps = lengths.of(lane);
            self.starts[start].tally.add(steps, Some(fault), &[]);
            if let Some(records) = &mut self.records {
                records.push(PlayoutRecord {
                    start: start as u32,
                    steps,
                    goals: Vec::new(),
                    fault: Some(fault),
                });
            }
        }
    }

    /// All results, by start.
    pub fn finish(self, at_limit: AtLimit, out: &mut Outcomes) {
        let goals = &self.program.stream.goals;
        out.tallies = self.starts.into_iter().map(|sums| sums.finish(goals, at_limit)).collect();
        out.records = self.records.unwrap_or_default();
        out.records.sort_by_key(|record| record.start);
    }
}

impl Sums {
    fn finish<T>(mut self, goals: &[Vec<(ludex_game::Goal, T)>], at_limit: AtLimit) -> Tally {
        if self.tally.finished > 0 || at_limit == AtLimit::Goals && self.tally.over_limit > 0 {
            self.tally.goals = vec![Vec::new(); goals.len()];
        }
        for ((list, counts), goals) in self.tally.goals.iter_mut().zip(self.goals).zip(goals) {
            for (&(goal, _), times) in goals.iter().zip(counts).filter(|&(_, times)| times > 0) {
                match list.binary_search_by_key(&goal, |&(known, _)| known) {
                    Ok(at) => list[at].1 += times,
                    Err(at) => list.insert(at, (goal, times)),
                }
            }
        }
        self.tally
    }
}

fn add_length(tally: &mut Tally, steps: u32) {
    tally.steps += u64::from(steps);
    tally.squared_steps += u64::from(steps) * u64::from(steps);
}

fn add_lengths<const N: usize>(
    program: &LaneProgram,
    tally: &mut Tally,
    ended: Block<N>,
    lengths: &Lengths<N>,
) {
    let (sum, squares) = dispatch::<N, _>(program.set, SumLengths { lengths, lanes: ended });
    tally.steps += sum;
    tally.squared_steps = tally.squared_steps.wrapping_add(squares);
}
