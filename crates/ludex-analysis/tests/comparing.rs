//! Versions of games that others wrote, and rulesheets of theirs that become small.

use std::sync::Arc;

use ludex_analysis::difference::{Behaviour, DifferenceOptions, compare_play, differs_after};
use ludex_gdl::minimize::{Ended, MinimizeLimits, minimize};
use ludex_gdl::{LoadOptions, Severity, Source, load};
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, read_text};
use ludex_testkit::playable_file;

#[test]
fn versions_of_a_game_differ_where_they_are_said_to() {
    let Some(corpus) = Corpus::find("versions_of_a_game_differ_where_they_are_said_to") else { return };
    let options = DifferenceOptions { most_states: 300, games: 20, ..DifferenceOptions::default() };
    for (one, other) in [
        ("connectFour", "connectFourSuicide"),
        ("connectFour", "connectFourLarger"),
        ("connectFourSuicide", "connectFourSuicide_7x7"),
        ("ticTacToe", "tictactoe-init1"),
        ("biddingTicTacToe", "biddingTicTacToe_10coins"),
        ("ticTacToe", "tictactoe_orthogonal"),
    ] {
        let rules = |name: &str| playable_file(&corpus.path(&format!("gdl/{name}.kif"))).unwrap();
        let (first, second) = (rules(one), rules(other));
        let found = compare_play(&first, &second, &options, &Budget::unlimited()).unwrap();
        let Behaviour::Differs(found) = found else { panic!("{one} and {other}: {found:?}") };
        let again = differs_after(&first, &second, &found.first, &options, &Budget::unlimited()).unwrap();
        assert_eq!(again, Some(found.aspects), "{one} and {other}");
        let itself = compare_play(&first, &first, &options, &Budget::unlimited()).unwrap();
        assert!(!matches!(itself, Behaviour::Differs(_)), "{one}: {itself:?}");
    }
}

#[test]
fn findings_of_foreign_games_become_small() {
    let Some(corpus) = Corpus::find("findings_of_foreign_games_become_small") else { return };
    let mut games = 0;
    for path in corpus.files("gdl", ".kif") {
        let Ok(text) = read_text(&path) else { continue };
        if text.len() > 20_000 {
            continue;
        }
        let checked = load(Arc::new(Source::new("game.kif", text.as_str())), &LoadOptions::default());
        let mut codes: Vec<_> =
            checked.diagnostics.iter().filter(|found| found.severity != Severity::Note).collect();
        codes.sort_by_key(|found| found.code);
        codes.dedup_by_key(|found| found.code);
        if codes.is_empty() {
            continue;
        }
        games += 1;
        for found in codes {
            let shows = |text: &str| {
                let checked = load(Arc::new(Source::new("game.kif", text)), &LoadOptions::default());
                checked.diagnostics.iter().any(|other| other.code == found.code)
            };
            let small =
                minimize(&checked.rulesheet, &mut |text| shows(text), &MinimizeLimits::default()).unwrap();
            assert!(
                shows(&small.text) && small.ended == Ended::Minimal,
                "{}: {}",
                path.display(),
                small.text
            );
            assert!(small.after.symbols < 60, "{}: {}\n{}", path.display(), found.code, small.text);
        }
        if games == 20 {
            break;
        }
    }
    assert!(games > 3, "{games} games");
}
