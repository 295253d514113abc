//! Many descents at once: leaves are collected, expanded together, and evaluated together.

use std::ops::Range;

use ludex_game::{Answer, Batch, DecisiveMoves, Expansion, Jobs, MachineTag, RoleId, Wanted};

use super::descent::{End, Paths, Tree};
use super::evaluation::{Evaluations, Leaf, LeafEvaluation, Leaves, Playouts, terminal_values};
use super::graph::{NONE, NewNode, NodeId, SEVERAL};
use super::later_moves::LaterMoves;
use super::look_ahead::{Foresight, LookAhead, WIDEST_LEAF};
use super::objective::Objective;

/// No more looks are begun in a batch that has so many successors to look at.
const MOST_LOOKS: usize = 4096;

/// A descent and what is to be done at its end.
#[derive(Clone, Debug)]
struct Descent {
    steps: Range<usize>,
    end: End,
    /// The number of its job, at an unknown end.
    job: usize,
    /// The number of the state at its end, where its successors are looked at.
    look: Option<usize>,
    /// Where the words of its state are, at a node.
    words: Range<usize>,
    /// Its number among the leaves that were evaluated.
    leaf: Option<usize>,
}

impl Descent {
    fn release(&self, tree: &mut Tree, paths: &Paths) {
        if self.end == End::Unknown {
            tree.release(paths, &self.steps);
        }
    }
}

/// A batch of leaves with its buffers.
#[derive(Default)]
pub(super) struct LeafBatch {
    tag: MachineTag,
    paths: Paths,
    descents: Vec<Descent>,
    jobs: Jobs,
    expansion: Expansion,
    look_ahead: LookAhead,
    foresight: Foresight,
    /// The nodes whose successors are looked at.
    looked_from: Vec<NodeId>,
    later: LaterMoves,
    /// The states of nodes that are evaluated again.
    words: Vec<u64>,
    /// The bits that tell whose turn it is, where it counts how many moves roles have.
    turn: Vec<u64>,
    /// What the values of the tree are values of.
    objective: Objective,
    /// What was found.
    pub found: Evaluations,
    /// Descents that came to what is known while it was collected.
    pub ends: usize,
}

impl LeafBatch {
    /// A batch of states of the machine with this tag. It counts how many moves roles have, as these bits tell whose turn it
    /// is, if there are any.
    pub fn new(tag: MachineTag, turn: &[u64]) -> Self {
        Self { tag, turn: turn.to_vec(), ..Self::default() }
    }

    /// How many leaves it has.
    pub fn len(&self) -> usize {
        self.descents.len()
    }

    /// How many steps random games through its leaves have from the root on, about.
    pub fn length(&self) -> f64 {
        let depth: usize = self.descents.iter().map(|descent| descent.steps.len()).sum();
        let steps = self.found.steps as f64 / self.found.playouts.max(1) as f64;
        depth as f64 / self.descents.len().max(1) as f64 + steps
    }

    /// Collects up to `most` leaves.
    pub fn collect(&mut self, tree: &mut Tree, most: usize, foresight: Foresight) {
        self.foresight = foresight;
        self.look_ahead.clear();
        self.looked_from.clear();
        self.paths.clear(tree.graph.roles);
        self.descents.clear();
        self.words.clear();
        self.jobs.clear();
        self.jobs.want_goals(Wanted::Terminal);
        self.jobs.count_moves(&self.turn);
        self.objective = tree.objective;
        let (mut joint, mut values) = (Vec::new(), vec![0.0; tree.graph.roles]);
        let (mut attempts, mut busy) = (0, 0);
        self.ends = 0;
        while self.descents.len() < most && attempts < 4 * most && busy < 8 + most / 8 {
            attempts += 1;
            let begin = self.paths.len();
            let Some(end) = tree.descend(&mut self.paths, foresight) else {
                busy += 1;
                continue;
            };
            let steps = begin..self.paths.len();
            if let End::Exact(id) = end {
                tree.exact_values(id, &mut values);
                tree.prove_upwards(&self.paths, steps.clone());
                tree.resolve_upwards(&self.paths, steps.clone(), id);
                tree.back_up(&self.paths, steps, id, &mut values);
                self.ends += 1;
                if tree.is_decided() {
                    break;
                }
                continue;
            }
            let unseen = match end {
                End::Node(id) if foresight == Foresight::Moves && tree.wants_look(id) => Some(id),
                _ => None,
            };
            let look = unseen.and_then(|id| self.look_from_node(tree, id));
            if unseen.is_some() && look.is_none() {
                // It is looked at by another descent, or by the next batch.
                tree.withdraw(&self.paths, steps);
                self.paths.truncate(begin);
                busy += 1;
                continue;
            }
            let (job, words) = (self.jobs.len(), self.words.len()..);
            match end {
                End::Unknown => {
                    let (id, choices) = self.paths.step(steps.end - 1);
                    tree.joint(id, choices, &mut joint);
                    let state = self.jobs.add_state(tree.graph.state(id));
                    self.jobs.add(state, &joint);
                }
                End::Node(id) | End::Exact(id) => self.words.extend_from_slice(tree.graph.state(id)),
            }
            let words = words.start..self.words.len();
            self.descents.push(Descent { steps, end, job, look, words, leaf: None });
            if look.is_some() && end == End::Node(tree.root) {
                // Nothing goes on below the root before it is known what looks good there.
                break;
            }
        }
    }

