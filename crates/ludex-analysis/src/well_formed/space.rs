//! All states of a game, breadth first: exhaustive search (specification 6.11: "expanding the entire
//! game graph").
//!
//! States get their numbers in the order of the numbers of their parents and of the joint moves, so the
//! same game gives the same numbers with any number of threads.

use std::collections::{BTreeMap, VecDeque};

use ludex_game::{
    ActionId, Answer, Expansion, GameError, Goal, Jobs, RoleId, Rules, State, StateNumber, StateTable, Step,
};
use ludex_logic::{Budget, Meter, TermId};

use super::bits::Bits;
use super::claim::{WIN, sum};
use super::expand::Expander;
use super::report::Seen;
use crate::finding::{Reason, Witness};

/// Joint moves that are tried at once.
const TOGETHER: usize = 4096;
/// A successor takes about as long as this many steps of inference.
const STEPS_PER_JOB: u64 = 64;
/// The most joint moves of one state.
const MOST_JOINT_MOVES: usize = 1 << 20;

/// What was seen on the way, the first of each kind.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    /// Per role a state where it is stuck.
    pub(super) stuck: Vec<Option<StateNumber>>,
    /// Per role the terminal states without exactly one goal value.
    pub(super) not_one_goal: Vec<Bits>,
    /// Per role the goal values of terminal states.
    pub(super) endings: Vec<BTreeMap<Goal, StateNumber>>,
    /// Per role the goal values of all states.
    pub(super) values: Vec<BTreeMap<Goal, StateNumber>>,
    /// Per role a step that lowers its goal.
    pub(super) falls: Vec<Option<Step>>,
    /// What goals add up to in terminal states.
    pub(super) sums: BTreeMap<u64, StateNumber>,
    /// The goals of terminal states, per role, each combination with a state.
    pub(super) results: BTreeMap<Vec<Option<Goal>>, StateNumber>,
    /// A state in which several players have a choice.
    pub(super) together: Option<StateNumber>,
    /// Per role whether it has a choice somewhere.
    pub(super) chooses: Vec<bool>,
    /// The moves that are legal somewhere: per role, by action.
    pub(super) legal: Vec<Bits>,
}

/// The states that were found, and where each joint move leads.
#[derive(Debug)]
pub(crate) struct Space {
    rules: Rules,
    pub(crate) table: StateTable,
    /// The terminal states.
    pub(super) terminal: Bits,
    /// Per role the terminal states where it has won.
    pub(super) won: Vec<Bits>,
    /// Where joint moves lead, state by state.
    children: Vec<StateNumber>,
    /// Where the children of each state end; there are as many as states that were expanded.
    ends: Vec<usize>,
    /// Per expanded state and role how many legal moves there are.
    counts: Vec<u32>,
    pub(super) noticed: Noticed,
    /// Why not all states were expanded, if they were not.
    pub(crate) stopped: Option<Reason>,
    /// The steps from the initial state to the state that is farthest away.
    pub(super) depth: u32,
}

/// A state that waits to be expanded: its legal moves and goals stand at the front of two lists.
struct Waiting {
    /// Per waiting state and role how many moves.
    counts: VecDeque<u32>,
    moves: VecDeque<ActionId>,
    goals: VecDeque<Option<Goal>>,
}

/// States whose joint moves are being tried, with their goals.
struct Pending {
    first: StateNumber,
    /// Where the jobs of each state end.
    ends: Vec<u32>,
    counts: Vec<u32>,
    goals: Vec<Option<Goal>>,
}

impl Space {
    /// Searches until all states are found, or a limit is reached. The budget's memory is what all
    /// states together may take.
    ///
    /// # Errors
    /// When the initial state cannot be looked at.
    pub(crate) fn search(rules: &Rules, most_states: usize, threads: usize, budget: &Budget) -> Answer<Self> {
        let roles = rules.roles().len();
        let mut space = Self {
            rules: rules.clone(),
            table: StateTable::default(),
            terminal: Bits::default(),
            won: vec![Bits::default(); roles],
            children: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
            noticed: Noticed {
                stuck: vec![None; roles],
                not_one_goal: vec![Bits::default(); roles],
                endings: vec![BTreeMap::new(); roles],
                values: vec![BTreeMap::new(); roles],
                falls: vec![None; roles],
                sums: BTreeMap::new(),
                results: BTreeMap::new(),
                together: None,
                chooses: vec![false; roles],
                legal: vec![Bits::default(); roles],
            },
            stopped: None,
            depth: 0,
        };
        let mut waiting = Waiting { counts: VecDeque::new(), moves: VecDeque::new(), goals: VecDeque::new() };
        space.add_initial(&mut waiting)?;
        let mut meter = budget.meter();
        let stopped = Expander::with(&**rules.machine(), threads, budget, |expander| {
            space.run(expander, waiting, most_states, &mut meter)
        });
        space.stopped = stopped.err();
        space.depth = space.farthest();
        Ok(space)
    }

