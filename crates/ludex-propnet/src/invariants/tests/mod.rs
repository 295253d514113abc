//! Hand-made games whose invariants are known, and random ones compared with all their states.

mod sketch;

use ludex_game::Rng;
use ludex_logic::{Budget, LimitError};

use super::fact::Fact;
use super::step::{Answer, Step};
use super::{Effort, Equivalence, Invariants};
use crate::{Circuit, CircuitFault, Edge};
use sketch::{CircuitSketch, assert_holds, random, reachable, steps_from};

fn find(circuit: &Circuit) -> Invariants {
    find_with(circuit, &Effort::default())
}

fn find_with(circuit: &Circuit, effort: &Effort) -> Invariants {
    // The names of these circuits are in no particular order.
    assert!(matches!(circuit.check(), Ok(()) | Err(CircuitFault::Order(_))), "{:?}", circuit.check());
    Invariants::find(circuit, effort, &Budget::unlimited()).unwrap()
}

/// So few samples that wrong guesses are left for the proofs to refute.
fn hasty() -> Effort {
    Effort { sample_steps: 4, ..Effort::default() }
}

#[test]
fn toggles_are_complements() {
    let mut sketch = CircuitSketch::new();
    let first = sketch.base("on", &[], true);
    let second = sketch.base("off", &[], false);
    sketch.role(&[Edge::TRUE]);
    sketch.next(0, !first);
    sketch.next(1, !second);
    let found = find(&sketch.circuit);
    assert_eq!(found.equivalences, [Equivalence { base: 1, same_as: 0, complemented: true }]);
    assert_eq!(found.constants, []);
}

#[test]
fn a_counter_is_at_one_place_however_far_the_samples_went() {
    let mut sketch = CircuitSketch::new();
    sketch.counter(60);
    sketch.role(&[Edge::TRUE]);
    let found = find_with(&sketch.circuit, &hasty());
    assert_eq!(found.exactly_one, [(0..60).collect::<Vec<u32>>()]);
    assert_eq!((found.constants.len(), found.exclusive.len()), (0, 0));
    assert!(found.statistics.refuted >= 50, "the places not sampled were thought never to be reached");
}

#[test]
fn what_happens_only_after_forty_steps_is_no_constant() {
    let mut sketch = CircuitSketch::new();
    let steps = sketch.counter(60);
    let alarm = sketch.base("alarm", &[], false);
    let never = sketch.base("never", &[], false);
    sketch.role(&[Edge::TRUE]);
    let next = sketch.or(&[alarm, steps[40]]);
    sketch.next(60, next);
    let next = sketch.and(&[steps[40], steps[41]]);
    sketch.next(61, next);
    let found = find_with(&sketch.circuit, &hasty());
    assert_eq!(
        found.constants,
        [(61, false)],
        "the first is rung at step 40, the second needs two steps at once"
    );
    assert_eq!(never, sketch.circuit.values[61]);
}

#[test]
fn a_state_that_only_wrong_facts_exclude_is_refuted_in_turn() {
    // Each base is set by the one before: nothing is wrong until the facts before it are.
    let mut sketch = CircuitSketch::new();
    let chain: Vec<Edge> = (0..30).map(|at| sketch.base(&format!("b{at}"), &[], false)).collect();
    let steps = sketch.counter(20);
    sketch.role(&[Edge::TRUE]);
    sketch.next(0, steps[15]);
    for at in 1..30 {
        sketch.next(at, chain[at - 1]);
    }
    let found = find_with(&sketch.circuit, &hasty());
    assert_eq!(found.constants, []);
}

#[test]
fn swapped_bases_stay_different() {
    let mut sketch = CircuitSketch::new();
    let left = sketch.base("at", &[0], true);
    let right = sketch.base("at", &[1], false);
    let inputs = sketch.role(&[Edge::TRUE, Edge::TRUE]);
    for (base, (stay, come)) in [(left, right), (right, left)].into_iter().enumerate() {
        let stay = sketch.and(&[stay, !inputs[0]]);
        let come = sketch.and(&[come, inputs[0]]);
        let next = sketch.or(&[stay, come]);
        sketch.next(base, next);
    }
    let found = find(&sketch.circuit);
    assert_eq!(found.exactly_one, [[0, 1]]);
    assert_eq!(found.equivalences, [Equivalence { base: 1, same_as: 0, complemented: true }]);
}

