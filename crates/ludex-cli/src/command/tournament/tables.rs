//! The matches of a tournament as Parquet tables in a folder.
//!
//! A Parquet file is complete only when it is closed, and a tournament may be stopped at any time. So each record is a
//! line of `unfinished.jsonl` as soon as its match is over, and when the command ends, the tables are made of these
//! lines. Where it did not come to that, the next command takes the lines up; where it did, it takes up the table.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ludex::tournament::{MatchResult, PlayerStanding, RankedPlayer};
use ludex::{AnyRecord, MatchRecord, TimedRecord};

use crate::failure::{Failure, say};
use crate::input::MEMORY_PER_RECORD;
use crate::limits::Limits;
use crate::parquet::{self, Cell, PLAYERS, RECORDS, SEATS, STEPS, Table, TableWriter};
use crate::rulesheet::reason;

/// The records of the matches that are not in the tables yet, one on each line.
const UNFINISHED: &str = "unfinished.jsonl";

/// The folder, while matches are played.
pub struct TableFolder {
    folder: PathBuf,
    unfinished: File,
    /// The line that has the record of a match, from 0. A match that was played again has an older one, too.
    lines: HashMap<String, usize>,
    count: usize,
    /// So many bytes a record has at most.
    longest: u64,
}

impl TableFolder {
    /// A folder in which no tournament is yet.
    ///
    /// # Errors
    /// There is one, or it cannot be made.
    pub fn create(folder: &Path, limits: &Limits) -> Result<Self, Failure> {
        // An empty file is of a command that came to nothing.
        let is_there = |file: &&&str| folder.join(file).metadata().is_ok_and(|about| about.len() > 0);
        if let Some(there) = [UNFINISHED, RECORDS.file].iter().find(is_there) {
            return Err(Failure::input(format!(
                "there is a file `{}` already",
                folder.join(there).display()
            ))
            .hint("`--resume FILE` goes on with the tournament in it; another folder takes another one"));
        }
        Self::open(folder, limits)
    }

