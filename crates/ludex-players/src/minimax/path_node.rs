//! A state on the path of a search, and how far its joint moves were tried.

use ludex_game::{ActionId, RoleId};
use smallvec::SmallVec;

use super::transposition_table::{Bound, Key};
use super::{MinimaxOptions, Opponents, Pruning};
use crate::explorer::OpenedState;

/// What a state is worth: to the player, or to each role in order.
pub(super) type Values = SmallVec<[f64; 4]>;
/// A joint move.
pub(super) type JointMove = SmallVec<[ActionId; 4]>;

/// The window of all values.
const UNBOUNDED: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// No state above on the path had a part in a value.
pub(super) const NO_REPEAT: u32 = u32::MAX;

/// How the values of a role's moves make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    /// The player: the most.
    Player,
    /// Another role, that wants it to be the least for the player.
    Enemy,
    /// Another role, that wants the most for itself or its coalition.
    Other,
    /// Chance: the mean.
    Random,
}

/// What holds for all states of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) options: MinimaxOptions,
    pub(super) role: RoleId,
    pub(super) random: Option<RoleId>,
    pub(super) roles: usize,
}

impl Setting {
    pub(super) fn is_paranoid(&self) -> bool {
        self.options.opponents == Opponents::Paranoid
    }

    /// The place of the player's value.
    fn own(&self) -> usize {
        if self.is_paranoid() { 0 } else { self.role.index() }
    }

    /// What the player gets of values.
    pub(super) fn player_value(&self, values: &[f64]) -> f64 {
        values.get(self.own()).copied().unwrap_or(0.0)
    }

    /// The window that a search begins with.
    pub(super) fn window(&self) -> (f64, f64) {
        match self.options.pruning {
            Pruning::Bounded { low, high } | Pruning::AlphaBeta { low, high } if self.is_paranoid() => {
                (low, high)
            }
            Pruning::AtRoot if self.is_paranoid() => (f64::NEG_INFINITY, 100.0),
            _ => UNBOUNDED,
        }
    }

    /// Whether there are bounds below the first state.
    fn has_bounds(&self) -> bool {
        matches!(self.options.pruning, Pruning::Bounded { .. } | Pruning::AlphaBeta { .. })
    }

    /// The window below chance, where only the best and the worst there can be settle anything.
    fn whole_window(&self) -> (f64, f64) {
        if self.is_paranoid() && self.has_bounds() { (0.0, 100.0) } else { UNBOUNDED }
    }

    fn mover(&self, role: RoleId) -> Mover {
        if role == self.role {
            Mover::Player
        } else if Some(role) == self.random {
            Mover::Random
        } else if self.is_paranoid() {
            Mover::Enemy
        } else {
            Mover::Other
        }
    }

    /// What a role that is neither the player nor chance wants the most of.
    fn wish(&self, role: RoleId, values: &[f64]) -> f64 {
        if self.options.opponents == Opponents::MaxN {
            return values.get(role.index()).copied().unwrap_or(0.0);
        }
        let is_member = |place: usize| {
            place != self.role.index() && self.random.is_none_or(|random| random.index() != place)
        };
        values.iter().enumerate().filter(|(place, _)| is_member(*place)).map(|(_, value)| value).sum()
    }

    /// Whether a role rather has the first values than the second.
    fn prefers(&self, mover: Mover, role: RoleId, first: &[f64], second: &[f64]) -> bool {
        let (own, other) = (self.player_value(first), self.player_value(second));
        match mover {
            Mover::Player => own > other,
            Mover::Enemy => own < other,
            Mover::Other => {
                let (wish, than) = (self.wish(role, first), self.wish(role, second));
                wish > than || (wish == than && own < other)
            }
            Mover::Random => false,
        }
    }

    /// Whether nothing more can matter to a role within a window, now that it has these values.
    fn cuts(&self, mover: Mover, values: &[f64], (alpha, beta): (f64, f64)) -> bool {
        let value = self.player_value(values);
        match mover {
            Mover::Player if !self.is_paranoid() => self.has_bounds() && value >= 100.0,
            Mover::Player => value >= beta,
            Mover::Enemy => value <= alpha,
            Mover::Other | Mover::Random => false,
        }
    }
}

