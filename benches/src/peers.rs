//! What others reach.

use std::collections::BTreeMap;

/// What was measured of one engine on one game.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its name.
    pub engine: String,
    /// State changes a second.
    pub changes: f64,
    /// Random games a second.
    pub playouts: f64,
    /// Mean length of the random games, in one place after the point.
    pub mean_length: Option<f64>,
    /// From the rules to the first state.
    pub setup_ms: Option<f64>,
}

/// Per game the engines that could play it.
#[derive(Clone, Debug, Default)]
pub struct Peers(BTreeMap<String, Vec<Peer>>);

impl Peers {
    /// Reads `peers.csv`; rows without figures are left out.
    pub fn read(csv: &str) -> Self {
        let mut peers = Self::default();
        for line in csv.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let [game, engine, changes, playouts, length, setup] = cells[..] else { continue };
            let row = peers.0.entry(game.to_owned()).or_default();
            let (Ok(changes), Ok(playouts)) = (changes.parse(), playouts.parse()) else { continue };
            let (mean_length, setup_ms) = (length.parse().ok(), setup.trim().parse().ok());
            row.push(Peer { engine: engine.to_owned(), changes, playouts, mean_length, setup_ms });
        }
        peers
    }

    /// The games with their rows, by name.
    pub fn games(&self) -> impl Iterator<Item = (&str, &[Peer])> {
        self.0.iter().map(|(game, rows)| (game.as_str(), rows.as_slice()))
    }

    /// The rows of a game.
    pub fn of(&self, game: &str) -> &[Peer] {
        self.0.get(game).map_or(&[], Vec::as_slice)
    }
}

/// State changes a second on one game, measured of all in one run on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct SameRun {
    /// The game.
    pub game: String,
    /// The net machine, and lanes, of an earlier state of this program.
    pub net: f64,
    /// See `net`.
    pub lanes: f64,
    /// The faster of the others that play it.
    pub best: Option<f64>,
}

impl SameRun {
    /// Reads `peers-same-run.csv`; rows without figures are left out.
    pub fn read(csv: &str) -> Vec<Self> {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let [game, _, _, net, lanes, sancho, ggplib, ..] = cells[..] else { return None };
            let others = [sancho, ggplib].into_iter().filter_map(|cell| cell.parse().ok());
            let best = others.max_by(f64::total_cmp);
            Some(Self { game: game.to_owned(), net: net.parse().ok()?, lanes: lanes.parse().ok()?, best })
        };
        csv.lines().skip(1).filter_map(row).collect()
    }
}

/// The row with most state changes a second.
pub fn best(peers: &[Peer]) -> Option<&Peer> {
    peers.iter().max_by(|a, b| a.changes.total_cmp(&b.changes))
}

/// The geometric mean; 1 of nothing.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum) = values.into_iter().fold((0, 0.0), |(n, sum), value| (n + 1, sum + value.ln()));
    (sum / f64::from(count.max(1))).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_run_the_faster_other_counts() {
        let rows = SameRun::read("heading\nnim,5.0,1,2,3,4,5,6,7\nchess,,1,2,3,,,6,7\ngo,,1,,3,4,5,6,7\n");
        let row = |game: &str, best| SameRun { game: game.to_owned(), net: 2.0, lanes: 3.0, best };
        assert_eq!(rows, [row("nim", Some(5.0)), row("chess", None)]);
    }

    #[test]
    fn rows_without_figures_are_left_out() {
        let peers = Peers::read(
            "game,engine,changes,playouts,length,setup\nnim,a,10.5,2,5.0,7\nnim,b,,,,\nnim,c,20,4,,9\nchess,a,,,,\n",
        );
        assert_eq!(
            peers.games().map(|(game, rows)| (game, rows.len())).collect::<Vec<_>>(),
            [("chess", 0), ("nim", 2)]
        );
        let fastest = best(peers.of("nim")).unwrap();
        assert_eq!((fastest.engine.as_str(), fastest.mean_length, fastest.setup_ms), ("c", None, Some(9.0)));
        assert!((geometric_mean([2.0, 8.0]) - 4.0).abs() < 1e-12);
    }
}
