//! What each role knows, with what is known of its moves there.

use ludex_game::{ActionId, MoveModel, Rng, RoleId, Told};
use rustc_hash::FxHashMap;

use crate::regret::{self, MoveRegret};

/// How moves are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// By regret matching: for several roles, where chance hides what they have.
    Regret,
    /// By upper confidence bounds: for one role and chance, and where roles hide moves only.
    Bound,
}

/// How much of what is chosen by regret matching is chosen at random.
const EXPLORATION: f64 = 0.2;
/// The weight of exploration in upper confidence bounds, for values 0 to 100.
const BOUND_WEIGHT: f64 = 35.0;

/// A move of a role that knows something.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub action: ActionId,
    pub visits: u32,
    /// How often it was legal when the node was visited.
    available: u32,
    /// Of how many visits it is known what came of them; of others, a descent is on its way or was broken off.
    ended: u32,
    total: f64,
    regret: MoveRegret,
}

impl Edge {
    fn new(action: ActionId) -> Self {
        Self { action, visits: 0, available: 0, ended: 0, total: 0.0, regret: MoveRegret::default() }
    }

    /// What it brought on average.
    pub fn mean(&self) -> Option<f64> {
        (self.ended > 0).then(|| self.total / f64::from(self.ended))
    }
}

/// What a role knows, with its moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    visits: u32,
    /// Of how many visits it is known what came of them.
    ended: u32,
    total: f64,
    edges: Vec<Edge>,
}

impl Node {
    /// The moves that were legal in some state in which the role knows this.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The place of a move among the edges, which it is put into where it is missing.
    fn place(&mut self, action: ActionId) -> usize {
        let known = self.edges.iter().position(|edge| edge.action == action);
        known.unwrap_or_else(|| {
            self.edges.push(Edge::new(action));
            self.edges.len() - 1
        })
    }

    /// The part of each of these edges in the strategy of the moment.
    fn strategy(&self, places: &[usize], out: &mut Vec<f64>) {
        out.clear();
        out.extend(places.iter().map(|&place| self.edges[place].regret.regret()));
        regret::match_regrets(out, 1.0);
    }

    /// The moves to be played, among those that hold, with their parts.
    pub fn policy(
        &self,
        selection: Selection,
        holds: impl Fn(ActionId) -> bool,
        least: f64,
    ) -> Vec<(ActionId, f64)> {
        let open: Vec<&Edge> = self.edges.iter().filter(|edge| holds(edge.action)).collect();
        if selection == Selection::Bound {
            let most = open.iter().max_by(|a, b| a.visits.cmp(&b.visits).then(a.total.total_cmp(&b.total)));
            return most.map(|edge| (edge.action, 1.0)).into_iter().collect();
        }
        let mut parts: Vec<f64> = open.iter().map(|edge| edge.regret.chosen()).collect();
        regret::average(&mut parts, least);
        let played = open.iter().zip(parts).filter(|&(_, part)| part > 0.0);
        played.map(|(edge, part)| (edge.action, part)).collect()
    }
}

/// A choice on the way of a descent.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    role: RoleId,
    node: u32,
    /// Where the legal moves are among the edges.
    places: Vec<usize>,
    /// Which of them was chosen.
    chosen: usize,
    /// With what probability.
    probability: f64,
}

impl Choice {
    /// Who chose.
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// What was chosen, of the legal moves that it was chosen from.
    pub fn action(&self, legal: &[ActionId]) -> ActionId {
        legal[self.chosen]
    }
}

/// The trees of all roles.
pub(super) struct Trees {
    selection: Selection,
    numbers: Vec<FxHashMap<Told, u32>>,
    nodes: Vec<Vec<Node>>,
    bytes: usize,
    memory: usize,
    strategy: Vec<f64>,
}

impl Trees {
    /// Empty trees for so many roles, which may take so many bytes.
    pub fn new(roles: usize, selection: Selection, memory: usize) -> Self {
        Self {
            selection,
            numbers: vec![FxHashMap::default(); roles],
            nodes: vec![Vec::new(); roles],
            bytes: 0,
            memory,
            strategy: Vec::new(),
        }
    }

    /// Whether half of the memory is taken.
    pub fn is_half_full(&self) -> bool {
        self.bytes > self.memory / 2
    }

    /// How moves are chosen.
    pub fn selection(&self) -> Selection {
        self.selection
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.iter().map(Vec::len).sum()
    }

    /// What a role knows.
    pub fn find(&self, role: RoleId, told: Told) -> Option<&Node> {
        let number = *self.numbers[role.index()].get(&told)?;
        self.nodes[role.index()].get(number as usize)
    }

