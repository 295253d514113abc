//! Whatever is answered, the new game is a good one.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex::analysis::cases::{CaseFile, CaseOptions, Verdict, run_case};
use ludex::analysis::check_deeply;
use ludex::analysis::property::PropertyOptions;
use ludex::analysis::well_formed::WellFormedOptions;
use ludex::gdl::{Dialect, Notation, Source, parse, same_rules};
use ludex::logic::Budget;
use ludex::new_game::{AnswerError, Answers, questions};
use ludex::{Engine, Game, GameOptions};
use ludex_testkit::seeds;

/// The work that one proof may take.
const WORK: u64 = 300_000;

/// All kinds of games: the answers that say what kind of game it is, with the usual numbers.
fn kinds() -> Vec<Answers> {
    let mut kinds = Vec::new();
    for (shape, pieces) in
        [("square", "place"), ("square", "move"), ("hex", "place"), ("hex", "move"), ("none", "")]
    {
        for turns in ["alternating", "simultaneous", "single"] {
            for win in ["line", "reach", "capture", "score"] {
                for hidden in ["none", "moves", "dice"] {
                    let name = format!("{shape}-{pieces}-{turns}-{win}-{hidden}");
                    let mut answers = Answers::new(&name).unwrap();
                    answers.answer("shape", shape).unwrap();
                    if !pieces.is_empty() {
                        answers.answer("pieces", pieces).unwrap();
                    }
                    answers.answer("turns", turns).unwrap();
                    let is_fine =
                        answers.answer("win", win).is_ok() && answers.answer("hidden", hidden).is_ok();
                    let should_be =
                        (shape != "none" || win == "score") && (turns != "single" || hidden != "moves");
                    assert_eq!(is_fine, should_be, "{name}");
                    if is_fine {
                        kinds.push(answers);
                    }
                }
            }
        }
    }
    kinds
}

fn in_notation(answers: &Answers, notation: &str) -> Answers {
    let mut answers = answers.clone();
    answers.answer("notation", notation).unwrap();
    answers
}

fn game(answers: &Answers) -> Game {
    let options = GameOptions { engine: Engine::Rules, hasty: true, ..GameOptions::default() };
    let text = answers.rules().unwrap();
    Game::parse(answers.name(), &text, &options)
        .unwrap_or_else(|error| panic!("{}: {error}\n{text}", answers.name()))
}

#[test]
fn every_kind_of_game_has_no_findings_and_ends() {
    let kinds = kinds();
    assert_eq!(kinds.len(), 4 * 32 + 8);
    for answers in &kinds {
        let game = game(answers);
        let found: Vec<String> =
            game.rules().diagnostics().iter().map(|found| found.message.clone()).collect();
        assert!(found.is_empty(), "{}: {found:?}", answers.name());
        let dialect = if answers.answer_to("hidden") == "none" { Dialect::Gdl } else { Dialect::GdlII };
        assert_eq!(game.rules().dialect(), dialect);
        for seed in 1..=10 {
            let playout = game.rules().random_playout(game.rules().initial(), seed, 300).unwrap();
            assert!(playout.terminal, "{}", answers.name());
            let seats = game.seats();
            assert!(seats.iter().all(|seat| playout.goals[seat.index()].is_some()), "{}", answers.name());
        }
    }
}

#[test]
fn both_notations_say_the_same_game() {
    for answers in &kinds() {
        let read = |notation, name| {
            let text = in_notation(answers, name).rules().unwrap();
            let (rulesheet, errors) = parse(Arc::new(Source::new("game", text)), None);
            assert!(errors.is_empty());
            assert_eq!(rulesheet.notation, notation);
            rulesheet
        };
        let [prefix, infix] =
            [(Notation::Prefix, "prefix"), (Notation::Infix, "infix")].map(|(n, name)| read(n, name));
        assert!(same_rules(&prefix, &infix), "{}", answers.name());
    }
}

#[test]
fn boards_are_found_and_drawn() {
    for answers in kinds().iter().filter(|answers| answers.answer_to("shape") != "none") {
        let game = game(answers);
        let boards: Vec<_> = game.structure().boards().iter().collect();
        assert!(!boards.is_empty(), "{}", answers.name());
        let picture = game.draw_text(game.rules().initial(), &Default::default());
        assert!(picture.contains("1 2 3"), "{}:\n{picture}", answers.name());
    }
}

/// The lines of the cases that are not as expected.
fn failures(answers: &Answers) -> Vec<String> {
    let game = game(answers);
    let options = GameOptions { hasty: true, ..GameOptions::default() };
    let text = answers.cases("game.kif", &options).unwrap();
    let file = CaseFile::read(Arc::new(Source::new("game.cases", text.clone()))).unwrap_or_else(|errors| {
        panic!("{}: {errors:?}\n{text}", answers.name());
    });
    let options = CaseOptions {
        property: PropertyOptions { games: 10, ..PropertyOptions::default() },
        well_formed: WellFormedOptions { most_states: 50_000, ..WellFormedOptions::default() },
        proof_budget: Budget::unlimited().with_work(WORK),
        stops_early: false,
    };
    let mut failures = Vec::new();
    for case in &file.cases {
        let report = run_case(&file, case, game.rules(), &options, &Budget::unlimited());
        for outcome in report.outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Passed) {
            failures.push(format!("{}: {}: {outcome:?}", answers.name(), case.name));
        }
    }
    failures
}

