//! Searching for sequential plans (book 5.4): what the planners and the check of plans share.
//!
//! A [`Search`] starts in one state and goes on from where a limit stopped it, so that the start clock
//! and the first play clock make one search. It plans for one player: the others have one legal move
//! in every state that it looks into, or the search ends as contested. No method recurses.

mod depth;
mod frontier;
mod kept;

use ludex_game::{ActionId, Answer, Goal, RoleId, State};
use rustc_hash::FxHashMap;

use crate::explorer::{Explorer, Joints, OpenedState};
use depth::DepthFirst;
use frontier::Frontier;

pub(crate) use kept::Kept;

/// The highest goal there is: nothing is better, so a search for more may stop (book 5.3).
pub(crate) const HIGHEST_GOAL: Goal = 100;

/// In which order states are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    DepthFirst,
    BreadthFirst,
    IterativeDeepening,
    BestFirst,
}

/// Says what a state looks worth to the player, for the order in which best-first search looks at states.
pub(crate) type Guide<'g, 'f> = &'g mut (dyn FnMut(&mut Explorer<'_>, &State) -> Answer<u32> + 'f);

/// A sequence of joint moves and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JointPlan {
    /// The joint moves.
    pub joints: Vec<Vec<ActionId>>,
    /// The states before, between and after them: one more than there are moves.
    pub states: Vec<State>,
    /// What the last state is worth to the player.
    pub goal: Goal,
    /// Whether the last state is terminal.
    pub complete: bool,
}

impl JointPlan {
    /// Whether this plan is to be preferred: for its goal, and among equals for being complete.
    pub fn is_better_than(&self, other: &Self) -> bool {
        (self.goal, self.complete) > (other.goal, other.complete)
    }

    /// The plan without its first `steps` steps, which it must have.
    pub fn after(&self, steps: usize) -> Self {
        Self { joints: self.joints[steps..].to_vec(), states: self.states[steps..].to_vec(), ..*self }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is more to look at.
    Searching,
    /// No plan is better than the best that was found.
    Optimal,
    /// What is left could not be searched for want of memory.
    OutOfMemory,
    /// Another role has a choice in a state that was reached.
    Contested,
}

/// What a planner sees in a state.
enum View {
    Terminal,
    /// The joint moves, by their numbers; none where a role has no legal move.
    Open(Vec<u32>),
    Contested,
}

/// A search for the best plan from a state.
#[derive(Debug)]
pub(crate) struct Search {
    core: Core,
    order: Order,
}

#[derive(Debug)]
enum Order {
    Depth(DepthFirst),
    Frontier(Frontier),
}

/// What is the same in all orders.
#[derive(Debug)]
struct Core {
    root: State,
    role: RoleId,
    /// Bytes that tables and stacks may take.
    memory: usize,
    joints: JointTable,
    /// The best complete plan so far.
    complete: Option<JointPlan>,
    /// The best plan so far that leads to a state that is not terminal.
    beginning: Option<JointPlan>,
    nodes: u64,
    progress: Progress,
}

/// Joint moves by number: states are many, joint moves few.
#[derive(Debug, Default)]
struct JointTable {
    joints: Vec<Vec<ActionId>>,
    numbers: FxHashMap<Vec<ActionId>, u32>,
}

impl JointTable {
    fn number(&mut self, joint: &[ActionId]) -> u32 {
        if let Some(&number) = self.numbers.get(joint) {
            return number;
        }
        let number = self.joints.len() as u32;
        self.joints.push(joint.to_vec());
        self.numbers.insert(joint.to_vec(), number);
        number
    }

    fn get(&self, number: u32) -> &[ActionId] {
        &self.joints[number as usize]
    }
}

/// The bytes of a state kept in a table, with what tables need beside it.
fn bytes_of(state: &State) -> usize {
    const INLINE_WORDS: usize = 6;
    let words = state.words().len();
    let heap = if words > INLINE_WORDS { words * 8 + 16 } else { 0 };
    size_of::<State>() + heap + 32
}

impl Core {
    /// Opens a state.
    fn view(&mut self, explorer: &mut Explorer<'_>, state: &State) -> Answer<View> {
        let position = explorer.open(state)?;
        self.nodes += 1;
        if position.terminal {
            return Ok(View::Terminal);
        }
        if is_contested(&position, self.role) {
            self.progress = Progress::Contested;
            return Ok(View::Contested);
        }
        let mut joints = Joints::all(&position);
        let mut numbers = Vec::with_capacity(joints.count() as usize);
        while let Some(joint) = joints.next() {
            numbers.push(self.joints.number(joint));
        }
        Ok(View::Open(numbers))
    }

