//! A match is the fold of its journal: a referee that was cut off goes on as if it had not been.

use crate::bundled;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::harness::{Harness, Sent, joint, seconds, setup, shown};
use ludex_game::{Rng, Rules};
use ludex_match::message::{Last, Request, SeatCodec};
use ludex_match::referee::{
    Entry, EntryNumber, Event, Patience, Referee, RefereeError, RefereeSetup, SeatNotation, SeatNumber,
    TimeBank,
};
use ludex_match::{Fault, MatchStatus, verify_match};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

/// Plays the match of chapter 3.4 from wherever it is; white answers with its first legal move.
fn play_on(harness: &mut Harness) {
    harness.begin();
    while !harness.done {
        for seat in harness.referee.awaited().iter().map(|awaited| awaited.seat.0).collect::<Vec<_>>() {
            let text = match &harness.last_sent(seat).request {
                Request::Start(_) => "ready".to_owned(),
                Request::Play { .. } => {
                    let course = harness.referee.course();
                    let role = course.rules().seats()[seat as usize];
                    course.rules().text(course.legal(role)[0])
                }
                _ => "done".to_owned(),
            };
            harness.wait(Duration::from_millis(250));
            harness.answer(seat, &text);
        }
    }
}

/// Entries without those that only say that the referee began again.
fn of_the_match(journal: &[Entry]) -> Vec<Entry> {
    journal.iter().filter(|entry| **entry != Entry::Resumed).cloned().collect()
}

#[test]
fn every_prefix_of_a_journal_leads_to_the_same_match() {
    for game in ["gdl/tic-tac-toe.kif", "gdl-ii/blind-tic-tac-toe.gdl"] {
        let rules = bundled::rules(game);
        let mut whole = Harness::new(&rules, setup(&rules));
        play_on(&mut whole);
        let moves = |journal: &[Entry]| journal.iter().filter_map(joint).collect::<Vec<_>>();
        for length in 1..=whole.journal.len() {
            let mut resumed = Harness::resume(&rules, &whole.journal[..length]);
            assert_eq!(resumed.sent, []);
            play_on(&mut resumed);
            assert_eq!(resumed.journal[length], Entry::Resumed);
            assert_eq!(moves(&resumed.journal), moves(&whole.journal), "{game} cut off after {length}");
            let (one, other) = (resumed.referee.record(), whole.referee.record());
            assert_eq!((one.states, one.goal_values), (other.states, other.goal_values));
            assert_eq!(one.errors, other.errors);
        }
    }
}

#[test]
fn the_last_unanswered_message_is_sent_again_with_a_full_clock_and_a_new_number() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut first = Harness::new(&rules, setup(&rules));
    first.begin();
    let opened = first.journal.clone();
    first.answer_all(&["ready", "ready"]);
    first.answer_all(&["mark(1,1)", "noop"]);
    first.wait(seconds(9));
    first.answer(0, "noop");
    let cut_off = first.journal.clone();
    // Twice, without an answer in between.
    let mut second = Harness::resume(&rules, &cut_off);
    second.begin();
    let mut third = Harness::resume(&rules, &second.journal);
    third.begin();
    let numbers = |harness: &Harness| harness.sent.iter().map(|sent| sent.message).collect::<Vec<_>>();
    for later in [&second, &third] {
        assert_eq!(later.sent.len(), 2);
        for (sent, before) in later.sent.iter().zip(first.sent.iter().rev().take(2).rev()) {
            assert_eq!((sent.seat, &sent.request), (before.seat, &before.request));
            assert_eq!(sent.until, later.now + seconds(10));
            assert!(!numbers(&first).contains(&sent.message));
        }
    }
    assert!(numbers(&second).iter().all(|number| !numbers(&third).contains(number)));
    // Answers to the first referee do not count for the third.
    let old = first.last_sent(1).message;
    third.on(Event::Reply { seat: SeatNumber(1), message: old, bytes: b"mark(1,2)".to_vec() });
    assert_eq!(third.referee.awaited().len(), 2);
    // Before the match was ready it begins with the start messages.
    let mut early = Harness::resume(&rules, &opened);
    early.begin();
    assert!(early.sent.iter().all(|sent| matches!(sent.request, Request::Start(_))));
}

