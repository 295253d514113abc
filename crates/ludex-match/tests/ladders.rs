//! Who meets whom on a ladder.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::tournaments_support::*;
use ludex_game::Rng;
use ludex_match::tournament::{
    FaultCounts, Fixture, Format, MatchResult, Ongoing, RunningTournament, TournamentEvent, TournamentSetup,
};

const MINUTE: u64 = 60_000;

fn ladder(players: usize, seats: &[usize]) -> TournamentSetup {
    TournamentSetup::new(tournament(players, seats, 0), Format::Ladder)
}

/// A ladder that is played, a match at a time.
struct Run {
    held: RunningTournament,
    events: Vec<TournamentEvent>,
    played: Vec<Fixture>,
    rng: Rng,
    now: u64,
}

impl Run {
    fn new(setup: TournamentSetup, seed: u64) -> Self {
        let held = RunningTournament::new(setup).unwrap();
        Self { held, events: Vec::new(), played: Vec::new(), rng: Rng::from_seed(seed), now: 0 }
    }

    fn next(&self, busy: &[usize]) -> Option<Fixture> {
        let mut busy = busy.to_vec();
        busy.extend(self.held.resting(self.now, &[]));
        self.held.next(&Ongoing { running: Vec::new(), busy }, 1).pop()
    }

