//! From the states that fit before a step to those that fit after it.

use ludex_logic::{Budget, TermId};

use super::joints::{Joints, Numbers, legal_there};
use super::told::{MoveModel, ToldByRole};
use super::weighted::WeightedStates;
use super::{Belief, BeliefError, FEW, News};
use crate::batch::{Batch, Expansion, Jobs, Observation, Start, Survivors, Wanted};
use crate::machine::Runner;
use crate::signature::{ActionId, RoleId, Signature};
use crate::state::State;

/// So many joint moves are made at once.
const AT_ONCE: usize = 4096;

/// States after a step, and whether these are all that fit.
pub(super) type Step = (WeightedStates, bool);

/// Joint moves that are waiting to be made, each with the weight of what comes out.
struct Waiting<'w> {
    batch: &'w mut dyn Batch,
    /// The states that they are made in.
    from: &'w WeightedStates,
    /// Whose moves are which terms, where it is noted what roles were told.
    signature: Option<&'w Signature>,
    /// What has to be seen, if that is known.
    seen: Option<Observation<'w>>,
    jobs: Jobs,
    /// The number of the state, and the weight, of each.
    origins: Vec<(usize, f64)>,
    expansion: Expansion,
    found: WeightedStates,
    /// How many joint moves were made.
    made: u64,
    /// How many of them led to a state that fits.
    fitting: usize,
}

impl<'w> Waiting<'w> {
    fn new(
        batch: &'w mut dyn Batch,
        from: &'w WeightedStates,
        signature: Option<&'w Signature>,
        seen: Option<Observation<'w>>,
    ) -> Self {
        let mut jobs = Jobs::default();
        jobs.want_goals(Wanted::Terminal);
        jobs.want_moves(false);
        jobs.want_percepts(seen.is_some() || signature.is_some());
        let (origins, expansion, found) = (Vec::new(), Expansion::default(), WeightedStates::default());
        Self { batch, from, signature, seen, jobs, origins, expansion, found, made: 0, fitting: 0 }
    }

    /// Adds a joint move in the state of a number. Those of one state follow each other.
    fn add(&mut self, at: usize, joint: &[ActionId], weight: f64) -> Result<(), BeliefError> {
        let state = match self.origins.last() {
            Some(&(last, _)) if last == at => self.jobs.state_number(self.jobs.len() - 1),
            _ => self.jobs.add_state(self.from.states()[at].words()),
        };
        self.jobs.add(state, joint);
        self.origins.push((at, weight));
        if self.jobs.len() >= AT_ONCE { self.make() } else { Ok(()) }
    }

    /// Makes the joint moves that were added.
    fn make(&mut self) -> Result<(), BeliefError> {
        self.batch.expand(&self.jobs, &mut self.expansion)?;
        self.made += self.jobs.len() as u64;
        for (number, &(at, weight)) in self.origins.iter().enumerate() {
            let fits = |seen: &Observation<'_>| seen.fits(self.expansion.percepts(number, seen.role));
            if self.seen.as_ref().is_none_or(fits) {
                self.fitting += 1;
                let told = self.told_after(number, at);
                let (tag, words) = (self.from.states()[at].tag(), self.expansion.state(number));
                self.found.add(tag, words, &told, weight);
            }
        }
        self.jobs.clear();
        self.origins.clear();
        Ok(())
    }

    /// What each role was told by the joint move of a number in a state, and before.
    fn told_after(&self, number: usize, at: usize) -> ToldByRole {
        let mut told = self.from.told()[at].clone();
        if let Some(signature) = self.signature {
            for ((role, told), &action) in (0..).map(RoleId).zip(&mut told).zip(self.jobs.joint(number)) {
                *told = told.and(signature.action(action), self.expansion.percepts(number, role));
            }
        }
        told
    }
}

impl Belief {
    /// The states after a step that fit its news, and whether these are all.
    pub(super) fn successors(
        &mut self,
        (runner, batch): (&mut dyn Runner, &mut dyn Batch),
        news: &News,
        model: Option<&dyn MoveModel>,
        budget: &Budget,
    ) -> Result<Step, BeliefError> {
        match news {
            News::Joint(joint) => self.follow_joint(runner, joint, budget),
            News::Percepts { action, percepts } => {
                let own = match self.action_id(*action) {
                    Err(_) if self.options.forgiving => return Ok((WeightedStates::default(), true)),
                    own => own?,
                };
                self.follow_percepts(batch, (own, percepts), model, budget)
            }
        }
    }

