//! Competitions with known courses.

use crate::tournaments_support::*;
use ludex_match::tournament::{
    Decision, EncounterReport, EventError, Format, Ongoing, ResumeError, RunningTournament, Side,
    TournamentError, TournamentEvent, TournamentSetup,
};

fn competition(format: Format, players: usize, rounds: u32) -> RunningTournament {
    RunningTournament::new(setup(format, players, rounds)).unwrap()
}

/// The better player comes first in the alphabet.
fn better(one: &str, other: &str) -> bool {
    one < other
}

/// The encounters of a round as texts such as `a-h a` with the winner behind.
fn round(competition: &RunningTournament, side: Side, round: u32) -> Vec<String> {
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".into());
    let line = |report: &EncounterReport| {
        let decided = match &report.decided {
            Some(decided) => name(&decided.winner),
            None => ".".into(),
        };
        format!("{}-{} {decided}", name(&report.players[0]), name(&report.players[1]))
    };
    let encounters = competition.encounters();
    encounters.iter().filter(|e| e.side == side && e.round == round).map(line).collect()
}

#[test]
fn eight_players_in_a_single_elimination() {
    let mut eight = competition(Format::SingleElimination, 8, 1);
    assert_eq!(round(&eight, Side::Winners, 1), ["a-h .", "d-e .", "b-g .", "c-f ."]);
    assert_eq!(all_next(&eight).len(), 4);
    play_wave(&mut eight, better);
    assert_eq!(round(&eight, Side::Winners, 2), ["a-d .", "b-c ."]);
    // The fourth surprises.
    play_wave(&mut eight, |one, other| (one == "d") || (other != "d" && one < other));
    assert_eq!(round(&eight, Side::Winners, 3), ["d-b ."]);
    play_wave(&mut eight, better);
    assert!(eight.is_over());
    assert_eq!(ranks(&eight.ranking()), "1 b, 2 d, 3 a, 3 c, 5 e, 5 f, 5 g, 5 h");
}

#[test]
fn byes_go_to_the_first() {
    let mut six = competition(Format::SingleElimination, 6, 1);
    assert_eq!(round(&six, Side::Winners, 1), ["a-? a", "d-e .", "b-? b", "c-f ."]);
    assert_eq!(round(&six, Side::Winners, 2), ["a-? .", "b-? ."]);
    play(&mut six, better);
    assert_eq!(ranks(&six.ranking()), "1 a, 2 b, 3 c, 3 d, 5 e, 5 f");
    let mut five = competition(Format::SingleElimination, 5, 1);
    assert_eq!(round(&five, Side::Winners, 1), ["a-? a", "d-e .", "b-? b", "c-? c"]);
    assert_eq!(all_next(&five).len(), 2, "who has a bye meets the next one at once");
    play(&mut five, better);
    assert_eq!(ranks(&five.ranking()), "1 a, 2 b, 3 c, 3 d, 5 e");
    let mut three = competition(Format::SingleElimination, 3, 1);
    play(&mut three, better);
    assert_eq!(ranks(&three.ranking()), "1 a, 2 b, 3 c");
    let byes: Vec<u32> = three.ranking().iter().map(|row| row.byes).collect();
    assert_eq!(byes, [1, 0, 0]);
}

#[test]
fn eight_players_in_a_double_elimination() {
    let mut eight = competition(Format::DoubleElimination, 8, 1);
    play_wave(&mut eight, better);
    assert_eq!(round(&eight, Side::Losers, 1), ["h-e .", "g-f ."]);
    assert_eq!(round(&eight, Side::Winners, 2), ["a-d .", "b-c ."]);
    play_wave(&mut eight, better);
    // From the other end: nobody meets whoever it has just lost to.
    assert_eq!(round(&eight, Side::Losers, 2), ["e-c .", "f-d ."]);
    assert_eq!(round(&eight, Side::Winners, 3), ["a-b ."]);
    play_wave(&mut eight, better);
    assert_eq!(round(&eight, Side::Losers, 3), ["c-d ."]);
    play_wave(&mut eight, better);
    assert_eq!(round(&eight, Side::Losers, 4), ["c-b ."]);
    play_wave(&mut eight, better);
    assert_eq!(round(&eight, Side::Final, 1), ["a-b ."]);
    play_wave(&mut eight, better);
    assert!(eight.is_over());
    assert_eq!(round(&eight, Side::Final, 2), ["a-b a"]);
    assert_eq!(eight.encounters().last().unwrap().decided.as_ref().unwrap().how, Decision::Unneeded);
    assert_eq!(ranks(&eight.ranking()), "1 a, 2 b, 3 c, 4 d, 5 e, 5 f, 7 g, 7 h");
}

