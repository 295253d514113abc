//! The manager: runs the matches of a competition, is cut off, and goes on with what its disk has.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use ludex_gdl::Dialect;
use ludex_match::message::write_request;
use ludex_match::referee::{Effect, Entry, EntryNumber, Event, RefereeSetup, SeatNumber, TimerNumber};
use ludex_match::tournament::{Fixture, MatchResult, Ongoing, RunningTournament, TournamentEvent};
use ludex_match::view::Viewer;

use super::disk::File;
use super::games;
use super::network::{Author, Letter};
use super::plan::Habit;
use super::sabotage::{Court, Sabotage};
use super::watch::Broken;
use super::world::{Agreed, Happening, MOST_SEATS, World, shown};

/// What a manager has in mind. All of it is gone with a power cut.
pub(crate) struct MatchActor {
    competition: RunningTournament,
    pub(crate) tables: BTreeMap<usize, Court>,
    /// Matches of which the result is written, but not durable.
    settling: BTreeSet<usize>,
    /// The referees' clocks show another time than the world's, in each life another.
    offset: Duration,
    /// How many events of the competition are being written. It is one at a time: what can be written
    /// next is known when the one before it is applied.
    writing: usize,
    /// The events that wait for it.
    events: VecDeque<TournamentEvent>,
}

impl World {
    pub(crate) fn is_over(&self) -> bool {
        let Some(actor) = &self.actor else { return false };
        let idle = actor.tables.is_empty() && actor.writing == 0;
        idle && (actor.competition.is_over() || self.matches.len() >= self.plan.matches)
    }

    /// The manager begins, or begins again with what is on its disk.
    pub(crate) fn restart(&mut self) {
        self.effects_left = self.next_crash();
        self.since = self.now;
        let mut events: Vec<TournamentEvent> = self.read(File::RunningTournament);
        if self.sabotage == Sabotage::ForgetsResults && self.life > 0 {
            events.pop();
        }
        let competition = match RunningTournament::resume(self.plan.competition.clone(), &events) {
            Ok(competition) => competition,
            Err(error) => {
                self.watch.note(Broken::RunningTournament, error.to_string());
                RunningTournament::new(self.plan.competition.clone()).expect("it began like this")
            }
        };
        let offset = self.dice.time((0, 1_000_000));
        let (tables, settling) = (BTreeMap::new(), BTreeSet::new());
        self.actor =
            Some(MatchActor { competition, tables, settling, offset, writing: 0, events: VecDeque::new() });
        self.say(|| format!("the manager begins with {} events", events.len()));
        for number in 0..self.matches.len() {
            self.take_up(number, &events);
        }
        self.begin_matches();
    }

    fn read<T: serde::de::DeserializeOwned>(&mut self, file: File) -> Vec<T> {
        let mut read = Vec::new();
        for line in self.disk.read(file) {
            match serde_json::from_str(&line) {
                Ok(item) => read.push(item),
                Err(error) => self.watch.note(Broken::Record, format!("{file:?}: {error}: {line}")),
            }
        }
        read
    }

    /// Goes on with a match that has a journal but no result.
    fn take_up(&mut self, number: usize, events: &[TournamentEvent]) {
        let journal: Vec<Entry> = self.read(File::Journal(number));
        self.watch.reread(number, &journal);
        let fixture = self.matches[number].fixture.clone();
        let has_result = |event: &TournamentEvent| matches!(event, TournamentEvent::Finished(result) if result.seed == fixture.seed);
        let wanted = self.actor.as_ref().is_some_and(|actor| actor.competition.wants(&fixture));
        let has_ended =
            matches!(journal.iter().rfind(|entry| **entry != Entry::Resumed), Some(Entry::Ended { .. }));
        if journal.is_empty() || events.iter().any(has_result) || (!wanted && has_ended) {
            return;
        }
        let rules = games::rules(&self.plan.competition.tournament.games[fixture.game].name);
        match Court::resume(&rules, &journal, self.sabotage, self.life) {
            Ok(court) => {
                if let Some(actor) = &mut self.actor {
                    actor.tables.insert(number, court);
                }
                self.tell_referee(number, Event::Begin);
                if !wanted {
                    self.stop(number);
                }
            }
            Err(error) => self.watch.note(Broken::Record, format!("m{number}: {error}")),
        }
    }

    /// Begins the matches that the competition names.
    fn begin_matches(&mut self) {
        let Some(actor) = &self.actor else { return };
        let running = actor.tables.keys().map(|&number| self.matches[number].fixture.clone()).collect();
        let room = self.plan.matches.saturating_sub(self.matches.len());
        let next = actor.competition.next(&Ongoing { running, busy: Vec::new() }, room);
        for fixture in next {
            if self.actor.is_none() {
                return;
            }
            self.begin(fixture);
        }
        self.go_on_if_stuck();
    }

