//! Whether playouts see one move ahead, and take a move that decides the game.

use ludex_game::{Batch, DecisiveMoves};

/// Steps of playouts that see ahead may cost so many times as much as others, before moves are taken back.
const MOST_COST: f64 = 8.0;
/// With more playouts than this from each leaf, better ones are worth more than as many.
const ABUNDANT: u32 = 16;
/// With fewer than this, there are too few.
const FEW: u64 = 3;

/// Whether playouts can see ahead, and that costs little.
pub(crate) fn see_ahead_cheaply(batch: &mut dyn Batch, stakes: &DecisiveMoves) -> bool {
    batch.decisive_cost(stakes).is_some_and(|cost| cost <= MOST_COST)
}

/// Decides from batch to batch whether playouts see ahead (decisive moves: Teytaud and Teytaud, 2010).
#[derive(Clone, Debug)]
pub(super) struct DecisiveMovesSwitch {
    stakes: Option<DecisiveMoves>,
    /// Whether it is known that looking ahead can be had and costs little.
    is_cheap: Option<bool>,
}

impl DecisiveMovesSwitch {
    /// For a search where roles win and lose this, where that is known.
    pub fn new(stakes: Option<&DecisiveMoves>) -> Self {
        Self { stakes: stakes.cloned(), is_cheap: None }
    }

    /// Changes how playouts are made, by how many of them a leaf is to get where time is measured
    /// (`probes`), and how many it got (`made`): lanes that would be empty otherwise play more.
    pub fn adapt(&mut self, now: &mut Option<DecisiveMoves>, probes: u32, made: u64, batch: &mut dyn Batch) {
        let Some(stakes) = &self.stakes else { return };
        if now.is_some() && made < FEW {
            *now = None;
            self.is_cheap = Some(false);
        } else if now.is_none()
            && probes >= ABUNDANT
            && *self.is_cheap.get_or_insert_with(|| see_ahead_cheaply(batch, stakes))
        {
            *now = Some(stakes.clone());
        }
    }
}
