//! Games that a network plays with itself, to learn from how they end (temporal differences: Sutton, 1988).

use std::collections::VecDeque;
use std::sync::Arc;

use ludex_game::{ActionId, Answer, Batch, Expansion, GameError, Goal, Jobs, Rng, RoleId, Wanted};
use ludex_logic::Budget;

use super::network::{Network, Sums};
use super::tuples::Tuples;

/// Games that are played at once.
const GAMES: usize = 128;
/// So much of what is learned about a state comes from the states and the end behind the next one.
const FAR: f32 = 0.8;
/// A move in so many is drawn at random.
const RANDOM: u64 = 10;
/// Moves that are compared in a state, at most: others are left out at random.
const MOST_MOVES: usize = 48;
/// Every other game begins with moves at random, up to this part of the length of random games.
const PREFIX: f64 = 0.7;
/// Games are given up that are longer than random ones by this factor...
const LONGER: f64 = 4.0;
/// ... and so many steps.
const MORE: usize = 64;
/// So many states of each game show how many moves there are.
const LONG: f64 = 32.0;
/// So many states of the last games are kept, one of each.
const EXAMPLES: usize = 1024;

/// Makes the goals of an end values, 0 to 1 per role.
pub(crate) type Values<'v> = dyn Fn(&[Option<Goal>], &mut [f64]) + Sync + 'v;

/// The game, and where it begins.
pub(crate) struct TrainingGame<'l> {
    /// The state that games begin in.
    pub start: &'l [u64],
    /// Its legal moves per role.
    pub legal: &'l [Vec<ActionId>],
    /// The role that moves by chance.
    pub random: Option<usize>,
    /// Whether two roles have 1 together.
    pub is_shared: bool,
    /// How many steps random games have, about.
    pub length: f64,
    /// Decides the games that are played.
    pub seed: u64,
    /// What stands together on boards.
    pub tuples: Option<Arc<Tuples>>,
    /// Makes the goals of an end values, 0 to 1 per role.
    pub values: &'l Values<'l>,
}

/// A state, what was said of it before it was learned from, and what came of it: 0 to 1 per role.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub words: Vec<u64>,
    pub said: Vec<f64>,
    pub value: Vec<f64>,
}

/// What was learned.
#[derive(Debug)]
pub(crate) struct Learned {
    pub network: Network,
    /// How many games came to an end.
    pub games: u64,
    /// How many moves a role has on average that chooses.
    pub moves: f64,
    /// States of the last of them.
    pub examples: VecDeque<Example>,
}

/// Why games with itself were stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// As many states were seen as were asked for.
    Enough,
    /// The budget ended.
    Budget,
    /// Several roles choose at once.
    Together,
    /// A role that chooses has too few moves on average.
    Narrow,
}

/// Plays until the budget ends; `None` where several roles choose at once, no game ended, or a role that chooses has no
/// more than `narrowest` moves on average.
///
/// # Errors
/// What the batch answers, other than limits.
pub(crate) fn learn(
    game: &TrainingGame<'_>,
    narrowest: f64,
    batch: &mut dyn Batch,
    budget: &Budget,
) -> Answer<Option<Learned>> {
    let mut games = SelfPlay::new(game, game.network(), game.seed).wider_than(narrowest);
    let stop = games.play((u64::MAX, u64::MAX), batch, budget)?;
    let is_known = stop == Stop::Budget && games.learned.games > 0 && games.has_seen_enough();
    Ok(is_known.then_some(games.learned))
}

impl TrainingGame<'_> {
    /// A network that knows nothing of it yet.
    pub fn network(&self) -> Network {
        let network = Network::new(self.legal.len(), self.start.len(), self.is_shared, self.seed);
        network.with_tuples(self.tuples.clone())
    }
}

/// A game under way.
struct Game {
    words: Vec<u64>,
    legal: Vec<Vec<ActionId>>,
    /// The states since moves are no longer drawn at random.
    states: Vec<u64>,
    steps: usize,
    /// So many moves are drawn at random first.
    prefix: usize,
    /// The role whose move it is, and its moves that are tried now.
    chooser: usize,
    tries: std::ops::Range<usize>,
    joint: Vec<ActionId>,
}

