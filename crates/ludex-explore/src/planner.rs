//! Planning with what is known: exact memory where a match was, the model elsewhere, and hope where neither says anything.

use ludex_game::{Rng, Runner};
use ludex_logic::{Budget, LimitError, Meter};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::experience::{ActionNumber, Experience, StateNumber};
use crate::legality::Legality;
use crate::model::Model;

/// The most that a state can be worth (specification 4: goals are from 0 to 100).
pub(crate) const BEST: f64 = 100.0;
/// A step later is worth so much less, so that short ways are taken.
const DISCOUNT: f64 = 0.995;
/// So many states are looked at in a turn.
const MOST_STATES: usize = 4_000;
/// So many actions of the player in a state are looked at, the most likely to be accepted.
const MOST_ACTIONS: usize = 64;
/// So many joint moves of the others are looked at; where there are more, as many at random.
const MOST_REPLIES: usize = 24;
/// Actions that are less likely to be accepted are left alone, where there are others: now, and later on.
const UNLIKELY: [f64; 2] = [0.02, 0.2];
/// So much is asked of the model in a turn.
const MOST_QUESTIONS: usize = 8_000;
/// Values are worked out until no state changes by more than this, or so often.
const SETTLED: f64 = 0.01;
const MOST_SWEEPS: usize = 60;
/// Values that differ by less are the same.
const EQUAL: f64 = 1e-6;

/// How far the model can be trusted.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    /// So many predictions were right since one was wrong.
    pub right: u32,
    /// For each predicted utility of an end, how many different ends were predicted rightly so.
    pub ends: FxHashMap<u64, FxHashSet<StateNumber>>,
}

impl Trust {
    /// How likely it is that a prediction is wrong: by how many were right (Laplace's rule of succession), and by how often
    /// the action was tried where each of the facts held.
    fn doubt(&self, familiarity: u32) -> f64 {
        let strange = match familiarity {
            0 => 0.5,
            1 => 0.1,
            _ => 0.0,
        };
        f64::max(strange, 1.0 / (f64::from(self.right) + 2.0))
    }

    /// What an end may be worth that is predicted to be worth so much, where so much is hoped for.
    fn hoped(&self, utility: Option<f64>, hope: f64) -> f64 {
        let value = utility.unwrap_or(0.0);
        let confirmed = self.ends.get(&value.to_bits()).map_or(0, FxHashSet::len);
        value + (hope - value).max(0.0) / (confirmed as f64 + 2.0)
    }
}

/// What the model said of a joint move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreseen {
    pub next: StateNumber,
    pub ends: bool,
    pub utility: Option<f64>,
}

/// What a model said, so that it is not asked again.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// `None` where it says nothing.
    outcomes: FxHashMap<(StateNumber, Vec<ActionNumber>), Option<Foreseen>>,
    /// The moves of each role that the rules know.
    moves: FxHashMap<StateNumber, Vec<Vec<ActionNumber>>>,
}

/// What a planner works with.
pub(crate) struct Knowledge<'a> {
    pub experience: &'a mut Experience,
    /// For each role what its actions need.
    pub legality: &'a [Legality],
    pub model: Option<&'a mut Model>,
    /// What the model said before.
    pub said: &'a mut Said,
    pub trust: &'a Trust,
    /// Whether a prediction was wrong since the model was learned.
    pub is_wrong: bool,
    /// What is expected of what is not known.
    pub hope: f64,
    pub rng: &'a mut Rng,
}

/// An action and what may come of it.
#[derive(Debug)]
struct Edge {
    action: ActionNumber,
    /// How likely it is that it is accepted.
    accepted: f64,
    /// Where it leads, with the likelihoods; what is left of 1 is hope.
    outcomes: Vec<(f64, usize)>,
}

#[derive(Debug)]
struct Node {
    state: StateNumber,
    /// What it is worth, as far as that was worked out.
    value: f64,
    edges: Vec<Edge>,
}

/// What was planned last. It holds for all states that were looked into, as long as nothing new is known.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    nodes: Vec<Node>,
    numbers: FxHashMap<StateNumber, usize>,
    hope: f64,
    /// Whether all states were looked into that can be reached.
    is_whole: bool,
}