/// A value on its way up.
#[derive(Clone, Debug)]
pub(super) struct Backed {
    pub(super) values: Values,
    pub(super) joint: JointMove,
    pub(super) is_complete: bool,
    /// The lowest level of a state above that was met again, or [`NO_REPEAT`].
    pub(super) repeat: u32,
}

/// A role with several moves, and what came of those that were tried.
#[derive(Debug)]
struct Level {
    role: RoleId,
    mover: Mover,
    moves: Vec<ActionId>,
    at: usize,
    window: (f64, f64),
    best: Option<(Values, JointMove)>,
    is_complete: bool,
}

impl Level {
    /// Takes the value of the move at hand. Whether the others cannot matter any more.
    fn fold(&mut self, backed: &Backed, setting: &Setting) -> bool {
        let cuts = setting.cuts(self.mover, &backed.values, self.window);
        self.is_complete = if cuts { backed.is_complete } else { self.is_complete && backed.is_complete };
        match &mut self.best {
            None => self.best = Some((backed.values.clone(), backed.joint.clone())),
            Some((sum, _)) if self.mover == Mover::Random => {
                sum.iter_mut().zip(&backed.values).for_each(|(sum, value)| *sum += value);
            }
            Some((values, joint)) => {
                if setting.prefers(self.mover, self.role, &backed.values, values) {
                    values.clone_from(&backed.values);
                    joint.clone_from(&backed.joint);
                }
            }
        }
        cuts
    }

    /// What came of all moves, and begins anew.
    fn take(&mut self, repeat: u32) -> Option<Backed> {
        let (mut values, joint) = self.best.take()?;
        if self.mover == Mover::Random {
            values.iter_mut().for_each(|sum| *sum /= self.moves.len() as f64);
        }
        Some(Backed { values, joint, is_complete: self.is_complete, repeat })
    }

    /// The window for what comes after a move of this role.
    fn inner_window(&self, setting: &Setting) -> (f64, f64) {
        let (alpha, beta) = self.window;
        if self.mover == Mover::Random {
            return setting.whole_window();
        }
        if setting.options.pruning == Pruning::AtRoot {
            return UNBOUNDED;
        }
        let Some((values, _)) = &self.best else { return self.window };
        if !setting.is_paranoid() || !matches!(setting.options.pruning, Pruning::AlphaBeta { .. }) {
            return self.window;
        }
        let value = setting.player_value(values);
        match self.mover {
            Mover::Player => (alpha.max(value), beta),
            _ => (alpha, beta.min(value)),
        }
    }
}

/// A move of the player's whose value is known.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) action: ActionId,
    pub(super) value: f64,
    pub(super) is_best: bool,
    pub(super) is_proven: bool,
}

/// What comes of a value in a state.
#[derive(Debug)]
pub(super) enum Folded {
    /// The next joint move is to be tried.
    Next,
    /// Everything was tried.
    Done(Backed),
}

/// A state on the path.
#[derive(Debug)]
pub(super) struct PathNode {
    pub(super) key: Key,
    pub(super) position: OpenedState,
    /// The joint move that is being tried.
    pub(super) joint: JointMove,
    /// The window it was entered with.
    pub(super) window: (f64, f64),
    /// The nodes when it was entered.
    pub(super) nodes_before: u64,
    pub(super) remaining: u32,
    levels: SmallVec<[Level; 2]>,
    repeat: u32,
    /// The move of the player that was finished with the last value.
    pub(super) tried: Option<Tried>,
    /// The moves that made others unnecessary with the last value.
    pub(super) cutters: SmallVec<[(RoleId, ActionId); 2]>,
}

impl PathNode {
    /// A state in which every role has a legal move. `sort` puts the moves of a role in order; it gets
    /// the number of roles with a choice before it.
    pub(super) fn new(
        (key, position): (Key, OpenedState),
        setting: &Setting,
        window: (f64, f64),
        nodes_before: u64,
        remaining: u32,
        sort: impl Fn(&mut [ActionId], RoleId, usize),
    ) -> Self {
        let mut joint: JointMove = position.legal.iter().filter_map(|list| list.first().copied()).collect();
        let mut levels: SmallVec<[Level; 2]> = SmallVec::new();
        for role in setting.commitments() {
            let list = &position.legal[role.index()];
            if list.len() > 1 {
                let (mover, mut moves) = (setting.mover(role), list.clone());
                if mover != Mover::Random {
                    sort(&mut moves, role, levels.len());
                }
                joint[role.index()] = moves[0];
                levels.push(Level { role, mover, moves, at: 0, window, best: None, is_complete: true });
            }
        }
        let (tried, cutters) = (None, SmallVec::new());
        let repeat = NO_REPEAT;
        let mut node =
            Self { key, position, joint, window, nodes_before, remaining, levels, repeat, tried, cutters };
        node.restart_after(0, setting);
        node
    }

