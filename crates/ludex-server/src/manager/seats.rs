//! Who has the seats of a match, and what came of it on each.

use std::collections::BTreeMap;
use std::sync::Arc;

use ludex::game::Goal;
use ludex::gdl::Notation;
use ludex::matches::message::Request;
use ludex::matches::referee::real_time::TimedReferee;
use ludex::matches::referee::{Referee, SeatNumber, SeatSetup};
use ludex::matches::tournament::FaultCounts;
use ludex::{Match, MatchStatus};

use super::core::Core;
use super::error::ManagerError;
use super::live::Live;
use super::metrics::MeasuredPlayer;
use super::person::{People, Person, PersonSeat};
use super::processes::{BuiltInSeat, ProcessName};
use crate::driver::{Asking, Correspondent, HttpPlayer, NoAnswer};
use crate::model::{MatchRow, MatchStage, PlayerKind, SeatKey, SeatPlan, SeatSummary};

/// Somebody who is not there any more.
struct Gone(String);

impl Correspondent for Gone {
    fn ask(&self, _: &Request) -> Asking {
        let cause = NoAnswer(self.0.clone());
        Box::pin(async move { Err(cause) })
    }
}

impl Core {
    /// Who has each seat, and which of them are people.
    pub(super) fn players(
        &self,
        live: &Arc<Live>,
        seats: &[SeatSetup],
    ) -> (Vec<Arc<dyn Correspondent>>, People) {
        let (mut people, mut strategies, mut has_remote) = (Vec::new(), Vec::new(), false);
        let all = seats.len();
        let mut known = BTreeMap::new();
        let seats = (0..).map(SeatNumber).zip(seats);
        let players = seats.map(|(number, seat)| -> Arc<dyn Correspondent> {
            let (name, notation) = (seat.player.clone(), Notation::from(seat.notation));
            let found = known.entry(name.clone()).or_insert_with(|| self.store.player(&name));
            let kind = match found {
                // It stands in the record.
                Err(error) => return Arc::new(Gone(error.in_general())),
                Ok(player) => player.kind.clone(),
            };
            has_remote |= matches!(kind, PlayerKind::Remote { .. });
            let player: Arc<dyn Correspondent> = match kind.clone() {
                PlayerKind::Person => {
                    let person = Arc::new(Person::new(live, number));
                    people.push((number, Arc::clone(&person)));
                    Arc::new(PersonSeat(person))
                }
                PlayerKind::BuiltIn { strategy } => {
                    // It starts before its clock does. What is wrong with it, it is asked for again.
                    let copy = strategies.iter().filter(|other| **other == strategy).count();
                    let process = ProcessName { strategy: strategy.clone(), copy };
                    if let Err(error) = self.registry.processes.address(&process) {
                        tracing::warn!(strategy, error, "a built-in player does not start");
                    }
                    strategies.push(strategy);
                    Arc::new(BuiltInSeat {
                        processes: Arc::clone(&self.registry.processes),
                        client: Arc::clone(&self.registry.local_client),
                        name,
                        process,
                        notation,
                    })
                }
                PlayerKind::Remote { address, .. } => match address.parse() {
                    Ok(address) => Arc::new(HttpPlayer {
                        client: Arc::clone(&self.registry.client),
                        address,
                        secret: self.secret(&name),
                        name,
                        notation,
                    }),
                    Err(error) => Arc::new(Gone(error.to_string())),
                },
            };
            Arc::new(MeasuredPlayer::new(&self.metrics, &kind, player))
        });
        let players = players.collect();
        (players, People { seats: people, all, has_remote })
    }

    /// The seats that people have.
    pub(super) fn people(&self, row: &MatchRow) -> Vec<SeatNumber> {
        let mut known = BTreeMap::new();
        let mut is_person = |seat: &SeatPlan| {
            *known.entry(seat.player.clone()).or_insert_with(|| {
                self.store.player(&seat.player).is_ok_and(|player| player.kind == PlayerKind::Person)
            })
        };
        let people = (0..).map(SeatNumber).zip(&row.plan.seats).filter(|(_, seat)| is_person(seat));
        people.map(|(number, _)| number).collect()
    }

