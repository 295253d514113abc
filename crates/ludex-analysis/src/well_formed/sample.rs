//! Random search for courses that show something: random games one at a time, and a walk towards a win
//! that is led by batches of random games.

use std::collections::BTreeMap;

use ludex_game::{
    ActionId, Answer, Batch, BatchOptions, Expansion, GameError, Goal, Jobs, Outcomes, Policy, Rng, RoleId,
    Rules, Runner, Start, State,
};
use ludex_logic::{Budget, Meter, TermId};
use rustc_hash::FxHashMap;

use super::claim::{Claim, WIN, sum};
use crate::finding::Witness;

/// The most steps of one random game.
const MOST_STEPS: usize = 2000;
/// A look at a state takes about as long as this many steps of inference.
const STEPS_PER_STATE: u64 = 64;
/// A step of a batch of random games takes about as long as this many steps of inference.
const STEPS_PER_PLAYED: u64 = 8;
/// Random games from each successor, when a win is looked for.
const PLAYOUTS: u32 = 64;
/// The most successors to choose from.
const MOST_SUCCESSORS: usize = 256;
/// How often a walk towards a win begins anew.
const WALKS: u64 = 4;

/// What random games have shown, the first course of each kind; of loops the shortest.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// A way around.
    pub(super) around: Option<Witness>,
    /// Per role a course after which it is stuck.
    pub(super) stuck: Vec<Option<Witness>>,
    /// Per role all courses to a terminal state without exactly one goal value.
    pub(super) not_one_goal: Vec<Vec<Witness>>,
    /// Per role a course to a terminal state with a goal above 100.
    pub(super) out_of_range: Vec<Option<Witness>>,
    /// Per role a course whose last step lowers its goal.
    pub(super) falls: Vec<Option<Witness>>,
    /// Per role a course to a win.
    pub(super) wins: Vec<Option<Witness>>,
    /// What goals add up to in terminal states, each with a course.
    pub(super) sums: BTreeMap<u64, Witness>,
}

impl Shown {
    fn new(roles: usize) -> Self {
        let none = || vec![None; roles];
        Self {
            around: None,
            stuck: none(),
            not_one_goal: vec![Vec::new(); roles],
            out_of_range: none(),
            falls: none(),
            wins: none(),
            sums: BTreeMap::new(),
        }
    }
}

/// Plays random games and notes what they show.
pub(super) struct Sampler<'r> {
    rules: &'r Rules,
    runner: Box<dyn Runner + 'r>,
    rng: Rng,
    meter: Meter,
    /// What was found so far.
    pub(super) shown: Shown,
}

impl<'r> Sampler<'r> {
    /// A sampler with a seed and a budget.
    pub(super) fn new(rules: &'r Rules, seed: u64, budget: &Budget) -> Self {
        Self {
            rules,
            runner: rules.machine().runner(budget),
            rng: Rng::from_seed(seed),
            meter: budget.meter(),
            shown: Shown::new(rules.roles().len()),
        }
    }

    /// Plays so many random games.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers; what was found before is kept.
    pub(super) fn play(&mut self, games: u32) -> Answer<()> {
        for _ in 0..games {
            self.play_one()?;
        }
        Ok(())
    }

    fn play_one(&mut self) -> Answer<()> {
        let rules = self.rules;
        let mut steps: Vec<Vec<ActionId>> = Vec::new();
        let mut seen: FxHashMap<State, ()> = FxHashMap::default();
        let mut before: Option<Vec<Option<Goal>>> = None;
        let mut state = State::default();
        self.runner.set(rules.initial())?;
        loop {
            self.meter.spend(STEPS_PER_STATE)?;
            let goals: Vec<Option<Goal>> =
                rules.roles().map(|role| self.runner.goal(role)).collect::<Answer<_>>()?;
            if let Some(before) = before {
                for (role, (was, is)) in before.iter().zip(&goals).enumerate() {
                    if matches!((was, is), (Some(was), Some(is)) if is < was) {
                        keep(&mut self.shown.falls[role], || witness(rules, &steps));
                    }
                }
            }
            if self.runner.terminal()? {
                self.ended(&goals, &steps);
                return Ok(());
            }
            self.runner.save(&mut state);
            if seen.insert(state.clone(), ()).is_some() {
                let shorter = self.shown.around.as_ref().is_none_or(|found| steps.len() < found.steps.len());
                if shorter {
                    self.shown.around = Some(witness(rules, &steps));
                }
                // Going round is shown now; the game goes on to show more, unless it is a long one.
                seen.clear();
                seen.insert(state.clone(), ());
            }
            if steps.len() >= MOST_STEPS {
                return Ok(());
            }
            let mut joint = Vec::with_capacity(goals.len());
            for role in rules.roles() {
                let legal = self.runner.legal(role)?;
                if legal.is_empty() {
                    keep(&mut self.shown.stuck[role.index()], || witness(rules, &steps));
                    return Ok(());
                }
                joint.push(legal[self.rng.below(legal.len() as u64) as usize]);
            }
            self.runner.step_legal(&joint)?;
            steps.push(joint);
            before = Some(goals);
        }
    }

    fn ended(&mut self, goals: &[Option<Goal>], steps: &[Vec<ActionId>]) {
        let rules = self.rules;
        for (role, goal) in goals.iter().enumerate() {
            let place = match goal {
                None => {
                    self.shown.not_one_goal[role].push(witness(rules, steps));
                    continue;
                }
                Some(goal) if *goal > WIN => &mut self.shown.out_of_range[role],
                Some(goal) if *goal == WIN => &mut self.shown.wins[role],
                Some(_) => continue,
            };
            keep(place, || witness(rules, steps));
        }
        if let Some(sum) = sum(goals, &rules.seats()) {
            self.shown.sums.entry(sum).or_insert_with(|| witness(rules, steps));
        }
    }