#[test]
fn whoever_comes_back_has_to_win_twice() {
    let mut four = competition(Format::DoubleElimination, 4, 1);
    let winner =
        |best: &'static str| move |one: &str, other: &str| one == best || (other != best && one < other);
    while round(&four, Side::Final, 1) != ["a-b ."] {
        play_wave(&mut four, better);
    }
    play_wave(&mut four, winner("b"));
    assert_eq!((round(&four, Side::Final, 1), four.is_over()), (vec!["a-b b".into()], false));
    assert_eq!(round(&four, Side::Final, 2), ["b-a ."]);
    play_wave(&mut four, winner("b"));
    assert_eq!(ranks(&four.ranking()), "1 b, 2 a, 3 c, 4 d");
    let lost: Vec<u32> = four.ranking().iter().map(|row| row.lost).collect();
    assert_eq!(lost, [1, 2, 2, 2]);
}

#[test]
fn few_players_in_a_double_elimination() {
    let mut two = competition(Format::DoubleElimination, 2, 1);
    play(&mut two, better);
    assert_eq!((ranks(&two.ranking()), two.results().len()), ("1 a, 2 b".into(), 2));
    let mut three = competition(Format::DoubleElimination, 3, 1);
    play(&mut three, better);
    assert_eq!(ranks(&three.ranking()), "1 a, 2 b, 3 c");
    let mut six = competition(Format::DoubleElimination, 6, 1);
    play(&mut six, better);
    assert_eq!(ranks(&six.ranking()), "1 a, 2 b, 3 c, 4 d, 5 e, 5 f");
}

#[test]
fn draws_are_played_again_on_other_seats_and_decided_by_lot_in_the_end() {
    let draw = |_: &str, _: &str| false;
    let mut terms = setup(Format::SingleElimination, 2, 1);
    terms.replays = 2;
    let mut drawn = RunningTournament::new(terms.clone()).unwrap();
    let seated: Vec<String> = (0..3).flat_map(|_| play_wave(&mut drawn, draw)).collect();
    assert!(drawn.is_over() && seated[0] != seated[1] && seated[0] == seated[2], "{seated:?}");
    let decided = drawn.encounters()[0].decided.clone().unwrap();
    assert_eq!(decided.how, Decision::Lot);
    // The lot depends on the seed.
    let winners: Vec<String> = (0..20)
        .map(|seed| {
            let mut terms = terms.clone();
            terms.tournament.seed = seed;
            let mut drawn = RunningTournament::new(terms).unwrap();
            play(&mut drawn, draw);
            drawn.ranking()[0].player.clone()
        })
        .collect();
    assert!(["a", "b"].iter().all(|name| winners.iter().any(|winner| winner == name)), "{winners:?}");
    // A replay that decides is the last.
    let mut late = RunningTournament::new(terms).unwrap();
    play_wave(&mut late, draw);
    play_wave(&mut late, |one, _| one == "b");
    assert_eq!((ranks(&late.ranking()), late.is_over()), ("1 b, 2 a".into(), true));
}

#[test]
fn legs_change_seats_and_their_goals_are_added_up() {
    let mut terms = setup(Format::SingleElimination, 2, 1);
    terms.legs = number(2);
    let mut two = RunningTournament::new(terms).unwrap();
    let legs = all_next(&two);
    assert_eq!(legs.len(), 1, "nobody is in two matches at once");
    let first = legs[0].clone();
    let event = TournamentEvent::Finished(result(&two, &first, |player| [60, 40][player]));
    two.apply(&event).unwrap();
    let second = all_next(&two)[0].clone();
    assert_eq!(second.seating, [first.seating[1], first.seating[0]]);
    let event = TournamentEvent::Finished(result(&two, &second, |player| [0, 30][player]));
    two.apply(&event).unwrap();
    assert_eq!(two.encounters()[0].goals, [60.0, 70.0]);
    assert_eq!(ranks(&two.ranking()), "1 b, 2 a");
}

