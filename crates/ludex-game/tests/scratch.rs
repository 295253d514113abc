//! Terms that the rules make on the way: they stay with the runner that makes them.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::{GameError, Machine, Rng, RoleId, RuleMachine, RuleMachineOptions, State, read_term};
use ludex_gdl::{LoadOptions, Source, load};
use ludex_logic::evaluator::SCRATCH_BYTES;
use ludex_logic::{Budget, Id, LimitError, TermId, TermView, Terms};

/// Eight cells that hold digits, and the list of what they hold: in a state `(list8 (c 3 (c 0 …)))` holds.
const DIGITS: &str = "
    (role you) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
    (<= (init (cell ?j 0)) (succ ?i ?j))
    (<= (legal you (set ?j ?v)) (succ ?i ?j) (succ ?v ?w))
    (<= (next (cell ?j ?v)) (does you (set ?j ?v)))
    (<= (next (cell ?j ?v)) (true (cell ?j ?v)) (does you (set ?k ?w)) (distinct ?j ?k))
    (<= (list1 (c ?v nil)) (true (cell 1 ?v)))
    (<= (list2 (c ?v ?rest)) (true (cell 2 ?v)) (list1 ?rest))
    (<= (list3 (c ?v ?rest)) (true (cell 3 ?v)) (list2 ?rest))
    (<= (list4 (c ?v ?rest)) (true (cell 4 ?v)) (list3 ?rest))
    (<= (list5 (c ?v ?rest)) (true (cell 5 ?v)) (list4 ?rest))
    (<= (list6 (c ?v ?rest)) (true (cell 6 ?v)) (list5 ?rest))
    (<= (list7 (c ?v ?rest)) (true (cell 7 ?v)) (list6 ?rest))
    (<= (list8 (c ?v ?rest)) (true (cell 8 ?v)) (list7 ?rest))
    (<= terminal (list8 (c ?v ?rest)) (not (true (cell 8 ?v))))
    (<= (goal you 100) (list8 (c ?v (c ?v ?rest))))
    (<= (goal you 0) (list8 (c ?v (c ?w ?rest))) (distinct ?v ?w))";

/// So many bytes may the runner's own terms take: none, or as many as usual.
const SCRATCHES: [usize; 2] = [0, SCRATCH_BYTES];

