//! Stores that are full of made-up matches, to measure on.

use ludex::MatchRecord;
use ludex::game::{Goal, Rng, sha256};

use super::tables::{Cell, Cells, TABLES, Table, Tables};
use super::values::json;
use super::{Answer, CopyProgress, Purpose, StoreError, StorePlace};
use crate::model::{
    Availability, ClockPlan, GameFeatures, MatchPlan, MatchStage, PlayerKind, SeatKey, SeatPlan,
};

/// How much a store is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillSizes {
    /// Matches that are over.
    pub matches: u64,
    /// Players, all of them people.
    pub players: u64,
    /// Games, of one version each.
    pub games: u64,
}

/// What all matches of a full store have in common.
#[derive(Clone, Debug)]
pub struct FillSample {
    /// The rulesheet; each game has it with a comment of its own.
    pub text: String,
    /// Its dialect.
    pub dialect: String,
    /// What tells the game from others.
    pub features: GameFeatures,
    /// A match of it that was played to the end.
    pub record: MatchRecord,
    /// What each seat reached in it.
    pub goals: Vec<Goal>,
}

/// When the first match was made, in milliseconds since 1970, and how long after it the next one.
const FIRST: u64 = 1_700_000_000_000;
const APART: u64 = 20_000;
/// One match of so many was aborted.
const ABORTED: u64 = 32;
/// How uneven players and games are: the larger, the more matches have the first ones of them.
const UNEVEN_PLAYERS: i32 = 3;
const UNEVEN_GAMES: i32 = 2;

/// Fills a store with made-up matches, quickly: rows are written as they are. Where nothing is kept yet the store is
/// made; one that was begun to be filled with the same sizes is filled to its end; one that has as many matches already
/// is left as it is. Which player and which game a match has follows from its number; the first ones have far more matches
/// than the last ones.
///
/// # Errors
/// [`StoreError::NotEmpty`] where the place holds fewer matches, but is no part of such a store, and others.
pub fn fill_store(
    place: &StorePlace,
    sizes: &FillSizes,
    sample: &FillSample,
    report: &mut dyn FnMut(CopyProgress),
) -> Answer<()> {
    match place.tables(Purpose::Source) {
        Ok(tables) if tables.count(table("matches")?)? >= sizes.matches => return Ok(()),
        Ok(_) => return Err(StoreError::NotEmpty { path: place.path().to_owned() }),
        Err(StoreError::NotFound { .. } | StoreError::Incomplete { .. }) => {}
        Err(error) => return Err(error),
    }
    let tables = place.tables(Purpose::Target)?;
    let filling = Filling { sizes: *sizes, sample, versions: versions(sizes, sample) };
    let seats = sample.goals.len().max(1) as u64;
    for (name, rows) in [
        ("games", sizes.games),
        ("game_versions", sizes.games),
        ("game_features", sizes.games),
        ("players", sizes.players),
        ("matches", sizes.matches),
        ("match_seats", sizes.matches * seats),
        ("records", sizes.matches),
    ] {
        filling.fill(&*tables, table(name)?, rows, report)?;
    }
    tables.complete()
}

/// The name of a player, a game or a match of a full store, by its number from 0.
pub fn filled_name(kind: FilledKind, number: u64) -> String {
    // As long as there are no more, names come in the order of their numbers.
    match kind {
        FilledKind::Game => format!("game{number:06}"),
        FilledKind::Player => format!("player{number:07}"),
        FilledKind::Match => format!("m{number:09}"),
    }
}

/// What has a name in a full store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilledKind {
    /// A game.
    Game,
    /// A player.
    Player,
    /// A match.
    Match,
}