/// One cell that either player may mark in turn while it is blank, if `lawful`; marks stay.
fn cell(lawful: bool) -> Circuit {
    let mut sketch = CircuitSketch::new();
    let [blank, x, o] = [0, 1, 2].map(|content| sketch.base("cell", &[1, 1, content], content == 0));
    let control = [0, 1].map(|role| sketch.base("control", &[role], role == 0));
    let mut marks = Vec::new();
    for turn in control {
        let legal = if lawful { sketch.and(&[blank, turn]) } else { turn };
        marks.push(sketch.role(&[legal, Edge::TRUE])[0]);
    }
    let unmarked = sketch.and(&[blank, !marks[0], !marks[1]]);
    let next_x = sketch.or(&[x, marks[0]]);
    let next_o = sketch.or(&[o, marks[1]]);
    for (base, next) in [unmarked, next_x, next_o, control[1], control[0]].into_iter().enumerate() {
        sketch.next(base, next);
    }
    sketch.circuit
}

#[test]
fn a_cell_has_one_content_since_moves_are_legal() {
    let found = find(&cell(true));
    assert_eq!(found.exactly_one, [vec![0, 1, 2], vec![3, 4]]);
    let found = find(&cell(false));
    assert_eq!(found.exactly_one, [vec![3, 4]]);
    assert_eq!(found.exclusive, [[0, 1]].map(Vec::from), "a mark can be added to the other one");
}

#[test]
fn a_terminal_state_has_no_successor() {
    // After the last step no step would be left.
    let build = |ends: bool| {
        let mut sketch = CircuitSketch::new();
        let steps: Vec<Edge> = (0..5).map(|at| sketch.base("step", &[at], at == 0)).collect();
        sketch.next(0, Edge::FALSE);
        (1..5).for_each(|at| sketch.next(at, steps[at - 1]));
        sketch.role(&[Edge::TRUE]);
        sketch.circuit.terminal = if ends { steps[4] } else { Edge::FALSE };
        find(&sketch.circuit)
    };
    assert_eq!(build(true).exactly_one, [[0, 1, 2, 3, 4]].map(Vec::from));
    assert_eq!(build(false).exclusive, [[0, 1, 2, 3, 4]].map(Vec::from));
}

#[test]
fn the_initial_state_counts() {
    let mut sketch = CircuitSketch::new();
    let both = [0, 1].map(|at| sketch.base("at", &[at], true));
    let once = sketch.base("once", &[], true);
    sketch.role(&[Edge::TRUE]);
    sketch.next(0, both[0]);
    sketch.next(1, Edge::FALSE);
    sketch.next(2, Edge::FALSE);
    let found = find(&sketch.circuit);
    assert_eq!(found.exclusive.len() + found.exactly_one.len(), 0);
    assert_eq!(found.constants, [(0, true)]);
    assert_eq!(found.equivalences, [Equivalence { base: 2, same_as: 1, complemented: false }]);
    assert_eq!(once, sketch.circuit.values[2]);
}

#[test]
fn a_game_without_any_step_keeps_its_initial_state() {
    let mut sketch = CircuitSketch::new();
    let bases = [0, 1].map(|at| sketch.base("at", &[at], at == 0));
    sketch.role(&[]);
    sketch.next(0, bases[1]);
    sketch.next(1, bases[0]);
    assert_eq!(find(&sketch.circuit).constants, [(0, true), (1, false)]);
}

#[test]
fn limits_leave_facts_out_and_the_budget_is_an_error() {
    let circuit = cell(true);
    let found = find_with(&circuit, &Effort { work: 0, ..Effort::default() });
    assert_eq!(found.exactly_one.len() + found.exclusive.len() + found.equivalences.len(), 0);
    assert_eq!(found.statistics.undecided, found.statistics.candidates);
    let spent = Invariants::find(&circuit, &Effort::default(), &Budget::unlimited().with_work(20));
    assert_eq!(spent, Err(LimitError::Work { limit: 20 }));
}