    /// A folder with matches of this tournament, if there are any, with these results.
    ///
    /// # Errors
    /// It has matches, but none of these, or cannot be read.
    pub fn resume<'r>(
        folder: &Path,
        results: impl Iterator<Item = &'r MatchResult>,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let results: Vec<&MatchResult> = results.collect();
        let wanted: HashSet<String> = results.iter().map(|result| match_name(result)).collect();
        let mut begun = Self::open(folder, limits)?;
        begun.take_up_lines()?;
        let others = begun.take_up_table(&wanted, limits)?;
        begun.keep(&results, others)?;
        Ok(begun)
    }

    fn open(folder: &Path, limits: &Limits) -> Result<Self, Failure> {
        parquet::available()?;
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::input(format!("cannot make the folder `{}`: {}", folder.display(), reason(&e)))
        })?;
        let path = folder.join(UNFINISHED);
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let unfinished = opened.map_err(|error| cannot_write(&path, &error))?;
        let longest = (limits.budget().memory() / MEMORY_PER_RECORD) as u64;
        Ok(Self { folder: folder.to_owned(), unfinished, lines: HashMap::new(), count: 0, longest })
    }

    /// Takes up the lines that are there. What comes after the last line end was being written when the command was
    /// stopped, and is cut off.
    fn take_up_lines(&mut self) -> Result<(), Failure> {
        let path = self.folder.join(UNFINISHED);
        let (mut lines, mut whole) = (self.read_lines()?, 0u64);
        while let Some(line) = lines.next()? {
            if !line.ends_with('\n') {
                break;
            }
            whole += line.len() as u64;
            let record = AnyRecord::read(&line).map_err(|error| {
                Failure::input(format!("`{}`, line {}: {error}", path.display(), self.count + 1))
            })?;
            self.note(name(&record));
        }
        self.unfinished.set_len(whole).map_err(|error| cannot_write(&path, &error))
    }

    /// Takes up the matches of the table that are wanted and have no line; gives how many are not wanted.
    fn take_up_table(&mut self, wanted: &HashSet<String>, limits: &Limits) -> Result<usize, Failure> {
        let path = self.folder.join(RECORDS.file);
        if !path.exists() {
            return Ok(0);
        }
        let mut others = 0;
        for row in parquet::read_records(&path.to_string_lossy(), limits)? {
            let row = row?;
            if !wanted.contains(&row.name) {
                others += 1;
            } else if !self.lines.contains_key(&row.name) {
                self.add(&row.record)?;
            }
        }
        Ok(others)
    }

    /// Keeps the matches with these results. One without was over, but not yet told so, when the command was stopped,
    /// or is no match of the tournament as it is now.
    fn keep(&mut self, results: &[&MatchResult], others: usize) -> Result<(), Failure> {
        let (mut found, mut missing) = (HashMap::new(), 0usize);
        let before = self.lines.len() + others;
        for result in results {
            let name = match_name(result);
            match self.lines.remove_entry(&name) {
                Some((name, line)) => drop(found.insert(name, line)),
                // A match that could not begin has no record.
                None if result.aborted.is_some() && result.steps == 0 => {}
                None => missing += 1,
            }
        }
        // The one that was over but not told so may be alone.
        if before > 1 && found.is_empty() {
            if self.count == 0 {
                // Nothing is left where nothing was.
                let _ = std::fs::remove_file(self.folder.join(UNFINISHED));
            }
            return Err(Failure::input(format!(
                "the matches in `{}` are of another tournament",
                self.folder.display()
            ))
            .hint("another folder takes this one"));
        }
        self.lines = found;
        if missing > 0 {
            let plural = if missing == 1 { "match that was" } else { "matches that were" };
            say(&format!(
                "the tables in `{}` are without {missing} {plural} played before: there is no record",
                self.folder.display()
            ));
        }
        Ok(())
    }

    /// Keeps the record of a match; it is in a file when this comes back.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, record: &str) -> Result<(), Failure> {
        let path = self.folder.join(UNFINISHED);
        let read = AnyRecord::read(record)
            .map_err(|error| Failure::input(format!("`{}`: {error}", self.folder.display())))?;
        // One call for one line, so that a line is there as a whole or not at all.
        let written = self.unfinished.write_all(format!("{record}\n").as_bytes());
        written.map_err(|error| cannot_write(&path, &error))?;
        self.note(name(&read));
        Ok(())
    }

    fn note(&mut self, name: &str) {
        self.lines.insert(name.to_owned(), self.count);
        self.count += 1;
    }

    fn read_lines(&self) -> Result<Lines, Failure> {
        let path = self.folder.join(UNFINISHED);
        let opened = File::open(&path).and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
        let file = opened.map_err(|error| cannot_read(&path, &error))?;
        Ok(Lines { path, file: BufReader::new(file), longest: self.longest })
    }

    /// Writes the tables, and has no more use for the lines.
    ///
    /// # Errors
    /// They cannot be written; the lines are there then as before.
    pub fn finish(self, players: &[PlayerStanding], ranking: Option<&[RankedPlayer]>) -> Result<(), Failure> {
        let create = |table: &'static Table| TableWriter::create(&self.folder.join(table.file), table);
        let (mut records, mut seats, mut steps) = (create(&RECORDS)?, create(&SEATS)?, create(&STEPS)?);
        let (mut lines, mut number) = (self.read_lines()?, 0);
        while let Some(line) = lines.next()? {
            let text = line.trim_end();
            let record = AnyRecord::read(text)
                .map_err(|error| Failure::input(format!("`{}`: {error}", lines.path.display())))?;
            if self.lines.get(name(&record)) == Some(&number) {
                let rows = MatchRows::of(&record);
                records.push(rows.record(text))?;
                rows.seats().try_for_each(|row| seats.push(row))?;
                rows.steps().try_for_each(|row| steps.push(row))?;
            }
            number += 1;
        }
        let mut standings = create(&PLAYERS)?;
        player_rows(players, ranking).try_for_each(|row| standings.push(row))?;
        // The table of records comes last: as long as it is not there, the lines are.
        let written = [seats.close()?, steps.close()?, standings.close()?, records.close()?];
        written.into_iter().try_for_each(|table| table.publish())?;
        let path = self.folder.join(UNFINISHED);
        std::fs::remove_file(&path).map_err(|error| cannot_write(&path, &error))
    }
}

/// The lines of a file, none of them too long.
struct Lines {
    path: PathBuf,
    file: BufReader<File>,
    longest: u64,
}

impl Lines {
    fn next(&mut self) -> Result<Option<String>, Failure> {
        let mut line = String::new();
        let read = (&mut self.file).take(self.longest).read_line(&mut line);
        let bytes = read.map_err(|error| cannot_read(&self.path, &error))?;
        if bytes as u64 == self.longest && !line.ends_with('\n') {
            return Err(Failure::input(format!("`{}` has too long a line", self.path.display()))
                .hint("`--max-memory` allows more, such as `--max-memory 8G`"));
        }
        Ok((bytes > 0).then_some(line))
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("cannot write `{}`: {}", path.display(), reason(error)))
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("cannot read `{}`: {}", path.display(), reason(error)))
}

fn name(record: &AnyRecord) -> &str {
    match record {
        AnyRecord::InSteps(record) => &record.match_id,
        AnyRecord::InTime(record) => &record.match_id,
    }
}

/// The name that the record of a match has.
fn match_name(result: &MatchResult) -> String {
    format!("{}.{}.{}", result.game, result.round, result.seed)
}

