//! What is known of a game, as a strategy asks for it: about states of its own machine.

use std::fmt;
use std::sync::Arc;

use ludex_analysis::fuzzy::FuzzyScratch;
use ludex_analysis::knowledge::{Knowledge, Topic, Topics};
use ludex_analysis::latches::{Hold, Latches};
use ludex_game::{ActionId, Goal, Machine, RoleId, State};
use ludex_logic::{Budget, Meter, TermId};
use rustc_hash::FxHashMap;

/// A snapshot of what is known, bound to a machine: it answers for that machine's states, and only the
/// topics that the strategy wants. Cheap to share; each thread asks through a [`KnowledgeReader`] of its own.
pub struct MachineKnowledge {
    machine: Arc<dyn Machine>,
    knowledge: Arc<Knowledge>,
    topics: Topics,
    barred: Option<Barred>,
    plan: Option<(Vec<ActionId>, Goal)>,
}

impl fmt::Debug for MachineKnowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineKnowledge").field("topics", &self.topics).finish_non_exhaustive()
    }
}

/// Which settings rule out which goal values, and for good: a list that is quickly gone through.
struct Barred {
    /// The propositions that matter, with their places.
    places: FxHashMap<TermId, u32>,
    /// A place, its value, and the role and the goal value that are lost then, by position.
    lost: Vec<(u32, bool, usize, usize)>,
    /// Per role the goal values, ascending.
    goals: Vec<Vec<Goal>>,
}

impl Barred {
    fn new(latches: &Latches) -> Self {
        let circuit = &latches.faithful().circuit;
        let goals: Vec<Vec<Goal>> =
            circuit.goals.iter().map(|list| list.iter().map(|&(value, _)| value).collect()).collect();
        let mut places: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut lost = Vec::new();
        for found in latches.goal_inhibitors() {
            // What is only blocked may hold already.
            if !found.latched || found.hold != Hold::Bars {
                continue;
            }
            let role = found.role.index();
            let Some(goal) = goals[role].iter().position(|&value| value == found.value) else { continue };
            let next = places.len() as u32;
            let place = *places.entry(found.by.proposition).or_insert(next);
            lost.push((place, found.by.value, role, goal));
        }
        Self { places, lost, goals }
    }
}

impl MachineKnowledge {
    /// What some topics of a snapshot say of a machine's states. The machine's terms are those of the
    /// game's.
    pub fn new(machine: &Arc<dyn Machine>, knowledge: &Arc<Knowledge>, topics: Topics) -> Self {
        let barred =
            knowledge.latches().filter(|_| topics.has(Topic::Latches)).map(|found| Barred::new(found));
        let signature = machine.signature();
        let plan = knowledge.plan().filter(|_| topics.has(Topic::Factors)).and_then(|plan| {
            let moves: Option<Vec<ActionId>> =
                plan.moves.iter().map(|&action| signature.find_action(action)).collect();
            Some((moves?, plan.value))
        });
        let (machine, knowledge) = (Arc::clone(machine), Arc::clone(knowledge));
        Self { machine, knowledge, topics, barred, plan }
    }

    /// The snapshot behind it.
    pub fn knowledge(&self) -> &Arc<Knowledge> {
        &self.knowledge
    }

    /// The machine whose states it is about.
    pub fn machine(&self) -> &Arc<dyn Machine> {
        &self.machine
    }

    /// For games of one player that are made of several: a plan from the initial state, and what it is
    /// worth. It was replayed on the rules.
    pub fn plan(&self) -> Option<(&[ActionId], Goal)> {
        self.plan.as_ref().map(|(moves, value)| (&moves[..], *value))
    }

    /// Whether it can be told what is out of reach.
    pub fn knows_latches(&self) -> bool {
        self.barred.is_some()
    }

    /// Whether it can be told how well goals are satisfied.
    pub fn knows_worth(&self) -> bool {
        self.topics.has(Topic::Fuzzy) && self.knowledge.fuzzy().is_some()
    }

    /// Asks about states; for one thread.
    pub fn reader(self: &Arc<Self>) -> KnowledgeReader {
        KnowledgeReader {
            knowledge_of_states: Arc::clone(self),
            facts: Vec::new(),
            scratch: FuzzyScratch::default(),
            meter: Budget::unlimited().meter(),
            marks: Vec::new(),
            open: Vec::new(),
        }
    }
}

/// Asks an [`MachineKnowledge`] about states, with the room that this takes.
#[derive(Debug)]
pub struct KnowledgeReader {
    knowledge_of_states: Arc<MachineKnowledge>,
    facts: Vec<TermId>,
    scratch: FuzzyScratch,
    meter: Meter,
    marks: Vec<bool>,
    /// Per role and goal value whether it is still open.
    open: Vec<Vec<bool>>,
}

impl KnowledgeReader {
    fn read(&mut self, state: &State) {
        self.facts.clear();
        self.knowledge_of_states.machine.facts(state, &mut self.facts);
    }

    /// What each role can still get at most from a reachable state on, as far as active latches tell; `None` where
    /// none are known. `deep` has all that lasts spread through the rules, which takes time linear in their net;
    /// otherwise a list is gone through.
    pub fn most(&mut self, state: &State, deep: bool) -> Option<Vec<Goal>> {
        let knowledge_of_states = Arc::clone(&self.knowledge_of_states);
        let (barred, latches) =
            (knowledge_of_states.barred.as_ref()?, knowledge_of_states.knowledge.latches()?);
        self.read(state);
        self.marks.clear();
        self.marks.resize(barred.places.len(), false);
        for place in self.facts.iter().filter_map(|fact| barred.places.get(fact)) {
            self.marks[*place as usize] = true;
        }
        self.open.clear();
        self.open.extend(barred.goals.iter().map(|goals| vec![true; goals.len()]));
        for &(place, value, role, goal) in &barred.lost {
            if self.marks[place as usize] == value {
                self.open[role][goal] = false;
            }
        }
        if deep {
            let bits = latches.bits(&self.facts);
            let forecast = latches.forecast(&bits, &mut self.meter).ok()?;
            for (role, goals) in barred.goals.iter().enumerate() {
                let possible = forecast.possible(RoleId(role as u32));
                for (open, goal) in self.open[role].iter_mut().zip(goals) {
                    *open &= possible.contains(goal);
                }
            }
        }
        let most = |(goals, open): (&Vec<Goal>, &Vec<bool>)| {
            let open = goals.iter().zip(open).filter(|(_, open)| **open);
            open.map(|(goal, _)| *goal).next_back().unwrap_or(0)
        };
        Some(barred.goals.iter().zip(&self.open).map(most).collect())
    }

    /// To what degree a state satisfies the goals of a role, 0 to 100; `None` where that is not known. A
    /// heuristic: it may order, and not prune.
    pub fn worth(&mut self, state: &State, role: RoleId) -> Option<f64> {
        if !self.knowledge_of_states.knows_worth() {
            return None;
        }
        self.read(state);
        let goals = self.knowledge_of_states.knowledge.fuzzy()?.get(role.index())?;
        Some(goals.evaluate(&self.facts, &mut self.scratch).clamp(0.0, 100.0))
    }
}
