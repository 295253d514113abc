//! Playing one match of a tournament in real time.

use std::sync::Arc;

use ludex_game::TimedRules;
use ludex_gdl::GameTime;
use ludex_logic::{Budget, Clock, LimitError};
use ludex_match::tournament::{FaultCounts, MatchResult};
use ludex_match::{MatchSetup, TimedRecord, TimedRecordTerms};
use ludex_players::{Registry, Resources};

use super::{Fixture, FixtureOptions, Tournament};
use crate::timed_table::{TimedResult, TimedTable, TimedTableOptions};
use crate::turn_based::create_timed_player;

/// Plays a match in real time, in simulated time ([`TimedTable`]). The play clock is how long one unit of game time lasts,
/// and a match is aborted after so many units as steps are allowed. Moves that came too late or were not legal for another
/// reason count as illegal. There are no random moves at the opening, and there is no record of a match that could not begin.
///
/// # Errors
/// A limit of the budget.
pub fn play_timed_fixture(
    tournament: &Tournament,
    fixture: &Fixture,
    rules: &TimedRules,
    options: &FixtureOptions,
    registry: &Registry,
    clock: Arc<dyn Clock>,
    budget: &Budget,
) -> Result<(MatchResult, Option<TimedRecord>), LimitError> {
    let names = tournament.seated(fixture);
    let setup = MatchSetup { seed: fixture.seed, ..MatchSetup::default() };
    let seats = rules.seats();
    let failed = |cause: String| Ok((MatchResult::failed(tournament, fixture, cause), None));
    let mut players = Vec::new();
    for (&role, name) in seats.iter().zip(&names) {
        let resources =
            Resources { seed: setup.player_seed(role), memory: options.memory, ..Resources::default() };
        match create_timed_player(rules, name, registry, &resources) {
            Ok(player) => players.push(player),
            Err(cause) => return failed(cause),
        }
    }
    let longest = u64::from(options.step_limit).saturating_mul(GameTime::ONE.units());
    let table_options = TimedTableOptions {
        seed: fixture.seed,
        delay: GameTime::ZERO,
        longest: GameTime::from_units(longest).unwrap_or(GameTime::MAX),
        unit: options.play_clock,
        clock,
        start_clock: options.start_clock,
        slice: TimedTableOptions::usual_slice(options.play_clock),
        budget: budget.clone(),
    };
    let table = match TimedTable::new(rules, players, table_options) {
        Ok(table) => table,
        Err(error) => return failed(error.to_string()),
    };
    let played = table.play(&mut |_, _| {});
    budget.meter().check()?;
    match played {
        Ok(played) => {
            let terms = TimedRecordTerms {
                id: format!("{}.{}.{}", rules.short_name(), fixture.round, fixture.seed),
                seed: fixture.seed,
                players: names,
                start_clock: options.start_clock,
                play_clock: options.play_clock,
                start_time: None,
            };
            let record = played.record(rules, terms);
            Ok((result(tournament, fixture, rules, &played), Some(record)))
        }
        Err(error) => failed(error.to_string()),
    }
}

fn result(
    tournament: &Tournament,
    fixture: &Fixture,
    rules: &TimedRules,
    played: &TimedResult,
) -> MatchResult {
    let seats = rules.seats();
    let aborted = (!played.completed).then(|| "not played to the end".to_owned());
    let faults = seats.iter().map(|role| {
        let of_role = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        FaultCounts {
            late: 0,
            illegal: of_role(played.refused.iter().filter(|refusal| refusal.role == *role).count()),
            failed: of_role(played.failures.iter().filter(|(failed, _)| failed == role).count()),
        }
    });
    MatchResult {
        goals: seats.iter().map(|role| played.goals.get(role.index()).copied().flatten()).collect(),
        steps: u32::try_from(played.history.len()).unwrap_or(u32::MAX),
        aborted,
        faults: faults.collect(),
        ..MatchResult::failed(tournament, fixture, "")
    }
}
