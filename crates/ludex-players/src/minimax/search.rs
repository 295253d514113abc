//! The search itself: depth first, on a path of its own and not on the stack of the program, so that
//! long games need no more than memory.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, RoleId, State};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::ordering::Ordering;
use super::path_node::{Backed, Folded, JointMove, NO_REPEAT, PathNode, Setting, Values};
use super::transposition_table::{Bound, Entry, Key, TranspositionTable};
use super::{DEPTH_LIMIT, Horizon, HorizonNode, MinimaxOptions, RootMove, SearchResult};
use crate::explorer::{Explorer, OpenedState};
use crate::gauge::Gauge;
use crate::machine_knowledge::{KnowledgeReader, MachineKnowledge};

/// A max/min search with what it remembers from one run to the next.
///
/// What is remembered holds for one game, machine, role and horizon: for others make a new one.
#[derive(Debug)]
pub struct MinimaxSearch {
    options: MinimaxOptions,
    table: Option<TranspositionTable>,
    ordering: Ordering,
    /// The top of the last run that came to an end, and the move of the player that was best there.
    last_top: Option<(Key, ActionId)>,
    nodes: u64,
    known: u64,
    observed: Observed,
    is_observing: bool,
    /// Who knows what is out of reach.
    bounding: Option<KnowledgeReader>,
    /// Whether asking what is out of reach pays.
    bounds: Gauge,
}

/// What was seen of the game on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observed {
    /// The sum of all goals in the terminal states, if all that were seen have the same.
    pub(crate) sum: Option<u64>,
    /// Whether there were terminal states with other sums.
    pub(crate) has_other_sums: bool,
    /// Whether several roles had a choice at once.
    pub(crate) is_simultaneous: bool,
    /// Whether a line ended before the game: by coming round, at a stuck role or at the horizon.
    pub(crate) has_ended_early: bool,
}

/// One run: what does not change while it lasts, and the path.
struct Run<'r, 'm> {
    explorer: &'r mut Explorer<'m>,
    horizon: &'r mut dyn Horizon,
    setting: Setting,
    limit: u32,
    /// Whether states that come again on the path are looked for: where no depth ends the search.
    is_watching_path: bool,
    path: FxHashMap<Key, u32>,
    path_nodes: Vec<PathNode>,
    /// The legal moves of all states on the path together.
    path_moves: usize,
}

/// A path with more legal moves than this goes no further, so that it takes little memory.
const PATH_MOVES: usize = 1 << 22;

/// Where so many levels are left, what is out of reach is worked out with all that is known.
const DEEP_LEVELS: u32 = 4;
/// To ask what is out of reach pays if one in so many states need not be looked beyond.
const BOUNDS_WORTH: u32 = 24;

/// What a state is at first decisive moves.
enum Entered {
    Known(Backed),
    Open(Box<PathNode>),
}

impl MinimaxSearch {
    /// A search that remembers nothing yet.
    pub fn new(options: MinimaxOptions) -> Self {
        Self {
            options,
            table: None,
            ordering: Ordering::default(),
            last_top: None,
            nodes: 0,
            known: 0,
            observed: Observed::default(),
            is_observing: false,
            bounding: None,
            bounds: Gauge::new(BOUNDS_WORTH),
        }
    }

    /// Lets it look at all goals of terminal states (see [`MinimaxSearch::observed`]).
    pub(crate) fn observing(mut self) -> Self {
        self.is_observing = true;
        self
    }

    /// Lets it leave out states from which nothing better can be reached, as far as latches of the game tell (book
    /// chapter 12.4). No value changes by that.
    pub(crate) fn inform(&mut self, knowledge_of_states: Option<&Arc<MachineKnowledge>>) {
        self.bounding = knowledge_of_states.filter(|found| found.knows_latches()).map(|found| found.reader());
    }

    /// What was seen of the game on the way, of all runs.
    pub(crate) fn observed(&self) -> Observed {
        self.observed
    }

    /// The options.
    pub fn options(&self) -> &MinimaxOptions {
        &self.options
    }

    /// How many states were looked at in all runs: the calls of `maxscore` in the book's programs. What
    /// the table knows is not looked at.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How often the table knew the value of a state, in all runs.
    pub fn table_hits(&self) -> u64 {
        self.known
    }

