//! Counting the game tree: a test, a benchmark and a public question at once.

use ludex_logic::{Budget, LimitError};
use serde::Serialize;

use crate::error::{Answer, GameError};
use crate::machine::{Machine, Runner};
use crate::signature::{ActionId, RoleId, Signature};
use crate::state::State;
use crate::state_table::StateTable;

/// What there is at one depth of the game tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PerftRow {
    /// The number of joint moves made.
    pub depth: u32,
    /// The sequences of so many joint moves; `u128::MAX` stands for that many or more.
    pub paths: u128,
    /// The distinct states they lead to.
    pub distinct: u64,
    /// The sequences among them that end in a terminal state; capped as `paths`.
    pub terminals: u128,
}

/// The states of one depth with the number of ways to reach each.
///
/// Equal states have equal futures, so a state is expanded once for all the paths that lead to it.
type Layer = StateTable<u128>;

/// Adds ways to reach a state.
fn add(layer: &mut Layer, state: &State, ways: u128, budget: &Budget) -> Answer<()> {
    let Some((number, is_new)) = layer.insert(state.words(), ways) else {
        return Err(LimitError::Memory { limit: budget.memory(), what: "perft".into() }.into());
    };
    if !is_new {
        let counted = layer.value_mut(number);
        *counted = counted.saturating_add(ways);
    }
    Ok(())
}

/// Counts joint-move sequences, distinct states and endings at each depth from 0 to `depth`.
///
/// ```
/// use ludex_game::{RuleMachine, perft};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (legal you stay) (<= (next (at 2)) (does you go))
/// #     (<= (next (at 1)) (does you stay)) (<= terminal (true (at 2))) (<= (goal you 50) (true (at 2)))";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = RuleMachine::new(&game, &Default::default())?;
/// let rows = perft(&machine, 3, &Default::default())?;
/// assert_eq!(rows.len(), 4);
/// # Ok::<(), ludex_game::GameError>(())
/// ```
///
/// The list is shorter where every sequence has ended before. The budget's memory limits what is kept
/// of one depth, its work the joint moves made (and each question to the machine).
///
/// # Errors
/// [`GameError::Limit`], and [`GameError::NoLegalMove`] for a state that is not terminal in which a role
/// is stuck.
pub fn perft(machine: &dyn Machine, depth: u32, budget: &Budget) -> Answer<Vec<PerftRow>> {
    perft_merging(machine, depth, budget, |_| Ok(()))
}

/// As [`perft`], from a state of the machine on.
///
/// # Errors
/// As [`perft`].
pub fn perft_from(
    machine: &dyn Machine,
    start: &State,
    depth: u32,
    budget: &Budget,
) -> Answer<Vec<PerftRow>> {
    count_from(machine, start, depth, budget, |_| Ok(()))
}

/// As [`perft`], where states count as one if `merge` makes them the same.
///
/// `merge` replaces a state by one that has as many continuations of each length, endings among them,
/// such as a symmetric one. Then paths and endings are exact, since each state that is kept counts for
/// all the paths to those it stands for; `distinct` is the number of states that are kept.
///
/// # Errors
/// As [`perft`], and what `merge` answers.
pub fn perft_merging(
    machine: &dyn Machine,
    depth: u32,
    budget: &Budget,
    merge: impl FnMut(&mut State) -> Answer<()>,
) -> Answer<Vec<PerftRow>> {
    count_from(machine, machine.initial(), depth, budget, merge)
}

fn count_from(
    machine: &dyn Machine,
    start: &State,
    depth: u32,
    budget: &Budget,
    mut merge: impl FnMut(&mut State) -> Answer<()>,
) -> Answer<Vec<PerftRow>> {
    let signature = machine.signature();
    let mut runner = machine.runner(budget);
    let mut meter = budget.meter();
    let mut layer = Layer::default();
    let mut state = start.clone();
    let mut after = state.clone();
    merge(&mut after)?;
    add(&mut layer, &after, 1, budget)?;
    let mut rows = Vec::new();
    for at in 0..=depth {
        let paths = layer.values().iter().fold(0, |sum: u128, ways| sum.saturating_add(*ways));
        let mut row = PerftRow { depth: at, paths, distinct: layer.len() as u64, terminals: 0 };
        budget.report("perft", u64::from(at), Some(u64::from(depth)));
        let mut next = Layer::default();
        for (number, &ways) in (0..).zip(layer.values()) {
            meter.spend(1)?;
            state.set_words(layer.words(number));
            runner.set(&state)?;
            if runner.terminal()? {
                row.terminals = row.terminals.saturating_add(ways);
                continue;
            }
            if at == depth {
                continue;
            }
            let mut joints = JointMoves::new(&mut *runner, signature)?;
            while let Some(joint) = joints.next() {
                meter.spend(1)?;
                runner.set(&state)?;
                runner.step_legal(joint)?;
                runner.save(&mut after);
                merge(&mut after)?;
                add(&mut next, &after, ways, budget)?;
            }
            meter.check_memory(next.bytes(), || "perft".into())?;
        }
        rows.push(row);
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    Ok(rows)
}

/// All joint moves of a state, the last role's moves changing fastest.
#[derive(Clone, Debug)]
pub struct JointMoves {
    moves: Vec<Vec<ActionId>>,
    places: Vec<usize>,
    joint: Vec<ActionId>,
    started: bool,
    done: bool,
}

impl JointMoves {
    /// The joint moves of the runner's current state.
    ///
    /// # Errors
    /// [`GameError::NoLegalMove`] for a role that is stuck.
    pub fn new(runner: &mut dyn Runner, signature: &Signature) -> Answer<Self> {
        let mut moves = Vec::with_capacity(signature.roles().len());
        for role in signature.role_ids() {
            let legal = runner.legal(role)?.to_vec();
            if legal.is_empty() {
                return Err(no_legal_move(signature, role));
            }
            moves.push(legal);
        }
        let places = vec![0; moves.len()];
        let joint = moves.iter().map(|m: &Vec<ActionId>| m[0]).collect();
        Ok(Self { moves, places, joint, started: false, done: false })
    }

    /// The number of joint moves.
    pub fn count(&self) -> u128 {
        self.moves.iter().fold(1, |product: u128, m| product.saturating_mul(m.len() as u128))
    }

    /// The next joint move.
    #[expect(clippy::should_implement_trait, reason = "the joint move is lent")]
    pub fn next(&mut self) -> Option<&[ActionId]> {
        if !self.started {
            self.started = true;
            return Some(&self.joint);
        }
        if self.done {
            return None;
        }
        for role in (0..self.moves.len()).rev() {
            self.places[role] += 1;
            if let Some(&action) = self.moves[role].get(self.places[role]) {
                self.joint[role] = action;
                return Some(&self.joint);
            }
            self.places[role] = 0;
            self.joint[role] = self.moves[role][0];
        }
        self.done = true;
        None
    }
}

fn no_legal_move(signature: &Signature, role: RoleId) -> GameError {
    GameError::NoLegalMove { role: signature.text(signature.roles()[role.index()]) }
}
