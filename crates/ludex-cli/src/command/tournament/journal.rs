//! Finished matches in a file, so that a tournament may be stopped at any time.

use ludex::Playable;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};

use ludex::tournament::{FixtureOptions, Format, MatchResult, TournamentSetup};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::input::read_recorded;
use crate::limits::Limits;
use crate::rulesheet::reason;

/// What was agreed, in the first line of the file: matches that were played on other terms are not to be
/// compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// What wrote the file.
    pub recorded_by: String,
    /// Who plays.
    pub players: Vec<String>,
    /// What is played.
    pub games: Vec<GameTerms>,
    /// Who meets whom, and how often two that meet play each other; not there in a round robin.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FormatTerms>,
    /// How often.
    pub rounds: u32,
    /// What decides all chances.
    pub seed: u64,
    /// Seconds to get ready.
    pub start_clock: f64,
    /// Seconds for each move.
    pub play_clock: f64,
    /// Seconds for all moves of a match together; not there where that is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<f64>,
    /// Seconds that are added to that after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment: Option<f64>,
    /// Points of the goal that a second of thinking costs; not there where it costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_cost: Option<f64>,
    /// Where a match is stopped.
    pub step_limit: u32,
    /// The memory of each player in bytes.
    pub memory: usize,
    /// Whether players are told who plays and how it stands; not there where they are not.
    #[serde(default, skip_serializing_if = "is_off")]
    pub introduce: bool,
    /// Whether players remember from match to match; not there where they do not.
    #[serde(default, skip_serializing_if = "is_off")]
    pub remember: bool,
    /// How many random joint moves each match begins with; not there where there are none.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub opening: u32,
    /// How often a match is begun; not there where it is once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub attempts: u32,
}

fn once() -> u32 {
    1
}

fn is_once(attempts: &u32) -> bool {
    *attempts == once()
}

fn is_nothing(opening: &u32) -> bool {
    *opening == 0
}

fn is_off(agreed: &bool) -> bool {
    !agreed
}

/// What is agreed in formats other than round robin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormatTerms {
    /// Who meets whom.
    pub format: Format,
    /// How many matches two players have when they meet.
    pub legs: u32,
    /// How often they meet again before the lot decides.
    pub replays: u32,
}

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameTerms {
    /// Its name.
    pub name: String,
    /// How many roles somebody plays.
    pub seats: usize,
    /// What runs it.
    pub engine: String,
    /// The SHA-256 of its rulesheet.
    pub rulesheet_sha256: String,
}

impl Terms {
    /// The terms of a tournament, in which players may be told who plays and may remember.
    pub fn new(
        setup: &TournamentSetup,
        games: &[Playable],
        options: &FixtureOptions,
        (introduce, remember): (bool, bool),
    ) -> Self {
        let tournament = &setup.tournament;
        let format = FormatTerms { format: setup.format, legs: setup.legs.get(), replays: setup.replays };
        let game = |game: &Playable| GameTerms {
            name: game.short_name().to_owned(),
            seats: game.seats(),
            engine: game.engine_name(),
            rulesheet_sha256: game.sha256().to_owned(),
        };
        Self {
            recorded_by: concat!("ludex ", env!("CARGO_PKG_VERSION")).to_owned(),
            players: tournament.players.clone(),
            games: games.iter().map(game).collect(),
            format: (setup.format != Format::RoundRobin).then_some(format),
            rounds: tournament.rounds,
            seed: tournament.seed,
            start_clock: options.start_clock.as_secs_f64(),
            play_clock: options.play_clock.as_secs_f64(),
            bank: options.bank.map(|bank| bank.total.as_secs_f64()),
            increment: options.bank.map(|bank| bank.increment.as_secs_f64()),
            time_cost: options.time_cost,
            step_limit: options.step_limit,
            memory: options.memory,
            introduce,
            remember,
            opening: options.opening,
            attempts: setup.attempts.get(),
        }
    }

