//! Nested rollout policy adaptation: random games that learn from the best one so far.
//!
//! C. Rosin: Nested rollout policy adaptation for Monte Carlo tree search, IJCAI 2011.

use ludex_game::{ActionId, Answer, Goal, Rng};
use rustc_hash::FxHashMap;

use super::method::{Incumbent, Method, Progress};
use super::space::Space;

/// So many games are played on each level before the level above learns.
const ITERATIONS: usize = 100;
/// How deep games are nested.
const LEVELS: usize = 2;
/// How much is learned from a game.
const RATE: f64 = 1.0;
/// A game is broken off after so many moves.
const LENGTH: usize = 1_000;

/// What a weight belongs to: a move, alone, or at a time, or after another move.
type Code = (u32, u32);

/// What the weights of moves depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Nothing,
    Time,
    Before,
}

impl Context {
    const ALL: [Self; 3] = [Self::Nothing, Self::Time, Self::Before];

    fn code(self, action: ActionId, before: &[ActionId]) -> Code {
        match self {
            Self::Nothing => (action.0, 0),
            Self::Time => (action.0, before.len() as u32),
            Self::Before => (action.0, before.last().map_or(0, |last| last.0 + 1)),
        }
    }
}

/// A game that was played: its worth, moves, and the moves there were.
#[derive(Clone, Default)]
struct Game {
    score: f64,
    moves: Vec<ActionId>,
    legal: Vec<ActionId>,
    ends: Vec<usize>,
}

type Weights = FxHashMap<Code, f64>;

/// A level of the nesting: its policy and the best game it has seen.
#[derive(Clone, Default)]
struct Level {
    weights: Weights,
    best: Option<Game>,
    done: usize,
}

/// Nested rollout policy adaptation, begun anew with another context when it has come to an end.
pub(super) struct Adapt {
    root: Vec<u64>,
    rng: Rng,
    runs: usize,
    levels: Vec<Level>,
}

impl Adapt {
    /// Games from a state that is not terminal.
    pub(super) fn new(root: &[u64], seed: u64) -> Self {
        Self {
            root: root.to_vec(),
            rng: Rng::from_seed(seed),
            runs: 0,
            levels: vec![Level::default(); LEVELS],
        }
    }

    fn context(&self) -> Context {
        Context::ALL[self.runs % Context::ALL.len()]
    }

    /// Plays a game by the policy of the lowest level.
    fn play(&mut self, space: &mut Space<'_>, found: &mut Incumbent) -> Answer<Game> {
        let context = self.context();
        let weights = &self.levels[LEVELS - 1].weights;
        let mut game = Game::default();
        let mut highest: Goal = space.go_to(&self.root)?.goal;
        let mut chances = Vec::new();
        while game.moves.len() < LENGTH && !space.legal().is_empty() {
            chances.clear();
            for &action in space.legal() {
                let weight = weights.get(&context.code(action, &game.moves)).copied().unwrap_or(0.0);
                chances.push(weight.exp());
            }
            let at = draw(&chances, &mut self.rng);
            let action = space.legal()[at];
            game.legal.extend_from_slice(space.legal());
            game.ends.push(game.legal.len());
            let look = space.make(action)?;
            game.moves.push(action);
            if look.terminal {
                game.score = f64::from(look.goal);
                found.offer(look.goal, "adapted games", || game.moves.clone());
            } else {
                highest = highest.max(look.goal);
            }
        }
        // Among games of equal worth those that had come nearer on the way, then the longer ones.
        game.score += 0.005 * f64::from(highest) + 0.0001 * game.moves.len().min(1_000) as f64;
        Ok(game)
    }
}

/// The place of a chance, drawn in proportion to the chances.
fn draw(chances: &[f64], rng: &mut Rng) -> usize {
    let total: f64 = chances.iter().sum();
    // 53 bits: a number from 0 to below 1.
    let mut left = (rng.bits() >> 11) as f64 / (1u64 << 53) as f64 * total;
    for (at, chance) in chances.iter().enumerate() {
        left -= chance;
        if left < 0.0 {
            return at;
        }
    }
    chances.len().saturating_sub(1)
}

impl Level {
    /// Learns from the best game: its moves become likelier, the others of its states less likely.
    fn learn(&mut self, context: Context) {
        let Some(game) = &self.best else { return };
        let mut changes: Vec<(Code, f64)> = Vec::new();
        let mut begin = 0;
        for (at, (&action, &end)) in game.moves.iter().zip(&game.ends).enumerate() {
            let before = &game.moves[..at];
            let legal = &game.legal[begin..end];
            begin = end;
            let code = |action| context.code(action, before);
            let weight = |action| self.weights.get(&code(action)).copied().unwrap_or(0.0).exp();
            let total: f64 = legal.iter().map(|&a| weight(a)).sum();
            changes.push((code(action), RATE));
            changes.extend(legal.iter().map(|&a| (code(a), -RATE * weight(a) / total)));
        }
        for (code, change) in changes {
            let weight = self.weights.entry(code).or_default();
            // Beyond these a move is sure or out of the question, and sums would overflow.
            *weight = (*weight + change).clamp(-50.0, 50.0);
        }
    }

    /// Takes a game as the best, if it is as good as that one.
    fn take(&mut self, game: Game) {
        if self.best.as_ref().is_none_or(|best| game.score >= best.score) {
            self.best = Some(game);
        }
    }
}

impl Method for Adapt {
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress> {
        let end = space.states() + states;
        while space.states() < end && !found.proven {
            let context = self.context();
            let mut game = self.play(space, found)?;
            for at in (0..LEVELS).rev() {
                self.levels[at].take(game);
                self.levels[at].learn(context);
                self.levels[at].done += 1;
                if self.levels[at].done < ITERATIONS {
                    break;
                }
                // This level has come to its end: the one above learns from what it found.
                let ended = std::mem::take(&mut self.levels[at]);
                game = ended.best.unwrap_or_default();
                if at == 0 {
                    self.runs += 1;
                    break;
                }
            }
            // Levels that begin anew begin with the policy of the one above.
            for at in 1..LEVELS {
                if self.levels[at].done == 0 {
                    self.levels[at].weights = self.levels[at - 1].weights.clone();
                }
            }
        }
        Ok(Progress::Open)
    }
}