fn machine(rules: &str, scratch: usize) -> RuleMachine {
    let checked = load(Arc::new(Source::new("test", rules)), &LoadOptions::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    let options = RuleMachineOptions { scratch, ..RuleMachineOptions::default() };
    RuleMachine::new(&checked.game.unwrap(), &options).unwrap()
}

/// The terms in these, with themselves.
fn closure(terms: &Terms, roots: Vec<TermId>) -> BTreeSet<TermId> {
    let (mut found, mut waiting) = (BTreeSet::new(), roots);
    while let Some(term) = waiting.pop() {
        if let (true, TermView::Compound(_, args)) = (found.insert(term), terms.view(term)) {
            waiting.extend(args);
        }
    }
    found
}

/// Whether all terms after the first so many are those of moves, propositions and what they consist of.
fn only_wanted(machine: &RuleMachine, before: usize) -> bool {
    let signature = machine.signature();
    let wanted = closure(signature.terms(), [signature.actions(), signature.propositions()].concat());
    (before..signature.terms().len()).map(TermId::from_index).all(|term| wanted.contains(&term))
}

#[test]
fn what_no_state_and_no_move_contains_is_not_kept() {
    for scratch in SCRATCHES {
        let machine = machine(DIGITS, scratch);
        let terms = machine.signature().terms();
        let before = terms.len();
        // Ten thousand states with eight terms each do not fit into this table.
        let budget = Budget::unlimited().with_memory(terms.bytes() + (1 << 20));
        let mut runner = machine.runner(&budget);
        let played = runner.playout(&mut Rng::from_seed(1), 10_000).unwrap();
        assert_eq!((played.steps, terms.len()), (10_000, before));
        // The goal reads a list that was made for this state.
        let mut state = State::default();
        runner.save(&mut state);
        let mut facts = Vec::new();
        machine.facts(&state, &mut facts);
        let digits: Vec<String> = facts.iter().map(|&fact| terms.prefix(fact)).collect();
        let last =
            |cell: usize| digits[cell - 1].trim_end_matches(')').rsplit(' ').next().unwrap().to_owned();
        assert_eq!(played.goals, [Some(if last(7) == last(8) { 100 } else { 0 })], "{digits:?}");
    }
}

#[test]
fn of_the_states_of_a_playout_only_the_one_that_is_saved_is_kept() {
    let rules = format!("{DIGITS} (init (last nil)) (<= (next (last ?list)) (list8 ?list))");
    for scratch in SCRATCHES {
        let machine = machine(&rules, scratch);
        let terms = machine.signature().terms();
        let before = terms.len();
        let mut runner = machine.runner(&Budget::unlimited().with_memory(terms.bytes() + (1 << 20)));
        assert_eq!(runner.playout(&mut Rng::from_seed(2), 10_000).unwrap().steps, 10_000);
        assert_eq!(terms.len(), before);
        let mut state = State::default();
        runner.save(&mut state);
        // Lists of four to eight cells, since shorter ones are known beforehand, and the fact that has the list.
        assert_eq!(terms.len(), before + 6);
        assert!(only_wanted(&machine, before));
        let mut again = State::default();
        runner.set(machine.initial()).unwrap();
        runner.set(&state).unwrap();
        runner.save(&mut again);
        assert_eq!((&again, terms.len()), (&state, before + 6));
    }
}

/// The list of a state is a move, which is legal as long as the list is as it was.
const SAID: &str = "
    (<= (legal you (say ?list)) (list8 ?list))
    (<= (next (said ?list)) (does you (say ?list)))
    (<= (next (cell ?j ?v)) (true (cell ?j ?v)) (does you (say ?list)))
    (<= (next right) (does you (say ?list)) (legal you (say ?list)))
    (<= (next wrong) (does you (say ?list)) (not (legal you (say ?list))))
    (<= (next (said ?list)) (true (said ?list)) (does you (set ?j ?v)))
    (<= (next equal) (does you (set 1 7)) (true (said ?list)) (list8 ?list))";

fn holds(machine: &RuleMachine, runner: &dyn ludex_game::Runner, fact: &str) -> bool {
    let (mut state, mut facts) = (State::default(), Vec::new());
    runner.save(&mut state);
    machine.facts(&state, &mut facts);
    facts.iter().any(|&term| machine.signature().terms().prefix(term) == fact)
}

#[test]
fn a_move_that_was_just_made_meets_itself() {
    for scratch in SCRATCHES {
        let machine = machine(&format!("{DIGITS} {SAID}"), scratch);
        let signature = machine.signature();
        let terms = signature.terms();
        let before = terms.len();
        let mut runner = machine.runner(&Budget::unlimited());
        let mut rng = Rng::from_seed(3);
        for _ in 0..200 {
            let legal = runner.legal(RoleId(0)).unwrap().to_vec();
            let say = |&&action: &&_| terms.prefix(signature.action(action)).starts_with("(say");
            let (said, set) = (*legal.iter().find(say).unwrap(), legal[rng.below(64) as usize]);
            runner.step(&[said]).unwrap();
            assert!(holds(&machine, &*runner, "right") && !holds(&machine, &*runner, "wrong"));
            let list = terms.prefix(signature.action(said)).replace("(say", "(said");
            assert!(holds(&machine, &*runner, &list));
            // The fact meets the list that is made once more.
            let one = signature.find_action(read_term(terms, "(set 1 7)").unwrap()).unwrap();
            runner.step(&[one]).unwrap();
            assert!(holds(&machine, &*runner, "equal"));
            runner.step(&[set]).unwrap();
        }
        assert!(only_wanted(&machine, before));
    }
}

#[test]
fn a_move_that_somebody_else_names_meets_what_was_made() {
    for scratch in SCRATCHES {
        // Lists are moves of the other role only, so that nobody names those that `legal` does not tell.
        let rules = format!(
            "{DIGITS} (role other) (goal other 0) (legal other idle) (input other idle) (input you (set 1 0))
             (<= (legal other (say ?list)) (list8 ?list) (true never))
             (<= (next met) (does other (say ?list)) (list8 ?list))
             (<= (next met) (does other (say (c ?v ?list))) (list7 ?list))"
        );
        let machine = machine(&rules, scratch);
        let signature = machine.signature();
        let terms = signature.terms();
        let mut runner = machine.runner(&Budget::unlimited());
        let set = runner.legal(RoleId(0)).unwrap()[9];
        let idle = runner.legal(RoleId(1)).unwrap()[0];
        runner.step(&[set, idle]).unwrap();
        // The list is made here for this state, before it is in the table of all.
        assert!(!runner.terminal().unwrap());
        let mut facts = Vec::new();
        let mut state = State::default();
        runner.save(&mut state);
        machine.facts(&state, &mut facts);
        let list = (1..=8).fold("nil".to_owned(), |rest, cell| {
            let fact =
                facts.iter().map(|&f| terms.prefix(f)).find(|f| f.starts_with(&format!("(cell {cell} ")));
            let fact = fact.unwrap();
            format!("(c {} {rest})", fact.trim_end_matches(')').rsplit(' ').next().unwrap())
        });
        let held = terms.len();
        let theirs = |text: String| signature.action_id(read_term(terms, &text).unwrap());
        let (same, longer) = (theirs(format!("(say {list})")), theirs(format!("(say (c 3 {list}))")));
        assert!(terms.len() > held + 5, "the list was not in the table");
        let mut met = |action| {
            runner.set(&state).unwrap();
            runner.terminal().unwrap();
            runner.step_legal(&[set, action]).unwrap();
            holds(&machine, &*runner, "met")
        };
        assert!(met(same) && !met(longer) && !met(idle) && met(same), "{list}");
    }
}

#[test]
fn a_question_without_room_leaves_the_next_ones_theirs() {
    // Lists of any eight digits.
    let rules = "(role you) (init (at a)) (legal you go) (legal you stay) (goal you 0)
        (<= (next (at b)) (does you go)) (<= (next (at a)) (does you stay))
        (d a 1) (d b 1) (d b 2) (d b 3) (d b 4) (d b 5) (d b 6) (d b 7) (d b 8)
        (<= (digit ?v) (true (at ?x)) (d ?x ?v))
        (<= (list1 (c ?v nil)) (digit ?v)) (<= (list2 (c ?v ?rest)) (digit ?v) (list1 ?rest))
        (<= (list3 (c ?v ?rest)) (digit ?v) (list2 ?rest)) (<= (list4 (c ?v ?rest)) (digit ?v) (list3 ?rest))
        (<= (list5 (c ?v ?rest)) (digit ?v) (list4 ?rest)) (<= (list6 (c ?v ?rest)) (digit ?v) (list5 ?rest))
        (<= (list7 (c ?v ?rest)) (digit ?v) (list6 ?rest)) (<= (list8 (c ?v ?rest)) (digit ?v) (list7 ?rest))
        (<= terminal (list8 (c ?v (c ?w ?rest))) (distinct ?v ?w) (not (digit ?w)))";
    for scratch in SCRATCHES {
        let machine = machine(rules, scratch);
        let terms = machine.signature().terms();
        let (before, limit) = (terms.len(), terms.bytes() + (4 << 20));
        let mut runner = machine.runner(&Budget::unlimited().with_memory(limit));
        let legal = runner.legal(RoleId(0)).unwrap().to_vec();
        for _ in 0..3 {
            runner.set(machine.initial()).unwrap();
            assert_eq!(runner.terminal(), Ok(false));
            runner.step(&legal[1..]).unwrap();
            assert_eq!(runner.terminal(), Ok(false));
            runner.step(&legal[..1]).unwrap();
            let full = runner.terminal().unwrap_err();
            assert!(
                matches!(&full, GameError::Limit(LimitError::Memory { limit: l, .. }) if *l == limit),
                "{full}"
            );
        }
        assert_eq!(terms.len(), before);
    }
}