    /// Whether it was collected through nodes in which later moves say which moves look good.
    pub fn wants_later_moves(&self, tree: &Tree) -> bool {
        self.descents.iter().any(|descent| tree.wants_later_moves(&self.paths, descent.steps.clone()))
    }

    /// Finds the states at the ends, looks ahead from them where the solver does, and evaluates them: the part that
    /// needs no tree.
    ///
    /// # Errors
    /// What the machine answers; the batch is then to be abandoned.
    pub fn run(
        &mut self,
        batch: &mut dyn Batch,
        evaluation: &mut dyn LeafEvaluation,
        playouts: &Playouts,
    ) -> Answer<()> {
        batch.expand(&self.jobs, &mut self.expansion)?;
        let roles = self.paths.roles();
        if self.foresight != Foresight::Nothing {
            self.look_from_leaves();
            self.look_ahead.look(&self.turn, batch)?;
        }
        let mut leaves = Vec::with_capacity(self.descents.len());
        for descent in &mut self.descents {
            let words = match descent.end {
                End::Unknown if self.expansion.terminal(descent.job) => continue,
                End::Unknown => self.expansion.state(descent.job),
                End::Node(_) | End::Exact(_) => &self.words[descent.words.clone()],
            };
            let look_ahead = &self.look_ahead;
            let successors = descent.look.map_or(0..0, |look| look_ahead.successors(look));
            let chooser = descent.look.map_or(0, |look| look_ahead.chooser(look));
            descent.leaf = Some(leaves.len());
            let number = (descent.end == End::Unknown).then_some(descent.job);
            leaves.push(Leaf { words, number, successors, chooser });
        }
        let leaves = Leaves {
            leaves,
            states: &self.expansion,
            looked: &self.look_ahead.looked,
            roles,
            tag: self.tag,
            objective: self.objective,
        };
        evaluation.evaluate(&leaves, playouts, batch, &mut self.found)
    }

    /// Looks ahead from a node at which a descent ended, if there is room for it in the batch and nobody else does.
    fn look_from_node(&mut self, tree: &Tree, id: NodeId) -> Option<usize> {
        if self.look_ahead.len() >= MOST_LOOKS || self.looked_from.contains(&id) {
            return None;
        }
        self.looked_from.push(id);
        let legal = |role| tree.graph.edges(id, role).iter().map(|edge| edge.action).collect::<Vec<_>>();
        let legal: Vec<_> = (0..tree.graph.roles).map(legal).collect();
        let words = tree.graph.state(id);
        Some(self.look_ahead.add(words, |role| &legal[role][..], legal.len(), usize::MAX))
    }

    /// Looks ahead from new leaves.
    fn look_from_leaves(&mut self) {
        let roles = self.paths.roles();
        for descent in &mut self.descents {
            if descent.end == End::Unknown && !self.expansion.terminal(descent.job) {
                let (words, job) = (self.expansion.state(descent.job), descent.job);
                let legal = |role: usize| self.expansion.legal(job, RoleId(role as u32));
                descent.look = Some(self.look_ahead.add(words, legal, roles, WIDEST_LEAF));
            }
        }
    }

    /// Whether a role was seen to have a move that wins at once.
    pub fn is_decisive(&self, stakes: &DecisiveMoves) -> bool {
        self.look_ahead.is_decisive(stakes)
    }

