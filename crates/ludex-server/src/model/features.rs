//! What tells games apart at a glance, and the words for it.

use serde::{Deserialize, Serialize};

/// What tells games apart at a glance. What depends on how a game is played is as random games show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFeatures {
    /// How many play: all roles but `random` in the languages with chance.
    pub seats: u32,
    /// Whether players do not see everything.
    pub hidden: bool,
    /// Whether chance takes part.
    pub chance: bool,
    /// Whether several players choose their moves at the same time.
    pub simultaneous: bool,
    /// Whether it goes on in real time.
    pub real_time: bool,
    /// How many steps a random game usually has, as far as they were followed; none where that is not known.
    pub steps: Option<u32>,
    /// Whether there is a board to be seen.
    pub board: bool,
}

/// A word for a game by which games are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameTag {
    /// One plays alone.
    OnePlayer,
    /// Two play.
    TwoPlayers,
    /// Three or more play.
    MorePlayers,
    /// Players do not see everything.
    Hidden,
    /// Chance takes part.
    Chance,
    /// Several players choose their moves at the same time.
    Simultaneous,
    /// It goes on in real time.
    RealTime,
    /// Random games usually have no more than [`GameTag::SHORT`] steps.
    Short,
    /// Between short and long.
    Medium,
    /// Random games usually have more than [`GameTag::MEDIUM`] steps.
    Long,
}

impl GameTag {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::OnePlayer,
        Self::TwoPlayers,
        Self::MorePlayers,
        Self::Hidden,
        Self::Chance,
        Self::Simultaneous,
        Self::RealTime,
        Self::Short,
        Self::Medium,
        Self::Long,
    ];
    /// The most steps of a short game.
    pub const SHORT: u32 = 20;
    /// The most steps of a game that is not long.
    pub const MEDIUM: u32 = 80;

    /// The name in addresses and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnePlayer => "one-player",
            Self::TwoPlayers => "two-players",
            Self::MorePlayers => "more-players",
            Self::Hidden => "hidden",
            Self::Chance => "chance",
            Self::Simultaneous => "simultaneous",
            Self::RealTime => "real-time",
            Self::Short => "short",
            Self::Medium => "medium",
            Self::Long => "long",
        }
    }

    /// The tag of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.name() == name)
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::OnePlayer => "one player",
            Self::TwoPlayers => "two players",
            Self::MorePlayers => "three players or more",
            Self::Hidden => "hidden information",
            Self::Chance => "chance",
            Self::Simultaneous => "simultaneous moves",
            Self::RealTime => "real time",
            Self::Short => "short",
            Self::Medium => "medium length",
            Self::Long => "long",
        }
    }
}

impl GameFeatures {
    /// Whether a tag stands for a game.
    pub fn has(&self, tag: GameTag) -> bool {
        let steps = |fits: fn(u32) -> bool| self.steps.is_some_and(fits);
        match tag {
            GameTag::OnePlayer => self.seats == 1,
            GameTag::TwoPlayers => self.seats == 2,
            GameTag::MorePlayers => self.seats > 2,
            GameTag::Hidden => self.hidden,
            GameTag::Chance => self.chance,
            GameTag::Simultaneous => self.simultaneous,
            GameTag::RealTime => self.real_time,
            GameTag::Short => steps(|steps| steps <= GameTag::SHORT),
            GameTag::Medium => steps(|steps| steps > GameTag::SHORT && steps <= GameTag::MEDIUM),
            GameTag::Long => steps(|steps| steps > GameTag::MEDIUM),
        }
    }

    /// All tags of a game, in order.
    pub fn tags(&self) -> impl Iterator<Item = GameTag> + use<> {
        let features = *self;
        GameTag::ALL.into_iter().filter(move |&tag| features.has(tag))
    }
}