fn table(name: &'static str) -> Answer<&'static Table> {
    let known = TABLES.iter().find(|table| table.name == name);
    known.ok_or_else(|| StoreError::NotFound { what: "table", name: name.to_owned() })
}

/// The hash of the rules of each game.
fn versions(sizes: &FillSizes, sample: &FillSample) -> Vec<String> {
    (0..sizes.games).map(|number| sha256(&text(sample, number))).collect()
}

fn text(sample: &FillSample, number: u64) -> String {
    format!("{}\n; {number}\n", sample.text)
}

/// A store that is being filled.
struct Filling<'a> {
    sizes: FillSizes,
    sample: &'a FillSample,
    versions: Vec<String>,
}

/// What is drawn for a match.
struct Drawn {
    game: u64,
    players: Vec<u64>,
    is_aborted: bool,
}

impl Filling<'_> {
    /// Writes what is not there yet of a table. Rows come in the order of their keys, so that a count says how far it is.
    fn fill(
        &self,
        tables: &dyn Tables,
        table: &'static Table,
        total: u64,
        report: &mut dyn FnMut(CopyProgress),
    ) -> Answer<()> {
        let mut done = tables.count(table)?;
        while done < total {
            let next = done.saturating_add(BATCH).min(total);
            let rows: Vec<Cells> =
                (done..next).map(|number| self.row(table, number)).collect::<Result<_, _>>()?;
            tables.add(table, &rows)?;
            done = next;
            report(CopyProgress { table: table.name, verifies: false, done, total });
        }
        Ok(())
    }

    fn row(&self, table: &Table, number: u64) -> Answer<Cells> {
        table.columns.iter().map(|(column, _)| self.cell(table.name, column, number)).collect()
    }

    fn cell(&self, table: &str, column: &str, number: u64) -> Answer<Cell> {
        match table {
            "games" | "game_versions" | "game_features" => Ok(self.game_cell(column, number)),
            "players" => player_cell(column, number),
            "matches" => self.match_cell(column, number),
            "match_seats" => {
                let seats = self.sample.goals.len().max(1) as u64;
                Ok(self.seat_cell(column, number / seats, number % seats))
            }
            _ => Ok(match column {
                "match" => name(FilledKind::Match, number),
                _ => Cell::Text(self.record(number)),
            }),
        }
    }

    fn game_cell(&self, column: &str, number: u64) -> Cell {
        let FillSample { dialect, features, .. } = self.sample;
        let flag = |flag: bool| Cell::Integer(flag.into());
        match column {
            "name" | "game" => name(FilledKind::Game, number),
            "title" => Cell::Text(format!("Made up, number {number}")),
            "present" | "sha256" => Cell::Text(self.version(number)),
            "place" | "offered" => Cell::Integer(1),
            "dialect" => Cell::Text(dialect.clone()),
            "notation" => Cell::Text("prefix".to_owned()),
            "text" => Cell::Text(text(self.sample, number)),
            "added" => integer(FIRST),
            "seats" => integer(features.seats.into()),
            "hidden" => flag(features.hidden),
            "chance" => flag(features.chance),
            "simultaneous" => flag(features.simultaneous),
            "real_time" => flag(features.real_time),
            "steps" => features.steps.map_or(Cell::Null, |steps| integer(steps.into())),
            "board" => flag(features.board),
            "bundled" => flag(false),
            _ => Cell::Text(String::new()),
        }
    }

    fn match_cell(&self, column: &str, number: u64) -> Answer<Cell> {
        let drawn = self.drawn(number);
        let created = created(number);
        Ok(match column {
            "id" => name(FilledKind::Match, number),
            "game" => name(FilledKind::Game, drawn.game),
            "version" => Cell::Text(self.version(drawn.game)),
            "stage" => Cell::Text(stage(&drawn).name().to_owned()),
            "plan" => Cell::Text(json(&self.plan(&drawn, number))?),
            "created" | "due" | "began" => integer(created),
            "ended" => integer(created + APART),
            "steps" => integer(self.sample.record.moves.len() as u64),
            "aborted" if drawn.is_aborted => Cell::Text("somebody wanted it".to_owned()),
            "opening" if !drawn.is_aborted => Cell::Text(json(&self.sample.record.moves.first())?),
            "hidden" | "resumptions" => Cell::Integer(0),
            _ => Cell::Null,
        })
    }

    fn seat_cell(&self, column: &str, number: u64, seat: u64) -> Cell {
        let place = usize::try_from(seat).unwrap_or(usize::MAX);
        let drawn = self.drawn(number);
        match column {
            "match" => name(FilledKind::Match, number),
            "seat" => integer(seat),
            "role" => Cell::Text(self.sample.record.roles.get(place).cloned().unwrap_or_default()),
            "player" => name(FilledKind::Player, drawn.players.get(place).copied().unwrap_or(0)),
            "goal" if drawn.is_aborted => Cell::Null,
            "goal" => self.sample.goals.get(place).map_or(Cell::Null, |&goal| Cell::Integer(goal.into())),
            "key" => Cell::Text(SeatKey::of(&format!("{number}-{seat}"), true).digest().to_owned()),
            "reward" => Cell::Null,
            "taken" => Cell::Integer(1),
            _ => Cell::Integer(0),
        }
    }

    fn version(&self, game: u64) -> String {
        usize::try_from(game).ok().and_then(|game| self.versions.get(game)).cloned().unwrap_or_default()
    }

    fn record(&self, number: u64) -> String {
        let game = self.drawn(number).game;
        MatchRecord {
            match_id: filled_name(FilledKind::Match, number),
            game_name: Some(filled_name(FilledKind::Game, game)),
            rulesheet: None,
            rulesheet_sha256: Some(self.version(game)),
            ..self.sample.record.clone()
        }
        .write()
    }

    fn plan(&self, drawn: &Drawn, number: u64) -> MatchPlan {
        let player = |&player: &u64| SeatPlan {
            player: filled_name(FilledKind::Player, player),
            ..SeatPlan::default()
        };
        let seats = drawn.players.iter().map(player).collect();
        let plan =
            MatchPlan::new(filled_name(FilledKind::Game, drawn.game), seats, ClockPlan::new(60_000, 60_000));
        MatchPlan { version: Some(self.version(drawn.game)), seed: Some(number), ..plan }
    }

    fn drawn(&self, number: u64) -> Drawn {
        let mut dice = Rng::from_seed(number);
        let game = uneven(&mut dice, self.sizes.games, UNEVEN_GAMES);
        let mut players: Vec<u64> = Vec::new();
        for _ in 0..self.sample.goals.len() {
            let mut player = uneven(&mut dice, self.sizes.players, UNEVEN_PLAYERS);
            // Nobody plays against themselves, as long as there are others.
            while players.contains(&player)
                && players.len() < usize::try_from(self.sizes.players).unwrap_or(0)
            {
                player = (player + 1) % self.sizes.players;
            }
            players.push(player);
        }
        Drawn { game, players, is_aborted: number % ABORTED == ABORTED - 1 }
    }
}

/// So many rows are written at once: a multiple of the seats of a match, and not too much where the rows are records.
const BATCH: u64 = 1000;

/// A number below `count`, small ones far more often than large ones.
fn uneven(dice: &mut Rng, count: u64, how: i32) -> u64 {
    let part = dice.below(1 << 20) as f64 / f64::from(1 << 20);
    ((count as f64) * part.powi(how)) as u64
}

fn created(number: u64) -> u64 {
    FIRST + APART * number
}

fn stage(drawn: &Drawn) -> MatchStage {
    if drawn.is_aborted { MatchStage::Aborted } else { MatchStage::Completed }
}

fn player_cell(column: &str, number: u64) -> Answer<Cell> {
    Ok(match column {
        "name" => name(FilledKind::Player, number),
        "kind" => Cell::Text(json(&PlayerKind::Person)?),
        "registered" => integer(FIRST),
        "availability" => Cell::Text(json(&Availability::default())?),
        _ => Cell::Integer(0),
    })
}

fn name(kind: FilledKind, number: u64) -> Cell {
    Cell::Text(filled_name(kind, number))
}

fn integer(number: u64) -> Cell {
    Cell::Integer(super::values::integer(number))
}
