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
use crate::game::{KnownGame, NoTime, name, shape};
use crate::overview::{self, Overview};
use crate::schema::{APPLICATION, VERSION, migrations};
use crate::searches::{self, Place, SearchedMove};

/// How long others that write are waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long who reads waits, which others that write do not keep from it.
const READING_PATIENCE: Duration = Duration::from_millis(100);
/// So many of the last matches of an opponent and a game are kept.
const KEPT: usize = 500;

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
    writer: Mutex<Connection>,
    /// Apart, so that nobody who chooses a move waits for somebody who writes.
    reader: Mutex<Connection>,
    kept: usize,
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

/// Who sat where in a match, and what it brought them.
type SeatedThen = Vec<(Option<String>, Option<Goal>)>;

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All of a game, by its number, or by its name if no other game has that.
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
    /// Whether it is overwritten in the file. Where others use that, it is not there any more for anybody, but its bytes
    /// are until something is forgotten while nobody else uses the file.
    pub overwritten: bool,
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
        let writer = Mutex::new(connect(&path, PATIENCE)?);
        let reader = Mutex::new(connect(&path, READING_PATIENCE)?);
        Ok(Self { path, writer, reader, kept: KEPT })
    }

    /// The same that keeps so many of the last matches of an opponent and a game, usually 500; older ones go when another
    /// one is added.
    #[must_use]
    pub fn keeping(self, matches: usize) -> Self {
        Self { kept: matches.max(1), ..self }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The game of these rules, under whatever names it was met before, or as one of which nothing is remembered yet.
    ///
    /// # Errors
    /// [`MemoryError::Undecided`] where there was no time to find out, and as all else.
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
        let (exact, alike) = known;
        if exact.is_some() {
            return Ok(KnownGame::same(exact, program));
        }
        // A game that may be one of those that are remembered must not become another one: that would split its memory.
        let mut is_undecided = false;
        for (id, language, rulesheet) in &alike {
            match KnownGame::under_other_names(*id, program, (language, rulesheet), budget) {
                Ok(Some(known)) => return Ok(known),
                Ok(None) => {}
                Err(NoTime) => is_undecided = true,
            }
        }
        if is_undecided {
            return Err(MemoryError::Undecided { path: self.path.clone() });
        }
        Ok(KnownGame::same(None, program))
    }

    /// What was learned of what states of a game are worth.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn evaluations(&self, game: &KnownGame) -> Result<Vec<Arc<TrainedEvaluation>>, MemoryError> {
        let texts: Vec<String> = self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT evaluation FROM evaluations WHERE game = ?1 ORDER BY games DESC")?;
            let Some(id) = number(connection, game)? else { return Ok(Vec::new()) };
            statement.query_map([id], |row| row.get(0))?.collect()
        })?;
        // What another version wrote in another form is learned again.
        Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok().map(Arc::new)).collect())
    }

    /// The last matches of a game in which one of these players sat at the table, oldest first, in the words of the seat:
    /// so many at most, and no older ones than there is time for.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn past(
        &self,
        game: &KnownGame,
        opponents: &[String],
        most: usize,
        budget: &Budget,
    ) -> Result<Vec<PastMatch>, MemoryError> {
        let mut meter = budget.meter();
        let found = self.read(|connection| {
            let Some(number) = number(connection, game)? else { return Ok(Vec::new()) };
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
            let rows = matches.query_map(params![number, opponents, most as i64], row)?;
            let mut found = Vec::new();
            for row in rows {
                if meter.check().is_err() {
                    break;
                }
                let (id, moves) = row?;
                let player = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                let seated: SeatedThen = players.query_map([id], player)?.collect::<Result<_, _>>()?;
                found.push((moves, seated));
            }
            Ok(found)
        })?;
        let past = |(moves, seated): (String, SeatedThen)| {
            let moves: Vec<Vec<String>> = serde_json::from_str(&moves).ok()?;
            let joint = |joint: Vec<String>| -> Option<Vec<String>> {
                game.roles_here(&joint)?.iter().map(|text| game.text_here(text)).collect()
            };
            let (players, goals): (Vec<_>, Vec<_>) = game.roles_here(&seated)?.into_iter().unzip();
            Some(PastMatch { players, goals, moves: moves.into_iter().map(joint).collect::<Option<_>>()? })
        };
        let in_time = found.into_iter().take_while(|_| meter.check().is_ok());
        let mut past: Vec<PastMatch> = in_time.filter_map(past).collect();
        past.reverse();
        Ok(past)
    }

    /// What searches of a place found before.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn searched(&self, game: &KnownGame, place: &Place) -> Result<Vec<SearchedMove>, MemoryError> {
        self.read(|connection| match number(connection, game)? {
            Some(number) => searches::read(connection, number, place),
            None => Ok(Vec::new()),
        })
    }

    /// Remembers a match and all that was found out in it: all of it or nothing. What was learned is kept where it was
    /// learned from as many games as what is there, or more. Where there are more matches of an opponent than are kept,
    /// the oldest ones go.
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
            let number = number_or_new(connection, game)?;
            connection.execute(
                "INSERT INTO matches (game, player, role, completed, moves) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![number, note.player, game.role_there(note.role) as i64, note.completed, moves],
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
                searches::add(connection, number, place, found)?;
            }
            if let (Some(evaluation), Some(text)) = (&note.evaluation, &learned) {
                connection.execute(
                    "INSERT INTO evaluations (game, objective, games, evaluation) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT DO UPDATE SET games = excluded.games, evaluation = excluded.evaluation,
                         changed = unixepoch()
                     WHERE excluded.games >= games",
                    params![number, evaluation.objective(), count(evaluation.games()), text],
                )?;
            }
            let others = note.players.iter().enumerate().filter(|&(role, _)| role != note.role);
            let opponents: Vec<&String> = others.filter_map(|(_, name)| name.as_ref()).collect();
            prune(connection, number, &opponents, self.kept)
        })
    }

    /// What is remembered, for people and programs.
    ///
    /// # Errors
    /// [`MemoryError`].
    pub fn overview(&self) -> Result<Overview, MemoryError> {
        self.read(overview::read)
    }

    /// Forgets, for good: what is forgotten is not in the file any more, as soon as nobody else uses that.
    ///
    /// # Errors
    /// [`MemoryError::Unknown`] where there is no such game or opponent, [`MemoryError::Ambiguous`] where several games have
    /// that name, and as all else.
    pub fn forget(&self, subject: &Subject) -> Result<Forgotten, MemoryError> {
        let forgotten = self.write(|connection| forget(connection, subject))?;
        let forgotten = match (forgotten, subject) {
            (Err(found), Subject::Game(name)) => {
                return Err(MemoryError::Ambiguous { name: name.clone(), found });
            }
            (forgotten, _) => forgotten.unwrap_or_default(),
        };
        let unknown = |what, name: &String| MemoryError::Unknown { what, name: name.clone() };
        match subject {
            Subject::Game(name) if forgotten.games == 0 => return Err(unknown("the game", name)),
            Subject::Opponent(name) if forgotten.matches == 0 => return Err(unknown("the opponent", name)),
            _ => {}
        }
        let connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody finds it any more by now: that it cannot be overwritten yet does not undo that.
        let emptied = connection.execute_batch("VACUUM").and_then(|()| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>("busy"))
        });
        let overwritten = emptied.is_ok_and(|busy| busy == 0);
        Ok(Forgotten { overwritten, ..forgotten })
    }

    fn read<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, MemoryError> {
        let connection = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        question(&connection).map_err(|error| MemoryError::of(&error, &self.path))
    }

    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, MemoryError> {
        let mut connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
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

/// The number of a game, if anything is remembered of it: somebody may have added it since it was looked for.
fn number(connection: &Connection, game: &KnownGame) -> rusqlite::Result<Option<i64>> {
    if game.id.is_some() {
        return Ok(game.id);
    }
    let program = game.program();
    let key = params![program.source.text(), program.dialect.to_string()];
    let question = "SELECT id FROM games WHERE rulesheet = ?1 AND language = ?2";
    connection.query_row(question, key, |row| row.get(0)).optional()
}

/// The number of a game of which something is to be remembered.
fn number_or_new(connection: &Connection, game: &KnownGame) -> rusqlite::Result<i64> {
    if let Some(number) = number(connection, game)? {
        return Ok(number);
    }
    let program = game.program();
    connection.execute(
        "INSERT INTO games (shape, name, language, rulesheet) VALUES (?1, ?2, ?3, ?4)",
        params![shape(program), name(program), program.dialect.to_string(), program.source.text()],
    )?;
    Ok(connection.last_insert_rowid())
}

/// Lets the matches of a game go that are older than so many with each of these opponents, or with nobody who is known.
fn prune(connection: &Connection, game: i64, opponents: &[&String], kept: usize) -> rusqlite::Result<()> {
    let known = "(SELECT 1 FROM match_players p WHERE p.match = m.id AND p.role != m.role AND p.name";
    let older = |condition: &str| {
        format!(
            "DELETE FROM matches WHERE id IN (SELECT id FROM matches m WHERE m.game = ?1 AND {condition}
             ORDER BY m.id DESC LIMIT -1 OFFSET ?2)"
        )
    };
    let kept = i64::try_from(kept).unwrap_or(i64::MAX);
    if opponents.is_empty() {
        connection.execute(&older(&format!("NOT EXISTS {known} IS NOT NULL)")), params![game, kept])?;
    }
    for name in opponents {
        connection.execute(&older(&format!("EXISTS {known} = ?3)")), params![game, kept, name])?;
    }
    Ok(())
}

