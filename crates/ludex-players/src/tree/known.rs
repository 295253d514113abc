//! What is known of the game, for new nodes: twins, bounds, and how well goals are satisfied.

use std::sync::Arc;

use ludex_game::{Expansion, RoleId, State};
use rustc_hash::FxHashMap;

use super::graph::{BEST, Bounds, Graph, NONE, NodeId};
use super::options::TreeOptions;
use crate::gauge::Gauge;
use crate::insight::{Insight, Looker, Range};

/// States so near to the root are not merged with symmetric ones: one of them is the next root, and it has
/// to be what it is.
const NEAR: usize = 3;
/// To ask for symmetric states pays if one in so many new nodes has a twin.
const TWINS_WORTH: u32 = 16;
/// To ask for bounds pays if they say something of one in so many new nodes.
const BOUNDS_WORTH: u32 = 64;

/// Nodes by what symmetric states have in common.
pub(super) type Twins = FxHashMap<[u64; 2], NodeId>;

/// What is known of the state that a job led to.
#[derive(Clone, Debug, Default)]
struct Fact {
    key: Option<[u64; 2]>,
    ranges: Option<Vec<Range>>,
    worth: Vec<f64>,
}

/// Asks what is known of new states; one for each thread.
#[derive(Debug)]
pub(super) struct Known {
    looker: Looker,
    roles: usize,
    /// Whether new nodes begin with what their roles can still get.
    bounded: bool,
    /// How much the degree to which goals are satisfied counts beside playouts.
    fuzzy: f64,
    twins: Gauge,
    bounds: Gauge,
    facts: Vec<Fact>,
    state: State,
}

impl Known {
    /// One who knows something; `None` where nothing is known that counts.
    pub fn new(insight: Option<&Arc<Insight>>, roles: usize, options: &TreeOptions) -> Option<Self> {
        let (bounded, fuzzy) = (options.bounds, options.fuzzy);
        let counts = |insight: &&Arc<Insight>| {
            insight.knows_symmetries()
                || (bounded && insight.knows_latches())
                || (fuzzy > 0.0 && insight.knows_worth())
        };
        Some(Self {
            looker: insight.filter(counts)?.looker(),
            roles,
            bounded,
            fuzzy,
            twins: Gauge::new(TWINS_WORTH),
            bounds: Gauge::new(BOUNDS_WORTH),
            facts: Vec::new(),
            state: State::default(),
        })
    }

    /// Finds out what is known of new states: the part that needs no tree.
    pub fn look(&mut self, new: &Expansion) {
        self.facts.clear();
        for job in 0..new.len() {
            let mut fact = Fact::default();
            if !new.terminal(job) {
                let words = self.state.words_mut();
                words.clear();
                words.extend_from_slice(new.state(job));
                if self.twins.asks() {
                    fact.key = self.looker.symmetric_key(&self.state);
                }
                if self.bounded && self.bounds.asks() {
                    fact.ranges = self.looker.possible(&self.state, false);
                }
                if self.fuzzy > 0.0 {
                    let roles = (0..self.roles as u32).map(RoleId);
                    fact.worth = roles.filter_map(|role| self.looker.worth(&self.state, role)).collect();
                }
            }
            self.facts.push(fact);
        }
    }

    /// The node of a state that is symmetric to the one that a job led to, so many moves from the root.
    pub fn twin(&mut self, twins: &Twins, job: usize, depth: usize) -> Option<NodeId> {
        let key = self.facts.get(job)?.key.filter(|_| depth >= NEAR)?;
        let found = twins.get(&key).copied();
        self.twins.note(found.is_some());
        found
    }

    /// Notes a new node, and what its roles can still get.
    pub fn add(&mut self, graph: &mut Graph, twins: &mut Twins, id: NodeId, job: usize) {
        let Some(fact) = self.facts.get(job).filter(|_| id != NONE) else { return };
        if let Some(key) = fact.key {
            twins.entry(key).or_insert(id);
        }
        let Some(ranges) = &fact.ranges else { return };
        let mut says_something = false;
        for (bounds, range) in graph.bounds_mut(id).iter_mut().zip(ranges) {
            let known = |goal: u32| goal.min(u32::from(BEST)) as u8;
            let (lower, upper) = (bounds.lower.max(known(range.least)), bounds.upper.min(known(range.most)));
            says_something |= lower > bounds.lower || upper < bounds.upper;
            if lower <= upper {
                *bounds = Bounds { lower, upper };
            }
        }
        self.bounds.note(says_something);
    }

    /// Mixes into what playouts brought, 0 to 1 per role, to what degree goals are satisfied where a job
    /// led.
    pub fn mix(&self, job: usize, values: &mut [f64]) {
        let Some(fact) = self.facts.get(job).filter(|fact| fact.worth.len() == values.len()) else { return };
        for (value, worth) in values.iter_mut().zip(&fact.worth) {
            *value = (1.0 - self.fuzzy) * *value + self.fuzzy * worth / 100.0;
        }
    }
}
