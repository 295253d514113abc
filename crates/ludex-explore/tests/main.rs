//! Players without rules in bundled games.

mod players;
