//! The tables of a store, whatever the database, row by row: to copy them, and to say whether two are the same.

use std::path::Path;

use super::Answer;

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Flag,
    Real,
    /// A text that may be as large as all else together.
    Document,
}

/// A value of a row. Flags are 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

/// The values of a row, in the order of the columns.
pub(super) type Cells = Vec<Cell>;

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Kind)],
    /// So many of the first columns tell rows apart; rows are told in their order.
    pub(super) key: usize,
    /// Whether the case of letters does not matter in the names of players in the key ([`PLAYER_NAMES`]).
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "columns of SQLite say it themselves"))]
    pub(super) folds: bool,
    /// So many rows are read or written at once.
    pub(super) batch: usize,
}

/// The columns with names of players, where a key has one.
#[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "columns of SQLite say it themselves"))]
pub(super) const PLAYER_NAMES: [&str; 2] = ["name", "player"];

/// The column of `game_versions` that says which version of its game came first, from 1. It is not kept as such.
pub(super) const PLACE: &str = "place";

impl Table {
    /// The names of the columns that are kept.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, &'static str, Kind)> {
        let columns = self.columns.iter().enumerate();
        columns.map(|(number, &(name, kind))| (number, name, kind)).filter(|(_, name, _)| *name != PLACE)
    }

    /// The names of all columns.
    pub(super) fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// The names of the columns of the key.
    pub(super) fn key_names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().take(self.key).map(|(name, _)| *name)
    }
}

/// A database of which the tables can be read and written as they are.
pub(super) trait Tables {
    /// Where it is.
    fn place(&self) -> &Path;

    /// How many rows a table has.
    fn count(&self, table: &Table) -> Answer<u64>;

    /// The first rows behind a key, as many as are read at once at most.
    fn rows(&self, table: &Table, behind: Option<&[Cell]>) -> Answer<Vec<Cells>>;

    /// Adds rows, all of them or none. A power cut may take them until the copy is complete.
    fn add(&self, table: &Table, rows: &[Cells]) -> Answer<()>;

    /// Notes that the copy is complete: from now on it is a store as any other.
    fn complete(&self) -> Answer<()>;
}

use Kind::{Document, Flag, Integer, Real, Text};

