//! Whether playouts see one move ahead, and what roles look for when they do.

use std::str::FromStr;

use ludex_game::{Batch, PlayoutRecord, RoleId, Sight, Stakes};

use super::nature::Nature;

/// When playouts see one move ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sighting {
    /// Where playouts are so many that better ones are worth more.
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

/// Steps of sighted playouts may cost so many times as much as others, before moves are taken back.
const MOST_COST: f64 = 8.0;
/// With more playouts than this from each leaf, better ones are worth more than as many.
const ABUNDANT: u32 = 16;
/// With fewer than this, there are too few.
const FEW: u64 = 3;
/// How often a role takes a move back at one state.
const RETRIES: u32 = 8;

/// Decides from wave to wave how playouts are made.
#[derive(Clone, Debug)]
pub(super) struct Outlook {
    when: Sighting,
    sight: Option<Sight>,
    /// Whether it is known that looking ahead can be had and costs little.
    is_cheap: Option<bool>,
}

impl Outlook {
    /// For a search with this sight, where there is one.
    pub fn new(when: Sighting, sight: Option<&Sight>) -> Self {
        Self { when, sight: sight.cloned(), is_cheap: None }
    }

    /// How playouts are made at first.
    pub fn at_first(&self) -> Option<Sight> {
        self.sight.clone().filter(|_| self.when == Sighting::On)
    }

    /// Changes how playouts are made, by how many of them a leaf is to get where time is measured
    /// (`probes`), and how many it got (`made`): lanes that would be empty otherwise play more.
    pub fn adapt(&mut self, now: &mut Option<Sight>, probes: u32, made: u64, batch: &mut dyn Batch) {
        let Some(sight) = self.sight.as_ref().filter(|_| self.when == Sighting::Auto) else { return };
        if now.is_some() && made < FEW {
            *now = None;
            self.is_cheap = Some(false);
        } else if now.is_none() && probes >= ABUNDANT {
            let cost = || batch.sight_cost(sight).is_some_and(|cost| cost <= MOST_COST);
            if *self.is_cheap.get_or_insert_with(cost) {
                *now = Some(sight.clone());
            }
        }
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
