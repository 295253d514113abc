//! How values are kept, whatever the database.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use crate::model::{
    GameTag, KeptEntry, MatchEntries, MatchQuery, MatchStage, MatchSummary, Opening, Page, PageRequest,
    TournamentStage, TournamentSummary,
};

/// A structure as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    // Plain data with text keys can always be written.
    serde_json::to_string(value).map_err(|error| broken("value", "to write", error))
}

/// A structure from JSON.
pub(super) fn from_json<T: DeserializeOwned>(
    text: &str,
    what: &'static str,
    name: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| broken(what, name, error))
}

/// What is kept cannot be read.
pub(super) fn broken(what: &'static str, name: &str, cause: impl ToString) -> StoreError {
    StoreError::Broken { what, name: name.to_owned(), cause: cause.to_string() }
}

/// A number as databases keep it.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as databases kept it.
pub(super) fn natural(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A text as a part of what is searched for.
pub(super) fn like(text: &str) -> String {
    let plain = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{plain}%")
}

/// The condition that moderators have not hidden what this kind of thing has as its name.
pub(super) fn not_hidden(kind: &str, name: &str) -> String {
    format!("NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = '{kind}' AND h.name = {name})")
}

/// The stage of a match of this name.
pub(super) fn match_stage(stage: &str, id: &str) -> Result<MatchStage, StoreError> {
    let stages = [MatchStage::Planned, MatchStage::Running, MatchStage::Completed, MatchStage::Aborted];
    let known = stages.into_iter().find(|known| known.name() == stage);
    known.ok_or_else(|| broken("match", id, format!("a stage `{stage}`")))
}

/// The stage of a tournament of this name.
pub(super) fn tournament_stage(stage: &str, id: &str) -> Result<TournamentStage, StoreError> {
    let stages = [TournamentStage::Running, TournamentStage::Paused, TournamentStage::Over];
    let known = stages.into_iter().find(|known| known.name() == stage);
    known.ok_or_else(|| broken("tournament", id, format!("a stage `{stage}`")))
}

/// How many rows have to be read for a page: one more than it has, which tells whether there are more.
pub(super) fn rows_of_page(request: &PageRequest) -> i64 {
    integer(request.limited_size().saturating_add(1))
}

/// The page of as many rows as [`rows_of_page`] says, or of fewer where the list ends.
pub(super) fn page<T>(
    request: &PageRequest,
    mut items: Vec<T>,
    total: i64,
    key: impl FnOnce(&T) -> &str,
) -> Page<T> {
    let size = usize::try_from(request.limited_size()).unwrap_or(usize::MAX);
    let has_more = items.len() > size;
    items.truncate(size);
    let next = items.last().filter(|_| has_more).map(|last| key(last).to_owned());
    Page { items, next, total: natural(total), total_is_least: false }
}

/// So many matches are counted of a list at most, and looked at for a page of matches that are like something: a page takes
/// no longer however many there are.
pub(super) const LOOKED_AT: i64 = 2_000;

/// What a list of matches is gone through by: an index has its matches in order, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    Tournament,
    Stage,
    Player,
    Game,
    Time,
}

impl Driver {
    /// That of a list: what few matches have, as far as that can be known without counting. All else that is wanted is
    /// looked at match by match.
    pub(super) fn of(query: &MatchQuery) -> Self {
        match query {
            MatchQuery { tournament: Some(_), .. } => Self::Tournament,
            MatchQuery { stage: Some(MatchStage::Planned | MatchStage::Running), .. } => Self::Stage,
            MatchQuery { player: Some(_), .. } => Self::Player,
            MatchQuery { game: Some(_), .. } => Self::Game,
            MatchQuery { stage: Some(_), .. } => Self::Stage,
            _ => Self::Time,
        }
    }
}

/// How long a list of matches is, as far as it was counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) total: i64,
    pub(super) is_least: bool,
}

