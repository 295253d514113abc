//! Equilibria by regret: CFR+.

use ludex_game::News;
use ludex_logic::{Budget, Id, LimitError, TermId};

use super::behaviour::BehaviourStrategy;
use super::best_response::{best_response, respond};
use super::information_sets::InformationSets;
use super::sequence_form::SequenceForm;
use crate::regret::match_regrets;

/// When a pair of strategies is good enough.
#[derive(Clone, Debug, PartialEq)]
pub struct EquilibriumOptions {
    /// How much can be won against the strategies at most, in goal points, on average over both roles.
    pub exploitability: f64,
    /// The most iterations.
    pub iterations: u64,
}

impl Default for EquilibriumOptions {
    /// A thousandth of a goal point; a million iterations.
    fn default() -> Self {
        Self { exploitability: 0.001, iterations: 1_000_000 }
    }
}

/// A pair of strategies against which little can be won, or the best plan of a single role.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The strategies, one for each of [`SequenceForm::roles`].
    pub strategies: Vec<BehaviourStrategy>,
    /// The goal that each role gets on average where all play these. The value of the game differs from it by twice
    /// the exploitability at most.
    pub values: Vec<f64>,
    /// What each role gets at least on average with its strategy, whatever the other one does.
    pub guaranteed: Vec<f64>,
    /// How much can be won against the strategies beyond their values, on average over both roles: half of the sum
    /// of what each role gains by a best response to the other one.
    pub exploitability: f64,
    /// How many iterations were made.
    pub iterations: u64,
    /// How many payoffs were added up.
    pub work: u64,
    /// The limit that stopped the search, where one did.
    pub stopped: Option<LimitError>,
}

impl Equilibrium {
    /// The moves that a role, named by its place among [`SequenceForm::roles`], draws from after these news, with
    /// their probabilities, as in [`Report::policy`](crate::Report::policy). `None` where it has no choice, or where
    /// the news never come.
    ///
    /// # Panics
    /// Where there is no such role, or the form is that of another game.
    pub fn policy(&self, form: &SequenceForm, role: usize, news: &[News]) -> Option<Vec<(TermId, f64)>> {
        let sets = &form.roles()[role];
        let set = sets.find(news)?;
        let probabilities = self.strategies[role].of(sets, set);
        Some(sets.moves(set).iter().copied().zip(probabilities.iter().copied()).collect())
    }
}

/// Looks for a Nash equilibrium by CFR+ (Tammelin, Solving large imperfect information games using CFR+, 2014): roles
/// take turns to follow their positive regrets, and the strategies of later iterations count more in the average
/// (linearly). It ends when the exploitability of the averages is under the bound, after the most iterations, or with
/// the budget; what was found by then is given in any case. One role alone has its best plan at once.
///
/// The same game gives the same strategies: nothing is drawn at random.
pub fn find_equilibrium(form: &SequenceForm, options: &EquilibriumOptions, budget: &Budget) -> Equilibrium {
    let [first, second] = form.roles() else { return best_plan(form) };
    let mut search = Search { form, learners: [Learner::new(first), Learner::new(second)], work: 0 };
    let mut meter = budget.meter();
    let (mut iterations, mut stopped) = (0, None);
    let mut looked = search.look();
    let mut next_look = 1;
    while looked.exploitability > options.exploitability && iterations < options.iterations {
        let before = search.work;
        iterations += 1;
        search.iterate(iterations as f64);
        stopped = meter.spend(search.work - before).err();
        if iterations >= next_look || iterations == options.iterations || stopped.is_some() {
            looked = search.look();
            budget.report("iterations", iterations, None);
            // A look takes about as long as an iteration.
            next_look = iterations + (iterations / 8).clamp(1, 1000);
        }
        if stopped.is_some() {
            break;
        }
    }
    Equilibrium { iterations, work: search.work, stopped, ..looked }
}

/// What a role alone against chance does best.
fn best_plan(form: &SequenceForm) -> Equilibrium {
    let best = best_response(form, 0, None);
    Equilibrium {
        strategies: vec![best.strategy],
        values: vec![best.value],
        guaranteed: vec![best.value],
        exploitability: 0.0,
        iterations: 0,
        work: form.pairs() as u64,
        stopped: None,
    }
}