    /// The node of what a role knows, and whether it is new; none where there is no memory for a new one.
    pub fn enter(&mut self, role: RoleId, told: Told, moves: usize) -> Option<(u32, bool)> {
        let nodes = &mut self.nodes[role.index()];
        if let Some(&number) = self.numbers[role.index()].get(&told) {
            return Some((number, false));
        }
        let bytes = size_of::<Node>() + 2 * size_of::<(Told, u32)>() + moves * size_of::<Edge>();
        let number = u32::try_from(nodes.len()).ok()?;
        if self.bytes + 2 * bytes > self.memory {
            return None;
        }
        self.bytes += 2 * bytes;
        nodes.push(Node { edges: Vec::with_capacity(moves), ..Node::default() });
        self.numbers[role.index()].insert(told, number);
        Some((number, true))
    }

    /// Chooses one of the legal moves, and notes that it is about to be tried.
    pub fn select(&mut self, role: RoleId, node: u32, legal: &[ActionId], rng: &mut Rng) -> Choice {
        let at = &mut self.nodes[role.index()][node as usize];
        let places: Vec<usize> = legal.iter().map(|&action| at.place(action)).collect();
        let (chosen, probability) = match self.selection {
            Selection::Regret => {
                at.strategy(&places, &mut self.strategy);
                regret::draw(&self.strategy, EXPLORATION, rng)
            }
            Selection::Bound => (at.highest_bound(&places, rng), 1.0),
        };
        at.visits += 1;
        places.iter().for_each(|&place| at.edges[place].available += 1);
        at.edges[places[chosen]].visits += 1;
        Choice { role, node, places, chosen, probability }
    }

    /// Forgets a choice that was not made.
    pub fn take_back(&mut self, choice: &Choice) {
        let node = &mut self.nodes[choice.role.index()][choice.node as usize];
        node.visits -= 1;
        choice.places.iter().for_each(|&place| node.edges[place].available -= 1);
        node.edges[choice.places[choice.chosen]].visits -= 1;
    }

    /// Notes what came of a choice.
    pub fn back_up(&mut self, choice: &Choice, value: f64) {
        let node = &mut self.nodes[choice.role.index()][choice.node as usize];
        if self.selection == Selection::Regret {
            node.regret_step(choice, value, &mut self.strategy);
        }
        node.total += value;
        node.ended += 1;
        let edge = &mut node.edges[choice.places[choice.chosen]];
        edge.total += value;
        edge.ended += 1;
    }
}

/// The part of the moves of others that a model of them leaves to chance: they may play in quite another way.
const UNFORESEEN: f64 = 0.25;

/// Others are taken to move as the search would in their place.
impl MoveModel for Trees {
    fn weigh(&self, role: RoleId, told: Told, legal: &[ActionId], odds: &mut [f64]) {
        let Some(node) = self.find(role, told) else { return };
        let policy = node.policy(self.selection, |action| legal.contains(&action), 0.0);
        if policy.is_empty() {
            return;
        }
        for (odds, action) in odds.iter_mut().zip(legal) {
            let part = policy.iter().find(|(known, _)| known == action).map_or(0.0, |&(_, part)| part);
            *odds = UNFORESEEN * *odds + (1.0 - UNFORESEEN) * part;
        }
    }
}

impl Node {
    /// One of those with the highest bound; any that was not tried yet comes first.
    fn highest_bound(&self, places: &[usize], rng: &mut Rng) -> usize {
        let untried: Vec<usize> =
            (0..places.len()).filter(|&at| self.edges[places[at]].visits == 0).collect();
        if let Some(&at) = rng.pick(&untried) {
            return at;
        }
        let bound = |at: usize| {
            let edge = &self.edges[places[at]];
            let (visits, available) = (f64::from(edge.visits), f64::from(edge.available.max(1)));
            // Descents that are on their way count as nothing yet, so that those beside them go elsewhere.
            edge.total / visits + BOUND_WEIGHT * (available.ln() / visits).sqrt()
        };
        (0..places.len()).max_by(|&a, &b| bound(a).total_cmp(&bound(b))).unwrap_or(0)
    }

    /// One step of regret matching; of each move as much is expected as it brought so far.
    fn regret_step(&mut self, choice: &Choice, value: f64, strategy: &mut Vec<f64>) {
        self.strategy(&choice.places, strategy);
        let average = if self.ended > 0 { self.total / f64::from(self.ended) } else { value };
        let estimate = |(at, &place): (usize, &usize)| {
            let drawn = (at == choice.chosen).then_some((value, choice.probability));
            regret::sampled(self.edges[place].mean().unwrap_or(average), drawn)
        };
        let estimates: Vec<f64> = choice.places.iter().enumerate().map(estimate).collect();
        let expected = regret::expected(strategy, &estimates);
        let weight = f64::from(self.visits);
        for ((&place, estimate), &part) in choice.places.iter().zip(&estimates).zip(&*strategy) {
            self.edges[place].regret.note(estimate - expected, part, weight);
        }
    }
}
