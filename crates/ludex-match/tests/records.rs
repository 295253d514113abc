//! Records of matches: many in a file, and from traces of others.

use crate::bundled;
use std::time::Duration;

use ludex_game::{DresdenError, RoleId, Rules};
use ludex_match::message::{Request, read_request};
use ludex_match::{Match, MatchRecord, MatchSetup, RecordContradiction, RecordLineError, verify_match};

fn maze() -> Rules {
    let message = read_request(include_str!("messages/maze-start.txt")).unwrap();
    let Request::Start(start) = message.request else { panic!() };
    bundled::parse("maze.kif", &start.rules)
}

fn play(rules: &Rules, seed: u64) -> Match {
    let setup = MatchSetup { id: format!("m{seed}"), seed, ..MatchSetup::default() };
    let mut game = Match::new(rules.clone(), setup).unwrap();
    while !game.is_over() {
        game.submit(&[], None).unwrap();
    }
    game
}

#[test]
fn records_hold_the_rules_they_were_played_by() {
    let rules = maze();
    let record = play(&rules, 1).record();
    assert_eq!(record.rulesheet_sha256.as_deref(), Some(rules.sha256()));
    let again = bundled::parse("again", record.rulesheet.as_deref().unwrap());
    assert_eq!(again.sha256(), rules.sha256());
    assert_eq!(verify_match(&again, &record).mismatches, []);
    assert_eq!(record.recorded_by.as_deref(), Some(concat!("ludex ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn records_that_contradict_themselves_say_so() {
    let rules = maze();
    let record = play(&rules, 1).record();
    assert_eq!(record.contradiction(), None);
    let without_rules = MatchRecord { rulesheet: None, ..record.clone() };
    assert_eq!(without_rules.contradiction(), None);

    let both = MatchRecord { is_aborted: true, ..record.clone() };
    assert_eq!(both.contradiction(), Some(RecordContradiction::CompletedAndAborted));
    let changed = record.rulesheet.as_ref().map(|text| format!("{text} (init extra)"));
    let changed = MatchRecord { rulesheet: changed, ..record };
    let found = changed.contradiction();
    let Some(RecordContradiction::OtherRules { said, actual }) = &found else { panic!("{found:?}") };
    assert!(said == rules.sha256() && said != actual);
}

#[test]
fn records_tell_how_long_it_took_to_get_ready() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut game = Match::new(rules, MatchSetup::default()).unwrap();
    assert_eq!(game.record().ready_times, None);
    game.note_ready(RoleId(1), Duration::from_micros(1_700));
    assert_eq!(game.record().ready_times, Some(vec![None, Some(1)]));
    assert!(game.record().write().contains("\"readyTimes\":[null,1]"));
}

#[test]
fn many_records_are_lines_of_a_file() {
    let rules = maze();
    let records: Vec<MatchRecord> = (0..3).map(|seed| play(&rules, seed).record()).collect();
    let mut file: String = MatchRecord::write_lines(&records).collect();
    assert_eq!(file.lines().count(), 3);
    let read: Result<Vec<_>, _> = MatchRecord::read_lines(file.lines()).collect();
    assert_eq!(read.unwrap(), records);

    file.insert_str(0, "\n{\"moves\": 1}\n  \r\nhello\n");
    let read: Vec<Result<MatchRecord, RecordLineError>> = MatchRecord::read_lines(file.lines()).collect();
    assert_eq!(read.len(), 5);
    let messages: Vec<String> =
        read.iter().filter_map(|line| line.as_ref().err()).map(ToString::to_string).collect();
    assert!(messages[0].starts_with("line 2: not a match record: invalid type: integer `1`"), "{messages:?}");
    assert!(messages[1].starts_with("line 4: not a match record: expected"), "{messages:?}");
    assert_eq!(read.into_iter().filter_map(Result::ok).collect::<Vec<_>>(), records);
}

/// The match of the specification's appendix B, as that controller would have written it.
const TRACE: &str = include_str!("records/maze.trace.xml");

#[test]
fn a_trace_of_the_dresden_game_controller_is_a_record() {
    let rules = maze();
    let record = MatchRecord::read_dresden(TRACE, &rules.role_names()).unwrap();
    assert_eq!(
        (record.roles.as_slice(), record.game_name.as_deref()),
        (&["robot".to_owned()][..], Some("maze"))
    );
    assert_eq!(record.moves, ["move", "move", "grab", "move", "move", "drop"].map(|m| vec![m.to_owned()]));
    assert_eq!((record.is_completed, record.goal_values.clone()), (true, Some(vec![Some(100)])));
    assert_eq!(record.states[0], "((cell a) (gold c) (step 1))");
    let report = verify_match(&rules, &record);
    assert_eq!((report.steps, report.mismatches), (7, vec![]));
    assert_eq!(MatchRecord::read(&record.write()).unwrap(), record);

    for (from, to, wrong) in [
        (
            "<fluent>(gold i)</fluent>\n        <fluent>(step 5)",
            "<fluent>(gold c)</fluent>\n        <fluent>(step 5)",
            "state",
        ),
        ("robot\">100", "robot\">50", "goal values"),
        ("<move role=\"robot\">grab</move>\n        <move", "<move", "legal robot"),
    ] {
        let damaged = TRACE.replace(from, to);
        assert_ne!(damaged, TRACE);
        let record = MatchRecord::read_dresden(&damaged, &[]).unwrap();
        let mismatches = verify_match(&rules, &record).mismatches;
        assert!(mismatches.iter().any(|m| m.what == wrong), "{wrong}: {mismatches:?}");
    }
    assert_eq!(MatchRecord::read_dresden("<gametrace/>", &[]), Err(DresdenError::NoStep));
}