    fn begin(&mut self, fixture: Fixture) {
        let number = self.matches.len();
        let rules = games::rules(&self.plan.competition.tournament.games[fixture.game].name);
        let setup = self.plan.agree(&rules, &fixture, format!("m{number}"));
        self.say(|| format!("m{number}: {} on seats {:?}, {}", rules.name(), fixture.seating, terms(&setup)));
        self.watch.agreed(&rules, &setup);
        // What players of complete information are told has no numbers: after a power cut they cannot always
        // know whether a step was made, and may be wrong through no fault of their own.
        let can_know = self.plan.crashes.is_none() || rules.dialect() == Dialect::GdlII;
        let is_fair = |&player: &usize| self.plan.habits[player] == Habit::Fair;
        self.watch.matches[number].blameless =
            fixture.seating.iter().map(|player| self.plan.clean && can_know && is_fair(player)).collect();
        self.matches.push(Agreed { fixture, began: self.now });
        let court = Court::new(&rules, setup, self.sabotage, 0).expect("the setup is right");
        if let Some(actor) = &mut self.actor {
            actor.tables.insert(number, court);
        }
        self.tell_referee(number, Event::Begin);
    }

    /// Where nothing is running, somebody has to let it go on.
    fn go_on_if_stuck(&mut self) {
        let Some(actor) = &self.actor else { return };
        let idle = actor.tables.is_empty() && actor.writing == 0 && !actor.competition.is_over();
        if !idle || self.matches.len() >= self.plan.matches {
            return;
        }
        if self.plan.storms == 0 {
            return self.watch.note(Broken::RunningTournament, "nothing to play, but not over");
        }
        let names = self.plan.competition.tournament.players.clone();
        self.note_event(TournamentEvent::Resumed);
        for player in names {
            self.note_event(TournamentEvent::Available { player });
        }
    }

    /// Something happened in the competition.
    fn note_event(&mut self, event: TournamentEvent) {
        if let Some(actor) = &mut self.actor {
            actor.events.push_back(event);
            self.write_event();
        }
    }

    /// Writes down what happened in the competition, one event after the other.
    fn write_event(&mut self) {
        let side_by_side = self.sabotage == Sabotage::SideBySide;
        while let Some(actor) = &mut self.actor
            && (actor.writing == 0 || side_by_side)
            && let Some(event) = actor.events.pop_front()
        {
            if let TournamentEvent::Finished(result) = &event
                && !side_by_side
            {
                let of = |number: &usize| self.matches[*number].fixture.seed == result.seed;
                let settled = actor.settling.iter().copied().find(of);
                let is_wanted = |number: usize| actor.competition.wants(&self.matches[number].fixture);
                if let Some(number) = settled.filter(|&number| !is_wanted(number)) {
                    actor.tables.remove(&number);
                    continue;
                }
            }
            actor.writing += 1;
            self.say(|| format!("the competition: {event:?}"));
            self.append(File::RunningTournament, serde_json::to_string(&event).expect("it is plain data"));
        }
    }

    fn append(&mut self, file: File, line: String) {
        let upto = self.disk.append(file, line);
        let delay = if self.dice.in_thousand(20) { (100, 1_500) } else { (0, 20) };
        let delay = self.dice.time(delay);
        self.after(delay, Happening::Flushed { life: self.life, file, upto });
    }

    /// What was written is durable, and whoever wrote it hears of it.
    pub(crate) fn flushed(&mut self, life: u64, file: File, upto: u64) {
        if life != self.life || self.actor.is_none() {
            return;
        }
        for (line_number, line) in self.disk.flush(file, upto) {
            match file {
                File::RunningTournament => {
                    if let Ok(event) = serde_json::from_str(&line) {
                        self.apply(&event);
                    }
                }
                File::Journal(number) => {
                    if let Ok(entry) = serde_json::from_str(&line) {
                        self.watch.durable(number, &entry);
                    }
                    self.tell_referee(number, Event::Written(EntryNumber(line_number)));
                    self.look(number);
                    self.interfere(number);
                }
            }
            // The power may have gone in between; the rest is durable nevertheless.
            if self.actor.is_none() {
                return;
            }
        }
    }

    /// An event of the competition is durable.
    fn apply(&mut self, event: &TournamentEvent) {
        let Some(actor) = &mut self.actor else { return };
        actor.writing = actor.writing.saturating_sub(1);
        if let Err(error) = actor.competition.apply(event) {
            self.watch.note(Broken::RunningTournament, error.to_string());
        }
        if let TournamentEvent::Finished(result) = event {
            let matches = &self.matches;
            actor.tables.retain(|&number, _| {
                !(matches[number].fixture.seed == result.seed && actor.settling.contains(&number))
            });
            self.finished += 1;
        }
        let unwanted: Vec<usize> = actor.tables.keys().copied().collect();
        for number in unwanted {
            let wants = |actor: &MatchActor| actor.competition.wants(&self.matches[number].fixture);
            if self.actor.as_ref().is_some_and(|actor| !wants(actor)) {
                self.stop(number);
            }
        }
        self.write_event();
        self.begin_matches();
    }

