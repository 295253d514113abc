//! Whether the roles are opponents, partners, or neither.

use ludex_game::{Goal, PlayoutRecord};

/// How the goals of the roles go together, as far as playouts showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UtilityType {
    /// Two roles whose goals always add up to the same.
    ConstantSum {
        /// What they add up to.
        sum: u8,
    },
    /// All roles always get the same.
    Cooperative,
    /// Neither.
    General,
}

impl UtilityType {
    /// What the ends of some playouts show. Fewer than [`ENOUGH`] show nothing, since a value that is
    /// proven later on relies on it.
    pub fn of(records: &[PlayoutRecord], roles: usize, random: Option<usize>) -> Self {
        let ends: Vec<&[Option<Goal>]> =
            records.iter().filter(|record| record.fault.is_none()).map(|record| &record.goals[..]).collect();
        if ends.len() < ENOUGH {
            return Self::General;
        }
        let players: Vec<usize> = (0..roles).filter(|&role| Some(role) != random).collect();
        let goals = |end: &[Option<Goal>]| -> Option<Vec<Goal>> {
            players.iter().map(|&role| end.get(role).copied().flatten()).collect()
        };
        let Some(all) = ends.into_iter().map(goals).collect::<Option<Vec<_>>>() else { return Self::General };
        let sum = |goals: &Vec<Goal>| goals.iter().fold(0u32, |sum, &goal| sum.saturating_add(goal));
        let Some(first) = all.first() else { return Self::General };
        let is_constant = players.len() == 2 && all.iter().all(|goals| sum(goals) == sum(first));
        let is_varied = all.iter().any(|goals| goals != first);
        if is_constant && (is_varied || sum(first) == 100) && sum(first) <= 100 {
            return Self::ConstantSum { sum: sum(first) as u8 };
        }
        let is_shared = all.iter().all(|goals| goals.iter().all(|&goal| goal == goals[0]));
        if players.len() > 1 && is_shared && is_varied { Self::Cooperative } else { Self::General }
    }

    /// Whether the goals of an end of the game are as this says.
    pub fn fits(self, goals: &[Option<Goal>], random: Option<usize>) -> bool {
        let mut players = goals.iter().enumerate().filter(|&(role, _)| Some(role) != random);
        match self {
            Self::General => true,
            Self::Cooperative => {
                let first = players.next().and_then(|(_, &goal)| goal);
                first.is_some() && players.all(|(_, &goal)| goal == first)
            }
            Self::ConstantSum { sum } => {
                let total: Option<Goal> = players.map(|(_, &goal)| goal).sum();
                total == Some(u32::from(sum))
            }
        }
    }

    /// In a word, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConstantSum { .. } => "constant sum",
            Self::Cooperative => "cooperative",
            Self::General => "general",
        }
    }
}

/// How many steps playouts took on average.
pub(super) fn mean_steps(records: &[PlayoutRecord]) -> f64 {
    records.iter().map(|record| f64::from(record.steps)).sum::<f64>() / records.len().max(1) as f64
}

/// So many playouts are needed to tell.
pub(super) const ENOUGH: usize = 50;
