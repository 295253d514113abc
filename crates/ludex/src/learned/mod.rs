//! Playing by rules that were learned from records (book 20.3).

mod at_table;
mod player;

use ludex_game::{ByRole, RoleId, Trace, TraceHeader, TraceStep};
use ludex_learn::{LearnOptions, ObservationError, Vocabulary, learn_game, observe, rulesheet};
use ludex_logic::Budget;

use crate::engine::Engine;
use crate::face::{Game, GameOptions};

pub use at_table::LearnedPlayerAtTable;
pub use player::{LearnedPlayer, MakePlayer};

/// So often what was seen is learned from at a time, where the rules still do not say it.
const ROUNDS: usize = 3;

/// Why records make no game that can be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// They are no observations of a game.
    #[error(transparent)]
    Observation(#[from] ObservationError),
    /// Not enough of the rules was found to play, for want of records or of time.
    #[error("what was learned of the records cannot be played: {0}")]
    Unplayable(String),
}

/// How is learned.
#[derive(Clone, Copy, Debug)]
pub struct LearnedOptions {
    /// Decides all chances.
    pub seed: u64,
    /// How many threads learn.
    pub threads: usize,
}

impl Default for LearnedOptions {
    /// Seed 1, one thread.
    fn default() -> Self {
        Self { seed: 1, threads: 1 }
    }
}

/// A game whose rules were learned from records of matches, and are learned again where a match shows that they are wrong.
///
/// ```
/// use ludex::learned::{LearnedGame, LearnedOptions, SeenMatch};
/// use ludex::{Game, GameOptions};
/// use ludex::logic::Budget;
///
/// let game = Game::bundled("buttons-and-lights", &GameOptions::default())?;
/// let records = game.rules().record_playouts(5, 1, 100)?;
/// let learned = LearnedGame::learn(vec![records], LearnedOptions::default(), &Budget::unlimited())?;
/// assert_eq!(learned.game().role_names(), game.role_names());
/// // What was seen so far of a match that begins is what the rules say.
/// assert!(learned.contradiction(&SeenMatch::default()).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LearnedGame {
    /// The records, and after them single states of which matches showed something else than the rules said.
    traces: Vec<Trace>,
    options: LearnedOptions,
    found: Found,
}

/// What was found out of the records.
#[derive(Clone, Debug)]
struct Found {
    game: Game,
    rulesheet: String,
    /// Whether learning ended by itself, and not because the time was over.
    is_whole: bool,
}

/// What was seen of a match by its moves. All terms are in prefix notation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenMatch {
    /// The joint moves so far.
    pub joints: Vec<Vec<String>>,
    /// Moves that were answered and not made: after how many steps, the position of the role, and the move.
    pub refused: Vec<(usize, usize, String)>,
    /// Whether the match is over with the last move.
    pub over: bool,
}

impl LearnedGame {
    /// Learns the rules of the game of these traces, which all have the same roles; the first state of the first is the
    /// initial one. What is found until the time is over is taken.
    ///
    /// # Errors
    /// [`LearnedError`].
    pub fn learn(traces: Vec<Trace>, options: LearnedOptions, budget: &Budget) -> Result<Self, LearnedError> {
        let found = game_of(&traces, options, budget)?;
        Ok(Self { traces, options, found })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.found.game
    }

    /// The rules, in prefix notation.
    pub fn rulesheet(&self) -> &str {
        &self.found.rulesheet
    }

    /// Whether learning ended by itself: with more time nothing more would have been found.
    pub fn is_whole(&self) -> bool {
        self.found.is_whole
    }

    /// The first state of a match in which something was seen that the rules do not say, as it must have been: so far as
    /// anything is known, by the rules. `None` where they bear out all that was seen.
    pub fn contradiction(&self, seen: &SeenMatch) -> Option<TraceStep> {
        self.first_contradiction(seen).map(|(_, step)| step)
    }