    fn add_initial(&mut self, waiting: &mut Waiting) -> Answer<()> {
        let rules = self.rules.clone();
        let mut runner = rules.runner();
        runner.set(rules.initial())?;
        let terminal = runner.terminal()?;
        let mut goals = Vec::new();
        let mut legal = Vec::new();
        for role in rules.roles() {
            goals.push(runner.goal(role)?);
            legal.push(if terminal { Vec::new() } else { runner.legal(role)?.to_vec() });
        }
        self.table.insert(rules.initial().words(), (0, 0));
        self.notice(0, terminal, &goals, |role| &legal[role.index()], waiting);
        Ok(())
    }

    fn run(
        &mut self,
        mut expander: Expander<'_>,
        mut waiting: Waiting,
        most_states: usize,
        meter: &mut Meter,
    ) -> Result<(), Reason> {
        let mut pending: VecDeque<Pending> = VecDeque::new();
        // States before this one were handed out.
        let mut next: StateNumber = 0;
        loop {
            while expander.has_room() && (next as usize) < self.table.len() {
                let mut jobs = Jobs::default();
                pending.push_back(self.collect(&mut next, &mut waiting, &mut jobs)?);
                expander.ask(jobs);
            }
            let (Some((_, answer)), Some(states)) = (expander.take(), pending.pop_front()) else {
                return Ok(());
            };
            let expansion = answer.map_err(reason)?;
            meter.spend(STEPS_PER_JOB.saturating_mul(expansion.len() as u64 + 1))?;
            self.enter(&states, &expansion, &mut waiting)?;
            meter.check_memory(self.bytes() + waiting.bytes(), || "the states of the game".to_owned())?;
            let found = self.table.len();
            if found > most_states {
                return Err(Reason::States { states: most_states as u64 });
            }
            meter.budget().report("searching states", u64::from(states.first), Some(found as u64));
        }
    }

    /// Hands out states to expand, some thousand joint moves.
    fn collect(
        &self,
        next: &mut StateNumber,
        waiting: &mut Waiting,
        jobs: &mut Jobs,
    ) -> Result<Pending, Reason> {
        let roles = self.won.len();
        let (first, mut ends) = (*next, Vec::new());
        let (mut counts, mut goals) = (Vec::new(), Vec::new());
        while jobs.len() < TOGETHER && ends.len() < TOGETHER && (*next as usize) < self.table.len() {
            let begin = counts.len();
            counts.extend(waiting.counts.drain(..roles));
            goals.extend(waiting.goals.drain(..roles));
            let own = &counts[begin..];
            let product = own.iter().try_fold(1usize, |product, &count| product.checked_mul(count as usize));
            let total: usize = own.iter().map(|&count| count as usize).sum();
            let moves: Vec<ActionId> = waiting.moves.drain(..total).collect();
            match product {
                Some(0) => {}
                Some(product) if product <= MOST_JOINT_MOVES => {
                    let number = jobs.add_state(self.table.words(*next));
                    joint_moves(own, &moves, |joint| jobs.add(number, joint));
                }
                _ => return Err(Reason::Method("a state has too many joint moves to try all".to_owned())),
            }
            ends.push(jobs.len() as u32);
            *next += 1;
        }
        Ok(Pending { first, ends, counts, goals })
    }

    /// Enters what joint moves led to.
    fn enter(
        &mut self,
        states: &Pending,
        expansion: &Expansion,
        waiting: &mut Waiting,
    ) -> Result<(), Reason> {
        let roles = self.won.len();
        self.counts.extend_from_slice(&states.counts);
        let mut begin = 0;
        for (at, &end) in states.ends.iter().enumerate() {
            let parent = states.first + at as StateNumber;
            let before = &states.goals[at * roles..][..roles];
            for (joint, job) in (begin..end).enumerate() {
                let (job, joint) = (job as usize, joint as u32);
                let goals = expansion.goals(job);
                let Some((child, new)) = self.table.insert(expansion.state(job), (parent, joint)) else {
                    return Err(Reason::States { states: u64::from(u32::MAX) - 1 });
                };
                self.children.push(child);
                for (fall, (was, is)) in self.noticed.falls.iter_mut().zip(before.iter().zip(goals)) {
                    if fall.is_none() && matches!((was, is), (Some(was), Some(is)) if is < was) {
                        *fall = Some((parent, joint));
                    }
                }
                if new {
                    let terminal = expansion.terminal(job);
                    self.notice(child, terminal, goals, |role| expansion.legal(job, role), waiting);
                }
            }
            self.ends.push(self.children.len());
            begin = end;
        }
        Ok(())
    }