#[test]
fn who_is_new_when_a_match_goes_on_is_told_what_it_is() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut first = Harness::ready(&rules, setup(&rules));
    first.answer_all(&["mark(1,1)", "noop"]);
    let mut second = Harness::resume(&rules, &first.journal);
    assert!(second.referee.introduce(&[SeatNumber(1)]));
    second.begin();
    assert_eq!(second.sent.len(), 1, "nobody else is asked to get ready");
    let Request::Start(start) = &second.last_sent(1).request else { panic!("{:?}", second.sent) };
    assert!(start.more.contains(&("(does 1 white)".to_owned(), "(mark 1 1)".to_owned())), "{:?}", start.more);
    second.wait(seconds(2));
    second.answer(1, "ready");
    assert_eq!(second.sent.len(), 3);
    assert!(matches!(second.last_sent(0).request, Request::Play { last: Last::Joint(_), .. }));
    assert!(matches!(second.last_sent(1).request, Request::Play { last: Last::Nothing, .. }));
    second.answer_all(&["noop", "mark(2,2)"]);
    let last: Vec<String> = second.sent.iter().rev().take(2).map(|sent| shown(&sent.request)).collect();
    assert!(
        last.iter().all(|text| text.contains("(mark 2 2)")),
        "after a step both are told as always: {last:?}"
    );

    // The journal tells the same match, and where it is cut off before the new player was ready, the next one is.
    let again = Harness::resume(&rules, &second.journal);
    assert_eq!(again.referee.record().moves, second.referee.record().moves);
    let resumed = second.journal.iter().position(|entry| *entry == Entry::Resumed).unwrap();
    let mut third = Harness::resume(&rules, &second.journal[..=resumed]);
    assert!(third.referee.introduce(&[SeatNumber(1)]));
    third.begin();
    assert!(matches!(third.last_sent(1).request, Request::Start(_)));
    // A player that is never ready is asked for its moves all the same.
    third.wait(seconds(11));
    assert!(matches!(third.last_sent(1).request, Request::Play { .. }));
    assert!(
        third.journal.iter().any(|entry| matches!(entry, Entry::Ready { faults, .. } if faults[1].is_some()))
    );

    // Nobody gets ready a second time otherwise, and nobody can be told what others may not know.
    let mut wrong = first.journal.clone();
    wrong.push(Entry::Ready { faults: vec![None; 2], times: vec![None; 2] });
    assert!(matches!(Referee::resume(rules, &wrong), Err(RefereeError::Order { .. })));
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let mut hidden = Harness::ready(&rules, setup(&rules)).referee;
    assert!(!hidden.introduce(&[SeatNumber(0)]));
    assert!(hidden.introduce(&[]));
}

#[test]
fn players_are_told_again_how_it_ended() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut whole = Harness::new(&rules, setup(&rules));
    play_on(&mut whole);
    let told = |harness: &Harness| shown(&harness.last_sent(0).request);
    let mut again = Harness::resume(&rules, &whole.journal);
    assert!(again.referee.has_ended() && !again.referee.is_done());
    again.begin();
    assert_eq!(told(&again), told(&whole));
    again.answer_all(&["done", "done"]);
    assert!(again.done);
    // An aborted match stays aborted, for the reason it was.
    let mut aborted = Harness::new(&rules, setup(&rules));
    aborted.begin();
    aborted.on(Event::Abort("power".into()));
    aborted.write();
    let mut again = Harness::resume(&rules, &aborted.journal);
    assert_eq!(*again.referee.status(), MatchStatus::Aborted("power".into()));
    again.begin();
    assert_eq!(told(&again), "abort(m23)");
}