    /// The same, with the number of steps before.
    fn first_contradiction(&self, seen: &SeenMatch) -> Option<(usize, TraceStep)> {
        let rules = self.found.game.rules();
        let mut position = rules.start();
        for step in 0..=seen.joints.len() {
            let made = seen.joints.get(step);
            let over = made.is_none() && seen.over;
            // Where the rules have no answer, nothing can be compared.
            let is_terminal = position.terminal().ok()?;
            let mut legals = Vec::new();
            let mut is_right = is_terminal == over;
            for (number, role) in rules.roles().enumerate() {
                let mut legal = position.legal(role).ok()?;
                let refused = |(at, of, action): &(usize, usize, String)| {
                    (*at == step && *of == number).then(|| rules.find_among(&legal, role, action).ok())?
                };
                let wrongly: Vec<_> = seen.refused.iter().filter_map(refused).collect();
                if let Some(action) = made.and_then(|made| made.get(number))
                    && rules.find_among(&legal, role, action).is_err()
                {
                    is_right = false;
                    legal.extend(rules.read_term(action).ok());
                }
                is_right &= wrongly.is_empty();
                legal.retain(|action| !wrongly.contains(action));
                legals.push((rules.role_name(role), self.prefixes(&legal)));
            }
            if !is_right {
                return Some((step, self.as_seen(position.facts(), over, legals)));
            }
            if let Some(made) = made {
                position.play(made).ok()?;
            }
        }
        None
    }

    fn prefixes(&self, terms: &[ludex_logic::TermId]) -> Vec<String> {
        terms.iter().map(|&term| self.found.game.signature().terms().prefix(term)).collect()
    }

    fn as_seen(
        &self,
        facts: Vec<ludex_logic::TermId>,
        terminal: bool,
        legals: Vec<(String, Vec<String>)>,
    ) -> TraceStep {
        let records = self.traces.iter().flat_map(|trace| &trace.steps);
        // Records without legal moves are learned from in another way.
        let tells_legal = records.clone().all(|step| !step.legals.0.is_empty());
        TraceStep {
            playout: 0,
            step: 0,
            state: self.prefixes(&facts),
            terminal,
            legals: ByRole(if tells_legal { legals } else { Vec::new() }),
            goals: ByRole::default(),
            joint: None,
        }
    }

    /// Learns again where what was seen of a match contradicts the rules, until it does not any more or the time is over.
    /// Rules that bear out no more of the match than those before are not taken. Says whether the rules are others now.
    ///
    /// # Errors
    /// [`LearnedError`]; the rules stay as they were then.
    pub fn correct(&mut self, seen: &SeenMatch, budget: &Budget) -> Result<bool, LearnedError> {
        let mut corrected = false;
        let mut traces = self.traces.clone();
        for _ in 0..ROUNDS {
            let Some((borne_out, step)) = self.first_contradiction(seen) else { break };
            if budget.meter().check().is_err() {
                break;
            }
            let roles = self.found.game.signature().roles();
            let header =
                TraceHeader { game: String::new(), file: None, sha256: None, roles: self.prefixes(roles) };
            traces.push(Trace { header, steps: vec![step] });
            let found = game_of(&traces, self.options, budget)?;
            let other = Self { traces: traces.clone(), options: self.options, found };
            if other.first_contradiction(seen).is_none_or(|(step, _)| step > borne_out) {
                *self = other;
                corrected = true;
            }
        }
        Ok(corrected)
    }

    /// The move that a role made most often in the records.
    pub fn usual_move(&self, role: RoleId) -> Option<String> {
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for step in self.traces.iter().flat_map(|trace| &trace.steps) {
            if let Some(action) = step.joint.as_ref().and_then(|joint| joint.get(role.index())) {
                *counts.entry(action).or_default() += 1;
            }
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(action, _)| action.to_owned())
    }
}

/// What can be played of what was learned.
fn game_of(traces: &[Trace], options: LearnedOptions, budget: &Budget) -> Result<Found, LearnedError> {
    let mut vocabulary = Vocabulary::default();
    let observed = observe(traces, None, &mut vocabulary)?;
    let how = LearnOptions { seed: options.seed, ..LearnOptions::default() };
    let fits = learn_game(&observed, &vocabulary, how, options.threads, budget);
    let rules: Vec<_> = fits.iter().map(|fit| &fit.learned).collect();
    let first = observed.states.first().ok_or(ObservationError::Empty)?;
    let text = rulesheet(&rules, &observed, first, &vocabulary);
    let limits = GameOptions {
        engine: Engine::Rules,
        // The time for learning may be over, and what was found is to be played all the same.
        budget: budget.clone().detached(),
        question_budget: budget.clone().detached(),
        ..GameOptions::default()
    };
    let game = Game::parse("learned", &text, &limits);
    let game = game.map_err(|error| LearnedError::Unplayable(first_line(&error.to_string())))?;
    let is_whole = fits.iter().all(|fit| fit.stopped.is_none());
    Ok(Found { game, rulesheet: text, is_whole })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
