//! Many descents at once: leaves are collected, expanded together, and played from together.

use std::time::Duration;

use ludex_game::{
    Answer, AtLimit, Batch, Expansion, Goal, Jobs, MachineTag, Outcomes, Policy, RoleId, Sight, Start, State,
    Tally, Wanted,
};
use ludex_logic::Clock;

use super::descent::{End, Paths, Tree};
use super::graph::{Bounds, NONE, NewNode, NodeId, SEVERAL};
use super::judging::Judging;
use super::spread::{self, Parts};

/// New leaves with more joint moves than this are not looked ahead from.
const LOOK_AHEAD_MOST: usize = 256;

/// A descent and what is to be done at its end.
#[derive(Clone, Debug)]
struct Leaf {
    steps: std::ops::Range<usize>,
    end: End,
    /// The number of its job, at an unknown end.
    job: usize,
    /// The state to play from, at a node.
    state: Option<State>,
    /// The number of its start, where playouts are made.
    start: Option<usize>,
    /// Whether playouts are made from its successors, the first of them at this start.
    is_spread: bool,
}

impl Leaf {
    fn release(&self, tree: &mut Tree, paths: &Paths) {
        if self.end == End::Unknown {
            tree.release(paths, &self.steps);
        }
    }
}

/// What a look at a successor of a new leaf showed: the move of the only role that chooses, and the
/// goals of the end it leads to.
struct Ending {
    job: usize,
    choice: u32,
    look: usize,
}

/// A wave with its buffers.
#[derive(Default)]
pub(super) struct Wave {
    tag: MachineTag,
    paths: Paths,
    leaves: Vec<Leaf>,
    jobs: Jobs,
    expansion: Expansion,
    look: Jobs,
    look_of: Vec<(usize, u32)>,
    /// Where the successors of each job begin, and after the last where they end.
    look_begin: Vec<usize>,
    parts: Parts,
    looked: Expansion,
    endings: Vec<Ending>,
    starts: Vec<Start>,
    outcomes: Outcomes,
    /// Descents that came to what is known while it was collected.
    pub ends: usize,
    /// Whether a role was ever seen to have a move that wins at once.
    pub is_decisive: bool,
    /// Playouts made, and their steps.
    pub playouts: u64,
    pub steps: u64,
    /// The time that playouts took, if there is a clock.
    pub playing: Duration,
}

impl Wave {
    /// A wave of states of the machine with this tag.
    pub fn new(tag: MachineTag) -> Self {
        Self { tag, ..Self::default() }
    }

    /// How many leaves it has.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// How many steps random games through its leaves have from the root on, about.
    pub fn length(&self) -> f64 {
        let depth: usize = self.leaves.iter().map(|leaf| leaf.steps.len()).sum();
        depth as f64 / self.leaves.len().max(1) as f64 + self.steps as f64 / self.playouts.max(1) as f64
    }

