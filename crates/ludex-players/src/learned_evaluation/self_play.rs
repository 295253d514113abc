//! Games that a network plays with itself, to learn from how they end (temporal differences: Sutton, 1988).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use ludex_game::{ActionId, Answer, Batch, Expansion, GameError, Goal, Jobs, Rng, RoleId, Wanted};
use ludex_logic::Budget;

use super::correlation::correlation_of_examples;
use super::features::add_move_counts;
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
/// What goes by moves alone has to tell so much more of what comes of games: a little may be chance.
const TELLS_MORE: f64 = 0.1;
/// After so many games it is found out which network tells more.
const OFTEN: u64 = 64;
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
    /// The bits of states that tell whose turn it is, where some do.
    pub turn: Vec<u64>,
    /// Makes the goals of an end values, 0 to 1 per role.
    pub values: &'l Values<'l>,
}

/// A state, what each network said of it before it was learned from, role by role, and what came of it: 0 to 1 per role.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub words: Vec<u64>,
    pub said: Vec<f64>,
    pub value: Vec<f64>,
}

/// What was learned.
#[derive(Debug)]
pub(crate) struct Learned {
    /// By a network that sees facts, and perhaps by one that sees how many moves roles have.
    pub networks: Vec<Network>,
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
}

/// Plays until the budget ends; `None` where no game ended, or too few states were seen.
///
/// # Errors
/// What the batch answers, other than limits.
pub(crate) fn learn(
    game: &TrainingGame<'_>,
    from: Option<Network>,
    batch: &mut dyn Batch,
    budget: &Budget,
) -> Answer<Option<Learned>> {
    let networks = from.map_or_else(|| game.networks(), |known| vec![known]);
    let mut games = SelfPlay::new(game, networks, game.seed);
    games.play((u64::MAX, u64::MAX), batch, budget)?;
    let is_known = games.learned.games > 0 && games.has_seen_enough();
    Ok(is_known.then(|| games.learned.into_best()))
}

impl TrainingGame<'_> {
    /// Networks that know nothing of it yet. What two roles share may be told by how many moves each has.
    pub fn networks(&self) -> Vec<Network> {
        let (roles, words) = (self.legal.len(), self.start.len());
        let of_facts = Network::new(roles, words, self.is_shared, self.seed).with_tuples(self.tuples.clone());
        let is_told_by_moves = self.is_shared && !self.turn.is_empty();
        let of_moves = || Network::of_moves(roles, self.is_shared, &self.turn, self.seed);
        std::iter::once(of_facts).chain(is_told_by_moves.then(of_moves)).collect()
    }
}

impl Learned {
    /// The number of the network that tells most of what comes of games.
    pub fn best(&self) -> usize {
        usize::from(self.networks.len() > 1 && self.told(1) > self.told(0) + TELLS_MORE)
    }

    /// How much of what comes of games the network of this number tells: a correlation, 0 where there is none.
    fn told(&self, network: usize) -> f64 {
        let is_there = network < self.networks.len();
        if is_there { correlation_of_examples(self.examples.iter(), network) } else { 0.0 }
    }

    /// That network alone.
    #[must_use]
    pub fn into_best(mut self) -> Self {
        let best = self.best();
        for Example { said, value, .. } in &mut self.examples {
            said.rotate_left(best * value.len());
            said.truncate(value.len());
        }
        Self { networks: vec![self.networks.swap_remove(best)], ..self }
    }
}

/// A game under way.
struct Game {
    words: Vec<u64>,
    legal: Vec<Vec<ActionId>>,
    /// All that a network can see of it: its words, and how many moves each role has.
    features: Vec<u64>,
    /// The same of the states since moves are no longer drawn at random.
    states: Vec<u64>,
    steps: usize,
    /// So many moves are drawn at random first.
    prefix: usize,
    /// Per role that chooses, where its moves are that are tried now.
    tries: Vec<(usize, Range<usize>)>,
    joint: Vec<ActionId>,
}

impl Game {
    /// Puts together what networks see of the state, in which each role has so many moves.
    fn note_features(&mut self, count: impl Fn(usize) -> usize) {
        self.features.clear();
        self.features.extend_from_slice(&self.words);
        add_move_counts((0..self.legal.len()).map(count), &mut self.features);
    }
}

/// Games that go on at the same time, with what is learned from them.
pub(crate) struct SelfPlay<'l> {
    lesson: &'l TrainingGame<'l>,
    roles: usize,
    pub learned: Learned,
    /// The number of the network that plays.
    playing: usize,
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
    seen: Vec<u64>,
    joint: Vec<ActionId>,
}

