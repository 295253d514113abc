//! Matches that do not run: their records, or what their journals tell.
//!
//! Whoever looks at a match of which there is no record yet has it worked out once more, by its rules. Anybody may look,
//! so that is done within the limits of a single step, in the turns of the [archive](super::archive), and once for as
//! long as there is room to remember it.

use std::sync::Arc;
use std::time::Duration;

use ludex::logic::Budget;
use ludex::matches::referee::Referee;
use ludex::matches::referee::real_time::TimedReferee;
use ludex::{AnyRecord, MatchRecord, Playable};

use super::archive::held_bytes;
use super::core::Core;
use super::error::ManagerError;
use crate::clock::ThreadClock;
use crate::model::{MatchEntries, MatchRow, MatchStage};

impl Core {
    /// Looks at the record of a match that does not run here. Of a match that has none yet it is made of its
    /// journal, but not while it may be that match that ended the server.
    pub(super) fn look<T>(
        &self,
        row: &MatchRow,
        look: impl FnOnce(&AnyRecord) -> T,
    ) -> Result<T, ManagerError> {
        let id = &row.summary.id;
        let is_over = row.summary.stage.is_over();
        let entries = if is_over { None } else { Some(self.store.entry_count(id)?) };
        // Of one that has not begun, its plan is all, and who plays may change.
        if entries == Some(0) {
            return Ok(look(&AnyRecord::InSteps(Box::new(not_begun(row)))));
        }
        self.archive.look((id.clone(), entries), || self.past(row), look)
    }

    fn past(&self, row: &MatchRow) -> Result<AnyRecord, ManagerError> {
        let id = &row.summary.id;
        if let Some(record) = self.store.record(id)? {
            return Ok(record);
        }
        let nothing = MatchEntries::InSteps(Vec::new());
        let entries = if row.resumptions == 0 { self.store.entries(id)? } else { nothing };
        let told = if entries.is_empty() { None } else { self.work_out_again(row, &entries)? };
        Ok(told.unwrap_or_else(|| AnyRecord::InSteps(Box::new(not_begun(row)))))
    }

    /// What the journal of a match tells; nothing where that is not the journal of a match, or takes too much. What
    /// could not be kept is not told: it would be worked out for everybody who looks.
    fn work_out_again(
        &self,
        row: &MatchRow,
        entries: &MatchEntries,
    ) -> Result<Option<AnyRecord>, ManagerError> {
        let game = match self.prepared(&row.plan.game, row.plan.version.as_deref()) {
            Ok(game) => game,
            Err(ManagerError::Heavy(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let limits = &self.options.games;
        let within = |budget: &Budget| {
            let budget = budget.clone().with_total_work(limits.work);
            budget.with_time(Arc::new(ThreadClock::start()), limits.step)
        };
        let told = match (&game, entries) {
            (Playable::InSteps(game), MatchEntries::InSteps(entries)) => {
                let rules = game.rules().within(within(game.question_budget()));
                Referee::resume(rules, entries)
                    .map(|referee| AnyRecord::InSteps(Box::new(referee.record())))
                    .map_err(|error| error.to_string())
            }
            (Playable::InTime(rules), MatchEntries::InTime(entries)) => {
                let rules = rules.within(within(rules.question_budget()));
                TimedReferee::resume(rules, entries)
                    .map(|referee| AnyRecord::InTime(Box::new(referee.record())))
                    .map_err(|error| error.to_string())
            }
            _ => Err("its journal is one of a game of another kind".to_owned()),
        };
        match told {
            Ok(record) => {
                let largest = self.options.matches.record_bytes / 8;
                Ok(Some(record).filter(|record| held_bytes(record) <= largest))
            }
            Err(error) => {
                tracing::warn!(match_id = row.summary.id, error, "a match cannot be shown");
                Ok(None)
            }
        }
    }
}

/// A match that has not begun, or never will: what is known of it.
fn not_begun(row: &MatchRow) -> MatchRecord {
    let summary = &row.summary;
    MatchRecord {
        match_id: summary.id.clone(),
        game_name: Some(summary.game.clone()),
        seed: row.plan.seed,
        dialect: row.hidden.then(|| ludex::gdl::Dialect::GdlII.to_string()),
        roles: summary.seats.iter().map(|seat| seat.role.clone()).collect(),
        player_names_from_host: summary.seats.iter().map(|seat| seat.player.clone()).collect(),
        start_clock: Some(Duration::from_millis(row.plan.terms.clocks.start)),
        play_clock: Some(Duration::from_millis(row.plan.terms.clocks.play)),
        is_aborted: summary.stage == MatchStage::Aborted,
        abort_cause: summary.aborted.clone(),
        ..MatchRecord::default()
    }
}

#[cfg(test)]
mod tests {
    use ludex::matches::referee::{Effect, Entry, Event, Moment};

    use super::*;
    use crate::manager::ManagerOptions;
    use crate::manager::core::Threads;
    use crate::model::{ClockPlan, MatchPlan, PlayerKind, SeatPlan};
    use crate::store::SqliteStore;

    /// A manager with a match of which the journal has its first entry.
    fn begun(step: Duration) -> (Arc<Core>, Threads, MatchRow, Vec<Entry>) {
        let mut options = ManagerOptions::default();
        options.games.step = step;
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let (core, threads) = Core::start(store, options, None, Arc::default()).unwrap();
        core.store.put_player("Anna", &PlayerKind::Person, 0).unwrap();
        let seat = SeatPlan { player: "Anna".to_owned(), ..SeatPlan::default() };
        let clocks = ClockPlan::new(1_000, 1_000);
        let plan =
            MatchPlan { seed: Some(5), ..MatchPlan::new("tic-tac-toe", vec![seat.clone(), seat], clocks) };
        let (row, _) = core.match_row(plan, None, None).unwrap();
        let Playable::InSteps(game) = core.prepared("tic-tac-toe", None).unwrap() else { panic!() };
        let rules = game.rules().within(Budget::unlimited());
        let mut referee = Referee::new(rules, core.setup(&row).unwrap()).unwrap();
        let mut effects = Vec::new();
        referee.on(Moment::ZERO, Event::Begin, &mut effects);
        let entries = effects.into_iter().filter_map(|effect| match effect {
            Effect::Write(_, entry) => Some(*entry),
            _ => None,
        });
        (core, threads, row, entries.collect())
    }

    #[test]
    fn a_journal_tells_of_its_match() {
        let (core, mut threads, row, entries) = begun(Duration::from_secs(600));
        let told = core.work_out_again(&row, &MatchEntries::InSteps(entries)).unwrap();
        assert!(matches!(told, Some(AnyRecord::InSteps(record)) if record.states.len() == 1));
        core.stop(&mut threads, Duration::ZERO);
    }

    /// The whole match has no more time than a step.
    #[test]
    fn what_takes_too_long_is_not_told() {
        let (core, mut threads, row, mut entries) = begun(Duration::ZERO);
        entries.push(Entry::Resumed);
        assert_eq!(core.work_out_again(&row, &MatchEntries::InSteps(entries)).unwrap(), None);
        core.stop(&mut threads, Duration::ZERO);
    }
}
