//! What lies in the folder of a server that was killed, and whether it is what has to lie there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ludex::matches::referee::{Entry, Referee};
use ludex::matches::tournament::TournamentEvent;
use ludex::{AnyRecord, Game, GameOptions, verify_match};
use ludex_server::model::{MatchQuery, MatchRow, MatchStage, all_pages};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};

use super::load::{BUILT_IN, ENOUGH, Promises};

/// So often a match is gone on with that may be what ended the server.
const RESUMPTIONS: u32 = 3;

/// A match as it lies on the disk.
#[derive(Clone, Debug)]
pub struct Kept {
    pub row: MatchRow,
    pub entries: Vec<Entry>,
    /// The record, once the match is over.
    record: Option<String>,
}

impl Kept {
    /// The steps that were written: what each role did.
    pub fn steps(&self) -> Vec<&Vec<String>> {
        let steps = self.entries.iter().filter_map(|entry| match entry {
            Entry::Stepped { joint, .. } => Some(joint),
            _ => None,
        });
        steps.collect()
    }

    /// Whether it was written that the match is over.
    pub fn has_ended(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Ended { .. }))
    }

    /// Whether it was written that the match is not gone on with, whatever happens: somebody wants it to end, or it
    /// was gone on with too often, and it may be what ended the server. Players are told so without its rules, before
    /// its end is kept.
    pub fn is_to_be_given_up(&self) -> bool {
        let resumptions = self.row.resumptions;
        (self.row.wanted_abort.is_some() && resumptions > 0) || resumptions >= RESUMPTIONS
    }

    /// How often the match was gone on with.
    pub fn resumed(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Resumed)).count()
    }

    /// The names of those who have the seats, in order.
    pub fn players(&self) -> Vec<&str> {
        self.row.plan.seats.iter().map(|seat| seat.player.as_str()).collect()
    }
}

/// What the disk said after the last life.
pub struct Disk {
    games: BTreeMap<&'static str, Game>,
    pub matches: BTreeMap<String, Kept>,
    events: BTreeMap<String, Vec<TournamentEvent>>,
}

type Check = Result<(), String>;

fn that(holds: bool, broken: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(broken()) }
}

impl Disk {
    pub fn new() -> Self {
        let options = GameOptions { hasty: true, ..GameOptions::default() };
        let games = [
            ("tic-tac-toe", Game::bundled("tic-tac-toe", &options).unwrap()),
            ("own-signals", Game::parse("own-signals", include_str!("signals.kif"), &options).unwrap()),
        ];
        Self { games: games.into(), matches: BTreeMap::new(), events: BTreeMap::new() }
    }

    /// Looks at a copy of what a server left, so that the next life finds it as it was left.
    ///
    /// # Errors
    /// What is not as it has to be.
    pub fn look(&mut self, folder: &Path, promises: &Promises) -> Check {
        let outer = tempfile::tempdir().unwrap();
        let copy = outer.path().join("data");
        // Makes the folder as a store wants it.
        drop(SqliteStore::open(&copy, &SqliteOptions::default()).map_err(|error| error.to_string())?);
        for file in ["ludex.db", "ludex.db-wal"] {
            if folder.join(file).exists() {
                std::fs::copy(folder.join(file), copy.join(file)).unwrap();
            }
        }
        let store = SqliteStore::open(&copy, &SqliteOptions::default());
        let store = store.map_err(|error| format!("the database cannot be opened: {error}"))?;
        self.look_at(&store, promises)
    }

    /// Looks at a store in which nothing changes meanwhile.
    ///
    /// # Errors
    /// What is not as it has to be.
    pub fn look_at(&mut self, store: &dyn Store, promises: &Promises) -> Check {
        let rows = all_pages(|page| store.matches(&MatchQuery { page, ..MatchQuery::default() }));
        let rows: BTreeSet<String> =
            rows.map_err(|error| error.to_string())?.into_iter().map(|summary| summary.id).collect();
        let lost: Vec<&String> = promises.matches.iter().filter(|id| !rows.contains(*id)).collect();
        that(lost.is_empty(), || format!("matches that were promised are gone: {lost:?}"))?;
        for id in rows {
            self.look_at_match(store, &id, promises).map_err(|why| format!("match {id}: {why}"))?;
        }
        for id in &promises.tournaments {
            self.look_at_tournament(store, id).map_err(|why| format!("tournament {id}: {why}"))?;
        }
        Ok(())
    }