/// What the tables have of a match.
struct MatchRows<'r> {
    name: &'r str,
    game: &'r str,
    sha256: &'r str,
    seed: Option<u64>,
    completed: bool,
    roles: &'r [String],
    players: &'r [String],
    goals: &'r [Option<u32>],
    moves: Moves<'r>,
}

/// Where the moves of a match are.
enum Moves<'r> {
    InSteps(&'r MatchRecord),
    InTime(&'r TimedRecord),
}

impl<'r> MatchRows<'r> {
    fn of(record: &'r AnyRecord) -> Self {
        match record {
            AnyRecord::InSteps(record) => Self {
                name: &record.match_id,
                game: record.game_name.as_deref().unwrap_or_default(),
                sha256: record.rulesheet_sha256.as_deref().unwrap_or_default(),
                seed: record.seed,
                completed: record.is_completed,
                roles: &record.roles,
                players: &record.player_names_from_host,
                goals: record.goal_values.as_deref().unwrap_or_default(),
                moves: Moves::InSteps(record),
            },
            AnyRecord::InTime(record) => Self {
                name: &record.match_id,
                game: &record.game_name,
                sha256: &record.rulesheet_sha256,
                seed: Some(record.seed),
                completed: record.is_completed,
                roles: &record.roles,
                players: &record.player_names_from_host,
                goals: record.goal_values.as_deref().unwrap_or_default(),
                moves: Moves::InTime(record),
            },
        }
    }

    fn record(&self, text: &str) -> Vec<Cell> {
        let steps = match self.moves {
            Moves::InSteps(record) => record.moves.len(),
            Moves::InTime(record) => record.events.len(),
        };
        let seed = self.seed.and_then(|seed| i64::try_from(seed).ok());
        vec![
            self.name.into(),
            self.game.into(),
            self.sha256.into(),
            seed.map_or(Cell::Null, Cell::Int64),
            Cell::Bool(self.completed),
            Cell::count(steps),
            text.into(),
        ]
    }

    fn seats(&self) -> impl Iterator<Item = Vec<Cell>> + '_ {
        self.roles.iter().enumerate().map(|(place, role)| {
            let goal = self.goals.get(place).copied().flatten();
            vec![
                self.name.into(),
                self.game.into(),
                role.as_str().into(),
                self.players.get(place).map_or("", String::as_str).into(),
                goal.map_or(Cell::Null, Cell::count),
            ]
        })
    }

    /// The moves that were made; in real time a role may make none when something happens.
    fn steps(&self) -> Box<dyn Iterator<Item = Vec<Cell>> + '_> {
        let row = |step: usize, role: &'r String, made: &'r String, seconds: Option<f64>| {
            vec![
                self.name.into(),
                Cell::count(step + 1),
                role.as_str().into(),
                made.as_str().into(),
                seconds.into(),
            ]
        };
        match self.moves {
            Moves::InSteps(record) => {
                let time = |step: usize, place: usize| {
                    let milliseconds = *record.move_times.as_ref()?.get(step)?.get(place)?;
                    Some(milliseconds? as f64 / 1000.0)
                };
                Box::new(record.moves.iter().enumerate().flat_map(move |(step, moves)| {
                    let made = self.roles.iter().zip(moves).enumerate();
                    made.map(move |(place, (role, made))| row(step, role, made, time(step, place)))
                }))
            }
            Moves::InTime(record) => {
                Box::new(record.events.iter().enumerate().flat_map(move |(step, event)| {
                    let made = self.roles.iter().zip(&event.moves);
                    made.filter_map(move |(role, made)| Some(row(step, role, made.as_ref()?, None)))
                }))
            }
        }
    }
}

/// The standings, with ranks where the format has them.
fn player_rows(
    players: &[PlayerStanding],
    ranking: Option<&[RankedPlayer]>,
) -> impl Iterator<Item = Vec<Cell>> {
    players.iter().map(move |standing| {
        let ranked = ranking.and_then(|all| all.iter().find(|ranked| ranked.player == standing.player));
        let (share, rating, faults) = (standing.share, standing.rating, standing.faults);
        vec![
            standing.player.as_str().into(),
            Cell::count(standing.matches),
            share.map(|share| share.mean).into(),
            Cell::Float64(rating.elo),
            share.map(|share| share.low).into(),
            share.map(|share| share.high).into(),
            Cell::Float64(rating.low),
            Cell::Float64(rating.high),
            standing.goals.into(),
            Cell::count(standing.aborted),
            Cell::count(faults.late),
            Cell::count(faults.illegal),
            Cell::count(faults.failed),
            ranked.map_or(Cell::Null, |ranked| Cell::count(ranked.rank)),
            ranked.map(|ranked| ranked.points).into(),
        ]
    })
}