#[test]
fn what_a_match_counts_is_counted_again() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut agreed = setup(&rules);
    agreed.clocks.bank = Some(TimeBank { total: seconds(12), increment: seconds(1) });
    agreed.patience = Patience::Replace(2);
    let mut first = Harness::new(&rules, agreed);
    first.begin();
    first.answer_all(&["ready", "ready"]);
    first.wait(Duration::from_millis(2500));
    first.answer_all(&["mark(1,1)", "mark(1,1)"]);
    first.answer_all(&["noop", "noop"]);
    assert_eq!(first.referee.bank(SeatNumber(0)), Some(Duration::from_millis(11_500)));
    let mut second = Harness::resume(&rules, &first.journal);
    for seat in [0, 1] {
        assert_eq!(second.referee.bank(SeatNumber(seat)), first.referee.bank(SeatNumber(seat)));
    }
    second.begin();
    assert_eq!(second.sent.len(), 1, "the second player is not asked any more");
    assert_eq!(second.last_sent(0).until, second.now + seconds(10));
}

#[test]
fn a_journal_that_is_not_one_of_the_match_is_refused() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut whole = Harness::new(&rules, setup(&rules));
    play_on(&mut whole);
    let journal = &whole.journal;
    let refused = |journal: &[Entry]| Referee::resume(rules.clone(), journal).unwrap_err();
    assert_eq!(refused(&[]), RefereeError::Empty);
    let order = |number, found| RefereeError::Order { number: EntryNumber(number), found };
    assert_eq!(refused(&journal[1..]), order(0, "ready"));
    let [opened, ready, steps @ .., ended] = &journal[..] else { panic!("{journal:?}") };
    let of = |entries: &[&Entry]| entries.iter().map(|&entry| entry.clone()).collect::<Vec<_>>();
    assert_eq!(refused(&of(&[opened, opened])), order(1, "opened"));
    assert_eq!(refused(&of(&[opened, &steps[0]])), order(1, "stepped"));
    assert_eq!(refused(&of(&[opened, ready, ready])), order(2, "ready"));
    let number = EntryNumber(2);
    assert_eq!(refused(&of(&[opened, ready, ended])), RefereeError::End { number });
    let over = Entry::Ended { aborted: Some("over".into()), settled: None };
    assert_eq!(refused(&of(&[opened, &over, ready])), order(2, "ready"));
    assert_eq!(refused(&of(&[opened, &over, &over])), order(2, "ended"));
    let mut too_long = journal.clone();
    too_long.push(steps[0].clone());
    assert_eq!(refused(&too_long), order(journal.len() as u64, "stepped"));
    let skipped = refused(&of(&[opened, ready, &steps[1]]));
    assert!(matches!(skipped, RefereeError::Move { .. }), "{skipped}");
    // Only the last step says that the match is over, and then no abort follows.
    assert_eq!(steps.iter().map(Entry::ends_match).rposition(|last| !last), Some(steps.len() - 2));
    let end = EntryNumber(journal.len() as u64 - 1);
    let aborted = [&journal[..journal.len() - 1], std::slice::from_ref(&over)].concat();
    assert_eq!(refused(&aborted), RefereeError::End { number: end });
    let mut early = steps[0].clone();
    let Entry::Stepped { last, .. } = &mut early else { panic!("{early:?}") };
    *last = true;
    assert_eq!(refused(&of(&[opened, ready, &early])), RefereeError::End { number: EntryNumber(2) });
    let step = |joint: &[&str], faults: usize| Entry::Stepped {
        joint: joint.iter().map(|&text| text.to_owned()).collect(),
        faults: vec![None; faults],
        times: vec![None; 2],
        at: None,
        last: false,
    };
    for joint in [&["(mark 1 1)"][..], &["(mark 9 9)", "noop"], &["noop", "noop"], &["(", ""]] {
        let error = refused(&of(&[opened, ready, &step(joint, 2)]));
        assert!(matches!(error, RefereeError::Move { .. }), "{error}");
    }
    let error = refused(&of(&[opened, ready, &step(&["(mark 1 1)", "noop"], 3)]));
    assert_eq!(error, RefereeError::Length { number, values: 3, seats: 2 });
    let other = bundled::rules("gdl/tic-tac-toe.gdl");
    let error = Referee::resume(other, journal).unwrap_err();
    assert!(matches!(error, RefereeError::OtherRules { .. }));
}