/// Games that go on at the same time, with what is learned from them.
pub(crate) struct SelfPlay<'l> {
    lesson: &'l TrainingGame<'l>,
    roles: usize,
    pub learned: Learned,
    /// Roles that choose are to have more moves than this on average.
    narrowest: f64,
    games: Vec<Game>,
    rng: Rng,
    /// States that were come to, those in which a role chose, and how many moves it had in all of these.
    states: u64,
    choices: u64,
    moves: u64,
    tries: Jobs,
    tried: Expansion,
    jobs: Jobs,
    made: Expansion,
    values: Vec<f64>,
    targets: Vec<f32>,
    /// Of a state, and of one that a move of it leads to; kept for their memory.
    near: Sums,
    sums: Sums,
}

impl<'l> SelfPlay<'l> {
    /// Games of a network with itself, which it goes on learning from.
    pub fn new(lesson: &'l TrainingGame<'l>, network: Network, seed: u64) -> Self {
        let roles = lesson.legal.len();
        let mut rng = Rng::from_seed(seed);
        let (mut tries, mut jobs) = (Jobs::default(), Jobs::default());
        tries.want_goals(Wanted::Terminal);
        tries.want_moves(false);
        jobs.want_goals(Wanted::Terminal);
        Self {
            lesson,
            roles,
            learned: Learned { network, games: 0, moves: 0.0, examples: VecDeque::new() },
            narrowest: 0.0,
            games: (0..GAMES).map(|_| new_game(lesson, &mut rng)).collect(),
            rng,
            states: 0,
            choices: 0,
            moves: 0,
            tries,
            tried: Expansion::default(),
            jobs,
            made: Expansion::default(),
            values: vec![0.0; roles],
            targets: Vec::new(),
            near: Sums::default(),
            sums: Sums::default(),
        }
    }

    /// The same where roles that choose are to have more moves than this on average.
    #[must_use]
    pub fn wider_than(self, narrowest: f64) -> Self {
        Self { narrowest, ..self }
    }

    /// Plays until about so many more states were seen, or so many games came to an end in all.
    ///
    /// # Errors
    /// What the batch answers, other than limits.
    pub fn play(
        &mut self,
        (states, games): (u64, u64),
        batch: &mut dyn Batch,
        budget: &Budget,
    ) -> Answer<Stop> {
        let stop = self.play_on(states, games, batch, budget)?;
        self.learned.moves = self.moves as f64 / self.choices.max(1) as f64;
        Ok(stop)
    }

    fn play_on(&mut self, states: u64, games: u64, batch: &mut dyn Batch, budget: &Budget) -> Answer<Stop> {
        let mut meter = budget.meter();
        let most = self.states.saturating_add(states);
        while self.states < most && self.learned.games < games {
            match self.step(batch) {
                Ok(true) if self.is_wide() => {}
                Ok(true) => return Ok(Stop::Narrow),
                Ok(false) => return Ok(Stop::Together),
                Err(GameError::Limit(_)) => return Ok(Stop::Budget),
                Err(error) => return Err(error),
            }
            if meter.check().is_err() {
                return Ok(Stop::Budget);
            }
        }
        Ok(Stop::Enough)
    }

    /// Whether it has seen about as many states as the games have that are played at once.
    fn has_seen_enough(&self) -> bool {
        self.states as f64 >= GAMES as f64 * self.lesson.length.min(LONG)
    }

    /// Whether roles that choose have enough moves on average, or it is too early to say.
    fn is_wide(&self) -> bool {
        !self.has_seen_enough() || self.moves as f64 > self.narrowest * self.choices as f64
    }

    /// Makes a move in each game; `false` where several roles choose at once.
    fn step(&mut self, batch: &mut dyn Batch) -> Answer<bool> {
        self.tries.clear();
        for number in 0..self.games.len() {
            if !self.add_tries(number) {
                return Ok(false);
            }
        }
        batch.expand(&self.tries, &mut self.tried)?;
        self.jobs.clear();
        for number in 0..self.games.len() {
            self.choose(number);
        }
        batch.expand(&self.jobs, &mut self.made)?;
        for number in 0..self.games.len() {
            self.go_on(number);
        }
        Ok(true)
    }