#[test]
fn in_random_games_every_invariant_holds_in_every_reachable_state() {
    let mut rng = Rng::from_seed(31);
    let mut facts = 0;
    for round in 0..600 {
        let circuit = random(&mut rng);
        let effort = Effort {
            sample_steps: [1, 4, 64][round % 3],
            conflicts_per_query: [1_000, 4, 1][round / 3 % 3],
            ..Effort::default()
        };
        let found = find_with(&circuit, &effort);
        facts += found.constants.len()
            + found.equivalences.len()
            + found.exclusive.len()
            + found.exactly_one.len();
        reachable(&circuit).iter().for_each(|state| assert_holds(&found, state));
        assert_eq!(found, find_with(&circuit, &effort), "one seed, one answer");
    }
    assert!(facts > 600, "only {facts} facts");
}

/// All states of a circuit.
fn states(circuit: &Circuit) -> impl Iterator<Item = Vec<bool>> {
    let count = circuit.bases.len();
    (0..1u32 << count).map(move |bits| (0..count).map(|at| bits >> at & 1 == 1).collect())
}

/// Whether a step breaks the fact, from any state in which the assumed facts hold.
fn breaks(circuit: &Circuit, fact: &Fact, assumed: &[Fact]) -> bool {
    let holds =
        |fact: &Fact, state: &[bool]| fact.violations(|base| u64::from(state[base as usize])) & 1 == 0;
    states(circuit).filter(|state| assumed.iter().all(|f| holds(f, state))).any(|state| {
        let steps = steps_from(circuit, &state);
        steps.iter().any(|(_, next)| !holds(fact, next))
    })
}

#[test]
fn a_step_does_what_it_does_in_all_states_of_random_games() {
    let mut rng = Rng::from_seed(32);
    let (mut refuted, mut proved) = (0, 0);
    for _ in 0..300 {
        let circuit = random(&mut rng);
        let count = circuit.bases.len() as u32;
        let mut facts: Vec<Fact> = Vec::new();
        for _ in 0..3 {
            let (one, other) = (rng.below(u64::from(count)) as u32, rng.below(u64::from(count)) as u32);
            let several: Vec<u32> = (0..count).filter(|_| rng.below(2) == 0).collect();
            facts.push(Fact::Constant { base: one, value: rng.below(2) == 0 });
            if one != other {
                facts.push(Fact::Equal { base: one, other, complemented: rng.below(2) == 0 });
            }
            facts.push(Fact::AtMostOne(several.clone()));
            facts.push(Fact::AtLeastOne(several));
        }
        let assumed: Vec<bool> = facts.iter().map(|_| rng.below(4) == 0).collect();
        let all: Vec<Fact> =
            facts.iter().zip(&assumed).filter(|(_, a)| **a).map(|(f, _)| f.clone()).collect();
        let mut step = Step::new(&circuit, Budget::unlimited().meter());
        for (number, fact) in (0..).zip(&facts) {
            let mut relied: Vec<u32> = Vec::new();
            let mut may_break = false;
            match step.breaks(number, &facts, |n| assumed[n as usize], u64::MAX).unwrap() {
                Answer::No(core) => relied = core,
                Answer::Yes(_) => may_break = true,
                Answer::Unknown => panic!("there is no limit"),
            }
            assert!(relied.iter().all(|&n| assumed[n as usize]));
            if may_break {
                refuted += 1;
                // Variables of loops are free, so more may happen here than in the game.
                assert!(!circuit.loops.is_empty() || breaks(&circuit, fact, &all), "{fact:?}");
            } else {
                proved += 1;
                let needed: Vec<Fact> = relied.iter().map(|&n| facts[n as usize].clone()).collect();
                assert!(!breaks(&circuit, fact, &needed), "{fact:?} relies on more than {needed:?}");
            }
        }
    }
    assert!(refuted > 100 && proved > 100, "{refuted} {proved}");
}