    /// How many states the table holds.
    pub fn table_len(&self) -> usize {
        self.table.as_ref().map_or(0, TranspositionTable::len)
    }

    /// The bytes that the table takes.
    pub fn table_bytes(&self) -> usize {
        self.table.as_ref().map_or(0, TranspositionTable::bytes)
    }

    /// Finds what a state is worth to the explorer's role. `watch` is told of every move of the player's
    /// at the top when its value is known.
    ///
    /// With a limit, no more joint moves are looked ahead unless the horizon says otherwise, and the value
    /// is that of the whole tree of this depth. Without one the search goes on to the end of the game, or
    /// as far as the horizon lets it: then a state that comes again on the path counts 0 to everybody, for
    /// going round brings nothing. For [`Opponents::Paranoid`](super::Opponents::Paranoid) this is the
    /// value that the player can reach for sure in a game that ends. In any case nothing is looked at
    /// beyond [`DEPTH_LIMIT`], nor on paths with millions of legal moves. A state that is not terminal and
    /// in which a role has no legal move counts 0 to everybody.
    ///
    /// # Errors
    /// A limit, or what the machine answers. What `watch` was told holds all the same, and so does what the
    /// table has learnt; without a limit on the depth, and in a game of one player, `watch` is told the best end
    /// that was seen below the move that was being tried.
    pub fn run(
        &mut self,
        explorer: &mut Explorer<'_>,
        horizon: &mut dyn Horizon,
        state: &State,
        limit: Option<u32>,
        watch: &mut dyn FnMut(RootMove),
    ) -> Answer<SearchResult> {
        let roles = explorer.roles().len();
        let (role, random) = (explorer.role(), explorer.random());
        let setting = Setting { options: self.options, role, random, roles };
        let width = if setting.is_paranoid() { 1 } else { roles };
        if self.options.table_bytes > 0 && self.table.as_ref().is_none_or(|table| table.width() != width) {
            self.table = TranspositionTable::new(self.options.table_bytes, width);
        }
        let mut run = Run {
            explorer,
            horizon,
            setting,
            limit: limit.unwrap_or(u32::MAX).min(DEPTH_LIMIT),
            is_watching_path: limit.is_none(),
            path: FxHashMap::default(),
            path_nodes: Vec::new(),
            path_moves: 0,
        };
        let walked = self.walk(&mut run, state, watch);
        if walked.is_err() && limit.is_none() {
            run.tell_seen(watch);
        }
        let backed = walked?;
        self.last_top = backed.joint.get(role.index()).map(|&action| (Key::of(state), action));
        Ok(SearchResult {
            value: setting.player_value(&backed.values),
            values: if setting.is_paranoid() { Vec::new() } else { backed.values.to_vec() },
            joint: backed.joint.to_vec(),
            is_complete: backed.is_complete,
        })
    }

    fn walk(
        &mut self,
        run: &mut Run<'_, '_>,
        state: &State,
        watch: &mut dyn FnMut(RootMove),
    ) -> Answer<Backed> {
        match self.enter(run, state, run.setting.window())? {
            Entered::Known(backed) => return Ok(backed),
            Entered::Open(node) => run.push(*node),
        }
        while let Some(node) = run.path_nodes.last() {
            let next = run.explorer.successor(&node.position.state, &node.joint)?;
            let window = node.inner_window(&run.setting);
            let mut backed = match self.enter(run, &next, window)? {
                Entered::Known(backed) => backed,
                Entered::Open(node) => {
                    run.push(*node);
                    continue;
                }
            };
            while let Some(node) = run.path_nodes.last_mut() {
                let folded = node.fold(backed, &run.setting);
                let level = run.path_nodes.len() as u32 - 1;
                self.after_fold(run, level, watch);
                match folded {
                    Folded::Next => break,
                    Folded::Done(value) => backed = value,
                }
                let Some(node) = run.pop() else { return Ok(backed) };
                self.remember(run, &node, level, &mut backed);
                if run.path_nodes.is_empty() {
                    return Ok(backed);
                }
            }
        }
        Ok(Backed { values: Values::new(), joint: JointMove::new(), is_complete: false, repeat: NO_REPEAT })
    }

