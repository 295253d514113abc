//! Many descents of a proof-number search at once, so that lanes are full.

use std::ops::Range;

use ludex_game::{Answer, Batch, Expansion, Goal, Jobs, RoleId, Wanted};
use smallvec::SmallVec;

use super::graph::{Descent, NewState, ProofGraph, ProofId, Question, mover};

/// Descents in vain, for each leaf that is wanted, after which a batch goes without more.
const IN_VAIN: usize = 2;
/// Descents that found something out on their way, after which a batch goes.
const MOST_WISER: usize = 4096;
/// A graph of so many states allows one more leaf in a batch: in a small graph many descents at once go where they
/// would not if each knew of the others.
const STATES_PER_LEAF: usize = 32;
const FEWEST_LEAVES: usize = 4;

/// What a batch came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is work to be done in lanes.
    Work,
    /// There is nothing left to find out about the root, or no way to.
    Nothing,
    /// There may be work later: others have to end theirs before room can be made, or what was found out on the way
    /// is more than what is to be looked at.
    Waiting,
}

/// A leaf with the way to it, and the jobs that are its moves.
#[derive(Clone, Debug)]
struct Leaf {
    id: ProofId,
    /// The states above it.
    way: Range<usize>,
    jobs: Range<usize>,
}

/// A batch with its buffers.
#[derive(Debug, Default)]
pub(crate) struct ProofBatch {
    question: Option<Question>,
    path: Vec<ProofId>,
    leaves: Vec<Leaf>,
    jobs: Jobs,
    expansion: Expansion,
}

impl ProofBatch {
    /// How many joint moves it tries.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Collects leaves with about so many moves in all, and makes room for them where there is none.
    pub fn collect(&mut self, graph: &mut ProofGraph, most: usize) -> Found {
        self.path.clear();
        self.leaves.clear();
        self.jobs.clear();
        self.jobs.want_goals(Wanted::Terminal);
        self.question = None;
        if graph.question().is_none() {
            return Found::Nothing;
        }
        if graph.is_full() && !graph.make_room() {
            return Found::Waiting;
        }
        let (mut in_vain, mut wiser) = (0, 0);
        let most_leaves = FEWEST_LEAVES.max(graph.len() / STATES_PER_LEAF);
        while self.jobs.len() < most && self.leaves.len() < most_leaves && !graph.is_full() {
            let Some(question) = graph.question() else { break };
            if self.question.is_some_and(|asked| asked != question) && !self.leaves.is_empty() {
                break;
            }
            self.question = Some(question);
            let begin = self.path.len();
            match graph.descend(question, &mut self.path) {
                Descent::At(id) => {
                    let jobs = self.jobs.len();
                    let state = self.jobs.add_state(graph.state(id));
                    graph.joints(id, |joint| self.jobs.add(state, joint));
                    let way = begin..self.path.len() - 1;
                    self.leaves.push(Leaf { id, way, jobs: jobs..self.jobs.len() });
                }
                Descent::Wiser => {
                    wiser += 1;
                    if wiser > MOST_WISER {
                        break;
                    }
                }
                Descent::InVain => {
                    in_vain += 1;
                    if in_vain > IN_VAIN * self.leaves.len().max(FEWEST_LEAVES) {
                        break;
                    }
                }
            }
        }
        if self.leaves.is_empty() {
            return if wiser > 0 { Found::Waiting } else { Found::Nothing };
        }
        graph.begin_batch();
        Found::Work
    }

    /// Makes the moves: the part that needs no graph.
    ///
    /// # Errors
    /// What the batch answers; the batch is then to be abandoned.
    pub fn run(&mut self, batch: &mut dyn Batch) -> Answer<()> {
        batch.expand(&self.jobs, &mut self.expansion)
    }

    /// Enters what was found; `value` gives the goal of the role that is asked about from those of all roles.
    pub fn finish(&mut self, graph: &mut ProofGraph, value: impl Fn(&[Option<Goal>]) -> Goal) {
        let roles = graph.roles();
        let mut children: SmallVec<[ProofId; 64]> = SmallVec::new();
        for leaf in &self.leaves {
            children.clear();
            for job in leaf.jobs.clone() {
                let legal = |role: usize| self.expansion.legal(job, RoleId(role as u32));
                let end = self.expansion.terminal(job).then(|| value(self.expansion.goals(job)));
                let mover = if end.is_some() { None } else { mover(roles, &legal) };
                let new = NewState { words: self.expansion.state(job), end, mover };
                let Some(child) = graph.add(&new, legal) else { break };
                children.push(child);
            }
            graph.expand(leaf.id, &children);
        }
        self.end(graph);
    }

    /// Gives up: no descent is under way any more.
    pub fn abandon(&mut self, graph: &mut ProofGraph) {
        for leaf in &self.leaves {
            graph.forgo(leaf.id);
        }
        self.end(graph);
    }

    /// Carries up what became known of the leaves.
    fn end(&mut self, graph: &mut ProofGraph) {
        let Some(question) = self.question else { return };
        for leaf in self.leaves.drain(..) {
            graph.update(question.number, &self.path[leaf.way]);
        }
        graph.end_batch();
    }
}
