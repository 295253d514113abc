//! Whether playouts see one move ahead, and what roles look for when they do.

use std::str::FromStr;

use ludex_game::{Batch, PlayoutRecord, RoleId, Sight, Stakes};

use super::nature::Nature;

/// When playouts see one move ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sighting {
    /// Where it costs little.
    Auto,
    /// Wherever it can be had.
    On,
    /// Never.
    Off,
}

impl FromStr for Sighting {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "auto" => Ok(Self::Auto),
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err(()),
        }
    }
}

/// Steps of sighted playouts may take so many times as long as others.
const MOST_COST: f64 = 4.0;
/// How often a role takes a move back at one state.
const RETRIES: u32 = 8;

impl Sighting {
    /// How playouts are to be made by this batch.
    pub fn choose(self, sight: Option<&Sight>, batch: &mut dyn Batch) -> Option<Sight> {
        let sight = sight?;
        let is_wanted = match self {
            Self::Auto => batch.sight_cost(sight).is_some_and(|cost| cost <= MOST_COST),
            Self::On => true,
            Self::Off => false,
        };
        is_wanted.then(|| sight.clone())
    }
}

/// What the roles play for, as far as the ends of some playouts show. Nothing where the roles are
/// partners, who have no reason to prevent each other's wins.
pub(crate) fn sight(
    records: &[PlayoutRecord],
    nature: Nature,
    roles: usize,
    random: Option<RoleId>,
) -> Option<Sight> {
    if nature == Nature::Cooperative {
        return None;
    }
    let stakes = |role: usize| {
        if random.is_some_and(|random| random.index() == role) {
            return None;
        }
        let ends = records.iter().filter(|record| record.fault.is_none());
        let goals = ends.filter_map(|record| record.goals.get(role).copied().flatten());
        let (loss, win) = (goals.clone().min()?, goals.max()?);
        Some(if loss < win { Stakes { win, loss } } else { Stakes { win: 100, loss: 0 } })
    };
    Some(Sight { stakes: (0..roles).map(stakes).collect(), retries: RETRIES })
}