#[test]
fn a_journal_is_read_as_it_was_written() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let mut agreed = setup(&rules);
    agreed.time_cost = Some(0.1);
    agreed.told = Some(vec![("standing".into(), "(points 3)".into())]);
    agreed.seats[1].scramble = Some(3);
    let mut whole = Harness::new(&rules, agreed);
    whole.begin();
    whole.fail(0, "closed");
    whole.answer(1, "ready");
    whole.answer_all(&["nonsense(", "mark(1,1)"]);
    whole.on(Event::Abort("enough".into()));
    whole.write();
    let lines: Vec<String> =
        whole.journal.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    let read: Vec<Entry> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, whole.journal);
    assert_eq!(Referee::resume(rules, &read).unwrap().record(), whole.referee.record());
}

/// A world that is driven by chance: answers good and bad, late and twice, a journal that is slow, and
/// power cuts at any moment.
struct World {
    rules: Rules,
    codecs: Vec<SeatCodec>,
    rng: Rng,
    harness: Harness,
    /// Everything that was ever sent, by all lives of the referee.
    told: Vec<Sent>,
    lives: u32,
}

impl World {
    fn new(game: &str, seed: u64) -> Self {
        let rules = bundled::rules(game);
        let mut rng = Rng::from_seed(seed);
        let mut agreed = setup(&rules);
        agreed.seed = seed;
        agreed.patience = match rng.below(3) {
            0 => Patience::Keep,
            1 => Patience::Replace(2),
            _ => Patience::Abort(3),
        };
        if rng.below(3) == 0 {
            agreed.clocks.bank = Some(TimeBank { total: seconds(15), increment: seconds(1) });
        }
        for seat in &mut agreed.seats {
            seat.scramble = (rng.below(3) == 0).then(|| rng.bits());
            seat.notation = if rng.below(2) == 0 { SeatNotation::Prefix } else { SeatNotation::Infix };
        }
        let codec = |seat| SeatCodec::new(rules.rulesheet(), seat).unwrap();
        let codecs = agreed.seats.iter().map(codec).collect();
        let harness = Harness::new(&rules, RefereeSetup { step_limit: Some(30), ..agreed });
        Self { rules, codecs, rng, harness, told: Vec::new(), lives: 1 }
    }

    fn run(&mut self) {
        self.harness.on(Event::Begin);
        for _ in 0..10_000 {
            if self.harness.done {
                break;
            }
            self.something_happens();
        }
        assert!(self.harness.done, "every match ends");
        self.told.append(&mut self.harness.sent);
    }

    fn something_happens(&mut self) {
        match self.rng.below(100) {
            0..40 => {
                self.harness.write_one();
            }
            40..75 => self.a_player_speaks(),
            75..97 => self.harness_waits(),
            97 => self.harness.on(Event::Begin),
            98 if self.rng.below(10) == 0 => self.harness.on(Event::Abort("a button was pressed".into())),
            _ => self.power_cut(),
        }
    }

    /// Time passes without the journal getting further.
    fn harness_waits(&mut self) {
        self.harness.now += Duration::from_millis(self.rng.below(4_000));
        let now = self.harness.now;
        let due: Vec<_> = self.harness.timers.iter().filter(|timer| timer.1 <= now).copied().collect();
        self.harness.timers.retain(|timer| timer.1 > now);
        for (timer, _) in due {
            self.harness.on(Event::Timer(timer));
        }
    }