    /// Enters what was found into the tree.
    pub fn finish(&mut self, tree: &mut Tree) {
        let descents = std::mem::take(&mut self.descents);
        let mut values = vec![0.0; tree.graph.roles];
        for descent in &descents {
            descent.release(tree, &self.paths);
            let end = match descent.end {
                End::Unknown => self.attach(tree, descent),
                End::Node(id) | End::Exact(id) => id,
            };
            if let (End::Node(id), Some(look)) = (descent.end, descent.look) {
                self.note_look(tree, look, id);
            }
            if end != NONE && tree.solver.is_on {
                tree.prove(end);
                tree.prove_upwards(&self.paths, descent.steps.clone());
            }
            if let (End::Unknown, Some(look)) = (descent.end, descent.look)
                && end != NONE
                && tree.graph.node(end).visits == 0
            {
                self.note_priors(tree, look, end);
            }
            match descent.leaf {
                // Where others may get something wrong, playouts say more than what is proven.
                _ if end != NONE && tree.graph.is_solved(end) && tree.is_exact(end) => {
                    tree.exact_values(end, &mut values);
                }
                Some(leaf) => values.copy_from_slice(self.found.values(leaf)),
                None => terminal_values(self.expansion.goals(descent.job), tree.objective, &mut values),
            }
            if let Some(leaf) = descent.leaf
                && self.later.take(&self.found, leaf, self.objective)
            {
                tree.note_later_moves(&self.paths, descent.steps.clone(), (end, &values), &mut self.later);
            }
            tree.back_up(&self.paths, descent.steps.clone(), end, &mut values);
        }
        self.descents = descents;
    }

    /// Notes in a node that was there before what was seen behind it.
    fn note_look(&self, tree: &mut Tree, look: usize, node: NodeId) {
        for &ending in self.look_ahead.endings(look) {
            self.add_ending(tree, node, ending);
        }
        self.note_priors(tree, look, node);
    }

    /// Notes in a node what its moves promise.
    fn note_priors(&self, tree: &mut Tree, look: usize, node: NodeId) {
        let mover = tree.graph.node(node).mover;
        if mover == SEVERAL || Some(mover as usize) == tree.random {
            return;
        }
        let edges = tree.graph.edges_mut(node, mover as usize);
        for look in self.look_ahead.successors(look) {
            edges[self.look_ahead.choice(look) as usize].prior = self.found.prior(look);
        }
    }

    /// Gives up: no descent is under way any more.
    pub fn abandon(&mut self, tree: &mut Tree) {
        for descent in &self.descents {
            descent.release(tree, &self.paths);
            tree.withdraw(&self.paths, descent.steps.clone());
        }
        self.descents.clear();
    }

    /// The node of a new state, linked to where it was reached from; [`NONE`] where there is no memory
    /// for it.
    fn attach(&mut self, tree: &mut Tree, descent: &Descent) -> NodeId {
        let (parent, choices) = self.paths.step(descent.steps.end - 1);
        let known = tree.graph.child(parent, choices);
        if known != NONE {
            return known;
        }
        let child = match tree.graph.find(self.expansion.state(descent.job)) {
            Some(child) => child,
            None => {
                let new = self.add_node(tree, descent);
                let (parent, choices) = self.paths.step(descent.steps.end - 1);
                tree.inherit(new, parent, choices);
                new
            }
        };
        let (parent, choices) = self.paths.step(descent.steps.end - 1);
        if child != NONE {
            tree.graph.set_child(parent, choices, child);
        }
        child
    }

    fn add_node(&mut self, tree: &mut Tree, descent: &Descent) -> NodeId {
        let job = descent.job;
        let (state, terminal) = (self.expansion.state(job), self.expansion.terminal(job));
        let legal = |role: usize| self.expansion.legal(job, RoleId(role as u32));
        let edges = (0..tree.graph.roles).map(|role| legal(role).len()).sum();
        if !tree.graph.has_room(state.len(), edges) {
            return NONE;
        }
        let goals = tree.objective.goals(self.expansion.goals(job));
        tree.check_utility(terminal, &goals);
        let id = tree.graph.add(&NewNode { words: state, terminal, goals: &goals }, legal);
        for &ending in descent.look.map_or(&[][..], |look| self.look_ahead.endings(look)) {
            self.add_ending(tree, id, ending);
        }
        tree.take_over(id);
        id
    }

    /// Adds an end of the game below a new node.
    fn add_ending(&self, tree: &mut Tree, parent: NodeId, look: usize) {
        let mover = tree.graph.node(parent).mover;
        let looked = &self.look_ahead.looked;
        let words = looked.state(look);
        let goals = tree.objective.goals(looked.goals(look));
        if mover == SEVERAL || !tree.graph.has_room(words.len(), 0) {
            return;
        }
        tree.check_utility(true, &goals);
        let child = match tree.graph.find(words) {
            Some(child) => child,
            None => tree.graph.add(&NewNode { words, terminal: true, goals: &goals }, |_| &[]),
        };
        let mut choices = vec![0; tree.graph.roles];
        choices[mover as usize] = self.look_ahead.choice(look);
        tree.graph.set_child(parent, &choices, child);
    }
}