    /// The window for the joint move that is being tried.
    pub(super) fn inner_window(&self, setting: &Setting) -> (f64, f64) {
        self.levels.last().map_or(self.window, |level| level.inner_window(setting))
    }

    /// What the first role with a choice gets by its moves so far.
    pub(super) fn best_so_far(&self, setting: &Setting) -> Option<f64> {
        let (values, _) = self.levels.first()?.best.as_ref()?;
        Some(setting.player_value(values))
    }

    /// How many legal moves all roles have together.
    pub(super) fn moves(&self) -> usize {
        self.position.legal.iter().map(Vec::len).sum()
    }

    /// Whether several roles have a choice.
    pub(super) fn is_simultaneous(&self) -> bool {
        self.levels.iter().filter(|level| level.mover != Mover::Random).count() > 1
    }

    /// The moves of the first two roles with a choice in a joint move.
    pub(super) fn choices(&self, joint: &[ActionId]) -> [Option<ActionId>; 2] {
        [0, 1].map(|place| {
            let level = self.levels.get(place)?;
            joint.get(level.role.index()).copied()
        })
    }

    /// Lets the roles after `place` begin anew.
    fn restart_after(&mut self, place: usize, setting: &Setting) {
        for inner in place + 1..self.levels.len() {
            let window = self.levels[inner - 1].inner_window(setting);
            let level = &mut self.levels[inner];
            (level.at, level.window, level.best, level.is_complete) = (0, window, None, true);
            self.joint[level.role.index()] = level.moves[0];
        }
    }

    /// Takes the value of the joint move that was tried.
    pub(super) fn fold(&mut self, mut backed: Backed, setting: &Setting) -> Folded {
        self.repeat = self.repeat.min(backed.repeat);
        backed.joint.clone_from(&self.joint);
        self.tried = None;
        self.cutters.clear();
        for place in (0..self.levels.len()).rev() {
            let level = &mut self.levels[place];
            let action = level.moves[level.at];
            if level.mover == Mover::Player {
                self.tried = Some(level.tried(action, &backed, setting));
            }
            let cuts = level.fold(&backed, setting);
            if cuts {
                self.cutters.push((level.role, action));
            }
            if !cuts && level.at + 1 < level.moves.len() {
                level.at += 1;
                self.joint[level.role.index()] = level.moves[level.at];
                self.restart_after(place, setting);
                return Folded::Next;
            }
            if let Some(taken) = level.take(self.repeat) {
                backed = taken;
            }
        }
        Folded::Done(Backed { repeat: self.repeat, ..backed })
    }

    /// How a value found in this state relates to the true one.
    pub(super) fn bound(&self, values: &[f64], setting: &Setting) -> Bound {
        let value = setting.player_value(values);
        if value >= self.window.1 {
            Bound::Lower
        } else if value <= self.window.0 {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }
}

impl Level {
    /// What is known of a move of the player's, before its value is taken.
    fn tried(&self, action: ActionId, backed: &Backed, setting: &Setting) -> Tried {
        let value = setting.player_value(&backed.values);
        let is_best = self.best.as_ref().is_none_or(|(best, _)| value > setting.player_value(best));
        let (alpha, beta) = self.inner_window(setting);
        let is_exact = (alpha < value || value <= 0.0) && (value < beta || value >= 100.0);
        let is_proven = setting.is_paranoid() && backed.is_complete && is_exact;
        Tried { action, value, is_best, is_proven }
    }
}

impl Setting {
    /// The roles in the order in which they commit: the player, the others, chance.
    fn commitments(&self) -> impl Iterator<Item = RoleId> + use<> {
        let (player, random) = (self.role, self.random);
        let others = (0..self.roles as u32).map(RoleId);
        let others = others.filter(move |&role| role != player && Some(role) != random);
        std::iter::once(player).chain(others).chain(random.filter(|&random| random != player))
    }
}