    fn look_at_match(&mut self, store: &dyn Store, id: &str, promises: &Promises) -> Check {
        let read = |error: ludex_server::model::StoreError| error.to_string();
        let row = store.find_match(id).map_err(read)?;
        let entries = store.entries(id).map_err(read)?.in_steps();
        let record = store.record(id).map_err(read)?.and_then(AnyRecord::in_steps);
        let stage = row.summary.stage;
        if let Some(before) = self.matches.get(id) {
            that(entries.starts_with(&before.entries), || {
                format!("its journal said {:?} and says {entries:?}", before.entries)
            })?;
            let was = before.row.summary.stage;
            that(was == stage || !was.is_over(), || format!("it was {was:?} and is {stage:?}"))?;
            let same = !was.is_over() || before.record == record.as_ref().map(|record| record.write());
            that(same, || "its record has changed".to_owned())?;
        }
        let kept = Kept { record: record.as_ref().map(|record| record.write()), row, entries };
        self.check_journal(&kept)?;
        let aborted = &kept.row.summary.aborted;
        match stage {
            MatchStage::Planned => that(kept.entries.is_empty(), || "it has a journal already".to_owned())?,
            MatchStage::Running => {}
            MatchStage::Completed => {
                that(aborted.is_none(), || format!("completed, and aborted: {aborted:?}"))?;
                that(kept.has_ended(), || "its journal has no end".to_owned())?;
                let record = record.ok_or("its record is missing")?;
                that(record.is_completed, || "its record is not of a whole match".to_owned())?;
                let moves: Vec<&Vec<String>> = record.moves.iter().collect();
                that(moves == kept.steps(), || "its record and its journal differ".to_owned())?;
                let report = verify_match(self.game(&kept)?.rules(), &record);
                that(report.mismatches.is_empty(), || format!("its record is no match: {report:?}"))?;
            }
            MatchStage::Aborted => {
                let why = aborted.clone().ok_or("aborted without a cause")?;
                let wanted = why == ENOUGH && promises.aborted.contains(id);
                let forgotten = why.contains("is built in") && kept.players().contains(&BUILT_IN);
                // Killed several times in a row before anybody had answered.
                let again = kept.row.resumptions >= RESUMPTIONS && why.contains("it was gone on with");
                that(wanted || forgotten || again, || format!("aborted: {why}"))?;
                that(kept.entries.is_empty() || kept.has_ended(), || "its journal has no end".to_owned())?;
            }
        }
        self.matches.insert(id.to_owned(), kept);
        Ok(())
    }

    fn game(&self, kept: &Kept) -> Result<&Game, String> {
        self.games.get(kept.row.summary.game.as_str()).ok_or_else(|| "a game of nobody's".to_owned())
    }

    /// A journal can be gone on with, and no player that a test has in its hands ever failed.
    fn check_journal(&self, kept: &Kept) -> Check {
        if kept.entries.is_empty() {
            return Ok(());
        }
        let resumed = Referee::resume(self.game(kept)?.rules().clone(), &kept.entries);
        resumed.map_err(|error| format!("its journal cannot be gone on with: {error}"))?;
        for entry in &kept.entries {
            let (Entry::Ready { faults, .. } | Entry::Stepped { faults, .. }) = entry else { continue };
            for (fault, player) in faults.iter().zip(kept.players()) {
                that(fault.is_none() || player == BUILT_IN, || format!("{player} failed: {fault:?}"))?;
            }
        }
        Ok(())
    }

    /// Each match of a tournament that is over counts once, and nothing else counts.
    fn look_at_tournament(&mut self, store: &dyn Store, id: &str) -> Check {
        let read = |error: ludex_server::model::StoreError| error.to_string();
        store.tournament(id).map_err(read)?;
        let events = store.tournament_events(id).map_err(read)?;
        if let Some(before) = self.events.get(id) {
            that(events.starts_with(before), || format!("it was {before:?} and is {events:?}"))?;
        }
        let seeds = events.iter().filter_map(|event| match event {
            TournamentEvent::Finished(result) => Some(result.seed),
            _ => None,
        });
        let mut counted: Vec<u64> = seeds.collect();
        counted.sort_unstable();
        let of_it = |kept: &&Kept| kept.row.summary.tournament.as_deref() == Some(id);
        let over = self.matches.values().filter(of_it).filter(|kept| kept.row.summary.stage.is_over());
        let mut played: Vec<u64> = over.filter_map(|kept| kept.row.plan.seed).collect();
        played.sort_unstable();
        that(counted == played, || format!("matches {played:?} are over, and {counted:?} count"))?;
        let distinct: BTreeSet<u64> = counted.iter().copied().collect();
        that(distinct.len() == counted.len(), || format!("a match counts twice: {counted:?}"))?;
        let all = self.matches.values().filter(of_it).filter_map(|kept| kept.row.plan.seed);
        let all: Vec<u64> = all.collect();
        let fixtures: BTreeSet<u64> = all.iter().copied().collect();
        that(fixtures.len() == all.len(), || format!("a match is played twice: {all:?}"))?;
        self.events.insert(id.to_owned(), events);
        Ok(())
    }

    /// How many results a tournament has.
    pub fn results(&self, id: &str) -> usize {
        let events = self.events.get(id).into_iter().flatten();
        events.filter(|event| matches!(event, TournamentEvent::Finished(_))).count()
    }
}