    /// The seats whose people are waited for before a match begins.
    pub(super) fn empty_seats(&self, row: &MatchRow) -> Vec<SeatNumber> {
        if row.summary.stage != MatchStage::Planned || row.plan.seats.iter().all(|seat| !seat.awaited) {
            return Vec::new();
        }
        let is_empty = |seat: &SeatNumber| {
            let number = seat.0 as usize;
            row.plan.seats[number].awaited && !row.keys.get(number).is_some_and(SeatKey::is_taken)
        };
        self.people(row).into_iter().filter(is_empty).collect()
    }

    /// When there is something to be done about a match that does not run, in milliseconds since 1970: it begins, or goes
    /// on, or nobody has come for so long that it never will.
    pub(super) fn due(&self, row: &MatchRow) -> u64 {
        let summary = &row.summary;
        let clocks =
            |seat: SeatNumber| row.plan.seats[seat.0 as usize].clocks.unwrap_or(row.plan.terms.clocks);
        let longest = self.empty_seats(row).into_iter().map(|seat| clocks(seat).start).max();
        match (summary.stage, longest) {
            // One that ran goes on at once.
            (MatchStage::Running, _) => 0,
            (_, Some(longest)) => summary.due.max(summary.created).saturating_add(longest),
            (_, None) => summary.due,
        }
    }

    /// Somebody has taken a seat of a match, which may have waited for that.
    pub(super) fn seat_taken(&self, id: &str) -> Result<(), ManagerError> {
        let row = self.store.find_match(id)?;
        if self.empty_seats(&row).is_empty() {
            self.scheduler.seated(&row.summary);
        }
        Ok(())
    }
}

/// What came of a match on each seat.
pub(super) fn seats(referee: &Referee) -> Vec<(SeatSummary, FaultCounts)> {
    let course: &Match = referee.course();
    let rules = course.rules();
    let rewards = referee.course().rewards();
    let has_result = matches!(course.status(), MatchStatus::Completed | MatchStatus::Settled(_));
    let goals = course.seat_goals().into_iter().map(|goal| goal.filter(|_| has_result));
    let terms = rules.signature().terms();
    let seats = rules.seats().into_iter().zip(&referee.setup().seats).zip(goals);
    let each = seats.map(|((role, setup), goal)| {
        let index = role.index();
        let mut counts = FaultCounts::default();
        let steps = course.steps().iter().map(|step| &step.faults);
        let of_role = |faults: &Vec<_>| faults.get(index).cloned().flatten();
        let first = course.start_faults().get(index).cloned().flatten();
        for fault in first.into_iter().chain(steps.filter_map(of_role)) {
            counts.count(&fault);
        }
        let summary = SeatSummary {
            role: terms.prefix(rules.signature().roles()[index]),
            player: setup.player.clone(),
            goal,
            reward: rewards.as_ref().and_then(|rewards| rewards.get(index).copied().flatten()),
            faults: counts,
        };
        (summary, counts)
    });
    each.collect()
}

/// What came of a match in real time on each seat.
pub(super) fn timed_seats(referee: &TimedReferee) -> Vec<(SeatSummary, FaultCounts)> {
    let course = referee.course();
    let rules = course.rules();
    let completed = *course.status() == MatchStatus::Completed;
    let seats = rules.seats().into_iter().zip(&referee.setup().seats).zip(FaultCounts::of_timed(course));
    let each = seats.map(|((role, setup), counts)| {
        let goal: Option<Goal> = course.goals().get(role.index()).copied().flatten();
        let summary = SeatSummary {
            role: rules.machine().terms().prefix(rules.role_terms()[role.index()]),
            player: setup.player.clone(),
            goal: goal.filter(|_| completed),
            reward: None,
            faults: counts,
        };
        (summary, counts)
    });
    each.collect()
}