    /// Somebody does something to the competition, or ends a match.
    fn interfere(&mut self, number: usize) {
        if !self.dice.in_thousand(self.plan.storms) || self.actor.is_none() {
            return;
        }
        let player = self.dice.pick(&self.plan.competition.tournament.players).clone();
        let event = match self.dice.below(8) {
            0 => TournamentEvent::StruckOut { player },
            1 => TournamentEvent::Unavailable { player },
            2 | 3 => TournamentEvent::Available { player },
            4 => TournamentEvent::Paused,
            5 => return self.stop(number),
            _ => TournamentEvent::Resumed,
        };
        self.say(|| format!("the organiser: {event:?}"));
        self.note_event(event);
    }

    /// Ends a match early.
    fn stop(&mut self, number: usize) {
        self.watch.matches[number].stopped = true;
        self.tell_referee(number, Event::Abort("the organiser wants it".to_owned()));
    }

    pub(crate) fn timer(&mut self, life: u64, number: usize, timer: TimerNumber) {
        if life == self.life {
            self.tell_referee(number, Event::Timer(timer));
        }
    }

    pub(crate) fn answer_arrives(
        &mut self,
        letter: Letter,
        answer: Result<Vec<u8>, String>,
        author: Option<Author>,
    ) {
        let Letter { number, seat, message } = letter;
        let there = self.actor.as_ref().is_some_and(|actor| actor.tables.contains_key(&number));
        if !there {
            if let Some(author) = author {
                self.bounce(author);
            }
            return;
        }
        self.say(|| match &answer {
            Ok(bytes) => format!(
                "m{number} seat {} answers {}: {}",
                seat.0,
                message.0,
                shown(&String::from_utf8_lossy(bytes))
            ),
            Err(cause) => format!("m{number} seat {} fails {}: {cause}", seat.0, message.0),
        });
        self.watch.answered(number, (seat, message), &answer, self.now);
        self.tell_referee(
            number,
            match answer {
                Ok(bytes) => Event::Reply { seat, message, bytes },
                Err(cause) => Event::Fault { seat, message, cause },
            },
        );
        if self.dice.in_thousand(30) {
            self.look(number);
        }
    }

    /// Somebody looks at a match.
    fn look(&mut self, number: usize) {
        let Some(actor) = &self.actor else { return };
        let Some(court) = actor.tables.get(&number) else { return };
        let seats = court.referee().setup().seats.len();
        let viewer = match self.dice.below(seats + 1) {
            0 => Viewer::Spectator,
            seat => Viewer::Seat(SeatNumber(seat as u32 - 1)),
        };
        let seen = court.snapshot(self.now + actor.offset, viewer);
        self.watch.sees(number, viewer, &seen);
    }

    /// Something comes to a referee, and what it wants is done, until the power is cut.
    fn tell_referee(&mut self, number: usize, event: Event) {
        let Some(actor) = &mut self.actor else { return };
        let now = self.now + actor.offset;
        let Some(court) = actor.tables.get_mut(&number) else { return };
        let mut out = Vec::new();
        court.on(now, event, &mut out);
        for effect in out {
            if let Some(left) = &mut self.effects_left {
                *left -= 1;
                if *left == 0 {
                    return self.crash();
                }
            }
            self.perform(number, effect);
        }
    }

    fn perform(&mut self, number: usize, effect: Effect) {
        let offset = self.actor.as_ref().map_or(Duration::ZERO, |actor| actor.offset);
        match effect {
            Effect::Write(entry_number, entry) => {
                self.say(|| match &*entry {
                    Entry::Opened { .. } => format!("m{number} writes {}: opened", entry_number.0),
                    entry => format!("m{number} writes {}: {entry:?}", entry_number.0),
                });
                self.watch.writes(number, &entry, self.now);
                let line = serde_json::to_string(&entry).expect("it is plain data");
                self.append(File::Journal(number), line);
            }
            Effect::Send { seat, message, request, until } => {
                let until = until.saturating_sub(offset);
                let notation = self.watch.matches[number].truth.codecs[seat.0 as usize].notation();
                let text = write_request(&request, notation);
                self.say(|| format!("m{number} seat {} message {}: {}", seat.0, message.0, shown(&text)));
                self.watch.sends(number, (seat, message), &request, (self.now, until));
                let player = self.matches[number].fixture.seating[seat.0 as usize];
                let process = player * MOST_SEATS + seat.0 as usize;
                self.carry_message(Letter { number, seat, message }, process, text);
            }
            Effect::Wake { timer, at } => {
                let late = if self.dice.in_thousand(100) { self.dice.time((0, 30)) } else { Duration::ZERO };
                let delay = at.saturating_sub(self.now + offset) + late;
                self.after(delay, Happening::Timer { life: self.life, number, timer });
                if self.dice.in_thousand(20) {
                    // A timer that goes off too early.
                    self.after(delay / 2, Happening::Timer { life: self.life, number, timer });
                }
            }
            Effect::Drop { .. } => {}
            Effect::Done => self.done(number),
        }
    }