    /// What is different now so that matches cannot be compared. More or fewer players, games and rounds
    /// do no harm in a round robin; in other formats all matches hang together.
    fn difference(&self, now: &Self) -> Option<String> {
        let differs = |what: &str, was: String, is: String| Some(format!("{what} {was} and not {is}"));
        if self.format != now.format {
            return differs("format", self.format_name(), now.format_name());
        }
        if self.attempts != now.attempts {
            return differs("attempts", self.attempts.to_string(), now.attempts.to_string());
        }
        if self.format.is_some() {
            let games = |terms: &Self| {
                terms.games.iter().map(|game| game.name.as_str()).collect::<Vec<_>>().join(",")
            };
            if self.players != now.players {
                return differs("players", self.players.join(","), now.players.join(","));
            }
            if games(self) != games(now) {
                return differs("games", games(self), games(now));
            }
        }
        if self.seed != now.seed {
            return differs("seed", self.seed.to_string(), now.seed.to_string());
        }
        if self.play_clock != now.play_clock {
            return differs("clock", format!("{} s", self.play_clock), format!("{} s", now.play_clock));
        }
        if self.start_clock != now.start_clock {
            return differs(
                "start clock",
                format!("{} s", self.start_clock),
                format!("{} s", now.start_clock),
            );
        }
        let bank = |terms: &Self| match (terms.bank, terms.increment) {
            (Some(bank), increment) => format!("{bank} s and {} s after each move", increment.unwrap_or(0.0)),
            (None, _) => "no limit".to_owned(),
        };
        if bank(self) != bank(now) {
            return differs("a bank of", bank(self), bank(now));
        }
        if self.time_cost != now.time_cost {
            let cost = |terms: &Self| format!("{} points a second", terms.time_cost.unwrap_or(0.0));
            return differs("time at", cost(self), cost(now));
        }
        if self.step_limit != now.step_limit {
            return differs("step limit", self.step_limit.to_string(), now.step_limit.to_string());
        }
        if self.opening != now.opening {
            return differs("openings of", self.opening.to_string(), now.opening.to_string());
        }
        if self.memory != now.memory {
            return differs("memory", self.memory.to_string(), now.memory.to_string());
        }
        let agreed = |agreed: bool| if agreed { "on" } else { "off" }.to_owned();
        if self.introduce != now.introduce {
            return differs("`--introduce`", agreed(self.introduce), agreed(now.introduce));
        }
        if self.remember != now.remember {
            return differs("`--memory-file`", agreed(self.remember), agreed(now.remember));
        }
        let other_rules = self.games.iter().find(|was| {
            now.games.iter().any(|is| is.name == was.name && is.rulesheet_sha256 != was.rulesheet_sha256)
        });
        other_rules.map(|game| format!("other rules of `{}`", game.name))
    }

    fn format_name(&self) -> String {
        match &self.format {
            None => Format::RoundRobin.to_string(),
            Some(FormatTerms { format, legs, replays }) => {
                format!("{format} (legs {legs}, replays {replays})")
            }
        }
    }
}

/// The file, if there is one.
pub struct Journal {
    file: Option<(String, File)>,
}

#[derive(Serialize, Deserialize)]
struct Heading {
    tournament: Terms,
}

impl Journal {
    /// Nothing is kept.
    pub fn none() -> Self {
        Self { file: None }
    }

    /// A new file.
    pub fn create(name: &str, terms: &Terms) -> Result<Self, Failure> {
        let file = OpenOptions::new().write(true).create_new(true).open(name).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                Failure::input(format!("there is a file `{name}` already"))
                    .hint(format!("`--resume {name}` goes on with the tournament in it"))
            } else {
                cannot_write(name, &error)
            }
        })?;
        let mut journal = Self { file: Some((name.to_owned(), file)) };
        journal.write(&serde_json::to_string(&Heading { tournament: terms.clone() })?)?;
        Ok(journal)
    }

    /// A file that is there already, and the matches in it with their lines. What comes after the last line end was being
    /// written when the tournament stopped, and is cut off.
    pub fn resume(
        name: &str,
        terms: &Terms,
        limits: &Limits,
    ) -> Result<(Self, Vec<(usize, MatchResult)>), Failure> {
        let text = read_recorded(name, limits)?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        let heading = lines.next().and_then(|line| serde_json::from_str::<Heading>(line).ok());
        let Some(heading) = heading else {
            return Err(Failure::input(format!("`{name}` is not a tournament that `--out` wrote")));
        };
        if let Some(difference) = heading.tournament.difference(terms) {
            return Err(Failure::input(format!("the matches in `{name}` were played with {difference}"))
                .hint("the same options go on with it; `--out FILE` begins another"));
        }
        let mut results = Vec::new();
        for (line, number) in lines.zip(2..) {
            let result = serde_json::from_str(line).map_err(|e| {
                Failure::input(format!("`{name}`, line {number}: not the result of a match: {e}"))
            })?;
            results.push((number, result));
        }
        let file = OpenOptions::new().append(true).open(name).map_err(|e| cannot_write(name, &e))?;
        file.set_len(whole as u64).map_err(|e| cannot_write(name, &e))?;
        Ok((Self { file: Some((name.to_owned(), file)) }, results))
    }

    /// Keeps a result; it is in the file when this comes back.
    pub fn add(&mut self, result: &MatchResult) -> Result<(), Failure> {
        self.write(&serde_json::to_string(result)?)
    }

    fn write(&mut self, line: &str) -> Result<(), Failure> {
        let Some((name, file)) = &mut self.file else { return Ok(()) };
        // One call for one line, so that a line is there as a whole or not at all.
        let written = file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.flush());
        written.map_err(|e| cannot_write(name, &e))
    }
}

fn cannot_write(name: &str, error: &io::Error) -> Failure {
    Failure::input(format!("cannot write `{name}`: {}", reason(error)))
}