    /// Notes what there is to know of a new state.
    fn notice<'l>(
        &mut self,
        node: StateNumber,
        terminal: bool,
        goals: &[Option<Goal>],
        legal: impl Fn(RoleId) -> &'l [ActionId],
        waiting: &mut Waiting,
    ) {
        let noticed = &mut self.noticed;
        for (values, &goal) in noticed.values.iter_mut().zip(goals) {
            if let Some(goal) = goal {
                values.entry(goal).or_insert(node);
            }
        }
        for role in self.rules.roles() {
            let moves = legal(role);
            waiting.counts.push_back(moves.len() as u32);
            waiting.moves.extend(moves);
            waiting.goals.push_back(goals[role.index()]);
            noticed.chooses[role.index()] |= moves.len() > 1;
            moves.iter().for_each(|action| noticed.legal[role.index()].set(action.0));
            if !terminal && moves.is_empty() {
                noticed.stuck[role.index()].get_or_insert(node);
            }
        }
        if !terminal {
            let choosers = self.rules.seats().into_iter().filter(|&role| legal(role).len() > 1).count();
            if choosers > 1 {
                noticed.together.get_or_insert(node);
            }
            return;
        }
        self.terminal.set(node);
        if !noticed.results.contains_key(goals) {
            noticed.results.insert(goals.to_vec(), node);
        }
        for (role, &goal) in goals.iter().enumerate() {
            match goal {
                None => noticed.not_one_goal[role].set(node),
                Some(goal) => {
                    noticed.endings[role].entry(goal).or_insert(node);
                    if goal == WIN {
                        self.won[role].set(node);
                    }
                }
            }
        }
        if let Some(sum) = sum(goals, &self.rules.seats()) {
            noticed.sums.entry(sum).or_insert(node);
        }
    }

    /// Whether a state is terminal.
    pub(crate) fn is_terminal(&self, node: StateNumber) -> bool {
        self.terminal.get(node)
    }

    /// A state.
    pub(crate) fn state(&self, node: StateNumber) -> State {
        self.rules.initial().with_words(self.table.words(node))
    }

    /// What terminal states are worth to a role; nothing where they do not have exactly one value.
    ///
    /// # Errors
    /// When the budget is spent, or what the machine answers.
    pub(crate) fn goals(&self, role: RoleId, meter: &mut Meter) -> Result<Vec<Option<Goal>>, Reason> {
        let mut runner = self.rules.runner();
        let mut goals = vec![None; self.table.len()];
        for node in 0..self.table.len() as StateNumber {
            meter.spend(1)?;
            if self.is_terminal(node) {
                let answer = runner.set(&self.state(node)).and_then(|()| runner.goal(role));
                goals[node as usize] = answer.map_err(reason)?;
            }
        }
        Ok(goals)
    }

    /// How many states were expanded.
    pub(crate) fn expanded(&self) -> usize {
        self.ends.len()
    }

    /// Where the joint moves of a state lead; nowhere if it was not expanded.
    pub(crate) fn children(&self, node: StateNumber) -> &[StateNumber] {
        let node = node as usize;
        match self.ends.get(node) {
            Some(&end) => &self.children[if node == 0 { 0 } else { self.ends[node - 1] }..end],
            None => &[],
        }
    }

    /// Per role how many legal moves an expanded state has.
    pub(crate) fn counts(&self, node: StateNumber) -> &[u32] {
        let roles = self.won.len();
        &self.counts[node as usize * roles..][..roles]
    }

    /// The numbers of the joint moves of an expanded state in which a role makes this one of its moves.
    pub(crate) fn replies(&self, node: StateNumber, role: RoleId, own: u32) -> impl Iterator<Item = usize> {
        let counts = self.counts(node);
        let after: usize = counts[role.index() + 1..].iter().map(|&count| count as usize).product();
        let before: usize = counts[..role.index()].iter().map(|&count| count as usize).product();
        let (own, count) = (own as usize, counts[role.index()] as usize);
        (0..before).flat_map(move |first| (0..after).map(move |last| (first * count + own) * after + last))
    }

    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.table.bytes()
            + 4 * (self.children.capacity() + self.counts.capacity())
            + 8 * self.ends.capacity()
    }

    /// Steps as a course of the game. They must begin in the initial state.
    ///
    /// # Errors
    /// What the machine answers.
    pub(crate) fn witness(&self, steps: &[Step]) -> Answer<Witness> {
        let signature = self.rules.signature();
        let mut runner = self.rules.runner();
        let mut witness = Witness::default();
        for &(node, joint) in steps {
            runner.set(&self.state(node))?;
            let mut left = joint as usize;
            let mut moves: Vec<TermId> = Vec::with_capacity(self.won.len());
            for (role, &count) in self.counts(node).iter().enumerate().rev() {
                let at = left % count.max(1) as usize;
                left /= count.max(1) as usize;
                moves.extend(
                    runner.legal(RoleId(role as u32))?.get(at).map(|&action| signature.action(action)),
                );
            }
            moves.reverse();
            witness.steps.push(moves);
        }
        Ok(witness)
    }

    /// What is so in some state.
    pub(super) fn seen(&self) -> Seen {
        let signature = self.rules.signature();
        let legal = self.noticed.legal.iter().map(|actions| {
            let mut moves: Vec<TermId> = actions.ones().map(|id| signature.action(ActionId(id))).collect();
            moves.sort_by(|&a, &b| signature.terms().compare(a, b));
            moves
        });
        let goals = self.noticed.values.iter().map(|values| values.keys().copied().collect());
        Seen { goals: goals.collect(), legal: legal.collect() }
    }

    /// The legal move of this number of a role in a state.
    ///
    /// # Errors
    /// What the machine answers.
    pub(super) fn own_move(&self, node: StateNumber, role: RoleId, number: u32) -> Answer<Option<TermId>> {
        let moves = self.own_moves(node, role)?;
        Ok(moves.get(number as usize).map(|&action| self.rules.signature().action(action)))
    }

    /// The legal moves of a role in a state.
    ///
    /// # Errors
    /// What the machine answers.
    pub(crate) fn own_moves(&self, node: StateNumber, role: RoleId) -> Answer<Vec<ActionId>> {
        let mut runner = self.rules.runner();
        runner.set(&self.state(node))?;
        Ok(runner.legal(role)?.to_vec())
    }

    fn farthest(&self) -> u32 {
        // The last state that was found is as far away as any.
        self.table.path(self.table.len().saturating_sub(1) as StateNumber).len() as u32
    }
}