    /// The successors by a known joint move of the states in which it is legal. Where nothing is forgiven it has to
    /// be legal in all.
    fn follow_joint(
        &mut self,
        runner: &mut dyn Runner,
        joint: &[TermId],
        budget: &Budget,
    ) -> Result<Step, BeliefError> {
        let mut ids = Vec::with_capacity(joint.len());
        for &term in joint {
            match self.action_id(term) {
                Err(_) if self.options.forgiving => return Ok((WeightedStates::default(), true)),
                id => ids.push(id?),
            }
        }
        let mut found = WeightedStates::default();
        let mut meter = budget.meter();
        let all = self.possible.states().iter().zip(self.possible.told()).zip(self.possible.weights());
        for ((state, told), &weight) in all {
            meter.check()?;
            runner.set(state)?;
            match runner.step(&ids) {
                Err(error) if self.options.forgiving && error.is_about_moves() => continue,
                made => made?,
            }
            let mut next = State::default();
            runner.save(&mut next);
            found.add(next.tag(), next.words(), told, weight);
        }
        Ok((found, true))
    }

    /// The successors by the role's own move and any moves of the others that fit the percepts.
    fn follow_percepts(
        &mut self,
        batch: &mut dyn Batch,
        (own, percepts): (ActionId, &[TermId]),
        model: Option<&dyn MoveModel>,
        budget: &Budget,
    ) -> Result<Step, BeliefError> {
        let role = self.role;
        let observed = Observation { role, action: own, percepts };
        if !self.exact && model.is_none() && self.draws_by_machine() {
            // A sample stays a sample: how many joint moves there are need not be known.
            let found = self.follow_sample(batch, &observed)?;
            if found.len() >= FEW {
                return Ok((self.within_limit(found), false));
            }
        }
        let states: Vec<&State> = self.possible.states().iter().collect();
        let mut looked = Expansion::default();
        batch.look(&states, &mut looked)?;
        let joints: Vec<Joints> =
            (0..looked.len()).map(|at| self.joints_with(&looked, at, own, model)).collect();
        let is_even = model.is_none();
        let (mut found, all) = self.try_joints(batch, &joints, (Some(observed), is_even), budget)?;
        if !all && found.len() < FEW {
            // What was seen is rare among the moves of the others.
            let closely = self.look_closely(batch, &joints, observed, budget)?;
            found = self.within_limit(closely);
        }
        Ok((found, all))
    }

    /// The joint moves of a state with the role's own move, weighed by the model.
    fn joints_with(
        &self,
        looked: &Expansion,
        at: usize,
        own: ActionId,
        model: Option<&dyn MoveModel>,
    ) -> Joints {
        let Some(legal) = legal_there(looked, at) else { return Joints::default() };
        let mut joints = Joints::with_move(legal, self.role, own);
        if let Some(model) = model.filter(|_| joints.count > 0) {
            let random = self.machine.signature().random();
            for (other, &told) in (0..).map(RoleId).zip(&self.possible.told()[at]) {
                if other != self.role && Some(other) != random {
                    joints.weigh(other, told, model);
                }
            }
        }
        joints
    }

    /// The states after a step whose news contradict the rules: a move that is unknown or not legal may
    /// have been any legal one. Where nobody can move, the states stay as they are.
    pub(super) fn pass_over(
        &mut self,
        batch: &mut dyn Batch,
        news: &News,
        budget: &Budget,
    ) -> Result<Step, BeliefError> {
        let states: Vec<&State> = self.possible.states().iter().collect();
        let mut looked = Expansion::default();
        batch.look(&states, &mut looked)?;
        let signature = self.machine.signature();
        let forgiving = |legal| Joints::forgiving(legal, signature, self.role, news);
        let joints: Vec<Joints> =
            (0..looked.len()).map(|at| legal_there(&looked, at).map(forgiving).unwrap_or_default()).collect();
        if joints.iter().all(|joints| joints.count == 0) {
            return Ok((self.possible.clone(), true));
        }
        self.try_joints(batch, &joints, (None, true), budget)
    }