    /// Looks for a course to a win of a role: at each state random games are played from each
    /// successor, and the one with the most wins is taken.
    ///
    /// # Errors
    /// As [`Sampler::play`].
    pub(super) fn look_for_win(&mut self, role: RoleId) -> Answer<()> {
        let budget = self.meter.budget().clone();
        let options = BatchOptions { budget, ..BatchOptions::default() };
        let mut batch = self.rules.machine().batch(&options);
        for _ in 0..WALKS {
            if self.shown.wins[role.index()].is_some() {
                return Ok(());
            }
            self.walk_to_win(role, &mut *batch)?;
        }
        Ok(())
    }

    fn walk_to_win(&mut self, role: RoleId, batch: &mut dyn Batch) -> Answer<()> {
        let rules = self.rules;
        let mut state = rules.initial().clone();
        let mut steps: Vec<Vec<ActionId>> = Vec::new();
        let (mut expansion, mut outcomes) = (Expansion::default(), Outcomes::default());
        while steps.len() < MOST_STEPS {
            let joints = self.some_joint_moves(&state)?;
            if joints.is_empty() {
                return Ok(());
            }
            let mut jobs = Jobs::default();
            let number = jobs.add_state(state.words());
            joints.iter().for_each(|joint| jobs.add(number, joint));
            batch.expand(&jobs, &mut expansion)?;
            self.meter.spend(STEPS_PER_STATE.saturating_mul(joints.len() as u64))?;
            let starts: Vec<Start> = (0..joints.len())
                .map(|job| Start {
                    state: expansion.to_state(job),
                    playouts: if expansion.terminal(job) { 0 } else { PLAYOUTS },
                })
                .collect();
            let policy = Policy::uniform(MOST_STEPS as u32);
            batch.playouts(&starts, &policy, self.rng.below(u64::MAX), &mut outcomes)?;
            let made: u64 = outcomes.tallies.iter().map(|tally| tally.steps).sum();
            self.meter.spend(made.saturating_mul(STEPS_PER_PLAYED).saturating_add(STEPS_PER_STATE))?;
            let mut best: Option<(u32, u32, usize)> = None;
            for (job, tally) in outcomes.tallies.iter().enumerate() {
                let goal = expansion.goals(job)[role.index()];
                if expansion.terminal(job) && goal == Some(WIN) {
                    steps.push(joints[job].clone());
                    self.shown.wins[role.index()] = Some(witness(rules, &steps));
                    return Ok(());
                }
                if expansion.terminal(job) {
                    continue;
                }
                let values = tally.goals.get(role.index()).map_or(&[][..], |list| list);
                let wins = values.iter().find(|&&(goal, _)| goal == WIN).map_or(0, |&(_, count)| count);
                let mean = tally.mean_goal(role).unwrap_or(0.0) as u32;
                if best.is_none_or(|(most, highest, _)| (wins, mean) > (most, highest)) {
                    best = Some((wins, mean, job));
                }
            }
            let Some((_, _, job)) = best else { return Ok(()) };
            state = expansion.to_state(job);
            steps.push(joints[job].clone());
        }
        Ok(())
    }

    /// All joint moves of a state, or some of them where there are many; none where the game is over or a
    /// role is stuck.
    fn some_joint_moves(&mut self, state: &State) -> Answer<Vec<Vec<ActionId>>> {
        self.runner.set(state)?;
        if self.runner.terminal()? {
            return Ok(Vec::new());
        }
        let mut legal: Vec<Vec<ActionId>> = Vec::new();
        for role in self.rules.roles() {
            legal.push(self.runner.legal(role)?.to_vec());
        }
        let product = legal.iter().try_fold(1usize, |product, moves| product.checked_mul(moves.len()));
        let count = product.unwrap_or(usize::MAX);
        let mut joints: Vec<Vec<ActionId>> = Vec::new();
        if count == 0 {
            return Ok(joints);
        }
        for number in 0..count.min(MOST_SUCCESSORS) {
            let mut left = number;
            let mut joint = Vec::with_capacity(legal.len());
            for moves in &legal {
                let at = if count > MOST_SUCCESSORS {
                    self.rng.below(moves.len() as u64) as usize
                } else {
                    let at = left % moves.len();
                    left /= moves.len();
                    at
                };
                joint.push(moves[at]);
            }
            joints.push(joint);
        }
        Ok(joints)
    }
}

fn keep(place: &mut Option<Witness>, witness: impl FnOnce() -> Witness) {
    if place.is_none() {
        *place = Some(witness());
    }
}

fn witness(rules: &Rules, steps: &[Vec<ActionId>]) -> Witness {
    let signature = rules.signature();
    let terms = |joint: &Vec<ActionId>| -> Vec<TermId> {
        joint.iter().map(|&action| signature.action(action)).collect()
    };
    Witness { steps: steps.iter().map(terms).collect() }
}

/// Whether a course shows a claim; an error of the machine counts as no.
pub(super) fn checked(claim: Claim, witness: &Witness, rules: &Rules) -> bool {
    let shown: Result<bool, GameError> = claim.is_shown_by(witness, rules);
    shown.unwrap_or(false)
}