    fn a_player_speaks(&mut self) {
        let all: Vec<&Sent> = self.told.iter().chain(&self.harness.sent).collect();
        let Some(&sent) = self.rng.pick(&all) else { return };
        // Mostly one of the last messages is answered; sometimes any, even one of an earlier life.
        let recent = self.harness.sent.iter().rev().take(2).collect::<Vec<_>>();
        let sent =
            if self.rng.below(4) == 0 { sent } else { self.rng.pick(&recent).copied().unwrap_or(sent) };
        let (seat, message, request) = (sent.seat, sent.message, sent.request.clone());
        let bytes = match self.rng.below(8) {
            0 => (0..self.rng.below(20)).map(|_| self.rng.bits() as u8).collect(),
            1 => {
                let pieces = ["(", ")", "[", "mark", " 1", ",", "?x", "|", "'", "\u{e9}", "\0", "noop"];
                let picked = (0..self.rng.below(12)).filter_map(|_| self.rng.pick(&pieces).copied());
                picked.collect::<String>().into_bytes()
            }
            _ => self.good_answer(seat, &request).into_bytes(),
        };
        let event = if self.rng.below(12) == 0 {
            Event::Fault { seat, message, cause: "closed".into() }
        } else {
            Event::Reply { seat, message, bytes }
        };
        self.harness.on(event.clone());
        if self.rng.below(5) == 0 {
            self.harness.on(event);
        }
    }

    fn good_answer(&mut self, seat: SeatNumber, request: &Request) -> String {
        match request {
            Request::Start(_) => "ready".into(),
            Request::Play { .. } => {
                let course = self.harness.referee.course();
                let legal = course.legal(self.rules.seats()[seat.0 as usize]);
                let terms = self.rules.signature().terms();
                let action = self.rng.pick(legal).map_or_else(String::new, |&action| terms.prefix(action));
                self.codecs[seat.0 as usize].to_seat(&action)
            }
            _ => "done".into(),
        }
    }

    /// What was not durable is lost, or became durable without anybody knowing.
    fn power_cut(&mut self) {
        let mut journal = std::mem::take(&mut self.harness.journal);
        if let Some((_, entry)) = self.harness.unwritten.pop_front()
            && self.rng.below(2) == 0
        {
            journal.push(entry);
        }
        self.told.append(&mut self.harness.sent);
        self.lives += 1;
        let now = self.harness.now;
        let agreed = self.harness.referee.setup().clone();
        self.harness = if journal.is_empty() {
            Harness::new(&self.rules, agreed)
        } else {
            Harness::resume(&self.rules, &journal)
        };
        self.harness.now = now;
        self.harness.on(Event::Begin);
    }
}

/// Whether all that was told is what the journal says.
fn one_history(world: &World) {
    let steps: Vec<Vec<String>> = world.harness.journal.iter().filter_map(joint).collect();
    let seats = world.rules.seats();
    // How many steps each seat knows of.
    let mut known = vec![0usize; seats.len()];
    for sent in &world.told {
        let seat = sent.seat.0 as usize;
        let meant = |term: &String| world.codecs[seat].from_seat(term);
        let (Request::Play { last, .. } | Request::Stop { last, .. }) = &sent.request else { continue };
        let count = &mut known[seat];
        match last {
            Last::Nothing => assert_eq!(*count, 0),
            Last::InTime { .. } => panic!("the game goes step by step"),
            Last::Joint(joint) => {
                // The same step once more, or the next one, or one after some that the seat was not told.
                let joint: Vec<String> = joint.iter().map(meant).collect();
                let from = count.saturating_sub(1);
                let found = steps[from..].iter().position(|step| *step == joint);
                *count = from + found.expect("what is told is in the journal") + 1;
            }
            Last::Percepts { turn, action, .. } => {
                assert!(*turn as usize >= *count, "time does not run backwards");
                *count = *turn as usize;
                let made = turn.checked_sub(1).map(|step| steps[step as usize][seats[seat].index()].clone());
                assert_eq!(action.as_ref().map(meant), made);
            }
        }
    }
}

