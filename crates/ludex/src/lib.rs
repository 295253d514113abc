//! General game playing: the face of the Ludex libraries.
//!
//! Give it the rules of a game, written in the Game Description Language, and it checks them, runs
//! them and plays them. A [`Game`] is rules with an engine; a [`Position`] walks about in it; a
//! [`Match`] referees players ([`players`]), and a [`MatchRecord`] says how it went.
//!
//! ```
//! use ludex::players::{self, Resources};
//! use ludex::{Game, GameOptions, MatchSetup, Table};
//!
//! let game = Game::bundled("tic-tac-toe", &GameOptions::default())?;
//! let mut position = game.start();
//! position.play(&["(mark 2 2)", "noop"])?;
//! assert_eq!(position.legal(game.find_role("white").unwrap())?.len(), 1);
//!
//! let setup = MatchSetup { id: "first".into(), seed: 1, ..MatchSetup::default() };
//! let resources = |role| Resources::from_seed(setup.player_seed(role));
//! let players = game.seats().into_iter().map(|role| players::create("random", &resources(role)));
//! let players = players.collect::<Result<_, _>>()?;
//! let table = Table::new(&game, setup, players, None, Default::default())?;
//! let record = table.play()?.record();
//! assert!(record.is_completed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The face reads no files and no clock: texts, readers and clocks ([`SystemClock`]) are passed in.
//!
//! Features, all on by default: `analysis`, `learn`, `players` (which needs it), `native` (lanes as machine code), `xml`.
#![forbid(unsafe_code)]

mod clock;
mod engine;
mod face;
#[cfg(feature = "players")]
mod introductions;
#[cfg(all(feature = "learn", feature = "players"))]
pub mod learned;
pub mod library;

pub mod new_game;
mod playable;
pub mod rule_library;
mod sheet;
#[cfg(feature = "players")]
mod table;
mod timed_game;
#[cfg(feature = "players")]
mod timed_playouts;
#[cfg(feature = "players")]
mod timed_table;
#[cfg(feature = "players")]
pub mod tournament;
#[cfg(feature = "players")]
mod turn_based;

pub use clock::SystemClock;
pub use engine::{Engine, EngineChoice, UnknownEngine};
pub use face::{Game, GameOptions, LoadError, PlayoutOptions};
#[cfg(feature = "players")]
pub use introductions::{introduction_of, introductions};
pub use ludex_game::{MoveError, Position, Rules, Successor, TextError};
pub use ludex_match::{
    AnyRecord, Fault, Match, MatchMismatch, MatchRecord, MatchReport, MatchSetup, MatchStatus, MatchStep,
    MoveNote, MoveReport, RatedMove, RecordContradiction, RecordError, Reply, TimedRecord, TimedRecordTerms,
    check_shape, replay_match, verify_match, verify_timed_match,
};
pub use playable::{Playable, PlayableError};
pub use sheet::{SheetError, TrueSheet};
#[cfg(feature = "players")]
pub use table::{Table, TableError};
pub use timed_game::{TimedLoadError, timed_rules};
#[cfg(feature = "players")]
pub use timed_playouts::record_timed_playouts;
#[cfg(feature = "players")]
pub use timed_table::{TimedRefusal, TimedResult, TimedScene, TimedTable, TimedTableOptions, TimedThought};
#[cfg(feature = "players")]
pub use turn_based::{TurnBasedPlayer, create_timed_player};

#[cfg(feature = "analysis")]
pub use ludex_analysis as analysis;
pub use ludex_engine as engines;
#[cfg(feature = "learn")]
pub use ludex_explore as explore;
pub use ludex_game as game;
pub use ludex_gdl as gdl;
#[cfg(feature = "learn")]
pub use ludex_learn as learn;
pub use ludex_logic as logic;
pub use ludex_match as matches;
#[cfg(feature = "players")]
pub use ludex_players as players;
pub use ludex_propnet as propnet;

/// The examples of the book are tests, too.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/library.md")]
struct Book;

/// The strategy of the book is compiled and plays.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/strategy.md")]
struct StrategyOfOnesOwn;