    /// Collects up to `most` leaves.
    pub fn collect(&mut self, tree: &mut Tree, most: usize) {
        self.paths.clear(tree.graph.roles);
        self.leaves.clear();
        self.jobs.clear();
        self.jobs.want_goals(Wanted::Terminal);
        self.playouts = 0;
        self.steps = 0;
        let (mut joint, mut values) = (Vec::new(), vec![0.0; tree.graph.roles]);
        let (mut attempts, mut busy) = (0, 0);
        self.ends = 0;
        while self.leaves.len() < most && attempts < 4 * most && busy < 8 + most / 8 {
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
                tree.settle_upwards(&self.paths, steps.clone(), id);
                tree.back_up(&self.paths, steps, id, &mut values);
                self.ends += 1;
                if tree.is_decided() {
                    break;
                }
                continue;
            }
            let mut job = 0;
            if end == End::Unknown {
                let (id, choices) = self.paths.step(steps.end - 1);
                tree.joint(id, choices, &mut joint);
                let state = self.jobs.add_state(tree.graph.state(id));
                job = self.jobs.len();
                self.jobs.add(state, &joint);
            }
            let state = match end {
                End::Node(id) => Some(State::new(self.tag, tree.graph.state(id))),
                End::Unknown | End::Exact(_) => None,
            };
            self.leaves.push(Leaf { steps, end, job, state, start: None, is_spread: false });
        }
    }

    /// Finds the states at the ends, looks ahead from them, and plays: the part that needs no tree.
    ///
    /// # Errors
    /// What the batch answers; the wave is then to be abandoned.
    pub fn run(&mut self, batch: &mut dyn Batch, plan: &Plan<'_>, clock: Option<&dyn Clock>) -> Answer<()> {
        batch.expand(&self.jobs, &mut self.expansion)?;
        self.endings.clear();
        self.look_begin.clear();
        if plan.look_ahead {
            self.look_ahead(batch, plan.roles, plan.aims.as_ref())?;
        }
        let now = || clock.map_or(Duration::ZERO, Clock::now);
        let begun = now();
        self.play(batch, plan)?;
        self.playing = now().saturating_sub(begun);
        Ok(())
    }

    /// Tries all moves from the new states for ends of the game.
    fn look_ahead(&mut self, batch: &mut dyn Batch, roles: usize, aims: Option<&Sight>) -> Answer<()> {
        self.look.clear();
        self.look.want_goals(Wanted::Terminal);
        self.look.want_moves(false);
        self.look_of.clear();
        let mut joint = Vec::new();
        for job in 0..self.expansion.len() {
            self.look_begin.push(self.look_of.len());
            if self.expansion.terminal(job) {
                continue;
            }
            let legal = |role: usize| self.expansion.legal(job, RoleId(role as u32));
            let mut choosers = (0..roles).filter(|&role| legal(role).len() > 1);
            let chooser = choosers.next().unwrap_or(0);
            let is_plain = choosers.next().is_none() && (0..roles).all(|role| !legal(role).is_empty());
            if !is_plain || legal(chooser).len() > LOOK_AHEAD_MOST {
                continue;
            }
            let state = self.look.add_state(self.expansion.state(job));
            joint.clear();
            joint.extend((0..roles).map(|role| legal(role)[0]));
            for (choice, &action) in (0u32..).zip(legal(chooser)) {
                joint[chooser] = action;
                self.look.add(state, &joint);
                self.look_of.push((job, choice));
            }
        }
        self.look_begin.push(self.look_of.len());
        batch.expand(&self.look, &mut self.looked)?;
        let endings = self.look_of.iter().enumerate().filter(|&(look, _)| self.looked.terminal(look));
        self.endings.extend(endings.map(|(look, &(job, choice))| Ending { job, choice, look }));
        let Some(aims) = aims else { return Ok(()) };
        let is_won = |ending: &Ending| {
            let moves = |role: usize| self.expansion.legal(ending.job, RoleId(role as u32)).len();
            let chooser = (0..roles).find(|&role| moves(role) > 1).unwrap_or(0);
            let goal = self.looked.goals(ending.look).get(chooser).copied().flatten();
            aims.of(chooser).zip(goal).is_some_and(|(stakes, goal)| goal >= stakes.win)
        };
        self.is_decisive |= self.endings.iter().any(is_won);
        Ok(())
    }

    /// Makes playouts from all ends that are not ends of the game.
    fn play(&mut self, batch: &mut dyn Batch, plan: &Plan<'_>) -> Answer<()> {
        self.starts.clear();
        let is_over = |leaf: &&Leaf| leaf.state.is_none() && self.expansion.terminal(leaf.job);
        let count = self.leaves.len() - self.leaves.iter().filter(is_over).count();
        let each = plan.probes.max(plan.fill.div_ceil(count.max(1) as u32)).max(1);
        for leaf in &mut self.leaves {
            let looks = successors(&self.look_begin, leaf);
            if plan.spread && spread::is_enough(each, looks.len()) {
                leaf.is_spread = true;
                leaf.start = Some(self.starts.len());
                spread::add_starts(looks, &self.looked, each, &mut self.starts);
                continue;
            }
            let state = match leaf.state.take() {
                Some(state) => state,
                None if self.expansion.terminal(leaf.job) => continue,
                None => self.expansion.to_state(leaf.job),
            };
            leaf.start = Some(self.starts.len());
            self.starts.push(Start { state, playouts: each });
        }
        let sight = plan.sight.clone();
        let policy = Policy { step_limit: plan.step_limit, at_limit: AtLimit::Goals, sight };
        batch.playouts(&self.starts, &policy, plan.seed, &mut self.outcomes)?;
        for tally in &self.outcomes.tallies {
            self.playouts += u64::from(tally.playouts());
            self.steps += tally.steps;
        }
        Ok(())
    }

    /// Enters what was found into the tree.
    pub fn finish(&mut self, tree: &mut Tree, judging: Option<&Judging>) {
        let leaves = std::mem::take(&mut self.leaves);
        let mut values = vec![0.0; tree.graph.roles];
        for leaf in &leaves {
            leaf.release(tree, &self.paths);
            let end = match leaf.end {
                End::Unknown => self.attach(tree, leaf),
                End::Node(id) | End::Exact(id) => id,
            };
            if end != NONE && tree.options.solver {
                tree.prove(end);
                tree.prove_upwards(&self.paths, leaf.steps.clone());
            }
            let is_new = end != NONE && tree.graph.node(end).visits == 0;
            if leaf.is_spread {
                let looks = successors(&self.look_begin, leaf);
                let tallies = &self.outcomes.tallies[leaf.start.unwrap_or(0)..];
                self.parts.read(looks.clone(), &self.looked, tallies, tree.aim, &mut values);
                if is_new {
                    let choices = self.look_of[looks].iter().map(|&(_, choice)| choice);
                    self.parts.note(tree, end, choices, &values);
                }
            }
            // Where others may get something wrong, playouts say more than what is proven.
            let is_exact = |tree: &Tree| end != NONE && tree.graph.is_solved(end) && tree.is_exact(end);
            match leaf.start.and_then(|start| self.outcomes.tallies.get(start)) {
                _ if is_exact(tree) => tree.exact_values(end, &mut values),
                _ if leaf.is_spread => {}
                Some(tally) => {
                    mean_values(tally, &mut values);
                    tree.aim.means(&mut values);
                }
                None => terminal_values(&tree.aim.goals(self.expansion.goals(leaf.job)), &mut values),
            }
            if let Some(judging) = judging.filter(|_| leaf.start.is_some())
                && !is_exact(tree)
            {
                self.judge(tree, (leaf, end), judging, &mut values);
            }
            tree.back_up(&self.paths, leaf.steps.clone(), end, &mut values);
        }
        self.leaves = leaves;
    }

    /// Lets what was learned of facts count in the values of a leaf, and notes in a new node what its moves promise.
    fn judge(&self, tree: &mut Tree, (leaf, end): (&Leaf, NodeId), judging: &Judging, values: &mut [f64]) {
        match leaf.end {
            End::Unknown => judging.mix(self.expansion.state(leaf.job), values),
            End::Node(id) | End::Exact(id) => judging.mix(tree.graph.state(id), values),
        }
        if end != NONE && tree.graph.node(end).visits == 0 {
            let looks = successors(&self.look_begin, leaf);
            let choices = self.look_of[looks.clone()].iter().map(|&(_, choice)| choice);
            judging.note(tree, end, (looks, &self.looked), choices);
        }
    }

    /// Gives up: no descent is under way any more.
    pub fn abandon(&mut self, tree: &mut Tree) {
        for leaf in &self.leaves {
            leaf.release(tree, &self.paths);
            tree.withdraw(&self.paths, leaf.steps.clone());
        }
        self.leaves.clear();
    }

    /// The node of a new state, linked to where it was reached from; [`NONE`] where there is no memory
    /// for it.
    fn attach(&mut self, tree: &mut Tree, leaf: &Leaf) -> NodeId {
        let (parent, choices) = self.paths.step(leaf.steps.end - 1);
        let known = tree.graph.child(parent, choices);
        if known != NONE {
            return known;
        }
        let child = match tree.graph.find(self.expansion.state(leaf.job)) {
            Some(child) => child,
            None => {
                let new = self.add_node(tree, leaf.job);
                let (parent, choices) = self.paths.step(leaf.steps.end - 1);
                tree.inherit(new, parent, choices);
                new
            }
        };
        let (parent, choices) = self.paths.step(leaf.steps.end - 1);
        if child != NONE {
            tree.graph.set_child(parent, choices, child);
        }
        child
    }

    fn add_node(&mut self, tree: &mut Tree, job: usize) -> NodeId {
        let (state, terminal) = (self.expansion.state(job), self.expansion.terminal(job));
        let legal = |role: usize| self.expansion.legal(job, RoleId(role as u32));
        let arms = (0..tree.graph.roles).map(|role| legal(role).len()).sum();
        if !tree.graph.has_room(state.len(), arms) {
            return NONE;
        }
        let goals = tree.aim.goals(self.expansion.goals(job));
        tree.check_nature(terminal, &goals);
        let id = tree.graph.add(&NewNode { words: state, terminal, goals: &goals }, legal);
        // Endings are in the order of the jobs.
        let first = self.endings.partition_point(|ending| ending.job < job);
        for ending in self.endings[first..].iter().take_while(|ending| ending.job == job) {
            self.add_ending(tree, id, ending);
        }
        tree.take_over(id);
        id
    }

    /// Adds an end of the game below a new node.
    fn add_ending(&self, tree: &mut Tree, parent: NodeId, ending: &Ending) {
        let mover = tree.graph.node(parent).mover;
        let words = self.looked.state(ending.look);
        let goals = tree.aim.goals(self.looked.goals(ending.look));
        if mover == SEVERAL || !tree.graph.has_room(words.len(), 0) {
            return;
        }
        tree.check_nature(true, &goals);
        let child = match tree.graph.find(words) {
            Some(child) => child,
            None => tree.graph.add(&NewNode { words, terminal: true, goals: &goals }, |_| &[]),
        };
        let mut choices = vec![0; tree.graph.roles];
        choices[mover as usize] = ending.choice;
        tree.graph.set_child(parent, &choices, child);
    }
}

