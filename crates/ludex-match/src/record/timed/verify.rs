//! Whether the rules bear out a record in real time.

use std::slice::Iter;

use ludex_game::{RoleId, TimedAnswer, TimedRules, longest_delay};
use ludex_gdl::GameTime;

use super::{TimedRecord, TimedRecordEvent, TimedReplay};
use crate::course::Fault;
use crate::record::{MatchMismatch, MatchReport};
use crate::referee::real_time::{Arrival, Verdict};

/// Compares everything in a record with the rules: roles, lists and their lengths, that what is said to have expired did,
/// and what is not said did not, that moves which were made were legal and those which were refused were not, that each
/// move which came is in an update and the other way round, what roles were told, that `random` moved when it had to, the
/// end and the goals. Whether `random` drew what its seed says is not compared.
///
/// The number of a step is the number of events before.
pub fn verify_timed_match(rules: &TimedRules, record: &TimedRecord) -> MatchReport {
    let mut check = Check {
        rules,
        record,
        seats: record.seats(),
        arrivals: record.moves.iter(),
        pending: None,
        report: MatchReport { steps: 0, mismatches: Vec::new() },
    };
    check.shape();
    if check.report.mismatches.is_empty()
        && let Err(error) = check.follow()
    {
        check.differ(check.report.steps as usize, "answer of the rules", "", &error);
    }
    check.report
}

/// A move of `random` that is pending. Which one is not known.
#[derive(Clone, Copy)]
struct Pending {
    /// When it was drawn.
    since: GameTime,
    /// It is made, or wasted, at this time at the latest.
    by: GameTime,
}

struct Check<'r> {
    rules: &'r TimedRules,
    record: &'r TimedRecord,
    /// The place among the roles of each seat.
    seats: Vec<usize>,
    /// The moves that came and were not compared yet.
    arrivals: Iter<'r, Arrival>,
    pending: Option<Pending>,
    report: MatchReport,
}

impl<'r> Check<'r> {
    fn differ(&mut self, step: usize, what: &str, expected: impl ToString, found: impl ToString) {
        let (expected, found) = (expected.to_string(), found.to_string());
        let step = u32::try_from(step).unwrap_or(u32::MAX);
        self.report.mismatches.push(MatchMismatch { step, what: what.to_owned(), expected, found });
    }

    /// What can be said without running anything.
    fn shape(&mut self) {
        let (record, rules) = (self.record, self.rules);
        let terms = rules.machine().terms();
        let roles: Vec<String> = rules.role_terms().iter().map(|&role| terms.prefix(role)).collect();
        if record.roles != roles {
            self.differ(0, "roles", record.roles.join(" "), roles.join(" "));
        }
        if record.dialect != rules.dialect().to_string() {
            self.differ(0, "dialect", &record.dialect, rules.dialect());
        }
        let wanted = roles.len();
        let mut lengths = vec![
            (0, "playerNamesFromHost", record.player_names_from_host.len()),
            (0, "startErrors", record.start_errors.len()),
            (0, "readyTimes", record.ready_times.len()),
        ];
        lengths.extend(
            record.goal_values.as_ref().map(|goals| (record.events.len(), "goalValues", goals.len())),
        );
        for (step, event) in record.events.iter().enumerate() {
            lengths.push((step, "moves", event.moves.len()));
            if rules.dialect().has_percepts() || !event.told.is_empty() {
                lengths.push((step, "told", event.told.len()));
            }
        }
        for (step, field, found) in lengths {
            if found != wanted {
                self.differ(step, &format!("length of {field}"), found, wanted);
            }
        }
    }

