//! How the tournament player plays where roles do not see everything, or move at the same time.

use std::sync::Arc;

use ludex_game::{Answer, MoveModel, Rng};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;

use crate::equilibrium::{
    Equilibrium, EquilibriumError, EquilibriumOptions, SequenceForm, UnrollOptions, find_equilibrium,
};
use crate::information_tree::{InformationTree, InformationTreeOptions};
use crate::strategy::{Arena, PossibleStates, Rating, Turn};

/// The part of the start clock in which a small game is unrolled and solved.
const SOLVING_SHARE: f64 = 0.9;
/// The most nodes of a game that is solved as a whole.
const MOST_NODES: usize = 400_000;
/// It is solved until so little can be won against it, in goal points.
const EXPLOITABILITY: f64 = 0.02;
/// Moves with a smaller part in a solution are not made: it is what is left of the first iterations.
const LEAST_SHARE: f64 = 0.001;
/// It is solved in so many iterations at most.
const ITERATIONS: u64 = 20_000;

/// Solves small games, and searches large ones by what each role knows.
pub(super) struct HiddenSearch {
    tree: InformationTree,
    solved: Option<Solved>,
    /// Why the game is not solved as a whole.
    refusal: Option<EquilibriumError>,
}

/// A game that is solved as a whole.
struct Solved {
    form: SequenceForm,
    equilibrium: Equilibrium,
}

impl HiddenSearch {
    /// Nothing was found out yet.
    pub fn new(options: InformationTreeOptions) -> Self {
        Self { tree: InformationTree::new(options), solved: None, refusal: None }
    }

    /// Tries to solve the game as a whole.
    pub fn prepare(&mut self, arena: &Arena, program: &Arc<GameProgram>, budget: &Budget) {
        let budget = budget.clone().with_share_of_time(SOLVING_SHARE);
        let options = UnrollOptions { max_nodes: MOST_NODES };
        match SequenceForm::new(program, &*arena.machine, &options, &budget.clone().with_share_of_time(0.5)) {
            Ok(form) => {
                let options = EquilibriumOptions { exploitability: EXPLOITABILITY, iterations: ITERATIONS };
                let equilibrium = find_equilibrium(&form, &options, &budget);
                self.solved = Some(Solved { form, equilibrium });
            }
            Err(error) => self.refusal = Some(error),
        }
    }

    /// Plays by the solution, where there is one. Whether it did.
    pub fn play_solution(&self, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) -> bool {
        self.solved.as_ref().is_some_and(|solved| solved.play(turn, possible))
    }

    /// Forgets what is noted by the ids of a machine. A solution speaks terms, and stays.
    pub fn forget_trees(&mut self) {
        self.tree.forget();
    }

    /// How others move, as far as it was found out.
    pub fn model(&self) -> Option<&dyn MoveModel> {
        self.tree.model()
    }

    /// Searches.
    ///
    /// # Errors
    /// As [`Strategy::choose`](crate::Strategy::choose).
    pub fn search(&mut self, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) -> Answer<()> {
        if let Some(refusal) = &self.refusal {
            turn.note("not solved as a whole", refusal);
        }
        self.tree.choose(turn, possible)
    }
}

impl Solved {
    fn play(&self, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) -> bool {
        let place = self.form.roles().iter().position(|sets| sets.role() == turn.arena.role);
        let Some(place) = place else { return false };
        // News that never come in the game were not foreseen.
        let Some(policy) = self.equilibrium.policy(&self.form, place, possible.news) else { return false };
        let signature = turn.arena.signature();
        let policy: Vec<_> = (policy.into_iter())
            .filter(|&(_, part)| part > LEAST_SHARE)
            .filter_map(|(term, part)| Some((signature.find_action(term)?, part)))
            .filter(|(action, _)| turn.legal.contains(action))
            .collect();
        let drawn = Rng::from_seed(turn.seed).weighted(policy.iter().map(|&(_, part)| part));
        let Some(action) = drawn.map(|place| policy[place].0) else { return false };
        turn.note("solved as a whole", format_args!("{} nodes", self.form.nodes()));
        turn.note("exploitability", format_args!("{:.4}", self.equilibrium.exploitability));
        let value = self.equilibrium.values.get(place).copied().unwrap_or_default();
        turn.note("value of the game", format_args!("{value:.3}"));
        for &(action, part) in &policy {
            turn.rate(Rating { action, value, visits: (part * 1_000.0).round() as u64, proven: None });
        }
        turn.advise(action);
        turn.mix(&policy);
        true
    }
}
