//! Who shares a store, and who has what of it.

use super::{MatchRow, TournamentRow};

/// The number of a member: nobody else ever has it, so that whoever was taken for dead is told from who came after it
/// (a fencing number).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberNumber(pub u64);

impl std::fmt::Display for MemberNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What a member does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// It runs matches and has pages.
    Server,
    /// It works for servers.
    Worker,
}

impl MemberKind {
    /// As it is kept.
    pub fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Worker => "worker",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Server, Self::Worker].into_iter().find(|kind| kind.name() == name)
    }
}

/// Somebody who is to be a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// What it does.
    pub kind: MemberKind,
    /// What people call it; several may have one name.
    pub name: String,
    /// Where other members reach it over HTTP: `host:port`. Empty where they do not.
    pub address: String,
    /// Its release of Ludex.
    pub release: String,
}

/// A member of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub number: MemberNumber,
    /// What it said of itself.
    pub about: NewMember,
    /// When it came, in milliseconds since 1970.
    pub began: u64,
    /// How often it has renewed its lease.
    pub renewals: u64,
    /// Whether its lease has run out by the clock of the store.
    pub expired: bool,
}

/// What a member has taken over.
#[derive(Debug, Default)]
pub struct Claimed {
    /// Tournaments, oldest first.
    pub tournaments: Vec<TournamentRow>,
    /// Matches, those of these tournaments among them, oldest first.
    pub matches: Vec<MatchRow>,
}

/// How much nobody has that is not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unowned {
    /// Tournaments.
    pub tournaments: u64,
    /// Matches that go with no such tournament.
    pub matches: u64,
}

/// Who has a match or a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// It is over: nobody needs to.
    Over,
    /// Nobody at present.
    Nobody,
    /// This member, which others reach there.
    Member {
        /// Its number.
        number: MemberNumber,
        /// `host:port`; empty where nobody reaches it.
        address: String,
    },
}

/// A player that is at work in a match of another member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engagement {
    /// The player.
    pub player: String,
    /// The tournament of the match.
    pub tournament: Option<String>,
    /// Since when the match is under way, in milliseconds since 1970; none where it waits.
    pub began: Option<u64>,
}

/// Something of a kind has changed that all members look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharedNews {
    /// A game came, or another version of one.
    Games,
    /// A player was registered, changed or retired.
    Players,
    /// A match came, began, ended or lost its owner.
    Matches,
    /// The same of a tournament.
    Tournaments,
    /// A member came or went.
    Members,
}

impl SharedNews {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Games, Self::Players, Self::Matches, Self::Tournaments, Self::Members];

    /// The word that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Players => "players",
            Self::Matches => "matches",
            Self::Tournaments => "tournaments",
            Self::Members => "members",
        }
    }

    /// What a word stands for.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|news| news.name() == name)
    }
}