impl Plan {
    /// What the actions in a state are worth.
    fn values<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = f64> + 'a {
        // Where an action is refused, another is made at random.
        let likely: Vec<f64> =
            node.edges.iter().filter(|edge| edge.accepted > 0.9).map(|edge| self.accepted(edge)).collect();
        let other = if likely.is_empty() {
            self.hope / 2.0
        } else {
            likely.iter().sum::<f64>() / likely.len() as f64
        };
        let value =
            move |edge: &Edge| edge.accepted * self.accepted(edge) + (1.0 - edge.accepted) * DISCOUNT * other;
        node.edges.iter().map(value)
    }

    /// What an action is worth that is accepted.
    fn accepted(&self, edge: &Edge) -> f64 {
        let known: f64 = edge.outcomes.iter().map(|(share, _)| share).sum();
        let mean: f64 = edge.outcomes.iter().map(|&(share, node)| share * self.nodes[node].value).sum();
        DISCOUNT * (mean + (1.0 - known).max(0.0) * self.hope)
    }

    /// Works out what the states are worth (value iteration): those that were not looked into what is hoped for.
    fn evaluate(&mut self, meter: &mut Meter) {
        let inner: Vec<usize> =
            (0..self.nodes.len()).rev().filter(|&it| !self.nodes[it].edges.is_empty()).collect();
        let hope = self.hope;
        self.nodes.iter_mut().filter(|node| node.value.is_nan()).for_each(|node| {
            node.value = if node.edges.is_empty() { hope * DISCOUNT } else { 0.0 };
        });
        for _ in 0..MOST_SWEEPS {
            let mut change = 0.0_f64;
            for &it in &inner {
                let best = self.values(&self.nodes[it]).fold(f64::MIN, f64::max);
                change = change.max((best - self.nodes[it].value).abs());
                self.nodes[it].value = best;
            }
            if change < SETTLED || meter.check().is_err() {
                break;
            }
        }
    }

    /// The actions that promise most in a state.
    fn best(&self, state: StateNumber) -> Vec<ActionNumber> {
        let Some(node) = self.numbers.get(&state).map(|&number| &self.nodes[number]) else {
            return Vec::new();
        };
        let values: Vec<f64> = self.values(node).collect();
        let best = values.iter().copied().fold(f64::MIN, f64::max);
        let edges = node.edges.iter().zip(&values);
        edges.filter(|(_, value)| **value >= best - EQUAL).map(|(edge, _)| edge.action).collect()
    }
}

/// A plan in the making.
struct Search<'a> {
    plan: Plan,
    /// What the model is asked with: for outcomes, and for moves.
    runners: [Option<Box<dyn Runner + 'a>>; 2],
    meter: &'a mut Meter,
    questions: usize,
}

