use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ludex_game::Rules;
use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

use super::{Knowledge, Topic, Topics};
use crate::Subject;

fn all(rules: &Rules) -> Arc<Knowledge> {
    let nothing = Arc::new(Knowledge::default());
    nothing.gather(&Subject::new(rules), Topics::all(), &Budget::unlimited(), |_| {})
}

#[test]
fn tic_tac_toe_is_known_part_by_part() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let mut tried = Vec::new();
    let nothing = Arc::new(Knowledge::default());
    let hand_out = |known: &Arc<Knowledge>| {
        tried.push(Topic::ALL.into_iter().filter(|&part| known.tried().has(part)).count());
    };
    let known = nothing.gather(&Subject::new(&rules), Topics::all(), &Budget::unlimited(), hand_out);
    assert_eq!(tried, [1, 2, 3]);
    assert_eq!(known.refusals(), []);
    assert_eq!(known.latches().unwrap().positive().len(), 18);
    assert_eq!(known.fuzzy().unwrap().len(), 2);
    assert!(known.plan().is_none());
}

#[test]
fn factors_give_a_plan_that_replays() {
    let rules = playable_bundled("multiple-buttons-and-lights").unwrap();
    let known = all(&rules);
    let plan = known.plan().expect("the game is made of several");
    assert_eq!(plan.value, 100);
    let mut position = rules.start();
    for &action in &plan.moves {
        position.advance(&[action]).unwrap();
    }
    assert!(position.terminal().unwrap());
    assert_eq!(position.goals().unwrap(), [Some(100)]);
}

#[test]
fn what_was_broken_off_is_taken_up_again() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let subject = Subject::new(&rules);
    let budget = Budget::unlimited();
    let flag = budget.cancel_flag();
    let handed = AtomicUsize::new(0);
    // Somebody cancels after the second part.
    let hand_out = |_: &Arc<Knowledge>| {
        if handed.fetch_add(1, Ordering::Relaxed) == 1 {
            flag.store(true, Ordering::Relaxed);
        }
    };
    let known = Arc::new(Knowledge::default()).gather(&subject, Topics::all(), &budget, hand_out);
    assert_eq!(handed.load(Ordering::Relaxed), 2);
    assert!(known.fuzzy().is_some() && known.latches().is_none());
    assert!(!known.tried().has(Topic::Latches) && known.refusals().is_empty());
    let known = known.gather(&subject, Topics::all(), &Budget::unlimited(), |_| {});
    assert_eq!(known.tried(), Topics::all());
    assert!(known.latches().is_some());
}

#[test]
fn no_part_starves_another_and_what_cannot_be_known_has_a_reason() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let tight = Budget::unlimited().with_work(100);
    let nothing = Arc::new(Knowledge::default());
    let known = nothing.gather(&Subject::new(&rules), Topics::all(), &tight, |_| {});
    // That is the caller's doing: somebody with more can try again.
    assert_eq!((known.tried(), known.refusals()), (Topics::NONE, &[][..]));
    // Numbers that grow for ever have no net.
    let growing = "role(a) init(n(z)) legal(a,m) goal(a,100)
        next(n(s(X))) :- true(n(X))
        terminal :- true(n(s(s(s(z)))))";
    let known = all(&playable("growing.gdl", growing).unwrap());
    assert_eq!((known.tried(), known.refusals().len()), (Topics::all(), Topic::ALL.len()));
    assert!(known.fuzzy().is_none() && known.latches().is_none());
}

#[test]
fn only_what_is_asked_for_is_looked_for() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let wanted: Topics = [Topic::Latches].into_iter().collect();
    let nothing = Arc::new(Knowledge::default());
    let known = nothing.gather(&Subject::new(&rules), wanted, &Budget::unlimited(), |_| {});
    assert_eq!(known.tried(), wanted);
    assert!(known.latches().is_some() && known.fuzzy().is_none());
}

/// The latches make marks of the other one hopeless for the fuzzy goals, in whatever order they came.
#[test]
fn fuzzy_goals_know_the_latches() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let subject = Subject::new(&rules);
    let known = all(&rules);
    let mut position = rules.start();
    position.play(&["mark(2,2)", "noop"]).or_else(|_| position.play(&["(mark 2 2)", "noop"])).unwrap();
    let mut facts = Vec::new();
    rules.machine().facts(position.state(), &mut facts);
    let only_fuzzy: Topics = [Topic::Fuzzy].into_iter().collect();
    let plain = Arc::new(Knowledge::default()).gather(&subject, only_fuzzy, &Budget::unlimited(), |_| {});
    let worth = |known: &Knowledge, role: usize| {
        known.fuzzy().unwrap()[role].evaluate(&facts, &mut crate::fuzzy::FuzzyScratch::default())
    };
    assert!(worth(&known, 1) < worth(&plain, 1));
}
