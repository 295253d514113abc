//! Which moves lanes make in their games, to count them where the games end.

use std::sync::Arc;

use ludex_game::{ActionId, Goal, MovesMade, RoleId};

use super::program::LaneProgram;
use super::states::{LaneStates, and, lanes, without};
use super::vector::{Kernel, Vector, dispatch};
use crate::kernel::Block;

/// The moves of games under way, and what those came to that are over.
pub(super) struct LaneMoves<const N: usize> {
    /// Each move that the rules read: its role and its action.
    moves: Vec<(RoleId, ActionId)>,
    /// Per program that makes moves: which of these, and its input there.
    inputs: Vec<Vec<(u32, u32)>>,
    /// Per such move the lanes in whose game it was made.
    made: Vec<Block<N>>,
    /// Per lane and role the goal of the game that ended.
    goals: Vec<Goal>,
    pub counted: MovesMade,
}

impl<const N: usize> LaneMoves<N> {
    /// Of games from so many starts, with moves made by the program.
    pub fn new(program: &Arc<LaneProgram>, starts: usize) -> Self {
        let mut moves = Vec::new();
        for (role, inputs) in program.stream.inputs.iter().enumerate() {
            let read = program.actions[role].iter().zip(inputs).filter(|(_, input)| input.is_some());
            moves.extend(read.map(|(&action, _)| (RoleId(role as u32), action)));
        }
        let roles = program.roles.len();
        let actions = program.actions.iter().flatten().map(|action| 1 + action.index()).max().unwrap_or(0);
        let mut noted = Self {
            made: vec![Block::ZERO; moves.len()],
            inputs: Vec::new(),
            moves,
            goals: vec![0; roles * Block::<N>::LANES],
            counted: MovesMade::new(starts, roles, actions),
        };
        noted.made_by(program, std::slice::from_ref(program));
        noted
    }

    /// From now on, moves of the program's game are made by these.
    pub fn made_by(&mut self, program: &LaneProgram, makers: &[Arc<LaneProgram>]) {
        let read = || program.stream.inputs.iter().flatten();
        let inputs = makers.iter().map(|maker| {
            let own = maker.stream.inputs.iter().flatten();
            let both = read().zip(own).filter_map(|(read, own)| read.is_some().then_some(*own));
            (0..).zip(both).filter_map(|(number, slot)| Some((number, slot?.0))).collect()
        });
        self.inputs = inputs.collect();
    }

    /// Notes the moves that the program with this number has chosen in some lanes.
    pub fn note(&mut self, program: &LaneProgram, maker: usize, states: &LaneStates<N>, playing: Block<N>) {
        let (inputs, made) = (&self.inputs[maker], &mut self.made);
        dispatch::<N, _>(program.set, Note { inputs, made, slots: &states.slots, playing });
    }

    /// Counts the moves of games that are over, whose goals the program has assessed, and forgets them.
    pub fn end(&mut self, program: &LaneProgram, states: &LaneStates<N>, ended: Block<N>, start_of: &[u32]) {
        let roles = program.roles.len();
        let mut valued = ended;
        for goals in &program.stream.goals {
            valued = and(valued, states.one_goal(goals));
        }
        let goals = &mut self.goals;
        states.goals(program, valued, |lane, role, goal| goals[lane * roles + role] = goal);
        lanes(valued).for_each(|lane| self.counted.add_playout(start_of[lane] as usize));
        for (&(role, action), made) in self.moves.iter().zip(&mut self.made) {
            for lane in lanes(and(*made, valued)) {
                let goals = &self.goals[lane * roles..][..roles];
                self.counted.add(start_of[lane] as usize, role, action, goals);
            }
            *made = without(*made, ended);
        }
    }

    /// Forgets the moves of games that came to nothing.
    pub fn forget(&mut self, failed: Block<N>) {
        self.made.iter_mut().for_each(|made| *made = without(*made, failed));
    }
}

struct Note<'a, const N: usize> {
    inputs: &'a [(u32, u32)],
    made: &'a mut [Block<N>],
    slots: &'a [Block<N>],
    playing: Block<N>,
}

impl<const N: usize> Kernel for Note<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for part in 0..N / V::WORDS {
            let playing = V::load(&self.playing, part);
            for &(number, input) in self.inputs {
                let made = &mut self.made[number as usize];
                let chosen = V::load(&self.slots[input as usize], part).and(playing);
                V::load(made, part).or(chosen).store(made, part);
            }
        }
    }
}