    /// A match is over and all was said.
    fn done(&mut self, number: usize) {
        self.interfere(number);
        let Some(actor) = &mut self.actor else { return };
        let Some(court) = actor.tables.get(&number) else { return };
        let fixture = &self.matches[number].fixture;
        let mut result =
            MatchResult::of(&self.plan.competition.tournament, fixture, court.referee().course());
        if self.sabotage == Sabotage::Bribed {
            result.goals.rotate_left(1);
        }
        let journal: Vec<Entry> = self.disk_entries(number);
        let Some(actor) = &mut self.actor else { return };
        let Some(court) = actor.tables.get(&number) else { return };
        self.watch.done(number, court.referee(), &journal);
        if actor.competition.wants(&self.matches[number].fixture) && actor.settling.insert(number) {
            self.note_event(TournamentEvent::Finished(result));
        } else {
            actor.tables.remove(&number);
            self.begin_matches();
        }
    }

    fn disk_entries(&self, number: usize) -> Vec<Entry> {
        let lines = self.disk.lines(File::Journal(number));
        lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The power is cut: the manager is gone, and what was not durable may be.
    fn crash(&mut self) {
        self.say(|| "the power is cut".to_owned());
        self.actor = None;
        self.life += 1;
        self.crashes += 1;
        self.disk.crash(&mut self.dice);
        self.watch.forget_questions();
        let delay = self.dice.time((1, 15_000));
        self.after(delay, Happening::Restart);
    }

    /// The competition is what its results make it, and every match counts once.
    pub(crate) fn check_competition(&mut self) {
        let lines = self.disk.lines(File::RunningTournament);
        let events: Vec<TournamentEvent> =
            lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let Some(actor) = &self.actor else { return };
        let mut broken = Vec::new();
        match RunningTournament::resume(self.plan.competition.clone(), &events) {
            Ok(again) if again.results() == actor.competition.results() => {
                if again.ranking() != actor.competition.ranking() {
                    broken.push("the events make another ranking".to_owned());
                }
            }
            Ok(_) => broken.push("the events make other results".to_owned()),
            Err(error) => broken.push(error.to_string()),
        }
        let mut seeds = BTreeSet::new();
        for event in &events {
            let TournamentEvent::Finished(result) = event else { continue };
            if !seeds.insert(result.seed) {
                broken.push(format!("a match counts twice: {result:?}"));
            }
            broken.extend(self.compare_result(result));
        }
        for text in broken {
            self.watch.note(Broken::RunningTournament, text);
        }
    }

    /// What is wrong with a result, by what is true of its match.
    fn compare_result(&self, result: &MatchResult) -> Option<String> {
        let of = |(agreed, _): &(&Agreed, _)| agreed.fixture.seed == result.seed;
        let played = self.matches.iter().zip(&self.watch.matches).filter(of);
        let ended: Vec<_> = played.filter(|(_, observed)| observed.truth.ended.is_some()).collect();
        let [(_, observed)] = &ended[..] else {
            return Some(format!("{} matches were played for {result:?}", ended.len()));
        };
        let truth = &observed.truth;
        let goals = truth.position.goals().unwrap_or_default();
        let goals: Vec<_> = truth.roles.iter().map(|role| goals[role.index()]).collect();
        let same = goals == result.goals
            && result.steps as usize == truth.steps.len()
            && Some(&result.aborted) == truth.ended.as_ref();
        (!same).then(|| format!("{result:?}, but goals were {goals:?} and it ended {:?}", truth.ended))
    }
}

/// What was agreed, in a line.
fn terms(setup: &RefereeSetup) -> String {
    let RefereeSetup { clocks, patience, step_limit, .. } = setup;
    let seats: Vec<String> = setup
        .seats
        .iter()
        .map(|seat| {
            let own = if seat.rulesheet.is_some() { " own rules" } else { "" };
            let scrambled = if seat.scramble.is_some() { " scrambled" } else { "" };
            format!("{} {:?}{own}{scrambled}", seat.player, seat.notation)
        })
        .collect();
    format!("{}; {clocks:?}, {patience:?}, at most {step_limit:?} steps", seats.join(", "))
}