/// What a search of all states says of the order of moves and of results.
#[derive(Clone, Debug)]
pub(crate) struct Explored {
    /// Per role the goals of terminal states, each combination once.
    pub(crate) results: Vec<Vec<Option<Goal>>>,
    /// A course to a state in which several players have a choice.
    pub(crate) together: Option<Witness>,
}

impl Explored {
    /// Searches all states of a game, if there are no more than `most_states`.
    ///
    /// # Errors
    /// Why not all were searched.
    pub(crate) fn find(
        rules: &Rules,
        most_states: usize,
        threads: usize,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let space = Space::search(rules, most_states, threads, budget).map_err(reason)?;
        if let Some(stopped) = &space.stopped {
            return Err(stopped.clone());
        }
        let together = space.noticed.together;
        Ok(Self {
            results: space.noticed.results.keys().cloned().collect(),
            together: together
                .map(|node| space.witness(&space.table.path(node)))
                .transpose()
                .map_err(reason)?,
        })
    }
}

impl Waiting {
    fn bytes(&self) -> usize {
        4 * (self.counts.capacity() + self.moves.capacity()) + 8 * self.goals.capacity()
    }
}

/// All joint moves of some legal moves, given role by role; the last role's move changes first.
fn joint_moves(counts: &[u32], moves: &[ActionId], mut each: impl FnMut(&[ActionId])) {
    let mut begins = Vec::with_capacity(counts.len());
    let mut begin = 0;
    for &count in counts {
        begins.push(begin);
        begin += count as usize;
    }
    let mut at = vec![0u32; counts.len()];
    let mut joint: Vec<ActionId> = begins.iter().map(|&begin| moves[begin]).collect();
    loop {
        each(&joint);
        let Some(role) = (0..counts.len()).rev().find(|&role| at[role] + 1 < counts[role]) else { return };
        at[role] += 1;
        at[role + 1..].fill(0);
        for role in role..counts.len() {
            joint[role] = moves[begins[role] + at[role] as usize];
        }
    }
}

/// What ends a search, as a reason.
pub(crate) fn reason(error: GameError) -> Reason {
    match error {
        GameError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    }
}
