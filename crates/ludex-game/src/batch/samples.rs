//! Games with all that happened in them: rows for whoever learns from games.

use super::{Batch, Expansion, Jobs, PlayoutFault, Start, Wanted};
use crate::error::{Answer, GameError};
use crate::rng::Rng;
use crate::signature::{ActionId, Goal, RoleId};
use crate::state::{MachineTag, State};

/// So many games are played at once, on every engine, so that one seed gives the same games on all of them.
const AT_ONCE: usize = 4096;

/// How games are sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Decides all chances.
    pub seed: u64,
    /// A game ends after this many steps if it is not over by then, without goals.
    pub step_limit: u32,
}

impl Default for SampleOptions {
    /// Seed 1, 10 000 steps at most.
    fn default() -> Self {
        Self { seed: 1, step_limit: 10_000 }
    }
}

/// A state that a [`Guide`] chooses moves in.
#[derive(Clone, Copy, Debug)]
pub struct OpenState<'s> {
    found: &'s Expansion,
    number: usize,
}

impl<'s> OpenState<'s> {
    /// The words of the state.
    pub fn words(&self) -> &'s [u64] {
        self.found.state(self.number)
    }

    /// The legal moves of a role in canonical order; at least one.
    pub fn legal(&self, role: RoleId) -> &'s [ActionId] {
        self.found.legal(self.number, role)
    }

    /// How many roles there are.
    pub fn roles(&self) -> usize {
        self.found.roles()
    }

    fn is_stuck(&self) -> Option<RoleId> {
        (0..self.roles() as u32).map(RoleId).find(|&role| self.legal(role).is_empty())
    }
}

