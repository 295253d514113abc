//! When a search ends before its time, where time costs points: as soon as the time that is left cannot change any more
//! which move was visited most (Baier and Winands, 2016: "Time Management for Monte Carlo Tree Search", STOP).

use std::time::Duration;

use super::descent::Tree;

/// What ends a search that pays for its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopping {
    /// The time of the turn.
    limit: Duration,
}

impl Stopping {
    /// In a turn of so much time.
    pub fn new(limit: Duration) -> Self {
        Self { limit }
    }

    /// Whether to end the search after so much time and so many descents, where the moves that may be best were visited so
    /// often, the one that would be played first.
    pub fn is_due(&self, elapsed: Duration, descents: u64, visits: &[u32]) -> bool {
        let Some((&best, others)) = visits.split_first() else { return false };
        let Some(&second) = others.iter().max() else { return true };
        let rate = descents as f64 / elapsed.as_secs_f64().max(1e-6);
        let coming = rate * self.limit.saturating_sub(elapsed).as_secs_f64();
        f64::from(best) - f64::from(second) > coming
    }
}

impl Tree {
    /// How often the moves at the root were visited that may be best, the one that would be played first.
    pub fn visits_of_candidates(&self) -> Vec<u32> {
        let Some(best) = self.best_at_root() else { return Vec::new() };
        let edges = self.graph.edges(self.root, self.role);
        let sure = self.graph.bounds(self.root)[self.role].lower;
        let others = (0u32..)
            .zip(edges)
            .filter(|&(number, edge)| number != best && !self.is_left_out(self.root, edge, self.role, sure));
        let others = others.map(|(_, edge)| edge.visits);
        std::iter::once(edges[best as usize].visits).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_that_cannot_be_caught_up_ends_a_search() {
        let stopping = Stopping::new(Duration::from_secs(1));
        // After 0.6 s with 900 visits, 600 are still to come.
        let after = |visits: &[u32]| stopping.is_due(Duration::from_millis(600), 900, visits);
        assert!(after(&[800, 150]));
        assert!(!after(&[700, 200]));
        assert!(!after(&[200, 700]), "where what was visited less would be played");
        assert!(after(&[1]), "where nothing else may be best");
        assert!(!after(&[]), "where nothing is known");
    }
}
