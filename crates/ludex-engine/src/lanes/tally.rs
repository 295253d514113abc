//! The results of playouts as they come in.

use ludex_game::{AtLimit, Outcomes, PlayoutFault, PlayoutRecord, Start, Tally};

use super::lengths::{Lengths, SumLengths};
use super::program::LaneProgram;
use super::states::{LaneStates, and, count, has, lanes, without};
use super::vector::dispatch;
use crate::kernel::Block;

/// Gathers results by start.
pub(super) struct Gathering {
    /// By start; their goals come last.
    tallies: Vec<Tally>,
    /// Per start and entry of the stream's goals, role by role, how often it was the one that held.
    held: Vec<u32>,
    /// Entries of the goals of all roles.
    entries: usize,
    /// The one start with playouts, if there is only one.
    single: Option<usize>,
    records: Option<Vec<PlayoutRecord>>,
}

impl Gathering {
    /// For these starts of games of the program, in the room that earlier outcomes took.
    pub fn new(program: &LaneProgram, from: &[Start], records: bool, room: Outcomes) -> Self {
        let mut tallies = room.tallies;
        tallies.resize_with(from.len(), Tally::default);
        for tally in &mut tallies {
            *tally = Tally { goals: std::mem::take(&mut tally.goals), ..Tally::default() };
        }
        let mut played = (0..).zip(from).filter(|(_, start)| start.playouts > 0).map(|(number, _)| number);
        let single = played.next().filter(|_| played.next().is_none());
        let entries = program.stream.goals.iter().map(Vec::len).sum();
        let held = vec![0; entries * from.len()];
        Self { tallies, held, entries, single, records: records.then_some(Vec::new()) }
    }

    /// Whether all lanes come from one start.
    pub fn single(&self) -> Option<usize> {
        self.single
    }

    /// Notes lanes whose goals count, after the program has assessed them: those in `late` are at the step
    /// limit, the others in terminal states.
    pub fn ended<const N: usize>(
        &mut self,
        program: &LaneProgram,
        states: &LaneStates<N>,
        (ended, late): (Block<N>, Block<N>),
        lengths: &Lengths<N>,
        start_of: &[u32],
    ) {
        if let (Some(start), None) = (self.single, &self.records) {
            let tally = &mut self.tallies[start];
            tally.finished += count(without(ended, late));
            tally.over_limit += count(late);
            add_lengths(program, tally, ended, lengths);
            let mut held = self.held[start * self.entries..].iter_mut();
            for goals in &program.stream.goals {
                let one = and(ended, states.one_goal(goals));
                for (&(_, output), times) in goals.iter().zip(&mut held) {
                    *times += count(and(one, states.output(output)));
                }
            }
            return;
        }
        for lane in lanes(ended) {
            let tally = &mut self.tallies[start_of[lane] as usize];
            if has(&late, lane) {
                tally.over_limit += 1;
            } else {
                tally.finished += 1;
            }
            add_length(tally, lengths.of(lane));
        }
        let mut entries = 0..;
        for goals in &program.stream.goals {
            let one = and(ended, states.one_goal(goals));
            for (&(_, output), entry) in goals.iter().zip(&mut entries) {
                for lane in lanes(and(one, states.output(output))) {
                    self.held[start_of[lane] as usize * self.entries + entry] += 1;
                }
            }
        }
        if let Some(records) = &mut self.records {
            let first = records.len();
            let roles = program.stream.goals.len();
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
            states.goals(program, ended, |lane, role, goal| records[place[lane]].goals[role] = Some(goal));
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
            self.tallies[start].add(steps, Some(fault), &[]);
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
    pub fn finish(mut self, program: &LaneProgram, at_limit: AtLimit, out: &mut Outcomes) {
        let goals = &program.stream.goals;
        for (number, tally) in self.tallies.iter_mut().enumerate() {
            let counted = tally.finished > 0 || at_limit == AtLimit::Goals && tally.over_limit > 0;
            tally.goals.resize(if counted { goals.len() } else { 0 }, Vec::new());
            let mut held = self.held[number * self.entries..].iter();
            for (list, goals) in tally.goals.iter_mut().zip(goals) {
                list.clear();
                for (&(goal, _), &times) in goals.iter().zip(&mut held).filter(|&(_, &times)| times > 0) {
                    match list.binary_search_by_key(&goal, |&(known, _)| known) {
                        Ok(at) => list[at].1 += times,
                        Err(at) => list.insert(at, (goal, times)),
                    }
                }
            }
        }
        out.tallies = self.tallies;
        out.records = self.records.unwrap_or_default();
        out.records.sort_by_key(|record| record.start);
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
