//! Random games of factors, some of which change by themselves: what is said of plans is compared with a
//! search of all states.

use ludex_game::{Goal, RoleId, Rules, State};
use ludex_logic::Budget;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{playable, seeds};
use rustc_hash::FxHashSet;

use super::{Evidence, Factors, Standing};
use crate::{Subject, Witness};

/// The most that any course brings; none where no terminal state has exactly one value.
fn most(rules: &Rules) -> Option<Goal> {
    let mut runner = rules.runner();
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut open = vec![rules.initial().clone()];
    let mut most = None;
    while let Some(state) = open.pop() {
        runner.set(&state).unwrap();
        if runner.terminal().unwrap() {
            most = most.max(runner.goal(RoleId(0)).unwrap());
            continue;
        }
        for action in runner.legal(RoleId(0)).unwrap().to_vec() {
            runner.set(&state).unwrap();
            runner.step(&[action]).unwrap();
            let mut next = State::default();
            runner.save(&mut next);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    most
}

#[test]
fn a_plan_of_random_factors_is_called_the_best_only_where_no_course_brings_more() {
    let (mut by_factors, mut refuted, mut open, mut by_whole) = (0, 0, 0, 0);
    for seed in seeds(60) {
        let knobs = Knobs { factors: 2 + (seed % 2) as u32, ..Knobs::from_seed(seed) };
        let text = generate(seed, &knobs).to_string();
        let rules = playable("factors.kif", &text).unwrap();
        let subject = Subject::new(&rules);
        let factors = Factors::find(&subject, &Budget::unlimited()).unwrap();
        if !factors.is_compound() {
            continue;
        }
        let most = most(&rules).unwrap_or(0);
        let found = factors.plan(30, &Budget::unlimited()).unwrap();
        let value = found.plan.as_ref().map_or(0, |plan| plan.value);
        match found.standing {
            Standing::Best(evidence) => {
                assert_eq!(value, most, "seed {seed}, {evidence:?}\n{text}");
                by_factors += 1;
                refuted += u32::from(evidence == Evidence::Factors);
            }
            Standing::Found(_) => {
                assert!(value <= most, "seed {seed}\n{text}");
                open += 1;
            }
        }
        let solved = factors.solve(&subject, 30, &Budget::unlimited()).unwrap();
        assert!(matches!(solved.standing, Standing::Best(_)), "seed {seed}: {:?}\n{text}", solved.standing);
        let value = solved.plan.as_ref().map_or(0, |plan| plan.value);
        assert_eq!(value, most, "seed {seed}\n{text}");
        by_whole +=
            u32::from(!matches!(solved.standing, Standing::Best(Evidence::Goals | Evidence::Factors)));
        if let Some(plan) = solved.plan {
            let witness = Witness { steps: plan.moves.iter().map(|&action| vec![action]).collect() };
            let end = witness.replay(&rules).unwrap();
            assert_eq!((end.terminal(), end.goals().unwrap()[0]), (Ok(true), Some(most)), "seed {seed}");
        }
    }
    assert!(by_factors > 15 && refuted > 0, "{by_factors}, {refuted}, {open}, {by_whole}");
}
