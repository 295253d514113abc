//! The file.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex::game::Goal;
use ludex::gdl::GameProgram;
use ludex::logic::Budget;
use ludex::players::{PastMatch, TrainedEvaluation};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rusqlite_migration::{Error as MigrationError, MigrationDefinitionError};

use crate::error::MemoryError;
use crate::game::{KnownGame, shape};
use crate::overview::{self, Overview};
use crate::schema::{APPLICATION, VERSION, migrations};
use crate::searches::{self, Place, SearchedMove};

/// How long others that write are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// What players remember, in a file. Several threads and processes may use one file at once: each thing is written in a
/// transaction of its own that is on the disk when it is over, so that nothing is ever half there.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ludex_memory::Memory;
///
/// let folder = tempfile::tempdir()?;
/// let memory = Memory::open(folder.path().join("memory.db"))?;
/// assert_eq!(memory.overview()?.games.len(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// What is to be remembered of a match.
#[derive(Clone, Debug, Default)]
pub struct MatchNote {
    /// The name of who remembers it.
    pub player: String,
    /// Its role, by its number in the seat's game.
    pub role: usize,
    /// Whether it came to a terminal state.
    pub completed: bool,
    /// The joint moves, in the words of the memory and the order of its roles ([`RememberingPlayer`](crate::RememberingPlayer)
    /// makes them).
    pub moves: Vec<Vec<String>>,
    /// Who played each role of the seat's game.
    pub players: Vec<Option<String>>,
    /// What it brought to each role of the seat's game.
    pub goals: Vec<Option<Goal>>,
    /// What searches found.
    pub searches: Vec<(Place, Vec<SearchedMove>)>,
    /// What was learned of what states are worth.
    pub evaluation: Option<TrainedEvaluation>,
}

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All of a game, by its name or number.
    Game(String),
    /// All matches with an opponent.
    Opponent(String),
    /// Everything.
    All,
}

/// What was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Games.
    pub games: usize,
    /// Matches.
    pub matches: usize,
}

