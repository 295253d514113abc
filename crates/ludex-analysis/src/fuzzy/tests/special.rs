//! Recursion, what stays the same, options and limits.

use ludex_logic::Budget;

use super::{Case, assert_digits};
use crate::fuzzy::{FuzzyError, FuzzyGoals, FuzzyOptions, FuzzyScratch, NormChoice};
use ludex_game::RoleId;

/// Four lamps; current comes from the first along wires that go in circles.
const LAMPS: &str = "
    (role robot)
    (lamp 1) (lamp 2) (lamp 3) (lamp 4)
    (wire 1 2) (wire 2 3) (wire 3 2) (wire 2 1) (wire 3 4) (wire 4 2)
    (<= (init (off ?n)) (lamp ?n))
    (<= (legal robot (press ?n)) (true (off ?n)))
    (legal robot wait)
    (<= (next (on ?n)) (does robot (press ?n)))
    (<= (next (on ?n)) (true (on ?n)))
    (<= (next (off ?n)) (true (off ?n)) (not (does robot (press ?n))))
    (<= (lit 1) (true (on 1)))
    (<= (lit ?m) (lit ?n) (wire ?n ?m) (true (on ?m)))
    (<= terminal (lit 4))
    (<= (goal robot 100) (lit 4))
    (<= (goal robot 0) (not (lit 4)))";

#[test]
fn recursion_is_worth_its_best_derivation() {
    let case = Case::of(LAMPS);
    let goals = case.goals(0, &FuzzyOptions::book());
    let mut scratch = FuzzyScratch::default();
    for (on, lit) in [
        (vec![], ["0.1000", "0.0100", "0.0010", "0.0001"]),
        (vec!["(on 1)"], ["0.9000", "0.0900", "0.0090", "0.0009"]),
        (vec!["(on 1)", "(on 3)", "(on 4)"], ["0.9000", "0.0900", "0.0810", "0.0729"]),
        (vec!["(on 1)", "(on 2)", "(on 3)", "(on 4)"], ["0.9000", "0.8100", "0.7290", "0.6561"]),
    ] {
        goals.evaluate(&case.terms(&on), &mut scratch);
        for (lamp, printed) in ["1", "2", "3", "4"].into_iter().zip(lit) {
            assert_digits(case.truth(&goals, &scratch, "lit", &[lamp]), printed);
        }
    }
}

/// A wall that `next` copies, a door that opens for good, a window that nobody opens.
const HOUSE: &str = "
    (role robot)
    (init (wall north)) (init (shut door)) (init (at 1))
    (<= (next (wall ?w)) (true (wall ?w)))
    (<= (next (open door)) (does robot push))
    (<= (next (open door)) (true (open door)))
    (<= (next (shut door)) (true (shut door)) (not (does robot push)))
    (<= (next (at 2)) (true (at 1)))
    (<= (next (at 1)) (true (at 2)))
    (legal robot push) (legal robot wait)
    (role_like robot)
    (<= home (true (wall north)) (true (open door)) (role_like robot) (not (true (open window))))
    (<= terminal home)
    (<= (goal robot 60) home (true (at 2)))
    (<= (goal robot 30) home (not (true (at 2))))
    (<= (goal robot 0) (not home))";

#[test]
fn what_never_changes_is_1_or_0() {
    let case = Case::of(HOUSE);
    let goals = case.goals(0, &FuzzyOptions::book());
    let mut scratch = FuzzyScratch::default();
    let value = goals.evaluate(&case.terms(&["(wall north)", "(open door)", "(at 2)"]), &mut scratch);
    assert_eq!(case.truth(&goals, &scratch, "true", &["(wall north)"]), 1.0);
    // Of home only the door is left.
    assert_digits(case.truth(&goals, &scratch, "home", &[]), "0.9");
    assert_digits(case.truth(&goals, &scratch, "goal", &["robot", "60"]), "0.81");
    assert_digits(case.truth(&goals, &scratch, "goal", &["robot", "30"]), "0.09");
    // S(0.6 * 0.81, 0.3 * 0.09) = 0.486 + 0.027 - 0.013122.
    assert_digits(value, "49.9878");
    assert_eq!(goals.bases().len(), 2);
}

#[test]
fn a_role_without_positive_goals_is_worth_nothing() {
    let case = Case::of(
        "(role a) (role b) (init p) (legal a wait) (legal b wait) (<= terminal (true p))
         (<= (goal a 100) (true p)) (goal b 0)",
    );
    for norm in [NormChoice::Product, NormChoice::Yager { q: None }] {
        let goals = case.goals(1, &FuzzyOptions { norm, ..FuzzyOptions::default() });
        assert_eq!(goals.evaluate(&case.terms(&["p"]), &mut FuzzyScratch::default()), 0.0);
        // A role that there is not.
        let goals = case.goals(7, &FuzzyOptions { norm, ..FuzzyOptions::default() });
        assert_eq!(goals.evaluate(&case.terms(&["p"]), &mut FuzzyScratch::default()), 0.0);
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let case = Case::of(LAMPS);
    let new = |options: FuzzyOptions| {
        FuzzyGoals::new(&case.faithful, RoleId(0), &options, &Budget::unlimited()).map(|goals| goals.tau())
    };
    for tau in [0.5, 1.1, -1.0, f64::INFINITY] {
        assert_eq!(
            new(FuzzyOptions { tau: Some(tau), ..FuzzyOptions::default() }),
            Err(FuzzyError::Tau { tau })
        );
    }
    assert!(new(FuzzyOptions { tau: Some(f64::NAN), ..FuzzyOptions::default() }).is_err());
    for q in [0.0, -1.0] {
        let norm = NormChoice::Yager { q: Some(q) };
        assert_eq!(new(FuzzyOptions { norm, ..FuzzyOptions::default() }), Err(FuzzyError::Exponent { q }));
    }
    let threshold = |threshold| FuzzyOptions { threshold: Some(threshold), ..FuzzyOptions::book() };
    for value in [0.5, 0.95] {
        assert_eq!(new(threshold(value)), Err(FuzzyError::Threshold { threshold: value, tau: 0.9 }));
    }
    assert_eq!(new(threshold(0.9)), Ok(0.9));
    // A tau that is chosen is no less than the threshold.
    assert_eq!(new(FuzzyOptions { tau: None, ..threshold(0.95) }), Ok(0.95));
}

#[test]
fn a_spent_budget_ends_it() {
    let case = Case::bundled("15-puzzle");
    let budget = Budget::unlimited().with_work(100);
    let refused = FuzzyGoals::new(&case.faithful, RoleId(0), &FuzzyOptions::default(), &budget);
    assert!(matches!(refused, Err(FuzzyError::Limit(_))));
}

#[test]
fn a_scratch_goes_from_game_to_game() {
    let mut scratch = FuzzyScratch::default();
    let (lamps, house) = (Case::of(LAMPS), Case::of(HOUSE));
    let goals = [lamps.goals(0, &FuzzyOptions::book()), house.goals(0, &FuzzyOptions::book())];
    let facts = [lamps.terms(&["(on 1)", "(on 2)"]), house.terms(&["(open door)"])];
    for at in [0, 1, 0, 1] {
        let fresh = goals[at].evaluate(&facts[at], &mut FuzzyScratch::default());
        assert_eq!(goals[at].evaluate(&facts[at], &mut scratch), fresh);
    }
}
