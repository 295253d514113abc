//! Tree search where roles do not see everything.
//!
//! Each role has a tree of its own, whose nodes are what it knows: the moves that it made and what it saw (multiple
//! observer information set search: Cowling, Powley and Whitehouse, 2012). A descent begins in a state drawn by its
//! probability, and each role goes down its own tree by what it sees of the joint moves. So nobody is taken to know
//! more than it does, and telling, asking and hiding have the worth that they have.
//!
//! Where the role is alone with chance, and where roles hide nothing but their moves, moves are chosen by upper confidence
//! bounds. Where several roles choose and chance deals what is hidden, as in games of cards and dice, they are chosen by
//! regret matching, and the average of what was chosen is played, a mixed strategy (Hart and Mas-Colell, 2000; in trees
//! of this kind: Lisý, Kovařík, Lanctot and Bošanský, 2013). Random games see one move ahead where that costs little, as
//! in the search of open games.
//!
//! Hundreds of descents go on side by side, one step of all of them at a time, so that lanes make the steps.
//!
//! What a role knows is kept in short ([`Told`](ludex_game::Told)), from the beginning of the match on. So the trees go
//! on from turn to turn, and they say how others are taken to have moved when it is asked which states are possible.

mod descents;
mod node;

use ludex_game::{Answer, AtLimit, BatchOptions, DecisiveMoves, Expansion, MoveModel, Policy, Rng, State};

use crate::strategy::{Arena, PossibleStates, Rating, Turn};
use crate::tree::{PlayoutProfile, Profiler, StepsOption, TreeOptions, see_ahead_cheaply};
use descents::Descents;
use node::{Selection, Trees};

/// How an [`InformationTree`] searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InformationTreeOptions {
    /// Descents for each move; `u64::MAX` for as many as there is time for.
    pub descents: u64,
    /// A random game from a leaf ends after so many steps.
    pub step_limit: u32,
}

impl InformationTreeOptions {
    /// The same for random games before the search.
    fn of_playouts(&self) -> TreeOptions {
        TreeOptions { steps: StepsOption::After(self.step_limit), ..TreeOptions::default() }
    }
}

/// Descents where neither an option nor the budget says how many.
const DESCENTS: u64 = 20_000;
/// Moves with a smaller part in a mixed strategy are not played: their part is mostly that of early descents
/// (purification: Ganzfried and Sandholm, 2012).
const LEAST_SHARE: f64 = 0.1;

/// A search among the states that are possible.
pub(crate) struct InformationTree {
    options: InformationTreeOptions,
    trees: Option<Trees>,
    profiler: Profiler,
    /// What random games showed, once there were enough.
    profile: Option<PlayoutProfile>,
}

impl InformationTree {
    /// A search that has not begun.
    pub fn new(options: InformationTreeOptions) -> Self {
        Self { options, trees: None, profiler: Profiler::default(), profile: None }
    }

    /// Forgets all that was found out.
    pub fn forget(&mut self) {
        self.trees = None;
    }

    /// How others move, as far as it was found out.
    pub fn model(&self) -> Option<&dyn MoveModel> {
        self.trees.as_ref().map(|trees| trees as &dyn MoveModel)
    }

    /// Searches until the budget ends it or there were enough descents, and tells the turn what it found.
    ///
    /// # Errors
    /// A limit, or what the machine answers. What was found until then was told.
    pub fn choose(&mut self, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) -> Answer<()> {
        if self.profile.is_none() {
            self.profile = self.profiler.profile(&self.options.of_playouts(), turn)?;
        }
        let stakes = self.profile.as_ref().and_then(|profile| profile.stakes.as_ref());
        let mut search = Search::new(turn, possible, self.options, stakes)?;
        if self.trees.as_ref().is_some_and(Trees::is_half_full) {
            self.trees = None;
        }
        let trees = self.trees.get_or_insert_with(|| new_trees(turn.arena));
        let searched = search.run(trees, turn, possible);
        search.tell(trees, turn, possible);
        searched
    }
}

fn new_trees(Arena { machine, resources, .. }: &Arena) -> Trees {
    let signature = machine.signature();
    let choosing = signature.role_ids().filter(|&role| Some(role) != signature.random()).count();
    let selection =
        if choosing > 1 && signature.random().is_some() { Selection::Regret } else { Selection::Bound };
    Trees::new(signature.roles().len(), selection, resources.memory)
}

/// The search of one turn.
struct Search<'t> {
    descents: Descents<'t>,
    rng: Rng,
    wanted: u64,
    done: u64,
}

impl<'t> Search<'t> {
    fn new(
        turn: &Turn<'t>,
        possible: &PossibleStates<'_>,
        options: InformationTreeOptions,
        stakes: Option<&DecisiveMoves>,
    ) -> Answer<Self> {
        let machine = &turn.arena.machine;
        let budget = turn.budget.clone();
        let mut batch = machine.batch(&BatchOptions { budget: budget.clone(), ..BatchOptions::default() });
        let mut roots = Expansion::default();
        let states: Vec<&State> = possible.states.iter().collect();
        batch.look(&states, &mut roots)?;
        let policy = Policy {
            at_limit: AtLimit::Goals,
            decisive_moves: stakes.filter(|stakes| see_ahead_cheaply(&mut *batch, stakes)).cloned(),
            ..Policy::uniform(options.step_limit)
        };
        let wanted = match options.descents {
            u64::MAX if turn.is_unlimited() => DESCENTS,
            wanted => wanted,
        };
        Ok(Self {
            descents: Descents::new(batch, roots, machine.signature(), policy, &budget),
            rng: Rng::from_seed(turn.seed),
            wanted,
            done: 0,
        })
    }

    fn run(&mut self, trees: &mut Trees, turn: &Turn<'_>, possible: &PossibleStates<'_>) -> Answer<()> {
        let mut meter = turn.budget.meter();
        while self.done < self.wanted {
            meter.check()?;
            let count = self.descents.width().min(self.wanted - self.done);
            let starts = possible.draw(count as usize, &mut self.rng);
            self.descents.run(trees, (possible, &starts), &mut self.rng)?;
            self.done += count;
        }
        Ok(())
    }

    /// Says what each move is worth, and which is to be played.
    fn tell(&mut self, trees: &Trees, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) {
        turn.note("descents", self.done);
        turn.note("information sets", trees.len());
        turn.note("states looked at", self.descents.states);
        let Some(root) = trees.find(turn.arena.role, possible.own_told) else { return };
        let legal = turn.legal;
        for edge in root.edges() {
            if let Some(value) = edge.mean() {
                turn.rate(Rating { action: edge.action, value, visits: edge.visits.into(), proven: None });
            }
        }
        let policy = root.policy(trees.selection(), |action| legal.contains(&action), LEAST_SHARE);
        if let Some(place) = self.rng.weighted(policy.iter().map(|&(_, part)| part)) {
            turn.advise(policy[place].0);
        }
        turn.mix(&policy);
    }
}
