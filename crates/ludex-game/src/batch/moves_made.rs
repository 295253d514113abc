//! Which moves were made in playouts, and what these came to.

use crate::signature::{ActionId, Goal, RoleId};

/// Per start, role and move how many playouts the role made the move in at any time, once or more often, and what these
/// brought: "all moves as first" (Brügmann, 1993).
///
/// Playouts count that gave each role exactly one goal. Moves that make no difference to the rules may be left out, as
/// those of a role that waits. A move that a playout with decisive moves took back counts as made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovesMade {
    roles: usize,
    actions: usize,
    /// Per start the playouts that count.
    playouts: Vec<u32>,
    /// Per start, role and action the playouts.
    counts: Vec<u32>,
    /// Per start, role and action the sums of the goals of all roles.
    sums: Vec<u32>,
}

impl MovesMade {
    /// None yet, of so many starts, for roles with actions of numbers below `actions`.
    #[must_use]
    pub fn new(starts: usize, roles: usize, actions: usize) -> Self {
        let entries = starts * roles * actions;
        Self {
            roles,
            actions,
            playouts: vec![0; starts],
            counts: vec![0; entries],
            sums: vec![0; entries * roles],
        }
    }

    /// None yet, of so many other starts, for the same roles and actions.
    #[must_use]
    pub fn of_starts(&self, starts: usize) -> Self {
        Self::new(starts, self.roles, self.actions)
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.playouts.is_empty()
    }

    /// The number of roles.
    #[must_use]
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// Actions have numbers below this.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// Notes a playout from a start that counts.
    ///
    /// # Panics
    /// Where there is no such start.
    pub fn add_playout(&mut self, start: usize) {
        self.playouts[start] += 1;
    }

    /// Playouts from a start that count.
    #[must_use]
    pub fn playouts(&self, start: usize) -> u32 {
        self.playouts.get(start).copied().unwrap_or(0)
    }

    /// Notes that a role made a move in a playout from a start, which gave these goals, by role.
    ///
    /// # Panics
    /// Where there is no such start, role or action.
    pub fn add(&mut self, start: usize, role: RoleId, action: ActionId, goals: &[Goal]) {
        assert!(role.index() < self.roles && action.index() < self.actions, "{role:?} makes {action:?}");
        let entry = (start * self.roles + role.index()) * self.actions + action.index();
        self.counts[entry] += 1;
        let sums = &mut self.sums[entry * self.roles..][..self.roles];
        sums.iter_mut().zip(goals).for_each(|(sum, goal)| *sum = sum.saturating_add(*goal));
    }

    /// Per action, how many playouts from a start a role made it in.
    #[must_use]
    pub fn counts(&self, start: usize, role: RoleId) -> &[u32] {
        let first = (start * self.roles + role.index()) * self.actions;
        self.counts.get(first..first + self.actions).unwrap_or(&[])
    }

    /// Per action, the sums of the goals of each role in these playouts, `u32::MAX` where they are more.
    #[must_use]
    pub fn sums(&self, start: usize, role: RoleId) -> &[u32] {
        let first = (start * self.roles + role.index()) * self.actions * self.roles;
        self.sums.get(first..first + self.actions * self.roles).unwrap_or(&[])
    }

    /// Adds what was noted of some starts, the first of which has this number here.
    pub fn merge(&mut self, first: usize, other: &Self) {
        let add = |sums: &mut [u32], more: &[u32]| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more))
        };
        if other.is_empty() {
            return;
        }
        let begin = first * self.roles * self.actions;
        add(&mut self.playouts[first..], &other.playouts);
        add(&mut self.counts[begin..], &other.counts);
        add(&mut self.sums[begin * self.roles..], &other.sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_of_parts_is_put_together() {
        let (first, second) = (RoleId(0), RoleId(1));
        let mut part = MovesMade::new(2, 2, 3);
        part.add_playout(1);
        part.add(1, first, ActionId(2), &[30, 70]);
        let mut all = part.of_starts(5);
        all.merge(2, &part);
        all.merge(3, &part);
        all.merge(0, &MovesMade::default());
        assert_eq!([0, 1, 2, 3, 4].map(|start| all.playouts(start)), [0, 0, 0, 1, 1]);
        assert_eq!(all.counts(3, first), [0, 0, 1]);
        assert_eq!(all.sums(4, first), [0, 0, 0, 0, 30, 70]);
        assert_eq!((all.counts(3, second), all.counts(2, first)), (&[0; 3][..], &[0; 3][..]));
    }

    #[test]
    fn sums_end_at_the_largest_number() {
        let mut made = MovesMade::new(1, 1, 1);
        (0..2).for_each(|_| made.add(0, RoleId(0), ActionId(0), &[u32::MAX - 1]));
        assert_eq!((made.counts(0, RoleId(0)), made.sums(0, RoleId(0))), (&[2][..], &[u32::MAX][..]));
    }

    #[test]
    fn where_nothing_was_noted_there_is_nothing() {
        let none = MovesMade::default();
        assert!(none.is_empty());
        assert_eq!(none.playouts(0), 0);
        assert!(none.counts(0, RoleId(0)).is_empty() && none.sums(7, RoleId(1)).is_empty());
    }
}
