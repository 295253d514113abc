//! Tabular Q-learning.

use ludex_game::Rng;
use ludex_logic::Budget;
use ludex_match::blind::Structure;

use crate::experience::{ActionNumber, Experience, Perceived, StateNumber};
use crate::player::BlindPlayer;
use rustc_hash::FxHashMap;

/// How a table is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QOptions {
    /// How much of what is new goes into the table.
    pub rate: f64,
    /// A step later is worth so much less.
    pub discount: f64,
    /// What an action is held for that was not tried: hope makes it look everywhere once.
    pub hope: f64,
    /// How often an action is chosen at random at first.
    pub exploration: f64,
    /// After so many matches, half as often; after twice as many a third as often, and so on.
    pub exploration_halves: f64,
}

impl Default for QOptions {
    fn default() -> Self {
        Self { rate: 0.3, discount: 0.99, hope: 100.0, exploration: 0.1, exploration_halves: 100.0 }
    }
}

/// Where so many states are known, all is forgotten before the next match: a limit on memory.
const MOST_KNOWN: usize = 1_000_000;

/// What each action was worth in each state, as far as it was tried (C. Watkins, Learning from delayed rewards, 1989). It
/// remembers which actions were refused where, and does not choose them there again.
#[derive(Debug)]
pub struct QLearner {
    options: QOptions,
    structure: Structure,
    experience: Experience,
    values: FxHashMap<(StateNumber, ActionNumber), f64>,
    here: Option<StateNumber>,
    /// The last step, until it is known whether the match ended with it.
    last: Option<(StateNumber, ActionNumber)>,
    matches: u32,
    rng: Rng,
}

impl QLearner {
    /// A player of the role at a position of the structure.
    pub fn new(structure: &Structure, role: usize, seed: u64, options: QOptions) -> Self {
        Self {
            options,
            structure: structure.clone(),
            experience: Experience::new(structure, role),
            values: FxHashMap::default(),
            here: None,
            last: None,
            matches: 0,
            rng: Rng::from_seed(seed),
        }
    }

    fn open_actions(&self, state: StateNumber) -> Vec<ActionNumber> {
        let all = 0..self.experience.actions[self.experience.role].len() as ActionNumber;
        all.filter(|&action| !self.experience.refused.contains(&(state, action))).collect()
    }

    fn value(&self, state: StateNumber, action: ActionNumber) -> f64 {
        self.values.get(&(state, action)).copied().unwrap_or(self.options.hope)
    }

    /// Brings the last step into the table: what it was worth, or what the state after it promises.
    fn learn(&mut self, target: f64) {
        let Some(last) = self.last.take() else { return };
        let value = self.values.entry(last).or_insert(self.options.hope);
        *value += self.options.rate * (target - *value);
    }
}

impl BlindPlayer for QLearner {
    fn begin(&mut self, percepts: &[String]) {
        if self.experience.size() > MOST_KNOWN {
            self.experience = Experience::new(&self.structure, self.experience.role);
            self.values.clear();
        }
        let perceived = Perceived::read(percepts, &self.experience.roles);
        self.here = Some(self.experience.perceive(&perceived, None));
        self.last = None;
    }

    fn choose(&mut self, _: &Budget) -> String {
        let Some(state) = self.here else { return String::new() };
        let open = self.open_actions(state);
        let best = open.iter().map(|&action| self.value(state, action)).fold(f64::MIN, f64::max);
        if self.last.is_some() {
            self.learn(self.options.discount * best.max(0.0));
        }
        let halves = 1.0 + f64::from(self.matches) / self.options.exploration_halves;
        let best: Vec<ActionNumber> = if self.rng.fraction() < self.options.exploration / halves {
            open
        } else {
            open.into_iter().filter(|&action| self.value(state, action) >= best).collect()
        };
        let chosen = self
            .rng
            .pick(&best)
            .and_then(|&action| self.experience.action_text(self.experience.role, action));
        chosen.unwrap_or_default().to_owned()
    }

    fn observe(&mut self, action: &str, percepts: &[String]) {
        let Some(before) = self.here else { return };
        let made = self.experience.action(self.experience.role, action);
        let perceived = Perceived::read(percepts, &self.experience.roles);
        if let Some(refused) = &perceived.refused {
            let refused = self.experience.action(self.experience.role, refused);
            self.experience.refused.insert((before, refused));
        }
        self.here = Some(self.experience.perceive(&perceived, Some((before, action))));
        self.last = Some((before, made));
    }

    fn end(&mut self) {
        self.matches += 1;
        if let Some(state) = self.here.take() {
            self.learn(self.experience.known(state).utility.unwrap_or(0.0));
        }
    }
}