    /// The successors by joint moves that fit; where there are too many of them, of a sample.
    fn try_joints(
        &mut self,
        batch: &mut dyn Batch,
        joints: &[Joints],
        (seen, is_even): (Option<Observation<'_>>, bool),
        budget: &Budget,
    ) -> Result<Step, BeliefError> {
        let total = joints.iter().fold(0u64, |total, joints| total.saturating_add(joints.count));
        if total <= self.options.expansions as u64 {
            let found = self.try_all(batch, joints, seen, budget)?;
            let all = found.len() <= self.options.limit;
            return Ok((self.within_limit(found), all));
        }
        let found = match seen {
            Some(observed) if is_even && self.draws_by_machine() => self.follow_sample(batch, &observed)?,
            seen => self.try_sample(batch, joints, seen, budget)?,
        };
        Ok((self.within_limit(found), false))
    }

    /// All joint moves of all states.
    fn try_all(
        &mut self,
        batch: &mut dyn Batch,
        joints: &[Joints],
        seen: Option<Observation<'_>>,
        budget: &Budget,
    ) -> Result<WeightedStates, BeliefError> {
        let mut waiting = Waiting::new(batch, &self.possible, self.naming(), seen);
        let mut meter = budget.meter();
        let mut joint = Vec::new();
        for (at, joints) in joints.iter().enumerate() {
            let weight = self.possible.weights()[at];
            for number in 0..joints.count {
                meter.check()?;
                joints.get(number, &mut joint);
                waiting.add(at, &joint, weight * joints.weight(number))?;
            }
        }
        waiting.make()?;
        let Waiting { found, made, .. } = waiting;
        self.steps_made += made;
        Ok(found)
    }

    /// Random steps from all states, as often as these are likely.
    fn follow_sample(
        &mut self,
        batch: &mut dyn Batch,
        observed: &Observation<'_>,
    ) -> Result<WeightedStates, BeliefError> {
        let draws = self.possible.draw(self.options.expansions, &mut self.rng);
        let starts = self.possible.states().iter().zip(draws);
        let starts: Vec<Start> =
            starts.map(|(state, playouts)| Start { state: state.clone(), playouts }).collect();
        self.steps_made += self.options.expansions as u64;
        let mut survivors = Survivors::default();
        batch.follow(&starts, observed, self.rng.bits(), &mut survivors)?;
        let mut found = WeightedStates::default();
        let told = ToldByRole::new();
        for number in 0..survivors.len() {
            found.add(survivors.tag(), survivors.words(number), &told, 1.0);
        }
        Ok(found)
    }

    /// Random joint moves, as likely as they are, from all states, as often as these are likely.
    fn try_sample(
        &mut self,
        batch: &mut dyn Batch,
        joints: &[Joints],
        seen: Option<Observation<'_>>,
        budget: &Budget,
    ) -> Result<WeightedStates, BeliefError> {
        let draws = self.possible.draw(self.options.expansions, &mut self.rng);
        let mut rng = self.rng.clone();
        let mut waiting = Waiting::new(batch, &self.possible, self.naming(), seen);
        let mut meter = budget.meter();
        let mut joint = Vec::new();
        for (at, (joints, draws)) in joints.iter().zip(draws).enumerate() {
            for _ in 0..if joints.count > 0 { draws } else { 0 } {
                meter.check()?;
                joints.draw(&mut rng, &mut joint);
                waiting.add(at, &joint, 1.0)?;
            }
        }
        waiting.make()?;
        let Waiting { found, made, .. } = waiting;
        self.rng = rng;
        self.steps_made += made;
        Ok(found)
    }

    /// Goes through the joint moves of one state after the other, until some fit or enough was tried.
    fn look_closely(
        &mut self,
        batch: &mut dyn Batch,
        joints: &[Joints],
        observed: Observation<'_>,
        budget: &Budget,
    ) -> Result<WeightedStates, BeliefError> {
        /// So many joint moves of a state are tried before it is seen whether enough of them fit.
        const PORTION: usize = 512;
        let mut meter = budget.meter();
        let mut left = self.options.replays;
        let mut rng = self.rng.clone();
        let mut joint = Vec::new();
        let mut found = WeightedStates::default();
        let mut made = 0;
        for place in Numbers::all(joints.len() as u64, &mut rng) {
            let (at, joints) = (place as usize, &joints[place as usize]);
            let mut waiting = Waiting::new(batch, &self.possible, self.naming(), Some(observed));
            let mut numbers = Numbers::all(joints.count, &mut rng).take(left);
            let mut tried = 0;
            while waiting.fitting < FEW / 5 {
                let before = tried;
                for number in numbers.by_ref().take(PORTION) {
                    meter.check()?;
                    joints.get(number, &mut joint);
                    waiting.add(at, &joint, joints.weight(number))?;
                    tried += 1;
                }
                if tried == before {
                    break;
                }
                waiting.make()?;
            }
            left -= tried;
            let share = self.possible.weights()[at] * joints.count as f64 / tried.max(1) as f64;
            made += waiting.made;
            let some = waiting.found;
            for ((state, told), weight) in some.states().iter().zip(some.told()).zip(some.weights()) {
                found.add(state.tag(), state.words(), told, weight * share);
            }
            if left == 0 || found.len() >= FEW {
                break;
            }
        }
        self.rng = rng;
        self.steps_made += made;
        Ok(found)
    }

    /// Whose moves are which terms, where it is noted what roles were told.
    fn naming(&self) -> Option<&Signature> {
        self.options.notes_told.then(|| &**self.machine.signature())
    }

    fn draws_by_machine(&self) -> bool {
        self.options.drawn_by_machine && !self.options.notes_told
    }

    /// The states with weights that sum to 1; a sample of them where there are more than are kept.
    fn within_limit(&mut self, mut found: WeightedStates) -> WeightedStates {
        found.normalise();
        if found.len() <= self.options.limit {
            return found;
        }
        found.resampled(self.options.limit, &mut self.rng)
    }
}
