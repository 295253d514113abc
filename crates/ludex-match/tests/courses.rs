//! Matches step by step.

use crate::bundled;
use ludex_match::{Fault, Match, MatchSetup, MatchStatus, Told, verify_match};

#[test]
fn what_is_missing_or_illegal_is_replaced_and_the_record_bears_it_out() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let setup = MatchSetup { id: "m".into(), seed: 7, ..MatchSetup::default() };
    let mut played = Match::new(rules.clone(), setup).unwrap();
    let noop = rules.find_term("noop").unwrap().unwrap();
    let step = played.submit(&[Ok(noop), Err(Fault::Timeout)], None).unwrap().unwrap().clone();
    assert_eq!(step.faults, [Some(Fault::Illegal("noop".into())), Some(Fault::Timeout)]);
    assert_eq!(step.joint[1], noop, "the only legal move");
    assert_eq!(played.told(rules.seats()[0]), Some(Told::Joint(step.joint)));
    while !played.is_over() {
        played.submit(&[], None).unwrap();
    }
    assert_eq!(*played.status(), MatchStatus::Completed);
    assert_eq!(verify_match(&rules, &played.record()).mismatches, []);
}