/// The numbers of the looks at the successors of a leaf.
fn successors(begin: &[usize], leaf: &Leaf) -> std::ops::Range<usize> {
    match (leaf.end, begin.get(leaf.job), begin.get(leaf.job + 1)) {
        (End::Unknown, Some(&from), Some(&to)) => from..to,
        _ => 0..0,
    }
}

/// How a wave is played.
#[derive(Clone, Debug)]
pub(super) struct Plan<'p> {
    pub roles: usize,
    pub look_ahead: bool,
    /// Play from the successors of new leaves.
    pub spread: bool,
    /// What was learned of facts.
    pub judging: Option<&'p Judging>,
    /// Playouts from each leaf at least.
    pub probes: u32,
    /// Playouts in all at least.
    pub fill: u32,
    pub step_limit: u32,
    /// What the roles play for, as far as is known.
    pub aims: Option<Sight>,
    /// What is seen in playouts.
    pub sight: Option<Sight>,
    pub seed: u64,
}

/// The mean goals of playouts, 0 to 1 per role; nothing where no playout gave a goal.
pub(super) fn mean_values(tally: &Tally, out: &mut [f64]) {
    for (role, value) in (0u32..).zip(out) {
        let goal = tally.mean_goal(RoleId(role)).unwrap_or(0.0);
        *value = (goal / 100.0).clamp(0.0, 1.0);
    }
}

/// The goals of an end of the game, 0 to 1 per role.
pub(super) fn terminal_values(goals: &[Option<Goal>], out: &mut [f64]) {
    for (value, goal) in out.iter_mut().zip(goals) {
        *value = f64::from(Bounds::exact(goal.unwrap_or(0)).lower) / 100.0;
    }
}
