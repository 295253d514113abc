//! What tells the games apart that come with Ludex, known beforehand: a server shows it from the first moment on, and
//! prepares none of them for it.

use serde::{Deserialize, Serialize};

use crate::model::GameFeatures;

/// A line for each game.
const LINES: &str = include_str!("bundled_features.jsonl");

/// What is known of a game that comes with Ludex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BundledFeatures {
    pub(crate) game: String,
    /// The version that it holds for.
    pub(crate) sha256: String,
    #[serde(flatten)]
    pub(crate) features: GameFeatures,
}

/// What is known of all of them that can be played.
pub(crate) fn bundled_features() -> impl Iterator<Item = BundledFeatures> {
    // A test reads all lines.
    LINES.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::Duration;

    use ludex::game::sha256;
    use ludex::{Playable, library};

    use super::*;
    use crate::preparation::answer::{ReadyGame, game_options};
    use crate::preparation::{WorkLimits, guide};

    /// What is known beforehand is what is found out. `LUDEX_BLESS=1` writes it.
    #[test]
    fn the_features_of_bundled_games_are_those_that_are_found() {
        let time = Duration::from_secs(3600);
        let limits = WorkLimits { memory: 1 << 30, time, work: 200_000_000, step: time };
        let mut found = String::new();
        for games in library::all().chunk_by(|first, second| first.name == second.name) {
            let (game, options) = (&games[0], game_options(limits));
            // What one player knows of a game may be no game by itself.
            let Ok(ready) = Playable::parse(game.name, game.text, &options) else { continue };
            let features = guide::features(&ReadyGame::from(ready), limits);
            let line = BundledFeatures { game: game.name.to_owned(), sha256: sha256(game.text), features };
            writeln!(found, "{}", serde_json::to_string(&line).unwrap()).unwrap();
        }
        if std::env::var_os("LUDEX_BLESS").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/preparation/bundled_features.jsonl");
            return std::fs::write(file, &found).unwrap();
        }
        assert_eq!(found, LINES);
        assert_eq!(bundled_features().count(), LINES.lines().count());
    }
}