#[test]
fn in_games_with_more_seats_two_players_share_them() {
    let mut terms = TournamentSetup::new(tournament(2, &[3], 1), Format::SingleElimination);
    terms.legs = number(2);
    terms.per_player = number(2);
    let two = RunningTournament::new(terms).unwrap();
    let mut seated: Vec<Vec<usize>> = all_next(&two).into_iter().map(|fixture| fixture.seating).collect();
    seated.sort();
    assert_eq!(seated, [[0, 1, 0], [1, 0, 1]]);
}

#[test]
fn four_players_in_swiss_rounds() {
    let mut four = competition(Format::Swiss, 4, 3);
    assert_eq!(pairs(&play_wave(&mut four, better)), ["a-c", "b-d"]);
    assert_eq!(pairs(&play_wave(&mut four, better)), ["a-b", "c-d"]);
    assert_eq!(pairs(&play_wave(&mut four, better)), ["a-d", "b-c"], "nobody meets again");
    assert!(four.is_over());
    assert_eq!(ranks(&four.ranking()), "1 a, 2 b, 3 c, 4 d");
    // a has 3, b 2, c 1, d 0.
    let rows = four.ranking();
    assert_eq!((rows[1].points, rows[1].buchholz, rows[1].sonneborn_berger), (2.0, Some(4.0), Some(1.0)));
}

/// The pairs whatever their seats.
fn pairs(played: &[String]) -> Vec<String> {
    let sorted = |text: &String| {
        let mut names: Vec<&str> = text.split('-').collect();
        names.sort_unstable();
        names.join("-")
    };
    let mut pairs: Vec<String> = played.iter().map(sorted).collect();
    pairs.sort();
    pairs
}

#[test]
fn an_odd_player_has_a_bye_in_swiss_rounds() {
    let mut five = competition(Format::Swiss, 5, 3);
    // The last has the bye; the upper half meets the lower half.
    assert_eq!(pairs(&play_wave(&mut five, better)), ["a-c", "b-d"]);
    // a, b and e have a point; c and d none, and of these d stands behind.
    assert_eq!(five.encounters()[2].players, [Some("e".into()), None]);
    assert_eq!(round(&five, Side::Winners, 2).last().unwrap(), "d-? d");
    assert_eq!(pairs(&play_wave(&mut five, better)), ["a-b", "c-e"]);
    // a has 2, b, c, d, e 1 each: the bye goes to c, who has had none and stands last of those.
    assert_eq!(round(&five, Side::Winners, 3).last().unwrap(), "c-? c");
    assert_eq!(pairs(&play_wave(&mut five, better)), ["a-d", "b-e"]);
    // a 3; b 2: lost to a, beat d and e; c 2: lost to a, beat e, and a bye; d 1 and e 1 by byes.
    let rows = five.ranking();
    assert_eq!(ranks(&rows), "1 a, 2 c, 3 b, 4 d, 5 e");
    let told: Vec<_> =
        rows.iter().map(|row| (row.points, row.buchholz.unwrap(), row.sonneborn_berger.unwrap())).collect();
    // Buchholz of c: a 3, e 1, and its own 2 for the bye; Sonneborn-Berger: e 1 and its own 2.
    assert_eq!(told[1], (2.0, 6.0, 3.0));
    // Of b: a 3, d 1, e 1; d 1 and e 1.
    assert_eq!(told[2], (2.0, 5.0, 2.0));
    assert_eq!(rows.iter().map(|row| row.byes).collect::<Vec<_>>(), [0, 1, 0, 1, 1]);
}

#[test]
fn games_take_turns() {
    let terms = TournamentSetup::new(tournament(4, &[2, 2], 3), Format::Swiss);
    let mut four = RunningTournament::new(terms).unwrap();
    let mut games = Vec::new();
    while !four.is_over() {
        games.push(all_next(&four)[0].game);
        play_wave(&mut four, better);
    }
    assert_eq!(games, [0, 1, 0]);
}

