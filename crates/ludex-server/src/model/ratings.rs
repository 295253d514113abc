//! Ratings of players over all matches, and what is rated together.

use ludex::matches::ratings::Skill;
use serde::{Deserialize, Serialize};

use super::{GameFeatures, PageRequest};

/// Games that are alike enough for one rating. Each game is of one kind: the first of these, from the last one up, that
/// fits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameKind {
    /// Two players who see everything and move in turn.
    TwoPlayers,
    /// The same with three players or more.
    MorePlayers,
    /// Players choose their moves at the same time.
    Simultaneous,
    /// Chance takes part.
    Chance,
    /// Players do not see everything.
    Hidden,
    /// It goes on in real time.
    RealTime,
}

impl GameKind {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::TwoPlayers, Self::MorePlayers, Self::Simultaneous, Self::Chance, Self::Hidden, Self::RealTime];

    /// The kind of a game.
    pub fn of(features: &GameFeatures) -> Self {
        let GameFeatures { seats, hidden, chance, simultaneous, real_time, .. } = *features;
        match () {
            () if real_time => Self::RealTime,
            () if hidden => Self::Hidden,
            () if chance => Self::Chance,
            () if simultaneous => Self::Simultaneous,
            () if seats > 2 => Self::MorePlayers,
            () => Self::TwoPlayers,
        }
    }

    /// The name in addresses and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoPlayers => "two-players",
            Self::MorePlayers => "more-players",
            Self::Simultaneous => "simultaneous",
            Self::Chance => "chance",
            Self::Hidden => "hidden",
            Self::RealTime => "real-time",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::TwoPlayers => "Two players who see everything",
            Self::MorePlayers => "Three players or more",
            Self::Simultaneous => "Simultaneous moves",
            Self::Chance => "Chance",
            Self::Hidden => "Hidden information",
            Self::RealTime => "Real time",
        }
    }
}

/// Which matches a rating is of. In JSON and in addresses it is a text: `all`, `kind:hidden`, `game:chess`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum RatingScope {
    /// All of them.
    #[default]
    All,
    /// Those of games of one kind.
    Kind(GameKind),
    /// Those of one game.
    Game(String),
}

impl RatingScope {
    /// What a match of a game counts for.
    pub(crate) fn of_match(kind: GameKind, game: &str) -> [Self; 3] {
        [Self::All, Self::Kind(kind), Self::Game(game.to_owned())]
    }

    /// The scope that a text stands for.
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None => (text == "all").then_some(Self::All),
            Some(("kind", name)) => GameKind::named(name).map(Self::Kind),
            Some(("game", name)) if !name.is_empty() => Some(Self::Game(name.to_owned())),
            Some(_) => None,
        }
    }

    /// What people read.
    pub fn words(&self) -> String {
        match self {
            Self::All => "All games".to_owned(),
            Self::Kind(kind) => kind.words().to_owned(),
            Self::Game(game) => game.clone(),
        }
    }
}

impl From<RatingScope> for String {
    fn from(scope: RatingScope) -> Self {
        match scope {
            RatingScope::All => "all".to_owned(),
            RatingScope::Kind(kind) => format!("kind:{}", kind.name()),
            RatingScope::Game(game) => format!("game:{game}"),
        }
    }
}

impl TryFrom<String> for RatingScope {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or_else(|| format!("there are no ratings for `{text}`"))
    }
}

impl std::fmt::Display for RatingScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from(self.clone()))
    }
}

/// Whose ratings are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Population {
    /// Everybody's.
    #[default]
    Both,
    /// Those of people.
    People,
    /// Those of programs.
    Programs,
}

/// Which ratings are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RatingQuery {
    /// Over which matches.
    pub scope: RatingScope,
    /// Of whom.
    pub who: Population,
    /// Which part of the list; a page begins behind a player.
    pub page: PageRequest,
}

/// What a player is rated over some matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerRating {
    /// Over which.
    pub scope: RatingScope,
    /// Who.
    pub player: String,
    /// The rating, as it was after the last match.
    #[serde(flatten)]
    pub skill: Skill,
    /// The rating less twice its deviation, by which players are ranked.
    pub low: f64,
    /// Whether little is known of it.
    pub provisional: bool,
    /// How many matches it is of.
    pub matches: u64,
    /// When the last of them ended, in milliseconds since 1970.
    pub last: u64,
    /// By how much it has changed in the last [`PlayerRating::TREND`] matches; null where there are not more than so many.
    pub trend: Option<f64>,
}

impl PlayerRating {
    /// Over so many matches it is said how a rating has changed.
    pub const TREND: u64 = 20;
}

/// A rating as it was after a match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatingMoment {
    /// How many matches it was of.
    pub matches: u64,
    /// When the last of them ended, in milliseconds since 1970.
    pub at: u64,
    /// The rating.
    pub rating: f64,
    /// Its deviation.
    pub deviation: f64,
}

/// What a match has changed in a rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingChange {
    /// Whose.
    pub player: String,
    /// Over which matches.
    pub scope: RatingScope,
    /// The rating before, 1500 for somebody's first match.
    pub before: f64,
    /// The rating after.
    pub after: f64,
    /// The deviation after.
    pub deviation: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_as_it_is_written() {
        let kinds = GameKind::ALL.map(RatingScope::Kind);
        let others = [RatingScope::All, RatingScope::Game("kind:odd".into())];
        for scope in kinds.into_iter().chain(others) {
            assert_eq!(RatingScope::read(&scope.to_string()), Some(scope));
        }
        for wrong in ["", "All", "kind:", "kind:x", "game:", "some:thing"] {
            assert_eq!(RatingScope::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn each_game_is_of_the_kind_that_matters_most() {
        let plain = GameFeatures { seats: 2, ..GameFeatures::default() };
        assert_eq!(GameKind::of(&plain), GameKind::TwoPlayers);
        assert_eq!(GameKind::of(&GameFeatures { seats: 3, ..plain }), GameKind::MorePlayers);
        let hidden = GameFeatures { hidden: true, chance: true, simultaneous: true, ..plain };
        assert_eq!(GameKind::of(&hidden), GameKind::Hidden);
        assert_eq!(GameKind::of(&GameFeatures { real_time: true, ..hidden }), GameKind::RealTime);
        assert_eq!(GameKind::of(&GameFeatures { hidden: false, ..hidden }), GameKind::Chance);
    }
}