impl Knowledge<'_> {
    /// The action that promises most in this state, as far as the meter lets it look.
    pub fn choose(&mut self, state: StateNumber, plan: &mut Plan, meter: &mut Meter) -> Option<ActionNumber> {
        let mut best = if plan.is_whole { plan.best(state) } else { Vec::new() };
        if best.is_empty() {
            *plan = self.plan(state, meter);
            best = plan.best(state);
        }
        self.rng.pick(&best).copied()
    }

    fn plan(&mut self, state: StateNumber, meter: &mut Meter) -> Plan {
        let machines = self.model.as_ref().map(|model| model.machines()).unwrap_or_default();
        let runners = machines.each_ref().map(|machine| Some(machine.as_ref()?.runner(meter.budget())));
        let plan = Plan { hope: self.hope, ..Plan::default() };
        let mut search = Search { plan, runners, meter, questions: 0 };
        self.arrive(state, false, None, &mut search.plan);
        let mut expanded = 0;
        while let Some(node) = search.plan.nodes.get(expanded) {
            let is_late = search.meter.spend(64).is_err() || search.meter.check().is_err();
            if is_late || expanded >= MOST_STATES || search.questions >= MOST_QUESTIONS {
                break;
            }
            // What ends the match has its value.
            if node.value.is_nan() {
                let edges = self.edges(node.state, &mut search);
                search.plan.nodes[expanded].edges = edges;
            }
            expanded += 1;
        }
        search.plan.evaluate(search.meter);
        search.plan.is_whole = expanded == search.plan.nodes.len();
        search.plan
    }

    /// The node of a state. Of one that was visited, memory says what it is; of others the prediction.
    fn arrive(&self, state: StateNumber, ends: bool, utility: Option<f64>, plan: &mut Plan) -> usize {
        let nodes = &mut plan.nodes;
        *plan.numbers.entry(state).or_insert_with(|| {
            let known = self.experience.known(state);
            let value = match (known.visited, known.ended, ends) {
                (true, true, _) => known.utility.unwrap_or(0.0),
                (false, _, true) => self.trust.hoped(utility, self.hope),
                _ => f64::NAN,
            };
            nodes.push(Node { state, value, edges: Vec::new() });
            nodes.len() - 1
        })
    }

    /// The actions of the player in a state that may be accepted, the likeliest first, with how likely that is.
    fn own_actions(&self, state: StateNumber, is_later: bool) -> Vec<(ActionNumber, f64)> {
        let experience = &*self.experience;
        let role = experience.role;
        let chance = |action: ActionNumber| {
            if experience.tried.contains_key(&(state, action)) {
                1.0
            } else if experience.refused.contains(&(state, action)) {
                0.0
            } else if experience.tells_states {
                self.legality[role].chance(experience, state, role, action)
            } else {
                0.5
            }
        };
        let all = 0..experience.actions[role].len() as ActionNumber;
        let mut actions: Vec<(ActionNumber, f64)> = all.map(|action| (action, chance(action))).collect();
        actions.sort_by(|a, b| b.1.total_cmp(&a.1));
        let likely =
            actions.iter().take_while(|(_, chance)| *chance > UNLIKELY[usize::from(is_later)]).count();
        actions.truncate(likely.clamp(1, MOST_ACTIONS));
        actions
    }

    /// The moves of the others that are likely in a state, for all roles; that of the player is to be filled in.
    fn replies(&mut self, state: StateNumber, search: &mut Search<'_>) -> Vec<Vec<ActionNumber>> {
        let roles = self.experience.roles.len();
        let by_rules = if roles > 1 { self.moves(state, search).cloned() } else { None };
        let mut each: Vec<Vec<ActionNumber>> = Vec::new();
        for role in 0..roles {
            if role == self.experience.role {
                each.push(vec![0]);
                continue;
            }
            if let Some(moves) =
                by_rules.as_ref().and_then(|moves| moves.get(role)).filter(|it| !it.is_empty())
            {
                each.push(moves.clone());
                continue;
            }
            let actions = &self.experience.actions[role];
            let fitting = |wanted: Option<bool>| -> Vec<ActionNumber> {
                let all = 0..actions.len() as ActionNumber;
                let fits = |&it: &ActionNumber| self.legality[role].fits(self.experience, state, role, it);
                all.filter(|it| fits(it) == wanted).collect()
            };
            let fit = fitting(Some(true));
            each.push(if !fit.is_empty() {
                fit
            } else {
                let seen = fitting(Some(false));
                if seen.is_empty() { (0..actions.len() as ActionNumber).collect() } else { seen }
            });
        }
        let count = each.iter().fold(1_usize, |product, some| product.saturating_mul(some.len().max(1)));
        if count <= MOST_REPLIES {
            return each.iter().fold(vec![Vec::new()], |joints, some| {
                let longer = |joint: &Vec<ActionNumber>| {
                    some.iter().map(|&action| [&joint[..], &[action]].concat()).collect::<Vec<_>>()
                };
                joints.iter().flat_map(longer).collect()
            });
        }
        let drawn = (0..MOST_REPLIES).map(|_| {
            each.iter().map(|some| self.rng.pick(some).copied().unwrap_or_default()).collect::<Vec<_>>()
        });
        drawn.collect()
    }

    fn edges(&mut self, state: StateNumber, search: &mut Search<'_>) -> Vec<Edge> {
        let actions = self.own_actions(state, !search.plan.nodes[0].edges.is_empty());
        let replies = if self.model.is_some() { self.replies(state, search) } else { Vec::new() };
        let mut edges = Vec::new();
        for (action, accepted) in actions {
            // A model that was wrong is asked where memory says nothing.
            let is_remembered = self.is_wrong && self.experience.tried.contains_key(&(state, action));
            let mut weighed: Vec<(f64, usize)> = match self.model {
                Some(_) if !is_remembered => self.foresee(state, action, &replies, search),
                _ => Vec::new(),
            };
            if weighed.is_empty()
                && let Some(tried) = self.experience.tried.get(&(state, action)).cloned()
            {
                // Memory alone: one more try might show something else, where something else is possible at all.
                let all = f64::from(tried.count) + if self.experience.is_certain() { 0.0 } else { 1.0 };
                for outcome in tried.outcomes {
                    let node = self.arrive(outcome.next, false, None, &mut search.plan);
                    weighed.push((f64::from(outcome.count) / all, node));
                }
            }
            edges.push(Edge { action, accepted, outcomes: weighed });
        }
        edges
    }

    /// Where an action leads by memory and model, over what the others may do.
    fn foresee(
        &mut self,
        state: StateNumber,
        action: ActionNumber,
        replies: &[Vec<ActionNumber>],
        search: &mut Search<'_>,
    ) -> Vec<(f64, usize)> {
        let share = 1.0 / replies.len().max(1) as f64;
        let role = self.experience.role;
        let familiarity = self.legality[role].familiarity(self.experience, state, action);
        let sure = 1.0 - self.trust.doubt(familiarity);
        let mut weighed = Vec::new();
        for reply in replies {
            let mut joint = reply.clone();
            joint[self.experience.role] = action;
            let tried = self.experience.tried.get(&(state, action));
            let known = tried.and_then(|tried| tried.outcomes.iter().find(|it| it.joint == joint));
            if let Some(next) = known.map(|outcome| outcome.next) {
                weighed.push((share, self.arrive(next, false, None, &mut search.plan)));
            } else if let Ok(Some(foreseen)) = self.look_up(state, joint, search) {
                let node = self.arrive(foreseen.next, foreseen.ends, foreseen.utility, &mut search.plan);
                weighed.push((share * sure, node));
            }
        }
        weighed
    }

    /// What the model says of joint moves in states, as far as the budget goes.
    pub fn foreseen(
        &mut self,
        asked: &[(StateNumber, Vec<ActionNumber>)],
        budget: &Budget,
    ) -> Vec<Option<Foreseen>> {
        let Some(machines) = self.model.as_ref().map(|model| model.machines()) else { return Vec::new() };
        let mut meter = budget.meter();
        let runners = machines.each_ref().map(|machine| Some(machine.as_ref()?.runner(budget)));
        let mut search = Search { plan: Plan::default(), runners, meter: &mut meter, questions: 0 };
        let mut said = Vec::new();
        for (state, joint) in asked {
            match self.look_up(*state, joint.clone(), &mut search) {
                Ok(foreseen) if search.meter.check().is_ok() => said.push(foreseen),
                _ => break,
            }
        }
        said
    }

    fn look_up(
        &mut self,
        state: StateNumber,
        joint: Vec<ActionNumber>,
        search: &mut Search<'_>,
    ) -> Result<Option<Foreseen>, LimitError> {
        if let Some(&known) = self.said.outcomes.get(&(state, joint.clone())) {
            return Ok(known);
        }
        let (Some(model), Some(runner)) = (self.model.as_mut(), search.runners[0].as_deref_mut()) else {
            return Ok(None);
        };
        search.questions += 1;
        let experience = &mut *self.experience;
        let texts = (0..).zip(&joint).map(|(role, &action)| experience.action_text(role, action));
        let Some(texts) = texts.collect::<Option<Vec<&str>>>() else { return Ok(None) };
        let facts = experience.fact_texts(state);
        let said = model.predict(&facts, &texts, runner)?.map(|predicted| Foreseen {
            next: experience.state(predicted.facts.iter().map(String::as_str)),
            ends: predicted.ends,
            utility: predicted.utility,
        });
        self.said.outcomes.insert((state, joint), said);
        Ok(said)
    }

    /// The moves that each role would make in a state by the model.
    fn moves(&mut self, state: StateNumber, search: &mut Search<'_>) -> Option<&Vec<Vec<ActionNumber>>> {
        if !self.said.moves.contains_key(&state) {
            let (model, runner) = (self.model.as_mut()?, search.runners[1].as_deref_mut()?);
            let moves = model.moves(&self.experience.fact_texts(state), runner).ok()??;
            let numbers = |(role, texts): (usize, Vec<String>)| {
                texts.iter().map(|text| self.experience.action(role, text)).collect()
            };
            let moves = moves.into_iter().enumerate().map(numbers).collect();
            self.said.moves.insert(state, moves);
        }
        self.said.moves.get(&state)
    }
}