#[test]
fn goals_are_added_up_in_cumulative_score() {
    let mut three =
        RunningTournament::new(TournamentSetup::new(tournament(3, &[2, 1], 1), Format::Cumulative)).unwrap();
    while !three.is_over() {
        for fixture in all_next(&three) {
            let event = TournamentEvent::Finished(result(&three, &fixture, |player| [70, 20, 30][player]));
            three.apply(&event).unwrap();
        }
    }
    // Two seats of the first game and one of the second.
    let rows = three.ranking();
    assert_eq!(ranks(&rows), "1 a, 2 c, 3 b");
    assert_eq!(rows.iter().map(|row| row.points).collect::<Vec<_>>(), [210.0, 90.0, 60.0]);
    assert_eq!(rows.iter().map(|row| (row.won, row.lost)).collect::<Vec<_>>(), [(2, 0), (1, 1), (0, 2)]);
}

#[test]
fn struck_out_players_lose_what_they_have_not_played() {
    let mut four = competition(Format::RoundRobin, 3, 1);
    let first = all_next(&four)[0].clone();
    assert_eq!(first.seating, [0, 1]);
    four.apply(&TournamentEvent::Finished(result(&four, &first, |p| [0, 100][p]))).unwrap();
    let running = all_next(&four)[0].clone();
    assert!(four.wants(&running));
    four.apply(&strike("b")).unwrap();
    assert!(!four.wants(&running), "a-b is decided");
    let late = TournamentEvent::Finished(result(&four, &running, |_| 50));
    assert!(matches!(four.apply(&late), Err(EventError::Match { .. })));
    play(&mut four, better);
    // What b has won stays: one point. a has one for the other match, and two against c; c has two for b.
    let rows = four.ranking();
    assert_eq!(ranks(&rows), "1 a, 2 c, 3 b");
    assert_eq!(
        rows.iter().map(|row| (row.points, row.byes)).collect::<Vec<_>>(),
        [(3.0, 1), (2.0, 2), (1.0, 0)]
    );
    assert!(rows[2].struck_out && four.is_struck_out("b") && !four.is_struck_out("a"));
    assert_eq!(four.open_matches(), 0);
}

#[test]
fn struck_out_players_leave_a_way_through_the_bracket() {
    let mut four = competition(Format::DoubleElimination, 4, 1);
    four.apply(&strike("a")).unwrap();
    assert_eq!(round(&four, Side::Winners, 1), ["a-d d", "b-c ."]);
    play_wave(&mut four, better);
    assert_eq!(round(&four, Side::Losers, 1), ["?-c c"], "who was struck out goes nowhere");
    play(&mut four, better);
    assert_eq!(ranks(&four.ranking()), "1 b, 2 c, 3 d, 4 a");
    // The one on whom a final waits.
    let mut four = competition(Format::DoubleElimination, 4, 1);
    while round(&four, Side::Winners, 2) != ["a-b a"] {
        play_wave(&mut four, better);
    }
    four.apply(&strike("a")).unwrap();
    play(&mut four, better);
    assert_eq!(four.ranking()[0].player, "b");
    // Everybody.
    for name in ["b", "c", "d"] {
        four.apply(&strike(name)).unwrap();
    }
    assert!(four.is_over() && four.ranking()[0].player == "b", "what was decided stays");
    let mut nobody = competition(Format::DoubleElimination, 4, 1);
    ["a", "b", "c", "d"].iter().for_each(|name| nobody.apply(&strike(name)).unwrap());
    assert!(nobody.is_over() && all_next(&nobody).is_empty());
}

#[test]
fn struck_out_players_are_not_paired() {
    let mut five = competition(Format::Swiss, 5, 4);
    five.apply(&strike("c")).unwrap();
    assert_eq!(pairs(&play_wave(&mut five, better)), ["b-d"], "a has won against c");
    assert_eq!(pairs(&play_wave(&mut five, better)).len(), 2);
    five.apply(&strike("b")).unwrap();
    five.apply(&strike("d")).unwrap();
    five.apply(&strike("e")).unwrap();
    assert!(five.is_over(), "nobody is left to meet");
    let mut all = competition(Format::Cumulative, 3, 1);
    all.apply(&strike("c")).unwrap();
    play(&mut all, better);
    // a-b and b-a in one of the directions only; what c leaves counts with the own mean.
    let rows = all.ranking();
    assert_eq!((rows[0].player.as_str(), rows[0].points, rows[0].byes), ("a", 200.0, 1));
}