/// Chooses the moves of games that are sampled, in many of them at once: a network, say, that is asked about all
/// states in one go. A function of the same form is one, too.
pub trait Guide {
    /// Adds a legal move of each role in each state to `moves`, state by state, which is empty at first.
    ///
    /// # Errors
    /// What ends the sampling.
    fn choose(&mut self, states: &[OpenState<'_>], rng: &mut Rng, moves: &mut Vec<ActionId>) -> Answer<()>;
}

impl<F: FnMut(&[OpenState<'_>], &mut Rng, &mut Vec<ActionId>) -> Answer<()>> Guide for F {
    fn choose(&mut self, states: &[OpenState<'_>], rng: &mut Rng, moves: &mut Vec<ActionId>) -> Answer<()> {
        self(states, rng, moves)
    }
}

/// Chooses each legal move with equal likelihood.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomGuide;

impl Guide for RandomGuide {
    fn choose(&mut self, states: &[OpenState<'_>], rng: &mut Rng, moves: &mut Vec<ActionId>) -> Answer<()> {
        for state in states {
            moves.extend((0..state.roles() as u32).filter_map(|role| rng.pick(state.legal(RoleId(role)))));
        }
        Ok(())
    }
}

/// Games in flat arrays. A *row* is a state with the joint move that was made in it; the rows of a game are in the
/// order of play, and those of other games stand between them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Samples {
    roles: usize,
    tag: MachineTag,
    /// Per row, the number of its game.
    pub games: Vec<u32>,
    /// The words of all states, row after row.
    pub words: Vec<u64>,
    /// Per row, where its words end.
    pub word_ends: Vec<usize>,
    /// The legal moves of all roles in canonical order, row after row and role after role.
    pub legal: Vec<ActionId>,
    /// Per row and role, where the legal moves end.
    pub legal_ends: Vec<usize>,
    /// Per row and role, the move that was made.
    pub moves: Vec<ActionId>,
    /// Per game, the number of the start it was played from.
    pub starts: Vec<u32>,
    /// Per game, the joint moves made.
    pub steps: Vec<u32>,
    /// Per game and role, what the terminal state is worth; `None` where the rules give no value or several, and
    /// after a fault.
    pub goals: Vec<Option<Goal>>,
    /// Per game, why it did not end.
    pub faults: Vec<Option<PlayoutFault>>,
}

impl Samples {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.games.len()
    }

    /// The state of a row.
    pub fn state(&self, row: usize) -> State {
        State::new(self.tag, part(&self.words, &self.word_ends, row))
    }

    /// The legal moves of a role in a row, in canonical order.
    pub fn legal(&self, row: usize, role: RoleId) -> &[ActionId] {
        part(&self.legal, &self.legal_ends, row * self.roles + role.index())
    }

    /// The joint move of a row.
    pub fn joint(&self, row: usize) -> &[ActionId] {
        &self.moves[row * self.roles..][..self.roles]
    }

    /// Per role, what came of the game of a row.
    pub fn outcome(&self, row: usize) -> &[Option<Goal>] {
        &self.goals[self.games[row] as usize * self.roles..][..self.roles]
    }

    fn begin_game(&mut self, start: u32) -> u32 {
        self.starts.push(start);
        self.steps.push(0);
        self.faults.push(None);
        self.goals.resize(self.goals.len() + self.roles, None);
        self.starts.len() as u32 - 1
    }

    fn add_row(&mut self, game: u32, state: OpenState<'_>, joint: &[ActionId]) {
        self.games.push(game);
        self.words.extend_from_slice(state.words());
        self.word_ends.push(self.words.len());
        for role in (0..self.roles as u32).map(RoleId) {
            self.legal.extend_from_slice(state.legal(role));
            self.legal_ends.push(self.legal.len());
        }
        self.moves.extend_from_slice(joint);
        self.steps[game as usize] += 1;
    }

    /// Notes that a game is over, if it is.
    fn ends(&mut self, game: u32, state: OpenState<'_>, step_limit: u32) -> bool {
        let game = game as usize;
        if state.found.terminal(state.number) {
            self.goals[game * self.roles..][..self.roles].copy_from_slice(state.found.goals(state.number));
            return true;
        }
        let is_late = self.steps[game] >= step_limit;
        let late = is_late.then_some(PlayoutFault::OverLimit);
        self.faults[game] = late.or_else(|| state.is_stuck().map(PlayoutFault::Stuck));
        self.faults[game].is_some()
    }
}

fn part<'l, T>(list: &'l [T], ends: &[usize], number: usize) -> &'l [T] {
    let begin = if number == 0 { 0 } else { ends[number - 1] };
    &list[begin..ends[number]]
}

/// A game that goes on: where its state is.
#[derive(Clone, Copy)]
struct Game {
    number: u32,
    /// Whether it has just begun, so that its state is that of a start.
    is_new: bool,
    at: usize,
}

/// Plays all games to their ends.
pub(super) fn sample<B: Batch + ?Sized>(
    batch: &mut B,
    from: &[Start],
    options: &SampleOptions,
    guide: &mut dyn Guide,
    out: &mut Samples,
) -> Answer<()> {
    let (mut starts, mut found, mut next) = <(Expansion, Expansion, Expansion)>::default();
    let states: Vec<&State> = from.iter().map(|start| &start.state).collect();
    batch.look(&states, &mut starts)?;
    out.roles = starts.roles();
    out.tag = starts.tag();
    let each = from.iter().enumerate();
    let mut waiting = each.flat_map(|(at, start)| std::iter::repeat_n(at, start.playouts as usize));
    let mut rng = Rng::from_seed(options.seed);
    let (mut jobs, mut moves) = (Jobs::default(), Vec::new());
    jobs.want_goals(Wanted::Terminal);
    let mut open: Vec<Game> = Vec::new();
    loop {
        while open.len() < AT_ONCE
            && let Some(at) = waiting.next()
        {
            open.push(Game { number: out.begin_game(at as u32), is_new: true, at });
        }
        let place =
            |game: &Game| OpenState { found: if game.is_new { &starts } else { &found }, number: game.at };
        open.retain(|game| !out.ends(game.number, place(game), options.step_limit));
        if open.is_empty() {
            match waiting.size_hint() {
                (0, Some(0)) => return Ok(()),
                _ => continue,
            }
        }
        let places: Vec<OpenState<'_>> = open.iter().map(place).collect();
        moves.clear();
        guide.choose(&places, &mut rng, &mut moves)?;
        let wanted = places.len() * out.roles;
        if moves.len() != wanted {
            return Err(GameError::MoveCount { roles: wanted, moves: moves.len() });
        }
        jobs.clear();
        for ((game, place), joint) in open.iter().zip(&places).zip(moves.chunks(out.roles)) {
            out.add_row(game.number, *place, joint);
            let state = jobs.add_state(place.words());
            jobs.add(state, joint);
        }
        batch.expand(&jobs, &mut next)?;
        std::mem::swap(&mut found, &mut next);
        for (at, game) in open.iter_mut().enumerate() {
            *game = Game { is_new: false, at, ..*game };
        }
    }
}
