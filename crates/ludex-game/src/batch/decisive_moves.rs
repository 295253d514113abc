//! Playouts that see one move ahead.
//!
//! Random games miss wins that are one move away, and walk into losses that one move would prevent.
//! Teytaud and Teytaud ("On the huge benefit of decisive moves in Monte-Carlo Tree Search algorithms",
//! 2010) let playouts make *decisive* moves (those that win at once) and *anti-decisive* ones (those that
//! prevent a win at once). Here:
//!
//! - A state is *one role's choice* where exactly one role has more than one legal move, every other role
//!   has exactly one, and that role has [`Stakes`]. Elsewhere nothing is different.
//! - A role with a choice looks at the ends of the game behind its moves. If some give it at least
//!   [`Stakes::win`], it makes one of those; else it makes none that gives it at most [`Stakes::loss`],
//!   unless there are no others. Of the moves that are left each is equally likely.
//! - When a role with a choice finds a win, and the state before was another role's choice, that role
//!   takes its move back and makes another one: each that it has not tried there is possible. It does so
//!   up to [`DecisiveMoves::retries`] times at one state, and only while it has such moves. So a win at once is
//!   prevented where it can be, as long as there are retries.
//!
//! A move taken back is no step: it counts neither in the length of the playout nor for its limit.

use crate::signature::Goal;

/// What roles see in playouts: what their next move comes to, and that it lets another role win.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DecisiveMoves {
    /// Per role, what it plays for; nothing for roles that see nothing, such as the random role.
    pub stakes: Vec<Option<Stakes>>,
    /// How often a role takes a move back at one state.
    pub retries: u32,
}

/// Which ends of the game a role looks for, and which it looks out for. The loss is below the win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stakes {
    /// An end with a goal of at least this is taken at once.
    pub win: Goal,
    /// An end with a goal of at most this is avoided.
    pub loss: Goal,
}

impl DecisiveMoves {
    /// What a role plays for.
    pub fn of(&self, role: usize) -> Option<Stakes> {
        self.stakes.get(role).copied().flatten().filter(|stakes| stakes.loss < stakes.win)
    }
}