/// A page of a list of matches. `last` is the last one that was looked at, where there may be more behind it.
pub(super) fn match_page(
    request: &PageRequest,
    items: Vec<MatchSummary>,
    counted: Counted,
    last: Option<String>,
) -> Page<MatchSummary> {
    let found = page(request, items, counted.total, |summary: &MatchSummary| &summary.id);
    Page { next: found.next.or(last), total_is_least: counted.is_least, ..found }
}

/// The entries of a match as they are kept, read.
pub(super) fn read_entries(id: &str, texts: Vec<String>) -> Result<MatchEntries, StoreError> {
    let kept: Vec<KeptEntry> = texts.into_iter().map(KeptEntry::from_text).collect();
    MatchEntries::read(&kept).map_err(|error| broken("match", id, error))
}

/// A row of a tournament as it is.
pub(super) struct RawTournament {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) format: String,
    pub(super) stage: String,
    pub(super) players: i64,
    pub(super) games: i64,
    pub(super) created: i64,
    pub(super) ended: Option<i64>,
    pub(super) results: i64,
}

impl RawTournament {
    pub(super) fn summary(self) -> Result<TournamentSummary, StoreError> {
        let stage = tournament_stage(&self.stage, &self.id)?;
        let format = self.format.parse().map_err(|error| broken("tournament", &self.id, error))?;
        let count = |number| usize::try_from(natural(number)).unwrap_or(usize::MAX);
        Ok(TournamentSummary {
            format,
            stage,
            players: count(self.players),
            games: count(self.games),
            results: natural(self.results),
            created: natural(self.created),
            ended: self.ended.map(natural),
            id: self.id,
            title: self.title,
        })
    }
}

/// So many rows of a table of results are given.
pub(super) const RESULT_ROWS: i64 = 40;
/// So many matches of a game, and seats of a player, are looked at for results: the newest ones.
pub(super) const MATCHES_LOOKED_AT: i64 = 1000;
/// So many first moves are given.
const OPENINGS: usize = 10;

/// The most frequent first moves. The rows (the moves as JSON, how many matches, the mean goal of a seat) of one
/// opening follow each other, seat by seat.
pub(super) fn openings_of(rows: Vec<(String, u64, f64)>) -> Vec<Opening> {
    let mut found: Vec<(String, Opening)> = Vec::new();
    for (text, matches, goal) in rows {
        match found.last_mut() {
            Some((last, opening)) if *last == text => opening.goals.push(goal),
            _ => {
                // What a record says that others have written may be no list of moves.
                let moves = serde_json::from_str(&text).unwrap_or_default();
                found.push((text, Opening { moves, matches, goals: vec![goal] }));
            }
        }
    }
    let mut openings: Vec<Opening> = found.into_iter().map(|(_, opening)| opening).collect();
    openings.retain(|opening| !opening.moves.is_empty());
    // A sort that keeps the order among equals.
    openings.sort_by_key(|opening| std::cmp::Reverse(opening.matches));
    openings.truncate(OPENINGS);
    openings
}

/// The condition that a tag stands for a game whose features are called `f`: as
/// [`GameFeatures::has`](crate::model::GameFeatures::has).
pub(super) fn tag_condition(tag: GameTag) -> String {
    let (short, medium) = (GameTag::SHORT, GameTag::MEDIUM);
    match tag {
        GameTag::OnePlayer => "f.seats = 1".to_owned(),
        GameTag::TwoPlayers => "f.seats = 2".to_owned(),
        GameTag::MorePlayers => "f.seats > 2".to_owned(),
        GameTag::Hidden => "f.hidden".to_owned(),
        GameTag::Chance => "f.chance".to_owned(),
        GameTag::Simultaneous => "f.simultaneous".to_owned(),
        GameTag::RealTime => "f.real_time".to_owned(),
        GameTag::Short => format!("f.steps <= {short}"),
        GameTag::Medium => format!("f.steps > {short} AND f.steps <= {medium}"),
        GameTag::Long => format!("f.steps > {medium}"),
    }
}