    /// Draws a move, or lines up the moves that are to be compared; `false` where several roles choose at once.
    fn add_tries(&mut self, number: usize) -> bool {
        let (game, rng) = (&mut self.games[number], &mut self.rng);
        let mut choosers = (0..self.roles).filter(|&role| game.legal[role].len() > 1);
        let chooser = choosers.next().unwrap_or(0);
        if choosers.next().is_some() {
            return false;
        }
        let is_drawn =
            game.steps < game.prefix || Some(chooser) == self.lesson.random || rng.below(RANDOM) == 0;
        self.states += 1;
        if game.legal[chooser].len() > 1 {
            self.choices += 1;
            self.moves += game.legal[chooser].len() as u64;
        }
        game.joint.clear();
        game.joint.extend(game.legal.iter().map(|moves| moves[0]));
        let moves = &mut game.legal[chooser];
        game.joint[chooser] = moves[rng.below(moves.len() as u64) as usize];
        game.chooser = chooser;
        let begin = self.tries.len();
        if !is_drawn && moves.len() > 1 {
            let state = self.tries.add_state(&game.words);
            let mut joint = game.joint.clone();
            for at in 0..moves.len().min(MOST_MOVES) {
                if moves.len() > MOST_MOVES {
                    let other = at + rng.below((moves.len() - at) as u64) as usize;
                    moves.swap(at, other);
                }
                joint[chooser] = moves[at];
                self.tries.add(state, &joint);
            }
        }
        game.tries = begin..self.tries.len();
        true
    }

    /// Chooses the move that leads to the state that seems best; equals are told apart at random.
    fn choose(&mut self, number: usize) {
        let game = &mut self.games[number];
        let mut best = (f64::NEG_INFINITY, 0);
        if !game.tries.is_empty() {
            self.learned.network.sum(&game.words, &mut self.near);
        }
        for at in game.tries.clone() {
            let value = if self.tried.terminal(at) {
                (self.lesson.values)(self.tried.goals(at), &mut self.values);
                self.values[game.chooser]
            } else {
                let (network, words) = (&self.learned.network, self.tried.state(at));
                f64::from(network.evaluate_near(&self.near, &game.words, words, game.chooser, &mut self.sums))
            };
            let key = (value, self.rng.bits());
            if key.0 > best.0 || key.0 == best.0 && key.1 > best.1 {
                best = key;
                game.joint.clear();
                game.joint.extend_from_slice(self.tries.joint(at));
            }
        }
        let state = self.jobs.add_state(&game.words);
        self.jobs.add(state, &game.joint);
    }

    /// Goes on in the state that a game has come to, or learns from it and begins another.
    fn go_on(&mut self, number: usize) {
        let (game, made) = (&mut self.games[number], &self.made);
        if game.steps >= game.prefix {
            game.states.extend_from_slice(&game.words);
        }
        game.steps += 1;
        let longest = (LONGER * self.lesson.length) as usize + MORE;
        let is_over = made.terminal(number);
        let is_stuck = (0..self.roles).any(|role| made.legal(number, RoleId(role as u32)).is_empty());
        if is_over {
            (self.lesson.values)(made.goals(number), &mut self.values);
            self.learn_from(number);
        }
        let game = &mut self.games[number];
        if is_over || is_stuck || game.steps > longest {
            *game = new_game(self.lesson, &mut self.rng);
            return;
        }
        game.words.clear();
        game.words.extend_from_slice(self.made.state(number));
        for (role, moves) in game.legal.iter_mut().enumerate() {
            moves.clear();
            moves.extend_from_slice(self.made.legal(number, RoleId(role as u32)));
        }
    }

    /// Learns from a game that is over, from its last state to its first, and keeps a state of it.
    fn learn_from(&mut self, number: usize) {
        let game = &self.games[number];
        let Learned { network, games, examples, .. } = &mut self.learned;
        *games += 1;
        let length = game.words.len().max(1);
        let count = game.states.len() / length;
        if count == 0 {
            return;
        }
        let drawn = self.rng.below(count as u64) as usize;
        let words = game.states[drawn * length..][..length].to_vec();
        network.sum(&words, &mut self.sums);
        let said = (0..self.roles).map(|role| f64::from(network.value(&self.sums, role))).collect();
        if examples.len() == EXAMPLES {
            examples.pop_front();
        }
        examples.push_back(Example { words, said, value: self.values.clone() });
        self.targets.clear();
        self.targets.extend(self.values.iter().map(|&value| value as f32));
        for words in game.states.chunks(length).rev() {
            network.learn(words, &self.targets, &mut self.sums);
            for (role, target) in self.targets.iter_mut().enumerate() {
                *target = FAR * *target + (1.0 - FAR) * network.value(&self.sums, role);
            }
        }
    }
}

fn new_game(lesson: &TrainingGame<'_>, rng: &mut Rng) -> Game {
    let most = (PREFIX * lesson.length) as u64;
    let prefix = if rng.below(2) == 0 { rng.below(most + 1) as usize } else { 0 };
    Game {
        words: lesson.start.to_vec(),
        legal: lesson.legal.to_vec(),
        states: Vec::new(),
        steps: 0,
        prefix,
        chooser: 0,
        tries: 0..0,
        joint: Vec::new(),
    }
}