    /// Remembers the plan that leads to a state, if it is the best of its kind so far. The empty plan is
    /// none.
    fn weigh(&mut self, goal: Goal, complete: bool, path: impl FnOnce(&JointTable) -> Path) {
        let known = if complete { &mut self.complete } else { &mut self.beginning };
        if known.as_ref().is_none_or(|known| goal > known.goal) {
            let Path { joints, states } = path(&self.joints);
            if !joints.is_empty() {
                *known = Some(JointPlan { joints, states, goal, complete });
            }
        }
        if complete && goal >= HIGHEST_GOAL {
            self.progress = Progress::Optimal;
        }
    }
}

/// The way from the root to a state.
struct Path {
    joints: Vec<Vec<ActionId>>,
    states: Vec<State>,
}

/// Whether a role other than the player's has several legal moves.
pub(crate) fn is_contested(position: &OpenedState, role: RoleId) -> bool {
    let others = (0..).map(RoleId).zip(&position.legal).filter(|&(other, _)| other != role);
    others.into_iter().any(|(_, moves)| moves.len() > 1)
}

impl Search {
    /// A search from a state for a role, within so many bytes.
    pub fn new(method: Method, root: &State, role: RoleId, memory: usize) -> Self {
        let order = match method {
            Method::DepthFirst => Order::Depth(DepthFirst::unlimited()),
            Method::IterativeDeepening => Order::Depth(DepthFirst::deepening()),
            Method::BreadthFirst => Order::Frontier(Frontier::breadth_first(root)),
            Method::BestFirst => Order::Frontier(Frontier::best_first(root)),
        };
        let core = Core {
            root: root.clone(),
            role,
            memory,
            joints: JointTable::default(),
            complete: None,
            beginning: None,
            nodes: 0,
            progress: Progress::Searching,
        };
        Self { core, order }
    }

    /// Searches on until it is over or `nodes` states were looked at in all.
    ///
    /// # Errors
    /// A limit, or what the machine answers; the search can then go on later.
    pub fn run(&mut self, explorer: &mut Explorer<'_>, nodes: u64) -> Answer<Progress> {
        let role = self.core.role;
        self.run_guided(explorer, nodes, &mut |explorer, state| explorer.goal(state, role))
    }

    /// The same, where best-first search goes by what a guide says instead of the goal value.
    ///
    /// # Errors
    /// As [`Search::run`], and those of the guide.
    pub fn run_guided(
        &mut self,
        explorer: &mut Explorer<'_>,
        nodes: u64,
        guide: Guide<'_, '_>,
    ) -> Answer<Progress> {
        while self.core.progress == Progress::Searching && self.core.nodes < nodes {
            match &mut self.order {
                Order::Depth(search) => search.step(&mut self.core, explorer)?,
                Order::Frontier(search) => search.step(&mut self.core, explorer, &mut *guide)?,
            }
        }
        Ok(self.core.progress)
    }

    /// Where it starts.
    pub fn root(&self) -> &State {
        &self.core.root
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.core.progress
    }

    /// The best plan so far: an optimal one if the search is over. Otherwise a complete one, or the
    /// beginning of one that leads to a state of an even higher goal.
    pub fn best(&self) -> Option<&JointPlan> {
        let Core { complete, beginning, progress, .. } = &self.core;
        match (complete, beginning) {
            (Some(complete), Some(beginning))
                if *progress != Progress::Optimal && beginning.goal > complete.goal =>
            {
                Some(beginning)
            }
            (Some(plan), _) | (None, Some(plan)) => Some(plan),
            (None, None) => None,
        }
    }

    /// The best complete plan so far.
    pub fn best_complete(&self) -> Option<&JointPlan> {
        self.core.complete.as_ref()
    }

    /// How many states were looked at.
    pub fn nodes(&self) -> u64 {
        self.core.nodes
    }

    /// How many states each iteration looked at, for iterative deepening.
    pub fn iterations(&self) -> Option<Vec<u64>> {
        match &self.order {
            Order::Depth(search) => search.iterations(self.core.nodes),
            Order::Frontier(_) => None,
        }
    }
}