const GAMES: [&str; 7] = [
    "gdl/tic-tac-toe.kif",
    "gdl/three-player-tic-tac-toe.kif",
    "gdl/rock-paper-scissors.kif",
    "gdl/buttons-and-lights.gdl",
    "gdl-ii/blind-tic-tac-toe.gdl",
    "gdl-ii/high-card-stakes.gdl",
    "gdl-ii/monty-hall.gdl",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_there_is_one_history_that_the_rules_bear_out(seed in any::<u64>(), game in 0..GAMES.len()) {
        let mut world = World::new(GAMES[game], seed);
        world.run();
        let journal = &world.harness.journal;
        // Numbers never come again, in no life.
        let mut numbers: Vec<_> = world.told.iter().map(|sent| sent.message).collect();
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(numbers.len(), world.told.len());
        one_history(&world);
        // Clocks are never shortened.
        for sent in &world.told {
            if matches!(sent.request, Request::Start(_)) {
                prop_assert_eq!(sent.until, sent.at + seconds(10));
            } else if world.harness.referee.setup().clocks.bank.is_none()
                && matches!(sent.request, Request::Play { .. })
            {
                prop_assert_eq!(sent.until, sent.at + seconds(10));
            }
        }
        // The journal alone gives the same match, and the rules bear it out.
        let record = world.harness.referee.record();
        let folded = Referee::resume(world.rules.clone(), journal).unwrap();
        prop_assert_eq!(&folded.record(), &record);
        let mismatches = verify_match(&world.rules, &record).mismatches;
        prop_assert!(mismatches.is_empty(), "{:?}", mismatches);
        let ends = of_the_match(journal).iter().filter(|entry| matches!(entry, Entry::Ended { .. })).count();
        prop_assert_eq!(ends, 1);
        let ended = matches!(of_the_match(journal).last(), Some(Entry::Ended { .. }));
        prop_assert!(ended);
    }
}

#[test]
fn random_moves_do_not_depend_on_where_a_match_was_cut_off() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let late_every_time = |mut harness: Harness, cut: usize| -> Vec<Entry> {
        harness.begin();
        while !harness.done {
            if harness.journal.len() == cut {
                harness = Harness::resume(&rules, &harness.journal);
                harness.begin();
            }
            harness.wait(seconds(10));
        }
        of_the_match(&harness.journal)
    };
    let uncut = late_every_time(Harness::new(&rules, setup(&rules)), usize::MAX);
    let faults = uncut.iter().filter_map(|entry| match entry {
        Entry::Stepped { faults, .. } => Some(faults.clone()),
        _ => None,
    });
    assert!(faults.clone().count() > 2);
    faults.for_each(|faults| assert_eq!(faults, [Some(Fault::Timeout), Some(Fault::Timeout)]));
    let moves = |entries: &[Entry]| entries.iter().filter_map(joint).collect::<Vec<_>>();
    for cut in 1..uncut.len() {
        let resumed = late_every_time(Harness::new(&rules, setup(&rules)), cut);
        assert_eq!(moves(&resumed), moves(&uncut), "cut off after {cut}");
    }
}

/// The world of the property above is a rough one: all that can go wrong does.
#[test]
fn all_kinds_of_trouble_come() {
    let mut lives = 0;
    let mut kinds = BTreeSet::new();
    for seed in 0..60 {
        let mut world = World::new(GAMES[seed as usize % GAMES.len()], seed);
        world.run();
        lives += world.lives;
        let record = world.harness.referee.record();
        kinds.extend(record.errors.iter().flatten().map(|error| error.chars().take(2).collect::<String>()));
        kinds.insert(format!("completed {}", record.is_completed));
    }
    assert!(lives > 120, "{lives} lives of 60 referees");
    let expected = ["", "CE", "IL", "MF", "RP", "TO", "completed false", "completed true"];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}