/// All tables, those before others that the others speak of.
pub(super) const TABLES: &[Table] = &[
    Table {
        name: "games",
        columns: &[
            ("name", Text),
            ("title", Text),
            ("description", Text),
            ("bundled", Flag),
            ("present", Text),
        ],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "game_versions",
        columns: &[
            ("game", Text),
            (PLACE, Integer),
            ("sha256", Text),
            ("dialect", Text),
            ("notation", Text),
            ("text", Text),
            ("added", Integer),
            ("offered", Flag),
        ],
        key: 2,
        folds: false,
        batch: 50,
    },
    Table {
        name: "descriptions",
        columns: &[("game", Text), ("sha256", Text), ("release", Text), ("description", Text)],
        key: 2,
        folds: false,
        batch: 100,
    },
    Table {
        name: "guides",
        columns: &[("game", Text), ("sha256", Text), ("release", Text), ("guide", Text)],
        key: 2,
        folds: false,
        batch: 100,
    },
    Table {
        name: "game_features",
        columns: &[
            ("game", Text),
            ("sha256", Text),
            ("seats", Integer),
            ("hidden", Flag),
            ("chance", Flag),
            ("simultaneous", Flag),
            ("real_time", Flag),
            ("steps", Integer),
            ("board", Flag),
        ],
        key: 2,
        folds: false,
        batch: 500,
    },
    Table {
        name: "players",
        columns: &[
            ("name", Text),
            ("kind", Text),
            ("registered", Integer),
            ("removed", Flag),
            ("availability", Text),
        ],
        key: 1,
        folds: true,
        batch: 500,
    },
    Table {
        name: "tournaments",
        columns: &[
            ("id", Text),
            ("title", Text),
            ("format", Text),
            ("plan", Text),
            ("stage", Text),
            ("players", Integer),
            ("games", Integer),
            ("created", Integer),
            ("ended", Integer),
        ],
        key: 1,
        folds: false,
        batch: 100,
    },
    Table {
        name: "tournament_events",
        columns: &[("tournament", Text), ("number", Integer), ("event", Text), ("is_result", Flag)],
        key: 2,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "matches",
        columns: &[
            ("id", Text),
            ("game", Text),
            ("version", Text),
            ("stage", Text),
            ("plan", Text),
            ("fixture", Text),
            ("tournament", Text),
            ("hidden", Flag),
            ("created", Integer),
            ("due", Integer),
            ("began", Integer),
            ("ended", Integer),
            ("steps", Integer),
            ("aborted", Text),
            ("resumptions", Integer),
            ("wanted_abort", Text),
            ("opening", Text),
        ],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "match_seats",
        columns: &[
            ("match", Text),
            ("seat", Integer),
            ("role", Text),
            ("player", Text),
            ("goal", Integer),
            ("reward", Real),
            ("late", Integer),
            ("illegal", Integer),
            ("failed", Integer),
            ("key", Text),
            ("taken", Flag),
        ],
        key: 2,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "entries",
        columns: &[("match", Text), ("number", Integer), ("entry", Text)],
        key: 2,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "rating_queue",
        columns: &[("match", Text), ("ended", Integer)],
        key: 1,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "rated_matches",
        columns: &[("number", Integer), ("match", Text), ("kind", Text), ("changes", Text)],
        key: 1,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "rating_position",
        columns: &[("id", Integer), ("number", Integer)],
        key: 1,
        folds: false,
        batch: 1,
    },
    Table {
        name: "ratings",
        columns: &[
            ("scope", Text),
            ("player", Text),
            ("rating", Real),
            ("deviation", Real),
            ("volatility", Real),
            ("low", Real),
            ("matches", Integer),
            ("last", Integer),
        ],
        key: 2,
        folds: true,
        batch: 1000,
    },
    Table {
        name: "rating_moments",
        columns: &[
            ("scope", Text),
            ("player", Text),
            ("matches", Integer),
            ("at", Integer),
            ("rating", Real),
            ("deviation", Real),
        ],
        key: 3,
        folds: true,
        batch: 1000,
    },
    Table {
        name: "records",
        columns: &[("match", Text), ("record", Document)],
        key: 1,
        folds: false,
        batch: 1,
    },
    Table {
        name: "accounts",
        columns: &[
            ("key", Text),
            ("name", Text),
            ("mail", Text),
            ("password", Text),
            ("role", Text),
            ("created", Integer),
            ("seen", Integer),
            ("banned", Integer),
            ("why", Text),
            ("deleted", Integer),
        ],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "account_sessions",
        columns: &[
            ("digest", Text),
            ("account", Text),
            ("created", Integer),
            ("used", Integer),
            ("expires", Integer),
            ("about", Text),
        ],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "account_links",
        columns: &[("digest", Text), ("account", Text), ("expires", Integer)],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "account_tokens",
        columns: &[
            ("digest", Text),
            ("account", Text),
            ("name", Text),
            ("scopes", Text),
            ("created", Integer),
            ("expires", Integer),
            ("used", Integer),
        ],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "owners",
        columns: &[("kind", Text), ("name", Text), ("account", Text)],
        key: 2,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "hidden_things",
        columns: &[("kind", Text), ("name", Text), ("at", Integer), ("who", Text), ("why", Text)],
        key: 2,
        folds: false,
        batch: 500,
    },
    Table {
        name: "audit",
        columns: &[
            ("number", Integer),
            ("at", Integer),
            ("who", Text),
            ("action", Text),
            ("what", Text),
            ("detail", Text),
        ],
        key: 1,
        folds: false,
        batch: 500,
    },
    Table {
        name: "account_usage",
        columns: &[("account", Text), ("day", Integer), ("what", Text), ("amount", Integer)],
        key: 3,
        folds: false,
        batch: 1000,
    },
    Table {
        name: "player_secrets",
        columns: &[("player", Text), ("secret", Text)],
        key: 1,
        folds: false,
        batch: 500,
    },
];
