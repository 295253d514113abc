//! Many descents at once: leaves are collected, expanded together, and evaluated together.

use std::ops::Range;

use ludex_game::{Answer, Batch, DecisiveMoves, Expansion, Jobs, MachineTag, RoleId, Wanted};

use super::descent::{End, Paths, Tree};
use super::evaluation::{Evaluations, Leaf, LeafEvaluation, Leaves, Playouts, terminal_values};
use super::graph::{NONE, NewNode, NodeId, SEVERAL};
use super::later_moves::LaterMoves;
use super::look_ahead::LookAhead;
use super::objective::Objective;

/// A descent and what is to be done at its end.
#[derive(Clone, Debug)]
struct Descent {
    steps: Range<usize>,
    end: End,
    /// The number of its job, at an unknown end.
    job: usize,
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
    later: LaterMoves,
    /// The states of nodes that are evaluated again.
    words: Vec<u64>,
    /// What the values of the tree are values of.
    objective: Objective,
    /// What was found.
    pub found: Evaluations,
    /// Descents that came to what is known while it was collected.
    pub ends: usize,
}

impl LeafBatch {
    /// A batch of states of the machine with this tag.
    pub fn new(tag: MachineTag) -> Self {
        Self { tag, ..Self::default() }
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
    pub fn collect(&mut self, tree: &mut Tree, most: usize) {
        self.paths.clear(tree.graph.roles);
        self.descents.clear();
        self.words.clear();
        self.jobs.clear();
        self.jobs.want_goals(Wanted::Terminal);
        self.objective = tree.objective;
        let (mut joint, mut values) = (Vec::new(), vec![0.0; tree.graph.roles]);
        let (mut attempts, mut busy) = (0, 0);
        self.ends = 0;
        while self.descents.len() < most && attempts < 4 * most && busy < 8 + most / 8 {
            attempts += 1;
            let begin = self.paths.len();
            let Some(end) = tree.descend(&mut self.paths) else {
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
            self.descents.push(Descent { steps, end, job, words, leaf: None });
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
        looks_ahead: bool,
        evaluation: &mut dyn LeafEvaluation,
        playouts: &Playouts,
    ) -> Answer<()> {
        batch.expand(&self.jobs, &mut self.expansion)?;
        let roles = self.paths.roles();
        if looks_ahead {
            self.look_ahead.look(&self.expansion, roles, batch)?;
        } else {
            self.look_ahead.clear();
        }
        let mut leaves = Vec::with_capacity(self.descents.len());
        for descent in &mut self.descents {
            let (words, successors) = match descent.end {
                End::Unknown if self.expansion.terminal(descent.job) => continue,
                End::Unknown => (self.expansion.state(descent.job), self.look_ahead.successors(descent.job)),
                End::Node(_) | End::Exact(_) => (&self.words[descent.words.clone()], 0..0),
            };
            descent.leaf = Some(leaves.len());
            leaves.push(Leaf { words, successors, chooser: self.look_ahead.chooser(descent.job) });
        }
        let leaves = Leaves {
            leaves,
            looked: &self.look_ahead.looked,
            roles,
            tag: self.tag,
            objective: self.objective,
        };
        evaluation.evaluate(&leaves, playouts, batch, &mut self.found)
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
            if end != NONE && tree.solver.is_on {
                tree.prove(end);
                tree.prove_upwards(&self.paths, descent.steps.clone());
            }
            if end != NONE && tree.graph.node(end).visits == 0 {
                self.note_priors(tree, descent, end);
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

    /// Notes in a new node what its moves promise.
    fn note_priors(&self, tree: &mut Tree, descent: &Descent, node: NodeId) {
        let mover = tree.graph.node(node).mover;
        if descent.end != End::Unknown || mover == SEVERAL || Some(mover as usize) == tree.random {
            return;
        }
        let edges = tree.graph.edges_mut(node, mover as usize);
        for look in self.look_ahead.successors(descent.job) {
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
                let new = self.add_node(tree, descent.job);
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

    fn add_node(&mut self, tree: &mut Tree, job: usize) -> NodeId {
        let (state, terminal) = (self.expansion.state(job), self.expansion.terminal(job));
        let legal = |role: usize| self.expansion.legal(job, RoleId(role as u32));
        let edges = (0..tree.graph.roles).map(|role| legal(role).len()).sum();
        if !tree.graph.has_room(state.len(), edges) {
            return NONE;
        }
        let goals = tree.objective.goals(self.expansion.goals(job));
        tree.check_utility(terminal, &goals);
        let id = tree.graph.add(&NewNode { words: state, terminal, goals: &goals }, legal);
        for &look in self.look_ahead.endings(job) {
            self.add_ending(tree, id, look);
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