/// Some of the kinds: other ones for other seeds, and all of them in enough rounds.
fn sample(kinds: Vec<Answers>, base: u64) -> Vec<Answers> {
    // A stride that has no divisor in common with the number of kinds comes to each of them.
    const STRIDE: u64 = 1_009;
    let count = kinds.len() as u64;
    let chosen: BTreeSet<u64> = seeds(base).map(|seed| seed.wrapping_mul(STRIDE) % count).collect();
    kinds.into_iter().zip(0..).filter(|(_, at)| chosen.contains(at)).map(|(answers, _)| answers).collect()
}

#[test]
fn the_cases_hold() {
    let failures: Vec<String> = sample(kinds(), 8).iter().flat_map(failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Nothing that can be said can never be so, nobody gets stuck, and everybody knows what it has to. What is not found
/// out with this much work is not counted; most is.
#[test]
fn the_states_of_small_games_are_as_they_should_be() {
    let mut decided = 0;
    let small = |answers: &Answers| {
        let name = answers.name();
        name.starts_with("none")
            || name.ends_with("single-line-none")
            || name.ends_with("alternating-score-none")
    };
    let chosen = sample(kinds().into_iter().filter(small).collect(), 6);
    for answers in &chosen {
        let options = GameOptions { hasty: true, ..GameOptions::default() };
        let game = Game::parse(answers.name(), &answers.rules().unwrap(), &options).unwrap();
        let options = WellFormedOptions { most_states: 50_000, ..WellFormedOptions::default() };
        let found = check_deeply(game.subject(), &options, &Budget::unlimited().with_work(30_000_000));
        let (undecided, bad): (Vec<_>, Vec<_>) =
            found.iter().partition(|found| found.message.starts_with("not found out"));
        let messages: Vec<&str> = bad.iter().map(|found| found.message.as_str()).collect();
        assert!(messages.is_empty(), "{}: {messages:?}", answers.name());
        decided += usize::from(undecided.is_empty());
    }
    assert!(2 * decided >= chosen.len(), "{decided} of {} games were decided", chosen.len());
}

/// In random games each player wins at some time: no role is there to lose.
#[test]
fn everybody_can_win() {
    for answers in &kinds() {
        let game = game(answers);
        let mut seats = game.seats();
        for seed in 1..=400 {
            let playout = game.rules().random_playout(game.rules().initial(), seed, 300).unwrap();
            seats.retain(|seat| playout.goals[seat.index()] != Some(100));
            if seats.is_empty() {
                break;
            }
        }
        assert!(seats.is_empty(), "{}: {seats:?}", answers.name());
    }
}

#[test]
fn sizes_and_numbers_have_limits_and_are_good_up_to_them() {
    for size in ["3x3", "12x12", "3x12", "12x3"] {
        for (pieces, win) in
            [("place", "line"), ("move", "line"), ("place", "capture"), ("move", "score"), ("place", "reach")]
        {
            let mut answers = Answers::new("limits").unwrap();
            answers.answer("board", size).unwrap();
            answers.answer("pieces", pieces).unwrap();
            answers.answer("win", win).unwrap();
            // The greatest number is the one that the refusal of a greater one names.
            if win != "reach" {
                let error = answers.answer("win", &format!("{win}:1000")).unwrap_err().to_string();
                let most: u32 =
                    error.trim_end_matches(" here").split(' ').next_back().unwrap().parse().unwrap();
                answers.answer("win", &format!("{win}:{most}")).unwrap();
                assert!(answers.answer("win", &format!("{win}:{}", most + 1)).is_err());
            }
            let game = game(&answers);
            assert!(game.rules().diagnostics().is_empty(), "{size} {pieces} {win}");
            let playout = game.rules().random_playout(game.rules().initial(), 1, 300).unwrap();
            assert!(playout.terminal);
        }
    }
    let mut answers = Answers::new("limits").unwrap();
    for bad in ["2x3", "3x13", "3", "3x", "x3", "03x3 ", "3X3", "-3x3", "+3x3", "99999999999x3", ""] {
        assert!(answers.answer("board", bad).is_err(), "{bad}");
    }
    for bad in ["line:2", "line:4", "line:", "line:x", "lines", "reach:3", "score:0", "capture:+1", ""] {
        assert!(answers.answer("win", bad).is_err(), "{bad}");
    }
    // What does not go with an answer given later is refused, and nothing is changed.
    answers.answer("board", "5x5").unwrap();
    answers.answer("win", "line:5").unwrap();
    assert!(answers.answer("board", "4x4").is_err());
    assert_eq!(answers.answer_to("board"), "5x5");
}

#[test]
fn names_that_are_none_are_refused() {
    for good in ["a", "my-game", "Game_2", "x1"] {
        assert!(Answers::new(good).is_ok(), "{good}");
    }
    let long = "x".repeat(61);
    for bad in ["", "1st", "-x", "a b", "a/b", "../a", "a.kif", "ü", "a\nb", "a\u{0}", "~", long.as_str()] {
        assert!(matches!(Answers::new(bad), Err(AnswerError::Name(_))), "{bad:?}");
    }
    let mut answers = Answers::new("roles").unwrap();
    for bad in ["white", "a,a", "a,b,c", "A,b", "a b,c", "random,x", "empty,x", "role,x", "x,?y", "(,)", ""] {
        assert!(answers.answer("roles", bad).is_err(), "{bad}");
    }
    answers.answer("roles", "north, succ").unwrap();
    assert!(game(&answers).rules().diagnostics().is_empty());
    assert!(matches!(answers.answer("colour", "red"), Err(AnswerError::Question(_))));
    for question in questions() {
        let usual = answers.usual(question.name);
        assert!(answers.answer(question.name, &usual).is_ok(), "{}", question.name);
        assert_eq!(answers.answer_to(question.name), usual);
        assert!(question.answers.iter().all(|(_, meaning)| !meaning.is_empty()));
    }
}