#[test]
fn aborted_matches_are_played_again_as_often_as_was_agreed() {
    for format in [Format::RoundRobin, Format::Swiss, Format::SingleElimination, Format::Cumulative] {
        let mut terms = setup(format, 2, 1);
        terms.attempts = number(3);
        let mut two = RunningTournament::new(terms).unwrap();
        let mut seeds = Vec::new();
        for attempt in 0..3 {
            let fixture = all_next(&two)[0].clone();
            assert_eq!(fixture.attempt, attempt);
            seeds.push(fixture.seed);
            let event = aborted(&two, &fixture);
            two.apply(&event).unwrap();
            assert!(matches!(two.apply(&event), Err(EventError::Match { .. })), "only once");
        }
        seeds.dedup();
        assert_eq!(seeds.len(), 3, "another try has other chances");
        assert_eq!(two.results().len(), 3);
        assert!(two.ranking().iter().all(|row| row.won + row.drawn <= 1), "{:?}", two.ranking());
        assert!(all_next(&two).iter().all(|fixture| !seeds.contains(&fixture.seed)));
    }
}

#[test]
fn who_is_away_does_not_begin_and_nobody_does_in_a_pause() {
    for format in Format::ALL {
        let mut four = competition(format, 4, 2);
        let away = TournamentEvent::Unavailable { player: "a".into() };
        four.apply(&away).unwrap();
        let next = all_next(&four);
        assert!(!next.is_empty() && next.iter().all(|f| !f.seating.contains(&0)), "{format}: {next:?}");
        four.apply(&TournamentEvent::Paused).unwrap();
        assert!(four.is_paused() && all_next(&four).is_empty());
        four.apply(&TournamentEvent::Resumed).unwrap();
        four.apply(&TournamentEvent::Available { player: "a".into() }).unwrap();
        assert!(all_next(&four).iter().any(|fixture| fixture.seating.contains(&0)));
        let elsewhere = Ongoing { busy: vec![0, 1, 2], ..Ongoing::default() };
        assert!(four.next(&elsewhere, 9).is_empty(), "{format}");
        let unknown = TournamentEvent::Available { player: "x".into() };
        assert_eq!(four.apply(&unknown), Err(EventError::Player("x".into())));
    }
}

#[test]
fn bad_terms_are_refused() {
    let refused = |terms: TournamentSetup| RunningTournament::new(terms).map(|_| ()).unwrap_err();
    for format in Format::ALL {
        assert_eq!(refused(setup(format, 1, 1)), TournamentError::Players);
        assert_eq!(refused(setup(format, 0, 1)), TournamentError::Players);
        let none = TournamentSetup::new(tournament(2, &[], 1), format);
        assert_eq!(refused(none), TournamentError::Games);
        let mut twice = setup(format, 3, 1);
        twice.tournament.players[2] = "a".into();
        assert_eq!(refused(twice), TournamentError::Twice("a".into()));
        let nobody = TournamentSetup::new(tournament(2, &[2, 0], 1), format);
        assert_eq!(refused(nobody), TournamentError::Seats("g1".into()));
        let alone =
            RunningTournament::new(TournamentSetup::new(tournament(2, &[2, 1], 1), format)).map(|_| ());
        if format.needs_opponents() {
            assert_eq!(alone, Err(TournamentError::Alone { game: "g1".into(), format }));
            assert!(alone.unwrap_err().to_string().contains("is played alone"));
        } else {
            assert_eq!(alone, Ok(()));
        }
        let many = refused(setup(format, 5_000, 1));
        assert!(matches!(many, TournamentError::TooMany { what: "players", limit: 500, .. }), "{many}");
        let seats = refused(TournamentSetup::new(tournament(2, &[usize::MAX], 1), format));
        assert!(matches!(seats, TournamentError::TooMany { what: "seats", .. }), "{seats}");
        let endless = RunningTournament::new(setup(format, 300, u32::MAX));
        let runs = format.is_elimination() || format.is_endless();
        assert_eq!(endless.is_ok(), runs, "{format}");
    }
    let mut legs = setup(Format::Swiss, 2, 1);
    (legs.legs, legs.replays) = (number(u32::MAX), u32::MAX);
    assert!(matches!(refused(legs), TournamentError::TooMany { what: "legs", .. }));
}

