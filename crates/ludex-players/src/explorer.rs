//! Walking about in a game and counting what was looked at: what searches by hand are made of.

use ludex_game::{ActionId, Answer, Goal, Joint, RoleId, Runner, State};
use ludex_logic::{Budget, LimitError, Meter};

use crate::strategy::{Arena, Turn};

/// A question to a machine takes about as long as this many steps of inference.
pub(crate) const STEPS_PER_NODE: u64 = 64;

/// What there is to know about a state before choosing a joint move.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct OpenedState {
    /// The state.
    pub state: State,
    /// Whether the game is over.
    pub terminal: bool,
    /// Per role, the legal moves in canonical order; empty where the game is over.
    pub legal: Vec<Vec<ActionId>>,
}

/// Asks a machine about states, one at a time, and counts those it opens. The budget is spent by
/// [`Explorer::open`], so a search that opens what it looks at ends in time.
///
/// ```
/// use std::sync::Arc;
/// use ludex_players::{Arena, Explorer, Joints, Resources};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let white = rules.find_role("white").expect("a role");
/// let arena = Arena::new(Arc::clone(rules.machine()), white, Resources::default());
/// let mut explorer = Explorer::within(&arena, &Default::default());
/// let first = explorer.open(rules.initial())?;
/// let mut joints = Joints::all(&first);
/// while let Some(joint) = joints.next() {
///     let next = explorer.successor(&first.state, joint)?;
///     assert!(!explorer.open(&next)?.terminal);
/// }
/// assert_eq!(explorer.nodes(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Explorer<'m> {
    runner: Box<dyn Runner + 'm>,
    roles: usize,
    role: RoleId,
    random: Option<RoleId>,
    meter: Meter,
    at: State,
    is_at: bool,
    nodes: u64,
    most_nodes: u64,
}

impl<'m> Explorer<'m> {
    /// An explorer for a turn, within its budget.
    pub fn new(turn: &Turn<'m>) -> Self {
        Self::within(turn.arena, turn.budget)
    }

    /// An explorer of a game for the arena's role.
    pub fn within(arena: &'m Arena, budget: &Budget) -> Self {
        Self {
            runner: arena.machine.runner(budget),
            roles: arena.signature().roles().len(),
            role: arena.role,
            random: arena.signature().random(),
            meter: budget.meter(),
            at: State::default(),
            is_at: false,
            nodes: 0,
            most_nodes: u64::MAX,
        }
    }

    /// The same for so many states at most: to open more is a limit that is reached.
    pub(crate) fn up_to(self, nodes: u64) -> Self {
        Self { most_nodes: nodes, ..self }
    }

    /// Whether as many states were opened as may be.
    pub(crate) fn is_spent(&self) -> bool {
        self.nodes >= self.most_nodes
    }

    /// The role that it asks for.
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// The role that moves at random (GDL-II), if there is one.
    pub fn random(&self) -> Option<RoleId> {
        self.random
    }

    /// All roles in order.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        (0..self.roles as u32).map(RoleId)
    }

    /// How many states were opened: the calls of maxscore in the book's programs.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    fn go_to(&mut self, state: &State) -> Answer<()> {
        if !self.is_at || self.at != *state {
            self.is_at = false;
            self.runner.set(state)?;
            self.at.clone_from(state);
            self.is_at = true;
        }
        Ok(())
    }

    /// Looks at a state: whether it is terminal, and the legal moves if it is not. Counts as a node.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers. A role without legal moves is not an error
    /// here: its list is empty.
    pub fn open(&mut self, state: &State) -> Answer<OpenedState> {
        if self.is_spent() {
            let limit = self.most_nodes.saturating_mul(STEPS_PER_NODE);
            return Err(LimitError::Work { limit }.into());
        }
        self.nodes += 1;
        self.meter.spend(STEPS_PER_NODE)?;
        self.go_to(state)?;
        let terminal = self.runner.terminal()?;
        let mut legal = vec![Vec::new(); self.roles];
        if !terminal {
            for (role, list) in (0..).map(RoleId).zip(&mut legal) {
                list.extend_from_slice(self.runner.legal(role)?);
            }
        }
        Ok(OpenedState { state: state.clone(), terminal, legal })
    }

    /// What a state is worth to a role; 0 where the rules do not say exactly one value.
    ///
    /// # Errors
    /// As [`Explorer::open`].
    pub fn goal(&mut self, state: &State, role: RoleId) -> Answer<Goal> {
        self.go_to(state)?;
        Ok(self.runner.goal(role)?.unwrap_or(0))
    }

    /// The state after a joint move of legal moves. It is counted when it is opened, not here.
    ///
    /// # Errors
    /// As [`Explorer::open`].
    pub fn successor(&mut self, state: &State, joint: Joint<'_>) -> Answer<State> {
        self.go_to(state)?;
        self.is_at = false;
        self.runner.step_legal(joint)?;
        let mut next = State::default();
        self.runner.save(&mut next);
        self.at.clone_from(&next);
        self.is_at = true;
        Ok(next)
    }
}

/// All joint moves of a position, or those in which one role makes a given move, one after the other. The
/// moves of the last role change fastest.
#[derive(Clone, Debug)]
pub struct Joints {
    lists: Vec<Vec<ActionId>>,
    places: Vec<usize>,
    joint: Vec<ActionId>,
    begun: bool,
}

impl Joints {
    /// All joint moves. There are none where a role has no legal move.
    pub fn all(position: &OpenedState) -> Self {
        Self::of(position.legal.clone())
    }

    /// The joint moves in which a role makes this move: what the others may do.
    pub fn replies(position: &OpenedState, role: RoleId, action: ActionId) -> Self {
        let mut lists = position.legal.clone();
        if let Some(list) = lists.get_mut(role.index()) {
            *list = vec![action];
        }
        Self::of(lists)
    }

    fn of(lists: Vec<Vec<ActionId>>) -> Self {
        Self { places: vec![0; lists.len()], joint: Vec::new(), lists, begun: false }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.lists.iter().fold(1u64, |product, list| product.saturating_mul(list.len() as u64))
    }

    /// The next joint move; `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "lends the joint move, which an iterator cannot")]
    pub fn next(&mut self) -> Option<&[ActionId]> {
        if !self.begun {
            self.begun = true;
            self.joint = self.lists.iter().map(|list| list.first().copied()).collect::<Option<_>>()?;
            return Some(&self.joint);
        }
        for role in (0..self.places.len()).rev() {
            self.places[role] += 1;
            if let Some(&action) = self.lists[role].get(self.places[role]) {
                self.joint[role] = action;
                return Some(&self.joint);
            }
            self.places[role] = 0;
            self.joint[role] = *self.lists[role].first()?;
        }
        None
    }
}
