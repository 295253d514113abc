//! The search: moves of the role, replies of the others, and what becomes known of states on the way.

use ludex_game::Goal;
use ludex_logic::{Budget, Meter};
use ludex_propnet::{CircuitEvaluator, GateValues};

use super::cubes::{Cube, Known, bits};
use super::reach::{FOREVER, Reach, Reachable};
use super::step::Step;
use crate::planning::model::Model;
use crate::planning::search::Stopped;

/// What becomes of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The role wins within so many steps; 0 where it has won.
    Won { steps: u32 },
    /// The role cannot force to win within so many steps.
    Lost { steps: u32 },
}

/// A state on the way, with what was found out about its moves.
struct Node {
    state: Vec<bool>,
    /// The steps that are left; at least 1.
    steps: u32,
    /// Moves of the role that were not tried, the next one last.
    moves: Vec<u32>,
    attempt: Option<Attempt>,
    /// For each move that was refuted the joint move that does it.
    refutations: Vec<Vec<u32>>,
    /// For how many steps all of these lose.
    lost: u32,
}

/// A move of the role that may win.
struct Attempt {
    action: u32,
    /// Joint moves with the states they lead to; those before `at` are won within `steps`.
    replies: Vec<(Vec<u32>, Vec<bool>)>,
    at: usize,
    steps: u32,
}

pub(super) struct Search<'m> {
    model: &'m Model,
    role: usize,
    least: Goal,
    evaluator: CircuitEvaluator<'m>,
    meter: Meter,
    reachable: Reachable<'m>,
    step: Step<'m>,
    won: Known,
    lost: Known,
    pub(super) states: u64,
    is_paused: bool,
}

impl<'m> Search<'m> {
    pub(super) fn new(model: &'m Model, role: usize, least: Goal, budget: &Budget) -> Result<Self, Stopped> {
        let mut search = Self {
            model,
            role,
            least,
            evaluator: CircuitEvaluator::new(model.circuit()),
            meter: budget.meter(),
            reachable: Reachable::new(model, role, least, budget.meter())?,
            step: Step::new(model, role, least, budget.meter())?,
            won: Known::default(),
            lost: Known::default(),
            states: 0,
            is_paused: false,
        };
        // With no step left, every state is lost that is not won already.
        let everywhere = Cube::around(&vec![false; model.circuit().bases.len()], []);
        search.add_lost(everywhere, 0)?;
        Ok(search)
    }

    /// The questions that were put to the solver.
    pub(super) fn questions(&self) -> u64 {
        self.reachable.questions + self.step.questions
    }

    /// How many sets of states are known to be won, and how many to be lost.
    pub(super) fn known(&self) -> (usize, usize) {
        (self.won.len(), self.lost.len())
    }

    /// The move by which a state is won, with the steps it takes at most.
    pub(super) fn winning(&self, state: &[bool]) -> Option<(u32, u32)> {
        self.won.fewest(&bits(state))
    }

    /// Whether the last search was given up for its many questions.
    pub(super) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// What becomes of a state within so many steps; none where there were so many questions in all that it
    /// was given up. What was found out on the way is kept.
    pub(super) fn decide(
        &mut self,
        state: Vec<bool>,
        steps: u32,
        most_questions: u64,
    ) -> Result<Option<Fate>, Stopped> {
        let mut path: Vec<Node> = Vec::new();
        let mut fate = self.enter(state, steps, &mut path)?;
        while let Some(mut node) = path.pop() {
            self.is_paused = self.questions() > most_questions;
            if self.is_paused {
                return Ok(None);
            }
            if let Some(fate) = fate.take() {
                node.take(fate);
            }
            fate = match node.attempt.take() {
                Some(mut attempt) if attempt.at < attempt.replies.len() => {
                    let next = std::mem::take(&mut attempt.replies[attempt.at].1);
                    let left = node.steps - 1;
                    node.attempt = Some(attempt);
                    path.push(node);
                    self.enter(next, left, &mut path)?
                }
                Some(attempt) => Some(self.winning_move(&node, &attempt)?),
                None => match node.moves.pop() {
                    Some(action) => {
                        self.attempt(&mut node, action)?;
                        path.push(node);
                        None
                    }
                    None => Some(self.no_move_left(&node)?),
                },
            };
        }
        // Nothing is on the path any more, so the first state has its answer.
        Ok(Some(fate.unwrap_or(Fate::Lost { steps: 0 })))
    }

    /// What is known of a state at once. Otherwise it comes to the end of the path.
    fn enter(&mut self, state: Vec<bool>, steps: u32, path: &mut Vec<Node>) -> Result<Option<Fate>, Stopped> {
        let values = self.evaluate(&state, &[])?;
        if let Some(fate) = self.known_fate(&state, &values, steps) {
            return Ok(Some(fate));
        }
        self.states += 1;
        match self.reachable.ask(&state, steps)? {
            Reach::Closed { cube, steps } => {
                self.add_lost(cube, steps)?;
                Ok(Some(Fate::Lost { steps }))
            }
            Reach::Open { action } => {
                let mut moves = self.legal(&values, self.role);
                moves.reverse();
                if let Some(at) = moves.iter().position(|&number| number == action) {
                    let hopeful = moves.remove(at);
                    moves.push(hopeful);
                }
                let (attempt, refutations) = (None, Vec::new());
                path.push(Node { state, steps, moves, attempt, refutations, lost: FOREVER });
                Ok(None)
            }
        }
    }

