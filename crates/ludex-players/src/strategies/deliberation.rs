//! The strategy `deliberation`.

use ludex_game::{ActionId, Answer, Goal, RoleId, State};

use crate::explorer::{Explorer, Joints, OpenedState};
use crate::registry::BuiltIn;
use crate::strategies::planning::HIGHEST_GOAL;
use crate::strategy::{Rating, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "deliberation",
    description: "compulsive deliberation: searches the whole game tree anew on every step (5.3)",
    options: &[],
    make: |_, resources| Ok(Box::new(StrategyPlayer::new(Deliberation, resources))),
};

/// How many states are opened in a turn that nothing else limits.
pub(crate) const DEFAULT_NODES: u64 = 2_000_000;

/// Compulsive deliberation (book 5.3): on every step the whole tree below, independent of the steps
/// before. A move that guarantees 100 ends it; below the root everything is looked at, as in the book's
/// `maxscore`.
///
/// In games of several roles the score of a move is what it guarantees: the others, who may act
/// together, answer as badly for the player as they can (minimax, 6.2), and a random role's moves are
/// averaged. Where there is one player, a search that is stopped plays the move below which it has
/// seen the best end; with several, the best of the moves that it has finished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deliberation;

impl Strategy for Deliberation {
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let nodes = if turn.is_unlimited() { DEFAULT_NODES } else { u64::MAX };
        deliberate(turn, Extent::Whole, nodes).map(|_| ())
    }
}

/// What of the tree is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it below a move of the root: the book's `maxscore`.
    Whole,
    /// Nothing beside a move that guarantees 100 or a reply that leaves 0 (book 6.3).
    Needed,
}

/// Rates all moves of a turn, or as many as `nodes` states allow, and says whether it finished.
///
/// # Errors
/// A limit, after telling the turn what was found out; or what the machine answers.
pub(crate) fn deliberate(turn: &mut Turn<'_>, extent: Extent, nodes: u64) -> Answer<bool> {
    if let Some(&first) = turn.legal.first() {
        turn.advise(first);
    }
    let mut tree = Tree::new(turn, extent, nodes);
    let result = tree.bestmove(turn);
    turn.note("nodes", tree.explorer.nodes());
    result
}

/// A walk through a game tree on a stack of its own.
struct Tree<'m> {
    explorer: Explorer<'m>,
    extent: Extent,
    /// How many states may be opened.
    nodes: u64,
    /// How many bytes the stack may take, and takes.
    memory: usize,
    bytes: usize,
    stack: Vec<Frame>,
    /// The best end seen below the root's move, in a game of one player: it can surely be had.
    seen: Goal,
    /// Whether something was left out for want of memory.
    is_cut: bool,
}

/// A state on the way: the player's move that is tried, the others' reply, and chance.
struct Frame {
    position: OpenedState,
    /// The number of the player's next move.
    next: usize,
    /// The player's moves up to this number are tried.
    end: usize,
    /// The replies to the move that is tried, with the first of the random role's moves.
    replies: Option<Joints>,
    /// The reply that is tried.
    joint: Option<Vec<ActionId>>,
    /// How many of the random role's moves were tried with it.
    chance: usize,
    /// The sum of the scores over these.
    sum: f64,
    /// The score of the worst reply so far.
    worst: Option<f64>,
    /// The score of the best move so far.
    best: f64,
}

/// What comes next in a frame.
enum Next {
    /// This joint move.
    Try(Vec<ActionId>),
    /// Nothing: the score of the state.
    Done(f64),
}

impl Frame {
    /// A frame that tries the player's moves of these numbers.
    fn new(position: OpenedState, next: usize, end: usize) -> Self {
        Self { position, next, end, replies: None, joint: None, chance: 0, sum: 0.0, worst: None, best: 0.0 }
    }

    fn bytes(&self) -> usize {
        let moves: usize = self.position.legal.iter().map(Vec::len).sum();
        size_of::<Self>() + 12 * moves + 96 * self.position.legal.len()
    }