    /// Tells and learns what a value did.
    fn after_fold(&mut self, run: &Run<'_, '_>, level: u32, watch: &mut dyn FnMut(RootMove)) {
        let Some(node) = run.path_nodes.last() else { return };
        if level == 0
            && let Some(tried) = &node.tried
        {
            watch(RootMove {
                action: tried.action,
                value: tried.value,
                is_best: tried.is_best,
                is_proven: tried.is_proven,
            });
        }
        if self.options.ordering {
            for &(role, action) in &node.cutters {
                self.ordering.learn(action, role, level);
            }
        }
    }

    /// Puts a finished state into the table, and settles whether it hangs on states above.
    fn remember(&mut self, run: &Run<'_, '_>, node: &PathNode, level: u32, backed: &mut Backed) {
        if backed.repeat >= level {
            backed.repeat = NO_REPEAT;
        }
        let Some(table) = &mut self.table else { return };
        let mut bound = node.bound(&backed.values, &run.setting);
        if backed.repeat != NO_REPEAT {
            // Reached another way, fewer states would count 0: the true value is at least this.
            if !run.setting.is_paranoid() || bound == Bound::Upper {
                return;
            }
            bound = Bound::Lower;
        }
        if !backed.is_complete && !run.horizon.is_by_depth() {
            return;
        }
        let entry = Entry {
            best: node.choices(&backed.joint),
            remaining: node.remaining,
            bound,
            is_complete: backed.is_complete,
            effort: 0,
        };
        table.store(node.key, entry, &backed.values, self.nodes - node.nodes_before);
    }

    /// Looks at a state: at what is known about it, at the rules, at the horizon.
    fn enter(&mut self, run: &mut Run<'_, '_>, state: &State, window: (f64, f64)) -> Answer<Entered> {
        let level = run.path_nodes.len() as u32;
        let remaining = run.limit.saturating_sub(level);
        let key = Key::of(state);
        if let Some(&above) = run.path.get(&key) {
            self.observed.has_ended_early = true;
            return Ok(Entered::Known(Backed { repeat: above, ..run.nothing() }));
        }
        let mut best = [None; 2];
        if let Some((entry, values)) = self.table.as_ref().and_then(|table| table.find(key)) {
            best = entry.best;
            let is_deep = entry.is_complete || (entry.remaining == remaining && !run.is_watching_path);
            // At the top the value alone is not enough: a move is wanted.
            if level > 0 && is_deep && run.settles(entry, values, window) {
                self.known += 1;
                let (values, is_complete) = (Values::from_slice(values), entry.is_complete);
                return Ok(Entered::Known(Backed { values, is_complete, ..run.nothing() }));
            }
        }
        if let Some((top, action)) = self.last_top
            && level == 0
            && top == key
        {
            best[0] = Some(action);
        }
        let nodes_before = self.nodes;
        self.nodes += 1;
        let position = run.explorer.open(state)?;
        if position.terminal {
            return self.terminal(run, &position);
        }
        if position.legal.iter().any(Vec::is_empty) {
            self.observed.has_ended_early = true;
            return Ok(Entered::Known(run.nothing()));
        }
        if level > 0
            && let Some(value) = self.settled(run, state, window, remaining)
        {
            return Ok(Entered::Known(Backed { values: smallvec![value], ..run.nothing() }));
        }
        if let Some(values) = run.beyond(&position, level)? {
            self.observed.has_ended_early = true;
            return Ok(Entered::Known(Backed { values, is_complete: false, ..run.nothing() }));
        }
        let (ordering, is_ordered) = (&self.ordering, self.options.ordering);
        let node = PathNode::new(
            (key, position),
            &run.setting,
            window,
            nodes_before,
            remaining,
            |moves, role, n| {
                if is_ordered {
                    ordering.sort(moves, role, level, best.get(n..=n).unwrap_or_default());
                }
            },
        );
        self.observed.is_simultaneous |= node.is_simultaneous();
        Ok(Entered::Open(Box::new(node)))
    }

    /// What a state that is not terminal is worth at most, where that does not reach the window.
    fn settled(
        &mut self,
        run: &Run<'_, '_>,
        state: &State,
        (alpha, _): (f64, f64),
        remaining: u32,
    ) -> Option<f64> {
        let reader = self.bounding.as_mut()?;
        if !run.setting.is_paranoid() || !self.bounds.asks() {
            return None;
        }
        let most = reader.most(state, remaining >= DEEP_LEVELS)?;
        let most = f64::from(*most.get(run.setting.role.index())?);
        let known = (most <= alpha || most <= 0.0).then_some(most);
        self.bounds.note(known.is_some());
        known
    }