    /// Plays the next match between players of these strengths; `None` where there is none.
    fn play(&mut self, busy: &[usize], strength: impl Fn(usize) -> f64) -> Option<Fixture> {
        let fixture = self.next(busy)?;
        let drawn = (self.rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
        let (one, other) = (fixture.seating[0], *fixture.seating.last().unwrap());
        let won = drawn < 1.0 / (1.0 + 10f64.powf((strength(other) - strength(one)) / 400.0));
        let goal = |player: usize| if (player == one) == won { 100 } else { 0 };
        let result = result(&self.held, &fixture, goal);
        self.end(fixture.clone(), result);
        Some(fixture)
    }

    fn end(&mut self, fixture: Fixture, result: MatchResult) {
        let event = TournamentEvent::Finished(MatchResult { at: Some(self.now), ..result });
        self.held.apply(&event).unwrap();
        self.events.push(event);
        self.played.push(fixture);
        self.now += MINUTE;
    }

    fn counts(&self) -> BTreeMap<usize, usize> {
        let mut counts = BTreeMap::new();
        self.played.iter().flat_map(|f| &f.seating).for_each(|&p| *counts.entry(p).or_default() += 1);
        counts
    }
}

#[test]
fn everybody_plays_on_both_sides_in_all_games_and_with_changing_opponents() {
    let mut run = Run::new(ladder(9, &[2, 2, 2]), 1);
    for _ in 0..900 {
        run.play(&[], |player| 1500.0 + 20.0 * player as f64).unwrap();
    }
    for player in 0..9 {
        let own: Vec<&Fixture> = run.played.iter().filter(|f| f.seating.contains(&player)).collect();
        assert!((170..=230).contains(&own.len()), "{player} had {} matches", own.len());
        assert!(own.iter().all(|f| f.seating[0] != f.seating[1]), "nobody meets itself");
        for game in 0..3 {
            let here: Vec<&&Fixture> = own.iter().filter(|f| f.game == game).collect();
            let first = here.iter().filter(|f| f.seating[0] == player).count();
            assert!(here.len() * 3 > own.len() / 2, "{player} had game {game} {} times", here.len());
            assert!((here.len() as f64 / 2.0 - first as f64).abs() <= 10.0, "{first} of {}", here.len());
        }
        for pair in own.windows(2) {
            let together = |f: &Fixture| f.seating.iter().copied().find(|&p| p != player);
            assert_ne!(together(pair[0]), together(pair[1]), "the same pair twice in a row");
        }
    }
    assert!(!run.held.is_over());
}

#[test]
fn who_is_about_as_strong_meets_more_often_and_nobody_starves() {
    let mut run = Run::new(ladder(16, &[2]), 2);
    let strength = |player: usize| 1000.0 + 70.0 * player as f64;
    for _ in 0..1_600 {
        run.play(&[], strength).unwrap();
    }
    let late = &run.played[800..];
    let near = |f: &&Fixture| f.seating[0].abs_diff(f.seating[1]) <= 4;
    assert!(late.iter().filter(near).count() * 10 > late.len() * 6, "by chance it would be 43 %");
    assert!(run.counts().values().all(|&count| (130..280).contains(&count)), "{:?}", run.counts());
    // The ranking is that of the strengths, but for neighbours.
    let ranking = run.held.ranking();
    for (place, ranked) in ranking.iter().enumerate() {
        let number = run.held.tournament().players.iter().position(|name| *name == ranked.player).unwrap();
        assert!((15 - place).abs_diff(number) <= 4, "{ranking:?}");
        assert!(ranked.deviation.is_some());
    }
}

#[test]
fn who_is_new_plays_more_often_and_catches_up_with_nothing() {
    let mut run = Run::new(ladder(8, &[2]), 3);
    for _ in 0..400 {
        run.play(&[], |_| 1500.0).unwrap();
    }
    let entered = TournamentEvent::Entered { player: "late".into() };
    run.held.apply(&entered).unwrap();
    run.events.push(entered);
    let before = run.played.len();
    for _ in 0..36 {
        run.play(&[], |_| 1500.0).unwrap();
    }
    let late = run.played[before..].iter().filter(|f| f.seating.contains(&8)).count();
    // An even share would be 8; 100 would be to catch up.
    assert!((10..=30).contains(&late), "{late}");
    // Who was away for long has its share from now on, and no more.
    for _ in 0..300 {
        run.play(&[0], |_| 1500.0).unwrap();
    }
    let before = run.played.len();
    for _ in 0..40 {
        run.play(&[], |_| 1500.0).unwrap();
    }
    let back = run.played[before..].iter().filter(|f| f.seating.contains(&0)).count();
    assert!((5..=16).contains(&back), "{back}");
}

#[test]
fn games_of_more_players_have_different_ones_at_all_seats_as_far_as_there_are_enough() {
    let mut run = Run::new(ladder(6, &[4, 3]), 4);
    for _ in 0..120 {
        let fixture = run.play(&[], |_| 1500.0).unwrap();
        let mut players = fixture.seating.clone();
        players.sort_unstable();
        players.dedup();
        assert_eq!(players.len(), fixture.seating.len());
    }
    let mut run = Run::new(ladder(2, &[3]), 5);
    for _ in 0..10 {
        let fixture = run.play(&[], |_| 1500.0).unwrap();
        assert!(fixture.seating.contains(&0) && fixture.seating.contains(&1));
    }
}

#[test]
fn who_fails_rests_and_the_others_go_on() {
    let mut run = Run::new(ladder(4, &[2]), 6);
    let mut failed = 0;
    for _ in 0..200 {
        let Some(fixture) = run.next(&[]) else { break };
        let blank = result(&run.held, &fixture, |_| 50);
        let faults = fixture
            .seating
            .iter()
            .map(|&player| FaultCounts { illegal: u32::from(player == 0), ..FaultCounts::default() });
        failed += usize::from(fixture.seating.contains(&0));
        let aborted = fixture.seating.contains(&0).then(|| "it failed".to_owned());
        let result = MatchResult { faults: faults.collect(), aborted, ..blank };
        run.end(fixture, result);
    }
    assert_eq!(run.played.len(), 200);
    // 200 minutes have passed: rests of 10, 20, 40, 80 minutes are over.
    assert!((4..=7).contains(&failed), "{failed}");
    assert!(run.held.rests_until("a", run.now).is_some());
    assert_eq!(run.held.rests_until("b", run.now), None);
}

#[test]
fn a_day_has_no_more_matches_than_was_agreed() {
    let setup = TournamentSetup { per_day: NonZeroU32::new(5), ..ladder(4, &[2]) };
    let mut run = Run::new(setup, 7);
    while run.play(&[], |_| 1500.0).is_some() {}
    assert!(run.counts().values().all(|&count| count <= 5));
    assert!((8..=10).contains(&run.played.len()));
    run.now += 24 * 60 * MINUTE;
    assert!(run.next(&[]).is_some());
}

#[test]
fn what_runs_is_not_begun_again_and_counts() {
    let mut setup = ladder(6, &[2]);
    setup.simultaneous = NonZeroU32::new(2);
    let held = RunningTournament::new(setup).unwrap();
    let first = held.next(&Ongoing::default(), usize::MAX);
    assert_eq!(first.len(), 2);
    assert_eq!(first, held.next(&Ongoing::default(), usize::MAX), "asked twice, it says the same");
    let ongoing = Ongoing { running: first[..1].to_vec(), busy: Vec::new() };
    let more = held.next(&ongoing, usize::MAX);
    assert_eq!(more.len(), 1);
    assert!(more[0].seating.iter().all(|player| !first[0].seating.contains(player)));
}

#[test]
fn a_ladder_is_its_events_and_keeps_its_last_results() {
    let mut run = Run::new(ladder(5, &[2, 2]), 8);
    for _ in 0..4_100 {
        run.play(&[], |player| 1400.0 + 50.0 * player as f64).unwrap();
    }
    assert!((2_000..4_000).contains(&run.held.results().len()));
    let again = RunningTournament::resume(run.held.setup().clone(), &run.events).unwrap();
    assert_eq!(again.next(&Ongoing::default(), 2), run.held.next(&Ongoing::default(), 2));
    assert_eq!(again.ranking(), run.held.ranking());
    assert_eq!(again.skill("e"), run.held.skill("e"));
    // What was played is refused, and so is what makes no sense.
    for result in [run.held.results()[0].clone(), MatchResult { round: 0, ..run.held.results()[0].clone() }] {
        assert!(run.held.apply(&TournamentEvent::Finished(result)).is_err());
    }
}

#[test]
fn games_that_are_played_alone_have_no_ladder() {
    let error = RunningTournament::new(ladder(3, &[2, 1])).unwrap_err();
    assert!(error.to_string().contains("played alone"), "{error}");
}