struct Search<'f> {
    form: &'f SequenceForm,
    learners: [Learner<'f>; 2],
    work: u64,
}

impl Search<'_> {
    /// Lets each role learn from what its moves bring against the other one, one after the other.
    fn iterate(&mut self, weight: f64) {
        for role in [0, 1] {
            let [first, second] = &mut self.learners;
            let (own, other) = if role == 0 { (first, second) } else { (second, first) };
            self.work += self.form.gains(role, &other.plan, &mut own.gains) as u64;
            self.work += own.gains.len() as u64;
            own.learn();
            own.follow_regrets();
            own.average(weight);
        }
    }

    /// What the average strategies are worth, and what can be won against them.
    fn look(&mut self) -> Equilibrium {
        let form = self.form;
        let strategies: Vec<BehaviourStrategy> =
            self.learners.iter().map(Learner::average_strategy).collect();
        let sets = form.roles();
        let plans = [0, 1].map(|role| strategies[role].plan(&sets[role]));
        let mut gains = Vec::new();
        // What each role gets at most, beyond half of the sum.
        let most = [0, 1].map(|role| {
            self.work += form.gains(role, &plans[1 - role], &mut gains) as u64;
            respond(&sets[role], &mut gains, |_, _| {})
        });
        Equilibrium {
            values: form.values(&strategies),
            guaranteed: vec![form.goal(0, -most[1]), form.goal(1, most[0])],
            // A pair of exact equilibrium strategies may be below 0 by rounding.
            exploitability: ((most[0] + most[1]) / 2.0).max(0.0),
            strategies,
            iterations: 0,
            work: 0,
            stopped: None,
        }
    }
}

/// What one role has learned. Lists are by sequence, so that the moves of an information set lie side by side.
struct Learner<'f> {
    sets: &'f InformationSets,
    /// The positive regrets of not having made a move.
    regrets: Vec<f64>,
    /// The realisation plan of the present strategy.
    plan: Vec<f64>,
    /// The sum of all plans, with their weights.
    total: Vec<f64>,
    /// What each sequence brings.
    gains: Vec<f64>,
}

impl<'f> Learner<'f> {
    /// Knows nothing, and makes each move with equal probability.
    fn new(sets: &'f InformationSets) -> Self {
        let mut learner = Self {
            sets,
            regrets: vec![0.0; sets.sequence_count()],
            plan: vec![1.0; sets.sequence_count()],
            total: vec![0.0; sets.sequence_count()],
            gains: Vec::new(),
        };
        learner.follow_regrets();
        learner
    }

    /// Adds the regrets of an iteration, from what each sequence brings at its ends. Regrets never go below 0, so
    /// that a move is tried again as soon as it is better once.
    fn learn(&mut self) {
        for set in self.sets.ids().rev() {
            let (sequences, parent) = (self.sets.sequences(set), self.sets.parent(set).index());
            let (regrets, gains) = (&mut self.regrets[sequences.clone()], &self.gains[sequences]);
            let total: f64 = regrets.iter().sum();
            let value = if total > 0.0 {
                regrets.iter().zip(gains).map(|(regret, gain)| regret * gain).sum::<f64>() / total
            } else {
                gains.iter().sum::<f64>() / gains.len() as f64
            };
            for (regret, gain) in regrets.iter_mut().zip(gains) {
                *regret = (*regret + gain - value).max(0.0);
            }
            self.gains[parent] += value;
        }
    }

    /// Makes the plan that of regret matching: moves in proportion to their regrets.
    fn follow_regrets(&mut self) {
        for set in self.sets.ids() {
            let sequences = self.sets.sequences(set);
            let before = self.plan[self.sets.parent(set).index()];
            let (regrets, plan) = (&self.regrets[sequences.clone()], &mut self.plan[sequences]);
            plan.copy_from_slice(regrets);
            match_regrets(plan, before);
        }
    }

    fn average(&mut self, weight: f64) {
        self.total.iter_mut().zip(&self.plan).for_each(|(total, plan)| *total += weight * plan);
    }

    /// The average of all strategies so far; the present one in sets that none of them reaches.
    fn average_strategy(&self) -> BehaviourStrategy {
        let present = BehaviourStrategy::uniform(self.sets).with_plan(self.sets, &self.regrets);
        present.with_plan(self.sets, &self.total)
    }
}
