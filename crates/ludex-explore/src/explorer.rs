//! The player that works out the rules from what it sees, and plans with them.

use ludex_game::Rng;
use ludex_logic::Budget;
use ludex_match::blind::Structure;

use crate::experience::{Episode, Experience, Perceived, StateNumber, UNTOLD};
use crate::legality::Legality;
use crate::model::Model;
use crate::planner::{BEST, Foreseen, Knowledge, Plan, Said, Trust};
use crate::player::BlindPlayer;

/// Learning takes so many steps of inference at most for each relation, whatever the time.
const LEARNING: u64 = 10_000_000;
/// A single question to a model takes so many steps at most.
const JUDGING: u64 = 1_000_000;
/// So many matches are learned from, the last ones that showed something new.
const MOST_EPISODES: usize = 200;
/// Where so many states are known or were foreseen, all is forgotten before the next match: a limit on memory.
const MOST_KNOWN: usize = 400_000;
/// After a model failed, so many matches are played at most before another is learned.
const LONGEST_PAUSE: u32 = 64;

/// Where chance or others are at play, so much more than usual is hoped for of what is not known: who hoped for the best
/// would have to see everything before it plays well.
const HOPE: f64 = 10.0;
/// A match counts so much in what is usual.
const USUAL: f64 = 0.05;

/// Remembers where each joint move led, learns rules from all matches, and plans: where it knows the way it takes the best,
/// and where memory and rules say little it expects the best, so that it goes and looks (optimism in the face of
/// uncertainty: Brafman, Tennenholtz, R-max, JMLR 2002; with a model of relations: Lang, Toussaint, Kersting, Exploration
/// in relational domains, JMLR 2012).
pub struct Explorer {
    structure: Structure,
    experience: Experience,
    legality: Vec<Legality>,
    model: Option<Model>,
    said: Said,
    trust: Trust,
    /// What was planned since something new was seen.
    plan: Plan,
    /// How many matches in a row showed nothing new.
    stale: u32,
    /// Whether every turn of this match is planned anew, with actions that are not likely to be accepted.
    looks_closely: bool,
    /// What matches brought lately.
    usual: f64,
    /// Whether a prediction of the model was wrong, or there is none.
    is_wrong: bool,
    /// How many matches to wait until the next model, and how long after the next failure.
    pause: (u32, u32),
    learned_from: usize,
    rng: Rng,
    episode: Episode,
    /// Of each step of this match, whether it showed something new.
    shows_new: Vec<bool>,
}

impl Explorer {
    /// A player of the role at a position of the structure.
    pub fn new(structure: &Structure, role: usize, seed: u64) -> Self {
        Self {
            structure: structure.clone(),
            legality: structure.roles.iter().map(|_| Legality::default()).collect(),
            experience: Experience::new(structure, role),
            model: None,
            said: Said::default(),
            trust: Trust::default(),
            plan: Plan::default(),
            stale: 0,
            usual: BEST / 2.0,
            looks_closely: false,
            is_wrong: true,
            pause: (0, 1),
            learned_from: 0,
            rng: Rng::from_seed(seed),
            episode: Episode::default(),
            shows_new: Vec::new(),
        }
    }

    fn here(&self) -> Option<StateNumber> {
        self.episode.states.last().copied()
    }

    /// Keeps the match that is over for learning, where it showed something new.
    fn keep_episode(&mut self) {
        let episode = std::mem::take(&mut self.episode);
        if std::mem::take(&mut self.shows_new).contains(&true) {
            self.experience.episodes.push(episode);
            if self.experience.episodes.len() > MOST_EPISODES {
                self.experience.episodes.remove(0);
            }
        }
    }

    /// Forgets what a model said.
    fn drop_foresight(&mut self) {
        self.said = Said::default();
        self.trust = Trust::default();
        self.plan = Plan::default();
    }

    /// How many of the joint moves that were seen the new model explains, until the first that it does not.
    fn examine(&mut self, budget: &Budget) {
        self.drop_foresight();
        let tried = self.experience.tried.iter();
        let seen = tried.flat_map(|(&(state, _), tried)| tried.outcomes.iter().map(move |it| (state, it)));
        let (asked, next): (Vec<_>, Vec<_>) =
            seen.map(|(state, it)| ((state, it.joint.clone()), it.next)).unzip();
        let said = self.knowledge().foreseen(&asked, budget);
        for (foreseen, next) in said.into_iter().zip(next) {
            self.judge(foreseen, next, true);
            if self.is_wrong {
                return;
            }
        }
        // What it was learned from it should explain: that proves less than what it foresees.
        self.trust.right /= 2;
    }

