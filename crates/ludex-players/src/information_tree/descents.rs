//! Descents side by side: all of them make one step at a time.

use std::sync::Arc;

use ludex_game::{
    ActionId, Answer, Batch, Expansion, Jobs, Outcomes, Policy, Rng, RoleId, Signature, Start, Told, Wanted,
};
use ludex_logic::{Budget, Meter};

use super::node::{Choice, Trees};
use crate::strategy::PossibleStates;

/// So many descents go on side by side where the machine has lanes: more of them choose by what is known of fewer.
const IN_LANES: u64 = 128;
/// And where it has none.
const ONE_BY_ONE: u64 = 16;
/// What a step of a descent counts as, in steps of inference.
const STEP_COST: u64 = 64;

/// A descent on its way.
struct Descent {
    /// What each role was told.
    told: Vec<Told>,
    choices: Vec<Choice>,
    /// The number of its state.
    at: usize,
}

/// What runs descents.
pub(super) struct Descents<'m> {
    batch: Box<dyn Batch + 'm>,
    roots: Expansion,
    signature: Arc<Signature>,
    policy: Policy,
    probes: u32,
    meter: Meter,
    /// States that were looked at, those of random games among them.
    pub states: u64,
}

impl<'m> Descents<'m> {
    /// Descents from these states, with random games as the policy says.
    pub fn new(
        batch: Box<dyn Batch + 'm>,
        roots: Expansion,
        signature: &Arc<Signature>,
        policy: Policy,
        budget: &Budget,
    ) -> Self {
        let probes = (batch.width() as u64 / IN_LANES).max(1) as u32;
        let (signature, meter) = (Arc::clone(signature), budget.meter());
        Self { batch, roots, signature, policy, probes, meter, states: 0 }
    }

    /// How many descents go on side by side.
    pub fn width(&self) -> u64 {
        if self.batch.width() > 1 { IN_LANES } else { ONE_BY_ONE }
    }

    /// Goes down from the states of these numbers, and notes what came of it.
    ///
    /// # Errors
    /// A limit, or what the machine answers; then nothing is noted of these descents but that they were tried.
    pub fn run(
        &mut self,
        trees: &mut Trees,
        (possible, starts): (&PossibleStates<'_>, &[usize]),
        rng: &mut Rng,
    ) -> Answer<()> {
        let roots = std::mem::take(&mut self.roots);
        let begin = |&at: &usize| Descent {
            told: self.signature.role_ids().map(|role| possible.told(at, role)).collect(),
            choices: Vec::new(),
            at,
        };
        let open = starts.iter().map(begin).collect();
        let done = self.run_from(trees, &roots, open, rng);
        self.roots = roots;
        done
    }

    fn run_from(
        &mut self,
        trees: &mut Trees,
        roots: &Expansion,
        mut open: Vec<Descent>,
        rng: &mut Rng,
    ) -> Answer<()> {
        let (mut found, mut next) = <(Expansion, Expansion)>::default();
        let mut jobs = Jobs::default();
        jobs.want_goals(Wanted::Terminal);
        jobs.want_percepts(true);
        let mut leaves: Vec<(Descent, Start)> = Vec::new();
        let mut is_first = true;
        while !open.is_empty() {
            self.meter.spend(open.len() as u64 * STEP_COST)?;
            self.states += open.len() as u64;
            let states = if is_first { roots } else { &found };
            jobs.clear();
            let mut going_on = Vec::with_capacity(open.len());
            for mut descent in open {
                if states.terminal(descent.at) {
                    let goals = states.goals(descent.at);
                    self.end(trees, &descent, |role| f64::from(goals[role.index()].unwrap_or(0)));
                    continue;
                }
                match self.step(trees, &mut descent, states, rng) {
                    Some((joint, false)) => {
                        let state = jobs.add_state(states.state(descent.at));
                        jobs.add(state, &joint);
                        going_on.push((descent, joint));
                    }
                    // At a leaf, and where somebody cannot move.
                    _ => {
                        let start = Start { state: states.to_state(descent.at), playouts: self.probes };
                        leaves.push((descent, start));
                    }
                }
            }
            self.batch.expand(&jobs, &mut next)?;
            open = going_on
                .into_iter()
                .enumerate()
                .map(|(at, (d, joint))| self.follow(d, &joint, &next, at))
                .collect();
            std::mem::swap(&mut found, &mut next);
            is_first = false;
        }
        self.evaluate(trees, leaves, rng)
    }

    /// Chooses a move of each role, and says whether this is a leaf: none of those who have a choice was ever here.
    /// None where somebody cannot move.
    fn step(
        &self,
        trees: &mut Trees,
        descent: &mut Descent,
        states: &Expansion,
        rng: &mut Rng,
    ) -> Option<(Vec<ActionId>, bool)> {
        let mut joint = Vec::with_capacity(descent.told.len());
        let (mut some_chose, mut some_were_here) = (false, false);
        let begun = descent.choices.len();
        for role in self.signature.role_ids() {
            let legal = states.legal(descent.at, role);
            let action = match legal {
                [] => return None,
                [only] => *only,
                _ if Some(role) == self.signature.random() => *rng.pick(legal)?,
                _ => {
                    some_chose = true;
                    let told = descent.told[role.index()];
                    match trees.enter(role, told, legal.len()) {
                        Some((node, is_new)) => {
                            some_were_here |= !is_new;
                            let choice = trees.select(role, node, legal, rng);
                            let action = choice.action(legal);
                            descent.choices.push(choice);
                            action
                        }
                        None => *rng.pick(legal)?,
                    }
                }
            };
            joint.push(action);
        }
        let is_leaf = some_chose && !some_were_here;
        if is_leaf {
            // What is chosen here is not made: random games go on from this state.
            descent.choices.drain(begun..).for_each(|choice| trees.take_back(&choice));
        }
        Some((joint, is_leaf))
    }

    /// A descent after a joint move.
    fn follow(&self, mut descent: Descent, joint: &[ActionId], found: &Expansion, at: usize) -> Descent {
        let action = |role: RoleId| self.signature.action(joint[role.index()]);
        for (role, told) in self.signature.role_ids().zip(&mut descent.told) {
            *told = told.and(action(role), found.percepts(at, role));
        }
        Descent { at, ..descent }
    }

    /// Plays random games from leaves.
    fn evaluate(&mut self, trees: &mut Trees, leaves: Vec<(Descent, Start)>, rng: &mut Rng) -> Answer<()> {
        let (descents, starts): (Vec<Descent>, Vec<Start>) = leaves.into_iter().unzip();
        let mut outcomes = Outcomes::default();
        self.batch.playouts(&starts, &self.policy, rng.bits(), &mut outcomes)?;
        for (descent, tally) in descents.iter().zip(&outcomes.tallies) {
            self.states += tally.steps;
            self.meter.spend(tally.steps * STEP_COST)?;
            self.end(trees, descent, |role| tally.mean_goal(role).unwrap_or(0.0));
        }
        Ok(())
    }

    /// Notes what a descent came to.
    fn end(&self, trees: &mut Trees, descent: &Descent, value: impl Fn(RoleId) -> f64) {
        for choice in descent.choices.iter().rev() {
            trees.back_up(choice, value(choice.role()));
        }
    }
}