    /// The next joint move to try.
    fn advance(&mut self, role: RoleId, random: Option<RoleId>, extent: Extent) -> Next {
        let chances = random.map_or(1, |random| self.position.legal[random.index()].len());
        loop {
            if let Some(joint) = &mut self.joint {
                if self.chance < chances {
                    if let Some(random) = random {
                        joint[random.index()] = self.position.legal[random.index()][self.chance];
                    }
                    return Next::Try(joint.clone());
                }
                let mean = self.sum / chances as f64;
                self.worst = Some(self.worst.map_or(mean, |worst| worst.min(mean)));
                self.joint = None;
            }
            if let Some(replies) = &mut self.replies {
                let is_settled = extent == Extent::Needed && self.worst.is_some_and(|worst| worst <= 0.0);
                if let (Some(reply), false) = (replies.next(), is_settled) {
                    (self.joint, self.chance, self.sum) = (Some(reply.to_vec()), 0, 0.0);
                    continue;
                }
                // A state in which a role has no legal move is worth nothing to anyone.
                self.best = self.best.max(self.worst.take().unwrap_or(0.0));
                self.replies = None;
            }
            let is_settled = extent == Extent::Needed && self.best >= f64::from(HIGHEST_GOAL);
            if self.next >= self.end || is_settled {
                return Next::Done(self.best);
            }
            let action = self.position.legal[role.index()][self.next];
            self.next += 1;
            self.replies = Some(match random.filter(|&random| random != role) {
                None => Joints::replies(&self.position, role, action),
                Some(random) => {
                    let mut one_chance = self.position.clone();
                    one_chance.legal[random.index()].truncate(1);
                    Joints::replies(&one_chance, role, action)
                }
            });
        }
    }

    /// Takes in the score of the state that the last joint move led to.
    fn absorb(&mut self, score: f64) {
        self.chance += 1;
        self.sum += score;
    }
}

impl<'m> Tree<'m> {
    fn new(turn: &Turn<'m>, extent: Extent, nodes: u64) -> Self {
        Self {
            explorer: Explorer::new(turn),
            extent,
            nodes,
            memory: turn.arena.resources.memory,
            bytes: 0,
            stack: Vec::new(),
            seen: 0,
            is_cut: false,
        }
    }

    /// The book's procedure of this name.
    fn bestmove(&mut self, turn: &mut Turn<'_>) -> Answer<bool> {
        let root = self.explorer.open(turn.state)?;
        let mut highest: Option<f64> = None;
        let mut is_finished = true;
        for (number, &action) in turn.legal.iter().enumerate() {
            (self.seen, self.is_cut) = (0, false);
            let score = self.maxscore(Frame::new(root.clone(), number, number + 1));
            let known = score.as_ref().ok().copied().flatten().filter(|_| !self.is_cut);
            is_finished &= known.is_some();
            // A move that was not finished counts for what was seen below it.
            if let Some(value) = known.or((self.seen > 0).then_some(f64::from(self.seen))) {
                let proven = known.filter(|value| value.fract() == 0.0).map(|value| value as Goal);
                turn.rate(Rating { action, value, visits: 0, proven });
                if highest.is_none_or(|highest| value > highest) {
                    highest = Some(value);
                    turn.advise(action);
                }
            }
            if score?.is_none() {
                return Ok(false);
            }
            if highest >= Some(f64::from(HIGHEST_GOAL)) {
                return Ok(true);
            }
        }
        Ok(is_finished)
    }

    /// The score of what a frame tries: the book's procedure of this name. `None` after too many nodes.
    fn maxscore(&mut self, frame: Frame) -> Answer<Option<f64>> {
        let (role, random) = (self.explorer.role(), self.explorer.random());
        self.stack.clear();
        self.bytes = frame.bytes();
        self.stack.push(frame);
        while let Some(top) = self.stack.last_mut() {
            let score = match top.advance(role, random.filter(|&random| random != role), self.extent) {
                Next::Try(joint) => {
                    let child = self.explorer.successor(&top.position.state, &joint)?;
                    if self.explorer.nodes() >= self.nodes {
                        return Ok(None);
                    }
                    match self.open(&child)? {
                        Some(score) => score,
                        None => continue,
                    }
                }
                Next::Done(score) => {
                    self.bytes -= self.stack.pop().map_or(0, |frame| frame.bytes());
                    score
                }
            };
            match self.stack.last_mut() {
                Some(parent) => parent.absorb(score),
                None => return Ok(Some(score)),
            }
        }
        Ok(None)
    }

    /// The score of a state if it is known at once; otherwise the state is put on the stack.
    fn open(&mut self, state: &State) -> Answer<Option<f64>> {
        let position = self.explorer.open(state)?;
        let role = self.explorer.role();
        if position.terminal {
            let goal = self.explorer.goal(state, role)?;
            if position.legal.len() == 1 {
                self.seen = self.seen.max(goal);
            }
            return Ok(Some(f64::from(goal)));
        }
        let end = position.legal[role.index()].len();
        let frame = Frame::new(position, 0, end);
        if self.bytes + frame.bytes() > self.memory {
            self.is_cut = true;
            return Ok(Some(0.0));
        }
        self.bytes += frame.bytes();
        self.stack.push(frame);
        Ok(None)
    }
}