    fn knowledge(&mut self) -> Knowledge<'_> {
        let hope = if self.experience.is_certain() { BEST } else { (self.usual + HOPE).min(BEST) };
        Knowledge {
            experience: &mut self.experience,
            legality: &self.legality,
            model: self.model.as_mut(),
            said: &mut self.said,
            trust: &self.trust,
            is_wrong: self.is_wrong,
            hope,
            rng: &mut self.rng,
        }
    }

    /// Compares what was foreseen with what came. What came before is no proof of a model.
    fn judge(&mut self, foreseen: Option<Foreseen>, next: StateNumber, is_new: bool) {
        let known = self.experience.known(next);
        let ended = known.ended;
        let is_right = foreseen.is_some_and(|foreseen| {
            foreseen.next == next && foreseen.ends == ended && (!ended || foreseen.utility == known.utility)
        });
        if is_right {
            self.trust.right += u32::from(is_new);
            if ended {
                let value = known.utility.unwrap_or(0.0);
                self.trust.ends.entry(value.to_bits()).or_default().insert(next);
            }
        } else {
            self.trust = Trust::default();
            self.plan = Plan::default();
            self.is_wrong = true;
        }
    }

    /// Compares a step of this match with what the model says of it. Whether the match ended with it has to be known.
    fn judge_step(&mut self, step: usize) {
        let (Some(&[before, next]), Some(joint)) =
            (self.episode.states[step..].first_chunk(), self.episode.joints.get(step).cloned())
        else {
            return;
        };
        if self.model.is_some() {
            let is_new = self.shows_new.get(step).copied().unwrap_or(false);
            let said = self.knowledge().foreseen(&[(before, joint)], &Budget::unlimited().with_work(JUDGING));
            if let Some(&foreseen) = said.first() {
                self.judge(foreseen, next, is_new);
            }
        }
    }
}

impl BlindPlayer for Explorer {
    fn prepare(&mut self, budget: &Budget) {
        self.keep_episode();
        if self.experience.size() > MOST_KNOWN {
            *self = Self::new(&self.structure, self.experience.role, self.rng.bits());
        }
        if !self.is_wrong || !self.experience.tells_states || self.experience.episodes.is_empty() {
            return;
        }
        if self.pause.0 > 0 {
            self.pause.0 -= 1;
            return;
        }
        if self.learned_from == self.experience.transitions {
            return;
        }
        self.learned_from = self.experience.transitions;
        let limited = budget.clone().with_work(LEARNING.min(budget.work()));
        self.model = Model::learn(&self.experience, self.rng.bits(), &limited);
        self.is_wrong = self.model.is_none();
        self.examine(budget);
        let next = if self.is_wrong { (2 * self.pause.1).min(LONGEST_PAUSE) } else { 1 };
        self.pause = (if self.is_wrong { self.pause.1 } else { 0 }, next);
    }

    fn begin(&mut self, percepts: &[String]) {
        let perceived = Perceived::read(percepts, &self.experience.roles);
        // A match that was given up has shown something, too.
        self.keep_episode();
        let state = self.experience.perceive(&perceived, None);
        self.episode.states.push(state);
    }

    fn choose(&mut self, budget: &Budget) -> String {
        let Some(state) = self.here() else { return String::new() };
        let mut meter = budget.meter();
        if self.looks_closely {
            self.plan = Plan::default();
        }
        let mut plan = std::mem::take(&mut self.plan);
        let action = self.knowledge().choose(state, &mut plan, &mut meter);
        self.plan = plan;
        let actions = &self.experience.actions[self.experience.role];
        action.and_then(|action| actions.get(action as usize)).cloned().unwrap_or_default()
    }

    fn observe(&mut self, action: &str, percepts: &[String]) {
        let Some(before) = self.here() else { return };
        let role = self.experience.role;
        let perceived = Perceived::read(percepts, &self.experience.roles);
        if let Some(refused) = &perceived.refused {
            let number = self.experience.action(role, refused);
            if self.experience.refused.insert((before, number)) {
                self.plan = Plan::default();
                self.legality[role].refuse(&self.experience, before, role, number);
            }
        }
        let own = self.experience.action(role, action);
        if !self.experience.tried.contains_key(&(before, own)) {
            self.legality[role].accept(&self.experience, before, role, own);
        }
        let mut joint = vec![UNTOLD; self.experience.roles.len()];
        joint[role] = own;
        for &(of, ref text) in perceived.joint.iter().filter(|(of, _)| *of != role) {
            joint[of] = self.experience.action(of, text);
            self.legality[of].accept(&self.experience, before, of, joint[of]);
        }
        let next = self.experience.perceive(&perceived, Some((before, action)));
        let is_new = self.experience.note(before, &joint, next);
        self.shows_new.push(is_new);
        // Where chance or others are at play, what was seen before tells how likely it is.
        if is_new || self.model.is_none() && self.experience.roles.len() > 1 {
            self.plan = Plan::default();
        }
        self.episode.states.push(next);
        self.episode.joints.push(joint);
        // The state before this one did not end the match.
        if let Some(step) = self.episode.joints.len().checked_sub(2) {
            self.judge_step(step);
        }
    }

    fn end(&mut self) {
        let Some(last) = self.here() else { return };
        self.experience.known_mut(last).ended = true;
        if let Some(step) = self.episode.joints.len().checked_sub(1) {
            self.judge_step(step);
        }
        let utility = self.experience.known(last).utility.unwrap_or(0.0);
        self.usual += USUAL * (utility - self.usual);
        let is_new = self.shows_new.contains(&true);
        self.stale = if is_new { 0 } else { self.stale + 1 };
        self.looks_closely = self.stale.is_power_of_two();
        self.keep_episode();
    }
}
