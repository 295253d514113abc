//! Which moves lanes make in their games, to count them where the games end.

use ludex_game::{ActionId, Goal, MovesMade, RoleId};

use super::program::LaneProgram;
use super::states::{LaneStates, and, lanes, without};
use super::vector::{Kernel, Vector, dispatch};
use crate::kernel::Block;

/// The moves of games under way, and what those came to that are over.
pub(super) struct LaneMoves<const N: usize> {
    /// Each move that the rules read: its role, its action and its input.
    moves: Vec<(RoleId, ActionId, u32)>,
    /// Per such move the lanes in whose game it was made.
    made: Vec<Block<N>>,
    /// Per lane and role the goal of the game that ended.
    goals: Vec<Goal>,
    pub counted: MovesMade,
}

impl<const N: usize> LaneMoves<N> {
    /// Of games from so many starts.
    pub fn new(program: &LaneProgram, starts: usize) -> Self {
        let unread = program.stream.slots;
        let moves = program.roles.iter().enumerate().flat_map(|(role, moves)| {
            let groups = moves.groups.iter();
            let places = groups.flat_map(|group| group.moves.iter().zip(&group.inputs).take(group.length));
            places.map(move |(&position, &input)| {
                (RoleId(role as u32), program.actions[role][position as usize], input)
            })
        });
        let moves: Vec<_> = moves.filter(|&(_, _, input)| input != unread).collect();
        let roles = program.roles.len();
        let actions = program.actions.iter().flatten().map(|action| 1 + action.index()).max().unwrap_or(0);
        Self {
            made: vec![Block::ZERO; moves.len()],
            moves,
            goals: vec![0; roles * Block::<N>::LANES],
            counted: MovesMade::new(starts, roles, actions),
        }
    }

    /// Notes the moves that were chosen in some lanes.
    pub fn note(&mut self, program: &LaneProgram, states: &LaneStates<N>, playing: Block<N>) {
        let (moves, made) = (&self.moves, &mut self.made);
        dispatch::<N, _>(program.set, Note { moves, made, slots: &states.slots, playing });
    }

    /// Counts the moves of games that are over, whose goals were assessed, and forgets them.
    pub fn end(&mut self, program: &LaneProgram, states: &LaneStates<N>, ended: Block<N>, start_of: &[u32]) {
        let roles = program.roles.len();
        let mut valued = ended;
        for goals in &program.stream.goals {
            valued = and(valued, states.one_goal(goals));
        }
        let goals = &mut self.goals;
        states.goals(program, valued, |lane, role, goal| goals[lane * roles + role] = goal);
        lanes(valued).for_each(|lane| self.counted.add_playout(start_of[lane] as usize));
        for (&(role, action, _), made) in self.moves.iter().zip(&mut self.made) {
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
    moves: &'a [(RoleId, ActionId, u32)],
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
            for (&(_, _, input), made) in self.moves.iter().zip(&mut *self.made) {
                let chosen = V::load(&self.slots[input as usize], part).and(playing);
                V::load(made, part).or(chosen).store(made, part);
            }
        }
    }
}