    fn follow(&mut self) -> Result<(), String> {
        let record = self.record;
        let mut replay = TimedReplay::new(self.rules, record).map_err(|error| error.to_string())?;
        let over = self.compare(&mut replay).map_err(|error| error.to_string())?;
        if !over {
            self.end(&mut replay).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Compares all events. Whether it makes no sense to go on.
    fn compare(&mut self, replay: &mut TimedReplay<'_>) -> TimedAnswer<bool> {
        self.note_draw(0, replay, GameTime::ZERO)?;
        for (step, event) in self.record.events.iter().enumerate() {
            self.refusals(step, replay, event.time, false)?;
            self.moves(step, event);
            self.compare_pending(step, event);
            if replay.terminal()? {
                self.differ(step, "events after the end", event.time, "none");
                return Ok(true);
            }
            if let Err(error) = replay.advance() {
                self.differ(step, "event", describe(event), error);
                return Ok(true);
            }
            self.report.steps += 1;
            self.outcome(step, event, replay);
            self.note_draw(step + 1, replay, event.time)?;
        }
        Ok(false)
    }

    /// Compares the moves that were refused before a time, or also at it, with what is legal then.
    fn refusals(
        &mut self,
        step: usize,
        replay: &mut TimedReplay<'_>,
        time: GameTime,
        inclusive: bool,
    ) -> TimedAnswer<()> {
        let terms = self.rules.machine().terms();
        while let [arrival, ..] = self.arrivals.as_slice() {
            let is_due = arrival.time < time || (inclusive && arrival.time == time);
            let Verdict::Refused(fault) = &arrival.verdict else { break };
            if !is_due {
                break;
            }
            self.arrivals.next();
            let Some(&role) = self.seats.get(arrival.seat.0 as usize) else {
                self.differ(step, "seat", arrival.seat.0, "no such seat");
                continue;
            };
            let legal = replay.legal(RoleId(role as u32))?;
            if let Fault::Illegal(text) = fault
                && legal.iter().any(|&action| terms.prefix(action) == *text)
            {
                let when = format!("`{text}` refused at {}", arrival.time);
                self.differ(step, "refused move", when, "it is legal then");
            }
        }
        Ok(())
    }

    /// Compares the moves of players in an event with those that came.
    fn moves(&mut self, step: usize, event: &TimedRecordEvent) {
        let of_seat = |(seat, &role): (usize, &usize)| Some((seat, event.moves.get(role)?.as_ref()?));
        let made: Vec<(usize, &String)> = self.seats.iter().enumerate().filter_map(of_seat).collect();
        if made.is_empty() {
            return;
        }
        let came = self.arrivals.next();
        let fits = came.is_some_and(|came| {
            let made_it = |&(seat, text): &(usize, &String)| {
                came.seat.0 as usize == seat && came.verdict == Verdict::Made(text.clone())
            };
            came.time == event.time && made.len() == 1 && made.iter().all(made_it)
        });
        if !fits {
            let came = came.map_or("no move came".to_owned(), |came| {
                format!("{:?} of seat {} at {}", came.verdict, came.seat.0, came.time)
            });
            self.differ(step, "moves that came", describe(event), came);
        }
    }

    /// Compares what came of an event.
    fn outcome(&mut self, step: usize, event: &TimedRecordEvent, replay: &TimedReplay<'_>) {
        if event.wasted.is_some() {
            let is_made = event.moves.iter().any(Option::is_some) || !event.expired.is_empty();
            if is_made || event.told.iter().any(Option::is_some) {
                self.differ(step, "update with a wasted move", describe(event), "none");
            }
            return;
        }
        let terms = self.rules.machine().terms();
        let expired: Vec<String> = replay.state().expired().iter().map(|&fact| terms.prefix(fact)).collect();
        if expired != event.expired {
            self.differ(step, "expired", event.expired.join(" "), expired.join(" "));
        }
        let shown = |told: Option<Vec<String>>| told.map_or("nothing".to_owned(), |told| told.join(" "));
        for (role, told) in (0..).map(RoleId).zip(&event.told) {
            let found = replay.percepts(role);
            let found = found.map(|told| told.iter().map(|&percept| terms.prefix(percept)).collect());
            if found != *told {
                let what = format!("told {}", self.record.roles[role.index()]);
                self.differ(step, &what, shown(told.clone()), shown(found));
            }
        }
    }

    /// The move of `random` in an event, or the one that was wasted, and whether it is one that is delayed.
    fn random_move(&self, event: &TimedRecordEvent) -> Option<bool> {
        let machine = self.rules.machine();
        let made = event.moves.get(machine.random()?.index())?.as_ref().or(event.wasted.as_ref())?;
        let action = machine.find_term(made).ok().flatten();
        Some(action.is_some_and(|action| longest_delay(&**machine, action).is_some()))
    }

    /// Compares an event with the move of `random` that is pending, if one is.
    fn compare_pending(&mut self, step: usize, event: &TimedRecordEvent) {
        let is_delayed = self.random_move(event) == Some(true);
        match self.pending {
            Some(Pending { since, by }) if event.time > by || (is_delayed && event.time <= since) => {
                self.differ(
                    step,
                    "pending move of random",
                    describe(event),
                    format!("after {since}, by {by}"),
                );
                self.pending = None;
            }
            None if is_delayed => self.differ(step, "pending move of random", describe(event), "none"),
            Some(_) if is_delayed => self.pending = None,
            Some(_) | None => {}
        }
    }

    /// Takes note of what `random` draws in a state, and looks whether it makes at once what it has to make at once.
    fn note_draw(&mut self, step: usize, replay: &mut TimedReplay<'_>, time: GameTime) -> TimedAnswer<()> {
        let machine = &**self.rules.machine();
        let Some(random) = machine.random() else {
            return Ok(());
        };
        if self.pending.is_some() || replay.terminal()? {
            return Ok(());
        }
        let legal = replay.legal(random)?;
        let next = self.record.events.get(step).filter(|event| event.time == time);
        if legal.is_empty() || next.is_some_and(|event| self.random_move(event) == Some(false)) {
            return Ok(());
        }
        // It drew one that waits.
        match legal.iter().filter_map(|&action| longest_delay(machine, action)).max() {
            Some(most) => {
                self.pending =
                    Some(Pending { since: time, by: time.checked_add(most).unwrap_or(GameTime::MAX) });
            }
            None => self.differ(step, "move of random", "none", format!("one at {time}")),
        }
        Ok(())
    }

    /// Compares the end.
    fn end(&mut self, replay: &mut TimedReplay<'_>) -> TimedAnswer<()> {
        let (record, step) = (self.record, self.record.events.len());
        self.refusals(step, replay, record.time, true)?;
        if let Some(left) = self.arrivals.next() {
            self.differ(step, "moves that came", format!("one at {}", left.time), "no update");
        }
        let terminal = replay.terminal()?;
        let expiry = replay.state().time_to_expiry().and_then(|left| replay.updated().checked_add(left));
        if terminal && record.time != replay.updated() {
            self.differ(step, "time", record.time, replay.updated());
        } else if let Some(expiry) = expiry.filter(|&expiry| !terminal && expiry <= record.time) {
            self.differ(step, "expired", "nothing", format!("something at {expiry}"));
        }
        let overdue =
            |pending: &Pending| pending.by < record.time || (!terminal && pending.by == record.time);
        if let Some(Pending { by, .. }) = self.pending.filter(overdue) {
            self.differ(
                step,
                "pending move of random",
                format!("none up to {}", record.time),
                format!("by {by}"),
            );
        }
        if terminal != record.is_completed {
            self.differ(step, "completed", record.is_completed, terminal);
        }
        let goals = terminal.then(|| replay.goals()).transpose()?;
        if goals != record.goal_values {
            self.differ(step, "goal values", format!("{:?}", record.goal_values), format!("{goals:?}"));
        }
        Ok(())
    }
}

fn describe(event: &TimedRecordEvent) -> String {
    if let Some(wasted) = &event.wasted {
        return format!("`{wasted}` wasted at {}", event.time);
    }
    let made: Vec<&str> = event.moves.iter().map(|made| made.as_deref().unwrap_or("nil")).collect();
    format!("({}) at {}, {} expired", made.join(" "), event.time, event.expired.len())
}