fn connect(path: &Path, patience: Duration) -> Result<Connection, MemoryError> {
    let told = |error: &rusqlite::Error| MemoryError::of(error, path);
    let opened = (|| {
        let mut connection = Connection::open(path)?;
        // What must be made or brought up to date first is waited for in any case.
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
        connection.busy_timeout(patience)?;
        Ok(Ok(connection))
    })();
    opened.map_err(|error| told(&error))?
}

/// Forgets; the numbers of several games that have the same name.
fn forget(connection: &Connection, subject: &Subject) -> rusqlite::Result<Result<Forgotten, Vec<i64>>> {
    match subject {
        Subject::Game(name) => {
            let find = |condition: &str| -> rusqlite::Result<Vec<i64>> {
                let question = format!("SELECT id FROM games WHERE {condition} ORDER BY id");
                connection.prepare(&question)?.query_map([name], |row| row.get(0))?.collect()
            };
            let mut found = find("CAST(id AS TEXT) = ?1")?;
            if found.is_empty() {
                found = find("name = ?1")?;
            }
            let [game] = found[..] else {
                return Ok(if found.is_empty() { Ok(Forgotten::default()) } else { Err(found) });
            };
            let question = "SELECT count(*) FROM matches WHERE game = ?1";
            let matches = connection.query_row(question, [game], |row| row.get::<_, i64>(0))? as usize;
            let games = connection.execute("DELETE FROM games WHERE id = ?1", [game])?;
            Ok(Ok(Forgotten { games, matches, overwritten: false }))
        }
        Subject::Opponent(name) => {
            let with = "id IN (SELECT match FROM match_players p WHERE p.name = ?1
                               AND p.role != (SELECT role FROM matches m WHERE m.id = p.match))";
            let matches = connection.execute(&format!("DELETE FROM matches WHERE {with}"), [name])?;
            Ok(Ok(Forgotten { games: 0, matches, overwritten: false }))
        }
        Subject::All => {
            let matches = connection.execute("DELETE FROM matches", [])?;
            let games = connection.execute("DELETE FROM games", [])?;
            Ok(Ok(Forgotten { games, matches, overwritten: false }))
        }
    }
}
