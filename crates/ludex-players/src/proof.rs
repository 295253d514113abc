//! What a role can force in a state, proven by a proof-number search on its own.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, BatchOptions, Goal, Machine, RoleId, State};
use ludex_logic::Budget;

use crate::explorer::Explorer;
use crate::proof_number::{Found, Prizes, ProofBatch, ProofGraph, Range};
use crate::strategy::{Arena, Resources};

/// How often a batch fills the lanes, about.
const ROUNDS: usize = 2;

/// How to look for a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofOptions {
    /// The goals that the game can bring to the role, two or three different ones. Where it brings another one, nothing
    /// is proven.
    pub goals: Vec<Goal>,
    /// The search ends after so many states.
    pub states: u64,
    /// Bytes for what is known of states.
    pub memory: usize,
}

/// What a role can force: its goal where it does its best and all others do their best against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedGoal {
    /// It is sure of so much.
    pub least: Option<Goal>,
    /// The others can keep it from more.
    pub most: Option<Goal>,
}

impl From<Range> for ForcedGoal {
    fn from(range: Range) -> Self {
        Self { least: range.least.map(Goal::from), most: range.most.map(Goal::from) }
    }
}

/// What was proven of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What the role can force there.
    pub state: ForcedGoal,
    /// What it can force by each of its moves, in canonical order, where it is the only role with a choice: all that
    /// keep what it can force are looked for.
    pub moves: Vec<(ActionId, ForcedGoal)>,
    /// How many states were looked at.
    pub states: u64,
}

/// Proves what a role can force in a state, and by which of its moves. Nothing is proven where several roles choose at
/// the same time, nor of an end of the game.
///
/// ```
/// use ludex_game::RoleId;
/// use ludex_players::{ProofOptions, prove};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let mut position = rules.start();
/// position.play(&["(mark 1 1)", "noop"])?;
/// let options = ProofOptions { goals: vec![0, 50, 100], states: 100_000, memory: 64 << 20 };
/// let proof = prove(rules.machine(), position.state(), RoleId(1), &options, &Default::default())?;
/// assert_eq!((proof.state.least, proof.state.most), (Some(50), Some(50)));
/// let keeps = proof.moves.iter().filter(|(_, forced)| forced.least == Some(50));
/// assert_eq!(keeps.count(), 1, "only the centre saves black");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A limit of the budget, or what the machine answers.
pub fn prove(
    machine: &Arc<dyn Machine>,
    state: &State,
    role: RoleId,
    options: &ProofOptions,
    budget: &Budget,
) -> Answer<Proof> {
    let arena = Arena::new(Arc::clone(machine), role, Resources::default());
    let opened = Explorer::within(&arena, budget).open(state)?;
    let unknown = ForcedGoal { least: None, most: None };
    let nothing = Proof { state: unknown, moves: Vec::new(), states: 0 };
    let Some(prizes) = Prizes::of(options.goals.iter().copied()).filter(|_| !opened.terminal) else {
        return Ok(nothing);
    };
    let roles = opened.legal.len();
    let mut graph = ProofGraph::new(prizes, role.index(), roles, options.memory);
    graph.set_root(state.words(), |role| &opened.legal[role][..]);
    let batch_options = BatchOptions { budget: budget.clone(), records: false };
    let (mut batch, mut leaves, mut meter) =
        (machine.batch(&batch_options), ProofBatch::default(), budget.meter());
    while graph.examined() < options.states {
        match leaves.collect(&mut graph, ROUNDS * batch.width()) {
            Found::Nothing => break,
            Found::Waiting => {}
            Found::Work => {
                leaves.run(&mut *batch)?;
                leaves.finish(&mut graph, |goals| goals.get(role.index()).copied().flatten().unwrap_or(0));
            }
        }
        meter.spend(leaves.len() as u64 + 1)?;
    }
    let Some(root) = graph.find(state.words()) else { return Ok(nothing) };
    let own = &opened.legal[role.index()];
    let is_alone = opened.legal.iter().filter(|legal| legal.len() > 1).count() <= 1 && own.len() > 1;
    let ranges: Vec<Range> = if is_alone { graph.ranges_below_root().collect() } else { Vec::new() };
    let moves = own.iter().copied().zip(ranges.into_iter().map(ForcedGoal::from)).collect();
    Ok(Proof { state: graph.range(root).into(), moves, states: graph.examined() })
}