#[test]
fn what_never_happened_is_refused() {
    for format in Format::ALL {
        let mut four = competition(format, 4, 2);
        let fixture = all_next(&four)[0].clone();
        let good = result(&four, &fixture, |_| 50);
        let mut bad = vec![good.clone(); 4];
        bad[0].seed ^= 1;
        bad[1].players.reverse();
        bad[2].game = "other".into();
        bad[3].round += 7;
        let before = format!("{four:?}");
        for bad in bad {
            let event = TournamentEvent::Finished(bad);
            assert!(matches!(four.apply(&event), Err(EventError::Match { .. })), "{format}");
            assert!(matches!(
                RunningTournament::resume(four.setup().clone(), [&event]),
                Err(ResumeError::Event { number: 1, .. })
            ));
        }
        assert_eq!(format!("{four:?}"), before, "nothing has changed");
        // Goals of nobody, and too few of them.
        let mut odd = good;
        odd.goals.pop();
        odd.faults.clear();
        four.apply(&TournamentEvent::Finished(odd)).unwrap();
        assert_eq!(four.ranking().len(), 4);
    }
}

#[test]
fn terms_and_events_are_stable_json() {
    let mut terms = setup(Format::DoubleElimination, 2, 1);
    terms.legs = number(2);
    let text = serde_json::to_string(&terms).unwrap();
    assert_eq!(
        text,
        r#"{"players":["a","b"],"games":[{"name":"g0","seats":2}],"rounds":1,"seed":11,"format":"double-elimination","legs":2,"replays":0,"attempts":1,"per_player":1,"simultaneous":null}"#
    );
    assert_eq!(serde_json::from_str::<TournamentSetup>(&text).unwrap(), terms);
    let short = r#"{"players":["a","b"],"games":[{"name":"g0","seats":2}],"rounds":1,"seed":11}"#;
    let read: TournamentSetup = serde_json::from_str(short).unwrap();
    assert_eq!(read, setup(Format::RoundRobin, 2, 1));
    let none = text.replace(r#""legs":2"#, r#""legs":0"#);
    assert!(serde_json::from_str::<TournamentSetup>(&none).is_err());
    let two = RunningTournament::new(terms).unwrap();
    let fixture = all_next(&two)[0].clone();
    let event = TournamentEvent::Finished(result(&two, &fixture, |_| 50));
    let text = serde_json::to_string(&event).unwrap();
    assert!(text.starts_with(r#"{"event":"finished","game":"g0","round":1,"seed":"#), "{text}");
    assert_eq!(serde_json::from_str::<TournamentEvent>(&text).unwrap(), event);
    assert_eq!(serde_json::to_string(&strike("b")).unwrap(), r#"{"event":"struck-out","player":"b"}"#);
    assert_eq!(serde_json::to_string(&TournamentEvent::Paused).unwrap(), r#"{"event":"paused"}"#);
    let report = serde_json::to_value(&two.encounters()[1]).unwrap();
    assert_eq!(report["origins"], serde_json::json!([{"winner-of": 0}, {"loser-of": 0}]));
    assert_eq!(report["side"], "final");
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(serde_json::to_value(format).unwrap(), format.name());
    }
}

#[test]
fn an_open_schedule_waits_for_no_one_too_long() {
    // Four players; a and b are quick, c and d slow.
    let mut four = RunningTournament::new(setup(Format::Open, 4, 0)).unwrap();
    let mut running = all_next(&four);
    assert_eq!(running.len(), 2);
    for turn in 0..400 {
        // The quicker one of those that are running ends.
        let slow = |f: &ludex_match::tournament::Fixture| f.seating.iter().filter(|&&p| p >= 2).count();
        running.sort_by_key(|fixture| slow(fixture));
        let quick = if turn % 3 == 2 { running.len() - 1 } else { 0 };
        let fixture = running.remove(quick);
        let event = TournamentEvent::Finished(result(&four, &fixture, |_| 50));
        four.apply(&event).unwrap();
        let ongoing = Ongoing { running: running.clone(), busy: vec![] };
        running.extend(four.next(&ongoing, usize::MAX));
        assert!(!running.is_empty());
    }
    let standings = four.standings();
    let matches = |a: &str, b: &str| standings.pairing(a, b).map_or(0, |pairing| pairing.matches);
    let counts =
        [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")].map(|(a, b)| matches(a, b));
    assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 4, "{counts:?}");
    assert!(!four.is_over());
    ["a", "b", "c"].iter().for_each(|name| four.apply(&strike(name)).unwrap());
    assert!(four.is_over() && all_next(&four).is_empty());
}