impl Memory {
    /// The memory in a file, which is made where there is none.
    ///
    /// # Errors
    /// [`MemoryError`]: it is something else, a newer version wrote it, or it cannot be read and written.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, MemoryError> {
        let path = path.into();
        // Who plays against whom is nobody else's business.
        let made = private().create_new(true).open(&path);
        if let Err(cause) = made
            && cause.kind() != ErrorKind::AlreadyExists
        {
            return Err(MemoryError::Write { path, cause: cause.to_string() });
        }
        Self::open_existing(path)
    }

    /// The memory in a file that is there.
    ///
    /// # Errors
    /// As [`Memory::open`], and [`MemoryError::Missing`].
    pub fn open_existing(path: impl Into<PathBuf>) -> Result<Self, MemoryError> {
        let path = path.into();
        if !path.is_file() {
            return Err(match path.exists() {
                true => MemoryError::Other { path },
                false => MemoryError::Missing { path },
            });
        }
        let connection = connect(&path)?;
        Ok(Self { path, connection: Mutex::new(connection) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The game of these rules, under whatever names it was met before; it is remembered from now on.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn game(&self, program: &Arc<GameProgram>, budget: &Budget) -> Result<KnownGame, MemoryError> {
        let (source, language) = (&program.source, program.dialect.to_string());
        let shape = shape(program);
        let known = self.read(|connection| {
            let exact = "SELECT id FROM games WHERE rulesheet = ?1 AND language = ?2";
            let exact = connection
                .query_row(exact, params![source.text(), language], |row| row.get::<_, i64>(0))
                .optional()?;
            let mut statement =
                connection.prepare_cached("SELECT id, language, rulesheet FROM games WHERE shape = ?1")?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let alike: Vec<(i64, String, String)> = match exact {
                Some(_) => Vec::new(),
                None => statement.query_map([&shape], row)?.collect::<Result<_, _>>()?,
            };
            Ok((exact, alike))
        })?;
        if let Some(id) = known.0 {
            return Ok(KnownGame::same(id, program));
        }
        let same = |(id, language, rulesheet): &(i64, String, String)| {
            KnownGame::under_other_names(*id, program, (language, rulesheet), budget)
        };
        if let Some(known) = known.1.iter().find_map(same) {
            return Ok(known);
        }
        // Somebody else may have met it meanwhile.
        let id = self.write(|connection| {
            connection.execute(
                "INSERT INTO games (shape, name, language, rulesheet) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
                params![shape, short_name(source.name()), language, source.text()],
            )?;
            connection.query_row(
                "SELECT id FROM games WHERE rulesheet = ?1 AND language = ?2",
                params![source.text(), language],
                |row| row.get(0),
            )
        })?;
        Ok(KnownGame::same(id, program))
    }

    /// What was learned of what states of a game are worth.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn evaluations(&self, game: &KnownGame) -> Result<Vec<Arc<TrainedEvaluation>>, MemoryError> {
        let texts: Vec<String> = self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT evaluation FROM evaluations WHERE game = ?1 ORDER BY games DESC")?;
            statement.query_map([game.id], |row| row.get(0))?.collect()
        })?;
        // What another version wrote in another form is learned again.
        Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok().map(Arc::new)).collect())
    }

    /// The last matches of a game in which one of these players sat at the table, oldest first, in the words of the seat.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn past(
        &self,
        game: &KnownGame,
        opponents: &[String],
        most: usize,
    ) -> Result<Vec<PastMatch>, MemoryError> {
        let found = self.read(|connection| {
            let mut matches = connection.prepare_cached(
                "SELECT id, moves FROM matches WHERE game = ?1 AND EXISTS (
                     SELECT 1 FROM match_players WHERE match = matches.id AND role != matches.role
                     AND name IN (SELECT value FROM json_each(?2)))
                 ORDER BY id DESC LIMIT ?3",
            )?;
            let mut players = connection
                .prepare_cached("SELECT name, goal FROM match_players WHERE match = ?1 ORDER BY role")?;
            let opponents = serde_json::json!(opponents).to_string();
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
            let rows = matches.query_map(params![game.id, opponents, most as i64], row)?;
            let mut found = Vec::new();
            for row in rows {
                let (id, moves) = row?;
                let player = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                let seated: Vec<(Option<String>, Option<Goal>)> =
                    players.query_map([id], player)?.collect::<Result<_, _>>()?;
                found.push((moves, seated));
            }
            Ok(found)
        })?;
        let past = |(moves, seated): (String, Vec<(Option<String>, Option<Goal>)>)| {
            let moves: Vec<Vec<String>> = serde_json::from_str(&moves).ok()?;
            let joint = |joint: Vec<String>| -> Option<Vec<String>> {
                game.roles_here(&joint)?.iter().map(|text| game.text_here(text)).collect()
            };
            let (players, goals): (Vec<_>, Vec<_>) = game.roles_here(&seated)?.into_iter().unzip();
            Some(PastMatch { players, goals, moves: moves.into_iter().map(joint).collect::<Option<_>>()? })
        };
        let mut past: Vec<PastMatch> = found.into_iter().filter_map(past).collect();
        past.reverse();
        Ok(past)
    }

    /// What searches of a place found before.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn searched(&self, game: &KnownGame, place: &Place) -> Result<Vec<SearchedMove>, MemoryError> {
        self.read(|connection| searches::read(connection, game.id, place))
    }

    /// Remembers a match and all that was found out in it: all of it or nothing. What was learned is kept where it was
    /// learned from as many games as what is there, or more.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn add_match(&self, game: &KnownGame, note: &MatchNote) -> Result<(), MemoryError> {
        let texts = |cause: serde_json::Error| MemoryError::Write {
            path: self.path.clone(),
            cause: cause.to_string(),
        };
        let moves = serde_json::to_string(&note.moves).map_err(texts)?;
        let learned = note.evaluation.as_ref().map(serde_json::to_string).transpose().map_err(texts)?;
        self.write(|connection| {
            connection.execute(
                "INSERT INTO matches (game, player, role, completed, moves) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![game.id, note.player, game.role_there(note.role) as i64, note.completed, moves],
            )?;
            let id = connection.last_insert_rowid();
            for role in 0..game.role_count() {
                let name = note.players.get(role).cloned().flatten();
                let goal = note.goals.get(role).copied().flatten();
                connection.execute(
                    "INSERT INTO match_players (match, role, name, goal) VALUES (?1, ?2, ?3, ?4)",
                    params![id, game.role_there(role) as i64, name, goal],
                )?;
            }
            for (place, found) in &note.searches {
                searches::add(connection, game.id, place, found)?;
            }
            if let (Some(evaluation), Some(text)) = (&note.evaluation, &learned) {
                connection.execute(
                    "INSERT INTO evaluations (game, objective, games, evaluation) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT DO UPDATE SET games = excluded.games, evaluation = excluded.evaluation,
                         changed = unixepoch()
                     WHERE excluded.games >= games",
                    params![game.id, evaluation.objective(), count(evaluation.games()), text],
                )?;
            }
            Ok(())
        })
    }

    /// What is remembered, for people and programs.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn overview(&self) -> Result<Overview, MemoryError> {
        self.read(overview::read)
    }

    /// Forgets, for good: what is forgotten is not in the file any more.
    ///
    /// # Errors
    /// [`MemoryError::Unknown`] where there is no such game or opponent, and as all else.
    pub fn forget(&self, subject: &Subject) -> Result<Forgotten, MemoryError> {
        let forgotten = self.write(|connection| forget(connection, subject))?;
        let unknown = |what, name: &String| MemoryError::Unknown { what, name: name.clone() };
        match subject {
            Subject::Game(name) if forgotten.games == 0 => return Err(unknown("the game", name)),
            Subject::Opponent(name) if forgotten.matches == 0 => return Err(unknown("the opponent", name)),
            _ => {}
        }
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let emptied = connection
            .execute_batch("VACUUM")
            .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        emptied.map_err(|error| MemoryError::of(&error, &self.path))?;
        Ok(forgotten)
    }

    fn read<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, MemoryError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        question(&connection).map_err(|error| MemoryError::of(&error, &self.path))
    }

    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, MemoryError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = (|| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let answer = work(&transaction)?;
            transaction.commit()?;
            Ok(answer)
        })();
        done.map_err(|error| MemoryError::of(&error, &self.path))
    }
}