    /// What is known without a question to the solver.
    fn known_fate(&self, state: &[bool], values: &GateValues, steps: u32) -> Option<Fate> {
        let circuit = self.model.circuit();
        if values.get(circuit.terminal) {
            let mut goals = circuit.goals[self.role].iter().filter(|(_, edge)| values.get(*edge));
            let goal = goals.next().filter(|_| goals.next().is_none());
            let has_won = goal.is_some_and(|(value, _)| *value >= self.least);
            return Some(if has_won { Fate::Won { steps: 0 } } else { Fate::Lost { steps: FOREVER } });
        }
        let state = bits(state);
        if let Some((needed, _)) = self.won.fewest(&state).filter(|&(needed, _)| needed <= steps) {
            return Some(Fate::Won { steps: needed });
        }
        let lost = self.lost.most(&state).filter(|&lost| lost >= steps);
        lost.map(|steps| Fate::Lost { steps })
    }

    /// Begins to try a move, unless a reply is known to refute it.
    fn attempt(&mut self, node: &mut Node, action: u32) -> Result<(), Stopped> {
        let mut attempt = Attempt { action, replies: Vec::new(), at: 0, steps: 0 };
        for joint in self.joint_moves(&node.state, action)? {
            let next = self.after(&node.state, &joint)?;
            let values = self.evaluate(&next, &[])?;
            match self.known_fate(&next, &values, node.steps - 1) {
                Some(Fate::Lost { steps }) => {
                    node.refute(joint, steps);
                    return Ok(());
                }
                Some(Fate::Won { steps }) => attempt.steps = attempt.steps.max(steps),
                None => attempt.replies.push((joint, next)),
            }
        }
        node.attempt = Some(attempt);
        Ok(())
    }

    fn winning_move(&mut self, node: &Node, attempt: &Attempt) -> Result<Fate, Stopped> {
        let steps = attempt.steps + 1;
        let cube = self.step.won_by(&node.state, attempt.action, attempt.steps)?;
        let cube = cube.unwrap_or_else(|| whole(&node.state));
        self.step.add_won(&cube, steps)?;
        self.won.add(cube, steps, attempt.action);
        Ok(Fate::Won { steps })
    }

    fn no_move_left(&mut self, node: &Node) -> Result<Fate, Stopped> {
        let steps = node.lost.saturating_add(1);
        let cube = self.step.lost_to(&node.state, &node.refutations, node.lost)?;
        self.add_lost(cube.unwrap_or_else(|| whole(&node.state)), steps)?;
        Ok(Fate::Lost { steps })
    }

    fn add_lost(&mut self, cube: Cube, steps: u32) -> Result<(), Stopped> {
        self.step.add_lost(&cube, steps)?;
        self.lost.add(cube, steps, 0);
        Ok(())
    }

    /// All joint moves in which the role makes this move.
    pub(super) fn joint_moves(&mut self, state: &[bool], action: u32) -> Result<Vec<Vec<u32>>, Stopped> {
        let values = self.evaluate(state, &[])?;
        let mut joints: Vec<Vec<u32>> = vec![Vec::new()];
        for role in 0..self.model.circuit().moves.len() {
            let moves = if role == self.role { vec![action] } else { self.legal(&values, role) };
            let count = joints.len().saturating_mul(moves.len());
            self.meter.spend(count as u64)?;
            let bytes = count.saturating_mul(size_of::<Vec<u32>>() + (role + 1) * size_of::<u32>());
            self.meter.check_memory(bytes, || "joint moves".to_owned())?;
            let mut longer = Vec::with_capacity(count);
            for joint in &joints {
                longer.extend(moves.iter().map(|&number| [joint.as_slice(), &[number]].concat()));
            }
            joints = longer;
        }
        Ok(joints)
    }

    /// The state after a joint move.
    pub(super) fn after(&mut self, state: &[bool], joint: &[u32]) -> Result<Vec<bool>, Stopped> {
        let values = self.evaluate(state, joint)?;
        Ok(self.model.circuit().bases.iter().map(|base| values.get(base.next)).collect())
    }

    /// The legal moves of a role, ascending.
    fn legal(&self, values: &GateValues, role: usize) -> Vec<u32> {
        let legal = &self.model.circuit().legal[role];
        (0..legal.len() as u32).filter(|&number| values.get(legal[number as usize])).collect()
    }

    /// The gates in a state after a joint move, or without one.
    pub(super) fn evaluate(&mut self, state: &[bool], joint: &[u32]) -> Result<GateValues, Stopped> {
        self.meter.spend(self.model.circuit().gates.len() as u64)?;
        Ok(self.evaluator.in_state(state, joint))
    }
}

impl Node {
    /// What became of the reply that was looked at.
    fn take(&mut self, fate: Fate) {
        let Some(mut attempt) = self.attempt.take() else { return };
        match fate {
            Fate::Won { steps } => {
                attempt.steps = attempt.steps.max(steps);
                attempt.at += 1;
                self.attempt = Some(attempt);
            }
            Fate::Lost { steps } => {
                let (joint, _) = attempt.replies.swap_remove(attempt.at);
                self.refute(joint, steps);
            }
        }
    }

    /// A joint move refutes the role's move in it: the state it leads to is lost for so many steps.
    fn refute(&mut self, joint: Vec<u32>, steps: u32) {
        self.lost = self.lost.min(steps);
        self.refutations.push(joint);
    }
}

/// The state alone.
fn whole(state: &[bool]) -> Cube {
    Cube::around(state, 0..state.len() as u32)
}