impl<'l> SelfPlay<'l> {
    /// Games of a network with itself, which it goes on learning from.
    pub fn new(lesson: &'l TrainingGame<'l>, networks: Vec<Network>, seed: u64) -> Self {
        let roles = lesson.legal.len();
        let mut rng = Rng::from_seed(seed);
        let (mut tries, mut jobs) = (Jobs::default(), Jobs::default());
        tries.want_goals(Wanted::Terminal);
        tries.want_moves(false);
        jobs.want_goals(Wanted::Terminal);
        if let Some(of_moves) = networks.iter().find(|network| network.goes_by_moves()) {
            jobs.count_moves(of_moves.turn());
        }
        Self {
            lesson,
            roles,
            learned: Learned { networks, games: 0, moves: 0.0, examples: VecDeque::new() },
            playing: 0,
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
            seen: Vec::new(),
            joint: Vec::new(),
        }
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
                Ok(()) => {}
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

    /// Makes a move in each game.
    fn step(&mut self, batch: &mut dyn Batch) -> Answer<()> {
        self.tries.clear();
        self.tries.count_moves(self.learned.networks[self.playing].turn());
        for number in 0..self.games.len() {
            self.add_tries(number);
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
        Ok(())
    }

    /// Draws a move for each role, and lines up those that are to be compared with it: of each role that chooses, beside what
    /// was drawn for the others.
    fn add_tries(&mut self, number: usize) {
        let (game, rng) = (&mut self.games[number], &mut self.rng);
        let is_drawn = game.steps < game.prefix || rng.below(RANDOM) == 0;
        self.states += 1;
        game.joint.clear();
        game.joint.extend(game.legal.iter().map(|moves| moves[rng.below(moves.len() as u64) as usize]));
        game.tries.clear();
        let mut state = None;
        for (role, moves) in game.legal.iter_mut().enumerate().filter(|(_, moves)| moves.len() > 1) {
            self.choices += 1;
            self.moves += moves.len() as u64;
            if is_drawn || Some(role) == self.lesson.random {
                continue;
            }
            let state = *state.get_or_insert_with(|| self.tries.add_state(&game.words));
            let begin = self.tries.len();
            self.joint.clone_from(&game.joint);
            for at in 0..moves.len().min(MOST_MOVES) {
                if moves.len() > MOST_MOVES {
                    let other = at + rng.below((moves.len() - at) as u64) as usize;
                    moves.swap(at, other);
                }
                self.joint[role] = moves[at];
                self.tries.add(state, &self.joint);
            }
            game.tries.push((role, begin..self.tries.len()));
        }
    }

    /// Chooses for each role the move that leads to the state that seems best; equals are told apart at random.
    fn choose(&mut self, number: usize) {
        let game = &mut self.games[number];
        let network = &self.learned.networks[self.playing];
        if !game.tries.is_empty() {
            network.sum(network.part_of(&game.features), &mut self.near);
        }
        for (role, tries) in game.tries.drain(..) {
            let mut best = (f64::NEG_INFINITY, 0);
            for at in tries {
                let value = if self.tried.terminal(at) {
                    (self.lesson.values)(self.tried.goals(at), &mut self.values);
                    self.values[role]
                } else {
                    let count = |role| self.tried.move_count(at, RoleId(role as u32));
                    let after = network.see(self.tried.state(at), count, &mut self.seen);
                    let before = network.part_of(&game.features);
                    f64::from(network.evaluate_near(&self.near, before, after, role, &mut self.sums))
                };
                let key = (value, self.rng.bits());
                if key.0 > best.0 || key.0 == best.0 && key.1 > best.1 {
                    best = key;
                    game.joint[role] = self.tries.joint(at)[role];
                }
            }
        }
        let state = self.jobs.add_state(&game.words);
        self.jobs.add(state, &game.joint);
    }

    /// Goes on in the state that a game has come to, or learns from it and begins another.
    fn go_on(&mut self, number: usize) {
        let (game, made) = (&mut self.games[number], &self.made);
        if game.steps >= game.prefix {
            game.states.extend_from_slice(&game.features);
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
        game.note_features(|role| self.made.move_count(number, RoleId(role as u32)));
    }

    /// Learns from a game that is over, from its last state to its first, and keeps a state of it.
    fn learn_from(&mut self, number: usize) {
        let game = &self.games[number];
        let Learned { networks, games, examples, .. } = &mut self.learned;
        *games += 1;
        let length = game.features.len();
        let count = game.states.len() / length;
        if count == 0 {
            return;
        }
        let drawn = self.rng.below(count as u64) as usize;
        let features = &game.states[drawn * length..][..length];
        let words = features[..game.words.len()].to_vec();
        let mut said = Vec::new();
        for network in &*networks {
            network.sum(network.part_of(features), &mut self.sums);
            said.extend((0..self.roles).map(|role| f64::from(network.value(&self.sums, role))));
        }
        if examples.len() == EXAMPLES {
            examples.pop_front();
        }
        examples.push_back(Example { words, said, value: self.values.clone() });
        for network in networks {
            self.targets.clear();
            self.targets.extend(self.values.iter().map(|&value| value as f32));
            for features in game.states.chunks(length).rev() {
                let (part, sums) = (network.part_of(features), &mut self.sums);
                network.learn(part, &self.targets, sums);
                for (role, target) in self.targets.iter_mut().enumerate() {
                    *target = FAR * *target + (1.0 - FAR) * network.value(sums, role);
                }
            }
        }
        if self.learned.networks.len() > 1 && self.learned.games.is_multiple_of(OFTEN) {
            self.playing = self.learned.best();
            if self.learned.examples.len() == EXAMPLES && self.learned.told(0) >= self.learned.told(1) {
                self.keep(1);
            }
        }
    }

    /// Goes on with so many of the networks, the first ones: moves are no longer counted where none sees them.
    pub fn keep(&mut self, networks: usize) {
        self.learned.networks.truncate(networks);
        self.playing = self.playing.min(networks - 1);
        if !self.learned.networks.iter().any(Network::goes_by_moves) {
            self.jobs.count_moves(&[]);
        }
    }
}

fn new_game(lesson: &TrainingGame<'_>, rng: &mut Rng) -> Game {
    let most = (PREFIX * lesson.length) as u64;
    let prefix = if rng.below(2) == 0 { rng.below(most + 1) as usize } else { 0 };
    let mut game = Game {
        words: lesson.start.to_vec(),
        legal: lesson.legal.to_vec(),
        features: Vec::new(),
        states: Vec::new(),
        steps: 0,
        prefix,
        tries: Vec::new(),
        joint: Vec::new(),
    };
    // Nobody counted what those can do who wait: as much as who moves.
    let most = lesson.legal.iter().map(Vec::len).max().unwrap_or(0);
    game.note_features(|_| most);
    game
}