/// How files are made that nobody else can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A number as the database keeps it.
fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The name of a rulesheet without its folder and ending.
fn short_name(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(short, _)| short)
}

fn connect(path: &Path) -> Result<Connection, MemoryError> {
    let told = |error: &rusqlite::Error| MemoryError::of(error, path);
    let opened = (|| {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        let number = |connection: &Connection, name| {
            connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        if tables > 0 && number(&connection, "application_id")? != APPLICATION {
            return Ok(Err(MemoryError::Other { path: path.to_owned() }));
        }
        let found = number(&connection, "user_version")?;
        if found > VERSION {
            return Ok(Err(MemoryError::Newer { path: path.to_owned(), found, known: VERSION }));
        }
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        // Each transaction is on the disk when it is over.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What is deleted is overwritten.
        connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
        if found < VERSION {
            // Two processes may find the same old tables: the second one waits, and finds the new ones.
            connection.pragma_update(None, "application_id", APPLICATION)?;
            match migrations().to_latest(&mut connection) {
                Ok(()) => {}
                Err(MigrationError::RusqliteError { err, .. }) => {
                    if number(&connection, "user_version")? != VERSION {
                        return Err(err);
                    }
                }
                Err(MigrationError::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead)) => {
                    let found = number(&connection, "user_version")?;
                    return Ok(Err(MemoryError::Newer { path: path.to_owned(), found, known: VERSION }));
                }
                Err(error) => {
                    return Ok(Err(MemoryError::Read { path: path.to_owned(), cause: error.to_string() }));
                }
            }
        }
        Ok(Ok(connection))
    })();
    opened.map_err(|error| told(&error))?
}

fn forget(connection: &Connection, subject: &Subject) -> rusqlite::Result<Forgotten> {
    let matches_of = |condition: &str, name: &str| {
        let question = format!("SELECT count(*) FROM matches WHERE {condition}");
        connection.query_row(&question, [name], |row| row.get::<_, i64>(0)).map(|found| found as usize)
    };
    match subject {
        Subject::Game(name) => {
            let games = "SELECT id FROM games WHERE name = ?1 OR CAST(id AS TEXT) = ?1";
            let matches = matches_of(&format!("game IN ({games})"), name)?;
            let games = connection.execute(&format!("DELETE FROM games WHERE id IN ({games})"), [name])?;
            Ok(Forgotten { games, matches })
        }
        Subject::Opponent(name) => {
            let with = "id IN (SELECT match FROM match_players p WHERE p.name = ?1
                               AND p.role != (SELECT role FROM matches m WHERE m.id = p.match))";
            let matches = connection.execute(&format!("DELETE FROM matches WHERE {with}"), [name])?;
            Ok(Forgotten { games: 0, matches })
        }
        Subject::All => {
            let matches = connection.execute("DELETE FROM matches", [])?;
            let games = connection.execute("DELETE FROM games", [])?;
            Ok(Forgotten { games, matches })
        }
    }
}