    fn terminal(&mut self, run: &mut Run<'_, '_>, position: &OpenedState) -> Answer<Entered> {
        let values = run.goals(&position.state)?;
        if self.is_observing {
            let mut sum = 0;
            for role in run.explorer.roles() {
                if Some(role) != run.setting.random {
                    sum += u64::from(run.explorer.goal(&position.state, role)?);
                }
            }
            let before = *self.observed.sum.get_or_insert(sum);
            self.observed.has_other_sums |= before != sum;
        }
        Ok(Entered::Known(Backed { values, ..run.nothing() }))
    }
}

impl Run<'_, '_> {
    fn push(&mut self, node: PathNode) {
        if self.is_watching_path {
            self.path.insert(Key::of(&node.position.state), self.path_nodes.len() as u32);
        }
        self.path_moves += node.moves();
        self.path_nodes.push(node);
    }

    fn pop(&mut self) -> Option<PathNode> {
        let node = self.path_nodes.pop()?;
        self.path_moves -= node.moves();
        if self.is_watching_path {
            self.path.remove(&Key::of(&node.position.state));
        }
        Some(node)
    }

    /// In a game of one player what is seen can be had: tells the best end below the move that was being tried.
    fn tell_seen(&self, watch: &mut dyn FnMut(RootMove)) {
        let (Some((top, below)), 1) = (self.path_nodes.split_first(), self.setting.roles) else { return };
        let best = |node: &PathNode| node.best_so_far(&self.setting);
        let value = below.iter().filter_map(best).fold(0.0, f64::max);
        if value > 0.0 {
            let is_best = best(top).is_none_or(|best| value > best);
            watch(RootMove { action: top.joint[0], value, is_best, is_proven: false });
        }
    }

    /// Nothing for anybody.
    fn nothing(&self) -> Backed {
        let values =
            if self.setting.is_paranoid() { smallvec![0.0] } else { smallvec![0.0; self.setting.roles] };
        Backed { values, joint: JointMove::new(), is_complete: true, repeat: NO_REPEAT }
    }

    /// Whether what the table has is enough within a window.
    fn settles(&self, entry: &Entry, values: &[f64], (alpha, beta): (f64, f64)) -> bool {
        let value = self.setting.player_value(values);
        match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        }
    }

    /// What a terminal state is worth.
    fn goals(&mut self, state: &State) -> Answer<Values> {
        self.for_roles(|run, role| Ok(f64::from(run.explorer.goal(state, role)?)))
    }

    /// What a state is worth that is not looked beyond; `None` where it is.
    fn beyond(&mut self, position: &OpenedState, level: u32) -> Answer<Option<Values>> {
        let path_nodes = std::mem::take(&mut self.path_nodes);
        let parent = path_nodes.last().map(|node| &node.position);
        let node = HorizonNode { position, parent, level, limit: self.limit };
        let looked = self.look_beyond(&node);
        self.path_nodes = path_nodes;
        looked
    }

    fn look_beyond(&mut self, node: &HorizonNode<'_>) -> Answer<Option<Values>> {
        let is_bearable = node.level < DEPTH_LIMIT && self.path_moves < PATH_MOVES;
        if is_bearable && self.horizon.expands(self.explorer, node)? {
            return Ok(None);
        }
        let values = self.for_roles(|run, role| {
            let value = run.horizon.evaluate(run.explorer, node, role)?;
            Ok(if value.is_nan() { 0.0 } else { value.clamp(0.0, 100.0) })
        })?;
        Ok(Some(values))
    }

    /// A value for the player, or one for each role where all count.
    fn for_roles(&mut self, mut value: impl FnMut(&mut Self, RoleId) -> Answer<f64>) -> Answer<Values> {
        if self.setting.is_paranoid() {
            return Ok(smallvec![value(self, self.setting.role)?]);
        }
        let mut values = Values::new();
        for role in self.explorer.roles() {
            let is_chance = Some(role) == self.setting.random;
            values.push(if is_chance { 0.0 } else { value(self, role)? });
        }
        Ok(values)
    }
}
